package tool

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Registry is every tool there is. It is made once and then only read.
type Registry struct {
	tools  []ai.Tool // sorted by name
	byName map[string]ai.Tool
	schema map[string]*node
}

var nameForm = regexp.MustCompile(`^[a-z0-9_]{1,48}$`)

// maxDescription is what a model is told of a tool at the most, in characters.
const maxDescription = 600

// NewRegistry returns the registry of tools and of those that the engine has
// itself. A tool that is not fully declared is a mistake in the source.
func NewRegistry(tools []ai.Tool) (*Registry, error) {
	r := &Registry{byName: map[string]ai.Tool{}, schema: map[string]*node{}}
	for _, t := range slices.Concat(tools, own()) {
		if err := r.add(t); err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
	}
	slices.SortFunc(r.tools, func(a, b ai.Tool) int { return strings.Compare(a.Name, b.Name) })
	return r, nil
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

// Check holds arguments against the tool's schema and returns them in canonical
// form: keys sorted, no white space, what is in strings untouched.
func (r *Registry) Check(name string, raw []byte) (ai.Tool, json.RawMessage, error) {
	t, ok := r.byName[name]
	if !ok {
		return ai.Tool{}, nil, fault.New(fault.UnknownTool, "there is no such tool").WithSent(fault.SentNo)
	}
	return t, nil, fault.New(fault.Internal, "not built yet")
}
