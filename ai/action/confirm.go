package action

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// challengeLife is how long a person has for the three steps.
const challengeLife = 5 * time.Minute

// Challenge computes the facts anew and returns the card to decide by; for a high
// grade with a new challenge, bound to session, which replaces the session's
// earlier one of the action. A challenge serves one try.
func (s *Service) Challenge(ctx context.Context, id, session string) (Card, error) {
	a, err := s.pending(ctx, id)
	if err != nil {
		return Card{}, err
	}
	if a, err = s.anew(ctx, a); err != nil {
		return Card{}, s.lost(ctx, id, err)
	}
	card := Card{Action: a}
	if a.Grade != ai.GradeHigh {
		return card, nil
	}
	if session == "" {
		return Card{}, fault.New(fault.ReauthRequired, "a challenge belongs to a session, and there is none").WithSent(fault.SentNo)
	}
	now := s.o.Now()
	c := &Challenge{ID: store.NewID("chal_"), ActionID: a.ID, FactsHash: a.FactsHash, Identifiers: slices.Sorted(maps.Keys(a.Identifiers)),
		Phrase: a.Phrase, Mismatch: a.Check.Level == Critical, ExpiresAt: earlier(now.Add(challengeLife), a.ExpiresAt)}
	err = s.tx(ctx, func(q querier) error {
		// What is over helps nobody: the table does not grow.
		if _, err := q.ExecContext(ctx, "DELETE FROM ai_challenges WHERE expires_at <= ? OR (action_id = ? AND session = ? AND used_at IS NULL)",
			now.UnixMilli(), a.ID, session); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, "INSERT INTO ai_challenges (id, action_id, facts_hash, session, expires_at, most) VALUES (?, ?, ?, ?, ?, ?)",
			c.ID, c.ActionID, c.FactsHash, session, c.ExpiresAt.UnixMilli(), text(a.Spends))
		return err
	})
	card.Challenge = c
	return card, err
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// pending is an action that a person can decide now.
func (s *Service) pending(ctx context.Context, id string) (Action, error) {
	if err := s.notChild(); err != nil {
		return Action{}, err
	}
	if err := s.alive(); err != nil {
		return Action{}, err
	}
	a, err := s.Show(ctx, id)
	switch {
	case err != nil:
		return a, err
	case a.State != Proposed:
		return a, notPending(a)
	case a.damaged != nil:
		return a, a.damaged
	case !a.ExpiresAt.After(s.o.Now()):
		a.State = Expired
		return a, notPending(a)
	}
	return a, nil
}

// anew computes what an action would do now, with its stored arguments, and refuses
// when that is not what was proposed. The facts it returns are the new ones: of
// what may change, people see what is true now.
func (s *Service) anew(ctx context.Context, a Action) (Action, error) {
	db, err := s.o.State(ctx)
	if err != nil {
		return a, err
	}
	stored, was, err := load(ctx, db, a.ID)
	if err == nil {
		err = stored.damaged
	}
	if err != nil {
		return a, err
	}
	t, ok := s.o.Lookup(a.Tool)
	if !ok || t.Preview == nil || t.Execute == nil {
		return a, fault.New(fault.UnknownTool, "there is no tool %s to approve", Cut(a.Tool, 60)).WithSent(fault.SentNo)
	}
	is, _, err := s.preview(ctx, t, was.Run, a.scope())
	if err != nil {
		return a, gone(a, err)
	}
	is.Args = was.Args
	if argsHash(a.Tool, was.Args) != a.ArgsHash || t.Grade != a.Grade ||
		factsHash(a.Tool, t.Grade, was) != a.FactsHash || factsHash(a.Tool, t.Grade, is) != a.FactsHash {
		return a, stale(a.ID, differences(was, is))
	}
	if err := limits(was.Limits, is.Spends); err != nil {
		return a, err
	}
	is.Limits, is.Claim, is.Taint, is.Warnings = was.Limits, Cut(was.Claim, MaxClaim), was.Taint, was.Warnings
	is.TurnID, is.SessionID, is.Source, is.PermitTTL = was.TurnID, was.SessionID, was.Source, min(max(was.PermitTTL, 1), int64(longestPermit/time.Second))
	is.fill(&a)
	if now := CheckClaim(was.Claim, a); rank(now.Level) > rank(was.Check.Level) {
		is.Check = now
	} else {
		is.Check = was.Check // it saw the claim before it was cleaned
	}
	a.Check = is.Check
	return a, nil
}

// lost is the refusal of an action that somebody else decided meanwhile, and err of
// one that still waits: what is no longer as it was may be so because it was done.
func (s *Service) lost(ctx context.Context, id string, err error) error {
	if a, e := s.get(ctx, id); e == nil && a.State != Proposed {
		return notPending(a)
	}
	return err
}

