package action

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Permit is what an approval allowed.
type Permit struct {
	ID          string            `json:"id"`
	ActionID    string            `json:"actionId"`
	Subject     string            `json:"subject"`
	Tool        string            `json:"tool"`
	ArgsHash    string            `json:"argsHash"` // of what was proposed
	RunHash     string            `json:"runHash"`  // of what is executed
	FactsHash   string            `json:"factsHash"`
	Permission  string            `json:"permission"`
	Identifiers map[string]string `json:"identifiers"`
	Limits      []ai.Amount       `json:"limits"`
	UsesLeft    int               `json:"usesLeft"`
	CreatedAt   time.Time         `json:"createdAt"`
	ExpiresAt   time.Time         `json:"expiresAt"`
	RevokedAt   time.Time         `json:"revokedAt,omitzero"`
}

// Approve carries an action out: Begin and the execution that it returns. Its error
// is a refusal; an execution that failed is no error, and in the action's outcome.
// The execution goes on when ctx ends, up to its own limit; what follows it does not.
func (s *Service) Approve(ctx context.Context, id string, c Confirmation) (Action, error) {
	a, run, err := s.Begin(ctx, id, c)
	if err != nil {
		return a, err
	}
	return run(ctx)
}

// Begin makes an action executing, once every check and confirmation is passed, and
// returns what executes it: exactly one caller of all processes gets that far. It is
// for whoever has to answer before the execution ends; run must be called.
func (s *Service) Begin(ctx context.Context, id string, c Confirmation) (Action, func(context.Context) (Action, error), error) {
	a, err := s.pending(ctx, id)
	if err != nil {
		return a, nil, err
	}
	if err := s.authorized(ctx, a, c); err != nil {
		return a, nil, err
	}
	if a, err = s.anew(ctx, a); err != nil {
		return a, nil, s.lost(ctx, id, err)
	}
	store.CrashPoint("action.approve.previewed")
	if err := s.confirmed(ctx, &a, c); err != nil {
		return a, nil, err
	}
	store.CrashPoint("action.approve.confirmed")
	if err := s.alive(); err != nil { // the preview and the person took their time
		return a, nil, err
	}
	p, err := s.begin(ctx, &a, c)
	if err != nil {
		return a, nil, err
	}
	store.CrashPoint("action.approve.stored")
	return a, func(ctx context.Context) (Action, error) {
		a, ended, err := s.execute(context.WithoutCancel(ctx), a, p)
		if ended && s.o.After != nil {
			s.o.After(ctx, a) // of a caller who leaves: the model's own turn is not waited for
		}
		return a, err
	}, nil
}

// begin is the transaction that gives one process the action.
func (s *Service) begin(ctx context.Context, a *Action, c Confirmation) (Permit, error) {
	now := s.o.Now()
	p := Permit{ID: store.NewID("permit_"), ActionID: a.ID, Subject: a.Origin, Tool: a.Tool, ArgsHash: a.ArgsHash, RunHash: argsHash(a.Tool, a.Run), FactsHash: a.FactsHash,
		Permission: a.Permission, Identifiers: a.Identifiers, Limits: a.Limits, UsesLeft: 1, CreatedAt: now, ExpiresAt: now.Add(a.permitTTL)}
	if p.Limits == nil {
		p.Limits = a.Spends
	}
	outcome := &Outcome{Resolver: cmp.Or(c.Resolver, "operator"), Permit: p.ID}
	won := false
	err := s.tx(ctx, func(q querier) (err error) {
		won, err = changed(q.ExecContext(ctx, `UPDATE ai_actions SET state = 'executing', version = version + 1, owner = ?, beat_at = ?, resolved_at = ?, outcome = ?,
			untold = trim(untold || ' ' || ?)
			WHERE id = ? AND state = 'proposed' AND version = ? AND expires_at > ? AND facts_hash = ?`,
			s.owner, now.UnixMilli(), now.UnixMilli(), text(outcome), toldResolved+" "+toldGrant, a.ID, a.Version, now.UnixMilli(), a.FactsHash))
		if err != nil || !won {
			return err
		}
		store.CrashPoint("action.approve.swapped")
		if _, err := q.ExecContext(ctx, "INSERT INTO ai_permits (id, action_id, subject, doc, uses_left, created_at, expires_at) VALUES (?, ?, ?, ?, 1, ?, ?)",
			p.ID, p.ActionID, p.Subject, text(p), now.UnixMilli(), p.ExpiresAt.UnixMilli()); err != nil {
			return err
		}
		if err := s.audit(ctx, q, "action.approve", map[string]any{"actionId": a.ID, "resolver": outcome.Resolver, "factsHash": a.FactsHash,
			"argsHash": p.ArgsHash, "challenge": c.Challenge, "atTerminal": c.Terminal}); err != nil {
			return err
		}
		return s.audit(ctx, q, "grant.create", map[string]any{"actionId": a.ID, "grantId": p.ID, "permission": p.Permission, "limits": p.Limits})
	})
	if err != nil {
		return p, err
	}
	if !won {
		was := *a
		if *a, err = s.get(ctx, a.ID); err == nil {
			if a.State == Proposed { // its time ended between the checks and here
				was.State = Expired
				return p, notPending(was)
			}
			err = notPending(*a)
		}
		return p, err
	}
	a.State, a.Version, a.owner, a.beat, a.ResolvedAt, a.Outcome = Executing, a.Version+1, s.owner, now, now, outcome
	return p, nil
}

