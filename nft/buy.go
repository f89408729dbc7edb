package nft

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// BuyIn is the input of nft buy.
type BuyIn struct {
	Quote      string `json:"quote" ai:"expose" kind:"id" help:"quote id" required:"true" complete:"quotes"`
	Execute    bool   `json:"execute" ai:"engine" help:"sign and send; without it nothing leaves this machine"`
	Confirm    string `json:"confirm" ai:"engine" help:"the phrase that the dry run shows"`
	Autonomous bool   `json:"autonomous" ai:"operator" help:"stand in for the phrase, where policy allows it"`
	// Order is the hash of the one order that may be bought, as a person approved it:
	// another is refused, and when it is gone none takes its place. "" is the quote's,
	// or one that replaced it. No flag sets it.
	Order string `json:"-"`
	// Most is what may leave the account, price and gas together, as a person approved
	// it; nil is what policy and the simulation allow. No flag sets it.
	Most *units.Wei `json:"-"`
}

// BuyOut is the result of nft buy: a dry run, or a confirmed purchase.
type BuyOut struct {
	OK            bool          `json:"ok"`
	DryRun        bool          `json:"dryRun"`
	Message       string        `json:"message"`
	QuoteID       string        `json:"quoteId"`
	ChainID       int64         `json:"chainId"`
	PriceApe      json.Number   `json:"priceApe"`
	PriceWei      units.Wei     `json:"priceWei"`
	TxHash        string        `json:"txHash,omitempty"`
	BlockNumber   uint64        `json:"blockNumber,omitempty"`
	Owner         string        `json:"owner,omitempty"` // who owns the token now
	GasUsed       uint64        `json:"gasUsed,omitempty"`
	FeeApe        json.Number   `json:"feeApe,omitempty"` // what gas cost
	FeeWei        *units.Wei    `json:"feeWei,omitempty"`
	MaxFeeApe     json.Number   `json:"maxFeeApe,omitempty"` // of a dry run: the most that --execute lets gas cost, once simulated
	MaxFeeWei     *units.Wei    `json:"maxFeeWei,omitempty"`
	OrderHash     string        `json:"orderHash,omitempty"`     // the order that was filled
	Seller        string        `json:"seller,omitempty"`        // who sold
	Retries       []Retry       `json:"retries,omitempty"`       // the orders that took the place of the quoted one
	WouldBlock    []policy.Gate `json:"wouldBlock,omitzero"`     // of a dry run: the gates that would refuse --execute
	Action        *Action       `json:"action,omitempty"`        // of a dry run: what would be confirmed, as the saved quote has it
	ConfirmPhrase string        `json:"confirmPhrase,omitempty"` // of a dry run
	Quote         Quote         `json:"quote"`
	Next          string        `json:"next,omitempty"`
}

// Buy buys a quote with in.Execute, and otherwise tells what would happen. It
// returns nil only for a dry run or a purchase whose token is the buyer's.
func (s *Service) Buy(ctx context.Context, in BuyIn) (BuyOut, error) {
	find := s.unused
	if in.Execute {
		find = s.lookup
	}
	q, err := find(ctx, in.Quote)
	if err != nil {
		return BuyOut{}, err
	}
	if in.Execute {
		return s.buy(ctx, q, in, buyOptions{})
	}
	f, err := s.fence(ctx, policy.DryRun)
	if err == nil {
		err = s.otherChain(f, q, cmdBuy)
	}
	if err == nil {
		err = s.expired(q, s.now())
	}
	if err != nil {
		return BuyOut{}, s.refused(ctx, cmdBuy, true, q, err)
	}
	return s.dryRun(ctx, f, q)
}

// buy buys a quote at hand, and tells of a refusal.
func (s *Service) buy(ctx context.Context, q Quote, in BuyIn, o buyOptions) (BuyOut, error) {
	out, err := s.execute(ctx, q, in, o)
	if err == nil {
		s.confirmed(ctx, out)
	}
	return out, s.refused(ctx, cmdBuy, false, q, err)
}

