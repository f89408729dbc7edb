package market_test

import (
	"os"
	"path/filepath"
	"strings"
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
	order := func(h string) string {
		return `{"fulfillments":{"` + h + `":{},
		"0x` + strings.ToUpper(h[2:]) + `":{}}}`
	}
	for name, tt := range map[string]struct {
		text string
		want string
	}{
		"empty.json":     {"", "it is empty"},
		"cut.json":       {`{"listings":{`, "cut off"},
		"list.json":      {"[]", "line 1, column 1: the file has the wrong type"},
		"unknown.json":   {"{\n  \"listing\": {}\n}", `line 2, column 3: it has the unknown key "listing"`},
		"type.json":      {`{"listings":[]}`, "line 1, column 13: listings has the wrong type; expected an object"},
		"collection":     {`{"collections": {}}`, "column 17: collections has the wrong type; expected a list"},
		"collections":    {"{\"collections\":\n[ 7 ]}", "line 2, column 3: a collection:"},
		"slug.json":      {`{"listings":{"A b":[]}}`, "no collection slug"},
		"slugs.json":     {`{"listings":{"a":[],"a":[]}}`, `column 21: key "a" comes twice`},
		"twice.json":     {"{\"collections\":[{\"collection\":\"a\"},\n {\"collection\":\"a\"}]}", `line 2, column 2: collection "a" comes twice`},
		"keys.json":      {`{"listings":{},"listings":{}}`, `key "listings" comes twice`},
		"entries.json":   {`{"listings":{"a":{}}}`, "listings of a has the wrong type"},
		"hash.json":      {`{"fulfillments":{"0x12":{}}}`, "no order hash"},
		"orders.json":    {order(orderHash), "comes twice"},
		"junk.json":      {"{}\n x", "line 2, column 3: it is no valid JSON"},
		"comma.json":     {"{\n\"listings\":{},\n}", "line 3"},
		"backwards.json": {"{\"\u202elistings\":{}}", "unknown key"},
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
	for in, want := range map[string]string{"": "", "opensea": "", "file:a/b.json": "a/b.json", "file:/x": "/x", "file": "home/market.json"} {
		if got, err := market.ParseDataSource(in, "home/market.json"); err != nil || got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, bad := range []string{"file:", "file", "OpenSea", "https://x", "a\nb"} {
		_, err := market.ParseDataSource(bad, "")
		wantFault(t, err, fault.Usage, "data source")
	}
}

// What a file says is judged as what the API says: by identity, and with the
// place of what is wrong.
func TestFileIsJudgedAsTheAPIIs(t *testing.T) {
	t.Parallel()
	const other = "0x8464000000000000000000000000000000001234"
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "market.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, wape := toJSON(t, listing(t)), toJSON(t, priced(t, 9, "4", "1000").set("price.current.currency", "WAPE"))
	f := openFile(t, write("\ufeff{\"listings\": {\"demo-apes\": [\n"+good+",\n\n  "+wape+",\n7]}}"))
	got, err := f.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
	if err != nil || len(got.Listings) != 1 || len(got.Skipped) != 2 || got.Read != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	if r := got.Skipped[0].Reason; r != `line 4, column 3: currency is "WAPE", not APE` {
		t.Errorf("reason %s", r)
	}
	if r := got.Skipped[1].Reason; !strings.HasPrefix(r, "line 5, column 1: malformed") {
		t.Errorf("reason %s", r)
	}
	f = openFile(t, write(`{"collections":[`+collectionJSON+`],"listings":{"demo-apes":[`+good+`]}}`))
	_, err = f.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: other})
	wantFault(t, err, fault.CollectionNotAllowed, contract, other, "nothing of it is read or bought")
	_, err = f.BestListing(t.Context(), slug, other, "3")
	wantFault(t, err, fault.CollectionNotAllowed)
	// The allowlist's name of it is another.
	got, err = f.WithSlugs(map[string]string{"apes": slug}).Listings(t.Context(), market.ListQuery{Slug: "apes", Contract: contract})
	if err != nil || len(got.Listings) != 1 || got.Listings[0].Collection != "apes" {
		t.Errorf("%+v, %v", got, err)
	}
	f = openFile(t, write(`{"fulfillments":{`+"\n"+`"`+orderHash+`": {"fulfillment_data":{"transaction":{"function":"f()","chain":1,"to":"0x12"}}}}}`))
	_, err = f.Fulfillment(t.Context(), fulfillRequest())
	wantFault(t, err, fault.Upstream, "line 2, column 71: its target")
}

func TestFileThroughALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, err := filepath.Abs("testdata/market.json")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "market.json")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if _, err := openFile(t, link).Collection(t.Context(), slug); err != nil {
		t.Error(err)
	}
	device := filepath.Join(dir, "device")
	if err := os.Symlink("/dev/zero", device); err != nil {
		t.Fatal(err)
	}
	_, err = market.OpenFile(device, market.ApeChain(now))
	wantFault(t, err, fault.Usage, "no regular file")
}
