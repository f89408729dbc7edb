package connection

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Options is what a Store works with.
type Options struct {
	// DB opens <Home>/ai.db. It is asked only once there is something to write, or
	// the file is there: looking makes no file.
	DB   func(ctx context.Context) (*sql.DB, error)
	Home string
	Env  func(name string) (string, bool)
	Now  func() time.Time
	// Record writes an event; nil writes none.
	Record func(ctx context.Context, d telemetry.Draft) error
	// Dial makes the client of a connection: Name, BaseURL and Key are filled in.
	Dial func(provider.Options) (ai.Model, error)
	// Loaded hears of every secret before it is used, for the redactor; it may be nil.
	Loaded func(secret string)
	// Own reports whether a value is one of our own secrets; it may be nil.
	Own func(secret string) bool
	// Reserved are variables that no connection may name: our own secrets.
	Reserved []string
}

// Store keeps connections. It is safe for concurrent use, also by several processes.
type Store struct{ o Options }

// New returns a Store. It opens nothing.
func New(o Options) *Store { return &Store{o} }

// look returns the database, nil while there is none.
func (s *Store) look(ctx context.Context) (*sql.DB, error) {
	if _, err := os.Lstat(filepath.Join(s.o.Home, store.AIFile)); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return s.o.DB(ctx)
}

// row is a connection as it is stored: what is found out when it is looked at, its
// status and whether it has a key, is not in it.
type row struct {
	id, name string
	status   Status
	version  int64
	created  time.Time
	updated  time.Time
	doc      doc
}

// doc is what has no column of its own.
type doc struct {
	Provider   string          `json:"provider"`
	Service    string          `json:"service"`
	BaseURL    string          `json:"baseUrl"`
	Model      string          `json:"model,omitempty"`
	Tiers      map[Tier]string `json:"tiers,omitempty"`
	Identity   Identity        `json:"identity"`
	Tools      ai.Preset       `json:"tools"`
	Caps       Caps            `json:"caps"`
	Prices     Prices          `json:"prices,omitempty"`
	Default    bool            `json:"default,omitempty"`
	KeyEnv     string          `json:"keyEnv,omitempty"`
	KeyFree    bool            `json:"keyFree,omitempty"` // it answers without a key
	Hint       string          `json:"hint,omitempty"`    // of the sealed key
	LastError  string          `json:"lastError,omitempty"`
	Models     []string        `json:"models,omitempty"`
	NoList     bool            `json:"noList,omitempty"` // the provider has no list of models
	VerifiedAt int64           `json:"verifiedAt,omitempty"`
}

const columns = `id, name, doc, status, version, created_at, updated_at`

func scan(r interface{ Scan(...any) error }) (row, error) {
	var c row
	var text string
	var created, updated int64
	if err := r.Scan(&c.id, &c.name, &text, &c.status, &c.version, &created, &updated); err != nil {
		return row{}, err
	}
	c.created, c.updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
	// The decoder's error may quote what is stored: it stays in the cause.
	if err := json.Unmarshal([]byte(text), &c.doc); err != nil {
		return row{}, fault.Wrap(err, fault.StateUnusable, "connection %s in %s can't be read", clean(c.name, 64), store.AIFile).
			Hintf("restore %s from a backup, or remove the connection: ape-claw ai connections remove %s", store.AIFile, clean(c.name, 64))
	}
	return c, nil
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func rows(ctx context.Context, q querier) ([]row, error) {
	rs, err := q.QueryContext(ctx, `SELECT `+columns+` FROM connections ORDER BY created_at, id`)
	if err != nil {
		return nil, store.DBFault(err, store.AIFile)
	}
	defer rs.Close() //nolint:errcheck // Err says what went wrong
	var out []row
	for rs.Next() {
		c, err := scan(rs)
		if err != nil {
			return nil, store.DBFault(err, store.AIFile)
		}
		out = append(out, c)
	}
	return out, store.DBFault(rs.Err(), store.AIFile)
}

// find returns the connection of a name or an id.
func find(ctx context.Context, q querier, ref string) (row, error) {
	c, err := scan(q.QueryRowContext(ctx, `SELECT `+columns+` FROM connections WHERE name = ? OR id = ?`, fold(ref), ref))
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, unknown()
	}
	return c, store.DBFault(err, store.AIFile)
}

// unknown does not say what was asked for: it may be a key in the wrong place.
func unknown() error {
	return fault.New(fault.NotFound, "there is no connection of this name").Hintf("ape-claw ai connections list")
}

func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// write runs f in one transaction that no other writer is inside of.
func (s *Store) write(ctx context.Context, f func(tx *sql.Tx) error) error {
	db, err := s.o.DB(ctx)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return store.DBFault(err, store.AIFile)
	}
	if err := f(tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	return store.DBFault(tx.Commit(), store.AIFile)
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// put stores a changed connection and returns it as it is now.
func (s *Store) put(ctx context.Context, tx *sql.Tx, c row) (row, error) {
	text, err := json.Marshal(c.doc)
	if err != nil {
		return row{}, err
	}
	c.version++
	c.updated = s.o.Now().UTC().Truncate(time.Millisecond)
	_, err = tx.ExecContext(ctx, `UPDATE connections SET name = ?, doc = ?, status = ?, version = ?, updated_at = ? WHERE id = ?`,
		c.name, string(text), c.status, c.version, c.updated.UnixMilli(), c.id)
	return c, store.DBFault(err, store.AIFile)
}

// List returns all connections, the oldest first.
func (s *Store) List(ctx context.Context) ([]Connection, error) {
	db, err := s.look(ctx)
	if err != nil || db == nil {
		return []Connection{}, err
	}
	all, err := rows(ctx, db)
	if err != nil {
		return nil, err
	}
	out := make([]Connection, 0, len(all))
	for _, r := range all {
		c, err := s.shown(ctx, db, r)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// Show returns a connection by its name or id; one that does not exist is a
// fault.NotFound.
func (s *Store) Show(ctx context.Context, ref string) (Connection, error) {
	db, err := s.look(ctx)
	if err == nil && db == nil {
		err = unknown()
	}
	if err != nil {
		return Connection{}, err
	}
	r, err := find(ctx, db, ref)
	if err != nil {
		return Connection{}, err
	}
	return s.shown(ctx, db, r)
}

// shown is a connection with what is true of it now.
func (s *Store) shown(ctx context.Context, q querier, r row) (Connection, error) {
	d := r.doc
	c := Connection{ID: r.id, Name: r.name, Provider: d.Provider, Service: d.Service, BaseURL: d.BaseURL, Model: d.Model, Tiers: d.Tiers,
		Identity: d.Identity, Tools: d.Tools, Caps: d.Caps, Prices: d.Prices, Default: d.Default, Status: r.status, LastError: clean(d.LastError, maxError),
		Models: append([]string{}, d.Models...), Version: r.version, CreatedAt: r.created, UpdatedAt: r.updated}
	if d.VerifiedAt > 0 {
		c.VerifiedAt = time.UnixMilli(d.VerifiedAt).UTC()
	}
	var err error
	if c.Key, err = s.keyOf(ctx, q, r); err != nil || c.Status != Active {
		return c, err
	}
	if !c.Key.Has && !d.KeyFree {
		c.Status = ReauthRequired
		return c, nil
	}
	u, err := usageOf(ctx, q, r.id, dayOf(s.o.Now()))
	if err == nil && d.Caps.reached(u) != nil {
		c.Status = Capped
	}
	return c, err
}
