package forward_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/forward"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		os.Exit(code)
	}), goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// TestFlush: what was recorded since the outbox began arrives once, in order, under
// ids by position; what others sent here, and what is no event, does not.
func TestFlush(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	s := newSender(t, "")
	s.emit("a1", 0, 1) // before there was a URL
	s.opt.URL = rc.URL + "/"
	if err := s.box().Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.line(event("a1", "ingested", `,"eventId":"x/1"`))
	at := s.line(event("a1", "1", ""))
	if err := appendRaw(s.dir, "torn{\n"); err != nil {
		t.Fatal(err)
	}
	s.emit("a1", 2, 2)
	s.line(event("a1", "last ingested", `,"eventId":null`))
	equal(t, "pending", s.status().Pending.Events, 3)
	equal(t, "sent", s.flush().Sent, 3)
	equal(t, "taken", rc.names(), []string{"1", "2", "3"})
	outbox, seq, _ := strings.Cut(rc.took[0].EventID, "/")
	if !strings.HasPrefix(outbox, "ob-") || seq != strings.Split(at.String(), "-")[1] {
		t.Errorf("id %s of the event that ends at %s", rc.took[0].EventID, at)
	}
	n := rc.count()
	equal(t, "again", s.flush(), forward.Result{})
	if rc.count() != n {
		t.Error("a flush with nothing to send asks the receiver")
	}
	st := s.status()
	equal(t, "pending", st.Pending.Events, 0)
	equal(t, "sent", st.Sent, 3)
	if fi, err := os.Stat(filepath.Join(s.dir, "outbox.json")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("outbox.json: %v, %v", fi.Mode(), err)
	}
}

func appendRaw(dir, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	return f.Close()
}

func TestBatches(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	want := s.emit("a1", 0, 450)
	equal(t, "sent", s.flush().Sent, 450)
	equal(t, "taken", rc.names(), want)
	equal(t, "sizes", rc.sizes, []int{200, 200, 50})
	rc.sizes = nil
	big := `,"source":"` + strings.Repeat("x", 300<<10) + `"`
	for range 3 {
		s.line(event("a1", "big", big))
	}
	s.flush()
	equal(t, "sizes of large ones", rc.sizes, []int{1, 1, 1})
}

