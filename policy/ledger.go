package policy

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Window is the length of the rolling window that a daily cap sums over.
const Window = 24 * time.Hour

// Native is the token of an Asset that is its chain's own currency.
const Native = "native"

// Asset is what a cap counts: a token of one chain. Ether of one chain and
// ether of another are two assets.
type Asset struct {
	ChainID int64
	Token   string // Native, or a contract address 0x… in lower case
}

// NativeOf returns the native asset of a chain.
func NativeOf(chainID int64) Asset { return Asset{ChainID: chainID, Token: Native} }

// valid reports whether the asset is spelt as the ledger stores it; two
// spellings of one token would be counted apart.
func (a Asset) valid() bool {
	return a.ChainID > 0 && (a.Token == Native || isAddress(a.Token) && a.Token == strings.ToLower(a.Token))
}

// Reservation is an amount that is, or may be, on its way out.
type Reservation struct {
	ID         string // unique in the ledger
	Asset      Asset
	Account    string // the paying address, lower case
	Subject    string // on whose behalf, "agent:<id>"; "" for nobody in particular
	Collection string // the contract that it buys from, lower case; "" for none
	Kind       string // KindPrice, KindFee or KindValue
	Ref        string // the idempotency key of what it pays for
	Amount     units.Wei
}

func (r Reservation) scope() Scope { return Scope{r.Asset, r.Subject, r.Collection} }

// Scope names rows of the ledger: those of one asset, and of one subject and one
// collection when they are not "".
type Scope struct {
	Asset      Asset
	Subject    string // "agent:<id>"
	Collection string // a contract, lower case
}

// covers reports whether rows of the scope o are among those of s.
func (s Scope) covers(o Scope) bool {
	return s.Asset == o.Asset && (s.Subject == "" || s.Subject == o.Subject) && (s.Collection == "" || s.Collection == o.Collection)
}

// Limit is a cap over the rows of one asset: all of them, or one subject's, or
// one collection's, or what one subject spends on one collection.
type Limit struct {
	Name       string // the key that sets the cap, for messages
	Setting    string // the key and the file
	Asset      Asset
	Symbol     string // of the asset; "" for its base units
	Decimals   int
	Subject    string // "": every row counts
	Collection string // "": every row counts
	Cap        Cap
}

// Scope is what the limit counts.
func (l Limit) Scope() Scope { return Scope{l.Asset, l.Subject, l.Collection} }

// Queryer is the reading half of *sql.DB and *sql.Tx.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Ledger is the record of what was spent and of what may yet be, the table
// spend of money.db. Amounts are summed here, never by SQL, whose integers and
// floats are too small for them. Every method may be called at once from many
// goroutines and processes; those that take a transaction are as atomic as it.
type Ledger struct {
	db  *sql.DB
	now func() time.Time
}

// NewLedger returns the ledger in db, a database of store.OpenMoney.
func NewLedger(db *sql.DB, now func() time.Time) *Ledger { return &Ledger{db: db, now: now} }

// Reserve records reservations if, with them, no limit is passed: all of them
// or none, in the caller's transaction. Each asset needs a limit over all its
// rows. Refusals are fault.CapExceeded; the caller then rolls back.
func (l *Ledger) Reserve(ctx context.Context, tx *sql.Tx, rs []Reservation, limits []Limit) error {
	// The clock is written first: SQLite's write lock is ours before the sums
	// are read, whatever kind of transaction the caller began.
	now, err := l.tick(ctx, tx)
	if err != nil {
		return err
	}
	if err := checkReservations(rs, limits); err != nil {
		return err
	}
	rows, err := rowsOf(ctx, tx, now-Window.Milliseconds(), scopesOf(limits)...)
	if err != nil {
		return err
	}
	for _, lim := range limits {
		if err := checkLimit(rows[lim.Asset], lim, rs); err != nil {
			return err
		}
	}
	for _, r := range rs {
		_, err := tx.ExecContext(ctx, `INSERT INTO spend (id, chain_id, account, asset, subject, collection, kind, ref, amount, state, reserved_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'reserved', ?)`,
			r.ID, r.Asset.ChainID, r.Account, r.Asset.Token, r.Subject, r.Collection, r.Kind, r.Ref, r.Amount.String(), now)
		if err != nil {
			return store.DBFault(err, store.MoneyFile)
		}
	}
	return nil
}

// checkReservations refuses what no cap would count, or would count wrongly.
func checkReservations(rs []Reservation, limits []Limit) error {
	if len(rs) == 0 {
		return fault.New(fault.PolicyBlocked, "nothing was reserved for this transaction").WithSent(fault.SentNo)
	}
	for _, r := range rs {
		capped := false
		for _, lim := range limits {
			capped = capped || lim.Scope() == Scope{Asset: r.Asset}
		}
		if !capped || !r.Asset.valid() {
			return uncapped(r.Asset)
		}
		if r.ID == "" || r.Collection != strings.ToLower(strings.TrimSpace(r.Collection)) || r.Subject != strings.TrimSpace(r.Subject) {
			return fault.New(fault.Internal, "a reservation that no cap would find again").WithSent(fault.SentNo)
		}
	}
	return nil
}

