package serve_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// taking is a server that takes events, and who may send some.
type taking struct {
	*server
	dir, token string
	registry   *agents.Registry
}

func startTaking(t *testing.T, opt serve.Options) *taking {
	t.Helper()
	return startTakingAs(t, opt, start)
}

func startTakingAs(t *testing.T, opt serve.Options, start func(*testing.T, serve.Options) *server) *taking {
	t.Helper()
	dir := t.TempDir()
	log := openLog(t, dir)
	r := newRegistry(t, dir)
	opt.Log, opt.Auth = log, r
	opt.Ingest = telemetry.OpenIngest(log, telemetry.IngestOptions{Redactor: telemetry.NewRedactor(), Now: time.Now})
	return &taking{server: start(t, opt), dir: dir, token: register(t, r, "bot-1"), registry: r}
}

func (s *taking) creds(more ...string) []string { return append(creds("bot-1", s.token), more...) }

// send posts with good credentials as JSON, unless header says otherwise.
func (s *taking) send(body string, header ...string) (int, map[string]any) {
	s.t.Helper()
	resp, text := s.do(http.MethodPost, "/api/events", body, append(s.creds("Content-Type", "application/json"), header...)...)
	return resp.StatusCode, answered(s.t, text)
}

func answered(t *testing.T, text string) (out map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return out
}

func (s *taking) lines() []string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, "events.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

const ndjson = "application/x-ndjson"