// TestAnswers: what each answer does to the events and to the next attempt.
func TestAnswers(t *testing.T) {
	t.Parallel()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	text := func(code int, s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); _, _ = w.Write([]byte(s)) }
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		failed  string // "": the events are dead letters
		wait    time.Duration
	}{
		{"unauthorized", status(401), "401", time.Second},
		{"forbidden", text(403, `{"error":"unknown\u001b agent","code":"auth"}`), "403 Forbidden: unknown  agent", time.Second},
		{"not found", status(404), "404", time.Second},
		{"timeout", status(408), "408", time.Second},
		{"too many", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "120"); w.WriteHeader(429) }, "429", 2 * time.Minute},
		{"too many for years", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "99999999")
			w.WriteHeader(429)
		}, "429", 15 * time.Minute},
		{"broken", status(500), "500", time.Second},
		{"bad gateway", text(502, "<html>"), "502", time.Second},
		{"until a date", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "Thu, 01 Jan 2026 00:01:00 GMT")
			w.WriteHeader(503)
		}, "503", time.Minute},
		{"not modified", status(304), "304", time.Second},
		{"created", status(201), "201", time.Second},
		{"a portal", text(200, "<html>log in</html>"), "no sense", time.Second},
		{"nothing", text(200, ""), "no sense", time.Second},
		{"another's ids", text(200, `{"ok":true,"results":[{"line":1,"status":"accepted","eventId":"x/1"}]}`), "does not fit", time.Second},
		{"another order", text(200, `{"ok":true,"results":[{"line":2,"status":"rejected"}]}`), "does not fit", time.Second},
		{"all is well", text(200, `{"ok":true}`), "no sense", time.Second},
		{"no end", func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, "does not end", time.Second},
		{"broken off", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "can't be reached", time.Second},
		{"half an answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"ok":`))
		}, "broke off", time.Second},
		{"bad request", status(400), "", 0},
		{"too large", status(413), "", 0},
		{"media type", status(415), "", 0},
		{"unprocessable", text(422, `{"error":"no","code":"usage"}`), "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var broken atomic.Bool
			rc := newReceiver(t)
			rc.before = func(w http.ResponseWriter, r *http.Request, _ int, _ [][]byte) bool {
				is := broken.Load()
				if is {
					tt.handler(w, r)
				}
				return is
			}
			s := newSender(t, rc.URL)
			want := s.emit("a1", 0, 5)
			broken.Store(true)
			res := s.flush()
			if tt.failed == "" {
				equal(t, "dead", res.Dead, 5)
				equal(t, "letters", s.status().Dead, 5)
				equal(t, "pending", s.status().Pending.Events, 0)
				return
			}
			if !strings.Contains(res.Failed, tt.failed) || res.Until.Sub(s.now) != tt.wait {
				t.Fatalf("failed %q until %s, want %q for %s", res.Failed, res.Until, tt.failed, tt.wait)
			}
			st := s.status()
			if !st.Breaker.Open || st.Breaker.Failures != 1 || st.Pending.Events != 5 || st.Dead != 0 || strings.ContainsRune(st.LastError, 0x1b) {
				t.Errorf("status %+v", st)
			}
			broken.Store(false)
			n := rc.count()
			equal(t, "while paused", s.flush().Sent, 0)
			equal(t, "requests while paused", rc.count(), n)
			s.now = s.now.Add(tt.wait)
			s.flush()
			equal(t, "taken", rc.names(), want)
			equal(t, "failures after success", s.status().Breaker.Failures, 0)
		})
	}
}

// TestRedirect: nobody else gets the token.
func TestRedirect(t *testing.T) {
	t.Parallel()
	other := newReceiver(t)
	rc := newReceiver(t)
	rc.before = func(w http.ResponseWriter, r *http.Request, _ int, _ [][]byte) bool {
		http.Redirect(w, r, other.URL+"/api/events", http.StatusTemporaryRedirect)
		return true
	}
	s := newSender(t, rc.URL)
	s.emit("a1", 0, 1)
	if res := s.flush(); !strings.Contains(res.Failed, "redirect") || res.Status != 307 {
		t.Errorf("%+v", res)
	}
	equal(t, "requests elsewhere", other.count(), 0)
}

