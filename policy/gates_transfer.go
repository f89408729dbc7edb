package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Names of the gates that transfers alone have.
const (
	GateRoute     = "route"          // from where, to where, to whom
	GateBridgeFee = "bridge-fee"     // what the bridge keeps
	GateMinimum   = "bridge-minimum" // the least that arrives
)

// Keys of the bridge's limits.
const (
	bridgeFeeKey = "bridge.maxBridgeFeeBps"
	minOutKey    = "bridge.requireMinAmountOut"
)

// transferGateFunc is a gate of transfers. Its check fills in Code when it refuses.
type transferGateFunc struct {
	name  string
	from  Stage // the first stage that it applies to
	check func(Fence, Transfer) Gate
}

var transferGates = []transferGateFunc{
	{GateHalt, DryRun, alike(haltGate)},
	{GatePolicy, Inspect, alike(policyGate)},
	{GateWindow, DryRun, alike(windowGate)},
	{GateRoute, Inspect, routeGate},
	{GateCurrency, DryRun, transferCurrencyGate},
	{GateContract, DryRun, transferContractGate},
	{GateBridgeFee, Inspect, bridgeFeeGate},
	{GateMinimum, Inspect, minimumGate},
	{GateQuote, DryRun, transferQuoteGate},
	{GateSimulation, DryRun, transferSimulationGate},
	{GatePhrase, Execute, transferPhraseGate},
	{GateSpend, Execute, transferSpendGate},
}

// alike is a gate of purchases that holds for transfers as it is.
func alike(check func(Fence, Purchase) Gate) func(Fence, Transfer) Gate {
	return func(f Fence, w Transfer) Gate { return check(f, w.common()) }
}

// DecideTransfer evaluates the gates that apply to a transfer at a stage, as Decide
// does for a purchase.
func DecideTransfer(stage Stage, f Fence, w Transfer) Decision {
	d := Decision{stage: stage, policy: f.Policy, transfer: &w}
	for _, g := range transferGates {
		if stage < g.from {
			continue
		}
		v := g.check(f, w)
		v.Name, v.OK = g.name, v.Code == ""
		d.gates = append(d.gates, v)
		if g.name == GatePolicy && !v.OK {
			break
		}
	}
	return d
}

// routeGate lets funds go between the policy's chain and another, to who pays.
func routeGate(f Fence, w Transfer) Gate {
	g := Gate{Measured: fmt.Sprintf("%s->%s", w.FromName, w.ToName), Limit: fmt.Sprintf("between chain %d and another, to the same account", f.Policy.ChainID),
		Setting: "built in; no policy lifts it"}
	own := f.Policy.ChainID
	switch {
	case w.From <= 0 || w.To <= 0 || w.FromName == "" || w.ToName == "":
		g.Measured = "unknown"
		g.refuse(fault.RouteNotAllowed, "from what chain to what chain is not known", "quote it again, and name the chains")
	case w.From == w.To:
		g.refuse(fault.RouteNotAllowed, fmt.Sprintf("%s is where the funds are already", w.ToName), "name two chains")
	case w.From != own && w.To != own:
		g.refuse(fault.RouteNotAllowed, fmt.Sprintf("neither %s nor %s is chain %d, which the policy is for", w.FromName, w.ToName, own),
			"transfer to or from the policy's chain")
	case !isAccount(w.Account) || w.Recipient != w.Account || w.RefundTo != w.Account:
		g.Measured = fmt.Sprintf("%s, and back to %s", w.Recipient, w.RefundTo)
		g.Limit = w.Account
		g.refuse(fault.RouteNotAllowed, "the funds would not arrive at the account that pays, or not go back to it",
			"transfer to the own account")
	}
	return g
}

// isAccount reports whether s is an address in lower case, and somebody's.
func isAccount(s string) bool {
	return isAddress(s) && s == strings.ToLower(s) && strings.Trim(s[2:], "0") != ""
}

// transferCurrencyGate asks for a daily cap of what leaves and of what pays gas
// there, in the places that the amounts are read by.
func transferCurrencyGate(f Fence, w Transfer) Gate {
	caps, key, ok := f.Policy.dailyCaps(w.Asset)
	g := Gate{Measured: fmt.Sprintf("%s of chain %d", w.Currency, w.Asset.ChainID), Limit: "a currency with a daily cap", Setting: f.Policy.Setting(key)}
	switch {
	case w.Asset.ChainID != w.From || !w.Asset.valid():
		g.refuse(fault.CurrencyNotAllowed, "what would leave is no currency of the chain that it leaves", "quote it again")
	case w.Amount.IsZero():
		g.Measured = "nothing"
		g.refuse(fault.CurrencyNotAllowed, "nothing would leave", "quote an amount")
	case !ok:
		g.refuse(fault.CurrencyNotAllowed, fmt.Sprintf("%s of chain %d has no daily cap: %s is not set", w.Currency, w.Asset.ChainID, key),
			"set "+key+" in the policy file")
	case caps.Decimals != w.Decimals:
		g.Measured, g.Limit = fmt.Sprintf("%d places", w.Decimals), fmt.Sprintf("%d places", caps.Decimals)
		g.refuse(fault.CurrencyNotAllowed, fmt.Sprintf("the quote has %s with %s, and the policy with %s", w.Currency, g.Measured, g.Limit),
			"do not send this: its amounts are not what they look like")
	default:
		if _, gas, ok := f.Policy.dailyCaps(NativeOf(w.From)); !ok {
			g.Setting = f.Policy.Setting(gas)
			g.refuse(fault.CurrencyNotAllowed, fmt.Sprintf("gas on chain %d has no daily cap: %s is not set", w.From, gas), "set "+gas+" in the policy file")
		}
	}
	return g
}

