package commands

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/skill"
)

func skillCommands() []Command {
	return []Command{newSkillSearch(), newSkillShow(), newSkillList(), newSkillInstall(), newSkillValidate(), newSkillHash(),
		newSkillAdd(), newSkillRemove(), newSkillVet(), newSkillMint()}
}

// SkillCardSchema is the JSON Schema of skill cards, for docs/.
func SkillCardSchema() []byte { return skill.Schema() }

// library is the skill cards of the state directory. What only looks makes no file.
func (d *Deps) library() (*skill.Library, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	vetted, err := d.vetted()
	if err != nil {
		return nil, err
	}
	return skill.NewLibrary(skill.Opener(d.agentsDB()), filepath.Join(cfg.StateDir, skill.IndexFile), vetted, d.host.Now), nil
}

// vetted is the home's list of cards that a person vetted. The sandbox has its own,
// since nobody is asked there.
func (d *Deps) vetted() (skill.Vetted, error) {
	cfg, err := d.Config()
	if err != nil {
		return skill.Vetted{}, err
	}
	return skill.Vetted{Path: filepath.Join(cfg.Home, "vetted-skills.json")}, nil
}

// SkillFileIn names a card.
type SkillFileIn struct {
	File string `json:"file" ai:"operator" arg:"file" required:"true" complete:"files" help:"the card (JSON)"`
}

// SkillValidateIn is the input of skill validate.
type SkillValidateIn struct {
	SkillFileIn
	Strict bool `json:"strict" ai:"operator" help:"fail also when a person should look at something in it"`
}

// SkillValidateOut is what was found out about a card.
type SkillValidateOut struct {
	OK          bool            `json:"ok"`
	Slug        string          `json:"slug"`
	Name        string          `json:"name"`
	Version     string          `json:"version"`
	RiskTier    int             `json:"riskTier"`
	ContentHash string          `json:"contentHash"`
	VersionHash string          `json:"versionHash"`
	FileName    string          `json:"fileName"` // that it has by custom
	Findings    []skill.Finding `json:"findings"`
}

func newSkillValidate() Command {
	return define(Spec{Name: "skill validate", Short: "Check a skill card, and say what in it a person should look at",
		Long: `Read a card strictly: each key known, there once and of its kind, at most 256 KiB; an error
names the place by its JSON pointer. Then look through its texts for what an agent should
not be told: to show keys, to run what it downloads, to go around a person, names that
imitate ape-claw's own skills. With --strict such a finding is a failure, for use in CI.`,
		Example: "  ape-claw skill validate my-skill.v1.0.0.json\n  ape-claw skill validate my-skill.v1.0.0.json --strict --json",
		Events:  []string{"skill.card.checked"}, Offline: true, Risk: RiskRead, Permission: "skill:read", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, in SkillValidateIn) (SkillValidateOut, error) {
			c, raw, err := v2.ReadCard(in.File)
			if err != nil {
				return SkillValidateOut{}, err
			}
			out := SkillValidateOut{OK: true, Slug: c.Slug, Name: c.Name, Version: c.Version, RiskTier: c.RiskTier, ContentHash: c.ContentHash.Hex(),
				VersionHash: v2.VersionHash(c.Version).Hex(), FileName: c.FileName(), Findings: append([]skill.Finding{}, skill.Review(c, raw)...)}
			if err := d.Record(ctx, telemetry.Draft{Type: "skill.card.checked", Result: map[string]any{
				"slug": c.Slug, "version": c.Version, "contentHash": out.ContentHash, "findings": findingCodes(out.Findings)}}); err != nil {
				return out, err
			}
			if bad, refused := skill.Refused(out.Findings); refused {
				return out, fault.New(fault.ChecksFailed, "no place would take this card: %s %s", bad.At, bad.Why).Hintf("give it a name of its own").With("findings", out.Findings)
			}
			if in.Strict && len(out.Findings) > 0 {
				return out, fault.New(fault.ChecksFailed, "%s to look at: %s %s", counted(len(out.Findings), "place"), out.Findings[0].At, out.Findings[0].Why).
					Hintf("mend the card, or leave out --strict").With("findings", out.Findings)
			}
			return out, nil
		},
		func(p *Printer, out SkillValidateOut) {
			p.Head("%s %s is a valid card", clean(out.Slug), out.Version)
			p.KV("name", clean(out.Name), "risk tier", fmt.Sprint(out.RiskTier), "content hash", out.ContentHash, "version hash", out.VersionHash, "file name", out.FileName)
			printFindings(p, out.Findings)
		})
}

