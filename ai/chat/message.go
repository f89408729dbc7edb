package chat

import (
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The kinds of blocks that messages are made of.
const (
	BlockText     = "text"             // Text
	BlockUse      = "tool_use"         // CallID, Tool, Args: as the model wrote them
	BlockResult   = "tool_result"      // CallID, Tool, Text (fenced), Outcome, Code, Ms
	BlockExpanded = "command.expanded" // Text: what the model was told in place of a command
	BlockProposal = "action.proposal"  // ActionID
	BlockOutcome  = "action.result"    // ActionID, CallID, State, Text (fenced)
	BlockNotice   = "notice"           // Text, of the program
	BlockError    = "error"            // Code, Text
)

// Block is a part of a message.
type Block struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	CallID   string `json:"callId,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Args     string `json:"args,omitempty"`
	Outcome  string `json:"outcome,omitempty"`
	Code     string `json:"code,omitempty"`
	ActionID string `json:"actionId,omitempty"`
	State    string `json:"state,omitempty"`
	Ms       int64  `json:"ms,omitempty"`
}

// The roles of stored messages, beside those that a model has (ai.Role).
const RoleSystem ai.Role = "system" // notices of the program; a model does not see them

// Program is the author of what neither a person nor a model said.
const Program = "ape-claw"

// The statuses of a message.
const (
	StatusOK        = "ok"
	StatusFailed    = "failed"
	StatusCancelled = "cancelled"
)

// Message is an entry of a conversation.
type Message struct {
	ID        string    `json:"id"`
	Seq       int64     `json:"seq"`
	Role      ai.Role   `json:"role"`
	Author    string    `json:"author"`
	Blocks    []Block   `json:"blocks"`
	Status    string    `json:"status"`
	Error     *Failure  `json:"error,omitempty"`
	Usage     *ai.Usage `json:"usage,omitempty"`
	TurnID    string    `json:"turnId,omitempty"`
	TraceID   string    `json:"traceId,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
}

// Failure is why something ended as it did.
type Failure struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
}

// Room is a conversation.
type Room struct {
	ID         string    `json:"id"`
	Title      string    `json:"title"`
	Connection string    `json:"connection"`
	Messages   int64     `json:"messages"` // how many, which is also the last seq
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
	Running    bool      `json:"running"` // a turn of a live process
}

// The states of a turn.
const (
	TurnRunning     = "running"
	TurnDone        = "done"
	TurnFailed      = "failed"
	TurnCancelled   = "cancelled"
	TurnInterrupted = "interrupted" // its process ended without ending it
)

// The causes of a turn.
const (
	CauseUser     = "user"
	CauseCallback = "callback"
)

// Turn is one answer of a model, and what it did on the way.
type Turn struct {
	ID         string   `json:"turnId"`
	Room       string   `json:"conversation"`
	Connection string   `json:"connection"`
	Cause      string   `json:"cause"`
	State      string   `json:"state"`
	TraceID    string   `json:"traceId"`
	Model      string   `json:"model,omitempty"` // the one that answered
	Text       string   `json:"text"`            // of the last step
	ToolCalls  int      `json:"toolCalls"`
	Actions    []string `json:"actions,omitempty"` // that were proposed
	Notice     string   `json:"notice,omitempty"`  // what was unusual about how it ended
	Usage      ai.Usage `json:"usage"`
	DurationMs int64    `json:"durationMs"`
	LastSeq    int64    `json:"lastSeq"`
	Error      *Failure `json:"error,omitempty"`
}
