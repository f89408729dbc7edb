package opensea

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

type fulfillRequest struct {
	Listing struct {
		Hash     string `json:"hash"`
		Chain    string `json:"chain"`
		Protocol string `json:"protocol_address"`
	} `json:"listing"`
	Fulfiller struct {
		Address string `json:"address"`
	} `json:"fulfiller"`
	Recipient string      `json:"recipient"`
	Units     json.Number `json:"units_to_fill"`
}

type fulfillJSON struct {
	Protocol string          `json:"protocol"`
	Data     fulfillDataJSON `json:"fulfillment_data"`
}

type fulfillDataJSON struct {
	Transaction transactionJSON `json:"transaction"`
	Orders      []orderJSON     `json:"orders"`
}

type transactionJSON struct {
	Function  string `json:"function"`
	Chain     int64  `json:"chain"`
	To        string `json:"to"`
	Value     string `json:"value"`
	ValueHex  string `json:"value_hex"`
	InputData any    `json:"input_data"`
	Suffix    string `json:"calldata_suffix,omitempty"`
}

type orderJSON struct {
	Parameters parametersJSON `json:"parameters"`
	Signature  string         `json:"signature"`
}

// call is a fulfilment before it is written as JSON, so that it can be tampered
// with.
type call struct {
	function  string // "" until chosen
	order     seaport.OrderComponents
	signed    int // how many of the payments the order has
	signature []byte
	chain     int64
	to        common.Address
	value     *big.Int
	conduit   common.Hash
	recipient common.Address // zero: the sender
	suffix    string
	input     any  // not nil: instead of the arguments that follow from the above
	odd       bool // arguments are written with ambiguous values
}

func (s *Server) fulfillment(w http.ResponseWriter, r *http.Request) {
	var req fulfillRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&req); err != nil {
		s.fail(w, http.StatusBadRequest, "The request body is not valid JSON")
		return
	}
	if err := req.check(); err != nil {
		s.fail(w, http.StatusBadRequest, "%s", err)
		return
	}
	l, ok, err := s.book.Find(r.Context(), common.HexToHash(req.Listing.Hash))
	if err != nil {
		s.broken(w, err)
		return
	}
	if !ok {
		s.fail(w, http.StatusBadRequest, "The order_hash you provided does not exist")
		return
	}
	if value, on := s.faults.On(faults.Gone); on {
		s.fail(w, statusOf(value, http.StatusNotFound), "The order_hash you provided does not exist")
		return
	}
	if value, on := s.faults.On(faults.Relisted); on && l.Status == Active {
		if err := s.relist(r.Context(), l, value); err != nil {
			s.broken(w, err)
			return
		}
		s.fail(w, http.StatusNotFound, "The order_hash you provided does not exist")
		return
	}
	if l.Status != Active || isPrivate(l.Order) {
		s.fail(w, http.StatusBadRequest, "Order %s can't be fulfilled: its status is %s", l.Hash, l.Status)
		return
	}
	if _, on := s.faults.On(faults.Cancelled); on {
		if err := s.cancel(r.Context(), l.Order); err != nil {
			s.broken(w, err)
			return
		}
	}
	c := s.callFor(l.Order, req)
	if value, on := s.faults.On(faults.Repriced); on {
		newer, err := s.renew(l, value)
		if err != nil {
			s.broken(w, err)
			return
		}
		c = s.callFor(newer, req)
	}
	if err := s.tamper(r.Context(), &c, l, req); err != nil {
		s.broken(w, err)
		return
	}
	doc := fulfillJSON{Protocol: "seaport1.6", Data: fulfillDataJSON{
		Transaction: c.transaction(),
		Orders:      []orderJSON{{parameters(l.Components), hexutil.Encode(l.Signature)}},
	}}
	doc.Data.Transaction.InputData = s.spell(doc.Data.Transaction.InputData)
	s.answer(w, http.StatusOK, doc)
}

func (r fulfillRequest) check() error {
	switch {
	case r.Listing.Chain != ChainSlug:
		return errors.New("chain must be " + ChainSlug)
	case !strings.EqualFold(r.Listing.Protocol, seaport.Address.Hex()):
		return errors.New("protocol_address is not a supported Seaport contract")
	case len(r.Listing.Hash) != 66:
		return errors.New("listing.hash is required")
	case !common.IsHexAddress(r.Fulfiller.Address):
		return errors.New("fulfiller.address is required")
	case r.Recipient != "" && !common.IsHexAddress(r.Recipient):
		return errors.New("recipient is not an address")
	case r.Units != "" && r.Units != "1":
		return errors.New("units_to_fill must be 1")
	}
	return nil
}

// callFor returns the honest fulfilment: a basic one where that can express it.
func (s *Server) callFor(o demo.Order, req fulfillRequest) call {
	c := call{
		order:     cloneOrder(o.Components),
		signed:    len(o.Components.Consideration),
		signature: o.Signature,
		chain:     s.world.Options.ChainID,
		to:        seaport.Address,
		value:     new(big.Int),
	}
	basic := true
	for _, item := range c.order.Consideration {
		due := item.StartAmount
		if item.EndAmount.Cmp(due) != 0 {
			basic = false
			if item.EndAmount.Cmp(due) > 0 {
				due = item.EndAmount
			}
		}
		c.value.Add(c.value, due)
	}
	fulfiller := common.HexToAddress(req.Fulfiller.Address)
	if to := common.HexToAddress(req.Recipient); req.Recipient != "" && to != fulfiller {
		c.recipient, basic = to, false // a basic order goes to the sender
	}
	c.function = seaport.FnAdvanced
	if basic {
		c.function = seaport.FnBasicEfficient
	}
	if c.recipient == (common.Address{}) {
		c.recipient = fulfiller
	}
	return c
}

