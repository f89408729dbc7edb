package telemetry

// What the events of a v2 transaction have in common: op is what it does
// ("skill.mint"), contract and address what it calls.
const (
	v2Call = "op! id, contract! id, address! address, valueWei wei" + v2Action
	// v2Action is the approved action that it is of, where it is of one.
	v2Action = ", actionId id"
	v2Mined  = ", contract id, address address, blockNumber count" + minedFields
)

// senders are the commands that send transactions. Each settles first what earlier
// runs left, of whatever kind, and so may tell how any of them ended.
func senders(more ...string) []string {
	return append(more, "nft buy", "nft autobuy", "nft resume", "v2 deploy", "v2 skill mint", "v2 skill publish", "skill mint", "v2 intent create", "v2 intent cancel",
		"v2 receipt record", "v2 vault release", "v2 agent execute", "v2 resume", "bridge execute", "bridge resume")
}

// v2Types are skills, intents, receipts, the vault and the agent account on chain.
func v2Types() []declaration {
	return append(append(v2SkillTypes(), v2OtherTypes()...), v2TxTypes()...)
}

func v2SkillTypes() []declaration {
	return []declaration{
		{
			name: "v2.skill.minted", money: true,
			meaning:  "a skill was minted on chain",
			commands: senders(),
			payload:  "parentId id, royaltyReceiver address, royaltyBps count, slug text, version text" + v2Action,
			// contentHash is the card's that the skill was minted for; all zeros without one.
			result: "skillId! count, txHash! hash, contentHash! hash, owner address" + v2Mined,
		},
		{
			name: "v2.skill.version.published", money: true,
			meaning:  "a version of a skill was published on chain",
			commands: senders(),
			payload:  "skillId id, slug text, version text, uri text, riskTier count" + v2Action,
			result:   "skillId! count, versionHash! hash, txHash! hash, contentHash hash, publisher address" + v2Mined,
		},
		{
			name:     "v2.skill.read",
			meaning:  "a skill and its versions were read from the chain",
			commands: []string{"v2 skill show"},
			payload:  "skillId! id",
			result:   "skillId! count, versions! count, owner address",
		},
		{
			name:     "v2.skills.read",
			meaning:  "the skills on chain were listed",
			commands: []string{"v2 skill list"},
			result:   "count! count",
		},
	}
}

func v2OtherTypes() []declaration {
	return []declaration{
		{
			name: "v2.intent.created", money: true,
			meaning:  "an intent was recorded on chain",
			commands: senders(),
			payload:  "intentHash hash, expiresAt count" + v2Action,
			result:   "intentId! count, txHash! hash, traceId! id, intentHash hash, creator address" + v2Mined,
		},
		{
			name: "v2.intent.cancelled", money: true,
			meaning:  "an intent was cancelled on chain",
			commands: senders(),
			payload:  "intentId id" + v2Action,
			result:   "intentId! count, txHash! hash" + v2Mined,
		},
		{
			name:     "v2.intent.read",
			meaning:  "an intent was read from the chain",
			commands: []string{"v2 intent show"},
			payload:  "intentId! id",
			result:   "intentId! count, active! bool, exists! bool",
		},
		{
			name: "v2.receipt.recorded", money: true,
			meaning:  "a receipt was recorded on chain",
			commands: senders(),
			// content is what contentHash is the hash of: {subject, payload}.
			payload: "traceId id, subject text, uri text, content object, auto bool" + v2Action,
			result:  "traceId! id, traceIdHash! hash, txHash! hash, contentHash hash, subjectHash hash, recorder address" + v2Mined,
		},
		{
			name:     "v2.receipt.read",
			meaning:  "it was read whether a receipt is on chain",
			commands: []string{"v2 receipt get"},
			payload:  "traceId id",
			// agrees: whether the local log has what the receipt is of; absent when it
			// can't be told.
			result: "traceId! id, traceIdHash! hash, isRecorded! bool, contentHash hash, agrees bool",
		},
		{
			name: "v2.receipt.skipped", failure: true,
			meaning:  "a purchase is confirmed and its receipt was not recorded; the purchase stands",
			commands: []string{"nft buy", "nft autobuy", "nft resume", "v2 resume", "bridge resume"},
			payload:  "traceId id, quoteId id",
			result:   "code! id, reason! text",
		},
		{
			name:     "v2.vault.read",
			meaning:  "a vault's members, shares and balances were read from the chain",
			commands: []string{"v2 vault status"},
			result:   "vault! address, members! count, balanceWei! wei",
		},
		{
			name: "v2.vault.release", money: true,
			meaning:  "a member's share was paid out of the vault",
			commands: senders(),
			payload:  "member address, token address" + v2Action,
			result:   "tx! hash, member! address, amountWei wei, token address" + v2Mined,
		},
		{
			name: "v2.agent.execute", money: true,
			meaning:  "an agent account ran a module on chain",
			commands: senders(),
			payload:  "module address, target address, selector text, valueWei wei, subject text, uri text" + v2Action,
			result:   "tx! hash, module! address, traceId! id, target address, selector text, contentHash hash, traceIdHash hash, receiptRecorded bool" + v2Mined,
		},
		{
			name: "v2.contract.deployed", money: true,
			meaning:  "one of the v2 contracts was created on chain",
			commands: senders(),
			payload:  "network id",
			result:   "contract! id, address! address, txHash! hash, blockNumber count" + minedFields,
		},
		{
			name: "v2.policy.set", money: true,
			meaning:  "a rule of the on-chain policy engine was set",
			commands: senders(),
			payload:  "network id",
			result:   "rule! id, subject text, allowed bool, valueWei wei, txHash! hash" + v2Mined,
		},
		{
			name:     "v2.deploy.planned",
			meaning:  "it was worked out what a deployment would still do; nothing was sent",
			commands: []string{"v2 deploy"},
			payload:  "network! id",
			result:   "steps! count, done! count, wouldBlock array, message text",
		},
		{
			name:     "v2.deploy.completed",
			meaning:  "the set of contracts is on chain, configured and recorded",
			commands: []string{"v2 deploy"},
			payload:  "network! id",
			result:   "contracts! object, sent! count",
		},
		{
			name:     "v2.resume.ran",
			meaning:  "the outcomes of open transactions were looked for; each that was found has its own event",
			commands: []string{"v2 resume"},
			result:   "settled! count, open! count",
		},
	}
}

