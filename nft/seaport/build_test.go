package seaport_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const zeroKey = "0x0000000000000000000000000000000000000000000000000000000000000000"

// advancedJSON spells an advanced order with every kind of number.
const advancedJSON = `{
 "advancedOrder": {
  "parameters": {
   "offerer": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8", "zone": "0x0000000000000000000000000000000000000000",
   "offer": [{"itemType": 2, "token": "0x8464135c8f25da09e49bc8782676a84730c318bc", "identifierOrCriteria": "7", "startAmount": "1", "endAmount": 1}],
   "consideration": [
    {"itemType": 0, "token": "0x0000000000000000000000000000000000000000", "identifierOrCriteria": 0, "startAmount": "9400", "endAmount": "0x24b8", "recipient": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},
    {"itemType": "0", "token": "0x0000000000000000000000000000000000000000", "identifierOrCriteria": "0", "startAmount": 100, "endAmount": "100", "recipient": "0x0000a26b00c1f0df003000390027140000faa719"},
    {"itemType": "0x0", "token": "0x0000000000000000000000000000000000000000", "identifierOrCriteria": "0", "startAmount": 500, "endAmount": 500, "recipient": "0xbeef000000000000000000000000000000000001"}],
   "orderType": 0, "startTime": "1799999940", "endTime": 1800003600,
   "zoneHash": "` + zeroKey + `", "salt": "0x63", "conduitKey": "` + zeroKey + `",
   "totalOriginalConsiderationItems": 3, "counter": "12", "somethingNew": {"a": [1]}
  },
  "numerator": 1, "denominator": "1", "signature": "0x` + "SIG" + `", "extraData": "0x"
 },
 "criteriaResolvers": [], "fulfillerConduitKey": "` + zeroKey + `", "recipient": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
}`

func input(edits ...string) json.RawMessage {
	s := strings.ReplaceAll(advancedJSON, "SIG", strings.Repeat("00", 64))
	return json.RawMessage(strings.NewReplacer(edits...).Replace(s))
}

func proposal(function string, in json.RawMessage) seaport.Transaction {
	return seaport.Transaction{Function: function, ChainID: chainID, To: strings.ToLower(seaport.Address.Hex()), Value: units.FromUint64(10000), InputData: in}
}

func TestBuildAdvanced(t *testing.T) {
	t.Parallel()
	tx := proposal("fulfillAdvancedOrder(((address,...)))", input())
	tx.Suffix = suffix
	got, err := seaport.Build(tx)
	if err != nil {
		t.Fatal(err)
	}
	if want := append(packAdvanced(advanced(order()), buyer), suffix...); !bytes.Equal(got.Data, want) {
		t.Fatalf("calldata %x, expected %x", got.Data, want)
	}
	if _, err := seaport.Verify(got, wanted(order())); err != nil {
		t.Fatal(err)
	}
}

func TestBuildOrder(t *testing.T) {
	t.Parallel()
	var in struct {
		AdvancedOrder struct{ Parameters, Signature json.RawMessage }
	}
	if err := json.Unmarshal(input(), &in); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"order": map[string]any{"parameters": in.AdvancedOrder.Parameters, "signature": in.AdvancedOrder.Signature}, "fulfillerConduitKey": zeroKey})
	if err != nil {
		t.Fatal(err)
	}
	got, err := seaport.Build(proposal(seaport.FnOrder, raw))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := seaport.Verify(got, wanted(order())); err != nil {
		t.Fatal(err)
	}
}

