package action

import (
	"strings"
	"unicode"

	"github.com/ape-claw/ape-claw/store"
)

// MaxClaim is how much of a model's own words a card shows.
const MaxClaim = 300

// Clean makes one line of text that a terminal and a page show as what it is: line
// breaks become spaces, and whatever does not print as itself, steers the cursor or
// turns the direction of text around becomes a mark.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case hidden(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' }), " ")
}

// hidden reports whether a rune does not show as itself: controls, format
// characters (bidi, zero-width, tags), private use, odd spaces, combining marks
// that stack, and fillers that print nothing.
func hidden(r rune) bool {
	switch r {
	case ' ':
		return false
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800', '\u034f', '\u17b4', '\u17b5':
		return true
	}
	return !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Cut is Clean with at most n characters.
func Cut(s string, n int) string {
	s = Clean(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func rand() string { return store.NewID("none_") }
