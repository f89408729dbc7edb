package chain

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// passedWait is how long a nonce has to be seen as used by none of our
// transactions before that is taken for what happened: receipts and counts may
// come from different nodes behind one URL, of which one lags.
const passedWait = time.Minute

// passedBy looks whether the chain used the nonce of a transaction without a
// receipt, and is the first to see it. That is one node's word, and a node can withhold a receipt: so it has
// to say so twice, a minute apart, and even then price and fee limit count as
// spent for the window of the caps, the key stays used, and the hashes are looked
// for again. What it ends is that the account waits for ever.
func (s *Sender) passedBy(ctx context.Context, r record) (first bool, err error) {
	used, err := s.client.NonceAt(ctx, s.Address())
	if err != nil {
		return false, err
	}
	now := s.o.Now()
	switch {
	case used <= r.info.Nonce && r.passed.IsZero():
		return false, nil
	case used <= r.info.Nonce:
		return false, s.notePassed(ctx, r, nil)
	case r.passed.IsZero():
		return true, s.notePassed(ctx, r, now.UnixMilli())
	case now.Sub(r.passed) < passedWait:
		return false, nil
	}
	for _, o := range r.forms() {
		if known, err := s.client.Known(ctx, o.info.Hash); err != nil || known {
			return false, err
		}
	}
	return false, s.giveUp(ctx, r, fmt.Sprintf("the chain used nonce %d for another transaction", r.info.Nonce))
}

// disputed ends the wait for a transaction that has a receipt which its story does
// not accept, and may never: the token went elsewhere, or it is the buyer's by
// another transaction than this one, which failed. The nonce is used, so nothing
// that a person could send would end it. It is as with a nonce that went to
// another: twice, a minute apart, and it counts as spent in full.
func (s *Sender) disputed(ctx context.Context, r record, why string) error {
	r.state = StateUnknown // as it has just been written
	used, err := s.client.NonceAt(ctx, s.Address())
	now := s.o.Now()
	switch {
	case err != nil || used <= r.info.Nonce:
		return err
	case r.passed.IsZero():
		return s.notePassed(ctx, r, now.UnixMilli())
	case now.Sub(r.passed) < passedWait:
		return nil
	}
	return s.giveUp(ctx, r, why)
}

// gap returns how many nonces before that of r nobody has used, as far as the node
// tells: it, or another one, counted more when the nonce was chosen.
func (s *Sender) gap(ctx context.Context, r record) (uint64, error) {
	pending, err := s.client.PendingNonceAt(ctx, s.Address())
	if err != nil || pending >= r.info.Nonce {
		return 0, err
	}
	return r.info.Nonce - pending, nil
}

// setAside closes a transaction behind a gap because a person asked for it: else the
// account could never send again, for nothing with its nonce can be mined. It was
// signed, and is valid once the account gets there: it counts as spent in full, its
// key stays used, and its hash is looked for as long as none of ours has the nonce.
func (s *Sender) setAside(ctx context.Context, p Replacement, grant policy.Grant) error {
	r, err := s.openRow(ctx, p.ChainID, p.ID)
	if err != nil {
		return err
	}
	gap, err := s.gap(ctx, r)
	if err != nil {
		return err
	}
	if gap == 0 || r.info.Nonce != p.Nonce || grant.Digest() != p.policyTx().Digest() {
		return fault.New(fault.Conflict, "transaction %s has changed since it was asked about", r.info.Hash.Hex()).
			Hintf("run it again").WithSent(fault.SentNo)
	}
	if err := stopped(ctx); err != nil {
		return err
	}
	if err := grant.Alive(s.o.Now()); err != nil {
		return err
	}
	if !r.passed.IsZero() { // so that the journal tells it from one whose nonce was used
		if err := s.notePassed(ctx, r, nil); err != nil {
			return err
		}
	}
	return s.giveUp(ctx, r, fmt.Sprintf("set aside: nothing can be mined with nonce %d before %d others of the account", r.info.Nonce, gap))
}

// notePassed keeps since when a nonce is seen as used.
func (s *Sender) notePassed(ctx context.Context, r record, since any) error {
	write, cancel := writeContext(ctx)
	defer cancel()
	return s.journal.atomically(write, func(tx *sql.Tx) error {
		return s.journal.set(write, tx, r.id, r.state, `passed_at = ?`, since)
	})
}

// giveUp closes a transaction whose nonce went to another: booked as spent in
// full.
func (s *Sender) giveUp(ctx context.Context, r record, why string) error {
	story, err := s.restore(r)
	if err != nil {
		return nil // it stays open, which refuses further sending and says why
	}
	f := flow{Sender: s, story: story, r: r, by: form{n: -1}, rec: s.recorderOf(r), late: true} // by none of ours
	v := verdict{state: StateReplaced, reason: why}
	var draft telemetry.Draft
	if t, ok := story.(Replaceable); ok {
		draft = t.Replaced(r.info, why)
		if v.line, err = f.rec.Encode(draft); err != nil {
			return err
		}
	}
	write, cancel := writeContext(ctx)
	defer cancel()
	err = s.journal.atomically(write, func(tx *sql.Tx) error {
		if err := f.book(write, tx, v); err != nil {
			return err
		}
		if err := f.closeForms(write, tx); err != nil {
			return err
		}
		if err := s.journal.set(write, tx, r.id, v.state, `reason = ?`, why); err != nil || v.line == nil {
			return err
		}
		return s.journal.addLine(write, tx, r.id, r.step(stepOutcome), v.line)
	})
	s.step("given up")
	return err
}

// cancelled is what the receipt of a cancellation means: the transaction never
// will be mined. If what it was for happened all the same, nobody knows what the
// chain did, and it is booked in full.
func (f flow) cancelled(ctx context.Context, v verdict, receipt Receipt) (verdict, error) {
	v.state, v.reason = StateCancelled, "its cancellation was mined in its place"
	story, ok := f.story.(Replaceable)
	if err := f.contradicted(ctx, receipt); fault.CodeOf(err) == fault.TxUnknown {
		v.state, v.reason = StateReplaced, fmt.Sprintf("cancellation %s was mined, and yet %s", f.by.info.Hash.Hex(), fault.From(err).Message)
		if ok {
			v.line, v.trouble = f.rec.Encode(story.Replaced(f.r.info, v.reason))
		}
		return v, nil
	} else if err != nil {
		return verdict{}, err
	}
	if ok {
		v.line, v.trouble = f.rec.Encode(story.Cancelled(f.r.info, f.by.info, receipt))
	}
	return v, nil
}
