package torture_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

const account = contracts.AgentAccount

// agency is an account with everything it works with.
type agency struct {
	w                                         *world
	policy, receipts, module, target, account common.Address
	moduleName                                contracts.Name
}

func newAgency(w *world, module contracts.Name) agency {
	a := agency{w: w, moduleName: module}
	a.policy = w.deploy(contracts.PolicyEngine, owner)
	a.receipts = w.deploy(contracts.ReceiptRegistry)
	a.module = w.deploy(module)
	a.target = w.deploy(contracts.MockTarget)
	a.account = w.deploy(account, owner, a.policy, a.receipts)
	w.call(owner, a.policy, "setMaxValuePerTx", big64(1000)).ok()
	a.allow(a.module, a.target)
	for _, method := range []string{"ping", "keepHalf", "fail", "refuse"} {
		w.call(owner, a.policy, "setSelectorAllowed", selector(contracts.MockTarget, method), true).ok()
	}
	return a
}

func (a agency) allow(module, target common.Address) {
	a.w.t.Helper()
	a.w.call(owner, a.policy, "setModuleAllowed", module, true).ok()
	a.w.call(owner, a.policy, "setTargetAllowed", target, true).ok()
}

// execute lets the account call its target through its module.
func (a agency) execute(value uint64, trace common.Hash, data []byte) result {
	a.w.t.Helper()
	return a.executeFrom(owner, n(0), a.module, input(a.target, data), value, trace)
}

func (a agency) executeFrom(who common.Address, carry *uint256.Int, module common.Address, in []byte, value uint64, trace common.Hash) result {
	a.w.t.Helper()
	return a.w.send(who, a.account, carry, "executeSkill", module, in, big64(value), trace, hashB, "https://example.org/r")
}

func selector(n contracts.Name, method string) [4]byte {
	return [4]byte(contracts.ABI(n).Methods[method].ID)
}

// encode is abi.encode of an address and bytes.
func input(target common.Address, data []byte) []byte {
	address, _ := abi.NewType("address", "", nil)
	octets, _ := abi.NewType("bytes", "", nil)
	out, err := abi.Arguments{{Type: address}, {Type: octets}}.Pack(target, data)
	if err != nil {
		panic(err)
	}
	return out
}

func bytesReturned(data []byte) []byte {
	octets, _ := abi.NewType("bytes", "", nil)
	out, err := abi.Arguments{{Type: octets}}.Pack(data)
	if err != nil {
		panic(err)
	}
	return out
}

// contentHash is what the account says of a call, computed here anew.
func contentHash(module common.Address, in []byte, value uint64, returned []byte) common.Hash {
	word := common.LeftPadBytes(big64(value).Bytes(), 32)
	return crypto.Keccak256Hash(common.LeftPadBytes(module.Bytes(), 32), crypto.Keccak256(in), word, crypto.Keccak256(returned))
}

func policyEngine(t *testing.T, w *world) {
	const policy = contracts.PolicyEngine
	w.tryDeploy(policy, nil, zero).fails(policy, "OwnableInvalidOwner", zero)
	p := w.deploy(policy, owner)
	sel := [4]byte{1, 2, 3, 4}
	check := func(value uint64) result {
		return w.call(carol, p, "preCheck", alice, bob, sel, big64(value))
	}
	check(0).fails(policy, "ModuleNotAllowed", alice)
	w.call(owner, p, "setModuleAllowed", alice, true).ok().event(p, "ModuleAllowed")
	check(0).fails(policy, "TargetNotAllowed", bob)
	w.call(owner, p, "setTargetAllowed", bob, true).ok().event(p, "TargetAllowed")
	check(0).fails(policy, "SelectorNotAllowed", sel)
	w.call(owner, p, "setSelectorAllowed", sel, true).ok().event(p, "SelectorAllowed")
	check(0).ok()
	check(1).fails(policy, "ValueAboveMax", big64(1), noID)
	w.call(owner, p, "setMaxValuePerTx", big64(5)).ok().event(p, "MaxValuePerTxSet")
	check(5).ok()
	check(6).fails(policy, "ValueAboveMax", big64(6), big64(5))
	for _, m := range []string{"setModuleAllowed", "setTargetAllowed"} {
		w.call(owner, p, m, alice, false).ok()
		w.call(mallory, p, m, mallory, true).fails(policy, "OwnableUnauthorizedAccount", mallory)
	}
	check(0).fails(policy, "ModuleNotAllowed", alice)
	w.call(mallory, p, "setSelectorAllowed", sel, true).fails(policy, "OwnableUnauthorizedAccount", mallory)
	w.call(mallory, p, "setMaxValuePerTx", bigOne).fails(policy, "OwnableUnauthorizedAccount", mallory)
	ownership(t, w, p)
}

