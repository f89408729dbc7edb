package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// fullPolicy sets every limit there is, and lets purchase through.
const fullPolicy = `{"nftBuy":{"maxPricePerTx":10,"currencyAllowlist":["APE","WAPE"],"maxMarketplaceFeeBps":500,
		"collectionCaps":{"dengs":{"maxPricePerTx":9.5,"dailySpendCap":15}}},
	"execution":{"dailySpendCap":20,"autonomousMode":true,"currencyCaps":{"WAPE":{"maxPricePerTx":8,"dailySpendCap":9}},
		"contractAllowlist":["` + called + `"],
		"windows":[{"days":["sun"],"from":"08:00","to":"18:00"}]}}`

type refusal struct {
	gate   string
	code   fault.Code
	change func(*policy.Fence, *policy.Purchase)
}

// each has, for every gate, a purchase that this gate alone refuses: without the
// gate it would be bought.
func each(t testing.TB) map[string]refusal {
	return map[string]refusal{
		"halted": {policy.GateHalt, fault.Halted, func(f *policy.Fence, _ *policy.Purchase) { f.Halt = []string{"policy: stop"} }},
		"unreadable": {policy.GatePolicy, fault.PolicyInvalid, func(f *policy.Fence, _ *policy.Purchase) {
			f.Err = fault.New(fault.PolicyInvalid, "policy.json:1:1: bad").Hintf("correct the file")
		}},
		"too early": {policy.GateWindow, fault.OutsideWindow, func(_ *policy.Fence, p *policy.Purchase) { p.Now = p.Now.Add(-5 * time.Hour) }},
		"another currency": {policy.GateCurrency, fault.CurrencyNotAllowed, func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.NFTBuy.Currencies = []string{"WAPE"}
		}},
		"other places": {policy.GateCurrency, fault.CurrencyNotAllowed, func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			p.Decimals = 6
			var none units.Wei
			p.Price, p.OthersGet = units.FromUint64(5_000_000), &none
			p.Confirm = p.Phrase()
		}},
		"not on the allowlist": {policy.GateCollection, fault.CollectionNotAllowed, func(_ *policy.Fence, p *policy.Purchase) {
			p.CollectionErr = fault.New(fault.CollectionNotAllowed, "no").Hintf("see the list")
		}},
		"another's contract under the name": {policy.GateCollection, fault.CollectionNotAllowed, func(f *policy.Fence, p *policy.Purchase) {
			p.Contract = addrA
			uses(f, p)
		}},
		"another contract is called": {policy.GateContract, fault.ContractNotAllowed, func(_ *policy.Fence, p *policy.Purchase) { p.Target = addrA }},
		"what is called is unknown":  {policy.GateContract, fault.ContractNotAllowed, func(_ *policy.Fence, p *policy.Purchase) { p.Target = "" }},
		"over the caller's limit": {policy.GateMaxPrice, fault.PriceOverLimit, func(_ *policy.Fence, p *policy.Purchase) {
			most := amount(t, "9")
			p.MaxPrice = &most
		}},
		"over the price cap": {policy.GatePrice, fault.PriceOverLimit, func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.NFTBuy.MaxPricePerTx = capOf(t, "9.4")
		}},
		"over the collection's price cap": {policy.GatePrice, fault.PriceOverLimit, func(_ *policy.Fence, p *policy.Purchase) {
			p.Price, p.Confirm = amount(t, "9.6"), "BUY dengs #7 9.6 APE"
		}},
		"over the currency's price cap": {policy.GatePrice, fault.PriceOverLimit, func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			p.Price, p.Confirm = amount(t, "8.1"), "BUY dengs #7 8.1 WAPE"
		}},
		"a collection with caps in APE, in WAPE": {policy.GatePrice, fault.PriceOverLimit, func(f *policy.Fence, p *policy.Purchase) {
			own := f.Policy.NFTBuy.CollectionCaps[dengs]
			inWAPE(t, f, p)
			f.Policy.NFTBuy.CollectionCaps[dengs] = own
			uses(f, p)
		}},
		"too much for others": {policy.GateFee, fault.FeeOverLimit, func(_ *policy.Fence, p *policy.Purchase) {
			fee := amount(t, "0.475000000000000001")
			p.OthersGet = &fee
		}},
		"what others get is unknown": {policy.GateFee, fault.FeeOverLimit, func(_ *policy.Fence, p *policy.Purchase) { p.OthersGet = nil }},
		"the quote is over":          {policy.GateQuote, fault.QuoteExpired, func(_ *policy.Fence, p *policy.Purchase) { p.QuoteExpires = p.Now }},
		"the order is over":          {policy.GateQuote, fault.QuoteExpired, func(_ *policy.Fence, p *policy.Purchase) { p.OrderExpires = p.ChainNow }},
		"not simulated":              {policy.GateSimulation, fault.SimulationRequired, func(_ *policy.Fence, p *policy.Purchase) { p.Simulation = policy.Simulation{} }},
		"would fail":                 {policy.GateSimulation, fault.SimulationFailed, func(_ *policy.Fence, p *policy.Purchase) { p.Simulation.State = policy.SimFailed }},
		"not confirmed":              {policy.GatePhrase, fault.ConfirmationMismatch, func(_ *policy.Fence, p *policy.Purchase) { p.Confirm = "" }},
		"autonomous and not allowed": {policy.GatePhrase, fault.PolicyBlocked, func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.Execution.AutonomousMode, p.Autonomous, p.Confirm = false, true, ""
		}},
		"over the daily cap":        {policy.GateSpend, fault.CapExceeded, func(_ *policy.Fence, p *policy.Purchase) { spent(t, p, "execution.dailySpendCap", "10.5") }},
		"over the collection's cap": {policy.GateSpend, fault.CapExceeded, func(_ *policy.Fence, p *policy.Purchase) { spent(t, p, "nftBuy.collectionCaps."+dengs, "5.5") }},
		"over the currency's cap": {policy.GateSpend, fault.CapExceeded, func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			spent(t, p, "execution.currencyCaps.WAPE", "1.5")
		}},
		"gas over the daily cap, price in WAPE": {policy.GateSpend, fault.CapExceeded, func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			spent(t, p, "execution.dailySpendCap", "19.95")
		}},
		"over the agent's cap": {policy.GateSpend, fault.CapExceeded, func(f *policy.Fence, p *policy.Purchase) {
			most := capOf(t, "9")
			f.Policy.Execution.AgentCap, p.Subject = &most, "agent:bot"
			uses(f, p)
		}},
	}
}

