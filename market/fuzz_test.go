package market_test

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func seed(f *testing.F, file string) {
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
}

// FuzzListings: whatever a marketplace answers, nothing panics, every listing
// that comes through is whole, and its price is the one that was written.
func FuzzListings(f *testing.F) {
	seed(f, "listings.json")
	f.Add([]byte(page(f, "x", listing(f).set("price", map[string]any{"currency": "APE", "decimals": "18", "value": "0xffff"}))))
	for _, tt := range unusable {
		f.Add([]byte(page(f, "", tt.edit(listing(f)))))
	}
	for _, s := range []string{``, `null`, `{"listings":null}`, `{"listings":[[[[]]]]}`, `{"listings":[{"price":{"current":null}}],"next":"` + strings.Repeat("n", 5000) + `"}`, "{\"listings\":[\"\xff\"]}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		// The same page for ever is a repeated cursor, unless it has none.
		got, err := answering(t, string(b)).Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract, All: true})
		if err != nil {
			if code := fault.CodeOf(err); code != fault.Upstream {
				t.Errorf("code %s for %v", code, err)
			}
			return
		}
		for _, l := range got.Listings {
			checkListing(t, l)
		}
		for _, s := range got.Skipped {
			if s.Reason == "" || strings.ContainsAny(s.Reason, "\n\r\x1b\x00") || len(s.Reason) > 1000 {
				t.Errorf("reason %q", s.Reason)
			}
		}
	})
}

func checkListing(t *testing.T, l market.Listing) {
	t.Helper()
	zero := func(s string) bool { return strings.Trim(s, "0x") == "" }
	if len(l.OrderHash) != 66 || zero(l.OrderHash) || l.AssetContract != contract || l.ProtocolAddress != market.Seaport16 ||
		len(l.Seller) != 42 || zero(l.Seller) || !market.ValidTokenID(l.TokenID) || l.Currency != "APE" || l.Decimals != 18 {
		t.Errorf("accepted %+v", l)
	}
	if l.Price.IsZero() || l.Price.Cmp(l.Considered) < 0 || !l.ExpiresAt.After(sampleTime) || l.StartsAt.After(sampleTime) {
		t.Errorf("accepted %+v", l)
	}
	back, err := units.Parse(l.PriceApe.String(), 18)
	if err != nil || back != l.Price {
		t.Errorf("price %s is %s, %v", l.PriceApe, back, err)
	}
	var again market.Listing
	if err := json.Unmarshal([]byte(toJSON(t, l)), &again); err != nil || again.Price != l.Price || again.PriceApe != l.PriceApe || again.OrderHash != l.OrderHash || !again.ExpiresAt.Equal(l.ExpiresAt) {
		t.Errorf("round trip of %+v gives %+v, %v", l, again, err)
	}
}

// FuzzPrice: the price that comes out is the integer that went in.
func FuzzPrice(f *testing.F) {
	for _, s := range []string{"1", "12500000000000000000", "0x1", "9007199254740993", "00", "-1", "1e18", "1.0", " 1", strings.Repeat("9", 80)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := priced(t, 1, "7", "1").set("price.current.value", s)
		got, err := answering(t, page(t, "", d)).Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Listings) == 0 {
			return
		}
		want, ok := new(big.Int).SetString(s, 0)
		if !ok || want.Sign() <= 0 || got.Listings[0].Price.Big().Cmp(want) != 0 {
			t.Errorf("%q became %s", s, got.Listings[0].Price)
		}
	})
}

// FuzzFulfillment: nothing panics, and what comes through is well spelt.
func FuzzFulfillment(f *testing.F) {
	seed(f, "fulfillment.json")
	f.Add([]byte(`{"fulfillment_data":{"transaction":{"function":"f()","chain":"0x1","to":"` + contract + `","value":0,"input_data":{}},"orders":null}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := answering(t, string(b)).Fulfillment(t.Context(), fulfillRequest())
		if err != nil {
			if code := fault.CodeOf(err); code != fault.Upstream {
				t.Errorf("code %s for %v", code, err)
			}
			return
		}
		var object map[string]any
		if len(got.To) != 42 || got.To != strings.ToLower(got.To) || got.Function == "" || len(got.Suffix) > 4 || json.Unmarshal(got.InputData, &object) != nil {
			t.Errorf("accepted %+v", got)
		}
	})
}

// FuzzErrorText: a server's own words never break out of their line.
func FuzzErrorText(f *testing.F) {
	f.Add([]byte(`{"errors":["x"]}`))
	f.Add([]byte("\x1b[2J\n\u202e" + canary))
	f.Add([]byte(`{"errors":[{"a":"` + canary + `"}],"detail":7}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &script{replies: []reply{{status: 400, body: string(b)}}}
		wantFault(t, lookup(t, newClient(t, options(s))), fault.Upstream)
	})
}
