package skill_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ape-claw/ape-claw/v2/skill"
)

// The published schema and Parse agree about what is a card.
func TestSchema(t *testing.T) {
	t.Parallel()
	published, err := os.ReadFile("../../docs/skillcard.schema.json")
	if err != nil || !bytes.Equal(published, skill.Schema()) {
		t.Errorf("docs/skillcard.schema.json is not the schema: %v", err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(skill.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("card", v); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("card")
	if err != nil {
		t.Fatal(err)
	}
	check := func(raw []byte) {
		t.Helper()
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		_, parsed := skill.Parse(raw)
		if valid := s.Validate(v); (valid == nil) != (parsed == nil) {
			t.Errorf("%s\nthe schema: %v\nParse: %v", raw, valid, parsed)
		}
	}
	check([]byte(card))
	for _, s := range skill.Seeds() {
		check(s.Raw)
	}
	values := []any{nil, true, 0, 1, 3, 4, 1.5, -1, "", " ", "a", "A", "a-b", "a--b", "../x", "1", "1.2.3", "v1", "0", "12", strings.Repeat("a", 129), strings.Repeat("a", 201), strings.Repeat("a", 2049), strings.Repeat("a", 16385),
		[]any{}, []any{"a"}, []any{1}, []any{map[string]any{}}, []any{map[string]any{"type": "cli"}}, []any{map[string]any{"type": "cli", "x": 1}}, []any{map[string]any{"title": "a", "value": nil}},
		map[string]any{}, map[string]any{"riskTier": 2}, map[string]any{"riskTier": 0}, map[string]any{"notes": "a"}, map[string]any{"skillId": "0"}, map[string]any{"skillId": "7", "chainId": 1}, map[string]any{"chainId": 0}, map[string]any{"signed": "x"}, map[string]any{"publisher": "x", "signed": true, "sourceUrl": "x"}}
	base := map[string]any{"slug": "a", "name": "A", "version": "1"}
	n := 0
	for _, key := range []string{"slug", "name", "version", "description", "inputs_schema", "outputs_schema", "bindings", "constraints", "required_permissions", "examples", "eval_packs", "provenance", "other"} {
		for _, v := range values {
			d := maps.Clone(base)
			d[key] = v
			raw, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			check(raw)
			n++
		}
		d := maps.Clone(base)
		delete(d, key)
		raw, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		check(raw)
	}
	if n < 400 {
		t.Errorf("%d documents", n)
	}
}
