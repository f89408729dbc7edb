package market

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
)

// Seaport item and order types (Seaport 1.6, ConsiderationEnums.sol).
const (
	itemNative  = 0
	itemERC20   = 1
	itemERC721  = 2
	itemERC1155 = 3

	orderFullRestricted    = 2
	orderPartialRestricted = 3
)

// judge turns one marketplace listing into a Listing of contract, or says why it
// can't be used. raw is untrusted; position names it when it has no valid hash.
func (r Rules) judge(raw json.RawMessage, slug, contract string, position int) (Listing, *Skip) {
	l := Listing{Collection: slug}
	skip := Skip{ID: fmt.Sprintf("#%d", position)}
	var w listingJSON
	err := decode(raw, &w)
	if h, ok := hash(w.OrderHash); ok {
		skip.ID = h
		l.ListingID, l.OrderHash = h, h
	}
	if err != nil {
		skip.Reason = "malformed: " + err.Error()
		return Listing{}, &skip
	}
	skip.TokenID = w.Asset.Identifier.String()
	checks := []func(*listingJSON, *Listing) string{
		r.checkIdentity,
		func(w *listingJSON, l *Listing) string { return r.checkAsset(w, l, contract) },
		r.checkKind, r.checkPrice, r.checkOrder,
	}
	for _, check := range checks {
		if reason := check(&w, &l); reason != "" {
			skip.Reason = reason
			return Listing{}, &skip
		}
	}
	return l, nil
}

func (r Rules) checkIdentity(w *listingJSON, l *Listing) string {
	if l.OrderHash == "" {
		return fmt.Sprintf("order hash %s is missing or no 32-byte hash", quoted(w.OrderHash))
	}
	if w.Chain != r.Chain {
		return fmt.Sprintf("it is on chain %s, not %s", quoted(w.Chain), r.Chain)
	}
	protocol, ok := address(w.ProtocolAddress)
	if !ok || !r.knowsProtocol(protocol) {
		return fmt.Sprintf("protocol contract %s is not a known Seaport", quoted(w.ProtocolAddress))
	}
	l.ProtocolAddress = protocol
	return ""
}

func (r Rules) checkAsset(w *listingJSON, l *Listing, contract string) string {
	got, ok := address(w.Asset.Contract)
	if !ok || isZeroHex(got) {
		return fmt.Sprintf("asset contract %s is missing or no address", quoted(w.Asset.Contract))
	}
	if got != contract {
		return fmt.Sprintf("asset contract is %s, not the collection's %s", got, contract)
	}
	if !w.Asset.Identifier.IsSet() {
		return "token id is missing"
	}
	l.AssetContract, l.TokenID = got, w.Asset.Identifier.String()
	return ""
}

func (r Rules) checkKind(w *listingJSON, _ *Listing) string {
	switch {
	case w.Status != "ACTIVE":
		return fmt.Sprintf("status is %s, not ACTIVE", quoted(w.Status))
	case w.Type == "dutch" || w.Type == "english":
		return fmt.Sprintf("it is an auction (%s), not a fixed price", w.Type)
	case w.Type != "basic":
		return fmt.Sprintf("listing type is %s, not basic", quoted(w.Type))
	case w.IsPrivate || hasTaker(w.Taker):
		return "it is a private listing, for another buyer"
	case !w.Remaining.Is(1):
		return fmt.Sprintf("remaining quantity is %s, not 1", quoted(w.Remaining.String()))
	}
	return ""
}

// hasTaker reports whether a listing names its buyer, in any shape but null, ""
// and the zero address; what can't be read counts as named.
func hasTaker(raw json.RawMessage) bool {
	if len(raw) == 0 || string(raw) == "null" {
		return false
	}
	var who string
	var account struct {
		Address string `json:"address"`
	}
	if err := json.Unmarshal(raw, &who); err != nil {
		if err := json.Unmarshal(raw, &account); err != nil {
			return true
		}
		who = account.Address
	}
	if who == "" {
		return false
	}
	a, ok := address(who)
	return !ok || !isZeroHex(a)
}

func (r Rules) checkPrice(w *listingJSON, l *Listing) string {
	p := w.Price.amount()
	if p.Currency != r.Currency {
		return fmt.Sprintf("currency is %s, not %s", quoted(p.Currency), r.Currency)
	}
	if !p.Decimals.Is(int64(r.Decimals)) {
		return fmt.Sprintf("%s with %s decimals, not %d", r.Currency, quoted(p.Decimals.String()), r.Decimals)
	}
	price, err := p.Value.Wei()
	if err != nil {
		return "price is missing"
	}
	if price.IsZero() {
		return "price is zero"
	}
	l.Price, l.PriceApe = price, price.JSON(r.Decimals)
	l.Currency, l.Decimals = r.Currency, r.Decimals
	return ""
}

// checkOrder looks at the signed order: the price above is only a claim about it.
func (r Rules) checkOrder(w *listingJSON, l *Listing) string {
	if !startsWith(w.ProtocolData.Parameters, '{') {
		return "it has no order parameters"
	}
	var o orderJSON
	if err := decode(w.ProtocolData.Parameters, &o); err != nil {
		return "malformed order: " + err.Error()
	}
	l.Parameters = w.ProtocolData.Parameters
	if reason := r.checkParties(&o, l); reason != "" {
		return reason
	}
	if reason := checkOffer(&o, l); reason != "" {
		return reason
	}
	if reason := checkConsideration(&o, l); reason != "" {
		return reason
	}
	return r.checkWindow(&o, l)
}