func zipped(t *testing.T, body string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must[int](t)(io.WriteString(z, body))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestIngestAnswers(t *testing.T) {
	t.Parallel()
	s := startTaking(t, serve.Options{})
	st := s.stream("")
	status, a := s.send(`{"eventType":"custom.a","agentId":"other","data":{"n":1},"eventId":"my-1"}`)
	if status != 200 || a["ok"] != true || a["eventId"] != "my-1" || a["duplicate"] != false || a["cursor"] == "" {
		t.Errorf("%d %v", status, a)
	}
	f := st.next()
	if f.id != a["cursor"] || f.data != s.lines()[0] || !strings.Contains(f.data, `"agentId":"bot-1"`) || !strings.Contains(f.data, `"payload":{"n":1}`) {
		t.Errorf("the stream has %+v", f)
	}
	if status, b := s.send(`{"eventType":"custom.a","eventId":"my-1"}`); status != 200 || b["duplicate"] != true || b["cursor"] != a["cursor"] {
		t.Errorf("again: %d %v", status, b)
	}
	if status, a := s.send(`{"eventType":"custom.a","dryRun":"yes"}`); status != 400 || a["code"] != "bad_field" || a["field"] != "dryRun" || a["error"] == nil {
		t.Errorf("bad: %d %v", status, a)
	}
	status, a = s.send("{\"eventType\":\"custom.b\"}\n\nnonsense\n{\"eventType\":\"odd\",\"eventId\":\"my-1\"}\r\n", "Content-Type", ndjson+"; charset=utf-8")
	results := fmt.Sprint(a["results"])
	if status != 200 || a["ok"] != true || a["accepted"] != 1.0 || a["duplicates"] != 1.0 || a["rejected"] != 1.0 || len(a["results"].([]any)) != 3 ||
		!strings.Contains(results, "code:not_json") || !strings.Contains(results, "line:4 status:duplicate") {
		t.Errorf("lines: %d %v", status, a)
	}
	if status, a := s.send("1\n2\n", "Content-Type", "application/jsonl"); status != 400 || a["ok"] != false || a["rejected"] != 2.0 {
		t.Errorf("bad lines: %d %v", status, a)
	}
	if status, a := s.send("\n\n", "Content-Type", ndjson); status != 200 || a["ok"] != true || len(a["results"].([]any)) != 0 {
		t.Errorf("no lines: %d %v", status, a)
	}
	for _, name := range []string{"gzip", "GZip", "x-gzip"} {
		if status, a := s.send(zipped(t, `{"eventType":"custom.z"}`), "Content-Encoding", name); status != 200 || a["ok"] != true {
			t.Errorf("%s: %d %v", name, status, a)
		}
	}
	if status, a := s.send(`{"eventType":"custom.z"}`, "Content-Encoding", "Identity"); status != 200 || a["ok"] != true {
		t.Errorf("identity: %d %v", status, a)
	}
	if _, metrics := s.get("/metrics"); !strings.Contains(metrics, `ape_claw_ingest_events_total{status="accepted"} 6`) {
		t.Error("no count of events in the metrics")
	}
}

func TestIngestRefusals(t *testing.T) {
	t.Parallel()
	s := startTaking(t, serve.Options{Limits: patient})
	const good = `{"eventType":"custom.a"}`
	big := `{"eventType":"custom.a","payload":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`
	for name, tt := range map[string]struct {
		body   string
		header []string
		status int
		code   string
	}{
		"no credentials":         {good, []string{"Content-Type", "application/json"}, 401, "auth"},
		"a large body, nobody's": {strings.Repeat(" ", 5<<20), []string{"Content-Type", "application/json"}, 401, "auth"},
		"a large body, wrong":    {strings.Repeat(" ", 5<<20), append(creds("bot-1", "claw_x"), "Content-Type", "application/json"), 403, "auth"},
		"half":                   {good, []string{"X-Agent-Id", "bot-1", "Content-Type", "application/json"}, 401, "auth"},
		"wrong":                  {good, append(creds("bot-1", "claw_x"), "Content-Type", "application/json"), 403, "auth"},
		"unknown":                {good, append(creds("__proto__", s.token), "Content-Type", "application/json"), 403, "auth"},
		"a key, and none known":  {good, []string{"X-Registration-Key", "k", "Content-Type", "application/json"}, 401, "auth"},
		"wrong before the kind":  {"x", append(creds("bot-1", "claw_x"), "Content-Type", "text/plain"), 403, "auth"},
		"text":                   {good, s.creds("Content-Type", "text/plain"), 415, "usage"},
		"no kind":                {good, s.creds(), 415, "usage"},
		"a form":                 {good, s.creds("Content-Type", "application/x-www-form-urlencoded"), 415, "usage"},
		"odd coding":             {good, s.creds("Content-Type", "application/json", "Content-Encoding", "br"), 415, "usage"},
		"no gzip":                {good, s.creds("Content-Type", "application/json", "Content-Encoding", "gzip"), 400, "usage"},
		"half a gzip":            {zipped(t, big)[:40], s.creds("Content-Type", "application/json", "Content-Encoding", "gzip"), 400, "usage"},
		"empty":                  {"", s.creds("Content-Type", "application/json"), 400, "not_json"},
		"nonsense":               {"nonsense", s.creds("Content-Type", "application/json"), 400, "not_json"},
		"no type":                {"{}", s.creds("Content-Type", "application/json"), 400, "no_type"},
		"two":                    {good + good, s.creds("Content-Type", "application/json"), 400, "not_json"},
		"deep":                   {strings.Repeat(`{"a":`, 10_000), s.creds("Content-Type", "application/json"), 400, "too_deep"},
		"1 MiB + 1":              {strings.Repeat(" ", 1<<20+1), s.creds("Content-Type", "application/json"), 413, "usage"},
		"a large event":          {big, s.creds("Content-Type", "application/json"), 413, "usage"},
		"many lines":             {strings.Repeat("{}\n", 1001), s.creds("Content-Type", ndjson), 413, "usage"},
		"2 MiB + 1":              {strings.Repeat("\n", 2<<20+1), s.creds("Content-Type", ndjson), 413, "usage"},
		"a bomb":                 {zipped(t, strings.Repeat(" ", 64<<20)), s.creds("Content-Type", "application/json", "Content-Encoding", "gzip"), 413, "usage"},
		"a bomb of lines":        {zipped(t, strings.Repeat("\n", 64<<20)), s.creds("Content-Type", ndjson, "Content-Encoding", "gzip"), 413, "usage"},
	} {
		resp, text := s.do(http.MethodPost, "/api/events", tt.body, tt.header...)
		a := answered(t, text)
		if resp.StatusCode != tt.status || a["code"] != tt.code || a["error"] == "" {
			t.Errorf("%s: %d %v, want %d %s", name, resp.StatusCode, a, tt.status, tt.code)
		}
		if hint, _ := a["hint"].(string); name == "text" && !strings.Contains(hint, s.url+"/api/events") {
			t.Errorf("%s: the hint is %q", name, hint)
		}
	}
	if got := s.lines(); len(got) > 0 {
		t.Errorf("something was written: %q", got)
	}
	if resp, text := s.get("/api/events"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d %s", resp.StatusCode, text)
	}
}

// TestIngestReadsNothingFirst: who is turned away gets the answer without a byte of
// the body, and a body without an end ends.
func TestIngestReadsNothingFirst(t *testing.T) {
	t.Parallel()
	s := startTaking(t, serve.Options{})
	head := func(more ...string) string {
		b := "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
		for i := 0; i+1 < len(more); i += 2 {
			b += more[i] + ": " + more[i+1] + "\r\n"
		}
		return b + "\r\n"
	}
	// A short one that was announced and does not come is waited for as little.
	few := strings.Replace(head("Content-Type", "application/json"), "Transfer-Encoding: chunked", "Content-Length: 100", 1)
	began := time.Now()
	for _, request := range []string{few, strings.TrimSuffix(few, "\r\n") + "Expect: 100-continue\r\n\r\n"} {
		if got := s.raw(t, request); !strings.HasPrefix(got, "HTTP/1.1 401") {
			t.Errorf("100 bytes that do not come: %q", got)
		}
	}
	if took := time.Since(began); took > 20*time.Second { // of a minute that a body may take
		t.Errorf("that took %v", took)
	}
	for want, request := range map[string]string{
		"HTTP/1.1 401": head("Content-Type", "application/json"),
		"HTTP/1.1 403": head(append(creds("bot-1", "claw_x"), "Content-Type", "application/json")...),
		"HTTP/1.1 415": head(s.creds()...),
	} {
		if got := s.raw(t, request); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %s", got, want)
		}
	}
	for _, kind := range []string{"application/json", ndjson} {
		conn := must[net.Conn](t)(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		must[int](t)(io.WriteString(conn, head(s.creds("Content-Type", kind)...)))
		go func() {
			chunk := []byte("1000\r\n" + strings.Repeat(" ", 0x1000) + "\r\n")
			for {
				if _, err := conn.Write(chunk); err != nil {
					return
				}
			}
		}()
		answer := make([]byte, 12)
		if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 413" {
			t.Errorf("%s without an end: %q, %v", kind, answer, err)
		}
	}
}

