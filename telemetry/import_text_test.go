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
