package telemetry

// Fields that events of one purchase share. Prices are an exact decimal number
// and, beside it, base units as a string.
const (
	itemFields  = ", collection text, name text, tokenId text, contract address, contractAddress address, orderHash hash, listingId text, chainId int"
	priceFields = ", priceApe number, priceWei wei, currency text"
	costFields  = ", from address, to address, valueWei wei, gasLimit count, gasUsed count, gasEstimate count, maxFeePerGasWei wei, maxPriorityFeePerGasWei wei, maxFeeWei wei, feeWei wei, totalWei wei, maxCostWei wei, digest hash"
	minedFields = ", blockNumber count, blockHash hash, blockTime time, effectiveGasPriceWei wei, owner address, nonce count"
	buyer       = "quoteId! id, collection text, tokenId text, autonomous bool"
)

// nftTypes are a purchase, step by step.
func nftTypes() []declaration {
	return append(append(quoteTypes(), buyTypes()...), autobuyTypes()...)
}

func quoteTypes() []declaration {
	const asked = "collection! id, tokenId! id, maxPrice any, currency text, source text, dataSource text"
	const simulated = ", blockNumber count, balanceWei wei, balanceOverridden bool, overridden bool, simulatedAt time, expiresAt time, hint text, code id, details object" +
		itemFields + priceFields + costFields
	return []declaration{
		{
			name:     "nft.quote.created",
			meaning:  "a listing was priced and a quote saved; nothing is bought",
			commands: []string{"nft quote"},
			payload:  asked,
			result: "quoteId! id, priceApe! number, priceWei! wei, orderHash! hash, expiresAt! time, orderExpiresAt time?, currency text, maxPrice any, maxPriceWei wei, " +
				"protocolAddress address, seller address, source text, confirmPhrase text, " +
				"collection text, name text, tokenId text, contract address, contractAddress address, listingId text, chainId int",
		},
		{
			name: "nft.quote.failed", failure: true,
			meaning:  "no quote could be made, for another reason than policy",
			commands: []string{"nft quote"},
			payload:  "collection text, tokenId text, maxPrice any, currency text, source text, dataSource text",
			result:   "code! id, reason! id, details object",
		},
		{
			name:     "nft.quote.read",
			meaning:  "one quote was shown",
			commands: []string{"nft quotes show"},
			payload:  "quoteId! id",
			result:   "quoteId! id, status text" + priceFields + itemFields + ", expiresAt time",
		},
		{
			name:     "nft.quotes.read",
			meaning:  "quotes were listed",
			commands: []string{"nft quotes list"},
			payload:  "status text, limit count",
			result:   "count! count, quotes array",
		},
		{
			name:     "nft.simulation.passed",
			meaning:  "the exact transaction would succeed now",
			commands: []string{"nft simulate"},
			payload:  buyer,
			result:   "simulated! =true" + simulated,
		},
		{
			name: "nft.simulation.failed", failure: true,
			meaning:  "the exact transaction would fail now; the reason says why, in words",
			commands: []string{"nft simulate"},
			payload:  buyer,
			result:   "simulated! =false, reason! id" + simulated,
		},
	}
}

func buyTypes() []declaration {
	const story = itemFields + priceFields + costFields
	return []declaration{
		{
			name:     "nft.buy.dry_run",
			meaning:  "a purchase was tried without spending; wouldBlock lists the gates that would refuse it",
			commands: []string{"nft buy"},
			payload:  buyer,
			result:   "wouldBuy! bool, wouldBlock array, gates array, confirmPhrase text, message text, blockNumber count" + story,
		},
		{
			name: "nft.buy.submitted", money: true,
			meaning:  "a signed purchase was sent to the chain; it is not known yet how it ends",
			commands: []string{"nft buy"},
			payload:  buyer,
			result: "txHash! hash, nonce! count, to! address, valueWei! wei, maxFeeWei! wei, " +
				"from address, gasLimit count, maxFeePerGasWei wei, maxPriorityFeePerGasWei wei, maxCostWei wei, totalWei wei, digest hash" + itemFields + priceFields,
		},
		{
			name: "nft.buy.confirmed", money: true,
			meaning:  "the purchase succeeded on chain and the buyer owns the token",
			commands: []string{"nft buy"},
			payload:  buyer,
			result:   "txHash! hash, blockNumber! count, blockHash hash, blockTime time, effectiveGasPriceWei wei, owner address, nonce count" + story,
		},
		{
			name: "nft.buy.reverted", failure: true, money: true,
			meaning:  "the purchase was mined and failed; only the fee is gone",
			commands: []string{"nft buy"},
			payload:  buyer,
			result:   "txHash! hash, reason text" + minedFields + story,
		},
		{
			name: "nft.buy.unknown", failure: true, money: true,
			meaning:  "a purchase was sent, or may have been, and no receipt is known: don't repeat it",
			commands: []string{"nft buy"},
			payload:  buyer,
			result:   "txHash! hash, reason! id, sent maybe|yes" + minedFields + story,
		},
		{
			name:    "nft.buy.retry",
			meaning: "a purchase is tried again",
			payload: "quoteId! id, attempt! count",
			result:  "retried! bool, reason text",
		},
	}
}

func autobuyTypes() []declaration {
	const asked = "count! count, minPrice number, maxPrice number, budget number, planId id, collections array"
	return []declaration{
		{
			name:    "nft.autobuy.planned",
			meaning: "several purchases were planned",
			payload: "count! count, minPrice! number, maxPrice! number, budget number, planId id, collections array",
			result:  "planned! array, selectedCount! count, skipped array",
		},
		{
			name: "nft.autobuy.executed", money: true,
			meaning: "all planned purchases succeeded",
			payload: asked,
			result:  "executed! count, txHashes! hashes",
		},
		{
			name: "nft.autobuy.partial", failure: true, money: true,
			meaning: "some of the planned purchases succeeded",
			payload: asked,
			result:  "executed! count, failed! count, txHashes! hashes, errors! array",
		},
	}
}
