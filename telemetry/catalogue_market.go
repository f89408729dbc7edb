package telemetry

// marketTypes are what was read from the marketplace.
func marketTypes() []declaration {
	const asked = "limit count, tokenId text, maxPrice any, dataSource text, source text"
	return []declaration{
		{
			name:     "market.collections.read",
			meaning:  "collections were read",
			commands: []string{"market collections"},
			payload:  "query text, recommended bool",
			result:   "collections! array, count count, source text",
		},
		{
			name:     "market.listings.read",
			meaning:  "listings of a collection were read; skipped ones are named with the reason",
			commands: []string{"market listings"},
			payload:  "collection! id, " + asked,
			result:   "listings! array, count count, skipped array, source text, pages count, read count, more bool",
		},
		{
			name: "market.listings.failed", failure: true,
			meaning:  "listings could not be read",
			commands: []string{"market listings"},
			payload:  "collection id, " + asked,
			result:   "error! id, code id, status count",
		},
	}
}
