package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

//go:embed migrations
var migrations embed.FS

// File names of the two databases.
const (
	MoneyFile = "money.db"    // in the home: spend ledger and transaction journal
	StateFile = "ape-claw.db" // in the state directory: quotes and the rest
)

// OpenMoney opens <home>/money.db and brings it to the current schema.
// Failures are fault.StateUnusable: nothing may be spent without it.
func OpenMoney(ctx context.Context, home string) (*sql.DB, error) {
	return open(ctx, filepath.Join(home, MoneyFile), "money")
}

// OpenState opens <state>/ape-claw.db and brings it to the current schema.
func OpenState(ctx context.Context, stateDir string) (*sql.DB, error) {
	return open(ctx, filepath.Join(stateDir, StateFile), "state")
}

// open opens a database in WAL mode with full syncs, so that what a committed
// transaction wrote survives power loss, and with immediate transactions, so that
// a read followed by a write can't lose a race after its check.
func open(ctx context.Context, path, set string) (*sql.DB, error) {
	if err := EnsureDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := precreate(path); err != nil {
		return nil, err
	}
	dsn := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: strings.Join([]string{
		"_pragma=busy_timeout(5000)", "_pragma=journal_mode(wal)", "_pragma=synchronous(full)",
		"_pragma=foreign_keys(on)", "_txlock=immediate",
	}, "&")}).String()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, dbFault(err, path)
	}
	// One connection: writers would queue on SQLite's lock anyway.
	db.SetMaxOpenConns(1)
	if err := migrate(ctx, db, path, set); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// precreate makes the file with mode 0600 before SQLite would make it 0644, and
// tightens one that was left loose.
func precreate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, FilePerm)
	if err != nil {
		return unusable(err, path)
	}
	fi, err := f.Stat()
	if err == nil && fi.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(FilePerm)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return unusable(err, path)
	}
	return nil
}

type migration struct {
	version int
	sql     string
}

func loadMigrations(set string) ([]migration, error) {
	names, err := fs.Glob(migrations, "migrations/"+set+"/*.sql")
	if err != nil {
		return nil, err
	}
	var out []migration
	for _, name := range names {
		v, err := strconv.Atoi(strings.SplitN(filepath.Base(name), "_", 2)[0])
		if err != nil || v != len(out)+1 {
			return nil, fmt.Errorf("migration %s is out of order", name)
		}
		b, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, migration{v, string(b)})
	}
	return out, nil
}

func migrate(ctx context.Context, db *sql.DB, path, set string) error {
	list, err := loadMigrations(set)
	if err != nil {
		return err
	}
	have, err := schemaVersion(ctx, db, path, len(list))
	if err != nil || have == len(list) {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return dbFault(err, path)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it says "done", before it there is nothing to add
	// Another process may have migrated while we waited for the lock.
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return dbFault(err, path)
	}
	for _, m := range list[min(have, len(list)):] {
		if _, err := tx.ExecContext(ctx, m.sql); err != nil {
			return dbFault(err, path)
		}
	}
	if _, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(len(list))); err != nil {
		return dbFault(err, path)
	}
	if err := tx.Commit(); err != nil {
		return dbFault(err, path)
	}
	return nil
}

func schemaVersion(ctx context.Context, db *sql.DB, path string, known int) (int, error) {
	var have int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return 0, dbFault(err, path)
	}
	if have > known {
		return 0, fault.New(fault.StateUnusable, "%s has schema %d and this ape-claw knows up to %d", Display(path), have, known).
			Hintf("use the newer ape-claw that wrote it, or another directory")
	}
	return have, nil
}

// dbFault names what is wrong with a database in words; SQLite's text stays in
// the cause.
func dbFault(err error, path string) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	shown := Display(path)
	var se *sqlite.Error
	if errors.As(err, &se) {
		switch se.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return fault.Wrap(err, fault.Conflict, "%s is locked by another process", shown).Hintf("wait for the other ape-claw to end")
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return fault.Wrap(err, fault.StateUnusable, "%s is corrupt or not a database", shown).
				Hintf("restore it from a backup; do not delete it if it holds unresolved transactions")
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
			return fault.Wrap(err, fault.StateUnusable, "%s can't be written: disk full or input/output error", shown)
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
			return fault.Wrap(err, fault.StateUnusable, "%s can't be opened for writing", shown)
		}
	}
	return fault.Wrap(err, fault.StateUnusable, "%s can't be used", shown)
}

// DBFault is dbFault for the packages that own the queries: it turns an error of
// database/sql into a fault that names the database's file name only.
func DBFault(err error, file string) error {
	if err == nil {
		return nil
	}
	var fe *fault.Error
	if errors.As(err, &fe) {
		return err
	}
	return dbFault(err, file)
}
