package chain_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// wantFault checks an error's code and whether it says that something left.
func wantFault(t *testing.T, name string, err error, code fault.Code, sent string) {
	t.Helper()
	f := fault.From(err)
	if err == nil || f.Code != code || f.Sent != sent {
		t.Errorf("%s: %v (%v), want %s with sent %q", name, err, f, code, sent)
	}
}

func wantTrail(t *testing.T, r *rig, want ...string) {
	t.Helper()
	if got := r.trail(t); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestSubmitConfirms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	before := w.balance(t, r.Address())
	out, err := r.buy(t.Context(), intent(w.sink, "k1", "1.5"))
	if err != nil {
		t.Fatal(err)
	}
	if !out.Receipt.Success || out.Receipt.Block == 0 || out.Tx.Nonce != 0 || out.Tx.Hash != out.Receipt.TxHash || out.Fee.IsZero() {
		t.Errorf("outcome %+v", out)
	}
	if got := w.balance(t, w.sink); got != ape(t, "1.5") {
		t.Errorf("the seller has %s", got.Decimal(18))
	}
	// What was booked is what left the account, to the wei.
	cost, err := before.Sub(w.balance(t, r.Address()))
	if err != nil {
		t.Fatal(err)
	}
	if u := r.usage(t); u.Settled != cost || u.Open != 0 {
		t.Errorf("booked %s settled, %d open; %s left the account", u.Settled, u.Open, cost)
	}
	wantTrail(t, r, "a:submitted", "a:confirmed")

	// The same key never again, a new one with the next nonce.
	_, err = r.buy(t.Context(), intent(w.sink, "k1", "1.5"))
	wantFault(t, "the key again", err, fault.QuoteUsed, fault.SentNo)
	if !strings.Contains(fmt.Sprint(err), out.Tx.Hash.Hex()) {
		t.Errorf("%v does not name the transaction", err)
	}
	if out, err = r.buy(t.Context(), intent(w.sink, "k2", "0.5")); err != nil || out.Tx.Nonce != 1 {
		t.Errorf("second: nonce %d, %v", out.Tx.Nonce, err)
	}
	if open, err := chain.OpenTxs(t.Context(), r.db, time.Now); err != nil || len(open) != 0 {
		t.Errorf("open: %v, %v", open, err)
	}
}

func TestPrepareTerms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	p, err := r.Prepare(t.Context(), intent(w.sink, "k", "1"))
	if err != nil {
		t.Fatal(err)
	}
	head, err := w.client(t).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	estimate, err := w.client(t).EstimateGas(t.Context(), chain.CallMsg{From: p.From, To: w.sink, Value: p.Intent.Value, Data: p.Intent.Data}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (estimate*5 + 3) / 4; p.Fees.GasLimit != want {
		t.Errorf("gas limit %d, want %d: the estimate of %d and a quarter", p.Fees.GasLimit, want, estimate)
	}
	twice, _ := head.BaseFee.Mul(2)
	if want, _ := twice.Add(p.Fees.MaxTip); p.Fees.MaxFee != want || p.Fees.MaxTip.IsZero() {
		t.Errorf("max fee %s, want %s", p.Fees.MaxFee, want)
	}
	if want, _ := p.Fees.MaxFee.Mul(p.Fees.GasLimit); p.Fees.FeeCap != want {
		t.Errorf("fee cap %s, want %s", p.Fees.FeeCap, want)
	}

	low := intent(w.sink, "k", "1")
	low.FeeCeiling = units.FromUint64(1)
	_, err = r.Prepare(t.Context(), low)
	wantFault(t, "fee ceiling", err, fault.PolicyBlocked, fault.SentNo)
	_, err = r.Prepare(t.Context(), intent(w.sink, "k", "999999"))
	wantFault(t, "no funds", err, fault.SimulationFailed, fault.SentNo)
	other := intent(w.sink, "k", "1")
	other.ChainID = 33139
	_, err = r.Prepare(t.Context(), other)
	wantFault(t, "another chain", err, fault.ChainMismatch, fault.SentNo)
	if _, err := r.Prepare(t.Context(), intent(common.Address{}, "k", "1")); err == nil {
		t.Error("the zero address was accepted")
	}
}

