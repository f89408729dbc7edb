package chain

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

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
	h, ok, err := c.header(ctx, "latest")
	if err == nil && !ok {
		err = c.garbage("eth_getBlockByNumber", errors.New("no latest block"))
	}
	return h, err
}

// HeaderAt returns the header of a block; ok is false when the node does not
// have one of that number.
func (c *Client) HeaderAt(ctx context.Context, number uint64) (h Header, ok bool, err error) {
	h, ok, err = c.header(ctx, hexutil.EncodeUint64(number))
	if err == nil && ok && h.Number != number {
		err = c.garbage("eth_getBlockByNumber", errors.New("another block's header"))
	}
	return h, ok && err == nil, err
}

func (c *Client) header(ctx context.Context, tag string) (Header, bool, error) {
	const method = "eth_getBlockByNumber"
	var h *struct {
		Number  *hexutil.Uint64 `json:"number"`
		Hash    *common.Hash    `json:"hash"`
		Time    *hexutil.Uint64 `json:"timestamp"`
		BaseFee *hexutil.Big    `json:"baseFeePerGas"`
	}
	if err := c.read(ctx, &h, method, tag, false); err != nil {
		return Header{}, false, err
	}
	if h == nil {
		return Header{}, false, nil
	}
	if h.Number == nil || h.Hash == nil || h.Time == nil {
		return Header{}, false, c.garbage(method, errors.New("a header without number, hash or time"))
	}
	out := Header{Number: uint64(*h.Number), Hash: *h.Hash, Time: uint64(*h.Time)}
	if h.BaseFee != nil {
		fee, err := units.FromBig(h.BaseFee.ToInt())
		if err != nil {
			return Header{}, false, c.garbage(method, err)
		}
		out.BaseFee = fee
	}
	return out, true, nil
}

// Balance returns the native balance of an account at the latest block.
func (c *Client) Balance(ctx context.Context, of common.Address) (units.Wei, error) {
	return c.readWei(ctx, "eth_getBalance", of, "latest")
}

// BalanceAt is Balance at the end of a block. Nodes that keep no old states know it for
// the newest blocks only.
func (c *Client) BalanceAt(ctx context.Context, of common.Address, block uint64) (units.Wei, error) {
	return c.readWei(ctx, "eth_getBalance", of, hexutil.EncodeUint64(block))
}

// Payment is what a transaction sends along, and to whom; ok is false when no node has
// it in a block.
func (c *Client) Payment(ctx context.Context, hash common.Hash) (to common.Address, value units.Wei, ok bool, err error) {
	const method = "eth_getTransactionByHash"
	var tx *struct {
		Hash  common.Hash     `json:"hash"`
		Block *hexutil.Uint64 `json:"blockNumber"`
		To    *common.Address `json:"to"`
		Value *hexutil.Big    `json:"value"`
	}
	if err := c.readTx(ctx, hash, &tx, func() bool { return tx != nil && tx.Block != nil }, method); err != nil || tx == nil || tx.Block == nil {
		return common.Address{}, units.Wei{}, false, err
	}
	if tx.Hash != hash || tx.Value == nil {
		return common.Address{}, units.Wei{}, false, c.garbage(method, errors.New("another transaction, or one without a value"))
	}
	if value, err = units.FromBig(tx.Value.ToInt()); err != nil {
		return common.Address{}, units.Wei{}, false, c.garbage(method, err)
	}
	if tx.To != nil {
		to = *tx.To
	}
	return to, value, true, nil
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
	if n == nil || *n > math.MaxInt64 { // beyond it the database's integers end
		return 0, c.garbage(method, errors.New("no number, or one out of range"))
	}
	return uint64(*n), nil
}

// Code returns the code of a contract; empty for any other account.
func (c *Client) Code(ctx context.Context, of common.Address) ([]byte, error) {
	var b hexutil.Bytes
	err := c.read(ctx, &b, "eth_getCode", of, "latest")
	return b, err
}

// Known reports whether the node has the transaction, mined or in its pool.
func (c *Client) Known(ctx context.Context, hash common.Hash) (bool, error) {
	var raw json.RawMessage
	there := func() bool { return len(raw) > 0 && string(raw) != "null" }
	if err := c.readTx(ctx, hash, &raw, there, "eth_getTransactionByHash"); err != nil {
		var node *NodeError
		if errors.As(err, &node) && node.Class == ClassIndexing {
			return false, nil
		}
		return false, err
	}
	return there(), nil
}

// sendRaw broadcasts a signed transaction. It is called once and never retried
// here: what a failure means is the sender's to find out. connected tells whether
// the transport had a connection for it at any time: HTTP/2 may write a request,
// have it refused, and fail at dialling anew, so that the error alone proves
// nothing.
func (c *Client) sendRaw(ctx context.Context, raw []byte) (hash common.Hash, connected bool, err error) {
	var got atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { got.Store(true) }})
	err = c.sending(raw).once(ctx, &hash, "eth_sendRawTransaction", hexutil.Encode(raw))
	return hash, got.Load(), err
}
