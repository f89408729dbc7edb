package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

const (
	lineBytes = 450 // a usual event
	rounds    = 5   // ours and bare in turns; the median ratio counts
)

// appends compares the event log's append with the same system calls alone:
// lock, fstat, the last byte, write, unlock.
func (s setup) appends(ctx context.Context) (string, error) {
	text := fmt.Sprintf(`## Appending events

Events of %d bytes, not synced, by one and by several processes to one log, beside the bare system calls (lock, fstat,
the last byte, write, unlock). Median of %d rounds in turns.

| processes | events/s | bare | ratio |
|---|---|---|---|
`, lineBytes, rounds)
	for _, procs := range []int{1, 8} {
		var ours, bare, ratio []float64
		for i := range rounds {
			o, err := s.appendRound(ctx, "log", procs, i)
			if err != nil {
				return "", err
			}
			b, err := s.appendRound(ctx, "bare", procs, i)
			if err != nil {
				return "", err
			}
			ours, bare, ratio = append(ours, o), append(bare, b), append(ratio, o/b)
		}
		text += fmt.Sprintf("| %d | %.0f | %.0f | %.2f |\n", procs, middle(ours), middle(bare), middle(ratio))
	}
	return text, nil
}

func middle(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[(len(v)-1)/2]
}

// appendRound runs procs children at once and returns events per second.
func (s setup) appendRound(ctx context.Context, kind string, procs, round int) (float64, error) {
	dir := filepath.Join(s.dir, fmt.Sprintf("%s-%d-%d", kind, procs, round))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	each := s.events / procs
	type running struct {
		cmd   *exec.Cmd
		start io.WriteCloser
		said  *bufio.Reader
	}
	var all []running
	for range procs {
		cmd := exec.CommandContext(ctx, self, "-child", kind, dir, strconv.Itoa(each))
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			return 0, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return 0, err
		}
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		all = append(all, running{cmd, in, bufio.NewReader(out)})
	}
	for _, r := range all { // each says when it is ready
		if _, err := r.said.ReadString('\n'); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	for _, r := range all {
		if err := r.start.Close(); err != nil {
			return 0, err
		}
	}
	for _, r := range all {
		if _, err := r.said.ReadString('\n'); err != nil {
			return 0, err
		}
	}
	took := time.Since(start)
	for _, r := range all {
		if err := r.cmd.Wait(); err != nil {
			return 0, err
		}
	}
	return float64(each*procs) / took.Seconds(), os.RemoveAll(dir)
}

// appendChild is one appending process: it says that it is ready, waits for the
// end of its input, appends, and says that it is done.
func appendChild(ctx context.Context, kind string, args []string) error {
	if len(args) != 2 {
		return errors.New("want DIR N")
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	line := []byte(`{"filler":"` + strings.Repeat("x", lineBytes-len(`{"filler":""}`)-1) + `"}`)
	var one func() error
	if kind == "log" {
		log := telemetry.NewLog(args[0], telemetry.LogOptions{LockTimeout: time.Minute})
		defer log.Close()
		one = func() error {
			_, err := log.Append(ctx, line, false)
			return err
		}
	} else if one, err = bareAppend(args[0], append(line, '\n')); err != nil {
		return err
	}
	if err := one(); err != nil { // what is opened once is no part of the rate
		return err
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	for range n {
		if err := one(); err != nil {
			return err
		}
	}
	fmt.Println("done")
	return nil
}

// bareAppend returns the system calls of one append and nothing else.
func bareAppend(dir string, line []byte) (func() error, error) {
	lock, err := syscall.Open(filepath.Join(dir, "lock"), syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	fd, err := syscall.Open(filepath.Join(dir, "log"), syscall.O_RDWR|syscall.O_CREAT|syscall.O_APPEND|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	var last [1]byte
	return func() error {
		if err := syscall.Flock(lock, syscall.LOCK_EX); err != nil {
			return err
		}
		var st syscall.Stat_t
		if err := syscall.Fstat(fd, &st); err != nil {
			return err
		}
		if st.Size > 0 {
			if _, err := syscall.Pread(fd, last[:], st.Size-1); err != nil {
				return err
			}
		}
		if _, err := syscall.Write(fd, line); err != nil {
			return err
		}
		return syscall.Flock(lock, syscall.LOCK_UN)
	}, nil
}
