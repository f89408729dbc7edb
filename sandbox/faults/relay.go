package faults

// onEthereum stands before the name of a fault of the second chain's node.
const onEthereum = "ethereum/"

// Ethereum returns the faults of the second chain's node.
func (s *Set) Ethereum() *Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ethereum == nil {
		s.ethereum = &Set{}
	}
	return s.ethereum
}

// Failures of the bridge's server.
const (
	RelayRateLimit Name = "relay-rate-limit"
	RelayHTTP      Name = "relay-http"
	RelayWait      Name = "relay-wait"
	RelayReset     Name = "relay-reset"
	RelayBadKey    Name = "relay-bad-key"
	RelayHTML      Name = "relay-html"
	RelayTruncated Name = "relay-truncated"
	RelayEndless   Name = "relay-endless"
	RelayRedirect  Name = "relay-redirect"
	RelayError     Name = "relay-error"
	RelayDisabled  Name = "relay-disabled"
	RelayMoved     Name = "relay-moved"
)

// Unusual quotes of the bridge that are honest.
const (
	RelayNumbers      Name = "relay-numbers"
	RelayApproveTwice Name = "relay-approve-twice"
	RelayNegativeFee  Name = "relay-negative-fee"
	RelayFee          Name = "relay-fee"
	RelayDearer       Name = "relay-dearer"
)

// Tampered quotes of the bridge.
const (
	RelayTamperContract    Name = "relay-tamper-contract"
	RelayTamperSpender     Name = "relay-tamper-spender"
	RelayTamperUnlimited   Name = "relay-tamper-unlimited"
	RelayTamperToken       Name = "relay-tamper-token"
	RelayTamperSender      Name = "relay-tamper-sender"
	RelayTamperChain       Name = "relay-tamper-chain"
	RelayTamperValue       Name = "relay-tamper-value"
	RelayTamperAmount      Name = "relay-tamper-amount"
	RelayTamperRecipient   Name = "relay-tamper-recipient"
	RelayTamperCurrency    Name = "relay-tamper-currency"
	RelayTamperDestination Name = "relay-tamper-destination"
	RelayTamperStep        Name = "relay-tamper-step"
	RelayTamperSignature   Name = "relay-tamper-signature"
	RelayTamperKind        Name = "relay-tamper-kind"
	RelayTamperSelector    Name = "relay-tamper-selector"
	RelayTamperSuffix      Name = "relay-tamper-suffix"
	RelayTamperEncoding    Name = "relay-tamper-encoding"
	RelayTamperDepositor   Name = "relay-tamper-depositor"
	RelayTamperID          Name = "relay-tamper-id"
	RelayTamperEndpoint    Name = "relay-tamper-endpoint"
	RelayTamperMinimum     Name = "relay-tamper-minimum"
	RelayTamperNoMinimum   Name = "relay-tamper-no-minimum"
	RelayTamperNoFees      Name = "relay-tamper-no-fees"
	RelayTamperDecimals    Name = "relay-tamper-decimals"
	RelayTamperTwice       Name = "relay-tamper-twice"
)

// What becomes of a transfer.
const (
	RelayStuck        Name = "relay-stuck"
	RelaySlow         Name = "relay-slow"
	RelayRefund       Name = "relay-refund"
	RelayRefunding    Name = "relay-refunding"
	RelayFailure      Name = "relay-failure"
	RelayUnderDeliver Name = "relay-under-deliver"
	RelayNoPayout     Name = "relay-no-payout"
	RelayOtherPayee   Name = "relay-other-payee"
	RelayStatus       Name = "relay-status"
	RelayOtherStatus  Name = "relay-other-status"
)

