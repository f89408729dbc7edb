package chain_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// nodeMessages are error answers as real nodes give them.
var nodeMessages = []struct {
	node    string
	code    int
	message string
	want    chain.Class
}{
	{"geth", -32000, "already known", chain.ClassAlreadyKnown},
	{"geth old", -32000, "known transaction: 0x2d1e9b8f4bf1b8a6c7f0dd4d3e4b2f7d6f4f8e8a3f3c4a5b6c7d8e9f0a1b2c3d", chain.ClassAlreadyKnown},
	{"erigon", -32000, "INTERNAL_ERROR: existing tx with same hash", chain.ClassAlreadyKnown},
	{"nethermind", -32010, "AlreadyKnown", chain.ClassAlreadyKnown},
	{"parity", -32010, "Transaction with the same hash was already imported.", chain.ClassAlreadyKnown},
	{"besu", -32000, "Known transaction", chain.ClassAlreadyKnown},

	{"geth", -32000, "nonce too low", chain.ClassNonceTooLow},
	{"geth", -32000, "nonce too low: next nonce 5, tx nonce 4", chain.ClassNonceTooLow},
	{"geth call", -32000, "nonce too low: address 0x0499BEA33347cb62D79A9C0b1EDA01d8d329894c, tx: 4 state: 5", chain.ClassNonceTooLow},
	{"nitro", -32000, "nonce too low: address 0x336394A3219e71D9d9bd18201d34E95C1Bb7122C, tx: 8089 state: 8090", chain.ClassNonceTooLow},
	{"arbitrum classic", -32000, "invalid transaction nonce", chain.ClassNonceTooLow},
	{"nethermind", -32010, "OldNonce, Current nonce: 22, nonce of rejected tx: 17", chain.ClassNonceTooLow},
	{"besu", -32001, "Nonce too low", chain.ClassNonceTooLow},
	{"parity", -32010, "Transaction nonce is too low. Try incrementing the nonce.", chain.ClassNonceTooLow},
	{"nitro", -32000, "nonce too high: address 0x336394A3219e71D9d9bd18201d34E95C1Bb7122C, tx: 8091 state: 8090", chain.ClassNonceTooHigh},
	{"nethermind", -32010, "NonceGap, Future nonce. Expected nonce: 10", chain.ClassNonceTooHigh},

	{"geth", -32000, "replacement transaction underpriced", chain.ClassReplaceUnderpriced},
	{"erigon", -32000, "could not replace existing tx", chain.ClassReplaceUnderpriced},
	{"nethermind", -32010, "ReplacementNotAllowed", chain.ClassReplaceUnderpriced},
	{"parity", -32010, "Transaction gas price supplied is too low; there is another transaction with same nonce", chain.ClassReplaceUnderpriced},

	{"geth", -32000, "insufficient funds for gas * price + value: balance 0, tx cost 42000000000000, overshot 42000000000000", chain.ClassInsufficientFunds},
	{"geth call", -32000, "insufficient funds for gas * price + value: address 0xb68D832c1241bc50db1CF09e96c0F4201D5539C9 have 9934612900000000 want 9935662900000000", chain.ClassInsufficientFunds},
	{"geth estimate", -32000, "err: insufficient funds for gas * price + value: address 0xb68D832c1241bc50db1CF09e96c0F4201D5539C9 have 0 want 1 (supplied gas 60000000)", chain.ClassInsufficientFunds},
	{"geth estimate", -32000, "insufficient funds for transfer", chain.ClassInsufficientFunds},
	{"nethermind", -32010, "InsufficientFunds, Account balance: 4740799397601480913, cumulative cost: 22019342038993800000", chain.ClassInsufficientFunds},
	{"besu", -32004, "Upfront cost exceeds account balance", chain.ClassInsufficientFunds},

	{"nitro", -32000, "max fee per gas less than block base fee: address 0x336394A3219e71D9d9bd18201d34E95C1Bb7122C, maxFeePerGas: 100000000 baseFee: 109440000", chain.ClassFeeCapTooLow},
	{"geth", -32000, "transaction underpriced", chain.ClassUnderpriced},
	{"geth", -32000, "transaction underpriced: gas tip cap 0, minimum needed 1", chain.ClassUnderpriced},
	{"geth", -32000, "transaction gas price below minimum: gas tip cap 0, minimum needed 1", chain.ClassUnderpriced},
	{"nethermind", -32010, "FeeTooLow, EffectivePriorityFeePerGas too low 10 < 20, BaseFee: 30", chain.ClassUnderpriced},
	{"geth", -32000, "tx fee (1.10 ether) exceeds the configured cap (1.00 ether)", chain.ClassFeeOverCap},
	{"geth", -32000, "max priority fee per gas higher than max fee per gas: address 0x0499BEA33347cb62D79A9C0b1EDA01d8d329894c, maxPriorityFeePerGas: 2, maxFeePerGas: 1", chain.ClassInvalid},

	{"geth", -32000, "intrinsic gas too low: gas 20000, minimum needed 21000", chain.ClassIntrinsicGas},
	{"nitro", -32000, "intrinsic gas too low", chain.ClassIntrinsicGas},
	{"geth", -32000, "insufficient gas for floor data gas cost: gas 21000, minimum needed 22000", chain.ClassIntrinsicGas},
	{"geth", -32000, "exceeds block gas limit", chain.ClassGasLimit},
	{"geth estimate", -32000, "gas required exceeds allowance (30000000)", chain.ClassGasLimit},
	{"geth", -32000, "transaction gas limit too high (cap: 16777216, tx: 30000000)", chain.ClassGasLimit},

	{"geth", -32000, "invalid sender", chain.ClassInvalid},
	{"geth", -32000, "invalid chain id for signer: have 33139 want 7733139", chain.ClassInvalid},
	{"geth", -32000, "only replay-protected (EIP-155) transactions allowed over RPC", chain.ClassInvalid},
	{"geth", -32000, "transaction type not supported", chain.ClassInvalid},
	{"geth", -32000, "rlp: expected input list for types.LegacyTx", chain.ClassInvalid},
	{"besu", -32000, "Wrong chainId", chain.ClassInvalid},

	{"geth", -32000, "txpool is full", chain.ClassPoolFull},
	{"geth", -32000, "account limit exceeded: pooled 64 txs", chain.ClassPoolFull},
	{"geth", -32000, "transaction indexing is in progress", chain.ClassIndexing},

	{"geth", 3, "execution reverted", chain.ClassReverted},
	{"geth", 3, "execution reverted: ERC721: transfer from incorrect owner", chain.ClassReverted},
	{"nitro", -32000, "execution reverted", chain.ClassReverted},
	{"parity", -32015, "VM execution error.", chain.ClassReverted},
	{"hardhat", -32603, "Error: VM Exception while processing transaction: reverted with reason string 'no'", chain.ClassReverted},
	{"geth", -32000, "out of gas", chain.ClassReverted},
	{"a contract that imitates a node", 3, "execution reverted: nonce too low", chain.ClassReverted},
	{"the same without geth's code", -32000, "execution reverted: insufficient funds for gas * price + value", chain.ClassReverted},

	{"infura", -32005, "daily request count exceeded, request rate limited", chain.ClassRateLimited},
	{"alchemy", 429, "Your app has exceeded its compute units per second capacity.", chain.ClassRateLimited},
	{"public", -32000, "Too many requests, reason: call rate limit exhausted", chain.ClassRateLimited},
	{"geth", -32002, "request timed out", chain.ClassTimeout},
	{"nitro", -32000, "context deadline exceeded", chain.ClassTimeout},
	{"geth", -32601, "the method eth_foo does not exist/is not available", chain.ClassMethodMissing},

	{"anything", -32603, "Internal error", chain.ClassOther},
	{"anything", -32000, "", chain.ClassOther},
	{"text that only holds the words", -32000, "the header said nonce too low was not the case", chain.ClassOther},
}

