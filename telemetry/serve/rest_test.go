package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// TestAnsweredWhileSending: a client that sends a body whole before it reads anything
// gets to the answer, whatever turned it away before the body was read.
func TestAnsweredWhileSending(t *testing.T) {
	t.Parallel()
	// More than what the kernel takes in for a server that does not read.
	body := strings.Repeat("a", 12<<20)
	fresh := func() time.Time { return time.Now().Add(time.Hour) } // the time given to the rest is not what is tested
	for _, c := range []struct {
		name, line, header string
		cap                int64
		status             int
	}{
		{"more than the cap", "POST /api/clawbots/register", "Host: localhost", 0, 413},
		{"more than a route takes", "POST /api/clawbots/register", "Host: localhost\r\nX-Registration-Key: " + regKey, 64 << 20, 413},
		{"a log-in", "POST /api/session", "Host: localhost\r\nOrigin: http://elsewhere", 64 << 20, 403},
		{"another host", "POST /api/session", "Host: elsewhere.example", 64 << 20, 403},
		{"no such route", "POST /api/nothing", "Host: localhost", 64 << 20, 404},
		{"no such method", "POST /api/health", "Host: localhost", 64 << 20, 405},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRegistry(t, t.TempDir())
			s := start(t, serve.Options{Log: newMemLog("a"), Auth: r, Registrar: r, Now: fresh, MaxBody: c.cap, Registration: serve.Registration{Key: regKey}})
			for _, chunked := range []bool{false, true} {
				conn := must[net.Conn](t)(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))
				defer conn.Close()
				if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
					t.Fatal(err)
				}
				long, begin, end := fmt.Sprintf("Content-Length: %d", len(body)), "", ""
				if chunked {
					long, begin, end = "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n", len(body)), "\r\n0\r\n\r\n"
				}
				if _, err := io.WriteString(conn, c.line+" HTTP/1.1\r\n"+c.header+"\r\nContent-Type: application/json\r\n"+long+"\r\n\r\n"+begin+body+end); err != nil {
					t.Fatalf("chunked %v: it can't send its body to the end: %v", chunked, err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatalf("chunked %v: it does not get to the answer: %v", chunked, err)
				}
				defer resp.Body.Close()
				if said, err := io.ReadAll(resp.Body); resp.StatusCode != c.status || err != nil {
					t.Errorf("chunked %v: %d %s (%v), want %d", chunked, resp.StatusCode, said, err, c.status)
				}
			}
		})
	}
}
