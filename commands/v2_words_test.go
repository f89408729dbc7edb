package commands

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// What is said of a v2 transaction or key is in the words of v2 commands.
func TestWordsOfV2(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{"v2 skill mint": true, "nft buy": false} {
		d := &Deps{spec: Spec{Name: command}}
		if hint := fault.From(d.errNoKey(&Config{})).Hint; strings.Contains(hint, "APE_CLAW_V2_PRIVATE_KEY") != want || !strings.Contains(hint, "export APE_CLAW_PRIVATE_KEY") {
			t.Errorf("%s without a key: %s", command, hint)
		}
	}
	if text := setAside("v2.skill.mint:1"); strings.Contains(text, "quote") || strings.Contains(text, "purchase") {
		t.Error(text)
	}
	if text := setAside("q_1"); !strings.Contains(text, "quote") {
		t.Error(text)
	}
	err := inResumeWords("v2 resume", fault.New(fault.Halted, "halted").Hintf("cancel it instead (ape-claw nft resume --cancel)"))
	if f := fault.From(err); f.Code != fault.Halted || f.Hint != "cancel it instead (ape-claw v2 resume --cancel)" {
		t.Errorf("%v, %s", err, f.Hint)
	}
}
