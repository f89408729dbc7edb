package tool

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Options are what an engine works with.
type Options struct {
	Registry    *Registry
	Proposer    ai.Proposer
	Record      func(ctx context.Context, s ai.Scope, d telemetry.Draft) error
	Redactor    *telemetry.Redactor
	Now         func() time.Time
	Killed      func() []string // the ai lines of HALT; nil: never
	MaxCalls    int             // of an invocation; 0: 10
	CallTimeout time.Duration   // of a read; 0: 10 s
}

// Engine runs tools on behalf of models. It is safe for concurrent use.
type Engine struct{ o Options }

// New returns an engine.
func New(o Options) *Engine { return &Engine{o: o} }

// Session says who calls tools, and where. Channel is "chat" or "mcp".
type Session struct {
	Scope    ai.Scope
	Preset   ai.Preset
	RoomID   string
	TurnID   string
	Channel  string
	MaxCalls int // 0: the engine's; -1: none
}

// Invocation is one turn of a model, or one session of an MCP client: it counts
// calls, keeps long results and knows what was read from outside.
type Invocation struct {
	e *Engine
	s Session
}

// Begin starts an invocation.
func (e *Engine) Begin(s Session) *Invocation { return &Invocation{e: e, s: s} }

// Call runs a read tool or proposes another. It never panics and never fails: what
// went wrong is a result too.
func (v *Invocation) Call(ctx context.Context, name, args string) ai.Result {
	return ai.Result{Text: `{"error":"not built yet","code":"internal"}`, IsError: true, Code: string(fault.Internal), Outcome: OutcomeError}
}

// The outcomes of a call.
const (
	OutcomeOK       = "ok"
	OutcomeError    = "error"
	OutcomeProposed = "proposed"
	OutcomeRefused  = "refused"
)

// Claim sets what the model says about what it is going to propose.
func (v *Invocation) Claim(text string) {}

// Taint lists the tools whose results from outside were read so far, sorted.
func (v *Invocation) Taint() []string { return nil }

// Calls is how many calls were made, those that were refused among them.
func (v *Invocation) Calls() int { return 0 }

// Tools lists what this invocation may call, sorted by name.
func (v *Invocation) Tools() []ai.Tool { return v.e.o.Registry.Tools(v.s.Preset) }
