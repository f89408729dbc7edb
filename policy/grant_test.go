package policy_test

import (
	"database/sql"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func granted(t testing.TB) policy.Tx {
	return policy.Tx{ChainID: 33139, From: [20]byte{0xf0, 1}, To: [20]byte{0x70, 2}, Value: amount(t, "9.5"), Data: []byte{1, 2, 3}, FeeCap: amount(t, "0.1"), Key: "nft.buy:q_1"}
}

// others are transactions that differ from granted in one field each.
func others(t testing.TB) map[string]policy.Tx {
	out := map[string]policy.Tx{}
	change := func(name string, do func(*policy.Tx)) {
		x := granted(t)
		do(&x)
		out[name] = x
	}
	change("chain", func(x *policy.Tx) { x.ChainID = 1 })
	change("from", func(x *policy.Tx) { x.From[19] = 1 })
	change("to", func(x *policy.Tx) { x.To[19] = 1 })
	change("value lower", func(x *policy.Tx) { x.Value = amount(t, "9.4") })
	change("value higher", func(x *policy.Tx) { x.Value = amount(t, "9.500000000000000001") })
	change("data", func(x *policy.Tx) { x.Data = []byte{1, 2, 4} })
	change("data longer", func(x *policy.Tx) { x.Data = append(x.Data, 0) })
	change("fee cap", func(x *policy.Tx) { x.FeeCap = amount(t, "0.100000000000000001") })
	change("key", func(x *policy.Tx) { x.Key = "nft.buy:q_2" })
	change("key and data shifted", func(x *policy.Tx) { x.Data, x.Key = append(x.Data, 'n'), "ft.buy:q_1" })
	return out
}

func TestDigestDiffersInEveryField(t *testing.T) {
	t.Parallel()
	x := granted(t)
	seen := map[policy.Digest]string{x.Digest(): "granted"}
	if x.Digest() != granted(t).Digest() {
		t.Error("equal transactions have two digests")
	}
	for name, o := range others(t) {
		if other, ok := seen[o.Digest()]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[o.Digest()] = name
	}
	// Where the data ends and the key begins is part of the digest.
	a, b := granted(t), granted(t)
	a.Data, a.Key = []byte{1}, "\x00\x00\x00\x00\x00\x00\x00\x01k"
	b.Data, b.Key = []byte("\x01\x00\x00\x00\x00\x00\x00\x00\x09"), "k"
	if a.Digest() == b.Digest() {
		t.Error("two splits of the same bytes have one digest")
	}
	if n := reflect.TypeFor[policy.Tx]().NumField(); n != 7 {
		t.Errorf("policy.Tx has %d fields: does the digest cover the new one?", n)
	}
}

func decide(t testing.TB, stage policy.Stage, change func(*policy.Purchase)) policy.Decision {
	t.Helper()
	f := fence(t, openPolicy)
	p := purchase(t, f)
	if change != nil {
		change(&p)
	}
	return policy.Decide(stage, f, p)
}

func TestAuthorize(t *testing.T) {
	t.Parallel()
	later := newClock().now().Add(time.Minute)
	for name, d := range map[string]policy.Decision{
		"nobody's decision": {}, "a quote": decide(t, policy.Inspect, nil), "a dry run": decide(t, policy.DryRun, nil),
		"refused":         decide(t, policy.Execute, func(p *policy.Purchase) { p.Confirm = "" }),
		"no contract":     decide(t, policy.Execute, func(p *policy.Purchase) { p.Contract = "" }),
		"lower price":     decide(t, policy.Execute, func(p *policy.Purchase) { p.Price, p.Confirm = amount(t, "9"), "BUY dengs #7 9 APE" }),
		"lower fee limit": decide(t, policy.Execute, func(p *policy.Purchase) { p.FeeLimit = amount(t, "0.09") }),
	} {
		if g, err := d.Authorize(granted(t), later); err == nil || g.Digest() != (policy.Digest{}) {
			t.Errorf("%s grants", name)
		}
	}
	d := decide(t, policy.Execute, nil)
	for name, x := range map[string]policy.Tx{
		"another chain": others(t)["chain"], "higher value": others(t)["value higher"], "higher fee": others(t)["fee cap"],
		"no key": {ChainID: 33139, To: [20]byte{1}, Data: []byte{1}}, "no data": {ChainID: 33139, To: [20]byte{1}, Key: "k"}, "no target": {ChainID: 33139, Data: []byte{1}, Key: "k"},
	} {
		if _, err := d.Authorize(x, later); fault.CodeOf(err) != fault.UnsafeTransaction {
			t.Errorf("%s: %v", name, err)
		}
	}
	g, err := d.Authorize(granted(t), later)
	if err != nil || g.Digest() != granted(t).Digest() {
		t.Fatalf("%v", err)
	}
}

func grant(t testing.TB, expires time.Time) policy.Grant {
	t.Helper()
	g, err := decide(t, policy.Execute, func(p *policy.Purchase) { p.Subject = "agent:bot" }).Authorize(granted(t), expires)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRedeem(t *testing.T) {
	t.Parallel()
	home, c := t.TempDir(), newClock()
	db := openMoney(t, home)
	l := policy.NewLedger(db, c.now)
	later := c.now().Add(time.Minute)
	redeem := func(g policy.Grant, x policy.Tx) (rs []policy.Reservation, err error) {
		err = inTx(t.Context(), db, func(tx *sql.Tx) (err error) {
			rs, err = l.Redeem(t.Context(), tx, g, x)
			return err
		})
		return rs, err
	}

	_, err := redeem(policy.Grant{}, granted(t))
	wantCode(t, err, fault.UnsafeTransaction)
	for name, o := range others(t) {
		g := grant(t, later)
		if _, err := redeem(g, o); fault.CodeOf(err) != fault.UnsafeTransaction {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := redeem(g, granted(t)); fault.CodeOf(err) != fault.UnsafeTransaction {
			t.Errorf("%s: a grant that was tried on another transaction still holds: %v", name, err)
		}
	}
	_, err = redeem(grant(t, c.now()), granted(t))
	wantCode(t, err, fault.QuoteExpired)
	if u := usage(t, l, ""); !u.Total.IsZero() {
		t.Fatalf("refusals reserved %s", u.Total.Decimal(18))
	}

	g := grant(t, later)
	again := g
	rs, err := redeem(g, granted(t))
	if err != nil || len(rs) != 2 {
		t.Fatalf("%+v %v", rs, err)
	}
	for i, want := range []struct{ kind, amount string }{{policy.KindPrice, "9.5"}, {policy.KindFee, "0.1"}} {
		r := rs[i]
		if r.Kind != want.kind || r.Amount != amount(t, want.amount) || r.Ref != "nft.buy:q_1" || r.Subject != "agent:bot" || r.Asset != ape ||
			r.Account != "0xf001"+strings.Repeat("0", 36) || r.ID == "" {
			t.Errorf("%+v", r)
		}
	}
	if u := usage(t, l, "agent:bot"); u.Total != amount(t, "9.6") || u.Open != 2 {
		t.Errorf("%+v", u)
	}
	_, err = redeem(again, granted(t))
	wantCode(t, err, fault.UnsafeTransaction)

	// 20 is the cap: a second fits beside the first, a third does not, however
	// long ago its decision was made.
	_, err = redeem(grant(t, later), granted(t))
	wantCode(t, err, "")
	_, err = redeem(grant(t, later), granted(t))
	wantCode(t, err, fault.CapExceeded)
}

// Copies of one grant, redeemed at once from many places, pay once.
func TestGrantIsUsedOnce(t *testing.T) {
	t.Parallel()
	home, c := t.TempDir(), newClock()
	openMoney(t, home)
	g := grant(t, c.now().Add(time.Minute))
	var used atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		db, err := store.OpenMoney(t.Context(), home)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			l := policy.NewLedger(db, c.now)
			if inTx(t.Context(), db, func(tx *sql.Tx) error { _, err := l.Redeem(t.Context(), tx, g, granted(t)); return err }) == nil {
				used.Add(1)
			}
		})
	}
	wg.Wait()
	if used.Load() != 1 {
		t.Fatalf("used %d times", used.Load())
	}
}