// TestIngestMemory: many hostile bodies at once cost a bounded amount of memory.
func TestIngestMemory(t *testing.T) {
	s := startTaking(t, serve.Options{Limits: patient, MaxClients: 400})
	bodies := []string{
		strings.Repeat(`{"a":`, 400_000),
		strings.Repeat("[", 2<<20),
		`{"eventType":"custom.a","payload":{` + strings.Repeat(`"k":1,`, 170_000),
		`{"eventType":"custom.a","payload":{"a":"` + strings.Repeat(`\u0041`, 170_000),
		strings.Repeat("\n", 2<<20),
		strings.Repeat("x\n", 1000),
	}
	for i := range bodies {
		bodies = append(bodies, zipped(t, bodies[i]))
	}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var wg sync.WaitGroup
	var busy, answers atomic.Int64
	for c := range 40 {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			for n := range 4 {
				k := (3*n + c) % len(bodies)
				req, err := http.NewRequest(http.MethodPost, s.url+"/api/events", strings.NewReader(bodies[k]))
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("X-Agent-Id", "bot-1")
				req.Header.Set("X-Agent-Token", s.token)
				req.Header.Set("Content-Type", ndjson)
				if k >= len(bodies)/2 {
					req.Header.Set("Content-Encoding", "gzip")
				}
				resp, err := client.Do(req)
				if err != nil {
					continue // cut off while it was still sending
				}
				resp.Body.Close()
				if answers.Add(1); resp.StatusCode == http.StatusServiceUnavailable {
					busy.Add(1)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	most := uint64(0)
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case <-time.After(5 * time.Millisecond):
		}
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapAlloc)
	}
	t.Logf("%d MiB before, at most %d MiB, %d answers, %d of them 503", before.HeapAlloc>>20, most>>20, answers.Load(), busy.Load())
	if most > before.HeapAlloc+300<<20 {
		t.Errorf("%d MiB", most>>20)
	}
	if answers.Load() < 40 || len(s.lines()) > 0 {
		t.Errorf("%d answers, %d lines", answers.Load(), len(s.lines()))
	}
}

