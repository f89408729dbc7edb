package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/policy"
)

// What is said of the clock, at each bound and one beside it.
func TestClockWarningBounds(t *testing.T) {
	t.Parallel()
	seen := newClock().now()
	const behind, far, freed = "the clock went back", "until then no spend leaves", "earlier spends left"
	for name, c := range map[string]struct {
		by     time.Duration // of the clock since the ledger was last written
		never  bool
		nought bool // nothing was freed
		says   string
	}{
		"at the slack": {by: -time.Minute}, "past the slack": {by: -time.Minute - time.Millisecond, says: behind},
		"at the window": {by: -policy.Window, says: behind}, "past the window": {by: -policy.Window - time.Millisecond, says: far},
		"an hour on": {by: time.Hour}, "more than an hour on": {by: time.Hour + time.Millisecond, says: freed},
		"more, and nothing freed": {by: 2 * time.Hour, nought: true}, "never written": {by: 2 * time.Hour, never: true},
	} {
		u := policy.Usage{Now: seen.Add(c.by), LastSeen: seen, ClockBehind: max(0, -c.by), Freed: amount(t, "1")}
		if c.never {
			u.LastSeen = time.Time{}
		}
		if c.nought {
			u.Freed = amount(t, "0")
		}
		if got := u.ClockWarning(); (c.says == "") != (got == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", name, got, c.says)
		}
	}
}

// A reason is one line of at most 140 characters, so that a time fits behind it.
func TestHaltReasonIsShort(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{140: strings.Repeat("x", 140), 141: strings.Repeat("x", 140) + "…"} {
		home := t.TempDir()
		if err := policy.WriteHalt(home, "policy", strings.Repeat("x", n), newClock().now()); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(home, policy.HaltFile))
		if err != nil || string(b) != "policy: "+want+" (2026-03-01T12:00:00Z)\n" {
			t.Errorf("%d: %s %v", n, b, err)
		}
	}
	for n, want := range map[int]string{200: strings.Repeat("x", 200), 201: strings.Repeat("x", 200) + "…"} {
		home := t.TempDir()
		write(t, home, policy.HaltFile, strings.Repeat("x", n)+"\n")
		if got := policy.Halted(home); len(got) != 1 || got[0] != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

// A token that only its address names is named by it.
func TestLimitOfATokenWithoutSymbol(t *testing.T) {
	t.Parallel()
	p := layered(t, `{"execution":{"dailySpendCap":9,"currencyCaps":{"`+usdc+`":{"decimals":6,"dailySpendCap":5}}}}`, "")
	limits := p.Limits(policy.Scope{Asset: policy.Asset{ChainID: p.ChainID, Token: usdc}})
	if len(limits) != 2 || limits[1].Name != "execution.currencyCaps."+usdc+".dailySpendCap" || limits[1].Decimals != 6 || limits[0].Name != "execution.dailySpendCap" {
		t.Fatalf("%+v", limits)
	}
	if got := p.Setting("execution.currencyCaps." + usdc + ".dailySpendCap"); !strings.HasSuffix(got, p.Files[0]) || strings.Contains(got, "not set") {
		t.Error(got)
	}
}
