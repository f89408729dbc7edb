package commands

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
)

// typedHost is a machine with nothing but a home and a state directory.
func typedHost(home, state string, out, errs *bytes.Buffer) Host {
	env := map[string]string{"APE_CLAW_HOME": home, "APE_CLAW_STATE_DIR": state}
	return Host{Stdin: bytes.NewReader(nil), Stdout: out, Stderr: errs, Now: time.Now, Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok }}
}

// The switch works while another process holds the database, and says what it could
// not do.
func TestKillWhileTheDatabaseIsLocked(t *testing.T) {
	t.Parallel()
	home, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	db, err := store.OpenState(t.Context(), state)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	locked, err := sql.Open("sqlite", "file:"+filepath.Join(state, store.StateFile)+"?_pragma=locking_mode(exclusive)")
	if err != nil {
		t.Fatal(err)
	}
	defer locked.Close() //nolint:errcheck // a test's
	hold, err := locked.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close() //nolint:errcheck // a test's
	if _, err := hold.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if exit := Run(context.Background(), []string{"ai", "kill", "--json"}, typedHost(home, state, &out, &errs)); exit != 0 {
		t.Fatalf("exit %d: %s%s", exit, out.String(), errs.String())
	}
	if len(ai.Killed(home)) != 1 {
		t.Errorf("killed by %q", ai.Killed(home))
	}
	var doc AIKillOut
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || !doc.OK {
		t.Errorf("%v: %s", err, out.String())
	}
	if !bytes.Contains(errs.Bytes(), []byte("models are stopped")) {
		t.Errorf("it is not said what was left: %q", errs.String())
	}
}
