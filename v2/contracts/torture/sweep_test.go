package torture_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

// arguments are those with which each contract can be deployed.
func (w *world) arguments() map[contracts.Name][]any {
	nft := w.deploy(contracts.SkillNFT)
	policy := w.deploy(contracts.PolicyEngine, owner)
	return map[contracts.Name][]any{
		contracts.SkillRegistry: {nft},
		contracts.PolicyEngine:  {owner},
		contracts.AgentAccount:  {owner, policy, w.deploy(contracts.ReceiptRegistry)},
		contracts.PodVault:      {members{alice}, partsOf(1)},
	}
}

// What every contract is asked: each function with nothing, each that takes no
// money with money, and what is no function of it.
func sweep(t *testing.T, w *world) {
	args := w.arguments()
	for _, name := range contracts.Names() {
		a := contracts.ABI(name)
		if a.Constructor.IsPayable() != (name == contracts.PodVault) {
			t.Errorf("%s: is its constructor payable?", name)
		}
		if !a.Constructor.IsPayable() {
			w.tryDeploy(name, n(1), args[name]...).reverts(nil)
		}
		at := w.deploy(name, args[name]...)
		for _, m := range a.Methods {
			zeros := append(bytes.Clone(m.ID), make([]byte, 512)...)
			w.apply(carol, &at, nil, zeros, gasLimit)
			if len(m.Inputs) > 0 {
				w.apply(carol, &at, nil, m.ID, gasLimit).reverts(nil)
			}
			if !m.IsPayable() {
				w.apply(carol, &at, n(1), zeros, gasLimit).reverts(nil)
			}
			// Its neighbours are no functions.
			for _, next := range []uint32{binary.BigEndian.Uint32(m.ID) + 1, binary.BigEndian.Uint32(m.ID) - 1} {
				w.apply(carol, &at, nil, binary.BigEndian.AppendUint32(nil, next), gasLimit).reverts(nil)
			}
		}
		for _, data := range [][]byte{{0}, {1, 2, 3}, {0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 0}, common.FromHex("0x7fffffff"), make([]byte, 100)} {
			for _, value := range []uint64{0, 1} {
				w.apply(carol, &at, n(value), data, gasLimit).reverts(nil)
			}
		}
		if !a.HasReceive() {
			w.pay(carol, at, n(0)).reverts(nil)
			w.pay(carol, at, n(1)).reverts(nil)
		}
		if size := len(w.state.GetCode(at)); w.cover == nil && size > 24_576 {
			t.Errorf("%s is too large to deploy: %d bytes", name, size)
		}
	}
}
