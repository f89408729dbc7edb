package nft

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// errGone marks a purchase that fails because its order can't be filled any more,
// by anybody: it was filled or cancelled, or the seller has parted with the token.
var errGone = errors.New("the order is gone")

// maxRetries is how many other orders a purchase may try after the quoted one.
const maxRetries = 3

// Retry is an order that took the place of one that was gone.
type Retry struct {
	Attempt  int         `json:"attempt"`
	OldOrder string      `json:"oldOrderHash"`
	Order    string      `json:"orderHash"`
	Seller   string      `json:"seller"`
	PriceApe json.Number `json:"priceApe"`
	PriceWei units.Wei   `json:"priceWei"`
	Reason   string      `json:"reason"` // why the old one is gone
}

// replace puts another order in the place of the one that is gone: of the same
// contract, token, currency and quantity, at or below the confirmed price, which
// is the quote's. It walks the whole way as the first one did. Anything else
// needs a new quote and a new consent. Nothing was signed in this run, and no
// earlier run's transaction of the quote may still be under way (lostRace asked).
// A cause that is nothing of the kind is returned as it is.
func (x *execution) replace(ctx context.Context, cause error) error {
	if !errors.Is(cause, errGone) {
		return cause
	}
	gone := *fault.From(cause)
	gone.Err = cause
	more := func(why string) error {
		gone.Message += "; " + why
		return gone.Hintf("quote the token again, and confirm that: %s nft quote --collection %s --token-id %s --max-price %s",
			x.d.CLI, x.quote.Collection, x.quote.TokenID, x.quote.MaxPrice)
	}
	if x.in.Order != "" {
		return more("exactly this order was approved, and no other takes its place")
	}
	if len(x.retries) == maxRetries {
		return more("so were the others that were tried in its place")
	}
	l, err := x.another(ctx)
	if code := fault.CodeOf(err); code == fault.NotFound || code == fault.UnsafeTransaction {
		return more(fault.From(err).Message)
	}
	if err != nil {
		return err
	}
	r := Retry{Attempt: len(x.retries) + 1, OldOrder: x.order.OrderHash, Reason: fault.From(cause).Message}
	x.order = x.quote.filledBy(l)
	r.Order, r.Seller, r.PriceApe, r.PriceWei = x.order.OrderHash, x.order.Seller, x.order.PriceApe, x.order.PriceWei
	x.retries = append(x.retries, r)
	pay := payload(x.quote)
	pay["attempt"] = r.Attempt
	err = x.d.Recorder.Record(ctx, telemetry.Draft{
		Type: "nft.buy.retry", ChainID: x.quote.ChainID, Payload: pay,
		Result: map[string]any{
			"retried": true, "reason": r.Reason, "oldOrderHash": r.OldOrder, "orderHash": r.Order, "seller": r.Seller,
			"priceApe": r.PriceApe, "priceWei": r.PriceWei,
		},
	})
	store.CrashPoint("nft: retry recorded")
	return err
}

// another finds a listing that may take the place of the gone one. The
// marketplace's best may be one that is gone already: then all are looked at.
func (x *execution) another(ctx context.Context) (market.Listing, error) {
	m, err := x.d.Market(ctx)
	if err != nil {
		return market.Listing{}, err
	}
	l, err := m.BestListing(ctx, x.quote.Collection, x.quote.ContractAddress, x.quote.TokenID)
	if err == nil && x.tried(l.OrderHash) {
		l, err = x.amongAll(ctx, m)
	}
	if fault.CodeOf(err) == fault.NotFound {
		return l, fault.New(fault.NotFound, "and no other listing of it may take its place")
	}
	if err != nil {
		return l, err
	}
	if l.Price.Cmp(x.quote.PriceWei) > 0 {
		return l, fault.New(fault.NotFound, "the best other listing costs %s %s, and %s was confirmed", l.Price.Decimal(units.APEDecimals), x.quote.Currency, x.quote.PriceApe)
	}
	if l.AssetContract != x.quote.ContractAddress {
		return l, fault.New(fault.NotFound, "and the other listing is of another contract")
	}
	return l, x.sellable(x.quote.ChainID, x.quote.Currency, x.quote.TokenID, l)
}

// amongAll reads every listing of the token for one that was not tried.
func (x *execution) amongAll(ctx context.Context, m Market) (market.Listing, error) {
	page, err := m.Listings(ctx, market.ListQuery{Slug: x.quote.Collection, Contract: x.quote.ContractAddress, TokenID: x.quote.TokenID, All: true})
	if err != nil {
		return market.Listing{}, err
	}
	for _, l := range page.Listings { // cheapest first
		if !x.tried(l.OrderHash) {
			return l, nil
		}
	}
	return market.Listing{}, fault.New(fault.NotFound, "none")
}

func (x *execution) tried(order string) bool {
	if order == x.quote.OrderHash {
		return true
	}
	for _, r := range x.retries {
		if r.Order == order {
			return true
		}
	}
	return false
}

// filledBy is the quote as the order of l fills it: the same purchase from
// another seller, at the price that this one asks.
func (q Quote) filledBy(l market.Listing) Quote {
	q.setOrder(l)
	return q
}
