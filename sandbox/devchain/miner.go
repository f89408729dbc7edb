package devchain

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/catalyst"
	"github.com/ethereum/go-ethereum/ethdb"
)

// retryAfter is how long the miner waits before it tries again to include a
// transaction that the last block did not take. Geth's own loop mines empty
// blocks without a pause in that case.
const retryAfter = 250 * time.Millisecond

// miner makes a block whenever a transaction comes. Geth's own loop does so
// too, but shares no lock with Commit and AdjustTime, which would race with it.
type miner struct {
	eth    *eth.Ethereum
	beacon *catalyst.SimulatedBeacon
	sync   bool // the database is a real one: flush it after each block

	// mu is held while a block is made and until the pool has seen it. No other
	// place may call TxPool.Sync: of two calls at once geth forgets one.
	mu    sync.Mutex
	held  int  // guarded by mu: number of holds
	ended bool // guarded by mu

	poke chan struct{}
	quit chan struct{}
	done chan struct{}
}

func startMiner(backend *eth.Ethereum, beacon *catalyst.SimulatedBeacon, sync bool) *miner {
	m := &miner{
		eth: backend, beacon: beacon, sync: sync,
		poke: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	txs := make(chan core.NewTxsEvent, 64)
	sub := backend.TxPool().SubscribeTransactions(txs, true)
	go func() {
		defer close(m.done)
		defer sub.Unsubscribe()
		m.loop(txs)
	}()
	return m
}

// loop mines until quit. One block may serve many events.
func (m *miner) loop(txs <-chan core.NewTxsEvent) {
	retry := time.NewTimer(retryAfter)
	defer retry.Stop()
	for {
		select {
		case <-m.quit:
			return
		case <-txs:
		case <-m.poke:
		case <-retry.C:
		}
		for m.mineWaiting() {
			select {
			case <-m.quit:
				return
			default:
			}
		}
		if m.waiting() > 0 {
			retry.Reset(retryAfter)
		}
	}
}

// mineWaiting makes one block if something waits and nothing holds it, and
// reports whether a further block would make progress too.
func (m *miner) mineWaiting() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held > 0 || m.waiting() == 0 {
		return false
	}
	if err := m.commit(); err != nil {
		return false
	}
	took := m.eth.BlockChain().CurrentBlock().GasUsed > 0
	return took && m.waiting() > 0
}

func (m *miner) waiting() int {
	executable, _ := m.eth.TxPool().Stats()
	return executable
}

// commit seals a block. The caller holds mu.
func (m *miner) commit() error {
	before := m.eth.BlockChain().CurrentBlock().Hash()
	if m.beacon.Commit() == before {
		return errors.New("no block was made")
	}
	return m.settle()
}

// settle waits until the pool has seen the new head, and makes the block
// durable: a killed process would otherwise lose its last blocks.
func (m *miner) settle() error {
	if err := m.eth.TxPool().Sync(); err != nil {
		return fmt.Errorf("transaction pool: %w", err)
	}
	if db, ok := m.eth.ChainDb().(ethdb.KeyValueSyncer); ok && m.sync {
		if err := db.SyncKeyValue(); err != nil {
			return fmt.Errorf("flush the chain: %w", err)
		}
	}
	return nil
}

func (m *miner) mine() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.commit()
}

func (m *miner) advance(d time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting() > 0 { // the beacon adjusts time only on an empty block
		if err := m.commit(); err != nil {
			return err
		}
	}
	if err := m.beacon.AdjustTime(d); err != nil {
		return fmt.Errorf("advance the chain's time: %w", err)
	}
	return m.settle()
}

func (m *miner) rewind(n uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	bc := m.eth.BlockChain()
	head := bc.CurrentBlock().Number.Uint64()
	if n == 0 || n > head {
		return fmt.Errorf("rewind by %d of %d blocks", n, head)
	}
	if err := m.beacon.Fork(bc.GetHeaderByNumber(head - n).Hash()); err != nil {
		return fmt.Errorf("rewind: %w", err)
	}
	m.wake()
	return m.settle()
}

func (m *miner) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.beacon.Rollback()
}

func (m *miner) hold() func() {
	m.mu.Lock()
	m.held++
	m.mu.Unlock()
	return sync.OnceFunc(func() {
		m.mu.Lock()
		m.held--
		m.mu.Unlock()
		m.wake()
	})
}

// wake makes the loop look at the pool.
func (m *miner) wake() {
	select {
	case m.poke <- struct{}{}:
	default:
	}
}

// settled waits until the block that is being made, if any, is settled.
func (m *miner) settled() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return errors.New("the dev chain has stopped")
	}
	return nil
}

func (m *miner) stop() {
	close(m.quit)
	<-m.done
	m.mu.Lock()
	m.ended = true
	m.mu.Unlock()
}
