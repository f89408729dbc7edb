package units_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const max256 = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in       string
		decimals int
		want     string // base units
	}{
		{"0", 18, "0"},
		{"0.0", 18, "0"},
		{"1", 18, "1000000000000000000"},
		{"12.5", 18, "12500000000000000000"},
		{"1.50", 18, "1500000000000000000"},
		{"0.000000000000000001", 18, "1"},
		{"123456789.123456789012345678", 18, "123456789123456789012345678"},
		{"1.000001", 6, "1000001"},
		{"7", 0, "7"},
		{max256, 0, max256},
	} {
		got, err := units.Parse(c.in, c.decimals)
		if err != nil {
			t.Errorf("Parse(%q, %d): %v", c.in, c.decimals, err)
		} else if got.String() != c.want {
			t.Errorf("Parse(%q, %d) = %s, want %s", c.in, c.decimals, got, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in       string
		decimals int
		says     string
	}{
		{"1e2", 18, "exponent"},
		{"1E2", 18, "exponent"},
		{"-5", 18, "negative"},
		{"1,5", 18, "separator"},
		{"1_000", 18, "separator"},
		{"+1", 18, "sign"},
		{" 1", 18, "space"},
		{"1 ", 18, "space"},
		{"1\n", 18, "space"},
		{"0.1234567890123456789", 18, "19 decimal places and the token has 18"},
		{"1.10", 1, "2 decimal places"},
		{"1.0", 0, "1 decimal places"},
		{"NaN", 18, "not a digit"},
		{"Inf", 18, "not a digit"},
		{"0x10", 18, "not a digit"},
		{"1-", 18, "not a digit"},
		{"٣", 18, "not a digit"},
		{"", 18, "empty"},
		{"1.", 18, "no digit after the dot"},
		{".5", 18, "no digit before the dot"},
		{".", 18, "no digit before the dot"},
		{"1.2.3", 18, "more than one dot"},
		{"007", 18, "leading zeros"},
		{"00", 18, "leading zeros"},
		{max256, 1, "larger than 2^256-1"},
		{"115792089237316195423570985008687907853269984665640564039457584007913129639936", 0, "larger than"},
		{"1" + strings.Repeat("0", 5000), 18, "larger than"},
	} {
		got, err := units.Parse(c.in, c.decimals)
		if err == nil {
			t.Errorf("Parse(%q, %d) = %s, want an error", c.in, c.decimals, got)
			continue
		}
		if !got.IsZero() {
			t.Errorf("Parse(%q) returned %s beside its error", c.in, got)
		}
		if fault.CodeOf(err) != fault.Usage {
			t.Errorf("Parse(%q): code %s, want usage", c.in, fault.CodeOf(err))
		}
		if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "expected a plain decimal number") {
			t.Errorf("Parse(%q): %q, want it to say %q and what is expected", c.in, err, c.says)
		}
		if len(err.Error()) > 220 {
			t.Errorf("Parse of %d characters: a message of %d", len(c.in), len(err.Error()))
		}
	}
	if _, err := units.Parse("1", 78); err == nil {
		t.Error("a token of 78 places was accepted")
	}
}

func TestParseBase(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"0", "1", max256} {
		if w, err := units.ParseBase(in); err != nil || w.String() != in {
			t.Errorf("ParseBase(%q) = %s, %v", in, w, err)
		}
	}
	for _, in := range []string{"", "1.0", "-1", "0x1", "01", "1e3", max256 + "0", " 1"} {
		if w, err := units.ParseBase(in); err == nil {
			t.Errorf("ParseBase(%q) = %s, want an error", in, w)
		}
	}
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base     string
		decimals int
		want     string
	}{
		{"0", 18, "0"},
		{"1", 18, "0.000000000000000001"},
		{"10500000000000000000", 18, "10.5"},
		{"1000000000000000000", 18, "1"},
		{"123", 0, "123"},
		{"1230", 1, "123"},
		{max256, 77, "1." + max256[1:]},
	} {
		w, err := units.ParseBase(c.base)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Decimal(c.decimals); got != c.want {
			t.Errorf("Decimal(%s, %d) = %s, want %s", c.base, c.decimals, got, c.want)
		}
	}
}

func TestArithmetic(t *testing.T) {
	t.Parallel()
	most, _ := units.ParseBase(max256)
	one := units.FromUint64(1)
	if _, err := most.Add(one); !errors.Is(err, units.ErrOverflow) {
		t.Errorf("max+1: %v", err)
	}
	if _, err := one.Sub(units.FromUint64(2)); !errors.Is(err, units.ErrNegative) {
		t.Errorf("1-2: %v", err)
	}
	if _, err := most.Mul(2); !errors.Is(err, units.ErrOverflow) {
		t.Errorf("max*2: %v", err)
	}
	if _, err := units.FromBig(big.NewInt(-1)); !errors.Is(err, units.ErrNegative) {
		t.Errorf("FromBig(-1): %v", err)
	}
	if _, err := units.FromBig(new(big.Int).Lsh(big.NewInt(1), 256)); !errors.Is(err, units.ErrOverflow) {
		t.Errorf("FromBig(2^256): %v", err)
	}
	if _, err := units.FromBig(nil); err == nil {
		t.Error("FromBig(nil) was accepted")
	}
	sum, err := one.Add(units.FromUint64(41))
	if err != nil || sum != units.FromUint64(42) || one != units.FromUint64(1) {
		t.Errorf("1+41 = %s, %v; 1 is now %s", sum, err, one)
	}
	b := sum.Big()
	b.SetInt64(7)
	if sum != units.FromUint64(42) {
		t.Error("changing Big() changed the amount")
	}
	if got := units.FromBytes32(most.Bytes32()); got != most {
		t.Errorf("Bytes32 and back: %s", got)
	}
}

