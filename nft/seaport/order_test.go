package seaport_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"github.com/ape-claw/ape-claw/nft/seaport"
)

var eip712 = apitypes.Types{
	"EIP712Domain": {{Name: "name", Type: "string"}, {Name: "version", Type: "string"}, {Name: "chainId", Type: "uint256"}, {Name: "verifyingContract", Type: "address"}},
	"OrderComponents": {{Name: "offerer", Type: "address"}, {Name: "zone", Type: "address"}, {Name: "offer", Type: "OfferItem[]"}, {Name: "consideration", Type: "ConsiderationItem[]"},
		{Name: "orderType", Type: "uint8"}, {Name: "startTime", Type: "uint256"}, {Name: "endTime", Type: "uint256"}, {Name: "zoneHash", Type: "bytes32"}, {Name: "salt", Type: "uint256"}, {Name: "conduitKey", Type: "bytes32"}, {Name: "counter", Type: "uint256"}},
	"OfferItem":         {{Name: "itemType", Type: "uint8"}, {Name: "token", Type: "address"}, {Name: "identifierOrCriteria", Type: "uint256"}, {Name: "startAmount", Type: "uint256"}, {Name: "endAmount", Type: "uint256"}},
	"ConsiderationItem": {{Name: "itemType", Type: "uint8"}, {Name: "token", Type: "address"}, {Name: "identifierOrCriteria", Type: "uint256"}, {Name: "startAmount", Type: "uint256"}, {Name: "endAmount", Type: "uint256"}, {Name: "recipient", Type: "address"}},
}

// gethHashes is the reference: geth's own typed-data encoder.
func gethHashes(t *testing.T, c seaport.OrderComponents, chainID int64) (order, digest common.Hash) {
	t.Helper()
	u8 := func(v uint8) string { return big.NewInt(int64(v)).String() }
	var offer, consideration []any
	for _, o := range c.Offer {
		offer = append(offer, map[string]any{"itemType": u8(o.ItemType), "token": o.Token.Hex(), "identifierOrCriteria": o.IdentifierOrCriteria.String(), "startAmount": o.StartAmount.String(), "endAmount": o.EndAmount.String()})
	}
	for _, o := range c.Consideration {
		consideration = append(consideration, map[string]any{"itemType": u8(o.ItemType), "token": o.Token.Hex(), "identifierOrCriteria": o.IdentifierOrCriteria.String(), "startAmount": o.StartAmount.String(), "endAmount": o.EndAmount.String(), "recipient": o.Recipient.Hex()})
	}
	data := apitypes.TypedData{
		Types: eip712, PrimaryType: "OrderComponents",
		Domain: apitypes.TypedDataDomain{Name: "Seaport", Version: "1.6", ChainId: math.NewHexOrDecimal256(chainID), VerifyingContract: seaport.Address.Hex()},
		Message: apitypes.TypedDataMessage{
			"offerer": c.Offerer.Hex(), "zone": c.Zone.Hex(), "offer": offer, "consideration": consideration, "orderType": u8(c.OrderType),
			"startTime": c.StartTime.String(), "endTime": c.EndTime.String(), "zoneHash": hexutil.Encode(c.ZoneHash[:]), "salt": c.Salt.String(),
			"conduitKey": hexutil.Encode(c.ConduitKey[:]), "counter": c.Counter.String(),
		},
	}
	sh, err := data.HashStruct(data.PrimaryType, data.Message)
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := apitypes.TypedDataAndHash(data)
	if err != nil {
		t.Fatal(err)
	}
	return common.BytesToHash(sh), common.BytesToHash(d)
}

// randomOrder makes an order whose every field differs from every other.
func randomOrder(rng *rand.Rand) seaport.OrderComponents {
	raw := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	number := func() *big.Int { return new(big.Int).SetBytes(raw(1 + rng.IntN(32))) }
	address := func() common.Address { return common.BytesToAddress(raw(20)) }
	c := seaport.OrderComponents{
		Offerer: address(), Zone: address(), OrderType: uint8(rng.IntN(5)), StartTime: number(), EndTime: number(),
		ZoneHash: [32]byte(raw(32)), Salt: number(), ConduitKey: [32]byte(raw(32)), Counter: number(),
	}
	for range rng.IntN(4) {
		c.Offer = append(c.Offer, seaport.OfferItem{ItemType: uint8(rng.IntN(6)), Token: address(), IdentifierOrCriteria: number(), StartAmount: number(), EndAmount: number()})
	}
	for range rng.IntN(4) {
		c.Consideration = append(c.Consideration, seaport.ConsiderationItem{ItemType: uint8(rng.IntN(6)), Token: address(), IdentifierOrCriteria: number(), StartAmount: number(), EndAmount: number(), Recipient: address()})
	}
	return c
}

func TestHashesAgreeWithGeth(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		c := randomOrder(rng)
		chainID := int64(rng.Uint32())
		order, digest := gethHashes(t, c, chainID)
		if got := seaport.OrderHash(c); got != order {
			t.Fatalf("OrderHash = %s, geth says %s, for %+v", got, order, c)
		}
		if got := seaport.SigningDigest(c, chainID, seaport.Address); got != digest {
			t.Fatalf("SigningDigest = %s, geth says %s, for %+v", got, digest, c)
		}
	}
}

// TestHashOfRealOrder pins the hash of an order that the real Seaport 1.6
// accepted, hashed by its own getOrderHash.
func TestHashOfRealOrder(t *testing.T) {
	t.Parallel()
	pay := func(amount string, to string) seaport.ConsiderationItem {
		n, _ := new(big.Int).SetString(amount, 10)
		return seaport.ConsiderationItem{IdentifierOrCriteria: new(big.Int), StartAmount: n, EndAmount: n, Recipient: common.HexToAddress(to)}
	}
	c := seaport.OrderComponents{
		Offerer: common.HexToAddress("0x70997970c51812dc3a010c7d01b50e0d17dc79c8"),
		Offer: []seaport.OfferItem{{ItemType: 2, Token: common.HexToAddress("0x8464135c8f25da09e49bc8782676a84730c318bc"),
			IdentifierOrCriteria: big.NewInt(3), StartAmount: big.NewInt(1), EndAmount: big.NewInt(1)}},
		Consideration: []seaport.ConsiderationItem{
			pay("11750000000000000000", "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"),
			pay("125000000000000000", "0x0000a26b00c1f0df003000390027140000faa719"),
			pay("625000000000000000", "0x000000000000000000000000000000000000beef"),
		},
		StartTime: big.NewInt(1796034250), EndTime: big.NewInt(1796120710), Salt: big.NewInt(0x6b0d4f09),
	}
	const want = "0x7bb4a74360752bb89a1538af1b0f90a11350fd8754c856c6f1b4521a81b7753d"
	if got := seaport.OrderHash(c).Hex(); got != want {
		t.Fatalf("OrderHash = %s, Seaport says %s", got, want)
	}
}
