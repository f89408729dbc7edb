package devchain

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm/runtime"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/hashdb"
	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/contracts"
)

// genesisGas bounds one constructor or call of a Genesis. A genesis has no
// block limit to respect: minting a thousand demo tokens takes 30 million.
const genesisGas = 1_000_000_000

// Genesis builds the first state of a chain by really running constructors and
// calls in a scratch EVM. It is not safe for concurrent use.
type Genesis struct {
	state *state.StateDB
	cfg   *runtime.Config
}

// NewGenesis returns an empty scratch state for a chain with this id.
func NewGenesis(chainID int64) (*Genesis, error) {
	// Preimages: the dump needs addresses and slot keys, not their hashes.
	db := triedb.NewDatabase(rawdb.NewMemoryDatabase(), &triedb.Config{Preimages: true, HashDB: hashdb.Defaults})
	st, err := state.New(types.EmptyRootHash, state.NewDatabase(db, nil))
	if err != nil {
		return nil, fmt.Errorf("scratch state: %w", err)
	}
	return &Genesis{state: st, cfg: &runtime.Config{
		ChainConfig: chainConfig(chainID),
		State:       st,
		GasLimit:    genesisGas,
		BlockNumber: new(big.Int),
		Time:        GenesisTime,
		Random:      &common.Hash{},
		BaseFee:     new(big.Int),
		GasPrice:    new(big.Int),
	}}, nil
}

// Place runs init code as the code of addr and installs what it returns there,
// so that address(this), the chain id and immutables are what the contract
// would have seen had it been deployed to addr.
func (g *Genesis) Place(addr common.Address, initCode []byte) error {
	g.state.CreateAccount(addr)
	g.state.SetNonce(addr, 1, tracing.NonceChangeGenesis)
	g.state.SetCode(addr, initCode, tracing.CodeChangeGenesis)
	code, _, err := runtime.Call(addr, nil, g.cfg)
	if err != nil {
		return fmt.Errorf("constructor at %s: %w (%x)", addr, err, code)
	}
	g.state.SetCode(addr, code, tracing.CodeChangeGenesis)
	return nil
}

// PlaceSeaport puts the real Seaport 1.6 and its ConduitController where OpenSea
// deployed them on every chain. So the buyer's list of known contracts is tested
// as it is, and needs no exception for the sandbox.
func (g *Genesis) PlaceSeaport() error {
	if err := g.Place(seaport.ConduitController, contracts.ConduitController()); err != nil {
		return err
	}
	arg := common.LeftPadBytes(seaport.ConduitController.Bytes(), 32)
	return g.Place(seaport.Address, append(contracts.Seaport(), arg...))
}

// SetCode puts runtime code at addr as it is, without a constructor.
func (g *Genesis) SetCode(addr common.Address, code []byte) {
	g.state.CreateAccount(addr)
	g.state.SetNonce(addr, 1, tracing.NonceChangeGenesis)
	g.state.SetCode(addr, code, tracing.CodeChangeGenesis)
}

// PlaceDeployer puts the deterministic deployment proxy where it is on every
// chain. It is sent a salt and init code, and deploys that by CREATE2.
func (g *Genesis) PlaceDeployer() { g.SetCode(contracts.Deployer, contracts.DeployerCode) }

// CallAs runs a transaction-like call from an account.
func (g *Genesis) CallAs(from, to common.Address, data []byte) ([]byte, error) {
	g.cfg.Origin = from
	out, _, err := runtime.Call(to, data, g.cfg)
	g.cfg.Origin = common.Address{}
	if err != nil {
		return nil, fmt.Errorf("call of %s as %s: %w (%x)", to, from, err, out)
	}
	return out, nil
}

// Fund sets the balance of an account, in wei.
func (g *Genesis) Fund(addr common.Address, wei *uint256.Int) {
	g.state.SetBalance(addr, wei, tracing.BalanceIncreaseGenesisBalance)
}

// Alloc returns everything built so far. The Genesis can't be used afterwards.
func (g *Genesis) Alloc() (types.GenesisAlloc, error) {
	rules := g.cfg.ChainConfig.Rules(g.cfg.BlockNumber, true, g.cfg.Time)
	root, err := g.state.Commit(rules, 0)
	if err != nil {
		return nil, fmt.Errorf("commit the genesis state: %w", err)
	}
	st, err := state.New(root, g.state.Database())
	if err != nil {
		return nil, fmt.Errorf("reopen the genesis state: %w", err)
	}
	c := collector{alloc: types.GenesisAlloc{}}
	st.DumpToCollector(&c, &state.DumpConfig{})
	return c.alloc, c.err
}

// collector turns a state dump into a genesis allocation.
type collector struct {
	alloc types.GenesisAlloc
	err   error
}

func (*collector) OnRoot(common.Hash) {}

func (c *collector) OnAccount(addr *common.Address, d state.DumpAccount) {
	balance, ok := new(big.Int).SetString(d.Balance, 10)
	if addr == nil || !ok {
		c.err = fmt.Errorf("genesis dump: account %v with balance %q", addr, d.Balance)
		return
	}
	acc := types.Account{Balance: balance, Nonce: d.Nonce, Code: d.Code, Storage: map[common.Hash]common.Hash{}}
	for slot, value := range d.Storage {
		acc.Storage[slot] = common.HexToHash(value)
	}
	c.alloc[*addr] = acc
}
