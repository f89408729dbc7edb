package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// bigLog writes a log of n events of 64 KiB, numbered.
func bigLog(t *testing.T, n int) (stateDir string) {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	pad := strings.Repeat("x", 64<<10)
	for i := range n {
		if _, err := fmt.Fprintf(f, `{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"a.b","agentId":"a","sessionId":"s","traceId":"t%d","command":"x","dryRun":true,"chainId":1,"payload":{"pad":"%s"},"result":{},"ok":true,"error":null}`+"\n", i, pad); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// inState runs a command on a state directory.
func inState(t *testing.T, dir string, host Host, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	home := t.TempDir()
	var out, errs bytes.Buffer
	host.Stdin, host.Stderr = strings.NewReader(""), &errs
	if host.Stdout == nil {
		host.Stdout = &out
	}
	if host.Now == nil {
		host.Now = testClock
	}
	host.Env = func(k string) (string, bool) { return home, k == "HOME" }
	code = Run(context.Background(), append(args, "--state-dir", dir), host)
	return code, out.String(), errs.String()
}

// answerDoc is what the listings print with --json.
type answerDoc struct {
	OK        bool
	Count     int
	Cursor    string
	Truncated bool
	Next      string
	Events    []struct{ TraceID string }
}

// One document holds so much and no more; it says so, and how to go on finds the rest.
func TestListingsAreBounded(t *testing.T) {
	t.Parallel()
	const n = 300 // some 19 MiB
	dir := bigLog(t, n)
	get := func(args ...string) (doc answerDoc, stderr string) {
		code, stdout, stderr := inState(t, dir, Host{}, append(args, "--json")...)
		if err := json.Unmarshal([]byte(stdout), &doc); code != 0 || err != nil || !doc.OK || doc.Count != len(doc.Events) {
			t.Fatalf("%v: exit %d, %v, %d of %d events", args, code, err, len(doc.Events), doc.Count)
		}
		if len(stdout) > queryBytes+1<<20 {
			t.Errorf("%v: the document has %d bytes", args, len(stdout))
		}
		return doc, stderr
	}
	var seen []string
	after := "0-0"
	for page := 0; ; page++ {
		doc, stderr := get("events", "query", "--limit", "0", "--after", after)
		for _, e := range doc.Events {
			seen = append(seen, e.TraceID)
		}
		if after = doc.Cursor; !doc.Truncated {
			break
		}
		if page > 0 || !strings.Contains(doc.Next, "--after "+doc.Cursor) || !strings.Contains(stderr, "cut at 16 MiB") {
			t.Errorf("page %d: next %q, stderr %s", page, doc.Next, stderr)
		}
	}
	for i, id := range seen {
		if id != fmt.Sprintf("t%d", i) {
			t.Fatalf("event %d is %s", i, id)
		}
	}
	if len(seen) != n {
		t.Errorf("%d of %d events", len(seen), n)
	}
	for _, args := range [][]string{{"events", "query", "--limit", "1000"}, {"events", "tail", "--lines", "1000"}} {
		doc, stderr := get(args...)
		if !doc.Truncated || doc.Count == 0 || doc.Events[doc.Count-1].TraceID != "t299" || !strings.Contains(stderr, "older") {
			t.Errorf("%v: %d events, truncated %v, stderr %s", args, doc.Count, doc.Truncated, stderr)
		}
	}
	doc, _ := get("events", "tail", "--after", "0-0")
	if !doc.Truncated || doc.Events[0].TraceID != "t0" {
		t.Errorf("tail --after: truncated %v", doc.Truncated)
	}
	if last := doc.Events[doc.Count-1].TraceID; last != fmt.Sprintf("t%d", doc.Count-1) {
		t.Errorf("tail --after: the last of %d events is %s", doc.Count, last)
	}
	// Text is not held, so nothing is cut.
	if code, stdout, stderr := inState(t, dir, Host{}, "events", "query", "--limit", "0"); code != 0 || strings.Count(stdout, "\n") != n || stderr != "" {
		t.Errorf("text: exit %d, %d lines, %s", code, strings.Count(stdout, "\n"), stderr)
	}
}

// Progress is for a terminal, and for one that the events do not go to as well.
func TestProgress(t *testing.T) {
	t.Parallel()
	dir := bigLog(t, 80)
	clock := func() func() time.Time {
		now := testClock()
		return func() time.Time { now = now.Add(time.Second); return now }
	}
	out := filepath.Join(t.TempDir(), "x.jsonl")
	for _, c := range []struct {
		name string
		host Host
		args []string
		want string
	}{
		{"a file", Host{StderrTTY: true, StdoutTTY: true}, []string{"events", "export", "--force", "--out", out}, "export  "},
		{"a pipe", Host{StderrTTY: true, Stdout: io.Discard}, []string{"events", "export"}, "export  "},
		{"the terminal itself", Host{StderrTTY: true, StdoutTTY: true, Stdout: io.Discard}, []string{"events", "export"}, ""},
		{"no terminal", Host{}, []string{"events", "export", "--force", "--out", out}, ""},
		{"an import", Host{StderrTTY: true}, []string{"events", "import", "--dry-run", filepath.Join(dir, "events.jsonl")}, "check  "},
	} {
		c.host.Now = clock()
		code, _, stderr := inState(t, dir, c.host, c.args...)
		if code != 0 || c.want == "" && stderr != "" {
			t.Errorf("%s: exit %d, %q", c.name, code, stderr)
		}
		if c.want != "" && (!strings.Contains(stderr, "\r"+c.want) || !strings.Contains(stderr, " MiB  ") || !strings.HasSuffix(stderr, " \r")) {
			t.Errorf("%s: %q", c.name, stderr)
		}
	}
}

func TestShowBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 64 << 20: "64.0 MiB", 5<<30 + 1<<29: "5.5 GiB", 3 << 40: "3.0 TiB"} {
		if got := showBytes(n); got != want {
			t.Errorf("showBytes(%d) = %q, want %q", n, got, want)
		}
	}
}

// What comes to the place of an export while it is written is kept.
func TestOutFileReplacesNothingThatCame(t *testing.T) {
	t.Parallel()
	for _, force := range []bool{false, true} {
		dir := t.TempDir()
		path, other := filepath.Join(dir, "out"), filepath.Join(dir, "other")
		begin := func() *outFile {
			o, err := newOutFile(path, filepath.Join(dir, "state"), force)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := o.WriteString("new"); err != nil {
				t.Fatal(err)
			}
			return o
		}
		read := func(path string) string { b, _ := os.ReadFile(path); return string(b) }
		o := begin()
		if err := os.WriteFile(path, []byte("came"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := o.commit()
		if force && (err != nil || read(path) != "new") || !force && (fault.CodeOf(err) != fault.Conflict || read(path) != "came") {
			t.Errorf("a file, force %v: %v, %q", force, err, read(path))
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		o = begin()
		if err := os.Symlink(other, path); err != nil {
			t.Fatal(err)
		}
		if err := o.commit(); err == nil || read(other) != "" {
			t.Errorf("a link, force %v: %v, %q", force, err, read(other))
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != 1 {
			t.Errorf("left: %v", left)
		}
	}
}
