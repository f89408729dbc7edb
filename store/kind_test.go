package store_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// sqlite makes a database that is not opened by this package.
func sqlite(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// TestOtherDatabasesAreRefused: a file that is not a database of the kind that is
// asked for stays as it is, byte for byte.
func TestOtherDatabasesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		make       func(t *testing.T, path string)
	}{
		{"money for state", "is ape-claw's money database (money.db), not its state database", func(t *testing.T, path string) {
			home := t.TempDir()
			if err := errors.Join(openClose(store.OpenMoney, home), os.Rename(filepath.Join(home, store.MoneyFile), path)); err != nil {
				t.Fatal(err)
			}
		}},
		{"another program's", "of another program", func(t *testing.T, path string) { sqlite(t, path, "CREATE TABLE t (x)") }},
		{"another program's, empty", "of another program", func(t *testing.T, path string) { sqlite(t, path, "PRAGMA user_version = 7") }},
		{"another program's, marked", "of another program", func(t *testing.T, path string) { sqlite(t, path, "PRAGMA application_id = 7") }},
		{"ours, without a version", "has schema 0", func(t *testing.T, path string) {
			ours(t, path, "PRAGMA user_version = 0")
		}},
		{"ours, with a negative version", "has schema -4", func(t *testing.T, path string) {
			ours(t, path, "PRAGMA user_version = -4")
		}},
		{"ours, with a view", "holds a view", func(t *testing.T, path string) {
			ours(t, path, "DROP TABLE simulations", `CREATE VIEW simulations AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id FROM r) SELECT * FROM r`)
		}},
		{"ours, with a trigger", "holds a view", func(t *testing.T, path string) {
			ours(t, path, "CREATE TRIGGER tr AFTER INSERT ON quotes BEGIN DELETE FROM quotes; END")
		}},
		{"ours, newer", "has schema 99", func(t *testing.T, path string) { ours(t, path, "PRAGMA user_version = 99") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, store.StateFile)
			c.make(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			err = openClose(store.OpenState, dir)
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.StateUnusable || !strings.Contains(f.Message, c.want) || f.Hint == "" {
				t.Errorf("%v, want %q and a hint", err, c.want)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the file was changed, %v", err)
			}
		})
	}
}

// ours makes a state database and has another program change it.
func ours(t *testing.T, path string, statements ...string) {
	t.Helper()
	if err := openClose(store.OpenState, filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	sqlite(t, path, statements...)
}

func TestOwnDatabasesOpenAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		if err := errors.Join(openClose(store.OpenMoney, dir), openClose(store.OpenState, dir)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDBFaultsHaveHints(t *testing.T) {
	t.Parallel()
	db := openMoney(t, t.TempDir())
	_, err := db.Exec("SELECT * FROM no_such_table")
	if f := fault.From(store.DBFault(err, "money.db")); f.Code != fault.StateUnusable || f.Hint == "" {
		t.Errorf("%v, hint %q", f, f.Hint)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var n int
	err = db.QueryRowContext(ctx, "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r").Scan(&n)
	f := fault.From(store.DBFault(err, "money.db"))
	if f.Code != fault.Conflict || !errors.Is(f, context.DeadlineExceeded) || f.Hint == "" {
		t.Errorf("an endless query: %v (%v), hint %q", f, err, f.Hint)
	}
}
