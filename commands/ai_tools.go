package commands

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func aiToolCommands() []Command { return []Command{newAITools()} }

// AIToolsIn chooses tools and the form they are shown in.
type AIToolsIn struct {
	Preset string `json:"preset" enum:"all,read_write,read_only,none" default:"all" help:"the tools of a connection with this preset"`
	Format string `json:"format" enum:"openai,anthropic,mcp" help:"as a kind of model or client takes them; always JSON"`
}

// AIToolsOut is what models can call.
type AIToolsOut struct {
	OK     bool            `json:"ok"`
	Count  int             `json:"count"`
	Preset string          `json:"preset"`
	Tools  []AIToolRow     `json:"tools,omitempty"`
	Format string          `json:"format,omitempty"`
	Native json.RawMessage `json:"native,omitempty"` // in the form that was asked for

	cli string // how commands begin in this profile
}

// AIToolRow is one tool. Command is "" for one that no command stands behind.
type AIToolRow struct {
	Name        string          `json:"name"`
	Command     string          `json:"command,omitempty"`
	Grade       ai.Grade        `json:"grade"`
	Permission  string          `json:"permission"`
	Identifiers []string        `json:"identifiers,omitempty"`
	Untrusted   bool            `json:"untrusted"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

func newAITools() Command {
	return define(Spec{Name: "ai tools", Short: "List what models can call: each tool with its grade and arguments",
		Long: `List the tools of models and MCP clients, sorted by name. Those of grade read run when a
model calls them; of the others a call makes a card that a person approves, and for high
retypes what it is about. --format prints them as one kind of model or client takes them.`,
		Example: "  ape-claw ai tools\n  ape-claw ai tools --format openai",
		Events:  []string{"ai.tools.read"}, Offline: true, Risk: RiskRead, Permission: "ai:read", AI: Exposure{Class: AINever}},
		aiTools, printTools)
}

func aiTools(ctx context.Context, d *Deps, in AIToolsIn) (AIToolsOut, error) {
	r, err := d.aiRegistry()
	if err != nil {
		return AIToolsOut{}, err
	}
	tools := r.Tools(ai.Preset{Name: in.Preset})
	out := AIToolsOut{OK: true, Count: len(tools), Preset: in.Preset, Format: in.Format, cli: d.cli()}
	if in.Format != "" {
		if out.Native, err = tool.Format(in.Format, tools); err != nil {
			return AIToolsOut{}, err
		}
	} else {
		out.Tools = make([]AIToolRow, 0, len(tools))
		for _, t := range tools {
			out.Tools = append(out.Tools, AIToolRow{t.Name, t.Command, t.Grade, t.Permission, t.Identifiers, t.Untrusted, t.Description, t.Schema})
		}
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "ai.tools.read", Result: map[string]any{"count": out.Count}})
}

// knownTools refuses a list with a name that no tool has: who wrote it takes it for one
// that is allowed.
func (d *Deps) knownTools(names []string) error {
	if len(names) == 0 {
		return nil
	}
	r, err := d.aiRegistry()
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, ok := r.Lookup(name); !ok {
			return fault.New(fault.UnknownTool, "there is no tool %q", shownArg(name)).Hintf("ape-claw ai tools lists them").WithSent(fault.SentNo)
		}
	}
	return nil
}

func printTools(p *Printer, out AIToolsOut) {
	if out.Format != "" {
		p.Line("%s", out.Native)
		return
	}
	rows := make([][]string, 0, len(out.Tools))
	for _, t := range out.Tools {
		what, _, _ := strings.Cut(t.Description, ". ")
		rows = append(rows, []string{t.Name, string(t.Grade), t.Permission, strings.TrimSuffix(what, ".")})
	}
	p.Table([]string{"TOOL", "GRADE", "PERMISSION", "WHAT IT DOES"}, rows)
	p.Line("%s. What is above read waits for a person: %s ai actions list", counted(out.Count, "tool"), out.cli)
}
