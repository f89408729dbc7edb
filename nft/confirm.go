package nft

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// By whose leave a purchase is made.
const (
	authorityPhrase     = "phrase"     // --confirm
	authorityTerminal   = "terminal"   // a person typed the phrase at the terminal
	authorityAutonomous = "autonomous" // policy lets --autonomous stand in
)

// Action is a purchase in the words that a person confirms. With Verified it was
// read from the bytes that would be signed, from the allowlist and from the
// chain; without, it is what the saved quote says. Addresses are checksummed and
// whole: two that begin and end alike are told apart only so.
type Action struct {
	Verified   bool   `json:"verified"`
	Network    string `json:"network"`
	ChainID    int64  `json:"chainId"`
	QuoteID    string `json:"quoteId"`
	What       string `json:"what"`
	Collection string `json:"collection"` // the allowlist's slug
	Name       string `json:"collectionName"`
	Contract   string `json:"contract"`
	TokenID    string `json:"tokenId"`
	Buyer      string `json:"buyer,omitempty"`
	Seller     string `json:"seller"`
	OrderHash  string `json:"orderHash"`
	Replaces   string `json:"replaces,omitempty"` // the quoted order, when it is gone
	Target     string `json:"target"`             // the contract that is called
	Function   string `json:"function,omitempty"`

	Currency     string      `json:"currency"`
	PriceApe     json.Number `json:"priceApe"`
	PriceWei     units.Wei   `json:"priceWei"` // what leaves the account, gas apart
	Fees         []Fee       `json:"fees"`     // of it, to others than the seller
	OthersGetApe json.Number `json:"othersGetApe"`
	OthersGetWei units.Wei   `json:"othersGetWei"`
	SellerApe    json.Number `json:"sellerGetsApe"`
	SellerWei    units.Wei   `json:"sellerGetsWei"`
	MaxFeeApe    json.Number `json:"maxFeeApe,omitempty"` // the most that gas may cost
	MaxFeeWei    *units.Wei  `json:"maxFeeWei,omitempty"`
	MaxTotalApe  json.Number `json:"maxTotalApe,omitempty"`
	MaxTotalWei  *units.Wei  `json:"maxTotalWei,omitempty"`

	BalanceApe      json.Number `json:"balanceApe,omitempty"` // of the buyer, now
	BalanceWei      *units.Wei  `json:"balanceWei,omitempty"`
	BalanceAfterApe json.Number `json:"balanceAfterApe,omitempty"` // at least
	BalanceAfterWei *units.Wei  `json:"balanceAfterWei,omitempty"`
	Caps            []CapAfter  `json:"caps"`

	OrderExpires time.Time `json:"orderExpiresAt"`
	QuoteExpires time.Time `json:"quoteExpiresAt"`
	Phrase       string    `json:"phrase"`
	Digest       string    `json:"digest,omitempty"` // of the transaction that would be signed
}

// CapAfter is a daily cap before and after a purchase, in whole units of what it
// counts.
type CapAfter struct {
	Name     string     `json:"cap"`
	Limit    string     `json:"limit"` // or "unlimited"
	LimitWei *units.Wei `json:"limitWei,omitempty"`
	Used     string     `json:"used"`
	UsedWei  units.Wei  `json:"usedWei"`
	After    string     `json:"after"` // at most
	AfterWei units.Wei  `json:"afterWei"`
}

// network names a chain for people.
func network(chainID int64) string {
	switch {
	case chainID == 33139:
		return "ApeChain"
	case chainID == 33111:
		return "Curtis, ApeChain's testnet"
	case slices.Contains(chain.SandboxChains(), chainID):
		return "the sandbox"
	}
	return "a chain without a name here"
}

// checksummed is an address as people compare it.
func checksummed(a string) string { return common.HexToAddress(a).Hex() }

