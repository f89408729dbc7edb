package canon_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/canon"
)

func TestBounds(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for name, text := range map[string]string{"a full line": `"` + strings.Repeat("a", canon.MaxBytes-2) + `"`, "lists": nested(canon.MaxDepth), "objects": objects(canon.MaxDepth)} {
		if _, err := canon.JSON([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{"too long": `"` + strings.Repeat("a", canon.MaxBytes-1) + `"`, "lists": nested(canon.MaxDepth + 1), "objects": objects(canon.MaxDepth + 1),
		"very deep": strings.Repeat("[", canon.MaxBytes), "not UTF-8": "\"\xff\"", "a surrogate in UTF-8": "\"\xed\xa0\x80\"", "NUL": "\x00", "NUL behind": "1\x00", "NUL in a list": "[1\x00]"} {
		if got, err := canon.JSON([]byte(text)); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %.40s, %v", name, got, err)
		}
	}
}

// What is wrong is said with its place.
func TestPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,}`: `not JSON: '}' at byte 8, where a key is expected`,
		`[1`:       `not JSON: it ends where a comma or the closing bracket is expected`,
		`{"a" 1}`:  `not JSON: '1' at byte 6, where a colon is expected`,
		`1 2`:      `not JSON: '2' at byte 3, where the end is expected`,
		`"\u12"`:   `not JSON: it ends where a hexadecimal digit is expected`,
	} {
		if _, err := canon.JSON([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whatever the text: what is taken is JSON, what encoding/json reads of it is the
// same, and the canonical form is its own.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"b":[1,2.50,-0,1e21],"a":"\ud800"}`, `[null,true,"\u00e9\n"]`, `{"a":1,"a":2}`, ` 0.1e-7 `, `"\ud83d\ude00"`, `[`, `1e400`, `{"":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := canon.JSON(raw)
		if err != nil {
			if json.Valid(raw) && len(raw) < canon.MaxDepth && bytes.IndexFunc(raw, func(r rune) bool { return r == '\ufffd' }) < 0 {
				t.Fatalf("%q is JSON and was refused: %v", raw, err)
			}
			return
		}
		if !json.Valid(raw) || !json.Valid(got) {
			t.Fatalf("%q gave %q", raw, got)
		}
		again, err := canon.JSON(got)
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q is not its own canonical form: %q, %v", got, again, err)
		}
		var a, b any
		if json.Unmarshal(raw, &a) != nil {
			return // a number that no double holds
		}
		if err := json.Unmarshal(got, &b); err != nil {
			t.Fatal(err)
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		x, y = bytes.ReplaceAll(x, []byte("-0"), []byte("0")), bytes.ReplaceAll(y, []byte("-0"), []byte("0"))
		if !bytes.Equal(x, y) && !bytes.Contains(raw, []byte(`\u`)) { // two lone surrogates are one key to encoding/json
			t.Fatalf("%q became %q:\n%s\n%s", raw, got, x, y)
		}
	})
}
