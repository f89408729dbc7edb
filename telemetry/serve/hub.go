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

// A batch is what one read of the log takes, and so the largest block (one
// event may be larger).
const (
	batchLines = 512
	batchBytes = 256 << 10
)

// coalesce is the shortest time between two wake-ups of the clients: at high
// rates one write then carries many events. The first event after a lull is
// not delayed.
const coalesce = 2 * time.Millisecond

// hub follows the log and keeps its newest frames, encoded once, for all
// clients. It knows no client: each one asks with its own cursor, and one that
// falls behind reads the file instead.
type hub struct {
	log    reader
	max    int
	logger *slog.Logger

	mu     sync.Mutex // guards what follows
	blocks []*block   // oldest first; gaps between them hold no good line
	bytes  int
	end    telemetry.Cursor // up to where the log was read; the zero value before there is a log
	wake   chan struct{}    // closed when end moves
	views  map[string]*view
}

func newHub(log reader, maxBytes int, logger *slog.Logger) *hub {
	return &hub{log: log, max: maxBytes, logger: logger, wake: make(chan struct{}), views: map[string]*view{}}
}

// run follows the log until ctx ends. Only a log that can't be watched at all
// is an error.
func (h *hub) run(ctx context.Context) error {
	changed, err := h.log.watch(ctx) // before End, so that nothing falls between
	if err != nil {
		return err
	}
	if end, err := h.log.end(ctx); err == nil {
		h.restart(end)
	}
	pace := time.NewTimer(0)
	defer pace.Stop()
	for {
		if err := h.readOn(ctx); err != nil && ctx.Err() == nil {
			h.logger.Warn("the event log can't be read now", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-pace.C:
		}
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-changed:
			if !ok {
				return ctx.Err()
			}
		}
		pace.Reset(coalesce)
	}
}

// readOn publishes everything that is in the log by now.
func (h *hub) readOn(ctx context.Context) error {
	for ctx.Err() == nil {
		h.mu.Lock()
		after := h.end
		h.mu.Unlock()
		lines, next, err := h.log.after(ctx, after, batchLines, batchBytes)
		var reset *telemetry.ResetError
		switch {
		case errors.As(err, &reset):
			// Everything in the new log is new to clients that follow.
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
		h.publish(after, next, lines)
	}
	return nil
}

// restart forgets all frames and goes on from c.
func (h *hub) restart(c telemetry.Cursor) {
	h.mu.Lock()
	views := h.drop(len(h.blocks))
	h.end = c
	h.wakeAll()
	h.mu.Unlock()
	forget(views)
}

// drop lets go of the oldest n blocks; the caller holds h.mu, and calls forget
// with the answer once it does not.
func (h *hub) drop(n int) []*view {
	if n == 0 {
		return nil
	}
	for _, b := range h.blocks[:n] {
		h.bytes -= cap(b.buf)
		b.gone.Store(true)
	}
	h.blocks = slices.Delete(h.blocks, 0, n)
	return slices.Collect(maps.Values(h.views))
}

// forget is apart from drop because a view may be busy with a filter.
func forget(views []*view) {
	for _, v := range views {
		v.forget()
	}
}

func (h *hub) publish(after, next telemetry.Cursor, lines []telemetry.Line) {
	var b *block
	if len(lines) > 0 {
		b = newBlock(after, next, lines)
	}
	forget(h.add(b, next))
}

// add moves the end and, when there is one, adds a block. It returns the views
// that must forget what was dropped for it.
func (h *hub) add(b *block, next telemetry.Cursor) []*view {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end = next
	if b == nil {
		return nil
	}
	h.blocks = append(h.blocks, b)
	h.bytes += cap(b.buf)
	drop := 0
	for over := h.bytes - h.max; over > 0 && drop < len(h.blocks)-1; drop++ {
		over -= cap(h.blocks[drop].buf)
	}
	h.wakeAll()
	return h.drop(drop)
}

// wakeAll tells waiting clients to look again; the caller holds h.mu.
func (h *hub) wakeAll() {
	close(h.wake)
	h.wake = make(chan struct{})
}

// find looks for the first frame after c. It returns the block and the frame's
// index in it; or, when c is at the end, a channel to wait on; or neither when
// only the file can tell: so for a client that is ahead of the hub, since the log
// may have become shorter under its old id. c must be a place between lines, as
// clients' cursors are once the file has checked them.
func (h *hub) find(c telemetry.Cursor) (b *block, i int, wait <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.Log != h.end.Log {
		return nil, 0, nil
	}
	if c.Pos == h.end.Pos {
		return nil, 0, h.wake
	}
	if c.Pos > h.end.Pos || len(h.blocks) == 0 || c.Pos < h.blocks[0].start.Pos {
		return nil, 0, nil
	}
	k := sort.Search(len(h.blocks), func(k int) bool { return h.blocks[k].end.Pos > c.Pos })
	if k == len(h.blocks) { // only lines that are not good follow
		return nil, 0, nil
	}
	return h.blocks[k], h.blocks[k].after(c.Pos), nil
}

// waker returns the channel that closes when the end moves.
func (h *hub) waker() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.wake
}
