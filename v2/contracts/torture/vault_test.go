package torture_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

const vault = contracts.PodVault

// Modes of the attacker.
const (
	record uint8 = iota
	bubble
	silent
)

// Modes of the hostile token's transfer and balanceOf, as it declares them.
const (
	honest uint8 = iota
	returnsNothing
	returnsFalse
	returnsTwo
	returnsShort
	returnsBomb
	reverts
	revertsBomb
	burnsGas
	movesNothing
	movesOneLess
	movesHalf
	feeOffTop
	feeOnTop
	mints
	tellsRecipient
)

const (
	balanceHonest uint8 = iota
	balanceReverts
	balanceShort
	balanceBomb
	balanceBurnsGas
	balanceGrows
	balanceRevertsWhenWarm
	balanceRevertsAfter
)

type (
	members = []common.Address
	parts   = []*big.Int
)

func partsOf(of ...uint64) parts {
	var p parts
	for _, s := range of {
		p = append(p, big64(s))
	}
	return p
}

func vaultConstructor(t *testing.T, w *world) {
	refused := func(who members, of parts, name string, args ...any) {
		t.Helper()
		w.tryDeploy(vault, nil, who, of).fails(vault, name, args...)
	}
	refused(members{}, parts{}, "NoMembers")
	refused(members{alice}, parts{}, "SharesDoNotMatchMembers", big64(1), big64(0))
	refused(members{alice}, partsOf(1, 2), "SharesDoNotMatchMembers", big64(1), big64(2))
	refused(members{alice, zero}, partsOf(1, 1), "InvalidMember", zero)
	refused(members{alice, bob}, partsOf(1, 0), "ZeroShares", bob)
	refused(members{alice, bob, alice}, partsOf(1, 2, 3), "DuplicateMember", alice)
	itself := createAddress(owner, w.state.GetNonce(owner))
	refused(members{itself}, partsOf(1), "InvalidMember", itself)

	var many members
	for i := range 65 {
		many = append(many, common.BigToAddress(big.NewInt(int64(i+1000))))
	}
	ones := make(parts, 65)
	for i := range ones {
		ones[i] = bigOne
	}
	refused(many, ones, "TooManyMembers", big64(65))
	v := w.deploy(vault, many[:64], ones[:64])
	equal(t, "memberCount", amount(w, v, "memberCount"), n(64))
	equal(t, "MAX_MEMBERS", amount(w, v, "MAX_MEMBERS"), n(64))

	// Shares whose sum is no number.
	most := new(big.Int).Sub(new(big.Int).Lsh(bigOne, 256), bigOne)
	w.tryDeploy(vault, nil, members{alice, bob}, parts{most, bigOne}).reverts(panicCode(0x11))
	w.deploy(vault, members{alice}, parts{most})

	r := w.tryDeploy(vault, n(7), members{alice, bob}, partsOf(1, 3)).ok()
	if got := r.event(r.to, "PaymentReceived"); got[0] != owner || got[1].(*big.Int).Int64() != 7 {
		t.Errorf("PaymentReceived%v", got)
	}
	same(t, "the number of MemberAdded", len(r.events(r.to, "MemberAdded")), 2)
	same(t, "memberAt(1)", view[common.Address](w, r.to, "memberAt", bigOne), bob)
	w.call(carol, r.to, "memberAt", big64(2)).reverts(panicCode(0x32))
	equal(t, "shares", amount(w, r.to, "shares", bob), n(3))
	equal(t, "totalShares", amount(w, r.to, "totalShares"), n(4))
	equal(t, "pendingNative", amount(w, r.to, "pendingNative", bob), n(5))
}

