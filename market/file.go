package market

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The kinds of data source.
const (
	sourceAPI  = "opensea"
	sourceFile = "file"
	filePrefix = sourceFile + ":"
)

// DefaultFile is the data file's name in the home, where a policy asks for a file
// and nothing says which.
const DefaultFile = "market.json"

// maxFile is the largest data file: enough for any test, and no trap.
const maxFile = 64 << 20

// ParseDataSource reads the setting market.dataSource: "opensea" or "" is the
// API, "file:<path>" a JSON file (see File), and path is then not empty. "file"
// alone, as a policy has it, is fallback; without one it is an error.
func ParseDataSource(s, fallback string) (path string, err error) {
	if s == "" || s == sourceAPI {
		return "", nil
	}
	if s == sourceFile && fallback != "" {
		return fallback, nil
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
// All three are optional; another key, and a key or a collection that comes twice,
// are errors, which name line and column. The file is read once.
type File struct {
	rules        Rules
	name         string
	slugs        map[string]string
	collections  map[string]part
	listings     map[string][]part
	fulfillments map[string]part
}

// part is a value in the file.
type part struct {
	raw json.RawMessage
	at  place
}

// OpenFile reads a data file. A missing file is not_found, a wrong one usage.
// Relative paths are of the working directory; links are followed, as by any
// program that reads a file it is pointed at.
func OpenFile(path string, rules Rules) (*File, error) {
	if rules.Now == nil {
		return nil, errors.New("market: Rules.Now is required")
	}
	name := store.Display(path)
	b, err := readFile(path)
	if err != nil {
		return nil, fileFault(err, name)
	}
	f := &File{rules: rules, name: name, collections: map[string]part{}, listings: map[string][]part{}, fulfillments: map[string]part{}}
	if err := f.parse(b); err != nil {
		return nil, badFile(err, name)
	}
	return f, nil
}

// WithSlugs returns f with the marketplace's slugs of collections that the
// allowlist calls otherwise, as Options.Slugs.
func (f *File) WithSlugs(slugs map[string]string) *File {
	g := *f
	g.slugs = slugs
	return &g
}

func readFile(path string) (b []byte, err error) {
	// Not waiting for a writer, should it be a fifo; what it is is asked of the
	// open file, which nobody can swap.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// A device would hang or never end.
	if !fi.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	b, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		return nil, errors.New("it is larger than 64 MiB")
	}
	return b, err
}

func fileFault(err error, name string) *fault.Error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.NotFound, "market data file %s does not exist", name).
			Hintf("relative paths are of the working directory; its shape is described in docs/configuration.md")
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

func (f *File) theirs(slug string) string {
	if s := f.slugs[slug]; ValidSlug(s) {
		return s
	}
	return slug
}

// Collection returns the collection of a slug.
func (f *File) Collection(_ context.Context, slug string) (Collection, error) {
	if err := checkSlug(slug); err != nil {
		return Collection{}, err
	}
	p, ok := f.collections[f.theirs(slug)]
	if !ok {
		return Collection{}, f.noCollection(slug)
	}
	c, err := f.rules.collection(p.raw, f.theirs(slug))
	if err != nil {
		return Collection{}, unusable(p.at.of(err), doingCollection, f.Name())
	}
	c.Slug = slug
	return c, nil
}

func (f *File) noCollection(slug string) error {
	return fault.New(fault.NotFound, "%s has no collection %s", f.Name(), slug)
}

// Listings judges all listings of the collection.
func (f *File) Listings(ctx context.Context, q ListQuery) (Page, error) {
	if err := checkQuery(q); err != nil {
		return Page{}, err
	}
	contract, err := f.contract(ctx, q)
	if err != nil {
		return Page{}, err
	}
	col := newCollector(f.rules, q, contract)
	col.page.Pages = 1
	for _, p := range f.listings[f.theirs(q.Slug)] {
		n := len(col.page.Skipped)
		col.add([]json.RawMessage{p.raw})
		for i := range col.page.Skipped[n:] {
			col.page.Skipped[n+i].Reason = p.at.String() + ": " + col.page.Skipped[n+i].Reason
		}
	}
	return col.finish(), nil
}

// contract returns what the query's listings must be of. As at the API, a
// collection that the file describes must be the contract that is asked for.
func (f *File) contract(ctx context.Context, q ListQuery) (string, error) {
	_, described := f.collections[f.theirs(q.Slug)]
	if _, listed := f.listings[f.theirs(q.Slug)]; !described && !listed {
		return "", f.noCollection(q.Slug)
	}
	if q.Contract == "" {
		c, err := f.Collection(ctx, q.Slug)
		return c.ContractAddress, err
	}
	want, err := checkAddress("contract", q.Contract)
	if err != nil || !described {
		return want, err
	}
	c, err := f.Collection(ctx, q.Slug)
	if err == nil && c.ContractAddress != want {
		return "", otherContract(f.Name(), q.Slug, f.rules.Chain, want, c.ContractAddress)
	}
	return want, err
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
	p, ok := f.fulfillments[r.OrderHash]
	if !ok {
		return Fulfillment{}, noOrder(nil, r.OrderHash)
	}
	out, err := parseFulfillment(p.raw)
	if err != nil {
		return Fulfillment{}, unusable(p.at.of(err), doingFulfill, f.Name())
	}
	return out, nil
}
