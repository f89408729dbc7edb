package commands

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// EventsTailIn selects what to show.
type EventsTailIn struct {
	Lines  int      `json:"lines" default:"20" help:"how many of the newest events to show first"`
	Follow bool     `json:"follow" help:"go on showing new events until interrupted"`
	URL    string   `json:"url" help:"read a server's stream in place of the local log: its base url"`
	Remote bool     `json:"remote" help:"read the stream of $APE_CLAW_TELEMETRY_URL with the agent's credentials"`
	After  string   `json:"after" help:"start after this cursor"`
	Type   []string `json:"type" complete:"globs" help:"event types, with * as a wildcard; comma-separated"`
	Agent  string   `json:"agent" help:"only this agent's"`
	Trace  string   `json:"trace" help:"only this trace's"`
	OK     string   `json:"ok" enum:"true,false" help:"only successes, or only failures"`
}

// Check implements checker.
func (in EventsTailIn) Check() error {
	if in.Remote && in.URL != "" {
		return fault.New(fault.Usage, "--remote and --url name two servers").
			Hintf("--remote reads the one of APE_CLAW_TELEMETRY_URL")
	}
	return nil
}

// EventsTailOut closes the stream: how many events were shown and where it ended.
type EventsTailOut struct {
	OK     bool   `json:"ok"`
	Count  int    `json:"count"`
	Cursor string `json:"cursor,omitempty"`
	// Truncated: there are more than one document holds; go on after Cursor.
	Truncated bool  `json:"truncated,omitempty"`
	Bad       int64 `json:"badLines,omitempty"`
	// Events are the lines as they stand in the log; with --follow they were
	// printed one by one instead.
	Events []json.RawMessage `json:"events,omitzero"`
}

func newEventsTail() Command {
	return define(Spec{Name: "events tail", Short: "Show the newest events, and follow new ones", Quiet: true, Streams: true,
		Long: `Show the newest events of the local log, or of a server with --url or --remote, and
follow new ones with --follow. With --json the events stand in one document, with where
to go on (--after); with --follow every event is its own line, as it stands in
the log, and the last line says how many there were.

Following goes on when the log is rotated, and when it is cut or replaced: then one
warning says so, and it starts at the beginning of the new one. A server that goes away
is tried again.`,
		Example: "  ape-claw events tail --follow --type 'nft.*'\n  ape-claw events tail --url http://127.0.0.1:8787 --follow\n  ape-claw events tail --remote --lines 100",
		Risk:    RiskRead, Permission: "events:read", AI: Exposure{Class: AIOperator}},
		eventsTail,
		func(p *Printer, out EventsTailOut) {
			if out.Count == 0 {
				p.Line("No events.")
			}
		})
}

func eventsTail(ctx context.Context, d *Deps, in EventsTailIn) (EventsTailOut, error) {
	filter, err := telemetry.ParseFilter(in.Type, in.Agent, in.Trace, okFlag(in.OK))
	if err != nil {
		return EventsTailOut{}, err
	}
	after, err := parseAfter(in.After)
	if err != nil {
		return EventsTailOut{}, err
	}
	t := &tailer{d: d, in: in, filter: filter, p: d.printer(), out: EventsTailOut{OK: true}}
	if d.wantJSON && !in.Follow {
		t.out.Events = []json.RawMessage{}
	}
	if in.URL != "" || in.Remote {
		err = t.remote(ctx)
	} else {
		err = t.local(ctx, after)
	}
	if errors.Is(err, context.Canceled) && in.Follow {
		err = nil // an interrupt is how following ends
	}
	return t.out, quiet(err)
}

// tailer shows events, as they are or as a line for people.
type tailer struct {
	d      *Deps
	in     EventsTailIn
	filter telemetry.Filter
	p      *Printer
	out    EventsTailOut
	size   int // of the events in out
}

// errFull says that one document holds no more.
var errFull = errors.New("the document is full")

func (t *tailer) show(line []byte, cursor string) error {
	if t.d.wantJSON {
		line = t.d.redactor().Foreign(bytes.TrimRight(line, "\r"))
	}
	switch {
	case t.d.wantJSON && t.in.Follow:
		if err := t.d.writeOut(append(line[:len(line):len(line)], '\n')); err != nil {
			return err
		}
	case t.d.wantJSON:
		if t.size += len(line); t.size > queryBytes && t.out.Count > 0 {
			return errFull
		}
		t.out.Events = append(t.out.Events, bytes.Clone(line)) // a line must not keep its page
	default:
		t.d.printEvent(t.p, line)
		if err := t.p.flush(); err != nil {
			return err
		}
	}
	t.out.Count++
	t.out.Cursor = cursor
	return nil
}

func (t *tailer) local(ctx context.Context, after telemetry.Cursor) error {
	log, err := t.d.log()
	if err != nil {
		return err
	}
	t.d.remoteOnlyNotice()
	defer func() { t.out.Bad = log.Stats().Bad.Total() }()
	if t.in.After == "" {
		if after, err = t.newest(ctx, log); err != nil || !t.in.Follow {
			return err
		}
	}
	return t.follow(ctx, log, after)
}

