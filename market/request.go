package market

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// statusRateLimit is OpenSea's second way to say 429.
const statusRateLimit = 599

// Attempts, the first included. A rate limit says the request was not served, so
// it is worth more patience than an error.
const (
	attemptsLimited = 4
	attemptsFailed  = 3
	backoffBase     = 500 * time.Millisecond
	backoffMax      = 8 * time.Second
)

// statusError is the cause of a fault that a status code made.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("status %d", int(s)) }

func isStatus(err error, status int) bool {
	var s statusError
	return errors.As(err, &s) && int(s) == status
}

// kind of failure, which decides on a retry.
type kind int

const (
	final   kind = iota // the same request would fail again
	limited             // not served; may be sent again
	broken              // network or server: a read may be sent again
)

// failure is one attempt that did not give a body.
type failure struct {
	fault *fault.Error
	kind  kind
	after time.Duration // what Retry-After asks for; negative for nothing
}

// request is one call, which may be attempted several times.
type request struct {
	doing  string // for messages, and what tells one lane from another
	method string
	url    string
	body   []byte
}

func (c *Client) get(ctx context.Context, doing string, at resource) ([]byte, error) {
	u := c.base.JoinPath(at.path...)
	u.RawQuery = at.query.Encode()
	return c.do(ctx, request{doing: doing, method: http.MethodGet, url: u.String()})
}

func (c *Client) post(ctx context.Context, doing string, body any, path string) ([]byte, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("%s: encode the request: %w", doing, err)
	}
	return c.do(ctx, request{doing: doing, method: http.MethodPost, url: c.base.JoinPath(path).String(), body: b})
}

// do sends the request until it gives a body or no attempt is left. This is the
// one retry policy: what would fail again is not tried again; a rate limit says
// that nothing was served, so any request is sent again, when its turn comes; after
// a failure of the network or the server only what reads is (GET), at a random
// time up to a backoff that doubles.
func (c *Client) do(ctx context.Context, r request) ([]byte, error) {
	if err := c.checkKey(r.doing); err != nil {
		return nil, err
	}
	var last *failure
	for attempt := 1; ; attempt++ {
		if err := c.turn(ctx, r, last); err != nil {
			return nil, err
		}
		b, fail := c.attempt(ctx, r, attempt)
		if fail == nil {
			return b, nil
		}
		fail.fault = fail.fault.With("attempts", attempt)
		if ctx.Err() != nil {
			return nil, c.stopped(ctx, ctx.Err(), r)
		}
		switch {
		case fail.kind == final,
			fail.kind == broken && (r.method != http.MethodGet || attempt >= attemptsFailed),
			fail.kind == limited && attempt >= attemptsLimited:
			return nil, fail.fault
		case fail.kind == broken:
			if err := c.backOff(ctx, r, fail, attempt); err != nil {
				return nil, err
			}
		}
		last = fail
	}
}

// backOff waits before a request that failed is sent again. A wait that would
// outlast the caller's time is not begun.
func (c *Client) backOff(ctx context.Context, r request, f *failure, attempt int) error {
	wait := c.jitter(backoff(attempt))
	if f.after >= 0 {
		// A little jitter, so that many waiters do not come back as one.
		wait = f.after + c.jitter(backoffBase)
	}
	if wait > c.patience(ctx) {
		return f.fault
	}
	if err := pause(ctx, wait); err != nil {
		return c.stopped(ctx, err, r)
	}
	return nil
}

func backoff(attempt int) time.Duration { return min(backoffBase<<(attempt-1), backoffMax) }

// patience is the longest wait that makes sense: the client's, and no more than
// the caller has left.
func (c *Client) patience(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(c.maxWait, max(0, end.Sub(c.clock())))
	}
	return c.maxWait
}

// turn waits until the request may go out. When that would take longer than
// anybody has patience for, it fails at once and says when to come back. last is
// the failure that the request is sent again after, if any.
func (c *Client) turn(ctx context.Context, r request, last *failure) error {
	if err := ctx.Err(); err != nil {
		return c.stopped(ctx, err, r)
	}
	for {
		t, ok := c.pacer.take(c.lane(r), c.paceOf(r), c.patience(ctx))
		if !ok {
			return c.tooLong(r, t, last)
		}
		if t.wait <= 0 {
			return nil
		}
		if c.waiting != nil && t.wait >= tellAfter {
			c.waiting(t.wait)
		}
		if err := pause(ctx, t.wait); err != nil {
			return c.stopped(ctx, err, r)
		}
		if !c.pacer.void(c.lane(r), t) {
			return nil
		}
	}
}

