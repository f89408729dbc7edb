package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// RelayBase is where Relay answers.
const RelayBase = "https://api.relay.link"

// Options are what a Client needs.
type Options struct {
	BaseURL   string     // "" is RelayBase
	APIKey    market.Key // "" for none; it goes to the base and nowhere else
	Transport http.RoundTripper
	Now       func() time.Time
	Rand      func(n int64) int64 // in [0, n), for jitter

	Timeout time.Duration // of one attempt; 0 is 15 s
	MaxWait time.Duration // the longest wait between attempts; 0 is 30 s
	MaxBody int64         // 0 is 4 MiB
}

// Client speaks Relay's API. What it returns is spelt right and no more than a
// claim. It is safe for concurrent use and holds no goroutines.
type Client struct {
	base    *url.URL
	http    *http.Client
	key     func() market.Key // a func, so that printing a Client can't show it
	now     func() time.Time
	rand    func(int64) int64
	timeout time.Duration
	maxWait time.Duration
	maxBody int64
}

// NewClient returns a client; nothing is sent yet. A bad base URL is a usage fault.
func NewClient(o Options) (*Client, error) {
	if o.Transport == nil || o.Now == nil || o.Rand == nil {
		return nil, errors.New("bridge: Transport, Now and Rand are required")
	}
	base, err := parseBase(cmp.Or(o.BaseURL, RelayBase))
	if err != nil {
		return nil, err
	}
	key := market.Key(strings.TrimSpace(string(o.APIKey)))
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' {
			return nil, fault.New(fault.Auth, "the Relay API key has characters that no key has").
				Hintf("set RELAY_API_KEY to the key alone, without quotes or spaces").WithSent(fault.SentNo)
		}
	}
	return &Client{
		base: base, key: func() market.Key { return key }, now: o.Now, rand: o.Rand,
		http: &http.Client{
			Transport: o.Transport,
			// net/http would carry the key to wherever a redirect points.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		timeout: cmp.Or(o.Timeout, 15*time.Second), maxWait: cmp.Or(o.MaxWait, 30*time.Second), maxBody: cmp.Or(o.MaxBody, 4<<20),
	}, nil
}

// parseBase checks where the key will be sent.
func parseBase(s string) (*url.URL, error) {
	// The text is not shown: people put credentials into URLs.
	bad := func(why string) error {
		return fault.New(fault.Usage, "the bridge's base URL %s", why).Hintf("a good one is %s", RelayBase).WithSent(fault.SentNo)
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "":
		return nil, bad("is no URL with a host")
	case u.User != nil:
		return nil, bad("has credentials in it")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, bad("has a query or a fragment")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, bad("is plain http, and what it answers could be changed on the way")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, bad("is neither https nor http")
	}
	return u, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Name returns the host that answers.
func (c *Client) Name() string { return c.base.Host }

// String is Name; it keeps the fields, and with them every setting, out of logs.
func (c *Client) String() string { return "bridge client for " + c.Name() }

// What a failed request was for, as the start of its message.
const (
	doingChains = "reading the bridge's chains"
	doingQuote  = "the bridge quote"
	doingStatus = "reading the transfer's status"
)

// Quote asks for a route. It creates no obligation and moves nothing. The answer is
// for Judge.
func (c *Client) Quote(ctx context.Context, a Ask) ([]byte, error) {
	who := lower(a.Account)
	body, err := json.Marshal(map[string]any{
		"user": who, "recipient": who,
		// Without it a transfer that fails is not refunded by itself.
		"refundTo":      who,
		"originChainId": a.From, "destinationChainId": a.To,
		"originCurrency": lower(a.In), "destinationCurrency": lower(a.Out),
		"amount": a.Amount.String(), "tradeType": "EXACT_INPUT",
	})
	if err != nil {
		return nil, err
	}
	return c.do(ctx, request{doing: doingQuote, method: http.MethodPost, url: c.base.JoinPath("quote", "v2").String(), body: body})
}

// Chains reads what the bridge says of its chains.
func (c *Client) Chains(ctx context.Context) ([]Chain, error) {
	b, err := c.do(ctx, request{doing: doingChains, method: http.MethodGet, url: c.base.JoinPath("chains").String()})
	if err != nil {
		return nil, err
	}
	chains, err := parseChains(b)
	if err != nil {
		return nil, c.unusable(err, doingChains)
	}
	return chains, nil
}

// Status reads how a transfer stands. Where the answer says which request it is
// about, it is this one.
func (c *Client) Status(ctx context.Context, requestID string) (Claim, error) {
	if !isHash(requestID) {
		return Claim{}, fault.New(fault.Usage, "%s is no request id", quoted(requestID)).Hintf("it is 0x and 64 hex digits").WithSent(fault.SentNo)
	}
	// The endpoint that a quote names is not asked: it may be anybody's.
	u := c.base.JoinPath("intents", "status", "v3")
	u.RawQuery = url.Values{"requestId": {requestID}}.Encode()
	b, err := c.do(ctx, request{doing: doingStatus, method: http.MethodGet, url: u.String()})
	if err != nil {
		return Claim{}, err
	}
	claim, err := parseClaim(b, requestID)
	if err != nil {
		return Claim{}, c.unusable(err, doingStatus)
	}
	return claim, nil
}

// unusable is the fault of an answer that can't be read.
func (c *Client) unusable(err error, doing string) error {
	return fault.Wrap(err, fault.Upstream, "%s failed: the answer of %s can't be used: %s", doing, c.Name(), fault.Excerpt(err.Error(), maxSaid)).
		Hintf("try again in a while").WithSent(fault.SentNo)
}
