package policy

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/ape-claw/ape-claw/chain/units"
)

// layer is one policy file: what it says, and nothing for what it leaves out.
type layer struct {
	source
	chainID                                                 *at[int64]
	rpcURL, nativeToken                                     *at[string]
	provider, defaultTo, defaultToken, dataSource, allowed  *at[string]
	maxBridgeFee                                            *at[units.BPS]
	maxMarketFee                                            *at[FeeCap]
	maxPrice, dailyCap                                      *at[Cap]
	currencies, contracts, v2Contracts                      *at[[]string]
	minAmountOut, denyApprovals, simulate, phrase, autonomy *at[bool]
	autoReceipts                                            *at[bool]
	collectionCaps                                          *at[[]named[capsLayer]]
	currencyCaps                                            *at[[]named[capsLayer]]
	spendCaps                                               *at[[]named[capsLayer]] // by Asset.String
	windows                                                 *at[[][]TimeWindow]
}

// capsLayer is what a file says of one collection or of one currency.
type capsLayer struct {
	decimals        *at[int] // of a currency
	maxPrice, daily *at[literal]
}

// at is a value and where it was written.
type at[T any] struct {
	v   T
	pos int
}

// named is a value under a key that the file chooses.
type named[T any] struct {
	key string
	pos int // of the key
	v   T
}

// rule is one key of an object that is read into an L. The parser and the
// published schema are both made from it, so that they can't disagree on a name
// or a type.
type rule[L any] struct {
	key, about string
	schema     map[string]any
	fields     []rule[L] // of an object
	read       func(s source, into *L, n node) error
}

// kind is how values of one sort are read and described.
type kind[T any] struct {
	schema map[string]any
	read   func(s source, key string, n node) (T, error)
}

func field[L, T any](key, about string, k kind[T], into func(*L) **at[T]) rule[L] {
	return rule[L]{key: key, about: about, schema: k.schema, read: func(s source, l *L, n node) error {
		v, err := k.read(s, key, n)
		if err == nil {
			*into(l) = &at[T]{v, n.at}
		}
		return err
	}}
}

func object[L any](key, about string, fields ...rule[L]) rule[L] {
	return rule[L]{key: key, about: about, fields: fields}
}

// policyRules is the shape of a policy file.
var policyRules = sync.OnceValue(func() rule[layer] {
	text := func(about string, ok *regexp.Regexp) kind[string] { return textKind(about, ok) }
	word := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	return object("", "what ape-claw may spend, on what, and how",
		rule[layer]{key: "$schema", about: "for editors", schema: map[string]any{"type": "string"}, read: anyString},
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
			field("maxMarketplaceFeeBps", "most of the price that may go to others than the seller, royalties included, in hundredths of a percent; absent: all that fits the price",
				feeCapKind, func(l *layer) **at[FeeCap] { return &l.maxMarketFee }),
			field("collectionCaps", "tighter caps of single collections, in APE, by contract address or slug of the allowlist; a cap left out is the one of all",
				collectionCapsKind(), func(l *layer) **at[[]named[capsLayer]] { return &l.collectionCaps }),
			field("denyUnlimitedApprovals", "approvals are exact", flagKind, func(l *layer) **at[bool] { return &l.denyApprovals }),
			field("simulationRequired", "a purchase needs a passed simulation", flagKind, func(l *layer) **at[bool] { return &l.simulate }),
		),
		object("execution", "everything that spends",
			field("dailySpendCap", "most that may be spent in a rolling 24 h, fees included, in APE", capKind, func(l *layer) **at[Cap] { return &l.dailyCap }),
			field("currencyCaps", "caps of other currencies than APE, each in its own units, by symbol or contract address; one that is not here can't be spent",
				currencyCapsKind(), func(l *layer) **at[[]named[capsLayer]] { return &l.currencyCaps }),
			field("dailySpendCaps", "most that may leave another chain in a rolling 24 h, gas of that chain included, by <chain id>:native or <chain id>:<contract address>; one that is not here can't be spent",
				spendCapKind(), func(l *layer) **at[[]named[capsLayer]] { return &l.spendCaps }),
			field("contractAllowlist", "contracts that a transaction may call, of those that ape-claw knows; absent: all of those",
				addressesKind, func(l *layer) **at[[]string] { return &l.contracts }),
			field("windows", "times at which something may be spent: now has to be in one of them, or, in a list of lists, in one of each; absent: always",
				windowsKind(), func(l *layer) **at[[][]TimeWindow] { return &l.windows }),
			field("confirmPhraseRequired", "a purchase needs its confirm phrase", flagKind, func(l *layer) **at[bool] { return &l.phrase }),
			field("autonomousMode", "--autonomous may stand in for the phrase", flagKind, func(l *layer) **at[bool] { return &l.autonomy }),
		),
		object("v2", "skills, intents, receipts, the vault and the agent account on chain",
			field("contractAllowlist", "contracts that may be called although their code is not that of ape-claw's own contracts; absent: none",
				addressesKind, func(l *layer) **at[[]string] { return &l.v2Contracts }),
		),
		object("receipts", "receipts on chain",
			field("auto", "a confirmed purchase records its receipt, which costs gas; absent: false", flagKind, func(l *layer) **at[bool] { return &l.autoReceipts }),
		),
	)
})

// parseLayer reads one policy file. The error is the first mistake in it.
func parseLayer(s source) (*layer, error) {
	l, mistakes := parseAll(s)
	if len(mistakes) > 0 {
		return nil, mistakes[0]
	}
	return l, nil
}

// parseAll reads one policy file and returns every mistake in it.
func parseAll(s source) (*layer, []error) {
	n, err := s.parse()
	if err != nil {
		return nil, []error{err}
	}
	l := &layer{source: s}
	return l, readObject(s, l, policyRules(), n, "the policy")
}

// readObject reads the keys of an object in the order of the file, and goes on
// after a mistake, to find all of them.
func readObject[L any](s source, into *L, r rule[L], n node, name string) []error {
	if n.kind != '{' {
		return []error{s.errorf(n.at, "%s is %s; expected an object", name, n.is())}
	}
	where := ""
	if r.key != "" {
		where = " in " + r.key
	}
	var mistakes []error
	for _, m := range n.members {
		i := slices.IndexFunc(r.fields, func(f rule[L]) bool { return f.key == m.key })
		if i < 0 {
			mistakes = append(mistakes, s.unknownKey(m, where, keys(r.fields)))
			continue
		}
		f := r.fields[i]
		if f.fields != nil {
			mistakes = append(mistakes, readObject(s, into, f, m.value, f.key)...)
		} else if err := f.read(s, into, m.value); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return mistakes
}

func keys[L any](rs []rule[L]) []string {
	out := make([]string, len(rs))
	for i, r := range rs {
		out[i] = r.key
	}
	return out
}

func anyString(s source, _ *layer, n node) error {
	if n.kind != '"' {
		return s.errorf(n.at, "$schema is %s; expected a string", n.is())
	}
	return nil
}

// SchemaID is the name under which the schema of the policy file is published.
const SchemaID = "https://github.com/ape-claw/ape-claw/blob/main/docs/policy.schema.json"

// Schema returns the JSON Schema of a policy file. It is made from the rules
// that the parser follows; what JSON Schema can't say is in the descriptions:
// amounts are read from the literal, without exponent and with at most as many
// places as the token has, no key may appear twice, two spellings of one address
// are one, and what names a collection or a time zone has to be known.
func Schema() map[string]any {
	s := objectSchema(policyRules())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = SchemaID
	s["title"] = "ape-claw policy"
	return s
}

func objectSchema[L any](r rule[L]) map[string]any {
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
