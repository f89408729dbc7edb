package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

func TestLiveStreamSendsOnlyWhatComesAfterIt(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(events("nft.quote.created", 0, 3)...)
	s := start(t, serve.Options{Log: log})
	st := s.stream("")
	if got := st.resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type %q", got)
	}
	if got := st.resp.Header.Get("X-Accel-Buffering"); got != "no" {
		t.Errorf("X-Accel-Buffering %q", got)
	}
	if got := st.resp.Header.Get("Cache-Control"); !strings.Contains(got, "no-cache") {
		t.Errorf("Cache-Control %q", got)
	}
	log.add(events("nft.quote.created", 3, 6)...)
	st.want(events("nft.quote.created", 3, 6)...)
}

func TestFirstFramesAreRetryAndAnIdWithoutData(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(event("a.b", 1))
	s := start(t, serve.Options{Log: log})
	st := s.stream("")
	if f := <-st.frames; f.retry == "" || f.data != "" {
		t.Errorf("first frame %+v, want retry only", f)
	}
	end := must[telemetry.Cursor](t)(log.End(t.Context()))
	if f := <-st.frames; f.id != end.String() || f.data != "" || f.name != "" {
		t.Errorf("second frame %+v, want the id %s and nothing else", f, end)
	}
}

func TestBacklogThenLiveWithoutASeam(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(events("a.b", 0, 10)...)
	s := start(t, serve.Options{Log: log})
	st := s.stream("?backlog=4")
	st.want(events("a.b", 6, 10)...)
	log.add(events("a.b", 10, 12)...)
	st.want(events("a.b", 10, 12)...)
}

func TestALogThatDoesNotExistYet(t *testing.T) {
	t.Parallel()
	log := newMemLog("")
	s := start(t, serve.Options{Log: log})
	st := s.stream("")
	log.replace("aa", events("a.b", 0, 3)...)
	st.want(events("a.b", 0, 3)...)
}

func TestResumeFromMemoryAndFromTheFile(t *testing.T) {
	t.Parallel()
	for _, ring := range []int{1, 1 << 20} {
		t.Run(fmt.Sprint("ring ", ring), func(t *testing.T) {
			t.Parallel()
			log := newMemLog("aa")
			s := start(t, serve.Options{Log: log, RingBytes: ring})
			live := s.stream("")
			all := events("a.b", 0, 40)
			for i := 0; i < len(all); i += 4 { // ten blocks
				log.add(all[i : i+4]...)
				live.want(all[i : i+4]...)
			}
			for n, line := range log.lines {
				for _, how := range []string{"header", "query"} {
					st := s.stream("", "Last-Event-ID", line.At.String())
					if how == "query" {
						st.close()
						st = s.stream("?after=" + line.At.String())
					}
					st.want(all[n+1:]...)
					st.close()
				}
			}
			// The header wins over the address, which EventSource keeps.
			st := s.stream("?backlog=10&after="+log.lines[3].At.String(), "Last-Event-ID", log.lines[37].At.String())
			st.want(all[38:]...)
		})
	}
}

func TestResets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, from, reason string
		then               []string // sent after the reset, before anything new
	}{
		{"removed", "", "gone", events("a.b", 5, 10)},
		{"another log", "zz-17", "unknown", nil},
		{"beyond the end", "bb-99999999", "unknown", nil},
		{"no cursor at all", "1732968000000-42:x", "unknown", nil},
		{"markup", "\"><b>", "unknown", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			log := newMemLog("bb")
			log.add(events("a.b", 0, 10)...)
			from := tt.from
			if from == "" {
				from = log.lines[1].At.String()
			}
			log.drop(5)
			oldest := must[telemetry.Cursor](t)(log.Oldest(t.Context()))
			s := start(t, serve.Options{Log: log})
			st := s.stream("", "Last-Event-ID", from)
			f := st.next()
			var got map[string]string
			if err := json.Unmarshal([]byte(f.data), &got); err != nil || f.name != "reset" {
				t.Fatalf("got %+v (%v), want a reset", f, err)
			}
			if got["from"] != from || got["oldest"] != oldest.String() || got["reason"] != tt.reason {
				t.Errorf("reset %v", got)
			}
			st.want(tt.then...)
			line := event("x.y", 1)
			log.add(line)
			st.want(line)
			// The id of the reset is where the client goes on: no second reset.
			s.stream("", "Last-Event-ID", f.id).want(append(tt.then, line)...)
		})
	}
}