// TestNothingWithoutTheGrant alters each field that a grant binds.
func TestNothingWithoutTheGrant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	for _, c := range []struct {
		name  string
		alter func(*chain.Prepared)
	}{
		{"value", func(p *chain.Prepared) { p.Intent.Value = ape(t, "1.000000000000000001") }},
		{"target", func(p *chain.Prepared) { p.Intent.To = w.once }},
		{"data", func(p *chain.Prepared) { p.Intent.Data = []byte{0xca, 0xff} }},
		{"key", func(p *chain.Prepared) { p.Intent.Key = "other" }},
		{"gas limit", func(p *chain.Prepared) { p.Fees.GasLimit++ }},
		{"max fee", func(p *chain.Prepared) { p.Fees.MaxFee, _ = p.Fees.MaxFee.Add(units.FromUint64(1)) }},
		{"max fee behind an old cap", func(p *chain.Prepared) { p.Fees.MaxFee, _ = p.Fees.MaxFee.Mul(1000) }},
		{"account", func(p *chain.Prepared) { p.From = otherAccount(t) }},
	} {
		p, err := r.Prepare(t.Context(), intent(w.sink, "k", "1"))
		if err != nil {
			t.Fatal(err)
		}
		g, err := r.grant(p)
		if err != nil {
			t.Fatal(err)
		}
		c.alter(&p)
		_, err = r.Submit(t.Context(), p, g)
		wantFault(t, c.name, err, fault.UnsafeTransaction, fault.SentNo)
	}
	p, err := r.Prepare(t.Context(), intent(w.sink, "k", "1"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Submit(t.Context(), p, policy.Grant{})
	wantFault(t, "no grant", err, fault.UnsafeTransaction, fault.SentNo)
	g, err := r.grant(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = r.Submit(t.Context(), p, g); err != nil {
		t.Errorf("the granted one: %v", err)
	}
	p.Intent.Key = "k"
	if _, err = r.Submit(t.Context(), p, g); err == nil {
		t.Error("a grant served twice")
	}
	if n := w.nonce(t, r.Address()); n != 1 {
		t.Errorf("%d transactions were mined, want 1", n)
	}
	if u := r.usage(t); u.Open != 0 {
		t.Errorf("%d reservations are left open", u.Open)
	}
}

func TestReverted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	in := intent(w.once, "k", "0")
	in.Value = units.Wei{}
	p, err := r.Prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	g, err := r.grant(p)
	if err != nil {
		t.Fatal(err)
	}
	// Between estimate and send, somebody else is first.
	sendOther(t, w, w.once)
	before := w.balance(t, r.Address())
	out, err := r.Submit(t.Context(), p, g)
	wantFault(t, "reverted", err, fault.TxReverted, fault.SentYes)
	cost, err := before.Sub(w.balance(t, r.Address()))
	if err != nil {
		t.Fatal(err)
	}
	if u := r.usage(t); u.Settled != cost || cost != out.Fee || u.Open != 0 {
		t.Errorf("booked %s, %d open; %s left, fee %s", u.Settled, u.Open, cost, out.Fee)
	}
	wantTrail(t, r, "a:submitted", "a:reverted")
	_, err = r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "the key of a reverted one", err, fault.QuoteUsed, fault.SentNo)
}

