package chain

import (
	"context"
	"errors"
	"fmt"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Recover completes what earlier runs of this account left on a chain, as far as
// the node's receipts and the journal tell, and returns what is still open. It
// sends nothing. Submit does the same first.
func (s *Sender) Recover(ctx context.Context, chainID int64) ([]OpenTx, error) {
	unlock, err := s.lock(ctx, chainID)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.recover(ctx, chainID, false); err != nil {
		return nil, err
	}
	return s.openTxs(ctx, chainID)
}

func (s *Sender) openTxs(ctx context.Context, chainID int64) ([]OpenTx, error) {
	rs, err := s.journal.open(ctx, chainID, s.Address())
	out := make([]OpenTx, 0, len(rs))
	for _, r := range rs {
		out = append(out, r.open(s.o.Now()))
	}
	return out, err
}

// recover settles by hash and completes the event trail: what a node refused and
// mined all the same, what a reorganisation took back, and what is open. Thorough,
// it asks for the receipts of what was mined, not only for the last one's block.
// The caller holds the account's lock, so no other process works on these rows.
func (s *Sender) recover(ctx context.Context, chainID int64, thorough bool) error {
	rs, err := s.journal.refused(ctx, chainID, s.Address())
	if err != nil {
		return err
	}
	for _, r := range rs {
		if err := s.recheck(ctx, r); err != nil {
			return err
		}
	}
	if err := s.recheckMined(ctx, chainID, thorough); err != nil {
		return err
	}
	if rs, err = s.journal.open(ctx, chainID, s.Address()); err != nil {
		return err
	}
	for _, r := range rs {
		if err := s.resolve(ctx, r); err != nil {
			return err
		}
	}
	return s.complete(ctx, chainID)
}

// recheck looks whether a transaction that counts as spent, since a node refused
// it or its nonce went to another, was mined all the same, and then settles it as
// what it is. Whatever else the node says changes nothing: it stays booked in
// full, and is looked for again.
func (s *Sender) recheck(ctx context.Context, r record) error {
	by, receipt, ok, err := s.mined(ctx, r)
	if err != nil || !ok {
		return ctx.Err()
	}
	story, err := s.restore(r)
	if err != nil {
		return nil
	}
	check, cancel := context.WithTimeout(ctx, min(unclearWait, s.o.Wait))
	defer cancel()
	f := flow{Sender: s, story: story, r: r, by: by, rec: s.recorderOf(r), late: true}
	v, err := f.conclude(check, receipt)
	if err != nil {
		return ctx.Err()
	}
	write, cancelWrite := writeContext(ctx)
	defer cancelWrite()
	return f.settle(write, v, receipt)
}

// mined looks for the receipts of all forms; ok is false while there is none.
// Receipts of two forms can't both be true, so neither is believed.
func (s *Sender) mined(ctx context.Context, r record) (by form, receipt Receipt, ok bool, err error) {
	for _, o := range r.forms() {
		got, found, err := s.receipt(ctx, o.info)
		switch {
		case err != nil:
			return form{}, Receipt{}, false, err
		case found && ok:
			return form{}, Receipt{}, false, fault.Wrap(errImplausible, fault.Upstream,
				"the node shows receipts of two transactions with nonce %d: %s and %s", r.info.Nonce, by.info.Hash.Hex(), o.info.Hash.Hex())
		case found:
			by, receipt, ok = o, got, true
		}
	}
	return by, receipt, ok, nil
}

// resolve closes a row whose fate can be known. Its lines are left to complete.
func (s *Sender) resolve(ctx context.Context, r record) error {
	if r.state == StateIntended {
		// Bytes are on disk before they are sent: without them nothing was.
		return s.abandon(ctx, r, "the run that intended it ended before it was signed")
	}
	if err := s.abandonForms(ctx, r); err != nil {
		return err
	}
	by, receipt, ok, err := s.mined(ctx, r)
	if errors.Is(err, errImplausible) {
		return nil // as if there were none: it stays open, and is asked for again
	}
	if err == nil && !ok {
		var first bool
		if first, err = s.passedBy(ctx, r); first && err == nil {
			// The block may have come between the two questions.
			if by, receipt, ok, err = s.mined(ctx, r); errors.Is(err, errImplausible) {
				return nil
			}
		}
	}
	if err != nil || !ok {
		return err
	}
	story, err := s.restore(r)
	if err != nil {
		return nil // it stays open, which refuses further sending and says why
	}
	check, cancel := context.WithTimeout(ctx, min(unclearWait, s.o.Wait))
	defer cancel()
	f := flow{Sender: s, story: story, r: r, by: by, rec: s.recorderOf(r), late: true}
	v, err := f.conclude(check, receipt)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		// The returned error is about that transaction: the row, unknown now, says
		// the same to whoever wants to send.
		why := "mined, but not confirmed: " + fault.From(err).Message
		_ = f.unknown(ctx, fault.SentYes, why)
		if fault.CodeOf(err) == fault.Upstream || check.Err() != nil {
			return nil // nobody said anything about the transaction
		}
		return s.disputed(ctx, r, why)
	}
	write, cancelWrite := writeContext(ctx)
	defer cancelWrite()
	return f.settle(write, v, receipt)
}

func (s *Sender) restore(r record) (Story, error) {
	if s.o.Restore == nil {
		return nil, fmt.Errorf("nothing tells stories of kind %q", r.context.Kind)
	}
	return s.o.Restore(r.context.Kind, r.context.Story)
}

// complete appends the journaled lines that the log lacks: a run may have ended
// between the journal and the log, or between the log and the note of it.
func (s *Sender) complete(ctx context.Context, chainID int64) error {
	lines, err := s.journal.unlogged(ctx, chainID, s.Address())
	if err != nil {
		return err
	}
	// These events are of other runs: they count for neither this run's number of
	// events nor its failures.
	rec := s.o.Recorder
	if s.o.RecorderFor != nil {
		rec = s.o.RecorderFor(rec.Scope())
	}
	for _, e := range lines {
		found, err := s.logged(ctx, e.line)
		if err != nil {
			return err
		}
		if !found {
			if err := rec.AppendLine(ctx, e.line, true); err != nil {
				return err
			}
		}
		if err := s.journal.logged(ctx, e.tx, e.step); err != nil {
			return err
		}
	}
	return nil
}
