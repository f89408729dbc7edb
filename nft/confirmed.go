package nft

import (
	"context"
	"strings"
)

// Confirmed is a purchase whose token is the buyer's. Journal and log have it.
type Confirmed struct {
	QuoteID string
	ChainID int64
	TxHash  string
}

const keyPrefix = "nft.buy:"

// QuoteOf returns the id of the quote that a key of the journal is of; ok is false
// when it is no purchase's.
func QuoteOf(key string) (quoteID string, ok bool) {
	quoteID, ok = strings.CutPrefix(key, keyPrefix)
	return quoteID, ok && quoteID != ""
}

// KeyOf is the key of the journal under which a quote is bought.
func KeyOf(quoteID string) string { return keyPrefix + quoteID }

// confirmed tells whoever wants to know of a purchase. What they make of it is no
// part of the purchase, which stands.
func (s *Service) confirmed(ctx context.Context, out BuyOut) {
	if s.d.AfterConfirmed != nil {
		s.d.AfterConfirmed(ctx, Confirmed{QuoteID: out.QuoteID, ChainID: out.ChainID, TxHash: out.TxHash})
	}
}
