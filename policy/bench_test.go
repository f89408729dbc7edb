package policy_test

import (
	"testing"

	"github.com/ape-claw/ape-claw/policy"
)

func BenchmarkLoadFence(b *testing.B) {
	src := homeWith(b, openPolicy)
	for b.Loop() {
		if f := policy.LoadFence(src); f.Err != nil {
			b.Fatal(f.Err)
		}
	}
}
