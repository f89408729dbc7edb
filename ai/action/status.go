package action

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// maxTold is how much of a result a model is told; it may ask the tools for more.
const maxTold = 2 << 10

// Told is an action as its model may see it. What comes from outside is fenced.
type Told struct {
	ActionID    string    `json:"actionId"`
	Tool        string    `json:"tool"`
	State       State     `json:"state"`
	Title       *Fenced   `json:"title,omitempty"`
	ExpiresAt   time.Time `json:"expiresAt,omitzero"` // of an open one
	Outcome     string    `json:"outcome,omitempty"`
	Code        string    `json:"code,omitempty"`
	Cause       string    `json:"cause,omitempty"`
	Reason      *Fenced   `json:"reason,omitempty"` // of whoever decided
	Error       *Fenced   `json:"error,omitempty"`
	TxHash      string    `json:"txHash,omitempty"`
	Result      *Fenced   `json:"result,omitempty"`
	Reconciled  bool      `json:"reconciled,omitempty"`
	Warnings    []string  `json:"warnings,omitempty"`
	Note        string    `json:"note"`
	ApproveWith string    `json:"approveWith,omitempty"`
}

// Fenced is data, whatever it reads like.
type Fenced struct {
	Untrusted bool   `json:"untrusted"`
	Source    string `json:"source"`
	Data      any    `json:"data"`
	Truncated bool   `json:"truncated,omitempty"`
}

// notes say what a state means for the model.
var notes = map[State]string{
	Proposed:  "A person has not decided yet. Nothing has happened. Do not propose it again.",
	Executing: "A person approved it and it is being carried out. Do not propose it again.",
	Executed:  "A person approved it and it was carried out.",
	Failed:    "A person approved it and it failed.",
	Rejected:  "A person said no. Do not propose the same again unless asked to.",
	Cancelled: "It was withdrawn before anybody decided.",
	Expired:   "Nobody decided in time. Nothing has happened.",
}

// Told is what an action's model may see of it: a tool result, fenced as data.
func (s *Service) Told(a Action) Told {
	t := Told{ActionID: a.ID, Tool: a.Tool, State: a.State, Title: fenced("preview", Cut(a.Title, 200)), Warnings: a.Warnings, Note: notes[a.State]}
	if a.State == Proposed {
		t.ExpiresAt, t.ApproveWith = a.ExpiresAt, s.o.CLI+" ai actions approve "+a.ID
	}
	o := a.Outcome
	if o == nil {
		return t
	}
	t.Outcome, t.Code, t.Cause, t.TxHash, t.Reconciled = o.Outcome, o.Code, o.Cause, o.TxHash, o.Reconciled
	if o.Outcome == OutcomeUnknown {
		t.Note = "It may have happened or not. Do not propose it again: a person has to find out first."
	}
	if o.Outcome == OutcomePartial {
		t.Note = "A person approved it, and only some of it was carried out: the error and the result say what. Do not propose the whole again."
	}
	if o.Reason != "" {
		t.Reason = fenced("operator", Cut(o.Reason, MaxClaim))
	}
	if o.Message != "" {
		t.Error = fenced(a.Tool, Cut(o.Message, MaxClaim))
	}
	switch {
	case len(o.Result) > maxTold:
		t.Result = fenced(a.Tool, string(cutRunes(o.Result, maxTold)))
		t.Result.Truncated = true
	case len(o.Result) > 0:
		t.Result = fenced(a.Tool, o.Result)
	}
	return t
}

func fenced(source string, data any) *Fenced {
	return &Fenced{Untrusted: true, Source: source, Data: data}
}

// cutRunes cuts between two characters.
func cutRunes(b json.RawMessage, n int) json.RawMessage {
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// Status implements ai.Proposer: of another origin's action a model does not even
// learn that it exists.
func (s *Service) Status(ctx context.Context, scope ai.Scope, id string) (any, error) {
	a, err := s.Show(ctx, id)
	if err == nil && (a.Origin != scope.AgentID || scope.AgentID == "") {
		err = fault.New(fault.NotFound, "no action %s of yours", shortID(id)).WithSent(fault.SentNo)
	}
	if fault.CodeOf(err) == fault.NotFound {
		err = fault.New(fault.NotFound, "no action %s of yours", shortID(id)).WithSent(fault.SentNo)
	}
	if err != nil {
		return nil, err
	}
	return s.Told(a), nil
}

// PendingOut is what waits for a person.
type PendingOut struct {
	Own    []Told `json:"own"`
	Others int    `json:"others"`
}

// Pending implements ai.Proposer.
func (s *Service) Pending(ctx context.Context, scope ai.Scope) (any, error) {
	open, err := s.List(ctx, Filter{States: []State{Proposed, Executing}, Limit: 1000})
	if err != nil {
		return nil, err
	}
	out := PendingOut{Own: []Told{}}
	for _, a := range open {
		if a.Origin != scope.AgentID || scope.AgentID == "" {
			out.Others++
			continue
		}
		if len(out.Own) < 10 {
			out.Own = append(out.Own, s.Told(a))
		}
	}
	return out, nil
}
