package policy_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/policy"
)

// What a refusal says to do can be done.
func TestWordsOfRefusals(t *testing.T) {
	t.Parallel()
	refused := func(change func(*policy.Fence, *policy.Purchase), gate string) policy.Gate {
		t.Helper()
		f := fence(t, fullPolicy)
		p := purchase(t, f)
		change(&f, &p)
		for _, g := range policy.Decide(policy.Execute, f, p).WouldBlock() {
			if g.Name == gate {
				return g
			}
		}
		t.Fatalf("gate %s let it through", gate)
		return policy.Gate{}
	}
	currencies := func(list ...string) func(*policy.Fence, *policy.Purchase) {
		return func(f *policy.Fence, _ *policy.Purchase) { f.Policy.NFTBuy.Currencies = list }
	}
	if g := refused(currencies(), policy.GateCurrency); g.Change != `add "APE" to nftBuy.currencyAllowlist in the policy file` {
		t.Errorf("no currency: %q", g.Change)
	}
	if g := refused(currencies("WAPE"), policy.GateCurrency); g.Change != `choose a listing in WAPE, or add "APE" to nftBuy.currencyAllowlist in the policy file` {
		t.Errorf("another currency: %q", g.Change)
	}
	g := refused(func(_ *policy.Fence, p *policy.Purchase) {
		p.Simulation = policy.Simulation{State: policy.SimFailed, Reason: "the purchase would fail: the seller cancelled the order"}
	}, policy.GateSimulation)
	if g.Reason != "the purchase would fail: the seller cancelled the order" || !strings.Contains(g.Change, "quote the token again") {
		t.Errorf("simulation: %q, %q", g.Reason, g.Change)
	}
}
