package bridge

import (
	"bytes"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain/units"
)

// maxItems is more transactions than a route that is taken has: an approval that is
// set to nothing, the exact one, the deposit.
const maxItems = 3

// Calls that a route may make: Relay's depository, and ERC-20.
var (
	selNative  = selector("depositNative(address,bytes32)")
	selERC20   = selector("depositErc20(address,address,uint256,bytes32)")
	selApprove = selector("approve(address,uint256)")
)

func selector(signature string) [4]byte { return [4]byte(crypto.Keccak256([]byte(signature))) }

func word(b []byte) []byte { return common.LeftPadBytes(b, 32) }

func call(sel [4]byte, words ...[]byte) []byte {
	out := append([]byte{}, sel[:]...)
	for _, w := range words {
		out = append(out, word(w)...)
	}
	return out
}

func amountWord(w units.Wei) []byte { b := w.Bytes32(); return b[:] }

// judgeSteps holds every transaction of the quote against the ones that the question
// and the depository allow, which are encoded here.
func (a Ask) judgeSteps(steps []wireStep, depository common.Address, order common.Hash) ([]Step, error) {
	var out []Step
	for _, s := range steps {
		switch {
		case len(s.Items) == 0:
			continue // nothing is to be done
		case s.Kind == "signature":
			return nil, unsafe("its step %s asks for a signature, which may allow anything; only transactions are signed", quoted(s.ID))
		case s.Kind != "transaction":
			return nil, unsafe("its step %s is a %s, which is not known", quoted(s.ID), quoted(s.Kind))
		case s.ID != StepApprove && s.ID != StepDeposit:
			return nil, unsafe("its step %s is not known; only approve and deposit are", quoted(s.ID))
		case s.DepositAddress != "":
			return nil, unsafe("it asks for a payment to an address of its own, and not to the depository")
		}
		for _, it := range s.Items {
			step, err := a.judgeItem(s.ID, it, depository, order)
			if err != nil {
				return nil, err
			}
			out = append(out, step)
			if len(out) > maxItems {
				return nil, unsafe("it has more than %d transactions", maxItems)
			}
		}
	}
	return out, a.order(out, depository)
}

// judgeItem reads one transaction, which must be one of those that may be.
func (a Ask) judgeItem(id string, it wireItem, depository common.Address, order common.Hash) (Step, error) {
	if it.Status != "incomplete" && it.Status != "" {
		return Step{}, unsafe("a transaction of step %s is %s already, and nobody has sent it", id, quoted(it.Status))
	}
	from, err := address(it.Data.From)
	if err != nil || from != a.Account {
		return Step{}, unsafe("step %s is to be sent by %s", id, quoted(it.Data.From))
	}
	if chain, ok := chainID(it.Data.ChainID); !ok || chain != a.From {
		return Step{}, unsafe("step %s is for chain %s, and chain %d was asked", id, base(it.Data.ChainID.String()), a.From)
	}
	to, err := address(it.Data.To)
	if err != nil {
		return Step{}, unsafe("step %s calls %s", id, quoted(it.Data.To))
	}
	data, err := hexBytes(it.Data.Data, -1)
	if err != nil || len(data) < 4 {
		return Step{}, unsafe("step %s has no call", id)
	}
	value, err := it.Data.Value.Wei()
	if err != nil {
		return Step{}, unsafe("step %s does not say what it sends along", id)
	}
	for _, may := range a.allowed(id, depository, order) {
		if to == may.To && value == may.Value && bytes.Equal(data, may.Data) {
			return may, nil
		}
	}
	return Step{}, a.wrong(id, to, value, data, depository)
}

// allowed are the transactions that a step may have.
func (a Ask) allowed(id string, depository common.Address, order common.Hash) []Step {
	switch {
	case id == StepApprove && a.In != Native:
		return []Step{
			{StepApprove, a.In, units.Wei{}, call(selApprove, depository[:], amountWord(a.Amount))},
			{StepApprove, a.In, units.Wei{}, call(selApprove, depository[:], nil)}, // some tokens want 0 before
		}
	case id == StepDeposit && a.In == Native:
		return []Step{{StepDeposit, depository, a.Amount, call(selNative, a.Account[:], order[:])}}
	case id == StepDeposit:
		return []Step{{StepDeposit, depository, units.Wei{}, call(selERC20, a.Account[:], a.In[:], amountWord(a.Amount), order[:])}}
	}
	return nil
}

// wrong says what of a transaction is not as it should be.
func (a Ask) wrong(id string, to common.Address, value units.Wei, data []byte, depository common.Address) error {
	sel := [4]byte(data)
	want, known := depository, selERC20
	if a.In == Native {
		known = selNative
	}
	if id == StepApprove {
		want, known = a.In, selApprove
	}
	switch {
	case id == StepApprove && a.In == Native:
		return unsafe("it asks for an approval, and a chain's own currency needs none")
	case to != want:
		return unsafe("step %s calls %s, and only %s is known for it", id, lower(to), lower(want))
	case sel != known:
		return unsafe("step %s calls a function (0x%x) that is not known", id, sel)
	case id == StepApprove && len(data) == 68 && !bytes.Equal(data[4:36], word(depository[:])):
		return unsafe("its approval is for %s, and not for the depository", lower(common.BytesToAddress(data[4:36])))
	case id == StepApprove && len(data) == 68 && !bytes.Equal(data[36:], amountWord(a.Amount)):
		return unsafe("its approval is not of exactly the amount that was asked")
	case id == StepDeposit && a.In == Native && value != a.Amount, !value.IsZero() && (id == StepApprove || a.In != Native):
		return unsafe("step %s sends along %s base units", id, value)
	}
	return unsafe("the call of step %s is not the one for this order, account and amount", id)
}

// order refuses steps that are not approvals and then one deposit.
func (a Ask) order(steps []Step, depository common.Address) error {
	n := len(steps)
	if n == 0 || steps[n-1].Kind != StepDeposit {
		return unsafe("it does not end with a deposit")
	}
	exact := call(selApprove, depository[:], amountWord(a.Amount))
	for i, s := range steps[:n-1] {
		last := i == n-2
		if s.Kind != StepApprove || last != bytes.Equal(s.Data, exact) {
			return unsafe("its transactions are not an exact approval and one deposit")
		}
	}
	return nil
}
