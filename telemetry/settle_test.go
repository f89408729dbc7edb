package telemetry_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

func settle(t testing.TB, l *telemetry.Log) {
	t.Helper()
	if err := l.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestSettle: what one reader has seen, those that start later know.
func TestSettle(t *testing.T) {
	t.Parallel()
	for _, start := range []string{"foreign", "ours", "ours, in the reader's process"} {
		t.Run(start, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			reader := newLog(t, dir)
			w := newLog(t, dir)
			if start == "ours, in the reader's process" {
				w = reader
			}
			if start == "foreign" {
				foreign(t, dir, numbered(0, 20))
			} else {
				for i := range 20 {
					appendLine(t, w, line("%04d", i))
				}
			}
			var old []telemetry.Cursor
			for range 3 { // the third time is the second cut of a cut log
				_, at := readAll(t, reader, telemetry.Cursor{})
				old = append(old, at)
				cut(t, dir, 3)
				now, err := reader.End(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				settle(t, reader)
				foreign(t, dir, numbered(1000, 1017)) // the size is what it was
				checkCursors(t, "new reader", newLog(t, dir), old, false)
				checkCursors(t, "new reader", newLog(t, dir), []telemetry.Cursor{now}, true)
				for _, l := range []*telemetry.Log{reader, newLog(t, dir)} {
					if next := appendLine(t, l, line("next")); next.Log != now.Log {
						t.Errorf("the writer calls it %s, the reader %s", next.Log, now.Log)
					}
				}
				checkCursors(t, "old reader", reader, []telemetry.Cursor{now}, true)
			}
			got, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
			if len(got) != 22 {
				t.Errorf("%d lines, want 22", len(got))
			}
		})
	}
}

// TestSettleTellsHowFar: a cut between two runs of a reader, of a log that only
// others write.
func TestSettleTellsHowFar(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign(t, dir, numbered(0, 20))
	l := telemetry.NewLog(dir, telemetry.LogOptions{})
	_, at := readAll(t, l, telemetry.Cursor{})
	settle(t, l)
	foreign(t, dir, numbered(20, 30))
	settle(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	checkCursors(t, "next run", newLog(t, dir), []telemetry.Cursor{at}, true)
	cut(t, dir, 25)
	checkCursors(t, "after a cut", newLog(t, dir), []telemetry.Cursor{at}, false)
}

// TestSettleMakesNoLog, neither in a directory without one nor the directory.
func TestSettleMakesNoLog(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	missing := filepath.Join(empty, "missing")
	for _, dir := range []string{empty, missing} {
		settle(t, newLog(t, dir))
	}
	if entries, err := os.ReadDir(empty); err != nil || len(entries) != 0 {
		t.Errorf("it left %v, %v", entries, err)
	}
	if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory: %v", err)
	}
}

// TestSettleLeavesOthersAlone: a log that we may only read, and a lock file that is
// not ours, stay as they are, and nothing is said.
func TestSettleLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(dir string) error{
		"lock file": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "events.lock"), []byte("precious"), 0o600)
		},
		"directory": func(dir string) error { return os.Chmod(dir, 0o500) },
		"owner":     func(dir string) error { return os.Chown(dir, 12345, 12345) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if root := os.Geteuid() == 0; name == "owner" && !root || name == "directory" && root {
				t.Skip("not as this user")
			}
			dir := t.TempDir()
			foreign(t, dir, numbered(0, 20))
			if err := prepare(dir); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := os.Chmod(dir, 0o700); err != nil { // or it can't be removed
					t.Error(err)
				}
			})
			l := newLog(t, dir)
			readAll(t, l, telemetry.Cursor{})
			settle(t, l)
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				b, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil || e.Name() != "events.jsonl" && string(b) != "precious" {
					t.Errorf("%s is %q, %v", e.Name(), b, err)
				}
			}
		})
	}
}

// TestSettleBetweenPieces: that a Settle has looked at half a line does not make it
// a whole one.
func TestSettleBetweenPieces(t *testing.T) {
	t.Parallel()
	w, _ := rotatedWith(t, small) // into a fresh file, which Settle opens
	w.hold()
	w.piece(w.held[1])
	for range 2 {
		_ = w.settle(0)
	}
	w.append(0)
	if last := string(line("%d", w.next)); !w.want[last] {
		t.Errorf("%s was not appended", last)
	}
	w.check()
}
