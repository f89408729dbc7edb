package market_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// api routes by path and records what was asked.
type api struct {
	t      *testing.T
	routes map[string]string // "METHOD path?query" or "METHOD path" -> JSON
	asked  []string
	bodies []string
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Api-Key") != canary {
		a.t.Errorf("%s was asked without the key", r.URL)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		a.t.Error(err)
	}
	a.asked, a.bodies = append(a.asked, r.Method+" "+r.URL.RequestURI()), append(a.bodies, string(body))
	answer, ok := a.routes[r.Method+" "+r.URL.RequestURI()]
	if !ok {
		answer, ok = a.routes[r.Method+" "+r.URL.Path]
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		answer = `{"errors":["not found"]}`
	}
	_, _ = w.Write([]byte(answer)) // a recorder never fails
}

func serving(t *testing.T, routes map[string]string) (*market.Client, *api) {
	t.Helper()
	a := &api{t: t, routes: routes}
	return newClient(t, options(inProcess{a})), a
}

const (
	collectionPath = "GET /api/v2/collections/" + slug
	listingsPath   = "GET /api/v2/listings/collection/" + slug
)

func wei(t testing.TB, s string) units.Wei {
	t.Helper()
	w, err := units.ParseBase(s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestCollectionTakesTheContractOfOurChain(t *testing.T) {
	t.Parallel()
	const other = `{"address":"0x00000000000000000000000000000000000000aa","chain":"ethereum"}`
	const ours = `{"address":"0x8464135C8F25DA09E49BC8782676A84730C318BC","chain":"ape_chain"}`
	tests := []struct {
		name, contracts string
		code            fault.Code
		want            string
	}{
		{"second in the list", other + "," + ours, "", ""},
		{"twice the same", ours + "," + ours, "", ""},
		{"none", "", fault.NotFound, "no contract on ape_chain"},
		{"other chain only", other, fault.NotFound, "no contract on ape_chain"},
		{"two of ours", ours + `,{"address":"0x00000000000000000000000000000000000000aa","chain":"ape_chain"}`, fault.NotFound, "more than one"},
		{"nearly our chain", `{"address":"` + contract + `","chain":"ape_chain_curtis"}`, fault.NotFound, "no contract"},
		{"no address", `{"address":"ape","chain":"ape_chain"}`, fault.Upstream, "no address"},
		{"zero address", `{"address":"0x0000000000000000000000000000000000000000","chain":"ape_chain"}`, fault.Upstream, "no address"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := serving(t, map[string]string{collectionPath: `{"collection":"demo-apes","name":"Demo\nApes\u202e","is_disabled":false,"contracts":[` + tt.contracts + `]}`})
			got, err := c.Collection(t.Context(), slug)
			if tt.code != "" {
				wantFault(t, err, tt.code, tt.want)
				return
			}
			want := market.Collection{Name: "Demo Apes", Slug: slug, ContractAddress: contract, Enabled: true}
			if err != nil || got != want {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
		})
	}
}

func TestCollectionOfAnotherSlugIsRefused(t *testing.T) {
	t.Parallel()
	c, _ := serving(t, map[string]string{collectionPath: `{"collection":"evil","contracts":[]}`})
	_, err := c.Collection(t.Context(), slug)
	wantFault(t, err, fault.Upstream, `collection "evil"`)
	c, _ = serving(t, nil)
	_, err = c.Collection(t.Context(), slug)
	wantFault(t, err, fault.NotFound, "no collection demo-apes")
}

func TestListingsReadPagesAndSortByExactPrice(t *testing.T) {
	t.Parallel()
	c, a := serving(t, map[string]string{
		collectionPath: `{"collection":"demo-apes","contracts":[{"address":"` + contract + `","chain":"ape_chain"}]}`,
		listingsPath + "/best?limit=50": page(t, "a&b=c/../", priced(t, 1, "10", "9007199254740993000000000000000000"),
			priced(t, 2, "9", "9007199254740992000000000000000001")),
		// The second page repeats an order of the first: pages shift while they are read.
		listingsPath + "/best?limit=50&next=a%26b%3Dc%2F..%2F": page(t, "", priced(t, 2, "9", "9007199254740992000000000000000001"),
			priced(t, 3, "2", "9007199254740992000000000000000000")),
	})
	got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug})
	if err != nil || got.More {
		t.Fatalf("%+v, %v", got, err)
	}
	var prices []string
	for _, l := range got.Listings {
		prices = append(prices, l.TokenID+"@"+l.PriceApe.String())
	}
	want := "2@9007199254740992 9@9007199254740992.000000000000000001 10@9007199254740993"
	if s := strings.Join(prices, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if len(a.asked) != 3 {
		t.Errorf("asked %q", a.asked)
	}
}

func TestListingsPagingEnds(t *testing.T) {
	t.Parallel()
	one, two := priced(t, 1, "1", "1000"), priced(t, 2, "2", "2000")
	t.Run("repeated cursor", func(t *testing.T) {
		c, a := serving(t, map[string]string{listingsPath + "/best": page(t, "same", one)})
		_, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
		wantFault(t, err, fault.Upstream, "repeats a page cursor")
		if len(a.asked) != 2 {
			t.Errorf("asked %d times", len(a.asked))
		}
	})
	t.Run("page cap", func(t *testing.T) {
		n := 0
		o := options(inProcess{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			n++
			_, _ = fmt.Fprintf(w, `{"listings":[],"next":"%d"}`, n)
		})})
		o.MaxPages = 3
		got, err := newClient(t, o).Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract, All: true})
		if err != nil || !got.More || n != 3 {
			t.Errorf("%+v, %v after %d pages", got, err, n)
		}
	})
	t.Run("limit", func(t *testing.T) {
		c, a := serving(t, map[string]string{listingsPath + "/best": page(t, "more", one, two)})
		got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract, Limit: 1})
		if err != nil || !got.More || len(got.Listings) != 1 || got.Listings[0].TokenID != "1" || len(a.asked) != 1 {
			t.Errorf("%+v, %v, asked %q", got, err, a.asked)
		}
	})
	t.Run("past the price", func(t *testing.T) {
		c, a := serving(t, map[string]string{listingsPath + "/best": page(t, "more", one, two)})
		got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract, MaxPrice: wei(t, "1000")})
		if err != nil || got.More || len(got.Listings) != 1 || len(a.asked) != 1 {
			t.Errorf("%+v, %v, asked %q", got, err, a.asked)
		}
	})
	t.Run("a page out of order proves nothing", func(t *testing.T) {
		c, a := serving(t, map[string]string{
			listingsPath + "/best?limit=200":           page(t, "more", two, one, priced(t, 3, "3", "3000")),
			listingsPath + "/best?limit=200&next=more": page(t, "", priced(t, 4, "4", "500")),
		})
		got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract, MaxPrice: wei(t, "1000")})
		if err != nil || len(got.Listings) != 2 || got.Listings[0].TokenID != "4" || len(a.asked) != 2 {
			t.Errorf("%+v, %v, asked %q", got, err, a.asked)
		}
	})
}

