package nft_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func gateOf(t *testing.T, gates []policy.Gate, name string) policy.Gate {
	t.Helper()
	for _, g := range gates {
		if g.Name == name {
			return g
		}
	}
	t.Fatalf("no gate %s in %+v", name, gates)
	return policy.Gate{}
}

// TestExplain: every gate in order, measured from what is saved, without a network.
func TestExplain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	asked, told := len(w.asked), w.trail()
	in := nft.ExplainIn{Command: "nft buy", Quote: q.QuoteID, Confirm: phrase}
	gates, err := w.service().Explain(t.Context(), in)
	if err != nil || len(gates) < 10 || gates[0].Name != policy.GateHalt || gates[len(gates)-1].Name != policy.GateSpend {
		t.Fatalf("%+v, %v", gates, err)
	}
	for _, g := range gates {
		if !g.OK {
			t.Errorf("%+v", g)
		}
	}
	if g := gateOf(t, gates, policy.GatePrice); g.Measured != "12.5 APE" || g.Limit != "100 APE" {
		t.Errorf("%+v", g)
	}
	if g := gateOf(t, gates, policy.GateSpend); !strings.Contains(g.Measured, "12.51") || !strings.Contains(g.Limit, "1000") {
		t.Errorf("%+v", g)
	}
	in.Confirm = "no"
	w.write("HALT", "policy: stop")
	w.pass(nft.QuoteTTL)
	gates, err = w.service().Explain(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]fault.Code{policy.GateHalt: fault.Halted, policy.GateQuote: fault.QuoteExpired, policy.GateSimulation: fault.SimulationRequired, policy.GatePhrase: fault.ConfirmationMismatch} {
		if g := gateOf(t, gates, name); g.OK || g.Code != code || g.Change == "" || strings.Contains(g.Change, phrase) {
			t.Errorf("%+v", g)
		}
	}
	if g := gateOf(t, gates, policy.GateSimulation); !strings.Contains(g.Change, q.QuoteID) {
		t.Errorf("%+v", g)
	}
	in.Command = "nft simulate"
	if gates, err = w.service().Explain(t.Context(), in); err != nil || gates[0].Name != policy.GatePolicy {
		t.Errorf("%+v, %v", gates, err)
	}
	gates, err = w.service().Explain(t.Context(), nft.ExplainIn{Command: "nft quote", Collection: "Twin", TokenID: "7", MaxPrice: "1"})
	if err != nil || gateOf(t, gates, policy.GateCollection).Code != fault.CollectionAmbiguous {
		t.Errorf("%+v, %v", gates, err)
	}
	w.write("policy.json", "{")
	for _, command := range []string{"nft quote", "nft buy"} {
		in.Command = command
		gates, err = w.service().Explain(t.Context(), in)
		if err != nil || gateOf(t, gates, policy.GatePolicy).Code != fault.PolicyInvalid {
			t.Errorf("%s: %+v, %v", command, gates, err)
		}
	}
	in.Command = "bridge quote"
	_, err = w.service().Explain(t.Context(), in)
	refused(t, err, fault.Usage, "bridge quote")
	if len(w.asked) != asked || w.trail() != told {
		t.Errorf("asked %v, events %s", w.asked[asked:], w.trail())
	}
}

// left is a world in which a purchase was signed and journaled, and its process
// ended before it was sent.
func left(t *testing.T, in nft.BuyIn) (*world, chain.Story, policy.Tx) {
	t.Helper()
	w := newWorld(t)
	q := w.simulated()
	in.Quote, in.Execute = q.QuoteID, true
	w.submit = func() error { return fault.New(fault.TxUnknown, "no receipt").WithSent(fault.SentMaybe) }
	_, err := w.service().Buy(t.Context(), in)
	refused(t, err, fault.TxUnknown)
	kept, err := w.sent[0].Intent.Story.Context()
	if err != nil {
		t.Fatal(err)
	}
	again, err := nft.Restore(fakeChain{w}, kept)
	if err != nil {
		t.Fatal(err)
	}
	return w, again, w.sent[0].PolicyTx()
}

