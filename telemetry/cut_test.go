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
