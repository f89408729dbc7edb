package policy

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// layer is one policy file: what it says, and nothing for what it leaves out.
type layer struct {
	source
	chainID                                                 *at[int64]
	rpcURL, nativeToken                                     *at[string]
	provider, defaultTo, defaultToken, dataSource, allowed  *at[string]
	maxBridgeFee                                            *at[units.BPS]
	maxPrice, dailyCap                                      *at[Cap]
	currencies                                              *at[[]string]
	minAmountOut, denyApprovals, simulate, phrase, autonomy *at[bool]
}

// at is a value and where it was written.
type at[T any] struct {
	v   T
	pos int
}

// rule is one key of the policy file. The parser and the published schema are
// both made from it, so that they can't disagree on a name or a type.
type rule struct {
	key, about string
	schema     map[string]any
	fields     []rule // of an object
	read       func(l *layer, n node) error
}

// kind is how values of one sort are read and described.
type kind[T any] struct {
	schema map[string]any
	read   func(s source, key string, n node) (T, error)
}

func field[T any](key, about string, k kind[T], into func(*layer) **at[T]) rule {
	return rule{key: key, about: about, schema: k.schema, read: func(l *layer, n node) error {
		v, err := k.read(l.source, key, n)
		if err == nil {
			*into(l) = &at[T]{v, n.at}
		}
		return err
	}}
}

func object(key, about string, fields ...rule) rule {
	return rule{key: key, about: about, fields: fields}
}

// policyRules returns the shape of a policy file.
func policyRules() rule {
	text := func(about string, ok *regexp.Regexp) kind[string] { return textKind(about, ok) }
	word := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	return object("", "what ape-claw may spend, on what, and how",
		rule{key: "$schema", about: "for editors", schema: map[string]any{"type": "string"}, read: anyString},
		field("apechainChainId", "the chain id", chainIDKind, func(l *layer) **at[int64] { return &l.chainID }),
		field("apechainRpcUrl", "the RPC endpoint", urlKind, func(l *layer) **at[string] { return &l.rpcURL }),
		field("nativeGasToken", "symbol of the chain's own currency", text("a symbol", word), func(l *layer) **at[string] { return &l.nativeToken }),
		object("bridge", "bridging",
			field("provider", "who bridges", enumKind("relay"), func(l *layer) **at[string] { return &l.provider }),
			field("maxBridgeFeeBps", "most that a bridge may keep, in hundredths of a percent", bpsKind, func(l *layer) **at[units.BPS] { return &l.maxBridgeFee }),
			field("requireMinAmountOut", "refuse a bridge quote without a least amount out", flagKind, func(l *layer) **at[bool] { return &l.minAmountOut }),
			field("defaultTo", "chain to bridge to", text("a chain name", word), func(l *layer) **at[string] { return &l.defaultTo }),
			field("defaultToken", "token to bridge", text("a symbol", word), func(l *layer) **at[string] { return &l.defaultToken }),
		),
		object("market", "listings",
			field("dataSource", "where listings come from", enumKind("opensea", "file"), func(l *layer) **at[string] { return &l.dataSource }),
			field("collectionAllowlistMode", "which collections may be bought", enumKind("recommended-only"), func(l *layer) **at[string] { return &l.allowed }),
		),
		object("nftBuy", "one purchase",
			field("maxPricePerTx", "most that one purchase may cost, in APE", capKind, func(l *layer) **at[Cap] { return &l.maxPrice }),
			field("currencyAllowlist", "symbols or contract addresses that may be paid with", currenciesKind, func(l *layer) **at[[]string] { return &l.currencies }),
			field("denyUnlimitedApprovals", "approvals are exact", flagKind, func(l *layer) **at[bool] { return &l.denyApprovals }),
			field("simulationRequired", "a purchase needs a passed simulation", flagKind, func(l *layer) **at[bool] { return &l.simulate }),
		),
		object("execution", "everything that spends",
			field("dailySpendCap", "most that may be spent in a rolling 24 h, fees included, in APE", capKind, func(l *layer) **at[Cap] { return &l.dailyCap }),
			field("confirmPhraseRequired", "a purchase needs its confirm phrase", flagKind, func(l *layer) **at[bool] { return &l.phrase }),
			field("autonomousMode", "--autonomous may stand in for the phrase", flagKind, func(l *layer) **at[bool] { return &l.autonomy }),
		),
	)
}

