package contracts_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

func (a actor) vault(t *testing.T, members []common.Address, shares ...int64) contract {
	t.Helper()
	return a.deploy(t, contracts.PodVault, members, numbers(shares...))
}

func numbers(ns ...int64) []*big.Int {
	all := []*big.Int{}
	for _, n := range ns {
		all = append(all, big.NewInt(n))
	}
	return all
}

func TestVaultMembers(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	v := a.vault(t, []common.Address{a.addr, b.addr}, 1, 3)
	wantValues(t, a.call(t, v, "memberCount"), 2)
	wantValues(t, a.call(t, v, "memberAt", 0), a.addr)
	wantValues(t, a.call(t, v, "memberAt", 1), b.addr)
	wantValues(t, a.call(t, v, "shares", a.addr), 1)
	wantValues(t, a.call(t, v, "shares", b.addr), 3)
	wantValues(t, a.call(t, v, "shares", v.addr), 0)
	wantValues(t, a.call(t, v, "totalShares"), 4)
	wantValues(t, a.call(t, v, "MAX_MEMBERS"), 64)
	a.refused(t, `"out-of-bounds access of an array or bytesN"`, v, "memberAt", 2)
}

func TestVaultConstructor(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	many := make([]common.Address, 65)
	ones := make([]int64, 65)
	for i := range many {
		many[i], ones[i] = common.BigToAddress(big.NewInt(int64(i+1))), 1
	}
	max := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	for _, c := range []struct {
		want    string
		members []common.Address
		shares  []*big.Int
	}{
		{"no error", many[:64], numbers(ones[:64]...)},
		{"TooManyMembers(65)", many, numbers(ones...)},
		{"NoMembers()", nil, nil},
		{"SharesDoNotMatchMembers(2, 1)", many[:2], numbers(1)},
		{"SharesDoNotMatchMembers(0, 1)", nil, numbers(1)},
		{fmt.Sprintf("InvalidMember(%s)", nobody), []common.Address{a.addr, nobody}, numbers(1, 1)},
		{fmt.Sprintf("ZeroShares(%s)", b.addr), []common.Address{a.addr, b.addr}, numbers(1, 0)},
		{fmt.Sprintf("DuplicateMember(%s)", a.addr), []common.Address{a.addr, b.addr, a.addr}, numbers(1, 1, 1)},
		{`"arithmetic underflow or overflow"`, []common.Address{a.addr, b.addr}, []*big.Int{max, big.NewInt(1)}},
		{"no error", []common.Address{a.addr}, []*big.Int{max}},
	} {
		a.refusedDeploy(t, c.want, contracts.PodVault, c.members, c.shares)
	}
	// The most members that are taken fit a block, and are told apart.
	r := a.raw(t, nil, append(contracts.InitCode(contracts.PodVault), pack(t, contracts.ABI(contracts.PodVault), "", many[:64], numbers(ones[:64]...))...))
	if len(r.Logs) != 64 {
		t.Errorf("%d members were told", len(r.Logs))
	}
}

// A vault can't be made a member of itself: each payment to itself would count
// as received again.
func TestVaultIsNoMember(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	own := created(a, a.nonce)
	a.refusedDeploy(t, fmt.Sprintf("InvalidMember(%s)", own), contracts.PodVault, []common.Address{own}, numbers(1))
}

func TestVaultStartsWithMoney(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	ab := contracts.ABI(contracts.PodVault)
	init := append(contracts.InitCode(contracts.PodVault), pack(t, ab, "", []common.Address{a.addr, b.addr}, numbers(1, 1))...)
	at := created(a, a.nonce)
	labels.Store(at, "PodVault")
	wantEvents(t, a.paying(11).raw(t, nil, init),
		fmt.Sprintf("PodVault.MemberAdded(%s, 1)", a.addr),
		fmt.Sprintf("PodVault.MemberAdded(%s, 1)", b.addr),
		fmt.Sprintf("PodVault.PaymentReceived(%s, 11)", a.addr))
	wantValues(t, a.call(t, contract{ab, at}, "pendingNative", b.addr), 5)
}

