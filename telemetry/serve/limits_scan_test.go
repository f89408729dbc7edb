package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// slowLog makes every search for 1000 events wait until it is let go on.
type slowLog struct {
	*memLog
	gate chan struct{}

	mu         sync.Mutex
	now, worst int
}

func (l *slowLog) TailWithin(ctx context.Context, n int, within int64, match func([]byte) bool) (telemetry.Tail, error) {
	if n == 1000 {
		l.count(1)
		defer l.count(-1)
		select {
		case <-l.gate:
		case <-ctx.Done():
			return telemetry.Tail{}, ctx.Err()
		}
	}
	return l.memLog.TailWithin(ctx, n, within, match)
}

func (l *slowLog) count(by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now += by
	l.worst = max(l.worst, l.now)
}

func (l *slowLog) searches() (now, worst int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now, l.worst
}

// from makes pipes whose connections come from an address.
type from struct {
	*pipes
	addr net.Addr
}

func (f from) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case f.conns <- pipeFrom{there, f.addr}:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type pipeFrom struct {
	net.Conn
	addr net.Addr
}

func (c pipeFrom) RemoteAddr() net.Addr { return c.addr }

// Searches wait for each other, those of one caller first, and not for ever; what
// is no search waits for none of them.
func TestSearchesTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, p := &slowLog{memLog: newMemLog("aa"), gate: make(chan struct{})}, newPipes()
		for range 5 {
			log.add(fmt.Sprintf(`{"eventType":"large.one","pad":%q}`, strings.Repeat("x", 1<<20)))
		}
		log.add(events("a.b", 0, 20)...)
		s := must[*serve.Server](t)(serve.New(serve.Options{Log: log, Listener: p, Insecure: true, Now: time.Now}))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Serve(ctx) }()
		client := func(addr string) *http.Client {
			tr := &http.Transport{DisableKeepAlives: true, DialContext: from{p, &net.TCPAddr{IP: net.ParseIP(addr), Port: 4711}}.dial}
			return &http.Client{Transport: tr}
		}
		type answer struct {
			status int
			after  string
			body   string
		}
		answers := make(chan answer, 100)
		ask := func(c *http.Client, path string) answer {
			resp := must[*http.Response](t)(c.Get("http://127.0.0.1" + path))
			defer resp.Body.Close()
			return answer{resp.StatusCode, resp.Header.Get("Retry-After"), string(must[[]byte](t)(io.ReadAll(resp.Body)))}
		}
		greedy, modest := client("192.0.2.1"), client("192.0.2.2")
		for i := range 20 {
			go func() { answers <- ask(greedy, fmt.Sprintf("/events/backlog?limit=1000&agentId=nobody%d", i)) }()
			go func() { answers <- ask(greedy, fmt.Sprintf("/events?backlog=1000&agentId=nobody%d", i)) }()
		}
		synctest.Wait()
		if now, _ := log.searches(); now != 2 {
			t.Errorf("one caller has %d searches under way, want 2", now)
		}
		// Whoever wants only the newest is not in that queue, nor is the page's stream.
		began := time.Now()
		for _, c := range []*http.Client{greedy, modest} {
			if a := ask(c, "/events/backlog?limit=10"); a.status != 200 || !strings.Contains(a.body, `"n":19`) {
				t.Errorf("the newest: %+v", a)
			}
			st := openStream(t, c, "http://127.0.0.1/events?type=*&backlog=10")
			st.want(events("a.b", 10, 20)...)
			st.close()
		}
		// Another caller's search has a place of its own.
		if a := ask(modest, "/events/backlog?limit=10&traceId=t-1"); a.status != 200 || !strings.Contains(a.body, `"traceId":"t-1"`) {
			t.Errorf("another's search: %+v", a)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("they waited %s", took)
		}
		// What is far back, be it only behind large events, is a search as well.
		go func() { answers <- ask(greedy, "/events/backlog?limit=30") }()
		// Who has waited long enough is told to come back: all but the two at work.
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if len(answers) != 39 {
			t.Errorf("%d of 39 were told", len(answers))
		}
		for range len(answers) {
			if a := <-answers; a.status != 503 || a.after != "5" || !strings.Contains(a.body, `"code":"upstream"`) {
				t.Errorf("waited too long: %+v", a)
			}
		}
		// However many callers there are, few search at once.
		for i := range 9 {
			c := client(fmt.Sprintf("198.51.100.%d", i))
			go func() { answers <- ask(c, "/events/backlog?limit=1000&agentId=nobody") }()
		}
		synctest.Wait()
		if now, _ := log.searches(); now != 4 {
			t.Errorf("%d searches are under way, want 4", now)
		}
		close(log.gate)
		synctest.Wait()
		for range len(answers) {
			if a := <-answers; a.status != 200 {
				t.Errorf("a search that got its turn: %+v", a)
			}
		}
		if now, worst := log.searches(); now != 0 || worst != 4 {
			t.Errorf("%d searches are left, %d were at once", now, worst)
		}
		if n := s.Searchers(); n != 0 {
			t.Errorf("%d callers are remembered", n)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// A search looks back only so far, and says that there may be more.
func TestSearchesAreBounded(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	line := func(n int) string {
		return fmt.Sprintf(`{"eventType":"a.b","traceId":"t-%d","n":%d,"pad":%q}`, n, n, strings.Repeat("x", 1<<20))
	}
	for n := range 40 { // 40 MiB
		log.add(line(n))
	}
	s := start(t, serve.Options{Log: log, RingBytes: 1})
	for _, tt := range []struct {
		query string
		found int
		cut   bool
	}{
		{"?limit=1&traceId=t-39", 1, false},
		{"?traceId=t-39", 1, true},
		{"?traceId=t-20", 1, true},
		{"?traceId=t-2", 0, true},
		{"?limit=3", 3, false},
	} {
		resp, body := s.get("/events/backlog" + tt.query)
		var b struct {
			Events    []json.RawMessage
			Truncated bool
			Cursor    string
		}
		if err := json.Unmarshal([]byte(body), &b); err != nil || resp.StatusCode != 200 {
			t.Fatal(resp.StatusCode, err)
		}
		if len(b.Events) != tt.found || b.Truncated != tt.cut || b.Cursor != log.lines[39].At.String() {
			t.Errorf("%s: %d events, truncated %v, to %s", tt.query, len(b.Events), b.Truncated, b.Cursor)
		}
	}
	// Forwards, everything is found, page by page.
	at, pages := "0-0", 0
	for {
		pages++
		_, body := s.get("/events/backlog?traceId=t-39&after=" + at)
		var b struct {
			Events    []json.RawMessage
			Truncated bool
			Cursor    string
		}
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			t.Fatal(err)
		}
		if at = b.Cursor; len(b.Events) == 1 {
			break
		}
		if !b.Truncated || pages > 4 {
			t.Fatalf("page %d: truncated %v", pages, b.Truncated)
		}
	}
	if pages != 3 {
		t.Errorf("found on page %d", pages)
	}
	// A stream begins with what is near enough.
	st := s.stream("?backlog=5&traceId=t-2")
	log.add(strings.Replace(line(2), "xxx", "", 1))
	st.want(strings.Replace(line(2), "xxx", "", 1))
}

