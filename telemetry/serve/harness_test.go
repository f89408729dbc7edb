package serve_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait for something that should happen at once.
const patience = 20 * time.Second

// server is a running Server.
type server struct {
	*serve.Server
	t    *testing.T
	url  string
	http *http.Client
	stop func() error // stops it once and returns what Serve returned
}

func start(t *testing.T, opt serve.Options) *server {
	t.Helper()
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Addr == "" {
		opt.Addr = "127.0.0.1:0"
	}
	s := must[*serve.Server](t)(serve.New(opt))
	must[net.Addr](t)(s.Listen())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	transport := &http.Transport{}
	stop := sync.OnceValue(func() error {
		cancel()
		err := <-done
		transport.CloseIdleConnections()
		return err
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return &server{Server: s, t: t, url: s.URL(), http: &http.Client{Transport: transport}, stop: stop}
}

// get returns status, header and body of a plain request.
func (s *server) get(path string, header ...string) (*http.Response, string) {
	s.t.Helper()
	return s.do(http.MethodGet, path, "", header...)
}

func (s *server) do(method, path, body string, header ...string) (*http.Response, string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	req := must[*http.Request](s.t)(http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body)))
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp := must[*http.Response](s.t)(s.http.Do(req))
	defer resp.Body.Close()
	return resp, string(must[[]byte](s.t)(io.ReadAll(resp.Body)))
}

// raw sends bytes as they are and returns whatever comes back until the end.
func (s *server) raw(t *testing.T, request string) string {
	t.Helper()
	conn := must[net.Conn](t)(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Logf("send: %v", err)
	}
	b, err := io.ReadAll(conn)
	if err != nil {
		t.Logf("read: %v", err)
	}
	return string(b)
}

// stream is an open /events, read as the specification of SSE says.
type stream struct {
	t      *testing.T
	frames chan frame
	close  func()
	resp   *http.Response
}

// frame is one SSE block with all its fields, comments included.
type frame struct{ name, id, data, retry, comment string }

func (s *server) stream(query string, header ...string) *stream {
	s.t.Helper()
	return openStream(s.t, s.http, s.url+"/events"+query, header...)
}

func openStream(t *testing.T, client *http.Client, url string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req := must[*http.Request](t)(http.NewRequestWithContext(ctx, http.MethodGet, url, nil))
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		cancel()
		t.Fatalf("%s: %d %s", url, resp.StatusCode, body)
	}
	st := &stream{t: t, frames: make(chan frame, 1<<16), resp: resp}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(st.frames)
		readFrames(resp.Body, func(f frame) { st.frames <- f })
	}()
	st.close = sync.OnceFunc(func() {
		cancel()
		resp.Body.Close()
		<-done
	})
	t.Cleanup(st.close)
	return st
}

// readFrames splits at CR, LF and CRLF, as clients must.
func readFrames(r io.Reader, emit func(frame)) {
	br := bufio.NewReaderSize(r, 64<<10)
	p := frameParser{emit: emit}
	for {
		text, err := br.ReadString('\n')
		lines := strings.Split(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), "\r")
		if err != nil {
			lines = strings.Split(text, "\r")
			lines = lines[:len(lines)-1] // the last has no end
		}
		for _, line := range lines {
			p.line(line)
		}
		if err != nil {
			return
		}
	}
}

// frameParser makes frames of lines.
type frameParser struct {
	emit          func(frame)
	f             frame
	seen, hasData bool
}

func (p *frameParser) line(text string) {
	if text == "" {
		if p.seen {
			p.emit(p.f)
		}
		*p = frameParser{emit: p.emit}
		return
	}
	p.seen = true
	name, value, _ := strings.Cut(text, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "":
		p.f.comment += "#" + value
	case "data":
		if p.hasData {
			value = p.f.data + "\n" + value
		}
		p.f.data, p.hasData = value, true
	case "event":
		p.f.name = value
	case "id":
		p.f.id = value
	case "retry":
		p.f.retry = value
	}
}

// next returns the next frame that is an event or has a name.
func (st *stream) next() frame {
	st.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case f, ok := <-st.frames:
			if !ok {
				st.t.Fatal("the stream ended")
			}
			if f.data != "" {
				return f
			}
		case <-deadline:
			st.t.Fatal("no event came")
		}
	}
}

// want reads exactly these events, in order.
func (st *stream) want(lines ...string) (last frame) {
	st.t.Helper()
	for i, line := range lines {
		f := st.next()
		if f.name != "" || f.data != line {
			st.t.Fatalf("event %d: got %q %q, want %q", i, f.name, f.data, line)
		}
		if _, err := telemetry.ParseCursor(f.id); err != nil {
			st.t.Fatalf("event %d: id: %v", i, err)
		}
		last = f
	}
	return last
}

// ended waits for the end of the stream.
func (st *stream) ended() {
	st.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case _, ok := <-st.frames:
			if !ok {
				return
			}
		case <-deadline:
			st.t.Fatal("the stream did not end")
		}
	}
}

// pipes is a listener without a network, for tests in a synctest bubble.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, errors.New("closed")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "127.0.0.1:1" }
