package serve

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// metrics counts what the server does. Counting costs an atomic addition;
// Prometheus comes in when somebody asks, see metrics_collect.go.
type metrics struct {
	lines, bytes          atomic.Int64 // by how much the log grew
	sentEvents, sentBytes atomic.Int64
	gone, unknown         atomic.Int64 // resets by reason
	filtered              atomic.Int64 // events that a filter was asked about
	lag                   lagHistogram
	taken                 takenCounts

	mu       sync.Mutex // guards what follows
	refusals map[refusal]int64
	requests map[request]int64
	open     map[*client]struct{}

	handler func() http.Handler // GET /metrics, made on first use
}

// The labels are bounded: codes are declared in fault, routes registered at
// the start, statuses ours.
type refusal struct {
	code   fault.Code
	status int
}

type request struct {
	route  string
	status int
}

func newMetrics(s *Server) *metrics {
	m := &metrics{refusals: map[refusal]int64{}, requests: map[request]int64{}, open: map[*client]struct{}{}}
	m.handler = sync.OnceValue(func() http.Handler { return collectorOf(s, m).handler() })
	return m
}

// refused counts a request that was turned away before or instead of its work.
func (m *metrics) refused(status int, code fault.Code) {
	m.mu.Lock()
	m.refusals[refusal{code, status}]++
	m.mu.Unlock()
}

func (m *metrics) reset(reason string) {
	if reason == telemetry.ResetGone {
		m.gone.Add(1)
	} else {
		m.unknown.Add(1)
	}
}

// count counts requests by the pattern of their route, as soon as their status
// is known: a stream counts when it opens. next must be a ServeMux.
func (m *metrics) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &countingWriter{ResponseWriter: w, done: func(status int) {
			m.mu.Lock()
			m.requests[request{r.Pattern, status}]++
			m.mu.Unlock()
		}}
		next.ServeHTTP(c, r)
		c.saw(http.StatusOK)
	})
}

// countingWriter learns the status of an answer. http.ResponseController looks
// through it.
type countingWriter struct {
	http.ResponseWriter
	done func(status int)
	once bool
}

func (c *countingWriter) saw(status int) {
	if !c.once && status >= 200 { // below, the real one is still to come
		c.once = true
		c.done(status)
	}
}

// WriteHeader implements http.ResponseWriter.
func (c *countingWriter) WriteHeader(status int) {
	c.saw(status)
	c.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (c *countingWriter) Write(p []byte) (int, error) {
	c.saw(http.StatusOK)
	return c.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (c *countingWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// lagBounds are the buckets of the time from the server's seeing an event to
// having written it, in seconds.
var lagBounds = [...]float64{.001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30, 300}

// lagHistogram counts without a lock.
type lagHistogram struct {
	buckets [len(lagBounds) + 1]atomic.Int64
	micros  atomic.Int64 // sum
}

func (h *lagHistogram) observe(d time.Duration) {
	i, s := 0, d.Seconds()
	for i < len(lagBounds) && s > lagBounds[i] {
		i++
	}
	h.buckets[i].Add(1)
	h.micros.Add(d.Microseconds())
}

func (m *metrics) opened(c *client) {
	m.mu.Lock()
	m.open[c] = struct{}{}
	m.mu.Unlock()
}

func (m *metrics) closed(c *client) {
	m.mu.Lock()
	delete(m.open, c)
	m.mu.Unlock()
}

// farthest is how many bytes the client that is farthest behind is from end.
func (m *metrics) farthest(end telemetry.Cursor) (bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.open {
		behind := end.Pos - c.pos.Load()
		if *c.log.Load() != end.Log { // it has all of the new log before it
			behind = end.Pos
		}
		bytes = max(bytes, behind)
	}
	return bytes
}
