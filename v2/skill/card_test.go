package skill_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/canon"
	"github.com/ape-claw/ape-claw/v2/skill"
)

const card = `{
  "slug": "floor-sweep", "name": "Floor sweep", "version": "1.2.0-beta.1", "description": "Buys the floor.\nCarefully.",
  "inputs_schema": {"type": "object", "properties": {"a/b": {"type": "number"}}}, "outputs_schema": {},
  "bindings": [{"type": "cli", "command": "ape-claw nft autobuy"}],
  "constraints": {"riskTier": 2, "notes": "three at most"},
  "required_permissions": ["nft:autobuy"],
  "examples": [{"title": "three", "value": {"count": 3}}, {"value": null}],
  "eval_packs": ["basic"],
  "provenance": {"publisher": "somebody", "signed": false, "sourceUrl": "https://example.org/floor-sweep.json"}
}`

func TestParse(t *testing.T) {
	t.Parallel()
	c, err := skill.Parse([]byte(card))
	if err != nil {
		t.Fatal(err)
	}
	hash, err := canon.Hash([]byte(card))
	if err != nil || c.ContentHash != hash {
		t.Errorf("hash %s, %v", c.ContentHash, err)
	}
	if c.Slug != "floor-sweep" || c.Version != "1.2.0-beta.1" || c.RiskTier != 2 || c.Notes != "three at most" || len(c.Bindings) != 1 || c.Bindings[0].Command != "ape-claw nft autobuy" ||
		len(c.Examples) != 2 || c.RequiredPermissions[0] != "nft:autobuy" || c.EvalPacks[0] != "basic" || c.Publisher != "somebody" || c.Inputs["type"] != "object" ||
		c.URI() != "https://example.org/floor-sweep.json" || c.FileName() != "floor-sweep.v1.2.0-beta.1.json" {
		t.Errorf("%+v", c)
	}
	// The order of keys and the space between them are no part of a card.
	again, err := skill.Parse([]byte(strings.NewReplacer("\n", "", `"constraints": {"riskTier": 2, "notes": "three at most"}`, `"constraints":{"notes":"three at most","riskTier":2}`).Replace(card)))
	if err != nil || again.ContentHash != hash {
		t.Errorf("%v: %s, want %s", err, again.ContentHash, hash)
	}
	least, err := skill.Parse([]byte(`{"slug":"a","name":"A","version":"1"}`))
	if err != nil || least.RiskTier != 0 || least.URI() != "" {
		t.Errorf("%+v, %v", least, err)
	}
}

// What is wrong is named by its place.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ old, new, says string }{
		"no slug":            {`"slug": "floor-sweep", `, ``, "/slug is missing"},
		"upper case":         {`floor-sweep"`, `Floor-Sweep"`, "/slug should be lower-case"},
		"a path":             {`"slug": "floor-sweep"`, `"slug": "../x"`, "/slug should be"},
		"two hyphens":        {`"slug": "floor-sweep"`, `"slug": "floor--sweep"`, "/slug should be"},
		"another slug's key": {`"slug"`, `"Slug"`, "/slug is missing"},
		"a version":          {`"1.2.0-beta.1"`, `"v1"`, "/version should be"},
		"five parts":         {`"1.2.0-beta.1"`, `"1.2.3.4.5"`, "/version should be"},
		"a version's end":    {`"1.2.0-beta.1"`, `"1.2.0-"`, "/version should be"},
		"a number":           {`"1.2.0-beta.1"`, `1.2`, "/version should be a text"},
		"a blank name":       {`"Floor sweep"`, `" "`, "/name should be"},
		"a name's break":     {`"Floor sweep"`, `"Floor\nsweep"`, "/name should be text without control characters"},
		"text turned around": {`"Floor sweep"`, `"Floor \u202e sweep"`, "/name should be text without"},
		"a long name":        {`"Floor sweep"`, `"` + strings.Repeat("a", 201) + `"`, "/name should be at most 200"},
		"tier 4":             {`"riskTier": 2`, `"riskTier": 4`, "/constraints/riskTier should be 1, 2 or 3"},
		"tier 2.0":           {`"riskTier": 2`, `"riskTier": 2.0`, "/constraints/riskTier should be"},
		"tier as text":       {`"riskTier": 2`, `"riskTier": "2"`, "/constraints/riskTier should be"},
		"a key of its own":   {`"eval_packs"`, `"evalPacks"`, "/evalPacks is no key of a card"},
		"a key within":       {`"publisher"`, `"a/b"`, "/provenance/a~1b is no key of a card"},
		"a binding":          {`"type": "cli"`, `"kind": "cli"`, "/bindings/0/type is missing"},
		"a list":             {`["nft:autobuy"]`, `"nft:autobuy"`, "/required_permissions should be a list"},
		"a list's item":      {`["nft:autobuy"]`, `["a", 1]`, "/required_permissions/1 should be a text"},
		"an example":         {`{"value": null}`, `7`, "/examples/1 should be an object"},
		"signed":             {`"signed": false`, `"signed": "no"`, "/provenance/signed should be true or false"},
		"a schema":           {`"outputs_schema": {}`, `"outputs_schema": []`, "/outputs_schema should be an object"},
		"twice":              {`"notes"`, `"riskTier": 1, "notes"`, "/constraints/riskTier twice"},
		"twice in a schema":  {`"outputs_schema": {}`, `"outputs_schema": {"a": 1, "\u0061": 2}`, "/outputs_schema/a twice"},
		"no JSON":            {`"eval_packs": ["basic"],`, `"eval_packs": ["basic"],,`, "not JSON"},
		"null":               {card, `null`, "the card should be an object"},
		"too long":           {`"three at most"`, `"` + strings.Repeat("a", skill.MaxBytes) + `"`, "longer than"},
	} {
		text := strings.Replace(card, tt.old, tt.new, 1)
		if text == card {
			t.Errorf("%s: nothing was changed", name)
		}
		c, err := skill.Parse([]byte(text))
		if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), tt.says) || c.Slug != "" {
			t.Errorf("%s: %v, want %s", name, err, tt.says)
		}
	}
}

// An address that only some may open, or that is of this machine, is none.
func TestURI(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"https://example.org/a.json": "https://example.org/a.json", "http://example.org/a": "", "file:///home/me/a.json": "", "/home/me/a.json": "",
		"https://me:secret@example.org/a": "", "ipfs://abc": "", "https:///a": "", "javascript:alert(1)": "", "": "",
	} {
		if got := (skill.Card{SourceURL: source}).URI(); got != want {
			t.Errorf("%s: %s", source, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(card))
	f.Add([]byte(`{"slug":"a","name":"A","version":"1","bindings":[{}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := skill.Parse(raw)
		if err != nil {
			if !strings.Contains(err.Error(), "JSON") && !strings.Contains(err.Error(), "card") {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		if hash, err := canon.Hash(raw); err != nil || hash != c.ContentHash || strings.ContainsAny(c.FileName(), "/\\ \n") {
			t.Fatalf("%q: %+v, %v", raw, c, err)
		}
	})
}
