package policy_test

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// layered is the policy of a home's file and a working directory's over it.
func layered(t *testing.T, base, over string) *policy.Policy {
	t.Helper()
	src := homeWith(t, base)
	src.WorkDir = t.TempDir()
	if over != "" {
		write(t, src.WorkDir, "policy.json", over)
	}
	p, err := policy.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A switch that guards stays on, whichever file has it on, and one that loosens
// needs every file that speaks of it.
func TestSwitchesNarrow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string // with %
		on   func(*policy.Policy) bool
		and  bool
	}{
		"phrase":     {`{"execution":{"confirmPhraseRequired":%}}`, func(p *policy.Policy) bool { return p.Execution.ConfirmPhraseRequired }, false},
		"simulation": {`{"nftBuy":{"simulationRequired":%}}`, func(p *policy.Policy) bool { return p.NFTBuy.SimulationRequired }, false},
		"approvals":  {`{"nftBuy":{"denyUnlimitedApprovals":%}}`, func(p *policy.Policy) bool { return p.NFTBuy.DenyUnlimitedApprovals }, false},
		"minimum":    {`{"bridge":{"requireMinAmountOut":%}}`, func(p *policy.Policy) bool { return p.Bridge.RequireMinAmountOut }, false},
		"autonomy":   {`{"execution":{"autonomousMode":%}}`, func(p *policy.Policy) bool { return p.Execution.AutonomousMode }, true},
		"receipts":   {`{"receipts":{"auto":%}}`, func(p *policy.Policy) bool { return p.Receipts.Auto }, true},
	} {
		with := func(v string) string { return strings.Replace(c.text, "%", v, 1) }
		for _, b := range []string{"true", "false"} {
			if got := c.on(layered(t, with(b), "")); got != (b == "true") {
				t.Errorf("%s %s: %t", name, b, got)
			}
			for _, o := range []string{"true", "false"} {
				want := b == "true" || o == "true"
				if c.and {
					want = b == "true" && o == "true"
				}
				if got := c.on(layered(t, with(b), with(o))); got != want {
					t.Errorf("%s %s, then %s: %t", name, b, o, got)
				}
			}
		}
	}
}

// Each limit names the file that set it: the one that made it what it is.
func TestSettingsNameTheirFile(t *testing.T) {
	t.Parallel()
	const (
		base = `{"bridge":{"maxBridgeFeeBps":50,"requireMinAmountOut":false},"nftBuy":{"maxPricePerTx":5,"currencyAllowlist":["APE","WAPE"],"maxMarketplaceFeeBps":50,"denyUnlimitedApprovals":false,"simulationRequired":false,"collectionCaps":{"` + dengs + `":{"maxPricePerTx":5}}},
			"execution":{"dailySpendCap":5,"contractAllowlist":["` + addrA + `","` + addrB + `"],"windows":[{"from":"08:00","to":"18:00"}],"confirmPhraseRequired":false,"autonomousMode":true,"currencyCaps":{"WAPE":{"dailySpendCap":5}}},
			"v2":{"contractAllowlist":["` + addrA + `","` + addrB + `"]},"receipts":{"auto":true}}`
		over = `{"bridge":{"maxBridgeFeeBps":40,"requireMinAmountOut":true},"nftBuy":{"maxPricePerTx":4,"currencyAllowlist":["APE"],"maxMarketplaceFeeBps":40,"denyUnlimitedApprovals":true,"simulationRequired":true,"collectionCaps":{"` + dengs + `":{"maxPricePerTx":4}}},
			"execution":{"dailySpendCap":4,"contractAllowlist":["` + addrA + `"],"windows":[{"from":"09:00","to":"18:00"}],"confirmPhraseRequired":true,"autonomousMode":false,"currencyCaps":{"WAPE":{"dailySpendCap":4}}},
			"v2":{"contractAllowlist":["` + addrA + `"]},"receipts":{"auto":false}}`
	)
	keys := []string{"bridge.maxBridgeFeeBps", "bridge.requireMinAmountOut", "nftBuy.maxPricePerTx", "nftBuy.currencyAllowlist", "nftBuy.maxMarketplaceFeeBps", "nftBuy.denyUnlimitedApprovals",
		"nftBuy.simulationRequired", "execution.dailySpendCap", "execution.contractAllowlist", "execution.windows", "execution.confirmPhraseRequired", "execution.autonomousMode",
		"nftBuy.collectionCaps." + dengs + ".maxPricePerTx", "execution.currencyCaps.WAPE.dailySpendCap", "v2.contractAllowlist", "receipts.auto"}
	lists := []string{"nftBuy.currencyAllowlist", "execution.contractAllowlist", "execution.windows", "v2.contractAllowlist"}
	alone, same, both, none := layered(t, base, ""), layered(t, base, base), layered(t, base, over), layered(t, `{}`, "")
	for _, key := range keys {
		if got, want := alone.Setting(key), key+" in "+alone.Files[0]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got, want := same.Setting(key), key+" in "+same.Files[0]; got != want {
			t.Errorf("said again: %q, want %q", got, want)
		}
		want := key + " in " + both.Files[1]
		if slices.Contains(lists, key) { // each file takes its part
			want = key + " in " + both.Files[0] + ", " + both.Files[1]
		}
		if got := strings.ReplaceAll(both.Setting(key), " and ", ", "); got != want {
			t.Errorf("narrowed: %q, want %q", got, want)
		}
		if got := none.Setting(key); !strings.Contains(got, "not set in "+none.Files[0]) {
			t.Errorf("not set: %q", got)
		}
	}
	if n := len(same.Execution.Windows); n != 1 {
		t.Errorf("one list of windows, said twice, is %d", n)
	}
	for _, key := range []string{"nftBuy.collectionCaps." + dengs + ".dailySpendCap", "execution.currencyCaps.WAPE.maxPricePerTx"} {
		if got := alone.Setting(key); !strings.Contains(got, "not set") {
			t.Errorf("%q", got)
		}
	}
}

