package policy

import (
	"slices"

	"github.com/ape-claw/ape-claw/chain/units"
)

// newPolicy returns the policy of a base file. A limit that it leaves out is the
// strictest there is, but for those that only tighten another; a name or address
// is the default's.
func newPolicy(defaults, base *layer, names slugs) (*Policy, error) {
	p := &Policy{
		ChainID:     first(base.chainID, defaults.chainID),
		RPCURL:      Endpoint(first(base.rpcURL, defaults.rpcURL)),
		NativeToken: first(base.nativeToken, defaults.nativeToken),
		Bridge: BridgeRules{
			Provider:            first(base.provider, defaults.provider),
			MaxFee:              or(base.maxBridgeFee, units.BPS(0)),
			RequireMinAmountOut: or(base.minAmountOut, true),
			DefaultTo:           first(base.defaultTo, defaults.defaultTo),
			DefaultToken:        first(base.defaultToken, defaults.defaultToken),
		},
		Market: MarketRules{
			DataSource:    first(base.dataSource, defaults.dataSource),
			AllowlistMode: first(base.allowed, defaults.allowed),
		},
		NFTBuy: NFTBuyRules{
			MaxPricePerTx:          or(base.maxPrice, Cap{}),
			Currencies:             slices.Clone(or(base.currencies, nil)),
			MaxMarketplaceFee:      or(base.maxMarketFee, FeeCap{Unlimited: true}),
			CollectionCaps:         map[string]Caps{},
			DenyUnlimitedApprovals: or(base.denyApprovals, true),
			SimulationRequired:     or(base.simulate, true),
		},
		Execution: ExecutionRules{
			DailySpendCap:         or(base.dailyCap, Cap{}),
			CurrencyCaps:          map[string]CurrencyCaps{},
			SpendCaps:             map[Asset]SpendCap{},
			Contracts:             slices.Clone(or(base.contracts, nil)),
			Windows:               slices.Clone(or(base.windows, nil)),
			ConfirmPhraseRequired: or(base.phrase, true),
			AutonomousMode:        or(base.autonomy, false),
		},
		V2:       V2Rules{Contracts: slices.Clone(or(base.v2Contracts, nil))},
		Receipts: ReceiptRules{Auto: or(base.autoReceipts, false)},
		Files:    []string{base.file},
		setBy:    map[string][]string{},
	}
	for key, set := range base.sets() {
		if set {
			p.setBy[key] = []string{base.file}
		}
	}
	return p, p.mergeCaps(base, names, true, false)
}

// sets says which of the keys whose origin is remembered the file sets.
func (l *layer) sets() map[string]bool {
	return map[string]bool{
		"bridge.maxBridgeFeeBps": l.maxBridgeFee != nil, "bridge.requireMinAmountOut": l.minAmountOut != nil,
		priceKey: l.maxPrice != nil, currencyList: l.currencies != nil, feeKey: l.maxMarketFee != nil,
		"nftBuy.denyUnlimitedApprovals": l.denyApprovals != nil, simulateKey: l.simulate != nil,
		dailyKey: l.dailyCap != nil, contractList: l.contracts != nil, windowsKey: l.windows != nil,
		phraseKey: l.phrase != nil, autonomyKey: l.autonomy != nil,
		v2List: l.v2Contracts != nil, receiptsKey: l.autoReceipts != nil,
	}
}

func or[T any](v *at[T], otherwise T) T {
	if v == nil {
		return otherwise
	}
	return v.v
}

func first[T any](v, otherwise *at[T]) T { return or(v, otherwise.v) }

