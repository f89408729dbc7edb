package redteam_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// wire stands between the product and the sandbox: it is the attacker's marketplace
// and node where a case says so.
type wire struct {
	url string

	mu     sync.Mutex
	market func(r *http.Request, answer map[string]any) map[string]any // changes an answer
	refuse func(r *http.Request) (status int, body string)             // instead of an answer
	node   func(method string, params json.RawMessage) json.RawMessage // an error in place of a result
	calls  map[string]int
	paths  []string // of the marketplace that were asked for
}

func newWire(t *testing.T, s *stage) *wire {
	t.Helper()
	w := &wire{calls: map[string]int{}}
	behind := proxyTo(t, s.world.MarketURL())
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/rpc" {
			w.rpc(behind, rw, r)
			return
		}
		w.api(behind, rw, r)
	}))
	t.Cleanup(srv.Close)
	w.url = srv.URL
	return w
}

func (w *wire) api(behind http.Handler, rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	change, refuse := w.market, w.refuse
	w.paths = append(w.paths, r.URL.EscapedPath())
	w.mu.Unlock()
	if refuse != nil {
		if status, body := refuse(r); status != 0 {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(status)
			_, _ = io.WriteString(rw, body) // who is gone hears nothing
			return
		}
	}
	if change == nil {
		behind.ServeHTTP(rw, r)
		return
	}
	r.Header.Del("Accept-Encoding")
	rec := httptest.NewRecorder()
	behind.ServeHTTP(rec, r)
	body := rec.Body.Bytes()
	var doc map[string]any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if dec.Decode(&doc) == nil {
		if b, err := json.Marshal(change(r, doc)); err == nil {
			body = b
		}
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(rec.Code)
	_, _ = rw.Write(body)
}

func (w *wire) rpc(behind http.Handler, rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		http.Error(rw, "unreadable", http.StatusBadRequest)
		return
	}
	var q struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	_ = json.Unmarshal(body, &q) // a batch is passed on
	w.mu.Lock()
	w.calls[q.Method]++
	node := w.node
	w.mu.Unlock()
	if node != nil && q.Method != "" {
		if e := node(q.Method, q.Params); e != nil {
			rw.Header().Set("Content-Type", "application/json")
			b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": q.ID, "error": e})
			_, _ = rw.Write(b)
			return
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	behind.ServeHTTP(rw, r)
}

// sent is how many transactions were handed to the node.
func (w *wire) sent() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls["eth_sendRawTransaction"]
}

func (w *wire) listings(change func(l map[string]any, i int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.market = func(r *http.Request, doc map[string]any) map[string]any {
		list, _ := doc["listings"].([]any)
		for i, l := range list {
			if l, ok := l.(map[string]any); ok {
				change(l, i)
			}
		}
		return doc
	}
}

func (w *wire) refuses(path string, status int, body func(r *http.Request) string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuse = func(r *http.Request) (int, string) {
		if !strings.Contains(r.URL.Path, path) {
			return 0, ""
		}
		return status, body(r)
	}
}

// reverts makes every call to a contract of a purchase revert for a reason.
func (w *wire) reverts(reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	word := func(n int) string { return strings.Repeat("0", 64-len(hexOf(n))) + hexOf(n) }
	data := "0x08c379a0" + word(32) + word(len(reason)) + hex.EncodeToString([]byte(reason)) + strings.Repeat("00", (32-len(reason)%32)%32)
	w.node = func(method string, params json.RawMessage) json.RawMessage {
		if (method == "eth_call" || method == "eth_estimateGas") && len(params) > 1500 { // the purchase, and no question
			b, _ := json.Marshal(map[string]any{"code": 3, "message": "execution reverted: " + reason, "data": data})
			return b
		}
		return nil
	}
}

// says makes the node answer a method with an error of its own words.
func (w *wire) says(method, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.node = func(m string, _ json.RawMessage) json.RawMessage {
		if m != method {
			return nil
		}
		b, _ := json.Marshal(map[string]any{"code": -32000, "message": text})
		return b
	}
}

func hexOf(n int) string {
	const digits = "0123456789abcdef"
	out := ""
	for ; n > 0; n /= 16 {
		out = string(digits[n%16]) + out
	}
	if out == "" {
		return "0"
	}
	return out
}
