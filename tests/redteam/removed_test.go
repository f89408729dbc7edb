package redteam_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// offEnv names the guards that the overlaid build leaves out, with a plus between them.
const offEnv = "APE_CLAW_TEST_GUARD_OFF"

// guard is one line of the product that can be left out.
type guard struct {
	name, file string
	from, to   string // what stands there, and what stands there instead
}

// guards are those that can be switched off. Each edit has to fit exactly once.
var guards = []guard{
	{"schema", "ai/tool/schema.go", `return invalid(at+"/"+pointed(m.name), "no such argument: "+n.names())`, `if present("schema") { return invalid(at+"/"+pointed(m.name), "no such argument: "+n.names()) }; continue`},
	{"fields", "commands/tool_call.go", `return badArgument(shownArg(name), errors.New("there is no such argument"))`, `if present("fields") { return badArgument(shownArg(name), errors.New("there is no such argument")) }`},
	{"preset", "ai/tool/call.go", `if !v.s.Preset.Allows(c.tool) {`, `if present("preset") && !v.s.Preset.Allows(c.tool) {`},
	{"offered", "ai/tool/registry.go", `if p.Allows(t) {`, `if p.Allows(t) || !present("offered") {`},
	{"hidden", "ai/tool/fence.go", `func hidden(r rune) bool {`, "func hidden(r rune) bool {\n\tif !present(\"hidden\") {\n\t\treturn false\n\t}"},
	{"fence", "ai/tool/fence.go", `func fenced(source string, untrusted bool, data []byte) []byte {`, "func fenced(source string, untrusted bool, data []byte) []byte {\n\tuntrusted = untrusted && present(\"fence\")"},
	{"taint", "ai/tool/engine.go", `if !slices.Contains(v.taint, source) {`, `if present("taint") && !slices.Contains(v.taint, source) {`},
	{"remember", "ai/chat/context.go", `} else if fence.Untrusted {`, `} else if fence.Untrusted && present("remember") {`},
	{"arguments", "ai/tool/call.go", `if !bytes.Equal(v.e.o.Redactor.Bytes(c.args), c.args) {`, `if present("arguments") && !bytes.Equal(v.e.o.Redactor.Bytes(c.args), c.args) {`},
	{"claim", "ai/action/claim.go", `if strings.TrimSpace(claim) == "" {`, `if strings.TrimSpace(claim) == "" || !present("claim") {`},
	{"facts", "ai/action/confirm.go", `if argsHash(a.Tool, was.Args) != a.ArgsHash || t.Grade != a.Grade ||
		factsHash(a.Tool, t.Grade, was) != a.FactsHash || factsHash(a.Tool, t.Grade, is) != a.FactsHash {`,
		`if present("facts") && (argsHash(a.Tool, was.Args) != a.ArgsHash || t.Grade != a.Grade ||
		factsHash(a.Tool, t.Grade, was) != a.FactsHash || factsHash(a.Tool, t.Grade, is) != a.FactsHash) {`},
	{"child", "ai/action/service.go", `if !s.o.Child {`, `if !s.o.Child || !present("child") {`},
	{"child", "commands/ai_home.go", `if _, is := d.host.Env(envAIChild); !is {`, `if _, is := d.host.Env(envAIChild); !is || !present("child") {`},
	{"passphrase", "commands/ai_actions_approve.go", `if _, err := d.provePassphrase(ctx, "approve "+card.ID); err != nil {`, `if _, err := d.provePassphrase(ctx, "approve "+card.ID); err != nil && present("passphrase") {`},
	{"open", "ai/action/propose.go", `if inRoom >= openPerRoom {`, `if present("open") && inRoom >= openPerRoom {`},
	{"clients", "ai/action/propose.go", `if strings.HasPrefix(a.Origin, "mcp:") && len(open) >= openPerClient {`, `if present("clients") && strings.HasPrefix(a.Origin, "mcp:") && len(open) >= openPerClient {`},
	{"origin", "ai/action/status.go", `if err == nil && (a.Origin != scope.AgentID || scope.AgentID == "") {`, `if present("origin") && err == nil && (a.Origin != scope.AgentID || scope.AgentID == "") {`},
	{"name", "ai/mcp/client.go", `func CleanName(s string) string {`, "func CleanName(s string) string {\n\tif !present(\"name\") {\n\t\treturn s\n\t}"},
	{"clean", "commands/printer.go", `func cleaned(s, keep string) string {`, "func cleaned(s, keep string) string {\n\tif !present(\"clean\") {\n\t\treturn s\n\t}"},
	{"plain", "ai/chat/text.go", `func Plain(s string) string {`, "func Plain(s string) string {\n\tif !present(\"plain\") {\n\t\treturn s\n\t}"},
	{"message", "ai/chat/service.go", `Text: s.redact(text)}}`, `Text: map[bool]string{true: s.redact(text), false: text}[present("message")]}}`},
	{"order", "commands/ai_actions_approve.go", `out = append(out, "", "  model says (only words): "+action.Cut(a.Claim, action.MaxClaim))`,
		"out = append(out, \"\", \"  model says (only words): \"+action.Cut(a.Claim, action.MaxClaim))\n\tif !present(\"order\") {\n\t\tslices.Reverse(out)\n\t}"},
	{"twice", "ai/tool/args.go", `if slices.ContainsFunc(v.members, func(m member) bool { return m.name == name }) {`, `if present("twice") && slices.ContainsFunc(v.members, func(m member) bool { return m.name == name }) {`},
}

