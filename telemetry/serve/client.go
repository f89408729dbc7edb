package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/r3labs/sse/v2"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// clientBuffer holds one frame: a line of the log is at most 1 MiB.
const clientBuffer = 2 << 20

// Between two attempts to connect again.
const (
	retryFirst = 500 * time.Millisecond
	retryMost  = 15 * time.Second
)

// TailOptions say what to follow, and where.
type TailOptions struct {
	URL     string // of a server, or of its /events
	After   string // cursor to go on from; else Backlog, else live
	Backlog int    // show so many of the newest events first

	Types   []string // globs
	AgentID string
	TraceID string
	OK      *bool

	// Credentials are sent with each request, to the origin of URL only: a
	// redirect to another one does not get them.
	Credentials Credentials
	Transport   http.RoundTripper // nil: a new one, without proxies
	Header      http.Header
	// Notice, when set, is told about the connection: it was lost, or is there again.
	Notice func(Notice)
}

// Credentials say who asks; the zero value says nothing.
type Credentials struct{ AgentID, Token string }

// Notice is a change of a followed stream's connection.
type Notice struct {
	Connected bool
	Err       error         // why it was lost; nil when the server closed it
	Retry     time.Duration // until the next attempt
}

// Frame is one thing a stream said.
type Frame struct {
	ID   string // cursor after it; may be empty before the last of a long backlog
	Data []byte // one event, byte for byte as the server sent it

	// Reset is set, and Data empty, when the server could not go on from our
	// cursor: events may be missing or come again.
	Reset *Reset
}

// Reset is what a server says when it can't go on from a cursor.
type Reset = resetData

