package bridge

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Request is a transfer: what was quoted, and what became of it. It lies in the state
// directory, which may be anybody's, so that nothing is signed because of it alone.
type Request struct {
	RequestID       string      `json:"requestId"` // of the route that was quoted
	From            string      `json:"from"`      // chains, as this program calls them
	To              string      `json:"to"`
	FromChain       int64       `json:"fromChain"`
	ToChain         int64       `json:"toChain"`
	Token           string      `json:"token"`
	Amount          json.Number `json:"amount"` // exact decimal
	AmountBaseUnits units.Wei   `json:"amountBaseUnits"`
	In              Currency    `json:"currencyIn"`
	Out             Currency    `json:"currencyOut"`
	FeeBPS          units.BPS   `json:"feeBps"`
	AmountOut       units.Wei   `json:"amountOut"`    // expected
	MinAmountOut    units.Wei   `json:"minAmountOut"` // no fresh route below it is taken
	Account         string      `json:"account"`      // pays, receives, is refunded; lower case
	Depository      string      `json:"depository"`
	Status          string      `json:"status"`
	CreatedAt       time.Time   `json:"createdAt"`
	ExpiresAt       time.Time   `json:"expiresAt"`
	TraceID         string      `json:"traceId,omitempty"`

	RouteID           string     `json:"routeId,omitempty"` // the route that was executed, where it is a fresh one
	DepositTxHash     string     `json:"depositTxHash,omitempty"`
	DestinationTxHash string     `json:"destinationTxHash,omitempty"`
	RelayStatus       string     `json:"relayStatus,omitempty"`
	Received          *units.Wei `json:"received,omitempty"`
	Reason            string     `json:"reason,omitempty"`

	// Line is the event of its end, until it is in the log.
	Line string `json:"line,omitempty"`
}

// statuses are the words that the table takes.
var statuses = []string{StatusQuoted, StatusPending, StatusCompleted, StatusRefunded, StatusFailed}

// Store is the tables bridge_requests and bridge_contracts of ape-claw.db.
type Store struct{ DB *sql.DB }