// newest shows the newest events, and returns where to go on.
func (t *tailer) newest(ctx context.Context, log *telemetry.Log) (end telemetry.Cursor, err error) {
	tail, err := log.Tail(ctx, t.in.Lines, t.filter.Match)
	if err != nil {
		return end, err
	}
	lines := tail.Lines
	if t.d.wantJSON && !t.in.Follow { // the newest that one document holds
		size, from := 0, len(lines)
		for from > 0 && (size == 0 || size+len(lines[from-1].Data) <= queryBytes) {
			from--
			size += len(lines[from].Data)
		}
		tail.Cut = tail.Cut || from > 0
		lines = lines[from:]
	}
	if tail.Cut {
		t.out.Truncated = true
		t.d.warn("older events were left out: they are too many for one look; ape-claw events query and export find them")
	}
	for _, l := range lines {
		if err := t.show(l.Data, l.At.String()); err != nil {
			return end, err
		}
	}
	t.out.Cursor = tail.End.String()
	return tail.End, nil
}

// follow reads on from a cursor, to the end or until interrupted.
func (t *tailer) follow(ctx context.Context, log *telemetry.Log, after telemetry.Cursor) error {
	var changed <-chan struct{}
	if t.in.Follow {
		var err error
		if changed, err = log.Watch(ctx); err != nil {
			return err
		}
	}
	for {
		lines, next, err := log.ReadAfter(ctx, after, 1000, 4<<20)
		var reset *telemetry.ResetError
		if errors.As(err, &reset) && t.in.Follow {
			t.replaced(reset)
			after = reset.Oldest
			continue
		}
		if err != nil {
			return resetFault(err)
		}
		for _, l := range lines {
			if !t.filter.Match(l.Data) {
				continue
			}
			if err := t.show(l.Data, l.At.String()); errors.Is(err, errFull) {
				t.out.Truncated = true
				t.d.warn("the answer was cut at %d MiB: go on with --after %s", queryBytes>>20, t.out.Cursor)
				return nil
			} else if err != nil {
				return err
			}
		}
		more := next != after
		after = next
		t.out.Cursor = next.String()
		if more {
			continue
		}
		if !t.in.Follow {
			return nil
		}
		if _, open := <-changed; !open {
			return context.Cause(ctx)
		}
	}
}

// replaced tells that what comes next does not follow on what was shown. The cursor
// in the sentence makes it another one each time: each is told once.
func (t *tailer) replaced(reset *telemetry.ResetError) {
	if reset.Reason == telemetry.ResetGone {
		t.d.warn("events after %s were removed before they could be read: going on at the oldest", reset.From)
		return
	}
	t.d.warn("the log was cut or replaced after %s: going on at the start of the new one", reset.From)
}

// printEvent shows an event as one line for people, with its date unless that is
// today, in UTC as everything in the log. Of a foreign line it shows what is as it
// should be.
func (d *Deps) printEvent(p *Printer, line []byte) {
	var e telemetry.Event
	// A field of another type stays empty; all that is in the log is a JSON object.
	_ = json.Unmarshal(line, &e)
	mark, sgr := "ok", green
	if !e.OK {
		mark, sgr = "no", red
	}
	clock := "--:--:--"
	if at, ok := telemetry.TimeOf(line); ok {
		at = at.UTC()
		layout := time.TimeOnly
		if at.Format(time.DateOnly) != d.host.Now().UTC().Format(time.DateOnly) {
			layout = time.DateTime
		}
		clock = at.Format(layout)
	}
	kind := ""
	if e.DryRun {
		kind = p.style(dim, " dry run")
	}
	p.Line("%s %s %s%s %s %s", p.style(dim, clock), p.style(sgr, mark), p.style(bold, clean(cmp.Or(e.EventType, "(no type)"))), kind,
		p.style(dim, clean(e.AgentID)), clean(eventDetail(e)))
}

// eventFields are what a line for people shows of an event, in this order.
var eventFields = []string{"collection", "tokenId", "priceApe", "quoteId", "txHash", "blockNumber", "owner", "code", "status", "count", "chainId", "path", "url"}

// eventDetail says the gist of an event: its error, or its telling fields.
func eventDetail(e telemetry.Event) string {
	if e.Error != nil {
		return *e.Error
	}
	fields := map[string]json.RawMessage{}
	for _, part := range []json.RawMessage{e.Payload, e.Result} {
		// A part that is no object has nothing to show.
		_ = json.Unmarshal(part, &fields)
	}
	var out []string
	for _, name := range eventFields {
		raw, ok := fields[name]
		if !ok {
			continue
		}
		text := string(raw)
		var s string
		if json.Unmarshal(raw, &s) == nil {
			text = s
		}
		out = append(out, name+"="+text)
	}
	return strings.Join(out, " ")
}
