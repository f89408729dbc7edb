package policy_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// What was settled in the window is held against a cap by the reservation too,
// not only by what is shown before it.
func TestReserveCountsWhatIsSettled(t *testing.T) {
	t.Parallel()
	db, c := openMoney(t, t.TempDir()), newClock()
	l := policy.NewLedger(db, c.now)
	do := func(s step) error { return inTx(t.Context(), db, func(tx *sql.Tx) error { return s.run(t, l, tx) }) }
	wantCode(t, do(step{do: "reserve", id: "a", amount: "6"}), "")
	wantCode(t, do(step{do: "settle", id: "a", amount: "6"}), "")
	wantCode(t, do(step{do: "reserve", id: "b", amount: "4.000000000000000001"}), fault.CapExceeded)
	c.move(24*time.Hour - time.Millisecond)
	wantCode(t, do(step{do: "reserve", id: "b", amount: "4.000000000000000001"}), fault.CapExceeded)
	c.move(time.Millisecond)
	wantCode(t, do(step{do: "reserve", id: "b", amount: "10"}), "")
	u := usage(t, l, "")
	if !u.Settled.IsZero() || u.Reserved != amount(t, "10") || u.Open != 1 {
		t.Errorf("%+v", u)
	}
	wantCode(t, do(step{do: "settle", id: "b", amount: "7"}), "")
	if u := usage(t, l, ""); u.Settled != amount(t, "7") || !u.Reserved.IsZero() || u.Open != 0 || u.Total != amount(t, "7") {
		t.Errorf("%+v", u)
	}
}

// A reservation that is not written is none: a name that is taken is refused, and
// nothing of its transaction stays.
func TestReserveOnceByName(t *testing.T) {
	t.Parallel()
	db := openMoney(t, t.TempDir())
	l := policy.NewLedger(db, newClock().now)
	reserve := func(ids ...string) error {
		var rs []policy.Reservation
		for _, id := range ids {
			rs = append(rs, reservation(id, amount(t, "1")))
		}
		return inTx(t.Context(), db, func(tx *sql.Tx) error { return l.Reserve(t.Context(), tx, rs, daily(t, "10")) })
	}
	wantCode(t, reserve("a"), "")
	if err := reserve("b", "a"); err == nil {
		t.Error("two reservations have one name")
	}
	if u := usage(t, l, ""); u.Open != 1 || u.Total != amount(t, "1") {
		t.Errorf("%+v", u)
	}
}

// Without its clock the ledger changes nothing, settles nothing, frees nothing.
func TestNoClockNoChange(t *testing.T) {
	t.Parallel()
	for _, do := range []string{"reserve", "settle", "release", "reopen"} {
		db := openMoney(t, t.TempDir())
		l := policy.NewLedger(db, newClock().now)
		run := func(s step) error { return inTx(t.Context(), db, func(tx *sql.Tx) error { return s.run(t, l, tx) }) }
		wantCode(t, run(step{do: "reserve", id: "a", amount: "4"}), "")
		if do == "reopen" {
			wantCode(t, run(step{do: "settle", id: "a", amount: "4"}), "")
		}
		state := func() (s string) {
			if err := db.QueryRowContext(t.Context(), `SELECT group_concat(id || state) FROM spend`).Scan(&s); err != nil {
				t.Fatal(err)
			}
			return s
		}
		before := state()
		if _, err := db.ExecContext(t.Context(), `DELETE FROM clock`); err != nil {
			t.Fatal(err)
		}
		id := "a"
		if do == "reserve" {
			id = "b"
		}
		wantCode(t, run(step{do: do, id: id, amount: "1"}), fault.StateUnusable)
		if got := state(); got != before {
			t.Errorf("%s: %s became %s", do, before, got)
		}
	}
}

// An asset is spelt one way, of a chain that there is.
func TestReserveOddAssets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asset policy.Asset
		code  fault.Code
	}{
		"chain 1":              {policy.NativeOf(1), ""},
		"chain 0":              {policy.NativeOf(0), fault.PolicyBlocked},
		"chain -1":             {policy.NativeOf(-1), fault.PolicyBlocked},
		"a token":              {policy.Asset{ChainID: 1, Token: wape}, ""},
		"a token in capitals":  {policy.Asset{ChainID: 1, Token: "0x" + strings.ToUpper(wape[2:])}, fault.PolicyBlocked},
		"a symbol":             {policy.Asset{ChainID: 1, Token: "wape"}, fault.PolicyBlocked},
		"an address cut short": {policy.Asset{ChainID: 1, Token: wape[:41]}, fault.PolicyBlocked},
		"nothing":              {policy.Asset{ChainID: 1}, fault.PolicyBlocked},
	} {
		db := openMoney(t, t.TempDir())
		l := policy.NewLedger(db, newClock().now)
		r := reservation("a", amount(t, "1"))
		r.Asset = c.asset
		err := inTx(t.Context(), db, func(tx *sql.Tx) error {
			return l.Reserve(t.Context(), tx, []policy.Reservation{r}, []policy.Limit{{Name: "x", Asset: c.asset, Cap: capOf(t, "10")}})
		})
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
	}
}