func vaultNative(t *testing.T, w *world) {
	v := w.deploy(vault, members{alice, bob}, partsOf(1, 3))
	w.call(carol, v, "releaseNative", alice).fails(vault, "NothingToRelease", alice)
	w.call(carol, v, "pendingNative", carol).fails(vault, "NotAMember", carol)
	w.call(carol, v, "releaseNative", carol).fails(vault, "NotAMember", carol)
	same(t, "payer", w.pay(carol, v, n(1001)).ok().event(v, "PaymentReceived")[0].(common.Address), carol)

	before := w.balance(alice)
	r := w.call(mallory, v, "releaseNative", alice).ok()
	if got := r.event(v, "PaymentReleased"); got[0] != alice || got[1].(*big.Int).Int64() != 250 {
		t.Errorf("PaymentReleased%v", got)
	}
	equal(t, "what alice got", new(uint256.Int).Sub(w.balance(alice), before), n(250))
	w.call(mallory, v, "releaseNative", alice).fails(vault, "NothingToRelease", alice)
	equal(t, "releasedNative", amount(w, v, "releasedNative", alice), n(250))
	equal(t, "totalReleasedNative", amount(w, v, "totalReleasedNative"), n(250))
	w.call(mallory, v, "releaseNative", bob).ok()
	equal(t, "dust", w.balance(v), n(1))

	// What is forced on it belongs to the members too.
	w.tryDeploy(forcer, n(99), v).ok()
	equal(t, "pendingNative", amount(w, v, "pendingNative", bob), n(75))

	// Who pays with a stipend of gas, as old markets pay royalties, can.
	w.send(carol, w.deploy(attacker), n(5), "stipend", v).ok()
	w.send(carol, w.deploy(attacker), n(5), "stipend", newAgency(w, contracts.SwapModule).account).ok()

	// A member who refuses keeps nobody else from theirs.
	a := w.deploy(attacker)
	w.call(mallory, a, "refuse", true).ok()
	v = w.deploy(vault, members{a, bob, w.deploy(bomb)}, partsOf(1, 1, 1))
	w.pay(carol, v, n(900)).ok()
	w.call(carol, v, "releaseNative", a).reverts(sentence("refused"))
	w.call(carol, v, "releaseNative", view[common.Address](w, v, "memberAt", big64(2))).fell()
	w.call(carol, v, "releaseNative", bob).ok()
	equal(t, "what bob left", w.balance(v), n(600))
}

// A member that calls back while it is paid gets its share once, whatever it
// calls.
func vaultReenteredByMember(t *testing.T, w *world) {
	for _, mode := range []uint8{record, bubble} {
		a := w.deploy(attacker)
		tok := w.deploy(hostileToken)
		v := w.deploy(vault, members{a, bob}, partsOf(1, 1))
		w.pay(carol, v, n(1000)).ok()
		w.call(carol, tok, "set", v, big64(1000)).ok()
		for _, data := range [][]byte{
			w.pack(vault, "releaseNative", a), w.pack(vault, "releaseNative", bob),
			w.pack(vault, "releaseToken", tok, a), w.pack(vault, "releaseToken", tok, bob),
		} {
			before := w.state.Copy()
			w.call(mallory, a, "plan", v, data, noID, big64(3), mode).ok()
			r := w.call(mallory, v, "releaseNative", a)
			if mode == bubble {
				r.fails(vault, "ReentrancyGuardReentrantCall")
				equal(t, "the vault", w.balance(v), n(1000))
			} else {
				r.ok()
				equal(t, "what the attacker got", w.balance(a), n(500))
				equal(t, "the vault", w.balance(v), n(500))
				equal(t, "attempts", amount(w, a, "attempts"), n(1))
				equal(t, "successes", amount(w, a, "successes"), n(0))
				equal(t, "tokens of the vault", amount(w, tok, "held", v), n(1000))
			}
			w.state = before
		}
	}
}

// A member that pays back while it is paid is a giver, and gets a share of it.
func vaultPaidWhilePaying(t *testing.T, w *world) {
	a := w.deploy(attacker)
	v := w.deploy(vault, members{a, bob}, partsOf(1, 1))
	w.pay(carol, v, n(1000)).ok()
	w.call(mallory, a, "plan", v, []byte{}, big64(500), bigOne, bubble).ok()
	w.call(mallory, v, "releaseNative", a).ok()
	equal(t, "the vault", w.balance(v), n(1000))
	equal(t, "pending of the giver", amount(w, v, "pendingNative", a), n(250))
	equal(t, "pending of the other", amount(w, v, "pendingNative", bob), n(750))
}