func TestAReplacedLogIsNewsToConnectedClients(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log})
	st := s.stream("")
	log.add(events("a.b", 0, 2)...)
	st.want(events("a.b", 0, 2)...)
	log.replace("bb", events("a.b", 7, 9)...)
	if f := st.next(); f.name != "reset" || !strings.Contains(f.data, `"unknown"`) {
		t.Fatalf("got %+v, want a reset", f)
	}
	st.want(events("a.b", 7, 9)...)
	// Nothing of the old log is left in memory under the new one's positions.
	s.stream("?after=bb-0").want(events("a.b", 7, 9)...)
}

// A stream may open between the replacement of a log and the server's seeing it.
func TestAStreamThatIsAheadOfTheServer(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log, Heartbeat: time.Hour})
	st := s.stream("")
	log.add(event("a.b", 1))
	st.want(event("a.b", 1)) // the server is at aa
	log.mu.Lock()
	log.id, log.lines = "bb", nil
	log.mu.Unlock()
	ahead := s.stream("")
	log.add(event("a.b", 2))
	ahead.want(event("a.b", 2))
}

// A log may lose its end and keep its id, as after a restore from a backup.
func TestAStreamThatIsAheadOfAShorterLog(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log, Heartbeat: time.Hour})
	st := s.stream("")
	log.add(events("a.b", 0, 8)...)
	st.want(events("a.b", 0, 8)...)
	log.truncate(3)
	if f := st.next(); f.name != "reset" || !strings.Contains(f.data, `"unknown"`) {
		t.Fatalf("got %+v, want a reset", f)
	}
	st.want(events("a.b", 0, 3)...)
	log.add(event("a.b", 9))
	st.want(event("a.b", 9))
}

func TestFilters(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	var all []string
	for n := range 60 {
		all = append(all, event([]string{"nft.quote.created", "nft.buy.confirmed", "policy.blocked"}[n%3], n))
	}
	for _, tt := range []struct {
		query string
		pass  func(n int) bool
	}{
		{"type=nft.*", func(n int) bool { return n%3 != 2 }},
		{"type=policy.blocked", func(n int) bool { return n%3 == 2 }},
		{"type=policy.blocked&type=nft.buy.*", func(n int) bool { return n%3 != 0 }},
		{"agentId=agent-1", func(n int) bool { return n%3 == 1 }},
		{"traceId=t-4", func(n int) bool { return n%5 == 4 }},
		{"ok=false", func(n int) bool { return n%2 == 1 }},
		{"ok=true&type=nft.*&traceId=t-0", func(n int) bool { return n%2 == 0 && n%3 != 2 && n%5 == 0 }},
	} {
		t.Run(tt.query, func(t *testing.T) {
			log.replace("aa", all[:20]...)
			s := start(t, serve.Options{Log: log})
			var want []string
			for n, line := range all {
				if tt.pass(n) {
					want = append(want, line)
				}
			}
			old := s.stream("?after=0-0&" + tt.query) // from the file, then live
			same := s.stream("?after=0-0&" + tt.query)
			first := 0
			for n := range 20 {
				if tt.pass(n) {
					first++
				}
			}
			old.want(want[:first]...)
			same.want(want[:first]...)
			late := s.stream("?backlog=2&" + tt.query)
			late.want(want[first-2 : first]...)
			log.add(all[20:40]...)
			log.add(all[40:]...)
			for _, st := range []*stream{old, same, late} {
				st.want(want[first:]...)
			}
			// Resuming in the middle of a block of frames.
			st := s.stream("?"+tt.query, "Last-Event-ID", log.lines[30].At.String())
			var rest []string
			for n := 31; n < 60; n++ {
				if tt.pass(n) {
					rest = append(rest, all[n])
				}
			}
			st.want(rest...)
		})
	}
}

