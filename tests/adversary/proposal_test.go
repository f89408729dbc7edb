package adversary_test

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"net/http"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/demo"
)

// proposal is an order, signed by whoever it says, and the transaction that would
// fill it, before both are written as a marketplace writes them.
type proposal struct {
	order       seaport.OrderComponents
	signer      demo.Key
	signature   []byte // nil: of the signer over the order, as it is in the end
	function    string
	signed      *big.Int // how many payments are called original; nil: all of the order's
	tips        []seaport.ConsiderationItem
	recipient   common.Address
	conduit     common.Hash
	numerator   *big.Int
	denominator *big.Int
	extra       []byte
	resolvers   *node
	value       *big.Int // nil: the sum of the payments
	to          string
	chain       string
	suffix      string
	signature4  string // "": as the function's
	basicType   *big.Int
	claim       func(l *node) // changes the listing that goes with it
	wholePrice  *big.Int      // what the listing says it costs; nil: the sum
	basicKey    string
}

// honest is the listing of the cast, in one of the accepted functions.
func honest(c *cast, function string) *proposal {
	o := c.order.Components
	o.Offer, o.Consideration = slices.Clone(o.Offer), slices.Clone(o.Consideration)
	return &proposal{
		order: o, signer: c.home.Seller, function: function, recipient: c.buyer.Address(), numerator: big.NewInt(1), denominator: big.NewInt(1),
		resolvers: &node{kind: '['}, to: lower(seaport.Address), chain: fmt.Sprint(c.stage.world.ChainID()), basicKey: "parameters",
	}
}

// sign completes the proposal and tells the stage of the order.
func (p *proposal) sign(c *cast) *proposal {
	c.stage.remember(p.order)
	if p.signature == nil {
		sig, err := p.signer.SignOrder(p.order, c.stage.world.ChainID())
		if err != nil {
			panic(err)
		}
		p.signature = sig
	}
	return p
}

func sumOf(items []seaport.ConsiderationItem) *big.Int {
	total := new(big.Int)
	for _, i := range items {
		if i.EndAmount.Cmp(i.StartAmount) > 0 {
			total.Add(total, i.EndAmount)
		} else {
			total.Add(total, i.StartAmount)
		}
	}
	return total
}

func obj(pairs ...any) *node {
	n := &node{kind: '{'}
	for i := 0; i < len(pairs); i += 2 {
		n.keys, n.kids = append(n.keys, quote(pairs[i].(string))), append(n.kids, asNode(pairs[i+1]))
	}
	return n
}

func list(items ...*node) *node { return &node{kind: '[', kids: items} }

func asNode(v any) *node {
	switch v := v.(type) {
	case *node:
		return v
	case *big.Int:
		return rawNode(v.String())
	case common.Address:
		return scalar(lower(v))
	case [32]byte:
		return scalar(common.Hash(v).Hex())
	case common.Hash:
		return scalar(v.Hex())
	case []byte:
		return scalar("0x" + hex.EncodeToString(v))
	case uint8:
		return rawNode(fmt.Sprint(v))
	}
	return scalar(v)
}

// parameters writes an order; numbers are strings in a listing.
func (p *proposal) parameters(inListing bool) *node {
	num := func(v *big.Int) *node { return rawNode(v.String()) }
	if inListing {
		num = func(v *big.Int) *node { return scalar(v.String()) }
	}
	offer, consideration := list(), list()
	for _, o := range p.order.Offer {
		offer.kids = append(offer.kids, obj("itemType", o.ItemType, "token", o.Token, "identifierOrCriteria", num(o.IdentifierOrCriteria),
			"startAmount", num(o.StartAmount), "endAmount", num(o.EndAmount)))
	}
	items := p.order.Consideration
	if !inListing {
		items = append(slices.Clone(items), p.tips...)
	}
	for _, i := range items {
		consideration.kids = append(consideration.kids, obj("itemType", i.ItemType, "token", i.Token, "identifierOrCriteria", num(i.IdentifierOrCriteria),
			"startAmount", num(i.StartAmount), "endAmount", num(i.EndAmount), "recipient", i.Recipient))
	}
	original := p.signed
	if original == nil || inListing {
		original = big.NewInt(int64(len(p.order.Consideration)))
	}
	n := obj("offerer", p.order.Offerer, "zone", p.order.Zone, "offer", offer, "consideration", consideration, "orderType", p.order.OrderType,
		"startTime", num(p.order.StartTime), "endTime", num(p.order.EndTime), "zoneHash", p.order.ZoneHash, "salt", num(p.order.Salt),
		"conduitKey", p.order.ConduitKey, "totalOriginalConsiderationItems", original)
	if inListing {
		n.set("counter", asNode(p.order.Counter))
	}
	return n
}

