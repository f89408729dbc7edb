package nft

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// buyOptions are what a caller in this package says beside the input.
type buyOptions struct {
	limit      *units.Wei // the most that the purchase may cost, gas apart; nil: the quote's price alone bounds it
	authority  string     // by whose leave, for the journal; "" is the input's phrase, --autonomous, or the person asked
	skipPhrase bool       // a person confirmed what this purchase is part of, in words that name its price
}

// execution is one purchase on its way from the gates to the signature.
type execution struct {
	*Service
	in  BuyIn
	opt buyOptions
	who common.Address

	quote   Quote           // what was quoted: its price is the one that is confirmed
	order   Quote           // the order that is bought: the quoted one, or one that replaced it
	first   policy.Purchase // what the gates saw of the saved quote and simulation
	maxFee  *units.BPS      // the most of the price that others than the seller may get; nil: unlimited
	asks    bool            // a person at the terminal confirms
	retries []Retry
}

// ready is a purchase that only the signature is missing from.
type ready struct {
	trial    trial
	sender   Sender
	prepared chain.Prepared
	confirm  string // the phrase
}

// execute buys: every gate on what is saved, a fresh fulfilment built, verified
// and simulated, the word of the person who is asked, every gate again, policy's
// grant for exactly those bytes, and the sender. While the order turns out to be
// gone and another one may replace it, it starts over with that one.
func (s *Service) execute(ctx context.Context, q Quote, in BuyIn, o buyOptions) (BuyOut, error) {
	x := &execution{Service: s, in: in, opt: o, quote: q, order: q}
	if err := x.admit(ctx); err != nil {
		return BuyOut{}, cmp.Or(x.lostRace(ctx), err)
	}
	for {
		r, err := x.ready(ctx)
		if err == nil {
			return x.submit(ctx, r)
		}
		if lost := x.lostRace(ctx); lost != nil {
			return BuyOut{}, lost
		}
		gone := err
		if err = x.replace(ctx, gone); err != nil {
			return BuyOut{}, x.failed(ctx, r.trial, err)
		}
	}
}

// admit holds the saved quote and simulation against every gate. Whoever is
// asked at the terminal has not typed the phrase yet: it counts as given here,
// and as what was typed when it comes to the signature.
func (x *execution) admit(ctx context.Context) error {
	if x.in.Order != "" && x.quote.OrderHash != x.in.Order {
		return altered(x.quote.QuoteID, "orderHash", x.quote.OrderHash)
	}
	f, err := x.fence(ctx, policy.Execute)
	if err == nil {
		err = x.otherChain(f, x.quote, cmdBuy)
	}
	if err != nil {
		return err
	}
	who, keyErr := x.d.Buyer(ctx)
	known := &who
	if keyErr != nil {
		known = nil
	}
	if x.first, err = x.saved(ctx, f, x.quote, known); err != nil {
		return err
	}
	x.asks = x.d.Ask != nil && x.in.Confirm == "" && !x.in.Autonomous && !x.opt.skipPhrase && f.Policy.Execution.ConfirmPhraseRequired
	x.first.Confirm, x.first.Autonomous = x.in.Confirm, x.in.Autonomous
	if x.asks || x.opt.skipPhrase {
		x.first.Confirm = x.first.Phrase()
	}
	if err := x.decide(ctx, f, &x.first).Refusal(); err != nil {
		return err
	}
	if l := x.opt.limit; l != nil && x.quote.PriceWei.Cmp(*l) > 0 {
		return fault.New(fault.PriceOverLimit, "price %s %s is over the %s that are left for it", x.quote.PriceApe, x.quote.Currency, l.Decimal(units.APEDecimals)).
			Hintf("choose a cheaper token").WithSent(fault.SentNo).With("gate", policy.GateMaxPrice)
	}
	if most := f.Policy.NFTBuy.MaxMarketplaceFee; !most.Unlimited {
		x.maxFee = &most.Max
	}
	x.who = who
	return keyErr
}

// ready builds, verifies and simulates the purchase of the order, fixes its gas
// terms, and has a person confirm it where one is asked. What a failure leaves
// is in the returned trial.
func (x *execution) ready(ctx context.Context) (r ready, err error) {
	if r.trial, err = x.try(ctx, x.order, buyer{addr: x.who}, x.maxFee); err != nil {
		return r, err
	}
	if r.sender, r.prepared, err = x.prepare(ctx, r.trial); err != nil {
		if fault.CodeOf(err) == fault.SimulationFailed { // it passed a moment ago: ask the chain what happened
			if again := x.run(ctx, x.order, &r.trial); errors.Is(again, errGone) {
				err = again
			}
		}
		return r, err
	}
	r.confirm = x.first.Confirm
	if x.asks {
		if r.confirm, err = x.ask(ctx, r); err != nil {
			return r, err
		}
		err = x.still(ctx, &r)
	}
	return r, err
}

