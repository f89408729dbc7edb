package market

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// proxyLane is what is counted apart at a proxy: the marketplace gives few fulfilments a
// minute, and reads by the hundred.
type proxyLane int

const (
	readLane proxyLane = iota
	fulfillLane
	lanes
)

// The limits of a proxy: requests a minute and at once, of one agent and of all.
var (
	proxyEach = [lanes]proxyRate{{120, 30}, {12, 4}}
	proxyAll  = [lanes]proxyRate{{240, 60}, {30, 8}}
)

const (
	// proxyAtOnce and proxyAtOnceEach are the requests that are under way: each holds
	// an answer in memory.
	proxyAtOnce     = 8
	proxyAtOnceEach = 3
	// proxyAgents bounds the table; who asked for nothing lately is left out first.
	proxyAgents = 1024
)

type proxyRate struct{ perMinute, burst int }

func (r proxyRate) limiter() *rate.Limiter {
	return rate.NewLimiter(rate.Every(time.Minute/time.Duration(r.perMinute)), r.burst)
}

// proxyLimits keeps one agent from using up what is there for all, and all from
// using up what the marketplace gives the key.
type proxyLimits struct {
	mu     sync.Mutex // guards what follows
	all    [lanes]*rate.Limiter
	agents map[string]*proxyAsker
	busy   int
}

type proxyAsker struct {
	lanes [lanes]*rate.Limiter
	busy  int
	seen  time.Time
}

func newProxyLimits() *proxyLimits {
	l := &proxyLimits{agents: map[string]*proxyAsker{}}
	for i := range l.all {
		l.all[i] = proxyAll[i].limiter()
	}
	return l
}

// take counts a request. wait is how long there is none left, done gives back the
// place of one that may go on.
func (l *proxyLimits) take(agent string, in proxyLane, now time.Time) (done func(), wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.of(agent, now)
	if a == nil || a.busy >= proxyAtOnceEach || l.busy >= proxyAtOnce {
		return nil, time.Second
	}
	// An agent's own limit is asked first: who is over it takes nothing from the others.
	own := a.lanes[in].ReserveN(now, 1)
	if wait = own.DelayFrom(now); wait > 0 {
		own.CancelAt(now)
		return nil, wait
	}
	all := l.all[in].ReserveN(now, 1)
	if wait = all.DelayFrom(now); wait > 0 {
		all.CancelAt(now)
		own.CancelAt(now)
		return nil, wait
	}
	a.busy++
	l.busy++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		a.busy--
		l.busy--
	}, 0
}

// of is the agent's entry; nil when there is no place for one more.
func (l *proxyLimits) of(agent string, now time.Time) *proxyAsker {
	a := l.agents[agent]
	if a == nil {
		if len(l.agents) >= proxyAgents {
			for id, old := range l.agents { // a bucket that had a minute is full again
				if old.busy == 0 && now.Sub(old.seen) > time.Minute {
					delete(l.agents, id)
				}
			}
		}
		if len(l.agents) >= proxyAgents {
			return nil
		}
		a = &proxyAsker{}
		for i := range a.lanes {
			a.lanes[i] = proxyEach[i].limiter()
		}
		l.agents[agent] = a
	}
	a.seen = now
	return a
}
