package telemetry

// policyTypes are the refusals of policy, and what people do with the fence.
func policyTypes() []declaration {
	return []declaration{
		{
			name: "policy.blocked", failure: true,
			meaning:  "policy refused the operation; the code names the gate",
			commands: senders("nft quote", "nft simulate", "bridge quote"),
			payload:  "command! id, reason! id, quoteId id, collection text, tokenId text",
			// measured and limit are amounts, times or names, as the gate has it.
			result: "blocked! =true, reason! id, code! id, gate id, measured any, limit any, change text",
		},
		{
			name:     "allowlist.audit.ran",
			meaning:  "the allowlist was checked for unresolved and ambiguous collections",
			commands: []string{"allowlist audit"},
			result:   "audited! =true, issues! array, total count, unresolvedCount count",
		},
		{
			name:     "allowlist.list.read",
			meaning:  "the allowlist was read",
			commands: []string{"allowlist list"},
			result:   "count! count, enabled count",
		},
		{
			name: "allowlist.entry.added", money: true,
			meaning:  "a person put a collection on the allowlist, or enabled it again",
			commands: []string{"allowlist add"},
			result:   "slug! id, contractAddress! address, name text, added! bool",
		},
		{
			name: "allowlist.entry.removed", money: true,
			meaning:  "a person took a collection off the allowlist",
			commands: []string{"allowlist remove"},
			result:   "slug! id, contractAddress address, name text",
		},
		{
			name: "policy.initialized", money: true,
			meaning:  "a person wrote the home's policy",
			commands: []string{"policy init"},
			// The amounts are as the file has them, in whole units of the native token.
			result: "path! id, backup text, maxPricePerTx! any, dailySpendCap! any, autonomousMode! bool, policyHash id",
		},
		{
			name:     "policy.shown",
			meaning:  "the effective policy was shown",
			commands: []string{"policy show"},
			result:   "policyHash! id, files! texts",
		},
		{
			name:     "policy.checked",
			meaning:  "policy files were read strictly and hold",
			commands: []string{"policy check"},
			payload:  "file text",
			result:   "ok! =true, files! texts, warnings texts",
		},
		{
			name:     "policy.explained",
			meaning:  "it was said which gates a command would pass; nothing was run",
			commands: []string{"policy explain"},
			payload:  "command! id",
			result:   "spends! bool, refusing! texts, gates! count",
		},
		{
			name:     "policy.spend.read",
			meaning:  "it was read what counts against the daily caps",
			commands: []string{"policy spend"},
			result:   "items! count, open! count, spentWei! wei",
		},
		{
			name: "policy.halted", money: true,
			meaning:  "spending was halted",
			commands: []string{"policy halt"},
			result:   "halted! texts, reason text",
		},
		{
			name: "policy.unhalted", money: true,
			meaning:  "a person lifted the halt, having seen its causes",
			commands: []string{"policy unhalt"},
			result:   "removed! texts, halted! texts",
		},
	}
}
