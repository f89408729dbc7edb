package chat

import (
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Command is one that begins with a slash. Those with a Prompt are messages: the
// model reads a fixed text with the arguments in it. The others never reach it.
type Command struct {
	Name  string   `json:"name"`
	Usage string   `json:"usage"` // of its arguments
	Short string   `json:"short"`
	Args  []string `json:"-"` // names; "?" behind one makes it optional, "…" takes the rest
	// Prompt is what the model is told; nil for a command of the program itself.
	Prompt func(args map[string]string) string `json:"-"`
	// Terminal commands make sense only where a person sits at one.
	Terminal bool `json:"-"`
}

// IsPrompt reports whether the command is a message to the model.
func (c Command) IsPrompt() bool { return c.Prompt != nil }

// Commands are all of them, in the order of /help.
func Commands() []Command {
	list := []Command{
		{Name: "help", Short: "what can be typed here"},
		{Name: "tools", Short: "what the model can call, and what of it waits for you"},
		{Name: "model", Args: []string{"name?"}, Short: "the model that answers, or another one from now on"},
		{Name: "actions", Short: "what waits for you to approve or reject"},
		{Name: "approve", Args: []string{"actionId"}, Short: "look at an action and approve it", Terminal: true},
		{Name: "reject", Args: []string{"actionId", "reason?…"}, Short: "reject an action", Terminal: true},
		{Name: "why", Args: []string{"actionId"}, Short: "what stands behind an action: facts, claim, checks"},
		{Name: "reset", Short: "let the model forget this conversation so far"},
		{Name: "stop", Short: "stop the answer that is being written; so does Ctrl-C"},
		{Name: "kill", Args: []string{"reason?…"}, Short: "turn the kill switch: no model does anything any more"},
		{Name: "quit", Short: "leave; so does Ctrl-D", Terminal: true},
		{Name: "status", Short: "ask for what is set up, spent and waiting",
			Prompt: prompt("Say in short how things stand: call budget_status and actions_pending, and tell what may still be spent, what waits for a person, and whether anything is halted.")},
		{Name: "market", Args: []string{"collection"}, Short: "ask for the cheapest listings of a collection",
			Prompt: prompt("Look up the cheapest listings of the collection named below with market_listings and list them: token, price, anything unusual.")},
		{Name: "quote", Args: []string{"collection", "tokenId", "maxPrice"}, Short: "ask for a quote and its simulation",
			Prompt: prompt("Make a quote with nft_quote for exactly the token named below, for at most the price named below, then simulate it with nft_simulate. Report the quote id, the whole price, fees and how the simulation went. Propose nothing.")},
		{Name: "buy", Args: []string{"quoteId"}, Short: "ask to propose buying a quote; you approve it",
			Prompt: prompt("Simulate the quote named below with nft_simulate. If that passes, propose to buy it with nft_buy, and say in one sentence what is bought for how much. If it does not, say why and propose nothing.")},
		{Name: "autobuy", Args: []string{"count", "maxPrice", "budget"}, Short: "ask to propose buying several; you approve the list",
			Prompt: prompt("Propose with nft_autobuy to buy as many as the count named below says, each for at most maxPrice and all for at most budget, in APE. Pass these values exactly.")},
		{Name: "doctor", Short: "ask what is wrong with this setup",
			Prompt: prompt("Call doctor and explain in short what is wrong and what to do, the most important first.")},
		{Name: "audit", Args: []string{"prefix?"}, Short: "ask about the allowlist",
			Prompt: prompt("Call allowlist_audit, with the prefix named below if there is one, and tell what is allowed and what looks wrong.")},
		{Name: "order", Args: []string{"text…"}, Short: "tell what you want; the model works out the steps",
			Prompt: prompt("Work out how to do what the order below asks for, with the tools you have, step by step. Check with reading tools first. Propose at most one action, and stop there to let the person decide.")},
	}
	for i := range list {
		for _, a := range list[i].Args {
			name := strings.TrimRight(a, "?…")
			if a = strings.TrimSuffix(a, "…"); strings.HasSuffix(a, "?") {
				name = "[" + name + "]"
			} else {
				name = "<" + name + ">"
			}
			list[i].Usage = strings.TrimSpace(list[i].Usage + " " + name)
		}
	}
	return list
}

// prompt makes the text of a prompt command: fixed words, then the arguments as
// JSON strings, so that it is plain where they begin and end.
func prompt(text string) func(map[string]string) string {
	return func(args map[string]string) string {
		names := make([]string, 0, len(args))
		for name := range args {
			names = append(names, name)
		}
		slices.Sort(names)
		out := text
		for _, name := range names {
			out += "\n" + name + ": " + quote(args[name])
		}
		return out
	}
}

// Typed is a line that a person typed, understood.
type Typed struct {
	Command Command // Name "" for a message
	Args    map[string]string
	Text    string // of a message, or the line of a prompt command
	// Expanded is what the model reads in place of a prompt command.
	Expanded string
}

// Parse reads what a person typed. Nothing else may be given to it: no text of a
// model, a tool or a file. A line that begins with two slashes is a message that
// begins with one. An unknown command or a wrong number of arguments is a usage
// fault.
func Parse(line string) (Typed, error) {
	line = strings.TrimSpace(line)
	rest, ok := strings.CutPrefix(line, "/")
	if !ok {
		return Typed{Text: line}, nil
	}
	if strings.HasPrefix(rest, "/") {
		return Typed{Text: rest}, nil
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return Typed{}, fault.New(fault.Usage, "a command is missing behind the slash").Hintf("/help").WithSent(fault.SentNo)
	}
	name := strings.ToLower(words[0])
	if name == "exit" {
		name = "quit"
	}
	list := Commands()
	i := slices.IndexFunc(list, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Typed{}, fault.New(fault.Usage, "there is no command /%s", cut(OneLine(name), 40)).
			Hintf("/help lists them; a message that begins with a slash is typed with two").WithSent(fault.SentNo)
	}
	t := Typed{Command: list[i], Text: line}
	args, err := t.Command.parse(words[1:])
	if err != nil {
		return Typed{}, err
	}
	t.Args = args
	if t.Command.IsPrompt() {
		t.Expanded = t.Command.Prompt(args)
	}
	return t, nil
}

// parse ties words to the names of the arguments.
func (c Command) parse(words []string) (map[string]string, error) {
	args := map[string]string{}
	for _, a := range c.Args {
		rest := strings.HasSuffix(a, "…")
		a = strings.TrimSuffix(a, "…")
		name := strings.TrimSuffix(a, "?")
		if len(words) == 0 {
			if name == a {
				return nil, c.usage(name + " is missing")
			}
			break
		}
		if rest {
			args[name], words = strings.Join(words, " "), nil
			break
		}
		args[name], words = words[0], words[1:]
	}
	if len(words) > 0 {
		return nil, c.usage("that is more than it takes")
	}
	return args, nil
}

func (c Command) usage(why string) error {
	return fault.New(fault.Usage, "/%s: %s", c.Name, why).
		Hintf("%s", strings.TrimSpace("/"+c.Name+" "+c.Usage)).WithSent(fault.SentNo)
}
