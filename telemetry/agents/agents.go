package agents

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TokenPrefix starts every token, so that redactors know one when they see it.
const TokenPrefix = "claw_"

const (
	// maxName bounds what an agent may be called, in characters.
	maxName = 100
	// maxAgents is how many there can be: who may register may do so again and again.
	maxAgents = 10_000
)

// Agent is a registered agent, without its token.
type Agent struct {
	ID      string
	Name    string
	Enabled bool
	Created time.Time
	Rotated time.Time // when its token was last replaced; zero: never
}

// Proof says who a caller proved to be, and names the proof, so that a long
// stream can ask later whether it still holds. There is no secret in it.
type Proof struct {
	AgentID string
	Expires time.Time // of a session; zero for a token
	// Key names a proof that somebody else than a Registry gave. It is no secret.
	Key string

	generation int64
	session    [sha256.Size]byte // zero for a token
}

// Registry keeps the agents in the state database. It is safe for concurrent use.
type Registry struct {
	db      Opener
	now     func() time.Time
	changes atomic.Int64 // made through this Registry
}

// Opener returns the state database. With create unset it returns nil while
// there is none, so that looking for an agent makes no file.
type Opener func(ctx context.Context, create bool) (*sql.DB, error)

// New returns a Registry over the database that open returns.
func New(open Opener, now func() time.Time) *Registry { return &Registry{db: open, now: now} }

var idForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{1,63}$`)

// CheckID returns a fault.Usage unless id can be an agent's. What looks like a
// token is none: it would be redacted wherever it stands.
func CheckID(id string) error {
	if idForm.MatchString(id) && !strings.HasPrefix(id, TokenPrefix) && !strings.HasPrefix(id, InvitePrefix) && !strings.HasPrefix(id, "sk-") {
		return nil
	}
	return fault.New(fault.Usage, "an agent id is 2 to 64 lower-case letters, digits, _ and -, a letter or digit first").
		Hintf("ape-claw clawbot register --agent-id my-agent-1")
}

// reserved are ids that events bear which no agent sent: whoever had one could pass
// for the person at the machine.
var reserved = []string{telemetry.DefaultAgentID}

// Operator is the id of the person who approves what models propose. No agent has
// it: a Registry neither gives it nor takes it for one of its own.
const Operator = "operator"

func checkNew(id string) error {
	if slices.Contains(reserved, id) {
		return fault.New(fault.Usage, "%q is who events are from when no agent is named: no agent can be called so", id).
			Hintf("choose another: ape-claw clawbot register --agent-id my-agent-1")
	}
	if id == Operator {
		return fault.New(fault.Usage, "%q is the person who approves what models propose: no agent can be called so", id).
			Hintf("choose another: ape-claw clawbot register --agent-id my-agent-1")
	}
	return CheckID(id)
}

func checkName(name string) error {
	bad := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if bad || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName {
		return fault.New(fault.Usage, "the name of an agent is at most %d printable characters", maxName).
			Hintf("a short one, or none: it is the id then")
	}
	return nil
}

// newToken returns a token of 256 random bits and what is stored of it.
func newToken(prefix string) (token string, hash [sha256.Size]byte) {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails: the program ends instead
	token = prefix + base64.RawURLEncoding.EncodeToString(b[:])
	return token, sha256.Sum256([]byte(token))
}

// Register adds an agent and returns its token, which nothing can show again.
// An empty name is the id. An id that is taken is a fault.Conflict.
func (r *Registry) Register(ctx context.Context, id, name string) (Agent, string, error) {
	return r.register(ctx, id, name, func(*sql.Tx) error { return nil })
}

// register adds an agent if first agrees, in one transaction with what that does.
func (r *Registry) register(ctx context.Context, id, name string, first func(*sql.Tx) error) (Agent, string, error) {
	if name = strings.TrimSpace(name); name == "" {
		name = id
	}
	if err := errors.Join(checkNew(id), checkName(name)); err != nil {
		return Agent{}, "", err
	}
	db, err := r.db(ctx, true)
	if err != nil {
		return Agent{}, "", err
	}
	token, hash := newToken(TokenPrefix)
	a := Agent{ID: id, Name: name, Enabled: true, Created: r.now().UTC().Truncate(time.Millisecond)}
	err = r.write(ctx, db, func(tx *sql.Tx) error {
		if err := first(tx); err != nil {
			return err
		}
		if err := room(ctx, tx, 1); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO agents (id, name, token_hash, generation, enabled, created_at)
			VALUES (?, ?, ?, 1, 1, ?) ON CONFLICT (id) DO NOTHING`, id, name, hash[:], a.Created.UnixMilli())
		if err != nil {
			return store.DBFault(err, store.StateFile)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return fault.New(fault.Conflict, "agent %q is already registered", id).
				Hintf("for a new token, on the machine that it is registered on: ape-claw clawbot rotate --agent-id %s", id)
		}
		return nil
	})
	if err != nil {
		return Agent{}, "", err
	}
	return a, token, nil
}

