package serve_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

func TestCrossSite(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	log := newMemLog("aa")
	log.add(event("a.b", 1))
	const site = "https://dashboard.example"
	s := start(t, serve.Options{Log: log, Auth: registry, Mounts: testMounts(), CORSOrigins: []string{site, "http://localhost:3000"}})
	cross := []string{"Origin", site, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"}
	for _, path := range []string{"/events/backlog", "/api/health", "/api/events/schema", "/api/nothing"} {
		resp, body := s.get(path, cross...)
		if resp.StatusCode == 403 || resp.Header.Get("Access-Control-Allow-Origin") != site {
			t.Errorf("%s: %d %s %v", path, resp.StatusCode, body, resp.Header)
		}
		if resp.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s allows cookies", path)
		}
		if resp.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: %v", path, resp.Header)
		}
	}
	st := s.stream("?after=0-0", cross...)
	st.want(event("a.b", 1))
	if st.resp.Header.Get("Access-Control-Allow-Origin") != site {
		t.Errorf("the stream: %v", st.resp.Header)
	}
	// An answer differs by origin: caches are told, whoever asks.
	for _, header := range [][]string{nil, cross, {"Origin", "https://evil.example"}, {"Origin", s.url}} {
		resp, _ := s.get("/events/backlog", header...)
		if resp.Header.Get("Vary") != "Origin" {
			t.Errorf("%v: Vary %q", header, resp.Header.Get("Vary"))
		}
	}
	// Exactly these.
	for _, origin := range []string{"https://evil.example", "http://dashboard.example", "https://dashboard.example:8443", "https://dashboard.example.evil.example",
		"https://evil-dashboard.example", "HTTPS://DASHBOARD.EXAMPLE", "https://dashboard.example/", "null", "*", "http://localhost", "http://localhost:30000", site + ", " + site} {
		resp, body := s.get("/events/backlog", "Origin", origin)
		if resp.StatusCode != 403 || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %s", origin, resp.StatusCode, body)
		}
		resp, _ = s.do("OPTIONS", "/events", "", "Origin", origin, "Access-Control-Request-Method", "GET")
		if resp.StatusCode != 403 || resp.Header.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("preflight of %s: %d", origin, resp.StatusCode)
		}
	}
	if answer := s.raw(t, "GET /events/backlog HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nOrigin: "+site+"\r\nOrigin: https://evil.example\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 403") {
		t.Errorf("two origins: %.100s", answer)
	}
	resp, body := s.do("OPTIONS", "/events", "", "Origin", site, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "last-event-id,x-agent-id,x-agent-token", "Sec-Fetch-Site", "cross-site")
	if resp.StatusCode != http.StatusNoContent || body != "" || resp.Header.Get("Access-Control-Allow-Origin") != site {
		t.Errorf("preflight: %d %s %v", resp.StatusCode, body, resp.Header)
	}
	for _, name := range []string{"content-type", "content-encoding", "last-event-id", "x-agent-id", "x-agent-token", "x-registration-key", "authorization"} {
		if !strings.Contains(resp.Header.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("preflight does not allow %s", name)
		}
	}
	// A cookie is no credential of another site's page, headers are.
	_, c := s.login("bot-1", token)
	if resp, _ := s.get("/api/spend", append(cross, "Cookie", c.Name+"="+c.Value)...); resp.StatusCode != 401 {
		t.Errorf("another site's page with a cookie: %d", resp.StatusCode)
	}
	if resp, _ := s.do("POST", "/api/things", "", append(cross, creds("bot-1", token)...)...); resp.StatusCode != 200 {
		t.Errorf("another site's page with an agent's credentials: %d", resp.StatusCode)
	}
	if resp, _ := s.do("POST", "/api/things", "", cross...); resp.StatusCode != 401 {
		t.Errorf("another site's page without any: %d", resp.StatusCode)
	}
	// Off this machine an allowed site needs them for reading too.
	away, _ := startElsewhere(t, "192.0.2.9", serve.Options{Log: log, Auth: registry, CORSOrigins: []string{site}})
	if resp, _ := away.get("/events/backlog", cross...); resp.StatusCode != 401 || resp.Header.Get("Access-Control-Allow-Origin") != site {
		t.Errorf("from elsewhere: %d %v: the page must be able to read that", resp.StatusCode, resp.Header)
	}
	// Without a list, nothing is said about other sites.
	plain := start(t, serve.Options{Log: log})
	resp, _ = plain.get("/events/backlog")
	for name := range resp.Header {
		if strings.HasPrefix(name, "Access-Control") || name == "Vary" {
			t.Errorf("%s without --cors-origin", name)
		}
	}
}

