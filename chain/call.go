package chain

import (
	"context"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/chain/units"
)

// CallMsg is a call to simulate or estimate.
type CallMsg struct {
	From  common.Address
	To    common.Address
	Value units.Wei
	Data  []byte
	Gas   uint64 // 0: the node's own limit
}

// Override changes an account for the length of one call.
type Override struct {
	Balance *units.Wei // nil: as it is
}

// Overrides are the accounts that a call sees changed. With the buyer's balance
// raised, a purchase can be simulated without funds.
type Overrides map[common.Address]Override

// Call runs msg at a block (nil: the latest) without changing anything and
// returns what it returned. A revert is a *RevertError; a node error, such as
// too little balance, is a fault around a *NodeError.
func (c *Client) Call(ctx context.Context, msg CallMsg, block *big.Int, o Overrides) ([]byte, error) {
	args := []any{msg.args(), blockTag(block)}
	if len(o) > 0 {
		args = append(args, o.args())
	}
	var out *hexutil.Bytes
	if err := c.read(ctx, &out, "eth_call", args...); err != nil {
		return nil, err
	}
	if out == nil {
		return nil, c.garbage("eth_call", errors.New("no result"))
	}
	return *out, nil
}

// EstimateGas returns the node's estimate for msg at the latest block, errors as
// Call's. On Arbitrum chains it includes the parent chain's data fee, which moves:
// the sender adds a quarter.
func (c *Client) EstimateGas(ctx context.Context, msg CallMsg, o Overrides) (uint64, error) {
	args := []any{msg.args()}
	if len(o) > 0 {
		args = append(args, "latest", o.args())
	}
	n, err := c.readUint(ctx, "eth_estimateGas", args...)
	if err != nil {
		return 0, err
	}
	// A block gas limit of an Orbit chain is 2^50; anything near 2^63 is no estimate.
	if n == 0 || n > 1<<52 {
		return 0, c.garbage("eth_estimateGas", errors.New("an estimate out of range"))
	}
	return n, nil
}

func (m CallMsg) args() map[string]any {
	args := map[string]any{"from": m.From, "to": m.To, "value": (*hexutil.Big)(m.Value.Big())}
	if len(m.Data) > 0 {
		args["input"] = hexutil.Bytes(m.Data)
	}
	if m.Gas > 0 {
		args["gas"] = hexutil.Uint64(m.Gas)
	}
	return args
}

func (o Overrides) args() map[common.Address]any {
	out := make(map[common.Address]any, len(o))
	for addr, ov := range o {
		fields := map[string]any{}
		if ov.Balance != nil {
			fields["balance"] = (*hexutil.Big)(ov.Balance.Big())
		}
		out[addr] = fields
	}
	return out
}

func blockTag(block *big.Int) string {
	if block == nil {
		return "latest"
	}
	return hexutil.EncodeBig(block)
}
