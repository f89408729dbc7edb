package policy_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const usdc = "0x00000000000000000000000000000000000000c6"

func TestBadCaps(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"nftBuy":{"maxPricePerTx":1e18}}`:                                                                 `:1:28: maxPricePerTx: amount "1e18": it has an exponent`,
		`{"nftBuy":{"maxPricePerTx":1E+2}}`:                                                                 `:1:28: maxPricePerTx: amount "1E+2": it has an exponent`,
		`{"nftBuy":{"maxPricePerTx":-1}}`:                                                                   `:1:28: maxPricePerTx: amount "-1": it is negative`,
		`{"nftBuy":{"maxPricePerTx":"007"}}`:                                                                `:1:28: maxPricePerTx: amount "007": it has leading zeros`,
		`{"nftBuy":{"maxPricePerTx":007}}`:                                                                  `:1:29: invalid JSON`,
		"{\n \"nftBuy\":{\"maxPricePerTx\":0.1234567890123456789}}":                                         `:2:28: maxPricePerTx: amount "0.1234567890123456789": it has 19 decimal places and the token has 18`,
		`{"nftBuy":{"maxPricePerTx":1` + strings.Repeat("0", 70) + `}}`:                                     `it is larger than 2^256-1 base units`,
		`{"nftBuy":{"maxPricePerTx":"` + strings.Repeat("9", 10000) + `"}}`:                                 `it is larger than 2^256-1 base units`,
		`{"nftBuy":{"maxMarketplaceFeeBps":10001}}`:                                                         `:1:35: maxMarketplaceFeeBps is the number 10001; expected a whole number from 0 to 10000, or "unlimited"`,
		`{"nftBuy":{"maxMarketplaceFeeBps":2.5}}`:                                                           `expected a whole number`,
		`{"nftBuy":{"maxMarketplaceFeeBps":"5"}}`:                                                           `expected a whole number`,
		`{"nftBuy":{"maxMarketplaceFeeBps":-1}}`:                                                            `expected a whole number`,
		`{"nftBuy":{"maxMarketplaceFeeBps":1e2}}`:                                                           `expected a whole number`,
		`{"nftBuy":{"collectionCaps":[]}}`:                                                                  `:1:29: collectionCaps is a list; expected an object`,
		`{"nftBuy":{"collectionCaps":{"dengs":5}}}`:                                                         `:1:38: dengs is the number 5; expected an object`,
		`{"nftBuy":{"collectionCaps":{"dengs":{"maxPrice":5}}}}`:                                            `:1:39: unknown key "maxPrice" in dengs`,
		`{"nftBuy":{"collectionCaps":{"dengs":{"maxPricePerTx":1e18}}}}`:                                    `:1:55: maxPricePerTx: amount "1e18": it has an exponent`,
		`{"nftBuy":{"collectionCaps":{"Dengs":{}}}}`:                                                        `:1:30: collectionCaps has the key "Dengs"; expected a collection's slug or contract address`,
		`{"nftBuy":{"collectionCaps":{"dingsda":{}}}}`:                                                      `:1:30: collectionCaps names "dingsda", which the allowlist does not know`,
		`{"nftBuy":{"collectionCaps":{"dengs":{},"dengs":{}}}}`:                                             `:1:41: key "dengs" appears twice`,
		`{"nftBuy":{"collectionCaps":{"dengs":{},"` + dengs + `":{}}}}`:                                     `:1:41: collectionCaps has ` + dengs + ` twice`,
		`{"nftBuy":{"collectionCaps":{"` + dengs + `":{},"0x` + strings.ToUpper(dengs[2:]) + `":{}}}}`:      `collectionCaps has "` + dengs + `" twice`,
		`{"execution":{"currencyCaps":{"APE":{}}}}`:                                                         `:1:31: APE is bounded by nftBuy.maxPricePerTx`,
		`{"execution":{"currencyCaps":{"USDC":{"maxPricePerTx":1}}}}`:                                       `:1:31: currencyCaps names "USDC", which is no token known on chain 33139`,
		`{"execution":{"currencyCaps":{"WAPE":{"decimals":6}}}}`:                                            `:1:50: WAPE has 18 places, not 6`,
		`{"execution":{"currencyCaps":{"` + wape + `":{"decimals":6}}}}`:                                    `WAPE has 18 places, not 6`,
		`{"execution":{"currencyCaps":{"WAPE":{},"` + wape + `":{}}}}`:                                      `currencyCaps has ` + wape + ` twice`,
		`{"execution":{"currencyCaps":{"` + usdc + `":{"maxPricePerTx":1}}}}`:                               `:1:31: currencyCaps names a token by its address, and needs its decimals`,
		`{"execution":{"currencyCaps":{"` + usdc + `":{"decimals":37}}}}`:                                   `expected a whole number from 0 to 36`,
		`{"execution":{"currencyCaps":{"` + usdc + `":{"maxPricePerTx":0.0000001,"decimals":6}}}}`:          `:1:93: maxPricePerTx: amount "0.0000001": it has 7 decimal places and the token has 6`,
		`{"execution":{"contractAllowlist":"` + usdc + `"}}`:                                                `expected a list of contract addresses`,
		`{"execution":{"contractAllowlist":["WAPE"]}}`:                                                      `:1:36: contractAllowlist has the string "WAPE"`,
		`{"execution":{"contractAllowlist":["` + usdc + `","0x00000000000000000000000000000000000000C6"]}}`: `contractAllowlist has "` + usdc + `" twice`,
	} {
		_, err := policy.Parse("policy.json", []byte(text))
		if fault.CodeOf(err) != fault.PolicyInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%.90s:\n got %v\nwant %s", text, err, want)
		}
	}
}

