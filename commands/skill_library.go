package commands

import (
	"context"
	"fmt"
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

// SkillAddIn names cards.
type SkillAddIn struct {
	Files []string `json:"files" ai:"operator" arg:"file" required:"true" complete:"files" help:"cards (JSON); of a directory, all files in it that end in .json"`
}

// SkillAddOut is what was added.
type SkillAddOut struct {
	OK    bool          `json:"ok"`
	Count int           `json:"count"` // new or changed
	Same  int           `json:"same"`  // that were there
	Cards []skill.Added `json:"cards"` // the first hundred
}

// maxAddedShown is how many cards the answer lists.
const maxAddedShown = 100

func newSkillAdd() Command {
	return define(Spec{Name: "skill add", Short: "Put skill cards into this machine's library",
		Long: `Put cards into the library, where skill search and a serve of this state directory find
them: all of them, or none if one is not valid. The same slug and version again replaces
what is there. That they are in the library vets nothing.`,
		Example: "  ape-claw skill add my-skill.v1.0.0.json\n  ape-claw skill add ./cards",
		Events:  []string{"skill.card.added"}, Offline: true, Risk: RiskWrite, Permission: "skill:write", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, in SkillAddIn) (SkillAddOut, error) {
			files, err := cardFiles(in.Files)
			if err != nil {
				return SkillAddOut{}, err
			}
			cards := make([]skill.NewCard, 0, len(files))
			for _, f := range files {
				c, raw, err := v2.ReadCard(f)
				if err != nil {
					return SkillAddOut{}, err
				}
				cards = append(cards, skill.NewCard{Card: c, Raw: raw, Source: skill.SourceUser})
			}
			l, err := d.library()
			if err != nil {
				return SkillAddOut{}, err
			}
			added, err := l.Add(ctx, cards...)
			if err != nil {
				return SkillAddOut{}, err
			}
			out := SkillAddOut{OK: true, Cards: []skill.Added{}}
			for _, a := range added {
				if a.Same {
					out.Same++
				} else {
					out.Count++
				}
				if len(out.Cards) < maxAddedShown {
					out.Cards = append(out.Cards, a)
				}
			}
			return out, d.recordAdded(ctx, added)
		},
		func(p *Printer, out SkillAddOut) {
			for _, a := range out.Cards {
				word := map[bool]string{true: "is there already", false: "added"}[a.Same]
				if a.Replaced {
					word = "replaced: its content changed, and its version did not"
				}
				p.Line("%s %s: %s", clean(a.Slug), a.Version, word)
			}
			if more := out.Count + out.Same - len(out.Cards); more > 0 {
				p.Line("and %d more", more)
			}
		})
}

// recordAdded tells of cards that came into the library: of one by itself, of many
// how many.
func (d *Deps) recordAdded(ctx context.Context, added []skill.Added) error {
	added = slices.DeleteFunc(slices.Clone(added), func(a skill.Added) bool { return a.Same })
	result := map[string]any{"count": len(added)}
	if len(added) == 1 {
		a := added[0]
		result = map[string]any{"count": 1, "slug": a.Slug, "version": a.Version, "contentHash": a.ContentHash, "replaced": a.Replaced}
	}
	return d.Record(ctx, telemetry.Draft{Type: "skill.card.added", Result: result})
}

// cardFiles are the files that are named, those of directories by name.
func cardFiles(names []string) (all []string, err error) {
	for _, name := range names {
		if !isDir(name) {
			all = append(all, name)
			continue
		}
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, store.Unusable(err, name)
		}
		before := len(all)
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".json") {
				all = append(all, filepath.Join(name, e.Name()))
			}
		}
		if len(all) == before {
			return nil, fault.New(fault.NotFound, "no file in %s ends in .json", store.Display(name)).WithSent(fault.SentNo)
		}
	}
	return all, nil
}

// SkillRemoveIn names a card of the library.
type SkillRemoveIn struct {
	Slug    string `json:"slug" ai:"operator" arg:"slug" required:"true" complete:"skills" help:"the skill"`
	Version string `json:"version" ai:"operator" required:"true" help:"its version"`
}

// SkillRemoveOut is what was removed.
type SkillRemoveOut struct {
	OK      bool   `json:"ok"`
	Slug    string `json:"slug"`
	Version string `json:"version"`
}

func newSkillRemove() Command {
	return define(Spec{Name: "skill remove", Short: "Take a skill card out of this machine's library",
		Long: `Take a version of a skill out of the library. What is installed stays where it is: that is
a directory, which you delete.`,
		Example: "  ape-claw skill remove my-skill --version 1.0.0",
		Events:  []string{"skill.card.removed"}, Offline: true, Risk: RiskWrite, Permission: "skill:write", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, in SkillRemoveIn) (SkillRemoveOut, error) {
			l, err := d.library()
			if err != nil {
				return SkillRemoveOut{}, err
			}
			s, err := l.Remove(ctx, skill.Card{Slug: in.Slug, Version: in.Version}.FileName(), "")
			if err != nil {
				return SkillRemoveOut{}, err
			}
			return SkillRemoveOut{OK: true, Slug: s.Slug, Version: s.Version},
				d.Record(ctx, telemetry.Draft{Type: "skill.card.removed", Result: map[string]any{"slug": s.Slug, "version": s.Version}})
		},
		func(p *Printer, out SkillRemoveOut) { p.Line("%s %s is gone.", clean(out.Slug), out.Version) })
}

