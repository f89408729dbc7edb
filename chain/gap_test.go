package chain_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestGap: a node counted too much, or what another wallet had queued is gone, and a
// purchase waits with a nonce that is not its turn. A cancellation would wait behind
// the same gap for ever, so a person's --cancel sets it aside: it counts in full, its
// key stays used, the account goes on, and once it is its turn it is noticed.
func TestGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const nonce = 3
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
		return method == "eth_getTransactionCount" && reply(rw, fmt.Sprintf(`"result":"0x%x"`, nonce))
	})
	r := w.open(t, "a", shortWait)
	out, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "behind a gap", err, fault.TxUnknown, fault.SentYes)
	if out.Tx.Nonce != nonce {
		t.Fatalf("nonce %d", out.Tx.Nonce)
	}
	full := r.usage(t).Total
	w.proxy.set(nil)
	in, err := r.agree(t.Context(), chain.ResumeCancel, "")
	if err != nil || in.Replacement.Gap != nonce {
		t.Fatalf("gap %d, %v", in.Replacement.Gap, err)
	}
	got, err := r.Resume(t.Context(), in)
	if err != nil || len(got.Open) != 0 || len(got.Settled) != 1 || got.Settled[0].State != chain.StateReplaced {
		t.Fatalf("%+v, %v", got, err)
	}
	if u := r.usage(t); u.Total != full || w.proxy.count("eth_sendRawTransaction") != 0 {
		t.Errorf("%+v, want %s; sent %d", u, full, w.proxy.count("eth_sendRawTransaction"))
	}
	wantTrail(t, r, "a:submitted", "a:unknown", "a:replaced")
	_, err = r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "the key", err, fault.QuoteUsed, fault.SentNo)
	// A day later it is still looked for.
	late := w.open(t, "b", func(o *chain.SenderOptions) {
		shortWait(o)
		o.Now = func() time.Time { return time.Now().Add(26 * time.Hour) }
	})
	w.proxy.set(nil)
	if _, err := late.Recover(t.Context(), chainID); err != nil || w.proxy.count("eth_getTransactionReceipt") != 1 {
		t.Errorf("looked %d times, %v", w.proxy.count("eth_getTransactionReceipt"), err)
	}
	// The account goes on, and comes to the nonce: the node had kept the bytes.
	next := w.open(t, "c", nil)
	for i := range nonce {
		if out, err := next.buy(t.Context(), intent(w.sink, fmt.Sprint("n", i), "1")); err != nil || out.Tx.Nonce != uint64(i) {
			t.Fatalf("nonce %d, %v", out.Tx.Nonce, err)
		}
	}
	eventually(t, "its turn", func() bool { return w.nonce(t, r.Address()) == nonce+1 })
	next.watch(t)
	if trail := next.trail(t); !slices.Equal(trail[len(trail)-1:], []string{"a:confirmed"}) {
		t.Errorf("events %v", trail)
	}
	next.booked(t)
	if out, err := next.buy(t.Context(), intent(w.sink, "last", "1")); err != nil || out.Tx.Nonce != nonce+1 {
		t.Errorf("nonce %d, %v", out.Tx.Nonce, err)
	}
}
