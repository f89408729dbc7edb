package pty_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/tests/pty"
)

func sh(t *testing.T, script string, options ...pty.Option) *pty.Session {
	t.Helper()
	return pty.Start(t, "sh", []string{"-c", script}, nil, options...)
}

// What is typed reaches the terminal's reader, whatever standard input is.
func TestTypesAndSees(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]pty.Option{
		"all on the terminal": nil,
		"streams apart":       {pty.Apart(), pty.Stdin("from a pipe\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sh(t, `printf 'name? ' >/dev/tty; read -r n </dev/tty; echo "hello $n" >/dev/tty; echo out; exit 7`, options...)
			s.Expect("name? ")
			s.Send("ape")
			if got := s.Expect("hello ape"); !strings.Contains(got, "ape\r\n") {
				t.Errorf("typed keys were not echoed: %q", got)
			}
			if code := s.Wait(); code != 7 {
				t.Errorf("exit status %d", code)
			}
			if apart := strings.Contains(s.Stdout(), "out"); apart != (len(options) > 0) {
				t.Errorf("stdout %q, terminal %q", s.Stdout(), s.Screen())
			}
		})
	}
}

// Ctrl-C interrupts what leads the session, and Ctrl-D ends its input.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := sh(t, `trap 'exit 130' INT; echo ready; while :; do read -r x; done`)
	s.Expect("ready")
	s.Type(pty.CtrlC)
	if code := s.Wait(); code != 130 {
		t.Errorf("exit status %d after an interrupt", code)
	}
	s = sh(t, `echo ready; read -r x || exit 9`)
	s.Expect("ready")
	s.Type(pty.CtrlD)
	if code := s.Wait(); code != 9 {
		t.Errorf("exit status %d at the end of input", code)
	}
}

// Without a controlling terminal /dev/tty can't be opened.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	s := sh(t, `if (: </dev/tty) 2>/dev/null; then echo there; else echo none; fi`, pty.NoTerminal())
	if code := s.Wait(); code != 0 || s.Stdout() != "none\n" {
		t.Errorf("exit status %d, %q", code, s.Stdout())
	}
}

func TestEcho(t *testing.T) {
	t.Parallel()
	s := sh(t, `echo on; read -r x; stty -echo; echo off; read -r x`)
	s.Expect("on")
	if !s.Echo() {
		t.Error("the terminal does not echo at first")
	}
	s.Send("")
	s.Expect("off")
	if s.Echo() {
		t.Error("the terminal echoes after stty -echo")
	}
	s.Send("")
	s.Wait()
}
