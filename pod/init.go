package pod

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

//go:embed templates
var templates embed.FS

// The directories and files that the harness works with.
const (
	dirMemory     = "memory"
	dirJournal    = "journal"
	dirExecutions = "executions"
	dirBackups    = "backups"

	fileAgents = "AGENTS.md"
	fileTasks  = "memory/active-tasks.md"
	fileLock   = "pod.lock"
)

// Made is what Init did.
type Made struct {
	Dir     string   // absolute
	Created []string // that were missing
	Kept    []string // that were there and stayed as they were
	Backup  string   // where those lie that were replaced, below Dir; "" when none was
}

// Init makes a workspace in dir, or puts back what is missing in one. What is there
// stays, except with force: then the templates come anew, and everything that they
// replace is copied to backups/ first. The log of days, journal and executions are
// never touched.
func Init(dir string, force bool, now time.Time) (Made, error) {
	abs, err := checkPlace(dir)
	if err != nil {
		return Made{}, err
	}
	if err := store.EnsureDir(abs); err != nil {
		return Made{}, fault.From(err).Hintf("choose another directory with --dir")
	}
	w, err := open(abs)
	if err != nil {
		return Made{}, err
	}
	defer w.Close() //nolint:errcheck // nothing is written through it
	lock, ok, err := store.TryLock(path.Join(abs, fileLock))
	if err != nil {
		return Made{}, err
	}
	if !ok {
		return Made{}, running()
	}
	defer lock.Unlock() //nolint:errcheck // the process ends soon
	return w.fill(force, now)
}

func running() *fault.Error {
	return fault.New(fault.Conflict, "the workspace is in use: a run, or a step that one left behind, goes on").
		Hintf("ape-claw pod stop ends a run").WithSent(fault.SentNo)
}

func (w *Workspace) fill(force bool, now time.Time) (Made, error) {
	out := Made{Dir: w.dir, Created: []string{}, Kept: []string{}}
	for _, dir := range []string{dirMemory, dirJournal, dirExecutions} {
		if err := w.makeDir(dir); err != nil {
			return out, err
		}
	}
	names, err := templateNames()
	if err != nil {
		return out, err
	}
	// All that is there is looked at before anything is written.
	there := map[string][]byte{}
	for _, name := range names {
		if _, err := w.root.Lstat(name); err != nil {
			continue
		}
		if there[name], err = w.read(name); err != nil {
			return out, err
		}
	}
	if force && len(there) > 0 {
		if out.Backup, err = w.backUp(there, now); err != nil {
			return out, err
		}
	}
	for _, name := range names {
		if _, is := there[name]; is && !force {
			out.Kept = append(out.Kept, name)
			continue
		}
		text, err := templates.ReadFile("templates/" + name)
		if err != nil {
			return out, err
		}
		if err := w.replace(name, text); err != nil {
			return out, err
		}
		out.Created = append(out.Created, name)
	}
	return out, nil
}

// backUp copies files into a new directory below backups/.
func (w *Workspace) backUp(files map[string][]byte, now time.Time) (string, error) {
	into := path.Join(dirBackups, store.NewID(now.UTC().Format("20060102T150405Z-")))
	for _, dir := range []string{dirBackups, into, path.Join(into, dirMemory)} {
		if err := w.makeDir(dir); err != nil {
			return "", err
		}
	}
	for name, text := range files {
		if err := w.replace(path.Join(into, name), text); err != nil {
			return "", err
		}
	}
	return into, nil
}

// templateNames are the files that a workspace has, sorted.
func templateNames() ([]string, error) {
	var names []string
	err := fs.WalkDir(templates, "templates", func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, strings.TrimPrefix(p, "templates/"))
		}
		return err
	})
	slices.Sort(names)
	return names, err
}
