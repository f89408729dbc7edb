package tool

import (
	"encoding/json"

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

// The formats that tools are written in.
const (
	FormatOpenAI    = "openai"
	FormatAnthropic = "anthropic"
	FormatMCP       = "mcp"
)

// Format writes the tools as one kind of model or client takes them. The same tools
// give the same bytes: what is stable can be cached.
func Format(format string, tools []ai.Tool) ([]byte, error) {
	var out []any
	switch format {
	case FormatOpenAI:
		out = openAI(tools)
	case FormatAnthropic:
		out = anthropic(tools)
	case FormatMCP:
		out = mcp(tools)
	default:
		return nil, fault.New(fault.Usage, "there is no format %q", cut(visible(format), 30)).Hintf("one of: %s, %s, %s", FormatOpenAI, FormatAnthropic, FormatMCP)
	}
	return encode(map[string]any{"tools": out})
}

func openAI(tools []ai.Tool) []any {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	type entry struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	out := make([]any, 0, len(tools))
	for _, t := range tools {
		out = append(out, entry{"function", function{t.Name, t.Description, t.Schema}})
	}
	return out
}

// anthropic marks the last tool: all up to it can be cached.
func anthropic(tools []ai.Tool) []any {
	type mark struct {
		Type string `json:"type"`
	}
	type entry struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
		Cache       *mark           `json:"cache_control,omitempty"`
	}
	out := make([]any, 0, len(tools))
	for i, t := range tools {
		e := entry{Name: t.Name, Description: t.Description, InputSchema: t.Schema}
		if i == len(tools)-1 {
			e.Cache = &mark{"ephemeral"}
		}
		out = append(out, e)
	}
	return out
}

// Hints are what an MCP client is told of a tool's effects.
type Hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// HintsOf returns the hints of a grade.
func HintsOf(g ai.Grade) Hints {
	return Hints{ReadOnly: g == ai.GradeRead, Destructive: g == ai.GradeHigh, OpenWorld: true}
}

func mcp(tools []ai.Tool) []any {
	type entry struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations Hints           `json:"annotations"`
	}
	out := make([]any, 0, len(tools))
	for _, t := range tools {
		out = append(out, entry{t.Name, t.Description, t.Schema, HintsOf(t.Grade)})
	}
	return out
}
