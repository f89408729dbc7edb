package serve_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// shared is a buffer that a logger and a test may use at once.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// A token in a URL is refused in words, wherever in it and however it is spelled,
// and neither shown nor logged.
func TestTokenInURL(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	const plain = "s3cr3t-canary"
	var logged shared
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry, Mounts: testMounts(), Redactor: telemetry.NewRedactor("exact-canary-value"),
		Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	double := strings.ReplaceAll(url.QueryEscape("?token="+plain), "%", "%25")
	for _, query := range []string{
		"?token=" + plain, "?access_token=" + plain, "?agent-token=" + plain, "?agentToken=" + plain, "?x-agent-token=" + plain, "?X_AGENT_TOKEN=" + plain,
		"?api_key=" + plain, "?apikey=" + plain, "?registration-key=" + plain, "?x-registration-key=" + plain, "?password=" + plain, "?Authorization=Bearer+" + plain,
		"?TOKEN=" + plain, "?tOkEn[]=" + plain, "?%74oken=" + plain, "?%2574oken=" + plain, "?access%5Ftoken=" + plain, "?a=1&token=" + plain, "?a=1;token=" + plain,
		"?type=a.b&access-token=" + plain, "?token", "?q=" + double, "?private-key=" + plain, "?invite=" + plain, "?secret=" + plain, "?ape_claw_session=" + plain,
		"?token=%zz" + plain, "?%zz=1&token=" + plain, "?agentId=" + token, "?type=" + token, "?after=" + url.QueryEscape(token), "?x=" + strings.ReplaceAll(token, "_", "%5f"), "/" + token, "/%2563law_" + token[5:],
		"?x=exact-canary-value", "?authorization=Basic%20" + plain,
	} {
		for _, path := range []string{"/events", "/events/backlog", "/", "/api/health", "/api/session", "/nothing", "/assets/app.js"} {
			resp, body := s.get(path + query)
			if resp.StatusCode != http.StatusBadRequest || errorOf(t, resp, body) != "usage" || !strings.Contains(body, "URL") {
				t.Errorf("%s%s: %d %s", path, query, resp.StatusCode, body)
			}
			if strings.Contains(body, plain) || strings.Contains(body, token) || strings.Contains(body, "canary") {
				t.Errorf("%s%s is shown: %s", path, query, body)
			}
		}
		if resp, body := s.do("POST", "/api/things"+query, "", creds("bot-1", token)...); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("POST %s: %d %s", query, resp.StatusCode, body)
		}
	}
	// Also where the request can't be served at all.
	for _, request := range []string{"GET /api/panic?token=" + plain, "GET http://user:" + plain + "@127.0.0.1/", "GET /?token=" + plain + " x"} {
		s.raw(t, request+" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
	}
	if answer := s.raw(t, "GET http://user:"+plain+"@127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 400") {
		t.Errorf("a password before the host: %.100q", answer)
	}
	if got := logged.String(); strings.Contains(got, "canary") || strings.Contains(got, token) {
		t.Errorf("it is logged: %s", got)
	}
	// What is no secret passes.
	for _, query := range []string{"", "?type=auth.saved", "?type=nft.*&agentId=token-bot&traceId=key-1&ok=true", "?backlog=3&after=aa-0", "?type=clawbot.registered",
		"?traceId=trace_1796050040997_exix8evwngprwcenzcqn", "?traceId=0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "?_=1"} {
		if resp, body := s.do("HEAD", "/events"+query, ""); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", query, resp.StatusCode, body)
		}
	}
	if resp, body := s.do("HEAD", "/api/health?monkey=1", ""); resp.StatusCode != http.StatusOK {
		t.Errorf("a name that ends as a secret's: %d %s", resp.StatusCode, body)
	}
}

// To look for secrets in a URL takes time: who has no more requests left gets
// none of it, and no URL may be long.
func TestLongURLs(t *testing.T) {
	t.Parallel()
	s, _ := startElsewhere(t, "192.0.2.1", serve.Options{Log: newMemLog("aa"), Now: newStopped().now, Limits: serve.Limits{Reads: serve.Rate{PerMinute: 1, Burst: 2}}})
	resp, body := s.get("/events?type=" + strings.Repeat("word-", 2000))
	if resp.StatusCode != http.StatusRequestURITooLong || errorOf(t, resp, body) != "usage" || strings.Contains(body, "word") {
		t.Errorf("10 kB: %d %s", resp.StatusCode, body)
	}
	if resp, body = s.get("/?token=x"); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a token: %d %s", resp.StatusCode, body)
	}
	resp, body = s.get("/?token=x")
	tooMany(t, resp, body)
	long := "/events/backlog?agentId=" + strings.Repeat("%41", 128) + "&traceId=" + strings.Repeat("%42", 128) + "&type=" + strings.Repeat("%61.%62,", 120)
	if resp, body := start(t, serve.Options{Log: newMemLog("aa")}).get(long); resp.StatusCode != http.StatusOK {
		t.Errorf("filters at their longest: %d %s", resp.StatusCode, body)
	}
}

