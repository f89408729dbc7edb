// Package v2_test breaks on-chain writes from outside: the built binary as real
// processes against a sandbox on loopback, killed after the steps of a mint, and
// between a purchase and its receipt.
//
// What is right is read from the chain and from the files, by code that shares
// nothing with the product. Without -full each test is a short form of itself.
package v2_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/tests/program"
)

var full = flag.Bool("full", false, "the full form: a kill at every step")

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	program.Remove()
	os.Exit(code)
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
