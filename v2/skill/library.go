package skill

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The sources of cards.
const (
	SourceSeed     = "seed"     // part of this program
	SourceUser     = "user"     // added here, by a person or an agent
	SourceImported = "imported" // fetched from another place
)

// Limits of a library: cards in all, and of one agent that adds them over HTTP.
const (
	maxLibrary = 50_000
	maxOfAgent = 500
)

// Opener opens the database; without create, nil where there is none yet.
type Opener func(ctx context.Context, create bool) (*sql.DB, error)

// Library is the cards of this machine: those that are part of this program, and
// those in the state database. It is safe for concurrent use.
type Library struct {
	open   Opener
	file   string // of the index
	vetted Vetted
	now    func() time.Time
}

// IndexFile is the name of the index beside the database.
const IndexFile = "skills.index"

// NewLibrary returns the library over a database, with the path of its index, and what
// a person vetted.
func NewLibrary(open Opener, index string, vetted Vetted, now func() time.Time) *Library {
	return &Library{open, index, vetted, now}
}

// Summary is a card as searches and lists show it.
type Summary struct {
	Name        string     `json:"name"`
	Slug        string     `json:"slug"`
	Version     string     `json:"version"`
	Description string     `json:"description"` // its beginning
	Source      string     `json:"source"`
	VettedOK    bool       `json:"vettedOk"`
	RiskTier    int        `json:"riskTier"` // the card's; 0: it says none
	SourceURL   string     `json:"sourceUrl"`
	Provenance  Provenance `json:"provenance"`
	ContentHash string     `json:"contentHash"`
	FileName    string     `json:"fileName"`
	Findings    []string   `json:"findings"` // the codes of what Review found
	AddedBy     string     `json:"addedBy,omitempty"`
	AddedAt     string     `json:"addedAt,omitempty"`
	OnChain     *OnChain   `json:"onChain"`
}

// Provenance is what a card says of its publisher.
type Provenance struct {
	Publisher string `json:"publisher"`
	Signed    bool   `json:"signed"`
	SourceURL string `json:"sourceUrl"`
}

// OnChain is where the chain was seen to have this very card.
type OnChain struct {
	ChainID int64  `json:"chainId"`
	SkillID string `json:"skillId"`
	TxHash  string `json:"txHash,omitempty"`
}

// Entry is a card of the library with its document.
type Entry struct {
	Summary
	Card Card
	Raw  []byte
}

// maxShown is how much of a description lists show, in characters.
const maxShown = 300

func summarize(c Card, found []Finding, source string) Summary {
	s := Summary{Name: c.Name, Slug: c.Slug, Version: c.Version, Description: cut(strings.Join(strings.Fields(c.Description), " "), maxShown), Source: source,
		RiskTier: c.RiskTier, SourceURL: c.URI(), Provenance: Provenance{c.Publisher, c.Signed, c.URI()}, ContentHash: c.ContentHash.Hex(), FileName: c.FileName(),
		Findings: []string{}, VettedOK: source == SourceSeed}
	for _, f := range found {
		if !slices.Contains(s.Findings, f.Code) {
			s.Findings = append(s.Findings, f.Code)
		}
	}
	return s
}

func (s SeedCard) entry() Entry { return Entry{summarize(s.Card, nil, SourceSeed), s.Card, s.Raw} }

// words is what a search looks through.
func words(c Card) string {
	all := append([]string{c.Slug, c.Name, c.Publisher, c.Description}, c.RequiredPermissions...)
	return strings.ToLower(strings.Join(strings.Fields(strings.Join(all, " ")), " "))
}

// Added tells what Add did.
type Added struct {
	Summary
	Replaced bool `json:"replaced"` // the same version was there with another content
	Same     bool `json:"same"`     // this very card was there
}

// NewCard is a card to be added.
type NewCard struct {
	Card   Card
	Raw    []byte
	Source string
	By     string // agent id; "": whoever runs this machine
}

