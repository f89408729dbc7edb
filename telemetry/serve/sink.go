package serve

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// errDraining ends a stream because the server is stopping.
var errDraining = errors.New("the server is stopping")

// writePiece is how much is written under one deadline: a client counts as
// gone only when it takes less than this in Options.Patience, so that a slow
// one is not mistaken for a dead one.
const writePiece = 16 << 10

// sink writes to one client. A write waits for nobody but that client.
type sink struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	srv  *Server
	stop func() bool
	cut  chan struct{} // closed once a drain has bounded the write under way
}

func newSink(w http.ResponseWriter, srv *Server) *sink {
	s := &sink{w: w, rc: http.NewResponseController(w), srv: srv, cut: make(chan struct{})}
	// The request was read: no deadline applies to a client that only listens.
	s.deadlineError(s.rc.SetReadDeadline(time.Time{}))
	s.stop = context.AfterFunc(srv.draining, func() {
		defer close(s.cut)
		s.deadlineError(s.rc.SetWriteDeadline(srv.opt.Now().Add(drainWrite)))
	})
	return s
}

// close waits for a drain that is touching the connection.
func (s *sink) close() {
	if !s.stop() {
		<-s.cut
	}
}

// send writes parts and flushes them.
func (s *sink) send(parts ...[]byte) error {
	wrote := false
	for _, p := range parts {
		for len(p) > 0 {
			if s.srv.draining.Err() != nil {
				return errDraining
			}
			n := min(len(p), writePiece)
			s.deadlineError(s.rc.SetWriteDeadline(s.srv.opt.Now().Add(s.srv.opt.Patience)))
			if _, err := s.w.Write(p[:n]); err != nil {
				return err
			}
			p, wrote = p[n:], true
		}
	}
	if !wrote {
		return nil
	}
	return s.rc.Flush()
}

// deadlineError notes that a connection has no deadlines, as in some tests: the
// stream works without.
func (s *sink) deadlineError(err error) {
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.srv.opt.Logger.Debug("set deadline", "err", err)
	}
}
