package serve_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// dial opens a bare connection to the server.
func (s *server) dial(t *testing.T) net.Conn {
	t.Helper()
	c := must[net.Conn](t)(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c
}

// Connections that never send a request fill the places that are left beside the
// streams; the newest are then told to come back, and whoever streams goes on.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log, MaxClients: 2})
	st := s.stream("")
	var idle []net.Conn
	for range 2 + 128 - 1 {
		idle = append(idle, s.dial(t))
	}
	for range 5 {
		c := s.dial(t)
		fmt.Fprint(c, "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
		b := must[[]byte](t)(io.ReadAll(c))
		for _, want := range []string{"HTTP/1.1 503", "Retry-After: 5", `"code":"upstream"`, "Connection: close"} {
			if !strings.Contains(string(b), want) {
				t.Fatalf("the newest connection gets %q", b)
			}
		}
	}
	log.add(event("a.b", 1))
	st.want(event("a.b", 1))
	idle[0].Close()
	deadline := time.After(patience)
	for {
		c := s.dial(t)
		fmt.Fprint(c, "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
		b, _ := io.ReadAll(c)
		c.Close()
		if strings.HasPrefix(string(b), "HTTP/1.1 200") {
			return
		}
		select {
		case <-deadline:
			t.Fatal("the place of a connection that was closed stays taken")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// One address can't take all connections.
func TestConnectionsOfOneAddress(t *testing.T) {
	t.Parallel()
	s, at := startElsewhere(t, "192.0.2.1", serve.Options{Log: newMemLog("aa"), Insecure: true, MaxPerAddress: 2})
	for range 2 + 64 {
		s.dial(t)
	}
	c := s.dial(t)
	b := must[[]byte](t)(io.ReadAll(c))
	if !strings.HasPrefix(string(b), "HTTP/1.1 503") {
		t.Errorf("one more of this address: %q", b)
	}
	at.set("192.0.2.2")
	if resp, _ := s.get("/api/health"); resp.StatusCode != 200 {
		t.Errorf("another address: %d", resp.StatusCode)
	}
}

// However many other machines there are, this one's programs find a place.
func TestConnectionsFromElsewhereLeaveRoom(t *testing.T) {
	t.Parallel()
	s, at := startElsewhere(t, "192.0.2.1", serve.Options{Log: newMemLog("aa"), Insecure: true, MaxClients: 2})
	for i := range 2 + 128 - 32 {
		at.set(fmt.Sprintf("192.0.2.%d", i/40+1))
		s.dial(t)
	}
	for _, addr := range []string{"192.0.2.9", "2001:db8::9"} {
		at.set(addr)
		if b := must[[]byte](t)(io.ReadAll(s.dial(t))); !strings.HasPrefix(string(b), "HTTP/1.1 503") {
			t.Errorf("one more from %s: %q", addr, b)
		}
	}
	for _, addr := range []string{"127.0.0.1", "::1"} {
		at.set(addr)
		if resp, body := s.get("/api/health"); resp.StatusCode != 200 {
			t.Errorf("from %s: %d %s", addr, resp.StatusCode, body)
		}
	}
	at.set("127.0.0.1")
	for range 32 {
		s.dial(t)
	}
	if b := must[[]byte](t)(io.ReadAll(s.dial(t))); !strings.HasPrefix(string(b), "HTTP/1.1 503") {
		t.Errorf("one more than all: %q", b)
	}
}

// A client that sends its request a byte at a time, or never to the end, is cut
// off, before and within the header, and in the body; a stream is not.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pipes := newPipes()
		log := newMemLog("aa")
		s := must[*serve.Server](t)(serve.New(serve.Options{Log: log, Now: time.Now, Listener: pipes, Auth: &moody{},
			Mounts: map[string]http.Handler{"POST /api/body": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, err := io.ReadAll(r.Body)
				serve.WriteError(w, err)
			})}}))
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx) }()
		drip := func(name, head string, most time.Duration) {
			c := must[net.Conn](t)(pipes.dial(ctx, "", ""))
			go io.Copy(io.Discard, c) //nolint:errcheck // it ends when the server closes
			began := time.Now()
			_, err := io.WriteString(c, head)
			for err == nil && time.Since(began) < time.Hour {
				time.Sleep(time.Second)
				_, err = io.WriteString(c, "a")
			}
			if took := time.Since(began); err == nil || took > most {
				t.Errorf("%s: %s, %v: want an end after %s", name, took, err, most)
			}
			c.Close()
		}
		drip("header", "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", 12*time.Second)
		drip("request line", "G", 12*time.Second)
		drip("body", "POST /api/body HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Agent-Id: bot-1\r\nX-Agent-Token: x\r\nContent-Length: 100000\r\n\r\n", 62*time.Second)

		c := must[net.Conn](t)(pipes.dial(ctx, "", ""))
		ended := make(chan struct{})
		go func() { defer close(ended); io.Copy(io.Discard, c) }() //nolint:errcheck // as above
		fmt.Fprint(c, "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		select {
		case <-ended:
			t.Error("a stream was cut off")
		case <-time.After(time.Hour):
		}
		c.Close()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// Ten megabytes of header are cut off long before they are all read.
func TestHugeHeaders(t *testing.T) {
	t.Parallel()
	s := start(t, serve.Options{Log: newMemLog("aa")})
	for name, head := range map[string]string{
		"one header": "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ", "the path": "GET /", "many headers": "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
	} {
		c := s.dial(t)
		sent := 0
		wrote := make(chan struct{})
		go func() {
			defer close(wrote)
			n, err := io.WriteString(c, head)
			piece := strings.Repeat("a", 4095)
			if name == "many headers" {
				piece = strings.Repeat("X-A: 1\r\n", 512)
			}
			for err == nil && sent < 10<<20 {
				sent += n
				n, err = io.WriteString(c, piece)
			}
		}()
		b, _ := io.ReadAll(c)
		c.Close()
		<-wrote
		if len(b) > 0 && !strings.HasPrefix(string(b), "HTTP/1.1 431") {
			t.Errorf("%s: %.100q", name, b)
		}
	}
	if resp, _ := s.get("/api/health"); resp.StatusCode != 200 {
		t.Errorf("afterwards: %d", resp.StatusCode)
	}
}

// A body over the cap is answered in words, however it is sent.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	read := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			serve.WriteError(w, err)
			return
		}
		serve.WriteJSON(w, map[string]bool{"ok": true})
	})
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: registry, MaxBody: 1 << 20, Mounts: map[string]http.Handler{"POST /api/body": read}})
	for name, size := range map[string]int{"at the cap": 1 << 20, "one more": 1<<20 + 1, "much more": 8 << 20} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(strings.Repeat("a", size))
			if chunked {
				body = io.MultiReader(body) // a length nobody knows
			}
			req := must[*http.Request](t)(http.NewRequest("POST", s.url+"/api/body", body))
			req.Header.Set("X-Agent-Id", "bot-1")
			req.Header.Set("X-Agent-Token", token)
			resp, err := s.http.Do(req)
			if err != nil {
				t.Errorf("%s, chunked %t: %v", name, chunked, err)
				continue
			}
			b := must[[]byte](t)(io.ReadAll(resp.Body))
			resp.Body.Close()
			want := http.StatusOK
			if size > 1<<20 {
				want = http.StatusRequestEntityTooLarge
				errorOf(t, resp, string(b))
			}
			if resp.StatusCode != want {
				t.Errorf("%s, chunked %t: %d %s", name, chunked, resp.StatusCode, b)
			}
		}
	}
	// Who asks first is told first.
	answer := s.raw(t, "POST /api/body HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 413") {
		t.Errorf("Expect: %.100q", answer)
	}
	answer = s.raw(t, "POST /api/body HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 401") {
		t.Errorf("Expect, without credentials: %.100q", answer)
	}
	// Credentials come before the body.
	answer = s.raw(t, "POST /api/body HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 401") {
		t.Errorf("without credentials: %.100q", answer)
	}
}
