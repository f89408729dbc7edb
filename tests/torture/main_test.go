// Package torture_test breaks the event log and serve from outside: the built
// binary as a real process, writers that are processes of their own, clients on
// real sockets with their own reader of the stream. Writers and servers are killed,
// files are taken away, clients misbehave; afterwards every client must have had
// every event of the log once, in the log's order.
//
// What is right is read from the files, by code that shares nothing with the
// product. Without -full each test is a short form of itself.
package torture_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/tests/program"
)

var (
	full = flag.Bool("full", false, "the full form, whose numbers are worth reading")
	seed = flag.Uint64("seed", 1, "what the random choices follow from")
)

func TestMain(m *testing.M) {
	if part := os.Getenv(childEnv); part != "" {
		os.Exit(runChild(part))
	}
	flag.Parse()
	if !*full { // they mostly wait: for a heartbeat, for what is written down now and then
		if err := flag.Set("test.parallel", "4"); err != nil {
			panic(err)
		}
	}
	// An interrupted run leaves no process behind.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		killAll()
		os.Exit(130)
	}()
	code := m.Run()
	killAll()
	program.Remove()
	os.Exit(code)
}

// scale picks a size of a scenario.
func scale[T any](short, long T) T {
	if *full {
		return long
	}
	return short
}

// begin starts a test: its random source, which the seed and its name give, and
// its state directory, which is kept when the test fails.
func begin(t *testing.T) (*rand.Rand, string) {
	t.Helper()
	if !*full {
		t.Parallel() // the full form measures: one at a time
	}
	h := *seed
	for _, c := range t.Name() {
		h = h*1099511628211 + uint64(c)
	}
	dir, err := os.MkdirTemp("", "ape-claw-torture-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d; what it left is kept in %s", *seed, dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	state := dir + "/state"
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	return rand.New(rand.NewPCG(h, *seed)), state
}

// patience bounds every wait. It is long: on a busy machine nothing here depends on
// speed.
const patience = time.Minute

// until waits for a condition, or fails with what it waited for.
func until(t testing.TB, what func() string, ok func() bool) {
	t.Helper()
	if !within(t.Context(), patience, ok) {
		t.Fatalf("waited %s in vain: %s", patience, what())
	}
}

func within(ctx context.Context, limit time.Duration, ok func() bool) bool {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(limit)
	defer end.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-end.C:
			return ok()
		case <-ctx.Done():
			return ok()
		}
	}
	return true
}

func text(format string, args ...any) func() string {
	return func() string { return fmt.Sprintf(format, args...) }
}

// children are the processes that run now.
var children = struct {
	sync.Mutex
	running map[*os.Process]bool
}{running: map[*os.Process]bool{}}

func enlist(p *os.Process) {
	children.Lock()
	children.running[p] = true
	children.Unlock()
}

func discharge(p *os.Process) {
	children.Lock()
	delete(children.running, p)
	children.Unlock()
}

func killAll() {
	children.Lock()
	defer children.Unlock()
	for p := range children.running {
		_ = p.Kill() // it may have ended meanwhile
	}
}

func mkdir(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