func findingCodes(found []skill.Finding) []string {
	codes := []string{}
	for _, f := range found {
		if !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

func printFindings(p *Printer, found []skill.Finding) {
	if len(found) == 0 {
		return
	}
	rows := make([][]string, 0, len(found))
	for _, f := range found {
		rows = append(rows, []string{p.style(yellow, f.Code), clean(f.At), clean(f.Why), clean(f.Text)})
	}
	p.Line("To look at:")
	p.Table([]string{"WHAT", "WHERE", "WHY", "TEXT"}, rows)
}

// SkillHashOut are the hashes that are published.
type SkillHashOut struct {
	OK          bool   `json:"ok"`
	Slug        string `json:"slug"`
	Version     string `json:"version"`
	ContentHash string `json:"contentHash"`
	VersionHash string `json:"versionHash"`
}

func newSkillHash() Command {
	return define(Spec{Name: "skill hash", Short: "Print the hashes of a skill card as they go on chain",
		Long: `Print keccak256 of the card's canonical JSON (keys sorted, no spaces, values as ECMAScript
writes them) and of its version. Spaces and the order of keys don't change them.`,
		Example: "  ape-claw skill hash my-skill.v1.0.0.json",
		Events:  []string{"skill.card.checked"}, Offline: true, Risk: RiskRead, Permission: "skill:read", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, in SkillFileIn) (SkillHashOut, error) {
			c, _, err := v2.ReadCard(in.File)
			if err != nil {
				return SkillHashOut{}, err
			}
			out := SkillHashOut{OK: true, Slug: c.Slug, Version: c.Version, ContentHash: c.ContentHash.Hex(), VersionHash: v2.VersionHash(c.Version).Hex()}
			return out, d.Record(ctx, telemetry.Draft{Type: "skill.card.checked", Result: map[string]any{"slug": c.Slug, "version": c.Version, "contentHash": out.ContentHash}})
		},
		func(p *Printer, out SkillHashOut) {
			p.KV("content hash", out.ContentHash, "version hash", out.VersionHash)
		})
}

// SkillSearchIn is the input of skill search.
type SkillSearchIn struct {
	Q      []string `json:"q" ai:"expose" arg:"words" help:"words that all have to be in slug, name, publisher, description or permissions"`
	Source string   `json:"source" ai:"expose" enum:"seed,user,imported" help:"only cards that are part of ape-claw, that were added here, or fetched"`
	Vetted string   `json:"vetted" ai:"expose" enum:"true,false" help:"only cards that a person vetted, or only others"`
	Page   int      `json:"page" ai:"expose" default:"1" min:"1" help:"the page"`
	Limit  int      `json:"limit" ai:"expose" default:"20" min:"1" max:"200" help:"results of a page, at most 200"`
}

// SkillSearchOut is a page of cards.
type SkillSearchOut struct {
	OK bool `json:"ok"`
	skill.Page
}

func newSkillSearch() Command {
	return define(Spec{Name: "skill search", Short: "Search the library of skills",
		Long: `Search the cards that are part of ape-claw and those in this machine's library, each in its
newest version: first the slug that was asked for, then those that begin with it.`,
		Example: "  ape-claw skill search floor sweep\n  ape-claw skill search --vetted true --json",
		Events:  []string{"skill.cards.read"}, Offline: true, Risk: RiskRead, Permission: "skill:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in SkillSearchIn) (SkillSearchOut, error) {
			l, err := d.library()
			if err != nil {
				return SkillSearchOut{}, err
			}
			page, err := l.Search(ctx, skill.Query{Q: strings.Join(in.Q, " "), Source: in.Source, Vetted: in.Vetted, Page: in.Page, Limit: in.Limit})
			if err != nil {
				return SkillSearchOut{}, err
			}
			return SkillSearchOut{OK: true, Page: page}, d.Record(ctx, telemetry.Draft{Type: "skill.cards.read", Result: map[string]any{"count": len(page.Results), "total": page.Total}})
		},
		func(p *Printer, out SkillSearchOut) {
			if len(out.Results) == 0 {
				p.Line("No skill has that.")
				return
			}
			p.Head("%s, page %d of %d", counted(out.Total, "skill"), out.Page.Page, out.Pages)
			rows := make([][]string, 0, len(out.Results))
			for _, s := range out.Results {
				rows = append(rows, []string{clean(s.Slug), s.Version, riskWords(p, s), s.Source, clean(fault.Excerpt(s.Description, 70))})
			}
			p.Table([]string{"SLUG", "VERSION", "RISK", "SOURCE", "WHAT IT DOES"}, rows)
		})
}

// riskWords is what speaks against installing a skill without a look at it.
func riskWords(p *Printer, s skill.Summary) string {
	w := "-"
	if s.RiskTier > 0 {
		w = fmt.Sprint(s.RiskTier)
	}
	if !s.VettedOK {
		w += p.style(yellow, " unvetted")
	}
	if len(s.Findings) > 0 {
		w += p.style(red, " "+strings.Join(s.Findings, " "))
	}
	return w
}

// SkillShowIn names a skill of the library.
type SkillShowIn struct {
	Slug    string `json:"slug" ai:"expose" arg:"slug" required:"true" maxlen:"128" complete:"skills" help:"the skill"`
	Version string `json:"version" ai:"expose" maxlen:"64" help:"its version (default: the newest)"`
}

// SkillShowOut is a card of the library.
type SkillShowOut struct {
	OK    bool            `json:"ok"`
	Skill skill.Summary   `json:"skill"`
	Found []skill.Finding `json:"findings"`
	Card  any             `json:"card"` // the document
	Text  string          `json:"markdown"`
}

func newSkillShow() Command {
	return define(Spec{Name: "skill show", Short: "Show a skill of the library, and what an agent would read",
		Long: `Show a card of the library with what a person should look at in it, and the SKILL.md that
skill install would write. What it says is its publisher's word.`,
		Example: "  ape-claw skill show ape-claw-autobuy",
		Events:  []string{"skill.card.read"}, Offline: true, Risk: RiskRead, Permission: "skill:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in SkillShowIn) (SkillShowOut, error) {
			l, err := d.library()
			if err != nil {
				return SkillShowOut{}, err
			}
			e, err := l.Get(ctx, in.Slug, in.Version)
			if err != nil {
				return SkillShowOut{}, err
			}
			text, err := skill.Markdown(e.Card, e.VettedOK)
			if err != nil {
				return SkillShowOut{}, err
			}
			out := SkillShowOut{OK: true, Skill: e.Summary, Found: append([]skill.Finding{}, skill.Review(e.Card, e.Raw)...), Card: rawCard(e.Raw), Text: string(text)}
			return out, d.Record(ctx, telemetry.Draft{Type: "skill.card.read", Result: map[string]any{"slug": e.Slug, "version": e.Version, "contentHash": e.ContentHash}})
		},
		func(p *Printer, out SkillShowOut) {
			s := out.Skill
			p.Head("%s %s: %s", clean(s.Slug), s.Version, clean(s.Name))
			onChain := ""
			if s.OnChain != nil {
				onChain = fmt.Sprintf("skill %s on chain %d", s.OnChain.SkillID, s.OnChain.ChainID)
			}
			p.KV("risk", riskWords(p, s), "source", s.Source, "publisher", clean(s.Provenance.Publisher), "content hash", s.ContentHash, "on chain", onChain)
			printFindings(p, out.Found)
			p.Line("")
			for l := range strings.Lines(out.Text) {
				p.Line("  %s", clean(strings.TrimSuffix(l, "\n")))
			}
		})
}

// SkillListIn says which installed skills.
type SkillListIn struct{ SkillPlaceIn }

// SkillListOut are the skills that are installed.
type SkillListOut struct {
	OK     bool             `json:"ok"`
	Count  int              `json:"count"`
	Skills []InstalledSkill `json:"skills"`
}

// InstalledSkill is a skill as it lies in a directory that agents read.
type InstalledSkill struct {
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Version     string `json:"version"`
	SkillPath   string `json:"skillPath"`
	ContentHash string `json:"contentHash"`
	VettedOK    bool   `json:"vettedOk"`
	Changed     bool   `json:"changed"` // its SKILL.md is not what its card says
}

func newSkillList() Command {
	return define(Spec{Name: "skill list", Short: "List the skills that are installed for agents on this machine",
		Long: `List the skills that skill install wrote, in the directories that agents read. One whose
SKILL.md is not what its card says was changed by somebody since.`,
		Example: "  ape-claw skill list\n  ape-claw skill list --scope local --json",
		Events:  []string{"skill.cards.read"}, Offline: true, Risk: RiskRead, Permission: "skill:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in SkillListIn) (SkillListOut, error) {
			out := SkillListOut{OK: true, Skills: []InstalledSkill{}}
			l, err := d.library()
			if err != nil {
				return out, err
			}
			for _, dir := range d.skillDirs(in.SkillPlaceIn) {
				list, err := skill.ListInstalled(dir)
				if err != nil {
					return out, err
				}
				for _, p := range list {
					vetted, err := l.Vetted(p.Card)
					if err != nil {
						return out, err
					}
					out.Skills = append(out.Skills, InstalledSkill{p.Card.Slug, p.Card.Name, p.Card.Version, skillPath(dir, p.Card.Slug),
						p.Card.ContentHash.Hex(), vetted, changed(p)})
				}
			}
			out.Count = len(out.Skills)
			return out, d.Record(ctx, telemetry.Draft{Type: "skill.cards.read", Result: map[string]any{"count": out.Count, "installed": true}})
		},
		func(p *Printer, out SkillListOut) {
			if out.Count == 0 {
				p.Line("No skill is installed.")
				p.List(cyan, "Next", []string{"ape-claw skill install"})
				return
			}
			rows := make([][]string, 0, out.Count)
			for _, s := range out.Skills {
				state := "as installed"
				if s.Changed {
					state = p.style(yellow, "changed since")
				}
				if !s.VettedOK {
					state += p.style(yellow, ", unvetted")
				}
				rows = append(rows, []string{clean(s.Slug), s.Version, state, clean(store.Display(s.SkillPath))})
			}
			p.Table([]string{"SLUG", "VERSION", "STATE", "WHERE"}, rows)
		})
}

// skillPath is where an installed skill is, absolute where that can be told.
func skillPath(dir, slug string) string {
	path := filepath.Join(dir, slug, skill.MarkdownFile)
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// changed reports whether what an agent reads is not what the card says.
func changed(p skill.Package) bool {
	for _, vetted := range []bool{true, false} {
		if text, err := skill.Markdown(p.Card, vetted); err == nil && string(text) == string(p.Markdown) {
			return false
		}
	}
	return true
}
