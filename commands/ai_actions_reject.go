package commands

import (
	"context"
	"errors"
	"time"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry/agents"
)

// afterAction is called once an execution of this process ended and is recorded.
func (d *Deps) afterAction(ctx context.Context, a action.Action) { d.reportAction(ctx, a) }

// AIActionsRejectIn names an action and says why not.
type AIActionsRejectIn struct {
	AIActionIn
	Reason string `json:"reason" help:"why not; the model reads it in its next turn"`
}

func newAIActionsReject() Command {
	return define(Spec{Name: "ai actions reject", Short: "Refuse what a model proposed",
		Long: `Refuse what a model proposed. The model is not called for it: it sees that, and the
reason, in its next turn. What is decided already is not changed.`,
		Example: "  ape-claw ai actions reject act_k7m2p9… --reason 'too dear'",
		Events:  []string{"ai.action.proposed", "ai.action.resolved"}, Risk: RiskWrite, Permission: "actions:reject", Late: true, Offline: true, AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in AIActionsRejectIn) (AIActionOut, error) {
			a, err := d.rejectAction(ctx, in.ID, in.Reason)
			if err != nil {
				return AIActionOut{}, err
			}
			return d.decidedOut(a), nil
		}, printDecided)
}

// rejectAction refuses an action for the person at the terminal.
func (d *Deps) rejectAction(ctx context.Context, id, reason string) (action.Action, error) {
	if err := d.notChild("reject an action"); err != nil {
		return action.Action{}, err
	}
	s, err := d.oldActions(ctx, id)
	if err != nil {
		return action.Action{}, err
	}
	return s.Reject(ctx, id, agents.Operator, reason)
}

func printDecided(p *Printer, out AIActionOut) {
	a := out.Action
	sgr := green
	switch {
	case a.Partial():
		sgr = yellow
	case !out.OK:
		sgr = red
	}
	p.Head("%s: %s", p.style(sgr, stateText(a)), clean(action.Cut(a.Title, 200)))
	printOutcome(p, a)
	if a.State == action.Executed || a.State == action.Failed {
		p.List(cyan, "Next", []string{out.cli + " ai trace " + a.TraceID})
	}
}

func printOutcome(p *Printer, a action.Action) {
	o := a.Outcome
	if o == nil {
		return
	}
	p.KV("state", stateText(a), "decided by", o.Resolver, "reason", o.Reason, "transaction", o.TxHash, "code", o.Code, "cause", o.Cause,
		"error", action.Cut(o.Message, 300), "hint", action.Cut(o.Hint, 300), "trace", a.TraceID, "permit", o.Permit)
}

// AIActionsWatchIn says how.
type AIActionsWatchIn struct {
	Origin string `json:"origin" help:"only of this connection or client, as conn:NAME or mcp:NAME"`
}

// AIActionsWatchOut closes the stream.
type AIActionsWatchOut struct {
	OK    bool `json:"ok"`
	Count int  `json:"count"` // of changes that were shown
}

// AIActionsChange is one line of it: an action as it is from now on.
type AIActionsChange struct {
	Action action.Action `json:"action"`
}

func newAIActionsWatch() Command {
	return define(Spec{Name: "ai actions watch", Short: "Show what waits for a person, and every change, until interrupted", Streams: true,
		Long: `Show what is open, then every action that is new or changes, whichever process does it,
until Ctrl-C. With --json each is a line of its own, and the last line says how many
there were.`,
		Events: actionEvents[1:], Risk: RiskRead, Permission: "actions:read", Offline: true, AI: Exposure{Class: AINever}},
		aiActionsWatch,
		func(p *Printer, out AIActionsWatchOut) {})
}

// watchPause is between two looks: a person does not notice it.
const watchPause = 500 * time.Millisecond

func aiActionsWatch(ctx context.Context, d *Deps, in AIActionsWatchIn) (AIActionsWatchOut, error) {
	out := AIActionsWatchOut{OK: true}
	tick := time.NewTicker(watchPause)
	defer tick.Stop()
	seen := map[string]int64{}
	for first := true; ; first = false {
		changes, err := d.actionChanges(ctx, in, seen, first)
		for _, a := range changes {
			if err := showNow(d, AIActionsChange{a}, printChange(d)); err != nil {
				return out, err
			}
			out.Count++
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, nil // an interrupt is how watching ends
		case <-tick.C:
		}
	}
}

// actionChanges are the actions that changed since seen was filled, the oldest
// first; at the first look, what is open.
func (d *Deps) actionChanges(ctx context.Context, in AIActionsWatchIn, seen map[string]int64, first bool) ([]action.Action, error) {
	db, err := d.oldState(ctx)
	if db == nil || err != nil {
		return nil, err
	}
	s, err := d.aiActions(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.List(ctx, action.Filter{Origin: in.Origin, Limit: 200})
	if err != nil {
		return nil, err
	}
	var out []action.Action
	for i := len(list) - 1; i >= 0; i-- {
		a := list[i]
		if seen[a.ID] == a.Version {
			continue
		}
		if seen[a.ID] = a.Version; !first || a.Open() || a.State == action.Executing {
			out = append(out, a)
		}
	}
	return out, nil
}

func printChange(d *Deps) func(p *Printer, c AIActionsChange) {
	return func(p *Printer, c AIActionsChange) {
		a := c.Action
		sgr := map[action.State]string{action.Proposed: yellow, action.Executing: cyan, action.Executed: green, action.Failed: red}[a.State]
		if a.Partial() {
			sgr = yellow
		}
		p.Line("%s %s %s %s %s", p.style(dim, d.host.Now().UTC().Format(time.TimeOnly)), a.ID, p.style(sgr, stateText(a)), p.style(dim, clean(a.Origin)),
			clean(action.Cut(a.Title, 100)))
	}
}