func sendOther(t *testing.T, w *world, to common.Address) {
	t.Helper()
	s, err := chain.NewSandboxSigner(otherKey)
	if err != nil {
		t.Fatal(err)
	}
	gwei := big.NewInt(1_000_000_000)
	tx, err := s.SignTx(t.Context(), types.NewTx(&types.DynamicFeeTx{ChainID: big.NewInt(chainID), Nonce: w.nonce(t, s.Address()), To: &to, Gas: 100_000,
		GasTipCap: gwei, GasFeeCap: new(big.Int).Mul(gwei, big.NewInt(10)), Data: []byte{1}}), big.NewInt(chainID))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.chain.Client().SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	waitMined(t, w, tx.Hash())
}

// TestNotWhatWasWanted: mined and successful, but the check fails.
func TestNotWhatWasWanted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	in := intent(w.sink, "k", "1")
	asked := 0
	in.Story = story{Name: "k", check: func(context.Context, chain.Receipt) error {
		if asked++; asked < 3 {
			return fault.New(fault.Upstream, "the node is away")
		}
		return fault.New(fault.UnsafeTransaction, "the token is somebody else's")
	}}
	_, err := r.buy(t.Context(), in)
	wantFault(t, "not ours", err, fault.TxUnknown, fault.SentYes)
	if asked != 3 || !strings.Contains(fmt.Sprint(err), "somebody else's") {
		t.Errorf("asked %d times, %v", asked, err)
	}
	wantTrail(t, r, "a:submitted", "a:unknown")
	if u := r.usage(t); u.Open != 2 || u.Total.Cmp(ape(t, "1")) < 0 {
		t.Errorf("%+v: the reservation must still count", u)
	}
	// The account is blocked until that is resolved; here the next run finds that all is well.
	if _, err = r.buy(t.Context(), intent(w.sink, "k2", "1")); err != nil {
		t.Errorf("%v", err)
	}
	wantTrail(t, r, "a:submitted", "a:unknown", "a:confirmed", "a:submitted", "a:confirmed")
}

// TestCancelWhileWaiting: an interrupt stops the waiting and not the recording.
func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	release := w.chain.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	r := w.open(t, "a", func(o *chain.SenderOptions) {
		o.Step = func(name string) {
			if name == "sent" {
				cancel()
			}
		}
	})
	out, err := r.buy(ctx, intent(w.sink, "k", "1"))
	wantFault(t, "interrupted", err, fault.TxUnknown, fault.SentYes)
	if fault.ExitCode(err) != 7 || !strings.Contains(fmt.Sprint(err), out.Tx.Hash.Hex()) || out.Tx.Hash == (common.Hash{}) {
		t.Errorf("exit %d, %v, %s", fault.ExitCode(err), err, out.Tx.Hash)
	}
	wantTrail(t, r, "a:submitted", "a:unknown")

	// Another process: the open transaction refuses everything else.
	next := w.open(t, "b", nil)
	open, err := chain.OpenTxs(t.Context(), next.db, time.Now)
	if err != nil || len(open) != 1 || open[0].Hash != out.Tx.Hash.Hex() || open[0].State != chain.StateUnknown {
		t.Errorf("open: %+v, %v", open, err)
	}
	_, err = next.buy(t.Context(), intent(w.sink, "k2", "1"))
	wantFault(t, "while it is open", err, fault.Conflict, fault.SentNo)
	if !strings.Contains(fmt.Sprint(err), out.Tx.Hash.Hex()) || !strings.Contains(fault.From(err).Hint, "nft resume") {
		t.Errorf("%v (%s)", err, fault.From(err).Hint)
	}
	_, err = next.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "the same key while it is open", err, fault.QuoteUsed, fault.SentNo)

	// Once it is mined the next run settles it, in the first run's name, and goes on.
	release()
	waitMined(t, w, out.Tx.Hash)
	if _, err = next.buy(t.Context(), intent(w.sink, "k2", "1")); err != nil {
		t.Errorf("after it was mined: %v", err)
	}
	wantTrail(t, r, "a:submitted", "a:unknown", "a:confirmed", "b:submitted", "b:confirmed")
	if got := w.balance(t, w.sink); got != ape(t, "2") {
		t.Errorf("the seller has %s, want 2", got.Decimal(18))
	}
}

