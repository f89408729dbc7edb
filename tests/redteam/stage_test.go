package redteam_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/commands"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/store"
)

// Secrets that stand in every place that holds one. They are of the forms that the
// product takes, and none is a part of another.
const (
	canaryPass    = "canary passphrase zebra quilt 9"
	canaryModel   = "canary-model-key-5f3b/with+signs=7"
	canaryMarket  = "canary-market-key-8d1e4f"
	canaryEnv     = "canary-env-model-key-2c9a77"
	canaryRelay   = "canary-relay-key-6b6b31"
	canaryAgent   = "claw_canaryagenttoken00000000000000000000001"
	canaryPrivate = "c0ffee5eed00000000000000000000000000000000000000000000000000c0de"
)

// stage is what all cases share: a chain with its marketplace, and a home that others
// are copied from.
type stage struct {
	world  *sandbox.World
	models *httptest.Server // the one address of the connection; the model's name says whose script answers
	mu     sync.Mutex
	play   map[string]http.Handler

	template string // a home with passphrase, connections and tokens
	tokens   map[string]string
	operator string
	agent    string // token of the registered agent scout
}

func newStage(t *testing.T) *stage {
	t.Helper()
	w, err := sandbox.Start(t.Context(), sandbox.Options{Home: t.TempDir(), Listings: 6, Tokens: 30, Rate: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &stage{world: w, play: map[string]http.Handler{}, tokens: map[string]string{}}
	s.models = httptest.NewServer(http.HandlerFunc(s.route))
	t.Cleanup(s.models.Close)
	s.prepare(t)
	return s
}

// route hands a request to the script of the model that it names.
func (s *stage) route(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	if err != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	var asked struct{ Model string }
	_ = json.Unmarshal(body, &asked) // a request without a model has no script
	s.mu.Lock()
	h := s.play[asked.Model]
	s.mu.Unlock()
	if h == nil {
		http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.ServeHTTP(w, r)
}

// plays starts a script under a model's name.
func (s *stage) plays(t *testing.T, name string, script model.Script) *model.Server {
	t.Helper()
	srv, err := model.Start(context.WithoutCancel(t.Context()), model.Options{Script: script, Key: canaryModel})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	s.serves(t, name, proxyTo(t, strings.TrimSuffix(srv.URL, "/v1")))
	return srv
}

func (s *stage) serves(t *testing.T, name string, h http.Handler) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.play[name] = h
}

func proxyTo(t *testing.T, base string) *httputil.ReverseProxy {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) }}
}

// prepare makes the template home, as a person does.
func (s *stage) prepare(t *testing.T) {
	t.Helper()
	p := &place{t: t, s: s, dir: t.TempDir()}
	p.settle(nil)
	s.template = p.home
	person := &typist{answers: func(string) string { return canaryPass }}
	p.must(person, "ai", "auth", "init")
	p.stdin = canaryModel + "\n"
	p.must(person, "ai", "connections", "add", "--preset", "other", "--base-url", s.models.URL+"/v1", "--name", "main", "--model", "m", "--key-stdin", "--default")
	p.stdin = ""
	p.must(person, "ai", "connections", "add", "--preset", "other", "--base-url", s.models.URL+"/v1", "--name", "byenv", "--model", "m", "--key-env", "CANARY_MODEL_KEY")
	for name, tools := range map[string]string{"desk": "all", "reader": "read_only"} {
		var out struct{ Token string }
		p.doc(&out, person, "ai", "mcp", "token", "new", "--name", name, "--tools", tools)
		s.tokens[name] = out.Token
	}
	var out struct{ Token string }
	p.doc(&out, person, "clawbot", "register", "--agent-id", "scout")
	s.agent = out.Token
	if s.tokens["desk"] == "" || s.tokens["reader"] == "" || s.agent == "" {
		t.Fatalf("tokens: %v %q", s.tokens, s.agent)
	}
	s.operator = p.operatorToken()
}

// place is the world of one case: a home, a state directory, and a marketplace and a
// node that an attacker stands in front of.
type place struct {
	t     *testing.T
	s     *stage
	dir   string // HOME and working directory
	home  string // APE_CLAW_HOME
	own   string // the sandbox profile's home, in it
	state string
	env   map[string]string
	stdin string
	wire  *wire

	mu    sync.Mutex
	shown []shown
	wrong []string
}

// bad notes what is wrong beside what the judge looks at.
func (p *place) bad(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrong = append(p.wrong, "TRIED: "+fmt.Sprintf(format, args...))
}

// shown is something that left the product.
type shown struct {
	what     string
	text     string
	terminal bool // as a person reads it
	tool     bool // a tool's result, as a model gets it
}

func (p *place) saw(sh shown) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = append(p.shown, sh)
}

func (p *place) all() []shown {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]shown(nil), p.shown...)
}

