package serve_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

func openLog(t *testing.T, dir string) *telemetry.Log {
	t.Helper()
	log := telemetry.NewLog(dir, telemetry.LogOptions{})
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return log
}

func appendAll(t *testing.T, log *telemetry.Log, lines ...string) {
	t.Helper()
	for _, line := range lines {
		must[telemetry.Cursor](t)(log.Append(t.Context(), []byte(line), false))
	}
}

// Clients that come and go, over restarts of the server, while others append:
// each event arrives at each client once, in order, byte for byte.
func TestResumeOverRestartsWithARealLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const total, clients = 600, 4
	all := events("nft.quote.created", 0, total)
	got := make([][]string, clients)
	last := make([]string, clients)
	for i := range last {
		last[i] = "0-0"
	}
	writer := openLog(t, dir) // another process would have its own
	for round := range 6 {
		s := start(t, serve.Options{Log: openLog(t, dir)})
		var wg sync.WaitGroup
		for i := range clients {
			wg.Go(func() {
				st := s.stream("", "Last-Event-ID", last[i])
				defer st.close()
				// Each client leaves at another place.
				for range 70 + 10*i {
					f := st.next()
					got[i], last[i] = append(got[i], f.data), f.id
				}
			})
		}
		appendAll(t, writer, all[round*100:(round+1)*100]...)
		wg.Wait()
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range clients {
		want := all[:6*(70+10*i)]
		if strings.Join(got[i], "\n") != strings.Join(want, "\n") {
			t.Errorf("client %d: %d events, which are not the first %d", i, len(got[i]), len(want))
		}
	}
}

func TestWhatForeignWritersLeave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, serve.Options{Log: openLog(t, dir)})
	st := s.stream("")
	path := filepath.Join(dir, "events.jsonl")
	f := must[*os.File](t)(os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600))
	defer f.Close()
	must[int](t)(f.WriteString("{\"n\":1}\r\nnot json\n\x00\x00\n{\"n\":\r2}\n{\"to"))
	st.want(`{"n":1}`, `{"n":2}`)
	must[int](t)(f.WriteString("rn\":3}\n{\"n\":4,\"apiKey\":\"hunter2-hunter2\"}\n{\"n\":5}\n"))
	st.want(`{"torn":3}`)
	if got := st.next().data; strings.Contains(got, "hunter2") || !strings.Contains(got, `"n":4`) {
		t.Errorf("a foreign secret was streamed: %s", got)
	}
	st.want(`{"n":5}`)
	if _, body := s.get("/events/backlog"); strings.Contains(body, "hunter2") || !strings.Contains(body, `{"n":5}`) {
		t.Errorf("backlog: %s", body)
	}
	_, health := s.get("/api/health")
	if !strings.Contains(health, `"badLines":2`) {
		t.Errorf("health: %s", health)
	}
	// The file is replaced under the connected client.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	appendAll(t, openLog(t, dir), `{"n":6}`)
	if f := st.next(); f.name != "reset" || !strings.Contains(f.data, `"reason":"unknown"`) {
		t.Fatalf("got %+v, want a reset", f)
	}
	st.want(`{"n":6}`)
}

func TestAnEventArrivesSoon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, serve.Options{Log: openLog(t, dir)})
	st := s.stream("")
	writer := openLog(t, dir)
	appendAll(t, writer, event("a.b", 0))
	st.next() // the directory is watched from here on
	for n := 1; n < 20; n++ {
		began := time.Now()
		appendAll(t, writer, event("a.b", n))
		st.want(event("a.b", n))
		if took := time.Since(began); took > time.Second {
			t.Errorf("event %d took %v", n, took)
		}
	}
}

// cutting breaks the n-th answer after so many bytes, as a bad network does.
type cutting struct {
	after []int
	n     int
	next  http.RoundTripper
}

func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err == nil && c.n < len(c.after) {
		resp.Body = &cutBody{resp.Body, c.after[c.n]}
	}
	c.n++
	return resp, err
}

type cutBody struct {
	inner interface {
		Read([]byte) (int, error)
		Close() error
	}
	left int
}

func (c *cutBody) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, errors.New("connection reset by peer")
	}
	n, err := c.inner.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func (c *cutBody) Close() error { return c.inner.Close() }

