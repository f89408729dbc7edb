package telemetry_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// who may notice a change only when another has: a reader that starts after a cut
// at the end of a line while a writer still runs, which has not yet told how far
// the log went; and a running writer whose file was rewritten in place, to the
// very size that it had. Neither loses or repeats a line.
type who int

const (
	nobody who = iota
	newReader
	oldWriter
)

// TestLogIdentity changes the log behind everybody's back and asks who notices.
// Before the change there are lines one to three and a cursor after each.
func TestLogIdentity(t *testing.T) {
	t.Parallel()
	three := string(line("one")) + "\n" + string(line("two")) + "\n" + string(line("three")) + "\n"
	rewrite := func(content string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(logPath(dir), []byte(content), 0o600); err != nil { // keeps the inode
				t.Fatal(err)
			}
		}
	}
	replace := func(content string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			tmp := filepath.Join(dir, "new")
			if err := errors.Join(os.WriteFile(tmp, []byte(content), 0o600), os.Rename(tmp, logPath(dir))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, dir string)
		same   bool     // it is still the same log
		late   who      // who may notice only later
		left   []string // lines that can be read after the change
	}{
		{"nothing", func(*testing.T, string) {}, true, nobody, []string{"one", "two", "three"}},
		{"a foreign line", func(t *testing.T, dir string) { foreign(t, dir, string(line("four"))+"\n") }, true, nobody, []string{"one", "two", "three", "four"}},
		{"a copy under the same name", replace(three), true, nobody, []string{"one", "two", "three"}},
		{"deleted", func(t *testing.T, dir string) {
			if err := os.Remove(logPath(dir)); err != nil {
				t.Fatal(err)
			}
		}, false, nobody, nil},
		{"emptied", rewrite(""), false, nobody, nil},
		{"cut to its first line", rewrite(string(line("one")) + "\n"), false, newReader, []string{"one"}},
		{"cut in the middle of a line", func(t *testing.T, dir string) {
			if err := os.Truncate(logPath(dir), int64(len(three))-3); err != nil {
				t.Fatal(err)
			}
		}, false, newReader, []string{"one", "two"}},
		{"other lines, same size", rewrite(strings.ReplaceAll(three, "o", "0")), false, oldWriter, []string{"0ne", "tw0", "three"}},
		{"other lines, longer", rewrite(strings.ReplaceAll(three, "o", "00000000")), false, nobody, []string{"00000000ne", "tw00000000", "three"}},
		{"another file, longer", replace(strings.ReplaceAll(three, "o", "00000000")), false, nobody, []string{"00000000ne", "tw00000000", "three"}},
		{"another file, shorter", replace(string(line("x")) + "\n"), false, nobody, []string{"x"}},
		{"directory removed with its lock", func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}, false, nobody, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "state")
			writer, reader := newLog(t, dir), newLog(t, dir)
			var cursors []telemetry.Cursor
			for _, name := range []string{"one", "two", "three"} {
				cursors = append(cursors, appendLine(t, writer, line("%s", name)))
			}
			readAll(t, reader, telemetry.Cursor{})
			tt.change(t, dir)
			var want []string
			for _, name := range tt.left {
				want = append(want, string(line("%s", name)))
			}
			// A reader that was there, and one that starts now, before any writer.
			for who, l := range map[string]*telemetry.Log{"old reader": reader, "new reader": newLog(t, dir)} {
				if who != "new reader" || tt.late != newReader {
					checkCursors(t, who, l, cursors, tt.same)
				}
				got, _ := readAll(t, l, telemetry.Cursor{})
				equal(t, who, got, want)
			}
			seen, err := reader.End(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			// The writer that was there, or one that starts now, appends.
			writers := []*telemetry.Log{writer, newLog(t, dir)}
			if tt.late == oldWriter {
				writers = writers[1:]
			}
			for _, w := range writers {
				at := appendLine(t, w, line("next"))
				want = append(want, string(line("next")))
				if (at.Log == cursors[0].Log) != tt.same {
					t.Errorf("the writer says log %s, it was %s", at.Log, cursors[0].Log)
				}
				if !seen.IsZero() && at.Log != seen.Log {
					t.Errorf("the writer says log %s, the reader said %s", at.Log, seen.Log)
				}
				for who, l := range map[string]*telemetry.Log{"old reader": reader, "new reader": newLog(t, dir)} {
					checkCursors(t, who, l, cursors, tt.same)
					got, end := readAll(t, l, telemetry.Cursor{})
					equal(t, who+" after an append", got, want)
					if end != at {
						t.Errorf("%s ends at %v, the writer at %v", who, end, at)
					}
				}
				seen = at
			}
		})
	}
}

