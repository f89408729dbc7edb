package pod

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// mostFile bounds what is read of one file.
const mostFile = 256 << 10

// open opens a file of the workspace: a plain one, of ours, with one name. It leaves
// the workspace by no link, follows none inside, and waits for no FIFO.
func (w *Workspace) open(name string, flag int) (*os.File, error) {
	if err := w.checkDirs(name); err != nil {
		return nil, err
	}
	was, err := w.root.Lstat(name)
	if err == nil {
		if err := store.CheckPlain(was, path.Join(w.dir, name)); err != nil {
			return nil, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) || flag&os.O_CREATE == 0 {
		return nil, w.unusable(err, name)
	}
	f, err := w.root.OpenFile(name, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, store.FilePerm)
	if err != nil {
		return nil, w.unusable(err, name)
	}
	is, err := f.Stat()
	if err != nil {
		return nil, errors.Join(w.unusable(err, name), f.Close())
	}
	if err := store.CheckPlain(is, path.Join(w.dir, name)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if was != nil && !os.SameFile(was, is) {
		return nil, errors.Join(fault.New(fault.StateUnusable, "%s changed while it was opened", w.shown(name)), f.Close())
	}
	return f, nil
}

// checkDirs refuses a directory above name that is a link or not ours.
func (w *Workspace) checkDirs(name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		fi, err := w.root.Lstat(dir)
		if err != nil {
			return w.unusable(err, dir)
		}
		if fi.Mode()&fs.ModeSymlink != 0 {
			return fault.New(fault.StateUnusable, "%s is a symbolic link, not a directory", w.shown(dir)).
				Hintf("if you did not make it, do not trust the workspace; else put a directory there").WithSent(fault.SentNo)
		}
		if err := checkOwner(fi, w.shown(dir)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Workspace) unusable(err error, name string) error {
	e := store.Unusable(err, path.Join(w.dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e.Hintf("ape-claw pod init puts back what is missing and changes nothing else")
	case isFull(err):
		return e // its hint is about space
	}
	return e.Hintf("look at the workspace, or choose another with --dir")
}

// isFull reports whether err says that nothing more fits on the disk.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// read returns the text of a file, nothing for one that is missing.
func (w *Workspace) read(name string) ([]byte, error) {
	f, err := w.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	b, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err != nil {
		return nil, w.unusable(err, name)
	}
	if len(b) > mostFile {
		return nil, fault.New(fault.StateUnusable, "%s is larger than %d KiB", w.shown(name), mostFile>>10).
			Hintf("shorten it: an agent reads it at every tick").WithSent(fault.SentNo)
	}
	return b, nil
}

// tail returns the whole lines among the last most bytes of a file.
func (w *Workspace) tail(name string, most int64) ([]byte, error) {
	f, err := w.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, w.unusable(err, name)
	}
	from := max(0, end-most)
	b := make([]byte, end-from)
	if _, err := f.ReadAt(b, from); err != nil && err != io.EOF {
		return nil, w.unusable(err, name)
	}
	if from > 0 {
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			b = b[i+1:]
		}
	}
	return b, nil
}

// replace writes a file whole: after a crash it has the old or the new text.
func (w *Workspace) replace(name string, data []byte) (err error) {
	if _, err := w.root.Lstat(name); err == nil { // a link, or what is not ours, is not replaced either
		f, err := w.open(name, os.O_RDONLY)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return w.unusable(err, name)
		}
	}
	tmp := path.Join(path.Dir(name), store.NewID(tempPrefix))
	f, err := w.open(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = w.root.Remove(tmp) // what it held is in data
		}
	}()
	if _, err := w.write(f, data); err != nil {
		return errors.Join(w.unusable(err, name), f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return w.unusable(err, name)
	}
	if err := w.root.Rename(tmp, name); err != nil {
		return w.unusable(err, name)
	}
	return w.syncDir(path.Dir(name))
}

const tempPrefix = ".tmp-"

func (w *Workspace) syncDir(dir string) error {
	d, err := w.root.Open(dir)
	if err != nil {
		return w.unusable(err, dir)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fault.Wrap(err, fault.NotDurable, "%s could not be synced to disk", w.shown(dir))
	}
	return nil
}

// add appends whole lines to a file and makes them durable. A line that a crash or a
// full disk cut off before stays a line of its own.
func (w *Workspace) add(name string, lines []byte) error {
	f, err := w.open(name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	if err := w.addTo(f, lines); err != nil {
		return errors.Join(w.unusable(err, name), f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return w.unusable(err, name)
	}
	return w.syncDir(path.Dir(name))
}

func (w *Workspace) addTo(f *os.File, lines []byte) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if end > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, end-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	_, err = w.write(f, lines)
	return err
}

// makeDir makes a directory of the workspace unless it is there.
func (w *Workspace) makeDir(name string) error {
	if err := w.root.Mkdir(name, store.DirPerm); err != nil && !errors.Is(err, fs.ErrExist) {
		return w.unusable(err, name)
	}
	return w.checkDirs(path.Join(name, "x"))
}

func (w *Workspace) has(name string) bool {
	fi, err := w.root.Lstat(name)
	return err == nil && fi.Mode().IsRegular()
}
