package policy_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func wei(n uint64) units.Wei { return units.FromUint64(n) }

// replaceable is a fence, a ledger that holds a stuck purchase, and its repricing.
func replaceable(t *testing.T) (policy.Fence, *sql.DB, *policy.Ledger, policy.Replacement) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	db, err := store.OpenMoney(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	ledger := policy.NewLedger(db, time.Now)
	fence := policy.LoadFence(policy.Sources{Sandbox: true, Home: home})
	if fence.Err != nil {
		t.Fatal(fence.Err)
	}
	id := fence.Policy.ChainID
	from, to := [20]byte{1}, [20]byte{2}
	old := policy.Tx{ChainID: id, From: from, To: to, Value: wei(100), Data: []byte{1}, FeeCap: wei(10), Key: "nft.buy:q"}
	fee := policy.Reservation{ID: "sp_fee", Asset: policy.NativeOf(id), Account: "0x0100000000000000000000000000000000000000",
		Subject: "agent:a", Collection: "0x0300000000000000000000000000000000000000", Kind: policy.KindFee, Ref: old.Key, Amount: wei(10)}
	if err := atomically(t.Context(), db, func(tx *sql.Tx) error {
		return ledger.Reserve(t.Context(), tx, []policy.Reservation{fee}, fence.Policy.Limits(policy.Scope{Asset: fee.Asset, Subject: fee.Subject, Collection: fee.Collection}))
	}); err != nil {
		t.Fatal(err)
	}
	got, err := ledger.Reservation(t.Context(), nil, "sp_fee")
	if err != nil || got != fee {
		t.Fatalf("%+v, %v", got, err)
	}
	next := old
	next.FeeCap, next.Key = wei(12), "reprice:tx_1#1:nonce 0"
	return fence, db, ledger, policy.Replacement{New: next, Old: old, Fee: fee, Extra: wei(2), Ceiling: wei(1000)}
}

