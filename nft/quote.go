package nft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// QuoteIn is the input of nft quote.
type QuoteIn struct {
	Collection string `json:"collection" ai:"expose" maxlen:"100" help:"collection on the allowlist: slug, name or contract address" required:"true" complete:"collections"`
	TokenID    string `json:"tokenId" ai:"expose" kind:"tokenId" help:"token id, a decimal number" required:"true"`
	MaxPrice   string `json:"maxPrice" ai:"expose" kind:"decimal" help:"the most you would pay in all, in whole APE: 12.5" required:"true"`
	Currency   string `json:"currency" ai:"operator" help:"currency to pay in" default:"APE"`
}

// QuoteOut is the result of nft quote.
type QuoteOut struct {
	OK bool `json:"ok"`
	Quote
	Next string `json:"next"` // the command that comes next
}

// Quote finds the best live listing of one token at or below a price and saves
// it. It needs no key and spends nothing.
func (s *Service) Quote(ctx context.Context, in QuoteIn) (QuoteOut, error) {
	limit, err := in.parse()
	if err != nil {
		return QuoteOut{}, err
	}
	f, p, err := s.quotable(ctx, in, limit)
	if err != nil {
		return QuoteOut{}, s.blocked(ctx, cmdQuote, false, err)
	}
	m, err := s.d.Market(ctx)
	if err != nil {
		return QuoteOut{}, err
	}
	l, err := m.BestListing(ctx, p.Collection.Slug, p.Collection.ContractAddress, in.TokenID)
	if err == nil && l.Price.Cmp(limit) > 0 {
		err = fault.New(fault.NotFound, "too dear: the best one costs %s %s", l.Price.Decimal(units.APEDecimals), in.Currency)
	}
	if err != nil {
		return QuoteOut{}, s.quoteFailed(ctx, in, noListing(err, p.Collection.Slug, in))
	}
	p.Price, p.Contract = l.Price, l.AssetContract
	if err := policy.Decide(policy.Inspect, f, p).Refusal(); err != nil {
		return QuoteOut{}, s.blocked(ctx, cmdQuote, false, err)
	}
	q, err := s.newQuote(f, p.Collection, l, in, limit)
	if err != nil {
		return QuoteOut{}, s.blocked(ctx, cmdQuote, false, err)
	}
	q.Source, q.TraceID = m.Name(), s.d.TraceID
	if err := s.save(ctx, q); err != nil {
		return QuoteOut{}, err
	}
	return QuoteOut{OK: true, Quote: q, Next: s.next(cmdSimulate, q.QuoteID)}, nil
}

// Check reports what is wrong with the input alone.
func (in QuoteIn) Check() error {
	_, err := in.parse()
	return err
}

// parse checks what the caller typed.
func (in QuoteIn) parse() (limit units.Wei, err error) {
	if !market.ValidTokenID(in.TokenID) {
		return limit, fault.New(fault.Usage, "--token-id \"%s\" is no token id", shown(in.TokenID)).
			Hintf("a token id is a decimal number, such as 42")
	}
	limit, err = units.Parse(in.MaxPrice, units.APEDecimals)
	if err != nil {
		return limit, fault.New(fault.Usage, "--max-price: %s", err).Hintf("give whole APE as a plain decimal: --max-price 12.5")
	}
	if limit.IsZero() {
		return limit, fault.New(fault.Usage, "--max-price is 0, expected more").Hintf("give whole APE as a plain decimal: --max-price 12.5")
	}
	return limit, nil
}

// quotable evaluates the gates that need no listing.
func (s *Service) quotable(ctx context.Context, in QuoteIn, limit units.Wei) (policy.Fence, policy.Purchase, error) {
	f, err := s.fence(ctx, policy.Inspect)
	if err != nil {
		return f, policy.Purchase{}, err
	}
	p := s.asked(f, in, limit)
	if err := policy.Decide(policy.Inspect, f, p).Refusal(); err != nil {
		return f, p, err
	}
	if p.Asset != policy.NativeOf(f.Policy.ChainID) {
		return f, p, fault.New(fault.CurrencyNotAllowed, "paying in \"%s\" is not supported: only the native %s is", shown(in.Currency), f.Policy.NativeToken).
			Hintf("leave --currency out").WithSent(fault.SentNo).With("gate", policy.GateCurrency)
	}
	return f, p, nil
}

