package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const precious = "precious bytes of another file\n"

// TestNothingIsFollowed: a prepared state directory can neither send our writes
// into another file nor stop us.
func TestNothingIsFollowed(t *testing.T) {
	t.Parallel()
	for _, trap := range []struct {
		name, want string
		make       func(path, victim string) error
	}{
		{"link", "is a symbolic link", func(path, victim string) error { return os.Symlink(victim, path) }},
		{"link to nothing", "is a symbolic link", func(path, victim string) error { return os.Symlink(victim+".new", path) }},
		{"hard link", "has other names (hard links)", func(path, victim string) error { return os.Link(victim, path) }},
		{"FIFO", "is a FIFO", func(path, _ string) error { return unix.Mkfifo(path, 0o600) }},
		{"directory", "is a directory", func(path, _ string) error { return os.Mkdir(path, 0o700) }},
	} {
		for _, file := range []string{"events.lock", "events.jsonl", "events.meta"} {
			for _, used := range []bool{false, true} {
				name := file + " is a " + trap.name
				if used {
					name += ", in a used directory"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
					path := filepath.Join(dir, file)
					if used {
						used := newLog(t, dir)
						appendLine(t, used, line("one"))
						if err := errors.Join(used.Close(), os.Remove(path)); err != nil {
							t.Fatal(err)
						}
					}
					if err := errors.Join(os.WriteFile(victim, []byte(precious), 0o600), trap.make(path, victim)); err != nil {
						t.Fatal(err)
					}
					l := newLog(t, dir)
					refused(t, "append", trap.want, func() error { _, err := l.Append(t.Context(), line("two"), true); return err })
					if file != "events.meta" {
						refused(t, "usable", trap.want, l.Usable)
					}
					if file == "events.jsonl" || file == "events.meta" && used {
						refused(t, "read", trap.want, func() error { _, err := l.Tail(t.Context(), 5, nil); return err })
					}
					if b, err := os.ReadFile(victim); err != nil || string(b) != precious {
						t.Errorf("the victim is %q, %v", b, err)
					}
					if _, err := os.Lstat(victim + ".new"); err == nil {
						t.Error("a file was made through the link")
					}
				})
			}
		}
	}
}

// refused runs f, which must return in time and say want.
func refused(t *testing.T, what, want string, f func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		if e := fault.From(err); err == nil || e.Code != fault.StateUnusable || !strings.Contains(e.Message, want) || e.Hint == "" {
			t.Errorf("%s: %v, want %q and a hint", what, err, want)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("%s hangs", what)
	}
}

// TestSegmentsAreNotFollowed: events.meta of a stranger names what is read.
func TestSegmentsAreNotFollowed(t *testing.T) {
	t.Parallel()
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	secret := string(line("secret")) + "\n"
	l := newLog(t, dir)
	if err := errors.Join(os.WriteFile(victim, []byte(secret), 0o600), os.Symlink(victim, filepath.Join(dir, "events-0.jsonl")),
		l.WriteMeta("abcdefgh", int64(len(secret)), []string{"events-0.jsonl"}, []int64{0, int64(len(secret))})); err != nil {
		t.Fatal(err)
	}
	foreign(t, dir, string(line("one"))+"\n")
	refused(t, "read", "is a symbolic link", func() error {
		got, err := l.Tail(t.Context(), 5, nil)
		for _, ln := range got.Lines {
			t.Errorf("read %s", ln.Data)
		}
		return err
	})
}

// TestHeldLockIsAConflict: a process that keeps the lock makes us give up with a
// sentence, whichever of the two clocks runs out.
func TestHeldLockIsAConflict(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendLine(t, newLog(t, dir), line("one"))
	f, err := os.OpenFile(filepath.Join(dir, "events.lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ lock, ctx time.Duration }{
		"lock timeout": {time.Millisecond, time.Minute},
		"deadline":     {time.Minute, 20 * time.Millisecond},
	} {
		l := telemetry.NewLog(dir, telemetry.LogOptions{LockTimeout: c.lock})
		r := telemetry.NewRecorder(l, telemetry.NewRedactor(), time.Now, telemetry.Scope{Command: "ape-claw test"})
		ctx, cancel := context.WithTimeout(t.Context(), c.ctx)
		errs := make(chan error, 2) // one waits for the lock, one for its turn
		for range 2 {
			go func() { errs <- r.AppendLine(ctx, line("two"), true) }()
		}
		for range 2 {
			e := fault.From(<-errs)
			if e.Code != fault.Conflict || !strings.Contains(e.Message, "events.lock") || e.Hint == "" {
				t.Errorf("%s: %s: %v, hint %q", name, e.Code, e, e.Hint)
			}
		}
		cancel()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestHugeMetaIsNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendLine(t, newLog(t, dir), line("one"))
	if err := os.Truncate(filepath.Join(dir, "events.meta"), 1<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	got, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
	equal(t, "lines", got, []string{string(line("one"))})
	appendLine(t, newLog(t, dir), line("two"))
}

// TestTailIsBounded reads a terabyte in which little is to be found.
func TestTailIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign(t, dir, string(line("first"))+"\n")
	if err := os.Truncate(logPath(dir), 1<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	l := telemetry.NewLog(dir, telemetry.LogOptions{MaxBack: 4 << 20})
	defer l.Close()
	for what, f := range map[string]func() error{
		"end":  func() error { _, err := l.End(ctx); return err },
		"tail": func() error { _, err := l.Tail(ctx, 5, nil); return err },
	} {
		refused(t, what, "hold no end of a line", f)
	}
	// The next append ends the hole: from then on, the log can be read again.
	at := appendLine(t, l, line("last"))
	for _, n := range []int{1, 2, 1000} {
		got, err := l.Tail(ctx, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "tail", texts(got.Lines), []string{string(line("last"))})
		if got.End != at || got.Cut != (n > 1) {
			t.Errorf("%d lines: end %v, cut %v", n, got.End, got.Cut)
		}
	}
	got, err := l.Tail(ctx, 1, func([]byte) bool { return false })
	if err != nil || len(got.Lines) != 0 || !got.Cut {
		t.Errorf("no match: %+v, %v", got, err)
	}
}

func TestTailBoundsWhatItReturns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := line("%s", strings.Repeat("x", 1000))
	foreign(t, dir, strings.Repeat(string(big)+"\n", 100))
	size := int64(len(big)) + 1
	for _, c := range []struct {
		max  int64
		n    int
		want int
		cut  bool
	}{{10 * size, 100, 10, true}, {10*size - 1, 100, 9, true}, {10 * size, 10, 10, false}, {1, 100, 1, true}, {100 * size, 1000, 100, false}} {
		l := telemetry.NewLog(dir, telemetry.LogOptions{MaxTail: c.max})
		for _, match := range []func([]byte) bool{nil, func(b []byte) bool { return bytes.Equal(b, big) }} {
			got, err := l.Tail(t.Context(), c.n, match)
			if err != nil || len(got.Lines) != c.want || got.Cut != c.cut {
				t.Errorf("%d bytes, %d lines: %d lines, cut %v, %v; want %d, %v", c.max, c.n, len(got.Lines), got.Cut, err, c.want, c.cut)
			}
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLongLineCanBeLeft: who passes an endless line stops when its context ends.
func TestLongLineCanBeLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign(t, dir, string(line("first"))+"\n")
	if err := os.Truncate(logPath(dir), 1<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	l := newLog(t, dir)
	_, next, err := l.ReadAfter(t.Context(), telemetry.Cursor{}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.ReadAfter(ctx, next, 0, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