func TestIngestByRegistrationKey(t *testing.T) {
	t.Parallel()
	const key = "a-registration-key"
	s := startTaking(t, serve.Options{Limits: patient, Registration: serve.Registration{Key: key}})
	for body, want := range map[string]string{
		`{"eventType":"custom.a","agentId":"far-1"}`:     "200",
		`{"eventType":"custom.a"}`:                       "400 agentId",
		`{"eventType":"custom.a","agentId":"local-cli"}`: "400 agentId",
		`{"eventType":"custom.a","agentId":"operator"}`:  "400 agentId",
		`{"eventType":"custom.a","agentId":"a:b"}`:       "400 agentId",
		`{"eventType":"custom.a","agentId":"__proto__"}`: "400 agentId",
	} {
		resp, text := s.do(http.MethodPost, "/api/events", body, "X-Registration-Key", key, "Content-Type", "application/json")
		got := fmt.Sprint(resp.StatusCode)
		if f, ok := answered(t, text)["field"]; ok {
			got += fmt.Sprint(" ", f)
		}
		if got != want {
			t.Errorf("%s: %s, want %s: %s", body, got, want, text)
		}
	}
	if got := s.lines(); len(got) != 1 || !strings.Contains(got[0], `"agentId":"far-1"`) {
		t.Errorf("%q", got)
	}
	if resp, text := s.do(http.MethodPost, "/api/events", "{}", "X-Registration-Key", "another-key-here", "Content-Type", "application/json"); resp.StatusCode != 403 {
		t.Errorf("a wrong key: %d %s", resp.StatusCode, text)
	}
	// An agent's own credentials say whose it is.
	if status, a := s.send(`{"eventType":"custom.a","agentId":"far-1"}`, "X-Registration-Key", key); status != 200 || !strings.Contains(s.lines()[1], `"agentId":"bot-1"`) {
		t.Errorf("%d %v", status, a)
	}
}

// TestIngestRevoked: a token that another process revoked is refused within a
// second, however often it was used.
func TestIngestRevoked(t *testing.T) {
	t.Parallel()
	s := startTaking(t, serve.Options{})
	other := newRegistry(t, s.dir)
	for range 3 {
		if status, a := s.send(`{"eventType":"custom.a"}`); status != 200 {
			t.Fatalf("%d %v", status, a)
		}
	}
	if _, err := other.Revoke(t.Context(), "bot-1"); err != nil {
		t.Fatal(err)
	}
	revoked := time.Now()
	for {
		sent := time.Now()
		status, a := s.send(`{"eventType":"custom.a"}`)
		if status == http.StatusForbidden {
			return
		}
		if status != 200 || sent.Sub(revoked) > time.Second {
			t.Fatalf("%s later: %d %v", sent.Sub(revoked), status, a)
		}
	}
}

