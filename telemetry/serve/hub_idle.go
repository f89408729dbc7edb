package serve

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// idle counts what comes into the log, and keeps nothing of it, until there is a
// stream: that finds in the file where it begins.
func (h *hub) idle(ctx context.Context) {
	t := time.NewTicker(idleRest)
	defer t.Stop()
	for !h.watched() {
		select {
		case <-ctx.Done():
			return
		case <-h.wanted:
		case <-t.C:
			if !h.passOwn(ctx) {
				h.read(ctx, h.log.log.ReadAfter, h.pass)
			}
		}
	}
}

// want wakes an idle hub, once there is a stream.
func (h *hub) want() {
	select {
	case h.wanted <- struct{}{}:
	default:
	}
}

// pass is publish while there is nobody to publish for.
func (h *hub) pass(after, next telemetry.Cursor, lines []telemetry.Line) {
	h.passLines(after, next, int64(len(lines)))
}

func (h *hub) passLines(after, next telemetry.Cursor, lines int64) {
	h.grew(after, next, lines)
	h.mu.Lock()
	dropped := h.drop(len(h.segs))
	h.end = next
	wake := h.swapWake()
	h.mu.Unlock()
	close(wake)
	h.forget(dropped)
}

// passOwn passes what this server took in itself without reading it again. It reads
// up to there, and no further, so that the next stretch begins where it is. It is false
// when all is to be read.
func (h *hub) passOwn(ctx context.Context) bool {
	if h.own == nil {
		return false
	}
	from, to, lines := h.own()
	at := h.place()
	if from.IsZero() || at.Log != from.Log || at.Pos > to.Pos {
		return false
	}
	upTo := from
	if at.Pos > from.Pos {
		upTo = to
	}
	for at.Pos < upTo.Pos {
		read, next, err := h.log.log.ReadAfter(ctx, at, batchLines, int(min(batchBytes, upTo.Pos-at.Pos)))
		if err != nil || next == at || next.Log != at.Log {
			return false
		}
		h.pass(at, next, read)
		at = next
	}
	if at != from || upTo != from {
		return at == to
	}
	h.passLines(from, to, lines)
	_, err := h.log.end(ctx) // which the log's statistics are of
	return err == nil
}
