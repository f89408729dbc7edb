package telemetry

// aiTypes are what models, and the people who watch over them, do.
func aiTypes() []declaration {
	return []declaration{
		{
			name:    "ai.connection.changed",
			meaning: "an AI connection was added, changed or removed",
			payload: "id! id, name! id, provider! id, change! id",
			result:  "status id",
		},
		{
			name:    "ai.connection.verified",
			meaning: "an AI connection was asked for its models",
			payload: "id! id, name! id, provider! id",
			result:  "status! id, ok! bool, modelCount count, code id",
		},
		{
			name:     "ai.connections.read",
			meaning:  "the AI connections were read",
			commands: []string{"ai connections list", "ai connections show"},
			result:   "count! count",
		},
		{
			name:    "ai.turn.started",
			meaning: "a model's turn began",
			payload: "turnId! id, roomId! id, participant! id, cause! id, relayDepth count",
		},
		{
			name:    "ai.turn.completed",
			meaning: "a model's turn ended",
			payload: "turnId! id, roomId! id, participant! id, cause! id, relayDepth count",
			result:  "model text, tier text, usage object, toolCalls! count, durationMs! count",
		},
		{
			name: "ai.turn.failed", failure: true,
			meaning: "a model's turn failed, was stopped, or was cut off",
			payload: "turnId! id, roomId! id, participant! id, cause! id, relayDepth count",
			result:  "code! id, toolCalls count, durationMs count",
		},
		{
			name:    "ai.message.created",
			meaning: "a conversation has a new message",
			payload: "roomId! id, seq! count, role! id, author! id, origin id",
			result:  "preview! text", // at most 200 characters
		},
		{
			name:    "ai.tool.called",
			meaning: "a model called a tool",
			payload: "turnId id, tool! text, risk id, argsHash id",
			result:  "outcome! id, bytes count, ms count, code id, actionId id",
		},
		{
			name:     "ai.mcp.called",
			meaning:  "an MCP client called a tool",
			commands: []string{"ai mcp serve"},
			payload:  "client! text, tool! text, risk id, argsHash id",
			result:   "outcome! id, bytes count, ms count, code id, actionId id",
		},
		{
			name: "ai.action.proposed", money: true,
			meaning: "a model proposed what only a person may allow",
			payload: "actionId! id, tool! id, risk! id, permission! id, origin! id, taint! texts",
			result:  "title text, facts! array, claimCheck object, expiresAt! time",
		},
		{
			name: "ai.action.resolved", money: true,
			meaning: "an action was approved, rejected, cancelled, or its time was over",
			payload: "actionId! id, tool id",
			result:  "approved! bool, state! id, resolver! id, reason text",
		},
		{
			name: "ai.action.executed", money: true,
			meaning: "an approved action was carried out, or that failed",
			payload: "actionId! id, tool! id",
			result:  "state! id, txHash hash, outcome id, code id, error text, reconciled bool",
		},
		{
			name:     "ai.actions.read",
			meaning:  "actions were read",
			commands: []string{"ai actions list", "ai actions show"},
			payload:  "actionId id",
			result:   "count! count",
		},
		{
			name: "ai.grant.created", money: true,
			meaning: "an approval gave a permit: one use, bound to the action's arguments",
			payload: "grantId! id, subject! id, permissions! texts, limits array, ttl! count",
			result:  "actionId! id, usesLeft! count",
		},
		{
			name: "ai.grant.revoked", money: true,
			meaning: "a permit was taken back",
			payload: "grantId! id, subject! id",
			result:  "actionId! id, usesLeft! count",
		},
		{
			name:    "ai.callback.skipped",
			meaning: "a model was not told the outcome of an action",
			payload: "actionId! id, subject! id",
			result:  "limit count, windowSeconds count, reason id",
		},
		{
			name: "ai.budget.blocked", failure: true,
			meaning: "a cap of a connection stopped a model",
			payload: "subject! id, permission id, asset text",
			result:  "limit! any, spent! any, asked any, code id",
		},
		{
			name:    "ai.policy.explained",
			meaning: "it was said why an action or a tool is or is not allowed; nothing was run",
			payload: "actionId id, tool id",
			result:  "checks! array",
		},
		{
			name: "ai.kill.changed", money: true,
			meaning: "the AI kill switch was turned",
			payload: "on! bool, by! id, reason text",
			result:  "cancelledTurns count, cancelledActions count, halted texts",
		},
		{
			name: "ai.security.flagged", failure: true,
			meaning: "text or a call looked like an attempt to get around the rules",
			payload: "turnId id, rule! id, source! text",
			result:  "excerptHash! id", // never the text
		},
		{
			name: "ai.auth.changed", money: true,
			meaning:  "the operator's passphrase was set or changed",
			commands: []string{"ai auth init"},
			result:   "change! id",
		},
		{
			name: "ai.token.changed", money: true,
			meaning:  "a token for MCP clients was made or revoked",
			commands: []string{"ai mcp token new", "ai mcp token revoke"},
			payload:  "tokenId! id, name! text, change! id",
		},
		{
			name:     "ai.tokens.read",
			meaning:  "the tokens of MCP clients were listed",
			commands: []string{"ai mcp token list"},
			result:   "count! count",
		},
		{
			name:     "ai.conversations.read",
			meaning:  "conversations with models were listed, read or stopped",
			commands: []string{"ai conversations list", "ai conversations show", "ai conversations stop"},
			payload:  "roomId id",
			result:   "count! count",
		},
		{
			name:     "ai.tools.read",
			meaning:  "the tools of models were listed",
			commands: []string{"ai tools"},
			result:   "count! count",
		},
		{
			name:    "ai.trace.read",
			meaning: "a story was put together from messages, tools, actions and transactions",
			payload: "traceId id, actionId id, roomId id",
			result:  "entries! count",
		},
		{
			name:    "ai.doctor.ran",
			meaning: "the AI part was checked",
			result:  "ok! bool, issues count",
		},
	}
}