func TestVaultNative(t *testing.T) {
	t.Parallel()
	a, b, c := newActor(t), newActor(t), newActor(t)
	v := a.vault(t, []common.Address{a.addr, b.addr}, 1, 2)
	wantEvents(t, c.paying(100).raw(t, &v.addr, nil), fmt.Sprintf("PodVault.PaymentReceived(%s, 100)", c.addr))
	wantValues(t, a.call(t, v, "pendingNative", a.addr), 33)
	wantValues(t, a.call(t, v, "pendingNative", b.addr), 66)
	a.refused(t, fmt.Sprintf("NotAMember(%s)", c.addr), v, "pendingNative", c.addr)
	a.refused(t, fmt.Sprintf("NotAMember(%s)", c.addr), v, "releaseNative", c.addr)

	// Anyone may release for a member; the money goes to the member.
	before := balance(t, b.addr)
	wantEvents(t, c.send(t, v, "releaseNative", b.addr), fmt.Sprintf("PodVault.PaymentReleased(%s, 66)", b.addr))
	if got := new(big.Int).Sub(balance(t, b.addr), before); got.Int64() != 66 {
		t.Errorf("the member got %s", got)
	}
	wantValues(t, a.call(t, v, "releasedNative", b.addr), 66)
	wantValues(t, a.call(t, v, "totalReleasedNative"), 66)
	wantValues(t, a.call(t, v, "pendingNative", a.addr), 33) // as before
	wantValues(t, a.call(t, v, "pendingNative", b.addr), 0)
	c.refused(t, fmt.Sprintf("NothingToRelease(%s)", b.addr), v, "releaseNative", b.addr)

	// What comes later is shared as all that came: 200 in all, 66 and 133.
	c.paying(100).raw(t, &v.addr, nil)
	wantValues(t, a.call(t, v, "pendingNative", a.addr), 66)
	wantValues(t, a.call(t, v, "pendingNative", b.addr), 67)
	a.send(t, v, "releaseNative", a.addr)
	a.send(t, v, "releaseNative", b.addr)
	if got := balance(t, v.addr); got.Int64() != 1 {
		t.Errorf("%s stays in the vault, want the odd one", got)
	}
	a.paying(1).refused(t, "nothing", v, "releaseNative", a.addr)
}

// A member that refuses stops nobody else, and is not paid behind its back.
func TestVaultMemberRefuses(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	w := a.fixture(t, "Wallet")
	v := a.vault(t, []common.Address{a.addr, w.addr}, 1, 1)
	a.paying(10).raw(t, &v.addr, nil)
	a.send(t, w, "setRefusing", true)
	a.refused(t, reasonNoThanks, v, "releaseNative", w.addr)
	a.send(t, v, "releaseNative", a.addr)
	wantValues(t, a.call(t, v, "pendingNative", w.addr), 5)
	a.send(t, w, "setRefusing", false)
	a.send(t, v, "releaseNative", w.addr)
	if got := balance(t, w.addr); got.Int64() != 5 {
		t.Errorf("the member has %s", got)
	}
}

// Royalties are paid by contracts that send little gas along.
func TestReceiveIsCheap(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	v := a.vault(t, []common.Address{a.addr}, 1)
	account := a.agentSet(t).agent
	for name, to := range map[string]common.Address{"PodVault": v.addr, "AgentAccount": account.addr} {
		if r := a.paying(1).raw(t, &to, nil); r.GasUsed > 21_000+2_300 {
			t.Errorf("%s takes %d gas to receive, more than a transfer's 2300", name, r.GasUsed-21_000)
		}
	}
}

func TestVaultToken(t *testing.T) {
	t.Parallel()
	a, b, c := newActor(t), newActor(t), newActor(t)
	tok := a.fixture(t, "Token")
	v := a.vault(t, []common.Address{a.addr, b.addr}, 1, 2)
	a.send(t, tok, "mint", v.addr, 100)
	wantValues(t, a.call(t, v, "pendingToken", tok.addr, a.addr), 33)
	wantValues(t, a.call(t, v, "pendingToken", tok.addr, b.addr), 66)
	wantEvents(t, c.send(t, v, "releaseToken", tok.addr, b.addr),
		fmt.Sprintf("Token.Transfer(%s, %s, 66)", v.addr, b.addr),
		fmt.Sprintf("PodVault.ERC20PaymentReleased(%s, %s, 66)", tok.addr, b.addr))
	wantValues(t, a.call(t, tok, "balanceOf", b.addr), 66)
	wantValues(t, a.call(t, v, "releasedToken", tok.addr, b.addr), 66)
	wantValues(t, a.call(t, v, "totalReleasedToken", tok.addr), 66)
	wantValues(t, a.call(t, v, "pendingToken", tok.addr, b.addr), 0)

	a.refused(t, fmt.Sprintf("NothingToRelease(%s)", b.addr), v, "releaseToken", tok.addr, b.addr)
	a.refused(t, fmt.Sprintf("NotAMember(%s)", c.addr), v, "releaseToken", tok.addr, c.addr)
	a.refused(t, fmt.Sprintf("NotAMember(%s)", c.addr), v, "pendingToken", tok.addr, c.addr)
	a.refused(t, "nothing", v, "pendingToken", c.addr, a.addr) // no token at all
	a.refused(t, "nothing", v, "releaseToken", c.addr, a.addr)

	// Another token, and native currency, are accounts of their own.
	other := a.fixture(t, "Token")
	a.send(t, other, "mint", v.addr, 9)
	wantValues(t, a.call(t, v, "pendingToken", other.addr, b.addr), 6)
	wantValues(t, a.call(t, v, "pendingNative", b.addr), 0)
}