func TestASlowClientDelaysNobodyAndMissesNothing(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log, RingBytes: 256 << 10})
	slow := must[net.Conn](t)(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))
	defer slow.Close()
	fmt.Fprintf(slow, "GET /events?after=0-0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	fast := s.stream("?after=0-0")
	// 12 MB: more than any socket buffer holds.
	big := strings.Repeat("x", 8000)
	var all []string
	for n := range 1500 {
		all = append(all, fmt.Sprintf(`{"n":%d,"pad":%q}`, n, big))
	}
	for i := 0; i < len(all); i += 100 {
		log.add(all[i : i+100]...)
		fast.want(all[i : i+100]...)
	}
	// The slow one has read nothing so far. It gets all of it.
	if err := slow.SetReadDeadline(time.Now().Add(5 * patience)); err != nil {
		t.Fatal(err)
	}
	resp := must[*http.Response](t)(http.ReadResponse(bufio.NewReader(slow), nil))
	n, done := 0, errors.New("all there")
	func() {
		defer func() {
			if r := recover(); r != nil && r != done { //nolint:errorlint // our own value
				panic(r)
			}
		}()
		readFrames(resp.Body, func(f frame) {
			if f.data == "" {
				return
			}
			if f.data != all[n] {
				t.Errorf("event %d is %.40q", n, f.data)
				panic(done)
			}
			if n++; n == len(all) {
				panic(done)
			}
		})
	}()
	if n != len(all) {
		t.Errorf("the slow client got %d of %d events", n, len(all))
	}
}

func TestOddLines(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	huge := `{"eventType":"big.one","pad":"` + strings.Repeat("é", 500<<10) + `"}`
	sent := []string{
		"{\"a\":1,\r\"b\":2}",   // a bare CR between tokens
		"{\"crlf\":true}\r",     // a CRLF ending
		" { \"crlf\" : 2 } \r",  // is all that goes
		"\r{\r\"c\"\r:\r3\r}\r", // CRs wherever they can be
		`{"esc":"a\r\nb"}`,      // escapes are not CRs
		`{"unicode":"\u2028 é"}`,
		huge,
	}
	want := []string{`{"a":1,"b":2}`, `{"crlf":true}`, ` { "crlf" : 2 } `, `{"c":3}`, sent[4], sent[5], huge}
	s := start(t, serve.Options{Log: log})
	st := s.stream("")
	log.add(sent...)
	st.want(want...)
	file := s.stream("?after=0-0")
	file.want(want...)
}

func TestTooManyStreams(t *testing.T) {
	t.Parallel()
	s := start(t, serve.Options{Log: newMemLog("aa"), MaxClients: 2})
	first := s.stream("")
	s.stream("")
	resp, body := s.get("/events")
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || !strings.Contains(body, `"code":"upstream"`) {
		t.Errorf("third stream: %d %q %s", resp.StatusCode, resp.Header.Get("Retry-After"), body)
	}
	first.close()
	// A place is free once the server saw it go.
	deadline := time.Now().Add(patience)
	for {
		resp, _ := s.do(http.MethodHead, "/events", "")
		if resp.StatusCode == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the place of a client that left was not given free")
		}
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log})
	st := s.stream("")
	stuck := must[net.Conn](t)(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))
	defer stuck.Close()
	fmt.Fprintf(stuck, "GET /events?after=0-0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	pad := strings.Repeat("x", 64<<10)
	var all []string
	for n := range 300 {
		all = append(all, fmt.Sprintf(`{"n":%d,"pad":%q}`, n, pad))
	}
	log.add(all...)
	st.want(all...) // by now the other one is stuck in a write
	began := time.Now()
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 4*time.Second { // less than the grace for other requests
		t.Errorf("the drain took %v", took)
	}
	st.ended()
	if _, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://")); err == nil {
		t.Error("the address still answers")
	}
}

func TestALogThatCanNotBeReadIsAnAnswerNotAHang(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log})
	log.mu.Lock()
	log.readErr = errors.New("open /secret/place/events.jsonl: permission denied")
	log.mu.Unlock()
	for _, path := range []string{"/events", "/events?backlog=3", "/events?after=aa-0", "/events/backlog", "/events/backlog?after=aa-0"} {
		resp, body := s.get(path)
		if resp.StatusCode != http.StatusInternalServerError || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
}

func TestWatchFailureEndsServe(t *testing.T) {
	t.Parallel()
	s := must[*serve.Server](t)(serve.New(serve.Options{Log: blindLog{newMemLog("aa")}, Now: time.Now, Addr: "127.0.0.1:0"}))
	if err := s.Serve(t.Context()); err == nil || !strings.Contains(err.Error(), "no watch") {
		t.Errorf("Serve: %v", err)
	}
}

type blindLog struct{ *memLog }

func (blindLog) Watch(context.Context) (<-chan struct{}, error) { return nil, errors.New("no watch") }
