package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Codes of an outcome.
const (
	CommandFailed = "command_failed"
	PolicyBlocked = "policy_blocked"
	TimedOut      = "timeout"
	Interrupted   = "interrupted"
	Partial       = "partial"
)

// maxResult is how much of a result an action keeps; the log has the whole story.
const maxResult = 64 << 10

// execute carries out what this process won. Whatever it ends with is stored before
// it is told; ended says that both were done, by this process.
func (s *Service) execute(ctx context.Context, a Action, p Permit) (_ Action, ended bool, err error) {
	stop := s.beating(ctx, a)
	result, err, late := s.permitted(ctx, a, p)
	stop()
	store.CrashPoint("action.execute.returned")
	o := *a.Outcome
	a.State, a.ExecutedAt = outcomeOf(&o, result, err, late), s.o.Now()
	o.Message, o.Hint = s.o.Redactor.String(o.Message), s.o.Redactor.String(o.Hint)
	if len(o.Result) > 0 {
		o.Result = s.o.Redactor.Bytes(o.Result)
	}
	a.Outcome = &o
	stored, err := s.settle(ctx, &a, "action.execute")
	if err != nil || !stored {
		return a, false, err
	}
	store.CrashPoint("action.outcome.stored")
	if err := s.tell(ctx, a.ID, toldExecuted); err != nil {
		return a, false, err
	}
	store.CrashPoint("action.executed.recorded")
	return a, true, nil
}

// permitted tells of the approval, uses the permit, and runs the tool.
func (s *Service) permitted(ctx context.Context, a Action, p Permit) (result any, err error, late bool) {
	if err := s.tell(ctx, a.ID, toldResolved); err != nil {
		return nil, unsent(err), false
	}
	store.CrashPoint("action.resolved.recorded")
	if err := s.tell(ctx, a.ID, toldGrant); err != nil {
		return nil, unsent(err), false
	}
	store.CrashPoint("action.grant.recorded")
	t, ok := s.o.Lookup(a.Tool)
	if !ok {
		return nil, fault.New(fault.UnknownTool, "there is no tool %s", a.Tool).WithSent(fault.SentNo), false
	}
	if err := s.alive(); err != nil {
		return nil, err, false
	}
	if err := s.use(ctx, a, p); err != nil {
		return nil, unsent(err), false
	}
	store.CrashPoint("action.grant.used")
	return s.run(ctx, t, a)
}

// unsent is an error from before the tool ran.
func unsent(err error) error {
	e := fault.From(err)
	return fault.Wrap(err, e.Code, "%s", e.Message).Hintf("%s", e.Hint).WithSent(fault.SentNo)
}

// run calls the tool in its time. One that does not end when its time is over is
// left alone: nobody knows what it did.
func (s *Service) run(ctx context.Context, t ai.Tool, a Action) (result any, err error, late bool) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	type answer struct {
		result any
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		var r answer
		defer func() {
			if v := recover(); v != nil {
				r.err = fault.Wrap(fmt.Errorf("panic: %v", v), fault.Internal, "the command failed within").WithSent(fault.SentMaybe)
			}
			done <- r
		}()
		scope := a.scope()
		r.result, r.err = t.Execute(ctx, ai.Call{Args: a.Run, Scope: scope},
			ai.Approval{ActionID: a.ID, Phrase: a.Phrase, FactsHash: a.FactsHash, TraceID: a.TraceID, Most: a.Spends})
	}()
	grace := time.NewTimer(s.o.Timeout + s.o.Grace)
	defer grace.Stop()
	select {
	case r := <-done:
		return r.result, r.err, ctx.Err() != nil
	case <-grace.C:
		return nil, context.DeadlineExceeded, true
	}
}

