package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// quiet drops the error of writing to a reader that went away, as head does when it
// has enough: that ends a listing, and is no fault. What else keeps standard output
// from being written, such as a full disk behind a redirection, is told by its name.
func quiet(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	var write *fs.PathError
	if errors.As(err, &write) && write.Op == "write" && fault.From(err).Code == fault.Internal {
		return fault.Wrap(err, fault.StateUnusable, "standard output can't be written: %s", errnoText(err)).
			Hintf("what stands there is not whole; free some space, or send it elsewhere")
	}
	return err
}

// errnoText is what the system calls the error.
func errnoText(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return "input/output error"
}

// say tells the person something on stderr that is no warning.
func (d *Deps) say(format string, args ...any) {
	// What can't be printed has no other place to go.
	_, _ = fmt.Fprint(d.host.Stderr, d.redactor().String(fmt.Sprintf(format, args...)))
}

// outFile is a file in the making: a temporary one beside it, which takes its name
// when it is whole.
type outFile struct {
	*os.File
	path  string
	force bool
}

// newOutFile begins the file at path. What stands there is refused unless force is
// set, and a link, a device or a directory in any case: nothing is written through
// it. The state directory is the program's own.
func newOutFile(path, stateDir string, force bool) (*outFile, error) {
	o := &outFile{path: path, force: force}
	if err := o.check(); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	fi, err := os.Stat(dir)
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "the directory of %s does not exist, or can't be looked at", store.Display(path)).
			Hintf("mkdir -p %s", store.Display(dir))
	}
	if state, err := os.Stat(stateDir); err == nil && os.SameFile(fi, state) {
		return nil, fault.New(fault.Usage, "--out %s lies in the state directory, whose files are the program's own", store.Display(path)).
			Hintf("--out %s", filepath.Base(path))
	}
	o.File, err = os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, o.fault(err)
	}
	return o, nil
}

// check refuses what must not be written over.
func (o *outFile) check() error {
	fi, err := os.Lstat(o.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return o.fault(err)
	case fi.IsDir():
		return fault.New(fault.Usage, "--out %s is a directory", store.Display(o.path)).Hintf("--out %s", filepath.Join(store.Display(o.path), "events.jsonl"))
	case !fi.Mode().IsRegular():
		return fault.New(fault.Usage, "--out %s is a link or a device, and nothing is written through one", store.Display(o.path)).
			Hintf("name a file, or use --out - and a redirection")
	case !o.force:
		return o.taken()
	}
	return nil
}

func (o *outFile) taken() error {
	return fault.New(fault.Conflict, "%s exists already", store.Display(o.path)).Hintf("choose another name, or --force to replace it")
}

// commit gives the file its name. Nobody sees less than the whole.
func (o *outFile) commit() error {
	if err := errors.Join(o.Sync(), o.Close()); err != nil {
		return errors.Join(o.fault(err), os.Remove(o.Name()))
	}
	if err := o.rename(); err != nil {
		return errors.Join(err, os.Remove(o.Name()))
	}
	return store.SyncDir(filepath.Dir(o.path))
}

func (o *outFile) rename() error {
	if !o.force {
		// A link, unlike a rename, never replaces what came there meanwhile.
		switch err := os.Link(o.Name(), o.path); {
		case err == nil:
			return os.Remove(o.Name())
		case errors.Is(err, fs.ErrExist):
			return o.taken()
		}
		// A file system without hard links: a look has to do.
	}
	if err := o.check(); err != nil {
		return err
	}
	if err := os.Rename(o.Name(), o.path); err != nil {
		return o.fault(err)
	}
	return nil
}

// abort leaves nothing behind.
func (o *outFile) abort() error { return errors.Join(o.Close(), os.Remove(o.Name())) }

// fault says why the file can't be written.
func (o *outFile) fault(err error) error {
	return fault.Wrap(err, fault.StateUnusable, "%s can't be written: %s", store.Display(o.path), errnoText(err)).
		Hintf("nothing was left there; choose another place with --out")
}

// progressEvery is how often a progress line changes.
const progressEvery = 200 * time.Millisecond

// progress is a line on a terminal that says how far a long command is.
type progress struct {
	d           *Deps
	start, last time.Time
	width       int // of what stands there
}

// newProgress returns a progress that is silent unless stderr is a terminal that
// the result does not go to as well.
func (d *Deps) newProgress(resultOnStdout bool) *progress {
	if !d.host.StderrTTY || resultOnStdout && d.host.StdoutTTY {
		return nil
	}
	now := d.host.Now()
	return &progress{d: d, start: now, last: now}
}

// at shows that done of total bytes are done.
func (p *progress) at(what string, done, total int64) {
	if p == nil {
		return
	}
	now := p.d.host.Now()
	if now.Sub(p.last) < progressEvery {
		return
	}
	p.last = now
	rate := int64(0)
	if ms := now.Sub(p.start).Milliseconds(); ms > 0 {
		rate = done / ms * 1000
	}
	percent := int64(100)
	if total > 0 {
		percent = done * 100 / total
	}
	p.line(fmt.Sprintf("%s  %s of %s  %d%%  %s/s", what, showBytes(done), showBytes(total), percent, showBytes(rate)))
}

// again starts the clock of the next part.
func (p *progress) again() {
	if p != nil {
		p.start = p.d.host.Now()
	}
}

// end clears the line.
func (p *progress) end() {
	if p != nil && p.width > 0 {
		p.line("")
		p.d.say("\r")
	}
}

func (p *progress) line(s string) {
	p.d.say("\r%s%*s", s, max(p.width-len(s), 0), "")
	p.width = len(s)
}

// showBytes writes a size for people: 512 B, 1.5 MiB.
func showBytes(n int64) string {
	unit, name := int64(1), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n < 1024*unit {
			break
		}
		unit, name = unit*1024, next
	}
	if unit == 1 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%d.%d %s", n/unit, n%unit*10/unit, name)
}
