package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Invocation is the engine's side of a session: it checks the arguments, runs
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
	CLI     string // how a command for the person begins; "" is "ape-claw"
	Docs    Docs
	// Record writes what the engine does not see: calls that come too fast. nil
	// records nothing.
	Record func(ctx context.Context, s ai.Scope, d telemetry.Draft) error
	// Watch gives a context that ends when models are stopped; nil is none.
	Watch func(ctx context.Context) (context.Context, context.CancelFunc)
	// NewID makes the id of a session.
	NewID  func() string
	Now    func() time.Time
	Logger *slog.Logger // nil logs nothing
	// Extend adds what a program offers beside the tools; nil adds nothing.
	Extend *Extension
}

// Extension changes what is built for a preset, before and after it is made.
type Extension struct {
	Options func(*sdk.ServerOptions)
	Server  func(*sdk.Server)
}

// Docs are the resources, in Markdown.
type Docs struct {
	Guide string // docs://guide
	API   string // docs://api
}

// Server serves one set of tools, to any number of clients.
type Server struct {
	opts Options
	life context.Context // ends with Close
	end  context.CancelFunc

	mu       sync.Mutex // guards what follows
	servers  map[string]*sdk.Server
	sessions map[*sdk.ServerSession]*session
	clients  map[string]*client
}

// New returns a server. It does nothing before Run or Handler.
func New(opts Options) *Server {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.CLI == "" {
		opts.CLI = "ape-claw"
	}
	s := &Server{opts: opts, servers: map[string]*sdk.Server{}, sessions: map[*sdk.ServerSession]*session{}, clients: map[string]*client{}}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Close stops the calls that run and ends the sessions.
func (s *Server) Close() {
	s.end()
	s.mu.Lock()
	open := maps.Clone(s.sessions)
	s.mu.Unlock()
	for ss, sess := range open {
		s.hangUp(ss, sess)
	}
}

// hangUp ends a session: its calls first, for the SDK waits for them. That the
// connection is gone already is no trouble.
func (s *Server) hangUp(ss *sdk.ServerSession, sess *session) {
	sess.end()
	if err := ss.Close(); err != nil {
		s.opts.Logger.Debug("mcp: close", "session", ss.ID(), "cause", err.Error())
	}
}

// session is what is known of a client's connection. Whom it acts for is settled
// when the session is first seen: what a client says of itself later changes nothing.
type session struct {
	scope  ai.Scope
	client *client
	turn   chan struct{} // holds one: calls of a session run in their order
	life   context.Context
	end    context.CancelFunc

	preset ai.Preset // guarded by turn, as is inv
	inv    Invocation
}

// known returns the session of a request, and makes it on the first one.
func (s *Server) known(ss *sdk.ServerSession, info *sdk.Implementation, extra *sdk.RequestExtra) (*session, error) {
	id := identify(info, extra)
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.sessions[ss]; have != nil {
		return have, nil
	}
	if s.life.Err() != nil {
		return nil, fault.New(fault.Canceled, "the server is closing").WithSent(fault.SentNo)
	}
	sid := ss.ID()
	if sid == "" {
		sid = s.opts.NewID()
	}
	out := &session{turn: make(chan struct{}, 1),
		scope: ai.Scope{AgentID: agentPrefix + id.name, SessionID: sid, Source: "mcp"}}
	out.life, out.end = context.WithCancel(s.life)
	if id.token { // whoever has the token shares its limits, in however many sessions
		if out.client = s.clients[id.name]; out.client == nil {
			out.client = &client{}
			s.clients[id.name] = out.client
		}
	} else {
		out.client = &client{}
	}
	s.sessions[ss] = out
	go func() {
		// Why it ended is of no interest here: that it did is.
		_ = ss.Wait()
		out.end()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.sessions, ss)
	}()
	return out, nil
}

// invocation returns the session's invocation, a new one when the tools that the
// client may use are others than before. The caller holds the session's turn.
func (s *Server) invocation(ctx context.Context, sess *session, p ai.Preset) (Invocation, error) {
	if sess.inv != nil && same(sess.preset, p) {
		return sess.inv, nil
	}
	inv, err := s.opts.Begin(ctx, Session{Scope: sess.scope, Preset: p})
	if err != nil {
		return nil, err
	}
	sess.inv, sess.preset = inv, p
	return inv, nil
}

func same(a, b ai.Preset) bool { return a.Name == b.Name && slices.Equal(a.Enabled, b.Enabled) }

// forPreset returns the SDK's server with the tools of a preset. A tool that the
// preset lacks is not there at all.
func (s *Server) forPreset(p ai.Preset) *sdk.Server {
	key, err := json.Marshal(p)
	if err != nil {
		return nil // strings always marshal
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.servers[string(key)]; have != nil {
		return have
	}
	made := s.build(p)
	s.servers[string(key)] = made
	return made
}
