package provider

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"

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
	Verify time.Duration // of Models and Check; default 15 s
}

// String keeps the key out of whatever prints the options.
func (o Options) String() string { return "options of a model at " + o.BaseURL }

// GoString is String, for %#v.
func (o Options) GoString() string { return o.String() }

// Timer is what a deadline needs of *time.Timer.
type Timer interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// client is a connection's ai.Model. It is safe for concurrent use.
type client struct {
	o      Options
	name   string
	openai *openai.Client
	prefer func(model string) bool // models that name the limit of tokens anew

	// What the service was seen to refuse, so that it is not asked again.
	noOptions, noStream atomic.Bool
	signed              atomic.Bool // it wants a signature with each call

	mu     sync.Mutex
	extras map[string][]byte // what the service wants back with a call, by the call's id
}

// New returns the model of a connection: nothing is sent yet. A base URL or key
// that can't be used is a usage fault.
func New(o Options) (ai.Model, error) {
	if o.Transport == nil || o.Now == nil {
		return nil, fault.New(fault.Internal, "provider: Transport and Now are required")
	}
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.Key = strings.TrimSpace(o.Key); !usable(o.Key) {
		return nil, fault.New(fault.Usage, "the key for %s has characters that no key has", base.Host).
			Hintf("give the key alone, without quotes, spaces or line ends")
	}
	o.BaseURL = strings.TrimRight(base.String(), "/")
	o.Total, o.Idle, o.Verify = cmp.Or(o.Total, 120*time.Second), cmp.Or(o.Idle, time.Minute), cmp.Or(o.Verify, 15*time.Second)
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.AfterFunc == nil {
		o.AfterFunc = func(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
	}
	c := &client{o: o, name: cmp.Or(o.Name, base.Host), extras: map[string][]byte{}}
	c.prefer = func(model string) bool { return base.Hostname() == "api.openai.com" || reasons(model) }
	conf := openai.DefaultConfig("") // the key stays with the doer: no error of the library can hold it
	conf.BaseURL, conf.HTTPClient = o.BaseURL, newDoer(c)
	c.openai = openai.NewClientWithConfig(conf)
	return c, nil
}

// String names the service; it keeps the key out of whatever prints a model.
func (c *client) String() string { return "model at " + c.name }

// GoString is String, for %#v.
func (c *client) GoString() string { return c.String() }

func parseBase(s string) (*url.URL, error) {
	bad := func(why string) error {
		return fault.New(fault.Usage, "the base URL %s %s", fault.Excerpt(s, 120), why).
			Hintf("a base URL looks like https://api.openai.com/v1")
	}
	u, err := url.Parse(s)
	switch {
	case s == "":
		return nil, fault.New(fault.Usage, "a connection to this service needs a base URL").
			Hintf("a base URL looks like https://api.openai.com/v1")
	case err != nil || u.Host == "" || u.Hostname() == "":
		return nil, bad("is no URL with a host")
	case u.User != nil:
		return nil, fault.New(fault.Usage, "the base URL has credentials in it").Hintf("give the key as the connection's key")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, bad("has a query or a fragment")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, bad("is plain http, and the key would be readable on the way")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, bad("is neither https nor http")
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func usable(key string) bool {
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return len(key) < 4096
}

// sleep waits for d or for the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Check asks the model for one token: how a connection is verified where a
// service has no list of models.
func Check(ctx context.Context, m ai.Model, model string) error {
	if c, ok := m.(*client); ok {
		var end func()
		ctx, end = c.deadline(ctx, c.o.Verify)
		defer end()
	}
	_, err := m.Step(ctx, ai.Request{Model: model, MaxTokens: 1, Messages: []ai.Message{{Role: ai.RoleUser, Text: "Say ok."}}}, nil)
	if e := fault.From(err); e != nil && e.Details["finish"] == finishLength {
		return nil // it answered, and was cut before its first word
	}
	return err
}
