package commands

import (
	"context"
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
	log, err := d.log()
	if err != nil {
		return action.Settled{}, err
	}
	filter, err := telemetry.ParseFilter(settlingTypes(a.Command), "", a.TraceID, nil)
	if err != nil || settlingTypes(a.Command) == nil || !d.unsettled.due(a.ID, d.host.Now()) {
		return action.Settled{}, nil // a trace that can't be looked for has no story
	}
	var found action.Settled
	looking, enough := context.WithCancel(ctx)
	defer enough()
	_, err = log.Tail(looking, 1, func(line []byte) bool { // the newest first
		if looking.Err() != nil {
			return false
		}
		if filter.Match(line) {
			if s, ok := settlement(line, a); ok {
				found = s
				enough()
			}
		} else if at, ok := telemetry.TimeOf(line); ok && at.Before(a.ResolvedAt.Add(-logSlack)) {
			enough() // before it was approved there is nothing of it
		}
		return false
	})
	if err != nil && looking.Err() == nil {
		d.warn("%s: what became of action %s could not be looked for", fault.From(err).Message, a.ID)
	}
	return found, nil
}
