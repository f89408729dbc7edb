package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// guarded is a running "serve --require-auth" and what it wrote to stderr.
type guarded struct {
	w      *world
	url    string
	stop   func() // as Ctrl-C does
	stderr *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (w *world) serveGuarded(args ...string) *guarded {
	w.t.Helper()
	cmd := w.command(append([]string{"serve", "--addr", "127.0.0.1:0", "--require-auth", "--json", "--log-level", "debug"}, args...)...)
	g := &guarded{w: w, stderr: &lockedBuffer{}}
	cmd.Stderr = g.stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	g.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, out)
		// A test that failed has its context ended, and so its server killed.
		if err := cmd.Wait(); err != nil && w.t.Context().Err() == nil {
			w.t.Errorf("serve: %v\n%s", err, g.stderr)
		}
	})
	w.t.Cleanup(g.stop)
	var first struct {
		URL          string
		AuthRequired bool
	}
	line, err := out.ReadString('\n')
	if err != nil || json.Unmarshal([]byte(line), &first) != nil || !first.AuthRequired {
		w.t.Fatalf("serve said %q, %v", line, err)
	}
	g.url = first.URL
	return g
}

func (g *guarded) do(method, path, body string, header ...string) *http.Response {
	g.w.t.Helper()
	req, err := http.NewRequestWithContext(g.w.t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		g.w.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		g.w.t.Fatal(err)
	}
	g.w.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func (w *world) registered(id string) (token string) {
	w.t.Helper()
	var out struct{ Token string }
	if err := json.Unmarshal([]byte(w.run("clawbot", "register", "--agent-id", id, "--json")), &out); err != nil || out.Token == "" {
		w.t.Fatalf("register: %v", err)
	}
	return out.Token
}

// The whole life of an agent beside a running server, each step by a process of
// its own.
func TestServeKnowsItsAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.serveGuarded()
	if resp := g.do("GET", "/events", ""); resp.StatusCode != 401 {
		t.Errorf("nobody: %s", resp.Status)
	}
	if !strings.Contains(g.stderr.String(), "clawbot register") {
		t.Errorf("a server that nobody can log in to says %q", g.stderr)
	}
	token := w.registered("bot-1") // while it runs
	mine := []string{"X-Agent-Id", "bot-1", "X-Agent-Token", token}
	if resp := g.do("GET", "/events/backlog", "", mine...); resp.StatusCode != 200 {
		t.Errorf("a new agent: %s", resp.Status)
	}
	resp := g.do("POST", "/api/session", `{"agentId":"bot-1","token":"`+token+`"}`, "Content-Type", "application/json", "Origin", g.url)
	if resp.StatusCode != 200 || len(resp.Cookies()) != 1 {
		t.Fatalf("log-in: %s", resp.Status)
	}
	cookie := resp.Cookies()[0].Name + "=" + resp.Cookies()[0].Value
	for _, query := range []string{"?token=" + token, "?x-agent-token=" + token, "?q=" + token, "?access_token=canary-token-1"} {
		if resp := g.do("GET", "/events"+query, ""); resp.StatusCode != 400 {
			t.Errorf("a token in the URL: %s", resp.Status)
		}
	}
	// A restart keeps people logged in.
	g.stop()
	for _, secret := range []string{token, "canary-token", cookie[len("ape_claw_session="):]} {
		if strings.Contains(g.stderr.String(), secret) {
			t.Errorf("a secret is logged: %s", g.stderr)
		}
	}
	g = w.serveGuarded()
	if strings.Contains(g.stderr.String(), "clawbot register") {
		t.Errorf("a server that has an agent says %q", g.stderr)
	}
	if resp := g.do("GET", "/events/backlog", "", "Cookie", cookie); resp.StatusCode != 200 {
		t.Errorf("the session after a restart: %s", resp.Status)
	}
	// Revocation ends what is open.
	var streams []*http.Response
	for _, header := range [][]string{mine, {"Cookie", cookie}} {
		resp := g.do("GET", "/events", "", header...)
		if resp.StatusCode != 200 {
			t.Fatalf("stream: %s", resp.Status)
		}
		streams = append(streams, resp)
	}
	w.run("clawbot", "revoke", "--agent-id", "bot-1")
	for _, s := range streams {
		done := make(chan error, 1)
		go func() { _, err := io.Copy(io.Discard, s.Body); done <- err }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatal("a stream outlives its credentials")
		}
	}
	if resp := g.do("GET", "/events/backlog", "", mine...); resp.StatusCode != 403 {
		t.Errorf("revoked: %s", resp.Status)
	}
	if resp := g.do("GET", "/events/backlog", "", "Cookie", cookie); resp.StatusCode != 401 {
		t.Errorf("a session of a revoked agent: %s", resp.Status)
	}
	g.stop()
	for _, line := range w.logLines() {
		if strings.Contains(line, token) || strings.Contains(line, "canary-token") {
			t.Errorf("an event holds a secret: %s", line)
		}
	}
}

// Without a state directory a server answers, and makes none.
func TestServeMakesNoDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.serveGuarded()
	if resp := g.do("GET", "/events/backlog", "", "X-Agent-Id", "bot-1", "X-Agent-Token", "claw_nobody"); resp.StatusCode != 403 {
		t.Errorf("an unknown agent: %s", resp.Status)
	}
	if resp := g.do("GET", "/api/session", "", "Cookie", "ape_claw_session=x"); resp.StatusCode != 200 {
		t.Errorf("a session of nobody: %s", resp.Status)
	}
	g.stop()
	if _, err := os.Stat(w.dir + "/state"); !os.IsNotExist(err) {
		t.Errorf("the state directory: %v", err)
	}
}
