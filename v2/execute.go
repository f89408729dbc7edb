package v2

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// By whose leave a write is made.
const (
	authorityPhrase     = "phrase"     // --confirm
	authorityTerminal   = "terminal"   // a person typed the phrase at the terminal
	authorityAutonomous = "autonomous" // policy lets --autonomous stand in
)

// longTurn is a wait for the account's turn after which what was prepared is
// looked at once more.
const longTurn = 5 * time.Second

// execute takes the write through every gate to the signature.
func (w *writing) execute(ctx context.Context, f policy.Fence) (done, error) {
	w.asks = w.d.Ask != nil && w.c.Go.Confirm == "" && !w.c.Go.Autonomous && !w.c.skipPhrase && f.Policy.Execution.ConfirmPhraseRequired
	if w.asks || w.c.skipPhrase { // until it comes to the signature it counts as typed
		w.c.Go.Confirm, w.c.Go.Autonomous = w.action.Phrase, false
	}
	if err := w.decide(ctx, f).Refusal(); err != nil {
		return done{}, err
	}
	sender, prepared, err := w.prepare(ctx)
	if err != nil {
		return done{}, err
	}
	w.fees, w.action.MaxFee = prepared.Fees, &prepared.Fees.FeeCap
	if w.asks {
		w.action.Caps = w.capsAfter(ctx, f.Policy, w.write(f))
		if err := w.ask(ctx); err != nil {
			return done{}, err
		}
		if err := w.still(ctx); err != nil {
			return done{}, err
		}
	}
	return w.submit(ctx, sender, prepared)
}

// decide evaluates every gate of an execution, with what the ledger says.
func (w *writing) decide(ctx context.Context, f policy.Fence) policy.Decision {
	p := w.write(f)
	p.Spent, p.SpentErr = w.spent(ctx, f.Policy, p.Scope())
	return policy.DecideWrite(policy.Execute, f, p)
}

func (s *Service) spent(ctx context.Context, rules *policy.Policy, scope policy.Scope) ([]policy.Use, error) {
	ledger, err := s.d.Ledger(ctx)
	if err != nil {
		return nil, err
	}
	return policy.SpentOf(ctx, ledger, rules.Limits(scope), s.d.Warn)
}

// prepare fixes the gas terms.
func (w *writing) prepare(ctx context.Context) (Sender, chain.Prepared, error) {
	sender, err := w.d.Sender(ctx)
	if err != nil {
		return nil, chain.Prepared{}, err
	}
	if sender.Address() != w.who {
		return nil, chain.Prepared{}, fault.New(fault.Internal, "the sender is not the account").WithSent(fault.SentNo)
	}
	keep, err := json.Marshal(w.c.Keep)
	if err != nil {
		return nil, chain.Prepared{}, err
	}
	most, err := w.ceiling()
	if err != nil {
		return nil, chain.Prepared{}, err
	}
	key := w.c.Key
	if key == "" {
		key = store.NewID("v2." + w.c.Op + ":")
	}
	prepared, err := sender.Prepare(ctx, chain.Intent{
		Key: key, ChainID: w.action.ChainID, To: w.to, Value: w.c.Value, Data: w.c.Data, FeeCeiling: most,
		Story: &story{
			Op: w.c.Op, Command: w.c.Command, What: w.c.What, Contract: w.c.Contract, Account: w.who, Payload: w.c.Payload, Keep: keep,
			Subject: w.d.Subject, Authority: w.authority(), TraceID: w.d.TraceID, Action: w.c.Go.Action, At: w.now(), chain: w.chain,
		},
	})
	if reason, ok := failure(err); ok { // it passed a moment ago
		return nil, prepared, fault.Wrap(err, fault.SimulationFailed, "the transaction would fail: %s", reason).
			Hintf("mend the cause, then run it again").WithSent(fault.SentNo).With("gate", policy.GateSimulation)
	}
	return sender, prepared, err
}

// ceiling is the most that gas may cost: chain's own bound, and not more than what was
// approved leaves beside the value.
func (w *writing) ceiling() (units.Wei, error) {
	most := chain.DefaultFeeCeiling()
	if w.c.Go.Most == nil {
		return most, nil
	}
	left, err := w.c.Go.Most.Sub(w.c.Value)
	if err != nil || left.IsZero() {
		return most, fault.New(fault.PriceOverLimit, "%s APE leave nothing for gas of the %s APE that were approved", w.c.Value.Decimal(units.APEDecimals),
			w.c.Go.Most.Decimal(units.APEDecimals)).Hintf("have it proposed anew").WithSent(fault.SentNo).With("gate", policy.GateValue)
	}
	if left.Cmp(most) < 0 {
		return left, nil
	}
	return most, nil
}

// authority says by whose leave the write is made, for the journal.
func (w *writing) authority() string {
	switch {
	case w.c.Authority != "":
		return w.c.Authority
	case w.asks:
		return authorityTerminal
	case w.c.Go.Confirm == "" && w.c.Go.Autonomous:
		return authorityAutonomous
	}
	return authorityPhrase
}

// submit has the sender sign and send what every gate lets through.
func (w *writing) submit(ctx context.Context, sender Sender, prepared chain.Prepared) (done, error) {
	// The account's turn first: what is decided must not grow old in a queue.
	if t, ok := sender.(interface {
		Turn(ctx context.Context, chainID int64) (release func(), err error)
	}); ok {
		asked := w.now()
		release, err := t.Turn(ctx, w.action.ChainID)
		if err != nil {
			return done{}, err
		}
		defer release()
		if w.now().Sub(asked) > longTurn {
			if err := w.still(ctx); err != nil {
				return done{}, err
			}
		}
	}
	if w.c.done != nil {
		there, err := w.c.done(ctx)
		if err == nil && there {
			err = fault.New(fault.Conflict, "another run has done it meanwhile").WithSent(fault.SentNo)
		}
		if err != nil {
			return done{}, err
		}
	}
	d, err := w.gates(ctx)
	if err != nil {
		return done{}, err
	}
	grant, err := d.Authorize(prepared.PolicyTx(), w.now().Add(grantTTL))
	if err != nil {
		return done{}, err
	}
	store.CrashPoint("v2: allowed")
	outcome, err := sender.Submit(ctx, prepared, grant)
	store.CrashPoint("v2: sent")
	out := done{Return: w.returned, Action: w.action, MaxFee: w.action.MaxFee, Outcome: outcome}
	if err != nil {
		return out, err
	}
	if told, ok := prepared.Intent.Story.(*story); ok {
		out.Result = told.result
	}
	return out, nil
}

// gates is every gate, for policy read anew: somebody may have halted or narrowed it
// since, and the time goes on.
func (w *writing) gates(ctx context.Context) (policy.Decision, error) {
	f, err := w.fence(ctx, policy.Execute)
	if err == nil {
		err = stillAuto(f, w.c.Authority)
	}
	if err != nil {
		return policy.Decision{}, err
	}
	return w.decide(ctx, f), nil
}
