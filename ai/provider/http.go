package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The most that is read of an answer, unpacked.
const (
	maxStream = 32 << 20 // a stream repeats its envelope with each word
	maxFrame  = 4 << 20
	maxList   = 8 << 20 // OpenRouter's list of models is about 1 MiB
	maxError  = 64 << 10
)

// exchange is one request and what its answer turns out to be. It travels in the
// context, through the library, to the doer.
type exchange struct {
	stream  bool
	listing bool
	extras  map[string][]byte
	body    []byte // of an answer that is not streamed

	idle  time.Duration
	arm   func(time.Duration) Timer
	timer Timer
}

type exchangeKey struct{}

func with(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// beat is called when bytes came, and begins the wait for the next ones.
func (x *exchange) beat() {
	switch {
	case x.arm == nil:
	case x.timer == nil:
		x.timer = x.arm(x.idle)
	default:
		x.timer.Reset(x.idle)
	}
}

func (x *exchange) stop() {
	if x.timer != nil {
		x.timer.Stop()
	}
}

// doer is the library's HTTP client. Whatever is no good answer is a *failure, so
// that the library makes no error of its own from it.
type doer struct {
	c    *client
	http *http.Client
}

func newDoer(c *client) *doer {
	return &doer{c: c, http: &http.Client{
		Transport: c.o.Transport,
		// The key would go along to wherever a redirect points.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Do sends the request. The body that it returns is a stream of clean frames, or
// an empty object in place of what went into the exchange.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("provider: a request without an exchange")
	}
	if err := remind(req, x.extras); err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "ape-claw")
	if d.c.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+d.c.o.Key)
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return nil, d.c.failed(req.Context(), err)
	}
	if resp.StatusCode != http.StatusOK {
		defer close1(resp.Body)
		b, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // a part of it is better than none
		return nil, d.c.badStatus(resp.StatusCode, resp.Header, b)
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err == nil && kind == "text/html" {
		close1(resp.Body)
		return nil, d.c.page()
	}
	if x.stream {
		if kind != "application/json" {
			x.beat()
		}
		resp.Body = newFrames(resp.Body, x)
		return resp, nil
	}
	defer close1(resp.Body)
	most := int64(maxFrame)
	if x.listing {
		most = maxList
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return nil, d.c.failed(req.Context(), err)
	case int64(len(b)) > most:
		return nil, d.c.failed(req.Context(), tooLarge(most))
	case bytes.HasPrefix(bytes.TrimSpace(b), []byte("<")):
		return nil, d.c.page()
	case !json.Valid(b):
		return nil, d.c.failed(req.Context(), errNotJSON)
	}
	x.body = b
	resp.Body = io.NopCloser(bytes.NewReader([]byte("{}")))
	return resp, nil
}

// close1 closes what was read: an error of that changes nothing.
func close1(c io.Closer) { _ = c.Close() }

// page is the failure of a web page in place of an API.
func (c *client) page() *failure {
	f := c.fail(nil, fault.ProviderError, "%s answered with a web page in place of JSON", c.name)
	f.fault.Hint = "is the base URL right, or is a proxy or a login page in between?"
	return f
}