// transferContractGate lets through the depository that was noted for the chain,
// and, for an approval, the token's own contract.
func transferContractGate(f Fence, w Transfer) Gate {
	g := Gate{Measured: w.Depository, Limit: "the bridge's depository, as it was noted for the chain", Setting: "built in; no policy lifts it"}
	if !isAccount(w.Depository) || !w.Pinned {
		if !isAccount(w.Depository) {
			g.Measured = "unknown"
		}
		g.refuse(fault.ContractNotAllowed, "the transaction would not pay the depository that was noted for the chain", "quote it again; if it stays so, do not send this")
		return g
	}
	for i, s := range w.Steps {
		last := i == len(w.Steps)-1
		approves := s.Target == w.Asset.Token && s.Value.IsZero() && !s.Deposit && !last
		deposits := s.Target == w.Depository && s.Deposit && last
		if !approves && !deposits {
			g.Measured = s.Target
			g.refuse(fault.ContractNotAllowed, fmt.Sprintf("step %d calls %s, which neither takes the deposit nor approves it", i+1, s.Target), "do not send this")
			return g
		}
		if all := f.Policy.Execution.Contracts; all != nil && !slices.Contains(all, s.Target) {
			g.Measured, g.Limit, g.Setting = s.Target, list(all), f.Policy.Setting(contractList)
			g.refuse(fault.ContractNotAllowed, fmt.Sprintf("the transfer calls %s, which is not in %s (%s)", s.Target, contractList, g.Limit),
				"add the contract to "+contractList+" in the policy file")
			return g
		}
	}
	if len(w.Steps) == 0 {
		g.refuse(fault.ContractNotAllowed, "what transactions the transfer is made of is not known", "quote it again")
	}
	return g
}

func bridgeFeeGate(f Fence, w Transfer) Gate {
	most := f.Policy.Bridge.MaxFee
	g := Gate{Measured: "unknown", Limit: most.String(), Setting: f.Policy.Setting(bridgeFeeKey)}
	switch {
	case w.FeeBPS == nil:
		g.refuse(fault.FeeOverLimit, "what the bridge keeps is not known", "quote it again")
	case *w.FeeBPS > most:
		g.Measured = w.FeeBPS.String()
		g.refuse(fault.FeeOverLimit, fmt.Sprintf("the bridge keeps %s, which is over %s %s", g.Measured, bridgeFeeKey, g.Limit),
			"transfer more at once, wait for a better quote, or raise "+bridgeFeeKey+" in the policy file")
	default:
		g.Measured = w.FeeBPS.String()
	}
	return g
}

// minimumGate holds the least that arrives against what was quoted or asked for.
func minimumGate(f Fence, w Transfer) Gate {
	show := func(v units.Wei) string { return v.Decimal(w.ReceivesDecimals) + " " + w.Receives }
	g := Gate{Measured: show(w.MinOut), Limit: "at least " + show(w.Floor), Setting: "the quote, or --min-out"}
	if w.Floor.IsZero() {
		g.Limit, g.Setting = "a least amount that arrives", f.Policy.Setting(minOutKey)
	}
	switch {
	case w.MinOut.IsZero() && f.Policy.Bridge.RequireMinAmountOut:
		g.Measured, g.Setting = "none", f.Policy.Setting(minOutKey)
		g.refuse(fault.MinimumNotMet, "the route promises no least amount, and "+minOutKey+" asks for one", "quote it again")
	case w.MinOut.Cmp(w.Floor) < 0:
		g.refuse(fault.MinimumNotMet, fmt.Sprintf("the route promises %s, and no less than %s is taken", g.Measured, show(w.Floor)), "quote it again, or ask for less")
	}
	return g
}

func transferQuoteGate(_ Fence, w Transfer) Gate {
	g := Gate{Measured: stamp(w.Now), Limit: stamp(w.QuoteExpires), Setting: "the quote"}
	if w.Now.IsZero() || !w.Now.Before(w.QuoteExpires) { // a time that is not known is over
		g.refuse(fault.QuoteExpired, fmt.Sprintf("the quote expired at %s", g.Limit), "quote it again")
	}
	return g
}

// transferSimulationGate asks for a simulation of the next transaction of a moment
// ago, as for writes.
func transferSimulationGate(f Fence, w Transfer) Gate {
	return writeSimulationGate(f, Write{Simulation: w.Simulation})
}

// transferPhraseGate is phraseGate for a transfer. Autonomy needs a bound on what leaves.
func transferPhraseGate(f Fence, w Transfer) Gate {
	caps, key, _ := f.Policy.dailyCaps(w.Asset)
	return f.confirmed(confirmation{w.Confirm, w.Autonomous, w.Phrase(), "BRIDGE <amount> <token> <from>-><to>"}, caps, key)
}

// transferSpendGate is spendGate, with a cap of the gas's currency too.
func transferSpendGate(f Fence, w Transfer) Gate {
	for _, a := range []Asset{w.Asset, NativeOf(w.From)} {
		if _, _, ok := f.Policy.dailyCaps(a); !ok {
			e := fault.From(uncapped(a))
			g := Gate{Measured: "unknown", Limit: "every daily cap", Setting: f.Policy.Setting(spendKey(a))}
			g.refuse(fault.CapExceeded, e.Message, e.Hint)
			return g
		}
	}
	return spendGate(f, w.common())
}
