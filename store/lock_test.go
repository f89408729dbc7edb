package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestWaitLock: whoever waits gets it once it is free, and a wait that ended does
// not keep it.
func TestWaitLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "locks", "x.lock")
	first, err := store.WaitLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Note("the first"); err != nil || store.Holder(path) != "the first" {
		t.Errorf("%q, %v", store.Holder(path), err)
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := store.WaitLock(short, path); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("held: %v", err)
	}
	gone, end := context.WithCancel(t.Context())
	end()
	if _, err := store.WaitLock(gone, path); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	var holders atomic.Int32
	done := make(chan error)
	const waiters = 8
	for range waiters {
		go func() {
			l, err := store.WaitLock(t.Context(), path)
			if err == nil {
				if holders.Add(1) != 1 {
					err = errors.New("two have it")
				}
				holders.Add(-1)
				err = errors.Join(err, l.Unlock())
			}
			done <- err
		}()
	}
	if err := first.Unlock(); err != nil {
		t.Error(err)
	}
	for range waiters {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if l, err := store.WaitLock(t.Context(), path); err != nil || l.Unlock() != nil {
		t.Errorf("in the end: %v", err)
	}
}