func TestTailOverCutConnectionsHasEveryEventOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openLog(t, dir)
	all := events("a.b", 0, 40)
	all[20] = fmt.Sprintf(`{"big":%q}`, strings.Repeat("y", 1<<20-100))
	appendAll(t, log, all...)
	s := start(t, serve.Options{Log: log})
	transport := &http.Transport{DisableKeepAlives: true}
	// Cuts in the head of a frame, in its middle, between its two newlines.
	cut := &cutting{after: []int{40, 333, 1500, 2049, 5000, 300000, 1}, next: transport}
	var got []string
	var notices []serve.Notice
	stop := errors.New("enough")
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	err := serve.Tail(ctx, serve.TailOptions{URL: s.url, After: "0-0", Transport: cut,
		Notice: func(n serve.Notice) { notices = append(notices, n) }},
		func(f serve.Frame) error {
			got = append(got, string(f.Data))
			if _, err := telemetry.ParseCursor(f.ID); err != nil {
				t.Error(err)
			}
			if len(got) == len(all) {
				return stop
			}
			return nil
		})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if strings.Join(got, "\n") != strings.Join(all, "\n") {
		t.Errorf("%d events came, which are not the %d of the log", len(got), len(all))
	}
	if len(notices) < 2*len(cut.after) {
		t.Errorf("%d notices of %d lost connections", len(notices), len(cut.after))
	}
}

func TestTailOverARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openLog(t, dir)
	appendAll(t, log, events("a.b", 0, 5)...)
	s := start(t, serve.Options{Log: openLog(t, dir)})
	addr := strings.TrimPrefix(s.url, "http://")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	frames, lost := make(chan serve.Frame, 100), make(chan serve.Notice, 100)
	done := make(chan error, 1)
	go func() {
		done <- serve.Tail(ctx, serve.TailOptions{URL: s.url + "/events", Backlog: 2, Types: []string{"a.*"},
			Notice: func(n serve.Notice) { lost <- n }},
			func(f serve.Frame) error { frames <- f; return nil })
	}()
	want := func(lines ...string) {
		t.Helper()
		for _, line := range lines {
			select {
			case f := <-frames:
				if string(f.Data) != line {
					t.Fatalf("got %s, want %s", f.Data, line)
				}
			case <-time.After(patience):
				t.Fatal("no event came")
			}
		}
	}
	want(events("a.b", 3, 5)...)
	if n := <-lost; !n.Connected {
		t.Errorf("first notice %+v", n)
	}
	if err := s.stop(); err != nil { // a clean end, which r3labs alone takes for the end of all
		t.Fatal(err)
	}
	if n := <-lost; n.Connected || n.Retry <= 0 {
		t.Errorf("second notice %+v", n)
	}
	appendAll(t, log, events("a.b", 5, 8)...)
	start(t, serve.Options{Log: openLog(t, dir), Addr: addr})
	want(events("a.b", 5, 8)...)
	// A log that is replaced is told.
	if err := os.Remove(filepath.Join(dir, "events.jsonl")); err != nil {
		t.Fatal(err)
	}
	appendAll(t, openLog(t, dir), event("a.b", 9))
	select {
	case f := <-frames:
		if f.Reset == nil || f.Reset.Reason != telemetry.ResetUnknown {
			t.Fatalf("got %+v, want a reset", f)
		}
	case <-time.After(patience):
		t.Fatal("no reset came")
	}
	want(event("a.b", 9))
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Tail: %v", err)
	}
}

func TestTailErrors(t *testing.T) {
	t.Parallel()
	s := start(t, serve.Options{Log: newMemLog("aa")})
	none := func(serve.Frame) error { return nil }
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, tt := range []struct {
		opt  serve.TailOptions
		code fault.Code
	}{
		{serve.TailOptions{URL: "http://127.0.0.1:1"}, fault.Upstream},
		{serve.TailOptions{URL: "http://user:hunter2@127.0.0.1:1/?token=hunter2"}, fault.Upstream},
		{serve.TailOptions{URL: "127.0.0.1:8787"}, fault.Usage},
		{serve.TailOptions{URL: s.url, Types: []string{"NOT A TYPE"}}, fault.Usage},
		{serve.TailOptions{URL: s.url + "/nowhere"}, fault.NotFound},
	} {
		err := serve.Tail(ctx, tt.opt, none)
		if fault.CodeOf(err) != tt.code {
			t.Errorf("Tail %+v: %v (%s), want %s", tt.opt, err, fault.CodeOf(err), tt.code)
		}
		if strings.Contains(fmt.Sprint(err), "hunter2") {
			t.Errorf("the error shows a secret of the URL: %v", err)
		}
		if _, err := serve.Backlog(t.Context(), tt.opt, func([]byte) error { return nil }); fault.CodeOf(err) != tt.code {
			t.Errorf("Backlog %+v: %v, want %s", tt.opt, err, tt.code)
		}
	}
}
