package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// Mutant is one change, and what became of it.
type Mutant struct {
	N      int    `json:"n"`
	File   string `json:"file"` // relative to the package's folder
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Was    string `json:"was"`
	Now    string `json:"now"`
	Status string `json:"status"`       // one of the statuses of report.go
	By     string `json:"by,omitempty"` // the test that killed it
}

// site is a place in a file and the text around it that holds its switches.
type site struct {
	file    *file
	line    int
	edits   []edit
	mutants []*Mutant
}

// edit replaces the bytes from at to end: nothing, when they are equal.
type edit struct {
	at, end int
	text    string
	closes  bool // it ends what an earlier edit began
}

// finder walks a package for sites.
type finder struct {
	*source
	file  *file
	next  int // number of the next mutant
	sites []*site
	whole map[ast.Expr]bool // forced to true and false already
	skip  map[ast.Node]bool
}

func find(s *source) []*site {
	f := &finder{source: s, next: 1, whole: map[ast.Expr]bool{}, skip: map[ast.Node]bool{}}
	for _, file := range s.files {
		if ast.IsGenerated(file.tree) {
			continue
		}
		f.file = file
		ast.Inspect(file.tree, f.visit)
	}
	return f.sites
}

func (f *finder) visit(n ast.Node) bool {
	if n == nil || f.skip[n] {
		return false
	}
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST && n.Tok != token.IMPORT
	case *ast.IfStmt:
		f.condition(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil && f.isBool(n.Cond) {
			f.around(n.Cond, "(!mutateOn(%d) && (", "))", "false")
			f.whole[n.Cond] = true
		}
	case *ast.RangeStmt:
		if at := f.offset(n.Body.Lbrace) + 1; len(n.Body.List) > 0 {
			st := f.site(n)
			st.edits = append(st.edits, edit{at, at, fmt.Sprintf(" if mutateOn(%d) { break };", f.mutant(st, n, f.head(n), "not entered")), false})
		}
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				if n.Tag == nil {
					f.condition(e)
				}
			}
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			if _, literal := e.(*ast.Ident); !literal || f.info.Types[e].Value == nil {
				f.condition(e)
			}
		}
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT && !f.whole[n] && f.isBool(n) {
			f.around(n, "((", ") != mutateOn(%d))", f.text(n.X))
		}
	case *ast.Ident:
		if v := f.info.Types[n].Value; v != nil && v.Kind() == constant.Bool && (n.Name == "true" || n.Name == "false") && f.isBool(n) {
			f.around(n, "(", " != mutateOn(%d))", fmt.Sprint(!constant.BoolVal(v)))
		}
	}
	return true
}

// condition forces a bool to true and to false.
func (f *finder) condition(e ast.Expr) {
	e = ast.Unparen(e)
	if f.whole[e] || !f.isBool(e) || f.info.Types[e].Value != nil {
		return
	}
	f.whole[e] = true
	st := f.site(e)
	yes, no := f.mutant(st, e, f.text(e), "true"), f.mutant(st, e, f.text(e), "false")
	st.wrap(f, e, fmt.Sprintf("(mutateOn(%d) || !mutateOn(%d) && (", yes, no), "))")
}

func (f *finder) binary(n *ast.BinaryExpr) {
	if f.info.Types[n].Value != nil {
		return
	}
	switch n.Op {
	case token.LAND, token.LOR:
		for _, x := range []ast.Expr{n.X, n.Y} {
			x = ast.Unparen(x)
			if b, ok := x.(*ast.BinaryExpr); (ok && b.Op == n.Op) || f.whole[x] || !f.isBool(x) {
				continue
			}
			f.whole[x] = true
			if n.Op == token.LAND {
				f.around(x, "(mutateOn(%d) || (", "))", "true")
			} else {
				f.around(x, "(!mutateOn(%d) && (", "))", "false")
			}
		}
	case token.EQL, token.NEQ:
		f.equality(n)
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		f.order(n)
	case token.ADD, token.SUB:
		if f.integers(n) {
			other := map[token.Token]token.Token{token.ADD: token.SUB, token.SUB: token.ADD}[n.Op]
			st := f.site(n)
			st.call(f, n, fmt.Sprintf("mutateSum(%d, %d, ", map[token.Token]int{token.ADD: 1, token.SUB: -1}[n.Op], f.mutant(st, n, f.text(n), f.with(n, other))))
		}
	}
}

func (f *finder) equality(n *ast.BinaryExpr) {
	if !f.isBool(n) {
		return
	}
	other := map[token.Token]token.Token{token.EQL: token.NEQ, token.NEQ: token.EQL}[n.Op]
	if f.info.Types[n.Y].Value == nil || !f.integers(n) {
		if !f.whole[n] {
			f.around(n, "((", ") != mutateOn(%d))", f.with(n, other))
		}
		return
	}
	st := f.site(n)
	negated := 0
	if !f.whole[n] {
		negated = f.mutant(st, n, f.text(n), f.with(n, other))
	}
	above, below := f.mutant(st, n, f.text(n), f.text(n)+" + 1"), 0
	if constant.Sign(f.info.Types[n.Y].Value) != 0 {
		below = f.mutant(st, n, f.text(n), f.text(n)+" - 1")
	}
	st.call(f, n, fmt.Sprintf("mutateEqual(%t, %d, %d, %d, ", n.Op == token.EQL, negated, above, below))
}

