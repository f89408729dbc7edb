package policy_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	dengs = "0x2cf92fe634909a9cf5e41291f54e5784d234cf8d"
	// called is what granted calls.
	called = "0x7002000000000000000000000000000000000000"
	wape   = "0x48b62137edfa95a428d35c09e44256a739f6b557"
)

const openPolicy = `{"nftBuy":{"maxPricePerTx":10,"currencyAllowlist":["APE","WAPE"]},
	"execution":{"dailySpendCap":20,"autonomousMode":true}}`

// fence loads a policy from a home of its own.
func fence(t testing.TB, policyText string) policy.Fence {
	t.Helper()
	f := policy.LoadFence(homeWith(t, policyText))
	if f.Err != nil {
		t.Fatal(f.Err)
	}
	return f
}

func homeWith(t testing.TB, policyText string) policy.Sources {
	t.Helper()
	src := policy.Sources{Home: t.TempDir()}
	if policyText != "" {
		write(t, src.Home, "policy.json", policyText)
	}
	return src
}

// purchase is one that every gate of openPolicy lets through.
func purchase(t testing.TB, f policy.Fence) policy.Purchase {
	t.Helper()
	e, err := f.Allowlist.Resolve("dengs")
	if err != nil {
		t.Fatal(err)
	}
	now := newClock().now()
	p := policy.Purchase{
		Collection: e, Contract: dengs, Target: called, TokenID: "7",
		Asset: ape, Currency: "APE", Decimals: 18,
		Price: amount(t, "9.5"), FeeLimit: amount(t, "0.1"),
		Now: now, QuoteExpires: now.Add(time.Minute), ChainNow: now, OrderExpires: now.Add(time.Hour),
		Simulation: policy.Simulation{State: policy.SimPassed},
		Confirm:    "BUY dengs #7 9.5 APE",
	}
	for _, l := range f.Policy.Limits(p.Scope()) {
		p.Spent = append(p.Spent, policy.Use{Limit: l})
	}
	return p
}

