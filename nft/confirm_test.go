package nft_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestAsked: who is at a terminal is shown what the bytes do, and types the phrase.
func TestAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	var shown nft.Action
	w.person = func(a nft.Action) (string, error) { shown = a; return a.Phrase, nil }
	out, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true})
	if err != nil || len(w.sent) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	a := shown
	if !a.Verified || a.Phrase != phrase || a.Network != "the sandbox" || a.Collection != slug || a.Name != "Gs on Ape" || a.TokenID != "7" ||
		a.Contract != common.HexToAddress(contract).Hex() || a.Seller != seller.Hex() || a.Buyer != me.Hex() || a.Target != seaport.Address.Hex() ||
		a.OrderHash != seaport.OrderHash(w.order).Hex() || a.Replaces != "" || a.Digest != w.sent[0].PolicyTx().Digest().String() {
		t.Errorf("%+v", a)
	}
	if a.PriceApe != "12.5" || a.SellerApe != "11.75" || a.OthersGetApe != "0.75" || a.MaxFeeApe != "0.01" || a.MaxTotalApe != "12.51" ||
		a.BalanceApe != "1000" || a.BalanceAfterApe != "987.49" {
		t.Errorf("amounts %+v", a)
	}
	if len(a.Fees) != 2 || a.Fees[0].Recipient != seaport.FeeRecipient.Hex() || a.Fees[0].AmountApe != "0.125" || a.Fees[1].Recipient != artist.Hex() {
		t.Errorf("fees %+v", a.Fees)
	}
	if len(a.Caps) != 1 || a.Caps[0].Name != "execution.dailySpendCap" || a.Caps[0].Limit != "1000" || a.Caps[0].Used != "0" || a.Caps[0].After != "12.51" {
		t.Errorf("caps %+v", a.Caps)
	}
	if !a.OrderExpires.Equal(time.Unix(w.order.EndTime.Int64(), 0)) || !a.QuoteExpires.Equal(q.ExpiresAt) {
		t.Errorf("times %s %s", a.OrderExpires, a.QuoteExpires)
	}
	var kept struct{ Authority string }
	if doc, err := w.sent[0].Intent.Story.Context(); err != nil || json.Unmarshal(doc, &kept) != nil || kept.Authority != "terminal" {
		t.Errorf("authority %q, %v", kept.Authority, err)
	}
	// The order of things: the person comes after the simulation, and the bytes are run once more after the answer.
	if got := strings.Join(w.asked[len(w.asked)-5:], " "); got != "fulfillment eth_call person eth_call sent" {
		t.Errorf("asked %s", got)
	}
}