// describe fills in what the quote and the gates say.
func (s *Service) describe(q Quote, p policy.Purchase) Action {
	a := Action{
		Network: network(q.ChainID), ChainID: q.ChainID, QuoteID: q.QuoteID, What: "1 NFT (ERC-721)", Collection: p.Collection.Slug, Name: cleaned(p.Collection.Name),
		Contract: checksummed(q.ContractAddress), TokenID: q.TokenID, Seller: checksummed(q.Seller), OrderHash: q.OrderHash,
		Target: checksummed(q.ProtocolAddress), Currency: q.Currency, PriceWei: q.PriceWei, Fees: []Fee{}, Caps: []CapAfter{},
		OrderExpires: q.OrderExpiresAt, QuoteExpires: q.ExpiresAt, Phrase: p.Phrase(),
	}
	for _, f := range q.Fees {
		a.Fees = append(a.Fees, Fee{Recipient: checksummed(f.Recipient), AmountApe: f.AmountApe, AmountWei: f.AmountWei})
	}
	return a
}

// amounts derives the sums. The fee limit is nil while it is not known.
func (a *Action) amounts(maxFee, balance *units.Wei) error {
	exact := func(w units.Wei) json.Number { return w.JSON(units.APEDecimals) }
	var err error
	for _, f := range a.Fees {
		if a.OthersGetWei, err = a.OthersGetWei.Add(f.AmountWei); err != nil {
			return err
		}
	}
	if a.SellerWei, err = a.PriceWei.Sub(a.OthersGetWei); err != nil {
		return err
	}
	a.PriceApe, a.OthersGetApe, a.SellerApe = exact(a.PriceWei), exact(a.OthersGetWei), exact(a.SellerWei)
	most := a.PriceWei
	if maxFee != nil {
		if most, err = a.PriceWei.Add(*maxFee); err != nil {
			return err
		}
		a.MaxFeeWei, a.MaxFeeApe, a.MaxTotalWei, a.MaxTotalApe = maxFee, exact(*maxFee), &most, exact(most)
	}
	if balance == nil {
		return nil
	}
	a.BalanceWei, a.BalanceApe = balance, exact(*balance)
	if after, err := balance.Sub(most); err == nil {
		a.BalanceAfterWei, a.BalanceAfterApe = &after, exact(after)
	}
	return nil
}

// caps tells each daily cap before and after.
func (a *Action) caps(uses []policy.Use) error {
	most := a.PriceWei
	if a.MaxTotalWei != nil {
		most = *a.MaxTotalWei
	}
	for _, u := range uses {
		asked := most
		if u.Limit.Asset != policy.NativeOf(a.ChainID) {
			continue // what is paid is native
		}
		after, err := u.Spent.Add(asked)
		if err != nil {
			return err
		}
		c := CapAfter{Name: u.Limit.Name, Limit: u.Limit.Cap.Decimal(units.APEDecimals), Used: u.Spent.Decimal(units.APEDecimals), UsedWei: u.Spent,
			After: after.Decimal(units.APEDecimals), AfterWei: after}
		if !u.Limit.Cap.Unlimited {
			limit := u.Limit.Cap.Max
			c.LimitWei = &limit
		}
		a.Caps = append(a.Caps, c)
	}
	return nil
}

// foreseen is what the saved quote says of a purchase, for a dry run. The balance
// is there only if a key and a node are.
func (s *Service) foreseen(ctx context.Context, q Quote, p policy.Purchase, maxFee *units.Wei, who *common.Address) (Action, error) {
	a := s.describe(q, p)
	var balance *units.Wei
	if who != nil {
		a.Buyer = who.Hex()
		balance = s.balance(ctx, q.ChainID, *who)
	}
	if err := a.amounts(maxFee, balance); err != nil {
		return a, nil // fees above the price: the quote's claim, and verified before anything is signed
	}
	return a, a.caps(p.Spent)
}

// balanceWait is how long a dry run waits for a node, which it can do without.
const balanceWait = 1500 * time.Millisecond

// balance asks a node, and is nil when there is none that answers for the chain.
func (s *Service) balance(ctx context.Context, chainID int64, of common.Address) *units.Wei {
	ctx, cancel := context.WithTimeout(ctx, balanceWait)
	defer cancel()
	c, err := s.d.Chain(ctx)
	if err != nil {
		return nil
	}
	if got, err := c.ChainID(ctx); err != nil || got != chainID {
		return nil
	}
	b, err := c.Balance(ctx, of)
	if err != nil {
		return nil
	}
	return &b
}

