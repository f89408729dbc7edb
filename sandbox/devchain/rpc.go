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

// codeNotFound is JSON-RPC's "method not found".
const codeNotFound = -32601

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
	node http.Handler
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
	calls, batch, err := Calls(body)
	if err == nil {
		for _, c := range calls {
			if !Allowed(c.Method) {
				refuse(w, calls, batch, c.Method)
				return
			}
		}
	}
	// What is no JSON goes on as it is: the node has the right words for it.
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	h.node.ServeHTTP(w, r)
}

func refuse(w http.ResponseWriter, calls []Call, batch bool, method string) {
	type answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}
	out := make([]answer, len(calls))
	for i, c := range calls {
		if len(c.ID) == 0 {
			c.ID = json.RawMessage("null")
		}
		out[i] = answer{"2.0", c.ID, map[string]any{
			"code":    codeNotFound,
			"message": fmt.Sprintf("the method %s is not available in the sandbox", method),
		}}
	}
	w.Header().Set("Content-Type", "application/json")
	var doc any = out
	if !batch {
		doc = out[0]
	}
	if err := json.NewEncoder(w).Encode(doc); err != nil {
		return // the client is gone
	}
}
