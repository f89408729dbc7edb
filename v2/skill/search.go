package skill

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// MaxPage is how many results a page has at most.
const MaxPage = 200

// Query is what is searched for.
type Query struct {
	Q      string // words that all have to be in slug, name, publisher, description or permissions
	Source string // seed, user or imported; "": all
	Vetted string // "true", "false" or ""
	Page   int    // from 1
	Limit  int    // 1 to MaxPage
}

// Page is a page of results, the best first: the slug that was asked for, those that
// begin with it, those that have it in their name, and then by slug. Of each slug the
// newest version is there.
type Page struct {
	Total   int       `json:"total"`
	Page    int       `json:"page"`
	Limit   int       `json:"limit"`
	Pages   int       `json:"pages"`
	Results []Summary `json:"results"`
}

// Limits of a query.
const (
	maxQuery = 200 // characters
	maxWords = 10
)

func (q Query) check() error {
	switch {
	case q.Limit < 1 || q.Limit > MaxPage:
		return fault.New(fault.Usage, "limit %d: 1 to %d is expected", q.Limit, MaxPage)
	case q.Page < 1 || q.Page > 1_000_000:
		return fault.New(fault.Usage, "page %d: pages begin at 1", q.Page)
	case q.Source != "" && q.Source != SourceSeed && q.Source != SourceUser && q.Source != SourceImported:
		return fault.New(fault.Usage, "source %s: %s, %s or %s is expected", fault.Excerpt(q.Source, 40), SourceSeed, SourceUser, SourceImported)
	case q.Vetted != "" && q.Vetted != "true" && q.Vetted != "false":
		return fault.New(fault.Usage, "vetted %s: true or false is expected", fault.Excerpt(q.Vetted, 40))
	case len([]rune(q.Q)) > maxQuery || len(strings.Fields(q.Q)) > maxWords:
		return fault.New(fault.Usage, "the query is longer than %d characters or %d words", maxQuery, maxWords)
	}
	return nil
}

// Search finds cards.
func (l *Library) Search(ctx context.Context, q Query) (out Page, err error) {
	if err := q.check(); err != nil {
		return out, err
	}
	out = Page{Page: q.Page, Limit: q.Limit, Results: []Summary{}}
	terms := strings.Fields(strings.ToLower(q.Q))
	skip := (q.Page - 1) * q.Limit
	for _, s := range Seeds() { // they are few, and come first
		if q.Source != "" && q.Source != SourceSeed || q.Vetted == "false" || !holds(words(s.Card), terms) {
			continue
		}
		if out.Total++; out.Total > skip && len(out.Results) < q.Limit {
			out.Results = append(out.Results, s.entry().Summary)
		}
	}
	if q.Source != SourceSeed {
		if err := l.rest(ctx, q, terms, max(0, skip-out.Total), &out); err != nil {
			return out, err
		}
	}
	out.Pages = (out.Total + q.Limit - 1) / q.Limit
	return out, nil
}

// rest adds what the database has, from the skip-th match on.
func (l *Library) rest(ctx context.Context, q Query, terms []string, skip int, out *Page) error {
	db, err := l.open(ctx, false)
	if err != nil || db == nil {
		return err
	}
	vetted, err := l.vetted.hashes()
	if err != nil {
		return err
	}
	lines, err := l.index(ctx, db)
	if err != nil {
		return err
	}
	found := matches(lines, q, terms, vetted)
	out.Total += len(found)
	found = found[min(skip, len(found)):]
	found = found[:min(q.Limit-len(out.Results), len(found))]
	if len(found) == 0 {
		return nil
	}
	rows, err := db.QueryContext(ctx, `SELECT `+summaryColumns+` FROM json_each(?) j JOIN skill_cards c ON c.slug = j.value AND c.latest = 1 ORDER BY j.key`, asJSON(found))
	if err != nil {
		return err
	}
	for rows.Next() {
		s, err := scan(rows, vetted)
		if err != nil {
			return errors.Join(err, rows.Close())
		}
		out.Results = append(out.Results, s)
	}
	return errors.Join(rows.Err(), rows.Close())
}

// matches are the slugs of the index's lines that a query finds, the best first, and
// else in the index's order.
func matches(lines string, q Query, terms, vetted []string) []string {
	wanted := strings.Join(terms, "-")
	var known map[string]bool
	if q.Vetted != "" {
		known = make(map[string]bool, len(vetted))
		for _, h := range vetted {
			known[h] = true
		}
	}
	var ranked [4][]string
	for line := range strings.Lines(lines) {
		if !holds(line, terms) { // the words of most lines: the quick look comes first
			continue
		}
		slug, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		source, rest, _ := strings.Cut(rest, "\t")
		hash, text, ok := strings.Cut(rest, "\t")
		if !ok || !holds(text, terms) || q.Source != "" && q.Source != source || q.Vetted != "" && known[hash] != (q.Vetted == "true") {
			continue
		}
		rank := 3
		switch {
		case wanted == "" || slug == wanted:
			rank = 0
		case strings.HasPrefix(slug, wanted):
			rank = 1
		case strings.Contains(slug, wanted):
			rank = 2
		}
		ranked[rank] = append(ranked[rank], slug)
	}
	return slices.Concat(ranked[:]...)
}

// holds reports whether a text has all words.
func holds(text string, terms []string) bool {
	for _, t := range terms {
		if !strings.Contains(text, t) {
			return false
		}
	}
	return true
}

// Stats counts the cards.
type Stats struct {
	Total    int `json:"total"`
	Seed     int `json:"seed"`
	Imported int `json:"imported"`
	User     int `json:"user"`
	Vetted   int `json:"vetted"`
	OnChain  int `json:"onchain"`
}

// Stats counts all cards, each version by itself.
func (l *Library) Stats(ctx context.Context) (Stats, error) {
	n := len(Seeds())
	out := Stats{Total: n, Seed: n, Vetted: n}
	db, err := l.open(ctx, false)
	if err != nil || db == nil {
		return out, err
	}
	hashes, err := l.vetted.hashes()
	if err != nil {
		return out, err
	}
	var all, imported, vetted, onChain int
	err = db.QueryRowContext(ctx, `SELECT COUNT(*), COUNT(*) FILTER (WHERE source = 'imported'), COUNT(*) FILTER (WHERE content_hash IN (SELECT value FROM json_each(?))),
		COUNT(*) FILTER (WHERE skill_id <> '') FROM skill_cards`, asJSON(hashes)).Scan(&all, &imported, &vetted, &onChain)
	out.Total, out.Imported, out.User, out.Vetted, out.OnChain = n+all, imported, all-imported, n+vetted, onChain
	return out, err
}

// asJSON is a list as json_each reads it.
func asJSON(list []string) string {
	b, err := json.Marshal(list)
	if err != nil || list == nil {
		return "[]" // texts can always be written
	}
	return string(b)
}
