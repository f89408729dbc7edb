package demo

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
)

// What the buyer holds on the sandbox's Ethereum, and of the demo currencies, in
// whole coins; and what there is of each.
const (
	buyerEther    = 10
	buyerTokens   = 20_000
	solverBalance = 1_000_000
	tokenSupply   = 1_000_000_000
)

// Currency is what the sandbox's bridge takes and pays.
type Currency struct {
	ChainID  int64
	Address  common.Address // zero: the chain's own
	Symbol   string
	Name     string
	Decimals int
	MicroUSD int64 // what one costs, in millionths of a dollar; it never changes
}

// Native reports whether the currency is its chain's own.
func (c Currency) Native() bool { return c.Address == common.Address{} }

// Whole returns n of the currency in base units.
func (c Currency) Whole(n int64) *big.Int {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.Decimals)), nil)
	return unit.Mul(unit, big.NewInt(n))
}

// Currencies lists what the bridge moves, the chains' own first.
func (w *World) Currencies() []Currency { return Currencies(w.Options.ChainID) }

// Currencies are those of a world whose first chain has the id ape: their contracts
// don't follow the seed.
func Currencies(ape int64) []Currency {
	eth := int64(devchain.EthereumChainID)
	all := []Currency{
		{ChainID: ape, Symbol: "APE", Name: "ApeCoin", Decimals: 18, MicroUSD: 500_000},
		{ChainID: eth, Symbol: "ETH", Name: "Ether", Decimals: 18, MicroUSD: 2_500_000_000},
		{ChainID: ape, Symbol: "USDC", Name: "Demo Dollar", Decimals: 6, MicroUSD: 1_000_000},
		{ChainID: eth, Symbol: "USDC", Name: "Demo Dollar", Decimals: 6, MicroUSD: 1_000_000},
		{ChainID: eth, Symbol: "APE", Name: "Demo ApeCoin", Decimals: 18, MicroUSD: 500_000},
	}
	for i, c := range all[2:] {
		h := digest("currency", c.Symbol, strconv.FormatInt(c.ChainID, 10))
		all[2+i].Address = common.BytesToAddress(h[:])
	}
	return all
}

// Currency returns a chain's currency by its symbol.
func (w *World) Currency(chainID int64, symbol string) (Currency, bool) {
	for _, c := range w.Currencies() {
		if c.ChainID == chainID && c.Symbol == symbol {
			return c, true
		}
	}
	return Currency{}, false
}

// Depository is where the bridge takes deposits on a chain. Each chain has it at
// another address.
func Depository(chainID int64) common.Address {
	h := digest("depository", strconv.FormatInt(chainID, 10))
	return common.BytesToAddress(h[:])
}

// Solver is the account that the bridge fills and refunds from.
func (w *World) Solver() Key { return DeriveKey(w.Options.Seed, "solver") }

// EthereumAlloc builds the genesis of the sandbox's Ethereum.
func (w *World) EthereumAlloc() (types.GenesisAlloc, error) {
	g, err := devchain.NewGenesis(devchain.EthereumChainID)
	if err != nil {
		return nil, err
	}
	g.PlaceDeployer()
	if err := w.placeBridge(g, devchain.EthereumChainID); err != nil {
		return nil, err
	}
	g.Fund(w.Buyer.Address(), apes(buyerEther))
	g.Fund(w.Faucet.Address(), apes(faucetBalance))
	return g.Alloc()
}

// placeBridge puts a chain's depository and demo currencies into its genesis,
// and funds the bridge.
func (w *World) placeBridge(g *devchain.Genesis, chainID int64) error {
	if err := g.Place(Depository(chainID), contracts.DepositoryCode()); err != nil {
		return err
	}
	token, solver := contracts.NewDemoToken(), w.Solver().Address()
	g.Fund(solver, apes(solverBalance))
	for _, c := range w.Currencies() {
		if c.ChainID != chainID || c.Native() {
			continue
		}
		args := token.PackConstructor(c.Name, c.Symbol, uint8(c.Decimals), c.Whole(tokenSupply), solver)
		if err := g.Place(c.Address, append(contracts.DemoTokenCode(), args...)); err != nil {
			return fmt.Errorf("%s on chain %d: %w", c.Symbol, chainID, err)
		}
		if _, err := g.CallAs(solver, c.Address, token.PackTransfer(w.Buyer.Address(), c.Whole(buyerTokens))); err != nil {
			return fmt.Errorf("%s on chain %d: %w", c.Symbol, chainID, err)
		}
	}
	return nil
}
