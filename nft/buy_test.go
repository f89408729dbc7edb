package nft_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestBuyStory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, q := w.service(), w.quoted()

	_, err := s.Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
	refused(t, err, fault.SimulationRequired, "nft simulate --quote "+q.QuoteID)
	if _, err := s.Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID}); err != nil {
		t.Fatal(err)
	}
	dry, err := s.Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
	if err != nil || !dry.OK || !dry.DryRun || len(dry.WouldBlock) != 0 || dry.ConfirmPhrase != phrase || dry.TxHash != "" ||
		!strings.Contains(dry.Next, `--execute --confirm "`+phrase+`"`) {
		t.Fatalf("%+v, %v", dry, err)
	}
	_, err = s.Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true})
	f := refused(t, err, fault.ConfirmationMismatch)
	if len(w.sent) != 0 || strings.Contains(f.Message+f.Hint, phrase) {
		t.Fatalf("sent %d; %s %s", len(w.sent), f.Message, f.Hint)
	}
	out, err := s.Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
	if err != nil {
		t.Fatal(err)
	}
	if !out.OK || out.DryRun || out.TxHash != (common.Hash{0xaa}).Hex() || out.BlockNumber != 42 || out.Owner != lower(me) ||
		out.PriceApe != "12.5" || out.FeeApe != "0.004" || out.GasUsed != 184_000 || out.Quote.Status != "confirmed" {
		t.Errorf("%+v", out)
	}
	if len(w.after) != 1 || w.after[0] != (nft.Confirmed{QuoteID: q.QuoteID, ChainID: q.ChainID, TxHash: out.TxHash}) {
		t.Errorf("told after the purchase: %+v", w.after)
	}
	const trail = "nft.quote.created policy.blocked nft.simulation.passed nft.buy.dry_run policy.blocked nft.buy.submitted nft.buy.confirmed"
	if w.trail() != trail {
		t.Errorf("events  %s\nexpected %s", w.trail(), trail)
	}
	_, err = s.Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
	refused(t, err, fault.QuoteUsed, q.QuoteID, out.TxHash)
	_, err = s.Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
	refused(t, err, fault.QuoteUsed)
	_, err = s.Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
	refused(t, err, fault.QuoteUsed)
	if w.trail() != trail { // quote_used is no gate
		t.Errorf("events  %s", w.trail())
	}
	if len(w.sent) != 1 {
		t.Fatalf("%d transactions", len(w.sent))
	}
	p := w.sent[0].Intent
	if p.Key != "nft.buy:"+q.QuoteID || p.To != seaport.Address || p.Value != w.price || p.ChainID != chainID ||
		!bytes.Equal(p.Data, w.calls[len(w.calls)-1].Data) {
		t.Errorf("sent %+v", p)
	}
	var conf struct {
		TxHash      string
		BlockNumber int
		PriceApe    json.Number
	}
	b, err := json.Marshal(w.last().Result)
	if err == nil {
		err = json.Unmarshal(b, &conf)
	}
	if err != nil || conf.TxHash != out.TxHash || conf.BlockNumber != 42 || conf.PriceApe != "12.5" {
		t.Errorf("%s, %v", b, err)
	}
	if show, err := s.QuotesShow(t.Context(), nft.QuotesShowIn{Quote: q.QuoteID}); err != nil || show.State() != "confirmed" || show.TxHash != out.TxHash {
		t.Errorf("%+v, %v", show, err)
	}
	used, err := w.ledger.Spent(t.Context(), nil, policy.NativeOf(chainID))
	if err != nil || used != ape(t, "12.51") {
		t.Errorf("reserved %s, %v", used, err)
	}
}

// TestDryRunAsksNobody: it needs neither network nor key, and signs nothing.
func TestDryRunAsksNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quoted()
	w.noKey, w.asked = true, nil
	dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Confirm: "nonsense", Autonomous: true})
	if err != nil || len(dry.WouldBlock) != 1 || dry.WouldBlock[0].Name != policy.GateSimulation || !strings.Contains(dry.Next, "nft simulate") {
		t.Fatalf("%+v, %v", dry, err)
	}
	if len(w.asked) != 0 || len(w.sent) != 0 {
		t.Errorf("asked %v", w.asked)
	}
	if d := w.last(); d.Type != "nft.buy.dry_run" || !d.DryRun {
		t.Errorf("%+v", d)
	}
}

