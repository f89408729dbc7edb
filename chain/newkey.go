package chain

import (
	"crypto/ecdsa"
	"encoding/hex"
	"slices"

	"github.com/ethereum/go-ethereum/crypto"
)

// GenerateKey makes a new key from the system's randomness.
func GenerateKey() (*KeySigner, error) {
	key, err := crypto.GenerateKey()
	if err != nil {
		return nil, err
	}
	return ofKey(key), nil
}

// signerOf is the signer of a key's 32 bytes, which stay the caller's.
func signerOf(raw []byte) (*KeySigner, error) {
	// ToECDSA refuses zero, anything not below the curve's order, and other lengths.
	key, err := crypto.ToECDSA(raw)
	if err != nil {
		return nil, err
	}
	return ofKey(key), nil
}

func ofKey(key *ecdsa.PrivateKey) *KeySigner {
	return &KeySigner{key: key, addr: crypto.PubkeyToAddress(key.PublicKey)}
}

// SandboxOnly is a signer of the same key that refuses every chain but the
// sandbox's.
func (s *KeySigner) SandboxOnly() *KeySigner {
	return &KeySigner{key: s.key, addr: s.addr, only: slices.Clone(SandboxChains())}
}

// ExportHex is the key itself, for the one command that a person shows it with.
func (s *KeySigner) ExportHex() string {
	raw := crypto.FromECDSA(s.key)
	defer clear(raw)
	return "0x" + hex.EncodeToString(raw)
}

// Wipe overwrites the key in memory; the signer is of no use afterwards. Copies that
// the runtime or a library made are out of reach.
func (s *KeySigner) Wipe() {
	if s.key == nil {
		return
	}
	//lint:ignore SA1019 nothing else reaches the words of the number, which is overwritten and not used
	d := s.key.D
	clear(d.Bits())
	d.SetInt64(0)
}
