package commands

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/skill"
)

// SkillPlaceIn says where skills are for agents to read.
type SkillPlaceIn struct {
	Scope     string `json:"scope" ai:"operator" enum:"global,local" help:"global: ~/.openclaw/skills and ~/.claude/skills, of those agents that are there; local: ./skills, and ./.claude/skills where .claude is there (default global)"`
	SkillsDir string `json:"skillsDir" ai:"operator" help:"this directory instead" complete:"files"`
}

func (in SkillPlaceIn) scope() string {
	switch {
	case in.SkillsDir != "":
		return "custom"
	case in.Scope == "":
		return "global"
	}
	return in.Scope
}

// skillDirs are the directories that agents read skills from.
func (d *Deps) skillDirs(in SkillPlaceIn) []string {
	if in.SkillsDir != "" {
		return []string{in.SkillsDir}
	}
	if in.Scope == "local" {
		dirs := []string{"skills"}
		if isDir(".claude") {
			dirs = append(dirs, filepath.Join(".claude", "skills"))
		}
		return dirs
	}
	home := d.host.getenv("HOME")
	var dirs []string
	for _, agent := range []string{".openclaw", ".claude"} {
		if isDir(filepath.Join(home, agent)) {
			dirs = append(dirs, filepath.Join(home, agent, "skills"))
		}
	}
	if len(dirs) == 0 { // it works without either
		dirs = []string{filepath.Join(home, ".openclaw", "skills")}
	}
	return dirs
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// SkillInstallIn is the input of skill install.
type SkillInstallIn struct {
	Skill   string `json:"skill" ai:"operator" arg:"slug" complete:"skills" help:"slug, file or https address of a card (default: the core skill)"`
	Version string `json:"version" ai:"operator" help:"the version of a slug (default: the newest)"`
	SkillPlaceIn
	StarterPack      bool   `json:"starterPack" ai:"operator" help:"the core skill, autobuy and the bridge"`
	NoStarterPack    bool   `json:"noStarterPack" ai:"operator" help:"accepted for compatibility: nothing is installed that is not asked for"`
	Force            bool   `json:"force" ai:"operator" help:"replace what is there, after a copy of it went to .backups beside it"`
	AllowUnvetted    bool   `json:"allowUnvetted" ai:"operator" help:"install a card that nobody vetted here"`
	AllowHighRisk    bool   `json:"allowHighRisk" ai:"operator" help:"install a card of risk tier 3, or with something in it that a person should look at"`
	AllowUnchecked   bool   `json:"allowUnchecked" ai:"operator" help:"install a card that names a skill on chain although the chain can't be asked"`
	API              string `json:"api" ai:"operator" help:"base \x60url\x60 of a serve to fetch a slug from that is not in the library [$APE_CLAW_API_BASE]"`
	AllowCustomAPI   bool   `json:"allowCustomApi" ai:"operator" help:"let --api be another than that of the environment"`
	AllowInsecureAPI bool   `json:"allowInsecureApi" ai:"operator" help:"fetch over http from another machine"`
}

// SkillInstallOut is what was installed.
type SkillInstallOut struct {
	OK                 bool             `json:"ok"`
	Installed          bool             `json:"installed"`
	Scope              string           `json:"scope"`
	SkillPath          string           `json:"skillPath"` // of the first
	Slug               string           `json:"slug"`
	Version            string           `json:"version"`
	ContentHash        string           `json:"contentHash"`
	Skills             []SkillInstalled `json:"skills"`
	OpenclawAvailable  bool             `json:"openclawAvailable"`
	AutoInstalled      []string         `json:"autoInstalled"`      // always empty: nothing is installed that was not named
	AutoInstallMissing []string         `json:"autoInstallMissing"` // skills that it names, and that are not installed
	OnChain            *SkillOnChain    `json:"onChain,omitempty"`
	Next               []string         `json:"next"`
}

// SkillInstalled is one skill in one directory.
type SkillInstalled struct {
	Slug    string `json:"slug"`
	Version string `json:"version"`
	skill.Installed
}

// SkillOnChain is the published version that a card was held against.
type SkillOnChain struct {
	SkillID string `json:"skillId"`
	ChainID int64  `json:"chainId"`
	Checked bool   `json:"checked"` // false: the chain could not be asked, and --allow-unchecked
}

func newSkillInstall() Command {
	return define(Spec{Name: "skill install", Short: "Install a skill where agents read it",
		Long: `Write a skill's SKILL.md and its card into the directories that OpenClaw and Claude read:
the core skill, which teaches an agent to use ape-claw, or a card by its slug in the
library, by file, by https address, or from a serve. Only text is written, and nothing is
run. What is there stays unless --force is given, and is kept in a copy then.

A card that nobody vetted here needs --allow-unvetted; one of risk tier 3, or in which
something was found that a person should look at (skill validate shows it), needs
--allow-high-risk. A card that names its skill on chain is held against the published
hash. One that changed and kept its version is refused, and the difference shown.`,
		Example: "  ape-claw skill install\n  ape-claw skill install ape-claw-bridge --allow-high-risk\n  ape-claw skill install ./my-skill.v1.0.0.json --scope local --allow-unvetted",
		Events:  []string{"skill.install.ran"}, Offline: true, Risk: RiskWrite, Permission: "skill:install", AI: Exposure{Class: AIOperator}},
		skillInstall,
		func(p *Printer, out SkillInstallOut) {
			for _, s := range out.Skills {
				words := map[string]string{skill.StateInstalled: "installed in", skill.StateReplaced: "replaced in", skill.StateUnchanged: "is already in"}[s.State]
				p.Line("%s %s %s %s", clean(s.Slug), s.Version, words, clean(store.Display(s.Path)))
				if s.Backup != "" {
					p.Line("  what was there is in %s", clean(store.Display(s.Backup)))
				}
			}
			if len(out.AutoInstallMissing) > 0 {
				p.Line("It names other skills, which are not installed: %s", clean(strings.Join(out.AutoInstallMissing, ", ")))
			}
			p.List(cyan, "Next", out.Next)
		})
}

func skillInstall(ctx context.Context, d *Deps, in SkillInstallIn) (out SkillInstallOut, err error) {
	out = SkillInstallOut{Scope: in.scope(), Skills: []SkillInstalled{}, AutoInstalled: []string{}, AutoInstallMissing: []string{},
		OpenclawAvailable: isDir(filepath.Join(d.host.getenv("HOME"), ".openclaw"))}
	packs, err := d.wanted(ctx, in)
	if err == nil {
		for _, p := range packs {
			if err = d.acceptable(ctx, in, p, &out); err != nil {
				break
			}
		}
	}
	dirs := d.skillDirs(in.SkillPlaceIn)
	if err == nil {
		err = installable(dirs, packs, in.Force)
	}
	if err != nil {
		slug := in.Skill
		if len(packs) > 0 {
			slug = packs[0].Card.Slug
		}
		return out, errors.Join(err, d.recordInstall(ctx, fault.Excerpt(slug, 128), false, out, ""))
	}
	for _, p := range packs {
		for _, dir := range dirs {
			done, err := skill.Install(dir, p, in.Force, d.host.Now())
			if err != nil {
				return out, err
			}
			out.Skills = append(out.Skills, SkillInstalled{p.Card.Slug, p.Card.Version, done})
		}
		if err := d.recordInstall(ctx, p.Card.Slug, true, out, out.Skills[len(out.Skills)-1].Path); err != nil {
			return out, err
		}
	}
	first := packs[0].Card
	out.OK, out.Installed, out.SkillPath = true, true, out.Skills[0].Path
	out.Slug, out.Version, out.ContentHash = first.Slug, first.Version, first.ContentHash.Hex()
	out.AutoInstallMissing = missing(packs, dirs)
	out.Next = []string{"start the agent anew, so that it reads its skills", "ape-claw doctor"}
	return out, nil
}

func (d *Deps) recordInstall(ctx context.Context, slug string, installed bool, out SkillInstallOut, path string) error {
	if slug == "" {
		slug = skill.CoreSlug
	}
	return d.Record(ctx, telemetry.Draft{Type: "skill.install.ran",
		Result: map[string]any{"slug": slug, "installed": installed, "scope": out.Scope, "skillPath": store.Display(path)}})
}

// wanted are the skills to install, with their SKILL.md.
func (d *Deps) wanted(ctx context.Context, in SkillInstallIn) (all []skill.Package, err error) {
	var cards []skill.Entry
	switch {
	case in.StarterPack && in.Skill != "":
		return nil, fault.New(fault.Usage, "--starter-pack and a skill's name exclude each other").Hintf("leave one of them out").WithSent(fault.SentNo)
	case in.StarterPack && in.NoStarterPack:
		return nil, fault.New(fault.Usage, "--starter-pack and --no-starter-pack exclude each other").Hintf("leave one of them out").WithSent(fault.SentNo)
	case in.StarterPack:
		for _, s := range skill.Seeds() {
			cards = append(cards, skill.Entry{Card: s.Card, Raw: s.Raw})
		}
	default:
		e, err := d.oneSkill(ctx, in)
		if err != nil {
			return nil, err
		}
		cards = []skill.Entry{e}
	}
	l, err := d.library()
	if err != nil {
		return nil, err
	}
	for _, e := range cards {
		vetted, err := l.Vetted(e.Card)
		if err != nil {
			return nil, err
		}
		p, err := skill.Pack(e.Card, e.Raw, vetted)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// oneSkill finds the one that was named: by address, file or slug.
func (d *Deps) oneSkill(ctx context.Context, in SkillInstallIn) (e skill.Entry, err error) {
	name := in.Skill
	if name == "" {
		name = skill.CoreSlug
	}
	fetched := strings.Contains(name, "://")
	if in.Version != "" && (fetched || isCardFile(name)) {
		return e, fault.New(fault.Usage, "--version chooses among the versions of a slug").Hintf("leave it out").WithSent(fault.SentNo)
	}
	switch {
	case fetched:
		e.Card, e.Raw, err = d.fetchCard(ctx, name, in.AllowInsecureAPI)
		return e, err
	case isCardFile(name):
		e.Card, e.Raw, err = v2.ReadCard(name)
		return e, err
	case !skill.IsSlug(name):
		return e, fault.New(fault.Usage, "%q is no slug, no file that ends in .json, and no address", fault.Excerpt(name, 60)).
			Hintf("a slug is lower-case letters, digits and single hyphens between them").WithSent(fault.SentNo)
	}
	l, err := d.library()
	if err != nil {
		return e, err
	}
	e, err = l.Get(ctx, name, in.Version)
	if !isCode(err, fault.NotFound) {
		return e, err
	}
	api, err2 := d.skillAPI(in)
	if err2 != nil {
		return e, err2
	}
	if api == "" {
		return e, err
	}
	e.Card, e.Raw, err = d.fetchSkill(ctx, api, name, in.Version, in.AllowInsecureAPI)
	return e, err
}

// isCardFile reports whether a name means a file rather than a slug.
func isCardFile(name string) bool {
	return strings.HasSuffix(name, ".json") || strings.ContainsAny(name, `/\`)
}

// acceptable refuses what needs a flag that was not given.
func (d *Deps) acceptable(ctx context.Context, in SkillInstallIn, p skill.Package, out *SkillInstallOut) error {
	c := p.Card
	found := skill.Review(c, p.Raw)
	if bad, refused := skill.Refused(found); refused {
		return fault.New(fault.PermissionDenied, "%s is not installed: %s %s", c.Slug, bad.At, bad.Why).
			Hintf("no flag allows it; ape-claw skill install is the real one").WithSent(fault.SentNo).With("findings", found)
	}
	l, err := d.library()
	if err != nil {
		return err
	}
	vetted, err := l.Vetted(c)
	switch {
	case err != nil:
		return err
	case !vetted && !in.AllowUnvetted:
		return fault.New(fault.PermissionDenied, "nobody vetted %s %s here", c.Slug, c.Version).
			Hintf("read it (ape-claw skill show, or skill validate FILE), then ape-claw skill vet, or --allow-unvetted").WithSent(fault.SentNo).With("findings", append([]skill.Finding{}, found...))
	case c.RiskTier == 3 && !in.AllowHighRisk:
		return fault.New(fault.PermissionDenied, "%s is of risk tier 3: it may move money", c.Slug).Hintf("--allow-high-risk installs it").WithSent(fault.SentNo)
	case !vetted && len(found) > 0 && !in.AllowHighRisk:
		return fault.New(fault.PermissionDenied, "%s has something that a person should look at: %s %s", c.Slug, found[0].At, found[0].Why).
			Hintf("look at it, then --allow-high-risk installs it").WithSent(fault.SentNo).With("findings", found)
	}
	return d.onChain(ctx, in, c, out)
}

// onChain holds a card that names its skill against what was published.
func (d *Deps) onChain(ctx context.Context, in SkillInstallIn, c skill.Card, out *SkillInstallOut) error {
	if c.SkillID == "" {
		return nil
	}
	at, err := d.publishedCard(ctx, c.SkillID, c.ChainID, c)
	if err != nil {
		if in.AllowUnchecked && !isCode(err, fault.PermissionDenied) {
			d.warn("%s is installed unchecked: %s", c.Slug, fault.From(err).Message)
			out.OnChain = &SkillOnChain{SkillID: c.SkillID, ChainID: c.ChainID}
			return nil
		}
		return err
	}
	out.OnChain = &SkillOnChain{SkillID: c.SkillID, ChainID: at, Checked: true}
	return nil
}

// publishedCard holds a card against the published versions of a skill. That they
// differ is a fault.PermissionDenied.
func (d *Deps) publishedCard(ctx context.Context, skillID string, chainID int64, c skill.Card) (int64, error) {
	s, err := d.v2(ctx)
	if err != nil {
		return 0, err
	}
	at, held, err := s.HoldCard(ctx, skillID, c)
	switch {
	case err != nil:
		return 0, err
	case chainID != 0 && chainID != at:
		return at, fault.New(fault.ChainMismatch, "the card names a skill on chain %d, and this is chain %d", chainID, at).
			Hintf("use the profile of that chain").WithSent(fault.SentNo)
	case !held.Agrees:
		return at, fault.New(fault.PermissionDenied, "the card is not the one that was published for skill %s on chain %d: %s", skillID, at, heldWords(held.Index == nil, c.Version)).
			Hintf("ask its publisher; ape-claw v2 skill show --skill-id %s shows what is there", skillID).WithSent(fault.SentNo).With("contentHash", c.ContentHash.Hex())
	}
	return at, nil
}

func heldWords(none bool, version string) string {
	if none {
		return "version " + version + " was not published"
	}
	return "version " + version + " was published of another card"
}

// installable reports what would be refused, before anything is written.
func installable(dirs []string, packs []skill.Package, force bool) error {
	for _, p := range packs {
		for _, dir := range dirs {
			if err := skill.Installable(dir, p, force); err != nil {
				return err
			}
		}
	}
	return nil
}

// missing are the skills that others name, and that are in none of the directories.
func missing(packs []skill.Package, dirs []string) []string {
	out := []string{}
	for _, p := range packs {
		for _, b := range p.Card.Bindings {
			if b.Type != skill.BindingSkill || !skill.IsSlug(b.Command) || slices.Contains(out, b.Command) {
				continue
			}
			there := slices.ContainsFunc(dirs, func(dir string) bool {
				_, err := os.Lstat(filepath.Join(dir, b.Command, skill.MarkdownFile))
				return err == nil
			})
			if !there {
				out = append(out, b.Command)
			}
		}
	}
	return out
}

// rawCard is a document as answers embed it.
func rawCard(raw []byte) any { return json.RawMessage(raw) }
