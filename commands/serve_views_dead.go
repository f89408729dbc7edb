package commands

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/forward"
)

// DeadView is the newest events that the receiver refused for good, of GET
// /api/forwarding/dead. What an event says stays in the file: events flush --dead shows it.
type DeadView struct {
	OK      bool         `json:"ok"`
	Count   int          `json:"count"` // of all
	Letters []DeadLetter `json:"letters"`
}

// DeadLetter is one of them. Reason is the receiver's text.
type DeadLetter struct {
	When      string `json:"when"`
	EventType string `json:"eventType"`
	EventID   string `json:"eventId"`
	AgentID   string `json:"agentId"`
	Status    int    `json:"status"`
	Code      string `json:"code,omitempty"`
	Reason    string `json:"reason"`
}

// viewDeadMost is the most letters in an answer.
const viewDeadMost = 100

func viewDead(_ context.Context, d *Deps, _ *http.Request) (any, error) {
	boxes, err := d.outboxes()
	if err != nil {
		return nil, err
	}
	var all []forward.Letter
	for _, box := range boxes {
		letters, err := box.Dead()
		if err != nil {
			return nil, fault.Wrap(err, fault.StateUnusable, "the dead letters can't be read")
		}
		all = append(all, letters...)
	}
	slices.SortStableFunc(all, func(a, b forward.Letter) int { return cmp.Compare(b.When, a.When) })
	out := DeadView{OK: true, Count: len(all), Letters: []DeadLetter{}}
	for _, l := range all[:min(len(all), viewDeadMost)] {
		eventType, _ := l.Summary()
		out.Letters = append(out.Letters, DeadLetter{l.When, eventType, l.EventID, l.AgentID, l.Status, l.Code, l.Reason})
	}
	return out, nil
}
