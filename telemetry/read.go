package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"unicode/utf8"
)

// Line is one whole good line of the log.
type Line struct {
	Data []byte // without its newline
	At   Cursor // the position after it
}

// How much a read takes at once.
const (
	minChunk = 4 << 10
	maxChunk = MaxLine
	// maxSpan is how far one read goes through lines that are not good.
	maxSpan = 16 << 20
)

// ReadAfter returns whole good lines after the cursor, at most maxLines of them,
// and no more after the first when they pass maxBytes; limits of 0 or less mean
// no limit of lines, and one mebibyte. next is where to go on: it moves past bad lines too
// (past many of them without a good one, so that a read ends soon whatever the log holds),
// and equals after when there is nothing new. The zero Cursor starts at the oldest
// line. A cursor that can't be served is a *ResetError. The lines' bytes are the
// caller's.
func (l *Log) ReadAfter(ctx context.Context, after Cursor, maxLines, maxBytes int) (lines []Line, next Cursor, err error) {
	if after.IsZero() {
		l.recheck()
	}
	lines, next, err = l.readAfter(ctx, after, maxLines, maxBytes)
	var reset *ResetError
	if errors.Is(err, errSegmentGone) || errors.As(err, &reset) {
		l.recheck() // segments may have gone since they were looked at
		lines, next, err = l.readAfter(ctx, after, maxLines, maxBytes)
	}
	if errors.Is(err, errSegmentGone) { // again
		err = l.readFault(err)
	}
	return lines, next, err
}

func (l *Log) readAfter(ctx context.Context, after Cursor, maxLines, maxBytes int) (lines []Line, next Cursor, err error) {
	v, err := l.look(ctx)
	if err != nil {
		return nil, after, err
	}
	defer v.release()
	pos, err := v.place(after)
	if err != nil || !v.exists() {
		return nil, after, err
	}
	if maxBytes <= 0 {
		maxBytes = maxChunk
	}
	s := scan{l: l, v: v, start: after, pos: pos, maxLines: maxLines, maxBytes: maxBytes}
	for more := true; more && s.pos-pos < maxSpan; {
		if err := ctx.Err(); err != nil {
			return nil, after, err
		}
		if more, err = s.step(ctx); errors.Is(err, errSegmentGone) && len(s.lines) > 0 {
			break // the next read finds out what is left
		} else if err != nil {
			return nil, after, err
		}
	}
	return s.lines, Cursor{v.log, s.pos}, nil
}

// place turns a cursor into a position of v.
func (v *view) place(c Cursor) (int64, error) {
	switch {
	case !v.exists() && c.IsZero():
		return 0, nil
	case !v.exists():
		return 0, &ResetError{From: c, Reason: ResetUnknown}
	case c.IsZero():
		return v.oldest(), nil
	case c.Log != v.log || c.Pos > v.base+v.full:
		return 0, v.reset(c, ResetUnknown)
	case c.Pos < v.oldest():
		return 0, v.reset(c, ResetGone)
	}
	return c.Pos, nil
}

func (v *view) reset(c Cursor, reason string) *ResetError {
	return &ResetError{From: c, Oldest: Cursor{v.log, v.oldest()}, Reason: reason}
}

// scan reads lines forward.
type scan struct {
	l                  *Log
	v                  *view
	start              Cursor
	pos                int64
	lines              []Line
	taken              int // bytes of lines
	maxLines, maxBytes int
	checked            bool // pos was seen to be the start of a line
}

// step reads one chunk. more is false at the end or at a limit.
func (s *scan) step(ctx context.Context) (more bool, err error) {
	p, ok := s.v.partAt(s.pos)
	if !ok {
		return false, s.checkEnd()
	}
	src, done, err := s.v.open(p)
	if err != nil {
		if errors.Is(err, errSegmentGone) {
			return false, err
		}
		return false, s.l.readFault(err)
	}
	defer done()
	size := min(max(s.maxBytes-s.taken, minChunk), maxChunk)
	for {
		buf, sealed, err := s.read(src, p, size)
		if err != nil {
			return false, err
		}
		if buf == nil { // the file has become shorter
			if p.name != "" { // what it has lost is passed
				s.pos, s.checked = p.end, true
			}
			return p.name != "", nil // of the active file, the next look will see it
		}
		whole := bytes.LastIndexByte(buf, '\n') + 1
		if sealed && p.name != "" {
			whole = len(buf) // nothing is ever added to an older file
		}
		switch {
		case whole > 0:
			return s.take(buf[:whole]), nil
		case !sealed && size < maxChunk:
			size = maxChunk
		case len(buf) >= maxChunk:
			return s.skipLong(ctx, src, p)
		default:
			return false, nil // the last line is not whole yet
		}
	}
}

// read returns up to size bytes at pos. sealed says that they reach p's end, or all that is left of it. buf
// is nil when there is nothing, because the file has become shorter.
func (s *scan) read(src io.ReaderAt, p part, size int) (buf []byte, sealed bool, err error) {
	n := min(int64(size), p.end-s.pos)
	before := int64(0)
	if !s.checked && s.pos > p.first {
		before = 1 // the byte before tells whether pos starts a line
	}
	buf, short := make([]byte, n+before), false
	got, err := src.ReadAt(buf, s.pos-p.first-before)
	if err != nil && err != io.EOF {
		return nil, false, s.l.readFault(err)
	}
	if got < len(buf) {
		if p.name == "" || int64(got) <= before {
			return nil, false, nil
		}
		buf, short = buf[:got], true
	}
	if before == 1 && buf[0] != '\n' {
		return nil, false, s.v.reset(s.start, ResetUnknown)
	}
	s.checked = true
	return buf[before:], short || s.pos+n == p.end, nil
}

