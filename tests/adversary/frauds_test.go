package adversary_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/nft/seaport"
)

// fraud changes a proposal.
type fraud struct {
	name string
	do   func(c *cast, p *proposal)
}

func add(v *big.Int, n int64) *big.Int { return new(big.Int).Add(v, big.NewInt(n)) }

func pay(to common.Address, amount *big.Int) seaport.ConsiderationItem {
	return seaport.ConsiderationItem{IdentifierOrCriteria: new(big.Int), StartAmount: amount, EndAmount: amount, Recipient: to}
}

// orderFrauds are orders that their seller, or a thief, signs as they are: valid, and
// not what was shown.
func orderFrauds() []fraud {
	item := func(name string, do func(c *cast, o *seaport.OfferItem)) fraud {
		return fraud{"offer: " + name, func(c *cast, p *proposal) { do(c, &p.order.Offer[0]) }}
	}
	payment := func(name string, do func(c *cast, i *seaport.ConsiderationItem)) fraud {
		return fraud{"payment: " + name, func(c *cast, p *proposal) { do(c, &p.order.Consideration[0]) }}
	}
	amount := func(v *big.Int) func(c *cast, i *seaport.ConsiderationItem) {
		return func(_ *cast, i *seaport.ConsiderationItem) { i.StartAmount, i.EndAmount = v, v }
	}
	order := func(name string, do func(c *cast, o *seaport.OrderComponents)) fraud {
		return fraud{"order: " + name, func(c *cast, p *proposal) { do(c, &p.order) }}
	}
	junk := func(c *cast, p *proposal) {
		p.order.Offer[0].Token, p.order.Offer[0].IdentifierOrCriteria = c.other.Address, new(big.Int).SetUint64(c.junk)
		p.order.Offerer, p.signer = c.attacker.Address(), c.attacker
	}
	out := []fraud{
		{"the thief sells junk", func(c *cast, p *proposal) {
			junk(c, p)
			p.order.Consideration = []seaport.ConsiderationItem{pay(c.attacker.Address(), price.Big())}
		}},
		{"the thief sells junk, paid as the listing is", junk},
		{"the thief sells what it has not", func(c *cast, p *proposal) { p.order.Offerer, p.signer = c.attacker.Address(), c.attacker }},
		{"the thief signs for the seller", func(c *cast, p *proposal) { p.signer = c.attacker }},
		{"the buyer sells", func(c *cast, p *proposal) { p.order.Offerer, p.signer = c.buyer.Address(), c.buyer }},
		{"an order of the near token", func(c *cast, p *proposal) {
			p.order = c.near.Components
			p.order.Offer, p.order.Consideration = slices.Clone(p.order.Offer), slices.Clone(p.order.Consideration)
		}},
		item("the near token", func(c *cast, o *seaport.OfferItem) { o.IdentifierOrCriteria = c.near.TokenID }),
		item("the token before", func(_ *cast, o *seaport.OfferItem) { o.IdentifierOrCriteria = add(o.IdentifierOrCriteria, -1) }),
		item("token + 2^128", func(_ *cast, o *seaport.OfferItem) {
			o.IdentifierOrCriteria = new(big.Int).Add(o.IdentifierOrCriteria, pow2(128))
		}),
		item("another collection's", func(c *cast, o *seaport.OfferItem) { o.Token = c.other.Address }),
		item("of no contract", func(_ *cast, o *seaport.OfferItem) { o.Token = common.Address{} }),
		item("of the thief's contract", func(c *cast, o *seaport.OfferItem) { o.Token = c.thief }),
		item("two", func(_ *cast, o *seaport.OfferItem) { o.StartAmount, o.EndAmount = big.NewInt(2), big.NewInt(2) }),
		item("none", func(_ *cast, o *seaport.OfferItem) { o.StartAmount, o.EndAmount = new(big.Int), new(big.Int) }),
		item("one falling to none", func(_ *cast, o *seaport.OfferItem) { o.EndAmount = new(big.Int) }),
		item("two falling to one", func(_ *cast, o *seaport.OfferItem) { o.StartAmount = big.NewInt(2) }),
		payment("1 wei more", func(_ *cast, i *seaport.ConsiderationItem) {
			i.StartAmount = add(i.StartAmount, 1)
			i.EndAmount = i.StartAmount
		}),
		payment("1 wei less", func(_ *cast, i *seaport.ConsiderationItem) {
			i.StartAmount = add(i.StartAmount, -1)
			i.EndAmount = i.StartAmount
		}),
		payment("twice", func(_ *cast, i *seaport.ConsiderationItem) {
			i.StartAmount = new(big.Int).Lsh(i.StartAmount, 1)
			i.EndAmount = i.StartAmount
		}),
		payment("4 APE", amount(apes(4).Big())), payment("1000 APE", amount(apes(1000).Big())),
		payment("nothing", amount(new(big.Int))), payment("2^255", amount(pow2(255))), payment("2^256-1", amount(most())),
		payment("rising", func(_ *cast, i *seaport.ConsiderationItem) { i.EndAmount = new(big.Int).Lsh(i.EndAmount, 1) }),
		payment("falling", func(_ *cast, i *seaport.ConsiderationItem) { i.StartAmount = new(big.Int).Lsh(i.StartAmount, 1) }),
		payment("a wei rising", func(_ *cast, i *seaport.ConsiderationItem) { i.EndAmount = add(i.EndAmount, 1) }),
		payment("to the thief", func(c *cast, i *seaport.ConsiderationItem) { i.Recipient = c.attacker.Address() }),
		payment("to the buyer", func(c *cast, i *seaport.ConsiderationItem) { i.Recipient = c.buyer.Address() }),
		payment("to nobody", func(_ *cast, i *seaport.ConsiderationItem) { i.Recipient = common.Address{} }),
		payment("in native with an id", func(_ *cast, i *seaport.ConsiderationItem) { i.IdentifierOrCriteria = big.NewInt(1) }),
		payment("in native of a token", func(c *cast, i *seaport.ConsiderationItem) { i.Token = c.other.Address }),
		{"payment: more by half, to the thief", func(c *cast, p *proposal) {
			p.order.Consideration = append(p.order.Consideration, pay(c.attacker.Address(), new(big.Int).Rsh(price.Big(), 1)))
		}},
		{"payment: one wei more, to the thief", func(c *cast, p *proposal) {
			p.order.Consideration = append(p.order.Consideration, pay(c.attacker.Address(), big.NewInt(1)))
		}},
		{"payment: the thief instead of the creator", func(c *cast, p *proposal) {
			p.order.Consideration[len(p.order.Consideration)-1].Recipient = c.attacker.Address()
		}},
		{"payment: all to the thief", func(c *cast, p *proposal) {
			p.order.Consideration = []seaport.ConsiderationItem{pay(c.attacker.Address(), price.Big())}
		}},
		{"payment: all to the seller", func(c *cast, p *proposal) {
			p.order.Consideration = []seaport.ConsiderationItem{pay(c.home.Seller.Address(), price.Big())}
		}},
		{"payment: none", func(_ *cast, p *proposal) { p.order.Consideration = nil }},
		{"payment: backwards", func(_ *cast, p *proposal) { slices.Reverse(p.order.Consideration) }},
		{"payment: a token of the buyer", func(c *cast, p *proposal) {
			p.order.Consideration = append(p.order.Consideration, seaport.ConsiderationItem{ItemType: 2, Token: c.home.Address, IdentifierOrCriteria: big.NewInt(1),
				StartAmount: big.NewInt(1), EndAmount: big.NewInt(1), Recipient: c.attacker.Address()})
		}},
		{"payment: reserved for another", func(c *cast, p *proposal) {
			p.order.Consideration = append(p.order.Consideration, seaport.ConsiderationItem{ItemType: 2, Token: c.home.Address, IdentifierOrCriteria: c.order.TokenID,
				StartAmount: big.NewInt(1), EndAmount: big.NewInt(1), Recipient: c.attacker.Address()})
		}},
		{"offer: nothing", func(_ *cast, p *proposal) { p.order.Offer = nil }},
		{"offer: and the near token", func(c *cast, p *proposal) { p.order.Offer = append(p.order.Offer, c.near.Components.Offer[0]) }},
		{"offer: and it again", func(_ *cast, p *proposal) { p.order.Offer = append(p.order.Offer, p.order.Offer[0]) }},
		{"offer: the near token, and this", func(c *cast, p *proposal) {
			p.order.Offer = append([]seaport.OfferItem{c.near.Components.Offer[0]}, p.order.Offer...)
		}},
		order("starts tomorrow", func(_ *cast, o *seaport.OrderComponents) { o.StartTime = big.NewInt(time.Now().Unix() + 86400) }),
		order("is over", func(_ *cast, o *seaport.OrderComponents) { o.EndTime = big.NewInt(time.Now().Unix() - 1) }),
		order("ends within the minute", func(_ *cast, o *seaport.OrderComponents) { o.EndTime = big.NewInt(time.Now().Unix() + 30) }),
		order("never ends", func(_ *cast, o *seaport.OrderComponents) { o.EndTime = most() }),
		order("starts after its end", func(_ *cast, o *seaport.OrderComponents) { o.StartTime, o.EndTime = o.EndTime, o.StartTime }),
		order("with another salt", func(_ *cast, o *seaport.OrderComponents) { o.Salt = add(o.Salt, 1) }),
		order("with a salt of 2^256-1", func(_ *cast, o *seaport.OrderComponents) { o.Salt = most() }),
		order("with the next counter", func(_ *cast, o *seaport.OrderComponents) { o.Counter = add(o.Counter, 1) }),
		order("through an unknown conduit", func(_ *cast, o *seaport.OrderComponents) { o.ConduitKey = common.HexToHash("0xbad") }),
		order("through OpenSea's conduit", func(_ *cast, o *seaport.OrderComponents) { o.ConduitKey = seaport.OpenSeaConduitKey }),
		order("with a zone hash", func(_ *cast, o *seaport.OrderComponents) { o.ZoneHash = common.HexToHash("0x1") }),
		order("with the thief's zone", func(c *cast, o *seaport.OrderComponents) { o.Zone = c.thief }),
		order("with the signed zone", func(_ *cast, o *seaport.OrderComponents) { o.Zone = seaport.SignedZone }),
		order("restricted by the signed zone", func(_ *cast, o *seaport.OrderComponents) { o.Zone, o.OrderType = seaport.SignedZone, 2 }),
		order("restricted by the thief's zone", func(c *cast, o *seaport.OrderComponents) { o.Zone, o.OrderType = c.thief, 2 }),
		order("restricted by nobody", func(_ *cast, o *seaport.OrderComponents) { o.OrderType = 2 }),
		order("by nobody", func(_ *cast, o *seaport.OrderComponents) { o.Offerer = common.Address{} }),
		order("by the thief's contract", func(c *cast, o *seaport.OrderComponents) { o.Offerer = c.thief }),
	}
	for _, kind := range []uint8{0, 1, 3, 4, 5, 6, 255} {
		out = append(out, item(fmt.Sprintf("of item type %d", kind), func(_ *cast, o *seaport.OfferItem) { o.ItemType = kind }))
		if kind > 0 {
			out = append(out, payment(fmt.Sprintf("of item type %d", kind), func(c *cast, i *seaport.ConsiderationItem) { i.ItemType, i.Token = kind, c.other.Address }))
		}
	}
	for _, kind := range []uint8{1, 3, 4, 5, 255} {
		out = append(out, order(fmt.Sprintf("of type %d", kind), func(_ *cast, o *seaport.OrderComponents) { o.OrderType = kind }))
	}
	return out
}

