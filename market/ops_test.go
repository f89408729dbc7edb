package market_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// What commands passes.
var (
	_ market.Recorder  = (*telemetry.Recorder)(nil)
	_ market.Allowlist = (*policy.Allowlist)(nil)
	_ market.Source    = (*market.Client)(nil)
	_ market.Source    = (*market.File)(nil)
)

// recorder keeps drafts, and holds each against the catalogue of events.
type recorder struct {
	t      *testing.T
	drafts []telemetry.Draft
	err    error
}

func (r *recorder) Record(_ context.Context, d telemetry.Draft) error {
	r.drafts = append(r.drafts, d)
	rec := telemetry.NewRecorder(nil, telemetry.NewRedactor(), now, telemetry.Scope{Command: "ape-claw market", ChainID: telemetry.DefaultChainID})
	line, err := rec.Encode(d)
	if err == nil {
		err = telemetry.Validate(line)
	}
	if err != nil {
		r.t.Errorf("event %s: %v", d.Type, err)
	}
	return r.err
}

// only returns the one draft that was recorded, as JSON of payload and result.
func (r *recorder) only(t *testing.T, kind string) (payload, result string) {
	t.Helper()
	if len(r.drafts) != 1 || r.drafts[0].Type != kind {
		t.Fatalf("recorded %+v, want one %s", r.drafts, kind)
	}
	return toJSON(t, r.drafts[0].Payload), toJSON(t, r.drafts[0].Result)
}

type allowlist []policy.Entry

func (a allowlist) Entries() []policy.Entry { return a }

func (a allowlist) Resolve(query string) (policy.Entry, error) {
	if query == "twins" {
		return policy.Entry{}, fault.New(fault.CollectionAmbiguous, "two")
	}
	for _, e := range a {
		if e.Enabled && (query == e.Name || query == e.Slug || query == e.ContractAddress) {
			return e, nil
		}
	}
	return policy.Entry{}, fault.New(fault.CollectionNotAllowed, "not on the list").Hintf("did you mean demo-apes?")
}

var demoList = allowlist{
	{Name: "Demo Apes", Slug: slug, ContractAddress: contract, Enabled: true},
	{Name: "Sleepers", Slug: "sleepers", ContractAddress: buyer},
	{Name: "Unresolved", Slug: "unresolved", Enabled: true},
}

