package commands

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
)

func policyCommands() []Command {
	return []Command{newPolicyInit(), newPolicyShow(), newPolicyCheck(), newPolicyExplain(), newPolicySpend(), newPolicyHalt(), newPolicyUnhalt()}
}

// PolicyShowIn has no flags.
type PolicyShowIn struct{}

// PolicyShowOut is the effective policy and where it comes from.
type PolicyShowOut struct {
	OK         bool                `json:"ok"`
	Policy     *policy.Policy      `json:"policy"` // in the shape of a policy file
	PolicyHash string              `json:"policyHash"`
	Limits     []PolicyLimit       `json:"limits"`
	Halted     []string            `json:"halted"`
	Files      []policy.FileReport `json:"files"`
	Allowlist  []policy.FileReport `json:"allowlistFiles"`
	Warnings   []string            `json:"warnings"`
}

// PolicyLimit is one limit in force and where it is written.
type PolicyLimit struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Setting string `json:"setting"`
}

func newPolicyShow() Command {
	return define(Spec{Name: "policy show", Short: "Show the policy in force, and which file sets each limit",
		Long: `Show the effective policy: the home's, or the built-in one whose caps are 0, narrowed by
every other policy file there is. With --json its part "policy" has the shape of a policy
file, amounts exact, the RPC url without what may be a key.`,
		Events: []string{"policy.shown"}, Offline: true, Risk: RiskRead, Permission: "policy:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true,
			About: "Show the policy in force: every limit, which file sets it, and whether spending is halted."}},
		func(ctx context.Context, d *Deps, _ PolicyShowIn) (PolicyShowOut, error) {
			cfg, err := d.Config()
			if err != nil {
				return PolicyShowOut{}, err
			}
			src, err := d.sources()
			if err != nil {
				return PolicyShowOut{}, err
			}
			r := policy.LoadReport(src)
			if r.Err != nil {
				return PolicyShowOut{}, d.mistakes(r)
			}
			p := r.Policy
			out := PolicyShowOut{OK: true, Policy: p, PolicyHash: p.Hash(), Limits: limitsOf(p), Halted: append([]string{}, policy.Halted(cfg.Home)...),
				Files: r.Files, Allowlist: r.Allowlist, Warnings: append([]string{}, r.Warnings...)}
			return out, d.Record(ctx, telemetry.Draft{Type: "policy.shown", Result: map[string]any{"policyHash": out.PolicyHash, "files": fileNames(r)}})
		},
		printPolicy)
}

