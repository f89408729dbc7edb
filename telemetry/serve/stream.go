package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// retryMillis is how long a client waits before it connects again. It is short:
// a restart of serve should go unnoticed.
const retryMillis = 2000

// events is GET /events.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	filter, filtered, err := s.filterOf(q)
	if err != nil {
		WriteError(w, err)
		return
	}
	pos, err := s.positionOf(q, r.Header.Get("Last-Event-ID"))
	if err != nil {
		WriteError(w, err)
		return
	}
	defer s.clients.Add(-1)
	if n := s.clients.Add(1); n > int64(s.opt.MaxClients) {
		s.refuseFor(w, http.StatusServiceUnavailable, 5*time.Second, fault.New(fault.Upstream,
			"all %d streams are taken", s.opt.MaxClients).Hintf("try again in 5 s, or read /events/backlog"))
		return
	}

	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodHead {
		return
	}
	s.hub.want()
	c := &client{srv: s, filtered: filtered, news: make(chan struct{}, 1)}
	if filtered {
		c.view = s.hub.acquire(filter)
		defer s.hub.release(c.view)
	}
	preface, err := c.begin(r.Context(), pos)
	if err != nil {
		s.failed(w, err)
		return
	}
	// The end of the stream is the end of the connection: without chunks, which
	// would be for the next answer's sake, a write of many events is one system call.
	header.Set("Transfer-Encoding", "identity")
	w.WriteHeader(http.StatusOK)
	c.out = newSink(w, r, s)
	defer c.out.close()
	if err := c.run(r.Context(), preface); err != nil && r.Context().Err() == nil && !errors.Is(err, errDraining) {
		s.opt.Logger.Debug("stream ended", "err", err)
	}
}

// client is one open stream: a cursor and where to write.
type client struct {
	srv      *Server
	out      *sink
	view     *view // nil: everything
	filtered bool
	at       telemetry.Cursor
	checked  bool                   // at is known to be a place in the log
	epoch    int                    // of the hub, before at was checked
	log      atomic.Pointer[string] // at, for who looks on
	pos      atomic.Int64
	news     chan struct{} // gets a value when due changes
	due      atomic.Uint32
}

// What a client has to do beside sending events.
const (
	dueBeat uint32 = 1 << iota
	dueEnd
)

