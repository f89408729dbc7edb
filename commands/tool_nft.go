package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	aboutBuy = "Propose to buy the token of a quote. It has to be simulated first (nft_simulate). The card shows what would be bought, " +
		"from whom, for how much, with fees, balance and daily caps. Exactly this order is bought, or nothing."
	aboutSimulate = "Run a quote's purchase against the chain, as the buyer would send it, without signing it: the marketplace's exact transaction, " +
		"checked to buy what was quoted and nothing else. A quote can be bought for five minutes after it passed."
	aboutAutobuy = "Propose to buy the cheapest tokens that fit: it looks at the listings of several collections, chooses by maxPrice, count and budget " +
		"what policy would let be bought, and saves that as a plan, which is on the card token by token. Give maxPrice and budget, or the id of a saved plan alone. " +
		"Only what is on the plan can be bought."
)

// proposer is a command of a grade above read: the facts that a person decides by, and
// what is done then. Arguments of both are those of the tool, or those that a preview
// returned.
type proposer interface {
	preview(ctx context.Context, d *Deps, args json.RawMessage) (ai.Preview, error)
	execute(ctx context.Context, d *Deps, args json.RawMessage, a ai.Approval) (any, error)
}

// buyProposer is nft buy.
type buyProposer struct{ c Command }

// buyArgs are what is executed: the quote, and the order that the card showed.
type buyArgs struct {
	OrderHash string `json:"orderHash,omitempty"`
	Quote     string `json:"quote"`
}

func (p buyProposer) preview(ctx context.Context, d *Deps, args json.RawMessage) (ai.Preview, error) {
	var in buyArgs
	if err := json.Unmarshal(args, &in); err != nil {
		return ai.Preview{}, badArgument("quote", err)
	}
	asked, err := rawJSON(buyArgs{Quote: in.Quote})
	if err != nil {
		return ai.Preview{}, err
	}
	if in.OrderHash != "" { // what a person decides by is what is for sale now, not when it was proposed
		if err := d.tryAnew(ctx, asked); err != nil {
			return ai.Preview{}, staleReference(err, "quote", "make a new one with nft_quote, and simulate it with nft_simulate")
		}
	}
	got, err := p.c.call(ctx, d, asked)
	if err != nil {
		return ai.Preview{}, staleReference(err, "quote", "make a new one with nft_quote, and simulate it with nft_simulate")
	}
	out, ok := got.(nft.BuyOut)
	if !ok {
		return ai.Preview{}, fault.New(fault.Internal, "nft buy answers with %T", got)
	}
	if err := wouldBlock(out.WouldBlock, "quoteId", out.QuoteID); err != nil {
		return ai.Preview{}, err
	}
	if _, err := d.buyer(ctx); err != nil {
		return ai.Preview{}, err // a card that nobody could carry out
	}
	if out.Action == nil || out.ConfirmPhrase == "" {
		return ai.Preview{}, fault.New(fault.PolicyBlocked, "what quote %s buys can't be told", out.QuoteID).WithSent(fault.SentNo)
	}
	a := *out.Action
	binding, err := d.binding(ctx, a.Collection, a.Contract)
	if err != nil {
		return ai.Preview{}, err
	}
	run, err := rawJSON(buyArgs{OrderHash: a.OrderHash, Quote: out.QuoteID})
	if err != nil {
		return ai.Preview{}, err
	}
	most := a.PriceWei
	if a.MaxTotalWei != nil {
		most = *a.MaxTotalWei
	}
	price := a.PriceWei.Decimal(units.APEDecimals)
	expires := a.QuoteExpires
	if end := a.OrderExpires.Add(-nft.OrderMargin); end.Before(expires) {
		expires = end
	}
	return ai.Preview{
		Title:       fmt.Sprintf("Buy %s #%s for %s %s", a.Collection, a.TokenID, price, a.Currency),
		Impact:      fmt.Sprintf("%s %s leave %s for good, and gas. One NFT of the contract %s comes to the same account. It can't be undone.", price, a.Currency, a.Buyer, a.Contract),
		Facts:       buyFacts(a, binding["profile"], price),
		Identifiers: map[string]string{"collection": a.Collection, "tokenId": a.TokenID, "priceApe": price},
		Phrase:      out.ConfirmPhrase,
		Binding:     binding,
		Spends:      []ai.Amount{nativeAmount(a.ChainID, a.Currency, most)},
		Args:        run,
		TraceID:     out.Quote.TraceID,
		Untrusted:   []string{out.Quote.Source},
		Expires:     expires,
		Reference:   out.QuoteID,
	}, nil
}

// tryAnew simulates a quote's purchase as nft simulate does.
func (d *Deps) tryAnew(ctx context.Context, args json.RawMessage) error {
	simulate := newNFTSimulate()
	child := d.child(simulate.Spec, d.caller)
	defer child.close()
	_, err := simulate.call(ctx, child, args)
	return err
}

