package ai_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestKilled holds which lines of HALT are the AI's: its own, and those of a file
// that says nothing that can be read.
func TestKilled(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		halt func(t *testing.T, path string)
		want []string // beginnings
	}{
		"no file":       {func(*testing.T, string) {}, nil},
		"policy's line": {write("policy: strange prices (2026-01-01T00:00:00Z)\n"), nil},
		"own line":      {write("ai: looks wrong (2026-01-01T00:00:00Z)\n"), []string{"ai: looks wrong"}},
		"among others":  {write("policy: x\nai: y\nledger: z\nai: w\n"), []string{"ai: y", "ai: w"}},
		"typed by hand": {write("  ai\n"), []string{"ai"}},
		"another word":  {write("aim: high\nais\n"), nil},
		"empty":         {write(""), []string{""}},
		"blank":         {write(" \n\n"), []string{""}},
		"directory": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, []string{""}},
		"link to nowhere": {func(t *testing.T, path string) {
			if err := os.Symlink("nowhere", path); err != nil {
				t.Fatal(err)
			}
		}, []string{""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			tt.halt(t, filepath.Join(home, policy.HaltFile))
			got := ai.Killed(home)
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i, line := range got {
				if !strings.HasPrefix(line, tt.want[i]) {
					t.Errorf("line %d is %q, want it to begin with %q", i, line, tt.want[i])
				}
			}
			if err := ai.KillError(got); (err != nil) != (len(tt.want) > 0) {
				t.Errorf("KillError(%q) is %v", got, err)
			}
		})
	}
}

func write(text string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWatch turns the switch while something runs.
func TestWatch(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := ai.Watch(t.Context(), home)
		defer stop()
		if err := policy.WriteHalt(home, "policy", "prices", time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // of the bubble
		if ctx.Err() != nil || ai.Stopped(ctx) != nil {
			t.Fatal("a line of policy stopped a model")
		}
		if err := policy.WriteHalt(home, ai.KillCause, "test", time.Now()); err != nil {
			t.Fatal(err)
		}
		turned := time.Now()
		<-ctx.Done()
		if late := time.Since(turned); late > 500*time.Millisecond {
			t.Errorf("it took %s", late)
		}
		if err := ai.Stopped(ctx); fault.CodeOf(err) != fault.Killed {
			t.Errorf("the cause is %v", err)
		}
	})
}

func TestWatchStartsKilled(t *testing.T) {
	t.Parallel()
	ctx, stop := ai.WatchFunc(t.Context(), func() []string { return []string{"ai: x"} })
	defer stop()
	if err := ai.Stopped(ctx); fault.CodeOf(err) != fault.Killed {
		t.Errorf("the cause is %v", err)
	}
}

func TestWatchStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // which fails when a goroutine is left
		looks := 0
		off := func() []string { looks++; return nil }
		outer, end := context.WithCancel(t.Context())
		ctx, stop := ai.WatchFunc(outer, off)
		end()
		<-ctx.Done()
		if err := ai.Stopped(ctx); !errors.Is(err, context.Canceled) || fault.CodeOf(err) == fault.Killed {
			t.Errorf("the cause is %v", err)
		}
		stop()
		ctx, stop = ai.WatchFunc(t.Context(), off)
		stop()
		if ctx.Err() == nil {
			t.Error("stop left the context alive")
		}
		was := looks
		time.Sleep(10 * time.Second)
		if looks != was {
			t.Error("it still looks after stop")
		}
		stop() // again is fine
	})
}
