package telemetry

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// How much Last reads at once, going back.
const (
	firstBack    = 16 << 10
	maxBackChunk = 256 << 10
)

// Oldest returns the cursor before the oldest event; the zero Cursor when there
// is no log yet.
func (l *Log) Oldest(ctx context.Context) (Cursor, error) {
	l.recheck()
	v, err := l.look(ctx)
	if err != nil || !v.exists() {
		return Cursor{}, err
	}
	defer v.release()
	return Cursor{v.log, v.oldest()}, nil
}

// End returns the cursor after the last whole line; the zero Cursor when there
// is no log yet.
func (l *Log) End(ctx context.Context) (Cursor, error) {
	v, err := l.look(ctx)
	if err != nil || !v.exists() {
		return Cursor{}, err
	}
	defer v.release()
	end, err := l.wholeEnd(ctx, v)
	return Cursor{v.log, end}, err
}

// wholeEnd returns the position after the last newline of v. It reads no more than
// maxBack bytes: where they hold none, the file is no log of ours, and the answer
// is a fault.
func (l *Log) wholeEnd(ctx context.Context, v *view) (int64, error) {
	chunk := int64(1) // mostly the last byte is it
	for at := v.size; at > 0; chunk = min(max(chunk*64, minChunk), maxBackChunk) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		buf := make([]byte, min(chunk, at))
		n, err := v.file.f.ReadAt(buf, at-int64(len(buf)))
		if err != nil && err != io.EOF {
			return 0, l.readFault(err)
		}
		at -= int64(len(buf))
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return v.base + at + int64(i) + 1, nil
		}
		if at > 0 && v.size-at >= l.maxBack {
			return 0, fault.New(fault.StateUnusable, "the last %d bytes of the event log %s hold no end of a line", v.size-at, store.Display(l.path)).
				Hintf("move the file away: the next event starts a new log")
		}
	}
	return v.base, nil
}

// Tail is the end of the log.
type Tail struct {
	Lines []Line // oldest first
	End   Cursor // after the last whole line: ReadAfter goes on there without a gap
	// Cut: there may be older lines, which were not looked for because a bound of
	// LogOptions was reached first.
	Cut bool
}

// Last is Tail for callers to whom it is the same whether older lines were not
// there or too far back.
func (l *Log) Last(ctx context.Context, n int, match func(line []byte) bool) (lines []Line, end Cursor, err error) {
	t, err := l.Tail(ctx, n, match)
	return t.Lines, t.End, err
}

// Tail returns the last n good lines that match (nil: all do). It reads backwards:
// its cost is the size of what it returns, and of what does not match in between,
// up to LogOptions.MaxBack bytes; then it returns what it has. The lines together
// are no larger than LogOptions.MaxTail, but for a single one. The lines' bytes are
// the caller's.
func (l *Log) Tail(ctx context.Context, n int, match func(line []byte) bool) (Tail, error) {
	return l.TailWithin(ctx, n, l.maxBack, match)
}

// TailWithin is Tail that goes back no further than within bytes (and the rest of
// one read), be they good lines or bad, where LogOptions.MaxBack allows more.
func (l *Log) TailWithin(ctx context.Context, n int, within int64, match func(line []byte) bool) (Tail, error) {
	if match == nil {
		return l.tail(ctx, n, within, nil)
	}
	return l.tail(ctx, n, within, func(line []byte) (take, last bool) { return match(line), false })
}

// TailUntil is Tail for callers who know how far back to look: match says whether it
// takes a line, and whether that is the last one that it wants to see.
func (l *Log) TailUntil(ctx context.Context, n int, match func(line []byte) (take, last bool)) (Tail, error) {
	return l.tail(ctx, n, l.maxBack, match)
}

func (l *Log) tail(ctx context.Context, n int, within int64, match func(line []byte) (take, last bool)) (Tail, error) {
	v, err := l.look(ctx)
	if err != nil || !v.exists() {
		return Tail{}, err
	}
	defer v.release()
	pos, err := l.wholeEnd(ctx, v)
	if err != nil {
		return Tail{}, err
	}
	b := back{l: l, v: v, n: n, within: min(within, l.maxBack), match: match}
	for i := v.parts() - 1; i >= 0 && !b.done(); i-- {
		p := v.part(i)
		if err := b.part(ctx, p, min(p.end, pos)); errors.Is(err, errSegmentGone) {
			l.recheck() // the log starts after it
			break
		} else if err != nil {
			return Tail{}, err
		}
	}
	slices.Reverse(b.lines)
	return Tail{b.lines, Cursor{v.log, pos}, b.cut}, nil
}

