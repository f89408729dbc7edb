package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// maxRPCBody bounds a JSON-RPC request: the node's own limit.
const maxRPCBody = 5 << 20

// faultyNode is the node's JSON-RPC with the faults that are asked for.
type faultyNode struct {
	next   http.Handler
	faults *faults.Set
}

func (n *faultyNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, on := n.faults.On(faults.RPCDown); on {
		http.Error(w, "upstream connect error", http.StatusServiceUnavailable)
		return
	}
	if value, on := n.faults.On(faults.RPCSlow); on && !wait(r, value) {
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRPCBody))
	if err != nil {
		http.Error(w, "request too large", http.StatusRequestEntityTooLarge)
		return
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))

	calls, batch, err := devchain.Calls(body)
	if err != nil || len(calls) == 0 {
		n.next.ServeHTTP(w, r)
		return
	}
	if n.loses(calls) {
		n.next.ServeHTTP(&discard{header: http.Header{}}, r)
		panic(http.ErrAbortHandler) // net/http's way to drop a connection
	}
	lies := n.lies(calls)
	if len(lies) == 0 {
		n.next.ServeHTTP(w, r)
		return
	}
	kept := discard{header: w.Header()}
	n.next.ServeHTTP(&kept, r)
	w.Header().Del("Content-Length")
	if _, err := w.Write(rewrite(kept.body.Bytes(), batch, lies)); err != nil {
		return // the client is gone
	}
}

// loses reports whether this request's answer gets lost.
func (n *faultyNode) loses(calls []devchain.Call) bool {
	for _, c := range calls {
		if strings.HasPrefix(c.Method, "eth_sendRawTransaction") {
			_, on := n.faults.On(faults.RPCLostResponse)
			return on
		}
	}
	return false
}

// lies returns what is answered instead of the truth, by request id.
func (n *faultyNode) lies(calls []devchain.Call) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, c := range calls {
		switch c.Method {
		case "eth_chainId", "net_version":
			value, on := n.faults.On(faults.RPCChainID)
			id, err := strconv.ParseUint(value, 10, 32)
			if !on || err != nil {
				continue
			}
			text := fmt.Sprintf(`"0x%x"`, id)
			if c.Method == "net_version" {
				text = fmt.Sprintf(`"%d"`, id)
			}
			out[string(c.ID)] = json.RawMessage(text)
		case "eth_getTransactionReceipt":
			if _, on := n.faults.On(faults.RPCNoReceipt); on {
				out[string(c.ID)] = json.RawMessage("null")
			}
		}
	}
	return out
}

// rewrite puts lies into an answer. What can't be read goes out as it is.
func rewrite(answer []byte, batch bool, lies map[string]json.RawMessage) []byte {
	var docs []map[string]json.RawMessage
	if batch {
		if err := json.Unmarshal(answer, &docs); err != nil {
			return answer
		}
	} else {
		docs = make([]map[string]json.RawMessage, 1)
		if err := json.Unmarshal(answer, &docs[0]); err != nil {
			return answer
		}
	}
	for _, d := range docs {
		if lie, ok := lies[string(d["id"])]; ok {
			delete(d, "error")
			d["result"] = lie
		}
	}
	var doc any = docs
	if !batch {
		doc = docs[0]
	}
	out, err := json.Marshal(doc)
	if err != nil {
		return answer
	}
	return out
}

// discard is a ResponseWriter that keeps the answer from the client.
type discard struct {
	header http.Header
	body   bytes.Buffer
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(b []byte) (int, error) { return d.body.Write(b) }

// wait pauses, unless the client leaves first.
func wait(r *http.Request, value string) bool {
	d, err := time.ParseDuration(value)
	if err != nil {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-t.C:
		return true
	}
}

// followMining holds or releases mining as the fault rpc-no-mining says.
func (w *World) followMining() {
	on := false
	for _, spec := range w.faults.Active() {
		on = on || strings.HasPrefix(spec, string(faults.RPCNoMining))
	}
	w.holdMining(on)
}

func (w *World) holdMining(on bool) {
	w.holdMu.Lock()
	defer w.holdMu.Unlock()
	switch {
	case on && w.hold == nil && w.live != nil:
		w.hold = w.chain().Hold()
	case !on && w.hold != nil:
		w.hold()
		w.hold = nil
	}
}
