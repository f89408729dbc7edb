package telemetry_test

import (
	"math"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestCursor(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]telemetry.Cursor{
		"0-0":                          {},
		"abc-0":                        {Log: "abc"},
		"k2j9x-184467":                 {Log: "k2j9x", Pos: 184467},
		"a-9223372036854775807":        {Log: "a", Pos: math.MaxInt64},
		strings.Repeat("z", 32) + "-1": {Log: strings.Repeat("z", 32), Pos: 1},
		"":                             {Pos: -1},
		"-":                            {Pos: -1},
		"abc":                          {Pos: -1},
		"abc-":                         {Pos: -1},
		"-5":                           {Pos: -1},
		"abc--5":                       {Pos: -1},
		"abc-+5":                       {Pos: -1},
		"abc-05":                       {Pos: -1},
		"abc-5 ":                       {Pos: -1},
		"abc-1e3":                      {Pos: -1},
		"abc-9223372036854775808":      {Pos: -1},
		"ABC-5":                        {Pos: -1},
		"a/b-5":                        {Pos: -1},
		"a\n-5":                        {Pos: -1},
		"0-7":                          {Pos: -1},
		strings.Repeat("z", 33) + "-1": {Pos: -1},
		"abc-5-6":                      {Pos: -1},
		"abc-5\x00":                    {Pos: -1},
		"\u0430bc-5":                   {Pos: -1},
		strings.Repeat("x", 1000) + "\r\nevil: 1": {Pos: -1},
	} {
		got, err := telemetry.ParseCursor(s)
		if want.Pos < 0 {
			if fault.CodeOf(err) != fault.Usage {
				t.Errorf("%q: %v, %v, want a usage error", s, got, err)
			} else if len(err.Error()) > 200 {
				t.Errorf("%q: a long message: %v", s, err)
			}
			continue
		}
		if err != nil || got != want || got.String() != s {
			t.Errorf("%q: %v (%s), %v, want %v", s, got, got, err, want)
		}
	}
}

func FuzzParseCursor(f *testing.F) {
	for _, s := range []string{"0-0", "abc-12", "", "-", "abc-012", "abc--1", "a-9223372036854775808", "é-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := telemetry.ParseCursor(s)
		if err == nil && c.String() != s {
			t.Errorf("%q is read as %+v, which is printed %q", s, c, c)
		}
		if err == nil && (c.Pos < 0 || c.IsZero() != (s == "0-0")) {
			t.Errorf("%q is read as %+v", s, c)
		}
	})
}
