package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Lock is an exclusive lock between processes: flock(2) on a file that is never
// renamed or removed. It is also exclusive between two AcquireLock calls of one
// process, since each opens the file anew.
type Lock struct{ f *os.File }

// TryLock takes the lock if it is free; ok is false when another holds it. What is
// not a plain file of ours is refused (OpenPrivate), and nothing is written to it.
func TryLock(path string) (l *Lock, ok bool, err error) {
	if err := EnsureDir(filepath.Dir(path)); err != nil {
		return nil, false, err
	}
	f, err := OpenPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, false, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			break
		}
	}
	if err == nil {
		return &Lock{f}, true, nil
	}
	closeErr := f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, false, closeErr
	}
	return nil, false, fault.Wrap(errors.Join(err, closeErr), fault.StateUnusable, "lock %s: %s", Display(path), reason(err)).
		Hintf("locks need a local file system")
}

// AcquireLock waits for the lock until ctx ends; then it is a fault.Conflict.
func AcquireLock(ctx context.Context, path string) (*Lock, error) {
	// flock has no deadline of its own: poll, quickly at first.
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		l, ok, err := TryLock(path)
		if ok || err != nil {
			return l, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			if errors.Is(ctx.Err(), context.Canceled) {
				return nil, ctx.Err()
			}
			return nil, fault.Wrap(ctx.Err(), fault.Conflict, "%s is held by another process", Display(path)).
				Hintf("wait for the other ape-claw to end")
		case <-timer.C:
		}
	}
}

// Unlock releases the lock. Closing the file would do so only once nobody else has it
// open: a child that this process is starting just now still has, for a moment.
func (l *Lock) Unlock() error {
	err := syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN)
	for err == syscall.EINTR {
		err = syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN)
	}
	return errors.Join(err, l.f.Close())
}
