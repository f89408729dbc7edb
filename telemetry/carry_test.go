package telemetry_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/telemetry"
)

// rotatedWith returns a world whose log was rotated once while a program held it
// open, and that program's descriptor.
func rotatedWith(t *testing.T, opt telemetry.LogOptions) (*world, *os.File) {
	t.Helper()
	w := newWorld(t, opt, 1, 1)
	w.append(0)
	w.hold()
	for !w.rotated(w.held[0]) {
		w.append(0)
	}
	return w, w.held[0]
}

// TestCarryOver: what is added to a rotated file arrives once, by Settle and by
// the next append, of the process that has rotated it and of others.
func TestCarryOver(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(w *world){
		"settle": func(w *world) { _ = w.settle(0) },
		"append": func(w *world) { w.append(0) },
		"append of a new process": func(w *world) {
			w.writers[0].Abandon()
			w.start(0)
			w.append(0)
		},
		"settle of a reader": func(w *world) { settle(w.t, w.readers[0].log) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := rotatedWith(t, small)
			w.append(0)   // the fresh file has its line
			for range 5 { // the very same line, again and again
				w.write(f, `{"id":"same"}`+"\n")
			}
			next(w)
			same := func() (n int) {
				got, _ := readAll(t, newLog(t, w.dir), telemetry.Cursor{})
				for _, s := range got {
					if s == `{"id":"same"}` {
						n++
					}
				}
				return n
			}
			if n := same(); n != 5 {
				t.Fatalf("%d lines were carried over, want 5\n%s", n, w.files())
			}
			w.piece(f)
			next(w)
			ops := w.ops
			_ = w.settle(0)
			if w.ops != ops {
				t.Errorf("settling an unfinished line again took %d calls", w.ops-ops)
			}
			w.foreign(f)
			next(w)
			w.write(f, `{"id":"same"}`+"\n")
			for range 12 { // by now, it may not be the newest segment
				next(w)
			}
			if n := same(); n != 6 {
				t.Errorf("%d lines were carried over, want 6\n%s", n, w.files())
			}
			got, _ := readAll(t, newLog(t, w.dir), telemetry.Cursor{})
			w.once("reader", slices.DeleteFunc(got, func(s string) bool { return s == `{"id":"same"}` }), true)
		})
	}
}

// TestCarryOverLongLines: a line that is too long for an event is passed, bytes that
// are no events stay what they are, and what follows arrives.
func TestCarryOverLongLines(t *testing.T) {
	t.Parallel()
	w, f := rotatedWith(t, small)
	longest := `{"x":"` + strings.Repeat("y", telemetry.MaxLine-9) + `"}`
	w.write(f, strings.Repeat("z", 20<<20))
	for range 2 { // while it is written
		_ = w.settle(0)
	}
	w.write(f, "\n"+longest+"\n\x00\x00\n\xff\n\r\n"+`{"id":"crlf"}`+"\r\n")
	w.foreign(f)
	for range 4 {
		if err := w.settle(0); err != nil {
			t.Fatal(err)
		}
	}
	l := newLog(t, w.dir)
	got, _ := readAll(t, l, telemetry.Cursor{})
	if n := len(got); n < 3 || got[n-3] != longest || got[n-2] != `{"id":"crlf"}`+"\r" || got[n-1] != string(line("%d", w.next)) {
		t.Errorf("got:\n%s", show(got))
	}
	if bad := l.Stats().Bad; bad.NUL != 1 || bad.UTF8 != 1 || bad.Total() != 2 {
		t.Errorf("bad lines %+v", bad)
	}
	if st, err := os.Stat(logPath(w.dir)); err != nil || st.Size() > 3<<20 {
		t.Errorf("the active file has %d bytes, %v", st.Size(), err)
	}
}

// TestCarryOverBeforeRemoval: what is added to the oldest segment while the next
// rotation is under way is carried over before that removes it.
func TestCarryOverBeforeRemoval(t *testing.T) {
	t.Parallel()
	w, f := rotatedWith(t, small)
	l := telemetry.NewLog(w.dir, telemetry.LogOptions{RotateBytes: 100, KeepBytes: 1})
	late := string(line("late"))
	renamed, removed := false, false
	l.SetSteps(func(op string) error {
		if op == "rename" && !renamed {
			renamed = true
			w.write(f, late+"\n")
		}
		if op == "remove" && !removed {
			removed = true
			got, _ := readAll(t, newLog(t, w.dir), telemetry.Cursor{})
			if len(got) == 0 || got[len(got)-1] != late {
				t.Errorf("when the segment is removed, there is:\n%s", show(got))
			}
		}
		return nil
	})
	for range 20 {
		appendLine(t, l, line("x"))
	}
	if err := l.Close(); err != nil || !removed {
		t.Errorf("removed %v, %v", removed, err)
	}
}