// TestGates: each gate refuses --execute by its own code before anything is
// signed, and a dry run lists it.
func TestGates(t *testing.T) {
	t.Parallel()
	with := func(rules string) func(*world, *nft.BuyIn) {
		return func(w *world, _ *nft.BuyIn) { w.write("policy.json", `{"apechainChainId": 7733139, `+rules+`}`) }
	}
	const all = `"nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"], "simulationRequired": true}, `
	for name, tt := range map[string]struct {
		change func(*world, *nft.BuyIn)
		code   fault.Code
		gate   string // in wouldBlock of a dry run; "" is not looked at there
		error  bool   // a dry run refuses too
	}{
		"halted":        {change: func(w *world, _ *nft.BuyIn) { w.write("HALT", "ai: stop") }, code: fault.Halted, gate: policy.GateHalt},
		"broken policy": {change: func(w *world, _ *nft.BuyIn) { w.write("policy.json", `{`) }, code: fault.PolicyInvalid, error: true},
		"currency": {change: with(`"nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["WETH"]}, "execution": {"dailySpendCap": 100}`),
			code: fault.CurrencyNotAllowed, gate: policy.GateCurrency},
		"collection": {change: func(w *world, _ *nft.BuyIn) { w.write("allowlist.json", `[]`) }, code: fault.CollectionNotAllowed, gate: policy.GateCollection},
		"disabled": {change: func(w *world, _ *nft.BuyIn) {
			w.write("allowlist.json", `[{"name": "Gs", "slug": "gs-on-ape", "contractAddress": "`+contract+`", "enabled": false}]`)
		}, code: fault.CollectionNotAllowed, gate: policy.GateCollection},
		"price": {change: with(`"nftBuy": {"maxPricePerTx": "12.499999999999999999", "currencyAllowlist": ["APE"], "simulationRequired": true}, "execution": {"dailySpendCap": 100}`),
			code: fault.PriceOverLimit, gate: policy.GatePrice},
		"zero price cap": {change: with(`"nftBuy": {"maxPricePerTx": 0, "currencyAllowlist": ["APE"]}, "execution": {"dailySpendCap": 100}`),
			code: fault.PriceOverLimit, gate: policy.GatePrice},
		"quote expired":    {change: func(w *world, _ *nft.BuyIn) { w.pass(nft.QuoteTTL) }, code: fault.QuoteExpired, error: true},
		"stale simulation": {change: func(w *world, _ *nft.BuyIn) { w.pass(nft.SimulationTTL) }, code: fault.SimulationRequired, gate: policy.GateSimulation},
		"phrase missing":   {change: func(_ *world, in *nft.BuyIn) { in.Confirm = "" }, code: fault.ConfirmationMismatch},
		"phrase wrong":     {change: func(_ *world, in *nft.BuyIn) { in.Confirm = "BUY gs-on-ape #7 12.50 APE" }, code: fault.ConfirmationMismatch},
		"autonomy denied": {change: func(w *world, in *nft.BuyIn) {
			in.Confirm, in.Autonomous = "", true
			with(all+`"execution": {"dailySpendCap": 100, "confirmPhraseRequired": true, "autonomousMode": false}`)(w, in)
		}, code: fault.PolicyBlocked},
		"daily cap":           {change: with(all + `"execution": {"dailySpendCap": 12.5, "confirmPhraseRequired": true}`), code: fault.CapExceeded}, // the fee does not fit
		"zero daily cap":      {change: with(all + `"execution": {"dailySpendCap": 0, "confirmPhraseRequired": true}`), code: fault.CapExceeded},
		"no cap written down": {change: with(all + `"execution": {"confirmPhraseRequired": true}`), code: fault.CapExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.simulated()
			in := nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase}
			tt.change(w, &in)
			_, err := w.service().Buy(t.Context(), in)
			refused(t, err, tt.code)
			if len(w.sent) != 0 {
				t.Fatal("it was sent")
			}
			if d := w.last(); d.Type != "policy.blocked" || d.DryRun || d.Err == "" || d.Payload.(map[string]any)["quoteId"] != q.QuoteID {
				t.Errorf("event %+v", d)
			}
			in.Execute = false
			dry, err := w.service().Buy(t.Context(), in)
			if tt.error {
				refused(t, err, tt.code)
				if d := w.last(); d.Type != "policy.blocked" || !d.DryRun {
					t.Errorf("event %+v", d)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := len(dry.WouldBlock) > 0; got != (tt.gate != "") || got && (dry.WouldBlock[0].Name != tt.gate || dry.WouldBlock[0].Code != tt.code) {
				t.Errorf("wouldBlock %+v, expected %q", dry.WouldBlock, tt.gate)
			}
		})
	}
}

