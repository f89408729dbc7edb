package devchain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// maxBody bounds one JSON-RPC request or batch: geth's own limit.
const maxBody = 5 << 20

// Error codes of JSON-RPC.
const (
	codeParse    = -32700
	codeNotFound = -32601
)

// allowed are the methods a stranger on this machine may call: they read, or
// hand in a transaction that is signed already. Node administration, mining,
// debugging and everything that signs is left out.
var allowed = strings.Fields(`
eth_accounts eth_baseFee eth_blobBaseFee eth_blockNumber eth_call eth_chainId
eth_config eth_createAccessList eth_estimateGas eth_feeHistory eth_gasPrice
eth_getBalance eth_getBlockByHash eth_getBlockByNumber eth_getBlockReceipts
eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber
eth_getCode eth_getFilterChanges eth_getFilterLogs eth_getHeaderByHash
eth_getHeaderByNumber eth_getLogs eth_getProof
eth_getRawTransactionByHash eth_getStorageAt
eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex
eth_getTransactionByHash eth_getTransactionCount eth_getTransactionReceipt
eth_maxPriorityFeePerGas eth_newBlockFilter eth_newFilter
eth_sendRawTransaction eth_sendRawTransactionSync eth_simulateV1 eth_syncing
eth_uninstallFilter
net_listening net_peerCount net_version web3_clientVersion web3_sha3`)

// Allowed reports whether Handler serves a JSON-RPC method.
func Allowed(method string) bool { return slices.Contains(allowed, method) }

// Handler serves the chain's JSON-RPC, allowed methods only.
type Handler struct {
	node   http.Handler
	settle func() error // waits until the newest block is settled
}

// tellsReceipts reports whether a method's answer says that a transaction is
// mined. It is held back until the block is settled: whoever has a receipt may
// count on the block's balances and nonces, and on its survival.
func tellsReceipts(method string) bool {
	return method == "eth_getTransactionReceipt" || method == "eth_sendRawTransactionSync" || method == "eth_getBlockReceipts"
}

// Call is one JSON-RPC request as far as it must be understood here.
type Call struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// Calls reads the calls of a JSON-RPC body and says whether it is a batch.
func Calls(body []byte) (calls []Call, batch bool, err error) {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '[' {
		return calls, true, json.Unmarshal(body, &calls)
	}
	calls = make([]Call, 1)
	return calls, false, json.Unmarshal(body, &calls[0])
}

// ServeHTTP answers one request. A batch with a refused call is refused whole.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "JSON-RPC is sent by POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "request too large", http.StatusRequestEntityTooLarge)
		return
	}
	// What can't be read here is not passed on: the node might read it, as it
	// does a batch with one bad element, or a document with more behind it.
	calls, batch, err := Calls(body)
	if err != nil {
		respond(w, refuse(nil, codeParse, "this is no JSON-RPC request"))
		return
	}
	for _, c := range calls {
		if !Allowed(c.Method) {
			refuseAll(w, calls, batch, c.Method)
			return
		}
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if !slices.ContainsFunc(calls, func(c Call) bool { return tellsReceipts(c.Method) }) {
		h.node.ServeHTTP(w, r)
		return
	}
	kept := answer{header: w.Header()}
	h.node.ServeHTTP(&kept, r)
	if err := h.settle(); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if kept.status != 0 {
		w.WriteHeader(kept.status)
	}
	if _, err := w.Write(kept.body.Bytes()); err != nil {
		return // the client is gone
	}
}

// answer is a ResponseWriter that keeps what is written.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

// refusal is a JSON-RPC error answer.
type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func refuse(id json.RawMessage, code int, message string) refusal {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	r := refusal{Version: "2.0", ID: id}
	r.Error.Code, r.Error.Message = code, message
	return r
}

func refuseAll(w http.ResponseWriter, calls []Call, batch bool, method string) {
	out := make([]refusal, len(calls))
	for i, c := range calls {
		out[i] = refuse(c.ID, codeNotFound, fmt.Sprintf("the method %s is not available in the sandbox", method))
	}
	if batch {
		respond(w, out)
		return
	}
	respond(w, out[0])
}

func respond(w http.ResponseWriter, doc any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(doc); err != nil {
		return // the client is gone
	}
}
