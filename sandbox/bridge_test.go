package sandbox_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// dialEthereum connects to the second chain.
func dialEthereum(t *testing.T, w *sandbox.World) *ethclient.Client {
	t.Helper()
	c, err := ethclient.DialContext(t.Context(), w.EthereumRPCURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ethereumBlock(t *testing.T, home string) uint64 {
	t.Helper()
	st, err := sandbox.Control{Home: home}.Status(t.Context())
	if err != nil || st.Health == nil {
		t.Fatalf("status %+v, %v", st, err)
	}
	return st.Health.EthereumBlock
}

// TestTheSecondChainStartsWhenItIsAskedFor, and is gone after a reset until then.
func TestTheSecondChainStartsWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := start(t, sandbox.Options{Home: home, Listings: 1})
	if n := ethereumBlock(t, home); n != 0 {
		t.Errorf("it runs already: block %d", n)
	}
	c := dialEthereum(t, w)
	if id, err := c.ChainID(t.Context()); err != nil || id.Int64() != devchain.EthereumChainID {
		t.Errorf("chain id %v, %v", id, err)
	}
	to := common.HexToAddress("0x77")
	if _, err := w.SendOn(t.Context(), devchain.EthereumChainID, w.Buyer(), sandbox.Tx{To: to, Value: units.FromUint64(5)}); err != nil {
		t.Fatal(err)
	}
	if n := ethereumBlock(t, home); n < 2 {
		t.Errorf("block %d", n)
	}
	if n, err := c.BalanceAt(t.Context(), to, nil); err != nil || n.Int64() != 5 {
		t.Errorf("balance %v, %v", n, err)
	}
	if err := w.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := ethereumBlock(t, home); n != 0 {
		t.Errorf("it runs after the reset: block %d", n)
	}
	if n, err := c.BalanceAt(t.Context(), to, nil); err != nil || n.Sign() != 0 {
		t.Errorf("balance after the reset %v, %v", n, err)
	}
	cur, err := sandbox.Load(home)
	if err != nil || cur.EthereumRPCURL != w.EthereumRPCURL() || cur.RelayURL != w.RelayURL() || cur.EthereumChainID != devchain.EthereumChainID {
		t.Errorf("current %+v, %v", cur, err)
	}
}

func TestWhatTheBridgeNeedsIsThere(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 1})
	for _, chainID := range []int64{devchain.ChainID, devchain.EthereumChainID} {
		c, err := w.ClientOn(t.Context(), chainID)
		if err != nil {
			t.Fatal(err)
		}
		if code, err := c.CodeAt(t.Context(), demo.Depository(chainID), nil); err != nil || len(code) == 0 {
			t.Errorf("chain %d has no depository: %v", chainID, err)
		}
	}
	for _, c := range w.Demo().Currencies() {
		for _, k := range []demo.Key{w.Buyer(), w.Demo().Solver()} {
			if n, err := w.BalanceOf(t.Context(), c, k.Address()); err != nil || n.Cmp(c.Whole(10)) < 0 {
				t.Errorf("%s has %v %s on chain %d: %v", k, n, c.Symbol, c.ChainID, err)
			}
		}
	}
	if _, err := w.On(t.Context(), 1); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("chain 1: %v", err)
	}
	resp, err := http.Get(w.RelayURL() + "/chains")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
}

func TestDataDirKeepsBothChains(t *testing.T) {
	t.Parallel()
	dir, home, to := t.TempDir(), t.TempDir(), common.HexToAddress("0x77")
	for round, reset := range []bool{false, true} {
		w, err := sandbox.Start(t.Context(), sandbox.Options{Home: home, DataDir: dir, Listings: 1})
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			if _, err := w.SendOn(t.Context(), devchain.EthereumChainID, w.Buyer(), sandbox.Tx{To: to, Value: units.FromUint64(5)}); err != nil {
				t.Error(err)
			}
		}
		for _, want := range []int64{5, 0} {
			n, err := dialEthereum(t, w).BalanceAt(t.Context(), to, nil)
			if err != nil || n.Int64() != want {
				t.Errorf("round %d: balance %v, want %d: %v", round, n, want, err)
			}
			if !reset {
				break
			}
			if err := w.Reset(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFaultsOfTheSecondNode(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 1, Faults: []string{"ethereum/rpc-no-mining"}})
	c, first := dialEthereum(t, w), dial(t, w)
	tx := func(nonce uint64) *types.Transaction {
		to := common.HexToAddress("0x77")
		signed, err := w.Buyer().SignTx(&types.LegacyTx{Nonce: nonce, To: &to, Gas: 21_000, GasPrice: units.FromUint64(5e9).Big()}, devchain.EthereumChainID)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	held := tx(0)
	if err := c.SendTransaction(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	if _, pending, err := c.TransactionByHash(t.Context(), held.Hash()); err != nil || !pending {
		t.Errorf("pending %v, %v", pending, err)
	}
	w.ClearFaults()
	await(t, c, held)

	set(t, w, "ethereum/rpc-down")
	if _, err := c.ChainID(t.Context()); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("the second node: %v", err)
	}
	if _, err := first.ChainID(t.Context()); err != nil {
		t.Errorf("the first node: %v", err)
	}
	w.ClearFaults()

	set(t, w, "ethereum/rpc-reorg=1")
	gone := tx(1)
	if err := c.SendTransaction(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	await(t, c, gone)
	if _, err := c.ChainID(t.Context()); err != nil { // the next command
		t.Fatal(err)
	}
	if r, err := c.TransactionReceipt(t.Context(), gone.Hash()); err == nil {
		t.Errorf("it is still there: %+v", r)
	}
	w.ClearFaults()
	await(t, c, gone)
	if err := errors.Join(w.SetFault("ethereum/rpc-no-mining"), w.SetFault("relay-stuck")); err != nil {
		t.Error(err)
	}
	if got := strings.Join(w.Faults(), " "); got != "ethereum/rpc-no-mining relay-stuck" {
		t.Errorf("faults %s", got)
	}
}