// use takes the permit's one use, if it fits what is about to be executed.
func (s *Service) use(ctx context.Context, a Action, p Permit) error {
	total, err := totals(a.Spends)
	if err != nil {
		return err
	}
	allowed, err := totals(p.Limits)
	if err != nil {
		return err
	}
	for asset, w := range total {
		if l, ok := allowed[asset]; !ok || w.Cmp(l) > 0 {
			return fault.New(fault.LimitInvalid, "the permit does not reach for the %s that is spent", Cut(asset, 40)).WithSent(fault.SentNo)
		}
	}
	var won bool
	err = s.tx(ctx, func(q querier) (err error) {
		now := s.o.Now().UnixMilli()
		won, err = changed(q.ExecContext(ctx, `UPDATE ai_permits SET uses_left = uses_left - 1 WHERE id = ? AND action_id = ? AND uses_left > 0
			AND expires_at > ? AND revoked_at IS NULL AND json_extract(doc, '$.argsHash') = ? AND json_extract(doc, '$.runHash') = ?
			AND json_extract(doc, '$.permission') = ?`, p.ID, a.ID, now, a.ArgsHash, argsHash(a.Tool, a.Run), a.Permission))
		if err != nil || !won {
			return err
		}
		return s.audit(ctx, q, "grant.use", map[string]any{"actionId": a.ID, "grantId": p.ID})
	})
	if err == nil && !won {
		return fault.New(fault.PermissionDenied, "the permit of action %s is used, over or revoked", a.ID).WithSent(fault.SentNo)
	}
	return err
}

// Permits returns the permits of an action, or the newest of all for "".
func (s *Service) Permits(ctx context.Context, actionID string) ([]Permit, error) {
	db, err := s.o.State(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT doc, uses_left, revoked_at FROM ai_permits WHERE action_id = ? OR ? = '' ORDER BY created_at DESC, id LIMIT 100`, actionID, actionID)
	if err != nil {
		return nil, store.DBFault(err, store.StateFile)
	}
	defer rows.Close() //nolint:errcheck // Err says what reading ran into
	out := []Permit{}
	for rows.Next() {
		var p Permit
		var doc string
		var uses int
		var revoked *int64
		if err := rows.Scan(&doc, &uses, &revoked); err != nil {
			return nil, store.DBFault(err, store.StateFile)
		}
		if err := json.Unmarshal([]byte(doc), &p); err != nil {
			return nil, corrupt(actionID, err)
		}
		if p.UsesLeft = uses; revoked != nil {
			p.RevokedAt = at(*revoked)
		}
		out = append(out, p)
	}
	return out, store.DBFault(rows.Err(), store.StateFile)
}

// Revoke takes a permit back before it was used.
func (s *Service) Revoke(ctx context.Context, permitID string) error {
	if err := s.notChild(); err != nil {
		return err
	}
	permits, err := s.Permits(ctx, "")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(permits, func(p Permit) bool { return p.ID == permitID })
	if i < 0 {
		return fault.New(fault.NotFound, "no permit %s", shortID(permitID)).WithSent(fault.SentNo)
	}
	p, won := permits[i], false
	err = s.tx(ctx, func(q querier) (err error) {
		won, err = changed(q.ExecContext(ctx, "UPDATE ai_permits SET revoked_at = ? WHERE id = ? AND uses_left > 0 AND revoked_at IS NULL", s.o.Now().UnixMilli(), p.ID))
		if err != nil || !won {
			return err
		}
		return s.audit(ctx, q, "grant.revoke", map[string]any{"actionId": p.ActionID, "grantId": p.ID})
	})
	if err != nil {
		return err
	}
	if !won {
		return fault.New(fault.ActionNotPending, "permit %s is used or revoked already", p.ID).WithSent(fault.SentNo)
	}
	a, err := s.get(ctx, p.ActionID)
	if err != nil {
		return err
	}
	return s.o.Record(ctx, a.decided(), telemetry.Draft{Type: "ai.grant.revoked", Payload: map[string]any{"grantId": p.ID, "subject": p.Subject},
		Result: map[string]any{"actionId": p.ActionID, "usesLeft": p.UsesLeft}})
}