// tellAfter is how long a wait must be for people to be told of it.
const tellAfter = 3 * time.Second

// tooLong is the fault of a request that was not sent, or not again, because its
// turn comes too late.
func (c *Client) tooLong(r request, t turn, last *failure) *fault.Error {
	var e *fault.Error
	switch {
	case last != nil && last.kind == limited && last.after >= 0:
		return last.fault // it says how long
	case last != nil && last.kind == limited:
		e = last.fault
	case t.held:
		e = fault.New(fault.Upstream, "%s failed: %s limits our rate, and asked for no request before %s", r.doing, c.Name(),
			c.rules.Now().Add(t.wait).UTC().Format("15:04:05 UTC")).WithSent(fault.SentNo)
	default:
		e = fault.New(fault.Upstream, "%s failed: %s limits our rate, and requests before this one use it up", r.doing, c.Name()).WithSent(fault.SentNo)
	}
	return c.tryAgainIn(e, t.wait)
}

// tryAgainIn says when to come back, to people and to programs.
func (c *Client) tryAgainIn(e *fault.Error, wait time.Duration) *fault.Error {
	seconds := max(1, int64((wait+time.Second-1)/time.Second))
	return e.With("retryAfterSeconds", seconds).With("retryAt", c.rules.Now().Add(time.Duration(seconds)*time.Second).UTC().Format(time.RFC3339)).
		Hintf("try again in %d s", seconds)
}

func (c *Client) jitter(upTo time.Duration) time.Duration {
	return time.Duration(c.rand(int64(upTo) + 1))
}

// pause waits for d or for the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stopped is the fault of a request that the caller's context ended.
func (c *Client) stopped(ctx context.Context, err error, r request) *fault.Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fault.Wrap(ctx.Err(), fault.Canceled, "%s canceled", r.doing).WithSent(fault.SentNo)
	}
	return fault.Wrap(err, fault.Upstream, "%s failed: no answer of %s within the time given", r.doing, c.Name()).
		Hintf("try again").WithSent(fault.SentNo)
}

func (c *Client) checkKey(doing string) error {
	key := c.key()
	switch {
	case c.agent != "" && !key.usable():
		return fault.New(fault.Auth, "%s failed: the agent's token is missing, or has characters that no token has", doing).
			Hintf("export APE_CLAW_AGENT_ID=my-agent-1 APE_CLAW_AGENT_TOKEN=…, or ape-claw auth set --agent-id my-agent-1 --agent-token …").WithSent(fault.SentNo)
	case key == "" && c.keyless:
		return nil
	case key == "":
		return fault.New(fault.Auth, "%s failed: no OpenSea API key: OPENSEA_API_KEY is not set", doing).
			Hintf("set OPENSEA_API_KEY, or store a key with ape-claw auth set --opensea-api-key; docs.opensea.io says how to get one").
			WithSent(fault.SentNo)
	case !key.usable():
		return fault.New(fault.Auth, "%s failed: the OpenSea API key has characters that no key has", doing).
			Hintf("set OPENSEA_API_KEY to the key alone, without quotes or spaces").WithSent(fault.SentNo)
	}
	return nil
}