func buyFacts(a nft.Action, profile, price string) []ai.Fact {
	amount := func(w units.Wei) string { return w.Decimal(units.APEDecimals) + " " + a.Currency }
	facts := []ai.Fact{
		{Name: "collection", Label: "collection", Value: a.Collection},
		{Name: "collectionName", Label: "its name", Value: a.Name},
		{Name: "contract", Label: "contract", Value: a.Contract},
		{Name: "tokenId", Label: "token id", Value: a.TokenID},
		{Name: "what", Label: "what", Value: a.What},
		{Name: "priceApe", Label: "price", Value: price + " " + a.Currency},
		{Name: "sellerGets", Label: "seller gets", Value: amount(a.SellerWei)},
	}
	for i, f := range a.Fees {
		facts = append(facts, ai.Fact{Name: "fee" + strconv.Itoa(i+1), Label: "fee", Value: amount(f.AmountWei) + " to " + f.Recipient})
	}
	facts = append(facts,
		ai.Fact{Name: "recipient", Label: "token goes to", Value: a.Buyer},
		ai.Fact{Name: "seller", Label: "seller", Value: a.Seller},
		ai.Fact{Name: "orderHash", Label: "order", Value: a.OrderHash},
		ai.Fact{Name: "target", Label: "calls", Value: a.Target},
		ai.Fact{Name: "network", Label: "network", Value: fmt.Sprintf("%s (chain %d)", a.Network, a.ChainID)},
		ai.Fact{Name: "profile", Label: "profile", Value: profile},
		ai.Fact{Name: "quoteId", Label: "quote", Value: a.QuoteID},
		ai.Fact{Name: "quoteExpires", Label: "quote ends", Value: utcText(a.QuoteExpires)},
		ai.Fact{Name: "orderExpires", Label: "order ends", Value: utcText(a.OrderExpires)},
	)
	volatile := func(name, label, value string) {
		facts = append(facts, ai.Fact{Name: name, Label: label, Value: value, Volatile: true})
	}
	if a.MaxFeeWei != nil {
		volatile("maxFee", "gas at most", amount(*a.MaxFeeWei))
	}
	if a.MaxTotalWei != nil {
		volatile("maxTotal", "in all at most", amount(*a.MaxTotalWei))
	}
	balance, after := "unknown: no node answers", ""
	if a.BalanceWei != nil {
		balance, after = amount(*a.BalanceWei), "it does not cover this"
		if a.BalanceAfterWei != nil {
			after = "at least " + amount(*a.BalanceAfterWei)
		}
	}
	volatile("balance", "balance", balance)
	if after != "" {
		volatile("balanceAfter", "balance after", after)
	}
	for i, c := range a.Caps {
		volatile("cap"+strconv.Itoa(i+1), "daily cap", fmt.Sprintf("%s: %s of %s used, at most %s after", c.Name, c.Used, c.Limit, c.After))
	}
	return facts
}

func (p buyProposer) execute(ctx context.Context, d *Deps, args json.RawMessage, a ai.Approval) (any, error) {
	var in buyArgs
	if err := json.Unmarshal(args, &in); err != nil || in.OrderHash == "" || a.Phrase == "" {
		return nil, fault.New(fault.ActionStale, "the action does not say which order was approved").WithSent(fault.SentNo)
	}
	if len(a.Most) != 1 {
		return nil, fault.New(fault.ActionStale, "the action does not say what may leave the account").WithSent(fault.SentNo)
	}
	most, err := units.ParseBase(a.Most[0].Base)
	if err != nil {
		return nil, fault.Wrap(err, fault.ActionStale, "what may leave the account can't be read").WithSent(fault.SentNo)
	}
	return p.c.callWith(ctx, d, func(ctx context.Context) (any, error) {
		s, err := d.nft("")
		if err != nil {
			return nil, err
		}
		return s.Buy(ctx, nft.BuyIn{Quote: in.Quote, Execute: true, Confirm: a.Phrase, Order: in.OrderHash, Most: &most})
	})
}

// rawJSON is arguments as they are hashed: without a line end.
func rawJSON(v any) (json.RawMessage, error) {
	b, err := encodeJSON(v)
	return bytes.TrimSpace(b), err
}

// wouldBlock is the refusal of the first gate that would refuse. There is no card
// then: nobody is asked to allow what policy does not.
func wouldBlock(gates []policy.Gate, detail, id string) error {
	if len(gates) == 0 {
		return nil
	}
	g := gates[0]
	f := g.Fault()
	f.Message, f.Sent = "policy would refuse: "+f.Message, fault.SentNo
	if g.Change != "" {
		f.Hint = g.Change
	}
	switch g.Code {
	case fault.SimulationRequired:
		f.Hint = "call nft_simulate with this quote, then propose again"
	case fault.SimulationFailed:
		f.Hint = "simulate it again with nft_simulate, or choose another token"
	}
	return f.With(detail, id)
}

// staleReference tells that a quote or plan is not one that can be proposed.
func staleReference(err error, what, next string) error {
	f := fault.From(err)
	switch f.Code {
	case fault.NotFound, fault.QuoteUsed, fault.QuoteExpired, fault.ChainMismatch:
		e := fault.Wrap(err, fault.StaleReference, "%s", f.Message).Hintf("%s", next).With("pointer", "/"+what).WithSent(fault.SentNo)
		for _, k := range []string{"quoteId", "planId", "txHash"} {
			if v, ok := f.Details[k]; ok {
				e.With(k, v)
			}
		}
		return e
	}
	return err
}

// nativeAmount names the chain's own token as the ledger does.
func nativeAmount(chainID int64, currency string, w units.Wei) ai.Amount {
	a := policy.NativeOf(chainID)
	return ai.Amount{Asset: fmt.Sprintf("%d/%s", a.ChainID, a.Token), Base: w.String(), Shown: w.Decimal(units.APEDecimals) + " " + currency}
}

func utcText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
