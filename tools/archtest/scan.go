package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// File is one parsed Go file of the module.
type File struct {
	Path      string // relative to the module's root, with slashes
	Dir       string // its package's folder, "." for the root
	Test      bool   // a _test.go file
	Generated bool   // carries the line that generated code carries
	Lines     int

	fset *token.FileSet
	ast  *ast.File
}

// Load parses every Go file under root, except what the go command ignores:
// testdata, vendor, node_modules, and folders that start with a dot or underscore.
func Load(root string) ([]*File, error) {
	var files []*File
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && (name == "testdata" || name == "vendor" || name == "node_modules" ||
				strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		f, err := Parse(filepath.ToSlash(rel), src)
		if err != nil {
			return err
		}
		files = append(files, f)
		return nil
	})
	return files, err
}

// Parse parses one file; name is its path relative to the module's root.
func Parse(name string, src []byte) (*File, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &File{
		Path: name, Dir: path.Dir(name), Test: strings.HasSuffix(name, "_test.go"),
		Generated: ast.IsGenerated(tree), Lines: strings.Count(string(src), "\n"),
		fset: fset, ast: tree,
	}, nil
}

// In reports whether the file lies in one of the folders or beneath it.
func (f *File) In(dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(f.Dir, dir) })
}

// within reports whether path p is dir or lies beneath it.
func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// Imports returns the import paths of the file.
func (f *File) Imports() []string {
	var out []string
	for _, spec := range f.ast.Imports {
		// The parser accepted the literal, so it unquotes.
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err)
		}
		out = append(out, p)
	}
	return out
}

// Use is one mention of a name.
type Use struct {
	Name string // "time.Now", with the import path's full form: "net/http.Get"; "float64"; "func init"
	At   string // file:line
}

// Uses returns every qualified name of an imported package that the file
// mentions, every bare identifier that stands for a type or value, and each init
// function. Whether a local variable hides a package is not looked at: hiding
// one that this module has rules about would be no good idea either.
func (f *File) Uses() []Use {
	names := map[string]string{}
	for _, spec := range f.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err)
		}
		name := path.Base(p)
		if isMajor(name) {
			name = path.Base(path.Dir(p))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	var uses []Use
	add := func(name string, pos token.Pos) {
		p := f.fset.Position(pos)
		uses = append(uses, Use{name, fmt.Sprintf("%s:%d", f.Path, p.Line)})
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && names[x.Name] != "" {
				add(names[x.Name]+"."+n.Sel.Name, n.Pos())
				return false
			}
		case *ast.FuncDecl:
			if n.Name.Name == "init" && n.Recv == nil {
				add("func init", n.Pos())
			}
		case *ast.Ident:
			add(n.Name, n.Pos())
		}
		return true
	})
	return uses
}

// isMajor reports whether the last element of an import path is a major version.
func isMajor(elem string) bool {
	n, ok := strings.CutPrefix(elem, "v")
	_, err := strconv.Atoi(n)
	return ok && err == nil
}

// Comments returns the lines of the file's comments.
func (f *File) Comments() []Use {
	var out []Use
	for _, g := range f.ast.Comments {
		for _, c := range g.List {
			line := f.fset.Position(c.Pos()).Line
			for i, text := range strings.Split(c.Text, "\n") {
				out = append(out, Use{text, fmt.Sprintf("%s:%d", f.Path, line+i)})
			}
		}
	}
	return out
}