// outcomeOf says what an execution ended with.
func outcomeOf(o *Outcome, result any, err error, late bool) State {
	if result != nil {
		if b, e := json.Marshal(result); e == nil && len(b) <= maxResult {
			o.Result = b
			var tx struct {
				TxHash string `json:"txHash"`
			}
			if json.Unmarshal(b, &tx) == nil { // of a result that is no object there is none
				o.TxHash = txHash(tx.TxHash)
			}
		}
	}
	if f, ok := result.(interface{ Failure() error }); ok && err == nil {
		err = f.Failure() // such as a plan that was bought in part
	}
	if err == nil {
		return Executed
	}
	e := fault.From(err)
	o.Code, o.Cause, o.Message, o.Hint, o.Sent = CommandFailed, string(e.Code), e.Message, e.Hint, e.Sent
	if hash, ok := e.Details["txHash"].(string); ok && o.TxHash == "" {
		o.TxHash = txHash(hash)
	}
	if fault.IsGate(e.Code) || e.Code == fault.Killed {
		o.Code = PolicyBlocked
	}
	if e.Code == fault.Partial && e.Sent != fault.SentMaybe {
		o.Code, o.Outcome = Partial, OutcomePartial
		return Executed
	}
	// What a receipt settled is known, and so is what never left.
	settled := e.Code == fault.TxReverted
	if late && !settled && (errors.Is(err, context.DeadlineExceeded) || e.Sent != fault.SentNo) {
		o.Code, o.Outcome = TimedOut, OutcomeUnknown
		o.Message = "it took longer than it may: it may have happened"
	}
	if e.Code == fault.TxUnknown || e.Sent != fault.SentNo && !settled && (e.Sent != "" || e.Code == fault.Internal) {
		o.Outcome = OutcomeUnknown
	}
	return Failed
}

var hash32 = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^0x[0-9a-fA-F]{64}$`) })

// txHash is s if it is a transaction's hash.
func txHash(s string) string {
	if hash32().MatchString(s) {
		return s
	}
	return ""
}

// settle stores how an action ended. It is the owner's to say, also when others took
// it for dead meanwhile; what the log has settled stays.
func (s *Service) settle(ctx context.Context, a *Action, kind string) (bool, error) {
	won := false
	err := s.tx(ctx, func(q querier) (err error) {
		// The model may have been told that nobody knows: then it is to hear this too.
		if err := q.QueryRowContext(ctx, "SELECT reported_at IS NOT NULL FROM ai_actions WHERE id = ?", a.ID).Scan(&a.Outcome.Corrected); err != nil {
			return err
		}
		won, err = changed(q.ExecContext(ctx, `UPDATE ai_actions SET state = ?, version = version + 1, outcome = ?, executed_at = ?, reported_at = NULL,
			`+alsoUntold+`
			WHERE id = ? AND owner = ? AND (state = 'executing' OR (state = 'failed' AND json_extract(outcome, '$.code') = 'interrupted'))`,
			string(a.State), text(a.Outcome), a.ExecutedAt.UnixMilli(), toldExecuted, toldExecuted, a.ID, a.owner))
		if err != nil || !won {
			return err
		}
		return s.audit(ctx, q, kind, map[string]any{"actionId": a.ID, "state": a.State, "outcome": a.Outcome.Outcome, "code": a.Outcome.Code,
			"cause": a.Outcome.Cause, "txHash": a.Outcome.TxHash, "reconciled": a.Outcome.Reconciled})
	})
	if err != nil {
		return false, err
	}
	now, err := s.get(ctx, a.ID)
	if err == nil {
		*a = now
	}
	return won, err
}

// beating gives signs of life until it is stopped.
func (s *Service) beating(ctx context.Context, a Action) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(s.o.Beat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			db, err := s.o.State(ctx)
			if err == nil {
				// One that is missed is made good by the next; without any the action is taken for
				// interrupted, which the end of the execution corrects.
				_, _ = db.ExecContext(ctx, "UPDATE ai_actions SET beat_at = ? WHERE id = ? AND owner = ? AND state = 'executing'", s.o.Now().UnixMilli(), a.ID, s.owner)
			}
		}
	}()
	return func() { cancel(); <-done }
}
