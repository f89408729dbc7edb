package serve_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// login logs in as a page of the server does and returns the cookie.
func (s *server) login(id, token string, header ...string) (*http.Response, *http.Cookie) {
	s.t.Helper()
	header = append([]string{"Content-Type", "application/json", "Origin", s.url}, header...)
	resp, body := s.do("POST", "/api/session", fmt.Sprintf(`{"agentId":%q,"token":%q}`, id, token), header...)
	if resp.StatusCode != 200 {
		s.t.Logf("log-in: %d %s", resp.StatusCode, body)
		return resp, nil
	}
	for _, c := range resp.Cookies() {
		if c.Name == "ape_claw_session" {
			return resp, c
		}
	}
	s.t.Fatalf("a log-in without a cookie: %v", resp.Header)
	return nil, nil
}

func TestSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	registry := newRegistry(t, dir)
	token := register(t, registry, "bot-1")
	opt := serve.Options{Log: newMemLog("aa"), Auth: registry, RequireAuth: true, Mounts: testMounts()}
	s := start(t, opt)
	resp, c := s.login("bot-1", token)
	if c == nil {
		t.FailNow()
	}
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || c.Domain != "" || c.MaxAge != int(agents.SessionLife/time.Second) || len(c.Value) != 43 {
		t.Errorf("cookie %+v", c)
	}
	if resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a cache may keep the cookie: %v", resp.Header)
	}
	cookie := c.Name + "=" + c.Value
	_, body := s.get("/api/session", "Cookie", cookie)
	if body != `{"ok":true,"required":true,"agentId":"bot-1"}`+"\n" {
		t.Errorf("session says %s", body)
	}
	if _, body := s.get("/api/session"); body != `{"ok":true,"required":true,"agentId":null}`+"\n" {
		t.Errorf("session says %s", body)
	}
	for _, route := range [][2]string{{"GET", "/api/spend"}, {"POST", "/api/things"}, {"GET", "/api/open"}} {
		if resp, body := s.do(route[0], route[1], "", "Cookie", cookie, "Origin", s.url); resp.StatusCode != 200 || !strings.Contains(body, "bot-1") {
			t.Errorf("%v with a session: %d %s", route, resp.StatusCode, body)
		}
		// A page elsewhere can't use it.
		if resp, _ := s.do(route[0], route[1], "", "Cookie", cookie, "Origin", "http://evil.example"); resp.StatusCode != 403 {
			t.Errorf("%v from elsewhere: %d", route, resp.StatusCode)
		}
	}
	st := s.stream("", "Cookie", cookie)
	// A restart of the server keeps the log-in.
	opt.Auth = newRegistry(t, dir)
	again := start(t, opt)
	if resp, _ := again.get("/api/spend", "Cookie", cookie); resp.StatusCode != 200 {
		t.Errorf("after a restart: %d", resp.StatusCode)
	}
	// A second log-in of the same browser replaces the first.
	_, c2 := s.login("bot-1", token, "Cookie", cookie)
	if resp, _ := s.get("/api/spend", "Cookie", cookie); resp.StatusCode != 401 || c2 == nil || c2.Value == c.Value {
		t.Errorf("the old session after a new log-in: %d", resp.StatusCode)
	}
	st.ended()
	cookie = c2.Name + "=" + c2.Value
	resp, body = s.do("DELETE", "/api/session", "", "Cookie", cookie, "Origin", s.url)
	if resp.StatusCode != 200 || body != "{\"ok\":true}\n" || len(resp.Cookies()) != 1 || resp.Cookies()[0].MaxAge >= 0 || resp.Cookies()[0].Value != "" {
		t.Errorf("log-out: %d %s %v", resp.StatusCode, body, resp.Cookies())
	}
	if resp, _ := s.get("/api/spend", "Cookie", cookie); resp.StatusCode != 401 {
		t.Errorf("after the log-out: %d", resp.StatusCode)
	}
	if resp, _ := s.do("DELETE", "/api/session", "", "Origin", s.url); resp.StatusCode != 200 {
		t.Errorf("a second log-out: %d", resp.StatusCode)
	}
}

