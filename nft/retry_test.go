package nft_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

var second = common.HexToAddress("0x90f79bf6eb2c4f870365e785982e1f101e93b906")

// relist has another seller list the token, at a price, and the quoted order gone.
func (w *world) relist(who common.Address, price string) {
	w.t.Helper()
	if w.gone == nil {
		w.gone = map[string]bool{}
	}
	w.gone[seaport.OrderHash(w.order).Hex()] = true
	pay := func(v units.Wei, to common.Address) seaport.ConsiderationItem {
		return seaport.ConsiderationItem{IdentifierOrCriteria: new(big.Int), StartAmount: v.Big(), EndAmount: v.Big(), Recipient: to}
	}
	fee := ape(w.t, "0.1")
	w.price = ape(w.t, price)
	rest, err := w.price.Sub(fee)
	if err != nil {
		w.t.Fatal(err)
	}
	w.order.Offerer, w.owner = who, who
	w.order.Consideration = []seaport.ConsiderationItem{pay(rest, who), pay(fee, seaport.FeeRecipient)}
	w.order.Salt = new(big.Int).Add(w.order.Salt, big.NewInt(1))
}

// TestGoneOrder: another seller's order of the same token, not dearer, is bought
// in its place, by the whole way, and the record says which one was filled.
func TestGoneOrder(t *testing.T) {
	t.Parallel()
	for _, price := range []string{"12.5", "12"} {
		w := newWorld(t)
		q := w.simulated()
		first := seaport.OrderHash(w.order).Hex()
		w.relist(second, price)
		out, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
		if err != nil {
			t.Fatal(err)
		}
		now := seaport.OrderHash(w.order).Hex()
		if out.OrderHash != now || out.Seller != lower(second) || out.PriceApe.String() != price || len(out.Retries) != 1 || out.Retries[0].OldOrder != first ||
			!strings.Contains(out.Message, "from another seller") {
			t.Errorf("%+v", out)
		}
		if out.Quote.OrderHash != first || out.Quote.Seller != lower(seller) || out.Quote.PriceApe != "12.5" || out.Quote.Status != "confirmed" {
			t.Errorf("the quote was rewritten: %+v", out.Quote)
		}
		if want := "nft.quote.created nft.simulation.passed nft.buy.retry nft.buy.submitted nft.buy.confirmed"; w.trail() != want {
			t.Errorf("events %s", w.trail())
		}
		for _, d := range w.drafts[2:] {
			r, _ := d.Result.(map[string]any)
			if r["orderHash"] != now || d.Type == "nft.buy.retry" && (r["oldOrderHash"] != first || r["seller"] != lower(second)) ||
				d.Type != "nft.buy.retry" && r["quotedOrderHash"] != first {
				t.Errorf("%s %v", d.Type, r)
			}
		}
		p := w.sent[0].Intent
		if p.Key != "nft.buy:"+q.QuoteID || p.Value != ape(t, price) {
			t.Errorf("sent %+v", p)
		}
		// After a crash, what was signed is what a receipt is held against.
		kept, err := p.Story.Context()
		if err != nil {
			t.Fatal(err)
		}
		again, err := nft.Restore(fakeChain{w}, kept)
		if err != nil {
			t.Fatal(err)
		}
		info := chain.TxInfo{Hash: common.Hash{0xaa}, Value: p.Value}
		if d, err := again.Confirmed(t.Context(), info, w.receipt()); err != nil || d.Result.(map[string]any)["orderHash"] != now {
			t.Errorf("%+v, %v", d, err)
		}
		w.order.Salt = big.NewInt(4711) // a receipt of another order
		if _, err := again.Confirmed(t.Context(), info, w.receipt()); err == nil {
			t.Error("a receipt of another order confirms it")
		}
		show, err := w.service().QuotesShow(t.Context(), nft.QuotesShowIn{Quote: q.QuoteID})
		if err != nil || show.OrderHash != first || show.Status != "confirmed" {
			t.Errorf("%+v, %v", show, err)
		}
	}
}

