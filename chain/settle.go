package chain

import (
	"context"
	"database/sql"
	"errors"
	"math/big"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// resumeHint is what to do about a transaction whose fate is not known.
const resumeHint = "do not send it again; find out what became of it: ape-claw nft resume"

// flow is the rest of one transaction's way after the broadcast, in the process
// that sent it or in a later one.
type flow struct {
	*Sender
	story Story
	r     record
	by    form     // the form that is waited for, or was mined
	rec   Recorder // in whose name the events are
	late  bool     // a later process: its lines are left to complete, which looks for them in the log first
}

// noteSent records that the bytes were handed to a node and tells it, whether or
// not the answer arrived.
func (f flow) noteSent(ctx context.Context, accepted bool) error {
	write, cancel := writeContext(ctx)
	defer cancel()
	state := StateSent
	if !accepted {
		state = StateUnknown
	}
	err := f.journal.atomically(write, func(tx *sql.Tx) error { return f.journal.set(write, tx, f.r.id, state, "") })
	if err != nil {
		return err
	}
	f.step("noted")
	return f.tell(write, stepSubmitted)
}

// tell appends the journaled line of a step to the log, durably, and notes it. A
// crash between the two is what complete looks for.
func (f flow) tell(ctx context.Context, step string) error {
	if f.late {
		return nil
	}
	line, ok, err := f.journal.lineOf(ctx, f.r.id, step)
	if err != nil || !ok {
		return err
	}
	if err := f.o.Recorder.AppendLine(ctx, line, true); err != nil {
		return err
	}
	f.step("told " + step)
	return f.journal.logged(ctx, f.r.id, step)
}

// finish turns a receipt into the outcome and tells it. trouble is what could
// not be recorded so far.
func (f flow) finish(ctx context.Context, out Outcome, trouble error) (Outcome, error) {
	check, cancelCheck := context.WithTimeout(ctx, unclearWait)
	defer cancelCheck()
	v, err := f.conclude(check, out.Receipt)
	if err != nil {
		return out, f.unknown(ctx, fault.SentYes, "mined, but not confirmed: "+fault.From(err).Message)
	}
	write, cancel := writeContext(ctx)
	defer cancel()
	out.Fee = v.fee
	if err := f.settle(write, v, out.Receipt); err != nil {
		return out, f.unrecorded(v.state, errors.Join(trouble, err))
	}
	f.step("settled")
	if err := errors.Join(trouble, v.trouble, f.tell(write, f.r.step(stepOutcome))); err != nil {
		return out, f.unrecorded(v.state, err)
	}
	f.step("logged")
	if v.state == StateReverted {
		return out, fault.New(fault.TxReverted, "transaction %s was mined in block %d and failed: %s", f.by.info.Hash.Hex(), out.Receipt.Block, v.reason).
			Hintf("nothing was bought, the fee of %s is spent; make a new quote", v.fee.Decimal(units.APEDecimals)).
			WithSent(fault.SentYes).With("txHash", f.by.info.Hash.Hex()).With("blockNumber", out.Receipt.Block)
	}
	return out, nil
}

// verdict is what a receipt means.
type verdict struct {
	state, reason string
	fee           units.Wei
	line          []byte
	trouble       error // the event could not be encoded
}

// conclude asks the story what the receipt means. An error: the transaction
// succeeded and is not what was wanted, it is said to have failed and the story
// knows better, or nobody could say.
func (f flow) conclude(ctx context.Context, receipt Receipt) (verdict, error) {
	fee, err := receipt.Fee()
	if err != nil {
		return verdict{}, fault.Wrap(err, fault.Upstream, "the receipt's fee is out of range")
	}
	v := verdict{state: StateConfirmed, fee: fee}
	var draft telemetry.Draft
	if f.by.kind == kindCancel {
		return f.cancelled(ctx, v, receipt)
	}
	if receipt.Success {
		if draft, err = f.confirmed(ctx, receipt); err != nil {
			return verdict{}, err
		}
	} else {
		if err := f.contradicted(ctx, receipt); err != nil {
			return verdict{}, err
		}
		v.state, v.reason = StateReverted, f.revertReason(ctx, receipt)
		draft = f.story.Reverted(f.by.info, receipt, v.reason)
	}
	v.line, v.trouble = f.rec.Encode(draft)
	return v, nil
}

// confirmed asks the story until it answers about the transaction and not about
// the node.
func (f flow) confirmed(ctx context.Context, receipt Receipt) (draft telemetry.Draft, err error) {
	err = insist(ctx, func() (err error) {
		draft, err = f.story.Confirmed(ctx, f.by.info, receipt)
		return err
	})
	return draft, err
}

// contradicted returns an error when the chain shows that a transaction whose
// receipt says that it failed did not, or can't be asked.
func (f flow) contradicted(ctx context.Context, receipt Receipt) error {
	story, ok := f.story.(Contradicter)
	if !ok {
		return nil
	}
	return insist(ctx, func() error {
		why, err := story.Contradicts(ctx, f.by.info, receipt)
		if err == nil && why != "" {
			return fault.New(fault.TxUnknown, "the receipt says that it failed, and yet %s", why)
		}
		return err
	})
}

// insist calls ask until it ends with something else than the node's failure.
func insist(ctx context.Context, ask func() error) error {
	for wait := pollFirst; ; {
		err := ask()
		if err == nil || fault.CodeOf(err) != fault.Upstream || !pause(ctx, &wait) {
			return err
		}
	}
}

// abandon closes an intent of which nothing was sent: its reservations are freed and its key may be used again. The bytes are
// dropped, so that nothing can send them later.
func (s *Sender) abandon(ctx context.Context, r record, why string) error {
	write, cancel := writeContext(ctx)
	defer cancel()
	return s.journal.atomically(write, func(tx *sql.Tx) error {
		for _, ref := range r.spend {
			if err := s.o.Ledger.Release(write, tx, ref.ID); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(write, `DELETE FROM tx_event WHERE tx_id = ? AND logged = 0`, r.id); err != nil {
			return err
		}
		return s.journal.set(write, tx, r.id, StateAbandoned, `raw = NULL, reason = ?`, why)
	})
}

// revertReason replays a failed transaction for the reason; the state before its
// block may differ from what it saw, so the answer is a good guess.
func (f flow) revertReason(ctx context.Context, receipt Receipt) string {
	if receipt.GasUsed >= f.by.info.GasLimit {
		return "out of gas"
	}
	i := f.by.info
	msg := CallMsg{From: i.From, To: i.To, Value: i.Value, Data: f.by.data, Gas: i.GasLimit}
	_, err := f.client.Call(ctx, msg, new(big.Int).SetUint64(receipt.Block), nil)
	var revert *RevertError
	if story, ok := f.story.(RevertReader); ok && errors.As(err, &revert) && len(revert.Data) > 0 {
		return printable(story.ReasonOf(revert.Data))
	}
	if reason, ok := FailureReason(err); ok {
		return reason
	}
	return "execution reverted"
}

// settle writes the outcome, what it really cost, and its event line in one
// SQLite transaction.
func (f flow) settle(ctx context.Context, v verdict, receipt Receipt) error {
	if f.r.state == StateReplaced {
		f.r.round++ // an outcome was told: this is the next
	}
	err := f.journal.atomically(ctx, func(tx *sql.Tx) error {
		if f.r.state == StateRefused || f.r.state == StateReplaced {
			if err := f.revive(ctx, tx, f.r); err != nil {
				return err
			}
		}
		if err := f.book(ctx, tx, v); err != nil {
			return err
		}
		if err := f.closeForms(ctx, tx); err != nil {
			return err
		}
		if err := f.journal.set(ctx, tx, f.r.id, v.state, `round = ?, won = ?, passed_at = NULL, block = ?, block_hash = ?, gas_used = ?, gas_price = ?, reason = ?`,
			f.r.round, f.by.n, int64(receipt.Block), receipt.BlockHash.Hex(), int64(receipt.GasUsed), receipt.GasPrice, v.reason); err != nil {
			return err
		}
		if v.line == nil {
			return nil
		}
		return f.journal.addLine(ctx, tx, f.r.id, f.r.step(stepOutcome), v.line)
	})
	if err == nil {
		store.CrashPoint("chain: outcome kept")
	}
	return err
}

// book settles what is reserved for all forms at what really left the account:
// one of them was mined, so one fee was paid.
func (f flow) book(ctx context.Context, tx *sql.Tx, v verdict) error {
	first := true
	for _, ref := range f.r.reserved() {
		actual := units.Wei{}
		switch {
		case v.state == StateReplaced:
			actual = ref.Amount
		case ref.Kind == policy.KindFee && first:
			actual, first = v.fee, false
		case ref.Kind != policy.KindFee && v.state == StateConfirmed:
			actual = ref.Amount
		}
		if err := f.o.Ledger.Settle(ctx, tx, ref.ID, actual); err != nil {
			return err
		}
	}
	return nil
}

// closeForms notes that the mined form was sent, and drops the lines that tell of
// a broadcast of which nobody knows whether it happened.
func (f flow) closeForms(ctx context.Context, tx *sql.Tx) error {
	for _, o := range f.r.forms() {
		var err error
		switch {
		case o.n == f.by.n && o.n > 0:
			err = f.journal.setForm(ctx, tx, f.r.id, o.n, StateSent, "")
		case o.n == f.by.n || o.state != StateSigned:
		case o.n > 0:
			_, err = tx.ExecContext(ctx, `DELETE FROM tx_event WHERE tx_id = ? AND step = ? AND logged = 0`, f.r.id, replacingStep(o.n))
		default:
			_, err = tx.ExecContext(ctx, `DELETE FROM tx_event WHERE tx_id = ? AND step = ? AND logged = 0`, f.r.id, stepSubmitted)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unrecorded is the error for an outcome that is known and could not be written
// down everywhere. The next run completes the record from the journal.
func (f flow) unrecorded(state string, err error) error {
	return fault.Wrap(err, fault.NotDurable, "transaction %s is %s, but its record is incomplete: %s", f.by.info.Hash.Hex(), state, fault.From(err).Message).
		Hintf("mend that, then run ape-claw doctor; do not send it again").
		WithSent(fault.SentYes).With("txHash", f.by.info.Hash.Hex())
}

// unknown records that nobody waits any longer, also after the command was
// cancelled, and returns the error that says so.
func (f flow) unknown(ctx context.Context, sent, why string) error {
	e := fault.New(fault.TxUnknown, "transaction %s: %s", f.by.info.Hash.Hex(), why).Hintf(resumeHint).
		WithSent(sent).With("txHash", f.by.info.Hash.Hex()).With("nonce", f.r.info.Nonce)
	write, cancel := writeContext(ctx)
	defer cancel()
	line, encodeErr := f.rec.Encode(f.story.Unknown(f.by.info, sent, why))
	err := f.journal.atomically(write, func(tx *sql.Tx) error {
		if err := f.journal.set(write, tx, f.r.id, StateUnknown, `reason = ?`, why); err != nil || line == nil {
			return err
		}
		return f.journal.addLine(write, tx, f.r.id, f.r.step(stepUnknown), line)
	})
	if err == nil {
		err = f.tell(write, f.r.step(stepUnknown))
	}
	e.Err = errors.Join(encodeErr, err)
	f.step("unknown")
	return e
}
