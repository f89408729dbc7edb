package nft_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// shop is a marketplace of several collections.
type shop struct {
	fakeMarket
	mu      sync.Mutex
	pages   map[string]market.Page
	errs    map[string]error
	queries []market.ListQuery
	inside  int
	most    int // at once
}

func (m *shop) Listings(ctx context.Context, q market.ListQuery) (market.Page, error) {
	m.mu.Lock()
	m.queries = append(m.queries, q)
	m.inside++
	m.most = max(m.most, m.inside)
	page, err := m.pages[q.Slug], m.errs[q.Slug]
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.inside--
	}()
	if ctx.Err() != nil {
		return market.Page{}, ctx.Err()
	}
	if len(page.Listings) > q.Limit {
		page.Listings, page.More = page.Listings[:q.Limit], true
	}
	return page, err
}

// Names of the collections of a shop, by their contracts' last digit.
const (
	apes    = "apes"
	bananas = "bananas"
	clowns  = "clowns"
)

func contractOf(slug string) string {
	return "0x" + strings.Repeat("0", 38) + map[string]string{apes: "a1", bananas: "b2", clowns: "c3"}[slug]
}

// newShop is a world whose allowlist has three collections.
func newShop(t testing.TB) (*world, *shop, *nft.Service) {
	t.Helper()
	w := newWorld(t)
	var entries []string
	for _, slug := range []string{apes, bananas, clowns} {
		entries = append(entries, fmt.Sprintf(`{"name": "The %s", "slug": %q, "contractAddress": %q, "enabled": true}`, slug, slug, contractOf(slug)))
	}
	w.write("allowlist.json", "["+strings.Join(append(entries, `{"name": "Off", "slug": "off", "contractAddress": "0x00000000000000000000000000000000000000d4", "enabled": false}`), ",")+"]")
	m := &shop{fakeMarket: fakeMarket{w}, pages: map[string]market.Page{}, errs: map[string]error{}}
	return w, m, nft.New(deps(w, m))
}

func deps(w *world, m *shop) nft.Deps {
	return nft.Deps{
		Now: w.clock, Recorder: w, Subject: "agent:test", TraceID: "trace_plan",
		Fence:  func(context.Context) (policy.Fence, error) { return policy.LoadFence(w.src), nil },
		State:  func(context.Context) (*sql.DB, error) { return w.state, w.fail["state"] },
		Market: func(context.Context) (nft.Market, error) { return m, w.fail["market"] },
		Chain:  func(context.Context) (nft.Chain, error) { return fakeChain{w}, nil },
		Ledger: func(context.Context) (nft.Ledger, error) { return w.ledger, w.fail["ledger"] },
		Sender: func(context.Context) (nft.Sender, error) { return fakeSender{w}, nil },
		Buyer:  func(context.Context) (common.Address, error) { return me, nil },
		Warn:   func(format string, args ...any) { w.warned = append(w.warned, fmt.Sprintf(format, args...)) },
	}
}

// offer puts a listing into the shop, keeping the marketplace's order.
func (m *shop) offer(slug string, token int, price string) market.Listing {
	m.w.t.Helper()
	return m.put(slug, token, ape(m.w.t, price))
}

func (m *shop) put(slug string, token int, price units.Wei) market.Listing {
	page := m.pages[slug]
	n := len(page.Listings)
	hash := common.BytesToHash([]byte(fmt.Sprintf("%s/%d/%s/%d", slug, token, price, n))).Hex()
	l := market.Listing{
		ListingID: hash, OrderHash: hash, Collection: slug, TokenID: fmt.Sprint(token), Price: price, PriceApe: price.JSON(18), Currency: "APE", Decimals: 18,
		ProtocolAddress: lower(seaport.Address), AssetContract: contractOf(slug), Seller: lower(seller), Considered: price,
		StartsAt: m.w.now.Add(-time.Minute), ExpiresAt: m.w.now.Add(24 * time.Hour),
		Parameters: json.RawMessage(`{"counter": 0, "consideration": [{"startAmount": "` + price.String() + `", "recipient": "` + lower(seller) + `"}]}`),
	}
	page.Listings = append(page.Listings, l)
	slices.SortStableFunc(page.Listings, func(a, b market.Listing) int { return a.Price.Cmp(b.Price) })
	m.pages[slug] = page
	return l
}

