package telemetry_test

import (
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

func TestWholeText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":"plain é \u00e9"}`:             `{"a":"plain é \u00e9"}`,
		`{"a":"\ud83d\ude00\uD83D\uDE00"}`:   `{"a":"\ud83d\ude00\uD83D\uDE00"}`,
		`{"a":"\ud800"}`:                     `{"a":"\ufffd"}`,
		`{"a":"\uDC00x\ud800\\ud800"}`:       `{"a":"\ufffdx\ufffd\\ud800"}`,
		`{"a":"\ud800\ud83d\ude00\ude00\n"}`: `{"a":"\ufffd\ud83d\ude00\ufffd\n"}`,
		`{"a":"\ud800\u0041"}`:               `{"a":"\ufffd\u0041"}`,
		`{"\udfff":"\\\ud800"}`:              `{"\ufffd":"\\\ufffd"}`,
		`"\ud8`:                              `"\ud8`,
		`\`:                                  `\`,
	} {
		if got := string(telemetry.WholeText([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Whoever follows the log reads it with jq or Rust, whoever wrote it: half a
// character reaches neither, and all else stays as it was written.
func TestForeignIsWholeText(t *testing.T) {
	t.Parallel()
	r := telemetry.NewRedactor("canary_0123456789")
	for in, want := range map[string]string{
		`{ "eventType":"bot.say","payload":{"t":"\ud800"} }`:           `{ "eventType":"bot.say","payload":{"t":"\ufffd"} }`,
		`{"\uDFFF":1.50,"t":"\ud83d\ude00 \u00e9"}`:                    `{"\ufffd":1.50,"t":"\ud83d\ude00 \u00e9"}`,
		`{"apiKey":"x","t":"\udc00"}`:                                  `{"apiKey":"[redacted]","t":"\ufffd"}`,
		`{"t":"canary_0123456789 \ud800"}`:                             `{"t":"[redacted] �"}`,
		`{"path":"C:\\ud800","e":"\u0041"}`:                            `{"path":"C:\\ud800","e":"\u0041"}`,
		`{"eventType":"bot.say" , "payload":{"t":"plain","n":10.120}}`: `{"eventType":"bot.say" , "payload":{"t":"plain","n":10.120}}`,
	} {
		if got := string(r.Foreign([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
