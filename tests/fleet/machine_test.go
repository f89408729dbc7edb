package fleet_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/tests/program"
)

// machine is a home, a user's directory and a state directory of their own.
type machine struct {
	t    *testing.T
	name string
	dir  string
	env  []string // what all its commands are told
	// since is where its log ended when it began to report.
	since int64
}

func newMachine(t *testing.T, name string) *machine {
	t.Helper()
	m := &machine{t: t, name: name, dir: t.TempDir()}
	for _, d := range []string{m.home(), m.user()} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *machine) home() string  { return filepath.Join(m.dir, "home") }
func (m *machine) user() string  { return filepath.Join(m.dir, "user") }
func (m *machine) state() string { return filepath.Join(m.dir, "state") }

// reportsTo makes the machine forward what it records from now on.
func (m *machine) reportsTo(url, agent, token string) {
	if all := readLog(m.t, m.state()); len(all) > 0 {
		m.since = all[len(all)-1].end
	}
	m.env = append(m.env, "APE_CLAW_TELEMETRY_URL="+url, "APE_CLAW_AGENT_ID="+agent, "APE_CLAW_AGENT_TOKEN="+token)
}

// command is one of the product's on this machine.
func (m *machine) command(ctx context.Context, more []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program.Crashing.For(m.t), args...)
	cmd.Dir = m.dir
	cmd.Env = slices.Concat([]string{
		"HOME=" + m.user(), "APE_CLAW_HOME=" + m.home(), "NO_COLOR=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(),
	}, m.env, more)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal to ask
	return cmd
}

// outcome is what a command said, and how it ended.
type outcome struct {
	args   []string
	exit   int // -1: by a signal
	killed bool
	out    []byte
	text   string // all it said
	took   time.Duration
}

func (o outcome) String() string {
	return fmt.Sprintf("%s: exit %d, killed %t, after %s\n%s", strings.Join(o.args, " "), o.exit, o.killed, o.took, o.text)
}

// run runs a command to its end, with more environment.
func (m *machine) run(more []string, args ...string) outcome {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	defer cancel()
	cmd := m.command(ctx, more, append(slices.Clone(args), "--json")...)
	var out, side bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &side
	began := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("%s: %v: %v", m.name, args, err)
	}
	o := outcome{args: args, exit: cmd.ProcessState.ExitCode(), out: out.Bytes(), text: out.String() + side.String(), took: time.Since(began)}
	if st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		o.killed = st.Signal() == syscall.SIGKILL
	}
	return o
}

// must runs a command that has to end well.
func (m *machine) must(args ...string) outcome {
	m.t.Helper()
	o := m.run(nil, args...)
	if o.exit != 0 {
		m.t.Fatalf("%s: %s", m.name, o)
	}
	return o
}

// step is the arguments of a command that records one event.
func step(n int) []string {
	return []string{"events", "emit", "fleet.step", "--payload", fmt.Sprintf(`{"n":%d}`, n)}
}

// runKilled runs a command, and kills it after a while if it has not ended.
func (m *machine) runKilled(after time.Duration, args ...string) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), after)
	defer cancel()
	_ = m.command(ctx, nil, append(args, "--json")...).Run() // either is fine
}

// register makes an agent, and returns its token.
func (m *machine) register(agent string) string {
	m.t.Helper()
	var doc struct{ Token string }
	if o := m.must("clawbot", "register", "--agent-id", agent); json.Unmarshal(o.out, &doc) != nil || doc.Token == "" {
		m.t.Fatalf("no token: %s", o)
	}
	return doc.Token
}

// flush sends what waits until there is nothing left, however often it takes.
func (m *machine) flush() {
	m.t.Helper()
	var last outcome
	until(m.t, "everything is forwarded", func() bool {
		last = m.run(nil, "events", "flush", "--timeout", "20s")
		if last.exit != 0 {
			m.t.Logf("%s: %s", m.name, last)
		}
		return last.exit == 0
	})
}

// server is `ape-claw serve` of a machine on one address, over all its restarts.
type server struct {
	m      *machine
	addr   string
	args   []string
	more   []string // environment
	cmd    *exec.Cmd
	log    *os.File
	exited chan struct{}
}

// serve starts a server with more environment, and ends it with the test.
func (m *machine) serve(more []string, args ...string) *server {
	m.t.Helper()
	log, err := os.OpenFile(filepath.Join(m.dir, "serve.log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	s := &server{m: m, addr: freeAddr(m.t), args: args, more: more, log: log}
	m.t.Cleanup(func() {
		s.kill()
		if m.t.Failed() {
			m.t.Logf("%s serve said:\n%s", m.name, tailOf(log.Name()))
		}
		if err := log.Close(); err != nil {
			m.t.Error(err)
		}
	})
	s.start()
	return s
}

func tailOf(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4<<10):])
}

func (s *server) url() string { return "http://" + s.addr }

// start starts the process and waits until it says that it listens.
func (s *server) start() {
	s.m.t.Helper()
	// Its end is kill's: a context would end with the test, before what cleans up.
	cmd := s.m.command(context.Background(), s.more, append([]string{"serve", "--json", "--addr", s.addr}, s.args...)...)
	cmd.Stderr = s.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.m.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.m.t.Fatal(err)
	}
	s.cmd, s.exited = cmd, make(chan struct{})
	listening, exited := make(chan string, 1), s.exited
	go func() {
		defer close(exited)
		r := bufio.NewReader(out)
		first, _ := r.ReadString('\n') // what is missing is said below
		listening <- first
		_, _ = io.Copy(io.Discard, r)
		_ = cmd.Wait() // ProcessState tells
	}()
	select {
	case first := <-listening:
		var said struct{ Status string }
		if err := json.Unmarshal([]byte(first), &said); err != nil || said.Status != "listening" {
			s.m.t.Fatalf("%s serve on %s said %q\n%s", s.m.name, s.addr, first, tailOf(s.log.Name()))
		}
	case <-time.After(patience):
		s.m.t.Fatalf("%s serve said nothing for %s", s.m.name, patience)
	}
}

// kill ends the process at once.
func (s *server) kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.exited
}

// stop asks the process to end, and returns its exit status.
func (s *server) stop() int {
	s.m.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.m.t.Fatal(err)
	}
	select {
	case <-s.exited:
	case <-time.After(patience):
		s.m.t.Fatalf("%s serve has not ended %s after SIGTERM", s.m.name, patience)
	}
	return s.cmd.ProcessState.ExitCode()
}
