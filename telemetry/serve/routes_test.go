package serve_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// errorOf checks the shape that all errors share.
func errorOf(t *testing.T, resp *http.Response, body string) (code string) {
	t.Helper()
	var e struct {
		Error, Code, Hint string
		Details           map[string]any
		RetryAfterSeconds int
		RetryAfterMs      int64
	}
	dec := json.NewDecoder(strings.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil || e.Error == "" || e.Code == "" {
		t.Errorf("%d %q is not an error of ours: %v", resp.StatusCode, body, err)
	}
	if got := resp.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	return e.Code
}

func TestRoutesThatRefuse(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(events("a.b", 0, 3)...)
	mounts := map[string]http.Handler{
		"POST /api/things": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve.WriteJSON(w, map[string]bool{"ok": true}) }),
		"GET /api/panic":   http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret detail") }),
	}
	s := start(t, serve.Options{Log: log, Mounts: mounts})
	for _, tt := range []struct {
		method, path string
		status       int
		code         string
		header       []string
	}{
		{"GET", "/nothing", 404, "not_found", nil},
		{"GET", "/events/", 404, "not_found", nil},
		{"POST", "/events", 405, "usage", nil},
		{"DELETE", "/events/backlog", 405, "usage", nil},
		{"GET", "/api/things", 405, "usage", nil},
		{"GET", "/api/panic", 500, "internal", nil},
		{"GET", "/events?ok=maybe", 400, "usage", nil},
		{"GET", "/events?backlog=abc", 400, "usage", nil},
		{"GET", "/events?backlog=-1", 400, "usage", nil},
		{"GET", "/events?backlog=1001", 400, "usage", nil},
		{"GET", "/events?type=NFT%0A.x", 400, "usage", nil},
		{"GET", "/events?agentId=" + strings.Repeat("a", 600), 400, "usage", nil},
		{"GET", "/events/backlog?limit=abc", 400, "usage", nil},
		{"GET", "/events/backlog?limit=0", 400, "usage", nil},
		{"GET", "/events/backlog?limit=1001", 400, "usage", nil},
		{"GET", "/events/backlog?limit=", 400, "usage", nil},
		{"GET", "/events/backlog?after=nope", 400, "usage", nil},
		{"GET", "/events/backlog?after=zz-4", 410, "not_found", nil},
		{"GET", "/api/events/schema?type=no.such", 404, "not_found", nil},
		// Nothing is read from the disk.
		{"GET", "/assets/../../../../etc/passwd", 404, "not_found", nil},
		{"GET", "/assets/%2e%2e/%2e%2e/go.mod", 404, "not_found", nil},
		{"GET", "/assets/..%2f..%2fgo.mod", 404, "not_found", nil},
		{"GET", "/assets//app.js", 404, "not_found", nil},
		{"GET", "/assets/", 404, "not_found", nil},
		{"GET", "/assets/app.js%00", 404, "not_found", nil},
		{"GET", "/.git/config", 404, "not_found", nil},
		{"GET", "/state/events.jsonl", 404, "not_found", nil},
		{"GET", "/index.html", 404, "not_found", nil},
		// Names that were made to point here, and other sites' pages.
		{"GET", "/", 403, "auth", []string{"Host", "evil.example"}},
		{"GET", "/events", 403, "auth", []string{"Host", "evil.example:8787"}},
		{"GET", "/api/health", 403, "auth", []string{"Host", "127.0.0.1.evil.example"}},
		{"GET", "/api/health", 403, "auth", []string{"Host", "192.168.1.7:8787"}},
		{"GET", "/api/health", 403, "auth", []string{"Host", "localhost.evil.example"}},
		{"POST", "/api/things", 403, "auth", []string{"Origin", "http://evil.example"}},
		{"POST", "/api/things", 403, "auth", []string{"Origin", "null"}},
		{"POST", "/api/things", 403, "auth", []string{"Sec-Fetch-Site", "cross-site"}},
		{"GET", "/events", 403, "auth", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"}},
		{"GET", "/events", 403, "auth", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"}},
		{"GET", "/events", 403, "auth", []string{"Origin", "http://evil.example"}},
		{"GET", "/events/backlog", 403, "auth", []string{"Origin", "http://localhost:1"}},
		{"GET", "/api/health", 403, "auth", []string{"Origin", "null"}},
		{"GET", "/api/health", 403, "auth", []string{"Origin", "127.0.0.1"}},
		{"OPTIONS", "/events", 403, "auth", []string{"Origin", "http://evil.example"}},
	} {
		resp, body := s.do(tt.method, tt.path, "", tt.header...)
		if resp.StatusCode != tt.status {
			t.Errorf("%s %s %q: %d %s, want %d", tt.method, tt.path, tt.header, resp.StatusCode, body, tt.status)
			continue
		}
		if code := errorOf(t, resp, body); code != tt.code {
			t.Errorf("%s %s: code %s, want %s", tt.method, tt.path, code, tt.code)
		}
		if strings.Contains(body, "secret") {
			t.Errorf("%s %s shows what panicked: %s", tt.method, tt.path, body)
		}
	}
	if resp, _ := s.do("POST", "/events", ""); !strings.Contains(resp.Header.Get("Allow"), "GET") {
		t.Errorf("405 without Allow: %v", resp.Header)
	}
}

func TestRoutesThatAnswer(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	mounts := map[string]http.Handler{"POST /api/things": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		serve.WriteJSON(w, map[string]bool{"ok": true})
	})}
	registry, token := oneAgent(t)
	s := start(t, serve.Options{Log: log, Auth: registry, Mounts: mounts, AllowedHosts: []string{"claw.local", "192.0.2.7"}, MaxBody: 1 << 10,
		Version: "1.2.3", Profile: serve.ProfileInfo{Sandbox: true, ChainID: 7733139}})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost:" + port, "localhost", "LOCALHOST.", "127.0.0.1", "127.9.9.9:1", "[::1]:" + port, "[::ffff:127.0.0.1]", "claw.local", "Claw.Local:80", "192.0.2.7:8787"} {
		if resp, body := s.get("/api/health", "Host", host); resp.StatusCode != http.StatusOK {
			t.Errorf("host %s: %d %s", host, resp.StatusCode, body)
		}
	}
	if resp, body := s.do("POST", "/api/things", "", "Origin", s.url, "X-Agent-Id", "bot-1", "X-Agent-Token", token); resp.StatusCode != http.StatusOK {
		t.Errorf("a call from our own page: %d %s", resp.StatusCode, body)
	}
	if resp, body := s.do("POST", "/api/things", "", "Sec-Fetch-Site", "same-origin", "Origin", s.url, "X-Agent-Id", "bot-1", "X-Agent-Token", token); resp.StatusCode != http.StatusOK {
		t.Errorf("a call from our own page: %d %s", resp.StatusCode, body)
	}
	if resp, body := s.get("/api/health", "Origin", s.url); resp.StatusCode != http.StatusOK {
		t.Errorf("a read from our own page: %d %s", resp.StatusCode, body)
	}
	if _, body := s.get("/", "Host", "claw.example"); !strings.Contains(body, "--allow-host") {
		t.Errorf("a name that is not ours: %s", body)
	}
	if resp, _ := s.get("/", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"); resp.StatusCode != http.StatusOK {
		t.Errorf("a link to the page: %d", resp.StatusCode)
	}
	for dest, want := range map[string]int{"document": 200, "iframe": 403, "frame": 403, "embed": 403, "object": 403} {
		if resp, _ := s.get("/events/backlog", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", dest); resp.StatusCode != want {
			t.Errorf("another site's %s: %d, want %d", dest, resp.StatusCode, want)
		}
	}
	if resp, _ := s.do("POST", "/api/things", strings.Repeat("a", 2000), "Content-Type", "application/x-www-form-urlencoded"); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over the cap: %d", resp.StatusCode)
	}
	// net/http answers 431 and closes, which a client still sending may see as a reset.
	req := must[*http.Request](t)(http.NewRequest(http.MethodGet, s.url+"/api/health", nil))
	req.Header.Set("X-Long", strings.Repeat("a", 64<<10))
	if resp, err := s.http.Do(req); err == nil {
		resp.Body.Close()
		if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("a header over the cap: %d", resp.StatusCode)
		}
	}

	resp, body := s.get("/api/health")
	var health struct {
		OK      bool
		Service string
		TS      time.Time
		Counts  map[string]int64
		Version string
		Profile serve.ProfileInfo
		Cursor  string
	}
	if err := json.Unmarshal([]byte(body), &health); err != nil {
		t.Fatal(err)
	}
	if !health.OK || health.Service != "ape-claw-telemetry" || health.TS.IsZero() || health.Counts["eventsBytes"] != 4096 ||
		health.Counts["badLines"] != 3 || health.Version != "1.2.3" || !health.Profile.Sandbox || health.Profile.ChainID != 7733139 || health.Cursor != "aa-0" {
		t.Errorf("health %s", body)
	}
	if strings.Contains(body, "/") {
		t.Errorf("health shows a path: %s", body)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	policy := resp.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is loose: %q", policy)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	s := start(t, serve.Options{Log: newMemLog("aa")})
	for path, kind := range map[string]string{"/": "text/html", "/assets/app.js": "text/javascript", "/assets/app.css": "text/css",
		"/favicon.ico": "image/svg+xml", "/assets/fonts/inter.woff2": "font/woff2"} {
		resp, body := s.get(path)
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), kind) || body == "" {
			t.Errorf("%s: %d %q", path, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
		again, _ := s.get(path, "If-None-Match", resp.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %d", path, again.StatusCode)
		}
	}
	_, page := s.get("/")
	for _, bad := range []string{"http://", "https://", "style=", "onclick=", "<script>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q: it may use its own files only, and the policy refuses inline code", bad)
		}
	}
}