// chosen is the plan in short: "apes#1 bananas#2".
func chosen(out nft.AutobuyOut) string {
	var s []string
	for _, it := range out.Planned {
		s = append(s, it.Collection+"#"+it.TokenID)
	}
	return strings.Join(s, " ")
}

func TestAutobuyChooses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in      nft.AutobuyIn
		change  func(*world, *shop)
		want    string
		total   string
		skipped map[string]int
	}{
		"one by default": {in: nft.AutobuyIn{MaxPrice: "10"}, want: "bananas#2", total: "1", skipped: map[string]int{"count_reached": 5}},
		"cheapest first": {in: nft.AutobuyIn{MaxPrice: "10", Count: 4}, want: "bananas#2 apes#1 apes#10 bananas#3", total: "9", skipped: map[string]int{"count_reached": 2}},
		"over max":       {in: nft.AutobuyIn{MaxPrice: "2", Count: 9}, want: "bananas#2 apes#1", total: "3", skipped: map[string]int{"over_max_price": 4}},
		"exactly max":    {in: nft.AutobuyIn{MaxPrice: "1.000000000000000000", Count: 9}, want: "bananas#2", total: "1", skipped: map[string]int{"over_max_price": 5}},
		"one wei less":   {in: nft.AutobuyIn{MaxPrice: "0.999999999999999999", Count: 9}, want: "", total: "0", skipped: map[string]int{"over_max_price": 6}},
		"min":            {in: nft.AutobuyIn{MaxPrice: "10", MinPrice: "3", Count: 2}, want: "apes#10 bananas#3", total: "6", skipped: map[string]int{"under_min_price": 2, "count_reached": 2}},
		"budget":         {in: nft.AutobuyIn{MaxPrice: "10", Count: 9, Budget: "6"}, want: "bananas#2 apes#1 apes#10", total: "6", skipped: map[string]int{"over_budget": 3}},
		"budget too low": {in: nft.AutobuyIn{MaxPrice: "10", Count: 9, Budget: "0.5"}, want: "", total: "0", skipped: map[string]int{"over_budget": 6}},
		"one collection": {in: nft.AutobuyIn{MaxPrice: "10", Count: 9, Collections: []string{"The Bananas"}}, want: "bananas#2 bananas#3", total: "4"},
		"named twice":    {in: nft.AutobuyIn{MaxPrice: "10", Count: 9, Collections: []string{"bananas", contractOf(bananas)}}, want: "bananas#2 bananas#3", total: "4"},
		"all":            {in: nft.AutobuyIn{MaxPrice: "10", All: true}, want: "bananas#2", total: "1", skipped: map[string]int{"count_reached": 5}},
		"the policy's price cap": {in: nft.AutobuyIn{MaxPrice: "10", Count: 9}, change: rules(`"maxPricePerTx": "2.5"`, "1000"),
			want: "bananas#2 apes#1", total: "3", skipped: map[string]int{string(fault.PriceOverLimit): 4}},
		"what is left of the daily cap": {in: nft.AutobuyIn{MaxPrice: "10", Count: 9}, change: rules(`"maxPricePerTx": 100`, "6.5"),
			want: "bananas#2 apes#1 apes#10", total: "6", skipped: map[string]int{string(fault.CapExceeded): 3}},
		"no cap written": {in: nft.AutobuyIn{MaxPrice: "10", Count: 9}, change: rules(`"maxPricePerTx": 0`, "0"),
			want: "", total: "0", skipped: map[string]int{string(fault.PriceOverLimit): 6}},
		"twice listed": {in: nft.AutobuyIn{MaxPrice: "10", Count: 2}, change: func(_ *world, m *shop) { m.offer(bananas, 2, "1.5") },
			want: "bananas#2 apes#1", total: "3", skipped: map[string]int{"duplicate": 1, "count_reached": 4}},
		"soon over": {in: nft.AutobuyIn{MaxPrice: "10"}, change: func(w *world, m *shop) { m.pages[bananas].Listings[0].ExpiresAt = w.now.Add(time.Minute) },
			want: "apes#1", total: "2", skipped: map[string]int{string(fault.QuoteExpired): 1, "count_reached": 4}},
		"another contract": {in: nft.AutobuyIn{MaxPrice: "10"}, change: func(_ *world, m *shop) { m.pages[bananas].Listings[0].AssetContract = contractOf(apes) },
			want: "apes#1", total: "2", skipped: map[string]int{string(fault.CollectionNotAllowed): 1, "count_reached": 4}},
		"an unknown protocol": {in: nft.AutobuyIn{MaxPrice: "10"}, change: func(_ *world, m *shop) { m.pages[bananas].Listings[0].ProtocolAddress = lower(other) },
			want: "apes#1", total: "2", skipped: map[string]int{string(fault.UnsafeTransaction): 1, "count_reached": 4}},
		"one collection fails": {in: nft.AutobuyIn{MaxPrice: "10", Count: 2}, change: func(_ *world, m *shop) { m.errs[bananas] = fault.New(fault.Upstream, "down") },
			want: "apes#1 apes#10", total: "5", skipped: map[string]int{"count_reached": 2}},
		"nothing for sale": {in: nft.AutobuyIn{MaxPrice: "10"}, change: func(_ *world, m *shop) { m.pages = map[string]market.Page{} }, want: "", total: "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m, s := newShop(t)
			m.offer(apes, 1, "2")
			m.offer(apes, 10, "3")
			m.offer(bananas, 2, "1")
			m.offer(bananas, 3, "3")
			m.offer(clowns, 9, "3")
			m.offer(clowns, 10, "3")
			if tt.change != nil {
				tt.change(w, m)
			}
			out, err := s.Autobuy(t.Context(), tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if chosen(out) != tt.want || out.TotalApe != json.Number(tt.total) || !out.OK || !out.DryRun || out.SelectedCount != len(out.Planned) {
				t.Errorf("chose %q for %s, expected %q for %s", chosen(out), out.TotalApe, tt.want, tt.total)
			}
			n := 0
			for code, count := range tt.skipped {
				if n += count; out.SkippedBy[code] != count {
					t.Errorf("%s: %d, expected %d", code, out.SkippedBy[code], count)
				}
			}
			if out.SkippedCount != n || len(out.Skipped) != n {
				t.Errorf("skipped %d (%d shown): %v", out.SkippedCount, len(out.Skipped), out.SkippedBy)
			}
			if w.trail() != "nft.autobuy.planned" || len(w.sent) != 0 || (out.PlanID == "") != (tt.want == "") || (out.ConfirmPhrase == "") != (tt.want == "") {
				t.Errorf("%s, plan %q, phrase %q", w.trail(), out.PlanID, out.ConfirmPhrase)
			}
		})
	}
}