// v2TxTypes are what every v2 transaction may come to beside success, which has
// the op's own type.
func v2TxTypes() []declaration {
	return []declaration{
		{
			name:     "v2.tx.dry_run",
			meaning:  "a v2 transaction was tried without sending it; wouldBlock lists the gates that would refuse it",
			commands: []string{"v2 skill mint", "v2 skill publish", "skill mint", "v2 intent create", "v2 intent cancel", "v2 receipt record", "v2 vault release", "v2 agent execute"},
			payload:  v2Call,
			result:   "wouldSend! bool, wouldBlock array, message text, digest text",
		},
		{
			name: "v2.tx.submitted", money: true,
			meaning:  "a signed v2 transaction was sent to the chain; it is not known yet how it ends",
			commands: senders(),
			payload:  v2Call,
			result:   "txHash! hash, nonce! count, to! address, valueWei! wei, maxFeeWei! wei" + feeFields,
		},
		{
			name: "v2.tx.reverted", failure: true, money: true,
			meaning:  "a v2 transaction was mined and failed; only the fee is gone",
			commands: senders(),
			payload:  v2Call,
			result:   "txHash! hash, blockNumber count, reason text" + minedFields,
		},
		{
			name: "v2.tx.unknown", failure: true, money: true,
			meaning:  "a v2 transaction was sent, or may have been, and no receipt is known: don't repeat it",
			commands: senders(),
			payload:  v2Call,
			result:   "txHash! hash, reason! id, sent maybe|yes, nonce count",
		},
		{
			name: "v2.tx.replacing", money: true,
			meaning:  "a person sent a transaction with the nonce of a stuck v2 transaction: one that cancels it, or the same with a higher fee",
			commands: senders(),
			payload:  v2Call,
			result:   "txHash! hash, replaces! hash, kind! cancel|reprice, nonce! count, to! address, valueWei! wei, maxFeeWei! wei" + feeFields,
		},
		{
			name: "v2.tx.cancelled", money: true,
			meaning:  "the cancellation of a v2 transaction was mined: it never can be; only the fee is gone",
			commands: senders(),
			payload:  v2Call,
			result:   "txHash! hash, cancels! hash, nonce! count, blockNumber! count" + minedFields,
		},
		{
			name: "v2.tx.replaced", failure: true, money: true,
			meaning:  "the chain used the nonce of a v2 transaction for another, or for one whose outcome can't be confirmed, or a person set it aside; value and fee limit count as spent for 24 hours",
			commands: senders(),
			payload:  v2Call,
			result:   "txHash! hash, nonce! count, reason! id",
		},
	}
}
