package action_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/telemetrytest"
)

// world is a state directory, a tool that buys and one that writes, and everything
// that a test may turn around: the clock, the price, the policy, the kill switch.
type world struct {
	dir string

	mu       sync.Mutex
	now      time.Time
	preview  func(args json.RawMessage) (ai.Preview, error)
	execute  func(ctx context.Context, c ai.Call, a ai.Approval) (any, error)
	killed   []string
	child    bool
	made     bool // there is a passphrase
	binding  map[string]string
	settled  action.Settled
	logged   error // that the log can't be read
	recorded error
	after    []action.Action
	runs     []string // arguments of the executions
}

func newWorld(t testing.TB) *world { return newWorldIn(t.TempDir()) }

// newWorldIn is the world of a directory, which several processes may share.
func newWorldIn(dir string) *world {
	w := &world{dir: dir, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), made: true,
		binding: map[string]string{"profile": "default", "from": buyer, "policyHash": "p1", "stateDir": "/s", "chainId": "33139"}}
	w.preview = w.facts("100")
	w.execute = func(context.Context, ai.Call, ai.Approval) (any, error) {
		return map[string]any{"ok": true, "txHash": "0x" + strings.Repeat("ab", 32)}, nil
	}
	return w
}

// facts previews a purchase for a price.
func (w *world) facts(price string) func(json.RawMessage) (ai.Preview, error) {
	return func(args json.RawMessage) (ai.Preview, error) {
		a := purchase(price)
		var in struct {
			Quote string `json:"quote"`
		}
		if err := json.Unmarshal(args, &in); err != nil {
			return ai.Preview{}, err
		}
		return ai.Preview{Title: "Buy lazy-lions #7", Impact: "The price leaves the account for good.", Facts: a.Facts, Identifiers: a.Identifiers,
			Phrase: "BUY lazy-lions #7 " + price + " APE", Binding: w.binding, Spends: a.Spends, Args: args, TraceID: "trace_quote",
			Untrusted: []string{"market"}, Reference: in.Quote}, nil
	}
}

func (w *world) set(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now.IsZero() {
		return time.Now() // of processes that share a directory
	}
	return w.now
}

func (w *world) tool(name string, g ai.Grade) ai.Tool {
	return ai.Tool{Name: name, Command: strings.ReplaceAll(name, "_", " "), Grade: g, Permission: strings.ReplaceAll(name, "_", ":"),
		Preview: func(_ context.Context, c ai.Call) (ai.Preview, error) {
			w.mu.Lock()
			f := w.preview
			w.mu.Unlock()
			p, err := f(c.Args)
			if g == ai.GradeWrite {
				p.Phrase = ""
			}
			return p, err
		},
		Execute: func(ctx context.Context, c ai.Call, a ai.Approval) (any, error) {
			w.mu.Lock()
			w.runs = append(w.runs, string(c.Args)+" "+a.Phrase+" "+a.TraceID)
			f := w.execute
			w.mu.Unlock()
			return f(ctx, c, a)
		}}
}

func (w *world) lookup(name string) (ai.Tool, bool) {
	switch name {
	case "nft_buy":
		return w.tool(name, ai.GradeHigh), true
	case "policy_halt":
		return w.tool(name, ai.GradeWrite), true
	}
	return ai.Tool{}, false
}

// service is a process's own view of the world, with its own handle of the database.
func (w *world) service(t testing.TB, change ...func(*action.Options)) *action.Service {
	var open struct {
		sync.Mutex
		db *sql.DB
	}
	log := telemetry.NewLog(w.dir, telemetry.LogOptions{NoNotify: true})
	t.Cleanup(func() {
		if open.db != nil {
			_ = open.db.Close()
		}
		_ = log.Close()
	})
	o := action.Options{
		State: func(ctx context.Context) (*sql.DB, error) {
			open.Lock()
			defer open.Unlock()
			var err error
			if open.db == nil {
				open.db, err = store.OpenState(ctx, w.dir)
			}
			return open.db, err
		},
		Lookup: w.lookup, Permissions: func() []string { return []string{"nft:buy", "policy:halt", "market:read"} },
		Record: func(ctx context.Context, s ai.Scope, d telemetry.Draft) error {
			w.mu.Lock()
			err := w.recorded
			w.mu.Unlock()
			if err != nil {
				return err
			}
			return telemetry.NewRecorder(log, nil, w.clock, telemetry.Scope{AgentID: s.AgentID, SessionID: s.SessionID, TraceID: s.TraceID,
				Command: "ape-claw ai actions approve", Source: s.Source}).Record(ctx, d)
		},
		Redactor: telemetry.NewRedactor("canary-secret-value"), Now: w.clock,
		Killed: func() []string { w.mu.Lock(); defer w.mu.Unlock(); return w.killed },
		Child:  w.child,
		Initialized: func(context.Context) (bool, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.made, nil
		},
		Settled: func(context.Context, action.Action) (action.Settled, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.settled, nil
		},
		Logged: func(ctx context.Context, traceID, eventType string, _ time.Time, is func(telemetry.Event) bool) (bool, error) {
			w.mu.Lock()
			err := w.logged
			w.mu.Unlock()
			if err != nil {
				return false, err
			}
			lines, _, err := log.Last(ctx, 1, func(line []byte) bool {
				var e telemetry.Event
				return json.Unmarshal(line, &e) == nil && e.TraceID == traceID && e.EventType == eventType && is(e)
			})
			return len(lines) > 0, err
		},
		After: func(_ context.Context, a action.Action) { w.set(func() { w.after = append(w.after, a) }) },
	}
	for _, f := range change {
		f(&o)
	}
	return action.New(o)
}

