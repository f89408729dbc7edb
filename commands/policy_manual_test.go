package commands

import (
	"os"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/policy"
)

// The manual's example is a policy that can be read, and has every key.
func TestPolicyManual(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "```json\n")
	if !ok {
		t.Fatal("no example")
	}
	example, _, _ := strings.Cut(rest, "```")
	p, err := policy.Parse("docs/policy.md", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.NFTBuy.CollectionCaps) != 1 || len(p.Execution.CurrencyCaps) != 1 || len(p.Execution.Windows) != 1 || len(p.Execution.Contracts) != 1 {
		t.Errorf("the example is not whole: %+v", p)
	}
	schema := policy.Schema()["properties"].(map[string]any)
	for group, v := range schema {
		sub, ok := v.(map[string]any)["properties"].(map[string]any)
		if !ok {
			continue
		}
		for key := range sub {
			if !strings.Contains(example, `"`+key+`"`) {
				t.Errorf("the example lacks %s.%s", group, key)
			}
		}
	}
	for _, l := range limitsOf(p) {
		if strings.Contains(l.Setting, "not set") {
			t.Errorf("%s: %s", l.Key, l.Setting)
		}
	}
}
