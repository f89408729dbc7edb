package opensea_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
)

const apiKey = "any"

func start(t *testing.T, opt sandbox.Options) *sandbox.World {
	t.Helper()
	w, err := sandbox.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// answer is what the marketplace said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) decode(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
}

func ask(t *testing.T, w *sandbox.World, method, path string, body []byte, key string) (answer, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, w.MarketURL()+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("x-api-key", key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, b}, err
}

func get(t *testing.T, w *sandbox.World, path string) answer {
	t.Helper()
	a, err := ask(t, w, http.MethodGet, path, nil, apiKey)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// fulfill asks for the fulfilment of an order to the buyer.
func fulfill(t *testing.T, w *sandbox.World, o demo.Order) answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"listing":   map[string]any{"hash": o.Hash.Hex(), "chain": "ape_chain", "protocol_address": seaport.Address.Hex()},
		"fulfiller": map[string]any{"address": w.Buyer().Address().Hex()},
		"recipient": w.Buyer().Address().Hex(), "units_to_fill": 1, "include_optional_creator_fees": false,
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := ask(t, w, http.MethodPost, "/api/v2/listings/fulfillment_data", body, apiKey)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type page struct {
	Listings []listing `json:"listings"`
	Next     string    `json:"next"`
}

type listing struct {
	OrderHash string `json:"order_hash"`
	Asset     struct {
		Identifier string `json:"identifier"`
		Contract   string `json:"contract"`
	} `json:"asset"`
	Price struct {
		Current struct {
			Value string `json:"value"`
		} `json:"current"`
	} `json:"price"`
	Status string `json:"status"`
}

func TestPaging(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	for _, tt := range []struct {
		view  string
		limit int
		pages int
	}{{"all", 7, 6}, {"all", 40, 1}, {"all", 39, 2}, {"best", 20, 2}, {"all", 200, 1}, {"best", 1, 40}} {
		t.Run(fmt.Sprintf("%s by %d", tt.view, tt.limit), func(t *testing.T) {
			t.Parallel()
			var got []listing
			next, pages := "", 0
			for {
				var p page
				get(t, w, fmt.Sprintf("/api/v2/listings/collection/demo-apes/%s?limit=%d&next=%s", tt.view, tt.limit, url.QueryEscape(next))).decode(t, &p)
				got = append(got, p.Listings...)
				if pages++; p.Next == "" || pages > 50 {
					break
				}
				if len(p.Listings) != tt.limit {
					t.Errorf("page %d has %d listings and a next one", pages, len(p.Listings))
				}
				next = p.Next
			}
			seen := map[string]bool{}
			for _, l := range got {
				seen[l.OrderHash] = true
			}
			if pages != tt.pages || len(got) != 40 || len(seen) != 40 {
				t.Errorf("%d pages, %d listings, %d distinct", pages, len(got), len(seen))
			}
			if tt.view == "best" && !slices.IsSortedFunc(got, byPrice) {
				t.Error("not by price")
			}
		})
	}
}

func byPrice(a, b listing) int {
	if n := len(a.Price.Current.Value) - len(b.Price.Current.Value); n != 0 {
		return n
	}
	return strings.Compare(a.Price.Current.Value, b.Price.Current.Value)
}

func TestPagesNeitherRepeatNorSkip(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 6})
	var first, second page
	get(t, w, "/api/v2/listings/collection/demo-apes/all?limit=3").decode(t, &first)
	// The last one of the first page is sold before the second is asked for.
	if _, err := w.Buy(t.Context(), w.Buyer(), w.Demo().Orders[2]); err != nil {
		t.Fatal(err)
	}
	get(t, w, "/api/v2/listings/collection/demo-apes/all?limit=3&next="+url.QueryEscape(first.Next)).decode(t, &second)
	var got []string
	for _, l := range append(first.Listings, second.Listings...) {
		got = append(got, l.OrderHash)
	}
	var want []string
	for _, o := range w.Demo().Orders[:6] {
		want = append(want, o.Hash.Hex())
	}
	if !slices.Equal(got, want) || second.Next != "" {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestASoldListingIsGone(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	o := w.Demo().Orders[0]
	one := "/api/v2/listings/collection/demo-apes/nfts/" + o.TokenID.String() + "/best"
	var l listing
	get(t, w, one).decode(t, &l)
	if l.OrderHash != o.Hash.Hex() || l.Price.Current.Value != o.Price.String() {
		t.Fatalf("listing %+v", l)
	}
	if _, err := w.Buy(t.Context(), w.Buyer(), o); err != nil {
		t.Fatal(err)
	}
	if a := get(t, w, one); a.status != http.StatusNotFound {
		t.Errorf("best of the token: %d %s", a.status, a.body)
	}
	for _, view := range []string{"all", "best"} {
		a := get(t, w, "/api/v2/listings/collection/demo-apes/"+view)
		var p page
		a.decode(t, &p)
		if len(p.Listings) != 39 || strings.Contains(string(a.body), o.Hash.Hex()) {
			t.Errorf("%s: %d listings", view, len(p.Listings))
		}
	}
	if a := fulfill(t, w, o); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), "FULFILLED") {
		t.Errorf("fulfilment: %d %s", a.status, a.body)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	hash := w.Demo().Orders[0].Hash.Hex()
	body := func(hash, chain, protocol, fulfiller string) string {
		return fmt.Sprintf(`{"listing":{"hash":%q,"chain":%q,"protocol_address":%q},"fulfiller":{"address":%q}}`, hash, chain, protocol, fulfiller)
	}
	sp, me := seaport.Address.Hex(), w.Buyer().Address().Hex()
	const fulfilment, lists = "/api/v2/listings/fulfillment_data", "/api/v2/listings/collection/demo-apes/all"
	tests := []struct {
		name, method, path, body, key string
		status                        int
	}{
		{"no key", "GET", "/api/v2/collections/demo-apes", "", "", 401},
		{"unknown collection", "GET", "/api/v2/collections/nothing", "", apiKey, 404},
		{"listings of an unknown collection", "GET", "/api/v2/listings/collection/nothing/all", "", apiKey, 404},
		{"token without a listing", "GET", "/api/v2/listings/collection/demo-apes/nfts/9999/best", "", apiKey, 404},
		{"limit 0", "GET", lists + "?limit=0", "", apiKey, 400},
		{"limit 201", "GET", lists + "?limit=201", "", apiKey, 400},
		{"limit x", "GET", lists + "?limit=x", "", apiKey, 400},
		{"a made-up cursor", "GET", lists + "?next=!!", "", apiKey, 400},
		{"a cursor of another list", "GET", lists + "?next=YmVzdHxkZW1vLWFwZXN8Mw==", "", apiKey, 400},
		{"unknown route", "GET", "/api/v2/nothing", "", apiKey, 404},
		{"other method", "DELETE", "/api/v2/collections/demo-apes", "", apiKey, 404},
		{"no JSON", "POST", fulfilment, "{", apiKey, 400},
		{"unknown order", "POST", fulfilment, body("0x"+strings.Repeat("ab", 32), "ape_chain", sp, me), apiKey, 400},
		{"short hash", "POST", fulfilment, body("0xab", "ape_chain", sp, me), apiKey, 400},
		{"other chain", "POST", fulfilment, body(hash, "ethereum", sp, me), apiKey, 400},
		{"other protocol", "POST", fulfilment, body(hash, "ape_chain", me, me), apiKey, 400},
		{"no fulfiller", "POST", fulfilment, body(hash, "ape_chain", sp, ""), apiKey, 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, err := ask(t, w, tt.method, tt.path, []byte(tt.body), tt.key)
			if err != nil {
				t.Fatal(err)
			}
			var e struct{ Errors []string }
			a.decode(t, &e)
			if a.status != tt.status || len(e.Errors) != 1 || e.Errors[0] == "" {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Rate: 3})
	var last answer
	for range 4 {
		last = get(t, w, "/api/v2/collections/demo-apes")
	}
	if last.status != http.StatusTooManyRequests || last.header.Get("Retry-After") != "1" || last.header.Get("X-RateLimit-Limit") != "3" {
		t.Errorf("the fourth answer of a burst: %d %v", last.status, last.header)
	}
}

func TestPrivateListings(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 1, Tokens: 2})
	o := w.Demo().Orders[0]
	other := uint64(3) - o.TokenID.Uint64() // tokens are 1 and 2
	p, err := w.List("demo-apes", demo.Terms{TokenID: other, Price: o.Price, Taker: w.Demo().Faucet.Address()})
	if err != nil {
		t.Fatal(err)
	}
	const path = "/api/v2/listings/collection/demo-apes/all"
	if a := get(t, w, path); strings.Contains(string(a.body), p.Hash.Hex()) {
		t.Error("it stands in the public list")
	}
	if a := get(t, w, path+"?include_private_listings=true"); !strings.Contains(string(a.body), p.Hash.Hex()) {
		t.Error("it is not in the list that has private ones")
	}
	if a := fulfill(t, w, p); a.status != http.StatusBadRequest {
		t.Errorf("fulfilment: %d", a.status)
	}
}
