package chain_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
)

const chainID = devchain.ChainID

// world is a real chain behind a proxy that can fail, and a home.
type world struct {
	chain      *devchain.Chain
	proxy      *proxy
	url        string
	home       string
	sink, once common.Address // a contract that takes anything; one that takes one call and then reverts
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{home: t.TempDir()}
	w.contracts()
	funds, _ := new(big.Int).SetString("1000000000000000000000", 10)
	signer, err := chain.NewSandboxSigner(testKey)
	if err != nil {
		t.Fatal(err)
	}
	w.chain, err = devchain.Start(t.Context(), devchain.Options{Alloc: types.GenesisAlloc{
		signer.Address(): {Balance: funds},
		otherAccount(t):  {Balance: funds},
		w.sink:           {Balance: new(big.Int), Code: []byte{0x00}},
		// if (slot0 != 0) revert; slot0 = 1
		w.once: {Balance: new(big.Int), Code: common.FromHex("600054600c57600160005500" + "5b60006000fd")},
	}})
	if err != nil {
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
	return w
}

func (w *world) contracts() {
	w.sink, w.once = common.HexToAddress("0x5100"), common.HexToAddress("0x0ce0")
}

// otherKey is an account beside the tested one.
var otherKey = strings.Repeat("22", 32)

func otherAccount(t testing.TB) common.Address {
	t.Helper()
	s, err := chain.NewSandboxSigner(otherKey)
	if err != nil {
		t.Fatal(err)
	}
	return s.Address()
}

func (w *world) client(t *testing.T) *chain.Client {
	t.Helper()
	return dial(t, w.url, chain.DialOptions{WantChainID: chainID, NoRetry: true, Timeout: 5 * time.Second})
}

// proxy counts the calls of a node and lets a test answer in its place.
type proxy struct {
	next http.Handler
	mu   sync.Mutex
	// hook sees every call: n counts all of them from 1. It answers, or returns
	// false; with after set it is asked once the node has answered.
	hook func(n int, method string, w http.ResponseWriter, forward func()) bool
	n    int
	seen []string
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var call struct{ Method string }
	_ = json.Unmarshal(body, &call) // what is no call has no method
	p.mu.Lock()
	p.n++
	n, hook := p.n, p.hook
	p.seen = append(p.seen, call.Method)
	p.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	if hook != nil && hook(n, call.Method, w, func() { p.next.ServeHTTP(httptest.NewRecorder(), r) }) {
		return
	}
	p.next.ServeHTTP(w, r)
}

func (p *proxy) set(hook func(n int, method string, w http.ResponseWriter, forward func()) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook, p.n, p.seen = hook, 0, nil
}

// count returns how often a method was called since the last set.
func (p *proxy) count(method string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.seen {
		if m == method {
			n++
		}
	}
	return n
}

// lineLog is an event log as the sender sees it: a file of lines.
type lineLog struct {
	path  string
	scope telemetry.Scope
	fail  func(line []byte) error
}

func (l lineLog) Usable() error          { return nil }
func (l lineLog) Scope() telemetry.Scope { return l.scope }

func (l lineLog) Encode(d telemetry.Draft) ([]byte, error) {
	return json.Marshal(map[string]any{"eventType": d.Type, "traceId": l.scope.TraceID, "result": d.Result, "error": d.Err, "id": store.NewID("")})
}

func (l lineLog) AppendLine(_ context.Context, line []byte, sync bool) error {
	if !sync {
		return errors.New("a money event that is not synced")
	}
	if l.fail != nil {
		if err := l.fail(line); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

func (l lineLog) Last(_ context.Context, n int, match func([]byte) bool) (out []telemetry.Line, at telemetry.Cursor, err error) {
	b, err := os.ReadFile(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, at, nil
	}
	lines := bytes.Split(bytes.TrimRight(b, "\n"), []byte("\n"))
	for i := len(lines) - 1; i >= 0 && len(out) < n; i-- {
		if match == nil || match(lines[i]) {
			out = append(out, telemetry.Line{Data: lines[i]})
		}
	}
	return out, at, err
}

// story is a purchase for tests.
type story struct {
	Name  string
	check func(context.Context, chain.Receipt) error
}

func (s story) Kind() string                      { return "test.buy" }
func (s story) Context() (json.RawMessage, error) { return json.Marshal(s) }
func (s story) Submitted(tx chain.TxInfo) telemetry.Draft {
	return s.draft("submitted", tx, map[string]any{"nonce": tx.Nonce})
}
func (s story) Confirmed(ctx context.Context, tx chain.TxInfo, r chain.Receipt) (telemetry.Draft, error) {
	if s.check != nil {
		if err := s.check(ctx, r); err != nil {
			return telemetry.Draft{}, err
		}
	}
	return s.draft("confirmed", tx, map[string]any{"blockNumber": r.Block}), nil
}
func (s story) Reverted(tx chain.TxInfo, r chain.Receipt, reason string) telemetry.Draft {
	return s.draft("reverted", tx, map[string]any{"reason": reason})
}
func (s story) Unknown(tx chain.TxInfo, sent, why string) telemetry.Draft {
	return s.draft("unknown", tx, map[string]any{"reason": why, "sent": sent})
}
func (s story) draft(step string, tx chain.TxInfo, result map[string]any) telemetry.Draft {
	result["txHash"] = tx.Hash.Hex()
	return telemetry.Draft{Type: "test.buy." + step, ChainID: tx.ChainID, Money: true, Result: result}
}

func restore(kind string, keep json.RawMessage) (chain.Story, error) {
	var s story
	if kind != s.Kind() {
		return nil, fmt.Errorf("story %q", kind)
	}
	return s, json.Unmarshal(keep, &s)
}

// rig is a sender in one process's view of the world.
type rig struct {
	*chain.Sender
	w      *world
	home   string
	db     *sql.DB
	ledger *policy.Ledger
	log    lineLog
}

// open opens the world's home as a new process would. change may alter the options.
func (w *world) open(t testing.TB, trace string, change func(*chain.SenderOptions)) *rig {
	t.Helper()
	r, err := openRig(t.Context(), w.url, w.home, trace, change)
	if err != nil {
		t.Fatal(err)
	}
	r.w = w
	t.Cleanup(func() {
		if err := r.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// openRig is also what the child process of the kill tests calls.
func openRig(ctx context.Context, url, home, trace string, change func(*chain.SenderOptions)) (*rig, error) {
	db, err := store.OpenMoney(ctx, home)
	if err != nil {
		return nil, err
	}
	client, err := chain.Dial(ctx, url, chain.DialOptions{WantChainID: chainID, NoRetry: true, Timeout: 5 * time.Second})
	if err != nil {
		return nil, err
	}
	signer, err := chain.NewSandboxSigner(testKey)
	if err != nil {
		return nil, err
	}
	r := &rig{home: home, db: db, ledger: policy.NewLedger(db, time.Now)}
	r.log = lineLog{path: filepath.Join(home, "events.jsonl"), scope: telemetry.Scope{TraceID: trace}}
	o := chain.SenderOptions{
		DB: db, Home: home, Client: client, Signer: signer, Ledger: r.ledger, Recorder: r.log, Log: r.log, Now: time.Now, Restore: restore,
		RecorderFor: func(s telemetry.Scope) chain.Recorder { l := r.log; l.scope = s; return l },
		Wait:        5 * time.Second, LockWait: 2 * time.Second,
		Reprice: func(context.Context, chain.Story, policy.Tx) error { return nil },
	}
	if change != nil {
		change(&o)
	}
	r.Sender, err = chain.NewSender(o)
	return r, err
}

func intent(to common.Address, key, value string) chain.Intent {
	v, err := units.Parse(value, units.APEDecimals)
	if err != nil {
		panic(err)
	}
	return chain.Intent{Key: key, ChainID: chainID, To: to, Value: v, Data: []byte{0xca, 0xfe}, Story: story{Name: key}}
}

// grant is policy's leave for exactly p.
func (r *rig) grant(p chain.Prepared) (policy.Grant, error) {
	pol, err := policy.Load(policy.Sources{Sandbox: true, Home: r.home})
	if err != nil {
		return policy.Grant{}, err
	}
	now := time.Now()
	entry := policy.Entry{Slug: "demo", ContractAddress: p.Intent.To.Hex(), Enabled: true}
	pur := policy.Purchase{
		Collection: entry, Contract: entry.ContractAddress, Target: strings.ToLower(entry.ContractAddress), TokenID: "1", Asset: policy.NativeOf(chainID), Currency: "APE", Decimals: 18,
		Price: p.Intent.Value, FeeLimit: p.Fees.FeeCap, Now: now, QuoteExpires: now.Add(time.Hour), ChainNow: now, OrderExpires: now.Add(time.Hour),
		Simulation: policy.Simulation{State: policy.SimPassed},
	}
	pur.Confirm = pur.Phrase()
	for _, l := range pol.Limits(pur.Scope()) {
		pur.Spent = append(pur.Spent, policy.Use{Limit: l})
	}
	return policy.Decide(policy.Execute, policy.Fence{Policy: pol}, pur).Authorize(p.PolicyTx(), now.Add(time.Minute))
}

// buy prepares, grants and submits.
func (r *rig) buy(ctx context.Context, in chain.Intent) (chain.Outcome, error) {
	p, err := r.Prepare(ctx, in)
	if err != nil {
		return chain.Outcome{}, err
	}
	g, err := r.grant(p)
	if err != nil {
		return chain.Outcome{}, err
	}
	return r.Submit(ctx, p, g)
}

func ape(t *testing.T, s string) units.Wei {
	t.Helper()
	w, err := units.Parse(s, units.APEDecimals)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// trail returns the event types in the log, with the words that matter here.
func (r *rig) trail(t *testing.T) []string {
	t.Helper()
	lines, _, err := r.log.Last(t.Context(), 1000, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := len(lines) - 1; i >= 0; i-- {
		var e struct{ EventType, TraceID string }
		if err := json.Unmarshal(lines[i].Data, &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e.TraceID+":"+strings.TrimPrefix(e.EventType, "test.buy."))
	}
	return out
}

// usage returns what the cap counts: settled and reserved.
func (r *rig) usage(t *testing.T) policy.Usage {
	t.Helper()
	u, err := r.ledger.Usage(t.Context(), nil, policy.Scope{Asset: policy.NativeOf(chainID)})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// balance returns what an account holds, past the proxy.
func (w *world) balance(t *testing.T, of common.Address) units.Wei {
	t.Helper()
	b, err := w.chain.Client().BalanceAt(t.Context(), of, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := units.FromBig(b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// eventually calls f until it is true, for at most 20 s.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for !f() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s did not happen", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// nonce returns how many transactions of the account were mined.
func (w *world) nonce(t *testing.T, of common.Address) uint64 {
	t.Helper()
	n, err := w.chain.Client().NonceAt(t.Context(), of, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
