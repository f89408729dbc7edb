package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnasked: what a server sends beyond its answer is shown nowhere, least of all the
// token that it repeats.
func TestUnasked(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const token = "claw_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // what comes is of no interest
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = rw.WriteString("HTTP/1.1 304 Not Modified\r\n\r\nit was " + r.Header.Get("x-agent-token") + " \x1b[31m")
		_ = rw.Flush()
		_, _ = io.Copy(io.Discard, conn) // until the other side has seen it
		_ = conn.Close()
	})}
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { _ = srv.Close() })
	w := newWorld(t)
	w.env = append(w.env, "APE_CLAW_TELEMETRY_URL=http://"+l.Addr().String(), "APE_CLAW_AGENT_ID=a1", "APE_CLAW_AGENT_TOKEN="+token)
	for _, args := range [][]string{{"events", "emit", "my.one"}, {"events", "flush"}, {"events", "flush", "--log-level", "debug"}, {"doctor"}} {
		out, _ := w.command(args...).CombinedOutput() // it may fail: nothing was sent
		if len(out) == 0 || bytes.Contains(out, []byte(token)) || strings.Contains(string(out), "nsolicited") || bytes.ContainsRune(out, 0x1b) {
			t.Errorf("ape-claw %s in %s: %s", strings.Join(args, " "), filepath.Base(w.dir), out)
		}
	}
}
