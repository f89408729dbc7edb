package mcp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/ape-claw/ape-claw/ai"
)

// Invocation is the engine's side of one session: it checks the arguments, runs
// what reads, proposes the rest, records, and never panics.
type Invocation interface {
	Call(ctx context.Context, name, args string) ai.Result
}

// Session says for whom an invocation begins.
type Session struct {
	Scope  ai.Scope
	Preset ai.Preset
}

// Options are what a server is made of.
type Options struct {
	// Begin starts an invocation of the engine.
	Begin func(ctx context.Context, s Session) (Invocation, error)
	// Tools lists what a preset has, sorted by name.
	Tools func(p ai.Preset) []ai.Tool
	// Preset is what a client without a token has: the one at stdin.
	Preset  ai.Preset
	Version string
	Docs    Docs
	// Open counts the open proposals of an origin; nil counts none.
	Open func(ctx context.Context, origin string) (int, error)
	// Watch gives a context that ends when models are stopped; nil is none.
	Watch func(ctx context.Context) (context.Context, context.CancelFunc)
	// NewID makes the id of a session.
	NewID  func() string
	Now    func() time.Time
	Logger *slog.Logger // nil logs nothing
}

// Docs are the resources, in Markdown.
type Docs struct {
	Guide string // docs://guide
	API   string // docs://api
}

// Verify tells whose a bearer token is: the client's name, and its tools.
type Verify func(ctx context.Context, token string) (client string, p ai.Preset, err error)

// Server serves one set of tools, to any number of clients.
type Server struct {
	opts Options
}

// New returns a server. It does nothing before Run or Handler.
func New(opts Options) *Server { return &Server{opts: opts} }

// Run serves the one client at in and out until it leaves or ctx ends. Out gets
// lines of JSON-RPC and nothing else.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return errors.New("not built yet")
}

// Handler serves clients over streamable HTTP. Each request carries a token that
// verify knows; a token that is revoked ends its sessions.
func (s *Server) Handler(verify Verify) http.Handler {
	return http.NotFoundHandler()
}

// Close ends the sessions of the handlers.
func (s *Server) Close() {}
