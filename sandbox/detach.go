package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// readyWithin bounds how long a detached sandbox has to become ready.
const readyWithin = 20 * time.Second

// Detached says how to run a sandbox in the background.
type Detached struct {
	Home string   // APE_CLAW_HOME
	Exe  string   // our own binary
	Args []string // the arguments that start a sandbox in the foreground, with --json
	Env  []string // its whole environment
	Dir  string   // its working directory; "": this process's

	Transport http.RoundTripper
}

// Detach starts a sandbox as a process of its own session, which outlives this
// one, and returns when it answers. Its output goes to sandbox.log in the home's
// sandbox folder. If it ends instead, its own error is returned.
func Detach(ctx context.Context, d Detached) (*Current, error) {
	ctl := Control{Home: d.Home, Transport: d.Transport}
	st, err := ctl.Status(ctx)
	if err != nil {
		return nil, err
	}
	if st.Running {
		return nil, fault.New(fault.Conflict, "a sandbox is running for %s already: pid %d at %s", store.Display(d.Home), st.Current.PID, st.Current.MarketURL).
			Hintf("use it, or stop it: ape-claw sandbox down").With("pid", st.Current.PID).With("marketUrl", st.Current.MarketURL)
	}
	pid, err := d.launch()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		var ws syscall.WaitStatus
		// Not Wait: that would need a goroutine for as long as the child lives.
		if got, err := syscall.Wait4(pid, &ws, syscall.WNOHANG, nil); err == nil && got == pid {
			return nil, d.died(ws)
		}
		if c, err := read(d.Home); err == nil && c != nil && c.PID == pid {
			if h, err := ctl.health(ctx, c); err == nil && h.Instance == c.Instance {
				return c, nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, d.giveUp(pid, ctx.Err())
		case <-tick.C:
		}
	}
}

func (d Detached) launch() (pid int, err error) {
	if err := store.EnsureDir(filepath.Dir(logPath(d.Home))); err != nil {
		return 0, err
	}
	log, err := os.OpenFile(logPath(d.Home), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, store.FilePerm)
	if err != nil {
		return 0, fault.Wrap(err, fault.StateUnusable, "can't write %s", store.Display(logPath(d.Home)))
	}
	cmd := exec.Command(d.Exe, d.Args...)
	cmd.Env, cmd.Dir = d.Env, d.Dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := errors.Join(cmd.Start(), log.Close()); err != nil {
		return 0, fault.Wrap(err, fault.Internal, "can't start the sandbox in the background")
	}
	return cmd.Process.Pid, nil
}

// died returns the error that the sandbox printed before it ended.
func (d Detached) died(ws syscall.WaitStatus) error {
	text := tail(logPath(d.Home))
	if e := lastError(text); e != nil {
		return e
	}
	e := fault.New(fault.Internal, "the sandbox ended with status %d before it was ready", ws.ExitStatus()).
		Hintf("see %s", store.Display(logPath(d.Home)))
	if ws.Signaled() {
		e.Message = "the sandbox was killed by signal " + ws.Signal().String() + " before it was ready"
	}
	return e
}

// giveUp ends a sandbox that does not become ready.
func (d Detached) giveUp(pid int, why error) error {
	kill := syscall.Kill(pid, syscall.SIGKILL)
	_, wait := syscall.Wait4(pid, nil, 0, nil)
	if errors.Is(why, context.Canceled) {
		return why
	}
	return fault.Wrap(errors.Join(why, kill, wait), fault.Internal, "the sandbox was not ready within %s", readyWithin).
		Hintf("see %s", store.Display(logPath(d.Home)))
}

// tailBytes is how much of a log is read for its last error.
const tailBytes = 16 << 10

func tail(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.Size() > tailBytes {
		if _, err := f.Seek(-tailBytes, io.SeekEnd); err != nil {
			return nil
		}
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return nil
	}
	return b
}

// lastError finds the error document that `--json` prints, or the line that
// people get.
func lastError(text []byte) error {
	for i := bytes.LastIndexByte(text, '{'); i >= 0; i = bytes.LastIndexByte(text[:i], '{') {
		var e fault.Error
		if json.NewDecoder(bytes.NewReader(text[i:])).Decode(&e) == nil && e.Code != "" {
			return &e
		}
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if _, msg, ok := strings.Cut(lines[i], "ape-claw: error: "); ok {
			return fault.New(fault.Internal, "%s", msg)
		}
	}
	return nil
}
