package policy_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBuiltInPolicySpendsNothing(t *testing.T) {
	t.Parallel()
	p, err := policy.Load(policy.Sources{Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if p.ChainID != 33139 || p.RPCURL != "https://rpc.apechain.com/http" || p.NativeToken != "APE" || p.Bridge.MaxFee != 100 ||
		p.Market.DataSource != "opensea" || p.Market.AllowlistMode != "recommended-only" || !slices.Equal(p.NFTBuy.Currencies, []string{"APE"}) {
		t.Errorf("%+v", p)
	}
	if p.NFTBuy.MaxPricePerTx != (policy.Cap{}) || p.Execution.DailySpendCap != (policy.Cap{}) || p.Execution.AutonomousMode ||
		!p.Execution.ConfirmPhraseRequired || !p.NFTBuy.SimulationRequired {
		t.Errorf("the built-in policy lets something be spent: %+v", p)
	}
	if !slices.Equal(p.Files, []string{"the built-in policy"}) || p.Warnings != nil {
		t.Errorf("%q %q", p.Files, p.Warnings)
	}
	s, err := policy.Load(policy.Sources{Home: t.TempDir(), Sandbox: true})
	if err != nil || s.ChainID != 7733139 || !s.NFTBuy.MaxPricePerTx.Allows(amount(t, "1")) {
		t.Errorf("%+v %v", s, err)
	}
}

// What a base file leaves out is as strict as can be.
func TestMissingIsStrict(t *testing.T) {
	t.Parallel()
	p, err := policy.Load(homeWith(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	if p.NFTBuy.MaxPricePerTx != (policy.Cap{}) || p.Execution.DailySpendCap != (policy.Cap{}) || p.Bridge.MaxFee != 0 || len(p.NFTBuy.Currencies) != 0 ||
		p.Execution.AutonomousMode || !p.Execution.ConfirmPhraseRequired || !p.NFTBuy.SimulationRequired || !p.NFTBuy.DenyUnlimitedApprovals || !p.Bridge.RequireMinAmountOut {
		t.Errorf("%+v", p)
	}
}

// The file that users of the original have is read as it is.
func TestOriginalFile(t *testing.T) {
	t.Parallel()
	p, err := policy.Load(homeWith(t, `{
  "apechainChainId": 33139,
  "apechainRpcUrl": "https://rpc.example/key",
  "nativeGasToken": "APE",
  "bridge": {"provider": "relay", "maxBridgeFeeBps": 400, "requireMinAmountOut": true, "defaultTo": "apechain", "defaultToken": "APE"},
  "market": {"dataSource": "opensea", "collectionAllowlistMode": "recommended-only"},
  "nftBuy": {"maxPricePerTx": 10000, "currencyAllowlist": ["APE", "WAPE", "WETH"], "denyUnlimitedApprovals": true, "simulationRequired": true},
  "execution": {"dailySpendCap": 100000.5, "confirmPhraseRequired": true, "autonomousMode": false}
}`))
	if err != nil {
		t.Fatal(err)
	}
	if p.NFTBuy.MaxPricePerTx.Max != amount(t, "10000") || p.Execution.DailySpendCap.Max != amount(t, "100000.5") || p.Bridge.MaxFee != 400 {
		t.Errorf("%+v", p)
	}
}

func TestCapSpellings(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]string{ // "": refused
		`0`: "0", `1`: "1", `12.5`: "12.5", `"12.5"`: "12.5", `0.000000000000000001`: "0.000000000000000001", `"unlimited"`: "unlimited", `1.50`: "1.5",
		`123456789012345678901.123456789012345678`: "123456789012345678901.123456789012345678",
		`1e2`: "", `1E2`: "", `-1`: "", `-0`: "", `"-1"`: "", `"abc"`: "", `""`: "", `" 1"`: "", `"1,5"`: "", `"1_000"`: "", `"Unlimited"`: "", `"infinity"`: "", `"NaN"`: "", `"0x10"`: "",
		`null`: "", `true`: "", `[1]`: "", `{}`: "", `0.1234567890123456789`: "", `"١"`: "", `"1e2"`: "",
		`1` + strings.Repeat("0", 78): "",
	} {
		p, err := policy.Load(homeWith(t, `{"execution":{"dailySpendCap":`+literal+`}}`))
		if want == "" {
			if err == nil {
				t.Errorf("%s was read as %s", literal, p.Execution.DailySpendCap.Decimal(18))
			} else {
				wantCode(t, err, fault.PolicyInvalid)
			}
			continue
		}
		if err != nil || p.Execution.DailySpendCap.Decimal(18) != want {
			t.Errorf("%s: %v %v", literal, p, err)
		}
	}
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // what the message must hold, beside the file
		"{\n  \"execution\": {\n    \"dailySpendCapp\": 5\n  }\n}": `:3:5: unknown key "dailySpendCapp" in execution: did you mean "dailySpendCap"?`,
		`{"excution":{}}`:                                          `:1:2: unknown key "excution": did you mean "execution"?`,
		`{"execution":{"dailyspendcap":1}}`:                        `did you mean "dailySpendCap"?`,
		`{"nftBuy":{"zzz":1}}`:                                     `unknown key "zzz" in nftBuy: expected one of maxPricePerTx, `,
		`{"execution":{"dailySpendCap":"abc"}}`:                    `:1:31: dailySpendCap: amount "abc"`,
		`{"execution":{"dailySpendCap":1,"dailySpendCap":2}}`:      `:1:33: key "dailySpendCap" appears twice`,
		`{"execution":{},"execution":{}}`:                          `:1:17: key "execution" appears twice`,
		`{"execution":{"dailySpendCap":1,"daily\u0053pendCap":2}}`: `appears twice`,
		`{"execution":{"autonomousMode":"false"}}`:                 `autonomousMode is the string "false"; expected true or false`,
		`{"execution":{"autonomousMode":null}}`:                    `is null`,
		`{"execution":[]}`:                                         `:1:14: execution is a list; expected an object`,
		`[]`:                                                       `:1:1: the policy is a list; expected an object`,
		``:                                                         `:1:1: invalid JSON: unexpected end of JSON input`,
		"{\n\"execution\": {":                                      `:2:15: invalid JSON: unexpected end of JSON input`,
		"{\n\"execution\": {},\n}":                                 `:3:1: invalid JSON: invalid character '}'`,
		`{} {}`:                                                    `:1:4: invalid JSON: invalid character '{' after top-level value`,
		`{} x`:                                                     `:1:4: invalid JSON`,
		"{}\x00":                                                   `:1:3: invalid JSON`,
		`{"a":1 // no comments`:                                    `:1:8: invalid JSON`,
		"\xef\xbb\xbf{}":                                           `byte order mark`,
		"{\"nativeGasToken\":\"\xff\"}":                            `:1:20: not UTF-8`,
		`{"nativeGasToken":"\ud800"}`:                              `:1:19: a string with a character that can't be read`,
		`{"nativeGasToken":"A PE"}`:                                `expected a symbol`,
		`{"bridge":{"maxBridgeFeeBps":2.5}}`:                       `maxBridgeFeeBps is the number 2.5; expected a whole number from 0 to 10000`,
		`{"bridge":{"maxBridgeFeeBps":10001}}`:                     `expected a whole number`,
		`{"bridge":{"maxBridgeFeeBps":-1}}`:                        `expected a whole number`,
		`{"bridge":{"maxBridgeFeeBps":"100"}}`:                     `expected a whole number`,
		`{"bridge":{"provider":"hop"}}`:                            `provider is the string "hop"; expected "relay"`,
		`{"market":{"collectionAllowlistMode":"any"}}`:             `expected "recommended-only"`,
		`{"apechainChainId":0}`:                                    `expected a chain id`,
		`{"apechainChainId":33139.0}`:                              `expected a chain id`,
		`{"apechainChainId":"33139"}`:                              `expected a chain id`,
		`{"apechainRpcUrl":"ftp://x"}`:                             `:1:19: apechainRpcUrl is not an http(s) or ws(s) URL`,
		`{"apechainRpcUrl":5}`:                                     `apechainRpcUrl is not a string`,
		`{"nftBuy":{"currencyAllowlist":"APE"}}`:                   `expected a list such as ["APE"]`,
		`{"nftBuy":{"currencyAllowlist":["APE","APE"]}}`:           `:1:39: currencyAllowlist has "APE" twice`,
		`{"nftBuy":{"currencyAllowlist":["APE",5]}}`:               `currencyAllowlist has the number 5`,
		`{"nftBuy":{"currencyAllowlist":["0x12"]}}`:                `expected a symbol or a contract address`,
		`{"x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`:       `nested more than 16 deep`,
		`{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`: `invalid JSON`,
		strings.Repeat(" ", 1<<20) + "{}":                                       `larger than 1048576 bytes`,
	} {
		src := homeWith(t, "")
		write(t, src.Home, "policy.json", text)
		_, err := policy.Load(src)
		wantCode(t, err, fault.PolicyInvalid)
		if msg := err.Error(); !strings.Contains(msg, want) || !strings.Contains(msg, "policy.json") || strings.Contains(msg, src.Home) {
			t.Errorf("%.60q:\n got %s\nwant %s", text, msg, want)
		}
	}
}

func TestUnreadableFilesRefuse(t *testing.T) {
	t.Parallel()
	// Each place that a file may lie in, and each way that it can't be read.
	places := map[string]func(policy.Sources) string{
		"home":  func(s policy.Sources) string { return filepath.Join(s.Home, "policy.json") },
		"etc":   func(s policy.Sources) string { return filepath.Join(s.Etc, "policy.json") },
		"extra": func(s policy.Sources) string { return s.Extra },
		"work":  func(s policy.Sources) string { return filepath.Join(s.WorkDir, "policy.json") },
		"agent": func(s policy.Sources) string { return filepath.Join(s.Home, "agents", "bot", "policy.json") },
	}
	ways := map[string]func(path string) error{
		"directory": func(p string) error { return os.MkdirAll(p, 0o700) },
		"link":      func(p string) error { return os.Symlink(filepath.Join(filepath.Dir(p), "nowhere"), p) },
		"loop":      func(p string) error { return os.Symlink(p, p) },
		"pipe":      func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"empty":     func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"misspelt":  func(p string) error { return os.WriteFile(p, []byte(`{"exec":{}}`), 0o600) },
	}
	for place, at := range places {
		for way, make := range ways {
			t.Run(place+" "+way, func(t *testing.T) {
				t.Parallel()
				src := policy.Sources{Home: t.TempDir(), Etc: t.TempDir(), WorkDir: t.TempDir(), Agents: []string{"bot"}}
				if place == "extra" {
					src.Extra = filepath.Join(t.TempDir(), "extra.json")
				}
				if err := os.MkdirAll(filepath.Dir(at(src)), 0o700); err != nil {
					t.Fatal(err)
				}
				if _, err := policy.Load(src); place != "extra" && err != nil {
					t.Fatal(err)
				}
				if err := make(at(src)); err != nil {
					t.Fatal(err)
				}
				_, err := policy.Load(src)
				wantCode(t, err, fault.PolicyInvalid)
				if way == "pipe" && !strings.Contains(err.Error(), "not a regular file") {
					t.Error(err)
				}
				if f := policy.LoadFence(src); f.Policy != nil || f.Allowlist != nil || f.Err == nil {
					t.Fatalf("%+v", f)
				}
			})
		}
	}
	for name, src := range map[string]policy.Sources{
		"no home":           {},
		"no such extra":     {Home: t.TempDir(), Extra: filepath.Join(t.TempDir(), "none.json")},
		"home is a file":    {Home: write(t, t.TempDir(), "home", "x")},
		"agents is a file":  {Home: filepath.Dir(write(t, t.TempDir(), "agents", "x")), Agents: []string{"bot"}},
		"bad file as extra": {Home: t.TempDir(), Extra: write(t, t.TempDir(), "x.json", "{")},
	} {
		if _, err := policy.Load(src); fault.CodeOf(err) != fault.PolicyInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, agent := range []string{"../../etc", "a/b", "A", "x", ".", strings.Repeat("a", 65), "a\x00b"} {
		if _, err := policy.Load(policy.Sources{Home: t.TempDir(), Agents: []string{agent}}); fault.CodeOf(err) != fault.Usage {
			t.Errorf("agent %q: %v", agent, err)
		}
	}
}

func TestLayersNarrow(t *testing.T) {
	t.Parallel()
	src := policy.Sources{Home: t.TempDir(), Etc: t.TempDir(), WorkDir: t.TempDir(), Agents: []string{"bot"}}
	write(t, src.Home, "policy.json", `{"bridge":{"maxBridgeFeeBps":300,"requireMinAmountOut":false},
		"nftBuy":{"maxPricePerTx":"unlimited","currencyAllowlist":["APE","WAPE","WETH"],"denyUnlimitedApprovals":false,"simulationRequired":false},
		"execution":{"dailySpendCap":100,"confirmPhraseRequired":false,"autonomousMode":true}}`)
	write(t, src.Etc, "policy.json", `{"nftBuy":{"maxPricePerTx":50,"currencyAllowlist":["APE","WAPE"]},"bridge":{"maxBridgeFeeBps":200}}`)
	src.Extra = write(t, t.TempDir(), "extra.json", `{"nftBuy":{"maxPricePerTx":60,"simulationRequired":true},"execution":{"dailySpendCap":"unlimited","confirmPhraseRequired":true}}`)
	write(t, src.WorkDir, "policy.json", `{"nftBuy":{"currencyAllowlist":["WAPE","USDC"]},"execution":{"dailySpendCap":80,"autonomousMode":false},"apechainChainId":33139}`)
	write(t, src.Home, "agents/bot/policy.json", `{"execution":{"dailySpendCap":5,"autonomousMode":true},"nftBuy":{"maxPricePerTx":40,"denyUnlimitedApprovals":true},"bridge":{"requireMinAmountOut":true}}`)
	p, err := policy.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	if p.NFTBuy.MaxPricePerTx.Decimal(18) != "40" || p.Execution.DailySpendCap.Decimal(18) != "80" || p.Bridge.MaxFee != 200 ||
		!slices.Equal(p.NFTBuy.Currencies, []string{"WAPE"}) || !p.NFTBuy.SimulationRequired || !p.NFTBuy.DenyUnlimitedApprovals ||
		!p.Bridge.RequireMinAmountOut || !p.Execution.ConfirmPhraseRequired || p.Execution.AutonomousMode || len(p.Files) != 5 {
		t.Errorf("%+v", p)
	}
	// The agent's own cap bounds its own rows; everybody's is another limit.
	if l := p.Limits(policy.Scope{Asset: ape, Subject: "agent:bot"}); len(l) != 2 || l[0].Subject != "" || l[0].Cap.Decimal(18) != "80" || l[1].Subject != "agent:bot" || l[1].Cap.Decimal(18) != "5" {
		t.Errorf("%+v", p.Limits(policy.Scope{Asset: ape, Subject: "agent:bot"}))
	}
	var shown struct {
		Execution struct{ DailySpendCap json.Number }
	}
	if b, err := json.Marshal(p); err != nil || json.Unmarshal(b, &shown) != nil || shown.Execution.DailySpendCap != "5" {
		t.Errorf("%s %v", b, err)
	}
}

// TestAgentsNarrowTogether: to act under another id leaves no overlay behind.
func TestAgentsNarrowTogether(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, home, "policy.json", `{"nftBuy":{"maxPricePerTx":50,"currencyAllowlist":["APE"]},"execution":{"dailySpendCap":100,"autonomousMode":true}}`)
	write(t, home, "agents/own/policy.json", `{"nftBuy":{"maxPricePerTx":20},"execution":{"dailySpendCap":10,"autonomousMode":false}}`)
	write(t, home, "agents/other/policy.json", `{"nftBuy":{"maxPricePerTx":30},"execution":{"dailySpendCap":40}}`)
	write(t, home, "allowlist.json", `[{"slug":"a","contractAddress":"`+addrA+`"}]`)
	write(t, home, "agents/own/allowlist.json", `[]`)
	for name, tt := range map[string]struct {
		agents          []string
		price           string
		everybody, mine string // daily caps; "" is none
		narrowed        bool
	}{
		"nobody":        {nil, "50", "100", "", false},
		"its own":       {[]string{"own"}, "20", "100", "10", true},
		"its own twice": {[]string{"own", "own"}, "20", "10", "10", true},
		"as another":    {[]string{"own", "other"}, "20", "10", "40", true},
		"as a new one":  {[]string{"own", "new-one"}, "20", "10", "", true},
		"as none":       {[]string{"own", ""}, "20", "10", "", true},
		"no profile":    {[]string{"", "other"}, "30", "100", "40", false},
	} {
		f := policy.LoadFence(policy.Sources{Home: home, Agents: tt.agents})
		if f.Err != nil {
			t.Fatalf("%s: %v", name, f.Err)
		}
		l := f.Policy.Limits(policy.Scope{Asset: ape, Subject: "agent:acting"})
		mine := ""
		if len(l) == 2 && l[1].Subject == "agent:acting" {
			mine = l[1].Cap.Decimal(18)
		}
		_, err := f.Allowlist.Resolve("a")
		if got := f.Policy.NFTBuy.MaxPricePerTx.Decimal(18); got != tt.price || l[0].Subject != "" || l[0].Cap.Decimal(18) != tt.everybody ||
			mine != tt.mine || f.Policy.Execution.AutonomousMode == tt.narrowed || (err != nil) != tt.narrowed {
			t.Errorf("%s: price %s, limits %+v, autonomous %t, %v", name, got, l, f.Policy.Execution.AutonomousMode, err)
		}
	}
	for _, agents := range [][]string{{"../own", "other"}, {"own", "../other"}} {
		if _, err := policy.Load(policy.Sources{Home: home, Agents: agents}); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%q: %v", agents, err)
		}
	}
}

func TestNarrowingFilesChangeNoNames(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"apechainChainId":1}`, `{"apechainRpcUrl":"https://evil.example"}`, `{"nativeGasToken":"ETH"}`,
		`{"bridge":{"defaultTo":"base"}}`, `{"bridge":{"defaultToken":"ETH"}}`, `{"market":{"dataSource":"file"}}`,
	} {
		src := policy.Sources{Home: t.TempDir(), WorkDir: t.TempDir()}
		write(t, src.WorkDir, "policy.json", text)
		_, err := policy.Load(src)
		wantCode(t, err, fault.PolicyInvalid)
		if !strings.Contains(err.Error(), "can only narrow") || strings.Contains(err.Error(), "evil") {
			t.Errorf("%s: %v", text, err)
		}
		src.Sandbox = true // its names are its own: only limits are taken
		if p, err := policy.Load(src); err != nil || p.ChainID != 7733139 || p.RPCURL != "" || p.NativeToken != "APE" {
			t.Errorf("%s: %+v %v", text, p, err)
		}
	}
}

func TestSandboxHasNoMachineFence(t *testing.T) {
	t.Parallel()
	src := policy.Sources{Home: t.TempDir(), Etc: t.TempDir(), WorkDir: t.TempDir(), Sandbox: true}
	write(t, src.Etc, "policy.json", `{"execution":{"dailySpendCap":0}}`)
	write(t, src.WorkDir, "policy.json", `{"execution":{"dailySpendCap":3}}`)
	if p, err := policy.Load(src); err != nil || p.Execution.DailySpendCap.Decimal(18) != "3" {
		t.Errorf("%+v %v", p, err)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	src := homeWith(t, `{}`)
	src.WorkDir = t.TempDir()
	path := filepath.Join(src.Home, "policy.json")
	for mode, want := range map[os.FileMode]int{0o600: 0, 0o644: 0, 0o664: 1, 0o602: 1} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if p, err := policy.Load(src); err != nil || len(p.Warnings) != want {
			t.Errorf("%o: %q %v", mode, p.Warnings, err)
		}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, src.WorkDir, "config/policy.json", `{}`)
	if p, err := policy.Load(src); err != nil || len(p.Warnings) != 1 {
		t.Errorf("%q %v", p.Warnings, err)
	}
}

func TestHashFollowsTheRules(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, text := range []string{
		``, `{}`, openPolicy, strings.Replace(openPolicy, "20", "21", 1), strings.Replace(openPolicy, "10", "11", 1), strings.Replace(openPolicy, `"WAPE"`, `"WETH"`, 1),
		strings.Replace(openPolicy, "true", "false", 1), `{"apechainRpcUrl":"https://a.example/k1"}`, `{"apechainRpcUrl":"https://a.example/k2"}`,
	} {
		h := func() string {
			p, err := policy.Load(homeWith(t, text))
			if err != nil {
				t.Fatal(err)
			}
			return p.Hash()
		}
		first := h()
		if other, ok := seen[first]; ok || first != h() {
			t.Errorf("%s and %s", text, other)
		}
		seen[first] = text
	}
}

func TestEndpointHidesKeys(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://rpc.apechain.com/http": "https://rpc.apechain.com/http", "http://127.0.0.1:8545": "http://127.0.0.1:8545",
		"https://u:p@host.example": "https://host.example/…", "https://host.example/v2/k3y": "https://host.example/…", "https://host.example?key=k3y": "https://host.example/…",
		"not a url": "***",
	} {
		e := policy.Endpoint(in)
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []string{e.String(), fmt.Sprint(e), fmt.Sprintf("%#v", e), e.LogValue().String()} {
			if got != want {
				t.Errorf("%q shows %q", in, got)
			}
		}
		if strings.Contains(string(b), "k3y") {
			t.Errorf("%s", b)
		}
	}
}
