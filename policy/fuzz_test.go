package policy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

var seeds = []string{
	``, `{}`, `[]`, openPolicy, `{"execution":{"dailySpendCap":"unlimited"}}`, `{"execution":{"dailySpendCap":"abc"}}`, `{"execution":{"dailySpendCap":1e2}}`,
	`{"execution":{"dailySpendCap":0.5,"dailySpendCap":7}}`, `{"nftBuy":{"maxPricePerTx":"12.50","currencyAllowlist":["APE","` + addrA + `"]}}`, "{\"a\":\"\xff\"}", "{}\n{}", `{"market":{"dataSource":"file"}}`,
	`{"bridge":{"maxBridgeFeeBps":250,"requireMinAmountOut":false}}`, `{"apechainRpcUrl":"https://u:p@h/k","$schema":"x"}`, "{\n\t\"execution\" : { \"autonomousMode\":true } }", `{"execution":{"dailySpendCap":"\u0031"}}`,
	fullPolicy, `{"nftBuy":{"maxMarketplaceFeeBps":"unlimited","collectionCaps":{"` + addrA + `":{"maxPricePerTx":"0.5"}}}}`, `{"execution":{"currencyCaps":{"` + addrA + `":{"decimals":6,"maxPricePerTx":0.000001}}}}`,
	`{"execution":{"windows":[[{"from":"22:00","to":"06:00","days":["fri"]}],[]],"contractAllowlist":["` + addrA + `"]}}`, `{"execution":{"windows":[{"from":"00:00","to":"24:00","timeZone":"Asia/Kathmandu"}]}}`,
	`{"v2":{"contractAllowlist":["` + addrA + `","` + called + `"]},"receipts":{"auto":true}}`, `{"v2":{"contractAllowlist":[]},"receipts":{}}`, `{"receipts":{"auto":1}}`,
}

// A policy that is accepted allows exactly what its text says, as another reader
// of the same text understands it.
func FuzzPolicy(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	schema := compileSchema(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := policy.Parse("policy.json", text)
		if err != nil {
			checkPlace(t, err, text)
			return
		}
		if !fits(schema, string(text)) {
			t.Fatalf("accepted what the schema refuses: %q", text)
		}
		var doc struct {
			NFTBuy struct {
				MaxPricePerTx     any      `json:"maxPricePerTx"`
				CurrencyAllowlist []string `json:"currencyAllowlist"`
			} `json:"nftBuy"`
			Execution struct {
				DailySpendCap         any   `json:"dailySpendCap"`
				ConfirmPhraseRequired *bool `json:"confirmPhraseRequired"`
				AutonomousMode        bool  `json:"autonomousMode"`
			} `json:"execution"`
			V2 struct {
				ContractAllowlist []string `json:"contractAllowlist"`
			} `json:"v2"`
			Receipts struct {
				Auto bool `json:"auto"`
			} `json:"receipts"`
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&doc); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %q: %v", text, err)
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		// What is shown, with the endpoint hidden, can be read again and means the same.
		if again, err := policy.Parse("policy.json", b); err == nil {
			if b2, err := json.Marshal(again); err != nil || string(b2) != string(b) {
				t.Fatalf("%q is shown as\n%s, which is read as\n%s", text, b, b2)
			}
		} else if string(p.RPCURL) == p.RPCURL.String() {
			t.Fatalf("%q is shown as %s, which is refused: %v", text, b, err)
		}
		sameCap(t, p.NFTBuy.MaxPricePerTx, doc.NFTBuy.MaxPricePerTx)
		sameCap(t, p.Execution.DailySpendCap, doc.Execution.DailySpendCap)
		if len(p.NFTBuy.Currencies) != len(doc.NFTBuy.CurrencyAllowlist) || p.Execution.AutonomousMode != doc.Execution.AutonomousMode ||
			p.Execution.ConfirmPhraseRequired != (doc.Execution.ConfirmPhraseRequired == nil || *doc.Execution.ConfirmPhraseRequired) {
			t.Fatalf("%q was read as %+v", text, p)
		}
		if p.Receipts.Auto != doc.Receipts.Auto || !slices.EqualFunc(p.V2.Contracts, doc.V2.ContractAllowlist, strings.EqualFold) {
			t.Fatalf("%q was read as %+v, %+v", text, p.V2, p.Receipts)
		}
	})
}