// proposal is a model's wish to buy with a quote.
func (w *world) proposal(tool, quote string) ai.Proposal {
	t, _ := w.lookup(tool)
	claim := "Buy token 7 for 100 APE"
	if tool == "policy_halt" {
		claim = "Halt it"
	}
	return ai.Proposal{Tool: t, Args: json.RawMessage(fmt.Sprintf(`{"quote":%q}`, quote)), RoomID: "room_1", TurnID: "turn_1",
		Scope: ai.Scope{AgentID: "conn:local", SessionID: "room_1", TraceID: "trace_turn", Source: "ai"},
		Claim: claim, Taint: []string{"market_listings"}}
}

func propose(t testing.TB, s *action.Service, p ai.Proposal) string {
	t.Helper()
	got, err := s.Propose(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return got.ActionID
}

// confirmation answers a card rightly.
func confirmation(card action.Card, session string) action.Confirmation {
	c := action.Confirmation{Acknowledged: true, Mismatch: true, Identifiers: card.Identifiers, Phrase: card.Phrase, Resolver: "operator", Session: session,
		Proved: true, FactsHash: card.FactsHash}
	if card.Challenge != nil {
		c.Challenge = card.Challenge.ID
	}
	return c
}

func challenge(t testing.TB, s *action.Service, id string) action.Confirmation {
	t.Helper()
	card, err := s.Challenge(t.Context(), id, "session_1")
	if err != nil {
		t.Fatal(err)
	}
	return confirmation(card, "session_1")
}

func show(t testing.TB, s *action.Service, id string) action.Action {
	t.Helper()
	a, err := s.Show(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func wantCode(t testing.TB, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("code %q (%v), want %q", got, err, want)
	}
}

func (w *world) events(t testing.TB) []string { return telemetrytest.Types(t, w.dir) }

// sql changes the database from outside, as whoever prepared the directory could.
func (w *world) sql(t testing.TB, query string, args ...any) {
	t.Helper()
	db, err := store.OpenState(t.Context(), w.dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// diary appends a line to a file of the world, as an execution that leaves a trace.
func diary(dir, line string) error {
	f, err := os.OpenFile(filepath.Join(dir, "diary"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(line + "\n"); err != nil {
		return err
	}
	return f.Close()
}

func entries(t testing.TB, dir string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "diary"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "\n")
}

// nothing is an execution that does nothing and answers.
func nothing(result any, err error) func(context.Context, ai.Call, ai.Approval) (any, error) {
	return func(context.Context, ai.Call, ai.Approval) (any, error) { return result, err }
}

// waiting is an execution that says that it began and ends when it is told to.
func waiting(began, end chan struct{}) func(context.Context, ai.Call, ai.Approval) (any, error) {
	return func(context.Context, ai.Call, ai.Approval) (any, error) {
		close(began)
		<-end
		return nil, nil
	}
}

// beats waits for the sign of life of the clock's time, and reports whether the
// action is still taken for alive.
func beats(t testing.TB, w *world, s *action.Service, id string) bool {
	t.Helper()
	db, err := store.OpenState(t.Context(), w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read
	for {
		var at int64
		if err := db.QueryRowContext(t.Context(), "SELECT beat_at FROM ai_actions WHERE id = ?", id).Scan(&at); err != nil {
			t.Fatal(err)
		}
		if at >= w.clock().UnixMilli() {
			return show(t, s, id).State == action.Executing
		}
	}
}
