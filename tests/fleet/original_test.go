package fleet_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const registrationKey = "registration-key-of-the-test-0123456789"

// as are the headers of an agent.
func as(agent, token string) []string { return []string{"x-agent-id", agent, "x-agent-token", token} }

// route is a request of the published server's table, and what has to come of it.
type route struct {
	name         string
	method, path string
	body         string
	header       []string
	status       int
	has          []string // members of the answer
}

func (r route) check(t *testing.T, s *server) answer {
	t.Helper()
	header := r.header
	if r.body != "" && !slices.Contains(header, "Content-Type") {
		header = append(slices.Clone(header), "Content-Type", "application/json")
	}
	a := ask(t, s, r.method, r.path, r.body, header...)
	if a.status != r.status {
		t.Errorf("%s: %s %s %q: %d, want %d: %.300s", r.name, r.method, r.path, r.header, a.status, r.status, a.body)
		return a
	}
	if a.status >= 400 && r.method != http.MethodHead && (a.str("error") == "" || a.str("code") == "") {
		t.Errorf("%s: an error without error and code: %.300s", r.name, a.body)
	}
	for _, name := range r.has {
		if _, ok := a.doc[name]; !ok {
			t.Errorf("%s: the answer has no %s: %.300s", r.name, name, a.body)
		}
	}
	for _, secret := range []string{s.m.dir, registrationKey} {
		if strings.Contains(a.body, secret) {
			t.Errorf("%s: the answer says %q: %.300s", r.name, secret, a.body)
		}
	}
	return a
}

const small = `{"eventType":"myagent.step.done"}`