func vaultToken(t *testing.T, w *world) {
	tok := w.deploy(hostileToken)
	v := w.deploy(vault, members{alice, bob}, partsOf(1, 3))
	w.call(carol, v, "releaseToken", tok, alice).fails(vault, "NothingToRelease", alice)
	w.call(carol, v, "pendingToken", tok, carol).fails(vault, "NotAMember", carol)
	w.call(carol, v, "pendingToken", alice, alice).fell() // no token there
	w.call(carol, v, "releaseToken", alice, alice).fell()
	w.call(carol, tok, "set", v, big64(1001)).ok()
	r := w.call(mallory, v, "releaseToken", tok, alice).ok()
	if got := r.event(v, "ERC20PaymentReleased"); got[0] != tok || got[1] != alice || got[2].(*big.Int).Int64() != 250 {
		t.Errorf("ERC20PaymentReleased%v", got)
	}
	w.call(mallory, v, "releaseToken", tok, alice).fails(vault, "NothingToRelease", alice)
	equal(t, "releasedToken", amount(w, v, "releasedToken", tok, alice), n(250))
	equal(t, "totalReleasedToken", amount(w, v, "totalReleasedToken", tok), n(250))
	w.call(mallory, v, "releaseToken", tok, bob).ok()
	equal(t, "dust", amount(w, tok, "held", v), n(1))
	// It shrinks by itself: nobody is due anything, and nothing is broken.
	w.call(carol, tok, "set", v, noID).ok()
	for _, who := range (members{alice, bob}) {
		equal(t, "pendingToken", amount(w, v, "pendingToken", tok, who), n(0))
	}
	w.call(carol, tok, "set", v, big64(400)).ok()
	equal(t, "pendingToken of bob", amount(w, v, "pendingToken", tok, bob), n(300))
}

// Each way in which a token can misbehave, and what the vault wrote down of it.
func vaultHostileTokens(t *testing.T, w *world) {
	for _, c := range []struct {
		name              string
		transfer, balance uint8
		failure           []byte // nil: it succeeds; empty: whatever
		got, written      uint64
	}{
		{"honest", honest, balanceHonest, nil, 500, 500},
		{"returns nothing", returnsNothing, balanceHonest, nil, 500, 500},
		{"returns false", returnsFalse, balanceHonest, []byte{}, 0, 0},
		{"returns two", returnsTwo, balanceHonest, []byte{}, 0, 0},
		{"returns 31 bytes", returnsShort, balanceHonest, []byte{}, 0, 0},
		{"returns a megabyte", returnsBomb, balanceHonest, nil, 500, 500},
		{"reverts", reverts, balanceHonest, sentence("no transfer"), 0, 0},
		{"reverts with a megabyte", revertsBomb, balanceHonest, []byte{}, 0, 0},
		{"burns the gas", burnsGas, balanceHonest, []byte{}, 0, 0},
		{"moves nothing", movesNothing, balanceHonest, []byte{}, 0, 0},
		{"moves one less", movesOneLess, balanceHonest, nil, 499, 500},
		{"moves half", movesHalf, balanceHonest, nil, 250, 500},
		{"takes a fee off", feeOffTop, balanceHonest, nil, 450, 500},
		{"takes a fee on top", feeOnTop, balanceHonest, nil, 500, 550},
		{"gives more", mints, balanceHonest, []byte{}, 0, 0},
		{"tells the recipient", tellsRecipient, balanceHonest, nil, 500, 500},
		{"no balance", honest, balanceReverts, sentence("no balance"), 0, 0},
		{"a balance of 31 bytes", honest, balanceShort, []byte{}, 0, 0},
		{"a balance of a megabyte", honest, balanceBomb, nil, 0, 0},
		{"a balance that burns the gas", honest, balanceBurnsGas, []byte{}, 0, 0},
		{"a balance that grows", honest, balanceGrows, nil, 500, 500},
		{"no balance the second time", honest, balanceRevertsWhenWarm, sentence("no balance"), 0, 0},
		{"no balance afterwards", honest, balanceRevertsAfter, sentence("no balance"), 0, 0},
	} {
		tok := w.deploy(hostileToken)
		v := w.deploy(vault, members{alice, bob}, partsOf(1, 1))
		w.call(carol, tok, "set", v, big64(1000)).ok()
		w.call(carol, tok, "setTransfer", c.transfer).ok()
		w.call(carol, tok, "setBalance", c.balance).ok()
		w.pay(carol, v, n(10)).ok()
		r := w.call(mallory, v, "releaseToken", tok, alice)
		switch {
		case c.failure == nil && c.balance == balanceBomb:
			// It says that there is 1, of which nobody is due half.
			r.fails(vault, "NothingToRelease", alice)
		case c.failure == nil && r.err != nil:
			t.Errorf("%s: it failed: %s", c.name, w.reason(r.ret))
		case c.failure == nil:
		case r.err == nil:
			t.Errorf("%s: it succeeded", c.name)
		case len(c.failure) > 0:
			r.reverts(c.failure)
		}
		equal(t, c.name+": what alice got", amount(w, tok, "held", alice), n(c.got))
		equal(t, c.name+": what is written of alice", amount(w, v, "releasedToken", tok, alice), n(c.written))
		equal(t, c.name+": what is written of all", amount(w, v, "totalReleasedToken", tok), n(c.written))
		// A bad token is nobody's problem with a good one, or with native currency.
		good := w.deploy(hostileToken)
		w.call(carol, good, "set", v, big64(1000)).ok()
		w.call(mallory, v, "releaseToken", good, bob).ok()
		w.call(mallory, v, "releaseNative", bob).ok()
	}
}

