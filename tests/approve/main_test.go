// Package approve_test breaks approving from outside: the built binary as real
// processes and a real server, against a sandbox on loopback. One action is approved
// by many at once, by processes that are killed after each of their steps, on facts
// that changed, with what belongs to somebody else.
//
// What is right is read from the chain, past all faults, and from the files, by code
// that shares nothing with the product. Without -full each test is a short form of
// itself.
package approve_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/tests/program"
)

var full = flag.Bool("full", false, "the full form: every step, by each way, and what takes minutes")

func TestMain(m *testing.M) {
	flag.Parse()
	// Each scenario starts a handful of processes: more scenarios at once would only
	// make all of them slow.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	code := m.Run()
	program.Remove()
	os.Exit(code)
}

const (
	// patience bounds every wait. It is long: on a busy machine nothing here depends
	// on speed.
	patience = 3 * time.Minute
)

// until waits for a condition, or fails with what it waited for.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(patience)
	defer end.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-end.C:
			t.Fatalf("waited %s in vain: %s", patience, what)
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}
