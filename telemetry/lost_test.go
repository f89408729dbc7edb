package telemetry_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// TestLostMetaKeepsTheLog: without events.meta, or with one that makes no sense,
// the log is the one that the lock file names, for all who read and write it.
func TestLostMetaKeepsTheLog(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(path string) error{
		"removed": os.Remove,
		"corrupt": func(path string) error { return os.WriteFile(path, []byte("{\x00"), 0o600) },
		"emptied": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "events.meta")
			running := newLog(t, dir)
			for range 3 {
				appendLine(t, running, line("one"))
			}
			was, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			reader := newLog(t, dir)
			_, at := readAll(t, reader, telemetry.Cursor{})
			if err := lose(path); err != nil {
				t.Fatal(err)
			}
			cursors := []telemetry.Cursor{at}
			checkCursors(t, "old reader", reader, cursors, true)
			checkCursors(t, "new reader", newLog(t, dir), cursors, true)
			for _, w := range []*telemetry.Log{newLog(t, dir), running} {
				if next := appendLine(t, w, line("two")); next.Log != at.Log {
					t.Errorf("the log is %s, it was %s", next.Log, at.Log)
				}
			}
			checkCursors(t, "old reader", reader, cursors, true)
			if b, err := os.ReadFile(path); err != nil || string(b) != string(was) {
				t.Errorf("events.meta is %q, %v; it was %q", b, err, was)
			}
		})
	}
}

// TestLostMetaOfAnotherLog: the lock file's word is taken for the file it was
// given for only.
func TestLostMetaOfAnotherLog(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, dir string) error{
		"cut": func(t *testing.T, dir string) error { cut(t, dir, 2); return nil },
		"other lines": func(_ *testing.T, dir string) error {
			return os.WriteFile(logPath(dir), []byte(numbered(5000, 5100)), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := telemetry.NewLog(dir, telemetry.LogOptions{})
			var at telemetry.Cursor
			for i := range 9 {
				at = appendLine(t, w, line("%04d", i))
			}
			if err := errors.Join(w.Close(), os.Remove(filepath.Join(dir, "events.meta")), change(t, dir)); err != nil {
				t.Fatal(err)
			}
			cursors := []telemetry.Cursor{at}
			r := newLog(t, dir)
			checkCursors(t, "reader", r, cursors, false)
			end, err := r.End(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if next := appendLine(t, newLog(t, dir), line("next")); next.Log != end.Log {
				t.Errorf("the writer calls it %s, the reader %s", next.Log, end.Log)
			}
			checkCursors(t, "reader", newLog(t, dir), cursors, false)
		})
	}
}

// TestMissingSegment: the log starts after what is missing, and all that is left
// can be read.
func TestMissingSegment(t *testing.T) {
	t.Parallel()
	size := int64(len(numbered(0, 10)))
	names := []string{"old-0", "old-1", "old-2"}
	for name, c := range map[string]struct {
		harm func(dir string) error
		from int // the oldest line that is left
	}{
		"the first":      {func(dir string) error { return os.Remove(filepath.Join(dir, "old-0")) }, 10},
		"in the middle":  {func(dir string) error { return os.Remove(filepath.Join(dir, "old-1")) }, 20},
		"the last":       {func(dir string) error { return os.Remove(filepath.Join(dir, "old-2")) }, 30},
		"cut in the mid": {func(dir string) error { return os.Truncate(filepath.Join(dir, "old-1"), 5) }, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for i, n := range names {
				if err := os.WriteFile(filepath.Join(dir, n), []byte(numbered(10*i, 10*i+10)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			l := newLog(t, dir)
			if err := l.WriteMeta("rotated2", 3*size, names, []int64{0, size, 2 * size, 3 * size}); err != nil {
				t.Fatal(err)
			}
			foreign(t, dir, numbered(30, 40))
			if got, _ := readAll(t, l, telemetry.Cursor{}); len(got) != 40 {
				t.Fatalf("%d lines before", len(got))
			}
			if err := c.harm(dir); err != nil {
				t.Fatal(err)
			}
			got, _ := readAll(t, l, telemetry.Cursor{})
			if len(got) != 40-c.from || got[0] != string(line("%04d", c.from)) {
				t.Errorf("%d lines from %s, want %d", len(got), got[0], 40-c.from)
			}
			if tail, err := l.Tail(t.Context(), 100, nil); err != nil || len(tail.Lines) != 40-c.from {
				t.Errorf("tail: %d lines, %v", len(tail.Lines), err)
			}
			_, _, err := l.ReadAfter(t.Context(), telemetry.Cursor{Log: "rotated2"}, 0, 0)
			var reset *telemetry.ResetError
			if want := int64(c.from) * size / 10; !errors.As(err, &reset) || reset.Reason != telemetry.ResetGone || reset.Oldest.Pos != want {
				t.Errorf("what is missing: %v, want gone, from %d", err, want)
			}
		})
	}
}
