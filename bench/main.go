// Command bench measures ape-claw beside other servers and bare system calls, on
// one machine and in one run: the stream's fan-out, its latency, what a client that
// never reads does to others, a large log's end, appends, events that are posted, start-up, and a purchase.
// It works in a temporary directory and on loopback, and ends on its own.
//
//	make bench                                            everything; writes docs/benchmarks.md
//	go run . -quick -row fanout200                        one row, once
//	go run . -quick -row fanout200,latency -server ape-claw,ring
//
// Rows: fanout200 fanout1000 latency slow stall backlog tail append ingest startup skills purchase.
// Servers: node r3labs r3labs-per ring ring-raw ape-claw. README.md says what the figures mean.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// atMost bounds a whole run; what is disturbed is repeated until repeatFor is over.
const (
	atMost    = 12 * time.Minute
	repeatFor = 5 * time.Minute
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeoutCause(ctx, atMost, fmt.Errorf("not finished after %s", atMost))
	err := execute(ctx)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is what all measurements share.
type bench struct {
	size    size
	binary  string   // ape-claw
	source  string   // this folder, where it is run
	node    string   // the program; empty: not installed
	servers []string // wanted; empty: all
	dir     string   // temporary, with the built helpers

	settle    time.Duration
	idle      time.Duration
	noRepeats time.Time // after it, a disturbed run counts as it is
}

// rows are the measurements by name, in their order.
var rows = []struct {
	name string
	run  func(*bench, context.Context, *page) error
}{
	{"fanout200", (*bench).fanout200}, {"fanout1000", (*bench).fanout1000}, {"latency", (*bench).latency},
	{"slow", (*bench).slow}, {"stall", (*bench).stall}, {"backlog", (*bench).backlog},
	{"tail", (*bench).tail}, {"append", (*bench).appends}, {"ingest", (*bench).ingest}, {"startup", (*bench).startup}, {"skills", (*bench).skills}, {"purchase", (*bench).purchase},
}

func execute(ctx context.Context) error {
	binary := flag.String("binary", "../bin/ape-claw", "the ape-claw to measure")
	out := flag.String("o", "", "Markdown file to write the page to; none: stdout only")
	quickly := flag.Bool("quick", false, "one round of everything, in two or three minutes")
	only := flag.String("row", "", "only these rows, with commas between them")
	servers := flag.String("server", "", "only these servers, with commas between them")
	flag.Usage = usage
	flag.Parse()
	b := &bench{size: full, settle: 300 * time.Millisecond, idle: 5 * time.Second}
	how := ""
	if *quickly {
		b.size, how = quick, " (a quick run: one round of each, nothing repeated)"
	}
	var err error
	if b.binary, err = filepath.Abs(*binary); err != nil {
		return err
	}
	if b.source, err = filepath.Abs("."); err != nil {
		return err
	}
	chosen, err := list(*only, rowNames())
	if err != nil {
		return err
	}
	if b.servers, err = list(*servers, allServers); err != nil {
		return err
	}
	if *out != "" && len(chosen)+len(b.servers) > 0 {
		return errors.New("-o writes the whole page: without -row and -server")
	}
	doc, err := b.page(ctx, chosen, how)
	fmt.Println(doc)
	if err == nil && *out != "" {
		err = os.WriteFile(*out, []byte(doc), 0o644)
	}
	return err
}

func usage() {
	fmt.Fprintf(os.Stderr, `Measures ape-claw beside other servers; see README.md in this folder.

  go run . -quick -row fanout200,latency -server ape-claw,ring

rows:    %s
servers: %s

`, strings.Join(rowNames(), " "), strings.Join(allServers, " "))
	flag.PrintDefaults()
}

func rowNames() []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	return names
}

// list splits a flag's value, each part one of known.
func list(value string, known []string) ([]string, error) {
	if value == "" {
		return nil, nil
	}
	parts := strings.Split(value, ",")
	for _, p := range parts {
		if !slices.Contains(known, p) {
			return nil, fmt.Errorf("%q is none of %s", p, strings.Join(known, ", "))
		}
	}
	return parts, nil
}

// page measures and returns the page, on an error what there is of it.
func (b *bench) page(ctx context.Context, chosen []string, how string) (doc string, err error) {
	if b.dir, err = os.MkdirTemp("", "ape-claw-bench-"); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if b.node, err = exec.LookPath("node"); err != nil {
		b.logf("node is not installed: its column stays empty")
	}
	for _, tool := range []string{"ssebench", "peers"} {
		if _, err := b.build(ctx, tool, "./"+tool); err != nil {
			return "", err
		}
	}
	start := time.Now()
	b.noRepeats = start.Add(repeatFor)
	p := &page{}
	for _, row := range rows {
		if len(chosen) > 0 && !slices.Contains(chosen, row.name) {
			continue
		}
		b.logf("== %s", row.name)
		if err := row.run(b, ctx, p); err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return p.markdown(" (cut short)", time.Since(start)), fmt.Errorf("%s: %w", row.name, err)
		}
	}
	b.logf("%d of %d as wanted, in %s", len(p.verdicts)-p.missed, len(p.verdicts), time.Since(start).Round(time.Second))
	return p.markdown(how, time.Since(start)), nil
}

// wants reports whether a server is to be measured and can be.
func (b *bench) wants(kind string) bool { return b.wantsAny(kind) && (kind != node || b.node != "") }

func (b *bench) wantsAny(kind string) bool {
	return len(b.servers) == 0 || slices.Contains(b.servers, kind)
}

// build compiles a program of this module as the Makefile does.
func (b *bench) build(ctx context.Context, name, src string) (string, error) {
	out := filepath.Join(b.dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", out, src)
	cmd.Dir, cmd.Stderr = b.source, os.Stderr
	return out, cmd.Run()
}
