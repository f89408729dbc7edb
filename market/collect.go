package market

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// collector judges raw listings and keeps those that a query asks for.
type collector struct {
	rules    Rules
	q        ListQuery
	contract string
	seen     map[string]bool // order hashes, and of what was set aside: pages shift while they are read
	byToken  map[string]int  // places in page.Listings, for OnePerToken
	page     Page
}

func newCollector(r Rules, q ListQuery, contract string) *collector {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	q.Limit = min(q.Limit, MaxLimit)
	return &collector{rules: r, q: q, contract: contract, seen: map[string]bool{}, byToken: map[string]int{}}
}

// add judges one page. It reports whether the page shows that later pages of a
// cheapest-first order hold nothing for the query: it was in that order, and its
// last listing is over the price limit.
func (c *collector) add(raws []json.RawMessage) (past bool) {
	var last Listing
	ascending := true
	for _, raw := range raws {
		c.page.Read++
		l, skip := c.rules.judge(raw, c.q.Slug, c.contract, c.page.Read)
		if skip != nil {
			c.skip(*skip)
			continue
		}
		if l.Price.Cmp(last.Price) < 0 {
			ascending = false
		}
		last = l
		if c.seen[l.OrderHash] || c.q.TokenID != "" && l.TokenID != c.q.TokenID || c.over(l) {
			continue
		}
		c.seen[l.OrderHash] = true
		c.keep(l)
	}
	return ascending && last.OrderHash != "" && c.over(last)
}

// keep adds a listing, or puts it in the place of a dearer one of the same token.
func (c *collector) keep(l Listing) {
	i, have := c.byToken[l.TokenID]
	switch {
	case !c.q.OnePerToken || !have:
		c.byToken[l.TokenID] = len(c.page.Listings)
		c.page.Listings = append(c.page.Listings, l)
	case compareListings(l, c.page.Listings[i]) < 0:
		c.page.Listings[i] = l
	}
}

func (c *collector) skip(s Skip) {
	if key := "skipped " + s.ID; c.seen[key] {
		return
	} else if !strings.HasPrefix(s.ID, "#") {
		c.seen[key] = true
	}
	if c.q.TokenID != "" && s.TokenID != "" && s.TokenID != c.q.TokenID {
		return
	}
	c.page.Skipped = append(c.page.Skipped, s)
}

func (c *collector) over(l Listing) bool {
	return !c.q.MaxPrice.IsZero() && l.Price.Cmp(c.q.MaxPrice) > 0
}

func (c *collector) full() bool { return len(c.page.Listings) >= c.q.Limit }

// finish sorts and cuts.
func (c *collector) finish() Page {
	slices.SortFunc(c.page.Listings, compareListings)
	if len(c.page.Listings) > c.q.Limit {
		c.page.Listings, c.page.More = c.page.Listings[:c.q.Limit], true
	}
	return c.page
}

// compareListings orders by exact price, then by token id as a number.
func compareListings(a, b Listing) int {
	return cmp.Or(
		a.Price.Cmp(b.Price),
		cmp.Compare(len(a.TokenID), len(b.TokenID)),
		cmp.Compare(a.TokenID, b.TokenID),
		cmp.Compare(a.OrderHash, b.OrderHash),
	)
}

// pick returns the listing of a best-listing answer for one token, or why there
// is none.
func (r Rules) pick(raw json.RawMessage, slug, contract, tokenID string) (Listing, *Skip) {
	l, skip := r.judge(raw, slug, contract, 1)
	if skip == nil && l.TokenID != tokenID {
		skip = &Skip{ID: l.OrderHash, TokenID: l.TokenID, Reason: "it is for another token"}
	}
	return l, skip
}

// collection turns a marketplace's collection into ours: the one contract on our
// chain, whatever place it has in the list.
func (r Rules) collection(b []byte, slug string) (Collection, error) {
	var w collectionJSON
	if err := decode(b, &w); err != nil {
		return Collection{}, err
	}
	if w.Slug != slug {
		return Collection{}, fmt.Errorf("it is about collection %s", quoted(w.Slug))
	}
	out := Collection{Name: fault.Excerpt(w.Name, maxName), Slug: slug, Enabled: !w.IsDisabled}
	if out.Name == "" {
		out.Name = slug
	}
	for _, c := range w.Contracts {
		if c.Chain != r.Chain {
			continue
		}
		a, ok := address(c.Address)
		switch {
		case !ok || isZeroHex(a):
			return Collection{}, fmt.Errorf("its contract %s is no address", quoted(c.Address))
		case out.ContractAddress != "" && out.ContractAddress != a:
			return Collection{}, fault.New(fault.NotFound, "collection %s has more than one contract on %s", slug, r.Chain).
				Hintf("name the one you mean in the allowlist")
		}
		out.ContractAddress = a
	}
	if out.ContractAddress == "" {
		return Collection{}, fault.New(fault.NotFound, "collection %s has no contract on %s", slug, r.Chain).
			Hintf("is it a collection of another chain?")
	}
	return out, nil
}

// noListing is the not_found of one token, with why its listing was set aside.
func noListing(slug, tokenID string, skip *Skip) *fault.Error {
	e := fault.New(fault.NotFound, "no live listing found for %s #%s", slug, tokenID)
	if skip != nil {
		e.Message += ": the best one can't be used: " + skip.Reason
		e = e.With("skipped", *skip)
	}
	return e.Hintf("ape-claw market listings --collection %s shows what is for sale", slug)
}

// unusable makes an upstream fault of an answer that can't be used; a fault
// stays itself.
func unusable(err error, what, where string) *fault.Error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	return fault.Wrap(err, fault.Upstream, "%s failed: the answer of %s can't be used: %s", what, where, err).
		Hintf("try again; if it stays so, this version does not understand the marketplace").WithSent(fault.SentNo)
}
