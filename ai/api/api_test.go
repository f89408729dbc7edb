package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai/api"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// row is a route with a body that is good, and what that does.
type row struct {
	method, path, body string
	does               string // S is the session
	stepUp             bool   // the passphrase must be given
	status             int    // 0: 200
}

var table = []row{
	{"GET", "/auth", "", "", false, 0},
	{"POST", "/auth/reauth", `{"passphrase":"correct horse"}`, "", false, 0},
	{"GET", "/connections", "", "connections", false, 0},
	{"POST", "/connections", `{"name":"main","service":"ollama"}`, "add main", true, 0},
	{"GET", "/connections/main", "", "connection main", false, 0},
	{"PATCH", "/connections/main", `{"model":"m"}`, "set main", false, 0},
	{"PATCH", "/connections/main", `{"baseUrl":"https://models.example"}`, "set main", true, 0},
	{"PATCH", "/connections/main", `{"keyEnv":"KEY"}`, "set main", true, 0},
	{"DELETE", "/connections/main", "", "remove main", true, 0},
	{"POST", "/connections/main/verify", "", "verify main", false, 0},
	{"POST", "/connections/main/secret", `{"key":"k"}`, "secret main k", true, 0},
	{"GET", "/usage", "", "usage", false, 0},
	{"GET", "/tools", "", "tools", false, 0},
	{"GET", "/commands", "", "commands", false, 0},
	{"GET", "/guide", "", "guide", false, 0},
	{"GET", "/budget", "", "budget", false, 0},
	{"GET", "/mcp-config", "", "mcp generic", false, 0},
	{"GET", "/mcp-config?client=codex", "", "mcp codex", false, 0},
	{"GET", "/rooms", "", "rooms", false, 0},
	{"GET", "/rooms/r1/messages", "", "messages r1 0", false, 0},
	{"GET", "/rooms/r1/messages?after=7", "", "messages r1 7", false, 0},
	{"POST", "/rooms/r1/messages", `{"text":"hello"}`, "post r1 hello", false, 202},
	{"POST", "/rooms/r1/turns/t1/cancel", "", "cancel r1 t1", false, 0},
	{"GET", "/actions", "", "list", false, 0},
	{"GET", "/actions?state=proposed", "", "list proposed", false, 0},
	{"GET", "/actions/act_1", "", "show act_1", false, 0},
	{"GET", "/actions/act_1/explain", "", "explain act_1", false, 0},
	{"POST", "/actions/act_1/challenge", "{}", "challenge act_1 S", true, 0},
	{"POST", "/actions/act_1/approve", `{"phrase":"BUY"}`, "approve act_1 S BUY", true, 202},
	{"POST", "/actions/act_1/reject", `{"reason":"no"}`, "reject act_1 S no", false, 0},
	{"GET", "/grants", "", "permits", false, 0},
	{"DELETE", "/grants/p1", "", "revoke p1", false, 0},
	{"GET", "/audit", "", "audit 100", false, 0},
	{"GET", "/audit?limit=5", "", "audit 5", false, 0},
	{"GET", "/kill", "", "killed", false, 0},
	{"POST", "/kill", `{"reason":"odd"}`, "kill odd", false, 0},
	{"POST", "/unkill", `{"shown":["ai: odd"]}`, "unkill ai: odd", true, 0},
}