// checkLimit holds what is reserved and spent, rows, and what is asked against a limit.
func checkLimit(rows []row, lim Limit, rs []Reservation) error {
	u, err := sum(rows, lim.Scope())
	if err != nil {
		return err
	}
	var asked units.Wei
	for _, r := range rs {
		if !lim.Scope().covers(r.scope()) {
			continue
		}
		if asked, err = asked.Add(r.Amount); err != nil {
			return capExceeded(lim, u.Total, r.Amount)
		}
	}
	if !within(lim.Cap, u.Total, asked) {
		return capExceeded(lim, u.Total, asked)
	}
	return nil
}

// within reports whether asked still fits under the cap beside spent.
func within(c Cap, spent, asked units.Wei) bool {
	after, err := spent.Add(asked)
	return err == nil && c.Allows(after)
}

// Settle records what a reservation really cost, which frees the rest of it. A
// released one can be settled too: the chain's word is final. Settling again
// with the same amount changes nothing; with another it is fault.Conflict.
func (l *Ledger) Settle(ctx context.Context, tx *sql.Tx, id string, actual units.Wei) error {
	now, err := l.tick(ctx, tx)
	if err != nil {
		return err
	}
	n, err := exec(ctx, tx, `UPDATE spend SET state = 'settled', settled = ?, closed_at = ? WHERE id = ? AND state <> 'settled'`,
		actual.String(), now, id)
	if err != nil || n == 1 {
		return err
	}
	var have units.Wei
	if err := one(ctx, tx, id, `SELECT settled FROM spend WHERE id = ?`, &have); err != nil {
		return err
	}
	if have != actual {
		return fault.New(fault.Conflict, "reservation %s was settled at %s base units, and is now said to have cost %s", id, have, actual)
	}
	return nil
}

// Release frees a reservation that cost nothing and never will. Releasing again
// changes nothing; a settled one is fault.Conflict.
func (l *Ledger) Release(ctx context.Context, tx *sql.Tx, id string) error {
	now, err := l.tick(ctx, tx)
	if err != nil {
		return err
	}
	n, err := exec(ctx, tx, `UPDATE spend SET state = 'released', closed_at = ? WHERE id = ? AND state = 'reserved'`, now, id)
	if err != nil || n == 1 {
		return err
	}
	var state string
	if err := one(ctx, tx, id, `SELECT state FROM spend WHERE id = ?`, &state); err != nil {
		return err
	}
	if state != "released" {
		return fault.New(fault.Conflict, "reservation %s is %s and can't be released", id, state)
	}
	return nil
}

// Reopen makes a settled or released reservation unresolved again, at its full
// amount, when a reorganisation took the transaction out of the chain.
func (l *Ledger) Reopen(ctx context.Context, tx *sql.Tx, id string) error {
	if _, err := l.tick(ctx, tx); err != nil {
		return err
	}
	n, err := exec(ctx, tx, `UPDATE spend SET state = 'reserved', settled = NULL, closed_at = NULL WHERE id = ?`, id)
	if err == nil && n != 1 {
		err = corrupt(id, "no such reservation")
	}
	return err
}

// tick returns the window's time in unix milliseconds: the wall clock, or the
// latest time ever seen if the clock went back.
func (l *Ledger) tick(ctx context.Context, tx *sql.Tx) (int64, error) {
	var now int64
	// A clock that is gone while there are rows is not begun anew: whatever it
	// kept in the window would be free.
	err := tx.QueryRowContext(ctx, `INSERT INTO clock (id, high_water)
		SELECT 1, ? WHERE EXISTS (SELECT 1 FROM clock) OR NOT EXISTS (SELECT 1 FROM spend)
		ON CONFLICT (id) DO UPDATE SET high_water = max(high_water, excluded.high_water) WHERE high_water > 0 RETURNING high_water`,
		l.now().UnixMilli()).Scan(&now)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, corrupt("1 of the clock", "it is gone, or no time")
	}
	if err != nil {
		return 0, store.DBFault(err, store.MoneyFile)
	}
	return now, nil
}

func highWater(ctx context.Context, q Queryer) (int64, error) {
	var high int64
	err := q.QueryRowContext(ctx, `SELECT high_water FROM clock WHERE id = 1`).Scan(&high)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, store.DBFault(err, store.MoneyFile)
	}
	return high, nil
}

func exec(ctx context.Context, tx *sql.Tx, query string, args ...any) (int64, error) {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, store.DBFault(err, store.MoneyFile)
	}
	n, err := res.RowsAffected()
	return n, store.DBFault(err, store.MoneyFile)
}

func one(ctx context.Context, tx *sql.Tx, id, query string, into any) error {
	err := tx.QueryRowContext(ctx, query, id).Scan(into)
	if errors.Is(err, sql.ErrNoRows) {
		return corrupt(id, "no such reservation")
	}
	return store.DBFault(err, store.MoneyFile)
}