// attempt sends the request once, under its own deadline.
func (c *Client) attempt(ctx context.Context, r request, attempt int) ([]byte, *failure) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, c.fail(err, r, final, "the request can't be built")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "ape-claw")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	c.identifyHeader(req.Header)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.fail(err, r, broken, "%s", c.unreachable(err))
	}
	// A close error after the body was read changes nothing.
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(resp.Body, c.maxBody+1))
	// A server may echo what it was sent; nothing it echoes goes any further.
	b = c.key().hideIn(b)
	q := readQuota(resp.Header, c.rules.Now())
	c.pacer.left(c.lane(r), c.paceOf(r), q)
	switch {
	case err != nil && errors.Is(err, io.ErrUnexpectedEOF):
		return nil, c.fail(err, r, broken, "the answer of %s was cut off after %d bytes", c.Name(), len(b))
	case err != nil:
		return nil, c.fail(err, r, broken, "%s", c.unreachable(err))
	case int64(len(b)) > c.maxBody:
		return nil, c.fail(nil, r, final, "the answer of %s is larger than %d bytes", c.Name(), c.maxBody)
	case resp.StatusCode != http.StatusOK:
		f := c.badStatus(r, resp, b, q)
		if f.kind == limited {
			// Also for everybody else who asks the same.
			spread := backoff(attempt)
			if f.after >= 0 {
				spread = backoffBase
			}
			c.pacer.limited(c.lane(r), c.paceOf(r), f.after, spread)
		}
		return nil, f
	case resp.Header.Get("Content-Encoding") != "":
		// The transport has unpacked what it asked for.
		return nil, c.fail(nil, r, final, "the answer of %s is packed in a way that was not asked for (%s)", c.Name(), quoted(resp.Header.Get("Content-Encoding")))
	case isHTML(resp.Header, b):
		return nil, c.fail(nil, r, final, "%s answered with a web page in place of JSON", c.Name()).
			hint("is a proxy, a login page or a wrong base URL in between?")
	}
	return b, nil
}

func (c *Client) fail(err error, r request, k kind, format string, args ...any) *failure {
	e := fault.Wrap(err, fault.Upstream, "%s failed: %s", r.doing, fmt.Sprintf(format, args...)).
		Hintf("try again in a while; nothing was sent to the chain").WithSent(fault.SentNo)
	return &failure{fault: e, kind: k, after: -1}
}

func (f *failure) hint(s string) *failure {
	f.fault.Hint = s
	return f
}

// unreachable says in words why no answer came. The cause's own text is not
// shown: it belongs to other people's code.
func (c *Client) unreachable(err error) string {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Sprintf("%s did not answer within %s", c.Name(), c.timeout)
	}
	return fmt.Sprintf("%s can't be reached%s", c.Name(), networkReason(err))
}

// badStatus makes the failure of an answer that is not 200.
func (c *Client) badStatus(r request, resp *http.Response, b []byte, q quota) *failure {
	status := resp.StatusCode
	html := isHTML(resp.Header, b)
	said := ""
	if !html {
		said = serverText(b, c.key())
	}
	f := c.fail(statusError(status), r, final, "%s answered %d%s", c.Name(), status, said)
	f.fault = f.fault.With("status", status)
	switch {
	case status == http.StatusTooManyRequests || status == statusRateLimit:
		f.kind, f.after = limited, q.wait()
		f.fault.Message = fmt.Sprintf("%s failed: %s limits our rate (%d)", r.doing, c.Name(), status)
		f.fault.Hint = "wait a moment and try again"
		if q.absurd {
			f.fault.Message += " and asks for a wait of more than an hour, which is not believed"
		}
		if f.after >= 0 {
			f.fault = c.tryAgainIn(f.fault, f.after)
		}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.fault.Code = fault.Auth
		f.fault.Hint = c.refusedHint()
	case status == http.StatusNotFound && !html && !c.notFoundIsAbsent(b):
		f.fault.Err = nil
		f.fault.Hint = "does that serve run with --market-proxy?"
	case status >= 500:
		f.kind, f.after = broken, q.after
		f.fault.Hint = "the marketplace has a fault of its own: try again in a while"
	case status >= 300 && status < 400:
		f.fault.Hint = "redirects are not followed, since the API key would go along: check the marketplace base URL"
	case html:
		// A real "not found" of the API is JSON: this is another server's page.
		f.fault.Err = nil
		f.fault.Message += " with a web page in place of JSON"
		f.fault.Hint = "is a proxy, a login page or a wrong base URL in between?"
	case status >= 400:
		f.fault.Hint = "the marketplace does not take this request: are the collection, the token and the order still there?"
	}
	return f
}

func isHTML(h http.Header, b []byte) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err == nil && (kind == "text/html" || kind == "application/xhtml+xml") {
		return true
	}
	return bytes.HasPrefix(bytes.TrimSpace(b), []byte("<"))
}