// Every mistake of a file is found at once, each with its place.
func TestAllMistakesAreReported(t *testing.T) {
	t.Parallel()
	src := homeWith(t, "{\n\"nftBuy\": {\"maxPricePerTx\": 1e18, \"simulationRequired\": 1},\n\"exec\": {},\n\"execution\": {\"dailySpendCap\": \"abc\",\n\"windows\": [{\"from\":\"1\",\"to\":\"24:00\"}]}}")
	r := policy.LoadReport(src)
	if r.Policy != nil || fault.CodeOf(r.Err) != fault.PolicyInvalid || len(r.Files) != 1 || r.Files[0].Role != policy.RoleBase {
		t.Fatalf("%+v", r)
	}
	for i, want := range []string{":2:29: maxPricePerTx", ":2:57: simulationRequired", ":3:1: unknown key", ":4:32: dailySpendCap", ":5:21: from"} {
		if len(r.Files[0].Mistakes) != 5 || !strings.Contains(r.Files[0].Mistakes[i], want) {
			t.Fatalf("%s is not among %q", want, r.Files[0].Mistakes)
		}
	}
	// What shows only when files are put together is told of the file as well.
	src = homeWith(t, openPolicy)
	src.WorkDir = t.TempDir()
	write(t, src.WorkDir, "policy.json", `{"apechainChainId":1}`)
	if r := policy.LoadReport(src); r.Policy != nil || len(r.Files) != 2 || len(r.Files[1].Mistakes) != 1 || len(r.Files[0].Mistakes) != 0 {
		t.Fatalf("%+v", r)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	src := homeWith(t, fullPolicy)
	src.WorkDir, src.Agents = t.TempDir(), []string{"bot"}
	write(t, src.WorkDir, "policy.json", `{"nftBuy":{"maxPricePerTx":5,"currencyAllowlist":["APE"],"collectionCaps":{"`+addrA+`":{"dailySpendCap":1}}}}`)
	write(t, src.Home, "agents/bot/policy.json", `{"execution":{"dailySpendCap":2}}`)
	r := policy.LoadReport(src)
	if r.Err != nil || len(r.Files) != 3 || r.Files[1].Role != policy.RoleWorkDir || r.Files[2].Role != policy.RoleAgent || r.Allowlist[0].Role != policy.RoleBuiltIn {
		t.Fatalf("%+v", r)
	}
	if want := []string{"nftBuy.maxPricePerTx", "nftBuy.currencyAllowlist", "nftBuy.collectionCaps." + addrA + ".dailySpendCap"}; !slices.Equal(r.Files[1].Sets, want) {
		t.Errorf("%q", r.Files[1].Sets)
	}
	if !slices.Equal(r.Files[2].Sets, []string{"execution.dailySpendCap"}) || !slices.Contains(r.Files[0].Sets, "execution.dailySpendCap") {
		t.Errorf("%+v", r.Files)
	}
	if len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], addrA+", which is not on the allowlist") || !strings.Contains(r.Warnings[1], "WAPE, which is not in nftBuy.currencyAllowlist") {
		t.Errorf("%q", r.Warnings)
	}
	if r := policy.LoadReport(policy.Sources{Home: t.TempDir()}); r.Err != nil || r.Files[0].Role != policy.RoleBuiltIn {
		t.Errorf("%+v", r)
	}
}