func sameCap(t *testing.T, got policy.Cap, said any) {
	t.Helper()
	want := new(big.Rat)
	switch v := said.(type) {
	case nil:
	case string:
		if v == "unlimited" {
			if !got.Unlimited {
				t.Fatal("unlimited was lost")
			}
			return
		}
		want.SetString(v)
	case json.Number:
		want.SetString(v.String())
	}
	have := new(big.Rat).SetFrac(got.Max.Big(), new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
	if got.Unlimited || have.Cmp(want) != 0 {
		t.Fatalf("%v was read as %+v", said, got)
	}
}

// checkPlace wants a refusal to point into the text.
func checkPlace(t *testing.T, err error, text []byte) {
	t.Helper()
	wantCode(t, err, fault.PolicyInvalid)
	e := fault.From(err)
	line, ok := e.Details["line"].(int)
	if !ok {
		return // the file as a whole: too large
	}
	lines := bytes.Split(text, []byte("\n"))
	if column := e.Details["column"].(int); line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1])+1 {
		t.Fatalf("%q: %s points outside", text, e.Message)
	}
	if strings.ContainsFunc(e.Message, func(r rune) bool { return r < ' ' }) {
		t.Fatalf("%q: control characters in %q", text, e.Message)
	}
}

func FuzzAllowlist(f *testing.F) {
	for _, s := range []string{`[]`, `[{"slug":"a","name":"A","contractAddress":"` + addrA + `","enabled":true}]`, `[{"slug":"a"},{"slug":"a"}]`, `[{"slug":"a","contractAddress":null}]`, `{`} {
		f.Add([]byte(s), "a")
	}
	f.Fuzz(func(t *testing.T, text []byte, query string) {
		a, err := policy.ParseAllowlist("allowlist.json", text)
		if err != nil {
			checkPlace(t, err, text)
			return
		}
		a.Audit()
		e, err := a.Resolve(query)
		if err == nil && (e.ContractAddress == "" || !e.Enabled || !slices.Contains(a.Entries(), e)) {
			t.Fatalf("%q resolved to %+v", query, e)
		}
	})
}

// randomPolicy writes a policy of few values, so that files often meet.
func randomPolicy(r *rand.Rand) string {
	pick := func(key string, values ...string) string {
		if v := values[r.IntN(len(values))]; v != "" {
			return fmt.Sprintf("%q:%s,", key, v)
		}
		return ""
	}
	flag := func(key string) string { return pick(key, "", "true", "false") }
	amount := func(key string) string { return pick(key, "", "0", "1", `"2.5"`, "4", `"unlimited"`) }
	group := func(key string, fields ...string) string {
		return fmt.Sprintf("%q:{%s}", key, strings.TrimSuffix(strings.Join(fields, ""), ","))
	}
	return "{" + strings.Join([]string{
		group("bridge", pick("maxBridgeFeeBps", "", "0", "100", "400"), flag("requireMinAmountOut")),
		group("nftBuy", amount("maxPricePerTx"), pick("currencyAllowlist", "", `[]`, `["APE"]`, `["WAPE","APE"]`, `["WETH"]`), pick("maxMarketplaceFeeBps", "", "0", "250", `"unlimited"`),
			pick("collectionCaps", "", "{}", `{"dengs":{"maxPricePerTx":1}}`, `{"`+dengs+`":{"dailySpendCap":2}}`, `{"zards":{"maxPricePerTx":0}}`), flag("denyUnlimitedApprovals"), flag("simulationRequired")),
		group("execution", amount("dailySpendCap"), pick("contractAllowlist", "", "[]", `["`+called+`"]`, `["`+addrA+`","`+called+`"]`),
			pick("windows", "", "[]", `[{"from":"08:00","to":"18:00"}]`, `[{"from":"11:00","to":"13:00"},{"from":"22:00","to":"02:00"}]`), flag("confirmPhraseRequired"), flag("autonomousMode")),
		group("v2", pick("contractAllowlist", "", "[]", `["`+called+`"]`, `["`+addrA+`"]`, `["`+addrA+`","`+called+`"]`)),
		group("receipts", flag("auto")),
	}, ",") + "}"
}

// Whatever further files say, no rule is looser than any of them and than the
// base, and no purchase and no write passes that the base alone refuses.
func TestNarrowingIsMonotone(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		src := policy.Sources{Home: t.TempDir(), Etc: t.TempDir(), WorkDir: t.TempDir(), Agents: []string{"bot"}}
		texts := []string{randomPolicy(r)}
		write(t, src.Home, "policy.json", texts[0])
		alone := policy.LoadFence(policy.Sources{Home: src.Home})
		for _, at := range []string{filepath.Join(src.Etc, "policy.json"), filepath.Join(src.WorkDir, "policy.json"), filepath.Join(src.Home, "agents/bot/policy.json")} {
			if r.IntN(2) == 0 {
				texts = append(texts, randomPolicy(r))
				write(t, filepath.Dir(at), "policy.json", texts[len(texts)-1])
			}
		}
		narrowed := policy.LoadFence(src)
		if alone.Err != nil || narrowed.Err != nil {
			t.Fatal(alone.Err, narrowed.Err)
		}
		noLooser(t, texts, narrowed.Policy, alone.Policy)
		for range 5 {
			p := randomPurchase(t, r, alone)
			wide := policy.Decide(policy.Execute, alone, withUses(p, alone))
			if strict := policy.Decide(policy.Execute, narrowed, withUses(p, narrowed)); strict.Refusal() == nil && wide.Refusal() != nil {
				t.Fatalf("%q allow %+v, and the base alone does not: %v", texts, p, wide.Refusal())
			}
			x := randomWrite(t, r)
			only := policy.DecideWrite(policy.Execute, alone, using(x, alone))
			if strict := policy.DecideWrite(policy.Execute, narrowed, using(x, narrowed)); strict.Refusal() == nil && only.Refusal() != nil {
				t.Fatalf("%q allow %+v, and the base alone does not: %v", texts, x, only.Refusal())
			}
		}
	}
}