// limitsOf lists what a policy bounds, in the order of the file.
func limitsOf(p *policy.Policy) []PolicyLimit {
	var out []PolicyLimit
	add := func(key, value string) { out = append(out, PolicyLimit{key, value, p.Setting(key)}) }
	ape := func(c policy.Cap) string { return amount(c, units.APEDecimals, p.NativeToken) }
	add("bridge.maxBridgeFeeBps", p.Bridge.MaxFee.String())
	add("bridge.requireMinAmountOut", yesNo(p.Bridge.RequireMinAmountOut))
	add("nftBuy.maxPricePerTx", ape(p.NFTBuy.MaxPricePerTx))
	add("nftBuy.currencyAllowlist", listed(p.NFTBuy.Currencies))
	add("nftBuy.maxMarketplaceFeeBps", p.NFTBuy.MaxMarketplaceFee.String())
	for _, c := range slices.Sorted(maps.Keys(p.NFTBuy.CollectionCaps)) {
		caps := p.NFTBuy.CollectionCaps[c]
		add("nftBuy.collectionCaps."+c+".maxPricePerTx", ape(caps.MaxPricePerTx))
		add("nftBuy.collectionCaps."+c+".dailySpendCap", daily(caps, ape))
	}
	add("nftBuy.denyUnlimitedApprovals", yesNo(p.NFTBuy.DenyUnlimitedApprovals))
	add("nftBuy.simulationRequired", yesNo(p.NFTBuy.SimulationRequired))
	add("execution.dailySpendCap", daily(policy.Caps{Daily: p.Execution.DailySpendCap, AgentDaily: p.Execution.AgentCap}, ape))
	for _, t := range slices.Sorted(maps.Keys(p.Execution.CurrencyCaps)) {
		caps := p.Execution.CurrencyCaps[t]
		name := caps.Symbol
		if name == "" {
			name = t
		}
		in := func(c policy.Cap) string { return amount(c, caps.Decimals, name) }
		add("execution.currencyCaps."+name+".maxPricePerTx", in(caps.MaxPricePerTx))
		add("execution.currencyCaps."+name+".dailySpendCap", daily(caps.Caps, in))
	}
	for _, a := range p.SpendCapAssets() {
		c := p.Execution.SpendCaps[a]
		in := func(limit policy.Cap) string { return amount(limit, c.Decimals, a.Label()) }
		add("execution.dailySpendCaps."+a.String(), daily(policy.Caps{Daily: c.Daily, AgentDaily: c.AgentDaily}, in))
	}
	if p.Execution.Contracts != nil {
		add("execution.contractAllowlist", listed(p.Execution.Contracts))
	} else {
		add("execution.contractAllowlist", "any that is known for the chain")
	}
	add("execution.windows", windowsText(p.Execution.Windows))
	add("execution.confirmPhraseRequired", yesNo(p.Execution.ConfirmPhraseRequired))
	add("execution.autonomousMode", yesNo(p.Execution.AutonomousMode))
	add("v2.contractAllowlist", listed(p.V2.Contracts))
	add("receipts.auto", yesNo(p.Receipts.Auto))
	return out
}

// windowsText is when something may be spent, in words.
func windowsText(lists [][]policy.TimeWindow) string {
	var all []string
	for _, list := range lists {
		one := make([]string, len(list))
		for j, w := range list {
			one[j] = w.String()
		}
		switch {
		case len(one) == 0:
			all = append(all, "never")
		case !slices.ContainsFunc(one, func(w string) bool { return strings.HasPrefix(w, "00:00-24:00 ") }): // of every day
			all = append(all, strings.Join(one, " or "))
		}
	}
	if len(all) == 0 {
		return "always"
	}
	return strings.Join(all, "; and ")
}

// daily is a daily cap in words, with the acting agent's own where it has one.
func daily(c policy.Caps, show func(policy.Cap) string) string {
	if c.AgentDaily == nil {
		return show(c.Daily)
	}
	return show(c.Daily) + ", of which this agent " + show(*c.AgentDaily)
}

// amount is a cap for people.
func amount(c policy.Cap, decimals int, symbol string) string {
	if c.Unlimited {
		return "unlimited"
	}
	return c.Max.Decimal(decimals) + " " + symbol
}

// listed is a list for people.
func listed(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return joinWords(words)
}

func printPolicy(p *Printer, out PolicyShowOut) {
	if len(out.Halted) > 0 {
		p.List(red, "Halted: nothing is spent", out.Halted)
		p.Line("")
	}
	p.Head("Policy of chain %d", out.Policy.ChainID)
	rows := make([][]string, 0, len(out.Limits))
	for _, l := range out.Limits {
		rows = append(rows, []string{l.Key, l.Value, l.from()})
	}
	p.Table([]string{"LIMIT", "VALUE", "FROM"}, rows)
	p.Line("")
	printFiles(p, append(out.Files, out.Allowlist...))
	p.List(yellow, "Warnings", out.Warnings)
}

// from is the setting without the key, which stands beside it.
func (l PolicyLimit) from() string {
	if len(l.Setting) > len(l.Key)+4 && l.Setting[:len(l.Key)+4] == l.Key+" in " {
		return l.Setting[len(l.Key)+4:]
	}
	return "not set"
}
