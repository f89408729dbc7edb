package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/ape-claw/ape-claw/commands"
)

// tty is the process's controlling terminal.
type tty struct{ *os.File }

func openTerminal() (commands.Terminal, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if !term.IsTerminal(int(f.Fd())) {
		return nil, errors.Join(errors.New("not a terminal"), f.Close())
	}
	return tty{f}, nil
}

// ReadLine asks and reads a line, shown as it is typed.
func (t tty) ReadLine(ctx context.Context, question string) (string, error) {
	return t.read(ctx, question, true)
}

// ReadSecret asks and reads a line with the echo off.
func (t tty) ReadSecret(ctx context.Context, question string) (string, error) {
	line, err := t.read(ctx, question, false)
	// The newline that was typed was not echoed either.
	_, nlErr := io.WriteString(t, "\n")
	return line, errors.Join(err, nlErr)
}

// read sets the terminal up before it asks, so that not even the first key of a
// secret is shown, and forgets what was typed or pasted ahead: that answers no
// question that was not seen.
func (t tty) read(ctx context.Context, question string, echo bool) (line string, err error) {
	fd := int(t.Fd())
	before, err := unix.IoctlGetTermios(fd, getSettings)
	if err != nil {
		return "", err
	}
	asking := *before
	asking.Iflag |= unix.ICRNL
	asking.Lflag |= unix.ICANON | unix.ISIG | unix.ECHO
	if !echo {
		asking.Lflag &^= unix.ECHO
	}
	if err := unix.IoctlSetTermios(fd, setAndForget, &asking); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unix.IoctlSetTermios(fd, setAndForget, before)) }()
	if _, err := io.WriteString(t, question); err != nil {
		return "", err
	}
	type answer struct {
		line string
		err  error
	}
	typed := make(chan answer, 1)
	go func() {
		l, err := bufio.NewReader(t.File).ReadString('\n')
		typed <- answer{strings.TrimSuffix(l, "\n"), err}
	}()
	select {
	case a := <-typed:
		return a.line, a.err
	case <-ctx.Done():
		return "", ctx.Err() // a read of a terminal can't be called off: it is left behind
	}
}
