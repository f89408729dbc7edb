package commands

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/v2/skill"
)

// CompletionIn names the shell.
type CompletionIn struct {
	Shell string `json:"shell" arg:"bash|zsh|fish" enum:"bash,zsh,fish" required:"true" help:"the shell to complete for"`
}

// CompletionOut is the script to source.
type CompletionOut struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func newCompletion() Command {
	return define(Spec{Name: "completion", Short: "Print a shell completion script", Risk: RiskRead, Permission: "system:read", AI: Exposure{Class: AIOperator}, Quiet: true, Anywhere: true,
		Long: "Print the completion script of a shell. It completes commands, flags, collections,\nquote ids and event types.",
		Example: `  source <(ape-claw completion bash)
  ape-claw completion zsh > "${fpath[1]}/_ape-claw"
  ape-claw completion fish > ~/.config/fish/completions/ape-claw.fish`},
		func(_ context.Context, d *Deps, in CompletionIn) (CompletionOut, error) {
			var buf bytes.Buffer
			root := newRoot(newDeps(d.host))
			var err error
			switch in.Shell {
			case "bash":
				err = root.GenBashCompletionV2(&buf, true)
			case "zsh":
				err = root.GenZshCompletion(&buf)
			case "fish":
				err = root.GenFishCompletion(&buf, true)
			}
			return CompletionOut{in.Shell, buf.String()}, err
		},
		func(p *Printer, out CompletionOut) { p.printf("%s", out.Script) })
}

type completeFunc = func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective)

// completer returns what completes a field by its complete tag, nil for nothing
// in particular. A completion that can't be computed offers nothing.
func completer(d *Deps, kind string, enum []string) completeFunc {
	var offer func(ctx context.Context) []string
	list := false // values with commas between: the last is completed
	switch kind {
	case "collections":
		offer = d.completeCollections
	case "collectionList":
		offer, list = d.completeCollections, true
	case "requests":
		offer = d.completeRequests
	case "quotes":
		offer = d.completeQuotes
	case "skills":
		offer = d.completeSkills
	case "plans":
		offer = d.completePlans
	case "actions":
		offer = d.completeActions()
	case "waiting":
		offer = d.completeActions(action.Proposed)
	case "connections":
		offer = d.completeConnections
	case "tokens":
		offer = d.completeTokens
	case "tools":
		offer = d.completeTools
	case "toolList":
		offer, list = d.completeTools, true
	case "conversations":
		offer = d.completeConversations
	case "events":
		offer = func(context.Context) []string {
			var out []string
			for _, t := range telemetry.Catalogue() {
				out = append(out, t.Name+"\t"+t.Meaning)
			}
			return out
		}
	case "globs":
		offer = func(context.Context) []string { return eventGlobs() }
		list = true
	case "files":
		return nil
	default:
		offer = func(context.Context) []string { return enum }
	}
	return func(cmd *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		var out []string
		before := ""
		if i := strings.LastIndexByte(toComplete, ','); list && i >= 0 {
			before, toComplete = toComplete[:i+1], toComplete[i+1:]
		}
		for _, c := range offer(cmd.Context()) {
			if strings.HasPrefix(strings.ToLower(c), strings.ToLower(toComplete)) {
				out = append(out, before+c)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// eventGlobs are what a filter of types may say: each domain as a whole, and each
// type.
func eventGlobs() []string {
	var domains, out []string
	for _, t := range telemetry.Catalogue() {
		domain, _, _ := strings.Cut(t.Name, ".")
		if glob := domain + ".*"; !slices.Contains(domains, glob) && glob != telemetry.CustomType {
			domains = append(domains, glob)
		}
		out = append(out, t.Name+"\t"+t.Meaning)
	}
	return append(domains, out...)
}

func (d *Deps) completeCollections(context.Context) []string {
	list, err := d.Allowlist()
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range list.Entries() {
		if e.Enabled && e.Slug != "" {
			out = append(out, e.Slug+"\t"+clean(e.Name))
		}
	}
	return out
}

func (d *Deps) completeQuotes(ctx context.Context) []string {
	cfg, err := d.Config()
	if err != nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(cfg.StateDir, store.StateFile)); err != nil {
		return nil // nothing was quoted here, and a key press makes no file
	}
	quotes, err := d.quoteList(ctx, nft.QuotesListIn{Limit: 20})
	if err != nil {
		return nil
	}
	var out []string
	for _, q := range quotes.Quotes {
		out = append(out, q.QuoteID+"\t"+clean(q.Collection)+" #"+q.TokenID+" "+q.PriceApe.String()+" "+q.Currency)
	}
	return out
}

// argUsage shows positional arguments in the usage line.
func argUsage(c Command) string {
	var s string
	for _, f := range InputFields(c.In) {
		arg := f.Tag.Get("arg")
		switch {
		case arg == "":
		case f.Tag.Get("required") == "true":
			s += " <" + arg + ">"
		default:
			s += " [" + arg + "]"
		}
	}
	return s
}

func (d *Deps) completeRequests(ctx context.Context) []string {
	cfg, err := d.Config()
	if err != nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(cfg.StateDir, store.StateFile)); err != nil {
		return nil // as for quotes
	}
	db, err := d.stateDB(ctx)
	if err != nil {
		return nil
	}
	const most = 20
	all, err := (bridge.Store{DB: db}).Recent(ctx, most)
	if err != nil {
		return nil
	}
	var out []string
	for _, r := range all {
		out = append(out, r.RequestID+"\t"+r.Status+": "+r.Amount.String()+" "+clean(r.Token)+" from "+clean(r.From)+" to "+clean(r.To))
	}
	return out
}

// argCompleter completes the first positional argument.
func argCompleter(c Command, d *Deps) completeFunc {
	for _, f := range InputFields(c.In) {
		if f.Tag.Get("arg") == "" {
			continue
		}
		var enum []string
		if e := f.Tag.Get("enum"); e != "" {
			enum = strings.Split(e, ",")
		}
		one := completer(d, f.Tag.Get("complete"), enum)
		if one == nil {
			return nil
		}
		return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return one(cmd, args, toComplete)
		}
	}
	return cobra.NoFileCompletions
}

// completeSkills offers the skills of the library.
func (d *Deps) completeSkills(ctx context.Context) []string {
	l, err := d.library()
	if err != nil {
		return nil
	}
	page, err := l.Search(ctx, skill.Query{Page: 1, Limit: skill.MaxPage})
	if err != nil {
		return nil
	}
	var out []string
	for _, s := range page.Results {
		out = append(out, s.Slug+"\t"+clean(s.Name))
	}
	return out
}
