package policy

import (
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// decimalPattern is the spelling of an amount of APE: no sign, exponent or
// leading zero, at most 18 places.
const decimalPattern = `(0|[1-9][0-9]*)(\.[0-9]{1,18})?`

var capKind = kind[Cap]{
	schema: map[string]any{"anyOf": []any{
		map[string]any{"type": "number", "minimum": 0},
		map[string]any{"type": "string", "pattern": "^(" + unlimited + "|" + decimalPattern + ")$"},
	}, "default": 0},
	read: func(s source, key string, n node) (Cap, error) {
		l, err := literalKind.read(s, key, n)
		if err != nil {
			return Cap{}, err
		}
		return l.amount(s, key, n.at, units.APEDecimals)
	},
}

// literal is an amount as it is written, of a token whose places are not known yet.
type literal string

// maxDecimals is more places than any token has that is worth a cap.
const maxDecimals = 36

// amountText is the spelling of an amount of any token.
const amountText = `(0|[1-9][0-9]*)(\.[0-9]{1,36})?`

var amountPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + amountText + "$") })

var literalKind = kind[literal]{
	schema: map[string]any{"anyOf": []any{
		map[string]any{"type": "number", "minimum": 0},
		map[string]any{"type": "string", "pattern": "^(" + unlimited + "|" + amountText + ")$"},
	}},
	read: func(s source, key string, n node) (literal, error) {
		if n.kind != '0' && n.kind != '"' {
			return "", s.errorf(n.at, "%s is %s; expected an amount such as 12.5, or %q", key, n.is(), unlimited)
		}
		if n.text == unlimited {
			return unlimited, nil
		}
		if !amountPattern().MatchString(n.text) {
			_, err := units.Parse(n.text, maxDecimals) // says what is wrong
			return "", s.errorf(n.at, "%s: %s", key, fault.From(err).Message)
		}
		return literal(n.text), nil
	},
}

// amount reads the literal as an amount of a token.
func (l literal) amount(s source, key string, at, decimals int) (Cap, error) {
	if l == unlimited {
		return Cap{Unlimited: true}, nil
	}
	w, err := units.Parse(string(l), decimals)
	if err != nil {
		return Cap{}, s.errorf(at, "%s: %s", key, fault.From(err).Message)
	}
	return Cap{Max: w}, nil
}

var feeCapKind = kind[FeeCap]{
	schema: map[string]any{"anyOf": []any{bpsKind.schema, map[string]any{"const": unlimited}}},
	read: func(s source, key string, n node) (FeeCap, error) {
		if n.kind == '"' && n.text == unlimited {
			return FeeCap{Unlimited: true}, nil
		}
		v, err := integer(n, uint64(units.WholeBPS))
		if err != nil {
			return FeeCap{}, s.errorf(n.at, "%s is %s; expected a whole number from 0 to %d, or %q", key, n.is(), units.WholeBPS, unlimited)
		}
		return FeeCap{Max: units.BPS(v)}, nil
	},
}

var flagKind = kind[bool]{
	schema: map[string]any{"type": "boolean"},
	read: func(s source, key string, n node) (bool, error) {
		if n.kind != 't' {
			return false, s.errorf(n.at, "%s is %s; expected true or false", key, n.is())
		}
		return n.yes, nil
	},
}

var bpsKind = kind[units.BPS]{
	schema: map[string]any{"type": "integer", "minimum": 0, "maximum": int(units.WholeBPS)},
	read: func(s source, key string, n node) (units.BPS, error) {
		v, err := integer(n, uint64(units.WholeBPS))
		if err != nil {
			return 0, s.errorf(n.at, "%s is %s; expected a whole number from 0 to %d", key, n.is(), units.WholeBPS)
		}
		return units.BPS(v), nil
	},
}

var chainIDKind = kind[int64]{
	schema: map[string]any{"type": "integer", "minimum": 1, "maximum": int64(maxChainID)},
	read: func(s source, key string, n node) (int64, error) {
		v, err := integer(n, maxChainID)
		if err != nil || v == 0 {
			return 0, s.errorf(n.at, "%s is %s; expected a chain id such as 33139", key, n.is())
		}
		return int64(v), nil
	},
}

// maxChainID keeps a chain id exact in readers that hold numbers as doubles.
const maxChainID = 1<<53 - 1

// integer reads a number literal of digits alone.
func integer(n node, most uint64) (uint64, error) {
	if n.kind != '0' {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseUint(n.text, 10, 64)
	if err == nil && v > min(most, math.MaxInt64) {
		err = strconv.ErrRange
	}
	return v, err
}

func textKind(about string, ok *regexp.Regexp) kind[string] {
	return kind[string]{
		schema: map[string]any{"type": "string", "pattern": ok.String()},
		read: func(s source, key string, n node) (string, error) {
			if n.kind != '"' || !ok.MatchString(n.text) {
				return "", s.errorf(n.at, "%s is %s; expected %s", key, n.is(), about)
			}
			return n.text, nil
		},
	}
}

func enumKind(words ...string) kind[string] {
	return kind[string]{
		schema: map[string]any{"enum": words},
		read: func(s source, key string, n node) (string, error) {
			if n.kind != '"' || !slices.Contains(words, n.text) {
				return "", s.errorf(n.at, "%s is %s; expected \"%s\"", key, n.is(), strings.Join(words, `" or "`))
			}
			return n.text, nil
		},
	}
}

var urlKind = kind[string]{
	schema: map[string]any{"type": "string", "pattern": `^($|(https?|wss?)://[^\s/?#]+)`},
	read: func(s source, key string, n node) (string, error) {
		// The value may hold a key: it is not repeated in the message.
		if n.kind != '"' {
			return "", s.errorf(n.at, "%s is not a string; expected an http(s) or ws(s) URL", key)
		}
		u, err := url.Parse(n.text)
		if n.text != "" && (err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme)) {
			return "", s.errorf(n.at, "%s is not an http(s) or ws(s) URL", key)
		}
		return n.text, nil
	},
}

// currencyPattern is a symbol, or a contract address.
const currencyPattern = `^([A-Za-z][A-Za-z0-9.]{0,15}|0x[0-9a-fA-F]{40})$`

var currency = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(currencyPattern) })

var currenciesKind = kind[[]string]{
	schema: map[string]any{"type": "array", "uniqueItems": true, "items": map[string]any{"type": "string", "pattern": currencyPattern}},
	read: func(s source, key string, n node) ([]string, error) {
		if n.kind != '[' {
			return nil, s.errorf(n.at, `%s is %s; expected a list such as ["APE"]`, key, n.is())
		}
		ok := currency()
		out := []string{}
		for _, item := range n.items {
			if item.kind != '"' || !ok.MatchString(item.text) {
				return nil, s.errorf(item.at, "%s has %s; expected a symbol or a contract address", key, item.is())
			}
			c := item.text
			if isAddress(c) {
				c = strings.ToLower(c)
			}
			if slices.Contains(out, c) {
				return nil, s.errorf(item.at, "%s has %q twice", key, c)
			}
			out = append(out, c)
		}
		return out, nil
	},
}

// isAddress reports whether s is spelt as a contract address.
func isAddress(s string) bool {
	if len(s) != 42 || s[:2] != "0x" {
		return false
	}
	for _, c := range []byte(s[2:]) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}
