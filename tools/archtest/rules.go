package archtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Rule forbids names outside the folders that may mention them.
type Rule struct {
	Names  []string // exact, or a prefix that ends in "*"
	Only   []string // folders that may; empty: none
	Within []string // folders the rule is about; empty: all
	Tests  bool     // test files too
	Why    string
}

// Exception lets one file mention one name.
type Exception struct {
	File, Name, Why string
}

// Check returns a line for each forbidden mention, and one for each exception
// that nothing needs any more.
func Check(files []*File, rules []Rule, exceptions []Exception) []string {
	used := make([]bool, len(exceptions))
	excused := func(f *File, name string) bool {
		found := false
		for i, e := range exceptions {
			if e.File == f.Path && e.Name == name {
				used[i], found = true, true
			}
		}
		return found
	}
	var out []string
	for _, f := range files {
		var uses []Use
		for _, p := range f.Imports() {
			uses = append(uses, Use{"import " + p, f.Path})
		}
		uses = append(uses, f.Uses()...)
		for _, r := range rules {
			if (f.Test && !r.Tests) || f.In(r.Only...) || (r.Within != nil && !f.In(r.Within...)) {
				continue
			}
			for _, u := range uses {
				if r.matches(u.Name) && !excused(f, u.Name) {
					out = append(out, fmt.Sprintf("%s: %s: %s", u.At, u.Name, r.Why))
				}
			}
		}
	}
	for i, e := range exceptions {
		if !used[i] {
			out = append(out, fmt.Sprintf("%s: exception for %s is not needed: remove it", e.File, e.Name))
		}
	}
	return out
}

func (r Rule) matches(name string) bool {
	return slices.ContainsFunc(r.Names, func(n string) bool {
		if prefix, ok := strings.CutSuffix(n, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return n == name
	})
}

var (
	openEnd  = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)
	numbered = regexp.MustCompile(`\b(TODO|FIXME)\(#\d+\)`)
)

// OpenEnds returns the comments that promise work without naming an issue, as
// in TODO(#12).
func OpenEnds(files []*File) []string {
	var out []string
	for _, f := range files {
		for _, c := range f.Comments() {
			if openEnd.MatchString(c.Name) && !numbered.MatchString(c.Name) && !f.Generated {
				out = append(out, c.At+": "+strings.TrimSpace(c.Name))
			}
		}
	}
	return out
}

// TooLong returns the hand-written files with more lines than they may have.
func TooLong(files []*File, code, test int) []string {
	var out []string
	for _, f := range files {
		limit := code
		if f.Test {
			limit = test
		}
		if !f.Generated && f.Lines > limit {
			out = append(out, fmt.Sprintf("%s: %d lines, at most %d", f.Path, f.Lines, limit))
		}
	}
	return out
}