// TestIngestRevokedMeanwhile: what an agent began to send before it was revoked is not
// taken after that.
func TestIngestRevokedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"identity", "gzip"} {
		for revoke, want := range map[bool]string{false: "HTTP/1.1 200", true: "HTTP/1.1 403"} {
			clock := newStopped()
			s := startTaking(t, serve.Options{Now: clock.now, Limits: patient})
			body := `{"eventType":"custom.a"}`
			if kind == "gzip" {
				body = zipped(t, body)
			}
			conn := must[net.Conn](t)(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			// The server asks for the body once it knows whose it is.
			fmt.Fprintf(conn, "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Agent-Id: bot-1\r\nX-Agent-Token: %s\r\nContent-Type: application/json\r\n"+
				"Content-Encoding: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", s.token, kind, len(body))
			answer := make([]byte, 25)
			if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 100 Continue\r\n\r\n" {
				t.Fatalf("%q, %v", answer, err)
			}
			if revoke {
				must[agents.Agent](t)(newRegistry(t, s.dir).Revoke(t.Context(), "bot-1"))
			}
			clock.advance(time.Second)
			must[int](t)(io.WriteString(conn, body))
			if _, err := io.ReadFull(conn, answer[:12]); err != nil || string(answer[:12]) != want || revoke != (len(s.lines()) == 0) {
				t.Errorf("%s, revoked %t: %q, %v, %d lines", kind, revoke, answer[:12], err, len(s.lines()))
			}
		}
	}
}

// counting counts how often an agent is looked up.
type counting struct {
	*agents.Registry
	asked atomic.Int64
}

func (c *counting) Verify(ctx context.Context, id, token string) (agents.Proof, error) {
	c.asked.Add(1)
	return c.Registry.Verify(ctx, id, token)
}

func TestProofsAreRemembered(t *testing.T) {
	t.Parallel()
	r, token := oneAgent(t)
	c := &counting{Registry: r}
	clock := newStopped()
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: c, RequireAuth: true, Now: clock.now, Limits: patient})
	for _, step := range []struct {
		do    func()
		asked int64
	}{
		{func() {}, 1},
		{func() {}, 1},
		{func() { clock.advance(time.Second) }, 1},
		{func() { register(t, r, "bot-2") }, 1}, // not asked again yet
		{func() { clock.advance(200 * time.Millisecond) }, 2},
		{func() { clock.advance(5 * time.Second) }, 3},
		{func() { clock.advance(-time.Hour) }, 4},
	} {
		step.do()
		if resp, body := s.get("/api/health", creds("bot-1", token)...); resp.StatusCode != 200 || c.asked.Load() != step.asked {
			t.Errorf("%d %s after %d looks, want %d", resp.StatusCode, body, c.asked.Load(), step.asked)
		}
	}
	for range 2 {
		if resp, _ := s.get("/api/health", creds("bot-1", token+"x")...); resp.StatusCode != 403 {
			t.Errorf("a wrong token: %d", resp.StatusCode)
		}
	}
	if c.asked.Load() != 6 {
		t.Error("a wrong token is remembered")
	}
}

func TestIngestLimits(t *testing.T) {
	t.Parallel()
	clock := newStopped()
	s := startTakingAs(t, serve.Options{Now: clock.now, Insecure: true, Limits: serve.Limits{
		Posts: serve.Rate{PerMinute: 60, Burst: 4}, Events: serve.Rate{PerMinute: 60, Burst: 50},
	}}, func(t *testing.T, opt serve.Options) *server {
		s, _ := startElsewhere(t, "192.0.2.1", opt)
		return s
	})
	line := `{"eventType":"custom.a"}` + "\n"
	for i, step := range []struct {
		events, status, retry int
	}{{40, 200, 0}, {20, 429, 10}, {10, 200, 0}, {1, 429, 1}} {
		status, a := s.send(strings.Repeat(line, step.events), "Content-Type", ndjson)
		if status != step.status || step.retry > 0 && a["retryAfterSeconds"] != float64(step.retry) {
			t.Errorf("step %d: %d %v", i, status, a)
		}
	}
	clock.advance(time.Second)
	if status, a := s.send(line, "Content-Type", ndjson); status != 200 {
		t.Errorf("later: %d %v", status, a)
	}
	if status, a := s.send(line, "Content-Type", ndjson); status != 429 || a["retryAfterSeconds"] == nil {
		t.Errorf("requests: %d %v", status, a)
	}
}

