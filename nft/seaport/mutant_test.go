package seaport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/nft/seaport"
)

// TestMutants changes every member of good arguments, one at a time, into every
// value of a list. What is accepted may differ from the honest call only in what
// does not bind: the spelling, the signature (the chain checks it), a recipient
// of zero (the caller), the marketplace's conduit.
func TestMutants(t *testing.T) {
	t.Parallel()
	honest, err := seaport.Build(proposal(seaport.FnAdvanced, input()))
	if err != nil {
		t.Fatal(err)
	}
	most := strings.Repeat("f", 64)
	values := []any{
		nil, true, "", "0x", "0", "1", "2", "3", "8", "9401", "10001", 0, 1, 2, 3, 4, 6, 255, 256, -1, 1.5, "-1", "0x0", "0x1", "0x" + most, most,
		strings.ToLower(other.Hex()), strings.ToLower(buyer.Hex()), strings.ToLower(seller.Hex()), seaport.FeeRecipient.Hex(), seaport.SignedZone.Hex(),
		"0x0000000000000000000000000000000000000000", zeroKey, seaport.OpenSeaConduitKey.Hex(), "0x" + most, "0x" + strings.Repeat("ab", 65),
		[]any{}, []any{nil}, []any{map[string]any{}}, map[string]any{}, "1799999999", "1800000061", 1800000060,
	}
	tried, accepted := 0, map[string]bool{}
	try := func(where string, doc any) {
		t.Helper()
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		tried++
		call, err := seaport.Build(proposal(seaport.FnAdvanced, raw))
		if err != nil {
			return
		}
		if _, err := seaport.Verify(call, wanted(order())); err != nil {
			return
		}
		check(t, call, wanted(order()))
		if !bytes.Equal(call.Data, honest.Data) {
			accepted[where] = true
		}
	}
	root := parsed(t, input())
	walk(root, "", func(where string, set func(any), get func() any) {
		was := get()
		for _, v := range values {
			set(v)
			try(where, root)
		}
		if list, ok := was.([]any); ok && len(list) > 0 {
			for i := range list {
				set(slices.Delete(slices.Clone(list), i, i+1))
				try(where, root)
				set(append(slices.Clone(list), list[i]))
				try(where, root)
			}
			turned := slices.Clone(list)
			slices.Reverse(turned)
			set(turned)
			try(where, root)
		}
		set(was)
	})
	var where []string
	for k := range accepted {
		where = append(where, k)
	}
	slices.Sort(where)
	const free = ".advancedOrder.signature .fulfillerConduitKey .recipient"
	if got := strings.Join(where, " "); got != free {
		t.Errorf("accepted another call after changes of %s\nexpected only              %s", got, free)
	}
	if tried < 1000 {
		t.Errorf("only %d mutants", tried)
	}
}

func parsed(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// walk visits every member of v, containers included.
func walk(v any, where string, visit func(where string, set func(any), get func() any)) {
	switch c := v.(type) {
	case map[string]any:
		for k, child := range c {
			visit(where+"."+k, func(n any) { c[k] = n }, func() any { return child })
			walk(child, where+"."+k, visit)
		}
	case []any:
		for i, child := range c {
			at := fmt.Sprintf("%s[%d]", where, i)
			visit(at, func(n any) { c[i] = n }, func() any { return child })
			walk(child, at, visit)
		}
	}
}