// TestOriginalRoutes: the published server's routes, one by one: which statuses, and
// which members users' scripts read.
func TestOriginalRoutes(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "server")
	token := m.register("agent-123")
	good, bad := as("agent-123", token), as("agent-123", "claw_wrong")
	s := m.serve(nil)
	for _, r := range []route{
		{"health", "GET", "/api/health", "", nil, 200, []string{"ok", "service", "ts", "counts"}},
		{"events without credentials", "POST", "/api/events", small, nil, 401, nil},
		{"and with half of them", "POST", "/api/events", small, as("agent-123", "")[:2], 401, nil},
		{"and whatever the body is", "POST", "/api/events", "{", nil, 401, nil},
		{"bad credentials", "POST", "/api/events", small, bad, 403, nil},
		{"of an unknown agent", "POST", "/api/events", small, as("agent-124", token), 403, nil},
		{"of an object's ancestor", "POST", "/api/events", small, as("__proto__", token), 403, nil},
		{"bad JSON", "POST", "/api/events", `{"eventType":`, good, 400, nil},
		{"no JSON", "POST", "/api/events", "eventType=x", good, 400, nil},
		{"no object", "POST", "/api/events", `["myagent.step.done"]`, good, 400, nil},
		{"no eventType", "POST", "/api/events", `{"payload":{}}`, good, 400, nil},
		{"an empty eventType", "POST", "/api/events", `{"eventType":""}`, good, 400, nil},
		{"a time that is none", "POST", "/api/events", `{"eventType":"a.b","ts":"yesterday"}`, good, 400, []string{"field"}},
		{"a version that is none", "POST", "/api/events", `{"eventType":"a.b","v":NaN}`, good, 400, nil},
		{"a body that is no JSON by its type", "POST", "/api/events", small, append([]string{"Content-Type", "text/plain"}, good...), 415, nil},
		{"an event", "POST", "/api/events", small, good, 200, []string{"ok", "eventId", "cursor"}},
		{"a body of more than a megabyte", "POST", "/api/events", `{"eventType":"a.b","payload":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`, good, 413, nil},
		{"a body of four", "POST", "/api/events", `{"eventType":"a.b","payload":{"x":"` + strings.Repeat("x", 4<<20) + `"}}`, good, 413, nil},
		{"a wrong method", "GET", "/api/events", "", good, 405, nil},
		{"the backlog", "GET", "/events/backlog", "", nil, 200, []string{"events"}},
		{"with a limit", "GET", "/events/backlog?limit=1000", "", nil, 200, []string{"events"}},
		{"that is none", "GET", "/events/backlog?limit=abc", "", nil, 400, nil},
		{"that is too much", "GET", "/events/backlog?limit=1001", "", nil, 400, nil},
		{"since a moment", "GET", "/events/backlog?since=2026-01-01T00:00:00Z", "", nil, 200, []string{"events"}},
		{"a browser's question", "OPTIONS", "/api/events", "", nil, 204, nil},
		{"the policy without credentials", "GET", "/api/policy", "", nil, 401, nil},
		{"with bad ones", "GET", "/api/policy", "", bad, 403, nil},
		{"the policy where there is none", "GET", "/api/policy", "", good, 404, nil},
		{"the allowlist", "GET", "/api/allowlist", "", good, 200, nil},
		{"the agents", "GET", "/api/clawbots", "", good, 200, []string{"count", "clawbots", "sharedKeyConfigured"}},
		{"quotes without credentials", "GET", "/api/quotes", "", nil, 401, nil},
		{"with bad ones", "GET", "/api/quotes", "", bad, 403, nil},
		{"quotes", "GET", "/api/quotes", "", good, 200, nil},
		{"a quote that is none", "GET", "/api/quotes/q_none", "", good, 404, nil},
		{"without credentials", "GET", "/api/quotes/q_none", "", nil, 401, nil},
		{"a quote that a client makes up", "POST", "/api/quotes", "{}", good, 405, nil},
		{"what was spent today, without credentials", "GET", "/api/quotes/spend-today", "", nil, 401, nil},
		{"what was spent today", "GET", "/api/quotes/spend-today", "", good, 200, []string{"ok", "spentToday"}},
		{"the agents' check, without credentials", "POST", "/api/clawbots/verify", "", nil, 401, nil},
		{"with bad ones", "POST", "/api/clawbots/verify", "", bad, 403, nil},
		{"the agents' check", "POST", "/api/clawbots/verify", "", good, 200, []string{"ok", "verified", "agent"}},
		{"registering where nobody may", "POST", "/api/clawbots/register", `{"agentId":"agent-125"}`, nil, 503, nil},
		{"an invite where there is no key", "POST", "/api/invites/create", "{}", nil, 503, nil},
		{"an unknown path", "GET", "/api/nothing", "", nil, 404, nil},
		{"the agents' file", "GET", "/config/clawbots.json", "", nil, 404, nil},
		{"the invites' file", "GET", "/state/invites.json", "", nil, 404, nil},
		{"the log's file", "GET", "/state/events.jsonl", "", nil, 404, nil},
		{"the environment", "GET", "/.env", "", nil, 404, nil},
		{"the repository", "GET", "/.git/config", "", nil, 404, nil},
		{"a way out", "GET", "/%2e%2e/state/events.jsonl", "", nil, 404, nil},
		{"keys of models", "GET", "/api/openclaw/env", "", good, 404, nil},
		{"a foreign name", "GET", "/api/health", "", []string{"Host", "evil.example"}, 403, nil},
		{"a foreign name, to write", "POST", "/api/events", small, append([]string{"Host", "evil.example"}, good...), 403, nil},
		{"a foreign page", "POST", "/api/events", small, append([]string{"Origin", "https://evil.example"}, good...), 403, nil},
	} {
		r.check(t, s)
	}
	var shown struct{ Policy json.RawMessage }
	if err := json.Unmarshal(m.must("policy", "show").out, &shown); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.home(), "policy.json"), shown.Policy, 0o600); err != nil {
		t.Fatal(err)
	}
	route{"the policy", "GET", "/api/policy", "", good, 200, nil}.check(t, s)
	h := ask(t, s, "GET", "/api/health", "")
	if h.str("service") != "ape-claw-telemetry" || h.header.Get("X-Content-Type-Options") != "nosniff" || h.header.Get("Referrer-Policy") == "" ||
		!strings.Contains(h.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || h.header.Get("Access-Control-Allow-Origin") == "*" {
		t.Errorf("health: %s %v", h.body, h.header)
	}
	wantIn := []string{"clawbot.registered", "myagent.step.done", "policy.shown"}
	var have []string
	for _, e := range readLog(t, m.state()) {
		have = append(have, e.EventType)
	}
	if !slices.Equal(have, wantIn) {
		t.Errorf("the log has %q, want %q: what is refused is not written", have, wantIn)
	}
}

