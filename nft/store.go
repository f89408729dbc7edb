package nft

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// States of a quote. Every one but StatusQuoted means that it has a transaction.
const (
	StatusQuoted    = "quoted"
	StatusConfirmed = "confirmed"
	StatusReverted  = "reverted"
	StatusUnknown   = "unknown"
)

// quotePrefix begins the id of a quote.
const quotePrefix = "q_"

// Quote is one listing at one moment: what a purchase is held against. Addresses
// and hashes are lower case.
type Quote struct {
	QuoteID         string      `json:"quoteId"`
	Collection      string      `json:"collection"` // slug on the allowlist
	CollectionName  string      `json:"collectionName"`
	TokenID         string      `json:"tokenId"`
	PriceApe        json.Number `json:"priceApe"` // exact decimal
	PriceWei        units.Wei   `json:"priceWei"` // what is paid in all, fees of the marketplace included
	MaxPrice        json.Number `json:"maxPrice"` // the caller's limit, exact decimal
	MaxPriceWei     units.Wei   `json:"maxPriceWei"`
	Currency        string      `json:"currency"`
	OrderHash       string      `json:"orderHash"`
	ChainID         int64       `json:"chainId"`
	ContractAddress string      `json:"contractAddress"`
	ProtocolAddress string      `json:"protocolAddress"`
	Seller          string      `json:"seller"`
	Counter         string      `json:"counter,omitempty"` // the seller's, that the order was signed with
	Fees            []Fee       `json:"fees"`              // the parts of the price that the seller does not get
	CreatedAt       time.Time   `json:"createdAt"`
	ExpiresAt       time.Time   `json:"expiresAt"`
	OrderExpiresAt  time.Time   `json:"orderExpiresAt"`
	Source          string      `json:"source"`            // the marketplace
	TraceID         string      `json:"traceId,omitempty"` // of the run that quoted it; simulation and purchase join it
	Status          string      `json:"status"`
	TxHash          string      `json:"txHash,omitempty"` // of its purchase
}

// key is the idempotency key of the quote's one purchase.
func (q Quote) key() string { return keyPrefix + q.QuoteID }

// Fee is a part of the price that goes to somebody else than the seller.
type Fee struct {
	Recipient string      `json:"recipient"`
	AmountApe json.Number `json:"amountApe"`
	AmountWei units.Wei   `json:"amountWei"`
}

// Simulation is a run of a quote's purchase against the chain, unsigned.
type Simulation struct {
	ID           string      `json:"simulationId"`
	QuoteID      string      `json:"quoteId"`
	At           time.Time   `json:"at"`
	OK           bool        `json:"ok"`
	Code         fault.Code  `json:"code,omitempty"`   // why not
	Reason       string      `json:"reason,omitempty"` // why not, in words
	OrderHash    string      `json:"orderHash"`
	Buyer        string      `json:"buyer"`
	AssumedFunds bool        `json:"assumedFunds"` // the buyer's balance was not looked at
	ValueWei     units.Wei   `json:"valueWei"`
	Gas          uint64      `json:"gas,omitempty"` // limit, with the sender's margin
	FeeApe       json.Number `json:"feeApe,omitempty"`
	FeeWei       units.Wei   `json:"feeWei"` // the most that gas may cost
	Block        uint64      `json:"blockNumber,omitempty"`
}

// quoteStore is the tables quotes and simulations of ape-claw.db.
type quoteStore struct{ db *sql.DB }

func (t quoteStore) add(ctx context.Context, q Quote) error {
	doc, err := json.Marshal(q)
	if err != nil {
		return err
	}
	_, err = t.db.ExecContext(ctx, `INSERT INTO quotes (id, created_at, expires_at, status, doc) VALUES (?, ?, ?, ?, ?)`,
		q.QuoteID, q.CreatedAt.UnixMilli(), q.ExpiresAt.UnixMilli(), q.Status, string(doc))
	store.CrashPoint("nft: quote saved")
	return store.DBFault(err, store.StateFile)
}

