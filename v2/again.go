package v2

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// againFor is how long whoever confirmed a write is taken to want it still.
const againFor = time.Hour

// Reconsider decides anew about a write that was signed and that no node may have:
// whether the same bytes may be sent (again). Every gate has to let it through as
// things are now, and the chain has to say that the call would succeed. What the
// ledger holds for it already is not counted twice. Who confirmed it then is taken to
// confirm it now, for an hour; --autonomous and receipts.auto are decided anew. It
// records nothing.
func (s *Service) Reconsider(ctx context.Context, told chain.Story, tx policy.Tx) error {
	return s.reconsider(ctx, told, tx, leave{})
}

// Reprice is Reconsider for the same write with a higher fee, to which a person at the
// terminal agreed. That is a new consent: it counts neither how long ago the old one
// was given, nor by whose leave. A person is no policy: all that it says now counts.
func (s *Service) Reprice(ctx context.Context, told chain.Story, tx policy.Tx) error {
	return s.reconsider(ctx, told, tx, leave{anew: true})
}

// leave is by whose leave a write is sent again: that of then, or one given anew, which
// is a person's unless it is --autonomous.
type leave struct{ anew, autonomous bool }

func (s *Service) reconsider(ctx context.Context, told chain.Story, tx policy.Tx, by leave) error {
	t, ok := told.(*story)
	if !ok {
		return fault.New(fault.Internal, "a story of kind %q is no v2 write", told.Kind()).WithSent(fault.SentNo)
	}
	if common.Address(tx.To) != common.HexToAddress(t.Contract.Address) || common.Address(tx.From) != t.Account {
		return fault.New(fault.UnsafeTransaction, "the journaled transaction is not the one that was confirmed").WithSent(fault.SentNo)
	}
	if age := s.now().Sub(t.At); !by.anew && (age < 0 || age >= againFor) {
		return fault.New(fault.QuoteExpired, "it was confirmed at %s, and that counts for an hour", t.At.UTC().Format(time.RFC3339)).
			Hintf("free its nonce, or send it with a higher fee: %s v2 resume --cancel, or --reprice", s.d.CLI).WithSent(fault.SentNo)
	}
	w := &writing{Service: s, to: tx.To, c: call{
		Op: t.Op, Command: t.Command, What: t.What, Contract: t.Contract, Data: tx.Data, Value: tx.Value,
		Go: Go{Autonomous: by.autonomous || !by.anew && t.Authority == authorityAutonomous},
	}}
	f, err := w.begin(ctx, policy.Execute)
	if err != nil {
		return err
	}
	if w.who != t.Account || w.action.ChainID != tx.ChainID {
		return fault.New(fault.UnsafeTransaction, "it was signed by %s on chain %d", t.Account.Hex(), tx.ChainID).WithSent(fault.SentNo)
	}
	if !by.anew {
		if err := stillAuto(f, t.Authority); err != nil {
			return err
		}
	}
	w.describe()
	if !w.c.Go.Autonomous {
		w.c.Go.Confirm = w.action.Phrase
	}
	_, err = w.chain.Call(ctx, w.msg(), nil, nil)
	reason, failed := failure(err)
	switch {
	case failed:
		w.simulation = policy.Simulation{State: policy.SimFailed, Reason: reason}
	case err != nil:
		return err
	default:
		w.simulation = policy.Simulation{State: policy.SimPassed}
	}
	w.fees.FeeCap = tx.FeeCap
	p := w.write(f)
	if p.Spent, p.SpentErr = s.spent(ctx, f.Policy, p.Scope()); p.SpentErr == nil {
		p.Spent, p.SpentErr = s.without(ctx, p, tx.Key)
	}
	return policy.DecideWrite(policy.Execute, f, p).Refusal()
}

// without takes out of the uses what is reserved for the write itself.
func (s *Service) without(ctx context.Context, p policy.Write, key string) ([]policy.Use, error) {
	ledger, err := s.d.Ledger(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]policy.Use, 0, len(p.Spent))
	for _, u := range p.Spent {
		own, err := ledger.Held(ctx, nil, key, u.Limit.Scope())
		if err == nil {
			u.Spent, err = u.Spent.Sub(own)
		}
		if err != nil {
			return nil, err
		}
		if own.Cmp(p.Value) < 0 && u.Limit.Scope() == (policy.Scope{Asset: p.Asset}) {
			return nil, fault.New(fault.CapExceeded, "the ledger holds %s APE for this transaction, and it sends %s APE", own.Decimal(units.APEDecimals), p.Value.Decimal(units.APEDecimals)).
				Hintf("run ape-claw doctor").WithSent(fault.SentNo)
		}
		out = append(out, u)
	}
	return out, nil
}