// callFrauds leave the order as it was signed, and change the call around it.
func callFrauds() []fraud {
	f := func(name string, do func(c *cast, p *proposal)) fraud { return fraud{"call: " + name, do} }
	out := []fraud{
		f("honest", func(*cast, *proposal) {}),
		f("to the thief", func(c *cast, p *proposal) { p.recipient = c.attacker.Address() }),
		f("to the seller", func(c *cast, p *proposal) { p.recipient = c.home.Seller.Address() }),
		f("to nobody, which is the caller", func(_ *cast, p *proposal) { p.recipient = common.Address{} }),
		f("to a look-alike of the buyer", func(c *cast, p *proposal) { p.recipient = common.HexToAddress(lookalike(lower(c.buyer.Address()))) }),
		f("through an unknown conduit", func(_ *cast, p *proposal) { p.conduit = common.HexToHash("0xbad") }),
		f("through OpenSea's conduit", func(_ *cast, p *proposal) { p.conduit = seaport.OpenSeaConduitKey }),
		f("with a resolver", func(_ *cast, p *proposal) {
			p.resolvers = list(obj("orderIndex", 0, "side", 0, "index", 0, "identifier", 1, "criteriaProof", list()))
		}),
		f("with resolvers that are no list", func(_ *cast, p *proposal) { p.resolvers = obj() }),
		f("with extra data", func(_ *cast, p *proposal) { p.extra = []byte{1, 2, 3, 4} }),
		f("named as before, basicOrderParameters", func(_ *cast, p *proposal) { p.basicKey = "basicOrderParameters" }),
	}
	for _, v := range []struct {
		name string
		of   func() *big.Int
	}{
		{"1 wei more", func() *big.Int { return add(price.Big(), 1) }}, {"1 wei less", func() *big.Int { return add(price.Big(), -1) }},
		{"twice the price", func() *big.Int { return new(big.Int).Lsh(price.Big(), 1) }}, {"nothing", func() *big.Int { return new(big.Int) }},
		{"2^255", func() *big.Int { return pow2(255) }}, {"2^256-1", most}, {"2^256", func() *big.Int { return pow2(256) }},
		{"negative", func() *big.Int { return new(big.Int).Neg(price.Big()) }}, {"4 APE", func() *big.Int { return apes(4).Big() }},
	} {
		out = append(out, f("value: "+v.name, func(_ *cast, p *proposal) { p.value = v.of() }))
	}
	for _, to := range []struct {
		name string
		of   func(c *cast) string
	}{
		{"the thief's contract", func(c *cast) string { return lower(c.thief) }}, {"the thief", func(c *cast) string { return lower(c.attacker.Address()) }},
		{"the collection", func(c *cast) string { return lower(c.home.Address) }}, {"the seller", func(c *cast) string { return lower(c.home.Seller.Address()) }},
		{"the buyer", func(c *cast) string { return lower(c.buyer.Address()) }}, {"nobody", func(*cast) string { return lower(common.Address{}) }},
		{"the conduit controller", func(*cast) string { return lower(seaport.ConduitController) }},
		{"a look-alike of Seaport", func(*cast) string { return lookalike(lower(seaport.Address)) }},
		{"Seaport 1.5", func(*cast) string { return "0x00000000000000adc04c56bf30ac9d3c0aaf14dc" }},
	} {
		out = append(out, f("target: "+to.name, func(c *cast, p *proposal) { p.to = to.of(c) }))
	}
	for _, chain := range []string{"0", "1", "33139", "33111", "7733138", "7700001", "-7733139", "18446744073717284755", "1.0"} {
		out = append(out, f("chain "+chain, func(_ *cast, p *proposal) { p.chain = chain }))
	}
	for _, s := range []string{"0x", "0x36", "0x360c", "0x360c6e", "0x360c6ebe", "0x00000000", "0x360c6ebe00", "0x" + strings.Repeat("00", 32), "0xa22cb465" + strings.Repeat("00", 64), "360c6ebe", "0xzz", "0x3"} {
		out = append(out, f("suffix "+s, func(_ *cast, p *proposal) { p.suffix = s }))
	}
	for _, n := range []int64{0, 1, 2, 4, -1, 1 << 40} {
		out = append(out, f(fmt.Sprintf("%d payments called signed", n), func(_ *cast, p *proposal) { p.signed = big.NewInt(n) }))
	}
	out = append(out, f("2^256-1 payments called signed", func(_ *cast, p *proposal) { p.signed = most() }))
	for _, fr := range [][2]int64{{0, 1}, {1, 0}, {1, 2}, {2, 2}, {2, 1}, {-1, 1}, {1, 3}, {0, 0}} {
		out = append(out, f(fmt.Sprintf("fraction %d/%d", fr[0], fr[1]), func(_ *cast, p *proposal) {
			p.numerator, p.denominator = big.NewInt(fr[0]), big.NewInt(fr[1])
		}))
	}
	out = append(out, f("fraction of 2^120", func(_ *cast, p *proposal) { p.numerator, p.denominator = pow2(120), pow2(120) }))
	for _, kind := range []int64{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 23, 255, 256, 257} {
		out = append(out, f(fmt.Sprintf("basic order type %d", kind), func(_ *cast, p *proposal) { p.basicType = big.NewInt(kind) }))
	}
	return append(append(out, tipFrauds()...), signatureFrauds()...)
}

