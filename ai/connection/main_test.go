package connection_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

const canary = "canary-key-0123456789-wxyz"

// world is a home with a Store, a clock and a provider that counts.
type world struct {
	t      *testing.T
	home   string
	db     *sql.DB
	env    map[string]string
	s      *connection.Store
	models []string
	fail   error // of the provider
	reply  ai.Reply
	asked  atomic.Int64
	during func() // while the provider is asked for its models
	dialed []provider.Options

	mu     sync.Mutex
	now    time.Time
	events []telemetry.Draft
	loaded []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), env: map[string]string{}, now: time.Date(2026, 3, 4, 23, 0, 0, 0, time.UTC)}
	w.s = connection.New(connection.Options{Home: w.home, Now: w.clock,
		DB: func(ctx context.Context) (*sql.DB, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.db == nil {
				db, err := store.OpenAI(ctx, w.home)
				if err != nil {
					return nil, err
				}
				w.db = db
				t.Cleanup(func() { _ = db.Close() })
			}
			return w.db, nil
		},
		Env: func(name string) (string, bool) { v, ok := w.env[name]; return v, ok },
		Record: func(_ context.Context, d telemetry.Draft) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, d)
			return nil
		},
		Dial: func(o provider.Options) (ai.Model, error) {
			w.dialed = append(w.dialed, o)
			return fake{w}, nil
		},
		Loaded:   func(s string) { w.loaded = append(w.loaded, s) },
		Own:      func(v string) bool { return v == "the-wallets-own-key" },
		Reserved: []string{"OPENSEA_API_KEY"},
	})
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// fake is a provider.
type fake struct{ w *world }

func (f fake) Step(context.Context, ai.Request, func(string)) (ai.Reply, error) {
	f.w.asked.Add(1)
	return f.w.reply, f.w.fail
}

func (f fake) Models(context.Context) ([]string, error) {
	f.w.asked.Add(1)
	if f.w.during != nil {
		f.w.during()
	}
	return slices.Clone(f.w.models), f.w.fail
}

// add makes a connection to openai with the canary as its key.
func (w *world) add(name string) connection.Connection {
	w.t.Helper()
	c, err := w.s.Add(w.t.Context(), connection.AddIn{Name: name, Service: "openai", Key: canary})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) show(ref string) connection.Connection {
	w.t.Helper()
	c, err := w.s.Show(w.t.Context(), ref)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// code fails the test unless err has the code.
func code(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); err == nil || got != want {
		t.Errorf("got %v (%s), want %s", err, got, want)
	}
}

func ptr[T any](v T) *T { return &v }
