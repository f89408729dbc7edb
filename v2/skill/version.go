package skill

import (
	"cmp"
	"strings"
)

// CompareVersions orders versions as semantic versioning does: by the numbers of up
// to four parts, those that are missing as 0; a version with an ending after a hyphen
// comes before the one without; what follows a plus orders last, by its text.
func CompareVersions(a, b string) int {
	x, y := parts(a), parts(b)
	for i := range 4 {
		if c := compareNumbers(x.number(i), y.number(i)); c != 0 {
			return c
		}
	}
	switch {
	case x.before == y.before:
		return strings.Compare(x.after, y.after)
	case x.before == "":
		return 1
	case y.before == "":
		return -1
	}
	p, q := strings.Split(x.before, "."), strings.Split(y.before, ".")
	for i := range min(len(p), len(q)) {
		if c := compareEndings(p[i], q[i]); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(p), len(q)); c != 0 {
		return c
	}
	return strings.Compare(x.after, y.after)
}

type version struct {
	numbers       []string
	before, after string // what follows a hyphen, or a plus
}

func parts(s string) version {
	i := strings.IndexAny(s, "-+")
	if i < 0 {
		return version{numbers: strings.Split(s, ".")}
	}
	v := version{numbers: strings.Split(s[:i], ".")}
	if s[i] == '+' {
		v.after = s[i+1:]
	} else {
		v.before = s[i+1:]
	}
	return v
}

func (v version) number(i int) string {
	if i >= len(v.numbers) {
		return "0"
	}
	return v.numbers[i]
}

// compareNumbers compares digits of any length.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// compareEndings compares numbers as numbers, and puts them before words.
func compareEndings(a, b string) int {
	isNumber := func(s string) bool {
		return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c < '0' || c > '9' })
	}
	switch n, m := isNumber(a), isNumber(b); {
	case n && m:
		return compareNumbers(a, b)
	case n:
		return -1
	case m:
		return 1
	}
	return strings.Compare(a, b)
}
