package telemetry

import (
	"bytes"
	"context"
	"io"
	"slices"
)

// How much Last reads at once, going back.
const (
	firstBack = 16 << 10
	maxBack   = 256 << 10
)

// Oldest returns the cursor before the oldest event; the zero Cursor when there
// is no log yet.
func (l *Log) Oldest(ctx context.Context) (Cursor, error) {
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

// wholeEnd returns the position after the last newline of v.
func (l *Log) wholeEnd(ctx context.Context, v *view) (int64, error) {
	chunk := int64(1) // mostly the last byte is it
	for at := v.size; at > 0; chunk = min(max(chunk*64, minChunk), maxBack) {
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
	}
	return v.base, nil
}

// Last returns the last n good lines that match (nil: all do), oldest first, and
// the cursor after the last whole line, where ReadAfter goes on without a gap.
// It reads backwards: its cost is the size of what it returns, and of what does
// not match in between. The lines' bytes are the caller's.
func (l *Log) Last(ctx context.Context, n int, match func(line []byte) bool) (lines []Line, end Cursor, err error) {
	v, err := l.look(ctx)
	if err != nil || !v.exists() {
		return nil, Cursor{}, err
	}
	defer v.release()
	pos, err := l.wholeEnd(ctx, v)
	if err != nil {
		return nil, Cursor{}, err
	}
	b := back{l: l, v: v, n: n, match: match}
	spans := v.spans()
	slices.Reverse(spans)
	for _, p := range spans {
		if len(b.lines) >= n {
			break
		}
		if err := b.part(ctx, p, min(p.end, pos)); err != nil {
			return nil, Cursor{}, err
		}
	}
	slices.Reverse(b.lines)
	return b.lines, Cursor{v.log, pos}, nil
}

// back reads lines backwards, newest first.
type back struct {
	l     *Log
	v     *view
	n     int
	match func([]byte) bool
	lines []Line
}

// part reads p back from the position end, where a line ends.
func (b *back) part(ctx context.Context, p part, end int64) error {
	src, done, err := b.v.open(p)
	if err != nil {
		return b.l.readFault(err)
	}
	defer done()
	var carry []byte // the end of a line whose start was not read yet
	carryEnd, long := end, false
	chunk := int64(firstBack)
	for pos := end; pos > p.first && len(b.lines) < b.n; chunk = min(2*chunk, maxBack) {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(chunk, pos-p.first)
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

// unread is what is left of a chunk: the end of a line that starts before it.
type unread struct {
	carry []byte
	end   int64 // position after the line
	long  bool  // carry was dropped: the line is too long anyway
}

// lastLines takes the lines of buf, whose first byte is at pos, from its end,
// which is at position end unless a long line was dropped there.
func (b *back) lastLines(buf []byte, pos, first, end int64, long bool) unread {
	for len(b.lines) < b.n {
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
		if b.match == nil || b.match(line) {
			b.lines = append(b.lines, Line{line[:len(line):len(line)], Cursor{b.v.log, end}})
		}
		b.l.sawLines(b.v.log, from, end, nil)
	case blankLine:
	default:
		b.l.sawLines(b.v.log, from, end, []badLine{{from, kind}})
	}
}