// Add puts cards into the library, all or none. The same version again replaces what
// is there, if it is the adder's own; what was vetted or seen on chain was another
// content, and holds for the new one no more.
func (l *Library) Add(ctx context.Context, cards ...NewCard) (out []Added, err error) {
	found := make([][]Finding, len(cards))
	for i, c := range cards {
		found[i] = Review(c.Card, c.Raw)
		if f, bad := Refused(found[i]); bad {
			return nil, fault.New(fault.Usage, "the card %s is refused: %s %s", c.Card.Slug, f.At, f.Why).Hintf("give it a name of its own").WithSent(fault.SentNo)
		}
	}
	db, err := l.open(ctx, true)
	if err != nil {
		return nil, err
	}
	err = l.change(ctx, db, func(tx *sql.Tx) error {
		for i, c := range cards {
			a, err := l.add(ctx, tx, c, found[i])
			if err != nil {
				return err
			}
			out = append(out, a)
		}
		return l.room(ctx, tx, cards)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (l *Library) add(ctx context.Context, tx *sql.Tx, c NewCard, found []Finding) (Added, error) {
	s := summarize(c.Card, found, c.Source)
	s.AddedBy = c.By
	if own, ok := Seed(s.Slug); ok && own.Card.ContentHash == c.Card.ContentHash {
		return Added{Summary: own.entry().Summary, Same: true}, nil // it is part of this program
	}
	file, a := s.FileName, Added{}
	var hash, by string
	switch err := tx.QueryRowContext(ctx, `SELECT content_hash, added_by FROM skill_cards WHERE file = ?`, file).Scan(&hash, &by); {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return a, err
	case c.By != "" && by != c.By:
		return a, fault.New(fault.Conflict, "%s is in the library already, and was added by somebody else", file).Hintf("choose another slug or version").WithSent(fault.SentNo)
	case hash == s.ContentHash:
		s.AddedAt = ""
		return Added{Summary: s, Same: true}, nil
	default:
		a.Replaced = true
		if _, err := tx.ExecContext(ctx, `DELETE FROM skill_cards WHERE file = ?`, file); err != nil {
			return a, err
		}
	}
	now := l.now()
	s.AddedAt = stamp(now.UnixMilli())
	text, err := json.Marshal(s)
	if err != nil {
		return a, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO skill_cards (file, slug, version, latest, source, summary, words, content_hash, added_by, added_at) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?)`,
		file, s.Slug, s.Version, s.Source, string(text), words(c.Card), s.ContentHash, c.By, now.UnixMilli()); err != nil {
		return a, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO skill_card_docs (file, doc) VALUES (?, ?)`, file, c.Raw); err != nil {
		return a, err
	}
	a.Summary = s
	return a, newest(ctx, tx, s.Slug)
}

// newest marks the newest version of a slug.
func newest(ctx context.Context, tx *sql.Tx, slug string) error {
	rows, err := tx.QueryContext(ctx, `SELECT version FROM skill_cards WHERE slug = ?`, slug)
	if err != nil {
		return err
	}
	var all []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return errors.Join(err, rows.Close())
		}
		all = append(all, v)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(all) == 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE skill_cards SET latest = (version = ?) WHERE slug = ?`, slices.MaxFunc(all, CompareVersions), slug)
	return err
}

// room refuses what is too much.
func (l *Library) room(ctx context.Context, tx *sql.Tx, cards []NewCard) error {
	var all, own int
	by := ""
	for _, c := range cards {
		by = c.By
	}
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*), COUNT(*) FILTER (WHERE added_by = ?) FROM skill_cards`, by).Scan(&all, &own); err != nil {
		return err
	}
	switch {
	case all > maxLibrary:
		return fault.New(fault.Conflict, "the library is full: it takes %d cards", maxLibrary).Hintf("ape-claw skill remove takes cards out").WithSent(fault.SentNo)
	case by != "" && own > maxOfAgent:
		return fault.New(fault.Conflict, "%s has %d cards here already, and no more are taken of one agent", by, maxOfAgent).Hintf("delete some").WithSent(fault.SentNo)
	}
	return nil
}

