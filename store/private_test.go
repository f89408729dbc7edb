package store_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const precious = "precious bytes of another file\n"

// trap is something that lies where a file of ours should be.
type trap struct {
	name, want string
	make       func(path, victim string) error
}

func traps() []trap {
	out := []trap{
		{"link", "is a symbolic link, not a regular file", func(path, victim string) error { return os.Symlink(victim, path) }},
		{"link to nothing", "is a symbolic link", func(path, victim string) error { return os.Symlink(victim+".new", path) }},
		{"hard link", "has other names (hard links)", func(path, victim string) error { return os.Link(victim, path) }},
		{"FIFO", "is a FIFO, not a regular file", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
		{"directory", "is a directory, not a regular file", func(path, _ string) error { return os.Mkdir(path, 0o700) }},
		{"socket", "is a socket, not a regular file", func(path, _ string) error {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				return err
			}
			l.SetUnlinkOnClose(false)
			return l.Close()
		}},
	}
	if os.Geteuid() == 0 {
		out = append(out, trap{"another user's", "belongs to user 12345", func(path, _ string) error {
			return errors.Join(os.WriteFile(path, nil, 0o666), os.Chown(path, 12345, 12345))
		}})
	}
	return out
}

// within fails when f hangs, as opening a FIFO does.
func within(t *testing.T, what string, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("%s hangs", what)
		return nil
	}
}

func TestNothingIsFollowed(t *testing.T) {
	t.Parallel()
	for _, tr := range traps() {
		for _, use := range []struct {
			what, file string
			do         func(dir string) error
		}{
			{"lock", "x.lock", func(dir string) error {
				l, _, err := store.TryLock(filepath.Join(dir, "x.lock"))
				if err == nil {
					err = l.Unlock()
				}
				return err
			}},
			{"state", store.StateFile, func(dir string) error { return openClose(store.OpenState, dir) }},
			{"money", store.MoneyFile, func(dir string) error { return openClose(store.OpenMoney, dir) }},
			{"write-ahead log", store.MoneyFile + "-wal", func(dir string) error { return openClose(store.OpenMoney, dir) }},
			{"shared memory", store.MoneyFile + "-shm", func(dir string) error { return openClose(store.OpenMoney, dir) }},
			{"journal", store.MoneyFile + "-journal", func(dir string) error { return openClose(store.OpenMoney, dir) }},
			{"profile", "auth.json", func(dir string) error { _, err := store.LoadProfile(dir); return err }},
			{"append", "f", func(dir string) error {
				return closed(store.OpenPrivate(filepath.Join(dir, "f"), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_TRUNC))
			}},
			{"check", "f", func(dir string) error { return store.CheckPrivate(filepath.Join(dir, "f")) }},
		} {
			t.Run(use.what+" "+tr.name, func(t *testing.T) {
				t.Parallel()
				dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
				if err := errors.Join(os.WriteFile(victim, []byte(precious), 0o640), os.Chmod(victim, 0o644)); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(dir, use.file)
				if err := tr.make(path, victim); err != nil {
					t.Fatal(err)
				}
				err := within(t, use.what, func() error { return use.do(dir) })
				var f *fault.Error
				if !errors.As(err, &f) || f.Code != fault.StateUnusable || !strings.Contains(f.Message, tr.want) || f.Hint == "" {
					t.Errorf("%v, want %q and a hint", err, tr.want)
				}
				if b, err := os.ReadFile(victim); err != nil || string(b) != precious {
					t.Errorf("the victim is %q, %v", b, err)
				}
				if fi, err := os.Stat(victim); err != nil || fi.Mode().Perm() != 0o644 {
					t.Errorf("the victim's mode is %v, %v", fi.Mode(), err)
				}
				if _, err := os.Lstat(victim + ".new"); err == nil {
					t.Error("a file was made through the link")
				}
			})
		}
	}
}

func closed(f *os.File, err error) error {
	if err == nil {
		err = f.Close()
	}
	return err
}

func openClose(open func(context.Context, string) (*sql.DB, error), dir string) error {
	db, err := open(context.Background(), dir)
	if err == nil {
		err = db.Close()
	}
	return err
}

func TestOpenPrivateOpensPlainFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := store.CheckPrivate(path); !errors.Is(err, fs.ErrNotExist) || fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("missing: %v", err)
	}
	if _, err := store.OpenPrivate(path, os.O_RDWR); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	f, err := store.OpenPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("longer"); err != nil {
		t.Fatal(err)
	}
	if fi, err := f.Stat(); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := closed(store.OpenPrivate(path, os.O_RDWR|os.O_TRUNC)); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() != 0 {
		t.Errorf("%d bytes after O_TRUNC, %v", fi.Size(), err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if err := closed(store.OpenToRead(path)); err != nil {
			t.Errorf("a reader is refused another user's file: %v", err)
		}
	}
}

// TestLinkedDirectories: a directory that is a link may be used when it leads to
// one of ours.
func TestLinkedDirectories(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	link, real := filepath.Join(root, "state"), filepath.Join(root, "data")
	if err := errors.Join(os.Mkdir(real, 0o700), os.Symlink(real, link)); err != nil {
		t.Fatal(err)
	}
	if err := openClose(store.OpenState, link); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(real, store.StateFile)); err != nil {
		t.Error(err)
	}
}

func TestReplacedLinkKeepsItsTarget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "f")
	if err := errors.Join(os.WriteFile(victim, []byte(precious), 0o600), os.Symlink(victim, path)); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(victim); string(b) != precious {
		t.Errorf("the victim is %q", b)
	}
	if err := store.CheckPrivate(path); err != nil {
		t.Error(err)
	}
}

func TestProfileIsBounded(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := errors.Join(os.WriteFile(store.ProfilePath(home), nil, 0o600), os.Truncate(store.ProfilePath(home), 1<<40)); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	if _, err := store.LoadProfile(home); fault.CodeOf(err) != fault.StateUnusable || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v", err)
	}
}

func TestLooseModeTellsOfLinks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.Symlink("/nowhere/at/all", path); err != nil {
		t.Fatal(err)
	}
	if got := store.LooseMode(path); !strings.Contains(got, "is a symbolic link") {
		t.Errorf("%q", got)
	}
}
