package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/ape-claw/ape-claw/bench/load"
)

// tail measures the client that ape-claw has, r3labs', beside a reader that does
// nothing but count, each alone at one server.
func (b *bench) tail(ctx context.Context, p *page) error {
	var ours, raw []float64
	for range b.size.rounds {
		v, err := b.tailOnce(ctx)
		if err != nil {
			return err
		}
		r, err := b.once(ctx, apeClaw, ask{clients: 1, events: b.size.tailEvents})
		if err != nil {
			return err
		}
		ours, raw = append(ours, v), append(raw, r.PerSec)
		b.logf("events tail --url: %.0f events/s", v)
	}
	p.section(fmt.Sprintf(`## Following a stream

One client, %d events as fast as one process writes them. Median of the rounds.

| | events/s |
|---|---|
| `+"`ape-claw events tail --url`"+`, r3labs' client | %s |
| a reader that only counts | %s |
`, b.size.tailEvents, count(median(ours)), count(median(raw))))
	return nil
}

// tailOnce returns events per second, from the first write to the last line that
// the command prints.
func (b *bench) tailOnce(ctx context.Context) (rate float64, err error) {
	srv, err := b.start(ctx, apeClaw, 1)
	if err != nil {
		return 0, err
	}
	defer srv.stop()
	cmd := exec.CommandContext(ctx, b.binary, "events", "tail", "--url", srv.url, "--follow", "--lines", "0", "--json")
	cmd.Dir, cmd.Env, cmd.Stderr = b.dir, b.env(), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		if cmd.Process.Kill() == nil {
			_ = cmd.Wait() // says that it was killed
		}
	}()
	f, err := os.OpenFile(srv.file, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := make(chan error, 1) // one for "connected", one for "all came"
	go readTail(out, b.size.tailEvents, lines)
	if err := b.knock(ctx, f, lines); err != nil {
		return 0, err
	}
	start := time.Now()
	var line []byte
	for i := range b.size.tailEvents {
		line = load.Envelope(line[:0], int64(i+1), 1, eventSize)
		if _, err := f.Write(line); err != nil {
			return 0, err
		}
	}
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case err := <-lines:
		return float64(b.size.tailEvents) / time.Since(start).Seconds(), err
	}
}

var knock = []byte("{\"knock\":true}\n")

// knock appends lines until the client shows one: it is connected then.
func (b *bench) knock(ctx context.Context, f *os.File, lines <-chan error) error {
	for {
		if _, err := f.Write(knock); err != nil {
			return err
		}
		t := time.NewTimer(100 * time.Millisecond)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-lines:
			return err
		case <-t.C:
		}
	}
}

// readTail reports on said that the first line has come, and again that all
// events have.
func readTail(out io.Reader, events int, said chan<- error) {
	r := bufio.NewReaderSize(out, 1<<20)
	first := true
	for events > 0 {
		line, err := r.ReadSlice('\n')
		if err != nil {
			said <- fmt.Errorf("events tail: %w", err)
			return
		}
		if first {
			first = false
			said <- nil
		}
		if !bytes.Equal(line, knock) {
			events--
		}
	}
	said <- nil
}
