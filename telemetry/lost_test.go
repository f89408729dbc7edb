package telemetry_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
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
// can be read. Who reads it just then learns of it when it gets there.
func TestMissingSegment(t *testing.T) {
	t.Parallel()
	size := int64(len(numbered(0, 10)))
	names := []string{"events-0.jsonl", "events-1.jsonl", "events-2.jsonl"}
	for name, c := range map[string]struct {
		harm func(dir string) error
		from int // the oldest line that is left
	}{
		"the first":     {func(dir string) error { return os.Remove(filepath.Join(dir, names[0])) }, 10},
		"in the middle": {func(dir string) error { return os.Remove(filepath.Join(dir, names[1])) }, 20},
		"the last":      {func(dir string) error { return os.Remove(filepath.Join(dir, names[2])) }, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			old := segmented(t, dir, names)
			if err := c.harm(dir); err != nil {
				t.Fatal(err)
			}
			at, n := telemetry.Cursor{Log: "rotated2"}, 0
			for {
				lines, next, err := old.ReadAfter(t.Context(), at, 0, 0)
				var reset *telemetry.ResetError
				if want := int64(c.from) * size / 10; errors.As(err, &reset) && reset.Reason == telemetry.ResetGone && reset.Oldest.Pos == want {
					break
				}
				if err != nil || next == at {
					t.Fatalf("after %d lines: %v", n, err)
				}
				n, at = n+len(lines), next
			}
			if n > c.from-10 {
				t.Errorf("%d lines before what is missing", n)
			}
			for who, l := range map[string]*telemetry.Log{"old": old, "new": newLog(t, dir)} {
				got, _ := readAll(t, l, telemetry.Cursor{})
				equal(t, who+" reader", got, numberedLines(c.from, 40))
				tail, err := l.Tail(t.Context(), 100, nil)
				if err != nil {
					t.Fatal(err)
				}
				equal(t, who+" reader, tail", texts(tail.Lines), numberedLines(c.from, 40))
				if o, err := l.Oldest(t.Context()); err != nil || o.Pos != int64(c.from)*size/10 {
					t.Errorf("%s reader: oldest %v, %v", who, o, err)
				}
			}
		})
	}
}

// segmented makes a log of forty lines, ten in each of three segments.
func segmented(t *testing.T, dir string, names []string) *telemetry.Log {
	t.Helper()
	size := int64(len(numbered(0, 10)))
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
	got, _ := readAll(t, l, telemetry.Cursor{})
	equal(t, "all", got, numberedLines(0, 40))
	return l
}

func numberedLines(from, to int) []string {
	return strings.Split(strings.TrimSpace(numbered(from, to)), "\n")
}

// TestShortSegment: a segment that lost its end, as by a power cut, hides neither
// what it still has nor what is older, and no cursor is refused.
func TestShortSegment(t *testing.T) {
	t.Parallel()
	names := []string{"events-0.jsonl", "events-1.jsonl", "events-2.jsonl"}
	size := int64(len(numbered(0, 10)))
	for _, left := range []int64{0, 5, size / 10, size/10 + 1, size - 1} {
		dir := t.TempDir()
		old := segmented(t, dir, names)
		if err := os.Truncate(filepath.Join(dir, names[1]), left); err != nil {
			t.Fatal(err)
		}
		whole := int(left * 10 / size)
		if left == size-1 { // only the newline is lost
			whole = 10
		}
		want := append(numberedLines(0, 40)[:10+whole:10+whole], numberedLines(20, 40)...)
		for _, l := range []*telemetry.Log{old, newLog(t, dir)} {
			got, _ := readAll(t, l, telemetry.Cursor{})
			equal(t, "forwards", got, want)
			tail, err := l.Tail(t.Context(), 100, nil)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "backwards", texts(tail.Lines), want)
			for i := range 40 {
				at := telemetry.Cursor{Log: "rotated2", Pos: size / 10 * int64(i)}
				got, _ := readAll(t, l, at)
				from := min(i, 10+whole) // what was lost is passed
				if i >= 20 {
					from = i - 10 + whole
				}
				equal(t, fmt.Sprintf("%d bytes left, from line %d", left, i), got, want[from:])
			}
		}
	}
}

// TestLongestMetaIsRead: however many segments there are, they never are too many for
// who reads of them, which would be a log that has lost its events.meta.
func TestLongestMetaIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := telemetry.LongestMeta("abcdefgh")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "events.meta"), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	l := newLog(t, dir)
	foreign(t, dir, numbered(0, 2))
	if end, err := l.End(t.Context()); err != nil || end.Pos < 1<<62 {
		t.Errorf("%d bytes of events.meta: the log ends at %v, %v", len(b), end, err)
	}
}

// TestPositionsDoNotOverflow: an events.meta of positions that no log can have is none.
func TestPositionsDoNotOverflow(t *testing.T) {
	t.Parallel()
	for _, base := range []int64{math.MaxInt64, math.MaxInt64 - 10, math.MaxInt64 - 100} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "events.meta"), fmt.Appendf(nil, `{"log":"abcdefgh","base":%d,"segments":[]}`, base), 0o600); err != nil {
			t.Fatal(err)
		}
		l := telemetry.NewLog(dir, small)
		defer l.Close()
		var want []string
		for i := range 30 {
			want = append(want, string(line("%d", i)))
			if at := appendLine(t, l, line("%d", i)); at.Pos < 0 {
				t.Fatalf("base %d: line %d is at %v", base, i, at)
			}
		}
		got, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
		equal(t, "lines", got, want)
	}
}
