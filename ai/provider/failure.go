package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// failure is a try that gave no whole step.
type failure struct {
	fault   *fault.Error
	again   bool          // the retry policy may send it again
	after   time.Duration // what Retry-After asks for; negative for nothing
	refused string        // a part of the request that the service does not know
}

func (f *failure) Error() string { return f.fault.Error() }

// The parts of a request that services refuse, and that can be left out or put in.
const (
	refusedOptions = "stream_options"
	refusedStream  = "stream"
	refusedBare    = "thought_signature" // what is to be put in
)

func (c *client) fail(err error, code fault.Code, format string, args ...any) *failure {
	return &failure{fault: fault.Wrap(err, code, format, args...), after: -1}
}

// failed makes the failure of an error from anywhere beneath a request.
func (c *client) failed(ctx context.Context, err error) *failure {
	var f *failure
	var large tooLarge
	switch {
	case errors.As(err, &f):
		return f
	case ctx.Err() != nil:
		return c.ended(ctx)
	case errors.As(err, &large):
		return c.fail(nil, fault.ProviderError, "the answer of %s is larger than %d bytes", c.name, int64(large))
	case errors.Is(err, errPage):
		return c.page()
	case errors.Is(err, errNotJSON):
		return c.fail(nil, fault.ProviderError, "%s answered with what is no JSON", c.name)
	}
	f = c.fail(err, fault.ProviderError, "%s can't be reached%s", c.name, reason(err))
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		f.fault.Message = c.name + " ended the connection before its answer"
	}
	f.fault.Hint = "is the service up, and the base URL right? ape-claw ai connections verify " + c.name + " asks it again"
	f.again = true
	return f
}

// ended is the failure of a request whose context ended.
func (c *client) ended(ctx context.Context) *failure {
	cause := context.Cause(ctx)
	var e *fault.Error
	switch {
	case errors.Is(cause, errIdle):
		return c.fail(cause, fault.Timeout, "%s sent nothing for %s", c.name, c.o.Idle)
	case errors.Is(cause, errTotal):
		return c.fail(cause, fault.Timeout, "%s did not finish its answer in time", c.name)
	case errors.As(cause, &e):
		return &failure{fault: e, after: -1}
	case errors.Is(cause, context.DeadlineExceeded):
		return c.fail(cause, fault.Timeout, "%s did not answer within the time given", c.name)
	}
	return c.fail(cause, fault.Canceled, "the request to %s was canceled", c.name)
}

// reason names the common ways to get no answer. The cause's own text is not
// shown: it belongs to other people's code.
func reason(err error) string {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &dns):
		return ": its name has no address"
	case errors.Is(err, syscall.ECONNREFUSED):
		return ": connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return ": connection reset"
	case errors.As(err, &cert):
		return ": its TLS certificate is not valid"
	}
	return ""
}

// badStatus makes the failure of an answer that is not 200, or of an error object
// that stands in for one.
func (c *client) badStatus(status int, h http.Header, body []byte) *failure {
	s := readSaid(body)
	text := c.quote(s.text)
	f := c.fail(nil, fault.ProviderError, "%s answered %d%s", c.name, status, text)
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || s.badKey():
		f.fault.Code = fault.ProviderAuth
		f.fault.Message = fmt.Sprintf("%s refuses the key (%d)%s", c.name, status, text)
		f.fault.Hint = "is the key right, not revoked, and allowed to use this model?"
	case status == http.StatusTooManyRequests && s.noCredit():
		f.fault.Message = fmt.Sprintf("the account at %s has used up its quota or credit%s", c.name, text)
		f.fault.Hint = "look at the plan and billing of the account; waiting does not mend this"
		f.fault = f.fault.With("reason", "quota")
	case status == http.StatusPaymentRequired:
		f.fault.Message = fmt.Sprintf("the account at %s has not enough credit%s", c.name, text)
		f.fault.Hint = "look at the plan and billing of the account"
		f.fault = f.fault.With("reason", "quota")
	case status == http.StatusTooManyRequests:
		f.again, f.after = true, c.retryAfter(h)
		f.fault.Code = fault.RateLimited
		f.fault.Message = fmt.Sprintf("%s limits the rate of requests%s", c.name, text)
		f.fault.Hint = "wait a moment and try again"
		if f.after >= 0 {
			seconds := int64((f.after + time.Second - 1) / time.Second)
			f.fault = f.fault.With("retryAfterSeconds", seconds).Hintf("try again in %d s", seconds)
		}
	case status == http.StatusRequestTimeout || status >= 500:
		f.again, f.after = true, c.retryAfter(h)
		f.fault.Hint = "the service has a fault of its own, or too much to do: try again in a while"
	case status >= 300 && status < 400:
		f.fault.Hint = "redirects are not followed, since the key would go along: check the base URL"
	case s.about("model") && (status == http.StatusNotFound || s.is("model_not_found")):
		f.fault.Code = fault.ModelUnavailable
		f.fault.Hint = "list what it has: ape-claw ai connections verify " + c.name
	case status == http.StatusNotFound:
		f.fault.Code = fault.NotFound
		f.fault.Hint = "is the base URL right? it usually ends with /v1"
	case s.about("thought_signature"):
		f.refused = refusedBare
	case s.about("stream_options", "include_usage"):
		f.refused = refusedOptions
	case s.param == "stream", s.about("stream") && s.about("not support", "unsupported", "verified to stream", "not allowed"):
		f.refused = refusedStream
	case s.is("context_length_exceeded") || s.about("context length", "context window", "too many tokens"):
		f.fault.Message = fmt.Sprintf("the conversation is too long for the model%s", text)
		f.fault.Hint = "begin anew with /reset, or choose a model with a larger context"
	}
	f.fault = f.fault.With("status", status)
	return f
}

// retryAfter reads Retry-After: seconds or a date. A negative duration is none.
func (c *client) retryAfter(h http.Header) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseInt(v, 10, 32); err == nil && n >= 0 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(c.o.Now()))
	}
	return -1
}
