package commands

import (
	"strings"
	"testing"
)

// What a person decides by is what it looks like: nothing in it moves the cursor,
// hides, turns text around, begins a line of its own or fills the screen.
func TestShownFact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"name      My Apes":                "name      My Apes",
		"a\x1b[2A\x1b[2Kape-claw: ok":      "a\ufffd[2A\ufffd[2Kape-claw: ok",
		"x\rape-claw: yes\n  contract  0":  "x\ufffdape-claw: yes\ufffd  contract  0",
		"\u202egnp.0x\u2066a\u200bb\ufeff": "\ufffdgnp.0x\ufffda\ufffdb\ufffd",
		"\u009b31m\x7f\x00":                "\ufffd31m\ufffd\ufffd",
		"猿 é 🙂":                            "猿 é 🙂",
	} {
		if got := shownFact(in); got != want {
			t.Errorf("shownFact(%q) = %q, want %q", in, got, want)
		}
	}
	if got := shownFact(strings.Repeat("é", 5000)); len([]rune(got)) != longestFact+1 {
		t.Errorf("%d characters of a long one", len([]rune(got)))
	}
}
