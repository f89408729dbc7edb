package telemetry

// Fields that events of one purchase share. Prices are an exact decimal number
// and, beside it, base units as a string.
const (
	askedItem   = "collection! id, tokenId! id, maxPrice any, currency text"
	boughtItem  = "quoteId! id, collection text, tokenId text"
	priceFields = ", priceApe number, priceWei wei, orderHash hash"
	feeFields   = ", from address, gasLimit count, maxFeePerGasWei wei, maxPriorityFeePerGasWei wei"
	// replacedField is the quoted order, when another one was filled in its place.
	replacedField = ", quotedOrderHash hash"
	minedFields   = ", blockHash hash, gasUsed count, feeWei wei"
)

// nftTypes are a purchase, step by step.
func nftTypes() []declaration {
	return append(append(quoteTypes(), buyTypes()...), autobuyTypes()...)
}

func quoteTypes() []declaration {
	const simulated = ", from address, balanceOverridden bool, blockNumber count, gasLimit count, maxFeeWei wei" + priceFields
	return []declaration{
		{
			name:     "nft.quote.created",
			meaning:  "a listing was priced and a quote saved; nothing is bought",
			commands: []string{"nft quote"},
			payload:  askedItem,
			result: "quoteId! id, priceApe! number, priceWei! wei, orderHash! hash, expiresAt! time, orderExpiresAt time?, currency text, " +
				"collection text, tokenId text, contractAddress address, protocolAddress address, seller address, chainId int, source text",
		},
		{
			name: "nft.quote.failed", failure: true,
			meaning:  "no quote could be made, for another reason than policy",
			commands: []string{"nft quote"},
			payload:  "collection text, tokenId text, maxPrice any, currency text",
			result:   "code! id, reason! id",
		},
		{
			name:     "nft.quote.read",
			meaning:  "one quote was shown",
			commands: []string{"nft quotes show"},
			payload:  "quoteId! id",
			result:   "quoteId! id, status! id",
		},
		{
			name:     "nft.quotes.read",
			meaning:  "quotes were listed",
			commands: []string{"nft quotes list"},
			result:   "count! count",
		},
		{
			name:     "nft.simulation.passed",
			meaning:  "the exact transaction would succeed now",
			commands: []string{"nft simulate", "nft autobuy"},
			payload:  boughtItem,
			result:   "simulated! =true" + simulated,
		},
		{
			name: "nft.simulation.failed", failure: true,
			meaning:  "the exact transaction would fail now; the reason says why, in words",
			commands: []string{"nft simulate", "nft autobuy"},
			payload:  boughtItem,
			// details are whatever the failing check measured.
			result: "simulated! =false, reason! id, code id, details object" + simulated,
		},
	}
}

func buyTypes() []declaration {
	return []declaration{
		{
			name:     "nft.buy.dry_run",
			meaning:  "a purchase was tried without spending; wouldBlock lists the gates that would refuse it",
			commands: []string{"nft buy"},
			payload:  boughtItem,
			result:   "wouldBuy! bool, wouldBlock array, message text" + priceFields,
		},
		{
			name: "nft.buy.submitted", money: true,
			meaning:  "a signed purchase was sent to the chain; it is not known yet how it ends",
			commands: senders(),
			payload:  boughtItem,
			result:   "txHash! hash, nonce! count, to! address, valueWei! wei, maxFeeWei! wei" + feeFields + priceFields + replacedField,
		},
		{
			name: "nft.buy.confirmed", money: true,
			meaning:  "the purchase succeeded on chain and the buyer owns the token",
			commands: senders(),
			payload:  boughtItem,
			result:   "txHash! hash, blockNumber! count, owner address" + minedFields + priceFields + replacedField,
		},
		{
			name: "nft.buy.reverted", failure: true, money: true,
			meaning:  "the purchase was mined and failed; only the fee is gone",
			commands: senders(),
			payload:  boughtItem,
			result:   "txHash! hash, blockNumber count, reason text" + minedFields + priceFields + replacedField,
		},
		{
			name: "nft.buy.unknown", failure: true, money: true,
			meaning:  "a purchase was sent, or may have been, and no receipt is known: don't repeat it",
			commands: senders(),
			payload:  boughtItem,
			result:   "txHash! hash, reason! id, sent maybe|yes, nonce count" + replacedField,
		},
		{
			name: "nft.buy.replacing", money: true,
			meaning:  "a person sent a transaction with the nonce of a stuck purchase: one that cancels it, or the same with a higher fee",
			commands: senders(),
			payload:  boughtItem,
			result:   "txHash! hash, replaces! hash, kind! cancel|reprice, nonce! count, to! address, valueWei! wei, maxFeeWei! wei" + feeFields + replacedField,
		},
		{
			name: "nft.buy.cancelled", money: true,
			meaning:  "the cancellation of a purchase was mined: it never can be; only the fee is gone",
			commands: senders(),
			payload:  boughtItem,
			result:   "txHash! hash, cancels! hash, nonce! count, blockNumber! count" + minedFields + replacedField,
		},
		{
			name: "nft.buy.replaced", failure: true, money: true,
			meaning:  "the chain used the nonce of a purchase for a transaction that is none of ours, or for the purchase with an outcome that can't be confirmed, or a person set it aside since its nonce is not reached; price and fee limit count as spent for 24 hours",
			commands: senders(),
			payload:  boughtItem,
			result:   "txHash! hash, nonce! count, reason! id" + replacedField,
		},
		{
			name:     "nft.resume.ran",
			meaning:  "the outcomes of open transactions were looked for; each that was found has its own event",
			commands: []string{"nft resume"},
			result:   "settled! count, open! count",
		},
		{
			name:     "nft.buy.retry",
			meaning:  "the quoted order is gone, and another of the same token at no higher price is tried in its place",
			commands: []string{"nft buy", "nft autobuy"},
			payload:  "quoteId! id, attempt! count, collection text, tokenId text",
			result:   "retried! bool, reason text, oldOrderHash hash, seller address" + priceFields,
		},
	}
}

func autobuyTypes() []declaration {
	const asked = "count! count, minPrice number, maxPrice number, budget number, planId id, collections texts"
	return []declaration{
		{
			name:     "nft.autobuy.planned",
			meaning:  "several purchases were planned, or a saved plan was looked at; nothing is bought",
			commands: []string{"nft autobuy"},
			payload:  "count! count, minPrice! number, maxPrice! number, budget number, planId id, collections texts",
			result: "planned! array, selectedCount! count, skipped array, skippedCount count, totalApe number, totalWei wei, " +
				"wouldBlock texts",
		},
		{
			name: "nft.autobuy.executed", money: true,
			meaning:  "all planned purchases succeeded",
			commands: []string{"nft autobuy"},
			payload:  asked,
			result:   "executed! count, txHashes! hashes, already count, spentApe number, spentWei wei, gasWei wei",
		},
		{
			name: "nft.autobuy.partial", failure: true, money: true,
			meaning:  "some of the planned purchases succeeded; errors holds each of the others, and why",
			commands: []string{"nft autobuy"},
			payload:  asked,
			result:   "executed! count, failed! count, txHashes! hashes, errors! array, already count, spentApe number, spentWei wei, gasWei wei",
		},
		{
			name: "nft.autobuy.failed", failure: true, money: true,
			meaning:  "no planned purchase is known to be made; errors holds each, and why",
			commands: []string{"nft autobuy"},
			payload:  asked,
			result:   "executed! count, failed! count, txHashes! hashes, errors! array, already count, spentApe number, spentWei wei, gasWei wei",
		},
	}
}
