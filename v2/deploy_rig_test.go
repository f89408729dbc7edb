package v2_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// ground is a chain on which contracts are deployed. Tests share it: each has an
// account of its own, and with it addresses of its own.
type ground struct {
	chain *devchain.Chain
	url   string
	taken atomic.Uint64
}

const deployers = 40

func deployKey(n uint64) *ecdsa.PrivateKey {
	k, err := crypto.ToECDSA(crypto.Keccak256([]byte("deploys"), new(big.Int).SetUint64(n).Bytes()))
	if err != nil {
		panic(err)
	}
	return k
}

func newGround(t *testing.T, proxy bool) *ground {
	t.Helper()
	g, err := devchain.NewGenesis(devchain.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	g.PlaceDeployer()
	if !proxy {
		g.SetCode(contracts.Deployer, nil)
	}
	for i := range uint64(deployers) {
		g.Fund(crypto.PubkeyToAddress(deployKey(i).PublicKey), uint256.MustFromDecimal("1000000000000000000000"))
	}
	alloc, err := g.Alloc()
	if err != nil {
		t.Fatal(err)
	}
	c, err := devchain.Start(context.Background(), devchain.Options{Alloc: alloc})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(c.Handler())
	t.Cleanup(func() {
		srv.Close()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return &ground{chain: c, url: srv.URL}
}

// site is a home and a state directory of one account.
type site struct {
	t           testing.TB
	url         string
	key         *ecdsa.PrivateKey
	home, state string
}

func (g *ground) site(t *testing.T) *site {
	t.Helper()
	n := g.taken.Add(1) - 1
	if n >= deployers {
		t.Fatal("more accounts are needed")
	}
	s := &site{t: t, url: g.url, key: deployKey(n), home: t.TempDir(), state: t.TempDir()}
	s.policy(`{}`)
	return s
}

// policy writes the home's policy: what is given, over one that allows much.
func (s *site) policy(more string) {
	s.t.Helper()
	all := map[string]any{
		"apechainChainId": devchain.ChainID, "apechainRpcUrl": "", "nativeGasToken": "APE",
		"nftBuy":    map[string]any{"maxPricePerTx": 100, "currencyAllowlist": []string{"APE"}, "denyUnlimitedApprovals": true, "simulationRequired": true},
		"execution": map[string]any{"dailySpendCap": 1000, "confirmPhraseRequired": true, "autonomousMode": true},
	}
	if err := json.Unmarshal([]byte(more), &all); err != nil {
		s.t.Fatal(err)
	}
	b, err := json.Marshal(all)
	if err != nil {
		s.t.Fatal(err)
	}
	for name, text := range map[string][]byte{"policy.json": b, "allowlist.json": []byte("[]")} {
		if err := os.WriteFile(filepath.Join(s.home, name), text, 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *site) address() common.Address { return crypto.PubkeyToAddress(s.key.PublicKey) }

func (s *site) records() string { return filepath.Join(s.state, "v2-deployments") }

func (s *site) recordPath() string { return filepath.Join(s.records(), "sandbox.json") }

// run is one process of the account.
type deployRun struct {
	*v2.Service
	Client *chain.Client
	Sender *chain.Sender
	close  func() error
}

// open makes a process of the account; change may alter what it is made of.
func (s *site) open(ctx context.Context, step func(string), change func(*v2.Deps)) (*deployRun, error) {
	log := telemetry.NewLog(s.state, telemetry.LogOptions{})
	rec := telemetry.NewRecorder(log, telemetry.NewRedactor(), time.Now, telemetry.Scope{TraceID: "trace_d", Command: "ape-claw test", ChainID: devchain.ChainID})
	money, err := store.OpenMoney(ctx, s.home)
	if err != nil {
		return nil, err
	}
	client, err := chain.Dial(ctx, s.url, chain.DialOptions{WantChainID: devchain.ChainID})
	if err != nil {
		return nil, err
	}
	signer, err := chain.NewSandboxSigner(hex.EncodeToString(crypto.FromECDSA(s.key)))
	if err != nil {
		return nil, err
	}
	ledger := policy.NewLedger(money, time.Now)
	r := &deployRun{Client: client}
	o := chain.SenderOptions{
		DB: money, Home: s.home, Client: client, Signer: signer, Ledger: ledger, Recorder: rec, Log: log, Now: time.Now, Wait: 10 * time.Second, Step: step,
		Restore: func(kind string, kept json.RawMessage) (chain.Story, error) { return v2.Restore(client, kind, kept) },
		Reconsider: func(ctx context.Context, told chain.Story, tx policy.Tx) error {
			return r.Reconsider(ctx, told, tx)
		},
	}
	if r.Sender, err = chain.NewSender(o); err != nil {
		return nil, err
	}
	d := v2.Deps{
		Now: time.Now, Recorder: rec, Records: s.records(), Subject: "agent:tester", TraceID: "trace_d",
		Fence: func(context.Context) (policy.Fence, error) {
			return policy.LoadFence(policy.Sources{Home: s.home, Sandbox: true}), nil
		},
		Chain:   func(context.Context) (v2.Chain, error) { return client, nil },
		Account: func(context.Context) (common.Address, error) { return signer.Address(), nil },
		Sender:  func(context.Context) (v2.Sender, error) { return r.Sender, nil },
		Ledger:  func(context.Context) (v2.Ledger, error) { return ledger, nil },
		Journal: func(ctx context.Context, key string) (chain.OpenTx, bool, error) {
			return chain.FindTx(ctx, money, time.Now, key)
		},
		Settle: func(ctx context.Context, chainID int64, mine func(string) bool, again v2.Again) ([]error, error) {
			own := o
			own.Reconsider = again
			sender, err := chain.NewSender(own)
			if err != nil {
				return nil, err
			}
			open, err := sender.Recover(ctx, chainID)
			if err != nil || len(open) == 0 || !mine(open[0].Key) {
				return nil, err
			}
			got, err := sender.Resume(ctx, chain.ResumeIn{ChainID: chainID, Tx: open[0].ID, Await: true})
			return got.Kept, err
		},
	}
	if change != nil {
		change(&d)
	}
	r.Service = v2.New(d)
	once := sync.OnceValue(func() error { client.Close(); return errors.Join(money.Close(), log.Close()) })
	r.close = once
	return r, nil
}

// must opens a process for a test.
func (s *site) must(change func(*v2.Deps)) *deployRun {
	s.t.Helper()
	r, err := s.open(context.Background(), nil, change)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := r.close(); err != nil {
			s.t.Error(err)
		}
	})
	return r
}

// deploy runs the dry run and, with its phrase, the deployment.
func (s *site) deploy(r *deployRun, in v2.DeployIn) (v2.DeployOut, error) {
	s.t.Helper()
	dry, err := r.Deploy(context.Background(), in)
	if err != nil {
		return dry, err
	}
	in.Execute, in.Confirm = true, dry.ConfirmPhrase
	return r.Deploy(context.Background(), in)
}

// nonce is how many transactions of the account were mined.
func (s *site) nonce(r *deployRun) uint64 {
	s.t.Helper()
	n, err := r.Client.NonceAt(context.Background(), s.address())
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// events are the types in the log, in order.
func (s *site) events() []string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.state, "events.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	dec := json.NewDecoder(bytes.NewReader(b))
	for dec.More() {
		var e struct{ EventType string }
		if err := dec.Decode(&e); err != nil {
			s.t.Fatal(err)
		}
		out = append(out, e.EventType)
	}
	return out
}
