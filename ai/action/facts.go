package action

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// argsHash is of a tool and its canonical arguments.
func argsHash(tool string, args json.RawMessage) string { return digest([]any{tool, args}) }

// factsHash is over everything that must not change between the card, the approval
// and the execution. Volatile facts, balances and what gas may cost, are left out,
// and so is what spending comes to with them: of that only the assets count here.
func factsHash(tool string, g ai.Grade, d doc) string {
	var facts [][3]string
	for _, f := range d.Facts {
		if !f.Volatile {
			facts = append(facts, [3]string{f.Name, f.Label, f.Value})
		}
	}
	return digest(struct {
		Tool, Command, Permission, Title, Impact, Phrase, Reference string
		Grade                                                       ai.Grade
		Facts                                                       [][3]string
		Identifiers, Binding                                        map[string]string
		Assets                                                      []string
		Args, Run                                                   json.RawMessage
	}{tool, d.Command, d.Permission, d.Title, d.Impact, d.Phrase, d.Reference, g, facts, d.Identifiers, d.Binding, assets(d.Spends), d.Args, d.Run})
}

func digest(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		// Arguments were checked to be JSON, the rest is text. A random hash equals none.
		return rand()
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func assets(spends []ai.Amount) []string {
	out := []string{}
	for _, s := range spends {
		out = append(out, s.Asset)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// describe turns a preview into the part of a document that it decides. host is
// what this process acts with.
func (d doc) describe(t ai.Tool, p ai.Preview, host map[string]string) doc {
	d.Command, d.Permission = t.Command, t.Permission
	d.Title, d.Impact, d.Phrase, d.Reference = Clean(p.Title), Clean(p.Impact), p.Phrase, p.Reference
	d.Identifiers, d.Spends, d.Untrusted = p.Identifiers, p.Spends, p.Untrusted
	d.Facts = nil
	for _, f := range p.Facts { // names that others chose are among them, and pages show these as they are
		d.Facts = append(d.Facts, ai.Fact{Name: f.Name, Label: Clean(f.Label), Value: Clean(f.Value), Volatile: f.Volatile})
	}
	if d.Run = p.Args; len(d.Run) == 0 {
		d.Run = d.Args
	}
	d.Run = compact(d.Run)
	d.Binding = maps.Clone(p.Binding)
	if d.Binding == nil {
		d.Binding = map[string]string{}
	}
	for k, v := range host {
		if _, said := d.Binding[k]; !said {
			d.Binding[k] = v
		}
	}
	if d.Facts == nil {
		d.Facts = []ai.Fact{}
	}
	if d.Spends == nil {
		d.Spends = []ai.Amount{}
	}
	if d.Identifiers == nil {
		d.Identifiers = map[string]string{}
	}
	return d
}

// compact is JSON as the database gives it back.
func compact(raw json.RawMessage) json.RawMessage {
	b, err := json.Marshal(raw)
	if err != nil {
		return raw
	}
	return b
}

// Difference is one thing that is no longer what the card said.
type Difference struct {
	Name string `json:"name"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// bindings are the names for people of what a process acts with.
var bindings = map[string]string{
	"profile": "profile", "account": "account", "buyer": "account", "from": "account", "policyHash": "policy", "policy": "policy",
	"allowlist": "allowlist", "home": "home", "stateDir": "state directory", "chainId": "chain", "rpc": "node",
}

// BindingName is what people call a part of what a process acts with.
func BindingName(key string) string { return cmp.Or(bindings[key], key) }

// differences names what two documents of one action do not have in common.
func differences(was, is doc) []Difference {
	var out []Difference
	note := func(name, a, b string) {
		if a != b {
			out = append(out, Difference{name, a, b})
		}
	}
	for _, k := range keys(was.Binding, is.Binding) {
		note(BindingName(k), was.Binding[k], is.Binding[k])
	}
	a, b := values(was.Facts), values(is.Facts)
	for _, k := range keys(a, b) {
		note(k, a[k], b[k])
	}
	for _, k := range keys(was.Identifiers, is.Identifiers) {
		if _, fact := a[k]; !fact {
			note(k, was.Identifiers[k], is.Identifiers[k])
		}
	}
	note("assets", strings.Join(assets(was.Spends), ", "), strings.Join(assets(is.Spends), ", "))
	note("arguments", string(was.Run), string(is.Run))
	note("reference", was.Reference, is.Reference)
	note("command", was.Command, is.Command)
	note("permission", was.Permission, is.Permission)
	if len(out) == 0 { // the rest follows from the facts, unless somebody wrote into the row
		note("title", was.Title, is.Title)
		note("impact", was.Impact, is.Impact)
		note("phrase", was.Phrase, is.Phrase)
		note("arguments", string(was.Args), string(is.Args))
		if len(out) == 0 {
			out = append(out, Difference{Name: "the row itself"})
		}
	}
	return out
}

// values are the facts that must not change, by what people call them.
func values(facts []ai.Fact) map[string]string {
	out := map[string]string{}
	for _, f := range facts {
		if !f.Volatile {
			name := cmp.Or(f.Label, f.Name)
			if before, twice := out[name]; twice { // such as several fees
				out[name] = before + ", " + f.Value
				continue
			}
			out[name] = f.Value
		}
	}
	return out
}

func keys(a, b map[string]string) []string {
	all := slices.Sorted(maps.Keys(a))
	for k := range b {
		if _, has := a[k]; !has {
			all = append(all, k)
		}
	}
	slices.Sort(all)
	return all
}

// stale says what differs, in the sentence and in the details.
func stale(id string, diffs []Difference) *fault.Error {
	var words, names []string
	for _, d := range diffs {
		names = append(names, d.Name)
		if d.Was == "" && d.Is == "" {
			words = append(words, d.Name)
			continue
		}
		words = append(words, Cut(d.Name, 40)+" was "+shownValue(d.Was)+" and is "+shownValue(d.Is))
	}
	if len(words) > 4 {
		words = append(words[:4], "more")
	}
	return fault.New(fault.ActionStale, "action %s is not what was proposed any more: %s", id, strings.Join(words, "; ")).
		Hintf("look at it again with ape-claw ai actions show %s, reject it, and let the model propose anew", id).
		WithSent(fault.SentNo).With("differs", names).With("differences", diffs)
}

func shownValue(s string) string {
	if s == "" {
		return "nothing"
	}
	return Cut(s, 80)
}
