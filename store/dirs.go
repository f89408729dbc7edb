// Package store owns what lies on disk beneath the other packages: the home and
// state directories, the databases and their migrations, file locks, the auth
// profile, and ids. It holds no domain rules.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Permissions of everything this program creates.
const (
	DirPerm  fs.FileMode = 0o700
	FilePerm fs.FileMode = 0o600
)

// EnsureDir makes dir (and its parents) with mode 0700 and checks that it can be
// used: a directory, ours, writable. It may be a symbolic link that leads to a
// directory of ours. Failures are fault.StateUnusable.
func EnsureDir(dir string) error {
	if err := CheckDir(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := checkParent(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, DirPerm); err != nil {
		return unusable(err, dir)
	}
	return CheckDir(dir)
}

// checkParent refuses to make a directory inside another user's as root: it would
// be root's, and lock the owner out of it.
func checkParent(dir string) error {
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		fi, err := os.Stat(parent)
		if err == nil {
			if fi.Mode()&fs.ModeSticky != 0 {
				return nil // a directory for everybody, such as the one for temporary files
			}
			return checkOwner(fi, parent)
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}

// CheckDir is EnsureDir without creating anything; a missing directory is an
// error that wraps fs.ErrNotExist.
func CheckDir(dir string) error {
	fi, err := os.Stat(dir)
	if err != nil {
		return unusable(err, dir)
	}
	if !fi.IsDir() {
		return unusable(syscall.ENOTDIR, dir)
	}
	if err := checkOwner(fi, dir); err != nil {
		return err
	}
	if err := checkLink(fi, dir); err != nil {
		return err
	}
	// W_OK|X_OK. Root passes always, a read-only mount fails for root too.
	if err := syscall.Access(dir, 0x2|0x1); err != nil {
		return unusable(err, dir)
	}
	return nil
}

// checkOwner refuses another user's directory to root: files made there would
// belong to root and lock the owner out.
func checkOwner(fi fs.FileInfo, dir string) error {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 || st.Uid == 0 {
		return nil
	}
	return fault.New(fault.StateUnusable, "%s belongs to user %d and this runs as root", Display(dir), st.Uid).
		Hintf("run as that user, or %s", elsewhere)
}

// checkLink refuses a symbolic link to a directory, whose own state is fi, that
// neither this user nor root made: a link that somebody left must not choose whose
// files we write among.
func checkLink(fi fs.FileInfo, dir string) error {
	link, err := os.Lstat(dir)
	if err != nil {
		return unusable(err, dir)
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if link.Mode()&fs.ModeSymlink == 0 || !ok || st.Uid == 0 || int64(st.Uid) == int64(os.Geteuid()) {
		return nil
	}
	return fault.New(fault.StateUnusable, "%s is a symbolic link to a directory of user %d", Display(dir), st.Uid).
		Hintf("remove the link, or %s", elsewhere)
}

// elsewhere is how either directory is moved: what is unusable may lie in both.
const elsewhere = "choose another directory with --home or --state-dir"

func unusable(err error, path string) error {
	shown := Display(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.StateUnusable, "%s does not exist", shown).Hintf("make it, or %s", elsewhere)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return fault.Wrap(err, fault.StateUnusable, "%s is not a directory", shown).
			Hintf("move the file away, or %s", elsewhere)
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.StateUnusable, "%s is not writable by this user", shown).
			Hintf("fix its owner and mode (chmod 700), or %s", elsewhere)
	case errors.Is(err, syscall.EROFS):
		return fault.Wrap(err, fault.StateUnusable, "%s is on a read-only file system", shown).
			Hintf("mount it writable, or %s", elsewhere)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return fault.Wrap(err, fault.StateUnusable, "no space left for %s", shown).
			Hintf("free some space; nothing that was written is lost")
	}
	return fault.Wrap(err, fault.StateUnusable, "%s can't be used: %s", shown, reason(err)).Hintf("look at its disk, or %s", elsewhere)
}

// reason is the errno's own text, without the path that a PathError carries.
func reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return "input/output error"
}

// Display returns path as people may see it, never with a machine's own
// directories: relative to the working directory, or under ~, or its last two
// elements behind "…"; as it is when it has no more than one.
func Display(path string) string {
	if path == "" {
		return ""
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Base(path)
	}
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, abs); err == nil && !strings.HasPrefix(rel, "..") {
			return rel
		}
	}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		if rel, err := filepath.Rel(home, abs); err == nil && !strings.HasPrefix(rel, "..") {
			return filepath.Join("~", rel)
		}
	}
	dir, base := filepath.Split(abs)
	if parent := filepath.Base(dir); parent != "/" {
		return filepath.Join("…", parent, base)
	}
	return abs
}

// WriteFile replaces path with data: a temporary file beside it, synced, mode
// 0600, renamed over it, and the directory synced, so that a crash leaves the old
// or the new content and nothing between. A link at path is replaced, not followed.
func WriteFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := EnsureDir(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return unusable(err, path)
	}
	defer func() {
		if err != nil {
			// The temporary file is ours alone; what it held is in data.
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if _, err := f.Write(data); err != nil {
		return unusable(errors.Join(err, f.Close()), path)
	}
	if err := errors.Join(f.Chmod(FilePerm), f.Sync(), f.Close()); err != nil {
		return unusable(err, path)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return unusable(err, path)
	}
	return SyncDir(dir)
}

// SyncDir makes a rename or creation in dir durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return unusable(err, dir)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fault.Wrap(err, fault.NotDurable, "%s could not be synced to disk", Display(dir))
	}
	return nil
}

// LooseMode reports, for doctor, when path can be read or written by others than
// its owner, or is a file that OpenPrivate refuses: a sentence, or "" when all is
// well or there is nothing.
func LooseMode(path string) string {
	fi, err := os.Stat(path)
	if err != nil || !fi.IsDir() {
		if bad := CheckPrivate(path); bad != nil && !errors.Is(bad, fs.ErrNotExist) && !errors.Is(bad, fs.ErrPermission) {
			return fault.From(bad).Message
		}
	}
	if err != nil || fi.Mode().Perm()&0o077 == 0 {
		return ""
	}
	want := FilePerm
	if fi.IsDir() {
		want = DirPerm
	}
	return fmt.Sprintf("%s has mode %04o and others can reach it: chmod %o %s", Display(path), fi.Mode().Perm(), want, Display(path))
}
