package policy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Sources say where the files of the fence lie.
type Sources struct {
	Home    string // base files, HALT and the agents' overlays; required
	Etc     string // the machine's fence, "/etc/ape-claw"; "" for none
	Extra   string // --policy or APE_CLAW_POLICY; "" for none
	WorkDir string // the working directory; "" for none
	Base    string // a file to read in place of the home's policy.json; "" for that
	// Agents are the ids whose overlays all apply, the acting agent last: the
	// home's own agent, then who acts. "" is none. The last one's daily cap
	// bounds its own rows. That of any other bounds every row of the home, as
	// another file's would: to act under another id leads out of no cap, and so
	// an agent that acts as itself is named twice.
	Agents []string
	// Sandbox: Home is a sandbox's own. Its embedded base allows play money,
	// the machine's fence, which is about real money, does not apply, and what
	// other files say of chain and endpoints is not held against it.
	Sandbox bool
}

// Fence is everything that the gates look at and that comes from files.
type Fence struct {
	Policy    *Policy
	Allowlist *Allowlist
	Halt      []string // why spending is halted; nil when it is not
	Err       error    // a file that can't be read: policy and allowlist are nil then
}

// LoadFence reads the files once, for one decision. Read it again before
// signing: a person may have halted or narrowed meanwhile.
func LoadFence(src Sources) Fence {
	f := Fence{Halt: Halted(src.Home)}
	p, perr := Load(src)
	a, aerr := LoadAllowlist(src)
	if f.Err = perr; perr == nil {
		f.Err = aerr
	}
	if f.Err == nil {
		f.Policy, f.Allowlist = p, a
	}
	return f
}

const (
	policyFile    = "policy.json"
	allowlistFile = "allowlist.json"
)

// Load returns the effective policy: <home>/policy.json, or the embedded one
// whose caps are 0, narrowed by every other file there is. A file that is there
// and can't be read strictly is fault.PolicyInvalid; none is ever skipped.
func Load(src Sources) (*Policy, error) {
	files, err := src.files(policyFile)
	if err != nil {
		return nil, err
	}
	names := src.slugs()
	p, err := basePolicy(files.base, names, src.Sandbox)
	if err != nil {
		return nil, err
	}
	p.Warnings = files.warnings
	for _, o := range files.overlays {
		l, err := parseLayer(o.source)
		if err != nil {
			return nil, err
		}
		if err := p.narrow(l, names, o.agent, src.Sandbox); err != nil {
			return nil, err
		}
		if !slices.Contains(p.Files, o.file) {
			p.Files = append(p.Files, o.file)
		}
	}
	return p, nil
}

// slugs are those of the allowlist, which is read only when a file names one.
func (src Sources) slugs() slugs {
	return slugs{lenient: src.Sandbox, load: sync.OnceValues(func() ([]Entry, error) {
		a, err := LoadAllowlist(src)
		if err != nil {
			return nil, err
		}
		return a.entries, nil
	})}
}

// basePolicy returns the policy of a base file, or the embedded one for nil.
func basePolicy(base *source, names slugs, sandbox bool) (*Policy, error) {
	embedded := source{"the built-in policy", defaultPolicy}
	if sandbox {
		embedded = source{"the built-in sandbox policy", sandboxPolicy}
	}
	defaults, err := parseLayer(embedded)
	if err != nil {
		return nil, fmt.Errorf("embedded policy: %w", err)
	}
	l := defaults
	if base != nil {
		if l, err = parseLayer(*base); err != nil {
			return nil, err
		}
	}
	return newPolicy(defaults, l, names)
}

// Parse reads text as the base policy it would be in a home without an allowlist
// of its own; name is what errors call it.
func Parse(name string, text []byte) (*Policy, error) {
	builtIn := slugs{load: func() ([]Entry, error) { return parseAllowlist(source{"the built-in allowlist", defaultAllowlist}) }}
	return basePolicy(&source{name, text}, builtIn, false)
}

// fileSet is what was found of one kind of file.
type fileSet struct {
	base     *source // nil: the embedded one
	overlays []overlay
	warnings []string
}

type overlay struct {
	source
	role  string
	agent bool // the acting agent's own
}

