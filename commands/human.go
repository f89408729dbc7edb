package commands

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Terminal is the controlling terminal itself, which a pipe can't stand in for.
type Terminal interface {
	io.ReadWriteCloser
	// ReadSecret reads a line without echo.
	ReadSecret() (string, error)
}

func (d *Deps) terminal(act string) (Terminal, error) {
	if d.host.OpenTerminal != nil {
		if t, err := d.host.OpenTerminal(); err == nil {
			return t, nil
		}
	}
	return nil, fault.New(fault.ApprovalRequired, "only a person at a terminal may %s, and there is none", act).
		Hintf("run the command in a terminal")
}

// needTerminal asks the person at the terminal to agree to act.
func (d *Deps) needTerminal(act string) error {
	t, err := d.terminal(act)
	if err != nil {
		return err
	}
	defer t.Close() //nolint:errcheck // nothing was written that could be lost
	if _, err := fmt.Fprintf(t, "ape-claw: %s? Type yes: ", act); err != nil {
		return fault.Wrap(err, fault.ApprovalRequired, "the terminal can't be written to")
	}
	line, err := bufio.NewReader(t).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fault.Wrap(err, fault.ApprovalRequired, "the terminal can't be read")
	}
	if strings.TrimSpace(line) != "yes" {
		return fault.New(fault.ApprovalRequired, "not agreed: nothing was changed")
	}
	return nil
}

// askSecret reads a secret from the terminal without echo.
func (d *Deps) askSecret(what string) (string, error) {
	t, err := d.terminal("type the " + what)
	if err != nil {
		return "", err
	}
	defer t.Close() //nolint:errcheck // read only
	if _, err := fmt.Fprintf(t, "%s: ", what); err != nil {
		return "", fault.Wrap(err, fault.ApprovalRequired, "the terminal can't be written to")
	}
	s, err := t.ReadSecret()
	if err != nil {
		return "", fault.Wrap(err, fault.ApprovalRequired, "the terminal can't be read")
	}
	return s, nil
}
