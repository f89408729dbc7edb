package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/ape-claw/ape-claw/chain/units"
)

// Hash identifies the effective policy: equal rules, equal hash.
func (p *Policy) Hash() string {
	// The document shows the smaller of everybody's daily caps and the agent's.
	type pair struct {
		All   any
		Agent *Cap
	}
	daily := map[string]pair{"": {p.Execution.DailySpendCap.json(units.APEDecimals), p.Execution.AgentCap}}
	for contract, c := range p.NFTBuy.CollectionCaps {
		daily[collectionKey(contract, "")] = pair{c.Daily.json(units.APEDecimals), c.AgentDaily}
	}
	for contract, c := range p.Execution.CurrencyCaps {
		daily[currencyKey(contract, "")] = pair{c.Daily.json(c.Decimals), c.AgentDaily}
	}
	for a, c := range p.Execution.SpendCaps {
		daily[spendKey(a)] = pair{c.Daily.json(c.Decimals), c.AgentDaily}
	}
	// A document of strings, numbers, booleans, lists and maps always marshals.
	b, err := json.Marshal([]any{p.document(string(p.RPCURL)), daily})
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// MarshalJSON writes the effective policy in the shape of a policy file: amounts
// exact, the RPC URL without what may be a credential, each daily cap the smaller
// of everybody's and the agent's own, collections and tokens by contract. A list
// that is not set is left out.
func (p *Policy) MarshalJSON() ([]byte, error) { return json.Marshal(p.document(p.RPCURL.String())) }

// jsonObject is a JSON object; its keys are written in alphabetical order.
type jsonObject = map[string]any

func (p *Policy) document(rpc string) any {
	currencies := p.NFTBuy.Currencies
	if currencies == nil {
		currencies = []string{}
	}
	others := p.V2.Contracts
	if others == nil {
		others = []string{}
	}
	collections := jsonObject{}
	for contract, c := range p.NFTBuy.CollectionCaps {
		collections[contract] = c.json(units.APEDecimals)
	}
	tokens := jsonObject{}
	for contract, c := range p.Execution.CurrencyCaps {
		caps := c.json(c.Decimals)
		caps["decimals"] = c.Decimals
		tokens[contract] = caps
	}
	execution := jsonObject{
		"dailySpendCap":         tightest(p.Execution.DailySpendCap, p.Execution.AgentCap).json(units.APEDecimals),
		"currencyCaps":          tokens,
		"dailySpendCaps":        p.spendCapsJSON(),
		"confirmPhraseRequired": p.Execution.ConfirmPhraseRequired, "autonomousMode": p.Execution.AutonomousMode,
	}
	if p.Execution.Contracts != nil {
		execution["contractAllowlist"] = p.Execution.Contracts
	}
	if p.Execution.Windows != nil {
		execution["windows"] = windowsJSON(p.Execution.Windows)
	}
	return jsonObject{
		"apechainChainId": p.ChainID,
		"apechainRpcUrl":  rpc,
		"nativeGasToken":  p.NativeToken,
		"bridge": jsonObject{
			"provider": p.Bridge.Provider, "maxBridgeFeeBps": uint32(p.Bridge.MaxFee), "requireMinAmountOut": p.Bridge.RequireMinAmountOut,
			"defaultTo": p.Bridge.DefaultTo, "defaultToken": p.Bridge.DefaultToken,
		},
		"market": jsonObject{"dataSource": p.Market.DataSource, "collectionAllowlistMode": p.Market.AllowlistMode},
		"nftBuy": jsonObject{
			"maxPricePerTx": p.NFTBuy.MaxPricePerTx.json(units.APEDecimals), "currencyAllowlist": currencies,
			"maxMarketplaceFeeBps": p.NFTBuy.MaxMarketplaceFee.json(), "collectionCaps": collections,
			"denyUnlimitedApprovals": p.NFTBuy.DenyUnlimitedApprovals, "simulationRequired": p.NFTBuy.SimulationRequired,
		},
		"execution": execution,
		"v2":        jsonObject{"contractAllowlist": others},
		"receipts":  jsonObject{"auto": p.Receipts.Auto},
	}
}

func (c Caps) json(decimals int) jsonObject {
	return jsonObject{"maxPricePerTx": c.MaxPricePerTx.json(decimals), "dailySpendCap": tightest(c.Daily, c.AgentDaily).json(decimals)}
}

// tightest is the smaller of everybody's cap and the agent's own, if it has one.
func tightest(all Cap, agents *Cap) Cap {
	if agents == nil {
		return all
	}
	return all.Min(*agents)
}

// windowsJSON is one list of windows as a list of them, and several as a list of
// lists.
func windowsJSON(lists [][]TimeWindow) any {
	all := make([][]any, len(lists))
	for i, list := range lists {
		all[i] = make([]any, len(list))
		for j, w := range list {
			all[i][j] = w.json()
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}
