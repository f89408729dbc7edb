package guide_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/ape-claw/ape-claw/ai/guide"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestSections(t *testing.T) {
	t.Parallel()
	want := []string{"rules", "buying", "chain", "states", "results", "errors"}
	if got := guide.Names(); !slices.Equal(got, want) {
		t.Fatalf("the sections are %q, want %q", got, want)
	}
	for _, name := range want {
		// The guide tool's result is cut at 4096 bytes, JSON and its fence included.
		if s, ok := guide.Lookup(name); !ok || len(s.Text) < 200 || len(s.Text) > 3600 {
			t.Errorf("section %s has %d bytes", name, len(s.Text))
		}
	}
	if _, ok := guide.Lookup("Rules"); ok {
		t.Error("names are not case-folded")
	}
}

// TestErrors holds the codes that the guide names against those there are.
func TestErrors(t *testing.T) {
	t.Parallel()
	var known []string
	for _, e := range fault.Table {
		known = append(known, string(e.Code))
	}
	s, _ := guide.Lookup("errors")
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(s.Text, -1) {
		for _, code := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			if !slices.Contains(known, code[1]) {
				t.Errorf("there is no code %s", code[1])
			}
		}
	}
}