func (p *proposal) basic() *node {
	o := p.order
	if len(o.Offer) == 0 || len(o.Consideration) == 0 {
		return obj()
	}
	item, first := o.Offer[0], o.Consideration[0]
	more := list()
	for _, r := range append(slices.Clone(o.Consideration[1:]), p.tips...) {
		more.kids = append(more.kids, obj("amount", r.StartAmount, "recipient", r.Recipient))
	}
	original, kind := p.signed, p.basicType
	if original == nil {
		original = big.NewInt(int64(len(o.Consideration)))
	}
	if kind == nil {
		kind = big.NewInt(int64(o.OrderType))
	}
	return obj("considerationToken", first.Token, "considerationIdentifier", first.IdentifierOrCriteria, "considerationAmount", first.StartAmount,
		"offerer", o.Offerer, "zone", o.Zone, "offerToken", item.Token, "offerIdentifier", item.IdentifierOrCriteria, "offerAmount", item.StartAmount,
		"basicOrderType", kind, "startTime", o.StartTime, "endTime", o.EndTime, "zoneHash", o.ZoneHash, "salt", o.Salt,
		"offererConduitKey", o.ConduitKey, "fulfillerConduitKey", p.conduit,
		"totalOriginalAdditionalRecipients", new(big.Int).Sub(original, big.NewInt(1)), "additionalRecipients", more, "signature", p.signature)
}

// fulfilment writes the marketplace's answer.
func (p *proposal) fulfilment() *node {
	advanced := func() *node {
		return obj("parameters", p.parameters(false), "numerator", p.numerator, "denominator", p.denominator, "signature", p.signature, "extraData", p.extra)
	}
	var input *node
	switch p.function {
	case seaport.FnBasic, seaport.FnBasicEfficient:
		input = obj(p.basicKey, p.basic())
	case seaport.FnOrder:
		input = obj("order", obj("parameters", p.parameters(false), "signature", p.signature), "fulfillerConduitKey", p.conduit)
	case seaport.FnAdvanced:
		input = obj("advancedOrder", advanced(), "criteriaResolvers", p.resolvers, "fulfillerConduitKey", p.conduit, "recipient", p.recipient)
	default: // all arguments that any function has
		input = obj("parameters", p.basic(), "order", obj("parameters", p.parameters(false), "signature", p.signature), "orders", list(advanced()),
			"advancedOrders", list(advanced()), "advancedOrder", advanced(), "criteriaResolvers", p.resolvers, "fulfillments", list(), "offerFulfillments", list(),
			"considerationFulfillments", list(), "maximumFulfilled", big.NewInt(1), "fulfillerConduitKey", p.conduit, "recipient", p.recipient,
			"operator", p.recipient, "approved", true, "to", p.recipient, "tokenId", big.NewInt(1), "amount", most())
	}
	value := p.value
	if value == nil {
		value = sumOf(append(slices.Clone(p.order.Consideration), p.tips...))
	}
	tx := obj("function", p.function+p.signature4, "chain", rawNode(p.chain), "to", p.to, "value", value.String(), "input_data", input)
	if value.Sign() >= 0 {
		tx.set("value_hex", scalar(hexutil.EncodeBig(value)))
	}
	if p.suffix != "" {
		tx.set("calldata_suffix", scalar(p.suffix))
	}
	return obj("protocol", "seaport1.6", "fulfillment_data", obj("transaction", tx,
		"orders", list(obj("parameters", p.parameters(true), "signature", p.signature))))
}

// listing writes the listing of the order.
func (p *proposal) listing() *node {
	total := p.wholePrice
	if total == nil {
		total = sumOf(p.order.Consideration)
	}
	asset := obj("identifier", "0", "contract", common.Address{})
	if len(p.order.Offer) > 0 {
		asset = obj("identifier", p.order.Offer[0].IdentifierOrCriteria.String(), "contract", p.order.Offer[0].Token)
	}
	return obj("order_hash", seaport.OrderHash(p.order).Hex(), "chain", "ape_chain", "protocol_data", obj("parameters", p.parameters(true), "signature", p.signature),
		"protocol_address", lower(seaport.Address), "protocol", "seaport", "asset", asset, "remaining_quantity", 1,
		"price", obj("current", obj("currency", "APE", "decimals", 18, "value", total.String())), "type", "basic", "status", "ACTIVE")
}

func document(n *node) reply {
	return reply{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json"}}, body: []byte(n.String())}
}

// shown says how much of a proposal the listing gives away.
type shown int

const (
	listedAsIs   shown = iota // the listing is honest: another order comes at the fulfilment
	hashOnly                  // the listing looks honest, and names the other order's hash
	listedInFull              // the listing shows the other order
)

func (s shown) String() string {
	return [...]string{"behind the honest listing", "under its hash", "in the open"}[s]
}

// offers are the lies that bring a cast's proposal to the buyer.
func offers(how shown, when phase) []mutation {
	out := []mutation{{target: fulfilment, phase: when, do: func(c *cast, x *exchange) reply { return document(c.planned.fulfilment()) }}}
	switch how {
	case hashOnly:
		out = append(out, mutation{target: listing, do: bodies(func(c *cast, body []byte) []byte {
			n := parseTree(body)
			n.set("order_hash", scalar(seaport.OrderHash(c.planned.order).Hex()))
			return []byte(n.String())
		})})
	case listedInFull:
		out = append(out, mutation{target: listing, do: func(c *cast, x *exchange) reply {
			l := c.planned.listing()
			if c.planned.claim != nil {
				c.planned.claim(l)
			}
			return document(l)
		}})
	}
	return out
}
