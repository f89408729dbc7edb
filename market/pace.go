package market

import (
	"sync"
	"time"
)

// Pacer spaces the requests of every client that shares it, so that parallel
// callers are one caller to the marketplace: an even stream with a small burst,
// slower while the marketplace says that little is left, and none before the time
// that it asked to wait for. With a file, the processes of one home share it too.
//
// It is advice to ourselves and guards nothing: a file that can't be used is done
// without.
type Pacer struct {
	now  func() time.Time
	rand func(n int64) int64
	file string

	mu    sync.Mutex
	lanes map[string]*lane
	known map[string]fact
}

// NewPacer returns a pacer. rand returns a number in [0, n). file keeps the pace
// between processes; "" is for this process alone.
func NewPacer(now func() time.Time, rand func(n int64) int64, file string) *Pacer {
	return &Pacer{now: now, rand: rand, file: file, lanes: map[string]*lane{}, known: map[string]fact{}}
}

// pace is how many requests of one kind may go out.
type pace struct {
	every time.Duration // between two of an even stream; 0 is no limit
	burst int           // at once after a pause
}

// lane is where one kind of request queues. All its times are by Pacer.now.
type lane struct {
	next time.Time // when an even stream's next request is due
	hold time.Time // nothing goes out before
	// What was held goes out over this span, each at a time of its own.
	spread    time.Duration
	every     time.Duration // in place of the pace's, until slowUntil
	slowUntil time.Time
	holds     int // how often hold was set
}

// Longest times that are believed of a marketplace, of a file, or of ourselves.
const (
	maxHold  = time.Hour
	maxAhead = 10 * time.Minute // how far a queue may reach
)

// turn is a place in a lane.
type turn struct {
	wait time.Duration
	held bool // the marketplace asked for it, it is not only our own pace
	// holds is the lane's count when the turn was given: another count later says
	// that the turn is void.
	holds int
}

// take gives the next turn of a lane, unless it would come after more than limit;
// ok is false then, and the turn is left for others.
func (p *Pacer) take(name string, pc pace, limit time.Duration) (t turn, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.share()()
	now, l := p.now(), p.lane(name)
	every, burst := pc.every, max(pc.burst, 1)
	if now.Before(l.slowUntil) && l.every > every {
		every, burst = l.every, 1
	}
	at := later(now, l.next.Add(-every*time.Duration(burst-1)))
	t.holds = l.holds
	if now.Before(l.hold.Add(l.spread)) {
		at = later(at, l.hold.Add(p.jitter(l.spread)))
		t.held = now.Before(at)
	}
	t.wait = at.Sub(now)
	if t.wait > limit {
		return t, false
	}
	l.next = later(l.next, at).Add(every)
	return t, true
}

// void reports whether a turn was given before the marketplace last said to wait.
func (p *Pacer) void(name string, t turn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.share()()
	return p.lane(name).holds != t.holds
}

// limited says that the marketplace serves nothing for a while. Whoever waits goes
// out at a random time of the spread after it, and no burst goes with them.
func (p *Pacer) limited(name string, pc pace, after, spread time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.share()()
	l := p.lane(name)
	hold := p.now().Add(min(max(after, 0), maxHold))
	if hold.Before(l.hold) {
		return
	}
	l.hold, l.spread, l.holds = hold, spread, l.holds+1
	l.next = later(l.next, hold.Add(pc.every*time.Duration(max(pc.burst, 1)-1)))
}

// left says how many requests the marketplace still serves before it counts
// anew. The last quarter of them is spread over that time.
func (p *Pacer) left(name string, pc pace, q quota) {
	if q.remaining < 0 || q.limit > 0 && q.remaining*4 > q.limit {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.share()()
	l, now := p.lane(name), p.now()
	window := min(max(q.reset, 0), maxHold)
	if q.remaining == 0 {
		if until := now.Add(window); until.After(l.hold) {
			l.hold, l.spread, l.holds = until, 0, l.holds+1
		}
		return
	}
	if window == 0 {
		return
	}
	l.every, l.slowUntil = window/time.Duration(q.remaining+1), now.Add(window)
	l.next = later(l.next, now.Add(l.every))
}

// fact is something the marketplace said that need not be asked each time.
type fact struct {
	value string
	until time.Time
}

func (p *Pacer) remember(key, value string, long time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.share()()
	p.known[key] = fact{value, p.now().Add(long)}
}

func (p *Pacer) recall(key string) (value string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.share()()
	f := p.known[key]
	return f.value, p.now().Before(f.until)
}

func (p *Pacer) lane(name string) *lane {
	l := p.lanes[name]
	if l == nil {
		l = &lane{}
		p.lanes[name] = l
	}
	return l
}

func (p *Pacer) jitter(upTo time.Duration) time.Duration {
	return time.Duration(p.rand(int64(max(upTo, 0)) + 1))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
