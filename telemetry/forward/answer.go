package forward

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// item is one event that is to be sent.
type item struct {
	id   string
	line []byte // as it is sent, with its id
	raw  []byte // as the log has it
	at   place  // after it
}

// answered is what the receiver says of one event.
type answered struct {
	Line    int    `json:"line"`
	Status  string `json:"status"`
	EventID string `json:"eventId"`
	Code    string `json:"code"`
	Error   string `json:"error"`
	Field   string `json:"field"`
}

// What a receiver says of an event.
const (
	accepted  = "accepted"
	duplicate = "duplicate"
	rejected  = "rejected"
)

// outcome is what became of a request.
type outcome struct {
	status  int
	results []answered // of the first of the events; nil when it says nothing of single ones
	refused bool       // the request as a whole is not wanted: 400, 413, 415, 422
	failed  string     // why to try again later, "" when nothing failed
	after   time.Duration
	timeout bool
}

// maxAnswer bounds what is read of an answer, in bytes: 1,000 results and more.
const maxAnswer = 1 << 20

// post sends items once. What is between here and the receiver may take no gzip, and
// not know how to say so: what is refused packed is sent plain before that is believed.
func (o *Outbox) post(ctx context.Context, items []item) outcome {
	var plain bytes.Buffer
	for _, it := range items {
		plain.Write(it.line)
		plain.WriteByte('\n')
	}
	if o.plain.Load() {
		return o.request(ctx, &plain, "", items)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	// A buffer takes everything.
	_, _ = z.Write(plain.Bytes())
	_ = z.Close()
	out := o.request(ctx, &packed, "gzip", items)
	if !out.refused || out.status == http.StatusRequestEntityTooLarge {
		return out
	}
	if out = o.request(ctx, &plain, "", items); out.failed == "" && !out.refused {
		o.plain.Store(true)
	}
	return out
}

// request sends one body.
func (o *Outbox) request(ctx context.Context, body *bytes.Buffer, encoding string, items []item) outcome {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(o.opt.URL, "/")+"/api/events", body)
	if err != nil {
		return outcome{failed: "the URL can't be used"}
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	if encoding != "" {
		req.Header.Set("Content-Encoding", encoding)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("X-Agent-Id", o.opt.AgentID)
	req.Header.Set("X-Agent-Token", o.opt.Token)
	req.Header.Set("User-Agent", "ape-claw/"+o.opt.Version)
	res, err := o.client.Do(req)
	if err != nil {
		return o.unreachable(err)
	}
	defer func() { _ = res.Body.Close() }() // only read: nothing to lose
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	out := outcome{status: res.StatusCode, after: retryAfter(res.Header.Get("Retry-After"), o.opt.Now())}
	switch {
	case err != nil:
		out.failed, out.timeout = "the answer broke off: "+reasonOf(err), isTimeout(err)
		return out
	case len(b) > maxAnswer:
		out.failed = "the answer does not end"
		return out
	}
	return o.judge(out, b, items)
}

// judge reads an answer. It is not believed more than it proves: that somebody who
// knows these events speaks.
func (o *Outbox) judge(out outcome, body []byte, items []item) outcome {
	var said struct {
		OK      *bool      `json:"ok"`
		EventID string     `json:"eventId"`
		Error   string     `json:"error"`
		Code    string     `json:"code"`
		Results []answered `json:"results"`
	}
	isJSON := json.Unmarshal(body, &said) == nil
	if (out.status == http.StatusOK || out.status == http.StatusBadRequest) && isJSON && len(said.Results) > 0 {
		if out.results = fitting(said.Results, items); len(out.results) > 0 {
			return out
		}
		out.failed = "the answer does not fit what was sent: is this an ape-claw serve?"
		return out
	}
	switch s := out.status; {
	case s == http.StatusOK && isJSON && len(items) == 1 && said.OK != nil && *said.OK && said.EventID == items[0].id:
		out.results = []answered{{Line: 1, Status: accepted, EventID: said.EventID}}
	case s == http.StatusOK:
		out.failed = "the answer makes no sense: is this an ape-claw serve?"
	case s == http.StatusBadRequest, s == http.StatusRequestEntityTooLarge, s == http.StatusUnsupportedMediaType, s == http.StatusUnprocessableEntity:
		out.refused = true
		out.results = []answered{{Status: rejected, Code: said.Code, Error: o.shown(said.Error)}}
	case s >= 300 && s < 400:
		out.failed = fmt.Sprintf("it answers %d, a redirect, which is not followed: set APE_CLAW_TELEMETRY_URL to where the server is", s)
	default:
		out.failed = strings.TrimSpace(fmt.Sprintf("it answers %d %s", s, http.StatusText(s)))
		if text := o.shown(said.Error); isJSON && text != "" {
			out.failed += ": " + text
		}
	}
	return out
}

// fitting returns the results that are about the first of items, one by one.
func fitting(results []answered, items []item) []answered {
	n := 0
	for n < len(results) && n < len(items) {
		r := results[n]
		known := r.Status == accepted || r.Status == duplicate
		if r.Line != n+1 || !known && r.Status != rejected || known && r.EventID != items[n].id {
			break
		}
		n++
	}
	return results[:n]
}

func (o *Outbox) unreachable(err error) outcome {
	return outcome{failed: "it can't be reached: " + reasonOf(err), timeout: isTimeout(err)}
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

// reasonOf is a network error in few words, without the URL.
func reasonOf(err error) string {
	if isTimeout(err) {
		return "no answer in time"
	}
	for {
		u := errors.Unwrap(err)
		if u == nil {
			return shorten(err.Error())
		}
		err = u
	}
}

// maxText bounds a sentence of the receiver's that is kept.
const maxText = 200

// shown is text from outside that people may see.
func (o *Outbox) shown(s string) string { return o.opt.Redactor.String(shorten(s)) }

func shorten(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, " "))
	if r := []rune(s); len(r) > maxText {
		s = string(r[:maxText]) + "…"
	}
	return strings.TrimSpace(s)
}

// retryAfter reads a Retry-After header: seconds, or a date.
func retryAfter(v string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(v, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(n, uint64(maxPause/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, min(at.Sub(now), maxPause))
	}
	return 0
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}
