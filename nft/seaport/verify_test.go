package seaport_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const chainID = 7733139

var (
	seller  = common.HexToAddress("0x70997970c51812dc3a010c7d01b50e0d17dc79c8")
	buyer   = common.HexToAddress("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC")
	artist  = common.HexToAddress("0xbeef000000000000000000000000000000000001")
	token   = common.HexToAddress("0x8464135c8f25da09e49bc8782676a84730c318bc")
	other   = common.HexToAddress("0xdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef")
	now     = time.Unix(1_800_000_000, 0)
	suffix  = []byte{0xcd, 0xb4, 0x40, 0x11}
	someSig = make([]byte, 64)
)

func n(v int64) *big.Int { return big.NewInt(v) }

func pay(amount int64, to common.Address) seaport.ConsiderationItem {
	return seaport.ConsiderationItem{IdentifierOrCriteria: n(0), StartAmount: n(amount), EndAmount: n(amount), Recipient: to}
}

// order is a listing of token #7 for 10000: 9400 to the seller, 600 in fees.
func order() seaport.OrderComponents {
	return seaport.OrderComponents{
		Offerer:       seller,
		Offer:         []seaport.OfferItem{{ItemType: 2, Token: token, IdentifierOrCriteria: n(7), StartAmount: n(1), EndAmount: n(1)}},
		Consideration: []seaport.ConsiderationItem{pay(9400, seller), pay(100, seaport.FeeRecipient), pay(500, artist)},
		StartTime:     n(now.Unix() - 60), EndTime: n(now.Unix() + 3600), Salt: n(99), Counter: n(5),
	}
}

func wanted(c seaport.OrderComponents) seaport.Want {
	return seaport.Want{
		ChainID: chainID, Protocol: seaport.Address, Buyer: buyer, Token: token, TokenID: n(7),
		OrderHash: seaport.OrderHash(c), Counter: n(5), Price: units.FromUint64(10000), Now: now, Margin: time.Minute,
	}
}

func advanced(c seaport.OrderComponents) seaport.AdvancedOrder {
	return seaport.AdvancedOrder{Parameters: seaport.Parameters(c), Numerator: n(1), Denominator: n(1), Signature: someSig, ExtraData: []byte{}}
}

func call(data []byte) seaport.Call {
	return seaport.Call{ChainID: chainID, To: seaport.Address, Value: units.FromUint64(10000), Data: data}
}

var sp = seaport.Contract()

func packAdvanced(a seaport.AdvancedOrder, to common.Address) []byte {
	return sp.PackFulfillAdvancedOrder(a, []seaport.CriteriaResolver{}, [32]byte{}, to)
}

func TestVerifyAccepts(t *testing.T) {
	t.Parallel()
	c := order()
	restricted := order()
	restricted.OrderType, restricted.Zone, restricted.ConduitKey = seaport.FullRestricted, seaport.SignedZone, seaport.OpenSeaConduitKey
	extra := advanced(restricted)
	extra.ExtraData = []byte("signed by the zone")
	for name, tt := range map[string]struct {
		c    seaport.OrderComponents
		data []byte
		fn   string
	}{
		"efficient":              {c, sp.PackFulfillBasicOrderEfficient6GL6yc(seaport.Basic(c, someSig)), seaport.FnBasicEfficient},
		"basic":                  {c, sp.PackFulfillBasicOrder(seaport.Basic(c, someSig)), seaport.FnBasic},
		"advanced to us":         {c, packAdvanced(advanced(c), buyer), seaport.FnAdvanced},
		"advanced to the caller": {c, packAdvanced(advanced(c), common.Address{}), seaport.FnAdvanced},
		"restricted":             {restricted, packAdvanced(extra, buyer), seaport.FnAdvanced},
		"plain order":            {c, sp.PackFulfillOrder(seaport.Order{Parameters: seaport.Parameters(c), Signature: someSig}, seaport.OpenSeaConduitKey), seaport.FnOrder},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, data := range [][]byte{tt.data, append(append([]byte{}, tt.data...), suffix...)} {
				got, err := seaport.Verify(call(data), wanted(tt.c))
				if err != nil {
					t.Fatal(err)
				}
				if got.Function != tt.fn || got.Total.String() != "10000" || got.Fees.String() != "600" || got.OrderHash != seaport.OrderHash(tt.c) || len(got.Payments) != 3 {
					t.Fatalf("got %+v", got)
				}
			}
		})
	}
}

