package policy

import (
	"fmt"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func currencyGate(f Fence, p Purchase) Gate {
	allowed := f.Policy.NFTBuy.Currencies
	g := Gate{Measured: p.Currency, Limit: strings.Join(allowed, ", ")}
	if p.Asset.ChainID != f.Policy.ChainID {
		g.refuse(fault.CurrencyNotAllowed, fmt.Sprintf("%s of chain %d is not what the policy, for chain %d, speaks of", p.Currency, p.Asset.ChainID, f.Policy.ChainID),
			"use a listing and a policy of the same chain")
		return g
	}
	for _, c := range allowed {
		if f.Policy.names(c, p.Asset) {
			return g
		}
	}
	g.refuse(fault.CurrencyNotAllowed, fmt.Sprintf("currency %q is not in nftBuy.currencyAllowlist (%s)", p.Currency, g.Limit),
		fmt.Sprintf("choose a listing in %s, or add the token's contract address to nftBuy.currencyAllowlist", g.Limit))
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
	return ok && known == a.Token
}

// symbol is a token's name on one chain.
type symbol struct {
	ChainID int64
	Name    string
}

// knownTokens are the contracts that a symbol may stand for. WAPE: docs.apechain.com.
var knownTokens = map[symbol]string{
	{33139, "WAPE"}: "0x48b62137edfa95a428d35c09e44256a739f6b557",
}

func collectionGate(f Fence, p Purchase) Gate {
	g := Gate{Measured: p.Collection.Slug, Limit: "on the allowlist, enabled, one contract"}
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

// show is an amount of what the purchase is paid in, for people.
func (p Purchase) show(decimal string) string { return decimal + " " + p.Currency }

func maxPriceGate(_ Fence, p Purchase) Gate {
	g := Gate{Measured: p.show(p.Price.Decimal(p.Decimals)), Limit: "none given"}
	if p.MaxPrice == nil {
		return g
	}
	g.Limit = p.show(p.MaxPrice.Decimal(p.Decimals))
	if p.Price.Cmp(*p.MaxPrice) > 0 {
		g.refuse(fault.PriceOverLimit, fmt.Sprintf("price %s is over --max-price %s", g.Measured, g.Limit), "quote again with a higher --max-price, or a cheaper token")
	}
	return g
}

func priceGate(f Fence, p Purchase) Gate {
	limit := f.Policy.priceCap(p.Asset)
	g := Gate{Measured: p.show(p.Price.Decimal(p.Decimals)), Limit: p.show(limit.Decimal(p.Decimals))}
	if limit.Allows(p.Price) {
		return g
	}
	change := "choose a cheaper token, or raise nftBuy.maxPricePerTx in the policy file"
	if limit.Max.IsZero() {
		change = "set nftBuy.maxPricePerTx in the policy file; 0 allows nothing"
	}
	g.refuse(fault.PriceOverLimit, fmt.Sprintf("price %s is over nftBuy.maxPricePerTx %s", g.Measured, g.Limit), change)
	return g
}

func quoteGate(_ Fence, p Purchase) Gate {
	at := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	for _, e := range []struct {
		what         string
		now, expires time.Time
	}{{"quote", p.Now, p.QuoteExpires}, {"order", p.ChainNow, p.OrderExpires}} {
		// A time that is not known is over.
		if e.now.IsZero() || !e.now.Before(e.expires) {
			g := Gate{Measured: at(e.now), Limit: at(e.expires)}
			g.refuse(fault.QuoteExpired, fmt.Sprintf("the %s expired at %s", e.what, at(e.expires)), "quote it again: ape-claw nft quote")
			return g
		}
	}
	return Gate{Measured: at(p.Now), Limit: at(p.QuoteExpires)}
}

func simulationGate(f Fence, p Purchase) Gate {
	g := Gate{Measured: "passed", Limit: "a passed simulation of this quote"}
	need := f.Policy.NFTBuy.SimulationRequired
	switch p.Simulation.State {
	case SimPassed:
	case SimFailed:
		g.Measured = "failed"
		g.refuse(fault.SimulationFailed, "the purchase would fail: "+p.Simulation.Reason, "mend the cause, then simulate again: ape-claw nft simulate")
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
	g := Gate{Measured: "no phrase", Limit: "BUY <collection> #<tokenId> <price> " + f.Policy.NativeToken}
	x := f.Policy.Execution
	if p.Confirm != "" {
		g.Measured = "a phrase"
	}
	switch {
	case p.Autonomous && !x.AutonomousMode:
		g.refuse(fault.PolicyBlocked, "--autonomous is refused: execution.autonomousMode is false", "confirm with --confirm, or set execution.autonomousMode in the policy file")
	case p.Autonomous && !x.dailyBounded():
		g.refuse(fault.PolicyBlocked, "--autonomous needs a daily cap, and execution.dailySpendCap is "+x.DailySpendCap.Decimal(18), "set execution.dailySpendCap to an amount in the policy file")
	case p.Autonomous && p.Confirm == "":
		g.Measured = "--autonomous"
	case p.Confirm == "" && !x.ConfirmPhraseRequired:
		g.Limit = "not required by execution.confirmPhraseRequired"
	case p.Confirm != p.Phrase():
		g.refuse(fault.ConfirmationMismatch, "confirmation phrase mismatch: "+g.Measured+" was given", "pass --confirm with the phrase that the dry run shows: "+g.Limit)
	}
	return g
}

// dailyBounded reports whether some daily cap bounds the agent.
func (x ExecutionRules) dailyBounded() bool {
	bounds := func(c Cap) bool { return !c.Unlimited && !c.Max.IsZero() }
	return bounds(x.DailySpendCap) || x.AgentCap != nil && bounds(*x.AgentCap)
}

// spendGate foretells whether price and fee limit fit under every cap. The
// reservation repeats the check where nobody can come between.
func spendGate(f Fence, p Purchase) Gate {
	limits := f.Policy.Limits(p.Scope())
	g := Gate{}
	if p.SpentErr != nil {
		e := fault.From(p.SpentErr)
		g.refuse(e.Code, e.Message, e.Hint)
		return g
	}
	asked, err := p.Price.Add(p.FeeLimit)
	if err != nil || len(p.Spent) != len(limits) {
		g.refuse(fault.CapExceeded, "what was spent in the last 24 h is not known", "run ape-claw doctor")
		return g
	}
	for i, u := range p.Spent {
		lim := limits[i]
		if u.Limit != lim {
			g.refuse(fault.CapExceeded, "what was spent in the last 24 h is not known", "run ape-claw doctor")
			return g
		}
		g.Measured = u.Spent.Decimal(18) + " + " + asked.Decimal(18)
		g.Limit = lim.Cap.Decimal(18)
		if !within(lim.Cap, u.Spent, asked) {
			e := fault.From(capExceeded(lim, u.Spent, asked))
			g.refuse(e.Code, e.Message, e.Hint)
			return g
		}
	}
	return g
}
