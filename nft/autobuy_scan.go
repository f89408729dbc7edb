package nft

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// scanWorkers bounds how many collections are read at once. The marketplace's own
// pace is kept underneath: more would only wait there.
const scanWorkers = 4

// Scanned is a collection that was looked at.
type Scanned struct {
	Collection      string     `json:"collection"`
	ContractAddress string     `json:"contractAddress"`
	Listings        int        `json:"listings"`
	SetAside        int        `json:"setAside"`          // what is no plain sale in the native token
	Example         string     `json:"example,omitempty"` // why one of them was set aside
	More            bool       `json:"more"`              // the marketplace has more than was read
	Code            fault.Code `json:"code,omitempty"`    // when it could not be read
	Error           string     `json:"error,omitempty"`
}

// candidate is a listing that may be chosen.
type candidate struct {
	entry   policy.Entry
	listing market.Listing
	source  string
}

// scan reads the listings of the collections, several at once. One that can't be
// read is told in its place; when none can, that is the error.
func (s *Service) scan(ctx context.Context, entries []policy.Entry, c Constraints) ([]candidate, []Scanned, error) {
	m, err := s.d.Market(ctx)
	if err != nil {
		return nil, nil, err
	}
	pages, errs := make([]market.Page, len(entries)), make([]error, len(entries))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(scanWorkers, len(entries)) {
		workers.Go(func() {
			for i := range next {
				pages[i], errs[i] = m.Listings(ctx, query(entries[i], c))
				s.tellScanned(entries[i], pages[i], errs[i])
			}
		})
	}
	for i := range entries {
		next <- i
	}
	close(next)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, fault.Wrap(err, fault.Canceled, "canceled while listings were read").WithSent(fault.SentNo)
	}
	var found []candidate
	out, failed := make([]Scanned, 0, len(entries)), 0
	for i, e := range entries {
		row := Scanned{Collection: e.Slug, ContractAddress: e.ContractAddress}
		if errs[i] != nil {
			f := fault.From(errs[i])
			row.Code, row.Error, failed = f.Code, f.Message, failed+1
			out = append(out, row)
			continue
		}
		row.Listings, row.SetAside, row.More = len(pages[i].Listings), len(pages[i].Skipped), pages[i].More
		if row.SetAside > 0 {
			row.Example = pages[i].Skipped[0].Reason
		}
		out = append(out, row)
		found = append(found, within(pages[i].Listings, e, m.Name(), c)...)
	}
	if failed == len(entries) {
		f := *fault.From(errs[0])
		return nil, nil, f.With("scanned", out)
	}
	slices.SortFunc(found, compareCandidates)
	return found, out, nil
}

// query asks for the cheapest listings of a collection. A least price is nothing
// that a marketplace can be asked for: all up to the highest price are read then,
// so that cheap listings don't hide those that are wanted.
func query(e policy.Entry, c Constraints) market.ListQuery {
	q := market.ListQuery{Slug: e.Slug, Contract: e.ContractAddress, Limit: c.Scan}
	if !c.MinPriceWei.IsZero() {
		q.MaxPrice, q.Limit = c.MaxPriceWei, market.MaxLimit
	}
	return q
}

// within returns the candidates of a page: those under the least price, which are
// told as such, and of the others no more than are to be looked at.
func within(ls []market.Listing, e policy.Entry, source string, c Constraints) []candidate {
	var out []candidate
	n := 0
	for _, l := range ls {
		if l.Price.Cmp(c.MinPriceWei) >= 0 {
			if n++; n > c.Scan {
				break
			}
		}
		out = append(out, candidate{e, l, source})
	}
	return out
}

func (s *Service) tellScanned(e policy.Entry, p market.Page, err error) {
	switch {
	case err != nil:
		s.d.Progress("%s: %s", e.Slug, fault.From(err).Message)
	case len(p.Listings) == 0:
		s.d.Progress("%s: no listing", e.Slug)
	default:
		s.d.Progress("%s: %s, from %s APE", e.Slug, counted(len(p.Listings), "listing"), p.Listings[0].Price.Decimal(units.APEDecimals))
	}
}

// compareCandidates orders by exact price, then by contract and token id.
func compareCandidates(a, b candidate) int {
	return cmp.Or(
		a.listing.Price.Cmp(b.listing.Price),
		cmp.Compare(a.entry.ContractAddress, b.entry.ContractAddress),
		cmp.Compare(len(a.listing.TokenID), len(b.listing.TokenID)),
		cmp.Compare(a.listing.TokenID, b.listing.TokenID),
		cmp.Compare(a.listing.OrderHash, b.listing.OrderHash),
	)
}
