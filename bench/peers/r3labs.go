package main

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/r3labs/sse/v2"
)

// named lets the r3labs server find the stream that the client did not name.
func named(r *http.Request, stream string) *http.Request {
	q := r.URL.Query()
	q.Set("stream", stream)
	r.URL.RawQuery = q.Encode()
	return r
}

func newR3labs() *sse.Server {
	s := sse.New()
	s.AutoReplay = false // it would keep every event for ever
	return s
}

// numbered makes events of lines; last is the number of the newest.
type numbered struct{ last int64 }

func (n *numbered) events(lines []byte, each func(*sse.Event)) {
	for line := range bytes.Lines(lines) {
		n.last++
		each(&sse.Event{ID: strconv.AppendInt(nil, n.last, 10), Data: bytes.Clone(bytes.TrimSuffix(line, []byte("\n")))})
	}
}

// oneStream is r3labs' server as its README shows it.
func oneStream(mux *http.ServeMux) func([]byte) {
	s := newR3labs()
	s.CreateStream("events")
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, named(r, "events")) })
	var n numbered
	return func(lines []byte) {
		n.events(lines, func(e *sse.Event) { s.Publish("events", e) })
	}
}

// block is a piece of the shared list of events. n and next only ever grow.
type block struct {
	events [1024]*sse.Event
	n      atomic.Int64
	next   atomic.Pointer[block]
}

// list is an append-only list of events that every client reads at its own place.
type list struct {
	mu   sync.Mutex
	head *block
	wake chan struct{} // closed at the next append
}

// streamPerClient gives each client a stream, and a goroutine that feeds it from
// a shared list, so that a client that stalls stops only itself.
func streamPerClient(mux *http.ServeMux) func([]byte) {
	s := newR3labs()
	l := &list{head: &block{}, wake: make(chan struct{})}
	var clients atomic.Int64
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		name := "c" + strconv.FormatInt(clients.Add(1), 10)
		s.CreateStream(name)
		defer s.RemoveStream(name)
		cw := newGathered(w)
		defer cw.stop()
		b, off := l.end()
		go l.feed(r.Context(), b, off, func(events []*sse.Event) {
			cw.expect(len(events))
			for _, e := range events {
				s.Publish(name, e)
			}
		})
		s.ServeHTTP(cw, named(r, name))
	})
	var n numbered
	return func(lines []byte) { l.add(&n, lines) }
}

func (l *list) add(n *numbered, lines []byte) {
	l.mu.Lock()
	n.events(lines, func(e *sse.Event) {
		k := l.head.n.Load()
		if k == int64(len(l.head.events)) {
			next := &block{}
			l.head.next.Store(next)
			l.head, k = next, 0
		}
		l.head.events[k] = e
		l.head.n.Store(k + 1)
	})
	wake := l.wake
	l.wake = make(chan struct{})
	l.mu.Unlock()
	close(wake)
}

func (l *list) end() (*block, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head, int(l.head.n.Load())
}

func (l *list) waiting() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wake
}

// feed hands on what comes after a place until ctx ends.
func (l *list) feed(ctx context.Context, b *block, off int, publish func([]*sse.Event)) {
	for {
		wake := l.waiting()
		for {
			if n := int(b.n.Load()); n > off {
				publish(b.events[off:n])
				off = n
			}
			next := b.next.Load()
			if next == nil {
				break
			}
			if off == int(b.n.Load()) {
				b, off = next, 0
			}
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
	}
}