// A token that calls back, as ERC-777 does with its recipient.
func vaultReenteredByToken(t *testing.T, w *world) {
	a, tok := w.deploy(attacker), w.deploy(hostileToken)
	v := w.deploy(vault, members{a, bob}, partsOf(1, 1))
	w.pay(carol, v, n(1000)).ok()
	w.call(carol, tok, "set", v, big64(1000)).ok()
	w.call(carol, tok, "setTransfer", tellsRecipient).ok()
	for _, data := range [][]byte{
		w.pack(vault, "releaseNative", a), w.pack(vault, "releaseNative", bob),
		w.pack(vault, "releaseToken", tok, a), w.pack(vault, "releaseToken", tok, bob),
	} {
		w.call(mallory, a, "plan", v, data, noID, bigOne, bubble).ok()
		w.call(mallory, v, "releaseToken", tok, a).fails(vault, "ReentrancyGuardReentrantCall")
	}
	// Looking is allowed, and what is seen meanwhile is what will be.
	for who, due := range map[common.Address]uint64{a: 0, bob: 500} {
		before := w.state.Copy()
		w.call(mallory, a, "plan", v, w.pack(vault, "pendingToken", tok, who), noID, bigOne, bubble).ok()
		w.call(mallory, v, "releaseToken", tok, a).ok()
		equal(t, "what was seen", new(uint256.Int).SetBytes(view[[]byte](w, a, "lastAnswer")), n(due))
		equal(t, "what is so", amount(w, v, "pendingToken", tok, who), n(due))
		w.state = before
	}
	w.call(mallory, a, "plan", zero, []byte{}, noID, noID, record).ok()
	w.call(mallory, v, "releaseToken", tok, a).ok()
	equal(t, "what the attacker got", amount(w, tok, "held", a), n(500))
}

// A recipient who is told of a payment has the vault paid by somebody else
// meanwhile: what came in must not pass for what did not leave.
func vaultPaidWhilePayingTokens(t *testing.T, w *world) {
	a, tok := w.deploy(attacker), w.deploy(hostileToken)
	v := w.deploy(vault, members{a, bob}, partsOf(1, 1))
	other := w.deploy(vault, members{v}, partsOf(1))
	w.call(carol, tok, "set", v, big64(1000)).ok()
	w.call(carol, tok, "set", other, big64(499)).ok()
	w.call(carol, tok, "setTransfer", tellsRecipient).ok()
	// The other vault owes this one 499, which anyone may release, at any time.
	w.call(mallory, a, "plan", other, w.pack(vault, "releaseToken", tok, v), noID, bigOne, bubble).ok()
	w.call(mallory, v, "releaseToken", tok, a).ok()
	equal(t, "what came and left", amount(w, tok, "held", v), n(999))
	w.call(carol, v, "releaseToken", tok, a).ok()
	w.call(carol, v, "releaseToken", tok, bob).ok()
	equal(t, "what the attacker got of 1499", amount(w, tok, "held", a), n(749))
	equal(t, "what bob got", amount(w, tok, "held", bob), n(749))
}
