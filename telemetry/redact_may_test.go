package telemetry

import (
	"strings"
	"testing"
)

const mayPhrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"

// TestMayHold: what the redaction takes out, the scan before it does not miss.
func TestMayHold(t *testing.T) {
	t.Parallel()
	red := NewRedactor("exact-secret-1", "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d", "Zq9!xy")
	for _, text := range []string{
		`{"a":"exact-secret-1"}`, `{"a":"xxexact-secret-1yy"}`, `{"a":"59C6995E998F97A5A0044966F0945389DC9E86DAE88C7A8412F4603B6B78690D"}`,
		`{"a":"ZXhhY3Qtc2VjcmV0LTE="}`, `{"a":"Zq9!xy"}`, `{"a":"Zq9%21xy"}`, `{"ab":"Zq9!xy"}`, `{"abc":"Zq9!xy"}`, `{"abcd":"Zq9!xy"}`,
		`{"apiKey":"v"}`, `{"a":"Bearer abcdefgh"}`, `{"a":"https://u:p@host/"}`, `{"a":"https:\/\/u:p@host/"}`, `{"a":"https://h/v2/abcdefghijklmnopqrstuv"}`,
		`{"a":"x?sig=abc"}`, `{"a":"eyJhbGciOi.eyJzdWIiOi.abc"}`, `{"a":"x\neyJhbGciOi.eyJzdWIiOi.abc"}`, `{"a":"--password x"}`, `{"a":"sk-abcdefghij"}`,
		`{"a":"` + mayPhrase + `"}`, `{"a":"` + strings.ReplaceAll(mayPhrase, " ", `\n`) + `"}`, `["` + strings.ReplaceAll(mayPhrase, " ", `","`) + `"]`,
		`{"a":"{\"b\":\"exact-secret-1\"}"}`,
	} {
		if _, changed := red.redact([]byte(text), 0); !changed {
			t.Errorf("%s is not redacted: the test proves nothing", text)
		}
		if !red.mayHold([]byte(text)) {
			t.Errorf("%s is missed", text)
		}
	}
	if red.mayHold([]byte(`{"eventType":"nft.quote.created","payload":{"tokenId":"1","collection":"bored-ape-yacht-club"},"ok":true,"error":null}`)) {
		t.Error("an ordinary line is looked at closely")
	}
}

// FuzzMayHold: see TestMayHold.
func FuzzMayHold(f *testing.F) {
	f.Add(`{"a":"`+mayPhrase+`"}`, "exact-secret")
	f.Add(`{"a":"eyJhbGciOi.eyJzdWIiOi.abc","exact-secret":1}`, "secret")
	f.Fuzz(func(t *testing.T, line, secret string) {
		red := NewRedactor(secret)
		if !validObject([]byte(line)) {
			return
		}
		if _, changed := red.redact([]byte(line), 0); changed && !red.mayHold([]byte(line)) {
			t.Errorf("%q with secret %q is missed", line, secret)
		}
		// The sample finds what the whole search does.
		if e := red.exact.Load(); e != nil {
			e.needles.find([]byte(line), func(from, to int) {
				if !e.needles.may([]byte(line)) {
					t.Errorf("%q at %d-%d of %q is missed", secret, from, to, line)
				}
			})
		}
	})
}