// refusal runs Verify and returns the field it refused for.
func refusal(t *testing.T, c seaport.Call, w seaport.Want) string {
	t.Helper()
	_, err := seaport.Verify(c, w)
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.UnsafeTransaction {
		t.Fatalf("err = %v, expected unsafe_transaction", err)
	}
	field, _ := f.Details["field"].(string)
	return field
}

// TestVerifyRefusesOrders changes one thing of the order and signs it anew:
// the order hash is right, so that each check has to hold by itself.
func TestVerifyRefusesOrders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*seaport.OrderComponents)
		field  string
		basic  bool // can be said as a basic order too
	}{
		"other token id":       {func(c *seaport.OrderComponents) { c.Offer[0].IdentifierOrCriteria = n(8) }, "offer.tokenId", true},
		"other contract":       {func(c *seaport.OrderComponents) { c.Offer[0].Token = other }, "offer.token", true},
		"two of it":            {func(c *seaport.OrderComponents) { c.Offer[0].StartAmount, c.Offer[0].EndAmount = n(2), n(2) }, "offer.amount", true},
		"ascending amount":     {func(c *seaport.OrderComponents) { c.Offer[0].EndAmount = n(2) }, "offer.amount", false},
		"erc-1155":             {func(c *seaport.OrderComponents) { c.Offer[0].ItemType = 3 }, "offer.itemType", false},
		"criteria":             {func(c *seaport.OrderComponents) { c.Offer[0].ItemType = 4 }, "offer.itemType", false},
		"nothing offered":      {func(c *seaport.OrderComponents) { c.Offer = nil }, "offer", false},
		"two items":            {func(c *seaport.OrderComponents) { c.Offer = append(c.Offer, c.Offer[0]) }, "offer", false},
		"price + 1 wei":        {func(c *seaport.OrderComponents) { c.Consideration[0] = pay(9401, seller) }, "total", true},
		"free":                 {func(c *seaport.OrderComponents) { c.Consideration = []seaport.ConsiderationItem{pay(0, seller)} }, "total", true},
		"no payments":          {func(c *seaport.OrderComponents) { c.Consideration = nil }, "consideration", false},
		"erc-20":               {func(c *seaport.OrderComponents) { c.Consideration[1].ItemType, c.Consideration[1].Token = 1, other }, "consideration[1]", false},
		"token on native":      {func(c *seaport.OrderComponents) { c.Consideration[0].Token = other }, "consideration[0]", true},
		"auction":              {func(c *seaport.OrderComponents) { c.Consideration[0].StartAmount = n(9399) }, "consideration[0]", false},
		"burn":                 {func(c *seaport.OrderComponents) { c.Consideration[2].Recipient = common.Address{} }, "consideration[2].recipient", true},
		"we are the seller":    {func(c *seaport.OrderComponents) { c.Offerer = buyer }, "offerer", true},
		"nobody is the seller": {func(c *seaport.OrderComponents) { c.Offerer = common.Address{} }, "offerer", true},
		"partial":              {func(c *seaport.OrderComponents) { c.OrderType = seaport.PartialOpen }, "orderType", true},
		"contract order":       {func(c *seaport.OrderComponents) { c.OrderType = 4 }, "orderType", false},
		"unknown zone":         {func(c *seaport.OrderComponents) { c.Zone = other }, "zone", true},
		"restricted, no zone":  {func(c *seaport.OrderComponents) { c.OrderType = seaport.FullRestricted }, "zone", true},
		"unknown conduit":      {func(c *seaport.OrderComponents) { c.ConduitKey = [32]byte{1} }, "conduitKey", true},
		"not started":          {func(c *seaport.OrderComponents) { c.StartTime = n(now.Unix() + 1) }, "startTime", true},
		"expired":              {func(c *seaport.OrderComponents) { c.EndTime = n(now.Unix()) }, "endTime", true},
		"within the margin":    {func(c *seaport.OrderComponents) { c.EndTime = n(now.Unix() + 60) }, "endTime", true},
		"overflowing payments": {func(c *seaport.OrderComponents) {
			most := new(big.Int).Sub(new(big.Int).Lsh(n(1), 256), n(1))
			c.Consideration[1].StartAmount, c.Consideration[1].EndAmount = most, most
			c.Consideration[2] = pay(1, artist)
		}, "total", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := order()
			tt.change(&c)
			if got := refusal(t, call(packAdvanced(advanced(c), buyer)), wanted(c)); got != tt.field {
				t.Errorf("advanced: refused for %q, expected %q", got, tt.field)
			}
			plain := sp.PackFulfillOrder(seaport.Order{Parameters: seaport.Parameters(c), Signature: someSig}, [32]byte{})
			if got := refusal(t, call(plain), wanted(c)); got != tt.field {
				t.Errorf("order: refused for %q, expected %q", got, tt.field)
			}
			if tt.basic {
				b := seaport.Basic(c, someSig)
				if got := refusal(t, call(sp.PackFulfillBasicOrderEfficient6GL6yc(b)), wanted(c)); got != tt.field {
					t.Errorf("basic: refused for %q, expected %q", got, tt.field)
				}
			}
		})
	}
}

