package commands

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/skill"
)

// Each command line that agents are taught is one that there is, with flags that it has.
func TestSkillsTeachWhatThereIs(t *testing.T) {
	t.Parallel()
	lines := regexp.MustCompile("(?m)^ape-claw .*|`ape-claw [^`]+`").FindAllString(string(skill.Core()), -1)
	if len(lines) < 14 {
		t.Errorf("%d command lines in the core skill", len(lines))
	}
	for _, s := range skill.Seeds() {
		for _, b := range s.Card.Bindings {
			if b.Type != skill.BindingSkill {
				lines = append(lines, b.Command)
			}
		}
	}
	for _, l := range lines {
		line, _, _ := strings.Cut(strings.Trim(l, "`"), " # ")
		line = strings.TrimSpace(strings.NewReplacer("(or `", "", `"`, "'").Replace(strings.Split(line, "  ")[0]))
		words := splitWords(line)[1:]
		if words[0] == "COMMAND" {
			continue
		}
		root := newRoot(newDeps(Host{Env: func(string) (string, bool) { return "", false }}))
		cmd, rest, err := root.Find(words)
		if err != nil || cmd == root {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if cmd.Name() == "explain" {
			continue // the rest is another command's
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if args := cmd.Flags().Args(); len(args) > 0 && cmd.HasSubCommands() {
			t.Errorf("%s: no command %s", line, args[0])
		}
	}
	// Each exit status that it tells of is one, and of those that a command can end with
	// none is left out but our own faults and Ctrl-C.
	told := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([0-9, ]+) \|`).FindAllStringSubmatch(string(skill.Core()), -1) {
		for _, n := range strings.Split(row[1], ",") {
			told[strings.TrimSpace(n)] = true
		}
	}
	for _, want := range []struct {
		code fault.Code
		exit string
	}{{fault.PolicyBlocked, "3"}, {fault.ApprovalRequired, "4"}, {fault.Auth, "5"}, {fault.Upstream, "6"}, {fault.TxUnknown, "7"}, {fault.TxReverted, "8"}, {fault.Partial, "9"},
		{fault.QuoteUsed, "10"}, {fault.NotFound, "11"}, {fault.StateUnusable, "12"}, {fault.ChecksFailed, "13"}, {fault.Usage, "64"}} {
		if got := fault.ExitCode(fault.New(want.code, "")); !told[want.exit] || want.exit != strconv.Itoa(got) {
			t.Errorf("%s: exit status %d, and the skill tells of %s", want.code, got, want.exit)
		}
	}
}

// splitWords splits a command line at spaces outside of quotes.
func splitWords(line string) []string {
	return regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1)
}
