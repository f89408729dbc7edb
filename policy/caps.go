package policy

import (
	"regexp"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
)

// FeeCap is the most of a price that may go to others than the seller.
type FeeCap struct {
	Unlimited bool
	Max       units.BPS // not read when Unlimited
}

// Allows reports whether fees are within the cap's share of price, exactly.
func (c FeeCap) Allows(fees, price units.Wei) bool {
	if c.Unlimited {
		return true
	}
	whole, err := fees.Mul(uint64(units.WholeBPS))
	if err != nil {
		return false
	}
	most, err := price.Mul(uint64(c.Max))
	return err != nil || whole.Cmp(most) <= 0 // a bound beyond 256 bits is above anything within
}

// Min returns the stricter of two caps.
func (c FeeCap) Min(o FeeCap) FeeCap {
	if c.Unlimited || !o.Unlimited && o.Max < c.Max {
		return o
	}
	return c
}

// String is the cap for people: "unlimited", or a percentage.
func (c FeeCap) String() string {
	if c.Unlimited {
		return unlimited
	}
	return c.Max.String()
}

func (c FeeCap) json() any {
	if c.Unlimited {
		return unlimited
	}
	return uint32(c.Max)
}

// Caps bound what is bought of one collection, or paid in one currency.
type Caps struct {
	MaxPricePerTx Cap
	Daily         Cap  // rolling 24 h, over every account and subject of the home
	AgentDaily    *Cap // the same for the acting agent's own rows; nil when its overlay sets none
}

// lift reports whether the caps bound nothing.
func (c Caps) lift() bool {
	return c.MaxPricePerTx.Unlimited && c.Daily.Unlimited && c.AgentDaily == nil
}

// noCaps bound nothing.
func noCaps() Caps { return Caps{MaxPricePerTx: Cap{Unlimited: true}, Daily: Cap{Unlimited: true}} }

// CurrencyCaps bound what is paid in one token, in its base units.
type CurrencyCaps struct {
	Caps
	Symbol   string // "" when only its address is known
	Decimals int
}

// name is what the policy file calls the token at contract.
func (c CurrencyCaps) name(contract string) string {
	if c.Symbol != "" {
		return c.Symbol
	}
	return contract
}

// capsFields are the caps that one collection or one currency may have.
func capsFields(more ...rule[capsLayer]) []rule[capsLayer] {
	return append([]rule[capsLayer]{
		field("maxPricePerTx", "most that one purchase may cost", literalKind, func(c *capsLayer) **at[literal] { return &c.maxPrice }),
		field("dailySpendCap", "most that may be spent in a rolling 24 h", literalKind, func(c *capsLayer) **at[literal] { return &c.daily }),
	}, more...)
}

func collectionCapsKind() kind[[]named[capsLayer]] {
	return namedKind("a collection's slug or contract address", `^([a-z0-9][a-z0-9_-]{0,127}|0x[0-9a-fA-F]{40})$`, capsFields()...)
}

func currencyCapsKind() kind[[]named[capsLayer]] {
	return namedKind("a symbol or a contract address", currencyPattern,
		capsFields(field("decimals", "places of the token; needed where only its address is given", decimalsKind, func(c *capsLayer) **at[int] { return &c.decimals }))...)
}

var decimalsKind = kind[int]{
	schema: map[string]any{"type": "integer", "minimum": 0, "maximum": maxDecimals},
	read: func(s source, key string, n node) (int, error) {
		v, err := integer(n, maxDecimals)
		if err != nil {
			return 0, s.errorf(n.at, "%s is %s; expected a whole number from 0 to %d", key, n.is(), maxDecimals)
		}
		return int(v), nil
	},
}

// namedKind is an object whose keys the file chooses, each with the same fields.
func namedKind(about, pattern string, fields ...rule[capsLayer]) kind[[]named[capsLayer]] {
	ok := regexp.MustCompile(pattern)
	entry := object("", about, fields...)
	return kind[[]named[capsLayer]]{
		schema: map[string]any{
			"type": "object", "propertyNames": map[string]any{"pattern": pattern},
			"additionalProperties": objectSchema(entry),
		},
		read: func(s source, key string, n node) ([]named[capsLayer], error) {
			if n.kind != '{' {
				return nil, s.errorf(n.at, "%s is %s; expected an object", key, n.is())
			}
			out := []named[capsLayer]{}
			for _, m := range n.members {
				if !ok.MatchString(m.key) {
					return nil, s.errorf(m.at, "%s has the key %q; expected %s", key, printable(m.key), about)
				}
				name := m.key
				if isAddress(name) {
					name = strings.ToLower(name)
				}
				for _, o := range out {
					if o.key == name {
						return nil, s.errorf(m.at, "%s has %q twice", key, name)
					}
				}
				e := named[capsLayer]{key: name, pos: m.at}
				shape := entry
				shape.key = name
				if mistakes := readObject(s, &e.v, shape, m.value, name); len(mistakes) > 0 {
					return nil, mistakes[0]
				}
				out = append(out, e)
			}
			return out, nil
		},
	}
}

var addressesKind = kind[[]string]{
	schema: map[string]any{"type": "array", "uniqueItems": true, "items": map[string]any{"type": "string", "pattern": `^0x[0-9a-fA-F]{40}$`}},
	read: func(s source, key string, n node) ([]string, error) {
		if n.kind != '[' {
			return nil, s.errorf(n.at, `%s is %s; expected a list of contract addresses`, key, n.is())
		}
		out := []string{}
		for _, item := range n.items {
			if item.kind != '"' || !isAddress(item.text) {
				return nil, s.errorf(item.at, "%s has %s; expected 0x and 40 hexadecimal digits", key, item.is())
			}
			a := strings.ToLower(item.text)
			for _, o := range out {
				if o == a {
					return nil, s.errorf(item.at, "%s has %q twice", key, a)
				}
			}
			out = append(out, a)
		}
		return out, nil
	},
}