// TestRemoval: the oldest segments go, base stays, and a cursor into what is gone
// is told where the log starts now.
func TestRemoval(t *testing.T) {
	t.Parallel()
	opt := telemetry.LogOptions{RotateBytes: 100, KeepBytes: 300}
	w := newWorld(t, opt, 1, 1)
	slow := newLog(t, w.dir)
	var first telemetry.Cursor
	for i := range 60 {
		w.append(0)
		if i == 1 {
			_, first = readAll(t, slow, telemetry.Cursor{})
		}
		w.follow(w.readers[0], -1, 0)
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "events-*.jsonl"))
	if err != nil || len(files) > 5 || len(files) < 2 {
		t.Errorf("segments: %v, %v", files, err)
	}
	fresh := newLog(t, w.dir)
	all, end := readAll(t, fresh, telemetry.Cursor{})
	st := fresh.Stats()
	if st.Segments != len(files) || st.Disk < opt.KeepBytes || st.Disk > 600 || st.Oldest != st.Bytes-st.Disk {
		t.Errorf("stats %+v", st)
	}
	if end != w.readers[0].at {
		t.Errorf("a fresh reader ends at %v, a follower at %v", end, w.readers[0].at)
	}
	for _, l := range []*telemetry.Log{slow, fresh} {
		_, _, err = l.ReadAfter(t.Context(), first, 0, 0)
		var reset *telemetry.ResetError
		if !errors.As(err, &reset) || reset.Reason != telemetry.ResetGone || reset.Oldest.Pos != st.Oldest || reset.From != first {
			t.Fatalf("a removed place: %v", err)
		}
		got, _ := readAll(t, l, reset.Oldest)
		equal(t, "from the oldest on", got, all)
	}
	if len(w.readers[0].got) != 60 {
		t.Errorf("a follower that kept up saw %d lines", len(w.readers[0].got))
	}
}

// TestOthersFilesStay: nothing that has a segment's name and is not that segment is
// followed, overwritten or removed, by rotation, by removal or by carrying over.
func TestOthersFilesStay(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path, victim string) error{
		"file":     func(path, _ string) error { return os.WriteFile(path, []byte(precious), 0o600) },
		"link":     func(path, victim string) error { return os.Symlink(victim, path) },
		"nowhere":  func(path, victim string) error { return os.Symlink(victim+".new", path) },
		"hardlink": func(path, victim string) error { return os.Link(victim, path) },
		"folder":   func(path, _ string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			victim := filepath.Join(t.TempDir(), "victim")
			if err := os.WriteFile(victim, []byte(precious), 0o600); err != nil {
				t.Fatal(err)
			}
			check := func(path string) {
				t.Helper()
				if b, err := os.ReadFile(victim); err != nil || string(b) != precious {
					t.Errorf("the victim is %q, %v", b, err)
				}
				if _, err := os.Lstat(victim + ".new"); err == nil {
					t.Error("a file was made through the link")
				}
				if _, err := os.Lstat(path); err != nil {
					t.Errorf("what was there is gone: %v", err)
				}
				if b, err := os.ReadFile(path); name == "file" && (err != nil || string(b) != precious) {
					t.Errorf("the file is %q, %v", b, err)
				}
			}
			t.Run("in the way of a rotation", func(t *testing.T) {
				w := newWorld(t, small, 1, 1)
				path := filepath.Join(w.dir, "events-0.jsonl")
				if err := put(path, victim); err != nil {
					t.Fatal(err)
				}
				for range 30 {
					w.append(0)
					w.follow(w.readers[0], -1, 0)
				}
				check(path)
				w.check()
				if st := w.readers[0].log.Stats(); st.Segments < 3 {
					t.Errorf("stats %+v", st)
				}
			})
			t.Run("in the place of a segment", func(t *testing.T) {
				opt := small
				opt.KeepBytes = 1
				w, f := rotatedWith(t, small)
				w.foreign(f)
				path := filepath.Join(w.dir, "events-0.jsonl")
				if err := errors.Join(os.Remove(path), put(path, victim)); err != nil {
					t.Fatal(err)
				}
				_ = w.settle(0)
				l := telemetry.NewLog(w.dir, opt)
				for i := range 30 {
					appendLine(t, l, line("after %d", i))
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				check(path)
				got, _ := readAll(t, newLog(t, w.dir), telemetry.Cursor{})
				if n := len(got); n == 0 || got[n-1] != string(line("after 29")) {
					t.Errorf("got %s", show(got))
				}
			})
		})
	}
}

