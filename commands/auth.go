package commands

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The fields of the auth profile, as flags name them.
const (
	fieldAgentID    = "agent-id"
	fieldAgentToken = "agent-token"
	fieldOpenSeaKey = "opensea-api-key"
	fieldPrivateKey = "private-key"
)

func authCommands() []Command { return []Command{newAuthSet(), newAuthShow(), newAuthClear()} }

// AuthSetIn holds the fields to save; null (a flag that is not given) leaves a
// field as it is, an empty value deletes it, and "-" asks at the terminal.
type AuthSetIn struct {
	AgentID       *string `json:"agentId" empty:"true" help:"who the events are from"`
	AgentToken    *string `json:"agentToken" empty:"true" secret:"true" help:"the agent's token; - asks at the terminal"`
	OpenSeaAPIKey *string `json:"openseaApiKey" empty:"true" secret:"true" help:"key of the OpenSea API; - asks at the terminal"`
	PrivateKey    *string `json:"privateKey" empty:"true" secret:"true" help:"hex key of the buyer; - asks at the terminal"`
}

// AuthSetOut says what is saved now; no secret is in it.
type AuthSetOut struct {
	OK      bool            `json:"ok"`
	Saved   bool            `json:"saved"`
	Path    string          `json:"path"`
	Fields  map[string]bool `json:"fields"`
	Address string          `json:"address,omitempty"`
}

func newAuthSet() Command {
	return define(Spec{Name: "auth set", Short: "Save credentials in this home",
		Long: `Save credentials in the home's auth.json (mode 0600). An empty value deletes a field;
"-" asks for it at the terminal, so that it never stands on a command line. Saving a
private key needs a person at a terminal; the rest works from a script.`,
		Example: "  ape-claw auth set --private-key -\n  ape-claw auth set --opensea-api-key \"$KEY\"",
		Events:  []string{"auth.saved"}, Offline: true, Risk: RiskHuman, Permission: "auth:write", AI: Exposure{Class: AINever}, Human: "to save or delete a private key"},
		authSet,
		func(p *Printer, out AuthSetOut) {
			p.Head("Saved in %s", out.Path)
			p.KV("address", out.Address)
			for _, name := range []string{"agentId", "agentToken", "openseaApiKey", "privateKey"} {
				if out.Fields[name] {
					p.Line("  %s is set", name)
				}
			}
		})
}

func authSet(ctx context.Context, d *Deps, in AuthSetIn) (AuthSetOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return AuthSetOut{}, err
	}
	if in.AgentID == nil && in.AgentToken == nil && in.OpenSeaAPIKey == nil && in.PrivateKey == nil {
		return AuthSetOut{}, fault.New(fault.Usage, "auth set needs at least one of --agent-id, --agent-token, --opensea-api-key, --private-key").
			Hintf("ape-claw auth set --private-key -")
	}
	if cfg.IsSandbox() {
		return AuthSetOut{}, fault.New(fault.Usage, "the sandbox profile uses its own keys").Hintf("leave out --profile sandbox")
	}
	prof, err := store.LoadProfile(cfg.Home)
	if err != nil {
		return AuthSetOut{}, err
	}
	for _, f := range []struct {
		in  *string
		out *string
		ask string
	}{{in.AgentID, &prof.AgentID, ""}, {in.AgentToken, &prof.AgentToken, "agent token"}, {in.OpenSeaAPIKey, &prof.OpenSeaAPIKey, "OpenSea API key"}, {in.PrivateKey, &prof.PrivateKey, "private key"}} {
		if f.in == nil {
			continue
		}
		v := *f.in
		if v == "-" && f.ask != "" {
			if v, err = d.askSecret(ctx, f.ask); err != nil {
				return AuthSetOut{}, err
			}
		}
		if v = strings.TrimSpace(v); isPlaceholder(v) {
			return AuthSetOut{}, fault.New(fault.Usage, "what was given stands for a value, and is none").Hintf("give the value itself, or - to be asked for it")
		}
		if f.ask != "" {
			d.redactor().Add(v)
		}
		*f.out = v
	}
	if prof.AgentID != "" && !validAgent(prof.AgentID) {
		return AuthSetOut{}, badAgent(prof.AgentID)
	}
	if err := d.confirmKey(ctx, in.PrivateKey, prof.PrivateKey); err != nil {
		return AuthSetOut{}, err
	}
	if err := prof.Save(cfg.Home); err != nil {
		return AuthSetOut{}, err
	}
	out := AuthSetOut{OK: true, Saved: true, Path: store.Display(store.ProfilePath(cfg.Home)), Fields: profileFields(prof), Address: keyAddress(prof.PrivateKey)}
	return out, d.Record(ctx, telemetry.Draft{Type: "auth.saved", Result: map[string]any{"path": out.Path, "fields": out.Fields}})
}

// isPlaceholder reports whether v was copied from a hint or a text, as it stood there.
func isPlaceholder(v string) bool {
	return strings.Contains(v, "…") || strings.HasSuffix(v, "...") || strings.HasPrefix(v, "<") && strings.HasSuffix(v, ">")
}

// confirmKey checks a new private key and lets only a person save or delete one.
func (d *Deps) confirmKey(ctx context.Context, in *string, key string) error {
	if in == nil {
		return nil
	}
	if key == "" {
		return d.needTerminal(ctx, "delete the saved private key")
	}
	s, err := chain.NewKeySigner(key, FromFlag)
	if err != nil {
		return err
	}
	return d.needTerminal(ctx, "save the private key of "+s.Address().Hex())
}

func profileFields(p store.Profile) map[string]bool {
	return map[string]bool{"agentId": p.AgentID != "", "agentToken": p.AgentToken != "", "openseaApiKey": p.OpenSeaAPIKey != "", "privateKey": p.PrivateKey != ""}
}

