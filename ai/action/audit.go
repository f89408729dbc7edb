package action

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AuditRow is one line of the audit.
type AuditRow struct {
	Seq  int64           `json:"seq"`
	At   time.Time       `json:"at"`
	Kind string          `json:"kind"`
	Doc  json.RawMessage `json:"doc"`
	Hash string          `json:"hash"`
}

// link is the hash of a row: over all of it, and the row before.
func link(prev string, seq, ms int64, kind, doc string) string {
	sum := sha256.Sum256([]byte(text([]string{prev, strconv.FormatInt(seq, 10), strconv.FormatInt(ms, 10), kind, doc})))
	return hex.EncodeToString(sum[:])
}

// audit adds a row within the transaction of what it tells of.
func (s *Service) audit(ctx context.Context, q querier, kind string, v any) error {
	doc := string(s.o.Redactor.Bytes([]byte(text(v))))
	var seq int64
	var prev string
	err := q.QueryRowContext(ctx, "SELECT seq, hash FROM ai_audit ORDER BY seq DESC LIMIT 1").Scan(&seq, &prev)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	seq++
	now := s.o.Now().UnixMilli()
	_, err = q.ExecContext(ctx, "INSERT INTO ai_audit (seq, at, kind, doc, prev, hash) VALUES (?, ?, ?, ?, ?, ?)", seq, now, kind, doc, prev,
		link(prev, seq, now, kind, doc))
	return err
}

// Note adds a row to the audit, for what is no action: connection.*, auth.*,
// settings.*, turn.failed.
func (s *Service) Note(ctx context.Context, kind string, doc any) error {
	return s.tx(ctx, func(q querier) error { return s.audit(ctx, q, kind, doc) })
}

// Audit returns the newest rows, the oldest of them first, of one action or of all
// for "", and beside them an error when a row of the chain was changed, added or
// removed. Rows that were cut off at its end are no break in it: the log of events
// tells of them.
func (s *Service) Audit(ctx context.Context, actionID string, limit int) ([]AuditRow, error) {
	db, err := s.o.State(ctx)
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = 100
	}
	rows, err := db.QueryContext(ctx, "SELECT seq, at, kind, doc, prev, hash FROM ai_audit ORDER BY seq")
	if err != nil {
		return nil, store.DBFault(err, store.StateFile)
	}
	defer rows.Close() //nolint:errcheck // Err says what reading ran into
	out := []AuditRow{}
	var last, broken int64
	before := ""
	for rows.Next() {
		var r AuditRow
		var ms int64
		var doc, prev string
		if err := rows.Scan(&r.Seq, &ms, &r.Kind, &doc, &prev, &r.Hash); err != nil {
			return nil, store.DBFault(err, store.StateFile)
		}
		if broken == 0 && (r.Seq != last+1 || prev != before || r.Hash != link(prev, r.Seq, ms, r.Kind, doc)) {
			broken = r.Seq
		}
		last, before = r.Seq, r.Hash
		r.At, r.Doc = at(ms), json.RawMessage(doc)
		if !json.Valid(r.Doc) {
			r.Doc = json.RawMessage(`{}`)
		}
		var about struct {
			ActionID string `json:"actionId"`
		}
		// A row about something else has no action's id.
		_ = json.Unmarshal(r.Doc, &about)
		if actionID != "" && about.ActionID != actionID {
			continue
		}
		if out = append(out, r); len(out) > limit {
			out = out[1:]
		}
	}
	if err := rows.Err(); err != nil {
		return nil, store.DBFault(err, store.StateFile)
	}
	if broken > 0 {
		return out, fault.New(fault.StateUnusable, "the audit of this state directory was changed: row %d does not follow from the one before", broken).
			Hintf("compare it with the log: ape-claw events query --type 'ai.*'")
	}
	return out, nil
}
