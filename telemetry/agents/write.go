package agents

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// While another process holds the write lock, a write asks again for so long,
// and so often.
const (
	writePatience = 5 * time.Second
	writeAgain    = 50 * time.Millisecond
)

// write runs do in a transaction, all or nothing. The database has one
// connection, and the check of every token and cookie needs it: a write that has
// to wait for another process gives it back in between, so that nobody waits
// with it.
func (r *Registry) write(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	patience, stop := context.WithTimeout(ctx, writePatience)
	defer stop()
	for {
		began, err := tryWrite(ctx, db, do)
		if began {
			r.changes.Add(1)
		}
		if began || fault.CodeOf(err) != fault.Conflict {
			return err
		}
		again := time.NewTimer(writeAgain)
		select {
		case <-again.C:
		case <-patience.Done():
			again.Stop()
			return err
		}
	}
}

// tryWrite is write without patience; began says that do was called.
func tryWrite(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) (began bool, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, store.DBFault(err, store.StateFile)
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool
	var waits int
	if err := conn.QueryRowContext(ctx, `PRAGMA busy_timeout`).Scan(&waits); err != nil {
		return false, store.DBFault(err, store.StateFile)
	}
	tx, err := beginNow(ctx, conn, waits)
	if err != nil {
		return false, store.DBFault(err, store.StateFile)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit there is nothing to roll back
	if err := do(tx); err != nil {
		return true, err
	}
	return true, store.DBFault(tx.Commit(), store.StateFile)
}

// beginNow begins a transaction if that can be done at once. The connection waits
// for others as before afterwards.
func beginNow(ctx context.Context, conn *sql.Conn, waits int) (tx *sql.Tx, err error) {
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 0`); err != nil {
		return nil, err
	}
	restore := fmt.Sprintf(`PRAGMA busy_timeout = %d`, waits)
	if tx, err = conn.BeginTx(ctx, nil); err != nil {
		_, again := conn.ExecContext(context.WithoutCancel(ctx), restore)
		return nil, errors.Join(err, again)
	}
	if _, err := tx.ExecContext(ctx, restore); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}