// Remove takes a card out. by is the agent that asks, who may take out its own only;
// "": whoever runs this machine.
func (l *Library) Remove(ctx context.Context, file, by string) (Summary, error) {
	e, err := l.File(ctx, file, by)
	if err != nil {
		return Summary{}, err
	}
	db, err := l.open(ctx, true)
	if err != nil {
		return Summary{}, err
	}
	return e.Summary, l.change(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM skill_cards WHERE file = ?`, file); err != nil {
			return err
		}
		return newest(ctx, tx, e.Slug)
	})
}

// MarkOnChain notes where the chain was seen to have this very card.
func (l *Library) MarkOnChain(ctx context.Context, file, by string, hash string, at OnChain) (Summary, error) {
	e, err := l.File(ctx, file, by)
	if err != nil {
		return Summary{}, err
	}
	db, err := l.open(ctx, true)
	if err != nil {
		return Summary{}, err
	}
	r, err := db.ExecContext(ctx, `UPDATE skill_cards SET skill_id = ?, chain_id = ?, tx_hash = ? WHERE file = ? AND content_hash = ?`, at.SkillID, at.ChainID, at.TxHash, file, hash)
	if err != nil {
		return Summary{}, err
	}
	if n, err := r.RowsAffected(); err != nil || n != 1 {
		return Summary{}, errors.Join(err, fault.New(fault.Conflict, "%s was changed meanwhile", file).WithSent(fault.SentNo))
	}
	e.OnChain = &at
	return e.Summary, nil
}

// File is a card by its file name. by is the agent that wants to change it, who may
// change its own only; "": who reads, or runs this machine.
func (l *Library) File(ctx context.Context, file, by string) (Entry, error) {
	all, err := l.query(ctx, `c.file = ?`, file)
	if err != nil {
		return Entry{}, err
	}
	if len(all) == 0 {
		return Entry{}, fault.New(fault.NotFound, "there is no card %s in the library", fault.Excerpt(file, 80)).Hintf("see which there are: ape-claw skill search").WithSent(fault.SentNo)
	}
	if by != "" && all[0].AddedBy != by {
		return Entry{}, fault.New(fault.PermissionDenied, "%s was added by somebody else", file).Hintf("who runs the machine can: ape-claw skill remove").WithSent(fault.SentNo)
	}
	return all[0], nil
}

// Vetted reports whether a card is part of this program, or a person vetted this very
// content.
func (l *Library) Vetted(c Card) (bool, error) {
	if own, ok := Seed(c.Slug); ok && own.Card.ContentHash == c.ContentHash {
		return true, nil
	}
	hashes, err := l.vetted.hashes()
	return slices.Contains(hashes, c.ContentHash.Hex()), err
}

// Get finds a card by its slug, and its version where one is wanted: else the newest.
func (l *Library) Get(ctx context.Context, slug, version string) (Entry, error) {
	if own, ok := Seed(slug); ok && (version == "" || version == own.Card.Version) {
		return own.entry(), nil
	}
	where, args := `c.slug = ? AND c.latest = 1`, []any{slug}
	if version != "" {
		where, args = `c.slug = ? AND c.version = ?`, []any{slug, version}
	}
	all, err := l.query(ctx, where, args...)
	if err != nil {
		return Entry{}, err
	}
	if len(all) == 0 {
		what := fault.Excerpt(slug, 80)
		if version != "" {
			what += " of version " + fault.Excerpt(version, 40)
		}
		return Entry{}, fault.New(fault.NotFound, "there is no skill %s in the library", what).Hintf("see which there are: ape-claw skill search").WithSent(fault.SentNo)
	}
	return all[0], nil
}

// query reads cards with their documents.
func (l *Library) query(ctx context.Context, where string, args ...any) (all []Entry, err error) {
	db, err := l.open(ctx, false)
	if err != nil || db == nil {
		return nil, err
	}
	vetted, err := l.vetted.hashes()
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT `+summaryColumns+`, d.doc FROM skill_cards c JOIN skill_card_docs d USING (file) WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e Entry
		if e.Summary, err = scan(rows, vetted, &e.Raw); err != nil {
			return nil, err
		}
		if e.Card, err = Parse(e.Raw); err != nil || e.Card.ContentHash.Hex() != e.ContentHash {
			return nil, errors.Join(err, fault.New(fault.StateUnusable, "the card %s in the state database is not what was added", e.FileName))
		}
		all = append(all, e)
	}
	return all, rows.Err()
}

// summaryColumns are what scan reads.
const summaryColumns = `c.summary, c.skill_id, c.chain_id, c.tx_hash`

func scan(rows *sql.Rows, vetted []string, more ...any) (s Summary, err error) {
	var text string
	var at OnChain
	if err := rows.Scan(append([]any{&text, &at.SkillID, &at.ChainID, &at.TxHash}, more...)...); err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fault.Wrap(err, fault.StateUnusable, "a card's row in the state database can't be read")
	}
	s.OnChain = nil
	if s.VettedOK = slices.Contains(vetted, s.ContentHash); at.SkillID != "" {
		s.OnChain = &at
	}
	return s, nil
}

// stamp is a time as answers have it.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

func inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
