package agents_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// Unknown, revoked and wrong take one way: a hash first, whatever comes; then one
// lookup, which answers for what is unknown too; then one comparison in constant
// time, and nothing that returns in between but a database that fails. A clock could
// not show this reliably.
func TestChecksTakeOneWay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, name, lookup string
	}{{"agents.go", "Verify", "find"}, {"invites.go", "redeem", "findInvite"}} {
		t.Run(tt.name, func(t *testing.T) { takesOneWay(t, tt.file, tt.name, tt.lookup) })
	}
}

func takesOneWay(t *testing.T, name, function, lookup string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var body []ast.Stmt
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == function {
			body = f.Body.List
		}
	}
	calls := func(n ast.Node) (names []string) {
		ast.Inspect(n, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				switch f := c.Fun.(type) {
				case *ast.SelectorExpr:
					names = append(names, f.Sel.Name)
				case *ast.Ident:
					names = append(names, f.Name)
				}
			}
			return true
		})
		return names
	}
	want := []string{"Sum256", lookup, "", "ConstantTimeCompare"}
	if len(body) <= len(want) {
		t.Fatalf("%s has %d statements: hash, lookup, its error and comparison are before the rest", function, len(body))
	}
	for i, name := range want {
		got := calls(body[i])
		if i == 0 { // what turns text into bytes is no call
			got = slices.DeleteFunc(got, func(s string) bool { return s == "byte" })
		}
		if i == 3 { // the refusal is after the comparison
			got = got[:1]
		}
		if name == "" && len(got) > 0 || name != "" && !slices.Equal(got, []string{name}) {
			t.Errorf("statement %d of %s calls %v, want %q", i+1, function, got, name)
		}
	}
	// Only the lookup's own error returns before the comparison.
	check, ok := body[2].(*ast.IfStmt)
	if cond, isCond := check.Cond.(*ast.BinaryExpr); !ok || !isCond || cond.X.(*ast.Ident).Name != "err" || cond.Op != token.NEQ {
		t.Errorf("before the comparison %s asks for something else than the lookup's error", function)
	}
	cmp := body[3].(*ast.IfStmt).Cond.(*ast.BinaryExpr)
	if and, ok := cmp.X.(*ast.BinaryExpr); !ok || and.Op != token.AND {
		t.Error("the comparison and what is enabled are not joined without a jump")
	}
}
