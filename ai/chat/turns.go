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

// Why a turn that runs is told to end. A request to stop stands in the turn's row
// as its error, while the state is still running: the process that runs it finds
// it with its next sign of life.
var (
	errStopped = fault.New(fault.Canceled, "stopped").WithSent(fault.SentNo)
	// errNotOurs: another process took this one for dead and ended its turn.
	errNotOurs = errors.New("the turn is not this process's any more")
)

// interrupted is the code of a turn whose process ended without ending it.
const interrupted = "interrupted"

// lookEvery is how often a turn that stands in the way is looked at.
const lookEvery = 100 * time.Millisecond

// running is a turn's row, as others see it.
type running struct {
	id, room, participant, cause, trace string
	calls                               int
	beat                                time.Time
}

func scanRunning(rows *sql.Rows) (r running, err error) {
	var beat int64
	err = rows.Scan(&r.id, &r.room, &r.participant, &r.cause, &r.trace, &r.calls, &beat)
	r.beat = at(beat)
	return r, err
}

const runningColumns = `SELECT id, room_id, participant, cause, trace_id, tool_calls, beat_at FROM ai_turns WHERE state = 'running'`

// begin makes r the running turn of a room, with its first messages, in one
// transaction; room "" is a new one. One that runs already is a fault.Conflict,
// unless its process shows no sign of life: that is waited for.
func (s *Service) begin(ctx context.Context, r *run, room, cause string, first ...Message) error {
	r.turn = Turn{ID: store.NewID("turn_"), Connection: r.conn.Name, Cause: cause, State: TurnRunning, TraceID: r.scope.TraceID}
	if room == "" {
		room = store.NewID("chat_")
		r.fresh = true
	}
	r.turn.Room, r.scope.SessionID = room, room
	for i := range first {
		first[i].TurnID, first[i].TraceID = r.turn.ID, r.scope.TraceID
	}
	var seen time.Time // the sign of life that was there first
	waited := time.Duration(0)
	for {
		inTheWay, dead, err := s.claim(ctx, r, first, waited >= s.o.DeadAfter)
		if err != nil {
			return err
		}
		if err := s.tellInterrupted(ctx, dead); err != nil {
			return err
		}
		if inTheWay == nil {
			break
		}
		if seen.IsZero() {
			seen = inTheWay.beat
		}
		if !inTheWay.beat.Equal(seen) {
			return fault.New(fault.Conflict, "a turn of this conversation is running").
				Hintf("wait for it to end, or stop it: ape-claw ai conversations stop %s", r.turn.Room).With("turnId", inTheWay.id).WithSent(fault.SentNo)
		}
		select {
		case <-ctx.Done():
			return ai.Stopped(ctx)
		case <-time.After(lookEvery):
			waited += lookEvery
		}
	}
	if err := s.tell(ctx, r.scope, room, first); err != nil {
		return s.end(ctx, r, err)
	}
	r.turn.LastSeq = first[len(first)-1].Seq
	err := s.o.Record(ctx, r.scope, telemetry.Draft{Type: "ai.turn.started", Payload: r.payload()})
	if err != nil {
		return s.end(ctx, r, err)
	}
	return nil
}

// claim inserts the turn unless one that lives is in the way, and ends those that do not.
func (s *Service) claim(ctx context.Context, r *run, first []Message, silent bool) (inTheWay *running, dead []ended, err error) {
	err = s.transact(ctx, func(q *query) error {
		inTheWay, dead = nil, nil
		others, err := q.running(`AND room_id = ?`, r.turn.Room)
		if err != nil {
			return err
		}
		for _, o := range others {
			if !silent && q.now.Sub(o.beat) <= s.o.DeadAfter {
				inTheWay = &o
				return nil
			}
			msgs, err := q.interrupt(o)
			if err != nil {
				return err
			}
			dead = append(dead, ended{o, msgs})
		}
		if err := q.room(r, first); err != nil {
			return err
		}
		if r.turn.Cause == CauseCallback { // counted again where nobody can be in between
			n, err := q.callbacks(r.turn.Room, s.o.CallbackSpan)
			if err != nil {
				return err
			}
			if n >= s.o.CallbackLimit {
				return fault.New(fault.RateLimited, "this conversation had %d outcomes told within %s", n, s.o.CallbackSpan).WithSent(fault.SentNo)
			}
		}
		now := q.now.UnixMilli()
		if _, err := q.tx.ExecContext(ctx, `INSERT INTO ai_turns (id, room_id, participant, cause, state, trace_id, owner, beat_at, started_at)
			VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?)`,
			r.turn.ID, r.turn.Room, r.scope.AgentID, r.turn.Cause, r.turn.TraceID, s.owner, now, now); err != nil {
			return err
		}
		return q.add(r.turn.Room, first)
	})
	return inTheWay, dead, err
}

// room makes a new conversation, or notes the connection that an old one goes on with.
func (q *query) room(r *run, first []Message) error {
	now := q.now.UnixMilli()
	if !r.fresh {
		_, err := q.tx.ExecContext(q.ctx, `UPDATE ai_rooms SET connection = ? WHERE id = ?`, r.conn.Name, r.turn.Room)
		return err
	}
	title := cut(OneLine(first[0].Blocks[0].Text), 60)
	_, err := q.tx.ExecContext(q.ctx, `INSERT INTO ai_rooms (id, kind, title, connection, created_at, updated_at) VALUES (?, 'direct', ?, ?, ?, ?)`,
		r.turn.Room, title, r.conn.Name, now, now)
	return err
}