// removed are guards, alone or several that stand behind one another, and attacks that
// must get through without them.
var removed = []struct {
	off, only string
	says      string // how what got through begins
}{
	{"facts", "a fact says less, chat", "SPENT"},
	{"child", "the model approves by the command line, chat", "DECIDED"},
	{"taint", "a listing says to buy, mcp-stdio", "TAINT"},
	{"remember", "what was read in an earlier turn, chat", "TAINT"},
	{"schema+fields", "the title is in the summary's arguments, chat", "FIELD"},
	{"preset+offered", "a child that only reads, mcp-stdio", ""},
	{"hidden", "hidden characters everywhere, mcp-stdio", "HIDDEN"},
	{"fence", "a collection's maker chose its name, mcp-stdio", "FENCE"},
	{"arguments", "the model passes the key on, chat", "SECRET"},
	{"message", "a person pastes a private key, chat", "SECRET"},
	{"claim", "the summary says 1 APE, mcp-stdio", "CLAIM"},
	{"passphrase", "a person is no passphrase", "SPENT"},
	{"open", "six cards in one conversation, chat", "PROPOSED"},
	{"clients+open", "six cards of one client, mcp-stdio", "PROPOSED"},
	{"origin", "another client's action, mcp-stdio", ""},
	{"name", "a client called conn:main, mcp-stdio", "ORIGIN"},
	{"clean", "hidden characters everywhere, mcp-stdio", "HIDDEN"},
	{"plain", "the model tells the person to paste a command, chat", "HIDDEN"},
	{"order", "the summary says 1 APE, mcp-stdio", "CARD"},
	{"twice", "a name twice, chat", ""},
}

// TestRemovedGuards: without a guard an attack gets through, and the judge says so. The
// product is built from source in which a guard asks an environment variable whether it
// is there, which takes minutes: the short form only looks that each guard stands where
// it is left out.
func TestRemovedGuards(t *testing.T) {
	if *quiet != "" || *only != "" {
		t.Skip("this is a run of one")
	}
	dir := t.TempDir()
	overlay(t, dir)
	for _, r := range removed {
		for name := range strings.SplitSeq(r.off, "+") {
			if !slices.ContainsFunc(guards, func(g guard) bool { return g.name == name }) {
				t.Errorf("there is no guard %s", name)
			}
		}
	}
	if !*full {
		return
	}
	bin := filepath.Join(dir, "redteam.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", filepath.Join(dir, "overlay.json"), "-o", bin, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(off, only string) (through map[string][]string) {
		t.Helper()
		report := filepath.Join(dir, "report.json")
		cmd := exec.CommandContext(t.Context(), bin, "-test.run", "^TestRedTeam$", "-report", report, "-only", only)
		cmd.Env = append(os.Environ(), offEnv+"="+off)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		b, err := os.ReadFile(report)
		if err == nil {
			err = json.Unmarshal(b, &through)
		}
		if err != nil {
			t.Fatal(err)
		}
		return through
	}
	for _, r := range removed {
		through := run(r.off, r.only)
		seen := ""
		for _, wrong := range through {
			for _, w := range wrong {
				if strings.HasPrefix(w, r.says) {
					seen = w
				}
			}
		}
		if seen == "" {
			t.Errorf("without %s no attack of %q got through with %s: %v", r.off, r.only, r.says, through)
			continue
		}
		t.Logf("without %s: %s", r.off, seen[:min(len(seen), 200)])
		// And with it, in the same build, none does.
		if through := run("nothing", r.only); len(through) != 0 {
			t.Errorf("with %s: %v", r.off, through)
		}
	}
}

// overlay writes the patched sources.
func overlay(t *testing.T, dir string) {
	t.Helper()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	sources, packages := map[string]string{}, map[string]string{}
	for _, g := range guards {
		text, ok := sources[g.file]
		if !ok {
			b, err := os.ReadFile(filepath.Join(top, g.file))
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
			name, _, _ := strings.Cut(text[strings.Index(text, "package ")+len("package "):], "\n")
			packages[filepath.Dir(g.file)] = name
		}
		if n := strings.Count(text, g.from); n != 1 {
			t.Fatalf("the guard %s stands %d times in %s", g.name, n, g.file)
		}
		sources[g.file] = strings.Replace(text, g.from, g.to, 1)
	}
	replace := map[string]string{}
	put := func(path, name, text string) {
		out := filepath.Join(dir, name)
		write(t, out, []byte(text))
		replace[filepath.Join(top, path)] = out
	}
	for file, text := range sources {
		put(file, strings.ReplaceAll(file, "/", "_"), text)
	}
	for folder, name := range packages {
		put(filepath.Join(folder, "present_overlay.go"), strings.ReplaceAll(folder, "/", "_")+"_present.go", fmt.Sprintf(
			"package %s\n\nimport (\n\t\"os\"\n\t\"strings\"\n)\n\nfunc present(guard string) bool {\n\treturn !strings.Contains(\"+\"+os.Getenv(%q)+\"+\", \"+\"+guard+\"+\")\n}\n", name, offEnv))
	}
	doc, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), doc)
}
