package chat

import (
	"context"
	"errors"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// end stores how a turn ended and returns what is to be told of it.
func (s *Service) end(ctx context.Context, r *run, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	r.ending.Store(true)
	r.turn.DurationMs = max(0, s.o.Now().Sub(r.started).Milliseconds())
	if errors.Is(err, errNotOurs) {
		r.turn.State = TurnInterrupted
		err = fault.New(fault.Conflict, "another process took this turn for dead and ended it: ask again").WithSent(fault.SentNo)
		r.turn.Error = failureOf(err)
		return err // the other one told it
	}
	status := r.conclude(err)
	var msgs []Message
	if r.turn.Error != nil || r.turn.Notice != "" {
		m := Message{Role: RoleSystem, Author: Program, Status: status, Error: r.turn.Error}
		if r.turn.Notice != "" {
			m.Blocks = append(m.Blocks, Block{Type: BlockNotice, Text: r.turn.Notice})
		}
		if f := r.turn.Error; f != nil {
			m.Blocks = append(m.Blocks, Block{Type: BlockError, Code: string(f.Code), Text: f.Message})
		}
		msgs = append(msgs, m)
	}
	var storeErr error
	if len(msgs) > 0 {
		storeErr = r.store(ctx, msgs...)
	}
	return errors.Join(err, storeErr, s.finish(ctx, r))
}

// conclude sets the turn's state by how it ended.
func (r *run) conclude(err error) (status string) {
	r.turn.State, status = TurnDone, StatusOK
	if err == nil {
		return status
	}
	r.turn.Error = failureOf(err)
	switch r.turn.Error.Code {
	case fault.Canceled, fault.Killed:
		r.turn.State = TurnCancelled
		return StatusCancelled
	}
	r.turn.State = TurnFailed
	return StatusFailed
}

func failureOf(err error) *Failure {
	e := fault.From(err)
	if e.Code == fault.Canceled {
		return &Failure{Code: e.Code, Message: "stopped"}
	}
	return &Failure{Code: e.Code, Message: e.Message, Hint: e.Hint}
}

// finish ends the turn's row and records the end.
func (s *Service) finish(ctx context.Context, r *run) error {
	failure, err := nullable(r.turn.Error)
	if err != nil {
		return err
	}
	err = s.transact(ctx, func(q *query) error {
		res, err := q.tx.ExecContext(q.ctx, `UPDATE ai_turns SET state = ?, error = ?, tool_calls = ?, ended_at = ? WHERE id = ? AND state = 'running' AND owner = ?`,
			r.turn.State, failure, r.calls.Load(), q.now.UnixMilli(), r.turn.ID, s.owner)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, fault.New(fault.Conflict, "another process ended this turn").WithSent(fault.SentNo))
		}
		return nil
	})
	if err != nil {
		return err
	}
	draft := telemetry.Draft{Type: "ai.turn.completed", Payload: r.payload(),
		Result: map[string]any{"toolCalls": r.turn.ToolCalls, "durationMs": r.turn.DurationMs, "usage": r.turn.Usage}}
	if r.turn.Model != "" {
		draft.Result.(map[string]any)["model"] = r.turn.Model
	}
	if f := r.turn.Error; f != nil {
		draft.Type, draft.Err = "ai.turn.failed", f.Message
		draft.Result = map[string]any{"code": string(f.Code), "toolCalls": r.turn.ToolCalls, "durationMs": r.turn.DurationMs}
	}
	return s.o.Record(ctx, r.scope, draft)
}

func addUsage(sum *ai.Usage, u ai.Usage) {
	for _, p := range []struct{ to, from **int64 }{
		{&sum.Input, &u.Input}, {&sum.Output, &u.Output}, {&sum.CacheRead, &u.CacheRead}, {&sum.CostMicros, &u.CostMicros},
	} {
		if *p.from == nil {
			continue
		}
		n := **p.from
		if *p.to != nil {
			n += **p.to
		}
		*p.to = &n
	}
}
