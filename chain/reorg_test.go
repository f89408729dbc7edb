package chain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func mayAgain(o *chain.SenderOptions) {
	shortWait(o)
	o.Reconsider = func(context.Context, chain.Story, policy.Tx) error { return nil }
}

// TestReorgWaits: the block is taken back, its transaction waits again, and then is
// mined in another block. The trail tells all of it, once.
func TestReorgWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", shortWait)
	for _, key := range []string{"k0", "k1"} {
		if _, err := r.buy(t.Context(), intent(w.sink, key, "1")); err != nil {
			t.Fatal(err)
		}
	}
	release := w.chain.Hold()
	defer release()
	if err := w.chain.Rewind(1); err != nil {
		t.Fatal(err)
	}
	b := w.open(t, "b", shortWait)
	_, err := b.buy(t.Context(), intent(w.sink, "k2", "1"))
	wantFault(t, "after the reorganisation", err, fault.Conflict, fault.SentNo)
	b.state(t, chain.StateConfirmed, chain.StateUnknown)
	if u := b.usage(t); u.Open != 2 {
		t.Errorf("%+v: it counts in full again", u)
	}
	wantTrail(t, b, "a:submitted", "a:confirmed", "a:submitted", "a:confirmed", "a:unknown")
	release()
	eventually(t, "mining", func() bool { return w.nonce(t, b.Address()) == 2 })
	if out := b.watch(t); len(out.Open) != 0 || len(out.Settled) != 1 || out.Settled[0].State != chain.StateConfirmed {
		t.Errorf("%+v", out)
	}
	b.booked(t)
	wantTrail(t, b, "a:submitted", "a:confirmed", "a:submitted", "a:confirmed", "a:unknown", "a:confirmed")
	if out, err := b.buy(t.Context(), intent(w.sink, "k2", "1")); err != nil || out.Tx.Nonce != 2 {
		t.Errorf("nonce %d, %v", out.Tx.Nonce, err)
	}
	b.booked(t)
}

// TestReorgForgets: the block is taken back and its transaction is dropped. The same
// bytes are sent again where that is allowed; twice over.
func TestReorgForgets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", mayAgain)
	if _, err := r.buy(t.Context(), intent(w.sink, "k", "1")); err != nil {
		t.Fatal(err)
	}
	want := []string{"a:submitted", "a:confirmed"}
	for range 2 {
		forget(t, w)
		if out := r.watch(t); len(out.Open) != 0 || len(out.Settled) != 1 || out.Settled[0].State != chain.StateConfirmed {
			t.Errorf("%+v", out)
		}
		r.booked(t)
		want = append(want, "a:unknown", "a:confirmed")
		wantTrail(t, r, want...)
	}
}

// forget takes the last block back and drops what was in it.
func forget(t *testing.T, w *world) {
	t.Helper()
	release := w.chain.Hold()
	defer release()
	if err := w.chain.Rewind(1); err != nil {
		t.Fatal(err)
	}
	w.chain.DropPending()
}

// TestReorgOfACancellation: the cancellation is taken back and the purchase is mined
// after all, while its key was used again.
func TestReorgOfACancellation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, release := stuck(t, w, "k")
	var raw []byte
	if err := r.db.QueryRowContext(t.Context(), `SELECT raw FROM tx`).Scan(&raw); err != nil {
		t.Fatal(err)
	}
	if _, err := r.replace(t.Context(), chain.ResumeCancel); err != nil {
		t.Fatal(err)
	}
	release()
	eventually(t, "mining", func() bool { return w.nonce(t, r.Address()) == 1 })
	r.watch(t)
	r.state(t, chain.StateCancelled)
	forget(t, w)
	var old types.Transaction
	if err := old.UnmarshalBinary(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.chain.Client().SendTransaction(t.Context(), &old); err != nil {
		t.Fatal(err)
	}
	waitMined(t, w, old.Hash())
	if out := r.watch(t); len(out.Settled) != 1 || out.Settled[0].State != chain.StateConfirmed || out.Settled[0].Hash != old.Hash().Hex() {
		t.Errorf("%+v", out)
	}
	r.booked(t)
	wantTrail(t, r, "a:submitted", "a:unknown", "a:replacing cancel", "a:cancelled", "a:unknown", "a:confirmed")
}

