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

// WaitLock waits for the lock until ctx ends, in the system's own queue: it takes no
// processor meanwhile, and whoever waits gets its turn. A wait that ctx ended gives
// the lock back at once if it comes all the same.
func WaitLock(ctx context.Context, path string) (*Lock, error) {
	if l, ok, err := TryLock(path); ok || err != nil {
		return l, err
	}
	f, err := OpenPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	got := make(chan error, 1)
	go func() {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		for err == syscall.EINTR {
			err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		}
		got <- err
	}()
	select {
	case err := <-got:
		if err != nil {
			return nil, fault.Wrap(errors.Join(err, f.Close()), fault.StateUnusable, "lock %s: %s", Display(path), reason(err)).
				Hintf("locks need a local file system")
		}
		return &Lock{f}, nil
	case <-ctx.Done():
		go func() { // until its turn has come, nothing can end the wait
			<-got
			_ = (&Lock{f}).Unlock() // nobody is left to be told
		}()
		if errors.Is(ctx.Err(), context.Canceled) {
			return nil, ctx.Err()
		}
		return nil, fault.Wrap(ctx.Err(), fault.Conflict, "%s is held by another process", Display(path)).
			Hintf("wait for the other ape-claw to end")
	}
}

// Note writes who holds the lock into its file, for those that wait.
func (l *Lock) Note(holder string) error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.WriteAt([]byte(holder), 0)
	return err
}

// Holder returns what the last holder of a lock noted, "" when it noted nothing.
func Holder(path string) string {
	f, err := OpenPrivate(path, os.O_RDONLY)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // read only
	b := make([]byte, 200)
	n, _ := f.ReadAt(b, 0) // what can't be read was not noted
	return string(b[:n])
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

// File is the file that is locked. A child process that gets it holds the lock too, for
// as long as it runs, unless it is given back with Unlock.
func (l *Lock) File() *os.File { return l.f }
