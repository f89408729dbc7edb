package commands

import (
	"context"
	"io"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// ClawbotInviteIn says what the invite is good for.
type ClawbotInviteIn struct {
	TTL  string `json:"ttl" help:"how long it can be redeemed, from 1m to 7d (default 1d)"`
	Uses int    `json:"uses" min:"1" help:"how many agents it registers, at most 5 (default 1)"`
	ClawbotServer
	RegistrationKey string `json:"registrationKey" secret:"true" help:"that server's registration key; - reads it from standard input [$APE_CLAW_REGISTRATION_KEY]"`
}

// ClawbotInviteOut is the new invite.
type ClawbotInviteOut struct {
	OK            bool      `json:"ok"`
	Invite        shownOnce `json:"invite"`
	ExpiresAt     string    `json:"expiresAt"`
	UsesRemaining int       `json:"usesRemaining"`
	Note          string    `json:"note"`
	Remote        bool      `json:"remote"`
}

func (o ClawbotInviteOut) newToken() shownOnce { return o.Invite }
func (o ClawbotInviteOut) owner() string       { return "the invite" }
func (o ClawbotInviteOut) field() string       { return "invite" }
func (o ClawbotInviteOut) again() string {
	return "ape-claw clawbot invite makes another; this one expires unused"
}

const inviteNote = "The invite is shown only once: pass it on now."

func newClawbotInvite() Command {
	return define(Spec{Name: "clawbot invite", Short: "Make an invite, by which an agent can be registered",
		Long: `Make an invite: who holds it registers an agent of their own at a serve of this state
directory ("clawbot register --api … --invite …"), as often as it has uses, until it
expires. It is shown only now: of it, only the SHA-256 is stored. A time or a number out
of bounds becomes the nearest one within. With --api it is made at a server, for which
that server's registration key is needed.`,
		Example: "  ape-claw clawbot invite\n  ape-claw clawbot invite --ttl 2h --uses 3",
		Events:  []string{"clawbot.invited"}, Offline: true, Risk: RiskWrite, Permission: "clawbot:write", AI: Exposure{Class: AINever}},
		clawbotInvite,
		func(p *Printer, out ClawbotInviteOut) {
			p.Head("An invite for %s", counted(out.UsesRemaining, "agent"))
			p.KV("until", out.ExpiresAt, "with it", "ape-claw clawbot register --agent-id my-agent-1 --api https://HOST --invite inv_… --save")
			p.Line("%s", out.Note)
		})
}

func clawbotInvite(ctx context.Context, d *Deps, in ClawbotInviteIn) (ClawbotInviteOut, error) {
	terms := agents.InviteTerms{Uses: in.Uses}
	if in.TTL != "" {
		ttl, ok := parseAgo(in.TTL)
		if !ok {
			return ClawbotInviteOut{}, fault.New(fault.Usage, "--ttl %q is no duration", shownArg(in.TTL)).Hintf("ape-claw clawbot invite --ttl 2h; 90m, 24h and 7d are others")
		}
		terms.TTL = max(ttl, agents.MinInviteTTL)
	}
	terms = terms.Clamped()
	api, err := d.server(in.ClawbotServer)
	if err != nil {
		return ClawbotInviteOut{}, err
	}
	var inv agents.Invite
	var secret string
	if api == "" {
		if in.RegistrationKey != "" {
			return ClawbotInviteOut{}, fault.New(fault.Usage, "a registration key is for a server, and none is named").
				Hintf("ape-claw clawbot invite --api https://HOST; without both, the invite is for a serve of this state directory")
		}
		inv, secret, err = d.registry().Invite(ctx, terms)
	} else {
		inv, secret, err = d.inviteThere(ctx, api, in.RegistrationKey, terms)
	}
	if err != nil {
		return ClawbotInviteOut{}, err
	}
	out := ClawbotInviteOut{OK: true, Invite: d.issued(secret), ExpiresAt: inv.Expires.UTC().Format(milliTime),
		UsesRemaining: inv.UsesLeft, Note: inviteNote, Remote: api != ""}
	return out, d.Record(ctx, invited(inv, out.Remote))
}

func (d *Deps) inviteThere(ctx context.Context, api, flag string, terms agents.InviteTerms) (agents.Invite, string, error) {
	c, err := d.call(api)
	if err != nil {
		return agents.Invite{}, "", err
	}
	if c.Key, err = d.registrationKey(flag); err == nil && c.Key == "" {
		err = fault.New(fault.Auth, "a server makes invites for who has its registration key, and none is given").
			Hintf("export APE_CLAW_REGISTRATION_KEY; on the server itself, without --api, none is needed")
	}
	if err != nil {
		return agents.Invite{}, "", err
	}
	return serve.CreateInvite(ctx, c, terms)
}

// ClawbotImportIn names the file.
type ClawbotImportIn struct {
	File   string `json:"file" arg:"file" required:"true" complete:"files" help:"the original program's clawbots.json"`
	DryRun bool   `json:"dryRun" help:"say what would happen; write nothing"`
}

// ClawbotImportOut says who was taken over.
type ClawbotImportOut struct {
	OK       bool             `json:"ok"`
	File     string           `json:"file"`
	DryRun   bool             `json:"dryRun"`
	Imported int              `json:"imported"`
	Kept     int              `json:"kept"` // registered here already, and left as they are
	Skipped  int              `json:"skipped"`
	Agents   []string         `json:"agents"` // those imported
	Problems []agents.Skipped `json:"problems"`
	// SharedKey: the file has a marketplace key, which is not taken over.
	SharedKey bool `json:"sharedKeyIgnored"`
}

func newClawbotImport() Command {
	return define(Spec{Name: "clawbot import", Short: "Take over the agents of the original's clawbots.json",
		Long: `Take over the agents of the original program's config/clawbots.json: with their names,
and with the tokens that they have, of which the file holds the SHA-256. Agents that are
registered here already stay as they are, so it can be repeated. Entries whose id or hash
is none are reported and left out. The marketplace key that such a file may hold is not
taken over.`,
		Example: "  ape-claw clawbot import ../old/config/clawbots.json --dry-run\n  ape-claw clawbot import ../old/config/clawbots.json",
		Events:  []string{"clawbot.imported"}, Offline: true, Risk: RiskWrite, Permission: "clawbot:write", AI: Exposure{Class: AINever}},
		clawbotImport,
		func(p *Printer, out ClawbotImportOut) {
			verb := "Imported"
			if out.DryRun {
				verb = "Would import"
			}
			p.Head("%s %s", verb, counted(out.Imported, "agent"))
			if out.Kept > 0 {
				p.Line("%s registered here already, and left alone.", counted(out.Kept, "agent"))
			}
			for _, s := range out.Problems {
				p.Line("Left out %s: %s.", clean(s.AgentID), clean(s.Reason))
			}
			if out.SharedKey {
				p.Line("The marketplace key in the file was not taken over: OPENSEA_API_KEY holds this machine's.")
			}
		})
}

func clawbotImport(ctx context.Context, d *Deps, in ClawbotImportIn) (ClawbotImportOut, error) {
	out := ClawbotImportOut{OK: true, File: store.Display(in.File), DryRun: in.DryRun, Agents: []string{}, Problems: []agents.Skipped{}}
	f, err := store.OpenToRead(in.File)
	if err != nil {
		return out, err
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, agents.MaxClawbots+1))
	if err != nil {
		return out, fault.Wrap(err, fault.Usage, "%s can't be read", out.File)
	}
	if len(data) > agents.MaxClawbots {
		return out, fault.New(fault.Usage, "%s is larger than %d bytes", out.File, agents.MaxClawbots).Hintf("name the clawbots.json of the original program")
	}
	file, err := agents.ParseClawbots(data, d.host.Now())
	if err != nil {
		return out, err
	}
	added, err := d.registry().Import(ctx, file.Agents, in.DryRun)
	if err != nil {
		return out, err
	}
	for _, a := range added {
		out.Agents = append(out.Agents, a.ID)
	}
	out.Imported, out.Kept, out.Skipped, out.SharedKey = len(added), len(file.Agents)-len(added), len(file.Skipped), file.SharedKey
	out.Problems = append(out.Problems, file.Skipped...)
	if in.DryRun {
		return out, nil
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "clawbot.imported", Payload: map[string]any{"file": out.File},
		Result: map[string]any{"imported": out.Imported, "kept": out.Kept, "skipped": out.Skipped}})
}
