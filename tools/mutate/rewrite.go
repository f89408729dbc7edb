package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"os"
	"path/filepath"
	"slices"
)

func base(path string) string { return filepath.Base(path) }

// overlay writes the package with its switches to dir, and returns the file that
// tells the go command of it and the sites that are in it: a site that does not
// compile as it was thought to is dropped.
func overlay(s *source, sites []*site, dir string) (string, []*site, error) {
	for range 10 {
		texts := map[string][]byte{filepath.Join(s.dir, "zz_mutate.go"): []byte(fmt.Sprintf(switches, s.name, last(sites)+1))}
		for _, f := range s.files {
			texts[f.path] = rewrite(f, sites)
		}
		bad, err := faulty(s, texts)
		if err != nil {
			return "", nil, err
		}
		if len(bad) > 0 {
			before := len(sites)
			sites = slices.DeleteFunc(sites, func(st *site) bool { return bad[fmt.Sprint(st.file.path, ":", st.line)] != "" })
			if len(sites) == before {
				return "", nil, fmt.Errorf("the rewritten %s does not compile at %v", s.path, bad)
			}
			continue
		}
		replace := map[string]string{}
		for path, text := range texts {
			to := filepath.Join(dir, base(path))
			if err := os.WriteFile(to, text, 0o644); err != nil {
				return "", nil, err
			}
			replace[path] = to
		}
		list, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			return "", nil, err
		}
		name := filepath.Join(dir, "overlay.json")
		return name, sites, os.WriteFile(name, list, 0o644)
	}
	return "", nil, fmt.Errorf("the rewritten %s does not compile", s.path)
}

func last(sites []*site) int {
	n := 0
	for _, st := range sites {
		for _, m := range st.mutants {
			n = max(n, m.N)
		}
	}
	return n
}

// rewrite applies the edits of a file. Sites come outermost first: at one offset,
// what closes the innermost is first, then what opens the outermost. Lines stay
// where they are.
func rewrite(f *file, sites []*site) []byte {
	type ordered struct {
		edit
		rank int
	}
	var edits []ordered
	for i, st := range sites {
		if st.file != f {
			continue
		}
		for _, e := range st.edits {
			rank := i + 1
			if e.closes {
				rank = -rank
			}
			edits = append(edits, ordered{e, rank})
		}
	}
	slices.SortStableFunc(edits, func(a, b ordered) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
	})
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, f.src[done:e.at]...), e.text...)
		done = e.end
	}
	return append(out, f.src[done:]...)
}

// faulty returns the lines of the rewritten files that do not compile.
func faulty(s *source, texts map[string][]byte) (map[string]string, error) {
	bad := map[string]string{}
	var trees []*ast.File
	for path, text := range texts {
		tree, err := parser.ParseFile(s.fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("rewritten: %w", err)
		}
		trees = append(trees, tree)
	}
	cfg := types.Config{Importer: s.importer, Error: func(err error) {
		if e := (types.Error{}); errors.As(err, &e) {
			p := e.Fset.Position(e.Pos)
			bad[fmt.Sprint(p.Filename, ":", p.Line)] = e.Msg
		}
	}}
	_, err := cfg.Check(s.path, s.fset, trees, nil)
	if err != nil && len(bad) == 0 {
		return nil, err
	}
	return bad, nil
}

// The variables that a test binary reads: which mutant it is, and where it writes
// the numbers of those that it comes by.
const (
	activeEnv = "MUTATE_ACTIVE"
	logEnv    = "MUTATE_LOG"
)

// switches is the file that is added to a package. Its imports are renamed, so
// that they meet nothing of the package's.
const switches = `package %s

import (
	mutateCmp "cmp"
	mutateOS "os"
	mutateStrconv "strconv"
	mutateAtomic "sync/atomic"
)

var (
	mutateActive, _ = mutateStrconv.Atoi(mutateOS.Getenv("` + activeEnv + `"))
	mutateLog       = mutateOS.Getenv("` + logEnv + `")
	mutateSeen      [%d]mutateAtomic.Bool
)

func mutateOn(n int) bool {
	if mutateLog != "" && n != 0 && !mutateSeen[n].Swap(true) {
		f, err := mutateOS.OpenFile(mutateLog, mutateOS.O_WRONLY|mutateOS.O_APPEND|mutateOS.O_CREATE, 0o600)
		if err != nil {
			panic(err)
		}
		if _, err := f.WriteString(mutateStrconv.Itoa(n) + "\n"); err != nil {
			panic(err)
		}
		f.Close()
	}
	return n != 0 && n == mutateActive
}

type mutateInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

func mutateSum[T mutateInteger](sign, n int, a, b T) T {
	if (sign > 0) != mutateOn(n) {
		return a + b
	}
	return a - b
}

func mutateEqual[T mutateInteger](equal bool, negated, above, below int, a, b T) bool {
	switch {
	case mutateOn(above):
		b++
	case mutateOn(below):
		b--
	}
	return ((a == b) == equal) != mutateOn(negated)
}

func mutateOrder[T mutateCmp.Ordered](op string, moved, negated int, a, b T) bool {
	if mutateOn(moved) {
		op = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[op]
	}
	r := false
	switch op {
	case "<":
		r = a < b
	case "<=":
		r = a <= b
	case ">":
		r = a > b
	case ">=":
		r = a >= b
	}
	return r != mutateOn(negated)
}

func mutateOrderNumber[T mutateInteger](op string, moved, negated, by, other int, a, b T) bool {
	if mutateOn(other) {
		if by > 0 {
			b++
		} else {
			b--
		}
	}
	return mutateOrder(op, moved, negated, a, b)
}
`