func TestCollectionsOperation(t *testing.T) {
	t.Parallel()
	rec := recorder{t: t}
	out, err := market.Collections(t.Context(), demoList, &rec, market.CollectionsIn{Recommended: true})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"count":1,"collections":[{"name":"Demo Apes","slug":"demo-apes","contractAddress":"` + contract + `","enabled":true}],"source":"allowlist"}`
	if s := toJSON(t, out); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	rec.only(t, market.EventCollectionsRead)
	for query, count := range map[string]int{"": 3, "demo": 1, "  APES ": 1, "e": 3, "zz": 0} {
		out, err := market.Collections(t.Context(), demoList, &recorder{t: t}, market.CollectionsIn{Query: query})
		if err != nil || out.Count != count || len(out.Collections) != count {
			t.Errorf("query %q: %+v, %v; want %d", query, out, err, count)
		}
	}
}

func TestListingsOperation(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Demo Apes", slug, contract} {
		rec := recorder{t: t}
		c, a := serving(t, map[string]string{listingsPath + "/best": page(t, "", listing(t), priced(t, 1, "1", "99000000000000000000"), listing(t).set("price.current.currency", "WAPE"))})
		out, err := market.Listings(t.Context(), c, demoList, &rec, market.ListingsIn{Collection: name, MaxPrice: "12.5"})
		if err != nil || out.Count != 1 || out.SkippedCount != 1 || len(out.Skipped) != 1 || out.Collection != slug || out.Source != "api.opensea.io" {
			t.Fatalf("%s: %+v, %v", name, out, err)
		}
		if len(a.asked) != 1 {
			t.Errorf("asked %q: the allowlist knows the contract", a.asked)
		}
		payload, result := rec.only(t, market.EventListingsRead)
		if want := `{"collection":"` + name + `","limit":50,"maxPrice":12.5}`; payload != want {
			t.Errorf("payload %s, want %s", payload, want)
		}
		if !strings.Contains(result, `"priceApe":12.5,"priceWei":"12500000000000000000"`) {
			t.Errorf("result %s", result)
		}
	}
}

func TestListingsOfCollectionsThatAreNotAllowed(t *testing.T) {
	t.Parallel()
	c, _ := serving(t, map[string]string{
		"GET /api/v2/collections/sleepers":              `{"collection":"sleepers","contracts":[{"address":"` + contract + `","chain":"ape_chain"}]}`,
		"GET /api/v2/listings/collection/sleepers/best": page(t, "", listing(t)),
	})
	out, err := market.Listings(t.Context(), c, demoList, &recorder{t: t}, market.ListingsIn{Collection: "sleepers"})
	if err != nil || out.Count != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	for name, code := range map[string]fault.Code{
		"demo-apse": fault.NotFound, "Not A Slug": fault.CollectionNotAllowed, "twins": fault.CollectionAmbiguous,
		"0x00000000000000000000000000000000000000aa": fault.CollectionNotAllowed,
	} {
		rec := recorder{t: t}
		_, err := market.Listings(t.Context(), c, demoList, &rec, market.ListingsIn{Collection: name})
		f := wantFault(t, err, code)
		_, result := rec.only(t, market.EventListingsFailed)
		if rec.drafts[0].Err != f.Message || !strings.Contains(result, string(code)) {
			t.Errorf("event %+v for %v", rec.drafts[0], f)
		}
		if name == "demo-apse" && f.Hint != "did you mean demo-apes?" {
			t.Errorf("hint %q", f.Hint)
		}
	}
}

func TestListingsInputIsCheckedBeforeAnythingIsAsked(t *testing.T) {
	t.Parallel()
	c, a := serving(t, nil)
	for _, in := range []market.ListingsIn{
		{}, {Collection: slug, MaxPrice: "1e2"}, {Collection: slug, MaxPrice: "-5"}, {Collection: slug, MaxPrice: "1,5"}, {Collection: slug, MaxPrice: "NaN"},
		{Collection: slug, MaxPrice: "0.1234567890123456789"}, {Collection: slug, MaxPrice: "0"}, {Collection: slug, Limit: -1}, {Collection: slug, Limit: 1001},
		{Collection: slug, TokenID: "abc"}, {Collection: slug, TokenID: "-1"}, {Collection: slug, TokenID: "1/../2"},
	} {
		rec := recorder{t: t}
		_, err := market.Listings(t.Context(), c, demoList, &rec, in)
		wantFault(t, err, fault.Usage)
		if len(rec.drafts) > 0 {
			t.Errorf("%+v was recorded as %+v", in, rec.drafts)
		}
	}
	if len(a.asked) > 0 {
		t.Errorf("asked %q", a.asked)
	}
}

func TestListingsEventsStaySmall(t *testing.T) {
	t.Parallel()
	var many []doc
	for i := range 150 {
		many = append(many, priced(t, byte(i+1), fmt.Sprint(i), "1000"), priced(t, byte(i+1), fmt.Sprint(i), "1000").set("order_hash", fmt.Sprintf("0x%064x", 1000+i)).set("status", strings.Repeat("x", 5000)))
	}
	rec := recorder{t: t}
	c, _ := serving(t, map[string]string{listingsPath + "/best": page(t, "", many...)})
	out, err := market.Listings(t.Context(), c, demoList, &rec, market.ListingsIn{Collection: slug, Limit: 150})
	if err != nil || out.Count != 150 || out.SkippedCount != 150 || len(out.Skipped) != 50 {
		t.Fatalf("%d, %d, %d, %v", out.Count, out.SkippedCount, len(out.Skipped), err)
	}
	if _, result := rec.only(t, market.EventListingsRead); len(result) > 30_000 || strings.Count(result, "orderHash") != 20 {
		t.Errorf("event of %d bytes with %d listings", len(result), strings.Count(result, "orderHash"))
	}
}

func TestACancelledListingIsStillRecorded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec := recorder{t: t}
	c, _ := serving(t, nil)
	_, err := market.Listings(ctx, c, demoList, &rec, market.ListingsIn{Collection: slug})
	wantFault(t, err, fault.Canceled)
	rec.only(t, market.EventListingsFailed)
}

func TestRecorderErrorsAreReturned(t *testing.T) {
	t.Parallel()
	rec := recorder{t: t, err: errors.New("disk full")}
	c, _ := serving(t, map[string]string{listingsPath + "/best": page(t, "")})
	if _, err := market.Listings(t.Context(), c, demoList, &rec, market.ListingsIn{Collection: slug}); !errors.Is(err, rec.err) {
		t.Errorf("error %v", err)
	}
	if _, err := market.Collections(t.Context(), demoList, &rec, market.CollectionsIn{}); !errors.Is(err, rec.err) {
		t.Errorf("error %v", err)
	}
}
