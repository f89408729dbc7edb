package sandbox

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// reorg acts out the fault rpc-reorg on one chain. Each transaction whose receipt
// is told is taken back once: when the next command asks for the chain's id, which
// all do before anything else. Counting commands, and no time, makes it the same on
// every machine.
type reorg struct {
	chain  *devchain.Chain
	faults *faults.Set

	mu      sync.Mutex
	seen    map[string]bool // transactions that were told while the fault was in force
	from    uint64          // the first block to take back; 0: none
	waits   int             // for how many commands its transactions wait
	release func()          // ends the hold while they do; nil otherwise
}

// told looks at a receipt that is about to be told, and leaves it as it is.
func (r *reorg) told(result json.RawMessage) json.RawMessage {
	var receipt struct {
		TransactionHash string         `json:"transactionHash"`
		BlockNumber     hexutil.Uint64 `json:"blockNumber"`
	}
	if json.Unmarshal(result, &receipt) != nil || receipt.BlockNumber == 0 {
		return result
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[receipt.TransactionHash] || r.release != nil {
		return result
	}
	value, on := r.faults.On(faults.RPCReorg)
	waits, err := strconv.Atoi(value)
	if !on || err != nil {
		return result
	}
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.seen[receipt.TransactionHash] = true
	if n := uint64(receipt.BlockNumber); r.from == 0 || n < r.from {
		r.from = n
	}
	r.waits = waits
	return result
}

// connected counts a command, before the node answers it.
func (r *reorg) connected() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.from != 0:
		if err := r.takeBack(); err != nil {
			return err
		}
	case r.release == nil:
		return nil
	default:
		r.waits--
	}
	if r.waits > 0 {
		return nil
	}
	return r.makeAgain()
}

// takeBack rewinds to before the told block. The caller holds mu.
func (r *reorg) takeBack() error {
	from := r.from
	r.from, r.release = 0, r.chain.Hold()
	if head := r.chain.Head().Number.Uint64(); from <= head {
		if err := r.chain.Rewind(head - from + 1); err != nil {
			return fmt.Errorf("%s: %w", faults.RPCReorg, err)
		}
	}
	return nil
}

// makeAgain mines what was taken back. The caller holds mu.
func (r *reorg) makeAgain() error {
	err := r.chain.Mine()
	r.release()
	r.release = nil
	return err
}

// end lets nothing wait any longer, and forgets what would have been taken back.
func (r *reorg) end() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.from = 0
	if r.release == nil {
		return nil
	}
	return r.makeAgain()
}