// TestNoReplacement: nothing else takes the quoted order's place.
func TestNoReplacement(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		happens func(*world)
		says    string
	}{
		"dearer":      {func(w *world) { w.relist(second, "12.500000000000000001") }, "costs 12.500000000000000001 APE, and 12.5 was confirmed"},
		"other token": {func(w *world) { w.relist(second, "12"); w.listing = func(l *market.Listing) { l.TokenID = "8" } }, "token id is 8, expected 7"},
		"currency": {func(w *world) {
			w.relist(second, "12")
			w.listing = func(l *market.Listing) { l.Decimals, l.Currency = 6, "USDC" }
		}, "currency is USDC"},
		"contract": {func(w *world) {
			w.relist(second, "12")
			w.listing = func(l *market.Listing) { l.AssetContract = lower(other) }
		}, "another contract"},
		"protocol": {func(w *world) {
			w.relist(second, "12")
			w.listing = func(l *market.Listing) { l.ProtocolAddress = lower(other) }
		}, "protocol contract"},
		"huge fee": {func(w *world) {
			w.relist(second, "12")
			w.listing = func(l *market.Listing) { l.Considered = ape(w.t, "6") }
		}, "the seller signed 6"},
		"none":          {func(w *world) { w.relist(second, "12"); w.listErr = fault.New(fault.NotFound, "no live listing") }, "no other listing"},
		"the same":      {func(w *world) { w.gone = map[string]bool{seaport.OrderHash(w.order).Hex(): true} }, "no other listing"},
		"another three": {func(w *world) { w.relist(second, "12"); w.listing = func(l *market.Listing) { w.relist(second, "12") } }, "the others that were tried"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.simulated()
			tt.happens(w)
			_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
			refused(t, err, fault.SimulationFailed, tt.says, "nft quote --collection gs-on-ape --token-id 7")
			if len(w.sent) != 0 {
				t.Fatal("it was sent")
			}
			tries := strings.Count(w.trail(), "nft.buy.retry")
			if want := map[bool]int{true: 3}[name == "another three"]; tries != want {
				t.Errorf("%d retries: %s", tries, w.trail())
			}
			// The gate is closed: the quote's order is gone.
			dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
			if err != nil || len(dry.WouldBlock) != 1 || dry.WouldBlock[0].Code != fault.SimulationFailed {
				t.Errorf("%+v, %v", dry.WouldBlock, err)
			}
		})
	}
}

// TestNotGone: what does not say that the order is gone replaces nothing.
func TestNotGone(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(*world){
		"ours":          func(w *world) { w.owner = me; w.fulErr = fault.New(fault.NotFound, "gone") },
		"filled by us":  func(w *world) { w.owner = me; reverting(errorData("OrderAlreadyFilled(bytes32)", 1))(w) },
		"paused":        func(w *world) { reverting(errorData("EnforcedPause()", 0))(w) },
		"approval":      func(w *world) { reverting(errorData("ERC721InsufficientApproval(address,uint256)", 2))(w) },
		"time":          func(w *world) { reverting(errorData("InvalidTime(uint256,uint256)", 2))(w) },
		"poor":          func(w *world) { w.balance = ape(w.t, "1") },
		"market down":   func(w *world) { w.fulErr = fault.New(fault.Upstream, "500") },
		"rate limited":  func(w *world) { w.fulErr = fault.New(fault.Upstream, "429") },
		"tampered":      func(w *world) { w.propose = func(f *market.Fulfillment) { f.To = lower(other) } },
		"market is off": func(w *world) { w.fail["market"] = fault.New(fault.Auth, "no key") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.simulated()
			happens(w)
			asked := len(w.asked)
			if _, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase}); err == nil {
				t.Fatal("bought")
			}
			if got := strings.Join(w.asked[asked:], " "); strings.Contains(got, "listing") || strings.Contains(w.trail(), "retry") || len(w.sent) != 0 {
				t.Errorf("asked %s, events %s", got, w.trail())
			}
		})
	}
}

