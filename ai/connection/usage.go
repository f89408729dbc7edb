package connection

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func usageOf(ctx context.Context, q querier, id, day string) (Usage, error) {
	u := Usage{Day: day}
	err := q.QueryRowContext(ctx, `SELECT turns, input, output, unknown, cost_micros FROM usage WHERE day = ? AND connection_id = ?`, day, id).
		Scan(&u.Turns, &u.Input, &u.Output, &u.Unknown, &u.CostMicros)
	if errors.Is(err, sql.ErrNoRows) {
		return u, nil
	}
	return u, store.DBFault(err, store.AIFile)
}

// reachedCap is a cap that is used up.
type reachedCap struct {
	what           string
	limit, measure int64
}

// reached returns the cap that is used up; nil when none is.
func (c Caps) reached(u Usage) *reachedCap {
	for _, r := range []reachedCap{{"turns", c.TurnsPerDay, u.Turns}, {"tokens", c.TokensPerDay, u.Tokens()}, {"cost", c.CostMicrosPerDay, u.CostMicros}} {
		if r.limit > 0 && r.measure >= r.limit {
			return &r
		}
	}
	return nil
}

// Charge adds what a step used to the connection's day; turn says that it began a
// turn. Of a step whose usage is not told nothing is guessed but that it happened:
// the caps count it as UnknownStep tokens.
func (s *Store) Charge(ctx context.Context, id string, turn bool, u ai.Usage) error {
	var turns, input, output, unknown, cost int64
	if turn {
		turns = 1
	}
	if u.Input != nil {
		input = add(*u.Input, 0)
	}
	if u.Output != nil {
		output = add(*u.Output, 0)
	}
	if u.Input == nil || u.Output == nil {
		unknown = 1
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		r, err := find(ctx, tx, id)
		if err != nil {
			return err
		}
		cost = r.doc.Prices.charged(u)
		day := dayOf(s.o.Now())
		was, err := usageOf(ctx, tx, r.id, day)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO usage (day, connection_id, turns, input, output, unknown, cost_micros) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (day, connection_id) DO UPDATE SET turns = excluded.turns, input = excluded.input, output = excluded.output,
			unknown = excluded.unknown, cost_micros = excluded.cost_micros`, day, r.id,
			add(was.Turns, turns), add(was.Input, input), add(was.Output, output), add(was.Unknown, unknown), add(was.CostMicros, cost))
		return store.DBFault(err, store.AIFile)
	})
}

// Allowed returns nil while the connection may be used for one more step: it is
// active, and none of its caps is reached. A reached cap is a fault.CostCap, and
// an event.
func (s *Store) Allowed(ctx context.Context, id string) error {
	db, err := s.look(ctx)
	if err == nil && db == nil {
		err = unknown()
	}
	if err != nil {
		return err
	}
	r, err := find(ctx, db, id)
	if err != nil {
		return err
	}
	return s.allowed(ctx, db, r)
}

func (s *Store) allowed(ctx context.Context, q querier, r row) error {
	if err := usable(r); err != nil {
		return err
	}
	u, err := usageOf(ctx, q, r.id, dayOf(s.o.Now()))
	if err != nil {
		return err
	}
	c := r.doc.Caps.reached(u)
	if c == nil {
		return nil
	}
	e := fault.New(fault.CostCap, "connection %s has reached its cap of %s for today (UTC)", r.name, c.what).
		Hintf("wait for the next day (UTC), or raise it: ape-claw ai connections set %s --help", r.name).
		With("cap", c.what).With("limit", c.limit).With("used", c.measure)
	if err := s.record(ctx, telemetry.Draft{Type: "ai.budget.blocked", Err: e.Message,
		Payload: map[string]any{"subject": "conn:" + r.name, "asset": c.what},
		Result:  map[string]any{"limit": c.limit, "spent": c.measure, "code": string(e.Code)}}); err != nil {
		return errors.Join(e, err)
	}
	return e
}

// Day returns what a connection used today (UTC).
func (s *Store) Day(ctx context.Context, ref string) (Usage, error) {
	db, err := s.look(ctx)
	if err == nil && db == nil {
		err = unknown()
	}
	if err != nil {
		return Usage{}, err
	}
	r, err := find(ctx, db, ref)
	if err != nil {
		return Usage{}, err
	}
	return usageOf(ctx, db, r.id, dayOf(s.o.Now()))
}

// Days returns what a connection used, the newest day first, at most limit days.
func (s *Store) Days(ctx context.Context, ref string, limit int) ([]Usage, error) {
	db, err := s.look(ctx)
	if err == nil && db == nil {
		err = unknown()
	}
	if err != nil {
		return nil, err
	}
	r, err := find(ctx, db, ref)
	if err != nil {
		return nil, err
	}
	rs, err := db.QueryContext(ctx, `SELECT day, turns, input, output, unknown, cost_micros FROM usage WHERE connection_id = ? ORDER BY day DESC LIMIT ?`, r.id, limit)
	if err != nil {
		return nil, store.DBFault(err, store.AIFile)
	}
	defer rs.Close() //nolint:errcheck // Err says what went wrong
	out := []Usage{}
	for rs.Next() {
		var u Usage
		if err := rs.Scan(&u.Day, &u.Turns, &u.Input, &u.Output, &u.Unknown, &u.CostMicros); err != nil {
			return nil, store.DBFault(err, store.AIFile)
		}
		out = append(out, u)
	}
	return out, store.DBFault(rs.Err(), store.AIFile)
}
