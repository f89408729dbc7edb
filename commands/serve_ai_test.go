package commands

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/telemetry/agents"
)

// servedWorld is a server with its AI part, in a home of its own.
type servedWorld struct {
	t                *testing.T
	url, token, home string
	d                *Deps
	end              func()
}

func startServed(t *testing.T) *servedWorld {
	t.Helper()
	dir := t.TempDir()
	w := &servedWorld{t: t, home: filepath.Join(dir, "home")}
	env := map[string]string{"APE_CLAW_HOME": w.home, "APE_CLAW_STATE_DIR": filepath.Join(dir, "state"), "HOME": dir}
	w.d = newDeps(Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Now: time.Now,
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	w.d.spec = Spec{Name: "serve", Quiet: true}
	newRoot(w.d)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	part := w.d.newServedAI(ctx)
	srv, err := w.d.newServerWith(ServeIn{Addr: "127.0.0.1:0"}, part)
	if err != nil {
		t.Fatal(err)
	}
	if part.tokenPath(ctx) == "" {
		t.Fatal("no token of the operator")
	}
	b, err := os.ReadFile(filepath.Join(w.home, "operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	w.url, w.token = srv.URL(), strings.TrimSpace(string(b))
	done := make(chan error, 1)
	go func() { done <- part.serve(ctx, srv.Serve) }()
	w.end = sync.OnceFunc(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		part.drain()
		w.d.close()
	})
	t.Cleanup(w.end)
	return w
}

// A server does not wait for a model: whoever ends it in the middle of an answer gets
// its shell back, and the turn is over.
func TestAServerEndsInTheMiddleOfATurn(t *testing.T) {
	t.Parallel()
	w := startServed(t)
	asked, hold := make(chan struct{}, 4), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		if len(asked) < 2 {
			rw.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(rw, `{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"hello"}}]}`)
			return
		}
		<-hold
	}))
	defer slow.Close()
	defer close(hold)
	conns, err := w.d.aiConnections()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conns.Add(t.Context(), connection.AddIn{Name: "slow", Service: "other", BaseURL: slow.URL + "/v1", Model: "m", KeyFree: true}); err != nil {
		t.Fatal(err)
	}
	talk, err := w.d.aiChat()
	if err != nil {
		t.Fatal(err)
	}
	turn, err := talk.Send(t.Context(), chat.SendIn{Text: "hi"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	status, body, _ := w.ask("POST", "/api/ai/rooms/"+turn.Room+"/messages", `{"text":"take your time"}`, "X-Agent-Id", agents.Operator, "X-Agent-Token", w.token)
	if status != http.StatusAccepted {
		t.Fatalf("%d %v", status, body)
	}
	for len(asked) < 2 {
		select {
		case <-t.Context().Done():
			t.Fatal("the model was not asked")
		case <-time.After(10 * time.Millisecond):
		}
	}
	w.end() // would wait until hold is closed
}

// ask calls with headers as pairs and returns status and body.
func (w *servedWorld) ask(method, path, body string, header ...string) (int, map[string]any, *http.Response) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	tr := &http.Transport{DisableKeepAlives: true}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	out := map[string]any{}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = json.Unmarshal(b, &out) // an MCP answer may be none
	return resp.StatusCode, out, resp
}