func TestOriginsThatAreRefused(t *testing.T) {
	t.Parallel()
	for origin, words := range map[string]string{
		"*": "wildcards", "https://*.example": "wildcards", "null": "sandboxed", "NULL": "sandboxed", "": "http(s)://host", "example.com": "http(s)://host",
		"ftp://a.example": "http(s)://host", "https://": "http(s)://host", "https://:443": "http(s)://host", "https://a.example/": "without a slash",
		"https://a.example/x": "no path", "https://a.example?x=1": "no query", "https://u@a.example": "no user name", "https://A.example": "lower case",
		"https://a.example:443": "usual port", "http://a.example:80": "usual port", "file:///x": "http(s)://host", "https://a.example, https://b.example": "",
	} {
		_, err := serve.New(serve.Options{Log: newMemLog("aa"), Now: time.Now, CORSOrigins: []string{"https://ok.example", origin}})
		if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, want a word about %q", origin, err, words)
		}
	}
}

// A name that no Host header can match would be a riddle.
func TestHostsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"*", "*.claw.example", "http://claw.example", "claw.example:8787", "claw.example.", "claw.example/x", "a b", "", "[2001:db8::7]", "user@claw.example", "cl\u00e4w.example"} {
		_, err := serve.New(serve.Options{Log: newMemLog("aa"), Now: time.Now, AllowedHosts: []string{"ok.example", host}})
		if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), "--allow-host") {
			t.Errorf("%q: %v", host, err)
		}
	}
	for _, host := range []string{"claw", "Claw.Example", "a_b.example", "192.0.2.7", "2001:db8::7", "xn--clw-qla.example"} {
		if _, err := serve.New(serve.Options{Log: newMemLog("aa"), Now: time.Now, AllowedHosts: []string{host}}); err != nil {
			t.Errorf("%q: %v", host, err)
		}
	}
}

// Behind a proxy that says the browser came by https, a page that came in the clear
// is no page of this server, whatever it asks for.
func TestAPageInTheClearIsNotOurs(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	log := newMemLog("aa")
	log.add(event("a.b", 1))
	opt := serve.Options{Log: log, Auth: registry, Mounts: testMounts(), AllowedHosts: []string{"claw.example"},
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	s := start(t, opt)
	const plain, own = "http://claw.example", "https://claw.example"
	secure := []string{"Host", "claw.example", "X-Forwarded-For", "192.0.2.9", "X-Forwarded-Proto", "https"}
	with := func(origin string, more ...string) []string {
		return append(append([]string{"Origin", origin}, secure...), more...)
	}
	login := func(origin string) int {
		resp, _ := s.do("POST", "/api/session", `{"agentId":"bot-1","token":"`+token+`"}`, with(origin, "Content-Type", "application/json")...)
		return resp.StatusCode
	}
	if got := login(own); got != 200 {
		t.Errorf("our own page logs in: %d", got)
	}
	if got := login(plain); got != 403 {
		t.Errorf("a page in the clear logs in: %d", got)
	}
	for _, call := range [][2]string{{"GET", "/events/backlog"}, {"GET", "/api/session"}, {"DELETE", "/api/session"}, {"POST", "/api/things"}} {
		if resp, body := s.do(call[0], call[1], "", with(plain, creds("bot-1", token)...)...); resp.StatusCode != 403 {
			t.Errorf("%s %s from a page in the clear: %d %s", call[0], call[1], resp.StatusCode, body)
		}
		if resp, body := s.do(call[0], call[1], "", with(own, creds("bot-1", token)...)...); resp.StatusCode != 200 {
			t.Errorf("%s %s from our own page: %d %s", call[0], call[1], resp.StatusCode, body)
		}
	}
	// Where it is allowed by name, it is another site's all the same: no cookies, no log-in.
	opt.CORSOrigins = []string{plain}
	s = start(t, opt)
	if got := login(plain); got != 403 {
		t.Errorf("an allowed page in the clear logs in: %d", got)
	}
	resp, body := s.get("/events/backlog", with(plain, creds("bot-1", token)...)...)
	if resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Origin") != plain {
		t.Errorf("an allowed page in the clear: %d %s %v", resp.StatusCode, body, resp.Header)
	}
}
