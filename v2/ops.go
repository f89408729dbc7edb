package v2

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ape-claw/ape-claw/chain"
)

// op is what a kind of transaction means once it is mined, also in another
// process than the one that sent it.
type op struct {
	event string // that tells of success
	// confirm reads the result from the receipt's logs, those of the called contract
	// only, or, where there are none, from the chain. An upstream error is tried
	// again; any other leaves the transaction open as unknown.
	confirm func(ctx context.Context, c Chain, m mined) (result map[string]any, err error)
}

// EventOf is the type of the event that tells that a command succeeded; "" where it
// sends not one transaction.
func EventOf(command string) string {
	name, ok := strings.CutPrefix(command, "v2 ")
	if !ok {
		return ""
	}
	return ops()[strings.ReplaceAll(name, " ", ".")].event
}

// mined is a successful transaction of an op.
type mined struct {
	Keep     json.RawMessage
	TraceID  string // of the run that sent it
	Contract Located
	Tx       chain.TxInfo
	Receipt  chain.Receipt
}

// ops are all kinds of transactions, by name. Each file of an operation adds its own.
func ops() map[string]op {
	all := map[string]op{}
	for _, more := range []map[string]op{skillOps(), intentOps(), receiptOps(), vaultOps(), agentOps(), deployOps()} {
		for name, o := range more {
			all[name] = o
		}
	}
	return all
}