func (c *client) poke(what uint32) {
	c.due.Or(what)
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// begin finds the place to start, and returns what is sent first.
func (c *client) begin(ctx context.Context, pos position) ([]byte, error) {
	log := c.srv.log
	_, c.epoch = c.srv.hub.waker()
	preface := fmt.Appendf(nil, "retry: %d\n\n", retryMillis)
	switch {
	case pos.unknown != "":
		oldest, err := c.srv.opt.Log.Oldest(ctx)
		if err != nil {
			return nil, err
		}
		return c.reset(ctx, preface, resetData{From: pos.unknown, Oldest: oldest.String(), Reason: telemetry.ResetUnknown}, oldest)
	case pos.resume:
		c.at = pos.cursor
		// Ask the file once: it knows whether the cursor is a place in this log.
		_, _, err := log.after(ctx, c.at, 1, 1)
		var gone *telemetry.ResetError
		if errors.As(err, &gone) {
			return c.resetError(ctx, preface, gone)
		}
		if err != nil {
			return nil, err
		}
	case pos.backlog > 0:
		t, err := c.srv.newest(ctx, pos.backlog, math.MaxInt, c.match())
		if err != nil {
			return nil, err
		}
		for _, l := range t.lines {
			preface, _ = appendFrame(preface, l.At.String(), l.Data)
		}
		c.at = t.start // what is too much for memory is read on the way
	default:
		end, err := log.end(ctx)
		if err != nil {
			return nil, err
		}
		c.at = end
	}
	c.checked = true
	c.moveTo(c.at)
	// An id without data is no event, but a browser remembers it: a client that
	// is cut off before its first event still resumes exactly here.
	return fmt.Appendf(preface, "id: %s\n\n", c.at), nil
}

func (c *client) match() func([]byte) bool {
	if c.view == nil || c.view.filter.IsZero() {
		return nil
	}
	return c.view.filter.Match
}

func (c *client) resetError(ctx context.Context, dst []byte, e *telemetry.ResetError) ([]byte, error) {
	return c.reset(ctx, dst, resetData{From: c.srv.echo(e.From.String()), Oldest: e.Oldest.String(), Reason: e.Reason}, e.Oldest)
}

// reset appends the reset event and moves the cursor: to the oldest event when
// the client's place was removed or the log was replaced while it was
// connected (all of the new one is news), else live.
func (c *client) reset(ctx context.Context, dst []byte, data resetData, oldest telemetry.Cursor) ([]byte, error) {
	c.srv.metrics.reset(data.Reason)
	c.moveTo(oldest)
	if data.Reason == telemetry.ResetUnknown && !c.checked {
		end, err := c.srv.log.end(ctx)
		if err != nil {
			return nil, err
		}
		c.moveTo(end)
	}
	c.checked = true
	body, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return appendNamed(dst, "reset", c.at.String(), body), nil
}

// run sends events until the client is gone or the server drains.
func (c *client) run(ctx context.Context, preface []byte) error {
	c.srv.metrics.opened(c)
	defer c.srv.metrics.closed(c)
	// What happens seldom comes through one channel of the client's own: to wait
	// on many, some of them everybody's, costs as much as a small write.
	defer context.AfterFunc(ctx, func() { c.poke(dueEnd) })()
	defer context.AfterFunc(c.srv.draining, func() { c.poke(dueEnd) })()
	beat := time.AfterFunc(c.srv.opt.Heartbeat, func() { c.poke(dueBeat) })
	defer beat.Stop()
	if err := c.out.send(preface); err != nil {
		return err
	}
	for {
		wait, err := c.sendReady(ctx)
		if err != nil {
			return err
		}
		if wait != nil {
			select {
			case <-wait:
			case <-c.news:
			}
		}
		if c.due.Load() == 0 {
			continue
		}
		switch due := c.due.Swap(0); {
		case due&dueEnd != 0:
			return cmp.Or(ctx.Err(), errDraining)
		case due&dueBeat != 0: // a filtered client may need it also while it goes through what does not pass
			beat.Reset(c.srv.opt.Heartbeat)
			c.epoch = -1 // if it waits for the hub to come to its place, is that still there?
			if err := c.heartbeat(); err != nil {
				return err
			}
		}
	}
}

// sendReady sends one segment's worth of events. When there are none, it returns
// a channel that closes when there may be.
func (c *client) sendReady(ctx context.Context) (<-chan struct{}, error) {
	f := c.srv.hub.find(c.at, c.epoch)
	switch {
	case f.wait != nil:
		return f.wait, nil
	case f.chunk.seg == nil:
		return c.sendFromFile(ctx)
	}
	err := c.send(f.chunk, f.from)
	c.moveTo(f.chunk.cursor())
	return nil, err
}

// sendFromFile serves a client that is behind the frames in memory.
func (c *client) sendFromFile(ctx context.Context) (<-chan struct{}, error) {
	wake, epoch := c.srv.hub.waker() // taken before the read, or what comes between is missed
	b, err := c.srv.hub.files.after(ctx, c.at)
	var reset *telemetry.ResetError
	if errors.As(err, &reset) {
		frame, err := c.resetError(ctx, nil, reset)
		if err != nil {
			return nil, err
		}
		c.epoch = epoch
		return nil, c.out.send(frame)
	}
	if err != nil {
		return nil, err
	}
	c.epoch = epoch
	if b.next == c.at { // the hub is not that far yet
		return wake, nil
	}
	err = c.send(b.chunk, 0)
	c.moveTo(b.next)
	return nil, err
}

// send writes the frames of b from index i on that the client wants.
func (c *client) send(b chunk, i int) error {
	events, err := len(b.frames)-i, error(nil)
	before := c.out.sent
	if c.view == nil {
		err = c.out.send(b.buf[b.from(i):])
	} else {
		events, err = c.out.sendRuns(b, i, c.view.runs(b, i))
	}
	m := c.srv.metrics
	m.sentBytes.Add(c.out.sent - before)
	if err == nil && events > 0 {
		m.sentEvents.Add(int64(events))
		if b.seg.live {
			m.lag.observe(c.srv.hub.since(b.frames[i].seen))
		}
	}
	return err
}

func (c *client) moveTo(at telemetry.Cursor) {
	if at.Log != c.at.Log || c.log.Load() == nil {
		log := at.Log // not &at.Log, which would put at on the heap each time
		c.log.Store(&log)
	}
	c.at = at
	c.pos.Store(at.Pos)
}

// heartbeat keeps proxies and clients sure that the stream lives. A filtered
// client, which may see no event for long, also learns how far the log is.
func (c *client) heartbeat() error {
	beat := []byte(":\n\n")
	if c.filtered {
		beat = appendNamed(beat, "cursor", c.at.String(), []byte("{}"))
	}
	return c.out.send(beat)
}
