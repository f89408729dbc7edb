package seaport

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
)

// Want is the purchase that was quoted.
type Want struct {
	ChainID   int64
	Protocol  common.Address // the contract that the quoted order was signed for
	Buyer     common.Address
	Token     common.Address // the collection's contract
	TokenID   *big.Int
	OrderHash common.Hash
	Counter   *big.Int      // the offerer's counter, read from the chain
	Price     units.Wei     // the most that may be paid: the quoted price
	Now       time.Time     // the later of local time and the head's
	Margin    time.Duration // the order has to live this much longer than Now
	MaxFee    *units.BPS    // the most that may go to others than the seller; nil is not limited
}

// Payment is one transfer of native currency that the call makes.
type Payment struct {
	Recipient common.Address
	Amount    units.Wei
}

// Got is what a verified call does.
type Got struct {
	Function  string
	Order     OrderComponents // the signed order
	OrderHash common.Hash
	Payments  []Payment // in the order's sequence; the sum is Total
	Total     units.Wei
	Fees      units.Wei // the part of Total that does not go to the seller
}

// Verify accepts call only if it does exactly what want says. The calldata is
// decoded, every field is checked, what was decoded is encoded again and has
// to be the same bytes, and the order hash is computed from it and from the
// offerer's counter. Every refusal is fault.UnsafeTransaction and names the
// field with both values.
func Verify(call Call, want Want) (Got, error) {
	if call.ChainID != want.ChainID {
		return Got{}, differs("chain", call.ChainID, want.ChainID)
	}
	if !IsKnownProtocol(call.ChainID, call.To) {
		return Got{}, differs("to", call.To, fmt.Sprintf("a known protocol contract of chain %d", call.ChainID))
	}
	if call.To != want.Protocol {
		return Got{}, differs("to", call.To, want.Protocol)
	}
	f, err := decode(call.Data)
	if err != nil {
		return Got{}, err
	}
	for _, check := range []func(fulfilment, Want) error{checkFulfiller, checkOffer, checkOrder, checkWindow} {
		if err := check(f, want); err != nil {
			return Got{}, err
		}
	}
	got := Got{Function: f.function, Order: Components(f.order, want.Counter)}
	got.OrderHash = OrderHash(got.Order)
	if got.Payments, err = payments(f, want); err != nil {
		return Got{}, err
	}
	if err := got.total(call.Value, want); err != nil {
		return Got{}, err
	}
	if got.OrderHash != want.OrderHash {
		return got, differs("orderHash", got.OrderHash, want.OrderHash)
	}
	return got, nil
}

// fulfilment is any of the accepted calls, decoded into one shape.
type fulfilment struct {
	function    string
	order       OrderParameters
	extraData   []byte
	numerator   *big.Int
	denominator *big.Int
	resolvers   int
	conduitKey  common.Hash    // the fulfiller's
	recipient   common.Address // zero is the sender
}

// decode reads calldata strictly: it has to be the canonical encoding of what
// it decodes to, with nothing after it but an attribution of four bytes. (The
// basic functions read fixed offsets, so that calldata with moved offsets
// means one thing to a decoder and another to Seaport.)
func decode(data []byte) (fulfilment, error) {
	if len(data) < 4 {
		return fulfilment{}, differs("calldata", fmt.Sprintf("%d bytes", len(data)), "a function call")
	}
	method, err := contractABI().MethodById(data[:4])
	if err != nil {
		return fulfilment{}, differs("function", fmt.Sprintf("0x%x", data[:4]), "one that fulfils a single order")
	}
	switch method.RawName {
	case FnBasicEfficient, FnBasic, FnAdvanced, FnOrder:
	default:
		return fulfilment{}, differs("function", method.RawName, "one that fulfils a single order")
	}
	values, err := method.Inputs.Unpack(data[4:])
	if err != nil {
		return fulfilment{}, unsafe("calldata", "the calldata of %s can't be decoded", method.RawName)
	}
	f := fulfilment{function: method.RawName, numerator: big.NewInt(1), denominator: big.NewInt(1)}
	var again []byte
	switch method.RawName {
	case FnBasicEfficient, FnBasic:
		p := *abi.ConvertType(values[0], new(BasicOrderParameters)).(*BasicOrderParameters)
		again, err = contractABI().Pack(method.Name, p)
		if p.BasicOrderType > PartialRestricted {
			return fulfilment{}, differs("basicOrderType", p.BasicOrderType, "native currency for an ERC-721 (0 to 3)")
		}
		f.order, f.conduitKey = fromBasic(p), p.FulfillerConduitKey
	case FnAdvanced:
		o := *abi.ConvertType(values[0], new(AdvancedOrder)).(*AdvancedOrder)
		resolvers := *abi.ConvertType(values[1], new([]CriteriaResolver)).(*[]CriteriaResolver)
		f.conduitKey, f.recipient = values[2].([32]byte), values[3].(common.Address)
		again, err = contractABI().Pack(method.Name, o, resolvers, f.conduitKey, f.recipient)
		f.order, f.extraData, f.resolvers = o.Parameters, o.ExtraData, len(resolvers)
		f.numerator, f.denominator = o.Numerator, o.Denominator
	case FnOrder:
		o := *abi.ConvertType(values[0], new(Order)).(*Order)
		f.conduitKey = values[1].([32]byte)
		again, err = contractABI().Pack(method.Name, o, f.conduitKey)
		f.order = o.Parameters
	}
	if err != nil {
		return fulfilment{}, unsafe("calldata", "the calldata of %s can't be encoded again", method.RawName)
	}
	if extra := len(data) - len(again); !bytes.HasPrefix(data, again) || (extra != 0 && extra != SuffixLen) {
		return fulfilment{}, unsafe("calldata", "the calldata is not the canonical encoding of what it decodes to: %d bytes, canonical are %d", len(data), len(again))
	}
	return f, nil
}

