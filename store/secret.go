package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// ReadSecret returns what is in a file that holds a key or a password, of no more
// than limit bytes: a plain file of this user (OpenPrivate) that nobody else may
// read or write. A missing file is a fault that wraps fs.ErrNotExist.
func ReadSecret(path string, limit int64) ([]byte, error) {
	if err := CheckSecret(path); err != nil {
		return nil, err
	}
	return readPrivate(path, limit)
}

// CheckSecret reports what ReadSecret would refuse, without reading.
func CheckSecret(path string) error {
	fi, err := lstatPrivate(path)
	if err != nil {
		return err
	}
	return othersReach(fi, path, FilePerm)
}

// CheckSecretDir wants dir, if it is there, to be a directory of this user that
// nobody else can reach and no link to another. A missing one is an error that
// wraps fs.ErrNotExist.
func CheckSecretDir(dir string) error {
	fi, err := os.Lstat(dir)
	if err != nil {
		return unusable(err, dir)
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	switch {
	case !fi.IsDir():
		return fault.New(fault.StateUnusable, "%s is %s, not a directory", Display(dir), kindOf(fi.Mode())).
			Hintf("if you did not make it, do not trust what is beside it; move it away")
	case ok && int64(st.Uid) != int64(os.Geteuid()):
		return fault.New(fault.StateUnusable, "%s belongs to user %d, and this runs as user %d", Display(dir), st.Uid, os.Geteuid()).
			Hintf("run as that user, or choose another home with --home")
	}
	return othersReach(fi, dir, DirPerm)
}

func othersReach(fi fs.FileInfo, path string, want fs.FileMode) error {
	if fi.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return fault.New(fault.StateUnusable, "%s has mode %04o and others can reach it", Display(path), fi.Mode().Perm()).
		Hintf("chmod %o %s, and if others may have read it, move what it guards", want, filepath.Base(path))
}
