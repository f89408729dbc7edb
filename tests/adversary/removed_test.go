package adversary_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// offEnv names the check that the overlaid build leaves out.
const offEnv = "APE_CLAW_TEST_CHECK_OFF"

// overlaid are the files whose checks can be left out.
var overlaid = []string{"nft/seaport/verify.go", "nft/seaport/build.go", "nft/seaport/receipt.go", "nft/quote.go", "nft/simulate.go", "nft/story.go",
	"chain/intent.go", "chain/receipt.go", "policy/grant.go"}

// removed are checks, alone or several that stand behind one another, and mutants
// that must get through without them.
var removed = []struct {
	off   string // names of checks, with a plus between them
	only  string // the mutants to run, by what their names have in them
	short bool   // also without -full
}{
	{"checkFulfiller:recipient", "call: to the thief, fulfillAdvancedOrder", true},
	{"checkOffer:offer.tokenId", "offer: the near token, under its hash", false},
	{"checkOffer:offer.token+checkOffer:offer.tokenId", "the thief sells junk, under its hash", false},
	{"Verify:orderHash", "order: with another salt, behind the honest listing", false},
	{"payments:field", "tip: 1 % for the thief, that the listing's price has in it", false},
	{"total:total+verdict:it_was_of_another_order+Authorize:mismatch", "payment: twice, under its hash", false},
	{"Prepare:fault", "eth_maxPriorityFeePerGas .result", false},
	{"plausible:what", "eth_getTransactionReceipt .result.gasUsed", false},
	{"Contradicts:why", "then it failed", false},
}

// TestRemovedChecks: without a check, mutants get through and the harness says so.
// The product is built from source in which every check asks an environment variable
// whether it is there.
func TestRemovedChecks(t *testing.T) {
	if *quiet != "" || *only != "" {
		t.Skip("this is a run of one")
	}
	dir := t.TempDir()
	checks := overlay(t, dir)
	bin := filepath.Join(dir, "adversary.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", filepath.Join(dir, "overlay.json"), "-o", bin, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(off, only string) (res results) {
		t.Helper()
		report := filepath.Join(dir, "report.json")
		cmd := exec.CommandContext(t.Context(), bin, "-test.run", "^TestMutants$", "-report", report, "-only", only, "-seed", fmt.Sprint(*seed))
		cmd.Env = append(os.Environ(), offEnv+"="+off)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		b, err := os.ReadFile(report)
		if err == nil {
			err = json.Unmarshal(b, &res)
		}
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for _, r := range removed {
		for _, name := range strings.Split(r.off, "+") {
			if !slices.Contains(checks, name) {
				t.Errorf("there is no check %s (any more); there are\n%s", name, strings.Join(checks, "\n"))
			}
		}
		if !*full && !r.short {
			continue
		}
		res := run(r.off, r.only)
		if len(res.Wrong) == 0 {
			t.Errorf("without %s nothing got through of %d mutants\n%s", r.off, res.Distinct, res.table())
			continue
		}
		t.Logf("without %s %d of %d got through; the first: %s", r.off, len(res.Wrong), res.Distinct, res.Wrong[0].What)
		// And with it, in the same build, none does.
		if with := run("nothing", r.only); len(with.Wrong) != 0 {
			t.Errorf("with %s: %+v", r.off, with.Wrong)
		}
	}
}

// overlay writes the patched sources and returns the names of the checks.
func overlay(t *testing.T, dir string) (checks []string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	packages := map[string]string{}
	for _, name := range overlaid {
		path := filepath.Join(root, name)
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		patched, pkg, found := instrument(t, name, source)
		checks = append(checks, found...)
		packages[filepath.Dir(path)] = pkg
		out := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(out, patched, 0o600); err != nil {
			t.Fatal(err)
		}
		replace[path] = out
	}
	for folder, pkg := range packages {
		out := filepath.Join(dir, pkg+"_off.go")
		code := fmt.Sprintf("package %s\n\nimport (\n\t\"os\"\n\t\"strings\"\n)\n\nfunc present(check string) bool {\n\treturn !strings.Contains(\"+\"+os.Getenv(%q)+\"+\", \"+\"+check+\"+\")\n}\n", pkg, offEnv)
		if err := os.WriteFile(out, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(folder, "present_overlay.go")] = out
	}
	doc, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), doc, 0o600); err != nil {
		t.Fatal(err)
	}
	slices.Sort(checks)
	return slices.Compact(checks)
}

// instrument makes every condition whose branch refuses depend on present(name). A
// name is the function's and the field's, as the refusal names it; checks of the same
// name go together.
func instrument(t *testing.T, name string, source []byte) (out []byte, pkg string, checks []string) {
	t.Helper()
	set := gotoken.NewFileSet()
	file, err := parser.ParseFile(set, name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	type edit struct {
		at   int
		text string
	}
	var edits []edit
	wrap := func(cond ast.Expr, check string) {
		from, to := set.Position(cond.Pos()).Offset, set.Position(cond.End()).Offset
		edits = append(edits, edit{from, fmt.Sprintf("present(%q) && (", check)}, edit{to, ")"})
		checks = append(checks, check)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IfStmt:
				if what := refuses(source, set, n.Body.List); what != "" {
					wrap(n.Cond, f.Name.Name+":"+what)
				}
			case *ast.SwitchStmt:
				if n.Tag != nil {
					return true
				}
				for _, c := range n.Body.List {
					clause := c.(*ast.CaseClause)
					if what := refuses(source, set, clause.Body); what != "" && len(clause.List) == 1 {
						wrap(clause.List[0], f.Name.Name+":"+what)
					}
				}
			}
			return true
		})
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	last := 0
	for _, e := range edits {
		out = append(append(out, source[last:e.at]...), e.text...)
		last = e.at
	}
	return append(out, source[last:]...), file.Name.Name, checks
}

// refuses reads what a branch refuses: "" when it does not.
func refuses(source []byte, set *gotoken.FileSet, body []ast.Stmt) string {
	if len(body) != 1 {
		return ""
	}
	text := string(source[set.Position(body[0].Pos()).Offset:set.Position(body[0].End()).Offset])
	if strings.Contains(text, "err)") && !strings.Contains(text, "differs") || strings.Contains(text, "return nil, err") {
		return ""
	}
	for _, call := range []string{"differs(", "unsafe(", "wrong(", "stale("} {
		if _, after, ok := strings.Cut(text, call); ok {
			after = strings.TrimPrefix(after, `"`)
			if i := strings.IndexAny(after, `"+,)`); i >= 0 {
				after = after[:i]
			}
			return strings.Map(func(r rune) rune {
				if r == ' ' || r == '+' {
					return '_'
				}
				return r
			}, after)
		}
	}
	switch {
	case strings.Contains(text, "errors.New("), strings.Contains(text, "fmt.Errorf("):
		return "errors"
	case strings.HasPrefix(text, "what ="):
		return "what"
	case strings.HasPrefix(text, "mismatch ="):
		return "mismatch"
	case strings.Contains(text, "return fmt.Sprintf("):
		return "why"
	case strings.Contains(text, "fault.New("):
		return "fault"
	}
	return ""
}
