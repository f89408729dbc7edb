package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/store"
)

// Two interrupts in a row, to the process or to its group, end it at once, and
// what it had sent is not lost.
func TestSecondInterrupt(t *testing.T) {
	t.Parallel()
	for name, group := range map[string]bool{"process": false, "group": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.inSandbox()
			quote, other := w.simulated(0), w.simulated(1)
			if err := s.SetFault("rpc-no-mining"); err != nil {
				t.Fatal(err)
			}
			cmd, stdout := w.submitted(quote)
			to := cmd.Process.Pid
			if group {
				to = -to // the program leads its own
			}
			for range 2 {
				if err := syscall.Kill(to, syscall.SIGINT); err != nil && err != syscall.ESRCH {
					t.Fatal(err)
				}
			}
			if exit := status(cmd.Wait()); exit == 0 {
				t.Errorf("exit %d: %s", exit, stdout)
			}
			if d, exit := w.doc("nft", "buy", "--quote", quote, "--execute", "--autonomous"); exit != 10 || d["code"] != "quote_used" {
				t.Errorf("the same quote again: exit %d, %v", exit, d)
			}
			s.ClearFaults()
			if err := s.Mine(); err != nil {
				t.Fatal(err)
			}
			if d, exit := w.doc("nft", "resume"); exit != 0 || d["settled"].([]any)[0].(map[string]any)["state"] != "confirmed" {
				t.Errorf("resume: exit %d, %v", exit, d)
			}
			if d, exit := w.doc("nft", "buy", "--quote", other, "--execute", "--autonomous"); exit != 0 {
				t.Errorf("the next: exit %d, %v", exit, d)
			}
		})
	}
}

// A stuck purchase is cancelled: the quote can be bought again, once.
func TestCancelAStuckPurchase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	quote := w.simulated(0)
	if err := s.SetFault("rpc-no-mining"); err != nil {
		t.Fatal(err)
	}
	cmd, _ := w.submitted(quote)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // unknown, as another test holds
	if d, exit := w.doc("nft", "resume", "--cancel", "--reprice"); exit != 64 {
		t.Errorf("both: exit %d, %v", exit, d)
	}
	done := make(chan struct{})
	var d map[string]any
	var exit int
	go func() { defer close(done); d, exit = w.doc("nft", "resume", "--cancel") }()
	deadline := time.Now().Add(30 * time.Second)
	for ; !strings.Contains(strings.Join(w.purchases(), " "), "replacing"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no cancellation was sent")
		}
	}
	s.ClearFaults()
	if err := s.Mine(); err != nil {
		t.Fatal(err)
	}
	<-done
	if exit != 0 || len(d["open"].([]any)) != 0 || d["settled"].([]any)[0].(map[string]any)["state"] != "cancelled" {
		t.Errorf("exit %d, %v", exit, d)
	}
	if d, exit := w.doc("nft", "buy", "--quote", quote, "--execute", "--autonomous"); exit != 0 {
		t.Errorf("the same quote again: exit %d, %v", exit, d)
	}
	if got, want := strings.Join(w.purchases(), " "), "submitted unknown replacing cancelled submitted confirmed"; got != want {
		t.Errorf("the log tells %q, want %q", got, want)
	}
}

// stuckCase is a home with a transaction that a node of ApeChain's id never mined,
// and with which that node mines what takes its place.
func stuckCase(command string) humanCase {
	key, kind, story := "nft.buy:q_1", "nft.buy", fmt.Sprintf(`{"quote":{"quoteId":"q_1","tokenId":"1","chainId":33139,"contractAddress":"0x%040x","protocolAddress":"0x%040x","orderHash":"0x%064x"},"buyer":%q}`, 1, 2, 3, demoAddress)
	if command == "bridge resume" {
		key, kind = fmt.Sprintf("bridge:0x%064x:2", 4), "bridge"
		story = fmt.Sprintf(`{"requestId":"0x%064x","routeId":"0x%064x","step":"deposit","from":"apechain","to":"ethereum","fromChain":33139,"toChain":1,"token":"APE","currencyIn":"0x%040x","amount":"1","account":%q,"contract":"0x%040x","depository":"0x%040x"}`,
			4, 5, 0, strings.ToLower(demoAddress), 2, 2)
	}
	return humanCase{
		command: command, args: append(strings.Fields(command), "--cancel"), prepare: func(w *world) { stuckHome(w, key, kind, story) },
		question: "cancel the transaction with nonce 0? Type yes: ", shows: []string{"stuck:", "fee:", "at most"},
	}
}

