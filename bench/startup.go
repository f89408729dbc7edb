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
func (b *bench) startup(ctx context.Context, p *page) error {
	empty, err := b.buildEmpty(ctx)
	if err != nil {
		return err
	}
	floor, err := b.build(ctx, "floor", "./floor")
	if err != nil {
		return err
	}
	programs := []struct {
		path string
		args []string
		took []time.Duration
	}{{path: empty}, {path: b.binary, args: []string{"version"}}, {path: floor}}
	for i := range warmups + b.size.startupRuns {
		for k := range programs {
			took, err := timed(ctx, b.dir, nil, programs[k].path, programs[k].args...)
			if err != nil {
				return err
			}
			if i >= warmups {
				programs[k].took = append(programs[k].took, took)
			}
		}
	}
	info, err := os.Stat(b.binary)
	if err != nil {
		return err
	}
	base, ours, libs := median(programs[0].took), median(programs[1].took), median(programs[2].took)
	p.section(fmt.Sprintf(`## Start-up

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
`, b.size.startupRuns, info.Size()>>20, ms(ours), ms(base), ms(libs), ms(ours-base), ms(libs-base), ms(ours-libs)))
	return nil
}

func (b *bench) buildEmpty(ctx context.Context) (string, error) {
	src := filepath.Join(b.dir, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return "", err
	}
	return b.build(ctx, "empty", src)
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
