package torture_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/tests/program"
)

// binary is the program under test.
func binary(t testing.TB) string {
	t.Helper()
	return program.Plain.For(t)
}

// server is `ape-claw serve` on one state directory and one address, over all its
// restarts.
type server struct {
	t        testing.TB
	dir      string
	addr     string
	settings []string // environment
	log      *os.File // its stderr
	starts   int

	mu     sync.Mutex // guards what follows
	cmd    *exec.Cmd
	exited chan struct{}
}

func newServer(t testing.TB, dir string, settings ...string) *server {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(filepath.Dir(dir), "serve.log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: dir, addr: freeAddr(t), settings: settings, log: log}
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("serve said:\n%s", tailOf(log.Name(), 4<<10))
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	s.start()
	return s
}

// start starts the process and waits until it says that it listens.
func (s *server) start() {
	s.t.Helper()
	home := filepath.Join(filepath.Dir(s.dir), "home")
	cmd := exec.Command(binary(s.t), "serve", "--json", "--addr", s.addr, "--state-dir", s.dir)
	cmd.Dir = filepath.Dir(s.dir)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "APE_CLAW_HOME=" + home}, s.settings...)
	cmd.Stderr = s.log
	cmd.SysProcAttr = dieWithUs()
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	enlist(cmd.Process)
	s.starts++
	listening := make(chan string, 1)
	exited := make(chan struct{})
	s.mu.Lock()
	s.cmd, s.exited = cmd, exited
	s.mu.Unlock()
	go func() {
		defer close(exited)
		r := bufio.NewReader(out)
		first, _ := r.ReadString('\n') // what is missing is said below
		listening <- first
		_, _ = io.Copy(io.Discard, r)
		_ = cmd.Wait() // ProcessState tells
		discharge(cmd.Process)
	}()
	select {
	case first := <-listening:
		var said struct{ Status, URL string }
		if err := json.Unmarshal([]byte(first), &said); err != nil || said.Status != "listening" {
			s.t.Fatalf("start %d of serve on %s said %q\n%s", s.starts, s.addr, first, tailOf(s.log.Name(), 2<<10))
		}
	case <-time.After(patience):
		s.t.Fatalf("serve said nothing for %s", patience)
	}
}

func (s *server) pid() int { return s.cmd.Process.Pid }

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("%s to serve: %v", sig, err)
	}
}

// gone is closed when the process that runs now has ended.
func (s *server) gone() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exited
}

// kill ends the process at once.
func (s *server) kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.exited
}

// drain asks it to end, and says how and how fast it did.
func (s *server) drain(limit time.Duration) (code int, took time.Duration) {
	s.t.Helper()
	began := time.Now()
	s.signal(syscall.SIGTERM)
	select {
	case <-s.exited:
		return s.cmd.ProcessState.ExitCode(), time.Since(began)
	case <-time.After(limit):
		s.t.Fatalf("serve has not ended %s after SIGTERM", limit)
		return 0, 0
	}
}

// get returns the body of a GET, which the server answers with 200.
func (s *server) get(path string) ([]byte, int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Close = true
	resp, err := plainHTTP.RoundTrip(req)
	if err != nil {
		s.t.Fatalf("GET %s: %v", path, err)
	}
	body, err := io.ReadAll(resp.Body)
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		s.t.Fatalf("GET %s: %v", path, err)
	}
	return body, resp.StatusCode
}

var plainHTTP = &http.Transport{DisableKeepAlives: true}

type health struct {
	Counts struct{ EventsBytes, BadLines, Clients int64 }
}

func (s *server) health() health {
	s.t.Helper()
	body, status := s.get("/api/health")
	var h health
	if err := json.Unmarshal(body, &h); err != nil || status != http.StatusOK {
		s.t.Fatalf("health: %d %s", status, body)
	}
	return h
}

// metric returns a number of /metrics.
func (s *server) metric(name string) (float64, bool) {
	s.t.Helper()
	body, status := s.get("/metrics")
	if status != http.StatusOK {
		return 0, false
	}
	for line := range strings.Lines(string(body)) {
		var v float64
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			if _, err := fmt.Sscan(rest, &v); err == nil {
				return v, true
			}
		}
	}
	return 0, false
}

var portsTaken atomic.Int64

// freeAddr picks an address that stays the server's over restarts. Its port is none
// that the system gives to outgoing connections: while the server is down, a client's
// own socket could get it, or connect to itself.
func freeAddr(t testing.TB) string {
	t.Helper()
	const first, last = 20000, 32000
	for range last - first {
		port := first + (int64(os.Getpid())*97+portsTaken.Add(1))%(last-first)
		addr := fmt.Sprintf("127.0.0.1:%d", port)
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		if err := ln.Close(); err != nil {
			t.Fatal(err)
		}
		return addr
	}
	t.Fatal("no free port")
	return ""
}

func tailOf(path string, n int64) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, int64(len(b))-n):])
}

// rotation is the setting for the server of what writers are told by an option.
func rotation(bytes int64) string {
	if bytes < 0 {
		return "APE_CLAW_TELEMETRY_ROTATE_BYTES=never"
	}
	return fmt.Sprintf("APE_CLAW_TELEMETRY_ROTATE_BYTES=%d", bytes)
}