// allowed is a purchase that every gate of fullPolicy lets through.
func allowed(t testing.TB) (policy.Fence, policy.Purchase) {
	f := fence(t, fullPolicy)
	p := purchase(t, f)
	fee := amount(t, "0.475") // 5 % to the last digit
	p.OthersGet = &fee
	return f, p
}

// inWAPE makes it a purchase for 8 WAPE of a collection without caps of its own.
func inWAPE(t testing.TB, f *policy.Fence, p *policy.Purchase) {
	delete(f.Policy.NFTBuy.CollectionCaps, dengs)
	fee := amount(t, "0.4")
	p.Asset.Token, p.Currency, p.Price, p.OthersGet, p.Confirm = wape, "WAPE", amount(t, "8"), &fee, "BUY dengs #7 8 WAPE"
	uses(f, p)
}

func uses(f *policy.Fence, p *policy.Purchase) {
	p.Spent = nil
	for _, l := range f.Policy.Limits(p.Scope()) {
		p.Spent = append(p.Spent, policy.Use{Limit: l})
	}
}

func spent(t testing.TB, p *policy.Purchase, name, s string) {
	t.Helper()
	for i, u := range p.Spent {
		if strings.HasPrefix(u.Limit.Name, name) {
			p.Spent[i].Spent = amount(t, s)
			return
		}
	}
	t.Fatalf("no limit %s among %+v", name, p.Spent)
}

