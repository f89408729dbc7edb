package policy_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestBuiltInAllowlist(t *testing.T) {
	t.Parallel()
	a, err := policy.LoadAllowlist(policy.Sources{Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(a.Entries()); n != 28 {
		t.Errorf("%d collections, want 28", n)
	}
	if au := a.Audit(); au.Total != 28 || au.UnresolvedCount != 0 || len(au.SlugCollisions) != 0 || len(au.Duplicates) != 0 {
		t.Errorf("%+v", au)
	}
	for _, e := range a.Entries() {
		for _, q := range []string{e.Slug, e.Name, strings.ToUpper(e.Slug), e.ContractAddress, "0x" + strings.ToUpper(e.ContractAddress[2:]), strings.ToUpper(e.ContractAddress)} {
			if got, err := a.Resolve(q); err != nil || got != e {
				t.Errorf("%q: %+v %v", q, got, err)
			}
		}
	}
	s, err := policy.LoadAllowlist(policy.Sources{Home: t.TempDir(), Sandbox: true})
	if err != nil || len(s.Entries()) != 0 {
		t.Errorf("a sandbox lists real collections: %v %v", s, err)
	}
}

const (
	addrA = "0x00000000000000000000000000000000000000aa"
	addrB = "0x00000000000000000000000000000000000000bb"
	addrC = "0x00000000000000000000000000000000000000cc"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	src := policy.Sources{Home: t.TempDir()}
	write(t, src.Home, "allowlist.json", `[
		{"name": "Cool Cats", "slug": "cool-cats", "contractAddress": "0x00000000000000000000000000000000000000AA"},
		{"name": "CoolCats", "slug": "coolcats", "contractAddress": "`+addrB+`", "enabled": true},
		{"name": "Twin", "slug": "twin-one", "contractAddress": "0x0000000000000000000000000000000000000001"},
		{"name": "Twin", "slug": "twin-two", "contractAddress": "0x0000000000000000000000000000000000000002"},
		{"name": "Off", "slug": "off", "contractAddress": "0x0000000000000000000000000000000000000003", "enabled": false},
		{"name": "Half", "slug": "half", "contractAddress": null},
		{"name": "Half Too", "slug": "half-too", "contractAddress": ""},
		{"name": "half", "slug": "half-real", "contractAddress": "0x0000000000000000000000000000000000000004"},
		{"name": "Same", "slug": "same", "contractAddress": "0x0000000000000000000000000000000000000005"},
		{"name": "Same", "slug": "same", "contractAddress": "0x0000000000000000000000000000000000000005"},
		{"name": "Both", "slug": "both-on", "contractAddress": "0x0000000000000000000000000000000000000006"},
		{"name": "Both", "slug": "both-off", "contractAddress": "0x0000000000000000000000000000000000000006", "enabled": false},
		{"name": "Café", "slug": "cafe", "contractAddress": "0x0000000000000000000000000000000000000007"},
		{"name": "Old", "slug": "old-on", "contractAddress": "0x0000000000000000000000000000000000000008"},
		{"name": "Old", "slug": "old-off", "contractAddress": "0x0000000000000000000000000000000000000009", "enabled": false},
		{"name": "Shell $(id)", "slug": "old-shell", "contractAddress": "0x000000000000000000000000000000000000000a"}
	]`)
	a, err := policy.LoadAllowlist(src)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{ // the slug, or the code
		"cool-cats": "cool-cats", "COOL CATS": "cool-cats", "coolcats": "coolcats", "CoolCats": "coolcats", addrA: "cool-cats", addrB: "coolcats",
		"cool cats ": "collection_not_allowed", "cool_cats": "collection_not_allowed", "cool": "collection_not_allowed",
		"Twin": "collection_ambiguous", "twin-one": "twin-one",
		"off": "collection_not_allowed", "0x0000000000000000000000000000000000000003": "collection_not_allowed",
		"half": "collection_ambiguous", "half-too": "collection_not_allowed", "half-real": "half-real",
		"same": "same", "both-on": "collection_not_allowed", "0x0000000000000000000000000000000000000006": "collection_not_allowed",
		"café": "cafe", "cafe": "cafe", "CAFÉ": "cafe", "cafe\u0301": "collection_not_allowed", // two ways to write é stay two names
		"old": "old-on",
		"":    "collection_not_allowed", "cool-cats\u200b": "collection_not_allowed", "cool\u00a0cats": "collection_not_allowed", "ｃoolcats": "collection_not_allowed",
		"coolcat\u017f": "collection_not_allowed", "c\u043eolcats": "collection_not_allowed", "cool-cats\x00": "collection_not_allowed", "\xff": "collection_not_allowed",
		"0x00000000000000000000000000000000000000ff": "collection_not_allowed", "0xaa": "collection_not_allowed",
	} {
		e, err := a.Resolve(query)
		got := e.Slug
		if err != nil {
			got = string(fault.CodeOf(err))
		}
		if got != want {
			t.Errorf("%q: got %s (%v), want %s", query, got, err, want)
		}
	}
	_, err = a.Resolve("twin")
	if m := err.Error(); !strings.Contains(m, "0x0000000000000000000000000000000000000001") || !strings.Contains(m, "0x0000000000000000000000000000000000000002") {
		t.Errorf("an ambiguity that does not list both: %s", m)
	}
	_, err = a.Resolve("cool-cats\u200b")
	if m := err.Error(); !strings.Contains(m, "don't show") || strings.Contains(m, "\u200b") {
		t.Errorf("%q", m)
	}
	_, err = a.Resolve("col-cats")
	if e := fault.From(err); !strings.Contains(e.Hint, "did you mean cool-cats?") {
		t.Errorf("%+v", e)
	}
	// A hint may be pasted into a shell: it names slugs, never names.
	_, err = a.Resolve("shel $(id)")
	if e := fault.From(err); !strings.Contains(e.Hint, "did you mean old-shell?") || strings.Contains(e.Hint, "$") {
		t.Errorf("%+v", e)
	}
	au := a.Audit()
	if au.Total != 16 || au.UnresolvedCount != 2 || len(au.Duplicates) != 2 || values(au.SlugCollisions) != "twin half same both old" {
		t.Errorf("%+v", au)
	}
}

func values(cs []policy.Collision) string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Value)
	}
	return strings.Join(out, " ")
}