func (t quoteStore) load(ctx context.Context, id string) (Quote, error) {
	var doc string
	err := t.db.QueryRowContext(ctx, `SELECT doc FROM quotes WHERE id = ?`, id).Scan(&doc)
	if errors.Is(err, sql.ErrNoRows) {
		return Quote{}, fault.New(fault.NotFound, "unknown quote %s", shown(id)).
			Hintf("list the quotes of this state directory: ape-claw nft quotes list").WithSent(fault.SentNo)
	}
	if err != nil {
		return Quote{}, store.DBFault(err, store.StateFile)
	}
	return decodeQuote(id, doc)
}

// TraceOf returns the trace of the run that made a quote, "" when there is none.
// It is asked before a run records anything, so that it can join that trace; what
// is wrong with the database, the operation itself will meet and report.
func TraceOf(ctx context.Context, db *sql.DB, quoteID string) string {
	q, err := quoteStore{db}.load(ctx, quoteID)
	if err != nil {
		return ""
	}
	return q.TraceID
}

// list returns the newest quotes, at most limit, and those of them that can't be read.
func (t quoteStore) list(ctx context.Context, limit int) (out []Quote, bad []UnreadableQuote, err error) {
	rows, err := t.db.QueryContext(ctx, `SELECT id, doc FROM quotes ORDER BY created_at DESC, id LIMIT ?`, limit)
	if err != nil {
		return nil, nil, store.DBFault(err, store.StateFile)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	out = []Quote{}
	for rows.Next() {
		var id, doc string
		if err := rows.Scan(&id, &doc); err != nil {
			return nil, nil, store.DBFault(err, store.StateFile)
		}
		q, err := decodeQuote(id, doc)
		if err != nil {
			bad = append(bad, UnreadableQuote{shown(id), fault.From(err).Message})
			continue
		}
		out = append(out, q)
	}
	return out, bad, store.DBFault(rows.Err(), store.StateFile)
}

// settle notes what became of a quote's transaction.
func (t quoteStore) settle(ctx context.Context, q Quote) error {
	doc, err := json.Marshal(q)
	if err != nil {
		return err
	}
	_, err = t.db.ExecContext(ctx, `UPDATE quotes SET status = ?, doc = ? WHERE id = ?`, q.Status, string(doc), q.QuoteID)
	store.CrashPoint("nft: note written")
	return store.DBFault(err, store.StateFile)
}

func (t quoteStore) addSimulation(ctx context.Context, m Simulation) error {
	doc, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = t.db.ExecContext(ctx, `INSERT INTO simulations (id, quote_id, at, ok, doc) VALUES (?, ?, ?, ?, ?)`,
		m.ID, m.QuoteID, m.At.UnixMilli(), m.OK, string(doc))
	store.CrashPoint("nft: simulation saved")
	return store.DBFault(err, store.StateFile)
}

// lastSimulation returns the newest one of a quote, nil when there is none.
func (t quoteStore) lastSimulation(ctx context.Context, quoteID string) (*Simulation, error) {
	var doc string
	err := t.db.QueryRowContext(ctx, `SELECT doc FROM simulations WHERE quote_id = ? ORDER BY at DESC, rowid DESC LIMIT 1`, quoteID).Scan(&doc)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, store.DBFault(err, store.StateFile)
	}
	var m Simulation
	if err := json.Unmarshal([]byte(doc), &m); err != nil || m.QuoteID != quoteID || m.Buyer != "" && !isHex(m.Buyer, 20) {
		return nil, fault.Wrap(err, fault.StateUnusable, "a simulation of quote %s in %s can't be read", quoteID, store.StateFile).WithSent(fault.SentNo)
	}
	m.Reason = cleaned(m.Reason)
	return &m, nil
}

// shown makes a caller's value fit for a message: short and printable.
func shown(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "…"
	}
	quoted := fmt.Sprintf("%+q", s)
	return quoted[1 : len(quoted)-1]
}
