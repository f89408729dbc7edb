// Command appender appends events to one log, as one of several processes: with
// ape-claw's own log, or with the bare system calls that do the same. It prints
// "ready", waits for the end of its input, appends, and prints "done".
//
//	appender log|bare DIR EVENTS SIZE
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/bench/load"
	"github.com/ape-claw/ape-claw/telemetry"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "appender:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return errors.New("want log|bare DIR EVENTS SIZE")
	}
	events, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	size, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	line := load.Envelope(nil, 1, time.Now().UnixNano(), size)
	one := func() error { return bare(filepath.Join(args[1], "events.jsonl"), line) }
	if args[0] == "log" {
		log := telemetry.NewLog(args[1], telemetry.LogOptions{LockTimeout: time.Minute})
		defer log.Close()
		one = func() error {
			_, err := log.Append(context.Background(), line[:len(line)-1], false)
			return err
		}
	}
	if err := one(); err != nil { // what is done once is no part of the rate
		return err
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	for range events {
		if err := one(); err != nil {
			return err
		}
	}
	fmt.Println("done")
	return nil
}

// bare is an append and nothing else: open, lock, fstat, the last byte, write,
// close, which also unlocks.
func bare(name string, line []byte) error {
	fd, err := syscall.Open(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_APPEND|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	if err := lockAndWrite(fd, line); err != nil {
		return errors.Join(err, syscall.Close(fd))
	}
	return syscall.Close(fd)
}

func lockAndWrite(fd int, line []byte) error {
	err := syscall.Flock(fd, syscall.LOCK_EX)
	for err == syscall.EINTR { // the Go runtime's own signals
		err = syscall.Flock(fd, syscall.LOCK_EX)
	}
	if err != nil {
		return err
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Size > 0 {
		var last [1]byte
		if _, err := syscall.Pread(fd, last[:], st.Size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			return errors.New("the last line is torn")
		}
	}
	n, err := syscall.Write(fd, line)
	if err == nil && n != len(line) {
		err = io.ErrShortWrite
	}
	return err
}
