package chain

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Receipt is the outcome of a mined transaction, as one node tells it. On
// ApeChain it is the sequencer's soft confirmation.
type Receipt struct {
	TxHash    common.Hash
	Block     uint64
	BlockHash common.Hash
	Success   bool
	From      common.Address  // zero when the node did not say
	To        *common.Address // nil when the node did not say
	GasUsed   uint64          // on Arbitrum chains it includes the parent chain's share
	GasPrice  units.Wei       // effective, per gas
	Logs      []*types.Log    // none is nil, all are of this transaction and block
	Contract  *common.Address // that a creation made
}

// Fee returns what the transaction cost beside its value.
func (r Receipt) Fee() (units.Wei, error) { return r.GasPrice.Mul(r.GasUsed) }

// Receipt returns the receipt of a transaction; ok is false while there is none,
// also while the node is still indexing. One that contradicts itself is a
// fault.Upstream.
func (c *Client) Receipt(ctx context.Context, hash common.Hash) (r Receipt, ok bool, err error) {
	const method = "eth_getTransactionReceipt"
	var raw *receiptJSON
	if err := c.readTx(ctx, hash, &raw, func() bool { return raw != nil && raw.Block != nil }, method); err != nil {
		var node *NodeError
		if errors.As(err, &node) && node.Class == ClassIndexing {
			return Receipt{}, false, nil
		}
		return Receipt{}, false, err
	}
	// A pending transaction's receipt, which some nodes give, has no block.
	if raw == nil || raw.Block == nil || raw.BlockHash == nil {
		return Receipt{}, false, nil
	}
	r, err = raw.receipt(hash)
	if err != nil {
		return Receipt{}, false, c.garbage(method, err)
	}
	return r, true, nil
}

type receiptJSON struct {
	TxHash    common.Hash     `json:"transactionHash"`
	Block     *hexutil.Uint64 `json:"blockNumber"`
	BlockHash *common.Hash    `json:"blockHash"`
	Status    *hexutil.Uint64 `json:"status"`
	From      common.Address  `json:"from"`
	To        *common.Address `json:"to"`
	GasUsed   *hexutil.Uint64 `json:"gasUsed"`
	GasPrice  *hexutil.Big    `json:"effectiveGasPrice"`
	Logs      []*types.Log    `json:"logs"`
	Contract  *common.Address `json:"contractAddress"`
}

// receipt checks what the node says: money is settled by it.
func (j *receiptJSON) receipt(want common.Hash) (Receipt, error) {
	if j.TxHash != want {
		return Receipt{}, fmt.Errorf("the receipt of %s", j.TxHash)
	}
	if j.Status == nil || *j.Status > 1 || j.GasUsed == nil || j.GasPrice == nil {
		return Receipt{}, errors.New("a receipt without status, gas used or gas price")
	}
	// Both are kept in a database, whose integers have a sign.
	if *j.GasUsed > math.MaxInt64 || *j.Block > math.MaxInt64 {
		return Receipt{}, errors.New("a receipt whose gas or block is out of range")
	}
	price, err := units.FromBig(j.GasPrice.ToInt())
	if err != nil {
		return Receipt{}, err
	}
	for _, l := range j.Logs {
		if l == nil || l.Removed || l.TxHash != want || l.BlockHash != *j.BlockHash || l.BlockNumber != uint64(*j.Block) {
			return Receipt{}, errors.New("a receipt with a log of something else")
		}
	}
	return Receipt{
		TxHash: j.TxHash, Block: uint64(*j.Block), BlockHash: *j.BlockHash, Success: *j.Status == 1, From: j.From, To: j.To,
		GasUsed: uint64(*j.GasUsed), GasPrice: price, Logs: j.Logs, Contract: j.Contract,
	}, nil
}

// leastGas is what the cheapest transaction uses (params.TxGas).
const leastGas = 21_000

// errImplausible marks a receipt that can't be the transaction's.
var errImplausible = errors.New("implausible receipt")

// plausible returns why a receipt can't be the transaction's, if it can't: a node
// that lies about the outcome has to lie well, and one that answers junk is not
// believed.
func (i TxInfo) plausible(r Receipt) error {
	what := ""
	switch {
	case r.TxHash != i.Hash:
		what = "it is of transaction " + r.TxHash.Hex()
	case r.From != (common.Address{}) && r.From != i.From:
		what = "it is of sender " + r.From.Hex()
	case r.To != nil && *r.To != i.To:
		what = "it is of target " + r.To.Hex()
	case r.GasUsed < leastGas || r.GasUsed > i.GasLimit:
		what = fmt.Sprintf("it used %d gas, with a limit of %d", r.GasUsed, i.GasLimit)
	case r.GasPrice.IsZero() || r.GasPrice.Cmp(i.MaxFee) > 0:
		what = fmt.Sprintf("it paid %s per gas, with a limit of %s", r.GasPrice, i.MaxFee)
	default:
		return nil
	}
	return fault.Wrap(errImplausible, fault.Upstream, "the node's receipt can't be true: %s", what)
}

// receipt returns the transaction's receipt, ok false while there is none, and an
// error also for one that is not believed, which is errImplausible.
func (s *Sender) receipt(ctx context.Context, i TxInfo) (Receipt, bool, error) {
	r, ok, err := s.client.Receipt(ctx, i.Hash)
	if err != nil || !ok {
		return Receipt{}, false, err
	}
	if err := i.plausible(r); err != nil {
		return Receipt{}, false, err
	}
	return r, true, nil
}

// errNoReceipt says that a node has no receipt.
var errNoReceipt = errors.New("no receipt")

// await polls for the receipt until ctx ends, then returns how the last look
// ended. A node that fails for a while, or gives a receipt that is not believed,
// is asked again: that says nothing about the transaction.
func (s *Sender) await(ctx context.Context, i TxInfo) (Receipt, error) {
	last := errNoReceipt
	for wait := pollFirst; ; {
		r, ok, err := s.receipt(ctx, i)
		switch {
		case ok:
			return r, nil
		case err == nil:
			last = errNoReceipt
		case ctx.Err() == nil:
			last = err
		}
		if !pause(ctx, &wait) {
			return Receipt{}, last
		}
	}
}