func TestAllowlistNarrows(t *testing.T) {
	t.Parallel()
	src := policy.Sources{Home: t.TempDir(), Etc: t.TempDir(), WorkDir: t.TempDir(), Agents: []string{"bot"}}
	write(t, src.Home, "allowlist.json", `[{"slug":"a","contractAddress":"`+addrA+`"},{"slug":"b","contractAddress":"`+addrB+`"},{"slug":"c","contractAddress":"`+addrC+`","enabled":false}]`)
	resolve := func(q string) fault.Code {
		a, err := policy.LoadAllowlist(src)
		if err != nil {
			t.Fatal(err)
		}
		e, err := a.Resolve(q)
		for _, l := range a.Entries() {
			if l.Slug == q && l.Enabled != (err == nil) {
				t.Errorf("%s is listed as %t and resolves to %+v %v", q, l.Enabled, e, err)
			}
		}
		return fault.CodeOf(err)
	}
	const no = fault.CollectionNotAllowed
	check := func(a, b, c fault.Code) {
		t.Helper()
		if resolve("a") != a || resolve("b") != b || resolve("c") != c {
			t.Errorf("a %q, b %q, c %q", resolve("a"), resolve("b"), resolve("c"))
		}
	}
	check("", "", no)
	// Another contract under b's slug is no b, and the outer file enables nothing.
	write(t, src.Etc, "allowlist.json", `[{"slug":"x","contractAddress":"`+addrA+`"},{"slug":"b","contractAddress":"0x00000000000000000000000000000000000000dd"},{"slug":"c","contractAddress":"`+addrC+`"}]`)
	check("", no, no)
	write(t, src.WorkDir, "allowlist.json", `[{"slug":"a","contractAddress":"`+addrA+`","enabled":false}]`)
	check(no, no, no)
	write(t, src.WorkDir, "allowlist.json", `[{"slug":"a","contractAddress":"`+addrA+`"}]`)
	check("", no, no)
	write(t, src.Home, "agents/bot/allowlist.json", `[]`)
	check(no, no, no)
	write(t, src.Home, "agents/bot/allowlist.json", `{}`)
	if _, err := policy.LoadAllowlist(src); fault.CodeOf(err) != fault.PolicyInvalid {
		t.Error(err)
	}
}

func TestBadAllowlists(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                                      `:1:1: the allowlist is an object`,
		`["a"]`:                                   `:1:2: an entry is the string "a"`,
		`[{}]`:                                    `:1:2: an entry without a slug`,
		`[{"slug":"A"}]`:                          `:1:10: slug is the string "A"`,
		`[{"slug":"a/../b"}]`:                     `slug is`,
		`[{"slug":"` + addrA + `"}]`:              `slug is`,
		`[{"slug":"a","name":"x\u200b"}]`:         `name is`,
		`[{"slug":"a","name":" x"}]`:              `name is`,
		`[{"slug":"a","name":""}]`:                `name is`,
		`[{"slug":"a","name":"` + addrA + `"}]`:   `name is`,
		`[{"slug":"a","contractAddress":"0x12"}]`: `contractAddress is`,
		`[{"slug":"a","contractAddress":5}]`:      `contractAddress is`,
		`[{"slug":"a","contractAddress":"0x` + strings.Repeat("0", 40) + `"}]`: `contractAddress is`,
		`[{"slug":"a","contractaddress":"` + addrA + `"}]`:                     `did you mean "contractAddress"?`,
		`[{"slug":"a","enabled":"yes"}]`:                                       `expected true or false`,
		`[{"slug":"a","enabled":null}]`:                                        `expected true or false`,
		`[{"slug":"a","slug":"b"}]`:                                            `appears twice`,
		`[{"slug":"a"}] x`:                                                     `invalid JSON`,
		`[`:                                                                    `unexpected end`,
	} {
		src := policy.Sources{Home: t.TempDir()}
		write(t, src.Home, "allowlist.json", text)
		_, err := policy.LoadAllowlist(src)
		wantCode(t, err, fault.PolicyInvalid)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if f := policy.LoadFence(src); f.Err == nil || f.Policy != nil {
			t.Errorf("%+v", f)
		}
	}
}
