package main

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// segmentSize is how much is encoded into one piece of memory.
const segmentSize = 4 << 20

// segment holds frames one after the other. Its bytes never move and never
// change, so that writers send what readers of older parts still hold.
type segment struct {
	b    []byte // of capacity segmentSize or one frame; only grows
	next *segment
}

// frames is a log of encoded frames for all clients. A segment is freed when the
// last cursor has left it: a client that never reads pins everything after it.
type frames struct {
	mu   sync.Mutex
	last *segment
	wake chan struct{} // closed at the next append
	id   uint64
}

func newFrames() *frames {
	return &frames{last: &segment{b: make([]byte, 0, segmentSize)}, wake: make(chan struct{})}
}

// add encodes lines, once for everybody, and wakes who waits.
func (f *frames) add(lines []byte) {
	f.mu.Lock()
	for line := range bytes.Lines(lines) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if len(line) == 0 {
			continue
		}
		s := f.last
		if len(s.b)+len(line)+40 > cap(s.b) {
			s.next = &segment{b: make([]byte, 0, max(segmentSize, len(line)+64))}
			s = s.next
			f.last = s
		}
		f.id++
		s.b = append(s.b, "id: "...)
		s.b = strconv.AppendUint(s.b, f.id, 10)
		s.b = append(s.b, "\ndata: "...)
		s.b = append(s.b, line...)
		s.b = append(s.b, "\n\n"...)
	}
	wake := f.wake
	f.wake = make(chan struct{})
	f.mu.Unlock()
	close(wake)
}

// cursor is a client's place.
type cursor struct {
	s   *segment
	off int
}

func (f *frames) end() cursor {
	f.mu.Lock()
	defer f.mu.Unlock()
	return cursor{f.last, len(f.last.b)}
}

// next returns what is ready after the cursor, at most limit bytes, and moves it;
// or nothing, and what to wait for.
func (f *frames) next(c *cursor, limit int) ([]byte, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		if n := len(c.s.b); n > c.off {
			b := c.s.b[c.off:min(n, c.off+limit)]
			c.off += len(b)
			return b, nil
		}
		if c.s.next == nil {
			return nil, f.wake
		}
		c.s, c.off = c.s.next, 0
	}
}

// pump writes what comes after c until gone is closed or a write fails.
func (f *frames) pump(c cursor, limit int, gone <-chan struct{}, write func([]byte) error) {
	for {
		b, wake := f.next(&c, limit)
		if b == nil {
			select {
			case <-wake:
			case <-gone:
				return
			}
			continue
		}
		if write(b) != nil {
			return // the client is gone
		}
	}
}

// ringServer registers GET /events on mux and returns what takes new lines.
func ringServer(mux *http.ServeMux, limit int, serve func(*frames, int, http.ResponseWriter, *http.Request)) func([]byte) {
	f := newFrames()
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { serve(f, limit, w, r) })
	return f.add
}

// serveRing stays within net/http.
func serveRing(f *frames, limit int, w http.ResponseWriter, r *http.Request) {
	c := f.end()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	rc := http.NewResponseController(w)
	if rc.Flush() != nil {
		return
	}
	f.pump(c, limit, r.Context().Done(), func(b []byte) error {
		if _, err := w.Write(b); err != nil {
			return err
		}
		return rc.Flush()
	})
}

// serveRingRaw takes the connection over: no chunks, no buffer in between.
func serveRingRaw(f *frames, limit int, w http.ResponseWriter, _ *http.Request) {
	c := f.end()
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n"); err != nil {
		return
	}
	gone := make(chan struct{})
	go func() { // ends with the connection, which is closed above
		defer close(gone)
		_, _ = io.Copy(io.Discard, conn) // only its end matters
	}()
	f.pump(c, limit, gone, func(b []byte) error {
		_, err := conn.Write(b)
		return err
	})
}
