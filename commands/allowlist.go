package commands

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func allowlistCommands() []Command {
	return []Command{newAllowlistList(), newAllowlistAudit(), newAllowlistAdd(), newAllowlistRemove()}
}

// AllowlistAuditIn has no flags.
type AllowlistAuditIn struct{}

// AllowlistAuditOut is what is wrong with the allowlist.
type AllowlistAuditOut struct {
	OK bool `json:"ok"`
	policy.Audit
}

func newAllowlistAudit() Command {
	return define(Spec{Name: "allowlist audit", Short: "Find entries without a contract, and names or contracts that collide",
		Events: []string{"allowlist.audit.ran"}, Offline: true, Risk: RiskRead, Permission: "policy:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, _ AllowlistAuditIn) (AllowlistAuditOut, error) {
			list, err := d.Allowlist()
			if err != nil {
				return AllowlistAuditOut{}, err
			}
			a := list.Audit()
			issues := []string{}
			for _, e := range a.Unresolved {
				issues = append(issues, "no contract: "+e.Name)
			}
			for _, c := range a.SlugCollisions {
				issues = append(issues, "several contracts: "+c.Value)
			}
			for _, c := range a.Duplicates {
				issues = append(issues, "several entries: "+c.Value)
			}
			return AllowlistAuditOut{len(issues) == 0, a}, d.Record(ctx, telemetry.Draft{Type: "allowlist.audit.ran",
				Result: map[string]any{"audited": true, "issues": issues}})
		},
		func(p *Printer, out AllowlistAuditOut) {
			p.Head("%s", counted(out.Total, "collection"))
			p.KV("without a contract", fmt.Sprintf("%d", out.UnresolvedCount), "names that collide", fmt.Sprintf("%d", len(out.SlugCollisions)),
				"contracts that collide", fmt.Sprintf("%d", len(out.Duplicates)))
			for _, c := range append(out.SlugCollisions, out.Duplicates...) {
				for _, e := range c.Entries {
					p.Line("  %s: %s %s", clean(c.Value), clean(e.Slug), e.ContractAddress)
				}
			}
		})
}

// AllowlistListIn has no flags.
type AllowlistListIn struct{}

// AllowlistListOut is the effective allowlist.
type AllowlistListOut struct {
	Count   int            `json:"count"`
	Entries []policy.Entry `json:"entries"`
	Files   []string       `json:"files"`
}

func newAllowlistList() Command {
	return define(Spec{Name: "allowlist list", Short: "List the collections that may be bought, and the files that say so",
		Events: []string{"allowlist.list.read"}, Offline: true, Risk: RiskRead, Permission: "policy:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, _ AllowlistListIn) (AllowlistListOut, error) {
			list, err := d.Allowlist()
			if err != nil {
				return AllowlistListOut{}, err
			}
			out := AllowlistListOut{Entries: list.Entries(), Files: list.Files}
			out.Count = len(out.Entries)
			return out, d.Record(ctx, telemetry.Draft{Type: "allowlist.list.read", Result: map[string]any{"count": out.Count}})
		},
		func(p *Printer, out AllowlistListOut) {
			rows := make([][]string, 0, len(out.Entries))
			for _, e := range out.Entries {
				rows = append(rows, []string{e.Name, e.Slug, e.ContractAddress, yesNo(e.Enabled)})
			}
			p.Table([]string{"NAME", "SLUG", "CONTRACT", "ENABLED"}, rows)
			p.Line("from %s", joinWords(out.Files))
		})
}

// AllowlistAddIn is a collection that may be bought from now on.
type AllowlistAddIn struct {
	Collection string `json:"collection" required:"true" help:"its slug"`
	Contract   string `json:"contract" required:"true" help:"its contract address, whole"`
	Name       string `json:"name" help:"its name (the slug when left out)"`
}

// Check refuses an address whose mixed case is not its checksum: one wrong digit
// is another contract.
func (in AllowlistAddIn) Check() error {
	if !common.IsHexAddress(in.Contract) || !strings.HasPrefix(in.Contract, "0x") {
		return fault.New(fault.Usage, "--contract %q is no address: expected 0x and 40 hexadecimal digits", shownArg(in.Contract))
	}
	digits, sum := in.Contract[2:], common.HexToAddress(in.Contract).Hex()
	if digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && in.Contract != sum {
		return fault.New(fault.Usage, "--contract %s: its capitals are not its checksum, so that a digit is wrong", in.Contract).
			Hintf("copy it again from where it is published")
	}
	return nil
}

// AllowlistEntryOut is what was added or removed.
type AllowlistEntryOut struct {
	OK       bool         `json:"ok"`
	Changed  bool         `json:"changed"`
	Entry    policy.Entry `json:"entry"`
	Path     string       `json:"path"`
	Warnings []string     `json:"warnings"`
}

func newAllowlistAdd() Command {
	return define(Spec{Name: "allowlist add", Short: "Let a collection be bought",
		Long: `Put a collection on the home's allowlist.json, which begins as the built-in list. The
contract is what is allowed, and the slug how it is named: the address is shown whole at
the terminal, with what looks like it, and nothing is written before a yes. Other
allowlist files can still take it away.`,
		Example: "  ape-claw allowlist add --collection my-apes --contract 0x…",
		Events:  []string{"allowlist.entry.added"}, Offline: true, Risk: RiskHuman, Permission: "policy:write", AI: Exposure{Class: AINever}, Human: HumanAlways},
		allowlistAdd,
		func(p *Printer, out AllowlistEntryOut) {
			if !out.Changed {
				p.Line("%s is on the allowlist already.", clean(out.Entry.Slug))
				return
			}
			p.Head("%s may be bought", clean(out.Entry.Slug))
			p.KV("contract", common.HexToAddress(out.Entry.ContractAddress).Hex(), "written to", out.Path)
			p.List(yellow, "Warnings", out.Warnings)
		})
}

