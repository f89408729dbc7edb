package pty

import (
	"os"

	"golang.org/x/sys/unix"
)

func echoes(f *os.File) (bool, error) {
	t, err := unix.IoctlGetTermios(int(f.Fd()), unix.TIOCGETA)
	return err == nil && t.Lflag&unix.ECHO != 0, err
}
