package market_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/market"
)

func TestSampleListing(t *testing.T) {
	t.Parallel()
	c := answering(t, page(t, "", listing(t)))
	got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
	if err != nil || len(got.Listings) != 1 || len(got.Skipped) != 0 {
		t.Fatalf("listings %+v, error %v", got, err)
	}
	want := `{"listingId":"` + orderHash + `","orderHash":"` + orderHash + `","collection":"demo-apes","tokenId":"3",` +
		`"priceApe":12.5,"priceWei":"12500000000000000000","currency":"APE","decimals":18,"protocolAddress":"` + market.Seaport16 +
		`","assetContractAddress":"` + contract + `","seller":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8",` +
		`"startsAt":"2026-11-30T10:24:10Z","expiresAt":"2026-12-01T10:25:10Z"}`
	if s := toJSON(t, got.Listings[0]); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if got.Listings[0].Considered.String() != "12500000000000000000" || len(got.Listings[0].Parameters) == 0 {
		t.Errorf("the order is not kept: %+v", got.Listings[0])
	}
}

const order = "protocol_data.parameters."

// changes that leave the sample usable.
var tolerated = []struct {
	name string
	edit func(doc) doc
}{
	{"flat price of older answers", func(d doc) doc {
		return d.set("price", map[string]any{"currency": "APE", "decimals": 18, "value": "12500000000000000000"})
	}},
	{"hex price", func(d doc) doc { return d.set("price.current.value", "0xad78ebc5ac620000") }},
	{"upper-case addresses", func(d doc) doc {
		return d.set("protocol_address", "0x0000000000000068F116A894984E2DB1123EB395").set("asset.contract", "0x8464135C8F25DA09E49BC8782676A84730C318BC")
	}},
	{"no signature", func(d doc) doc { return d.set("protocol_data.signature", nil) }},
	{"numbers as strings", func(d doc) doc {
		return d.set("remaining_quantity", "1").set(order+"orderType", "0").set(order+"offer.0.itemType", "2").set(order+"startTime", "0x0")
	}},
	{"partial open order", func(d doc) doc { return d.set(order+"orderType", 1) }},
	{"restricted by OpenSea's zone", func(d doc) doc { return d.set(order+"orderType", 2).set(order+"zone", market.SignedZone) }},
	{"no end", func(d doc) doc { return d.set(order+"endTime", "0x"+strings.Repeat("f", 64)) }},
	{"nobody as taker", func(d doc) doc {
		return d.set("taker", map[string]any{"address": "0x0000000000000000000000000000000000000000"})
	}},
	{"unknown fields", func(d doc) doc { return d.set("shiny", []any{1, "x"}) }},
	{"marketplace fee on top", func(d doc) doc { return d.set("price.current.value", "12500000000000000001") }},
}

func TestToleratedShapes(t *testing.T) {
	t.Parallel()
	for _, tt := range tolerated {
		t.Run(tt.name, func(t *testing.T) {
			c := answering(t, page(t, "", tt.edit(listing(t))))
			got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
			if err != nil || len(got.Listings) != 1 {
				t.Fatalf("page %+v, error %v", got, err)
			}
		})
	}
}

