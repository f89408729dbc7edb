package policy_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

var ape = policy.NativeOf(33139)

// clock is a wall clock that tests set.
type clock struct{ ms atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ms.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time        { return time.UnixMilli(c.ms.Load()) }
func (c *clock) move(by time.Duration) { c.ms.Add(by.Milliseconds()) }

func amount(t testing.TB, s string) units.Wei {
	t.Helper()
	w, err := units.Parse(s, 18)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func openMoney(t testing.TB, home string) *sql.DB {
	t.Helper()
	db, err := store.OpenMoney(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// inTx runs do in a transaction that is committed unless it fails.
func inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		if rerr := tx.Rollback(); rerr != nil {
			return rerr
		}
		return err
	}
	return tx.Commit()
}

func reservation(id string, w units.Wei) policy.Reservation {
	return policy.Reservation{ID: id, Asset: ape, Account: "0xaa", Kind: policy.KindPrice, Ref: "test:" + id, Amount: w}
}

func capOf(t testing.TB, s string) policy.Cap {
	if s == "unlimited" {
		return policy.Cap{Unlimited: true}
	}
	return policy.Cap{Max: amount(t, s)}
}

func daily(t testing.TB, s string) []policy.Limit {
	return []policy.Limit{{Name: "execution.dailySpendCap", Asset: ape, Cap: capOf(t, s)}}
}

func wantCode(t testing.TB, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Fatalf("got %q (%v), want %q", got, err, want)
	}
}

func TestReserveHoldsTheCap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cap    string
		spends []string
		last   fault.Code // of the last one; those before it must pass
	}{
		{"10", []string{"10"}, ""},
		{"10", []string{"9.999999999999999999", "0.000000000000000001"}, ""},
		{"10", []string{"10.000000000000000001"}, fault.CapExceeded},
		{"10", []string{"9.999999999999999999", "0.000000000000000002"}, fault.CapExceeded},
		{"10", []string{"4", "4", "4"}, fault.CapExceeded},
		{"0", []string{"0.000000000000000001"}, fault.CapExceeded},
		{"0", []string{"0"}, fault.CapExceeded},
		{"unlimited", []string{"1000000000000", "100000000000000000000"}, ""},
		// Over 2^63 base units, where int64 sums would wrap.
		{"20", []string{"9.5", "9.5", "1.000000000000000001"}, fault.CapExceeded},
	} {
		t.Run(fmt.Sprint(c.cap, c.spends), func(t *testing.T) {
			t.Parallel()
			db := openMoney(t, t.TempDir())
			l := policy.NewLedger(db, newClock().now)
			for i, s := range c.spends {
				want := fault.Code("")
				if i == len(c.spends)-1 {
					want = c.last
				}
				err := inTx(t.Context(), db, func(tx *sql.Tx) error {
					return l.Reserve(t.Context(), tx, []policy.Reservation{reservation(fmt.Sprint(i), amount(t, s))}, daily(t, c.cap))
				})
				wantCode(t, err, want)
			}
		})
	}
}

func TestReserveCountsFeesWithThePrice(t *testing.T) {
	t.Parallel()
	db := openMoney(t, t.TempDir())
	l := policy.NewLedger(db, newClock().now)
	both := func(id, price, fee string) error {
		p, f := reservation(id+"p", amount(t, price)), reservation(id+"f", amount(t, fee))
		f.Kind = policy.KindFee
		return inTx(t.Context(), db, func(tx *sql.Tx) error {
			return l.Reserve(t.Context(), tx, []policy.Reservation{p, f}, daily(t, "10"))
		})
	}
	wantCode(t, both("a", "9.9", "0.2"), fault.CapExceeded)
	if u := usage(t, l, ""); !u.Total.IsZero() || u.Open != 0 {
		t.Fatalf("a refused reservation left %+v", u)
	}
	wantCode(t, both("b", "9.8", "0.2"), "")
	if u := usage(t, l, ""); u.Total != amount(t, "10") || u.Open != 2 {
		t.Fatalf("usage %+v", u)
	}
}

