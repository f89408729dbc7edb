package operator

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AgentID is who the operator is over HTTP. No agent can be registered so.
const AgentID = "operator"

// Limits of the passphrase and of what it opens.
const (
	MaxWrong    = 5                // wrong tries in a row, by whatever process
	LockTime    = 15 * time.Minute // after them
	ProvedFor   = 10 * time.Minute // how long a session counts as proved
	SessionLife = 12 * time.Hour   // from the log-in, used or not
	maxSessions = 64               // the oldest go first
)

// Options is what an Operator works with.
type Options struct {
	// DB opens <Home>/ai.db. It is asked only once there is something to write, or
	// the file is there.
	DB   func(ctx context.Context) (*sql.DB, error)
	Home string
	Now  func() time.Time
	// Cost is what a try costs; its zero is DefaultCost. Tests take a cheap one.
	Cost Cost
}

// Operator is the person. It is safe for concurrent use, also by several processes.
type Operator struct{ o Options }

// New returns an Operator. It opens nothing.
func New(o Options) *Operator {
	if o.Cost == (Cost{}) {
		o.Cost = DefaultCost
	}
	return &Operator{o}
}

// look returns the database, nil while there is none.
func (p *Operator) look(ctx context.Context) (*sql.DB, error) {
	if _, err := os.Lstat(filepath.Join(p.o.Home, store.AIFile)); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return p.o.DB(ctx)
}

// write runs f in one transaction that no other writer is inside of.
func (p *Operator) write(ctx context.Context, f func(tx *sql.Tx) error) error {
	db, err := p.o.DB(ctx)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return store.DBFault(err, store.AIFile)
	}
	if err := f(tx); err != nil {
		if undo := tx.Rollback(); undo != nil && !errors.Is(undo, sql.ErrTxDone) {
			return errors.Join(err, undo)
		}
		return err
	}
	return store.DBFault(tx.Commit(), store.AIFile)
}

// errNone is what asks for a passphrase that was never set.
func errNone() error {
	return fault.New(fault.ReauthRequired, "there is no passphrase yet").Hintf("ape-claw ai auth init, at a terminal")
}
