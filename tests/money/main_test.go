// Package money_test breaks the spending of money from outside: the built binary
// as real processes against a sandbox on loopback, killed after every step of a
// purchase and at random, many of them at once from different directories with one
// wallet and one home.
//
// What is right is read from the chain, past all faults, and from the files, by
// code that shares nothing with the product. Without -full each test is a short
// form of itself.
package money_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/tests/program"
)

var (
	full   = flag.Bool("full", false, "the full form: every step, and 200 rounds of random kills")
	seed   = flag.Uint64("seed", 1, "what the random choices follow from")
	rounds = flag.Int("rounds", 200, "rounds of random kills of the full form")
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Each scenario starts a handful of processes: more scenarios at once would
	// only make all of them slow.
	if err := flag.Set("test.parallel", "3"); err != nil {
		panic(err)
	}
	code := m.Run()
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

// random is a test's source of choices, which the seed and its name give.
func random(t *testing.T) *rand.Rand {
	h := *seed
	for _, c := range t.Name() {
		h = h*1099511628211 + uint64(c)
	}
	return rand.New(rand.NewPCG(h, *seed))
}

const (
	// patience bounds every wait. It is long: on a busy machine nothing here depends
	// on speed.
	patience = 3 * time.Minute
)

// binary is the program under test, with crash points.
func binary(t testing.TB) string {
	t.Helper()
	return program.Crashing.For(t)
}

// until waits for a condition, or fails with what it waited for.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
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