// TestOriginalEnvelope: what the published server makes of an envelope's fields.
func TestOriginalEnvelope(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "server")
	token := m.register("agent-123")
	s := m.serve(nil)
	post := func(body string) (answer, entry) {
		t.Helper()
		a := ask(t, s, "POST", "/api/events", body, append(as("agent-123", token), "Content-Type", "application/json")...)
		all := readLog(t, m.state())
		return a, all[len(all)-1]
	}
	before := time.Now().Add(-time.Second)
	a, e := post(`{"eventType":"my.own","agentId":"somebody-else"}`)
	at, err := time.Parse(time.RFC3339, e.TS)
	if a.status != 200 || e.AgentID != "agent-123" || err != nil || at.Before(before) || string(e.Payload) != "{}" || string(e.Result) != "{}" || !e.DryRun || !e.OK || e.TraceID == "" {
		t.Errorf("all that is missing: %s, kept as %+v (%v)", a.body, e, err)
	}
	if _, e := post(`{"eventType":"my.own","ts":1771416000,"data":{"a":1}}`); e.TS != "2026-02-18T12:00:00.000Z" || string(e.Payload) != `{"a":1}` {
		t.Errorf("data and unix seconds are kept as %+v", e)
	}
	if _, e := post(`{"eventType":"my.own","payload":{"p":1},"data":{"d":1}}`); string(e.Payload) != `{"p":1}` {
		t.Errorf("payload and data are kept as %+v", e)
	}
	a, e = post(`{"eventType":"no.such.type.at.all","traceId":"t-1","ok":false,"error":"no luck"}`)
	if a.status != 200 || e.EventType != "no.such.type.at.all" || e.TraceID != "t-1" || e.OK {
		t.Errorf("an unknown type: %s, kept as %+v", a.body, e)
	}
	// The same once more, after a restart too: harmless by its id.
	const again = `{"eventType":"my.own","eventId":"mine/7"}`
	for i, want := range []bool{false, true, true} {
		if i == 2 {
			s.kill()
			s.start()
		}
		if a, _ := post(again); a.status != 200 || a.doc["duplicate"] != want || a.str("eventId") != "mine/7" {
			t.Errorf("sent %d times: %d %s", i+1, a.status, a.body)
		}
	}
	n := 0
	for _, e := range readLog(t, m.state()) {
		if e.EventID == "mine/7" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("an event with an id is kept %d times", n)
	}
}