// A ledger that nothing was written to has no time of its own.
func TestUsageOfAFreshLedger(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := policy.NewLedger(openMoney(t, t.TempDir()), c.now)
	u := usage(t, l, "")
	if !u.LastSeen.IsZero() || u.ClockBehind != 0 || !u.Freed.IsZero() || !u.Total.IsZero() || !u.Now.Equal(c.now()) {
		t.Errorf("%+v", u)
	}
}

// Uses has one line for each limit, in order, each with its own sum.
func TestUses(t *testing.T) {
	t.Parallel()
	db := openMoney(t, t.TempDir())
	l := policy.NewLedger(db, newClock().now)
	limits := append(daily(t, "10"), policy.Limit{Name: "agent", Asset: ape, Subject: "agent:a", Cap: capOf(t, "9")}, policy.Limit{Name: "collection", Asset: ape, Collection: dengs, Cap: capOf(t, "8")})
	of := func(id, subject, collection, s string) policy.Reservation {
		r := reservation(id, amount(t, s))
		r.Subject, r.Collection = subject, collection
		return r
	}
	wantCode(t, inTx(t.Context(), db, func(tx *sql.Tx) error {
		return l.Reserve(t.Context(), tx, []policy.Reservation{of("1", "agent:a", dengs, "1"), of("2", "agent:a", addrA, "2"), of("3", "", dengs, "4")}, limits)
	}), "")
	got, err := l.Uses(t.Context(), nil, limits)
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	for i, want := range []string{"7", "3", "5"} {
		if got[i].Limit != limits[i] || got[i].Spent != amount(t, want) {
			t.Errorf("%+v, want %s", got[i], want)
		}
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE spend SET amount = 'x'`); err != nil {
		t.Fatal(err)
	}
	_, err = l.Uses(t.Context(), nil, limits)
	wantCode(t, err, fault.StateUnusable)
}

// Rows whose sum no amount can hold are no sum.
func TestSumTooLarge(t *testing.T) {
	t.Parallel()
	for _, second := range []string{"reserved", "settled"} {
		db := openMoney(t, t.TempDir())
		l := policy.NewLedger(db, newClock().now)
		run := func(s step) error { return inTx(t.Context(), db, func(tx *sql.Tx) error { return s.run(t, l, tx) }) }
		wantCode(t, run(step{do: "reserve", id: "a", amount: "1"}), "")
		wantCode(t, run(step{do: "reserve", id: "b", amount: "1"}), "")
		if second == "settled" {
			wantCode(t, run(step{do: "settle", id: "b", amount: "1"}), "")
		}
		most := most256(t).String()
		if _, err := db.ExecContext(t.Context(), `UPDATE spend SET amount = ?, settled = CASE WHEN state = 'settled' THEN ? END`, most, most); err != nil {
			t.Fatal(err)
		}
		_, err := l.Usage(t.Context(), nil, policy.Scope{Asset: ape})
		wantCode(t, err, fault.StateUnusable)
	}
}

// A refusal of a cap says the three amounts in the cap's own token, and what helps.
func TestCapExceededInWords(t *testing.T) {
	t.Parallel()
	usd := policy.Asset{ChainID: 33139, Token: usdc}
	for name, c := range map[string]struct {
		limit      policy.Limit
		asked      units.Wei
		says, hint string
	}{
		"APE":           {policy.Limit{Name: "cap", Asset: ape, Cap: capOf(t, "3")}, amount(t, "4"), "4 APE is asked, 0 APE is spent or reserved in the last 24 h, and cap is 3 APE", "wait until"},
		"a symbol":      {policy.Limit{Name: "cap", Asset: usd, Symbol: "USDC", Decimals: 6, Cap: policy.Cap{Max: units.FromUint64(2_500_000)}}, units.FromUint64(3_000_000), "3 USDC is asked, 0 USDC is spent or reserved in the last 24 h, and cap is 2.5 USDC", "or raise cap"},
		"no symbol":     {policy.Limit{Name: "cap", Asset: usd, Cap: policy.Cap{Max: units.FromUint64(5)}}, units.FromUint64(6), "6 base units is asked, 0 base units is spent or reserved in the last 24 h, and cap is 5 base units", "or raise cap"},
		"a cap of zero": {policy.Limit{Name: "cap", Asset: ape}, amount(t, "1"), "and cap is 0 APE", "set cap in the policy file; 0 allows nothing"},
		"a lifted cap":  {policy.Limit{Name: "cap", Asset: ape, Cap: policy.Cap{Unlimited: true}}, most256(t), "and cap is unlimited", "wait until"},
	} {
		db := openMoney(t, t.TempDir())
		l := policy.NewLedger(db, newClock().now)
		r, more := reservation("a", c.asked), reservation("b", units.FromUint64(1))
		r.Asset, more.Asset = c.limit.Asset, c.limit.Asset
		rs := []policy.Reservation{r}
		if c.limit.Cap.Unlimited {
			rs = append(rs, more)
		}
		err := inTx(t.Context(), db, func(tx *sql.Tx) error { return l.Reserve(t.Context(), tx, rs, []policy.Limit{c.limit}) })
		if fault.CodeOf(err) != fault.CapExceeded || !strings.Contains(err.Error(), c.says) || !strings.Contains(fault.From(err).Hint, c.hint) {
			t.Errorf("%s: %v (%s)\nwant %s (%s)", name, err, fault.From(err).Hint, c.says, c.hint)
		}
	}
}
