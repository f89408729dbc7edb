package sandbox_test

import (
	"context"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/opensea"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func start(t *testing.T, opt sandbox.Options) *sandbox.World {
	t.Helper()
	w, err := sandbox.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func ape(t *testing.T, s string) units.Wei {
	t.Helper()
	w, err := units.Parse(s, units.APEDecimals)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// rpc calls a method over HTTP, as a user's client does.
func rpc(t *testing.T, url, method string) (string, error) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":[]}`, method)
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), nil
}

func TestReadyInTime(t *testing.T) {
	begin := time.Now()
	w := start(t, sandbox.Options{Home: t.TempDir()})
	got, err := rpc(t, w.RPCURL(), "eth_chainId")
	if err != nil || !strings.Contains(got, `"0x75ff93"`) {
		t.Fatalf("eth_chainId answers %s, %v", got, err)
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("ready after %s", took)
	} else {
		t.Logf("ready after %s", took)
	}
}

func TestOneSandboxAHome(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := start(t, sandbox.Options{Home: home})
	_, err := sandbox.Start(t.Context(), sandbox.Options{Home: home})
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) || !strings.Contains(err.Error(), w.MarketURL()) {
		t.Errorf("a second sandbox: %v", err)
	}
	if _, err := sandbox.Load(home); err != nil {
		t.Errorf("the refused one took the first one's place: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	start(t, sandbox.Options{Home: home})
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	home := t.TempDir()
	_, err = sandbox.Start(t.Context(), sandbox.Options{Home: home, Port: port})
	e := fault.From(err)
	if e.Code != fault.Conflict || !strings.Contains(e.Message, fmt.Sprintf("port %d is in use", port)) || !strings.Contains(e.Hint, "--port") {
		t.Errorf("got %v, hint %q", err, e.Hint)
	}
	start(t, sandbox.Options{Home: home}) // the failed start has freed the home
}

func TestWrongOptions(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]sandbox.Options{
		"fault":    {Faults: []string{"no-such-fault"}},
		"listings": {Listings: -3},
		"tokens":   {Tokens: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if w, err := sandbox.Start(t.Context(), opt); fault.CodeOf(err) != fault.Usage {
				t.Errorf("got %v, %v", w, err)
			}
		})
	}
}

func TestHomeThatIsAFile(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.Start(t.Context(), sandbox.Options{Home: home}); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("got %v", err)
	}
	if _, err := sandbox.Load(home); fault.CodeOf(err) != fault.Upstream {
		t.Errorf("Load: %v", err)
	}
}

func TestABoughtListingIsGone(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	const slug = "demo-apes"
	l, err := w.Cheapest(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	before := balance(t, w, w.Buyer().Address())
	r, err := w.Buy(t.Context(), w.Buyer(), l.Order)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := w.OwnerOf(t.Context(), slug, l.TokenID)
	if err != nil || owner != w.Buyer().Address() {
		t.Errorf("owner is %s, %v", owner, err)
	}
	wantStatus(t, w, l.Order, opensea.Fulfilled)
	fee := new(big.Int).Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed))
	spent := new(big.Int).Sub(before, balance(t, w, w.Buyer().Address()))
	if want := fee.Add(fee, l.Price.Big()); spent.Cmp(want) != 0 {
		t.Errorf("spent %s wei, want price and fee: %s", spent, want)
	}
	if _, err := w.Buy(t.Context(), w.Buyer(), l.Order); err == nil {
		t.Error("it could be bought twice")
	}
	next, err := w.Cheapest(t.Context(), slug)
	if err != nil || next.Hash == l.Hash {
		t.Errorf("the cheapest is %v, %v", next.Hash, err)
	}
}

func balance(t *testing.T, w *sandbox.World, a common.Address) *big.Int {
	t.Helper()
	b, err := w.Client().BalanceAt(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantStatus(t *testing.T, w *sandbox.World, o demo.Order, want opensea.Status) {
	t.Helper()
	l, err := w.Listing(t.Context(), o.Hash)
	if err != nil || l.Status != want {
		t.Errorf("order of %s #%s is %s, %v; want %s", o.Slug, o.TokenID, l.Status, err, want)
	}
}

func TestSameSeedSameChain(t *testing.T) {
	t.Parallel()
	genesis := func(seed string) common.Hash {
		h, err := start(t, sandbox.Options{Seed: seed}).Client().HeaderByNumber(t.Context(), new(big.Int))
		if err != nil {
			t.Fatal(err)
		}
		return h.Hash()
	}
	a, b, c := genesis("x"), genesis("x"), genesis("y")
	if a != b || a == c {
		t.Errorf("genesis of seed x: %s and %s; of y: %s", a, b, c)
	}
}

func TestDataDirKeepsPurchases(t *testing.T) {
	t.Parallel()
	home, data := t.TempDir(), t.TempDir()
	opt := sandbox.Options{Home: home, DataDir: data}
	w := start(t, opt)
	order := w.Demo().Orders[0]
	if _, err := w.Buy(t.Context(), w.Buyer(), order); err != nil {
		t.Fatal(err)
	}
	if w.Current().Home != data {
		t.Errorf("the profile's home is %s", w.Current().Home)
	}
	ledger := filepath.Join(data, "money.db")
	if err := os.WriteFile(ledger, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w = start(t, opt)
	wantStatus(t, w, order, opensea.Fulfilled)
	if _, err := os.Stat(ledger); err != nil {
		t.Errorf("the ledger is gone, and its chain is not: %v", err)
	}
	if err := w.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, w, order, opensea.Active)
	if _, err := os.Stat(ledger); err == nil {
		t.Error("the ledger outlived its chain")
	}
	if _, err := w.Buy(t.Context(), w.Buyer(), order); err != nil {
		t.Errorf("after a reset: %v", err)
	}
}

func TestFreshChainFreshLedger(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ledger := filepath.Join(home, "sandbox", "money.db")
	if err := store.EnsureDir(filepath.Dir(ledger)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ledger, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, sandbox.Options{Home: home})
	if _, err := os.Stat(ledger); err == nil {
		t.Error("a chain in memory is fresh, and its ledger is not")
	}
}

func TestLoopbackNamesOnly(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	for host, want := range map[string]int{"": 200, "localhost:1": 200, "evil.example": 403, "127.0.0.1.evil.example": 403} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.MarketURL()+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("host %q: status %d, want %d", host, resp.StatusCode, want)
		}
	}
}

func TestResetNeedsTheToken(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	resp, err := http.Post(w.MarketURL()+"/sandbox/reset", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestCanceledStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	home := t.TempDir()
	if _, err := sandbox.Start(ctx, sandbox.Options{Home: home}); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("got %v", err)
	}
	start(t, sandbox.Options{Home: home})
}
