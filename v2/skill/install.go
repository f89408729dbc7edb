package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/canon"
)

// The files of an installed skill, below a directory that has its slug as name.
const (
	MarkdownFile = "SKILL.md"
	CardFile     = "skillcard.json"
	backups      = ".backups" // beside the skills: agents look for SKILL.md one level down only
)

// Package is a skill that is ready to be installed: text that agents read, and
// nothing that is run.
type Package struct {
	Card     Card
	Raw      []byte // the card as it was read
	Markdown []byte
}

// Pack writes the SKILL.md of a card.
func Pack(c Card, raw []byte, vetted bool) (Package, error) {
	text, err := Markdown(c, vetted)
	return Package{Card: c, Raw: raw, Markdown: text}, err
}

// The states that Install leaves.
const (
	StateInstalled = "installed" // it was not there
	StateReplaced  = "replaced"  // another was there, and is in Backup now
	StateUnchanged = "unchanged" // the very same was there
)

// Installed is what became of a skill in one directory.
type Installed struct {
	Path   string `json:"path"` // of the SKILL.md, absolute: a program goes on from it
	State  string `json:"state"`
	Backup string `json:"backup,omitempty"` // the directory that has what was there
}

// skillsDir is a directory of skills that is open. No name that leads out of it can be
// used through it.
type skillsDir struct {
	dir  string
	root *os.Root
}

// CheckDir says why no skills may be installed into dir, without a look at the disk.
func CheckDir(dir string) error {
	refuse := func(what string) error {
		return fault.New(fault.Usage, "the skills directory %s", what).Hintf("name a plain directory, as in --skills-dir ./skills").WithSent(fault.SentNo)
	}
	switch {
	case strings.TrimSpace(dir) == "":
		return refuse("is empty")
	case !utf8.ValidString(dir) || strings.ContainsFunc(dir, unicode.IsControl):
		return refuse("has a control character, or is not UTF-8")
	case slices.Contains(strings.Split(filepath.ToSlash(dir), "/"), ".."):
		return refuse(`has ".." in it`)
	case filepath.Clean(dir) == string(filepath.Separator):
		return refuse("is the root of the file system")
	}
	return nil
}

// openDir opens a directory of skills, and makes it where it is missing. It has to be
// ours, and no link: what is in it tells agents what to do.
func openDir(dir string) (*skillsDir, error) {
	if err := CheckDir(dir); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, store.Unusable(err, dir)
	}
	fi, err := os.Lstat(abs)
	if errors.Is(err, fs.ErrNotExist) {
		if err := store.EnsureDir(abs); err != nil {
			return nil, err
		}
		fi, err = os.Lstat(abs)
	}
	shown := store.Display(abs)
	switch {
	case err != nil:
		return nil, store.Unusable(err, abs)
	case fi.Mode()&fs.ModeSymlink != 0:
		return nil, fault.New(fault.StateUnusable, "%s is a symbolic link: skills are installed through none", shown).
			Hintf("name the directory it leads to, with --skills-dir").WithSent(fault.SentNo)
	case !fi.IsDir():
		return nil, store.Unusable(syscall.ENOTDIR, abs)
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && int64(st.Uid) != int64(os.Geteuid()) {
		return nil, fault.New(fault.StateUnusable, "%s belongs to user %d, and this runs as user %d", shown, st.Uid, os.Geteuid()).
			Hintf("what is in it tells agents what to do: use a directory of your own").WithSent(fault.SentNo)
	}
	if fi.Mode().Perm()&0o002 != 0 {
		return nil, fault.New(fault.StateUnusable, "everybody may write to %s", shown).Hintf("chmod 700 %s", shown).WithSent(fault.SentNo)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, store.Unusable(err, abs)
	}
	if is, err := root.Stat("."); err != nil || !os.SameFile(fi, is) { // between the look and the opening
		return nil, errors.Join(fault.New(fault.StateUnusable, "%s changed while it was opened", shown), root.Close())
	}
	return &skillsDir{abs, root}, nil
}

// Installable reports what Install would refuse in dir, and changes nothing. A
// directory that is missing is as good as an empty one.
func Installable(dir string, p Package, force bool) error {
	if err := CheckDir(dir); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	d, err := openDir(dir)
	if err != nil {
		return err
	}
	defer d.root.Close() //nolint:errcheck // only looked at
	_, _, err = d.look(p, force)
	return err
}

// Install writes a skill below dir. Files that are there stay unless force is set, and
// are in a copy then. It is whole or not there: a directory beside it takes its name
// when all is written.
func Install(dir string, p Package, force bool, now time.Time) (out Installed, err error) {
	d, err := openDir(dir)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, d.root.Close()) }()
	slug := p.Card.Slug
	out.Path = filepath.Join(d.dir, slug, MarkdownFile)
	there, same, err := d.look(p, force)
	if err != nil {
		return out, err
	}
	if same {
		out.State = StateUnchanged
		return out, nil
	}
	fresh := store.NewID("." + slug + "-") // agents skip names that begin with a dot
	if err := d.fill(fresh, p); err != nil {
		return out, errors.Join(err, d.root.RemoveAll(fresh))
	}
	out.State = StateInstalled
	if there {
		into := filepath.Join(backups, store.NewID(slug+"-"+now.UTC().Format("20060102T150405Z-")))
		if err = d.root.MkdirAll(backups, store.DirPerm); err == nil {
			err = d.root.Rename(slug, into)
		}
		if err != nil {
			return out, errors.Join(store.Unusable(err, filepath.Join(d.dir, into)), d.root.RemoveAll(fresh))
		}
		out.State, out.Backup = StateReplaced, filepath.Join(d.dir, into)
	}
	if err := d.root.Rename(fresh, slug); err != nil {
		return out, errors.Join(store.Unusable(err, filepath.Join(d.dir, slug)), d.root.RemoveAll(fresh))
	}
	return out, store.SyncDir(d.dir)
}

