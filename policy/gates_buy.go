package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func currencyGate(f Fence, p Purchase) Gate {
	allowed := f.Policy.NFTBuy.Currencies
	g := Gate{Measured: p.Currency, Limit: list(allowed), Setting: f.Policy.Setting(currencyList)}
	if p.Asset.ChainID != f.Policy.ChainID {
		g.refuse(fault.CurrencyNotAllowed, fmt.Sprintf("%s of chain %d is not what the policy, for chain %d, speaks of", p.Currency, p.Asset.ChainID, f.Policy.ChainID),
			"use a listing and a policy of the same chain")
		return g
	}
	for _, c := range allowed {
		if f.Policy.names(c, p.Asset) {
			return f.Policy.decimals(g, p)
		}
	}
	g.refuse(fault.CurrencyNotAllowed, fmt.Sprintf("currency %q is not in nftBuy.currencyAllowlist (%s)", p.Currency, g.Limit),
		otherCurrency(f.Policy, p.Asset, allowed))
	return g
}

// otherCurrency says what to do about a currency that is not allowed.
func otherCurrency(p *Policy, a Asset, allowed []string) string {
	change := "add the token's contract address to nftBuy.currencyAllowlist"
	if a.Token == Native {
		change = fmt.Sprintf("add %q to nftBuy.currencyAllowlist in the policy file", p.NativeToken)
	}
	if len(allowed) == 0 {
		return change
	}
	return "choose a listing in " + list(allowed) + ", or " + change
}

// list is a list for people.
func list(of []string) string {
	if len(of) == 0 {
		return "none"
	}
	return strings.Join(of, ", ")
}

// decimals refuses a token whose places are not those that its caps are read by:
// every amount that is shown of it would be another.
func (p *Policy) decimals(g Gate, of Purchase) Gate {
	if c, ok := p.Execution.CurrencyCaps[of.Asset.Token]; ok && c.Decimals != of.Decimals {
		g.Measured, g.Limit = fmt.Sprintf("%d places", of.Decimals), fmt.Sprintf("%d places", c.Decimals)
		g.refuse(fault.CurrencyNotAllowed, fmt.Sprintf("the listing has %s with %s, and the policy with %s", of.Currency, g.Measured, g.Limit),
			"do not buy this: its amounts are not what they look like")
	}
	return g
}

// names reports whether an entry of the currency allowlist means the asset.
// What a marketplace calls a token proves nothing, so a symbol means the native
// token or a contract known here; any other token is listed by address.
func (p *Policy) names(entry string, a Asset) bool {
	switch {
	case isAddress(entry):
		return strings.EqualFold(entry, a.Token)
	case entry == p.NativeToken:
		return a.Token == Native
	}
	known, ok := knownTokens[symbol{a.ChainID, entry}]
	return ok && known.contract == a.Token
}

// symbol is a token's name on one chain.
type symbol struct {
	ChainID int64
	Name    string
}

// knownTokens are the contracts that a symbol may stand for. WAPE: docs.apechain.com.
var knownTokens = map[symbol]token{
	{33139, "WAPE"}: {contract: "0x48b62137edfa95a428d35c09e44256a739f6b557", decimals: 18},
}

func collectionGate(f Fence, p Purchase) Gate {
	g := Gate{Measured: p.Collection.Slug, Limit: "on the allowlist, enabled, one contract", Setting: "the allowlist"}
	if f.Allowlist != nil {
		g.Setting = list(f.Allowlist.Files)
	}
	if p.Contract != "" {
		g.Measured = p.Collection.Slug + ", " + p.Contract
	}
	if p.Collection.Slug == "" {
		g.Measured = "not resolved"
	}
	switch {
	case p.CollectionErr != nil:
		e := fault.From(p.CollectionErr)
		g.refuse(e.Code, e.Message, e.Hint)
	case !p.Collection.Enabled || p.Collection.ContractAddress == "":
		g.refuse(fault.CollectionNotAllowed, "the collection is not resolved to a contract on the allowlist", "name a collection of ape-claw allowlist list")
	case p.Contract != "" && !strings.EqualFold(p.Contract, p.Collection.ContractAddress):
		g.Measured, g.Limit = p.Contract, p.Collection.ContractAddress
		g.refuse(fault.CollectionNotAllowed, fmt.Sprintf("the listing sells from %s, and %s is %s on the allowlist", p.Contract, p.Collection.Slug, p.Collection.ContractAddress),
			"do not buy this: it only bears the collection's name")
	}
	return g
}

// windowGate holds the time against the windows.
func windowGate(f Fence, p Purchase) Gate {
	windows := f.Policy.Execution.Windows
	g := Gate{Measured: stamp(p.Now), Limit: "always", Setting: f.Policy.Setting(windowsKey)}
	if windows == nil {
		return g
	}
	g.Limit = windowsText(windows)
	if p.Now.IsZero() {
		g.Measured = "unknown"
		g.refuse(fault.OutsideWindow, "what time it is is not known", "run ape-claw doctor")
	} else if !inWindows(windows, p.Now) {
		change := "change execution.windows in the policy file: no time is in them"
		if next, ok := nextIn(windows, p.Now); ok {
			change = "wait until " + stamp(next) + ", or change execution.windows in the policy file"
		}
		g.refuse(fault.OutsideWindow, fmt.Sprintf("nothing is spent at %s: execution.windows allow %s", g.Measured, g.Limit), change)
	}
	return g
}

// stamp is a time for people, "unknown" when it is not known.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format(time.RFC3339)
}

