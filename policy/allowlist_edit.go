package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// CheckEntry says whether AddEntry would take an entry, spelt as it would be
// written, and what a person should look at before: an address or a name that is
// easily taken for another's.
func CheckEntry(home string, e Entry) (clean Entry, warnings []string, err error) {
	list, err := homeEntries(home)
	if err != nil {
		return e, nil, err
	}
	if clean, err = cleanEntry(e); err != nil {
		return e, nil, err
	}
	if err := mixedScripts(clean.Name); err != nil {
		return clean, nil, err
	}
	for _, o := range list {
		if o.ContractAddress == clean.ContractAddress {
			if o.Slug != clean.Slug || e.Name != "" && o.Name != clean.Name {
				return clean, nil, notAdded("%s is on the allowlist as %s (%q)", clean.ContractAddress, o.Slug, o.Name)
			}
			continue
		}
		if o.unresolved(clean) {
			continue
		}
		if what := lookAlike(clean, o); what != "" {
			return clean, nil, notAdded("%s looks like that of %s (%q, %s)", what, o.Slug, o.Name, contractOf(o))
		}
		if o.ContractAddress != "" && sameEnds(clean.ContractAddress, o.ContractAddress) {
			warnings = append(warnings, fmt.Sprintf("%s begins and ends like %s, the contract of %s, and is another one: compare every character", clean.ContractAddress, o.ContractAddress, o.Slug))
		}
		if edits(clean.Slug, o.Slug) == 1 {
			warnings = append(warnings, fmt.Sprintf("%s differs from %s (%s) by one character", clean.Slug, o.Slug, contractOf(o)))
		}
	}
	return clean, warnings, nil
}

// AddEntry puts a collection on <home>/allowlist.json, which begins as the
// built-in list. It refuses what CheckEntry refuses; added is false when the entry
// is there, enabled.
func AddEntry(home string, e Entry) (added bool, err error) {
	err = editing(home, func() error {
		clean, _, err := CheckEntry(home, e)
		if err != nil {
			return err
		}
		list, err := homeEntries(home)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(o Entry) bool { return o.unresolved(clean) })
		found := false
		for i, o := range list {
			if o.ContractAddress == clean.ContractAddress {
				found, added = true, added || !o.Enabled
				list[i].Enabled = true
			}
		}
		if !found {
			list, added = append(list, clean), true
		}
		if !added {
			return nil
		}
		return writeEntries(home, list)
	})
	return added && err == nil, err
}

// RemoveEntry takes the collection that query names, by contract, slug or name,
// off <home>/allowlist.json: every entry of its contract.
func RemoveEntry(home, query string) (removed Entry, err error) {
	err = editing(home, func() error {
		list, err := homeEntries(home)
		if err != nil {
			return err
		}
		var found []Entry
		for _, e := range list {
			if e.matches(query) && !slices.ContainsFunc(found, func(o Entry) bool { return o.ContractAddress == e.ContractAddress && e.ContractAddress != "" }) {
				found = append(found, e)
			}
		}
		switch len(found) {
		case 0:
			return fault.New(fault.NotFound, "%q is not on the allowlist", printable(query)).
				Hintf("see what is: ape-claw allowlist list").WithSent(fault.SentNo)
		case 1:
		default:
			return ambiguous(query, found)
		}
		removed = found[0]
		list = slices.DeleteFunc(list, func(o Entry) bool {
			return o == removed || removed.ContractAddress != "" && o.ContractAddress == removed.ContractAddress
		})
		return writeEntries(home, list)
	})
	return removed, err
}

// unresolved reports whether e only lacks the contract that o has.
func (e Entry) unresolved(o Entry) bool { return e.ContractAddress == "" && e.Slug == o.Slug }

// homeEntries are the entries of the home's own file, or the built-in ones.
func homeEntries(home string) ([]Entry, error) {
	path := filepath.Join(home, allowlistFile)
	there, err := writable(path)
	if err != nil {
		return nil, err
	}
	s := source{"the built-in allowlist", defaultAllowlist}
	if there {
		b, err := readSmall(path)
		if err != nil {
			return nil, err
		}
		s = source{store.Display(path), b}
	}
	return parseAllowlist(s)
}

func writeEntries(home string, list []Entry) error {
	text := entriesText(list)
	if _, err := parseAllowlist(source{"the new " + allowlistFile, text}); err != nil {
		return err
	}
	store.CrashPoint("policy: allowlist")
	return store.WriteFile(filepath.Join(home, allowlistFile), text)
}

// entriesText writes an entry a line, so that a person can read a difference.
func entriesText(list []Entry) []byte {
	if len(list) == 0 {
		return []byte("[]\n")
	}
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, e := range list {
		line, err := json.Marshal(e)
		if err != nil {
			panic(err) // strings and a boolean always marshal
		}
		b.WriteString("  ")
		b.Write(line)
		if i < len(list)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	return b.Bytes()
}

// cleanEntry reads an entry as strictly as the file's, enabled and with a contract.
func cleanEntry(e Entry) (Entry, error) {
	if e.Name == "" {
		e.Name = e.Slug
	}
	e.Enabled = true
	list, err := parseAllowlist(source{"the entry", entriesText([]Entry{e})})
	if err != nil {
		why := fault.From(err).Message
		if _, after, ok := strings.Cut(why, "the entry:"); ok { // its place is in no file
			if _, text, ok := strings.Cut(after, ": "); ok {
				why = text
			}
		}
		return e, fault.New(fault.Usage, "%s", why).Hintf("see ape-claw allowlist add --help").WithSent(fault.SentNo)
	}
	if list[0].ContractAddress == "" {
		return e, fault.New(fault.Usage, "an entry needs its contract address: a name says nothing of what is bought").
			Hintf("see ape-claw allowlist add --help").WithSent(fault.SentNo)
	}
	return list[0], nil
}

func contractOf(e Entry) string {
	if e.ContractAddress == "" {
		return "no contract address"
	}
	return e.ContractAddress
}

func notAdded(format string, args ...any) error {
	return fault.New(fault.Conflict, "not added: "+format, args...).
		Hintf("look at both: ape-claw allowlist list; remove the other one first if it is wrong").WithSent(fault.SentNo)
}

// sameEnds reports whether two addresses share their first and last four digits,
// which is all that many programs show of one.
func sameEnds(a, b string) bool { return a[:6] == b[:6] && a[38:] == b[38:] }
