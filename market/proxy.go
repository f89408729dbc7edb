package market

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// proxyPatience is what one request may take, retries and waits included.
	proxyPatience = 40 * time.Second
	// proxyMaxBody is the largest request for a fulfilment.
	proxyMaxBody = 4 << 10
	// proxyMaxCursor is the longest page cursor.
	proxyMaxCursor = 2 << 10
)

// ProxyOptions are what a proxy works with. All are required.
type ProxyOptions struct {
	Client *Client // it has the API key
	// Agent is whose credentials came with a request; "" for none, and for who is no agent.
	Agent func(r *http.Request) string
	Fail  func(w http.ResponseWriter, err error) // writes an error answer
	Now   func() time.Time
	// Log takes what happened in full, for the operator.
	Log func(route string, err error)
}

// Proxy asks the marketplace for agents, who so need no API key: the key never leaves
// this process. It knows three reads, builds each request anew, and passes the answer
// on as it is; whoever asked judges it like the marketplace's own.
type Proxy struct {
	opt    ProxyOptions
	limits *proxyLimits
}

// NewProxy returns a proxy.
func NewProxy(opt ProxyOptions) *Proxy { return &Proxy{opt: opt, limits: newProxyLimits()} }

// Mounts are the routes, by http.ServeMux pattern. Whoever mounts them checks the
// credentials.
func (p *Proxy) Mounts() map[string]http.Handler {
	return map[string]http.Handler{
		"GET " + ProxyPrefix + "collections/{slug}": p.route("collections", readLane, p.collection),
		"GET " + ProxyPrefix + "listings/{slug}":    p.route("listings", readLane, p.listings),
		"POST " + ProxyPrefix + "fulfillment":       p.route("fulfillment", fulfillLane, p.fulfillment),
	}
}

// asking is what one route asks of the marketplace, once the request is found right.
type asking func(ctx context.Context) ([]byte, error)

func (p *Proxy) route(name string, l proxyLane, parse func(r *http.Request) (asking, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := p.answer(w, r, name, l, parse)
		if err != nil {
			p.opt.Fail(w, err)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		_, _ = w.Write(body) // an error here is the client's going away
	})
}

func (p *Proxy) answer(w http.ResponseWriter, r *http.Request, name string, l proxyLane, parse func(r *http.Request) (asking, error)) ([]byte, error) {
	agent := p.opt.Agent(r)
	if agent == "" {
		return nil, fault.New(fault.PermissionDenied, "the marketplace is asked for agents alone").
			Hintf("an agent is made by: ape-claw clawbot register --agent-id <id>")
	}
	ask, err := parse(r)
	if err != nil {
		return nil, err
	}
	done, wait := p.limits.take(agent, l, p.opt.Now())
	if wait > 0 {
		return nil, comeBack(w, wait)
	}
	defer done()
	ctx, cancel := context.WithTimeout(r.Context(), proxyPatience)
	defer cancel()
	body, err := ask(ctx)
	if err == nil && !json.Valid(body) {
		err = errors.New("the answer is no JSON")
	}
	if err != nil {
		p.opt.Log(ProxyPrefix+name, err)
		return nil, p.relayed(w, err)
	}
	return body, nil
}

// comeBack says when to come back.
func comeBack(w http.ResponseWriter, wait time.Duration) error {
	seconds := int(max(1, (wait+time.Second-1)/time.Second))
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	return fault.New(fault.RateLimited, "the marketplace is being asked too often").With("retryAfterSeconds", seconds).
		Hintf("try again in %d s", seconds)
}

// relayed is an error as it is answered: in words of our own, since the marketplace's
// and those about this server's key are for its operator.
func (p *Proxy) relayed(w http.ResponseWriter, err error) error {
	var status statusError
	errors.As(err, &status)
	if seconds, ok := fault.From(err).Details["retryAfterSeconds"].(int64); ok {
		return comeBack(w, time.Duration(seconds)*time.Second)
	}
	switch {
	case status == http.StatusTooManyRequests || status == statusRateLimit:
		return comeBack(w, 5*time.Second)
	case status == http.StatusNotFound || status == http.StatusGone:
		return fault.New(fault.NotFound, "the marketplace has no such thing").With(absentMark, true)
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status == http.StatusConflict:
		return fault.New(fault.Usage, "the marketplace does not take this request (%d)", int(status))
	case fault.CodeOf(err) == fault.Auth:
		return fault.New(fault.Upstream, "the marketplace does not accept this server's API key").Hintf("whoever runs the server can set another")
	case fault.CodeOf(err) == fault.Canceled:
		return fault.New(fault.Canceled, "the request was given up")
	}
	return fault.New(fault.Upstream, "the marketplace can't be reached, or does not answer as it should").Hintf("try again in a while")
}

