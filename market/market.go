// Package market reads NFT marketplaces: OpenSea's v2 API, and a JSON file in
// the same shapes for CI. Everything a marketplace answers is untrusted input:
// a listing is returned only when it is a plain sale of one ERC-721 token for
// the chain's native token, all others are set aside with a reason, and what a
// fulfilment holds is decoded but not believed (nft checks it before signing).
package market

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
)

// Source is a marketplace. Implementations are safe for concurrent use.
type Source interface {
	// Name says where answers come from, for output: a host or a file.
	Name() string
	// Collection returns the collection of a slug with its one contract on the
	// source's chain, or not_found.
	Collection(ctx context.Context, slug string) (Collection, error)
	// Listings returns usable listings, cheapest first, and what it set aside.
	Listings(ctx context.Context, q ListQuery) (Page, error)
	// BestListing returns the cheapest listing of one token, or not_found, also
	// when the best one is not usable; the error then says why.
	BestListing(ctx context.Context, slug, contract, tokenID string) (Listing, error)
	// Fulfillment asks for the transaction that fills one order. The answer is
	// bound to the fulfiller and may expire in seconds: never keep it.
	Fulfillment(ctx context.Context, r FulfillRequest) (Fulfillment, error)
}

// Collection is a collection and its contract on one chain.
type Collection struct {
	Name            string `json:"name"`            // as the source spells it: for people, never an identity
	Slug            string `json:"slug"`            // the marketplace's id
	ContractAddress string `json:"contractAddress"` // 0x…, lower case; "" when unknown
	Enabled         bool   `json:"enabled"`         // not disabled by its source
}

// Listing is an offer to sell one ERC-721 token for a fixed price in the native
// token. Addresses and hashes are lower case, 0x-prefixed and of full length.
type Listing struct {
	ListingID       string      `json:"listingId"`  // the order hash: unique, stable
	OrderHash       string      `json:"orderHash"`  // Seaport order hash, 32 bytes
	Collection      string      `json:"collection"` // slug
	TokenID         string      `json:"tokenId"`    // decimal
	PriceApe        json.Number `json:"priceApe"`   // Price in whole tokens, exact
	Price           units.Wei   `json:"priceWei"`   // what the buyer pays, in base units
	Currency        string      `json:"currency"`
	Decimals        int         `json:"decimals"`
	ProtocolAddress string      `json:"protocolAddress"`
	AssetContract   string      `json:"assetContractAddress"`
	Seller          string      `json:"seller"`
	StartsAt        time.Time   `json:"startsAt"`
	ExpiresAt       time.Time   `json:"expiresAt"`

	// Considered is the sum of the payments in the signed order. Price is never
	// less; it is more when the marketplace adds its fee at fulfilment.
	Considered units.Wei `json:"-"`
	// Parameters are the Seaport order parameters as the marketplace gave them.
	Parameters json.RawMessage `json:"-"`
}

// Skip is a listing that was set aside, and why, in words for people.
type Skip struct {
	ID      string `json:"listingId"` // order hash, or "#<position>" without a valid one
	TokenID string `json:"tokenId,omitempty"`
	Reason  string `json:"reason"`
}

// ListQuery selects listings of one collection.
type ListQuery struct {
	Slug     string
	Contract string    // expected contract; "" asks the source for it
	TokenID  string    // decimal; "" is any
	MaxPrice units.Wei // inclusive; zero is no limit
	Limit    int       // most listings returned; 0 is DefaultLimit
	// OnePerToken keeps each token's cheapest listing alone.
	OnePerToken bool
	// All reads every active listing in place of the marketplace's cheapest-first
	// order: more pages, and nothing rests on that order being true.
	All bool
}

// Bounds of ListQuery.Limit.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
)

// Page is the answer to a ListQuery.
type Page struct {
	Listings []Listing // by price, then token id; each order hash once
	Skipped  []Skip
	More     bool // the source had more than was read

	Pages   int    // pages read
	Read    int    // listings on them, of any kind and price
	Stopped string // why reading ended before the pages did: "after 20 pages"; "" otherwise
}

// FulfillRequest names an order, who pays and who receives.
type FulfillRequest struct {
	OrderHash string
	Protocol  string // protocol contract of the listing
	Fulfiller string // the account that sends the transaction
	Recipient string // receives the token; "" is the fulfiller
}

// Fulfillment is the transaction a marketplace proposes. Only its spelling has
// been checked: every field is a claim.
type Fulfillment struct {
	Protocol string // e.g. "seaport1.6"
	Function string // signature; dispatch on what stands before "("
	ChainID  int64
	To       string    // lower case
	Value    units.Wei // native token to send
	// InputData holds the named arguments of Function, a JSON object; numbers in
	// it may be JSON numbers, decimal strings or 0x strings (see Integer).
	InputData json.RawMessage
	Suffix    []byte          // calldata suffix for attribution, at most 4 bytes
	Orders    json.RawMessage // the signed orders, a JSON array
}
