package serve_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// newRegistry returns the agents of a state directory, over a connection of its
// own, as another process has.
func newRegistry(t *testing.T, dir string) *agents.Registry {
	t.Helper()
	db := must[*sql.DB](t)(store.OpenState(t.Context(), dir))
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return agents.New(func(context.Context, bool) (*sql.DB, error) { return db, nil }, time.Now)
}

// oneAgent returns a registry that knows bot-1, and its token.
func oneAgent(t *testing.T) (*agents.Registry, string) {
	t.Helper()
	r := newRegistry(t, t.TempDir())
	return r, register(t, r, "bot-1")
}

func register(t *testing.T, r *agents.Registry, id string) (token string) {
	t.Helper()
	_, token, err := r.Register(t.Context(), id, "")
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// elsewhere is a listener on loopback whose connections seem to come from
// another address.
type elsewhere struct {
	net.Listener
	addr atomic.Pointer[net.TCPAddr]
}

func newElsewhere(t *testing.T, addr string) *elsewhere {
	t.Helper()
	l := &elsewhere{Listener: must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))}
	l.set(addr)
	return l
}

func (l *elsewhere) set(addr string) {
	l.addr.Store(net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(addr), 4711)))
}

func (l *elsewhere) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &elsewhereConn{c.(*net.TCPConn), l.addr.Load()}, nil
}

type elsewhereConn struct {
	*net.TCPConn
	addr *net.TCPAddr
}

func (c *elsewhereConn) RemoteAddr() net.Addr { return c.addr }

// startElsewhere starts a server that a client at addr calls, a connection a
// request.
func startElsewhere(t *testing.T, addr string, opt serve.Options) (*server, *elsewhere) {
	t.Helper()
	l := newElsewhere(t, addr)
	opt.Listener = l
	s := start(t, opt)
	s.http.Transport.(*http.Transport).DisableKeepAlives = true
	return s, l
}

func creds(id, token string) []string { return []string{"X-Agent-Id", id, "X-Agent-Token", token} }

// testMounts are routes as domain packages mount them.
func testMounts() map[string]http.Handler {
	who := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve.WriteJSON(w, map[string]string{"agent": serve.AgentID(r)})
	})
	return map[string]http.Handler{
		"GET /api/open": who, "GET /api/spend": serve.Private(who), "POST /api/things": who, "DELETE /api/things": who, "/api/any": who,
		"/api/own": serve.OwnAuth(who),
	}
}

