package contracts_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

// reasonNoThanks is what the fixture's wallet refuses with.
var reasonNoThanks = hexutil.Encode(crypto.Keccak256([]byte("NoThanks()"))[:4])

// created is where the next contract that an account makes itself will be.
func created(a actor, nonce uint64) common.Address { return crypto.CreateAddress(a.addr, nonce) }

// set is an agent account with all that it uses.
type set struct {
	policy, receipts, swap, bridge, buy, mock, agent contract
}

// agentSet deploys a set whose policy allows up to 1000 wei through the swap
// module to the mock's ping and keepHalf.
func (a actor) agentSet(t *testing.T) set {
	t.Helper()
	s := set{
		policy:   a.deploy(t, contracts.PolicyEngine, a.addr),
		receipts: a.deploy(t, contracts.ReceiptRegistry),
		swap:     a.deploy(t, contracts.SwapModule),
		bridge:   a.deploy(t, contracts.BridgeModule),
		buy:      a.deploy(t, contracts.NftBuyModule),
		mock:     a.deploy(t, contracts.MockTarget),
	}
	s.agent = a.deploy(t, contracts.AgentAccount, a.addr, s.policy.addr, s.receipts.addr)
	a.send(t, s.policy, "setMaxValuePerTx", 1000)
	a.send(t, s.policy, "setModuleAllowed", s.swap.addr, true)
	a.send(t, s.policy, "setTargetAllowed", s.mock.addr, true)
	for _, m := range []string{"ping", "keepHalf", "fail", "refuse"} {
		a.send(t, s.policy, "setSelectorAllowed", selector(s.mock.abi, m), true)
	}
	return s
}

func selector(ab abi.ABI, method string) [4]byte { return [4]byte(ab.Methods[method].ID) }

func TestPolicyEngine(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	p := a.deploy(t, contracts.PolicyEngine, a.addr)
	module, target, sel := common.Address{1}, common.Address{2}, [4]byte{1, 2, 3, 4}
	check := func(want string, value int) {
		t.Helper()
		b.refused(t, want, p, "preCheck", module, target, sel, value)
	}
	// A new policy allows nothing.
	wantValues(t, a.call(t, p, "owner"), a.addr)
	wantValues(t, a.call(t, p, "maxValuePerTx"), 0)
	check(fmt.Sprintf("ModuleNotAllowed(%s)", module), 0)
	wantEvents(t, a.send(t, p, "setModuleAllowed", module, true), fmt.Sprintf("PolicyEngine.ModuleAllowed(%s, true)", module))
	check(fmt.Sprintf("TargetNotAllowed(%s)", target), 0)
	wantEvents(t, a.send(t, p, "setTargetAllowed", target, true), fmt.Sprintf("PolicyEngine.TargetAllowed(%s, true)", target))
	check("SelectorNotAllowed(0x01020304)", 0)
	wantEvents(t, a.send(t, p, "setSelectorAllowed", sel, true), "PolicyEngine.SelectorAllowed(0x01020304, true)")
	check("no error", 0)
	check("ValueAboveMax(1, 0)", 1)
	wantEvents(t, a.send(t, p, "setMaxValuePerTx", 7), "PolicyEngine.MaxValuePerTxSet(7)")
	check("no error", 7)
	check("ValueAboveMax(8, 7)", 8)
	wantValues(t, a.call(t, p, "allowedModules", module), true)
	wantValues(t, a.call(t, p, "allowedTargets", target), true)
	wantValues(t, a.call(t, p, "allowedSelectors", sel), true)
	wantValues(t, a.call(t, p, "maxValuePerTx"), 7)

	// Each can be taken back.
	a.send(t, p, "setSelectorAllowed", sel, false)
	check("SelectorNotAllowed(0x01020304)", 0)
	a.send(t, p, "setTargetAllowed", target, false)
	check(fmt.Sprintf("TargetNotAllowed(%s)", target), 0)
	a.send(t, p, "setModuleAllowed", module, false)
	check(fmt.Sprintf("ModuleNotAllowed(%s)", module), 0)

	stranger := fmt.Sprintf("OwnableUnauthorizedAccount(%s)", b.addr)
	b.refused(t, stranger, p, "setMaxValuePerTx", 1)
	b.refused(t, stranger, p, "setModuleAllowed", module, true)
	b.refused(t, stranger, p, "setTargetAllowed", target, true)
	b.refused(t, stranger, p, "setSelectorAllowed", sel, true)
	testOwnership(t, a, b, p)
	a.refusedDeploy(t, fmt.Sprintf("OwnableInvalidOwner(%s)", nobody), contracts.PolicyEngine, nobody)
}