// dryRun evaluates the gates that need no phrase and no reservation. It needs no
// network: it tells what the saved quote and simulation allow, and what the
// account holds if a node says so.
func (s *Service) dryRun(ctx context.Context, f policy.Fence, q Quote) (BuyOut, error) {
	var who *common.Address
	switch addr, err := s.d.Buyer(ctx); {
	case err == nil:
		who = &addr
	case fault.CodeOf(err) != fault.Auth:
		return BuyOut{}, err
	}
	p, err := s.saved(ctx, f, q, who)
	if err != nil {
		return BuyOut{}, err
	}
	refusals := policy.Decide(policy.DryRun, f, p).WouldBlock()
	for i := range refusals {
		refusals[i].Change = fault.Suggest(s.d.CLI, refusals[i].Change)
	}
	out := BuyOut{
		OK: true, DryRun: true, QuoteID: q.QuoteID, ChainID: q.ChainID, PriceApe: q.PriceApe, PriceWei: q.PriceWei,
		WouldBlock: refusals, Quote: q,
		Next: s.next(cmdBuy, q.QuoteID) + fmt.Sprintf(" --execute --confirm %q", p.Phrase()),
	}
	gas := "gas"
	if p.Simulation.State == policy.SimPassed {
		limit := feeCeiling(p)
		out.MaxFeeApe, out.MaxFeeWei = limit.JSON(units.APEDecimals), &limit
		gas = fmt.Sprintf("at most %s %s for gas", out.MaxFeeApe, q.Currency)
	}
	out.Message = fmt.Sprintf("dry run: would buy %s #%s for %s %s and %s; nothing was signed", q.Collection, q.TokenID, q.PriceApe, q.Currency, gas)
	if p.CollectionErr == nil {
		out.ConfirmPhrase = p.Phrase()
	}
	if who != nil { // without an account there is nothing to hold it against
		if uses, err := s.spent(ctx, f.Policy, p.Scope()); err == nil {
			p.Spent = uses
		}
	}
	if a, err := s.foreseen(ctx, q, p, out.MaxFeeWei, who); err == nil {
		out.Action = &a
	}
	codes := make([]string, 0, len(refusals))
	for _, g := range refusals {
		codes = append(codes, string(g.Code))
	}
	if len(refusals) > 0 {
		out.Message = fmt.Sprintf("dry run: --execute would be refused: %s; nothing was signed", refusals[0].Reason)
		out.Next = ""
		if refusals[0].Code == fault.SimulationRequired || refusals[0].Code == fault.SimulationFailed {
			out.Next = s.next(cmdSimulate, q.QuoteID)
		}
	}
	return out, s.d.Recorder.Record(ctx, telemetry.Draft{
		Type: "nft.buy.dry_run", DryRun: true, ChainID: q.ChainID, Payload: payload(q),
		Result: map[string]any{"wouldBuy": len(refusals) == 0, "wouldBlock": codes, "message": out.Message, "priceApe": q.PriceApe, "priceWei": q.PriceWei},
	})
}

func payload(q Quote) map[string]any {
	return map[string]any{"quoteId": q.QuoteID, "collection": q.Collection, "tokenId": q.TokenID}
}

// decide evaluates every gate of an execution, with what the ledger says.
func (s *Service) decide(ctx context.Context, f policy.Fence, p *policy.Purchase) policy.Decision {
	p.Spent, p.SpentErr = s.spent(ctx, f.Policy, p.Scope())
	return policy.Decide(policy.Execute, f, *p)
}

func (s *Service) spent(ctx context.Context, rules *policy.Policy, scope policy.Scope) ([]policy.Use, error) {
	ledger, err := s.d.Ledger(ctx)
	if err != nil {
		return nil, err
	}
	return policy.SpentOf(ctx, ledger, rules.Limits(scope), s.d.Warn)
}

// purchase is what the gates look at, as far as the quote tells.
func (s *Service) purchase(f policy.Fence, q Quote) policy.Purchase {
	now := s.now()
	p := policy.Purchase{
		Contract: q.ContractAddress, Target: q.ProtocolAddress, TokenID: q.TokenID, Asset: policy.NativeOf(q.ChainID), Currency: q.Currency,
		Decimals: units.APEDecimals, Price: q.PriceWei, OthersGet: q.othersGet(), MaxPrice: &q.MaxPriceWei, Now: now, QuoteExpires: q.ExpiresAt,
		ChainNow: now.Add(OrderMargin), OrderExpires: q.OrderExpiresAt, Subject: s.d.Subject,
	}
	if q.Currency != f.Policy.NativeToken {
		p.Asset.Token = strings.ToLower(q.Currency) // no asset that anything here can pay with
	}
	p.Collection, p.CollectionErr = collectionOf(f.Allowlist, q)
	return p
}

