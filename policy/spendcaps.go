package policy

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
)

// SpendCap bounds what leaves another chain than the policy's own in 24 hours: its
// currency, which pays gas too, or one of its tokens.
type SpendCap struct {
	Daily      Cap  // over every account and subject of the home
	AgentDaily *Cap // the same for the acting agent's own rows; nil when its overlay sets none
	Decimals   int
}

// spendPattern is a chain id, and the chain's own currency or a token's contract.
const spendPattern = `^[1-9][0-9]{0,15}:(native|0x[0-9a-fA-F]{40})$`

// spendCapKind is an object of such keys. A value is an amount, or an object that
// says the token's places too: they are never taken from a node or a bridge, for
// what they say would move the cap.
func spendCapKind() kind[[]named[capsLayer]] {
	ok := regexp.MustCompile(spendPattern)
	entry := object("", "an amount of a token, and how many places the token has",
		field("amount", "most that may be spent in a rolling 24 h", literalKind, func(c *capsLayer) **at[literal] { return &c.daily }),
		field("decimals", "places of the token", decimalsKind, func(c *capsLayer) **at[int] { return &c.decimals }))
	long := objectSchema(entry)
	long["required"] = []any{"amount", "decimals"}
	return kind[[]named[capsLayer]]{
		schema: map[string]any{
			"type": "object", "propertyNames": map[string]any{"pattern": spendPattern},
			"additionalProperties": map[string]any{"anyOf": []any{literalKind.schema, long}},
		},
		read: func(s source, key string, n node) ([]named[capsLayer], error) {
			if n.kind != '{' {
				return nil, s.errorf(n.at, "%s is %s; expected an object", key, n.is())
			}
			out := []named[capsLayer]{}
			for _, m := range n.members {
				if !ok.MatchString(m.key) {
					return nil, s.errorf(m.at, "%s has the key %q; expected <chain id>:native, or <chain id>:<contract address>", key, printable(m.key))
				}
				e := named[capsLayer]{key: strings.ToLower(m.key), pos: m.at}
				if id, _, _ := strings.Cut(e.key, ":"); !validChainID(id) {
					return nil, s.errorf(m.at, "%s has the key %q; expected a chain id up to %d", key, e.key, int64(maxChainID))
				}
				for _, o := range out {
					if o.key == e.key {
						return nil, s.errorf(m.at, "%s has %q twice", key, e.key)
					}
				}
				if m.value.kind == '{' {
					shape := entry
					shape.key = e.key
					if mistakes := readObject(s, &e.v, shape, m.value, e.key); len(mistakes) > 0 {
						return nil, mistakes[0]
					}
					if e.v.daily == nil || e.v.decimals == nil {
						return nil, s.errorf(m.value.at, `%s: expected both "amount" and "decimals"`, e.key)
					}
				} else {
					v, err := literalKind.read(s, e.key, m.value)
					if err != nil {
						return nil, err
					}
					e.v.daily = &at[literal]{v, m.value.at}
				}
				out = append(out, e)
			}
			return out, nil
		},
	}
}

func validChainID(s string) bool {
	id, err := strconv.ParseInt(s, 10, 64)
	return err == nil && id > 0 && id <= maxChainID
}

// spendAsset is the asset of a key that spendPattern let through.
func spendAsset(key string) Asset {
	id, token, _ := strings.Cut(key, ":")
	n, _ := strconv.ParseInt(id, 10, 64) // validChainID has read it
	return Asset{ChainID: n, Token: token}
}

// String is the asset as execution.dailySpendCaps names it.
func (a Asset) String() string { return fmt.Sprintf("%d:%s", a.ChainID, a.Token) }

// knownNatives are the currencies of chains that funds come from, and of the
// sandbox's second one. Their symbol is for people; the cap counts the chain's.
var knownNatives = map[int64]string{1: "ETH", 10: "ETH", 137: "POL", 8453: "ETH", 42161: "ETH", 33139: "APE", 7733001: "ETH"}

// Label is an asset of another chain for people, after an amount of it.
func (a Asset) Label() string {
	if a.Token != Native {
		return fmt.Sprintf("of %s on chain %d", a.Token, a.ChainID)
	}
	if s, ok := knownNatives[a.ChainID]; ok {
		return fmt.Sprintf("%s on chain %d", s, a.ChainID)
	}
	return fmt.Sprintf("of the currency of chain %d", a.ChainID)
}

