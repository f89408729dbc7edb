package v2_test

import (
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// reverted is the data of a revert with an error of that signature.
func reverted(t *testing.T, signature string, values ...any) []byte {
	t.Helper()
	var args abi.Arguments
	_, list, _ := strings.Cut(strings.TrimSuffix(signature, ")"), "(")
	for word := range strings.SplitSeq(list, ",") {
		if word == "" {
			continue
		}
		kind, err := abi.NewType(word, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, abi.Argument{Type: kind})
	}
	data, err := args.Pack(values...)
	if err != nil {
		t.Fatal(err)
	}
	return append(crypto.Keccak256([]byte(signature))[:4], data...)
}

func TestExplain(t *testing.T) {
	t.Parallel()
	who := common.HexToAddress("0x00000000219ab540356cBB839Cbe05303d7705Fa")
	for _, tc := range []struct {
		data           []byte
		name, sentence string
	}{
		{nil, "", "the contract gave no reason"},
		{[]byte{1, 2}, "", "the contract gave a reason that is no error: 0x0102"},
		{[]byte{1, 2, 3, 4, 5}, "", "the contract gave an error that is not known here: 0x01020304"},
		{reverted(t, "Error(string)", "no %1 \u202e\x1b[31m\nfunds"), "Error", `the contract says "no %1 [31m funds"`},
		{reverted(t, "Error(string)", strings.Repeat("x", 5000)), "Error", `the contract says "` + strings.Repeat("x", 160) + `…"`},
		{reverted(t, "Panic(uint256)", big.NewInt(0x11)), "Panic", "the contract gave up at an overflow or underflow of a number (panic 0x11)"},
		{reverted(t, "Panic(uint256)", big.NewInt(0x99)), "Panic", "the contract gave up with a panic that is not known here: 0x99"},
		{reverted(t, "OwnableUnauthorizedAccount(address)", who), "OwnableUnauthorizedAccount", who.Hex() + " is not the contract's owner"},
		{reverted(t, "OwnableUnauthorizedAccount(address)", who)[:20], "OwnableUnauthorizedAccount", "the contract gave the error OwnableUnauthorizedAccount with arguments that can't be read"},
		{reverted(t, "InsufficientBalance(uint256,uint256)", big.NewInt(1e17), big.NewInt(2e18)), "InsufficientBalance", "the contract has 0.1 APE and would need 2 APE"},
		{reverted(t, "ExpiryInPast(uint64,uint256)", uint64(1771416000), big.NewInt(1771416001)), "ExpiryInPast",
			"the intent would be over at 2026-02-18 12:00:00 UTC, and on chain it is 2026-02-18 12:00:01 UTC"},
		{reverted(t, "ERC721NonexistentToken(uint256)", big.NewInt(7)), "ERC721NonexistentToken", "there is no skill or token 7"},
	} {
		if name, sentence := v2.Explain(tc.data); name != tc.name || sentence != tc.sentence {
			t.Errorf("Explain(%x) = %q, %q; want %q, %q", tc.data[:min(len(tc.data), 8)], name, sentence, tc.name, tc.sentence)
		}
	}
}

// Every error that a contract of ours can return has a sentence, with all of what it
// names filled in.
func TestExplainKnowsEveryErrorOfOurs(t *testing.T) {
	t.Parallel()
	for _, n := range contracts.Names() {
		for _, e := range contracts.ABI(n).Errors {
			var values []any
			for _, a := range e.Inputs {
				values = append(values, reflect.Zero(a.Type.GetType()).Interface())
				if a.Type.GetType() == reflect.TypeFor[*big.Int]() {
					values[len(values)-1] = big.NewInt(7)
				}
			}
			data, err := e.Inputs.Pack(values...)
			if err != nil {
				t.Fatal(err)
			}
			name, sentence := v2.Explain(append(e.ID[:4:4], data...))
			if name != e.Name || strings.Contains(sentence, "%") || sentence == "" {
				t.Errorf("%s of %s: %q, %q", e.Sig, n, name, sentence)
			}
		}
	}
}

func FuzzExplain(f *testing.F) {
	f.Add([]byte{0x08, 0xc3, 0x79, 0xa0, 1})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, sentence := v2.Explain(data); sentence == "" || len(sentence) > 1000 || strings.ContainsAny(sentence, "\n\x1b\u202e") {
			t.Errorf("Explain(%x) = %q", data, sentence)
		}
	})
}
