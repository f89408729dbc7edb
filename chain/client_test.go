package chain_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const canary = "CANARY7f3a9c2e55d1"

func TestDialRefuses(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "rpc.apechain.com", "ftp://host/x", "wss://user:" + canary + "@rpc.apechain.com/ws", "http://", "http://ho st/" + canary, "://" + canary} {
		_, err := chain.Dial(t.Context(), u, chain.DialOptions{})
		if fault.CodeOf(err) != fault.Usage {
			t.Errorf("Dial(%q): %v, want a usage error", u, err)
		}
		noCanary(t, u, err)
	}
}

// noCanary checks an error, its hint, and its causes, which go to the log.
func noCanary(t *testing.T, name string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, s := range []string{err.Error(), fault.From(err).Hint, fmt.Sprintf("%v", fault.From(err).Err), fmt.Sprintf("%+v", fault.From(err).Details)} {
		if strings.Contains(s, canary) || strings.Contains(s, url.QueryEscape(canary)) {
			t.Errorf("%s: %q shows a secret of the URL", name, s)
		}
	}
}

// TestUpstreamFaults gives every bad answer a node can give, from a URL with
// secrets in each of its parts.
func TestUpstreamFaults(t *testing.T) {
	t.Parallel()
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		}
	}
	body := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, body)
		}
	}
	for _, c := range []struct {
		name, says string
		h          http.HandlerFunc
	}{
		{"500", "HTTP status 500", status(500, "oops "+canary)},
		{"401", "HTTP status 401", status(401, `{"message":"`+canary+`"}`)},
		{"429", "HTTP status 429", status(429, "slow down")},
		{"redirect", "HTTP status 307", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/"+canary, http.StatusTemporaryRedirect)
		}},
		{"JSON-RPC error under a 500", "boom", status(500, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"boom"}}`)},
		{"a page", "not JSON-RPC", body("text/html; charset=utf-8", "<html>hello</html>")},
		{"a page that claims to be JSON", "not JSON-RPC", body("application/json", "<html>hello</html>")},
		{"truncated", "not JSON-RPC", body("application/json", `{"jsonrpc":"2.0","id":1,"res`)},
		{"empty", "not JSON-RPC", body("application/json", "")},
		{"no result", "not JSON-RPC", body("application/json", `{"jsonrpc":"2.0","id":1}`)},
		{"wrong type", "not JSON-RPC", body("application/json", `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`)},
		{"not hex", "not JSON-RPC", body("application/json", `{"jsonrpc":"2.0","id":1,"result":"33139"}`)},
		{"zero chain id", "not JSON-RPC", body("application/json", `{"jsonrpc":"2.0","id":1,"result":"0x0"}`)},
		{"an error that echoes the URL", "***", body("application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no project `+canary+`"}}`)},
		{"an error with control characters", "a bc", body("application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"a\nb\u001bc"}}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(c.h)
			defer srv.Close()
			at := strings.Replace(srv.URL, "http://", "http://user:"+canary+"@", 1) + "/v2/" + canary + "?key=" + canary
			_, err := dial(t, at, chain.DialOptions{NoRetry: true}).Head(t.Context())
			if fault.CodeOf(err) != fault.Upstream || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v (%s), want upstream saying %q", err, fault.CodeOf(err), c.says)
			}
			if !strings.Contains(err.Error(), srv.URL) {
				t.Errorf("%v does not name the node", err)
			}
			noCanary(t, c.name, err)
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c := dial(t, "http://"+l.Addr().String()+"/"+canary, chain.DialOptions{})
	_, err = c.Head(t.Context())
	if fault.CodeOf(err) != fault.Upstream || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("%v", err)
	}
	noCanary(t, "refused", err)
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":"`)
		chunk := strings.Repeat("0", 1<<16)
		for range (chain.MaxResponse >> 16) + 2 {
			if _, err := fmt.Fprint(w, chunk); err != nil {
				return // it stopped reading
			}
		}
		fmt.Fprint(w, `"}`)
	}))
	defer srv.Close()
	_, err := dial(t, srv.URL, chain.DialOptions{NoRetry: true}).Head(t.Context())
	if fault.CodeOf(err) != fault.Upstream || !strings.Contains(err.Error(), "more than 8388608 bytes") {
		t.Errorf("%v", err)
	}
}

func TestDeadlineAndCancel(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-stop:
		}
	}))
	defer srv.Close()
	defer close(stop)
	_, err := dial(t, srv.URL, chain.DialOptions{Timeout: 20 * time.Millisecond, NoRetry: true}).Head(t.Context())
	if fault.CodeOf(err) != fault.Upstream || !strings.Contains(err.Error(), "in time") {
		t.Errorf("own deadline: %v", err)
	}
	short, cancelShort := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancelShort()
	_, err = dial(t, srv.URL, chain.DialOptions{NoRetry: true}).Head(short)
	if fault.CodeOf(err) != fault.Upstream || !strings.Contains(err.Error(), "in time") {
		t.Errorf("the command's deadline: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = dial(t, srv.URL, chain.DialOptions{}).Head(ctx); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReadsAreRetriedOnce(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1)%2 == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		answer(t, w, r, func(string) (any, *rpcError) { return "0x5", nil })
	}))
	defer srv.Close()
	got, err := dial(t, srv.URL, chain.DialOptions{}).NonceAt(t.Context(), common.Address{1})
	if err != nil || got != 5 || calls.Load() != 4 {
		t.Errorf("%d, %v after %d calls, want 5 after 4 (chain id and nonce, each twice)", got, err, calls.Load())
	}
}

