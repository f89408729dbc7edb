package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// skillWant is how fast a search should be, the start of its process included.
const skillWant = 50 * time.Millisecond

// skillWords are what the cards' texts are made of.
var skillWords = []string{"floor", "sweep", "bid", "rare", "trait", "mint", "snipe", "bridge", "vault", "yield", "swap", "stake", "gas", "alert", "price", "oracle", "royalty", "airdrop", "ledger", "batch"}

// skills measures `skill search` over a large library, each as a process of its own.
func (b *bench) skills(ctx context.Context, p *page) (err error) {
	dir, err := os.MkdirTemp(b.dir, "skills-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := writeCards(filepath.Join(dir, "cards"), b.size.cards); err != nil {
		return err
	}
	add, err := timed(ctx, dir, b.env(), b.binary, "skill", "add", "cards", "--json")
	if err != nil {
		return err
	}
	queries := [][]string{{"version"}, {"skill", "search", "floor", "sweep", "--json"}, {"skill", "search", "gas-oracle-bid", "--json"}, {"skill", "search", "nothing-has-this", "--json"}, {"skill", "search", "--json"}}
	took := make([][]time.Duration, len(queries))
	for i := range warmups + b.size.searches {
		for k, q := range queries {
			t, err := timed(ctx, dir, b.env(), b.binary, q...)
			if err != nil {
				return err
			}
			if i >= warmups {
				took[k] = append(took[k], t)
			}
		}
	}
	p.section(fmt.Sprintf(`## Searching skills

A library of %d cards; median of %d processes each, in turns, warm file cache. To add them all took %s.

| | |
|---|---|
| `+"`skill search floor sweep`"+`, which most of them have | %s |
| a slug | %s |
| what none has | %s |
| all of them | %s |
| `+"`version`"+`, which does nothing | %s |
`, b.size.cards, b.size.searches, ms(add), ms(median(took[1])), ms(median(took[2])), ms(median(took[3])), ms(median(took[4])), ms(median(took[0]))))
	p.verdict(fmt.Sprintf("`skill search` over %d cards, as a new process", b.size.cards), "<= 50 ms", ms(median(took[1])), median(took[1]) <= skillWant)
	return nil
}

// writeCards writes so many cards, whose words follow from their numbers.
func writeCards(dir string, n int) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for i := range n {
		word := func(k int) string { return skillWords[(i*7+k*k*3+k)%len(skillWords)] }
		about := ""
		for k := range 40 {
			about += word(k+i%11) + " "
		}
		slug := fmt.Sprintf("%s-%s-%s-%d", word(0), word(1), word(2), i)
		card, err := json.Marshal(map[string]any{
			"slug": slug, "name": fmt.Sprintf("%s %s %d", word(0), word(1), i), "version": fmt.Sprintf("1.%d.0", i%7), "description": about,
			"constraints": map[string]any{"riskTier": i%3 + 1}, "bindings": []any{map[string]any{"type": "cli", "command": "ape-claw doctor --json"}},
			"provenance": map[string]any{"publisher": fmt.Sprintf("publisher %d", i%97), "sourceUrl": "https://example.org/" + slug + ".json"},
		})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, slug+".json"), card, 0o600); err != nil {
			return err
		}
	}
	return nil
}