// fromBasic returns the order that fulfillBasicOrder derives from p (route 0:
// native currency for an ERC-721).
func fromBasic(p BasicOrderParameters) OrderParameters {
	order := OrderParameters{
		Offerer: p.Offerer, Zone: p.Zone, OrderType: p.BasicOrderType, StartTime: p.StartTime, EndTime: p.EndTime,
		ZoneHash: p.ZoneHash, Salt: p.Salt, ConduitKey: p.OffererConduitKey,
		Offer: []OfferItem{{ItemType: ItemERC721, Token: p.OfferToken, IdentifierOrCriteria: p.OfferIdentifier, StartAmount: p.OfferAmount, EndAmount: p.OfferAmount}},
		Consideration: []ConsiderationItem{{ItemType: ItemNative, Token: p.ConsiderationToken, IdentifierOrCriteria: p.ConsiderationIdentifier,
			StartAmount: p.ConsiderationAmount, EndAmount: p.ConsiderationAmount, Recipient: p.Offerer}},
		TotalOriginalConsiderationItems: sum(p.TotalOriginalAdditionalRecipients, big.NewInt(1)),
	}
	for _, r := range p.AdditionalRecipients {
		order.Consideration = append(order.Consideration, ConsiderationItem{
			ItemType: ItemNative, IdentifierOrCriteria: new(big.Int), StartAmount: r.Amount, EndAmount: r.Amount, Recipient: r.Recipient,
		})
	}
	return order
}

// checkFulfiller: the token comes to us, whole, through no unknown conduit.
func checkFulfiller(f fulfilment, want Want) error {
	one := big.NewInt(1)
	switch {
	case f.recipient != want.Buyer && f.recipient != (common.Address{}): // zero: Seaport sends to the caller
		return differs("recipient", f.recipient, want.Buyer)
	case f.numerator.Cmp(one) != 0 || f.denominator.Cmp(one) != 0:
		return differs("fraction", fmt.Sprintf("%s/%s", f.numerator, f.denominator), "1/1")
	case f.resolvers != 0:
		return differs("criteriaResolvers", f.resolvers, "none")
	case !slices.Contains(ConduitKeys(), f.conduitKey):
		return differs("fulfillerConduitKey", f.conduitKey, "none, or OpenSea's")
	}
	return nil
}

// checkOffer: exactly one, exactly the quoted ERC-721.
func checkOffer(f fulfilment, want Want) error {
	if n := len(f.order.Offer); n != 1 {
		return differs("offer", fmt.Sprintf("%d items", n), "1 item")
	}
	item, one := f.order.Offer[0], big.NewInt(1)
	switch {
	case item.ItemType != ItemERC721:
		return differs("offer.itemType", item.ItemType, "2 (ERC-721)")
	case item.Token != want.Token:
		return differs("offer.token", item.Token, want.Token)
	case item.IdentifierOrCriteria.Cmp(want.TokenID) != 0:
		return differs("offer.tokenId", item.IdentifierOrCriteria, want.TokenID)
	case item.StartAmount.Cmp(one) != 0 || item.EndAmount.Cmp(one) != 0:
		return differs("offer.amount", fmt.Sprintf("%s to %s", item.StartAmount, item.EndAmount), 1)
	}
	return nil
}

// checkOrder: a plain order of somebody else, through known zones and conduits.
func checkOrder(f fulfilment, want Want) error {
	o := f.order
	switch {
	case o.Offerer == want.Buyer:
		return differs("offerer", "the buyer", "somebody else")
	case o.Offerer == (common.Address{}):
		return differs("offerer", o.Offerer, "a seller")
	case o.OrderType != FullOpen && o.OrderType != FullRestricted:
		return differs("orderType", o.OrderType, "0 (open) or 2 (restricted)")
	case !slices.Contains(Zones(), o.Zone):
		return differs("zone", o.Zone, "none, or OpenSea's signed zone")
	case o.OrderType == FullRestricted && o.Zone == (common.Address{}):
		return differs("zone", o.Zone, "a zone, since the order is restricted")
	case o.OrderType == FullOpen && len(f.extraData) != 0:
		return differs("extraData", fmt.Sprintf("%d bytes", len(f.extraData)), "none, since the order is open")
	case !slices.Contains(ConduitKeys(), o.ConduitKey):
		return differs("conduitKey", common.Hash(o.ConduitKey), "none, or OpenSea's")
	}
	return nil
}

