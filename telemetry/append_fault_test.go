package telemetry_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestAppendNthWriteFails makes each write in turn fail after a part of the
// line, and holds the rest against what must be there.
func TestAppendNthWriteFails(t *testing.T) {
	t.Parallel()
	const lines = 8
	for _, cut := range []int{0, 1, 7} {
		for fail := range lines {
			t.Run(fmt.Sprintf("write %d after %d bytes", fail, cut), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				l := newLog(t, dir)
				calls := 0
				l.SetSystem(func(fd int, p []byte) (int, error) {
					defer func() { calls++ }()
					if calls != fail {
						return unix.Write(fd, p)
					}
					if cut == 0 {
						return -1, unix.ENOSPC
					}
					return unix.Write(fd, p[:cut])
				}, nil)
				var want []string
				var last telemetry.Cursor
				for i := range lines {
					at, err := l.Append(t.Context(), line("%d", i), false)
					if i == fail {
						if fault.CodeOf(err) != fault.StateUnusable || !strings.Contains(err.Error(), "no space left for the event log") {
							t.Fatalf("append %d returned %v", i, err)
						}
						continue
					}
					if err != nil {
						t.Fatalf("append %d: %v", i, err)
					}
					want, last = append(want, string(line("%d", i))), at
				}
				if calls != lines {
					t.Errorf("%d writes for %d appends: one was tried again, or split", calls, lines)
				}
				got, end := readAll(t, newLog(t, dir), telemetry.Cursor{})
				equal(t, "lines", got, want)
				if end != last {
					t.Errorf("the last append said %v, the log ends at %v", last, end)
				}
			})
		}
	}
}

func TestAppendSyncFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	syncs := 0
	l.SetSystem(nil, func(f *os.File) error {
		syncs++
		return &os.PathError{Op: "sync", Path: "/secret/place", Err: syscall.EIO}
	})
	at, err := l.Append(t.Context(), line("money"), true)
	if fault.CodeOf(err) != fault.NotDurable {
		t.Fatalf("append returned %v", err)
	}
	if strings.Contains(err.Error(), "/secret/place") {
		t.Errorf("the message shows a path: %v", err)
	}
	if at.Pos != int64(len(line("money"))+1) {
		t.Errorf("the line is in the log, and the cursor is %v", at)
	}
	if syncs != 1 {
		t.Errorf("%d syncs: a second proves nothing", syncs)
	}
	if _, err := l.Append(t.Context(), line("ordinary"), false); err != nil || syncs != 1 {
		t.Errorf("an ordinary event: %v, %d syncs", err, syncs)
	}
}

func TestCreationSyncsTheDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	syncs := 0
	l.SetSyncDir(func(d string) error {
		if syncs++; syncs == 1 {
			return fault.New(fault.NotDurable, "no sync")
		}
		return store.SyncDir(d)
	})
	if _, err := l.Append(t.Context(), line("one"), false); fault.CodeOf(err) != fault.NotDurable || syncs != 1 {
		t.Fatalf("append returned %v after %d syncs", err, syncs)
	}
	appendLine(t, l, line("two"))
	appendLine(t, l, line("three"))
	if syncs != 2 {
		t.Errorf("%d syncs", syncs)
	}
	got, _ := readAll(t, l, telemetry.Cursor{})
	equal(t, "lines", got, []string{string(line("two")), string(line("three"))})
}

// TestSyncHoldsNoLock appends from another process's place while a sync runs.
func TestSyncHoldsNoLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	other := newLog(t, dir)
	l.SetSystem(nil, func(f *os.File) error {
		for _, o := range []*telemetry.Log{other, l} {
			if _, err := o.Append(t.Context(), line("meanwhile"), false); err != nil {
				return err
			}
		}
		// Even when the log is replaced now, this file can be synced.
		return errors.Join(os.Remove(logPath(dir)), l.Close(), f.Sync())
	})
	if _, err := l.Append(t.Context(), line("money"), true); err != nil {
		t.Fatal(err)
	}
}

// TestForeignWriteBetween: a program that takes no lock writes between our stat
// and our write.
func TestForeignWriteBetween(t *testing.T) {
	t.Parallel()
	for between, glued := range map[string]bool{
		string(line("foreign")) + "\n": false,
		`{"id":"unfinished`:            true,
		"{}\n{":                        true,
		"\n":                           false,
	} {
		t.Run(between, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l := newLog(t, dir)
			appendLine(t, l, line("one"))
			l.SetSystem(func(fd int, p []byte) (int, error) {
				foreign(t, dir, between)
				return unix.Write(fd, p)
			}, nil)
			at, err := l.Append(t.Context(), line("two"), false)
			if glued != (fault.CodeOf(err) == fault.StateUnusable) || !glued && err != nil {
				t.Fatalf("append: %v", err)
			}
			if size := int64(len(rawLog(t, dir))); !glued && at.Pos != size {
				t.Errorf("cursor %v, the log has %d bytes", at, size)
			}
			l.SetSystem(unix.Write, nil)
			at = appendLine(t, l, line("three"))
			got, end := readAll(t, newLog(t, dir), telemetry.Cursor{})
			if end != at || got[len(got)-1] != string(line("three")) || glued == slices.Contains(got, string(line("two"))) {
				t.Errorf("at %v of %v:\n%s", at, end, show(got))
			}
		})
	}
}

