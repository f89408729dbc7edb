package telemetry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// The scan that lets harmless foreign lines pass finds each kind of name, in
// either case, wherever it stands.
func TestForeignFindsEveryKindOfName(t *testing.T) {
	t.Parallel()
	r := telemetry.NewRedactor()
	for _, name := range []string{"apiKey", "agentToken", "password", "passphrase", "phrase", "pwd", "secret", "seed", "mnemonic", "authorization", "accessCode", "cookie"} {
		for _, name := range []string{name, strings.ToUpper(name), strings.ToLower(name)} {
			for _, before := range []string{"", `"a":1,`, `"pad":"xxxxxx",`} {
				line := fmt.Sprintf(`{%s%q:"hunter2-hunter2 hunter2"}`, before, name)
				if want := string(r.Bytes([]byte(line))); string(r.Foreign([]byte(line))) != want {
					t.Errorf("%s passes, want %s", line, want)
				}
			}
		}
	}
	for _, value := range []string{"sk-" + strings.Repeat("a1", 20), "SK-" + strings.Repeat("a1", 20), "claw_" + strings.Repeat("0f", 32), "bearer " + strings.Repeat("x9", 20),
		"Basic dXNlcjpodW50ZXIyLWh1bnRlcjI="} {
		line := fmt.Sprintf(`{"note":%q}`, value)
		if want := string(r.Bytes([]byte(line))); string(r.Foreign([]byte(line))) != want {
			t.Errorf("%s passes, want %s", line, want)
		}
	}
	for _, word := range []string{"recoveryPhrase", "accessGrant"} { // names of several words: what is under them is looked at, too
		if !telemetry.HasSensitiveName([]byte(word)) {
			t.Errorf("%s passes", word)
		}
	}
}
