package v2

import (
	"context"
	"errors"
	"io"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// ask shows a person the action; what was typed has to be the shown phrase. No lock
// is held and no transaction is open while it waits.
func (w *writing) ask(ctx context.Context) error {
	typed, err := w.d.Ask(ctx, w.action)
	switch {
	case ctx.Err() != nil || errors.Is(err, io.EOF):
		return fault.Wrap(errors.Join(err, ctx.Err()), fault.Canceled, "not confirmed: nothing was signed").WithSent(fault.SentNo)
	case err != nil:
		return err
	case typed != w.action.Phrase:
		return fault.New(fault.ConfirmationMismatch, "confirmation phrase mismatch: what was typed is not the phrase that was shown").
			WithSent(fault.SentNo).With("gate", policy.GatePhrase).With("asked", true)
	}
	return nil
}

// still looks once more at what took its time to be confirmed: at the gates, at what
// the call does now, and at whether its fee limit still pays for a block.
func (w *writing) still(ctx context.Context) error {
	d, err := w.gates(ctx)
	if err == nil {
		err = d.Refusal()
	}
	if err == nil {
		err = w.there(ctx)
	}
	if err != nil {
		return err
	}
	head, err := w.chain.Head(ctx)
	if err != nil {
		return err
	}
	if most := w.fees.MaxFee; head.BaseFee.Cmp(most) > 0 {
		return fault.New(fault.PolicyBlocked, "the base fee rose to %s per gas meanwhile, and %s was confirmed", head.BaseFee, most).
			Hintf("run it again, and look at the fee").WithSent(fault.SentNo).With("gate", "feeCeiling")
	}
	_, err = w.chain.Call(ctx, w.msg(), nil, nil)
	if reason, ok := failure(err); ok {
		return fault.Wrap(err, fault.SimulationFailed, "the transaction would fail now: %s", reason).
			Hintf("mend the cause, then run it again").WithSent(fault.SentNo).With("gate", policy.GateSimulation)
	}
	return err
}
