package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// stopped is a wall clock that a test moves.
type stopped struct{ at atomic.Int64 }

func newStopped() *stopped {
	c := &stopped{}
	c.at.Store(time.Now().UnixNano())
	return c
}

func (c *stopped) now() time.Time          { return time.Unix(0, c.at.Load()) }
func (c *stopped) advance(d time.Duration) { c.at.Add(int64(d)) }

// tooMany checks the answer to who comes too often, and returns the seconds.
func tooMany(t *testing.T, resp *http.Response, body string) int {
	t.Helper()
	if resp.StatusCode != http.StatusTooManyRequests {
		t.Fatalf("%d %s, want 429", resp.StatusCode, body)
	}
	errorOf(t, resp, body)
	var e struct{ RetryAfterSeconds int }
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.RetryAfterSeconds < 1 || resp.Header.Get("Retry-After") != strconv.Itoa(e.RetryAfterSeconds) {
		t.Errorf("Retry-After %q and %s", resp.Header.Get("Retry-After"), body)
	}
	return e.RetryAfterSeconds
}

func TestRates(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	other := register(t, registry, "bot-2")
	clock := newStopped()
	few := serve.Limits{Reads: serve.Rate{PerMinute: 6, Burst: 5}, Writes: serve.Rate{PerMinute: 2, Burst: 2}}
	options := func() serve.Options {
		return serve.Options{Log: newMemLog("aa"), Auth: registry, Limits: few, Insecure: true, Mounts: testMounts(), Now: clock.now,
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	}
	spend := func(s *server, n int, method, path string, header ...string) (*http.Response, string) {
		t.Helper()
		for range n {
			if resp, body := s.do(method, path, "", header...); resp.StatusCode == 429 {
				t.Fatalf("too early: %s", body)
			}
		}
		return s.do(method, path, "", header...)
	}
	s, at := startElsewhere(t, "192.0.2.1", options())
	resp, body := spend(s, 5, "GET", "/api/health")
	if wait := tooMany(t, resp, body); wait != 10 {
		t.Errorf("wait %d s, want 10", wait)
	}
	resp, body = spend(s, 2, "POST", "/api/nothing") // writes have a limit of their own
	tooMany(t, resp, body)
	// What an untrusted caller says about itself changes nothing.
	for i := range 3 {
		resp, body = s.get("/api/health", "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
		tooMany(t, resp, body)
	}
	at.set("192.0.2.2")
	spend(s, 4, "GET", "/api/health")
	at.set("192.0.2.1")
	clock.advance(10 * time.Second)
	resp, body = spend(s, 1, "GET", "/api/health")
	tooMany(t, resp, body)
	// An IPv6 customer has a whole /64.
	at.set("2001:db8:0:1::1")
	spend(s, 4, "GET", "/api/health")
	at.set("2001:db8:0:1:ffff::2")
	resp, body = s.get("/api/health")
	tooMany(t, resp, body)
	at.set("2001:db8:0:2::1")
	if resp, _ := s.get("/api/health"); resp.StatusCode != 200 {
		t.Errorf("the next /64: %d", resp.StatusCode)
	}
	// A trusted proxy is believed, from right to left, as long as it vouches.
	at.set("10.0.0.1")
	spend(s, 4, "GET", "/api/health", "X-Forwarded-For", "203.0.113.7")
	for _, chain := range []string{"203.0.113.7", "1.2.3.4, 203.0.113.7", "203.0.113.7, 10.0.0.2", "1.2.3.4,203.0.113.7:4711 , 10.9.9.9", "junk, 203.0.113.7", "::ffff:203.0.113.7"} {
		resp, body = s.get("/api/health", "X-Forwarded-For", chain)
		tooMany(t, resp, body)
	}
	for _, chain := range []string{"203.0.113.8", "203.0.113.7, 203.0.113.9", "[2001:db8::1]:4711"} {
		if resp, _ := s.get("/api/health", "X-Forwarded-For", chain); resp.StatusCode != 200 {
			t.Errorf("%s: %d", chain, resp.StatusCode)
		}
	}
	// Who the proxy says nothing sensible about counts as the proxy.
	spend(s, 4, "GET", "/api/health", "X-Forwarded-For", "junk")
	resp, body = s.get("/api/health", "X-Forwarded-For", "203.0.113.77, unknown")
	tooMany(t, resp, body)

	// An agent gains nothing by calling from many addresses.
	s, at = startElsewhere(t, "192.0.2.1", options())
	for i := range 5 {
		at.set(fmt.Sprintf("192.0.2.%d", i+1))
		if resp, _ := s.get("/api/open", creds("bot-1", token)...); resp.StatusCode != 200 {
			t.Fatalf("call %d: %d", i, resp.StatusCode)
		}
	}
	at.set("192.0.2.100")
	resp, body = s.get("/api/open", creds("bot-1", token)...)
	tooMany(t, resp, body)
	if resp, _ := s.get("/api/open", creds("bot-2", other)...); resp.StatusCode != 200 {
		t.Errorf("another agent: %d", resp.StatusCode)
	}
	// Programs of this machine have no limit.
	at.set("127.0.0.1")
	spend(s, 100, "GET", "/api/open", creds("bot-1", token)...)
}

// Wrong credentials are limited by address, this machine's too; right ones are
// not turned away for what a neighbour does.
func TestFailures(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	clock := newStopped()
	s, at := startElsewhere(t, "127.0.0.1", serve.Options{Log: newMemLog("aa"), Auth: registry, Now: clock.now, Mounts: testMounts()})
	for _, addr := range []string{"127.0.0.1", "192.0.2.1"} {
		at.set(addr)
		for i := range 10 {
			if resp, body := s.get("/api/spend", creds("bot-1", fmt.Sprint("claw_guess", i))...); resp.StatusCode != 403 {
				t.Fatalf("%s: failure %d: %d %s", addr, i, resp.StatusCode, body)
			}
		}
		resp, body := s.get("/api/spend", creds("bot-2", "claw_guess")...)
		if wait := tooMany(t, resp, body); wait != 12 {
			t.Errorf("wait %d s, want 12", wait)
		}
		if resp, _ := s.login("bot-1", "claw_guess"); resp.StatusCode != 429 {
			t.Errorf("a log-in: %d", resp.StatusCode)
		}
		if resp, _ := s.get("/api/spend", creds("bot-1", token)...); resp.StatusCode != 200 {
			t.Errorf("the right credentials: %d", resp.StatusCode)
		}
		clock.advance(12 * time.Second)
		if resp, _ := s.get("/api/spend", creds("bot-1", "claw_guess")...); resp.StatusCode != 403 {
			t.Errorf("after the wait: %d", resp.StatusCode)
		}
	}
}

// However many addresses call, the tables stay small, and who calls most is not
// forgotten for it.
func TestTablesAreBounded(t *testing.T) {
	t.Parallel()
	rates := serve.NewRates(serve.Rate{PerMinute: 60, Burst: 3})
	now := time.Now()
	busy := netip.MustParsePrefix("192.0.2.1/32")
	refused := 0
	for i := range 200_000 {
		a := netip.AddrFrom16([16]byte{0x20, 1, byte(i >> 16), byte(i >> 8), byte(i)})
		if wait := rates.Take(netip.PrefixFrom(a, 64), now); wait > 0 {
			t.Fatalf("address %d waits %s", i, wait)
		}
		if i%1000 == 0 && rates.Take(busy, now) > 0 {
			refused++
		}
	}
	if refused != 200-3 {
		t.Errorf("a busy address was refused %d times, want 197", refused)
	}
	if n := rates.Len(); n > 8192 {
		t.Errorf("%d addresses are kept", n)
	}
}

// 300 clients on a cap of 200: 200 stream, 100 are told when to come back, and
// those that stream go on.
func TestMoreClientsThanPlaces(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log, MaxClients: 200})
	var streams []*stream
	for range 200 {
		streams = append(streams, s.stream(""))
	}
	for range 100 {
		resp, body := s.get("/events")
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || errorOf(t, resp, body) != "upstream" {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
	}
	log.add(event("a.b", 1))
	for _, st := range streams {
		st.want(event("a.b", 1))
	}
	streams[0].close()
	deadline := time.After(patience)
	for {
		if resp, _ := s.do("HEAD", "/events", ""); resp.StatusCode == 200 {
			return
		}
		select {
		case <-deadline:
			t.Fatal("the place of a client that left stays taken")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestStreamsOfOneAddress(t *testing.T) {
	t.Parallel()
	s, at := startElsewhere(t, "192.0.2.1", serve.Options{Log: newMemLog("aa"), Insecure: true, MaxPerAddress: 3})
	var mine []*stream
	for range 3 {
		mine = append(mine, s.stream(""))
	}
	resp, body := s.get("/events")
	tooMany(t, resp, body)
	if resp, _ := s.get("/api/health"); resp.StatusCode != 200 {
		t.Errorf("another route: %d", resp.StatusCode)
	}
	at.set("192.0.2.2")
	s.stream("").close()
	at.set("127.0.0.1")
	for range 5 {
		s.stream("") // this machine's programs may
	}
	at.set("192.0.2.1")
	mine[0].close()
	deadline := time.After(patience)
	for {
		if resp, _ := s.do("HEAD", "/events", ""); resp.StatusCode == 200 {
			return
		}
		select {
		case <-deadline:
			t.Fatal("the place of a stream that ended stays taken")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
