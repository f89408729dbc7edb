package commands

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// groups are the first words of commands that have sub-commands, in help's order.
var groups = []struct{ name, short string }{
	{"market", "Look at collections and listings"},
	{"nft", "Quote, simulate and buy NFTs"},
	{"bridge", "Move funds between ApeChain and other chains"},
	{"nft quotes", "Look at saved quotes"},
	{"policy", "What may be spent, on what, and what was"},
	{"allowlist", "The collections that may be bought"},
	{"chain", "The chain this acts on"},
	{"auth", "Credentials of this home"},
	{"wallet", "Keys of this home, and who signs"},
	{"clawbot", "Agents that may call this machine's serve"},
	{"events", "Read, describe and write events"},
	{"sandbox", "A local chain and marketplace to practise on"},
	{"skill", "Skills: find, check, install, mint and publish them"},
	{"v2", "Skills, intents, receipts, vault and agent account on chain"},
	{"v2 skill", "Skills as tokens, and their versions"},
	{"v2 intent", "What is meant to be done, announced on chain"},
	{"v2 receipt", "What was done, proved on chain"},
	{"v2 vault", "The vault that splits what skills earn"},
	{"v2 agent", "The account that runs modules within its on-chain policy"},
	{"pod", "An agent's workspace, and what keeps it going"},
	{"ai", "Models that use these commands, and people who approve"},
	{"ai conversations", "What was said to models, and what they did"},
	{"ai connections", "The models that are connected"},
	{"ai actions", "What models proposed, to approve or reject"},
	{"ai auth", "The passphrase that approvals ask for"},
	{"ai mcp", "The commands as tools for MCP clients"},
	{"ai mcp token", "Tokens of MCP clients that come over HTTP"},
}

// all lists every command. It is a function, so that building the tree is the
// only cost and nothing runs before main.
func all() []Command {
	return slices.Concat(systemCommands(), authCommands(), walletCommands(), clawbotCommands(), marketCommands(), nftCommands(), bridgeCommands(), policyCommands(), allowlistCommands(), eventCommands(), sandboxCommands(), skillCommands(), v2Commands(), podCommands(), aiCommands())
}

// Specs returns the declaration of every command, in the order of docs/commands.md.
func Specs() []Command { return all() }

// newRoot builds the whole tree.
func newRoot(d *Deps) *cobra.Command { return newTree(d, all()) }

// mentioned returns the commands whose first word stands in args, so that a run
// builds only the branch it needs: start-up is time that every call pays. A word
// that is a flag's value costs a branch too many; what asks about the tree itself,
// or names nothing known, gets all of it.
func mentioned(args []string) (list []Command, partial bool) {
	for _, a := range args {
		switch a {
		case "help", "--help", "-h", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
			return all(), false
		}
	}
	for _, c := range all() {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			first, _, _ := strings.Cut(name, " ")
			if slices.Contains(args, first) {
				list = append(list, c)
				break
			}
		}
	}
	if len(list) == 0 {
		return all(), false
	}
	return list, true
}

// newTree builds a tree of some of the commands for one run.
func newTree(d *Deps, list []Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "ape-claw",
		Short: "Quote, simulate and buy on ApeChain; every step is an event",
		Long: `ape-claw is the toolkit agents and developers act on ApeChain with. Every command
emits an event to state/events.jsonl, "ape-claw serve" streams them, and policy
stands between the agent and the money: nothing is sent without --execute.

Start here:  ape-claw demo          the whole story on a local chain
             ape-claw quickstart    what is set up and what to do next`,
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !d.wantJSON {
				return cmd.Help() // a person who looks around
			}
			if d.partial {
				return errPartialTree
			}
			return groupRun(cmd, args)
		},
		Args: cobra.ArbitraryArgs,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(normalize)
	bindGlobals(root, d)
	parents := map[string]*cobra.Command{"": root}
	for _, g := range groups {
		within := func(name string) bool { return strings.HasPrefix(name, g.name+" ") }
		if !slices.ContainsFunc(list, func(c Command) bool { return within(c.Name) || slices.ContainsFunc(c.Aliases, within) }) {
			continue
		}
		words := strings.Fields(g.name)
		c := group(words[len(words)-1], g.short)
		parents[strings.Join(words[:len(words)-1], " ")].AddCommand(c)
		parents[g.name] = c
	}
	for _, c := range list {
		for i, name := range append([]string{c.Name}, c.Aliases...) {
			words := strings.Fields(name)
			parent := parents[strings.Join(words[:len(words)-1], " ")]
			cmd := cobraCommand(c, words[len(words)-1], d)
			cmd.Hidden = i > 0
			parent.AddCommand(cmd)
		}
	}
	return root
}

