package operator_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

const pass = "four plain words here"

// clock is the time of a test.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// newOperator is one process over a home.
func newOperator(t *testing.T, home string, c *clock) *operator.Operator {
	t.Helper()
	var once sync.Once
	var db *sql.DB
	var err error
	t.Cleanup(func() {
		if db != nil {
			_ = db.Close()
		}
	})
	return operator.New(operator.Options{Home: home, Now: c.time, Cost: operator.Cost{Time: 1, Memory: 64, Threads: 1},
		DB: func(ctx context.Context) (*sql.DB, error) {
			once.Do(func() { db, err = store.OpenAI(context.WithoutCancel(ctx), home) })
			return db, err
		}})
}

func newHome(t *testing.T) (string, *clock) {
	return filepath.Join(t.TempDir(), "home"), &clock{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
}

// code fails the test unless err has the code.
func code(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); err == nil || got != want {
		t.Errorf("got %v (%s), want %s", err, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