// back reads lines backwards, newest first.
type back struct {
	l      *Log
	v      *view
	n      int
	within int64 // bytes that may be read
	match  func([]byte) (take, last bool)
	lines  []Line
	taken  int64 // bytes of lines
	read   int64 // bytes read
	cut    bool  // a bound was reached
	ended  bool  // match wants no more
}

func (b *back) done() bool { return b.cut || b.ended || len(b.lines) >= b.n }

// part reads p back from the position end, where a line ends.
func (b *back) part(ctx context.Context, p part, end int64) error {
	src, done, err := b.v.open(p)
	if errors.Is(err, errSegmentGone) {
		return err
	} else if err != nil {
		return b.l.readFault(err)
	}
	defer done()
	if end, err = leftOf(src, p, end); err != nil {
		return b.l.readFault(err)
	}
	var carry []byte // the end of a line whose start was not read yet
	carryEnd, long := end, false
	chunk := int64(firstBack)
	for pos := end; pos > p.first && !b.done(); chunk = min(2*chunk, maxBackChunk) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if b.cut = b.read >= b.within; b.cut {
			return nil
		}
		n := min(chunk, pos-p.first)
		b.read += n
		buf := make([]byte, n, n+int64(len(carry)))
		if _, err := src.ReadAt(buf, pos-n-p.first); err == io.EOF {
			return nil // cut just now: the next look will see it
		} else if err != nil {
			return b.l.readFault(err)
		}
		pos -= n
		buf = append(buf, carry...)
		rest := b.lastLines(buf, pos, p.first, carryEnd, long)
		carry, carryEnd, long = rest.carry, rest.end, rest.long
	}
	return nil
}

// leftOf returns how far before end a segment still reaches: it may have lost bytes
// in a power cut.
func leftOf(src io.ReaderAt, p part, end int64) (int64, error) {
	f, ok := src.(*os.File)
	if p.name == "" || !ok {
		return end, nil
	}
	st, err := statFile(f)
	return max(p.first, min(end, p.first+st.size)), err
}

// unread is what is left of a chunk: the end of a line that starts before it.
type unread struct {
	carry []byte
	end   int64 // position after the line
	long  bool  // carry was dropped: the line is too long anyway
}

// lastLines takes the lines of buf, whose first byte is at pos, from its end,
// which is at position end unless a long line was dropped there.
func (b *back) lastLines(buf []byte, pos, first, end int64, long bool) unread {
	for !b.done() {
		stop := len(buf)
		if !long {
			stop = max(stop-1, 0) // its own newline
		}
		start := bytes.LastIndexByte(buf[:stop], '\n') + 1
		if start == 0 && pos > first {
			if long || len(buf) > MaxLine {
				return unread{nil, end, true}
			}
			return unread{buf, end, false}
		}
		b.take(bytes.TrimSuffix(buf[start:], []byte{'\n'}), pos+int64(start), end, long)
		if start == 0 {
			return unread{}
		}
		buf, end, long = buf[:start], pos+int64(start), false
	}
	return unread{}
}

func (b *back) take(line []byte, from, end int64, long bool) {
	kind := kindOfLine(line)
	if long {
		kind = tooLongLine
	}
	switch kind {
	case goodLine:
		take := true
		if b.match != nil {
			take, b.ended = b.match(line)
		}
		if take {
			size := int64(len(line)) + 1
			if b.cut = len(b.lines) > 0 && b.taken+size > b.l.maxTail; b.cut {
				return
			}
			if b.match != nil {
				line = bytes.Clone(line) // a rare line must not keep all that was read
			}
			b.taken += size
			b.lines = append(b.lines, Line{line[:len(line):len(line)], Cursor{b.v.log, end}})
		}
		b.l.sawLines(b.v.log, from, end, nil)
	case blankLine:
	default:
		b.l.sawLines(b.v.log, from, end, []badLine{{from, kind}})
	}
}