// refusing is a log that can't be written.
type refusing struct{ err error }

func (r refusing) Take(context.Context, telemetry.Incoming) (telemetry.Taken, error) {
	return telemetry.Taken{}, r.err
}
func (refusing) Run(context.Context) error { return nil }

func TestIngestNotNow(t *testing.T) {
	t.Parallel()
	r, token := oneAgent(t)
	for _, err := range []error{
		fault.New(fault.StateUnusable, "no space left"), fault.New(fault.NotDurable, "not synced"), fault.New(fault.Conflict, "held"), errors.New("odd"),
	} {
		s := start(t, serve.Options{Log: newMemLog("aa"), Auth: r, Ingest: refusing{err}})
		resp, body := s.do(http.MethodPost, "/api/events", `{}`, append(creds("bot-1", token), "Content-Type", "application/json")...)
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || answered(t, body)["retryAfterSeconds"] == nil || strings.Contains(body, "odd") {
			t.Errorf("%v: %d %v %s", err, resp.StatusCode, resp.Header, body)
		}
	}
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: r})
	if resp, _ := s.do(http.MethodPost, "/api/events", `{}`, append(creds("bot-1", token), "Content-Type", "application/json")...); resp.StatusCode != 404 && resp.StatusCode != 405 {
		t.Errorf("without Ingest: %d", resp.StatusCode)
	}
}

// TestIngestBusy: bodies that do not end take the memory that there is for their
// sender, and at most what there is for all, and no more.
func TestIngestBusy(t *testing.T) {
	t.Parallel()
	s := startTaking(t, serve.Options{})
	as := map[string][]string{"bot-1": s.creds()}
	for _, id := range []string{"bot-2", "bot-3", "bot-4"} {
		as[id] = creds(id, register(t, s.registry, id))
	}
	var slow []net.Conn
	add := func(id string) func() {
		return func() {
			conn := must[net.Conn](t)(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))
			t.Cleanup(func() { conn.Close() })
			slow = append(slow, conn)
			must[int](t)(fmt.Fprintf(conn, "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nX-Agent-Id: %s\r\nX-Agent-Token: %s\r\nContent-Length: %d\r\n\r\n",
				ndjson, id, as[id][3], 2<<20))
			_, _ = io.WriteString(conn, strings.Repeat(" ", 3<<19)) // the last ones are cut off
		}
	}
	until := func(id string, want int, again func()) {
		t.Helper()
		for end := time.Now().Add(patience); ; {
			resp, text := s.do(http.MethodPost, "/api/events", `{"eventType":"custom.a"}`, append([]string{"Content-Type", "application/json"}, as[id]...)...)
			if resp.StatusCode == want {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %d %s, want %d", id, resp.StatusCode, text, want)
			}
			again() // several that are refused at one moment leave room
		}
	}
	until("bot-1", http.StatusServiceUnavailable, add("bot-1"))
	until("bot-2", http.StatusOK, func() {}) // one's leave room for another's
	until("bot-3", http.StatusServiceUnavailable, add("bot-3"))
	until("bot-4", http.StatusServiceUnavailable, add("bot-4"))
	until("bot-2", http.StatusServiceUnavailable, add("bot-4"))
	for _, conn := range slow {
		conn.Close()
	}
	until("bot-1", http.StatusOK, func() {})
}
