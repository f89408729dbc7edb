package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/mcp"
	"github.com/ape-claw/ape-claw/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// engine stands in for the real one: it notes the calls and answers as told.
type engine struct {
	mu      sync.Mutex
	begun   []mcp.Session
	calls   []string // name + " " + args, as they came
	records []telemetry.Draft
	answer  func(ctx context.Context, s mcp.Session, name, args string) ai.Result
	now     time.Time
}

type invocation struct {
	e *engine
	s mcp.Session
}

func (i *invocation) Call(ctx context.Context, name, args string) ai.Result {
	i.e.mu.Lock()
	i.e.calls = append(i.e.calls, name+" "+args)
	answer := i.e.answer
	i.e.mu.Unlock()
	if answer != nil {
		return answer(ctx, i.s, name, args)
	}
	return ai.Result{Text: `{"data":{"ok":true}}`, Outcome: "ok"}
}

func (e *engine) said() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.calls)
}

func tools() []ai.Tool {
	schema := json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":false}`)
	list := []ai.Tool{
		{Name: "actions_pending", Grade: ai.GradeRead, Description: "open proposals"},
		{Name: "market_listings", Grade: ai.GradeRead, Description: "listings", Untrusted: true},
		{Name: "nft_buy", Grade: ai.GradeHigh, Description: "buys"},
		{Name: "policy_halt", Grade: ai.GradeWrite, Description: "halts"},
		{Name: "request_action", Grade: ai.GradeRead, Description: "proposes"},
	}
	for i := range list {
		list[i].Schema = schema
	}
	return list
}

// options make a server on the engine.
func (e *engine) options() mcp.Options {
	return mcp.Options{
		Begin: func(_ context.Context, s mcp.Session) (mcp.Invocation, error) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.begun = append(e.begun, s)
			return &invocation{e, s}, nil
		},
		Tools: func(p ai.Preset) []ai.Tool {
			return slices.DeleteFunc(tools(), func(t ai.Tool) bool { return !p.Allows(t) })
		},
		Preset:  ai.Preset{Name: ai.PresetAll},
		Version: "1.2.3",
		Docs:    mcp.Docs{Guide: "# Guide\n", API: "# API\n"},
		Record: func(_ context.Context, _ ai.Scope, d telemetry.Draft) error {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.records = append(e.records, d)
			return nil
		},
		NewID: func() string { return "mcps_1" },
		Now: func() time.Time {
			e.mu.Lock()
			defer e.mu.Unlock()
			return e.now
		},
	}
}

// stdio runs a server with pipes for stdin and stdout.
type stdio struct {
	in  *io.PipeWriter
	out *io.PipeReader
	err chan error
}

func start(t *testing.T, ctx context.Context, s *mcp.Server) *stdio {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &stdio{inW, outR, make(chan error, 1)}
	go func() {
		err := s.Run(ctx, inR, outW)
		outW.Close()
		p.err <- err
	}()
	t.Cleanup(func() {
		inW.Close()
		go io.Copy(io.Discard, outR)
		if err := <-p.err; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return p
}

// connect runs a server and a client of the SDK at it.
func connect(t *testing.T, e *engine, opts mcp.Options, client *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	p := start(t, t.Context(), mcp.New(opts))
	c := sdk.NewClient(&sdk.Implementation{Name: "Test Client", Version: "1"}, client)
	cs, err := c.Connect(t.Context(), &sdk.IOTransport{Reader: p.out, Writer: p.in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return cs
}

func text(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d contents", len(r.Content))
	}
	return r.Content[0].(*sdk.TextContent).Text
}

func code(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	var doc struct{ Code string }
	if err := json.Unmarshal([]byte(text(t, r)), &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Code
}

// lines collects a log.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func debugLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
