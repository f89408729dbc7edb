package chain

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// replace signs and sends a replacement that grant allows. The caller holds the
// account's lock and has settled what could be settled. It returns an error of
// kind fault.TxUnknown when the bytes left, or may have: the receipt is awaited
// by the caller.
func (s *Sender) replace(ctx context.Context, p Replacement, grant policy.Grant) error {
	r, err := s.openRow(ctx, p.ChainID, p.ID)
	if err != nil {
		return err
	}
	extra, err := extraFee(r, p.Fees.FeeCap)
	if err != nil {
		return err
	}
	if r.info.Nonce != p.Nonce || p.N != len(r.others)+1 || extra != p.Extra || p.Account != s.Address() {
		return fault.New(fault.Conflict, "transaction %s has changed since its replacement was prepared", r.info.Hash.Hex()).
			Hintf("run it again").WithSent(fault.SentNo)
	}
	if err := s.unused(ctx, r); err != nil {
		return err
	}
	f := p.form()
	// The cap that policy saw is computed again from what will be signed.
	if f.info.FeeCap, err = f.info.MaxFee.Mul(f.info.GasLimit); err != nil {
		return err
	}
	if err := s.mayReprice(ctx, r, f); err != nil {
		return err
	}
	bound := p.policyTx()
	bound.FeeCap = f.info.FeeCap
	err = s.journal.atomically(ctx, func(tx *sql.Tx) error {
		reservations, err := s.o.Ledger.RedeemReplacement(ctx, tx, grant, bound)
		if err != nil {
			return err
		}
		for _, res := range reservations {
			f.spend = append(f.spend, spendRef{res.ID, res.Kind, res.Amount})
		}
		return s.journal.intendForm(ctx, tx, r.id, f, bound.Digest())
	})
	if err != nil {
		return err
	}
	s.step("replacement intended")
	raw, err := s.signForm(ctx, r, grant, &f)
	if err == nil {
		s.step("replacement persisted")
		err = s.mayReplace(ctx, f, grant)
	}
	if err != nil {
		return errors.Join(err, s.abandonForm(ctx, r.id, f, "never sent"))
	}
	return s.sendForm(ctx, r, f, raw)
}

// mayReplace is allowed for a replacement: a halt stops no cancellation.
func (s *Sender) mayReplace(ctx context.Context, f form, grant policy.Grant) error {
	if f.kind != kindCancel {
		return s.allowed(ctx, grant)
	}
	if err := stopped(ctx); err != nil {
		return err
	}
	return grant.Alive(s.o.Now())
}

// signForm signs a replacement and stores the bytes.
func (s *Sender) signForm(ctx context.Context, r record, grant policy.Grant, f *form) ([]byte, error) {
	signed, raw, err := s.signTx(ctx, f.info, f.data, func() error { return s.mayReplace(ctx, *f, grant) })
	if err != nil {
		return nil, err
	}
	f.info.Hash, f.hashed, f.state = signed.Hash(), true, StateSigned
	line, err := s.replacingLine(r, *f)
	if err != nil {
		return nil, err
	}
	s.step("replacement signed")
	write, cancel := writeContext(ctx)
	defer cancel()
	return raw, s.journal.atomically(write, func(tx *sql.Tx) error {
		if err := s.journal.setForm(write, tx, r.id, f.n, StateSigned, `hash = ?, raw = ?`, f.info.Hash.Hex(), raw); err != nil || line == nil {
			return err
		}
		return s.journal.addLine(write, tx, r.id, replacingStep(f.n), line)
	})
}

// replacingLine is the event of a replacement's broadcast; nil when the story
// does not tell of them, or is gone.
func (s *Sender) replacingLine(r record, f form) ([]byte, error) {
	story, err := s.restore(r)
	if err != nil {
		return nil, nil
	}
	t, ok := story.(Replaceable)
	if !ok {
		return nil, nil
	}
	return s.recorderOf(r).Encode(t.Replacing(r.info, f.info, f.kind))
}

// sendForm broadcasts a replacement and records what the node said.
func (s *Sender) sendForm(ctx context.Context, r record, f form, raw []byte) error {
	a, cause := s.broadcast(ctx, f.info, raw)
	s.step("replacement broadcast")
	write, cancel := writeContext(ctx)
	defer cancel()
	set := func(state, why string) error {
		return s.journal.atomically(write, func(tx *sql.Tx) error { return s.journal.setForm(write, tx, r.id, f.n, state, `reason = ?`, why) })
	}
	switch a {
	case neverLeft:
		return errors.Join(cause, s.abandonForm(ctx, r.id, f, fault.From(cause).Message))
	case refusedIt:
		// It may lie: what is reserved stays so until the nonce is used, and the hash
		// is looked for with the others.
		why := fault.From(cause).Message
		e := fault.Wrap(cause, fault.Upstream, "the replacement was refused: %s", why).WithSent(fault.SentMaybe).
			With("txHash", f.info.Hash.Hex()).With("nonce", f.info.Nonce).Hintf("find out what became of both: ape-claw nft resume")
		return errors.Join(e, set(StateRefused, why))
	case unclear:
		return set(StateUnknown, fault.From(cause).Message)
	}
	err := set(StateSent, "")
	s.step("replacement noted")
	return err
}

// abandonForm closes a replacement of which nothing was sent.
func (s *Sender) abandonForm(ctx context.Context, id string, f form, why string) error {
	write, cancel := writeContext(ctx)
	defer cancel()
	return s.journal.atomically(write, func(tx *sql.Tx) error {
		for _, ref := range f.spend {
			if err := s.o.Ledger.Release(write, tx, ref.ID); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(write, `DELETE FROM tx_event WHERE tx_id = ? AND step = ? AND logged = 0`, id, replacingStep(f.n)); err != nil {
			return err
		}
		return s.journal.setForm(write, tx, id, f.n, StateAbandoned, `raw = NULL, reason = ?`, why)
	})
}

// abandonForms closes the replacements of a transaction that were never signed.
func (s *Sender) abandonForms(ctx context.Context, r record) error {
	for _, f := range r.others {
		if f.state != StateIntended {
			continue
		}
		if err := s.abandonForm(ctx, r.id, f, "the run that intended it ended before it was signed"); err != nil {
			return err
		}
	}
	return nil
}