var agentID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{1,63}$`) })

// files reads the base and the overlays of one name.
func (src Sources) files(name string) (fileSet, error) {
	var out fileSet
	if src.Home == "" {
		return out, fault.New(fault.PolicyInvalid, "no home to read %s from", name).Hintf("set APE_CLAW_HOME or HOME").WithSent(fault.SentNo)
	}
	base := filepath.Join(src.Home, name)
	other := src.Base != "" && name == policyFile
	if other {
		base = src.Base
	}
	b, err := readOptional(base, &out.base)
	switch {
	case err != nil:
		return out, err
	case other && !b:
		return out, unreadable(base, "it does not exist", fs.ErrNotExist)
	}
	if b {
		out.warnings = append(out.warnings, looseWarnings(base)...)
	}
	type place struct {
		path, role      string
		required, agent bool
	}
	var places []place
	if src.Etc != "" && !src.Sandbox {
		places = append(places, place{path: filepath.Join(src.Etc, name), role: RoleMachine})
	}
	if src.Extra != "" && name == policyFile {
		places = append(places, place{path: src.Extra, role: RoleExtra, required: true})
	}
	if src.WorkDir != "" {
		places = append(places, place{path: filepath.Join(src.WorkDir, name), role: RoleWorkDir})
		if old := filepath.Join(src.WorkDir, "config", name); exists(old) {
			out.warnings = append(out.warnings, store.Display(old)+" is not read: policy is "+store.Display(base)+", narrowed by ./"+name)
		}
	}
	for i, id := range src.Agents {
		if id == "" {
			continue
		}
		if !agentID().MatchString(id) {
			return out, fault.New(fault.Usage, "agent id %q: expected 2 to 64 lower-case letters, digits, - and _", printable(id)).WithSent(fault.SentNo)
		}
		places = append(places, place{path: filepath.Join(src.Home, "agents", id, name), role: RoleAgent, agent: i == len(src.Agents)-1})
	}
	for _, pl := range places {
		var s *source
		found, err := readOptional(pl.path, &s)
		if err != nil {
			return out, err
		}
		if !found && pl.required {
			return out, unreadable(pl.path, "it does not exist", fs.ErrNotExist)
		}
		if found {
			out.overlays = append(out.overlays, overlay{*s, pl.role, pl.agent})
		}
	}
	return out, nil
}

func readOptional(path string, into **source) (bool, error) {
	b, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	*into = &source{store.Display(path), b}
	return true, nil
}

// maxFileSize is far more than any file of the fence needs.
const maxFileSize = 1 << 20

// readSmall reads a regular file. Its error is fs.ErrNotExist only when nothing
// is there at all: a link to nowhere is a file that can't be read.
func readSmall(path string) (b []byte, err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	// A pipe would make the open wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, unreadable(path, because(err), err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return nil, unreadable(path, because(err), err)
	case fi.IsDir():
		return nil, unreadable(path, "it is a directory", nil)
	case !fi.Mode().IsRegular():
		return nil, unreadable(path, "it is not a regular file", nil)
	}
	b, err = io.ReadAll(io.LimitReader(f, maxFileSize+1))
	switch {
	case err != nil:
		return nil, unreadable(path, because(err), err)
	case len(b) > maxFileSize:
		return nil, unreadable(path, fmt.Sprintf("it is larger than %d bytes", maxFileSize), nil)
	}
	return b, nil
}

// because is the cause of a failed read in words, without the path.
func because(err error) string {
	var errno syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is a link to a file that does not exist"
	case errors.As(err, &errno):
		return errno.Error()
	}
	return "input/output error"
}

// unreadable is the refusal for a file that is there and can't be read. It never
// wraps fs.ErrNotExist: to a caller that would mean "there is none".
func unreadable(path, why string, cause error) error {
	if errors.Is(cause, fs.ErrNotExist) {
		cause = nil
	}
	return fault.Wrap(cause, fault.PolicyInvalid, "%s can't be read: %s", store.Display(path), why).
		Hintf("make it a readable file, or remove it, then check: ape-claw doctor").WithSent(fault.SentNo).With("file", store.Display(path))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// looseWarnings says who besides the user could change a file of the fence.
func looseWarnings(path string) []string {
	fi, err := os.Stat(path)
	if err != nil {
		return nil
	}
	var out []string
	if fi.Mode().Perm()&0o022 != 0 {
		out = append(out, fmt.Sprintf("%s has mode %04o, so others can change it: chmod 600 it", store.Display(path), fi.Mode().Perm()))
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		out = append(out, fmt.Sprintf("%s belongs to user %d, who can change it", store.Display(path), st.Uid))
	}
	return out
}
