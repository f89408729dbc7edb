package telemetry

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"runtime"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Bounds of what is taken at once.
const (
	// MaxIngestLines and MaxIngestBytes bound one request.
	MaxIngestLines = 1000
	MaxIngestBytes = 2 << 20
	// MaxIngestDepth is how many objects and lists of an incoming event may be inside
	// one another, the event itself included.
	MaxIngestDepth = 64
)

// IngestOptions says how events of others are taken.
type IngestOptions struct {
	Redactor *Redactor
	Now      func() time.Time
}

// Ingest takes events that others send into a log, each once: a line whose eventId
// the log has is not appended again. What the log has is found out from the log
// itself, under its lock, so that an Ingest is safe for concurrent use and beside
// other processes that append, another Ingest over the same log included.
type Ingest struct {
	log  *Log
	red  *Redactor
	now  func() time.Time
	seed maphash.Seed
	pool sync.Pool // of *reading

	mu    sync.Mutex // guards queue
	queue []*batch

	turn  sync.Mutex // guards what follows: who has it appends for all in the queue
	group []*batch   // next's
	at    Cursor     // up to where seen knows the log
	seen  *seenIDs
	// What the block that is being made has already, beyond seen.
	boxes map[boxKey]int64
	exact map[idKey]struct{}
	saved Cursor // of the checkpoint
	begun bool   // the checkpoint was looked for

	grown grown
}

type boxKey struct{ agent, outbox string }

// OpenIngest returns an Ingest over l. Nothing is read or written before it is used.
func OpenIngest(l *Log, opt IngestOptions) *Ingest {
	g := &Ingest{log: l, red: opt.Redactor, now: opt.Now, seed: maphash.MakeSeed(), seen: newSeenIDs(),
		boxes: map[boxKey]int64{}, exact: map[idKey]struct{}{}}
	g.pool.New = func() any { return &reading{g: g, scan: strictScan{seed: g.seed}} }
	return g
}

// Incoming is what one request brings.
type Incoming struct {
	// AgentID is whose credentials came with it: the events are that agent's, whatever
	// they say. When it is empty, they say whose they are, and AllowID may refuse that.
	AgentID string
	AllowID func(id string) error
	// Body is one envelope or, with Lines set, one a line.
	Body  []byte
	Lines bool
}

// How a line was answered.
const (
	LineAccepted  = "accepted"
	LineDuplicate = "duplicate"
	LineRejected  = "rejected"
)

// TakenLine says what became of one line.
type TakenLine struct {
	Line    int // counted from 1, blank ones included
	Status  string
	EventID string
	At      Cursor // after it, when it was accepted
	// Why it was rejected.
	Code, Error, Hint, Field string
}

// Taken says what became of a request.
type Taken struct {
	Accepted, Duplicates, Rejected int
	// UnknownTypes counts accepted events whose type the catalogue does not have,
	// Dropped the fields that no envelope has.
	UnknownTypes, Dropped int
	Cursor                Cursor // after the last line that was accepted, else the log's end
	Lines                 []TakenLine
}

// ErrTooMuch: a request brings more than is taken at once.
var ErrTooMuch = errors.New("too much at once")

func tooMany(what string, most int) error {
	return fault.Wrap(ErrTooMuch, fault.Usage, "more than %d %s at once", most, what).Hintf("send fewer at once")
}

// Take appends the events of in that are good and new, and returns when they are as
// durable as they ask for: those that have an eventId, and those about money, are on
// disk. What is wrong with a line stands in the answer; an error is about all of them,
// and nothing can be said of any. A repetition is harmless for those with an eventId.
func (g *Ingest) Take(ctx context.Context, in Incoming) (Taken, error) {
	b, err := g.read(&in)
	if err != nil {
		return Taken{}, err
	}
	defer g.free(b)
	if len(b.lines) == 0 {
		b.taken.Cursor, err = g.log.End(ctx)
		return b.taken, err
	}
	g.mu.Lock()
	g.queue = append(g.queue, b)
	g.mu.Unlock()
	runtime.Gosched() // who is as far as this goes into the same append
	g.turn.Lock()
	for !b.done {
		group := g.next()
		g.append(ctx, group)
		clear(group) // which is next's again
	}
	g.turn.Unlock()
	if b.err == nil {
		b.err = g.log.settled(b.place)
		store.CrashPoint("ingest.settled")
	}
	return b.taken, b.err
}

// batch is one request on its way.
type batch struct {
	*reading
	lines []good
	taken Taken
	one   [1]TakenLine // the room of taken.Lines, mostly

	done  bool
	err   error
	place appended
}

// free lets another request have the buffers, unless they are a rare large one's.
func (g *Ingest) free(b *batch) {
	if cap(b.buf) <= keepBuf && cap(b.scan.keys) <= keepBuf/8 {
		clear(b.lines)
		b.buf, b.scan.b, b.room = b.buf[:0], nil, b.lines[:0]
		g.pool.Put(b.reading)
	}
}

// read checks all lines of a request.
func (g *Ingest) read(in *Incoming) (*batch, error) {
	if len(in.Body) > MaxIngestBytes {
		return nil, tooMany("bytes", MaxIngestBytes)
	}
	b := &batch{reading: g.pool.Get().(*reading)}
	b.lines, b.taken.Lines = b.room[:0], b.one[:0]
	b.now, b.utf8 = g.now().UTC(), utf8.Valid(in.Body)
	if n := len(in.Body) + len(in.Body)/4; cap(b.buf) < n {
		b.buf = make([]byte, 0, n)
	}
	whole := (!bytes.ContainsRune(in.Body, '\u2028') && !bytes.ContainsRune(in.Body, '\u2029')) && bytes.IndexByte(in.Body, '\r') < 0 &&
		!bytes.Contains(in.Body, []byte(`\ud`)) && !bytes.Contains(in.Body, []byte(`\uD`))
	if !in.Lines {
		b.add(in.Body, 1, in, whole && bytes.IndexByte(in.Body, '\n') < 0)
		return b, nil
	}
	for n, rest := 1, in.Body; len(rest) > 0; n++ {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if skipSpace(line, 0) == len(line) {
			continue
		}
		if len(b.taken.Lines) == MaxIngestLines {
			g.free(b)
			return nil, tooMany("events", MaxIngestLines)
		}
		b.add(line, n, in, whole)
	}
	return b, nil
}

func (b *batch) add(raw []byte, n int, in *Incoming, whole bool) {
	out := TakenLine{Line: n, Status: LineRejected}
	var l good
	var p *lineProblem
	if len(raw)+1 > MaxLine {
		p = &lineProblem{code: tooLongCode, reason: "it is longer than 1 MiB"}
	} else {
		l, out.EventID, p = b.line(raw, in, whole)
	}
	if p != nil {
		out.Code, out.Field, out.Hint, out.Error = p.code, p.field, p.hint, b.g.red.String(p.reason)
		b.taken.Rejected++
	} else {
		l.result = len(b.taken.Lines)
		b.lines = append(b.lines, l)
	}
	b.taken.Lines = append(b.taken.Lines, out)
}
