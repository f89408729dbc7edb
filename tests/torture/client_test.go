package torture_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// rec is an event that a client got.
type rec struct {
	hash uint64
	pos  int64
	size int32
	log  uint8 // index into follower.logs
}

// resetSeen is an `event: reset`, before which the client had n events.
type resetSeen struct {
	n                    int
	id                   string
	From, Oldest, Reason string
}

// follower is a client as EventSource is: it reads until the connection ends, and
// connects again with the last id it saw.
type follower struct {
	t     testing.TB
	name  string
	srv   *server
	query string
	// after is called after each event, without the lock; a client that reads slowly
	// waits there.
	after func(ctx context.Context, n int)
	// bufferBytes bounds what the kernel takes for a client that does not read. Less
	// than a few packets of the loopback device (64 KiB) would make it wait for timers.
	bufferBytes int

	mu       sync.Mutex
	lastID   string
	lastPos  int64
	got      []rec
	logs     []string
	resets   []resetSeen
	cursors  []string // ids of `event: cursor`
	refused  int      // answers 503 and 429
	connects int
	history  []string
	frames   []string
	problem  error

	stop context.CancelFunc
	done chan struct{}
}

// follow starts a client at a cursor; "" is live, "0-0" the oldest event.
func follow(t testing.TB, s *server, name, from, query string) *follower {
	t.Helper()
	f := &follower{t: t, name: name, srv: s, query: query, lastID: from}
	f.start()
	return f
}

func (f *follower) start() {
	var ctx context.Context
	ctx, f.stop = context.WithCancel(f.t.Context())
	f.done = make(chan struct{})
	f.t.Cleanup(f.leave)
	go f.run(ctx)
}

// leave ends the client.
func (f *follower) leave() {
	f.stop()
	<-f.done
}

func (f *follower) run(ctx context.Context) {
	defer close(f.done)
	for ctx.Err() == nil {
		err := f.stream(ctx)
		f.mu.Lock()
		f.noteDown("%v", err)
		failed := f.problem != nil
		f.mu.Unlock()
		if failed {
			return
		}
		select { // the server may be down
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// noteDown keeps the last words about connections; the lock is held.
func (f *follower) noteDown(format string, args ...any) {
	text := fmt.Sprintf("event %d, id %s: ", len(f.got), f.lastID) + fmt.Sprintf(format, args...)
	if n := len(f.history); n > 0 && f.history[n-1] == text {
		return
	}
	if f.history = append(f.history, text); len(f.history) > 24 {
		f.history = f.history[1:]
	}
}

// story is what is known of a client; the lock is held.
func (f *follower) story() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %d connections, %d refused, last id %s\n", f.connects, f.refused, f.lastID)
	for _, h := range f.history {
		fmt.Fprintf(&b, "  %s\n", h)
	}
	for _, r := range f.resets {
		fmt.Fprintf(&b, "  reset before event %d: %+v\n", r.n, r)
	}
	b.WriteString("  its last frames:\n")
	for _, fr := range f.frames {
		fmt.Fprintf(&b, "    %s\n", fr)
	}
	return b.String()
}

// stream is one connection.
func (f *follower) stream(ctx context.Context) error {
	f.mu.Lock()
	id := f.lastID
	f.mu.Unlock()
	conn, err := f.dial(ctx)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }() // only read
	if _, err := io.WriteString(conn, request(f.srv.addr, f.query, id)); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 64<<10), nil)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.connects++
	f.noteDown("connected, status %d", resp.StatusCode)
	f.mu.Unlock()
	switch {
	case resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests:
		f.mu.Lock()
		f.refused++
		f.mu.Unlock()
		return fmt.Errorf("refused: %d", resp.StatusCode)
	case resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream":
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 512)) // for the message
		return f.broken("answer %d, %s: %s", resp.StatusCode, resp.Header.Get("Content-Type"), body)
	}
	r := newSSEReader(resp.Body)
	for {
		fr, err := r.next()
		if err != nil {
			var op *net.OpError
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op) {
				return err
			}
			return f.broken("%w", err)
		}
		n, isEvent, err := f.take(fr)
		if err != nil {
			return err
		}
		if f.after != nil && isEvent {
			f.after(ctx, n)
		}
	}
}

func (f *follower) dial(ctx context.Context) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", f.srv.addr)
	if err == nil && f.bufferBytes > 0 {
		err = conn.(*net.TCPConn).SetReadBuffer(f.bufferBytes)
	}
	return conn, err
}

func request(addr, query, lastID string) string {
	if query != "" {
		query = "?" + query
	}
	head := "GET /events" + query + " HTTP/1.1\r\nHost: " + addr + "\r\nAccept: text/event-stream\r\n"
	if lastID != "" {
		head += "Last-Event-ID: " + lastID + "\r\n"
	}
	return head + "\r\n"
}

// broken keeps what no later connection can mend.
func (f *follower) broken(format string, args ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.problem = fmt.Errorf(format, args...)
	return f.problem
}

// take takes one frame in.
func (f *follower) take(fr frame) (n int, isEvent bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.frames = append(f.frames, fmt.Sprintf("%s %s %s", fr.id, fr.name, clip(fr.data))); len(f.frames) > 5 {
		f.frames = f.frames[1:]
	}
	if fr.hasID {
		log, pos, ok := cutCursor(fr.id)
		if !ok {
			f.problem = fmt.Errorf("id %q is no cursor", fr.id)
			return 0, false, f.problem
		}
		if len(f.logs) == 0 || f.logs[len(f.logs)-1] != log {
			f.logs = append(f.logs, log)
		}
		f.lastID, f.lastPos = fr.id, pos
	}
	switch {
	case !fr.hasData:
		return 0, false, nil
	case fr.name == "reset":
		r := resetSeen{n: len(f.got), id: fr.id}
		if err := json.Unmarshal(fr.data, &r); err != nil {
			f.problem = fmt.Errorf("reset %q: %w", fr.data, err)
			return 0, false, f.problem
		}
		f.resets = append(f.resets, r)
		f.noteDown("reset %+v", r)
		return 0, false, nil
	case fr.name == "cursor":
		f.cursors = append(f.cursors, fr.id)
		return 0, false, nil
	case fr.name != "" || !fr.hasID || fr.dataRows != 1:
		f.problem = fmt.Errorf("a frame that is no event: name %q, id %q, %d rows of data", fr.name, fr.id, fr.dataRows)
		return 0, false, f.problem
	}
	f.got = append(f.got, rec{hash: hashOf(fr.data), pos: f.lastPos, size: int32(len(fr.data)), log: uint8(len(f.logs) - 1)})
	return len(f.got), true, nil
}

func cutCursor(s string) (log string, pos int64, ok bool) {
	log, num, found := strings.Cut(s, "-")
	pos, err := strconv.ParseInt(num, 10, 64)
	return log, pos, found && err == nil && log != ""
}

// count is how many events it has.
func (f *follower) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.got)
}

// at is the last id it saw.
func (f *follower) at() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lastID
}

// failed reports whether it can't go on.
func (f *follower) failed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.problem != nil
}

// isAt reports whether it has come to the end of the log.
func (f *follower) isAt(log string, pos int64) bool { return f.at() == fmt.Sprintf("%s-%d", log, pos) }

func (f *follower) where() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprintf("%s has %d events\n%s", f.name, len(f.got), f.story())
}

// resetsSeen are the resets it got.
func (f *follower) resetsSeen() []resetSeen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.resets
}
