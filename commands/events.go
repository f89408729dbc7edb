package commands

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func eventCommands() []Command {
	return []Command{newEventsTail(), newEventsQuery(), newEventsExport(), newEventsImport(), newEventsSchema(), newEventsEmit(), newEventsFlush()}
}

// EventsSchemaIn names one type, or none for all.
type EventsSchemaIn struct {
	Type string `json:"type" ai:"expose" maxlen:"100" arg:"type" complete:"events" help:"event type"`
}

func newEventsSchema() Command {
	return define(Spec{Name: "events schema", Short: "Describe event types with their JSON Schemas", Quiet: true,
		Example: "  ape-claw events schema\n  ape-claw events schema nft.buy.confirmed --json",
		Risk:    RiskRead, Permission: "events:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead}},
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
		Events:  []string{telemetry.CustomType}, Offline: true, Risk: RiskWrite, Permission: "events:write", AI: Exposure{Class: AINever}},
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
			return EventsEmitOut{}, fault.Wrap(err, fault.Usage, "standard input can't be read").Hintf("give the payload itself: --payload '{…}'")
		}
		if len(b) > maxPayload {
			return EventsEmitOut{}, fault.New(fault.Usage, "the payload is over %d bytes", maxPayload).
				Hintf("keep what is large in a file, and put its name or hash into the payload")
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
		if first, _, _ := strings.Cut(in.Type, "."); ownDomain(first) && !declared(in.Type) {
			return EventsEmitOut{}, fault.Wrap(err, fault.Usage, "types that begin with %q are this program's own, and there is no %s", first+".", in.Type).
				Hintf("choose a type of your own, such as myagent.step.done; ape-claw events schema lists those that there are")
		}
		return EventsEmitOut{}, fault.Wrap(err, fault.Usage, "%s", err).Hintf("ape-claw events schema %s", in.Type)
	}
	err = d.Record(ctx, draft)
	return EventsEmitOut{OK: true, EventType: in.Type, TraceID: cfg.TraceID.Value}, err
}

// ownDomain reports whether types of the catalogue begin with the word.
func ownDomain(word string) bool {
	return slices.ContainsFunc(telemetry.Catalogue(), func(t telemetry.Type) bool { return strings.HasPrefix(t.Name, word+".") })
}

func declared(name string) bool {
	_, ok := telemetry.Lookup(name)
	return ok
}

func jsonObject(name, s string) (json.RawMessage, error) {
	if s == "" {
		return nil, nil
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s), &m); err != nil || m == nil {
		return nil, fault.Wrap(err, fault.Usage, "--%s is not a JSON object", name).Hintf(`--%s '{"step":3}'`, name)
	}
	return telemetry.WholeText([]byte(s)), nil
}
