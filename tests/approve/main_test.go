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
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
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
	for _, b := range []*build{&plain, &crashing} {
		if b.dir != "" {
			_ = os.RemoveAll(b.dir) // a leftover in the temporary directory
		}
	}
	os.Exit(code)
}

const (
	root = "../.."
	// patience bounds every wait. It is long: on a busy machine nothing here depends
	// on speed.
	patience = 3 * time.Minute
)

// build is the program under test, made once, with the flags that everything here is
// built with, unless the environment names one.
type build struct {
	env, tags string

	once sync.Once
	dir  string
	path string
	err  error
}

var (
	plain    = build{env: "APE_CLAW_BIN"}
	crashing = build{env: "APE_CLAW_CRASH_BIN", tags: "crashpoints"}
)

func (b *build) binary(t testing.TB) string {
	t.Helper()
	b.once.Do(func() {
		if path := os.Getenv(b.env); path != "" {
			b.path, b.err = filepath.Abs(path)
			return
		}
		if b.err = touchSources(); b.err != nil {
			return
		}
		if b.dir, b.err = os.MkdirTemp("", "ape-claw-bin-"); b.err != nil {
			return
		}
		b.path = filepath.Join(b.dir, "ape-claw")
		cmd := exec.Command("go", "build", "-tags", b.tags, "-ldflags", "-s -w", "-o", b.path, "./cmd/ape-claw")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if b.err != nil {
		t.Fatalf("the binary: %v", b.err)
	}
	return b.path
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