// normalize accepts the original's camelCase: --maxPrice is --max-price.
func normalize(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(Kebab(name))
}

// cobraCommand is the thin Cobra side of a Command.
func cobraCommand(c Command, use string, d *Deps) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: c.Short, Long: c.Long, Example: c.Example, Args: cobra.ArbitraryArgs}
	if c.Long == "" {
		cmd.Long = c.Short + "."
	}
	op := c.bind(cmd, d)
	cmd.Use += argUsage(c)
	cmd.ValidArgsFunction = argCompleter(c, d)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		execute := cmd.Flags().Lookup("execute")
		d.executes = execute != nil && execute.Changed
		return d.run(cmd.Context(), c, op)
	}
	return cmd
}

// group returns a command that only holds others. Cobra alone would print help
// and exit 0 on `ape-claw nft typo`, so that an agent would read a typo as success.
func group(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: short + ".", Args: cobra.ArbitraryArgs, RunE: groupRun}
}

func groupRun(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fault.New(fault.Usage, "%s needs a command: %s", cmd.CommandPath(), strings.Join(childNames(cmd), ", ")).
			Hintf("%s --help", cmd.CommandPath())
	}
	err := fault.New(fault.Usage, "unknown command %q for %s", shownArg(args[0]), cmd.CommandPath()).
		Hintf("%s --help", cmd.CommandPath())
	if near := nearest(args[0], childNames(cmd)); near != "" {
		err = err.Hintf("did you mean: %s %s", cmd.CommandPath(), near)
	}
	commands := map[string]string{}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			commands[strings.TrimPrefix(c.CommandPath(), "ape-claw ")] = c.Short
		}
	}
	return err.With("commands", commands).With("globalFlags", globalFlagNames(cmd))
}

func childNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func globalFlagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// flagError turns pflag's parse errors into usage faults that name the nearest flag.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	hint := cmd.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var needs *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			return fault.Wrap(err, fault.Usage, "unknown flag %q for %s", "-"+shownArg(short), cmd.CommandPath()).Hintf("%s", hint)
		}
		if near := nearest(Kebab(name), flagNames(cmd)); near != "" {
			hint = "did you mean: --" + near
		}
		return fault.Wrap(err, fault.Usage, "unknown flag %q for %s", "--"+shownArg(name), cmd.CommandPath()).Hintf("%s", hint)
	case errors.As(err, &needs):
		return fault.Wrap(err, fault.Usage, "--%s of %s needs a value", needs.GetSpecifiedName(), cmd.CommandPath()).Hintf("%s", hint)
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		shown, why := shownArg(invalid.GetValue()), invalid.Unwrap().Error()
		if secretFlag(f.Name) {
			shown = hidden
		}
		if f.Name == "json" {
			why = "it is neither true nor false"
		}
		return fault.Wrap(err, fault.Usage, "--%s %q: %s", f.Name, shown, why).Hintf("%s", hint)
	}
	return fault.Wrap(err, fault.Usage, "the flags of %s can't be read", cmd.CommandPath()).Hintf("%s", hint)
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	visit := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	}
	cmd.Flags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	return names
}

