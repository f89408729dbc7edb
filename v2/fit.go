package v2

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// fitness is what a contract of another build has to show before it is called: the
// functions that are called here, and answers to questions that have one shape.
type fitness struct {
	functions []string
	asks      []ask
}

type ask struct {
	method string
	args   []any
	holds  func(word []byte) bool // nil: any word
}

func isTrue(b []byte) bool { return bytes.Equal(b, common.LeftPadBytes([]byte{1}, 32)) }
func isBool(b []byte) bool { return isTrue(b) || isZero(b) }
func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }
func isSome(b []byte) bool { return !isZero(b) }
func isAddr(b []byte) bool { return isZero(b[:12]) }

// erc721 is the id of the interface of tokens that are one of a kind.
var erc721 = [4]byte{0x80, 0xac, 0x58, 0xcd}

func fitnessOf(n Name) fitness {
	switch n {
	case contracts.SkillNFT:
		return fitness{[]string{"mintSkill", "mintSkillWithRoyalty", "parentSkillId", "nextSkillId", "ownerOf"},
			[]ask{{"supportsInterface", []any{erc721}, isTrue}, {"nextSkillId", nil, nil}}}
	case contracts.SkillRegistry:
		return fitness{[]string{"publishVersion", "versionCount", "getVersion"}, []ask{{"versionCount", []any{common.Big1}, nil}}}
	case contracts.IntentRegistry:
		return fitness{[]string{"createIntent", "cancelIntent", "isActive", "intents", "nextIntentId"},
			[]ask{{"nextIntentId", nil, nil}, {"isActive", []any{common.Big0}, isBool}}}
	case contracts.ReceiptRegistry:
		return fitness{[]string{"recordReceipt", "isRecorded", "getReceipt"}, []ask{{"isRecorded", []any{[32]byte{}}, isBool}}}
	case contracts.PodVault:
		return fitness{[]string{"releaseNative", "releaseToken", "pendingNative", "pendingToken", "memberCount", "memberAt", "shares", "totalShares"},
			[]ask{{"totalShares", nil, isSome}, {"memberCount", nil, isSome}, {"memberAt", []any{common.Big0}, isAddr}}}
	case contracts.AgentAccount:
		return fitness{[]string{"executeSkill", "policy", "receipts"}, []ask{{"policy", nil, isAddr}, {"receipts", nil, isAddr}}}
	case contracts.PolicyEngine:
		return fitness{[]string{"preCheck", "setMaxValuePerTx", "setModuleAllowed", "setTargetAllowed", "setSelectorAllowed", "maxValuePerTx", "allowedModules"},
			[]ask{{"maxValuePerTx", nil, nil}, {"allowedModules", []any{common.Address{}}, isBool}}}
	case contracts.SwapModule, contracts.BridgeModule, contracts.NftBuyModule:
		return fitness{functions: []string{"execute"}}
	}
	return fitness{}
}

// foreign is the verdict on code that this program was not built with: listed says
// whether the policy lets it be called. Only what a person named is looked at, or what
// the policy lists: a record may be anybody's.
func (s *Service) foreign(ctx context.Context, c Chain, l Located, code []byte) (listed bool, err error) {
	if other, ok := contracts.Identify(code); ok {
		return false, misfit(l, fmt.Sprintf("it is %s", other))
	}
	f, err := s.d.Fence(ctx)
	if err != nil {
		return false, err
	}
	listed = f.Err == nil && f.Policy != nil && slices.Contains(f.Policy.V2.Contracts, l.Address)
	if l.From == fromRecord && !listed {
		return false, misfit(l, "its code is not the one that this program was built with")
	}
	return listed, s.fits(ctx, c, l, code)
}

// notListed refuses a contract that the policy does not list.
func notListed(l Located) error {
	return fault.New(fault.ContractNotAllowed, "the code at %s is not that of ape-claw's %s, and v2.contractAllowlist does not list it", l.Address, l.Name).
		Hintf("name a contract that ape-claw v2 deploy made, or, if this one is meant, add its address to v2.contractAllowlist in the policy file").
		WithSent(fault.SentNo).With("gate", policy.GateContract).With("contract", string(l.Name))
}

func misfit(l Located, why string) error {
	return fault.New(fault.ContractMismatch, "what is at %s, which %s gives, is not %s as this program knows it: %s", l.Address, l.From, l.Name, why).
		Hintf("check the address and the network, or deploy the contracts: ape-claw v2 deploy").WithSent(fault.SentNo).With("contract", string(l.Name))
}

// fits refuses a contract that can't be the one that is meant.
func (s *Service) fits(ctx context.Context, c Chain, l Located, code []byte) error {
	want, facade := fitnessOf(l.Name), contracts.ABI(l.Name)
	if len(want.functions) == 0 {
		return misfit(l, "nothing is known of what it has to answer")
	}
	code, proxied, err := behind(ctx, c, code)
	if err != nil {
		return err
	}
	if !proxied {
		for _, name := range want.functions {
			if !bytes.Contains(code, facade.Methods[name].ID) {
				return misfit(l, "it has no function "+facade.Methods[name].Sig)
			}
		}
	}
	for _, a := range want.asks {
		data, err := facade.Pack(a.method, a.args...)
		if err != nil {
			return err
		}
		got, err := c.Call(ctx, chain.CallMsg{To: common.HexToAddress(l.Address), Data: data}, nil, nil)
		var revert *chain.RevertError
		switch {
		case errors.As(err, &revert):
			return misfit(l, "it refuses "+facade.Methods[a.method].Sig)
		case err != nil:
			return err
		case len(got) != 32 || a.holds != nil && !a.holds(got):
			return misfit(l, "its answer to "+facade.Methods[a.method].Sig+" has another shape")
		}
	}
	return nil
}

// behind returns the code that runs: of a minimal proxy (EIP-1167) its
// implementation's. proxied says that it can't be told, since the code only passes
// calls on to an address that is in storage (EIP-1967).
func behind(ctx context.Context, c Chain, code []byte) (runs []byte, proxied bool, err error) {
	head, tail := common.FromHex("363d3d373d3d3d363d73"), common.FromHex("5af43d82803e903d91602b57fd5bf3")
	if len(code) == len(head)+20+len(tail) && bytes.HasPrefix(code, head) && bytes.HasSuffix(code, tail) {
		runs, err = c.Code(ctx, common.BytesToAddress(code[len(head):len(head)+20]))
		return runs, false, err
	}
	for _, slot := range []string{"eip1967.proxy.implementation", "eip1967.proxy.beacon"} {
		key := crypto.Keccak256Hash([]byte(slot)).Big()
		if bytes.Contains(code, common.LeftPadBytes(key.Sub(key, common.Big1).Bytes(), 32)) {
			return code, true, nil
		}
	}
	return code, false, nil
}
