package serve

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/agents"
)

// Revocation must end open streams within a second.
const (
	leaseCheck = 200 * time.Millisecond // how often it is asked whether anything changed
	leaseFull  = 5 * time.Second        // how often all proofs are checked though nothing seems to have
)

// leases are the streams that last as long as what their callers proved.
type leases struct {
	mu    sync.Mutex // guards what follows
	open  map[*lease]struct{}
	fresh bool // one was added since the last check

	added chan struct{} // holds a token once one was added
}

type lease struct {
	proof agents.Proof
	end   context.CancelFunc
}

func newLeases() *leases {
	return &leases{open: map[*lease]struct{}{}, added: make(chan struct{}, 1)}
}

// lease returns a context of r that also ends when its caller's credentials are
// revoked or its session is over. Release must be called.
func (s *Server) lease(r *http.Request) (ctx context.Context, release func()) {
	p := callerOf(r).proof
	if p == nil {
		return r.Context(), func() {}
	}
	var end context.CancelFunc
	if p.Expires.IsZero() {
		ctx, end = context.WithCancel(r.Context())
	} else {
		ctx, end = context.WithTimeout(r.Context(), p.Expires.Sub(s.opt.Now()))
	}
	l := &lease{*p, end}
	s.leases.mu.Lock()
	s.leases.open[l], s.leases.fresh = struct{}{}, true
	s.leases.mu.Unlock()
	select {
	case s.leases.added <- struct{}{}:
	default:
	}
	// A client that does not read keeps its stream in a write: a deadline gets
	// it out. The connection may serve another request afterwards.
	conn, _ := r.Context().Value(connKey{}).(*streamConn)
	hurried := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(hurried)
		if conn != nil && r.Context().Err() == nil {
			if err := conn.hurry(); err != nil {
				s.opt.Logger.Debug("set deadline", "err", err)
			}
		}
	})
	return ctx, func() {
		if !stop() {
			<-hurried
			if conn != nil {
				conn.hurried.Store(s.draining.Err() != nil)
			}
		}
		end()
		s.leases.mu.Lock()
		delete(s.leases.open, l)
		s.leases.mu.Unlock()
	}
}

// leased gives a stream its lease.
func (s *Server) leased(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, release := s.lease(r)
		defer release()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// watchLeases ends leases whose proof no longer holds, until ctx ends. While
// there are none it waits and asks nothing.
func (s *Server) watchLeases(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.leases.added:
			s.checkLeases(ctx)
		}
	}
}

// checkLeases returns when no lease is left.
func (s *Server) checkLeases(ctx context.Context) {
	tick := time.NewTicker(leaseCheck)
	defer tick.Stop()
	seen := int64(-1)
	for left := 0; ; left-- {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		open, fresh := s.leases.list()
		if len(open) == 0 {
			return
		}
		changes, err := s.opt.Auth.Changes(ctx)
		if err == nil && changes == seen && !fresh && left > 0 {
			continue
		}
		seen, left = changes, int(leaseFull/leaseCheck)
		s.endRevoked(ctx, open)
	}
}

// list returns the open leases by proof.
func (l *leases) list() (open map[agents.Proof][]*lease, fresh bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fresh, l.fresh = l.fresh, false
	open = map[agents.Proof][]*lease{}
	for x := range l.open {
		open[x.proof] = append(open[x.proof], x)
	}
	return open, fresh
}

// endRevoked ends the leases of proofs that do not hold. Where that can't be
// found out they end too: a client that may comes back.
func (s *Server) endRevoked(ctx context.Context, open map[agents.Proof][]*lease) {
	for proof, list := range open {
		ok, err := s.opt.Auth.Holds(ctx, proof)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.opt.Logger.Warn("streams end: their credentials can't be checked", "err", err)
		}
		if ok && err == nil {
			continue
		}
		for _, l := range list {
			l.end()
		}
	}
}