// ownership goes in two steps, and is never given up.
func ownership(t *testing.T, w *world, at common.Address) {
	t.Helper()
	name := w.where[at]
	w.call(owner, at, "renounceOwnership").fails(name, "RenouncingDisabled")
	w.call(mallory, at, "renounceOwnership").fails(name, "OwnableUnauthorizedAccount", mallory)
	w.call(mallory, at, "transferOwnership", mallory).fails(name, "OwnableUnauthorizedAccount", mallory)
	w.call(owner, at, "transferOwnership", alice).ok()
	same(t, "the owner meanwhile", view[common.Address](w, at, "owner"), owner)
	w.call(mallory, at, "acceptOwnership").fails(name, "OwnableUnauthorizedAccount", mallory)
	w.call(alice, at, "acceptOwnership").ok()
	same(t, "the owner", view[common.Address](w, at, "owner"), alice)
	w.call(owner, at, "transferOwnership", owner).fails(name, "OwnableUnauthorizedAccount", owner)
}

func agent(t *testing.T, w *world) {
	for module, event := range map[contracts.Name]string{
		contracts.SwapModule: "SwapExecuted", contracts.BridgeModule: "BridgeExecuted", contracts.NftBuyModule: "NftBuyExecuted",
	} {
		a := newAgency(w, module)
		ping := w.pack(contracts.MockTarget, "ping", hashC)
		in := input(a.target, ping)
		hash := contentHash(a.module, in, 0, hashC[:])
		r := a.execute(0, hashA, ping).ok()
		got := r.event(a.account, "SkillExecuted")
		want := []any{[32]byte(hashA), [32]byte(hash), a.module, a.target, selector(contracts.MockTarget, "ping"), nil, true}
		for i, v := range want {
			if v != nil && got[i] != v {
				t.Errorf("SkillExecuted[%d] is %v, not %v", i, got[i], v)
			}
		}
		if ev := r.event(a.module, event); ev[0] != a.account || ev[1] != a.target || ev[3].(*big.Int).Sign() != 0 {
			t.Errorf("%s%v", event, ev)
		}
		if ev := r.event(a.receipts, "ReceiptRecorded"); ev[1] != [32]byte(hash) || ev[2] != [32]byte(hashB) || ev[3] != a.account {
			t.Errorf("ReceiptRecorded%v", ev)
		}
		out, err := contracts.ABI(account).Unpack("executeSkill", r.ret)
		if err != nil || !bytes.Equal(out[0].([]byte), hashC[:]) {
			t.Errorf("it returned %x, %v", out, err)
		}

		// No second receipt under a trace, none without one, none without a registry.
		for _, trace := range []common.Hash{hashA, {}} {
			same(t, "receiptRecorded", a.execute(0, trace, ping).ok().event(a.account, "SkillExecuted")[6].(bool), false)
		}
		w.call(owner, a.account, "setReceiptRegistry", zero).ok().event(a.account, "ReceiptRegistrySet")
		same(t, "receiptRecorded", a.execute(0, hashC, ping).ok().event(a.account, "SkillExecuted")[6].(bool), false)

		// Value from what the call carries, from what is there, and what is left.
		a.execute(10, none, ping).fails(account, "InsufficientBalance", noID, big64(10))
		w.pay(carol, a.account, n(10)).ok().event(a.account, "Deposited")
		a.execute(10, none, ping).ok()
		equal(t, "the account", w.balance(a.account), n(0))
		equal(t, "the target", w.balance(a.target), n(10))
		half := w.pack(contracts.MockTarget, "keepHalf")
		a.executeFrom(owner, n(100), a.module, input(a.target, half), 51, none).ok()
		equal(t, "the account", w.balance(a.account), n(100-25))
		equal(t, "the module", w.balance(a.module), n(0))
		// More than there was left before, from the call and what is there together.
		a.executeFrom(owner, n(5), a.module, input(a.target, ping), 80, none).ok()

		a.execute(0, none, w.pack(contracts.MockTarget, "fail", "not today")).reverts(sentence("not today"))
		a.execute(0, none, w.pack(contracts.MockTarget, "refuse", big64(7))).fails(contracts.MockTarget, "Refused", big64(7))
	}
}