func (p *Proxy) collection(r *http.Request) (asking, error) {
	slug := r.PathValue("slug")
	if _, err := p.query(r); err != nil {
		return nil, err
	}
	if err := checkSlug(slug); err != nil {
		return nil, err
	}
	c := p.opt.Client
	return func(ctx context.Context) ([]byte, error) { return c.get(ctx, doingCollection, c.collectionAt(slug)) }, nil
}

func (p *Proxy) listings(r *http.Request) (asking, error) {
	slug := r.PathValue("slug")
	q, err := p.query(r, "order", "limit", "next", "tokenId")
	if err != nil {
		return nil, err
	}
	if err := checkSlug(slug); err != nil {
		return nil, err
	}
	c := p.opt.Client
	if q.Has("tokenId") {
		token := q.Get("tokenId")
		if len(q) > 1 {
			return nil, fault.New(fault.Usage, "tokenId stands alone: the best listing of one token is one answer")
		}
		if err := checkToken(token); err != nil {
			return nil, err
		}
		return func(ctx context.Context) ([]byte, error) { return c.get(ctx, doingListings, c.bestAt(slug, token)) }, nil
	}
	order, page := "best", url.Values{"limit": {strconv.Itoa(pageSize)}}
	if q.Has("order") {
		if order = q.Get("order"); order != "best" && order != "all" {
			return nil, fault.New(fault.Usage, "order is best or all")
		}
	}
	if q.Has("limit") {
		n, err := strconv.Atoi(q.Get("limit"))
		if err != nil || n < 1 || n > pageSize {
			return nil, fault.New(fault.Usage, "limit is no whole number from 1 to %d", pageSize)
		}
		page.Set("limit", strconv.Itoa(n))
	}
	if next := q.Get("next"); next != "" {
		if len(next) > proxyMaxCursor || slices.ContainsFunc([]byte(next), func(b byte) bool { return b <= ' ' || b > '~' }) {
			return nil, fault.New(fault.Usage, "next is no page cursor")
		}
		page.Set("next", next)
	}
	return func(ctx context.Context) ([]byte, error) {
		return c.get(ctx, doingListings, c.listingsAt(slug, order, page))
	}, nil
}

// fulfillment takes the fields that our client sends and builds the request anew:
// nothing else reaches the marketplace with our key.
func (p *Proxy) fulfillment(r *http.Request) (asking, error) {
	if _, err := p.query(r); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(r.Body, proxyMaxBody+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.Usage, "the request's body could not be read")
	}
	if len(b) > proxyMaxBody {
		return nil, &http.MaxBytesError{Limit: proxyMaxBody}
	}
	var in fulfillRequestJSON
	if err := decode(b, &in); err != nil {
		return nil, fault.New(fault.Usage, "the request is no fulfilment: an object of listing, fulfiller and recipient is expected")
	}
	c := p.opt.Client
	if in.Listing.Chain != c.rules.Chain || in.Units != 1 || in.OptionalFees {
		return nil, fault.New(fault.Usage, "only one unit on %s, without optional fees, is asked for here", c.rules.Chain)
	}
	req, err := FulfillRequest{OrderHash: in.Listing.Hash, Protocol: in.Listing.Protocol, Fulfiller: in.Fulfiller.Address, Recipient: in.Recipient}.check()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) ([]byte, error) {
		return c.post(ctx, doingFulfill, fulfillBody(req, c.rules.Chain), c.fulfillmentAt())
	}, nil
}

// query is the request's parameters, each known and once.
func (p *Proxy) query(r *http.Request, known ...string) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.Usage, "the query of the URL can't be read")
	}
	for name, values := range q {
		if !slices.Contains(known, name) || len(values) != 1 || values[0] == "" {
			return nil, fault.New(fault.Usage, "a parameter is not known here, is empty or comes twice")
		}
	}
	return q, nil
}
