package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/tool"
)

// aiRegistry is every command that is a tool, with what models ask about.
func (d *Deps) aiRegistry() (*tool.Registry, error) { return tool.NewRegistry(nil) }

// aiEngine runs the tools of this process.
func (d *Deps) aiEngine(context.Context) (*tool.Engine, error) {
	r, err := d.aiRegistry()
	if err != nil {
		return nil, err
	}
	return tool.New(tool.Options{Registry: r, Record: d.aiRecord, Redactor: d.redactor(), Now: d.host.Now}), nil
}

// child is what an operation gets that runs on behalf of s: its own configuration,
// recorder, policy and allowlist, over the log, the databases and the node that
// this process has open.
func (d *Deps) child(spec Spec, _ ai.Scope) *Deps {
	c := newDeps(d.host)
	c.spec = spec
	return c
}
