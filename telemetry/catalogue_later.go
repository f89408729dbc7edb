package telemetry

// bridgeTypes are the published types of moving funds between chains.
func bridgeTypes() []declaration {
	return []declaration{
		{
			name:    "bridge.quote.created",
			meaning: "moving funds was priced; nothing moved",
			payload: "amount! wei, fromChain! int, toChain! int, token text",
			// The provider's quote, as its own API gives it.
			result: "requestId! id, quote! object, feeBps count, expiresAt time",
		},
		{
			name:    "bridge.execute.dry_run",
			meaning: "moving funds was tried without spending",
			payload: "requestId! id",
			result:  "wouldExecute! bool, wouldBlock array",
		},
		{
			name: "bridge.execute.confirmed", money: true,
			meaning: "the funds arrived on the other chain",
			payload: "requestId! id",
			result:  "txHash! hash, requestId! id",
		},
		{
			name:    "bridge.status.read",
			meaning: "the state of a transfer was read",
			payload: "requestId! id",
			result:  "status! id, requestId! id",
		},
	}
}

// v2Types are the published types of skills, intents and receipts on chain.
func v2Types() []declaration {
	return []declaration{
		{
			name: "v2.skill.minted", money: true,
			meaning: "a skill was minted on chain",
			result:  "skillId! count, txHash! hash, contentHash! hash",
		},
		{
			name: "v2.skill.version.published", money: true,
			meaning: "a version of a skill was published on chain",
			result:  "skillId! count, versionHash! hash, txHash! hash",
		},
		{
			name: "v2.intent.created", money: true,
			meaning: "an intent was recorded on chain",
			result:  "intentId! count, txHash! hash, traceId! id",
		},
		{
			name: "v2.intent.cancelled", money: true,
			meaning: "an intent was cancelled on chain",
			result:  "intentId! count, txHash! hash",
		},
		{
			name: "v2.receipt.recorded", money: true,
			meaning: "a receipt was recorded on chain",
			result:  "traceId! id, traceIdHash! hash, txHash! hash",
		},
		{
			name:    "v2.receipt.read",
			meaning: "it was read whether a receipt is on chain",
			result:  "traceId! id, traceIdHash! hash, isRecorded! bool",
		},
		{
			name: "v2.vault.release", money: true,
			meaning: "a member's share was paid out of the vault",
			result:  "tx! hash, member! address",
		},
		{
			name: "v2.agent.execute", money: true,
			meaning: "an agent account ran a module on chain",
			result:  "tx! hash, module! address, traceId! id",
		},
	}
}
