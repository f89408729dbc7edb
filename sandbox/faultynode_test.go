package sandbox_test

import (
	"context"
	"errors"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/ape-claw/ape-claw/sandbox"
)

// transfer signs one wei from the buyer to itself.
func transfer(t *testing.T, w *sandbox.World, nonce uint64) *types.Transaction {
	t.Helper()
	to := w.Buyer().Address()
	tx, err := w.Buyer().SignTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(w.ChainID()), Nonce: nonce, To: &to, Value: big.NewInt(1), Gas: 21_000,
		GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(5e9),
	}, w.ChainID())
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

func dial(t *testing.T, w *sandbox.World) *ethclient.Client {
	t.Helper()
	c, err := ethclient.DialContext(t.Context(), w.RPCURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func set(t *testing.T, w *sandbox.World, specs ...string) {
	t.Helper()
	for _, s := range specs {
		if err := w.SetFault(s); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWrongChainID(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Faults: []string{"rpc-chain-id=1"}})
	c := dial(t, w)
	if id, err := c.ChainID(t.Context()); err != nil || id.Int64() != 1 {
		t.Errorf("chain id %v, %v", id, err)
	}
	if id, err := c.NetworkID(t.Context()); err != nil || id.Int64() != 1 {
		t.Errorf("network id %v, %v", id, err)
	}
	if _, err := c.BlockNumber(t.Context()); err != nil {
		t.Errorf("other methods: %v", err)
	}
	batch := `[{"jsonrpc":"2.0","id":"a","method":"eth_chainId"},{"jsonrpc":"2.0","id":"b","method":"eth_blockNumber"}]`
	resp, err := http.Post(w.RPCURL(), "application/json", strings.NewReader(batch))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || strings.Count(string(b), `"result":"0x1"`) != 2 { // chain id 1, block 1
		t.Errorf("batch: %s, %v", b, err)
	}
	w.ClearFaults()
	if id, err := c.ChainID(t.Context()); err != nil || id.Int64() != w.ChainID() {
		t.Errorf("after it: %v, %v", id, err)
	}
}

func TestLostResponse(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	c := dial(t, w)
	set(t, w, "rpc-lost-response*1")
	tx := transfer(t, w, 0)
	if err := c.SendTransaction(t.Context(), tx); err == nil {
		t.Error("the answer arrived")
	}
	if r := await(t, c, tx); r.Status != 1 {
		t.Errorf("receipt %+v", r)
	}
	if err := c.SendTransaction(t.Context(), transfer(t, w, 1)); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

func await(t *testing.T, c *ethclient.Client, tx *types.Transaction) *types.Receipt {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for range 5000 {
		if r, err := c.TransactionReceipt(t.Context(), tx.Hash()); err == nil {
			return r
		}
		<-tick.C
	}
	t.Fatal("no receipt after 10 s")
	return nil
}

func TestNoReceipt(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	c := dial(t, w)
	tx := transfer(t, w, 0)
	if err := c.SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	await(t, c, tx)
	set(t, w, "rpc-no-receipt*1")
	if r, err := c.TransactionReceipt(t.Context(), tx.Hash()); !errors.Is(err, ethereum.NotFound) {
		t.Errorf("receipt %v, %v", r, err)
	}
	await(t, c, tx)
}

func TestNoMining(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Faults: []string{"rpc-no-mining"}})
	c := dial(t, w)
	tx := transfer(t, w, 0)
	if err := c.SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	if _, pending, err := c.TransactionByHash(t.Context(), tx.Hash()); err != nil || !pending {
		t.Errorf("pending %v, %v", pending, err)
	}
	w.ClearFaults()
	await(t, c, tx)
	set(t, w, "rpc-no-mining")
	if err := w.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	tx = transfer(t, w, 0)
	if err := c.SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	if _, pending, err := c.TransactionByHash(t.Context(), tx.Hash()); err != nil || !pending {
		t.Errorf("after a reset: pending %v, %v", pending, err)
	}
}

func TestNodeDownAndSlow(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	c := dial(t, w)
	set(t, w, "rpc-down*1")
	if _, err := c.BlockNumber(t.Context()); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("down: %v", err)
	}
	set(t, w, "rpc-slow=20ms*1")
	begin := time.Now()
	if _, err := c.BlockNumber(t.Context()); err != nil || time.Since(begin) < 20*time.Millisecond {
		t.Errorf("slow: %v after %s", err, time.Since(begin))
	}
	if _, err := c.BlockNumber(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestNodeThatHangs(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Faults: []string{"rpc-hang=eth_chainId"}})
	c := dial(t, w)
	if _, err := c.BlockNumber(t.Context()); err != nil {
		t.Errorf("another method: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := c.ChainID(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it answered: %v", err)
	}
}

func TestOddReceipts(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	c := dial(t, w)
	tx := transfer(t, w, 0)
	if err := c.SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	await(t, c, tx)
	set(t, w, "rpc-indexing*1")
	if r, err := c.TransactionReceipt(t.Context(), tx.Hash()); err == nil || !strings.Contains(err.Error(), "transaction indexing is in progress") {
		t.Errorf("receipt %v, %v", r, err)
	}
	set(t, w, "rpc-other-receipt*1")
	if r, err := c.TransactionReceipt(t.Context(), tx.Hash()); err != nil || r.TxHash == tx.Hash() || r.Status != 1 {
		t.Errorf("receipt %v, %v", r, err)
	}
	if r := await(t, c, tx); r.TxHash != tx.Hash() {
		t.Errorf("after it: %v", r.TxHash)
	}
}

func TestUnderpriced(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	c := dial(t, w)
	set(t, w, "rpc-underpriced*1")
	tx := transfer(t, w, 0)
	if err := c.SendTransaction(t.Context(), tx); err == nil || err.Error() != "transaction underpriced" {
		t.Errorf("got %v", err)
	}
	if _, _, err := c.TransactionByHash(t.Context(), tx.Hash()); !errors.Is(err, ethereum.NotFound) {
		t.Errorf("the node has it: %v", err)
	}
	if err := c.SendTransaction(t.Context(), tx); err != nil {
		t.Error(err)
	}
	await(t, c, tx)
}

func TestBaseFeeThatRises(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	c := dial(t, w)
	real := w.Head().BaseFee
	set(t, w, "rpc-base-fee=10")
	h, err := c.HeaderByNumber(t.Context(), nil)
	if err != nil || h.BaseFee.Cmp(new(big.Int).Div(real, big.NewInt(10))) != 0 {
		t.Errorf("base fee %v of %v, %v", h.BaseFee, real, err)
	}
	var history struct {
		BaseFee []string `json:"baseFeePerGas"`
	}
	if err := c.Client().CallContext(t.Context(), &history, "eth_feeHistory", "0x1", "latest", []int{}); err != nil || len(history.BaseFee) != 2 || history.BaseFee[0] != "0x"+h.BaseFee.Text(16) {
		t.Errorf("history %v, %v", history, err)
	}
	if price, err := c.SuggestGasPrice(t.Context()); err != nil || price.Cmp(real) >= 0 {
		t.Errorf("gas price %v, %v", price, err)
	}
	w.ClearFaults()
	if h, err = c.HeaderByNumber(t.Context(), nil); err != nil || h.BaseFee.Cmp(real) != 0 {
		t.Errorf("after it: %v, %v", h.BaseFee, err)
	}
}