// contractGate holds the contract that is called against the list. Which ones are
// known at all is checked where the call is decoded.
func contractGate(f Fence, p Purchase) Gate {
	allowed := f.Policy.Execution.Contracts
	g := Gate{Measured: p.Target, Limit: "any that is known for the chain", Setting: f.Policy.Setting(contractList)}
	if allowed != nil {
		g.Limit = list(allowed)
	}
	switch {
	case !isAddress(p.Target) || p.Target != strings.ToLower(p.Target):
		g.Measured = "unknown"
		g.refuse(fault.ContractNotAllowed, "what contract the transaction would call is not known", "quote it again: ape-claw nft quote")
	case allowed != nil && !slices.Contains(allowed, p.Target):
		g.refuse(fault.ContractNotAllowed, fmt.Sprintf("the transaction calls %s, which is not in execution.contractAllowlist (%s)", p.Target, g.Limit),
			"choose another listing, or add the contract to execution.contractAllowlist in the policy file")
	}
	return g
}

func quoteGate(_ Fence, p Purchase) Gate {
	at := stamp
	for _, e := range []struct {
		what         string
		now, expires time.Time
	}{{"quote", p.Now, p.QuoteExpires}, {"order", p.ChainNow, p.OrderExpires}} {
		// A time that is not known is over.
		if e.now.IsZero() || !e.now.Before(e.expires) {
			g := Gate{Measured: at(e.now), Limit: at(e.expires), Setting: "the " + e.what}
			g.refuse(fault.QuoteExpired, fmt.Sprintf("the %s expired at %s", e.what, at(e.expires)), "quote it again: ape-claw nft quote")
			return g
		}
	}
	return Gate{Measured: at(p.Now), Limit: at(p.QuoteExpires), Setting: "the quote"}
}

// simulationFailed begins the reason of a simulation that failed, once.
const simulationFailed = "the purchase would fail: "

func simulationGate(f Fence, p Purchase) Gate {
	g := Gate{Measured: "passed", Limit: "a passed simulation of this quote", Setting: f.Policy.Setting(simulateKey)}
	need := f.Policy.NFTBuy.SimulationRequired
	switch p.Simulation.State {
	case SimPassed:
	case SimFailed:
		g.Measured = "failed"
		g.refuse(fault.SimulationFailed, simulationFailed+strings.TrimPrefix(p.Simulation.Reason, simulationFailed),
			"quote the token again if its order is gone; else mend the cause, and simulate again: ape-claw nft simulate")
	case SimStale:
		g.Measured = "stale"
		if need {
			g.refuse(fault.SimulationRequired, "the simulation no longer counts: "+p.Simulation.Reason, "simulate again: ape-claw nft simulate")
		}
	default:
		g.Measured = "none"
		if need {
			g.refuse(fault.SimulationRequired, "simulation required before execute: this quote has none that passed", "simulate it first: ape-claw nft simulate")
		}
	}
	if !need {
		g.Limit = "not required by nftBuy.simulationRequired"
	}
	return g
}

// phraseGate compares the phrase exactly, byte for byte. --autonomous stands in
// for it when the policy allows autonomy and bounds it by a daily cap; a phrase
// that is given all the same must still be right.
func phraseGate(f Fence, p Purchase) Gate {
	return confirmed(f, p.Confirm, p.Autonomous, p.Phrase(), "BUY <collection> #<tokenId> <price> "+p.Currency)
}

// confirmed holds what was typed against phrase; shape is the phrase for people who
// have to find it.
func confirmed(f Fence, confirm string, autonomous bool, phrase, shape string) Gate {
	x := f.Policy.Execution
	return f.confirmed(confirmation{confirm, autonomous, phrase, shape}, SpendCap{x.DailySpendCap, x.AgentCap, units.APEDecimals}, dailyKey)
}

// confirmation is what stands for a person's word.
type confirmation struct {
	typed      string
	autonomous bool
	phrase     string
	shape      string // the phrase for people who have to find it
}

// confirmed holds a confirmation against its phrase; caps, set by key, are what
// bounds autonomy.
func (f Fence) confirmed(c confirmation, caps SpendCap, key string) Gate {
	g := Gate{Measured: "no phrase", Limit: c.shape, Setting: f.Policy.Setting(phraseKey)}
	x := f.Policy.Execution
	if c.typed != "" {
		g.Measured = "a phrase"
	}
	switch {
	case c.autonomous && !x.AutonomousMode:
		g.Measured, g.Limit, g.Setting = "--autonomous", "execution.autonomousMode true", f.Policy.Setting(autonomyKey)
		g.refuse(fault.PolicyBlocked, "--autonomous is refused: execution.autonomousMode is false", "confirm with --confirm, or set execution.autonomousMode in the policy file")
	case c.autonomous && !caps.bounded():
		g.Measured, g.Limit, g.Setting = "--autonomous", "a daily cap", f.Policy.Setting(key)
		g.refuse(fault.PolicyBlocked, "--autonomous needs a daily cap, and "+key+" is "+caps.Daily.Decimal(caps.Decimals), "set "+key+" to an amount in the policy file")
	case c.autonomous && c.typed == "":
		g.Measured, g.Limit, g.Setting = "--autonomous", "allowed by execution.autonomousMode", f.Policy.Setting(autonomyKey)
	case c.typed == "" && !x.ConfirmPhraseRequired:
		g.Limit = "not required by execution.confirmPhraseRequired"
	case c.typed != c.phrase:
		g.refuse(fault.ConfirmationMismatch, "confirmation phrase mismatch: "+g.Measured+" was given", "pass --confirm with the phrase that the dry run shows: "+g.Limit)
	}
	return g
}

// bounded reports whether some daily cap bounds the agent.
func (c SpendCap) bounded() bool {
	bounds := func(c Cap) bool { return !c.Unlimited && !c.Max.IsZero() }
	return bounds(c.Daily) || c.AgentDaily != nil && bounds(*c.AgentDaily)
}
