package serve

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// maxBodies is what the bodies of all requests that send events may take in memory
	// together; more get 503.
	maxBodies = 32 << 20
	// maxSender is what one sender's may take of that: who sends many, or sends slowly,
	// leaves room for the others.
	maxSender = 12 << 20
	// bodyStep is by how much one grows at first.
	bodyStep = 16 << 10
	// keepBody is the largest buffer that another request gets.
	keepBody = 256 << 10
)

var (
	errBusyBodies = errors.New("too many bodies are in memory")
	errSlowBody   = errors.New("the body did not end in time")
)

// bodies reads what requests bring, within one bound for all of them.
type bodies struct {
	held    atomic.Int64
	mu      sync.Mutex       // guards what follows
	senders map[string]int64 // what each has of that, of those that have something
	buffers sync.Pool        // of *body
	unzips  sync.Pool        // of *gzip.Reader
}

// body is what a request brought. The zero of a pointer to it has nothing.
type body struct {
	of   *bodies
	who  string
	buf  []byte
	held int64
}

func (b *body) bytes() []byte { return b.buf }

// release gives the memory back; the bytes are no longer good then.
func (b *body) release() {
	if b == nil {
		return
	}
	b.count(-b.held)
	if cap(b.buf) <= keepBody {
		b.buf = b.buf[:0]
		b.of.buffers.Put(b)
	}
}

// read reads the body of r, which is one event or, with lines set, several. What it
// returns is to be released, also when there is an error. Who is the sender whose share
// it counts against.
func (s *bodies) read(r *http.Request, who string, lines bool) (*body, error) {
	b, ok := s.buffers.Get().(*body)
	if !ok {
		b = &body{of: s}
	}
	b.who = who
	if !b.count(int64(cap(b.buf))) {
		return b, errBusyBodies
	}
	most := telemetry.MaxLine - 1 // its newline is the last byte
	if lines {
		most = telemetry.MaxIngestBytes
	}
	packed := isGzip(r.Header.Get("Content-Encoding"))
	if r.ContentLength > int64(most) && !packed {
		return b, &http.MaxBytesError{Limit: int64(most)}
	}
	if !packed {
		return b, b.fill(r.Body, most)
	}
	z, ok := s.unzips.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	defer s.unzips.Put(z)
	if err := z.Reset(r.Body); err != nil {
		return b, badBody(err)
	}
	return b, b.fill(z, most)
}

// count counts n bytes more, or less, against the bounds.
func (b *body) count(n int64) bool {
	s := b.of
	b.held += n
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.senders[b.who] + n
	switch {
	case own <= 0:
		delete(s.senders, b.who)
	case s.senders == nil:
		s.senders = map[string]int64{b.who: own}
	default:
		s.senders[b.who] = own
	}
	return s.held.Add(n) <= maxBodies && own <= maxSender
}

// fill reads r to its end, which is to come within most bytes.
func (b *body) fill(r io.Reader, most int) error {
	for {
		if len(b.buf) == cap(b.buf) {
			// As much as has come, and not what was announced: that costs the sender nothing.
			size := min(max(2*cap(b.buf), bodyStep), most+1)
			if size <= len(b.buf) {
				return &http.MaxBytesError{Limit: int64(most)}
			}
			if !b.count(int64(size - cap(b.buf))) {
				return errBusyBodies
			}
			b.buf = append(make([]byte, 0, size), b.buf...)
		}
		n, err := r.Read(b.buf[len(b.buf):min(cap(b.buf), most+1)])
		b.buf = b.buf[:len(b.buf)+n]
		switch {
		case len(b.buf) > most:
			return &http.MaxBytesError{Limit: int64(most)}
		case err == io.EOF:
			return nil
		case err != nil:
			return badBody(err)
		}
	}
}

// badBody says in words why a body can't be read.
func badBody(err error) error {
	var large *http.MaxBytesError
	var slow net.Error
	switch {
	case errors.As(err, &large), fault.CodeOf(err) == fault.Auth:
		return err
	case errors.As(err, &slow) && slow.Timeout():
		return errSlowBody
	}
	return fault.Wrap(err, fault.Usage, "the body can't be read, or is not the gzip it says")
}

// countLines counts lines, but blank ones that are next to another.
func countLines(b []byte) int {
	n := bytes.Count(b, []byte{'\n'})
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
