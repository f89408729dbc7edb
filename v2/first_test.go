package v2_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
)

// What a person can mend first is said first: a flag in the order of the flags, then
// the key, and only then the node.
func TestWhatIsSaidFirst(t *testing.T) {
	t.Parallel()
	s := v2.New(v2.Deps{
		Chain: func(context.Context) (v2.Chain, error) { return nil, errors.New("no node answers") },
		Account: func(context.Context) (common.Address, error) {
			return common.Address{}, fault.New(fault.Auth, "no key")
		},
	})
	run := func(in v2.AgentExecuteIn) error {
		_, err := s.AgentExecute(t.Context(), in)
		return err
	}
	if err := run(v2.AgentExecuteIn{Module: "swop", Input: "0x1", Value: "0"}); fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), "--module") {
		t.Errorf("a bad module and a bad input: %v", err)
	}
	good := v2.AgentExecuteIn{Module: "swap", Target: "0x00000000000000000000000000000000000000A1", Data: "0x12345678", Value: "0"}
	if err := run(good); fault.CodeOf(err) != fault.Auth {
		t.Errorf("no key and no node: %v", err)
	}
	if _, err := s.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0"}); fault.CodeOf(err) != fault.Auth {
		t.Errorf("no key and no node: %v", err)
	}
}
