package chain

import (
	"context"
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// LockedSigner signs with a key of a keystore that is opened on first use: what only
// needs to know the account asks for no password.
type LockedSigner struct {
	account common.Address
	open    func(ctx context.Context) (*KeySigner, error)

	mu  sync.Mutex
	key *KeySigner
}

// NewLockedSigner returns a signer of account; open opens its key.
func NewLockedSigner(account common.Address, open func(ctx context.Context) (*KeySigner, error)) *LockedSigner {
	return &LockedSigner{account: account, open: open}
}

// Address implements Signer.
func (s *LockedSigner) Address() common.Address { return s.account }

// Unlock opens the key now, while no lock is held that others wait for.
func (s *LockedSigner) Unlock(ctx context.Context) error {
	_, err := s.unlocked(ctx)
	return err
}

func (s *LockedSigner) unlocked(ctx context.Context) (*KeySigner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil {
		return s.key, nil
	}
	key, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	s.key = key
	return key, nil
}

// SignTx implements Signer.
func (s *LockedSigner) SignTx(ctx context.Context, tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	key, err := s.unlocked(ctx)
	if err != nil {
		return nil, err
	}
	return key.SignTx(ctx, tx, chainID)
}

// Close wipes the key: the signer has to be unlocked again.
func (s *LockedSigner) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil {
		s.key.Wipe()
		s.key = nil
	}
	return nil
}
