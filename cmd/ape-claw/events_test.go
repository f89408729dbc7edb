package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// follower is a running `events tail --follow --json`.
type follower struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    *bufio.Reader
	stderr bytes.Buffer
}

func (w *world) follow(args ...string) *follower {
	w.t.Helper()
	f := &follower{t: w.t, cmd: w.command(append([]string{"events", "tail", "--follow", "--json"}, args...)...)}
	f.cmd.Stderr = &f.stderr
	pipe, err := f.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	f.out = bufio.NewReaderSize(pipe, 2<<20)
	if err := f.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = f.cmd.Process.Kill(); _ = f.cmd.Wait() })
	return f
}

// next returns the payload's n of the next line.
func (f *follower) next() int {
	f.t.Helper()
	line, err := f.out.ReadBytes('\n')
	var e struct{ Payload struct{ N int } }
	if err == nil {
		err = json.Unmarshal(line, &e)
	}
	if err != nil {
		f.t.Fatalf("the follower said %q, %v\n%s", line, err, f.stderr.Bytes())
	}
	return e.Payload.N
}

func (f *follower) want(numbers ...int) {
	f.t.Helper()
	for _, n := range numbers {
		if got := f.next(); got != n {
			f.t.Fatalf("event %d came, want %d", got, n)
		}
	}
}

// end interrupts and returns the last line, which is the result, and what was said
// on stderr.
func (f *follower) end() (result map[string]any, stderr string) {
	f.t.Helper()
	if err := f.cmd.Process.Signal(os.Interrupt); err != nil {
		f.t.Fatal(err)
	}
	rest, err := io.ReadAll(f.out)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.cmd.Wait(); err != nil {
		f.t.Errorf("the follower ended with %v", err)
	}
	if err := json.Unmarshal(rest, &result); err != nil {
		f.t.Fatalf("the last line is %q: %v", rest, err)
	}
	return result, f.stderr.String()
}

func (w *world) emitN(numbers ...int) {
	w.t.Helper()
	for _, n := range numbers {
		w.run("events", "emit", "my.step.done", "--payload", fmt.Sprintf(`{"n":%d}`, n))
	}
}

func (w *world) log() string { return filepath.Join(w.dir, "state", "events.jsonl") }

// A follower has every event once over rotations, with nothing to say about them.
func TestTailFollowsOverRotations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env = append(w.env, "APE_CLAW_TELEMETRY_ROTATE_BYTES=4KiB")
	f := w.follow()
	pad := strings.Repeat("x", 1500)
	for n := range 12 {
		w.run("events", "emit", "my.step.done", "--payload", fmt.Sprintf(`{"n":%d,"pad":"%s"}`, n, pad))
	}
	f.want(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	segments, err := filepath.Glob(filepath.Join(w.dir, "state", "events-*.jsonl"))
	if err != nil || len(segments) < 2 {
		t.Errorf("the log was not rotated: %v", segments)
	}
	if result, stderr := f.end(); result["count"] != 12.0 || result["ok"] != true || stderr != "" {
		t.Errorf("%v\n%s", result, stderr)
	}
	if out := w.run("events", "query", "--limit", "0", "--json"); strings.Count(out, `"my.step.done"`) != 12 {
		t.Errorf("query over segments: %s", out)
	}
	if out := w.run("events", "export"); strings.Count(out, "\n") != 12 {
		t.Errorf("export over segments: %s", out)
	}
}

// A log that is cut is told of once, and what comes next is shown once. Foreign lines
// may be long and end as on other systems.
func TestTailFollowsACutLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.follow()
	w.emitN(1, 2)
	f.want(1, 2)
	if err := os.Truncate(w.log(), 0); err != nil {
		t.Fatal(err)
	}
	w.emitN(3)
	f.want(3)
	long := `{"payload":{"n":5,"pad":"` + strings.Repeat("x", 1<<20-100) + `"}}`
	tooLong := `{"payload":{"n":-1,"pad":"` + strings.Repeat("x", 20<<20) + `"}}`
	foreign, err := os.OpenFile(w.log(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	if _, err := io.WriteString(foreign, `{"payload":{"n":4}}`+"\r\n"+tooLong+"\n\x00\x00\x00\n"+long+"\n"); err != nil {
		t.Fatal(err)
	}
	f.want(4, 5)
	w.emitN(6)
	f.want(6)
	result, stderr := f.end()
	if result["count"] != 6.0 || result["badLines"] != 2.0 {
		t.Errorf("%v", result)
	}
	if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "the log was cut or replaced") {
		t.Errorf("stderr: %s", stderr)
	}
}

