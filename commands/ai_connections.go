package commands

import (
	"context"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func aiConnectionCommands() []Command {
	return []Command{newAIConnectionsAdd(), newAIConnectionsList(), newAIConnectionsShow(), newAIConnectionsVerify(),
		newAIConnectionsSet(), newAIConnectionsDefault(), newAIConnectionsRemove()}
}

// What an agent with a shell may do here: before there is a passphrase, all that a
// script may, with the keys that it has anyway. After it, keys, their variables and
// addresses change only with the passphrase, typed at a terminal; without, it can
// choose models and tools, lower and raise caps, disable and enable. A connection
// decides what a model may propose, never what is bought.
const humanOnceInit = "for keys and addresses, once ai auth init ran"

// AIConnectionsAddIn is a new connection.
type AIConnectionsAddIn struct {
	Name    string `json:"name" required:"true" help:"what it is called: letters, digits, _ and -"`
	Preset  string `json:"preset" required:"true" enum:"openai,openrouter,groq,gemini,ollama,other" help:"whose model it is"`
	BaseURL string `json:"baseUrl" help:"another address than the preset's: https, or http on this machine"`
	Model   string `json:"model" help:"the model to use"`
	KeyEnv  string `json:"keyEnv" help:"read the key from this environment variable whenever it is needed, and store none"`
	AIConnectionKey
	AIConnectionSettings
	Default bool `json:"default" help:"use it where none is named"`
}

// AIConnectionKey says where a key comes from: never from the command line itself.
type AIConnectionKey struct {
	AskKey   bool `json:"askKey" help:"ask for the key at the terminal"`
	KeyStdin bool `json:"keyStdin" help:"read the key from standard input"`
}

// AIConnectionSettings is what may be set of any connection.
type AIConnectionSettings struct {
	Tools        string   `json:"tools" enum:"all,read_write,read_only,none" help:"the tools the model has"`
	Tool         []string `json:"tool" complete:"toolList" help:"only these tools, by name"`
	Role         *string  `json:"role" empty:"true" help:"what the model is told it is, at most 2000 characters"`
	Traits       *string  `json:"traits" empty:"true" help:"how it is told to be"`
	Instructions *string  `json:"instructions" empty:"true" help:"what it is told to do"`
	Tier         []string "json:\"tier\" help:\"the model of a tier, as `tier=model`: fast, standard or powerful\""
	Price        []string "json:\"price\" help:\"US dollars for a million tokens, as `model=input/output`; * is any model\""
	TokensPerDay *string  `json:"tokensPerDay" help:"stop for the day (UTC) after so many tokens; 0 is no cap"`
	TurnsPerDay  *string  `json:"turnsPerDay" help:"stop for the day after so many turns"`
	UsdPerDay    *string  `json:"usdPerDay" help:"stop for the day after so many US dollars, by --price"`
}

// AIConnectionOut is a connection as it is now.
type AIConnectionOut struct {
	OK         bool                  `json:"ok"`
	Connection connection.Connection `json:"connection"`
	Note       string                `json:"note,omitempty"`
	Next       string                `json:"next,omitempty"`
}

func newAIConnectionsAdd() Command {
	return define(Spec{Name: "ai connections add", Short: "Connect a model",
		Long: `Connect a model of a provider that speaks the OpenAI chat API. The key is asked for at
the terminal and stored sealed in the home, or read from standard input, or from an
environment variable whenever it is needed. It is never part of a command line, and
goes to the connection's own address alone. Ollama needs no key.`,
		Example: "  ape-claw ai connections add --preset openai --name main\n" +
			"  ape-claw ai connections add --preset openrouter --name router --key-env OPENROUTER_API_KEY\n" +
			"  ape-claw ai connections add --preset ollama --name local --model qwen3\n" +
			"  ape-claw ai connections add --preset other --name own --base-url http://127.0.0.1:8000/v1 --key-stdin <key.txt",
		Events: []string{"ai.connection.changed"}, Offline: true, Risk: RiskHuman, Permission: "ai:write", Human: humanOnceInit,
		AI: Exposure{Class: AINever}},
		aiConnectionsAdd, func(p *Printer, out AIConnectionOut) { printAIConnection(p, out) })
}

func aiConnectionsAdd(ctx context.Context, d *Deps, in AIConnectionsAddIn) (AIConnectionOut, error) {
	s, err := d.aiConnections()
	if err != nil {
		return AIConnectionOut{}, err
	}
	add := connection.AddIn{Name: in.Name, Service: in.Preset, BaseURL: in.BaseURL, Model: in.Model, KeyEnv: in.KeyEnv, Default: in.Default}
	set, err := in.change(ai.Preset{}, connection.Caps{})
	if err != nil {
		return AIConnectionOut{}, err
	}
	if err := d.knownTools(in.Tool); err != nil {
		return AIConnectionOut{}, err
	}
	set.fill(&add)
	if in.KeyEnv != "" && (in.AskKey || in.KeyStdin) {
		return AIConnectionOut{}, oneKey()
	}
	if err := s.CheckAdd(ctx, add); err != nil {
		return AIConnectionOut{}, err
	}
	svc, _ := provider.Lookup(in.Preset)
	at := add.BaseURL
	if at == "" {
		at = svc.BaseURL
	}
	if _, err := d.provePassphrase(ctx, "connect a model", "A new connection "+strings.ToLower(in.Name)+" to "+at); err != nil {
		return AIConnectionOut{}, err
	}
	if in.KeyEnv == "" {
		in.AskKey = in.AskKey || (!in.KeyStdin && !svc.KeyOptional)
		if add.Key, err = d.newKey(ctx, in.AIConnectionKey, strings.ToLower(in.Name), at); err != nil {
			return AIConnectionOut{}, err
		}
	}
	c, err := s.Add(ctx, add)
	if err != nil {
		return AIConnectionOut{}, err
	}
	out := AIConnectionOut{OK: true, Connection: c, Next: d.cli() + " ai connections verify " + c.Name}
	if in.KeyEnv != "" && !c.Key.Has {
		out.Note = in.KeyEnv + " is not set here: the connection answers where it is"
	}
	return out, nil
}

func oneKey() error {
	return fault.New(fault.Usage, "the key comes from one place: --ask-key, --key-stdin or --key-env").Hintf("leave out the others")
}

// AIConnectionsListIn has no flags.
type AIConnectionsListIn struct{}

// AIConnectionsListOut is every connection; no secret is in it.
type AIConnectionsListOut struct {
	OK          bool                    `json:"ok"`
	Count       int                     `json:"count"`
	Connections []connection.Connection `json:"connections"`
}

func newAIConnectionsList() Command {
	return define(Spec{Name: "ai connections list", Short: "List the models that are connected",
		Events: []string{"ai.connections.read"}, Offline: true, Risk: RiskRead, Permission: "ai:read", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, _ AIConnectionsListIn) (AIConnectionsListOut, error) {
			s, err := d.aiConnections()
			if err != nil {
				return AIConnectionsListOut{}, err
			}
			list, err := s.List(ctx)
			if err != nil {
				return AIConnectionsListOut{}, err
			}
			return AIConnectionsListOut{OK: true, Count: len(list), Connections: list},
				d.Record(ctx, telemetry.Draft{Type: "ai.connections.read", Result: map[string]any{"count": len(list)}})
		},
		func(p *Printer, out AIConnectionsListOut) {
			if out.Count == 0 {
				p.Line("No model is connected. The first: ape-claw ai connections add --preset ollama --name local")
				return
			}
			var rows [][]string
			for _, c := range out.Connections {
				name := c.Name
				if c.Default {
					name += " *"
				}
				rows = append(rows, []string{name, c.Service, orNone(c.Model), c.Tools.Name, keyText(c), string(c.Status)})
			}
			p.Table([]string{"NAME", "PROVIDER", "MODEL", "TOOLS", "KEY", "STATUS"}, rows)
		})
}

func orNone(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// keyText says where a key is, and shows its end at the most.
func keyText(c connection.Connection) string {
	var words []string
	if c.Key.Env != "" {
		words = append(words, "in "+c.Key.Env)
	} else if c.Key.Has {
		words = append(words, "stored")
	}
	if c.Key.Hint != "" {
		words = append(words, "…"+c.Key.Hint)
	}
	if !c.Key.Has && c.Key.Env != "" {
		words = append(words, "(not set)")
	}
	return orNone(strings.Join(words, " "))
}

// AIConnectionsShowIn names a connection.
type AIConnectionsShowIn struct {
	Name string `json:"name" arg:"name" required:"true" complete:"connections" help:"the connection"`
}

// AIConnectionsShowOut is a connection and what it used today.
type AIConnectionsShowOut struct {
	OK         bool                  `json:"ok"`
	Connection connection.Connection `json:"connection"`
	Usage      connection.Usage      `json:"usage"`
}

func newAIConnectionsShow() Command {
	return define(Spec{Name: "ai connections show", Short: "Show a connection, its models, and what it used today",
		Events: []string{"ai.connections.read"}, Offline: true, Risk: RiskRead, Permission: "ai:read", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, in AIConnectionsShowIn) (AIConnectionsShowOut, error) {
			s, err := d.aiConnections()
			if err != nil {
				return AIConnectionsShowOut{}, err
			}
			c, err := s.Show(ctx, in.Name)
			if err != nil {
				return AIConnectionsShowOut{}, err
			}
			u, err := s.Day(ctx, c.ID)
			if err != nil {
				return AIConnectionsShowOut{}, err
			}
			return AIConnectionsShowOut{OK: true, Connection: c, Usage: u},
				d.Record(ctx, telemetry.Draft{Type: "ai.connections.read", Result: map[string]any{"count": 1}})
		},
		func(p *Printer, out AIConnectionsShowOut) {
			u := out.Usage
			tokens := strconv.FormatInt(u.Input, 10) + " in, " + strconv.FormatInt(u.Output, 10) + " out"
			if u.Unknown > 0 {
				tokens += ", and " + counted(u.Unknown, "step") + " of unknown usage"
			}
			printAIConnection(p, AIConnectionOut{Connection: out.Connection}, "used today", counted(u.Turns, "turn"), "tokens today", tokens, "cost today", spent(u.CostMicros))
		})
}

// spent is an amount, and nothing for none.
func spent(micros int64) string {
	if micros == 0 {
		return ""
	}
	return dollars(micros)
}

// shownModels is how many of a list people see; --json has all.
const shownModels = 20

func printAIConnection(p *Printer, out AIConnectionOut, more ...string) {
	c := out.Connection
	p.Head("%s", c.Name)
	tools := c.Tools.Name
	if len(c.Tools.Enabled) > 0 {
		tools = strings.Join(c.Tools.Enabled, ", ")
	}
	verified := ""
	if !c.VerifiedAt.IsZero() {
		verified = c.VerifiedAt.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	kv := []string{"status", string(c.Status), "error", c.LastError, "provider", c.Service, "address", c.BaseURL, "key", keyText(c), "model", orNone(c.Model)}
	for _, t := range connection.Tiers() {
		kv = append(kv, "model, "+string(t), c.Tiers[t])
	}
	kv = append(kv, "tools", tools, "role", oneLine(c.Identity.Role), "traits", oneLine(c.Identity.Traits), "instructions", oneLine(c.Identity.Instructions))
	for _, cap := range []struct {
		name  string
		limit int64
		text  string
	}{{"tokens a day", c.Caps.TokensPerDay, ""}, {"turns a day", c.Caps.TurnsPerDay, ""}, {"cost a day", c.Caps.CostMicrosPerDay, spent(c.Caps.CostMicrosPerDay)}} {
		if cap.text == "" && cap.limit > 0 {
			cap.text = strconv.FormatInt(cap.limit, 10)
		}
		if cap.text != "" {
			kv = append(kv, cap.name, "at most "+cap.text)
		}
	}
	if c.Default {
		kv = append(kv, "default", "yes")
	}
	p.KV(append(append(kv, "verified", verified), more...)...)
	list := c.Models
	if len(list) > shownModels {
		list = append(list[:shownModels:shownModels], "and "+strconv.Itoa(len(c.Models)-shownModels)+" more: --json lists them")
	}
	p.List(dim, "Models", list)
	if out.Note != "" {
		p.Line("\n%s", p.style(yellow, clean(out.Note)))
	}
	if out.Next != "" {
		p.List(cyan, "Next", []string{out.Next})
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
