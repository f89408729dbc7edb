package tool_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/tool"
)

// Arguments are stored, shown and hashed as they are: with a secret in them there is
// no call.
func TestNoSecretInArguments(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","additionalProperties":false,"properties":{"note":{"type":"string","description":"a note","maxLength":100}}}`
	buy := proposing("buy", ai.GradeWrite)
	buy.Schema = compact(schema)
	r := newRig(t, tool.Options{}, reading("mine", schema, nil), buy)
	v := r.chat()
	for _, args := range []string{`{"note":"canary-secret-1"}`, `{"note":"c\u0061nary-secret-1"}`, `{"note":"Bearer abcdefghijklmnopqrstuvwxyz0123456789"}`} {
		for _, name := range []string{"mine", "buy"} {
			if res := v.Call(t.Context(), name, args); res.Code != "invalid_arguments" || strings.Contains(res.Text, "canary") {
				t.Errorf("%s %s: %s", name, args, res.Text)
			}
		}
		if res := v.Call(t.Context(), "request_action", `{"tool":"buy","args":`+args+`,"summary":"s","permissions":["nft:buy"]}`); res.Code != "invalid_arguments" {
			t.Errorf("%s: %s", args, res.Text)
		}
	}
	if len(r.book.got) != 0 {
		t.Errorf("proposed: %+v", r.book.got)
	}
	if res := v.Call(t.Context(), "mine", `{"note":"0x5f3b3fd1f3d2b1a7c1d2e3f4a5b6c7d8e9f00112233445566778899aabbccdd"}`); res.IsError {
		t.Errorf("a hash: %s", res.Text)
	}
}

// What was read in an earlier turn is on the card of a later one.
func TestReadBefore(t *testing.T) {
	t.Parallel()
	r := newRig(t, tool.Options{}, proposing("buy", ai.GradeHigh))
	v := r.chat()
	v.Read("market_listings")
	v.Read("market_listings")
	v.Read("x\u202e" + strings.Repeat("y", 100))
	v.Call(t.Context(), "buy", `{"price":"5","count":2}`)
	if len(r.book.got) != 1 || len(r.book.got[0].Taint) != 2 || r.book.got[0].Taint[0] != "market_listings" || strings.Contains(r.book.got[0].Taint[1], "\u202e") || len(r.book.got[0].Taint[1]) > 60 {
		t.Errorf("%+v", r.book.got)
	}
}
