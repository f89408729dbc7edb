package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func clawbotCommands() []Command {
	return []Command{newClawbotRegister(), newClawbotList(), newClawbotVerify(), newClawbotRevoke(), newClawbotRotate()}
}

// tokenNote goes with every new token.
const tokenNote = "The token is shown only once: store it now."

// issued keeps a new token out of everything this run still writes.
func (d *Deps) issued(token string) shownOnce {
	d.redactor().Add(token)
	return shownOnce{token}
}

// ClawbotRegisterIn names the new agent.
type ClawbotRegisterIn struct {
	AgentID string `json:"agentId" required:"true" help:"id of the new agent: 2 to 64 lower-case letters, digits, _ and -"`
	Name    string `json:"name" help:"what people call it (default: the id)"`
}

// ClawbotRegisterOut is the new agent and its token.
type ClawbotRegisterOut struct {
	OK         bool      `json:"ok"`
	Registered bool      `json:"registered"`
	AgentID    string    `json:"agentId"`
	Name       string    `json:"name"`
	Token      shownOnce `json:"token"`
	Note       string    `json:"note"`
	Remote     bool      `json:"remote"`
}

func (o ClawbotRegisterOut) newToken() shownOnce { return o.Token }
func (o ClawbotRegisterOut) owner() string       { return o.AgentID }

func newClawbotRegister() Command {
	return define(Spec{Name: "clawbot register", Short: "Give an agent an identity and a token",
		Long: `Give an agent an identity in this state directory, and a token that is shown only now:
of it, only the SHA-256 is stored. With both, the agent reads and writes at a serve of
this directory that asks who calls, and a person logs in on its page.`,
		Example: "  ape-claw clawbot register --agent-id my-agent-1 --name \"My agent\"",
		Events:  []string{"clawbot.registered"}, Offline: true, Risk: RiskWrite, Permission: "clawbot:write", AI: Exposure{Class: AINever}},
		clawbotRegister,
		func(p *Printer, out ClawbotRegisterOut) {
			p.Head("Registered %s", clean(out.AgentID))
			if out.Name != out.AgentID {
				p.KV("name", out.Name)
			}
			p.Line("%s", out.Note)
		})
}

func clawbotRegister(ctx context.Context, d *Deps, in ClawbotRegisterIn) (ClawbotRegisterOut, error) {
	if !validAgent(in.AgentID) {
		return ClawbotRegisterOut{}, badAgent(in.AgentID)
	}
	a, token, err := d.registry().Register(ctx, in.AgentID, in.Name)
	if err != nil {
		return ClawbotRegisterOut{}, err
	}
	out := ClawbotRegisterOut{OK: true, Registered: true, AgentID: a.ID, Name: a.Name, Token: d.issued(token), Note: tokenNote}
	return out, d.Record(ctx, telemetry.Draft{Type: "clawbot.registered",
		Result: map[string]any{"agentId": a.ID, "name": a.Name, "remote": false}})
}

// ClawbotListIn has no flags.
type ClawbotListIn struct{}

// ClawbotListOut is every agent, without secrets.
type ClawbotListOut struct {
	OK       bool      `json:"ok"`
	Count    int       `json:"count"`
	Clawbots []Clawbot `json:"clawbots"`
}

// Clawbot is a registered agent as it is shown.
type Clawbot struct {
	AgentID   string `json:"agentId"`
	Name      string `json:"name"`
	Enabled   bool   `json:"enabled"`
	CreatedAt string `json:"createdAt"`
}

func newClawbotList() Command {
	return define(Spec{Name: "clawbot list", Short: "List the registered agents",
		Events: []string{"clawbot.list.read"}, Offline: true, Risk: RiskRead, Permission: "clawbot:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, _ ClawbotListIn) (ClawbotListOut, error) {
			list, err := d.registry().List(ctx)
			if err != nil {
				return ClawbotListOut{}, err
			}
			out := ClawbotListOut{OK: true, Count: len(list), Clawbots: []Clawbot{}}
			for _, a := range list {
				out.Clawbots = append(out.Clawbots, Clawbot{a.ID, a.Name, a.Enabled, a.Created.Format("2006-01-02T15:04:05.000Z")})
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "clawbot.list.read", Result: map[string]any{"count": out.Count}})
		},
		func(p *Printer, out ClawbotListOut) {
			if out.Count == 0 {
				p.Line("No agent is registered. The first: ape-claw clawbot register --agent-id my-agent-1")
				return
			}
			var rows [][]string
			for _, c := range out.Clawbots {
				state := "enabled"
				if !c.Enabled {
					state = "revoked"
				}
				rows = append(rows, []string{c.AgentID, c.Name, state, c.CreatedAt})
			}
			p.Table([]string{"AGENT", "NAME", "STATE", "CREATED"}, rows)
		})
}

// ClawbotVerifyIn has no flags: --agent-id and --agent-token are every command's.
type ClawbotVerifyIn struct{}

// ClawbotVerifyOut is the agent whose credentials are accepted.
type ClawbotVerifyOut struct {
	OK       bool          `json:"ok"`
	Verified bool          `json:"verified"`
	Agent    VerifiedAgent `json:"agent"`
}

// VerifiedAgent is an agent as its own credentials show it.
type VerifiedAgent struct {
	AgentID string `json:"agentId"`
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
}