func TestListingsOfOneToken(t *testing.T) {
	t.Parallel()
	c, a := serving(t, map[string]string{listingsPath + "/nfts/3/best": toJSON(t, listing(t))})
	got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract, TokenID: "3"})
	if err != nil || len(got.Listings) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	got, err = c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract, TokenID: "4"})
	if err != nil || len(got.Listings) != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(a.asked) != 2 {
		t.Errorf("asked %q", a.asked)
	}
}

func TestBestListing(t *testing.T) {
	t.Parallel()
	const path = listingsPath + "/nfts/3/best"
	tests := []struct {
		name, answer, token string
		code                fault.Code
		want                []string
	}{
		{"found", toJSON(t, listing(t)), "3", "", nil},
		{"none", "", "3", fault.NotFound, []string{"no live listing found for demo-apes #3"}},
		{"empty object", "{}", "3", fault.NotFound, []string{"no live listing found for demo-apes #3"}},
		{"in WAPE", toJSON(t, listing(t).set("price.current.currency", "WAPE")), "3", fault.NotFound, []string{"no live listing found for demo-apes #3", `currency is "WAPE"`}},
		{"of another token", toJSON(t, priced(t, 1, "4", "1000")), "3", fault.NotFound, []string{"another token"}},
		{"a list", "[]", "3", fault.Upstream, []string{"can't be used"}},
		{"cut off", `{"order_hash":"0x`, "3", fault.Upstream, []string{"cut off"}},
		{"no token id", "", "3/../../x", fault.Usage, []string{"no token id"}},
		{"hex token id", "", "0x3", fault.Usage, []string{"no token id"}},
		{"empty token id", "", "", fault.Usage, []string{"no token id"}},
		{"long token id", "", strings.Repeat("1", 79), fault.Usage, []string{"no token id"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			routes := map[string]string{}
			if tt.answer != "" {
				routes[path] = tt.answer
			}
			c, a := serving(t, routes)
			got, err := c.BestListing(t.Context(), slug, contract, tt.token)
			if tt.code == "" {
				if err != nil || got.OrderHash != orderHash {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			wantFault(t, err, tt.code, tt.want...)
			if tt.code == fault.Usage && len(a.asked) > 0 {
				t.Errorf("a bad id was sent: %q", a.asked)
			}
		})
	}
}

func TestBadSlugsAreNotSent(t *testing.T) {
	t.Parallel()
	c, a := serving(t, nil)
	for _, bad := range []string{"", "..", "a/b", "A", "a b", "a%2f", "é", "a?x", strings.Repeat("a", 129), "a\n", "-a", "_"} {
		_, err := c.Collection(t.Context(), bad)
		wantFault(t, err, fault.Usage, "slug")
		_, err = c.Listings(t.Context(), market.ListQuery{Slug: bad, Contract: contract})
		wantFault(t, err, fault.Usage, "slug")
	}
	_, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: "0x1"})
	wantFault(t, err, fault.Usage, "no address")
	if len(a.asked) > 0 {
		t.Errorf("asked %q", a.asked)
	}
}