// action is the purchase as it was decoded from the bytes to sign.
func (x *execution) action(ctx context.Context, r ready) (Action, error) {
	f, err := x.fence(ctx, policy.Execute)
	if err != nil {
		return Action{}, err
	}
	p := x.purchase(f, x.quote)
	a, got := x.describe(x.order, p), r.trial.got
	a.Verified, a.Buyer, a.Function = true, r.trial.buyer.addr.Hex(), got.Function
	item := got.Order.Offer[0] // the verifier lets exactly one pass
	a.Contract, a.TokenID, a.Seller = item.Token.Hex(), item.IdentifierOrCriteria.String(), got.Order.Offerer.Hex()
	a.OrderHash, a.Target, a.PriceWei, a.OrderExpires = got.OrderHash.Hex(), r.trial.call.To.Hex(), r.trial.call.Value, x.orderEnds(r.trial)
	a.Fees, a.Digest = feesOf(got), r.prepared.PolicyTx().Digest().String()
	if x.order.OrderHash != x.quote.OrderHash {
		a.Replaces = x.quote.OrderHash
	}
	uses, err := x.spent(ctx, f.Policy, p.Scope())
	if err != nil {
		return a, err
	}
	if err := a.amounts(&r.prepared.Fees.FeeCap, &r.trial.balance); err != nil {
		return a, err
	}
	return a, a.caps(uses)
}

// feesOf are the payments of a verified call that the seller does not get.
func feesOf(got seaport.Got) []Fee {
	fees := []Fee{}
	for _, p := range got.Payments {
		if p.Recipient != got.Order.Offerer {
			fees = append(fees, Fee{Recipient: p.Recipient.Hex(), AmountApe: p.Amount.JSON(units.APEDecimals), AmountWei: p.Amount})
		}
	}
	return fees
}

// ask shows a person the action and returns the phrase that was typed, which is
// the shown one. No lock is held and no transaction is open while it waits.
func (x *execution) ask(ctx context.Context, r ready) (string, error) {
	a, err := x.action(ctx, r)
	if err != nil {
		return "", err
	}
	before := r.prepared.PolicyTx().Digest()
	typed, err := x.d.Ask(ctx, a)
	switch {
	case ctx.Err() != nil || errors.Is(err, io.EOF):
		return "", fault.Wrap(errors.Join(err, ctx.Err()), fault.Canceled, "not confirmed: nothing was signed").WithSent(fault.SentNo)
	case err != nil:
		return "", err
	case typed != a.Phrase:
		return "", fault.New(fault.ConfirmationMismatch, "confirmation phrase mismatch: what was typed is not the phrase that was shown").
			WithSent(fault.SentNo).With("gate", policy.GatePhrase).With("asked", true)
	case r.prepared.PolicyTx().Digest() != before:
		return "", fault.New(fault.UnsafeTransaction, "the transaction changed while it was being confirmed").
			Hintf("run the command again").WithSent(fault.SentNo)
	}
	return typed, nil
}

// still looks once more at what a person took the time to confirm: at the gates,
// at the order on the chain, and at whether its fee limit still pays for a block.
func (x *execution) still(ctx context.Context, r *ready) error {
	d, err := x.gates(ctx, *r)
	if err == nil {
		err = d.Refusal()
	}
	if err != nil {
		return err
	}
	if r.trial.head, err = r.trial.chain.Head(ctx); err != nil {
		return err
	}
	if most := r.prepared.Fees.MaxFee; r.trial.head.BaseFee.Cmp(most) > 0 {
		return fault.New(fault.PolicyBlocked, "the base fee rose to %s per gas while the question stood, and %s was confirmed", r.trial.head.BaseFee, most).
			Hintf("run it again, and look at the fee: %s", x.next(cmdBuy, x.quote.QuoteID)+" --execute").WithSent(fault.SentNo).With("gate", "feeCeiling")
	}
	return x.run(ctx, x.order, &r.trial)
}

// maxUnix is the last second that RFC 3339 can write.
const maxUnix = 253402300799

// orderEnds is when the verified order ends, and not later than the quote says.
func (x *execution) orderEnds(t trial) time.Time {
	end := t.got.Order.EndTime
	if end == nil || !end.IsInt64() || end.Int64() > maxUnix {
		return x.order.OrderExpiresAt
	}
	return earlier(time.Unix(end.Int64(), 0).UTC(), x.order.OrderExpiresAt)
}