// testOwnership hands a contract from a to b in the two steps that it takes.
func testOwnership(t *testing.T, a, b actor, c contract) {
	t.Helper()
	label, _ := labels.Load(c.addr)
	stranger := fmt.Sprintf("OwnableUnauthorizedAccount(%s)", b.addr)
	b.refused(t, stranger, c, "transferOwnership", b.addr)
	b.refused(t, stranger, c, "acceptOwnership")
	b.refused(t, stranger, c, "renounceOwnership")
	a.refused(t, "RenouncingDisabled()", c, "renounceOwnership")
	wantEvents(t, a.send(t, c, "transferOwnership", b.addr), fmt.Sprintf("%s.OwnershipTransferStarted(%s, %s)", label, a.addr, b.addr))
	wantValues(t, a.call(t, c, "owner"), a.addr)
	wantValues(t, a.call(t, c, "pendingOwner"), b.addr)
	wantEvents(t, b.send(t, c, "acceptOwnership"), fmt.Sprintf("%s.OwnershipTransferred(%s, %s)", label, a.addr, b.addr))
	wantValues(t, a.call(t, c, "owner"), b.addr)
	wantValues(t, a.call(t, c, "pendingOwner"), nobody)
	a.refused(t, fmt.Sprintf("OwnableUnauthorizedAccount(%s)", a.addr), c, "transferOwnership", a.addr)
}

func contentHash(t *testing.T, module common.Address, input []byte, value int64, result []byte) common.Hash {
	t.Helper()
	word := func(b []byte) []byte { return common.LeftPadBytes(b, 32) }
	return crypto.Keccak256Hash(word(module[:]), crypto.Keccak256(input), word(big.NewInt(value).Bytes()), crypto.Keccak256(result))
}

func TestExecuteSkill(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	s := a.agentSet(t)
	note, trace, subject := hash("note"), hash("trace"), hash("agent:a")
	ping := pack(t, s.mock.abi, "ping", note)
	input := inputOf(t, s.mock.addr, ping)
	sel := hexutil.Encode(ping[:4])

	wantValues(t, a.paying(70).call(t, s.agent, "executeSkill", s.swap.addr, input, 50, trace, subject, ""), note[:])
	content := contentHash(t, s.swap.addr, input, 50, note[:])
	wantEvents(t, a.paying(70).send(t, s.agent, "executeSkill", s.swap.addr, input, 50, trace, subject, "https://a.test"),
		fmt.Sprintf("MockTarget.Called(%s, %s, 50)", s.swap.addr, sel),
		fmt.Sprintf("SwapModule.SwapExecuted(%s, %s, %s, 50)", s.agent.addr, s.mock.addr, sel),
		fmt.Sprintf(`ReceiptRegistry.ReceiptRecorded(%s, %s, %s, %s, "https://a.test")`, trace, content, subject, s.agent.addr),
		fmt.Sprintf("AgentAccount.SkillExecuted(%s, %s, %s, %s, %s, 50, true)", trace, content, s.swap.addr, s.mock.addr, sel))
	wantValues(t, a.call(t, s.receipts, "getReceipt", trace)[1:3], content, subject)
	if got := balance(t, s.agent.addr); got.Int64() != 20 {
		t.Errorf("the account keeps %s, want what was not spent", got)
	}

	// The account's own money pays; a trace that has its receipt stops nothing.
	wantEvents(t, a.send(t, s.agent, "executeSkill", s.swap.addr, input, 20, trace, subject, ""),
		fmt.Sprintf("MockTarget.Called(%s, %s, 20)", s.swap.addr, sel),
		fmt.Sprintf("SwapModule.SwapExecuted(%s, %s, %s, 20)", s.agent.addr, s.mock.addr, sel),
		fmt.Sprintf("AgentAccount.SkillExecuted(%s, %s, %s, %s, %s, 20, false)", trace,
			contentHash(t, s.swap.addr, input, 20, note[:]), s.swap.addr, s.mock.addr, sel))
	a.refused(t, "InsufficientBalance(0, 1)", s.agent, "executeSkill", s.swap.addr, input, 1, trace, subject, "")

	// No trace, and no registry: no receipt.
	last := func(r []string) string { return r[len(r)-1] }
	none := common.Hash{}
	content = contentHash(t, s.swap.addr, input, 0, note[:])
	unrecorded := func(trace common.Hash) string {
		return fmt.Sprintf("AgentAccount.SkillExecuted(%s, %s, %s, %s, %s, 0, false)", trace, content, s.swap.addr, s.mock.addr, sel)
	}
	if got := last(eventsOf(t, a.send(t, s.agent, "executeSkill", s.swap.addr, input, 0, none, subject, ""))); got != unrecorded(none) {
		t.Errorf("without a trace: %s", got)
	}
	wantEvents(t, a.send(t, s.agent, "setReceiptRegistry", nobody), fmt.Sprintf("AgentAccount.ReceiptRegistrySet(%s)", nobody))
	if got := last(eventsOf(t, a.send(t, s.agent, "executeSkill", s.swap.addr, input, 0, hash("2"), subject, ""))); got != unrecorded(hash("2")) {
		t.Errorf("without a registry: %s", got)
	}
	wantValues(t, a.call(t, s.mock, "calls"), 4)
}

