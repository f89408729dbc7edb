package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/ape-claw/ape-claw/bench/load"
)

// run is one measurement of one server.
type run struct {
	load.Result
	noisy bool // others used more than a tenth of the machine meanwhile
}

// ask is what the load generator is to do.
type ask struct {
	clients, slow, events int
	rate                  float64
	timeout               time.Duration
}

// runs are the measurements of one row: by server, in the order of the rounds.
type runs map[string][]run

// inTurns measures each server once a round, and each time a fresh process of it,
// so that what else the machine does falls on all alike. Those that are fast get
// some more rounds.
func (b *bench) inTurns(ctx context.Context, fastRounds int, what func(kind string) ask) (runs, error) {
	all := runs{}
	for round := range b.size.rounds + fastRounds {
		for _, kind := range allServers {
			if !b.wants(kind) || round >= b.size.rounds && !fast(kind) {
				continue
			}
			r, err := b.quiet(ctx, kind, what(kind))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind, err)
			}
			all[kind] = append(all[kind], r)
		}
	}
	return all, nil
}

// quiet measures a server, again if others disturbed it, and returns the run
// that was disturbed least.
func (b *bench) quiet(ctx context.Context, kind string, a ask) (best run, err error) {
	for i := 0; i <= b.size.repeats; i++ {
		r, err := b.once(ctx, kind, a)
		if err != nil {
			return run{}, err
		}
		if i == 0 || r.OtherCPU/r.WallSec < best.OtherCPU/best.WallSec {
			best = r
		}
		if !best.noisy || time.Now().After(b.noRepeats) {
			break
		}
	}
	return best, nil
}

func (b *bench) once(ctx context.Context, kind string, a ask) (run, error) {
	srv, err := b.start(ctx, kind, a.clients+a.slow)
	if err != nil {
		return run{}, err
	}
	defer srv.stop()
	return b.load(ctx, srv, kind, a)
}

// load runs the generator, a process of its own, against a server.
func (b *bench) load(ctx context.Context, srv *running, kind string, a ask) (run, error) {
	if a.timeout == 0 {
		a.timeout = time.Minute
	}
	idle := b.idle
	if kind == node {
		idle *= 4 // it encodes all that is there before it sends any of it
	}
	cmd := exec.CommandContext(ctx, filepath.Join(b.dir, "ssebench"), "-json", "-url", srv.url+"/events", "-file", srv.file,
		"-pid", strconv.Itoa(srv.pid), "-size", strconv.Itoa(eventSize), "-n", strconv.Itoa(a.clients), "-slow", strconv.Itoa(a.slow),
		"-events", strconv.Itoa(a.events), "-rate", strconv.FormatFloat(a.rate, 'g', -1, 64), "-timeout", a.timeout.String(), "-idle", idle.String(), "-settle", b.settle.String())
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(out) == 0 {
		return run{}, fmt.Errorf("%w: %s%s", err, exit.Stderr, srv.errs)
	} else if err != nil && exit == nil {
		return run{}, err
	}
	var r run
	if err := json.Unmarshal(out, &r.Result); err != nil {
		return run{}, err
	}
	r.noisy = r.OtherCPU > 0.1*float64(runtime.NumCPU())*r.WallSec
	b.logf("%-10s %4d clients x %6d: %9.0f/s, p50 %.1f ms, p99 %.1f ms, %.0f ns CPU a delivery, memory +%.0f MB, others %.0f %% of the machine%s",
		kind, a.clients, a.events, r.PerSec, r.P50us/1e3, r.P99us/1e3, r.ServerNs, r.ServerPeakMB-r.ServerIdleMB,
		100*r.OtherCPU/r.WallSec/float64(runtime.NumCPU()), trouble(r))
	return r, nil
}

// trouble says what was wrong with a run.
func trouble(r run) string {
	switch {
	case r.OK():
		return ""
	case r.Error != "":
		return "; " + r.Error
	}
	return fmt.Sprintf("; %d of %d clients complete, %d missing, %d twice, %d out of order", r.Complete, r.Clients, r.Missing, r.Dup, r.Disorder)
}

func (b *bench) logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}

// of returns a figure's values over the rounds.
func (r runs) of(kind string, figure func(run) float64) []float64 {
	var v []float64
	for _, one := range r[kind] {
		v = append(v, figure(one))
	}
	return v
}

// median is a figure's median over the rounds.
func (r runs) median(kind string, figure func(run) float64) float64 {
	return median(r.of(kind, figure))
}

// ratio is the median over the rounds of a figure of one server by that of
// another in the same round; 0 when one of them was not measured.
func (r runs) ratio(kind, by string, figure func(run) float64) float64 {
	a, b := r.of(kind, figure), r.of(by, figure)
	var v []float64
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			v = append(v, a[i]/b[i])
		}
	}
	return median(v)
}

// all reports whether something holds for every run of a server.
func (r runs) all(kind string, holds func(run) bool) bool {
	return len(r[kind]) > 0 && !slices.ContainsFunc(r[kind], func(one run) bool { return !holds(one) })
}

// mark is a star for figures that others may have disturbed.
func (r runs) mark(kind string) string {
	if slices.ContainsFunc(r[kind], func(one run) bool { return one.noisy }) {
		return " *"
	}
	return ""
}

func perSec(r run) float64  { return r.PerSec }
func cpuNs(r run) float64   { return r.ServerNs }
func memory(r run) float64  { return r.ServerPeakMB - r.ServerIdleMB }
func p50(r run) float64     { return r.P50us / 1e3 }
func p99(r run) float64     { return r.P99us / 1e3 }
func cpuIn10(r run) float64 { return r.ServerCPU / r.WallSec * 10 }
func complete(r run) bool   { return r.OK() }
func isMeasured(r run) bool { return r.Measured }

// median is the middle, the lower one of two; 0 of none.
func median[T float64 | time.Duration](v []T) T {
	if len(v) == 0 {
		return 0
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[(len(v)-1)/2]
}
