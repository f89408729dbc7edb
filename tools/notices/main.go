// Command notices writes THIRD_PARTY_NOTICES: every module that is linked into
// the binary, on each platform it is built for, with its licence's full text,
// and what is embedded without being a module. A licence that it does not know
// is an error, so that somebody reads it.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	out := flag.String("o", "THIRD_PARTY_NOTICES", "file to write")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// platforms are what is built; other systems link other packages.
var platforms = []struct{ os, arch string }{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"},
}

func run(out string) error {
	parts := map[string]*part{} // by name
	for _, p := range platforms {
		if err := list(parts, p.os, p.arch); err != nil {
			return err
		}
	}
	goLicense, err := goLicense()
	if err != nil {
		return err
	}
	parts["Go standard library and runtime"] = &part{name: "Go standard library and runtime", texts: goLicense}
	if err := embedded(parts); err != nil {
		return err
	}
	doc, err := render(slices.SortedFunc(maps.Values(parts), func(a, b *part) int { return cmp.Compare(a.name, b.name) }))
	if err != nil {
		return err
	}
	return os.WriteFile(out, doc, 0o644)
}

// part is a thing of others in the binary: a module, or embedded bytes.
type part struct {
	name, version string
	texts         map[string]string // file name -> text
}

// list adds the modules that the binary links on one platform.
func list(parts map[string]*part, goos, goarch string) error {
	cmd := exec.Command("go", "list", "-deps", "-e", "-json=Dir,Standard,Module", "./cmd/ape-claw")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list for %s/%s: %w", goos, goarch, err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	for {
		var pkg struct {
			Dir      string
			Standard bool
			Module   *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		m := pkg.Module
		if pkg.Standard || m == nil || m.Main {
			continue
		}
		p := parts[m.Path]
		if p == nil {
			p = &part{name: m.Path, version: m.Version, texts: map[string]string{}}
			parts[m.Path] = p
		}
		// A folder inside a module may have come from somewhere else, with its own licence.
		for dir := pkg.Dir; ; dir = filepath.Dir(dir) {
			if err := p.collect(m.Dir, dir); err != nil {
				return err
			}
			if dir == m.Dir || !strings.HasPrefix(dir, m.Dir) {
				break
			}
		}
	}
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// collect reads the licence files in one folder.
func (p *part) collect(root, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		// modernc.org's LICENSE-LOGO is about a picture in the repository.
		if e.IsDir() || !licenseFile.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") || e.Name() == "LICENSE-LOGO" {
			continue
		}
		rel, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		p.texts[filepath.ToSlash(rel)] = tidy(b)
	}
	return nil
}

// tidy makes the text independent of line ends and trailing blanks.
func tidy(b []byte) string {
	lines := strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
}

func goLicense() (map[string]string, error) {
	b, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	p := part{texts: map[string]string{}}
	root := strings.TrimSpace(string(b))
	for _, dir := range []string{root, filepath.Dir(root)} { // a distribution may put it beside
		if err := p.collect(dir, dir); err == nil && len(p.texts) > 0 {
			return p.texts, nil
		}
	}
	// A distribution that moved it: Go's own modules have the same text.
	b, err = exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		return nil, fmt.Errorf("no licence of Go found: %w", err)
	}
	dir := strings.TrimSpace(string(b))
	return p.texts, p.collect(dir, dir)
}

// embedded adds what is in the binary and is no Go module: fonts, whose licences
// lie beside them, and what the files under extra say. Each of those starts with
// a line "name | version", and a blank line. A module that ships no licence file
// has its licence there too.
func embedded(parts map[string]*part) error {
	fonts, err := filepath.Glob("telemetry/dashboard/assets/fonts/*-LICENSE.txt")
	if err != nil {
		return err
	}
	for _, path := range fonts {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := "font " + strings.TrimSuffix(filepath.Base(path), "-LICENSE.txt")
		parts[name] = &part{name: name, texts: map[string]string{"LICENSE": tidy(b)}}
	}
	dir := filepath.Join("tools", "notices", "extra")
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		head, text, ok := strings.Cut(string(b), "\n\n")
		name, version, hasVersion := strings.Cut(head, " | ")
		if !ok || !hasVersion {
			return fmt.Errorf("%s: it does not start with a line \"name | version\"", path)
		}
		if parts[name] == nil {
			parts[name] = &part{name: name, version: version, texts: map[string]string{}}
		}
		parts[name].texts["LICENSE"] = tidy([]byte(text))
		return nil
	})
}