func agentRefuses(t *testing.T, w *world) {
	a := newAgency(w, contracts.SwapModule)
	ping := w.pack(contracts.MockTarget, "ping", hashC)
	in := input(a.target, ping)
	const policy = contracts.PolicyEngine
	a.executeFrom(mallory, n(0), a.module, in, 0, none).fails(account, "OwnableUnauthorizedAccount", mallory)
	other := w.deploy(contracts.SwapModule)
	a.executeFrom(owner, n(0), other, in, 0, none).fails(policy, "ModuleNotAllowed", other)
	a.executeFrom(owner, n(0), a.module, input(other, ping), 0, none).fails(policy, "TargetNotAllowed", other)
	a.execute(0, none, w.pack(contracts.MockTarget, "calls")).fails(policy, "SelectorNotAllowed", selector(contracts.MockTarget, "calls"))
	a.executeFrom(owner, n(1001), a.module, in, 1001, none).fails(policy, "ValueAboveMax", big64(1001), big64(1000))
	for _, data := range [][]byte{nil, {1}, ping[:3]} {
		a.execute(0, none, data).fails(account, "MissingSelector")
	}
	for _, malformed := range [][]byte{nil, {1}, make([]byte, 95), in[:95]} {
		a.executeFrom(owner, n(0), a.module, malformed, 0, none).fails(account, "MalformedInput")
	}
	// Long enough, and yet no address and bytes.
	for name, change := range map[string]func([]byte){
		"more than an address": func(b []byte) { b[0] = 1 },
		"bytes far behind":     func(b []byte) { b[32] = 1 },
		"bytes too long":       func(b []byte) { b[64] = 1 },
	} {
		bad := bytes.Clone(in)
		change(bad)
		if r := a.executeFrom(owner, n(0), a.module, bad, 0, none); r.err == nil {
			t.Errorf("%s: it succeeded", name)
		}
		// The module by itself is as strict.
		if r := w.call(alice, a.module, "execute", alice, bad); r.err == nil {
			t.Errorf("%s: the module took it", name)
		}
	}
	// A receipt that the registry does not take: nothing is done without it.
	w.call(owner, a.account, "executeSkill", a.module, in, noID, hashA, hashB, strings.Repeat("u", 2049)).
		fails(contracts.ReceiptRegistry, "UriTooLong", big64(2049))
	equal(t, "the calls of the target", amount(w, a.target, "calls"), n(0))

	// Allowed, and nobody there: a call would succeed and do nothing.
	a.allow(bob, bob)
	a.executeFrom(owner, n(0), bob, in, 0, none).fails(account, "ModuleWithoutCode", bob)
	a.executeFrom(owner, n(0), a.module, input(bob, ping), 0, none).fails(account, "TargetWithoutCode", bob)

	// Setters and withdrawals are the owner's.
	for _, c := range []struct {
		method string
		args   []any
	}{
		{"setPolicyEngine", []any{a.policy}}, {"setReceiptRegistry", []any{zero}}, {"withdrawNative", []any{mallory, bigOne}},
		{"withdrawToken", []any{a.target, mallory, bigOne}}, {"withdrawNft", []any{a.target, mallory, bigOne}},
	} {
		w.call(mallory, a.account, c.method, c.args...).fails(account, "OwnableUnauthorizedAccount", mallory)
	}
	w.call(owner, a.account, "setPolicyEngine", bob).fails(account, "InvalidPolicyEngine", bob)
	w.call(owner, a.account, "setPolicyEngine", zero).fails(account, "InvalidPolicyEngine", zero)
	w.call(owner, a.account, "setReceiptRegistry", bob).fails(account, "InvalidReceiptRegistry", bob)
	w.call(owner, a.account, "setPolicyEngine", a.policy).ok().event(a.account, "PolicyEngineSet")
	w.call(owner, a.account, "setReceiptRegistry", a.receipts).ok()
	same(t, "policy", view[common.Address](w, a.account, "policy"), a.policy)
	same(t, "receipts", view[common.Address](w, a.account, "receipts"), a.receipts)
	w.tryDeploy(account, nil, zero, a.policy, a.receipts).fails(account, "OwnableInvalidOwner", zero)
	w.tryDeploy(account, nil, owner, bob, a.receipts).fails(account, "InvalidPolicyEngine", bob)
	w.tryDeploy(account, nil, owner, a.policy, bob).fails(account, "InvalidReceiptRegistry", bob)
	w.deploy(account, owner, a.policy, zero)

	ownership(t, w, a.account)
	a.execute(0, none, ping).fails(account, "OwnableUnauthorizedAccount", owner)
	a.executeFrom(alice, n(0), a.module, in, 0, none).ok()
}