// However a path climbs, it leads nowhere: nothing is read from the disk.
func TestTraversal(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry, Mounts: testMounts()})
	routes := []string{"", "/assets", "/events", "/events/backlog", "/api", "/api/health", "/api/session", "/api/events/schema", "/api/open", "/metrics", "/favicon.ico"}
	climbs := []string{
		"/../", "/../../../../etc/passwd", "/%2e%2e/", "/%2e%2e/%2e%2e/etc/passwd", "/%2E%2E/go.mod", "/.%2e/go.mod", "/..%2fgo.mod", "/..%2Fgo.mod", "/%2e%2e%2fgo.mod",
		"/..%5cgo.mod", "/..\\go.mod", "/..%255cgo.mod", "//", "//etc/passwd", "/./", "/%2e/", "/app.js%00", "/%00", "/%0a", "/..;/go.mod", "/..%c0%afgo.mod", "/%252e%252e/go.mod",
		"/.git/config", "/.env", "/state/events.jsonl", "/config/clawbots.json", "/%2fetc%2fpasswd", "/assets%2fapp.js", "/~root", "/C:/windows/win.ini",
	}
	for _, route := range routes {
		for _, climb := range climbs {
			for _, method := range []string{"GET", "HEAD", "POST"} {
				answer := s.raw(t, method+" "+route+climb+" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX-Agent-Id: bot-1\r\nX-Agent-Token: "+token+"\r\nContent-Length: 0\r\n\r\n")
				if !strings.HasPrefix(answer, "HTTP/1.1 404") && !strings.HasPrefix(answer, "HTTP/1.1 400") && !strings.HasPrefix(answer, "HTTP/1.1 405") {
					t.Errorf("%s %s%s: %.200q", method, route, climb, answer)
				}
				if strings.Contains(answer, "root:") || strings.Contains(answer, "module ") {
					t.Errorf("%s%s shows a file: %.200q", route, climb, answer)
				}
			}
		}
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry, Mounts: testMounts()})
	for _, path := range []string{"/", "/assets/app.js", "/events", "/events/backlog", "/api/health", "/api/session", "/api/events/schema", "/metrics"} {
		resp, body := s.do("HEAD", path, "")
		if resp.StatusCode != 200 || body != "" {
			t.Errorf("HEAD %s: %d %q", path, resp.StatusCode, body)
		}
		resp, body = s.do("OPTIONS", path, "")
		if resp.StatusCode != 204 || body != "" || !strings.HasPrefix(resp.Header.Get("Allow"), "GET, HEAD") {
			t.Errorf("OPTIONS %s: %d %q %q", path, resp.StatusCode, resp.Header.Get("Allow"), body)
		}
		for _, method := range []string{"PUT", "PATCH", "TRACE", "BREW"} {
			resp, body = s.do(method, path, "", creds("bot-1", token)...)
			if resp.StatusCode != 405 || !strings.HasPrefix(resp.Header.Get("Allow"), "GET, HEAD") {
				t.Errorf("%s %s: %d %q", method, path, resp.StatusCode, resp.Header.Get("Allow"))
				continue
			}
			errorOf(t, resp, body)
		}
	}
	for _, path := range []string{"/nothing", "*"} {
		if answer := s.raw(t, "OPTIONS "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 404") {
			t.Errorf("OPTIONS %s: %.100q", path, answer)
		}
	}
	// A preflight of nobody's is an OPTIONS like any other.
	if resp, _ := s.do("OPTIONS", "/nothing", "", "Access-Control-Request-Method", "GET"); resp.StatusCode != 404 || resp.Header.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("a preflight without an origin: %d %v", resp.StatusCode, resp.Header)
	}
	if answer := s.raw(t, "GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 403") {
		t.Errorf("another host in the request line: %.100q", answer)
	}
	if answer := s.raw(t, "GET / HTTP/1.0\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.0 403") && !strings.HasPrefix(answer, "HTTP/1.1 403") {
		t.Errorf("no host at all: %.100q", answer)
	}
	if answer := s.raw(t, "CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 404") {
		t.Errorf("CONNECT: %.100q", answer)
	}
}
