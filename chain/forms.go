package chain

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
)

// Kinds of replacements.
const (
	kindOriginal = ""        // the transaction itself
	kindCancel   = "cancel"  // a self-transfer of nothing
	kindReprice  = "reprice" // the same, with a higher fee
)

// form is one signed form of a transaction. All have its nonce, so the chain
// takes one of them: the original or a replacement.
type form struct {
	n      int // 0: the original; else of the table tx_replacement
	kind   string
	state  string
	info   TxInfo
	data   []byte
	spend  []spendRef // what is reserved for it, beyond what is for those before it
	hashed bool       // signed bytes are on disk
}

// forms are all signed forms that may be mined, the original first.
func (r record) forms() []form {
	out := []form{}
	if r.hashed {
		out = append(out, form{state: r.state, info: r.info, data: r.data, spend: r.spend, hashed: true})
	}
	for _, f := range r.others {
		if f.hashed && f.state != StateAbandoned {
			out = append(out, f)
		}
	}
	return out
}

// won is the form that was mined, if one was.
func (r record) wonForm() form {
	for _, f := range r.forms() {
		if f.n == r.won {
			return f
		}
	}
	return form{info: r.info, data: r.data}
}

// reserved are the ledger's rows of all forms but those that never left.
func (r record) reserved() []spendRef {
	out := append([]spendRef(nil), r.spend...)
	for _, f := range r.others {
		if f.state != StateAbandoned {
			out = append(out, f.spend...)
		}
	}
	return out
}

const formColumns = `tx_id, n, kind, state, gas_limit, max_fee, max_tip, spend_ids, hash`

// attach reads the replacements of rows.
func (j journal) attach(ctx context.Context, rs []record) (err error) {
	if len(rs) == 0 {
		return nil
	}
	at, ids := map[string]*record{}, make([]any, len(rs))
	for i := range rs {
		at[rs[i].id], ids[i] = &rs[i], rs[i].id
	}
	marks := strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",")
	rows, err := j.db.QueryContext(ctx, `SELECT `+formColumns+` FROM tx_replacement WHERE tx_id IN (`+marks+`) ORDER BY tx_id, n`, ids...)
	if err != nil {
		return store.DBFault(err, store.MoneyFile)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var (
			id, spend string
			hash      sql.NullString
			gas       int64
			f         form
		)
		if err := rows.Scan(&id, &f.n, &f.kind, &f.state, &gas, &f.info.MaxFee, &f.info.MaxTip, &spend, &hash); err != nil {
			return store.DBFault(err, store.MoneyFile)
		}
		if err := json.Unmarshal([]byte(spend), &f.spend); err != nil {
			return store.DBFault(err, store.MoneyFile)
		}
		r := at[id]
		f.info.ChainID, f.info.From, f.info.Nonce, f.info.GasLimit = r.info.ChainID, r.info.From, r.info.Nonce, uint64(gas)
		f.info.To, f.info.Value, f.data = replacing(f.kind, r)
		if hash.Valid {
			f.info.Hash, f.hashed = common.HexToHash(hash.String), true
		}
		if f.info.FeeCap, err = f.info.MaxFee.Mul(f.info.GasLimit); err != nil {
			return err
		}
		r.others = append(r.others, f)
	}
	return store.DBFault(rows.Err(), store.MoneyFile)
}

// replacing is what a replacement of r does: the same, or nothing.
func replacing(kind string, r *record) (to common.Address, value units.Wei, data []byte) {
	if kind == kindCancel {
		return r.info.From, units.Wei{}, nil
	}
	return r.info.To, r.info.Value, r.data
}

// intendForm inserts a replacement before anything is signed.
func (j journal) intendForm(ctx context.Context, tx *sql.Tx, id string, f form, digest policy.Digest) error {
	spend, err := json.Marshal(f.spend)
	if err != nil {
		return err
	}
	at := j.now().UnixMilli()
	_, err = tx.ExecContext(ctx, `INSERT INTO tx_replacement (tx_id, n, kind, state, gas_limit, max_fee, max_tip, digest, spend_ids, created_at, updated_at)
		VALUES (?, ?, ?, 'intended', ?, ?, ?, ?, ?, ?, ?)`,
		id, f.n, f.kind, int64(f.info.GasLimit), f.info.MaxFee, f.info.MaxTip, digest[:], string(spend), at, at)
	return err
}

// setForm changes the state and the given columns of a form; of the original, of
// the transaction's row.
func (j journal) setForm(ctx context.Context, tx *sql.Tx, id string, n int, state, columns string, args ...any) error {
	if n == 0 {
		return j.set(ctx, tx, id, state, columns, args...)
	}
	query := `UPDATE tx_replacement SET state = ?, updated_at = ?`
	if columns != "" {
		query += ", " + columns
	}
	res, err := tx.ExecContext(ctx, query+` WHERE tx_id = ? AND n = ?`, append(append([]any{state, j.now().UnixMilli()}, args...), id, n)...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(err, errors.New("a replacement of "+id+" is missing"))
	}
	return nil
}

// rawOf returns the signed bytes of a form, nil when they were dropped.
func (j journal) rawOf(ctx context.Context, id string, n int) (raw []byte, err error) {
	query, args := `SELECT raw FROM tx WHERE id = ?`, []any{id}
	if n > 0 {
		query, args = `SELECT raw FROM tx_replacement WHERE tx_id = ? AND n = ?`, []any{id, n}
	}
	err = j.db.QueryRowContext(ctx, query, args...).Scan(&raw)
	return raw, store.DBFault(err, store.MoneyFile)
}
