package chain

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
)

// States of a journaled transaction. intended, signed, sent and unknown are
// open: the account sends nothing else until they are resolved.
const (
	StateIntended  = "intended"  // reserved, nothing signed on disk, so nothing sent
	StateSigned    = "signed"    // the signed bytes are on disk and may have left
	StateSent      = "sent"      // a node took it
	StateUnknown   = "unknown"   // sent or maybe sent, and nobody waits for it
	StateConfirmed = "confirmed" // mined, succeeded, and did what it was for
	StateReverted  = "reverted"  // mined and failed
	StateRefused   = "refused"   // a node had the bytes and says that it did not take them; booked as spent, lest it lies
	StateAbandoned = "abandoned" // never sent
	StateCancelled = "cancelled" // its cancellation was mined in its place
	StateReplaced  = "replaced"  // the chain used its nonce for none of ours, as far as nodes tell; booked as spent, lest they hide it
)

// The open states, and those that leave a key free.
const (
	openStates = `('intended', 'signed', 'sent', 'unknown')`
	freeStates = `('abandoned', 'refused', 'cancelled')`
)

// Steps of the event trail, in the order they can happen.
const (
	stepSubmitted = "submitted"
	stepUnknown   = "unknown"
	stepOutcome   = "outcome"
	stepReplacing = "replacing" // of a replacement, with its number
)

// step names a step of the trail. Outcomes that were taken back are followed by
// others: those have the number of the round.
func (r record) step(name string) string {
	if r.round == 0 || name == stepSubmitted {
		return name
	}
	return name + "#" + strconv.Itoa(r.round)
}

// replacingStep is the step of a replacement's broadcast.
func replacingStep(n int) string { return stepReplacing + "#" + strconv.Itoa(n) }

// record is a row of the table tx.
type record struct {
	id, key string
	info    TxInfo
	state   string
	data    []byte
	spend   []spendRef
	context journalContext
	created time.Time
	hashed  bool   // info.Hash is set: signed bytes are on disk
	others  []form // its replacements
	reason  string
	round   int       // how often an outcome was taken back
	won     int       // the form that was mined
	passed  time.Time // since when the chain is seen to have used the nonce for none of ours; zero: it is not
	block   uint64    // of the outcome
	inBlock common.Hash
}

// spendRef ties a transaction to a reservation of the ledger.
type spendRef struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	Amount units.Wei `json:"amountWei"`
}

// journalContext is what another process needs to finish the story: in whose
// name the events are, and what the domain package kept.
type journalContext struct {
	Kind  string          `json:"kind"`
	Story json.RawMessage `json:"story,omitempty"`
	Scope scopeJSON       `json:"scope"`
}

type scopeJSON struct {
	AgentID   string `json:"agentId,omitempty"`
	SessionID string `json:"sessionId,omitempty"`
	TraceID   string `json:"traceId,omitempty"`
	Command   string `json:"command,omitempty"`
	Source    string `json:"source,omitempty"`
	ChainID   int64  `json:"chainId,omitempty"`
}

func scopeOf(s telemetry.Scope) scopeJSON {
	return scopeJSON{s.AgentID, s.SessionID, s.TraceID, s.Command, s.Source, s.ChainID}
}

func (s scopeJSON) scope() telemetry.Scope {
	return telemetry.Scope{AgentID: s.AgentID, SessionID: s.SessionID, TraceID: s.TraceID, Command: s.Command, Source: s.Source, ChainID: s.ChainID}
}

// journal is the tables tx and tx_event. Rows of an account are written under
// its lock only.
type journal struct {
	db  *sql.DB
	now func() time.Time
}

// atomically runs f in one immediate SQLite transaction.
func (j journal) atomically(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := j.db.BeginTx(ctx, nil)
	if err != nil {
		return store.DBFault(err, store.MoneyFile)
	}
	if err := f(tx); err != nil {
		if rb := tx.Rollback(); rb != nil && !errors.Is(rb, sql.ErrTxDone) {
			err = errors.Join(err, rb)
		}
		return store.DBFault(err, store.MoneyFile)
	}
	store.CrashPoint("chain: written, not committed")
	return store.DBFault(tx.Commit(), store.MoneyFile)
}

