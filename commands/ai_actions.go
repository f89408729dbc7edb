package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func aiActionCommands() []Command { return nil }

// aiActions is what keeps the actions of this state directory.
func (d *Deps) aiActions(_ context.Context) (*action.Service, error) {
	return action.New(action.Options{State: d.stateDB, Record: d.aiRecord, Redactor: d.redactor(), Now: d.host.Now,
		Lookup: func(string) (ai.Tool, bool) { return ai.Tool{}, false }}), nil
}

// approveAtTerminal shows an action to the person at the terminal, asks what its
// grade takes, and carries it out.
func (d *Deps) approveAtTerminal(_ context.Context, id string) (action.Action, error) {
	return action.Action{}, fault.New(fault.NotFound, "no action %s", id)
}

// rejectAction refuses an action for the person at the terminal.
func (d *Deps) rejectAction(_ context.Context, id, _ string) (action.Action, error) {
	return action.Action{}, fault.New(fault.NotFound, "no action %s", id)
}
