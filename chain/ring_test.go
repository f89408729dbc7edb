package chain_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// ringNode answers like a node of a chain, or as its mood says.
type ringNode struct {
	*httptest.Server
	mu    sync.Mutex
	chain string
	mood  string // "" well, "503", "html", "revert"
	asked []string
	txs   bool // it knows every transaction
}

func newRingNode(t *testing.T, chainID string) *ringNode {
	n := &ringNode{chain: chainID}
	n.Server = httptest.NewServer(n)
	t.Cleanup(n.Close)
	return n
}

func (n *ringNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	_ = json.NewDecoder(r.Body).Decode(&q)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, q.Method)
	w.Header().Set("Content-Type", "application/json")
	answer := func(s string) { fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, q.ID, s) }
	switch {
	case n.mood == "503":
		http.Error(w, "busy", http.StatusServiceUnavailable)
	case n.mood == "html":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>")
	case q.Method == "eth_chainId":
		answer(`"result":"` + n.chain + `"`)
	case n.mood == "revert":
		answer(`"error":{"code":3,"message":"execution reverted"}`)
	case q.Method == "eth_getTransactionByHash" && !n.txs:
		answer(`"result":null`)
	case q.Method == "eth_sendRawTransaction":
		answer(`"result":"` + common.Hash{9}.Hex() + `"`)
	default:
		answer(`"result":"0x7"`)
	}
}

func (n *ringNode) set(mood string) { n.mu.Lock(); n.mood = mood; n.mu.Unlock() }

func (n *ringNode) count(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := 0
	for _, m := range n.asked {
		if m == method {
			c++
		}
	}
	return c
}

func ringOf(t *testing.T, told *[]string, nodes ...*ringNode) *chain.Client {
	t.Helper()
	var urls []string
	for _, n := range nodes {
		urls = append(urls, n.URL)
	}
	c, err := chain.Dial(t.Context(), strings.Join(urls, ", "), chain.DialOptions{WantChainID: 33139,
		Passed: func(from, to, why string) { *told = append(*told, from+" "+to+": "+why) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

const apeChain = "0x8173"

// A node that fails, or is of another chain, is passed over, and stays so.
func TestRingPassesOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chain, mood, says string
	}{
		"busy":          {apeChain, "503", "HTTP status 503"},
		"a page":        {apeChain, "html", "not JSON-RPC"},
		"another chain": {"0x1", "", "answers for chain 1, expected chain 33139"},
		"gone":          {apeChain, "gone", "can't be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad, good := newRingNode(t, c.chain), newRingNode(t, apeChain)
			bad.set(c.mood)
			if c.mood == "gone" {
				bad.Close()
			}
			var told []string
			client := ringOf(t, &told, bad, good)
			for range 3 {
				if n, err := client.NonceAt(t.Context(), common.Address{1}); err != nil || n != 7 {
					t.Fatalf("%d %v", n, err)
				}
			}
			if client.String() != good.URL || len(told) != 1 || !strings.Contains(told[0], c.says) || good.count("eth_getTransactionCount") != 3 {
				t.Errorf("at %s, told %q", client, told)
			}
			if id, err := client.CheckChain(t.Context()); err != nil || id != 33139 {
				t.Errorf("%d %v", id, err)
			}
			bad.set("")
			before := len(bad.asked)
			if _, err := client.Balance(t.Context(), common.Address{1}); err != nil || len(bad.asked) != before {
				t.Errorf("it went back: %v", err)
			}
		})
	}
}

// What a node answers is an answer, also when it is a no.
func TestRingTakesANo(t *testing.T) {
	t.Parallel()
	a, b := newRingNode(t, apeChain), newRingNode(t, apeChain)
	a.set("revert")
	var told []string
	client := ringOf(t, &told, a, b)
	if _, err := client.NonceAt(t.Context(), common.Address{1}); err == nil || b.count("eth_getTransactionCount") != 0 || len(told) != 0 {
		t.Errorf("%v, the other was asked %d times", err, b.count("eth_getTransactionCount"))
	}
}

// All of them fail: the error is the first one's.
func TestRingAllFail(t *testing.T) {
	t.Parallel()
	a, b := newRingNode(t, "0x1"), newRingNode(t, apeChain)
	b.set("503")
	var told []string
	if _, err := ringOf(t, &told, a, b).Balance(t.Context(), common.Address{1}); fault.CodeOf(err) != fault.ChainMismatch {
		t.Errorf("%v", err)
	}
}

// The chain is asked anew of the node that was read from, and of no other.
func TestRingChecksTheNodeItReadFrom(t *testing.T) {
	t.Parallel()
	a, b := newRingNode(t, apeChain), newRingNode(t, apeChain)
	var told []string
	client := ringOf(t, &told, a, b)
	if _, err := client.NonceAt(t.Context(), common.Address{1}); err != nil {
		t.Fatal(err)
	}
	a.mu.Lock()
	a.chain = "0x1"
	a.mu.Unlock()
	if _, err := client.CheckChain(t.Context()); fault.CodeOf(err) != fault.ChainMismatch {
		t.Errorf("a node that changed its chain before a signature: %v", err)
	}
}

// Of a transaction, the node that was given it is asked first, and only it may say
// that there is none.
func TestRingAsksWhoWasGivenIt(t *testing.T) {
	t.Parallel()
	a, b := newRingNode(t, apeChain), newRingNode(t, apeChain)
	var told []string
	client := ringOf(t, &told, a, b)
	hash, err := chain.SendRawForTest(t.Context(), client, []byte{2, 0xc0})
	if err != nil {
		t.Fatal(err)
	}
	a.set("503") // reads move on
	if _, err := client.Balance(t.Context(), common.Address{1}); err != nil || client.String() != b.URL {
		t.Fatalf("at %s, %v", client, err)
	}
	if known, err := client.Known(t.Context(), hash); err == nil || known {
		t.Errorf("who was not given it said that there is none, and was believed: %v %v", known, err)
	}
	b.mu.Lock()
	b.txs = true
	b.mu.Unlock()
	if known, err := client.Known(t.Context(), hash); err != nil || !known {
		t.Errorf("it is there: %v %v", known, err)
	}
	a.set("")
	before := b.count("eth_getTransactionByHash")
	if known, err := client.Known(t.Context(), hash); err != nil || known || b.count("eth_getTransactionByHash") != before {
		t.Errorf("who was given it has a word: %v %v", known, err)
	}
	if a.count("eth_sendRawTransaction") != 1 || b.count("eth_sendRawTransaction") != 0 {
		t.Error("it was sent twice")
	}
}

func TestSplitURLs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"http://a":                   {"http://a"},
		"http://a, https://b":        {"http://a", "https://b"},
		"http://a/x,y,https://b?c=,": {"http://a/x,y", "https://b?c=,"},
		"":                           {""},
	} {
		if got := chain.SplitURLs(in); !slices.Equal(got, want) {
			t.Errorf("%q: %q", in, got)
		}
	}
	if _, err := chain.Dial(t.Context(), "http://a,http://b", chain.DialOptions{}); fault.CodeOf(err) != fault.Usage {
		t.Errorf("two nodes of any chain: %v", err)
	}
	if _, err := chain.Dial(t.Context(), "http://a,ftp://b", chain.DialOptions{WantChainID: 1}); fault.CodeOf(err) != fault.Usage {
		t.Errorf("one that can't be used: %v", err)
	}
}
