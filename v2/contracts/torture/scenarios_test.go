package torture_test

import "testing"

// scenario is one thing that is done to the contracts. All are run twice: with
// the contracts as they are deployed, and as they are measured.
type scenario struct {
	name string
	run  func(t *testing.T, w *world)
}

var scenarios = []scenario{
	{"skills", skills},
	{"a mint that is re-entered", mintReenters},
	{"registry", registry},
	{"registry over hostile tokens", registryOverHostileTokens},
	{"intents", intents},
	{"receipts", receipts},
	{"vault constructor", vaultConstructor},
	{"vault native", vaultNative},
	{"vault re-entered by a member", vaultReenteredByMember},
	{"vault paid while it pays", vaultPaidWhilePaying},
	{"vault token", vaultToken},
	{"vault hostile tokens", vaultHostileTokens},
	{"vault re-entered by a token", vaultReenteredByToken},
	{"vault paid while it pays tokens", vaultPaidWhilePayingTokens},
	{"policy engine", policyEngine},
	{"agent", agent},
	{"agent refuses", agentRefuses},
	{"agent withdraws", agentWithdraws},
	{"module", module},
	{"agent re-entered by its target", agentReenteredByTarget},
	{"agent calls itself", agentCallsItself},
	{"agent re-entered by its owner", agentReenteredByOwner},
	{"agent with hostile parts", agentHostileParts},
	{"agent and bombs", agentBombs},
	{"agent that trusts nobody there", agentTrustsNobodyThere},
	{"mock target", mock},
	{"sweep", sweep},
}
