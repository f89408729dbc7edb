package action

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
)

// State is where an action is in its life.
type State string

// The states. Only the first two are not final.
const (
	Proposed  State = "proposed"
	Executing State = "executing"
	Executed  State = "executed"
	Failed    State = "failed"
	Rejected  State = "rejected"
	Cancelled State = "cancelled"
	Expired   State = "expired"
)

// States lists them in the order of a life.
func States() []State {
	return []State{Proposed, Executing, Executed, Failed, Rejected, Cancelled, Expired}
}

const (
	// OutcomeUnknown says of a failed action that it may have happened.
	OutcomeUnknown = "unknown"
	// OutcomePartial says of an executed one that only some of it was done.
	OutcomePartial = "partial"
)

// Action is what was proposed, and what came of it.
type Action struct {
	ID         string   `json:"id"`
	State      State    `json:"state"`
	Version    int64    `json:"version"`
	Tool       string   `json:"tool"`
	Command    string   `json:"command"`
	Grade      ai.Grade `json:"grade"`
	Permission string   `json:"permission"`
	Origin     string   `json:"origin"` // conn:<name>, mcp:<client>
	RoomID     string   `json:"roomId,omitempty"`
	TurnID     string   `json:"turnId,omitempty"`
	SessionID  string   `json:"sessionId,omitempty"`
	Source     string   `json:"source,omitempty"` // ai, mcp
	TraceID    string   `json:"traceId"`

	Title       string            `json:"title"`
	Impact      string            `json:"impact"`
	Facts       []ai.Fact         `json:"facts"`
	Identifiers map[string]string `json:"identifiers"`
	Phrase      string            `json:"phrase"`
	Binding     map[string]string `json:"binding"`
	Spends      []ai.Amount       `json:"spends"`
	Limits      []ai.Amount       `json:"limits,omitempty"` // the proposer's own
	Reference   string            `json:"reference,omitempty"`

	Claim     string   `json:"claim"` // the model's own words: shown below the facts, never above
	Check     Check    `json:"claimCheck"`
	Taint     []string `json:"taint"`               // what the model had read from outside
	Untrusted []string `json:"untrusted,omitempty"` // where facts come from outside
	Warnings  []string `json:"warnings,omitempty"`  // such as an open unknown outcome of the same quote

	Args      json.RawMessage `json:"args"` // as the model called the tool
	Run       json.RawMessage `json:"run"`  // as the execution will call it
	ArgsHash  string          `json:"argsHash"`
	FactsHash string          `json:"factsHash"`

	CreatedAt  time.Time `json:"createdAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
	ResolvedAt time.Time `json:"resolvedAt,omitzero"`
	ExecutedAt time.Time `json:"executedAt,omitzero"`
	Reported   bool      `json:"reported"` // the model was told, or that was skipped
	Outcome    *Outcome  `json:"outcome,omitempty"`

	permitTTL time.Duration
	owner     string
	untold    string // types of events
	damaged   error  // why its row can't be read: nobody can approve it
	beat      time.Time
}

// Partial reports whether an executed action did only some of what was approved.
func (a Action) Partial() bool { return a.Outcome != nil && a.Outcome.Outcome == OutcomePartial }

// Open reports whether a person can still decide.
func (a Action) Open() bool { return a.State == Proposed }

// Outcome is who resolved an action and what came of it.
type Outcome struct {
	Resolver   string          `json:"resolver"` // operator, clock, kill, or the origin
	Reason     string          `json:"reason,omitempty"`
	Permit     string          `json:"permitId,omitempty"`
	Result     json.RawMessage `json:"result,omitempty"` // redacted
	TxHash     string          `json:"txHash,omitempty"`
	Code       string          `json:"code,omitempty"`    // command_failed, policy_blocked, timeout, interrupted, partial
	Cause      string          `json:"cause,omitempty"`   // the code of the command's own error
	Message    string          `json:"error,omitempty"`   // redacted
	Hint       string          `json:"hint,omitempty"`    // redacted
	Outcome    string          `json:"outcome,omitempty"` // OutcomeUnknown, OutcomePartial
	Sent       string          `json:"sent,omitempty"`
	Reconciled bool            `json:"reconciled,omitempty"` // by the log of events
	Corrected  bool            `json:"corrected,omitempty"`  // the model had been told that it is unknown
}

// Check compares what the model says with the facts.
type Check struct {
	Level    string    `json:"level"` // "", info, warning, critical
	Findings []Finding `json:"findings,omitempty"`
}

// Finding is one thing in a claim that the facts do not bear out.
type Finding struct {
	Level string `json:"level"`
	Rule  string `json:"rule"` // amount, address, id, action, hidden, authority
	Text  string `json:"text"` // a sentence for people
}

// Levels of a finding.
const (
	Info     = "info"
	Warning  = "warning"
	Critical = "critical"
)

// Challenge is what the three steps of a high grade are bound to. It is used once.
type Challenge struct {
	ID          string    `json:"id"`
	ActionID    string    `json:"actionId"`
	FactsHash   string    `json:"factsHash"`
	Identifiers []string  `json:"identifiers"` // their names, in the order to ask
	Phrase      string    `json:"phrase"`
	Mismatch    bool      `json:"mismatch"` // the claim contradicts the facts: one more confirmation
	ExpiresAt   time.Time `json:"expiresAt"`
}

// Card is an action with facts computed just now, and what it takes to approve it.
// Challenge is nil for a write grade.
type Card struct {
	Action
	Challenge *Challenge `json:"challenge,omitempty"`
}

// Confirmation is what a person gave. Its zero value approves nothing.
type Confirmation struct {
	Challenge    string            `json:"challenge"`
	Acknowledged bool              `json:"acknowledged"` // the impact was read
	Mismatch     bool              `json:"mismatch"`     // that the claim contradicts the facts was read
	Identifiers  map[string]string `json:"identifiers"`  // retyped
	Phrase       string            `json:"phrase"`
	Resolver     string            `json:"-"` // operator
	Session      string            `json:"-"` // whose the challenge must be
	// Proved: the passphrase was given, for this or within the last ten minutes.
	Proved bool `json:"-"`
	// Terminal: it was typed at the controlling terminal. Until there is a passphrase
	// that is enough for a write grade.
	Terminal bool `json:"-"`
	// FactsHash is of the card that was shown, also where there is a challenge.
	FactsHash string `json:"factsHash"`
}

// Filter selects actions; its zero value selects the newest of all.
type Filter struct {
	States []State
	Origin string
	RoomID string
	Trace  string
	Limit  int // 0: 100
}

// Settled is what the log tells of an action whose process did not.
type Settled struct {
	State   State // Executed, Failed (nothing left), or "" when it tells nothing
	TxHash  string
	Code    string // why it failed; of an executed one, Partial or ""
	Message string
}

// Options are what a Service works with.
type Options struct {
	State  func(ctx context.Context) (*sql.DB, error) // <state>/ape-claw.db
	Lookup func(name string) (ai.Tool, bool)
	// Permissions are all that tools have; a model that names another is wrong.
	Permissions func() []string
	Record      func(ctx context.Context, s ai.Scope, draft telemetry.Draft) error
	Redactor    *telemetry.Redactor
	Now         func() time.Time
	Killed      func() []string // lines of the AI kill switch
	Child       bool            // this process runs beneath a model: it approves nothing
	CLI         string          // how commands begin in this profile; "": ape-claw
	// Initialized reports whether there is a passphrase.
	Initialized func(ctx context.Context) (bool, error)
	// Host is what this process acts with, beside what a preview says itself: profile,
	// state directory, policy hash. It becomes part of the binding.
	Host func(ctx context.Context) (map[string]string, error)
	// Settled looks into the log of events for what became of an action.
	Settled func(ctx context.Context, a Action) (Settled, error)
	// Logged reports whether the log has an event of a trace and type, not before a time,
	// that is the one. An error says that it can't be known now.
	Logged func(ctx context.Context, traceID, eventType string, since time.Time, is func(telemetry.Event) bool) (bool, error)
	// After is called once an execution ended and is stored and recorded. Its ctx is
	// that of whoever approved: it may have ended, which the execution's does not.
	After func(ctx context.Context, a Action)

	Timeout time.Duration // of an execution; 0: 120 s
	Grace   time.Duration // that it has to end after that; 0: 10 s
	Beat    time.Duration // between signs of life; 0: 2 s
}

// Service is the one way to propose, decide and execute actions.
type Service struct {
	o     Options
	owner string
}

var _ ai.Proposer = (*Service)(nil)
