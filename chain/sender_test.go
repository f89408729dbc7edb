package chain_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
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