// checkEnd makes sure that a cursor at the log's end stands after a line.
func (s *scan) checkEnd() error {
	if s.checked || s.v.size == 0 || s.v.file == nil || s.pos != s.v.end() {
		return nil
	}
	torn, err := tornAt(s.v.file.f, s.v.size)
	if err == io.EOF { // cut just now: the next look will see it
		return nil
	}
	if err != nil {
		return s.l.readFault(err)
	}
	if torn {
		return s.v.reset(s.start, ResetUnknown)
	}
	return nil
}

// take adds the lines of buf, which ends where a line ends, until a limit.
func (s *scan) take(buf []byte) (more bool) {
	from := s.pos
	var bad []badLine
	more = true
	for len(buf) > 0 {
		line, rest, _ := bytes.Cut(buf, []byte{'\n'})
		kind := kindOfLine(line)
		if kind == goodLine {
			if s.full(len(line) + 1) {
				more = false
				break
			}
			s.taken += len(line) + 1
			s.lines = append(s.lines, Line{line[:len(line):len(line)], Cursor{s.v.log, s.pos + int64(len(buf)-len(rest))}})
		} else if kind != blankLine {
			bad = append(bad, badLine{s.pos, kind})
		}
		s.pos += int64(len(buf) - len(rest))
		buf = rest
	}
	s.l.sawLines(s.v.log, from, s.pos, bad)
	return more && !s.full(0)
}

// full reports whether a line of n bytes more would pass a limit.
func (s *scan) full(n int) bool {
	if len(s.lines) == 0 {
		return false
	}
	return s.maxLines > 0 && len(s.lines) >= s.maxLines || s.taken+n > s.maxBytes
}

// skipLong passes a line that is longer than any may be. While its end is not
// there, nothing is read twice: the Log remembers how far it has looked.
func (s *scan) skipLong(ctx context.Context, src io.ReaderAt, p part) (more bool, err error) {
	buf := make([]byte, maxChunk/4)
	at := s.l.longSeen(s.v.log, s.pos) // how far no newline was found
	for at = max(at, s.pos+maxChunk); at < p.end; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := src.ReadAt(buf[:min(int64(len(buf)), p.end-at)], at-p.first)
		if err != nil && err != io.EOF {
			return false, s.l.readFault(err)
		}
		if n == 0 {
			break // shorter than it was
		}
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			end := at + int64(i) + 1
			s.l.sawLines(s.v.log, s.pos, end, []badLine{{s.pos, tooLongLine}})
			s.pos = end
			return true, nil
		}
		at += int64(n)
	}
	if p.name != "" {
		s.l.sawLines(s.v.log, s.pos, p.end, []badLine{{s.pos, tooLongLine}})
		s.pos = p.end
		return true, nil
	}
	if at >= p.end {
		s.l.sawLong(s.v.log, s.pos, at)
	}
	return false, nil
}

// lineKind is what a reader makes of a line.
type lineKind int

const (
	goodLine lineKind = iota
	blankLine
	nulLine
	utf8Line
	notJSONLine
	tooLongLine
)

func kindOfLine(line []byte) lineKind {
	switch {
	case skipSpace(line, 0) == len(line):
		return blankLine
	case len(line)+1 > MaxLine:
		return tooLongLine
	case bytes.IndexByte(line, 0) >= 0:
		return nulLine
	case !utf8.Valid(line):
		return utf8Line
	case !validObject(line):
		return notJSONLine
	}
	return goodLine
}

// badLine is a line to be counted.
type badLine struct {
	at   int64
	kind lineKind
}

// maxIntervals bounds how many separate parts of a log are remembered as seen.
const maxIntervals = 64

// scanned remembers which parts of the log were read, so that a bad line is
// counted once however many readers pass it.
type scanned struct {
	log              string
	seen             []interval // sorted, apart
	longFrom, longTo int64      // a line that has no end yet, and how far that is known
}

type interval struct{ from, to int64 }

// sawLines counts the bad lines of [from, to) that no reader has passed yet.
func (l *Log) sawLines(log string, from, to int64, bad []badLine) {
	if from >= to {
		return
	}
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	sc := &l.r.scanned
	if sc.log != log {
		*sc = scanned{log: log}
	}
	for _, b := range bad {
		if !slices.ContainsFunc(sc.seen, func(iv interval) bool { return b.at >= iv.from && b.at < iv.to }) {
			l.r.bad.add(b.kind)
		}
	}
	out := sc.seen[:0:0]
	for _, iv := range sc.seen {
		if iv.to < from || iv.from > to {
			out = append(out, iv)
			continue
		}
		from, to = min(from, iv.from), max(to, iv.to)
	}
	out = append(out, interval{from, to})
	slices.SortFunc(out, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	if len(out) > maxIntervals {
		out = out[1:]
	}
	sc.seen = out
}

func (b *BadLines) add(kind lineKind) {
	switch kind {
	case nulLine:
		b.NUL++
	case utf8Line:
		b.UTF8++
	case tooLongLine:
		b.TooLong++
	default:
		b.NotJSON++
	}
}

func (l *Log) longSeen(log string, from int64) int64 {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	if sc := &l.r.scanned; sc.log == log && sc.longFrom == from {
		return sc.longTo
	}
	return 0
}

func (l *Log) sawLong(log string, from, to int64) {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	if sc := &l.r.scanned; sc.log == log {
		sc.longFrom, sc.longTo = from, to
	} else {
		*sc = scanned{log: log, longFrom: from, longTo: to}
	}
}