func agentWithdraws(t *testing.T, w *world) {
	a := newAgency(w, contracts.SwapModule)
	w.pay(carol, a.account, n(100)).ok()
	w.call(owner, a.account, "withdrawNative", zero, bigOne).fails(account, "InvalidRecipient", zero)
	w.call(owner, a.account, "withdrawNative", bob, big64(101)).fails(account, "InsufficientBalance", big64(100), big64(101))
	before := w.balance(bob)
	w.call(owner, a.account, "withdrawNative", bob, big64(60)).ok().event(a.account, "NativeWithdrawn")
	equal(t, "what bob got", new(uint256.Int).Sub(w.balance(bob), before), n(60))
	equal(t, "the account", w.balance(a.account), n(40))
	refusing := w.deploy(attacker)
	w.call(mallory, refusing, "refuse", true).ok()
	w.call(owner, a.account, "withdrawNative", refusing, bigOne).reverts(sentence("refused"))
	w.call(owner, a.account, "withdrawNative", w.deploy(bomb), bigOne).fell()

	tok := w.deploy(hostileToken)
	w.call(carol, tok, "set", a.account, big64(100)).ok()
	w.call(owner, a.account, "withdrawToken", tok, zero, bigOne).fails(account, "InvalidRecipient", zero)
	w.call(owner, a.account, "withdrawToken", tok, bob, big64(60)).ok().event(a.account, "TokenWithdrawn")
	equal(t, "bob's tokens", amount(w, tok, "held", bob), n(60))
	w.call(carol, tok, "setTransfer", returnsFalse).ok()
	w.call(owner, a.account, "withdrawToken", tok, bob, big64(1)).fails(account, "SafeERC20FailedOperation", tok)
	w.call(carol, tok, "setTransfer", returnsNothing).ok()
	w.call(owner, a.account, "withdrawToken", tok, bob, big64(1)).ok()
	w.call(owner, a.account, "withdrawToken", bob, bob, big64(1)).fell() // no token there

	// A skill that was sent to the account, which the account can hold.
	nft := w.deploy(contracts.SkillNFT)
	w.call(alice, nft, "mintSkill", noID).ok()
	w.apply(alice, &nft, nil, w.pack(contracts.SkillNFT, "safeTransferFrom", alice, a.account, bigOne), gasLimit).ok()
	w.call(owner, a.account, "withdrawNft", nft, zero, bigOne).fell()
	w.call(owner, a.account, "withdrawNft", nft, w.deploy(contracts.PodVault, members{alice}, partsOf(1)), bigOne).fell()
	w.call(owner, a.account, "withdrawNft", bob, bob, bigOne).fell() // no token there
	w.call(owner, a.account, "withdrawNft", nft, bob, bigOne).ok().event(a.account, "NftWithdrawn")
	same(t, "the owner", view[common.Address](w, nft, "ownerOf", bigOne), bob)
}

