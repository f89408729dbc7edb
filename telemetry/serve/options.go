// Package serve is the HTTP face of the event log: the live stream at /events,
// its backlog, a few read-only views, and the embedded page. Domain packages
// mount their own handlers beside it.
package serve

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
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
	// DefaultMaxPerAddress is the streams of one address that is not loopback.
	DefaultMaxPerAddress = 64
)

// EventLog is what the server reads. *telemetry.Log is one.
type EventLog interface {
	End(ctx context.Context) (telemetry.Cursor, error)
	Oldest(ctx context.Context) (telemetry.Cursor, error)
	ReadAfter(ctx context.Context, after telemetry.Cursor, maxLines, maxBytes int) ([]telemetry.Line, telemetry.Cursor, error)
	TailWithin(ctx context.Context, n int, within int64, match func(line []byte) bool) (telemetry.Tail, error)
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
	// handler that streams must clear the read and write deadlines itself. What
	// is no GET or HEAD needs an agent's credentials from everybody, and so does
	// a handler that is wrapped by Private; AgentID says whose they were. One that is
	// wrapped by OwnAuth asks for itself.
	Mounts map[string]http.Handler

	// Ingest takes the events of POST /api/events; nil: there is no such route.
	Ingest Ingester

	// Gauges are further numbers for /metrics, read at each scrape.
	Gauges func(ctx context.Context) []Gauge

	// Auth knows who may call. Without it nobody can prove anything: whatever
	// needs credentials is refused.
	Auth Authenticator
	// Registrar registers agents for whom Registration lets; nil: nobody registers.
	Registrar    Registrar
	Registration Registration
	// RequireAuth asks programs on this machine for credentials too.
	RequireAuth bool
	// Insecure lets everybody who can reach the address read without
	// credentials. Writes and private views need them all the same.
	Insecure bool

	// AllowedHosts are names this server may be called by, beside loopback.
	AllowedHosts []string
	// CORSOrigins are other sites, scheme://host[:port] each, whose pages may
	// read here.
	CORSOrigins []string
	// TrustedProxies are believed when they say whom they speak for.
	TrustedProxies []netip.Prefix

	Heartbeat  time.Duration // between comments on an idle stream
	Patience   time.Duration // how long a client may accept no byte before it counts as gone
	MaxClients int           // streams open at once; more get 503
	RingBytes  int           // encoded frames kept in memory for all clients together
	MaxBody    int64         // bytes of a request body

	MaxPerAddress int    // streams of one address that is not loopback; more get 429
	Limits        Limits // requests of one address, or agent, that is not loopback

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
	if o.MaxPerAddress <= 0 {
		o.MaxPerAddress = DefaultMaxPerAddress
	}
	o.Limits = o.Limits.withDefaults()
	if o.RequireAuth && o.Insecure {
		return o, fault.New(fault.Usage, "--require-auth and --insecure contradict each other").Hintf("leave out one of them")
	}
	if o.RequireAuth && o.Auth == nil {
		return o, fault.New(fault.Internal, "serve: RequireAuth needs Auth")
	}
	if err := checkOrigins(o.CORSOrigins); err != nil {
		return o, err
	}
	if err := checkHosts(o.AllowedHosts); err != nil {
		return o, err
	}
	if o.Redactor == nil {
		o.Redactor = telemetry.NewRedactor()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

// checkHosts refuses what no Host header is compared with: a name that never
// matches would be a riddle.
func checkHosts(hosts []string) error {
	for _, h := range hosts {
		if h == "" || hostOf(h) != strings.ToLower(h) || strings.ContainsFunc(h, notInHost) {
			return fault.New(fault.Usage, "--allow-host %q is not a plain name or address", clip(h)).
				Hintf("without scheme, port and wildcards: ape-claw serve --allow-host claw.example")
		}
	}
	return nil
}

func notInHost(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("*/?#@[]\\,;%\"", r)
}