// room refuses more agents than there can be.
func room(ctx context.Context, tx *sql.Tx, more int) error {
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM agents`).Scan(&n); err != nil {
		return store.DBFault(err, store.StateFile)
	}
	if n+more > maxAgents {
		return fault.New(fault.Conflict, "%d agents are registered, and there can be %d", n, maxAgents).
			Hintf("start another state directory: APE_CLAW_STATE_DIR=./state-2 ape-claw serve")
	}
	return nil
}

// List returns all agents, the oldest first.
func (r *Registry) List(ctx context.Context) ([]Agent, error) { return r.list(ctx, "") }

// list returns the agents, or the one of that id.
func (r *Registry) list(ctx context.Context, id string) ([]Agent, error) {
	db, err := r.db(ctx, false)
	if err != nil || db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT id, name, enabled, created_at, coalesce(rotated_at, 0) FROM agents
		WHERE ?1 = '' OR id = ?1 ORDER BY created_at, id`, id)
	if err != nil {
		return nil, store.DBFault(err, store.StateFile)
	}
	defer rows.Close() //nolint:errcheck // Err says what went wrong
	var out []Agent
	for rows.Next() {
		var a Agent
		var created, rotated int64
		if err := rows.Scan(&a.ID, &a.Name, &a.Enabled, &created, &rotated); err != nil {
			return nil, store.DBFault(err, store.StateFile)
		}
		a.Created = time.UnixMilli(created).UTC()
		if rotated != 0 {
			a.Rotated = time.UnixMilli(rotated).UTC()
		}
		out = append(out, a)
	}
	return out, store.DBFault(rows.Err(), store.StateFile)
}

// Enabled counts the agents that may call.
func (r *Registry) Enabled(ctx context.Context) (int, error) {
	list, err := r.List(ctx)
	n := 0
	for _, a := range list {
		if a.Enabled {
			n++
		}
	}
	return n, err
}

// Refused is the one answer to credentials that are not accepted: which ids
// exist, and which are revoked, is nobody's business.
func Refused() *fault.Error {
	return fault.New(fault.Auth, "these agent credentials are not accepted").
		Hintf("on the machine that serves: ape-claw clawbot list, then ape-claw clawbot rotate --agent-id <id> for a new token")
}

// Verify returns the proof that the caller is id. Whatever is wrong, unknown and
// revoked ids included, is the same error after the same work: one hash, one
// comparison in constant time.
func (r *Registry) Verify(ctx context.Context, id, token string) (Proof, error) {
	hash := sha256.Sum256([]byte(token))
	a, err := r.find(ctx, id)
	if err != nil {
		return Proof{}, err
	}
	if subtle.ConstantTimeCompare(hash[:], a.hash[:])&a.enabled != 1 {
		return Proof{}, Refused()
	}
	return Proof{AgentID: id, generation: a.generation}, nil
}

// record is what is stored about an agent for a check of its token.
type record struct {
	hash       [sha256.Size]byte
	generation int64
	enabled    int // 1 or 0
}

// find returns the record of id; for one that is unknown a record that no token
// fits.
func (r *Registry) find(ctx context.Context, id string) (record, error) {
	var rec record
	db, err := r.db(ctx, false)
	if err != nil || db == nil {
		return rec, err
	}
	var hash []byte
	err = db.QueryRowContext(ctx, `SELECT token_hash, generation, enabled FROM agents WHERE id = ?`, id).
		Scan(&hash, &rec.generation, &rec.enabled)
	if errors.Is(err, sql.ErrNoRows) {
		return rec, nil
	}
	copy(rec.hash[:], hash)
	return rec, store.DBFault(err, store.StateFile)
}

// Get returns an agent; one that does not exist is a fault.NotFound.
func (r *Registry) Get(ctx context.Context, id string) (Agent, error) {
	list, err := r.list(ctx, id)
	switch {
	case err != nil:
		return Agent{}, err
	case len(list) != 1 || list[0].ID != id:
		return Agent{}, unknown(id)
	}
	return list[0], nil
}

func unknown(id string) error {
	if CheckID(id) != nil {
		return CheckID(id)
	}
	return fault.New(fault.NotFound, "no agent %q is registered", id).Hintf("ape-claw clawbot list")
}

// Revoke makes the agent's token worthless and ends its sessions. Revoking twice
// is revoking once. Rotate lets it in again.
func (r *Registry) Revoke(ctx context.Context, id string) (Agent, error) {
	err := r.change(ctx, id, `UPDATE agents SET enabled = 0, generation = generation + 1 WHERE id = ?`, id)
	if err != nil {
		return Agent{}, err
	}
	return r.Get(ctx, id)
}

// Rotate gives the agent a new token and enables it; the old token and its
// sessions end.
func (r *Registry) Rotate(ctx context.Context, id string) (Agent, string, error) {
	token, hash := newToken(TokenPrefix)
	err := r.change(ctx, id, `UPDATE agents SET enabled = 1, generation = generation + 1, token_hash = ?, rotated_at = ? WHERE id = ?`,
		hash[:], r.now().UnixMilli(), id)
	if err != nil {
		return Agent{}, "", err
	}
	a, err := r.Get(ctx, id)
	return a, token, err
}

// change updates one agent and ends its sessions, all or nothing.
func (r *Registry) change(ctx context.Context, id, update string, args ...any) error {
	db, err := r.db(ctx, false)
	if err != nil {
		return err
	}
	if db == nil {
		return unknown(id)
	}
	return r.write(ctx, db, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, update, args...)
		if err != nil {
			return store.DBFault(err, store.StateFile)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return unknown(id)
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE agent_id = ?`, id)
		return store.DBFault(err, store.StateFile)
	})
}
