// Package mcp_test shows the MCP server to others: the official conformance suite,
// the SDK's own client against the built binary, and the real Claude Code and Codex
// with models that play on this machine.
package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/tests/program"
)

const (
	// patience bounds every wait: nothing here depends on speed.
	patience = 2 * time.Minute
)

func TestMain(m *testing.M) {
	code := m.Run()
	program.Remove()
	os.Exit(code)
}

// binary is the program under test.
func binary(t *testing.T) string {
	t.Helper()
	return program.Plain.For(t)
}

// world is a home, a state directory and perhaps a sandbox of a test's own.
type world struct {
	t    *testing.T
	bin  string
	dir  string
	args []string // in front of every command
}

// practice is a world with a sandbox that runs.
func practice(t *testing.T) *world {
	t.Helper()
	w := empty(t)
	up := exec.Command(w.bin, "sandbox", "up", "--json")
	up.Dir, up.Env = w.dir, w.env()
	out, err := up.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaint bytes.Buffer
	up.Stderr = &complaint
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := up.Process.Signal(os.Interrupt); err != nil {
			t.Log(err)
		}
		_ = up.Wait() // its end is all that is wanted
	})
	var ready struct{ OK bool }
	if err := json.NewDecoder(out).Decode(&ready); err != nil || !ready.OK {
		t.Fatalf("sandbox up: %v %s", err, complaint.String())
	}
	w.args = []string{"--profile", "sandbox"}
	return w
}

func empty(t *testing.T) *world {
	t.Helper()
	return &world{t: t, bin: binary(t), dir: t.TempDir()}
}

func (w *world) env() []string {
	return []string{"HOME=" + w.dir, "PATH=" + os.Getenv("PATH"), "APE_CLAW_HOME=" + filepath.Join(w.dir, "home"), "TMPDIR=" + os.TempDir()}
}

// command is one of the product's in this world.
func (w *world) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.bin, append(append([]string{}, w.args...), args...)...)
	cmd.Dir, cmd.Env = w.dir, w.env()
	return cmd
}

// run runs a command that has to go well, and reads its document.
func (w *world) run(into any, args ...string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	cmd := w.command(ctx, append(args, "--json")...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out, complaint.String())
	}
	if err := json.Unmarshal(out, into); err != nil {
		w.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
