package nft

import (
	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry"
)

// A story can tell of the transactions that take its place.
var _ chain.Replaceable = (*story)(nil)

// Replacing implements chain.Replaceable.
func (t *story) Replacing(tx, by chain.TxInfo, kind string) telemetry.Draft {
	return t.draft("replacing", map[string]any{
		"txHash": by.Hash.Hex(), "replaces": tx.Hash.Hex(), "kind": kind, "nonce": by.Nonce, "from": lower(by.From), "to": lower(by.To),
		"valueWei": by.Value, "gasLimit": by.GasLimit, "maxFeeWei": by.FeeCap, "maxFeePerGasWei": by.MaxFee, "maxPriorityFeePerGasWei": by.MaxTip,
	})
}

// Cancelled implements chain.Replaceable.
func (t *story) Cancelled(tx, by chain.TxInfo, r chain.Receipt) telemetry.Draft {
	result := map[string]any{"txHash": by.Hash.Hex(), "cancels": tx.Hash.Hex(), "nonce": by.Nonce, "blockNumber": r.Block, "blockHash": r.BlockHash.Hex(), "gasUsed": r.GasUsed}
	if fee, err := r.Fee(); err == nil {
		result["feeWei"] = fee
	}
	return t.draft("cancelled", result)
}

// Replaced implements chain.Replaceable.
func (t *story) Replaced(tx chain.TxInfo, why string) telemetry.Draft {
	d := t.draft("replaced", map[string]any{"txHash": tx.Hash.Hex(), "nonce": tx.Nonce, "reason": why})
	d.Err = "the purchase was sent, is not known to have succeeded, and counts as spent: " + why
	return d
}