// tipFrauds add payments that nobody signed.
func tipFrauds() []fraud {
	var out []fraud
	for _, to := range []struct {
		name string
		of   func(c *cast) common.Address
	}{
		{"the thief", func(c *cast) common.Address { return c.attacker.Address() }}, {"the seller", func(c *cast) common.Address { return c.home.Seller.Address() }},
		{"the marketplace", func(*cast) common.Address { return seaport.FeeRecipient }}, {"the buyer", func(c *cast) common.Address { return c.buyer.Address() }},
	} {
		for _, t := range []struct {
			name string
			of   *big.Int
		}{{"1 wei", big.NewInt(1)}, {"0 wei", new(big.Int)}, {"1 %", big.NewInt(1e16)}, {"a third", big.NewInt(333e15)}, {"2 APE", apes(2).Big()}} {
			out = append(out, fraud{fmt.Sprintf("tip: %s for %s", t.name, to.name), func(c *cast, p *proposal) {
				p.tips = []seaport.ConsiderationItem{pay(to.of(c), t.of)}
			}}, fraud{fmt.Sprintf("tip: %s for %s, that the listing's price has in it", t.name, to.name), func(c *cast, p *proposal) {
				p.tips = []seaport.ConsiderationItem{pay(to.of(c), t.of)}
				p.wholePrice = new(big.Int).Add(sumOf(p.order.Consideration), t.of)
			}})
		}
	}
	return append(out,
		fraud{"tip: two, of which the listing's price has one", func(c *cast, p *proposal) {
			p.tips = []seaport.ConsiderationItem{pay(seaport.FeeRecipient, big.NewInt(1e16)), pay(seaport.FeeRecipient, big.NewInt(1e16))}
			p.wholePrice = add(sumOf(p.order.Consideration), 1e16)
		}},
		fraud{"tip: the listing's price has more in it than the tip", func(c *cast, p *proposal) {
			p.tips = []seaport.ConsiderationItem{pay(seaport.FeeRecipient, big.NewInt(1e16))}
			p.wholePrice = add(sumOf(p.order.Consideration), 2e16)
		}},
		fraud{"tip: the listing's price has one in it, and there is none", func(c *cast, p *proposal) {
			p.wholePrice = add(sumOf(p.order.Consideration), 1e16)
		}},
		fraud{"tip: a token", func(c *cast, p *proposal) {
			t := pay(c.attacker.Address(), big.NewInt(1))
			t.ItemType, t.Token = 2, c.home.Address
			p.tips = []seaport.ConsiderationItem{t}
		}})
}