// SkillVetIn names what was looked at.
type SkillVetIn struct {
	Skill   string `json:"skill" ai:"operator" arg:"slug" required:"true" complete:"skills" help:"slug in the library, or file of a card"`
	Version string `json:"version" ai:"operator" help:"the version of a slug (default: the newest)"`
	Revoke  bool   `json:"revoke" ai:"operator" help:"take it back, which needs no terminal"`
}

// SkillVetOut is what counts as vetted now, or no more.
type SkillVetOut struct {
	OK          bool   `json:"ok"`
	Vetted      bool   `json:"vetted"`
	Slug        string `json:"slug"`
	Version     string `json:"version"`
	ContentHash string `json:"contentHash"`
}

func newSkillVet() Command {
	return define(Spec{Name: "skill vet", Short: "Say, after a look at it, that a skill may be installed here",
		Long: `Show at the terminal what a card says and what in it a person should look at, and ask. What
is vetted is this very content: a card that takes its name and version later is not.`,
		Example: "  ape-claw skill vet my-skill",
		Events:  []string{"skill.card.vetted"}, Offline: true, Risk: RiskHuman, Permission: "skill:vet", AI: Exposure{Class: AINever}, Human: "to vet"},
		skillVet,
		func(p *Printer, out SkillVetOut) {
			if out.Vetted {
				p.Line("%s %s may be installed without --allow-unvetted.", clean(out.Slug), out.Version)
				return
			}
			p.Line("%s %s is not vetted any more.", clean(out.Slug), out.Version)
		})
}

func skillVet(ctx context.Context, d *Deps, in SkillVetIn) (SkillVetOut, error) {
	l, err := d.library()
	if err != nil {
		return SkillVetOut{}, err
	}
	var e skill.Entry
	if isCardFile(in.Skill) {
		e.Card, e.Raw, err = v2.ReadCard(in.Skill)
	} else {
		e, err = l.Get(ctx, in.Skill, in.Version)
	}
	if err != nil {
		return SkillVetOut{}, err
	}
	c, found := e.Card, skill.Review(e.Card, e.Raw)
	if bad, refused := skill.Refused(found); refused {
		return SkillVetOut{}, fault.New(fault.PermissionDenied, "%s can't be vetted: %s %s", c.Slug, bad.At, bad.Why).Hintf("give it a name of its own").WithSent(fault.SentNo)
	}
	if !in.Revoke {
		if err := d.needTerminal(ctx, "let "+c.Slug+" "+c.Version+" be installed here", vetFacts(c, found)...); err != nil {
			return SkillVetOut{}, err
		}
	}
	v, err := d.vetted()
	if err == nil {
		err = store.EnsureDir(filepath.Dir(v.Path))
	}
	if err == nil {
		err = v.Set(ctx, c, !in.Revoke, d.host.Now())
	}
	if err != nil {
		return SkillVetOut{}, err
	}
	out := SkillVetOut{OK: true, Vetted: !in.Revoke, Slug: c.Slug, Version: c.Version, ContentHash: c.ContentHash.Hex()}
	return out, d.Record(ctx, telemetry.Draft{Type: "skill.card.vetted", Result: map[string]any{"slug": c.Slug, "version": c.Version, "contentHash": out.ContentHash, "vetted": out.Vetted}})
}

// vetFacts is a card as a person judges it: all that an agent would read.
func vetFacts(c skill.Card, found []skill.Finding) []string {
	facts := []string{fmt.Sprintf("%s %s, by %s, risk tier %d", c.Slug, c.Version, c.Publisher, c.RiskTier), "content hash " + c.ContentHash.Hex()}
	text, err := skill.Markdown(c, true)
	if err != nil {
		text = []byte(fault.From(err).Message)
	}
	for l := range strings.Lines(string(text)) {
		facts = append(facts, "  | "+strings.TrimRight(l, "\n"))
	}
	for _, f := range found {
		facts = append(facts, "LOOK: "+f.At+" "+f.Why+": "+f.Text)
	}
	return facts
}

// toLookAt are the lines of an error that a person judges it by: how a card changed, and
// what was found in it.
func toLookAt(e *fault.Error) (lines []string) {
	if diff, ok := e.Details["diff"].(string); ok {
		for l := range strings.Lines(diff) {
			lines = append(lines, strings.TrimRight(l, "\n"))
		}
	}
	if found, ok := e.Details["findings"].([]skill.Finding); ok {
		for _, f := range found {
			lines = append(lines, f.Code+" at "+f.At+", which "+f.Why+": "+f.Text)
		}
	}
	return lines
}
