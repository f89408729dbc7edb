package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// Package is what go list says about a package of the module.
type Package struct {
	ImportPath string
	Imports    []string // direct, of production code
	Deps       []string // all the way down
}

// List asks go list for the packages of the module at root. Packages that do
// not compile are listed all the same.
func List(root string) ([]Package, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.Bytes())
	}
	var pkgs []Package
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p Package
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		pkgs = append(pkgs, p)
	}
}

// Layer says which folders of the module the packages in Dir and beneath it may
// import directly, beside their own. A package belongs to the longest Dir that fits.
type Layer struct {
	Dir string
	May []string // exact folders; "x/..." is x and all beneath it
	Why string
}

// Deny forbids a dependency of the packages in Dir and beneath it, also through others.
type Deny struct {
	Dir    string
	Deps   []string // import path prefixes
	Except []string // folders beneath Dir that may
	Why    string
}

// CheckLayers returns a line for each import that no layer allows, for each
// package that has no layer and for each layer without a package.
func CheckLayers(module string, pkgs []Package, layers []Layer) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range pkgs {
		dir := folder(module, p.ImportPath)
		l, ok := layerOf(layers, dir)
		if !ok {
			out = append(out, dir+": has no layer; add it to the table, with a reason")
			continue
		}
		seen[l.Dir] = true
		for _, imp := range p.Imports {
			if !within(imp, module) {
				continue
			}
			to := folder(module, imp)
			own, _ := layerOf(layers, to)
			if own.Dir != l.Dir && !allows(l.May, to) {
				out = append(out, fmt.Sprintf("%s imports %s: %s", dir, to, l.Why))
			}
		}
	}
	for _, l := range layers {
		if !seen[l.Dir] {
			out = append(out, l.Dir+": a layer without a package")
		}
		for _, may := range l.May {
			base := strings.TrimSuffix(may, "/...")
			if !slices.ContainsFunc(pkgs, func(p Package) bool { return within(folder(module, p.ImportPath), base) }) {
				out = append(out, fmt.Sprintf("%s may import %s, which does not exist", l.Dir, may))
			}
		}
	}
	return out
}

// CheckDenied returns a line for each denied dependency and for each entry that
// is about no package.
func CheckDenied(module string, pkgs []Package, denied []Deny) []string {
	var out []string
	for _, d := range denied {
		about := false
		for _, p := range pkgs {
			dir := folder(module, p.ImportPath)
			if d.Dir != "." && !within(dir, d.Dir) {
				continue
			}
			about = true
			if slices.ContainsFunc(d.Except, func(e string) bool { return within(dir, e) }) {
				continue
			}
			for _, x := range d.Deps { // one line each, however many packages lie beneath x
				if i := slices.IndexFunc(p.Deps, func(dep string) bool { return within(dep, x) }); i >= 0 {
					out = append(out, fmt.Sprintf("%s depends on %s: %s", dir, p.Deps[i], d.Why))
				}
			}
		}
		if !about {
			out = append(out, d.Dir+": a denial about no package")
		}
	}
	return out
}

func folder(module, importPath string) string {
	if importPath == module {
		return "."
	}
	return strings.TrimPrefix(importPath, module+"/")
}

func layerOf(layers []Layer, dir string) (Layer, bool) {
	var best Layer
	found := false
	for _, l := range layers {
		if within(dir, l.Dir) && len(l.Dir) > len(best.Dir) {
			best, found = l, true
		}
	}
	return best, found
}

func allows(may []string, dir string) bool {
	return slices.ContainsFunc(may, func(m string) bool {
		if base, ok := strings.CutSuffix(m, "/..."); ok {
			return within(dir, base)
		}
		return m == dir
	})
}
