package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the tests, wherever they run

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestWindows(t *testing.T) {
	t.Parallel()
	const berlin = `"timeZone":"Europe/Berlin"`
	for _, c := range []struct {
		windows string
		at      string // RFC 3339
		in      bool
	}{
		{`[]`, "2026-03-01T12:00:00Z", false},
		{`[[],[{"from":"00:00","to":"24:00"}]]`, "2026-03-01T12:00:00Z", false},
		{`[{"from":"08:00","to":"18:00"}]`, "2026-03-01T07:59:59Z", false},
		{`[{"from":"08:00","to":"18:00"}]`, "2026-03-01T08:00:00Z", true},
		{`[{"from":"08:00","to":"18:00"}]`, "2026-03-01T17:59:59Z", true},
		{`[{"from":"08:00","to":"18:00"}]`, "2026-03-01T18:00:00Z", false},
		{`[{"from":"00:00","to":"24:00"}]`, "2026-03-01T23:59:59Z", true},
		{`[{"days":["mon"],"from":"00:00","to":"24:00"}]`, "2026-03-01T23:59:59Z", false}, // a Sunday
		{`[{"days":["mon"],"from":"00:00","to":"24:00"}]`, "2026-03-02T00:00:00Z", true},
		// Over midnight: the day is that on which it begins.
		{`[{"days":["fri"],"from":"22:00","to":"06:00"}]`, "2026-03-06T21:59:00Z", false},
		{`[{"days":["fri"],"from":"22:00","to":"06:00"}]`, "2026-03-06T22:00:00Z", true},
		{`[{"days":["fri"],"from":"22:00","to":"06:00"}]`, "2026-03-07T05:59:00Z", true},
		{`[{"days":["fri"],"from":"22:00","to":"06:00"}]`, "2026-03-07T06:00:00Z", false},
		{`[{"days":["fri"],"from":"22:00","to":"06:00"}]`, "2026-03-06T05:00:00Z", false}, // Thursday's night
		{`[{"days":["sun"],"from":"22:00","to":"06:00"}]`, "2026-03-02T05:00:00Z", true},  // over the week's end
		{`[{"days":["sat"],"from":"22:00","to":"24:00"}]`, "2026-03-07T23:30:00Z", true},
		{`[{"from":"22:00","to":"00:00"}]`, "2026-03-07T23:30:00Z", true}, // midnight, spelt as the next day's
		{`[{"from":"22:00","to":"00:00"}]`, "2026-03-07T00:00:00Z", false},
		// Elsewhere.
		{`[{"from":"08:00","to":"18:00",` + berlin + `}]`, "2026-03-01T07:00:00Z", true},
		{`[{"from":"08:00","to":"18:00",` + berlin + `}]`, "2026-03-01T17:00:00Z", false},
		{`[{"from":"08:00","to":"18:00",` + berlin + `}]`, "2026-07-01T06:00:00Z", true}, // summer time
		{`[{"days":["mon"],"from":"00:00","to":"01:00","timeZone":"Asia/Tokyo"}]`, "2026-03-01T15:30:00Z", true},
		{`[{"from":"08:00","to":"09:00","timeZone":"Asia/Kathmandu"}]`, "2026-03-01T02:15:00Z", true}, // +05:45
		// 29 March 2026, Berlin: the clock jumps from 02:00 to 03:00 (01:00 UTC).
		{`[{"from":"02:00","to":"03:00",` + berlin + `}]`, "2026-03-29T00:59:59Z", false},
		{`[{"from":"02:00","to":"03:00",` + berlin + `}]`, "2026-03-29T01:00:00Z", false},
		{`[{"from":"01:30","to":"03:30",` + berlin + `}]`, "2026-03-29T00:59:59Z", true},
		{`[{"from":"01:30","to":"03:30",` + berlin + `}]`, "2026-03-29T01:29:59Z", true},
		{`[{"from":"01:30","to":"03:30",` + berlin + `}]`, "2026-03-29T01:30:00Z", false},
		{`[{"days":["sat"],"from":"23:00","to":"04:00",` + berlin + `}]`, "2026-03-29T01:59:59Z", true},
		{`[{"days":["sat"],"from":"23:00","to":"04:00",` + berlin + `}]`, "2026-03-29T02:00:00Z", false},
		// 25 October 2026, Berlin: the hour from 02:00 comes twice.
		{`[{"from":"02:00","to":"02:30",` + berlin + `}]`, "2026-10-25T00:15:00Z", true},
		{`[{"from":"02:00","to":"02:30",` + berlin + `}]`, "2026-10-25T00:45:00Z", false},
		{`[{"from":"02:00","to":"02:30",` + berlin + `}]`, "2026-10-25T01:15:00Z", true},
		{`[{"from":"02:00","to":"02:30",` + berlin + `}]`, "2026-10-25T01:45:00Z", false},
		// Several: one of a list, each of a list of lists.
		{`[{"from":"08:00","to":"09:00"},{"from":"11:00","to":"13:00"}]`, "2026-03-01T12:00:00Z", true},
		{`[[{"from":"08:00","to":"18:00"}],[{"from":"11:00","to":"13:00"}]]`, "2026-03-01T12:00:00Z", true},
		{`[[{"from":"08:00","to":"18:00"}],[{"from":"11:00","to":"13:00"}]]`, "2026-03-01T10:00:00Z", false},
	} {
		text := `{"execution":{"windows":` + c.windows + `}}`
		p, err := policy.Parse("policy.json", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", c.windows, err)
			continue
		}
		now, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		var gate policy.Gate
		for _, g := range policy.Decide(policy.DryRun, policy.Fence{Policy: p}, policy.Purchase{Now: now}).Gates() {
			if g.Name == policy.GateWindow {
				gate = g
			}
		}
		if gate.Name == "" || gate.OK != c.in || !c.in && gate.Code != fault.OutsideWindow {
			t.Errorf("%s at %s: %+v", c.windows, c.at, gate)
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := policy.Parse("policy.json", b); err != nil || again.Hash() != p.Hash() {
			t.Errorf("%s is shown as %s: %v", c.windows, b, err)
		}
	}
}

func TestWindowSaysWhen(t *testing.T) {
	t.Parallel()
	for windows, want := range map[string]string{
		`[{"days":["mon","tue"],"from":"08:00","to":"18:00"}]`:       "wait until 2026-03-02T08:00:00Z, or",
		`[{"from":"02:30","to":"02:45","timeZone":"Europe/Berlin"}]`: "wait until 2026-03-02T01:30:00Z, or",
		`[]`: "no time is in them",
		`[[{"days":["mon"],"from":"08:00","to":"18:00"}],[{"days":["tue"],"from":"08:00","to":"18:00"}]]`:                         "no time is in them",
		`[[{"days":["mon"],"from":"08:00","to":"18:00"}],[{"days":["mon"],"from":"17:59","to":"19:00","timeZone":"Asia/Dubai"}]]`: "wait until 2026-03-02T13:59:00Z, or",
	} {
		f := fence(t, `{"execution":{"windows":`+windows+`}}`)
		for _, g := range policy.Decide(policy.DryRun, f, purchase(t, f)).WouldBlock() {
			if g.Name == policy.GateWindow && !strings.Contains(g.Change, want) {
				t.Errorf("%s: %q", windows, g.Change)
			}
		}
	}
}

func TestBadWindows(t *testing.T) {
	t.Parallel()
	for windows, want := range map[string]string{
		`{}`: `:1:25: windows is an object`, `[5]`: `:1:26: a window is the number 5`,
		`[{"from":"8:00","to":"18:00"}]`:                                           `:1:34: from is the string "8:00"; expected a time`,
		`[{"from":"24:00","to":"18:00"}]`:                                          `from is`,
		`[{"from":"08:60","to":"18:00"}]`:                                          `from is`,
		`[{"from":"08:00","to":"24:01"}]`:                                          `to is`,
		`[{"from":"08:00","to":"08:00"}]`:                                          `the whole day is from 00:00 to 24:00`,
		`[{"from":"08:00"}]`:                                                       `:1:26: a window needs from and to`,
		`[{"from":800,"to":"18:00"}]`:                                              `from is the number 800`,
		`[{"from":"08:00","to":"18:00","days":[]}]`:                                `days is a list`,
		`[{"from":"08:00","to":"18:00","days":["Mon"]}]`:                           `days has the string "Mon"`,
		`[{"from":"08:00","to":"18:00","days":["mon","mon"]}]`:                     `days has "mon" twice`,
		`[{"from":"08:00","to":"18:00","timezone":"UTC"}]`:                         `did you mean "timeZone"?`,
		`[{"from":"08:00","to":"18:00","timeZone":"Europe/Berlinn"}]`:              `timeZone "Europe/Berlinn" is not known`,
		`[{"from":"08:00","to":"18:00","timeZone":"Local"}]`:                       `timeZone "Local" is not known`,
		`[{"from":"08:00","to":"18:00","timeZone":"../../etc/passwd"}]`:            `timeZone is`,
		`[{"from":"08:00","to":"18:00","timeZone":""}]`:                            `timeZone is`,
		`[[{"from":"08:00","to":"18:00"}],{"from":"08:00","to":"18:00"}]`:          `between its lists`,
		`[{"from":"08:00","to":"18:00"},[{"from":"08:00","to":"18:00"}]]`:          `a window is a list`,
		`[{"from":"08:00","to":"18:00"},` + strings.Repeat(" ", 3) + `{"from":1}]`: `:1:67: from is the number 1`,
	} {
		_, err := policy.Parse("policy.json", []byte(`{"execution":{"windows":`+windows+`}}`))
		if fault.CodeOf(err) != fault.PolicyInvalid || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %s", windows, err, want)
		}
	}
}
