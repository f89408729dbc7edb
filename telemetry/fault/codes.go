package fault

// The codes, grouped by the exit status they map to.
const (
	Internal             Code = "internal"
	PolicyBlocked        Code = "policy_blocked"
	Halted               Code = "halted"
	PolicyInvalid        Code = "policy_invalid"
	CurrencyNotAllowed   Code = "currency_not_allowed"
	CollectionNotAllowed Code = "collection_not_allowed"
	CollectionAmbiguous  Code = "collection_ambiguous"
	PriceOverLimit       Code = "price_over_limit"
	RouteNotAllowed      Code = "route_not_allowed"
	MinimumNotMet        Code = "minimum_not_met"
	FeeOverLimit         Code = "fee_over_limit"
	ContractNotAllowed   Code = "contract_not_allowed"
	ContractMismatch     Code = "contract_mismatch"
	ContractMissing      Code = "contract_missing"
	OutsideWindow        Code = "outside_window"
	QuoteExpired         Code = "quote_expired"
	SimulationRequired   Code = "simulation_required"
	SimulationFailed     Code = "simulation_failed"
	ConfirmationMismatch Code = "confirmation_mismatch"
	CapExceeded          Code = "cap_exceeded"
	UnsafeTransaction    Code = "unsafe_transaction"
	ApprovalRequired     Code = "approval_required"
	Auth                 Code = "auth"
	Upstream             Code = "upstream"
	ChainMismatch        Code = "chain_mismatch"
	TxUnknown            Code = "tx_unknown"
	TxReverted           Code = "tx_reverted"
	Partial              Code = "partial"
	Conflict             Code = "conflict"
	QuoteUsed            Code = "quote_used"
	NotFound             Code = "not_found"
	StateUnusable        Code = "state_unusable"
	NotDurable           Code = "not_durable"
	ChecksFailed         Code = "checks_failed"
	Usage                Code = "usage"
	Canceled             Code = "canceled"

	InvalidArguments  Code = "invalid_arguments"
	UnknownTool       Code = "unknown_tool"
	ToolDisabled      Code = "tool_disabled"
	ToolBudget        Code = "tool_budget_exhausted"
	PermissionDenied  Code = "permission_denied"
	PermissionUnknown Code = "unknown_permission"
	PermissionWrong   Code = "permission_mismatch"
	PermissionMissing Code = "permission_missing"
	PermissionExcess  Code = "permission_excess"
	LimitInvalid      Code = "limit_invalid"
	StaleReference    Code = "stale_reference"
	Killed            Code = "killed"
	ActionNotPending  Code = "action_not_pending"
	ActionStale       Code = "action_stale"
	ActionExpired     Code = "action_expired"
	SelfApproval      Code = "self_approval_forbidden"
	ReauthRequired    Code = "reauth_required"
	LockedOut         Code = "locked_out"
	TTYRequired       Code = "tty_required"
	NoConnection      Code = "no_connection"
	ConnInactive      Code = "connection_inactive"
	ModelUnavailable  Code = "model_unavailable"
	NameTaken         Code = "name_taken"
	ProviderError     Code = "provider_error"
	ProviderAuth      Code = "provider_auth"
	CostCap           Code = "cost_cap_reached"
	RateLimited       Code = "rate_limited"
	Timeout           Code = "timeout"
	OutcomeUnknown    Code = "outcome_unknown"
)

// Entry is one row of the table of codes.
type Entry struct {
	Code  Code
	Exit  int    // process exit status
	Retry string // may the caller run it again?
	Means string // one line for docs/errors.md
	Gate  bool   // a policy gate: recorded as policy.blocked
}

// Exit statuses. 2 is the Go runtime's own panic status and is never used.
const (
	ExitOK       = 0
	ExitInternal = 1
	ExitUsage    = 64
	ExitCanceled = 130
)

const (
	retryChange = "not without a change"
	retryFix    = "after fixing it"
)

