package commands

import (
	"context"
	"strconv"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// registrar is the registry that a server registers agents in. It records what was
// registered; while that can't be done, nothing is. Redactors know tokens and invites by
// their form: one that was told each would look for more and more, as long as the server
// runs, in whatever is written.
type registrar struct {
	*agents.Registry
	d *Deps
}

func (r registrar) Register(ctx context.Context, id, name string) (agents.Agent, string, error) {
	return r.record(ctx, func(ctx context.Context) (agents.Agent, string, error) { return r.Registry.Register(ctx, id, name) })
}

func (r registrar) RegisterInvited(ctx context.Context, id, name, invite string) (agents.Agent, string, error) {
	return r.record(ctx, func(ctx context.Context) (agents.Agent, string, error) {
		return r.Registry.RegisterInvited(ctx, id, name, invite)
	})
}

func (r registrar) record(ctx context.Context, register func(context.Context) (agents.Agent, string, error)) (agents.Agent, string, error) {
	child := r.d.child(servedSpec(), ai.Scope{Source: "serve"})
	defer child.close()
	if err := child.recordable(); err != nil {
		return agents.Agent{}, "", err
	}
	a, token, err := register(ctx)
	if err == nil {
		child.tellAfter(ctx, registered(a.ID, a.Name, false))
	}
	return a, token, err
}

func (r registrar) Invite(ctx context.Context, terms agents.InviteTerms) (agents.Invite, string, error) {
	child := r.d.child(servedSpec(), ai.Scope{Source: "serve"})
	defer child.close()
	if err := child.recordable(); err != nil {
		return agents.Invite{}, "", err
	}
	inv, secret, err := r.Registry.Invite(ctx, terms)
	if err == nil {
		child.tellAfter(ctx, invited(inv, false))
	}
	return inv, secret, err
}

// tellAfter records what has happened, for good. That it could not be recorded, the
// caller is not told: it would lose what only this answer shows.
func (d *Deps) tellAfter(ctx context.Context, draft telemetry.Draft) {
	if err := d.Record(context.WithoutCancel(ctx), draft); err != nil {
		d.logger().Error("record", "type", draft.Type, "cause", fault.From(err).Message)
	}
}

// registered and invited are the events of both; no secret is in them.
func registered(id, name string, remote bool) telemetry.Draft {
	return telemetry.Draft{Type: "clawbot.registered", Result: map[string]any{"agentId": id, "name": name, "remote": remote}}
}

func invited(inv agents.Invite, remote bool) telemetry.Draft {
	return telemetry.Draft{Type: "clawbot.invited", Result: map[string]any{"uses": inv.UsesLeft,
		"expiresAt": inv.Expires.UTC().Format(milliTime), "remote": remote}}
}

const milliTime = "2006-01-02T15:04:05.000Z"

// minRegistrationKey is what somebody would have to guess, in bytes.
const minRegistrationKey = 16

// withRegistration lets a server register agents as the environment says.
func (d *Deps) withRegistration(opt *serve.Options) error {
	opt.Registrar = registrar{d.registry(), d}
	r := &opt.Registration
	if r.Key = d.host.getenv("APE_CLAW_REGISTRATION_KEY"); r.Key != "" && len(r.Key) < minRegistrationKey {
		return fault.New(fault.Usage, "APE_CLAW_REGISTRATION_KEY is shorter than %d bytes: whoever guesses it registers agents", minRegistrationKey).
			Hintf("openssl rand -hex 32 makes one, for APE_CLAW_REGISTRATION_KEY")
	}
	var err error
	if r.Open, err = d.envBool("APE_CLAW_OPEN_REGISTRATION"); err != nil {
		return err
	}
	shared, err := d.envBool("APE_CLAW_SHARED_OPENSEA_KEY")
	if err != nil {
		return fault.New(fault.Usage, "APE_CLAW_SHARED_OPENSEA_KEY is neither 1 nor 0").
			Hintf("the key itself is in OPENSEA_API_KEY; APE_CLAW_SHARED_OPENSEA_KEY=1 gives it to every verified agent")
	}
	if cfg, err := d.Config(); err != nil {
		return err
	} else if shared {
		r.SharedKey = cfg.OpenSeaKey.Reveal()
	}
	ms := func(name string, def time.Duration) time.Duration {
		var n int
		if n, err = d.envNumber(name, int(def.Milliseconds()), err); err != nil {
			return 0
		}
		return time.Duration(min(n, int(agents.MaxInviteTTL.Milliseconds()))) * time.Millisecond
	}
	r.Cooldown = ms("APE_CLAW_REGISTRATION_COOLDOWN_MS", defaultCooldown)
	r.InviteTTL = ms("APE_CLAW_INVITE_TTL_MS", agents.DefaultInviteTTL)
	r.MaxUses, err = d.envNumber("APE_CLAW_INVITE_MAX_USES", agents.MaxInviteUses, err)
	return err
}

const defaultCooldown = 10 * time.Second

// envBool is a switch of the environment, off unless it is on.
func (d *Deps) envBool(name string) (bool, error) {
	v := d.host.getenv(name)
	if v == "" {
		return false, nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		return false, fault.New(fault.Usage, "%s=%s is neither true nor false", name, shownArg(v)).Hintf("export %s=1", name)
	}
	return b, nil
}

// envNumber is a number of the environment, of 0 or more. An error before it stays.
func (d *Deps) envNumber(name string, def int, before error) (int, error) {
	v := d.host.getenv(name)
	if v == "" || before != nil {
		return def, before
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return 0, fault.New(fault.Usage, "%s=%s is not a whole number of 0 or more", name, shownArg(v)).Hintf("export %s=%d", name, def)
	}
	return n, nil
}
