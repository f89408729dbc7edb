package commands

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// ClawbotServer names a server to ask instead of this state directory.
type ClawbotServer struct {
	API string `json:"api" ai:"operator" help:"base \x60url\x60 of a serve to ask instead of this state directory [$APE_CLAW_API_BASE]"`
}

// server is the server to ask; "" for this state directory.
func (d *Deps) server(in ClawbotServer) (string, error) {
	api, from := in.API, "--api"
	if api == "" {
		api, from = d.host.getenv("APE_CLAW_API_BASE"), "APE_CLAW_API_BASE"
	}
	if api != "" && !isServer(api) {
		return "", fault.New(fault.Usage, "%s is not the http or https URL of a server, without user, query and fragment", from).
			Hintf("give the address that ape-claw serve printed there, such as https://HOST")
	}
	return api, nil
}

// call is how a server is asked about agents.
func (d *Deps) call(api string) (serve.AgentsCall, error) {
	cfg, err := d.Config()
	if err != nil {
		return serve.AgentsCall{}, err
	}
	return serve.AgentsCall{URL: api, Insecure: cfg.TelemetryInsecure, Transport: d.transport()}, nil
}

// asAgent adds the agent's credentials, if both are set.
func (d *Deps) asAgent(c serve.AgentsCall) (serve.AgentsCall, error) {
	cfg, err := d.Config()
	if err == nil && cfg.AgentToken.Set() && cfg.Agent.Source != FromDefault {
		c.Credentials = serve.Credentials{AgentID: cfg.Agent.Value, Token: cfg.AgentToken.Reveal()}
	}
	return c, err
}

// maxSecretInput is more than any key has, in bytes.
const maxSecretInput = 8 << 10

// registrationKey is the server's registration key by flag ("-" reads standard
// input), else by environment; nothing shows it.
func (d *Deps) registrationKey(flag string) (string, error) {
	key := flag
	if flag == "-" {
		if d.host.StdinTTY {
			return "", fault.New(fault.Usage, "standard input is a terminal, which shows what is typed").
				Hintf("export APE_CLAW_REGISTRATION_KEY, or send the key through a pipe")
		}
		b, err := io.ReadAll(io.LimitReader(d.host.Stdin, maxSecretInput+1))
		if err != nil || len(b) > maxSecretInput {
			return "", fault.Wrap(err, fault.Usage, "standard input holds no registration key").Hintf("send the key alone, on one line")
		}
		if key = strings.TrimSpace(string(b)); key == "" {
			return "", fault.New(fault.Usage, "standard input holds no registration key").Hintf("send the key alone, on one line")
		}
	}
	if key == "" {
		key = strings.TrimSpace(d.host.getenv("APE_CLAW_REGISTRATION_KEY"))
	}
	d.redactor().Add(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", fault.New(fault.Usage, "the registration key has characters that no header can carry").
			Hintf("it is one line of plain ASCII")
	}
	return key, nil
}

// invite is the one by flag, else by environment.
func (d *Deps) invite(flag string) string {
	if flag == "" {
		flag = strings.TrimSpace(d.host.getenv("APE_CLAW_INVITE"))
	}
	d.redactor().Add(flag)
	return flag
}

// remoteRegistration is where and with what in registers; an empty URL: here.
func (d *Deps) remoteRegistration(in ClawbotRegisterIn) (c serve.AgentsCall, invite string, err error) {
	api, err := d.server(in.ClawbotServer)
	if err != nil {
		return c, "", err
	}
	invite = d.invite(in.Invite)
	cfg, err := d.Config()
	if err != nil {
		return c, "", err
	}
	// Either is of use at a server alone. A key of the environment may be there for a
	// serve of this machine.
	if api == "" && (invite != "" || in.RegistrationKey != "") {
		if api = cfg.TelemetryURL.Value; api == "" {
			return c, "", fault.New(fault.Usage, "an invite or a registration key is for a server, and none is named").
				Hintf("ape-claw clawbot register --agent-id %s --api https://HOST; without both, the agent is registered here", in.AgentID)
		}
	}
	if c, err = d.call(api); err != nil || api == "" {
		return c, "", err
	}
	if invite == "" || in.RegistrationKey != "" { // one of them is enough: the key is not sent without need
		c.Key, err = d.registrationKey(in.RegistrationKey)
	}
	return c, invite, err
}

// registerThere registers an agent at a server. What a lost answer costs, and how it
// is mended, is in the error.
func (d *Deps) registerThere(ctx context.Context, c serve.AgentsCall, in ClawbotRegisterIn, invite string) (ClawbotRegisterOut, error) {
	r, err := serve.RegisterAgent(ctx, c, in.AgentID, in.Name, invite)
	var f *fault.Error
	if errors.As(err, &f) {
		own := *f
		switch {
		case f.Sent == fault.SentMaybe:
			err = own.Hintf("the server may have registered %s, and its token is lost then; on the server: ape-claw clawbot list, then ape-claw clawbot rotate --agent-id %s", in.AgentID, in.AgentID)
		case f.Code == fault.Conflict:
			err = own.Hintf("choose another id; if the agent is yours, on the server: ape-claw clawbot rotate --agent-id %s", in.AgentID)
		}
	}
	if err != nil {
		return ClawbotRegisterOut{}, err
	}
	return ClawbotRegisterOut{OK: true, Registered: true, AgentID: r.AgentID, Name: r.Name, Token: d.issued(r.Token), Note: tokenNote, Remote: true}, nil
}

// canSave reports why credentials of id can't be saved, before there are any. A token
// of another agent was shown once, and would be lost.
func (d *Deps) canSave(id string) error {
	cfg, err := d.Config()
	if err != nil {
		return err
	}
	if cfg.IsSandbox() {
		return fault.New(fault.Usage, "the sandbox profile uses its own keys: nothing is saved there").Hintf("leave out --save or --profile sandbox")
	}
	if err := store.EnsureDir(cfg.Home); err != nil {
		return err
	}
	prof, err := store.LoadProfile(cfg.Home)
	if err == nil && prof.AgentToken != "" {
		return fault.New(fault.Conflict, "%s holds the token of an agent already", store.Display(store.ProfilePath(cfg.Home))).
			Hintf("to replace it by that of %s: ape-claw auth clear --field agent-token, then this again", id)
	}
	return err
}

// save keeps the credentials of an agent in the auth profile. When that fails they are
// still shown: it warns.
func (d *Deps) save(ctx context.Context, id, token string) (path string, err error) {
	cfg, err := d.Config()
	if err != nil {
		return "", err
	}
	prof, err := store.LoadProfile(cfg.Home)
	if err == nil {
		prof.AgentID, prof.AgentToken = id, token
		err = prof.Save(cfg.Home)
	}
	if err != nil {
		d.warn("%s: the token is not saved; keep the one that is shown, and save it with ape-claw auth set --agent-id %s --agent-token -", fault.From(err).Message, id)
		return "", nil
	}
	path = store.Display(store.ProfilePath(cfg.Home))
	return path, d.Record(ctx, telemetry.Draft{Type: "auth.saved", Result: map[string]any{"path": path, "fields": profileFields(prof)}})
}
