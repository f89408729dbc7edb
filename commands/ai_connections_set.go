package commands

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AIConnectionsVerifyIn names a connection.
type AIConnectionsVerifyIn struct {
	Name string `json:"name" arg:"name" required:"true" complete:"connections" help:"the connection"`
}

func newAIConnectionsVerify() Command {
	return define(Spec{Name: "ai connections verify", Short: "Ask a connection's provider for its models, in one request",
		Long: `Ask the provider for its list of models, in one request, and keep it. A connection that
was in error, or whose key was refused, is active again when that succeeds.`,
		Events: []string{"ai.connection.verified"}, Offline: true, Risk: RiskWrite, Permission: "ai:write", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, in AIConnectionsVerifyIn) (AIConnectionOut, error) {
			if err := d.notChild("verify a connection"); err != nil {
				return AIConnectionOut{}, err
			}
			s, err := d.aiConnections()
			if err != nil {
				return AIConnectionOut{}, err
			}
			c, err := s.Verify(ctx, in.Name)
			if err != nil {
				return AIConnectionOut{}, err
			}
			out := AIConnectionOut{OK: true, Connection: c}
			if _, err := c.Choose("", connection.Fast); err != nil {
				out.Next = d.cli() + " ai connections set " + c.Name + " --model <model>"
			}
			return out, nil
		}, func(p *Printer, out AIConnectionOut) { printAIConnection(p, out) })
}

// AIConnectionsSetIn is what to change; what is not given stays.
type AIConnectionsSetIn struct {
	Name    string  `json:"name" arg:"name" required:"true" complete:"connections" help:"the connection"`
	Rename  string  `json:"rename" help:"call it so"`
	BaseURL string  `json:"baseUrl" help:"another address; the stored key and its variable are forgotten, the models too"`
	Model   *string `json:"model" empty:"true" help:"the model to use; empty lets the tier choose"`
	KeyEnv  *string `json:"keyEnv" empty:"true" help:"read the key from this environment variable; empty names none"`
	AIConnectionKey
	ForgetKey bool `json:"forgetKey" help:"delete the stored key"`
	AIConnectionSettings
	Disable bool `json:"disable" help:"let it answer nothing"`
	Enable  bool `json:"enable" help:"let it answer again"`
}

func newAIConnectionsSet() Command {
	return define(Spec{Name: "ai connections set", Short: "Change a connection",
		Long: `Change a connection. Another address forgets the key, which would be sent to another
host. Once "ai auth init" ran, keys and addresses change only with the passphrase.`,
		Example: "  ape-claw ai connections set main --model gpt-x\n  ape-claw ai connections set main --ask-key\n" +
			"  ape-claw ai connections set main --price '*=2.50/10' --usd-per-day 5",
		Events: []string{"ai.connection.changed"}, Offline: true, Risk: RiskHuman, Permission: "ai:write", Human: humanOnceInit,
		AI: Exposure{Class: AINever}},
		aiConnectionsSet, func(p *Printer, out AIConnectionOut) { printAIConnection(p, out) })
}

func aiConnectionsSet(ctx context.Context, d *Deps, in AIConnectionsSetIn) (AIConnectionOut, error) {
	s, err := d.aiConnections()
	if err != nil {
		return AIConnectionOut{}, err
	}
	was, err := s.Show(ctx, in.Name)
	if err != nil {
		return AIConnectionOut{}, err
	}
	change, err := in.whole(was)
	if err != nil {
		return AIConnectionOut{}, err
	}
	if err := d.knownTools(in.Tool); err != nil {
		return AIConnectionOut{}, err
	}
	at := was.BaseURL
	if change.BaseURL != nil {
		if at, err = connection.CheckURL(*change.BaseURL); err != nil {
			return AIConnectionOut{}, err
		}
	}
	key := in.AskKey || in.KeyStdin || in.ForgetKey
	if key || change.NeedsProof() {
		facts := []string{"Connection " + was.Name + " at " + at}
		if at != was.BaseURL {
			facts = append(facts, "It was at "+was.BaseURL+": the key it had is forgotten.")
		}
		if _, err := d.provePassphrase(ctx, "change the key or address of "+was.Name, facts...); err != nil {
			return AIConnectionOut{}, err
		}
	}
	var secret connection.Secret
	if in.AskKey || in.KeyStdin {
		if secret, err = d.newKey(ctx, in.AIConnectionKey, was.Name, at); err != nil {
			return AIConnectionOut{}, err
		}
	}
	c, err := s.Set(ctx, was.ID, change)
	if err == nil && key {
		c, err = s.SetSecret(ctx, was.ID, secret)
	}
	if err != nil {
		return AIConnectionOut{}, err
	}
	out := AIConnectionOut{OK: true, Connection: c}
	if key || change.NeedsProof() || c.Status == connection.ReauthRequired {
		out.Next = d.cli() + " ai connections verify " + c.Name
	}
	return out, nil
}

