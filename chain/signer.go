package chain

import (
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Signer signs transactions of one account. What it returns is checked by the
// sender, so it may be another process.
type Signer interface {
	Address() common.Address
	SignTx(ctx context.Context, tx *types.Transaction, chainID *big.Int) (*types.Transaction, error)
}

// SandboxChains are the chain ids of the sandbox, which no real chain has: what
// is signed for one of them is valid nowhere else.
func SandboxChains() []int64 { return []int64{7733139, 7700001} }

// KeySigner holds a private key in memory. It prints as its address however it
// is printed.
type KeySigner struct {
	key  *ecdsa.PrivateKey
	addr common.Address
	only []int64 // chain ids it signs for; nil: any
}

// NewKeySigner reads a private key of 32 bytes in hex, with or without 0x. Source
// names where it came from (APE_CLAW_PRIVATE_KEY, --private-key, the auth profile)
// and is the only thing about it that an error shows. A key that is none is a
// fault.Auth.
func NewKeySigner(hexKey, source string) (*KeySigner, error) {
	s := strings.TrimSpace(hexKey)
	s = strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "0X")
	bad := func(format string, args ...any) (*KeySigner, error) {
		return nil, fault.New(fault.Auth, "the private key from %s %s", source, fmt.Sprintf(format, args...)).
			Hintf("give 64 hex digits, with or without 0x: ape-claw auth set").WithSent(fault.SentNo)
	}
	if s == "" {
		return bad("is empty")
	}
	raw, err := hex.DecodeString(s)
	switch {
	case err != nil && len(s)%2 == 1 && isHex(s):
		return bad("has %d hex digits; expected 64", len(s))
	case err != nil:
		return bad("is not hex")
	case len(raw) != 32:
		return bad("has %d bytes; expected 32", len(raw))
	}
	// ToECDSA refuses zero and anything not below the curve's order.
	key, err := crypto.ToECDSA(raw)
	clear(raw)
	if err != nil {
		return bad("is not a valid secp256k1 key: zero, or not below the curve's order")
	}
	return &KeySigner{key: key, addr: crypto.PubkeyToAddress(key.PublicKey)}, nil
}

// NewSandboxSigner is a key signer that signs for the sandbox's chains and
// refuses every other: throwaway keys are public knowledge.
func NewSandboxSigner(hexKey string) (*KeySigner, error) {
	s, err := NewKeySigner(hexKey, "the sandbox")
	if err != nil {
		return nil, err
	}
	s.only = SandboxChains()
	return s, nil
}

func isHex(s string) bool {
	return strings.Trim(strings.ToLower(s), "0123456789abcdef") == ""
}

// Address implements Signer.
func (s *KeySigner) Address() common.Address { return s.addr }

// SignTx implements Signer.
func (s *KeySigner) SignTx(_ context.Context, tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	if s.only != nil && (!chainID.IsInt64() || !slices.Contains(s.only, chainID.Int64())) {
		return nil, fault.New(fault.ChainMismatch, "a sandbox key signs for the sandbox's chains only, not for chain %s", chainID).
			WithSent(fault.SentNo)
	}
	return types.SignTx(tx, types.LatestSignerForChainID(chainID), s.key)
}

// String returns the address, never the key.
func (s *KeySigner) String() string { return "key of " + s.addr.Hex() }

// GoString is String, so that %#v shows no key either.
func (s *KeySigner) GoString() string { return s.String() }

// LogValue implements slog.LogValuer.
func (s *KeySigner) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON writes the address.
func (s *KeySigner) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }
