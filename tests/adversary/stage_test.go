package adversary_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
)

func lower(a common.Address) string { return strings.ToLower(a.Hex()) }

// price is what every honest listing costs; the odd end shows who rounds.
var price = units.FromUint64(1_000_000_000_000_000_007)

// maxPrice is what the caller of a quote would pay: more, so that a dearer quote is
// possible, which is then what was agreed to.
const maxPrice = "3"

// stage is the world that all lanes share.
type stage struct {
	t         testing.TB
	world     *sandbox.World
	client    *http.Transport
	attacker  demo.Key
	thief     common.Address
	other     *demo.Collection
	junk      uint64
	allowlist []byte

	mu     sync.Mutex
	fresh  []token // not listed yet
	signed map[common.Hash]seaport.OrderComponents
	owners map[token]common.Address // that are not their sellers
	buyers []common.Address
	faucet sync.Mutex
}

type token struct {
	slug string
	id   uint64
}

// newStage starts the world and sets the thieves up.
func newStage(t testing.TB, tokens int) *stage {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	home := t.TempDir()
	w, err := sandbox.Start(ctx, sandbox.Options{Home: home, Listings: 1, Tokens: tokens, Price: price, Rate: 1_000_000})
	must(err)
	s := &stage{
		t: t, world: w, client: &http.Transport{MaxIdleConnsPerHost: 64}, attacker: demo.DeriveKey("adversary", "attacker"),
		signed: map[common.Hash]seaport.OrderComponents{}, owners: map[token]common.Address{},
	}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	s.allowlist, err = os.ReadFile(filepath.Join(w.Current().Home, "allowlist.json"))
	must(err)
	d := w.Demo()
	s.other = &d.Collections[1]
	for _, o := range d.Orders {
		s.remember(o.Components)
	}
	for _, i := range []int{0, 2} {
		for id := uint64(1); id <= uint64(tokens); id++ {
			if tok := (token{d.Collections[i].Slug, id}); !listed(d, tok) {
				s.fresh = append(s.fresh, tok)
			}
		}
	}
	// Busy blocks would raise the base fee, idle ones lower it: from the bottom, what
	// a node says of it is the only thing that moves.
	for range 170 {
		must(w.Mine())
	}
	must(w.Fund(ctx, s.attacker.Address(), apes(100)))
	s.junk = 7
	if listed(d, token{s.other.Slug, s.junk}) {
		s.junk++
	}
	must(w.Transfer(ctx, s.other.Slug, new(big.Int).SetUint64(s.junk), s.attacker.Address()))
	s.owners[token{s.other.Slug, s.junk}] = s.attacker.Address()
	_, err = w.Send(ctx, s.attacker, sandbox.Tx{To: s.other.Address, Data: contracts.NewDemoCollection().PackSetApprovalForAll(seaport.Address, true)})
	must(err)
	s.thief, err = s.deploy(ctx, s.attacker, common.FromHex("60085f8160095f39f3"+"60015f5260205ff3"))
	must(err)
	return s
}

func listed(d *demo.World, t token) bool {
	for _, o := range d.Orders {
		if o.Slug == t.slug && o.TokenID.Uint64() == t.id {
			return true
		}
	}
	return false
}

func apes(n uint64) units.Wei {
	w, err := units.FromUint64(n).Mul(1_000_000_000_000_000_000)
	if err != nil {
		panic(err)
	}
	return w
}

// deploy creates a contract.
func (s *stage) deploy(ctx context.Context, from demo.Key, code []byte) (common.Address, error) {
	c := s.world.Client()
	nonce, err := c.PendingNonceAt(ctx, from.Address())
	if err != nil {
		return common.Address{}, err
	}
	tx, err := from.SignTx(&types.DynamicFeeTx{ChainID: big.NewInt(s.world.ChainID()), Nonce: nonce, Gas: 200_000, GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(1e10), Data: code}, s.world.ChainID())
	if err == nil {
		err = c.SendTransaction(ctx, tx)
	}
	if err != nil {
		return common.Address{}, err
	}
	r, err := s.mined(ctx, tx.Hash(), patience)
	if err != nil || r == nil || r.Status != 1 {
		return common.Address{}, fmt.Errorf("deploy: %v, %w", r, err)
	}
	return r.ContractAddress, nil
}

