package nft_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/faults"
	"github.com/ape-claw/ape-claw/sandbox/opensea"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// stage is the whole money path on real parts: the EVM with the real Seaport, a
// marketplace over it, policy files, databases, journal, sender and event log.
// Only the node's door is watched: every broadcast passes it.
type stage struct {
	t     testing.TB
	world *sandbox.World
	slug  string
	state string
	node  *node
	wait  time.Duration // the sender's patience
	step  func(string)  // is told where the sender stands
	calm  bool          // warnings are no failure
	again bool          // what was signed and not sent may be sent by a later run
}

// node counts what is broadcast.
type node struct {
	broadcasts atomic.Int64
	asked      atomic.Int64
	tip        atomic.Value // string: what it answers to eth_maxPriorityFeePerGas, in place of the chain
}

func (n *node) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	n.asked.Add(1)
	if bytes.Contains(body, []byte("eth_sendRawTransaction")) {
		n.broadcasts.Add(1)
	}
	if tip, _ := n.tip.Load().(string); tip != "" && bytes.Contains(body, []byte("eth_maxPriorityFeePerGas")) {
		var call struct{ ID json.RawMessage }
		if err := json.Unmarshal(body, &call); err != nil {
			return nil, err
		}
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%q}`, call.ID, tip)
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return http.DefaultTransport.RoundTrip(r)
}

func newStage(t testing.TB, opt sandbox.Options) *stage {
	t.Helper()
	if opt.Home == "" {
		opt.Home = t.TempDir()
	}
	w, err := sandbox.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return &stage{t: t, world: w, slug: w.Demo().Collections[0].Slug, state: t.TempDir(), node: &node{}, wait: 5 * time.Second}
}

// run is one process: its own databases, recorder, client and sender.
type run struct {
	*nft.Service
	rec    *telemetry.Recorder
	sender *chain.Sender
}

func (s *stage) run() run {
	s.t.Helper()
	must := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	ctx, cur := s.t.Context(), s.world.Current()
	log := telemetry.NewLog(s.state, telemetry.LogOptions{})
	rec := telemetry.NewRecorder(log, telemetry.NewRedactor(cur.BuyerKey), time.Now, telemetry.Scope{
		TraceID: "trace_1", Command: "ape-claw test", ChainID: cur.ChainID,
	})
	db, err := store.OpenState(ctx, s.state)
	must(err)
	money, err := store.OpenMoney(ctx, cur.Home)
	must(err)
	client, err := chain.Dial(ctx, cur.RPCURL, chain.DialOptions{Transport: s.node, WantChainID: cur.ChainID})
	must(err)
	m, err := market.New(market.Options{
		Rules: market.ApeChain(time.Now), BaseURL: cur.MarketURL, APIKey: market.Key(cur.MarketKey),
		Transport: http.DefaultTransport, Rand: func(int64) int64 { return 0 }, MaxWait: time.Second,
	})
	must(err)
	signer, err := chain.NewSandboxSigner(cur.BuyerKey)
	must(err)
	ledger := policy.NewLedger(money, time.Now)
	var svc *nft.Service
	var reconsider func(context.Context, chain.Story, policy.Tx) error
	if s.again {
		reconsider = func(ctx context.Context, story chain.Story, tx policy.Tx) error {
			return svc.Reconsider(ctx, story, tx)
		}
	}
	sender, err := chain.NewSender(chain.SenderOptions{
		Reconsider: reconsider,
		DB:         money, Home: cur.Home, Client: client, Signer: signer, Ledger: ledger, Recorder: rec, Log: log, Now: time.Now, Wait: s.wait, Step: s.step,
		Restore: func(_ string, kept json.RawMessage) (chain.Story, error) { return nft.Restore(client, kept) },
	})
	must(err)
	s.t.Cleanup(func() {
		client.Close()
		if err := errors.Join(db.Close(), money.Close(), log.Close()); err != nil {
			s.t.Error(err)
		}
	})
	svc = nft.New(nft.Deps{
		Now: time.Now, Recorder: rec,
		Fence: func(context.Context) (policy.Fence, error) {
			return policy.LoadFence(policy.Sources{Home: cur.Home, Sandbox: true}), nil
		},
		State:  func(context.Context) (*sql.DB, error) { return db, nil },
		Market: func(context.Context) (nft.Market, error) { return m, nil },
		Chain:  func(context.Context) (nft.Chain, error) { return client, nil },
		Buyer:  func(context.Context) (common.Address, error) { return signer.Address(), nil },
		Sender: func(context.Context) (nft.Sender, error) { return sender, nil },
		Ledger: func(context.Context) (nft.Ledger, error) { return ledger, nil },
		Journal: func(ctx context.Context, key string) (chain.OpenTx, bool, error) {
			return chain.FindTx(ctx, money, time.Now, key)
		},
		Warn: func(format string, args ...any) {
			if !s.calm {
				s.t.Errorf("warned: "+format, args...)
			}
		},
	})
	return run{rec: rec, sender: sender, Service: svc}
}

// pick returns the n-th cheapest listing.
func (s *stage) pick(n int) opensea.Listed {
	s.t.Helper()
	all, err := s.world.Listings(s.t.Context(), s.slug)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range all {
		if l.Status != opensea.Active {
			continue
		}
		if n == 0 {
			return l
		}
		n--
	}
	s.t.Fatal("not that many listings")
	return opensea.Listed{}
}

func (s *stage) quote(r run, l opensea.Listed) nft.QuoteOut {
	s.t.Helper()
	q, err := r.Quote(s.t.Context(), nft.QuoteIn{Collection: s.slug, TokenID: l.TokenID.String(), MaxPrice: l.Price.Decimal(18), Currency: "APE"})
	if err != nil {
		s.t.Fatal(err)
	}
	return q
}

func (s *stage) simulate(r run, q nft.QuoteOut) {
	s.t.Helper()
	if _, err := r.Simulate(s.t.Context(), nft.SimulateIn{Quote: q.QuoteID}); err != nil {
		s.t.Fatal(err)
	}
}

func buyIn(q nft.QuoteOut) nft.BuyIn {
	return nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: fmt.Sprintf("BUY %s #%s %s APE", q.Collection, q.TokenID, q.PriceApe)}
}

func (s *stage) owner(l opensea.Listed) common.Address {
	s.t.Helper()
	owner, err := s.world.OwnerOf(s.t.Context(), s.slug, l.TokenID)
	if err != nil {
		s.t.Fatal(err)
	}
	return owner
}

// events returns the log, each line held against the catalogue.
func (s *stage) events() (types []string, lines [][]byte) {
	s.t.Helper()
	log := telemetry.NewLog(s.state, telemetry.LogOptions{})
	defer func() {
		if err := log.Close(); err != nil {
			s.t.Error(err)
		}
	}()
	all, _, err := log.Last(s.t.Context(), 1000, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range all {
		if err := telemetry.Validate(l.Data); err != nil {
			s.t.Errorf("%v: %s", err, l.Data)
		}
		var e telemetry.Event
		if err := json.Unmarshal(l.Data, &e); err != nil {
			s.t.Fatal(err)
		}
		types, lines = append(types, e.EventType), append(lines, l.Data)
	}
	return types, lines
}

// TestRealStory walks the whole way, each step a process of its own.
func TestRealStory(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 3})
	l := s.pick(0)
	ctx := t.Context()
	q := s.quote(s.run(), l)
	in := buyIn(q)

	_, err := s.run().Buy(ctx, in)
	refused(t, err, fault.SimulationRequired)
	sim, err := s.run().Simulate(ctx, nft.SimulateIn{Quote: q.QuoteID})
	if err != nil || sim.Gas == 0 || sim.FeeWei.IsZero() || sim.PriceWei != l.Price {
		t.Fatalf("%+v, %v", sim, err)
	}
	dry, err := s.run().Buy(ctx, nft.BuyIn{Quote: q.QuoteID})
	if err != nil || len(dry.WouldBlock) != 0 || dry.ConfirmPhrase != in.Confirm {
		t.Fatalf("%+v, %v", dry, err)
	}
	_, err = s.run().Buy(ctx, nft.BuyIn{Quote: q.QuoteID, Execute: true})
	refused(t, err, fault.ConfirmationMismatch)
	if n := s.node.broadcasts.Load(); n != 0 {
		t.Fatalf("%d broadcasts before the purchase", n)
	}
	out, err := s.run().Buy(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	me := s.world.Buyer().Address()
	if s.owner(l) != me || out.Owner != lower(me) || out.BlockNumber == 0 || out.TxHash == "" || out.FeeWei.IsZero() {
		t.Errorf("%+v", out)
	}
	_, err = s.run().Buy(ctx, in)
	refused(t, err, fault.QuoteUsed, out.TxHash)
	if n := s.node.broadcasts.Load(); n != 1 {
		t.Errorf("%d broadcasts", n)
	}
	types, lines := s.events()
	const trail = "nft.quote.created policy.blocked nft.simulation.passed nft.buy.dry_run policy.blocked nft.buy.submitted nft.buy.confirmed"
	if got := strings.Join(types, " "); got != trail {
		t.Errorf("events   %s\nexpected %s", got, trail)
	}
	for _, line := range lines {
		if !bytes.Contains(line, []byte(`"traceId":"trace_1"`)) || bytes.Contains(line, []byte(s.world.Current().BuyerKey)) {
			t.Errorf("event %s", line)
		}
	}
	money, err := store.OpenMoney(ctx, s.world.Current().Home)
	if err != nil {
		t.Fatal(err)
	}
	spent, err := policy.NewLedger(money, time.Now).Spent(ctx, nil, policy.NativeOf(s.world.ChainID()))
	if want, _ := l.Price.Add(*out.FeeWei); err != nil || spent != want {
		t.Errorf("spent %s, expected %s, %v", spent, want, err)
	}
	if err := money.Close(); err != nil {
		t.Error(err)
	}
}

// TestRealFunctions buys through every function that a marketplace may propose.
func TestRealFunctions(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 8})
	for _, f := range []faults.Name{faults.Advanced, faults.PlainOrder, faults.Attribution, faults.StringNumbers, faults.HexNumbers} {
		t.Run(string(f), func(t *testing.T) {
			if err := s.world.SetFault(string(f)); err != nil {
				t.Fatal(err)
			}
			defer s.world.ClearFaults()
			r, l := s.run(), s.pick(0)
			q := s.quote(r, l)
			s.simulate(r, q)
			if _, err := r.Buy(t.Context(), buyIn(q)); err != nil {
				t.Fatal(err)
			}
			if s.owner(l) != s.world.Buyer().Address() {
				t.Error("the token is not ours")
			}
		})
	}
}

// TestRealTampering: whatever the marketplace proposes after an honest
// simulation, nothing is broadcast, and the honest proposal still can be bought.
func TestRealTampering(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 4})
	r, l := s.run(), s.pick(0)
	q := s.quote(r, l)
	s.simulate(r, q)
	for _, k := range faults.Catalogue {
		if !strings.HasPrefix(string(k.Name), "tamper-") {
			continue
		}
		t.Run(string(k.Name), func(t *testing.T) {
			if err := s.world.SetFault(string(k.Name)); err != nil {
				t.Fatal(err)
			}
			defer s.world.ClearFaults()
			// A failed trial closes the gate, so that each needs its own quote.
			q := s.quote(r, l)
			s.world.ClearFaults()
			s.simulate(r, q)
			if err := s.world.SetFault(string(k.Name)); err != nil {
				t.Fatal(err)
			}
			_, err := r.Buy(t.Context(), buyIn(q))
			t.Logf("%s: %v", fault.CodeOf(err), err)
			switch code := fault.CodeOf(err); {
			case k.Name == faults.TamperSignature && code == fault.SimulationFailed: // only the chain can tell
			case code != fault.UnsafeTransaction:
				t.Errorf("err = %v (%s)", err, code)
			}
			if n := s.node.broadcasts.Load(); n != 0 {
				t.Fatalf("%d broadcasts", n)
			}
		})
	}
	if _, err := r.Buy(t.Context(), buyIn(q)); err != nil {
		t.Fatal(err)
	}
}

// TestRealFailures: what happened on chain since the quote is said in words.
func TestRealFailures(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 8})
	stranger := common.HexToAddress("0x00000000000000000000000000000000000a11ce")
	for name, tt := range map[string]struct {
		happens func(ctx context.Context, l opensea.Listed) error
		says    string
	}{
		"moved": {func(ctx context.Context, l opensea.Listed) error {
			return s.world.Transfer(ctx, s.slug, l.TokenID, stranger)
		}, "the seller no longer owns the token"},
		"cancelled": {func(ctx context.Context, l opensea.Listed) error { return s.world.Cancel(ctx, l.Order) }, "the seller cancelled the order"},
		"sold": {func(ctx context.Context, l opensea.Listed) error {
			_, err := s.world.Buy(ctx, s.world.Demo().Faucet, l.Order)
			return err
		}, "somebody bought the token"},
		"gone": {func(context.Context, opensea.Listed) error { return s.world.SetFault("gone") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			defer s.world.ClearFaults()
			r, l := s.run(), s.pick(0)
			q := s.quote(r, l)
			if err := tt.happens(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			_, err := r.Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
			if tt.says == "" { // the marketplace says no more than its status
				if code := fault.CodeOf(err); code != fault.Upstream && code != fault.SimulationFailed {
					t.Fatal(err)
				}
				return
			}
			refused(t, err, fault.SimulationFailed, tt.says)
		})
	}
	t.Run("all cancelled", func(t *testing.T) {
		r, l := s.run(), s.pick(0)
		q := s.quote(r, l)
		if err := s.world.CancelAll(t.Context(), s.slug); err != nil {
			t.Fatal(err)
		}
		_, err := r.Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
		t.Log(err)
		refused(t, err, fault.SimulationFailed, "cancelled")
	})
	if n := s.node.broadcasts.Load(); n != 0 {
		t.Fatalf("%d broadcasts", n)
	}
}

// TestRealRevert: an order that is filled between simulation and block costs
// only gas, is told as reverted, and uses the quote up.
func TestRealSaleBetween(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 3})
	r, l := s.run(), s.pick(0)
	q := s.quote(r, l)
	s.simulate(r, q)
	if _, err := s.world.Buy(t.Context(), s.world.Demo().Faucet, l.Order); err != nil {
		t.Fatal(err)
	}
	_, err := r.Buy(t.Context(), buyIn(q))
	refused(t, err, fault.SimulationFailed, "somebody bought the token")
	if n := s.node.broadcasts.Load(); n != 0 {
		t.Fatalf("%d broadcasts", n)
	}
}

// TestRealPriceRaised: a dearer listing of the same token is another order.
func TestRealPriceRaised(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 3})
	r, l := s.run(), s.pick(0)
	q := s.quote(r, l)
	s.simulate(r, q)
	if err := s.world.Cancel(t.Context(), l.Order); err != nil {
		t.Fatal(err)
	}
	dearer, err := l.Price.Add(units.FromUint64(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.world.List(s.slug, demo.Terms{TokenID: l.TokenID.Uint64(), Price: dearer, Salt: "again"}); err != nil {
		t.Fatal(err)
	}
	_, err = r.Buy(t.Context(), buyIn(q))
	refused(t, err, fault.SimulationFailed, "cancelled")
	_, err = r.Quote(t.Context(), nft.QuoteIn{Collection: s.slug, TokenID: q.TokenID, MaxPrice: string(q.PriceApe), Currency: "APE"})
	refused(t, err, fault.NotFound, "No live listing found")
	if n := s.node.broadcasts.Load(); n != 0 {
		t.Fatalf("%d broadcasts", n)
	}
}

// TestRealReplaced: the same token, listed again at no higher price, takes the
// place of the quoted order, and a receipt of that order confirms it.
func TestRealReplaced(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 3})
	r, l := s.run(), s.pick(0)
	q := s.quote(r, l)
	s.simulate(r, q)
	if err := s.world.Cancel(t.Context(), l.Order); err != nil {
		t.Fatal(err)
	}
	cheaper, err := l.Price.Sub(units.FromUint64(1000))
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.world.List(s.slug, demo.Terms{TokenID: l.TokenID.Uint64(), Price: cheaper, Salt: "again"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Buy(t.Context(), buyIn(q))
	if err != nil || out.OrderHash != again.Hash.Hex() || out.PriceWei != cheaper || len(out.Retries) != 1 || s.owner(l) != s.world.Buyer().Address() {
		t.Fatalf("%+v, %v", out, err)
	}
	if n := s.node.broadcasts.Load(); n != 1 {
		t.Fatalf("%d broadcasts", n)
	}
	types, _ := s.events()
	if got := strings.Join(types[2:], " "); got != "nft.buy.retry nft.buy.submitted nft.buy.confirmed" {
		t.Errorf("events %s", got)
	}
}

// TestRealTwoAtOnce: two processes with one quote, one purchase.
func TestRealTwoAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 3})
	l := s.pick(0)
	first := s.run()
	q := s.quote(first, l)
	s.simulate(first, q)
	runs := []run{first, s.run(), s.run(), s.run()}
	errs := make([]error, len(runs))
	var done sync.WaitGroup
	for i, r := range runs {
		done.Go(func() { _, errs[i] = r.Buy(t.Context(), buyIn(q)) })
	}
	done.Wait()
	bought := 0
	for _, err := range errs {
		switch code := fault.CodeOf(err); code {
		case "":
			bought++
		case fault.QuoteUsed, fault.SimulationFailed: // too late by the journal, or by the chain
		default:
			t.Errorf("%s: %v", code, err)
		}
	}
	if n := s.node.broadcasts.Load(); bought != 1 || n != 1 {
		t.Errorf("bought %d times with %d broadcasts", bought, n)
	}
}

// TestRealUnknown: no receipt, no second try; once the block comes, the next run
// settles it and the event trail is whole.
func TestRealUnknown(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 3})
	s.wait = 200 * time.Millisecond
	r, l, other := s.run(), s.pick(0), s.pick(1)
	q, q2 := s.quote(r, l), s.quote(r, other)
	s.simulate(r, q)
	s.simulate(r, q2)
	if err := s.world.SetFault("rpc-no-mining"); err != nil {
		t.Fatal(err)
	}
	_, err := r.Buy(t.Context(), buyIn(q))
	if f := refused(t, err, fault.TxUnknown); f.Sent != fault.SentYes {
		t.Errorf("sent %q", f.Sent)
	}
	_, err = s.run().Buy(t.Context(), buyIn(q))
	refused(t, err, fault.QuoteUsed)
	_, err = s.run().Buy(t.Context(), buyIn(q2))
	refused(t, err, fault.Conflict, "unresolved")
	if n := s.node.broadcasts.Load(); n != 1 {
		t.Fatalf("%d broadcasts", n)
	}
	s.world.ClearFaults()
	s.wait = 5 * time.Second
	if err := s.world.Mine(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.run().Buy(t.Context(), buyIn(q2)); err != nil {
		t.Fatal(err)
	}
	types, _ := s.events()
	const trail = "nft.buy.submitted nft.buy.unknown nft.buy.confirmed nft.buy.submitted nft.buy.confirmed"
	var got []string
	for _, e := range types {
		if strings.HasPrefix(e, "nft.buy.") {
			got = append(got, e)
		}
	}
	if strings.Join(got, " ") != trail {
		t.Errorf("events %v", got)
	}
	if s.owner(l) != s.world.Buyer().Address() {
		t.Error("the token is not ours")
	}
}

// TestRealHugeTip: the node names a tip after the simulation that would cost as
// much as the token, and yet less than what any transaction may cost.
func TestRealHugeTip(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{})
	r, l := s.run(), s.pick(0)
	q := s.quote(r, l)
	s.simulate(r, q)
	s.node.tip.Store("0x12309ce5400") // 1250 gwei: about 0.4 APE
	_, err := r.Buy(t.Context(), buyIn(q))
	f := refused(t, err, fault.PolicyBlocked, "gas may cost up to 0.", "the simulation foresaw up to 0.0", "simulate again")
	t.Log(f.Message)
	if s.node.broadcasts.Load() != 0 || s.owner(l) != common.HexToAddress(q.Seller) {
		t.Fatal("it was sent")
	}
	s.node.tip.Store("")
	if _, err := r.Buy(t.Context(), buyIn(q)); err != nil {
		t.Fatal(err)
	}
}

// TestRealWrongChain: a node of another chain gets no signature.
func TestRealWrongChain(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 3})
	r := s.run()
	q := s.quote(r, s.pick(0))
	s.simulate(r, q)
	if err := s.world.SetFault("rpc-chain-id=33139"); err != nil {
		t.Fatal(err)
	}
	_, err := s.run().Buy(t.Context(), buyIn(q))
	refused(t, err, fault.ChainMismatch)
	// This one asked before the node changed: it asks again before it signs.
	_, err = r.Buy(t.Context(), buyIn(q))
	refused(t, err, fault.ChainMismatch)
	if n := s.node.broadcasts.Load(); n != 0 {
		t.Fatalf("%d broadcasts", n)
	}
}

// TestRealOddListings: what is no plain sale for native currency is not quoted.
func TestRealOddListings(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 3})
	r, l := s.run(), s.pick(0)
	for _, f := range []faults.Name{faults.WAPE, faults.SixDecimals, faults.ERC1155, faults.Dutch, faults.English, faults.Private, faults.Restricted, faults.OtherContract, faults.LowPrice} {
		t.Run(string(f), func(t *testing.T) {
			if err := s.world.SetFault(string(f)); err != nil {
				t.Fatal(err)
			}
			defer s.world.ClearFaults()
			q, err := r.Quote(t.Context(), nft.QuoteIn{Collection: s.slug, TokenID: l.TokenID.String(), MaxPrice: "1000", Currency: "APE"})
			t.Log(err)
			refused(t, err, fault.NotFound, "No live listing found")
			if q.QuoteID != "" {
				t.Error("quoted")
			}
		})
	}
}

// TestRealOrderHash: Seaport's own getOrderHash agrees with ours.
func TestRealOrderHash(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 3})
	client, err := chain.Dial(t.Context(), s.world.RPCURL(), chain.DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for n := range 3 {
		l := s.pick(n)
		out, err := client.Call(t.Context(), chain.CallMsg{To: seaport.Address, Data: sp.PackGetOrderHash(l.Components)}, nil, nil)
		if err != nil || common.BytesToHash(out) != seaport.OrderHash(l.Components) || l.Hash != common.BytesToHash(out) {
			t.Fatalf("%x, %v, ours %s", out, err, seaport.OrderHash(l.Components))
		}
	}
}
