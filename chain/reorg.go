package chain

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// recheckAge is how long an outcome is held against the chain again: a receipt
	// of ApeChain is the sequencer's soft confirmation, and what goes back goes
	// back soon.
	recheckAge = time.Hour
	// recheckMost is how many of the newest outcomes are.
	recheckMost = 16
)

// mined returns the newest outcomes of an account that say that a form was
// mined, by falling nonce.
func (j journal) mined(ctx context.Context, chainID int64, account common.Address, since time.Time) ([]record, error) {
	return j.query(ctx, `SELECT `+recordColumns+` FROM tx WHERE state IN ('confirmed', 'reverted', 'cancelled') AND chain_id = ? AND account = ?
		AND updated_at > ? ORDER BY nonce DESC, rowid DESC LIMIT ?`, chainID, lower(account), since.UnixMilli(), recheckMost)
}

// recheckMined returns recent outcomes to unknown that are not the chain's any
// more: a reorganisation took the block, or there never was one. If the newest
// block that we know of is still the chain's, so are those before it, and one
// call is enough; thorough asks for every receipt.
func (s *Sender) recheckMined(ctx context.Context, chainID int64, thorough bool) error {
	since := s.o.Now().Add(-recheckAge)
	rs, err := s.journal.mined(ctx, chainID, s.Address(), since)
	if err != nil || len(rs) == 0 {
		return err
	}
	if !thorough {
		newest := rs[0]
		for _, r := range rs {
			if r.block > newest.block {
				newest = r
			}
		}
		same, err := s.sameBlock(ctx, newest)
		if err != nil || same {
			return err
		}
	}
	return s.recheckRows(ctx, chainID, recheckAge)
}

// sameBlock reports whether the block of an outcome is the chain's. A node that
// does not have it yet is given time to catch up.
func (s *Sender) sameBlock(ctx context.Context, r record) (bool, error) {
	limit, cancel := context.WithTimeout(ctx, behindWait)
	defer cancel()
	for wait := pollFirst; ; {
		h, ok, err := s.client.HeaderAt(ctx, r.block)
		if err != nil {
			return false, err
		}
		if ok {
			return h.Hash == r.inBlock, nil
		}
		if !pause(limit, &wait) {
			return false, ctx.Err()
		}
	}
}

// recheckRows asks for the receipts of what was mined; age 0 is any.
func (s *Sender) recheckRows(ctx context.Context, chainID int64, age time.Duration) error {
	since := time.Time{}
	if age > 0 {
		since = s.o.Now().Add(-age)
	}
	rs, err := s.journal.mined(ctx, chainID, s.Address(), since)
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, behindWait)
	defer cancel()
	// The oldest first: what goes back to unknown is told in order.
	for i := len(rs) - 1; i >= 0; i-- {
		why, err := s.gone(ctx, limit, rs[i])
		if err == nil && why != "" {
			err = s.reopen(ctx, rs[i], why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// gone returns why an outcome does not hold any more, "" when it does or nobody
// can say: a node that has no receipt and yet counts the nonce as used withholds
// something, and one that is behind catches up within limit.
func (s *Sender) gone(ctx, limit context.Context, r record) (string, error) {
	for wait := pollFirst; ; {
		by, receipt, ok, err := s.mined(ctx, r)
		switch {
		case errors.Is(err, errImplausible):
			return "", nil
		case err != nil:
			return "", err
		case ok && by.n != r.won:
			return fmt.Sprintf("a reorganisation of the chain put transaction %s in its place", by.info.Hash.Hex()), nil
		case ok && receipt.BlockHash != r.inBlock:
			return fmt.Sprintf("a reorganisation of the chain moved it from block %d to block %d", r.block, receipt.Block), nil
		case ok:
			return "", nil
		}
		used, err := s.client.NonceAt(ctx, s.Address())
		if err != nil {
			return "", err
		}
		if used > r.info.Nonce {
			return "", nil
		}
		if !pause(limit, &wait) {
			return fmt.Sprintf("the chain does not hold it any more: it was said to be in block %d, which a reorganisation took back or another node made up", r.block), ctx.Err()
		}
	}
}

// reopen returns an outcome to unknown: its reservations count in full again, the
// account sends nothing else, and the trail says why.
func (s *Sender) reopen(ctx context.Context, r record, why string) error {
	story, err := s.restore(r)
	if err != nil {
		return nil // what can't be told is left as it was
	}
	rec := s.recorderOf(r)
	line, err := rec.Encode(story.Unknown(r.wonForm().info, fault.SentYes, why))
	if err != nil {
		return err
	}
	write, cancel := writeContext(ctx)
	defer cancel()
	r.round++
	err = s.journal.atomically(write, func(tx *sql.Tx) error {
		if err := s.revive(write, tx, r); err != nil {
			return err
		}
		if err := s.journal.set(write, tx, r.id, StateUnknown, `round = ?, won = 0, passed_at = NULL, block = NULL, block_hash = NULL,
			gas_used = NULL, gas_price = NULL, reason = ?`, r.round, why); err != nil {
			return err
		}
		return s.journal.addLine(write, tx, r.id, r.step(stepUnknown), line)
	})
	s.step("reopened")
	return err
}
