package skill

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// CoreSlug is the slug of the skill that teaches an agent to use this program.
const CoreSlug = "ape-claw"

//go:embed seeds/*.json core/SKILL.md
var embedded embed.FS

// SeedCard is a card that is part of this program, as it is written and read.
type SeedCard struct {
	Card Card
	Raw  []byte
}

// Seeds are the cards that are part of this program, by slug.
var Seeds = sync.OnceValue(func() []SeedCard {
	files, err := embedded.ReadDir("seeds")
	if err != nil {
		panic(fmt.Sprintf("skill: %v", err)) // the files are part of the program
	}
	var all []SeedCard
	for _, f := range files {
		raw, err := embedded.ReadFile(path.Join("seeds", f.Name()))
		if err != nil {
			panic(fmt.Sprintf("skill: %v", err))
		}
		card, err := Parse(raw)
		if err != nil || card.FileName() != f.Name() {
			panic(fmt.Sprintf("skill: %s: %v", f.Name(), err))
		}
		all = append(all, SeedCard{card, raw})
	}
	slices.SortFunc(all, func(a, b SeedCard) int { return strings.Compare(a.Card.Slug, b.Card.Slug) })
	return all
})

// Seed finds a card that is part of this program.
func Seed(slug string) (SeedCard, bool) {
	i := slices.IndexFunc(Seeds(), func(s SeedCard) bool { return s.Card.Slug == slug })
	if i < 0 {
		return SeedCard{}, false
	}
	return Seeds()[i], true
}

// Core is the text of the core skill's SKILL.md.
func Core() []byte {
	text, err := embedded.ReadFile("core/SKILL.md")
	if err != nil {
		panic(fmt.Sprintf("skill: %v", err))
	}
	return text
}