// TestOriginalStream: the stream, its positions and its end.
func TestOriginalStream(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "server")
	s := m.serve(nil)
	f := follow(t, s, "")
	if f.header.Get("X-Accel-Buffering") != "no" || f.header.Get("Cache-Control") == "" {
		t.Errorf("headers %v", f.header)
	}
	var ids []string
	for i := range 3 { // by other processes
		m.must(step(i)...)
		fr := f.next()
		var e entry
		if err := json.Unmarshal([]byte(fr.data), &e); err != nil || fr.event != "" || string(e.Payload) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("event %d came as %+v (%v)", i, fr, err)
		}
		ids = append(ids, fr.id)
	}
	resumed := follow(t, s, "", "Last-Event-ID", ids[0])
	for _, want := range ids[1:] {
		if fr := resumed.next(); fr.id != want {
			t.Errorf("resumed at %s, want %s", fr.id, want)
		}
	}
	if fr := follow(t, s, "", "Last-Event-ID", "zz-17").next(); fr.event != "reset" {
		t.Errorf("an id of another log: %+v", fr)
	}
	// A line that is none is skipped, and counted.
	log, err := os.OpenFile(filepath.Join(m.state(), "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.WriteString("{\"eventType\":\n"); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	m.must("clawbot", "list")
	if fr := f.next(); !strings.Contains(fr.data, "clawbot.list.read") {
		t.Errorf("after a bad line came %+v", fr)
	}
	if a := ask(t, s, "GET", "/events/backlog", ""); len(a.doc["events"].([]any)) != 4 {
		t.Errorf("the backlog after a bad line: %s", a.body)
	}
	counts, _ := ask(t, s, "GET", "/api/health", "").doc["counts"].(map[string]any)
	if n, _ := counts["badLines"].(float64); n != 1 {
		t.Errorf("health counts %v", counts)
	}
	// Its port is taken.
	if o := m.run(nil, "serve", "--addr", s.addr); o.exit == 0 || !strings.Contains(o.text, "APE_CLAW_UI_PORT") && !strings.Contains(o.text, "--addr") {
		t.Errorf("a port that is taken: %s", o)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("SIGTERM ends it with %d", code)
	}
	f.ended()
	resumed.ended()
}

// TestOriginalRegistration: agents and invites over HTTP.
func TestOriginalRegistration(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "server")
	s := m.serve([]string{"APE_CLAW_REGISTRATION_KEY=" + registrationKey})
	key := []string{"x-registration-key", registrationKey}
	wrong := []string{"x-registration-key", registrationKey + "!"}
	id := func(name string) string { return fmt.Sprintf(`{"agentId":%q}`, name) }
	for _, r := range []route{
		{"an invite without a key", "POST", "/api/invites/create", "{}", nil, 403, nil},
		{"with a wrong one", "POST", "/api/invites/create", "{}", wrong, 403, nil},
		{"bad JSON", "POST", "/api/invites/create", "{", key, 400, nil},
		{"registering without a key", "POST", "/api/clawbots/register", id("agent-1"), nil, 403, nil},
		{"with a wrong one", "POST", "/api/clawbots/register", id("agent-1"), wrong, 403, nil},
		{"bad JSON", "POST", "/api/clawbots/register", "{", key, 400, nil},
		{"nobody", "POST", "/api/clawbots/register", "{}", key, 400, nil},
		{"an object's ancestor", "POST", "/api/clawbots/register", id("__proto__"), key, 400, nil},
		{"a name with a space", "POST", "/api/clawbots/register", id("agent 1"), key, 400, nil},
		{"a megabyte of a name", "POST", "/api/clawbots/register", id(strings.Repeat("a", 1<<20)), key, 413, nil},
		{"the person", "POST", "/api/clawbots/register", id("operator"), key, 400, nil},
		{"the machine", "POST", "/api/clawbots/register", id("local-cli"), key, 400, nil},
	} {
		r.check(t, s)
	}
	a := route{"by key", "POST", "/api/clawbots/register", `{"agentId":"agent-1","name":"My Agent"}`, key, 200, []string{"registered", "agentId", "name", "token", "note"}}.check(t, s)
	token := a.str("token")
	if !strings.HasPrefix(token, "claw_") || a.str("name") != "My Agent" {
		t.Errorf("registered as %s", a.body)
	}
	if a := (route{"twice", "POST", "/api/clawbots/register", id("agent-1"), key, 409, nil}).check(t, s); !strings.Contains(a.body, "already registered") {
		t.Errorf("twice: %s", a.body)
	}
	route{"who was registered", "POST", "/api/clawbots/verify", "", as("agent-1", token), 200, []string{"verified"}}.check(t, s)
	route{"and reports", "POST", "/api/events", small, as("agent-1", token), 200, nil}.check(t, s)
	route{"the key writes too", "POST", "/api/events", `{"eventType":"a.b","agentId":"agent-9"}`, key, 200, nil}.check(t, s)
	route{"but not as the machine", "POST", "/api/events", `{"eventType":"a.b","agentId":"local-cli"}`, key, 400, nil}.check(t, s)
	invite := func(terms string) (code string, uses float64, ends time.Time) {
		t.Helper()
		a := route{"an invite", "POST", "/api/invites/create", terms, key, 200, []string{"ok", "invite", "expiresAt", "usesRemaining", "note"}}.check(t, s)
		ends, err := time.Parse(time.RFC3339, a.str("expiresAt"))
		if !strings.HasPrefix(a.str("invite"), "inv_") || err != nil {
			t.Errorf("the invite is %s (%v)", a.body, err)
		}
		return a.str("invite"), a.num("usesRemaining"), ends
	}
	if _, uses, ends := invite(`{"ttlMs":1,"uses":0}`); uses != 1 || time.Until(ends) > time.Minute+time.Second {
		t.Errorf("the least invite has %v uses until %s", uses, ends)
	}
	if _, uses, ends := invite(`{"ttlMs":99999999999,"uses":99}`); uses != 5 || time.Until(ends) > 7*24*time.Hour+time.Second || time.Until(ends) < 6*24*time.Hour {
		t.Errorf("the largest invite has %v uses until %s", uses, ends)
	}
	code, _, _ := invite(`{"uses":1}`)
	by := func(name string) string { return fmt.Sprintf(`{"agentId":%q,"invite":%q}`, name, code) }
	route{"a bad id by invite", "POST", "/api/clawbots/register", by("Bad Id"), nil, 400, nil}.check(t, s)
	route{"a taken id by invite", "POST", "/api/clawbots/register", by("agent-1"), nil, 409, nil}.check(t, s)
	// Neither used it up; of many at once, one does.
	var mu sync.Mutex
	statuses := map[int]int{}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			a := ask(t, s, "POST", "/api/clawbots/register", by(fmt.Sprintf("guest-%d", i)), "Content-Type", "application/json")
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
		})
	}
	wg.Wait()
	if statuses[200] != 1 || statuses[403]+statuses[429] != 19 {
		t.Errorf("20 redeem one invite: %v", statuses)
	}
	a = route{"the agents", "GET", "/api/clawbots", "", as("agent-1", token), 200, nil}.check(t, s)
	list, _ := a.doc["clawbots"].([]any)
	if len(list) != 2 || a.num("count") != 2 || a.doc["sharedKeyConfigured"] != false {
		t.Errorf("the agents: %s", a.body)
	}
	for _, c := range list {
		bot, _ := c.(map[string]any)
		for _, name := range []string{"agentId", "name", "enabled", "createdAt"} {
			if _, ok := bot[name]; !ok || len(bot) != 4 {
				t.Errorf("an agent is shown as %v", bot)
			}
		}
	}
	log, err := os.ReadFile(filepath.Join(m.state(), "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{token, code, registrationKey} {
		if strings.Contains(string(log), secret) || strings.Contains(tailOf(s.log.Name()), secret) {
			t.Errorf("the log has the secret %.9s…", secret)
		}
	}
	for _, e := range []string{"clawbot.registered"} {
		if !strings.Contains(string(log), e) {
			t.Errorf("the log has no %s", e)
		}
	}
}

