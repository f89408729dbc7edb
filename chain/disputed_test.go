package chain_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestDisputed: a purchase fails on the chain, and the token is the buyer's all the
// same, bought from another home with the same key. No receipt will ever say that
// away, and no cancellation can be mined: the wallet goes on after a while, with all
// that it may have cost booked as spent and the key used.
func TestDisputed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now()
	says := "the buyer owns it"
	st := witness{story{Name: "k"}, func() (string, error) { return says, nil }}
	clock := func(o *chain.SenderOptions) {
		shortWait(o)
		o.Now = func() time.Time { return now }
		o.Restore = func(kind string, keep json.RawMessage) (chain.Story, error) { return st, nil }
	}
	r := w.open(t, "a", clock)
	in := intent(w.once, "k", "0")
	in.Story = st
	p, err := r.Prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	g, err := r.grant(p)
	if err != nil {
		t.Fatal(err)
	}
	sendOther(t, w, w.once) // it fails
	_, err = r.Submit(t.Context(), p, g)
	wantFault(t, "it fails, and the token is ours", err, fault.TxUnknown, fault.SentYes)
	full := r.usage(t).Total
	for _, step := range []struct {
		later time.Duration
		state string
	}{{0, chain.StateUnknown}, {50 * time.Second, chain.StateUnknown}, {20 * time.Second, chain.StateReplaced}, {time.Minute, chain.StateReplaced}} {
		now = now.Add(step.later)
		r.watch(t)
		r.state(t, step.state)
		if u := r.usage(t); u.Total != full {
			t.Errorf("%+v: %s counts while nobody knows", u, full)
		}
	}
	wantTrail(t, r, "a:submitted", "a:unknown", "a:replaced")
	_, err = r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "the key", err, fault.QuoteUsed, fault.SentNo)
	next := w.open(t, "b", nil)
	if out, err := next.buy(t.Context(), intent(w.sink, "k2", "1")); err != nil || out.Tx.Nonce != 1 {
		t.Errorf("the wallet is locked: nonce %d, %v", out.Tx.Nonce, err)
	}
}

// TestDisputedSettles: what was given up turns out to be right, and is booked as
// what it cost.
func TestDisputedSettles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now()
	says := "the buyer owns it"
	st := witness{story{Name: "k"}, func() (string, error) { return says, nil }}
	set := alterReceipts(w)
	r := w.open(t, "a", func(o *chain.SenderOptions) {
		shortWait(o)
		o.Now = func() time.Time { return now }
		o.Restore = func(kind string, keep json.RawMessage) (chain.Story, error) { return st, nil }
	})
	in := intent(w.sink, "k", "1")
	in.Story = st
	set(func(r map[string]any) { r["status"], r["logs"] = "0x0", []any{} })
	_, err := r.buy(t.Context(), in)
	wantFault(t, "the node says that it failed", err, fault.TxUnknown, fault.SentYes)
	for range 2 {
		r.watch(t)
		now = now.Add(2 * time.Minute)
	}
	r.state(t, chain.StateReplaced)
	set(nil)
	r.watch(t)
	r.state(t, chain.StateConfirmed)
	r.booked(t)
	wantTrail(t, r, "a:submitted", "a:unknown", "a:replaced", "a:confirmed")
}