func fulfillRequest() market.FulfillRequest {
	return market.FulfillRequest{OrderHash: orderHash, Protocol: market.Seaport16, Fulfiller: buyer}
}

const fulfillPath = "POST /api/v2/listings/fulfillment_data"

func TestFulfillment(t *testing.T) {
	t.Parallel()
	c, a := serving(t, map[string]string{fulfillPath: toJSON(t, sample(t, "fulfillment.json").set("fulfillment_data.transaction.calldata_suffix", "0xCDb44011"))})
	got, err := c.Fulfillment(t.Context(), fulfillRequest())
	if err != nil {
		t.Fatal(err)
	}
	if got.ChainID != 33139 || got.To != market.Seaport16 || got.Value.String() != "12500000000000000000" || got.Protocol != "seaport1.6" ||
		!strings.HasPrefix(got.Function, "fulfillBasicOrder_efficient_6GL6yc(") || fmt.Sprintf("%x", got.Suffix) != "cdb44011" {
		t.Errorf("got %+v", got)
	}
	var input struct {
		Parameters struct{ ConsiderationAmount market.Integer }
	}
	if err := json.Unmarshal(got.InputData, &input); err != nil || input.Parameters.ConsiderationAmount.String() != "11750000000000000000" {
		t.Errorf("input data %s, %v", got.InputData, err)
	}
	want := `{"listing":{"hash":"` + orderHash + `","chain":"ape_chain","protocol_address":"` + market.Seaport16 + `"},"fulfiller":{"address":"` + buyer +
		`"},"recipient":"` + buyer + `","units_to_fill":1,"include_optional_creator_fees":false}`
	if a.bodies[0] != want {
		t.Errorf("sent %s\nwant %s", a.bodies[0], want)
	}
}

func TestFulfillmentRefusals(t *testing.T) {
	t.Parallel()
	const tx = "fulfillment_data.transaction."
	for name, edit := range map[string]func(doc) doc{
		"no function":         func(d doc) doc { return d.set(tx+"function", nil) },
		"control in function": func(d doc) doc { return d.set(tx+"function", "f(\n)") },
		"no chain":            func(d doc) doc { return d.set(tx+"chain", nil) },
		"chain too large":     func(d doc) doc { return d.set(tx+"chain", "0x"+strings.Repeat("f", 20)) },
		"bad target":          func(d doc) doc { return d.set(tx+"to", "0x12") },
		"no value":            func(d doc) doc { return d.set(tx+"value", nil) },
		"negative value":      func(d doc) doc { return d.set(tx+"value", "-1") },
		"two values":          func(d doc) doc { return d.set(tx+"value_hex", "0x1") },
		"input as a list":     func(d doc) doc { return d.set(tx+"input_data", []any{1}) },
		"no input":            func(d doc) doc { return d.set(tx+"input_data", nil) },
		"odd suffix":          func(d doc) doc { return d.set(tx+"calldata_suffix", "0x123") },
		"orders as text":      func(d doc) doc { return d.set("fulfillment_data.orders", "x") },
		"no data":             func(d doc) doc { return d.set("fulfillment_data", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := serving(t, map[string]string{fulfillPath: toJSON(t, edit(sample(t, "fulfillment.json")))})
			_, err := c.Fulfillment(t.Context(), fulfillRequest())
			wantFault(t, err, fault.Upstream, "fulfilment request failed")
		})
	}
	// A suffix that can be read and is too long is no failure of the marketplace to
	// try again after: it is calldata that nobody quoted.
	c, _ := serving(t, map[string]string{fulfillPath: toJSON(t, sample(t, "fulfillment.json").set(tx+"calldata_suffix", "0x0102030405"))})
	_, err := c.Fulfillment(t.Context(), fulfillRequest())
	wantFault(t, err, fault.UnsafeTransaction, "5 bytes, expected at most 4")
	c, a := serving(t, nil)
	_, err = c.Fulfillment(t.Context(), fulfillRequest())
	wantFault(t, err, fault.NotFound, "not for sale any more")
	for _, bad := range []market.FulfillRequest{
		{Protocol: market.Seaport16, Fulfiller: buyer}, {OrderHash: orderHash, Fulfiller: buyer}, {OrderHash: orderHash, Protocol: market.Seaport16},
		{OrderHash: orderHash, Protocol: market.Seaport16, Fulfiller: buyer, Recipient: "me"},
	} {
		_, err := c.Fulfillment(t.Context(), bad)
		wantFault(t, err, fault.Usage)
	}
	if len(a.asked) != 1 {
		t.Errorf("asked %q", a.asked)
	}
}
