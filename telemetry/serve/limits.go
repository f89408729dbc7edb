package serve

import (
	"container/list"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Rate is how often something may happen: Burst at once, PerMinute for long.
type Rate struct{ PerMinute, Burst int }

// Limits bound the requests of one address that is not loopback, and again those
// of one agent, from wherever it calls. Zero fields have defaults.
type Limits struct {
	Reads  Rate
	Writes Rate
	// Failures bounds credentials that are not accepted, loopback included. It
	// turns away nobody whose credentials are: a broken agent must not lock out
	// its neighbours behind the same address.
	Failures Rate
	// Posts bounds requests that send events, in the place of Writes; Events bounds the
	// events of one agent.
	Posts  Rate
	Events Rate
}

// DefaultLimits are the limits where Options.Limits leaves some out.
func DefaultLimits() Limits {
	return Limits{Reads: Rate{600, 120}, Writes: Rate{120, 40}, Failures: Rate{5, 10}, Posts: Rate{600, 120}, Events: Rate{60_000, 20_000}}
}

func (l Limits) withDefaults() Limits {
	def := DefaultLimits()
	for _, f := range []struct {
		r   *Rate
		def Rate
	}{{&l.Reads, def.Reads}, {&l.Writes, def.Writes}, {&l.Failures, def.Failures}, {&l.Posts, def.Posts}, {&l.Events, def.Events}} {
		if f.r.PerMinute <= 0 || f.r.Burst <= 0 {
			*f.r = f.def
		}
	}
	return l
}

// limits is the state of all limits of a server.
type limits struct {
	reads, writes           *rates[netip.Prefix]
	agentReads, agentWrites *rates[string]
	failures                *rates[netip.Prefix]
	posts                   *rates[netip.Prefix]
	agentPosts, events      *rates[string]

	mu      sync.Mutex // guards streams
	streams map[netip.Prefix]int
}

func newLimits(l Limits) *limits {
	return &limits{
		reads: newRates[netip.Prefix](l.Reads), writes: newRates[netip.Prefix](l.Writes),
		agentReads: newRates[string](l.Reads), agentWrites: newRates[string](l.Writes),
		failures: newRates[netip.Prefix](l.Failures), posts: newRates[netip.Prefix](l.Posts),
		agentPosts: newRates[string](l.Posts), events: newRates[string](l.Events), streams: map[netip.Prefix]int{},
	}
}

// stream takes one of most places of an address, if there is one; done gives it
// back. The table is no larger than the streams that are open.
func (l *limits) stream(key netip.Prefix, most int) (done func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.streams[key] >= most {
		return nil, false
	}
	l.streams[key]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.streams[key]--; l.streams[key] == 0 {
			delete(l.streams, key)
		}
	}, true
}

// maxTracked bounds each table of rates: who has not been seen for longest is
// forgotten first, and starts anew.
const maxTracked = 8192

// rates is a token bucket a key.
type rates[K comparable] struct {
	each  Rate
	mu    sync.Mutex // guards what follows
	byKey map[K]*list.Element
	order *list.List // of *bucket[K], the latest seen first
}

type bucket[K comparable] struct {
	key   K
	limit *rate.Limiter
}

func newRates[K comparable](each Rate) *rates[K] {
	return &rates[K]{each: each, byKey: map[K]*list.Element{}, order: list.New()}
}

// take uses up one event of key; when there is none left, it returns how long to
// wait for the next.
func (t *rates[K]) take(key K, now time.Time) (wait time.Duration) { return t.takeN(key, now, 1) }

// takeN is take for n events at once, which are no more than Burst.
func (t *rates[K]) takeN(key K, now time.Time, n int) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	el, ok := t.byKey[key]
	if ok {
		t.order.MoveToFront(el)
	} else {
		if t.order.Len() >= maxTracked {
			oldest := t.order.Back()
			delete(t.byKey, t.order.Remove(oldest).(*bucket[K]).key)
		}
		every := time.Minute / time.Duration(t.each.PerMinute)
		el = t.order.PushFront(&bucket[K]{key, rate.NewLimiter(rate.Every(every), t.each.Burst)})
		t.byKey[key] = el
	}
	r := el.Value.(*bucket[K]).limit.ReserveN(now, min(n, t.each.Burst))
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// tooMany counts a request against the limit of its address or, once the agent
// is known, of its agent. Programs on this machine have none: the machine is
// theirs.
func (s *Server) tooMany(r *http.Request, c *caller) time.Duration {
	if c.local {
		return 0
	}
	now := s.opt.Now()
	byAddr, byAgent := s.limits.reads, s.limits.agentReads
	switch {
	case isIngest(r) && s.opt.Ingest != nil:
		byAddr, byAgent = s.limits.posts, s.limits.agentPosts
	case !safe(r.Method):
		byAddr, byAgent = s.limits.writes, s.limits.agentWrites
	}
	if c.proof != nil {
		return byAgent.take(c.proof.AgentID, now)
	}
	return byAddr.take(network(c.addr), now)
}

func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// perAddress bounds the streams of one address, so that one caller can't take
// all places.
func (s *Server) perAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := callerOf(r); !c.local {
			done, ok := s.limits.stream(network(c.addr), s.opt.MaxPerAddress)
			if !ok {
				s.refuseFor(w, http.StatusTooManyRequests, 5*time.Second, fault.New(fault.Upstream,
					"all %d streams of this address are taken", s.opt.MaxPerAddress).
					Hintf("close one, or start the server with a higher --max-per-address"))
				return
			}
			defer done()
		}
		next.ServeHTTP(w, r)
	})
}
