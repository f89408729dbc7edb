// Package fleet_test lets machines report to one another and breaks them from outside:
// the built binary as real processes, senders and receivers that are killed at any
// moment, remotes that are down, refuse, hang and come back, credentials that end,
// and the published server's behaviour, route by route.
//
// What is right is read from the files of both sides, by code that shares nothing with
// the product: what a sender's log has, the receiver's has once, in that order. Without
// -full each test is a short form of itself.
package fleet_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/tests/program"
)

var (
	full = flag.Bool("full", false, "the full form: 500 commands beside a remote that is down, and hundreds of kills")
	seed = flag.Uint64("seed", 1, "what the random choices follow from")
)

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

// patience bounds every wait. It is long: on a busy machine nothing here depends on
// speed.
const patience = 3 * time.Minute

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

// after waits for a moment, at which something is to happen to a process.
func after(t testing.TB, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

var portsTaken atomic.Int64

// freeAddr picks an address that stays a server's over restarts. Its port is none that
// the system gives to outgoing connections: while the server is down, a client's own
// socket could get it, or connect to itself.
func freeAddr(t testing.TB) string {
	t.Helper()
	const first, last = 20000, 32000
	for range last - first {
		port := first + (int64(os.Getpid())*89+portsTaken.Add(1))%(last-first)
		addr := fmt.Sprintf("127.0.0.1:%d", port)
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		if err := ln.Close(); err != nil {
			t.Fatal(err)
		}
		return addr
	}
	t.Fatal("no free port")
	return ""
}
