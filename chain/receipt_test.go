package chain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// alterReceipts lets a test change what the node says in its receipts; f nil
// leaves them as they are.
func alterReceipts(w *world) (set func(f func(map[string]any))) {
	var mu sync.Mutex
	var alter func(map[string]any)
	real := w.proxy.next
	w.proxy.next = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		f := alter
		mu.Unlock()
		if f == nil || !bytes.Contains(body, []byte("eth_getTransactionReceipt")) {
			real.ServeHTTP(rw, r)
			return
		}
		rec := httptest.NewRecorder()
		real.ServeHTTP(rec, r)
		var answer map[string]any
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err == nil {
			if receipt, ok := answer["result"].(map[string]any); ok {
				f(receipt)
			}
		}
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(answer) // the client then sees no answer
	})
	return func(f func(map[string]any)) {
		mu.Lock()
		defer mu.Unlock()
		alter = f
	}
}

// witness is a story that knows better than a receipt.
type witness struct {
	story
	says func() (string, error)
}

func (s witness) Contradicts(context.Context, chain.TxInfo, chain.Receipt) (string, error) {
	return s.says()
}

// TestLyingReceipts: what can't be true, or what the chain contradicts, settles
// nothing; an honest answer later does.
func TestLyingReceipts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	set := alterReceipts(w)
	failed := func(more map[string]any) func(map[string]any) {
		return func(r map[string]any) {
			r["status"], r["logs"] = "0x0", []any{}
			for k, v := range more {
				r[k] = v
			}
		}
	}
	owned := func() (string, error) { return "the buyer owns it", nil }
	nothing := func() (string, error) { return "", nil }
	for i, c := range []struct {
		name  string
		alter func(map[string]any)
		says  func() (string, error)
		why   string
	}{
		{"no gas, no price", failed(map[string]any{"gasUsed": "0x1", "effectiveGasPrice": "0x0"}), nothing, "can't be true"},
		{"too little gas", failed(map[string]any{"gasUsed": "0x5207"}), nothing, "20999 gas"},
		{"more gas than the limit", failed(map[string]any{"gasUsed": "0xffffffffff"}), nothing, "can't be true"},
		{"gas without a sign bit", failed(map[string]any{"gasUsed": "0x8000000000000000"}), nothing, "no receipt"},
		{"no price", failed(map[string]any{"effectiveGasPrice": "0x0"}), nothing, "paid 0"},
		{"a price above the limit", failed(map[string]any{"effectiveGasPrice": "0xffffffffffffff"}), nothing, "can't be true"},
		{"another sender", failed(map[string]any{"from": w.sink}), nothing, "sender"},
		{"another target", failed(map[string]any{"to": w.once}), nothing, "target"},
		{"success with a free ride", func(r map[string]any) { r["gasUsed"] = "0x1" }, nothing, "can't be true"},
		{"failed, and yet ours", failed(nil), owned, "and yet the buyer owns it"},
		{"failed, and nobody can say", failed(nil), func() (string, error) { return "", io.ErrUnexpectedEOF }, "mined, but not confirmed"},
	} {
		r := w.open(t, "a", func(o *chain.SenderOptions) {
			o.Wait = 300 * time.Millisecond
			o.Restore = func(_ string, keep json.RawMessage) (chain.Story, error) {
				return witness{story{Name: c.name}, c.says}, nil
			}
		})
		key := fmt.Sprintf("k%d", i)
		in := intent(w.sink, key, "1")
		in.Story = witness{story{Name: c.name}, c.says}
		set(c.alter)
		_, err := r.buy(t.Context(), in)
		wantFault(t, c.name, err, fault.TxUnknown, fault.SentYes)
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", c.name, err, c.why)
		}
		if u := r.usage(t); u.Open != 2 {
			t.Errorf("%s: %+v: it must still count", c.name, u)
		}
		// What can't even be decoded is the node's failure, which the later run tells.
		left, err := r.Recover(t.Context(), chainID)
		if err == nil && len(left) != 1 || (err != nil) != (c.why == "no receipt") {
			t.Errorf("%s: a later run: %v, %v", c.name, left, err)
		}
		set(nil)
		if left, err := r.Recover(t.Context(), chainID); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v, %v", c.name, left, err)
		}
		cost, err := ape(t, "1000").Sub(w.balance(t, r.Address()))
		if u := r.usage(t); err != nil || u.Settled != cost || u.Open != 0 {
			t.Errorf("%s: booked %s, %d open; %s left the account", c.name, u.Settled, u.Open, cost)
		}
	}
}

// TestWitnessIsAskedAgain: a node that is away when the witness asks it says
// nothing about the transaction.
func TestWitnessIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	asked := 0
	in := intent(w.once, "k", "0")
	in.Story = witness{story{Name: "k"}, func() (string, error) {
		if asked++; asked < 3 {
			return "", fault.New(fault.Upstream, "the node is away")
		}
		return "", nil
	}}
	p, err := r.Prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	g, err := r.grant(p)
	if err != nil {
		t.Fatal(err)
	}
	sendOther(t, w, w.once)
	_, err = r.Submit(t.Context(), p, g)
	wantFault(t, "reverted", err, fault.TxReverted, fault.SentYes)
	if asked != 3 {
		t.Errorf("asked %d times, want 3", asked)
	}
}

// canned answers every call with one text, and the chain id with 1.
type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	result := string(c)
	if bytes.Contains(body, []byte("eth_chainId")) {
		result = `"0x1"`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`))}, nil
}

// FuzzReceipt: whatever a node answers, a receipt that comes out is one that the
// rest of the program can use.
func FuzzReceipt(f *testing.F) {
	hash := common.HexToHash("0x01")
	const log = `{"address":"0x0000000000000000000000000000000000000009","topics":[],"data":"0x","blockNumber":"0x10",
		"transactionHash":"0x0000000000000000000000000000000000000000000000000000000000000001","transactionIndex":"0x0",
		"blockHash":"0x0000000000000000000000000000000000000000000000000000000000000002","logIndex":"0x0","removed":false}`
	for _, logs := range []string{"[]", "null", "[null]", "[" + log + "]", "[" + log + ",null]", "[{}]", "[[]]", `"0x"`} {
		f.Add(`{"transactionHash":"` + hash.Hex() + `","blockNumber":"0x10","blockHash":"` + common.HexToHash("0x02").Hex() +
			`","status":"0x1","gasUsed":"0x5208","effectiveGasPrice":"0x3","from":"0x0000000000000000000000000000000000000009","logs":` + logs + `}`)
	}
	f.Add(`null`)
	f.Add(`[null]`)
	f.Fuzz(func(t *testing.T, result string) {
		c, err := chain.Dial(t.Context(), "http://node.invalid", chain.DialOptions{NoRetry: true, Transport: canned(result)})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r, ok, err := c.Receipt(t.Context(), hash)
		if err != nil || !ok {
			return
		}
		if r.TxHash != hash || int64(r.GasUsed) < 0 || int64(r.Block) < 0 {
			t.Errorf("%+v", r)
		}
		for _, l := range r.Logs {
			if l == nil || l.TxHash != hash || l.BlockHash != r.BlockHash || l.BlockNumber != r.Block {
				t.Errorf("log %+v", l)
			}
		}
	})
}
