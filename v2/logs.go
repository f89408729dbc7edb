package v2

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

// event reads what the called contract told of the transaction, by its argument
// names: the event of a name that says what was asked for. Logs of other contracts are
// none of it. There may be several, since an account that has code may call the
// contract again from within the call (ERC-721 has it asked whether it takes a token).
// Then the first is meant: our contracts write it before they call anybody, or let
// nobody in meanwhile. Of another contract that is not known.
func (m mined) event(name string, asked map[string]any) (map[string]any, error) {
	e, ok := contracts.ABI(m.Contract.Name).Events[name]
	if !ok {
		return nil, fmt.Errorf("%s has no event %s", m.Contract.Name, name)
	}
	var found map[string]any
	var other error // why the first that does not fit does not
	for _, l := range m.Receipt.Logs {
		if l.Address != common.HexToAddress(m.Contract.Address) || len(l.Topics) == 0 || l.Topics[0] != e.ID {
			continue
		}
		v, err := readLog(e, l)
		if err != nil {
			return nil, fmt.Errorf("%s of %s can't be read: %w", name, m.Contract.Name, err)
		}
		if err := want(v, asked); err != nil {
			other = cmp.Or(other, err)
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("the transaction was mined, and %s at %s, whose code is not known here, told of more than one %s that fits: which of them is meant can't be told",
				m.Contract.Name, m.Contract.Address, name)
		}
		if found = v; m.Contract.Known {
			break
		}
	}
	switch {
	case found != nil:
		return found, nil
	case other != nil:
		return nil, other
	}
	return nil, fmt.Errorf("the transaction was mined, and %s at %s told of no %s", m.Contract.Name, m.Contract.Address, name)
}

func readLog(e abi.Event, l *types.Log) (map[string]any, error) {
	out := map[string]any{}
	var indexed abi.Arguments
	for _, a := range e.Inputs {
		if a.Indexed {
			indexed = append(indexed, a)
		}
	}
	if len(l.Topics) != len(indexed)+1 {
		return nil, fmt.Errorf("%d topics", len(l.Topics))
	}
	if err := abi.ParseTopicsIntoMap(out, indexed, l.Topics[1:]); err != nil {
		return nil, err
	}
	if err := e.Inputs.NonIndexed().UnpackIntoMap(out, l.Data); err != nil && len(e.Inputs.NonIndexed()) > 0 {
		return nil, err
	}
	return out, nil
}

// want reports the first argument of an event that is not what was asked for.
func want(got map[string]any, asked map[string]any) error {
	for name, v := range asked {
		if !same(got[name], v) {
			return fmt.Errorf("the transaction was mined, and its event says that %s is %v where %v was asked for", name, word(got[name]), word(v))
		}
	}
	return nil
}

func same(a, b any) bool {
	x, ok := a.(*big.Int)
	y, both := b.(*big.Int)
	if ok && both {
		return x.Cmp(y) == 0
	}
	if h, ok := b.(common.Hash); ok {
		b = [32]byte(h)
	}
	if s, ok := a.(string); ok {
		t, ok := b.(string)
		return ok && strings.Compare(s, t) == 0
	}
	return a == b
}
