// Package pty runs a program for a test as a person does: leading a session of
// its own, with a controlling terminal that the test types into and reads from.
// What the program may ask only there can't be tested through pipes.
package pty

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// Keys that mean something to a terminal.
const (
	CtrlC = "\x03" // interrupt
	CtrlD = "\x04" // end of input, at the start of a line
)

// patience is how long a program may take to say or to do what is waited for. It
// decides how long a broken test takes, never whether a good one passes.
const patience = 60 * time.Second

// T is what is used of a *testing.T.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Option changes how a program is started.
type Option func(*Session)

// Dir starts the program in a directory.
func Dir(dir string) Option { return func(s *Session) { s.cmd.Dir = dir } }

// Stdin feeds standard input, which is the terminal otherwise.
func Stdin(text string) Option {
	return func(s *Session) { s.cmd.Stdin = strings.NewReader(text) }
}

// Apart keeps stdout and stderr off the terminal: Stdout and Stderr have them.
func Apart() Option {
	return func(s *Session) { s.cmd.Stdout, s.cmd.Stderr = &s.stdout, &s.stderr }
}

// NoTerminal starts the program in a session without a controlling terminal, its
// three streams apart and standard input empty unless Stdin feeds it.
func NoTerminal() Option { return func(s *Session) { s.detached = true } }

// Session is a program with its terminal.
type Session struct {
	t              T
	cmd            *exec.Cmd
	detached       bool
	stdout, stderr bytes.Buffer
	term           *os.File // the test's end of the terminal; nil without one

	mu     sync.Mutex
	seen   bytes.Buffer  // everything that the terminal showed
	at     int           // where the next Expect begins
	more   chan struct{} // closed and replaced when seen grew
	read   chan struct{} // closed when the terminal ended
	exited chan struct{}
	code   int
}

// Start runs bin until the test ends, at the latest.
func Start(t T, bin string, args, env []string, options ...Option) *Session {
	t.Helper()
	s := &Session{t: t, cmd: exec.Command(bin, args...), more: make(chan struct{}), read: make(chan struct{}), exited: make(chan struct{})}
	s.cmd.Env = env
	for _, o := range options {
		o(s)
	}
	if err := s.start(); err != nil {
		t.Fatalf("start %s: %v", bin, err)
	}
	go func() {
		defer close(s.exited)
		s.code = status(s.cmd.Wait())
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // mostly it has ended long ago
		<-s.exited
		if s.term != nil {
			_ = s.term.Close()
		}
		<-s.read
	})
	return s
}

func (s *Session) start() error {
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if s.detached {
		Apart()(s)
		close(s.read)
		return s.cmd.Start()
	}
	ours, theirs, err := pty.Open()
	if err != nil {
		return err
	}
	if err := pty.Setsize(theirs, &pty.Winsize{Rows: 50, Cols: 250}); err != nil {
		return errors.Join(err, ours.Close(), theirs.Close())
	}
	for _, stream := range []*io.Writer{&s.cmd.Stdout, &s.cmd.Stderr} {
		if *stream == nil {
			*stream = theirs
		}
	}
	if s.cmd.Stdin == nil {
		s.cmd.Stdin = theirs
	}
	// The controlling terminal is named by a descriptor of the child, which need
	// not be one of its three streams.
	s.cmd.ExtraFiles = []*os.File{theirs}
	s.cmd.SysProcAttr.Setctty, s.cmd.SysProcAttr.Ctty = true, 3
	if err := s.cmd.Start(); err != nil {
		return errors.Join(err, ours.Close(), theirs.Close())
	}
	s.term = ours
	go s.watch()
	return theirs.Close()
}

// watch gathers what the terminal shows, until its last holder is gone.
func (s *Session) watch() {
	defer close(s.read)
	buf := make([]byte, 4096)
	for {
		n, err := s.term.Read(buf)
		s.mu.Lock()
		s.seen.Write(buf[:n])
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return // EIO: the program and what it started have ended
		}
	}
}

// Expect waits until the terminal shows text after what was expected before, and
// returns what it showed up to and with it. It fails the test when the program
// ends without.
func (s *Session) Expect(text string) string {
	s.t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for ended := false; ; {
		s.mu.Lock()
		rest := s.seen.String()[s.at:]
		if i := strings.Index(rest, text); i >= 0 {
			s.at += i + len(text)
			s.mu.Unlock()
			return rest[:i+len(text)]
		}
		more := s.more
		s.mu.Unlock()
		if ended {
			s.t.Fatalf("the program ended without showing %q:\n%s", text, s.Screen())
		}
		select {
		case <-more:
		case <-s.read:
			ended = true
		case <-timeout.C:
			s.t.Fatalf("the terminal did not show %q:\n%s", text, s.Screen())
		}
	}
}

// Send types a line.
func (s *Session) Send(line string) {
	s.t.Helper()
	s.Type(line + "\r")
}

// Type types keys as they are: CtrlC, CtrlD.
func (s *Session) Type(keys string) {
	s.t.Helper()
	if s.term == nil {
		s.t.Fatalf("there is no terminal to type %q into", keys)
	}
	if _, err := s.term.WriteString(keys); err != nil {
		s.t.Fatalf("type %q: %v", keys, err)
	}
}

// Wait returns the exit status, -1 after a signal, when the program has ended and
// all it said is here.
func (s *Session) Wait() int {
	s.t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for _, done := range []chan struct{}{s.exited, s.read} {
		select {
		case <-done:
		case <-timeout.C:
			s.t.Fatalf("the program did not end:\n%s", s.Screen())
		}
	}
	return s.code
}

// Screen is everything that the terminal showed so far, typed keys with it where
// they were echoed.
func (s *Session) Screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// Stdout and Stderr are what the program said apart from the terminal, when it
// has ended.
func (s *Session) Stdout() string { return s.stdout.String() }

// Stderr is the other stream.
func (s *Session) Stderr() string { return s.stderr.String() }

// Pid is the program's process id, to signal it.
func (s *Session) Pid() int { return s.cmd.Process.Pid }

// Echo reports whether the terminal would show what is typed now.
func (s *Session) Echo() bool {
	s.t.Helper()
	on, err := echoes(s.term)
	if err != nil {
		s.t.Fatalf("the terminal's settings: %v", err)
	}
	return on
}

func status(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -2
}
