// Package devchain runs an Ethereum chain inside this process: what `geth --dev`
// does, on a chain id of our own, mining a block for every transaction, with the
// real Seaport 1.6 at its canonical address.
//
// It is meant for the sandbox and for tests. Nothing it holds has a value.
package devchain

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/catalyst"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The ids of the sandbox's chains. No real chain has them, so nothing signed for
// one is valid anywhere else.
const (
	ChainID         = 7733139 // its ApeChain
	EthereumChainID = 7700001 // its Ethereum, for bridging
)

// Own reports whether a chain id is one of the sandbox's.
func Own(chainID int64) bool { return chainID == ChainID || chainID == EthereumChainID }

// GenesisTime is 2024-01-01T00:00:00Z in Unix seconds: fixed, so that the same
// options always give the same genesis block.
const GenesisTime = 1_704_067_200

// Dir is the folder of a data directory that holds the chain.
const Dir = "devchain"

// gasLimit is the block gas limit: room for about 300 Seaport purchases.
const gasLimit = 60_000_000

// Options say what chain to start.
type Options struct {
	ChainID int64              // 0: the package's ChainID
	DataDir string             // "": in memory, gone with the process
	Alloc   types.GenesisAlloc // nil: Seaport and its controller only; see Genesis
}

// Chain is a running chain. Its methods may be called from many goroutines.
type Chain struct {
	id      int64
	node    *node.Node
	eth     *eth.Ethereum
	rpc     *rpc.Client
	handler *Handler
	miner   *miner
	close   sync.Once
	closed  error
}

