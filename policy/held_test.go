package policy_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/policy"
)

// TestHeld: what one purchase has reserved is told apart from what others have, and
// from what is settled or released; and several scopes are told as each alone.
func TestHeld(t *testing.T) {
	t.Parallel()
	fence, db, ledger, r := replaceable(t) // 10 for a fee of agent a, of one collection
	fee := r.Fee
	all := policy.Scope{Asset: fee.Asset}
	reserve := func(id, ref, subject string, n uint64) {
		t.Helper()
		if err := atomically(t.Context(), db, func(tx *sql.Tx) error {
			o := fee
			o.ID, o.Ref, o.Subject, o.Amount = id, ref, subject, wei(n)
			return ledger.Reserve(t.Context(), tx, []policy.Reservation{o}, fence.Policy.Limits(all))
		}); err != nil {
			t.Fatal(err)
		}
	}
	reserve("sp_price", fee.Ref, fee.Subject, 100)
	reserve("sp_settled", fee.Ref, fee.Subject, 1000)
	reserve("sp_released", fee.Ref, fee.Subject, 2000)
	reserve("sp_other", "nft.buy:other", fee.Subject, 5000)
	reserve("sp_agent", "nft.buy:third", "agent:b", 7000)
	if err := atomically(t.Context(), db, func(tx *sql.Tx) error {
		if err := ledger.Settle(t.Context(), tx, "sp_settled", wei(900)); err != nil {
			return err
		}
		return ledger.Release(t.Context(), tx, "sp_released")
	}); err != nil {
		t.Fatal(err)
	}
	scopes := []policy.Scope{all,
		{Asset: fee.Asset, Subject: fee.Subject}, {Asset: fee.Asset, Collection: fee.Collection}, {Asset: fee.Asset, Subject: "agent:b"},
		{Asset: fee.Asset, Collection: "0x0400000000000000000000000000000000000000"}, {Asset: policy.NativeOf(1)}}
	held := []uint64{110, 110, 110, 0, 0, 0}
	total := []uint64{13010, 6010, 13010, 7000, 0, 0}
	usages, err := ledger.Usages(t.Context(), nil, scopes...)
	if err != nil || len(usages) != len(scopes) {
		t.Fatal(usages, err)
	}
	for i, s := range scopes {
		if got, err := ledger.Held(t.Context(), nil, fee.Ref, s); err != nil || got != wei(held[i]) {
			t.Errorf("held of %+v: %s, %v; want %d", s, got, err, held[i])
		}
		alone, err := ledger.Usage(t.Context(), nil, s)
		alone.Now, usages[i].Now = time.Time{}, time.Time{}
		if err != nil || alone != usages[i] || alone.Total != wei(total[i]) {
			t.Errorf("%+v: %+v and %+v, %v; want %d in all", s, usages[i], alone, err, total[i])
		}
	}
}
