package policy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
)

var (
	eth     = policy.NativeOf(1)
	usdcEth = policy.Asset{ChainID: 1, Token: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"}
)

// The file says how many places a token has, and every mistake has its place.
func TestSpendCapsAreStrict(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[]`:                                 "dailySpendCaps is a list; expected an object",
		`{"1":5}`:                            `has the key "1"; expected <chain id>:native`,
		`{"01:native":5}`:                    `has the key "01:native"`,
		`{"0:native":5}`:                     `has the key "0:native"`,
		`{"1:ETH":5}`:                        `has the key "1:ETH"`,
		`{"1:Native":5}`:                     `has the key "1:Native"`,
		`{"1:0x12":5}`:                       `has the key "1:0x12"`,
		`{"9007199254740992:native":5}`:      "expected a chain id up to 9007199254740991",
		`{"1:native":1e3}`:                   "1:native",
		`{"1:native":-1}`:                    "1:native",
		`{"1:native":true}`:                  "1:native is true",
		`{"1:native":0.0000000000000000001}`: "the token has 18",
		`{"33139:native":5}`:                 "33139:native is bounded by execution.dailySpendCap, not here",
		`{"33139:` + wape + `":5}`:           "is bounded by execution.currencyCaps, not here",
		`{"` + usdcEth.String() + `":5}`:     "is a token, and needs its decimals",
		`{"` + usdcEth.String() + `":{"amount":5}}`:                      `expected both "amount" and "decimals"`,
		`{"` + usdcEth.String() + `":{"decimals":6}}`:                    `expected both "amount" and "decimals"`,
		`{"` + usdcEth.String() + `":{"amount":5,"decimals":37}}`:        "expected a whole number from 0 to 36",
		`{"` + usdcEth.String() + `":{"amount":0.0000001,"decimals":6}}`: "the token has 6",
		`{"` + usdcEth.String() + `":{"amount":5,"decimals":6,"x":1}}`:   `"x"`,
		`{"1:native":{"amount":5,"decimals":6}}`:                         "1:native has 18 places, not 6",
		`{"1:native":5,"1:native":6}`:                                    "twice",
		`{"1:0x` + strings.Repeat("aB", 20) + `":{"amount":1,"decimals":6},"1:0x` + strings.Repeat("ab", 20) + `":{"amount":1,"decimals":6}}`: "twice",
	} {
		_, err := policy.Parse("policy.json", []byte(`{"execution":{"dailySpendCaps":`+text+`}}`))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "policy.json:1:") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Overlays narrow by the minimum and add nothing; an agent's bounds its own rows;
// what is shown means the same when it is read.
func TestSpendCapsNarrow(t *testing.T) {
	t.Parallel()
	src := policy.Sources{Home: t.TempDir(), Etc: t.TempDir(), WorkDir: t.TempDir(), Agents: []string{"bot"}}
	write(t, src.Home, "policy.json", `{"execution":{"dailySpendCap":7,"dailySpendCaps":{"1:native":0.5,"`+usdcEth.String()+`":{"amount":"250.5","decimals":6},"8453:native":"unlimited"}}}`)
	write(t, src.Etc, "policy.json", `{"execution":{"dailySpendCaps":{"1:native":"0.75","`+usdcEth.String()+`":{"amount":100,"decimals":6},"10:native":9}}}`)
	write(t, src.WorkDir, "policy.json", `{"execution":{"dailySpendCaps":{"1:native":0.25,"8453:native":3}}}`)
	write(t, src.Home, "agents/bot/policy.json", `{"execution":{"dailySpendCaps":{"1:native":0.1}}}`)
	p, err := policy.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Execution.SpendCaps
	if len(c) != 3 || c[eth].Daily != capOf(t, "0.25") || *c[eth].AgentDaily != capOf(t, "0.1") || c[usdcEth].Daily.Max != units.FromUint64(100_000_000) ||
		c[usdcEth].Decimals != 6 || c[policy.NativeOf(8453)].Daily != capOf(t, "3") {
		t.Errorf("%+v", c)
	}
	for key, want := range map[string]string{"1:native": src.WorkDir, usdcEth.String(): src.Etc} {
		if got := p.Setting("execution.dailySpendCaps." + key); !strings.HasSuffix(got, "policy.json") || !strings.Contains(got, want[strings.LastIndex(want, "/")+1:]) {
			t.Errorf("%s: %q, want a file of %s", key, got, want)
		}
	}
	names := func(a policy.Asset) string {
		var out []string
		for _, l := range p.Limits(policy.Scope{Asset: a, Subject: "agent:bot"}) {
			out = append(out, strings.ReplaceAll(l.Name, "execution.dailySpendCaps.", "")+" "+l.Subject)
		}
		return strings.Join(out, "; ")
	}
	for a, want := range map[policy.Asset]string{
		eth:                                   "1:native ; the agent's 1:native agent:bot",
		usdcEth:                               "1:native ; the agent's 1:native agent:bot; " + usdcEth.String() + " ",
		policy.NativeOf(10):                   "", // the base has none
		{ChainID: 8453, Token: usdcEth.Token}: "8453:native ",
	} {
		if got := names(a); got != want {
			t.Errorf("%v: %q, want %q", a, got, want)
		}
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	again, err := policy.Parse("policy.json", b)
	if err != nil || again.Execution.SpendCaps[usdcEth] != (policy.SpendCap{Daily: c[usdcEth].Daily, Decimals: 6}) || again.Execution.SpendCaps[eth].Daily != capOf(t, "0.1") {
		t.Errorf("%s: %+v %v", b, again, err)
	}
	if all := p.AllLimits("agent:bot"); len(all) != 5 {
		t.Errorf("%d limits", len(all))
	}
	// Other places than the base says are another amount: refused, not converted.
	write(t, src.WorkDir, "policy.json", `{"execution":{"dailySpendCaps":{"`+usdcEth.String()+`":{"amount":1,"decimals":8}}}}`)
	if _, err := policy.Load(src); err == nil || !strings.Contains(err.Error(), "has 8 places here and 6 in the base policy") {
		t.Errorf("%v", err)
	}
	one, two := layered(t, `{"execution":{"dailySpendCaps":{"1:native":1}}}`, ""), layered(t, `{"execution":{"dailySpendCaps":{"1:native":2}}}`, "")
	if one.Hash() == two.Hash() {
		t.Error("another cap, and the same hash")
	}
}
