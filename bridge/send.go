package bridge

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// send takes the next transaction through every gate to the signature.
func (x *transferring) send(ctx context.Context, f policy.Fence, last bool) error {
	asks := x.d.Ask != nil && x.in.Confirm == "" && !x.in.Autonomous && f.Policy.Execution.ConfirmPhraseRequired
	if asks && !x.asked { // until it comes to the signature it counts as typed
		x.confirm = x.facts().Phrase()
	}
	d, err := x.decide(ctx)
	if err == nil {
		err = d.Refusal()
	}
	if err != nil {
		return err
	}
	sender, prepared, err := x.prepare(ctx)
	if err != nil {
		return err
	}
	if asks && !x.asked {
		if err := x.ask(ctx, f); err != nil {
			return err
		}
		x.asked = true
		if err := x.still(ctx); err != nil {
			return err
		}
	}
	turn := x.d.Now()
	release, err := sender.Turn(ctx, x.r.FromChain)
	if err != nil {
		return err
	}
	defer release()
	if x.d.Now().Sub(turn) > longTurn {
		if err := x.still(ctx); err != nil {
			return err
		}
	}
	// The journal is written in the account's turn: nobody has sent it since.
	if err := x.unsent(ctx); err != nil {
		return err
	}
	if d, err = x.decide(ctx); err != nil {
		return err
	}
	grant, err := d.Authorize(prepared.PolicyTx(), earlier(x.d.Now().Add(grantTTL), x.r.ExpiresAt))
	if err != nil {
		return err
	}
	store.CrashPoint("bridge: allowed")
	return x.submit(ctx, sender, prepared, grant, last)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// prepare fixes the gas terms.
func (x *transferring) prepare(ctx context.Context) (Sender, chain.Prepared, error) {
	sender, err := x.d.Sender(ctx, x.r.FromChain)
	if err != nil {
		return nil, chain.Prepared{}, err
	}
	if sender.Address() != x.who {
		return nil, chain.Prepared{}, fault.New(fault.Internal, "the sender is not the account").WithSent(fault.SentNo)
	}
	step := x.route.Steps[x.next]
	prepared, err := sender.Prepare(ctx, chain.Intent{
		Key: Key(x.r.RequestID, step.number()), ChainID: x.r.FromChain, To: step.To, Value: step.Value, Data: step.Data,
		Story: &story{
			RequestID: x.r.RequestID, RouteID: x.route.RequestID, Step: step.Kind, From: x.r.From, To: x.r.To, FromChain: x.r.FromChain, ToChain: x.r.ToChain,
			Token: x.r.Token, In: lower(x.r.In.Address), Places: x.r.In.Decimals, Amount: x.r.AmountBaseUnits, MinOut: x.route.MinOut, FeeBPS: x.route.FeeBPS, Account: x.r.Account,
			Contract: lower(step.To), Spender: x.r.Depository, Subject: x.d.Subject, Authority: x.authority(), Action: x.in.Action, At: x.d.Now(), Expires: x.r.ExpiresAt,
		},
	})
	if err != nil {
		return nil, prepared, err
	}
	x.fees = prepared.Fees
	if x.fee, err = x.gas(prepared.Fees); err == nil {
		err = x.within()
	}
	return sender, prepared, err
}

func (x *transferring) authority() string {
	switch {
	case x.in.Confirm != "":
		return authorityPhrase
	case x.in.Autonomous:
		return authorityAutonomous
	}
	return authorityTerminal
}

// ask shows a person the action; what was typed has to be the shown phrase. No lock is
// held while it waits.
func (x *transferring) ask(ctx context.Context, f policy.Fence) error {
	a := x.action(ctx, f)
	typed, err := x.d.Ask(ctx, a)
	switch {
	case ctx.Err() != nil || errors.Is(err, io.EOF):
		return fault.Wrap(errors.Join(err, ctx.Err()), fault.Canceled, "not confirmed: nothing was signed").WithSent(fault.SentNo)
	case err != nil:
		return err
	case typed != a.Phrase:
		return fault.New(fault.ConfirmationMismatch, "confirmation phrase mismatch: what was typed is not the phrase that was shown").
			WithSent(fault.SentNo).With("gate", policy.GatePhrase).With("asked", true)
	}
	x.confirm = typed
	return nil
}

// still looks once more at what took its time to be confirmed.
func (x *transferring) still(ctx context.Context) error {
	head, err := x.chain.Head(ctx)
	if err != nil {
		return err
	}
	if head.BaseFee.Cmp(x.fees.MaxFee) > 0 {
		return fault.New(fault.PolicyBlocked, "the base fee rose to %s per gas meanwhile, and %s was confirmed", head.BaseFee, x.fees.MaxFee).
			Hintf("run it again, and look at the fee").WithSent(fault.SentNo).With("gate", "feeCeiling")
	}
	fee := x.fee
	err = x.simulate(ctx)
	x.fee = fee // the one that was confirmed
	return err
}

// submit has the sender sign and send. Which route is paid is noted before the deposit
// leaves: the bridge is asked about it by that.
func (x *transferring) submit(ctx context.Context, sender Sender, prepared chain.Prepared, grant policy.Grant, last bool) error {
	was := x.r.Status
	if last {
		x.r.Status, x.r.RouteID = StatusPending, x.route.RequestID
		if err := x.locked(ctx, was); err != nil {
			return err
		}
		store.CrashPoint("bridge: route noted")
	}
	outcome, err := sender.Submit(ctx, prepared, grant)
	store.CrashPoint("bridge: sent")
	if outcome.Tx.Hash != (common.Hash{}) {
		x.txs = append(x.txs, outcome.Tx.Hash.Hex())
		if last {
			x.r.DepositTxHash = outcome.Tx.Hash.Hex()
		}
	}
	if err == nil {
		x.paid, err = x.paid.Add(outcome.Fee)
	}
	if err == nil && !last {
		x.left = append(x.left, outcome.Tx.Hash.Hex())
	}
	if err == nil || !last {
		return err
	}
	if sent := fault.From(err).Sent; sent == fault.SentNo || sent == "" && outcome.Tx.Hash == (common.Hash{}) { // nothing left
		x.r.Status = StatusQuoted
		write, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if moveErr := x.locked(write, StatusPending); moveErr != nil {
			x.d.Warn("request %s could not be noted as not sent: %s", x.r.RequestID, fault.From(moveErr).Message)
		}
	}
	return err
}

// locked writes the row of the request, as one that settles does.
func (x *transferring) locked(ctx context.Context, was string) error {
	release, err := x.d.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	return x.move(ctx, x.r, was)
}
