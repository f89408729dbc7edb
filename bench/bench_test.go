package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTiny runs every row with a handful of clients and events, so that the
// benchmark can't rot between two runs of it. Its figures mean nothing.
func TestTiny(t *testing.T) {
	t.Parallel()
	source, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{size: tiny, source: source, binary: filepath.Join(t.TempDir(), "ape-claw"), settle: time.Millisecond, idle: time.Minute}
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w", "-o", b.binary, "./cmd/ape-claw")
	build.Dir = filepath.Dir(source)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	doc, err := b.page(t.Context(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Benchmarks", "## Wanted of ape-claw", "| the same, memory |", "## The stream, beside other servers",
		"5 clients x 200 events", "5 clients at 200 events/s", "5 good clients beside one that never reads", "last 300 of a log of 1 MB",
		"## Following a stream", "## Appending events", "\n| 8 |", "## Taking events in", "**`serve`**, 100 a request, each with an eventId", "## Start-up", "## Quote, simulate, dry-run buy",
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, wrong := range []string{"NaN", "Inf", "finish (", "**fails**, not", "%!"} {
		if strings.Contains(doc, wrong) {
			t.Errorf("the page says %q", wrong)
		}
	}
	if t.Failed() {
		t.Log(doc)
	}
	if _, err := os.Stat(b.dir); err == nil {
		t.Error("the temporary directory is still there")
	}
}

func TestRatio(t *testing.T) {
	t.Parallel()
	rate := func(v ...float64) (all []run) {
		for _, x := range v {
			var one run
			one.PerSec, one.Clients = x, 1
			all = append(all, one)
		}
		return all
	}
	r := runs{apeClaw: rate(30, 10, 80), ring: rate(10, 10, 20)}
	if got := r.ratio(apeClaw, ring, perSec); got != 3 {
		t.Errorf("the median of the rounds' ratios is %v, want 3", got)
	}
	if got := r.ratio(apeClaw, node, perSec); got != 0 {
		t.Errorf("a ratio to what was not measured: %v", got)
	}
	if got := r.median(apeClaw, perSec); got != 30 {
		t.Errorf("median %v", got)
	}
	if b := (&bench{}); b.has(r, node) || b.has(r, ring) { // no client was complete
		t.Error("has what was not measured")
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	if got, err := list("ring,node", allServers); err != nil || len(got) != 2 {
		t.Errorf("%v %v", got, err)
	}
	if got, err := list("rin", allServers); err == nil {
		t.Errorf("%v", got)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{3_214_000: "3.21 M", 999_700: "1.00 M", 209_400: "209 k", 9_400: "9.4 k", 225: "225"} {
		if got := count(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}

func TestEnoughFiles(t *testing.T) {
	t.Parallel()
	if err := enoughFiles(1); err != nil {
		t.Error(err)
	}
	if err := enoughFiles(1 << 40); err == nil || !strings.Contains(err.Error(), "ulimit") {
		t.Errorf("%v", err)
	}
}