// Of a currency's caps one that is left out allows nothing, as everywhere.
func TestCurrencyCapLeftOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]policy.Cap{
		`{"dailySpendCap":5}`:                   {{}, capOf(t, "5")},
		`{"maxPricePerTx":5}`:                   {capOf(t, "5"), {}},
		`{"maxPricePerTx":5,"dailySpendCap":6}`: {capOf(t, "5"), capOf(t, "6")},
		`{}`:                                    {},
	} {
		c := layered(t, `{"execution":{"currencyCaps":{"WAPE":`+text+`}}}`, "").Execution.CurrencyCaps[wape]
		if c.MaxPricePerTx != want[0] || c.Daily != want[1] || c.AgentDaily != nil || c.Symbol != "WAPE" {
			t.Errorf("%s: %+v", text, c)
		}
	}
	// A token is known on its own chain alone.
	_, err := policy.Parse("policy.json", []byte(`{"apechainChainId":1,"execution":{"currencyCaps":{"`+wape+`":{"dailySpendCap":5}}}}`))
	if fault.CodeOf(err) != fault.PolicyInvalid || !strings.Contains(err.Error(), "needs its decimals") {
		t.Error(err)
	}
}

// A collection's cap counts that collection, and its agent's that agent's part.
func TestLimitsCountTheirScope(t *testing.T) {
	t.Parallel()
	p := layered(t, `{"nftBuy":{"collectionCaps":{"`+dengs+`":{"dailySpendCap":5}}},"execution":{"dailySpendCap":9}}`, "")
	limits := p.Limits(policy.Scope{Asset: ape, Subject: "agent:a", Collection: dengs})
	if len(limits) != 2 || limits[0].Scope() != (policy.Scope{Asset: ape}) || limits[1].Scope() != (policy.Scope{Asset: ape, Collection: dengs}) {
		t.Errorf("%+v", limits)
	}
}

