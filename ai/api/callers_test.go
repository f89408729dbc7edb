package api_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai/api"
	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// once opens a database once and closes it at the end of the test.
func once(t *testing.T, open func() (*sql.DB, error)) func() (*sql.DB, error) {
	var db *sql.DB
	return func() (*sql.DB, error) {
		if db != nil {
			return db, nil
		}
		var err error
		if db, err = open(); err == nil {
			t.Cleanup(func() {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		return db, err
	}
}

func newCallers(t *testing.T, home, state string, now func() time.Time) (*api.Callers, *operator.Operator, *agents.Registry) {
	ai := once(t, func() (*sql.DB, error) { return store.OpenAI(context.WithoutCancel(t.Context()), home) })
	st := once(t, func() (*sql.DB, error) { return store.OpenState(context.WithoutCancel(t.Context()), state) })
	r := agents.New(func(context.Context, bool) (*sql.DB, error) { return st() }, now)
	op := operator.New(operator.Options{DB: func(context.Context) (*sql.DB, error) { return ai() }, Home: home, Now: now,
		Cost: operator.Cost{Time: 1, Memory: 8, Threads: 1}})
	return api.NewCallers(r, op, func(context.Context) (int64, error) { return 0, nil }), op, r
}

func TestTheOperatorIsACaller(t *testing.T) {
	t.Parallel()
	var at atomic.Int64
	now := func() time.Time { return time.Unix(1_800_000_000+at.Load(), 0) }
	home, state := t.TempDir(), t.TempDir()
	c, op, r := newCallers(t, home, state, now)
	ctx := t.Context()
	if _, err := c.Verify(ctx, "operator", ""); fault.CodeOf(err) != fault.Auth {
		t.Errorf("before there is a token: %v", err)
	}
	if _, err := os.Stat(filepath.Join(home, operator.TokenFile)); err == nil {
		t.Error("asking made a token")
	}
	token, err := op.Token(ctx)
	if err != nil {
		t.Fatal(err)
	}
	bot, botToken, err := r.Register(ctx, "bot-1", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct{ id, token string }{{"operator", token + "x"}, {"operator", botToken}, {"bot-1", token}, {"Operator", token}, {"", token}} {
		if p, err := c.Verify(ctx, wrong.id, wrong.token); fault.CodeOf(err) != fault.Auth {
			t.Errorf("%q with a wrong token: %+v %v", wrong.id, p, err)
		}
	}
	p, err := c.Verify(ctx, "operator", token)
	if err != nil || p.AgentID != "operator" || strings.Contains(p.Key, token) {
		t.Fatalf("the token: %+v %v", p, err)
	}
	if held, err := c.Holds(ctx, p); !held || err != nil {
		t.Errorf("the token holds: %v %v", held, err)
	}
	before, _ := c.Changes(ctx)
	cookie, s, err := c.OpenSession(ctx, p)
	if err != nil || s.AgentID != "operator" || strings.Contains(s.Key, strings.TrimPrefix(cookie, "op.")) {
		t.Fatalf("a log-in: %+v %v", s, err)
	}
	if after, _ := c.Changes(ctx); after == before {
		t.Error("a log-in is no change")
	}
	if got, err := c.Session(ctx, cookie); err != nil || got != s {
		t.Errorf("its session: %+v %v, want %+v", got, err, s)
	}
	// An agent's log-in is the agent's, and neither cookie is the other's.
	botProof, err := c.Verify(ctx, bot.ID, botToken)
	if err != nil {
		t.Fatal(err)
	}
	botCookie, _, err := c.OpenSession(ctx, botProof)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Session(ctx, botCookie); err != nil || got.AgentID != "bot-1" {
		t.Errorf("an agent's session: %+v %v", got, err)
	}
	for _, forged := range []string{"op." + botCookie, strings.TrimPrefix(cookie, "op."), "op.", ""} {
		if got, err := c.Session(ctx, forged); fault.CodeOf(err) != fault.Auth {
			t.Errorf("%q: %+v %v", forged, got, err)
		}
	}
	// A token that was replaced, a log-in that ended or is over, hold no more.
	if err := os.Remove(filepath.Join(home, operator.TokenFile)); err != nil {
		t.Fatal(err)
	}
	if held, err := c.Holds(ctx, p); held || err != nil {
		t.Errorf("a token that is gone holds: %v %v", held, err)
	}
	if held, err := c.Holds(ctx, s); !held || err != nil {
		t.Errorf("the log-in holds: %v %v", held, err)
	}
	at.Store(int64(operator.SessionLife / time.Second))
	if held, err := c.Holds(ctx, s); held || err != nil {
		t.Errorf("twelve hours later: %v %v", held, err)
	}
	at.Store(0)
	if err := c.CloseSession(ctx, cookie); err != nil {
		t.Fatal(err)
	}
	if held, err := c.Holds(ctx, s); held || err != nil {
		t.Errorf("after the log-out: %v %v", held, err)
	}
}

// A state directory that somebody else prepared may have an agent of any name.
func TestAnAgentOfThatNameIsNotTheOperator(t *testing.T) {
	t.Parallel()
	home, state := t.TempDir(), t.TempDir()
	c, _, r := newCallers(t, home, state, time.Now)
	ctx := t.Context()
	_, token, err := r.Register(ctx, "bot-1", "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Verify(ctx, "bot-1", token)
	if err != nil {
		t.Fatal(err)
	}
	cookie, _, err := c.OpenSession(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(state, store.StateFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a test's
	for _, q := range []string{`PRAGMA foreign_keys = off`, `UPDATE agents SET id = 'operator'`, `UPDATE sessions SET agent_id = 'operator'`} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := c.Verify(ctx, "operator", token); fault.CodeOf(err) != fault.Auth {
		t.Errorf("by its token: %+v %v", p, err)
	}
	if p, err := c.Session(ctx, cookie); fault.CodeOf(err) != fault.Auth {
		t.Errorf("by its log-in: %+v %v", p, err)
	}
}
