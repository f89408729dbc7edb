package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// warmups are runs before the measurement: they fill the file cache.
const warmups = 5

// startup compares `ape-claw version` with a Go program that does nothing, in
// pairs, so that what else the machine does falls on both alike.
func (s setup) startup(ctx context.Context) (string, error) {
	empty, err := s.buildEmpty(ctx)
	if err != nil {
		return "", err
	}
	floor, err := s.build(ctx, "floor", "./bench/floor")
	if err != nil {
		return "", err
	}
	var ours, base, libs []time.Duration
	for i := range warmups + s.runs {
		b, err := timed(ctx, s.dir, nil, empty)
		if err != nil {
			return "", err
		}
		o, err := timed(ctx, s.dir, nil, s.binary, "version")
		if err != nil {
			return "", err
		}
		f, err := timed(ctx, s.dir, nil, floor)
		if err != nil {
			return "", err
		}
		if i >= warmups {
			base, ours, libs = append(base, b), append(ours, o), append(libs, f)
		}
	}
	info, err := os.Stat(s.binary)
	if err != nil {
		return "", err
	}
	o, b, f := median(ours), median(base), median(libs)
	return fmt.Sprintf(`## Start-up

Median wall time of %d processes each, in turns, warm file cache. Wanted: at most 10 ms above an empty program.

| | |
|---|---|
| `+"`ape-claw version`"+` (everything linked, %d MB) | %s |
| an empty Go program | %s |
| an empty main that links the same libraries (`+"`bench/floor`"+`) | %s |
| above the empty program | %s |
| of that, the libraries' own initialisation, go-ethereum's node above all | %s |
| of that, ape-claw | %s |

What is above the wish is the libraries': one binary that holds a whole chain pays for it in every start.
`, s.runs, info.Size()>>20, ms(o), ms(b), ms(f), ms(o-b), ms(f-b), ms(o-f)), nil
}

func (s setup) buildEmpty(ctx context.Context) (string, error) {
	src := filepath.Join(s.dir, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return "", err
	}
	return s.build(ctx, "empty", src)
}

// build compiles a program as the Makefile does.
func (s setup) build(ctx context.Context, name, src string) (string, error) {
	out := filepath.Join(s.dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", out, src)
	cmd.Stderr = os.Stderr
	return out, cmd.Run()
}

// timed runs a process with its output thrown away and returns its wall time.
func timed(ctx context.Context, dir string, env []string, name string, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%s %q: %w", filepath.Base(name), args, err)
	}
	return took, nil
}
