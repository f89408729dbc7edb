package tool

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
)

// Options are what an engine works with.
type Options struct {
	Registry *Registry
	Proposer ai.Proposer // nil: nothing can be proposed
	Record   func(ctx context.Context, s ai.Scope, d telemetry.Draft) error
	Redactor *telemetry.Redactor
	Now      func() time.Time
	Killed   func() []string // the ai lines of HALT; nil: never
	// Amount reads an amount of money as the ledger counts it.
	Amount      func(asset, amount string) (ai.Amount, error)
	CLI         string        // how a command for the person begins; "" is "ape-claw"
	MaxCalls    int           // of an invocation; 0: 10
	CallTimeout time.Duration // of a read; 0: 10 s
}

const (
	defaultCalls   = 10
	defaultTimeout = 10 * time.Second
	// proposeTimeout bounds a proposal: its dry run may scan a marketplace.
	proposeTimeout = 45 * time.Second
	// grace is what an operation gets to end by itself once its time is over.
	grace = 500 * time.Millisecond
)

// Engine runs tools on behalf of models. It is safe for concurrent use.
type Engine struct{ o Options }

// New returns an engine.
func New(o Options) *Engine {
	if o.MaxCalls == 0 {
		o.MaxCalls = defaultCalls
	}
	if o.CallTimeout == 0 {
		o.CallTimeout = defaultTimeout
	}
	if o.Killed == nil {
		o.Killed = func() []string { return nil }
	}
	if o.Record == nil {
		o.Record = func(context.Context, ai.Scope, telemetry.Draft) error { return nil }
	}
	if o.CLI == "" {
		o.CLI = "ape-claw"
	}
	return &Engine{o: o}
}

// The channels that tool calls come by.
const (
	ChannelChat = "chat"
	ChannelMCP  = "mcp"
)

// Session says who calls tools, and where.
type Session struct {
	Scope    ai.Scope
	Preset   ai.Preset
	RoomID   string
	TurnID   string
	Channel  string // ChannelChat or ChannelMCP
	MaxCalls int    // 0: the engine's; -1: any number
}

// Invocation is one turn of a model, or one session of an MCP client: it counts
// calls, keeps long results and knows what was read from outside. It is safe for
// concurrent use.
type Invocation struct {
	e *Engine
	s Session

	mu      sync.Mutex
	calls   int
	claim   string
	taint   []string
	results []kept
	number  int // of the last kept result
}

// kept is a result that was cut.
type kept struct {
	id        string
	source    string
	untrusted bool
	data      []byte // redacted and tidy
	total     int    // bytes of it, before it was bounded
	next      int
}

// What is kept of results: an MCP session has no end of its own.
const (
	maxKept      = 16
	maxKeptBytes = 1 << 20 // of one
	maxKeptAll   = 2 << 20
)

// Begin starts an invocation.
func (e *Engine) Begin(s Session) *Invocation {
	if s.MaxCalls == 0 {
		s.MaxCalls = e.o.MaxCalls
	}
	return &Invocation{e: e, s: s}
}

// maxClaim is how much of a model's own words a card shows, in characters.
const maxClaim = 300

// Claim sets what the model says about what it is going to propose.
func (v *Invocation) Claim(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.claim = cut(text, maxClaim)
}

// Read notes a source from outside that the model has read before, such as in an
// earlier turn of a conversation that it still sees.
func (v *Invocation) Read(source string) { v.tainted(cut(visible(source), maxName)) }

// Taint lists the tools whose results from outside were read so far, sorted.
func (v *Invocation) Taint() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.taint)
}

func (v *Invocation) tainted(source string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !slices.Contains(v.taint, source) {
		v.taint = append(v.taint, source)
		slices.Sort(v.taint)
	}
}

// Calls is how many calls were made, those that were refused among them.
func (v *Invocation) Calls() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.calls
}

// Tools lists what this invocation may call, sorted by name.
func (v *Invocation) Tools() []ai.Tool { return v.e.o.Registry.Tools(v.s.Preset) }

// keep holds a long result for result_more.
func (v *Invocation) keep(k kept) kept {
	k.total = len(k.data)
	if len(k.data) > maxKeptBytes {
		k.data = slices.Clip(k.data[:maxKeptBytes])
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.number++
	k.id = resultID(v.number)
	v.results = append(v.results, k)
	all := 0
	for i := len(v.results) - 1; i >= 0; i-- { // the newest stays in any case
		if all += len(v.results[i].data); i < len(v.results)-1 && (all > maxKeptAll || len(v.results)-i > maxKept) {
			v.results = slices.Delete(v.results, 0, i+1)
			break
		}
	}
	return k
}
