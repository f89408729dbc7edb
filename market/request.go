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
	"net/url"
	"strconv"
	"strings"
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
	doing  string // for messages
	method string
	url    string
	body   []byte
}

func (c *Client) get(ctx context.Context, doing string, query url.Values, path ...string) ([]byte, error) {
	u := c.base.JoinPath(path...)
	u.RawQuery = query.Encode()
	return c.do(ctx, request{doing: doing, method: http.MethodGet, url: u.String()})
}

func (c *Client) post(ctx context.Context, doing string, body any, path string) ([]byte, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("%s: encode the request: %w", doing, err)
	}
	return c.do(ctx, request{doing: doing, method: http.MethodPost, url: c.base.JoinPath(path).String(), body: b})
}

// do sends the request until it gives a body or no attempt is left.
func (c *Client) do(ctx context.Context, r request) ([]byte, error) {
	if err := c.checkKey(r.doing); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		if err := c.limiter.Wait(ctx); err != nil {
			return nil, c.stopped(ctx, err, r)
		}
		b, fail := c.attempt(ctx, r)
		if fail == nil {
			return b, nil
		}
		if ctx.Err() != nil {
			return nil, c.stopped(ctx, ctx.Err(), r)
		}
		wait, again := c.wait(r.method, attempt, fail)
		if !again {
			return nil, fail.fault.With("attempts", attempt)
		}
		if err := pause(ctx, wait); err != nil {
			return nil, c.stopped(ctx, err, r)
		}
	}
}

// wait decides whether to try again, and after how long.
func (c *Client) wait(method string, attempt int, f *failure) (time.Duration, bool) {
	switch {
	case f.kind == final,
		f.kind == broken && (method != http.MethodGet || attempt >= attemptsFailed),
		f.kind == limited && attempt >= attemptsLimited,
		// Longer than anybody waits at a prompt: the hint says how long.
		f.after > c.maxWait:
		return 0, false
	}
	if f.after >= 0 {
		// A little jitter, so that many waiters do not come back as one.
		return f.after + c.jitter(backoffBase), true
	}
	return c.jitter(min(backoffBase<<(attempt-1), backoffMax, c.maxWait)), true
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

// stopped is the fault of a request that the caller's context, or the client's
// own rate limit under the caller's deadline, ended.
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
func (c *Client) attempt(ctx context.Context, r request) ([]byte, *failure) {
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
	if key := c.key(); key != "" {
		req.Header.Set("X-Api-Key", string(key))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.fail(err, r, broken, "%s", c.unreachable(err))
	}
	// A close error after the body was read changes nothing.
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(resp.Body, c.maxBody+1))
	// A server may echo what it was sent; nothing it echoes goes any further.
	b = c.key().hideIn(b)
	switch {
	case err != nil && errors.Is(err, io.ErrUnexpectedEOF):
		return nil, c.fail(err, r, broken, "the answer of %s was cut off after %d bytes", c.Name(), len(b))
	case err != nil:
		return nil, c.fail(err, r, broken, "%s", c.unreachable(err))
	case int64(len(b)) > c.maxBody:
		return nil, c.fail(nil, r, final, "the answer of %s is larger than %d bytes", c.Name(), c.maxBody)
	case resp.StatusCode != http.StatusOK:
		return nil, c.badStatus(r, resp, b)
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
func (c *Client) badStatus(r request, resp *http.Response, b []byte) *failure {
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
		f.kind, f.after = limited, retryAfter(resp.Header, c.rules.Now())
		f.fault.Message = fmt.Sprintf("%s failed: %s limits our rate (%d)", r.doing, c.Name(), status)
		f.fault.Hint = "wait a moment and try again"
		if f.after >= 0 {
			seconds := int64((f.after + time.Second - 1) / time.Second)
			f.fault = f.fault.With("retryAfterSeconds", seconds).Hintf("try again in %d s", seconds)
		}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.fault.Code = fault.Auth
		f.fault.Hint = "is OPENSEA_API_KEY right and not revoked? ape-claw auth set --opensea-api-key stores another"
	case status >= 500:
		f.kind, f.after = broken, retryAfter(resp.Header, c.rules.Now())
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

// retryAfter reads Retry-After: seconds, or an HTTP date. Negative means there
// was none that can be read.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return -1
	}
	if isDecimal(v) {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil {
			// Too many digits is a very long time, not none.
			n = 1<<31 - 1
		}
		return time.Duration(n) * time.Second
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return -1
	}
	return max(0, at.Sub(now))
}