// TestOriginalOpen: whoever comes may register, one address now and then; nobody by
// saying that it is another.
func TestOriginalOpen(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "server")
	s := m.serve([]string{"APE_CLAW_OPEN_REGISTRATION=1", "APE_CLAW_REGISTRATION_COOLDOWN_MS=600000"})
	route{"the first", "POST", "/api/clawbots/register", `{"agentId":"agent-1"}`, nil, 200, []string{"token"}}.check(t, s)
	for _, header := range [][]string{nil, {"X-Forwarded-For", "203.0.113.9"}} {
		a := route{"the second", "POST", "/api/clawbots/register", `{"agentId":"agent-2"}`, header, 429, []string{"retryAfterSeconds"}}.check(t, s)
		if a.header.Get("Retry-After") == "" {
			t.Errorf("429 without Retry-After: %v", a.header)
		}
	}
}

// TestOriginalEndless: a body that never ends is answered before it has begun, when
// nobody is allowed to send it.
func TestOriginalEndless(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "server")
	s := m.serve(nil)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // all that counts is read
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "POST /api/events HTTP/1.1\r\nHost: "+s.addr+"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 12)
	if _, err := io.ReadFull(conn, head); err != nil || string(head) != "HTTP/1.1 401" {
		t.Errorf("%q, %v", head, err)
	}
}

// TestRevoked: what was revoked stops within a second, on open streams too; and a new
// token begins.
func TestRevoked(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "server")
	token, other := m.register("agent-1"), m.register("agent-2")
	s := m.serve(nil, "--require-auth")
	f, stays := follow(t, s, "", as("agent-1", token)...), follow(t, s, "", as("agent-2", other)...)
	report := route{"reporting", "POST", "/api/events", small, as("agent-1", token), 200, nil}
	report.check(t, s)
	m.must("clawbot", "revoke", "--agent-id", "agent-1")
	began := time.Now()
	f.ended()
	took := time.Since(began)
	t.Logf("the stream ended %s after the command", took)
	if *full && took > 1200*time.Millisecond { // the promise; else nothing depends on speed
		t.Errorf("the stream ended only after %s", took)
	}
	report.status = 403
	report.check(t, s)
	var doc struct{ Token string }
	if err := json.Unmarshal(m.must("clawbot", "rotate", "--agent-id", "agent-1").out, &doc); err != nil {
		t.Fatal(err)
	}
	report.header, report.status = as("agent-1", doc.Token), 200
	until(t, "the new token works", func() bool {
		return ask(t, s, "POST", "/api/events", small, append(report.header, "Content-Type", "application/json")...).status == 200
	})
	for open := true; open; {
		select {
		case _, ok := <-stays.frames:
			if !ok {
				t.Fatal("another agent's stream ended too")
			}
		default:
			open = false
		}
	}
}
