package tool

import "github.com/ape-claw/ape-claw/ai"

// node is a part of a schema.
type node struct{}

func (r *Registry) add(t ai.Tool) error {
	r.tools = append(r.tools, t)
	r.byName[t.Name] = t
	return nil
}

func own() []ai.Tool { return nil }
