package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// errDraining ends a stream because the server is stopping.
var errDraining = errors.New("the server is stopping")

// sink writes to one client. A write waits for nobody but that client.
type sink struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	srv  *Server
	conn *streamConn // nil when the handler runs behind another server
	sent int64       // bytes
	stop func() bool
	cut  chan struct{} // closed once a drain has bounded the write under way
}

func newSink(w http.ResponseWriter, r *http.Request, srv *Server) *sink {
	s := &sink{w: w, rc: http.NewResponseController(w), srv: srv, cut: make(chan struct{})}
	// The request was read: no deadline applies to a client that only listens.
	s.note(s.rc.SetReadDeadline(time.Time{}))
	if s.conn, _ = r.Context().Value(connKey{}).(*streamConn); s.conn != nil {
		s.conn.streaming.Store(true)
	}
	s.stop = context.AfterFunc(srv.draining, func() {
		defer close(s.cut)
		if s.conn != nil {
			s.note(s.conn.hurry())
			return
		}
		s.note(s.rc.SetWriteDeadline(srv.opt.Now().Add(drainWrite)))
	})
	return s
}

// close gives the connection back to the HTTP server, after a drain that is
// touching it.
func (s *sink) close() {
	if !s.stop() {
		<-s.cut
	}
	if s.conn != nil {
		s.conn.streaming.Store(false)
	}
}

// send writes p and flushes it.
func (s *sink) send(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	if err := s.write(p); err != nil {
		return err
	}
	return s.rc.Flush()
}

func (s *sink) write(p []byte) error {
	if s.srv.draining.Err() != nil {
		return errDraining
	}
	if s.conn == nil {
		s.note(s.rc.SetWriteDeadline(s.srv.opt.Now().Add(s.srv.opt.Patience)))
	}
	n, err := s.w.Write(p)
	s.sent += int64(n)
	return err
}

// joinBytes is how much of scattered frames one write takes.
const joinBytes = 64 << 10

var joinBuffers = sync.Pool{New: func() any { return new([joinBytes]byte) }}

// sendRuns writes those frames of c from index i on that are in runs, with as few
// system calls as it can, and returns how many there were.
func (s *sink) sendRuns(c chunk, i int, runs []run) (events int, err error) {
	var joined []byte
	flush := func(p []byte) {
		if err == nil && len(p) > 0 {
			err = s.write(p)
		}
	}
	for k := 0; k < len(runs) && err == nil; {
		from, to := max(runs[k].from, i), min(runs[k].to, len(c.frames))
		for k++; k < len(runs) && runs[k].from <= to; k++ { // one passes on to the next
			to = min(runs[k].to, len(c.frames))
		}
		if from >= to {
			break
		}
		events += to - from
		p := c.buf[c.from(from):c.from(to)]
		if len(p) > joinBytes/2 {
			flush(joined)
			flush(p)
			joined = joined[:0]
			continue
		}
		if joined == nil {
			b := joinBuffers.Get().(*[joinBytes]byte)
			defer joinBuffers.Put(b)
			joined = b[:0]
		}
		if len(joined)+len(p) > joinBytes {
			flush(joined)
			joined = joined[:0]
		}
		joined = append(joined, p...)
	}
	flush(joined)
	if err != nil || events == 0 {
		return events, err
	}
	return events, s.rc.Flush()
}

// note logs that a connection has no deadlines, as in some tests: the stream
// works without.
func (s *sink) note(err error) {
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.srv.opt.Logger.Debug("set deadline", "err", err)
	}
}

// connKey finds a request's connection in its context.
type connKey struct{}

// streamListener makes connections that know when a client is gone.
type streamListener struct {
	net.Listener
	srv *Server
}

func (l streamListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &streamConn{Conn: c, srv: l.srv}, nil
}

// streamConn gives a streaming client as long as it wants, as long as it takes
// anything at all: a write ends only after Options.Patience without one byte
// accepted. A deadline for the whole write would cut off the slow with the dead.
type streamConn struct {
	net.Conn
	srv       *Server
	streaming atomic.Bool
	renew     time.Time   // until when the deadline that is set is late enough
	hurried   atomic.Bool // the server drains: a short deadline is set, and stays
}

func (c *streamConn) Write(p []byte) (n int, err error) {
	if !c.streaming.Load() {
		return c.Conn.Write(p)
	}
	for {
		if err := c.deadline(); err != nil {
			return n, err
		}
		m, err := c.Conn.Write(p[n:])
		n += m
		if err == nil || m == 0 || c.hurried.Load() || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
}

// deadline makes sure that there is a deadline of Patience from now or a little
// more: setting one costs as much as a small write, and so is put off.
func (c *streamConn) deadline() error {
	now := c.srv.opt.Now()
	if now.Before(c.renew) {
		return nil
	}
	slack := c.srv.opt.Patience / 512
	c.renew = now.Add(slack)
	if err := c.SetWriteDeadline(c.renew.Add(c.srv.opt.Patience)); err != nil {
		return err
	}
	if c.hurried.Load() { // the drain may have come just before: its deadline wins
		return c.SetWriteDeadline(c.srv.opt.Now().Add(drainWrite))
	}
	return nil
}

// hurry bounds the write under way and all that follow.
func (c *streamConn) hurry() error {
	c.hurried.Store(true)
	return c.SetWriteDeadline(c.srv.opt.Now().Add(drainWrite))
}