func TestExecuteSkillGivesBack(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	s := a.agentSet(t)
	keep := pack(t, s.mock.abi, "keepHalf")
	input := inputOf(t, s.mock.addr, keep)
	sel := hexutil.Encode(keep[:4])
	kept := common.LeftPadBytes([]byte{10}, 32)
	wantEvents(t, a.paying(21).send(t, s.agent, "executeSkill", s.swap.addr, input, 21, common.Hash{}, common.Hash{}, ""),
		fmt.Sprintf("MockTarget.Called(%s, %s, 21)", s.swap.addr, sel),
		fmt.Sprintf("SwapModule.SwapExecuted(%s, %s, %s, 21)", s.agent.addr, s.mock.addr, sel),
		fmt.Sprintf("AgentAccount.Deposited(%s, 11)", s.swap.addr),
		fmt.Sprintf("AgentAccount.SkillExecuted(%s, %s, %s, %s, %s, 21, false)", common.Hash{},
			contentHash(t, s.swap.addr, input, 21, kept), s.swap.addr, s.mock.addr, sel))
	if got := balance(t, s.agent.addr); got.Int64() != 11 {
		t.Errorf("the account has %s", got)
	}
	if got := balance(t, s.swap.addr); got.Sign() != 0 {
		t.Errorf("the module has %s", got)
	}
}

