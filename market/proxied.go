package market

import (
	"net/http"
	"net/url"
	"strings"
)

// Agent is who asks a serve that proxies the marketplace. That serve holds the API
// key; what it answers is judged as the marketplace's own answers are.
type Agent struct {
	ID    string
	Token Key
}

// ProxyPrefix is where the routes of a proxy are.
const ProxyPrefix = "/api/market/"

// The paths of what is asked for, at the marketplace and at a proxy of it.

type resource struct {
	path  []string
	query url.Values
}

func (c *Client) collectionAt(slug string) resource {
	if c.agent != "" {
		return resource{path: []string{ProxyPrefix, "collections", slug}}
	}
	return resource{path: []string{"api/v2/collections", slug}}
}

// listingsAt is a page of listings; query is limit and cursor.
func (c *Client) listingsAt(slug, order string, query url.Values) resource {
	if c.agent != "" {
		q := url.Values{"order": {order}}
		for name, values := range query {
			q[name] = values
		}
		return resource{[]string{ProxyPrefix, "listings", slug}, q}
	}
	return resource{[]string{"api/v2/listings/collection", slug, order}, query}
}

// bestAt is the best listing of one token.
func (c *Client) bestAt(slug, tokenID string) resource {
	if c.agent != "" {
		return resource{[]string{ProxyPrefix, "listings", slug}, url.Values{"tokenId": {tokenID}}}
	}
	return resource{path: []string{"api/v2/listings/collection", slug, "nfts", tokenID, "best"}}
}

func (c *Client) fulfillmentAt() string {
	if c.agent != "" {
		return ProxyPrefix + "fulfillment"
	}
	return "api/v2/listings/fulfillment_data"
}

// identifyHeader says who asks: by the API key, or as an agent.
func (c *Client) identifyHeader(h http.Header) {
	key := c.key()
	switch {
	case c.agent != "":
		h.Set("X-Agent-Id", c.agent)
		h.Set("X-Agent-Token", string(key))
	case key != "":
		h.Set("X-Api-Key", string(key))
	}
}

// refusedHint is what to look at when whoever is asked does not accept the asker.
func (c *Client) refusedHint() string {
	if c.agent != "" {
		return "are APE_CLAW_AGENT_ID and APE_CLAW_AGENT_TOKEN right, and is the agent registered at " + c.Name() + " and not revoked?"
	}
	return "is OPENSEA_API_KEY right and not revoked? another is stored by: ape-claw auth set --opensea-api-key -"
}

// notFoundIsAbsent tells a 404 that says that something is not there from one of a
// server that has no such route: a serve without its proxy is no empty marketplace.
func (c *Client) notFoundIsAbsent(said []byte) bool {
	return c.agent == "" || strings.Contains(string(said), `"`+absentMark+`"`)
}

// absentMark is in each answer of a proxy that says that the marketplace has no such
// thing.
const absentMark = "marketHasNone"
