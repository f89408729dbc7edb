package market_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func openFile(t *testing.T, path string) *market.File {
	t.Helper()
	f, err := market.OpenFile(path, market.ApeChain(now))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFileAnswersAsTheAPIDoes(t *testing.T) {
	t.Parallel()
	f := openFile(t, "testdata/market.json")
	c, _ := serving(t, map[string]string{
		collectionPath:                `{"collection":"demo-apes","name":"Demo Apes","contracts":[{"address":"` + contract + `","chain":"ape_chain"}]}`,
		listingsPath + "/best":        page(t, "", listing(t)),
		listingsPath + "/nfts/3/best": toJSON(t, listing(t)),
		fulfillPath:                   toJSON(t, sample(t, "fulfillment.json")),
	})
	answers := func(s market.Source) (out []string) {
		col, err := s.Collection(t.Context(), slug)
		out = append(out, toJSON(t, []any{col, err}))
		page, err := s.Listings(t.Context(), market.ListQuery{Slug: slug, MaxPrice: wei(t, "12500000000000000000")})
		out = append(out, toJSON(t, []any{page.Listings, err}))
		best, err := s.BestListing(t.Context(), slug, contract, "3")
		out = append(out, toJSON(t, []any{best, err}))
		f, err := s.Fulfillment(t.Context(), fulfillRequest())
		f.InputData, f.Orders = nil, nil
		return append(out, toJSON(t, []any{f, err}))
	}
	file, api := answers(f), answers(c)
	for i := range file {
		if file[i] != api[i] {
			t.Errorf("file %s\napi  %s", file[i], api[i])
		}
	}
	if f.Name() != "file:testdata/market.json" {
		t.Errorf("name %q", f.Name())
	}
}

func TestFileFindsNothing(t *testing.T) {
	t.Parallel()
	f := openFile(t, "testdata/market.json")
	_, err := f.Collection(t.Context(), "other")
	wantFault(t, err, fault.NotFound, "no collection other")
	_, err = f.Listings(t.Context(), market.ListQuery{Slug: "other"})
	wantFault(t, err, fault.NotFound)
	_, err = f.BestListing(t.Context(), slug, contract, "77")
	wantFault(t, err, fault.NotFound, "no live listing found for demo-apes #77")
	_, err = f.BestListing(t.Context(), slug, "", "4")
	wantFault(t, err, fault.NotFound, "no live listing found", "WAPE")
	r := fulfillRequest()
	r.OrderHash = "0x" + orderHash[4:] + "00"
	_, err = f.Fulfillment(t.Context(), r)
	wantFault(t, err, fault.NotFound, "not for sale")
	for _, bad := range []string{"", "a/b", ".."} {
		_, err = f.Collection(t.Context(), bad)
		wantFault(t, err, fault.Usage)
		_, err = f.BestListing(t.Context(), bad, contract, "1")
		wantFault(t, err, fault.Usage)
	}
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		text string
		want string
	}{
		"empty.json":   {"", "it is empty"},
		"cut.json":     {`{"listings":{`, "cut off"},
		"list.json":    {"[]", "wrong type"},
		"unknown.json": {`{"listing":{}}`, `unknown key "listing"`},
		"type.json":    {`{"listings":[]}`, "wrong type"},
		"hash.json":    {`{"fulfillments":{"0x12":{}}}`, "no order hash"},
		"junk.json":    {`{} x`, "no valid JSON"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := market.OpenFile(path, market.ApeChain(now))
		wantFault(t, err, fault.Usage, name, tt.want)
	}
	_, err := market.OpenFile(filepath.Join(dir, "missing.json"), market.ApeChain(now))
	wantFault(t, err, fault.NotFound, "missing.json does not exist")
	_, err = market.OpenFile(dir, market.ApeChain(now))
	wantFault(t, err, fault.Usage, "no regular file")
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = market.OpenFile(fifo, market.ApeChain(now))
	wantFault(t, err, fault.Usage, "no regular file")
}

func TestParseDataSource(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "opensea": "", "file:a/b.json": "a/b.json", "file:/x": "/x"} {
		if got, err := market.ParseDataSource(in); err != nil || got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, bad := range []string{"file:", "file", "OpenSea", "https://x", "a\nb"} {
		_, err := market.ParseDataSource(bad)
		wantFault(t, err, fault.Usage, "data source")
	}
}
