package telemetry

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/ape-claw/ape-claw/store"
)

const (
	// maxGroup bounds the bytes that are appended for several requests at once.
	maxGroup = 4 << 20
	// appendPatience is how long an append for several may take, whoever of them goes.
	appendPatience = 20 * time.Second
	// maxGap is how much of the log is read while its lock is held.
	maxGap = 1 << 20
	// appendTries is how often it is tried while others append faster than is read.
	appendTries = 10
)

// next takes requests out of the queue, in their order.
func (g *Ingest) next() []*batch {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, size := 0, 0
	for n < len(g.queue) && (n == 0 || size+len(g.queue[n].buf) <= maxGroup) {
		size += len(g.queue[n].buf)
		n++
	}
	g.group = append(g.group[:0], g.queue[:n]...)
	left := copy(g.queue, g.queue[n:])
	clear(g.queue[left:])
	g.queue = g.queue[:left]
	return g.group
}

// patient is a context that ends after appendPatience, for one goroutine. Its clock
// begins with the first wait, which most appends do without.
type patient struct {
	context.Context
	timed  context.Context
	cancel context.CancelFunc
}

// Done implements context.Context.
func (p *patient) Done() <-chan struct{} {
	if p.timed == nil {
		p.timed, p.cancel = context.WithTimeout(p.Context, appendPatience)
	}
	return p.timed.Done()
}

// Err implements context.Context.
func (p *patient) Err() error {
	if p.timed == nil {
		return nil
	}
	return p.timed.Err()
}

func (p *patient) stop() {
	if p.cancel != nil {
		p.cancel()
	}
}

// errBehind: more was appended than is read under the log's lock.
var errBehind = errors.New("the log has more than was read")

// append appends the lines of a group that the log does not have. The caller has the
// turn.
func (g *Ingest) append(ctx context.Context, group []*batch) {
	// The others' lines are in it too: it does not end because one of them goes.
	patience := &patient{Context: context.WithoutCancel(ctx)}
	defer patience.stop()
	ctx = patience
	var p appended
	var before Cursor
	err := errBehind
	for try := 0; try < appendTries && errors.Is(err, errBehind); try++ {
		if try > 0 || !g.begun {
			if err = g.catchUp(ctx); err != nil {
				break
			}
		}
		p, err = g.log.appendBlock(ctx, func(buf []byte, end logEnd) ([]byte, bool, error) {
			if err := g.catch(end); err != nil {
				return nil, false, err
			}
			before = g.at
			buf, durable := g.fill(buf, group)
			return buf, durable, nil
		})
	}
	if err != nil {
		for _, b := range group {
			b.done, b.err = true, g.log.because(err, "read")
		}
		return
	}
	store.CrashPoint("ingest.appended")
	if g.at = p.at; !p.alone && p.at != before {
		g.at = before // something of others is in between
	}
	g.answer(group, p)
	if p.file != nil {
		_ = p.file.release() // each request that waits holds it now
	}
}

// catch reads what others have appended since the last time. The log's lock is held.
func (g *Ingest) catch(end logEnd) error {
	if end.at == g.at {
		return nil
	}
	if end.at.Log == "" { // no line is whole yet
		if !g.at.IsZero() {
			g.seen = newSeenIDs()
		}
		g.at = end.at
		return nil
	}
	from := g.at.Pos
	switch {
	case g.at.Log != end.at.Log && g.at.Log != "", from < end.base, from > end.at.Pos, end.at.Pos-from > maxGap:
		return errBehind
	case from == end.at.Pos:
		g.at = end.at
		return nil
	}
	buf := make([]byte, end.at.Pos-from)
	if _, err := end.file.ReadAt(buf, from-end.base); err != nil && err != io.EOF {
		return err
	}
	for line := range bytes.SplitSeq(buf, []byte{'\n'}) {
		g.seen.learn(line)
	}
	g.at = end.at
	return nil
}

// fill adds the lines of a group that the log does not have to buf. Durable is what
// has an id: whoever sent it forgets it after the answer, also when the log had it
// already, from a process that may have been killed before its sync.
func (g *Ingest) fill(buf []byte, group []*batch) (block []byte, durable bool) {
	clear(g.boxes)
	clear(g.exact)
	lead := len(buf)
	for _, b := range group {
		for i := range b.lines {
			l := &b.lines[i]
			durable = durable || l.own || l.money
			if l.twice = l.own && g.had(l); l.twice {
				continue
			}
			buf = append(buf, b.buf[l.from:l.to]...)
			l.at = len(buf) - lead
		}
	}
	return buf, durable
}

// had reports whether the log, or the block that is being made, has the line's event;
// if not, the block is about to.
func (g *Ingest) had(l *good) bool {
	if g.seen.has(l.agent, l.id) {
		return true
	}
	if l.id.outbox == "" {
		_, ok := g.exact[l.id.key]
		g.exact[l.id.key] = struct{}{}
		return ok
	}
	k := boxKey{l.agent, l.id.outbox}
	if l.id.seq <= g.boxes[k] {
		return true
	}
	g.boxes[k] = l.id.seq
	return false
}

// answer says what became of the lines of a group, which are at p.
func (g *Ingest) answer(group []*batch, p appended) {
	appended := 0
	for _, b := range group {
		t := &b.taken
		t.Cursor = p.at
		last := int64(0)
		wait := false
		for i := range b.lines {
			l := &b.lines[i]
			wait = wait || l.own || l.money
			out := &t.Lines[l.result]
			if l.twice {
				out.Status = LineDuplicate
				t.Duplicates++
				continue
			}
			last = p.from + int64(l.at)
			out.Status, out.At = LineAccepted, Cursor{p.at.Log, last}
			t.Accepted++
			appended++
			t.Dropped += l.dropped
			if l.unknown {
				t.UnknownTypes++
			}
			if l.own {
				g.seen.add(l.agent, l.id)
			}
		}
		if last > 0 {
			t.Cursor.Pos = last
		}
		if b.done = true; wait && p.file != nil {
			p.file.hold()
			b.place = p
		}
	}
	g.grown.note(p, appended)
}
