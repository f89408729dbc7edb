package main

import "golang.org/x/sys/unix"

// Requests that get a terminal's settings, and set them when the output has been
// shown, forgetting what was typed and not read yet.
const getSettings, setAndForget = unix.TIOCGETA, unix.TIOCSETAF
