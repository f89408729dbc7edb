package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Files whose names anybody can guess (events.lock, money.db, auth.json) may have
// been put there by somebody else: a cloned repository can bring its own ./state.
// A symbolic or hard link would send our writes into another file, a FIFO would
// stop us for good. Whatever this program opens by such a name goes through this
// file.
//
// A directory may be a symbolic link (./state -> /data/state): CheckDir wants its
// target to be ours. Only the last element of a path is looked at here.

// OpenPrivate opens a file of ours, with flag as in os.OpenFile and mode 0600 when
// it is created. It follows no symbolic link and waits for no FIFO. Anything but a
// regular file that belongs to this user or to root and has one name only is a
// fault.StateUnusable that says what it is, and nothing was written to it. All
// errors are faults that wrap their cause: a missing file wraps fs.ErrNotExist.
func OpenPrivate(path string, flag int) (*os.File, error) {
	return openPlain(path, flag, ownedByUs)
}

// OpenToRead is OpenPrivate for readers that change nothing: the file may belong to
// anybody.
func OpenToRead(path string) (*os.File, error) {
	return openPlain(path, os.O_RDONLY, ownedByAnybody)
}

// CheckPrivate reports what OpenPrivate would refuse, without opening path. A
// missing file is a fault that wraps fs.ErrNotExist.
func CheckPrivate(path string) error {
	_, err := lstatPrivate(path)
	return err
}

// The owners that a file may have.
const (
	ownedByUs = iota
	ownedByAnybody
)

func openPlain(path string, flag, owner int) (*os.File, error) {
	// Cutting a file comes after the look at it.
	f, err := os.OpenFile(path, flag&^os.O_TRUNC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, FilePerm)
	if err != nil {
		return nil, openFault(err, path, owner)
	}
	fi, err := f.Stat()
	if err == nil {
		if bad := notPlain(fi, path, owner); bad != nil {
			return nil, errors.Join(bad, f.Close())
		}
		if flag&os.O_TRUNC != 0 {
			err = f.Truncate(0)
		}
	}
	if err != nil {
		return nil, errors.Join(unusable(err, path), f.Close())
	}
	return f, nil
}

// openFault says what is at path rather than how opening it failed: a link, a
// socket and a device each fail in their own way.
func openFault(err error, path string, owner int) error {
	if fi, statErr := os.Lstat(path); statErr == nil {
		if bad := notPlain(fi, path, owner); bad != nil {
			bad.Err = err
			return bad
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return fault.Wrap(err, fault.StateUnusable, "%s can't be opened by this user", Display(path)).
			Hintf("fix its owner and mode (chmod 600)")
	}
	return unusable(err, path)
}

func lstatPrivate(path string) (fs.FileInfo, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, unusable(err, path)
	}
	if bad := notPlain(fi, path, ownedByUs); bad != nil {
		return nil, bad
	}
	return fi, nil
}

// notPlain says why fi is not a plain file that we may use; nil when it is.
func notPlain(fi fs.FileInfo, path string, owner int) *fault.Error {
	shown := Display(path)
	refuse := func(format string, args ...any) *fault.Error {
		return fault.New(fault.StateUnusable, "%s "+format, append([]any{shown}, args...)...).
			Hintf("if you did not make it, do not trust its directory; move it away, or %s", elsewhere)
	}
	if !fi.Mode().IsRegular() {
		return refuse("is %s, not a regular file", kindOf(fi.Mode()))
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	// Root could write it anyway; mounts into containers are often root's.
	if owner == ownedByUs && st.Uid != 0 && int64(st.Uid) != int64(os.Geteuid()) {
		return refuse("belongs to user %d, and this runs as user %d", st.Uid, os.Geteuid())
	}
	// 0 is a file that was replaced while we opened it.
	if st.Nlink > 1 {
		return refuse("has other names (hard links)")
	}
	return nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// CheckPlain says why a file found at path, whose state is fi, is not a plain file of
// ours: what OpenPrivate refuses, for files that are opened another way.
func CheckPlain(fi fs.FileInfo, path string) error {
	if bad := notPlain(fi, path, ownedByUs); bad != nil {
		return bad
	}
	return nil
}

// Unusable is err, met at path, as a fault.StateUnusable that says in words what is
// wrong: no space, no permission, no directory. It wraps err.
func Unusable(err error, path string) *fault.Error { return fault.From(unusable(err, path)) }