// whole is the change that the flags ask for.
func (in AIConnectionsSetIn) whole(was connection.Connection) (connection.Change, error) {
	c, err := in.change(was.Tools, was.Caps)
	if err != nil {
		return connection.Change{}, err
	}
	if in.Enable && in.Disable {
		return connection.Change{}, fault.New(fault.Usage, "a connection is either enabled or disabled").Hintf("leave out --enable or --disable")
	}
	ways := 0
	for _, way := range []bool{in.AskKey, in.KeyStdin, in.ForgetKey, in.KeyEnv != nil && *in.KeyEnv != ""} {
		if way {
			ways++
		}
	}
	if ways > 1 {
		return connection.Change{}, oneKey()
	}
	c.Model, c.KeyEnv = in.Model, in.KeyEnv
	if in.Rename != "" {
		c.Name = &in.Rename
	}
	if in.BaseURL != "" {
		c.BaseURL = &in.BaseURL
	}
	if in.Enable || in.Disable {
		c.Disabled = &in.Disable
	}
	return connection.Change(c), nil
}

// settings is a connection.Change that a new connection may be made with too.
type settings connection.Change

// change reads the settings of the flags.
func (in AIConnectionSettings) change(tools ai.Preset, caps connection.Caps) (settings, error) {
	c := settings{Role: in.Role, Traits: in.Traits, Instruct: in.Instructions}
	switch {
	case len(in.Tool) > 0 && in.Tools != "":
		return c, fault.New(fault.Usage, "the tools are a preset or a list").Hintf("leave out --tools or --tool")
	case len(in.Tool) > 0:
		tools = ai.Preset{Name: ai.PresetCustom, Enabled: in.Tool}
		c.Tools = &tools
	case in.Tools != "":
		tools = ai.Preset{Name: in.Tools}
		c.Tools = &tools
	}
	for _, t := range in.Tier {
		tier, model, ok := strings.Cut(t, "=")
		if !ok {
			return c, fault.New(fault.Usage, "a tier is given as tier=model").Hintf("--tier fast=<model>")
		}
		if c.Tiers == nil {
			c.Tiers = map[connection.Tier]string{}
		}
		c.Tiers[connection.Tier(tier)] = model
	}
	for _, text := range in.Price {
		model, price, err := priceOf(text)
		if err != nil {
			return c, err
		}
		if c.Prices == nil {
			c.Prices = map[string]*connection.Price{}
		}
		c.Prices[model] = price
	}
	for _, f := range []struct {
		flag string
		text *string
		to   *int64
		read func(string) (int64, error)
	}{
		{"--tokens-per-day", in.TokensPerDay, &caps.TokensPerDay, number},
		{"--turns-per-day", in.TurnsPerDay, &caps.TurnsPerDay, number},
		{"--usd-per-day", in.UsdPerDay, &caps.CostMicrosPerDay, micros},
	} {
		if f.text == nil {
			continue
		}
		n, err := f.read(*f.text)
		if err != nil {
			return c, fault.Wrap(err, fault.Usage, "%s is not an amount of 0 or more", f.flag).Hintf("%s 0 is no cap", f.flag)
		}
		*f.to, c.Caps = n, &caps
	}
	return c, nil
}

