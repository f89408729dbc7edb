package policy

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

//go:embed allowlist.json
var defaultAllowlist []byte

// Entry is a collection of the allowlist.
type Entry struct {
	Name            string `json:"name"`
	Slug            string `json:"slug"`
	ContractAddress string `json:"contractAddress,omitempty"` // lower case; "" when unresolved
	Enabled         bool   `json:"enabled"`
	// MarketSlug is what the marketplace calls the collection where that is not
	// Slug. It says where to ask, never what may be bought: that is the contract.
	MarketSlug string `json:"marketSlug,omitempty"`
}

// Allowlist is the collections that may be bought.
type Allowlist struct {
	entries  []Entry
	narrowed map[string]string // contract address -> the file that takes it away
	Files    []string          // what it was read from, as people may see it
	Warnings []string
}

// LoadAllowlist returns <home>/allowlist.json, or the embedded collections (none
// in a sandbox), less what any other allowlist.json leaves out. Failures are
// fault.PolicyInvalid.
func LoadAllowlist(src Sources) (*Allowlist, error) {
	files, err := src.files(allowlistFile)
	if err != nil {
		return nil, err
	}
	base := source{"the built-in allowlist", defaultAllowlist}
	if src.Sandbox {
		base.text = []byte("[]")
	}
	if files.base != nil {
		base = *files.base
	}
	a := &Allowlist{narrowed: map[string]string{}, Files: []string{base.file}, Warnings: files.warnings}
	if a.entries, err = parseAllowlist(base); err != nil {
		return nil, err
	}
	for _, o := range files.overlays {
		list, err := parseAllowlist(o.source)
		if err != nil {
			return nil, err
		}
		a.narrow(list, o.file)
	}
	return a, nil
}

// ParseAllowlist reads text as the allowlist it would be in the home; name is
// what errors call it.
func ParseAllowlist(name string, text []byte) (*Allowlist, error) {
	entries, err := parseAllowlist(source{name, text})
	if err != nil {
		return nil, err
	}
	return &Allowlist{entries: entries, Files: []string{name}}, nil
}

// narrow takes away every entry whose contract is not enabled in list. A name or
// slug alone does not keep an entry: only the contract says what is bought.
func (a *Allowlist) narrow(list []Entry, file string) {
	for _, e := range a.entries {
		kept := slices.ContainsFunc(list, func(o Entry) bool { return o.ContractAddress == e.ContractAddress }) &&
			!slices.ContainsFunc(list, func(o Entry) bool { return o.ContractAddress == e.ContractAddress && !o.Enabled })
		if !kept && a.narrowed[e.ContractAddress] == "" {
			a.narrowed[e.ContractAddress] = file
		}
	}
	if !slices.Contains(a.Files, file) {
		a.Files = append(a.Files, file)
	}
}

// Entries returns every collection, in the order of the file; what is disabled
// or narrowed away has Enabled false.
func (a *Allowlist) Entries() []Entry {
	out := slices.Clone(a.entries)
	for i := range out {
		out[i].Enabled = a.allowed(out[i])
	}
	return out
}

func (a *Allowlist) allowed(e Entry) bool {
	if !e.Enabled || a.narrowed[e.ContractAddress] != "" {
		return false
	}
	// Two entries of one contract, one of them disabled: the stricter holds.
	return e.ContractAddress == "" || !slices.ContainsFunc(a.entries, func(o Entry) bool {
		return o.ContractAddress == e.ContractAddress && !o.Enabled
	})
}

// Resolve returns the one enabled collection that query names: by contract
// address if it is spelt as one, else by slug or name, whole and without regard
// to case. Nothing is dropped or folded together, so that a look-alike stays
// another collection. Refusals are fault.CollectionNotAllowed and
// fault.CollectionAmbiguous.
func (a *Allowlist) Resolve(query string) (Entry, error) {
	if query == "" || !isPrintable(query) {
		return Entry{}, notAllowed(query, "it is empty or has characters that don't show", "")
	}
	var found, off []Entry
	for _, e := range a.entries {
		switch {
		case !e.matches(query):
		case a.allowed(e):
			if !slices.ContainsFunc(found, func(o Entry) bool { return o.ContractAddress != "" && o.ContractAddress == e.ContractAddress }) {
				found = append(found, e)
			}
		default:
			off = append(off, e)
		}
	}
	switch {
	case len(found) > 1:
		return Entry{}, ambiguous(query, found)
	case len(found) == 1 && found[0].ContractAddress == "":
		return Entry{}, notAllowed(query, "its entry has no contract address", "add its contractAddress to allowlist.json in the home")
	case len(found) == 1:
		return found[0], nil
	case len(off) > 0:
		why := "it is disabled in " + a.Files[0]
		if file := a.narrowed[off[0].ContractAddress]; off[0].Enabled && file != "" {
			why = file + " does not allow it"
		}
		return Entry{}, notAllowed(query, why, "")
	}
	hint := ""
	if near := a.nearest(query); near != "" {
		hint = fmt.Sprintf("did you mean %s? the list: ape-claw allowlist list", near)
	}
	return Entry{}, notAllowed(query, "it is not on the allowlist", hint)
}

