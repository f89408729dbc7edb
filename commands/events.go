package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

func eventCommands() []Command { return []Command{newEventsTail(), newEventsSchema(), newEventsEmit()} }

// EventsTailIn selects what to show.
type EventsTailIn struct {
	Lines  int      `json:"lines" default:"20" help:"how many of the newest events to show first"`
	Follow bool     `json:"follow" help:"go on showing new events until interrupted"`
	URL    string   `json:"url" help:"read a server's stream in place of the local log: its base url"`
	After  string   `json:"after" help:"start after this cursor"`
	Type   []string `json:"type" complete:"events" help:"event types, with * as a wildcard; comma-separated"`
	Agent  string   `json:"agent" help:"only this agent's"`
	Trace  string   `json:"trace" help:"only this trace's"`
	OK     string   `json:"ok" enum:"true,false" help:"only successes, or only failures"`
}

// EventsTailOut closes the stream: how many events were shown and where it ended.
type EventsTailOut struct {
	OK     bool   `json:"ok"`
	Count  int    `json:"count"`
	Cursor string `json:"cursor,omitempty"`
	Bad    int64  `json:"badLines,omitempty"`
	// Events are the lines as they stand in the log; with --follow they were
	// printed one by one instead.
	Events []json.RawMessage `json:"events,omitzero"`
}

func newEventsTail() Command {
	return define(Spec{Name: "events tail", Short: "Show the newest events, and follow new ones", Quiet: true, Streams: true,
		Long: `Show the newest events of the local log, or of a server with --url, and follow new
ones with --follow. With --json the events stand in one document, with where to go on
(--after); with --follow every event is its own line, exactly as it stands in the log,
and the last line says how many there were.`,
		Example: "  ape-claw events tail --follow --type 'nft.*'\n  ape-claw events tail --url http://127.0.0.1:8787 --follow",
		Risk:    RiskRead, Permission: "events:read"},
		eventsTail,
		func(p *Printer, out EventsTailOut) {
			if out.Count == 0 {
				p.Line("No events.")
			}
		})
}

func eventsTail(ctx context.Context, d *Deps, in EventsTailIn) (EventsTailOut, error) {
	var ok *bool
	if in.OK != "" {
		v := in.OK == "true"
		ok = &v
	}
	filter, err := telemetry.ParseFilter(in.Type, in.Agent, in.Trace, ok)
	if err != nil {
		return EventsTailOut{}, err
	}
	var after telemetry.Cursor
	if in.After != "" {
		if after, err = telemetry.ParseCursor(in.After); err != nil {
			return EventsTailOut{}, err
		}
	}
	t := &tailer{d: d, in: in, filter: filter, ok: ok, p: d.printer(), out: EventsTailOut{OK: true}}
	if d.wantJSON && !in.Follow {
		t.out.Events = []json.RawMessage{}
	}
	if in.URL != "" {
		err = t.remote(ctx)
	} else {
		err = t.local(ctx, after)
	}
	if errors.Is(err, context.Canceled) && in.Follow {
		err = nil // an interrupt is how following ends
	}
	return t.out, err
}

// tailer shows events, as they are or as a line for people.
type tailer struct {
	d      *Deps
	in     EventsTailIn
	filter telemetry.Filter
	ok     *bool
	p      *Printer
	out    EventsTailOut
}

func (t *tailer) show(line []byte, cursor string) error {
	t.out.Count++
	t.out.Cursor = cursor
	if t.d.wantJSON && !t.in.Follow {
		t.out.Events = append(t.out.Events, json.RawMessage(t.d.redactor().Foreign(bytes.TrimRight(line, "\r"))))
		return nil
	}
	if t.d.wantJSON {
		return t.d.writeOut(append(t.d.redactor().Foreign(bytes.TrimRight(line, "\r")), '\n'))
	}
	printEvent(t.p, line)
	return t.p.flush()
}

func (t *tailer) local(ctx context.Context, after telemetry.Cursor) error {
	log, err := t.d.log()
	if err != nil {
		return err
	}
	defer func() {
		bad := log.Stats().Bad
		t.out.Bad = bad.NUL + bad.UTF8 + bad.NotJSON + bad.TooLong
	}()
	if t.in.After == "" {
		lines, end, err := log.Last(ctx, t.in.Lines, t.filter.Match)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if err := t.show(l.Data, l.At.String()); err != nil {
				return err
			}
		}
		after = end
		t.out.Cursor = end.String()
	}
	if t.in.After == "" && !t.in.Follow {
		return nil
	}
	return t.follow(ctx, log, after)
}

