package policy

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
)

// Usage is the state of one asset's window.
type Usage struct {
	Settled  units.Wei // spent within the window
	Reserved units.Wei // unresolved, whatever its age
	Total    units.Wei // both: what a cap is compared with
	Open     int       // number of unresolved reservations
	Freed    units.Wei // counted when the ledger was last written, and does no longer

	Now      time.Time // the wall clock
	LastSeen time.Time // the latest time this ledger was written at; zero when it never was
	// ClockBehind is how far the wall clock is behind LastSeen. The window stands
	// still until the clock has caught up.
	ClockBehind time.Duration
}

// Usage returns what counts against a cap of the scope. q is the transaction to
// read in; nil reads the database, which must not be done while this process
// holds a transaction.
func (l *Ledger) Usage(ctx context.Context, q Queryer, s Scope) (Usage, error) {
	all, err := l.Usages(ctx, q, s)
	if err != nil {
		return Usage{}, err
	}
	return all[0], nil
}

// Usages is Usage for several scopes, of which those of one asset are summed from
// the same rows.
func (l *Ledger) Usages(ctx context.Context, q Queryer, scopes ...Scope) ([]Usage, error) {
	if q == nil {
		q = l.db
	}
	high, err := highWater(ctx, q)
	if err != nil {
		return nil, err
	}
	wall := l.now().UnixMilli()
	then, cutoff := high-Window.Milliseconds(), max(wall, high)-Window.Milliseconds()
	if high == 0 {
		then = cutoff
	}
	rows, err := rowsOf(ctx, q, then, scopes...)
	if err != nil {
		return nil, err
	}
	out := make([]Usage, 0, len(scopes))
	for _, s := range scopes {
		counting, left := split(rows[s.Asset], cutoff)
		u, err := sum(counting, s)
		if err != nil {
			return nil, err
		}
		freed, err := sum(left, s)
		if err != nil {
			return nil, err
		}
		u.Freed, u.Now = freed.Total, time.UnixMilli(wall).UTC()
		if high > 0 {
			u.LastSeen = time.UnixMilli(high).UTC()
			u.ClockBehind = max(0, u.LastSeen.Sub(u.Now))
		}
		out = append(out, u)
	}
	return out, nil
}

// Spent returns Usage's total over all subjects and collections.
func (l *Ledger) Spent(ctx context.Context, q Queryer, asset Asset) (units.Wei, error) {
	u, err := l.Usage(ctx, q, Scope{Asset: asset})
	return u.Total, err
}

// Use is the state of one limit before a spend.
type Use struct {
	Limit Limit
	Spent units.Wei
}

// Uses returns how much of each limit is used, for Purchase.Spent.
func (l *Ledger) Uses(ctx context.Context, q Queryer, limits []Limit) ([]Use, error) {
	all, err := l.Usages(ctx, q, scopesOf(limits)...)
	if err != nil {
		return nil, err
	}
	return usesOf(limits, all), nil
}

// Usages tells what counts of scopes (*Ledger).
type Usages interface {
	Usages(ctx context.Context, q Queryer, scopes ...Scope) ([]Usage, error)
}

// SpentOf returns how much of each limit of a scope is used. What there is to know of the
// clock that it was counted by is told to warn, once.
func SpentOf(ctx context.Context, l Usages, limits []Limit, warn func(format string, args ...any)) ([]Use, error) {
	all, err := l.Usages(ctx, nil, scopesOf(limits)...)
	if err != nil {
		return nil, err
	}
	for _, u := range all {
		if w := u.ClockWarning(); w != "" {
			warn("%s", w)
			break
		}
	}
	return usesOf(limits, all), nil
}

func usesOf(limits []Limit, all []Usage) []Use {
	out := make([]Use, 0, len(limits))
	for i, lim := range limits {
		out = append(out, Use{lim, all[i].Total})
	}
	return out
}

func scopesOf(limits []Limit) []Scope {
	out := make([]Scope, 0, len(limits))
	for _, lim := range limits {
		out = append(out, lim.Scope())
	}
	return out
}

// Held returns how much of what a scope counts is reserved for one idempotency
// key and not settled: what a transaction under way adds to Usage.
func (l *Ledger) Held(ctx context.Context, q Queryer, ref string, s Scope) (units.Wei, error) {
	if q == nil {
		q = l.db
	}
	rows, err := rowsOf(ctx, q, l.now().UnixMilli(), s)
	if err != nil {
		return units.Wei{}, err
	}
	var own []row
	for _, r := range rows[s.Asset] {
		if r.ref == ref && r.state == "reserved" {
			own = append(own, r)
		}
	}
	u, err := sum(own, s)
	return u.Reserved, err
}