// remember keeps an order that somebody signed: what is filled must be among them.
func (s *stage) remember(c seaport.OrderComponents) common.Hash {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := seaport.OrderHash(c)
	s.signed[h] = c
	return h
}

// list puts a fresh token up for sale.
func (s *stage) list() (demo.Order, error) {
	s.mu.Lock()
	if len(s.fresh) == 0 {
		s.mu.Unlock()
		return demo.Order{}, errors.New("the tokens are used up")
	}
	tok := s.fresh[0]
	s.fresh = s.fresh[1:]
	s.mu.Unlock()
	o, err := s.world.List(tok.slug, demo.Terms{TokenID: tok.id, Price: price, Salt: "adversary"})
	if err == nil {
		s.remember(o.Components)
	}
	return o, err
}

// lane is one buyer with home, state and databases of its own. It runs one mutant
// at a time.
type lane struct {
	*stage
	n     int
	turns int // accounts it has had
	cur   *running

	buyer   demo.Key
	signer  *watchedSigner
	home    string
	db      *sql.DB
	money   *sql.DB
	log     *telemetry.Log
	rec     *telemetry.Recorder
	order   *demo.Order // for sale, not bought yet
	near    demo.Order
	stateAt string
}

// watchedSigner keeps everything that was signed.
type watchedSigner struct {
	chain.Signer
	mu  sync.Mutex
	txs []*types.Transaction
}

func (w *watchedSigner) SignTx(ctx context.Context, tx *types.Transaction, id *big.Int) (*types.Transaction, error) {
	signed, err := w.Signer.SignTx(ctx, tx, id)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.txs = append(w.txs, signed)
	return signed, err
}

func (w *watchedSigner) take() []*types.Transaction {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.txs
	w.txs = nil
	return out
}

const policyText = `{
  "apechainChainId": 7733139, "apechainRpcUrl": "", "nativeGasToken": "APE",
  "market": {"dataSource": "opensea", "collectionAllowlistMode": "recommended-only"},
  "nftBuy": {"maxPricePerTx": 5, "currencyAllowlist": ["APE"], "denyUnlimitedApprovals": true, "simulationRequired": true},
  "execution": {"dailySpendCap": 9000, "confirmPhraseRequired": true, "autonomousMode": false}
}`