func TestBacklog(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	all := events("a.b", 0, 400)
	all[3] = `{ "spaced" : 10.123456789012345678 , "n":3}` // embedded byte for byte
	log.add(all...)
	s := start(t, serve.Options{Log: log})
	ask := func(query string) (string, string) {
		t.Helper()
		resp, body := s.get("/events/backlog" + query)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", query, resp.StatusCode, body)
		}
		var b struct{ Cursor string }
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return body, b.Cursor
	}
	want := func(lines []string, cursor telemetry.Cursor) string {
		return fmt.Sprintf("{\"events\":[%s],\"cursor\":%q}\n", strings.Join(lines, ","), cursor)
	}
	end := log.lines[399].At
	for _, tt := range []struct {
		query string
		lines []string
		at    telemetry.Cursor
	}{
		{"", all[100:], end},
		{"?limit=1", all[399:], end},
		{"?limit=1000", all, end},
		{"?after=0-0&limit=5", all[:5], log.lines[4].At},
		{"?limit=300&after=" + log.lines[398].At.String(), all[399:], end},
		{"?after=" + end.String(), nil, end},
		{"?limit=2&traceId=t-1", []string{all[391], all[396]}, end},
		{"?limit=2&traceId=t-1&after=0-0", []string{all[1], all[6]}, log.lines[6].At},
		{"?type=x.*", nil, end},
	} {
		if got, _ := ask(tt.query); got != want(tt.lines, tt.at) {
			t.Errorf("%s: got %.200s… want %.200s…", tt.query, got, want(tt.lines, tt.at))
		}
	}
	// Paging with the cursor meets every event once.
	var pages []string
	at := "0-0"
	for {
		body, next := ask("?limit=97&after=" + at)
		inner := strings.TrimPrefix(body[:strings.LastIndex(body, `],"cursor"`)], `{"events":[`)
		if inner == "" {
			break
		}
		pages, at = append(pages, inner), next
	}
	if strings.Join(pages, ",") != strings.Join(all, ",") {
		t.Error("the pages together are not the log")
	}
	// And the stream goes on from the same cursor.
	st := s.stream("?after=" + at)
	log.add(event("a.b", 1))
	st.want(event("a.b", 1))
}

