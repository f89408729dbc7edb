package v2

import (
	"context"
	"encoding/json"

	"github.com/ape-claw/ape-claw/chain"
)

// Confirm is what an op makes of a receipt, for its tests.
func Confirm(name string, keep any, at Located, tx chain.TxInfo, r chain.Receipt) (map[string]any, error) {
	kept, err := json.Marshal(keep)
	if err != nil {
		return nil, err
	}
	return ops()[name].confirm(context.Background(), nil, mined{Keep: kept, TraceID: "trace_1", Contract: at, Tx: tx, Receipt: r})
}
