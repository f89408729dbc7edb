package main

import (
	"errors"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/commands"
)

// session is a pseudo-terminal of our own. It is no process's controlling terminal:
// whoever runs the program keeps theirs.
type session struct {
	*os.File          // where somebody sits
	held     *os.File // the other end, open so that the terminal outlives each use
}

func openPTY() (commands.PTY, error) {
	at, other, err := pty.Open()
	if err != nil {
		return nil, err
	}
	return session{at, other}, nil
}

// OpenTerminal opens the terminal as a run opens /dev/tty.
func (s session) OpenTerminal() (commands.Terminal, error) {
	f, err := os.OpenFile(s.held.Name(), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	return tty{f}, nil
}

// Close ends the terminal, and a read at either end.
func (s session) Close() error { return errors.Join(s.held.Close(), s.File.Close()) }
