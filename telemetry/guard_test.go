package telemetry_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// TestMetaIsReplaced: who has opened events.meta reads all of what it said then,
// however it changes meanwhile.
func TestMetaIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 50})
	defer l.Close()
	appendLine(t, l, line("one"))
	path := filepath.Join(dir, "events.meta")
	said, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 10 {
		appendLine(t, l, line("%d", i))
	}
	b, err := io.ReadAll(f)
	if err != nil || string(b) != string(said) {
		t.Errorf("it said %q, and now says %q, %v", said, b, err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) == string(said) {
		t.Errorf("there was no rotation: %q, %v", now, err)
	}
}

// TestRotationCantBeWrittenDown: when events.meta can't be replaced any more, at
// whichever of its changes that begins, appends go on, and no line has a double.
func TestRotationCantBeWrittenDown(t *testing.T) {
	t.Parallel()
	for allowed := range 6 {
		var said []string
		opt := small
		opt.Notice = func(s string) { said = append(said, s) }
		w := newWorld(t, opt, 0, 2)
		l := telemetry.NewLog(w.dir, opt)
		left := allowed + 1 // the log's name
		l.SetSteps(func(op string) error {
			if op == "write events.meta" {
				if left--; left < 0 {
					return errStep
				}
			}
			w.follow(w.readers[0], -1, 0)
			return nil
		})
		for range 40 {
			s := w.id()
			w.want[s] = true
			appendLine(t, l, []byte(s))
			w.follow(w.readers[0], -1, 0)
		}
		if len(said) != 1 || !strings.Contains(said[0], "could not be rotated") {
			t.Errorf("it was said %q", said)
		}
		l.Abandon()
		w.opt.Notice = nil
		w.writers = append(w.writers, nil)
		w.start(0)
		for range 20 {
			w.append(0)
		}
		w.check()
		if st := w.readers[0].log.Stats(); st.Segments < 2 {
			t.Errorf("it never was rotated: %+v", st)
		}
	}
}

// TestNoOrphans: a process that is killed while it rotates and removes leaves, once
// others have gone on, no file that events.meta does not list.
func TestNoOrphans(t *testing.T) {
	t.Parallel()
	for n := 1; n < 40; n++ {
		opt := small
		opt.KeepBytes = 120
		w := newWorld(t, opt, 1, 0)
		for range 30 {
			w.append(0)
		}
		for i, l := 0, w.writers[0]; i < 40 && l == w.writers[0]; i++ {
			w.die = n
			w.append(0)
		}
		if err := os.WriteFile(filepath.Join(w.dir, ".events.meta.123"), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			w.append(0)
		}
		meta, err := os.ReadFile(filepath.Join(w.dir, "events.meta"))
		if err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(w.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if n := e.Name(); !slices.Contains([]string{"events.jsonl", "events.lock", "events.meta"}, n) && !strings.Contains(string(meta), `"`+n+`"`) {
				t.Errorf("%s was left", n)
			}
		}
	}
}

// TestSweepStaysInItsDirectory: what a directory's name would mean as a pattern is
// nobody else's temporary file.
func TestSweepStaysInItsDirectory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dirs := []string{filepath.Join(root, "x"), filepath.Join(root, "[x]")}
	for _, dir := range dirs {
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, ".events.meta.1"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	l := telemetry.NewLog(dirs[1], small)
	defer l.Close()
	for i := range 20 {
		appendLine(t, l, line("%d", i))
	}
	for i, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, ".events.meta.1")); (err == nil) != (i == 0) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestCarriedByOthers: a process that does not know what another has carried over
// neither does it again nor forgets it.
func TestCarriedByOthers(t *testing.T) {
	t.Parallel()
	w, f := rotatedWith(t, telemetry.LogOptions{RotateBytes: 200})
	w.writers = append(w.writers, nil)
	w.start(1)
	w.append(1)
	for range 3 {
		w.foreign(f)
		if err := w.settle(0); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			w.append(1)
		}
	}
	w.check()
}

// TestForeignLinesAtEachCall: programs without the lock add lines, to the active file
// and to files they hold open, between all calls of a rotation, while a follower and
// a fresh reader look.
func TestForeignLinesAtEachCall(t *testing.T) {
	t.Parallel()
	for _, path := range []bool{true, false} {
		w := newWorld(t, small, 2, 2)
		w.append(0)
		w.hold()
		n := 0
		w.atStep = func() {
			if n++; n > 60 {
				return
			}
			if path {
				w.foreign(nil)
			} else {
				w.foreign(w.held[n%len(w.held)])
			}
			w.follow(w.readers[0], -1, 0)
			fresh := &follower{log: newLog(t, w.dir)}
			w.follow(fresh, -1, 0)
			// While the end of a segment is open, who comes new is shown less.
			if a, b := fresh.got, w.readers[0].got; !slices.Equal(a, b[:min(len(a), len(b))]) {
				t.Errorf("a fresh reader sees\n%sa follower\n%s", show(a), show(b))
			}
		}
		for i := range 30 {
			w.append(i % 2)
			if i%5 == 0 {
				w.hold()
			}
		}
		w.check()
	}
}

