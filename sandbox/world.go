package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/sandbox/opensea"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// RPCURL is where the node's JSON-RPC is.
func (w *World) RPCURL() string { return w.current.RPCURL }

// MarketURL is the marketplace's base URL, which "/api/v2/…" follows.
func (w *World) MarketURL() string { return w.current.MarketURL }

// ChainID is the chain's id.
func (w *World) ChainID() int64 { return w.current.ChainID }

// Current is what the sandbox profile is told.
func (w *World) Current() Current { return *w.current }

// Buyer is the profile's account, funded with Options.Balance.
func (w *World) Buyer() demo.Key { return w.demo.Buyer }

// Demo is what the world was made of: collections, sellers, the first orders.
func (w *World) Demo() *demo.World { return w.demo }

func (w *World) chain() *devchain.Chain {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.live.chain
}

func (w *World) book() *opensea.Book {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.live.market.Book()
}

// Client calls the node inside this process, past all faults.
func (w *World) Client() *ethclient.Client { return w.chain().Client() }

// Head is the latest block's header.
func (w *World) Head() *types.Header { return w.chain().Head() }

// Mine makes one block.
func (w *World) Mine() error { return w.chain().Mine() }

// AdvanceTime makes a block d later than the head.
func (w *World) AdvanceTime(d time.Duration) error { return w.chain().AdvanceTime(d) }

// Rewind takes the last n blocks back, as a reorganisation does. Their
// transactions are mined again, unless the fault rpc-no-mining is in force.
func (w *World) Rewind(n uint64) error { return w.chain().Rewind(n) }

// DropPending forgets the transactions that wait, as a node may.
func (w *World) DropPending() { w.chain().DropPending() }

// Listings returns a collection's orders, whatever their status.
func (w *World) Listings(ctx context.Context, slug string) ([]opensea.Listed, error) {
	return w.book().Orders(ctx, slug)
}

// Listing returns one order.
func (w *World) Listing(ctx context.Context, hash common.Hash) (opensea.Listed, error) {
	l, ok, err := w.book().Find(ctx, hash)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "no order %s in the sandbox", hash)
	}
	return l, err
}

// Cheapest returns a collection's cheapest listing that can be bought.
func (w *World) Cheapest(ctx context.Context, slug string) (opensea.Listed, error) {
	all, err := w.Listings(ctx, slug)
	if err != nil {
		return opensea.Listed{}, err
	}
	var best *opensea.Listed
	for i, l := range all {
		if l.Status == opensea.Active && (best == nil || l.Price.Cmp(best.Price) < 0) {
			best = &all[i]
		}
	}
	if best == nil {
		return opensea.Listed{}, fault.New(fault.NotFound, "nothing is for sale in %s", slug)
	}
	return *best, nil
}

// List adds an order of a collection's seller to the marketplace.
func (w *World) List(slug string, terms demo.Terms) (demo.Order, error) {
	c, err := w.collection(slug)
	if err != nil {
		return demo.Order{}, err
	}
	o, err := demo.NewOrder(c, w.ChainID(), terms)
	if err != nil {
		return demo.Order{}, err
	}
	w.book().Add(o)
	return o, nil
}

// OwnerOf asks the chain who has a token.
func (w *World) OwnerOf(ctx context.Context, slug string, tokenID *big.Int) (common.Address, error) {
	c, err := w.collection(slug)
	if err != nil {
		return common.Address{}, err
	}
	nft := contracts.NewDemoCollection()
	out, err := w.Client().CallContract(ctx, ethereum.CallMsg{To: &c.Address, Data: nft.PackOwnerOf(tokenID)}, nil)
	if err != nil {
		return common.Address{}, fmt.Errorf("owner of %s #%s: %w", slug, tokenID, err)
	}
	return nft.UnpackOwnerOf(out)
}

// Transfer moves a token from its seller to another account: its listings can't
// be bought any more.
func (w *World) Transfer(ctx context.Context, slug string, tokenID *big.Int, to common.Address) error {
	c, err := w.collection(slug)
	if err != nil {
		return err
	}
	data := contracts.NewDemoCollection().PackTransferFrom(c.Seller.Address(), to, tokenID)
	_, err = w.Send(ctx, c.Seller, Tx{To: c.Address, Data: data})
	return err
}

