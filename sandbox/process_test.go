package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/opensea"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// childEnv makes this test binary a sandbox in the foreground, as the command
// `ape-claw sandbox up --json` is. Its value is the options, as JSON.
const childEnv = "APE_CLAW_TEST_SANDBOX"

type childOptions struct {
	Home, DataDir string
	Port          int
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		os.Exit(child(text))
	}
	code := m.Run()
	http.DefaultClient.CloseIdleConnections()
	// Three of geth's goroutines have no end: its pool for recovering senders,
	// and a memory pool of its peer database, which ends by itself a little later.
	if err := goleak.Find(
		goleak.IgnoreTopFunction("github.com/ethereum/go-ethereum/core.(*txSenderCacher).cache"),
		goleak.IgnoreTopFunction("github.com/syndtr/goleveldb/leveldb.(*DB).mpoolDrain"),
	); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func child(text string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var o childOptions
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1
	}
	w, err := sandbox.Start(ctx, sandbox.Options{Home: o.Home, DataDir: o.DataDir, Port: o.Port})
	if err == nil {
		<-ctx.Done()
		err = w.Close()
	}
	if err != nil {
		if err := json.NewEncoder(os.Stdout).Encode(fault.From(err)); err != nil {
			return 1
		}
		return fault.ExitCode(err)
	}
	return 0
}

func detached(t *testing.T, o childOptions) sandbox.Detached {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Detached{Home: o.Home, Exe: exe, Env: append(os.Environ(), childEnv+"="+string(text)), Dir: t.TempDir()}
}

// detach starts a sandbox in the background and ends it with the test.
func detach(t *testing.T, o childOptions) *sandbox.Current {
	t.Helper()
	c, err := sandbox.Detach(t.Context(), detached(t, o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reap(t, c.PID) })
	return c
}

// reap ends a child for good. It is an error of no interest if it has ended.
func reap(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
			t.Logf("wait for %d: %v", pid, err)
		}
	}
}

func TestDetachStatusDown(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ctl := sandbox.Control{Home: home}
	st, err := ctl.Status(t.Context())
	if err != nil || st.Running || st.Stale || st.Current != nil {
		t.Fatalf("before: %+v, %v", st, err)
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
		t.Errorf("asking for the status left %v, %v", entries, err)
	}
	c := detach(t, childOptions{Home: home})
	if c.PID == os.Getpid() {
		t.Error("it runs in this process")
	}
	st, err = ctl.Status(t.Context())
	if err != nil || !st.Running || st.Health.PID != c.PID || st.Health.ChainID != 7733139 || st.Health.Block == 0 {
		t.Fatalf("running: %+v, %v", st, err)
	}
	if _, err := sandbox.Detach(t.Context(), detached(t, childOptions{Home: home})); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a second one: %v", err)
	}
	if _, err := sandbox.Start(t.Context(), sandbox.Options{Home: home}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a second one in this process: %v", err)
	}
	if st, err := ctl.Down(t.Context()); err != nil || !st.Running {
		t.Fatalf("down: %+v, %v", st, err)
	}
	if _, err := os.Stat(filepath.Join(home, "sandbox", "current.json")); err == nil {
		t.Error("current.json is still there")
	}
	if st, err := ctl.Down(t.Context()); err != nil || st.Running || st.Current != nil {
		t.Errorf("down again: %+v, %v", st, err)
	}
}

func TestDetachTellsTheChildsError(t *testing.T) {
	t.Parallel()
	taken := start(t, sandbox.Options{})
	_, port, ok := strings.Cut(strings.TrimPrefix(taken.MarketURL(), "http://"), ":")
	n, err := strconv.Atoi(port)
	if !ok || err != nil {
		t.Fatal(taken.MarketURL())
	}
	_, err = sandbox.Detach(t.Context(), detached(t, childOptions{Home: t.TempDir(), Port: n}))
	e := fault.From(err)
	if e.Code != fault.Conflict || !strings.Contains(e.Message, "port "+port+" is in use") || e.Hint == "" {
		t.Errorf("got %s %v, hint %q", e.Code, err, e.Hint)
	}
}

func TestDetachOfNothing(t *testing.T) {
	t.Parallel()
	d := detached(t, childOptions{Home: t.TempDir()})
	d.Exe = filepath.Join(t.TempDir(), "nothing")
	if _, err := sandbox.Detach(t.Context(), d); err == nil {
		t.Error("a missing program was started")
	}
	d.Exe, d.Args, d.Env = "/bin/sh", []string{"-c", "echo boo; exit 3"}, nil
	_, err := sandbox.Detach(t.Context(), d)
	if err == nil || !strings.Contains(err.Error(), "status 3") {
		t.Errorf("got %v", err)
	}
}

func TestKilledIsStale(t *testing.T) {
	t.Parallel()
	home, data := t.TempDir(), t.TempDir()
	ctl := sandbox.Control{Home: home}
	c := detach(t, childOptions{Home: home, DataDir: data})

	order := buyOverHTTP(t, c)
	reap(t, c.PID)
	if _, err := os.Stat(filepath.Join(home, "sandbox", "current.json")); err != nil {
		t.Fatalf("a killed sandbox leaves its file: %v", err)
	}
	if _, err := sandbox.Load(home); fault.CodeOf(err) != fault.Upstream || !strings.Contains(err.Error(), "gone") {
		t.Errorf("Load: %v", err)
	}
	st, err := ctl.Status(t.Context())
	if err != nil || st.Running || !st.Stale || !strings.Contains(st.Reason, fmt.Sprint(c.PID)) {
		t.Errorf("status: %+v, %v", st, err)
	}
	if _, err := ctl.Reset(t.Context(), ""); fault.CodeOf(err) != fault.Upstream {
		t.Errorf("reset: %v", err)
	}
	if st, err := ctl.Down(t.Context()); err != nil || !st.Stale {
		t.Errorf("down: %+v, %v", st, err)
	}
	if st, err := ctl.Status(t.Context()); err != nil || st.Stale {
		t.Errorf("after down: %+v, %v", st, err)
	}
	// What was mined a moment before the kill is not lost.
	wantStatus(t, start(t, sandbox.Options{Home: home, DataDir: data}), order, opensea.Fulfilled)
}