// TestCopiedDirectory: a copy of the directory, made at any call of a rotation, is
// the same log.
func TestCopiedDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, small, 1, 0)
	copies := 0
	w.atStep = func() {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("copy", copies))
		if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
			t.Fatal(err)
		}
		here := newLog(t, w.dir)
		want, end := readAll(t, here, telemetry.Cursor{})
		if end.IsZero() {
			return
		}
		copies++
		c := newLog(t, dir)
		got, at := readAll(t, c, telemetry.Cursor{})
		equal(t, "copy", got, want)
		if at.Log != end.Log {
			t.Errorf("the copy is %v, the log %v", at, end)
		}
		appendLine(t, c, line("more"))
		got, _ = readAll(t, c, at)
		equal(t, "copy, later", got[len(got)-1:], []string{string(line("more"))})
	}
	for range 25 {
		w.append(0)
	}
	if copies < 20 {
		t.Errorf("only %d copies", copies)
	}
}

// TestDurableAppendSyncsTheName: a durable line is worth nothing in a file that a
// power cut takes; who made the file may have been killed before it synced that.
func TestDurableAppendSyncsTheName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendLine(t, newLog(t, dir), line("one"))
	l := newLog(t, dir)
	syncs := 0
	l.SetSyncDir(func(string) error { syncs++; return nil })
	for range 3 {
		if _, err := l.Append(t.Context(), line("money"), true); err != nil {
			t.Fatal(err)
		}
	}
	if syncs != 1 {
		t.Errorf("%d syncs of the directory", syncs)
	}
}

// TestChangedRightBeforeTheRename: another file takes the name that the segment is to
// get, or the log's own name, when nothing but the rename is left to do.
func TestChangedRightBeforeTheRename(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string) error{
		"the segment's name is taken": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "events-0.jsonl"), []byte(precious), 0o600)
		},
		"the log is replaced": func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "new"), []byte(precious), 0o600), os.Rename(filepath.Join(dir, "new"), logPath(dir)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l := telemetry.NewLog(dir, small)
			defer l.Close()
			changed := false
			l.SetSteps(func(op string) error {
				if op == "rename" && !changed {
					changed = true
					return change(dir)
				}
				return nil
			})
			r := &resuming{l: newLog(t, dir)}
			for i := 0; !changed; i++ {
				r.read(t)
				appendLine(t, l, line("before %d", i))
			}
			r.read(t)
			r.got = slices.DeleteFunc(r.got, func(s string) bool { return strings.Contains(s, "before") })
			for i := range 40 {
				appendLine(t, l, line("after %d", i))
				r.read(t)
			}
			var want []string
			for i := range 40 {
				want = append(want, string(line("after %d", i)))
			}
			equal(t, "lines after it", r.got, want)
			if (r.resets > 0) != (name == "the log is replaced") || r.l.Stats().Segments < 2 {
				t.Errorf("%d resets, %+v", r.resets, r.l.Stats())
			}
			names, err := filepath.Glob(filepath.Join(dir, "events*.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			kept := 0
			for _, n := range names {
				b, err := os.ReadFile(n)
				if err != nil {
					t.Fatal(err)
				}
				kept += strings.Count(string(b), precious)
			}
			if kept != 1 {
				t.Errorf("the other file's content is there %d times, in %v", kept, names)
			}
		})
	}
}

// TestLockRemoved: the lock file is removed while a process has it open, or while it
// writes events.meta, and another takes a new one. At whichever of its next calls the
// first then meets the second, it neither undoes what that says of the segments, nor
// carries over what that has.
func TestLockRemoved(t *testing.T) {
	t.Parallel()
	for n := range 24 {
		w := newWorld(t, telemetry.LogOptions{RotateBytes: 200, LockTimeout: time.Millisecond}, 2, 2)
		w.hold()
		for range 20 {
			w.append(0)
		}
		remove := func() {
			if err := os.Remove(filepath.Join(w.dir, "events.lock")); err != nil {
				t.Fatal(err)
			}
		}
		whileWriting := n%2 == 1
		if !whileWriting {
			remove()
			w.append(1)
		}
		w.foreign(w.held[0])
		calls, meet, other := 0, n/2, w.writers[1]
		w.writers[0].SetSteps(func(op string) error {
			if calls++; whileWriting && calls >= n/2 && op == "write events.meta" {
				remove()
				whileWriting, meet = false, calls+1
				return nil
			}
			if whileWriting || calls != meet {
				return nil
			}
			for range 8 {
				s := w.id()
				if _, err := other.Append(t.Context(), []byte(s), false); err != nil {
					break // both have the same lock by now
				}
				w.want[s] = true
			}
			return nil
		})
		for range 20 {
			w.append(0)
		}
		w.check()
	}
}
