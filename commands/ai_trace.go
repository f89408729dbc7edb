package commands

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AITraceIn says whose story.
type AITraceIn struct {
	Ref string `json:"ref" arg:"ref" required:"true" complete:"actions" help:"a trace, an action or a conversation, by its id"`
}

// AITraceOut is the story, the oldest entry first.
type AITraceOut struct {
	OK       bool           `json:"ok"`
	Traces   []string       `json:"traces"`
	ActionID string         `json:"actionId,omitempty"` // when the story is asked for by it
	RoomID   string         `json:"conversation,omitempty"`
	Entries  []AITraceEntry `json:"entries"`
	Notes    []string       `json:"notes"` // what could not be looked at, or is too far back
}

// The kinds of entries.
const (
	kindMessage     = "message"
	kindTurn        = "turn"
	kindTool        = "tool"
	kindAction      = "action"
	kindTransaction = "transaction"
	kindCallback    = "callback" // the model is told what became of an action
	kindEvent       = "event"
)

// AITraceEntry is one thing that happened. Text is one line for people; what others
// wrote is cleaned in it, and is data.
type AITraceEntry struct {
	At        time.Time `json:"at"`
	Kind      string    `json:"kind"`
	Who       string    `json:"who"`
	Text      string    `json:"text"`
	Status    string    `json:"status,omitempty"`
	Code      string    `json:"code,omitempty"`
	EventType string    `json:"eventType,omitempty"`
	Tool      string    `json:"tool,omitempty"`
	TurnID    string    `json:"turnId,omitempty"`
	ActionID  string    `json:"actionId,omitempty"`
	TxHash    string    `json:"txHash,omitempty"`
	TraceID   string    `json:"traceId,omitempty"`
}

func newAITrace() Command {
	return define(Spec{Name: "ai trace", Short: "Tell one story: messages, tool calls, approval, transaction, outcome",
		Long: `Put together what is known of a trace, an action or a conversation, in the order in which it
happened: messages and turns and actions from the state database, tool calls and what the
commands did from the log, transactions from the journal in the home. Nothing is sent or
asked of a network.`,
		Example: "  ape-claw ai trace act_…\n  ape-claw ai trace trace_… --json",
		Events:  []string{"ai.trace.read"}, Offline: true, Risk: RiskRead, Permission: "ai:read", AI: Exposure{Class: AIOperator}},
		aiTrace,
		printAITrace)
}

func printAITrace(p *Printer, out AITraceOut) {
	p.Head("%s", strings.Join(out.Traces, ", "))
	day := ""
	for _, e := range out.Entries {
		if d := e.At.Format(time.DateOnly); d != day {
			day = d
			p.Line("%s", p.style(dim, day+" UTC"))
		}
		sgr := map[string]string{kindMessage: bold, kindAction: yellow, kindTransaction: green, kindCallback: cyan, kindTool: cyan}[e.Kind]
		status := ""
		switch e.Status {
		case "", "ok":
		case "error", "refused", "failed", "interrupted":
			status = "  " + p.style(red, e.Status)
		default:
			status = "  " + p.style(dim, shownFact(e.Status))
		}
		p.Line("%s  %s %-16s %s%s", p.style(dim, e.At.Format("15:04:05.000")), p.style(sgr, pad(e.Kind, 11)), shownFact(e.Who), shownFact(e.Text), status)
	}
	for _, n := range out.Notes {
		p.Line("  %s", p.style(yellow, shownFact(n)))
	}
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-len(s))) }

func aiTrace(ctx context.Context, d *Deps, in AITraceIn) (AITraceOut, error) {
	out := AITraceOut{OK: true, Traces: []string{}, Entries: []AITraceEntry{}, Notes: []string{}}
	t := tracing{d: d, out: &out}
	if err := t.resolve(ctx, in.Ref); err != nil {
		return out, err
	}
	if err := t.rows(ctx); err != nil {
		return out, err
	}
	if err := t.transactions(ctx); err != nil {
		return out, err
	}
	if err := t.events(ctx); err != nil {
		return out, err
	}
	if len(out.Entries) == 0 {
		return out, fault.New(fault.NotFound, "nothing is known of %s", shownArg(in.Ref)).
			Hintf("%s ai actions list, or %s ai conversations list", d.cli(), d.cli())
	}
	slices.SortStableFunc(out.Entries, func(a, b AITraceEntry) int { return a.At.Compare(b.At) })
	payload := map[string]any{}
	for key, v := range map[string]string{"traceId": first(out.Traces), "actionId": out.ActionID, "roomId": out.RoomID} {
		if v != "" {
			payload[key] = v
		}
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "ai.trace.read", Payload: payload, Result: map[string]any{"entries": len(out.Entries)}})
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// resolve finds out which traces the reference means: an action's, all those of a
// conversation, or itself.
func (t *tracing) resolve(ctx context.Context, ref string) error {
	if !validID(ref) {
		return fault.New(fault.Usage, "%q is no id of a trace, an action or a conversation", shownArg(ref)).Hintf("%s ai actions list shows ids", t.d.cli())
	}
	db, err := t.d.oldState(ctx)
	if err != nil {
		return err
	}
	t.db = db
	if db != nil {
		for _, q := range []struct{ query, note string }{
			{`SELECT trace_id FROM ai_actions WHERE id = ?1`, kindAction},
			{`SELECT trace_id FROM (SELECT trace_id, created_at AS at FROM ai_messages WHERE room_id = ?1
				UNION ALL SELECT trace_id, started_at FROM ai_turns WHERE room_id = ?1
				UNION ALL SELECT trace_id, created_at FROM ai_actions WHERE room_id = ?1) GROUP BY trace_id ORDER BY min(at)`, kindMessage},
		} {
			rows, err := db.QueryContext(ctx, q.query, ref)
			if err != nil {
				return store.DBFault(err, store.StateFile)
			}
			ids, err := texts(rows)
			if err != nil {
				return err
			}
			ids = slices.DeleteFunc(ids, func(id string) bool { return !validID(id) })
			if len(ids) == 0 {
				continue
			}
			t.out.Traces = ids
			if q.note == kindAction {
				t.out.ActionID = ref
			} else {
				t.out.RoomID = ref
			}
			return nil
		}
	}
	t.out.Traces = []string{ref}
	return nil
}

// add takes an entry into the story. What is in it may be from anywhere.
func (t *tracing) add(e AITraceEntry) {
	e.At, e.Text, e.Who = e.At.UTC(), shownFact(strings.Join(strings.Fields(e.Text), " ")), shownFact(e.Who)
	e.Who = cmp.Or(e.Who, "-")
	t.out.Entries = append(t.out.Entries, e)
}

func (t *tracing) note(sentence string) { t.out.Notes = append(t.out.Notes, sentence) }
