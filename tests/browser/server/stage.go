package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/api"
	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// stage is approvals with everything real but the tool, whose card is what a test
// says, and whose execution waits until a test lets it go on.
type stage struct {
	home      string
	token     string
	log       *telemetry.Log
	red       *telemetry.Redactor
	ai, state *sql.DB
	operator  *operator.Operator
	callers   *api.Callers
	actions   *action.Service
	work      sync.WaitGroup

	mu     sync.Mutex // guards what follows
	killed []string
	cards  map[string]ai.Preview // by the number in the arguments
	ends   chan ending
	ahead  atomic.Int64 // ns that the clock is set forward
}

// ending is how an execution ends.
type ending struct{ Code, Error, Hint, TxHash string }

func newStage(ctx context.Context, dir string, log *telemetry.Log) (*stage, error) {
	s := &stage{home: filepath.Join(dir, "home"), log: log, red: telemetry.NewRedactor(), cards: map[string]ai.Preview{}, ends: make(chan ending, 16)}
	var err error
	if s.ai, err = store.OpenAI(ctx, s.home); err != nil {
		return nil, err
	}
	if s.state, err = store.OpenState(ctx, dir); err != nil {
		return nil, err
	}
	s.operator = operator.New(operator.Options{DB: func(context.Context) (*sql.DB, error) { return s.ai, nil }, Home: s.home, Now: s.now,
		Cost: operator.Cost{Time: 1, Memory: 8, Threads: 1}})
	if s.token, err = s.operator.Token(ctx); err != nil {
		return nil, err
	}
	registry := agents.New(func(context.Context, bool) (*sql.DB, error) { return s.state, nil }, s.now)
	s.callers = api.NewCallers(registry, s.operator, func(context.Context) (int64, error) { return 0, nil })
	s.actions = action.New(action.Options{State: func(context.Context) (*sql.DB, error) { return s.state, nil }, Lookup: s.lookup, Record: s.record,
		Permissions: func() []string { return []string{"nft:buy", "policy:halt"} },
		Redactor:    s.red, Now: s.now, Killed: s.lines, Initialized: s.operator.Initialized,
		Host:    func(context.Context) (map[string]string, error) { return map[string]string{"profile": "sandbox"}, nil },
		Settled: func(context.Context, action.Action) (action.Settled, error) { return action.Settled{}, nil },
		After:   func(context.Context, action.Action) {},
	})
	return s, nil
}

func (s *stage) close() {
	close(s.ends)
	s.work.Wait()
	_ = errors.Join(s.ai.Close(), s.state.Close()) // the process ends
}

func (s *stage) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

func (s *stage) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.killed
}

func (s *stage) record(ctx context.Context, sc ai.Scope, d telemetry.Draft) error {
	return telemetry.NewRecorder(s.log, s.red, s.now, telemetry.Scope{AgentID: sc.AgentID, SessionID: sc.SessionID, TraceID: sc.TraceID,
		Command: "ape-claw serve", Source: "ai", ChainID: 7733139}).Record(ctx, d)
}

// lookup is the one tool, under the names of two.
func (s *stage) lookup(name string) (ai.Tool, bool) {
	t := ai.Tool{Name: name, Command: "nft buy", Description: "Buys.", Schema: json.RawMessage(`{"type":"object"}`), Grade: ai.GradeHigh,
		Permission: "nft:buy", Preview: s.preview, Execute: s.execute}
	switch name {
	case "nft_buy":
		t.Identifiers = []string{"collection", "tokenId", "priceApe"}
	case "policy_halt":
		t.Grade, t.Permission, t.Command = ai.GradeWrite, "policy:halt", "policy halt"
	default:
		return ai.Tool{}, false
	}
	return t, true
}

func (s *stage) preview(_ context.Context, c ai.Call) (ai.Preview, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.cards[string(c.Args)]
	if !ok {
		return p, fault.New(fault.QuoteExpired, "the quote is over")
	}
	return p, nil
}

func (s *stage) execute(ctx context.Context, _ ai.Call, _ ai.Approval) (any, error) {
	select {
	case e := <-s.ends:
		if e.Code != "" {
			return nil, fault.New(fault.Code(e.Code), "%s", e.Error).Hintf("%s", e.Hint).WithSent(fault.SentNo)
		}
		return map[string]any{"txHash": e.TxHash}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// order is a line of a test.
type order struct {
	Do         string // propose, change, end, passphrase, forward
	Tool       string
	Origin     string
	Args       json.RawMessage
	Card       ai.Preview
	Claim      string
	Taint      []string
	Ending     ending
	Passphrase string
	Seconds    int64
}

// listen does what a test says, and answers each line with one.
func (s *stage) listen(ctx context.Context, in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var o order
		out := map[string]any{}
		err := json.Unmarshal(lines.Bytes(), &o)
		if err == nil {
			out, err = s.obey(ctx, o)
		}
		if err != nil {
			out = map[string]any{"error": err.Error()}
		}
		if say(out) != nil {
			os.Exit(1)
		}
	}
}

func (s *stage) obey(ctx context.Context, o order) (map[string]any, error) {
	switch o.Do {
	case "propose":
		s.mu.Lock()
		o.Card.Args = o.Args
		s.cards[string(o.Args)] = o.Card
		s.mu.Unlock()
		t, _ := s.lookup(o.Tool)
		made, err := s.actions.Propose(ctx, ai.Proposal{Tool: t, Args: o.Args, Claim: o.Claim, Taint: o.Taint,
			Scope: ai.Scope{AgentID: o.Origin, SessionID: "session_1", TraceID: o.Card.TraceID, Source: "ai"}})
		return map[string]any{"id": made.ActionID}, err
	case "change": // what the card says from now on
		s.mu.Lock()
		defer s.mu.Unlock()
		o.Card.Args = o.Args
		s.cards[string(o.Args)] = o.Card
	case "end":
		s.ends <- o.Ending
	case "passphrase":
		return map[string]any{}, s.operator.Init(ctx, "", o.Passphrase)
	case "forward":
		s.ahead.Add(o.Seconds * int64(time.Second))
	default:
		return nil, errors.New("unknown order " + o.Do)
	}
	return map[string]any{}, nil
}

func (s *stage) mounts() map[string]http.Handler {
	return map[string]http.Handler{api.Prefix: serve.Private(api.New(api.Options{
		Caller: func(r *http.Request) api.Caller {
			return api.Caller{ID: serve.AgentID(r), Session: api.Session(serve.Cookie(r))}
		},
		Fail: serve.WriteError,
		Open: func(context.Context) (api.Backend, func(), error) {
			return api.Backend{Actions: acts{s}, Operator: person{s}, Switch: kill{s}}, func() {}, nil
		},
		Go:  func(f func(context.Context)) { s.work.Go(func() { f(context.Background()) }) },
		Now: s.now,
	}))}
}