// Add saves a new request. One that is there is fault.Conflict: a bridge that gives
// the same id twice would have one transfer stand for two.
func (t Store) Add(ctx context.Context, r Request) error {
	doc, err := json.Marshal(r)
	if err != nil {
		return err
	}
	res, err := t.DB.ExecContext(ctx, `INSERT INTO bridge_requests (id, created_at, expires_at, status, doc) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		r.RequestID, r.CreatedAt.UnixMilli(), r.ExpiresAt.UnixMilli(), r.Status, string(doc))
	if err != nil {
		return store.DBFault(err, store.StateFile)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(store.DBFault(err, store.StateFile),
			fault.New(fault.Conflict, "the bridge gave the request id %s before", quoted(r.RequestID)).Hintf("quote it again").WithSent(fault.SentNo))
	}
	store.CrashPoint("bridge: quote saved")
	return nil
}

// Load returns a request, or fault.NotFound.
func (t Store) Load(ctx context.Context, id string) (Request, error) {
	var status, doc string
	err := t.DB.QueryRowContext(ctx, `SELECT status, doc FROM bridge_requests WHERE id = ?`, id).Scan(&status, &doc)
	if errors.Is(err, sql.ErrNoRows) {
		return Request{}, fault.New(fault.NotFound, "unknown request %s", quoted(id)).WithSent(fault.SentNo)
	}
	if err != nil {
		return Request{}, store.DBFault(err, store.StateFile)
	}
	return decode(id, status, doc)
}

// decode reads a row, which must agree with itself.
func decode(id, status, doc string) (Request, error) {
	var r Request
	err := json.Unmarshal([]byte(doc), &r)
	if err != nil || r.RequestID != id || !isHash(id) || r.Status != status || !slices.Contains(statuses, status) || r.FromChain <= 0 || r.ToChain <= 0 ||
		r.AmountBaseUnits.IsZero() || !common.IsHexAddress(r.Account) || r.In.ChainID != r.FromChain || r.Out.ChainID != r.ToChain ||
		r.In.Decimals < 0 || r.In.Decimals > maxDecimals || r.Out.Decimals < 0 || r.Out.Decimals > maxDecimals || r.Amount.String() != r.AmountBaseUnits.Decimal(r.In.Decimals) {
		return Request{}, fault.Wrap(err, fault.StateUnusable, "request %s in %s can't be read", quoted(id), store.StateFile).
			Hintf("quote it again").WithSent(fault.SentNo)
	}
	for _, s := range []*string{&r.From, &r.To, &r.Token, &r.In.Symbol, &r.Out.Symbol, &r.RelayStatus, &r.Reason} {
		*s = fault.Excerpt(*s, maxSaid)
	}
	return r, nil
}

// Move writes what became of a request that is in the state was. Another run that
// moved it first is fault.Conflict, and nothing is written.
func (t Store) Move(ctx context.Context, r Request, was string) error {
	if !mayMove(was, r.Status) {
		return fault.New(fault.Internal, "a transfer that is %s can't become %s", was, r.Status).WithSent(fault.SentMaybe)
	}
	doc, err := json.Marshal(r)
	if err != nil {
		return err
	}
	res, err := t.DB.ExecContext(ctx, `UPDATE bridge_requests SET status = ?, doc = ? WHERE id = ? AND status = ?`, r.Status, string(doc), r.RequestID, was)
	if err != nil {
		return store.DBFault(err, store.StateFile)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return store.DBFault(err, store.StateFile)
	}
	if n != 1 {
		return fault.New(fault.Conflict, "request %s is not %s any more", quoted(r.RequestID), was).Hintf("look at it again").WithSent(fault.SentMaybe)
	}
	store.CrashPoint("bridge: note written")
	return nil
}

// settledBy reports whether a payment settled another request than this one.
func (t Store) settledBy(ctx context.Context, id, hash string) (bool, error) {
	var n int
	err := t.DB.QueryRowContext(ctx, `SELECT count(*) FROM bridge_requests WHERE id <> ? AND json_extract(doc, '$.destinationTxHash') = ?`, id, hash).Scan(&n)
	return n > 0, store.DBFault(err, store.StateFile)
}

// maxOpen is how many transfers are looked at, at most.
const maxOpen = 256

// Pending returns the transfers without an end, and those whose end is not told yet, oldest
// first. A row that can't be read is left out.
func (t Store) Pending(ctx context.Context) ([]Request, error) {
	return t.list(ctx, `WHERE status = 'pending' OR json_extract(doc, '$.line') IS NOT NULL ORDER BY created_at, id LIMIT ?`, maxOpen)
}

// Recent returns the newest requests, at most limit.
func (t Store) Recent(ctx context.Context, limit int) ([]Request, error) {
	return t.list(ctx, `ORDER BY created_at DESC, id LIMIT ?`, limit)
}

func (t Store) list(ctx context.Context, where string, limit int) (out []Request, err error) {
	rows, err := t.DB.QueryContext(ctx, `SELECT id, status, doc FROM bridge_requests `+where, limit)
	if err != nil {
		return nil, store.DBFault(err, store.StateFile)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id, status, doc string
		if err := rows.Scan(&id, &status, &doc); err != nil {
			return nil, store.DBFault(err, store.StateFile)
		}
		if r, err := decode(id, status, doc); err == nil {
			out = append(out, r)
		}
	}
	return out, store.DBFault(rows.Err(), store.StateFile)
}

// mayMove reports whether a state follows another. What arrived or came back is an
// end; what failed may still come back, or arrive late.
func mayMove(was, next string) bool {
	switch was {
	case StatusQuoted, StatusPending: // the journal knows more than the note; or the deposit never left
		return true
	case StatusFailed:
		return next != StatusQuoted && next != StatusPending
	}
	return was == next
}

// Pin notes the depository of a chain at its first sight. Another one than was noted
// is fault.ContractMismatch, whoever says so.
func (t Store) Pin(ctx context.Context, chain int64, depository common.Address, now time.Time) error {
	if _, err := t.DB.ExecContext(ctx, `INSERT INTO bridge_contracts (chain_id, address, seen_at) VALUES (?, ?, ?) ON CONFLICT (chain_id) DO NOTHING`,
		chain, lower(depository), now.UnixMilli()); err != nil {
		return store.DBFault(err, store.StateFile)
	}
	ok, noted, err := t.Pinned(ctx, chain, depository)
	if err != nil || ok {
		return err
	}
	return fault.New(fault.ContractMismatch, "the bridge's depository on chain %d is said to be %s, and %s was noted before", chain, lower(depository), quoted(noted)).
		Hintf("compare both with what the bridge publishes; a new state directory notes the new one").WithSent(fault.SentNo)
}

// Pinned reports whether a depository is the one that was noted for the chain.
func (t Store) Pinned(ctx context.Context, chain int64, depository common.Address) (ok bool, noted string, err error) {
	err = t.DB.QueryRowContext(ctx, `SELECT address FROM bridge_contracts WHERE chain_id = ?`, chain).Scan(&noted)
	if errors.Is(err, sql.ErrNoRows) {
		return false, "", nil
	}
	if err != nil {
		return false, "", store.DBFault(err, store.StateFile)
	}
	return noted == lower(depository), noted, nil
}

// TraceOf is the trace of a request's quote, "" for one that is not there.
func TraceOf(ctx context.Context, db *sql.DB, id string) string {
	r, err := Store{db}.Load(ctx, id)
	if err != nil {
		return ""
	}
	return r.TraceID
}
