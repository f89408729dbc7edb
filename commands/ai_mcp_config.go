package commands

import (
	"context"
	"net"
	"path/filepath"

	"github.com/ape-claw/ape-claw/ai/mcp"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AIMCPConfigIn names the client.
type AIMCPConfigIn struct {
	Client string `json:"client" enum:"claude,codex,cursor,generic" default:"generic" help:"the MCP client: claude is Claude Code"`
	HTTP   bool   `json:"http" help:"for a client that reaches ape-claw serve over HTTP, with a token"`
}

// AIMCPConfigOut is what to put where. The operation has printed it.
type AIMCPConfigOut struct {
	OK bool `json:"ok"`
	mcp.Snippet
	Next []string `json:"next"`
}

func (AIMCPConfigOut) shown() bool { return true }

func newAIMCPConfig() Command {
	return define(Spec{Name: "ai mcp-config", Short: "Print what connects an MCP client: Claude Code, Codex, Cursor or another",
		Long: `Print the configuration that connects an MCP client to this home and this state
directory. By default the client starts ape-claw itself and needs no token; with --http it
goes to "ape-claw serve" with a token from "ai mcp token new". No secret is printed: of
the token, the name of the variable that must hold it.`,
		Example: "  ape-claw ai mcp-config --client claude\n  ape-claw ai mcp-config --client codex --http",
		Quiet:   true, Risk: RiskRead, Permission: "ai:read", AI: Exposure{Class: AIOperator}},
		func(_ context.Context, d *Deps, in AIMCPConfigIn) (AIMCPConfigOut, error) {
			out, err := d.mcpConfig(in)
			if err == nil {
				err = d.showMCPConfig(out)
			}
			return out, err
		},
		printMCPConfig)
}

func printMCPConfig(p *Printer, out AIMCPConfigOut) {
	p.Head("Put this into %s", out.File)
	p.Line("%s", out.Text)
	if out.Run != "" {
		p.List(cyan, "Or run", []string{out.Run})
	}
	p.List(cyan, "Then", out.Next)
}

// showMCPConfig prints past the redactor, which would take the variable that stands
// after Authorization for a token: what is printed is made of paths and names alone.
func (d *Deps) showMCPConfig(out AIMCPConfigOut) error {
	if d.wantJSON {
		b, err := encodeJSON(out)
		if err != nil {
			return err
		}
		return d.writeOut(b)
	}
	p := d.printer()
	p.w = d.host.Stdout
	printMCPConfig(p, out)
	return p.flush()
}

func (d *Deps) mcpConfig(in AIMCPConfigIn) (AIMCPConfigOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return AIMCPConfigOut{}, err
	}
	at := mcp.Where{Command: d.host.Executable, Args: append(d.hereFlags(cfg), "mcp")}
	next := []string{"ask the client for its tools; what it proposes waits here: " + d.cli() + " ai actions list"}
	if in.HTTP {
		if at.URL, err = d.mcpURL(); err != nil {
			return AIMCPConfigOut{}, err
		}
		next = append([]string{
			d.cli() + " ai mcp token new --name <client>   makes the token, for the variable " + mcp.TokenEnv,
			d.cli() + " serve   must run",
		}, next...)
	} else if at.Command == "" {
		return AIMCPConfigOut{}, fault.New(fault.Internal, "the path of this program is not known")
	}
	s, err := mcp.NewSnippet(in.Client, at)
	return AIMCPConfigOut{OK: true, Snippet: s, Next: next}, err
}

// hereFlags say which profile, home and state this run has: a client starts programs
// from a directory of its own.
func (d *Deps) hereFlags(cfg *Config) []string {
	var out []string
	if cfg.IsSandbox() {
		out = append(out, "--profile", ProfileSandbox)
	}
	if cfg.UserHome != filepath.Join(d.host.getenv("HOME"), ".ape-claw") {
		out = append(out, "--home", cfg.UserHome)
	}
	out = append(out, "--state-dir", cfg.StateDir)
	if cfg.PolicyFile != "" {
		if file, err := filepath.Abs(cfg.PolicyFile); err == nil {
			out = append(out, "--policy", file)
		}
	}
	return out
}

// mcpURL is where serve has MCP, as a client of this machine reaches it.
func (d *Deps) mcpURL() (string, error) {
	addr, err := d.serveAddr("")
	if err != nil {
		return "", err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fault.Wrap(err, fault.Usage, "the address of serve is not host:port")
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + mcp.Path, nil
}
