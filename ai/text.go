package ai

import "unicode"

// Unseen reports whether a character of text from outside does not show as itself:
// what steers a terminal, turns the direction of text around, has no width, or
// prints nothing, such as fillers. Line breaks are among them.
func Unseen(r rune) bool {
	return r == '\u2800' || !unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}
