package policy_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// seen is what a gate says that it looked at, held against what, written where.
func seen(f policy.Fence, g policy.Gate) string {
	s := g.Measured + " | " + g.Limit + " | " + g.Setting
	for _, file := range f.Policy.Files {
		s = strings.ReplaceAll(s, file, "FILE")
	}
	if f.Allowlist != nil {
		s = strings.ReplaceAll(s, strings.Join(f.Allowlist.Files, ", "), "FILE")
	}
	return strings.ReplaceAll(s, dengs, "DENGS")
}

func gateOf(t *testing.T, name string, f policy.Fence, p policy.Purchase) policy.Gate {
	t.Helper()
	for _, g := range policy.Decide(policy.Execute, f, p).Gates() {
		if g.Name == name {
			return g
		}
	}
	t.Fatalf("no gate %s", name)
	return policy.Gate{}
}

// What a person is shown of a refusal is what was compared: amounts of the right
// token, the right cap, the right place.
func TestGatesShowWhatTheyCompared(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"a collection with caps in APE, in WAPE": "8 WAPE | a price in APE | nftBuy.collectionCaps.DENGS.maxPricePerTx in FILE",
		"another contract is called":             addrA + " | " + called + " | execution.contractAllowlist in FILE",
		"another currency":                       "APE | WAPE | nftBuy.currencyAllowlist in FILE",
		"another's contract under the name":      addrA + " | DENGS | FILE",
		"autonomous and not allowed":             "--autonomous | execution.autonomousMode true | execution.autonomousMode in FILE",
		"gas over the daily cap, price in WAPE":  "19.95 APE spent or reserved + 0.1 APE | 20 APE | execution.dailySpendCap in FILE",
		"halted":                                 "policy: stop | no HALT file in the home | HALT in the home",
		"not confirmed":                          "no phrase | BUY <collection> #<tokenId> <price> APE | execution.confirmPhraseRequired, which is not set in FILE",
		"not on the allowlist":                   "dengs, DENGS | on the allowlist, enabled, one contract | FILE",
		"not simulated":                          "none | a passed simulation of this quote | nftBuy.simulationRequired, which is not set in FILE",
		"other places":                           "6 places | 18 places | nftBuy.currencyAllowlist in FILE",
		"over the agent's cap":                   "0 APE spent or reserved + 9.6 APE | 9 APE | execution.dailySpendCap, which is not set in FILE",
		"over the caller's limit":                "9.5 APE | 9 APE | --max-price",
		"over the collection's cap":              "5.5 APE spent or reserved + 9.6 APE | 15 APE | nftBuy.collectionCaps.DENGS.dailySpendCap in FILE",
		"over the collection's price cap":        "9.6 APE | 9.5 APE | nftBuy.collectionCaps.DENGS.maxPricePerTx in FILE",
		"over the currency's cap":                "1.5 WAPE spent or reserved + 8 WAPE | 9 WAPE | execution.currencyCaps.WAPE.dailySpendCap in FILE",
		"over the currency's price cap":          "8.1 WAPE | 8 WAPE | execution.currencyCaps.WAPE.maxPricePerTx in FILE",
		"over the daily cap":                     "10.5 APE spent or reserved + 9.6 APE | 20 APE | execution.dailySpendCap in FILE",
		"over the price cap":                     "9.5 APE | 9.4 APE | nftBuy.maxPricePerTx in FILE",
		"the order is over":                      "2026-03-01T12:00:00Z | 2026-03-01T12:00:00Z | the order",
		"the quote is over":                      "2026-03-01T12:00:00Z | 2026-03-01T12:00:00Z | the quote",
		"too early":                              "2026-03-01T07:00:00Z | sun 08:00-18:00 UTC | execution.windows in FILE",
		"too much for others":                    "0.475000000000000001 APE of 9.5 APE | 5% | nftBuy.maxMarketplaceFeeBps in FILE",
		"unreadable":                             "unreadable | every policy and allowlist file reads strictly | ",
		"what is called is unknown":              "unknown | " + called + " | execution.contractAllowlist in FILE",
		"what others get is unknown":             "unknown | 5% | nftBuy.maxMarketplaceFeeBps in FILE",
		"would fail":                             "failed | a passed simulation of this quote | nftBuy.simulationRequired, which is not set in FILE",
	}
	for name, r := range each(t) {
		f, p := allowed(t)
		r.change(&f, &p)
		if got := seen(f, gateOf(t, r.gate, f, p)); got != want[name] {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want[name])
		}
	}
	wide := func(f *policy.Fence, _ *policy.Purchase) { // no collection of its own, nothing asked
		f.Policy.NFTBuy.CollectionCaps = nil
		f.Policy.NFTBuy.SimulationRequired, f.Policy.Execution.ConfirmPhraseRequired = false, false
		f.Policy.Execution.Windows, f.Policy.Execution.Contracts = nil, nil
	}
	for name, c := range map[string]struct {
		gate, want string
		change     func(*policy.Fence, *policy.Purchase)
	}{
		"halt":              {policy.GateHalt, "not halted | no HALT file in the home | HALT in the home", nil},
		"policy":            {policy.GatePolicy, "read: FILE | every policy and allowlist file reads strictly | ", nil},
		"window":            {policy.GateWindow, "2026-03-01T12:00:00Z | sun 08:00-18:00 UTC | execution.windows in FILE", nil},
		"no windows":        {policy.GateWindow, "2026-03-01T12:00:00Z | always | execution.windows in FILE", wide},
		"currency":          {policy.GateCurrency, "APE | APE, WAPE | nftBuy.currencyAllowlist in FILE", nil},
		"no currency":       {policy.GateCurrency, "APE | none | nftBuy.currencyAllowlist in FILE", func(f *policy.Fence, _ *policy.Purchase) { f.Policy.NFTBuy.Currencies = nil }},
		"collection":        {policy.GateCollection, "dengs, DENGS | on the allowlist, enabled, one contract | FILE", nil},
		"contract to come":  {policy.GateCollection, "dengs | on the allowlist, enabled, one contract | FILE", func(_ *policy.Fence, p *policy.Purchase) { p.Contract = "" }},
		"no collection":     {policy.GateCollection, "not resolved | on the allowlist, enabled, one contract | FILE", func(_ *policy.Fence, p *policy.Purchase) { p.Collection, p.Contract = policy.Entry{}, "" }},
		"no allowlist":      {policy.GateCollection, "dengs, DENGS | on the allowlist, enabled, one contract | the allowlist", func(f *policy.Fence, _ *policy.Purchase) { f.Allowlist = nil }},
		"contract":          {policy.GateContract, called + " | " + called + " | execution.contractAllowlist in FILE", nil},
		"any contract":      {policy.GateContract, called + " | any that is known for the chain | execution.contractAllowlist in FILE", wide},
		"no caller's limit": {policy.GateMaxPrice, "9.5 APE | none given | --max-price", nil},
		"both price caps":   {policy.GatePrice, "9.5 APE | 9.5 APE | nftBuy.collectionCaps.DENGS.maxPricePerTx in FILE", nil},
		"the price cap is stricter": {policy.GatePrice, "9.5 APE | 9.5 APE | nftBuy.maxPricePerTx in FILE", func(f *policy.Fence, _ *policy.Purchase) {
			own := f.Policy.NFTBuy.CollectionCaps[dengs]
			own.MaxPricePerTx = capOf(t, "9.6")
			f.Policy.NFTBuy.MaxPricePerTx, f.Policy.NFTBuy.CollectionCaps[dengs] = capOf(t, "9.5"), own
		}},
		"over both price caps": {policy.GatePrice, "10.1 APE | 10 APE | nftBuy.maxPricePerTx in FILE", func(_ *policy.Fence, p *policy.Purchase) { p.Price = amount(t, "10.1") }},
		"no price cap": {policy.GatePrice, "9.5 APE | unlimited | nftBuy.maxPricePerTx in FILE", func(f *policy.Fence, p *policy.Purchase) {
			wide(f, p)
			f.Policy.NFTBuy.MaxPricePerTx = policy.Cap{Unlimited: true}
		}},
		"fee":                      {policy.GateFee, "0.475 APE of 9.5 APE | 5% | nftBuy.maxMarketplaceFeeBps in FILE", nil},
		"quote":                    {policy.GateQuote, "2026-03-01T12:00:00Z | 2026-03-01T12:01:00Z | the quote", nil},
		"the hour is not known":    {policy.GateWindow, "unknown | sun 08:00-18:00 UTC | execution.windows in FILE", func(_ *policy.Fence, p *policy.Purchase) { p.Now = time.Time{} }},
		"a time that is not known": {policy.GateQuote, "unknown | 2026-03-01T13:00:00Z | the order", func(_ *policy.Fence, p *policy.Purchase) { p.ChainNow = time.Time{} }},
		"simulation":               {policy.GateSimulation, "passed | a passed simulation of this quote | nftBuy.simulationRequired, which is not set in FILE", nil},
		"a stale one, not asked": {policy.GateSimulation, "stale | not required by nftBuy.simulationRequired | nftBuy.simulationRequired, which is not set in FILE", func(f *policy.Fence, p *policy.Purchase) {
			wide(f, p)
			p.Simulation.State = policy.SimStale
		}},
		"phrase": {policy.GatePhrase, "a phrase | BUY <collection> #<tokenId> <price> APE | execution.confirmPhraseRequired, which is not set in FILE", nil},
		"no phrase asked": {policy.GatePhrase, "no phrase | not required by execution.confirmPhraseRequired | execution.confirmPhraseRequired, which is not set in FILE", func(f *policy.Fence, p *policy.Purchase) {
			wide(f, p)
			p.Confirm = ""
		}},
		"autonomous": {policy.GatePhrase, "--autonomous | allowed by execution.autonomousMode | execution.autonomousMode in FILE", func(_ *policy.Fence, p *policy.Purchase) { p.Autonomous, p.Confirm = true, "" }},
		"autonomous, no daily cap": {policy.GatePhrase, "--autonomous | a daily cap | execution.dailySpendCap in FILE", func(f *policy.Fence, p *policy.Purchase) {
			p.Autonomous, f.Policy.Execution.DailySpendCap = true, policy.Cap{Unlimited: true}
		}},
		"the tightest cap is the second": {policy.GateSpend, "0 APE spent or reserved + 9.6 APE | 15 APE | nftBuy.collectionCaps.DENGS.dailySpendCap in FILE", nil},
		"the tightest cap is the first":  {policy.GateSpend, "8 APE spent or reserved + 9.6 APE | 20 APE | execution.dailySpendCap in FILE", func(_ *policy.Fence, p *policy.Purchase) { spent(t, p, "execution.dailySpendCap", "8") }},
		"two caps as tight":              {policy.GateSpend, "5 APE spent or reserved + 9.6 APE | 20 APE | execution.dailySpendCap in FILE", func(_ *policy.Fence, p *policy.Purchase) { spent(t, p, "execution.dailySpendCap", "5") }},
		"one cap, one lifted": {policy.GateSpend, "0 APE spent or reserved + 9.6 APE | 15 APE | nftBuy.collectionCaps.DENGS.dailySpendCap in FILE", func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.Execution.DailySpendCap = policy.Cap{Unlimited: true}
			uses(f, p)
		}},
		"one lifted, one cap": {policy.GateSpend, "0 APE spent or reserved + 9.6 APE | 20 APE | execution.dailySpendCap in FILE", func(f *policy.Fence, p *policy.Purchase) {
			own := f.Policy.NFTBuy.CollectionCaps[dengs]
			own.Daily = policy.Cap{Unlimited: true}
			f.Policy.NFTBuy.CollectionCaps[dengs] = own
			uses(f, p)
		}},
		"no cap": {policy.GateSpend, "0 APE spent or reserved + 9.6 APE | unlimited | execution.dailySpendCap in FILE", func(f *policy.Fence, p *policy.Purchase) {
			wide(f, p)
			f.Policy.Execution.DailySpendCap = policy.Cap{Unlimited: true}
			uses(f, p)
		}},
		"WAPE up to its cap": {policy.GateSpend, "1 WAPE spent or reserved + 8 WAPE | 9 WAPE | execution.currencyCaps.WAPE.dailySpendCap in FILE", func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			spent(t, p, "execution.currencyCaps.WAPE", "1")
		}},
	} {
		f, p := allowed(t)
		if c.change != nil {
			c.change(&f, &p)
		}
		if got := seen(f, gateOf(t, c.gate, f, p)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// What lies one beside what a gate lets through, where another gate would refuse
// too, or another value of the same field.
func TestGateEdges(t *testing.T) {
	t.Parallel()
	always := [][]policy.TimeWindow{}
	for name, c := range map[string]struct {
		gate   string
		code   fault.Code // "": it lets it through
		change func(*policy.Fence, *policy.Purchase)
	}{
		"what time it is is not known, whatever the windows": {policy.GateWindow, fault.OutsideWindow, func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.Execution.Windows, p.Now = always, time.Time{}
		}},
		"the called contract in capitals": {policy.GateContract, fault.ContractNotAllowed, func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.Execution.Contracts, p.Target = nil, "0x"+strings.ToUpper(dengs[2:])
		}},
		"an entry without a contract": {policy.GateCollection, fault.CollectionNotAllowed, func(_ *policy.Fence, p *policy.Purchase) {
			p.Collection.ContractAddress, p.Contract = "", ""
		}},
		"no listing yet": {policy.GateCollection, "", func(_ *policy.Fence, p *policy.Purchase) { p.Contract = "" }},
		"WAPE of another chain": {policy.GatePrice, fault.PriceOverLimit, func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			p.Asset.ChainID = 1
		}},
		"WAPE where the collection's caps are lifted": {policy.GatePrice, "", func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			f.Policy.NFTBuy.CollectionCaps[dengs] = policy.Caps{MaxPricePerTx: policy.Cap{Unlimited: true}, Daily: policy.Cap{Unlimited: true}}
		}},
		"WAPE where only the collection's price is bounded": {policy.GatePrice, fault.PriceOverLimit, func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			f.Policy.NFTBuy.CollectionCaps[dengs] = policy.Caps{MaxPricePerTx: capOf(t, "100"), Daily: policy.Cap{Unlimited: true}}
		}},
		"WAPE where only the collection's day is bounded": {policy.GatePrice, fault.PriceOverLimit, func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			f.Policy.NFTBuy.CollectionCaps[dengs] = policy.Caps{MaxPricePerTx: policy.Cap{Unlimited: true}, Daily: capOf(t, "100")}
		}},
		"WAPE where only an agent's day is bounded": {policy.GatePrice, fault.PriceOverLimit, func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			most := capOf(t, "100")
			f.Policy.NFTBuy.CollectionCaps[dengs] = policy.Caps{MaxPricePerTx: policy.Cap{Unlimited: true}, Daily: policy.Cap{Unlimited: true}, AgentDaily: &most}
		}},
		"a token that no daily cap covers": {policy.GateSpend, fault.CapExceeded, func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			f.Policy.Execution.CurrencyCaps = nil
			uses(f, p)
		}},
		"fees are not capped": {policy.GateFee, "", func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.NFTBuy.MaxMarketplaceFee, p.OthersGet = policy.FeeCap{Unlimited: true}, nil
		}},
		"another token than the listed address": {policy.GateCurrency, fault.CurrencyNotAllowed, func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			f.Policy.NFTBuy.Currencies = []string{usdc}
		}},
		"no token, and a symbol that nobody knows": {policy.GateCurrency, fault.CurrencyNotAllowed, func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.NFTBuy.Currencies, p.Asset.Token = []string{"NOPE"}, ""
		}},
		"the token of the listed address": {policy.GateCurrency, "", func(f *policy.Fence, p *policy.Purchase) {
			inWAPE(t, f, p)
			f.Policy.NFTBuy.Currencies = []string{usdc, "0x" + strings.ToUpper(wape[2:])}
		}},
		"a stale simulation where none is asked": {policy.GateSimulation, "", func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.NFTBuy.SimulationRequired, p.Simulation.State = false, policy.SimStale
		}},
		"no phrase where none is asked": {policy.GatePhrase, "", func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.Execution.ConfirmPhraseRequired, p.Confirm = false, ""
		}},
		"a wrong phrase where none is asked": {policy.GatePhrase, fault.ConfirmationMismatch, func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.Execution.ConfirmPhraseRequired, p.Confirm = false, "BUY dengs #7 9 APE"
		}},
		"autonomous under a daily cap of nothing": {policy.GatePhrase, fault.PolicyBlocked, func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.Execution.DailySpendCap, p.Autonomous = policy.Cap{}, true
		}},
		"autonomous under a lifted cap, whatever else it holds": {policy.GatePhrase, fault.PolicyBlocked, func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.Execution.DailySpendCap, p.Autonomous = policy.Cap{Unlimited: true, Max: amount(t, "1")}, true
		}},
		"autonomous under the agent's cap alone": {policy.GatePhrase, "", func(f *policy.Fence, p *policy.Purchase) {
			most := capOf(t, "9")
			f.Policy.Execution.DailySpendCap, f.Policy.Execution.AgentCap, p.Autonomous = policy.Cap{Unlimited: true}, &most, true
		}},
		"autonomous under a lifted agent's cap": {policy.GatePhrase, fault.PolicyBlocked, func(f *policy.Fence, p *policy.Purchase) {
			f.Policy.Execution.DailySpendCap, f.Policy.Execution.AgentCap, p.Autonomous = policy.Cap{Unlimited: true}, &policy.Cap{Unlimited: true}, true
		}},
	} {
		f, p := allowed(t)
		c.change(&f, &p)
		if g := gateOf(t, c.gate, f, p); g.Code != c.code {
			t.Errorf("%s: %+v, want %q", name, g, c.code)
		}
	}
}

