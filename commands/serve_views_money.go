package commands

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// SpendView is what counts against the daily caps, of GET /api/spend.
type SpendView struct {
	OK   bool      `json:"ok"`
	At   time.Time `json:"at"` // the end of the 24 hours that are counted
	Caps []CapView `json:"caps"`
	Open int       `json:"open"` // transactions without an outcome: they count until they have one
	// Truncated: there are more caps than are shown.
	Truncated bool     `json:"truncated,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

// CapView is one daily cap. Amounts are exact: whole tokens, and base units in Wei.
type CapView struct {
	Name       string     `json:"name"`
	Currency   string     `json:"currency"`
	Subject    string     `json:"subject,omitempty"`
	Collection string     `json:"collection,omitempty"`
	Cap        string     `json:"cap"` // or "unlimited"
	Spent      string     `json:"spent"`
	Reserved   string     `json:"reserved"`
	Counts     string     `json:"counts"` // spent and reserved
	CountsWei  units.Wei  `json:"countsWei"`
	Left       string     `json:"left,omitempty"`
	LeftWei    *units.Wei `json:"leftWei,omitempty"`
}

func viewSpend(ctx context.Context, d *Deps, _ *http.Request) (any, error) {
	s, err := policySpend(ctx, d, PolicySpendIn{})
	if err != nil {
		return nil, err
	}
	out := SpendView{OK: true, At: s.At, Caps: []CapView{}, Open: len(s.Open), Truncated: len(s.Caps) > viewRows, Warnings: s.Warnings}
	for _, c := range s.Caps[:min(len(s.Caps), viewRows)] {
		out.Caps = append(out.Caps, CapView{c.Name, c.Currency, c.Subject, c.Collection, c.Cap, c.Settled, c.Reserved, c.Counts, c.CountsWei, c.Left, c.LeftWei})
	}
	return out, nil
}

// SpentTodayView is the published server's answer, with what it leaves open.
type SpentTodayView struct {
	OK            bool        `json:"ok"`
	SpentToday    json.Number `json:"spentToday"` // an exact decimal
	SpentTodayWei units.Wei   `json:"spentTodayWei"`
	Currency      string      `json:"currency"`
}

// viewSpentToday is what counts against the daily cap of the native token: the first of
// all caps, which every machine has.
func viewSpentToday(ctx context.Context, d *Deps, _ *http.Request) (any, error) {
	s, err := policySpend(ctx, d, PolicySpendIn{})
	if err != nil {
		return nil, err
	}
	if len(s.Caps) == 0 {
		return nil, fault.New(fault.Internal, "the policy has no daily cap")
	}
	c := s.Caps[0]
	return SpentTodayView{true, json.Number(c.Counts), c.CountsWei, c.Currency}, nil
}

// QuotesView is the newest quotes, of GET /api/quotes. A quote has no owner: it is of the
// machine, whose caps its purchase counts against, and so all who may ask see the same.
type QuotesView struct {
	OK         bool            `json:"ok"`
	Count      int             `json:"count"`
	Quotes     []nft.QuoteView `json:"quotes"`
	Unreadable int             `json:"unreadable,omitempty"` // saved ones that can't be read
}

// The number of quotes in an answer.
const (
	viewQuotesMost  = 200
	viewQuotesUsual = 50
)

func viewQuotes(ctx context.Context, d *Deps, r *http.Request) (any, error) {
	limit := viewQuotesUsual
	if v := r.URL.Query().Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > viewQuotesMost {
			return nil, fault.New(fault.Usage, "limit is no whole number from 1 to %d", viewQuotesMost)
		}
		limit = n
	}
	list, err := d.quoteList(ctx, nft.QuotesListIn{Limit: limit})
	if err != nil {
		return nil, err
	}
	for i := range list.Quotes {
		list.Quotes[i] = shownQuote(list.Quotes[i])
	}
	return QuotesView{true, list.Count, list.Quotes, len(list.Unreadable)}, nil
}

func viewQuote(ctx context.Context, d *Deps, r *http.Request) (any, error) {
	s, err := d.nft("")
	if err != nil {
		return nil, err
	}
	q, err := s.QuotesShow(ctx, nft.QuotesShowIn{Quote: r.PathValue("id")})
	if fault.CodeOf(err) == fault.NotFound {
		return nil, fault.New(fault.NotFound, "there is no such quote").Hintf("the newest are at /api/quotes")
	}
	if err != nil {
		return nil, err
	}
	return NFTQuotesShowOut{true, shownQuote(q)}, nil
}

// shownQuote is a quote without the path of the file that it may come from.
func shownQuote(q nft.QuoteView) nft.QuoteView {
	q.Source, _, _ = strings.Cut(q.Source, ":")
	return q
}
