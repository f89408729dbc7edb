package chain_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestEveryRPCFails fails the n-th call, for every n, in two ways: before the
// node sees it, and after it did.
func TestEveryRPCFails(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		w := newWorld(t)
		done := false
		for n := 1; !done; n++ {
			if n > 60 {
				t.Fatal("it never got through")
			}
			key := fmt.Sprintf("k%d", n)
			r := w.open(t, "a", func(o *chain.SenderOptions) { o.Wait = time.Second })
			failed := false
			w.proxy.set(func(i int, _ string, rw http.ResponseWriter, forward func()) bool {
				if i != n {
					return false
				}
				failed = true
				if after {
					forward()
				}
				rw.WriteHeader(http.StatusServiceUnavailable)
				return true
			})
			before := w.nonce(t, r.Address())
			_, err := r.buy(t.Context(), intent(w.sink, key, "0.01"))
			w.proxy.set(nil)
			done = !failed
			mined := w.nonce(t, r.Address()) - before
			switch f := fault.From(err); {
			case err == nil:
				if mined != 1 {
					t.Errorf("call %d (after %t): confirmed, and %d were mined", n, after, mined)
				}
			case f.Sent == fault.SentNo:
				if mined != 0 || f.Code != fault.Upstream {
					t.Errorf("call %d (after %t): %v says nothing was sent, and %d were mined", n, after, err, mined)
				}
				if u := r.usage(t); u.Open != 0 {
					t.Errorf("call %d (after %t): %d reservations are left", n, after, u.Open)
				}
			case f.Code == fault.TxUnknown:
				// The bytes never got to the node. Nobody may use the nonce until
				// that is settled, which for this test happens by sending them.
				_, err := r.buy(t.Context(), intent(w.sink, key+"x", "0.01"))
				wantFault(t, "while unknown", err, fault.Conflict, fault.SentNo)
				sendStored(t, w, r)
			default:
				t.Errorf("call %d (after %t): %v", n, after, err)
			}
			if left, err := r.Recover(t.Context(), chainID); err != nil || len(left) != 0 {
				t.Errorf("call %d (after %t): %v is left, %v", n, after, left, err)
			}
		}
		// All that was booked is all that left.
		r := w.open(t, "a", nil)
		start, _ := units.Parse("1000", 18)
		left, err := start.Sub(w.balance(t, r.Address()))
		if u := r.usage(t); err != nil || u.Settled != left {
			t.Errorf("after %t: booked %s, %s left the account", after, u.Settled, left)
		}
	}
}

// sendStored sends what the journal holds signed, as resume will.
func sendStored(t *testing.T, w *world, r *rig) {
	t.Helper()
	var raw []byte
	if err := r.db.QueryRowContext(t.Context(), `SELECT raw FROM tx WHERE state IN ('signed', 'unknown')`).Scan(&raw); err != nil {
		t.Fatal(err)
	}
	var tx types.Transaction
	if err := tx.UnmarshalBinary(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.chain.Client().SendTransaction(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	waitMined(t, w, tx.Hash())
}

// TestChainChangesBeforeSigning: a proxy answers for another chain after all
// checks but the last.
func TestChainChangesBeforeSigning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	signed := false
	r := w.open(t, "a", func(o *chain.SenderOptions) {
		o.Step = func(name string) {
			signed = signed || name == "signed"
			if name == "intended" {
				w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
					if method != "eth_chainId" {
						return false
					}
					rw.Header().Set("Content-Type", "application/json")
					fmt.Fprint(rw, `{"jsonrpc":"2.0","id":1,"result":"0x8173"}`)
					return true
				})
			}
		}
	})
	_, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "another chain", err, fault.ChainMismatch, fault.SentNo)
	if signed || r.usage(t).Open != 0 || w.proxy.count("eth_sendRawTransaction") != 0 {
		t.Errorf("signed %t, %+v", signed, r.usage(t))
	}
}

// TestOtherSigner: a signer that returns something else than it was given.
func TestOtherSigner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, alter := range map[string]func(*types.DynamicFeeTx){
		"value":  func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(7) },
		"target": func(tx *types.DynamicFeeTx) { tx.To = &common.Address{9} },
		"nonce":  func(tx *types.DynamicFeeTx) { tx.Nonce++ },
	} {
		r := w.open(t, "a", func(o *chain.SenderOptions) { o.Signer = lyingSigner{o.Signer, alter} })
		_, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
		wantFault(t, name, err, fault.UnsafeTransaction, fault.SentNo)
		if w.proxy.count("eth_sendRawTransaction") != 0 || r.usage(t).Open != 0 {
			t.Errorf("%s: it was sent, or is still reserved", name)
		}
	}
}

type lyingSigner struct {
	chain.Signer
	alter func(*types.DynamicFeeTx)
}