func TestChainMismatch(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(t, w, r, func(method string) (any, *rpcError) {
			if method != "eth_chainId" {
				t.Errorf("%s was asked of the wrong chain", method)
			}
			return "0x1", nil
		})
	}))
	defer srv.Close()
	c := dial(t, srv.URL, chain.DialOptions{WantChainID: 33139})
	for range 2 {
		_, err := c.Head(t.Context())
		if fault.CodeOf(err) != fault.ChainMismatch || !strings.Contains(err.Error(), "chain 1, expected chain 33139") {
			t.Errorf("%v", err)
		}
	}
	info := chain.Info{ChainID: 33139}
	if err := info.Probe(t.Context(), c); fault.CodeOf(err) != fault.ChainMismatch {
		t.Errorf("%v", err)
	}
	if info.RPCOK || info.LatestBlock != nil || !strings.Contains(info.Reason, "chain 1") || info.ChainID != 33139 {
		t.Errorf("%+v", info)
	}
}

func TestReceiptParsing(t *testing.T) {
	t.Parallel()
	hash := common.HexToHash("0x01")
	good := map[string]any{
		"transactionHash": hash, "blockNumber": "0x10", "blockHash": common.HexToHash("0x02"), "status": "0x1", "gasUsed": "0x5208",
		"effectiveGasPrice": "0x3", "from": common.HexToAddress("0x09"), "logs": []any{}, "gasUsedForL1": "0x1", "l1BlockNumber": "0x2",
	}
	with := func(key string, v any) map[string]any {
		m := map[string]any{}
		for k, old := range good {
			m[k] = old
		}
		if m[key] = v; v == nil {
			delete(m, key)
		}
		return m
	}
	log := func(key string, v any) []any {
		l := map[string]any{"address": common.HexToAddress("0x09"), "topics": []any{}, "data": "0x", "blockNumber": "0x10",
			"transactionHash": hash, "transactionIndex": "0x0", "blockHash": common.HexToHash("0x02"), "logIndex": "0x0", "removed": false}
		l[key] = v
		return []any{l}
	}
	for _, c := range []struct {
		name   string
		result any
		err    *rpcError
		ok     bool
		code   fault.Code
	}{
		{"an Arbitrum receipt", good, nil, true, ""},
		{"none yet", nil, nil, false, ""},
		{"pending", with("blockNumber", nil), nil, false, ""},
		{"still indexing", nil, &rpcError{-32000, "transaction indexing is in progress", nil}, false, ""},
		{"of another transaction", with("transactionHash", common.HexToHash("0x03")), nil, false, fault.Upstream},
		{"no status", with("status", nil), nil, false, fault.Upstream},
		{"status 2", with("status", "0x2"), nil, false, fault.Upstream},
		{"no gas price", with("effectiveGasPrice", nil), nil, false, fault.Upstream},
		{"no gas used", with("gasUsed", nil), nil, false, fault.Upstream},
		{"gas beyond the database", with("gasUsed", "0x8000000000000000"), nil, false, fault.Upstream},
		{"a block beyond the database", with("blockNumber", "0x8000000000000000"), nil, false, fault.Upstream},
		{"a log", with("logs", log("removed", false)), nil, true, ""},
		{"a null log", with("logs", []any{nil}), nil, false, fault.Upstream},
		{"a null log behind a good one", with("logs", append(log("removed", false), nil)), nil, false, fault.Upstream},
		{"a removed log", with("logs", log("removed", true)), nil, false, fault.Upstream},
		{"a log of another transaction", with("logs", log("transactionHash", common.HexToHash("0x03"))), nil, false, fault.Upstream},
		{"a log of another block", with("logs", log("blockHash", common.HexToHash("0x03"))), nil, false, fault.Upstream},
		{"a log of another height", with("logs", log("blockNumber", "0x11")), nil, false, fault.Upstream},
		{"a log without an address", with("logs", log("address", nil)), nil, false, fault.Upstream},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer(t, w, r, func(method string) (any, *rpcError) {
				if method == "eth_chainId" {
					return "0x1", nil
				}
				return c.result, c.err
			})
		}))
		r, ok, err := dial(t, srv.URL, chain.DialOptions{NoRetry: true}).Receipt(t.Context(), hash)
		srv.Close()
		if ok != c.ok || fault.CodeOf(err) != c.code {
			t.Errorf("%s: ok %t, %v", c.name, ok, err)
		}
		if ok {
			if fee, err := r.Fee(); err != nil || fee.String() != "63000" || r.Block != 16 || !r.Success {
				t.Errorf("%s: %+v, fee %s, %v", c.name, r, fee, err)
			}
		}
	}
}

func TestCallSendsOverrides(t *testing.T) {
	t.Parallel()
	if _, err := chain.Dial(t.Context(), "http://127.0.0.1:1", chain.DialOptions{}); err != nil {
		t.Fatal(err) // dialling sends nothing
	}
	w := newWorld(t)
	poor := common.HexToAddress("0x00000000000000000000000000000000000000aa")
	msg := chain.CallMsg{From: poor, To: w.sink, Value: ape(t, "5"), Data: []byte{1}}
	_, err := w.client(t).Call(t.Context(), msg, nil, nil)
	var node *chain.NodeError
	if !errors.As(err, &node) || node.Class != chain.ClassInsufficientFunds {
		t.Errorf("without funds: %v", err)
	}
	rich := ape(t, "10")
	if _, err := w.client(t).Call(t.Context(), msg, nil, chain.Overrides{poor: {Balance: &rich}}); err != nil {
		t.Errorf("with the balance overridden: %v", err)
	}
	if f, err := w.client(t).Fees(t.Context(), msg, chain.Overrides{poor: {Balance: &rich}}); err != nil || f.FeeCap.IsZero() {
		t.Errorf("fees with the balance overridden: %+v, %v", f, err)
	}
}
