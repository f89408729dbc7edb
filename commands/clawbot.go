package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

func clawbotCommands() []Command {
	return []Command{newClawbotRegister(), newClawbotList(), newClawbotVerify(), newClawbotRevoke(), newClawbotRotate(), newClawbotInvite(), newClawbotImport()}
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
	ClawbotServer
	Invite          string `json:"invite" secret:"true" help:"an invite of that server [$APE_CLAW_INVITE]"`
	RegistrationKey string `json:"registrationKey" secret:"true" help:"that server's registration key; - reads it from standard input [$APE_CLAW_REGISTRATION_KEY]"`
	Save            bool   `json:"save" help:"keep id and token in this home's auth.json too, for the commands that follow"`
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
	Saved      string    `json:"saved,omitempty"` // the file that has the token
}

func (o ClawbotRegisterOut) newToken() shownOnce { return o.Token }
func (o ClawbotRegisterOut) owner() string       { return o.AgentID }
func (o ClawbotRegisterOut) again() string {
	if o.Saved != "" {
		return o.Saved + " has it"
	}
	s := "ape-claw clawbot rotate --agent-id " + o.AgentID + " gives it another one"
	if o.Remote {
		s = "on the server: " + s
	}
	return s
}

func newClawbotRegister() Command {
	return define(Spec{Name: "clawbot register", Short: "Give an agent an identity and a token",
		Long: `Give an agent an identity in this state directory, and a token that is shown only now:
of it, only the SHA-256 is stored. With both, the agent reads and writes at a serve of
this directory that asks who calls, and a person logs in on its page.

With --api the agent is registered at a serve of another machine instead, by an invite
("clawbot invite" there), by its registration key, or by neither where it is open to
all. Where an invite or --registration-key is given and --api is not, the server is that
of APE_CLAW_TELEMETRY_URL. Keys, invites and tokens go over https, or to this machine.`,
		Example: "  ape-claw clawbot register --agent-id my-agent-1 --name \"My agent\"\n" +
			"  APE_CLAW_INVITE=\"$INVITE\" ape-claw clawbot register --agent-id my-agent-1 --api https://claw.example --save",
		Events: []string{"auth.saved", "clawbot.registered"}, Offline: true, Risk: RiskWrite, Permission: "clawbot:write", AI: Exposure{Class: AINever}},
		clawbotRegister,
		func(p *Printer, out ClawbotRegisterOut) {
			p.Head("Registered %s", clean(out.AgentID))
			if out.Name != out.AgentID {
				p.KV("name", out.Name)
			}
			if out.Saved != "" {
				p.KV("saved in", out.Saved)
				p.Line("The token is shown only once; the next commands of this home use it.")
				return
			}
			p.KV("where it runs", "ape-claw auth set --agent-id "+out.AgentID+" --agent-token -")
			p.Line("%s", out.Note)
		})
}

func clawbotRegister(ctx context.Context, d *Deps, in ClawbotRegisterIn) (ClawbotRegisterOut, error) {
	if !validAgent(in.AgentID) {
		return ClawbotRegisterOut{}, badAgent(in.AgentID)
	}
	c, invite, err := d.remoteRegistration(in)
	if err != nil {
		return ClawbotRegisterOut{}, err
	}
	if in.Save {
		if err := d.canSave(in.AgentID); err != nil {
			return ClawbotRegisterOut{}, err
		}
	}
	var out ClawbotRegisterOut
	if c.URL != "" {
		out, err = d.registerThere(ctx, c, in, invite)
	} else {
		out, err = d.registerHere(ctx, in)
	}
	if err != nil {
		return out, err
	}
	if err := d.Record(ctx, registered(out.AgentID, out.Name, out.Remote)); err != nil || !in.Save {
		return out, err
	}
	out.Saved, err = d.save(ctx, out.AgentID, out.Token.secret)
	return out, err
}

func (d *Deps) registerHere(ctx context.Context, in ClawbotRegisterIn) (ClawbotRegisterOut, error) {
	a, token, err := d.registry().Register(ctx, in.AgentID, in.Name)
	if err != nil {
		return ClawbotRegisterOut{}, err
	}
	return ClawbotRegisterOut{OK: true, Registered: true, AgentID: a.ID, Name: a.Name, Token: d.issued(token), Note: tokenNote}, nil
}

// ClawbotListIn names a server; none: this state directory.
type ClawbotListIn struct{ ClawbotServer }