const (
	nobody   = ""
	clawbot  = "bot-1/cookie"
	token    = "operator" // by headers, without a log-in
	browser  = "operator/cookie"
	approver = "operator/proved"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	for _, rt := range table {
		t.Run(rt.method+" "+rt.path+" "+rt.body, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.proved["proved"] = w.at.Add(time.Minute)
			h, path := w.handler(), "/api/ai"+rt.path
			refused := func(why, who string, status int, code fault.Code, method, path, body string, header ...string) {
				t.Helper()
				if a := ask(t, h, who, method, path, body, header...); a.status != status || a.Code != string(code) {
					t.Errorf("%s: %d %s %q, want %d %s", why, a.status, a.Code, a.Error, status, code)
				}
				w.work.Wait()
				if did := w.took(); len(did) > 0 {
					t.Errorf("%s did %q", why, did)
				}
			}
			refused("nobody", nobody, 403, fault.PermissionDenied, rt.method, path, rt.body)
			refused("a clawbot", clawbot, 403, fault.PermissionDenied, rt.method, path, rt.body)
			refused("another method", approver, 405, fault.Usage, "PUT", path, rt.body)
			if rt.method != "GET" {
				refused("another site", approver, 403, fault.PermissionDenied, rt.method, path, rt.body, "Origin", "https://evil.example")
				refused("another site's fetch", approver, 403, fault.PermissionDenied, rt.method, path, rt.body, "Sec-Fetch-Site", "cross-site")
				refused("a body that is none", approver, 400, fault.Usage, rt.method, path, `{"unknown":1}`)
				refused("an array", approver, 400, fault.Usage, rt.method, path, `[1]`)
			}
			if rt.method != "GET" && rt.body != "" && rt.body != "{}" {
				refused("a field twice", approver, 400, fault.Usage, rt.method, path, strings.Replace(rt.body, "{", `{"reason":"a","REASON":"b",`, 1))
				refused("something behind it", approver, 400, fault.Usage, rt.method, path, rt.body+"{}")
				refused("no JSON", approver, 400, fault.Usage, rt.method, path, rt.body, "Content-Type", "text/plain")
				refused("not UTF-8", approver, 400, fault.Usage, rt.method, path, rt.body[:len(rt.body)-2]+"\xff\"}")
				refused("too large", approver, 413, fault.Usage, rt.method, path, `{"x":"`+strings.Repeat("a", 1<<20)+`"}`)
			}
			if rt.stepUp {
				refused("without the passphrase", browser, 401, fault.ReauthRequired, rt.method, path, rt.body)
				refused("the token alone", token, 401, fault.ReauthRequired, rt.method, path, rt.body)
				w.initialized = false
				refused("before there is a passphrase", approver, 401, fault.ReauthRequired, rt.method, path, rt.body)
				w.initialized = true
				w.pass(time.Minute)
				refused("ten minutes later", approver, 401, fault.ReauthRequired, rt.method, path, rt.body)
				w.pass(-time.Minute)
			}
			w.pass(time.Hour) // the limit of writes is full again
			w.proved["proved"] = w.now().Add(time.Minute)
			want, does := rt.status, rt.does
			if want == 0 {
				want = 200
			}
			who := browser
			if rt.stepUp {
				who = approver
			}
			a := ask(t, h, who, rt.method, path, rt.body)
			if a.status != want || a.header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
				t.Errorf("answer %d %+v, want %d", a.status, a, want)
			}
			did := w.took()
			if does == "" && len(did) == 0 {
				return
			}
			if len(did) == 0 || !strings.HasPrefix(strings.Replace(did[0], sessionOf(did[0]), "S", 1)+" ", does+" ") {
				t.Errorf("did %q, want %q", did, does)
			}
		})
	}
}

// sessionOf is the name of a log-in within a call. It is not the cookie.
func sessionOf(call string) string {
	for _, word := range strings.Fields(call) {
		if strings.HasPrefix(word, "http:") && len(word) == len("http:")+32 && !strings.Contains(word, "cookie") {
			return word
		}
	}
	return "\x00"
}

// What reads changes nothing, and what changes is no GET, whatever is sent with it.
func TestEveryRouteIsInTheTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.handler()
	for _, path := range []string{"/api/ai", "/api/ai/", "/api/ai/nothing", "/api/ai/actions/", "/api/ai/actions/a/approve/b"} {
		if a := ask(t, h, browser, "GET", path, ""); a.status != 404 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for _, rt := range table {
		if rt.method == "GET" {
			continue
		}
		// As GET it is either another route, that reads, or none.
		ask(t, h, approver, "GET", "/api/ai"+rt.path, rt.body)
		for _, did := range w.took() {
			if !slices.Contains([]string{"connections", "connection main", "messages r1 0", "killed"}, did) {
				t.Errorf("GET %s did %q", rt.path, did)
			}
		}
	}
}

func TestQueriesAreStrict(t *testing.T) {
	t.Parallel()
	h := newWorld(t).handler()
	for _, path := range []string{"/actions?State=proposed", "/actions?state=", "/actions?state=a&state=b", "/actions?state=A;B", "/audit?limit=0", "/audit?limit=1001",
		"/audit?limit=-1", "/audit?n=1", "/rooms/r1/messages?after=x", "/rooms/r1/messages?after=9999999999999999", "/mcp-config?client=vim"} {
		if a := ask(t, h, browser, "GET", "/api/ai"+path, ""); a.status != 400 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for _, id := range []string{"a%20b", "%00", "a%0Ab", "..%2fx", strings.Repeat("a", 81), "a%E2%80%AEb", "<b>"} {
		if a := ask(t, h, browser, "GET", "/api/ai/actions/"+id, ""); a.status != 404 {
			t.Errorf("%q: %d", id, a.status)
		}
	}
}

func TestThePassphrase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.handler()
	if a := ask(t, h, browser, "POST", "/api/ai/auth/reauth", `{"passphrase":"wrong"}`); a.status != 401 {
		t.Errorf("a wrong one: %d", a.status)
	}
	for _, body := range []string{`{}`, `{"passphrase":""}`, `{"passphrase":"` + strings.Repeat("a", 1025) + `"}`, `{"passphrase":5}`} {
		if a := ask(t, h, browser, "POST", "/api/ai/auth/reauth", body); a.status != 400 {
			t.Errorf("%.40s: %d", body, a.status)
		}
	}
	if a := ask(t, h, token, "POST", "/api/ai/auth/reauth", `{"passphrase":"correct horse"}`); a.status != 401 || a.Code != string(fault.ReauthRequired) {
		t.Errorf("without a log-in: %d %s", a.status, a.Code)
	}
	if a := ask(t, h, browser, "POST", "/api/ai/auth/reauth", `{"passphrase":"correct horse"}`); a.status != 200 || a.ProvedUntil == "" {
		t.Errorf("the right one: %+v", a)
	}
	if a := ask(t, h, browser, "POST", "/api/ai/actions/a/challenge", `{}`); a.status != 200 {
		t.Errorf("after it: %+v", a)
	}
	// It is one log-in that was given it.
	if a := ask(t, h, "operator/other", "POST", "/api/ai/actions/a/challenge", `{}`); a.status != 401 {
		t.Errorf("another log-in: %+v", a)
	}
	w.pass(10 * time.Minute)
	if a := ask(t, h, browser, "POST", "/api/ai/actions/a/challenge", `{}`); a.status != 401 {
		t.Errorf("ten minutes later: %+v", a)
	}
	w.initialized = false
	if a := ask(t, h, browser, "POST", "/api/ai/actions/a/approve", `{}`); a.status != 401 || a.Hint != "ape-claw ai auth init" {
		t.Errorf("before there is one: %+v", a)
	}
}