func waitMined(t *testing.T, w *world, hash common.Hash) {
	t.Helper()
	eventually(t, "mining "+hash.Hex(), func() bool {
		r, err := w.chain.Client().TransactionReceipt(t.Context(), hash)
		return err == nil && r != nil
	})
}

// TestCancelBeforeBroadcast: bytes that never left are nothing sent.
func TestCancelBeforeBroadcast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, at := range []string{"locked", "intended", "signed", "persisted"} {
		ctx, cancel := context.WithCancel(t.Context())
		r := w.open(t, "a", func(o *chain.SenderOptions) {
			o.Step = func(name string) {
				if name == at {
					cancel()
				}
			}
		})
		_, err := r.buy(ctx, intent(w.sink, "k", "1"))
		wantFault(t, at, err, fault.Canceled, fault.SentNo)
		if u := r.usage(t); u.Open != 0 || !u.Total.IsZero() {
			t.Errorf("%s: %+v is still reserved", at, u)
		}
		var raw int
		if err := r.db.QueryRowContext(t.Context(), `SELECT count(*) FROM tx WHERE raw IS NOT NULL`).Scan(&raw); err != nil || raw != 0 {
			t.Errorf("%s: %d signed transactions are left, %v", at, raw, err)
		}
		wantTrail(t, r)
	}
	if n := w.nonce(t, w.open(t, "a", nil).Address()); n != 0 {
		t.Errorf("%d transactions were mined", n)
	}
}

// TestLostAnswer: the node took it, the answer was lost.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, forward func()) bool {
		if method == "eth_sendRawTransaction" {
			forward()
			rw.WriteHeader(http.StatusBadGateway)
			return true
		}
		return false
	})
	if _, err := r.buy(t.Context(), intent(w.sink, "k", "1")); err != nil {
		t.Errorf("a receipt that is there confirms it: %v", err)
	}
	wantTrail(t, r, "a:submitted", "a:confirmed")

	// The whole node is gone after the broadcast.
	r = w.open(t, "b", func(o *chain.SenderOptions) { o.Wait = 300 * time.Millisecond })
	gone := false
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, forward func()) bool {
		if method == "eth_sendRawTransaction" {
			forward()
			gone = true
		}
		if gone {
			rw.WriteHeader(http.StatusBadGateway)
		}
		return gone
	})
	_, err := r.buy(t.Context(), intent(w.sink, "k2", "1"))
	wantFault(t, "gone", err, fault.TxUnknown, fault.SentMaybe)
	if u := r.usage(t); u.Open != 2 {
		t.Errorf("%+v: the reservation must still count", u)
	}
	_, err = r.buy(t.Context(), intent(w.sink, "k3", "1"))
	wantFault(t, "still gone", err, fault.Upstream, fault.SentNo)
	w.proxy.set(nil)
	left, err := r.Recover(t.Context(), chainID)
	if err != nil || len(left) != 0 {
		t.Errorf("recover: %v, %v", left, err)
	}
	wantTrail(t, r, "a:submitted", "a:confirmed", "b:submitted", "b:unknown", "b:confirmed")
	if u := r.usage(t); u.Open != 0 {
		t.Errorf("%+v", u)
	}
	if got := w.balance(t, w.sink); got != ape(t, "2") {
		t.Errorf("the seller has %s, want 2", got.Decimal(18))
	}
}