func TestVaultOddTokens(t *testing.T) {
	t.Parallel()
	const feeOnTop, feeOnTransfer, frozen, refusing = 1, 2, 3, 4
	a, b := newActor(t), newActor(t)
	v := a.vault(t, []common.Address{a.addr, b.addr}, 1, 1)
	token := func(mode int, amount int) contract {
		tok := a.fixture(t, "Token")
		a.send(t, tok, "mint", v.addr, amount)
		a.send(t, tok, "setMode", uint8(mode))
		return tok
	}
	t.Run("takes more than it was asked for", func(t *testing.T) {
		tok := token(feeOnTop, 200)
		wantEvents(t, a.send(t, v, "releaseToken", tok.addr, a.addr),
			fmt.Sprintf("Token.Transfer(%s, %s, 10)", v.addr, nobody),
			fmt.Sprintf("Token.Transfer(%s, %s, 100)", v.addr, a.addr),
			fmt.Sprintf("PodVault.ERC20PaymentReleased(%s, %s, 110)", tok.addr, a.addr))
		// The one who was paid bears it: of 20 more, 5 are theirs and 10 not.
		wantValues(t, a.call(t, v, "pendingToken", tok.addr, a.addr), 0)
		wantValues(t, a.call(t, v, "pendingToken", tok.addr, b.addr), 90) // 100, but 90 are there
		a.send(t, tok, "mint", v.addr, 30)
		wantValues(t, a.call(t, v, "pendingToken", tok.addr, a.addr), 5)
		wantValues(t, a.call(t, v, "pendingToken", tok.addr, b.addr), 115)
	})
	t.Run("delivers less", func(t *testing.T) {
		tok := token(feeOnTransfer, 200)
		a.send(t, v, "releaseToken", tok.addr, a.addr)
		wantValues(t, a.call(t, tok, "balanceOf", a.addr), 90)
		wantValues(t, a.call(t, v, "releasedToken", tok.addr, a.addr), 100)
		wantValues(t, a.call(t, v, "pendingToken", tok.addr, b.addr), 100)
	})
	t.Run("moves nothing", func(t *testing.T) {
		tok := token(frozen, 200)
		a.refused(t, fmt.Sprintf("TokenNotMoved(%s)", tok.addr), v, "releaseToken", tok.addr, a.addr)
	})
	t.Run("says no", func(t *testing.T) {
		tok := token(refusing, 200)
		a.refused(t, fmt.Sprintf("SafeERC20FailedOperation(%s)", tok.addr), v, "releaseToken", tok.addr, a.addr)
	})
	t.Run("shrinks", func(t *testing.T) {
		tok := token(0, 200)
		a.send(t, v, "releaseToken", tok.addr, a.addr)
		a.send(t, tok, "burn", v.addr, 60) // 40 are left of 140: 70 each, and one had 100
		wantValues(t, a.call(t, v, "pendingToken", tok.addr, a.addr), 0)
		wantValues(t, a.call(t, v, "pendingToken", tok.addr, b.addr), 40)
		a.send(t, v, "releaseToken", tok.addr, b.addr)
		wantValues(t, a.call(t, tok, "balanceOf", b.addr), 40)
		a.refused(t, fmt.Sprintf("NothingToRelease(%s)", b.addr), v, "releaseToken", tok.addr, b.addr)
	})
	t.Run("is without end", func(t *testing.T) {
		tok := token(0, 2)
		max := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
		a.send(t, v, "releaseToken", tok.addr, a.addr)
		a.send(t, tok, "mint", v.addr, new(big.Int).Sub(max, big.NewInt(2)))
		half := new(big.Int).Rsh(max, 1)
		wantValues(t, a.call(t, v, "pendingToken", tok.addr, b.addr), half)
		a.send(t, v, "releaseToken", tok.addr, b.addr)
		a.send(t, v, "releaseToken", tok.addr, a.addr)
		// More comes in than can be counted: shares are of what can.
		a.send(t, tok, "burn", b.addr, half)
		a.send(t, tok, "mint", v.addr, half)
		wantValues(t, a.call(t, v, "pendingToken", tok.addr, b.addr), 0)
	})
}
