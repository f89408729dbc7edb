package policy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ape-claw/ape-claw/policy"
)

func compileSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(policy.Schema())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("policy.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("policy.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fits(s *jsonschema.Schema, text string) bool {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	return err == nil && s.Validate(doc) == nil
}

// Every value of a few dozen, under every key: schema and parser agree, but for
// what JSON Schema can't say of a number's spelling.
func TestSchemaAgreesWithTheParser(t *testing.T) {
	t.Parallel()
	s := compileSchema(t)
	literals := []string{`0`, `1`, `5`, `10000`, `10001`, `33139`, `-1`, `2.5`, `9007199254740991`, `9007199254740992`, `true`, `false`, `null`, `[]`, `{}`, `["APE"]`, `["APE","APE"]`, `[5]`, `["` + addrA + `"]`,
		`""`, `"APE"`, `"relay"`, `"opensea"`, `"file"`, `"recommended-only"`, `"unlimited"`, `"Unlimited"`, `"12.5"`, `"abc"`, `"-1"`, `"1e2"`, `"01"`, `"0.1234567890123456789"`, `"https://a.example"`, `"ftp://a"`, `"https://"`, `"x y"`,
		`"10000"`, `{"dengs":{}}`, `{"Dengs":{}}`, `{"` + dengs + `":{"maxPricePerTx":5,"dailySpendCap":"unlimited"}}`, `{"dengs":{"maxPricePerTx":"01"}}`, `{"dengs":{"maxPricePerTx":true}}`,
		`{"dengs":{"x":1}}`, `{"dengs":[]}`, `{"WAPE":{}}`, `{"WAPE":{"maxPricePerTx":0.5,"dailySpendCap":"12.5","decimals":18}}`, `{"WAPE":{"maxPricePerTx":"-1"}}`, `{"` + addrA + `":{"decimals":6}}`,
		`{"` + addrA + `":{"decimals":37}}`, `{"` + addrA + `":{"decimals":"6"}}`, `{"` + addrA + `":{"decimals":6.5}}`, `{"0x12":{"decimals":6}}`, `["` + addrA + `","` + addrB + `"]`, `["` + addrA + `","` + addrA + `"]`, `["0x12"]`,
		`{"1:native":5}`, `{"1:native":"unlimited"}`, `{"1:native":{"amount":5,"decimals":18}}`, `{"1:native":{"amount":5}}`, `{"1:` + addrA + `":{"amount":"0.5","decimals":6}}`, `{"1:` + addrA + `":{"amount":"0.5","decimals":6,"x":1}}`, `{"01:native":5}`,
		`[[]]`, `[[],[]]`, `[[],{}]`, `[{}]`, `[{"from":"08:00","to":"18:00"}]`, `[[{"from":"08:00","to":"18:00"}],[{"from":"22:00","to":"24:00","days":["mon","sun"],"timeZone":"Europe/Berlin"}]]`,
		`[{"from":"08:00","to":"18:00"},[]]`, `[{"from":"08:00"}]`, `[{"to":"08:00"}]`, `[{"from":"8:00","to":"18:00"}]`, `[{"from":"24:00","to":"18:00"}]`, `[{"from":"08:00","to":"24:01"}]`, `[{"from":"08:00","to":"18:00","days":[]}]`,
		`[{"from":"08:00","to":"18:00","days":["mon","mon"]}]`, `[{"from":"08:00","to":"18:00","days":["Mon"]}]`, `[{"from":"08:00","to":"18:00","timeZone":"../x"}]`, `[{"from":"08:00","to":"18:00","timeZone":""}]`, `[{"from":"08:00","to":"18:00","x":1}]`}
	var keys func(prefix string, schema map[string]any)
	checked := 0
	keys = func(prefix string, schema map[string]any) {
		for key, v := range schema["properties"].(map[string]any) {
			sub := v.(map[string]any)
			if sub["description"] == "" {
				t.Errorf("%s%s has no description", prefix, key)
			}
			for _, name := range []string{key, key + "x"} {
				for _, lit := range literals {
					text := fmt.Sprintf(`{%q:%s}`, name, lit)
					if prefix != "" {
						text = fmt.Sprintf(`{%q:{%q:%s}}`, prefix, name, lit)
					}
					_, err := policy.Parse("policy.json", []byte(text))
					if got := fits(s, text); got != (err == nil) && !(got && unknownName(err)) {
						t.Errorf("%s: schema says %t, parser %v", text, got, err)
					}
					checked++
				}
			}
			if sub["properties"] != nil {
				keys(key, sub)
			}
		}
	}
	keys("", policy.Schema())
	if checked < 3000 {
		t.Errorf("only %d documents were checked", checked)
	}
	for _, text := range []string{`5`, `[]`, `null`, `{}`} {
		if _, err := policy.Parse("policy.json", []byte(text)); fits(s, text) != (err == nil) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// unknownName is the refusal of a name that only the rest of the files could
// tell, which no schema knows.
func unknownName(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "is no token known on chain") || strings.Contains(err.Error(), "is bounded by") || strings.Contains(err.Error(), "needs its decimals"))
}

// The file that a person begins with fits the schema and has every key of it
// that does not age.
func TestTemplateHasEveryKey(t *testing.T) {
	t.Parallel()
	text, err := policy.InitTemplate(policy.InitOptions{})
	if err != nil || !fits(compileSchema(t), string(text)) {
		t.Fatalf("%s %v", text, err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var keys func(have map[string]any, schema map[string]any)
	keys = func(have map[string]any, schema map[string]any) {
		for key, v := range schema["properties"].(map[string]any) {
			// A list of today's contracts would close the door to what a later
			// version knows: bridges, skills.
			if _, ok := have[key]; !ok && key != "contractAllowlist" {
				t.Errorf("the template lacks %s", key)
			}
			if sub := v.(map[string]any); sub["properties"] != nil {
				keys(have[key].(map[string]any), sub)
			}
		}
	}
	keys(doc, policy.Schema())
	if doc["$schema"] != policy.SchemaID {
		t.Errorf("%v", doc["$schema"])
	}
}

func TestShownPolicyFitsTheSchema(t *testing.T) {
	t.Parallel()
	s := compileSchema(t)
	for _, text := range []string{"", "{}", openPolicy, `{"execution":{"dailySpendCap":"unlimited"}}`, fullPolicy, `{"execution":{"windows":[],"contractAllowlist":[]},"nftBuy":{"maxMarketplaceFeeBps":0}}`} {
		p, err := policy.Load(homeWith(t, text))
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(p)
		if err != nil || !fits(s, string(b)) {
			t.Errorf("%s: %v", b, err)
		}
		// What is shown can be kept as a file, and means the same.
		src := policy.Sources{Home: t.TempDir()}
		if err := os.WriteFile(filepath.Join(src.Home, "policy.json"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if again, err := policy.Load(src); err != nil || again.Hash() != p.Hash() {
			t.Errorf("%s: %v", b, err)
		}
	}
}
