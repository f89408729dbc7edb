package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// suite is a test binary with the switches in it.
type suite struct {
	pkg, dir, binary string
}

// test is one top-level test.
type test struct {
	suite   *suite
	name    string
	took    time.Duration
	reaches map[int]bool
}

// runner runs test binaries.
type runner struct {
	dir   string // for temporary files
	args  []string
	jobs  int
	least time.Duration
	log   func(string, ...any)

	mu    sync.Mutex
	kills map[string]map[*test]int // by file: who kills there goes first
}

// compile builds the tests of a package with the overlay.
func (r *runner) compile(overlay, pkg string) (*suite, error) {
	out, err := goCommand("list", "-f", "{{.ImportPath}}\n{{.Dir}}", "--", pkg)
	if err != nil {
		return nil, err
	}
	path, dir, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	s := &suite{pkg: path, dir: dir, binary: filepath.Join(r.dir, strings.ReplaceAll(path, "/", "_")+".test")}
	_, err = goCommand("test", "-c", "-overlay", overlay, "-o", s.binary, pkg)
	return s, err
}

// outcome is what became of a test binary.
type outcome struct {
	ok, late bool
	out      []byte
}

// limits bounds the memory of what a mutant may make endless, in KiB.
const limits = `ulimit -v 8000000; exec "$0" "$@"`

// run runs some tests of a binary, in a process group of its own, which is
// killed with it: tests that are killed leave their children behind.
func (r *runner) run(s *suite, mutant int, logFile string, most time.Duration, names ...string) (outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), most+5*time.Second)
	defer cancel()
	args := []string{"-c", limits, s.binary, "-test.failfast", "-test.timeout=" + most.String(), "-test.run=^(" + strings.Join(names, "|") + ")$"}
	cmd := exec.CommandContext(ctx, "sh", append(args, r.args...)...)
	tmp, err := os.MkdirTemp(r.dir, "run-")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(tmp)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), activeEnv+"="+strconv.Itoa(mutant), logEnv+"="+logFile, "TMPDIR="+tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it has left behind, if anything
	return outcome{err == nil, bytes.Contains(out.Bytes(), []byte("panic: test timed out")) || ctx.Err() != nil, out.Bytes()}, nil
}

// baseline runs each test alone. One that fails as it is, or that skip names, is
// left out.
func (r *runner) baseline(s *suite, skip *regexp.Regexp) ([]*test, error) {
	cmd := exec.Command(s.binary, "-test.list=^(Test|Fuzz|Example)")
	cmd.Dir = s.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.pkg, err)
	}
	var names []string
	for _, n := range strings.Fields(string(out)) {
		if n != "TestMain" && !skip.MatchString(n) {
			names = append(names, n)
		}
	}
	tests := make([]*test, len(names))
	err = each(r.jobs, len(names), func(i int) error {
		logFile := filepath.Join(r.dir, names[i]+".reached")
		start := time.Now()
		o, err := r.run(s, 0, logFile, 10*time.Minute, names[i])
		if err != nil {
			return err
		}
		if !o.ok {
			r.log("%s %s fails with nothing changed and is left out:\n%s", s.pkg, names[i], tail(o.out))
			return nil
		}
		t := &test{suite: s, name: names[i], took: time.Since(start), reaches: map[int]bool{}}
		reached, err := os.ReadFile(logFile)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for _, f := range strings.Fields(string(reached)) {
			n, err := strconv.Atoi(f)
			if err != nil {
				return err
			}
			t.reaches[n] = true
		}
		tests[i] = t
		return nil
	})
	return slices.DeleteFunc(tests, func(t *test) bool { return t == nil }), err
}

// judge runs a mutant against the tests that reach it, until one fails.
func (r *runner) judge(m *Mutant, tests []*test) error {
	reaching := slices.DeleteFunc(slices.Clone(tests), func(t *test) bool { return !t.reaches[m.N] })
	if len(reaching) == 0 {
		m.Status = uncovered
		return nil
	}
	for _, batch := range r.batches(m, reaching) {
		names, took := []string{}, time.Duration(0)
		for _, t := range batch {
			names, took = append(names, t.name), took+t.took
		}
		o, err := r.run(batch[0].suite, m.N, "", min(r.least+8*took, 3*time.Minute+took), names...)
		if err != nil {
			return err
		}
		if o.ok {
			continue
		}
		m.Status = killed
		if o.late {
			m.Status = late
		}
		m.By = culprit(o.out)
		r.mu.Lock()
		for _, t := range batch {
			if t.name == m.By {
				if r.kills[m.File] == nil {
					r.kills[m.File] = map[*test]int{}
				}
				r.kills[m.File][t]++
			}
		}
		r.mu.Unlock()
		return nil
	}
	m.Status = survived
	return nil
}

// batches orders tests: first the three that have killed most in this file, then
// the fastest, in growing groups of one binary each.
func (r *runner) batches(m *Mutant, tests []*test) [][]*test {
	r.mu.Lock()
	defer r.mu.Unlock()
	kills := r.kills[m.File]
	slices.SortStableFunc(tests, func(a, b *test) int {
		return cmp.Or(cmp.Compare(kills[b], kills[a]), cmp.Compare(a.took, b.took))
	})
	var out [][]*test
	head := tests[:min(3, len(tests))]
	head = slices.DeleteFunc(slices.Clone(head), func(t *test) bool { return kills[t] == 0 || t.took > 5*time.Second })
	for _, t := range head {
		if len(out) > 0 && out[0][0].suite == t.suite {
			out[0] = append(out[0], t)
		} else if len(out) == 0 {
			out = append(out, []*test{t})
		}
	}
	rest := slices.DeleteFunc(slices.Clone(tests), func(t *test) bool { return len(out) > 0 && slices.Contains(out[0], t) })
	slices.SortStableFunc(rest, func(a, b *test) int { return cmp.Compare(a.took, b.took) })
	sum, most := time.Duration(math.MaxInt64/2), time.Second/4
	fresh := true
	for _, t := range rest {
		if l := len(out) - 1; !fresh && sum+t.took <= most && out[l][0].suite == t.suite {
			out[l], sum = append(out[l], t), sum+t.took
			continue
		}
		out, sum, most, fresh = append(out, []*test{t}), t.took, 6*most, false
	}
	return out
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)|^panic: .*\n|running tests:\n\s+(\w+)`)

// culprit is the test that failed, or why none was named.
func culprit(out []byte) string {
	by := ""
	for _, m := range failed.FindAllSubmatch(out, -1) {
		switch {
		case len(m[1]) > 0:
			return string(m[1])
		case len(m[2]) > 0:
			return string(m[2])
		case by == "":
			by = strings.TrimSpace(string(m[0]))
		}
	}
	return by
}

func tail(out []byte) []byte { return out[max(0, len(out)-2000):] }

// each calls do for 0 to n-1, some at once, and stops at the first error.
func each(jobs, n int, do func(int) error) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var first error
	next := 0
	for range jobs {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := first != nil || i >= n
				mu.Unlock()
				if stop {
					return
				}
				if err := do(i); err != nil {
					mu.Lock()
					first = cmp.Or(first, err)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return first
}