func (r Rules) checkParties(o *orderJSON, l *Listing) string {
	seller, ok := address(o.Offerer)
	if !ok || isZeroHex(seller) {
		return fmt.Sprintf("seller %s is no address", quoted(o.Offerer))
	}
	l.Seller = seller
	if !o.OrderType.atMost(orderPartialRestricted) {
		return fmt.Sprintf("order type is %s, and only 0 to 3 are signed by their seller", quoted(o.OrderType.String()))
	}
	// Only a restricted order asks its zone; another zone may refuse all but one.
	if o.OrderType.Is(orderFullRestricted) || o.OrderType.Is(orderPartialRestricted) {
		zone, ok := address(o.Zone)
		if !ok || !r.trustsZone(zone) {
			return fmt.Sprintf("it is restricted by the unknown zone %s", quoted(o.Zone))
		}
	}
	return ""
}

func checkOffer(o *orderJSON, l *Listing) string {
	if len(o.Offer) != 1 {
		return fmt.Sprintf("it offers %d items, not one", len(o.Offer))
	}
	item := o.Offer[0]
	token, _ := address(item.Token)
	switch {
	case item.ItemType.Is(itemERC1155):
		return "it offers an ERC-1155 token, not an ERC-721"
	case !item.ItemType.Is(itemERC721):
		return fmt.Sprintf("it offers item type %s, not an ERC-721 token", quoted(item.ItemType.String()))
	case token != l.AssetContract:
		return fmt.Sprintf("it offers a token of %s, not of %s", quoted(item.Token), l.AssetContract)
	case item.Identifier.String() != l.TokenID:
		return fmt.Sprintf("it offers token %s, not %s", quoted(item.Identifier.String()), l.TokenID)
	case !item.StartAmount.Is(1) || !item.EndAmount.Is(1):
		return "it does not offer exactly 1"
	}
	return ""
}

func checkConsideration(o *orderJSON, l *Listing) string {
	if len(o.Consideration) == 0 {
		return "it asks for no payment"
	}
	if !o.TotalOriginal.Is(int64(len(o.Consideration))) {
		return fmt.Sprintf("it has %d payments and %s signed ones", len(o.Consideration), quoted(o.TotalOriginal.String()))
	}
	var sum units.Wei
	for _, item := range o.Consideration {
		amount, reason := payment(&item)
		if reason != "" {
			return reason
		}
		var err error
		if sum, err = sum.Add(amount); err != nil {
			return "its payments are more than 2^256-1"
		}
	}
	if l.Price.Cmp(sum) < 0 {
		return fmt.Sprintf("its price of %s is less than its payments of %s", l.PriceApe, sum.Decimal(l.Decimals))
	}
	l.Considered = sum
	return ""
}

// payment returns the amount of one consideration item, or why it is none.
func payment(item *itemJSON) (units.Wei, string) {
	recipient, ok := address(item.Recipient)
	if !ok || isZeroHex(recipient) {
		return units.Wei{}, fmt.Sprintf("payment recipient %s is no address", quoted(item.Recipient))
	}
	token, _ := address(item.Token)
	switch {
	case item.ItemType.Is(itemERC20):
		return units.Wei{}, fmt.Sprintf("it is paid in the ERC-20 token %s, not in the native token", quoted(item.Token))
	case item.ItemType.Is(itemERC721) || item.ItemType.Is(itemERC1155):
		// Seaport's way to reserve a sale: the token itself is owed to the buyer.
		return units.Wei{}, "it is a private listing, reserved for " + recipient
	case !item.ItemType.Is(itemNative):
		return units.Wei{}, fmt.Sprintf("payment is of item type %s, not native", quoted(item.ItemType.String()))
	case token == "" || !isZeroHex(token) || !item.Identifier.Is(0):
		return units.Wei{}, "a native payment names a token"
	case !item.StartAmount.Equal(item.EndAmount):
		return units.Wei{}, "its price changes over time (an auction)"
	}
	amount, err := item.StartAmount.Wei()
	if err != nil {
		return units.Wei{}, "a payment has no amount"
	}
	return amount, ""
}

func (r Rules) checkWindow(o *orderJSON, l *Listing) string {
	if !o.StartTime.IsSet() || !o.EndTime.IsSet() {
		return "its start or end time is missing"
	}
	l.StartsAt, l.ExpiresAt = unixTime(o.StartTime), unixTime(o.EndTime)
	now := r.Now()
	switch {
	case !l.ExpiresAt.After(now):
		return "it expired at " + l.ExpiresAt.Format(time.RFC3339)
	case l.StartsAt.After(now):
		return "it starts only at " + l.StartsAt.Format(time.RFC3339)
	}
	return ""
}

// maxUnix is the last second that RFC 3339 can write. Orders without an end
// carry 2^256-1.
const maxUnix = 253402300799

func unixTime(i Integer) time.Time {
	if !i.n.IsInt64() || i.n.Int64() > maxUnix {
		return time.Unix(maxUnix, 0).UTC()
	}
	return time.Unix(i.n.Int64(), 0).UTC()
}
