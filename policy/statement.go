package policy

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
)

// Item is one row of the ledger that counts now.
type Item struct {
	Reservation
	State  string    // "reserved" or "settled"; Amount is what counts
	Since  time.Time // when it was reserved
	Leaves time.Time // when it leaves the window; zero while its outcome is unknown
}

// Statement is what counts in the window, of every asset, and the limits it is
// held against, all at one moment.
type Statement struct {
	Usage Usage  // of the first limit's asset, for its clock
	Items []Item // the oldest first
	Uses  []LimitUse
}

// LimitUse is a limit and what counts against it.
type LimitUse struct {
	Limit Limit
	Usage Usage
	// Next is the amount that leaves the window first, at NextAt; nothing that is
	// settled counts while it is zero.
	Next   units.Wei
	NextAt time.Time
}

// Statement reads the ledger once. A row that does not make sense spoils it.
func (l *Ledger) Statement(ctx context.Context, limits []Limit) (s Statement, err error) {
	tx, err := l.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return s, store.DBFault(err, store.MoneyFile)
	}
	defer func() {
		if e := tx.Rollback(); err == nil {
			err = store.DBFault(e, store.MoneyFile)
		}
	}()
	high, err := highWater(ctx, tx)
	if err != nil {
		return s, err
	}
	cutoff := max(l.now().UnixMilli(), high) - Window.Milliseconds()
	if s.Items, err = items(ctx, tx, cutoff); err != nil {
		return s, err
	}
	for i, lim := range limits {
		u, err := l.Usage(ctx, tx, lim.Scope())
		if err != nil {
			return s, err
		}
		if i == 0 {
			s.Usage = u
		}
		s.Uses = append(s.Uses, LimitUse{Limit: lim, Usage: u})
		next(&s.Uses[i], s.Items)
	}
	return s, nil
}

// next finds what leaves the window first of what a limit counts.
func next(u *LimitUse, items []Item) {
	for _, it := range items {
		switch {
		case it.Leaves.IsZero() || it.Amount.IsZero() || !u.Limit.Scope().covers(it.scope()):
		case u.NextAt.IsZero() || it.Leaves.Before(u.NextAt):
			u.Next, u.NextAt = it.Amount, it.Leaves
		case it.Leaves.Equal(u.NextAt):
			// Price and fee of one transaction leave together. What the sum was
			// made of fits, so that this does.
			if sum, err := u.Next.Add(it.Amount); err == nil {
				u.Next = sum
			}
		}
	}
}

func items(ctx context.Context, q Queryer, cutoff int64) (out []Item, err error) {
	rows, err := q.QueryContext(ctx, `SELECT id, chain_id, account, asset, subject, collection, kind, ref, state, amount, settled, reserved_at, closed_at
		FROM spend WHERE state <> 'released' AND (closed_at IS NULL OR closed_at > ?)`, cutoff)
	if err != nil {
		return nil, store.DBFault(err, store.MoneyFile)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var (
			it    Item
			r     row
			since int64
		)
		if err := rows.Scan(&it.ID, &it.Asset.ChainID, &it.Account, &it.Asset.Token, &it.Subject, &it.Collection, &it.Kind, &it.Ref,
			&it.State, &r.amount, &r.settled, &since, &r.closed); err != nil {
			return nil, corrupt(it.ID, "unreadable")
		}
		r.id, r.state = it.ID, it.State
		if it.Amount, err = r.counts(); err != nil {
			return nil, err
		}
		it.Since = time.UnixMilli(since).UTC()
		if r.closed.Valid {
			it.Leaves = time.UnixMilli(r.closed.Int64).UTC().Add(Window)
		}
		out = append(out, it)
	}
	if err := rows.Err(); err != nil {
		return nil, store.DBFault(err, store.MoneyFile)
	}
	slices.SortStableFunc(out, func(a, b Item) int { return a.Since.Compare(b.Since) })
	return out, nil
}

// AllLimits returns every daily cap that subject is held to: on all its spends,
// on those of each collection, of each currency, and of each asset of other chains.
func (p *Policy) AllLimits(subject string) []Limit {
	native := NativeOf(p.ChainID)
	out := p.Limits(Scope{Asset: native, Subject: subject})
	add := func(s Scope) {
		for _, l := range p.Limits(s) {
			if !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	for _, c := range sortedKeys(p.NFTBuy.CollectionCaps) {
		add(Scope{Asset: native, Subject: subject, Collection: c})
	}
	for _, t := range sortedKeys(p.Execution.CurrencyCaps) {
		add(Scope{Asset: Asset{p.ChainID, t}, Subject: subject})
	}
	for _, a := range p.SpendCapAssets() {
		add(Scope{Asset: a, Subject: subject})
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Left is what a limit still lets through, nothing when it is used up; ok is false
// for one that is lifted.
func (u LimitUse) Left() (left units.Wei, ok bool) {
	if u.Limit.Cap.Unlimited {
		return units.Wei{}, false
	}
	if left, err := u.Limit.Cap.Max.Sub(u.Usage.Total); err == nil {
		return left, true
	}
	return units.Wei{}, true
}