func (d *skillsDir) shown(parts ...string) string {
	return store.Display(filepath.Join(append([]string{d.dir}, parts...)...))
}

// fill writes a skill's files into a new directory.
func (d *skillsDir) fill(name string, p Package) error {
	if err := d.root.Mkdir(name, store.DirPerm); err != nil {
		return store.Unusable(err, filepath.Join(d.dir, name))
	}
	for file, text := range map[string][]byte{MarkdownFile: p.Markdown, CardFile: p.Raw} {
		f, err := d.root.OpenFile(filepath.Join(name, file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, store.FilePerm)
		if err != nil {
			return store.Unusable(err, filepath.Join(d.dir, name, file))
		}
		_, err = f.Write(text)
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return store.Unusable(err, filepath.Join(d.dir, name, file))
		}
	}
	return nil
}

// look compares what is there with what is to be installed.
func (d *skillsDir) look(p Package, force bool) (there, same bool, err error) {
	slug := p.Card.Slug
	fi, err := d.root.Lstat(slug)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, false, nil
	case err != nil:
		return false, false, store.Unusable(err, filepath.Join(d.dir, slug))
	case !fi.IsDir():
		return false, false, fault.New(fault.StateUnusable, "%s is no directory, or a link", d.shown(slug)).Hintf("move it away").WithSent(fault.SentNo)
	}
	card, err := d.read(slug, CardFile)
	if err != nil {
		return true, false, err
	}
	text, err := d.read(slug, MarkdownFile)
	if err != nil {
		return true, false, err
	}
	if bytes.Equal(card, p.Raw) && bytes.Equal(text, p.Markdown) {
		return true, true, nil
	}
	if force {
		return true, false, nil
	}
	return true, false, d.keeps(card, p)
}

// keeps says what is there in the way.
func (d *skillsDir) keeps(card []byte, p Package) error {
	slug := p.Card.Slug
	have, err := Parse(card)
	switch {
	case err != nil:
		return fault.New(fault.Conflict, "%s has files that are none of this skill", d.shown(slug)).
			Hintf("look at them; --force replaces them, after a copy of them was made").WithSent(fault.SentNo)
	case have.Version == p.Card.Version && have.ContentHash != p.Card.ContentHash:
		return fault.New(fault.Conflict, "the card of %s changed, and still calls itself version %s", slug, have.Version).
			Hintf("whoever published it changed it without saying so: look at the difference before --force").WithSent(fault.SentNo).
			With("diff", Diff(card, p.Raw)).With("installedHash", have.ContentHash.Hex()).With("contentHash", p.Card.ContentHash.Hex())
	case have.Version == p.Card.Version:
		return fault.New(fault.Conflict, "%s was changed after it was installed, or is older than this program", d.shown(slug, MarkdownFile)).
			Hintf("--force replaces it, after a copy of it was made").WithSent(fault.SentNo)
	}
	return fault.New(fault.Conflict, "version %s of %s is installed, and this is version %s", have.Version, slug, p.Card.Version).
		Hintf("--force replaces it, after a copy of it was made").WithSent(fault.SentNo).
		With("installedVersion", have.Version).With("diff", Diff(card, p.Raw))
}

// read reads a file of a skill; nil where there is none.
func (d *skillsDir) read(slug, file string) ([]byte, error) {
	name := filepath.Join(slug, file)
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, store.Unusable(err, filepath.Join(d.dir, name))
	}
	defer f.Close() //nolint:errcheck // only read
	fi, err := f.Stat()
	if err != nil {
		return nil, store.Unusable(err, filepath.Join(d.dir, name))
	}
	if err := store.CheckPlain(fi, filepath.Join(d.dir, name)); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxMarkdown+1))
	if err != nil {
		return nil, store.Unusable(err, filepath.Join(d.dir, name))
	}
	return text, nil
}

// maxDiff bounds a difference that is shown, in bytes.
const maxDiff = 8 << 10

// Diff is the difference of two cards as a unified diff of their JSON with sorted keys.
func Diff(old, new []byte) string {
	d := string(diff.Diff("installed", sorted(old), "offered", sorted(new)))
	if len(d) > maxDiff {
		d = strings.ToValidUTF8(d[:maxDiff], "") + fmt.Sprintf("\n… and %d bytes more\n", len(d)-maxDiff)
	}
	return d
}

// sorted is a card line by line, equal for cards of equal hash.
func sorted(raw []byte) []byte {
	text, err := canon.JSON(raw)
	if err != nil {
		return raw
	}
	v, err := decode(text)
	if err != nil {
		return raw
	}
	return []byte(pretty(v))
}

// ListInstalled are the skills in a directory that came with a card, by slug.
func ListInstalled(dir string) (all []Package, err error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	d, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.root.Close()) }()
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, store.Unusable(err, dir)
	}
	for _, e := range entries {
		if !e.IsDir() || !slugPattern().MatchString(e.Name()) {
			continue
		}
		raw, err := d.read(e.Name(), CardFile)
		if err != nil || raw == nil {
			continue // not of this program's making
		}
		c, err := Parse(raw)
		if err != nil || c.Slug != e.Name() {
			continue
		}
		text, err := d.read(e.Name(), MarkdownFile)
		if err == nil {
			all = append(all, Package{c, raw, text})
		}
	}
	return all, nil
}
