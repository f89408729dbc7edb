// Package v2 is the on-chain side of an agent: skills and their versions,
// intents, receipts, the revenue vault and the agent account.
package v2
