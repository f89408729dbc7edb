package pod

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// stopFlags are the files whose presence stops a run: ours, and the other name that
// agents are told of elsewhere.
var stopFlags = [2]string{"stop.flag", "STOP"}

// stopped returns the flag that is there, "" for none. Whatever has the name stops,
// also a link or a directory: somebody meant to stop something. So does a look that
// fails.
func (w *Workspace) stopped() string {
	for _, name := range stopFlags {
		if _, err := w.root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return name
		}
	}
	return ""
}

// stopReason is what the flag says, on one line; "" when it says nothing, or is no file
// that can be read.
func (w *Workspace) stopReason() string {
	name := w.stopped()
	if name == "" {
		return ""
	}
	b, err := w.read(name)
	if err != nil {
		return ""
	}
	return fault.Excerpt(string(b), mostText)
}

// Stop raises the flag. Where one is raised it stays as it is; already says so.
func (w *Workspace) Stop(by, reason string, now time.Time) (already bool, err error) {
	if w.stopped() != "" {
		return true, nil
	}
	if reason == "" {
		reason = "no reason given"
	}
	line := now.UTC().Format(time.RFC3339) + " " + by + ": " + fault.Excerpt(reason, mostText) + "\n"
	f, err := w.open(stopFlags[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		if w.stopped() != "" { // somebody was quicker
			return true, nil
		}
		return false, err
	}
	// The flag is raised: that it says why is a courtesy, which a full disk may refuse.
	_, _ = w.write(f, []byte(line))
	if err := f.Close(); err != nil {
		return false, w.unusable(err, stopFlags[0])
	}
	return false, w.syncDir(".")
}

// Start takes the flags away and returns their names.
func (w *Workspace) Start() ([]string, error) {
	removed := []string{}
	for _, name := range stopFlags {
		err := w.root.Remove(name)
		switch {
		case err == nil:
			removed = append(removed, name)
		case !errors.Is(err, fs.ErrNotExist):
			return removed, w.unusable(err, name)
		}
	}
	if len(removed) == 0 {
		return removed, nil
	}
	return removed, w.syncDir(".")
}
