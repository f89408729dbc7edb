package market

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// OpenSeaBase is the production API.
const OpenSeaBase = "https://api.opensea.io"

// Options configure a Client. Rules, Transport and Rand are required, and every
// zero of the others is a sensible default.
type Options struct {
	Rules   Rules
	BaseURL string // default OpenSeaBase; plain http only on loopback
	APIKey  Key    // sent to BaseURL and nowhere else
	// KeyOptional lets requests go without a key (the sandbox).
	KeyOptional bool
	// Agent asks a serve that proxies the marketplace, at BaseURL, in place of the
	// marketplace; no API key is sent then.
	Agent     *Agent
	Transport http.RoundTripper
	// Rand returns a number in [0, n), for the jitter of retries.
	Rand func(n int64) int64

	// Clock is the machine's, by which is waited; default Rules.Now.
	Clock func() time.Time
	// Pacer is shared by clients that must not be faster together than one is
	// alone; default one of its own.
	Pacer *Pacer
	// Waiting is told of waits that people will notice, if it is not nil.
	Waiting func(d time.Duration)
	// Slugs are the marketplace's slugs of collections that it calls otherwise than
	// the allowlist does, by the allowlist's.
	Slugs map[string]string

	Timeout  time.Duration // of one attempt, body included; default 15 s
	MaxWait  time.Duration // longest single wait for a turn; default 65 s: a window of a minute passes
	MaxBody  int64         // largest answer, unpacked; default 8 MiB
	MaxPages int           // most pages read for one query; default 20
	MaxBytes int64         // most bytes of pages read for one query; default 64 MiB
	MaxTime  time.Duration // after which no further page is asked for; default 3 min

	Every        time.Duration // between two reads; default 500 ms, and none on loopback
	EveryFulfill time.Duration // between two fulfilment requests; default 1 s, and none on loopback
}

// unlimited is an Every that spaces nothing.
const unlimited = -1

// burst is how many requests of a kind may go out at once after a pause. A
// fulfilment key that was made on the spot is served five times a minute.
const burst = 4

// Client speaks OpenSea's v2 API. It is safe for concurrent use and holds no
// goroutines.
type Client struct {
	rules    Rules
	base     *url.URL
	http     *http.Client
	key      func() Key // a func, so that printing a Client can't show it
	keyless  bool
	agent    string // asks a proxy with key as its token; "" asks the marketplace
	pacer    *Pacer
	slugs    map[string]string
	asker    string // tells the lanes of one key from another's
	every    [2]time.Duration
	clock    func() time.Time
	rand     func(int64) int64
	waiting  func(time.Duration)
	timeout  time.Duration
	maxWait  time.Duration
	maxBody  int64
	maxPages int
	maxBytes int64
	maxTime  time.Duration
}