func newClawbotVerify() Command {
	return define(Spec{Name: "clawbot verify", Short: "Check an agent's id and token against this state directory",
		Long: `Check the agent id and token of the flags, the environment or the auth profile. What is
not accepted exits 5; whether the id is unknown, revoked or the token wrong is not told.`,
		Example: "  APE_CLAW_AGENT_ID=my-agent-1 APE_CLAW_AGENT_TOKEN=\"$TOKEN\" ape-claw clawbot verify",
		Events:  []string{"clawbot.verified"}, Offline: true, Risk: RiskRead, Permission: "clawbot:read", AI: Exposure{Class: AINever}},
		clawbotVerify,
		func(p *Printer, out ClawbotVerifyOut) {
			p.Head("%s: the credentials are accepted", clean(out.Agent.AgentID))
			p.KV("name", out.Agent.Name)
		})
}

func clawbotVerify(ctx context.Context, d *Deps, _ ClawbotVerifyIn) (ClawbotVerifyOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return ClawbotVerifyOut{}, err
	}
	if !cfg.AgentToken.Set() {
		return ClawbotVerifyOut{}, fault.New(fault.Auth, "no agent token is given").
			Hintf("export APE_CLAW_AGENT_ID and APE_CLAW_AGENT_TOKEN, or ape-claw auth set --agent-id <id> --agent-token -")
	}
	reg := d.registry()
	if _, err := reg.Verify(ctx, cfg.Agent.Value, cfg.AgentToken.Reveal()); err != nil {
		return ClawbotVerifyOut{}, err
	}
	a, err := reg.Get(ctx, cfg.Agent.Value)
	if err != nil {
		return ClawbotVerifyOut{}, err
	}
	out := ClawbotVerifyOut{OK: true, Verified: true, Agent: VerifiedAgent{a.ID, a.Name, a.Enabled}}
	return out, d.Record(ctx, telemetry.Draft{Type: "clawbot.verified", Result: map[string]any{"agentId": a.ID, "verified": true}})
}

// ClawbotRevokeIn names an agent.
type ClawbotRevokeIn struct {
	AgentID string `json:"agentId" required:"true" help:"the agent whose token ends"`
}

// ClawbotRevokeOut says that the agent is out.
type ClawbotRevokeOut struct {
	OK      bool   `json:"ok"`
	Revoked bool   `json:"revoked"`
	AgentID string `json:"agentId"`
	Enabled bool   `json:"enabled"`
}

func newClawbotRevoke() Command {
	return define(Spec{Name: "clawbot revoke", Short: "Make an agent's token worthless",
		Long: `Make an agent's token worthless, and end its log-ins. A running serve notices within a
second, and ends its open streams too. "clawbot rotate" lets the agent in again.`,
		Events: []string{"clawbot.revoked"}, Offline: true, Risk: RiskWrite, Permission: "clawbot:write", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in ClawbotRevokeIn) (ClawbotRevokeOut, error) {
			if !validAgent(in.AgentID) {
				return ClawbotRevokeOut{}, badAgent(in.AgentID)
			}
			a, err := d.registry().Revoke(ctx, in.AgentID)
			if err != nil {
				return ClawbotRevokeOut{}, err
			}
			return ClawbotRevokeOut{OK: true, Revoked: true, AgentID: a.ID, Enabled: a.Enabled},
				d.Record(ctx, telemetry.Draft{Type: "clawbot.revoked", Result: map[string]any{"agentId": a.ID}})
		},
		func(p *Printer, out ClawbotRevokeOut) {
			p.Line("%s is revoked: its token and its log-ins have ended.", clean(out.AgentID))
		})
}

// ClawbotRotateIn names an agent.
type ClawbotRotateIn struct {
	AgentID string `json:"agentId" required:"true" help:"the agent that gets a new token"`
}

// ClawbotRotateOut is the agent and its new token.
type ClawbotRotateOut struct {
	OK      bool      `json:"ok"`
	Rotated bool      `json:"rotated"`
	AgentID string    `json:"agentId"`
	Name    string    `json:"name"`
	Token   shownOnce `json:"token"`
	Note    string    `json:"note"`
}

func (o ClawbotRotateOut) newToken() shownOnce { return o.Token }
func (o ClawbotRotateOut) owner() string       { return o.AgentID }

func newClawbotRotate() Command {
	return define(Spec{Name: "clawbot rotate", Short: "Give an agent a new token; the old one ends",
		Long: `Give an agent a new token, shown only now. The old one and its log-ins end at once. An
agent that was revoked is let in again.`,
		Events: []string{"clawbot.rotated"}, Offline: true, Risk: RiskWrite, Permission: "clawbot:write", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in ClawbotRotateIn) (ClawbotRotateOut, error) {
			if !validAgent(in.AgentID) {
				return ClawbotRotateOut{}, badAgent(in.AgentID)
			}
			a, token, err := d.registry().Rotate(ctx, in.AgentID)
			if err != nil {
				return ClawbotRotateOut{}, err
			}
			out := ClawbotRotateOut{OK: true, Rotated: true, AgentID: a.ID, Name: a.Name, Token: d.issued(token), Note: tokenNote}
			return out, d.Record(ctx, telemetry.Draft{Type: "clawbot.rotated", Result: map[string]any{"agentId": a.ID}})
		},
		func(p *Printer, out ClawbotRotateOut) {
			p.Head("%s has a new token", clean(out.AgentID))
			p.Line("%s", out.Note)
		})
}