// Start starts a chain and mines its first block, so that the head's time is
// the present. It fails with fault.Conflict when the data directory is in use or
// holds another chain, and fault.StateUnusable when it can't be used.
func Start(ctx context.Context, opt Options) (*Chain, error) {
	if opt.ChainID == 0 {
		opt.ChainID = ChainID
	}
	if opt.Alloc == nil {
		g, err := NewGenesis(opt.ChainID)
		if err != nil {
			return nil, err
		}
		if err := g.PlaceSeaport(); err != nil {
			return nil, err
		}
		if opt.Alloc, err = g.Alloc(); err != nil {
			return nil, err
		}
	}
	if opt.DataDir != "" {
		if err := store.EnsureDir(opt.DataDir); err != nil {
			return nil, err
		}
	}
	c, err := start(opt)
	if err != nil {
		return nil, startFault(opt, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := c.Mine(); err != nil {
		return nil, errors.Join(fmt.Errorf("mine the first block: %w", err), c.Close())
	}
	return c, nil
}

// start assembles node, backend and miner as geth's --dev mode does.
func start(opt Options) (*Chain, error) {
	stack, err := node.New(nodeConfig(opt.DataDir))
	if err != nil {
		return nil, err
	}
	backend, err := eth.New(stack, ethConfig(opt))
	if err != nil {
		return nil, errors.Join(err, stack.Close())
	}
	fs := filters.NewFilterSystem(backend.APIBackend, filters.Config{})
	stack.RegisterAPIs([]rpc.API{{Namespace: "eth", Service: filters.NewFilterAPI(fs)}})
	beacon, err := catalyst.NewSimulatedBeacon(0, common.Address{}, backend)
	if err != nil {
		return nil, errors.Join(err, stack.Close())
	}
	if err := stack.Start(); err != nil {
		return nil, errors.Join(err, stack.Close())
	}
	backend.SetSynced() // a node that thinks it is behind refuses transactions
	server, err := stack.RPCHandler()
	if err != nil {
		return nil, errors.Join(err, stack.Close())
	}
	m := startMiner(backend, beacon, opt.DataDir != "")
	return &Chain{
		id:      opt.ChainID,
		node:    stack,
		eth:     backend,
		rpc:     stack.Attach(),
		handler: &Handler{node: server, settle: m.settled},
		miner:   m,
	}, nil
}

func nodeConfig(dataDir string) *node.Config {
	nc := node.DefaultConfig
	nc.Name, nc.DataDir = Dir, dataDir
	nc.P2P = p2p.Config{NoDiscovery: true, NoDial: true}
	nc.IPCPath = ""
	nc.UseLightweightKDF = true
	if dataDir != "" {
		nc.DBEngine = rawdb.DBPebble
	}
	return &nc
}

// chainConfig copies geth's dev-chain rules and stops at Prague, which is about
// what ApeChain (Arbitrum Orbit) offers.
func chainConfig(chainID int64) *params.ChainConfig {
	cc := *params.AllDevChainProtocolChanges
	cc.ChainID = big.NewInt(chainID)
	cc.OsakaTime, cc.BogotaTime = nil, nil
	return &cc
}

func ethConfig(opt Options) *ethconfig.Config {
	gen := &core.Genesis{
		Config:     chainConfig(opt.ChainID),
		Timestamp:  GenesisTime,
		GasLimit:   gasLimit,
		BaseFee:    big.NewInt(params.GWei),
		Difficulty: new(big.Int),
		Alloc:      core.SystemContractAllocs(),
	}
	for addr, acc := range opt.Alloc {
		gen.Alloc[addr] = acc
	}
	ec := ethconfig.Defaults
	ec.NetworkId, ec.SyncMode, ec.Genesis = uint64(opt.ChainID), ethconfig.FullSync, gen
	ec.LogNoHistory = true // the log indexer is asynchronous: search blocks instead
	// Every block's state stays readable, and is on disk once the block is.
	ec.NoPruning, ec.StateScheme = true, rawdb.HashScheme
	ec.DatabaseCache, ec.TrieCleanCache, ec.TrieDirtyCache, ec.SnapshotCache = 16, 16, 16, 0
	ec.RPCTxFeeCap = 0
	// Miner and pool must agree on the smallest tip: what one accepts and the
	// other refuses stays in the pool for ever.
	ec.Miner.GasPrice = big.NewInt(1)
	ec.TxPool.PriceLimit, ec.TxPool.NoLocals = 1, true
	ec.TxPool.Journal = ""
	ec.GPO.IgnorePrice = big.NewInt(1)
	return &ec
}

// startFault puts geth's start-up errors into words.
func startFault(opt Options, err error) error {
	dir := store.Display(opt.DataDir)
	var mismatch *core.GenesisMismatchError
	switch {
	case errors.Is(err, node.ErrDatadirUsed):
		return fault.Wrap(err, fault.Conflict, "data directory %s is used by another sandbox", dir).
			Hintf("stop that one, or choose another --data-dir")
	case errors.As(err, &mismatch):
		return fault.Wrap(err, fault.Conflict, "data directory %s holds a chain made with another seed or other options", dir).
			Hintf("use the options it was made with, another --data-dir, or: ape-claw sandbox reset")
	case opt.DataDir != "":
		return fault.Wrap(err, fault.StateUnusable, "can't open the chain in %s", dir).
			Hintf("delete %s to start a fresh chain", filepath.Join(dir, Dir))
	}
	return fmt.Errorf("start the dev chain: %w", err)
}

// ID returns the chain id.
func (c *Chain) ID() int64 { return c.id }

// Client returns a client that calls the node inside this process, past the
// allowlist of Handler. It must not be closed.
func (c *Chain) Client() *ethclient.Client { return ethclient.NewClient(c.rpc) }

// Handler serves JSON-RPC over HTTP: reading, and sending signed transactions.
func (c *Chain) Handler() *Handler { return c.handler }

// Head returns the latest block's header.
func (c *Chain) Head() *types.Header { return c.eth.BlockChain().CurrentBlock() }

// Settle waits until the newest block is on disk and the transaction pool has
// seen it. Blocks can be read a moment before that, and the pool goes by the
// balances and nonces of the block before until then. Handler does this itself.
func (c *Chain) Settle() error { return c.miner.settled() }

// Mine makes one block, with what waits in the pool or empty.
func (c *Chain) Mine() error { return c.miner.mine() }

// AdvanceTime mines what waits, then an empty block d later than the head. The
// chain's clock stays ahead of the real one from then on.
func (c *Chain) AdvanceTime(d time.Duration) error { return c.miner.advance(d) }

// Rewind takes the last n blocks back, as a reorganisation does. Their
// transactions wait again; unless mining is held, new blocks take them.
func (c *Chain) Rewind(n uint64) error { return c.miner.rewind(n) }

// DropPending forgets the transactions that wait, as a node may.
func (c *Chain) DropPending() { c.miner.drop() }

// Hold stops mining until the returned function is called: transactions stay in
// the pool.
func (c *Chain) Hold() (release func()) { return c.miner.hold() }

// Close stops the chain. With a data directory, everything mined is on disk.
func (c *Chain) Close() error {
	c.close.Do(func() {
		c.miner.stop()
		c.rpc.Close()
		if err := c.node.Close(); err != nil {
			c.closed = fmt.Errorf("stop the dev chain: %w", err)
		}
	})
	return c.closed
}