func usage(t testing.TB, l *policy.Ledger, subject string) policy.Usage {
	t.Helper()
	u, err := l.Usage(t.Context(), nil, policy.Scope{Asset: ape, Subject: subject})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// step is one call on the ledger; TestWindow reads as a story.
type step struct {
	do, id, amount string
	after          time.Duration // how far the clock moves first
	total          string        // wanted afterwards
	code           fault.Code
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for name, story := range map[string][]step{
		"settled spends leave after 24 h, counted from the settling": {
			{do: "reserve", id: "a", amount: "4", total: "4"},
			{do: "settle", id: "a", amount: "3", after: time.Hour, total: "3"},
			{do: "look", after: 24*time.Hour - time.Millisecond, total: "3"},
			{do: "look", after: time.Millisecond, total: "0"},
		},
		"an unresolved reservation counts whatever its age": {
			{do: "reserve", id: "a", amount: "4", total: "4"},
			{do: "look", after: 1000 * time.Hour, total: "4"},
			{do: "reserve", id: "b", amount: "7", total: "4", code: fault.CapExceeded},
			{do: "settle", id: "a", amount: "4", total: "4"},
			{do: "look", after: 24 * time.Hour, total: "0"},
		},
		"released reservations cost nothing": {
			{do: "reserve", id: "a", amount: "4", total: "4"},
			{do: "release", id: "a", total: "0"},
			{do: "release", id: "a", total: "0"},
			{do: "reserve", id: "b", amount: "10", total: "10"},
		},
		"the chain's word is final": {
			{do: "reserve", id: "a", amount: "4", total: "4"},
			{do: "release", id: "a", total: "0"},
			{do: "settle", id: "a", amount: "4", total: "4"},
			{do: "settle", id: "a", amount: "4", after: time.Hour, total: "4"},
			{do: "settle", id: "a", amount: "5", total: "4", code: fault.Conflict},
			{do: "release", id: "a", total: "4", code: fault.Conflict},
			{do: "look", after: 23 * time.Hour, total: "0"},
		},
		"a reorganisation makes it unresolved again": {
			{do: "reserve", id: "a", amount: "4", total: "4"},
			{do: "settle", id: "a", amount: "1", total: "1"},
			{do: "reopen", id: "a", total: "4"},
			{do: "look", after: 48 * time.Hour, total: "4"},
		},
		"a clock that goes back lets nothing out": {
			{do: "reserve", id: "a", amount: "4", total: "4"},
			{do: "settle", id: "a", amount: "4", total: "4"},
			{do: "settle", id: "a", amount: "4", after: -48 * time.Hour, total: "4"},
			{do: "reserve", id: "b", amount: "6", total: "10"},
			{do: "settle", id: "b", amount: "6", total: "10"},
			{do: "look", after: 71 * time.Hour, total: "10"},
			{do: "look", after: time.Hour, total: "0"},
		},
		"the window does not widen when the clock goes back": {
			{do: "reserve", id: "a", amount: "4", total: "4"},
			{do: "settle", id: "a", amount: "4", total: "4"},
			{do: "reserve", id: "b", amount: "1", after: 25 * time.Hour, total: "1"},
			{do: "look", after: -10 * time.Hour, total: "1"},
		},
		"what is not there is no reservation": {
			{do: "settle", id: "x", amount: "1", total: "0", code: fault.StateUnusable},
			{do: "release", id: "x", total: "0", code: fault.StateUnusable},
			{do: "reopen", id: "x", total: "0", code: fault.StateUnusable},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, c := openMoney(t, t.TempDir()), newClock()
			l := policy.NewLedger(db, c.now)
			for i, s := range story {
				c.move(s.after)
				err := inTx(t.Context(), db, func(tx *sql.Tx) error { return s.run(t, l, tx) })
				if got := fault.CodeOf(err); got != s.code {
					t.Fatalf("step %d, %+v: got %q (%v)", i, s, got, err)
				}
				if got := usage(t, l, "").Total; got != amount(t, s.total) {
					t.Fatalf("step %d, %+v: total %s", i, s, got.Decimal(18))
				}
			}
		})
	}
}