// What a replacement has in common with the old transaction is held by itself:
// nothing else that differs has to give it away.
func TestReplacementHoldsEachField(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*policy.Replacement){
		"both of another chain":  func(r *policy.Replacement) { r.New.ChainID++; r.Old.ChainID++; r.Fee.Asset.ChainID++ },
		"the old one of another": func(r *policy.Replacement) { r.Old.ChainID++ },
		"another account's, with its own fee": func(r *policy.Replacement) {
			r.New.From[0]++
			r.Fee.Account = "0x0200000000000000000000000000000000000000"
		},
		"a fee in another token": func(r *policy.Replacement) { r.Fee.Asset.Token = wape },
	} {
		f, _, _, r := replaceable(t)
		change(&r)
		if _, err := f.AuthorizeReplacement(r, time.Now().Add(time.Minute)); fault.CodeOf(err) != fault.UnsafeTransaction {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A fee up to the ceiling is within it, and a reservation is read where it was made.
func TestReplacementBounds(t *testing.T) {
	t.Parallel()
	f, db, ledger, r := replaceable(t)
	r.Ceiling = r.New.FeeCap
	g, err := f.AuthorizeReplacement(r, time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if err := atomically(t.Context(), db, func(tx *sql.Tx) error {
		rs, err := ledger.RedeemReplacement(t.Context(), tx, g, r.New)
		if err != nil {
			return err
		}
		got, err := ledger.Reservation(t.Context(), tx, rs[0].ID)
		if got != rs[0] {
			t.Errorf("%+v, want %+v", got, rs[0])
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// A replacement that costs nothing more is sent once, and only as it was allowed;
// a try with another does not use the grant up for it.
func TestReplacementOfNothingMore(t *testing.T) {
	t.Parallel()
	f, db, ledger, r := replaceable(t)
	r.Extra = wei(0)
	g, err := f.AuthorizeReplacement(r, time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	redeem := func(x policy.Tx) error {
		return atomically(t.Context(), db, func(tx *sql.Tx) error {
			rs, err := ledger.RedeemReplacement(t.Context(), tx, g, x)
			if len(rs) != 0 {
				t.Errorf("reserved %+v", rs)
			}
			return err
		})
	}
	other := r.New
	other.To[3]++
	wantCode(t, redeem(other), fault.UnsafeTransaction)
	wantCode(t, redeem(r.New), "")
	wantCode(t, redeem(r.New), fault.UnsafeTransaction)
	_, err = ledger.Reservation(t.Context(), nil, "sp_none")
	wantCode(t, err, fault.StateUnusable)
	if _, err := db.ExecContext(t.Context(), `UPDATE spend SET amount = 'x'`); err != nil {
		t.Fatal(err)
	}
	_, err = ledger.Reservation(t.Context(), nil, "sp_fee")
	wantCode(t, err, fault.StateUnusable)
}

// The fee cap is written as it is read.
func TestFeeCapIsWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`{}`: `"maxMarketplaceFeeBps":"unlimited"`, `{"nftBuy":{"maxMarketplaceFeeBps":250}}`: `"maxMarketplaceFeeBps":250`} {
		b, err := json.Marshal(layered(t, text, ""))
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %s %v", text, b, err)
		}
	}
}

// A name said again is no change, and a cap that is lifted in words is set.
func TestSaidAgain(t *testing.T) {
	t.Parallel()
	const names = `{"apechainChainId":33139,"nativeGasToken":"APE","nftBuy":{"collectionCaps":{"dengs":{"maxPricePerTx":"unlimited"}}}}`
	p := layered(t, names, names)
	if got, want := p.Setting("nftBuy.collectionCaps."+dengs+".maxPricePerTx"), "nftBuy.collectionCaps."+dengs+".maxPricePerTx in "+p.Files[0]; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A day's cap that can't be read is refused wherever it stands, and an agent may
// bound the price alone.
func TestDailyCapsOfEntries(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"nftBuy":{"collectionCaps":{"dengs":{"dailySpendCap":1e18}}}}`, `{"execution":{"currencyCaps":{"WAPE":{"dailySpendCap":"-1"}}}}`,
		`{"execution":{"currencyCaps":{"` + usdc + `":{"dailySpendCap":0.0000001,"decimals":6}}}}`} {
		if _, err := policy.Parse("policy.json", []byte(text)); fault.CodeOf(err) != fault.PolicyInvalid || !strings.Contains(err.Error(), "dailySpendCap: amount") {
			t.Errorf("%s: %v", text, err)
		}
	}
	src := homeWith(t, openPolicy)
	src.Agents = []string{"bot"}
	write(t, src.Home, "agents/bot/policy.json", `{"nftBuy":{"collectionCaps":{"`+dengs+`":{"maxPricePerTx":3}}}}`)
	p, err := policy.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	if c := p.NFTBuy.CollectionCaps[dengs]; c.MaxPricePerTx != capOf(t, "3") || !c.Daily.Unlimited || c.AgentDaily != nil {
		t.Errorf("%+v", c)
	}
}

// An address is 0x and forty hexadecimal digits, of either case, and nothing else.
func TestAddressesAreSpeltOut(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("a", 39)
	for text, ok := range map[string]bool{
		"0x" + good + "0": true, "0x" + good + "9": true, "0x" + good + "f": true, "0x" + strings.ToUpper(good) + "F": true,
		"0x" + good + "/": false, "0x" + good + ":": false, "0x" + good + "`": false, "0x" + good + "g": false, "0x" + good + "@": false, "0x" + good + "G": false,
		"1x" + good + "0": false, "00" + good + "0": false, "0X" + good + "0": false, "0x" + good: false, "0x" + good + "00": false,
	} {
		_, err := policy.Parse("policy.json", []byte(`{"execution":{"contractAllowlist":["`+text+`"]}}`))
		if (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