// intend inserts a row before anything is signed.
func (j journal) intend(ctx context.Context, tx *sql.Tx, r record, digest policy.Digest) error {
	spend, err := json.Marshal(r.spend)
	if err != nil {
		return err
	}
	keep, err := json.Marshal(r.context)
	if err != nil {
		return err
	}
	at := r.created.UnixMilli()
	_, err = tx.ExecContext(ctx, `INSERT INTO tx (id, key, chain_id, account, state, nonce, to_addr, value, data, gas_limit,
			max_fee, max_tip, digest, spend_ids, context, created_at, updated_at)
		VALUES (?, ?, ?, ?, 'intended', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.id, r.key, r.info.ChainID, lower(r.info.From), int64(r.info.Nonce), lower(r.info.To), r.info.Value, r.data, int64(r.info.GasLimit),
		r.info.MaxFee, r.info.MaxTip, digest[:], string(spend), string(keep), at, at)
	return err
}

// signed stores the signed bytes and the line that tells of the broadcast.
func (j journal) signed(ctx context.Context, r record, raw, line []byte) error {
	return j.atomically(ctx, func(tx *sql.Tx) error {
		if err := j.set(ctx, tx, r.id, StateSigned, `hash = ?, raw = ?`, r.info.Hash.Hex(), raw); err != nil {
			return err
		}
		return j.addLine(ctx, tx, r.id, stepSubmitted, line)
	})
}

// set changes the state and the given columns of a row.
func (j journal) set(ctx context.Context, tx *sql.Tx, id, state, columns string, args ...any) error {
	query := `UPDATE tx SET state = ?, updated_at = ?`
	if columns != "" {
		query += ", " + columns
	}
	res, err := tx.ExecContext(ctx, query+` WHERE id = ?`, append(append([]any{state, j.now().UnixMilli()}, args...), id)...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(err, errors.New("journal row "+id+" is missing"))
	}
	return nil
}

// addLine stores the event line of a step; the first line of a step stays.
func (j journal) addLine(ctx context.Context, tx *sql.Tx, id, step string, line []byte) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO tx_event (tx_id, step, line) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, id, step, line)
	return err
}

// logged marks a line as being in the log.
func (j journal) logged(ctx context.Context, id, step string) error {
	_, err := j.db.ExecContext(ctx, `UPDATE tx_event SET logged = 1 WHERE tx_id = ? AND step = ?`, id, step)
	return store.DBFault(err, store.MoneyFile)
}

// eventLine is a row of tx_event that the log may lack.
type eventLine struct {
	tx, step string
	line     []byte
}

// unlogged returns the lines that are not known to be in the log, oldest first.
// The line of a broadcast that may not have happened is not among them.
func (j journal) unlogged(ctx context.Context, chainID int64, account common.Address) ([]eventLine, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT e.tx_id, e.step, e.line FROM tx_event e JOIN tx t ON t.id = e.tx_id
		LEFT JOIN tx_replacement f ON f.tx_id = e.tx_id AND e.step = 'replacing#' || f.n
		WHERE e.logged = 0 AND t.chain_id = ? AND t.account = ? AND CASE
			WHEN f.n IS NOT NULL THEN f.state IN ('sent', 'unknown')
			WHEN e.step = 'submitted' THEN t.state IN ('sent', 'unknown', 'confirmed', 'reverted', 'cancelled', 'replaced')
			ELSE 1 END
		ORDER BY t.created_at, t.rowid, e.rowid`, chainID, lower(account))
	return eventLines(rows, err)
}

