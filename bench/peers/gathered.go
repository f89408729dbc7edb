package main

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	gatherBytes = 60 << 10
	gatherTime  = 2 * time.Millisecond
)

// gathered keeps r3labs' writes and flushes back while more events are known to
// follow: a flush an event is a system call an event.
type gathered struct {
	http.ResponseWriter
	expected atomic.Int64 // events handed to the stream so far

	mu      sync.Mutex
	rc      *http.ResponseController
	buf     []byte
	flushes int64 // r3labs flushes once after the header, then once an event
	dirty   bool
	closed  bool
	timer   *time.Timer
}

func newGathered(w http.ResponseWriter) *gathered {
	g := &gathered{ResponseWriter: w, rc: http.NewResponseController(w), flushes: -1}
	g.timer = time.AfterFunc(time.Hour, g.late)
	return g
}

// stop ends the timer's use of a response that is over.
func (g *gathered) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	g.timer.Stop()
}

// expect says that n more events were published.
func (g *gathered) expect(n int) { g.expected.Add(int64(n)) }

func (g *gathered) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.buf = append(g.buf, p...)
	if len(g.buf) < gatherBytes {
		return len(p), nil
	}
	return len(p), g.empty()
}

// empty writes the buffer; the caller holds the lock.
func (g *gathered) empty() error {
	_, err := g.ResponseWriter.Write(g.buf)
	g.buf = g.buf[:0]
	return err
}

// Flush implements http.Flusher, which r3labs asks for.
func (g *gathered) Flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.flushes++
	switch {
	case g.flushes >= g.expected.Load():
		g.send()
	case !g.dirty:
		g.dirty = true
		g.timer.Reset(gatherTime)
	}
}

// send gives everything to the connection; the caller holds the lock. The errors
// of a client that is gone come again at its next write, and end its context.
func (g *gathered) send() {
	g.dirty = false
	if len(g.buf) > 0 && g.empty() != nil {
		return
	}
	_ = g.rc.Flush()
}

// late sends what waited for events that did not follow in time.
func (g *gathered) late() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.dirty && !g.closed {
		g.send()
	}
}
