package skill_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/skill"
)

type shelf struct {
	*skill.Library
	dir    string
	vetted skill.Vetted
}

func newShelf(t testing.TB) shelf {
	t.Helper()
	dir := t.TempDir()
	db, err := store.OpenState(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	v := skill.Vetted{Path: filepath.Join(t.TempDir(), "vetted-skills.json")}
	open := func(context.Context, bool) (*sql.DB, error) { return db, nil }
	return shelf{skill.NewLibrary(open, filepath.Join(dir, skill.IndexFile), v, func() time.Time { return day }), dir, v}
}

func newCard(t testing.TB, by string, with ...any) skill.NewCard {
	t.Helper()
	c, raw := parse(t, doc(with...))
	return skill.NewCard{Card: c, Raw: raw, Source: skill.SourceUser, By: by}
}

// slugs are the results of a search, and their number in all.
func (s shelf) slugs(t testing.TB, q skill.Query) string {
	t.Helper()
	q.Page, q.Limit = max(q.Page, 1), max(q.Limit, 50)
	p, err := s.Search(t.Context(), q)
	must(t, err)
	var all []string
	for _, r := range p.Results {
		all = append(all, r.Slug+" "+r.Version)
	}
	return fmt.Sprintf("%d: %s", p.Total, strings.Join(all, ", "))
}

func TestLibrary(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	_, err := s.Add(t.Context(), newCard(t, "", "version", "1.9"), newCard(t, "", "version", "1.10"), newCard(t, "", "slug", "gas-watcher", "name", "Gas watcher", "description", "Says when\ngas is cheap. Floor not."),
		newCard(t, "mara", "slug", "watcher", "name", "W", "description", "Ünïcode FLOOR"))
	must(t, err)
	for want, q := range map[string]skill.Query{
		"3: floor-watcher 1.10, gas-watcher 1.0.0, watcher 1.0.0": {Q: "Floor"},
		"3: watcher 1.0.0, floor-watcher 1.10, gas-watcher 1.0.0": {Q: "WATCHER"},
		"1: gas-watcher 1.0.0": {Q: "when gas"},
		"1: watcher 1.0.0":     {Q: "ünïcode"},
		"0: ":                  {Q: "seed\tuser"},
		"2: ape-claw 1.0.0, ape-claw-bridge 1.0.0": {Q: "bridge"},
		"0:  ": {Q: "floor", Vetted: "true"},
	} {
		if got := s.slugs(t, q); got != strings.TrimSuffix(want, " ") && got != want {
			t.Errorf("%+v: %s, want %s", q, got, want)
		}
	}
	all, err := s.Search(t.Context(), skill.Query{Page: 2, Limit: 2})
	must(t, err)
	if all.Total != 6 || all.Pages != 3 || len(all.Results) != 2 || all.Results[0].Slug != "ape-claw-bridge" || all.Results[1].Slug != "floor-watcher" {
		t.Errorf("%+v", all)
	}
	// Vetting is of a content.
	e, err := s.Get(t.Context(), "floor-watcher", "")
	must(t, err)
	must(t, s.vetted.Set(t.Context(), e.Card, true, day))
	if got := s.slugs(t, skill.Query{Q: "floor", Vetted: "true"}); got != "1: floor-watcher 1.10" {
		t.Error(got)
	}
	if ok, err := s.Vetted(e.Card); !ok || err != nil {
		t.Errorf("%t, %v", ok, err)
	}
	// The same version again replaces what is there, and what is its adder's only.
	_, err = s.MarkOnChain(t.Context(), e.FileName, "", e.ContentHash, skill.OnChain{ChainID: 1, SkillID: "7"})
	must(t, err)
	again, err := s.Add(t.Context(), newCard(t, "", "version", "1.10", "description", "Another."))
	must(t, err)
	if !again[0].Replaced || again[0].Same {
		t.Errorf("%+v", again)
	}
	if e, err := s.Get(t.Context(), "floor-watcher", ""); err != nil || e.OnChain != nil || e.VettedOK || e.Card.Description != "Another." {
		t.Errorf("%+v, %v", e.Summary, err)
	}
	if same, err := s.Add(t.Context(), newCard(t, "", "version", "1.10", "description", "Another.")); err != nil || !same[0].Same {
		t.Errorf("%+v, %v", same, err)
	}
	for _, err := range []error{
		func() error {
			_, err := s.Add(t.Context(), newCard(t, "eve", "slug", "watcher", "name", "W"))
			return err
		}(),
		func() error { _, err := s.Add(t.Context(), newCard(t, "eve", "version", "1.9")); return err }(),
	} {
		if fault.CodeOf(err) != fault.Conflict {
			t.Errorf("%v", err)
		}
	}
	if _, err := s.Remove(t.Context(), "watcher.v1.0.0.json", "eve"); fault.CodeOf(err) != fault.PermissionDenied {
		t.Errorf("%v", err)
	}
	if _, err := s.Remove(t.Context(), "floor-watcher.v1.10.json", ""); err != nil {
		t.Error(err)
	}
	if e, err := s.Get(t.Context(), "floor-watcher", ""); err != nil || e.Version != "1.9" {
		t.Errorf("%+v, %v", e.Summary, err)
	}
	// What is part of this program is there already.
	own := skill.Seeds()[0]
	if same, err := s.Add(t.Context(), skill.NewCard{Card: own.Card, Raw: own.Raw, Source: skill.SourceUser}); err != nil || !same[0].Same || same[0].Source != skill.SourceSeed {
		t.Errorf("%+v, %v", same, err)
	}
	// All or none, and none that passes itself off as ours.
	if _, err := s.Add(t.Context(), newCard(t, "", "slug", "fine"), newCard(t, "", "slug", "ape-claw", "version", "9")); fault.CodeOf(err) != fault.Usage {
		t.Errorf("%v", err)
	}
	if _, err := s.Get(t.Context(), "fine", ""); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
	if got, err := s.Stats(t.Context()); err != nil || got != (skill.Stats{Total: 6, Seed: 3, User: 3, Vetted: 3}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, q := range []skill.Query{{Limit: 201, Page: 1}, {Limit: 1}, {Limit: 1, Page: 1, Source: "x"}, {Limit: 1, Page: 1, Vetted: "yes"}, {Limit: 1, Page: 1, Q: strings.Repeat("a ", 11)}} {
		if _, err := s.Search(t.Context(), q); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// The index is a copy: one that is lost, of other cards, or no index at all, is made anew.
func TestIndex(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	_, err := s.Add(t.Context(), newCard(t, ""))
	must(t, err)
	file := filepath.Join(s.dir, skill.IndexFile)
	if got := s.slugs(t, skill.Query{Q: "floor"}); got != "1: floor-watcher 1.0.0" {
		t.Error(got)
	}
	whole, err := os.ReadFile(file)
	must(t, err)
	for name, text := range map[string]string{"empty": "", "other cards": "another\nx\tuser\t0x\tfloor\n", "no index": "\x00\x01"} {
		must(t, os.WriteFile(file, []byte(text), 0o600))
		if got := s.slugs(t, skill.Query{Q: "floor"}); got != "1: floor-watcher 1.0.0" {
			t.Errorf("%s: %s", name, got)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != string(whole) {
			t.Errorf("%s: %q, %v", name, now, err)
		}
	}
	must(t, os.Remove(file))
	must(t, os.Symlink(filepath.Join(s.dir, "elsewhere"), file))
	if got := s.slugs(t, skill.Query{Q: "floor"}); got != "1: floor-watcher 1.0.0" {
		t.Error(got)
	}
	if _, err := os.Lstat(filepath.Join(s.dir, "elsewhere")); err == nil {
		t.Error("it wrote through a link")
	}
}

// A row that says more than its document does is not believed.
func TestHostileRows(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	_, err := s.Add(t.Context(), newCard(t, ""))
	must(t, err)
	db, err := store.OpenState(t.Context(), s.dir)
	must(t, err)
	defer func() { must(t, db.Close()) }()
	other, err := json.Marshal(doc("description", "export keys"))
	must(t, err)
	_, err = db.Exec(`UPDATE skill_card_docs SET doc = ?`, other)
	must(t, err)
	if _, err := s.Get(t.Context(), "floor-watcher", ""); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("%v", err)
	}
	_, err = db.Exec(`UPDATE skill_cards SET summary = json_set(summary, '$.vettedOk', json('true'), '$.onChain', json('{"chainId":1,"skillId":"1"}'))`)
	must(t, err)
	p, err := s.Search(t.Context(), skill.Query{Q: "floor", Page: 1, Limit: 1})
	if err != nil || p.Results[0].VettedOK || p.Results[0].OnChain != nil {
		t.Errorf("%+v, %v", p, err)
	}
}
