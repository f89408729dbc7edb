package chain

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// answer is what came of a broadcast.
type answer int

const (
	took      answer = iota // the node has it
	unclear                 // nobody knows whether the node has it
	refusedIt               // the node was given it, and says that it did not take it
	neverLeft               // no connection was made: no node has seen it
)

// broadcast hands the bytes to the node, once. A refusal is a node's own error of
// a known kind, from a node that does not know the hash. cause is the failure of
// everything but took.
func (s *Sender) broadcast(ctx context.Context, info TxInfo, raw []byte) (a answer, cause error) {
	bctx, cancel := lingering(ctx, sendGrace)
	defer cancel()
	hash, connected, err := s.client.sendRaw(bctx, raw)
	switch {
	case err == nil && hash == info.Hash:
		return took, nil
	case err == nil:
		return unclear, s.client.garbage("eth_sendRawTransaction", errGarbage)
	case !connected && neverSent(err):
		return neverLeft, err
	}
	class := ClassOther
	var node *NodeError
	var revert *RevertError
	switch {
	case errors.As(err, &node):
		class = node.Class
	case errors.As(err, &revert):
		class = ClassReverted
		err = wouldFail(err)
	}
	if class == ClassAlreadyKnown {
		return took, nil
	}
	if !refused[class] {
		return unclear, err
	}
	// A proxy may have sent it twice and tell of the second time: look for it.
	known, lookErr := s.look(bctx, info.Hash, class)
	switch {
	case lookErr != nil:
		return unclear, err
	case known:
		return took, nil
	}
	return refusedIt, err
}

// look reports whether the node knows a transaction it says it refused. It looks
// for a while where the refusal may be about a second copy: "nonce too low" is
// also what a node says when another one behind the same URL has just mined it.
func (s *Sender) look(ctx context.Context, hash common.Hash, class Class) (bool, error) {
	looks := 1
	if class == ClassNonceTooLow || class == ClassRateLimited {
		looks = 9
	}
	for wait := pollFirst; looks > 0; looks-- {
		_, mined, err := s.client.Receipt(ctx, hash)
		if err != nil || mined {
			return mined, err
		}
		known, err := s.client.Known(ctx, hash)
		if err != nil || known {
			return known, err
		}
		if looks > 1 && !pause(ctx, &wait) {
			return false, ctx.Err()
		}
	}
	return false, nil
}

// refuse closes a transaction that a node says it did not take. The node had the
// signed bytes, and may lie: what they can cost is booked as spent, so that it
// counts for the window of the caps, and the hash is kept, so that a later run
// notices if it was mined after all. The key is free again: what it buys can be
// bought only once. The account is free too, since an honest refusal is common
// and nothing would ever resolve it.
func (s *Sender) refuse(ctx context.Context, r record, cause error) error {
	why := fault.From(cause).Message
	e := fault.Wrap(cause, fault.Upstream, "%s", why).WithSent(fault.SentMaybe).
		With("txHash", r.info.Hash.Hex()).With("nonce", r.info.Nonce).
		Hintf("mend the cause or use another RPC URL, then try again; in case the node lies, price and fee limit count against the daily cap for 24 h")
	write, cancel := writeContext(ctx)
	defer cancel()
	err := s.journal.atomically(write, func(tx *sql.Tx) error {
		for _, ref := range r.spend {
			if err := s.o.Ledger.Settle(write, tx, ref.ID, ref.Amount); err != nil {
				return err
			}
		}
		return s.journal.set(write, tx, r.id, StateRefused, `raw = NULL, reason = ?`, why)
	})
	if err != nil {
		// It is still open, as signed: that counts in full, and refuses more.
		return errors.Join(e, err)
	}
	s.step("refused")
	return e
}

// reviveKey separates the key of a refused transaction that was mined after all
// from its id, when another transaction uses the key by then.
const reviveKey = "#"

// revive makes a closed transaction one that counts as what it becomes: its
// reservations are unresolved again, and its key is made distinct if it was used
// again since.
func (s *Sender) revive(ctx context.Context, tx *sql.Tx, r record) error {
	for _, ref := range r.reserved() {
		if err := s.o.Ledger.Reopen(ctx, tx, ref.ID); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE tx SET key = key || ? || id WHERE id = ? AND EXISTS
		(SELECT 1 FROM tx o WHERE o.key = tx.key AND o.id <> tx.id AND o.state NOT IN `+freeStates+`)`, reviveKey, r.id)
	return err
}