func TestExecuteSkillRefuses(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	s := a.agentSet(t)
	var none common.Hash
	ping := pack(t, s.mock.abi, "ping", none)
	input := inputOf(t, s.mock.addr, ping)
	refused := func(who actor, want string, module common.Address, input []byte, value int) {
		t.Helper()
		who.refused(t, want, s.agent, "executeSkill", module, input, value, hash("t"), none, "")
	}
	refused(b, fmt.Sprintf("OwnableUnauthorizedAccount(%s)", b.addr), s.swap.addr, input, 0)
	refused(a, "no error", s.swap.addr, input, 0)
	refused(a.paying(1000), "no error", s.swap.addr, input, 1000)

	// The policy's four.
	refused(a, fmt.Sprintf("ModuleNotAllowed(%s)", s.bridge.addr), s.bridge.addr, input, 0)
	refused(a, fmt.Sprintf("TargetNotAllowed(%s)", s.policy.addr), s.swap.addr, inputOf(t, s.policy.addr, ping), 0)
	calls := pack(t, s.mock.abi, "calls")
	refused(a, fmt.Sprintf("SelectorNotAllowed(%s)", hexutil.Encode(calls)), s.swap.addr, inputOf(t, s.mock.addr, calls), 0)
	refused(a.paying(2000), "ValueAboveMax(1001, 1000)", s.swap.addr, input, 1001)

	// What is not a call.
	refused(a, "MalformedInput()", s.swap.addr, nil, 0)
	refused(a, "MalformedInput()", s.swap.addr, make([]byte, 95), 0)
	refused(a, "MissingSelector()", s.swap.addr, inputOf(t, s.mock.addr, nil), 0)
	refused(a, "MissingSelector()", s.swap.addr, inputOf(t, s.mock.addr, ping[:3]), 0)
	refused(a, "nothing", s.swap.addr, []byte(strings.Repeat("\xff", 96)), 0)

	// Nothing there, though it is allowed.
	a.send(t, s.policy, "setModuleAllowed", b.addr, true)
	a.send(t, s.policy, "setTargetAllowed", b.addr, true)
	refused(a, fmt.Sprintf("ModuleWithoutCode(%s)", b.addr), b.addr, input, 0)
	refused(a, fmt.Sprintf("TargetWithoutCode(%s)", b.addr), s.swap.addr, inputOf(t, b.addr, ping), 0)

	// What the target says is passed on.
	refused(a, `"not today"`, s.swap.addr, inputOf(t, s.mock.addr, pack(t, s.mock.abi, "fail", "not today")), 0)
	refused(a, "Refused(7)", s.swap.addr, inputOf(t, s.mock.addr, pack(t, s.mock.abi, "refuse", 7)), 0)
	ping[0] ^= 0xff // a function that it does not have
	a.send(t, s.policy, "setSelectorAllowed", [4]byte(ping[:4]), true)
	refused(a, "FailedCall()", s.swap.addr, inputOf(t, s.mock.addr, ping), 0)

	a.refused(t, "UriTooLong(2049)", s.agent, "executeSkill", s.swap.addr, input, 0, hash("t"), none, strings.Repeat("x", 2049))
}

// An account whose owner is a contract that anyone can use: the guard alone
// keeps a target from executing and withdrawing in the middle of a call.
func TestExecuteSkillIsGuarded(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	s := a.agentSet(t)
	w := a.fixture(t, "Wallet")
	agent := a.deploy(t, contracts.AgentAccount, w.addr, s.policy.addr, nobody)
	tok := a.fixture(t, "Token")
	nft := a.deploy(t, contracts.SkillNFT)
	a.send(t, nft, "mintSkill", 0)
	a.send(t, nft, "safeTransferFrom", a.addr, agent.addr, 1)
	a.paying(10).raw(t, &agent.addr, nil)
	a.send(t, s.policy, "setModuleAllowed", s.bridge.addr, true)
	a.send(t, s.policy, "setTargetAllowed", w.addr, true)
	a.send(t, s.policy, "setSelectorAllowed", selector(w.abi, "call"), true)

	var none common.Hash
	execute := func(module contract, input []byte) []byte {
		return pack(t, agent.abi, "executeSkill", module.addr, input, 0, none, none, "")
	}
	inner := map[string][]byte{
		"executeSkill":   execute(s.bridge, inputOf(t, s.mock.addr, pack(t, s.mock.abi, "keepHalf"))),
		"withdrawNative": pack(t, agent.abi, "withdrawNative", a.addr, 1),
		"withdrawToken":  pack(t, agent.abi, "withdrawToken", tok.addr, a.addr, 0),
		"withdrawNft":    pack(t, agent.abi, "withdrawNft", nft.addr, a.addr, 1),
	}
	for name, data := range inner {
		t.Run(name, func(t *testing.T) {
			a.refused(t, "no error", w, "call", agent.addr, 0, data) // by itself
			within := inputOf(t, w.addr, pack(t, w.abi, "call", agent.addr, 0, data))
			a.refused(t, "ReentrancyGuardReentrantCall()", w, "call", agent.addr, 0, execute(s.swap, within))
		})
	}
}

