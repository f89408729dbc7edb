package v2_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// world is a dev chain with the contracts on it, behind a proxy that can fail.
type world struct {
	chain *devchain.Chain
	proxy *proxy
	url   string
	at    map[v2.Name]common.Address
}

// keyOf is the i-th funded key of a world. 0 deploys.
func keyOf(i int) *ecdsa.PrivateKey {
	k, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "v2 test %d", i)))
	if err != nil {
		panic(err)
	}
	return k
}

func accountOf(i int) common.Address { return crypto.PubkeyToAddress(keyOf(i).PublicKey) }

const funded = 40

// newWorld starts a chain and deploys everything to it. Tests that neither hold nor
// rewind the chain may share one, each with its own account.
func newWorld(t testing.TB) *world {
	t.Helper()
	g, err := devchain.NewGenesis(devchain.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	g.PlaceDeployer()
	for i := range funded {
		g.Fund(accountOf(i), uint256.MustFromDecimal("1000000000000000000000"))
	}
	alloc, err := g.Alloc()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{at: map[v2.Name]common.Address{}}
	if w.chain, err = devchain.Start(t.Context(), devchain.Options{Alloc: alloc}); err != nil {
		t.Fatal(err)
	}
	w.proxy = &proxy{next: w.chain.Handler()}
	srv := httptest.NewServer(w.proxy)
	w.url = srv.URL
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		if err := w.chain.Close(); err != nil {
			t.Error(err)
		}
	})
	nonce := uint64(0)
	for _, n := range contracts.Names() {
		var args []any
		switch n {
		case contracts.SkillRegistry:
			args = []any{w.at[contracts.SkillNFT]}
		case contracts.PolicyEngine:
			args = []any{accountOf(0)}
		case contracts.AgentAccount:
			args = []any{accountOf(0), w.at[contracts.PolicyEngine], w.at[contracts.ReceiptRegistry]}
		case contracts.PodVault:
			args = []any{[]common.Address{accountOf(0), accountOf(1)}, []*big.Int{big.NewInt(3), big.NewInt(1)}}
		}
		packed, err := contracts.ABI(n).Pack("", args...)
		if err != nil {
			t.Fatal(err)
		}
		init := append(contracts.InitCode(n), packed...)
		w.at[n] = contracts.Create2([32]byte{}, init)
		w.raw(t, 0, nonce, contracts.Deployer, nil, append(make([]byte, 32), init...))
		nonce++
	}
	return w
}

