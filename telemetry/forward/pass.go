package forward

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Bounds of one request, and of the pauses between them.
const (
	maxEvents      = 200
	maxBytes       = 512 << 10
	requestTimeout = 30 * time.Second
	minPause       = time.Second
	maxBackoff     = 5 * time.Minute
	slowPause      = 10 * time.Second // the least after no answer in time
	maxPause       = 15 * time.Minute // also of a Retry-After
	// saveEvery is how far a cursor may move over lines that are not sent before that
	// is written down.
	saveEvery = 256 << 10
	// releaseWait bounds the wait for the log's lock to remove what a spool has delivered.
	releaseWait = 100 * time.Millisecond
	// maxRefusals is how many events in a row a receiver may refuse that a serve would
	// take: one that wants nothing at all is broken, and buries no more than these.
	maxRefusals = 8
)

// Result is what one Flush did.
type Result struct {
	Sent, Duplicates, Dead int64
	Busy                   bool      // another process is sending
	Until                  time.Time // sending is paused until then
	Failed                 string    // why sending stopped, "" when all was sent
	Status                 int       // the HTTP status of that
}

// Flush sends what is pending under these credentials, until that is done, ctx ends or
// something goes wrong; what goes wrong with the remote stands in the result, an
// error is about this machine. While sending is paused it does nothing, unless force
// is set. ctx's deadline is a budget: it counts as a failure of the remote only when
// that took nothing meanwhile.
func (o *Outbox) Flush(ctx context.Context, force bool) (Result, error) {
	return o.locked(ctx, func(p *pass) error {
		if until := o.pausedUntil(p.lane, o.opt.Now()); !until.IsZero() && !force {
			p.res.Until = until
			return nil
		}
		if force {
			p.lane.Refused = 0
		}
		return p.run(ctx)
	})
}

