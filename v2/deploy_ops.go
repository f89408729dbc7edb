package v2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// The kinds of transactions of a deployment.
const (
	opCreate = "deploy.create"
	opRule   = "policy.set"
)

func deployOps() map[string]op {
	return map[string]op{
		opCreate: {event: "v2.contract.deployed", confirm: created},
		opRule:   {event: "v2.policy.set", confirm: ruleSet},
	}
}

// createKey is the idempotency key of the creation of a contract on a chain.
func createKey(at place, address common.Address) string {
	return "v2." + opCreate + ":" + at.Genesis.Hex()[2:18] + ":" + lower(address)
}

// creation is what is kept of a contract that is being created.
type creation struct {
	Name    Name           `json:"name"`
	Address common.Address `json:"address"`
}

// created looks at the code. The proxy tells of nothing, and fails when nothing was
// created.
func created(ctx context.Context, c Chain, m mined) (map[string]any, error) {
	var k creation
	if err := json.Unmarshal(m.Keep, &k); err != nil {
		return nil, err
	}
	code, err := c.Code(ctx, k.Address)
	if err != nil {
		return nil, err
	}
	if len(code) == 0 { // a node that has the receipt and not the state yet
		return nil, fault.New(fault.Upstream, "the node has no code at %s yet", lower(k.Address))
	}
	if !contracts.Matches(k.Name, code) {
		return nil, fmt.Errorf("what is at %s is not the %s that was to be created", lower(k.Address), k.Name)
	}
	return map[string]any{"contract": string(k.Name), "address": lower(k.Address)}, nil
}

// ruleSet reads from the engine's event what was set.
func ruleSet(_ context.Context, _ Chain, m mined) (map[string]any, error) {
	var r rule
	if err := json.Unmarshal(m.Keep, &r); err != nil {
		return nil, err
	}
	_, _, name := r.methods()
	got, err := m.event(name, nil)
	if err != nil {
		return nil, err
	}
	if r.Rule == ruleMaxValue {
		v, ok := got["maxValue"].(*big.Int)
		if !ok || v.Cmp(r.Value.Big()) != 0 {
			return nil, errors.New("the transaction was mined, and the engine tells of another most value")
		}
		return map[string]any{"rule": r.Rule, "valueWei": r.Value}, nil
	}
	if got[r.Rule] != r.subject() || got["allowed"] != true {
		return nil, fmt.Errorf("the transaction was mined, and the engine does not tell that %s is allowed", r.Subject)
	}
	return map[string]any{"rule": r.Rule, "subject": r.Subject, "allowed": true}, nil
}