// rules writes a policy with this price cap and daily cap.
func rules(price, daily string) func(*world, *shop) {
	return func(w *world, _ *shop) {
		w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {`+price+`, "currencyAllowlist": ["APE"], "simulationRequired": true},
			"execution": {"dailySpendCap": `+daily+`, "confirmPhraseRequired": true, "autonomousMode": true}}`)
	}
}

// TestAutobuyScan: what is asked of the marketplace.
func TestAutobuyScan(t *testing.T) {
	t.Parallel()
	_, m, s := newShop(t)
	for i := range 40 {
		m.put(apes, i+1, units.FromUint64(uint64(1000+i)))
	}
	for name, tt := range map[string]struct {
		in    nft.AutobuyIn
		limit int
	}{
		"ten":           {nft.AutobuyIn{MaxPrice: "1", Collections: []string{apes}}, 10},
		"four for each": {nft.AutobuyIn{MaxPrice: "1", Count: 5, Collections: []string{apes}}, 20},
		"as asked":      {nft.AutobuyIn{MaxPrice: "1", Count: 5, Scan: 3, Collections: []string{apes}}, 3},
	} {
		m.queries = nil
		out, err := s.Autobuy(t.Context(), tt.in)
		if err != nil || len(m.queries) != 1 || m.queries[0].Limit != tt.limit || m.queries[0].Contract != contractOf(apes) || out.Scanned[0].Listings != tt.limit || !out.Scanned[0].More {
			t.Errorf("%s: asked %+v, %v", name, m.queries, err)
		}
	}
	// Cheap listings don't hide those over the least price.
	m.queries = nil
	out, err := s.Autobuy(t.Context(), nft.AutobuyIn{MaxPrice: "1", MinPrice: "0.00000000000000102", Scan: 4, Count: 2, Collections: []string{apes}})
	if err != nil || chosen(out) != "apes#21 apes#22" || m.queries[0].Limit != market.MaxLimit || m.queries[0].MaxPrice != ape(t, "1") ||
		out.SkippedBy["under_min_price"] != 20 || out.SkippedBy["count_reached"] != 2 || len(out.Skipped) != 12 {
		t.Errorf("chose %s, %+v, %v", chosen(out), out.SkippedBy, err)
	}
	if _, err := s.Autobuy(t.Context(), nft.AutobuyIn{MaxPrice: "1"}); err != nil || m.most > 4 {
		t.Errorf("%d at once, %v", m.most, err)
	}
}

func TestAutobuyUsage(t *testing.T) {
	t.Parallel()
	_, _, s := newShop(t)
	for name, tt := range map[string]struct {
		in   nft.AutobuyIn
		says string
	}{
		"no price":         {nft.AutobuyIn{}, "Required: --max-price"},
		"price 0":          {nft.AutobuyIn{MaxPrice: "0"}, "--max-price is 0"},
		"no number":        {nft.AutobuyIn{MaxPrice: "-5"}, "--max-price"},
		"exponent":         {nft.AutobuyIn{MaxPrice: "1e3"}, "--max-price"},
		"min over max":     {nft.AutobuyIn{MaxPrice: "1", MinPrice: "1.1"}, "--min-price 1.1 is over --max-price 1"},
		"negative min":     {nft.AutobuyIn{MaxPrice: "1", MinPrice: "-1"}, "--min-price"},
		"budget 0":         {nft.AutobuyIn{MaxPrice: "1", Budget: "0"}, "--budget is 0"},
		"budget under min": {nft.AutobuyIn{MaxPrice: "3", MinPrice: "2", Budget: "1"}, "--budget 1 is under --min-price 2"},
		"count":            {nft.AutobuyIn{MaxPrice: "1", Count: 501}, "--count 501 is not between 1 and 500"},
		"negative count":   {nft.AutobuyIn{MaxPrice: "1", Count: -1}, "--count -1"},
		"scan":             {nft.AutobuyIn{MaxPrice: "1", Scan: 1001}, "--scan 1001"},
		"all and some":     {nft.AutobuyIn{MaxPrice: "1", All: true, Collections: []string{apes}}, "--all and --collections"},
		"phrase, no plan":  {nft.AutobuyIn{MaxPrice: "1", Execute: true, Confirm: "AUTOBUY x"}, "--confirm is given without --plan"},
		"phrase, dry":      {nft.AutobuyIn{Plan: "p_x", Confirm: "AUTOBUY x"}, "--confirm is given without --execute"},
		"nobody to ask":    {nft.AutobuyIn{MaxPrice: "1", Execute: true}, "--execute is given without --autonomous"},
		"plan and more":    {nft.AutobuyIn{Plan: "p_x", MaxPrice: "1", Count: 2, All: true}, "--plan is given together with --max-price, --count, --all"},
	} {
		_, err := s.Autobuy(t.Context(), tt.in)
		if fault.CodeOf(err) != fault.Usage || !strings.Contains(fault.From(err).Message, tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAutobuyRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in     nft.AutobuyIn
		change func(*world, *shop)
		code   fault.Code
	}{
		"an unknown collection": {nft.AutobuyIn{MaxPrice: "1", Collections: []string{apes, "apez"}}, nil, fault.CollectionNotAllowed},
		"one that is off":       {nft.AutobuyIn{MaxPrice: "1", Collections: []string{"off"}}, nil, fault.CollectionNotAllowed},
		"another currency":      {nft.AutobuyIn{MaxPrice: "1", Currency: "WETH"}, nil, fault.CurrencyNotAllowed},
		"no collection":         {nft.AutobuyIn{MaxPrice: "1"}, func(w *world, _ *shop) { w.write("allowlist.json", "[]") }, fault.NotFound},
		"a broken policy":       {nft.AutobuyIn{MaxPrice: "1"}, func(w *world, _ *shop) { w.write("policy.json", "{") }, fault.PolicyInvalid},
		"all fail": {nft.AutobuyIn{MaxPrice: "1"}, func(_ *world, m *shop) {
			for _, slug := range []string{apes, bananas, clowns} {
				m.errs[slug] = fault.New(fault.Upstream, "down").WithSent(fault.SentNo)
			}
		}, fault.Upstream},
		"halted":         {nft.AutobuyIn{MaxPrice: "1", Execute: true, Autonomous: true}, func(w *world, _ *shop) { w.write("HALT", "policy: stop") }, fault.Halted},
		"unknown plan":   {nft.AutobuyIn{Plan: "p_abcdefghijkmnpqrstuv"}, nil, fault.NotFound},
		"no marketplace": {nft.AutobuyIn{MaxPrice: "1"}, func(w *world, _ *shop) { w.fail["market"] = fault.New(fault.Auth, "no key") }, fault.Auth},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m, s := newShop(t)
			m.offer(apes, 1, "0.5")
			if tt.change != nil {
				tt.change(w, m)
			}
			_, err := s.Autobuy(t.Context(), tt.in)
			refused(t, err, tt.code)
			want := ""
			if fault.IsGate(tt.code) {
				want = "policy.blocked"
			}
			if w.trail() != want {
				t.Errorf("events %s", w.trail())
			}
		})
	}
}

// TestAutobuyForetells: a dry run exits well and says what would refuse it.
func TestAutobuyForetells(t *testing.T) {
	t.Parallel()
	w, m, s := newShop(t)
	m.offer(apes, 1, "2")
	w.write("HALT", "ai: stop")
	out, err := s.Autobuy(t.Context(), nft.AutobuyIn{MaxPrice: "5"})
	if err != nil || chosen(out) != "apes#1" || len(out.WouldBlock) != 1 || out.WouldBlock[0].Code != fault.Halted || out.Next != "" {
		t.Errorf("%+v, %v", out, err)
	}
	w.write("policy.json", `{"apechainChainId": 7733139, "nftBuy": {"maxPricePerTx": 100, "currencyAllowlist": ["APE"]}, "execution": {"dailySpendCap": 100, "confirmPhraseRequired": true}}`)
	out, err = s.Autobuy(t.Context(), nft.AutobuyIn{MaxPrice: "5", Autonomous: true})
	if err != nil || len(out.WouldBlock) != 2 || !strings.Contains(out.WouldBlock[1].Reason, "autonomousMode is false") {
		t.Errorf("%+v, %v", out.WouldBlock, err)
	}
	w.fail["ledger"] = fault.New(fault.StateUnusable, "the ledger is corrupt")
	out, err = s.Autobuy(t.Context(), nft.AutobuyIn{MaxPrice: "5"})
	if err != nil || chosen(out) != "apes#1" || len(out.WouldBlock) != 2 || out.WouldBlock[1].Name != policy.GateSpend {
		t.Errorf("%+v, %v", out.WouldBlock, err)
	}
}

// TestPlanAltered: what lies in the database is believed only as it was written.
func TestPlanAltered(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"price":           `UPDATE plans SET doc = replace(doc, '"2000000000000000000"', '"1000000000000000000"')`,
		"token":           `UPDATE plans SET doc = replace(doc, '"tokenId":"1"', '"tokenId":"2"')`,
		"space":           `UPDATE plans SET doc = doc || ' '`,
		"garbage":         `UPDATE plans SET doc = '{'`,
		"expiry":          `UPDATE plans SET doc = replace(doc, '2026', '2036')`,
		"quote":           `UPDATE quotes SET doc = replace(doc, '"tokenId":"1"', '"tokenId":"2"')`,
		"a quote's price": `UPDATE quotes SET doc = replace(replace(doc, '"priceWei":"2000000000000000000"', '"priceWei":"3000000000000000000"'), '"priceApe":2,', '"priceApe":3,')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m, s := newShop(t)
			m.offer(apes, 1, "2")
			out, err := s.Autobuy(t.Context(), nft.AutobuyIn{MaxPrice: "5"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Autobuy(t.Context(), nft.AutobuyIn{Plan: out.PlanID}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.state.ExecContext(t.Context(), change); err != nil {
				t.Fatal(err)
			}
			for _, in := range []nft.AutobuyIn{{Plan: out.PlanID}, {Plan: out.PlanID, Execute: true, Autonomous: true}} {
				_, err = s.Autobuy(t.Context(), in)
				refused(t, err, fault.StateUnusable, "altered")
			}
			if len(w.sent) != 0 {
				t.Error("something was sent")
			}
		})
	}
}

