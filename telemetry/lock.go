package telemetry

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// lock takes the lock between processes and returns what is at the log's path
// then. The caller is in turn. When that is not the file we have open, everything
// is opened again: the directory may have been replaced, with its lock.
func (l *Log) lock(ctx context.Context) (st fileState, exists bool, err error) {
	w := &l.w
	for {
		if w.lock == nil {
			if err := l.openLock(); err != nil {
				return st, false, err
			}
		}
		if err := l.waitForLock(ctx); err != nil {
			return st, false, err
		}
		if err := l.checkLock(); err != nil {
			return st, false, err
		}
		st, exists, err = statPath(l.path)
		if err == nil && w.file != nil && exists && st.identity == w.file.id {
			return st, true, nil
		}
		ours := err == nil && w.file == nil
		if ours {
			ours, err = l.isTheLock()
		}
		if ours && err == nil {
			return st, exists, nil
		}
		// Closing the lock's file also unlocks.
		if err = errors.Join(err, l.closeWriter()); err != nil {
			return st, false, l.fault(err)
		}
	}
}

// errLockGone: another process may hold another lock than ours.
var errLockGone = errors.New("its lock file was removed")

// isTheLock reports whether the lock we hold is the one others find by its name.
func (l *Log) isTheLock() (bool, error) {
	st, exists, err := statPath(l.lockPath)
	if err != nil || !exists {
		return false, err
	}
	mine, err := statFile(l.w.lock)
	return err == nil && st.identity == mine.identity, err
}

func (l *Log) openLock() error {
	if err := store.EnsureDir(l.dir); err != nil {
		return err
	}
	f, err := store.OpenPrivate(l.lockPath, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return l.fault(err)
	}
	// Fd also puts a file into blocking mode, which a regular one is in anyway.
	l.w.lock, l.w.lockFD, l.w.lockSeen = f, int(f.Fd()), false
	return nil
}

// checkLock refuses a lock file that holds anything but our record: it is somebody
// else's file, which note would overwrite. The caller holds the lock, so that no
// other process is at the record; on an error it holds it no more.
func (l *Log) checkLock() error {
	w := &l.w
	if w.lockSeen {
		return nil
	}
	ours, err := isRecord(w.lock)
	if err == nil && !ours {
		err = fault.New(fault.StateUnusable, "%s is not ape-claw's lock file: it holds something else", store.Display(l.lockPath)).
			Hintf("nothing was written to it; move it away, or choose another directory with --state-dir")
	}
	if err != nil {
		return l.fault(errors.Join(err, l.closeWriter()))
	}
	w.lockSeen = true
	return nil
}

// gaveUp turns the end of a context, while an append waited for others, into what
// a person is told.
func (l *Log) gaveUp(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(err, fault.Conflict, "%s could not be taken in time: another process holds it", store.Display(l.lockPath)).
			Hintf(lockHint)
	}
	return err
}

const lockHint = "look for a stopped ape-claw process, then run it again"

// waitForLock polls, quickly at first, since flock itself can't be given up:
// holders keep the lock for some microseconds.
func (l *Log) waitForLock(ctx context.Context) error {
	err := flock(l.w.lockFD, unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return nil
	}
	timeout := time.NewTimer(l.lockTimeout)
	defer timeout.Stop()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for wait := 20 * time.Microsecond; err == unix.EWOULDBLOCK; wait = min(2*wait, time.Millisecond) {
		select {
		case <-ctx.Done():
			return l.gaveUp(ctx.Err())
		case <-timeout.C:
			return fault.New(fault.Conflict, "%s was held by another process for %s", store.Display(l.lockPath), l.lockTimeout).
				Hintf(lockHint)
		case <-pause.C:
		}
		err = flock(l.w.lockFD, unix.LOCK_EX|unix.LOCK_NB)
		pause.Reset(wait)
	}
	if err != nil {
		return l.fault(err)
	}
	return nil
}

func flock(fd, how int) error {
	for {
		if err := unix.Flock(fd, how); err != unix.EINTR {
			return err
		}
	}
}

