package v2

import (
	"context"
	"strconv"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// sandboxChain is the chain id of the local practice chain.
const sandboxChain = 7733139

// networkName is how a chain is called in file names, events and answers.
func networkName(id int64) string {
	switch id {
	case 33139:
		return "apechain"
	case 33111:
		return "curtis"
	case sandboxChain:
		return "sandbox"
	}
	return "chain-" + strconv.FormatInt(id, 10)
}

// network returns the chain that is called, and its name.
func (s *Service) network(ctx context.Context) (id int64, name string, err error) {
	c, err := s.d.Chain(ctx)
	if err != nil {
		return 0, "", err
	}
	if id, err = c.ChainID(ctx); err != nil {
		return 0, "", err
	}
	return id, networkName(id), nil
}

// place is a chain, told from another with the same id by its first block.
type place struct {
	ID      int64
	Name    string
	Genesis common.Hash
}

// sandbox reports whether the chain is one that is begun anew now and then.
func (p place) sandbox() bool { return p.ID == sandboxChain }

// where returns which chain is called.
func (s *Service) where(ctx context.Context) (Chain, place, error) {
	c, err := s.d.Chain(ctx)
	if err != nil {
		return nil, place{}, err
	}
	id, err := c.ChainID(ctx)
	if err != nil {
		return nil, place{}, err
	}
	first, ok, err := firstBlock(ctx, c)
	if err != nil {
		return nil, place{}, err
	}
	if !ok {
		return nil, place{}, fault.New(fault.Upstream, "the node does not have the first block of chain %d, which tells chains with one id apart", id).
			Hintf("use another RPC URL, then run ape-claw doctor").WithSent(fault.SentNo)
	}
	return c, place{ID: id, Name: networkName(id), Genesis: first.Hash}, nil
}

func firstBlock(ctx context.Context, c Chain) (chain.Header, bool, error) { return c.HeaderAt(ctx, 0) }
