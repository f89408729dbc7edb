package market_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/market"
)

func TestIntegerSpellings(t *testing.T) {
	max := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)).String()
	for in, want := range map[string]string{
		`0`:                                   "0",
		`12500000000000000000`:                "12500000000000000000",
		`"12500000000000000000"`:              "12500000000000000000",
		`"0xad78ebc5ac620000"`:                "12500000000000000000",
		`"0x000000000000000000000000Ff"`:      "255",
		`"` + max + `"`:                       max,
		`"0x` + strings.Repeat("f", 64) + `"`: max,
		` 7 `:                                 "7",
		// What JavaScript and others write for large numbers.
		`1e18`: "1000000000000000000", `1E+18`: "1000000000000000000", `1.25e19`: "12500000000000000000", `1e21`: "1000000000000000000000",
		`12500000000000000000.0`: "12500000000000000000", `1.2500000000000001e19`: "12500000000000001000", `100e-2`: "1", `0e0`: "0", `0.0`: "0", `1e077`: "1" + strings.Repeat("0", 77),
		`115792089237316195423570985008687907853269984665640564039457584007913129639935.000`: max,
	} {
		var i market.Integer
		if err := json.Unmarshal([]byte(in), &i); err != nil {
			t.Errorf("%s: %v", in, err)
		} else if i.String() != want || !i.IsSet() {
			t.Errorf("%s is %s, want %s", in, i, want)
		}
	}
}

func TestIntegerRefuses(t *testing.T) {
	tooLong := `1.` + strings.Repeat("0", 300)
	over := new(big.Int).Lsh(big.NewInt(1), 256).String()
	for _, in := range []string{
		`-1`, `"-1"`, `"1e18"`, `"1.0"`, `"1e3"`, `1.5`, `1e-1`, `0.1`, `1.23e1`, `-1e18`, `-0.0`, `1e78`, `1e999`, `1e1000`, `1e99999999999999999999`, `1e-99999999999`, `115792089237316195423570985008687907853269984665640564039457584007913129639936.0`, `"1.5"`, `"+1"`, `""`, `"0x"`, `"0X1"`, `"0xg"`, `"01"`, `"00"`, `" 1"`, `"1 "`,
		`"1,000"`, `"1_000"`, `"0x-1"`, `true`, `[1]`, `{"value":1}`, `"NaN"`, `"٣"`, `"` + over + `"`, over,
		`"0x1` + strings.Repeat("0", 64) + `"`, `"` + strings.Repeat("9", 100000) + `"`, `-0`, tooLong,
	} {
		var i market.Integer
		if err := json.Unmarshal([]byte(in), &i); err == nil {
			t.Errorf("%.80s was read as %s", in, i)
		} else if len(err.Error()) > 500 {
			t.Errorf("error of %d bytes for %.20s", len(err.Error()), in)
		}
	}
}

func TestIntegerNullIsNotSet(t *testing.T) {
	var v struct{ A, B market.Integer }
	if err := json.Unmarshal([]byte(`{"A":null}`), &v); err != nil {
		t.Fatal(err)
	}
	if v.A.IsSet() || v.B.IsSet() || v.A.Equal(v.B) || v.A.Is(0) {
		t.Error("a missing integer passes for a value")
	}
	if _, err := v.A.Wei(); err == nil {
		t.Error("a missing integer is an amount")
	}
}