// Table lists every code once, in the order of docs/errors.md.
var Table = []Entry{
	{Internal, 1, "treat as sent: maybe", "a fault of ours; details go to the log only", false},
	{PolicyBlocked, 3, retryChange, "policy refuses this", true},
	{Halted, 3, retryChange, "a HALT file stops everything that spends", true},
	{PolicyInvalid, 3, retryChange, "a policy or allowlist file can't be read strictly", true},
	{OutsideWindow, 3, retryChange, "it is not a time that execution.windows allows", true},
	{CurrencyNotAllowed, 3, retryChange, "the currency is not in nftBuy.currencyAllowlist, or what would leave a chain has no daily cap", true},
	{CollectionNotAllowed, 3, retryChange, "the collection is not on the allowlist, or has no contract address", true},
	{CollectionAmbiguous, 3, retryChange, "the name fits more than one collection", true},
	{ContractNotAllowed, 3, retryChange, "the transaction would call a contract that is not in execution.contractAllowlist, or one of foreign code that is not in v2.contractAllowlist", true},
	{PriceOverLimit, 3, retryChange, "the price, or what a transaction sends along, is over --max-price, nftBuy.maxPricePerTx, or the collection's or currency's own", true},
	{FeeOverLimit, 3, retryChange, "more of the price goes to others than the seller than nftBuy.maxMarketplaceFeeBps lets, or the bridge keeps more than bridge.maxBridgeFeeBps", true},
	{RouteNotAllowed, 3, retryChange, "the funds would not go between the policy's chain and another, or not to the account that pays", true},
	{MinimumNotMet, 3, retryChange, "the bridge promises less than was quoted or asked for, or no least amount at all", true},
	{QuoteExpired, 3, retryChange, "the quote or its order has expired", true},
	{SimulationRequired, 3, retryChange, "the quote has no passed simulation", true},
	{SimulationFailed, 3, retryChange, "the exact transaction would fail now", true},
	{ConfirmationMismatch, 3, retryChange, "the confirm phrase is missing or wrong", true},
	{CapExceeded, 3, retryChange, "the rolling 24 h cap would be passed", true},
	{UnsafeTransaction, 3, retryChange, "the marketplace's or the bridge's transaction is not exactly what was quoted", true},
	{ApprovalRequired, 4, "after the approval", "an action waits for a person", false},
	{Auth, 5, "after fixing them", "credentials or a key are missing, wrong or revoked", false},
	{Upstream, 6, "yes, unless sent says maybe", "RPC, marketplace, bridge or model: unreachable, an error status, or a rate limit", false},
	{ChainMismatch, 6, "yes, unless sent says maybe", "the RPC answers for another chain", false},
	{TxUnknown, 7, "no: resume first", "sent, or maybe sent, and no receipt yet", false},
	{TxReverted, 8, "new quote only", "the transaction was mined and failed", false},
	{Partial, 9, "only what the result lists as not done", "some of several were done", false},
	{Conflict, 10, "after the other run ends", "a lock is held, or a key or id is in use", false},
	{QuoteUsed, 10, "never", "the quote was bought already, or a purchase of it is open", false},
	{ContractMismatch, 3, retryChange, "what is at the address is not the contract that is meant: its code or its answers do not fit", false},
	{ContractMissing, 11, retryFix, "no address of the contract is known for this chain, or there is no code at it", false},
	{NotFound, 11, "no", "no such quote, event type, listing or file", false},
	{StateUnusable, 12, retryFix, "state or home is not a directory, not writable, full, from a newer version, or corrupt", false},
	{NotDurable, 12, retryFix, "the record could not be made durable; sent says whether something left", false},
	{ChecksFailed, 13, retryFix, "doctor found an issue", false},
	{Usage, 64, "after fixing the call", "the command line is wrong", false},
	{Canceled, 130, "yes", "canceled before anything was signed", false},

	{Killed, 3, retryChange, "the AI kill switch is on", false},
	{ToolDisabled, 3, retryChange, "the connection's preset does not allow this tool", false},
	{PermissionDenied, 3, retryChange, "the caller does not hold the permission", false},
	{ActionStale, 3, retryChange, "the facts of the action are no longer what was shown; look at it again", false},
	{ActionExpired, 3, retryChange, "the action's time to be approved is over", false},
	{StaleReference, 3, retryChange, "the arguments name a quote or plan that is unknown here, used or expired", false},
	{CostCap, 3, "when the day or the cap has changed", "the connection's cap of tokens or cost is reached", false},
	{ToolBudget, 3, retryChange, "the turn has used all the tool calls it may make", false},
	{SelfApproval, 4, "never", "what runs as a model's child can approve nothing", false},
	{ReauthRequired, 4, "after it", "the passphrase is needed, and was not given in the last ten minutes", false},
	{LockedOut, 4, "after the lock ends", "too many wrong passphrases", false},
	{TTYRequired, 4, "at a terminal", "only a person at a terminal may do this", false},
	{NoConnection, 5, retryFix, "no AI connection is named or made", false},
	{ConnInactive, 5, retryFix, "the AI connection does not answer: disabled, capped or in error", false},
	{ProviderAuth, 5, retryFix, "the model's provider refuses the key", false},
	{ProviderError, 6, "yes", "the model's provider answered with an error, or not at all", false},
	{RateLimited, 6, "after the time it names", "too many calls in too short a time", false},
	{Timeout, 6, "yes, unless sent says maybe", "it took longer than its limit", false},
	{OutcomeUnknown, 7, "no: resume first", "an approved action was cut off: it may have happened", false},
	{ActionNotPending, 10, "no", "the action was resolved already", false},
	{NameTaken, 10, "with another name", "the name is in use", false},
	{InvalidArguments, 64, "after fixing them", "the arguments do not fit the tool's schema", false},
	{UnknownTool, 64, "after fixing the call", "no such tool", false},
	{PermissionUnknown, 64, "after fixing the call", "no such permission", false},
	{PermissionWrong, 64, "after fixing the call", "the permission belongs to another tool", false},
	{PermissionMissing, 64, "after fixing the call", "the tool needs a permission that is not named", false},
	{PermissionExcess, 64, "after fixing the call", "more permissions are named than the tool needs", false},
	{LimitInvalid, 64, "after fixing the call", "the limit does not fit the permission or the action", false},
	{ModelUnavailable, 64, "with another model", "the connection does not list this model", false},
}

// ExitCode is the only place that maps an error to a process exit status.
func ExitCode(err error) int {
	if err == nil {
		return ExitOK
	}
	code := CodeOf(err)
	for _, e := range Table {
		if e.Code == code {
			return e.Exit
		}
	}
	return ExitInternal
}

// IsGate reports whether code is the code of a policy gate, whose refusals are
// recorded as policy.blocked.
func IsGate(code Code) bool {
	for _, e := range Table {
		if e.Code == code {
			return e.Gate
		}
	}
	return false
}
