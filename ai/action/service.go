package action

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// New returns a Service.
func New(o Options) *Service {
	if o.Timeout == 0 {
		o.Timeout = 120 * time.Second
	}
	if o.Grace == 0 {
		o.Grace = 10 * time.Second
	}
	if o.Beat == 0 {
		o.Beat = 2 * time.Second
	}
	if o.CLI == "" {
		o.CLI = "ape-claw"
	}
	return &Service{o: o, owner: store.NewID("proc_")}
}

// alive refuses while the kill switch is on.
func (s *Service) alive() error {
	if s.o.Killed == nil {
		return nil
	}
	if lines := s.o.Killed(); len(lines) > 0 {
		return fault.New(fault.Killed, "the AI kill switch is on: %s", Cut(lines[0], 200)).
			Hintf("ape-claw ai unkill, once the cause is gone").WithSent(fault.SentNo)
	}
	return nil
}

// notChild refuses what runs beneath a model.
func (s *Service) notChild() error {
	if !s.o.Child {
		return nil
	}
	return fault.New(fault.SelfApproval, "this process was started by a model's session: it decides nothing").
		Hintf("decide in a terminal of your own").WithSent(fault.SentNo)
}

// fresh brings the table up to date before it is looked at.
func (s *Service) fresh(ctx context.Context) error {
	if _, err := s.Expire(ctx); err != nil {
		return err
	}
	_, err := s.Reconcile(ctx)
	return err
}

// List returns actions, the newest first, after Expire and Reconcile.
func (s *Service) List(ctx context.Context, f Filter) ([]Action, error) {
	if err := s.fresh(ctx); err != nil {
		return nil, err
	}
	db, err := s.o.State(ctx)
	if err != nil {
		return nil, err
	}
	where, args := f.where()
	return query(ctx, db, where, args...)
}

// Show returns one action as it is stored, after Expire and Reconcile.
func (s *Service) Show(ctx context.Context, id string) (Action, error) {
	if err := s.fresh(ctx); err != nil {
		return Action{}, err
	}
	return s.get(ctx, id)
}

func (s *Service) get(ctx context.Context, id string) (Action, error) {
	db, err := s.o.State(ctx)
	if err != nil {
		return Action{}, err
	}
	a, _, err := load(ctx, db, id)
	return a, err
}

// Reject refuses an action. The model is not called: it sees the reason in its next
// turn.
func (s *Service) Reject(ctx context.Context, id, resolver, reason string) (Action, error) {
	if err := s.notChild(); err != nil {
		return Action{}, err
	}
	if _, err := s.Expire(ctx); err != nil {
		return Action{}, err
	}
	reason = Cut(s.o.Redactor.String(reason), MaxClaim)
	n, err := s.end(ctx, Rejected, "action.reject", "id = ?", []any{id}, resolver, reason)
	if err != nil {
		return Action{}, err
	}
	a, err := s.get(ctx, id)
	if err == nil && n == 0 {
		err = notPending(a)
	}
	return a, err
}

// notPending says what became of an action instead.
func notPending(a Action) error {
	if a.State == Expired {
		return fault.New(fault.ActionExpired, "action %s expired at %s", a.ID, a.ExpiresAt.UTC().Format("15:04:05 UTC")).
			Hintf("let the model propose it anew").WithSent(fault.SentNo).With("state", a.State)
	}
	e := fault.New(fault.ActionNotPending, "action %s is %s already", a.ID, a.State).
		Hintf("ape-claw ai actions show %s says what came of it", a.ID).WithSent(fault.SentNo).With("state", a.State)
	return e
}

// CancelAll cancels everything that is open, for the kill switch, and says how many.
func (s *Service) CancelAll(ctx context.Context, by, reason string) (int, error) {
	return s.cancel(ctx, "1", nil, by, reason)
}

func (s *Service) cancel(ctx context.Context, where string, args []any, by, reason string) (int, error) {
	return s.end(ctx, Cancelled, "action.cancel", where, args, by, Cut(s.o.Redactor.String(reason), MaxClaim))
}

// Expire ends what was open for too long, and says how many.
func (s *Service) Expire(ctx context.Context) (int, error) {
	return s.end(ctx, Expired, "action.expire", "expires_at <= ?", []any{s.o.Now().UnixMilli()}, "clock", "")
}

// end moves proposed actions to a final state, and tells of each.
func (s *Service) end(ctx context.Context, to State, kind, where string, args []any, by, reason string) (int, error) {
	db, err := s.o.State(ctx)
	if err != nil {
		return 0, err
	}
	open, err := query(ctx, db, "WHERE state = 'proposed' AND "+where, args...)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, a := range open {
		now := s.o.Now()
		a.State, a.ResolvedAt, a.Outcome = to, now, &Outcome{Resolver: by, Reason: reason}
		won := false
		err := s.tx(ctx, func(q querier) error {
			if won, err = changed(q.ExecContext(ctx, `UPDATE ai_actions SET state = ?, version = version + 1, outcome = ?, resolved_at = ?, `+alsoUntold+`
				WHERE id = ? AND state = 'proposed' AND version = ?`, string(to), text(a.Outcome), now.UnixMilli(), toldResolved, toldResolved, a.ID, a.Version)); err != nil || !won {
				return err
			}
			return s.audit(ctx, q, kind, map[string]any{"actionId": a.ID, "resolver": by, "reason": reason})
		})
		if err != nil {
			return n, err
		}
		if !won {
			continue // somebody else decided just now
		}
		n++
		store.CrashPoint("action.ended.stored")
		if err := s.tell(ctx, a.ID, toldResolved); err != nil {
			return n, err
		}
	}
	return n, nil
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "{}" // of strings and of JSON that was marshalled before: it does not fail
	}
	return string(b)
}

// Unreported are the ended actions of a conversation that its model was not told of,
// the oldest first.
func (s *Service) Unreported(ctx context.Context, roomID string) ([]Action, error) {
	if err := s.fresh(ctx); err != nil {
		return nil, err
	}
	db, err := s.o.State(ctx)
	if err != nil {
		return nil, err
	}
	return query(ctx, db, "WHERE room_id = ? AND reported_at IS NULL AND state NOT IN ('proposed', 'executing') ORDER BY resolved_at, id LIMIT 20", roomID)
}

// MarkReported claims to tell the model of an action's end: true for one caller only.
func (s *Service) MarkReported(ctx context.Context, id string) (bool, error) {
	db, err := s.o.State(ctx)
	if err != nil {
		return false, err
	}
	won, err := changed(db.ExecContext(ctx, `UPDATE ai_actions SET reported_at = ? WHERE id = ? AND reported_at IS NULL
		AND state NOT IN ('proposed', 'executing')`, s.o.Now().UnixMilli(), id))
	return won, store.DBFault(err, store.StateFile)
}
