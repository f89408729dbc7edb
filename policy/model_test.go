// One goroutine takes turns with three connections: the race detector would see
// nothing here, and take minutes for it.

//go:build !race

package policy_test

import (
	"cmp"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

var (
	modelSeed  = flag.Uint64("model.seed", 1, "what the sequences of TestLedgerModel follow from")
	modelSteps = flag.Int("model.steps", 500, "the steps of each sequence of TestLedgerModel")
)

// model is the ledger as it is meant, in plain maps and big integers.
type model struct {
	rows map[string]modelRow
	high int64 // the latest time that a write has seen; 0: none
}

type modelRow struct {
	scope           policy.Scope
	amount, settled *big.Int // settled: nil unless it is
	released        bool
	closed          int64
}

const windowMs = 24 * 60 * 60 * 1000

// most is the largest amount there is.
var most = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

func (m *model) clone() model { return model{maps.Clone(m.rows), m.high} }

func (m *model) tick(wall int64) { m.high = max(m.high, wall) }

// within reports whether rows of scope o are among those of s.
func within(s, o policy.Scope) bool {
	return s.Asset == o.Asset && (s.Subject == "" || s.Subject == o.Subject) && (s.Collection == "" || s.Collection == o.Collection)
}

// counts returns what counts of a scope when the window begins at cutoff.
func (m *model) counts(s policy.Scope, cutoff int64) (settled, reserved *big.Int, open int) {
	settled, reserved = new(big.Int), new(big.Int)
	for _, r := range m.rows {
		switch {
		case !within(s, r.scope) || r.released:
		case r.settled == nil:
			reserved.Add(reserved, r.amount)
			open++
		case r.closed > cutoff:
			settled.Add(settled, r.settled)
		}
	}
	return settled, reserved, open
}

func (m *model) reserve(wall int64, rs []policy.Reservation, limits []policy.Limit) fault.Code {
	m.tick(wall)
	for _, r := range rs {
		bound := false
		for _, l := range limits {
			bound = bound || l.Asset == r.Asset && l.Subject == "" && l.Collection == ""
		}
		if !bound {
			return fault.PolicyBlocked
		}
	}
	if len(rs) == 0 {
		return fault.PolicyBlocked
	}
	for _, l := range limits {
		settled, reserved, _ := m.counts(l.Scope(), m.high-windowMs)
		if settled.Add(settled, reserved).Cmp(most) > 0 {
			return fault.StateUnusable
		}
		after := settled
		for _, r := range rs {
			if within(l.Scope(), policy.Scope{Asset: r.Asset, Subject: r.Subject, Collection: r.Collection}) {
				after.Add(after, r.Amount.Big())
			}
		}
		bound := l.Cap.Max.Big()
		if after.Cmp(most) > 0 || !l.Cap.Unlimited && (bound.Sign() == 0 || after.Cmp(bound) > 0) {
			return fault.CapExceeded
		}
	}
	for _, r := range rs {
		m.rows[r.ID] = modelRow{scope: policy.Scope{Asset: r.Asset, Subject: r.Subject, Collection: r.Collection}, amount: r.Amount.Big()}
	}
	return ""
}

func (m *model) settle(wall int64, id string, actual *big.Int) fault.Code {
	m.tick(wall)
	r, ok := m.rows[id]
	switch {
	case !ok:
		return fault.StateUnusable
	case r.settled != nil && r.settled.Cmp(actual) != 0:
		return fault.Conflict
	case r.settled == nil:
		r.settled, r.released, r.closed = actual, false, m.high
		m.rows[id] = r
	}
	return ""
}

func (m *model) release(wall int64, id string) fault.Code {
	m.tick(wall)
	r, ok := m.rows[id]
	switch {
	case !ok:
		return fault.StateUnusable
	case r.settled != nil:
		return fault.Conflict
	}
	r.released = true
	m.rows[id] = r
	return ""
}

func (m *model) reopen(wall int64, id string) fault.Code {
	m.tick(wall)
	r, ok := m.rows[id]
	if !ok {
		return fault.StateUnusable
	}
	r.settled, r.released, r.closed = nil, false, 0
	m.rows[id] = r
	return ""
}

// user is one process: a connection and a ledger of its own, and its view of the clock.
type user struct {
	db    *sql.DB
	l     *policy.Ledger
	clock *clock
}

func (u user) wall() int64 { return u.clock.now().UnixMilli() }

// machine runs the ledger beside the model.
type machine struct {
	t      *testing.T
	rnd    *rand.Rand
	users  []user
	m      model
	limits []policy.Limit
	ids    []string // of every reservation ever asked for, and one that never was
	count  map[string]int
	log    []string // what was done
}

var (
	modelAssets      = []policy.Asset{ape, policy.NativeOf(7733139), {ChainID: 33139, Token: "0x00000000000000000000000000000000000000aa"}}
	modelSubjects    = []string{"", "agent:a", "agent:b"}
	modelCollections = []string{"", "0x0000000000000000000000000000000000000c01", "0x0000000000000000000000000000000000000c02"}
)

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// cap is a bound that a few reservations reach; sometimes 0, or none.
func (x *machine) cap() policy.Cap {
	switch x.rnd.IntN(20) {
	case 0, 1, 2, 3:
		return policy.Cap{Unlimited: true}
	case 4:
		return policy.Cap{}
	}
	return policy.Cap{Max: units.FromUint64(1 + x.rnd.Uint64N(300))}
}

// draw chooses the caps: one over each asset but sometimes one, and some over
// subjects and collections.
func (x *machine) draw() {
	x.limits = nil
	for _, a := range modelAssets {
		if x.rnd.IntN(12) > 0 {
			c := policy.Cap{Max: units.FromUint64(100 + x.rnd.Uint64N(400))} // no more than one of them is without
			if a == modelAssets[2] {
				c = policy.Cap{Unlimited: true}
			}
			x.limits = append(x.limits, policy.Limit{Name: "all", Asset: a, Cap: c})
		}
	}
	for range x.rnd.IntN(3) {
		x.limits = append(x.limits, policy.Limit{Name: "some", Asset: pick(x.rnd, modelAssets[:2]), Cap: x.cap(),
			Subject: pick(x.rnd, modelSubjects), Collection: pick(x.rnd, modelCollections)})
	}
}

// amount is small, now and then nothing, and of the asset without a cap now and then
// so large that sums leave 64 or even 256 bits.
func (x *machine) amount(a policy.Asset) units.Wei {
	n := x.rnd.IntN(24)
	if a != modelAssets[2] {
		n *= 2
	}
	switch n {
	case 0:
		return units.Wei{}
	case 1, 3, 5, 11, 13:
		w, err := units.FromBig(new(big.Int).Lsh(big.NewInt(1), 255))
		if err != nil {
			x.t.Fatal(err)
		}
		return w
	case 7, 9:
		return units.FromUint64(1<<64 - 1)
	}
	return units.FromUint64(1 + x.rnd.Uint64N(60))
}

// move changes the clock of one process or of all: on, back, or to a moment at
// which a row is about to leave the window, leaves it, or has left it.
func (x *machine) move() {
	by := time.Duration(x.rnd.Int64N(int64(2 * time.Hour)))
	switch x.rnd.IntN(6) {
	case 0:
		by = time.Duration(x.rnd.Int64N(int64(30 * time.Hour)))
	case 1:
		by = -time.Duration(x.rnd.Int64N(int64(40 * time.Hour)))
	case 2, 3:
		if r := x.m.rows[x.id()]; r.closed > 0 {
			for _, u := range x.users {
				u.clock.ms.Store(r.closed + windowMs + x.rnd.Int64N(3) - 1)
			}
			return
		}
	}
	if x.rnd.IntN(3) == 0 {
		pick(x.rnd, x.users).clock.move(by)
		return
	}
	for _, u := range x.users {
		u.clock.move(by)
	}
}

// id is that of a row, most often a young one, or seldom of none.
func (x *machine) id() string {
	var there []string
	for _, id := range x.ids {
		if _, ok := x.m.rows[id]; ok {
			there = append(there, id)
		}
	}
	if len(there) == 0 || x.rnd.IntN(20) == 0 {
		return pick(x.rnd, x.ids)
	}
	if x.rnd.IntN(2) == 0 {
		there = there[max(0, len(there)-8):]
	}
	return pick(x.rnd, there)
}

// act does one thing to the ledger in tx and to the model, which must agree on it.
func (x *machine) act(u user, tx *sql.Tx) error {
	x.t.Helper()
	var err error
	var want fault.Code
	what, id, ctx := "", x.id(), x.t.Context()
	switch n := x.rnd.IntN(10); {
	case n < 5:
		var rs []policy.Reservation
		for range cmp.Or(x.rnd.IntN(4), x.rnd.IntN(2)) { // seldom none
			r := policy.Reservation{ID: fmt.Sprint(len(x.ids)), Asset: pick(x.rnd, modelAssets), Account: "0xaa", Kind: policy.KindPrice, Ref: "ref",
				Subject: pick(x.rnd, modelSubjects), Collection: pick(x.rnd, modelCollections)}
			r.Amount = x.amount(r.Asset)
			x.ids = append(x.ids, r.ID)
			rs = append(rs, r)
		}
		what = fmt.Sprintf("reserve %v", rs)
		err, want = u.l.Reserve(ctx, tx, rs, x.limits), x.m.reserve(u.wall(), rs, x.limits)
	case n < 8:
		actual := x.amount(ape)
		if r, ok := x.m.rows[id]; ok && (x.rnd.IntN(4) > 0 && r.amount.BitLen() < 256 || actual.Big().Cmp(r.amount) > 0) {
			b := r.amount // most cost what was reserved, or what they cost before
			if r.settled != nil {
				b = r.settled
			}
			if actual, err = units.FromBig(b); err != nil {
				x.t.Fatal(err)
			}
		}
		what = fmt.Sprintf("settle %s at %s", id, actual)
		err, want = u.l.Settle(ctx, tx, id, actual), x.m.settle(u.wall(), id, actual.Big())
	case n < 9:
		what = "release " + id
		err, want = u.l.Release(ctx, tx, id), x.m.release(u.wall(), id)
	default:
		what = "reopen " + id
		err, want = u.l.Reopen(ctx, tx, id), x.m.reopen(u.wall(), id)
	}
	x.log = append(x.log, fmt.Sprintf("%s at %d: %v", what, u.wall(), err))
	x.count[what[:4]+" "+string(want)]++
	if got := fault.CodeOf(err); got != want {
		x.fail("%s: %q (%v), and the model says %q", what, got, err, want)
	}
	return err
}

func (x *machine) fail(format string, args ...any) {
	x.t.Helper()
	from := max(0, len(x.log)-12)
	for _, l := range x.log[from:] {
		x.t.Log(l)
	}
	x.t.Fatalf("seed %d, step %d: %s", *modelSeed, len(x.log), fmt.Sprintf(format, args...))
}

// same compares what a process sees of an asset, in every scope, with the model.
func (x *machine) same(u user, q policy.Queryer) {
	x.t.Helper()
	a := pick(x.rnd, modelAssets)
	for _, subject := range modelSubjects {
		for _, collection := range modelCollections {
			x.sameScope(u, q, policy.Scope{Asset: a, Subject: subject, Collection: collection})
		}
	}
}

func (x *machine) sameScope(u user, q policy.Queryer, s policy.Scope) {
	x.t.Helper()
	got, err := u.l.Usage(x.t.Context(), q, s)
	now := max(x.m.high, u.wall())
	settled, reserved, open := x.m.counts(s, now-windowMs)
	total := new(big.Int).Add(settled, reserved)
	freed := new(big.Int)
	if x.m.high > 0 {
		before, _, _ := x.m.counts(s, x.m.high-windowMs)
		freed.Sub(before, settled)
	}
	if total.Cmp(most) > 0 || freed.Cmp(most) > 0 {
		if fault.CodeOf(err) != fault.StateUnusable {
			x.fail("%+v counts %s, more than any amount can be: %v", s, total, err)
		}
		x.count["over"]++
		return
	}
	if err != nil {
		x.fail("%+v: %v", s, err)
	}
	behind := time.Duration(0)
	if x.m.high > 0 {
		behind = time.Duration(max(0, x.m.high-u.wall())) * time.Millisecond
	}
	if got.Settled.Big().Cmp(settled) != 0 || got.Reserved.Big().Cmp(reserved) != 0 || got.Total.Big().Cmp(total) != 0 || got.Open != open ||
		got.Freed.Big().Cmp(freed) != 0 || got.ClockBehind != behind {
		x.fail("%+v: the ledger has %+v; the model settled %s, reserved %s in %d, freed %s, behind %s", s, got, settled, reserved, open, freed, behind)
	}
}

// step is one transaction of one process, of one act or several, committed, or
// rolled back because an act was refused or for no reason at all.
func (x *machine) step() {
	x.t.Helper()
	u := pick(x.rnd, x.users)
	if x.rnd.IntN(3) == 0 {
		x.move()
	}
	if x.rnd.IntN(25) == 0 {
		x.draw()
	}
	before := x.m.clone()
	undo := errors.New("rolled back")
	err := inTx(x.t.Context(), u.db, func(tx *sql.Tx) error {
		for range 1 + x.rnd.IntN(2) {
			if err := x.act(u, tx); err != nil {
				return err
			}
		}
		if x.rnd.IntN(6) == 0 {
			x.same(u, tx)
			x.log = append(x.log, "rolled back")
			return undo
		}
		return nil
	})
	if err != nil {
		x.m = before
	}
	x.same(pick(x.rnd, x.users), nil) // any process sees the same
}

// TestLedgerModel does thousands of random things to one ledger, by way of several
// processes' connections, and to a model of it: they always agree on what is
// refused and why, and on what counts.
func TestLedgerModel(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for n := range uint64(6) {
		home := t.TempDir()
		x := &machine{t: t, rnd: rand.New(rand.NewPCG(*modelSeed, n)), m: model{rows: map[string]modelRow{}}, ids: []string{"never"}, count: count}
		for range 3 {
			db := openMoney(t, home)
			if _, err := db.ExecContext(t.Context(), `PRAGMA synchronous = off`); err != nil { // nobody cuts the power here
				t.Fatal(err)
			}
			c := newClock()
			x.users = append(x.users, user{db, policy.NewLedger(db, c.now), c})
		}
		x.draw()
		for range *modelSteps {
			x.step()
		}
	}
	t.Log(count)
	for _, must := range []string{"rese ", "rese cap_exceeded", "rese policy_blocked", "sett ", "sett conflict", "rele ", "rele conflict", "reop ", "over"} {
		if count[must] == 0 {
			t.Errorf("%q never happened: the sequences test too little", must)
		}
	}
}
