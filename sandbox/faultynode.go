package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// maxRPCBody bounds a JSON-RPC request: the node's own limit.
const maxRPCBody = 5 << 20

// faultyNode is the node's JSON-RPC with the faults that are asked for.
type faultyNode struct {
	next   http.Handler
	faults *faults.Set
	reorg  *reorg
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
	for _, c := range calls {
		if n.faults.OnFor(faults.RPCHang, c.Method) {
			<-r.Context().Done()
			return
		}
	}
	if slices.ContainsFunc(calls, func(c devchain.Call) bool { return c.Method == "eth_chainId" }) {
		if err := n.reorg.connected(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
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
	if slices.ContainsFunc(slices.Collect(maps.Values(lies)), func(l lie) bool { return l.held }) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = kept.Write(blank(calls, batch)) // a buffer never fails
	} else {
		n.next.ServeHTTP(&kept, r)
	}
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

// lie is what is answered instead of the truth.
type lie struct {
	result  json.RawMessage
	refusal string                                // an error of this text, in place of a result
	edit    func(json.RawMessage) json.RawMessage // what becomes of the true result
	held    bool                                  // the node is not told of the call
}

// lies returns the lies to tell, by request id.
func (n *faultyNode) lies(calls []devchain.Call) map[string]lie {
	out := map[string]lie{}
	for _, c := range calls {
		if l, on := n.lie(c.Method); on {
			out[string(c.ID)] = l
		}
	}
	return out
}

func (n *faultyNode) lie(method string) (l lie, on bool) {
	switch method {
	case "eth_chainId", "net_version":
		value, on := n.faults.On(faults.RPCChainID)
		id, err := strconv.ParseUint(value, 10, 32)
		if !on || err != nil {
			return lie{}, false
		}
		text := fmt.Sprintf(`"0x%x"`, id)
		if method == "net_version" {
			text = fmt.Sprintf(`"%d"`, id)
		}
		return lie{result: json.RawMessage(text)}, true
	case "eth_getTransactionReceipt":
		if _, on := n.faults.On(faults.RPCNoReceipt); on {
			return lie{result: json.RawMessage("null")}, true
		}
		if _, on := n.faults.On(faults.RPCIndexing); on {
			return lie{refusal: "transaction indexing is in progress"}, true
		}
		if _, on := n.faults.On(faults.RPCOtherReceipt); on {
			return lie{edit: otherReceipt}, true
		}
		if n.faults.Has(faults.RPCReorg) {
			return lie{edit: n.reorg.told}, true
		}
	case "eth_sendRawTransaction", "eth_sendRawTransactionSync":
		if _, on := n.faults.On(faults.RPCUnderpriced); on {
			return lie{refusal: "transaction underpriced", held: true}, true
		}
	case "eth_getBlockByNumber", "eth_getBlockByHash", "eth_getHeaderByNumber", "eth_getHeaderByHash", "eth_feeHistory", "eth_gasPrice", "eth_baseFee":
		if value, on := n.faults.On(faults.RPCBaseFee); on {
			factor, err := strconv.ParseUint(value, 10, 16)
			return lie{edit: func(result json.RawMessage) json.RawMessage { return lowerBaseFee(result, factor) }}, err == nil
		}
	}
	return lie{}, false
}

// otherReceipt makes a receipt another transaction's.
func otherReceipt(result json.RawMessage) json.RawMessage {
	var r map[string]json.RawMessage
	if json.Unmarshal(result, &r) != nil || r == nil {
		return result
	}
	r["transactionHash"] = json.RawMessage(`"0x` + strings.Repeat("0f", 32) + `"`)
	return marshalOr(r, result)
}

// lowerBaseFee divides the fees that an answer tells: a lone quantity, a block's
// baseFeePerGas, or a history of them.
func lowerBaseFee(result json.RawMessage, factor uint64) json.RawMessage {
	divide := func(v json.RawMessage) json.RawMessage {
		var text string
		if json.Unmarshal(v, &text) != nil {
			return v
		}
		fee, err := hexutil.DecodeBig(text)
		if err != nil {
			return v
		}
		return json.RawMessage(`"` + hexutil.EncodeBig(fee.Div(fee, new(big.Int).SetUint64(factor))) + `"`)
	}
	var r map[string]json.RawMessage
	if json.Unmarshal(result, &r) != nil || r == nil {
		return divide(result)
	}
	var history []json.RawMessage
	if json.Unmarshal(r["baseFeePerGas"], &history) == nil {
		for i := range history {
			history[i] = divide(history[i])
		}
		r["baseFeePerGas"] = marshalOr(history, r["baseFeePerGas"])
	} else if fee, ok := r["baseFeePerGas"]; ok {
		r["baseFeePerGas"] = divide(fee)
	}
	return marshalOr(r, result)
}

func marshalOr(v any, otherwise json.RawMessage) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return otherwise
	}
	return b
}

// rewrite puts lies into an answer. What can't be read goes out as it is.
func rewrite(answer []byte, batch bool, lies map[string]lie) []byte {
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
		l, ok := lies[string(d["id"])]
		switch {
		case !ok:
		case l.refusal != "":
			delete(d, "result")
			d["error"] = json.RawMessage(`{"code":-32000,"message":` + strconv.Quote(l.refusal) + `}`)
		case l.edit != nil:
			d["result"] = l.edit(d["result"])
		default:
			delete(d, "error")
			d["result"] = l.result
		}
	}
	var doc any = docs
	if !batch {
		doc = docs[0]
	}
	return marshalOr(doc, answer)
}

// blank is the answer that a node which is not asked would give to the calls.
func blank(calls []devchain.Call, batch bool) []byte {
	docs := make([]map[string]json.RawMessage, len(calls))
	for i, c := range calls {
		docs[i] = map[string]json.RawMessage{"jsonrpc": json.RawMessage(`"2.0"`), "id": c.ID}
	}
	if !batch {
		return marshalOr(docs[0], nil)
	}
	return marshalOr(docs, nil)
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
	w.holdMining(w.faults.Has(faults.RPCNoMining))
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