// The module by itself: it works for who calls it, and keeps nothing.
func module(t *testing.T, w *world) {
	for _, name := range []contracts.Name{contracts.SwapModule, contracts.BridgeModule, contracts.NftBuyModule} {
		a := newAgency(w, name)
		ping := input(a.target, w.pack(contracts.MockTarget, "ping", hashC))
		w.call(mallory, a.module, "execute", a.account, ping).fails(name, "NotAgentAccount", a.account, mallory)
		w.call(mallory, a.module, "execute", mallory, ping).ok()
		w.call(alice, a.module, "execute", alice, ping[:95]).fails(name, "MalformedInput")
		w.call(alice, a.module, "execute", alice, input(a.target, []byte{1, 2, 3})).fails(name, "MissingSelector")
		w.call(alice, a.module, "execute", alice, input(bob, []byte{1, 2, 3, 4})).fails(name, "TargetWithoutCode", bob)
		w.pay(mallory, a.module, n(1)).fails(name, "UnexpectedPayment", mallory)

		// Who does not take back what is left over: nothing happens at all.
		refusing := w.deploy(attacker)
		w.call(mallory, refusing, "refuse", true).ok()
		half := w.pack(name, "execute", refusing, input(a.target, w.pack(contracts.MockTarget, "keepHalf")))
		w.send(mallory, refusing, n(10), "run", a.module, half, big64(10)).fails(name, "RefundRefused", refusing, big64(5))
		equal(t, "the target", w.balance(a.target), n(0))

		// What was forced on it goes to who comes next, and it goes on working.
		w.tryDeploy(forcer, n(9), a.module).ok()
		a.execute(0, none, w.pack(contracts.MockTarget, "ping", hashC)).ok()
		equal(t, "the account", w.balance(a.account), n(9))
		equal(t, "the module", w.balance(a.module), n(0))
	}
}

// A target that calls back, each thing it could want.
func agentReenteredByTarget(t *testing.T, w *world) {
	for _, name := range []contracts.Name{contracts.SwapModule, contracts.BridgeModule, contracts.NftBuyModule} {
		a := newAgency(w, name)
		evil := w.deploy(attacker)
		w.fund(evil, n(1000))
		a.allow(a.module, evil)
		w.pay(carol, a.account, n(500)).ok()
		call := w.pack(contracts.MockTarget, "ping", hashC)
		for _, c := range []struct {
			victim common.Address
			data   []byte
			value  uint64
			want   []byte
		}{
			// The module, for itself, to take what is under way.
			{a.module, w.pack(name, "execute", evil, input(a.target, call)), 0, w.failure(name, "ReentrancyGuardReentrantCall")},
			{a.module, w.pack(name, "execute", a.account, input(a.target, call)), 0, w.failure(name, "ReentrancyGuardReentrantCall")},
			// The account: it is not the owner.
			{a.account, w.pack(account, "withdrawNative", evil, bigOne), 0, w.failure(account, "OwnableUnauthorizedAccount", evil)},
			{a.account, w.pack(account, "setPolicyEngine", evil), 0, w.failure(account, "OwnableUnauthorizedAccount", evil)},
			{a.account, w.pack(account, "executeSkill", a.module, input(a.target, call), bigOne, none, none, ""), 0, w.failure(account, "OwnableUnauthorizedAccount", evil)},
		} {
			before := w.state.Copy()
			w.call(mallory, evil, "plan", c.victim, c.data, big64(c.value), bigOne, record).ok()
			a.executeFrom(owner, n(0), a.module, input(evil, call), 100, hashA).ok()
			out := view[[]byte](w, evil, "lastFailure")
			if !bytes.Equal(out, c.want) {
				t.Errorf("the attacker was answered %s, not %s", w.reason(out), w.reason(c.want))
			}
			equal(t, "the attacker has what it was sent", w.balance(evil), n(1100))
			equal(t, "the account", w.balance(a.account), n(400))
			equal(t, "the module", w.balance(a.module), n(0))
			w.state = before
		}
		// It pays the module meanwhile: that goes to the account.
		w.call(mallory, evil, "plan", a.module, []byte{}, big64(30), bigOne, bubble).ok()
		a.executeFrom(owner, n(0), a.module, input(evil, call), 100, none).ok()
		equal(t, "the account", w.balance(a.account), n(430))
		// It writes the receipt of the trace first: the account's is not written, and
		// the event says so.
		w.call(mallory, evil, "plan", a.receipts, w.pack(contracts.ReceiptRegistry, "recordReceipt", hashC, none, none, ""), noID, bigOne, bubble).ok()
		r := a.executeFrom(owner, n(0), a.module, input(evil, call), 0, hashC).ok()
		same(t, "receiptRecorded", r.event(a.account, "SkillExecuted")[6].(bool), false)
		same(t, "the recorder", views(w, a.receipts, "getReceipt", hashC)[5].(common.Address), evil)
	}
}