// TestNobodyAsked: a phrase that is given, autonomy, and a policy that wants no
// phrase ask nobody.
func TestNobodyAsked(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]nft.BuyIn{
		"phrase": {Confirm: phrase}, "autonomous": {Autonomous: true}, "wrong phrase": {Confirm: "yes"}, "not required": {},
	} {
		w := newWorld(t)
		q := w.simulated()
		w.person = func(nft.Action) (string, error) { t.Errorf("%s: asked", name); return "", io.EOF }
		if name == "not required" {
			w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"]}, "execution": {"dailySpendCap": 100, "confirmPhraseRequired": false}}`)
		}
		in.Quote, in.Execute = q.QuoteID, true
		_, err := w.service().Buy(t.Context(), in)
		if name == "wrong phrase" {
			refused(t, err, fault.ConfirmationMismatch)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnswers: nothing but the phrase, typed while everything still holds, leads
// to a signature.
func TestAnswers(t *testing.T) {
	t.Parallel()
	right := func(a nft.Action) (string, error) { return a.Phrase, nil }
	stopped, stop := context.WithCancel(t.Context())
	for name, tt := range map[string]struct {
		answer func(*world, nft.Action) (string, error)
		ctx    context.Context
		code   fault.Code
		says   string
	}{
		"wrong":     {answer: func(*world, nft.Action) (string, error) { return "BUY gs-on-ape #7 12.50 APE", nil }, code: fault.ConfirmationMismatch, says: "type the phrase as it is shown"},
		"yes":       {answer: func(*world, nft.Action) (string, error) { return "yes", nil }, code: fault.ConfirmationMismatch},
		"nothing":   {answer: func(*world, nft.Action) (string, error) { return "", nil }, code: fault.ConfirmationMismatch},
		"end":       {answer: func(*world, nft.Action) (string, error) { return "", io.EOF }, code: fault.Canceled, says: "nothing was signed"},
		"interrupt": {answer: func(_ *world, a nft.Action) (string, error) { stop(); return a.Phrase, nil }, ctx: stopped, code: fault.Canceled},
		"no screen": {answer: func(*world, nft.Action) (string, error) {
			return "", fault.New(fault.ApprovalRequired, "the terminal is gone")
		}, code: fault.ApprovalRequired},
		"nothing, and the rule is lifted meanwhile": {answer: func(w *world, _ nft.Action) (string, error) {
			w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"]}, "execution": {"dailySpendCap": 100, "confirmPhraseRequired": false}}`)
			return "", nil
		}, code: fault.ConfirmationMismatch},
		"too late": {answer: func(w *world, a nft.Action) (string, error) { w.pass(nft.QuoteTTL); return right(a) }, code: fault.QuoteExpired},
		"halted":   {answer: func(w *world, a nft.Action) (string, error) { w.write("HALT", "policy: stop"); return right(a) }, code: fault.Halted},
		"other bytes": {answer: func(w *world, a nft.Action) (string, error) {
			w.calls[len(w.calls)-1].Data[10] ^= 1 // the slice that would be signed
			return right(a)
		}, code: fault.UnsafeTransaction, says: "changed while it was being confirmed"},
		"dearer blocks": {answer: func(w *world, a nft.Action) (string, error) {
			w.baseFee = units.FromUint64(2_000_000_001)
			return right(a)
		},
			code: fault.PolicyBlocked, says: "the base fee rose"},
		"poorer": {answer: func(w *world, a nft.Action) (string, error) { w.balance = ape(w.t, "1"); return right(a) }, code: fault.SimulationFailed, says: "insufficient balance"},
		"sold": {answer: func(w *world, a nft.Action) (string, error) {
			reverting(errorData("OrderAlreadyFilled(bytes32)", 1))(w)
			w.listErr = fault.New(fault.NotFound, "none")
			return right(a)
		}, code: fault.SimulationFailed, says: "no other listing of it may take its place"},
		"order over": {answer: func(w *world, a nft.Action) (string, error) {
			w.head = time.Unix(w.order.EndTime.Int64(), 0)
			return right(a)
		}, code: fault.QuoteExpired, says: "order"},
		"node away": {answer: func(w *world, a nft.Action) (string, error) {
			w.fail["head"] = fault.New(fault.Upstream, "away")
			return right(a)
		}, code: fault.Upstream},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.maxFee = units.FromUint64(2_000_000_000)
			q := w.simulated()
			w.person = func(a nft.Action) (string, error) { return tt.answer(w, a) }
			ctx := t.Context()
			if tt.ctx != nil {
				ctx = tt.ctx
			}
			_, err := w.service().Buy(ctx, nft.BuyIn{Quote: q.QuoteID, Execute: true})
			f := refused(t, err, tt.code, tt.says)
			if len(w.sent) != 0 || strings.Contains(f.Message+f.Hint, phrase) {
				t.Fatalf("sent %d: %s; %s", len(w.sent), f.Message, f.Hint)
			}
			if used, err := w.ledger.Spent(t.Context(), nil, nativeOf()); err != nil || !used.IsZero() {
				t.Errorf("reserved %s, %v", used, err)
			}
			if blocked := w.last().Type == "policy.blocked"; blocked != fault.IsGate(tt.code) {
				t.Errorf("events %s", w.trail())
			}
		})
	}
}

// TestAskedOnlyIfAllowed: nobody is bothered with what policy refuses.
func TestAskedOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person = func(nft.Action) (string, error) { t.Error("asked"); return "", io.EOF }
	q := w.quoted()
	_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true})
	refused(t, err, fault.SimulationRequired)
	w.write("HALT", "policy: stop")
	_, err = w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true})
	refused(t, err, fault.Halted)
}

// TestDryRunTells: the facts are those of the saved quote, and the balance is
// there only if a key and a node are.
func TestDryRunTells(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
	if err != nil || dry.Action == nil {
		t.Fatalf("%+v, %v", dry, err)
	}
	a := dry.Action
	if a.Verified || a.Seller != seller.Hex() || a.PriceApe != "12.5" || a.SellerApe != "11.75" || a.MaxFeeApe != "0.04" || a.BalanceApe != "1000" ||
		a.BalanceAfterApe != "987.46" || len(a.Caps) != 1 || a.Caps[0].After != "12.54" || a.Digest != "" {
		t.Errorf("%+v", a)
	}
	for name, change := range map[string]func(*world){
		"no key":         func(w *world) { w.noKey = true },
		"no node":        func(w *world) { w.fail["chain"] = errors.New("no RPC URL") },
		"node is away":   func(w *world) { w.fail["balance"] = errors.New("away") },
		"another chain":  func(w *world) { w.node = 33139 },
		"nothing stated": func(w *world) { w.fail["chain id"] = errors.New("away") },
	} {
		w := newWorld(t)
		q := w.simulated()
		change(w)
		dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
		if err != nil || dry.Action == nil || dry.Action.BalanceWei != nil || dry.Action.BalanceAfterApe != "" {
			t.Errorf("%s: %+v, %v", name, dry.Action, err)
		}
	}
	w.fail["ledger"] = errors.New("corrupt")
	if dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID}); err != nil || len(dry.Action.Caps) != 0 {
		t.Errorf("%+v, %v", dry.Action, err)
	}
}
