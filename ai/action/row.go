package action

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// doc is what a row says of the proposal. It is written once.
type doc struct {
	Command     string            `json:"command"`
	Permission  string            `json:"permission"`
	Title       string            `json:"title"`
	Impact      string            `json:"impact"`
	Facts       []ai.Fact         `json:"facts"`
	Identifiers map[string]string `json:"identifiers"`
	Phrase      string            `json:"phrase"` // the command's own, or ""
	Binding     map[string]string `json:"binding"`
	Spends      []ai.Amount       `json:"spends"`
	Limits      []ai.Amount       `json:"limits,omitempty"`
	Reference   string            `json:"reference,omitempty"`
	Claim       string            `json:"claim"`
	Check       Check             `json:"claimCheck"`
	Taint       []string          `json:"taint"`
	Untrusted   []string          `json:"untrusted,omitempty"`
	Warnings    []string          `json:"warnings,omitempty"`
	Args        json.RawMessage   `json:"args"`
	Run         json.RawMessage   `json:"run"`
	TurnID      string            `json:"turnId,omitempty"`
	SessionID   string            `json:"sessionId,omitempty"`
	Source      string            `json:"source,omitempty"`
	PermitTTL   int64             `json:"permitTtl"` // seconds
}

// querier is a database or one of its transactions.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

const columns = `id, state, version, tool, grade, origin, room_id, trace_id, args_hash, facts_hash, doc, outcome, owner, beat_at,
	reported_at, created_at, expires_at, resolved_at, executed_at, untold`

// unreadable is all that there is of a row that something else wrote. It is no error:
// one row would keep every other from being listed, proposed, rejected and cancelled.
const unreadable = "what is stored of this can't be read: something else than ape-claw wrote it"

// outcomeIs is a condition on what became of an action.
const outcomeIs = `CASE WHEN json_valid(outcome) THEN json_extract(outcome, '$.outcome') END = ?`

func scan(row interface{ Scan(...any) error }) (Action, doc, error) {
	var (
		a                            Action
		d                            doc
		text                         string
		outcome                      sql.NullString
		reported, resolved, executed sql.NullInt64
		beat, created, expires       int64
	)
	err := row.Scan(&a.ID, &a.State, &a.Version, &a.Tool, &a.Grade, &a.Origin, &a.RoomID, &a.TraceID, &a.ArgsHash, &a.FactsHash, &text, &outcome,
		&a.owner, &beat, &reported, &created, &expires, &resolved, &executed, &a.untold)
	if err != nil {
		return a, d, err
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		d, a.damaged = doc{Title: unreadable}, corrupt(a.ID, err)
	}
	if outcome.Valid {
		a.Outcome = &Outcome{}
		if err := json.Unmarshal([]byte(outcome.String), a.Outcome); err != nil {
			a.Outcome, a.damaged = &Outcome{Message: unreadable}, corrupt(a.ID, err)
		}
	}
	a.beat, a.CreatedAt, a.ExpiresAt = at(beat), at(created), at(expires)
	a.ResolvedAt, a.ExecutedAt, a.Reported = atOrZero(resolved), atOrZero(executed), reported.Valid
	d.fill(&a)
	return a, d, nil
}

// fill puts what the document says into an action.
func (d doc) fill(a *Action) {
	a.Command, a.Permission, a.Title, a.Impact, a.Facts = d.Command, d.Permission, d.Title, d.Impact, d.Facts
	a.Identifiers, a.Binding, a.Spends, a.Limits, a.Reference = d.Identifiers, d.Binding, d.Spends, d.Limits, d.Reference
	a.Claim, a.Check, a.Taint, a.Untrusted, a.Warnings = d.Claim, d.Check, d.Taint, d.Untrusted, d.Warnings
	a.Args, a.Run, a.TurnID, a.SessionID, a.Source = d.Args, d.Run, d.TurnID, d.SessionID, d.Source
	a.permitTTL = time.Duration(d.PermitTTL) * time.Second
	a.Phrase = phrase(*a, d.Phrase)
}

// phrase is what is typed in the third step.
func phrase(a Action, own string) string {
	if own != "" {
		return own
	}
	return "EXECUTE " + a.Tool + " " + a.ID[max(0, len(a.ID)-6):]
}

func corrupt(id string, err error) error {
	return fault.Wrap(err, fault.StateUnusable, "the row of action %s can't be read", id).
		Hintf("something else than ape-claw wrote it: ape-claw ai actions reject %s", id)
}

// at is a time that can be told: JSON has no year after 9999.
func at(ms int64) time.Time {
	const year0, year9999 = -62167219200000, 253402300799999
	return time.UnixMilli(min(max(ms, year0), year9999)).UTC()
}

func atOrZero(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return at(n.Int64)
}

// load reads an action.
func load(ctx context.Context, q querier, id string) (Action, doc, error) {
	a, d, err := scan(q.QueryRowContext(ctx, "SELECT "+columns+" FROM ai_actions WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return a, d, fault.New(fault.NotFound, "no action %s in this state directory", shortID(id)).
			Hintf("ape-claw ai actions list")
	}
	return a, d, store.DBFault(err, store.StateFile)
}

// shortID keeps what somebody typed from filling a message.
func shortID(id string) string {
	if r := []rune(Clean(id)); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return Clean(id)
}

// query reads the actions that a condition selects.
func query(ctx context.Context, q querier, where string, args ...any) ([]Action, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+columns+" FROM ai_actions "+where, args...)
	if err != nil {
		return nil, store.DBFault(err, store.StateFile)
	}
	defer rows.Close() //nolint:errcheck // Err says what reading ran into
	out := []Action{}
	for rows.Next() {
		a, _, err := scan(rows)
		if err != nil {
			return nil, store.DBFault(err, store.StateFile)
		}
		out = append(out, a)
	}
	return out, store.DBFault(rows.Err(), store.StateFile)
}

// tx runs f in one transaction.
func (s *Service) tx(ctx context.Context, f func(q querier) error) error {
	db, err := s.o.State(ctx)
	if err != nil {
		return err
	}
	t, err := db.BeginTx(ctx, nil)
	if err != nil {
		return store.DBFault(err, store.StateFile)
	}
	if err := f(t); err != nil {
		// Nothing of it is kept; why it was given up is what counts.
		_ = t.Rollback()
		return store.DBFault(err, store.StateFile)
	}
	return store.DBFault(t.Commit(), store.StateFile)
}

// changed reports whether an UPDATE hit exactly one row.
func changed(res sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

func (f Filter) where() (string, []any) {
	var conds []string
	var args []any
	if len(f.States) > 0 {
		conds = append(conds, "state IN (?"+strings.Repeat(",?", len(f.States)-1)+")")
		for _, st := range f.States {
			args = append(args, string(st))
		}
	}
	for _, c := range []struct{ column, value string }{{"origin", f.Origin}, {"room_id", f.RoomID}, {"trace_id", f.Trace}} {
		if c.value != "" {
			conds, args = append(conds, c.column+" = ?"), append(args, c.value)
		}
	}
	where := ""
	if conds != nil {
		where = "WHERE " + strings.Join(conds, " AND ")
	}
	limit := f.Limit
	if limit <= 0 {
		limit = 100
	}
	return where + " ORDER BY created_at DESC, id DESC LIMIT ?", append(args, limit)
}