// Relay lists the faults of the bridge, in the order of the help text.
var Relay = []Kind{
	{RelayRateLimit, "seconds to wait", "1", "the bridge answers 429 with Retry-After"},
	{RelayHTTP, "HTTP status", "500", "the bridge answers an error status"},
	{RelayWait, "duration", "5s", "the bridge waits before it answers"},
	{RelayReset, "", "", "the bridge drops the connection"},
	{RelayBadKey, "", "", "the bridge refuses the API key"},
	{RelayHTML, "", "", "the bridge answers 200 with an HTML page"},
	{RelayTruncated, "", "", "the bridge's JSON is cut in half"},
	{RelayEndless, "", "", "the bridge's answer does not end before 64 MiB"},
	{RelayRedirect, "", "", "the bridge redirects to another host"},
	{RelayError, "error code", "NO_QUOTES", "the bridge refuses to quote"},
	{RelayDisabled, "", "", "the bridge says that its chains are disabled"},
	{RelayMoved, "", "", "the bridge names another depository, in its list of chains and in quotes"},

	{RelayNumbers, "", "", "amounts of a quote are JSON numbers, and chain ids strings"},
	{RelayApproveTwice, "", "", "a quote's approval is set to nothing first, as USDT wants it"},
	{RelayNegativeFee, "", "", "a part of the quoted fee is negative"},
	{RelayFee, "basis points", "250", "the bridge takes such a fee"},
	{RelayDearer, "basis points", "250", "the bridge takes such a fee when the same route is asked for again"},

	{RelayTamperContract, "", "", "the quote deposits in another contract"},
	{RelayTamperSpender, "", "", "the quote approves another spender"},
	{RelayTamperUnlimited, "", "", "the quote approves without a limit"},
	{RelayTamperToken, "", "", "the quote approves and deposits another token"},
	{RelayTamperSender, "", "", "the quote's transactions are from another account"},
	{RelayTamperChain, "", "", "the quote's transactions are for the destination's chain"},
	{RelayTamperValue, "", "", "the quote deposits 1 base unit more than it says"},
	{RelayTamperAmount, "", "", "the quote is for twice the amount that was asked for"},
	{RelayTamperRecipient, "", "", "the quote pays another recipient"},
	{RelayTamperCurrency, "", "", "the quote pays in another currency"},
	{RelayTamperDestination, "", "", "the quote pays on another chain"},
	{RelayTamperStep, "", "", "the quote has one more transaction, which pays somebody else"},
	{RelayTamperSignature, "", "", "the quote asks for a signature, too"},
	{RelayTamperKind, "", "", "the quote has a step that nobody knows"},
	{RelayTamperSelector, "", "", "the quote's deposit calls another function"},
	{RelayTamperSuffix, "", "", "the quote's deposit has more behind its arguments"},
	{RelayTamperEncoding, "", "", "the quote's deposit has ambiguous arguments"},
	{RelayTamperDepositor, "", "", "the quote deposits in another's name"},
	{RelayTamperID, "", "", "the quote deposits for another transfer"},
	{RelayTamperEndpoint, "", "", "the quote's status is asked for at another host"},
	{RelayTamperMinimum, "", "", "the quote promises half of what it shows"},
	{RelayTamperNoMinimum, "", "", "the quote promises no minimum"},
	{RelayTamperNoFees, "", "", "the quote does not say its fees"},
	{RelayTamperDecimals, "", "", "the quote's currencies have other decimals than they have"},
	{RelayTamperTwice, "", "", "the quote deposits twice"},

	{RelayStuck, "", "", "transfers are not filled while this is in force"},
	{RelaySlow, "duration", "2s", "transfers are filled so long after their deposit"},
	{RelayRefund, "", "", "transfers are refunded"},
	{RelayRefunding, "status answers", "3", "transfers are refunded after so many answers that say it is under way"},
	{RelayFailure, "", "", "transfers fail, and the deposit is kept"},
	{RelayUnderDeliver, "percent", "50", "transfers pay out so much of what was promised, and succeed"},
	{RelayNoPayout, "", "", "transfers succeed and pay nothing"},
	{RelayOtherPayee, "", "", "transfers pay somebody else, and succeed"},
	{RelayStatus, "status", "delayed", "the bridge says that every transfer has this status"},
	{RelayOtherStatus, "", "", "the bridge answers with another transfer's status"},
}
