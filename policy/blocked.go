package policy

import (
	"context"
	"errors"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Recorder is where refusals are recorded.
type Recorder interface {
	Record(ctx context.Context, d telemetry.Draft) error
}

// Blocked records err as a policy.blocked event if it is a refusal of policy,
// and returns it. Any other error is returned as it is: what the network or the
// disk did is not policy's. What the error's details say of the purchase and of
// the gate's measure goes along. When the event can't be recorded, the refusal still
// comes first in what is returned.
func Blocked(ctx context.Context, rec Recorder, command string, dryRun bool, err error) error {
	code := fault.CodeOf(err)
	if !fault.IsGate(code) {
		return err
	}
	e := fault.From(err)
	gate, ok := e.Details["gate"].(string)
	if !ok {
		gate = string(code)
	}
	payload := map[string]any{"command": command, "reason": e.Message}
	result := map[string]any{"blocked": true, "reason": e.Message, "code": string(code), "gate": gate}
	known := func(into map[string]any, keys ...string) {
		for _, k := range keys {
			if v, ok := e.Details[k].(string); ok && v != "" {
				into[k] = v
			}
		}
	}
	known(payload, "quoteId", "collection", "tokenId")
	known(result, "measured", "limit")
	if e.Hint != "" {
		result["change"] = e.Hint
	}
	recErr := rec.Record(ctx, telemetry.Draft{Type: "policy.blocked", DryRun: dryRun, Err: e.Message, Payload: payload, Result: result})
	if recErr != nil {
		return errors.Join(err, recErr)
	}
	return err
}
