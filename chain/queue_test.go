package chain_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestQueue: many runs of one wallet at once. Nobody fails for waiting, and the
// nonces are contiguous, none twice and none skipped.
func TestQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const runs, each = 8, 4
	var mu sync.Mutex
	var nonces []uint64
	var wg sync.WaitGroup
	for i := range runs {
		r := w.open(t, "a", func(o *chain.SenderOptions) { o.LockWait = 0 })
		wg.Go(func() {
			for n := range each {
				out, err := r.buy(t.Context(), intent(w.sink, fmt.Sprintf("k%d-%d", i, n), "0.01"))
				if err != nil {
					t.Errorf("run %d: %v", i, err)
					return
				}
				mu.Lock()
				nonces = append(nonces, out.Tx.Nonce)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(nonces)
	for i, n := range nonces {
		if n != uint64(i) {
			t.Fatalf("nonces %v", nonces)
		}
	}
	if len(nonces) != runs*each {
		t.Errorf("%d purchases, want %d", len(nonces), runs*each)
	}
	w.open(t, "z", nil).booked(t)
}

// TestTurn: what is decided in a turn is not overtaken, and the turn is given back.
func TestTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.open(t, "a", nil)
	b := w.open(t, "b", func(o *chain.SenderOptions) { o.LockWait = 50 * time.Millisecond })
	release, err := a.Turn(t.Context(), chainID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.buy(t.Context(), intent(w.sink, "k1", "1"))
	wantFault(t, "in another's turn", err, fault.Conflict, fault.SentNo)
	for _, key := range []string{"k2", "k3"} {
		if _, err := a.buy(t.Context(), intent(w.sink, key, "1")); err != nil {
			t.Error(err)
		}
	}
	release()
	if _, err := b.buy(t.Context(), intent(w.sink, "k1", "1")); err != nil {
		t.Error(err)
	}
}

// TestHangingNode: each call of a submission gets a deadline of its own. What
// hangs before the broadcast sends nothing and keeps nothing; after it, the
// outcome is unknown and not failed.
func TestHangingNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, c := range []struct {
		method string
		code   fault.Code
		sent   string
	}{
		{"eth_chainId", fault.Upstream, fault.SentNo},
		{"eth_estimateGas", fault.Upstream, fault.SentNo},
		{"eth_getBlockByNumber", fault.Upstream, fault.SentNo},
		{"eth_maxPriorityFeePerGas", fault.Upstream, fault.SentNo},
		{"eth_getBalance", fault.Upstream, fault.SentNo},
		{"eth_getTransactionCount", fault.Upstream, fault.SentNo},
		{"eth_sendRawTransaction", fault.TxUnknown, fault.SentMaybe},
		{"eth_getTransactionReceipt", fault.TxUnknown, fault.SentYes},
	} {
		r := w.open(t, "a", func(o *chain.SenderOptions) {
			shortWait(o)
			o.Client = dial(t, w.url, chain.DialOptions{WantChainID: chainID, Timeout: 150 * time.Millisecond})
		})
		free := make(chan struct{})
		w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
			if method != c.method {
				return false
			}
			<-free
			rw.WriteHeader(http.StatusServiceUnavailable)
			return true
		})
		_, err := r.buy(t.Context(), intent(w.sink, fmt.Sprint("k", i), "0.01"))
		close(free)
		w.proxy.set(nil)
		wantFault(t, c.method, err, c.code, c.sent)
		if u := r.usage(t); c.code == fault.Upstream && u.Open != 0 {
			t.Errorf("%s: %+v is kept", c.method, u)
		}
		if c.code == fault.Upstream {
			continue
		}
		again := w.open(t, "a", mayAgain)
		if out := again.watch(t); len(out.Open) != 0 {
			t.Errorf("%s: %+v", c.method, out)
		}
		again.booked(t)
	}
}

// TestBaseFeeRises between the estimate and the broadcast: the node refuses, the
// key and the account are free, and the purchase goes through later.
func TestBaseFeeRises(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
		return method == "eth_sendRawTransaction" &&
			reply(rw, `"error":{"code":-32000,"message":"max fee per gas less than block base fee: address 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A, maxFeePerGas: 2000000001, baseFee: 9000000000"}`)
	})
	_, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "the base fee rose", err, fault.Upstream, fault.SentMaybe)
	w.proxy.set(nil)
	if open, err := chain.OpenTxs(t.Context(), r.db, time.Now); err != nil || len(open) != 0 {
		t.Errorf("%+v, %v", open, err)
	}
	if out, err := r.buy(t.Context(), intent(w.sink, "k", "1")); err != nil || out.Tx.Nonce != 0 {
		t.Errorf("later: nonce %d, %v", out.Tx.Nonce, err)
	}
}