func TestNodeMessages(t *testing.T) {
	t.Parallel()
	var next struct {
		code    int
		message string
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(t, w, r, func(method string) (any, *rpcError) {
			if method == "eth_chainId" {
				return "0x1", nil
			}
			return nil, &rpcError{Code: next.code, Message: next.message}
		})
	}))
	defer srv.Close()
	c := dial(t, srv.URL, chain.DialOptions{NoRetry: true})
	for _, m := range nodeMessages {
		next.code, next.message = m.code, m.message
		_, err := c.Call(t.Context(), chain.CallMsg{}, nil, nil)
		var revert *chain.RevertError
		if m.want == chain.ClassReverted {
			if !errors.As(err, &revert) {
				t.Errorf("%s: %q is no revert: %v", m.node, m.message, err)
			}
			// Where nothing is run nothing reverts: that is the node's failure.
			if _, err := c.Balance(t.Context(), common.Address{1}); errors.As(err, &revert) || fault.CodeOf(err) != fault.Upstream {
				t.Errorf("%s: %q of a balance: %v", m.node, m.message, err)
			}
			continue
		}
		var node *chain.NodeError
		if !errors.As(err, &node) {
			t.Errorf("%s: %q: %v", m.node, m.message, err)
			continue
		}
		if node.Class != m.want {
			t.Errorf("%s: %q is of class %d, want %d", m.node, m.message, node.Class, m.want)
		}
		if fault.CodeOf(err) != fault.Upstream {
			t.Errorf("%s: code %s, want upstream", m.node, fault.CodeOf(err))
		}
	}
}

