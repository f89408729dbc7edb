package model

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Options configure a Server.
type Options struct {
	Script Script
	Addr   string // default 127.0.0.1:0
	Key    string // what Authorization must carry; "" asks for none
	// Pause waits between the pieces of a slow answer; nil for the machine's timer.
	Pause func(ctx context.Context, d time.Duration) error
}

// Server is a model service on a local port.
type Server struct {
	URL string // with /v1: the base URL of a connection
}

// Request is one that the server was asked.
type Request struct {
	Method        string
	Path          string
	Authorization string
	Body          json.RawMessage
	Step          int // the step that was played; -1 for none
}

// Start listens and serves until Close or the end of ctx.
func Start(ctx context.Context, o Options) (*Server, error) {
	return nil, fault.New(fault.Internal, "sandbox/model: not built yet")
}

// Requests returns what the server was asked so far.
func (s *Server) Requests() []Request { return nil }

// Close ends the server and all its answers.
func (s *Server) Close() error { return nil }
