package policy_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
)

// What counts, for whom, and when it leaves: settled amounts 24 hours after they
// were, open ones never.
func TestStatement(t *testing.T) {
	t.Parallel()
	db, err := store.OpenMoney(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := policy.NewLedger(db, func() time.Time { return now })
	ape := func(n uint64) units.Wei {
		w, err := units.FromUint64(n).Mul(1e18)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	limit := policy.Limit{Name: "all", Asset: policy.NativeOf(33139), Decimals: 18, Cap: policy.Cap{Max: ape(10)}}
	mine := limit
	mine.Name, mine.Subject = "mine", "agent:a"
	do := func(f func(tx *sql.Tx) error) {
		t.Helper()
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := f(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	reserve := func(id, subject string, amount units.Wei) {
		do(func(tx *sql.Tx) error {
			return l.Reserve(t.Context(), tx, []policy.Reservation{{ID: id, Asset: limit.Asset, Account: "0x00", Subject: subject, Kind: policy.KindPrice, Ref: id, Amount: amount}}, []policy.Limit{limit})
		})
	}
	reserve("first", "agent:a", ape(4))
	do(func(tx *sql.Tx) error { return l.Settle(t.Context(), tx, "first", ape(3)) })
	now = now.Add(time.Hour)
	reserve("second", "agent:b", ape(2))
	reserve("gone", "agent:b", ape(1))
	do(func(tx *sql.Tx) error { return l.Release(t.Context(), tx, "gone") })

	check := func(items int, total, left, myTotal units.Wei, nextAt time.Time) {
		t.Helper()
		s, err := l.Statement(t.Context(), []policy.Limit{limit, mine})
		if err != nil {
			t.Fatal(err)
		}
		all, own := s.Uses[0], s.Uses[1]
		if got, _ := all.Left(); len(s.Items) != items || all.Usage.Total != total || got != left || own.Usage.Total != myTotal {
			t.Errorf("%d items, %s counts, %s left, mine %s", len(s.Items), all.Usage.Total, got, own.Usage.Total)
		}
		if !all.NextAt.Equal(nextAt) {
			t.Errorf("next at %s, want %s", all.NextAt, nextAt)
		}
	}
	settled := now.Add(-time.Hour)
	check(2, ape(5), ape(5), ape(3), settled.Add(policy.Window))
	now = settled.Add(policy.Window)
	check(1, ape(2), ape(8), ape(0), time.Time{})
	now = now.Add(100 * policy.Window)
	check(1, ape(2), ape(8), ape(0), time.Time{})

	if _, err := db.ExecContext(t.Context(), `UPDATE spend SET amount = 'x' WHERE id = 'second'`); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Statement(t.Context(), []policy.Limit{limit}); err == nil {
		t.Error("a row that makes no sense was summed")
	}
}