// buyOverHTTP buys the first listing of the default world as any client would,
// and returns when its receipt is there.
func buyOverHTTP(t *testing.T, c *sandbox.Current) demo.Order {
	t.Helper()
	world, err := demo.New(demo.Options{Seed: c.Seed})
	if err != nil {
		t.Fatal(err)
	}
	client, err := ethclient.DialContext(t.Context(), c.RPCURL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	order := world.Orders[0]
	tx, err := world.Buyer.SignTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(c.ChainID), To: &seaport.Address, Value: order.Price.Big(), Gas: 300_000,
		GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(5e9),
		Data: seaport.Contract().PackFulfillBasicOrderEfficient6GL6yc(seaport.Basic(order.Components, order.Signature)),
	}, c.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var receipt *types.Receipt
	if err := client.Client().CallContext(t.Context(), &receipt, "eth_sendRawTransactionSync", hexutil.Bytes(raw)); err != nil || receipt.Status != 1 {
		t.Fatalf("receipt %+v, %v", receipt, err)
	}
	return order
}

func TestAnothersPidIsNotSignalled(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := detach(t, childOptions{Home: home})
	reap(t, c.PID)
	// The pid of a process that lives and is no sandbox: ours. A SIGTERM would
	// end this test.
	path := filepath.Join(home, "sandbox", "current.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = []byte(strings.Replace(string(b), fmt.Sprintf(`"pid": %d`, c.PID), fmt.Sprintf(`"pid": %d`, os.Getpid()), 1))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	ctl := sandbox.Control{Home: home}
	if st, err := ctl.Status(t.Context()); err != nil || st.Running || !st.Stale {
		t.Errorf("status: %+v, %v", st, err)
	}
	if _, err := ctl.Down(t.Context()); err != nil {
		t.Errorf("down: %v", err)
	}
}

func TestAnothersPortIsNotOurs(t *testing.T) {
	t.Parallel()
	other := t.TempDir()
	w := start(t, sandbox.Options{Home: other})
	b, err := os.ReadFile(filepath.Join(other, "sandbox", "current.json"))
	if err != nil {
		t.Fatal(err)
	}
	// A home whose sandbox was killed; another one has got its port and, to make
	// it worse, its pid. A SIGTERM would end this test.
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "sandbox"), 0o700); err != nil {
		t.Fatal(err)
	}
	b = []byte(strings.Replace(string(b), w.Current().Instance, "sandbox_of_old", 1))
	if err := os.WriteFile(filepath.Join(home, "sandbox", "current.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	ctl := sandbox.Control{Home: home}
	if st, err := ctl.Status(t.Context()); err != nil || st.Running || !st.Stale {
		t.Fatalf("status: %+v, %v", st, err)
	}
	if st, err := ctl.Down(t.Context()); err != nil || !st.Stale {
		t.Errorf("down: %+v, %v", st, err)
	}
	if _, err := rpc(t, w.RPCURL(), "eth_chainId"); err != nil {
		t.Errorf("the other one does not answer any more: %v", err)
	}
}

func TestResetFromOutside(t *testing.T) {
	t.Parallel()
	home, data := t.TempDir(), t.TempDir()
	w := start(t, sandbox.Options{Home: home, DataDir: data})
	order := w.Demo().Orders[0]
	if _, err := w.Buy(t.Context(), w.Buyer(), order); err != nil {
		t.Fatal(err)
	}
	ctl := sandbox.Control{Home: home}
	st, err := ctl.Reset(t.Context(), "")
	if err != nil || !st.Running || st.Health.Block != 1 {
		t.Fatalf("reset: %+v, %v", st, err)
	}
	wantStatus(t, w, order, opensea.Active)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ctl.Reset(t.Context(), data); err != nil {
		t.Errorf("of a data directory at rest: %v", err)
	}
	if _, err := os.Stat(filepath.Join(data, "devchain")); err == nil {
		t.Error("its chain is still there")
	}
	if _, err := ctl.Reset(t.Context(), data); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("of a directory without a chain: %v", err)
	}
}

func TestDamagedCurrent(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "sandbox"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "sandbox", "current.json"), []byte(`{"pid":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.Load(home); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("Load: %v", err)
	}
	// A start that fails after it has the home leaves no trace of the old one.
	if _, err := sandbox.Start(t.Context(), sandbox.Options{Home: home, Port: -1}); err == nil {
		t.Error("started on port -1")
	}
	if st, err := (sandbox.Control{Home: home}).Status(t.Context()); err != nil || st.Current != nil {
		t.Errorf("after a failed start: %+v, %v", st, err)
	}
	start(t, sandbox.Options{Home: home}) // a start puts it right
	if _, err := sandbox.Load(home); err != nil {
		t.Errorf("Load: %v", err)
	}
}
