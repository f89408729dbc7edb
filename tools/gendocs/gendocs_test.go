package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestBetween(t *testing.T) {
	t.Parallel()
	const doc = "a\n<!-- generated: x -->\nold\n<!-- end: x -->\nb\n"
	got, err := between(doc, "x", "new\n")
	if err != nil || got != "a\n<!-- generated: x -->\nnew\n<!-- end: x -->\nb\n" {
		t.Errorf("got %q, %v", got, err)
	}
	if again, err := between(got, "x", "new\n"); err != nil || again != got {
		t.Errorf("a second time: got %q, %v", again, err)
	}
	if _, err := between(doc, "y", ""); err == nil {
		t.Error("no error for markers that are not there")
	}
}

func TestRow(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	table(&b, "a", "b")
	row(&b, "x|y", "two\nlines")
	if got, want := b.String(), "| a | b |\n|---|---|\n| x\\|y | two lines |\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	type embedded struct {
		Inner string `json:"inner"`
	}
	type in struct {
		MaxPrice string   "json:\"maxPrice,omitempty\" help:\"highest price in `APE`\" required:\"true\""
		Shell    string   `json:"shell" arg:"shell" enum:"bash,zsh"`
		Limit    int64    `json:"limit" default:"20"`
		Types    []string `json:"types"`
		Follow   bool     `json:"follow"`
		Key      string   `json:"key" secret:"true"`
		Hidden   string   `json:"-"`
		embedded
	}
	var got []string
	for _, f := range fields(reflect.TypeFor[in]()) {
		got = append(got, f.usage()+f.note()+f.def)
	}
	want := []string{"`--max-price APE` (required)", "`shell` (one of `bash`, `zsh`)", "`--limit N`20", "`--types A,B`", "`--follow`", "`--key STRING` (secret: never shown or logged)", "`--inner STRING`"}
	if !slices.Equal(got, want) {
		t.Errorf("fields: got %q, want %q", got, want)
	}
	if got, want := outFields(reflect.TypeFor[*in]()), []string{"maxPrice", "shell", "limit", "types", "follow", "key", "inner"}; !slices.Equal(got, want) {
		t.Errorf("out: got %q, want %q", got, want)
	}
	if got := outFields(reflect.TypeFor[json.RawMessage]()); got != nil {
		t.Errorf("out of a type with its own JSON: got %q", got)
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type":"object"}`: "any object",
		`{"type":"object","additionalProperties":false}`: "empty",
		`{"type":"object","required":["b"],"properties":{"b":{"type":"string","pattern":"^(0|[1-9][0-9]*)$"},"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"c":{}},"additionalProperties":false}`:        "`b`* base units, `a` integer or null, `c` any",
		`{"type":"object","properties":{"k":{"const":true},"e":{"enum":["x","y"]},"l":{"type":"array","items":{"type":"string","pattern":"^0x[0-9a-fA-F]{64}$"}},"o":{"type":"string","pattern":"^other$"}}}`: "`k` true, `e` x or y, `l` list of hash, `o` string, and others",
	} {
		got, err := members(json.RawMessage(schema))
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", schema, got, err, want)
		}
	}
}

func TestDedent(t *testing.T) {
	t.Parallel()
	if got, want := dedent("\n  a\n\n    b\n"), "a\n\n  b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