// TestPlanShown: a dry run of a plan shows it as it stands; it is over after ten minutes.
func TestPlanShown(t *testing.T) {
	t.Parallel()
	w, m, s := newShop(t)
	m.offer(apes, 1, "2")
	m.offer(bananas, 2, "3")
	out, err := s.Autobuy(t.Context(), nft.AutobuyIn{MaxPrice: "5", Count: 2})
	if err != nil || out.ConfirmPhrase != "AUTOBUY "+out.PlanID+" 2 5 APE" || !strings.Contains(out.Next, "--plan "+out.PlanID+` --execute --confirm "`+out.ConfirmPhrase+`"`) {
		t.Fatalf("%+v, %v", out, err)
	}
	if len(out.Caps) != 1 || *out.Caps[0].LeftWei != ape(t, "995") || out.Caps[0].PlannedWei != ape(t, "5") {
		t.Errorf("caps %+v", out.Caps)
	}
	m.pages = map[string]market.Page{}
	again, err := s.Autobuy(t.Context(), nft.AutobuyIn{Plan: out.PlanID})
	if err != nil || chosen(again) != chosen(out) || again.ConfirmPhrase != out.ConfirmPhrase || len(again.WouldBlock) != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	rules(`"maxPricePerTx": "2.5"`, "100")(w, m)
	again, err = s.Autobuy(t.Context(), nft.AutobuyIn{Plan: out.PlanID})
	if err != nil || len(again.WouldBlock) != 1 || again.Planned[1].Code != fault.PriceOverLimit || again.Next != "" {
		t.Errorf("%+v, %v", again.WouldBlock, err)
	}
	_, err = s.Autobuy(t.Context(), nft.AutobuyIn{Plan: out.PlanID, Execute: true, Confirm: "AUTOBUY " + out.PlanID + " 2 5.0 APE"})
	refused(t, err, fault.ConfirmationMismatch)
	w.pass(nft.QuoteTTL)
	for _, in := range []nft.AutobuyIn{{Plan: out.PlanID}, {Plan: out.PlanID, Execute: true, Confirm: out.ConfirmPhrase}} {
		_, err = s.Autobuy(t.Context(), in)
		refused(t, err, fault.QuoteExpired, "expired at")
	}
	if len(w.sent) != 0 {
		t.Error("something was sent")
	}
}

