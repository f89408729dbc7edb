package market

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// filePrefix starts a data source that is a file.
const filePrefix = "file:"

// maxFile is the largest data file: enough for any test, and no trap.
const maxFile = 64 << 20

// ParseDataSource reads the setting market.dataSource: "opensea" or "" is the
// API, "file:<path>" a JSON file (see File), and path is then not empty.
func ParseDataSource(s string) (path string, err error) {
	if s == "" || s == "opensea" {
		return "", nil
	}
	path, ok := strings.CutPrefix(s, filePrefix)
	if !ok || path == "" {
		return "", fault.New(fault.Usage, "data source %s names no file: expected opensea or file:<path>", quoted(s)).
			Hintf("for example --data-source file:testdata/market.json")
	}
	return path, nil
}

// File is a marketplace in a JSON file, for CI and for trying things out without
// an account. Its parts have the shapes of OpenSea's API, so that answers of the
// API can be pasted, and they are judged by the same rules:
//
//	{
//	  "collections":  [ <answer of GET /api/v2/collections/{slug}>, … ],
//	  "listings":     { "<slug>": [ <listing>, … ], … },
//	  "fulfillments": { "<order hash>": <answer of POST /api/v2/listings/fulfillment_data>, … }
//	}
//
// All three are optional; another key is an error. The file is read once.
type File struct {
	rules        Rules
	name         string
	collections  map[string]json.RawMessage
	listings     map[string][]json.RawMessage
	fulfillments map[string]json.RawMessage
}

type fileJSON struct {
	Collections  []json.RawMessage            `json:"collections"`
	Listings     map[string][]json.RawMessage `json:"listings"`
	Fulfillments map[string]json.RawMessage   `json:"fulfillments"`
}

// OpenFile reads a data file. A missing file is not_found, a wrong one usage.
func OpenFile(path string, rules Rules) (*File, error) {
	if rules.Now == nil {
		return nil, errors.New("market: Rules.Now is required")
	}
	name := store.Display(path)
	b, err := readFile(path)
	if err != nil {
		return nil, fileFault(err, name)
	}
	var doc fileJSON
	if err := checkKeys(b); err != nil {
		return nil, badFile(err, name)
	}
	if err := decode(b, &doc); err != nil {
		return nil, badFile(err, name)
	}
	f := &File{rules: rules, name: name, collections: map[string]json.RawMessage{}, listings: doc.Listings, fulfillments: map[string]json.RawMessage{}}
	for _, raw := range doc.Collections {
		var c collectionJSON
		if err := decode(raw, &c); err != nil {
			return nil, badFile(err, name)
		}
		f.collections[c.Slug] = raw
	}
	for order, raw := range doc.Fulfillments {
		h, ok := hash(order)
		if !ok {
			return nil, badFile(errors.New("fulfillments has the key "+quoted(order)+", which is no order hash"), name)
		}
		f.fulfillments[h] = raw
	}
	return f, nil
}

func readFile(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	// A fifo or a device would hang or never end.
	if !fi.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	if fi.Size() > maxFile {
		return nil, errors.New("it is larger than 64 MiB")
	}
	return os.ReadFile(path)
}

// checkKeys refuses top-level keys that are not ours: a misspelt one would be an
// empty marketplace.
func checkKeys(b []byte) error {
	var doc map[string]json.RawMessage
	if err := decode(b, &doc); err != nil {
		return err
	}
	for key := range doc {
		if !slices.Contains([]string{"collections", "listings", "fulfillments"}, key) {
			return errors.New("it has the unknown key " + quoted(key))
		}
	}
	return nil
}

func fileFault(err error, name string) *fault.Error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.NotFound, "market data file %s does not exist", name)
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Usage, "market data file %s is not readable by this user", name)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return fault.Wrap(err, fault.Usage, "market data file %s can't be read", name)
	}
	return badFile(err, name)
}

func badFile(err error, name string) *fault.Error {
	return fault.Wrap(err, fault.Usage, "market data file %s: %s", name, err).
		Hintf("its shape is described in docs/configuration.md")
}

// Name returns the file's path as people may see it.
func (f *File) Name() string { return filePrefix + f.name }

// Collection returns the collection of a slug.
func (f *File) Collection(_ context.Context, slug string) (Collection, error) {
	if err := checkSlug(slug); err != nil {
		return Collection{}, err
	}
	raw, ok := f.collections[slug]
	if !ok {
		return Collection{}, fault.New(fault.NotFound, "%s has no collection %s", f.Name(), slug)
	}
	c, err := f.rules.collection(raw, slug)
	if err != nil {
		return Collection{}, unusable(err, doingCollection, f.Name())
	}
	return c, nil
}

// Listings judges all listings of the collection.
func (f *File) Listings(ctx context.Context, q ListQuery) (Page, error) {
	if err := checkQuery(q); err != nil {
		return Page{}, err
	}
	contract, err := f.contract(ctx, q.Slug, q.Contract)
	if err != nil {
		return Page{}, err
	}
	col := newCollector(f.rules, q, contract)
	col.add(f.listings[q.Slug])
	return col.finish(), nil
}

func (f *File) contract(ctx context.Context, slug, want string) (string, error) {
	if want != "" {
		return checkAddress("contract", want)
	}
	c, err := f.Collection(ctx, slug)
	return c.ContractAddress, err
}

// BestListing returns the cheapest usable listing of one token.
func (f *File) BestListing(ctx context.Context, slug, contract, tokenID string) (Listing, error) {
	if err := checkToken(tokenID); err != nil {
		return Listing{}, err
	}
	page, err := f.Listings(ctx, ListQuery{Slug: slug, Contract: contract, TokenID: tokenID, Limit: 1})
	if err != nil {
		return Listing{}, err
	}
	if len(page.Listings) > 0 {
		return page.Listings[0], nil
	}
	for _, s := range page.Skipped {
		if s.TokenID == tokenID {
			return Listing{}, noListing(slug, tokenID, &s)
		}
	}
	return Listing{}, noListing(slug, tokenID, nil)
}

// Fulfillment returns the fulfilment that the file holds for the order. It may be
// made for another buyer: that is for the caller's checks to find.
func (f *File) Fulfillment(_ context.Context, r FulfillRequest) (Fulfillment, error) {
	r, err := r.check()
	if err != nil {
		return Fulfillment{}, err
	}
	raw, ok := f.fulfillments[r.OrderHash]
	if !ok {
		return Fulfillment{}, noOrder(nil, r.OrderHash)
	}
	out, err := parseFulfillment(raw)
	if err != nil {
		return Fulfillment{}, unusable(err, doingFulfill, f.Name())
	}
	return out, nil
}