func (s step) run(t *testing.T, l *policy.Ledger, tx *sql.Tx) error {
	switch s.do {
	case "reserve":
		return l.Reserve(t.Context(), tx, []policy.Reservation{reservation(s.id, amount(t, s.amount))}, daily(t, "10"))
	case "settle":
		return l.Settle(t.Context(), tx, s.id, amount(t, s.amount))
	case "release":
		return l.Release(t.Context(), tx, s.id)
	case "reopen":
		return l.Reopen(t.Context(), tx, s.id)
	}
	return nil
}

func TestClockJumpIsReported(t *testing.T) {
	t.Parallel()
	db, c := openMoney(t, t.TempDir()), newClock()
	l := policy.NewLedger(db, c.now)
	if w := usage(t, l, "").ClockWarning(); w != "" {
		t.Fatal(w)
	}
	if err := inTx(t.Context(), db, func(tx *sql.Tx) error {
		return l.Reserve(t.Context(), tx, []policy.Reservation{reservation("a", amount(t, "1"))}, daily(t, "10"))
	}); err != nil {
		t.Fatal(err)
	}
	says := func(want ...string) {
		t.Helper()
		w := usage(t, l, "").ClockWarning()
		if len(want) == 0 && w != "" {
			t.Fatal(w)
		}
		for _, s := range want {
			if !strings.Contains(w, s) {
				t.Fatalf("%q does not say %q", w, s)
			}
		}
	}
	c.move(-time.Hour)
	if u := usage(t, l, ""); u.ClockBehind != time.Hour {
		t.Fatalf("%+v", u)
	}
	says("went back by 1h0m0s", "2026-03-01 12:00 UTC", "2026-03-01 11:00 UTC")
	c.move(time.Hour)
	says()
	c.move(100 * time.Hour) // unresolved: it counts, whatever the clock says
	says()
	c.move(-100 * time.Hour)
	if err := inTx(t.Context(), db, func(tx *sql.Tx) error { return l.Settle(t.Context(), tx, "a", amount(t, "1")) }); err != nil {
		t.Fatal(err)
	}
	c.move(5 * time.Hour) // it frees nothing
	says()
	c.move(20 * time.Hour)
	says("earlier spends left the 24 h window", "2026-03-01 12:00 UTC", "2026-03-02 13:00 UTC", "set the clock")
	if u := usage(t, l, ""); !u.Total.IsZero() || u.Freed != amount(t, "1") {
		t.Fatalf("%+v", u)
	}
	if u := usage(t, l, "agent:other"); u.ClockWarning() != "" { // nothing of its own was freed
		t.Fatalf("%+v", u)
	}
	set := func(mark time.Time) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), `UPDATE clock SET high_water = ?`, mark.UnixMilli()); err != nil {
			t.Fatal(err)
		}
	}
	c.move(-45 * time.Minute) // 24 h 15 min after the spend, which counted half an hour ago
	set(c.now().Add(-30 * time.Minute))
	if u := usage(t, l, ""); u.Freed.IsZero() {
		t.Fatalf("%+v", u)
	}
	says() // so near to the last write, it is the time that passed
	c.move(45 * time.Minute)
	set(time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC))
	says("2099-01-01 00:00 UTC", "2026-03-02 13:00 UTC", "if the clock is wrong, set it right", "high_water", "money.db")
}

