package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Attempts, the first included. A rate limit says the request was not served, so
// it is worth more patience than an error.
const (
	attemptsLimited = 4
	attemptsFailed  = 3
	backoffBase     = 500 * time.Millisecond
	backoffMax      = 8 * time.Second
)

// maxSaid is how much of a server's own words is shown.
const maxSaid = 200

// request is one call, which may be attempted several times.
type request struct {
	doing, method, url string
	body               []byte
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

// do sends the request until it gives a body or no attempt is left: the one retry
// policy. After a rate limit any request is sent again, after a failure of the
// network or the server only what reads.
func (c *Client) do(ctx context.Context, r request) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		b, f := c.attempt(ctx, r)
		if f == nil {
			return b, nil
		}
		f.fault = f.fault.With("attempts", attempt)
		if ctx.Err() != nil {
			return nil, c.stopped(ctx, r)
		}
		if f.kind == final || f.kind == limited && attempt >= attemptsLimited ||
			f.kind == broken && (r.method != http.MethodGet || attempt >= attemptsFailed) {
			return nil, f.fault
		}
		wait := time.Duration(c.rand(int64(min(backoffBase<<(attempt-1), backoffMax)) + 1))
		if f.after >= 0 {
			wait += f.after
		}
		// A wait that would outlast patience, or the caller's time, is not begun.
		if end, ok := ctx.Deadline(); wait > c.maxWait || ok && wait > end.Sub(c.now()) {
			return nil, f.fault
		}
		if err := pause(ctx, wait); err != nil {
			return nil, c.stopped(ctx, r)
		}
	}
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
func (c *Client) stopped(ctx context.Context, r request) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fault.Wrap(ctx.Err(), fault.Canceled, "%s canceled", r.doing).WithSent(fault.SentNo)
	}
	return fault.Wrap(ctx.Err(), fault.Upstream, "%s failed: no answer of %s within the time given", r.doing, c.Name()).
		Hintf("try again").WithSent(fault.SentNo)
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
		req.Header.Set("x-api-key", string(key))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.fail(err, r, broken, "%s", c.unreachable(err))
	}
	// A close error after the body was read changes nothing.
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(resp.Body, c.maxBody+1))
	if key := string(c.key()); len(key) >= 8 {
		// A server may echo what it was sent; nothing it echoes goes any further.
		b = bytes.ReplaceAll(b, []byte(key), []byte("[redacted]"))
	}
	switch {
	case err != nil:
		return nil, c.fail(err, r, broken, "%s", c.unreachable(err))
	case int64(len(b)) > c.maxBody:
		return nil, c.fail(nil, r, final, "the answer of %s is larger than %d bytes", c.Name(), c.maxBody)
	case resp.StatusCode != http.StatusOK:
		return nil, c.badStatus(r, resp, b)
	case resp.Header.Get("Content-Encoding") != "":
		return nil, c.fail(nil, r, final, "the answer of %s is packed in a way that was not asked for", c.Name())
	}
	return b, nil
}

func (c *Client) fail(err error, r request, k kind, format string, args ...any) *failure {
	e := fault.Wrap(err, fault.Upstream, "%s failed: %s", r.doing, fmt.Sprintf(format, args...)).
		Hintf("try again in a while; nothing was sent to a chain").WithSent(fault.SentNo)
	return &failure{fault: e, kind: k, after: -1}
}

// unreachable says why no answer came, without the cause's own text, which belongs
// to other people's code.
func (c *Client) unreachable(err error) string {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Sprintf("%s did not answer within %s", c.Name(), c.timeout)
	}
	return c.Name() + " can't be reached, or its answer was cut off"
}

// refusals are Relay's own codes for a quote that it does not give.
var refusals = map[string]struct {
	code fault.Code
	hint string
}{
	"AMOUNT_TOO_LOW":               {fault.Usage, "transfer more: the fee would be more than the amount"},
	"NO_QUOTES":                    {fault.NotFound, "try another amount, or other chains"},
	"NO_SWAP_ROUTES_FOUND":         {fault.NotFound, "try another amount, or another token"},
	"NO_INTERNAL_SWAP_ROUTES":      {fault.NotFound, "try another amount, or another token"},
	"UNSUPPORTED_CHAIN":            {fault.NotFound, "name other chains"},
	"UNSUPPORTED_CURRENCY":         {fault.NotFound, "name another token"},
	"UNSUPPORTED_ROUTE":            {fault.NotFound, "name other chains, or another token"},
	"INSUFFICIENT_FUNDS":           {fault.Usage, "transfer less, or fund the account"},
	"INSUFFICIENT_LIQUIDITY":       {fault.Upstream, "transfer less, or try again in a while"},
	"ROUTE_TEMPORARILY_RESTRICTED": {fault.Upstream, "try again in a while"},
}

// badStatus makes the failure of an answer that is not 200.
func (c *Client) badStatus(r request, resp *http.Response, b []byte) *failure {
	var said struct {
		Message   string `json:"message"`
		ErrorCode string `json:"errorCode"`
	}
	if json.Unmarshal(b, &said) != nil {
		said.Message, said.ErrorCode = "", "" // half of it may have been read
	}
	status := resp.StatusCode
	words := ""
	if m := fault.Excerpt(said.Message, maxSaid); m != "" {
		words = " and said " + strconv.Quote(m)
	}
	f := c.fail(nil, r, final, "%s answered %d%s", c.Name(), status, words)
	f.fault = f.fault.With("status", status)
	known, ok := refusals[said.ErrorCode]
	switch {
	case status == http.StatusTooManyRequests:
		f.kind, f.after = limited, retryAfter(resp.Header)
		f.fault.Message = fmt.Sprintf("%s failed: %s limits our rate", r.doing, c.Name())
		f.fault.Hint = "wait a moment and try again"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.fault.Code, f.fault.Hint = fault.Auth, "set RELAY_API_KEY to a valid key, or unset it: none is needed"
	case status >= 500:
		f.kind, f.after = broken, retryAfter(resp.Header)
	case status >= 300 && status < 400:
		f.fault.Hint = "redirects are not followed, since the API key would go along: check RELAY_API_BASE"
	case ok && r.doing == doingQuote:
		f.fault.Code, f.fault.Hint = known.code, known.hint
		f.fault = f.fault.With("errorCode", said.ErrorCode)
	case status == http.StatusNotFound && r.doing == doingStatus:
		f.fault.Hint = "the bridge does not know the transfer, or not yet"
	}
	return f
}

// retryAfter is what the header asks for, in seconds; negative when it says nothing
// that is believed.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(h.Get("Retry-After")))
	if err != nil || n < 0 || n > 3600 {
		return -1
	}
	return time.Duration(n) * time.Second
}
