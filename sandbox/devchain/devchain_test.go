package devchain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/holiman/uint256"
	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

var testKey, _ = crypto.ToECDSA(crypto.Keccak256([]byte("devchain test")))

func TestMain(m *testing.M) {
	code := m.Run()
	http.DefaultClient.CloseIdleConnections()
	// Two of geth's have no end of their own: see the same place in sandbox.
	if err := goleak.Find(
		goleak.IgnoreTopFunction("github.com/ethereum/go-ethereum/core.(*txSenderCacher).cache"),
		goleak.IgnoreTopFunction("github.com/syndtr/goleveldb/leveldb.(*DB).mpoolDrain"),
	); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// alloc is a genesis with Seaport and a rich test account.
func alloc(t *testing.T) types.GenesisAlloc {
	t.Helper()
	g, err := devchain.NewGenesis(devchain.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.PlaceSeaport(); err != nil {
		t.Fatal(err)
	}
	g.Fund(crypto.PubkeyToAddress(testKey.PublicKey), uint256.MustFromDecimal("1000000000000000000000"))
	a, err := g.Alloc()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func start(t *testing.T, opt devchain.Options) *devchain.Chain {
	t.Helper()
	if opt.Alloc == nil {
		opt.Alloc = alloc(t)
	}
	c, err := devchain.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// send signs and sends one wei to nobody, paying feeCap a gas.
func send(t *testing.T, c *ethclient.Client, nonce uint64, feeCap *big.Int) common.Hash {
	t.Helper()
	to := common.HexToAddress("0xdead")
	tx, err := types.SignNewTx(testKey, types.LatestSignerForChainID(big.NewInt(devchain.ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(devchain.ChainID), Nonce: nonce, To: &to, Value: big.NewInt(1),
		Gas: 21000, GasTipCap: big.NewInt(1), GasFeeCap: feeCap,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	return tx.Hash()
}

func awaitReceipt(t *testing.T, c *ethclient.Client, hash common.Hash) *types.Receipt {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		if r, err := c.TransactionReceipt(ctx, hash); err == nil {
			return r
		}
		select {
		case <-ctx.Done():
			t.Fatal("no receipt after 10 s")
		case <-tick.C:
		}
	}
}

func msg(to common.Address, data []byte) ethereum.CallMsg {
	return ethereum.CallMsg{To: &to, Data: data}
}

func TestSeaportIsReal(t *testing.T) {
	t.Parallel()
	c := start(t, devchain.Options{})
	call := func(data []byte) []byte {
		out, err := c.Client().CallContract(t.Context(), msg(seaport.Address, data), nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	sp := seaport.NewSeaport()
	info, err := sp.UnpackInformation(call(sp.PackInformation()))
	if err != nil {
		t.Fatal(err)
	}
	if info.Version != "1.6" || info.ConduitController != seaport.ConduitController {
		t.Errorf("information() = version %q, controller %s", info.Version, info.ConduitController)
	}
	name, err := sp.UnpackName(call(sp.PackName()))
	if err != nil || name != "Seaport" {
		t.Errorf("name() = %q, %v", name, err)
	}
}

func TestMinesEachTransaction(t *testing.T) {
	t.Parallel()
	c := start(t, devchain.Options{})
	client := c.Client()
	for nonce := range uint64(5) {
		r := awaitReceipt(t, client, send(t, client, nonce, big.NewInt(1e10)))
		if r.Status != types.ReceiptStatusSuccessful {
			t.Fatalf("transaction %d: status %d", nonce, r.Status)
		}
	}
	if got := c.Head().Number.Uint64(); got < 3 {
		t.Errorf("head is block %d after five transactions, one after another", got)
	}
}

func TestUnderpricedTransactionDoesNotSpin(t *testing.T) {
	t.Parallel()
	c := start(t, devchain.Options{})
	client := c.Client()
	begin, before := time.Now(), c.Head().Number.Uint64()
	// One wei a gas is under the base fee, so that blocks leave it out.
	send(t, client, 0, big.NewInt(1))
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for c.Head().Number.Uint64() < before+2 {
		<-tick.C
	}
	if took := time.Since(begin); took < 200*time.Millisecond {
		t.Errorf("two empty blocks came within %s: the miner does not pause", took)
	}
}

func TestHoldKeepsTransactionsWaiting(t *testing.T) {
	t.Parallel()
	c := start(t, devchain.Options{})
	client := c.Client()
	release := c.Hold()
	before := c.Head().Number.Uint64()
	hash := send(t, client, 0, big.NewInt(1e10))
	if _, pending, err := client.TransactionByHash(t.Context(), hash); err != nil || !pending {
		t.Fatalf("pending = %v, %v", pending, err)
	}
	if got := c.Head().Number.Uint64(); got != before {
		t.Errorf("block %d was mined while mining is held", got)
	}
	release()
	awaitReceipt(t, client, hash)
}

func TestRewindTakesBlocksBack(t *testing.T) {
	t.Parallel()
	c := start(t, devchain.Options{})
	client := c.Client()
	hash := send(t, client, 0, big.NewInt(1e10))
	first := awaitReceipt(t, client, hash)

	release := c.Hold()
	if err := c.Rewind(1); err != nil {
		t.Fatal(err)
	}
	if c.Head().Hash() == first.BlockHash {
		t.Error("the block is still the head")
	}
	if r, err := client.TransactionReceipt(t.Context(), hash); err == nil {
		t.Errorf("there is a receipt still: %+v", r)
	}
	release()
	if again := awaitReceipt(t, client, hash); again.BlockHash == first.BlockHash {
		t.Error("it is in the block that was taken back")
	}
	if err := c.Rewind(1000); err == nil {
		t.Error("rewound to before the genesis")
	}
}

func TestAdvanceTime(t *testing.T) {
	t.Parallel()
	c := start(t, devchain.Options{})
	before := c.Head()
	if age := time.Since(time.Unix(int64(before.Time), 0)); age > time.Minute {
		t.Errorf("the first head is %s old", age)
	}
	if err := c.AdvanceTime(time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := c.Head().Time - before.Time; got != 3600 {
		t.Errorf("head moved by %d s, want 3600", got)
	}
	awaitReceipt(t, c.Client(), send(t, c.Client(), 0, big.NewInt(1e10)))
	if c.Head().Time < before.Time+3600 {
		t.Error("the clock went back with the next block")
	}
}

func TestDataDirKeepsTheChain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := alloc(t)
	c, err := devchain.Start(t.Context(), devchain.Options{DataDir: dir, Alloc: a})
	if err != nil {
		t.Fatal(err)
	}
	hash := send(t, c.Client(), 0, big.NewInt(1e10))
	want := awaitReceipt(t, c.Client(), hash)

	_, err = devchain.Start(t.Context(), devchain.Options{DataDir: dir, Alloc: a})
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "used by another") {
		t.Errorf("a second chain in the same directory: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	c = start(t, devchain.Options{DataDir: dir, Alloc: a})
	got := awaitReceipt(t, c.Client(), hash)
	if got.BlockHash != want.BlockHash {
		t.Errorf("after a restart the transaction is in block %s, was in %s", got.BlockHash, want.BlockHash)
	}
	awaitReceipt(t, c.Client(), send(t, c.Client(), 1, big.NewInt(1e10)))
}

func TestDataDirOfAnotherChainIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := devchain.Start(t.Context(), devchain.Options{DataDir: dir, Alloc: alloc(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = devchain.Start(t.Context(), devchain.Options{DataDir: dir})
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "another seed") {
		t.Errorf("got %v", err)
	}
}

func TestStartHonoursCancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := devchain.Start(ctx, devchain.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestHandlerAllowsReadingAndSigned(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(start(t, devchain.Options{}).Handler())
	t.Cleanup(srv.Close)
	tests := []struct {
		name, body, want string
	}{
		{"chain id", `{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`, `"result":"0x75ff93"`},
		{"client", `{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}`, `"result":"devchain`},
		{"no accounts", `{"jsonrpc":"2.0","id":1,"method":"eth_accounts"}`, `"result":[]`},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","id":2,"method":"net_version"}]`, `"result":"7733139"`},
		{"admin", `{"jsonrpc":"2.0","id":7,"method":"admin_datadir"}`, `"id":7,"error":{"code":-32601`},
		{"miner", `{"jsonrpc":"2.0","id":1,"method":"miner_setGasLimit","params":["0x1"]}`, `-32601`},
		{"debug", `{"jsonrpc":"2.0","id":1,"method":"debug_setHead","params":["0x0"]}`, `-32601`},
		{"pool", `{"jsonrpc":"2.0","id":1,"method":"txpool_content"}`, `-32601`},
		{"signing", `{"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{}]}`, `-32601`},
		{"hidden in a batch", ` [{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","id":2,"method":"debug_setHead","params":["0x0"]}]`, `-32601`},
		{"subscription", `{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}`, `-32601`},
		{"spelling", `{"jsonrpc":"2.0","id":1,"Method":"debug_setHead","params":["0x0"]}`, `-32601`},
		{"no JSON", `{`, `-32700`},
		{"beside a bad element", `[{"jsonrpc":"2.0","id":1,"method":"debug_setHead","params":["0x0"]},5]`, `-32700`},
		{"before something else", `{"jsonrpc":"2.0","id":1,"method":"debug_setHead","params":["0x0"]} x`, `-32700`},
		{"before another document", `{"jsonrpc":"2.0","id":1,"method":"debug_chainConfig"}{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`, `-32700`},
		{"behind an empty one", `{}{"jsonrpc":"2.0","id":1,"method":"debug_chainConfig"}`, `-32700`},
		{"said twice", `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","method":"debug_chainConfig"}`, `-32601`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp, err := http.Post(srv.URL, "application/json", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			got, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got), tt.want) {
				t.Errorf("answered %s\nwant %s in it", got, tt.want)
			}
			if len(got) > 0 && !json.Valid(got) {
				t.Errorf("no JSON: %s", got)
			}
		})
	}
}

func TestGenesisIsDeterministic(t *testing.T) {
	t.Parallel()
	hash := func() common.Hash {
		c := start(t, devchain.Options{})
		h, err := c.Client().HeaderByNumber(t.Context(), new(big.Int))
		if err != nil {
			t.Fatal(err)
		}
		return h.Hash()
	}
	if a, b := hash(), hash(); a != b {
		t.Errorf("genesis %s, then %s", a, b)
	}
}