// New returns a client; nothing is sent and the key is not needed yet. A bad
// base URL is a usage fault.
func New(o Options) (*Client, error) {
	if o.Rules.Now == nil || o.Transport == nil || o.Rand == nil {
		return nil, errors.New("market: Rules.Now, Transport and Rand are required")
	}
	base, err := parseBase(cmp.Or(o.BaseURL, OpenSeaBase))
	if err != nil {
		return nil, err
	}
	every := [2]time.Duration{cmp.Or(o.Every, 500*time.Millisecond), cmp.Or(o.EveryFulfill, time.Second)}
	if isLoopback(base.Hostname()) {
		// Nobody else is served there, and it says itself when it has enough.
		every = [2]time.Duration{cmp.Or(o.Every, unlimited), cmp.Or(o.EveryFulfill, unlimited)}
	}
	if o.Clock == nil {
		o.Clock = o.Rules.Now
	}
	if o.Pacer == nil {
		o.Pacer = NewPacer(o.Clock, o.Rand, "")
	}
	key := Key(strings.TrimSpace(string(o.APIKey)))
	agent := ""
	if o.Agent != nil {
		agent, key = o.Agent.ID, o.Agent.Token
	}
	return &Client{
		agent: agent,
		rules: o.Rules, base: base, key: func() Key { return key }, keyless: o.KeyOptional, rand: o.Rand,
		http: &http.Client{
			Transport: o.Transport,
			// net/http would carry x-api-key to wherever a redirect points.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		pacer: o.Pacer, slugs: o.Slugs, asker: key.asker(), every: every, clock: o.Clock, waiting: o.Waiting,
		timeout: cmp.Or(o.Timeout, 15*time.Second), maxWait: cmp.Or(o.MaxWait, 65*time.Second),
		maxBody: cmp.Or(o.MaxBody, 8<<20), maxPages: cmp.Or(o.MaxPages, 20),
		maxBytes: cmp.Or(o.MaxBytes, 64<<20), maxTime: cmp.Or(o.MaxTime, 3*time.Minute),
	}, nil
}

// lane names the queue of a request: fulfilments are counted apart.
func (c *Client) lane(r request) string {
	kind := "read"
	if r.doing == doingFulfill {
		kind = "fulfil"
	}
	return c.base.Host + " " + kind + " " + c.asker
}

func (c *Client) paceOf(r request) pace {
	every := c.every[0]
	if r.doing == doingFulfill {
		every = c.every[1]
	}
	return pace{max(every, 0), burst}
}

// parseBase checks where the key will be sent.
func parseBase(s string) (*url.URL, error) {
	// The text is not shown: people put credentials into URLs.
	bad := func(why string) error {
		return fault.New(fault.Usage, "the marketplace base URL %s", why).
			Hintf("a good one is %s", OpenSeaBase)
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "":
		return nil, bad("is no URL with a host")
	case u.User != nil:
		return nil, bad("has credentials in it")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, bad("has a query or a fragment")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, bad("is plain http, and the key would be readable on the way")
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
func (c *Client) String() string { return "market client for " + c.Name() }

// What a failed request was for, as the start of its message.
const (
	doingCollection = "collection lookup"
	doingListings   = "live listing lookup"
	doingFulfill    = "fulfilment request"
)

// BestListing returns the cheapest listing of one token.
func (c *Client) BestListing(ctx context.Context, slug, contract, tokenID string) (Listing, error) {
	q := ListQuery{Slug: slug, Contract: contract, TokenID: tokenID}
	if err := checkToken(tokenID); err != nil {
		return Listing{}, err
	}
	at, err := c.target(ctx, &q)
	if err != nil {
		return Listing{}, err
	}
	raw, err := c.best(ctx, at.slug, tokenID)
	if err != nil {
		return Listing{}, err
	}
	if raw == nil {
		return Listing{}, noListing(slug, tokenID, nil)
	}
	l, skip := c.rules.pick(raw, slug, at.contract, tokenID)
	if skip != nil {
		return Listing{}, noListing(slug, tokenID, skip)
	}
	return l, nil
}

// Fulfillment asks for the transaction that fills one order, one unit of it,
// without optional fees. It reads: nothing changes at the marketplace. Yet it is
// sent again only after a rate limit said it was not served, since each answer
// is signed for seconds and few are given a minute.
func (c *Client) Fulfillment(ctx context.Context, r FulfillRequest) (Fulfillment, error) {
	r, err := r.check()
	if err != nil {
		return Fulfillment{}, err
	}
	b, err := c.post(ctx, doingFulfill, fulfillBody(r, c.rules.Chain), c.fulfillmentAt())
	if isStatus(err, http.StatusNotFound) || isStatus(err, http.StatusGone) {
		return Fulfillment{}, noOrder(err, r.OrderHash)
	}
	if err != nil {
		return Fulfillment{}, err
	}
	f, err := parseFulfillment(b)
	if err != nil {
		return Fulfillment{}, unusable(err, doingFulfill, c.Name())
	}
	return f, nil
}

func noOrder(err error, order string) error {
	return fault.Wrap(err, fault.NotFound, "order %s is not for sale any more", order).
		Hintf("quote the token again: ape-claw nft quote")
}
