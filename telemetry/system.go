package telemetry

import (
	"errors"
	"io/fs"
	"os"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/store"
)

// system is every call by which a Log changes something, so that tests can make
// each of them fail, or be the last of a process. pause is called where a reader has
// looked at one thing and not yet at the next, so that tests can change the log there.
type system struct {
	pause     func()
	write     func(fd int, p []byte) (int, error)
	sync      func(f *os.File) error
	syncDir   func(dir string) error
	open      func(path string, flag int) (*os.File, error)
	rename    func(from, to string) error // replaces nothing
	remove    func(path string) error
	writeFile func(path string, data []byte) error // atomically
	watcher   func() (*fsnotify.Watcher, error)
}

func realSystem() system {
	return system{
		pause: func() {},
		write: unix.Write, sync: (*os.File).Sync, syncDir: store.SyncDir,
		open: store.OpenPrivate, rename: renameNew, remove: os.Remove, writeFile: store.WriteFile,
		watcher: fsnotify.NewWatcher,
	}
}

// renameNew renames from to to, where nothing may be. It is not a hard link and a
// removal, because a log with two names is refused by who opens it meanwhile.
func renameNew(from, to string) error {
	err := renameExclusive(from, to)
	for errors.Is(err, unix.EINTR) {
		err = renameExclusive(from, to)
	}
	if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	// This file system can't do it in one call.
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fs.ErrExist, err)
	}
	return os.Rename(from, to)
}
