package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// appends compares the event log's append with the same system calls alone.
func (b *bench) appends(ctx context.Context, p *page) error {
	if _, err := b.build(ctx, "appender", "./appender"); err != nil {
		return err
	}
	text := fmt.Sprintf(`## Appending events

Events of %d bytes, not synced, by one and by several processes to one log, beside the bare system calls that do the same
(open, lock, fstat, the last byte, write, close; all of them for every event). Median of %d rounds in turns. Wanted: with 8
processes at least 0.8 of the bare calls.

| processes | ape-claw, events/s | bare, events/s | ratio |
|---|---|---|---|
`, eventSize, b.size.appendRounds)
	for _, procs := range []int{1, 8} {
		var ours, bare, ratio []float64
		for range b.size.appendRounds {
			o, err := b.appendRound(ctx, "log", procs)
			if err != nil {
				return err
			}
			c, err := b.appendRound(ctx, "bare", procs)
			if err != nil {
				return err
			}
			ours, bare, ratio = append(ours, o), append(bare, c), append(ratio, o/c)
		}
		text += fmt.Sprintf("| %d | %s | %s | %.2f |\n", procs, count(median(ours)), count(median(bare)), median(ratio))
		if procs == 8 {
			p.verdict("append, 8 processes, beside the bare calls", ">= 0.8x", fmt.Sprintf("%.2fx", median(ratio)), median(ratio) >= 0.8)
		}
	}
	p.section(text)
	return nil
}

// appending is one process that appends.
type appending struct {
	cmd   *exec.Cmd
	start io.WriteCloser
	said  *bufio.Reader
}

// appendRound runs procs processes at once and returns events per second.
func (b *bench) appendRound(ctx context.Context, kind string, procs int) (float64, error) {
	dir, err := os.MkdirTemp(b.dir, "append-")
	if err != nil {
		return 0, err
	}
	each := b.size.appendEvents / procs
	var all []appending
	for range procs {
		a, err := b.startAppender(ctx, kind, dir, each)
		if err != nil {
			return 0, err
		}
		all = append(all, a)
	}
	start := time.Now()
	for _, a := range all {
		if err := a.start.Close(); err != nil {
			return 0, err
		}
	}
	for _, a := range all {
		if _, err := a.said.ReadString('\n'); err != nil {
			return 0, err
		}
	}
	took := time.Since(start)
	for _, a := range all {
		if err := a.cmd.Wait(); err != nil {
			return 0, err
		}
	}
	return float64(each*procs) / took.Seconds(), os.RemoveAll(dir)
}

// startAppender returns when the process waits for its start.
func (b *bench) startAppender(ctx context.Context, kind, dir string, events int) (a appending, err error) {
	a.cmd = exec.CommandContext(ctx, filepath.Join(b.dir, "appender"), kind, dir, strconv.Itoa(events), strconv.Itoa(eventSize))
	a.cmd.Stderr = os.Stderr
	if a.start, err = a.cmd.StdinPipe(); err != nil {
		return a, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return a, err
	}
	if err := a.cmd.Start(); err != nil {
		return a, err
	}
	a.said = bufio.NewReader(out)
	_, err = a.said.ReadString('\n')
	return a, err
}
