package pod

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// DefaultDir is where a workspace is unless somebody says otherwise.
const DefaultDir = "./pod-workspace"

// checkPlace returns dir as an absolute path, or why no workspace may be there. A path
// with "..", a control character or a link in it leads somewhere else than it reads:
// it may stand in a file or a script that others wrote. In an absolute path only the
// last element is held to that: systems have links of their own above.
func checkPlace(dir string) (string, error) {
	refuse := func(format string, args ...any) error {
		return fault.New(fault.Usage, format, args...).Hintf("name a plain directory: --dir %s", DefaultDir).WithSent(fault.SentNo)
	}
	switch {
	case strings.TrimSpace(dir) == "":
		return "", refuse("the workspace's directory is empty")
	case !utf8.ValidString(dir) || strings.ContainsFunc(dir, unicode.IsControl):
		return "", refuse("the workspace's directory has a control character, or is not UTF-8")
	case slices.Contains(strings.Split(filepath.ToSlash(dir), "/"), ".."):
		return "", refuse(`the workspace's directory has ".." in it`)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", store.Unusable(err, dir)
	}
	if abs == string(filepath.Separator) {
		return "", refuse("the root of the file system is no workspace")
	}
	held := []string{abs}
	if !filepath.IsAbs(dir) {
		for up := filepath.Clean(dir); up != "."; up = filepath.Dir(up) {
			held = append(held, up)
		}
	}
	for _, path := range held {
		if fi, err := os.Lstat(path); err == nil && fi.Mode()&fs.ModeSymlink != 0 {
			return "", fault.New(fault.StateUnusable, "%s is a symbolic link: a workspace is reached through none", store.Display(path)).
				Hintf("name the directory it leads to").WithSent(fault.SentNo)
		}
	}
	return abs, nil
}

// checkOwner refuses a directory that others own or may write to: what stands in it
// tells an agent what to do.
func checkOwner(fi fs.FileInfo, shown string) error {
	if !fi.IsDir() {
		return store.Unusable(syscall.ENOTDIR, shown).Hintf("move the file away, or choose another --dir")
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if ok && int64(st.Uid) != int64(os.Geteuid()) {
		return fault.New(fault.StateUnusable, "%s belongs to user %d, and this runs as user %d", shown, st.Uid, os.Geteuid()).
			Hintf("what is in it tells an agent what to do: use a directory of your own").WithSent(fault.SentNo)
	}
	if fi.Mode().Perm()&0o002 != 0 {
		return fault.New(fault.StateUnusable, "everybody may write to %s", shown).
			Hintf("chmod 700 %s", shown).WithSent(fault.SentNo)
	}
	return nil
}

// Workspace is an open workspace. It is safe for concurrent use.
type Workspace struct {
	dir  string // absolute
	root *os.Root
	// write and sync are the file's own, except in tests of a disk that is full.
	write func(f *os.File, b []byte) (int, error)
}

// Open opens the workspace in dir. One that is not there is a fault.NotFound.
func Open(dir string) (*Workspace, error) {
	abs, err := checkPlace(dir)
	if err != nil {
		return nil, err
	}
	return open(abs)
}

func open(abs string) (*Workspace, error) {
	fi, err := os.Lstat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Wrap(err, fault.NotFound, "there is no workspace in %s", store.Display(abs)).
			Hintf("ape-claw pod init").WithSent(fault.SentNo)
	case err != nil:
		return nil, store.Unusable(err, abs)
	}
	if err := checkOwner(fi, store.Display(abs)); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, store.Unusable(err, abs)
	}
	// Between the look and the opening it may have become another.
	if is, err := root.Stat("."); err != nil || !os.SameFile(fi, is) {
		return nil, errors.Join(fault.New(fault.StateUnusable, "%s changed while it was opened", store.Display(abs)), root.Close())
	}
	return &Workspace{dir: abs, root: root, write: (*os.File).Write}, nil
}

// Close lets go of the directory.
func (w *Workspace) Close() error { return w.root.Close() }

// Dir is the workspace's absolute path.
func (w *Workspace) Dir() string { return w.dir }

func (w *Workspace) shown(name string) string { return store.Display(filepath.Join(w.dir, name)) }
