package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// A filter that fits little makes the server go through much of the log for one
// request. So many may at once, and so many of one caller; whoever has waited so
// long is told to come back.
const (
	maxScans     = 4
	maxScansEach = 2
	scanPatience = 4 * time.Second
)

// errScans is the answer to who has waited too long for a place.
var errScans = fault.New(codeBusy, "too many searches of the log are under way").
	Hintf("try again in 5 s with one search at a time; without a filter there is no wait")

// scans are the places of requests that search the log.
type scans struct {
	all chan struct{}

	mu   sync.Mutex // guards what follows
	each map[string]*seats
}

// seats are the places of one caller. They are forgotten with the last request
// that has or wants one.
type seats struct {
	taken    chan struct{}
	requests int
}

func newScans() *scans {
	return &scans{all: make(chan struct{}, maxScans), each: map[string]*seats{}}
}

// take waits for one of the caller's places, and only then for one of all: who
// asks much waits for himself. Done gives both back.
func (s *scans) take(ctx, draining context.Context) (done func(), err error) {
	who := searcher(ctx)
	own := s.sit(who)
	late := time.NewTimer(scanPatience)
	defer late.Stop()
	wait := func(places chan struct{}) error {
		select {
		case places <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-draining.Done():
			return fault.New(fault.Canceled, "the server is stopping")
		case <-late.C:
			return errScans
		}
	}
	if err := wait(own.taken); err != nil {
		s.leave(who, own)
		return nil, err
	}
	if err := wait(s.all); err != nil {
		<-own.taken
		s.leave(who, own)
		return nil, err
	}
	return func() {
		<-s.all
		<-own.taken
		s.leave(who, own)
	}, nil
}

func (s *scans) sit(who string) *seats {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.each[who]
	if own == nil {
		own = &seats{taken: make(chan struct{}, maxScansEach)}
		s.each[who] = own
	}
	own.requests++
	return own
}

func (s *scans) leave(who string, own *seats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.requests--; own.requests == 0 {
		delete(s.each, who)
	}
}

// searcher is whose places a request takes: its agent's, from wherever that calls,
// else its address's.
func searcher(ctx context.Context) string {
	c, ok := ctx.Value(callerKey{}).(*caller)
	switch {
	case !ok:
		return ""
	case c.proof != nil:
		return "agent " + c.proof.AgentID
	}
	return network(c.addr).String()
}

// failed answers a request that could not be begun.
func (s *Server) failed(w http.ResponseWriter, err error) {
	if errors.Is(err, errScans) {
		s.refuseFor(w, http.StatusServiceUnavailable, 5*time.Second, errScans)
		return
	}
	WriteError(w, err)
}
