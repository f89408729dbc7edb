package provider

import (
	"context"
	"net/http"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Options configure a connection's model. BaseURL, Transport and Now are
// required, and every zero of the others is a sensible default.
type Options struct {
	Name    string // of the service or connection, for messages; default the host
	BaseURL string // such as https://api.openai.com/v1; plain http only on loopback
	Key     string `json:"-"` // sent to BaseURL and nowhere else; "" for none
	// Price makes costs of tokens where the service does not tell them.
	Price *Price

	Transport http.RoundTripper
	Now       func() time.Time
	// Rand returns a number in [0, n), for the jitter of retries; nil for none.
	Rand func(n int64) int64
	// Sleep waits for d or for the end of ctx; nil for the machine's timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// AfterFunc is time.AfterFunc, for the deadlines; nil for it.
	AfterFunc func(d time.Duration, f func()) Timer

	Total  time.Duration // of a step, with all its tries; default 120 s
	Idle   time.Duration // without a byte of the stream; default 60 s
	Verify time.Duration // of Models; default 15 s
}

// Timer is what a deadline needs of *time.Timer.
type Timer interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// Price is what a million tokens cost, in millionths of a US dollar.
type Price struct {
	Input     int64 `json:"input"`
	CacheRead int64 `json:"cacheRead"`
	Output    int64 `json:"output"`
}

// New returns the model of a connection: nothing is sent yet. A base URL or key
// that can't be used is a usage fault.
func New(o Options) (ai.Model, error) {
	return nil, fault.New(fault.Internal, "provider: not built yet")
}

// Check asks the model for one token, where a service has no list of models to
// verify a connection by.
func Check(ctx context.Context, m ai.Model, model string) error {
	return fault.New(fault.Internal, "provider: not built yet")
}