func TestAgentAccountSettings(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	s := a.agentSet(t)
	wantValues(t, a.call(t, s.agent, "owner"), a.addr)
	wantValues(t, a.call(t, s.agent, "policy"), s.policy.addr)
	wantValues(t, a.call(t, s.agent, "receipts"), s.receipts.addr)
	stranger := fmt.Sprintf("OwnableUnauthorizedAccount(%s)", b.addr)
	b.refused(t, stranger, s.agent, "setPolicyEngine", s.policy.addr)
	b.refused(t, stranger, s.agent, "setReceiptRegistry", s.receipts.addr)
	a.refused(t, fmt.Sprintf("InvalidPolicyEngine(%s)", nobody), s.agent, "setPolicyEngine", nobody)
	a.refused(t, fmt.Sprintf("InvalidPolicyEngine(%s)", b.addr), s.agent, "setPolicyEngine", b.addr)
	a.refused(t, fmt.Sprintf("InvalidReceiptRegistry(%s)", b.addr), s.agent, "setReceiptRegistry", b.addr)

	// Another policy holds at once.
	strict := a.deploy(t, contracts.PolicyEngine, a.addr)
	wantEvents(t, a.send(t, s.agent, "setPolicyEngine", strict.addr), fmt.Sprintf("AgentAccount.PolicyEngineSet(%s)", strict.addr))
	wantValues(t, a.call(t, s.agent, "policy"), strict.addr)
	a.refused(t, fmt.Sprintf("ModuleNotAllowed(%s)", s.swap.addr), s.agent, "executeSkill", s.swap.addr,
		inputOf(t, s.mock.addr, pack(t, s.mock.abi, "keepHalf")), 0, hash("t"), hash("s"), "")
	fresh := a.deploy(t, contracts.ReceiptRegistry)
	wantEvents(t, a.send(t, s.agent, "setReceiptRegistry", fresh.addr), fmt.Sprintf("AgentAccount.ReceiptRegistrySet(%s)", fresh.addr))
	wantValues(t, a.call(t, s.agent, "receipts"), fresh.addr)
	testOwnership(t, a, b, s.agent)

	a.refusedDeploy(t, fmt.Sprintf("OwnableInvalidOwner(%s)", nobody), contracts.AgentAccount, nobody, s.policy.addr, nobody)
	a.refusedDeploy(t, fmt.Sprintf("InvalidPolicyEngine(%s)", nobody), contracts.AgentAccount, a.addr, nobody, nobody)
	a.refusedDeploy(t, fmt.Sprintf("InvalidReceiptRegistry(%s)", b.addr), contracts.AgentAccount, a.addr, s.policy.addr, b.addr)
	a.deploy(t, contracts.AgentAccount, a.addr, s.policy.addr, nobody)
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	s := a.agentSet(t)
	stranger := fmt.Sprintf("OwnableUnauthorizedAccount(%s)", b.addr)
	invalid := fmt.Sprintf("InvalidRecipient(%s)", nobody)

	wantEvents(t, b.paying(100).raw(t, &s.agent.addr, nil), fmt.Sprintf("AgentAccount.Deposited(%s, 100)", b.addr))
	before := balance(t, b.addr)
	wantEvents(t, a.send(t, s.agent, "withdrawNative", b.addr, 60), fmt.Sprintf("AgentAccount.NativeWithdrawn(%s, 60)", b.addr))
	if got := new(big.Int).Sub(balance(t, b.addr), before); got.Int64() != 60 {
		t.Errorf("%s came out", got)
	}
	b.refused(t, stranger, s.agent, "withdrawNative", b.addr, 1)
	a.refused(t, invalid, s.agent, "withdrawNative", nobody, 1)
	a.refused(t, "InsufficientBalance(40, 41)", s.agent, "withdrawNative", b.addr, 41)
	w := a.fixture(t, "Wallet")
	a.send(t, w, "setRefusing", true)
	a.refused(t, reasonNoThanks, s.agent, "withdrawNative", w.addr, 1)

	tok := a.fixture(t, "Token")
	a.send(t, tok, "mint", s.agent.addr, 9)
	wantEvents(t, a.send(t, s.agent, "withdrawToken", tok.addr, b.addr, 9),
		fmt.Sprintf("AgentAccount.TokenWithdrawn(%s, %s, 9)", tok.addr, b.addr),
		fmt.Sprintf("Token.Transfer(%s, %s, 9)", s.agent.addr, b.addr))
	b.refused(t, stranger, s.agent, "withdrawToken", tok.addr, b.addr, 0)
	a.refused(t, invalid, s.agent, "withdrawToken", tok.addr, nobody, 0)
	a.send(t, tok, "setMode", uint8(4))
	a.refused(t, fmt.Sprintf("SafeERC20FailedOperation(%s)", tok.addr), s.agent, "withdrawToken", tok.addr, b.addr, 0)

	nft := a.deploy(t, contracts.SkillNFT)
	a.send(t, nft, "mintSkill", 0)
	a.send(t, nft, "safeTransferFrom", a.addr, s.agent.addr, 1)
	wantValues(t, a.call(t, nft, "ownerOf", 1), s.agent.addr)
	b.refused(t, stranger, s.agent, "withdrawNft", nft.addr, b.addr, 1)
	a.refused(t, fmt.Sprintf("ERC721InvalidReceiver(%s)", nobody), s.agent, "withdrawNft", nft.addr, nobody, 1)
	wantEvents(t, a.send(t, s.agent, "withdrawNft", nft.addr, b.addr, 1),
		fmt.Sprintf("AgentAccount.NftWithdrawn(%s, %s, 1)", nft.addr, b.addr),
		fmt.Sprintf("SkillNFT.Transfer(%s, %s, 1)", s.agent.addr, b.addr))
	wantValues(t, a.call(t, s.agent, "onERC721Received", nobody, nobody, 0, []byte{}), [4]byte{0x15, 0x0b, 0x7a, 0x02})
}

