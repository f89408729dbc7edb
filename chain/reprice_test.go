package chain_test

import (
	"context"
	"testing"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestRepriceIsAsked: policy is asked about a higher fee when it is prepared and again
// under the account's lock, for what a person took their time to agree to. It is not
// asked about a cancellation. Where nobody decides, nothing is repriced.
func TestRepriceIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, _ := stuck(t, w, "k")
	var asked []policy.Tx
	var says error
	b := w.open(t, "b", func(o *chain.SenderOptions) {
		shortWait(o)
		o.Reprice = func(_ context.Context, _ chain.Story, tx policy.Tx) error {
			asked = append(asked, tx)
			return says
		}
	})
	in, err := b.agree(t.Context(), chain.ResumeReprice, "")
	if err != nil || len(asked) != 1 || asked[0].Key != "k" || asked[0].FeeCap != in.Replacement.Fees.FeeCap || asked[0].To != w.sink {
		t.Fatalf("asked %+v, %v", asked, err)
	}
	w.proxy.set(nil)
	says = fault.New(fault.OutsideWindow, "the day is over").WithSent(fault.SentNo)
	before := b.usage(t)
	_, err = b.Resume(t.Context(), in)
	wantFault(t, "narrowed meanwhile", err, fault.OutsideWindow, fault.SentNo)
	_, err = b.agree(t.Context(), chain.ResumeReprice, "")
	wantFault(t, "narrowed", err, fault.OutsideWindow, fault.SentNo)
	nobody := w.open(t, "c", func(o *chain.SenderOptions) { shortWait(o); o.Reprice = nil })
	_, err = nobody.agree(t.Context(), chain.ResumeReprice, "")
	wantFault(t, "nobody decides", err, fault.PolicyBlocked, fault.SentNo)
	if u := r.usage(t); u.Total != before.Total || w.proxy.count("eth_sendRawTransaction") != 0 {
		t.Errorf("%+v, was %+v; sent %d", u, before, w.proxy.count("eth_sendRawTransaction"))
	}
	n := len(asked)
	if _, err := b.replace(t.Context(), chain.ResumeCancel); err != nil || len(asked) != n {
		t.Errorf("a cancellation: %v, asked %d times more", err, len(asked)-n)
	}
}
