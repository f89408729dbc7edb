package serve_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// rawStream opens /events on a socket of its own and reads the answer's head.
func rawStream(t *testing.T, s *server, query string) *net.TCPConn {
	t.Helper()
	conn, err := dialRaw(s, query)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func dialRaw(s *server, query string) (*net.TCPConn, error) {
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return nil, err
	}
	conn := c.(*net.TCPConn)
	fmt.Fprintf(conn, "GET /events%s HTTP/1.1\r\nHost: localhost\r\n\r\n", query)
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	head := make([]byte, 12)
	for got := 0; got < len(head); {
		n, err := conn.Read(head[got:])
		if err != nil {
			return nil, err
		}
		got += n
	}
	if string(head) != "HTTP/1.1 200" {
		return nil, fmt.Errorf("the answer is %s", head)
	}
	return conn, conn.SetReadDeadline(time.Time{})
}

// eventually waits for what the server does by itself.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

func (s *server) clients() int {
	_, body := s.get("/api/health")
	_, after, _ := strings.Cut(body, `"clients":`)
	n := -1
	_, _ = fmt.Sscanf(after, "%d", &n)
	return n
}

// Clients that never read, that read next to nothing, and that reset, beside good
// ones, which get everything; what the bad ones hold is a write each.
func TestBadClientsCostOneWriteEach(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log, RingBytes: 1 << 20, Heartbeat: time.Hour})
	held := s.WatchSegments()
	const stuck = 3
	for range stuck {
		rawStream(t, s, "")
		rawStream(t, s, "?type=a.*,x.third")
		rawStream(t, s, "?after=0-0")
	}
	slow := rawStream(t, s, "")
	var good []*stream
	for i := range 8 {
		good = append(good, s.stream([]string{"", "?type=a.b,x.third"}[i%2]))
	}
	all, _ := padded(2000, 8000) // 16 MB: no socket holds it
	for i := 0; i < len(all); i += 50 {
		log.add(all[i : i+50]...)
		if _, err := slow.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if i%500 == 0 { // one that goes in the middle of what is sent
			rude := rawStream(t, s, "?after=0-0")
			if err := rude.SetLinger(0); err != nil {
				t.Fatal(err)
			}
			_ = rude.Close() // a reset
		}
		for _, st := range good {
			st.want(all[i : i+50]...)
		}
		held.Look()
	}
	n, bytes := held.Held()
	if n < 40 {
		t.Errorf("only %d segments: this test shows nothing", n)
	}
	if most := (3*stuck + 1) * 300 << 10; bytes > most {
		t.Errorf("%d bytes of dropped segments are held, more than %d", bytes, most)
	}
	ring, files := s.Held()
	if ring > 1<<20+300<<10 || files > 3<<20 {
		t.Errorf("the ring has %d bytes, what was read for others %d", ring, files)
	}
	eventually(t, "the streams that were reset are still open", func() bool { return s.clients() == 3*stuck+1+len(good) })
}

func TestAStuckClientIsCutOff(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	all, _ := padded(3000, 8000)
	log.add(all...)
	s := start(t, serve.Options{Log: log, Patience: 100 * time.Millisecond})
	rawStream(t, s, "?after=0-0") // never reads
	eventually(t, "the stuck client is still there", func() bool { return s.clients() == 0 })
}

// A place is free as soon as its client has gone, be it with a word or without.
func TestPlacesOfIdleClientsThatGoAreFree(t *testing.T) {
	t.Parallel()
	s := start(t, serve.Options{Log: newMemLog("aa"), MaxClients: 2, Heartbeat: time.Hour})
	for round := range 20 {
		a, b := rawStream(t, s, ""), rawStream(t, s, "")
		if round%2 == 0 {
			if err := a.SetLinger(0); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := dialRaw(s, ""); err == nil || !strings.Contains(err.Error(), "503") {
			t.Fatalf("a third stream: %v", err)
		}
		_, _ = a.Close(), b.Close()
		eventually(t, "the places are not free", func() bool { return s.clients() == 0 })
	}
}

func openFiles(t *testing.T) int {
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		if names, err := os.ReadDir(dir); err == nil {
			return len(names)
		}
	}
	t.Skip("this system does not show open files")
	return 0
}

// Not parallel: it counts what the process has.
func TestConnectsAndDropsLeaveNothing(t *testing.T) {
	log := newMemLog("aa")
	log.add(events("a.b", 0, 50)...)
	s := start(t, serve.Options{Log: log, MaxClients: 1000})
	s.get("/api/health")
	files, routines := openFiles(t), runtime.NumGoroutine()
	const total, workers = 5000, 8
	failed := make(chan error, workers)
	for w := range workers {
		go func() {
			for i := range total / workers {
				conn, err := dialRaw(s, []string{"", "?after=0-0", "?type=a.*", "?backlog=5", "?after=zz-1", "?type=x.y&after=0-0"}[i%6])
				if err != nil {
					failed <- fmt.Errorf("worker %d: %w", w, err)
					return
				}
				if i%3 == 0 {
					_ = conn.SetLinger(0)
				}
				_ = conn.Close()
			}
			failed <- nil
		}()
	}
	for range workers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	eventually(t, "something is left", func() bool {
		return s.clients() == 0 && runtime.NumGoroutine() <= routines && openFiles(t) <= files
	})
	if n := s.OpenViews(); n != 0 {
		t.Errorf("%d filters are left", n)
	}
}

// A stream that ended by itself ends its connection: it has no chunks.
func TestAStreamIsNotChunked(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(event("a.b", 1))
	s := start(t, serve.Options{Log: log})
	conn := must[net.Conn](t)(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))
	defer conn.Close()
	fmt.Fprintf(conn, "GET /events?backlog=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	resp := must[*http.Response](t)(http.ReadResponse(bufio.NewReader(conn), nil))
	if len(resp.TransferEncoding) != 0 || !resp.Close || resp.ContentLength != -1 {
		t.Errorf("%v, close %v, length %d", resp.TransferEncoding, resp.Close, resp.ContentLength)
	}
}
