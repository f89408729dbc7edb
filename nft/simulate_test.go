package nft_test

import (
	"bytes"
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestSimulate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quoted()
	out, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
	if err != nil {
		t.Fatal(err)
	}
	if !out.OK || out.Reason != "simulation_passed" || out.QuoteID != q.QuoteID || out.BlockNumber != 41 || out.Gas != 250_000 ||
		out.FeeApe != "0.01" || out.From != lower(me) || out.AssumedFunds || len(out.Payments) != 3 {
		t.Errorf("%+v", out)
	}
	if w.trail() != "nft.quote.created nft.simulation.passed" {
		t.Errorf("events %s", w.trail())
	}
	// The very bytes, from the buyer, with the price as value.
	if c := w.calls[0]; c.From != me || c.To != seaport.Address || c.Value != w.price ||
		!bytes.Equal(c.Data, sp.PackFulfillBasicOrderEfficient6GL6yc(seaport.Basic(w.order, make([]byte, 64)))) {
		t.Errorf("called %+v", c)
	}
}

func TestSimulateForAnAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quoted()
	w.noKey, w.balance = true, units.Wei{}
	_, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
	refused(t, err, fault.Auth, "--from")
	_, err = w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID, From: "0x12"})
	refused(t, err, fault.Usage, "--from")
	out, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID, From: other.Hex()})
	if err != nil || out.From != lower(other) || !out.AssumedFunds {
		t.Fatalf("%+v, %v", out, err)
	}
	// Naming the key's own account asks for its real balance.
	w.noKey = false
	_, err = w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID, From: me.Hex()})
	refused(t, err, fault.SimulationFailed, "insufficient balance")
}

// reverting answers the purchase itself with a revert.
func reverting(data []byte) func(*world) {
	return func(w *world) {
		w.call = func(msg chain.CallMsg) ([]byte, error, bool) {
			return nil, chain.DecodeRevert(data), msg.From == me
		}
	}
}

func errorData(signature string, words int) []byte {
	return append(crypto.Keccak256([]byte(signature))[:4], make([]byte, 32*words)...)
}

func TestSimulateFails(t *testing.T) {
	t.Parallel()
	gone := fault.New(fault.NotFound, "order is not for sale any more")
	for name, tt := range map[string]struct {
		world func(*world)
		code  fault.Code
		says  string
		cause string // details.reason
	}{
		"already filled":  {reverting(errorData("OrderAlreadyFilled(bytes32)", 1)), fault.SimulationFailed, "already filled", "OrderAlreadyFilled"},
		"cancelled":       {reverting(errorData("OrderIsCancelled(bytes32)", 1)), fault.SimulationFailed, "the seller cancelled the order", "OrderIsCancelled"},
		"time":            {reverting(errorData("InvalidTime(uint256,uint256)", 2)), fault.SimulationFailed, "expired", "InvalidTime"},
		"approval":        {reverting(errorData("ERC721InsufficientApproval(address,uint256)", 2)), fault.SimulationFailed, "approval", "ERC721InsufficientApproval"},
		"silent":          {reverting(nil), fault.SimulationFailed, "without a reason", "unknown"},
		"moved":           {func(w *world) { reverting(errorData("Strange()", 0))(w); w.owner = other }, fault.SimulationFailed, "the seller no longer owns the token", ""},
		"ours":            {func(w *world) { reverting(errorData("OrderAlreadyFilled(bytes32)", 1))(w); w.owner = me }, fault.SimulationFailed, "the buyer owns the token already", "OrderAlreadyFilled"},
		"gone, ours":      {func(w *world) { w.fulErr, w.owner = gone, me }, fault.SimulationFailed, "the buyer owns the token already", "OrderAlreadyFilled"},
		"gone, filled":    {func(w *world) { w.fulErr, w.status = gone, [2]int64{0, 1} }, fault.SimulationFailed, "somebody bought the token", "OrderAlreadyFilled"},
		"gone, cancelled": {func(w *world) { w.fulErr, w.status = gone, [2]int64{1, 0} }, fault.SimulationFailed, "the seller cancelled the order", "OrderIsCancelled"},
		"gone, moved":     {func(w *world) { w.fulErr, w.owner = gone, other }, fault.SimulationFailed, "no longer owns", "seller_moved_token"},
		"gone, who knows": {func(w *world) { w.fulErr = gone }, fault.SimulationFailed, "no longer offers", "order_gone"},
		"counter raised":  {func(w *world) { w.counter = 12345 }, fault.SimulationFailed, "their counter is 12345, the order's is 0", "OrderIsCancelled"},
		"poor":            {func(w *world) { w.balance = w.price; w.balance, _ = w.price.Sub(units.FromUint64(1)) }, fault.SimulationFailed, "insufficient balance", "insufficient_balance"},
		"no gas money":    {func(w *world) { w.balance = w.price }, fault.SimulationFailed, "0.01 for gas", "insufficient_balance"},
		"a reason without data": {func(w *world) {
			w.call = func(m chain.CallMsg) ([]byte, error, bool) {
				return nil, &chain.RevertError{Reason: "paused"}, m.From == me
			}
		}, fault.SimulationFailed, "a contract refuses: paused", "unknown"},
		"node refuses": {func(w *world) {
			node := &chain.NodeError{Message: "insufficient funds for gas * price + value", Class: chain.ClassInsufficientFunds}
			w.call = func(m chain.CallMsg) ([]byte, error, bool) {
				return nil, fault.Wrap(node, fault.Upstream, "refused"), m.From == me
			}
		}, fault.SimulationFailed, "insufficient funds", "node_refuses"},
		"not true": {func(w *world) {
			w.call = func(m chain.CallMsg) ([]byte, error, bool) { return make([]byte, 32), nil, m.From == me }
		}, fault.SimulationFailed, "does not answer", "no_success"},
		"nothing there": {func(w *world) { w.call = func(m chain.CallMsg) ([]byte, error, bool) { return nil, nil, m.From == me } }, fault.SimulationFailed, "does not answer", "no_success"},
		"price raised": {func(w *world) {
			w.propose = func(f *market.Fulfillment) { f.Value, _ = f.Value.Add(units.FromUint64(1)) }
		}, fault.UnsafeTransaction, "value", "unsafe_transaction"},
		"another order": {func(w *world) {
			w.propose = func(f *market.Fulfillment) {
				o := w.order
				o.Salt = big.NewInt(1)
				f.InputData = w.fulfillment(seaport.Basic(o, make([]byte, 64))).InputData
			}
		}, fault.UnsafeTransaction, "orderHash", "unsafe_transaction"},
		"expired for chain": {func(w *world) { w.head = time.Unix(w.order.EndTime.Int64(), 0) }, fault.UnsafeTransaction, "endTime", "unsafe_transaction"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.quoted()
			tt.world(w)
			_, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
			f := refused(t, err, tt.code, tt.says)
			if got := f.Details["reason"]; tt.cause != "" && got != tt.cause {
				t.Errorf("reason %v, expected %s", got, tt.cause)
			}
			if f.Details["quoteId"] != q.QuoteID {
				t.Errorf("details %v", f.Details)
			}
			if w.trail() != "nft.quote.created nft.simulation.failed" || w.last().Err == "" {
				t.Errorf("events %s", w.trail())
			}
			// It opens no gate, and is what the dry run shows.
			w.call, w.propose, w.fulErr, w.balance, w.counter, w.head = nil, nil, nil, ape(t, "1000"), 0, w.now
			dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
			if err != nil || len(dry.WouldBlock) != 1 || dry.WouldBlock[0].Code != fault.SimulationFailed {
				t.Errorf("dry run %+v, %v", dry.WouldBlock, err)
			}
			_, err = w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
			refused(t, err, fault.SimulationFailed)
			if len(w.sent) > 0 {
				t.Error("something was sent")
			}
		})
	}
}

