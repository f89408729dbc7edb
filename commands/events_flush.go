package commands

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/forward"
)

// EventsFlushIn says how long to wait, and what for.
type EventsFlushIn struct {
	Timeout string `json:"timeout" help:"how long to go on sending, such as 30s or 10m (default 30s)"`
	Dead    bool   `json:"dead" help:"send again what the server has refused for good, and show what it says"`
}

// EventsFlushOut says what was sent and what is left.
type EventsFlushOut struct {
	OK         bool             `json:"ok"`
	Sent       int64            `json:"sent"`
	Duplicates int64            `json:"duplicates"` // the server had them already
	Refused    int64            `json:"refused"`    // for good, in this run
	Status     forward.Status   `json:"status"`
	Dead       []EventsDeadLine `json:"dead,omitempty"`
	failure    error
}

// EventsDeadLine is an event that the server has refused.
type EventsDeadLine struct {
	EventType string `json:"eventType"`
	TS        string `json:"ts"`
	EventID   string `json:"eventId"`
	AgentID   string `json:"agentId"`
	Status    int    `json:"status"`
	Code      string `json:"code,omitempty"`
	Reason    string `json:"reason"`
	When      string `json:"when"`
}

// Failure is why not everything was sent.
func (o EventsFlushOut) Failure() error { return o.failure }

func newEventsFlush() Command {
	return define(Spec{Name: "events flush", Short: "Send what waits to be forwarded, now", Quiet: true, Offline: true,
		Long: `Send the events that wait to be forwarded to APE_CLAW_TELEMETRY_URL, also while that is
paused after failures, and say what is left. Each event arrives once, however often it is
sent. What the server refuses for good is kept in outbox-dead.jsonl: --dead sends it again
and shows why it was refused. See docs/fleet.md.`,
		Example: "  ape-claw events flush --timeout 5m\n  ape-claw events flush --dead --json",
		Risk:    RiskWrite, Permission: "events:flush", AI: Exposure{Class: AIOperator}},
		eventsFlush, printFlush)
}

const flushTimeout = 30 * time.Second

func eventsFlush(ctx context.Context, d *Deps, in EventsFlushIn) (EventsFlushOut, error) {
	wait := flushTimeout
	if in.Timeout != "" {
		var err error
		if wait, err = time.ParseDuration(in.Timeout); err != nil || wait <= 0 {
			return EventsFlushOut{}, fault.New(fault.Usage, "--timeout %q is no duration", shownArg(in.Timeout)).Hintf("ape-claw events flush --timeout 30s")
		}
	}
	boxes, err := d.outboxes()
	if err != nil {
		return EventsFlushOut{}, err
	}
	if len(boxes) == 0 {
		return EventsFlushOut{}, fault.New(fault.Usage, "no remote server is configured").Hintf("export APE_CLAW_TELEMETRY_URL=https://HOST")
	}
	if err := boxes[0].Missing(); err != nil {
		return EventsFlushOut{}, err
	}
	sending, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	f := flush{d: d, out: EventsFlushOut{OK: true}}
	for _, box := range boxes {
		if err := f.box(sending, box, in.Dead); err != nil {
			return f.out, err
		}
	}
	if f.out.Status, err = d.forwardStatus(ctx); err != nil {
		return f.out, err
	}
	if left := f.out.Status.Pending; f.out.failure == nil && left.Events > 0 {
		f.out.failure = fault.New(fault.Upstream, "%s of sending were not enough: %s wait", wait, counted(left.Events, "event")).
			Hintf("ape-claw events flush --timeout 10m")
	}
	if f.out.failure == nil && f.out.Refused > 0 {
		f.out.failure = fault.New(fault.Partial, "the server refused %s for good", counted(f.out.Refused, "event")).
			Hintf("ape-claw events flush --dead sends what it refused again")
	}
	f.out.OK = f.out.failure == nil
	return f.out, ctx.Err()
}

// flush is one run.
type flush struct {
	d   *Deps
	out EventsFlushOut
}

func (f *flush) box(ctx context.Context, box *forward.Outbox, dead bool) error {
	res, err := f.wait(ctx, func() (forward.Result, error) { return box.Flush(ctx, true) })
	if err != nil {
		return err
	}
	f.add(res)
	buried := res.Dead
	if !dead || res.Failed != "" || res.Busy {
		return nil
	}
	var letters []forward.Letter
	res, err = f.wait(ctx, func() (res forward.Result, err error) {
		res, letters, err = box.Revive(ctx)
		return res, err
	})
	if err != nil {
		return err
	}
	f.out.Refused -= buried // they are among the letters
	f.add(res)
	for _, l := range letters {
		eventType, ts := l.Summary()
		f.out.Dead = append(f.out.Dead, EventsDeadLine{eventType, ts, l.EventID, l.AgentID, l.Status, l.Code, l.Reason, l.When})
	}
	return nil
}

// wait tries until no other process is at it.
func (f *flush) wait(ctx context.Context, try func() (forward.Result, error)) (forward.Result, error) {
	for {
		res, err := try()
		if err != nil || !res.Busy {
			return res, err
		}
		timer := time.NewTimer(100 * time.Millisecond)
		select {
		case <-ctx.Done():
			timer.Stop()
			return res, fault.New(fault.Conflict, "another process is forwarding events from here").Hintf("it goes on by itself; ape-claw doctor says how far it is")
		case <-timer.C:
		}
	}
}

func (f *flush) add(res forward.Result) {
	f.out.Sent += res.Sent
	f.out.Duplicates += res.Duplicates
	f.out.Refused += res.Dead
	if res.Failed != "" && f.out.failure == nil {
		code := fault.Upstream
		if refusedAgent(res.Status) {
			code = fault.Auth
		}
		e := fault.New(code, "events can't be forwarded: %s", res.Failed)
		if code == fault.Auth {
			e = e.Hintf("the agent may be revoked, or have another token: on the server, ape-claw clawbot list and ape-claw clawbot rotate --agent-id <id>; then here, ape-claw auth set --agent-token -")
		} else {
			e = e.Hintf("they wait here; ape-claw events flush tries again")
		}
		f.out.failure = e
	}
}

func printFlush(p *Printer, out EventsFlushOut) {
	if out.failure != nil {
		p.Line("%s", p.style(yellow, clean(fault.From(out.failure).Message)))
	}
	p.Line("Sent %s; waiting: %s.", counted(out.Sent+out.Duplicates, "event"), counted(out.Status.Pending.Events, "event"))
	if n := out.Status.Others.Events; n > 0 {
		p.Line("Waiting for the credentials of other agents: %s.", counted(n, "event"))
	}
	if f := fault.From(out.failure); out.failure != nil && f.Code == fault.Auth {
		p.Line("%s", f.Hint)
	}
	if len(out.Dead) > 0 {
		rows := make([][]string, 0, len(out.Dead))
		for _, l := range out.Dead {
			rows = append(rows, []string{l.TS, l.EventType, l.AgentID, l.Reason})
		}
		p.Head("Refused for good")
		p.Table([]string{"TS", "TYPE", "AGENT", "REASON"}, rows)
	} else if n := out.Status.Dead; n > 0 {
		p.Line("The server has refused %s for good: ape-claw events flush --dead", counted(n, "event"))
	}
}
