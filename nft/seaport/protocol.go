// Package seaport hashes Seaport 1.6 orders, builds the calldata that fulfils
// one, and refuses any call that is not exactly the purchase that was quoted.
// What a marketplace answers is a claim: nothing here believes it.
package seaport

import (
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
)

// Addresses and keys of the protocol and of the marketplace that uses it.
// They are the same on every chain: Seaport is deployed by CREATE2.
var (
	// Address is Seaport 1.6 (github.com/ProjectOpenSea/seaport, deployments).
	Address = common.HexToAddress("0x0000000000000068F116a894984e2DB1123eB395")
	// ConduitController is the controller that Address was constructed with.
	ConduitController = common.HexToAddress("0x00000000F9490004C11Cef243f5400493c00Ad63")
	// FeeRecipient receives OpenSea's marketplace fee.
	FeeRecipient = common.HexToAddress("0x0000a26b00c1F0DF003000390027140000fAa719")
	// SignedZone is OpenSea's zone for restricted orders (order type 2).
	SignedZone = common.HexToAddress("0x000056F7000000EcE9003ca63978907a00FFD100")
	// OpenSeaConduitKey names OpenSea's conduit,
	// 0x1e0049783f008a0085193e00003d00cd54003c71.
	OpenSeaConduitKey = common.HexToHash("0x0000007b02230091a7ed01230072f7006a004d60a8d4e71d599b8104250f0000")
)

// The name and version of the EIP-712 domain.
const (
	domainName    = "Seaport"
	domainVersion = "1.6"
)

// KnownProtocols returns the contracts a purchase may call on a chain: none
// for a chain that nobody has checked.
func KnownProtocols(chainID int64) []common.Address {
	switch chainID {
	case 33139, 33111, 7733139: // ApeChain, its Curtis testnet, the sandbox
		return []common.Address{Address}
	}
	return nil
}

// IsKnownProtocol reports whether addr is one of KnownProtocols(chainID).
func IsKnownProtocol(chainID int64, addr common.Address) bool {
	return slices.Contains(KnownProtocols(chainID), addr)
}

// Zones returns the zones an order may name. The zero address means no zone.
func Zones() []common.Address { return []common.Address{{}, SignedZone} }

// ConduitKeys returns the conduit keys an order or its fulfilment may name.
// The zero key means Seaport's own approvals.
func ConduitKeys() []common.Hash { return []common.Hash{{}, OpenSeaConduitKey} }

// contract parses the ABI on first use: start-up does not pay for it.
var contract = sync.OnceValue(NewSeaport)

func contractABI() *abi.ABI {
	parsed := contract().abi
	return &parsed
}

// Contract returns the bindings, parsed once and shared.
func Contract() *Seaport { return contract() }