func stuckHome(w *world, key, kind, story string) {
	w.t.Helper()
	savedKey(w)
	node := httptest.NewServer(&oneNode{})
	w.t.Cleanup(node.Close)
	w.env = append(w.env, "RPC_URL_33139="+node.URL)
	db, err := store.OpenMoney(context.Background(), filepath.Join(w.dir, "user", ".ape-claw"))
	if err != nil {
		w.t.Fatal(err)
	}
	account, now := strings.ToLower(demoAddress), time.Now().UnixMilli()
	keep := fmt.Sprintf(`{"kind":%q,"story":%s,"scope":{}}`, kind, story)
	for query, args := range map[string][]any{
		`INSERT INTO clock (id, high_water) VALUES (1, ?)`: {now},
		`INSERT INTO spend (id, chain_id, account, asset, subject, kind, ref, amount, state, reserved_at) VALUES ('sp_1', 33139, ?, 'native', '', 'fee', ?, '1000000000000000000', 'reserved', ?)`: {account, key, now},
		`INSERT INTO tx (id, key, chain_id, account, state, nonce, to_addr, value, data, gas_limit, max_fee, max_tip, digest, spend_ids, hash, context, created_at, updated_at)
			VALUES ('tx_1', ?, 33139, ?, 'unknown', 0, ?, '1', x'00', 100000, '1000000000', '0', x'00', '[{"id":"sp_1","kind":"fee","amountWei":"1000000000000000000"}]', ?, ?, ?, ?)`: {
			key, account, fmt.Sprintf("0x%040x", 2), fmt.Sprintf("0x%064x", 9), keep, now, now},
	} {
		if _, err := db.Exec(query, args...); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// oneNode mines what it is sent and knows nothing else.
type oneNode struct {
	mu   sync.Mutex
	sent *types.Transaction
}

func (n *oneNode) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var call struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	block := fmt.Sprintf("0x%064x", 7)
	result := "null"
	switch call.Method {
	case "eth_chainId":
		result = `"0x8173"`
	case "eth_getTransactionCount", "eth_maxPriorityFeePerGas":
		result = `"0x0"`
	case "eth_estimateGas":
		result = `"0x5208"`
	case "eth_getBalance":
		result = `"0xde0b6b3a7640000"`
	case "eth_call":
		result = fmt.Sprintf(`"0x%064x"`, 5) // somebody else owns the token
	case "eth_getBlockByNumber":
		result = fmt.Sprintf(`{"number":"0x7","hash":%q,"timestamp":"0x1","baseFeePerGas":"0x3b9aca00"}`, block)
	case "eth_sendRawTransaction":
		var raw hexutil.Bytes
		var tx types.Transaction
		if json.Unmarshal(call.Params[0], &raw) == nil && tx.UnmarshalBinary(raw) == nil {
			n.sent, result = &tx, fmt.Sprintf("%q", tx.Hash())
		}
	case "eth_getTransactionReceipt":
		if n.sent != nil && strings.Contains(string(call.Params[0]), n.sent.Hash().Hex()) {
			result = fmt.Sprintf(`{"transactionHash":%q,"blockNumber":"0x7","blockHash":%q,"status":"0x1","gasUsed":"0x5208","effectiveGasPrice":"0x%x","logs":[]}`,
				n.sent.Hash(), block, n.sent.GasFeeCap())
		}
	}
	rw.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result) // the client may be gone
}

// A reorganisation takes a purchase back: it is unknown again, counts, and is then
// settled as what it becomes.
func TestReorganisation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	quote, other := w.simulated(0), w.simulated(1)
	if d, exit := w.doc("nft", "buy", "--quote", quote, "--execute", "--autonomous"); exit != 0 {
		t.Fatalf("exit %d, %v", exit, d)
	}
	if err := s.SetFault("rpc-no-mining"); err != nil {
		t.Fatal(err)
	}
	if err := s.Rewind(1); err != nil {
		t.Fatal(err)
	}
	if d, exit := w.doc("nft", "buy", "--quote", other, "--execute", "--autonomous"); exit != 10 || d["code"] != "conflict" {
		t.Errorf("the next purchase: exit %d, %v", exit, d)
	}
	if d, exit := w.doc("nft", "resume"); exit != 7 || d["open"].([]any)[0].(map[string]any)["state"] == "confirmed" {
		t.Errorf("while it waits again: exit %d, %v", exit, d)
	}
	s.ClearFaults()
	if err := s.Mine(); err != nil {
		t.Fatal(err)
	}
	if d, exit := w.doc("nft", "resume"); exit != 0 || d["settled"].([]any)[0].(map[string]any)["state"] != "confirmed" {
		t.Errorf("when it is mined again: exit %d, %v", exit, d)
	}
	w.settles(s, other, "submitted", "confirmed", "unknown", "confirmed", "submitted", "confirmed")
}