// changes that make the sample unusable, and what the reason must say.
var unusable = []struct {
	name string
	edit func(doc) doc
	want string
}{
	{"no hash", func(d doc) doc { return d.set("order_hash", nil) }, "order hash"},
	{"zero hash", func(d doc) doc { return d.set("order_hash", "0x"+strings.Repeat("0", 64)) }, "order hash"},
	{"short hash", func(d doc) doc { return d.set("order_hash", "0xabc") }, "order hash"},
	{"other chain", func(d doc) doc { return d.set("chain", "ethereum") }, `chain "ethereum"`},
	{"chain in capitals", func(d doc) doc { return d.set("chain", "APE_CHAIN") }, "chain"},
	{"no chain", func(d doc) doc { return d.set("chain", nil) }, "chain"},
	{"other protocol", func(d doc) doc { return d.set("protocol_address", "0x00000000000000adc04c56bf30ac9d3c0aaf14dc") }, "not a known Seaport"},
	{"no protocol", func(d doc) doc { return d.set("protocol_address", nil) }, "not a known Seaport"},
	{"other contract", func(d doc) doc { return d.set("asset.contract", "0x00000000000000000000000000000000000000aa") }, "asset contract is"},
	{"no asset", func(d doc) doc { return d.set("asset", nil) }, "asset contract"},
	{"no token id", func(d doc) doc { return d.set("asset.identifier", nil) }, "token id is missing"},
	{"negative token id", func(d doc) doc { return d.set("asset.identifier", "-3") }, "malformed"},
	{"inactive", func(d doc) doc { return d.set("status", "INACTIVE") }, "status"},
	{"cancelled", func(d doc) doc { return d.set("status", "CANCELLED") }, "status"},
	{"no status", func(d doc) doc { return d.set("status", nil) }, "status"},
	{"english auction", func(d doc) doc { return d.set("type", "english") }, "auction"},
	{"dutch auction", func(d doc) doc { return d.set("type", "dutch") }, "auction"},
	{"criteria", func(d doc) doc { return d.set("type", "criteria") }, "listing type"},
	{"changing amount", func(d doc) doc { return d.set(order+"consideration.0.endAmount", "1") }, "auction"},
	{"taker", func(d doc) doc { return d.set("taker", buyer) }, "private"},
	{"taker as account", func(d doc) doc { return d.set("taker", map[string]any{"address": buyer}) }, "private"},
	{"taker as nonsense", func(d doc) doc { return d.set("taker", []any{1}) }, "private"},
	{"private flag", func(d doc) doc { return d.set("is_private_listing", true) }, "private"},
	{"private by consideration", func(d doc) doc {
		return d.set(order+"consideration.1", map[string]any{"itemType": 2, "token": contract, "identifierOrCriteria": "3",
			"startAmount": "1", "endAmount": "1", "recipient": buyer})
	}, "reserved for " + buyer},
	{"private by zone", func(d doc) doc { return d.set(order+"orderType", 2).set(order+"zone", buyer) }, "unknown zone"},
	{"contract order", func(d doc) doc { return d.set(order+"orderType", 4) }, "order type"},
	{"no order type", func(d doc) doc { return d.set(order+"orderType", nil) }, "order type"},
	{"nothing left", func(d doc) doc { return d.set("remaining_quantity", 0) }, "remaining quantity"},
	{"two left", func(d doc) doc { return d.set("remaining_quantity", 2) }, "remaining quantity"},
	{"WAPE", func(d doc) doc { return d.set("price.current.currency", "WAPE") }, `currency is "WAPE"`},
	{"lower-case ape", func(d doc) doc { return d.set("price.current.currency", "ape") }, "currency"},
	{"six decimals", func(d doc) doc { return d.set("price.current.decimals", 6) }, "decimals"},
	{"no decimals", func(d doc) doc { return d.set("price.current.decimals", nil) }, "decimals"},
	{"no price", func(d doc) doc { return d.set("price", nil) }, "currency"},
	{"no value", func(d doc) doc { return d.set("price.current.value", nil) }, "price is missing"},
	{"zero price", func(d doc) doc { return d.set("price.current.value", "0") }, "price is zero"},
	{"float price", func(d doc) doc { return d.set("price.current.value", 12.5) }, "malformed"},
	{"negative price", func(d doc) doc { return d.set("price.current.value", "-1") }, "malformed"},
	{"price in words", func(d doc) doc { return d.set("price", "12.5 APE") }, "malformed"},
	{"price under its payments", func(d doc) doc { return d.set("price.current.value", "12499999999999999999") }, "less than its payments"},
	{"payments over 2^256", func(d doc) doc {
		max := "0x" + strings.Repeat("f", 64)
		return d.set(order+"consideration.0.startAmount", max).set(order+"consideration.0.endAmount", max)
	}, "2^256"},
	{"ERC-20 payment", func(d doc) doc {
		return d.set(order+"consideration.0.itemType", 1).set(order+"consideration.0.token", "0x48b62137edfa95a428d35c09e44256a739f6b557")
	}, "ERC-20"},
	{"one ERC-20 fee", func(d doc) doc { return d.set(order+"consideration.2.itemType", 1) }, "ERC-20"},
	{"native payment with a token", func(d doc) doc { return d.set(order+"consideration.0.token", contract) }, "names a token"},
	{"payment without recipient", func(d doc) doc { return d.set(order+"consideration.0.recipient", nil) }, "recipient"},
	{"payment to zero", func(d doc) doc {
		return d.set(order+"consideration.0.recipient", "0x0000000000000000000000000000000000000000")
	}, "recipient"},
	{"payment without amount", func(d doc) doc {
		return d.set(order+"consideration.0.startAmount", nil).set(order+"consideration.0.endAmount", nil)
	}, ""},
	{"no payments", func(d doc) doc { return d.set(order+"consideration", []any{}) }, "no payment"},
	{"unsigned extra payment", func(d doc) doc { return d.set(order+"totalOriginalConsiderationItems", 2) }, "signed"},
	{"ERC-1155", func(d doc) doc { return d.set(order+"offer.0.itemType", 3) }, "ERC-1155"},
	{"criteria offer", func(d doc) doc { return d.set(order+"offer.0.itemType", 4) }, "ERC-721"},
	{"bundle", func(d doc) doc {
		offer := child(child(child(map[string]any(d), "protocol_data"), "parameters"), "offer").([]any)
		return d.set(order+"offer", append(offer, offer[0]))
	}, "2 items"},
	{"empty offer", func(d doc) doc { return d.set(order+"offer", []any{}) }, "0 items"},
	{"offers another token", func(d doc) doc { return d.set(order+"offer.0.identifierOrCriteria", "4") }, "token"},
	{"offers another contract", func(d doc) doc { return d.set(order+"offer.0.token", buyer) }, "token of"},
	{"offers two", func(d doc) doc { return d.set(order+"offer.0.startAmount", "2") }, "exactly 1"},
	{"no parameters", func(d doc) doc { return d.set("protocol_data", nil) }, "no order parameters"},
	{"no seller", func(d doc) doc { return d.set(order+"offerer", nil) }, "seller"},
	{"zero seller", func(d doc) doc { return d.set(order+"offerer", "0x0000000000000000000000000000000000000000") }, "seller"},
	{"native payment with an id", func(d doc) doc { return d.set(order+"consideration.0.identifierOrCriteria", "1") }, "names a token"},
	{"expired", func(d doc) doc { return d.set(order+"endTime", sampleTime.Unix()) }, "expired at"},
	{"not started", func(d doc) doc { return d.set(order+"startTime", sampleTime.Unix()+1) }, "starts only at"},
	{"no end time", func(d doc) doc { return d.set(order+"endTime", nil) }, "missing"},
	{"a terminal's escape in the status", func(d doc) doc { return d.set("status", "A\x1b[2J\nB\u202e") }, `status is "A [2J B"`},
}

func TestSkippedListings(t *testing.T) {
	t.Parallel()
	for _, tt := range unusable {
		t.Run(tt.name, func(t *testing.T) {
			c := answering(t, page(t, "", tt.edit(listing(t)), priced(t, 9, "9", "1000000000000000000")))
			got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Listings) != 1 || got.Listings[0].TokenID != "9" {
				t.Errorf("usable: %+v, want only token 9", got.Listings)
			}
			if len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0].Reason, tt.want) || got.Skipped[0].Reason == "" {
				t.Errorf("skipped %+v, want a reason with %q", got.Skipped, tt.want)
			}
		})
	}
}

func TestMalformedElementsSpareTheOthers(t *testing.T) {
	t.Parallel()
	body := `{"listings":[null,7,"x",[],{},` + toJSON(t, listing(t)) + `]}`
	got, err := answering(t, body).Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
	if err != nil || len(got.Listings) != 1 || len(got.Skipped) != 5 || got.Skipped[1].ID != "#2" {
		t.Fatalf("page %+v, error %v", got, err)
	}
}