// TestReconsider: what was signed is sent again only while everything that let it
// be signed still does. Its own reservation does not stand in its way.
func TestReconsider(t *testing.T) {
	t.Parallel()
	rules := func(daily, more string) string {
		return `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"]` + more + `}, "execution": {"dailySpendCap": ` + daily + `, "autonomousMode": true}}`
	}
	for name, tt := range map[string]struct {
		happens func(w *world, tx *policy.Tx)
		in      nft.BuyIn
		code    fault.Code
		offline bool // it is refused before the chain is asked
	}{
		"as it was":            {},
		"the cap just fits":    {happens: func(w *world, _ *policy.Tx) { w.write("policy.json", rules("12.51", "")) }},
		"the cap is narrower":  {happens: func(w *world, _ *policy.Tx) { w.write("policy.json", rules("12.509999999999999999", "")) }, code: fault.CapExceeded, offline: true},
		"halted":               {happens: func(w *world, _ *policy.Tx) { w.write("HALT", "ai: stop") }, code: fault.Halted, offline: true},
		"not allowed any more": {happens: func(w *world, _ *policy.Tx) { w.write("allowlist.json", "[]") }, code: fault.CollectionNotAllowed, offline: true},
		"too dear now": {happens: func(w *world, _ *policy.Tx) {
			w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 12, "currencyAllowlist": ["APE"]}, "execution": {"dailySpendCap": 100}}`)
		}, code: fault.PriceOverLimit, offline: true},
		"quote over":      {happens: func(w *world, _ *policy.Tx) { w.pass(nft.QuoteTTL) }, code: fault.QuoteExpired, offline: true},
		"order over":      {happens: func(w *world, _ *policy.Tx) { w.head = time.Unix(w.order.EndTime.Int64(), 0) }, code: fault.UnsafeTransaction},
		"sold":            {happens: func(w *world, _ *policy.Tx) { reverting(errorData("OrderAlreadyFilled(bytes32)", 1))(w) }, code: fault.SimulationFailed},
		"cancelled all":   {happens: func(w *world, _ *policy.Tx) { w.counter = 9 }, code: fault.SimulationFailed},
		"poor":            {happens: func(w *world, _ *policy.Tx) { w.balance = ape(w.t, "1") }, code: fault.SimulationFailed},
		"fees are capped": {happens: func(w *world, _ *policy.Tx) { w.write("policy.json", rules("100", `, "maxMarketplaceFeeBps": 599`)) }, code: fault.FeeOverLimit, offline: true},
		"fees just fit":   {happens: func(w *world, _ *policy.Tx) { w.write("policy.json", rules("100", `, "maxMarketplaceFeeBps": 600`)) }},
		"autonomous":      {in: nft.BuyIn{Autonomous: true}},
		"autonomy is taken": {in: nft.BuyIn{Autonomous: true}, happens: func(w *world, _ *policy.Tx) {
			w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"]}, "execution": {"dailySpendCap": 100, "autonomousMode": false}}`)
		}, code: fault.PolicyBlocked, offline: true},
		"a person's stays": {happens: func(w *world, _ *policy.Tx) {
			w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"]}, "execution": {"dailySpendCap": 100, "autonomousMode": false}}`)
		}},
		"other bytes":           {happens: func(_ *world, tx *policy.Tx) { tx.Data = append([]byte{}, tx.Data...); tx.Data[40] ^= 1 }, code: fault.UnsafeTransaction},
		"other value":           {happens: func(_ *world, tx *policy.Tx) { tx.Value, _ = tx.Value.Sub(units.FromUint64(1)) }, code: fault.UnsafeTransaction},
		"more value":            {happens: func(_ *world, tx *policy.Tx) { tx.Value, _ = tx.Value.Add(units.FromUint64(1)) }, code: fault.UnsafeTransaction, offline: true},
		"other key":             {happens: func(_ *world, tx *policy.Tx) { tx.Key = "nft.buy:q_other" }, code: fault.UnsafeTransaction, offline: true},
		"other target":          {happens: func(_ *world, tx *policy.Tx) { tx.To[3] ^= 1 }, code: fault.UnsafeTransaction},
		"another chain":         {happens: func(w *world, _ *policy.Tx) { w.node = 1 }, code: fault.ChainMismatch},
		"node away":             {happens: func(w *world, _ *policy.Tx) { w.fail["head"] = fault.New(fault.Upstream, "away") }, code: fault.Upstream},
		"ledger lacks its rows": {happens: func(w *world, _ *policy.Tx) { mustExec(w, `DELETE FROM spend`) }, code: fault.CapExceeded, offline: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !tt.in.Autonomous {
				tt.in.Confirm = phrase
			}
			w, told, tx := left(t, tt.in)
			if tt.happens != nil {
				tt.happens(w, &tx)
			}
			calls, told2 := len(w.calls), w.trail()
			err := w.service().Reconsider(t.Context(), told, tx)
			if fault.CodeOf(err) != tt.code {
				t.Fatalf("%v (%s), expected %q", err, fault.CodeOf(err), tt.code)
			}
			if ran := len(w.calls) > calls; tt.code == "" && !ran || tt.offline && ran {
				t.Errorf("the bytes were run: %v", ran)
			}
			if w.trail() != told2 {
				t.Errorf("events %s", w.trail())
			}
		})
	}
	if err := newWorld(t).service().Reconsider(t.Context(), strange{}, policy.Tx{}); fault.CodeOf(err) != fault.Internal {
		t.Errorf("a strange story: %v", err)
	}
}

