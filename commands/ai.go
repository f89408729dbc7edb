package commands

import (
	"context"
	"slices"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
)

// aiCommands are what people do with models: connect, talk, approve, watch.
func aiCommands() []Command {
	return slices.Concat(aiChatCommands(), aiConnectionCommands(), aiToolCommands(), aiActionCommands(), aiMCPCommands(), aiAuthCommands(), aiTokenCommands(), aiWatchCommands())
}

// aiRecord writes an event of the AI part: on behalf of whom a scope says, under
// the command that runs.
func (d *Deps) aiRecord(ctx context.Context, s ai.Scope, draft telemetry.Draft) error {
	log, err := d.journal()
	if err != nil {
		return err
	}
	cfg, err := d.Config()
	if err != nil {
		return err
	}
	scope := telemetry.Scope{AgentID: s.AgentID, SessionID: s.SessionID, TraceID: s.TraceID,
		Command: fullName(d.spec.Name), Source: s.Source, ChainID: d.scopeChain(cfg)}
	if scope.AgentID == "" {
		scope.AgentID = cfg.Agent.Value
	}
	if scope.SessionID == "" {
		scope.SessionID = cfg.SessionID.Value
	}
	if scope.TraceID == "" {
		scope.TraceID = cfg.TraceID.Value
	}
	return telemetry.NewRecorder(log, d.redactor(), d.host.Now, scope).Record(ctx, draft)
}