func spendKey(a Asset) string { return spendCapsKey + "." + a.String() }

// mergeSpendCaps adds what a file says of other chains' currencies.
func (p *Policy) mergeSpendCaps(l *layer, base, agent bool) error {
	if l.spendCaps == nil {
		return nil
	}
	for _, e := range l.spendCaps.v {
		a := spendAsset(e.key)
		switch {
		case a == NativeOf(p.ChainID):
			return l.errorf(e.pos, "%s is bounded by %s, not here", e.key, dailyKey)
		case a.ChainID == p.ChainID:
			return l.errorf(e.pos, "%s is bounded by execution.currencyCaps, not here", e.key)
		case a.Token == Native && e.v.decimals != nil && e.v.decimals.v != units.APEDecimals:
			return l.errorf(e.v.decimals.pos, "%s has %d places, not %d", e.key, units.APEDecimals, e.v.decimals.v)
		case a.Token != Native && e.v.decimals == nil:
			return l.errorf(e.pos, `%s is a token, and needs its decimals to read amounts of it: {"amount": "100", "decimals": 6}`, e.key)
		}
		places := units.APEDecimals
		if a.Token != Native {
			places = e.v.decimals.v
		}
		have, ok := p.Execution.SpendCaps[a]
		switch {
		case base:
			have = SpendCap{Daily: Cap{Unlimited: true}, Decimals: places}
		case !ok: // nothing can be spent of it, and a narrowing file adds nothing
			continue
		case have.Decimals != places:
			return l.errorf(e.pos, "%s has %d places here and %d in the base policy", e.key, places, have.Decimals)
		}
		c, err := e.v.daily.v.amount(l.source, e.key, e.v.daily.pos, places)
		if err != nil {
			return err
		}
		key := spendKey(a)
		switch {
		case agent:
			have.AgentDaily = &c
			p.setBy[agentKey(key)] = []string{l.file}
		case base:
			have.Daily = c
			p.setBy[key] = []string{l.file}
		default:
			tighten(p, l, key, &have.Daily, &at[Cap]{c, e.v.daily.pos}, Cap.Min)
		}
		p.Execution.SpendCaps[a] = have
	}
	return nil
}

// awayLimits are the daily caps of what leaves another chain: of its currency,
// which pays for gas, and of the asset itself. What has none is not among them,
// and can't be reserved.
func (p *Policy) awayLimits(s Scope) []Limit {
	assets := []Asset{NativeOf(s.Asset.ChainID)}
	if s.Asset != assets[0] {
		assets = append(assets, s.Asset)
	}
	var out []Limit
	for _, a := range assets {
		c, ok := p.Execution.SpendCaps[a]
		if !ok {
			continue
		}
		key := spendKey(a)
		l := Limit{Name: key, Setting: p.Setting(key), Asset: a, Symbol: a.Label(), Decimals: c.Decimals, Cap: c.Daily}
		out = append(out, l)
		if c.AgentDaily != nil {
			l.Name, l.Setting, l.Subject, l.Cap = "the agent's "+key, p.Setting(agentKey(key)), s.Subject, *c.AgentDaily
			out = append(out, l)
		}
	}
	return out
}

// spendCapsJSON is the caps as a policy file writes them.
func (p *Policy) spendCapsJSON() jsonObject {
	out := jsonObject{}
	for a, c := range p.Execution.SpendCaps {
		amount := tightest(c.Daily, c.AgentDaily).json(c.Decimals)
		if a.Token == Native {
			out[a.String()] = amount
		} else {
			out[a.String()] = jsonObject{"amount": amount, "decimals": c.Decimals}
		}
	}
	return out
}

// SpendCapAssets are the assets of other chains that have a cap, in order.
func (p *Policy) SpendCapAssets() []Asset {
	return slices.SortedFunc(maps.Keys(p.Execution.SpendCaps), func(a, b Asset) int {
		return cmp.Or(cmp.Compare(a.ChainID, b.ChainID), strings.Compare(b.Token, a.Token)) // the chain's own first
	})
}