// What would let a purchase through is said: to set a cap of nothing, to raise
// another, and where nothing better is known, doctor.
func TestGatesSayWhatToDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gate, says string
		change     func(*policy.Fence, *policy.Purchase)
	}{
		"a price cap of nothing": {policy.GatePrice, "set nftBuy.maxPricePerTx", func(f *policy.Fence, _ *policy.Purchase) { f.Policy.NFTBuy.MaxPricePerTx = policy.Cap{} }},
		"a price cap":            {policy.GatePrice, "raise nftBuy.maxPricePerTx", func(f *policy.Fence, _ *policy.Purchase) { f.Policy.NFTBuy.MaxPricePerTx = capOf(t, "1") }},
		"a broken file":          {policy.GatePolicy, "run ape-claw doctor", func(f *policy.Fence, _ *policy.Purchase) { f.Err = fault.New(fault.PolicyInvalid, "x") }},
		"a broken file, hinted": {policy.GatePolicy, "correct it", func(f *policy.Fence, _ *policy.Purchase) {
			f.Err = fault.New(fault.PolicyInvalid, "x").Hintf("correct it")
		}},
		"a broken ledger": {policy.GateSpend, "run ape-claw doctor", func(_ *policy.Fence, p *policy.Purchase) { p.SpentErr = fault.New(fault.StateUnusable, "x") }},
		"a broken ledger, hinted": {policy.GateSpend, "restore it", func(_ *policy.Fence, p *policy.Purchase) {
			p.SpentErr = fault.New(fault.StateUnusable, "x").Hintf("restore it")
		}},
	} {
		f, p := allowed(t)
		c.change(&f, &p)
		g := gateOf(t, c.gate, f, p)
		if !strings.Contains(g.Change, c.says) || g.Code == "" {
			t.Errorf("%s: %+v, want %q", name, g, c.says)
		}
		if want := c.says; c.says == "run ape-claw doctor" && g.Change != want {
			t.Errorf("%s: %q", name, g.Change)
		}
	}
}

