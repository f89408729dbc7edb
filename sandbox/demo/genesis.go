package demo

import (
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
)

// What accounts other than the buyer hold at first, in APE.
const (
	sellerBalance = 100 // for the gas of transfers and cancellations
	faucetBalance = 1_000_000
)

// Alloc builds the world's genesis: Seaport, the proxy that deploys by CREATE2,
// the collections with every token minted to its seller, the sellers'
// approvals, what the bridge needs, and the balances.
func (w *World) Alloc() (types.GenesisAlloc, error) {
	g, err := devchain.NewGenesis(w.Options.ChainID)
	if err != nil {
		return nil, err
	}
	if err := g.PlaceSeaport(); err != nil {
		return nil, err
	}
	g.PlaceDeployer()
	nft := contracts.NewDemoCollection()
	for i := range w.Collections {
		c := &w.Collections[i]
		args := nft.PackConstructor(c.Name, c.Symbol, c.Single, c.Glyph,
			big.NewInt(int64(c.Tokens)), c.Seller.Address(), c.Creator, big.NewInt(int64(c.Royalty)))
		if err := g.Place(c.Address, append(contracts.DemoCollectionCode(), args...)); err != nil {
			return nil, err
		}
		// Sellers use no conduit: Seaport itself moves their tokens.
		approve := nft.PackSetApprovalForAll(seaport.Address, true)
		if _, err := g.CallAs(c.Seller.Address(), c.Address, approve); err != nil {
			return nil, err
		}
		g.Fund(c.Seller.Address(), apes(sellerBalance))
	}
	if err := w.placeBridge(g, w.Options.ChainID); err != nil {
		return nil, err
	}
	g.Fund(w.Buyer.Address(), w.Options.Balance.Uint256())
	g.Fund(w.Faucet.Address(), apes(faucetBalance))
	return g.Alloc()
}

func apes(n uint64) *uint256.Int {
	return new(uint256.Int).Mul(uint256.NewInt(n), uint256.NewInt(1e18))
}
