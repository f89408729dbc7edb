package serve

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// A batch is what one read of the log takes.
const (
	batchLines = 512
	batchBytes = 256 << 10
)

// hub follows the log and keeps its newest frames, encoded once, for all
// clients. It knows no client: each one asks with its own cursor, and one that
// falls behind reads the file instead.
type hub struct {
	log     reader
	max     int
	now     func() time.Time
	born    time.Time
	logger  *slog.Logger
	metrics *metrics
	files   catchUp
	watched func() bool                                     // whether anybody waits for what is new
	wanted  chan struct{}                                   // holds a token when that may have become true
	own     func() (from, to telemetry.Cursor, lines int64) // see Ingest.Grown; nil: not known

	mu    sync.Mutex // guards what follows
	segs  []*segment // oldest first; gaps between them hold no good line
	bytes int
	end   telemetry.Cursor // up to where the log was read; the zero value before there is a log
	epoch int              // how often the log turned out to be another one
	wake  chan struct{}    // closed when end moves
	views map[string]*view
}

func newHub(log reader, opt Options, m *metrics) *hub {
	h := &hub{log: log, max: opt.RingBytes, now: opt.Now, born: opt.Now(), logger: opt.Logger, metrics: m,
		wake: make(chan struct{}), wanted: make(chan struct{}, 1), views: map[string]*view{}}
	h.files = newCatchUp(log, h.forget)
	return h
}

// run follows the log until ctx ends. Only a log that can't be watched at all
// is an error.
func (h *hub) run(ctx context.Context) error {
	for begun := false; ctx.Err() == nil; begun = true {
		if err := h.follow(ctx, begun); err != nil {
			return err
		}
		h.idle(ctx)
	}
	return nil
}

// follow reads the log on as it is told of changes, until there is no stream. To be
// told costs each append something, and so does a frame.
func (h *hub) follow(ctx context.Context, begun bool) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	changed, err := h.log.watch(watching) // before End, so that nothing falls between
	if err != nil {
		return err
	}
	if end, err := h.log.end(ctx); err == nil && !begun {
		h.restart(end)
	}
	h.read(ctx, h.log.after, h.publish)
	t := time.NewTicker(watchedFor)
	defer t.Stop()
	for h.watched() {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-changed:
			if !ok {
				return ctx.Err()
			}
			h.read(ctx, h.log.after, h.publish)
		case <-t.C:
		}
	}
	return nil
}

const (
	// watchedFor is how often the hub looks whether there is still a stream.
	watchedFor = time.Second
	// idleRest is how long it lets events come together while there is none.
	idleRest = 200 * time.Millisecond
)

// grew counts by how much the log did.
func (h *hub) grew(after, next telemetry.Cursor, lines int64) {
	h.metrics.lines.Add(lines)
	if after.Log == next.Log {
		h.metrics.bytes.Add(next.Pos - after.Pos)
	}
}

// read is readOn; an error passes by itself, or comes again.
func (h *hub) read(ctx context.Context, lines reading, take taking) {
	if err := h.readOn(ctx, lines, take); err != nil && ctx.Err() == nil {
		h.logger.Warn("the event log can't be read now", "err", err)
	}
}

// reading is how lines are read, taking what is done with those between two places.
type (
	reading func(ctx context.Context, after telemetry.Cursor, maxLines, maxBytes int) ([]telemetry.Line, telemetry.Cursor, error)
	taking  func(after, next telemetry.Cursor, lines []telemetry.Line)
)

// readOn takes everything that is in the log by now.
func (h *hub) readOn(ctx context.Context, read reading, take taking) error {
	for ctx.Err() == nil {
		after := h.place()
		lines, next, err := read(ctx, after, batchLines, batchBytes)
		var reset *telemetry.ResetError
		switch {
		case errors.As(err, &reset):
			// Everything in the new log is new to clients that follow.
			h.files.drop()
			h.restart(reset.Oldest)
			if reset.Oldest == after {
				return err
			}
			continue
		case err != nil:
			return err
		case next == after:
			return nil
		}
		take(after, next, lines)
		if next.Pos == h.log.log.Stats().Bytes { // what came after the last look wakes us again
			return nil
		}
	}
	return nil
}

// restart forgets all frames and goes on from c.
func (h *hub) restart(c telemetry.Cursor) {
	h.mu.Lock()
	dropped := h.drop(len(h.segs))
	h.end = c
	h.epoch++
	wake := h.swapWake()
	h.mu.Unlock()
	close(wake)
	h.forget(dropped)
}

// drop lets go of the oldest n segments; the caller holds h.mu, and calls forget
// with the answer once it does not.
func (h *hub) drop(n int) (dropped bool) {
	for _, s := range h.segs[:n] {
		h.bytes -= chunk{buf: s.buf, frames: s.frames}.cost()
		s.gone.Store(true)
	}
	h.segs = slices.Delete(h.segs, 0, n)
	return n > 0
}