func atomically(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// TestAuthorizeReplacement: what is no replacement gets no grant, nor does what
// policy forbids.
func TestAuthorizeReplacement(t *testing.T) {
	t.Parallel()
	cancel := func(f *policy.Fence, r *policy.Replacement) {
		r.Cancel, r.New.To, r.New.Value, r.New.Data = true, r.New.From, units.Wei{}, nil
	}
	for name, c := range map[string]struct {
		change func(f *policy.Fence, r *policy.Replacement)
		want   fault.Code
	}{
		"repricing":             {func(*policy.Fence, *policy.Replacement) {}, ""},
		"cancelling":            {cancel, ""},
		"cancelling, halted":    {func(f *policy.Fence, r *policy.Replacement) { cancel(f, r); f.Halt = []string{"policy: x"} }, ""},
		"repricing, halted":     {func(f *policy.Fence, _ *policy.Replacement) { f.Halt = []string{"policy: x"} }, fault.Halted},
		"an unreadable policy":  {func(f *policy.Fence, _ *policy.Replacement) { f.Err = fault.New(fault.PolicyInvalid, "x") }, fault.PolicyInvalid},
		"no policy":             {func(f *policy.Fence, _ *policy.Replacement) { f.Policy = nil }, fault.PolicyInvalid},
		"another chain":         {func(_ *policy.Fence, r *policy.Replacement) { r.New.ChainID++ }, fault.UnsafeTransaction},
		"another account":       {func(_ *policy.Fence, r *policy.Replacement) { r.New.From[0]++ }, fault.UnsafeTransaction},
		"the old key":           {func(_ *policy.Fence, r *policy.Replacement) { r.New.Key = r.Old.Key }, fault.UnsafeTransaction},
		"no key":                {func(_ *policy.Fence, r *policy.Replacement) { r.New.Key = "" }, fault.UnsafeTransaction},
		"another target":        {func(_ *policy.Fence, r *policy.Replacement) { r.New.To[0]++ }, fault.UnsafeTransaction},
		"another value":         {func(_ *policy.Fence, r *policy.Replacement) { r.New.Value = wei(101) }, fault.UnsafeTransaction},
		"other data":            {func(_ *policy.Fence, r *policy.Replacement) { r.New.Data = []byte{2} }, fault.UnsafeTransaction},
		"cancelling with value": {func(f *policy.Fence, r *policy.Replacement) { cancel(f, r); r.New.Value = wei(1) }, fault.UnsafeTransaction},
		"cancelling with data":  {func(f *policy.Fence, r *policy.Replacement) { cancel(f, r); r.New.Data = []byte{1} }, fault.UnsafeTransaction},
		"cancelling to another": {func(f *policy.Fence, r *policy.Replacement) { cancel(f, r); r.New.To = r.Old.To }, fault.UnsafeTransaction},
		"no fee reserved":       {func(_ *policy.Fence, r *policy.Replacement) { r.Fee.Kind = policy.KindPrice }, fault.UnsafeTransaction},
		"another's fee":         {func(_ *policy.Fence, r *policy.Replacement) { r.Fee.Account = "0x00" }, fault.UnsafeTransaction},
		"above the ceiling":     {func(_ *policy.Fence, r *policy.Replacement) { r.Ceiling = wei(11) }, fault.PolicyBlocked},
		"a price too high": {func(f *policy.Fence, _ *policy.Replacement) {
			p := *f.Policy
			p.NFTBuy.MaxPricePerTx = policy.Cap{Max: wei(99)}
			f.Policy = &p
		}, fault.PriceOverLimit},
	} {
		f, _, _, r := replaceable(t)
		c.change(&f, &r)
		_, err := f.AuthorizeReplacement(r, time.Now().Add(time.Minute))
		if fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestRedeemReplacement: what goes beyond the old fee is reserved under the caps; a
// grant is for one transaction, once, in time.
func TestRedeemReplacement(t *testing.T) {
	t.Parallel()
	soon := func() time.Time { return time.Now().Add(time.Minute) }
	for name, c := range map[string]struct {
		extra   uint64
		cap     policy.Cap
		expires time.Time
		alter   func(*policy.Tx)
		want    fault.Code
	}{
		"within":          {2, policy.Cap{Max: wei(12)}, soon(), nil, ""},
		"over the cap":    {2, policy.Cap{Max: wei(11)}, soon(), nil, fault.CapExceeded},
		"nothing more":    {0, policy.Cap{Max: wei(1)}, soon(), nil, ""},
		"late":            {0, policy.Cap{Unlimited: true}, time.Now().Add(-time.Second), nil, fault.QuoteExpired},
		"late, with more": {2, policy.Cap{Unlimited: true}, time.Now().Add(-time.Second), nil, fault.QuoteExpired},
		"another":         {0, policy.Cap{Unlimited: true}, soon(), func(tx *policy.Tx) { tx.FeeCap = wei(13) }, fault.UnsafeTransaction},
	} {
		f, db, ledger, r := replaceable(t)
		p := *f.Policy
		p.Execution.DailySpendCap = c.cap
		f.Policy, r.Extra = &p, wei(c.extra)
		g, err := f.AuthorizeReplacement(r, c.expires)
		if err != nil {
			t.Fatal(err)
		}
		redeem := func() ([]policy.Reservation, error) {
			var out []policy.Reservation
			tx := r.New
			if c.alter != nil {
				c.alter(&tx)
			}
			err := atomically(t.Context(), db, func(q *sql.Tx) (err error) {
				out, err = ledger.RedeemReplacement(t.Context(), q, g, tx)
				return err
			})
			return out, err
		}
		got, err := redeem()
		if fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err == nil && c.extra > 0 && (len(got) != 1 || got[0].Amount != wei(c.extra) || got[0].Subject != "agent:a" || got[0].Collection == "" || got[0].Kind != policy.KindFee) {
			t.Errorf("%s: reserved %+v", name, got)
		}
		if _, err := redeem(); c.alter == nil && fault.CodeOf(err) != fault.UnsafeTransaction {
			t.Errorf("%s, again: %v", name, err)
		}
	}
	f, db, ledger, r := replaceable(t)
	g, err := f.AuthorizeReplacement(r, soon())
	if err != nil {
		t.Fatal(err)
	}
	// It is no grant of a purchase, nor the zero value any grant.
	for _, grant := range []policy.Grant{g, {}} {
		err := atomically(t.Context(), db, func(q *sql.Tx) error { _, err := ledger.Redeem(t.Context(), q, grant, r.Old); return err })
		if fault.CodeOf(err) != fault.UnsafeTransaction {
			t.Errorf("as a purchase's: %v", err)
		}
	}
}

// TestReplacementOnAnotherChain: where the chain's currency has a daily cap, and nowhere
// else. A price limit of the policy's own chain says nothing there.
func TestReplacementOnAnotherChain(t *testing.T) {
	t.Parallel()
	for chain, code := range map[int64]fault.Code{7700001: "", 7700002: fault.UnsafeTransaction} {
		f, _, _, r := replaceable(t)
		f.Policy.Execution.SpendCaps = map[policy.Asset]policy.SpendCap{policy.NativeOf(7700001): {Decimals: units.APEDecimals}}
		r.Old.ChainID, r.New.ChainID, r.Fee.Asset = chain, chain, policy.NativeOf(chain)
		r.Old.Value, r.New.Value = units.FromUint64(1<<62), units.FromUint64(1<<62)
		if _, err := f.AuthorizeReplacement(r, time.Now().Add(time.Minute)); fault.CodeOf(err) != code {
			t.Errorf("chain %d: %v, want %q", chain, err, code)
		}
	}
}
