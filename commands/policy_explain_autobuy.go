package commands

import (
	"context"
	"slices"
	"strconv"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// bill is what an autobuy pays: for its dearest token, and in all. Of a saved plan
// it is known; else it is the most that the flags allow.
type bill struct {
	one, all units.Wei
	known    bool
}

func (d *Deps) billOf(ctx context.Context, x explained) (bill, error) {
	if id := x.given("plan"); id != "" {
		s, err := d.nft("")
		if err != nil {
			return bill{}, err
		}
		plans, err := s.Plans(ctx)
		if err != nil {
			return bill{}, err
		}
		i := slices.IndexFunc(plans, func(p nft.Plan) bool { return p.PlanID == id })
		if i < 0 {
			return bill{}, fault.New(fault.NotFound, "no plan %s that can still be bought", shownArg(id)).Hintf("make one: ape-claw nft autobuy --max-price …")
		}
		b := bill{all: plans[i].Total(), known: true}
		for _, q := range plans[i].Items {
			if q.PriceWei.Cmp(b.one) > 0 {
				b.one = q.PriceWei
			}
		}
		return b, nil
	}
	var b bill
	var err error
	if b.one, err = amountOr(x.given("maxPrice"), b.one); err != nil {
		return b, err
	}
	b.all = b.one
	if n, err := strconv.ParseUint(x.given("count"), 10, 64); err == nil && n > 1 {
		if all, err := b.one.Mul(n); err == nil { // what is more than any amount is bounded by its policy alone
			b.all = all
		}
	}
	b.all, err = amountOr(x.given("budget"), b.all)
	return b, err
}

// explainAutobuy says what holds for all of its purchases; the rest is decided for
// each. What the flags allow may be more than a limit: the plan leaves out what is.
func (d *Deps) explainAutobuy(ctx context.Context, x explained, out *PolicyExplainOut) error {
	const each = "decided for each purchase of the plan"
	pay, err := d.billOf(ctx, x)
	if err != nil {
		return err
	}
	least := pay
	if !pay.known {
		least.one, least.all = units.FromUint64(1), units.FromUint64(1)
	}
	gates, err := d.standingFor(ctx, pay, x.is("autonomous"))
	if err != nil {
		return err
	}
	cheapest, err := d.standingFor(ctx, least, x.is("autonomous"))
	if err != nil {
		return err
	}
	out.Spends = x.is("execute")
	depends := map[string]string{policy.GateCollection: each, policy.GateContract: each, policy.GateMaxPrice: each, policy.GateFee: each,
		policy.GateQuote: each, policy.GateSimulation: each}
	leftOut := map[string]string{policy.GatePrice: "dearer tokens are left out of the plan", policy.GateSpend: "the plan holds no more than fits"}
	for i, g := range gates {
		why, ok := leftOut[g.Name]
		if ok && !g.OK && cheapest[i].OK {
			depends[g.Name] = why
		}
	}
	for i := range gates {
		switch g := &gates[i]; {
		case g.Name == policy.GateMaxPrice && x.given("maxPrice") != "":
			g.Limit = x.given("maxPrice")
		case g.Name == policy.GatePhrase && !x.is("autonomous"):
			g.Limit = "AUTOBUY <planId> <count> <total> APE"
			depends[g.Name] = "the plan has a phrase of its own"
		}
	}
	out.gates(gates, depends)
	out.note("every purchase passes all gates by itself; the first that policy refuses ends the run")
	if out.Spends {
		d.noteReceipts(out)
	} else {
		out.note("without --execute it is a plan and spends nothing; the verdicts are those of --execute")
	}
	return nil
}

// standingFor is standing, with the daily caps held against all that is paid.
func (d *Deps) standingFor(ctx context.Context, b bill, autonomous bool) ([]policy.Gate, error) {
	gates, _, err := d.standing(ctx, b.one, autonomous)
	if err != nil {
		return nil, err
	}
	sum, _, err := d.standing(ctx, b.all, autonomous)
	if err != nil {
		return nil, err
	}
	for i, g := range sum {
		if g.Name == policy.GateSpend && i < len(gates) {
			gates[i] = g
		}
	}
	return gates, nil
}

func amountOr(text string, otherwise units.Wei) (units.Wei, error) {
	if text == "" {
		return otherwise, nil
	}
	return units.Parse(text, units.APEDecimals)
}
