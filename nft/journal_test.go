package nft_test

import (
	"errors"
	"testing"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// A run that was killed after it sent leaves the quote marked as quoted: the
// journal knows better, and so do the dry run, a simulation, the list, and the same
// purchase once more, whatever else would refuse it.
func TestTheJournalKnowsWhatTheQuoteDoesNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state, shown string
		used         bool
	}{
		{chain.StateIntended, "quoted", false}, // nothing was signed
		{chain.StateSigned, "unknown", true},
		{chain.StateUnknown, "unknown", true},
		{chain.StateConfirmed, "confirmed", true},
		{chain.StateReverted, "reverted", true},
		{chain.StateCancelled, "quoted", false}, // its nonce is used
		{chain.StateReplaced, "unknown", true},
	} {
		w := newWorld(t)
		q := w.quoted()
		w.journal = map[string]chain.OpenTx{"nft.buy:" + q.QuoteID: {State: c.state, Hash: "0xabc"}}
		_, dry := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
		_, sim := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
		// Not "simulation_required", the gate that is met first.
		_, execute := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true})
		for what, err := range map[string]error{"dry run": dry, "simulation": sim, "purchase": execute} {
			if (fault.CodeOf(err) == fault.QuoteUsed) != c.used {
				t.Errorf("%s, %s: %v", c.state, what, err)
			}
		}
		show, err := w.service().QuotesShow(t.Context(), nft.QuotesShowIn{Quote: q.QuoteID})
		if err != nil || show.Status != c.shown {
			t.Errorf("%s is shown as %s, %v", c.state, show.Status, err)
		}
		w.fail = map[string]error{"journal": errors.New("unreadable")}
		if _, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID}); err == nil {
			t.Errorf("%s: an unreadable journal was taken for an empty one", c.state)
		}
	}
}