// narrow applies a file that may only take away. What is no limit may be
// repeated there but not changed, except in a sandbox, which has its own.
// An agent's daily cap becomes a cap of its own rows.
func (p *Policy) narrow(l *layer, names slugs, agent, sandbox bool) error {
	if !sandbox {
		if err := p.sameNames(l); err != nil {
			return err
		}
	}
	tighten(p, l, "bridge.maxBridgeFeeBps", &p.Bridge.MaxFee, l.maxBridgeFee, func(a, b units.BPS) units.BPS { return min(a, b) })
	tighten(p, l, "bridge.requireMinAmountOut", &p.Bridge.RequireMinAmountOut, l.minAmountOut, either)
	tighten(p, l, priceKey, &p.NFTBuy.MaxPricePerTx, l.maxPrice, Cap.Min)
	tighten(p, l, feeKey, &p.NFTBuy.MaxMarketplaceFee, l.maxMarketFee, FeeCap.Min)
	tighten(p, l, "nftBuy.denyUnlimitedApprovals", &p.NFTBuy.DenyUnlimitedApprovals, l.denyApprovals, either)
	tighten(p, l, simulateKey, &p.NFTBuy.SimulationRequired, l.simulate, either)
	tighten(p, l, phraseKey, &p.Execution.ConfirmPhraseRequired, l.phrase, either)
	tighten(p, l, autonomyKey, &p.Execution.AutonomousMode, l.autonomy, both)
	tighten(p, l, receiptsKey, &p.Receipts.Auto, l.autoReceipts, both)
	if agent && l.dailyCap != nil {
		p.Execution.AgentCap = &l.dailyCap.v
		p.setBy[agentKey(dailyKey)] = []string{l.file}
	} else {
		tighten(p, l, dailyKey, &p.Execution.DailySpendCap, l.dailyCap, Cap.Min)
	}
	p.intersect(l, currencyList, &p.NFTBuy.Currencies, l.currencies)
	p.intersect(l, v2List, &p.V2.Contracts, l.v2Contracts)
	if p.Execution.Contracts == nil && l.contracts != nil {
		p.Execution.Contracts, p.setBy[contractList] = slices.Clone(l.contracts.v), []string{l.file}
	} else {
		p.intersect(l, contractList, &p.Execution.Contracts, l.contracts)
	}
	if l.windows != nil {
		for _, list := range l.windows.v {
			same := func(o []TimeWindow) bool { return windowsText([][]TimeWindow{o}) == windowsText([][]TimeWindow{list}) }
			if !slices.ContainsFunc(p.Execution.Windows, same) {
				p.Execution.Windows = append(p.Execution.Windows, list)
				p.addSetter(windowsKey, l.file)
			}
		}
	}
	return p.mergeCaps(l, names, false, agent)
}

func either(a, b bool) bool { return a || b }
func both(a, b bool) bool   { return a && b }

// tighten holds a limit against what a file says of it, and remembers the file
// if that is stricter.
func tighten[T comparable](p *Policy, l *layer, key string, have *T, said *at[T], stricter func(T, T) T) {
	if said == nil {
		return
	}
	if now := stricter(*have, said.v); now != *have {
		*have, p.setBy[key] = now, []string{l.file}
	}
}

// intersect leaves of a list what a file lists too.
func (p *Policy) intersect(l *layer, key string, have *[]string, said *at[[]string]) {
	if said == nil {
		return
	}
	before := len(*have)
	*have = slices.DeleteFunc(*have, func(v string) bool { return !slices.Contains(said.v, v) })
	if len(*have) != before {
		p.addSetter(key, l.file)
	}
}

func (p *Policy) addSetter(key, file string) {
	if !slices.Contains(p.setBy[key], file) {
		p.setBy[key] = append(p.setBy[key], file)
	}
}

// sameNames refuses a narrowing file that speaks of another chain, endpoint or
// service than the base: following it would be no narrowing, and leaving it out
// would be ignoring what a person wrote.
func (p *Policy) sameNames(l *layer) error {
	if l.chainID != nil && l.chainID.v != p.ChainID {
		return l.changes("apechainChainId", l.chainID.pos)
	}
	for _, n := range []struct {
		key  string
		have *at[string]
		want string
	}{
		{"apechainRpcUrl", l.rpcURL, string(p.RPCURL)},
		{"nativeGasToken", l.nativeToken, p.NativeToken},
		{"bridge.provider", l.provider, p.Bridge.Provider},
		{"bridge.defaultTo", l.defaultTo, p.Bridge.DefaultTo},
		{"bridge.defaultToken", l.defaultToken, p.Bridge.DefaultToken},
		{"market.dataSource", l.dataSource, p.Market.DataSource},
		{"market.collectionAllowlistMode", l.allowed, p.Market.AllowlistMode},
	} {
		if n.have != nil && n.have.v != n.want {
			return l.changes(n.key, n.have.pos)
		}
	}
	return nil
}

func (l *layer) changes(key string, pos int) error {
	return l.errorf(pos, "%s differs from the base policy: this file can only narrow limits; leave it out, or set it in the home's policy.json", key)
}