// helpCommand is `ape-claw help [command…]`, an error for what does not exist.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "Help about any command", Hidden: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			if err != nil || (len(rest) > 0 && target.HasSubCommands()) {
				if target == nil {
					return groupRun(cmd.Root(), args)
				}
				return groupRun(target, rest)
			}
			return target.Help()
		},
	}
}

// errPartialTree says that the run needs more of the tree than it built.
var errPartialTree = errors.New("the tree is partial")

// Run executes one command line and returns its exit status. It prints exactly one
// JSON document when --json is asked for, also when the program itself fails.
func Run(ctx context.Context, args []string, host Host) (code int) {
	defer func() {
		if v := recover(); v != nil {
			code = crashed(args, host, v)
		}
	}()
	list, partial := mentioned(args)
	code, err := runTree(ctx, args, host, list, partial)
	if errors.Is(err, errPartialTree) {
		code, _ = runTree(ctx, args, host, all(), false)
	}
	return code
}

// crashed tells a panic as the fault of ours that it is. What was in memory may be
// in its text, so that shows only with --log-level debug.
func crashed(args []string, host Host, v any) int {
	d := newDeps(host)
	d.args, d.wantJSON = args, wantsJSON(args)
	root := newTree(d, nil)
	root.FParseErrWhitelist.UnknownFlags = true
	_ = root.ParseFlags(args) // for --log-level; a bad flag is not what is told here
	e := fault.New(fault.Internal, "internal error: the program failed").
		Hintf("nothing that was recorded is lost; run ape-claw doctor, and report this").WithSent(fault.SentMaybe)
	d.loggerAt(d.flaggedLevel()).Error("panic", "value", d.redactor().String(fmt.Sprint(v)), "stack", d.redactor().String(string(debug.Stack())))
	d.printError(Command{Spec: Spec{Protocol: speaks(args)}}, e)
	return fault.ExitCode(e)
}

// speaks reports whether a command line is one of a Protocol command.
func speaks(args []string) bool {
	list, _ := mentioned(args)
	cmd, _, err := newTree(newDeps(Host{Env: func(string) (string, bool) { return "", false }}), list).Find(args)
	return err == nil && slices.ContainsFunc(list, func(c Command) bool {
		return c.Protocol && (c.Name == commandName(cmd) || slices.Contains(c.Aliases, commandName(cmd)))
	})
}

func runTree(ctx context.Context, args []string, host Host, list []Command, partial bool) (int, error) {
	d := newDeps(host)
	defer d.close()
	d.args, d.wantJSON, d.partial = args, wantsJSON(args), partial
	root := newTree(d, list)
	root.SetArgs(args)
	root.SetIn(host.Stdin)
	root.SetOut(host.Stdout)
	root.SetErr(host.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if errors.Is(err, errPartialTree) {
		return 0, err
	}
	if err != nil && !d.ran {
		// Parsing or look-up failed, no operation ran: the error is still to be recorded and told.
		// A read of the log leaves no trace there, however it is misspelt.
		name := commandName(cmd)
		d.spec = Spec{Name: name, Risk: RiskRead}
		if i := slices.IndexFunc(list, func(c Command) bool { return c.Name == name || slices.Contains(c.Aliases, name) }); i >= 0 {
			d.spec.Quiet, d.spec.Protocol = list[i].Quiet, list[i].Protocol
		}
		err = d.finish(ctx, Command{Spec: d.spec}, nil, err)
	}
	d.forwardRest(ctx)
	return fault.ExitCode(err), err
}

func commandName(cmd *cobra.Command) string {
	if cmd == nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "ape-claw"), " ")
}

// wantsJSON finds --json in the arguments before Cobra parses them: an error in
// front of it must be JSON too.
func wantsJSON(args []string) bool {
	want := false
	for _, a := range args {
		switch strings.ToLower(a) {
		case "--":
			return want
		case "--json", "--json=true", "--json=1", "--json=t":
			want = true
		case "--json=false", "--json=0", "--json=f":
			want = false
		}
	}
	return want
}