// TestSimulateWithoutVerdict: what says nothing about the purchase is no simulation.
func TestSimulateWithoutVerdict(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*world){
		"market": func(w *world) { w.fulErr = fault.New(fault.Upstream, "status 500") },
		"node": func(w *world) {
			w.call = func(m chain.CallMsg) ([]byte, error, bool) {
				return nil, fault.New(fault.Upstream, "down"), m.From == me
			}
		},
		"counter": func(w *world) {
			w.call = func(m chain.CallMsg) ([]byte, error, bool) { return []byte{1}, nil, m.From != me }
		},
		"counter reverts": func(w *world) {
			w.call = func(m chain.CallMsg) ([]byte, error, bool) { return nil, chain.DecodeRevert(nil), m.From != me }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.quoted()
			change(w)
			_, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
			refused(t, err, fault.Upstream)
			show, err := w.service().QuotesShow(t.Context(), nft.QuotesShowIn{Quote: q.QuoteID})
			if err != nil || show.Simulation != nil || w.trail() != "nft.quote.created" {
				t.Errorf("%+v, %v, events %s", show.Simulation, err, w.trail())
			}
		})
	}
}

func TestSimulateRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: "q_none\x1b"})
	refused(t, err, fault.NotFound, `unknown quote q_none\x1b`)
	q := w.quoted()
	w.write("allowlist.json", `[]`)
	_, err = w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
	refused(t, err, fault.CollectionNotAllowed)
	if w.trail() != "nft.quote.created policy.blocked" {
		t.Errorf("events %s", w.trail())
	}
	w.pass(nft.QuoteTTL)
	_, err = w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
	f := refused(t, err, fault.QuoteExpired, "nft quote --collection gs-on-ape --token-id 7")
	if f.Details["reason"] != "quote_expired" || w.last().Type != "nft.simulation.failed" {
		t.Errorf("%v, event %s", f.Details, w.last().Type)
	}
}

func TestCanceledSimulation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quoted()
	w.call = func(m chain.CallMsg) ([]byte, error, bool) { return nil, context.Canceled, m.From == me }
	_, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
	refused(t, err, fault.Canceled)
	if w.trail() != "nft.quote.created" {
		t.Errorf("events %s", w.trail())
	}
}

// TestDamagedQuote: what can't be read is refused, not guessed.
func TestDamagedQuote(t *testing.T) {
	t.Parallel()
	for name, update := range map[string]string{
		"token id":   `UPDATE quotes SET doc = json_set(doc, '$.tokenId', 'x')`,
		"not json":   `UPDATE quotes SET doc = 'x'`,
		"another id": `UPDATE quotes SET doc = json_set(doc, '$.quoteId', 'q_other')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.quoted()
			if _, err := w.state.ExecContext(t.Context(), update); err != nil {
				t.Fatal(err)
			}
			_, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
			refused(t, err, fault.StateUnusable)
		})
	}
	w := newWorld(t)
	q := w.simulated()
	if _, err := w.state.ExecContext(t.Context(), `UPDATE simulations SET doc = 'x'`); err != nil {
		t.Fatal(err)
	}
	_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
	refused(t, err, fault.StateUnusable)
	_, err = w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
	refused(t, err, fault.StateUnusable)
}

// TestMarketRefusesUs: a wrong key says nothing about the order.
func TestMarketRefusesUs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quoted()
	w.fulErr, w.status = fault.New(fault.Auth, "the key was refused"), [2]int64{0, 1}
	_, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
	refused(t, err, fault.Auth)
}
