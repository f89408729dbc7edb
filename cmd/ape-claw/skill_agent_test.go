package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// literal is an agent that does what the skill says and nothing else: it runs the
// command lines of a section one after the other, and puts into them what answers
// before gave it under the names that the skill uses.
type literal struct {
	w     *world
	skill string
	knows map[string]string // by the words in capitals
	done  []string
}

// section is the command lines of a section of the skill.
func (a *literal) section(title string) []string {
	a.w.t.Helper()
	_, rest, ok := strings.Cut(a.skill, "## "+title+"\n")
	_, block, open := strings.Cut(rest, "```sh\n")
	block, _, closed := strings.Cut(block, "```")
	if !ok || !open || !closed {
		a.w.t.Fatalf("the skill has no command lines under %q", title)
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
		command, _, _ := strings.Cut(line, " #")
		lines = append(lines, strings.TrimSpace(command))
	}
	return lines
}

var placeholder = regexp.MustCompile(`[A-Z]+_ID|\b(?:SLUG|ID|PHRASE)\b`)

// run does one line, and keeps what its answer has.
func (a *literal) run(line string) map[string]any {
	a.w.t.Helper()
	var args []string
	for _, word := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1)[1:] {
		word = strings.Trim(word, `"`)
		word = placeholder.ReplaceAllStringFunc(word, func(name string) string {
			value, ok := a.knows[name]
			if !ok {
				a.w.t.Fatalf("%s: the skill does not say where %s is from", line, name)
			}
			return value
		})
		if word != "--json" {
			args = append(args, word)
		}
	}
	doc, exit := a.w.doc(args...)
	if exit != 0 {
		a.w.t.Fatalf("%s: exit %d, %v", line, exit, doc)
	}
	a.done = append(a.done, line)
	for name, field := range map[string]string{"QUOTE_ID": "quoteId", "REQUEST_ID": "requestId", "PHRASE": "confirmPhrase"} {
		if v, ok := doc[field].(string); ok && v != "" {
			a.knows[name] = v
		}
	}
	return doc
}

// The core skill, as it is installed, leads an agent that takes it by its word to a
// token that is its own, and to funds from another chain.
func TestAnAgentFollowsTheSkill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	doc, exit := w.doc("skill", "install", "--skills-dir", filepath.Join(w.dir, "skills"))
	if exit != 0 {
		t.Fatalf("exit %d, %v", exit, doc)
	}
	text, err := os.ReadFile(fmt.Sprint(doc["skillPath"]))
	if err != nil {
		t.Fatal(err)
	}
	a := &literal{w: w, skill: string(text), knows: map[string]string{}}
	lines := a.section("Buy one NFT")
	for _, line := range lines {
		got := a.run(line)
		if strings.Contains(line, "nft simulate") {
			a.run("ape-claw policy explain nft buy --quote QUOTE_ID --json")
		}
		// What it has to choose, it chooses from the answers.
		if list, ok := got["collections"].([]any); ok {
			a.knows["SLUG"] = fmt.Sprint(list[0].(map[string]any)["slug"])
		}
		if list, ok := got["listings"].([]any); ok {
			a.knows["ID"] = fmt.Sprint(list[0].(map[string]any)["tokenId"])
		}
	}
	last, exit := w.doc("events", "query", "--type", "nft.buy.confirmed")
	if exit != 0 || last["count"] != 1.0 || len(a.done) != len(lines)+1 || len(lines) < 6 {
		t.Errorf("exit %d, %v after %v", exit, last, a.done)
	}
	var moved map[string]any
	for _, line := range a.section("Bring funds") {
		moved = a.run(line)
	}
	if moved["status"] != "completed" {
		t.Errorf("%v", moved)
	}
	if b := balance(t, s); b.Sign() <= 0 {
		t.Errorf("the balance is %s", b)
	}
	// The rest of what it names runs too.
	for _, line := range []string{"ape-claw doctor --json", "ape-claw events query --limit 20 --json", "ape-claw policy spend --json"} {
		if !strings.Contains(a.skill, strings.TrimSuffix(line, " --json")) {
			t.Errorf("the skill does not name %s", line)
		}
		a.run(line)
	}
}
