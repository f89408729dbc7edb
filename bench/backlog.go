package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/ape-claw/ape-claw/bench/load"
	"github.com/ape-claw/ape-claw/bench/proc"
)

const backlogLimit = 300

// backlogRun is what a server made of a large log.
type backlogRun struct {
	took     time.Duration // the median of the warm ones
	grown    float64       // MB above the idle process, at the peak
	measured bool
	failed   string
}

// backlog asks for the newest events of a log of a gigabyte.
func (b *bench) backlog(ctx context.Context, p *page) error {
	dir, events, err := b.largeLog()
	if err != nil {
		return err
	}
	all := map[string]backlogRun{}
	present := runs{}
	for _, kind := range []string{node, ring, apeClaw} { // r3labs has no file
		if !b.wants(kind) {
			continue
		}
		r, err := b.askBacklog(ctx, kind, dir, events)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		all[kind], present[kind] = r, []run{{}}
		b.logf("%-10s last %d of %d events: %s, memory +%.0f MB %s", kind, backlogLimit, events, ms(r.took), r.grown, r.failed)
	}
	if err := os.RemoveAll(dir); err != nil { // early: it is large
		return err
	}
	name := fmt.Sprintf("last %d of a log of %d MB", backlogLimit, b.size.backlogBytes>>20)
	p.row(name+": time, memory", present, func(kind string) string {
		r := all[kind]
		mem := "memory not measured"
		if r.measured {
			mem = megabytes(r.grown)
		}
		if r.failed != "" {
			return "**" + r.failed + "**, " + mem
		}
		return fmt.Sprintf("%s, %s", ms(r.took), mem)
	}, b.absent())
	if r, ok := all[apeClaw]; ok {
		if r.failed != "" {
			p.verdict(name, "answered", r.failed, false)
			return nil
		}
		p.verdict(name+", time", "<= 3 ms", ms(r.took), r.took <= 3*time.Millisecond)
		if r.measured {
			p.verdict(name+", memory", "<= 16 MB", megabytes(r.grown), r.grown <= 16)
		}
	}
	return nil
}

// largeLog writes the log, once for all, into a directory.
func (b *bench) largeLog() (dir string, events int64, err error) {
	dir = filepath.Join(b.dir, "large")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", 0, err
	}
	f, err := os.OpenFile(filepath.Join(dir, logName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	var line []byte
	for size := int64(0); size < b.size.backlogBytes && err == nil; size += int64(len(line)) {
		events++
		line = load.Envelope(line[:0], events, 1, eventSize)
		_, err = w.Write(line)
	}
	return dir, events, errors.Join(err, w.Flush(), f.Close())
}

// askBacklog asks once for the caches, and then for the figure.
func (b *bench) askBacklog(ctx context.Context, kind, dir string, events int64) (r backlogRun, err error) {
	srv, err := b.startIn(ctx, kind, dir, 1)
	if err != nil {
		return r, err
	}
	defer srv.stop()
	idle, err := proc.Memory(srv.pid)
	r.measured = err == nil
	proc.ResetPeak(srv.pid)
	var took []time.Duration
	for i := range b.size.asks + 1 {
		start := time.Now()
		body, err := get(ctx, fmt.Sprintf("%s/events/backlog?limit=%d", srv.url, backlogLimit))
		if err == nil && i == 0 {
			err = checkBacklog(body, events)
		}
		if err != nil && ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err != nil {
			r.failed = "fails"
			b.logf("%-10s %s", kind, err)
			break
		}
		if i > 0 {
			took = append(took, time.Since(start))
		}
	}
	r.took = median(took)
	if mem, err := proc.Memory(srv.pid); err == nil {
		r.grown = float64(mem.Peak-idle.RSS) / (1 << 20)
	} else {
		r.measured = false // it has ended
	}
	return r, nil
}

func get(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s: %.200s", url, resp.Status, body)
	}
	return body, nil
}

// checkBacklog makes sure that the answer is the newest events and nothing else.
func checkBacklog(body []byte, last int64) error {
	var doc struct {
		Events []struct {
			Payload struct {
				N int64 `json:"n"`
			} `json:"payload"`
		} `json:"events"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return err
	}
	if n := len(doc.Events); n != backlogLimit || doc.Events[0].Payload.N != last-backlogLimit+1 || doc.Events[n-1].Payload.N != last {
		return fmt.Errorf("not the newest %d events: %d", backlogLimit, n)
	}
	return nil
}
