package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
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
	filter, filtered, err := filterOf(q)
	if err != nil {
		WriteError(w, err)
		return
	}
	pos, err := positionOf(q, r.Header.Get("Last-Event-ID"))
	if err != nil {
		WriteError(w, err)
		return
	}
	defer s.clients.Add(-1)
	if n := s.clients.Add(1); n > int64(s.opt.MaxClients) {
		w.Header().Set("Retry-After", "5")
		writeErrorStatus(w, http.StatusServiceUnavailable, fault.New(fault.Upstream,
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
	c := &client{srv: s, filtered: filtered}
	if filtered {
		c.view = s.hub.acquire(filter)
		defer s.hub.release(c.view)
	}
	preface, err := c.begin(r.Context(), pos)
	if err != nil {
		WriteError(w, err)
		return
	}
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
	checked  bool // at is known to be a place in the log
}

// begin finds the place to start, and returns what is sent first.
func (c *client) begin(ctx context.Context, pos position) ([]byte, error) {
	log := c.srv.log
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
	// An id without data is no event, but a browser remembers it: a client that
	// is cut off before its first event still resumes exactly here.
	return fmt.Appendf(preface, "id: %s\n\n", c.at), nil
}

func (c *client) match() func([]byte) bool {
	if c.view == nil {
		return nil
	}
	return c.view.filter.Match
}

func (c *client) resetError(ctx context.Context, dst []byte, e *telemetry.ResetError) ([]byte, error) {
	return c.reset(ctx, dst, resetData{From: e.From.String(), Oldest: e.Oldest.String(), Reason: e.Reason}, e.Oldest)
}

// reset appends the reset event and moves the cursor: to the oldest event when
// the client's place was removed or the log was replaced while it was
// connected (all of the new one is news), else live.
func (c *client) reset(ctx context.Context, dst []byte, data resetData, oldest telemetry.Cursor) ([]byte, error) {
	c.at = oldest
	if data.Reason == telemetry.ResetUnknown && !c.checked {
		end, err := c.srv.log.end(ctx)
		if err != nil {
			return nil, err
		}
		c.at = end
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
	if err := c.out.send(preface); err != nil {
		return err
	}
	beat := time.NewTicker(c.srv.opt.Heartbeat)
	defer beat.Stop()
	for {
		wait, err := c.sendReady(ctx)
		if err != nil {
			return err
		}
		if wait == nil { // more is ready; a filtered client may still need its heartbeat
			select {
			case <-beat.C:
				err = c.heartbeat()
			case <-ctx.Done():
				return ctx.Err()
			case <-c.srv.draining.Done():
				return errDraining
			default:
			}
		} else {
			select {
			case <-wait:
			case <-beat.C:
				err = c.heartbeat()
			case <-ctx.Done():
				return ctx.Err()
			case <-c.srv.draining.Done():
				return errDraining
			}
		}
		if err != nil {
			return err
		}
	}
}

// sendReady sends one block's worth of events. When there are none, it returns
// a channel that closes when there may be.
func (c *client) sendReady(ctx context.Context) (<-chan struct{}, error) {
	b, i, wait := c.srv.hub.find(c.at)
	if wait != nil {
		return wait, nil
	}
	if b == nil {
		return c.sendFromFile(ctx)
	}
	var err error
	if c.view == nil {
		err = c.out.send(b.buf[b.from(i):])
	} else {
		err = c.out.send(c.view.runs(b, i)...)
	}
	c.at = b.end
	return nil, err
}

// sendFromFile serves a client that is behind the frames in memory.
func (c *client) sendFromFile(ctx context.Context) (<-chan struct{}, error) {
	wake := c.srv.hub.waker() // taken before the read, or what comes between is missed
	lines, next, err := c.srv.log.after(ctx, c.at, batchLines, batchBytes)
	var reset *telemetry.ResetError
	if errors.As(err, &reset) {
		frame, err := c.resetError(ctx, nil, reset)
		if err != nil {
			return nil, err
		}
		return nil, c.out.send(frame)
	}
	if err != nil {
		return nil, err
	}
	if next == c.at { // the hub is not that far yet
		return wake, nil
	}
	var frames []byte
	match := c.match()
	for _, l := range lines {
		if match == nil || match(l.Data) {
			frames, _ = appendFrame(frames, l.At.String(), l.Data)
		}
	}
	c.at = next
	return nil, c.out.send(frames)
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
