package market

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// pageSize is the most OpenSea gives.
const pageSize = 200

// Listings reads pages until the limit is reached, the pages end, a bound is
// reached or, in the cheapest-first order, a page is past the price limit. A query
// for one token asks for that token's best listing alone, unless All is set.
func (c *Client) Listings(ctx context.Context, q ListQuery) (Page, error) {
	at, err := c.target(ctx, &q)
	if err != nil {
		return Page{}, err
	}
	col := newCollector(c.rules, q, at.contract)
	if q.TokenID != "" && !q.All {
		raw, err := c.best(ctx, at.slug, q.TokenID)
		if err != nil {
			return Page{}, err
		}
		if raw != nil {
			col.add([]json.RawMessage{raw})
		}
		col.page.Pages = 1
		return col.finish(), nil
	}
	if err := c.pages(ctx, col, at.slug); err != nil {
		return Page{}, err
	}
	return col.finish(), nil
}

func checkQuery(q ListQuery) error {
	if err := checkSlug(q.Slug); err != nil {
		return err
	}
	if q.TokenID != "" {
		return checkToken(q.TokenID)
	}
	return nil
}

// pages reads the pages of a collection's listings. What ends them is the
// marketplace's to say, so each of its ways to say nothing for ever has a bound.
func (c *Client) pages(ctx context.Context, col *collector, slug string) error {
	order, size := "best", min(col.q.Limit, pageSize)
	if col.q.All {
		order = "all"
	}
	if col.q.All || !col.q.MaxPrice.IsZero() || col.q.TokenID != "" || col.q.OnePerToken {
		size = pageSize
	}
	query := url.Values{"limit": {strconv.Itoa(size)}}
	cursors, bytes, start := map[string]bool{}, int64(0), c.clock()
	for {
		b, err := c.get(ctx, doingListings, c.listingsAt(slug, order, query))
		if isStatus(err, http.StatusNotFound) {
			return c.noCollection(err, slug)
		}
		if err != nil {
			return err
		}
		raws, next, err := parsePage(b)
		if err != nil {
			return unusable(err, doingListings, c.Name())
		}
		past := col.add(raws)
		col.page.Pages++
		bytes += int64(len(b))
		switch {
		case next == "":
			return nil
		case cursors[next]:
			return unusable(errors.New("it repeats a page cursor"), doingListings, c.Name())
		case !col.q.All && past:
			return nil
		case !col.q.All && col.full():
			col.page.More = true
			return nil
		case col.page.Pages >= c.maxPages:
			return col.stop("after %d pages", col.page.Pages)
		case bytes >= c.maxBytes:
			return col.stop("after %d bytes of listings", bytes)
		case c.clock().Sub(start) >= c.maxTime:
			return col.stop("after %s", c.maxTime)
		}
		cursors[next] = true
		query.Set("next", next)
	}
}

// stop ends a query before the pages do. What was read is good.
func (c *collector) stop(format string, args ...any) error {
	c.page.More, c.page.Stopped = true, fmt.Sprintf(format, args...)
	return nil
}

// best returns the raw best listing of a token, nil when there is none.
func (c *Client) best(ctx context.Context, slug, tokenID string) (json.RawMessage, error) {
	b, err := c.get(ctx, doingListings, c.bestAt(slug, tokenID))
	if isStatus(err, http.StatusNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := decode(b, &fields); err != nil {
		return nil, unusable(err, doingListings, c.Name())
	}
	// Some answers say "none" with an empty object.
	if len(fields) == 0 {
		return nil, nil
	}
	return b, nil
}
