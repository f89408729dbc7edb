package policy

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// row is one row of the ledger that counts in the window.
type row struct {
	id, ref, state      string
	subject, collection string
	amount              string
	settled             sql.NullString
	closed              sql.NullInt64 // unix milliseconds; NULL: unresolved
}

// strayRow finds a row that no sum would count, or that one would count wrongly,
// because it is not spelt as the ledger writes it; or the lack of the clock that
// every row was written with.
const strayRow = `SELECT id FROM spend WHERE chain_id < 1
	OR NOT (asset = 'native' OR (length(asset) = 42 AND substr(asset, 1, 2) = '0x' AND asset = lower(asset)))
	OR subject <> trim(subject) OR collection <> lower(trim(collection))
	OR state NOT IN ('reserved', 'settled', 'released') OR (state = 'reserved') <> (closed_at IS NULL) OR (state = 'settled') <> (settled IS NOT NULL)
	OR reserved_at < 1 OR closed_at < 1
	OR NOT EXISTS (SELECT 1 FROM clock WHERE id = 1 AND high_water > 0)
	LIMIT 1`

// whole refuses a ledger with a stray row, of whatever asset: it can't be known
// what that row was meant to count against.
func whole(ctx context.Context, q Queryer) error {
	var id string
	err := q.QueryRowContext(ctx, strayRow).Scan(&id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return store.DBFault(err, store.MoneyFile)
	}
	return corrupt(id, "it is not as the ledger writes one")
}

// rowsOf returns, of a ledger that is whole, the rows of each asset of the scopes
// that count after cutoff.
func rowsOf(ctx context.Context, q Queryer, cutoff int64, scopes ...Scope) (map[Asset][]row, error) {
	if err := whole(ctx, q); err != nil {
		return nil, err
	}
	out := map[Asset][]row{}
	for _, s := range scopes {
		if _, done := out[s.Asset]; done {
			continue
		}
		rows, err := windowRows(ctx, q, s.Asset, cutoff)
		if err != nil {
			return nil, err
		}
		out[s.Asset] = rows
	}
	return out, nil
}

// windowRows returns the rows of an asset that count after cutoff: unresolved
// ones of any age, and those closed since.
func windowRows(ctx context.Context, q Queryer, a Asset, cutoff int64) (out []row, err error) {
	const cols = `SELECT id, ref, subject, collection, state, amount, settled, closed_at FROM spend WHERE chain_id = ? AND asset = ? AND state <> 'released'`
	rows, err := q.QueryContext(ctx, cols+` AND closed_at IS NULL UNION ALL `+cols+` AND closed_at > ?`,
		a.ChainID, a.Token, a.ChainID, a.Token, cutoff)
	if err != nil {
		return nil, store.DBFault(err, store.MoneyFile)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.id, &r.ref, &r.subject, &r.collection, &r.state, &r.amount, &r.settled, &r.closed); err != nil {
			return nil, corrupt(r.id, "unreadable")
		}
		out = append(out, r)
	}
	return out, store.DBFault(rows.Err(), store.MoneyFile)
}

// split parts the rows that count after cutoff from those that were closed before.
func split(rows []row, cutoff int64) (counting, left []row) {
	for _, r := range rows {
		if r.closed.Valid && r.closed.Int64 <= cutoff {
			left = append(left, r)
		} else {
			counting = append(counting, r)
		}
	}
	return counting, left
}

// sum adds up the rows of a scope, all of one asset. A row that does not make
// sense spoils the sum, whoever's it is: a cap can't be held against a guess.
func sum(rows []row, s Scope) (Usage, error) {
	var u Usage
	for _, r := range rows {
		amount, err := r.counts()
		if err != nil {
			return Usage{}, err
		}
		if !s.covers(Scope{s.Asset, r.subject, r.collection}) {
			continue
		}
		into := &u.Settled
		if r.state == "reserved" {
			into = &u.Reserved
			u.Open++
		}
		sum, err := into.Add(amount)
		if err == nil {
			*into = sum
			u.Total, err = u.Settled.Add(u.Reserved)
		}
		if err != nil {
			return Usage{}, corrupt(r.id, "the sum is larger than any amount can be")
		}
	}
	return u, nil
}

// counts returns what a row adds to the window's sum.
func (r row) counts() (units.Wei, error) {
	text := r.amount
	switch {
	case r.state == "settled" && r.settled.Valid && r.closed.Valid:
		text = r.settled.String
	case r.state != "reserved" || r.settled.Valid || r.closed.Valid:
		return units.Wei{}, corrupt(r.id, fmt.Sprintf("state %q does not fit the rest of the row", r.state))
	}
	w, err := units.ParseBase(text)
	if err != nil {
		return units.Wei{}, corrupt(r.id, err.Error())
	}
	return w, nil
}

func corrupt(id, what string) error {
	return fault.New(fault.StateUnusable, "the spend ledger in %s is corrupt: row %s: %s", store.MoneyFile, id, what).
		Hintf("restore %s from a backup; nothing is spent while the ledger can't be summed", store.MoneyFile)
}

func capExceeded(l Limit, spent, asked units.Wei) error {
	limit := unlimited
	if !l.Cap.Unlimited {
		limit = l.show(l.Cap.Max)
	}
	return fault.New(fault.CapExceeded, "%s is asked, %s is spent or reserved in the last 24 h, and %s is %s", l.show(asked), l.show(spent), l.Name, limit).
		Hintf("%s", l.change()).WithSent(fault.SentNo).
		With("gate", GateSpend).With("cap", l.Name).With("spentWei", spent.String()).With("askedWei", asked.String()).With("capWei", l.Cap.Max.String())
}

// show is an amount of what the limit counts, for people.
func (l Limit) show(w units.Wei) string {
	switch {
	case l.Symbol != "":
		return w.Decimal(l.Decimals) + " " + l.Symbol
	case l.Asset.Token == Native:
		return w.Decimal(units.APEDecimals) + " APE"
	}
	return w.String() + " base units"
}

// uncapped is the refusal of a token that no cap covers.
func uncapped(a Asset) error {
	return fault.New(fault.PolicyBlocked, "no daily cap covers the token %s of chain %d", a.Token, a.ChainID).
		Hintf("pay in the native token, whose cap is execution.dailySpendCap, or give it one in execution.currencyCaps; what leaves another chain has its cap in %s", spendCapsKey).WithSent(fault.SentNo)
}

// change says what would let a refused spend through.
func (l Limit) change() string {
	if !l.Cap.Unlimited && l.Cap.Max.IsZero() {
		return "set " + l.Name + " in the policy file; 0 allows nothing"
	}
	return "wait until earlier spends are 24 h old or resolved, or raise " + l.Name + " in the policy file"
}