// fill puts the settings into a new connection.
func (c settings) fill(in *connection.AddIn) {
	for _, f := range []struct {
		from *string
		to   *string
	}{{c.Role, &in.Identity.Role}, {c.Traits, &in.Identity.Traits}, {c.Instruct, &in.Identity.Instructions}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if c.Tools != nil {
		in.Tools = *c.Tools
	}
	if c.Caps != nil {
		in.Caps = *c.Caps
	}
	in.Tiers = c.Tiers
	for model, p := range c.Prices {
		if in.Prices == nil {
			in.Prices = connection.Prices{}
		}
		if p != nil {
			in.Prices[model] = *p
		}
	}
}

func number(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && n < 0 {
		err = errors.New("below 0")
	}
	return n, err
}

// microDigits are the decimals of what money for models is counted in: millionths
// of a US dollar.
const microDigits = 6

func micros(s string) (int64, error) {
	w, err := units.Parse(s, microDigits)
	if err != nil {
		return 0, err
	}
	n, ok := w.Uint64()
	if !ok || n > 1<<50 {
		return 0, errors.New("too large")
	}
	return int64(n), nil
}

// priceOf reads model=input/output; model= removes the price.
func priceOf(text string) (model string, p *connection.Price, err error) {
	bad := fault.New(fault.Usage, "a price is given as model=input/output, in US dollars for a million tokens").Hintf("--price '*=2.50/10'")
	// A model's name may hold a =, an amount none.
	i := strings.LastIndex(text, "=")
	if i < 1 {
		return "", nil, bad
	}
	model, amounts := text[:i], text[i+1:]
	if amounts == "" {
		return model, nil, nil
	}
	input, output, ok := strings.Cut(amounts, "/")
	if !ok {
		return "", nil, bad
	}
	p = &connection.Price{}
	if p.InputMicros, err = micros(input); err != nil {
		return "", nil, bad
	}
	if p.OutputMicros, err = micros(output); err != nil {
		return "", nil, bad
	}
	return model, p, nil
}

// maxKeyInput is more than any key, in bytes.
const maxKeyInput = 8 << 10

// newKey reads a key from where the flags say; none when they say nothing.
func (d *Deps) newKey(ctx context.Context, in AIConnectionKey, name, at string) (connection.Secret, error) {
	var text string
	var err error
	switch {
	case in.AskKey && in.KeyStdin:
		return "", oneKey()
	case in.KeyStdin:
		if d.host.StdinTTY {
			return "", fault.New(fault.Usage, "standard input is a terminal, which shows what is typed").Hintf("--ask-key asks for the key without showing it")
		}
		var b []byte
		if b, err = io.ReadAll(io.LimitReader(d.host.Stdin, maxKeyInput)); err != nil {
			return "", fault.Wrap(err, fault.Usage, "standard input can't be read")
		}
		text = string(b)
	case in.AskKey:
		t, err := d.terminal("type a key")
		if err != nil {
			e := *fault.From(err)
			if e.Code == fault.ApprovalRequired {
				e.Code, e.Hint = fault.TTYRequired, "run it in a terminal, or give the key with --key-stdin, or name its variable with --key-env"
			}
			return "", &e
		}
		if err := t.Close(); err != nil {
			return "", fault.Wrap(err, fault.TTYRequired, "the terminal can't be used")
		}
		if text, err = d.atTerminal(ctx, "type a key", []string{"Connection " + name + " sends its key to " + at}, "key: ", Terminal.ReadSecret); err != nil {
			return "", err
		}
	default:
		return "", nil
	}
	text = strings.TrimSpace(text)
	d.redactor().Add(text)
	if text == "" {
		return "", fault.New(fault.Usage, "no key was given").Hintf("give it, or name its variable with --key-env")
	}
	return connection.Secret(text), nil
}

// AIConnectionsDefaultIn names a connection.
type AIConnectionsDefaultIn struct {
	Name string `json:"name" arg:"name" required:"true" complete:"connections" help:"the connection to use where none is named"`
}

func newAIConnectionsDefault() Command {
	return define(Spec{Name: "ai connections default", Short: "Choose the connection to use where none is named",
		Events: []string{"ai.connection.changed"}, Offline: true, Risk: RiskWrite, Permission: "ai:write", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in AIConnectionsDefaultIn) (AIConnectionOut, error) {
			if err := d.notChild("change a connection"); err != nil {
				return AIConnectionOut{}, err
			}
			s, err := d.aiConnections()
			if err != nil {
				return AIConnectionOut{}, err
			}
			yes := true
			c, err := s.Set(ctx, in.Name, connection.Change{Default: &yes})
			return AIConnectionOut{OK: true, Connection: c}, err
		}, func(p *Printer, out AIConnectionOut) { printAIConnection(p, out) })
}

// AIConnectionsRemoveIn names a connection.
type AIConnectionsRemoveIn struct {
	Name string `json:"name" arg:"name" required:"true" complete:"connections" help:"the connection to forget"`
}

// AIConnectionsRemoveOut says what was forgotten.
type AIConnectionsRemoveOut struct {
	OK      bool   `json:"ok"`
	Removed bool   `json:"removed"`
	ID      string `json:"id"`
	Name    string `json:"name"`
}

func newAIConnectionsRemove() Command {
	return define(Spec{Name: "ai connections remove", Short: "Forget a connection and its key",
		Events: []string{"ai.connection.changed"}, Offline: true, Risk: RiskHuman, Permission: "ai:write", Human: humanOnceInit,
		AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in AIConnectionsRemoveIn) (AIConnectionsRemoveOut, error) {
			s, err := d.aiConnections()
			if err != nil {
				return AIConnectionsRemoveOut{}, err
			}
			// By its id: one that does not exist leaves no file behind, and one that can't
			// be read can still be removed by its name.
			if _, err := s.Show(ctx, in.Name); fault.CodeOf(err) == fault.NotFound {
				return AIConnectionsRemoveOut{}, err
			}
			if _, err := d.provePassphrase(ctx, "remove a connection", "Connection "+in.Name+" and its key are forgotten."); err != nil {
				return AIConnectionsRemoveOut{}, err
			}
			c, err := s.Remove(ctx, in.Name)
			return AIConnectionsRemoveOut{OK: true, Removed: true, ID: c.ID, Name: c.Name}, err
		},
		func(p *Printer, out AIConnectionsRemoveOut) {
			p.Line("Forgot %s and its key.", clean(out.Name))
		})
}
