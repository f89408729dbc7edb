package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// No answer shows a token that a caller put into the wrong place.
func TestAnswersEchoNoSecret(t *testing.T) {
	t.Parallel()
	const token, exact = "claw_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG", "5f3759df5f3759df5f3759df"
	log := newMemLog("aa")
	log.add(event("a.b", 1))
	s := start(t, serve.Options{Log: log, Redactor: telemetry.NewRedactor(exact)})
	check := func(what, answer string) {
		t.Helper()
		for _, secret := range []string{token[:20], exact[:12]} {
			if strings.Contains(answer, secret) {
				t.Errorf("%s: %s", what, answer)
			}
		}
		if !strings.Contains(answer, telemetry.Redacted) {
			t.Errorf("%s does not show what stood there: %s", what, answer)
		}
	}
	for _, secret := range []string{token, exact, strings.Repeat("x ", 20) + token} {
		st := s.stream("", "Last-Event-ID", secret)
		f := st.next()
		check("the reset after Last-Event-ID", f.data)
		st.close()
	}
	st := s.stream("", "Last-Event-ID", exact+"-7") // a cursor, as far as its form goes
	check("the reset after a cursor", st.next().data)
	st.close()
	_, body := s.get("/events", "Host", token)
	check("a host that is not ours", body)
	_, body = s.do(token, "/events", "")
	check("a method that is not taken", body)
}

// What may be said once only is refused when it is said twice: the answer would
// be to a question that was not asked.
func TestQueriesThatSayThingsTwice(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(event("a.b", 1))
	s := start(t, serve.Options{Log: log})
	for _, query := range []string{"ok=true&ok=false", "ok=true&ok=true", "agentId=a&agentId=b", "traceId=a&traceId=b", "after=0-0&after=0-0"} {
		for _, path := range []string{"/events?", "/events/backlog?"} {
			if resp, body := s.get(path + query); resp.StatusCode != 400 || errorOf(t, resp, body) != "usage" {
				t.Errorf("%s%s: %d %s", path, query, resp.StatusCode, body)
			}
		}
	}
	for _, path := range []string{"/events?backlog=1&backlog=2", "/events/backlog?limit=1&limit=2", "/api/events/schema?type=nft.buy.confirmed&type=policy.checked"} {
		if resp, body := s.get(path); resp.StatusCode != 400 || errorOf(t, resp, body) != "usage" {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	if resp, body := s.get("/events/backlog?type=a.b&type=c.d"); resp.StatusCode != 200 || !strings.Contains(body, "a.b") {
		t.Errorf("two types: %d %s", resp.StatusCode, body)
	}
}

// Whoever leaves out the slash of a directory gets no redirect in HTML, and what
// is mounted without one keeps its place.
func TestATreeWithoutItsSlash(t *testing.T) {
	t.Parallel()
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { serve.WriteJSON(w, map[string]bool{"ok": true}) })
	s := start(t, serve.Options{Log: newMemLog("aa"), Mounts: map[string]http.Handler{"GET /api/tree/": ok, "GET /api/both/": ok, "GET /api/both": ok}})
	for _, path := range []string{"/assets", "/api/tree"} {
		if resp, body := s.get(path); resp.StatusCode != 404 || errorOf(t, resp, body) != "not_found" {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	for _, path := range []string{"/api/tree/", "/api/both", "/api/both/", "/assets/app.js"} {
		if resp, body := s.get(path); resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
}
