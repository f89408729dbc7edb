package demo

import (
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"
	"log/slog"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
)

// Key is a throwaway account of the sandbox, derived from its seed: whoever
// knows the seed knows the key. It signs for the sandbox's own chain ids and
// refuses every other, so that nothing it signs can move anything real.
type Key struct {
	private *ecdsa.PrivateKey
}

// DeriveKey returns the key of a role ("buyer", "seller/demo-apes", …).
func DeriveKey(seed, role string) Key {
	for n := byte(0); ; n++ {
		h := digest("key", seed, role, string([]byte{n}))
		// One hash in 2^128 is no valid key: then the next one is taken.
		if k, err := crypto.ToECDSA(h[:]); err == nil {
			return Key{k}
		}
	}
}

// Address returns the account's address.
func (k Key) Address() common.Address { return crypto.PubkeyToAddress(k.private.PublicKey) }

// Reveal returns the private key in hex, for the sandbox's profile.
func (k Key) Reveal() string { return hex.EncodeToString(crypto.FromECDSA(k.private)) }

// SignOrder returns the seller's signature of an order on Seaport 1.6.
func (k Key) SignOrder(c seaport.OrderComponents, chainID int64) ([]byte, error) {
	if err := own(chainID); err != nil {
		return nil, err
	}
	hash := seaport.SigningDigest(c, chainID, seaport.Address)
	sig, err := crypto.Sign(hash[:], k.private)
	if err != nil {
		return nil, fmt.Errorf("sign an order: %w", err)
	}
	sig[64] += 27 // what ecrecover wants
	return sig, nil
}

// SignTx signs a transaction for a chain.
func (k Key) SignTx(tx types.TxData, chainID int64) (*types.Transaction, error) {
	if err := own(chainID); err != nil {
		return nil, err
	}
	// Had the transaction another chain id, this signer would refuse it.
	signed, err := types.SignNewTx(k.private, types.LatestSignerForChainID(big.NewInt(chainID)), tx)
	if err != nil {
		return nil, fmt.Errorf("sign a transaction: %w", err)
	}
	return signed, nil
}

func own(chainID int64) error {
	if !devchain.Own(chainID) {
		return fmt.Errorf("sandbox keys sign for chain ids %d and %d only, not for %d", devchain.ChainID, devchain.EthereumChainID, chainID)
	}
	return nil
}

// String returns the address; the key itself has to be asked for by Reveal.
func (k Key) String() string { return k.Address().Hex() }

// GoString is String, for %#v.
func (k Key) GoString() string { return k.String() }

// LogValue is String, for slog.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalJSON writes the address.
func (k Key) MarshalJSON() ([]byte, error) { return []byte(`"` + k.String() + `"`), nil }

// digest hashes a purpose and its parts; the lengths keep ("a","bc") apart from
// ("ab","c").
func digest(parts ...string) [32]byte {
	data := []byte("ape-claw sandbox v1")
	for _, p := range parts {
		data = append(data, byte(len(p)>>8), byte(len(p)))
		data = append(data, p...)
	}
	return crypto.Keccak256Hash(data)
}
