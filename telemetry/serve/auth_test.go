package serve_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/agents"
)

// newRegistry returns the agents of a state directory of the test's own.
func newRegistry(t *testing.T, dir string) *agents.Registry {
	t.Helper()
	db := must[*sql.DB](t)(store.OpenState(t.Context(), dir))
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return agents.New(func(context.Context, bool) (*sql.DB, error) { return db, nil }, time.Now)
}

// oneAgent returns a registry that knows bot-1, and its token.
func oneAgent(t *testing.T) (*agents.Registry, string) {
	t.Helper()
	r := newRegistry(t, t.TempDir())
	return r, register(t, r, "bot-1")
}

func register(t *testing.T, r *agents.Registry, id string) (token string) {
	t.Helper()
	_, token, err := r.Register(t.Context(), id, "")
	if err != nil {
		t.Fatal(err)
	}
	return token
}
