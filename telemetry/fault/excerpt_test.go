package fault_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestExcerpt(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		" two \n\t words\u2028":           "two words",
		"a\u202eb\u200bc\x00d":            "abc d",
		"bad \xff\xfe bytes":              "bad bytes",
		"\x1b[31mred":                     "[31mred",
		"0123456789ab":                    "0123456789…",
		strings.Repeat("é", 10):           strings.Repeat("é", 10),
		strings.Repeat("\x00", 400) + "x": "",
	} {
		if got := fault.Excerpt(in, 10); got != want {
			t.Errorf("Excerpt(%q) = %q, want %q", in, got, want)
		}
	}
}