// follow reads on from a cursor, to the end or until interrupted.
func (t *tailer) follow(ctx context.Context, log *telemetry.Log, after telemetry.Cursor) error {
	changed, err := log.Watch(ctx)
	if err != nil {
		return err
	}
	for {
		lines, next, err := log.ReadAfter(ctx, after, 1000, 4<<20)
		var reset *telemetry.ResetError
		switch {
		case errors.As(err, &reset) && t.in.Follow:
			t.d.warn("the log was replaced (%s): going on at its start", reset.Reason)
			after = reset.Oldest
			continue
		case errors.As(err, &reset):
			return fault.Wrap(err, fault.NotFound, "cursor %s is %s", reset.From, reset.Reason).Hintf("go on with --after %s", reset.Oldest)
		case err != nil:
			return err
		}
		for _, l := range lines {
			if t.filter.Match(l.Data) {
				if err := t.show(l.Data, l.At.String()); err != nil {
					return err
				}
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

// remote reads a server's stream; without --follow, its backlog.
func (t *tailer) remote(ctx context.Context) error {
	opt := serve.TailOptions{URL: t.in.URL, After: t.in.After, Backlog: t.in.Lines, Types: t.in.Type, AgentID: t.in.Agent,
		TraceID: t.in.Trace, OK: t.ok, Transport: t.d.transport()}
	if !t.in.Follow {
		end, err := serve.Backlog(ctx, opt, func(line []byte) error { return t.show(line, "") })
		if err != nil {
			return err
		}
		if end.Truncated {
			t.d.warn("older events were left out: together they are too large for one answer")
		}
		t.out.Cursor = end.Cursor.String()
		return nil
	}
	opt.Notice = func(n serve.Notice) {
		if !n.Connected {
			t.d.warn("the connection was lost: trying again")
		}
	}
	return serve.Tail(ctx, opt, func(f serve.Frame) error {
		if f.Reset != nil {
			t.d.warn("the server's log was replaced: events may be missing or come again (%s)", f.Reset.Reason)
			return nil
		}
		return t.show(f.Data, f.ID)
	})
}

// EventsSchemaIn names one type, or none for all.
type EventsSchemaIn struct {
	Type string `json:"type" arg:"type" complete:"events" help:"event type"`
}

func newEventsSchema() Command {
	return define(Spec{Name: "events schema", Short: "Describe event types with their JSON Schemas", Quiet: true,
		Example: "  ape-claw events schema\n  ape-claw events schema nft.buy.confirmed --json",
		Risk:    RiskRead, Permission: "events:read"},
		func(_ context.Context, _ *Deps, in EventsSchemaIn) (telemetry.Description, error) {
			d, ok := telemetry.Describe(in.Type)
			if !ok {
				var names []string
				for _, t := range telemetry.Catalogue() {
					names = append(names, t.Name)
				}
				e := fault.New(fault.NotFound, "no event type %q", in.Type).Hintf("ape-claw events schema")
				if near := nearest(in.Type, names); near != "" {
					e = e.Hintf("did you mean: ape-claw events schema %s", near)
				}
				return telemetry.Description{}, e
			}
			return d, nil
		},
		func(p *Printer, out telemetry.Description) {
			if len(out.Types) == 1 {
				t := out.Types[0]
				p.Head("%s", t.Name)
				p.Line("%s", t.Meaning)
				p.KV("emitted by", strings.Join(t.Commands, ", "))
				p.Line("payload %s", t.Payload)
				p.Line("result  %s", t.Result)
				return
			}
			rows := make([][]string, 0, len(out.Types))
			for _, t := range out.Types {
				rows = append(rows, []string{t.Name, t.Meaning})
			}
			p.Table([]string{"TYPE", "MEANING"}, rows)
		})
}

// EventsEmitIn is an event of somebody's own.
type EventsEmitIn struct {
	Type    string `json:"type" arg:"type" required:"true" complete:"events" help:"event type"`
	Payload string `json:"payload" help:"a JSON object, or - to read it from standard input"`
	Result  string `json:"result" help:"a JSON object"`
	Error   string `json:"error" help:"says that it failed, and why"`
	Execute bool   `json:"execute" help:"it really happened (dryRun false)"`
}

// EventsEmitOut says what was written.
type EventsEmitOut struct {
	OK        bool   `json:"ok"`
	EventType string `json:"eventType"`
	TraceID   string `json:"traceId"`
}

func newEventsEmit() Command {
	return define(Spec{Name: "events emit", Short: "Write an event of your own to the log",
		Long: `Write an event to the local log under this agent's name. The types that this program
emits itself can't be emitted by hand; a type of the published schema that it does not
emit yet is checked against its schema.`,
		Example: `  ape-claw events emit myagent.step.done --payload '{"step":3}'`,
		Events:  []string{telemetry.CustomType}, Offline: true, Risk: RiskWrite, Permission: "events:write"},
		eventsEmit,
		func(p *Printer, out EventsEmitOut) { p.Line("Wrote %s (trace %s).", out.EventType, out.TraceID) })
}

// maxPayload bounds what is read from standard input: a line of the log.
const maxPayload = 1 << 20

func eventsEmit(ctx context.Context, d *Deps, in EventsEmitIn) (EventsEmitOut, error) {
	if err := telemetry.CheckType(in.Type); err != nil {
		return EventsEmitOut{}, err
	}
	if t, known := telemetry.Lookup(in.Type); known && t.Name != telemetry.CustomType && len(t.Commands) > 0 {
		return EventsEmitOut{}, fault.New(fault.Usage, "%s is emitted by %s and can't be written by hand", in.Type, joinWords(t.Commands)).
			Hintf("choose a type of your own, such as myagent.step.done")
	}
	if in.Payload == "-" {
		b, err := io.ReadAll(io.LimitReader(d.host.Stdin, maxPayload+1))
		if err != nil {
			return EventsEmitOut{}, fault.Wrap(err, fault.Usage, "standard input can't be read")
		}
		if len(b) > maxPayload {
			return EventsEmitOut{}, fault.New(fault.Usage, "the payload is over %d bytes", maxPayload)
		}
		in.Payload = string(b)
	}
	payload, err := jsonObject("payload", in.Payload)
	if err != nil {
		return EventsEmitOut{}, err
	}
	result, err := jsonObject("result", in.Result)
	if err != nil {
		return EventsEmitOut{}, err
	}
	cfg, err := d.Config()
	if err != nil {
		return EventsEmitOut{}, err
	}
	rec, err := d.recorder()
	if err != nil {
		return EventsEmitOut{}, err
	}
	draft := telemetry.Draft{Type: in.Type, DryRun: !in.Execute, Payload: payload, Result: result, Err: in.Error}
	line, err := rec.Encode(draft)
	if err != nil {
		return EventsEmitOut{}, err
	}
	if err := telemetry.Validate(line); err != nil {
		return EventsEmitOut{}, fault.Wrap(err, fault.Usage, "%s", err).Hintf("ape-claw events schema %s", in.Type)
	}
	err = d.Record(ctx, draft)
	return EventsEmitOut{OK: true, EventType: in.Type, TraceID: cfg.TraceID.Value}, err
}

func jsonObject(name, s string) (json.RawMessage, error) {
	if s == "" {
		return nil, nil
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s), &m); err != nil || m == nil {
		return nil, fault.Wrap(err, fault.Usage, "--%s is not a JSON object", name).Hintf(`--%s '{"step":3}'`, name)
	}
	return json.RawMessage(s), nil
}

// printEvent shows an event as one line for people.
func printEvent(p *Printer, line []byte) {
	var e telemetry.Event
	if json.Unmarshal(line, &e) != nil {
		return
	}
	mark, sgr := "ok", green
	if !e.OK {
		mark, sgr = "no", red
	}
	clock := e.TS
	if len(clock) >= 19 {
		clock = clock[11:19]
	}
	detail := eventDetail(e)
	kind := ""
	if e.DryRun {
		kind = p.style(dim, " dry run")
	}
	p.Line("%s %s %s%s %s %s", p.style(dim, clean(clock)), p.style(sgr, mark), p.style(bold, clean(e.EventType)), kind, p.style(dim, clean(e.AgentID)), clean(detail))
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