func (f *finder) order(n *ast.BinaryExpr) {
	if !f.isBool(n) || !f.basic(n) {
		return
	}
	boundary := map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}[n.Op]
	opposite := map[token.Token]token.Token{token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ, token.GEQ: token.LSS}[n.Op]
	st := f.site(n)
	moved, negated := f.mutant(st, n, f.text(n), f.with(n, boundary)), 0
	if !f.whole[n] {
		negated = f.mutant(st, n, f.text(n), f.with(n, opposite))
	}
	if f.info.Types[n.Y].Value == nil || !f.integers(n) {
		st.call(f, n, fmt.Sprintf("mutateOrder(%q, %d, %d, ", n.Op, moved, negated))
		return
	}
	by, sign := 1, " + 1" // the side that the boundary does not move to
	if n.Op == token.LSS || n.Op == token.GEQ {
		by, sign = -1, " - 1"
	}
	st.call(f, n, fmt.Sprintf("mutateOrderNumber(%q, %d, %d, %d, %d, ", n.Op, moved, negated, by, f.mutant(st, n, f.text(n), f.text(n)+sign)))
}

// statements leaves out each statement whose absence compiles.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && f.text(call.Fun) == "panic" {
				continue // it may end its function
			}
		case *ast.AssignStmt:
			blank := true
			for _, l := range s.Lhs {
				blank = blank && f.text(l) == "_"
			}
			if s.Tok == token.DEFINE || blank {
				continue
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		f.around(s, "if !mutateOn(%d) { ", " }", "left out")
	}
}

// around puts text with the number of one mutant before and after a node.
func (f *finder) around(n ast.Node, before, after, now string) {
	st := f.site(n)
	number := f.mutant(st, n, f.text(n), now)
	if strings.Contains(before, "%d") {
		before = fmt.Sprintf(before, number)
	} else {
		after = fmt.Sprintf(after, number)
	}
	st.wrap(f, n, before, after)
}

func (f *finder) site(n ast.Node) *site {
	st := &site{file: f.file, line: f.fset.Position(n.Pos()).Line}
	f.sites = append(f.sites, st)
	return st
}

func (f *finder) mutant(st *site, n ast.Node, was, now string) int {
	p := f.fset.Position(n.Pos())
	m := &Mutant{N: f.next, File: base(p.Filename), Line: p.Line, Column: p.Column, Was: was, Now: now}
	f.next++
	st.mutants = append(st.mutants, m)
	return m.N
}

func (st *site) wrap(f *finder, n ast.Node, before, after string) {
	from, to := f.offset(n.Pos()), f.offset(n.End())
	st.edits = append(st.edits, edit{from, from, before, false}, edit{to, to, after, true})
}

// call makes a comparison or sum the arguments of a function.
func (st *site) call(f *finder, n *ast.BinaryExpr, function string) {
	st.wrap(f, n, function, ")")
	at := f.offset(n.OpPos)
	st.edits = append(st.edits, edit{at, at + len(n.Op.String()), ",", false})
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// text is a node on one line.
func (f *finder) text(n ast.Node) string {
	return strings.Join(strings.Fields(string(f.file.src[f.offset(n.Pos()):f.offset(n.End())])), " ")
}

func (f *finder) head(n *ast.RangeStmt) string {
	return strings.Join(strings.Fields(string(f.file.src[f.offset(n.Pos()):f.offset(n.Body.Lbrace)])), " ")
}

func (f *finder) with(n *ast.BinaryExpr, op token.Token) string {
	return f.text(n.X) + " " + op.String() + " " + f.text(n.Y)
}

// isBool is about bool itself: a named one would not take what a switch gives.
func (f *finder) isBool(e ast.Expr) bool {
	t := f.info.Types[e].Type
	return t != nil && (types.Identical(t, types.Typ[types.Bool]) || types.Identical(t, types.Typ[types.UntypedBool]))
}

// basic reports whether both operands have one type that is ordered.
func (f *finder) basic(n *ast.BinaryExpr) bool {
	x, y := f.info.Types[n.X].Type, f.info.Types[n.Y].Type
	if x == nil || y == nil || !types.Identical(x, y) {
		return false
	}
	b, ok := x.Underlying().(*types.Basic)
	_, param := x.(*types.TypeParam)
	return ok && !param && b.Info()&types.IsOrdered != 0
}

func (f *finder) integers(n *ast.BinaryExpr) bool {
	return f.basic(n) && f.info.Types[n.X].Type.Underlying().(*types.Basic).Info()&types.IsInteger != 0
}
