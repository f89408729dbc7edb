package conformance_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const slug = "demo-apes"

func start(t *testing.T) (*sandbox.World, *market.Client) {
	t.Helper()
	w, err := sandbox.Start(t.Context(), sandbox.Options{Listings: 12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, client(t, w)
}

func client(t *testing.T, w *sandbox.World) *market.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := market.New(market.Options{
		Rules: market.ApeChain(time.Now), BaseURL: w.MarketURL(), APIKey: market.Key(w.Current().MarketKey), Transport: transport,
		Rand: rand.N[int64], MaxWait: 100 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func collection(t *testing.T, w *sandbox.World) *demo.Collection {
	t.Helper()
	c, ok := w.Demo().Collection(slug)
	if !ok {
		t.Fatalf("the sandbox has no collection %s", slug)
	}
	return c
}

func TestTheSandboxIsRead(t *testing.T) {
	w, c := start(t)
	ctx := t.Context()
	col, err := c.Collection(ctx, slug)
	if err != nil || col.ContractAddress != strings.ToLower(collection(t, w).Address.Hex()) {
		t.Fatalf("%+v, %v", col, err)
	}
	want, err := w.Listings(ctx, slug)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{false, true} {
		page, err := c.Listings(ctx, market.ListQuery{Slug: slug, All: all})
		if err != nil || len(page.Listings) != 12 || len(page.Listings) != len(want) || len(page.Skipped) > 0 || page.More {
			t.Fatalf("all=%v: %d of %d listings, skipped %+v, %v", all, len(page.Listings), len(want), page.Skipped, err)
		}
		hashes := map[string]market.Listing{}
		for _, l := range page.Listings {
			hashes[l.OrderHash] = l
		}
		for _, o := range want {
			l := hashes[strings.ToLower(o.Hash.Hex())]
			if l.Price != o.Price || l.Considered != o.Price || l.TokenID != o.TokenID.String() || l.ExpiresAt.Unix() != o.Components.EndTime.Int64() {
				t.Errorf("listing %+v for order %+v", l, o)
			}
		}
	}
	checkFulfillment(t, w, c)
}

func checkFulfillment(t *testing.T, w *sandbox.World, c *market.Client) {
	t.Helper()
	cheapest, err := w.Cheapest(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.BestListing(t.Context(), slug, "", cheapest.TokenID.String())
	if err != nil || l.OrderHash != strings.ToLower(cheapest.Hash.Hex()) {
		t.Fatalf("%+v, %v", l, err)
	}
	request := market.FulfillRequest{OrderHash: l.OrderHash, Protocol: l.ProtocolAddress, Fulfiller: w.Buyer().Address().Hex()}
	for _, spelling := range []string{"", "string-numbers", "hex-numbers", "advanced", "plain-order", "attribution"} {
		w.ClearFaults()
		if spelling != "" {
			fail(t, w, spelling)
		}
		f, err := c.Fulfillment(t.Context(), request)
		if err != nil || f.Value != l.Price || f.To != l.ProtocolAddress || f.ChainID != w.ChainID() || (len(f.Suffix) == 4) != (spelling == "attribution") {
			t.Errorf("%s: %+v, %v", spelling, f, err)
		}
	}
	w.ClearFaults()
	fail(t, w, "gone")
	if _, err := c.Fulfillment(t.Context(), request); err == nil {
		t.Error("an order that is gone has a fulfilment")
	}
}

func fail(t *testing.T, w *sandbox.World, spec string) {
	t.Helper()
	if err := w.SetFault(spec); err != nil {
		t.Fatal(err)
	}
}

func TestOddListingsOfTheSandboxAreSetAside(t *testing.T) {
	w, c := start(t)
	for spec, reason := range map[string]string{
		"wape": "WAPE", "six-decimals": "currency", "erc1155": "", "dutch": "auction", "english": "auction", "private": "private",
		"restricted": "unknown zone", "inactive": "status", "low-price": "less than its payments", "other-contract": "asset contract",
		"flat-price": "", "high-price": "", "no-signature": "",
	} {
		w.ClearFaults()
		fail(t, w, spec)
		page, err := c.Listings(t.Context(), market.ListQuery{Slug: slug})
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		tolerated := spec == "flat-price" || spec == "high-price" || spec == "no-signature"
		if tolerated {
			if len(page.Listings) != 12 || len(page.Skipped) > 0 {
				t.Errorf("%s: %d listings, skipped %+v", spec, len(page.Listings), page.Skipped)
			}
			continue
		}
		if len(page.Listings) > 0 || len(page.Skipped) != 12 || !strings.Contains(page.Skipped[0].Reason, reason) {
			t.Errorf("%s: %d listings, skipped %+v", spec, len(page.Listings), page.Skipped)
		}
	}
}

func TestServerFaultsOfTheSandbox(t *testing.T) {
	w, _ := start(t)
	for spec, code := range map[string]fault.Code{
		"rate-limit=3600": fault.Upstream, "rate-limit-bare": fault.Upstream, "status=500": fault.Upstream, "status=599": fault.Upstream, "html": fault.Upstream,
		"truncated": fault.Upstream, "reset": fault.Upstream, "bad-key": fault.Auth, "repeated-cursor": fault.Upstream,
	} {
		w.ClearFaults()
		c := client(t, w) // which knows of no wait that another fault asked for
		fail(t, w, spec)
		_, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Limit: 1, All: true})
		if fault.CodeOf(err) != code {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