// forget makes views let go of segments that are gone. It is apart from drop
// because a view may be busy with a filter.
func (h *hub) forget(dropped bool) {
	if !dropped {
		return
	}
	h.mu.Lock()
	views := slices.Collect(maps.Values(h.views))
	h.mu.Unlock()
	for _, v := range views {
		v.forget()
	}
}

// tick is a short clock for frameRef.seen: tenths of a millisecond, which come
// round in five days.
func (h *hub) tick() uint32 { return uint32(h.now().Sub(h.born) / (100 * time.Microsecond)) }

// since is the time from tick to now.
func (h *hub) since(tick uint32) time.Duration {
	return time.Duration(h.tick()-tick) * 100 * time.Microsecond
}

// publish encodes the lines into the newest segment's room, which is the hub's
// alone until add shows it, and into new ones.
func (h *hub) publish(after, next telemetry.Cursor, lines []telemetry.Line) {
	var filled []chunk
	tick := h.tick()
	c, ok := h.newest()
	at := after
	for _, l := range lines {
		if !ok || !c.add(l, tick) {
			if ok {
				filled = append(filled, c)
			}
			c, ok = newChunk(telemetry.Cursor{Log: next.Log, Pos: at.Pos}, max(segmentBytes, frameRoom(l))), true
			c.seg.live, c.seg.oldest = true, at.IsZero()
			c.add(l, tick)
		}
		at = l.At
	}
	if ok {
		c.end = next.Pos
		filled = append(filled, c)
	}
	h.grew(after, next, int64(len(lines)))
	h.forget(h.add(filled, next))
}

// newest returns the segment that is added to, if there is one.
func (h *hub) newest() (chunk, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.segs) == 0 {
		return chunk{}, false
	}
	return h.segs[len(h.segs)-1].chunk(), true
}

func (s *segment) chunk() chunk { return chunk{seg: s, buf: s.buf, frames: s.frames, end: s.end} }

// add shows what was encoded and moves the end. It reports whether segments
// were dropped for it.
func (h *hub) add(filled []chunk, next telemetry.Cursor) (dropped bool) {
	h.mu.Lock()
	for _, c := range filled {
		s := c.seg
		if n := len(h.segs); n > 0 && h.segs[n-1] == s {
			h.bytes -= s.chunk().cost()
		} else {
			h.segs = append(h.segs, s)
		}
		s.buf, s.frames, s.end = c.buf, c.frames, c.end
		h.bytes += c.cost()
	}
	h.end = next
	drop := 0
	for over := h.bytes - h.max; over > 0 && drop < len(h.segs)-1; drop++ {
		over -= h.segs[drop].chunk().cost()
	}
	dropped = h.drop(drop)
	wake := h.swapWake()
	h.mu.Unlock()
	close(wake)
	return dropped
}

// swapWake returns the channel that waiting clients look at, to be closed once
// the caller has given up h.mu, which they take next.
func (h *hub) swapWake() chan struct{} {
	old := h.wake
	h.wake = make(chan struct{})
	return old
}

// found is where a cursor stands.
type found struct {
	chunk chunk // with a segment: send its frames from index from on, if any
	from  int
	wait  <-chan struct{} // else, when set: nothing is new before it closes
}

// find looks for the first frame after c; neither a segment nor a channel means
// that only the file can tell. c must be a place between lines, as clients' cursors
// are once the file has checked them in the given epoch. One that is ahead of the
// hub then waits for it; but if the log has turned out to be another since, under
// its old id even, the file is asked again.
func (h *hub) find(c telemetry.Cursor, epoch int) found {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.IsZero() && len(h.segs) > 0 && h.segs[0].oldest {
		return found{chunk: h.segs[0].chunk()}
	}
	if c.Log != h.end.Log {
		return found{}
	}
	if c.Pos == h.end.Pos || c.Pos > h.end.Pos && epoch == h.epoch {
		return found{wait: h.wake}
	}
	if c.Pos > h.end.Pos || len(h.segs) == 0 || c.Pos < h.segs[0].start {
		return found{}
	}
	k := sort.Search(len(h.segs), func(k int) bool { return h.segs[k].end > c.Pos })
	if k == len(h.segs) { // only lines that are not good follow
		return found{chunk: chunk{seg: h.segs[k-1], end: h.end.Pos}}
	}
	chunk := h.segs[k].chunk()
	return found{chunk: chunk, from: chunk.after(c.Pos)}
}

// waker returns the channel that closes when the end moves, and the epoch.
func (h *hub) waker() (<-chan struct{}, int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.wake, h.epoch
}

// held is the memory of the shared frames.
func (h *hub) held() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bytes
}

// place is up to where the log was read.
func (h *hub) place() telemetry.Cursor {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.end
}
