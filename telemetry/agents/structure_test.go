package agents_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// Unknown, revoked and wrong take one way through Verify: a hash first, whatever
// comes; then one lookup, which answers for an unknown id too; then one comparison
// in constant time, and nothing that returns in between but a database that fails.
// A clock could not show this reliably.
func TestVerifyTakesOneWay(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "agents.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var body []ast.Stmt
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == "Verify" {
			body = f.Body.List
		}
	}
	calls := func(n ast.Node) (names []string) {
		ast.Inspect(n, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
					names = append(names, sel.Sel.Name)
				}
			}
			return true
		})
		return names
	}
	want := [][]string{{"Sum256"}, {"find"}, nil, {"ConstantTimeCompare"}, nil}
	if len(body) != len(want) {
		t.Fatalf("Verify has %d statements, want %d: hash, lookup, its error, comparison, proof", len(body), len(want))
	}
	for i, stmt := range body {
		got := calls(stmt)
		if len(want[i]) == 0 && len(got) == 0 {
			continue
		}
		if len(got) == 0 || len(want[i]) == 0 || got[0] != want[i][0] || len(got) != 1 {
			t.Errorf("statement %d of Verify calls %v, want %v", i+1, got, want[i])
		}
	}
	// Only the lookup's own error returns before the comparison.
	check, ok := body[2].(*ast.IfStmt)
	if cond, isCond := check.Cond.(*ast.BinaryExpr); !ok || !isCond || cond.X.(*ast.Ident).Name != "err" || cond.Op != token.NEQ {
		t.Error("before the comparison Verify asks for something else than the lookup's error")
	}
	cmp := body[3].(*ast.IfStmt).Cond.(*ast.BinaryExpr)
	if and, ok := cmp.X.(*ast.BinaryExpr); !ok || and.Op != token.AND {
		t.Error("the comparison and the agent's being enabled are not joined without a jump")
	}
}
