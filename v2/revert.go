package v2

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// maxReason is the most runes of a contract's own text that a sentence shows.
const maxReason = 160

// Explain says why a call was reverted, from the data that it returned: the name
// of the error, "" where it is none that is known here, and a sentence for
// people. What a contract wrote itself stands in quotes, cut and cleaned. Any
// contract can return any error: the sentence is what was said, not what is true.
func Explain(data []byte) (name, sentence string) {
	if len(data) == 0 {
		return "", "the contract gave no reason"
	}
	if len(data) < 4 {
		return "", "the contract gave a reason that is no error: " + hexutil.Encode(data)
	}
	for _, r := range reverts() {
		if r.selector == [4]byte(data[:4]) {
			return r.name, r.sentence(data[4:])
		}
	}
	return "", "the contract gave an error that is not known here: " + hexutil.Encode(data[:4])
}

// revert is an error that contracts return, and what it means.
type revert struct {
	selector [4]byte
	name     string
	args     abi.Arguments
	means    string // with %1, %2 for the arguments, %1a for an amount in APE, %1t for a time
}

// newRevert reads an error as Solidity writes its signature.
func newRevert(signature, means string) (revert, error) {
	name, list, ok := strings.Cut(strings.TrimSuffix(signature, ")"), "(")
	if !ok {
		return revert{}, fmt.Errorf("%q is no signature", signature)
	}
	r := revert{selector: [4]byte(crypto.Keccak256([]byte(signature))), name: name, means: means}
	for word := range strings.SplitSeq(list, ",") {
		if word == "" {
			continue
		}
		t, err := abi.NewType(word, "", nil)
		if err != nil {
			return revert{}, err
		}
		r.args = append(r.args, abi.Argument{Type: t})
	}
	return r, nil
}

// sentence puts the arguments into what the error means.
func (r revert) sentence(data []byte) string {
	values, err := r.args.UnpackValues(data)
	if err != nil {
		return fmt.Sprintf("the contract gave the error %s with arguments that can't be read", r.name)
	}
	if n, ok := one[*big.Int](values); ok && r.name == "Panic" {
		return panics(n)
	}
	pairs := []string{}
	for i, v := range values {
		n, ok := v.(*big.Int)
		if seconds, is := v.(uint64); is {
			n, ok = new(big.Int).SetUint64(seconds), true
		}
		if ok {
			if w, err := units.FromBig(n); err == nil {
				pairs = append(pairs, fmt.Sprintf("%%%da", i+1), ape(w))
			}
			if n.IsUint64() {
				pairs = append(pairs, fmt.Sprintf("%%%dt", i+1), instant(n.Uint64()))
			}
		}
		pairs = append(pairs, fmt.Sprintf("%%%d", i+1), word(v))
	}
	return strings.NewReplacer(pairs...).Replace(r.means)
}

// one returns the only value of a list, if it is of that type.
func one[T any](values []any) (v T, ok bool) {
	if len(values) != 1 {
		return v, false
	}
	v, ok = values[0].(T)
	return v, ok
}

// word is a value as a sentence has it.
func word(v any) string {
	switch v := v.(type) {
	case common.Address:
		return v.Hex()
	case [32]byte:
		return hexutil.Encode(v[:])
	case [4]byte:
		return hexutil.Encode(v[:])
	case string:
		return fault.Excerpt(v, maxReason)
	}
	return fmt.Sprint(v)
}

// panics says what a Panic(uint256) of Solidity means.
func panics(code *big.Int) string {
	means := map[uint64]string{
		0x00: "for a reason that its compiler does not name", 0x01: "at an assertion", 0x11: "at an overflow or underflow of a number", 0x12: "at a division by zero",
		0x21: "at a value that its enum does not have", 0x22: "at bytes that are stored wrongly", 0x31: "at an empty list", 0x32: "at an index beyond a list's end",
		0x41: "at more memory than there is", 0x51: "at a function that is not set",
	}
	if code.IsUint64() && means[code.Uint64()] != "" {
		return fmt.Sprintf("the contract gave up %s (panic 0x%02x)", means[code.Uint64()], code.Uint64())
	}
	return "the contract gave up with a panic that is not known here: " + fault.Excerpt("0x"+code.Text(16), 70)
}
