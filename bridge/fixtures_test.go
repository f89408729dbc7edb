package bridge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/chain/units"
)

const (
	depositoryHex = "0x4cd00e387622c35bddb9b4c962c136462338bc31"
	ownerHex      = "0x909ef6b32dfdc12ca86aa710b54c991af3c5f82e"
	usdcHex       = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
	strangerHex   = "0x7777777777777777777777777777777777777777"
	zeroHex       = "0x0000000000000000000000000000000000000000"
	requestHex    = "0x20538510fd9eab7a90c3e54418f8f477bfef24d83c11955a8ca835e6154b59d3"
	orderHex      = "0x8a2c121197efc95c42f53142ab409735ee353287f877ed4d351f63094d5bfcb1"
	otherHex      = "0x1111111111111111111111111111111111111111111111111111111111111111"
)

var (
	depository = common.HexToAddress(depositoryHex)
	owner      = common.HexToAddress(ownerHex)
)

type object = map[string]any
type list = []any

// fixture is a question and the honest answer to it.
type fixture struct {
	name   string
	ask    bridge.Ask
	answer object
}

func wei(t testing.TB, s string) units.Wei {
	t.Helper()
	w, err := units.ParseBase(s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func pad(hex string) string {
	hex = strings.TrimPrefix(hex, "0x")
	return strings.Repeat("0", 64-len(hex)) + hex
}

func number(decimal string) string { // as a word
	var n units.Wei
	if err := n.UnmarshalJSON([]byte(`"` + decimal + `"`)); err != nil {
		panic(err)
	}
	return pad(fmt.Sprintf("%x", n.Big()))
}

func money(chain int, token, symbol string, decimals int, amount string) object {
	return object{"currency": object{"chainId": chain, "address": token, "symbol": symbol, "decimals": decimals}, "amount": amount, "amountUsd": "12.5", "amountFormatted": "x"}
}

func item(from, to, value, data string) object {
	return object{"status": "incomplete", "data": object{"from": from, "to": to, "value": value, "data": data, "chainId": 1, "gas": "21000", "maxFeePerGas": "12"},
		"check": object{"endpoint": "/intents/status/v3?requestId=" + requestHex, "method": "GET"}}
}

func step(id string, items ...any) object {
	return object{"id": id, "kind": "transaction", "action": "Confirm", "requestId": requestHex, "depositAddress": "", "items": items}
}

// honest builds the answer for an amount of a token.
func honest(token, symbol string, decimals int, amount string, approvals ...string) object {
	steps := list{}
	for _, a := range approvals {
		steps = append(steps, step("approve", item(ownerHex, usdcHex, "0", "0x095ea7b3"+pad(depositoryHex)+number(a))))
	}
	deposit := item(ownerHex, depositoryHex, amount, "0x49290c1c"+pad(ownerHex)+orderHex[2:])
	if token != zeroHex {
		deposit = item(ownerHex, depositoryHex, "0", "0xe8017952"+pad(ownerHex)+pad(token)+number(amount)+orderHex[2:])
	}
	steps = append(steps, step("deposit", deposit))
	out := money(33139, zeroHex, "APE", 18, "925000000000000000000")
	out["minimumAmount"] = "916000000000000000000"
	return object{
		"steps": steps,
		"fees": object{
			"gas": money(1, zeroHex, "ETH", 18, "3000000000000"), "relayer": money(1, token, symbol, decimals, amount[:len(amount)-3]), "relayerGas": money(1, token, symbol, decimals, "5"),
			"relayerService": money(1, token, symbol, decimals, "-3"), "app": money(1, token, symbol, decimals, "0"), "subsidized": money(1, token, symbol, decimals, "0"),
		},
		"details": object{
			"operation": "swap", "sender": ownerHex, "recipient": ownerHex, "currencyIn": money(1, token, symbol, decimals, amount), "currencyOut": out,
			"totalImpact": object{"percent": "-0.12", "usd": "-0.01"}, "timeEstimate": 4,
		},
		"protocol": object{"v2": object{
			"orderId": orderHex, "hubType": "onchain",
			"orderData": object{
				"inputs": list{object{"payment": object{"chainId": "ethereum", "currency": token, "amount": amount}, "refunds": list{object{"chainId": "ethereum", "recipient": ownerHex, "currency": token, "minimumAmount": "0"}}}},
				"output": object{"chainId": "apechain", "payments": list{object{"recipient": ownerHex, "currency": zeroHex, "minimumAmount": "916000000000000000000", "expectedAmount": "925000000000000000000"}}, "calls": list{}},
			},
			"paymentDetails": object{"chainId": "ethereum", "depository": depositoryHex, "currency": token, "amount": amount},
		}},
	}
}

func fixtures(t testing.TB) []fixture {
	native := bridge.Ask{Account: owner, From: 1, To: 33139, Amount: wei(t, "500000000000000000"), InPlaces: 18, Floor: wei(t, "916000000000000000000"), NeedsMin: true}
	token := native
	token.In, token.Amount, token.InPlaces = common.HexToAddress(usdcHex), wei(t, "250000000"), 6
	return []fixture{
		{"ether", native, honest(zeroHex, "ETH", 18, "500000000000000000")},
		{"a token", token, honest(usdcHex, "USDC", 6, "250000000", "250000000")},
		{"two approvals and a deposit", token, honest(usdcHex, "USDC", 6, "250000000", "0", "250000000")},
		{"approved before", token, honest(usdcHex, "USDC", 6, "250000000")},
	}
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// clone is a copy that a test may change.
func clone(t testing.TB, v object) object {
	t.Helper()
	var out object
	dec := json.NewDecoder(strings.NewReader(string(encode(t, v))))
	dec.UseNumber()
	if err := dec.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// at returns what lies under a path: names, and indices of lists.
func at(v any, path ...any) any {
	for _, p := range path {
		switch k := p.(type) {
		case string:
			v = v.(object)[k]
		case int:
			v = v.(list)[k]
		}
	}
	return v
}

func put(v any, value any, path ...any) {
	last := path[len(path)-1]
	switch parent := at(v, path[:len(path)-1]...).(type) {
	case object:
		if value == nil {
			delete(parent, last.(string))
		} else {
			parent[last.(string)] = value
		}
	case list:
		parent[last.(int)] = value
	}
}