func TestEachGateAloneRefuses(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for name, r := range each(t) {
		covered[r.gate] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, p := allowed(t)
			r.change(&f, &p)
			d := policy.Decide(policy.Execute, f, p)
			block := d.WouldBlock()
			if len(block) != 1 || block[0].Name != r.gate || block[0].Code != r.code {
				t.Fatalf("want %s alone to refuse with %s, got %+v", r.gate, r.code, block)
			}
			if _, err := d.Authorize(granted(t), p.QuoteExpires); fault.CodeOf(err) != r.code {
				t.Errorf("granted: %v", err)
			}
			wantWords(t, d)
		})
	}
	f, p := allowed(t)
	d := policy.Decide(policy.Execute, f, p)
	if err := d.Refusal(); err != nil {
		t.Fatal(err)
	}
	wantWords(t, d)
	for _, g := range d.Gates() {
		if !covered[g.Name] {
			t.Errorf("no purchase shows that the gate %s is needed", g.Name)
		}
	}
	in := fence(t, fullPolicy)
	w := purchase(t, in)
	inWAPE(t, &in, &w)
	if d := policy.Decide(policy.Execute, in, w); d.Refusal() != nil {
		t.Fatal(d.Refusal())
	}
}

// wantWords wants every gate to say what it saw and against what, and every
// refusal what to do.
func wantWords(t *testing.T, d policy.Decision) {
	t.Helper()
	for _, g := range d.Gates() {
		if g.Measured == "" || g.Limit == "" || g.Setting == "" && g.Name != policy.GatePolicy || !g.OK && (g.Reason == "" || g.Change == "") {
			t.Errorf("a gate with too few words: %+v", g)
		}
	}
}

// A limit names its key and the file.
func TestGatesNameTheSetting(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	write(t, home, "policy.json", fullPolicy)
	write(t, work, "policy.json", `{"nftBuy":{"maxMarketplaceFeeBps":400,"maxPricePerTx":50},"execution":{"dailySpendCap":19}}`)
	f := policy.LoadFence(policy.Sources{Home: home, WorkDir: work})
	if f.Err != nil {
		t.Fatal(f.Err)
	}
	_, p := allowed(t)
	uses(&f, &p)
	got := map[string]string{}
	for _, g := range policy.Decide(policy.Execute, f, p).Gates() {
		got[g.Name] = g.Setting
	}
	base, over := f.Policy.Files[0], f.Policy.Files[1]
	for gate, want := range map[string]string{
		policy.GatePrice: "nftBuy.maxPricePerTx in " + base, policy.GateFee: "nftBuy.maxMarketplaceFeeBps in " + over,
		policy.GateSpend: "nftBuy.collectionCaps." + dengs + ".dailySpendCap in " + base, policy.GateWindow: "execution.windows in " + base,
		policy.GateContract: "execution.contractAllowlist in " + base, policy.GateSimulation: "nftBuy.simulationRequired, which is not set in " + base,
	} {
		if gate == policy.GatePrice {
			want = "nftBuy.collectionCaps." + dengs + ".maxPricePerTx in " + base // the stricter of the two
		}
		if got[gate] != want {
			t.Errorf("%s: %q, want %q", gate, got[gate], want)
		}
	}
}

// A purchase in another currency reserves its price there and gas in the native one.
func TestAuthorizeInAnotherCurrency(t *testing.T) {
	t.Parallel()
	f, p := allowed(t)
	inWAPE(t, &f, &p)
	d := policy.Decide(policy.Execute, f, p)
	x := granted(t)
	if _, err := d.Authorize(x, p.QuoteExpires); fault.CodeOf(err) != fault.UnsafeTransaction {
		t.Errorf("it sends APE as well: %v", err)
	}
	x.Value = amount(t, "0")
	if _, err := d.Authorize(x, p.QuoteExpires); err != nil {
		t.Error(err)
	}
}
