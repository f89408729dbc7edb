package v2

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// moduleInput is (address target, bytes data), what modules decode.
var moduleInput = sync.OnceValue(func() abi.Arguments {
	var args abi.Arguments
	for _, word := range []string{"address", "bytes"} {
		t, err := abi.NewType(word, "", nil)
		if err != nil {
			panic(err) // they are words of the ABI
		}
		args = append(args, abi.Argument{Type: t})
	}
	return args
})

// moduleOf reads which module is meant: one of ours by its word, or an address.
func moduleOf(given string) (Name, common.Address, error) {
	named := map[string]Name{"swap": contracts.SwapModule, "bridge": contracts.BridgeModule, "nft-buy": contracts.NftBuyModule}
	if n, ok := named[given]; ok {
		return n, common.Address{}, nil
	}
	a, err := address("--module", given)
	if err != nil {
		fault.From(err).Hintf("swap, bridge or nft-buy, or the address of a module: 0x and 40 hexadecimal digits")
	}
	return "", a, err
}

// module is the address of a module, by its word or by itself.
func (s *Service) module(ctx context.Context, given string) (common.Address, error) {
	n, a, err := moduleOf(given)
	if err != nil || n == "" {
		return a, err
	}
	l, err := s.locate(ctx, n)
	return common.HexToAddress(l.Address), err
}

// aboutExecution is what a person knows an execution by, with what the chain says of
// those who take part in it. Whoever owns the policy engine decides what it allows,
// and so does its code: one that is neither ours nor listed bounds nothing.
func (s *Service) aboutExecution(ctx context.Context, l Located, x execution) ([]Fact, error) {
	c, err := s.d.Chain(ctx)
	if err != nil {
		return nil, err
	}
	engine, err := s.engineOf(ctx, c, l)
	if err != nil {
		return nil, err
	}
	module, _, err := s.partner(ctx, c, x.Module)
	if err != nil {
		return nil, err
	}
	target, what, err := s.partner(ctx, c, x.Target)
	if err != nil {
		return nil, err
	}
	function := x.Selector.String()
	if m, err := what.MethodById(x.Selector); err == nil {
		function += " (" + m.Sig + ")"
	}
	receipt, err := s.aboutReceipt(ctx, c, l, x)
	if err != nil {
		return nil, err
	}
	return []Fact{
		{"agentAccount", "agent account", common.HexToAddress(l.Address).Hex()}, {"module", "module", module}, {"target", "target", target},
		{"selector", "function", function}, {"inputHash", "input hash", x.inputHash().Hex()},
		{"policyEngine", "policy engine", engine}, {"traceId", "receipt", receipt},
	}, nil
}

// partner is a contract that takes part in an execution, in words, and its interface
// where it is one of ours.
func (s *Service) partner(ctx context.Context, c Chain, a common.Address) (words string, what abi.ABI, err error) {
	code, err := c.Code(ctx, a)
	if err != nil {
		return "", what, err
	}
	if n, ok := contracts.Identify(code); ok {
		return fmt.Sprintf("%s (%s)", a.Hex(), n), contracts.ABI(n), nil
	}
	if len(code) == 0 {
		return a.Hex() + " (no contract is there)", what, nil
	}
	return a.Hex() + " (its code is not known here)", what, nil
}

// engineOf is the account's policy engine, in words.
func (s *Service) engineOf(ctx context.Context, c Chain, l Located) (string, error) {
	engine, err := viewOne[common.Address](ctx, s, c, l, "policy")
	if err != nil {
		return "", err
	}
	if err := s.engineNamed(engine); err != nil {
		return "", err
	}
	code, err := c.Code(ctx, engine)
	if err != nil {
		return "", err
	}
	if !contracts.Matches(contracts.PolicyEngine, code) {
		f, err := s.d.Fence(ctx)
		if err != nil {
			return "", err
		}
		if f.Policy != nil && slices.Contains(f.Policy.V2.Contracts, lower(engine)) {
			return engine.Hex() + " (its code is not known here; the policy lists it)", nil
		}
		return "", fault.New(fault.ContractMismatch, "the policy engine of the agent account, %s, is not as this program knows it: it may allow anything", engine.Hex()).
			Hintf("use another agent account, or, if this engine is meant, add its address to v2.contractAllowlist in the policy file").
			WithSent(fault.SentNo).With("contract", string(contracts.PolicyEngine))
	}
	owner, err := viewOne[common.Address](ctx, s, c, Located{Name: contracts.PolicyEngine, Address: lower(engine), From: "the agent account"}, "owner")
	if err != nil {
		return "", err
	}
	return engine.Hex() + ", owned by " + owner.Hex(), nil
}

// engineNamed refuses another policy engine than the one that was named, where one was:
// whoever names it relies on its rules.
func (s *Service) engineNamed(engine common.Address) error {
	if s.d.Named[contracts.PolicyEngine].Address == "" {
		return nil
	}
	a, err := s.address(place{}, contracts.PolicyEngine)
	if err != nil || common.HexToAddress(a.Address) == engine {
		return err
	}
	return fault.New(fault.ContractMismatch, "the agent account's policy engine is %s, and %s gives %s", engine.Hex(), a.From, common.HexToAddress(a.Address).Hex()).
		Hintf("use the agent account of that engine, or correct %s", a.From).WithSent(fault.SentNo).With("contract", string(contracts.PolicyEngine))
}

// aboutReceipt says what becomes of the receipt.
func (s *Service) aboutReceipt(ctx context.Context, c Chain, l Located, x execution) (string, error) {
	if x.Trace == "" {
		return "none (give --trace for one)", nil
	}
	registry, err := viewOne[common.Address](ctx, s, c, l, "receipts")
	if err != nil {
		return "", err
	}
	if registry == (common.Address{}) {
		return "none: the agent account has no receipt registry", nil
	}
	is, err := viewOne[bool](ctx, s, c, Located{Name: contracts.ReceiptRegistry, Address: lower(registry), From: "the agent account"}, "isRecorded", x.traceHash())
	switch {
	case err != nil:
		return "", err
	case is:
		return fmt.Sprintf("none: trace %s has its receipt at %s already", x.Trace, registry.Hex()), nil
	}
	return fmt.Sprintf("of trace %s, recorded at %s", x.Trace, registry.Hex()), nil
}