// TestReplacementAsksAgain: another seller is another question, and the third
// order is found among all when the best one stays the gone one.
func TestReplacementAsksAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	first := seaport.OrderHash(w.order).Hex()
	var shown []nft.Action
	w.person = func(a nft.Action) (string, error) {
		if shown = append(shown, a); len(shown) == 1 { // while the person thinks, it is sold
			reverting(errorData("OrderAlreadyFilled(bytes32)", 1))(w)
			stale := w.listed("7")
			w.relist(second, "12")
			fresh := w.listed("7")
			w.listing = func(l *market.Listing) { *l = stale; w.call = nil }
			w.all = func(market.ListQuery) []market.Listing { return []market.Listing{stale, fresh} }
		}
		return a.Phrase, nil
	}
	if _, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true}); err != nil {
		t.Fatal(err)
	}
	if len(shown) != 2 || shown[0].Seller != seller.Hex() || shown[0].Replaces != "" || shown[1].Seller != second.Hex() || shown[1].Replaces != first ||
		shown[1].PriceApe != "12" || shown[1].Phrase != phrase || len(w.sent) != 1 {
		t.Errorf("%+v; sent %d", shown, len(w.sent))
	}
	// A person who does not want that one is not passed over.
	w = newWorld(t)
	q = w.simulated()
	w.relist(second, "12")
	w.person = func(a nft.Action) (string, error) { return "no", nil }
	_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true})
	refused(t, err, fault.ConfirmationMismatch)
	if len(w.sent) != 0 {
		t.Error("it was sent")
	}
}

// TestNoReplacementWhileOpen: a transaction of the quote that left, or may have,
// is not joined by another.
func TestNoReplacementWhileOpen(t *testing.T) {
	t.Parallel()
	for state, code := range map[string]fault.Code{
		chain.StateSigned: fault.QuoteUsed, chain.StateSent: fault.QuoteUsed, chain.StateUnknown: fault.QuoteUsed, chain.StateConfirmed: fault.QuoteUsed,
		chain.StateReverted: fault.QuoteUsed, chain.StateIntended: "",
	} {
		w := newWorld(t)
		q := w.simulated()
		w.relist(second, "12")
		w.listing = func(*market.Listing) { t.Errorf("%s: looked for another", state) }
		if code == "" {
			w.listing = nil
		}
		// Another run signs between this one's look at the quote and its look at the order.
		w.onFulfil = func() {
			w.journal = map[string]chain.OpenTx{"nft.buy:" + q.QuoteID: {State: state, Hash: fmt.Sprintf("0x%064x", 1)}}
		}
		_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
		if fault.CodeOf(err) != code || (len(w.sent) == 1) != (code == "") {
			t.Errorf("%s: %v, sent %d", state, err, len(w.sent))
		}
	}
}

// TestRetryEventIsWhole: the event holds what the catalogue says (fakes hold every
// draft against it), and its numbers are exact.
func TestRetryEventIsWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	w.relist(second, "0.123456789012345678")
	if _, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase}); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.drafts {
		if d.Type == "nft.buy.retry" {
			if b, err := json.Marshal(d.Result); err != nil || !strings.Contains(string(b), `"priceApe":0.123456789012345678`) {
				t.Errorf("%s, %v", b, err)
			}
		}
	}
}

// What was approved with its order is bought with that order, or not at all: neither
// another seller's nor another order in the quote stands in.
func TestApprovedOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	w.relist(second, "12")
	_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase, Order: q.OrderHash})
	if fault.CodeOf(err) != fault.SimulationFailed || !strings.Contains(err.Error(), "exactly this order was approved") || len(w.sent) != 0 {
		t.Errorf("%v, %d sent", err, len(w.sent))
	}
	w = newWorld(t)
	q = w.simulated()
	_, err = w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase, Order: "0x" + strings.Repeat("1", 64)})
	if fault.CodeOf(err) != fault.StateUnusable || len(w.sent) != 0 {
		t.Errorf("%v, %d sent", err, len(w.sent))
	}
	if out, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase, Order: q.OrderHash}); err != nil || out.OrderHash != q.OrderHash {
		t.Errorf("%+v %v", out, err)
	}
}
