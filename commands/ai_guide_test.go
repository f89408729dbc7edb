package commands

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/ape-claw/ape-claw/ai/guide"
)

// What the guide tells models to call exists, with these arguments.
func TestGuideNamesRealTools(t *testing.T) {
	t.Parallel()
	registry, err := newDeps(Host{Env: func(string) (string, bool) { return "", false }}).aiRegistry()
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile("`([a-z]+_[a-z_]+) (\\{.*?\\})`").FindAllStringSubmatch(guide.Text(), -1)
	if len(calls) < 5 {
		t.Fatalf("the guide shows %d calls", len(calls))
	}
	for _, c := range calls {
		tool, ok := registry.Lookup(c[1])
		if !ok {
			t.Errorf("there is no tool %s", c[1])
			continue
		}
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(tool.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		for _, key := range regexp.MustCompile(`"([A-Za-z]+)":`).FindAllStringSubmatch(c[2], -1) {
			if _, ok := schema.Properties[key[1]]; !ok {
				t.Errorf("%s has no argument %s", c[1], key[1])
			}
		}
	}
	for _, name := range []string{"market_collections", "actions_pending", "explain_block", "events_recent", "budget_status", "guide", "request_action"} {
		if _, ok := registry.Lookup(name); !ok {
			t.Errorf("there is no tool %s", name)
		}
	}
}