func (q *query) running(where string, args ...any) ([]running, error) {
	rows, err := q.tx.QueryContext(q.ctx, runningColumns+" "+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has what matters
	var out []running
	for rows.Next() {
		r, err := scanRunning(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// ended is a turn that another process left behind, with the notice about it.
type ended struct {
	running
	msgs []Message
}

// interrupt ends a turn whose process is gone.
func (q *query) interrupt(o running) ([]Message, error) {
	f := &Failure{Code: interrupted, Message: "the program was ended in the middle of this answer: ask again"}
	doc, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	if _, err := q.tx.ExecContext(q.ctx, `UPDATE ai_turns SET state = 'interrupted', error = ?, ended_at = ? WHERE id = ? AND state = 'running'`,
		string(doc), q.now.UnixMilli(), o.id); err != nil {
		return nil, err
	}
	msgs := []Message{{Role: RoleSystem, Author: Program, Status: StatusFailed, Error: f, TurnID: o.id, TraceID: o.trace,
		Blocks: []Block{{Type: BlockError, Code: interrupted, Text: f.Message}}}}
	return msgs, q.add(o.room, msgs)
}

func (s *Service) tellInterrupted(ctx context.Context, dead []ended) error {
	for _, o := range dead {
		scope := ai.Scope{AgentID: o.participant, SessionID: o.room, TraceID: o.trace, Source: "ai"}
		if err := s.tell(ctx, scope, o.room, o.msgs); err != nil {
			return err
		}
		err := s.o.Record(ctx, scope, telemetry.Draft{Type: "ai.turn.failed", Err: o.msgs[0].Error.Message,
			Payload: map[string]any{"turnId": o.id, "roomId": o.room, "participant": o.participant, "cause": o.cause},
			Result:  map[string]any{"code": interrupted, "toolCalls": o.calls}})
		if err != nil {
			return err
		}
	}
	return nil
}

// Interrupted ends the turns of processes that show no sign of life any more, and
// returns how many there were.
func (s *Service) Interrupted(ctx context.Context) (int, error) {
	var dead []ended
	err := s.transact(ctx, func(q *query) error {
		dead = nil
		list, err := q.running(`AND beat_at < ?`, q.now.Add(-s.o.DeadAfter).UnixMilli())
		for i := 0; err == nil && i < len(list); i++ {
			var msgs []Message
			if msgs, err = q.interrupt(list[i]); err == nil {
				dead = append(dead, ended{list[i], msgs})
			}
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(dead), s.tellInterrupted(ctx, dead)
}

// beating shows signs of life for a turn, and ends its context when it is to stop.
// The function it returns ends that.
func (s *Service) beating(ctx context.Context, r *run) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(s.o.Beat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := s.transact(ctx, func(q *query) error { return q.beat(s.owner, r) }); isEnd(err) {
				cancel(err)
				return
			}
		}
	}()
	return ctx, func() { cancel(context.Canceled); <-done }
}

// isEnd tells a reason to end the turn from a database that was busy for a while.
func isEnd(err error) bool { return errors.Is(err, errStopped) || errors.Is(err, errNotOurs) }

// beat is a sign of life. It fails when the turn is another's now, or is to stop.
func (q *query) beat(owner string, r *run) error {
	var asked sql.NullString
	err := q.tx.QueryRowContext(q.ctx, `UPDATE ai_turns SET beat_at = ?, tool_calls = ? WHERE id = ? AND state = 'running' AND owner = ? RETURNING error`,
		q.now.UnixMilli(), r.calls.Load(), r.turn.ID, owner).Scan(&asked)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return errNotOurs
	case err != nil:
		return err
	case asked.Valid && !r.ending.Load():
		return errStopped
	}
	return nil
}

// Stop ends the running turn of a conversation, in whichever process it runs, with
// that one's next sign of life. It reports whether there was one.
func (s *Service) Stop(ctx context.Context, room string) (bool, error) {
	n, err := s.stop(ctx, `AND room_id = ?`, room)
	return n > 0, err
}

// StopAll is Stop for every conversation; it returns how many turns there were.
func (s *Service) StopAll(ctx context.Context) (int, error) { return s.stop(ctx, ``) }

func (s *Service) stop(ctx context.Context, where string, args ...any) (n int, err error) {
	doc, err := json.Marshal(Failure{Code: errStopped.Code, Message: errStopped.Message})
	if err != nil {
		return 0, err
	}
	err = s.transact(ctx, func(q *query) error {
		args := append([]any{string(doc), q.now.Add(-s.o.DeadAfter).UnixMilli()}, args...)
		res, err := q.tx.ExecContext(q.ctx, `UPDATE ai_turns SET error = ? WHERE state = 'running' AND beat_at >= ? `+where, args...)
		if err != nil {
			return err
		}
		affected, err := res.RowsAffected()
		n = int(affected)
		return err
	})
	return n, err
}

// callbacks counts the turns of a room that outcomes began lately.
func (q *query) callbacks(room string, span time.Duration) (n int, err error) {
	err = q.tx.QueryRowContext(q.ctx, `SELECT COUNT(*) FROM ai_turns WHERE room_id = ? AND cause = 'callback' AND started_at > ?`,
		room, q.now.Add(-span).UnixMilli()).Scan(&n)
	return n, err
}

func (s *Service) callbacks(ctx context.Context, room string) (n int, err error) {
	err = s.transact(ctx, func(q *query) error {
		n, err = q.callbacks(room, s.o.CallbackSpan)
		return err
	})
	return n, err
}