// The account as its own target, and the module as one: nothing of either can be
// reached through the other.
func agentCallsItself(t *testing.T, w *world) {
	a := newAgency(w, contracts.SwapModule)
	w.pay(carol, a.account, n(500)).ok()
	a.allow(a.module, a.account)
	a.allow(a.account, a.module)
	withdraw := w.pack(account, "withdrawNative", mallory, bigOne)
	execute := w.pack(contracts.SwapModule, "execute", a.account, input(a.target, withdraw))
	for _, sel := range [][4]byte{[4]byte(withdraw), [4]byte(execute)} {
		w.call(owner, a.policy, "setSelectorAllowed", sel, true).ok()
	}
	a.executeFrom(owner, n(0), a.module, input(a.account, withdraw), 0, none).fails(account, "OwnableUnauthorizedAccount", a.module)
	a.executeFrom(owner, n(0), a.module, input(a.module, execute), 0, none).fails(contracts.SwapModule, "ReentrancyGuardReentrantCall")
	a.executeFrom(owner, n(0), a.account, input(a.target, withdraw), 0, none).fell() // it has no execute()
	equal(t, "the account", w.balance(a.account), n(500))
}

// An owner that is a contract, called back by its own target: once at a time.
func agentReenteredByOwner(t *testing.T, w *world) {
	a := newAgency(w, contracts.SwapModule)
	evil := w.deploy(attacker)
	w.call(owner, a.account, "transferOwnership", evil).ok()
	w.call(mallory, evil, "run", a.account, w.pack(account, "acceptOwnership"), noID).ok()
	w.pay(carol, a.account, n(500)).ok()
	a.allow(a.module, evil)
	call := w.pack(contracts.MockTarget, "ping", hashC)
	execute := w.pack(account, "executeSkill", a.module, input(evil, call), big64(100), none, none, "")
	tok := w.deploy(hostileToken)
	for _, data := range [][]byte{
		execute, w.pack(account, "withdrawNative", evil, bigOne), w.pack(account, "withdrawToken", tok, evil, bigOne),
		w.pack(account, "withdrawNft", tok, evil, bigOne),
	} {
		w.call(mallory, evil, "plan", a.account, data, noID, bigOne, bubble).ok()
		w.call(mallory, evil, "run", a.account, execute, noID).fails(account, "ReentrancyGuardReentrantCall")
		equal(t, "the account", w.balance(a.account), n(500))
		if bytes.Equal(data, execute) {
			continue
		}
		w.call(mallory, evil, "plan", a.account, execute, noID, bigOne, bubble).ok()
		w.call(mallory, evil, "run", a.account, w.pack(account, "withdrawNative", evil, big64(5)), noID).fails(account, "ReentrancyGuardReentrantCall")
	}
}