// TestRefusedBroadcast: the node says in a known way that it took nothing.
func TestRefusedBroadcast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		name, message string
		forward       bool // the node has it all the same
		code          fault.Code
		sent          string
	}{
		{"insufficient funds", "insufficient funds for gas * price + value", false, fault.Upstream, fault.SentNo},
		{"intrinsic gas", "intrinsic gas too low", false, fault.Upstream, fault.SentNo},
		{"nonce too low, and not there", "nonce too low", false, fault.Upstream, fault.SentNo},
		{"rate limit", "too many requests", false, fault.Upstream, fault.SentNo},
		{"nonce too low, because it is there", "nonce too low: next nonce 1, tx nonce 0", true, "", ""},
		{"already known", "already known", true, "", ""},
		{"underpriced, and yet there", "replacement transaction underpriced", true, "", ""},
		{"an unknown kind", "the sequencer is having a bad day", false, fault.TxUnknown, fault.SentMaybe},
	} {
		r := w.open(t, "a", func(o *chain.SenderOptions) { o.Wait = 300 * time.Millisecond })
		w.proxy.set(func(_ int, method string, rw http.ResponseWriter, forward func()) bool {
			if method != "eth_sendRawTransaction" {
				return false
			}
			if c.forward {
				forward()
			}
			rw.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":%q}}`, c.message)
			return true
		})
		before, open := w.nonce(t, r.Address()), r.usage(t)
		_, err := r.buy(t.Context(), intent(w.sink, c.name, "1"))
		w.proxy.set(nil)
		if c.code == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		} else {
			wantFault(t, c.name, err, c.code, c.sent)
		}
		if c.sent == fault.SentNo {
			if u := r.usage(t); u != open {
				t.Errorf("%s: the reservation is left: %+v", c.name, u)
			}
			// The key and the nonce are free again.
			out, err := r.buy(t.Context(), intent(w.sink, c.name, "1"))
			if err != nil || out.Tx.Nonce != before {
				t.Errorf("%s: again: nonce %d, want %d, %v", c.name, out.Tx.Nonce, before, err)
			}
		}
	}
}

// TestNeverSent: no connection, so nothing left.
func TestNeverSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	down := &downTransport{}
	c := dial(t, w.url, chain.DialOptions{WantChainID: chainID, NoRetry: true, Transport: down})
	r := w.open(t, "a", func(o *chain.SenderOptions) {
		o.Client = c
		o.Step = func(name string) {
			if name == "persisted" {
				down.mu.Lock()
				down.down = true
				down.mu.Unlock()
			}
		}
	})
	_, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "connection refused", err, fault.Upstream, fault.SentNo)
	if u := r.usage(t); u.Open != 0 {
		t.Errorf("%+v", u)
	}
}

// downTransport makes a new connection a call, and none once it is down.
type downTransport struct {
	mu   sync.Mutex
	down bool
}

func (d *downTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	tr := &http.Transport{DisableKeepAlives: true}
	if d.down {
		req = req.Clone(req.Context())
		req.URL.Host = "127.0.0.1:1"
	}
	return tr.RoundTrip(req)
}

// TestEveryRPCFails fails the n-th call, for every n, in two ways: before the
// node sees it, and after it did.
func TestEveryRPCFails(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		w := newWorld(t)
		done := false
		for n := 1; !done; n++ {
			if n > 60 {
				t.Fatal("it never got through")
			}
			key := fmt.Sprintf("k%d", n)
			r := w.open(t, "a", func(o *chain.SenderOptions) { o.Wait = time.Second })
			failed := false
			w.proxy.set(func(i int, _ string, rw http.ResponseWriter, forward func()) bool {
				if i != n {
					return false
				}
				failed = true
				if after {
					forward()
				}
				rw.WriteHeader(http.StatusServiceUnavailable)
				return true
			})
			before := w.nonce(t, r.Address())
			_, err := r.buy(t.Context(), intent(w.sink, key, "0.01"))
			w.proxy.set(nil)
			done = !failed
			mined := w.nonce(t, r.Address()) - before
			switch f := fault.From(err); {
			case err == nil:
				if mined != 1 {
					t.Errorf("call %d (after %t): confirmed, and %d were mined", n, after, mined)
				}
			case f.Sent == fault.SentNo:
				if mined != 0 || f.Code != fault.Upstream {
					t.Errorf("call %d (after %t): %v says nothing was sent, and %d were mined", n, after, err, mined)
				}
				if u := r.usage(t); u.Open != 0 {
					t.Errorf("call %d (after %t): %d reservations are left", n, after, u.Open)
				}
			case f.Code == fault.TxUnknown:
				// The bytes never got to the node. Nobody may use the nonce until
				// that is settled, which for this test happens by sending them.
				_, err := r.buy(t.Context(), intent(w.sink, key+"x", "0.01"))
				wantFault(t, "while unknown", err, fault.Conflict, fault.SentNo)
				sendStored(t, w, r)
			default:
				t.Errorf("call %d (after %t): %v", n, after, err)
			}
			if left, err := r.Recover(t.Context(), chainID); err != nil || len(left) != 0 {
				t.Errorf("call %d (after %t): %v is left, %v", n, after, left, err)
			}
		}
		// All that was booked is all that left.
		r := w.open(t, "a", nil)
		start, _ := units.Parse("1000", 18)
		left, err := start.Sub(w.balance(t, r.Address()))
		if u := r.usage(t); err != nil || u.Settled != left {
			t.Errorf("after %t: booked %s, %s left the account", after, u.Settled, left)
		}
	}
}

