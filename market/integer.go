package market

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
)

// Integer is an unsigned integer of at most 256 bits in JSON, in any of the
// spellings marketplaces use: a number, a string of decimal digits, a string of
// 0x and hex digits. A JSON number may have a point and an exponent, 1e18 or
// 12.5e18, when it is an integer; it is read digit by digit. In a string both are
// errors, and so are negatives, leading zeros in decimal, and anything longer, so
// that no two readers disagree on a value. The zero value, and null, are "not set".
type Integer struct {
	n   big.Int
	set bool
}

// Digits of 2^256-1.
const (
	maxDecimalDigits = 78
	maxHexDigits     = 64
)

// ParseInteger reads a decimal or 0x string.
func ParseInteger(s string) (Integer, error) {
	var i Integer
	base, digits := 10, s
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		base, digits = 16, hex
		if digits == "" || len(digits) > maxHexDigits || !isHex(digits) {
			return Integer{}, fmt.Errorf("%s is no 256-bit hex integer", quoted(s))
		}
	} else if digits == "" || len(digits) > maxDecimalDigits || !isDecimal(digits) || digits[0] == '0' && len(digits) > 1 {
		return Integer{}, fmt.Errorf("%s is no unsigned decimal integer", quoted(s))
	}
	if _, ok := i.n.SetString(digits, base); !ok || i.n.BitLen() > 256 {
		return Integer{}, fmt.Errorf("%s is larger than 2^256-1", quoted(s))
	}
	i.set = true
	return i, nil
}

// UnmarshalJSON reads a number, a string or null.
func (i *Integer) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	*i = Integer{}
	if len(b) == 0 {
		return errors.New("integer is empty")
	}
	s := string(b)
	switch {
	case s == "null":
		return nil
	case b[0] == '"':
		if err := json.Unmarshal(b, &s); err != nil {
			return fmt.Errorf("integer: %w", err)
		}
	case strings.HasPrefix(s, "0x"):
		return fmt.Errorf("%s is no JSON number", quoted(s))
	}
	if b[0] != '"' && strings.ContainsAny(s, ".eE") {
		digits, ok := scaled(s)
		if !ok {
			return fmt.Errorf("%s is no unsigned integer of 256 bits", quoted(s))
		}
		s = digits
	}
	v, err := ParseInteger(s)
	if err != nil {
		return err
	}
	*i = v
	return nil
}

// scaled writes a JSON number with a point or an exponent as plain digits; ok is
// false when it is no unsigned integer, or longer than 256 bits.
func scaled(s string) (digits string, ok bool) {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(s), "e")
	power := 0
	if hasExponent {
		negative := strings.HasPrefix(exponent, "-")
		n := strings.TrimLeft(strings.TrimLeft(exponent, "+-"), "0")
		if len(n) > 3 || !isDecimal(n) { // no such power is an amount
			return "", false
		}
		for _, c := range []byte(n) {
			power = 10*power + int(c-'0')
		}
		if negative {
			power = -power
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if len(s) > maxNumber || whole == "" || !isDecimal(whole) || !isDecimal(fraction) {
		return "", false
	}
	digits, power = whole+fraction, power-len(fraction)
	switch {
	case power >= 0 && power <= maxDecimalDigits:
		digits += strings.Repeat("0", power)
	case power < 0 && -power <= len(digits) && strings.Trim(digits[len(digits)+power:], "0") == "":
		digits = digits[:len(digits)+power]
	default:
		return "", false
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits = "0"
	}
	return digits, true
}

// maxNumber is the longest JSON number that is looked at.
const maxNumber = 200

// MarshalJSON writes a decimal string, or null when not set.
func (i Integer) MarshalJSON() ([]byte, error) {
	if !i.set {
		return []byte("null"), nil
	}
	return []byte(`"` + i.n.String() + `"`), nil
}

// IsSet reports whether there was a value.
func (i Integer) IsSet() bool { return i.set }

// Big returns a new big.Int; 0 when not set.
func (i Integer) Big() *big.Int { return new(big.Int).Set(&i.n) }

// Is reports whether i is set and equals v.
func (i Integer) Is(v int64) bool { return i.set && i.n.IsInt64() && i.n.Int64() == v }

// atMost reports whether i is set and no more than v.
func (i Integer) atMost(v int64) bool { return i.set && i.n.IsInt64() && i.n.Int64() <= v }

// Equal reports whether both are set to the same value.
func (i Integer) Equal(o Integer) bool { return i.set && o.set && i.n.Cmp(&o.n) == 0 }

// Wei returns the value as an amount; an error when not set.
func (i Integer) Wei() (units.Wei, error) {
	if !i.set {
		return units.Wei{}, errors.New("amount is missing")
	}
	return units.FromBig(&i.n)
}

// String returns decimal digits, "" when not set.
func (i Integer) String() string {
	if !i.set {
		return ""
	}
	return i.n.String()
}

func isDecimal(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func isHex(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}
