package market

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

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
	Transport   http.RoundTripper
	// Rand returns a number in [0, n), for the jitter of retries.
	Rand func(n int64) int64

	Timeout   time.Duration // of one attempt, body included; default 15 s
	MaxWait   time.Duration // longest single wait before a retry; default 30 s
	MaxBody   int64         // largest answer; default 8 MiB
	MaxPages  int           // most pages read for one query; default 20
	Rate      rate.Limit    // requests a second; default 2, and none on loopback
	RateBurst int           // default 4
}

// Client speaks OpenSea's v2 API. It is safe for concurrent use and holds no
// goroutines.
type Client struct {
	rules    Rules
	base     *url.URL
	http     *http.Client
	key      func() Key // a func, so that printing a Client can't show it
	keyless  bool
	limiter  *rate.Limiter
	rand     func(int64) int64
	timeout  time.Duration
	maxWait  time.Duration
	maxBody  int64
	maxPages int
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
	limit := rate.Limit(2)
	if isLoopback(base.Hostname()) {
		// Nobody else is served there, and it says itself when it has enough.
		limit = rate.Inf
	}
	key := Key(strings.TrimSpace(string(o.APIKey)))
	return &Client{
		rules: o.Rules, base: base, key: func() Key { return key }, keyless: o.KeyOptional, rand: o.Rand,
		http: &http.Client{
			Transport: o.Transport,
			// net/http would carry x-api-key to wherever a redirect points.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		limiter: rate.NewLimiter(cmp.Or(o.Rate, limit), cmp.Or(o.RateBurst, 4)),
		timeout: cmp.Or(o.Timeout, 15*time.Second), maxWait: cmp.Or(o.MaxWait, 30*time.Second),
		maxBody: cmp.Or(o.MaxBody, 8<<20), maxPages: cmp.Or(o.MaxPages, 20),
	}, nil
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
		return nil, bad("is plain http, and the API key would be readable on the way")
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

// Collection returns the collection of a slug and its contract on our chain.
func (c *Client) Collection(ctx context.Context, slug string) (Collection, error) {
	if err := checkSlug(slug); err != nil {
		return Collection{}, err
	}
	b, err := c.get(ctx, doingCollection, nil, "api/v2/collections", slug)
	if isStatus(err, http.StatusNotFound) {
		return Collection{}, c.noCollection(err, slug)
	}
	if err != nil {
		return Collection{}, err
	}
	col, err := c.rules.collection(b, slug)
	if err != nil {
		return Collection{}, unusable(err, doingCollection, c.Name())
	}
	return col, nil
}

func (c *Client) noCollection(err error, slug string) error {
	return fault.Wrap(err, fault.NotFound, "%s knows no collection %s", c.Name(), slug).
		Hintf("ape-claw market collections lists the known ones")
}

// Listings reads pages until the limit is reached, the pages end, or, in the
// cheapest-first order, a page is past the price limit. A query for one token
// asks for that token's best listing alone, unless All is set.
func (c *Client) Listings(ctx context.Context, q ListQuery) (Page, error) {
	contract, err := c.target(ctx, &q)
	if err != nil {
		return Page{}, err
	}
	col := newCollector(c.rules, q, contract)
	if q.TokenID != "" && !q.All {
		raw, err := c.best(ctx, q.Slug, q.TokenID)
		if err != nil || raw == nil {
			return Page{}, err
		}
		col.add([]json.RawMessage{raw})
		return col.finish(), nil
	}
	if err := c.pages(ctx, col); err != nil {
		return Page{}, err
	}
	return col.finish(), nil
}

// target checks the query and returns the contract its listings must be for.
func (c *Client) target(ctx context.Context, q *ListQuery) (string, error) {
	if err := checkQuery(*q); err != nil {
		return "", err
	}
	if q.Contract != "" {
		return checkAddress("contract", q.Contract)
	}
	col, err := c.Collection(ctx, q.Slug)
	return col.ContractAddress, err
}

func checkQuery(q ListQuery) error {
	if err := checkSlug(q.Slug); err != nil {
		return err
	}
	if q.TokenID != "" {
		return checkToken(q.TokenID)
	}
	return nil
}

// pageSize is the most OpenSea gives.
const pageSize = 200

func (c *Client) pages(ctx context.Context, col *collector) error {
	order, size := "best", min(col.q.Limit, pageSize)
	if col.q.All {
		order = "all"
	}
	if col.q.All || !col.q.MaxPrice.IsZero() || col.q.TokenID != "" {
		size = pageSize
	}
	query := url.Values{"limit": {strconv.Itoa(size)}}
	cursors := map[string]bool{}
	for n := 1; ; n++ {
		b, err := c.get(ctx, doingListings, query, "api/v2/listings/collection", col.q.Slug, order)
		if isStatus(err, http.StatusNotFound) {
			return c.noCollection(err, col.q.Slug)
		}
		if err != nil {
			return err
		}
		raws, next, err := parsePage(b)
		if err != nil {
			return unusable(err, doingListings, c.Name())
		}
		past := col.add(raws)
		switch {
		case next == "":
			return nil
		case cursors[next]:
			return unusable(errors.New("it repeats a page cursor"), doingListings, c.Name())
		case !col.q.All && past:
			return nil
		case !col.q.All && col.full(), n >= c.maxPages:
			col.page.More = true
			return nil
		}
		cursors[next] = true
		query.Set("next", next)
	}
}

// best returns the raw best listing of a token, nil when there is none.
func (c *Client) best(ctx context.Context, slug, tokenID string) (json.RawMessage, error) {
	b, err := c.get(ctx, doingListings, nil, "api/v2/listings/collection", slug, "nfts", tokenID, "best")
	if isStatus(err, http.StatusNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := decode(b, &fields); err != nil {
		return nil, unusable(err, doingListings, c.Name())
	}
	// Some answers say "none" with an empty object.
	if len(fields) == 0 {
		return nil, nil
	}
	return b, nil
}

// BestListing returns the cheapest listing of one token.
func (c *Client) BestListing(ctx context.Context, slug, contract, tokenID string) (Listing, error) {
	q := ListQuery{Slug: slug, Contract: contract, TokenID: tokenID}
	if err := checkToken(tokenID); err != nil {
		return Listing{}, err
	}
	contract, err := c.target(ctx, &q)
	if err != nil {
		return Listing{}, err
	}
	raw, err := c.best(ctx, slug, tokenID)
	if err != nil {
		return Listing{}, err
	}
	if raw == nil {
		return Listing{}, noListing(slug, tokenID, nil)
	}
	l, skip := c.rules.pick(raw, slug, contract, tokenID)
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
	b, err := c.post(ctx, doingFulfill, fulfillBody(r, c.rules.Chain), "api/v2/listings/fulfillment_data")
	if isStatus(err, http.StatusNotFound) {
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
