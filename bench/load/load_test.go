package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stream returns n framed events in chunks.
func stream(n, chunk int) []byte {
	var body, out []byte
	for i := 1; i <= n; i++ {
		body = fmt.Appendf(body, "id: %d\ndata: ", i)
		body = append(Envelope(body, int64(i), 1000+int64(i), 450), '\n')
	}
	for len(body) > 0 {
		k := min(chunk, len(body))
		out = fmt.Appendf(out, "%x\r\n%s\r\n", k, body[:k])
		body = body[k:]
	}
	return append(out, "0\r\n\r\n"...)
}

func TestEveryCut(t *testing.T) {
	t.Parallel()
	for _, chunk := range []int{1, 7, 100, 460, 4096} {
		s := stream(20, chunk)
		for cut := 1; cut < 997; cut += 13 {
			tl := tally{seen: make([]uint64, 1)}
			d := dechunker{on: true}
			var buf []byte
			for o := 0; o < len(s); o += cut {
				var err error
				if buf, err = d.feed(buf, s[o:min(o+cut, len(s))]); err != nil {
					t.Fatal(err)
				}
				buf = append(buf[:0], tl.lines(buf, 5000, 1000)...)
			}
			if tl.uniq != 20 || tl.got != 20 || tl.dup+tl.disorder+tl.foreign != 0 || tl.frames != 20 || !d.eof {
				t.Fatalf("chunk %d cut %d: %+v eof %v", chunk, cut, tl, d.eof)
			}
		}
	}
}

func TestBadChunk(t *testing.T) {
	t.Parallel()
	d := dechunker{on: true}
	if _, err := d.feed(nil, []byte("xyz\r\n")); err == nil {
		t.Error("no error for a chunk without a size")
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	tl := tally{seen: make([]uint64, 1)}
	for _, n := range []int64{1, 2, 2, 5, 4} {
		tl.lines(Envelope([]byte("data: "), n, 2000, 450), 2500, 1000)
	}
	tl.lines(Envelope([]byte("data: "), 3, 10, 450), 2500, 1000)    // another run's
	tl.lines(Envelope([]byte("data: "), 99, 2000, 450), 2500, 1000) // out of range
	tl.lines([]byte("data: {}\n: a comment\n"), 2500, 1000)
	if tl.uniq != 4 || tl.dup != 1 || tl.disorder != 1 || tl.foreign != 3 || tl.frames != 0 {
		t.Errorf("%+v", tl)
	}
	if p50 := tl.lat.quantile(0.5); p50 < 500 || p50 > 508 {
		t.Errorf("p50 is %d", p50)
	}
}

func TestHist(t *testing.T) {
	t.Parallel()
	var h hist
	if h.quantile(0.5) != 0 {
		t.Error("a quantile of nothing")
	}
	for i := int64(1); i <= 1_000_000; i++ {
		h.add(i)
	}
	for _, q := range []float64{0.5, 0.99, 0.999} {
		if got, want := float64(h.quantile(q)), q*1e6; got < want*0.999 || got > want*1.017 {
			t.Errorf("q%v = %v", q, got)
		}
	}
	h.add(-1)
	h.add(1<<63 - 1)
	if h.quantile(1) != 1<<63-1 {
		t.Error("the largest latency")
	}
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	line := Envelope(nil, 123456, time.Now().UnixNano(), 450)
	if len(line) != 450 || !json.Valid(line) {
		t.Errorf("%d bytes: %s", len(line), line)
	}
}

// smallEvents is how many a small run publishes.
const smallEvents = 50

// follow answers with a stream of what is appended to file, each line through
// edit, until all have come or the client goes.
func follow(file string, edit func(n int, line string) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		w.WriteHeader(http.StatusOK)
		f, err := os.OpenFile(file, os.O_RDONLY|os.O_CREATE, 0o600)
		if err != nil || rc.Flush() != nil {
			return
		}
		defer f.Close()
		var rest string
		for n := 0; n < smallEvents; {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(time.Millisecond):
			}
			b, err := io.ReadAll(f)
			if err != nil {
				return
			}
			lines := strings.SplitAfter(rest+string(b), "\n")
			rest = lines[len(lines)-1]
			for _, l := range lines[:len(lines)-1] {
				n++
				if _, err := io.WriteString(w, edit(n, l)); err != nil {
					return
				}
			}
			if rc.Flush() != nil {
				return
			}
		}
	})
}

func frame(_ int, line string) string { return "data: " + line + "\n" }

// small is a run against a server that edits what it sends.
func small(t *testing.T, edit func(int, string) string) (Result, error) {
	t.Helper()
	c := Defaults()
	c.File = filepath.Join(t.TempDir(), "events.jsonl")
	srv := httptest.NewServer(follow(c.File, edit))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	c.URL, c.Clients, c.Slow, c.Events, c.PID = srv.URL, 3, 1, smallEvents, os.Getpid()
	c.Settle, c.Batch = 10*time.Millisecond, 7
	return Run(t.Context(), c)
}

func TestRun(t *testing.T) {
	t.Parallel()
	r, err := small(t, frame)
	if err != nil || !r.OK() || r.Deliveries != 150 || r.P50us <= 0 || r.PerSec <= 0 {
		t.Errorf("%v: %+v", err, r)
	}
	if _, statErr := os.Stat("/proc/self/stat"); statErr == nil && (!r.Measured || r.ServerPeakMB <= 0) {
		t.Errorf("the server was not measured: %+v", r)
	}
}

func TestRunFinds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		edit func(int, string) string
		is   func(Result) bool
	}{
		"loss": {func(n int, l string) string {
			if n == 30 {
				return ""
			}
			return frame(n, l)
		}, func(r Result) bool { return r.Missing == 3 && r.Complete == 0 && r.Disconnected == 3 }},
		"duplicates": {func(n int, l string) string {
			if n == 30 {
				return frame(n, l) + frame(n, l)
			}
			return frame(n, l)
		}, func(r Result) bool { return r.Dup == 3 && r.Complete == 3 }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r, err := small(t, tt.edit); err != nil || r.OK() || !tt.is(r) {
				t.Errorf("%v: %+v", err, r)
			}
		})
	}
}

func TestSilence(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if http.NewResponseController(w).Flush() == nil {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	c := Defaults()
	c.URL, c.File, c.Events, c.Settle, c.Idle = srv.URL, filepath.Join(t.TempDir(), "f"), 10, 0, time.Millisecond
	if r, err := Run(t.Context(), c); err != nil || r.OK() || !r.TimedOut || r.Missing != 10 || r.Deliveries != 0 {
		t.Errorf("%v: %+v", err, r)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	c := Defaults()
	c.URL, c.File = srv.URL, filepath.Join(t.TempDir(), "f")
	if r, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("%v: %+v", err, r)
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := Defaults()
	c.URL, c.File = "http://"+l.Addr().String()+"/", filepath.Join(t.TempDir(), "f")
	if _, err := Run(ctx, c); err == nil {
		t.Error("ran although it was canceled")
	}
}

func BenchmarkParse(b *testing.B) {
	s := stream(1000, 4096)
	tl := tally{seen: make([]uint64, 17)}
	var buf []byte
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		d := dechunker{on: true}
		var err error
		if buf, err = d.feed(buf[:0], s); err != nil {
			b.Fatal(err)
		}
		tl.lines(buf, 1<<40, 0)
	}
}