// prepare fixes the gas terms of the verified bytes.
func (x *execution) prepare(ctx context.Context, t trial) (Sender, chain.Prepared, error) {
	sender, err := x.d.Sender(ctx)
	if err != nil {
		return nil, chain.Prepared{}, err
	}
	if sender.Address() != t.buyer.addr {
		return nil, chain.Prepared{}, fault.New(fault.Internal, "the sender is not the buyer").WithSent(fault.SentNo)
	}
	story := newStory(x.order, t.buyer.addr, t.chain)
	story.Subject, story.Authority = x.d.Subject, x.authority()
	if x.order.OrderHash != x.quote.OrderHash {
		story.Replaces = x.quote.OrderHash
	}
	most, err := x.ceiling(t.call.Value)
	if err != nil {
		return nil, chain.Prepared{}, err
	}
	prepared, err := sender.Prepare(ctx, chain.Intent{
		Key: x.quote.key(), ChainID: x.quote.ChainID, To: t.call.To, Value: t.call.Value, Data: t.call.Data, FeeCeiling: most,
		Story: story,
	})
	return sender, prepared, x.tooDear(x.quote, x.first, err)
}

// authority says by whose leave the purchase is made, for the journal.
func (x *execution) authority() string {
	switch {
	case x.opt.authority != "":
		return x.opt.authority
	case x.asks:
		return authorityTerminal
	case x.in.Confirm == "" && x.in.Autonomous:
		return authorityAutonomous
	}
	return authorityPhrase
}

// gates is what will be signed, for policy read anew: somebody may have halted or
// narrowed it since, and the time goes on. The price stays the quoted one, which
// the phrase names; the verified value is not above it.
func (x *execution) gates(ctx context.Context, r ready) (policy.Decision, error) {
	f, err := x.fence(ctx, policy.Execute)
	if err != nil {
		return policy.Decision{}, err
	}
	p := x.purchase(f, x.quote)
	p.Confirm, p.Autonomous = r.confirm, x.in.Autonomous
	p.FeeLimit = r.prepared.Fees.FeeCap
	p.Target = lower(r.trial.call.To)
	p.OthersGet = &r.trial.got.Fees
	p.ChainNow = later(x.now(), r.trial.head).Add(OrderMargin)
	p.OrderExpires = x.orderEnds(r.trial)
	p.Simulation = policy.Simulation{State: policy.SimPassed}
	return x.decide(ctx, f, &p), nil
}

// longTurn is a wait for the account's turn after which what was prepared is
// looked at once more.
const longTurn = 5 * time.Second

// submit has the sender sign and send what every gate lets through.
func (x *execution) submit(ctx context.Context, r ready) (BuyOut, error) {
	// The account's turn first: what is decided must not grow old in a queue.
	if s, ok := r.sender.(interface {
		Turn(ctx context.Context, chainID int64) (release func(), err error)
	}); ok {
		asked := x.now()
		release, err := s.Turn(ctx, x.quote.ChainID)
		if err != nil {
			return BuyOut{}, err
		}
		defer release()
		if x.now().Sub(asked) > longTurn {
			if err := x.still(ctx, &r); err != nil {
				return BuyOut{}, err
			}
		}
	}
	d, err := x.gates(ctx, r)
	if err != nil {
		return BuyOut{}, err
	}
	expires := earlier(earlier(x.now().Add(grantTTL), x.quote.ExpiresAt), x.orderEnds(r.trial).Add(-OrderMargin))
	grant, err := d.Authorize(r.prepared.PolicyTx(), expires)
	if err != nil {
		return BuyOut{}, err
	}
	store.CrashPoint("nft: allowed")
	outcome, err := r.sender.Submit(ctx, r.prepared, grant)
	store.CrashPoint("nft: sent")
	x.note(ctx, x.quote, outcome, err)
	store.CrashPoint("nft: noted")
	if err != nil {
		return BuyOut{}, err
	}
	return x.bought(r.trial, outcome), nil
}

// lostRace is the refusal of a quote that another run bought meanwhile, or of
// which a transaction may be under way: that is then the reason, whatever a gate
// or the trial met.
func (x *execution) lostRace(ctx context.Context) error {
	if _, err := x.unused(ctx, x.quote.QuoteID); fault.CodeOf(err) == fault.QuoteUsed {
		return err
	}
	return nil
}

// failed keeps the outcome of a trial that failed: it closes the gate that the
// simulation had opened.
func (x *execution) failed(ctx context.Context, t trial, cause error) error {
	switch fault.CodeOf(cause) {
	case fault.SimulationFailed, fault.UnsafeTransaction:
		return errors.Join(cause, x.keep(ctx, x.quote, t, cause))
	}
	return cause
}