// cloneOrder copies an order as deep as it is changed.
func cloneOrder(c seaport.OrderComponents) seaport.OrderComponents {
	c.Offer, c.Consideration = slices.Clone(c.Offer), slices.Clone(c.Consideration)
	return c
}

// signatures holds the argument types of each function that is answered with.
var signatures = map[string]string{
	seaport.FnBasicEfficient: "((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes))",
	seaport.FnAdvanced:       "(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes),(uint256,uint8,uint256,uint256,bytes32[])[],bytes32,address)",
	seaport.FnOrder:          "(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes),bytes32)",
}

func (c *call) transaction() transactionJSON {
	t := transactionJSON{
		Function: c.function + signatures[c.function],
		Chain:    c.chain,
		To:       addr(c.to),
		Value:    c.value.String(),
		ValueHex: hexutil.EncodeBig(c.value),
		Suffix:   c.suffix,
	}
	switch {
	case c.input != nil:
		t.InputData = c.input
	case c.function == seaport.FnAdvanced:
		t.InputData = map[string]any{
			"advancedOrder": c.advancedOrder(), "criteriaResolvers": []any{},
			"fulfillerConduitKey": c.conduit.Hex(), "recipient": addr(c.recipient),
		}
	case c.function == seaport.FnOrder:
		t.InputData = map[string]any{
			"order":               map[string]any{"parameters": c.parameters(), "signature": hexutil.Encode(c.signature)},
			"fulfillerConduitKey": c.conduit.Hex(),
		}
	default:
		t.InputData = map[string]any{"parameters": c.basicParameters()}
	}
	return t
}

func num(v *big.Int) json.Number { return json.Number(v.String()) }

// uint8Of writes a small number; with ambiguous values it is one that a careless
// reader cuts down to the right one.
func (c *call) uint8Of(v uint8) json.Number {
	n := big.NewInt(int64(v))
	if c.odd {
		n.Add(n, big.NewInt(256))
	}
	return num(n)
}

func (c *call) basicParameters() map[string]any {
	b := seaport.Basic(c.order, c.signature)
	more := []any{}
	for _, r := range b.AdditionalRecipients {
		more = append(more, map[string]any{"amount": num(r.Amount), "recipient": addr(r.Recipient)})
	}
	return map[string]any{
		"considerationToken":                addr(b.ConsiderationToken),
		"considerationIdentifier":           num(b.ConsiderationIdentifier),
		"considerationAmount":               num(b.ConsiderationAmount),
		"offerer":                           addr(b.Offerer),
		"zone":                              addr(b.Zone),
		"offerToken":                        addr(b.OfferToken),
		"offerIdentifier":                   num(b.OfferIdentifier),
		"offerAmount":                       num(b.OfferAmount),
		"basicOrderType":                    c.uint8Of(b.BasicOrderType),
		"startTime":                         num(b.StartTime),
		"endTime":                           num(b.EndTime),
		"zoneHash":                          common.Hash(b.ZoneHash).Hex(),
		"salt":                              num(b.Salt),
		"offererConduitKey":                 common.Hash(b.OffererConduitKey).Hex(),
		"fulfillerConduitKey":               c.conduit.Hex(),
		"totalOriginalAdditionalRecipients": num(big.NewInt(int64(c.signed - 1))),
		"additionalRecipients":              more,
		"signature":                         hexutil.Encode(b.Signature),
	}
}

func (c *call) advancedOrder() map[string]any {
	return map[string]any{
		"parameters": c.parameters(), "numerator": json.Number("1"), "denominator": json.Number("1"),
		"signature": hexutil.Encode(c.signature), "extraData": "0x",
	}
}

// parameters are the order's as the call takes them: numbers are numbers here,
// and only the signed payments count as original.
func (c *call) parameters() map[string]any {
	p := parameters(c.order)
	return map[string]any{
		"offerer": p.Offerer, "zone": p.Zone, "offer": p.Offer, "consideration": p.Consideration,
		"orderType": c.uint8Of(c.order.OrderType), "startTime": num(c.order.StartTime), "endTime": num(c.order.EndTime),
		"zoneHash": p.ZoneHash, "salt": num(c.order.Salt), "conduitKey": p.ConduitKey,
		"totalOriginalConsiderationItems": num(big.NewInt(int64(c.signed))),
	}
}

// spell writes the numbers of arguments in the way that is asked for. OpenSea
// has answered with all three.
func (s *Server) spell(v any) any {
	write := func(n json.Number) any { return n }
	if _, on := s.faults.On(faults.StringNumbers); on {
		write = func(n json.Number) any { return string(n) }
	}
	if _, on := s.faults.On(faults.HexNumbers); on {
		write = func(n json.Number) any {
			v, ok := new(big.Int).SetString(string(n), 10)
			if !ok {
				return n
			}
			return hexutil.EncodeBig(v)
		}
	}
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case json.Number:
			return write(v)
		case map[string]any:
			for k, e := range v {
				v[k] = walk(e)
			}
		case []any:
			for i, e := range v {
				v[i] = walk(e)
			}
		}
		return v
	}
	return walk(v)
}
