package skill

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/canon"
)

// MaxBytes bounds a card.
const MaxBytes = 256 << 10

// Card is a skill card.
type Card struct {
	Slug                string
	Name                string
	Version             string
	Description         string
	Inputs, Outputs     map[string]any // JSON schemas; nil: not given
	Bindings            []Binding
	RiskTier            int // 1-3; 0: not given
	Notes               string
	RequiredPermissions []string
	Examples            []Example
	EvalPacks           []string
	Publisher           string
	Signed              bool
	SourceURL           string
	SkillID             string // its token, in decimal; "": not named
	ChainID             int64  // of SkillID; 0: not named

	ContentHash common.Hash // of the whole document
}

// BindingSkill is the type of a binding that names another skill by its slug.
const BindingSkill = "skill"

// Binding is a way to run the skill.
type Binding struct{ Type, Command string }

// Example shows the skill at work; its value is whatever the card has there.
type Example struct {
	Title string
	Value any
}

// FileName is the name that a card's file has by custom.
func (c Card) FileName() string { return c.Slug + ".v" + c.Version + ".json" }

// URI is where the card says that it is to be had, if that is an address that
// anybody may open: https, and no name or password in it. Else it is "".
func (c Card) URI() string {
	u, err := url.Parse(c.SourceURL)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return c.SourceURL
}

var (
	slugPattern    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`) })
	versionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+(\.[0-9]+){0,3}([\-+][0-9A-Za-z._-]+)?$`) })
)

// IsSlug reports whether s can be a card's slug.
func IsSlug(s string) bool { return len(s) <= maxSlug && slugPattern().MatchString(s) }

// What the parts of a card may hold at most: characters, and items of a list.
const (
	maxSlug    = 128
	maxVersion = 64
	maxName    = 200
	maxLine    = 2048
	maxText    = 16384
	maxItems   = 200
)

// Parse reads a card strictly: each key is known, there once and of its kind. An
// error names the place by its JSON pointer.
func Parse(raw []byte) (Card, error) {
	if len(raw) > MaxBytes {
		return Card{}, fault.New(fault.Usage, "the card is longer than %d bytes", MaxBytes)
	}
	hash, err := canon.Hash(raw)
	if err != nil {
		return Card{}, err
	}
	v, err := decode(raw)
	if err != nil {
		return Card{}, err
	}
	r := &reader{}
	c := r.card(r.object(v, ""))
	c.ContentHash = hash
	if r.err != nil {
		return Card{}, r.err
	}
	return c, nil
}

func (r *reader) card(o object) Card {
	c := Card{
		Slug: r.text(o.must("slug"), maxSlug), Name: r.text(o.must("name"), maxName), Version: r.text(o.must("version"), maxVersion),
		Description: r.text(o.may("description"), maxText), Inputs: r.schema(o.may("inputs_schema")), Outputs: r.schema(o.may("outputs_schema")),
		RequiredPermissions: r.texts(o.may("required_permissions")), EvalPacks: r.texts(o.may("eval_packs")),
	}
	if !slugPattern().MatchString(c.Slug) {
		r.fail("/slug", "lower-case letters, digits and single hyphens between them")
	}
	if !versionPattern().MatchString(c.Version) {
		r.fail("/version", "a version such as 1.2.0 or 1.0-beta")
	}
	if strings.TrimSpace(c.Name) == "" {
		r.fail("/name", "a name")
	}
	for _, p := range r.list(o.may("bindings")) {
		b := r.object(p.value, p.at)
		c.Bindings = append(c.Bindings, Binding{Type: r.text(b.must("type"), maxName), Command: r.text(b.may("command"), maxLine)})
		r.nothingElse(b)
	}
	for _, p := range r.list(o.may("examples")) {
		e := r.object(p.value, p.at)
		c.Examples = append(c.Examples, Example{Title: r.text(e.may("title"), maxName), Value: e.may("value").value})
		r.nothingElse(e)
	}
	if p := o.may("constraints"); p.there {
		limits := r.object(p.value, p.at)
		c.RiskTier, c.Notes = r.tier(limits.may("riskTier")), r.text(limits.may("notes"), maxText)
		r.nothingElse(limits)
	}
	if p := o.may("provenance"); p.there {
		from := r.object(p.value, p.at)
		c.Publisher, c.Signed, c.SourceURL = r.text(from.may("publisher"), maxName), r.yes(from.may("signed")), r.text(from.may("sourceUrl"), maxLine)
		c.SkillID, c.ChainID = r.skillID(from.may("skillId")), r.chainID(from.may("chainId"))
		r.nothingElse(from)
	}
	r.nothingElse(o)
	return c
}

// skillIDPattern is a number of at most 78 digits, as 2^256 has.
var skillIDPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{0,77}$`) })

func (r *reader) skillID(p place) string {
	if !p.there {
		return ""
	}
	id, _ := p.value.(string)
	if !skillIDPattern().MatchString(id) {
		r.fail(p.at, "a skill's id as a text of digits")
	}
	return id
}

// maxExact is the largest whole number that every reader of JSON keeps exact.
const maxExact = 1<<53 - 1

func (r *reader) chainID(p place) int64 {
	if !p.there {
		return 0
	}
	n, _ := p.value.(json.Number)
	id, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil || id < 1 || id > maxExact || strconv.FormatInt(id, 10) != string(n) {
		r.fail(p.at, "a chain's id")
	}
	return id
}

func (r *reader) tier(p place) int {
	if !p.there {
		return 0
	}
	switch n, _ := p.value.(json.Number); n {
	case "1", "2", "3":
		return int(n[0] - '0')
	}
	r.fail(p.at, "1, 2 or 3")
	return 0
}