func TestEmptyBacklog(t *testing.T) {
	t.Parallel()
	s := start(t, serve.Options{Log: newMemLog("")})
	if _, body := s.get("/events/backlog"); body != "{\"events\":[],\"cursor\":\"0-0\"}\n" {
		t.Errorf("got %s", body)
	}
}

func TestSchemaView(t *testing.T) {
	t.Parallel()
	s := start(t, serve.Options{Log: newMemLog("aa")})
	_, body := s.get("/api/events/schema")
	var all struct {
		Count int
		Types []struct{ Type, Meaning string }
	}
	if err := json.Unmarshal([]byte(body), &all); err != nil || all.Count != len(telemetry.Catalogue()) || len(all.Types) != all.Count || all.Count == 0 {
		t.Fatalf("%v: %d types, want %d", err, all.Count, len(telemetry.Catalogue()))
	}
	_, body = s.get("/api/events/schema?type=nft.buy.confirmed")
	var one struct {
		Envelope map[string]any
		Types    []struct {
			Type            string
			Payload, Result map[string]any
		}
	}
	if err := json.Unmarshal([]byte(body), &one); err != nil || one.Envelope["properties"] == nil || len(one.Types) != 1 ||
		one.Types[0].Type != "nft.buy.confirmed" || one.Types[0].Result["properties"] == nil {
		t.Errorf("%v: %s", err, body)
	}
}

