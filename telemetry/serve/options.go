// Package serve is the HTTP face of the event log: the live stream at /events,
// its backlog, a few read-only views, and the embedded page. Domain packages
// mount their own handlers beside it.
package serve

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Defaults of Options.
const (
	DefaultAddr       = "127.0.0.1:8787"
	DefaultHeartbeat  = 15 * time.Second
	DefaultPatience   = 5 * time.Minute
	DefaultMaxClients = 512
	DefaultRingBytes  = 16 << 20
	DefaultMaxBody    = 2 << 20
)

// EventLog is what the server reads. *telemetry.Log is one.
type EventLog interface {
	End(ctx context.Context) (telemetry.Cursor, error)
	Oldest(ctx context.Context) (telemetry.Cursor, error)
	ReadAfter(ctx context.Context, after telemetry.Cursor, maxLines, maxBytes int) ([]telemetry.Line, telemetry.Cursor, error)
	Tail(ctx context.Context, n int, match func(line []byte) bool) (telemetry.Tail, error)
	Watch(ctx context.Context) (<-chan struct{}, error)
	Stats() telemetry.Stats
}

// ProfileInfo says what world this server's commands act on; the page shows it.
type ProfileInfo struct {
	Sandbox bool  `json:"sandbox"`
	ChainID int64 `json:"chainId"`
}

// Options are what a Server is made of. Log is required; the rest has defaults.
type Options struct {
	Log     EventLog
	Addr    string // host:port; port 0 picks a free one
	Version string
	Profile ProfileInfo

	// Redactor looks over lines that others wrote before they are sent. The
	// default knows no secret, only the names of sensitive fields.
	Redactor *telemetry.Redactor

	// Mounts are handlers of domain packages by http.ServeMux pattern. A
	// handler that streams must clear the read and write deadlines itself.
	Mounts map[string]http.Handler

	// AllowedHosts are names this server may be called by, beside loopback.
	AllowedHosts []string
	// Insecure permits an address that is not loopback although nothing asks
	// callers who they are.
	Insecure bool

	Heartbeat  time.Duration // between comments on an idle stream
	Patience   time.Duration // how long a client may accept no byte before it counts as gone
	MaxClients int           // streams open at once; more get 503
	RingBytes  int           // encoded frames kept in memory for all clients together
	MaxBody    int64         // bytes of a request body

	Now      func() time.Time // the wall clock, for deadlines and the health view
	Logger   *slog.Logger
	Listener net.Listener // used instead of binding Addr
}

func (o Options) withDefaults() (Options, error) {
	if o.Log == nil || o.Now == nil {
		return o, fault.New(fault.Internal, "serve: Log and Now are required")
	}
	if o.Addr == "" {
		o.Addr = DefaultAddr
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = DefaultHeartbeat
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if o.MaxClients <= 0 {
		o.MaxClients = DefaultMaxClients
	}
	if o.RingBytes <= 0 {
		o.RingBytes = DefaultRingBytes
	}
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Redactor == nil {
		o.Redactor = telemetry.NewRedactor()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, nil
}
