// Package policy stands between the agent and the money: the policy and
// allowlist files, the gates, the confirm phrase, the spend ledger and the halt
// file. Nothing here asks a model or a network, and every doubt is a refusal.
package policy

import (
	_ "embed"
	"strings"

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
	V2          V2Rules
	Receipts    ReceiptRules

	Files    []string // what it was read from, the base first, as people may see it
	Warnings []string // what doctor should say about those files

	setBy map[string][]string // the files that set a limit, by its key
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
	MaxMarketplaceFee      FeeCap
	CollectionCaps         map[string]Caps // in APE, by contract in lower case
	DenyUnlimitedApprovals bool
	SimulationRequired     bool
}

// ExecutionRules bound everything that spends.
type ExecutionRules struct {
	DailySpendCap         Cap                     // in APE, rolling 24 h, over every account and subject of the home
	AgentCap              *Cap                    // the same for the acting agent's own rows; nil when its overlay sets none
	CurrencyCaps          map[string]CurrencyCaps // of other tokens than the native one, by contract in lower case
	SpendCaps             map[Asset]SpendCap      // of what leaves other chains
	Contracts             []string                // that a transaction may call; nil: all that are known for the chain
	Windows               [][]TimeWindow          // now has to be in one of each; nil: always
	ConfirmPhraseRequired bool
	AutonomousMode        bool
}

// V2Rules bound the writes to the contracts of package v2.
type V2Rules struct {
	Contracts []string // whose code is not ape-claw's own, lower case; nil: none
}

// ReceiptRules say which receipts are recorded without being asked for.
type ReceiptRules struct {
	Auto bool // of each confirmed purchase
}

// Limits returns the daily caps that a spend within the scope must fit. Those of
// its chain's native asset are among them whatever it pays with: it pays gas.
func (p *Policy) Limits(s Scope) []Limit {
	if s.Asset.ChainID != p.ChainID {
		return p.awayLimits(s)
	}
	native := Limit{Asset: NativeOf(p.ChainID), Symbol: p.NativeToken, Decimals: units.APEDecimals}
	var out []Limit
	add := func(l Limit, key string, all Cap, agents *Cap) {
		l.Name, l.Setting, l.Cap = key, p.Setting(key), all
		out = append(out, l)
		if agents != nil {
			l.Name, l.Setting, l.Subject, l.Cap = "the agent's "+key, p.Setting(agentKey(key)), s.Subject, *agents
			out = append(out, l)
		}
	}
	add(native, dailyKey, p.Execution.DailySpendCap, p.Execution.AgentCap)
	if c, ok := p.NFTBuy.CollectionCaps[s.Collection]; ok {
		l := native
		l.Collection = s.Collection
		add(l, collectionKey(s.Collection, "dailySpendCap"), c.Daily, c.AgentDaily)
	}
	if c, ok := p.Execution.CurrencyCaps[s.Asset.Token]; ok {
		l := Limit{Asset: s.Asset, Symbol: c.name(s.Asset.Token), Decimals: c.Decimals}
		add(l, currencyKey(l.Symbol, "dailySpendCap"), c.Daily, c.AgentDaily)
	}
	return out
}

// Keys of limits, as the policy file nests them.
const (
	priceKey     = "nftBuy.maxPricePerTx"
	dailyKey     = "execution.dailySpendCap"
	feeKey       = "nftBuy.maxMarketplaceFeeBps"
	currencyList = "nftBuy.currencyAllowlist"
	spendCapsKey = "execution.dailySpendCaps"
	contractList = "execution.contractAllowlist"
	windowsKey   = "execution.windows"
	phraseKey    = "execution.confirmPhraseRequired"
	autonomyKey  = "execution.autonomousMode"
	simulateKey  = "nftBuy.simulationRequired"
	v2List       = "v2.contractAllowlist"
	receiptsKey  = "receipts.auto"
)

func collectionKey(contract, key string) string {
	return "nftBuy.collectionCaps." + contract + "." + key
}
func currencyKey(name, key string) string { return "execution.currencyCaps." + name + "." + key }

// agentKey is where it is kept who set the acting agent's own cap.
func agentKey(key string) string { return "agent " + key }

// Setting says where the limit of a key is written: "execution.dailySpendCap in
// ~/.ape-claw/policy.json".
func (p *Policy) Setting(key string) string {
	shown := strings.TrimPrefix(key, "agent ")
	if files := p.setBy[key]; len(files) > 0 {
		return shown + " in " + strings.Join(files, ", ")
	}
	return shown + ", which is not set in " + p.Files[0]
}
