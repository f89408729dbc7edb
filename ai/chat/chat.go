package chat

import (
	"context"
	"database/sql"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
)

// Connection is what a turn has to know of the connection it uses.
type Connection struct {
	ID, Name string
	Model    string // that is asked
	Identity string // who the model is told to be; text of the operator
	Preset   ai.Preset
}

// Invocation is how a turn calls tools: a *tool.Invocation.
type Invocation interface {
	Call(ctx context.Context, name, args string) ai.Result
	Claim(text string)
	Read(source string) // that the model has read before, from outside
	Calls() int
	Tools() []ai.Tool
}

// Options are what a Service works with. State, Begin, Open, Record and Now are needed.
type Options struct {
	State func(ctx context.Context) (*sql.DB, error)
	Begin func(ctx context.Context, s tool.Session) (Invocation, error)
	// Open readies a connection, "" the default one, with the model that is asked
	// for, "" the connection's own.
	Open    func(ctx context.Context, name, model string) (Connection, ai.Model, error)
	Allowed func(ctx context.Context, id string) error // caps; nil: none
	Charge  func(ctx context.Context, id string, turn bool, u ai.Usage) error
	Record  func(ctx context.Context, s ai.Scope, d telemetry.Draft) error
	// Watch returns a context that ends when the kill switch is turned (ai.Watch).
	Watch    func(ctx context.Context) (context.Context, context.CancelFunc)
	Redactor *telemetry.Redactor
	Now      func() time.Time
	Guide    string // what the model is told of how to work here

	MaxCalls      int           // tool calls of a turn; 0: 10
	ContextBytes  int           // of what a model is shown; 0: 160 KiB
	StepTime      time.Duration // of a model's step; 0: 150 s
	TurnTime      time.Duration // of a whole turn; 0: 10 min
	Beat          time.Duration // between signs of life; 0: 1 s
	DeadAfter     time.Duration // without one; 0: 5 s
	CallbackLimit int           // turns that outcomes begin, of a conversation; 0: 3
	CallbackSpan  time.Duration // in this time; 0: 2 min
}

// Service keeps conversations and runs their turns. It is safe for concurrent use;
// several processes may have one on the same database.
type Service struct {
	o     Options
	owner string // names this process in the rows of its turns
}

// New returns a Service.
func New(o Options) *Service {
	set(&o.MaxCalls, 10)
	set(&o.ContextBytes, 160<<10)
	set(&o.StepTime, 150*time.Second)
	set(&o.TurnTime, 10*time.Minute)
	set(&o.Beat, time.Second)
	set(&o.DeadAfter, 5*time.Second)
	set(&o.CallbackLimit, 3)
	set(&o.CallbackSpan, 2*time.Minute)
	if o.Allowed == nil {
		o.Allowed = func(context.Context, string) error { return nil }
	}
	if o.Charge == nil {
		o.Charge = func(context.Context, string, bool, ai.Usage) error { return nil }
	}
	if o.Watch == nil {
		o.Watch = context.WithCancel
	}
	return &Service{o: o, owner: store.NewID("run_")}
}

func set[N ~int | ~int64](n *N, otherwise N) {
	if *n == 0 {
		*n = otherwise
	}
}