// Who has to say who they are, on which routes.
func TestWhoNeedsCredentials(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	reads := []string{"/events/backlog", "/api/events/schema", "/metrics", "/api/open", "/api/any"}
	always := [][2]string{{"GET", "/api/spend"}, {"POST", "/api/things"}, {"DELETE", "/api/things"}, {"POST", "/api/any"}, {"PUT", "/api/any"}}
	never := []string{"/", "/assets/app.js", "/favicon.ico", "/api/health", "/api/session"}
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	for name, tt := range map[string]struct {
		opt    serve.Options
		from   string
		header []string
		open   bool
	}{
		"this machine":                        {from: "127.0.0.1", open: true},
		"this machine, IPv6":                  {from: "::1", open: true},
		"this machine, IPv4 in IPv6":          {from: "::ffff:127.0.0.1", open: true},
		"this machine, asked to":              {from: "127.0.0.1", opt: serve.Options{RequireAuth: true}},
		"another machine":                     {from: "192.0.2.9"},
		"another machine, IPv6":               {from: "2001:db8::9"},
		"another machine, insecure":           {from: "192.0.2.9", opt: serve.Options{Insecure: true}, open: true},
		"another machine that claims us":      {from: "192.0.2.9", header: []string{"X-Forwarded-For", "127.0.0.1"}},
		"a name that is allowed":              {from: "127.0.0.1", header: []string{"Host", "claw.local"}},
		"X-Forwarded-For":                     {from: "127.0.0.1", header: []string{"X-Forwarded-For", "192.0.2.9"}},
		"X-Forwarded-For of us":               {from: "127.0.0.1", header: []string{"X-Forwarded-For", "127.0.0.1"}},
		"X-Forwarded-For, empty":              {from: "127.0.0.1", header: []string{"X-Forwarded-For", ""}},
		"Forwarded":                           {from: "127.0.0.1", header: []string{"Forwarded", "for=192.0.2.9"}},
		"X-Forwarded-Proto":                   {from: "127.0.0.1", header: []string{"X-Forwarded-Proto", "https"}},
		"X-Forwarded-Host":                    {from: "127.0.0.1", header: []string{"X-Forwarded-Host", "claw.local"}},
		"X-Forwarded-Prefix":                  {from: "127.0.0.1", header: []string{"X-Forwarded-Prefix", "/claw"}},
		"X-Forwarded":                         {from: "127.0.0.1", header: []string{"X-Forwarded", "for=192.0.2.9"}},
		"X-Original-Forwarded-For":            {from: "127.0.0.1", header: []string{"X-Original-Forwarded-For", "192.0.2.9"}},
		"a tunnel's other header":             {from: "127.0.0.1", header: []string{"Tailscale-User-Login", "a@b.example"}},
		"a CDN":                               {from: "127.0.0.1", header: []string{"CDN-Loop", "cloudflare"}},
		"X-Real-IP":                           {from: "127.0.0.1", header: []string{"X-Real-IP", "127.0.0.1"}},
		"Via":                                 {from: "127.0.0.1", header: []string{"Via", "1.1 proxy"}},
		"a tunnel's header":                   {from: "127.0.0.1", header: []string{"CF-Connecting-IP", "192.0.2.9"}},
		"a trusted proxy":                     {from: "127.0.0.1", opt: serve.Options{TrustedProxies: proxies}, header: []string{"X-Forwarded-For", "192.0.2.9"}},
		"a trusted proxy that speaks for us":  {from: "127.0.0.1", opt: serve.Options{TrustedProxies: proxies}, header: []string{"X-Forwarded-For", "127.0.0.1"}},
		"a trusted proxy that says nothing":   {from: "127.0.0.1", opt: serve.Options{TrustedProxies: proxies}},
		"a proxy, insecure":                   {from: "127.0.0.1", opt: serve.Options{Insecure: true}, header: []string{"X-Forwarded-For", "192.0.2.9"}, open: true},
		"a claim that no proxy of ours makes": {from: "192.0.2.9", opt: serve.Options{TrustedProxies: proxies}, header: []string{"X-Forwarded-For", "127.0.0.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opt := tt.opt
			opt.Log, opt.Auth, opt.AllowedHosts, opt.Mounts = newMemLog("aa"), registry, []string{"claw.local"}, testMounts()
			s, _ := startElsewhere(t, tt.from, opt)
			check := func(method, path string, want int, header ...string) {
				t.Helper()
				resp, body := s.do(method, path, "", append(header, tt.header...)...)
				if resp.StatusCode != want {
					t.Errorf("%s %s: %d %.200s, want %d", method, path, resp.StatusCode, body, want)
				}
				if resp.Header.Get("WWW-Authenticate") != "" {
					t.Errorf("%s %s asks the browser to keep a password", method, path)
				}
			}
			want := http.StatusUnauthorized
			if tt.open {
				want = http.StatusOK
			}
			for _, path := range reads {
				check("GET", path, want)
				check("HEAD", path, want)
				check("GET", path, http.StatusOK, creds("bot-1", token)...)
			}
			for _, method := range []string{"GET", "POST", "DELETE"} {
				check(method, "/api/own", http.StatusOK)
			}
			for _, route := range always {
				check(route[0], route[1], http.StatusUnauthorized)
				check(route[0], route[1], http.StatusOK, creds("bot-1", token)...)
			}
			for _, path := range never {
				check("GET", path, http.StatusOK)
			}
			if resp, _ := s.do("HEAD", "/events", "", tt.header...); resp.StatusCode != want {
				t.Errorf("/events: %d, want %d", resp.StatusCode, want)
			}
			// Health tells only those who may read.
			_, body := s.get("/api/health", tt.header...)
			if open := strings.Contains(body, "version"); open != tt.open || !strings.Contains(body, `"ok":true`) {
				t.Errorf("health says %s", body)
			}
			if _, body := s.get("/api/health", append(creds("bot-1", token), tt.header...)...); !strings.Contains(body, "version") {
				t.Errorf("health says %s to an agent", body)
			}
			var session struct {
				OK, Required bool
				AgentID      *string
			}
			_, body = s.get("/api/session", tt.header...)
			if err := json.Unmarshal([]byte(body), &session); err != nil || !session.OK || session.Required == tt.open || session.AgentID != nil {
				t.Errorf("session says %s, %v", body, err)
			}
		})
	}
}

