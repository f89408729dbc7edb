package nft

import (
	"context"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// QuotesListIn is the input of nft quotes list.
type QuotesListIn struct {
	Limit int `json:"limit" ai:"expose" max:"500" help:"how many of the newest" default:"20"`
}

// QuotesListOut is the result of nft quotes list, newest first.
type QuotesListOut struct {
	Count      int               `json:"count"`
	Quotes     []QuoteView       `json:"quotes"`
	Unreadable []UnreadableQuote `json:"unreadable,omitempty"`
}

// UnreadableQuote is a saved quote that is not as a run of ours wrote it. It can't
// be bought, and does not keep the others from being listed.
type UnreadableQuote struct {
	QuoteID string `json:"quoteId"` // as far as it can be shown
	Reason  string `json:"reason"`
}

// QuoteView is a quote as it stands now.
type QuoteView struct {
	Quote
	Expired    bool        `json:"expired"`
	Simulation *Simulation `json:"simulation,omitempty"` // the last one
}

// State is the quote's state in one word: used ones by their transaction, others
// by whether they can still be bought.
func (v QuoteView) State() string {
	switch {
	case v.Status != StatusQuoted:
		return v.Status
	case v.Expired:
		return "expired"
	case v.Simulation != nil && v.Simulation.OK:
		return "simulated"
	}
	return v.Status
}

// maxQuotes is the most that a list shows.
const maxQuotes = 500

// QuotesList lists the quotes of the state directory. It records no event, so
// that completion can ask it too.
func (s *Service) QuotesList(ctx context.Context, in QuotesListIn) (QuotesListOut, error) {
	db, err := s.quotes(ctx)
	if err != nil {
		return QuotesListOut{}, err
	}
	if in.Limit <= 0 || in.Limit > maxQuotes {
		in.Limit = maxQuotes
	}
	quotes, bad, err := db.list(ctx, in.Limit)
	if err != nil {
		return QuotesListOut{}, err
	}
	out := QuotesListOut{Quotes: []QuoteView{}, Unreadable: bad}
	for _, q := range quotes {
		v, err := s.view(ctx, db, q)
		if fault.CodeOf(err) == fault.StateUnusable {
			out.Unreadable = append(out.Unreadable, UnreadableQuote{q.QuoteID, fault.From(err).Message})
			continue
		}
		if err != nil {
			return QuotesListOut{}, err
		}
		out.Quotes = append(out.Quotes, v)
	}
	out.Count = len(out.Quotes)
	return out, nil
}

// QuotesShowIn is the input of nft quotes show.
type QuotesShowIn struct {
	Quote string `json:"quote" ai:"expose" kind:"id" help:"quote id" required:"true" arg:"quote" complete:"quotes"`
}

// QuotesShow returns one quote with its last simulation. It records no event.
func (s *Service) QuotesShow(ctx context.Context, in QuotesShowIn) (QuoteView, error) {
	db, err := s.quotes(ctx)
	if err != nil {
		return QuoteView{}, err
	}
	q, err := db.load(ctx, in.Quote)
	if err != nil {
		return QuoteView{}, err
	}
	return s.view(ctx, db, q)
}

func (s *Service) view(ctx context.Context, db quoteStore, q Quote) (QuoteView, error) {
	q, err := s.asJournaled(ctx, q)
	if err != nil {
		return QuoteView{}, err
	}
	m, err := db.lastSimulation(ctx, q.QuoteID)
	return QuoteView{Quote: q, Expired: !s.now().Before(q.ExpiresAt), Simulation: m}, err
}
