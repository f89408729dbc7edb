package chain

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// checkChain asks the node for its chain and compares.
func (s *Sender) checkChain(ctx context.Context, want int64) (int64, error) {
	got, err := s.client.CheckChain(ctx)
	if err == nil && got != want {
		err = wrongChain(s.client, got, want)
	}
	return got, err
}

// signTx checks the chain and the leave to send once more, signs, and checks what
// was signed.
func (s *Sender) signTx(ctx context.Context, i TxInfo, data []byte, leave func() error) (*types.Transaction, []byte, error) {
	if _, err := s.checkChain(ctx, i.ChainID); err != nil {
		return nil, nil, err
	}
	id, to := big.NewInt(i.ChainID), i.To
	unsigned := types.NewTx(&types.DynamicFeeTx{
		ChainID: id, Nonce: i.Nonce, GasTipCap: i.MaxTip.Big(), GasFeeCap: i.MaxFee.Big(),
		Gas: i.GasLimit, To: &to, Value: i.Value.Big(), Data: data,
	})
	if err := leave(); err != nil {
		return nil, nil, err
	}
	signed, err := s.signer.SignTx(ctx, unsigned, id)
	if err != nil {
		return nil, nil, err
	}
	// A signer may be another program: what it returns must be what it was given.
	rules := types.LatestSignerForChainID(id)
	from, err := types.Sender(rules, signed)
	if err != nil || from != s.Address() || rules.Hash(signed) != rules.Hash(unsigned) {
		return nil, nil, fault.Wrap(err, fault.UnsafeTransaction, "the signer returned another transaction than it was given").WithSent(fault.SentNo)
	}
	raw, err := signed.MarshalBinary()
	return signed, raw, err
}