// A refusal as an error carries what was compared, and nothing where nothing was.
func TestGateFault(t *testing.T) {
	t.Parallel()
	g := policy.Gate{Name: "x", Code: fault.CapExceeded, Reason: "no", Measured: "1", Limit: "2", Setting: "3", Change: "wait"}
	d := g.Fault().Details
	if d["gate"] != "x" || d["measured"] != "1" || d["limit"] != "2" || d["setting"] != "3" {
		t.Errorf("%v", d)
	}
	d = policy.Gate{Name: "x", Code: fault.CapExceeded}.Fault().Details
	for _, k := range []string{"measured", "limit", "setting"} {
		if _, ok := d[k]; ok {
			t.Errorf("%s in %v", k, d)
		}
	}
}

// The listing's contract is what counts in the ledger; before there is a listing,
// the allowlist's.
func TestPurchaseScope(t *testing.T) {
	t.Parallel()
	p := policy.Purchase{Asset: ape, Subject: "agent:a", Collection: policy.Entry{ContractAddress: dengs}}
	if got := p.Scope(); got != (policy.Scope{Asset: ape, Subject: "agent:a", Collection: dengs}) {
		t.Errorf("%+v", got)
	}
	p.Contract = "0x" + strings.ToUpper(wape[2:])
	if got := p.Scope().Collection; got != wape {
		t.Error(got)
	}
}