// asked is what the gates look at before there is a listing.
func (s *Service) asked(f policy.Fence, in QuoteIn, limit units.Wei) policy.Purchase {
	p := policy.Purchase{
		TokenID: in.TokenID, Asset: policy.NativeOf(f.Policy.ChainID), Currency: in.Currency, Decimals: units.APEDecimals,
		MaxPrice: &limit, Subject: s.d.Subject,
	}
	if in.Currency != f.Policy.NativeToken {
		// Not the native token, so no asset that anything here can pay with.
		p.Asset.Token = strings.ToLower(in.Currency)
	}
	p.Collection, p.CollectionErr = f.Allowlist.Resolve(in.Collection)
	return p
}

// noListing is the answer when nothing can be quoted. The marketplace's own
// words, if it had any, say why.
func noListing(err error, slug string, in QuoteIn) error {
	if fault.CodeOf(err) != fault.NotFound {
		return err
	}
	why := ""
	if _, reason, ok := strings.Cut(fault.From(err).Message, ": "); ok {
		why = ": " + reason
	}
	return fault.Wrap(err, fault.NotFound, "No live listing found for %s #%s at or below %s %s%s", slug, in.TokenID, in.MaxPrice, in.Currency, why).
		Hintf("see what is for sale: ape-claw market listings --collection %s", slug).WithSent(fault.SentNo)
}

// quoteFailed tells of a quote that failed for another reason than policy.
func (s *Service) quoteFailed(ctx context.Context, in QuoteIn, cause error) error {
	f := fault.From(cause)
	if f.Code == fault.Canceled {
		return cause
	}
	return errors.Join(cause, s.d.Recorder.Record(ctx, telemetry.Draft{
		Type: "nft.quote.failed", Err: f.Message,
		Payload: map[string]any{"collection": in.Collection, "tokenId": in.TokenID, "maxPrice": in.MaxPrice, "currency": in.Currency},
		Result:  map[string]any{"code": string(f.Code), "reason": f.Message},
	}))
}

// notQuotable is the refusal of a listing whose purchase would be refused.
func notQuotable(field string, got, want any) error {
	return fault.New(fault.UnsafeTransaction, "the listing's %s is %v, expected %v", field, got, want).
		Hintf("choose another listing").WithSent(fault.SentNo).With("field", field)
}

// sellable believes nothing of a listing that the purchase would later be refused
// for.
func (s *Service) sellable(chainID int64, currency, tokenID string, l market.Listing) error {
	switch {
	case l.TokenID != tokenID:
		return notQuotable("token id", l.TokenID, tokenID)
	case l.Decimals != units.APEDecimals:
		return notQuotable("currency", l.Currency, currency)
	case !common.IsHexAddress(l.ProtocolAddress) || !seaport.IsKnownProtocol(chainID, common.HexToAddress(l.ProtocolAddress)):
		return notQuotable("protocol contract", l.ProtocolAddress, "a known one")
	case !common.IsHexAddress(l.Seller) || len(common.FromHex(l.OrderHash)) != common.HashLength:
		return notQuotable("seller or order hash", "malformed", "an address and 32 bytes")
	case !seaport.UnsignedFeeFits(l.Price, l.Considered):
		return notQuotable("price", fmt.Sprintf("%s, of which the seller signed %s", l.Price.Decimal(units.APEDecimals), l.Considered.Decimal(units.APEDecimals)),
			fmt.Sprintf("at most %s of it to be added by the marketplace", seaport.MaxUnsignedFee))
	case l.StartsAt.After(s.now()):
		return notQuotable("start", l.StartsAt.Format(time.RFC3339), "the past")
	case l.Price.IsZero():
		return notQuotable("price", 0, "more")
	}
	return nil
}

// setOrder takes what is the order's from a sellable listing.
func (q *Quote) setOrder(l market.Listing) {
	q.PriceApe, q.PriceWei = l.Price.JSON(units.APEDecimals), l.Price
	q.OrderHash, q.ProtocolAddress, q.Seller = strings.ToLower(l.OrderHash), strings.ToLower(l.ProtocolAddress), strings.ToLower(l.Seller)
	q.Fees, q.Counter = orderTerms(l)
	q.OrderExpiresAt = l.ExpiresAt.UTC()
}

