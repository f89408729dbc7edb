package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is a directory with a home of its own to run the binary in.
type world struct {
	t   *testing.T
	dir string
	env []string
}

func newWorld(t *testing.T) *world {
	dir := t.TempDir()
	return &world{t, dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "user"), "HTTPS_PROXY=http://127.0.0.1:1"}}
}

func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.t.Context(), "ape-claw", args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

func (w *world) run(args ...string) string {
	w.t.Helper()
	out, err := w.command(args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("ape-claw %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// serve starts the server and returns its address and a function that kills it.
func (w *world) serve() (url string, kill func()) {
	w.t.Helper()
	cmd := w.command("serve", "--addr", "127.0.0.1:0", "--json")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	kill = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	w.t.Cleanup(kill)
	var first struct{ URL string }
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || json.Unmarshal([]byte(line), &first) != nil || first.URL == "" {
		w.t.Fatalf("serve said %q, %v", line, err)
	}
	return first.URL, kill
}

// frames reads n events of a stream from a cursor, and returns their data and the last id.
func (w *world) frames(url, last string, n int) (data []string, id string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		b, _ := io.ReadAll(resp.Body)
		w.t.Fatalf("%s: %s %s", url, resp.Status, b)
	}
	r := bufio.NewReader(resp.Body)
	for len(data) < n {
		line, err := r.ReadString('\n')
		if err != nil {
			w.t.Fatalf("after %d of %d events: %v", len(data), n, err)
		}
		switch {
		case strings.HasPrefix(line, "id: "):
			id = strings.TrimSpace(line[4:])
		case strings.HasPrefix(line, "data: "):
			data = append(data, strings.TrimSuffix(line[6:], "\n"))
		case strings.HasPrefix(line, "event: "):
			w.t.Fatalf("a named frame: %s", line)
		}
	}
	return data, id
}

func (w *world) logLines() []string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, "state", "events.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	// Who reads while a line is written may see its beginning.
	return strings.Split(string(b[:max(bytes.LastIndexByte(b, '\n'), 0)]), "\n")
}

// What commands write arrives on the stream of another process, byte for byte,
// and a client that comes back with its last id has every event once, although
// the server was killed and started again in between.
func TestStreamCarriesTheLogOverARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	emit := func(from, to int) {
		for i := from; i < to; i++ {
			w.run("events", "emit", "test.step.done", "--payload", fmt.Sprintf(`{"n":%d,"text":"ünï <&> %d"}`, i, i))
		}
	}
	emit(0, 3)
	url, kill := w.serve()
	got, _ := w.frames(url+"/events?backlog=10", "", 3)
	live := make(chan struct{})
	var later []string
	var last string
	_, at := w.frames(url+"/events?backlog=1", "", 1)
	go func() {
		defer close(live)
		later, last = w.frames(url+"/events", at, 2)
	}()
	emit(3, 5)
	<-live
	got = append(got, later...)
	kill()
	emit(5, 8)
	url, _ = w.serve()
	again, _ := w.frames(url+"/events", last, 3)
	got = append(got, again...)
	if want := w.logLines(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the stream had\n%s\nthe log has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The page is served whole from the binary, under a policy that runs no inline script.
func TestPageIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	url, _ := w.serve()
	resp, err := http.Get(url + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	csp := resp.Header.Get("Content-Security-Policy")
	if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), "<html") || !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("%v %s CSP %q", err, resp.Status, csp)
	}
	req, _ := http.NewRequest(http.MethodGet, url+"/api/health", nil)
	req.Host = "evil.example"
	resp2, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp2.Body.Close()
	if resp2.StatusCode != http.StatusForbidden {
		t.Errorf("a foreign Host header: %s", resp2.Status)
	}
}
