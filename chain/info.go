package chain

import (
	"context"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Info is the result of chain info.
type Info struct {
	ChainID        int64   `json:"chainId"`
	NativeGasToken string  `json:"nativeGasToken"`
	LatestBlock    *uint64 `json:"latestBlock"` // null when the node did not say
	RPCOK          bool    `json:"rpcOk"`
	Reason         string  `json:"reason,omitempty"` // why rpcOk is false
}

// ReadInfo asks the node for its head and reports what came of it. A node that
// does not answer, or answers for another chain, is a finding and no error.
func ReadInfo(ctx context.Context, c *Client, chainID int64, nativeToken string) Info {
	info := Info{ChainID: chainID, NativeGasToken: nativeToken}
	head, err := c.Head(ctx)
	if err != nil {
		info.Reason = fault.From(err).Message
		return info
	}
	info.LatestBlock, info.RPCOK = &head.Number, true
	return info
}