func TestServedToTheOperatorAlone(t *testing.T) {
	t.Parallel()
	w := startServed(t)
	_, bot, err := w.d.registry().Register(t.Context(), "bot-1", "")
	if err != nil {
		t.Fatal(err)
	}
	operator := []string{"X-Agent-Id", agents.Operator, "X-Agent-Token", w.token}
	for _, tt := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		code                     string
	}{
		{"nobody", "GET", "/api/ai/actions", "", nil, 401, "auth"},
		{"an agent", "GET", "/api/ai/actions", "", []string{"X-Agent-Id", "bot-1", "X-Agent-Token", bot}, 403, "permission_denied"},
		{"an agent that calls itself operator", "GET", "/api/ai/actions", "", []string{"X-Agent-Id", "operator", "X-Agent-Token", bot}, 403, "auth"},
		{"the operator", "GET", "/api/ai/actions", "", operator, 200, ""},
		{"its kill switch", "GET", "/api/ai/kill", "", operator, 200, ""},
		{"another method", "PUT", "/api/ai/kill", "", operator, 405, "usage"},
		{"another site", "POST", "/api/ai/kill", "{}", append([]string{"Origin", "https://evil.example"}, operator...), 403, "auth"},
		{"another name of the host", "GET", "/api/ai/actions", "", append([]string{"X-Forwarded-For", "203.0.113.9"}, operator...), 200, ""},
		{"before there is a passphrase", "POST", "/api/ai/actions/act_1/approve", "{}", operator, 401, "reauth_required"},
		{"an action that is not there", "POST", "/api/ai/actions/act_1/reject", `{"reason":""}`, operator, 404, "not_found"},
		{"too much", "POST", "/api/ai/kill", `{"reason":"` + strings.Repeat("a", 1<<20) + `"}`, operator, 413, "usage"},
		{"MCP without a token", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, 401, "auth"},
		{"MCP with the operator's", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Authorization", "Bearer " + w.token}, 401, "auth"},
	} {
		status, body, _ := w.ask(tt.method, tt.path, tt.body, tt.header...)
		if code, _ := body["code"].(string); status != tt.status || code != tt.code {
			t.Errorf("%s: %d %v, want %d %s", tt.name, status, body, tt.status, tt.code)
		}
	}
}

// The token alone approves nothing, nor does a log-in before it was given the
// passphrase; one that was is another log-in's business.
func TestALogInIsProvedByItself(t *testing.T) {
	t.Parallel()
	w := startServed(t)
	op, err := w.d.aiOperator()
	if err != nil {
		t.Fatal(err)
	}
	if err := op.Init(t.Context(), "", "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	login := func() []string {
		status, body, resp := w.ask("POST", "/api/session", `{"agentId":"operator","token":"`+w.token+`"}`, "Origin", w.url)
		if status != 200 || len(resp.Cookies()) != 1 {
			t.Fatalf("log-in: %d %v", status, body)
		}
		c := resp.Cookies()[0]
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
			t.Errorf("cookie %v", c)
		}
		return []string{"Cookie", c.Name + "=" + c.Value, "Origin", w.url}
	}
	mine, other := login(), login()
	code := func(header []string, path, body string) string {
		_, out, _ := w.ask("POST", path, body, header...)
		c, _ := out["code"].(string)
		return c
	}
	const approve = "/api/ai/actions/act_1/approve"
	if c := code(mine, approve, "{}"); c != "reauth_required" {
		t.Errorf("before the passphrase: %s", c)
	}
	if c := code(mine, "/api/ai/auth/reauth", `{"passphrase":"something else"}`); c != "reauth_required" {
		t.Errorf("a wrong one: %s", c)
	}
	if shown := w.d.redactor().String("something else"); shown != "something else" {
		t.Errorf("a wrong one is kept out of the log from now on: %s", shown)
	}
	if c := code(mine, "/api/ai/auth/reauth", `{"passphrase":"correct horse battery"}`); c != "" {
		t.Errorf("the right one: %s", c)
	}
	if shown := w.d.redactor().String("correct horse battery"); strings.Contains(shown, "horse") {
		t.Errorf("the right one is shown: %s", shown)
	}
	if c := code(mine, approve, "{}"); c != "not_found" {
		t.Errorf("after it: %s", c)
	}
	if c := code(other, approve, "{}"); c != "reauth_required" {
		t.Errorf("another log-in: %s", c)
	}
	// The cookie does not count for a page elsewhere, nor after the log-out.
	if status, _, _ := w.ask("POST", "/api/ai/kill", "{}", "Cookie", mine[1], "Origin", "https://evil.example"); status != 403 {
		t.Errorf("from elsewhere: %d", status)
	}
	if status, _, _ := w.ask("DELETE", "/api/session", "", mine...); status != 200 {
		t.Errorf("log-out: %d", status)
	}
	if status, _, _ := w.ask("GET", "/api/ai/actions", "", mine...); status != 401 {
		t.Errorf("after the log-out: %d", status)
	}
}