func TestGates(t *testing.T) {
	t.Parallel()
	type change = func(*policy.Fence, *policy.Purchase)
	for name, c := range map[string]struct {
		policy string // "": openPolicy
		change change
		gate   string // that refuses; "": none
		code   fault.Code
		stage  policy.Stage // the first stage at which it refuses
	}{
		"all well": {change: func(*policy.Fence, *policy.Purchase) {}},
		"halted":   {change: func(f *policy.Fence, _ *policy.Purchase) { f.Halt = []string{"policy: stop"} }, gate: "halt", code: fault.Halted, stage: policy.DryRun},
		"policy unreadable": {change: func(f *policy.Fence, _ *policy.Purchase) {
			*f = policy.Fence{Err: fault.New(fault.PolicyInvalid, "bad")}
		}, gate: "policy", code: fault.PolicyInvalid},
		"no policy at all": {change: func(f *policy.Fence, _ *policy.Purchase) { *f = policy.Fence{} }, gate: "policy", code: fault.PolicyInvalid},
		"currency not listed": {change: func(_ *policy.Fence, p *policy.Purchase) {
			p.Asset.Token, p.Currency = "0x00000000000000000000000000000000000000aa", "USDC"
		}, gate: "currency", code: fault.CurrencyNotAllowed},
		"a token that calls itself APE": {change: func(_ *policy.Fence, p *policy.Purchase) {
			p.Asset.Token = "0x00000000000000000000000000000000000000aa"
		}, gate: "currency", code: fault.CurrencyNotAllowed},
		"a token that calls itself WAPE": {change: func(_ *policy.Fence, p *policy.Purchase) {
			p.Asset.Token, p.Currency = "0x00000000000000000000000000000000000000aa", "WAPE"
		}, gate: "currency", code: fault.CurrencyNotAllowed},
		"another chain's coin": {change: func(_ *policy.Fence, p *policy.Purchase) { p.Asset.ChainID = 1 }, gate: "currency", code: fault.CurrencyNotAllowed},
		"no currency":          {change: func(_ *policy.Fence, p *policy.Purchase) { p.Asset = policy.Asset{} }, gate: "currency", code: fault.CurrencyNotAllowed},
		"collection refused": {change: func(_ *policy.Fence, p *policy.Purchase) {
			p.CollectionErr = fault.New(fault.CollectionAmbiguous, "two")
		}, gate: "collection", code: fault.CollectionAmbiguous},
		"collection not resolved": {change: func(_ *policy.Fence, p *policy.Purchase) { p.Collection = policy.Entry{} }, gate: "collection", code: fault.CollectionNotAllowed},
		"collection disabled":     {change: func(_ *policy.Fence, p *policy.Purchase) { p.Collection.Enabled = false }, gate: "collection", code: fault.CollectionNotAllowed},
		"another contract":        {change: func(_ *policy.Fence, p *policy.Purchase) { p.Contract = wape }, gate: "collection", code: fault.CollectionNotAllowed},
		"over the caller's limit": {change: func(_ *policy.Fence, p *policy.Purchase) {
			most := amount(t, "9.499999999999999999")
			p.MaxPrice = &most
		}, gate: "max-price", code: fault.PriceOverLimit},
		"at the caller's limit": {change: func(_ *policy.Fence, p *policy.Purchase) { most := p.Price; p.MaxPrice = &most }},
		"over maxPricePerTx": {change: func(_ *policy.Fence, p *policy.Purchase) {
			p.Price, p.Confirm = amount(t, "10.000000000000000001"), "BUY dengs #7 10.000000000000000001 APE"
		}, gate: "price", code: fault.PriceOverLimit, stage: policy.DryRun},
		"at maxPricePerTx": {change: func(_ *policy.Fence, p *policy.Purchase) {
			p.Price, p.Confirm = amount(t, "10"), "BUY dengs #7 10 APE"
		}},
		"maxPricePerTx missing": {policy: `{"nftBuy":{"currencyAllowlist":["APE"]},"execution":{"dailySpendCap":20}}`,
			change: func(*policy.Fence, *policy.Purchase) {}, gate: "price", code: fault.PriceOverLimit, stage: policy.DryRun},
		"an APE limit says nothing of WAPE": {change: func(_ *policy.Fence, p *policy.Purchase) {
			p.Asset.Token, p.Currency, p.Confirm = wape, "WAPE", "BUY dengs #7 9.5 WAPE"
		}, gate: "price", code: fault.PriceOverLimit, stage: policy.DryRun},
		"quote expired":       {change: func(_ *policy.Fence, p *policy.Purchase) { p.QuoteExpires = p.Now }, gate: "quote", code: fault.QuoteExpired, stage: policy.DryRun},
		"order expired":       {change: func(_ *policy.Fence, p *policy.Purchase) { p.OrderExpires = p.ChainNow }, gate: "quote", code: fault.QuoteExpired, stage: policy.DryRun},
		"order time unknown":  {change: func(_ *policy.Fence, p *policy.Purchase) { p.ChainNow = time.Time{} }, gate: "quote", code: fault.QuoteExpired, stage: policy.DryRun},
		"no simulation":       {change: func(_ *policy.Fence, p *policy.Purchase) { p.Simulation = policy.Simulation{} }, gate: "simulation", code: fault.SimulationRequired, stage: policy.DryRun},
		"stale simulation":    {change: func(_ *policy.Fence, p *policy.Purchase) { p.Simulation.State = policy.SimStale }, gate: "simulation", code: fault.SimulationRequired, stage: policy.DryRun},
		"unknown simulation":  {change: func(_ *policy.Fence, p *policy.Purchase) { p.Simulation.State = 99 }, gate: "simulation", code: fault.SimulationRequired, stage: policy.DryRun},
		"simulation failed":   {change: func(_ *policy.Fence, p *policy.Purchase) { p.Simulation.State = policy.SimFailed }, gate: "simulation", code: fault.SimulationFailed, stage: policy.DryRun},
		"no simulation asked": {policy: strings.Replace(openPolicy, `"nftBuy":{`, `"nftBuy":{"simulationRequired":false,`, 1), change: func(_ *policy.Fence, p *policy.Purchase) { p.Simulation = policy.Simulation{} }},
		"failed though none asked": {policy: strings.Replace(openPolicy, `"nftBuy":{`, `"nftBuy":{"simulationRequired":false,`, 1),
			change: func(_ *policy.Fence, p *policy.Purchase) { p.Simulation.State = policy.SimFailed }, gate: "simulation", code: fault.SimulationFailed, stage: policy.DryRun},
		"no phrase":             {change: func(_ *policy.Fence, p *policy.Purchase) { p.Confirm = "" }, gate: "phrase", code: fault.ConfirmationMismatch, stage: policy.Execute},
		"phrase of other case":  {change: func(_ *policy.Fence, p *policy.Purchase) { p.Confirm = "buy dengs #7 9.5 APE" }, gate: "phrase", code: fault.ConfirmationMismatch, stage: policy.Execute},
		"phrase with a space":   {change: func(_ *policy.Fence, p *policy.Purchase) { p.Confirm += " " }, gate: "phrase", code: fault.ConfirmationMismatch, stage: policy.Execute},
		"phrase of other price": {change: func(_ *policy.Fence, p *policy.Purchase) { p.Confirm = "BUY dengs #7 9.50 APE" }, gate: "phrase", code: fault.ConfirmationMismatch, stage: policy.Execute},
		"autonomous":            {change: func(_ *policy.Fence, p *policy.Purchase) { p.Confirm, p.Autonomous = "", true }},
		"autonomous with a wrong phrase": {change: func(_ *policy.Fence, p *policy.Purchase) { p.Confirm, p.Autonomous = "yes", true },
			gate: "phrase", code: fault.ConfirmationMismatch, stage: policy.Execute},
		"autonomous not allowed": {policy: strings.Replace(openPolicy, "true", "false", 1), change: func(_ *policy.Fence, p *policy.Purchase) { p.Autonomous = true },
			gate: "phrase", code: fault.PolicyBlocked, stage: policy.Execute},
		"autonomous without a daily cap": {policy: strings.Replace(openPolicy, `"dailySpendCap":20`, `"dailySpendCap":"unlimited"`, 1),
			change: func(_ *policy.Fence, p *policy.Purchase) { p.Confirm, p.Autonomous = "", true }, gate: "phrase", code: fault.PolicyBlocked, stage: policy.Execute},
		"no phrase asked": {policy: strings.Replace(openPolicy, `"execution":{`, `"execution":{"confirmPhraseRequired":false,`, 1), change: func(_ *policy.Fence, p *policy.Purchase) { p.Confirm = "" }},
		"cap reached": {change: func(_ *policy.Fence, p *policy.Purchase) { p.Spent[0].Spent = amount(t, "10.400000000000000001") },
			gate: "spend", code: fault.CapExceeded, stage: policy.Execute},
		"cap just fits":           {change: func(_ *policy.Fence, p *policy.Purchase) { p.Spent[0].Spent = amount(t, "10.4") }},
		"spend unknown":           {change: func(_ *policy.Fence, p *policy.Purchase) { p.Spent = nil }, gate: "spend", code: fault.CapExceeded, stage: policy.Execute},
		"spend of another limit":  {change: func(_ *policy.Fence, p *policy.Purchase) { p.Spent[0].Limit.Asset.ChainID = 1 }, gate: "spend", code: fault.CapExceeded, stage: policy.Execute},
		"ledger unreadable":       {change: func(_ *policy.Fence, p *policy.Purchase) { p.SpentErr = fault.New(fault.StateUnusable, "corrupt") }, gate: "spend", code: fault.StateUnusable, stage: policy.Execute},
		"price and fee overflow":  {change: func(_ *policy.Fence, p *policy.Purchase) { p.FeeLimit = most256(t) }, gate: "spend", code: fault.CapExceeded, stage: policy.Execute},
		"daily cap missing":       {policy: `{"nftBuy":{"maxPricePerTx":10,"currencyAllowlist":["APE"]}}`, change: func(*policy.Fence, *policy.Purchase) {}, gate: "spend", code: fault.CapExceeded, stage: policy.Execute},
		"foreign error of theirs": {change: func(_ *policy.Fence, p *policy.Purchase) { p.CollectionErr = errors.New("boom") }, gate: "collection", code: fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := c.policy
			if text == "" {
				text = openPolicy
			}
			f := fence(t, text)
			p := purchase(t, f)
			c.change(&f, &p)
			for stage := policy.Inspect; stage <= policy.Execute; stage++ {
				checkRefusal(t, policy.Decide(stage, f, p), stage >= c.stage, c.gate, c.code)
			}
		})
	}
}

