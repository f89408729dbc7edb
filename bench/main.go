// Command bench measures what users feel: how long the binary takes to start,
// how fast events are appended beside the bare system calls, and how long a
// quote, a simulation and a dry run take as three processes. It works in
// temporary directories and on loopback, and ends on its own.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	err := run(ctx)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// setup is what all measurements share.
type setup struct {
	binary string // absolute path of ape-claw
	dir    string // temporary
	runs   int    // pairs of start-up
	events int    // appended in one round
}

func run(ctx context.Context) error {
	binary := flag.String("binary", "bin/ape-claw", "the ape-claw to measure")
	out := flag.String("o", "", "Markdown file to write the table to; none: stdout only")
	runs := flag.Int("runs", 100, "pairs of runs for the start-up time")
	events := flag.Int("events", 40_000, "events a round of appends")
	child := flag.String("child", "", "internal: what an appending child process does")
	flag.Parse()
	if *child != "" {
		return appendChild(ctx, *child, flag.Args())
	}
	path, err := filepath.Abs(*binary)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ape-claw-bench-")
	if err != nil {
		return err
	}
	s := setup{binary: path, dir: dir, runs: *runs, events: *events}
	doc, err := s.measure(ctx)
	if rmErr := os.RemoveAll(dir); err == nil {
		err = rmErr
	}
	if err != nil {
		return err
	}
	fmt.Println(doc)
	if *out != "" {
		return os.WriteFile(*out, []byte(doc), 0o644)
	}
	return nil
}

// measure runs everything and returns the page.
func (s setup) measure(ctx context.Context) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks\n\n<!-- Written by `make bench`. -->\n\nMeasured with %s on %s/%s, %d cores%s. Compare ratios rather than times.\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cpuModel())
	for _, part := range []struct {
		name string
		run  func(context.Context) (string, error)
	}{{"start-up", s.startup}, {"append", s.appends}, {"three processes", s.purchase}} {
		fmt.Fprintf(os.Stderr, "bench: %s …\n", part.name)
		text, err := part.run(ctx)
		if err != nil {
			return "", fmt.Errorf("%s: %w", part.name, err)
		}
		b.WriteString("\n" + text)
	}
	return b.String(), nil
}

// cpuModel names the processor where the system tells.
func cpuModel() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(b) {
		if name, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(name) == "model name" {
			return ", " + strings.TrimSpace(value)
		}
	}
	return ""
}

// median is the middle of the durations, the lower one of two.
func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[(len(d)-1)/2]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
