package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

//go:embed migrations
var migrations embed.FS

// schemaSet is one kind of database. Its id is in the file's header (PRAGMA
// application_id), so that one kind is never taken for the other.
type schemaSet struct {
	name string // directory of its migrations
	id   int64
	what string // for messages
}

// The kinds of databases. Their ids are "apcM", "apcS" and "apcA" in ASCII, and never change.
var (
	moneySet = schemaSet{"money", 0x6170634d, "money database (" + MoneyFile + ")"}
	stateSet = schemaSet{"state", 0x61706353, "state database (" + StateFile + ")"}
	aiSet    = schemaSet{"ai", 0x61706341, "AI database (" + AIFile + ")"}
)

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

// migrate brings the database to the current schema. It writes nothing before the
// file is known to be new, or ours and of this kind.
func migrate(ctx context.Context, db *sql.DB, path string, set schemaSet) error {
	list, err := loadMigrations(set.name)
	if err != nil {
		return err
	}
	have, err := set.version(ctx, db, path, len(list))
	if err != nil {
		return err
	}
	if err := useWAL(ctx, db); err != nil {
		return dbFault(err, path)
	}
	if have == len(list) {
		return nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return dbFault(err, path)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it says "done", before it there is nothing to add
	// Another process may have migrated while we waited for the lock.
	if have, err = set.version(ctx, tx, path, len(list)); err != nil {
		return err
	}
	for _, m := range list[have:] {
		if _, err := tx.ExecContext(ctx, m.sql); err != nil {
			return dbFault(err, path)
		}
	}
	for pragma, value := range map[string]int64{"application_id": set.id, "user_version": int64(len(list))} {
		if _, err := tx.ExecContext(ctx, "PRAGMA "+pragma+" = "+strconv.FormatInt(value, 10)); err != nil {
			return dbFault(err, path)
		}
	}
	if err := tx.Commit(); err != nil {
		return dbFault(err, path)
	}
	return nil
}

// walWait is how often, and walTries how many times, the switch to WAL is tried:
// together the busy timeout of every other statement.
const (
	walWait  = 10 * time.Millisecond
	walTries = int(busyTimeout / walWait)
)

// useWAL switches the file to WAL mode, which stays in it. SQLite does not wait
// for the lock that this takes, whatever the busy timeout: several processes that
// open a new database at once would turn each other away.
func useWAL(ctx context.Context, db *sql.DB) error {
	pause := time.NewTimer(0)
	defer pause.Stop()
	var err error
	for range walTries {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-pause.C:
		}
		if _, err = db.ExecContext(ctx, "PRAGMA journal_mode = wal"); !isBusy(err) {
			return err
		}
		pause.Reset(walWait)
	}
	return err
}

// aboutFile is one statement, and so one snapshot: another process may be creating
// the same database. Our schemas have tables and indexes only; views, triggers and
// virtual tables have no pages of their own.
const aboutFile = `SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
	count(*), total((type IS NOT 'table' AND type IS NOT 'index') OR coalesce(rootpage, 0) = 0) > 0 FROM sqlite_schema`

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version returns the schema version of the database, 0 when it is new. Known is
// the latest that this program has.
func (set schemaSet) version(ctx context.Context, q queryer, path string, known int) (int, error) {
	var id, version, objects int64
	var strange bool
	if err := q.QueryRowContext(ctx, aboutFile).Scan(&id, &version, &objects, &strange); err != nil {
		return 0, dbFault(err, path)
	}
	shown := Display(path)
	refuse := func(format string, args ...any) error {
		return fault.New(fault.StateUnusable, "%s "+format, append([]any{shown}, args...)...).
			Hintf("nothing was written to it; move it away if it does not belong there, or choose another directory")
	}
	if id == 0 && version == 0 && objects == 0 {
		return 0, nil
	}
	for _, other := range []schemaSet{moneySet, stateSet, aiSet} {
		if id == other.id && other != set {
			return 0, refuse("is ape-claw's %s, not its %s", other.what, set.what)
		}
	}
	switch {
	case id != set.id:
		return 0, refuse("is a database of another program")
	case version > int64(known):
		return 0, fault.New(fault.StateUnusable, "%s has schema %d and this ape-claw knows up to %d", shown, version, known).
			Hintf("use the newer ape-claw that wrote it, or another directory")
	case version < 1:
		return 0, refuse("has schema %d, which no ape-claw writes", version)
	case strange:
		return 0, refuse("holds a view, a trigger or a virtual table, which no ape-claw makes")
	}
	return int(version), nil
}
