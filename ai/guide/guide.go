// Package guide holds what a model reads about working with ape-claw: one text, in
// sections, that the guide tool, docs://guide and the page share.
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
	Name  string `json:"name"`  // one lower-case word
	Title string `json:"title"` // its heading
	Text  string `json:"text"`  // Markdown, without the heading
}

// Sections are the parts in order, the text before the first heading left out. A
// section's name is the word in the comment behind its heading.
func Sections() []Section { return slices.Clone(sections()) }

var sections = sync.OnceValue(func() []Section {
	var out []Section
	for _, part := range strings.Split("\n"+text, "\n## ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		title, name, _ := strings.Cut(head, "<!--")
		out = append(out, Section{
			Name:  strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(name), "-->")),
			Title: strings.TrimSpace(title),
			Text:  strings.TrimSpace(body) + "\n",
		})
	}
	return out
})

// Names are the names of the sections.
func Names() []string {
	var out []string
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
