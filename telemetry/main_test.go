package telemetry_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/telemetry"
)

// childEnv makes the test binary play a part instead of running tests.
const childEnv = "APE_CLAW_TEST_CHILD"

func TestMain(m *testing.M) {
	if part := os.Getenv(childEnv); part != "" {
		os.Exit(runChild(part, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// child returns the test binary playing part.
func child(t testing.TB, part string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), childEnv+"="+part)
	cmd.Stderr = os.Stderr
	return cmd
}

func newLog(t testing.TB, dir string) *telemetry.Log {
	t.Helper()
	l := telemetry.NewLog(dir, telemetry.LogOptions{})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// line is a line of the log: no envelope, but whole JSON.
func line(format string, args ...any) []byte {
	return fmt.Appendf(nil, `{"id":%q}`, fmt.Sprintf(format, args...))
}

func appendLine(t testing.TB, l *telemetry.Log, b []byte) telemetry.Cursor {
	t.Helper()
	at, err := l.Append(t.Context(), b, false)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func logPath(dir string) string { return filepath.Join(dir, "events.jsonl") }

// foreign appends raw bytes as a program does that takes no lock.
func foreign(t testing.TB, dir, raw string) {
	t.Helper()
	f, err := os.OpenFile(logPath(dir), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(raw); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func rawLog(t testing.TB, dir string) string {
	t.Helper()
	b, err := os.ReadFile(logPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// texts returns the lines' bytes.
func texts(lines []telemetry.Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = string(l.Data)
	}
	return out
}

// readAll follows the log from a cursor to its end, in small steps.
func readAll(t testing.TB, l *telemetry.Log, from telemetry.Cursor) ([]string, telemetry.Cursor) {
	t.Helper()
	var out []string
	for {
		lines, next, err := l.ReadAfter(t.Context(), from, 3, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, texts(lines)...)
		if next == from {
			return out, next
		}
		from = next
	}
}

func equal(t testing.TB, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != len(want) {
		t.Errorf("%s: got %d:\n%s\nwant %d:\n%s", what, len(got), show(got), len(want), show(want))
	}
}

func show(lines []string) string {
	var b bytes.Buffer
	for _, l := range lines {
		if len(l) > 200 {
			l = l[:200] + "…"
		}
		fmt.Fprintf(&b, "  %s\n", l)
	}
	return b.String()
}

// failSync is a disk that can't sync.
func failSync(*os.File) error { return errSync }
