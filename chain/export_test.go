package chain

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// SendRawForTest broadcasts bytes as the sender does, and returns their hash.
func SendRawForTest(ctx context.Context, c *Client, raw []byte) (common.Hash, error) {
	_, _, err := c.sendRaw(ctx, raw)
	return crypto.Keccak256Hash(raw), err
}