func (l lyingSigner) SignTx(ctx context.Context, tx *types.Transaction, id *big.Int) (*types.Transaction, error) {
	other := &types.DynamicFeeTx{ChainID: tx.ChainId(), Nonce: tx.Nonce(), GasTipCap: tx.GasTipCap(), GasFeeCap: tx.GasFeeCap(), Gas: tx.Gas(), To: tx.To(), Value: tx.Value(), Data: tx.Data()}
	l.alter(other)
	return l.Signer.SignTx(ctx, types.NewTx(other), id)
}

// TestRacers: many processes' worth of senders at once; each waits for its turn,
// every key is bought once, and no nonce is used twice.
func TestRacers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const racers, keys = 8, 4
	var wg sync.WaitGroup
	results := make([]error, racers)
	for i := range racers {
		r := w.open(t, fmt.Sprint(i), func(o *chain.SenderOptions) { o.LockWait = 20 * time.Second })
		wg.Go(func() { _, results[i] = r.buy(t.Context(), intent(w.sink, fmt.Sprintf("k%d", i%keys), "1")) })
	}
	wg.Wait()
	won := 0
	for _, err := range results {
		if err == nil {
			won++
		} else if fault.CodeOf(err) != fault.QuoteUsed {
			t.Errorf("%v", err)
		}
	}
	if got := w.balance(t, w.sink); won != keys || got != ape(t, "4") {
		t.Errorf("%d won and the seller has %s, want %d", won, got.Decimal(18), keys)
	}
}

func TestLockIsHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in, out := make(chan struct{}), make(chan struct{})
	first := w.open(t, "a", func(o *chain.SenderOptions) {
		o.Step = func(name string) {
			if name == "locked" {
				close(in)
				<-out
			}
		}
	})
	var wg sync.WaitGroup
	var err1 error
	wg.Go(func() { _, err1 = first.buy(t.Context(), intent(w.sink, "k1", "1")) })
	select {
	case <-in:
	case <-time.After(20 * time.Second):
		t.Fatal("the first never got the lock")
	}
	second := w.open(t, "b", func(o *chain.SenderOptions) { o.LockWait = 50 * time.Millisecond })
	_, err := second.buy(t.Context(), intent(w.sink, "k2", "1"))
	wantFault(t, "the lock is held", err, fault.Conflict, fault.SentNo)
	close(out)
	wg.Wait()
	if err1 != nil {
		t.Error(err1)
	}
}

// TestLogFails: the chain did it, the record is incomplete, the next run mends it.
func TestLogFails(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"submitted", "confirmed"} {
		w := newWorld(t)
		r := w.open(t, "a", func(o *chain.SenderOptions) {
			l := o.Recorder.(lineLog)
			l.fail = func(line []byte) error {
				if strings.Contains(string(line), step) {
					return fault.New(fault.StateUnusable, "no space left")
				}
				return nil
			}
			o.Recorder = l
		})
		out, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
		wantFault(t, step, err, fault.NotDurable, fault.SentYes)
		if !out.Receipt.Success || !strings.Contains(fmt.Sprint(err), "no space left") {
			t.Errorf("%s: %+v, %v", step, out, err)
		}
		next := w.open(t, "b", nil)
		if left, err := next.Recover(t.Context(), chainID); err != nil || len(left) != 0 {
			t.Errorf("%v, %v", left, err)
		}
		got := r.trail(t)
		slices.Sort(got)
		if !slices.Equal(got, []string{"a:confirmed", "a:submitted"}) {
			t.Errorf("%s: events %v", step, got)
		}
		if _, err := os.Stat(r.log.path); err != nil {
			t.Error(err)
		}
	}
}

// TestStoryIsGone: without somebody to tell it, an open transaction stays open.
func TestStoryIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	in := intent(w.sink, "k", "1")
	in.Story = story{Name: "k", check: func(context.Context, chain.Receipt) error { return errors.New("not ours") }}
	out, err := r.buy(t.Context(), in)
	wantFault(t, "not ours", err, fault.TxUnknown, fault.SentYes)
	next := w.open(t, "b", func(o *chain.SenderOptions) { o.Restore = nil })
	left, err := next.Recover(t.Context(), chainID)
	if err != nil || len(left) != 1 || left[0].Hash != out.Tx.Hash.Hex() {
		t.Errorf("%v, %v", left, err)
	}
}

// BenchmarkSubmit is a purchase from Prepare to the confirmed event in the log.
func BenchmarkSubmit(b *testing.B) {
	w := newWorld(b)
	r := w.open(b, "a", nil)
	for n := 0; b.Loop(); n++ {
		if _, err := r.buy(b.Context(), intent(w.sink, fmt.Sprintf("k%d", n), "0.001")); err != nil {
			b.Fatal(err)
		}
	}
}
