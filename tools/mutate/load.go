package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// source is a package as it is written.
type source struct {
	path, dir, name string
	files           []*file
	fset            *token.FileSet
	info            *types.Info
	importer        types.Importer
}

type file struct {
	path string
	src  []byte
	tree *ast.File
}

// load parses and checks the package at pattern. What it imports is compiled, not
// parsed: the go command has its export data.
func load(pattern string) (*source, error) {
	type listed struct {
		ImportPath, Dir, Name, Export string
		GoFiles                       []string
		DepOnly, Standard             bool
	}
	out, err := goCommand("list", "-export", "-deps", "-json=ImportPath,Dir,Name,Export,GoFiles,DepOnly,Standard", "--", pattern, "cmp", "os", "strconv", "sync/atomic") // and what the switches need
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	s := &source{fset: token.NewFileSet()}
	var names []string
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && !p.Standard {
			if s.path != "" {
				return nil, fmt.Errorf("%s names more than one package", pattern)
			}
			s.path, s.dir, s.name, names = p.ImportPath, p.Dir, p.Name, p.GoFiles
		}
	}
	s.importer = importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	for _, n := range names {
		path := filepath.Join(s.dir, n)
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		tree, err := parser.ParseFile(s.fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, &file{path, src, tree})
	}
	s.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	trees := make([]*ast.File, 0, len(s.files))
	for _, f := range s.files {
		trees = append(trees, f.tree)
	}
	_, err = (&types.Config{Importer: s.importer}).Check(s.path, s.fset, trees, s.info)
	return s, err
}

func goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