// TestCutUnderAWrite: the file is cut between the look at its size and the write. The
// writer goes on with the log that readers find there, also when it rotates it.
func TestCutUnderAWrite(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]string{
		"":                        "",
		", and gets a line":       string(line("foreign")) + "\n",
		", and gets longer":       numbered(1000, 1030),
		", and gets half a line":  `{"id":"unfinished`,
		", and gets a short line": "{}\n",
	} {
		t.Run("cut"+name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l, r := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 600}), newLog(t, dir)
			defer l.Close()
			for i := range 10 {
				appendLine(t, l, line("before %d", i))
			}
			_, old := readAll(t, r, telemetry.Cursor{})
			l.SetSystem(func(fd int, p []byte) (int, error) {
				cut(t, dir, 0)
				foreign(t, dir, then)
				return unix.Write(fd, p)
			}, nil)
			if _, err := l.Append(t.Context(), line("under"), false); err != nil && !strings.Contains(name, "half") {
				t.Fatal(err)
			}
			l.SetSystem(unix.Write, nil)
			got, at := readAll(t, r, telemetry.Cursor{})
			if at.Log == old.Log {
				t.Fatalf("it still is %v", old)
			}
			for i := range 60 { // over rotations
				said := appendLine(t, l, line("after %d", i))
				more, now := readAll(t, r, at)
				equal(t, "followed", more, []string{string(line("after %d", i))})
				if got, at = append(got, more...), now; said != at {
					t.Fatalf("the writer says %v, the reader %v", said, at)
				}
			}
			if st := r.Stats(); st.Segments == 0 {
				t.Error("there was no rotation")
			}
			all, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
			equal(t, "a fresh reader", all, got)
			checkCursors(t, "reader", r, []telemetry.Cursor{old}, false)
		})
	}
}

func TestAppendFullDisk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	out, err := child(t, "full", dir, "1000").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var n int
	var code string
	if _, err := fmt.Sscan(string(out), &n, &code); err != nil {
		t.Fatal(err)
	}
	if code != string(fault.StateUnusable) || !strings.Contains(string(out), "file size limit") {
		t.Errorf("child says %q", out)
	}
	l := newLog(t, dir)
	appendLine(t, l, line("after"))
	got, _ := readAll(t, l, telemetry.Cursor{})
	if len(got) != n+1 || got[n] != string(line("after")) {
		t.Errorf("%d lines, want the %d that were appended and one more", len(got), n)
	}
}

// TestAppendFullFileSystem fills a real, small file system.
func TestAppendFullFileSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mounting a file system needs more rights: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	l := telemetry.NewLog(dir, telemetry.LogOptions{})
	var want []string
	var failed error
	for i := 0; failed == nil && i < 1000; i++ {
		b := line("%d %s", i, strings.Repeat("x", 500))
		if _, failed = l.Append(t.Context(), b, false); failed == nil {
			want = append(want, string(b))
		}
	}
	if fault.CodeOf(failed) != fault.StateUnusable || !strings.Contains(failed.Error(), "no space left") {
		t.Fatalf("after %d lines: %v", len(want), failed)
	}
	if err := l.Usable(); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("usable: %v", err)
	}
	got, end := readAll(t, l, telemetry.Cursor{})
	equal(t, "lines on a full disk", got, want)
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT, "size=256k"); err != nil {
		t.Fatal(err)
	}
	appendLine(t, l, line("after"))
	got, _ = readAll(t, l, end)
	equal(t, "lines after space was freed", got, []string{string(line("after"))})
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestUnusable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make func(dir string) error
		want string
	}{
		{"the directory is a file", func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, "not a directory"},
		{"the log is a directory", func(dir string) error { return os.MkdirAll(logPath(dir), 0o700) }, "not a regular file"},
		{"the log is a pipe", func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), unix.Mkfifo(logPath(dir), 0o600))
		}, "not a regular file"},
		{"the directory is another user's", func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, 12345, 12345))
		}, "belongs to user 12345"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "state")
			if err := tt.make(dir); err != nil {
				t.Fatal(err)
			}
			l := newLog(t, dir)
			for what, err := range map[string]error{
				"usable": l.Usable(),
				"append": func() error { _, err := l.Append(t.Context(), line("x"), false); return err }(),
			} {
				if fault.CodeOf(err) != fault.StateUnusable || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: %v, want %q", what, err, tt.want)
				}
			}
		})
	}
}

func TestUsableCreatesNoLog(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	l := newLog(t, dir)
	if err := l.Usable(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(logPath(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is there: %v", err)
	}
	appendLine(t, l, line("one"))
}