// Modules, policies and registries that are not ours, which the owner trusted.
func agentHostileParts(t *testing.T, w *world) {
	a := newAgency(w, contracts.SwapModule)
	evil := w.deploy(attacker)
	ping := input(a.target, w.pack(contracts.MockTarget, "ping", hashC))
	w.pay(carol, a.account, n(500)).ok()

	// A module of somebody's gets the value and no more.
	a.allow(evil, a.target)
	w.call(mallory, evil, "answerWith", bytesReturned([]byte("ok"))).ok()
	w.call(mallory, evil, "plan", a.account, w.pack(account, "withdrawNative", evil, big64(400)), noID, bigOne, record).ok()
	r := a.executeFrom(owner, n(0), evil, ping, 10, hashA).ok()
	got := r.event(a.account, "SkillExecuted")
	same(t, "the content", got[1].([32]byte), [32]byte(contentHash(evil, ping, 10, []byte("ok"))))
	equal(t, "the module", w.balance(evil), n(10))
	equal(t, "its successes", amount(w, evil, "successes"), n(0))
	// A module that asks nothing is no way to a target without code.
	a.allow(evil, bob)
	a.executeFrom(owner, n(0), evil, input(bob, w.pack(contracts.MockTarget, "ping", hashC)), 0, none).fails(account, "TargetWithoutCode", bob)
	// What it answers has to be bytes.
	for _, answer := range [][]byte{nil, {1}, common.LeftPadBytes([]byte{33}, 32), bytesReturned(make([]byte, 64))[:64]} {
		w.call(mallory, evil, "answerWith", answer).ok()
		a.executeFrom(owner, n(0), evil, ping, 10, none).fell()
	}
	w.call(mallory, evil, "refuse", true).ok()
	a.executeFrom(owner, n(0), evil, ping, 10, none).reverts(sentence("refused"))
	w.call(mallory, evil, "refuse", false).ok()
	equal(t, "the account", w.balance(a.account), n(490))

	// A policy of somebody's can look, and can say no; it can't do anything.
	watch := w.deploy(attacker)
	w.call(owner, a.account, "setPolicyEngine", watch).ok()
	w.call(mallory, watch, "plan", zero, []byte{}, noID, noID, silent).ok()
	a.executeFrom(owner, n(0), a.module, ping, 0, none).ok()
	for _, data := range [][]byte{
		w.pack(account, "withdrawNative", watch, bigOne), w.pack(account, "executeSkill", a.module, ping, noID, none, none, ""),
	} {
		w.call(mallory, watch, "plan", a.account, data, noID, noID, silent).ok()
		a.executeFrom(owner, n(0), a.module, ping, 0, none).fails(account, "OwnableUnauthorizedAccount", watch)
	}
	w.call(mallory, watch, "plan", a.receipts, w.pack(contracts.ReceiptRegistry, "recordReceipt", hashC, none, none, ""), noID, noID, silent).ok()
	a.executeFrom(owner, n(0), a.module, ping, 0, none).fell() // it may not write
	w.call(mallory, watch, "refuse", true).ok()
	a.executeFrom(owner, n(0), a.module, ping, 0, none).reverts(sentence("refused"))
	w.call(owner, a.account, "setPolicyEngine", a.policy).ok()

	// A registry of somebody's: what it refuses undoes the call, so that nothing is
	// done that has no receipt.
	book := w.deploy(attacker)
	isRecorded, recordReceipt := selector(contracts.ReceiptRegistry, "isRecorded"), selector(contracts.ReceiptRegistry, "recordReceipt")
	w.call(owner, a.account, "setReceiptRegistry", book).ok()
	calls := func() *uint256.Int { return amount(w, a.target, "calls") }
	before := calls()
	w.call(mallory, book, "plan", zero, []byte{}, noID, noID, silent).ok()
	a.executeFrom(owner, n(0), a.module, ping, 0, hashC).fell() // no answer
	w.call(mallory, book, "answerTo", isRecorded, common.LeftPadBytes([]byte{2}, 32)).ok()
	a.executeFrom(owner, n(0), a.module, ping, 0, hashC).fell() // no boolean
	w.call(mallory, book, "refuseTo", isRecorded, true).ok()
	a.executeFrom(owner, n(0), a.module, ping, 0, hashC).reverts(sentence("refused"))
	w.call(mallory, book, "refuseTo", isRecorded, false).ok()
	w.call(mallory, book, "answerTo", isRecorded, make([]byte, 32)).ok()
	w.call(mallory, book, "refuseTo", recordReceipt, true).ok()
	a.executeFrom(owner, n(0), a.module, ping, 0, hashC).reverts(sentence("refused"))
	equal(t, "the calls of the target", calls(), before)
	w.call(mallory, book, "refuseTo", recordReceipt, false).ok()
	a.executeFrom(owner, n(0), a.module, ping, 0, hashC).ok()
	w.call(owner, a.account, "setReceiptRegistry", a.receipts).ok()
}