// Two log-ins are two sessions to a challenge, and neither is told the other's.
func TestAChallengeIsOfOneLogIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.handler()
	var names []string
	for _, cookie := range []string{"one", "two", "one"} {
		w.proved[cookie] = w.at.Add(time.Minute)
		ask(t, h, "operator/"+cookie, "POST", "/api/ai/actions/a/challenge", `{}`)
		names = append(names, sessionOf(w.took()[0]))
	}
	if names[0] == names[1] || names[0] != names[2] {
		t.Errorf("sessions %q", names)
	}
}

// Who approves and goes away has approved: the execution is not the request's.
func TestAnApprovalOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hold = make(chan struct{})
	w.proved["proved"] = w.at.Add(time.Minute)
	h := w.handler()
	ctx, leave := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "POST", "/api/ai/actions/act_1/approve", strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Test-Caller", "operator")
	r.Header.Set("Test-Cookie", "proved")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r) // it answers while the execution goes on
	if rec.Code != http.StatusAccepted {
		t.Errorf("answer %d", rec.Code)
	}
	leave()
	close(w.hold)
	w.work.Wait()
	if did := w.took(); !slices.Contains(did, "executed act_1 goes on") {
		t.Errorf("did %q", did)
	}
}

func TestARefusedApprovalExecutesNothing(t *testing.T) {
	t.Parallel()
	for code, status := range map[fault.Code]int{fault.ActionNotPending: 409, fault.ActionStale: 409, fault.ActionExpired: 410} {
		w := newWorld(t)
		w.fail = fault.New(code, "no")
		w.proved["proved"] = w.at.Add(time.Minute)
		if a := ask(t, w.handler(), approver, "POST", "/api/ai/actions/a/approve", "{}"); a.status != status || a.Code != string(code) {
			t.Errorf("%s: %d %s", code, a.status, a.Code)
		}
		w.work.Wait()
		if did := w.took(); len(did) != 1 {
			t.Errorf("%s: did %q", code, did)
		}
	}
}

func TestSixtyWritesAMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.handler()
	var passed, refused int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 90 {
		all.Go(func() {
			a := ask(t, h, browser, "POST", "/api/ai/actions/a/reject", `{"reason":""}`)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case a.status == 200:
				passed++
			case a.status == 429 && a.Code == string(fault.RateLimited) && a.header.Get("Retry-After") == "1":
				refused++
			}
		})
	}
	all.Wait()
	if passed != 60 || refused != 30 {
		t.Errorf("%d passed, %d were refused", passed, refused)
	}
	for range 100 {
		if a := ask(t, h, browser, "GET", "/api/ai/actions", ""); a.status != 200 {
			t.Fatalf("reads are limited: %d", a.status)
		}
	}
	w.pass(2 * time.Second)
	if a := ask(t, h, browser, "POST", "/api/ai/kill", `{}`); a.status != 200 {
		t.Errorf("two seconds later: %d", a.status)
	}
}

func TestAPartThatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.parts = func(b *api.Backend) { *b = api.Backend{Operator: b.Operator} }
	w.proved["proved"] = w.at.Add(time.Minute)
	h := w.handler()
	for _, rt := range table {
		want := 404
		if strings.HasPrefix(rt.path, "/auth") {
			want = 200
		}
		if a := ask(t, h, approver, rt.method, "/api/ai"+rt.path, rt.body); a.status != want {
			t.Errorf("%s %s: %d", rt.method, rt.path, a.status)
		}
	}
}