// A client that speaks HTTP/1.0, as a proxy does that nobody told anything, is
// not taken for a program of this machine.
func TestOldProxyIsNotLocal(t *testing.T) {
	t.Parallel()
	registry, _ := oneAgent(t)
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry})
	for proto, want := range map[string]string{"HTTP/1.0": "401", "HTTP/1.1": "200"} {
		answer := s.raw(t, "GET /events/backlog "+proto+"\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
		if _, status, _ := strings.Cut(answer, " "); !strings.HasPrefix(status, want) {
			t.Errorf("%s: %.100s, want %s", proto, answer, want)
		}
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	gone := register(t, registry, "bot-2")
	if _, err := registry.Revoke(t.Context(), "bot-2"); err != nil {
		t.Fatal(err)
	}
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry, RequireAuth: true, Mounts: testMounts(),
		Limits: serve.Limits{Failures: serve.Rate{PerMinute: 1000, Burst: 1000}}})
	basic := func(id, token string) []string {
		req := must[*http.Request](t)(http.NewRequest("GET", "/", nil))
		req.SetBasicAuth(id, token)
		return []string{"Authorization", req.Header.Get("Authorization")}
	}
	refusal := ""
	for name, tt := range map[string]struct {
		header []string
		want   int
	}{
		"headers":               {creds("bot-1", token), 200},
		"basic":                 {basic("bot-1", token), 200},
		"none":                  {nil, 401},
		"no token":              {[]string{"X-Agent-Id", "bot-1"}, 401},
		"no id":                 {[]string{"X-Agent-Token", token}, 401},
		"an empty token":        {creds("bot-1", ""), 401},
		"an empty password":     {basic("bot-1", ""), 401},
		"another scheme":        {[]string{"Authorization", "Bearer " + token}, 401},
		"junk":                  {[]string{"Authorization", "Basic !!!"}, 401},
		"a cookie of nobody":    {[]string{"Cookie", "ape_claw_session=" + token}, 401},
		"an empty cookie":       {[]string{"Cookie", "ape_claw_session="}, 401},
		"wrong":                 {creds("bot-1", token+"x"), 403},
		"wrong, basic":          {basic("bot-1", token+"x"), 403},
		"another agent's":       {creds("bot-1", gone), 403},
		"revoked":               {creds("bot-2", gone), 403},
		"unknown":               {creds("bot-9", token), 403},
		"an id that can't be":   {creds("__proto__", token), 403},
		"upper case":            {creds("BOT-1", token), 403},
		"wrong headers, basic":  {append(creds("bot-1", "wrong"), basic("bot-1", token)...), 400},
		"headers, wrong basic":  {append(creds("bot-1", token), basic("bot-1", "wrong")...), 400},
		"headers, other basic":  {append(creds("bot-1", token), basic("bot-2", gone)...), 400},
		"headers, junk basic":   {append(creds("bot-1", token), "Authorization", "basic !!!"), 400},
		"headers, no basic":     {append(creds("bot-1", token), "Authorization", "Bearer x"), 200},
		"both the same":         {append(creds("bot-1", token), basic("bot-1", token)...), 200},
		"headers beside cookie": {append(creds("bot-1", token), "Cookie", "ape_claw_session=x"), 200},
	} {
		for _, path := range []string{"/api/spend", "/events/backlog"} {
			resp, body := s.get(path, tt.header...)
			if resp.StatusCode != tt.want {
				t.Errorf("%s: %s: %d %s, want %d", name, path, resp.StatusCode, body, tt.want)
			}
			if strings.Contains(body, token) || strings.Contains(body, gone) || strings.Contains(body, "bot-2") {
				t.Errorf("%s: the answer shows what was sent: %s", name, body)
			}
			if resp.StatusCode == 403 {
				errorOf(t, resp, body)
				if refusal == "" {
					refusal = body
				}
				if body != refusal { // which ids exist is nobody's business
					t.Errorf("%s: says %s, others %s", name, body, refusal)
				}
			}
			if resp.StatusCode == 200 && path == "/api/spend" && body != "{\"agent\":\"bot-1\"}\n" {
				t.Errorf("%s: the handler sees %s", name, body)
			}
		}
	}
	// Each header once: of two ids none is the right one.
	twice := s.raw(t, "GET /api/spend HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX-Agent-Id: bot-1\r\nX-Agent-Id: bot-2\r\nX-Agent-Token: "+token+"\r\n\r\n")
	if !strings.HasPrefix(twice, "HTTP/1.1 401") {
		t.Errorf("two ids: %.100s", twice)
	}
	twice = s.raw(t, "GET /api/spend HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: "+basic("bot-1", token)[1]+"\r\nAuthorization: "+basic("bot-2", gone)[1]+"\r\n\r\n")
	if !strings.HasPrefix(twice, "HTTP/1.1 401") {
		t.Errorf("two of Authorization: %.100s", twice)
	}
	// Where none are needed, wrong ones are told all the same.
	open := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry})
	if resp, _ := open.get("/events/backlog", creds("bot-2", gone)...); resp.StatusCode != 403 {
		t.Errorf("revoked credentials on an open route: %d", resp.StatusCode)
	}
	if resp, _ := open.get("/events/backlog", "Cookie", "ape_claw_session=old"); resp.StatusCode != 200 {
		t.Errorf("an old cookie on an open route: %d", resp.StatusCode)
	}
	// A server that knows nobody lets nobody in.
	nobody := start(t, serve.Options{Log: newMemLog("aa"), Mounts: testMounts()})
	if resp, _ := nobody.get("/api/spend", creds("bot-1", token)...); resp.StatusCode != 403 {
		t.Errorf("a server without agents: %d", resp.StatusCode)
	}
}