func TestLimitsAreApart(t *testing.T) {
	t.Parallel()
	db := openMoney(t, t.TempDir())
	l := policy.NewLedger(db, newClock().now)
	sandbox := policy.NativeOf(7733139)
	limits := append(daily(t, "10"),
		policy.Limit{Name: "agent", Asset: ape, Subject: "agent:a", Cap: capOf(t, "3")},
		policy.Limit{Name: "sandbox", Asset: sandbox, Cap: capOf(t, "1")})
	spend := func(id, subject, account string, asset policy.Asset, s string) error {
		return inTx(t.Context(), db, func(tx *sql.Tx) error {
			return l.Reserve(t.Context(), tx, []policy.Reservation{{ID: id, Asset: asset, Account: account, Subject: subject, Amount: amount(t, s)}}, limits)
		})
	}
	wantCode(t, spend("1", "agent:b", "0xaa", ape, "5"), "")
	wantCode(t, spend("2", "agent:a", "0xbb", ape, "3"), "")                                                     // b's rows are not a's
	wantCode(t, spend("3", "agent:a", "0xbb", ape, "0.1"), fault.CapExceeded)                                    // a's own cap
	wantCode(t, spend("4", "", "0xcc", ape, "2.1"), fault.CapExceeded)                                           // every account and subject
	wantCode(t, spend("5", "", "0xcc", sandbox, "1"), "")                                                        // another chain's coin
	wantCode(t, spend("6", "", "0xcc", policy.NativeOf(1), "1"), fault.PolicyBlocked)                            // no cap at all
	wantCode(t, spend("7", "", "0xcc", policy.Asset{ChainID: 33139, Token: "NATIVE"}, "1"), fault.PolicyBlocked) // another spelling
	odd, own := policy.Asset{ChainID: 33139, Token: "NATIVE"}, policy.NativeOf(7700001)
	limits = append(limits, policy.Limit{Name: "odd", Asset: odd, Cap: capOf(t, "9")}, policy.Limit{Name: "own", Asset: own, Subject: "agent:a", Cap: capOf(t, "9")})
	wantCode(t, spend("8", "", "0xcc", odd, "1"), fault.PolicyBlocked)                                                                 // counted apart from its other spelling
	wantCode(t, spend("9", "agent:a", "0xcc", own, "1"), fault.PolicyBlocked)                                                          // a subject's own cap alone bounds nobody else
	wantCode(t, inTx(t.Context(), db, func(tx *sql.Tx) error { return l.Reserve(t.Context(), tx, nil, limits) }), fault.PolicyBlocked) // nothing asked
	if u := usage(t, l, "agent:a"); u.Total != amount(t, "3") {
		t.Fatalf("%+v", u)
	}
}

func TestCorruptLedgerRefuses(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"amount is no number": `UPDATE spend SET amount = 'abc'`,
		"amount is negative":  `UPDATE spend SET amount = '-5'`,
		"amount is a float":   `UPDATE spend SET amount = '1e3'`,
		"amount is empty":     `UPDATE spend SET amount = ''`,
		"amount is too large": `UPDATE spend SET amount = '` + fmt.Sprintf("%0100d", 0) + `'`,
		"unknown state":       `PRAGMA ignore_check_constraints = 1; UPDATE spend SET state = 'done'`,
		"settled at nothing":  `PRAGMA ignore_check_constraints = 1; UPDATE spend SET state = 'settled'`,
		"half settled":        `PRAGMA ignore_check_constraints = 1; UPDATE spend SET settled = '0'`,
		"settled and open":    `PRAGMA ignore_check_constraints = 1; UPDATE spend SET state = 'settled', settled = '1'`,
		"closed and reserved": `PRAGMA ignore_check_constraints = 1; UPDATE spend SET closed_at = 1`,
		"released and open":   `PRAGMA ignore_check_constraints = 1; UPDATE spend SET state = 'released'`,
		"no state":            `PRAGMA ignore_check_constraints = 1; UPDATE spend SET state = ''`,
		"State":               `PRAGMA ignore_check_constraints = 1; UPDATE spend SET state = 'Reserved'`,
		"of no chain":         `UPDATE spend SET chain_id = 0`,
		"of a negative chain": `UPDATE spend SET chain_id = -33139`,
		"Native":              `UPDATE spend SET asset = 'Native'`,
		"no asset":            `UPDATE spend SET asset = ''`,
		"half an address":     `UPDATE spend SET asset = '0x12'`,
		"upper-case address":  `UPDATE spend SET asset = '0x' || upper('48b62137edfa95a428d35c09e44256a739f6b557')`,
		"upper-case contract": `UPDATE spend SET collection = '0xAB'`,
		"subject with space":  `UPDATE spend SET subject = ' agent:a'`,
		"never reserved":      `UPDATE spend SET reserved_at = 0`,
		"closed before 1970":  `UPDATE spend SET state = 'settled', settled = '1', closed_at = -5`,
		"settled at junk":     `UPDATE spend SET state = 'settled', settled = 'x', closed_at = 99999999999999`,
		"leading zeros":       `UPDATE spend SET amount = '007'`,
		"amount with a space": `UPDATE spend SET amount = '1 '`,
		"over 2^256":          `UPDATE spend SET amount = '115792089237316195423570985008687907853269984665640564039457584007913129639936'`,
		"no clock":            `DELETE FROM clock`,
		"clock at nothing":    `UPDATE clock SET high_water = 0`,
		"negative clock":      `UPDATE clock SET high_water = -1`,
		"no column":           `ALTER TABLE spend DROP COLUMN collection`,
		"no table":            `DROP TABLE spend`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openMoney(t, t.TempDir())
			l := policy.NewLedger(db, newClock().now)
			reserve := func(id string) error {
				return inTx(t.Context(), db, func(tx *sql.Tx) error {
					return l.Reserve(t.Context(), tx, []policy.Reservation{reservation(id, amount(t, "1"))}, daily(t, "unlimited"))
				})
			}
			wantCode(t, reserve("a"), "")
			if _, err := db.ExecContext(t.Context(), spoil); err != nil {
				t.Fatal(err)
			}
			wantCode(t, reserve("b"), fault.StateUnusable)
			_, err := l.Usage(t.Context(), nil, policy.Scope{Asset: ape, Subject: "agent:x", Collection: dengs}) // whoever's the row is
			wantCode(t, err, fault.StateUnusable)
			_, err = l.Spent(t.Context(), nil, ape)
			wantCode(t, err, fault.StateUnusable)
		})
	}
}