// A page forwards ends after so much of the log, be it lines that are none.
func TestAPageAmongBadLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openLog(t, dir)
	appendAll(t, log, event("a.b", 0))
	f := must[*os.File](t)(os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_WRONLY|os.O_APPEND, 0))
	defer f.Close()
	junk := strings.Repeat("not json", 8000) + "\n"
	must[int](t)(f.WriteString(strings.Repeat(junk, 40<<20/len(junk)) + event("a.b", 1) + "\n"))
	s := start(t, serve.Options{Log: log})
	at, found, pages := "0-0", 0, 0
	for ; found < 2; pages++ {
		_, body := s.get("/events/backlog?after=" + at)
		var b struct {
			Events    []json.RawMessage
			Truncated bool
			Cursor    string
		}
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			t.Fatal(err)
		}
		if found += len(b.Events); b.Cursor == at || pages > 4 || found < 2 && !b.Truncated {
			t.Fatalf("page %d: %.200s", pages, body)
		}
		at = b.Cursor
	}
	if pages < 2 {
		t.Errorf("40 MiB on %d pages", pages)
	}
	// Nor do the newest take more than a look.
	if _, body := s.get("/events/backlog?limit=2"); !strings.Contains(body, `"truncated":true`) || !strings.Contains(body, `"n":1}`) || strings.Contains(body, `"n":0}`) {
		t.Errorf("the newest: %.200s", body)
	}
	// The client goes through it all.
	n := 0
	if _, err := serve.Backlog(t.Context(), serve.TailOptions{URL: s.url, After: "0-0"}, func([]byte) error { n++; return nil }); err != nil || n != 2 {
		t.Errorf("the client found %d, %v", n, err)
	}
	// And so does a stream.
	s.stream("?after=0-0").want(event("a.b", 0), event("a.b", 1))
}