func checkCursors(t *testing.T, who string, l *telemetry.Log, cursors []telemetry.Cursor, valid bool) {
	t.Helper()
	for _, c := range cursors {
		_, _, err := l.ReadAfter(t.Context(), c, 0, 0)
		var reset *telemetry.ResetError
		switch {
		case valid && err != nil:
			t.Errorf("%s: cursor %v: %v", who, c, err)
		case !valid && !errors.As(err, &reset):
			t.Errorf("%s: cursor %v of another log was served (%v)", who, c, err)
		case !valid && (reset.Reason != telemetry.ResetUnknown || reset.From != c):
			t.Errorf("%s: cursor %v: %+v", who, c, reset)
		}
	}
}

// TestCutWhileNobodyRuns: the writer has ended, the file is cut at a line's end,
// and more is appended by a new process than was cut.
func TestCutWhileNobodyRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := telemetry.NewLog(dir, telemetry.LogOptions{})
	var at telemetry.Cursor
	for range 10 {
		at = appendLine(t, first, line("before"))
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(logPath(dir), 2*int64(len(line("before"))+1)); err != nil {
		t.Fatal(err)
	}
	second := newLog(t, dir)
	for range 20 {
		if now := appendLine(t, second, line("before")); now.Log == at.Log {
			t.Fatalf("the cut log still is %s", now.Log)
		}
	}
	checkCursors(t, "reader", newLog(t, dir), []telemetry.Cursor{at}, false)
}

// TestForeignLog reads a log that only others wrote, without leaving a trace.
func TestForeignLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign(t, dir, string(line("one"))+"\n"+string(line("two"))+"\n")
	a, b := newLog(t, dir), newLog(t, dir)
	got, at := readAll(t, a, telemetry.Cursor{})
	equal(t, "lines", got, []string{string(line("one")), string(line("two"))})
	if end, err := b.End(t.Context()); err != nil || end != at {
		t.Errorf("two readers end at %v and %v, %v", at, end, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("reading left %v, %v", entries, err)
	}
	if next := appendLine(t, newLog(t, dir), line("three")); next.Log != at.Log {
		t.Errorf("the first writer calls it %s, readers %s", next.Log, at.Log)
	}
	more, _ := readAll(t, a, at)
	equal(t, "resumed", more, []string{string(line("three"))})
}

// TestBadMeta: whatever is in events.meta, lines are read and written; whatever is
// in events.lock, they are read, and a lock file of somebody else is not written to.
func TestBadMeta(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"", "{", "null", `{"log":""}`, `{"log":"../x","base":0,"segments":[]}`, `{"log":"0","base":0}`,
		`{"log":"abc","base":-1,"segments":[]}`, `{"log":"abc","base":5,"segments":[{"name":"../../etc/passwd","first":0,"end":5}]}`,
		`{"log":"abc","base":7,"segments":[{"name":"a","first":0,"end":5}]}`, `{"log":"abc","base":0,"segments":[],"head":{"bytes":999999999,"sum":""}}`,
	} {
		for _, name := range []string{"events.meta", "events.lock"} {
			t.Run(name+" "+content, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				appendLine(t, newLog(t, dir), line("one"))
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				got, at := readAll(t, newLog(t, dir), telemetry.Cursor{})
				equal(t, "lines", got, []string{string(line("one"))})
				if name == "events.lock" && content != "" {
					refusesLock(t, dir, content)
					return
				}
				if next := appendLine(t, newLog(t, dir), line("two")); next.Log != at.Log {
					t.Errorf("the writer calls it %s, the reader %s", next.Log, at.Log)
				}
				got, _ = readAll(t, newLog(t, dir), telemetry.Cursor{})
				equal(t, "lines", got, []string{string(line("one")), string(line("two"))})
			})
		}
	}
}

func refusesLock(t *testing.T, dir, content string) {
	t.Helper()
	l := newLog(t, dir)
	_, err := l.Append(t.Context(), line("two"), false)
	for what, err := range map[string]error{"append": err, "usable": l.Usable()} {
		if f := fault.From(err); f.Code != fault.StateUnusable || !strings.Contains(f.Message, "holds something else") || f.Hint == "" {
			t.Errorf("%s with a lock file that holds %q: %v", what, content, err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "events.lock")); err != nil || string(b) != content {
		t.Errorf("the lock file holds %q, %v", b, err)
	}
	equal(t, "lines", strings.Split(strings.TrimSpace(rawLog(t, dir)), "\n"), []string{string(line("one"))})
}

func TestCursorOfNoLog(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	l := newLog(t, dir)
	lines, next, err := l.ReadAfter(t.Context(), telemetry.Cursor{}, 0, 0)
	if lines != nil || !next.IsZero() || err != nil {
		t.Errorf("no log: %v, %v, %v", lines, next, err)
	}
	if lines, end, err := l.Last(t.Context(), 5, nil); lines != nil || !end.IsZero() || err != nil {
		t.Errorf("no log: last %v, %v, %v", lines, end, err)
	}
	checkCursors(t, "reader", l, []telemetry.Cursor{{Log: "abcdefgh", Pos: 12}}, false)
	appendLine(t, newLog(t, dir), line("one"))
	got, _ := readAll(t, l, next)
	equal(t, "the cursor before any log", got, []string{string(line("one"))})
}