// TestMadeUpReceipt: a node that lies makes a purchase look confirmed. An honest one
// shows that it was not, and the next nonce is not blocked for ever.
func TestMadeUpReceipt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var raw string
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
		switch method {
		case "eth_sendRawTransaction":
			rw.WriteHeader(http.StatusServiceUnavailable)
			raw = "sent"
			return true
		case "eth_getTransactionReceipt":
			return raw != "" && reply(rw, fmt.Sprintf(`"result":%s`, madeUp(t, w)))
		}
		return false
	})
	r := w.open(t, "a", mayAgain)
	if _, err := r.buy(t.Context(), intent(w.sink, "k", "1")); err != nil {
		t.Fatal(err)
	}
	w.proxy.set(nil) // an honest node
	_, err := r.buy(t.Context(), intent(w.sink, "k2", "1"))
	wantFault(t, "the next", err, fault.Conflict, fault.SentNo)
	wantTrail(t, r, "a:submitted", "a:confirmed", "a:unknown")
	if out := r.watch(t); len(out.Open) != 0 {
		t.Errorf("%+v", out)
	}
	if out, err := r.buy(t.Context(), intent(w.sink, "k2", "1")); err != nil || out.Tx.Nonce != 1 {
		t.Errorf("nonce %d, %v", out.Tx.Nonce, err)
	}
	r.booked(t)
}

// madeUp is a receipt of the only transaction in the journal, in block 1.
func madeUp(t *testing.T, w *world) string {
	r := w.open(t, "x", nil)
	x := r.rows(t)[0]
	var price string
	if err := r.db.QueryRowContext(t.Context(), `SELECT max_fee FROM tx`).Scan(&price); err != nil {
		t.Error(err)
	}
	p, _ := new(big.Int).SetString(price, 10)
	b, err := json.Marshal(map[string]any{"transactionHash": x.hash, "blockNumber": "0x1", "blockHash": common.HexToHash("0xbad").Hex(), "status": "0x1",
		"gasUsed": "0x5300", "effectiveGasPrice": fmt.Sprintf("0x%x", p), "logs": []any{}})
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

// TestNonceWentToAnother: another wallet with the same key used the nonce. One
// node's word frees nothing at once, and never what counts against the cap.
func TestNonceWentToAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now()
	release := w.chain.Hold()
	r := w.open(t, "a", func(o *chain.SenderOptions) {
		shortWait(o)
		o.Now = func() time.Time { return now }
	})
	if _, err := r.buy(t.Context(), intent(w.sink, "k", "1")); fault.CodeOf(err) != fault.TxUnknown {
		t.Fatal(err)
	}
	full := r.usage(t).Total
	w.chain.DropPending()
	release()
	foreign(t, w, 0)
	for _, step := range []struct {
		later time.Duration
		state string
	}{{0, chain.StateUnknown}, {50 * time.Second, chain.StateUnknown}, {20 * time.Second, chain.StateReplaced}, {time.Minute, chain.StateReplaced}} {
		now = now.Add(step.later)
		r.watch(t)
		r.state(t, step.state)
		if u := r.usage(t); u.Total != full {
			t.Errorf("%+v: %s counts whatever one node says", u, full)
		}
	}
	wantTrail(t, r, "a:submitted", "a:unknown", "a:replaced")
	_, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "the key", err, fault.QuoteUsed, fault.SentNo)
	next := w.open(t, "b", nil)
	if out, err := next.buy(t.Context(), intent(w.sink, "k2", "1")); err != nil || out.Tx.Nonce != 1 {
		t.Errorf("the wallet goes on: nonce %d, %v", out.Tx.Nonce, err)
	}
}

// TestHiddenAndReplaced: a node hides the purchase and says that the nonce went to
// another; an honest one shows it later, and it is booked as what it cost.
func TestHiddenAndReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := lie(w, "")
	now := time.Now()
	r := w.open(t, "a", func(o *chain.SenderOptions) {
		shortWait(o)
		o.Now = func() time.Time { return now }
		o.Step = func(name string) {
			if name == "broadcast" {
				var hash string
				if rs, err := chain.OpenTxs(context.Background(), o.DB, time.Now); err == nil && len(rs) == 1 {
					hash = rs[0].Hash
				}
				l.set("", hash)
			}
		}
	})
	if _, err := r.buy(t.Context(), intent(w.sink, "k", "1")); fault.CodeOf(err) != fault.TxUnknown {
		t.Fatal(err)
	}
	for range 2 {
		r.watch(t)
		now = now.Add(2 * time.Minute)
	}
	r.state(t, chain.StateReplaced)
	l.set("")
	if out := r.watch(t); len(out.Settled) != 1 || out.Settled[0].State != chain.StateConfirmed {
		t.Errorf("%+v", out)
	}
	r.booked(t)
	wantTrail(t, r, "a:submitted", "a:unknown", "a:replaced", "a:confirmed")
}

// foreign sends a transaction of the tested account from another wallet.
func foreign(t *testing.T, w *world, nonce uint64) {
	t.Helper()
	key, err := crypto.HexToECDSA(testKey)
	if err != nil {
		t.Fatal(err)
	}
	to := w.sink
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(big.NewInt(chainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(chainID), Nonce: nonce, GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(1e11), Gas: 50_000, To: &to, Value: big.NewInt(0),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.chain.Client().SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	waitMined(t, w, tx.Hash())
}