// The stricter of two caps, whichever comes first; what a lifted one holds beside
// is not read.
func TestCapMin(t *testing.T) {
	t.Parallel()
	five, six, lifted := capOf(t, "5"), capOf(t, "6"), policy.Cap{Unlimited: true}
	for _, c := range []struct{ a, b, want policy.Cap }{{five, six, five}, {six, five, five}, {five, lifted, five}, {lifted, five, five}, {lifted, lifted, lifted}, {policy.Cap{}, six, policy.Cap{}}} {
		if got := c.a.Min(c.b); got != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
	two, three, all := policy.FeeCap{Max: 2}, policy.FeeCap{Max: 3}, policy.FeeCap{Unlimited: true}
	for _, c := range []struct{ a, b, want policy.FeeCap }{{two, three, two}, {three, two, two}, {two, all, two}, {all, two, two}, {all, all, all}} {
		if got := c.a.Min(c.b); got != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
	if lifted.Decimal(18) != "unlimited" || five.Decimal(18) != "5" || all.String() != "unlimited" || two.String() != "0.02%" {
		t.Errorf("%s %s %s %s", lifted.Decimal(18), five.Decimal(18), all, two)
	}
}

// Each field of the transaction is held against the decision by itself, and the
// refusal names it.
func TestAuthorizeHoldsEachField(t *testing.T) {
	t.Parallel()
	later := newClock().now().Add(time.Minute)
	for name, c := range map[string]struct {
		says   string
		decide func(*policy.Purchase)
		change func(*policy.Tx)
	}{
		"another chain":      {"chain or currency", nil, func(x *policy.Tx) { x.ChainID = 1 }},
		"a wei more":         {"value", nil, func(x *policy.Tx) { x.Value = amount(t, "9.500000000000000001") }},
		"a wei more gas":     {"fee limit", nil, func(x *policy.Tx) { x.FeeCap = amount(t, "0.100000000000000001") }},
		"no token contract":  {"token contract", func(p *policy.Purchase) { p.Contract = "" }, func(*policy.Tx) {}},
		"another is called":  {"called contract", nil, func(x *policy.Tx) { x.To[19] = 1 }},
		"no key":             {"key, data or target", nil, func(x *policy.Tx) { x.Key = "" }},
		"no data":            {"key, data or target", nil, func(x *policy.Tx) { x.Data = nil }},
		"nobody is called":   {"key, data or target", func(p *policy.Purchase) { p.Target = "0x" + strings.Repeat("0", 40) }, func(x *policy.Tx) { x.To = [20]byte{} }},
		"a byte of data":     {"", nil, func(x *policy.Tx) { x.Data = []byte{1} }},
		"a lower value":      {"", nil, func(x *policy.Tx) { x.Value = amount(t, "9.4") }},
		"less gas":           {"", nil, func(x *policy.Tx) { x.FeeCap = amount(t, "0.01") }},
		"exactly as decided": {"", nil, func(*policy.Tx) {}},
	} {
		x := granted(t)
		c.change(&x)
		_, err := decide(t, policy.Execute, c.decide).Authorize(x, later)
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.says != "" && (fault.CodeOf(err) != fault.UnsafeTransaction || !strings.Contains(err.Error(), "the transaction's "+c.says+" is not")):
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// What is reserved is what the transaction pays: its value in the native token,
// the price in another, where the value is gas alone.
func TestGrantReservesWhatIsPaid(t *testing.T) {
	t.Parallel()
	db, c := openMoney(t, t.TempDir()), newClock()
	l := policy.NewLedger(db, c.now)
	redeem := func(d policy.Decision, x policy.Tx) []policy.Reservation {
		t.Helper()
		g, err := d.Authorize(x, c.now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		var rs []policy.Reservation
		if err := inTx(t.Context(), db, func(tx *sql.Tx) (err error) {
			rs, err = l.Redeem(t.Context(), tx, g, x)
			return err
		}); err != nil || len(rs) != 2 {
			t.Fatal(rs, err)
		}
		return rs
	}
	x := granted(t)
	x.Value = amount(t, "9.4")
	if rs := redeem(decide(t, policy.Execute, nil), x); rs[0].Amount != x.Value || rs[0].Asset != ape || rs[0].Collection != dengs || rs[1].Collection != dengs {
		t.Errorf("%+v", rs)
	}
	f, p := allowed(t)
	inWAPE(t, &f, &p)
	x.Value = units.Wei{}
	rs := redeem(policy.Decide(policy.Execute, f, p), x)
	if rs[0].Amount != amount(t, "8") || rs[0].Asset != p.Asset || rs[1].Amount != x.FeeCap || rs[1].Asset != ape {
		t.Errorf("%+v", rs)
	}
}