// TestLongOutage: 500 events while nobody is there, then every kind of trouble.
func TestLongOutage(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(nil)
	down.Close()
	rc := newReceiver(t)
	s := newSender(t, down.URL)
	var want []string
	pauses := map[time.Duration]bool{}
	for i := range 500 {
		want = append(want, s.emit("a1", i, 1)...)
		if res := s.flush(); res.Failed != "" {
			pauses[res.Until.Sub(s.now)] = true
		}
		s.now = s.now.Add(time.Second)
	}
	if len(pauses) < 8 || !pauses[time.Second] || !pauses[64*time.Second] {
		t.Errorf("pauses %v", pauses)
	}
	equal(t, "failures", s.status().Breaker.Failures, 9)
	s.opt.URL = rc.URL // another address is tried at once
	codes := []int{500, 429, 403, 503}
	rc.before = func(w http.ResponseWriter, _ *http.Request, n int, _ [][]byte) bool {
		if n%2 == 1 && n/2 < len(codes) {
			w.WriteHeader(codes[n/2])
			return true
		}
		return false
	}
	// Every second time the events are taken and the answer is lost.
	rc.after = func(_ http.ResponseWriter, _ *http.Request, n int) bool {
		if n%4 == 0 && n < 16 {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	for range 40 {
		s.flush()
		s.now = s.now.Add(10 * time.Minute)
	}
	equal(t, "taken", rc.names(), want)
	equal(t, "pending", s.status().Pending.Events, 0)
}

// TestHang: a remote that says nothing costs the budget once, and then nothing.
func TestHang(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	var hang atomic.Bool
	release := make(chan struct{})
	var budget *budget // of the flush under way; it has run out once a request hangs
	rc.before = func(_ http.ResponseWriter, _ *http.Request, _ int, _ [][]byte) bool {
		if hang.Load() {
			budget.runOut()
			<-release
			panic(http.ErrAbortHandler)
		}
		return false
	}
	s := newSender(t, rc.URL)
	s.emit("a1", 0, 3)
	hang.Store(true)
	budget = newBudget(t.Context())
	res := s.within(budget)
	hang.Store(false)
	if !strings.Contains(res.Failed, "no answer in time") || res.Until.Sub(s.now) < 10*time.Second {
		t.Fatalf("%+v", res)
	}
	n := rc.count()
	equal(t, "while paused", s.flush().Sent, 0)
	equal(t, "requests while paused", rc.count(), n)
	// An interrupt is nobody's failure.
	s.now = s.now.Add(time.Minute)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if res, err := s.box().Flush(stopped, false); err != nil || res.Failed != "" {
		t.Errorf("interrupted: %+v, %v", res, err)
	}
	equal(t, "failures", s.status().Breaker.Failures, 1)
	// After no answer in time it is tried with fewer.
	want := 203
	s.emit("a1", 3, 200)
	equal(t, "sent", s.flush().Sent, want)
	equal(t, "sizes", rc.sizes[len(rc.sizes)-2:], []int{100, 103})
	// A budget that ran out after something was taken is no failure.
	s.emit("a1", 203, 250)
	rc.after = func(http.ResponseWriter, *http.Request, int) bool { hang.Store(true); return false }
	budget = newBudget(t.Context())
	res = s.within(budget)
	if res.Sent != 200 || res.Failed != "" {
		t.Errorf("after the first batch: %+v", res)
	}
	close(release)
}

func (s *sender) within(b *budget) forward.Result {
	s.t.Helper()
	res, err := s.box().Flush(b, false)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// budget is a context whose time runs out when a test says so, on a machine of any
// speed.
type budget struct {
	context.Context
	once sync.Once
	out  chan struct{}
}

func newBudget(ctx context.Context) *budget { return &budget{Context: ctx, out: make(chan struct{})} }

func (b *budget) runOut() { b.once.Do(func() { close(b.out) }) }

// Done implements context.Context.
func (b *budget) Done() <-chan struct{} { return b.out }

// Err implements context.Context.
func (b *budget) Err() error {
	select {
	case <-b.out:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestBusy: one process sends, the others leave it to that one.
func TestBusy(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	s.emit("a1", 0, 3)
	lock, ok, err := store.TryLock(filepath.Join(s.dir, "outbox.lock"))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if res := s.flush(); !res.Busy || rc.count() != 0 {
		t.Errorf("%+v after %d requests", res, rc.count())
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	equal(t, "sent", s.flush().Sent, 3)
}

// TestLanes: events go under the agent that they name; those of nobody in particular
// with the first that forwarded.
func TestLanes(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	for i := range 4 {
		s.emit("a1", 10*i, 2)
		s.emit("a2", 10*i+2, 2)
		s.emit("conn:x", 10*i+4, 1)
		s.emit("local-cli", 10*i+5, 1)
	}
	st := s.status()
	equal(t, "pending", []int64{st.Pending.Events, st.Others.Events}, []int64{16, 8})
	equal(t, "sent", s.flush().Sent, 16)
	equal(t, "others", s.status().Others.Events, 8)
	s.opt.AgentID = "a2"
	equal(t, "sent", s.flush().Sent, 8)
	s.emit("conn:x", 90, 1)
	s.emit("a2", 91, 1)
	equal(t, "sent", s.flush().Sent, 1)
	s.opt.AgentID = "a1"
	equal(t, "sent", s.flush().Sent, 1)
	by := map[string][]string{}
	for _, e := range rc.took {
		by[e.agent] = append(by[e.agent], e.Command)
		if e.agent != e.AgentID && (e.agent != "a1" || e.AgentID == "a2") {
			t.Errorf("an event of %s came from %s", e.AgentID, e.agent)
		}
	}
	equal(t, "a1", by["a1"], []string{"0", "1", "4", "5", "10", "11", "14", "15", "20", "21", "24", "25", "30", "31", "34", "35", "90"})
	equal(t, "a2", by["a2"], []string{"2", "3", "12", "13", "22", "23", "32", "33", "91"})
	// A wrong token of one pauses the other not.
	rc.before = func(w http.ResponseWriter, r *http.Request, _ int, _ [][]byte) bool {
		if r.Header.Get("X-Agent-Id") == "a2" {
			w.WriteHeader(403)
			return true
		}
		return false
	}
	s.emit("a1", 100, 1)
	s.emit("a2", 101, 1)
	s.opt.AgentID = "a2"
	equal(t, "status", s.flush().Status, 403)
	s.opt.AgentID = "a1"
	equal(t, "sent", s.flush().Sent, 1)
	s.opt.AgentID, s.opt.Token, rc.before = "a2", "another", nil // new credentials are tried at once
	equal(t, "sent", s.flush().Sent, 1)
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		opt  forward.Options
		code fault.Code
		says string
	}{
		{"no URL", forward.Options{AgentID: "a1", Token: "t"}, fault.Usage, "no remote"},
		{"no agent", forward.Options{URL: "https://x"}, fault.Auth, "no agent's id and token"},
		{"no id", forward.Options{URL: "https://x", Token: "t"}, fault.Auth, "no agent's id is set"},
		{"no token", forward.Options{URL: "https://x", AgentID: "a1"}, fault.Auth, "a1 has no token"},
		{"no agent's name", forward.Options{URL: "https://x", AgentID: "conn:x", Token: "t"}, fault.Usage, "no id that a server knows"},
		{"in the clear", forward.Options{URL: "http://x.example", AgentID: "a1", Token: "t"}, fault.Usage, "readable on the way"},
		{"in the clear, accepted", forward.Options{URL: "http://x.example", AgentID: "a1", Token: "t", Insecure: true}, "", ""},
		{"this machine", forward.Options{URL: "http://[::1]:8787", AgentID: "a1", Token: "t"}, "", ""},
		{"a name that looks like it", forward.Options{URL: "http://127.0.0.1.evil.example", AgentID: "a1", Token: "t"}, fault.Usage, "readable"},
		{"a user", forward.Options{URL: "https://u:p@x", AgentID: "a1", Token: "t"}, fault.Usage, "without user"},
		{"a query", forward.Options{URL: "https://x?a", AgentID: "a1", Token: "t"}, fault.Usage, "without user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := forward.New(telemetry.NewLog(t.TempDir(), telemetry.LogOptions{}), tt.opt).Missing()
			if tt.code == "" && err != nil || tt.code != "" && (fault.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestRun forwards in the background, and holds nothing while there is nothing to do.
func TestRun(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	got := make(chan struct{}, 100)
	rc.after = func(http.ResponseWriter, *http.Request, int) bool { got <- struct{}{}; return false }
	s := newSender(t, rc.URL)
	want := s.emit("a1", 0, 3)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { s.box().Run(ctx, func(err error) { t.Error(err) }); close(done) }()
	<-got
	want = append(want, s.emit("a1", 3, 1)...)
	for len(rc.names()) < len(want) {
		<-got
	}
	lock, err := store.AcquireLock(t.Context(), filepath.Join(s.dir, "outbox.lock"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-done
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(rc.names(), want) {
		t.Errorf("taken %v, want %v", rc.names(), want)
	}
}