func TestRevertData(t *testing.T) {
	t.Parallel()
	reason := hexutil.MustDecode("0x08c379a0" +
		"0000000000000000000000000000000000000000000000000000000000000020" +
		"0000000000000000000000000000000000000000000000000000000000000004" +
		"6e6f706500000000000000000000000000000000000000000000000000000000")
	panicked := hexutil.MustDecode("0x4e487b71" + "0000000000000000000000000000000000000000000000000000000000000011")
	custom := hexutil.MustDecode("0x10fda3e1" + strings.Repeat("ab", 32))
	for _, c := range []struct {
		name, says string
		data       []byte
		err        rpcError
	}{
		{"geth with a reason", "execution reverted: nope", reason, rpcError{3, "execution reverted: nope", hexutil.Encode(reason)}},
		{"a panic", "arithmetic underflow", panicked, rpcError{3, "execution reverted", hexutil.Encode(panicked)}},
		{"a custom error", "error 0x10fda3e1", custom, rpcError{3, "execution reverted", hexutil.Encode(custom)}},
		{"parity", "nope", reason, rpcError{-32015, "VM execution error.", "Reverted " + hexutil.Encode(reason)}},
		{"no data", "execution reverted: nope", nil, rpcError{-32000, "execution reverted: nope", nil}},
		{"nothing", "without a reason", nil, rpcError{-32000, "execution reverted", "0x"}},
		{"broken data", "error 0x08c379a0", reason[:40], rpcError{3, "execution reverted", hexutil.Encode(reason[:40])}},
		{"data that is no text", "without a reason", nil, rpcError{3, "execution reverted", map[string]int{"a": 1}}},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer(t, w, r, func(method string) (any, *rpcError) {
				if method == "eth_chainId" {
					return "0x1", nil
				}
				return nil, &c.err
			})
		}))
		_, err := dial(t, srv.URL, chain.DialOptions{}).Call(t.Context(), chain.CallMsg{}, nil, nil)
		srv.Close()
		var revert *chain.RevertError
		if !errors.As(err, &revert) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !strings.Contains(revert.Error(), c.says) || string(revert.Data) != string(c.data) {
			t.Errorf("%s: %q with %x, want %q with %x", c.name, revert, revert.Data, c.says, c.data)
		}
	}
}

func FuzzDecodeRevert(f *testing.F) {
	f.Add(hexutil.MustDecode("0x08c379a00000000000000000000000000000000000000000000000000000000000000020"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := chain.DecodeRevert(data)
		if strings.ContainsAny(r.Error(), "\n\x00\x1b") || len(r.Reason) > 256 {
			t.Fatalf("reason %q", r.Reason)
		}
	})
}

// rpcError is the error of an answer.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// answer serves one JSON-RPC call.
func answer(t *testing.T, w http.ResponseWriter, r *http.Request, f func(method string) (any, *rpcError)) {
	t.Helper()
	var call struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		t.Error(err)
	}
	out := map[string]any{"jsonrpc": "2.0", "id": call.ID}
	if result, e := f(call.Method); e != nil {
		out["error"] = e
	} else {
		out["result"] = result
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(out); err != nil {
		t.Error(err)
	}
}

func dial(t *testing.T, url string, opt chain.DialOptions) *chain.Client {
	t.Helper()
	c, err := chain.Dial(t.Context(), url, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
