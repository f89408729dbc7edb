package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/chain/units"
)

// Header is what this program needs of a block. Whole blocks are never fetched:
// Arbitrum chains hold transaction types that geth does not decode.
type Header struct {
	Number  uint64
	Hash    common.Hash
	Time    uint64    // seconds; a chain with little traffic may have an old head
	BaseFee units.Wei // zero where the chain has none
}

// Head returns the latest block's header.
func (c *Client) Head(ctx context.Context) (Header, error) {
	const method = "eth_getBlockByNumber"
	var h *struct {
		Number  *hexutil.Uint64 `json:"number"`
		Hash    *common.Hash    `json:"hash"`
		Time    *hexutil.Uint64 `json:"timestamp"`
		BaseFee *hexutil.Big    `json:"baseFeePerGas"`
	}
	if err := c.read(ctx, &h, method, "latest", false); err != nil {
		return Header{}, err
	}
	if h == nil || h.Number == nil || h.Hash == nil || h.Time == nil {
		return Header{}, c.garbage(method, errors.New("a header without number, hash or time"))
	}
	out := Header{Number: uint64(*h.Number), Hash: *h.Hash, Time: uint64(*h.Time)}
	if h.BaseFee != nil {
		fee, err := units.FromBig(h.BaseFee.ToInt())
		if err != nil {
			return Header{}, c.garbage(method, err)
		}
		out.BaseFee = fee
	}
	return out, nil
}

// Balance returns the native balance of an account at the latest block.
func (c *Client) Balance(ctx context.Context, of common.Address) (units.Wei, error) {
	return c.readWei(ctx, "eth_getBalance", of, "latest")
}

// SuggestTip returns the node's suggestion for the tip per gas; 0 on Arbitrum.
func (c *Client) SuggestTip(ctx context.Context) (units.Wei, error) {
	return c.readWei(ctx, "eth_maxPriorityFeePerGas")
}

func (c *Client) readWei(ctx context.Context, method string, args ...any) (units.Wei, error) {
	var b *hexutil.Big
	if err := c.read(ctx, &b, method, args...); err != nil {
		return units.Wei{}, err
	}
	if b == nil {
		return units.Wei{}, c.garbage(method, errors.New("no amount"))
	}
	w, err := units.FromBig(b.ToInt())
	if err != nil {
		return units.Wei{}, c.garbage(method, err)
	}
	return w, nil
}

// NonceAt returns the count of the account's mined transactions.
func (c *Client) NonceAt(ctx context.Context, of common.Address) (uint64, error) {
	return c.readUint(ctx, "eth_getTransactionCount", of, "latest")
}

// PendingNonceAt returns the count including what waits in the node's pool
// without a gap.
func (c *Client) PendingNonceAt(ctx context.Context, of common.Address) (uint64, error) {
	return c.readUint(ctx, "eth_getTransactionCount", of, "pending")
}

func (c *Client) readUint(ctx context.Context, method string, args ...any) (uint64, error) {
	var n *hexutil.Uint64
	if err := c.read(ctx, &n, method, args...); err != nil {
		return 0, err
	}
	if n == nil {
		return 0, c.garbage(method, errors.New("no number"))
	}
	return uint64(*n), nil
}

// Code returns the code of a contract; empty for any other account.
func (c *Client) Code(ctx context.Context, of common.Address) ([]byte, error) {
	var b hexutil.Bytes
	err := c.read(ctx, &b, "eth_getCode", of, "latest")
	return b, err
}

// Receipt is the outcome of a mined transaction. On ApeChain it is the
// sequencer's soft confirmation.
type Receipt struct {
	TxHash    common.Hash
	Block     uint64
	BlockHash common.Hash
	Success   bool
	From      common.Address
	GasUsed   uint64    // on Arbitrum chains it includes the parent chain's share
	GasPrice  units.Wei // effective, per gas
	Logs      []*types.Log
	Contract  *common.Address // that a creation made
}

// Fee returns what the transaction cost beside its value.
func (r Receipt) Fee() (units.Wei, error) { return r.GasPrice.Mul(r.GasUsed) }

// Receipt returns the receipt of a transaction; ok is false while there is none,
// also while the node is still indexing.
func (c *Client) Receipt(ctx context.Context, hash common.Hash) (r Receipt, ok bool, err error) {
	const method = "eth_getTransactionReceipt"
	var raw *receiptJSON
	if err := c.read(ctx, &raw, method, hash); err != nil {
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
	price, err := units.FromBig(j.GasPrice.ToInt())
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{
		TxHash: j.TxHash, Block: uint64(*j.Block), BlockHash: *j.BlockHash, Success: *j.Status == 1, From: j.From,
		GasUsed: uint64(*j.GasUsed), GasPrice: price, Logs: j.Logs, Contract: j.Contract,
	}, nil
}

// Known reports whether the node has the transaction, mined or in its pool.
func (c *Client) Known(ctx context.Context, hash common.Hash) (bool, error) {
	var raw json.RawMessage
	if err := c.read(ctx, &raw, "eth_getTransactionByHash", hash); err != nil {
		var node *NodeError
		if errors.As(err, &node) && node.Class == ClassIndexing {
			return false, nil
		}
		return false, err
	}
	return len(raw) > 0 && string(raw) != "null", nil
}

// sendRaw broadcasts a signed transaction. It is called once and never retried
// here: what a failure means is the sender's to find out.
func (c *Client) sendRaw(ctx context.Context, raw []byte) (common.Hash, error) {
	var hash common.Hash
	err := c.once(ctx, &hash, "eth_sendRawTransaction", hexutil.Encode(raw))
	return hash, err
}
