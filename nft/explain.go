package nft

import (
	"context"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// ExplainIn is a command of this package that policy is to be explained for:
// nft quote by what it would quote, nft simulate and nft buy by a saved quote.
type ExplainIn struct {
	Command    string // "nft quote", "nft simulate" or "nft buy"
	Collection string
	TokenID    string
	MaxPrice   string
	Currency   string
	Quote      string // quote id
	Confirm    string
	Autonomous bool
}

// Explain returns every gate of a command in order, with what was measured and
// what it was held against: from the saved quote and simulation, the files and
// the ledger. It asks no network, records nothing and changes nothing. A quote
// that is unknown or used is an error, since no gate is about that.
func (s *Service) Explain(ctx context.Context, in ExplainIn) ([]policy.Gate, error) {
	f, err := s.d.Fence(ctx)
	if err != nil {
		return nil, err
	}
	unread := f.Err != nil || f.Policy == nil || f.Allowlist == nil
	if unread {
		f = policy.Fence{Halt: f.Halt, Err: f.Err} // the gates that need no policy
	}
	switch in.Command {
	case cmdQuote:
		return s.explainQuote(f, unread, in)
	case cmdSimulate, cmdBuy:
	default:
		return nil, fault.New(fault.Usage, "\"%s\" is no command that policy stands before", shown(in.Command)).
			Hintf("one of: %s, %s, %s", cmdQuote, cmdSimulate, cmdBuy)
	}
	stage := policy.Execute
	if in.Command == cmdSimulate {
		stage = policy.Inspect
	}
	q, err := s.unused(ctx, in.Quote)
	if err != nil {
		return nil, err
	}
	if unread {
		return policy.Decide(stage, f, policy.Purchase{}).Gates(), nil
	}
	if err := s.otherChain(f, q, in.Command); err != nil {
		return nil, err
	}
	var who *common.Address
	if addr, err := s.d.Buyer(ctx); err == nil {
		who = &addr
	}
	p, err := s.saved(ctx, f, q, who)
	if err != nil {
		return nil, err
	}
	p.Confirm, p.Autonomous = in.Confirm, in.Autonomous
	p.Spent, p.SpentErr = s.spent(ctx, f.Policy, p.Scope())
	gates := policy.Decide(stage, f, p).Gates()
	for i := range gates {
		if err := gates[i].Fault(); !gates[i].OK {
			s.name(q, err)
			gates[i].Change = err.Hint
		}
	}
	return gates, nil
}

// explainQuote explains what holds before a listing is known: its price is not.
func (s *Service) explainQuote(f policy.Fence, unread bool, in ExplainIn) ([]policy.Gate, error) {
	if unread {
		return policy.Decide(policy.Inspect, f, policy.Purchase{}).Gates(), nil
	}
	ask := QuoteIn{Collection: in.Collection, TokenID: in.TokenID, MaxPrice: in.MaxPrice, Currency: in.Currency}
	if ask.Currency == "" {
		ask.Currency = f.Policy.NativeToken
	}
	limit, err := ask.parse()
	if err != nil {
		return nil, err
	}
	return policy.Decide(policy.Inspect, f, s.asked(f, ask, limit)).Gates(), nil
}

// Reconsider decides anew about a purchase that was signed and that no node may
// have: whether the same bytes may be sent (again). Every gate has to let it
// through as things are now, its quote and its order have to be alive, and the
// chain has to say that the bytes would still buy the token. What the ledger holds
// for it already is not counted twice. Who confirmed it then is taken to confirm
// it now; --autonomous is decided anew. It records nothing.
func (s *Service) Reconsider(ctx context.Context, told chain.Story, tx policy.Tx) error {
	return s.reconsider(ctx, told, tx, false)
}

// Reprice is Reconsider for the same purchase with a higher fee, to which a person
// at the terminal agreed. That is a new consent: neither the short life of the
// quote counts, nor by whose leave it was bought before. A person is no policy: all
// that it says now counts, and the order's end.
func (s *Service) Reprice(ctx context.Context, told chain.Story, tx policy.Tx) error {
	return s.reconsider(ctx, told, tx, true)
}

func (s *Service) reconsider(ctx context.Context, told chain.Story, tx policy.Tx, agreed bool) error {
	t, ok := told.(*story)
	if !ok {
		return fault.New(fault.Internal, "a story of kind %q is not a purchase", told.Kind()).WithSent(fault.SentNo)
	}
	f, err := s.fence(ctx, policy.Execute)
	if err == nil {
		err = s.otherChain(f, t.Quote, cmdBuy)
	}
	if err != nil {
		return err
	}
	p := s.purchase(f, t.Quote)
	// What the gates look at is what is on its way.
	p.Price, p.FeeLimit = tx.Value, tx.FeeCap
	p.Target = lower(tx.To)
	if tx.Value.Cmp(t.Quote.PriceWei) > 0 || tx.Key != t.Quote.key() {
		return fault.New(fault.UnsafeTransaction, "the journaled transaction is not the quoted purchase").WithSent(fault.SentNo)
	}
	if agreed {
		p.QuoteExpires = p.OrderExpires
	}
	if p.Autonomous = !agreed && t.Authority == authorityAutonomous; !p.Autonomous {
		p.Confirm = p.Phrase()
	}
	p.Simulation = policy.Simulation{State: policy.SimPassed} // below, by the chain
	if p.Spent, p.SpentErr = s.spent(ctx, f.Policy, p.Scope()); p.SpentErr == nil {
		p.Spent, p.SpentErr = s.without(ctx, p, tx.Key)
	}
	if err := policy.Decide(policy.Execute, f, p).Refusal(); err != nil {
		return err // what needs no network first
	}
	run, err := s.tryAgain(ctx, t, tx)
	if err != nil {
		return err
	}
	p.OthersGet, p.ChainNow = &run.got.Fees, later(s.now(), run.head).Add(OrderMargin)
	return policy.Decide(policy.Execute, f, p).Refusal()
}

// tryAgain verifies and runs the bytes of a journaled purchase once more.
func (s *Service) tryAgain(ctx context.Context, t *story, tx policy.Tx) (trial, error) {
	run := trial{buyer: buyer{addr: t.Buyer}}
	var err error
	if run.chain, err = s.d.Chain(ctx); err != nil {
		return run, err
	}
	switch got, err := run.chain.ChainID(ctx); {
	case err != nil:
		return run, err
	case got != tx.ChainID:
		return run, fault.New(fault.ChainMismatch, "the RPC answers for chain %d, and the purchase is for chain %d", got, tx.ChainID).WithSent(fault.SentNo)
	}
	if run.head, err = run.chain.Head(ctx); err != nil {
		return run, err
	}
	if run.want, err = s.wanted(ctx, t.Quote, run); err != nil {
		return run, err
	}
	run.call = seaport.Call{ChainID: tx.ChainID, To: tx.To, Value: tx.Value, Data: tx.Data}
	if run.got, err = seaport.Verify(run.call, run.want); err != nil {
		return run, err
	}
	return run, s.run(ctx, t.Quote, &run)
}

// without takes out of the uses what is reserved for the purchase itself.
func (s *Service) without(ctx context.Context, p policy.Purchase, key string) ([]policy.Use, error) {
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
		if own.Cmp(p.Price) < 0 && u.Limit.Scope() == (policy.Scope{Asset: p.Asset}) {
			return nil, fault.New(fault.CapExceeded, "the ledger holds less for %s than this purchase reserved", u.Limit.Name).
				Hintf("run ape-claw doctor").WithSent(fault.SentNo)
		}
		out = append(out, u)
	}
	return out, nil
}