// TestAutobuyBounds: whatever is for sale, the choice obeys every bound, and it is
// the cheapest there is.
func TestAutobuyBounds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 3))
	_, m, s := newShop(t)
	for round := range 150 {
		m.pages = map[string]market.Page{}
		type token struct {
			slug string
			id   int
		}
		best := map[token]uint64{}
		for range r.IntN(30) {
			k, price := token{[]string{apes, bananas, clowns}[r.IntN(3)], 1 + r.IntN(9)}, 1+r.Uint64N(12)
			m.put(k.slug, k.id, units.FromUint64(price))
			if old, ok := best[k]; !ok || price < old {
				best[k] = price
			}
		}
		least, most, budget, count := r.Uint64N(4), 4+r.Uint64N(9), 4+r.Uint64N(40), 1+r.IntN(6)
		atto := func(n uint64) string { return units.FromUint64(n).Decimal(18) }
		in := nft.AutobuyIn{MaxPrice: atto(most), MinPrice: atto(least), Budget: atto(budget), Count: count, Scan: 100}
		out, err := s.Autobuy(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		// A token counts with its cheapest listing within the bounds.
		prices := []uint64{}
		for k := range best {
			cheapest := uint64(0)
			for _, l := range m.pages[k.slug].Listings {
				p, _ := l.Price.Uint64()
				if l.TokenID == fmt.Sprint(k.id) && p >= least && p <= most && (cheapest == 0 || p < cheapest) {
					cheapest = p
				}
			}
			if cheapest > 0 {
				prices = append(prices, cheapest)
			}
		}
		slices.Sort(prices)
		var want []uint64
		sum := uint64(0)
		for _, p := range prices {
			if len(want) < count && sum+p <= budget {
				want, sum = append(want, p), sum+p
			}
		}
		var got []uint64
		seen := map[string]bool{}
		for _, it := range out.Planned {
			p, _ := it.PriceWei.Uint64()
			got = append(got, p)
			if key := it.Collection + it.TokenID; seen[key] {
				t.Errorf("round %d: %s twice", round, key)
			} else {
				seen[key] = true
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || out.TotalWei != units.FromUint64(sum) {
			t.Fatalf("round %d: %+v chose %v, expected %v", round, in, got, want)
		}
	}
}

// A marketplace that calls another contract by a collection's name is refused as
// policy, and told as such.
func TestAutobuyOfAnotherContract(t *testing.T) {
	t.Parallel()
	w, m, s := newShop(t)
	m.errs[apes] = fault.New(fault.CollectionNotAllowed, "%s is another contract there", apes)
	_, err := s.Autobuy(t.Context(), nft.AutobuyIn{MaxPrice: "1", Collections: []string{apes}})
	if fault.CodeOf(err) != fault.CollectionNotAllowed || w.trail() != "policy.blocked" {
		t.Fatalf("%v, and the events %s", err, w.trail())
	}
}

// A person who confirms a saved plan sees what it costs, what it leaves of the
// caps and the balance, and what would be refused.
func TestAutobuyPlanIsShownBeforeItIsConfirmed(t *testing.T) {
	t.Parallel()
	w, m, plain := newShop(t)
	m.offer(apes, 1, "1")
	m.offer(apes, 2, "2")
	plan, err := plain.Autobuy(t.Context(), nft.AutobuyIn{MaxPrice: "5", Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	var shown nft.AutobuyOut
	d := deps(w, m)
	d.AskPlan = func(_ context.Context, o nft.AutobuyOut) (string, error) {
		shown = o
		return "no", nil
	}
	_, err = nft.New(d).Autobuy(t.Context(), nft.AutobuyIn{Plan: plan.PlanID, Execute: true})
	if fault.CodeOf(err) != fault.ConfirmationMismatch || len(w.sent) != 0 {
		t.Fatalf("%v, and %d were sent", err, len(w.sent))
	}
	if shown.Message != "2 tokens for 3 APE and gas" || shown.ConfirmPhrase != plan.ConfirmPhrase || len(shown.Caps) == 0 || shown.Buyer != me.Hex() || shown.BalanceWei == nil {
		t.Errorf("shown: %q, %q, caps %v, buyer %q, balance %v", shown.Message, shown.ConfirmPhrase, shown.Caps, shown.Buyer, shown.BalanceWei)
	}
	if len(shown.WouldBlock) != 0 {
		t.Errorf("it would be refused: %v", shown.WouldBlock)
	}
	w.write("policy.json", `{"apechainChainId":7733139,"nftBuy":{"maxPricePerTx":1,"currencyAllowlist":["APE"]},"execution":{"dailySpendCap":100}}`)
	_, _ = nft.New(d).Autobuy(t.Context(), nft.AutobuyIn{Plan: plan.PlanID, Execute: true})
	if len(shown.WouldBlock) != 1 || shown.WouldBlock[0].Name != policy.GatePrice {
		t.Errorf("a purchase over the cap: %v", shown.WouldBlock)
	}
}