// closeWriter tells others where the file ends and closes what the writer holds.
func (l *Log) closeWriter() error {
	w := &l.w
	var errs []error
	if w.lock != nil {
		if w.file != nil && w.meta.Base+w.known > w.noted {
			l.noteEnd()
		}
		errs = append(errs, w.lock.Close()) // which also unlocks
		w.lock = nil
	}
	if w.file != nil {
		errs = append(errs, w.file.release())
		w.file = nil
	}
	l.dropPrev()
	w.meta, w.known, w.whole, w.noted = meta{}, 0, false, 0
	return errors.Join(errs...)
}

// noteEnd is note for the last time. The lock may be in other hands, or the file
// no longer the log: then it tells nothing.
func (l *Log) noteEnd() {
	w := &l.w
	if flock(w.lockFD, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return
	}
	st, exists, err := statPath(l.path)
	if err == nil && exists && st.identity == w.file.id && st.size >= w.known && readRecord(w.lock).log == w.meta.Log {
		w.noted = 0
		l.note(w.meta.Base + w.known)
	}
}

// Usable reports why the log can't be appended to, as a fault, or nil. It makes
// the directory and the lock file, and never the log.
func (l *Log) Usable() error {
	l.w.turn <- struct{}{}
	defer func() { <-l.w.turn }()
	if l.w.lock == nil {
		if err := l.openLock(); err != nil {
			return err
		}
	}
	if err := l.peekLock(); err != nil {
		return err
	}
	st, exists, err := statPath(l.path)
	switch {
	case err != nil:
		return l.fault(err)
	case exists && !st.regular:
		return l.fault(notRegular(l.path))
	case exists:
		f, err := store.OpenPrivate(l.path, os.O_RDWR|os.O_APPEND)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return l.fault(err)
		}
	}
	if st.size+MaxLine > fileSizeLimit() {
		return l.fault(syscall.EFBIG)
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(l.dir, &disk); err == nil && disk.Blocks > 0 && disk.Bavail == 0 {
		return l.fault(syscall.ENOSPC)
	}
	return nil
}

// peekLock is checkLock for who does not hold the lock. While another process does,
// the next append will look.
func (l *Log) peekLock() error {
	if l.w.lockSeen || flock(l.w.lockFD, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil
	}
	if err := l.checkLock(); err != nil {
		return err
	}
	if err := flock(l.w.lockFD, unix.LOCK_UN); err != nil {
		return l.fault(err)
	}
	return nil
}

// fault says in words why the log can't be written.
func (l *Log) fault(err error) error { return l.because(err, "written") }

// readFault says in words why the log can't be read.
func (l *Log) readFault(err error) error { return l.because(err, "read") }

func (l *Log) because(err error, what string) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	shown := store.Display(l.path)
	e := fault.Wrap(err, fault.StateUnusable, "the event log %s can't be %s: %s", shown, what, errnoText(err))
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Message = "no space left for the event log " + shown
		return e.Hintf("free some space; what was written before is not lost")
	case errors.Is(err, syscall.EFBIG):
		e.Message = "the event log " + shown + " has reached this process's file size limit"
		return e.Hintf("raise the limit (ulimit -f)")
	case errors.Is(err, syscall.EISDIR):
		e.Message = "the event log " + shown + " is not a regular file"
		return e.Hintf("move it away, or choose another directory with --state-dir")
	case errors.Is(err, fs.ErrPermission):
		return e.Hintf("fix the owner and mode of %s (chmod 600)", shown)
	}
	return e
}

func errnoText(err error) string {
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		return errno.Error()
	case errors.Is(err, errGlued):
		return errGlued.Error()
	case errors.Is(err, errReplaced):
		return errReplaced.Error()
	case errors.Is(err, errLockGone):
		return errLockGone.Error()
	}
	return "input/output error"
}

// reasonOf says in words why something that is not an append failed.
func reasonOf(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Message
	}
	return errnoText(err)
}