// Cancel cancels an order on Seaport, as its seller.
func (w *World) Cancel(ctx context.Context, o demo.Order) error {
	c, err := w.collection(o.Slug)
	if err != nil {
		return err
	}
	data := seaport.Contract().PackCancel([]seaport.OrderComponents{o.Components})
	_, err = w.Send(ctx, c.Seller, Tx{To: seaport.Address, Data: data})
	return err
}

// CancelAll cancels all orders of a collection's seller, by its counter.
func (w *World) CancelAll(ctx context.Context, slug string) error {
	c, err := w.collection(slug)
	if err != nil {
		return err
	}
	_, err = w.Send(ctx, c.Seller, Tx{To: seaport.Address, Data: seaport.Contract().PackIncrementCounter()})
	return err
}

// Fund sends play money to an account.
func (w *World) Fund(ctx context.Context, to common.Address, amount units.Wei) error {
	_, err := w.Send(ctx, w.demo.Faucet, Tx{To: to, Value: amount})
	return err
}

// Buy buys a listing as the given account, honestly.
func (w *World) Buy(ctx context.Context, buyer demo.Key, o demo.Order) (*types.Receipt, error) {
	params := seaport.Basic(o.Components, o.Signature)
	data := seaport.Contract().PackFulfillBasicOrderEfficient6GL6yc(params)
	return w.Send(ctx, buyer, Tx{To: seaport.Address, Value: o.Price, Data: data})
}

// Tx is a transaction to send.
type Tx struct {
	To    common.Address
	Value units.Wei
	Data  []byte
}

// Send signs a transaction with a throwaway key, sends it past all faults, and
// waits for its receipt. A revert is an error. One account must not send from
// two goroutines at once.
func (w *World) Send(ctx context.Context, from demo.Key, tx Tx) (*types.Receipt, error) {
	return send(ctx, w.chain(), from, tx)
}

func send(ctx context.Context, chain *devchain.Chain, from demo.Key, tx Tx) (*types.Receipt, error) {
	hash, err := submit(ctx, chain, from, tx)
	if err != nil {
		return nil, err
	}
	r, err := receipt(ctx, chain.Client(), hash)
	return r, errors.Join(err, chain.Settle())
}

// submit is send without the wait.
func submit(ctx context.Context, chain *devchain.Chain, from demo.Key, tx Tx) (common.Hash, error) {
	c := chain.Client()
	nonce, err := c.PendingNonceAt(ctx, from.Address())
	if err != nil {
		return common.Hash{}, fmt.Errorf("nonce of %s: %w", from, err)
	}
	gas, err := c.EstimateGas(ctx, ethereum.CallMsg{From: from.Address(), To: &tx.To, Value: tx.Value.Big(), Data: tx.Data})
	if err != nil {
		return common.Hash{}, fmt.Errorf("estimate: %w", err)
	}
	tip := big.NewInt(1)
	feeCap := new(big.Int).Add(tip, new(big.Int).Mul(chain.Head().BaseFee, big.NewInt(2)))
	signed, err := from.SignTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(chain.ID()), Nonce: nonce, To: &tx.To, Value: tx.Value.Big(), Data: tx.Data,
		Gas: gas + gas/4, GasTipCap: tip, GasFeeCap: feeCap,
	}, chain.ID())
	if err != nil {
		return common.Hash{}, err
	}
	if err := c.SendTransaction(ctx, signed); err != nil {
		return common.Hash{}, fmt.Errorf("send: %w", err)
	}
	return signed.Hash(), nil
}

// receiptEvery is how often a receipt is asked for: blocks come in milliseconds.
const receiptEvery = 2 * time.Millisecond

func receipt(ctx context.Context, c *ethclient.Client, hash common.Hash) (*types.Receipt, error) {
	tick := time.NewTicker(receiptEvery)
	defer tick.Stop()
	for {
		// Until the block is indexed any error may come: not found as well as
		// "transaction indexing is in progress".
		if r, err := c.TransactionReceipt(ctx, hash); err == nil {
			if r.Status != types.ReceiptStatusSuccessful {
				return r, fmt.Errorf("transaction %s reverted", hash)
			}
			return r, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("no receipt of %s", hash), ctx.Err())
		case <-tick.C:
		}
	}
}

func (w *World) collection(slug string) (*demo.Collection, error) {
	c, ok := w.demo.Collection(slug)
	if !ok {
		return nil, fault.New(fault.NotFound, "no collection %q in the sandbox", slug)
	}
	return c, nil
}

func lower(a common.Address) string { return strings.ToLower(a.Hex()) }