// A reader that has enough ends a listing without a word.
func TestListingsEndWithTheirReader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.MkdirAll(filepath.Dir(w.log()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.log(), bytes.Repeat([]byte(`{"ts":1771416000,"eventType":"a.b"}`+"\n"), 20000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"export"}, {"export", "--format", "csv"}, {"query", "--limit", "0"}, {"tail", "--lines", "20000"}, {"tail", "--follow", "--json", "--lines", "20000"}} {
		cmd := w.command(append([]string{"events"}, args...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(pipe, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		if err := pipe.Close(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // by SIGPIPE, as any tool in a pipe
		if stderr.Len() > 0 {
			t.Errorf("events %v says %s", args, &stderr)
		}
	}
}

// source writes the log of another machine: n events, numbered.
func (w *world) source(n int) string {
	w.t.Helper()
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"ts":%d,"eventType":"old.step","payload":{"n":%d}}`+"\n", 1771416000+i, i)
	}
	path := filepath.Join(w.dir, "old.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// An import that is killed, at any point and as often as that happens, has every
// event in the log once and in order when one of them comes to its end.
func TestImportIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const n = 3000
	path := w.source(n)
	for kill := range 4 {
		cmd := w.command("events", "import", path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		grown := int64(kill+1) * 60_000
		for deadline := time.Now().Add(20 * time.Second); ; {
			if fi, err := os.Stat(w.log()); err == nil && fi.Size() > grown || time.Now().After(deadline) {
				break
			}
		}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
	w.run("events", "import", path)
	var got []int
	for _, line := range w.logLines() {
		var e struct {
			EventType string
			Payload   struct{ N int }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			continue // the line that the kill tore
		}
		if e.EventType == "old.step" {
			got = append(got, e.Payload.N)
		}
	}
	for i, v := range got {
		if i != v {
			t.Fatalf("event %d stands where %d belongs", v, i)
		}
	}
	if len(got) != n {
		t.Errorf("%d events of %d", len(got), n)
	}
}

// An interrupted export leaves no file, says so, and is no failure to be recorded.
func TestExportIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.MkdirAll(filepath.Dir(w.log()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.log(), bytes.Repeat([]byte(`{"ts":1771416000,"eventType":"a.b","payload":{"pad":"`+strings.Repeat("x", 400)+`"}}`+"\n"), 200_000), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(w.dir, "out", "events.csv")
	if err := os.Mkdir(filepath.Dir(out), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := w.command("events", "export", "--format", "csv", "--out", out, "--json")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; { // it has begun
		if left, _ := os.ReadDir(filepath.Dir(out)); len(left) > 0 || time.Now().After(deadline) {
			break
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	left, _ := os.ReadDir(filepath.Dir(out))
	if status(err) != 130 || len(left) != 0 || !strings.Contains(stdout.String(), "interrupted: out/events.csv was not written") {
		t.Errorf("exit %d, left %v\n%s", status(err), left, &stdout)
	}
	if lines := w.logLines(); len(lines) != 200_000 {
		t.Errorf("the log has %d lines", len(lines))
	}
}

// Memory stays flat however large the log is: what an export has taken by its first
// megabyte is nearly all that it ever takes.
func TestExportIsFlat(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process that still runs is read from /proc")
	}
	w := newWorld(t)
	if err := os.MkdirAll(filepath.Dir(w.log()), 0o700); err != nil {
		t.Fatal(err)
	}
	line := []byte(`{"ts":1771416000,"eventType":"a.b","payload":{"pad":"` + strings.Repeat("x", 400) + `"}}` + "\n")
	if err := os.WriteFile(w.log(), bytes.Repeat(line, 130_000), 0o600); err != nil { // 60 MB
		t.Fatal(err)
	}
	for _, format := range []string{"jsonl", "csv"} {
		cmd := w.command("events", "export", "--format", format)
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		peakAfter := func(bytes int64) int64 {
			if _, err := io.CopyN(io.Discard, pipe, bytes); err != nil {
				t.Fatal(err)
			}
			return peak(t, cmd.Process.Pid) // it waits for us: the pipe is full
		}
		first := peakAfter(1 << 20)
		if last := peakAfter(48 << 20); last-first > 24<<20 {
			t.Errorf("%s: %d MiB more for 48", format, (last-first)>>20)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
}

// peak is the most memory that a process has held.
func peak(t *testing.T, pid int) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
