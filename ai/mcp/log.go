package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/ai"
)

// Logging is deprecated from protocol 2026-07-28 on, and what the clients of today
// show to people: it is kept as long as the SDK has it. This file alone uses it.

func capabilities() *sdk.ServerCapabilities {
	return &sdk.ServerCapabilities{
		//lint:ignore SA1019 see above
		Logging:   &sdk.LoggingCapabilities{},
		Tools:     &sdk.ToolCapabilities{},
		Resources: &sdk.ResourceCapabilities{},
	}
}

// tell logs to a client what a person should see of a call: that somebody waits for
// them, or that it was refused. The client says from which level on (logging/setLevel).
func (s *Server) tell(ctx context.Context, req *sdk.CallToolRequest, name string, r ai.Result) {
	level, data := "debug", map[string]any{"tool": name, "outcome": r.Outcome}
	switch {
	case r.ActionID != "":
		level = "notice"
		data["actionId"], data["approveWith"] = r.ActionID, s.opts.CLI+" ai actions approve "+r.ActionID
	case r.IsError:
		level = "warning"
		data["code"] = r.Code
	}
	//lint:ignore SA1019 see above
	err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: sdk.LoggingLevel(level), Logger: Name, Data: data})
	if err != nil {
		s.opts.Logger.Debug("mcp: log", "cause", err.Error())
	}
}
