package connection

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxError bounds what is kept of an error, in characters.
const maxError = 300

// clean is text from outside as it may be stored and shown: one line, nothing that
// steers a terminal or turns text around, at most limit characters.
func clean(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, s)
	return clip(strings.TrimSpace(s), limit)
}

// clip cuts s after limit characters.
func clip(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}

// multiline reports whether s is text a person may write over several lines:
// printable, with line breaks.
func multiline(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '\n' && r != '\t' && !unicode.IsPrint(r)
	})
}
