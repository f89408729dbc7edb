package telemetry_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// numbered returns whole lines, all of them as long as each other.
func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "%s\n", line("%04d", i))
	}
	return b.String()
}

// cut leaves n lines of those that numbered made.
func cut(t *testing.T, dir string, n int) {
	t.Helper()
	if err := os.Truncate(logPath(dir), int64(len(numbered(0, n)))); err != nil {
		t.Fatal(err)
	}
}

// TestShrinkNeverKeepsItsID: each step loses lines that a follower has read and
// brings others. Whatever events.meta knows of it, the follower's cursor must not
// pass for a place in what is there now, nor any cursor it had before.
func TestShrinkNeverKeepsItsID(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, dir, content string) {
		t.Helper()
		if err := os.WriteFile(logPath(dir), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	touch := func(t *testing.T, dir string) { // makes events.meta news, whatever is in it
		t.Helper()
		path := filepath.Join(dir, "events.meta")
		b, err := os.ReadFile(path)
		if err == nil {
			err = errors.Join(os.WriteFile(path+".new", b, 0o600), os.Rename(path+".new", path))
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	steps := map[string]func(t *testing.T, dir string){
		"cut": func(t *testing.T, dir string) { cut(t, dir, 3) },
		"cut, meta touched": func(t *testing.T, dir string) {
			cut(t, dir, 3)
			touch(t, dir)
		},
		"replaced by its beginning": func(t *testing.T, dir string) {
			tmp := filepath.Join(dir, "new")
			if err := errors.Join(os.WriteFile(tmp, []byte(rawLog(t, dir)[:len(numbered(0, 3))]), 0o600), os.Rename(tmp, logPath(dir))); err != nil {
				t.Fatal(err)
			}
		},
		"other lines, fewer": func(t *testing.T, dir string) { write(t, dir, numbered(7000, 7003)) },
	}
	for _, start := range []string{"foreign", "ours", "ours, meta removed"} {
		for name, step := range steps {
			t.Run(start+", "+name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if start == "foreign" {
					foreign(t, dir, numbered(0, 20))
				} else {
					w := newLog(t, dir)
					for i := range 20 {
						appendLine(t, w, line("%04d", i))
					}
				}
				if start == "ours, meta removed" {
					if err := os.Remove(filepath.Join(dir, "events.meta")); err != nil {
						t.Fatal(err)
					}
				}
				l := newLog(t, dir)
				_, at := readAll(t, l, telemetry.Cursor{})
				var old []telemetry.Cursor
				for range 4 {
					old = append(old, at)
					step(t, dir)
					// The reader looks, and then there are more lines than before.
					checkCursors(t, "just cut", l, old, false)
					foreign(t, dir, numbered(1000, 1030))
					checkCursors(t, "grown again", l, old, false)
					touch(t, dir)
					checkCursors(t, "grown again, meta touched", l, old, false)
					got, end := readAll(t, l, telemetry.Cursor{})
					if len(got) != 33 {
						t.Errorf("%d lines, want 33", len(got))
					}
					at = end
				}
			})
		}
	}
}

// TestCutBetweenTwoLooks: the reader sees only that there is less than it had read.
func TestCutBetweenTwoLooks(t *testing.T) {
	t.Parallel()
	for _, empty := range []bool{false, true} {
		dir := t.TempDir()
		foreign(t, dir, numbered(0, 20))
		l := newLog(t, dir)
		_, at := readAll(t, l, telemetry.Cursor{})
		cut(t, dir, 3)
		if empty {
			// Seen empty, a file is another, even when it gets longer than ever.
			cut(t, dir, 0)
			if end, err := l.End(t.Context()); err != nil || !end.IsZero() {
				t.Fatalf("empty: %v, %v", end, err)
			}
			foreign(t, dir, numbered(0, 40))
		} else {
			foreign(t, dir, numbered(1000, 1010))
		}
		checkCursors(t, "reader", l, []telemetry.Cursor{at}, false)
	}
}

// TestCutInsideARotation: the file is cut at each call of the appends around a
// rotation, while a follower reads. It is reset, and gets nothing a second time; what
// comes after that it gets once, as a fresh reader does.
func TestCutInsideARotation(t *testing.T) {
	t.Parallel()
	for n := 1; n < 36; n++ {
		for _, size := range []int64{0, 5, int64(len(line("%04d", 0)) + 1)} {
			for _, more := range []string{"", string(line("foreign")) + "\n"} {
				dir := t.TempDir()
				l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 150})
				r := newLog(t, dir)
				var at telemetry.Cursor
				seen := map[string]bool{}
				follow := func() {
					for range 100 {
						lines, next, err := r.ReadAfter(t.Context(), at, 1, 0)
						var reset *telemetry.ResetError
						if errors.As(err, &reset) {
							next, err = r.End(t.Context())
						}
						if err != nil {
							t.Fatal(err)
						}
						for _, s := range texts(lines) {
							if seen[s] {
								t.Fatalf("cut to %d at call %d: %s comes twice", size, n, s)
							}
							seen[s] = true
						}
						if next == at {
							return
						}
						at = next
					}
					t.Fatalf("cut to %d at call %d: the follower goes round at %v", size, n, at)
				}
				calls := 0
				l.SetSteps(func(string) error {
					follow()
					if calls++; calls == n {
						if err := cutActive(dir, size); err != nil {
							t.Fatal(err)
						}
						foreign(t, dir, more)
						follow()
					}
					return nil
				})
				failed := 0
				for i := range 40 {
					if _, err := l.Append(t.Context(), line("%04d", i), false); err != nil {
						failed++
					}
					follow()
				}
				if failed > 1 {
					t.Errorf("cut to %d at call %d: %d appends failed", size, n, failed)
				}
				settle(t, r) // if only the follower has seen it
				end, err := newLog(t, dir).End(t.Context())
				if err != nil || end != at {
					t.Errorf("cut to %d at call %d: the follower is at %v, a fresh reader ends at %v, %v", size, n, at, end, err)
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// cutActive leaves size bytes of the active file, also of one that is just renamed.
func cutActive(dir string, size int64) error {
	name := logPath(dir)
	said, err := os.ReadFile(filepath.Join(dir, "events.meta"))
	if _, rest, ok := strings.Cut(string(said), `"next":{"name":"`); ok {
		next, _, _ := strings.Cut(rest, `"`)
		if _, err := os.Stat(filepath.Join(dir, next)); err == nil {
			name = filepath.Join(dir, next)
		}
	}
	if st, statErr := os.Stat(name); statErr == nil && st.Size() > size {
		return os.Truncate(name, size)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// TestCutBeforeTheRename: what others cut between the look and the rename of a rotation
// is another log, also when they put a file in its place: nobody is stuck with it.
func TestCutBeforeTheRename(t *testing.T) {
	t.Parallel()
	for _, replaced := range []bool{false, true} {
		dir := t.TempDir()
		l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 150})
		defer l.Close()
		renames := 0
		l.SetSteps(func(op string) error {
			if op == "rename" {
				if renames++; renames == 1 {
					cut(t, dir, 1)
				} else if replaced && renames == 2 { // the file gets its name back
					foreign(t, dir, string(line("other"))+"\n")
				}
			}
			return nil
		})
		var old telemetry.Cursor
		for i := 0; renames == 0; i++ {
			old = appendLine(t, l, line("%04d", i))
		}
		want := []string{string(line("%04d", 0))}
		if replaced {
			want = []string{string(line("other"))}
		}
		for i := range 3 {
			want = append(want, string(line("after %d", i)))
			if at := appendLine(t, l, line("after %d", i)); at.Log == old.Log {
				t.Errorf("it still is log %s", at.Log)
			}
		}
		got, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
		equal(t, "lines", got, want)
	}
}

// TestCutThatOnlyAReaderKnows: who knows more than events.meta of a cut publishes no
// line of a rotation under way before its place is known, as nobody does.
func TestCutThatOnlyAReaderKnows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, telemetry.LogOptions{RotateBytes: 200}, 1, 1)
	for range 8 {
		w.append(0)
	}
	w.follow(w.readers[0], -1, 0)
	w.hold()
	w.writers[0].Abandon()
	w.start(0)
	if err := os.Truncate(logPath(w.dir), 3*int64(len(line("1"))+1)); err != nil {
		t.Fatal(err)
	}
	r, seen := w.readers[0], map[string]bool{}
	follow := func() {
		lines, next, err := r.log.ReadAfter(t.Context(), r.at, 0, 0)
		var reset *telemetry.ResetError
		if errors.As(err, &reset) {
			next, err = r.log.End(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range texts(lines) {
			if seen[s] {
				t.Errorf("%s comes twice", s)
			}
			seen[s] = true
		}
		r.at = next
	}
	follow()
	w.writers[0].SetSteps(func(op string) error {
		if _, err := os.Lstat(logPath(w.dir)); err != nil && op == "write events.meta" {
			w.foreign(w.held[0])
			follow()
		}
		return nil
	})
	for range 30 {
		w.append(0)
		follow()
	}
}
