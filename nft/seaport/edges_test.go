package seaport_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// What proves a purchase is not undone by what else the transaction did, and an
// approval, whose topics look like a transfer's, proves none.
func TestBoughtAmongMany(t *testing.T) {
	t.Parallel()
	w := wanted(order())
	filled, moved := event(t, seaport.Address, w.OrderHash, buyer), transfer(token, seller, buyer, n(7))
	otherOrder, otherToken := event(t, seaport.Address, common.Hash{1}, buyer), transfer(token, seller, buyer, n(8))
	if err := seaport.Bought([]*types.Log{filled, otherOrder, moved, otherToken}, w); err != nil {
		t.Errorf("not bought: %v", err)
	}
	approval := transfer(token, seller, buyer, n(7))
	approval.Topics[0] = crypto.Keccak256Hash([]byte("Approval(address,address,uint256)"))
	if err := seaport.Bought([]*types.Log{filled, approval}, w); !errors.Is(err, seaport.ErrNotBought) {
		t.Errorf("an approval is taken for a transfer: %v", err)
	}
}

// Payments past the signed count are left out of the hashed order; a count that
// is none leaves the list alone.
func TestComponentsCount(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		signed *big.Int
		want   int
	}{
		"none": {n(0), 0}, "one": {n(1), 1}, "all": {n(3), 3}, "more than there are": {n(4), 3},
		"below zero": {n(-1), 3}, "unknown": {nil, 3}, "2^64 + 1": {new(big.Int).Add(new(big.Int).Lsh(n(1), 64), n(1)), 3},
	} {
		p := seaport.Parameters(order())
		p.TotalOriginalConsiderationItems = tt.signed
		if got := seaport.Components(p, n(5)).Consideration; len(got) != tt.want {
			t.Errorf("%s: %d payments, expected %d", name, len(got), tt.want)
		}
	}
}

// TestVerifyEdges: what lies one beside what is accepted.
func TestVerifyEdges(t *testing.T) {
	t.Parallel()
	basic := func(change func(*seaport.BasicOrderParameters)) []byte {
		p := seaport.Basic(order(), someSig)
		change(&p)
		return sp.PackFulfillBasicOrderEfficient6GL6yc(p)
	}
	twice := advanced(order())
	twice.Numerator = n(2)
	for name, tt := range map[string]struct {
		data  []byte
		field string
	}{
		"native for an ERC-1155":       {basic(func(p *seaport.BasicOrderParameters) { p.BasicOrderType = 4 }), "basicOrderType"},
		"native for part of a token":   {basic(func(p *seaport.BasicOrderParameters) { p.BasicOrderType = seaport.PartialRestricted }), "orderType"},
		"two wholes":                   {packAdvanced(twice, buyer), "fraction"},
		"a byte less than a selector":  {packAdvanced(advanced(order()), buyer)[:3:3], "calldata"},
		"a selector that is no method": {[]byte{1, 2, 3, 4}, "function"},
	} {
		if got := refusal(t, call(tt.data), wanted(order())); got != tt.field {
			t.Errorf("%s: refused for %q, expected %q", name, got, tt.field)
		}
	}
}

// TestBuildEdges: no address that is spelt otherwise, no number that is cut to fit.
func TestBuildEdges(t *testing.T) {
	t.Parallel()
	refused := func(name string, tx seaport.Transaction, says string) {
		t.Helper()
		_, err := seaport.Build(tx)
		if fault.CodeOf(err) != fault.UnsafeTransaction || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, expected unsafe_transaction with %q", name, err, says)
		}
	}
	bare := proposal(seaport.FnAdvanced, input())
	bare.To = strings.TrimPrefix(bare.To, "0x")
	refused("an address without 0x", bare, "expected a 20-byte address")
	refused("2^64 + 2 is no 2", proposal(seaport.FnAdvanced, input(`"itemType": 2`, `"itemType": "0x10000000000000002"`)), "at most 255")
	if _, err := seaport.Build(proposal(seaport.FnAdvanced, input(`"itemType": 2`, `"itemType": 255`))); err != nil {
		t.Errorf("255 is a byte, which Verify judges: %v", err)
	}
	refused("no parameters", proposal(seaport.FnBasic, json.RawMessage(`{}`)), "input_data.parameters is missing")

	// Today's name goes before the older one.
	tx := sample(t)
	want, err := seaport.Build(tx)
	if err != nil {
		t.Fatal(err)
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(tx.InputData, &args); err != nil {
		t.Fatal(err)
	}
	args["basicOrderParameters"] = json.RawMessage(`{}`)
	if tx.InputData, err = json.Marshal(args); err != nil {
		t.Fatal(err)
	}
	if got, err := seaport.Build(tx); err != nil || string(got.Data) != string(want.Data) {
		t.Errorf("with both names: %v", err)
	}
}

