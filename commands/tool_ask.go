package commands

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/guide"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// askTools are the tools without a command: what a model asks to find its way.
func (d *Deps) askTools() []ai.Tool {
	sections, _ := rawJSON(guide.Names()) // words: they always can be encoded
	return []ai.Tool{
		{
			Name: "guide", Grade: ai.GradeRead, Permission: "ai:read",
			Description: "How to work with these tools: rules, buying step by step, states, results, errors. Without a section, the list of sections and the rules.",
			Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
"section":{"type":"string","description":"one part","enum":` + string(sections) + `}}}`),
			Run: askGuide,
		},
		{
			Name: "events_recent", Grade: ai.GradeRead, Permission: "events:read", Untrusted: true,
			Description: "The newest events of the local log, oldest first: what was done, and how it ended. Filter by type or trace.",
			Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
"type":{"type":"string","description":"event type, with * as a wildcard: nft.buy.*","pattern":"^[a-z0-9_.*-]+$","maxLength":100},
"trace":{"type":"string","description":"only this trace's","pattern":"^[A-Za-z0-9_.:@-]+$","maxLength":128},
"limit":{"type":"integer","description":"how many, 10 if left out","minimum":1,"maximum":20}}}`),
			Run: d.askEvents,
		},
		{
			Name: "budget_status", Grade: ai.GradeRead, Permission: "policy:read", Untrusted: true,
			Description: "What may still be spent: the daily caps of policy, what counts against them, what is left, transactions without an outcome, and whether spending is halted.",
			Schema:      json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{}}`),
			Run:         d.askBudget,
		},
		{
			Name: "explain_block", Grade: ai.GradeRead, Permission: "policy:read", Untrusted: true,
			Description: "Why a call of a tool is or would be refused: each check in order, with what was measured, the limit, and what a person could change. Runs nothing.",
			Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["tool","args"],"properties":{
"tool":{"type":"string","description":"name of the tool","pattern":"^[a-z0-9_]+$","maxLength":48},
"args":{"type":"object","description":"its arguments, by its own schema","additionalProperties":true}}}`),
			Run: d.askExplain,
		},
	}
}

// guideAnswer is a part of the guide.
type guideAnswer struct {
	Sections []string `json:"sections,omitempty"`
	Section  string   `json:"section"`
	Text     string   `json:"text"`
}

func askGuide(_ context.Context, c ai.Call) (any, error) {
	var in struct {
		Section string `json:"section"`
	}
	if err := json.Unmarshal(c.Args, &in); err != nil {
		return nil, err
	}
	out := guideAnswer{Section: in.Section}
	if in.Section == "" {
		out.Sections, out.Section = guide.Names(), guide.Names()[0]
	}
	for _, s := range guide.Sections() {
		if s.Name == out.Section {
			out.Text = s.Text
			return out, nil
		}
	}
	return nil, fault.New(fault.NotFound, "the guide has no such section").WithSent(fault.SentNo)
}

// eventsAnswer is some of the log's newest lines.
type eventsAnswer struct {
	Count  int               `json:"count"`
	Events []json.RawMessage `json:"events"`
}

// How far back a model looks: it asks for what just happened.
const (
	recentEvents = 10
	recentBytes  = 4 << 20
)

func (d *Deps) askEvents(ctx context.Context, c ai.Call) (any, error) {
	in := struct {
		Type  string `json:"type"`
		Trace string `json:"trace"`
		Limit int    `json:"limit"`
	}{Limit: recentEvents}
	if err := json.Unmarshal(c.Args, &in); err != nil {
		return nil, err
	}
	f, err := telemetry.ParseFilter([]string{in.Type}, "", in.Trace, nil)
	if err != nil {
		return nil, err
	}
	log, err := d.journal()
	if err != nil {
		return nil, err
	}
	mine := func(line []byte) bool { return f.Match(line) && !confided(line, c.Scope) }
	t, err := log.TailWithin(ctx, in.Limit, recentBytes, mine)
	if err != nil {
		return nil, err
	}
	out := eventsAnswer{Events: []json.RawMessage{}}
	for _, l := range t.Lines {
		if json.Valid(l.Data) {
			out.Events = append(out.Events, json.RawMessage(l.Data))
		}
	}
	out.Count = len(out.Events)
	return out, nil
}

// confided reports whether an event tells of what a person and another model said to
// each other, or of what another one proposed: that is theirs, as it is for the tools
// that tell of actions.
func confided(line []byte, s ai.Scope) bool {
	var e telemetry.Event
	if json.Unmarshal(line, &e) != nil {
		return false
	}
	told := strings.HasPrefix(e.EventType, "ai.message.") || strings.HasPrefix(e.EventType, "ai.action.")
	return told && e.AgentID != s.AgentID && (s.SessionID == "" || e.SessionID != s.SessionID)
}

// budgetAnswer is what policy lets be spent now.
type budgetAnswer struct {
	Caps   []SpendCap  `json:"caps"`
	Open   []SpendOpen `json:"open"` // sent, and no outcome yet: they count
	Halted []string    `json:"halted"`
	Next   string      `json:"next,omitempty"`
}

func (d *Deps) askBudget(ctx context.Context, c ai.Call) (any, error) {
	spend := newPolicySpend()
	child := d.child(spend.Spec, c.Scope)
	defer child.close()
	got, err := spend.call(ctx, child, json.RawMessage(`{}`))
	if err != nil {
		return nil, err
	}
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	out := budgetAnswer{Halted: append([]string{}, policy.Halted(cfg.Home)...)}
	if s, ok := got.(PolicySpendOut); ok {
		out.Caps, out.Open, out.Next = s.Caps, s.Open, s.Next
	}
	return tool.Traced{Value: out, TraceID: child.trace()}, nil
}

func (d *Deps) askExplain(ctx context.Context, c ai.Call) (any, error) {
	var in struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	if err := json.Unmarshal(c.Args, &in); err != nil {
		return nil, err
	}
	explain := newAIExplain()
	child := d.child(explain.Spec, c.Scope)
	defer child.close()
	ask := AIExplainIn{Tool: in.Tool, Args: string(in.Args)}
	if name, ok := strings.CutPrefix(c.Scope.AgentID, "conn:"); ok {
		ask.Connection = name
	}
	out, err := explain.callWith(ctx, child, func(ctx context.Context) (any, error) {
		out, err := child.aiExplain(ctx, ask)
		if fault.CodeOf(err) == fault.NotFound && ask.Connection != "" { // a scripted one is in no list
			ask.Connection = ""
			out, err = child.aiExplain(ctx, ask)
		}
		return out, err
	})
	return tool.Traced{Value: out, TraceID: child.trace()}, forTools(explain, err)
}
