package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Registry is every tool there is. It is made once and then only read.
type Registry struct {
	tools   []ai.Tool // sorted by name
	byName  map[string]ai.Tool
	schemas map[string]*node
}

// maxDescription is what a model is told of a tool at the most, in characters.
const maxDescription = 600

// maxName leaves room for the prefix that clients put before a tool's name.
const maxName = 48

// NewRegistry returns the registry of tools and of those that the engine has
// itself. A tool that is not declared whole is an error: there are no defaults.
func NewRegistry(tools []ai.Tool) (*Registry, error) {
	r := &Registry{byName: map[string]ai.Tool{}, schemas: map[string]*node{}}
	for _, t := range slices.Concat(tools, own()) {
		if err := r.add(t); err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
	}
	slices.SortFunc(r.tools, func(a, b ai.Tool) int { return strings.Compare(a.Name, b.Name) })
	return r, nil
}

func (r *Registry) add(t ai.Tool) error {
	if !regexp.MustCompile(`^[a-z0-9_]{1,48}$`).MatchString(t.Name) {
		return fmt.Errorf("its name is not 1 to %d small letters, digits and _", maxName)
	}
	if _, ok := r.byName[t.Name]; ok {
		return errors.New("there are two of the name")
	}
	if t.Description == "" || utf8.RuneCountInString(t.Description) > maxDescription {
		return fmt.Errorf("its description is empty or longer than %d characters", maxDescription)
	}
	if !regexp.MustCompile(`^[a-z][a-z0-9]*(:[a-z][a-z0-9]*)+$`).MatchString(t.Permission) {
		return fmt.Errorf("its permission %q is not area:verb", t.Permission)
	}
	if err := runs(t); err != nil {
		return err
	}
	n, err := parseSchema(t.Schema)
	if err != nil {
		return fmt.Errorf("its schema: %w", err)
	}
	r.tools = append(r.tools, t)
	r.byName[t.Name], r.schemas[t.Name] = t, n
	return nil
}

// runs says whether a tool can do what its grade says, and nothing else.
func runs(t ai.Tool) error {
	ours := isOwn(t.Name)
	switch t.Grade {
	case ai.GradeRead:
		if t.Run == nil && !ours || t.Preview != nil || t.Execute != nil {
			return errors.New("a read tool has Run, and no Preview or Execute")
		}
	case ai.GradeWrite, ai.GradeHigh:
		if !ours && (t.Run != nil || t.Preview == nil || t.Execute == nil) {
			return errors.New("a tool above read has Preview and Execute, and no Run")
		}
	default:
		return fmt.Errorf("it has no grade, but %q", t.Grade)
	}
	if (t.Grade == ai.GradeHigh) != (len(t.Identifiers) > 0) {
		return errors.New("a tool of high grade, and no other, has identifiers that a person retypes")
	}
	return nil
}

// Tools lists what a preset has, sorted by name.
func (r *Registry) Tools(p ai.Preset) []ai.Tool {
	out := make([]ai.Tool, 0, len(r.tools))
	for _, t := range r.tools {
		if p.Allows(t) {
			out = append(out, t)
		}
	}
	return out
}

// Lookup finds a tool by its name.
func (r *Registry) Lookup(name string) (ai.Tool, bool) {
	t, ok := r.byName[name]
	return t, ok
}

// Permissions lists every permission that a tool needs, sorted.
func (r *Registry) Permissions() []string {
	var out []string
	for _, t := range r.tools {
		out = append(out, t.Permission)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Check holds arguments against the tool's schema and returns them in canonical
// form: keys sorted, no white space, what is in strings untouched. Nothing is
// repaired: what does not fit is invalid_arguments, with where and what was
// expected.
func (r *Registry) Check(name string, raw []byte) (ai.Tool, json.RawMessage, error) {
	t, ok := r.byName[name]
	if !ok {
		return ai.Tool{}, nil, fault.New(fault.UnknownTool, "there is no tool of this name").WithSent(fault.SentNo)
	}
	v, err := parseArgs(raw)
	if err == nil {
		err = r.schemas[name].check(v, "")
	}
	if err != nil {
		return t, nil, err
	}
	return t, v.canonical(), nil
}
