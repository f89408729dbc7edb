package telemetry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestDeepPartsAreRefused: a part may be valid alone and too deep in the envelope,
// where every reader would skip the whole line.
func TestDeepPartsAreRefused(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{9998, 9999} { // and the object around
		for _, result := range []bool{false, true} {
			part := json.RawMessage(`{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}")
			if !json.Valid(part) {
				t.Fatalf("the part of depth %d is not valid itself", depth)
			}
			d := telemetry.Draft{Type: "command.failed", Payload: part}
			if result {
				d.Payload, d.Result = nil, part
			}
			r, _ := recorder(t, telemetry.Scope{})
			got, err := r.Encode(d)
			if depth == 9998 {
				if err != nil || !json.Valid(got) {
					t.Errorf("depth %d: %v", depth, err)
				}
				continue
			}
			if f := fault.From(err); err == nil || f.Code != fault.Usage || f.Hint == "" {
				t.Errorf("depth %d: %v", depth, err)
			}
		}
	}
}
