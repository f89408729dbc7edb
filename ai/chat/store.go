package chat

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// query is one transaction on the conversations.
type query struct {
	ctx context.Context
	tx  *sql.Tx
	now time.Time
}

// transact runs f in a transaction that is immediate: what it looked at stays so.
func (s *Service) transact(ctx context.Context, f func(q *query) error) error {
	db, err := s.o.State(ctx)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return unusable(ctx, err)
	}
	if err := f(&query{ctx, tx, s.o.Now()}); err != nil {
		return errors.Join(unusable(ctx, err), ignoreDone(tx.Rollback()))
	}
	return unusable(ctx, tx.Commit())
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// unusable tells a failure of the database apart from our own faults.
func unusable(ctx context.Context, err error) error {
	var e *fault.Error
	if err == nil || errors.As(err, &e) || errors.Is(err, errNotOurs) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return store.DBFault(err, store.StateFile)
}

// add stores messages at the end of a room, in order, and sets what they are known by.
func (q *query) add(room string, msgs []Message) error {
	for i := range msgs {
		m := &msgs[i]
		m.ID, m.CreatedAt = store.NewID("msg_"), q.now
		if m.Status == "" {
			m.Status = StatusOK
		}
		err := q.tx.QueryRowContext(q.ctx, `UPDATE ai_rooms SET last_seq = last_seq + 1, updated_at = ? WHERE id = ? RETURNING last_seq`,
			q.now.UnixMilli(), room).Scan(&m.Seq)
		if errors.Is(err, sql.ErrNoRows) {
			return noRoom()
		}
		if err != nil {
			return err
		}
		blocks, err := json.Marshal(m.Blocks)
		if err != nil {
			return err
		}
		failure, err := nullable(m.Error)
		if err != nil {
			return err
		}
		usage, err := nullable(m.Usage)
		if err != nil {
			return err
		}
		if _, err := q.tx.ExecContext(q.ctx, `INSERT INTO ai_messages (id, room_id, seq, role, author, blocks, status, error, usage, turn_id, trace_id, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			m.ID, room, m.Seq, string(m.Role), m.Author, string(blocks), m.Status, failure, usage, m.TurnID, m.TraceID, q.now.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

// nullable is a document for a column that may be NULL.
func nullable[T any](v *T) (any, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}

func noRoom() error {
	return fault.New(fault.NotFound, "there is no such conversation").
		Hintf("ape-claw ai conversations list").WithSent(fault.SentNo)
}

// previewRunes is how much of a message its event shows.
const previewRunes = 200

// tell records that messages were stored.
func (s *Service) tell(ctx context.Context, scope ai.Scope, room string, msgs []Message) error {
	scope.SessionID, scope.Source = room, "ai"
	for _, m := range msgs {
		if m.TraceID != "" {
			scope.TraceID = m.TraceID
		}
		err := s.o.Record(ctx, scope, telemetry.Draft{Type: "ai.message.created",
			Payload: map[string]any{"roomId": room, "seq": m.Seq, "role": string(m.Role), "author": m.Author},
			Result:  map[string]any{"preview": preview(m)}})
		if err != nil {
			return err
		}
	}
	return nil
}

// preview is the beginning of what a message says, on one line.
func preview(m Message) string {
	for _, b := range m.Blocks {
		switch b.Type {
		case BlockUse:
			return "calls " + cut(OneLine(b.Tool), previewRunes-6)
		case BlockText, BlockNotice, BlockError, BlockResult, BlockOutcome:
			return cut(OneLine(b.Text), previewRunes)
		}
	}
	return ""
}

// Room returns a conversation; "last" is the one that was used last.
func (s *Service) Room(ctx context.Context, id string) (Room, error) {
	where, args := `WHERE r.id = ?`, []any{id}
	if id == "last" {
		where, args = ``, nil
	}
	rooms, err := s.rooms(ctx, where+` ORDER BY r.updated_at DESC, r.id LIMIT 1`, args...)
	if err != nil {
		return Room{}, err
	}
	if len(rooms) == 0 {
		return Room{}, noRoom()
	}
	return rooms[0], nil
}

// Rooms lists the conversations, the one that was used last first.
func (s *Service) Rooms(ctx context.Context, limit int) ([]Room, error) {
	return s.rooms(ctx, `ORDER BY r.updated_at DESC, r.id LIMIT ?`, limit)
}

func (s *Service) rooms(ctx context.Context, rest string, args ...any) ([]Room, error) {
	out := []Room{}
	alive := s.o.Now().Add(-s.o.DeadAfter).UnixMilli()
	err := s.read(ctx, func(rows *sql.Rows) error {
		var r Room
		var created, updated int64
		if err := rows.Scan(&r.ID, &r.Title, &r.Connection, &r.Messages, &created, &updated, &r.Running); err != nil {
			return err
		}
		r.CreatedAt, r.UpdatedAt = at(created), at(updated)
		out = append(out, r)
		return nil
	}, `SELECT r.id, r.title, r.connection, r.last_seq, r.created_at, r.updated_at,
		EXISTS (SELECT 1 FROM ai_turns t WHERE t.room_id = r.id AND t.state = 'running' AND t.beat_at >= ?)
		FROM ai_rooms r `+rest, append([]any{alive}, args...)...)
	return out, err
}

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// Messages returns those of a conversation after a seq, the oldest first.
func (s *Service) Messages(ctx context.Context, room string, after int64, limit int) ([]Message, error) {
	return s.messages(ctx, `WHERE room_id = ? AND seq > ? ORDER BY seq LIMIT ?`, room, after, limit)
}

// newest returns the last messages of a conversation after a seq, the oldest first.
func (s *Service) newest(ctx context.Context, room string, after int64, limit int) ([]Message, error) {
	return s.messages(ctx, `WHERE room_id = ? AND seq > MAX(?, (SELECT last_seq FROM ai_rooms WHERE id = ?) - ?) ORDER BY seq`,
		room, after, room, limit)
}

func (s *Service) messages(ctx context.Context, where string, args ...any) ([]Message, error) {
	out := []Message{}
	err := s.read(ctx, func(rows *sql.Rows) error {
		var m Message
		var blocks string
		var failure, usage sql.NullString
		var created int64
		err := rows.Scan(&m.ID, &m.Seq, &m.Role, &m.Author, &blocks, &m.Status, &failure, &usage, &m.TurnID, &m.TraceID, &created)
		if err != nil {
			return err
		}
		m.CreatedAt = at(created)
		// A row that somebody else wrote may hold anything: what can't be read is not shown.
		if json.Unmarshal([]byte(blocks), &m.Blocks) != nil {
			m.Blocks = []Block{{Type: BlockNotice, Text: "(this message can't be read)"}}
			m.Role = RoleSystem
		}
		if failure.Valid {
			m.Error = &Failure{}
			_ = json.Unmarshal([]byte(failure.String), m.Error)
		}
		if usage.Valid {
			m.Usage = &ai.Usage{}
			_ = json.Unmarshal([]byte(usage.String), m.Usage)
		}
		out = append(out, m)
		return nil
	}, `SELECT id, seq, role, author, blocks, status, error, usage, turn_id, trace_id, created_at FROM ai_messages `+where, args...)
	return out, err
}

// read runs a query that changes nothing.
func (s *Service) read(ctx context.Context, scan func(*sql.Rows) error, text string, args ...any) error {
	db, err := s.o.State(ctx)
	if err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return unusable(ctx, err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err has what matters
	for rows.Next() {
		if err := scan(rows); err != nil {
			return unusable(ctx, err)
		}
	}
	return unusable(ctx, rows.Err())
}

// Reset lets the model forget what was said so far; the messages stay.
func (s *Service) Reset(ctx context.Context, room string) error {
	return s.transact(ctx, func(q *query) error {
		res, err := q.tx.ExecContext(q.ctx, `UPDATE ai_rooms SET context_after_seq = last_seq, updated_at = ? WHERE id = ?`, q.now.UnixMilli(), room)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, noRoom())
		}
		return nil
	})
}

// Rename gives a conversation another title.
func (s *Service) Rename(ctx context.Context, room, title string) (Room, error) {
	title = cut(OneLine(s.redact(title)), 60)
	if title == "" {
		return Room{}, fault.New(fault.Usage, "a title has at least one character").WithSent(fault.SentNo)
	}
	err := s.transact(ctx, func(q *query) error {
		_, err := q.tx.ExecContext(q.ctx, `UPDATE ai_rooms SET title = ? WHERE id = ?`, title, room)
		return err
	})
	if err != nil {
		return Room{}, err
	}
	return s.Room(ctx, room)
}

// contextStart is the seq after which the model is shown messages.
func (s *Service) contextStart(ctx context.Context, room string) (seq int64, err error) {
	err = s.read(ctx, func(rows *sql.Rows) error { return rows.Scan(&seq) },
		`SELECT context_after_seq FROM ai_rooms WHERE id = ?`, room)
	return seq, err
}
