// Package policy stands between the agent and the money: the policy and
// allowlist files, the gates, the confirm phrase, the spend ledger and the halt
// file. Nothing here asks a model or a network, and every doubt is a refusal.
package policy

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/url"

	"github.com/ape-claw/ape-claw/chain/units"
)

//go:embed default.json
var defaultPolicy []byte

//go:embed sandbox.json
var sandboxPolicy []byte

// Policy is the effective policy: the base file narrowed by all others. Amounts
// in APE are base units of 18 places.
type Policy struct {
	ChainID     int64
	RPCURL      Endpoint
	NativeToken string
	Bridge      BridgeRules
	Market      MarketRules
	NFTBuy      NFTBuyRules
	Execution   ExecutionRules

	Files    []string // what it was read from, outermost first, as people may see it
	Warnings []string // what doctor should say about those files
}

// BridgeRules bound what a bridge may cost and name its defaults.
type BridgeRules struct {
	Provider            string
	MaxFee              units.BPS
	RequireMinAmountOut bool
	DefaultTo           string
	DefaultToken        string
}

// MarketRules say where listings come from and which collections may be bought.
type MarketRules struct {
	DataSource    string // "opensea" or "file"
	AllowlistMode string // "recommended-only": what is on the allowlist and nothing else
}

// NFTBuyRules bound one purchase.
type NFTBuyRules struct {
	MaxPricePerTx          Cap // in APE
	Currencies             []string
	DenyUnlimitedApprovals bool
	SimulationRequired     bool
}

// ExecutionRules bound everything that spends.
type ExecutionRules struct {
	DailySpendCap         Cap  // in APE, rolling 24 h, over every account and subject of the home
	AgentCap              *Cap // the same for the acting agent's own rows; nil when its overlay sets none
	ConfirmPhraseRequired bool
	AutonomousMode        bool
}

// Limits returns the daily caps that a spend within the scope must fit. Those of
// the native asset are among them whatever it pays with: it pays gas.
func (p *Policy) Limits(s Scope) []Limit {
	native := NativeOf(p.ChainID)
	out := []Limit{{Name: "execution.dailySpendCap", Asset: native, Symbol: p.NativeToken, Decimals: units.APEDecimals, Cap: p.Execution.DailySpendCap}}
	if c := p.Execution.AgentCap; c != nil {
		out = append(out, Limit{Name: "the agent's execution.dailySpendCap", Asset: native, Symbol: p.NativeToken, Decimals: units.APEDecimals, Subject: s.Subject, Cap: *c})
	}
	return out
}

// priceCap is the most one purchase in asset may cost. A number of APE says
// nothing about another token, so that has a cap of nothing.
func (p *Policy) priceCap(a Asset) Cap {
	if a == NativeOf(p.ChainID) {
		return p.NFTBuy.MaxPricePerTx
	}
	return Cap{}
}

// Hash identifies the effective policy: equal rules, equal hash.
func (p *Policy) Hash() string {
	doc := []any{p.document(string(p.RPCURL)), p.Execution.AgentCap, p.Execution.DailySpendCap.json()}
	// A document of strings, numbers, booleans and lists always marshals.
	b, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// MarshalJSON writes the effective policy in the shape of a policy file: amounts
// exact, the RPC URL without what may be a credential, the daily cap the smaller
// of everybody's and the agent's own.
func (p *Policy) MarshalJSON() ([]byte, error) { return json.Marshal(p.document(p.RPCURL.String())) }

func (p *Policy) document(rpc string) any {
	type object = map[string]any
	daily := p.Execution.DailySpendCap
	if c := p.Execution.AgentCap; c != nil {
		daily = daily.Min(*c)
	}
	currencies := p.NFTBuy.Currencies
	if currencies == nil {
		currencies = []string{}
	}
	return object{
		"apechainChainId": p.ChainID,
		"apechainRpcUrl":  rpc,
		"nativeGasToken":  p.NativeToken,
		"bridge": object{
			"provider": p.Bridge.Provider, "maxBridgeFeeBps": uint32(p.Bridge.MaxFee), "requireMinAmountOut": p.Bridge.RequireMinAmountOut,
			"defaultTo": p.Bridge.DefaultTo, "defaultToken": p.Bridge.DefaultToken,
		},
		"market": object{"dataSource": p.Market.DataSource, "collectionAllowlistMode": p.Market.AllowlistMode},
		"nftBuy": object{
			"maxPricePerTx": p.NFTBuy.MaxPricePerTx.json(), "currencyAllowlist": currencies,
			"denyUnlimitedApprovals": p.NFTBuy.DenyUnlimitedApprovals, "simulationRequired": p.NFTBuy.SimulationRequired,
		},
		"execution": object{
			"dailySpendCap": daily.json(), "confirmPhraseRequired": p.Execution.ConfirmPhraseRequired, "autonomousMode": p.Execution.AutonomousMode,
		},
	}
}

// Endpoint is a URL that may carry a credential in its user, path or query. It
// prints as scheme and host; string(e) is the whole of it, for dialling.
type Endpoint string

// String returns the scheme and the host only.
func (e Endpoint) String() string {
	u, err := url.Parse(string(e))
	if err != nil || u.Host == "" {
		return "***"
	}
	if u.User == nil && u.RawQuery == "" && (u.Path == "" || u.Path == "/" || u.Path == "/http") {
		return string(e) // nothing in it can be a key
	}
	return u.Scheme + "://" + u.Host + "/…"
}

// GoString, LogValue and MarshalJSON keep %#v, logs and JSON from showing more.
func (e Endpoint) GoString() string { return e.String() }

// LogValue redacts as String does.
func (e Endpoint) LogValue() slog.Value { return slog.StringValue(e.String()) }

// MarshalJSON redacts as String does.
func (e Endpoint) MarshalJSON() ([]byte, error) { return json.Marshal(e.String()) }