func keyAddress(key string) string {
	if key == "" {
		return ""
	}
	s, err := chain.NewKeySigner(key, FromProfile)
	if err != nil {
		return ""
	}
	return s.Address().Hex()
}

// AuthShowIn has no flags.
type AuthShowIn struct{}

// AuthShowOut shows what is set and from where; secrets are masked.
type AuthShowOut struct {
	OK            bool         `json:"ok"`
	Path          string       `json:"path"`
	AgentID       string       `json:"agentId"`
	AgentToken    string       `json:"agentToken"`
	OpenSeaAPIKey string       `json:"openseaApiKey"`
	PrivateKey    string       `json:"privateKey"`
	Address       string       `json:"address,omitempty"`
	Sources       []AuthSource `json:"sources"`
}

// AuthSource is where a credential comes from. A map by field would be taken for
// the secrets themselves and hidden.
type AuthSource struct {
	Field  string `json:"field"`
	Source string `json:"source"`
}

func (o AuthShowOut) source(field string) string {
	for _, s := range o.Sources {
		if s.Field == field {
			return " (" + s.Source + ")"
		}
	}
	return ""
}

// masked stands for a secret that is set. It shows nothing of it: the ends of a
// key are enough to recognise it elsewhere.
const masked = "********"

func newAuthShow() Command {
	return define(Spec{Name: "auth show", Short: "Show which credentials are set and where they come from",
		Events: []string{"auth.shown"}, Offline: true, Risk: RiskRead, Permission: "auth:read", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, _ AuthShowIn) (AuthShowOut, error) {
			cfg, err := d.Config()
			if err != nil {
				return AuthShowOut{}, err
			}
			out := AuthShowOut{OK: true, Path: store.Display(store.ProfilePath(cfg.Home)), AgentID: cfg.Agent.Value,
				Sources: []AuthSource{{"agentId", cfg.Agent.Source}}}
			for _, f := range []struct {
				name string
				s    Secret
				out  *string
			}{{"agentToken", cfg.AgentToken, &out.AgentToken}, {"openseaApiKey", cfg.OpenSeaKey, &out.OpenSeaAPIKey}, {"privateKey", cfg.PrivateKey, &out.PrivateKey}} {
				if f.s.Set() {
					*f.out, out.Sources = masked, append(out.Sources, AuthSource{f.name, f.s.Source})
				}
			}
			if cfg.PrivateKey.Set() {
				s, err := chain.NewKeySigner(cfg.PrivateKey.Reveal(), cfg.PrivateKey.Source)
				if err != nil {
					return AuthShowOut{}, err
				}
				out.Address = s.Address().Hex()
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "auth.shown"})
		},
		func(p *Printer, out AuthShowOut) {
			p.Head("Credentials (%s)", out.Path)
			p.KV("agent id", out.AgentID+out.source("agentId"), "agent token", out.AgentToken+out.source("agentToken"),
				"OpenSea key", out.OpenSeaAPIKey+out.source("openseaApiKey"), "private key", out.PrivateKey+out.source("privateKey"), "address", out.Address)
		})
}

// AuthClearIn names what to forget.
type AuthClearIn struct {
	Field string `json:"field" enum:"agent-id,agent-token,opensea-api-key,private-key" help:"the field to forget"`
	All   bool   `json:"all" help:"forget everything"`
}

// AuthClearOut says what was forgotten.
type AuthClearOut struct {
	OK      bool     `json:"ok"`
	Cleared []string `json:"cleared"`
}

func newAuthClear() Command {
	return define(Spec{Name: "auth clear", Short: "Forget saved credentials",
		Long:   "Forget one field of the home's auth.json, or all. Forgetting a private key needs a\nperson at a terminal.",
		Events: []string{"auth.cleared"}, Offline: true, Risk: RiskHuman, Permission: "auth:write", AI: Exposure{Class: AINever}, Human: "to delete a private key"},
		authClear,
		func(p *Printer, out AuthClearOut) {
			if len(out.Cleared) == 0 {
				p.Line("Nothing was saved.")
				return
			}
			p.Line("Forgot %s.", joinWords(out.Cleared))
		})
}

func authClear(ctx context.Context, d *Deps, in AuthClearIn) (AuthClearOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return AuthClearOut{}, err
	}
	if (in.Field == "") == !in.All {
		return AuthClearOut{}, fault.New(fault.Usage, "auth clear needs either --field or --all").Hintf("ape-claw auth clear --field opensea-api-key")
	}
	prof, err := store.LoadProfile(cfg.Home)
	if err != nil && !in.All {
		return AuthClearOut{}, err
	}
	if prof.PrivateKey != "" && (in.All || in.Field == fieldPrivateKey) {
		if err := d.needTerminal(ctx, "delete the saved private key"); err != nil {
			return AuthClearOut{}, err
		}
	}
	out := AuthClearOut{OK: true, Cleared: []string{}}
	for _, f := range []struct {
		name string
		v    *string
	}{{fieldAgentID, &prof.AgentID}, {fieldAgentToken, &prof.AgentToken}, {fieldOpenSeaKey, &prof.OpenSeaAPIKey}, {fieldPrivateKey, &prof.PrivateKey}} {
		if *f.v != "" && (in.All || in.Field == f.name) {
			*f.v = ""
			out.Cleared = append(out.Cleared, f.name)
		}
	}
	if in.All {
		prof.Other = map[string]json.RawMessage{}
	}
	if _, err := os.Stat(store.ProfilePath(cfg.Home)); err == nil {
		if err := prof.Save(cfg.Home); err != nil {
			return AuthClearOut{}, err
		}
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "auth.cleared", Result: map[string]any{"cleared": out.Cleared}})
}
