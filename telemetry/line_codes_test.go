package telemetry_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// TestLineCodes: the list has each code that a line can be refused with, once, and no
// other.
func TestLineCodes(t *testing.T) {
	t.Parallel()
	var declared []string
	form := regexp.MustCompile(`(?m)^\s*\w+Code\s+= "(\w+)"$`)
	files := must(filepath.Glob("*.go"))
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range form.FindAllStringSubmatch(string(must(os.ReadFile(name))), -1) {
			declared = append(declared, m[1])
		}
	}
	var listed []string
	for _, l := range telemetry.LineCodes() {
		listed = append(listed, l.Code)
		if l.Means == "" {
			t.Errorf("%s has no meaning", l.Code)
		}
	}
	slices.Sort(declared)
	slices.Sort(listed)
	if !slices.Equal(declared, listed) {
		t.Errorf("declared are\n%q, listed\n%q", declared, listed)
	}
}
