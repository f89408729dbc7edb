package units

import (
	"fmt"
	"strings"

	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Parse reads a decimal amount of a token with the given number of places,
// exactly: digits, at most one dot with digits on both sides, no leading zeros.
// Signs, exponents, spaces, separators and more places than the token has are
// refused with a usage error that carries the value and says what is wrong.
func Parse(s string, decimals int) (Wei, error) {
	if decimals < 0 || decimals > MaxDecimals {
		return Wei{}, fmt.Errorf("a token of %d decimal places: expected 0 to %d", decimals, MaxDecimals)
	}
	if why := misspelt(s); why != "" {
		return Wei{}, badAmount(s, why)
	}
	whole, frac, _ := strings.Cut(s, ".")
	if len(frac) > decimals {
		return Wei{}, badAmount(s, fmt.Sprintf("it has %d decimal places and the token has %d", len(frac), decimals))
	}
	digits := strings.TrimLeft(whole+frac+strings.Repeat("0", decimals-len(frac)), "0")
	w, err := fromDigits(digits)
	if err != nil {
		return Wei{}, badAmount(s, "it is larger than 2^256-1 base units")
	}
	return w, nil
}

// ParseBase reads decimal base units: digits only, no leading zeros. Its error
// is a plain one, since such values come from other programs: wrap it with
// where the value came from.
func ParseBase(s string) (Wei, error) {
	if why := misspelt(s); why != "" {
		return Wei{}, fmt.Errorf("base units %s: %s; expected decimal digits only", shown(s), why)
	}
	if strings.Contains(s, ".") {
		return Wei{}, fmt.Errorf("base units %s: it has a decimal point; expected decimal digits only", shown(s))
	}
	w, err := fromDigits(strings.TrimLeft(s, "0"))
	if err != nil {
		return Wei{}, fmt.Errorf("base units %s: %w", shown(s), err)
	}
	return w, nil
}

// misspelt returns the first thing wrong with the spelling of s, "" for none.
func misspelt(s string) string {
	if s == "" {
		return "it is empty"
	}
	dot := -1
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
		case r == '.':
			if dot >= 0 {
				return "it has more than one dot"
			}
			dot = i
		default:
			return strange(s, r)
		}
	}
	switch {
	case dot == 0:
		return "it has no digit before the dot"
	case dot == len(s)-1:
		return "it has no digit after the dot"
	case s[0] == '0' && len(s) > 1 && dot != 1:
		return "it has leading zeros"
	}
	return ""
}

// strange says what the first character that is no digit and no dot means.
func strange(s string, r rune) string {
	switch {
	case r == '-' && s[0] == '-':
		return "it is negative"
	case r == '+' && s[0] == '+':
		return "it has a sign"
	case r == ',' || r == '_' || r == '\'':
		return fmt.Sprintf("it has a separator (%q); the decimal point is a dot", r)
	case (r == 'e' || r == 'E') && s[0] >= '0' && s[0] <= '9':
		return "it has an exponent"
	case r == ' ' || r == '\t' || r == '\n' || r == '\r':
		return "it has a space in it"
	}
	return fmt.Sprintf("%q is not a digit", r)
}

// fromDigits reads decimal digits without leading zeros; "" is zero.
func fromDigits(digits string) (Wei, error) {
	var w Wei
	if digits == "" {
		return w, nil
	}
	// 2^256-1 has 78 digits: anything longer is refused before the arithmetic.
	if len(digits) > 78 {
		return Wei{}, ErrOverflow
	}
	n, err := uint256.FromDecimal(digits)
	if err != nil {
		return Wei{}, ErrOverflow
	}
	w.n = *n
	return w, nil
}

// badAmount is the usage error for an amount that somebody typed.
func badAmount(s, why string) error {
	return fault.New(fault.Usage, "amount %s: %s; expected a plain decimal number such as 12.5", shown(s), why).
		Hintf("write the amount in digits with at most one dot, for example 12.5 or 0.001")
}

// shown quotes a value for a message, cut to a readable length.
func shown(s string) string {
	const most = 48
	if len(s) > most {
		return fmt.Sprintf("%q… (%d characters)", strings.ToValidUTF8(s[:most], ""), len(s))
	}
	return fmt.Sprintf("%q", s)
}
