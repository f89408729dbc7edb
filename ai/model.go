package ai

import (
	"context"
	"encoding/json"
)

// Role says whose a message is.
type Role string

// The roles of a conversation with a model.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of what a model is shown.
type Message struct {
	Role   Role       `json:"role"`
	Text   string     `json:"text,omitempty"`
	Calls  []ToolCall `json:"calls,omitempty"`  // of the assistant
	CallID string     `json:"callId,omitempty"` // of a tool's result
}

// ToolCall is a model's wish. Args are as the model wrote them: nothing repairs
// them.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// ToolDecl tells a model of a tool.
type ToolDecl struct {
	Name, Description string
	Schema            json.RawMessage
}

// Request is one step of a turn.
type Request struct {
	Model     string
	System    string
	Messages  []Message
	Tools     []ToolDecl // sorted by name: a prompt that is byte-stable can be cached
	MaxTokens int        // 0: the provider's own
}

// Usage is what a step cost; nil is what the provider did not tell.
type Usage struct {
	Input      *int64 `json:"input"`
	Output     *int64 `json:"output"`
	CacheRead  *int64 `json:"cacheRead"`
	CostMicros *int64 `json:"costMicros"` // millionths of a US dollar
}

// Reply is a whole step.
type Reply struct {
	Text   string
	Calls  []ToolCall
	Model  string // the one that answered
	Finish string // stop, tool_calls, length, content_filter
	Usage  Usage
}

// Model is a connection's provider. An implementation retries by one policy, has
// hard deadlines, and never retries once it handed on output. Its errors are
// faults (ProviderError, ProviderAuth, RateLimited, Timeout) without a secret and
// without the provider's text beyond a short, cleaned excerpt.
type Model interface {
	// Step asks for one step; on gets the text as it arrives and may be nil.
	Step(ctx context.Context, r Request, on func(text string)) (Reply, error)
	// Models lists what the provider offers, in exactly one request.
	Models(ctx context.Context) ([]string, error)
}
