package action

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The events of an action, in the order of its life. A row names those that are still
// to be told, from the transaction that makes them true until the log has them: a
// process that is killed in between loses none.
const (
	toldProposed = "ai.action.proposed"
	toldResolved = "ai.action.resolved"
	toldGrant    = "ai.grant.created"
	toldExecuted = "ai.action.executed"
)

const (
	// quiet is how long others leave it to a process to tell what it stored.
	quiet = 5 * time.Second
	// alsoUntold adds an event to those of a row; it takes the event twice.
	alsoUntold = `untold = CASE WHEN instr(untold, ?) THEN untold ELSE trim(untold || ' ' || ?) END`
)

// tellLeft tells what processes left untold that are gone. One row keeps no other from
// being told: what can't be told now is left for the next look, and a log that can't be
// written says so itself.
func (s *Service) tellLeft(ctx context.Context) error {
	if s.o.Logged == nil {
		return nil
	}
	db, err := s.o.State(ctx)
	if err != nil {
		return err
	}
	now := s.o.Now()
	before := now.Add(-quiet).UnixMilli()
	left, err := query(ctx, db, `WHERE untold <> '' AND created_at < ? AND ifnull(resolved_at, 0) < ? AND ifnull(executed_at, 0) < ?
		AND (state <> 'executing' OR beat_at < ?) ORDER BY created_at LIMIT 20`, before, before, before, s.deadline(now))
	if err != nil {
		return err
	}
	for _, a := range left {
		_ = s.tell(ctx, a.ID, "")
	}
	return ctx.Err()
}

// tell tells the events of an action up to own, which this process made true just now,
// or all for "", unless another did meanwhile: the transaction is what lets one tell.
// Whether the log has what others made true is looked up, because they may have been
// killed after they told it.
func (s *Service) tell(ctx context.Context, id, own string) error {
	err := s.tx(ctx, func(q querier) error {
		a, _, err := load(ctx, q, id)
		if err != nil {
			return err
		}
		untold := strings.Fields(a.untold)
		if len(untold) == 0 || own != "" && !slices.Contains(untold, own) {
			return nil
		}
		var left []string
		for i, event := range untold {
			kept, err := s.tellOne(ctx, q, a, event, event == own)
			if err != nil {
				return err
			}
			if kept {
				left = append(left, event)
			}
			if event == own {
				left = append(left, untold[i+1:]...)
				break
			}
		}
		_, err = q.ExecContext(ctx, "UPDATE ai_actions SET untold = ? WHERE id = ? AND untold = ?", strings.Join(left, " "), id, a.untold)
		return err
	})
	return err
}

// tellOne tells one event, and reports whether it is still to be told.
func (s *Service) tellOne(ctx context.Context, q querier, a Action, event string, own bool) (kept bool, err error) {
	scope, draft, ok := a.event(ctx, q, event)
	if !ok {
		return false, nil // of a row that something else wrote
	}
	if !own {
		if s.o.Logged == nil {
			return true, nil
		}
		same, err := sameEvent(draft)
		if err != nil {
			return true, nil
		}
		there, err := s.o.Logged(ctx, a.TraceID, event, a.CreatedAt, same)
		if err != nil || there {
			return err != nil, nil
		}
	}
	err = s.o.Record(ctx, scope, draft)
	store.CrashPoint("action.event.told")
	if code := fault.CodeOf(err); err != nil && !own && (code == fault.Usage || code == fault.Internal) {
		return false, nil // no event can be made of what stands in the row
	}
	return false, err
}

// sameEvent recognizes an event that tells the same as a draft.
func sameEvent(d telemetry.Draft) (func(telemetry.Event) bool, error) {
	type key struct {
		ActionID, GrantID, State, Code, Outcome string
		Reconciled                              bool
	}
	of := func(payload, result []byte) (k key) {
		// What is missing there is no part of the key.
		_ = json.Unmarshal(result, &k)
		_ = json.Unmarshal(payload, &k)
		return k
	}
	payload, err := json.Marshal(d.Payload)
	if err != nil {
		return nil, err
	}
	result, err := json.Marshal(d.Result)
	if err != nil {
		return nil, err
	}
	want := of(payload, result)
	return func(e telemetry.Event) bool { return e.EventType == d.Type && of(e.Payload, e.Result) == want }, nil
}
