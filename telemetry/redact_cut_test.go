package telemetry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// An error that quotes the start of a long bad value must not show most of a key.
func TestRedactorFindsTheStartOfALongSecret(t *testing.T) {
	t.Parallel()
	const key = "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
	red := telemetry.NewRedactor("0x"+key, "canary_opensea_0123456789")
	for _, text := range []string{`amount "0x` + key[:44] + `"… (66 characters)`, "key " + strings.ToUpper(key[:20]), "canary_opensea_01 is cut"} {
		got := red.String(text)
		if strings.Contains(strings.ToLower(got), key[:12]) || strings.Contains(got, "canary_open") {
			t.Errorf("%q became %q", text, got)
		}
	}
	// A few characters in common are no secret.
	for _, text := range []string{"0x59c6995e9 is an address", "canary birds sing"} {
		if got := red.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A sentence that tells how to give a secret holds none.
func TestRedactorLeavesPlaceholders(t *testing.T) {
	t.Parallel()
	red := telemetry.NewRedactor()
	for _, text := range []string{"ape-claw auth set --private-key -", "export OPENSEA_API_KEY=… or ape-claw auth set --opensea-api-key …"} {
		if got := red.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Whatever a foreign line repeats, its redaction takes time in proportion to its
// length. A search that looks to the end from each of many places takes a hundred
// times as long as the plainest text of that length.
func TestRedactorIsLinear(t *testing.T) {
	t.Parallel()
	red := telemetry.NewRedactor("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
	took := func(piece string, size int) time.Duration {
		text := strings.Repeat(piece, size/len(piece))
		start := time.Now()
		red.String(text)
		red.Bytes([]byte(`{"x":` + quoteJSON(text) + `}`))
		red.Foreign([]byte(strings.Repeat("[", 9000) + quoteJSON(text) + strings.Repeat("]", 9000)))
		return time.Since(start)
	}
	plain := max(took("abandon ", 256<<10), 50*time.Millisecond)
	for _, piece := range []string{
		"secret=", "secret:", `secret="`, "secret={", "secret=[", "--secret ", "mnemonic: a ", "://a@", "://a/v2/", "bearer ", "basic ", "eyJabcdefgh.", "sk-", "claw_",
		"=", ":", " :", `\":`, "%25", `\u005c`, `\\`, "WcaZXpmPl6WgBElm8JRTidyehtroXIqEEvRgO2t4aQ", "legal winner thank year wave sausage worth useful legal winner thank yellow ",
	} {
		if d := took(piece, 256<<10); d > 25*plain {
			t.Errorf("%q repeated takes %s, plain text %s", piece, d, plain)
		}
	}
}