// sample is a fulfilment of an order that the real Seaport filled.
func sample(t *testing.T) seaport.Transaction {
	t.Helper()
	raw, err := os.ReadFile("testdata/fulfillment_basic.json")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Fulfillment struct {
			Transaction struct {
				Function, To, Value string
				Chain               int64
				Input               json.RawMessage `json:"input_data"`
			}
		} `json:"fulfillment_data"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	tx := s.Fulfillment.Transaction
	value, err := units.ParseBase(tx.Value)
	if err != nil {
		t.Fatal(err)
	}
	return seaport.Transaction{Function: tx.Function, ChainID: tx.Chain, To: tx.To, Value: value, InputData: tx.Input}
}

func TestBuildSample(t *testing.T) {
	t.Parallel()
	tx := sample(t)
	want := seaport.Want{
		ChainID: 33139, Protocol: seaport.Address, Buyer: buyer, Token: token, TokenID: n(3), Counter: n(0),
		OrderHash: common.HexToHash("0x7bb4a74360752bb89a1538af1b0f90a11350fd8754c856c6f1b4521a81b7753d"),
		Price:     tx.Value, Now: time.Unix(1796034300, 0), Margin: time.Minute,
	}
	older := tx
	older.InputData = bytes.Replace(tx.InputData, []byte(`"parameters"`), []byte(`"basicOrderParameters"`), 1)
	for name, tx := range map[string]seaport.Transaction{"today's": tx, "older": older} {
		call, err := seaport.Build(tx)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := seaport.Verify(call, want); err != nil {
			t.Fatal(name, err)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tx   func(*seaport.Transaction)
		edit []string
		says string
	}{
		"match":              {tx: func(x *seaport.Transaction) { x.Function = "matchOrders(...)" }, says: "matchOrders"},
		"available":          {tx: func(x *seaport.Transaction) { x.Function = "fulfillAvailableAdvancedOrders" }, says: "fulfillAvailableAdvancedOrders"},
		"approval":           {tx: func(x *seaport.Transaction) { x.Function = "setApprovalForAll(address,bool)" }, says: "setApprovalForAll"},
		"no function":        {tx: func(x *seaport.Transaction) { x.Function = "" }, says: "function"},
		"no target":          {tx: func(x *seaport.Transaction) { x.To = "" }, says: "address"},
		"half a target":      {tx: func(x *seaport.Transaction) { x.To = "0x1234" }, says: "0x1234"},
		"no input":           {tx: func(x *seaport.Transaction) { x.InputData = nil }, says: "expected an object"},
		"input is a list":    {tx: func(x *seaport.Transaction) { x.InputData = json.RawMessage(`[]`) }, says: "expected an object"},
		"input is null":      {tx: func(x *seaport.Transaction) { x.InputData = json.RawMessage(`null`) }, says: "expected an object"},
		"suffix of three":    {tx: func(x *seaport.Transaction) { x.Suffix = []byte{1, 2, 3} }, says: "3 bytes"},
		"suffix of 32":       {tx: func(x *seaport.Transaction) { x.Suffix = make([]byte, 32) }, says: "32 bytes"},
		"missing":            {edit: []string{`"salt"`, `"pepper"`}, says: "input_data.advancedOrder.parameters.salt is missing"},
		"null":               {edit: []string{`"0x63"`, `null`}, says: "salt is missing"},
		"negative":           {edit: []string{`"startAmount": 500`, `"startAmount": -500`}, says: "consideration[2].startAmount"},
		"fraction":           {edit: []string{`"startAmount": 500`, `"startAmount": 500.5`}, says: "consideration[2].startAmount"},
		"exponent, no whole": {edit: []string{`"startAmount": 500`, `"startAmount": 5005e-1`}, says: "consideration[2].startAmount"},
		"257 bits":           {edit: []string{`"0x63"`, `"0x1` + strings.Repeat("0", 64) + `"`}, says: "salt"},
		"short address":      {edit: []string{`"0xbeef000000000000000000000000000000000001"`, `"0xbeef"`}, says: "2 bytes, expected 20"},
		"long address":       {edit: []string{`"0xbeef000000000000000000000000000000000001"`, `"` + zeroKey + `"`}, says: "32 bytes, expected 20"},
		"address no hex":     {edit: []string{`"0xbeef`, `"0xbeeg`}, says: "hexadecimal"},
		"address bare":       {edit: []string{`"0xbeef`, `"beef`}, says: "hexadecimal"},
		"address a number":   {edit: []string{`"0xbeef000000000000000000000000000000000001"`, `1`}, says: "expected a string"},
		"short key":          {edit: []string{`"conduitKey": "` + zeroKey + `"`, `"conduitKey": "0x00"`}, says: "1 bytes, expected 32"},
		"item type 256":      {edit: []string{`"itemType": 2`, `"itemType": 256`}, says: "at most 255"},
		"offer no list":      {edit: []string{`"offer": [`, `"offer": "", "x": [`}, says: "expected a list"},
		"items no objects":   {edit: []string{`"offer": [`, `"offer": [7,`}, says: "offer[0] is 7, expected an object"},
		"criteria":           {edit: []string{`"criteriaResolvers": []`, `"criteriaResolvers": [{}]`}, says: "criteriaResolvers"},
		"no resolvers":       {edit: []string{`"criteriaResolvers": []`, `"x": 1`}, says: "criteriaResolvers is missing"},
		"a long value":       {edit: []string{`"0x63"`, `"` + strings.Repeat("9", 5000) + `"`}, says: "salt"},
		"control bytes":      {edit: []string{`"0x63"`, `"\u001b[31m\u202e1"`}, says: "salt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tx := proposal(seaport.FnAdvanced, input(tt.edit...))
			if tt.tx != nil {
				tt.tx(&tx)
			}
			_, err := seaport.Build(tx)
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.UnsafeTransaction || !strings.Contains(f.Message, tt.says) {
				t.Fatalf("err = %v, expected unsafe_transaction with %q", err, tt.says)
			}
			if len(f.Message) > 300 {
				t.Fatalf("%d bytes of message", len(f.Message))
			}
			if strings.ContainsFunc(f.Message, func(r rune) bool { return r < ' ' }) {
				t.Fatalf("control characters in %q", f.Message)
			}
		})
	}
}

// check holds what must be true of anything Verify accepts, whatever it is.
func check(t *testing.T, call seaport.Call, want seaport.Want) {
	got, err := seaport.Verify(call, want)
	if err != nil {
		if fault.CodeOf(err) != fault.UnsafeTransaction {
			t.Fatalf("refused with %v", err)
		}
		return
	}
	paid := new(big.Int)
	for _, p := range got.Payments {
		paid.Add(paid, p.Amount.Big())
	}
	item := got.Order.Offer[0]
	if call.To != want.Protocol || call.Value.Cmp(want.Price) > 0 || paid.Cmp(call.Value.Big()) != 0 ||
		got.OrderHash != want.OrderHash || item.Token != want.Token || item.IdentifierOrCriteria.Cmp(want.TokenID) != 0 {
		t.Fatalf("accepted %+v", got)
	}
}

// FuzzVerify changes the bytes of good calldata.
func FuzzVerify(f *testing.F) {
	c := order()
	for _, data := range [][]byte{
		packAdvanced(advanced(c), buyer),
		sp.PackFulfillBasicOrderEfficient6GL6yc(seaport.Basic(c, someSig)),
		sp.PackFulfillBasicOrder(seaport.Basic(c, someSig)),
		sp.PackFulfillOrder(seaport.Order{Parameters: seaport.Parameters(c), Signature: someSig}, [32]byte{}),
		sp.PackIncrementCounter(),
	} {
		f.Add(data, uint64(10000))
		f.Add(append(append([]byte{}, data...), suffix...), uint64(9999))
	}
	f.Fuzz(func(t *testing.T, data []byte, value uint64) {
		k := call(data)
		k.Value = units.FromUint64(value)
		check(t, k, wanted(c))
	})
}

// FuzzBuild changes the marketplace's JSON: what is built is refused or right.
func FuzzBuild(f *testing.F) {
	f.Add("fulfillAdvancedOrder(…)", []byte(input()), uint64(10000))
	f.Add("fulfillBasicOrder", []byte(`{"parameters":{"offerer":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","salt":1}}`), uint64(1))
	f.Add("fulfillOrder", []byte(`{"order":{"parameters":{"offer":[{}],"consideration":[null]},"signature":"0x"}}`), uint64(0))
	f.Fuzz(func(t *testing.T, function string, in []byte, value uint64) {
		tx := proposal(function, in)
		tx.Value = units.FromUint64(value)
		k, err := seaport.Build(tx)
		if err != nil {
			if fault.CodeOf(err) != fault.UnsafeTransaction {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		check(t, k, wanted(order()))
	})
}
