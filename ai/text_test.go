package ai_test

import (
	"testing"

	"github.com/ape-claw/ape-claw/ai"
)

func TestUnseen(t *testing.T) {
	t.Parallel()
	for _, r := range "\x00\x1b\n\x7f\u0085\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200d\u200e\u202e\u2028\u2060\u2066\u2800\u3164\ufeff\uffa0\U000E0041\uE000" {
		if !ai.Unseen(r) {
			t.Errorf("%U is taken for one that shows", r)
		}
	}
	for _, r := range "aA0 é字а�\u0301🦍" {
		if ai.Unseen(r) {
			t.Errorf("%U is taken for one that does not show", r)
		}
	}
}
