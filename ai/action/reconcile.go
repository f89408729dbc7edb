package action

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/store"
)

const (
	// missed is how many signs of life may fail to appear.
	missed = 8
	// unknownFor is how long the log is asked for what became of an unknown outcome.
	unknownFor = 7 * 24 * time.Hour
)

// Reconcile tells what processes that are gone left untold, ends their executions, and
// looks into the log for what became of those with an unknown outcome. It says how many it changed. Nothing is
// ever run again by it.
func (s *Service) Reconcile(ctx context.Context) (int, error) {
	db, err := s.o.State(ctx)
	if err != nil {
		return 0, err
	}
	if err := s.tellLeft(ctx); err != nil {
		return 0, err
	}
	n := 0
	dead, err := query(ctx, db, "WHERE state = 'executing' AND beat_at < ?", s.deadline(s.o.Now()))
	if err != nil {
		return 0, err
	}
	for _, a := range dead {
		won, err := s.interrupted(ctx, a)
		if err != nil {
			return n, err
		}
		if won {
			n++
		}
	}
	if s.o.Settled == nil {
		return n, nil
	}
	open, err := query(ctx, db, "WHERE state = 'failed' AND "+outcomeIs+" AND created_at > ? ORDER BY created_at DESC LIMIT 20",
		OutcomeUnknown, s.o.Now().Add(-unknownFor).UnixMilli())
	if err != nil {
		return n, err
	}
	for _, a := range open {
		won, err := s.settled(ctx, a)
		if err != nil {
			return n, err
		}
		if won {
			n++
		}
	}
	return n, nil
}

// deadline is when an execution must have given its last sign of life to be alive.
func (s *Service) deadline(now time.Time) int64 { return now.Add(-missed * s.o.Beat).UnixMilli() }

// interrupted ends an execution whose process gives no sign of life.
func (s *Service) interrupted(ctx context.Context, a Action) (bool, error) {
	was := a
	o := *outcomeOr(a.Outcome)
	o.Code, o.Outcome, o.Message = Interrupted, OutcomeUnknown, "the process that executed it ended: it may have happened"
	o.Hint = "ape-claw ai trace " + a.TraceID + " shows what is known; it is never run again by itself"
	a.State, a.Outcome, a.ExecutedAt = Failed, &o, s.o.Now()
	return s.move(ctx, was, a)
}

// settled asks the log what became of an action.
func (s *Service) settled(ctx context.Context, a Action) (bool, error) {
	v, err := s.o.Settled(ctx, a)
	if err != nil || v.State != Executed && v.State != Failed {
		return false, err
	}
	was := a
	o := *outcomeOr(a.Outcome)
	o.Outcome, o.Reconciled, o.Hint = "", true, ""
	o.Corrected = a.Reported
	if hash := txHash(v.TxHash); hash != "" {
		o.TxHash = hash
	}
	if o.Message = v.Message; v.State == Executed && v.Code == Partial {
		o.Code, o.Cause, o.Outcome = Partial, Partial, OutcomePartial
	} else if v.State == Executed {
		o.Code, o.Cause, o.Message = "", "", ""
	} else if o.Cause = v.Code; o.Code == Interrupted || o.Code == TimedOut {
		o.Code = CommandFailed
	}
	a.State, a.Outcome = v.State, &o
	return s.move(ctx, was, a)
}

func outcomeOr(o *Outcome) *Outcome {
	if o == nil {
		return &Outcome{Resolver: "operator"}
	}
	return o
}

// move stores and tells what reconciliation found, unless the row changed since it
// was read. It may have changed by a sign of life too, which has no version. What a
// model was told otherwise it is to hear again.
func (s *Service) move(ctx context.Context, was, a Action) (bool, error) {
	won := false
	err := s.tx(ctx, func(q querier) (err error) {
		won, err = changed(q.ExecContext(ctx, `UPDATE ai_actions SET state = ?, version = version + 1, outcome = ?, executed_at = ?,
			reported_at = CASE WHEN ? THEN NULL ELSE reported_at END, `+alsoUntold+`
			WHERE id = ? AND state = ? AND version = ? AND beat_at = ?`,
			string(a.State), text(a.Outcome), a.ExecutedAt.UnixMilli(), a.Outcome.Corrected, toldExecuted, toldExecuted, a.ID, string(was.State), was.Version, was.beat.UnixMilli()))
		if err != nil || !won {
			return err
		}
		return s.audit(ctx, q, "action.reconcile", map[string]any{"actionId": a.ID, "state": a.State, "outcome": a.Outcome.Outcome,
			"code": a.Outcome.Code, "txHash": a.Outcome.TxHash})
	})
	if err != nil || !won {
		return false, err
	}
	store.CrashPoint("action.reconciled.stored")
	return true, s.tell(ctx, a.ID, toldExecuted)
}