// Each module, called by an account that is nobody's contract.
func TestModules(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	s := a.agentSet(t)
	w := a.fixture(t, "Wallet")
	ping := pack(t, s.mock.abi, "ping", hash("x"))
	sel := hexutil.Encode(ping[:4])
	input := inputOf(t, s.mock.addr, ping)
	for event, m := range map[string]contract{
		"SwapModule.SwapExecuted": s.swap, "BridgeModule.BridgeExecuted": s.bridge, "NftBuyModule.NftBuyExecuted": s.buy,
	} {
		wantValues(t, a.paying(3).call(t, m, "execute", a.addr, input), hash("x").Bytes())
		wantEvents(t, a.paying(3).send(t, m, "execute", a.addr, input),
			fmt.Sprintf("MockTarget.Called(%s, %s, 3)", m.addr, sel),
			fmt.Sprintf("%s(%s, %s, %s, 3)", event, a.addr, s.mock.addr, sel))
		a.refused(t, fmt.Sprintf("NotAgentAccount(%s, %s)", b.addr, a.addr), m, "execute", b.addr, input)
		a.refused(t, "MalformedInput()", m, "execute", a.addr, []byte{})
		a.refused(t, "MissingSelector()", m, "execute", a.addr, inputOf(t, s.mock.addr, ping[:3]))
		a.refused(t, fmt.Sprintf("TargetWithoutCode(%s)", b.addr), m, "execute", a.addr, inputOf(t, b.addr, ping))
		a.refused(t, "Refused(3)", m, "execute", a.addr, inputOf(t, s.mock.addr, pack(t, s.mock.abi, "refuse", 3)))
		a.paying(1).refusedRaw(t, fmt.Sprintf("UnexpectedPayment(%s)", a.addr), &m.addr, nil)

		// What is left over goes back, or nothing happens at all.
		half := inputOf(t, s.mock.addr, pack(t, s.mock.abi, "keepHalf"))
		execute := pack(t, m.abi, "execute", w.addr, half)
		a.paying(8).send(t, w, "call", m.addr, 8, execute)
		if got := balance(t, w.addr); got.Int64() != 4 {
			t.Errorf("%s: %s came back of 8", event, got)
		}
		a.send(t, w, "setRefusing", true)
		a.refused(t, fmt.Sprintf("RefundRefused(%s, 2)", w.addr), w, "call", m.addr, 4, execute)
		a.send(t, w, "setRefusing", false)
		a.send(t, w, "call", s.mock.addr, 4, pack(t, s.mock.abi, "ping", hash("rest")))

		// A call that comes back into the module is refused.
		again := inputOf(t, w.addr, pack(t, w.abi, "call", m.addr, 0, execute))
		a.refused(t, "ReentrancyGuardReentrantCall()", m, "execute", a.addr, again)
	}
}
