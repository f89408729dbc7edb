package market_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// What marketplaces really answer, and the one right reading of each.
func TestRealWorldPrices(t *testing.T) {
	t.Parallel()
	const ape = "1000000000000000000"
	erc1155 := func(d doc) doc {
		return d.set("remaining_quantity", 3).set("protocol_data.parameters.offer.0.itemType", 3).
			set("protocol_data.parameters.offer.0.startAmount", "3").set("protocol_data.parameters.offer.0.endAmount", "3")
	}
	usdc := func(d doc) doc {
		return d.set("price.current", map[string]any{"currency": "USDC", "decimals": 6, "value": "1000000"})
	}
	price := func(v any) func(doc) doc { return func(d doc) doc { return d.set("price.current.value", v) } }
	flat := func(d doc) doc {
		return d.set("price", map[string]any{"currency": "APE", "decimals": 18, "value": ape})
	}
	for name, tt := range map[string]struct {
		edit   func(doc) doc
		price  string // in APE; "" is refused
		reason string
	}{
		"nested":                    {price(ape), "1", ""},
		"flat":                      {flat, "1", ""},
		"decimals as text":          {func(d doc) doc { return d.set("price.current.decimals", "18") }, "1", ""},
		"number":                    {price(json.Number(ape)), "1", ""},
		"number with exponent":      {price(json.Number("1e18")), "1", ""},
		"number as JavaScript":      {price(json.Number("1e+18")), "1", ""},
		"number with a point":       {price(json.Number("1000000000000000000.0")), "1", ""},
		"hex":                       {price("0xde0b6b3a7640000"), "1", ""},
		"over the order's payments": {price("1000000000000000001"), "1.000000000000000001", ""},
		"under them":                {price("999999999999999999"), "", "less than its payments"},
		"exponent in text":          {price("1e18"), "", "no unsigned decimal integer"},
		"half a wei":                {price(json.Number("1e-1")), "", "no unsigned integer"},
		"negative":                  {price("-" + ape), "", "no unsigned decimal integer"},
		"negative number":           {price(json.Number("-" + ape)), "", "no unsigned decimal integer"},
		"2^256":                     {price(new(big.Int).Lsh(big.NewInt(1), 256).String()), "", "larger than 2^256-1"},
		"missing":                   {price(nil), "", "price is missing"},
		"no price at all":           {func(d doc) doc { return d.set("price", nil) }, "", `currency is ""`},
		"six decimals":              {usdc, "", `currency is "USDC"`},
		"APE of six decimals":       {func(d doc) doc { return d.set("price.current.decimals", 6) }, "", `with "6" decimals`},
		"three of an ERC-1155":      {erc1155, "", "remaining quantity is \"3\""},
		"one ERC-1155 of three": {func(d doc) doc { return erc1155(d).set("remaining_quantity", 1) }, "",
			"ERC-1155 token, not an ERC-721"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := answering(t, page(t, "", tt.edit(priced(t, 1, "7", ape)))).Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
			if err != nil {
				t.Fatal(err)
			}
			if tt.price == "" {
				if len(got.Listings) != 0 || len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0].Reason, tt.reason) {
					t.Errorf("%+v, skipped %+v", got.Listings, got.Skipped)
				}
				return
			}
			if len(got.Listings) != 1 || got.Listings[0].PriceApe.String() != tt.price {
				t.Errorf("%+v, skipped %+v", got.Listings, got.Skipped)
			}
		})
	}
}

// An address that begins and ends as a known one is another.
func TestLookalikes(t *testing.T) {
	t.Parallel()
	fake := contract[:6] + strings.Repeat("0", 32) + contract[38:]
	for _, path := range []string{"asset.contract", "protocol_data.parameters.offer.0.token", "protocol_address"} {
		to := fake
		if path == "protocol_address" {
			to = market.Seaport16[:6] + strings.Repeat("1", 32) + market.Seaport16[38:]
		}
		got, err := answering(t, page(t, "", listing(t).set(path, to))).Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
		if err != nil || len(got.Listings) != 0 || len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0].Reason, to) {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
}

func TestOnePerToken(t *testing.T) {
	t.Parallel()
	routes := map[string]string{
		listingsPath + "/all?limit=200":        page(t, "a", priced(t, 1, "7", "3000"), priced(t, 2, "8", "9000")),
		listingsPath + "/all?limit=200&next=a": page(t, "b"), // an empty page is not the last
		listingsPath + "/all?limit=200&next=b": page(t, "", priced(t, 3, "7", "1000"), priced(t, 4, "7", "2000"), priced(t, 1, "7", "3000")),
	}
	c, _ := serving(t, routes)
	for _, tt := range []struct {
		one  bool
		want string
	}{{false, "7@1000 7@2000 7@3000 8@9000"}, {true, "7@1000 8@9000"}} {
		got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract, All: true, OnePerToken: tt.one})
		var all []string
		for _, l := range got.Listings {
			all = append(all, l.TokenID+"@"+l.Price.String())
		}
		if err != nil || strings.Join(all, " ") != tt.want || got.Pages != 3 || got.Read != 5 || got.More {
			t.Errorf("%v: %v of %+v, %v", tt.one, all, got, err)
		}
	}
}

func TestPagesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		endless := inProcess{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			n++
			time.Sleep(time.Second)
			_, _ = w.Write([]byte(page(t, strings.Repeat("x", n), listing(t))))
		})}
		for want, edit := range map[string]func(*market.Options){
			"after 3 pages": func(o *market.Options) { o.MaxPages = 3 },
			"after 10s":     func(o *market.Options) { o.MaxTime = 10 * time.Second },
			"bytes":         func(o *market.Options) { o.MaxBytes = 5000 },
		} {
			o := options(endless)
			o.MaxPages = 1000
			edit(&o)
			got, err := newClient(t, o).Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract, All: true})
			if err != nil || !got.More || !strings.Contains(got.Stopped, want) || len(got.Listings) != 1 {
				t.Errorf("%s: %+v, %v", want, got, err)
			}
		}
	})
	huge := `{"listings":[` + strings.Repeat("0,", 1000) + `0]}`
	_, err := answering(t, huge).Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
	wantFault(t, err, fault.Upstream, "more than 1000 listings on one page")
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	const fake = "0x8464000000000000000000000000000000001234"
	col := func(slug, contract string) string {
		return `{"collection":"` + slug + `","contracts":[{"address":"` + contract + `","chain":"ape_chain"},{"address":"` + fake + `","chain":"ethereum"}]}`
	}
	const byContract = "GET /api/v2/chain/ape_chain/contract/" + contract
	of := func(slug, contract string) string {
		return `{"address":"` + contract + `","chain":"ape_chain","collection":"` + slug + `"}`
	}
	const renamedPath = "GET /api/v2/collections/apes-2"
	good := page(t, "", listing(t))
	for name, tt := range map[string]struct {
		routes map[string]string
		slugs  map[string]string
		code   fault.Code
	}{
		"as expected":       {map[string]string{collectionPath: col(slug, contract)}, nil, ""},
		"another contract":  {map[string]string{collectionPath: col(slug, fake)}, nil, fault.CollectionNotAllowed},
		"unknown":           {nil, nil, fault.NotFound},
		"renamed":           {map[string]string{byContract: of("apes-2", contract), renamedPath: col("apes-2", contract)}, nil, ""},
		"renamed, reused":   {map[string]string{collectionPath: col(slug, fake), byContract: of("apes-2", contract), renamedPath: col("apes-2", contract)}, nil, ""},
		"renamed to a fake": {map[string]string{byContract: of("apes-2", contract), renamedPath: col("apes-2", fake)}, nil, fault.NotFound},
		"of another":        {map[string]string{byContract: of("apes-2", fake), renamedPath: col("apes-2", fake)}, nil, fault.NotFound},
		"slug as a path":    {map[string]string{byContract: of("../x", contract)}, nil, fault.NotFound},
		"overridden":        {map[string]string{renamedPath: col("apes-2", contract)}, map[string]string{slug: "apes-2"}, ""},
		"other chain only":  {map[string]string{collectionPath: strings.Replace(col(slug, contract), "ape_chain", "base", 1)}, nil, fault.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &api{t: t, routes: map[string]string{listingsPath + "/best": good, "GET /api/v2/listings/collection/apes-2/best": good}}
			for k, v := range tt.routes {
				a.routes[k] = v
			}
			o := options(inProcess{a})
			o.Pacer, o.Slugs = nil, tt.slugs
			c := newClient(t, o)
			got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
			if tt.code != "" {
				wantFault(t, err, tt.code)
				return
			}
			if err != nil || len(got.Listings) != 1 || got.Listings[0].Collection != slug {
				t.Fatalf("%+v, %v", got, err)
			}
			asked := len(a.asked)
			if _, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract}); err != nil || len(a.asked) != asked+1 {
				t.Errorf("identity was asked for again: %q, %v", a.asked, err)
			}
		})
	}
}

// FuzzInteger: what is read is what big.Rat reads, and only integers are.
func FuzzInteger(f *testing.F) {
	for _, s := range []string{`1e18`, `"0x1f"`, `12.50e1`, `1e-1`, `0.0e9`, `-0`, `1E+78`, `"1e3"`, `00.1`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var i market.Integer
		if len(s) > 300 || json.Unmarshal([]byte(s), &i) != nil || !i.IsSet() {
			return
		}
		text := strings.Trim(strings.TrimSpace(s), `"`)
		if strings.Contains(text, `\`) {
			return
		}
		want, ok := new(big.Rat).SetString(text)
		if !ok || !want.IsInt() || want.Num().Cmp(i.Big()) != 0 {
			t.Errorf("%q is %s", s, i)
		}
	})
}

// FuzzFile: whatever a data file holds, nothing panics, and a fault is one line.
func FuzzFile(f *testing.F) {
	seed(f, "market.json")
	for _, s := range []string{``, `{}`, `{"listings":{"a":[1,{}]}}`, `{"collections":[{}`, "\ufeff{}", `{"fulfillments":{"0x":1}}`, `{"listings":{"a":[]},"listings":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "market.json")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := market.OpenFile(path, market.ApeChain(now))
		if err != nil {
			wantFault(t, err, fault.Usage)
			return
		}
		got, err := file.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
		if err == nil {
			for _, l := range got.Listings {
				checkListing(t, l)
			}
		}
	})
}
