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
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
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
	if built.dir != "" {
		_ = os.RemoveAll(built.dir) // a leftover in the temporary directory
	}
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
	root = "../.."
	// patience bounds every wait. It is long: on a busy machine nothing here depends
	// on speed.
	patience = 3 * time.Minute
)

var built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// binary is the program under test, built with crash points: APE_CLAW_CRASH_BIN, or
// from this tree with the flags that everything here is built with.
func binary(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("APE_CLAW_CRASH_BIN"); path != "" {
		abs, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		return abs
	}
	built.once.Do(func() {
		if built.err = touchSources(); built.err != nil {
			return
		}
		if built.dir, built.err = os.MkdirTemp("", "ape-claw-bin-"); built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "ape-claw")
		cmd := exec.Command("go", "build", "-tags", "crashpoints", "-ldflags", "-s -w", "-o", built.path, "./cmd/ape-claw")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatalf("build the binary: %v", built.err)
	}
	return built.path
}

// touchSources looks at every directory the binary may be made of, so that go test
// does not take an earlier result for this one after a change in any of them.
func touchSources() error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name == "node_modules" || name == "bin" || name != ".." && strings.HasPrefix(name, ".") {
			return filepath.SkipDir
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return f.Close()
	})
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
