package operator

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Cost is argon2id's: passes over the memory, memory in KiB, lanes.
type Cost struct {
	Time    uint32 `json:"time"`
	Memory  uint32 `json:"memory"`
	Threads uint8  `json:"threads"`
}

// DefaultCost is the second recommendation of RFC 9106, section 4, which is for
// where memory is scarce: a try is some tenths of a second and 64 MiB.
var DefaultCost = Cost{Time: 3, Memory: 64 << 10, Threads: 4}

// maxCost bounds what a stored cost may be: a changed row must not take the
// machine's memory.
var maxCost = Cost{Time: 16, Memory: 1 << 20, Threads: 16}

const (
	saltBytes = 16
	hashBytes = 32
	minPhrase = 8
	maxPhrase = 1024 // in bytes
)

// phrase is what is stored of a passphrase.
type phrase struct {
	Kind string `json:"kind"`
	Cost Cost   `json:"cost"`
	Salt []byte `json:"salt"`
	Hash []byte `json:"hash"`
}

const kindArgon2id = "argon2id"

func (c Cost) hash(pass string, salt []byte) []byte {
	return argon2.IDKey([]byte(pass), salt, c.Time, c.Memory, c.Threads, hashBytes)
}

func (c Cost) valid() bool {
	return c.Time > 0 && c.Memory > 0 && c.Threads > 0 && c.Time <= maxCost.Time && c.Memory <= maxCost.Memory && c.Threads <= maxCost.Threads
}

// Check says whether a passphrase can be one.
func Check(pass string) error {
	if !utf8.ValidString(pass) || len(pass) > maxPhrase || utf8.RuneCountInString(pass) < minPhrase ||
		strings.TrimSpace(pass) != pass || strings.ContainsFunc(pass, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fault.New(fault.Usage, "a passphrase has %d characters or more, all printable, and no space at its ends", minPhrase).
			Hintf("a few words that nobody would guess")
	}
	return nil
}

// stored is the row of the passphrase.
type stored struct {
	phrase
	text   string // as it stands in the row
	wrong  int
	locked time.Time
}

func load(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (stored, bool, error) {
	var s stored
	var locked int64
	err := q.QueryRowContext(ctx, `SELECT doc, wrong, locked_until FROM operator WHERE id = 1`).Scan(&s.text, &s.wrong, &locked)
	if errors.Is(err, sql.ErrNoRows) {
		return s, false, nil
	}
	if err != nil {
		return s, false, store.DBFault(err, store.AIFile)
	}
	s.locked = time.UnixMilli(locked)
	if err := json.Unmarshal([]byte(s.text), &s.phrase); err != nil || s.Kind != kindArgon2id || !s.Cost.valid() || len(s.Hash) != hashBytes || len(s.Salt) == 0 {
		return s, false, fault.Wrap(err, fault.StateUnusable, "what %s holds of the passphrase can't be read", store.AIFile).
			Hintf("restore %s from a backup", store.AIFile)
	}
	return s, true, nil
}

// Initialized reports whether there is a passphrase.
func (p *Operator) Initialized(ctx context.Context) (bool, error) {
	db, err := p.look(ctx)
	if err != nil || db == nil {
		return false, err
	}
	_, ok, err := load(ctx, db)
	return ok, err
}

// Init sets the passphrase, or changes it from old, which is "" the first time. A
// change ends every browser session.
func (p *Operator) Init(ctx context.Context, old, next string) error {
	if err := Check(next); err != nil {
		return err
	}
	made, err := p.Initialized(ctx)
	if err != nil {
		return err
	}
	var was string
	if made {
		if was, err = p.prove(ctx, old); err != nil {
			return err
		}
	}
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // it never fails: the program ends instead
	text, err := json.Marshal(phrase{kindArgon2id, p.o.Cost, salt, p.o.Cost.hash(next, salt)})
	if err != nil {
		return err
	}
	return p.write(ctx, func(tx *sql.Tx) error {
		// What was proved must be what is replaced, and what was not there must not be.
		res, err := tx.ExecContext(ctx, `INSERT INTO operator (id, doc, updated_at) VALUES (1, ?, ?)
			ON CONFLICT (id) DO UPDATE SET doc = excluded.doc, wrong = 0, locked_until = 0, updated_at = excluded.updated_at WHERE operator.doc = ?`,
			string(text), p.o.Now().UnixMilli(), was)
		if err != nil {
			return store.DBFault(err, store.AIFile)
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return fault.New(fault.Conflict, "the passphrase was set by somebody else just now").Hintf("ape-claw ai auth init, with that one")
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions`)
		return store.DBFault(err, store.AIFile)
	})
}

// Prove returns nil for the passphrase. A wrong one is a fault.ReauthRequired; after
// MaxWrong of them in a row nothing is tried for LockTime: fault.LockedOut.
func (p *Operator) Prove(ctx context.Context, pass string) error {
	_, err := p.prove(ctx, pass)
	return err
}

// prove counts the try before it makes it, so that tries at the same time, in
// however many processes, are no more than those that may be made. A try whose
// process is killed meanwhile stays counted.
func (p *Operator) prove(ctx context.Context, pass string) (row string, err error) {
	made, err := p.Initialized(ctx)
	if err != nil {
		return "", err
	}
	if !made {
		return "", errNone()
	}
	var s stored
	err = p.write(ctx, func(tx *sql.Tx) (err error) {
		var ok bool
		if s, ok, err = load(ctx, tx); err != nil || !ok {
			return errors.Join(err, errIf(!ok && err == nil, errNone))
		}
		now := p.o.Now()
		if now.Before(s.locked) {
			return lockedOut(s.locked.Sub(now))
		}
		if s.wrong >= MaxWrong { // the lock has ended
			s.wrong = 0
		}
		s.wrong++
		var until int64
		if s.wrong >= MaxWrong {
			until = now.Add(LockTime).UnixMilli()
		}
		_, err = tx.ExecContext(ctx, `UPDATE operator SET wrong = ?, locked_until = ? WHERE id = 1`, s.wrong, until)
		return store.DBFault(err, store.AIFile)
	})
	if err != nil {
		return "", err
	}
	if len(pass) > maxPhrase || subtle.ConstantTimeCompare(s.Cost.hash(pass, s.Salt), s.Hash) != 1 {
		if s.wrong >= MaxWrong {
			return "", lockedOut(LockTime)
		}
		return "", fault.New(fault.ReauthRequired, "this is not the passphrase").
			Hintf("try again; %d wrong ones in a row lock it for %d minutes", MaxWrong, int(LockTime.Minutes()))
	}
	return s.text, p.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE operator SET wrong = 0, locked_until = 0 WHERE id = 1 AND doc = ?`, s.text)
		return store.DBFault(err, store.AIFile)
	})
}

func errIf(is bool, err func() error) error {
	if is {
		return err()
	}
	return nil
}

func lockedOut(left time.Duration) error {
	left = (left + time.Second - 1).Truncate(time.Second)
	return fault.New(fault.LockedOut, "too many wrong tries, and none is taken for %s", left).
		Hintf("wait that long").With("retryAfterSeconds", int(left/time.Second))
}