// What a message shows of an answer is short and printable ASCII.
func TestExcerpts(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"~ !": "~ !", "a\x7fb": "a?b", "é": "?", "\u0080": "?",
		strings.Repeat("x", 58): strings.Repeat("x", 58), strings.Repeat("x", 59): strings.Repeat("x", 59) + "…",
	} {
		_, err := seaport.Build(proposal(seaport.FnAdvanced, input(`"0x63"`, `"`+in+`"`)))
		shown := `"` + want + `"`
		if strings.HasSuffix(want, "…") {
			shown = `"` + want // the quote is the last that fits
		}
		if err == nil || !strings.Contains(err.Error(), "salt is "+shown+",") {
			t.Errorf("%q: %v, expected %s", in, err, shown)
		}
	}
}

// TestVerifyAmountsAndTimes: each number is held by itself, up to its bound.
func TestVerifyAmountsAndTimes(t *testing.T) {
	t.Parallel()
	bps := func(b units.BPS) *units.BPS { return &b }
	for name, tt := range map[string]struct {
		order func(*seaport.OrderComponents)
		adv   func(*seaport.AdvancedOrder)
		want  func(*seaport.Call, *seaport.Want)
		field string // "" is accepted
	}{
		"starts now":             {order: func(c *seaport.OrderComponents) { c.StartTime = n(now.Unix()) }},
		"ends after the margin":  {order: func(c *seaport.OrderComponents) { c.EndTime = n(now.Unix() + 61) }},
		"two that become one":    {order: func(c *seaport.OrderComponents) { c.Offer[0].StartAmount = n(2) }, field: "offer.amount"},
		"an ERC-20 without name": {order: func(c *seaport.OrderComponents) { c.Consideration[1].ItemType = 1 }, field: "consideration[1]"},
		"native with an id":      {order: func(c *seaport.OrderComponents) { c.Consideration[1].IdentifierOrCriteria = n(5) }, field: "consideration[1]"},
		"2^64 + 3 are signed": {adv: func(a *seaport.AdvancedOrder) {
			a.Parameters.TotalOriginalConsiderationItems = new(big.Int).Add(new(big.Int).Lsh(n(1), 64), n(3))
		}, field: "consideration"},
		"fees at their cap": {want: func(_ *seaport.Call, w *seaport.Want) { w.MaxFee = bps(600) }},
		"fees a part of a wei above it": {order: func(c *seaport.OrderComponents) { c.Consideration[0] = pay(9399, seller) },
			want: func(k *seaport.Call, w *seaport.Want) { k.Value, w.MaxFee = units.FromUint64(9999), bps(600) }, field: "fees"},
	} {
		c := order()
		if tt.order != nil {
			tt.order(&c)
		}
		a := advanced(c)
		if tt.adv != nil {
			tt.adv(&a)
		}
		k, w := call(packAdvanced(a, buyer)), wanted(c)
		if tt.want != nil {
			tt.want(&k, &w)
		}
		if tt.field == "" {
			if _, err := seaport.Verify(k, w); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if got := refusal(t, k, w); got != tt.field {
			t.Errorf("%s: refused for %q, expected %q", name, got, tt.field)
		}
	}
}

// A price may be above the signed sum by 5 % of it, rounded down, and never below.
func TestUnsignedFeeFits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		price, signed uint64
		want          bool
	}{{10000, 10000, true}, {10000, 9500, true}, {10000, 9499, false}, {9999, 9500, true}, {9999, 9499, false}, {9500, 10000, false}, {10000, 0, false}} {
		if got := seaport.UnsignedFeeFits(units.FromUint64(tt.price), units.FromUint64(tt.signed)); got != tt.want {
			t.Errorf("%d for %d signed: %t", tt.price, tt.signed, got)
		}
	}
}

// Three bytes are no selector, and the last of the control characters is one.
func TestExplainEdges(t *testing.T) {
	t.Parallel()
	if got := seaport.Explain([]byte{1, 2, 3}[:3:3]); got.Name != "unknown" {
		t.Errorf("%+v", got)
	}
	said := append(crypto.Keccak256([]byte("Error(string)"))[:4], common.BigToHash(n(32)).Bytes()...)
	said = append(append(said, common.BigToHash(n(3)).Bytes()...), common.RightPadBytes([]byte("a\x1fb"), 32)...)
	if got := seaport.Explain(said); got.Reason != `a contract refuses: "a?b"` {
		t.Errorf("%+v", got)
	}
}
