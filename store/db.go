package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// File names of the databases.
const (
	MoneyFile = "money.db"    // in the home: spend ledger and transaction journal
	StateFile = "ape-claw.db" // in the state directory: quotes and the rest
	AIFile    = "ai.db"       // in the home: AI connections, sealed secrets, the operator's sessions
)

// busyTimeout is how long a statement waits for another process's lock.
const busyTimeout = 5 * time.Second

// isBusy reports whether another connection holds a lock that err is about.
func isBusy(err error) bool {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return false
	}
	code := se.Code() & 0xff
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// OpenMoney opens <home>/money.db and brings it to the current schema.
// Failures are fault.StateUnusable: nothing may be spent without it.
func OpenMoney(ctx context.Context, home string) (*sql.DB, error) {
	return open(ctx, filepath.Join(home, MoneyFile), moneySet)
}

// OpenState opens <state>/ape-claw.db and brings it to the current schema.
func OpenState(ctx context.Context, stateDir string) (*sql.DB, error) {
	return open(ctx, filepath.Join(stateDir, StateFile), stateSet)
}

// OpenAI opens <home>/ai.db and brings it to the current schema.
func OpenAI(ctx context.Context, home string) (*sql.DB, error) {
	return open(ctx, filepath.Join(home, AIFile), aiSet)
}

// open opens a database in WAL mode with full syncs, so that what a committed
// transaction wrote survives power loss, and with immediate transactions, so that
// a read followed by a write can't lose a race after its check. The schema is not
// trusted: what a stranger put into it may call no function with side effects.
func open(ctx context.Context, path string, set schemaSet) (*sql.DB, error) {
	if err := EnsureDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := precreate(path); err != nil {
		return nil, err
	}
	dsn := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: strings.Join([]string{
		"_pragma=busy_timeout(" + strconv.FormatInt(busyTimeout.Milliseconds(), 10) + ")", "_pragma=synchronous(full)",
		"_pragma=foreign_keys(on)", "_pragma=trusted_schema(off)", "_txlock=immediate",
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

// precreate makes the file with mode 0600 before SQLite would make it 0644,
// tightens one that was left loose, and refuses one that is not a plain file of
// ours, with the files that SQLite keeps beside it: SQLite itself follows links.
// A file that is there is looked at and not opened: closing it again would drop
// the locks (fcntl) that this process has on it through another connection.
func precreate(path string) error {
	fi, err := lstatPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(path); errors.Is(err, fs.ErrExist) {
			err = CheckPrivate(path) // another process was faster
		}
	} else if err == nil && fi.Mode().Perm()&0o077 != 0 {
		err = tighten(path)
	}
	if err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := CheckPrivate(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func create(path string) error {
	f, err := OpenPrivate(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return unusable(err, path)
	}
	return nil
}

func tighten(path string) error {
	f, err := OpenPrivate(path, os.O_RDWR)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(FilePerm), f.Close()); err != nil {
		return unusable(err, path)
	}
	return nil
}

// dbFault names what is wrong with a database in words; SQLite's text stays in
// the cause.
func dbFault(err error, path string) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	shown := Display(path)
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(err, fault.Conflict, "%s did not answer in time", shown).
			Hintf("look for another ape-claw that keeps it locked, and for a slow disk; then run it again")
	}
	if isBusy(err) {
		return fault.Wrap(err, fault.Conflict, "%s is locked by another process", shown).Hintf("wait for the other ape-claw to end")
	}
	var se *sqlite.Error
	if errors.As(err, &se) {
		switch se.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return fault.Wrap(err, fault.StateUnusable, "%s is corrupt or not a database", shown).
				Hintf("restore it from a backup; do not delete it if it holds unresolved transactions")
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
			return fault.Wrap(err, fault.StateUnusable, "%s can't be written: disk full or input/output error", shown).
				Hintf("free some space and check the disk; what was committed is not lost")
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
			return fault.Wrap(err, fault.StateUnusable, "%s can't be opened for writing", shown).
				Hintf("fix the owner and mode of it (chmod 600) and of its directory (chmod 700)")
		}
	}
	return fault.Wrap(err, fault.StateUnusable, "%s can't be used", shown).
		Hintf("check the file and its disk; restore it from a backup if something else than ape-claw has changed it")
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
