package nft_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	chainID  = 7733139
	slug     = "gs-on-ape"
	contract = "0xb3443b6bd585ba4118cae2bedb61c7ec4a8281df"
)

var (
	seller = common.HexToAddress("0x70997970c51812dc3a010c7d01b50e0d17dc79c8")
	me     = common.HexToAddress("0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc")
	artist = common.HexToAddress("0xbeef000000000000000000000000000000000001")
	other  = common.HexToAddress("0xdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef")
	sp     = seaport.Contract()
)

func ape(t testing.TB, s string) units.Wei {
	t.Helper()
	w, err := units.Parse(s, units.APEDecimals)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// world is a marketplace, a chain and a sender that behave, until a test says
// how they should not.
type world struct {
	journal map[string]chain.OpenTx // what money.db knows of a key
	t       testing.TB
	mu      sync.Mutex
	account sync.Mutex
	now     time.Time
	order   seaport.OrderComponents
	price   units.Wei

	listing  func(*market.Listing)                     // changes what BestListing answers
	listErr  error                                     // instead
	propose  func(*market.Fulfillment)                 // changes what Fulfillment answers
	fulErr   error                                     // instead
	gone     map[string]bool                           // orders that the marketplace gives no fulfilment of
	all      func(market.ListQuery) []market.Listing   // what Listings answers
	onFulfil func()                                    // while a fulfilment is asked for
	person   func(nft.Action) (string, error)          // who is at the terminal; nil: nobody
	call     func(chain.CallMsg) ([]byte, error, bool) // answers a call itself
	head     time.Time
	balance  units.Wei
	counter  int64
	status   [2]int64 // cancelled, filled
	owner    common.Address
	noKey    bool
	feeCap   units.Wei
	maxFee   units.Wei    // of it, per gas
	baseFee  units.Wei    // of the head
	submit   func() error // what Submit ends with, after the grant was redeemed

	fail map[string]error // parts that can't be had, and calls that fail
	node int64            // the chain id that the node tells

	asked  []string // what was asked of the outside, in order
	calls  []chain.CallMsg
	sent   []chain.Prepared
	drafts []telemetry.Draft
	warned []string
	after  []nft.Confirmed // what AfterConfirmed was told
	opens  func()          // before the state database is handed out

	home   string
	state  *sql.DB
	money  *sql.DB
	ledger *policy.Ledger
	src    policy.Sources
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{
		t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), price: ape(t, "12.5"), balance: ape(t, "1000"),
		owner: seller, feeCap: ape(t, "0.01"), home: t.TempDir(), fail: map[string]error{}, node: chainID,
	}
	w.head = w.now
	pay := func(amount string, to common.Address) seaport.ConsiderationItem {
		v := ape(t, amount).Big()
		return seaport.ConsiderationItem{IdentifierOrCriteria: new(big.Int), StartAmount: v, EndAmount: v, Recipient: to}
	}
	w.order = seaport.OrderComponents{
		Offerer: seller,
		Offer: []seaport.OfferItem{{ItemType: 2, Token: common.HexToAddress(contract), IdentifierOrCriteria: big.NewInt(7),
			StartAmount: big.NewInt(1), EndAmount: big.NewInt(1)}},
		Consideration: []seaport.ConsiderationItem{pay("11.75", seller), pay("0.125", seaport.FeeRecipient), pay("0.625", artist)},
		StartTime:     big.NewInt(w.now.Unix() - 60), EndTime: big.NewInt(w.now.Unix() + 86400), Salt: big.NewInt(99), Counter: new(big.Int),
	}
	w.write("policy.json", `{"apechainChainId": 7733139, "apechainRpcUrl": "", "nativeGasToken": "APE",
		"nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"], "denyUnlimitedApprovals": true, "simulationRequired": true},
		"execution": {"dailySpendCap": 1000, "confirmPhraseRequired": true, "autonomousMode": true}}`)
	w.write("allowlist.json", `[{"name": "Gs on Ape", "slug": "gs-on-ape", "contractAddress": "`+contract+`", "enabled": true},
		{"name": "Twin", "slug": "twin-a", "contractAddress": "0x00000000000000000000000000000000000000a1", "enabled": true},
		{"name": "Twin", "slug": "twin-b", "contractAddress": "0x00000000000000000000000000000000000000b2", "enabled": true}]`)
	w.src = policy.Sources{Home: w.home, Sandbox: true}
	var err error
	if w.state, err = store.OpenState(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if w.money, err = store.OpenMoney(t.Context(), w.home); err != nil {
		t.Fatal(err)
	}
	w.ledger = policy.NewLedger(w.money, w.clock)
	t.Cleanup(func() {
		if err := errors.Join(w.state.Close(), w.money.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.home, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) ask(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, what)
}

// service returns the operations over the world.
func (w *world) service() *nft.Service {
	var ask func(context.Context, nft.Action) (string, error)
	if w.person != nil {
		ask = func(_ context.Context, a nft.Action) (string, error) {
			w.ask("person")
			return w.person(a)
		}
	}
	return nft.New(nft.Deps{
		Ask: ask, Now: w.clock, Recorder: w, Subject: "agent:test",
		Fence: func(context.Context) (policy.Fence, error) { return policy.LoadFence(w.src), w.fail["fence"] },
		State: func(context.Context) (*sql.DB, error) {
			if w.opens != nil {
				w.opens()
			}
			return w.state, w.fail["state"]
		},
		Market: func(context.Context) (nft.Market, error) { return fakeMarket{w}, w.fail["market"] },
		Chain:  func(context.Context) (nft.Chain, error) { return fakeChain{w}, w.fail["chain"] },
		Ledger: func(context.Context) (nft.Ledger, error) { return w.ledger, w.fail["ledger"] },
		Journal: func(_ context.Context, key string) (chain.OpenTx, bool, error) {
			tx, ok := w.journal[key]
			return tx, ok, w.fail["journal"]
		},
		Sender: func(context.Context) (nft.Sender, error) { return fakeSender{w}, w.fail["sender"] },
		Buyer: func(context.Context) (common.Address, error) {
			if w.noKey {
				return common.Address{}, fault.New(fault.Auth, "no private key is set").Hintf("ape-claw auth set")
			}
			return me, w.fail["buyer"]
		},
		Warn:           func(format string, args ...any) { w.warned = append(w.warned, fmt.Sprintf(format, args...)) },
		AfterConfirmed: func(_ context.Context, c nft.Confirmed) { w.after = append(w.after, c) },
	})
}

// Record keeps the draft of an event, and holds it against the catalogue.
func (w *world) Record(_ context.Context, d telemetry.Draft) error {
	rec := telemetry.NewRecorder(nil, telemetry.NewRedactor(), w.clock, telemetry.Scope{Command: "ape-claw test"})
	line, err := rec.Encode(d)
	if err == nil {
		err = telemetry.Validate(line)
	}
	if err != nil {
		w.t.Errorf("event %s: %v\n%s", d.Type, err, line)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drafts = append(w.drafts, d)
	return nil
}

// trail is the types of the events so far, without those of looks at quotes.
func (w *world) trail() string {
	var out []string
	for _, d := range w.drafts {
		if !strings.HasSuffix(d.Type, ".read") {
			out = append(out, d.Type)
		}
	}
	return strings.Join(out, " ")
}

func (w *world) last() telemetry.Draft {
	w.t.Helper()
	if len(w.drafts) == 0 {
		w.t.Fatal("no event was recorded")
	}
	return w.drafts[len(w.drafts)-1]
}

type fakeMarket struct{ w *world }

func (m fakeMarket) Name() string { return "fake" }

func (m fakeMarket) BestListing(_ context.Context, gotSlug, gotContract, id string) (market.Listing, error) {
	m.w.ask("listing")
	if m.w.listErr != nil {
		return market.Listing{}, m.w.listErr
	}
	if gotSlug != slug || gotContract != contract {
		m.w.t.Errorf("BestListing(%s, %s)", gotSlug, gotContract)
	}
	l := m.w.listed(id)
	if m.w.listing != nil {
		m.w.listing(&l)
	}
	return l, nil
}

// listed is the order as the marketplace lists it.
func (w *world) listed(id string) market.Listing {
	hash, offerer := seaport.OrderHash(w.order), lower(w.order.Offerer)
	payments := []map[string]string{}
	for _, c := range w.order.Consideration {
		payments = append(payments, map[string]string{"startAmount": c.StartAmount.String(), "recipient": lower(c.Recipient)})
	}
	terms, err := json.Marshal(map[string]any{"counter": 0, "consideration": payments})
	if err != nil {
		w.t.Fatal(err)
	}
	return market.Listing{
		ListingID: hash.Hex(), OrderHash: hash.Hex(), Collection: slug, TokenID: id, Price: w.price, PriceApe: w.price.JSON(18),
		Currency: "APE", Decimals: 18, ProtocolAddress: lower(seaport.Address), AssetContract: contract, Seller: offerer,
		StartsAt: time.Unix(w.order.StartTime.Int64(), 0), ExpiresAt: time.Unix(w.order.EndTime.Int64(), 0), Considered: w.price, Parameters: terms,
	}
}

func (m fakeMarket) Listings(_ context.Context, q market.ListQuery) (market.Page, error) {
	m.w.ask("listings")
	if m.w.all == nil {
		return market.Page{}, m.w.listErr
	}
	return market.Page{Listings: m.w.all(q)}, nil
}

func (m fakeMarket) Fulfillment(_ context.Context, r market.FulfillRequest) (market.Fulfillment, error) {
	m.w.ask("fulfillment")
	if m.w.onFulfil != nil {
		m.w.onFulfil()
	}
	if m.w.fulErr != nil {
		return market.Fulfillment{}, m.w.fulErr
	}
	if m.w.gone[r.OrderHash] {
		return market.Fulfillment{}, fault.New(fault.NotFound, "the marketplace has no order %s to buy", r.OrderHash)
	}
	if want := seaport.OrderHash(m.w.order).Hex(); r.OrderHash != want || r.Recipient != r.Fulfiller || r.Protocol != lower(seaport.Address) {
		m.w.t.Errorf("asked for %+v, expected order %s", r, want)
	}
	f := m.w.fulfillment(seaport.Basic(m.w.order, make([]byte, 64)))
	if m.w.propose != nil {
		m.w.propose(&f)
	}
	return f, nil
}

// fulfillment spells a basic order as a marketplace does.
func (w *world) fulfillment(p seaport.BasicOrderParameters) market.Fulfillment {
	recipients := []map[string]any{}
	for _, r := range p.AdditionalRecipients {
		recipients = append(recipients, map[string]any{"amount": r.Amount.String(), "recipient": lower(r.Recipient)})
	}
	hexed := func(b []byte) string { return "0x" + hex.EncodeToString(b) }
	in, err := json.Marshal(map[string]any{"parameters": map[string]any{
		"considerationToken": lower(p.ConsiderationToken), "considerationIdentifier": "0", "considerationAmount": p.ConsiderationAmount.String(),
		"offerer": lower(p.Offerer), "zone": lower(p.Zone), "offerToken": lower(p.OfferToken), "offerIdentifier": p.OfferIdentifier.String(),
		"offerAmount": "1", "basicOrderType": p.BasicOrderType, "startTime": p.StartTime.String(), "endTime": p.EndTime.String(),
		"zoneHash": hexed(p.ZoneHash[:]), "salt": p.Salt.String(), "offererConduitKey": hexed(p.OffererConduitKey[:]),
		"fulfillerConduitKey": hexed(p.FulfillerConduitKey[:]), "totalOriginalAdditionalRecipients": p.TotalOriginalAdditionalRecipients.String(),
		"additionalRecipients": recipients, "signature": hexed(p.Signature),
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	return market.Fulfillment{Protocol: "seaport1.6", Function: seaport.FnBasicEfficient + "((…))", ChainID: chainID,
		To: lower(seaport.Address), Value: w.price, InputData: in}
}

type fakeChain struct{ w *world }

func (c fakeChain) ChainID(context.Context) (int64, error) { return c.w.node, c.w.fail["chain id"] }

func (c fakeChain) Head(context.Context) (chain.Header, error) {
	return chain.Header{Number: 41, Time: uint64(c.w.head.Unix()), BaseFee: c.w.baseFee}, c.w.fail["head"]
}

func (c fakeChain) Balance(context.Context, common.Address) (units.Wei, error) {
	return c.w.balance, c.w.fail["balance"]
}

func (c fakeChain) Call(_ context.Context, msg chain.CallMsg, _ *big.Int, o chain.Overrides) ([]byte, error) {
	w := c.w
	if w.call != nil {
		if out, err, mine := w.call(msg); mine {
			return out, err
		}
	}
	word := func(v int64) []byte { return common.BigToHash(big.NewInt(v)).Bytes() }
	switch {
	case bytes.Equal(msg.Data[:4], sp.PackGetCounter(seller)[:4]):
		return word(w.counter), nil
	case bytes.Equal(msg.Data[:4], sp.PackGetOrderStatus([32]byte{})[:4]):
		return bytes.Join([][]byte{word(0), word(w.status[0]), word(w.status[1]), word(w.status[1])}, nil), nil
	case bytes.Equal(msg.Data, seaport.PackOwnerOf(big.NewInt(7))):
		return common.BytesToHash(w.owner[:]).Bytes(), nil
	}
	w.ask("eth_call")
	w.calls = append(w.calls, msg)
	if b := o[msg.From].Balance; b == nil && w.balance.Cmp(msg.Value) < 0 || b != nil && b.Cmp(msg.Value) < 0 {
		w.t.Error("a call without the funds for it")
	}
	return word(1), nil
}

func (c fakeChain) Fees(context.Context, chain.CallMsg, chain.Overrides) (chain.Fees, error) {
	c.w.ask("estimate")
	return chain.Fees{GasLimit: 250_000, FeeCap: c.w.feeCap}, c.w.fail["estimate"]
}

type fakeSender struct{ w *world }

func (s fakeSender) Address() common.Address { return me }

func (s fakeSender) Prepare(_ context.Context, in chain.Intent) (chain.Prepared, error) {
	ceiling := in.FeeCeiling
	if ceiling.IsZero() {
		ceiling = chain.DefaultFeeCeiling()
	}
	if s.w.feeCap.Cmp(ceiling) > 0 { // as chain.Sender's
		return chain.Prepared{}, fault.New(fault.PolicyBlocked, "gas may cost up to %s and the ceiling of one transaction is %s", s.w.feeCap.Decimal(18), ceiling.Decimal(18)).
			WithSent(fault.SentNo).With("gate", "feeCeiling")
	}
	return chain.Prepared{Intent: in, From: me, Fees: chain.Fees{GasLimit: 250_000, MaxFee: s.w.maxFee, FeeCap: s.w.feeCap}}, s.w.fail["prepare"]
}

// Submit redeems the grant in the real ledger, and mines a purchase.
func (s fakeSender) Submit(ctx context.Context, p chain.Prepared, grant policy.Grant) (chain.Outcome, error) {
	w := s.w
	w.account.Lock() // as the account's lock does
	defer w.account.Unlock()
	w.mu.Lock()
	for _, done := range w.sent {
		if done.Intent.Key == p.Intent.Key {
			w.mu.Unlock()
			return chain.Outcome{}, fault.New(fault.QuoteUsed, "used already").WithSent(fault.SentNo).With("txHash", common.Hash{0xaa}.Hex()).With("state", "confirmed")
		}
	}
	w.mu.Unlock()
	tx, err := w.money.BeginTx(ctx, nil)
	if err != nil {
		return chain.Outcome{}, err
	}
	if _, err := w.ledger.Redeem(ctx, tx, grant, p.PolicyTx()); err != nil {
		return chain.Outcome{}, errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return chain.Outcome{}, err
	}
	w.ask("sent")
	w.mu.Lock()
	w.sent = append(w.sent, p)
	w.mu.Unlock()
	info := chain.TxInfo{ChainID: chainID, Hash: common.Hash{0xaa}, From: me, To: p.Intent.To, Value: p.Intent.Value, FeeCap: p.Fees.FeeCap}
	if err := w.Record(ctx, p.Intent.Story.Submitted(info)); err != nil {
		return chain.Outcome{}, err
	}
	if w.submit != nil {
		if err := w.submit(); err != nil {
			return chain.Outcome{Tx: info}, err
		}
	}
	out := chain.Outcome{Tx: info, Receipt: w.receipt(), Fee: ape(w.t, "0.004")}
	w.owner = me
	draft, err := p.Intent.Story.Confirmed(ctx, info, out.Receipt)
	if err != nil {
		return out, fault.Wrap(err, fault.TxUnknown, "not confirmed").WithSent(fault.SentYes)
	}
	return out, w.Record(ctx, draft)
}

// receipt is that of the purchase.
func (w *world) receipt() chain.Receipt {
	parsed := sp.GetABI()
	e := parsed.Events["OrderFulfilled"]
	data, err := e.Inputs.NonIndexed().Pack([32]byte(seaport.OrderHash(w.order)), me, []seaport.SpentItem{}, []seaport.ReceivedItem{})
	if err != nil {
		w.t.Fatal(err)
	}
	topic := func(a common.Address) common.Hash { return common.BytesToHash(a[:]) }
	return chain.Receipt{TxHash: common.Hash{0xaa}, Block: 42, Success: true, GasUsed: 184_000, GasPrice: units.FromUint64(20_000_000_000), Logs: []*types.Log{
		{Address: seaport.Address, Topics: []common.Hash{e.ID, topic(seller), {}}, Data: data},
		{Address: common.HexToAddress(contract), Topics: []common.Hash{crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")), topic(seller), topic(me), common.BigToHash(big.NewInt(7))}},
	}}
}

func nativeOf() policy.Asset { return policy.NativeOf(chainID) }

func lower(a common.Address) string { return strings.ToLower(a.Hex()) }

// quoteIn is a request that finds the listing.
func quoteIn() nft.QuoteIn {
	return nft.QuoteIn{Collection: slug, TokenID: "7", MaxPrice: "13", Currency: "APE"}
}

// quoted quotes the listing.
func (w *world) quoted() nft.QuoteOut {
	w.t.Helper()
	q, err := w.service().Quote(w.t.Context(), quoteIn())
	if err != nil {
		w.t.Fatal(err)
	}
	return q
}

// simulated quotes and simulates.
func (w *world) simulated() nft.QuoteOut {
	w.t.Helper()
	q := w.quoted()
	if _, err := w.service().Simulate(w.t.Context(), nft.SimulateIn{Quote: q.QuoteID}); err != nil {
		w.t.Fatal(err)
	}
	return q
}

const phrase = "BUY gs-on-ape #7 12.5 APE"

// refused fails the test unless err has the code and says what is expected.
func refused(t testing.TB, err error, code fault.Code, says ...string) *fault.Error {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("err = %v (%s), expected %s", err, fault.CodeOf(err), code)
	}
	f := fault.From(err)
	for _, s := range says {
		if !strings.Contains(f.Message+" "+f.Hint, s) {
			t.Fatalf("%q (%q) does not say %q", f.Message, f.Hint, s)
		}
	}
	return f
}