// locked runs f with the state, if nobody else is at it.
func (o *Outbox) locked(ctx context.Context, f func(*pass) error) (res Result, err error) {
	if err := o.Missing(); err != nil {
		return res, err
	}
	if _, err := os.Stat(o.dir); err != nil {
		return res, nil // nothing was recorded here yet
	}
	lock, ok, err := store.TryLock(filepath.Join(o.dir, lockName))
	if err != nil {
		return res, err
	}
	if !ok {
		return Result{Busy: true}, nil
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	s, err := o.load(ctx)
	if err != nil {
		return res, err
	}
	p := &pass{o: o, s: s, me: o.opt.AgentID}
	if p.lane = s.laneOf(p.me, s.Start, p.me); p.lane == nil {
		return res, fault.New(fault.StateUnusable, "%s has events of %d other agents that wait, which is all it can keep apart", store.Display(filepath.Join(o.dir, stateName)), maxLanes).
			Hintf("let those agents send theirs, or give this one a directory of its own: --state-dir")
	}
	p.savedAt = p.lane.Cursor.Pos
	err = f(p)
	return p.res, err
}

// pass is one holding of the lock.
type pass struct {
	o        *Outbox
	s        *state
	lane     *lane
	me       string
	res      Result
	taken    bool // the remote took something
	savedAt  int64
	replaced int // how often the log was found to be another
}

// errStop: the pass is over, and its result says why.
var errStop = errors.New("stop")

func (p *pass) run(ctx context.Context) error {
	for {
		items, end, err := p.gather(ctx)
		if ctx.Err() != nil {
			return p.save()
		}
		if err != nil {
			return errors.Join(err, p.save())
		}
		if len(items) == 0 {
			p.lane.Cursor.Cursor = end
			// A look costs less than a write; but a spool is to be let go of.
			if moved := end.Pos - p.savedAt; moved == 0 || moved < saveEvery && !p.o.opt.RemoteOnly {
				return nil
			}
			return p.save()
		}
		switch err := p.deliver(ctx, items); {
		case errors.Is(err, errStop):
			return nil
		case err != nil:
			return err
		}
		if last := items[len(items)-1].at; p.lane.Cursor == last && end.Pos > last.Pos {
			p.lane.Cursor.Cursor = end
		}
	}
}

// save writes the state down, and lets go of what a spool needs no more.
func (p *pass) save() error {
	if err := p.s.write(p.o.dir); err != nil {
		return err
	}
	store.CrashPoint("forward.saved")
	p.savedAt = p.lane.Cursor.Pos
	if first := p.s.first(); p.o.opt.RemoteOnly && !first.IsZero() {
		// What is not removed now goes with a later event.
		_ = p.o.release(first)
	}
	return nil
}

// release removes what a spool has delivered.
func (o *Outbox) release(upTo telemetry.Cursor) error {
	ctx, cancel := context.WithTimeout(context.Background(), releaseWait)
	defer cancel()
	if some, err := o.log.Releases(ctx, upTo); err != nil || !some {
		return err
	}
	if err := o.opt.BeforeRemoval(ctx); err != nil {
		return err
	}
	return o.log.Release(ctx, upTo)
}

// deliver sends items, in parts where the receiver refuses them together. What was
// answered for is written down before it returns.
func (p *pass) deliver(ctx context.Context, items []item) error {
	if err := ctx.Err(); err != nil {
		return p.stop()
	}
	store.CrashPoint("forward.post")
	out := p.o.post(ctx, items)
	store.CrashPoint("forward.answered")
	switch {
	case out.failed != "":
		return p.fail(ctx, out)
	case out.refused && len(items) > 1:
		half := len(items) / 2
		if err := p.deliver(ctx, items[:half]); err != nil {
			return err
		}
		return p.deliver(ctx, items[half:])
	}
	return p.settle(ctx, items, out)
}

// refused counts the events in a row that the receiver did not want, and reports whether
// they are so many that it is the receiver that is at fault. Lines that no serve takes
// do not count: they would hold up what is behind them for ever.
func (p *pass) refused(items []item, dead []letter) bool {
	l := p.lane
	if len(dead) < len(items) {
		l.Refused = 0
		return false
	}
	n := l.Refused
	for _, it := range items {
		if telemetry.CheckIncoming(it.line, p.o.opt.Redactor, p.o.opt.Now()) == nil {
			n++
		}
	}
	if n > l.Refused && n > maxRefusals {
		return true
	}
	l.Refused = n
	return false
}

// settle writes down what the receiver has answered for.
func (p *pass) settle(ctx context.Context, items []item, out outcome) error {
	var dead []letter
	for i, r := range out.results {
		switch r.Status {
		case accepted:
			p.res.Sent++
			p.lane.Sent++
		case duplicate:
			p.res.Duplicates++
			p.lane.Sent++
		default:
			dead = append(dead, p.letter(items[i], out.status, r))
		}
	}
	if p.refused(items[:len(out.results)], dead) {
		out.failed = "it refuses every event, the last with: " + dead[0].Reason
		return p.fail(ctx, out)
	}
	if len(dead) > 0 {
		if err := p.o.bury(dead); err != nil {
			out.failed = fault.From(err).Message
			return p.fail(ctx, out)
		}
		p.res.Dead += int64(len(dead))
		store.CrashPoint("forward.buried")
	}
	last := items[len(out.results)-1]
	p.lane.Cursor = last.at
	p.lane.mark(last)
	l := p.lane
	if len(dead) < len(out.results) {
		p.taken = true
		if p.s.Keeper == "" {
			p.s.Keeper = p.me
		}
		l.Failures, l.OpenUntil, l.LastStatus, l.LastError = 0, time.Time{}, out.status, ""
		l.LastSuccess, l.Target = p.o.opt.Now().UTC(), p.o.target
		if l.Limit > 0 {
			if l.Limit *= 2; l.Limit >= maxEvents {
				l.Limit = 0
			}
		}
	}
	if err := p.save(); err != nil {
		return err
	}
	if len(out.results) < len(items) {
		return p.deliver(ctx, items[len(out.results):])
	}
	return nil
}

// mark remembers a line that was answered for.
func (l *lane) mark(it item) {
	l.Marks = append(l.Marks, markOf(it.raw, it.at.Pos))
	if n := len(l.Marks); n > maxMarks { // those that stay reach back ever further
		l.Marks = append(l.Marks[:1:1], l.Marks[2:]...)
	}
}

// fail pauses the lane.
func (p *pass) fail(ctx context.Context, out outcome) error {
	l, now := p.lane, p.o.opt.Now()
	if errors.Is(ctx.Err(), context.Canceled) || ctx.Err() != nil && p.taken {
		return p.stop()
	}
	if out.timeout { // smaller ones may get through
		if l.Limit == 0 {
			l.Limit = maxEvents
		}
		l.Limit = max(1, l.Limit/2)
	}
	if l.Target != p.o.target {
		l.Failures = 0
	}
	l.Failures++
	pause := p.o.opt.Jitter(min(minPause<<min(l.Failures-1, 16), maxBackoff))
	if out.timeout { // it has cost a command its whole budget
		pause = max(pause, slowPause)
	}
	l.OpenUntil = now.Add(max(pause, out.after)).UTC()
	l.Target, l.LastStatus, l.LastError = p.o.target, out.status, out.failed
	p.res.Until, p.res.Failed, p.res.Status = l.OpenUntil, out.failed, out.status
	return p.stop()
}

// stop ends the pass without anybody's fault.
func (p *pass) stop() error {
	if err := p.save(); err != nil {
		return err
	}
	return errStop
}
