package commands

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// A switch that can't be turned says so, and what is open is cancelled all the same.
func TestKillThatCanNotBeWritten(t *testing.T) {
	t.Parallel()
	home, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.WriteFile(other, []byte("policy: looks odd\n"), 0o600), os.Symlink(other, filepath.Join(home, "HALT"))); err != nil {
		t.Fatal(err)
	}
	db, err := store.OpenState(t.Context(), state)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a test's
	now := time.Now()
	for _, q := range []string{
		`INSERT INTO ai_actions (id, state, tool, grade, origin, trace_id, args_hash, facts_hash, doc, created_at, expires_at)
			VALUES ('act_1', 'proposed', 'nft_buy', 'high', 'conn:x', 'trace_1', 'a', 'f', '{}', ?1, ?1 + 600000)`,
		`INSERT INTO ai_rooms (id, kind, title, connection, created_at, updated_at) VALUES ('chat_1', 'direct', 't', 'x', ?1, ?1)`,
		`INSERT INTO ai_turns (id, room_id, participant, cause, state, trace_id, beat_at, started_at) VALUES ('turn_1', 'chat_1', 'conn:x', 'user', 'running', 'trace_1', ?1, ?1)`,
	} {
		if _, err := db.ExecContext(t.Context(), q, now.UnixMilli()); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	if exit := Run(context.Background(), []string{"ai", "kill", "--json"}, typedHost(home, state, &out, &errs)); exit == 0 {
		t.Fatalf("exit 0: %s", out.String())
	}
	if text := out.String() + errs.String(); !strings.Contains(text, "models can go on; 1 proposal cancelled; 1 turn told to stop") {
		t.Error(text)
	}
	var left, running int
	err = db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM ai_actions WHERE state = 'proposed'),
		(SELECT count(*) FROM ai_turns WHERE state = 'running' AND error IS NULL)`).Scan(&left, &running)
	if err != nil || left != 0 || running != 0 {
		t.Errorf("%d proposals and %d turns are left, %v", left, running, err)
	}
}
