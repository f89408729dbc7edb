package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// explainBridge says what holds for a transfer before anybody is asked for a route. What
// its transactions are, what they would do and what their gas costs only a run finds out.
func (d *Deps) explainBridge(ctx context.Context, x explained, out *PolicyExplainOut) error {
	cfg, err := d.Config()
	if err != nil {
		return err
	}
	src, err := d.sources()
	if err != nil {
		return err
	}
	s, err := d.bridge(false)
	if err != nil {
		return err
	}
	r, err := s.Request(ctx, x.given("request"))
	known := err == nil
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return err
	}
	f := policy.LoadFence(src)
	w := policy.Transfer{Now: d.host.Now()}
	if known {
		w = r.Facts(bridge.Route{FeeBPS: r.FeeBPS, MinOut: r.MinAmountOut}, true, 0, d.host.Now())
	}
	w.Autonomous, w.Confirm, w.Subject = x.is("autonomous"), x.given("confirm"), "agent:"+cfg.Agent.Value
	if f.Policy != nil {
		w.Spent, w.SpentErr = d.used(ctx, f.Policy.Limits(w.Scope()))
	}
	gates := policy.DecideTransfer(policy.Execute, f, w).Gates()
	depends := map[string]string{
		policy.GateContract:   "decided by the transactions of the route, which a run asks for",
		policy.GateSimulation: "a run simulates the exact transaction",
	}
	for _, g := range gates {
		switch {
		case g.Name == policy.GateSpend && g.OK:
			depends[g.Name] = "decided by what the gas may cost, which a run estimates"
		case g.Name == policy.GatePhrase && w.Confirm == "" && !w.Autonomous && !g.OK:
			depends[g.Name] = "held against the phrase that the dry run shows"
		case !known && g.Name != policy.GateHalt && g.Name != policy.GatePolicy && g.Name != policy.GateWindow:
			depends[g.Name] = "decided by the request, which is not in this state directory"
		}
	}
	out.gates(gates, depends)
	if out.Spends = x.is("execute"); !out.Spends {
		out.note("without --execute it is a dry run and sends nothing; the verdicts are those of --execute")
	}
	return nil
}
