// Command gendocs writes the parts of the documentation that come from
// declarations: the commands, their settings, the event types and the exit
// codes. In a file with other text, what it writes stands between markers.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ape-claw/ape-claw/commands"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

// section is one generated part: a whole file, or what stands between the
// markers of its name.
type section struct {
	file, name string // no name: the whole file
	text       string
}

func run(root string) error {
	events, err := eventsDoc()
	if err != nil {
		return err
	}
	schema, err := policySchema()
	if err != nil {
		return err
	}
	for _, s := range []section{
		{"docs/commands.md", "", commandsDoc()},
		{"docs/events.md", "", events},
		{"docs/errors.md", "", errorsDoc()},
		{"docs/configuration.md", "settings", settingsTable()},
		{"docs/sandbox.md", "faults", faultsTable(faults.Catalogue)},
		{"docs/sandbox.md", "relay faults", faultsTable(faults.Relay)},
		{"docs/policy.schema.json", "", schema},
		{"docs/skillcard.schema.json", "", string(commands.SkillCardSchema())},
		{"README.md", "exit codes", exitTable()},
	} {
		if err := s.write(root); err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
	}
	return nil
}

func (s section) write(root string) error {
	path := filepath.Join(root, filepath.FromSlash(s.file))
	if s.name == "" {
		return os.WriteFile(path, []byte(s.text), 0o644)
	}
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := between(string(old), s.name, s.text)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// between replaces what stands between the markers of a section.
func between(doc, name, text string) (string, error) {
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->"
	head, rest, ok := strings.Cut(doc, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("the markers %q and %q are not there", strings.TrimSpace(begin), end)
	}
	return head + begin + text + end + tail, nil
}

const generatedNote = "<!-- Written by `make generate`; change the declarations instead. -->\n"

// row writes one row of a Markdown table; a cell can't hold a bar or a line end.
func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		c = strings.ReplaceAll(strings.ReplaceAll(c, "\n", " "), "|", `\|`)
		b.WriteString("| " + c + " ")
	}
	b.WriteString("|\n")
}

// table begins a Markdown table.
func table(b *strings.Builder, heads ...string) {
	row(b, heads...)
	b.WriteString(strings.Repeat("|---", len(heads)) + "|\n")
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func codes(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = code(s)
	}
	return strings.Join(out, ", ")
}