func TestLoginsThatAreRefused(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry, CORSOrigins: []string{"https://other.example"},
		Limits: serve.Limits{Failures: serve.Rate{PerMinute: 1000, Burst: 1000}}})
	good := fmt.Sprintf(`{"agentId":"bot-1","token":%q}`, token)
	json, own := "application/json", s.url
	for name, tt := range map[string]struct {
		body, kind, origin string
		want               int
	}{
		"good":                       {good, json, own, 200},
		"good, with a charset":       {good, json + "; charset=utf-8", own, 200},
		"no origin":                  {good, json, "", 403},
		"another origin":             {good, json, "http://evil.example", 403},
		"null":                       {good, json, "null", 403},
		"another port":               {good, json, "http://127.0.0.1:1", 403},
		"an allowed origin":          {good, json, "https://other.example", 403},
		"a form":                     {"agentId=bot-1&token=" + token, "application/x-www-form-urlencoded", own, 415},
		"text":                       {good, "text/plain", own, 415},
		"no type":                    {good, "", own, 415},
		"no JSON":                    {"{", json, own, 400},
		"two documents":              {good + good, json, own, 400},
		"an array":                   {"[" + good + "]", json, own, 400},
		"a number for the token":     {`{"agentId":"bot-1","token":1}`, json, own, 400},
		"empty":                      {"", json, own, 400},
		"no token":                   {`{"agentId":"bot-1"}`, json, own, 400},
		"no id":                      {fmt.Sprintf(`{"token":%q}`, token), json, own, 400},
		"10,000 levels":              {strings.Repeat("[", 2000) + strings.Repeat("]", 2000), json, own, 400},
		"larger than any log-in":     {good + strings.Repeat(" ", 5000), json, own, 413},
		"wrong token":                {`{"agentId":"bot-1","token":"claw_x"}`, json, own, 403},
		"unknown id":                 {fmt.Sprintf(`{"agentId":"bot-9","token":%q}`, token), json, own, 403},
		"wrong token, and elsewhere": {`{"agentId":"bot-1","token":"claw_x"}`, json, "http://evil.example", 403},
	} {
		header := []string{"Content-Type", tt.kind}
		if tt.origin != "" {
			header = append(header, "Origin", tt.origin)
		}
		resp, body := s.do("POST", "/api/session", tt.body, header...)
		if resp.StatusCode != tt.want {
			t.Errorf("%s: %d %s, want %d", name, resp.StatusCode, body, tt.want)
		}
		if tt.want != 200 {
			errorOf(t, resp, body)
			if len(resp.Cookies()) > 0 || strings.Contains(body, token) {
				t.Errorf("%s: %v %s", name, resp.Cookies(), body)
			}
		}
	}
	if resp, _ := s.do("DELETE", "/api/session", ""); resp.StatusCode != 403 {
		t.Errorf("a log-out by no page: %d", resp.StatusCode)
	}
	if resp, _ := s.do("PUT", "/api/session", ""); resp.StatusCode != 405 || !strings.Contains(resp.Header.Get("Allow"), "POST, DELETE") {
		t.Errorf("PUT: %d %q", resp.StatusCode, resp.Header.Get("Allow"))
	}
	nobody := start(t, serve.Options{Log: newMemLog("aa")})
	if resp, c := nobody.login("bot-1", token); resp.StatusCode != 403 || c != nil {
		t.Errorf("a log-in where nobody is known: %d", resp.StatusCode)
	}
}

// The cookie goes over encrypted connections only when the browser has one; who
// says so must be believed.
func TestSecureCookie(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	for _, tt := range []struct {
		proxies []netip.Prefix
		proto   string
		want    bool
	}{
		{trusted, "https", true}, {trusted, "HTTPS", true}, {trusted, "http, https", true}, {trusted, "https, http", false},
		{trusted, "http", false}, {trusted, "", false}, {nil, "https", false},
	} {
		s := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry, TrustedProxies: tt.proxies})
		origin := s.url
		if tt.want {
			origin = "https" + strings.TrimPrefix(origin, "http")
		}
		_, c := s.login("bot-1", token, "Origin", origin, "X-Forwarded-Proto", tt.proto, "X-Forwarded-For", "192.0.2.9")
		if c == nil || c.Secure != tt.want {
			t.Errorf("%v %q: %+v, want Secure %t", tt.proxies, tt.proto, c, tt.want)
		}
	}
}
