package tool

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The tools that the engine has itself: they are about the invocation.
const (
	requestAction  = "request_action"
	actionStatus   = "action_status"
	actionsPending = "actions_pending"
	resultMore     = "result_more"
)

func isOwn(name string) bool {
	return slices.Contains([]string{requestAction, actionStatus, actionsPending, resultMore}, name)
}

// own declares them.
func own() []ai.Tool {
	return []ai.Tool{
		{
			Name: requestAction, Grade: ai.GradeWrite, Permission: "ai:propose",
			Description: "Propose a call of a write or high tool to the person, with a summary in your own words and the permissions that you believe it needs. Calling that tool itself proposes too; this one says more. Runs nothing.",
			Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["tool","args","summary","permissions"],"properties":{
"tool":{"type":"string","description":"name of the tool to call","pattern":"^[a-z0-9_]+$","maxLength":48},
"args":{"type":"object","description":"its arguments, by its own schema","additionalProperties":true},
"summary":{"type":"string","description":"what you propose and why, as the person will read it below the facts","minLength":1,"maxLength":300},
"permissions":{"type":"array","description":"the permissions of the tool, as area:verb","minItems":1,"maxItems":10,"items":{"type":"string","pattern":"^[a-z0-9]+(:[a-z0-9]+)+$","maxLength":64}},
"limits":{"type":"array","description":"the most that it may spend","maxItems":4,"items":{"type":"object","additionalProperties":false,"required":["asset","amount"],"properties":{
"asset":{"type":"string","description":"such as APE","pattern":"^[A-Za-z0-9]+$","maxLength":16},
"amount":{"type":"string","description":"whole units, as a decimal: 12.5","pattern":"^[0-9]{1,40}(\\.[0-9]{1,18})?$","maxLength":60}}}},
"ttl":{"type":"integer","description":"for how many seconds an approval is good, 120 if left out","minimum":10,"maximum":600}}}`),
		},
		{
			Name: actionStatus, Grade: ai.GradeRead, Permission: "ai:read", Untrusted: true,
			Description: "State of an action that you proposed: whether the person has decided, and what came of it.",
			Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["actionId"],"properties":{
"actionId":{"type":"string","description":"as the proposal gave it","pattern":"^[A-Za-z0-9_.:-]+$","maxLength":128}}}`),
		},
		{
			Name: actionsPending, Grade: ai.GradeRead, Permission: "ai:read", Untrusted: true,
			Description: "The actions that you proposed and that wait for the person; of others only how many there are.",
			Schema:      json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{}}`),
		},
		{
			Name: resultMore, Grade: ai.GradeRead, Permission: "ai:read",
			Description: "The next part of a result that was cut because it was over 4 KB, in the turn that got it.",
			Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["resultId"],"properties":{
"resultId":{"type":"string","description":"as the cut result gave it","pattern":"^[a-z0-9_]+$","maxLength":32},
"offset":{"type":"integer","description":"from which byte on; without it, behind what was shown","minimum":0,"maximum":1048576}}}`),
		},
	}
}

// asked is the input of request_action, as its schema lets it pass.
type asked struct {
	Tool        string          `json:"tool"`
	Args        json.RawMessage `json:"args"`
	Summary     string          `json:"summary"`
	Permissions []string        `json:"permissions"`
	Limits      []struct {
		Asset  string `json:"asset"`
		Amount string `json:"amount"`
	} `json:"limits"`
	TTL int64 `json:"ttl"`
}

// request proposes what request_action names.
func (v *Invocation) request(ctx context.Context, c *call) (ai.Proposed, error) {
	var in asked
	if err := json.Unmarshal(c.args, &in); err != nil {
		return ai.Proposed{}, err
	}
	t, args, err := v.e.o.Registry.Check(in.Tool, in.Args)
	switch {
	case fault.CodeOf(err) == fault.InvalidArguments:
		f := fault.From(err)
		at, _ := f.Details["pointer"].(string)
		expected, _ := f.Details["expected"].(string)
		return ai.Proposed{}, invalid("/args"+at, expected)
	case err != nil:
		return ai.Proposed{}, err
	case !v.s.Preset.Allows(t):
		return ai.Proposed{}, disabled(t.Name)
	case isOwn(t.Name) || t.Grade == ai.GradeRead:
		return ai.Proposed{}, invalid("/tool", "a tool of grade write or high: others are called themselves")
	}
	p := ai.Proposal{Claim: in.Summary, Permits: in.Permissions, TTL: time.Duration(in.TTL) * time.Second}
	for _, l := range in.Limits {
		if v.e.o.Amount == nil {
			return ai.Proposed{}, fault.New(fault.LimitInvalid, "limits are not kept here").WithSent(fault.SentNo)
		}
		a, err := v.e.o.Amount(l.Asset, l.Amount)
		if err != nil {
			return ai.Proposed{}, err
		}
		p.Limits = append(p.Limits, a)
	}
	c.tool = t // the card, and what a refusal may quote, is of that one
	return v.propose(ctx, c, t, args, p)
}

// more is result_more.
func (v *Invocation) more(args json.RawMessage) (kept, int, error) {
	var in struct {
		ResultID string `json:"resultId"`
		Offset   *int   `json:"offset"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return kept{}, 0, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.results {
		k := &v.results[i]
		if k.id != in.ResultID {
			continue
		}
		from := k.next
		if in.Offset != nil {
			from = min(*in.Offset, len(k.data))
		}
		return *k, from, nil
	}
	return kept{}, 0, fault.New(fault.NotFound, "there is no such result in this turn, or no longer").
		Hintf("call the tool again").WithSent(fault.SentNo)
}

// shown notes how far a kept result was shown.
func (v *Invocation) shown(id string, to int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.results {
		if v.results[i].id == id {
			v.results[i].next = to
		}
	}
}