// TestVerifyRefusesCalls changes the call around a good order.
func TestVerifyRefusesCalls(t *testing.T) {
	t.Parallel()
	c := order()
	good := packAdvanced(advanced(c), buyer)
	basic := func(change func(*seaport.BasicOrderParameters)) []byte {
		p := seaport.Basic(c, someSig)
		change(&p)
		return sp.PackFulfillBasicOrderEfficient6GL6yc(p)
	}
	adv := func(change func(*seaport.AdvancedOrder)) []byte {
		a := advanced(order())
		change(&a)
		return packAdvanced(a, buyer)
	}
	flip := func(at int, b byte) []byte {
		d := append([]byte{}, good...)
		d[at] ^= b
		return d
	}
	approval := append(common.FromHex("0xa22cb465"), make([]byte, 64)...) // setApprovalForAll
	bps := func(b units.BPS) *units.BPS { return &b }
	for name, tt := range map[string]struct {
		call  func(*seaport.Call)
		want  func(*seaport.Want)
		field string
	}{
		"wrong chain":           {call: func(c *seaport.Call) { c.ChainID = 1 }, field: "chain"},
		"unchecked chain":       {call: func(c *seaport.Call) { c.ChainID = 1 }, want: func(w *seaport.Want) { w.ChainID = 1 }, field: "to"},
		"other target":          {call: func(c *seaport.Call) { c.To = other }, field: "to"},
		"the token as target":   {call: func(c *seaport.Call) { c.To, c.Data = token, approval }, field: "to"},
		"other protocol quoted": {want: func(w *seaport.Want) { w.Protocol = other }, field: "to"},
		"approval call":         {call: func(c *seaport.Call) { c.Data = approval }, field: "function"},
		"no calldata":           {call: func(c *seaport.Call) { c.Data = nil }, field: "calldata"},
		"cut calldata":          {call: func(c *seaport.Call) { c.Data = good[:len(good)-32] }, field: "calldata"},
		"only a selector":       {call: func(c *seaport.Call) { c.Data = good[:4] }, field: "calldata"},
		"value + 1":             {call: func(c *seaport.Call) { c.Value = units.FromUint64(10001) }, field: "value"},
		"value - 1":             {call: func(c *seaport.Call) { c.Value = units.FromUint64(9999) }, field: "value"},
		"lower quoted price":    {want: func(w *seaport.Want) { w.Price = units.FromUint64(9999) }, field: "total"},
		"fee over the cap":      {want: func(w *seaport.Want) { w.MaxFee = bps(599) }, field: "fees"},
		"recipient":             {call: func(k *seaport.Call) { k.Data = packAdvanced(advanced(c), other) }, field: "recipient"},
		"other order":           {want: func(w *seaport.Want) { w.OrderHash[0] ^= 1 }, field: "orderHash"},
		"counter moved on":      {want: func(w *seaport.Want) { w.Counter = n(6) }, field: "orderHash"},
		"other salt":            {call: func(k *seaport.Call) { k.Data = basic(func(p *seaport.BasicOrderParameters) { p.Salt = n(98) }) }, field: "orderHash"},
		"fees moved": {call: func(k *seaport.Call) {
			k.Data = basic(func(p *seaport.BasicOrderParameters) { p.AdditionalRecipients[1].Recipient = other })
		}, field: "orderHash"},
		"half": {call: func(k *seaport.Call) { k.Data = adv(func(a *seaport.AdvancedOrder) { a.Denominator = n(2) }) }, field: "fraction"},
		"two halves": {call: func(k *seaport.Call) {
			k.Data = adv(func(a *seaport.AdvancedOrder) { a.Numerator, a.Denominator = n(2), n(2) })
		}, field: "fraction"},
		"zero of zero": {call: func(k *seaport.Call) {
			k.Data = adv(func(a *seaport.AdvancedOrder) { a.Numerator, a.Denominator = n(0), n(0) })
		}, field: "fraction"},
		"extra data":         {call: func(k *seaport.Call) { k.Data = adv(func(a *seaport.AdvancedOrder) { a.ExtraData = []byte{1} }) }, field: "extraData"},
		"basic for erc-20":   {call: func(k *seaport.Call) { k.Data = basic(func(p *seaport.BasicOrderParameters) { p.BasicOrderType = 8 }) }, field: "basicOrderType"},
		"basic for an offer": {call: func(k *seaport.Call) { k.Data = basic(func(p *seaport.BasicOrderParameters) { p.BasicOrderType = 16 }) }, field: "basicOrderType"},
		"unknown conduit": {call: func(k *seaport.Call) {
			k.Data = basic(func(p *seaport.BasicOrderParameters) { p.FulfillerConduitKey[3] = 1 })
		}, field: "fulfillerConduitKey"},
		"suffix of three": {call: func(k *seaport.Call) { k.Data = append(append([]byte{}, good...), 1, 2, 3) }, field: "calldata"},
		"suffix of eight": {call: func(k *seaport.Call) { k.Data = append(append([]byte{}, good...), 1, 2, 3, 4, 5, 6, 7, 8) }, field: "calldata"},
		"moved offset":    {call: func(k *seaport.Call) { k.Data = flip(4+31, 0x20) }, field: "calldata"},
		"dirty address":   {call: func(k *seaport.Call) { k.Data = flip(4+3*32, 0x80) }, field: "calldata"},
		"more signed than given": {call: func(k *seaport.Call) {
			k.Data = basic(func(p *seaport.BasicOrderParameters) { p.TotalOriginalAdditionalRecipients = n(3) })
		}, field: "consideration"},
		"none signed": {call: func(k *seaport.Call) {
			k.Data = adv(func(a *seaport.AdvancedOrder) { a.Parameters.TotalOriginalConsiderationItems = n(0) })
		}, field: "consideration"},
		"criteria resolver": {call: func(k *seaport.Call) {
			k.Data = sp.PackFulfillAdvancedOrder(advanced(c), []seaport.CriteriaResolver{{OrderIndex: n(0), Index: n(0), Identifier: n(7)}}, [32]byte{}, buyer)
		}, field: "criteriaResolvers"},
		"match": {call: func(k *seaport.Call) {
			k.Data = sp.PackMatchAdvancedOrders([]seaport.AdvancedOrder{advanced(c)}, nil, nil, buyer)
		}, field: "function"},
		"available": {call: func(k *seaport.Call) {
			k.Data = sp.PackFulfillAvailableAdvancedOrders([]seaport.AdvancedOrder{advanced(c)}, nil, nil, nil, [32]byte{}, buyer, n(1))
		}, field: "function"},
		"cancel": {call: func(k *seaport.Call) { k.Data = sp.PackCancel([]seaport.OrderComponents{c}) }, field: "function"},
		"count":  {call: func(k *seaport.Call) { k.Data = sp.PackIncrementCounter() }, field: "function"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, w := call(good), wanted(c)
			if tt.call != nil {
				tt.call(&k)
			}
			if tt.want != nil {
				tt.want(&w)
			}
			if got := refusal(t, k, w); got != tt.field {
				t.Errorf("refused for %q, expected %q", got, tt.field)
			}
		})
	}
}

