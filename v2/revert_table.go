package v2

import (
	"slices"
	"sync"
)

// reverts are the errors that are known: Solidity's own, OpenZeppelin's, and
// those of our contracts.
var reverts = sync.OnceValue(func() []revert {
	var all []revert
	for _, e := range slices.Concat(solidityErrors, openZeppelinErrors, ownErrors) {
		r, err := newRevert(e.signature, e.means)
		if err != nil {
			panic(err) // a mistake in the tables below, which a test reads whole
		}
		all = append(all, r)
	}
	return all
})

// meaning is an error by its signature, with what it means.
type meaning struct{ signature, means string }

var solidityErrors = []meaning{
	{"Error(string)", `the contract says "%1"`},
	{"Panic(uint256)", ""}, // panics has the words
}

var openZeppelinErrors = []meaning{
	{"OwnableUnauthorizedAccount(address)", "%1 is not the contract's owner"},
	{"OwnableInvalidOwner(address)", "%1 can't be the owner"},
	{"ReentrancyGuardReentrantCall()", "the contract was called again from within its own call"},
	{"ERC721NonexistentToken(uint256)", "there is no skill or token %1"},
	{"ERC721IncorrectOwner(address,uint256,address)", "token %2 is owned by %3, not by %1"},
	{"ERC721InvalidOwner(address)", "%1 can't own a token"},
	{"ERC721InvalidSender(address)", "a token can't come from %1"},
	{"ERC721InvalidReceiver(address)", "%1 can't receive a token: it is a contract that does not take any, or the zero address"},
	{"ERC721InsufficientApproval(address,uint256)", "%1 neither owns token %2 nor is approved for it"},
	{"ERC721InvalidApprover(address)", "%1 can't approve others for a token"},
	{"ERC721InvalidOperator(address)", "%1 can't be approved"},
	{"ERC2981InvalidDefaultRoyalty(uint256,uint256)", "a royalty of %1 of %2 is more than the price"},
	{"ERC2981InvalidDefaultRoyaltyReceiver(address)", "%1 can't receive royalties"},
	{"ERC2981InvalidTokenRoyalty(uint256,uint256,uint256)", "a royalty of %2 of %3 is more than the price"},
	{"ERC2981InvalidTokenRoyaltyReceiver(uint256,address)", "%2 can't receive the royalties of %1"},
	{"ERC20InsufficientBalance(address,uint256,uint256)", "%1 has %2 base units of the token and would need %3"},
	{"ERC20InsufficientAllowance(address,uint256,uint256)", "%1 may take %2 base units of the token and would need %3"},
	{"ERC20InvalidSender(address)", "tokens can't come from %1"},
	{"ERC20InvalidReceiver(address)", "%1 can't receive tokens"},
	{"ERC20InvalidApprover(address)", "%1 can't approve others for its tokens"},
	{"ERC20InvalidSpender(address)", "%1 can't be approved for tokens"},
	{"SafeERC20FailedOperation(address)", "the token %1 refused the transfer"},
	{"SafeERC20FailedDecreaseAllowance(address,uint256,uint256)", "%1 may take %2 base units, which can't be lowered by %3"},
	{"SafeCastOverflowedUintDowncast(uint8,uint256)", "%2 does not fit in %1 bits"},
	{"AddressEmptyCode(address)", "there is no contract at %1"},
	{"InsufficientBalance(uint256,uint256)", "the contract has %1a and would need %2a"},
	{"FailedCall()", "a call that the contract made failed and said nothing"},
	{"FailedDeployment()", "a contract could not be created"},
	{"MissingPrecompile(address)", "this chain lacks what is to be at %1"},
}

// ownErrors are those of v2/contracts.
var ownErrors = []meaning{
	{"DuplicateMember(address)", "%1 would be a member of the vault twice"},
	{"ExpiryInPast(uint64,uint256)", "the intent would be over at %1t, and on chain it is %2t"},
	{"IntentAlreadyCancelled(uint256)", "intent %1 is cancelled already"},
	{"IntentNotFound(uint256)", "there is no intent %1"},
	{"InvalidMember(address)", "%1 can't be a member of the vault"},
	{"InvalidPolicyEngine(address)", "there is no policy engine at %1"},
	{"InvalidReceiptRegistry(address)", "there is no receipt registry at %1"},
	{"InvalidRecipient(address)", "nothing can be sent to %1"},
	{"InvalidRiskTier(uint8)", "a risk tier of %1 is none of 1, 2 and 3"},
	{"InvalidSkillNft(address)", "there is no contract of skills at %1"},
	{"MalformedInput()", "the module's input is not the encoding of a target and its call data"},
	{"MissingSelector()", "the call data of the target has no selector"},
	{"ModuleNotAllowed(address)", "the agent account's policy engine does not allow the module %1"},
	{"ModuleWithoutCode(address)", "there is no module at %1"},
	{"NoMembers()", "a vault needs a member"},
	{"NotAMember(address)", "%1 is no member of the vault"},
	{"NotAgentAccount(address,address)", "a module runs for the account that calls it: %2 is not %1"},
	{"NotIntentCreator(uint256,address)", "intent %1 was created by another than %2, and only its creator can cancel it"},
	{"NotSkillOwner(uint256,address)", "%2 does not own skill %1"},
	{"NotSkillOwnerOrApproved(uint256,address)", "%2 neither owns skill %1 nor is approved for it"},
	{"NothingToRelease(address)", "nothing is due to %1 now"},
	{"ParentSkillNotFound(uint256)", "there is no skill %1 to be the parent"},
	{"ReceiptAlreadyRecorded(bytes32,address)", "the trace has its receipt already, recorded by %2, and a receipt can't be changed"},
	{"ReceiptNotFound(bytes32)", "there is no receipt of the trace with hash %1"},
	{"RefundRefused(address,uint256)", "%1 would not take back the %2a that were left over"},
	{"Refused(uint256)", "the mock target refuses, with code %1"},
	{"RenouncingDisabled()", "the contract keeps an owner"},
	{"SelectorNotAllowed(bytes4)", "the agent account's policy engine does not allow the function %1"},
	{"SharesDoNotMatchMembers(uint256,uint256)", "%1 members were given and %2 shares"},
	{"TargetNotAllowed(address)", "the agent account's policy engine does not allow the target %1"},
	{"TargetWithoutCode(address)", "there is no contract at the target %1"},
	{"TokenNotMoved(address)", "the token %1 said that it paid, and paid nothing"},
	{"TooManyMembers(uint256)", "%1 members are more than a vault can have"},
	{"UnexpectedPayment(address)", "%1 sent APE to a module that runs nothing"},
	{"UriTooLong(uint256)", "a uri of %1 bytes is too long"},
	{"ValueAboveMax(uint256,uint256)", "the agent account's policy engine allows %2a a call at the most, and %1a would be sent"},
	{"VersionAlreadyPublished(uint256,bytes32)", "this version of skill %1 is published already"},
	{"VersionNotFound(uint256,uint256)", "skill %1 has no version with index %2"},
	{"ZeroIntentHash()", "an intent needs a hash that is not zero"},
	{"ZeroShares(address)", "%1 would have no share of the vault"},
	{"ZeroTraceIdHash()", "a receipt needs the hash of a trace"},
	{"ZeroVersionHash()", "a version needs a hash that is not zero"},
}