// TestSimulatedMeanwhile: the last simulation may be of another process, made after
// this one began to look. It is not from the future for that.
func TestSimulatedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	w.opens = func() {
		w.pass(time.Second)
		if _, err := w.state.ExecContext(t.Context(), `UPDATE simulations SET doc = json_set(doc, '$.at', ?)`, w.clock().Format(time.RFC3339Nano)); err != nil {
			t.Error(err)
		}
	}
	out, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
	if err != nil || len(out.WouldBlock) != 0 {
		t.Errorf("%v, %+v", err, out.WouldBlock)
	}
	w.opens = nil
	w.pass(-time.Second)
	if out, err = w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID}); err != nil || len(out.WouldBlock) != 1 || out.WouldBlock[0].Name != policy.GateSimulation {
		t.Errorf("from the future: %v, %+v", err, out.WouldBlock)
	}
}

// TestGateOrder: of several refusals, --execute tells the first.
func TestGateOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	in := nft.BuyIn{Quote: q.QuoteID, Execute: true}
	w.pass(nft.QuoteTTL)
	refuses := func(code fault.Code) {
		t.Helper()
		_, err := w.service().Buy(t.Context(), in)
		refused(t, err, code)
	}
	refuses(fault.QuoteExpired) // and the simulation is stale, and there is no phrase
	w.write("allowlist.json", `[]`)
	refuses(fault.CollectionNotAllowed)
	w.write("policy.json", `{`)
	refuses(fault.PolicyInvalid)
	w.write("HALT", "policy: stop")
	refuses(fault.Halted)
	in.Execute = false
	refuses(fault.Halted) // a dry run can't do without the policy, and tells the first cause too
}

func TestAutonomous(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	if _, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Autonomous: true}); err != nil {
		t.Fatal(err)
	}
	if len(w.sent) != 1 {
		t.Fatal("not sent")
	}
}

// TestCheaperThanQuoted: when the marketplace does not add the fee that it had
// announced, the purchase costs less than what was confirmed.
func TestCheaperThanQuoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.listing = func(l *market.Listing) { l.Price = ape(t, "12.75") }
	q := w.simulated()
	if n := len(q.Fees); n != 3 || q.Fees[2].AmountApe != "0.25" || q.Fees[2].Recipient != lower(seaport.FeeRecipient) {
		t.Errorf("fees %+v", q.Fees)
	}
	out, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: "BUY gs-on-ape #7 12.75 APE"})
	if err != nil || out.PriceApe != "12.5" || w.sent[0].Intent.Value != w.price {
		t.Fatalf("%+v, %v", out, err)
	}
}

func TestBuyNeedsAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	w.noKey = true
	_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
	refused(t, err, fault.Auth, "private key", "auth set")
	if len(w.sent) != 0 {
		t.Fatal("it was sent")
	}
}

// TestSimulationOfAnother: one made for a named address opens no gate for the key.
func TestSimulationOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quoted()
	if _, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID, From: other.Hex()}); err != nil {
		t.Fatal(err)
	}
	_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
	refused(t, err, fault.SimulationRequired, lower(other))
}