const intro = `THIRD-PARTY NOTICES

ape-claw itself is under the MIT licence (LICENSE). The ape-claw binary contains
the works listed here, each under its own licence; the full texts follow the list.
This file is written by "make generate" (tools/notices).

go-ethereum's library is under the GNU Lesser General Public License, version 3.
It is used unchanged, through its Go packages. You may put a modified version of
it into ape-claw: everything needed to build is in the source repository.

    git clone https://github.com/ape-claw/ape-claw && cd ape-claw
    go mod edit -replace github.com/ethereum/go-ethereum=../your-go-ethereum
    make build

The licence of ape-claw allows such changes, and reverse engineering to debug
them. go-ethereum's source: https://github.com/ethereum/go-ethereum, at the
version in the list.

`

func render(parts []*part) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(intro)
	rule := strings.Repeat("-", 80)
	width := 0
	for _, p := range parts {
		width = max(width, len(p.name)+1+len(p.version))
	}
	type text struct {
		body  string
		names []string
	}
	var texts []*text
	byHash := map[[32]byte]*text{}
	for _, p := range parts {
		var kinds []string
		for _, file := range slices.Sorted(maps.Keys(p.texts)) {
			body := p.texts[file]
			kind := classify(file, body)
			if kind == "" {
				return nil, fmt.Errorf("%s: %s is a licence this tool does not know: read it, then teach it", p.name, file)
			}
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
			h := sha256.Sum256([]byte(body))
			t := byHash[h]
			if t == nil {
				t = &text{body: body}
				byHash[h] = t
				texts = append(texts, t)
			}
			t.names = append(t.names, fmt.Sprintf("%s: %s", p.name, file))
		}
		if len(kinds) == 0 {
			return nil, fmt.Errorf("%s: no licence file found", p.name)
		}
		fmt.Fprintf(&b, "%-*s  %s\n", width, strings.TrimSpace(p.name+" "+p.version), strings.Join(kinds, ", "))
	}
	for _, t := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s", rule, strings.Join(t.names, "\n"), rule, t.body)
	}
	return b.Bytes(), nil
}

// classify names a licence by its title, or by words that only it has. The GNU
// and Mozilla licences name each other in their texts, so only a title counts.
func classify(file, body string) string {
	words := strings.Join(strings.Fields(strings.ToLower(body)), " ")
	has := func(s string) bool { return strings.Contains(words, s) }
	title := func(s string) bool { return strings.Contains(words[:min(len(words), 120)], s) }
	base := strings.ToLower(filepath.Base(file))
	switch {
	case strings.HasPrefix(base, "notice"):
		return "notice"
	case strings.HasPrefix(base, "patents"):
		return "patent grant"
	case title("gnu lesser general public license"):
		return "LGPL-3.0"
	case title("gnu general public license"):
		return "GPL-3.0 (which the LGPL adds to)"
	case title("mozilla public license, version 2.0"), title("mozilla public license version 2.0"):
		return "MPL-2.0"
	case has("sil open font license"):
		return "OFL-1.1"
	case has("apache license") && has("version 2.0"):
		return "Apache-2.0"
	case has("permission to use, copy, modify, and/or distribute this software"), has("permission to use, copy, modify, and distribute this software for any purpose"):
		return "ISC"
	case has("redistribution and use in source and binary forms") && (has("neither the name") || has("names of its contributors") || has("may not be used to endorse")):
		return "BSD-3-Clause"
	case has("redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("permission is hereby granted, free of charge"):
		return "MIT"
	case has("free and unencumbered software released into the public domain"):
		return "Unlicense"
	case has("cc0 1.0 universal"), has("creative commons zero"):
		return "CC0-1.0"
	case has("public domain"):
		return "public domain"
	}
	return ""
}