// TestReprice: a person who pays more for gas agrees anew, and is no policy: what it
// says now has to let the purchase through, with the higher fee, of which only the
// old one is reserved. The quote's own short life and who agreed then do not count.
func TestReprice(t *testing.T) {
	t.Parallel()
	rules := func(execution, nftBuy string) string {
		return `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"]` + nftBuy + `}, "execution": {"autonomousMode": false` + execution + `}}`
	}
	open := `, "dailySpendCap": 100`
	for name, tt := range map[string]struct {
		execution, nftBuy string
		happens           func(w *world)
		code              fault.Code
	}{
		"as it was, by a person now": {execution: open},
		"quote over":                 {execution: open, happens: func(w *world) { w.pass(nft.QuoteTTL) }},
		"order over":                 {execution: open, happens: func(w *world) { w.pass(400 * 24 * time.Hour) }, code: fault.QuoteExpired},
		"sold":                       {execution: open, happens: func(w *world) { reverting(errorData("OrderAlreadyFilled(bytes32)", 1))(w) }, code: fault.SimulationFailed},
		"never":                      {execution: open + `, "windows": []`, code: fault.OutsideWindow},
		"no contract":                {execution: open + `, "contractAllowlist": []`, code: fault.ContractNotAllowed},
		"collection's price":         {execution: open, nftBuy: `, "collectionCaps": {"` + contract + `": {"maxPricePerTx": 1}}`, code: fault.PriceOverLimit},
		"fees of the marketplace":    {execution: open, nftBuy: `, "maxMarketplaceFeeBps": 1`, code: fault.FeeOverLimit},
		"halted":                     {execution: open, happens: func(w *world) { w.write("HALT", "ai: stop") }, code: fault.Halted},
		"not on the list any more":   {execution: open, happens: func(w *world) { w.write("allowlist.json", "[]") }, code: fault.CollectionNotAllowed},
		"the cap just fits":          {execution: `, "dailySpendCap": "12.52"`},
		"the higher fee does not":    {execution: `, "dailySpendCap": "12.519999999999999999"`, code: fault.CapExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, told, tx := left(t, nft.BuyIn{Autonomous: true})
			var err error
			if tx.FeeCap, err = tx.FeeCap.Mul(2); err != nil { // 0.01 are reserved
				t.Fatal(err)
			}
			w.write("policy.json", rules(tt.execution, tt.nftBuy))
			if tt.happens != nil {
				tt.happens(w)
			}
			if err := w.service().Reprice(t.Context(), told, tx); fault.CodeOf(err) != tt.code {
				t.Fatalf("%v (%s), expected %q", err, fault.CodeOf(err), tt.code)
			}
		})
	}
}

// strange is a story of something else.
type strange struct{ chain.Story }

func (strange) Kind() string                      { return "bridge" }
func (strange) Context() (json.RawMessage, error) { return nil, nil }
func mustExec(w *world, query string) {
	w.t.Helper()
	if _, err := w.money.ExecContext(context.Background(), query); err != nil {
		w.t.Fatal(err)
	}
}