// settle makes the directories. The sandbox is found through a copy of its
// current.json, which leads through the attacker.
func (p *place) settle(files map[string][]byte) {
	t := p.t
	t.Helper()
	p.home, p.state = filepath.Join(p.dir, "home"), filepath.Join(p.dir, "state")
	p.own = filepath.Join(p.home, "sandbox")
	if err := os.MkdirAll(p.own, 0o700); err != nil {
		t.Fatal(err)
	}
	shared := p.s.world.Current().Home
	p.wire = newWire(t, p.s)
	var current map[string]any
	b, err := os.ReadFile(filepath.Join(shared, "current.json"))
	if err == nil {
		err = json.Unmarshal(b, &current)
	}
	if err != nil {
		t.Fatal(err)
	}
	current["home"], current["rpcUrl"], current["marketUrl"], current["marketKey"] = p.own, p.wire.url+"/rpc", p.wire.url, canaryMarket
	if b, err = json.Marshal(current); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.own, "current.json"), b)
	for _, name := range []string{"policy.json", "allowlist.json"} {
		b, err := os.ReadFile(filepath.Join(shared, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(p.own, name), b)
	}
	write(t, filepath.Join(p.home, "auth.json"), fmt.Appendf(nil, `{"agentId":"scout","agentToken":%q,"openseaApiKey":%q,"privateKey":"0x%s"}`, canaryAgent, canaryMarket+"-main", canaryPrivate))
	if p.s.template != "" {
		for _, name := range []string{"ai.db", "ai.key", "operator.token", "agents.json"} {
			b, err := os.ReadFile(filepath.Join(p.s.template, "sandbox", name))
			if err == nil {
				write(t, filepath.Join(p.own, name), b)
			}
		}
	}
	for name, b := range files {
		write(t, filepath.Join(p.dir, name), b)
	}
	l, ok, err := store.TryLock(filepath.Join(p.own, "lock"))
	if err != nil || !ok {
		t.Fatalf("the sandbox's lock: %v %v", ok, err)
	}
	t.Cleanup(func() {
		if err := l.Unlock(); err != nil {
			t.Error(err)
		}
	})
	p.env = map[string]string{
		"HOME": p.dir, "APE_CLAW_HOME": p.home, "APE_CLAW_PROFILE": "sandbox", "APE_CLAW_STATE_DIR": p.state, "PATH": os.Getenv("PATH"),
		"CANARY_MODEL_KEY": canaryEnv, "RELAY_API_KEY": canaryRelay, "OPENSEA_API_KEY": canaryMarket, "APE_CLAW_PRIVATE_KEY": canaryPrivate,
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *place) operatorToken() string {
	b, err := os.ReadFile(filepath.Join(p.own, "operator.token"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// host is the machine of a run in this process.
func (p *place) host(in io.Reader, out, errs io.Writer, person *typist) commands.Host {
	h := commands.Host{Stdin: in, Stdout: out, Stderr: errs, Now: time.Now,
		Env: func(k string) (string, bool) { v, ok := p.env[k]; return v, ok }}
	if person != nil {
		h.OpenTerminal = func() (commands.Terminal, error) { return person, nil }
	}
	return h
}

// run runs a command in this process and keeps what it said.
func (p *place) run(person *typist, args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.t.Context()), patience)
	defer cancel()
	code = commands.Run(ctx, args, p.host(strings.NewReader(p.stdin), &out, &errs, person))
	what := strings.Join(args, " ")
	asJSON := strings.Contains(what, "--json")
	if !strings.Contains(what, "token new") && !strings.Contains(what, "clawbot register") { // those are asked for a secret
		p.saw(shown{what: what + ": stdout", text: out.String(), terminal: !asJSON})
	}
	p.saw(shown{what: what + ": stderr", text: errs.String(), terminal: !asJSON})
	if person != nil {
		p.saw(shown{what: what + ": terminal", text: person.text(), terminal: true})
	}
	return out.String(), errs.String(), code
}

// must is run for what has to go well.
func (p *place) must(person *typist, args ...string) string {
	p.t.Helper()
	out, errs, code := p.run(person, args...)
	if code != 0 {
		p.t.Fatalf("%s: exit %d\n%s\n%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// doc is must for a JSON document.
func (p *place) doc(into any, person *typist, args ...string) {
	p.t.Helper()
	out := p.must(person, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		p.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// typist is a person at the terminal.
type typist struct {
	answers func(question string) string

	mu   sync.Mutex
	seen strings.Builder
}

func (y *typist) Write(b []byte) (int, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.seen.Write(b)
}

func (y *typist) Close() error { return nil }

func (y *typist) ReadLine(_ context.Context, question string) (string, error) {
	if _, err := y.Write([]byte(question + "\n")); err != nil {
		return "", err
	}
	return y.answers(question), nil
}

func (y *typist) ReadSecret(ctx context.Context, question string) (string, error) {
	return y.ReadLine(ctx, question)
}

func (y *typist) text() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.seen.String()
}
