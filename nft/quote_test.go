package nft_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.noKey = true // a quote needs none
	q := w.quoted()
	b, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]any{
		"collection": slug, "tokenId": "7", "priceApe": 12.5, "priceWei": "12500000000000000000", "maxPrice": 13.0, "currency": "APE",
		"chainId": float64(chainID), "contractAddress": contract, "seller": lower(seller), "expiresAt": "2026-03-01T12:10:00Z",
		"protocolAddress": "0x0000000000000068f116a894984e2db1123eb395", "status": "quoted", "source": "fake",
	} {
		if m[k] != want {
			t.Errorf("%s = %v, expected %v", k, m[k], want)
		}
	}
	if len(q.QuoteID) < 10 || q.QuoteID[:2] != "q_" || q.OrderHash == "" || len(q.Fees) != 2 || q.Fees[0].AmountApe != "0.125" {
		t.Errorf("%+v", q)
	}
	if w.trail() != "nft.quote.created" || w.last().DryRun {
		t.Errorf("events %s", w.trail())
	}
	show, err := w.service().QuotesShow(t.Context(), nft.QuotesShowIn{Quote: q.QuoteID})
	if err != nil || show.OrderHash != q.OrderHash || show.State() != "quoted" || !show.ExpiresAt.Equal(q.ExpiresAt) {
		t.Errorf("show = %+v, %v", show, err)
	}
}

func TestQuoteEndsBeforeItsOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.listing = func(l *market.Listing) { l.ExpiresAt = w.now.Add(5 * time.Minute) }
	if q := w.quoted(); !q.ExpiresAt.Equal(w.now.Add(4 * time.Minute)) {
		t.Fatalf("expires at %s", q.ExpiresAt)
	}
}

func TestQuoteRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in    func(*nft.QuoteIn)
		world func(*world)
		code  fault.Code
		says  string
		event string // "" is none: commands adds command.failed
		asks  bool   // the marketplace was asked
	}{
		"exponent":        {in: func(q *nft.QuoteIn) { q.MaxPrice = "1e2" }, code: fault.Usage, says: "1e2"},
		"negative":        {in: func(q *nft.QuoteIn) { q.MaxPrice = "-5" }, code: fault.Usage, says: "-5"},
		"comma":           {in: func(q *nft.QuoteIn) { q.MaxPrice = "1,5" }, code: fault.Usage, says: "1,5"},
		"too many places": {in: func(q *nft.QuoteIn) { q.MaxPrice = "0.1234567890123456789" }, code: fault.Usage, says: "--max-price"},
		"nan":             {in: func(q *nft.QuoteIn) { q.MaxPrice = "NaN" }, code: fault.Usage, says: "NaN"},
		"zero":            {in: func(q *nft.QuoteIn) { q.MaxPrice = "0.0" }, code: fault.Usage, says: "--max-price is 0"},
		"no price":        {in: func(q *nft.QuoteIn) { q.MaxPrice = "" }, code: fault.Usage, says: "--max-price"},
		"hex token":       {in: func(q *nft.QuoteIn) { q.TokenID = "0x7" }, code: fault.Usage, says: "--token-id"},
		"path token":      {in: func(q *nft.QuoteIn) { q.TokenID = "7/../8" }, code: fault.Usage, says: "--token-id"},
		"collection":      {in: func(q *nft.QuoteIn) { q.Collection = "no-such" }, code: fault.CollectionNotAllowed, says: "no-such", event: "policy.blocked"},
		"ambiguous":       {in: func(q *nft.QuoteIn) { q.Collection = "Twin" }, code: fault.CollectionAmbiguous, says: "Twin", event: "policy.blocked"},
		"currency":        {in: func(q *nft.QuoteIn) { q.Currency = "WAPE" }, code: fault.CurrencyNotAllowed, says: "WAPE", event: "policy.blocked"},
		"currency we can't pay": {in: func(q *nft.QuoteIn) { q.Currency = "0x00000000000000000000000000000000000000cc" }, code: fault.CurrencyNotAllowed, says: "not supported", event: "policy.blocked",
			world: func(w *world) {
				w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {"currencyAllowlist": ["APE", "0x00000000000000000000000000000000000000cc"]}}`)
			}},
		"broken policy": {world: func(w *world) { w.write("policy.json", `{"nftBuy": {"maxPrice": 1}}`) }, code: fault.PolicyInvalid, says: "maxPrice", event: "policy.blocked"},
		"no listing": {world: func(w *world) {
			w.listErr = fault.New(fault.NotFound, "no live listing found for x: the best one can't be used: it is an auction")
		}, code: fault.NotFound, says: "No live listing found for gs-on-ape #7 at or below 13 APE: the best one can't be used: it is an auction", event: "nft.quote.failed", asks: true},
		"too dear":         {in: func(q *nft.QuoteIn) { q.MaxPrice = "12.499999999999999999" }, code: fault.NotFound, says: "the best one costs 12.5 APE", event: "nft.quote.failed", asks: true},
		"market down":      {world: func(w *world) { w.listErr = fault.New(fault.Upstream, "status 500") }, code: fault.Upstream, says: "500", event: "nft.quote.failed", asks: true},
		"other contract":   {world: func(w *world) { w.listing = func(l *market.Listing) { l.AssetContract = lower(other) } }, code: fault.CollectionNotAllowed, says: lower(other), event: "policy.blocked", asks: true},
		"other token":      {world: func(w *world) { w.listing = func(l *market.Listing) { l.TokenID = "8" } }, code: fault.UnsafeTransaction, says: "token id is 8, expected 7", event: "policy.blocked", asks: true},
		"unknown protocol": {world: func(w *world) { w.listing = func(l *market.Listing) { l.ProtocolAddress = lower(other) } }, code: fault.UnsafeTransaction, says: lower(other), event: "policy.blocked", asks: true},
		"six decimals":     {world: func(w *world) { w.listing = func(l *market.Listing) { l.Decimals = 6 } }, code: fault.UnsafeTransaction, says: "currency", event: "policy.blocked", asks: true},
		"bad order hash":   {world: func(w *world) { w.listing = func(l *market.Listing) { l.OrderHash = "0x12" } }, code: fault.UnsafeTransaction, says: "order hash", event: "policy.blocked", asks: true},
		"not started":      {world: func(w *world) { w.listing = func(l *market.Listing) { l.StartsAt = w.now.Add(time.Hour) } }, code: fault.UnsafeTransaction, says: "start", event: "policy.blocked", asks: true},
		"ends too soon":    {world: func(w *world) { w.listing = func(l *market.Listing) { l.ExpiresAt = w.now.Add(time.Minute) } }, code: fault.QuoteExpired, says: "too soon", event: "policy.blocked", asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			in := quoteIn()
			if tt.in != nil {
				tt.in(&in)
			}
			if tt.world != nil {
				tt.world(w)
			}
			_, err := w.service().Quote(t.Context(), in)
			refused(t, err, tt.code, tt.says)
			if w.trail() != tt.event {
				t.Errorf("events %q, expected %q", w.trail(), tt.event)
			}
			if (len(w.asked) > 0) != tt.asks {
				t.Errorf("asked %v", w.asked)
			}
			list, err := w.service().QuotesList(t.Context(), nft.QuotesListIn{})
			if err != nil || list.Count != 0 {
				t.Errorf("saved %+v, %v", list, err)
			}
		})
	}
}

// TestQuoteHoldsWithoutSpending: what only a purchase needs does not stop a quote.
func TestQuoteHoldsWithoutSpending(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("HALT", "policy: stop")
	w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 0, "currencyAllowlist": ["APE"]}, "execution": {"dailySpendCap": 0}}`)
	q := w.quoted()
	if _, err := w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID}); err != nil {
		t.Fatal(err)
	}
}

func TestQuotesList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.quoted()
	w.pass(time.Minute)
	second := w.simulated()
	w.pass(QuoteTTLRest)
	list, err := w.service().QuotesList(t.Context(), nft.QuotesListIn{Limit: 20})
	if err != nil || list.Count != 2 || list.Quotes[0].QuoteID != second.QuoteID || list.Quotes[1].QuoteID != first.QuoteID {
		t.Fatalf("%+v, %v", list, err)
	}
	if a, b := list.Quotes[0].State(), list.Quotes[1].State(); a != "simulated" || b != "expired" {
		t.Errorf("states %s, %s", a, b)
	}
	if list, err := w.service().QuotesList(t.Context(), nft.QuotesListIn{Limit: 1}); err != nil || list.Count != 1 {
		t.Errorf("limit 1: %+v, %v", list, err)
	}
	_, err = w.service().QuotesShow(t.Context(), nft.QuotesShowIn{Quote: "q_nope"})
	refused(t, err, fault.NotFound, `unknown quote q_nope`)
}

// QuoteTTLRest is what a quote of a minute ago has left, to the last millisecond.
const QuoteTTLRest = nft.QuoteTTL - time.Minute