// Twenty goroutines, each with a connection of its own as processes have, spend
// one APE at a time against a cap of 37: exactly 37 pass.
func TestReserveRace(t *testing.T) {
	t.Parallel()
	const workers, each, most = 20, 5, 37
	home := t.TempDir()
	openMoney(t, home) // migrated once, before the race
	var passed atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		db := openMoney(t, home)
		wg.Go(func() {
			l := policy.NewLedger(db, newClock().now)
			for i := range each {
				err := inTx(t.Context(), db, func(tx *sql.Tx) error {
					return l.Reserve(t.Context(), tx, []policy.Reservation{reservation(fmt.Sprintf("%d-%d", w, i), amount(t, "1"))}, daily(t, fmt.Sprint(most)))
				})
				switch fault.CodeOf(err) {
				case "":
					passed.Add(1)
				case fault.CapExceeded:
				default:
					t.Errorf("worker %d: %v", w, err)
				}
			}
		})
	}
	wg.Wait()
	l := policy.NewLedger(openMoney(t, home), newClock().now)
	if u := usage(t, l, ""); passed.Load() != most || u.Total != amount(t, fmt.Sprint(most)) {
		t.Fatalf("%d passed and %s is reserved, want %d", passed.Load(), u.Total.Decimal(18), most)
	}
}