// ClawbotListOut is every agent, without secrets.
type ClawbotListOut struct {
	OK       bool      `json:"ok"`
	Count    int       `json:"count"`
	Clawbots []Clawbot `json:"clawbots"`
	Remote   bool      `json:"remote"`
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
		clawbotList,
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

func clawbotList(ctx context.Context, d *Deps, in ClawbotListIn) (ClawbotListOut, error) {
	out := ClawbotListOut{OK: true, Clawbots: []Clawbot{}}
	api, err := d.server(in.ClawbotServer)
	if err != nil {
		return out, err
	}
	if out.Remote = api != ""; out.Remote {
		err = d.listThere(ctx, api, &out)
	} else {
		var list []agents.Agent
		list, err = d.registry().List(ctx)
		for _, a := range list {
			out.Clawbots = append(out.Clawbots, Clawbot{a.ID, a.Name, a.Enabled, a.Created.Format(milliTime)})
		}
	}
	if err != nil {
		return out, err
	}
	out.Count = len(out.Clawbots)
	return out, d.Record(ctx, telemetry.Draft{Type: "clawbot.list.read", Result: map[string]any{"count": out.Count}})
}

func (d *Deps) listThere(ctx context.Context, api string, out *ClawbotListOut) error {
	c, err := d.call(api)
	if err == nil {
		c, err = d.asAgent(c)
	}
	if err != nil {
		return err
	}
	list, err := serve.ListAgents(ctx, c)
	for _, a := range list {
		out.Clawbots = append(out.Clawbots, Clawbot(a))
	}
	return err
}

// ClawbotVerifyIn names a server: --agent-id and --agent-token are every command's.
type ClawbotVerifyIn struct{ ClawbotServer }

// ClawbotVerifyOut is the agent whose credentials are accepted.
type ClawbotVerifyOut struct {
	OK       bool          `json:"ok"`
	Verified bool          `json:"verified"`
	Agent    VerifiedAgent `json:"agent"`
	Remote   bool          `json:"remote"`
}

// VerifiedAgent is an agent as its own credentials show it.
type VerifiedAgent struct {
	AgentID string `json:"agentId"`
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
}

func newClawbotVerify() Command {
	return define(Spec{Name: "clawbot verify", Short: "Check an agent's id and token, here or at a server",
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

func clawbotVerify(ctx context.Context, d *Deps, in ClawbotVerifyIn) (ClawbotVerifyOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return ClawbotVerifyOut{}, err
	}
	if !cfg.AgentToken.Set() {
		return ClawbotVerifyOut{}, fault.New(fault.Auth, "no agent token is given").
			Hintf("export APE_CLAW_AGENT_ID and APE_CLAW_AGENT_TOKEN, or ape-claw auth set --agent-id <id> --agent-token -")
	}
	api, err := d.server(in.ClawbotServer)
	if err != nil {
		return ClawbotVerifyOut{}, err
	}
	out := ClawbotVerifyOut{OK: true, Verified: true, Remote: api != ""}
	if out.Remote {
		out.Agent, err = d.verifyThere(ctx, api)
	} else {
		out.Agent, err = d.verifyHere(ctx, cfg)
	}
	if err != nil {
		return ClawbotVerifyOut{}, err
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "clawbot.verified", Result: map[string]any{"agentId": out.Agent.AgentID, "verified": true}})
}

func (d *Deps) verifyHere(ctx context.Context, cfg *Config) (VerifiedAgent, error) {
	reg := d.registry()
	if _, err := reg.Verify(ctx, cfg.Agent.Value, cfg.AgentToken.Reveal()); err != nil {
		if fault.CodeOf(err) == fault.Auth {
			err = fault.Wrap(err, fault.Auth, "%s", fault.From(err).Message).
				Hintf("of another machine's serve: ape-claw clawbot verify --api https://HOST; of this one: ape-claw clawbot rotate --agent-id <id> gives a new token")
		}
		return VerifiedAgent{}, err
	}
	a, err := reg.Get(ctx, cfg.Agent.Value)
	return VerifiedAgent{a.ID, a.Name, a.Enabled}, err
}

func (d *Deps) verifyThere(ctx context.Context, api string) (VerifiedAgent, error) {
	c, err := d.call(api)
	if err != nil {
		return VerifiedAgent{}, err
	}
	if c, err = d.asAgent(c); err == nil && c.Credentials.AgentID == "" {
		err = fault.New(fault.Auth, "an agent's token is given, and not whose it is").Hintf("export APE_CLAW_AGENT_ID=my-agent-1")
	}
	if err != nil {
		return VerifiedAgent{}, err
	}
	a, err := serve.VerifyAgent(ctx, c)
	return VerifiedAgent{a.AgentID, a.Name, a.Enabled}, err
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
			p.KV("where it runs", "ape-claw auth set --agent-id "+out.AgentID+" --agent-token -")
			p.Line("%s", out.Note)
		})
}
