package market

import (
	"context"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Event types that the operations emit.
const (
	EventCollectionsRead = "market.collections.read"
	EventListingsRead    = "market.listings.read"
	EventListingsFailed  = "market.listings.failed"
)

// What is listed at most, so that an event stays small and an answer readable.
const (
	maxInEvent    = 20
	maxSkippedOut = 50
)

// Recorder records events; a telemetry.Recorder is one.
type Recorder interface {
	Record(ctx context.Context, d telemetry.Draft) error
}

// Allowlist knows the collections that may be bought; a policy.Allowlist is one.
type Allowlist interface {
	Entries() []policy.Entry
	Resolve(query string) (policy.Entry, error)
}

// CollectionsIn is the input of market collections.
type CollectionsIn struct {
	Recommended bool   `json:"recommended" ai:"expose" help:"only collections that may be bought"`
	Query       string `json:"query" ai:"expose" maxlen:"100" help:"only those whose name or slug contains this text"`
}

// CollectionsOut is its result.
type CollectionsOut struct {
	Count       int          `json:"count"`
	Collections []Collection `json:"collections"`
	Source      string       `json:"source"` // always "allowlist"
}

// Collections lists the collections of the allowlist.
func Collections(ctx context.Context, list Allowlist, rec Recorder, in CollectionsIn) (CollectionsOut, error) {
	out := CollectionsOut{Collections: []Collection{}, Source: "allowlist"}
	query := strings.ToLower(strings.TrimSpace(in.Query))
	for _, e := range list.Entries() {
		if in.Recommended && (!e.Enabled || e.ContractAddress == "") {
			continue
		}
		if strings.Contains(strings.ToLower(e.Name), query) || strings.Contains(e.Slug, query) {
			out.Collections = append(out.Collections, Collection{Name: e.Name, Slug: e.Slug, ContractAddress: e.ContractAddress, Enabled: e.Enabled})
		}
	}
	out.Count = len(out.Collections)
	return out, rec.Record(ctx, telemetry.Draft{
		Type:    EventCollectionsRead,
		Payload: map[string]any{"query": fault.Excerpt(in.Query, maxName), "recommended": in.Recommended},
		Result:  map[string]any{"count": out.Count, "collections": first(out.Collections, maxInEvent), "source": out.Source},
	})
}

// ListingsIn is the input of market listings.
type ListingsIn struct {
	Collection string `json:"collection" ai:"expose" maxlen:"100" help:"slug, name or contract address" required:"true" complete:"collections"`
	TokenID    string `json:"tokenId" ai:"expose" kind:"tokenId" help:"only listings of this token id"`
	MaxPrice   string `json:"maxPrice" ai:"expose" kind:"decimal" help:"only listings of at most this price in APE"`
	Limit      int    `json:"limit" ai:"expose" max:"1000" help:"most listings shown, at most 1000" default:"50"`
	PerToken   bool   `json:"perToken" ai:"expose" help:"only the cheapest listing of each token"`
	All        bool   `json:"all" ai:"expose" help:"read all active listings (slower), not only the marketplace's cheapest"`
}

// ListingsOut is its result, cheapest first.
type ListingsOut struct {
	Count        int       `json:"count"`
	Listings     []Listing `json:"listings"`
	Collection   string    `json:"collection"` // slug
	More         bool      `json:"more"`       // the marketplace has more than was read
	SkippedCount int       `json:"skippedCount"`
	Skipped      []Skip    `json:"skipped"` // set aside and why; the first 50
	// SkippedReasons counts what was set aside by its reason, the commonest first.
	SkippedReasons []SkipCount `json:"skippedReasons"`
	Pages          int         `json:"pages"`             // pages read
	Read           int         `json:"read"`              // listings on them, of any kind and price
	Stopped        string      `json:"stopped,omitempty"` // why reading ended before the pages did
	Source         string      `json:"source"`
}

// SkipCount is how many listings were set aside for one reason.
type SkipCount struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// countSkips groups by reason; at most 20 groups.
func countSkips(skipped []Skip) []SkipCount {
	at, out := map[string]int{}, []SkipCount{}
	for _, s := range skipped {
		i, ok := at[s.Reason]
		if !ok {
			i = len(out)
			at[s.Reason] = i
			out = append(out, SkipCount{Reason: s.Reason})
		}
		out[i].Count++
	}
	slices.SortStableFunc(out, func(a, b SkipCount) int { return b.Count - a.Count })
	return first(out, maxInEvent)
}

// Listings reads live listings. The collection need not be on the allowlist when
// it is named by its slug: looking is free.
func Listings(ctx context.Context, src Source, list Allowlist, rec Recorder, in ListingsIn) (ListingsOut, error) {
	q, err := in.query()
	if err != nil {
		return ListingsOut{}, err
	}
	page, err := lookUp(ctx, src, list, in.Collection, &q)
	payload := map[string]any{"collection": fault.Excerpt(in.Collection, maxName), "limit": q.Limit}
	if q.TokenID != "" {
		payload["tokenId"] = q.TokenID
	}
	if in.MaxPrice != "" {
		payload["maxPrice"] = q.MaxPrice.JSON(units.APEDecimals)
	}
	if err != nil {
		f := fault.From(err)
		result := map[string]any{"error": f.Message, "code": f.Code}
		if status, ok := f.Details["status"]; ok {
			result["status"] = status
		}
		// Also when cancelled. If this fails too, the error that matters is the first.
		_ = rec.Record(context.WithoutCancel(ctx), telemetry.Draft{
			Type: EventListingsFailed, Payload: payload, Result: result, Err: f.Message,
		})
		return ListingsOut{}, err
	}
	out := ListingsOut{
		Count: len(page.Listings), Listings: first(page.Listings, MaxLimit), Collection: q.Slug, More: page.More,
		SkippedCount: len(page.Skipped), Skipped: first(page.Skipped, maxSkippedOut), SkippedReasons: countSkips(page.Skipped),
		Pages: page.Pages, Read: page.Read, Stopped: page.Stopped, Source: src.Name(),
	}
	return out, rec.Record(ctx, telemetry.Draft{
		Type: EventListingsRead, Payload: payload,
		Result: map[string]any{
			"count": out.Count, "listings": first(out.Listings, maxInEvent), "skipped": first(out.Skipped, maxInEvent), "source": out.Source,
			"pages": out.Pages, "read": out.Read, "more": out.More,
		},
	})
}

// query checks the input. Its faults are usage: nothing has been asked yet.
func (in ListingsIn) query() (ListQuery, error) {
	q := ListQuery{TokenID: in.TokenID, Limit: in.Limit, All: in.All, OnePerToken: in.PerToken}
	if in.Collection == "" {
		return q, fault.New(fault.Usage, "--collection is missing").Hintf("ape-claw market collections lists them")
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 0 || q.Limit > MaxLimit {
		return q, fault.New(fault.Usage, "--limit %d is not between 1 and %d", in.Limit, MaxLimit)
	}
	if q.TokenID != "" {
		if err := checkToken(q.TokenID); err != nil {
			return q, err
		}
	}
	if in.MaxPrice == "" {
		return q, nil
	}
	price, err := units.Parse(in.MaxPrice, units.APEDecimals)
	if err != nil {
		return q, err
	}
	if price.IsZero() {
		return q, fault.New(fault.Usage, "--max-price 0 lets no listing through").Hintf("leave it away for no limit")
	}
	q.MaxPrice = price
	return q, nil
}

// lookUp finds the collection and reads its listings.
func lookUp(ctx context.Context, src Source, list Allowlist, name string, q *ListQuery) (Page, error) {
	entry, notListed := list.Resolve(name)
	switch {
	case notListed == nil:
		q.Slug, q.Contract = entry.Slug, entry.ContractAddress
	case fault.CodeOf(notListed) == fault.CollectionNotAllowed && ValidSlug(name) && !strings.HasPrefix(name, "0x"):
		q.Slug = name
	default:
		return Page{}, notListed
	}
	page, err := src.Listings(ctx, *q)
	if fault.CodeOf(err) == fault.NotFound && notListed != nil {
		// The allowlist knows names that are nearly this one.
		f := *fault.From(err)
		return Page{}, f.Hintf("%s", fault.From(notListed).Hint)
	}
	return page, err
}

// first returns at most n of s, never nil: JSON shows [] for nothing.
func first[T any](s []T, n int) []T {
	return append([]T{}, s[:min(len(s), n)]...)
}