func TestListenErrors(t *testing.T) {
	t.Parallel()
	busy := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	defer busy.Close()
	for _, tt := range []struct {
		addr  string
		code  fault.Code
		words []string
	}{
		{busy.Addr().String(), fault.Conflict, []string{"in use", "--addr", "APE_CLAW_UI_PORT"}},
		{"0.0.0.0:0", fault.Usage, []string{"other machines", "--insecure"}},
		{":0", fault.Usage, []string{"other machines", "127.0.0.1"}},
		{"nonsense", fault.Usage, []string{"nonsense", "host:port"}},
		{"127.0.0.1:99999", fault.Usage, []string{"127.0.0.1:99999"}},
		{"192.0.2.1:0", fault.Usage, []string{"no address of this machine"}},
	} {
		s := must[*serve.Server](t)(serve.New(serve.Options{Log: newMemLog("aa"), Now: time.Now, Addr: tt.addr}))
		err := s.Serve(t.Context())
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != tt.code {
			t.Errorf("%s: %v, want %s", tt.addr, err, tt.code)
			continue
		}
		for _, w := range tt.words {
			if !strings.Contains(f.Message+" "+f.Hint, w) {
				t.Errorf("%s: %q / %q lacks %q", tt.addr, f.Message, f.Hint, w)
			}
		}
	}
	s := must[*serve.Server](t)(serve.New(serve.Options{Log: newMemLog("aa"), Now: time.Now, Addr: "0.0.0.0:0", Insecure: true}))
	if _, err := s.Listen(); err != nil {
		t.Errorf("with Insecure: %v", err)
	}
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
		t.Errorf("URL %s", s.URL())
	}
	ctx, cancel := contextThatEnded(t)
	defer cancel()
	if err := s.Serve(ctx); err != nil {
		t.Error(err)
	}
}

