package chat_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer is one step of the scripted model.
type answer struct {
	reply ai.Reply
	err   error
	// with runs instead, with the context of the step.
	with func(ctx context.Context, r ai.Request, on func(string)) (ai.Reply, error)
}

func say(text string) answer { return answer{reply: ai.Reply{Text: text, Finish: "stop"}} }

func use(calls ...ai.ToolCall) answer {
	return answer{reply: ai.Reply{Calls: calls, Finish: "tool_calls"}}
}

func call(id, name, args string) ai.ToolCall { return ai.ToolCall{ID: id, Name: name, Args: args} }

// scripted plays answers in order, the last one again and again.
type scripted struct {
	mu       sync.Mutex
	answers  []answer
	requests []ai.Request
}

func (m *scripted) Step(ctx context.Context, r ai.Request, on func(string)) (ai.Reply, error) {
	m.mu.Lock()
	m.requests = append(m.requests, r)
	a := m.answers[min(len(m.requests), len(m.answers))-1]
	m.mu.Unlock()
	if a.with != nil {
		return a.with(ctx, r, on)
	}
	if a.err != nil {
		return ai.Reply{}, a.err
	}
	if on != nil && a.reply.Text != "" {
		half := len(a.reply.Text) / 2
		on(a.reply.Text[:half])
		on(a.reply.Text[half:])
	}
	return a.reply, nil
}

func (*scripted) Models(context.Context) ([]string, error) { return nil, nil }

// tools are the tools of the tests: what was run, in order.
type tools struct {
	mu      sync.Mutex
	run     []string
	results func(name, args string) ai.Result
	read    []string
	claims  []string
}

type invocation struct {
	*tools
	calls, limit int
}

func (t *invocation) Call(_ context.Context, name, args string) ai.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls++; t.calls > t.limit {
		return ai.Result{Text: `{"error":"no more calls","code":"tool_budget_exhausted"}`, IsError: true, Code: string(fault.ToolBudget), Outcome: tool.OutcomeRefused}
	}
	t.run = append(t.run, name+" "+args)
	if t.results != nil {
		return t.results(name, args)
	}
	return ai.Result{Text: fmt.Sprintf(`{"data":%d}`, len(t.run)), Outcome: tool.OutcomeOK}
}

func (t *invocation) Claim(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claims = append(t.claims, text)
}
func (t *invocation) Read(source string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read = append(t.read, source)
}
func (t *invocation) Calls() int { return t.calls }
func (t *invocation) Tools() []ai.Tool {
	return []ai.Tool{{Name: "look", Schema: []byte(`{}`), Grade: ai.GradeRead}}
}

// world is a state directory with a service on it.
type world struct {
	t      *testing.T
	db     *sql.DB
	model  *scripted
	tools  *tools
	mu     sync.Mutex
	events []telemetry.Draft
	scopes []ai.Scope
	killed []string
	charge []ai.Usage
	turns  int
	now    func() time.Time
}

func newWorld(t *testing.T, answers ...answer) *world {
	t.Helper()
	db, err := store.OpenState(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &world{t: t, db: db, model: &scripted{answers: answers}, tools: &tools{}, now: time.Now}
}

// service is one process's, on the world's database.
func (w *world) service(change ...func(*chat.Options)) *chat.Service {
	o := chat.Options{
		State: func(context.Context) (*sql.DB, error) { return w.db, nil },
		Begin: func(_ context.Context, s tool.Session) (chat.Invocation, error) {
			return &invocation{tools: w.tools, limit: s.MaxCalls}, nil
		},
		Open: func(_ context.Context, name, model string) (chat.Connection, ai.Model, error) {
			if name == "" {
				name = "main"
			}
			return chat.Connection{ID: "id-" + name, Name: name, Model: cmp.Or(model, "m-1"), Identity: "an expert"}, w.model, nil
		},
		Charge: func(_ context.Context, _ string, turn bool, u ai.Usage) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if turn {
				w.turns++
			}
			w.charge = append(w.charge, u)
			return nil
		},
		Record: func(_ context.Context, s ai.Scope, d telemetry.Draft) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events, w.scopes = append(w.events, d), append(w.scopes, s)
			return nil
		},
		Watch: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return ai.WatchFunc(ctx, func() []string { w.mu.Lock(); defer w.mu.Unlock(); return w.killed })
		},
		Redactor: telemetry.NewRedactor("canary-secret-value"),
		Now:      func() time.Time { return w.now() },
		Beat:     20 * time.Millisecond, DeadAfter: 300 * time.Millisecond,
	}
	for _, c := range change {
		c(&o)
	}
	return chat.New(o)
}

func (w *world) send(s *chat.Service, room, text string) (chat.Turn, error) {
	return s.Send(w.t.Context(), chat.SendIn{Room: room, Text: text}, nil)
}

// types are the events so far.
func (w *world) types() (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		out = append(out, e.Type)
	}
	return out
}

func (w *world) messages(s *chat.Service, room string) []chat.Message {
	w.t.Helper()
	list, err := s.Messages(w.t.Context(), room, 0, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for i, m := range list {
		if m.Seq != int64(i+1) {
			w.t.Fatalf("message %d has seq %d", i+1, m.Seq)
		}
	}
	return list
}

func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Fatalf("the error is %q (%v), not %q", got, err, code)
	}
}

var errCut = errors.New("unexpected EOF")

// inPieces streams text in pieces of size bytes.
func inPieces(text string, size int) func(context.Context, ai.Request, func(string)) (ai.Reply, error) {
	return func(_ context.Context, _ ai.Request, on func(string)) (ai.Reply, error) {
		for i := 0; i < len(text); i += size {
			on(text[i:min(i+size, len(text))])
		}
		return ai.Reply{Text: text, Finish: "stop"}, nil
	}
}