// TestVerifyTips: nothing is paid that the seller did not sign, but the gap
// between the signed sum and the quoted price to the marketplace's address.
func TestVerifyTips(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tips  []seaport.ConsiderationItem
		price uint64
		field string // "" is accepted
	}{
		"none":                    {nil, 10000, ""},
		"the marketplace's":       {[]seaport.ConsiderationItem{pay(250, seaport.FeeRecipient)}, 10250, ""},
		"none, price above":       {nil, 10250, ""},
		"5 % of the price":        {[]seaport.ConsiderationItem{pay(526, seaport.FeeRecipient)}, 10526, ""},
		"more than 5 %":           {[]seaport.ConsiderationItem{pay(527, seaport.FeeRecipient)}, 10527, "consideration[3]"},
		"as much again":           {[]seaport.ConsiderationItem{pay(10000, seaport.FeeRecipient)}, 20000, "consideration[3]"},
		"not quoted":              {[]seaport.ConsiderationItem{pay(250, seaport.FeeRecipient)}, 10000, "consideration[3]"},
		"more than quoted":        {[]seaport.ConsiderationItem{pay(251, seaport.FeeRecipient)}, 10250, "consideration[3]"},
		"less than quoted":        {[]seaport.ConsiderationItem{pay(249, seaport.FeeRecipient)}, 10250, "consideration[3]"},
		"to somebody else":        {[]seaport.ConsiderationItem{pay(250, other)}, 10250, "consideration[3]"},
		"to the seller":           {[]seaport.ConsiderationItem{pay(250, seller)}, 10250, "consideration[3]"},
		"of zero":                 {[]seaport.ConsiderationItem{pay(0, seaport.FeeRecipient)}, 10000, "consideration[3]"},
		"of zero to another":      {[]seaport.ConsiderationItem{pay(0, other)}, 10000, "consideration[3]"},
		"the marketplace's twice": {[]seaport.ConsiderationItem{pay(250, seaport.FeeRecipient), pay(0, seaport.FeeRecipient)}, 10250, "consideration[4]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := order()
			tipped := c
			tipped.Consideration = append(append([]seaport.ConsiderationItem{}, c.Consideration...), tt.tips...)
			a := advanced(tipped)
			a.Parameters.TotalOriginalConsiderationItems = n(3)
			b := seaport.Basic(tipped, someSig)
			b.TotalOriginalAdditionalRecipients = n(2)
			total := uint64(10000)
			for _, tip := range tt.tips {
				total += tip.StartAmount.Uint64()
			}
			for fn, data := range map[string][]byte{"advanced": packAdvanced(a, buyer), "basic": sp.PackFulfillBasicOrderEfficient6GL6yc(b)} {
				k, w := call(data), wanted(c)
				k.Value, w.Price = units.FromUint64(total), units.FromUint64(tt.price)
				if tt.field == "" {
					if got, err := seaport.Verify(k, w); err != nil || got.Total != k.Value {
						t.Errorf("%s: %v, total %s", fn, err, got.Total)
					}
					continue
				}
				if got := refusal(t, k, w); got != tt.field {
					t.Errorf("%s: refused for %q, expected %q", fn, got, tt.field)
				}
			}
		})
	}
}

func TestRefusalNamesBothValues(t *testing.T) {
	t.Parallel()
	c := order()
	c.Offer[0].IdentifierOrCriteria = n(8)
	_, err := seaport.Verify(call(packAdvanced(advanced(c), buyer)), wanted(c))
	f := fault.From(err)
	if f.Details["got"] != "8" || f.Details["want"] != "7" || !strings.Contains(f.Message, "8") || !strings.Contains(f.Message, "7") {
		t.Fatalf("%s %v", f.Message, f.Details)
	}
	if b, err := json.Marshal(f); err != nil || strings.Contains(string(b), hex.EncodeToString(someSig)) {
		t.Fatalf("%s %v", b, err)
	}
}