// Whoever can't be checked is not told that the credentials are wrong.
func TestCredentialsThatCanNotBeChecked(t *testing.T) {
	t.Parallel()
	db := must[*sql.DB](t)(store.OpenState(t.Context(), t.TempDir()))
	registry := agents.New(func(context.Context, bool) (*sql.DB, error) { return db, nil }, time.Now)
	token := register(t, registry, "bot-1")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry, RequireAuth: true})
	for _, header := range [][]string{creds("bot-1", token), {"Cookie", "ape_claw_session=x"}} {
		resp, body := s.get("/events/backlog", header...)
		if resp.StatusCode != 503 || errorOf(t, resp, body) != "state_unusable" || strings.Contains(body, "/") {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	}
}

// On an address that is not loopback a server that knows its agents may listen.
// It is called by addresses in digits, and asks.
func TestWideAddress(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry, Addr: "0.0.0.0:0"})
	if !s.AuthRequired() {
		t.Error("it does not say that it asks")
	}
	for host, want := range map[string]int{"192.0.2.5": 401, "[2001:db8::5]:8787": 401, "evil.example": 403, "192.0.2.5.evil.example": 403, "": 200} {
		var header []string
		if host != "" {
			header = []string{"Host", host}
		}
		if resp, body := s.get("/events/backlog", header...); resp.StatusCode != want {
			t.Errorf("host %q: %d %s, want %d", host, resp.StatusCode, body, want)
		}
	}
	if resp, _ := s.get("/events/backlog", append(creds("bot-1", token), "Host", "192.0.2.5")...); resp.StatusCode != 200 {
		t.Errorf("an agent: %d", resp.StatusCode)
	}
	loopback := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry})
	if resp, _ := loopback.get("/events/backlog", "Host", "192.0.2.5"); resp.StatusCode != 403 || loopback.AuthRequired() {
		t.Errorf("on loopback: %d", resp.StatusCode)
	}
}