// A spend has to fit each of its caps at once: everybody's, the subject's, the
// collection's, what the subject may spend on it, and the currency's.
func TestCapsTogether(t *testing.T) {
	t.Parallel()
	db, c := openMoney(t, t.TempDir()), newClock()
	l, other := policy.NewLedger(db, c.now), policy.NewLedger(db, c.now)
	w := policy.Asset{ChainID: 33139, Token: wape}
	limits := append(daily(t, "10"),
		policy.Limit{Name: "agent", Asset: ape, Subject: "agent:a", Cap: capOf(t, "6")},
		policy.Limit{Name: "collection", Asset: ape, Collection: dengs, Cap: capOf(t, "5")},
		policy.Limit{Name: "agent on collection", Asset: ape, Subject: "agent:a", Collection: dengs, Cap: capOf(t, "2")},
		policy.Limit{Name: "WAPE", Asset: w, Symbol: "WAPE", Decimals: 18, Cap: capOf(t, "3")},
		policy.Limit{Name: "WAPE on collection", Asset: w, Collection: dengs, Cap: capOf(t, "1")})
	n := 0
	spend := func(of *policy.Ledger, subject, collection string, price, fee string, asset policy.Asset, want string) {
		t.Helper()
		n++
		p := policy.Reservation{ID: fmt.Sprint(n, "p"), Asset: asset, Subject: subject, Collection: collection, Kind: policy.KindPrice, Amount: amount(t, price)}
		f := policy.Reservation{ID: fmt.Sprint(n, "f"), Asset: ape, Subject: subject, Collection: collection, Kind: policy.KindFee, Amount: amount(t, fee)}
		err := inTx(t.Context(), db, func(tx *sql.Tx) error { return of.Reserve(t.Context(), tx, []policy.Reservation{p, f}, limits) })
		got := ""
		if err != nil {
			got, _ = fault.From(err).Details["cap"].(string)
		}
		if got != want {
			t.Fatalf("spend %d: refused by %q (%v), want %q", n, got, err, want)
		}
	}
	spend(l, "agent:a", dengs, "1.5", "0.5", ape, "")
	spend(other, "agent:a", dengs, "0", "0.000000000000000001", ape, "agent on collection")
	spend(l, "agent:a", addrA, "3.5", "0.4", ape, "")
	spend(other, "agent:a", addrA, "0.1", "0.000000000000000001", ape, "agent")
	spend(l, "agent:b", dengs, "2.9", "0.1", ape, "")
	spend(other, "", dengs, "0.000000000000000001", "0", ape, "collection")
	spend(l, "", addrB, "1", "0.100000000000000001", ape, "execution.dailySpendCap")
	spend(l, "agent:b", addrB, "2.5", "0.5", w, "")
	spend(other, "agent:b", addrB, "0.6", "0.1", w, "WAPE")
	spend(l, "agent:b", addrB, "0.5", "0.7", w, "execution.dailySpendCap") // gas, in APE
	spend(l, "", addrB, "0.5", "0.6", w, "")
	for s, want := range map[policy.Scope]string{
		{Asset: ape}: "10", {Asset: ape, Subject: "agent:a"}: "5.9", {Asset: ape, Collection: dengs}: "5", {Asset: ape, Subject: "agent:b", Collection: dengs}: "3",
		{Asset: w}: "3", {Asset: w, Collection: addrB}: "3", {Asset: w, Collection: dengs}: "0", {Asset: policy.NativeOf(1)}: "0", {Asset: ape, Subject: "agent"}: "0",
	} {
		if u, err := l.Usage(t.Context(), nil, s); err != nil || u.Total != amount(t, want) {
			t.Errorf("%+v: %s %v, want %s", s, u.Total.Decimal(18), err, want)
		}
	}
}

// Sums near 2^256 never wrap round.
func TestLedgerNeverWraps(t *testing.T) {
	t.Parallel()
	db := openMoney(t, t.TempDir())
	l := policy.NewLedger(db, newClock().now)
	reserve := func(id string, w units.Wei, more ...policy.Reservation) error {
		return inTx(t.Context(), db, func(tx *sql.Tx) error {
			return l.Reserve(t.Context(), tx, append([]policy.Reservation{reservation(id, w)}, more...), daily(t, "unlimited"))
		})
	}
	most := most256(t)
	wantCode(t, reserve("a", most, reservation("b", units.FromUint64(1))), fault.CapExceeded)
	wantCode(t, reserve("a", most), "")
	wantCode(t, reserve("b", units.FromUint64(1)), fault.CapExceeded)
	wantCode(t, reserve("b", units.Wei{}), "")
	if u := usage(t, l, ""); u.Total != most {
		t.Errorf("%s", u.Total)
	}
}

// What no sum would find again is not written.
func TestReservationsAreSpeltOneWay(t *testing.T) {
	t.Parallel()
	db := openMoney(t, t.TempDir())
	l := policy.NewLedger(db, newClock().now)
	for _, change := range []func(*policy.Reservation){
		func(r *policy.Reservation) { r.Collection = "0xAB" }, func(r *policy.Reservation) { r.Collection = dengs + " " },
		func(r *policy.Reservation) { r.Subject = " agent:a" }, func(r *policy.Reservation) { r.ID = "" },
	} {
		r := reservation("a", amount(t, "1"))
		change(&r)
		err := inTx(t.Context(), db, func(tx *sql.Tx) error { return l.Reserve(t.Context(), tx, []policy.Reservation{r}, daily(t, "10")) })
		wantCode(t, err, fault.Internal)
	}
}
