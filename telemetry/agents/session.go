package agents

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Limits of sessions.
const (
	SessionLife = 12 * time.Hour // from the log-in, used or not
	maxSessions = 1024           // in all; the oldest go first
	maxPerAgent = 16             // of one agent
)

// OpenSession logs a browser in as the agent that p proves. What it returns goes
// into a cookie; of it, only the SHA-256 is stored.
func (r *Registry) OpenSession(ctx context.Context, p Proof) (string, Proof, error) {
	db, err := r.db(ctx, true)
	if err != nil {
		return "", Proof{}, err
	}
	token, hash := newToken("")
	now := r.now().Truncate(time.Millisecond)
	p.session, p.Expires = hash, now.Add(SessionLife)
	err = r.write(ctx, db, func(tx *sql.Tx) error {
		for _, q := range []struct {
			sql  string
			args []any
		}{
			{`DELETE FROM sessions WHERE expires_at <= ?`, []any{now.UnixMilli()}},
			{`DELETE FROM sessions WHERE token_hash IN
				(SELECT token_hash FROM sessions WHERE agent_id = ? ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)`, []any{p.AgentID, maxPerAgent - 1}},
			{`DELETE FROM sessions WHERE token_hash IN
				(SELECT token_hash FROM sessions ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)`, []any{maxSessions - 1}},
			{`INSERT INTO sessions (token_hash, agent_id, generation, created_at, expires_at) VALUES (?, ?, ?, ?, ?)`,
				[]any{hash[:], p.AgentID, p.generation, now.UnixMilli(), p.Expires.UnixMilli()}},
		} {
			if _, err := tx.ExecContext(ctx, q.sql, q.args...); err != nil {
				return store.DBFault(err, store.StateFile)
			}
		}
		return nil
	})
	if err != nil {
		return "", Proof{}, err
	}
	return token, p, nil
}

// Session returns the proof of a session that is open; one that ended, or never
// was, is a fault.Auth.
func (r *Registry) Session(ctx context.Context, token string) (Proof, error) {
	p := Proof{session: sha256.Sum256([]byte(token))}
	held, err := r.session(ctx, &p)
	if err == nil && !held {
		err = fault.New(fault.Auth, "the log-in has ended").Hintf("log in again")
	}
	if err != nil {
		return Proof{}, err
	}
	return p, nil
}

// session fills p from its session, and reports whether that is open. The hash
// is looked up in an index: what the time of that tells is of the hash, not of
// the token.
func (r *Registry) session(ctx context.Context, p *Proof) (bool, error) {
	db, err := r.db(ctx, false)
	if err != nil || db == nil {
		return false, err
	}
	var expires int64
	err = db.QueryRowContext(ctx, `SELECT s.agent_id, s.generation, s.expires_at FROM sessions s JOIN agents a
		ON a.id = s.agent_id AND a.generation = s.generation AND a.enabled = 1 WHERE s.token_hash = ?`, p.session[:]).
		Scan(&p.AgentID, &p.generation, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	p.Expires = time.UnixMilli(expires)
	return err == nil && r.now().Before(p.Expires), store.DBFault(err, store.StateFile)
}

// CloseSession ends a session. Ending it twice is ending it once.
func (r *Registry) CloseSession(ctx context.Context, token string) error {
	db, err := r.db(ctx, false)
	if err != nil || db == nil {
		return err
	}
	hash := sha256.Sum256([]byte(token))
	// Anybody may send a made-up cookie: one that is none costs no write.
	var n int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM sessions WHERE token_hash = ?`, hash[:]).Scan(&n)
	if err != nil || n == 0 {
		return store.DBFault(err, store.StateFile)
	}
	return r.write(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE token_hash = ?`, hash[:])
		return store.DBFault(err, store.StateFile)
	})
}

// Holds reports whether p would still be given.
func (r *Registry) Holds(ctx context.Context, p Proof) (bool, error) {
	if p.session != [sha256.Size]byte{} {
		now := p
		held, err := r.session(ctx, &now)
		return held && now.AgentID == p.AgentID, err
	}
	a, err := r.find(ctx, p.AgentID)
	return err == nil && a.enabled == 1 && a.generation == p.generation, err
}

// Changes returns a number that differs from an earlier one when anything was
// written to the database in between, be it by another process.
func (r *Registry) Changes(ctx context.Context) (int64, error) {
	db, err := r.db(ctx, false)
	if err != nil || db == nil {
		return 0, err
	}
	// SQLite counts what others than this connection wrote; what this one wrote
	// is counted here.
	var others int64
	if err := db.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&others); err != nil {
		return 0, store.DBFault(err, store.StateFile)
	}
	return others<<32 + r.changes.Load(), nil
}
