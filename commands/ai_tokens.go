package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func aiTokenCommands() []Command {
	return []Command{newAIMCPTokenNew(), newAIMCPTokenList(), newAIMCPTokenRevoke()}
}

// AIMCPTokenNewIn names the client.
type AIMCPTokenNewIn struct {
	Name  string   `json:"name" required:"true" help:"what the client is called"`
	Tools string   `json:"tools" enum:"all,read_write,read_only,none" help:"the tools it has (default: all)"`
	Tool  []string `json:"tool" complete:"toolList" help:"only these tools, by name"`
}

// AIMCPTokenNewOut is the new token.
type AIMCPTokenNewOut struct {
	OK    bool      `json:"ok"`
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Tools ai.Preset `json:"tools"`
	Token shownOnce `json:"token"`
	Note  string    `json:"note"`
}

func (o AIMCPTokenNewOut) newToken() shownOnce { return o.Token }
func (o AIMCPTokenNewOut) owner() string       { return o.Name }
func (o AIMCPTokenNewOut) again() string {
	return "ape-claw ai mcp token revoke " + o.Name + ", then ape-claw ai mcp token new --name " + o.Name
}

func newAIMCPTokenNew() Command {
	return define(Spec{Name: "ai mcp token new", Short: "Make a token for an MCP client that comes over HTTP",
		Long: `Make a token for an MCP client that comes over HTTP, shown only now: of it, only the
SHA-256 is stored. With it a client sees and proposes what its tools allow, and
approves nothing. Clients over stdio need none. Once "ai auth init" ran, the passphrase
is asked for.`,
		Example: "  ape-claw ai mcp token new --name laptop --tools read_only",
		Events:  []string{"ai.token.changed"}, Offline: true, Risk: RiskHuman, Permission: "ai:write", Human: "once ai auth init ran",
		AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in AIMCPTokenNewIn) (AIMCPTokenNewOut, error) {
			op, err := d.aiOperator()
			if err != nil {
				return AIMCPTokenNewOut{}, err
			}
			tools := ai.Preset{Name: in.Tools}
			switch {
			case len(in.Tool) > 0 && in.Tools != "":
				return AIMCPTokenNewOut{}, fault.New(fault.Usage, "the tools are a preset or a list").Hintf("leave out --tools or --tool")
			case len(in.Tool) > 0:
				tools = ai.Preset{Name: ai.PresetCustom, Enabled: in.Tool}
			case in.Tools == "":
				tools.Name = ai.PresetAll
			}
			if err := d.knownTools(in.Tool); err != nil {
				return AIMCPTokenNewOut{}, err
			}
			if err := operator.CheckMCPToken(in.Name, tools); err != nil {
				return AIMCPTokenNewOut{}, err
			}
			if _, err := d.provePassphrase(ctx, "make a token", "A token for the MCP client "+in.Name+", with the tools: "+tools.Name); err != nil {
				return AIMCPTokenNewOut{}, err
			}
			t, secret, err := op.NewMCPToken(ctx, in.Name, tools)
			if err != nil {
				return AIMCPTokenNewOut{}, err
			}
			out := AIMCPTokenNewOut{OK: true, ID: t.ID, Name: t.Name, Tools: t.Tools, Token: d.issued(secret), Note: tokenNote}
			return out, d.tokenChanged(ctx, t, "created")
		},
		func(p *Printer, out AIMCPTokenNewOut) {
			p.Head("A token for %s", clean(out.Name))
			p.KV("tools", out.Tools.Name)
			p.Line("%s", out.Note)
		})
}

func (d *Deps) tokenChanged(ctx context.Context, t operator.MCPToken, change string) error {
	return d.Record(ctx, telemetry.Draft{Type: "ai.token.changed", Payload: map[string]any{"tokenId": t.ID, "name": t.Name, "change": change}})
}

// AIMCPTokenListIn has no flags.
type AIMCPTokenListIn struct{}

// AIMCPTokenListOut is every token, without its secret.
type AIMCPTokenListOut struct {
	OK     bool                `json:"ok"`
	Count  int                 `json:"count"`
	Tokens []operator.MCPToken `json:"clients"`
}

func newAIMCPTokenList() Command {
	return define(Spec{Name: "ai mcp token list", Short: "List the tokens of MCP clients, without their secrets",
		Events: []string{"ai.tokens.read"}, Offline: true, Risk: RiskRead, Permission: "ai:read", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, _ AIMCPTokenListIn) (AIMCPTokenListOut, error) {
			op, err := d.aiOperator()
			if err != nil {
				return AIMCPTokenListOut{}, err
			}
			list, err := op.MCPTokens(ctx)
			if err != nil {
				return AIMCPTokenListOut{}, err
			}
			return AIMCPTokenListOut{OK: true, Count: len(list), Tokens: list},
				d.Record(ctx, telemetry.Draft{Type: "ai.tokens.read", Result: map[string]any{"count": len(list)}})
		},
		func(p *Printer, out AIMCPTokenListOut) {
			if out.Count == 0 {
				p.Line("No MCP client has a token. The first: ape-claw ai mcp token new --name laptop")
				return
			}
			var rows [][]string
			for _, t := range out.Tokens {
				state := "valid"
				if !t.Revoked.IsZero() {
					state = "revoked"
				}
				rows = append(rows, []string{t.Name, t.Tools.Name, state, t.Created.UTC().Format("2006-01-02 15:04:05"), t.ID})
			}
			p.Table([]string{"CLIENT", "TOOLS", "STATE", "CREATED (UTC)", "ID"}, rows)
		})
}

// AIMCPTokenRevokeIn names a client.
type AIMCPTokenRevokeIn struct {
	Name string `json:"name" arg:"name" required:"true" complete:"tokens" help:"the client whose token ends, or the token's id"`
}

// AIMCPTokenRevokeOut says that the token has ended.
type AIMCPTokenRevokeOut struct {
	OK      bool   `json:"ok"`
	Revoked bool   `json:"revoked"`
	ID      string `json:"id"`
	Name    string `json:"name"`
}

func newAIMCPTokenRevoke() Command {
	return define(Spec{Name: "ai mcp token revoke", Short: "Make a client's token worthless",
		Long:   "Make a client's token worthless, at once. Needs no passphrase: to take away is always safe.",
		Events: []string{"ai.token.changed"}, Offline: true, Risk: RiskWrite, Permission: "ai:write", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in AIMCPTokenRevokeIn) (AIMCPTokenRevokeOut, error) {
			if err := d.notChild("revoke a token"); err != nil {
				return AIMCPTokenRevokeOut{}, err
			}
			op, err := d.aiOperator()
			if err != nil {
				return AIMCPTokenRevokeOut{}, err
			}
			t, err := op.RevokeMCPToken(ctx, in.Name)
			if err != nil {
				return AIMCPTokenRevokeOut{}, err
			}
			return AIMCPTokenRevokeOut{OK: true, Revoked: true, ID: t.ID, Name: t.Name}, d.tokenChanged(ctx, t, "revoked")
		},
		func(p *Printer, out AIMCPTokenRevokeOut) { p.Line("The token of %s has ended.", clean(out.Name)) })
}