func noLooser(t *testing.T, texts []string, n, base *policy.Policy) {
	t.Helper()
	looser := func(strict, wide bool) bool { return wide && !strict }
	lower := func(a, b policy.Cap) bool { return b.Unlimited || !a.Unlimited && a.Max.Cmp(b.Max) <= 0 }
	if !lower(n.NFTBuy.MaxPricePerTx, base.NFTBuy.MaxPricePerTx) || !lower(n.Execution.DailySpendCap, base.Execution.DailySpendCap) || n.Bridge.MaxFee > base.Bridge.MaxFee ||
		looser(n.NFTBuy.SimulationRequired, base.NFTBuy.SimulationRequired) || looser(n.NFTBuy.DenyUnlimitedApprovals, base.NFTBuy.DenyUnlimitedApprovals) ||
		looser(n.Bridge.RequireMinAmountOut, base.Bridge.RequireMinAmountOut) || looser(n.Execution.ConfirmPhraseRequired, base.Execution.ConfirmPhraseRequired) ||
		looser(base.Execution.AutonomousMode, n.Execution.AutonomousMode) || looser(base.Receipts.Auto, n.Receipts.Auto) {
		t.Fatalf("%q became %+v, looser than %+v", texts, n, base)
	}
	for _, c := range n.NFTBuy.Currencies {
		if !slices.Contains(base.NFTBuy.Currencies, c) {
			t.Fatalf("%q allow %s", texts, c)
		}
	}
	for _, c := range n.V2.Contracts {
		if !slices.Contains(base.V2.Contracts, c) {
			t.Fatalf("%q let %s be called", texts, c)
		}
	}
	// Each further file by itself: what it names is a bound as well.
	for _, text := range texts[1:] {
		if strings.Contains(text, `"maxPricePerTx":1,`) && !lower(n.NFTBuy.MaxPricePerTx, capOf(t, "1")) ||
			strings.Contains(text, `"currencyAllowlist":[],`) && len(n.NFTBuy.Currencies) > 0 ||
			strings.Contains(text, `"simulationRequired":true`) && !n.NFTBuy.SimulationRequired ||
			strings.Contains(text, `"autonomousMode":false`) && n.Execution.AutonomousMode ||
			strings.Contains(text, `"v2":{"contractAllowlist":[]}`) && len(n.V2.Contracts) > 0 || strings.Contains(text, `"auto":false`) && n.Receipts.Auto ||
			strings.Contains(text, `"maxBridgeFeeBps":0`) && n.Bridge.MaxFee != 0 {
			t.Fatalf("%q became %+v", texts, n)
		}
	}
}

func randomPurchase(t *testing.T, r *rand.Rand, f policy.Fence) policy.Purchase {
	p := purchase(t, f)
	p.Price = amount(t, []string{"0.5", "1", "2.5", "4", "9"}[r.IntN(5)])
	p.FeeLimit = amount(t, "0.001")
	p.Simulation.State = policy.SimState(r.IntN(4))
	p.Autonomous = r.IntN(2) == 0
	p.Confirm = []string{"", p.Phrase(), "yes"}[r.IntN(3)]
	p.Subject = "agent:bot"
	p.Now = p.Now.Add(time.Duration(r.IntN(24)) * time.Hour)
	p.QuoteExpires = p.Now.Add(time.Minute)
	p.Target = []string{called, addrA}[r.IntN(2)]
	fee := amount(t, []string{"0", "0.01", "0.2"}[r.IntN(3)])
	p.OthersGet = &fee
	return p
}

func withUses(p policy.Purchase, f policy.Fence) policy.Purchase {
	p.Spent = nil
	for _, l := range f.Policy.Limits(p.Scope()) {
		p.Spent = append(p.Spent, policy.Use{Limit: l})
	}
	return p
}