// gone turns the refusal of a preview into what it means for an approval: what the
// card is about is no longer there. The refusal of a policy stays what it is.
func gone(a Action, err error) error {
	e := fault.From(err)
	switch e.Code {
	case fault.QuoteExpired, fault.QuoteUsed, fault.StaleReference, fault.NotFound, fault.InvalidArguments, fault.Usage, fault.SimulationFailed:
		name := "arguments"
		switch {
		case e.Code == fault.SimulationFailed:
			name = "what is for sale"
		case errors.Is(err, &fault.Error{Code: fault.QuoteExpired}):
			name = "expired quote"
		case errors.Is(err, &fault.Error{Code: fault.QuoteUsed}):
			name = "used quote"
		}
		return fault.Wrap(err, fault.ActionStale, "action %s is not what was proposed any more: %s", a.ID, e.Message).
			Hintf("reject it, and let the model propose anew").WithSent(fault.SentNo).
			With("differs", []string{name}).With("cause", e.Code)
	}
	if e.Sent == "" || e.Code == fault.Internal {
		return err
	}
	return fault.Wrap(err, e.Code, "%s", e.Message).Hintf("%s", e.Hint).WithSent(fault.SentNo).With("actionId", a.ID)
}

// authorized says whether whoever confirms has proved to be the operator.
func (s *Service) authorized(ctx context.Context, a Action, c Confirmation) error {
	if c.Proved {
		return nil
	}
	set := true
	if s.o.Initialized != nil {
		var err error
		if set, err = s.o.Initialized(ctx); err != nil {
			return err
		}
	}
	if set {
		return fault.New(fault.ReauthRequired, "approving takes the passphrase, and it was not given in the last ten minutes").
			Hintf("approve it at a terminal with ape-claw ai actions approve %s, or give the passphrase again", a.ID).WithSent(fault.SentNo)
	}
	if c.Terminal && a.Grade == ai.GradeWrite {
		return nil
	}
	return fault.New(fault.ReauthRequired, "approving this takes a passphrase, and none is set").Hintf("ape-claw ai auth init").WithSent(fault.SentNo)
}

// confirmed checks what a person gave against the card, and holds the action to the
// amounts that it showed.
func (s *Service) confirmed(ctx context.Context, a *Action, c Confirmation) error {
	refuse := func(step, format string, args ...any) error {
		return fault.New(fault.ConfirmationMismatch, format, args...).
			Hintf("nothing was approved; begin again with ape-claw ai actions approve %s", a.ID).WithSent(fault.SentNo).With("step", step)
	}
	switch c.FactsHash {
	case a.FactsHash:
	case "": // an id alone confirms whatever stands there by now
		return refuse("card", "it is not said which card was confirmed")
	default:
		return refuse("card", "the card that was confirmed is another one")
	}
	if a.Grade == ai.GradeHigh {
		if err := s.spend(ctx, a, c); err != nil {
			return err
		}
		if !c.Acknowledged {
			return refuse("impact", "the impact was not acknowledged")
		}
		for _, name := range slices.Sorted(maps.Keys(a.Identifiers)) {
			// Code point by code point: what only looks the same is something else.
			if typed, ok := c.Identifiers[name]; !ok || typed != a.Identifiers[name] {
				return refuse("identifiers", "%s is not what was retyped", name)
			}
		}
		if c.Phrase != a.Phrase {
			return refuse("phrase", "the phrase is not what was typed")
		}
	}
	if a.Check.Level == Critical && !c.Mismatch {
		return refuse("mismatch", "the model's words contradict the facts, and that was not confirmed")
	}
	return nil
}

// spend uses up a challenge. One that was tried, is over, or belongs to another
// action, session or card is none.
func (s *Service) spend(ctx context.Context, a *Action, c Confirmation) error {
	var shown []ai.Amount
	err := s.tx(ctx, func(q querier) error {
		now := s.o.Now().UnixMilli()
		var most string
		err := q.QueryRowContext(ctx, `UPDATE ai_challenges SET used_at = ? WHERE id = ? AND action_id = ? AND facts_hash = ? AND session = ?
			AND session <> '' AND used_at IS NULL AND expires_at > ? RETURNING most`, now, c.Challenge, a.ID, a.FactsHash, c.Session, now).Scan(&most)
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(most), &shown); err != nil {
			return corrupt(a.ID, err)
		}
		return nil
	})
	if err == nil {
		a.Spends, err = atMost(a.Spends, shown)
		return err
	}
	if errors.Is(err, sql.ErrNoRows) {
		return fault.New(fault.ConfirmationMismatch, "the challenge is unknown, used or over").
			Hintf("look at the action again and confirm anew").WithSent(fault.SentNo).With("step", "challenge")
	}
	return err
}

// atMost is what is spent, and no more than was shown: gas may have become dearer
// while a person read the card.
func atMost(is, shown []ai.Amount) ([]ai.Amount, error) {
	was, err := totals(shown)
	if err != nil {
		return nil, err
	}
	now, err := totals(is)
	if err != nil {
		return nil, err
	}
	for asset, w := range now {
		if most, ok := was[asset]; !ok || w.Cmp(most) > 0 {
			return shown, nil
		}
	}
	return is, nil
}