// checkWindow: alive now, and for the margin that sending takes.
func checkWindow(f fulfilment, want Want) error {
	now := big.NewInt(want.Now.Unix())
	until := big.NewInt(want.Now.Add(want.Margin).Unix())
	if f.order.StartTime.Cmp(now) > 0 {
		return differs("startTime", f.order.StartTime, fmt.Sprintf("at most %s (now)", now))
	}
	if f.order.EndTime.Cmp(until) <= 0 {
		return differs("endTime", f.order.EndTime, fmt.Sprintf("more than %s (now and the margin)", until))
	}
	return nil
}

// MaxUnsignedFee is the most of a price that a marketplace may add to what the
// seller signed. Nobody but the marketplace says how much that is, so that
// without a bound it could name any price up to the buyer's limit and keep the
// rest. OpenSea's fee is 1 % at the time of writing and has been 2.5 % at most
// (what was seen of its collections' fees; no contract says so).
const MaxUnsignedFee units.BPS = 500

// UnsignedFeeFits reports whether price is above the signed sum of an order by
// no more than MaxUnsignedFee.
func UnsignedFeeFits(price, signed units.Wei) bool {
	gap, err := price.Sub(signed)
	return err == nil && gap.Cmp(MaxUnsignedFee.Of(price, false)) <= 0
}

// payments checks each consideration item and returns what is paid to whom.
// The signed items may be followed by one payment that nobody signed: the
// marketplace's fee, to its known address, of exactly what the quoted price is
// above the signed sum, and no more than MaxUnsignedFee. OpenSea adds it so when
// it is not part of the order.
func payments(f fulfilment, want Want) ([]Payment, error) {
	items, signed := f.order.Consideration, f.order.TotalOriginalConsiderationItems
	if !signed.IsInt64() || signed.Int64() < 1 || signed.Int64() > int64(len(items)) {
		return nil, differs("consideration", fmt.Sprintf("%d payments for %s signed ones", len(items), signed), "as many as were signed")
	}
	out := make([]Payment, 0, len(items))
	total := new(big.Int)
	for i, c := range items {
		field := fmt.Sprintf("consideration[%d]", i)
		switch {
		case c.ItemType != ItemNative || c.Token != (common.Address{}) || c.IdentifierOrCriteria.Sign() != 0:
			return nil, differs(field, fmt.Sprintf("item type %d of %s", c.ItemType, c.Token), "native currency")
		case c.StartAmount.Cmp(c.EndAmount) != 0:
			return nil, differs(field, fmt.Sprintf("%s to %s", c.StartAmount, c.EndAmount), "a fixed amount")
		case c.Recipient == (common.Address{}):
			return nil, differs(field+".recipient", c.Recipient, "somebody")
		}
		if i >= int(signed.Int64()) {
			gap := new(big.Int).Sub(want.Price.Big(), total)
			if i != int(signed.Int64()) || c.Recipient != FeeRecipient || gap.Sign() <= 0 || c.StartAmount.Cmp(gap) != 0 {
				return nil, differs(field, fmt.Sprintf("%s to %s, which the seller did not sign", c.StartAmount, c.Recipient), "no payment beyond the signed order")
			}
			if most := MaxUnsignedFee.Of(want.Price, false); gap.Cmp(most.Big()) > 0 {
				return nil, differs(field, fmt.Sprintf("%s of %s, which the seller did not sign", gap, want.Price), fmt.Sprintf("at most %s (%s)", most, MaxUnsignedFee))
			}
		}
		amount, err := units.FromBig(c.StartAmount)
		if err != nil {
			return nil, differs(field, c.StartAmount, "an amount")
		}
		total.Add(total, c.StartAmount)
		out = append(out, Payment{Recipient: c.Recipient, Amount: amount})
	}
	return out, nil
}

// total adds the payments and holds them against value, price and fee cap.
func (g *Got) total(value units.Wei, want Want) error {
	for _, p := range g.Payments {
		var err error
		if g.Total, err = g.Total.Add(p.Amount); err != nil {
			return differs("total", "more than 2^256-1", want.Price)
		}
		if p.Recipient != g.Order.Offerer {
			if g.Fees, err = g.Fees.Add(p.Amount); err != nil {
				return differs("fees", "more than 2^256-1", want.Price)
			}
		}
	}
	switch {
	case g.Total.IsZero():
		return differs("total", g.Total, "a price")
	case g.Total.Cmp(want.Price) > 0:
		return differs("total", g.Total, fmt.Sprintf("at most %s, the quoted price", want.Price))
	case value.Cmp(g.Total) != 0:
		return differs("value", value, fmt.Sprintf("%s, the sum of the payments", g.Total))
	case want.MaxFee != nil && g.Fees.Cmp(want.MaxFee.Of(g.Total, false)) > 0:
		return differs("fees", g.Fees, fmt.Sprintf("at most %s of %s", *want.MaxFee, g.Total))
	}
	return nil
}
