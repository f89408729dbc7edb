package commands

import (
	"strings"
)

// joinWords writes a list as a sentence does: "a, b and c".
func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