// newQuote makes a quote of a listing that the gates let through.
func (s *Service) newQuote(f policy.Fence, c policy.Entry, l market.Listing, in QuoteIn, limit units.Wei) (Quote, error) {
	now, chainID := s.now(), f.Policy.ChainID
	if err := s.sellable(chainID, f.Policy.NativeToken, in.TokenID, l); err != nil {
		return Quote{}, err
	}
	expires := now.Add(QuoteTTL)
	if end := l.ExpiresAt.Add(-OrderMargin); end.Before(expires) {
		expires = end.UTC().Truncate(time.Millisecond)
	}
	if !now.Before(expires) {
		return Quote{}, fault.New(fault.QuoteExpired, "the best listing of %s #%s ends at %s, too soon to buy it", c.Slug, l.TokenID, l.ExpiresAt.UTC().Format(time.RFC3339)).
			Hintf("choose another token").WithSent(fault.SentNo).With("gate", policy.GateQuote)
	}
	q := Quote{
		QuoteID: store.NewID(quotePrefix), Collection: c.Slug, CollectionName: c.Name, TokenID: l.TokenID,
		MaxPrice: limit.JSON(units.APEDecimals), MaxPriceWei: limit, Currency: f.Policy.NativeToken, ChainID: chainID,
		ContractAddress: c.ContractAddress, CreatedAt: now, ExpiresAt: expires, Status: StatusQuoted,
	}
	q.setOrder(l)
	if field, value := q.flaw(); field != "" { // it could not be read back
		return Quote{}, notQuotable(field, "\""+shown(value)+"\"", "another spelling")
	}
	return q, nil
}

// orderTerms reads from the listing's order who gets what beside the seller, and
// the seller's counter. It is for people and for words: the purchase is held
// against the signed order.
func orderTerms(l market.Listing) (fees []Fee, counter string) {
	fees = []Fee{}
	add := func(to string, amount units.Wei) {
		fees = append(fees, Fee{Recipient: strings.ToLower(to), AmountApe: amount.JSON(units.APEDecimals), AmountWei: amount})
	}
	var order struct {
		Counter       market.Integer `json:"counter"`
		Consideration []struct {
			StartAmount market.Integer `json:"startAmount"`
			Recipient   string         `json:"recipient"`
		} `json:"consideration"`
	}
	if json.Unmarshal(l.Parameters, &order) != nil {
		return fees, ""
	}
	for _, c := range order.Consideration {
		if amount, err := c.StartAmount.Wei(); err == nil && common.IsHexAddress(c.Recipient) && !strings.EqualFold(c.Recipient, l.Seller) {
			add(c.Recipient, amount)
		}
	}
	if gap, err := l.Price.Sub(l.Considered); err == nil && !gap.IsZero() && !l.Considered.IsZero() {
		add(seaport.FeeRecipient.Hex(), gap) // added by the marketplace at fulfilment
	}
	return fees, order.Counter.String()
}

// save stores the quote and tells it.
func (s *Service) save(ctx context.Context, q Quote) error {
	db, err := s.quotes(ctx)
	if err != nil {
		return err
	}
	if err := db.add(ctx, q); err != nil {
		return err
	}
	return s.d.Recorder.Record(ctx, telemetry.Draft{
		Type: "nft.quote.created", ChainID: q.ChainID,
		Payload: map[string]any{"collection": q.Collection, "tokenId": q.TokenID, "maxPrice": q.MaxPrice, "currency": q.Currency},
		Result: map[string]any{
			"quoteId": q.QuoteID, "priceApe": q.PriceApe, "priceWei": q.PriceWei, "currency": q.Currency, "orderHash": q.OrderHash,
			"contractAddress": q.ContractAddress, "protocolAddress": q.ProtocolAddress, "seller": q.Seller, "chainId": q.ChainID,
			"collection": q.Collection, "tokenId": q.TokenID, "source": q.Source, "expiresAt": q.ExpiresAt, "orderExpiresAt": q.OrderExpiresAt,
		},
	})
}
