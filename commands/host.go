package commands

import (
	"io"
	"net/http"
	"time"
)

// Host is what a run takes from the machine: streams, clock, environment,
// transport. main builds the real one, demo and tests build others.
type Host struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminals, for colour, progress and human-only commands.
	StdoutTTY, StderrTTY, StdinTTY bool
	Env                            func(key string) (string, bool)
	Now                            func() time.Time
	Transport                      http.RoundTripper // of every outgoing HTTP call
	Executable                     string            // own binary, for sandbox up --detach
	OpenURL                        func(url string) error
	OpenTerminal                   func() (Terminal, error)
	OpenPTY                        func() (PTY, error)
	OpenConsole                    func() (Console, error)
	PolicyDir                      string // the outer policy fence, /etc/ape-claw
}

// PTY is a pseudo-terminal: somebody at one end, and at the other the terminal that a
// run opens as its own. The demo sits at one.
type PTY interface {
	// What is read was shown on the terminal, what is written was typed.
	io.ReadWriteCloser
	OpenTerminal() (Terminal, error)
}

// getenv returns the variable's value, "" when unset.
func (h *Host) getenv(key string) string {
	v, _ := h.Env(key)
	return v
}