// TestStrangersMeta: a stranger's events.meta can't make us remove other files.
func TestStrangersMeta(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "ape-claw.db")
	first := string(line("one")) + "\n"
	if err := os.WriteFile(db, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign(t, dir, first)
	sum := sha256.Sum256([]byte(first))
	meta := fmt.Sprintf(`{"log":"abcdefgh","base":%d,"segments":[{"name":"ape-claw.db","first":0,"end":%[1]d,"head":{"bytes":%[1]d,"sum":"%x"}}]}`, len(first), sum[:12])
	if err := os.WriteFile(filepath.Join(dir, "events.meta"), []byte(meta), 0o600); err != nil {
		t.Fatal(err)
	}
	l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 1, KeepBytes: 1})
	for range 10 {
		appendLine(t, l, line("mine"))
	}
	settle(t, l)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(db); err != nil || string(b) != first {
		t.Errorf("the file is %q, %v", b, err)
	}
}

// TestPieceDuringRotation: half a line that a program writes while the file is
// renamed is no line of the segment; once it is whole it is one of the log's.
func TestPieceDuringRotation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := telemetry.NewLog(dir, small)
	defer l.Close()
	appendLine(t, l, line("first"))
	f, err := os.OpenFile(logPath(dir), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := &resuming{l: newLog(t, dir)}
	renamed := false
	l.SetSteps(func(op string) error {
		if op == "rename" && !renamed {
			renamed = true
			if _, err := f.WriteString(string(line("whole")) + "\n" + `{"id":"pie`); err != nil {
				t.Error(err)
			}
		}
		r.read(t)
		return nil
	})
	for range 12 {
		appendLine(t, l, line("own"))
	}
	if _, err := f.WriteString("ces\"}\n"); err != nil {
		t.Fatal(err)
	}
	settle(t, l)
	r.read(t)
	got, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
	equal(t, "follower", r.got, got)
	slices.Sort(got)
	if n := len(got); n != 15 || got[0] != string(line("first")) || got[13] != string(line("pieces")) || got[14] != string(line("whole")) {
		t.Errorf("got:\n%s", show(got))
	}
	if bad := r.l.Stats().Bad.Total(); bad > 0 || r.resets > 0 {
		t.Errorf("%d bad lines, %d resets", bad, r.resets)
	}
}

// TestCarryOverHalfWritten kills the process inside the write that carries over, after
// each byte, with and without another program's line right after it.
func TestCarryOverHalfWritten(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		for cut := 0; ; cut++ {
			w, f := rotatedWith(t, small)
			for range 4 {
				w.foreign(f)
			}
			size := 0
			w.writers[0].SetSystem(func(fd int, p []byte) (int, error) {
				if size = len(p); cut < size {
					if _, err := unix.Write(fd, p[:cut]); err != nil {
						t.Error(err)
					}
					panic(killed{})
				}
				return unix.Write(fd, p)
			}, nil)
			_ = w.settle(0)
			if after {
				w.foreign(nil)
			}
			w.check()
			if t.Failed() {
				t.Fatalf("after %d bytes of %d", cut, size)
			}
			if cut >= size {
				break
			}
		}
	}
}

// TestCarryOverEndsWhatIsTorn: a whole line that lacks its newline stays what it is
// when late lines come after it.
func TestCarryOverEndsWhatIsTorn(t *testing.T) {
	t.Parallel()
	w, f := rotatedWith(t, small)
	w.append(0)
	a := w.open()
	defer a.Close()
	w.write(a, `{"id":"bare"}`)
	w.foreign(f)
	if err := w.settle(0); err != nil {
		t.Fatal(err)
	}
	got, _ := readAll(t, newLog(t, w.dir), telemetry.Cursor{})
	equal(t, "last lines", got[len(got)-2:], []string{`{"id":"bare"}`, string(line("%d", w.next))})
}
