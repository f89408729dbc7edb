package commands

import (
	"context"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
)

// writesV2 reports whether it is a command that calls a v2 contract: one that can
// be told to execute.
func (x explained) writesV2() bool {
	return (strings.HasPrefix(x.spec.Name, "v2 ") || x.mintsCard()) && x.given("execute") != ""
}

// mintsCard reports whether it is the command of two transactions, of which the mint is
// the first.
func (x explained) mintsCard() bool { return x.spec.Name == "skill mint" }

// explainV2 says what holds for a write before anything is asked of the chain. What
// the contract at the address is, what the call would do and what its gas costs
// only a run finds out.
func (d *Deps) explainV2(ctx context.Context, x explained, out *PolicyExplainOut) error {
	cfg, err := d.Config()
	if err != nil {
		return err
	}
	src, err := d.sources()
	if err != nil {
		return err
	}
	value, err := amountOr(x.given("value"), units.Wei{})
	if err != nil {
		return err
	}
	f := policy.LoadFence(src)
	name, confirm := x.spec.Name, x.given("confirm")
	if x.mintsCard() { // its phrase names the card too
		name = "v2 skill mint"
		confirm, _, _ = strings.Cut(confirm, " AND PUBLISH ")
	}
	w := policy.Write{Command: name, Value: value, Decimals: units.APEDecimals, Now: d.host.Now().UTC(), Autonomous: x.is("autonomous"),
		Confirm: confirm, Subject: "agent:" + cfg.Agent.Value}
	if f.Policy != nil {
		w.Asset, w.Currency = policy.NativeOf(f.Policy.ChainID), f.Policy.NativeToken
		w.Spent, w.SpentErr = d.used(ctx, f.Policy.Limits(w.Scope()))
	}
	// Whose digits a phrase ends with is known when the call is.
	shaped := len(w.Confirm) == len(w.Phrase()) && strings.HasPrefix(w.Confirm, strings.TrimRight(w.Phrase(), "0"))
	if shaped {
		w.Confirm = w.Phrase()
	}
	gates := policy.DecideWrite(policy.Execute, f, w).Gates()
	depends := map[string]string{
		policy.GateContract:   "decided by the code at the contract's address, which a run looks at",
		policy.GateSimulation: "a run simulates the exact transaction",
	}
	for _, g := range gates {
		switch {
		case g.Name == policy.GateSpend && g.OK:
			depends[g.Name] = "decided by what the gas may cost, which a run estimates"
		case g.Name == policy.GatePhrase && (shaped && g.OK || w.Confirm == "" && !w.Autonomous && !g.OK):
			depends[g.Name] = "held against the phrase that the dry run shows"
		}
	}
	out.gates(gates, depends)
	if out.Spends = x.is("execute"); !out.Spends {
		out.note("without --execute it is a dry run and sends nothing; the verdicts are those of --execute")
	}
	if x.mintsCard() {
		out.note("it sends two transactions, the mint and the card's version; both of them pass the gates, and one phrase that names the card agrees to both")
	}
	if x.spec.Name == "v2 deploy" {
		out.note("it sends one transaction for each contract and rule that is missing; all of them pass the gates, one by one")
	}
	return nil
}