// checkRefusal wants the gate to be the first to refuse, when it applies.
func checkRefusal(t *testing.T, d policy.Decision, applies bool, gate string, code fault.Code) {
	t.Helper()
	block := d.WouldBlock()
	if gate == "" || !applies {
		if len(block) != 0 || d.Refusal() != nil {
			t.Fatalf("refused: %+v", block)
		}
		return
	}
	if len(block) == 0 || block[0].Name != gate || block[0].Code != code || block[0].Reason == "" {
		t.Fatalf("want %s to refuse with %s, got %+v", gate, code, block)
	}
	e := fault.From(d.Refusal())
	if e.Code != code || e.Sent != fault.SentNo || e.Details["gate"] != gate {
		t.Fatalf("refusal %+v", e)
	}
}

func most256(t testing.TB) units.Wei {
	w, err := units.ParseBase("115792089237316195423570985008687907853269984665640564039457584007913129639935")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestGatesInOrder(t *testing.T) {
	t.Parallel()
	f := fence(t, openPolicy)
	names := func(d policy.Decision) string {
		var out []string
		for _, g := range d.Gates() {
			out = append(out, g.Name)
		}
		return strings.Join(out, " ")
	}
	for stage, want := range []string{
		"policy currency collection max-price",
		"halt policy window currency collection contract max-price price marketplace-fee quote simulation",
		"halt policy window currency collection contract max-price price marketplace-fee quote simulation phrase spend",
	} {
		if got := names(policy.Decide(policy.Stage(stage), f, purchase(t, f))); got != want {
			t.Errorf("stage %d: %s", stage, got)
		}
	}
	// Everything wrong at once: the first in order is the refusal, all are listed.
	f.Halt = []string{"policy"}
	d := policy.Decide(policy.Execute, f, policy.Purchase{})
	wantCode(t, d.Refusal(), fault.Halted)
	if n := len(d.WouldBlock()); n != 9 { // all but policy, window, max-price and marketplace-fee
		t.Errorf("%d gates refuse an empty purchase: %+v", n, d.WouldBlock())
	}
	if (policy.Decision{}).Refusal() == nil {
		t.Error("a decision that nobody made lets through")
	}
}

func TestCurrencyByAddress(t *testing.T) {
	t.Parallel()
	f := fence(t, strings.Replace(openPolicy, `"WAPE"`, `"0x48b62137EdfA95a428D35C09E44256a739F6B557"`, 1))
	p := purchase(t, f)
	p.Asset.Token, p.Currency = wape, "whatever"
	if d := policy.Decide(policy.Inspect, f, p); d.Refusal() != nil {
		t.Fatal(d.Refusal())
	}
}

func TestBuyPhrase(t *testing.T) {
	t.Parallel()
	for price, want := range map[string]string{
		"0.0000001": "BUY dengs #7 0.0000001 APE", "1000000000000000000000": "BUY dengs #7 1000000000000000000000 APE", "2.50": "BUY dengs #7 2.5 APE",
	} {
		if got := policy.BuyPhrase("dengs", "7", amount(t, price), 18, "APE"); got != want {
			t.Errorf("%q", got)
		}
	}
}

// recorder keeps what was recorded, or fails.
type recorder struct {
	drafts []telemetry.Draft
	err    error
}

func (r *recorder) Record(_ context.Context, d telemetry.Draft) error {
	r.drafts = append(r.drafts, d)
	return r.err
}

func TestBlocked(t *testing.T) {
	t.Parallel()
	f := fence(t, openPolicy)
	p := purchase(t, f)
	p.Confirm = ""
	refusal := policy.Decide(policy.Execute, f, p).Refusal()
	rec := &recorder{}
	if got := policy.Blocked(t.Context(), rec, "ape-claw nft buy", false, refusal); got != refusal || len(rec.drafts) != 1 {
		t.Fatalf("%v, %+v", got, rec.drafts)
	}
	d := rec.drafts[0]
	payload, result := d.Payload.(map[string]any), d.Result.(map[string]any)
	if d.Type != "policy.blocked" || payload["command"] != "ape-claw nft buy" || payload["reason"] != d.Err || result["blocked"] != true ||
		result["reason"] != d.Err || result["code"] != "confirmation_mismatch" || result["gate"] != "phrase" {
		t.Fatalf("%+v", d)
	}
	line, err := telemetry.NewRecorder(nil, telemetry.NewRedactor(), newClock().now, telemetry.Scope{ChainID: 33139}).Encode(d)
	if err == nil {
		err = telemetry.Validate(line)
	}
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}

	rec = &recorder{err: fault.New(fault.StateUnusable, "disk full")}
	wantCode(t, policy.Blocked(t.Context(), rec, "x", false, refusal), fault.ConfirmationMismatch)

	rec = &recorder{}
	for _, err := range []error{nil, errors.New("boom"), fault.New(fault.Upstream, "429"), fault.New(fault.StateUnusable, "full"), sql.ErrNoRows} {
		if got := policy.Blocked(t.Context(), rec, "x", false, err); got != err || len(rec.drafts) != 0 {
			t.Errorf("%v: %v, %+v", err, got, rec.drafts)
		}
	}
}

func TestHalted(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if c := policy.Halted(home); c != nil {
		t.Fatal(c)
	}
	for text, want := range map[string][]string{
		"policy: by hand\n":          {"policy: by hand"},
		"ai\n\n  policy \n":          {"ai", "policy"},
		"a\x1b[31m":                  {"a\uFFFD[31m"},
		"policy":                     {"policy"},
		strings.Repeat("x", 300):     {strings.Repeat("x", 200) + "…"},
		"policy\r\nai: too many\r\n": {"policy", "ai: too many"},
	} {
		write(t, home, "HALT", text)
		if got := policy.Halted(home); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{"", "\n \n"} {
		write(t, home, "HALT", text)
		if got := policy.Halted(home); len(got) != 1 || !strings.Contains(got[0], "gives no cause") {
			t.Errorf("%q: %q", text, got)
		}
	}
	home = filepath.Dir(filepath.Dir(write(t, t.TempDir(), "HALT/x", "")))
	if got := policy.Halted(home); len(got) != 1 || !strings.Contains(got[0], "can't be read: it is a directory") && !strings.Contains(got[0], "is a directory") {
		t.Errorf("%q", got)
	}
}
