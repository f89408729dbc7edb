package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// EventsQueryIn is a search of the log.
type EventsQueryIn struct {
	EventsSelectIn
	Limit int    `json:"limit" default:"100" help:"at most so many, the newest; 0: all"`
	After string `json:"after" help:"read forward from this cursor instead, a page of --limit at a time; 0-0 is the oldest event"`
}

// EventsQueryOut is what was found.
type EventsQueryOut struct {
	OK    bool `json:"ok"`
	Count int  `json:"count"`
	// Events are the lines as they stand in the log.
	Events []json.RawMessage `json:"events"`
	// Cursor goes on behind what was looked at: --after it finds what came later.
	Cursor string `json:"cursor"`
	// Truncated: more events match, which together were too much for one document.
	Truncated bool   `json:"truncated,omitempty"`
	Next      string `json:"next,omitempty"` // how to see them
	Bad       int64  `json:"badLines,omitempty"`
}

// queryBytes bounds the events of one document: some 30,000 ordinary ones.
const queryBytes = 16 << 20

// queryPage is how many bytes of the log are read at once, going forward.
const queryPage = 1 << 20

func newEventsQuery() Command {
	return define(Spec{Name: "events query", Short: "Search the local log", Quiet: true,
		Long: `Search the local log: the newest events that fit every condition, oldest first. The
search goes back from the end, over all segments, and stops when it has --limit events.
With --after it reads forward instead; with --json the document's cursor is where the
next page, or whatever comes later, begins.

An event's time is its ts, as whoever wrote it set it. Events without a readable ts are
in no period.`,
		Example: `  ape-claw events query --type 'nft.*' --since 2h
  ape-claw events query --ok false --since 2026-02-01 --until 2026-02-18 --json
  ape-claw events query --after 0-0 --limit 1000 --json`,
		Risk: RiskRead, Permission: "events:read", AI: Exposure{Class: AIOperator}},
		eventsQuery,
		func(p *Printer, out EventsQueryOut) {
			if out.Count == 0 {
				p.Line("No events.")
			}
		})
}

func eventsQuery(ctx context.Context, d *Deps, in EventsQueryIn) (EventsQueryOut, error) {
	sel, err := in.selection(d.host.Now())
	if err != nil {
		return EventsQueryOut{}, err
	}
	after, err := parseAfter(in.After)
	if err != nil {
		return EventsQueryOut{}, err
	}
	cfg, err := d.Config()
	if err != nil {
		return EventsQueryOut{}, err
	}
	// A search goes as far back as it has to: unlike the tail of a page, whoever asks
	// for a day of last year waits for it, and can interrupt.
	d.remoteOnlyNotice()
	log := telemetry.NewLog(cfg.StateDir, telemetry.LogOptions{MaxBack: math.MaxInt64, MaxTail: queryBytes})
	defer func() { _ = log.Close() }() // only read: nothing to lose
	q := query{d: d, in: in, log: log, match: sel.Match, p: d.printer(), out: EventsQueryOut{OK: true, Events: []json.RawMessage{}}}
	if in.After == "" && in.Limit > 0 {
		err = q.newest(ctx)
	} else {
		err = q.forward(ctx, after)
	}
	q.out.Bad = log.Stats().Bad.Total()
	return q.out, quiet(err)
}

// query is one search.
type query struct {
	d     *Deps
	in    EventsQueryIn
	log   *telemetry.Log
	match func([]byte) bool
	p     *Printer
	out   EventsQueryOut
	size  int
}

// newest searches back from the end.
//
// It looks at every line until it has enough, also with --since: the log is in the
// order in which lines were appended, not in that of their ts. Processes take the
// time before they take the lock, clocks differ and jump, and an import puts the
// events of last year behind those of today. So neither a binary search nor stopping
// at the first line that is too old finds all. A line costs about two
// microseconds.
func (q *query) newest(ctx context.Context) error {
	t, err := q.log.Tail(ctx, q.in.Limit, q.match)
	if err != nil {
		return err
	}
	for _, l := range t.Lines {
		if err := q.show(l.Data); err != nil {
			return err
		}
	}
	q.out.Cursor = t.End.String()
	if t.Cut {
		q.cut("older ones match too; read them forward with --after " + telemetry.Cursor{}.String())
	}
	return nil
}

// forward reads on from a cursor: a page of --limit, or all.
func (q *query) forward(ctx context.Context, at telemetry.Cursor) error {
	q.out.Cursor = at.String()
	for {
		lines, next, err := q.log.ReadAfter(ctx, at, 0, queryPage)
		if err != nil {
			return resetFault(err)
		}
		for _, l := range lines {
			if !q.match(l.Data) {
				continue
			}
			if q.in.Limit > 0 && q.out.Count >= q.in.Limit {
				if !q.d.wantJSON { // a program has the cursor
					q.d.say("ape-claw: more events match: --after %s\n", q.out.Cursor)
				}
				return nil
			}
			if q.d.wantJSON && q.out.Count > 0 && q.size+len(l.Data) > queryBytes {
				q.cut("go on with --after " + q.out.Cursor)
				return nil
			}
			if err := q.show(l.Data); err != nil {
				return err
			}
			q.out.Cursor = l.At.String()
		}
		if next == at {
			return nil
		}
		at = next
		q.out.Cursor = at.String()
	}
}

func (q *query) show(line []byte) error {
	q.out.Count++
	if !q.d.wantJSON {
		q.d.printEvent(q.p, line)
		return q.p.flush()
	}
	line = q.d.redactor().Foreign(bytes.TrimRight(line, "\r"))
	q.size += len(line)
	q.out.Events = append(q.out.Events, bytes.Clone(line)) // a line must not keep its page
	return nil
}

// cut says that not everything that matches is shown, and how to go on.
func (q *query) cut(next string) {
	q.out.Truncated, q.out.Next = true, next
	q.d.warn("the answer was cut at %d MiB: %s", queryBytes>>20, next)
}

// resetFault says that a cursor can't be served, and from where it could be.
func resetFault(err error) error {
	var reset *telemetry.ResetError
	if !errors.As(err, &reset) {
		return err
	}
	why := "of another log, or of one that was cut"
	if reset.Reason == telemetry.ResetGone {
		why = "gone: its events were removed"
	}
	return fault.Wrap(err, fault.NotFound, "cursor %s is %s", reset.From, why).Hintf("go on with --after %s", reset.Oldest).
		With("oldest", reset.Oldest.String())
}