// Targets that answer with far too much: it costs the gas that was given, and
// nothing else.
func agentBombs(t *testing.T, w *world) {
	a := newAgency(w, contracts.NftBuyModule)
	b := w.deploy(bomb)
	a.allow(a.module, b)
	bombABI := w.abi(bomb)
	for _, m := range bombABI.Methods {
		w.call(owner, a.policy, "setSelectorAllowed", [4]byte(m.ID), true).ok()
	}
	do := func(method string, args ...any) result {
		t.Helper()
		return a.executeFrom(owner, n(0), a.module, input(b, w.pack(bomb, method, args...)), 0, none)
	}
	do("big", big64(100_000)).ok()
	do("bigRevert", big64(100_000)).fell()
	do("big", big64(10_000_000)).fell()
	do("bigRevert", big64(10_000_000)).fell()
	do("burn").fell()
	do("mute").fails(account, "FailedCall")
	// And it still works.
	a.execute(0, none, w.pack(contracts.MockTarget, "ping", hashC)).ok()
}

// A policy or a registry whose code went away in the transaction that made the
// account: without a policy nothing is allowed.
func agentTrustsNobodyThere(t *testing.T, w *world) {
	a := newAgency(w, contracts.SwapModule)
	g := w.deploy(contracts.Name("Ghost"))
	word := func(who common.Address) []byte { return common.LeftPadBytes(who.Bytes(), 32) }
	ping := input(a.target, w.pack(contracts.MockTarget, "ping", hashC))
	made := func(prefix, suffix []byte) common.Address {
		w.call(mallory, g, "make", append(bytes.Clone(w.init(account)), prefix...), suffix).ok()
		at := view[common.Address](w, g, "made")
		w.where[at] = account
		same(t, "the code that is gone", len(w.state.GetCode(view[common.Address](w, g, "gone"))), 0)
		return at
	}
	a.account = made(word(owner), word(zero))
	a.executeFrom(owner, n(0), a.module, ping, 0, none).reverts(nil)
	a.account = made(append(word(owner), word(a.policy)...), nil)
	a.executeFrom(owner, n(0), a.module, ping, 0, hashA).fell()
}

func mock(t *testing.T, w *world) {
	at := w.deploy(contracts.MockTarget)
	got := w.send(carol, at, n(3), "ping", hashA).ok().event(at, "Called")
	if got[0] != carol || got[2].(*big.Int).Int64() != 3 {
		t.Errorf("Called%v", got)
	}
	w.send(carol, at, n(3), "keepHalf").ok()
	equal(t, "what it keeps", w.balance(at), n(4))
	equal(t, "calls", amount(w, at, "calls"), n(2))
	w.send(carol, at, n(3), "fail", "no").reverts(sentence("no"))
	w.send(carol, at, n(3), "refuse", big64(9)).fails(contracts.MockTarget, "Refused", big64(9))
	refusing := w.deploy(attacker)
	w.call(mallory, refusing, "refuse", true).ok()
	w.send(mallory, refusing, n(10), "run", at, w.pack(contracts.MockTarget, "keepHalf"), big64(10)).reverts(sentence("refused"))
}