// sendStored sends what the journal holds signed, as resume will.
func sendStored(t *testing.T, w *world, r *rig) {
	t.Helper()
	var raw []byte
	if err := r.db.QueryRowContext(t.Context(), `SELECT raw FROM tx WHERE state IN ('signed', 'unknown')`).Scan(&raw); err != nil {
		t.Fatal(err)
	}
	var tx types.Transaction
	if err := tx.UnmarshalBinary(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.chain.Client().SendTransaction(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	waitMined(t, w, tx.Hash())
}

// TestChainChangesBeforeSigning: a proxy answers for another chain after all
// checks but the last.
func TestChainChangesBeforeSigning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	signed := false
	r := w.open(t, "a", func(o *chain.SenderOptions) {
		o.Step = func(name string) {
			signed = signed || name == "signed"
			if name == "intended" {
				w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
					if method != "eth_chainId" {
						return false
					}
					rw.Header().Set("Content-Type", "application/json")
					fmt.Fprint(rw, `{"jsonrpc":"2.0","id":1,"result":"0x8173"}`)
					return true
				})
			}
		}
	})
	_, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "another chain", err, fault.ChainMismatch, fault.SentNo)
	if signed || r.usage(t).Open != 0 || w.proxy.count("eth_sendRawTransaction") != 0 {
		t.Errorf("signed %t, %+v", signed, r.usage(t))
	}
}

// TestOtherSigner: a signer that returns something else than it was given.
func TestOtherSigner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, alter := range map[string]func(*types.DynamicFeeTx){
		"value":  func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(7) },
		"target": func(tx *types.DynamicFeeTx) { tx.To = &common.Address{9} },
		"nonce":  func(tx *types.DynamicFeeTx) { tx.Nonce++ },
	} {
		r := w.open(t, "a", func(o *chain.SenderOptions) { o.Signer = lyingSigner{o.Signer, alter} })
		_, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
		wantFault(t, name, err, fault.UnsafeTransaction, fault.SentNo)
		if w.proxy.count("eth_sendRawTransaction") != 0 || r.usage(t).Open != 0 {
			t.Errorf("%s: it was sent, or is still reserved", name)
		}
	}
}

type lyingSigner struct {
	chain.Signer
	alter func(*types.DynamicFeeTx)
}

func (l lyingSigner) SignTx(ctx context.Context, tx *types.Transaction, id *big.Int) (*types.Transaction, error) {
	other := &types.DynamicFeeTx{ChainID: tx.ChainId(), Nonce: tx.Nonce(), GasTipCap: tx.GasTipCap(), GasFeeCap: tx.GasFeeCap(), Gas: tx.Gas(), To: tx.To(), Value: tx.Value(), Data: tx.Data()}
	l.alter(other)
	return l.Signer.SignTx(ctx, types.NewTx(other), id)
}

