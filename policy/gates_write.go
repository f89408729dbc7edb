package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// writeGateFunc is a gate of writes. Its check fills in Code when it refuses.
type writeGateFunc struct {
	name  string
	from  Stage // the first stage that it applies to
	check func(Fence, Write) Gate
}

var writeGates = []writeGateFunc{
	{GateHalt, DryRun, common(haltGate)},
	{GatePolicy, Inspect, common(policyGate)},
	{GateWindow, DryRun, common(windowGate)},
	{GateContract, DryRun, writeContractGate},
	{GateValue, DryRun, valueGate},
	{GateSimulation, DryRun, writeSimulationGate},
	{GatePhrase, Execute, writePhraseGate},
	{GateSpend, Execute, common(spendGate)},
}

// common is a gate of purchases that holds for writes as it is.
func common(check func(Fence, Purchase) Gate) func(Fence, Write) Gate {
	return func(f Fence, w Write) Gate { return check(f, w.common()) }
}

// DecideWrite evaluates the gates that apply to a write at a stage, as Decide does
// for a purchase.
func DecideWrite(stage Stage, f Fence, w Write) Decision {
	d := Decision{stage: stage, policy: f.Policy, write: &w}
	for _, g := range writeGates {
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

// writeContractGate lets through what is ape-claw's own code, or what a person
// listed by address. Where execution.contractAllowlist is set it bounds both.
func writeContractGate(f Fence, w Write) Gate {
	own, all := f.Policy.V2.Contracts, f.Policy.Execution.Contracts
	g := Gate{Measured: w.name(), Limit: "ape-claw's own contracts, or one of " + v2List + " (" + list(own) + ")", Setting: f.Policy.Setting(v2List)}
	switch {
	case !isAddress(w.Target) || w.Target != strings.ToLower(w.Target) || strings.Trim(w.Target[2:], "0") == "":
		g.Measured = "unknown"
		g.refuse(fault.ContractNotAllowed, "what contract the transaction would call is not known", "run the command again, and name the contract")
	case !w.Known && !slices.Contains(own, w.Target):
		g.refuse(fault.ContractNotAllowed, fmt.Sprintf("the code at %s is not that of ape-claw's contract, and %s (%s) does not list it", w.name(), v2List, list(own)),
			"name a contract that ape-claw v2 deploy made, or, if this one is meant, add its address to "+v2List+" in the policy file")
	case all != nil && !slices.Contains(all, w.Target):
		g.Limit, g.Setting = list(all), f.Policy.Setting(contractList)
		g.refuse(fault.ContractNotAllowed, fmt.Sprintf("the transaction calls %s, which is not in %s (%s)", w.name(), contractList, g.Limit),
			"add the contract to "+contractList+" in the policy file")
	case w.Known:
		g.Measured += ", ape-claw's own code"
	}
	return g
}

// valueGate bounds what is sent along by what one purchase may cost. A cap of 0
// allows no write at all, as it allows no purchase.
func valueGate(f Fence, w Write) Gate {
	limit := f.Policy.NFTBuy.MaxPricePerTx
	show := func(decimal string) string { return decimal + " " + f.Policy.NativeToken }
	g := Gate{Measured: show(w.Value.Decimal(w.Decimals)), Limit: unlimited, Setting: f.Policy.Setting(priceKey)}
	if !limit.Unlimited {
		g.Limit = show(limit.Max.Decimal(w.Decimals))
	}
	switch {
	case w.Asset != NativeOf(f.Policy.ChainID):
		g.refuse(fault.CurrencyNotAllowed, fmt.Sprintf("what is sent is not the %s of chain %d, which the policy speaks of", f.Policy.NativeToken, f.Policy.ChainID),
			"use a policy of the same chain")
	case limit.Allows(w.Value):
	case limit.Max.IsZero():
		g.refuse(fault.PriceOverLimit, fmt.Sprintf("%s is %s, which allows no transaction", priceKey, g.Limit), "set "+priceKey+" in the policy file")
	default:
		g.refuse(fault.PriceOverLimit, fmt.Sprintf("the value %s is over %s %s", g.Measured, priceKey, g.Limit), "send less, or raise "+priceKey+" in the policy file")
	}
	return g
}

// writeFailed begins the reason of a simulation that failed, once.
const writeFailed = "the transaction would fail: "

// writeSimulationGate asks for a simulation of a moment ago, whatever
// nftBuy.simulationRequired says: a write always makes one.
func writeSimulationGate(_ Fence, w Write) Gate {
	g := Gate{Measured: "passed", Limit: "a passed simulation of this transaction", Setting: "built in; no policy lifts it"}
	switch w.Simulation.State {
	case SimPassed:
	case SimFailed:
		g.Measured = "failed"
		g.refuse(fault.SimulationFailed, writeFailed+strings.TrimPrefix(w.Simulation.Reason, writeFailed), "mend the cause, then run the command again")
	case SimStale:
		g.Measured = "stale"
		g.refuse(fault.SimulationRequired, "the simulation no longer counts: "+w.Simulation.Reason, "run the command again")
	default:
		g.Measured = "none"
		g.refuse(fault.SimulationRequired, "the transaction was not simulated", "run the command again")
	}
	return g
}

// writePhraseGate is phraseGate for a write.
func writePhraseGate(f Fence, w Write) Gate {
	return confirmed(f, w.Confirm, w.Autonomous, w.Phrase(), fmt.Sprintf("EXECUTE %s <%d digits>", w.Command, phraseDigits))
}