// open gives the lane a new account and an empty home.
func (l *lane) open(ctx context.Context) error {
	if err := l.close(); err != nil {
		return err
	}
	l.turns++
	l.buyer = demo.DeriveKey("adversary", fmt.Sprintf("buyer/%d/%d", l.n, l.turns))
	dir := l.t.TempDir()
	l.home, l.stateAt = filepath.Join(dir, "home"), filepath.Join(dir, "state")
	for path, text := range map[string][]byte{"": nil, "policy.json": []byte(policyText), "allowlist.json": l.allowlist} {
		if path == "" {
			continue
		}
		if err := os.MkdirAll(l.home, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(l.home, path), text, 0o600); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(l.stateAt, 0o700); err != nil {
		return err
	}
	inner, err := chain.NewSandboxSigner(l.buyer.Reveal())
	if err != nil {
		return err
	}
	l.signer = &watchedSigner{Signer: inner}
	if l.db, err = store.OpenState(ctx, l.stateAt); err != nil {
		return err
	}
	if l.money, err = store.OpenMoney(ctx, l.home); err != nil {
		return err
	}
	l.log = telemetry.NewLog(l.stateAt, telemetry.LogOptions{})
	l.rec = telemetry.NewRecorder(l.log, telemetry.NewRedactor(l.buyer.Reveal()), time.Now, telemetry.Scope{
		TraceID: "trace_1", Command: "ape-claw test", ChainID: l.world.ChainID(),
	})
	l.faucet.Lock()
	defer l.faucet.Unlock()
	l.mu.Lock()
	l.buyers = append(l.buyers, l.buyer.Address())
	l.mu.Unlock()
	return l.world.Fund(ctx, l.buyer.Address(), apes(5000))
}

func (l *lane) close() error {
	if l.db == nil {
		return nil
	}
	return errors.Join(l.db.Close(), l.money.Close(), l.log.Close())
}

// process is what one run of the program would have: a client and a sender.
type process struct {
	*nft.Service
	sender *chain.Sender
	client *chain.Client
}

// process makes one, over the lane's wires or, honest, past them.
func (l *lane) process(ctx context.Context, wait time.Duration, honest bool) (*process, error) {
	var toNode, toMarket http.RoundTripper = &wire{l.client, l.cur}, &wire{l.client, l.cur}
	if honest {
		toNode, toMarket = l.client, l.client
	}
	client, err := chain.Dial(ctx, l.world.RPCURL(), chain.DialOptions{Transport: toNode, WantChainID: l.world.ChainID(), Timeout: 5 * time.Second})
	if err != nil {
		return nil, err
	}
	m, err := market.New(market.Options{
		Rules: market.ApeChain(time.Now), BaseURL: l.world.MarketURL(), APIKey: market.Key(l.world.Current().MarketKey),
		Transport: toMarket, Rand: func(int64) int64 { return 0 }, MaxWait: time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	ledger := policy.NewLedger(l.money, time.Now)
	sender, err := chain.NewSender(chain.SenderOptions{
		DB: l.money, Home: l.home, Client: client, Signer: l.signer, Ledger: ledger, Recorder: l.rec, Log: l.log, Now: time.Now, Wait: wait,
		Restore: func(_ string, kept json.RawMessage) (chain.Story, error) { return nft.Restore(client, kept) },
	})
	if err != nil {
		return nil, err
	}
	return &process{sender: sender, client: client, Service: nft.New(nft.Deps{
		Now: time.Now, Recorder: l.rec,
		Fence: func(context.Context) (policy.Fence, error) {
			return policy.LoadFence(policy.Sources{Home: l.home, Sandbox: true}), nil
		},
		State:  func(context.Context) (*sql.DB, error) { return l.db, nil },
		Market: func(context.Context) (nft.Market, error) { return m, nil },
		Chain:  func(context.Context) (nft.Chain, error) { return client, nil },
		Buyer:  func(context.Context) (common.Address, error) { return l.signer.Address(), nil },
		Sender: func(context.Context) (nft.Sender, error) { return sender, nil },
		Ledger: func(context.Context) (nft.Ledger, error) { return ledger, nil },
		Journal: func(ctx context.Context, key string) (chain.OpenTx, bool, error) {
			return chain.FindTx(ctx, l.money, time.Now, key)
		},
	})}, nil
}

// patience bounds waits for the honest chain, which takes milliseconds.
const patience = 20 * time.Second

// mined waits for the receipt that the honest chain has; nil when there is none.
func (s *stage) mined(ctx context.Context, hash common.Hash, limit time.Duration) (*types.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if r, err := s.world.Client().TransactionReceipt(ctx, hash); err == nil {
			return r, nil
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-tick.C:
		}
	}
}

// approved asks whether an account lets another move its tokens.
func (s *stage) approved(ctx context.Context, collection, owner, to common.Address) (bool, error) {
	nft := contracts.NewDemoCollection()
	out, err := s.world.Client().CallContract(ctx, ethereum.CallMsg{To: &collection, Data: nft.PackIsApprovedForAll(owner, to)}, nil)
	if err != nil {
		return false, err
	}
	return nft.UnpackIsApprovedForAll(out)
}
