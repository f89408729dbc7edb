package policy

import "strings"

// Audit is what is wrong with an allowlist.
type Audit struct {
	Total           int         `json:"total"`
	UnresolvedCount int         `json:"unresolvedCount"`
	Unresolved      []Entry     `json:"unresolved"`        // no contract address
	SlugCollisions  []Collision `json:"slugCollisions"`    // one slug or name, several contracts
	Duplicates      []Collision `json:"addressDuplicates"` // one contract, several entries
}

// Collision is several entries that share what should tell them apart.
type Collision struct {
	Value   string  `json:"value"`
	Entries []Entry `json:"entries"`
}

// Audit looks at every entry, also at disabled ones.
func (a *Allowlist) Audit() Audit {
	entries := a.Entries()
	out := Audit{Total: len(entries), Unresolved: []Entry{}}
	for _, e := range entries {
		if e.ContractAddress == "" {
			out.Unresolved = append(out.Unresolved, e)
		}
	}
	out.UnresolvedCount = len(out.Unresolved)
	out.SlugCollisions = collisions(entries, func(e Entry) []string {
		slug, name := strings.ToLower(e.Slug), strings.ToLower(e.Name)
		if slug == name {
			return []string{slug}
		}
		return []string{slug, name}
	})
	out.Duplicates = collisions(entries, func(e Entry) []string {
		if e.ContractAddress == "" {
			return nil
		}
		return []string{e.ContractAddress}
	})
	return out
}

// collisions groups entries by each of their keys, in order of appearance, and
// returns the groups of more than one.
func collisions(entries []Entry, keys func(Entry) []string) []Collision {
	by, order := map[string][]Entry{}, []string{}
	for _, e := range entries {
		for _, k := range keys(e) {
			if by[k] == nil {
				order = append(order, k)
			}
			by[k] = append(by[k], e)
		}
	}
	out := []Collision{}
	for _, k := range order {
		if len(by[k]) > 1 {
			out = append(out, Collision{k, by[k]})
		}
	}
	return out
}
