package action

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
)

// scope is on whose behalf an action's events are written.
func (a Action) scope() ai.Scope {
	source := a.Source
	if source == "" {
		source = "ai"
	}
	return ai.Scope{AgentID: a.Origin, SessionID: a.SessionID, TraceID: a.TraceID, Source: source}
}

// decided is the scope of what a person did to an action.
func (a Action) decided() ai.Scope {
	sc := a.scope()
	sc.AgentID = "operator"
	return sc
}

// event is what an action's row says of one of its events, if it can say it.
func (a Action) event(ctx context.Context, q querier, kind string) (ai.Scope, telemetry.Draft, bool) {
	switch kind {
	case toldProposed:
		return a.scope(), a.proposedDraft(), a.damaged == nil
	case toldResolved:
		sc := a.decided()
		if outcomeOr(a.Outcome).Resolver == "clock" {
			sc = a.scope()
		}
		return sc, a.resolvedDraft(), true
	case toldGrant:
		p, err := granted(ctx, q, a)
		return a.decided(), a.grantDraft(p), err == nil
	case toldExecuted:
		return a.decided(), a.executedDraft(), true
	}
	return ai.Scope{}, telemetry.Draft{}, false
}

func (a Action) proposedDraft() telemetry.Draft {
	return telemetry.Draft{Type: toldProposed,
		Payload: map[string]any{"actionId": a.ID, "tool": a.Tool, "risk": a.Grade, "permission": a.Permission, "origin": a.Origin, "taint": a.Taint},
		Result:  map[string]any{"title": a.Title, "facts": a.Facts, "claimCheck": a.Check, "expiresAt": stamp(a.ExpiresAt)}}
}

// resolvedDraft is of the decision, also when the action has gone on since.
func (a Action) resolvedDraft() telemetry.Draft {
	state, o := a.State, outcomeOr(a.Outcome)
	approved := state == Executing || state == Executed || state == Failed
	if approved {
		state = Executing
	}
	result := map[string]any{"approved": approved, "state": state, "resolver": o.Resolver}
	if o.Reason != "" {
		result["reason"] = o.Reason
	}
	return telemetry.Draft{Type: toldResolved, Payload: map[string]any{"actionId": a.ID, "tool": a.Tool}, Result: result}
}

// granted is the permit that an action's approval gave, as it was given.
func granted(ctx context.Context, q querier, a Action) (Permit, error) {
	var p Permit
	var text string
	err := q.QueryRowContext(ctx, "SELECT doc FROM ai_permits WHERE id = ? AND action_id = ?", outcomeOr(a.Outcome).Permit, a.ID).Scan(&text)
	if err == nil {
		err = json.Unmarshal([]byte(text), &p)
	}
	return p, err
}

func (a Action) grantDraft(p Permit) telemetry.Draft {
	return telemetry.Draft{Type: toldGrant,
		Payload: map[string]any{"grantId": p.ID, "subject": p.Subject, "permissions": []string{p.Permission}, "limits": p.Limits,
			"ttl": int64(p.ExpiresAt.Sub(p.CreatedAt) / time.Second)},
		Result: map[string]any{"actionId": a.ID, "usesLeft": p.UsesLeft}}
}

func (a Action) executedDraft() telemetry.Draft {
	o := outcomeOr(a.Outcome)
	result := map[string]any{"state": a.State}
	for k, v := range map[string]string{"txHash": o.TxHash, "outcome": o.Outcome, "code": o.Code, "error": o.Message} {
		if v != "" {
			result[k] = v
		}
	}
	if o.Reconciled {
		result["reconciled"] = true
	}
	d := telemetry.Draft{Type: toldExecuted, Payload: map[string]any{"actionId": a.ID, "tool": a.Tool}, Result: result}
	if a.State == Failed || a.Partial() {
		if d.Err = o.Message; d.Err == "" {
			d.Err = "the action failed"
		}
	}
	return d
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
