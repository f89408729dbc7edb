package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"path/filepath"
	"sync"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/sandbox/faults"
	"github.com/ape-claw/ape-claw/sandbox/relay"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// ethereumDir is the folder of a data directory that holds the second chain's.
const ethereumDir = "ethereum"

// bridge is the second chain, "Ethereum", and the server that moves funds between
// the two. Both start when they are first asked for: who only buys never waits
// for them.
type bridge struct {
	mu    sync.Mutex // held while they start; guards what follows
	chain *devchain.Chain
	relay *relay.Server
	rpc   http.Handler
	reorg *reorg
	hold  func() // releases mining, nil when it is not held
}

// open starts the bridge, unless it runs. The caller holds the world's mutex for
// reading, so that apes stays the live chain meanwhile.
func (w *World) open(ctx context.Context) (*bridge, error) {
	b, apes := w.live.bridge, w.live.chain
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.chain != nil {
		return b, nil
	}
	alloc, err := w.demo.EthereumAlloc()
	if err != nil {
		return nil, err
	}
	opt := devchain.Options{ChainID: devchain.EthereumChainID, Alloc: alloc}
	if w.opt.DataDir != "" {
		opt.DataDir = filepath.Join(w.opt.DataDir, ethereumDir)
	}
	chain, err := devchain.Start(ctx, opt)
	if err != nil {
		return nil, err
	}
	chains := map[int64]*devchain.Chain{apes.ID(): apes, chain.ID(): chain}
	b.chain = chain
	b.reorg = &reorg{chain: chain, faults: w.faults.Ethereum()}
	b.rpc = &faultyNode{chain.Handler(), w.faults.Ethereum(), b.reorg}
	b.relay = relay.New(relay.Options{
		World: w.demo, Chains: []relay.Chain{apes, chain}, Faults: w.faults, Now: w.opt.Now, Logger: w.opt.Logger,
		RPC: map[int64]string{apes.ID(): w.current.RPCURL, chain.ID(): w.current.EthereumRPCURL},
		Submit: func(ctx context.Context, chainID int64, from demo.Key, to common.Address, value *big.Int, data []byte) (common.Hash, error) {
			wei, err := units.FromBig(value)
			if err != nil {
				return common.Hash{}, err
			}
			return submit(ctx, chains[chainID], from, Tx{To: to, Value: wei, Data: data})
		},
	})
	b.follow(w.faults.Ethereum())
	return b, nil
}

// follow holds or releases mining as the fault rpc-no-mining says. The caller
// holds the mutex.
func (b *bridge) follow(f *faults.Set) {
	on := f.Has(faults.RPCNoMining)
	switch {
	case on && b.hold == nil:
		b.hold = b.chain.Hold()
	case !on && b.hold != nil:
		b.hold()
		b.hold = nil
	}
}

// faultsChanged lets a bridge that runs do what the faults in force say, and end
// what none asks for any more.
func (b *bridge) faultsChanged(f *faults.Set) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.chain == nil {
		return nil
	}
	b.follow(f)
	if f.Has(faults.RPCReorg) {
		return nil
	}
	return b.reorg.end()
}

// running returns the second chain, nil when it was never asked for.
func (b *bridge) running() *devchain.Chain {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.chain
}

func (b *bridge) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.chain == nil {
		return nil
	}
	b.relay.Close()
	if b.hold != nil {
		b.hold()
	}
	return errors.Join(b.reorg.end(), b.chain.Close())
}

// bridged serves what needs the bridge, and starts it for the first request.
func (w *World) bridged(serve func(*bridge, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		w.mu.RLock()
		defer w.mu.RUnlock()
		b, err := w.open(context.WithoutCancel(r.Context()))
		if err != nil {
			w.opt.Logger.Error("start the bridge", "err", err)
			w.answer(rw, http.StatusInternalServerError, fault.From(err))
			return
		}
		serve(b, rw, r)
	}
}

// RelayURL is the bridge's base URL, which "/quote/v2" follows.
func (w *World) RelayURL() string { return w.current.RelayURL }

// EthereumRPCURL is where the second chain's JSON-RPC is.
func (w *World) EthereumRPCURL() string { return w.current.EthereumRPCURL }

// On returns one of the two chains, the second one started if need be.
func (w *World) On(ctx context.Context, chainID int64) (*devchain.Chain, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	switch chainID {
	case w.live.chain.ID():
		return w.live.chain, nil
	case devchain.EthereumChainID:
		b, err := w.open(ctx)
		if err != nil {
			return nil, err
		}
		return b.chain, nil
	}
	return nil, fault.New(fault.NotFound, "the sandbox has no chain %d", chainID)
}

// ClientOn calls the node of one of the two chains inside this process, past all
// faults.
func (w *World) ClientOn(ctx context.Context, chainID int64) (*ethclient.Client, error) {
	c, err := w.On(ctx, chainID)
	if err != nil {
		return nil, err
	}
	return c.Client(), nil
}

// SendOn is Send on one of the two chains.
func (w *World) SendOn(ctx context.Context, chainID int64, from demo.Key, tx Tx) (*types.Receipt, error) {
	c, err := w.On(ctx, chainID)
	if err != nil {
		return nil, err
	}
	return send(ctx, c, from, tx)
}

// BalanceOf returns what an account has of a currency, in base units.
func (w *World) BalanceOf(ctx context.Context, c demo.Currency, of common.Address) (*big.Int, error) {
	client, err := w.ClientOn(ctx, c.ChainID)
	if err != nil {
		return nil, err
	}
	if c.Native() {
		return client.BalanceAt(ctx, of, nil)
	}
	token := contracts.NewDemoToken()
	out, err := client.CallContract(ctx, ethereum.CallMsg{To: &c.Address, Data: token.PackBalanceOf(of)}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", c.Symbol, of, err)
	}
	return token.UnpackBalanceOf(out)
}
