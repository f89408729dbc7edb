package policy

import (
	"slices"

	"github.com/ape-claw/ape-claw/chain/units"
)

// newPolicy returns the policy of a base file. A limit that it leaves out is the
// strictest there is; a name or address is the default's.
func newPolicy(defaults, base *layer) *Policy {
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
			DenyUnlimitedApprovals: or(base.denyApprovals, true),
			SimulationRequired:     or(base.simulate, true),
		},
		Execution: ExecutionRules{
			DailySpendCap:         or(base.dailyCap, Cap{}),
			ConfirmPhraseRequired: or(base.phrase, true),
			AutonomousMode:        or(base.autonomy, false),
		},
	}
	return p
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
func (p *Policy) narrow(l *layer, agent, sandbox bool) error {
	if !sandbox {
		if err := p.sameNames(l); err != nil {
			return err
		}
	}
	p.Bridge.MaxFee = min(p.Bridge.MaxFee, or(l.maxBridgeFee, p.Bridge.MaxFee))
	p.Bridge.RequireMinAmountOut = p.Bridge.RequireMinAmountOut || or(l.minAmountOut, false)
	p.NFTBuy.MaxPricePerTx = p.NFTBuy.MaxPricePerTx.Min(or(l.maxPrice, p.NFTBuy.MaxPricePerTx))
	p.NFTBuy.DenyUnlimitedApprovals = p.NFTBuy.DenyUnlimitedApprovals || or(l.denyApprovals, false)
	p.NFTBuy.SimulationRequired = p.NFTBuy.SimulationRequired || or(l.simulate, false)
	p.Execution.ConfirmPhraseRequired = p.Execution.ConfirmPhraseRequired || or(l.phrase, false)
	p.Execution.AutonomousMode = p.Execution.AutonomousMode && or(l.autonomy, true)
	if l.currencies != nil {
		p.NFTBuy.Currencies = slices.DeleteFunc(p.NFTBuy.Currencies, func(c string) bool { return !slices.Contains(l.currencies.v, c) })
	}
	switch {
	case l.dailyCap == nil:
	case agent:
		p.Execution.AgentCap = &l.dailyCap.v
	default:
		p.Execution.DailySpendCap = p.Execution.DailySpendCap.Min(l.dailyCap.v)
	}
	return nil
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