func TestBPS(t *testing.T) {
	t.Parallel()
	most, _ := units.ParseBase(max256)
	for _, c := range []struct {
		bps  units.BPS
		of   units.Wei
		up   bool
		want string
	}{
		{250, units.FromUint64(1000), false, "25"},
		{1, units.FromUint64(9999), false, "0"},
		{1, units.FromUint64(9999), true, "1"},
		{1, units.FromUint64(10000), true, "1"},
		{0, units.FromUint64(10000), true, "0"},
		{10000, most, true, max256},
		{10001, most, true, max256},
	} {
		if got := c.bps.Of(c.of, c.up); got.String() != c.want {
			t.Errorf("%s of %s (up %t) = %s, want %s", c.bps, c.of, c.up, got, c.want)
		}
	}
	if got := units.BPS(250).String(); got != "2.5%" {
		t.Errorf("BPS(250) = %s", got)
	}
}

func TestJSONAndSQL(t *testing.T) {
	t.Parallel()
	w, err := units.Parse("10.5", 18)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]any{"priceApe": w.JSON(18), "priceWei": w})
	if err != nil || string(b) != `{"priceApe":10.5,"priceWei":"10500000000000000000"}` {
		t.Errorf("%s, %v", b, err)
	}
	var back struct {
		PriceWei units.Wei `json:"priceWei"`
	}
	if err := json.Unmarshal(b, &back); err != nil || back.PriceWei != w {
		t.Errorf("back: %s, %v", back.PriceWei, err)
	}
	for _, in := range []string{`{"priceWei":1}`, `{"priceWei":1e3}`, `{"priceWei":"0x1"}`, `{"priceWei":"-1"}`, `{"priceWei":"1.5"}`} {
		if err := json.Unmarshal([]byte(in), &back); err == nil {
			t.Errorf("%s was accepted as %s", in, back.PriceWei)
		}
	}
	v, err := w.Value()
	if err != nil || v != "10500000000000000000" {
		t.Errorf("Value: %v, %v", v, err)
	}
	for _, src := range []any{"10500000000000000000", []byte("10500000000000000000")} {
		var s units.Wei
		if err := s.Scan(src); err != nil || s != w {
			t.Errorf("Scan(%v) = %s, %v", src, s, err)
		}
	}
	for _, src := range []any{nil, int64(5), 1.5, "x"} {
		var s units.Wei
		if err := s.Scan(src); err == nil {
			t.Errorf("Scan(%v) was accepted", src)
		}
	}
}

// TestNoFloats holds the package to its promise: no floating point at all.
func TestNoFloats(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no source: %v", err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && (strings.Contains(strings.ToLower(id.Name), "float") || id.Name == "Rat") {
				t.Errorf("%s uses %s", name, id.Name)
			}
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.FLOAT {
				t.Errorf("%s has the float literal %s", name, lit.Value)
			}
			return true
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "12.5", "0.1234567890123456789", "1e2", "-5", "1,5", "007", "1.", ".5", max256} {
		f.Add(s, 18)
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, s string, decimals int) {
		w, err := units.Parse(s, decimals)
		if err != nil {
			if !w.IsZero() {
				t.Fatalf("Parse(%q, %d) gave %s beside %v", s, decimals, w, err)
			}
			return
		}
		// The oracle is exact rational arithmetic, which shares no code with Parse.
		want, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("Parse(%q) accepted what big.Rat does not read", s)
		}
		want.Mul(want, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)))
		if want.Cmp(new(big.Rat).SetInt(w.Big())) != 0 {
			t.Fatalf("Parse(%q, %d) = %s, want %s", s, decimals, w, want)
		}
		roundTrip(t, w, decimals)
	})
}

func FuzzDecimal(f *testing.F) {
	f.Add([]byte{1}, uint8(18))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), uint8(77))
	f.Fuzz(func(t *testing.T, b []byte, decimals uint8) {
		if len(b) > 32 {
			b = b[:32]
		}
		w, err := units.FromBig(new(big.Int).SetBytes(b))
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, w, int(decimals)%(units.MaxDecimals+1))
	})
}

// roundTrip checks that every printed form reads back as the same amount.
func roundTrip(t *testing.T, w units.Wei, decimals int) {
	t.Helper()
	s := w.Decimal(decimals)
	if back, err := units.Parse(s, decimals); err != nil || back != w {
		t.Fatalf("Parse(Decimal(%s, %d) = %q) = %s, %v", w, decimals, s, back, err)
	}
	if strings.Contains(s, ".") && strings.HasSuffix(s, "0") {
		t.Fatalf("Decimal(%s, %d) = %q has trailing zeros", w, decimals, s)
	}
	if !json.Valid([]byte(w.JSON(decimals))) {
		t.Fatalf("JSON(%s, %d) = %s is no JSON number", w, decimals, w.JSON(decimals))
	}
	if back, err := units.ParseBase(w.String()); err != nil || back != w {
		t.Fatalf("ParseBase(%s) = %s, %v", w, back, err)
	}
}