// parseLayer reads one policy file.
func parseLayer(s source) (*layer, error) {
	n, err := s.parse()
	if err != nil {
		return nil, err
	}
	l := &layer{source: s}
	return l, l.object(policyRules(), n, "the policy")
}

func (l *layer) object(r rule, n node, name string) error {
	if n.kind != '{' {
		return l.errorf(n.at, "%s is %s; expected an object", name, n.is())
	}
	where := ""
	if r.key != "" {
		where = " in " + r.key
	}
	for _, m := range n.members {
		i := slices.IndexFunc(r.fields, func(f rule) bool { return f.key == m.key })
		if i < 0 {
			return l.unknownKey(m, where, keys(r.fields))
		}
		f := r.fields[i]
		var err error
		if f.fields != nil {
			err = l.object(f, m.value, f.key)
		} else {
			err = f.read(l, m.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func keys(rs []rule) []string {
	out := make([]string, len(rs))
	for i, r := range rs {
		out[i] = r.key
	}
	return out
}

// decimalPattern is the spelling of an amount of APE: no sign, exponent or
// leading zero, at most 18 places.
const decimalPattern = `(0|[1-9][0-9]*)(\.[0-9]{1,18})?`

var capKind = kind[Cap]{
	schema: map[string]any{"anyOf": []any{
		map[string]any{"type": "number", "minimum": 0},
		map[string]any{"type": "string", "pattern": "^(" + unlimited + "|" + decimalPattern + ")$"},
	}, "default": 0},
	read: func(s source, key string, n node) (Cap, error) {
		if n.kind != '0' && n.kind != '"' {
			return Cap{}, s.errorf(n.at, "%s is %s; expected an amount of APE such as 12.5, or %q", key, n.is(), unlimited)
		}
		if n.kind == '"' && n.text == unlimited {
			return Cap{Unlimited: true}, nil
		}
		w, err := units.Parse(n.text, units.APEDecimals)
		if err != nil {
			return Cap{}, s.errorf(n.at, "%s: %s", key, fault.From(err).Message)
		}
		return Cap{Max: w}, nil
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
				return "", s.errorf(n.at, "%s is %s; expected %q", key, n.is(), strings.Join(words, `" or "`))
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

var currenciesKind = kind[[]string]{
	schema: map[string]any{"type": "array", "uniqueItems": true, "items": map[string]any{"type": "string", "pattern": currencyPattern}},
	read: func(s source, key string, n node) ([]string, error) {
		if n.kind != '[' {
			return nil, s.errorf(n.at, `%s is %s; expected a list such as ["APE"]`, key, n.is())
		}
		ok := regexp.MustCompile(currencyPattern)
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

func anyString(l *layer, n node) error {
	if n.kind != '"' {
		return l.errorf(n.at, "$schema is %s; expected a string", n.is())
	}
	return nil
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

// Schema returns the JSON Schema of a policy file. It is made from the rules
// that the parser follows; what JSON Schema can't say is in the descriptions:
// amounts are read from the literal, without exponent and with at most 18
// places, and no key may appear twice.
func Schema() map[string]any {
	s := objectSchema(policyRules())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "ape-claw policy"
	return s
}

func objectSchema(r rule) map[string]any {
	properties := map[string]any{}
	for _, f := range r.fields {
		sub := map[string]any{}
		if f.fields != nil {
			sub = objectSchema(f)
		}
		for k, v := range f.schema {
			sub[k] = v
		}
		sub["description"] = f.about
		properties[f.key] = sub
	}
	return map[string]any{"type": "object", "description": fmt.Sprint(r.about), "properties": properties, "additionalProperties": false}
}
