package telemetry_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// childRotate appends to a log that is rotated every few lines, and prints each id
// after its Append has returned. It kills itself at a call, or goes on for ever.
func childRotate(dir, name, killAt string) error {
	at, err := strconv.Atoi(killAt)
	if err != nil {
		return err
	}
	l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 150})
	calls := 0
	l.SetSteps(func(string) error {
		if calls++; calls == at {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	})
	for i := 0; ; i++ {
		if _, err := l.Append(context.Background(), line("%s/%d", name, i), false); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// acked runs a child until it has said n lines, or dies, and returns what it has
// acknowledged.
func acked(t *testing.T, dir, name string, killAt, n int) (out []string) {
	t.Helper()
	cmd := child(t, "rotate", dir, name, strconv.Itoa(killAt))
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return nil
	}
	said := bufio.NewScanner(pipe)
	for said.Scan() {
		out = append(out, string(line("%s/%s", name, said.Text())))
		if len(out) == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed
	return out
}

// TestRotationSurvivesKill kills a process at each of its calls in turn, a new one
// every time on the same log.
func TestRotationSurvivesKill(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	follower := newLog(t, dir)
	var all, followed []string
	var at telemetry.Cursor
	for n := 1; n <= 40; n++ {
		all = append(all, acked(t, dir, fmt.Sprint("kill", n), n, 1<<30)...)
		more, next := readAll(t, follower, at)
		followed, at = append(followed, more...), next
	}
	finalCheck(t, dir, all, followed, at)
}

// finalCheck holds a fresh reader, and what a follower has seen up to at, against
// the lines that must be there.
func finalCheck(t *testing.T, dir string, want, followed []string, at telemetry.Cursor) {
	t.Helper()
	w := telemetry.NewLog(dir, telemetry.LogOptions{})
	appendLine(t, w, line("after"))
	settle(t, w)
	settle(t, w)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	l := newLog(t, dir)
	got, end := readAll(t, l, telemetry.Cursor{})
	more, next := readAll(t, l, at)
	equal(t, "follower", append(followed, more...), got)
	if next != end {
		t.Errorf("the follower ends at %v, a fresh reader at %v", next, end)
	}
	in := map[string]int{}
	for _, s := range got {
		in[s]++
	}
	for _, s := range append(want, string(line("after"))) {
		if in[s] != 1 {
			t.Errorf("%s is there %d times", s, in[s])
		}
	}
	if len(want) < 100 || l.Stats().Segments < 10 {
		t.Errorf("%d lines, %+v", len(want), l.Stats())
	}
}

// TestRotationManyKilled has writers that are killed after some acknowledgements,
// programs without the lock, some of which keep their descriptor, a reader that
// settles, and a follower, all at once.
func TestRotationManyKilled(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	all := acked(t, dir, "first", 0, 5)
	var mu sync.Mutex
	var writers, others sync.WaitGroup
	for p := range 3 {
		writers.Go(func() {
			for round := range 4 {
				got := acked(t, dir, fmt.Sprintf("w%d-%d", p, round), 0, 30+17*round+5*p)
				mu.Lock()
				all = append(all, got...)
				mu.Unlock()
			}
		})
	}
	var done atomic.Bool
	for p, hold := range []bool{true, false, true} {
		others.Go(func() {
			var f *os.File
			for i := 0; i < 400 && (!done.Load() || i < 50); i++ {
				if f == nil || !hold {
					var err error
					if f, err = os.OpenFile(logPath(dir), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
						t.Error(err)
						return
					}
				}
				s := string(line("foreign%d/%d", p, i))
				if _, err := f.WriteString(s + "\n"); err != nil {
					t.Error(err)
				}
				mu.Lock()
				all = append(all, s)
				mu.Unlock()
				if !hold || i%100 == 99 {
					if err := f.Close(); err != nil {
						t.Error(err)
					}
					f = nil
				}
			}
			if f != nil {
				f.Close()
			}
		})
	}
	var followed []string
	var at telemetry.Cursor
	others.Go(func() {
		l := newLog(t, dir)
		for !done.Load() {
			lines, next, err := l.ReadAfter(t.Context(), at, 0, 0)
			if err != nil {
				t.Errorf("a follower at %v: %v", at, err)
				return
			}
			followed, at = append(followed, texts(lines)...), next
			if err := l.Settle(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	writers.Wait()
	done.Store(true)
	others.Wait()
	finalCheck(t, dir, all, followed, at)
}
