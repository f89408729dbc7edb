package chain_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// reply answers a call in the node's place.
func reply(rw http.ResponseWriter, result string) bool {
	rw.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":1,%s}`, result)
	return true
}

// TestCopyWasFirst: a proxy sends it twice and tells of the second time, and the
// node that is asked next does not know of the first yet.
func TestCopyWasFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	lag := 6
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, forward func()) bool {
		switch method {
		case "eth_sendRawTransaction":
			forward()
			return reply(rw, `"error":{"code":-32000,"message":"nonce too low: next nonce 1, tx nonce 0"}`)
		case "eth_getTransactionReceipt", "eth_getTransactionByHash":
			if lag--; lag > 0 {
				return reply(rw, `"result":null`)
			}
		}
		return false
	})
	if _, err := r.buy(t.Context(), intent(w.sink, "k", "1")); err != nil {
		t.Errorf("%v", err)
	}
	wantTrail(t, r, "a:submitted", "a:confirmed")
}

// TestAnotherHash: the node claims to have taken something else.
func TestAnotherHash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", func(o *chain.SenderOptions) { o.Wait = 200 * time.Millisecond })
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
		return method == "eth_sendRawTransaction" &&
			reply(rw, `"result":"0x00000000000000000000000000000000000000000000000000000000000000aa"`)
	})
	_, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "another hash", err, fault.TxUnknown, fault.SentMaybe)
}

// TestNodeIsBehind: a node that does not know of our own last transaction would
// give its nonce out again.
func TestNodeIsBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	if _, err := r.buy(t.Context(), intent(w.sink, "k1", "1")); err != nil {
		t.Fatal(err)
	}
	behind := 5
	hook := func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
		if method != "eth_getTransactionCount" {
			return false
		}
		behind--
		return behind > 0 && reply(rw, `"result":"0x0"`)
	}
	w.proxy.set(hook)
	if out, err := r.buy(t.Context(), intent(w.sink, "k2", "1")); err != nil || out.Tx.Nonce != 1 {
		t.Errorf("it caught up: nonce %d, %v", out.Tx.Nonce, err)
	}
	behind = 1 << 30
	w.proxy.set(hook)
	_, err := r.buy(t.Context(), intent(w.sink, "k3", "1"))
	wantFault(t, "it stays behind", err, fault.Upstream, fault.SentNo)
	if w.proxy.count("eth_sendRawTransaction") != 0 || r.usage(t).Open != 0 {
		t.Error("it was sent, or is still reserved")
	}
}

// TestNonceOfOthers: what another wallet queued at the node is counted.
func TestNonceOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
		return method == "eth_getTransactionCount" && reply(rw, `"result":"0x7"`)
	})
	r2 := w.open(t, "a", func(o *chain.SenderOptions) { o.Wait = 200 * time.Millisecond })
	out, err := r2.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "behind a gap", err, fault.TxUnknown, fault.SentYes)
	if out.Tx.Nonce != 7 {
		t.Errorf("nonce %d, want 7", out.Tx.Nonce)
	}
	if open, err := chain.OpenTxs(t.Context(), r.db, time.Now); err != nil || len(open) != 1 || open[0].Nonce != 7 {
		t.Errorf("%+v, %v", open, err)
	}
}
