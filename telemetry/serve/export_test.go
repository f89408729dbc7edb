package serve

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"
	"weak"

	"github.com/r3labs/sse/v2"

	"github.com/ape-claw/ape-claw/telemetry"
)

// AppendFrame is tested from outside as the wire sees it.
var AppendFrame = appendFrame

// MemoBlocks counts the blocks that views remember, and those of them that are
// in memory for nothing else.
func (s *Server) MemoBlocks() (all, stale int) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	kept := map[*segment]bool{}
	for _, seg := range s.hub.segs {
		kept[seg] = true
	}
	for _, v := range s.hub.views {
		v.mu.Lock()
		for _, m := range v.memo {
			if m.seg != nil {
				all++
			}
			if m.seg != nil && !kept[m.seg] {
				stale++
			}
		}
		v.mu.Unlock()
	}
	return all, stale
}

// Segments watches all segments of frames that ever were.
type Segments struct {
	s    *Server
	seen map[weak.Pointer[segment]]bool
}

// WatchSegments begins to watch; Look must be called before a segment can be gone.
func (s *Server) WatchSegments() *Segments {
	return &Segments{s, map[weak.Pointer[segment]]bool{}}
}

// Look notes the segments there are.
func (w *Segments) Look() {
	w.s.hub.mu.Lock()
	defer w.s.hub.mu.Unlock()
	for _, seg := range w.s.hub.segs {
		w.seen[weak.Make(seg)] = true
	}
	w.s.hub.files.mu.Lock()
	defer w.s.hub.files.mu.Unlock()
	for _, b := range w.s.hub.files.kept {
		w.seen[weak.Make(b.seg)] = true
	}
}

// Held returns how many there were, and how many bytes of those that the server
// dropped are still in memory.
func (w *Segments) Held() (all, bytes int) {
	runtime.GC()
	runtime.GC()
	for p := range w.seen {
		if seg := p.Value(); seg != nil && seg.gone.Load() {
			bytes += cap(seg.buf)
		}
	}
	return len(w.seen), bytes
}

// Held is the memory of the shared frames.
func (s *Server) Held() (ring, files int) { return s.hub.held(), s.hub.files.held() }

// OpenViews is how many distinct filters are in use.
func (s *Server) OpenViews() int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return len(s.hub.views)
}

// Encode packs lines as the hub does and returns what goes over the wire, and the
// events as filters see them. The line after i ends at position i+1.
func Encode(lines ...[]byte) (wire []byte, events [][]byte) {
	room := 0
	var all []telemetry.Line
	for i, line := range lines {
		all = append(all, telemetry.Line{Data: line, At: telemetry.Cursor{Log: "aa", Pos: int64(i) + 1}})
		room += frameRoom(all[i])
	}
	c := newChunk(telemetry.Cursor{Log: "aa"}, room)
	for i, l := range all {
		if !c.add(l, 0) {
			panic("no room")
		}
		if k := c.after(int64(i)); k != i || c.from(i+1) != len(c.buf) {
			panic("a frame is not where it is said to be")
		}
	}
	for i := range c.frames {
		events = append(events, c.line(i))
	}
	return c.buf, events
}

// WholeFrames is what the client makes of an answer's body.
func WholeFrames(body io.ReadCloser) io.ReadCloser { return &frameReader{body: body} }

// ClientBuffer is the most that the client takes for one frame.
const ClientBuffer = clientBuffer

// ReadStream hands on what the client reads from one answer with this body.
func ReadStream(ctx context.Context, body io.Reader, fn func(Frame) error) error {
	t := &tailer{fn: fn}
	client := sse.NewClient("http://localhost/events", sse.ClientMaxBufferSize(clientBuffer))
	client.Connection = &http.Client{Transport: wholeFrames{oneAnswer{body}}}
	client.ReconnectStrategy = once{}
	client.ResponseValidator = t.validate
	if err := t.connect(ctx, client); t.failed == nil {
		return err
	}
	return t.failed
}

type oneAnswer struct{ body io.Reader }

func (a oneAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(a.body), Request: r}, nil
}

// ParsePage reads an answer of the backlog.
func ParsePage(body []byte) (lines [][]byte, cursor telemetry.Cursor, err error) {
	p, err := parsePage(bytes.Clone(body))
	return p.lines, p.cursor, err
}

// Read is up to where the server has read the log.
func (s *Server) Read() telemetry.Cursor { return s.hub.place() }

// ReadBehind reads the file as for a client that is behind.
func (s *Server) ReadBehind(ctx context.Context, at telemetry.Cursor) (events int, next telemetry.Cursor, err error) {
	b, err := s.hub.files.after(ctx, at)
	if err != nil {
		return 0, at, err
	}
	return len(b.frames), b.next, nil
}