// TestRacers: many processes' worth of senders at once; each waits for its turn,
// every key is bought once, and no nonce is used twice.
func TestRacers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const racers, keys = 8, 4
	var wg sync.WaitGroup
	results := make([]error, racers)
	for i := range racers {
		r := w.open(t, fmt.Sprint(i), func(o *chain.SenderOptions) { o.LockWait = 20 * time.Second })
		wg.Go(func() { _, results[i] = r.buy(t.Context(), intent(w.sink, fmt.Sprintf("k%d", i%keys), "1")) })
	}
	wg.Wait()
	won := 0
	for _, err := range results {
		if err == nil {
			won++
		} else if fault.CodeOf(err) != fault.QuoteUsed {
			t.Errorf("%v", err)
		}
	}
	if got := w.balance(t, w.sink); won != keys || got != ape(t, "4") {
		t.Errorf("%d won and the seller has %s, want %d", won, got.Decimal(18), keys)
	}
}

func TestLockIsHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in, out := make(chan struct{}), make(chan struct{})
	first := w.open(t, "a", func(o *chain.SenderOptions) {
		o.Step = func(name string) {
			if name == "locked" {
				close(in)
				<-out
			}
		}
	})
	var wg sync.WaitGroup
	var err1 error
	wg.Go(func() { _, err1 = first.buy(t.Context(), intent(w.sink, "k1", "1")) })
	select {
	case <-in:
	case <-time.After(20 * time.Second):
		t.Fatal("the first never got the lock")
	}
	second := w.open(t, "b", func(o *chain.SenderOptions) { o.LockWait = 50 * time.Millisecond })
	_, err := second.buy(t.Context(), intent(w.sink, "k2", "1"))
	wantFault(t, "the lock is held", err, fault.Conflict, fault.SentNo)
	close(out)
	wg.Wait()
	if err1 != nil {
		t.Error(err1)
	}
}

// TestLogFails: the chain did it, the record is incomplete, the next run mends it.
func TestLogFails(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"submitted", "confirmed"} {
		w := newWorld(t)
		r := w.open(t, "a", func(o *chain.SenderOptions) {
			l := o.Recorder.(lineLog)
			l.fail = func(line []byte) error {
				if strings.Contains(string(line), step) {
					return fault.New(fault.StateUnusable, "no space left")
				}
				return nil
			}
			o.Recorder = l
		})
		out, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
		wantFault(t, step, err, fault.NotDurable, fault.SentYes)
		if !out.Receipt.Success || !strings.Contains(fmt.Sprint(err), "no space left") {
			t.Errorf("%s: %+v, %v", step, out, err)
		}
		next := w.open(t, "b", nil)
		if left, err := next.Recover(t.Context(), chainID); err != nil || len(left) != 0 {
			t.Errorf("%v, %v", left, err)
		}
		got := r.trail(t)
		slices.Sort(got)
		if !slices.Equal(got, []string{"a:confirmed", "a:submitted"}) {
			t.Errorf("%s: events %v", step, got)
		}
		if _, err := os.Stat(r.log.path); err != nil {
			t.Error(err)
		}
	}
}

// TestStoryIsGone: without somebody to tell it, an open transaction stays open.
func TestStoryIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	in := intent(w.sink, "k", "1")
	in.Story = story{Name: "k", check: func(context.Context, chain.Receipt) error { return errors.New("not ours") }}
	out, err := r.buy(t.Context(), in)
	wantFault(t, "not ours", err, fault.TxUnknown, fault.SentYes)
	next := w.open(t, "b", func(o *chain.SenderOptions) { o.Restore = nil })
	left, err := next.Recover(t.Context(), chainID)
	if err != nil || len(left) != 1 || left[0].Hash != out.Tx.Hash.Hex() {
		t.Errorf("%v, %v", left, err)
	}
}
