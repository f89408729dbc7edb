// Package units holds amounts: integers of base units, exact in and out. No
// floating point is used anywhere near a price.
package units

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/holiman/uint256"
)

// APEDecimals is the number of decimal places of APE and of every other native
// token this program knows.
const APEDecimals = 18

// MaxDecimals is the most places a token may have here: 10^77 is the largest
// power of ten below 2^256.
const MaxDecimals = 77

// ErrOverflow and ErrNegative report a result outside 0 .. 2^256-1.
var (
	ErrOverflow = errors.New("amount is larger than 2^256-1")
	ErrNegative = errors.New("amount would be negative")
)

// Wei is an immutable amount of base units, 0 to 2^256-1. The zero value is
// zero. Two Wei are equal with == when their amounts are.
//
// In JSON and in SQL it is a string of decimal base units: numbers would lose
// digits in most readers, and SQL text does not compare as a number, so sums
// and comparisons are made in Go.
type Wei struct{ n uint256.Int }

// FromUint64 returns n base units.
func FromUint64(n uint64) Wei {
	var w Wei
	w.n.SetUint64(n)
	return w
}

// FromBig returns b base units; nil, a negative number and more than 256 bits
// are errors.
func FromBig(b *big.Int) (Wei, error) {
	if b == nil {
		return Wei{}, errors.New("amount is missing")
	}
	if b.Sign() < 0 {
		return Wei{}, ErrNegative
	}
	var w Wei
	if w.n.SetFromBig(b) {
		return Wei{}, ErrOverflow
	}
	return w, nil
}

// FromBytes32 returns the amount that a 32-byte big-endian word holds.
func FromBytes32(b [32]byte) Wei {
	var w Wei
	w.n.SetBytes32(b[:])
	return w
}

// Bytes32 returns the amount as a 32-byte big-endian word, as digests and
// calldata hold it.
func (w Wei) Bytes32() [32]byte { return w.n.Bytes32() }

// Add returns w+o, or ErrOverflow.
func (w Wei) Add(o Wei) (Wei, error) {
	var r Wei
	if _, over := r.n.AddOverflow(&w.n, &o.n); over {
		return Wei{}, ErrOverflow
	}
	return r, nil
}

// Sub returns w-o, or ErrNegative.
func (w Wei) Sub(o Wei) (Wei, error) {
	var r Wei
	if _, under := r.n.SubOverflow(&w.n, &o.n); under {
		return Wei{}, ErrNegative
	}
	return r, nil
}

// Mul returns w*k, or ErrOverflow.
func (w Wei) Mul(k uint64) (Wei, error) {
	var r Wei
	if _, over := r.n.MulOverflow(&w.n, uint256.NewInt(k)); over {
		return Wei{}, ErrOverflow
	}
	return r, nil
}

// Cmp returns -1, 0 or 1 as w is less than, equal to or more than o.
func (w Wei) Cmp(o Wei) int { return w.n.Cmp(&o.n) }

// IsZero reports whether w is zero.
func (w Wei) IsZero() bool { return w.n.IsZero() }

// Big returns a new big.Int of the base units.
func (w Wei) Big() *big.Int { return w.n.ToBig() }

// Uint256 returns a new uint256.Int of the base units.
func (w Wei) Uint256() *uint256.Int { return w.n.Clone() }

// Uint64 returns the base units and whether they fit.
func (w Wei) Uint64() (uint64, bool) { return w.n.Uint64(), w.n.IsUint64() }

// String returns the base units in decimal.
func (w Wei) String() string { return w.n.Dec() }

// Decimal returns the amount in whole tokens: digits, then at most one dot and
// no trailing zeros. Parse of it gives w again. Decimals outside
// 0..MaxDecimals are a mistake of the caller, and are taken as 0: the result is
// then the base units, never a wrong fraction.
func (w Wei) Decimal(decimals int) string {
	s := w.String()
	if decimals <= 0 || decimals > MaxDecimals {
		return s
	}
	if len(s) <= decimals {
		s = strings.Repeat("0", decimals-len(s)+1) + s
	}
	whole, frac := s[:len(s)-decimals], strings.TrimRight(s[len(s)-decimals:], "0")
	if frac == "" {
		return whole
	}
	return whole + "." + frac
}

// JSON returns Decimal as a JSON number, exact to the last digit, for the
// fields whose schema wants a number (priceApe).
func (w Wei) JSON(decimals int) json.Number { return json.Number(w.Decimal(decimals)) }

// MarshalJSON writes the base units as a decimal string.
func (w Wei) MarshalJSON() ([]byte, error) { return []byte(`"` + w.String() + `"`), nil }

// UnmarshalJSON reads what MarshalJSON writes, and nothing else.
func (w *Wei) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("amount %s: expected a string of decimal base units", shown(string(b)))
	}
	v, err := ParseBase(s)
	if err != nil {
		return err
	}
	*w = v
	return nil
}

// Value stores the base units as SQL text.
func (w Wei) Value() (driver.Value, error) { return w.String(), nil }

// Scan reads SQL text of base units.
func (w *Wei) Scan(src any) error {
	var s string
	switch v := src.(type) {
	case string:
		s = v
	case []byte:
		s = string(v)
	default:
		return fmt.Errorf("amount of SQL type %T: expected text of decimal base units", src)
	}
	v, err := ParseBase(s)
	if err != nil {
		return err
	}
	*w = v
	return nil
}