func allowlistAdd(ctx context.Context, d *Deps, in AllowlistAddIn) (AllowlistEntryOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return AllowlistEntryOut{}, err
	}
	asked := policy.Entry{Name: in.Name, Slug: in.Collection, ContractAddress: strings.ToLower(in.Contract)}
	entry, warnings, err := policy.CheckEntry(cfg.Home, asked)
	if err != nil {
		return AllowlistEntryOut{}, err
	}
	out := AllowlistEntryOut{OK: true, Entry: entry, Path: store.Display(filepath.Join(cfg.Home, "allowlist.json")), Warnings: append([]string{}, warnings...)}
	facts := append([]string{"This lets a collection be bought:"}, entryFacts(entry)...)
	for _, w := range warnings {
		facts = append(facts, "CAREFUL: "+w)
	}
	if err := d.needTerminal(ctx, "put "+entry.Slug+" on the allowlist", facts...); err != nil {
		return AllowlistEntryOut{}, err
	}
	if out.Changed, err = policy.AddEntry(cfg.Home, asked); err != nil {
		return AllowlistEntryOut{}, err
	}
	// What other files say may still be stricter.
	if src, err := d.sources(); err == nil {
		if list, err := policy.LoadAllowlist(src); err == nil {
			if _, err := list.Resolve(entry.ContractAddress); err != nil {
				out.Warnings = append(out.Warnings, fault.From(err).Message)
			}
		}
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "allowlist.entry.added", Result: map[string]any{"slug": entry.Slug,
		"contractAddress": entry.ContractAddress, "name": entry.Name, "added": out.Changed}})
}

// entryFacts shows an entry with its address whole, as its checksum spells it.
func entryFacts(e policy.Entry) []string {
	contract := "none"
	if e.ContractAddress != "" {
		contract = common.HexToAddress(e.ContractAddress).Hex()
	}
	return []string{"  name      " + e.Name, "  slug      " + e.Slug, "  contract  " + contract}
}

// AllowlistRemoveIn names a collection of the allowlist.
type AllowlistRemoveIn struct {
	Collection string `json:"collection" arg:"collection" required:"true" help:"slug, name or contract address" complete:"collections"`
}

func newAllowlistRemove() Command {
	return define(Spec{Name: "allowlist remove", Short: "Take a collection off the allowlist",
		Long: `Take a collection off the home's allowlist.json: every entry of its contract. It is shown
at the terminal first, and nothing is written before a yes.`,
		Example: "  ape-claw allowlist remove my-apes",
		Events:  []string{"allowlist.entry.removed"}, Offline: true, Risk: RiskHuman, Permission: "policy:write", AI: Exposure{Class: AINever}, Human: HumanAlways},
		allowlistRemove,
		func(p *Printer, out AllowlistEntryOut) {
			p.Head("%s can't be bought any more", clean(out.Entry.Slug))
			p.KV("contract", out.Entry.ContractAddress, "written to", out.Path)
		})
}

func allowlistRemove(ctx context.Context, d *Deps, in AllowlistRemoveIn) (AllowlistEntryOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return AllowlistEntryOut{}, err
	}
	list, err := d.Allowlist()
	if err != nil {
		return AllowlistEntryOut{}, err
	}
	entry, err := listedAs(list, in.Collection)
	if err != nil {
		return AllowlistEntryOut{}, err
	}
	facts := append([]string{"This takes a collection off the allowlist:"}, entryFacts(entry)...)
	if err := d.needTerminal(ctx, "remove "+entry.Slug, facts...); err != nil {
		return AllowlistEntryOut{}, err
	}
	query := entry.ContractAddress
	if query == "" {
		query = entry.Slug
	}
	removed, err := policy.RemoveEntry(cfg.Home, query)
	if err != nil {
		return AllowlistEntryOut{}, err
	}
	out := AllowlistEntryOut{OK: true, Changed: true, Entry: removed, Path: store.Display(filepath.Join(cfg.Home, "allowlist.json")), Warnings: []string{}}
	return out, d.Record(ctx, telemetry.Draft{Type: "allowlist.entry.removed", Result: map[string]any{"slug": removed.Slug,
		"contractAddress": removed.ContractAddress, "name": removed.Name}})
}

// listedAs finds the entry that query names, enabled or not: what is to be shown
// before it goes.
func listedAs(list *policy.Allowlist, query string) (policy.Entry, error) {
	var found []policy.Entry
	q := strings.ToLower(query)
	for _, e := range list.Entries() {
		names := q == strings.ToLower(e.Slug) || q == strings.ToLower(e.Name) || e.ContractAddress != "" && q == e.ContractAddress
		same := func(o policy.Entry) bool { return e.ContractAddress != "" && o.ContractAddress == e.ContractAddress }
		if names && !slices.ContainsFunc(found, same) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return policy.Entry{}, fault.New(fault.NotFound, "%q is not on the allowlist", shownArg(query)).Hintf("see what is: ape-claw allowlist list")
	case 1:
		return found[0], nil
	}
	return policy.Entry{}, fault.New(fault.CollectionAmbiguous, "%q names %d collections", shownArg(query), len(found)).
		Hintf("name the one you mean by its contract address")
}