func (e Entry) matches(query string) bool {
	if strings.HasPrefix(query, "0x") || strings.HasPrefix(query, "0X") {
		if q := "0x" + query[2:]; isAddress(q) {
			return e.ContractAddress == strings.ToLower(q)
		}
	}
	// ToLower, not EqualFold: folding would make ſ and s one letter.
	q := strings.ToLower(query)
	return q == strings.ToLower(e.Slug) || q == strings.ToLower(e.Name)
}

// nearest returns the slug of the entry whose slug or name is most like query. A
// hint shows the slug alone: a name is free text, and people and models paste
// hints into shells.
func (a *Allowlist) nearest(query string) string {
	slugs := map[string]string{}
	var names []string
	for _, e := range a.entries {
		for _, n := range []string{e.Slug, e.Name} {
			if slugs[n] == "" {
				slugs[n], names = e.Slug, append(names, n)
			}
		}
	}
	return slugs[nearest(query, names)]
}

func notAllowed(query, why, hint string) error {
	if hint == "" {
		hint = "see what may be bought: ape-claw allowlist list"
	}
	return fault.New(fault.CollectionNotAllowed, "collection %q is not allowed: %s", printable(query), why).
		Hintf("%s", hint).WithSent(fault.SentNo).With("gate", GateCollection)
}

func ambiguous(query string, found []Entry) error {
	var contracts []string
	for _, e := range found {
		c := e.ContractAddress
		if c == "" {
			c = "no contract address"
		}
		contracts = append(contracts, fmt.Sprintf("%s (%s)", e.Slug, c))
	}
	return fault.New(fault.CollectionAmbiguous, "%q names %d collections: %s", printable(query), len(found), strings.Join(contracts, ", ")).
		Hintf("name the one you mean by its contract address").WithSent(fault.SentNo).
		With("gate", GateCollection).With("matches", contracts)
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

// slugPattern is what a slug may hold: it becomes part of a URL.
var slugPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,127}$`) })

// parseAllowlist reads a list of entries, strictly.
func parseAllowlist(s source) ([]Entry, error) {
	n, err := s.parse()
	if err != nil {
		return nil, err
	}
	if n.kind != '[' {
		return nil, s.errorf(n.at, "the allowlist is %s; expected a list of {name, slug, contractAddress, enabled}", n.is())
	}
	var out []Entry
	for _, item := range n.items {
		e, err := s.entry(item)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func (s source) entry(n node) (Entry, error) {
	e := Entry{Enabled: true}
	if n.kind != '{' {
		return e, s.errorf(n.at, "an entry is %s; expected an object", n.is())
	}
	for _, m := range n.members {
		v := m.value
		switch m.key {
		case "name":
			if v.kind != '"' || v.text == "" || strings.TrimSpace(v.text) != v.text || !isPrintable(v.text) || isAddress(strings.ToLower(v.text)) {
				return e, s.errorf(v.at, "name is %s; expected printable text that is no address", v.is())
			}
			e.Name = v.text
		case "slug", "marketSlug":
			if v.kind != '"' || !slugPattern().MatchString(v.text) || isAddress(v.text) {
				return e, s.errorf(v.at, "%s is %s; expected lower-case letters, digits, - and _", m.key, v.is())
			}
			if m.key == "slug" {
				e.Slug = v.text
			} else {
				e.MarketSlug = v.text
			}
		case "contractAddress":
			if v.kind == 'n' || v.kind == '"' && v.text == "" {
				continue // unresolved: audit lists it, nothing can be bought of it
			}
			if v.kind != '"' || !isAddress(v.text) || strings.Trim(v.text[2:], "0") == "" {
				return e, s.errorf(v.at, "contractAddress is %s; expected 0x and 40 hexadecimal digits", v.is())
			}
			e.ContractAddress = strings.ToLower(v.text)
		case "enabled":
			if v.kind != 't' {
				return e, s.errorf(v.at, "enabled is %s; expected true or false", v.is())
			}
			e.Enabled = v.yes
		default:
			return e, s.unknownKey(m, " in an entry", []string{"name", "slug", "contractAddress", "enabled", "marketSlug"})
		}
	}
	if e.Slug == "" {
		return e, s.errorf(n.at, "an entry without a slug")
	}
	if e.Name == "" {
		e.Name = e.Slug
	}
	return e, nil
}
