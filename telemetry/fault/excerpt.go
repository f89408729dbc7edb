package fault

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Excerpt makes untrusted text fit to stand in one line of a message: control and
// format characters (also those that reverse text) and invalid UTF-8 go, runs of
// space become one, and what is longer than most runes is cut with "…".
func Excerpt(s string, most int) string {
	if len(s) > 16*most { // a bound on the work; a rune has at most 4 bytes
		s = s[:16*most]
	}
	var b strings.Builder
	n, space := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = n > 0
			continue
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			continue
		}
		if space {
			b.WriteByte(' ')
			n, space = n+1, false
		}
		if n >= most {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
