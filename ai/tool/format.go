package tool

import (
	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Declarations are the tools as a model is told of them, in the order given.
func Declarations(tools []ai.Tool) []ai.ToolDecl {
	out := make([]ai.ToolDecl, 0, len(tools))
	for _, t := range tools {
		out = append(out, ai.ToolDecl{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return out
}

// Format writes the tools as one provider takes them: openai, anthropic or mcp.
func Format(format string, _ []ai.Tool) ([]byte, error) {
	return nil, fault.New(fault.Usage, "there is no format %q", format)
}
