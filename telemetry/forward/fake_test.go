package forward_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/forward"
)

// receiver is a server that takes each event once, as the real one does: by the
// highest position of each agent and outbox.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	took     []taken
	highest  map[string]int64
	exact    map[string]bool
	requests int
	sizes    []int
	// before answers in the receiver's place, when it returns true; after does when
	// the events were taken.
	before func(w http.ResponseWriter, r *http.Request, n int, lines [][]byte) bool
	after  func(w http.ResponseWriter, r *http.Request, n int) bool
	reject func(line []byte) string
}

type taken struct {
	agent string
	telemetry.Event
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	rc := &receiver{highest: map[string]int64{}, exact: map[string]bool{}}
	rc.Server = httptest.NewServer(rc)
	t.Cleanup(rc.Close)
	return rc
}

// order tells the race detector what comes before what: it does not see that a
// request is sent before it is served, and an answer after what it was made from.
var order atomic.Int64

// ordered is a transport on whose two sides tests may use what they share.
type ordered struct{}

func (ordered) RoundTrip(r *http.Request) (*http.Response, error) {
	order.Add(1)
	defer order.Add(1)
	return http.DefaultTransport.RoundTrip(r)
}

func (rc *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	order.Add(1)
	defer order.Add(1)
	rc.mu.Lock()
	rc.requests++
	n := rc.requests
	rc.mu.Unlock()
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = z
	}
	var lines [][]byte
	sc := bufio.NewScanner(body)
	sc.Buffer(nil, 4<<20)
	for sc.Scan() {
		lines = append(lines, []byte(sc.Text()))
	}
	if sc.Err() != nil || r.URL.Path != "/api/events" || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-ndjson" {
		http.Error(w, "not as agreed", http.StatusTeapot)
		return
	}
	if rc.before != nil && rc.before(w, r, n, lines) {
		return
	}
	results := rc.take(r.Header.Get("X-Agent-Id"), lines)
	if rc.after != nil && rc.after(w, r, n) {
		return
	}
	order.Add(1)
	answer(w, http.StatusOK, map[string]any{"ok": true, "results": results})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that has gone is the test's business
}

func (rc *receiver) take(agent string, lines [][]byte) (results []map[string]any) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.sizes = append(rc.sizes, len(lines))
	for i, line := range lines {
		var e telemetry.Event
		if err := json.Unmarshal(line, &e); err != nil && (rc.reject == nil || rc.reject(line) == "") {
			panic(fmt.Sprintf("line %s: %v", line, err))
		}
		res := map[string]any{"line": i + 1, "status": "accepted", "eventId": e.EventID}
		outbox, num, numbered := strings.Cut(e.EventID, "/")
		seq, _ := strconv.ParseInt(num, 10, 64)
		key := agent + " " + outbox
		switch {
		case rc.reject != nil && rc.reject(line) != "":
			res["status"], res["code"], res["error"] = "rejected", "usage", rc.reject(line)
		case numbered && seq <= rc.highest[key], !numbered && rc.exact[e.EventID]:
			res["status"] = "duplicate"
		default:
			rc.took = append(rc.took, taken{agent, e})
		}
		if numbered && res["status"] == "accepted" {
			rc.highest[key] = seq
		}
		rc.exact[e.EventID] = rc.exact[e.EventID] || res["status"] == "accepted"
		results = append(results, res)
	}
	return results
}

// names are the commands of what was taken, which the tests number.
func (rc *receiver) names() []string {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	out := []string{}
	for _, e := range rc.took {
		out = append(out, e.Command)
	}
	return out
}

func (rc *receiver) count() int {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return rc.requests
}

// sender is a state directory whose events are forwarded.
type sender struct {
	t   *testing.T
	dir string
	log *telemetry.Log
	opt forward.Options
	now time.Time
}

func newSender(t *testing.T, url string) *sender {
	t.Helper()
	s := &sender{t: t, dir: filepath.Join(t.TempDir(), "state"), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	s.opt = forward.Options{URL: url, AgentID: "a1", Token: "secret-token", Transport: ordered{}, Now: func() time.Time { return s.now }}
	s.open(telemetry.LogOptions{})
	if err := s.box().Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// open opens the log anew, as another process does.
func (s *sender) open(opt telemetry.LogOptions) {
	s.t.Helper()
	opt.NoNotify, opt.FastPoll = true, time.Millisecond
	l := telemetry.NewLog(s.dir, opt)
	s.log = l
	s.t.Cleanup(func() {
		if err := l.Close(); err != nil {
			s.t.Error(err)
		}
	})
}

func (s *sender) box() *forward.Outbox { return forward.New(s.log, s.opt) }

// emit records events of an agent whose commands are n numbers from a first one on.
func (s *sender) emit(agent string, from, n int) (names []string) {
	s.t.Helper()
	for i := from; i < from+n; i++ {
		name := strconv.Itoa(i)
		s.line(event(agent, name, ""))
		names = append(names, name)
	}
	return names
}

func event(agent, name, more string) string {
	return fmt.Sprintf(`{"v":1,"ts":"2026-01-01T00:00:00.000Z","eventType":"my.step","agentId":%q,"sessionId":"s","traceId":"t","command":%q,"dryRun":true,"chainId":33139,"payload":{},"result":{},"ok":true,"error":null%s}`, agent, name, more)
}

func (s *sender) line(line string) telemetry.Cursor {
	s.t.Helper()
	at, err := s.log.Append(s.t.Context(), []byte(line), false)
	if err != nil {
		s.t.Fatal(err)
	}
	return at
}

func (s *sender) flush() forward.Result {
	s.t.Helper()
	res, err := s.box().Flush(s.t.Context(), false)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

func (s *sender) status() forward.Status {
	s.t.Helper()
	st, err := s.box().Status(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return st
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}