// othersGet is what of the price goes to others than the seller, as the quote
// has it; nil when the listing's order could not be read.
func (q Quote) othersGet() *units.Wei {
	if q.Counter == "" {
		return nil
	}
	var sum units.Wei
	for _, fee := range q.Fees {
		var err error
		if sum, err = sum.Add(fee.AmountWei); err != nil {
			return nil
		}
	}
	return &sum
}

// collectionOf is the allowlist's entry for the contract that a quote buys from,
// and the quote has to name it as the allowlist does: the name is in the phrase.
func collectionOf(list *policy.Allowlist, q Quote) (policy.Entry, error) {
	e, err := list.Resolve(q.ContractAddress)
	if err != nil || e.Slug == q.Collection {
		return e, err
	}
	for _, o := range list.Entries() { // a contract may be listed under two slugs
		if o.Enabled && o.ContractAddress == e.ContractAddress && o.Slug == q.Collection {
			return o, nil
		}
	}
	return e, fault.New(fault.CollectionNotAllowed, "quote %s says that %s is %s, and the allowlist calls it %s", q.QuoteID, q.ContractAddress, q.Collection, e.Slug).
		Hintf("quote it again: ape-claw nft quote --collection %s --token-id %s", e.Slug, q.TokenID).WithSent(fault.SentNo).With("gate", policy.GateCollection)
}

// saved adds what the last simulation of the quote said.
func (s *Service) saved(ctx context.Context, f policy.Fence, q Quote, who *common.Address) (policy.Purchase, error) {
	p := s.purchase(f, q)
	db, err := s.quotes(ctx)
	if err != nil {
		return p, err
	}
	m, err := db.lastSimulation(ctx, q.QuoteID)
	if err != nil {
		return p, err
	}
	// Read after the row: another process may have simulated since p was made, and a
	// simulation from the future is none.
	p.Simulation = verdict(q, m, who, s.now())
	if m != nil {
		p.FeeLimit = m.FeeWei
	}
	return p, nil
}

// note marks the quote as used when its transaction left, or may have. The
// journal beside the key is what guards against a second purchase: this is for
// people, and its failure is only told.
func (s *Service) note(ctx context.Context, q Quote, o chain.Outcome, cause error) {
	switch fault.CodeOf(cause) {
	case "":
		q.Status = StatusConfirmed
	case fault.TxReverted:
		q.Status = StatusReverted
	case fault.QuoteUsed: // an earlier run did not get here
		hash, _ := fault.From(cause).Details["txHash"].(string)
		o.Tx.Hash = common.HexToHash(hash)
		if q.Status, _ = fault.From(cause).Details["state"].(string); q.Status != StatusConfirmed && q.Status != StatusReverted {
			q.Status = StatusUnknown
		}
	default:
		if sent := fault.From(cause).Sent; o.Tx.Hash == (common.Hash{}) || sent == fault.SentNo || sent == "" {
			return
		}
		q.Status = StatusUnknown
	}
	q.TxHash = o.Tx.Hash.Hex()
	write, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordGrace)
	defer cancel()
	db, err := s.quotes(write)
	if err == nil {
		err = db.settle(write, q)
	}
	if err != nil {
		s.d.Warn("quote %s is used, and could not be marked so: %s", q.QuoteID, fault.From(err).Message)
	}
}

// bought tells the purchase, and which order was filled.
func (x *execution) bought(t trial, o chain.Outcome) BuyOut {
	q := x.quote
	q.Status, q.TxHash = StatusConfirmed, o.Tx.Hash.Hex()
	fee := o.Fee
	out := BuyOut{
		OK: true, QuoteID: q.QuoteID, ChainID: q.ChainID, PriceApe: t.call.Value.JSON(units.APEDecimals), PriceWei: t.call.Value,
		TxHash: q.TxHash, BlockNumber: o.Receipt.Block, Owner: lower(t.buyer.addr), GasUsed: o.Receipt.GasUsed,
		FeeApe: fee.JSON(units.APEDecimals), FeeWei: &fee, OrderHash: x.order.OrderHash, Seller: x.order.Seller, Retries: x.retries, Quote: q,
		Message: fmt.Sprintf("bought %s #%s for %s %s", q.Collection, q.TokenID, t.call.Value.Decimal(units.APEDecimals), q.Currency),
	}
	if len(x.retries) > 0 {
		out.Message += ", from another seller than was quoted: that order was gone"
	}
	return out
}