// TestTampered: whatever the marketplace puts into the fulfilment between the
// simulation and the purchase, nothing is signed.
func TestTampered(t *testing.T) {
	t.Parallel()
	order := func(change func(*seaport.BasicOrderParameters)) func(*world, *market.Fulfillment) {
		return func(w *world, f *market.Fulfillment) {
			p := seaport.Basic(w.order, make([]byte, 64))
			change(&p)
			f.InputData = w.fulfillment(p).InputData
		}
	}
	plus := func(v *big.Int) *big.Int { return new(big.Int).Add(v, big.NewInt(1)) }
	for name, change := range map[string]func(*world, *market.Fulfillment){
		"token id":  order(func(p *seaport.BasicOrderParameters) { p.OfferIdentifier = big.NewInt(8) }),
		"contract":  order(func(p *seaport.BasicOrderParameters) { p.OfferToken = other }),
		"recipient": order(func(p *seaport.BasicOrderParameters) { p.AdditionalRecipients[0].Recipient = other }),
		"seller":    order(func(p *seaport.BasicOrderParameters) { p.Offerer = other }),
		"price + 1 wei": func(w *world, f *market.Fulfillment) {
			order(func(p *seaport.BasicOrderParameters) { p.ConsiderationAmount = plus(p.ConsiderationAmount) })(w, f)
			f.Value, _ = f.Value.Add(units.FromUint64(1))
		},
		"extra recipient": func(w *world, f *market.Fulfillment) {
			order(func(p *seaport.BasicOrderParameters) {
				p.AdditionalRecipients = append(p.AdditionalRecipients, seaport.AdditionalRecipient{Amount: big.NewInt(1), Recipient: other})
			})(w, f)
			f.Value, _ = f.Value.Add(units.FromUint64(1))
		},
		"value + 1": func(_ *world, f *market.Fulfillment) { f.Value, _ = f.Value.Add(units.FromUint64(1)) },
		"value - 1": func(_ *world, f *market.Fulfillment) { f.Value, _ = f.Value.Sub(units.FromUint64(1)) },
		"target":    func(_ *world, f *market.Fulfillment) { f.To = lower(other) },
		"approval": func(_ *world, f *market.Fulfillment) {
			f.Function, f.To = "setApprovalForAll(address,bool)", contract
			f.InputData = json.RawMessage(`{"operator": "` + lower(other) + `", "approved": true}`)
		},
		"chain":     func(_ *world, f *market.Fulfillment) { f.ChainID = 33139 },
		"match":     func(_ *world, f *market.Fulfillment) { f.Function = "matchAdvancedOrders(…)" },
		"available": func(_ *world, f *market.Fulfillment) { f.Function = "fulfillAvailableAdvancedOrders(…)" },
		"suffix":    func(_ *world, f *market.Fulfillment) { f.Suffix = make([]byte, 32) },
		"no input":  func(_ *world, f *market.Fulfillment) { f.InputData = nil },
		"extra key": order(func(p *seaport.BasicOrderParameters) { p.FulfillerConduitKey[0] = 1 }),
		"times":     order(func(p *seaport.BasicOrderParameters) { p.EndTime = plus(p.EndTime) }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.simulated()
			w.propose = func(f *market.Fulfillment) { change(w, f) }
			calls := len(w.calls)
			_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
			refused(t, err, fault.UnsafeTransaction)
			if len(w.sent) != 0 || len(w.calls) != calls {
				t.Fatal("it was run or sent")
			}
			if d := w.last(); d.Type != "policy.blocked" {
				t.Errorf("event %+v", d)
			}
		})
	}
}

// TestPolicyReadAgain: what a person does between the first look and the
// signature counts.
func TestPolicyReadAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*world)
		code   fault.Code
	}{
		"halted":   {func(w *world) { w.write("HALT", "policy: stop") }, fault.Halted},
		"narrowed": {func(w *world) { w.write("allowlist.json", `[]`) }, fault.CollectionNotAllowed},
		"expired":  {func(w *world) { w.pass(nft.QuoteTTL) }, fault.QuoteExpired},
		"dear gas": {func(w *world) {
			w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"]}, "execution": {"dailySpendCap": 12.52}}`)
			w.feeCap = ape(w.t, "0.03")
		}, fault.CapExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.simulated()
			w.propose = func(*market.Fulfillment) { tt.change(w) }
			_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
			refused(t, err, tt.code)
			if len(w.sent) != 0 || w.last().Type != "policy.blocked" {
				t.Fatalf("sent %d, events %s", len(w.sent), w.trail())
			}
		})
	}
}

// TestOutcomes: a quote whose transaction left, or may have, is used; one of
// which nothing was sent is not.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err    error
		state  string
		listed string
	}{
		"reverted":    {fault.New(fault.TxReverted, "mined and failed").WithSent(fault.SentYes), "reverted", "nft quote"},
		"unknown":     {fault.New(fault.TxUnknown, "no receipt").WithSent(fault.SentMaybe), "unknown", "nft resume"},
		"not durable": {fault.New(fault.NotDurable, "disk").WithSent(fault.SentYes), "unknown", "nft resume"},
		"refused":     {fault.New(fault.Upstream, "the node refuses").WithSent(fault.SentNo), "quoted", ""},
		"canceled":    {fault.New(fault.Canceled, "canceled").WithSent(fault.SentNo), "quoted", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.simulated()
			w.submit = func() error { return tt.err }
			_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
			refused(t, err, fault.CodeOf(tt.err))
			if len(w.after) != 0 {
				t.Errorf("told of a purchase: %+v", w.after)
			}
			show, err := w.service().QuotesShow(t.Context(), nft.QuotesShowIn{Quote: q.QuoteID})
			if err != nil || show.Status != tt.state {
				t.Fatalf("state %s, %v", show.Status, err)
			}
			_, err = w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
			if tt.listed == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			refused(t, err, fault.QuoteUsed, tt.listed)
		})
	}
}

