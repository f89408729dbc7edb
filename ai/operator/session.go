package operator

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Session is a browser that is logged in. ID names it and is no secret: the
// cookie can't be made from it.
type Session struct {
	ID       string
	Created  time.Time
	Expires  time.Time
	ProvedAt time.Time // when the passphrase was given last; zero: never
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// OpenSession logs a browser in. The caller has verified the operator's token. What
// it returns goes into a cookie; of it, only the SHA-256 is stored.
func (p *Operator) OpenSession(ctx context.Context) (cookie string, s Session, err error) {
	cookie = newToken("")
	now := p.o.Now().UTC().Truncate(time.Millisecond)
	s = Session{ID: hashOf(cookie), Created: now, Expires: now.Add(SessionLife)}
	return cookie, s, p.write(ctx, func(tx *sql.Tx) error {
		for _, q := range []struct {
			sql  string
			args []any
		}{
			{`DELETE FROM sessions WHERE expires_at <= ?`, []any{now.UnixMilli()}},
			{`DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)`, []any{maxSessions - 1}},
			{`INSERT INTO sessions (hash, created_at, expires_at) VALUES (?, ?, ?)`, []any{s.ID, now.UnixMilli(), s.Expires.UnixMilli()}},
		} {
			if _, err := tx.ExecContext(ctx, q.sql, q.args...); err != nil {
				return store.DBFault(err, store.AIFile)
			}
		}
		return nil
	})
}

// Session returns the session of a cookie; one that ended, or never was, is a
// fault.Auth.
func (p *Operator) Session(ctx context.Context, cookie string) (Session, error) {
	return p.SessionByID(ctx, hashOf(cookie))
}

// SessionByID is Session for who kept the id alone, such as a long stream. The hash
// is looked up in an index: what the time of that tells is of the hash.
func (p *Operator) SessionByID(ctx context.Context, id string) (Session, error) {
	ended := fault.New(fault.Auth, "the log-in has ended").Hintf("log in again")
	db, err := p.look(ctx)
	if err != nil {
		return Session{}, err
	}
	if db == nil {
		return Session{}, ended
	}
	s := Session{ID: id}
	var created, expires, proved int64
	err = db.QueryRowContext(ctx, `SELECT created_at, expires_at, proved_at FROM sessions WHERE hash = ?`, id).Scan(&created, &expires, &proved)
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, ended
	}
	if err != nil {
		return Session{}, store.DBFault(err, store.AIFile)
	}
	s.Created, s.Expires = time.UnixMilli(created).UTC(), time.UnixMilli(expires).UTC()
	if proved > 0 {
		s.ProvedAt = time.UnixMilli(proved).UTC()
	}
	if !p.o.Now().Before(s.Expires) {
		return Session{}, ended
	}
	return s, nil
}

// CloseSession ends a session. Ending it twice is ending it once.
func (p *Operator) CloseSession(ctx context.Context, cookie string) error {
	if _, err := p.Session(ctx, cookie); err != nil {
		if fault.CodeOf(err) == fault.Auth {
			return nil // a made-up cookie costs no write
		}
		return err
	}
	return p.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE hash = ?`, hashOf(cookie))
		return store.DBFault(err, store.AIFile)
	})
}

// Reprove gives a session the passphrase: from now it counts as proved for
// ProvedFor. Errors are Prove's and Session's.
func (p *Operator) Reprove(ctx context.Context, cookie, pass string) error {
	s, err := p.Session(ctx, cookie)
	if err != nil {
		return err
	}
	row, err := p.prove(ctx, pass)
	if err != nil {
		return err
	}
	return p.write(ctx, func(tx *sql.Tx) error {
		// Not by a passphrase that was changed meanwhile.
		res, err := tx.ExecContext(ctx, `UPDATE sessions SET proved_at = ? WHERE hash = ? AND EXISTS (SELECT 1 FROM operator WHERE id = 1 AND doc = ?)`,
			p.o.Now().UnixMilli(), s.ID, row)
		if err != nil {
			return store.DBFault(err, store.AIFile)
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return fault.New(fault.Auth, "the log-in has ended").Hintf("log in again")
		}
		return nil
	})
}

// Proved returns until when a session counts as proved; zero when it does not. A
// clock that was set back proves nothing.
func (p *Operator) Proved(ctx context.Context, cookie string) (time.Time, error) {
	s, err := p.Session(ctx, cookie)
	if err != nil || s.ProvedAt.IsZero() {
		return time.Time{}, err
	}
	now, until := p.o.Now(), s.ProvedAt.Add(ProvedFor)
	if now.Before(s.ProvedAt) || !now.Before(until) {
		return time.Time{}, nil
	}
	return until, nil
}
