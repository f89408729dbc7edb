package main

import (
	"context"
	"database/sql"
	"net/http"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// machines is a server with an agent that may log in, whose views are real but for
// what they say of forwarding.
type machines struct {
	state    *sql.DB
	registry *agents.Registry
	token    string // of the agent "mara"
}

func newMachines(ctx context.Context, dir string) (*machines, error) {
	m := &machines{}
	var err error
	if m.state, err = store.OpenState(ctx, dir); err != nil {
		return nil, err
	}
	m.registry = agents.New(func(context.Context, bool) (*sql.DB, error) { return m.state, nil }, time.Now)
	_, m.token, err = m.registry.Register(ctx, "mara", "Mara's machine")
	return m, err
}

// mounts are for those who have logged in alone, on this machine too.
func (m *machines) mounts() map[string]http.Handler {
	return map[string]http.Handler{
		"GET /api/forwarding": serve.Private(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			serve.WriteJSON(w, map[string]any{"configured": true, "url": "https://serve.example", "agentId": "mara", "sent": 7})
		})),
		"GET /api/pod/status": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			serve.WriteJSON(w, map[string]any{"ok": true, "status": "not-initialized", "actions": []any{}})
		}),
	}
}