// anyUnlogged returns all lines that are not known to be in a log.
func (j journal) anyUnlogged(ctx context.Context) ([]eventLine, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT tx_id, step, line FROM tx_event WHERE logged = 0 ORDER BY rowid`)
	return eventLines(rows, err)
}

func eventLines(rows *sql.Rows, failed error) (out []eventLine, err error) {
	if failed != nil {
		return nil, store.DBFault(failed, store.MoneyFile)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e eventLine
		if err := rows.Scan(&e.tx, &e.step, &e.line); err != nil {
			return nil, store.DBFault(err, store.MoneyFile)
		}
		out = append(out, e)
	}
	return out, store.DBFault(rows.Err(), store.MoneyFile)
}

// lineOf returns the stored line of a step.
func (j journal) lineOf(ctx context.Context, id, step string) (line []byte, ok bool, err error) {
	err = j.db.QueryRowContext(ctx, `SELECT line FROM tx_event WHERE tx_id = ? AND step = ? AND logged = 0`, id, step).Scan(&line)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return line, err == nil, store.DBFault(err, store.MoneyFile)
}

const recordColumns = `id, key, chain_id, account, state, coalesce(nonce, 0), to_addr, value, data, gas_limit, max_fee, max_tip, spend_ids, hash, context, created_at,
	coalesce(reason, ''), round, won, coalesce(passed_at, 0), coalesce(block, 0), coalesce(block_hash, '')`

// open returns the unresolved rows: of one account, or of all when chainID is 0.
func (j journal) open(ctx context.Context, chainID int64, account common.Address) ([]record, error) {
	return j.query(ctx, `SELECT `+recordColumns+` FROM tx WHERE state IN `+openStates+`
		AND (? = 0 OR (chain_id = ? AND account = ?)) ORDER BY created_at, rowid`, chainID, chainID, lower(account))
}

// refused returns the newest rows of an account that are booked as spent and may
// yet turn out to be mined, refused or replaced: closed within the window in which
// they count, or set aside behind a gap, with a nonce that none of our mined
// transactions has used.
func (j journal) refused(ctx context.Context, chainID int64, account common.Address) ([]record, error) {
	return j.query(ctx, `SELECT `+recordColumns+` FROM tx t WHERE state IN ('refused', 'replaced') AND chain_id = ? AND account = ?
		AND (updated_at > ? OR state = 'replaced' AND passed_at IS NULL AND block IS NULL)
		AND NOT EXISTS (SELECT 1 FROM tx m WHERE m.chain_id = t.chain_id AND m.account = t.account AND m.nonce = t.nonce AND m.state IN ('confirmed', 'reverted', 'cancelled'))
		ORDER BY created_at DESC, rowid DESC LIMIT ?`, chainID, lower(account), j.now().Add(-policy.Window).UnixMilli(), mostRefused)
}

// live returns the row that uses a key, if any: a key serves once, whatever came
// of it, unless nothing was sent or a node refused it.
func (j journal) live(ctx context.Context, key string) (record, bool, error) {
	rs, err := j.query(ctx, `SELECT `+recordColumns+` FROM tx WHERE key = ? AND state NOT IN `+freeStates, key)
	if err != nil || len(rs) == 0 {
		return record{}, false, err
	}
	return rs[0], true, nil
}

// cancelled returns the last row that used a key, if it was cancelled.
func (j journal) cancelled(ctx context.Context, key string) (record, bool, error) {
	rs, err := j.query(ctx, `SELECT `+recordColumns+` FROM tx WHERE key = ? ORDER BY created_at DESC, rowid DESC LIMIT 1`, key)
	if err != nil || len(rs) == 0 || rs[0].state != StateCancelled {
		return record{}, false, err
	}
	return rs[0], true, nil
}

// confirmed returns the newest rows of a chain that were confirmed since a time and
// whose keys begin with prefix, newest first.
func (j journal) confirmed(ctx context.Context, chainID int64, prefix string, since time.Time, most int) ([]record, error) {
	return j.query(ctx, `SELECT `+recordColumns+` FROM tx WHERE state = 'confirmed' AND chain_id = ? AND substr(key, 1, ?) = ? AND updated_at >= ?
		ORDER BY updated_at DESC, rowid DESC LIMIT ?`, chainID, len(prefix), prefix, since.UnixMilli(), most)
}

// lastNonce returns the highest nonce of the account that the chain is known to
// have used for one of ours.
func (j journal) lastNonce(ctx context.Context, chainID int64, account common.Address) (nonce uint64, hash string, ok bool, err error) {
	var n int64
	err = j.db.QueryRowContext(ctx, `SELECT nonce, hash FROM tx WHERE chain_id = ? AND account = ? AND state IN ('confirmed', 'reverted', 'cancelled')
		ORDER BY nonce DESC LIMIT 1`, chainID, lower(account)).Scan(&n, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, "", false, nil
	}
	return uint64(n), hash, err == nil, store.DBFault(err, store.MoneyFile)
}

func (j journal) query(ctx context.Context, query string, args ...any) (out []record, err error) {
	rows, err := j.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, store.DBFault(err, store.MoneyFile)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	if err := rows.Err(); err != nil {
		return nil, store.DBFault(err, store.MoneyFile)
	}
	if err := rows.Close(); err != nil { // the one connection is needed again
		return nil, store.DBFault(err, store.MoneyFile)
	}
	return out, j.attach(ctx, out)
}

func scan(rows *sql.Rows) (record, error) {
	var (
		r                    record
		account, to          string
		spend, keep          string
		hash                 sql.NullString
		nonce, gas, createdM int64
		passed, block        int64
		inBlock              string
	)
	err := rows.Scan(&r.id, &r.key, &r.info.ChainID, &account, &r.state, &nonce, &to, &r.info.Value, &r.data, &gas,
		&r.info.MaxFee, &r.info.MaxTip, &spend, &hash, &keep, &createdM, &r.reason, &r.round, &r.won, &passed, &block, &inBlock)
	if err == nil {
		err = errors.Join(json.Unmarshal([]byte(spend), &r.spend), json.Unmarshal([]byte(keep), &r.context))
	}
	if err != nil {
		return record{}, store.DBFault(err, store.MoneyFile)
	}
	r.info.From, r.info.To = common.HexToAddress(account), common.HexToAddress(to)
	r.info.Nonce, r.info.GasLimit = uint64(nonce), uint64(gas)
	r.created, r.block, r.inBlock = time.UnixMilli(createdM), uint64(block), common.HexToHash(inBlock)
	if passed > 0 {
		r.passed = time.UnixMilli(passed)
	}
	if hash.Valid {
		r.info.Hash, r.hashed = common.HexToHash(hash.String), true
	}
	r.info.FeeCap, err = r.info.MaxFee.Mul(r.info.GasLimit)
	return r, err
}

// lower is how addresses are stored: 0x and 40 lower-case digits.
func lower(a common.Address) string { return "0x" + common.Bytes2Hex(a[:]) }
