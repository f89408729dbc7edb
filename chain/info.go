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

// Probe asks the node for its head and fills in what came of it. That it does not
// answer, or answers for another chain, is the Reason; the error is that of the
// look, for a caller that tells the two apart.
func (i *Info) Probe(ctx context.Context, c *Client) error {
	head, err := c.Head(ctx)
	if err != nil {
		i.Reason = fault.From(err).Message
		return err
	}
	i.LatestBlock, i.RPCOK = &head.Number, true
	return nil
}
