package telemetry_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/ape-claw/ape-claw/telemetry"
)

// resuming follows a log as serve does: after a reset it goes on live when the
// cursor is unknown, and at the oldest line when its bytes are gone.
type resuming struct {
	l      *telemetry.Log
	at     telemetry.Cursor
	got    []string
	resets int
}

func (r *resuming) read(t *testing.T) {
	t.Helper()
	for {
		lines, next, err := r.l.ReadAfter(t.Context(), r.at, 2, 0)
		var reset *telemetry.ResetError
		switch {
		case errors.As(err, &reset):
			r.resets++
			r.at = reset.Oldest
			if r.resets > 100 {
				t.Fatalf("resets without end: %v", err)
			}
			continue
		case err != nil:
			t.Fatal(err)
		}
		r.got = append(r.got, texts(lines)...)
		if next == r.at {
			return
		}
		r.at = next
	}
}

// TestReplacedWhileFollowed: however others replace the log, also one that was
// rotated, a follower is told once, and then has every new line once, in order.
func TestReplacedWhileFollowed(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(dir string) error{
		"copytruncate": func(dir string) error {
			b, err := os.ReadFile(logPath(dir))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, "x"), b, 0o600), os.Truncate(logPath(dir), 0))
		},
		"renamed": func(dir string) error { return os.Rename(logPath(dir), logPath(dir)+".1") },
		"deleted": func(dir string) error { return os.Remove(logPath(dir)) },
		"replaced": func(dir string) error {
			return errors.Join(os.WriteFile(logPath(dir)+".new", nil, 0o600), os.Rename(logPath(dir)+".new", logPath(dir)))
		},
	} {
		for _, rotated := range []bool{false, true} {
			for _, looks := range []bool{false, true} { // a reader looks while there is nothing
				for _, writer := range []string{"ours", "other process", "foreign"} {
					t.Run(strings.Join([]string{name, map[bool]string{true: "rotated"}[rotated], map[bool]string{true: "seen empty"}[looks], writer}, " "), func(t *testing.T) {
						t.Parallel()
						dir := t.TempDir()
						opt := telemetry.LogOptions{RotateBytes: -1}
						if rotated {
							opt.RotateBytes = 100
						}
						w := telemetry.NewLog(dir, opt)
						defer w.Close()
						r := &resuming{l: newLog(t, dir)}
						for i := range 25 {
							appendLine(t, w, line("%04d", i))
							r.read(t)
						}
						before := len(r.got)
						for round := range 3 {
							if err := replace(dir); err != nil {
								t.Fatal(err)
							}
							if looks {
								r.read(t)
							}
							r.got = nil
							var want []string
							for i := range 5 {
								s := line("new %d %d", round, i)
								want = append(want, string(s))
								switch {
								case writer == "foreign" && i < 4: // the last is ours: it must agree
									foreign(t, dir, string(s)+"\n")
								case writer != "other process":
									appendLine(t, w, s)
								default:
									l := telemetry.NewLog(dir, opt)
									appendLine(t, l, s)
									if err := l.Close(); err != nil {
										t.Error(err)
									}
								}
								r.read(t)
							}
							equal(t, "after the replacement", r.got, want)
							if r.resets != 1 {
								t.Errorf("%d resets", r.resets)
							}
							r.resets = 0
							fresh, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
							equal(t, "fresh reader", fresh, want)
						}
						if before != 25 {
							t.Errorf("%d lines before", before)
						}
					})
				}
			}
		}
	}
}

// TestOddContent: NUL blocks, broken UTF-8, CRLF, blank lines, a line of 20 MB: in a
// segment, in the active file, and at the place where one becomes the other.
func TestOddContent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("z", 20<<20)
	for name, odd := range map[string]string{
		"NUL block": strings.Repeat("\x00", 8192) + "\n", "UTF-8": "\xff\xfe{}\n", "only newlines": strings.Repeat("\n", 5000),
		"CRLF": "\r\n\r\n", "20 MB": long + "\n", "20 MB of JSON": `{"x":"` + long + `"}` + "\n", "torn": `{"x":`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 120})
			defer w.Close()
			r := &resuming{l: newLog(t, dir)}
			var want []string
			for i := range 12 {
				if i > 0 {
					foreign(t, dir, odd)
					r.read(t)
				}
				appendLine(t, w, line("%d", i))
				r.read(t)
				want = append(want, string(line("%d", i)))
			}
			equal(t, "follower", r.got, want)
			fresh := newLog(t, dir)
			got, _ := readAll(t, fresh, telemetry.Cursor{})
			equal(t, "fresh reader", got, want)
			tail, err := fresh.Tail(t.Context(), 12, nil)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "backwards", texts(tail.Lines), want)
			if r.resets > 0 || fresh.Stats().Segments == 0 {
				t.Errorf("%d resets, %+v", r.resets, fresh.Stats())
			}
			wantBad := int64(11)
			if name == "only newlines" || name == "CRLF" {
				wantBad = 0
			}
			if bad := r.l.Stats().Bad.Total(); bad != wantBad {
				t.Errorf("%d bad lines, want %d", bad, wantBad)
			}
		})
	}
}

func TestOnlyNewlines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign(t, dir, strings.Repeat("\n", 100_000))
	l := newLog(t, dir)
	got, at := readAll(t, l, telemetry.Cursor{})
	if tail, err := l.Tail(t.Context(), 5, nil); len(got) != 0 || err != nil || tail.End != at || at.Pos != 100_000 {
		t.Errorf("%d lines, %v, %v, read to %v", len(got), tail, err, at)
	}
}

// TestLongLineUnfinished: a line of 20 MB that is still being written, in the active
// file, costs each look little memory. It counts what the whole process allocates,
// so nothing runs beside it.
func TestLongLineUnfinished(t *testing.T) {
	dir := t.TempDir()
	l := newLog(t, dir)
	at := appendLine(t, l, line("one"))
	foreign(t, dir, strings.Repeat("z", 20<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		if lines, next, err := l.ReadAfter(t.Context(), at, 0, 0); len(lines) != 0 || next != at || err != nil {
			t.Fatal(lines, next, err)
		}
	}
	runtime.ReadMemStats(&after)
	if per := (after.TotalAlloc - before.TotalAlloc) / 20; per > 2<<20 {
		t.Errorf("a look takes %d KiB", per>>10)
	}
	foreign(t, dir, "\n"+string(line("two"))+"\n")
	got, _ := readAll(t, l, at)
	equal(t, "lines", got, []string{string(line("two"))})
}

// TestNoNotifications: without inotify, changes are found by polling, and the caller
// is told so, once, with what to do.
func TestNoNotifications(t *testing.T) {
	t.Parallel()
	for errno, want := range map[syscall.Errno]string{
		syscall.EMFILE: "max_user_instances", syscall.ENOSPC: "max_user_watches", syscall.ENOSYS: "not implemented",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var mu sync.Mutex
			var said []string
			l := telemetry.NewLog(dir, telemetry.LogOptions{FastPoll: time.Millisecond, Notice: func(s string) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, s)
			}})
			defer l.Close()
			l.SetWatcher(func() (*fsnotify.Watcher, error) { return nil, os.NewSyscallError("inotify_init1", errno) })
			w := newLog(t, dir)
			for range 2 {
				changed, err := l.Watch(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for i := range 3 {
					appendLine(t, w, line("%d", i))
					<-changed
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if len(said) != 1 || !strings.Contains(said[0], want) || !strings.Contains(said[0], "looked at every 1ms") {
				t.Errorf("said %q", said)
			}
		})
	}
}
