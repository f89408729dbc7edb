package seaport

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// The ERC-721 pieces that proving ownership needs.
const (
	transferEvent = "Transfer(address,address,uint256)"
	ownerOf       = "ownerOf(uint256)"
)

// ErrNotBought says that a receipt does not show the purchase.
var ErrNotBought = errors.New("the receipt does not show the purchase")

func selector(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }

// Bought checks that logs show the quoted order filled for the buyer by want's
// protocol contract, and the token moved to the buyer by its own contract.
// Events of any other contract prove nothing.
func Bought(logs []*types.Log, want Want) error {
	filled, moved := false, false
	for _, l := range logs {
		if l == nil {
			continue // logs are of others: nothing says that each is there
		}
		switch l.Address {
		case want.Protocol:
			event, err := Contract().UnpackOrderFulfilledEvent(l)
			filled = filled || err == nil && event.OrderHash == [32]byte(want.OrderHash) && event.Recipient == want.Buyer
		case want.Token:
			moved = moved || isTransfer(l, want.Buyer, want.TokenID)
		}
	}
	switch {
	case !filled:
		return fmt.Errorf("%w: no OrderFulfilled of order %s for %s from %s", ErrNotBought, want.OrderHash, want.Buyer, want.Protocol)
	case !moved:
		return fmt.Errorf("%w: no Transfer of token %s to %s from %s", ErrNotBought, want.TokenID, want.Buyer, want.Token)
	}
	return nil
}

func isTransfer(l *types.Log, to common.Address, id *big.Int) bool {
	return len(l.Topics) == 4 && l.Topics[0] == crypto.Keccak256Hash([]byte(transferEvent)) &&
		l.Topics[2] == common.BytesToHash(to[:]) && l.Topics[3] == common.BigToHash(id)
}

// PackOwnerOf returns the calldata of ERC-721's ownerOf.
func PackOwnerOf(id *big.Int) []byte {
	return append(selector(ownerOf), common.BigToHash(id).Bytes()...)
}

// UnpackAddress reads the one address that a call returned.
func UnpackAddress(data []byte) (common.Address, error) {
	if len(data) != 32 || common.BytesToHash(data[:12]) != (common.Hash{}) {
		return common.Address{}, fmt.Errorf("%d bytes are no address", len(data))
	}
	return common.BytesToAddress(data), nil
}
