package commands

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// lookAgain is how long a process takes for settled what the log did not tell: a
	// page and a server look at the actions every few seconds.
	lookAgain = 30 * time.Second
	// logSlack is how far lines of the log can be out of their order: several processes
	// write it.
	logSlack = time.Minute
)

// looked is when the log was asked what became of an action.
type looked struct {
	mu sync.Mutex
	at map[string]time.Time
}

// due reports whether it is time to ask again, and notes that it was.
func (l *looked) due(id string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, was := l.at[id]; was && !now.Before(at) && now.Sub(at) < lookAgain {
		return false
	}
	if l.at == nil || len(l.at) > 1000 { // of actions that have ended otherwise
		l.at = map[string]time.Time{}
	}
	l.at[id] = now
	return true
}

// settledAction looks into the log for what became of an action whose process can't
// say: for its end, within the action's trace, of what it was about, and since it was
// approved. What a resume finds out later is there too.
func (d *Deps) settledAction(ctx context.Context, a action.Action) (action.Settled, error) {
	filter, err := telemetry.ParseFilter(settlingTypes(a.Command), "", a.TraceID, nil)
	if err != nil || settlingTypes(a.Command) == nil || !d.unsettled.due(a.ID, d.host.Now()) {
		return action.Settled{}, nil // a trace that can't be looked for has no story
	}
	var found action.Settled
	if err := d.newest(ctx, filter, a.ResolvedAt, func(line []byte) bool {
		s, ok := settlement(line, a)
		if ok {
			found = s
		}
		return ok
	}); err != nil {
		d.warn("%s: what became of action %s could not be looked for", fault.From(err).Message, a.ID)
	}
	return found, nil
}

// newest looks at the lines of the log that this machine wrote and a filter matches, the
// newest first, until one is the one that is looked for, or they are older than since.
// What others sent proves nothing about actions of this home, nor do its times say how
// far back a line stands.
func (d *Deps) newest(ctx context.Context, filter telemetry.Filter, since time.Time, is func(line []byte) bool) error {
	log, err := d.journal()
	if err != nil {
		return err
	}
	looking, enough := context.WithCancel(ctx)
	defer enough()
	_, err = log.Tail(looking, 1, func(line []byte) bool {
		if looking.Err() != nil || !telemetry.Ours(line) {
			return false
		}
		if filter.Match(line) {
			if is(line) {
				enough()
			}
		} else if at, ok := telemetry.TimeOf(line); ok && at.Before(since.Add(-logSlack)) {
			enough() // before that there is nothing of it
		}
		return false
	})
	if err != nil && looking.Err() != nil {
		err = ctx.Err()
	}
	return err
}

// loggedEvent reports whether the log has an event of an action that a process may have
// told before it was killed.
func (d *Deps) loggedEvent(ctx context.Context, traceID, eventType string, since time.Time, is func(telemetry.Event) bool) (bool, error) {
	filter, err := telemetry.ParseFilter([]string{eventType}, "", traceID, nil)
	if err != nil {
		return false, nil // no event has such a trace
	}
	found := false
	err = d.newest(ctx, filter, since, func(line []byte) bool {
		var e telemetry.Event
		found = json.Unmarshal(line, &e) == nil && is(e)
		return found
	})
	return found, err
}
