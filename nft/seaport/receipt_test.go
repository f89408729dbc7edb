package seaport_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/nft/seaport"
)

func event(t *testing.T, at common.Address, hash common.Hash, to common.Address) *types.Log {
	t.Helper()
	parsed := sp.GetABI()
	e := parsed.Events["OrderFulfilled"]
	data, err := e.Inputs.NonIndexed().Pack([32]byte(hash), to, []seaport.SpentItem{}, []seaport.ReceivedItem{})
	if err != nil {
		t.Fatal(err)
	}
	return &types.Log{Address: at, Topics: []common.Hash{e.ID, common.BytesToHash(seller[:]), {}}, Data: data}
}

func transfer(at, from, to common.Address, id *big.Int) *types.Log {
	return &types.Log{Address: at, Topics: []common.Hash{crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")),
		common.BytesToHash(from[:]), common.BytesToHash(to[:]), common.BigToHash(id)}}
}

func TestBought(t *testing.T) {
	t.Parallel()
	w := wanted(order())
	filled, moved := event(t, seaport.Address, w.OrderHash, buyer), transfer(token, seller, buyer, n(7))
	short := transfer(token, seller, buyer, n(7))
	short.Topics = short.Topics[:3] // an ERC-20's Transfer
	for name, tt := range map[string]struct {
		logs []*types.Log
		ok   bool
	}{
		"both":                      {[]*types.Log{filled, moved}, true},
		"among others":              {[]*types.Log{transfer(other, seller, buyer, n(7)), moved, event(t, other, w.OrderHash, buyer), filled}, true},
		"nothing":                   {nil, false},
		"a log that is not there":   {[]*types.Log{nil, filled, nil, moved}, true},
		"only such":                 {[]*types.Log{nil}, false},
		"only filled":               {[]*types.Log{filled}, false},
		"only moved":                {[]*types.Log{moved}, false},
		"filled by another":         {[]*types.Log{event(t, other, w.OrderHash, buyer), moved}, false},
		"another order":             {[]*types.Log{event(t, seaport.Address, common.Hash{1}, buyer), moved}, false},
		"for another":               {[]*types.Log{event(t, seaport.Address, w.OrderHash, other), moved}, false},
		"another contract's token":  {[]*types.Log{filled, transfer(other, seller, buyer, n(7))}, false},
		"another token":             {[]*types.Log{filled, transfer(token, seller, buyer, n(8))}, false},
		"to another":                {[]*types.Log{filled, transfer(token, seller, other, n(7))}, false},
		"an amount, not a token":    {[]*types.Log{filled, short}, false},
		"filled without its topics": {[]*types.Log{{Address: seaport.Address}, moved}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := seaport.Bought(tt.logs, w)
			if (err == nil) != tt.ok || err != nil && !errors.Is(err, seaport.ErrNotBought) {
				t.Fatalf("err = %v, expected ok = %v", err, tt.ok)
			}
		})
	}
}

func TestUnpackAddress(t *testing.T) {
	t.Parallel()
	good := common.BytesToHash(buyer[:]).Bytes()
	if a, err := seaport.UnpackAddress(good); err != nil || a != buyer {
		t.Fatal(a, err)
	}
	dirty := append([]byte{}, good...)
	dirty[0] = 1
	for _, bad := range [][]byte{nil, good[:31], dirty, append(good, 0)} {
		if _, err := seaport.UnpackAddress(bad); err == nil {
			t.Errorf("%x accepted", bad)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	sel := func(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }
	said := func(s string) []byte {
		w := append(sel("Error(string)"), common.BigToHash(n(32)).Bytes()...)
		w = append(w, common.BigToHash(n(int64(len(s)))).Bytes()...)
		return append(w, common.RightPadBytes([]byte(s), (len(s)+31)/32*32)...)
	}
	for name, tt := range map[string]struct {
		data         []byte
		name, reason string
		token        bool
	}{
		"filled":        {append(sel("OrderAlreadyFilled(bytes32)"), make([]byte, 32)...), "OrderAlreadyFilled", "the order was already filled: somebody bought the token", false},
		"cancelled":     {append(sel("OrderIsCancelled(bytes32)"), make([]byte, 32)...), "OrderIsCancelled", "the seller cancelled the order", false},
		"rare":          {sel("TStoreNotSupported()"), "TStoreNotSupported", "the chain lacks the storage for one transaction that Seaport asks for", false},
		"owner":         {append(sel("ERC721IncorrectOwner(address,uint256,address)"), make([]byte, 96)...), "ERC721IncorrectOwner", "the seller no longer owns the token", true},
		"a sentence":    {said("ERC721: not owner"), "Error", `a contract refuses: "ERC721: not owner"`, true},
		"a trap":        {said("\x1b[2Jpay\nme"), "Error", `a contract refuses: "?[2Jpay?me"`, true},
		"unknown":       {[]byte{1, 2, 3, 4, 5}, "0x01020304", "a contract refuses with the unknown error 0x01020304", true},
		"nothing":       {nil, "unknown", "the call reverts without a reason", false},
		"less than one": {[]byte{1}, "unknown", "the call reverts without a reason", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := seaport.Explain(tt.data)
			if want := (seaport.Revert{Name: tt.name, Reason: tt.reason, Token: tt.token}); got != want {
				t.Fatalf("got %+v, expected %+v", got, want)
			}
		})
	}
}

// TestEveryErrorHasWords: whatever Seaport reverts with is a sentence, and no
// sentence is for an error that it does not have.
func TestEveryErrorHasWords(t *testing.T) {
	t.Parallel()
	said := map[string]string{}
	for name, e := range seaport.Contract().GetABI().Errors {
		got := seaport.Explain(append(e.ID.Bytes()[:4], make([]byte, 32*len(e.Inputs))...))
		if got.Name != name || got.Token || strings.Contains(got.Reason, name) || !strings.Contains(got.Reason, " ") || got.Reason != strings.TrimSpace(got.Reason) {
			t.Errorf("%s: %+v", name, got)
		}
		said[name] = got.Reason
	}
	if len(said) < 40 {
		t.Errorf("the ABI has %d errors", len(said))
	}
}
