// Package program builds ape-claw for tests that run it as a process of its own.
package program

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Program is ape-claw, built once a test binary with the flags that everything here is
// built with, unless the environment names one.
type Program struct {
	name, env, tags string

	once sync.Once
	dir  string
	path string
	err  error
}

var (
	// Plain is what a user has; APE_CLAW_BIN names one that is there.
	Plain = &Program{name: "ape-claw", env: "APE_CLAW_BIN"}
	// Crashing kills itself at a crash point that the environment names (see
	// store.CrashPoint); APE_CLAW_CRASH_BIN names one that is there.
	Crashing = &Program{name: "ape-claw-crashpoints", env: "APE_CLAW_CRASH_BIN", tags: "crashpoints"}
)

// T is what is used of a *testing.T.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// For returns the program's path.
func (p *Program) For(t T) string {
	t.Helper()
	p.once.Do(func() { p.err = p.build() })
	if p.err != nil {
		t.Fatalf("the binary: %v", p.err)
	}
	return p.path
}

// Remove takes away what was built; for the end of TestMain.
func Remove() {
	for _, p := range []*Program{Plain, Crashing} {
		if p.dir != "" {
			_ = os.RemoveAll(p.dir) // a leftover in the temporary directory
		}
	}
}

// build builds into bin/, where go build finds that a test of another package has linked
// it already, and copies it: a change of the tree meanwhile is not this run's.
func (p *Program) build() (err error) {
	if path := os.Getenv(p.env); path != "" {
		p.path, err = filepath.Abs(path)
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if err := touchSources(root); err != nil {
		return err
	}
	bin := filepath.Join(root, "bin", "tests")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(bin, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	shared := filepath.Join(bin, p.name)
	cmd := exec.Command("go", "build", "-tags", p.tags, "-ldflags", "-s -w", "-o", shared, "./cmd/ape-claw")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if p.dir, err = os.MkdirTemp("", "ape-claw-bin-"); err != nil {
		return err
	}
	p.path = filepath.Join(p.dir, "ape-claw")
	return copyFile(p.path, shared)
}

// moduleRoot is the directory with go.mod above the one that tests run in.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("there is no go.mod above the working directory")
		}
	}
}

// touchSources looks at every directory the binary may be made of, so that go test
// does not take an earlier result for this one after a change in any of them.
func touchSources(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root && (name == "node_modules" || name == "bin" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return f.Close()
	})
}

func copyFile(to, from string) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}
