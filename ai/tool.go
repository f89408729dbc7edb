package ai

import (
	"context"
	"encoding/json"
	"time"
)

// Grade says what a tool can do, and so what it takes to run it.
type Grade string

// The grades. There is no default: a tool without one is none.
const (
	GradeRead  Grade = "read"  // runs at once
	GradeWrite Grade = "write" // waits for a person
	GradeHigh  Grade = "high"  // waits for a person who retypes what it is about
)

// Scope says on whose behalf something is done. It becomes the envelope of the
// events: what a model caused is told apart from what a person typed.
type Scope struct {
	AgentID   string `json:"agentId"`   // conn:<name>, mcp:<client>, operator
	SessionID string `json:"sessionId"` // the room, or the MCP session
	TraceID   string `json:"traceId"`   // "" lets the operation join the trace of what it is about
	Source    string `json:"source"`    // ai or mcp
}

// Call is one use of a tool. Args passed the tool's schema and are canonical JSON.
type Call struct {
	Args  json.RawMessage
	Scope Scope
}

// Tool is a command as models see it: its declaration, its input as a schema, and
// its operation. What a virtual tool does has no command behind it.
type Tool struct {
	Name        string // ^[a-z0-9_]{1,48}$, unique
	Command     string // "nft buy"; "" for a virtual tool
	Description string // static text, at most 600 characters
	Schema      json.RawMessage
	Grade       Grade
	Permission  string   // area:verb, what a caller must hold
	Identifiers []string // names of the facts that a person retypes for a high grade
	Untrusted   bool     // its result holds text from outside: a marketplace, a chain, a log

	// Run does what a tool of grade read does. The result is marshalled.
	Run func(ctx context.Context, c Call) (any, error)
	// Preview computes what a person decides by, by a dry run. Of others than read.
	// A refusal of policy is its error, a policy gate's code: there is no card then.
	Preview func(ctx context.Context, c Call) (Preview, error)
	// Execute does what was approved, and nothing else. Of others than read.
	Execute func(ctx context.Context, c Call, a Approval) (any, error)
}

// Fact is one line of a card. It is computed here, never taken from a model.
type Fact struct {
	Name  string `json:"name"`  // camelCase: priceApe
	Label string `json:"label"` // for people: price
	Value string `json:"value"` // one line of text, not yet escaped for where it is shown
	// Volatile facts are shown and may change until the approval: balances, caps,
	// what gas may cost.
	Volatile bool `json:"volatile,omitempty"`
}

// Preview is what an action would do, as far as it can be known beforehand.
type Preview struct {
	Title       string            `json:"title"` // one line
	Impact      string            `json:"impact"`
	Facts       []Fact            `json:"facts"`
	Identifiers map[string]string `json:"identifiers"`         // to retype exactly
	Phrase      string            `json:"phrase"`              // the command's own; "" for EXECUTE <tool> <6 of the id>
	Binding     map[string]string `json:"binding"`             // profile, chain id, account, state directory, policy hash, …
	Spends      []Amount          `json:"spends"`              // the most that leaves the account
	Args        json.RawMessage   `json:"args"`                // what Execute is to be called with, such as {"plan":…}
	TraceID     string            `json:"traceId"`             // of what it is about
	Untrusted   []string          `json:"untrusted,omitempty"` // the sources outside that facts come from
	Expires     time.Time         `json:"expires,omitzero"`    // of the quote or plan; zero: none of its own
	Reference   string            `json:"reference,omitempty"` // the id of the quote or plan
}

// Amount is money: base units as a decimal string, and a name for people.
type Amount struct {
	Asset string `json:"asset"` // as the ledger names it
	Base  string `json:"base"`
	Shown string `json:"shown"` // "1.5 APE"
}

// Approval is what a person allowed: it comes from the row of the action alone.
type Approval struct {
	ActionID  string
	Phrase    string
	FactsHash string
	TraceID   string
	// Most is what may leave the account at the most, gas among it, as the person was
	// shown it: what gas would cost since then raises nothing.
	Most []Amount
}

// Result is a tool call as the model sees it.
type Result struct {
	Text     string          // JSON, redacted, fenced, at most ResultBytes
	Full     json.RawMessage // before it was cut; redacted and fenced too
	IsError  bool
	Code     string // of an error
	ActionID string // of a proposal
	Outcome  string // ok, error, proposed, refused
}

// Proposal is a tool call of a higher grade, on its way to a person.
type Proposal struct {
	Tool    Tool
	Args    json.RawMessage // canonical
	Scope   Scope
	RoomID  string // "" outside of a conversation
	TurnID  string
	Claim   string   // the model's own words, at most 300 characters
	Taint   []string // untrusted sources that were read in the turn: tool names
	Permits []string // permissions that the model named itself; nil: the tool's
	Limits  []Amount
	TTL     time.Duration
}

// Proposed is what became of a Proposal.
type Proposed struct {
	ActionID  string    `json:"actionId"`
	State     string    `json:"state"`
	ExpiresAt time.Time `json:"expiresAt"`
	Existing  bool      `json:"existing,omitempty"` // the same was proposed already
	Warnings  []string  `json:"warnings,omitempty"` // such as an open unknown outcome of the same quote
}

// Proposer keeps actions (ai/action).
type Proposer interface {
	Propose(ctx context.Context, p Proposal) (Proposed, error)
	// Status is an action of this origin, as the model may see it.
	Status(ctx context.Context, s Scope, actionID string) (any, error)
	// Pending is the open actions of this origin, and of others only how many.
	Pending(ctx context.Context, s Scope) (any, error)
}
