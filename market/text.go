package market

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Lengths of untrusted text that is shown.
const (
	maxShown   = 60  // a value inside a sentence
	maxMessage = 200 // a server's own words
	maxName    = 120 // a collection's name
	maxSlug    = 128 // as in the allowlist
)

// quoted is clean text in quotes, for a value inside a sentence.
func quoted(s string) string { return strconv.Quote(fault.Excerpt(s, maxShown)) }

// ValidSlug reports whether s may be a collection slug, which becomes part of a
// URL: lower-case letters, digits, '-' and '_', the first a letter or a digit.
func ValidSlug(s string) bool {
	if s == "" || len(s) > maxSlug || s[0] == '-' || s[0] == '_' {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// ValidTokenID reports whether s is a token id: a decimal integer of at most 256
// bits without leading zeros.
func ValidTokenID(s string) bool {
	if strings.HasPrefix(s, "0x") {
		return false
	}
	_, err := ParseInteger(s)
	return err == nil
}

// address returns s in lower case when it is 0x and 40 hex digits.
func address(s string) (string, bool) { return hexOf(s, 40) }

// hash returns s in lower case when it is 0x and 64 hex digits, not all zero.
func hash(s string) (string, bool) {
	h, ok := hexOf(s, 64)
	return h, ok && !isZeroHex(h)
}

func hexOf(s string, digits int) (string, bool) {
	if len(s) != 2+digits || s[:2] != "0x" || !isHex(s[2:]) {
		return "", false
	}
	return strings.ToLower(s), true
}

func isZeroHex(s string) bool { return strings.Trim(s[2:], "0") == "" }

// checkSlug, checkToken and their kin guard what goes into a URL or a request.
func checkSlug(s string) error {
	if ValidSlug(s) {
		return nil
	}
	return fault.New(fault.Usage, "%s is no collection slug", quoted(s)).
		Hintf("a slug has lower-case letters, digits and -, as in the collection's OpenSea address: ape-claw market collections lists known ones")
}

func checkToken(s string) error {
	if ValidTokenID(s) {
		return nil
	}
	return fault.New(fault.Usage, "%s is no token id", quoted(s)).
		Hintf("a token id is a decimal number, such as 42")
}

func checkAddress(what, s string) (string, error) {
	a, ok := address(s)
	if !ok || isZeroHex(a) {
		return "", fault.New(fault.Usage, "%s %s is no address", what, quoted(s)).
			Hintf("an address is 0x and 40 hex digits")
	}
	return a, nil
}

// unhex decodes lower-case hex digits of even number, which hexOf has checked.
func unhex(digits string) []byte {
	b, err := hex.DecodeString(digits)
	if err != nil {
		return nil
	}
	return b
}
