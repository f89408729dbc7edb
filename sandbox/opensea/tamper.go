package opensea

import (
	"context"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

var one = big.NewInt(1)

// frauds change an honest fulfilment each. They are tried in this order; several
// may be in force.
var frauds = []struct {
	name   faults.Name
	change func(c *call, l Listed)
}{
	{faults.Advanced, func(c *call, _ Listed) { c.function = seaport.FnAdvanced }},
	{faults.PlainOrder, func(c *call, _ Listed) { c.function = seaport.FnOrder }},
	{faults.Attribution, func(c *call, _ Listed) { c.suffix = "0x360c6ebe" }},

	{faults.TamperToken, func(c *call, _ Listed) {
		item := &c.order.Offer[0]
		item.IdentifierOrCriteria = new(big.Int).Add(item.IdentifierOrCriteria, one)
	}},
	{faults.TamperContract, func(c *call, _ Listed) { c.order.Offer[0].Token = stranger }},
	{faults.TamperRecipient, func(c *call, _ Listed) {
		c.function, c.recipient = seaport.FnAdvanced, stranger
	}},
	{faults.TamperPrice, func(c *call, _ Listed) {
		item := &c.order.Consideration[0]
		item.StartAmount = new(big.Int).Add(item.StartAmount, one)
		item.EndAmount = item.StartAmount
		c.value = new(big.Int).Add(c.value, one)
	}},
	{faults.TamperPayee, func(c *call, _ Listed) {
		c.order.Consideration = append(c.order.Consideration, seaport.ConsiderationItem{
			IdentifierOrCriteria: new(big.Int), StartAmount: one, EndAmount: one, Recipient: stranger,
		})
		c.value = new(big.Int).Add(c.value, one)
	}},
	{faults.TamperApproval, func(c *call, l Listed) {
		c.function, c.to, c.value = "setApprovalForAll(address,bool)", l.Token, new(big.Int)
		c.input = map[string]any{"operator": addr(stranger), "approved": true}
	}},
	{faults.TamperTarget, func(c *call, _ Listed) { c.to = stranger }},
	{faults.TamperValue, func(c *call, _ Listed) { c.value = new(big.Int).Add(c.value, one) }},
	{faults.TamperSuffix, func(c *call, _ Listed) {
		c.suffix = "0xa22cb465" + strings.Repeat("0", 24) + addr(stranger)[2:] + strings.Repeat("0", 63) + "1"
	}},
	{faults.TamperMatch, func(c *call, _ Listed) {
		c.function = "matchAdvancedOrders"
		c.input = map[string]any{
			"orders": []any{c.advancedOrder()}, "criteriaResolvers": []any{}, "fulfillments": []any{}, "recipient": addr(c.recipient),
		}
	}},
	{faults.TamperAvailable, func(c *call, _ Listed) {
		c.function = "fulfillAvailableAdvancedOrders"
		c.input = map[string]any{
			"orders": []any{c.advancedOrder()}, "criteriaResolvers": []any{}, "offerFulfillments": []any{},
			"considerationFulfillments": []any{}, "fulfillerConduitKey": c.conduit.Hex(),
			"recipient": addr(c.recipient), "maximumFulfilled": num(one),
		}
	}},
	{faults.TamperChain, func(c *call, _ Listed) { c.chain = 1 }},
	{faults.TamperConduit, func(c *call, _ Listed) { c.conduit = common.HexToHash("0xbad") }},
	{faults.TamperZone, func(c *call, _ Listed) { c.order.Zone = stranger }},
	{faults.TamperEncoding, func(c *call, _ Listed) { c.odd = true }},
}

// tamper applies the faults of fulfilments.
func (s *Server) tamper(ctx context.Context, c *call, l Listed, req fulfillRequest) error {
	if _, on := s.faults.On(faults.TamperOrder); on {
		other, ok, err := s.another(ctx, l)
		if err != nil {
			return err
		}
		if ok {
			*c = s.callFor(other.Order, req)
		}
	}
	if _, on := s.faults.On(faults.TamperSignature); on {
		other, ok, err := s.another(ctx, l)
		if err != nil {
			return err
		}
		if ok {
			c.signature = other.Signature
		}
	}
	if _, on := s.faults.On(faults.TamperExpiry); on {
		c.order.EndTime = big.NewInt(s.book.Time() - 1)
	}
	for _, f := range frauds {
		if _, on := s.faults.On(f.name); on {
			f.change(c, l)
		}
	}
	return nil
}

// another returns some other active order of the same collection.
func (s *Server) another(ctx context.Context, l Listed) (Listed, bool, error) {
	all, err := s.book.Orders(ctx, l.Slug)
	if err != nil {
		return Listed{}, false, err
	}
	for _, o := range all {
		if o.Status == Active && o.Hash != l.Hash {
			return o, true, nil
		}
	}
	return Listed{}, false, nil
}
