package serve

import (
	"context"
	"math"

	"github.com/ape-claw/ape-claw/telemetry"
)

// reader is the log as clients may see it: what Redactor.Foreign leaves of a line,
// which is the line itself, byte for byte, unless it holds a secret or half a
// character.
type reader struct {
	log EventLog
	red *telemetry.Redactor
}

func (r reader) end(ctx context.Context) (telemetry.Cursor, error) { return r.log.End(ctx) }

func (r reader) watch(ctx context.Context) (<-chan struct{}, error) { return r.log.Watch(ctx) }

func (r reader) after(ctx context.Context, c telemetry.Cursor, maxLines, maxBytes int) ([]telemetry.Line, telemetry.Cursor, error) {
	lines, next, err := r.log.ReadAfter(ctx, c, maxLines, maxBytes)
	return r.clean(lines), next, err
}

func (r reader) clean(lines []telemetry.Line) []telemetry.Line {
	for i := range lines {
		lines[i].Data = r.red.Foreign(lines[i].Data)
	}
	return lines
}

// tail is the newest events: lines, and what matches between start and end.
// When all are no more than a batch they are lines, else they are left in the
// file, so that nobody holds in memory what a client may never take.
type tail struct {
	lines      []telemetry.Line
	start, end telemetry.Cursor
	cut        bool // older ones would have been wanted, but a bound was reached
}

// tail finds the newest n events that match, or fewer when they pass most bytes or
// are further back than within bytes, whatever these are: other events, or lines
// that are none.
func (r reader) tail(ctx context.Context, n, most, within int, match func([]byte) bool) (tail, error) {
	few, err := r.back(ctx, lookBack{n: n, most: batchBytes, within: within, match: match})
	if err != nil {
		return tail{}, err
	}
	if !few.over {
		return tail{r.clean(few.Lines), few.End, few.End, few.Cut}, nil
	}
	// The event before the first wanted one ends where that one begins.
	far, err := r.back(ctx, lookBack{n: n, most: most, within: within, match: match, only: n + 1})
	if err != nil {
		return tail{}, err
	}
	t := tail{end: far.End}
	switch {
	case len(far.Lines) > 0:
	case far.over || far.Cut:
		t.cut = true
		k := far.fit // the bound of the log hides what is before this one
		if far.over {
			k++
		}
		// What came since may have moved it further back.
		if far, err = r.back(ctx, lookBack{n: k, most: math.MaxInt, within: 2 * within, match: match, only: k}); err != nil {
			return tail{}, err
		}
		t.end = far.End
	default:
		t.start, err = r.log.Oldest(ctx)
		return t, err
	}
	t.start = t.end // the log was replaced just now
	if len(far.Lines) > 0 {
		t.start = far.Lines[0].At
	}
	return t, nil
}

// lookBack is one pass back over the events that match.
type lookBack struct {
	n, most int
	within  int // bytes
	match   func([]byte) bool
	only    int // keep only the event of this number, counted from the newest; 0: all
}

type lookedBack struct {
	telemetry.Tail      // the zero value when over
	fit            int  // how many were within the bounds
	over           bool // the next one was beyond most bytes
}

func (r reader) back(ctx context.Context, b lookBack) (out lookedBack, err error) {
	pass, stop := context.WithCancel(ctx)
	defer stop()
	keep, size := b.n, 0
	if b.only > 0 {
		keep = 1
	}
	t, err := r.log.TailWithin(pass, keep, int64(b.within), func(line []byte) bool {
		if out.over || b.match != nil && !b.match(line) {
			return false
		}
		size += len(line) + 1
		if out.over = size > b.most && out.fit > 0 && out.fit < b.n; out.over {
			stop()
			return false
		}
		out.fit++
		return b.only == 0 || out.fit == b.only
	})
	if out.over && ctx.Err() == nil {
		return out, nil
	}
	out.Tail = t
	return out, err
}
