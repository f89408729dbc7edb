// Package conformance holds market's reader against whole marketplaces: the
// sandbox, whose answers are validated against OpenSea's published API. It has
// tests only, in a place of its own so that market's tests need no chain.
package conformance
