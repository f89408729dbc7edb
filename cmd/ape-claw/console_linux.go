package main

import "golang.org/x/sys/unix"

// setSettings sets a terminal's settings when the output has been shown, and keeps
// what was typed.
const setSettings = unix.TCSETSW
