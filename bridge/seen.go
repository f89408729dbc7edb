package bridge

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
)

// clocksApart is how far the clocks of two chains, and ours, are taken to be apart.
const clocksApart = 10 * time.Minute

// payment is funds that came to the account on a chain, as that chain shows it.
type payment struct {
	hash   string
	amount units.Wei
}

// paid looks for what the named transactions brought the account in a currency: those
// that the bridge names are only where to look. One that is older than the transfer, or
// that another transfer was settled by, brought it nothing.
func (s *Service) paid(ctx context.Context, r Request, chainID int64, token common.Address, hashes []string, since time.Time) (*payment, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	c, err := s.d.Node(ctx, chainID)
	if err != nil {
		return nil, err
	}
	db, err := s.d.State(ctx)
	if err != nil {
		return nil, err
	}
	account := common.HexToAddress(r.Account)
	for _, h := range hashes {
		hash := common.HexToHash(h)
		receipt, ok, err := c.Receipt(ctx, hash)
		if err != nil {
			return nil, err
		}
		if !ok || !receipt.Success {
			continue
		}
		head, ok, err := c.HeaderAt(ctx, receipt.Block)
		if err != nil {
			return nil, err
		}
		if !ok || head.Hash != receipt.BlockHash || time.Unix(int64(head.Time), 0).Before(since.Add(-clocksApart)) {
			continue
		}
		if taken, err := (Store{db}).settledBy(ctx, r.RequestID, h); err != nil || taken {
			if err != nil {
				return nil, err
			}
			continue
		}
		amount, err := s.brought(ctx, c, receipt, token, account)
		if err != nil {
			return nil, err
		}
		if !amount.IsZero() {
			return &payment{h, amount}, nil
		}
	}
	return nil, nil
}

// brought is what a transaction that succeeded brought an account.
func (s *Service) brought(ctx context.Context, c Node, r chain.Receipt, token, account common.Address) (units.Wei, error) {
	if token != Native {
		return moved(r, token, Native, account), nil
	}
	to, value, ok, err := c.Payment(ctx, r.TxHash)
	switch {
	case err != nil:
		return units.Wei{}, err
	case ok && to == account:
		return value, nil
	case r.Block == 0:
		return units.Wei{}, nil
	}
	// Paid by a contract: no log tells of it, the balance does.
	after, err := c.BalanceAt(ctx, account, r.Block)
	if err != nil {
		return units.Wei{}, err
	}
	before, err := c.BalanceAt(ctx, account, r.Block-1)
	if err != nil {
		return units.Wei{}, err
	}
	rose, err := after.Sub(before)
	if err != nil { // it fell
		return units.Wei{}, nil
	}
	return rose, nil
}