// Tail calls fn for every event of a stream, in order, each once, and connects
// again with the last id when the connection is lost. It returns the error of
// fn, ctx's error when that ends, and an *fault.Error when the server can't be
// reached at first or refuses the request for good.
func Tail(ctx context.Context, opt TailOptions, fn func(Frame) error) error {
	target, err := tailURL(opt)
	if err != nil {
		return err
	}
	t := &tailer{opt: opt, fn: fn, wait: retryFirst}
	if opt.After == "" && opt.Backlog > backlogMax { // more than a stream begins with
		if opt.After, err = t.old(ctx); err != nil {
			return err
		}
	}
	client := sse.NewClient(target, sse.ClientMaxBufferSize(clientBuffer))
	client.Connection = &http.Client{Transport: wholeFrames{opt.transport(target)}}
	client.ReconnectStrategy = once{} // we decide ourselves: r3labs takes a clean end for the end of all
	client.ResponseValidator = t.validate
	if opt.After != "" {
		client.LastEventID.Store([]byte(opt.After))
	}
	for {
		err := t.connect(ctx, client)
		switch {
		case t.failed != nil:
			return t.failed
		case ctx.Err() != nil:
			return ctx.Err()
		case !t.connected:
			return unreachable(opt.URL, err)
		}
		wait := t.wait/2 + rand.N(t.wait/2) // jitter: many clients of one server should not come back at once
		t.wait = min(2*t.wait, retryMost)
		t.notice(Notice{Err: err, Retry: wait})
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// tailer is the state of one Tail.
type tailer struct {
	opt       TailOptions
	fn        func(Frame) error
	connected bool // the server was reached once
	failed    error
	wait      time.Duration
}

// old shows the events before the stream, and returns where that begins. Only
// the last of them has an id.
func (t *tailer) old(ctx context.Context) (after string, err error) {
	var last []byte
	end, err := Backlog(ctx, t.opt, func(line []byte) error {
		next := bytes.Clone(line)
		defer func() { last = next }()
		if last == nil {
			return nil
		}
		return t.fn(Frame{Data: last})
	})
	if err == nil && last != nil {
		err = t.fn(Frame{ID: end.Cursor.String(), Data: last})
	}
	return end.Cursor.String(), err
}

// connect reads one connection to its end.
func (t *tailer) connect(ctx context.Context, client *sse.Client) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return client.SubscribeRawWithContext(ctx, func(m *sse.Event) {
		if t.failed != nil {
			return
		}
		frame, ok, err := frameOf(m)
		if err == nil && ok {
			err = t.fn(frame)
		}
		if err != nil {
			t.failed = err
			cancel()
		}
	})
}

// frameOf reads one message; comments and cursor frames are none of the
// caller's business.
func frameOf(m *sse.Event) (Frame, bool, error) {
	frame := Frame{ID: string(m.ID)}
	switch string(m.Event) {
	case "":
		frame.Data = m.Data
		return frame, len(m.Data) > 0, nil
	case "reset":
		frame.Reset = new(Reset)
		if err := json.Unmarshal(m.Data, frame.Reset); err != nil {
			return frame, false, fault.Wrap(err, fault.Upstream, "the server sent a reset that can't be read")
		}
		return frame, true, nil
	}
	return frame, false, nil
}

// validate looks at the head of an answer.
func (t *tailer) validate(_ *sse.Client, resp *http.Response) error {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if resp.StatusCode == http.StatusOK && kind == "text/event-stream" {
		t.connected, t.wait = true, retryFirst
		t.notice(Notice{Connected: true})
		return nil
	}
	defer resp.Body.Close()
	err := answerError(resp)
	if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusRequestTimeout {
		t.failed = err
	}
	return err
}

func (t *tailer) notice(n Notice) {
	if t.opt.Notice != nil {
		t.opt.Notice(n)
	}
}

func tailURL(opt TailOptions) (string, error) {
	u, err := eventsURL(opt.URL, "/events")
	if err != nil {
		return "", err
	}
	q := u.Query()
	filterQuery(q, opt)
	if opt.After == "" && opt.Backlog > 0 && opt.Backlog <= backlogMax {
		q.Set("backlog", strconv.Itoa(opt.Backlog))
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// eventsURL points at a route of the server: opt.URL may name the server or
// its /events.
func eventsURL(target, route string) (*url.URL, error) {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fault.New(fault.Usage, "--url is not an http or https address").
			Hintf("give the address that ape-claw serve printed, such as http://%s", DefaultAddr)
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/events") + route
	return u, nil
}

func filterQuery(q url.Values, opt TailOptions) {
	for _, t := range opt.Types {
		q.Add("type", t)
	}
	if opt.AgentID != "" {
		q.Set("agentId", opt.AgentID)
	}
	if opt.TraceID != "" {
		q.Set("traceId", opt.TraceID)
	}
	if opt.OK != nil {
		q.Set("ok", strconv.FormatBool(*opt.OK))
	}
}

// transport carries requests that begin at target, a valid URL.
func (o TailOptions) transport(target string) http.RoundTripper {
	t := ownHeaders{next: o.Transport, header: http.Header{}}
	if t.next == nil {
		t.next = &http.Transport{DisableKeepAlives: true} // nothing stays open behind the caller
	}
	if u, err := url.Parse(target); err == nil {
		t.scheme, t.host = u.Scheme, u.Host
	}
	for name := range o.Header {
		t.header.Set(name, o.Header.Get(name))
	}
	if c := o.Credentials; c != (Credentials{}) {
		t.header.Set("x-agent-id", c.AgentID)
		t.header.Set("x-agent-token", c.Token)
	}
	return t
}

// ownHeaders adds headers that are meant for one origin. Where a redirect leads
// elsewhere, http.Client would send along all but those that it knows as secret.
type ownHeaders struct {
	next         http.RoundTripper
	scheme, host string
	header       http.Header
}

func (t ownHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == t.scheme && r.URL.Host == t.host {
		r = r.Clone(r.Context())
		maps.Copy(r.Header, t.header)
	}
	return t.next.RoundTrip(r)
}

// once makes r3labs try one connection only.
type once struct{}

func (once) NextBackOff() time.Duration { return -1 } // backoff.Stop
func (once) Reset()                     {}