// signatureFrauds spell, bend and break the seller's signature.
func signatureFrauds() []fraud {
	bend := func(name string, f func(c *cast, sig []byte) []byte) fraud {
		return fraud{"signature: " + name, func(c *cast, p *proposal) {
			sig, err := p.signer.SignOrder(p.order, c.stage.world.ChainID())
			if err != nil {
				panic(err)
			}
			p.signature = f(c, sig)
		}}
	}
	s := func(sig []byte) *big.Int { return new(big.Int).SetBytes(sig[32:64]) }
	out := []fraud{
		bend("empty", func(*cast, []byte) []byte { return []byte{} }),
		bend("zeros", func(*cast, []byte) []byte { return make([]byte, 65) }),
		bend("of 64 bytes (EIP-2098)", func(_ *cast, sig []byte) []byte {
			if sig[64] == 28 {
				sig[32] |= 0x80
			}
			return sig[:64]
		}),
		bend("of 64 bytes, the other parity", func(_ *cast, sig []byte) []byte {
			if sig[64] == 27 {
				sig[32] |= 0x80
			}
			return sig[:64]
		}),
		bend("with the other s", func(_ *cast, sig []byte) []byte {
			high := new(big.Int).Sub(crypto.S256().Params().N, s(sig))
			high.FillBytes(sig[32:64])
			sig[64] ^= 27 ^ 28
			return sig
		}),
		bend("with the other s and the same v", func(_ *cast, sig []byte) []byte {
			new(big.Int).Sub(crypto.S256().Params().N, s(sig)).FillBytes(sig[32:64])
			return sig
		}),
		bend("a byte longer", func(_ *cast, sig []byte) []byte { return append(sig, 0) }),
		bend("64 bytes longer", func(_ *cast, sig []byte) []byte { return append(sig, make([]byte, 64)...) }),
		bend("a bulk one", func(_ *cast, sig []byte) []byte { return append(sig, make([]byte, 3+32)...) }),
		bend("of another order", func(c *cast, _ []byte) []byte { return c.near.Signature }),
	}
	for _, v := range []byte{0, 1, 2, 26, 29, 255} {
		out = append(out, bend(fmt.Sprintf("with v = %d", v), func(_ *cast, sig []byte) []byte { sig[64] = v; return sig }))
	}
	for _, i := range []int{0, 31, 32, 63, 64} {
		out = append(out, bend(fmt.Sprintf("with byte %d changed", i), func(_ *cast, sig []byte) []byte { sig[i] ^= 1; return sig }))
	}
	return out
}

// functions that Seaport, a token or a wallet has and that fill no single order.
func otherFunctions() []string {
	return strings.Fields(`fulfillAvailableOrders fulfillAvailableAdvancedOrders matchOrders matchAdvancedOrders cancel validate incrementCounter
		setApprovalForAll approve transferFrom safeTransferFrom transfer multicall execute fulfillBasicOrder_efficient fulfillBasicOrder_efficient_6GL6yC
		FulfillBasicOrder fulfillbasicorder fulfillBasicOrder2 fulfillBasicOrder; fulfillAdvancedOrders fulfillOrders fulfill 0xfb0f3ee1 getOrderHash __activateTstore`)
}
