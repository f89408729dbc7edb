package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Control reaches the sandbox of a home from another process.
type Control struct {
	Home      string            // APE_CLAW_HOME
	Transport http.RoundTripper // nil: http.DefaultTransport
}

// How long a sandbox has to answer, and to stop.
const (
	answerWithin = 2 * time.Second
	downWithin   = 15 * time.Second
	resetWithin  = 30 * time.Second
	pollEvery    = 10 * time.Millisecond
)

// Status is what is known of a home's sandbox.
type Status struct {
	Running bool
	// Stale: current.json is left of a sandbox that was killed.
	Stale   bool
	Reason  string // why it is not running, in words
	Current *Current
	Health  *Health
}

// Status looks for the home's sandbox, asks it how it is, and changes nothing.
// A sandbox that does not run is no error.
func (c Control) Status(ctx context.Context) (Status, error) {
	cur, err := read(c.Home)
	if err != nil {
		return Status{}, err
	}
	if cur == nil {
		return Status{Reason: "no sandbox is running"}, nil
	}
	st := Status{Current: cur}
	if !alive(cur.PID) {
		st.Stale, st.Reason = true, fmt.Sprintf("the sandbox of pid %d was killed", cur.PID)
		return st, nil
	}
	h, err := c.health(ctx, cur)
	switch {
	case ctx.Err() != nil:
		return Status{}, ctx.Err()
	case err != nil && !c.held():
		// The pid belongs to another program now, or to a process whose parent
		// has not yet noticed that it ended.
		st.Stale, st.Reason = true, fmt.Sprintf("the sandbox of pid %d was killed", cur.PID)
	case err != nil:
		st.Reason = fmt.Sprintf("the sandbox of pid %d does not answer at %s", cur.PID, cur.MarketURL)
	case h.Instance != cur.Instance:
		st.Stale, st.Reason = true, fmt.Sprintf("%s belongs to another sandbox now", cur.MarketURL)
	default:
		st.Running, st.Health = true, &h
	}
	return st, nil
}

// held reports whether some process has the home's lock: unlike a pid, a lock
// ends with its process.
func (c Control) held() bool {
	if _, err := os.Stat(lockPath(c.Home)); err != nil {
		return false
	}
	l, ok, err := store.TryLock(lockPath(c.Home))
	if err != nil {
		return false
	}
	if ok {
		return l.Unlock() != nil
	}
	return true
}

func (c Control) client() *http.Client { return &http.Client{Transport: c.Transport} }

func (c Control) health(ctx context.Context, cur *Current) (Health, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	var h Health
	err := c.ask(ctx, http.MethodGet, cur, "/sandbox", &h)
	return h, err
}

// ask calls a control route.
func (c Control) ask(ctx context.Context, method string, cur *Current, path string, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, cur.MarketURL+path, nil)
	if err != nil {
		return fmt.Errorf("sandbox at %s: %w", cur.MarketURL, err)
	}
	req.Header.Set(tokenHeader, cur.token)
	resp, err := c.client().Do(req)
	if err != nil {
		return fmt.Errorf("sandbox at %s: %w", cur.MarketURL, err)
	}
	dec := json.NewDecoder(resp.Body)
	if resp.StatusCode != http.StatusOK {
		var e fault.Error
		if derr := dec.Decode(&e); derr == nil && e.Code != "" {
			err = &e
		} else {
			err = fmt.Errorf("sandbox at %s: status %d", cur.MarketURL, resp.StatusCode)
		}
	} else if err = dec.Decode(out); err != nil {
		err = fmt.Errorf("sandbox at %s: %w", cur.MarketURL, err)
	}
	return errors.Join(err, resp.Body.Close())
}

// Down stops the home's sandbox and waits until it has ended. It returns the
// status it found; none running is no error, and what a killed one left behind
// is cleaned up. A process is only signalled after it has answered as this
// home's sandbox.
func (c Control) Down(ctx context.Context) (Status, error) {
	st, err := c.Status(ctx)
	if err != nil {
		return st, err
	}
	switch {
	case st.Current == nil:
		return st, nil
	case st.Stale:
		return st, c.clean()
	case !st.Running:
		return st, fault.New(fault.Conflict, "%s", st.Reason).
			Hintf("if it is the sandbox, end it by hand: kill %d", st.Current.PID)
	}
	if err := syscall.Kill(st.Current.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return st, fault.Wrap(err, fault.Conflict, "can't stop the sandbox of pid %d: it belongs to another user", st.Current.PID)
	}
	ctx, cancel := context.WithTimeout(ctx, downWithin)
	defer cancel()
	// The lock is given back last, also when the process is killed.
	l, err := store.AcquireLock(ctx, lockPath(c.Home))
	if err != nil {
		return st, fault.Wrap(err, fault.Conflict, "the sandbox of pid %d did not stop within %s", st.Current.PID, downWithin).
			Hintf("end it by hand: kill -9 %d", st.Current.PID)
	}
	return st, errors.Join(remove(currentPath(c.Home)), l.Unlock())
}

// clean removes what a killed sandbox left, unless a new one is starting.
func (c Control) clean() error {
	l, ok, err := store.TryLock(lockPath(c.Home))
	if err != nil || !ok {
		return err
	}
	return errors.Join(remove(currentPath(c.Home)), l.Unlock())
}

// Reset gives the running sandbox a fresh chain. With none running, it deletes
// the chain kept in dataDir, if one is named; else it is fault.Upstream.
func (c Control) Reset(ctx context.Context, dataDir string) (Status, error) {
	st, err := c.Status(ctx)
	if err != nil {
		return st, err
	}
	if !st.Running {
		if dataDir == "" {
			return st, fault.New(fault.Upstream, "%s", st.Reason).Hintf("ape-claw sandbox up --detach").WithSent(fault.SentNo)
		}
		return st, c.resetDir(dataDir)
	}
	ctx, cancel := context.WithTimeout(ctx, resetWithin)
	defer cancel()
	var h Health
	if err := c.ask(ctx, http.MethodPost, st.Current, "/sandbox/reset", &h); err != nil {
		if f := fault.From(err); f.Code != fault.Internal {
			return st, f
		}
		return st, fault.Wrap(err, fault.Upstream, "the sandbox of pid %d could not be reset", st.Current.PID).
			Hintf("stop it and start it again: ape-claw sandbox down").WithSent(fault.SentNo)
	}
	st.Health = &h
	return st, nil
}

func (c Control) resetDir(dataDir string) error {
	if _, err := os.Stat(filepath.Join(dataDir, chainDir)); err != nil {
		return fault.Wrap(err, fault.NotFound, "there is no chain in %s", store.Display(dataDir))
	}
	l, ok, err := store.TryLock(lockPath(c.Home))
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.Conflict, "a sandbox is starting or stopping")
	}
	return errors.Join(removeChain(dataDir), forget(dataDir), l.Unlock())
}