// TestConfirmed: a receipt is no purchase unless token and order say so.
func TestConfirmed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		receipt func(*chain.Receipt)
		owner   common.Address
		ok      bool
	}{
		"ours":           {owner: me, ok: true},
		"no logs":        {receipt: func(r *chain.Receipt) { r.Logs = nil }, owner: me},
		"not filled":     {receipt: func(r *chain.Receipt) { r.Logs = r.Logs[1:] }, owner: me},
		"not moved":      {receipt: func(r *chain.Receipt) { r.Logs = r.Logs[:1] }, owner: me},
		"another's logs": {receipt: func(r *chain.Receipt) { r.Logs[0].Address = other }, owner: me},
		"owner differs":  {owner: other},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.simulated()
			if _, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase}); err != nil {
				t.Fatal(err)
			}
			kept, err := w.sent[0].Intent.Story.Context()
			if err != nil {
				t.Fatal(err)
			}
			// As another process would tell it.
			again, err := nft.Restore(fakeChain{w}, kept)
			if err != nil {
				t.Fatal(err)
			}
			w.owner = tt.owner
			r := w.receipt()
			if tt.receipt != nil {
				tt.receipt(&r)
			}
			d, err := again.Confirmed(t.Context(), chain.TxInfo{Hash: common.Hash{0xaa}, Value: w.price}, r)
			if (err == nil) != tt.ok || tt.ok && d.Type != "nft.buy.confirmed" {
				t.Fatalf("%+v, %v", d, err)
			}
		})
	}
}

func TestRestoreRefusesJunk(t *testing.T) {
	t.Parallel()
	for _, junk := range []string{"", "null", "{}", "[1]"} {
		if _, err := nft.Restore(nil, json.RawMessage(junk)); err == nil {
			t.Errorf("%q was restored", junk)
		}
	}
}

// TestPartsMissing: whatever can't be had or asked ends the run with that error,
// and nothing is sent.
func TestPartsMissing(t *testing.T) {
	t.Parallel()
	down := fault.New(fault.Upstream, "down")
	for _, tt := range []struct {
		part               string
		simulate, dry, buy bool // what needs it
	}{
		{"fence", true, true, true}, {"state", true, true, true}, {"buyer", true, true, true},
		{"market", true, false, true}, {"chain", true, false, true}, {"chain id", true, false, true}, {"head", true, false, true},
		{"balance", true, false, true}, {"estimate", true, false, false},
		{"ledger", false, false, true}, {"sender", false, false, true}, {"prepare", false, false, true},
	} {
		t.Run(tt.part, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.simulated()
			w.fail[tt.part] = down
			s := w.service()
			_, err := s.Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
			if got := fault.CodeOf(err) == fault.Upstream; got != tt.simulate || !got && err != nil {
				t.Errorf("simulate: %v", err)
			}
			_, err = s.Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
			if got := fault.CodeOf(err) == fault.Upstream; got != tt.dry || !got && err != nil {
				t.Errorf("dry run: %v", err)
			}
			_, err = s.Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
			if got := fault.CodeOf(err) == fault.Upstream; got != tt.buy || !got && err != nil {
				t.Errorf("buy: %v", err)
			}
			if tt.buy && len(w.sent) != 0 {
				t.Error("it was sent")
			}
		})
	}
}

// TestNodeOfAnotherChain: the quote says which chain it is for.
func TestNodeOfAnotherChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	w.node = 33139
	_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
	refused(t, err, fault.ChainMismatch, "33139", "7733139")
	if len(w.sent) != 0 {
		t.Error("it was sent")
	}
}

// TestTwoAtOnce: of two runs with the same quote, one buys.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	var ready, done sync.WaitGroup
	ready.Add(2)
	w.propose = func(*market.Fulfillment) { ready.Done(); ready.Wait() }
	errs := make([]error, 2)
	for i := range errs {
		done.Go(func() {
			_, errs[i] = w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
		})
	}
	done.Wait()
	if errs[0] != nil {
		errs[0], errs[1] = errs[1], errs[0]
	}
	if errs[0] != nil || len(w.sent) != 1 {
		t.Fatalf("%v; sent %d", errs, len(w.sent))
	}
	refused(t, errs[1], fault.QuoteUsed)
}

// TestJournalKnowsBetter: a quote that was bought while its row could not be
// marked is marked when the journal refuses it.
func TestJournalKnowsBetter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	w.submit = func() error {
		return fault.New(fault.QuoteUsed, "used").WithSent(fault.SentNo).With("txHash", common.Hash{1}.Hex()).With("state", "sent")
	}
	_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
	refused(t, err, fault.QuoteUsed)
	show, err := w.service().QuotesShow(t.Context(), nft.QuotesShowIn{Quote: q.QuoteID})
	if err != nil || show.Status != "unknown" || show.TxHash != (common.Hash{1}).Hex() {
		t.Fatalf("%+v, %v", show, err)
	}
}