// raw sends a transaction beside everything that is tested.
func (w *world) raw(t testing.TB, from int, nonce uint64, to common.Address, value *big.Int, data []byte) *types.Receipt {
	t.Helper()
	tx, err := types.SignNewTx(keyOf(from), types.LatestSignerForChainID(big.NewInt(devchain.ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(devchain.ChainID), Nonce: nonce, To: &to, Value: value, Data: data, Gas: 5_000_000, GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(1e11),
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.chain.Client().SendTransactionSync(t.Context(), tx, nil)
	if err != nil || r.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("%v, %+v", err, r)
	}
	return r
}

// read calls a view of a contract.
func (w *world) read(t testing.TB, n v2.Name, method string, args ...any) []any {
	t.Helper()
	a := contracts.ABI(n)
	data, err := a.Pack(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := chain.Dial(t.Context(), w.url, chain.DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	out, err := c.Call(t.Context(), chain.CallMsg{To: w.at[n], Data: data}, nil, nil)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	v, err := a.Unpack(method, out)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// home is where an account keeps its money journal, policy and log.
type home struct {
	*world
	dir  string
	who  int
	ask  func(context.Context, v2.Action) (string, error)
	wait time.Duration
	step func(string)
	lax  bool // what was signed may be sent again

	bought boughtHere
}

func (w *world) home(t testing.TB, who int) *home {
	t.Helper()
	return &home{world: w, dir: t.TempDir(), who: who, wait: 10 * time.Second}
}

func (h *home) address() common.Address { return accountOf(h.who) }
func (h *home) state() string           { return filepath.Join(h.dir, "state") }

// policy writes a policy that narrows the sandbox's.
func (h *home) policy(t testing.TB, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, "policy.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// process is one run: its own databases, recorder, client and sender.
type process struct {
	*v2.Service
	h      *home
	sender *chain.Sender
	client *chain.Client
	ledger *policy.Ledger
}

// open makes a process. Tests change its dependencies by with.
func (h *home) open(t testing.TB, with ...func(*v2.Deps)) *process {
	t.Helper()
	p, closeAll, err := h.start(t.Context(), with...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeAll(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (h *home) start(ctx context.Context, with ...func(*v2.Deps)) (*process, func() error, error) {
	key := hex.EncodeToString(crypto.FromECDSA(keyOf(h.who)))
	log := telemetry.NewLog(h.state(), telemetry.LogOptions{})
	scope := telemetry.Scope{TraceID: "trace_1", Command: "ape-claw test", ChainID: devchain.ChainID, AgentID: "tester"}
	red := telemetry.NewRedactor(key)
	rec := telemetry.NewRecorder(log, red, time.Now, scope)
	money, err := store.OpenMoney(ctx, h.dir)
	if err != nil {
		return nil, nil, err
	}
	client, err := chain.Dial(ctx, h.url, chain.DialOptions{WantChainID: devchain.ChainID, NoRetry: true, Timeout: 10 * time.Second})
	if err != nil {
		return nil, nil, err
	}
	signer, err := chain.NewSandboxSigner(key)
	if err != nil {
		return nil, nil, err
	}
	p := &process{h: h, client: client, ledger: policy.NewLedger(money, time.Now)}
	o := chain.SenderOptions{
		DB: money, Home: h.dir, Client: client, Signer: signer, Ledger: p.ledger, Recorder: rec, Log: log, Now: time.Now, Wait: h.wait, Step: h.step,
		Restore: func(kind string, kept json.RawMessage) (chain.Story, error) { return v2.Restore(client, kind, kept) },
		RecorderFor: func(s telemetry.Scope) chain.Recorder {
			return telemetry.NewRecorder(log, red, time.Now, s)
		},
		Reprice: func(ctx context.Context, story chain.Story, tx policy.Tx) error { return p.Reprice(ctx, story, tx) },
	}
	if h.lax {
		o.Reconsider = func(ctx context.Context, story chain.Story, tx policy.Tx) error { return p.Reconsider(ctx, story, tx) }
	}
	if p.sender, err = chain.NewSender(o); err != nil {
		return nil, nil, err
	}
	named := map[v2.Name]v2.Address{}
	for n, a := range h.at {
		named[n] = v2.Address{Address: a.Hex(), From: "the test"}
	}
	d := v2.Deps{
		Now: time.Now, Recorder: rec, TraceID: scope.TraceID, AgentID: scope.AgentID, Subject: "agent:" + scope.AgentID, Named: named, Ask: h.ask,
		Records: filepath.Join(h.state(), "v2-deployments"),
		Fence: func(context.Context) (policy.Fence, error) {
			return policy.LoadFence(policy.Sources{Home: h.dir, Sandbox: true}), nil
		},
		Chain:   func(context.Context) (v2.Chain, error) { return client, nil },
		Account: func(context.Context) (common.Address, error) { return signer.Address(), nil },
		Sender:  func(context.Context) (v2.Sender, error) { return p.sender, nil },
		Ledger:  func(context.Context) (v2.Ledger, error) { return p.ledger, nil },
		Journal: func(ctx context.Context, key string) (chain.OpenTx, bool, error) {
			return chain.FindTx(ctx, money, time.Now, key)
		},
		Log:       func(context.Context) (v2.Log, error) { return log, nil },
		Purchases: &h.bought,
	}
	for _, f := range with {
		f(&d)
	}
	p.Service = v2.New(d)
	return p, func() error {
		client.Close()
		return errors.Join(money.Close(), log.Close())
	}, nil
}

// event is a line of the log.
type event struct {
	Type    string         `json:"eventType"`
	TraceID string         `json:"traceId"`
	OK      bool           `json:"ok"`
	DryRun  bool           `json:"dryRun"`
	Payload map[string]any `json:"payload"`
	Result  map[string]any `json:"result"`
	Error   string         `json:"error"`
}

// events is the log of a home.
func (h *home) events(t testing.TB) (all []event) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(h.state(), "events.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, e)
	}
	return all
}

// types are the types of the log's events.
func (h *home) types(t testing.TB) []string {
	t.Helper()
	out := []string{}
	for _, e := range h.events(t) {
		out = append(out, e.Type)
	}
	return out
}

// last is the newest event of a type.
func (h *home) last(t testing.TB, typ string) event {
	t.Helper()
	all := h.events(t)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Type == typ {
			return all[i]
		}
	}
	t.Fatalf("no %s among %v", typ, h.types(t))
	return event{}
}

// nonce counts the account's mined transactions.
func (h *home) nonce(t testing.TB) uint64 {
	t.Helper()
	n, err := h.chain.Client().NonceAt(t.Context(), h.address(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// wantFault checks an error's code and what it says of the broadcast.
func wantFault(t testing.TB, err error, code fault.Code, sent string) *fault.Error {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("%v (%s), want %s", err, fault.CodeOf(err), code)
	}
	f := fault.From(err)
	if sent != "" && f.Sent != sent {
		t.Errorf("sent %q, want %q: %v", f.Sent, sent, err)
	}
	return f
}

func ape(t testing.TB, s string) units.Wei {
	t.Helper()
	w, err := units.Parse(s, units.APEDecimals)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// proxy stands before the node: a hook may answer in its place.
type proxy struct {
	next http.Handler
	mu   sync.Mutex
	hook func(method string, body []byte, w http.ResponseWriter, forward func() []byte) bool
	seen map[string]int
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var call struct{ Method string }
	_ = json.Unmarshal(body, &call) // what is no call has no method
	p.mu.Lock()
	hook := p.hook
	if p.seen == nil {
		p.seen = map[string]int{}
	}
	p.seen[call.Method]++
	p.mu.Unlock()
	again := func() *http.Request {
		r := r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		return r
	}
	if hook != nil && hook(call.Method, body, w, func() []byte {
		rec := httptest.NewRecorder()
		p.next.ServeHTTP(rec, again())
		return rec.Body.Bytes()
	}) {
		return
	}
	p.next.ServeHTTP(w, again())
}

func (p *proxy) set(hook func(method string, body []byte, w http.ResponseWriter, forward func() []byte) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook, p.seen = hook, nil
}

func (p *proxy) count(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[method]
}
