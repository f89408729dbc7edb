package main

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/ape-claw/ape-claw/commands"
)

// console is the controlling terminal for a conversation. A read of it ends after a
// tenth of a second without a key, so that it can be called off, and whoever asks
// at the terminal in between gets what is typed.
type console struct {
	f      *os.File
	before *unix.Termios
}

func openConsole() (commands.Console, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	before, err := unix.IoctlGetTermios(int(f.Fd()), getSettings) // Fd makes reads block
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &console{f, before}, nil
}

// Raw leaves output as it is: a line feed still begins a line.
func (c *console) Raw() error {
	raw := *c.before
	raw.Iflag &^= unix.ICRNL | unix.INLCR | unix.IGNCR | unix.ISTRIP | unix.IXON
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Oflag |= unix.OPOST | unix.ONLCR
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 0, 1
	return unix.IoctlSetTermios(int(c.f.Fd()), setSettings, &raw)
}

func (c *console) Restore() error {
	return unix.IoctlSetTermios(int(c.f.Fd()), setSettings, c.before)
}

func (c *console) Write(p []byte) (int, error) { return c.f.Write(p) }

// Keys waits for at least one key, or for the end of ctx.
func (c *console) Keys(ctx context.Context, p []byte) (int, error) {
	fd := int(c.f.Fd())
	for ctx.Err() == nil {
		n, err := unix.Read(fd, p)
		switch {
		case n > 0:
			return n, nil
		case err == unix.EINTR || err == unix.EAGAIN || err == nil:
			// A terminal that hung up is at its end at once, and says so when asked.
			if _, err := unix.IoctlGetTermios(fd, getSettings); err != nil {
				return 0, err
			}
		default:
			return 0, err
		}
	}
	return 0, ctx.Err()
}

func (c *console) Size() (width, height int) {
	w, h, err := term.GetSize(int(c.f.Fd()))
	if err != nil {
		return 80, 24
	}
	return w, h
}

func (c *console) Close() error { return errors.Join(c.Restore(), c.f.Close()) }