func TestMountsThatClash(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"GET /events", "no slash", "GET /{$}"} {
		_, err := serve.New(serve.Options{Log: newMemLog("aa"), Now: time.Now, Mounts: map[string]http.Handler{pattern: http.NotFoundHandler()}})
		if err == nil {
			t.Errorf("mount %q was taken", pattern)
		}
	}
}

// A filter that is misspelt, empty or cut off would let everything pass.
func TestQueriesThatNobodyKnows(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(event("a.b", 1))
	s := start(t, serve.Options{Log: log})
	for _, tt := range []struct{ path, says string }{
		{"/events?typ=nft.*", `"typ"`}, {"/events?since=0", `"since"`}, {"/events?limit=3", `"limit"`}, {"/events?stream=messages", `"stream"`},
		{"/events?type=", "type is empty"}, {"/events?type=%20,", "type is empty"}, {"/events?agentId=", "agentId is empty"}, {"/events?after", "after is empty"},
		{"/events?type=a.b;ok=false", "%3B"}, {"/events?type=%zz", "%25"}, {"/events?Type=a.b", "lastEventId"},
		{"/events/backlog?n=3", `"n"`}, {"/events/backlog?backlog=3", `"backlog"`}, {"/events/backlog?ok=", "ok is empty"}, {"/events/backlog?since=", "since is empty"},
		{"/events/backlog?lastEventId=aa-1", "since, after, limit"}, {"/api/events/schema?types=a.b", "known are type"}, {"/api/events/schema?type=", "type is empty"},
	} {
		resp, body := s.get(tt.path)
		if resp.StatusCode != 400 || errorOf(t, resp, body) != "usage" || !strings.Contains(strings.ReplaceAll(body, `\"`, `"`), tt.says) {
			t.Errorf("%s: %d %s", tt.path, resp.StatusCode, body)
		}
	}
	for _, path := range []string{"/events/backlog?_=1771416000000", "/events/backlog?type=*&agentId=agent-1&traceId=t-1&ok=false&limit=1&after=0-0&since=0", "/api/events/schema?_=1"} {
		if resp, body := s.get(path); resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	log.add(event("a.b", 2))
	s.stream("?_=1&lastEventId=" + log.lines[0].At.String()).want(event("a.b", 2))
}

func TestBacklogSince(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	at := func(ts string) string { return `{"ts":` + ts + `,"eventType":"a.b"}` }
	lines := []string{at(`"2026-02-18T11:59:59.999Z"`), at(`"2026-02-18T12:00:00.000Z"`), at(`"2026-02-18T11:00:00Z"`), at(`"soon"`), at(`1771416000`), at(`1771416001500`)}
	log.add(lines...)
	s := start(t, serve.Options{Log: log})
	late := []string{lines[1], lines[4], lines[5]}
	for query, want := range map[string][]string{
		"since=2026-02-18T12:00:00Z": late, "since=2026-02-18T14:00:00%2B02:00": late, "since=1771416000": late, "since=1771416000000": late, "since=1771416000000&after=0-0": late,
		"since=1771416000.5": lines[5:], "since=1771416000&limit=1": lines[5:], "since=1771416000&after=0-0&limit=1": lines[1:2], "since=1771416000&type=x.*": nil, "since=2126-02-18T12:00:00Z": nil,
	} {
		if resp, body := s.get("/events/backlog?" + query); resp.StatusCode != 200 || !strings.HasPrefix(body, `{"events":[`+strings.Join(want, ",")+`],"cursor"`) {
			t.Errorf("%s: %d %s, want %s", query, resp.StatusCode, body, want)
		}
	}
	for _, bad := range []string{"yesterday", "2026-02-18", "2026-02-18T14:00:00+02:00", "-1", "NaN", "1e9", "1.2.3", "99999999999999999"} {
		if resp, body := s.get("/events/backlog?since=" + bad); resp.StatusCode != 400 || !strings.Contains(body, "RFC 3339") {
			t.Errorf("%s: %d %s", bad, resp.StatusCode, body)
		}
	}
}
