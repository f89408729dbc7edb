// Package guide holds what a model reads about working with ape-claw: one text, in
// sections, that the guide tool, docs://guide and the API share.
package guide

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed guide.md
var text string

// Text is the whole guide as Markdown.
func Text() string { return text }

// Section is a part of the guide.
type Section struct {
	Name  string `json:"name"`  // one lower-case word: rules
	Title string `json:"title"` // its heading: Rules
	Text  string `json:"text"`  // Markdown, without the heading
}

// Sections are the parts in order. What stands before the first heading is in Text
// alone.
func Sections() []Section { return slices.Clone(sections()) }

var sections = sync.OnceValue(func() []Section {
	var out []Section
	for _, part := range strings.Split(text, "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		out = append(out, Section{Name: strings.ToLower(title), Title: title, Text: strings.TrimSpace(body) + "\n"})
	}
	return out
})

// Names are the names of the sections.
func Names() []string {
	out := make([]string, 0, len(sections()))
	for _, s := range sections() {
		out = append(out, s.Name)
	}
	return out
}

// Lookup finds a section by its name.
func Lookup(name string) (Section, bool) {
	i := slices.IndexFunc(sections(), func(s Section) bool { return s.Name == name })
	if i < 0 {
		return Section{}, false
	}
	return sections()[i], true
}