// Files narrow the new rules as they do the old: caps by minimum, lists by
// intersection, windows all at once, and an agent's daily caps bound its own rows.
func TestCapsNarrow(t *testing.T) {
	t.Parallel()
	src := policy.Sources{Home: t.TempDir(), Etc: t.TempDir(), WorkDir: t.TempDir(), Agents: []string{"bot"}}
	write(t, src.Home, "policy.json", `{"nftBuy":{"maxPricePerTx":100,"maxMarketplaceFeeBps":900,"currencyAllowlist":["APE","WAPE"],"collectionCaps":{"dengs":{"maxPricePerTx":5}}},
		"execution":{"dailySpendCap":100,"currencyCaps":{"WAPE":{"maxPricePerTx":5,"dailySpendCap":"unlimited"},"`+usdc+`":{"decimals":6,"maxPricePerTx":2.5}},
		"windows":[{"from":"08:00","to":"18:00"}]}}`)
	write(t, src.Etc, "policy.json", `{"nftBuy":{"maxMarketplaceFeeBps":500,"collectionCaps":{"dengs":{"maxPricePerTx":7,"dailySpendCap":50},"zards":{"dailySpendCap":9}}},
		"execution":{"contractAllowlist":["`+addrA+`","`+addrB+`"],"windows":[{"from":"10:00","to":"20:00"}]}}`)
	write(t, src.WorkDir, "policy.json", `{"nftBuy":{"maxMarketplaceFeeBps":"unlimited","collectionCaps":{"`+dengs+`":{"maxPricePerTx":4}}},
		"execution":{"contractAllowlist":["`+addrB+`","`+addrC+`"],"currencyCaps":{"`+wape+`":{"dailySpendCap":8},"`+addrA+`":{"decimals":2,"maxPricePerTx":5,"dailySpendCap":5}}}}`)
	write(t, src.Home, "agents/bot/policy.json", `{"nftBuy":{"collectionCaps":{"dengs":{"dailySpendCap":3}}},"execution":{"currencyCaps":{"WAPE":{"dailySpendCap":2}}}}`)
	p, err := policy.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	d, z := p.NFTBuy.CollectionCaps[dengs], p.NFTBuy.CollectionCaps["0x91417bd88af5071ccea8d3bf3af410660e356b06"]
	w, u := p.Execution.CurrencyCaps[wape], p.Execution.CurrencyCaps[usdc]
	if p.NFTBuy.MaxMarketplaceFee.Max != 500 || d.MaxPricePerTx != capOf(t, "4") || d.Daily != capOf(t, "50") || *d.AgentDaily != capOf(t, "3") ||
		!z.MaxPricePerTx.Unlimited || z.Daily != capOf(t, "9") || len(p.NFTBuy.CollectionCaps) != 2 {
		t.Errorf("%+v", p.NFTBuy)
	}
	if w.MaxPricePerTx != capOf(t, "5") || w.Daily != capOf(t, "8") || *w.AgentDaily != capOf(t, "2") || u.MaxPricePerTx.Max != units.FromUint64(2_500_000) ||
		u.Daily != (policy.Cap{}) || len(p.Execution.CurrencyCaps) != 2 || !slices.Equal(p.Execution.Contracts, []string{addrB}) || len(p.Execution.Windows) != 2 {
		t.Errorf("%+v", p.Execution)
	}
	names := func(s policy.Scope) string {
		var out []string
		for _, l := range p.Limits(s) {
			out = append(out, strings.TrimSuffix(strings.TrimPrefix(l.Name, "execution."), ".dailySpendCap")+" "+l.Subject)
		}
		return strings.Join(out, "; ")
	}
	for got, want := range map[string]string{
		names(policy.Scope{Asset: ape}):                                                             "dailySpendCap ",
		names(policy.Scope{Asset: ape, Collection: dengs}):                                          "dailySpendCap ; nftBuy.collectionCaps." + dengs + " ; the agent's nftBuy.collectionCaps." + dengs + " ",
		names(policy.Scope{Asset: policy.Asset{ChainID: 33139, Token: wape}, Subject: "agent:bot"}): "dailySpendCap ; currencyCaps.WAPE ; the agent's execution.currencyCaps.WAPE agent:bot",
		names(policy.Scope{Asset: policy.Asset{ChainID: 1, Token: wape}}):                           "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	again, err := policy.Parse("policy.json", b)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	b2, err := json.Marshal(again)
	if err != nil || string(b) != string(b2) {
		t.Errorf("%s\nis read as\n%s", b, b2)
	}
	if d := again.NFTBuy.CollectionCaps[dengs]; d.Daily != capOf(t, "3") || !slices.Equal(slices.Sorted(maps.Keys(again.Execution.CurrencyCaps)), []string{wape, usdc}) && len(again.Execution.CurrencyCaps) != 2 {
		t.Errorf("%+v", d)
	}
	// Another agent's overlay bounds everybody.
	src.Agents = []string{"bot", ""}
	if p, err := policy.Load(src); err != nil || p.NFTBuy.CollectionCaps[dengs].Daily != capOf(t, "3") || p.NFTBuy.CollectionCaps[dengs].AgentDaily != nil {
		t.Errorf("%+v %v", p, err)
	}
	// Places that differ would read one amount as another.
	write(t, src.WorkDir, "policy.json", `{"execution":{"currencyCaps":{"`+usdc+`":{"decimals":8,"dailySpendCap":8}}}}`)
	if _, err := policy.Load(src); fault.CodeOf(err) != fault.PolicyInvalid || !strings.Contains(err.Error(), "8 places here and 6 in the base") {
		t.Error(err)
	}
}

// A sandbox has other collections and tokens than the files that people keep.
func TestSandboxTakesForeignNames(t *testing.T) {
	t.Parallel()
	src := policy.Sources{Home: t.TempDir(), WorkDir: t.TempDir(), Sandbox: true}
	write(t, src.WorkDir, "policy.json", `{"nftBuy":{"collectionCaps":{"dengs":{"maxPricePerTx":1}}},"execution":{"currencyCaps":{"WAPE":{"maxPricePerTx":1}}}}`)
	if p, err := policy.Load(src); err != nil || len(p.NFTBuy.CollectionCaps) != 0 || len(p.Execution.CurrencyCaps) != 0 {
		t.Errorf("%+v %v", p, err)
	}
}

func TestSlugOfTheHomesAllowlist(t *testing.T) {
	t.Parallel()
	src := homeWith(t, `{"nftBuy":{"collectionCaps":{"mine":{"maxPricePerTx":1}}}}`)
	write(t, src.Home, "allowlist.json", `[{"slug":"mine","contractAddress":"`+addrA+`","enabled":false}]`)
	if p, err := policy.Load(src); err != nil || p.NFTBuy.CollectionCaps[addrA].MaxPricePerTx != capOf(t, "1") {
		t.Errorf("%+v %v", p, err)
	}
	for _, list := range []string{`[]`, `[{"slug":"mine"}]`, `[{"slug":"mine","contractAddress":"` + addrA + `"},{"slug":"mine","contractAddress":"` + addrB + `"}]`, `[`} {
		write(t, src.Home, "allowlist.json", list)
		if _, err := policy.Load(src); fault.CodeOf(err) != fault.PolicyInvalid {
			t.Errorf("%s: %v", list, err)
		}
	}
}

func TestFeeCap(t *testing.T) {
	t.Parallel()
	most := most256(t)
	for _, c := range []struct {
		max         units.BPS
		fees, price units.Wei
		ok          bool
	}{
		{0, units.Wei{}, units.FromUint64(1), true},
		{0, units.FromUint64(1), most, false},
		{250, units.FromUint64(25), units.FromUint64(1000), true},
		{250, units.FromUint64(25), units.FromUint64(999), false}, // rounding would let it pass
		{10000, units.FromUint64(7), units.FromUint64(7), true},
		{10000, units.FromUint64(8), units.FromUint64(7), false},
		{250, most, most, false},
		{250, units.FromUint64(1), most, true},
		{1, units.Wei{}, units.Wei{}, true},
	} {
		if got := (policy.FeeCap{Max: c.max}).Allows(c.fees, c.price); got != c.ok {
			t.Errorf("%d bps, %s of %s: %t", c.max, c.fees, c.price, got)
		}
	}
	u := policy.FeeCap{Unlimited: true}
	if !u.Allows(most, units.Wei{}) || u.Min(policy.FeeCap{Max: 3}).Max != 3 || (policy.FeeCap{Max: 3}).Min(u) != (policy.FeeCap{Max: 3}) || (policy.FeeCap{Max: 3}).Min(policy.FeeCap{Max: 2}).Max != 2 {
		t.Error("unlimited is not the widest")
	}
}
