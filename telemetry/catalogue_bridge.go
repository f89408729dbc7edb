package telemetry

// Fields that events of one transfer share. Amounts are base units of the currency
// that they are of; names of chains are ours.
const (
	movedItem   = "requestId! id, fromChain int, toChain int, amount wei, token text"
	movedFields = ", from text, to text, recipient address, minAmountOut wei, feeBps count"
)

// bridgeTypes are moving funds between chains, step by step.
func bridgeTypes() []declaration {
	return []declaration{
		{
			name:     "bridge.quote.created",
			commands: []string{"bridge quote"},
			meaning:  "moving funds was priced; nothing moved",
			payload:  "amount! wei, fromChain! int, toChain! int, token text",
			// The provider's quote, as its own API gives it.
			result: "requestId! id, quote! object, feeBps count, expiresAt time, minAmountOut wei, depository address",
		},
		{
			name:     "bridge.execute.dry_run",
			commands: []string{"bridge execute"},
			meaning:  "moving funds was tried without spending",
			payload:  movedItem,
			result:   "wouldExecute! bool, wouldBlock array, message text" + movedFields,
		},
		{
			name: "bridge.execute.submitted", money: true,
			commands: senders(),
			meaning:  "a signed transaction of a transfer was sent to the chain that the funds leave; step says which",
			payload:  movedItem,
			result:   "txHash! hash, requestId! id, step! approve|deposit, nonce! count, to! address, valueWei! wei, maxFeeWei! wei" + feeFields + movedFields,
		},
		{
			name: "bridge.execute.confirmed", money: true,
			commands: []string{"bridge status", "bridge resume"},
			meaning:  "the funds arrived on the other chain",
			payload:  movedItem,
			// txHash is the payment on the other chain; depositTxHash ours on this one.
			result: "txHash! hash, requestId! id, depositTxHash hash, received wei" + movedFields,
		},
		{
			name: "bridge.execute.refunded", failure: true, money: true,
			commands: []string{"bridge status", "bridge resume"},
			meaning:  "the funds came back to the account that had sent them; only fees are gone",
			payload:  movedItem,
			result:   "requestId! id, reason text, txHash hash, depositTxHash hash, refunded wei" + movedFields,
		},
		{
			name: "bridge.execute.failed", failure: true, money: true,
			commands: senders("bridge status"),
			meaning:  "a transfer ended without arriving and without a refund that is known, or one of its transactions failed",
			payload:  movedItem,
			result:   "requestId! id, reason! id, step approve|deposit, txHash hash, depositTxHash hash" + movedFields,
		},
		{
			name: "bridge.tx.mined", money: true,
			commands: senders(),
			meaning:  "a transaction of a transfer is in a block: the approval holds, or the funds left; they have not arrived by that",
			payload:  movedItem,
			result:   "txHash! hash, requestId! id, step! approve|deposit, blockNumber! count" + minedFields,
		},
		{
			name: "bridge.tx.unknown", failure: true, money: true,
			commands: senders(),
			meaning:  "a transaction of a transfer was sent, or may have been, and no receipt is known: don't repeat it",
			payload:  movedItem,
			result:   "txHash! hash, requestId! id, step! approve|deposit, reason! id, sent maybe|yes, nonce count",
		},
		{
			name: "bridge.tx.replacing", money: true,
			commands: senders(),
			meaning:  "a person sent a transaction with the nonce of a stuck one of a transfer: one that cancels it, or the same with a higher fee",
			payload:  movedItem,
			result:   "txHash! hash, requestId! id, step! approve|deposit, replaces! hash, kind! cancel|reprice, nonce! count, to! address, valueWei! wei, maxFeeWei! wei" + feeFields,
		},
		{
			name: "bridge.tx.cancelled", money: true,
			commands: senders(),
			meaning:  "the cancellation of a transaction of a transfer was mined: it never can be; only the fee is gone",
			payload:  movedItem,
			result:   "txHash! hash, requestId! id, step! approve|deposit, cancels! hash, nonce! count, blockNumber! count" + minedFields,
		},
		{
			name: "bridge.tx.replaced", failure: true, money: true,
			commands: senders(),
			meaning:  "the chain used the nonce of a transaction of a transfer for another, or for one whose outcome can't be confirmed, or a person set it aside; what it would have paid counts as spent for 24 hours",
			payload:  movedItem,
			result:   "txHash! hash, requestId! id, step! approve|deposit, nonce! count, reason! id",
		},
		{
			name:     "bridge.resume.ran",
			commands: []string{"bridge resume"},
			meaning:  "transactions and transfers without an outcome were looked up and settled where the chains tell",
			result:   "settled! count, open! count",
		},
		{
			name:     "bridge.status.read",
			commands: []string{"bridge status"},
			meaning:  "the state of a transfer was read",
			payload:  "requestId! id",
			result:   "status! id, requestId! id, providerStatus text, txHash hash",
		},
	}
}
