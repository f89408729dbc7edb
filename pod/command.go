package pod

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// mostOut is how much of a command's output is taken; the rest is read and dropped.
	mostOut = 64 << 10
	// grace is the time between asking a command's processes to end and ending them.
	grace = 300 * time.Millisecond
)

// Command is a Stepper that starts a program for each step, in the workspace: the
// context is its standard input, what it prints is what the agent says, and any exit
// status but 0 is a step that failed.
type Command struct {
	Args []string
	Env  []string // all of it: the program gets no other variable
	Dir  string
	// Held is the file of the workspace's lock. The program has it open: should this
	// process be killed, no other run begins while the program goes on.
	Held *os.File
	// Trace makes the trace id that joins what a step's ape-claw commands do.
	Trace func() string
}

// Name is the program's name.
func (c Command) Name() string { return fault.Excerpt(filepath.Base(c.Args[0]), 64) }

// Step runs the program. When ctx ends, it and whatever it started are ended.
func (c Command) Step(ctx context.Context, in Context) (Step, error) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append(append([]string{}, c.Env...), "APE_CLAW_POD_ACTION="+in.Action, "APE_CLAW_POD_TICK="+strconv.Itoa(in.Tick),
		"APE_CLAW_POD_DRY_RUN="+strconv.FormatBool(in.DryRun))
	trace := ""
	if c.Trace != nil {
		trace = c.Trace()
		cmd.Env = append(cmd.Env, "APE_CLAW_TRACE_ID="+trace)
	}
	cmd.Stdin = strings.NewReader(in.Text())
	out, errs := &bounded{most: mostOut}, &bounded{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, errs
	if c.Held != nil {
		cmd.ExtraFiles = []*os.File{c.Held}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		return Step{}, fault.Wrap(err, fault.NotFound, "%s can't be started: %s", c.Name(), startReason(err)).
			Hintf("name a program that this user can run: ape-claw pod run -- ./agent.sh").WithSent(fault.SentNo)
	}
	err := cmd.Wait()
	// What it left behind would go on while no action is on record.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	said := Step{Text: out.String(), TraceID: trace}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return said, context.Cause(ctx)
	case errors.As(err, &exit):
		return said, fault.New(fault.Partial, "%s ended with %s: %s", c.Name(), exit.ProcessState, fault.Excerpt(errs.String(), 200))
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return said, fault.Wrap(err, fault.Internal, "%s: %v", c.Name(), err)
	}
	return said, nil
}

func startReason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return "it was not found"
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	bytes.Buffer
	most int
}

// Write keeps what fits and takes the rest.
func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
