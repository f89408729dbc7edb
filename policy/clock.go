package policy

import (
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/store"
)

const (
	// clockSlack is what clocks of one machine may differ by between two processes.
	clockSlack = time.Minute
	// clockJump is how far the clock has to be ahead of the last spend before it
	// is said that earlier ones were freed by it.
	clockJump = time.Hour
)

// A clock that jumps forward lets spends leave the window early, and that is
// reported only. The time of the chain's head could serve as a second clock, the
// window ending at the earlier of the two; but a chain without traffic has an old
// head however right the local clock is, and to a ledger both look the same: each
// quiet day would hold yesterday's spends against today's cap. A price is still
// bounded by nftBuy.maxPricePerTx, and an order's end by the later of both clocks.

// ClockWarning is a sentence when the window is not where a person may think it
// is, with the two times to compare: the clock is behind the ledger, or it is
// far enough ahead of the last spend that earlier ones left the window. The
// ledger can't tell a clock that jumped from a day without a spend.
func (u Usage) ClockWarning() string {
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
	switch ahead := u.Now.Sub(u.LastSeen); {
	case u.ClockBehind > Window:
		return fmt.Sprintf("the spend ledger was last written at %s and the clock says %s: until then no spend leaves the 24 h window; "+
			"if the clock is wrong, set it right; if it is right, an earlier run's was not, and a person has to set the mark back (high_water, in milliseconds, of table clock in %s)",
			at(u.LastSeen), at(u.Now), store.MoneyFile)
	case u.ClockBehind > clockSlack:
		return fmt.Sprintf("the clock went back by %s: the spend ledger was last written at %s and the clock says %s; spends leave the 24 h window later until it has caught up",
			u.ClockBehind.Round(time.Second), at(u.LastSeen), at(u.Now))
	case !u.LastSeen.IsZero() && ahead > clockJump && !u.Freed.IsZero():
		return fmt.Sprintf("earlier spends left the 24 h window: the spend ledger was last written at %s and the clock says %s; if that is not the time, set the clock before anything is spent",
			at(u.LastSeen), at(u.Now))
	}
	return ""
}
