package agents_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// While another process writes for long, log-ins wait, but the checks of tokens
// and cookies do not wait with them.
func TestChecksDoNotWaitForWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, db := open(t, dir, time.Now)
	token := register(t, r, "bot-1")
	proof := verify(t, r, "bot-1", token)
	cookie, _, err := r.OpenSession(t.Context(), proof)
	if err != nil {
		t.Fatal(err)
	}
	_, other := open(t, dir, time.Now)
	tx, err := other.BeginTx(t.Context(), nil) // immediate: it holds the write lock
	if err != nil {
		t.Fatal(err)
	}
	// A cookie that is none is no write.
	if err := r.CloseSession(t.Context(), "made up"); err != nil {
		t.Errorf("a made-up cookie: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var logins sync.WaitGroup
	failed := make(chan error, 20)
	for range cap(failed) {
		logins.Go(func() {
			_, _, err := r.OpenSession(ctx, proof)
			failed <- err
		})
	}
	// Each that waits holding the connection would cost the checks five seconds.
	checks, stop := context.WithTimeout(t.Context(), 4*time.Second)
	defer stop()
	for range 200 {
		if _, err := r.Verify(checks, "bot-1", token); err != nil {
			t.Fatalf("a token: %v", err)
		}
		if _, err := r.Session(checks, cookie); err != nil {
			t.Fatalf("a cookie: %v", err)
		}
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	logins.Wait()
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Errorf("a log-in that waited: %v", err)
		}
	}
	var waits int
	if err := db.QueryRowContext(t.Context(), `PRAGMA busy_timeout`).Scan(&waits); err != nil || waits != 5000 {
		t.Errorf("the connection waits %d ms afterwards (%v)", waits, err)
	}
}

// A write gives up with its caller, and says why it waited.
func TestWriteGivesUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, _ := open(t, dir, time.Now)
	proof := verify(t, r, "bot-1", register(t, r, "bot-1"))
	_, other := open(t, dir, time.Now)
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, _, err = r.OpenSession(ctx, proof)
	if code := fault.CodeOf(err); code != fault.Conflict && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Verify(t.Context(), "bot-1", ""); fault.CodeOf(err) != fault.Auth {
		t.Errorf("afterwards: %v", err)
	}
}
