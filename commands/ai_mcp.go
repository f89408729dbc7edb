package commands

import (
	"context"
	"io"
	"net/http"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/api"
	"github.com/ape-claw/ape-claw/ai/guide"
	"github.com/ape-claw/ape-claw/ai/mcp"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/store"
)

func aiMCPCommands() []Command { return []Command{newAIMCPServe(), newAIMCPConfig()} }

// AIMCPServeIn says which tools the client has.
type AIMCPServeIn struct {
	Tools string   `json:"tools" enum:"all,read_write,read_only,none" default:"all" help:"the tools that the client has"`
	Tool  []string `json:"tool" complete:"toolList" help:"only these tools, by name"`
}

func (in AIMCPServeIn) preset() ai.Preset {
	if len(in.Tool) > 0 {
		return ai.Preset{Name: ai.PresetCustom, Enabled: in.Tool}
	}
	return ai.Preset{Name: in.Tools}
}

// AIMCPServeOut is nothing: what stdout holds is the protocol's.
type AIMCPServeOut struct{}

func (AIMCPServeOut) shown() bool { return true }

func newAIMCPServe() Command {
	return define(Spec{Name: "ai mcp serve", Aliases: []string{"mcp"}, Short: "Offer the commands to an MCP client as tools, over stdin and stdout",
		Long: `Speak MCP at stdin and stdout: an MCP client starts this, "ai mcp-config" says how. The
client reads and quotes at once. What writes or spends becomes a proposal that a person
decides on with "ai actions approve"; the client can't. Stdout holds the protocol alone,
warnings and errors go to stderr, also with --json. It ends when the client leaves.`,
		Example: "  ape-claw mcp\n  ape-claw --profile sandbox mcp --tools read_only",
		Events:  []string{"ai.mcp.called"}, Offline: true, Late: true, Protocol: true, Risk: RiskWrite, Permission: "ai:serve",
		AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in AIMCPServeIn) (AIMCPServeOut, error) {
			if err := d.knownTools(in.Tool); err != nil {
				return AIMCPServeOut{}, err
			}
			srv, err := d.mcpServer(in.preset())
			if err != nil {
				return AIMCPServeOut{}, err
			}
			defer srv.Close()
			return AIMCPServeOut{}, srv.Run(ctx, io.NopCloser(d.host.Stdin), unclosed{d.host.Stdout})
		},
		func(*Printer, AIMCPServeOut) {})
}

// unclosed is a stream that belongs to somebody else.
type unclosed struct{ io.Writer }

// Close implements io.Closer.
func (unclosed) Close() error { return nil }

// mcpServer is the MCP server of this process; a client without a token has the
// tools of the preset.
func (d *Deps) mcpServer(p ai.Preset) (*mcp.Server, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	registry, err := d.aiRegistry()
	if err != nil {
		return nil, err
	}
	return mcp.New(mcp.Options{
		Begin: func(ctx context.Context, s mcp.Session) (mcp.Invocation, error) {
			engine, err := d.aiEngine(ctx)
			if err != nil {
				return nil, err
			}
			return engine.Begin(tool.Session{Scope: s.Scope, Preset: s.Preset, Channel: tool.ChannelMCP, MaxCalls: -1}), nil
		},
		Tools:   registry.Tools,
		Preset:  p,
		Version: Version,
		CLI:     d.cli(),
		Docs:    mcp.Docs{Guide: guide.Text(), API: mcp.APIDoc(registry.Tools(ai.Preset{Name: ai.PresetAll}), httpTable())},
		Record:  d.aiRecord,
		Watch:   func(ctx context.Context) (context.Context, context.CancelFunc) { return ai.Watch(ctx, cfg.Home) },
		NewID:   func() string { return store.NewID("mcps_") },
		Now:     d.host.Now,
		Logger:  d.logger(),
	}), nil
}

// mcpHandler is the MCP server over HTTP, for serve to mount at mcp.Path. Callers
// have a token of "ai mcp token new"; its sessions end with ctx.
func (d *Deps) mcpHandler(ctx context.Context) (http.Handler, error) {
	srv, err := d.mcpServer(ai.Preset{Name: ai.PresetNone})
	if err != nil {
		return nil, err
	}
	op, err := d.aiOperator()
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, srv.Close)
	return srv.Handler(op.VerifyMCPToken), nil
}

// httpTable is what serve answers, for docs://api.
func httpTable() []mcp.Route {
	out := []mcp.Route{
		{Method: "GET", Path: "/", About: "the page"},
		{Method: "GET", Path: "/events", About: "the events as they come, as Server-Sent Events; resumable"},
		{Method: "GET", Path: "/events/backlog", About: "the newest events"},
		{Method: "GET", Path: "/api/health", About: "whether it is well"},
		{Method: "GET", Path: "/api/events/schema", About: "the event types"},
		{Method: "GET", Path: "/metrics", About: "counters, as Prometheus reads them"},
		{Method: "POST", Path: mcp.Path, About: "MCP, streamable HTTP; with a token of `ai mcp token new`"},
	}
	for _, r := range api.Routes() {
		about := "the operator's"
		if r.StepUp {
			about += ", after the passphrase"
		}
		out = append(out, mcp.Route{Method: r.Method, Path: r.Path, About: about})
	}
	return out
}
