package forward

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// How a long-running process paces itself.
const (
	gatherFor = 100 * time.Millisecond // so that what comes together is sent together
	busyPause = time.Second
	idlePause = time.Minute // a safety net beside the log's own notices
	localWait = 10 * time.Second
)

// Run forwards until ctx ends: what comes into the log, and what waited. tell hears of
// what is wrong on this machine, as errors; it may hear the same again. The lock is
// held only while something is sent.
func (o *Outbox) Run(ctx context.Context, tell func(error)) {
	if o.Missing() != nil {
		return
	}
	changed, err := o.log.Watch(ctx)
	if err != nil {
		tell(err)
		return
	}
	for {
		wait, paused := idlePause, false
		res, err := o.Flush(ctx, false)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			tell(fault.From(err))
			wait, paused = localWait, true
		case res.Busy:
			wait, paused = busyPause, true
		case !res.Until.IsZero():
			wait, paused = max(0, res.Until.Sub(o.opt.Now()))+time.Millisecond, true
		}
		news := changed
		if paused {
			news = nil
		}
		if !rest(ctx, wait, news) || !rest(ctx, gatherFor, nil) {
			return
		}
	}
}

// rest waits, or until there are news. It is false when ctx has ended.
func rest(ctx context.Context, wait time.Duration, news <-chan struct{}) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-news:
	case <-timer.C:
	}
	return ctx.Err() == nil
}
