package sandbox

import (
	"context"
	"errors"
	"net/http"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/sandbox/opensea"
)

// live is what Reset replaces: a chain, and the servers over it.
type live struct {
	chain  *devchain.Chain
	market *opensea.Server
	rpc    http.Handler
	reorg  *reorg
	bridge *bridge // not started yet
}

func (w *World) newLive(ctx context.Context) (*live, error) {
	alloc, err := w.demo.Alloc()
	if err != nil {
		return nil, err
	}
	chain, err := devchain.Start(ctx, devchain.Options{DataDir: w.opt.DataDir, Alloc: alloc})
	if err != nil {
		return nil, err
	}
	market, err := opensea.New(ctx, opensea.Options{
		World: w.demo, Chain: chain, Faults: w.faults, Now: w.opt.Now, Rate: w.opt.Rate, Logger: w.opt.Logger,
		Send: func(ctx context.Context, from demo.Key, to common.Address, data []byte) error {
			_, err := send(ctx, chain, from, Tx{To: to, Data: data})
			return err
		},
	})
	if err != nil {
		return nil, errors.Join(err, chain.Close())
	}
	r := &reorg{chain: chain, faults: w.faults}
	return &live{chain: chain, market: market, rpc: &faultyNode{chain.Handler(), w.faults, r}, reorg: r, bridge: &bridge{}}, nil
}

// close ends the bridge first: it uses both chains.
func (l *live) close() error {
	return errors.Join(l.bridge.close(), l.reorg.end(), l.chain.Close())
}

// SetFault puts a fault in force, as `sandbox up --fault` does: "name",
// "name=value", "name*times". An unknown one is fault.Usage.
func (w *World) SetFault(spec string) error {
	if err := w.faults.Set(spec); err != nil {
		return err
	}
	w.followMining()
	return w.followBridge()
}

// ClearFaults ends all faults, and with them what they keep waiting.
func (w *World) ClearFaults() {
	w.faults.Clear()
	w.mu.RLock()
	err := w.live.reorg.end()
	w.mu.RUnlock()
	if err = errors.Join(err, w.followBridge()); err != nil {
		w.opt.Logger.Error("end a reorganisation", "err", err)
	}
	w.followMining()
}

func (w *World) followBridge() error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.live.bridge.faultsChanged(w.faults.Ethereum())
}

// Faults lists the faults in force.
func (w *World) Faults() []string { return w.faults.Active() }
