package api

import (
	"context"
	"net/http"
	"time"
)

// Caller is who sent a request, as the server proved it.
type Caller struct {
	ID string // "operator", or an agent, which may do nothing here
	// Session is the cookie of a browser that is logged in; "" for credentials in
	// headers, which read and propose nothing, but never approve.
	Session string
}

// Options are what the handler is made of; all of them are required.
type Options struct {
	Caller func(*http.Request) Caller
	// Fail answers with an error in the shape that all routes share.
	Fail func(http.ResponseWriter, error)
	// Open composes what one request works with, over configuration read anew. The
	// returned func releases it.
	Open func(context.Context) (Backend, func(), error)
	// Go runs what must outlive the request that began it: whoever serves waits
	// for it before the process ends.
	Go  func(func(context.Context))
	Now func() time.Time
}

// Backend is what there is behind the routes. A part that is nil answers 404.
// What its methods return is marshalled as it is; their errors are faults.
type Backend struct {
	Actions     Actions
	Connections Connections
	Operator    Operator
	Rooms       Rooms
	Switch      Switch
	Book        Book
}

// Confirmation is what a person gave to approve. The passphrase is not in it: it
// was given to the session, within the last ten minutes.
type Confirmation struct {
	Challenge    string            `json:"challenge"`
	FactsHash    string            `json:"factsHash"` // of the card that was shown
	Acknowledged bool              `json:"acknowledged"`
	Mismatch     bool              `json:"mismatch"` // that the claim contradicts the facts was read
	Identifiers  map[string]string `json:"identifiers"`
	Phrase       string            `json:"phrase"`
}

// Actions keeps what waits for a person. session binds a challenge to the browser
// that asked for it; it is no secret.
type Actions interface {
	List(ctx context.Context, state string) (any, error)
	Show(ctx context.Context, id string) (any, error)
	Explain(ctx context.Context, id string) (any, error)
	Challenge(ctx context.Context, id, session string) (any, error)
	// Approve returns once the action is this process's to execute; run does that.
	Approve(ctx context.Context, id, session string, c Confirmation) (out any, run func(context.Context), err error)
	Reject(ctx context.Context, id, session, reason string) (any, error)
	Permits(ctx context.Context) (any, error)
	Revoke(ctx context.Context, permit string) (any, error)
	Audit(ctx context.Context, limit int) (any, error)
}

// ConnectionIn is a connection as it is sent. What is nil stays as it is.
type ConnectionIn struct {
	Name         *string   `json:"name"`
	Service      *string   `json:"service"` // openai, openrouter, groq, gemini, ollama, other
	BaseURL      *string   `json:"baseUrl"`
	Model        *string   `json:"model"`
	KeyEnv       *string   `json:"keyEnv"`
	Key          *string   `json:"key"`
	Preset       *string   `json:"preset"`
	Enabled      *[]string `json:"enabled"` // tools of the preset custom
	Role         *string   `json:"role"`
	Traits       *string   `json:"traits"`
	Instructions *string   `json:"instructions"`
	Disabled     *bool     `json:"disabled"`
	Default      *bool     `json:"default"`
}

// Connections keeps the models' connections.
type Connections interface {
	List(ctx context.Context) (any, error)
	Show(ctx context.Context, id string) (any, error)
	Add(ctx context.Context, in ConnectionIn) (any, error)
	Set(ctx context.Context, id string, in ConnectionIn) (any, error)
	Remove(ctx context.Context, id string) (any, error)
	Verify(ctx context.Context, id string) (any, error)
	// SetSecret seals a key, or forgets it when it is "".
	SetSecret(ctx context.Context, id, key string) (any, error)
	Usage(ctx context.Context) (any, error)
}

// Operator is the person.
type Operator interface {
	// Initialized reports whether there is a passphrase.
	Initialized(ctx context.Context) (bool, error)
	// Prove gives a session the passphrase.
	Prove(ctx context.Context, session, passphrase string) error
	// Proved is until when the passphrase counts; zero when it was not given lately.
	Proved(ctx context.Context, session string) (time.Time, error)
}

// Rooms are the conversations.
type Rooms interface {
	List(ctx context.Context) (any, error)
	Messages(ctx context.Context, id string, after int64) (any, error)
	// Post runs the turn of a message, and tells once it has begun or can't.
	Post(ctx context.Context, id, text string, begun func(any, error))
	Cancel(ctx context.Context, id, turn string) (any, error)
}

// Switch is the kill switch.
type Switch interface {
	State(ctx context.Context) (any, error)
	Kill(ctx context.Context, reason string) (any, error)
	// Unkill removes the lines that the person was shown.
	Unkill(ctx context.Context, shown []string) (any, error)
}

// Book is what can be looked up.
type Book interface {
	Tools(ctx context.Context) (any, error)
	Commands(ctx context.Context) (any, error)
	MCPConfig(ctx context.Context, client string) (any, error)
	Guide(ctx context.Context) (any, error)
	Budget(ctx context.Context) (any, error)
}
