package seaport

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"
)

// Revert is what a failed call said.
type Revert struct {
	Name   string // the error's name, or its selector: OrderAlreadyFilled, 0x12345678
	Reason string // in words
	Token  bool   // said by the token's contract, not by Seaport
}

// seaportWords has a sentence for every error of Seaport's ABI, also for those
// that none of the calls made here can meet.
var seaportWords = map[string]string{
	"OrderAlreadyFilled":                         "the order was already filled: somebody bought the token",
	"OrderIsCancelled":                           "the seller cancelled the order",
	"OrderPartiallyFilled":                       "the order was partly filled",
	"InvalidTime":                                "the order has not started or has expired",
	"InvalidSigner":                              "the order's signature is not the seller's (the seller may have cancelled all orders)",
	"InvalidSignature":                           "the order's signature is malformed",
	"BadSignatureV":                              "the order's signature is malformed",
	"BadContractSignature":                       "the seller's contract did not accept the order's signature",
	"InsufficientNativeTokensSupplied":           "less native currency was sent than the order costs",
	"InvalidMsgValue":                            "the amount of native currency sent is not what the order costs",
	"NativeTokenTransferGenericFailure":          "a recipient of the payment did not accept it",
	"TokenTransferGenericFailure":                "the token could not be transferred from the seller",
	"InvalidRestrictedOrder":                     "the marketplace's zone refused the order",
	"InvalidConduit":                             "the order names a conduit that does not exist",
	"InvalidCallToConduit":                       "the conduit refused the transfer",
	"NoContract":                                 "the token's contract does not exist on this chain",
	"ConsiderationNotMet":                        "a payment that the order asks for was not met",
	"MissingOriginalConsiderationItems":          "a payment that the order asks for is missing",
	"InvalidBasicOrderParameterEncoding":         "the calldata is not in the canonical encoding",
	"NoReentrantCalls":                           "a contract called Seaport again from inside the purchase",
	"PartialFillsNotEnabledForOrder":             "the order can't be filled in part",
	"BadFraction":                                "the order can't be filled in part",
	"InvalidContractOrder":                       "the seller's contract refused the order",
	"InvalidERC721TransferAmount":                "the order is for more than one of an ERC-721 token",
	"UnusedItemParameters":                       "the order has parameters that its items don't use",
	"ConsiderationLengthNotEqualToTotalOriginal": "the order's payments are not the signed ones",

	"BadReturnValueFromERC20OnTransfer":                    "a currency's contract did not say that it transferred",
	"CannotCancelOrder":                                    "only the seller or the order's zone may cancel the order",
	"ConsiderationCriteriaResolverOutOfRange":              "a choice is given for a payment that the order does not have",
	"CriteriaNotEnabledForItem":                            "a choice is given for an item that leaves none",
	"ERC1155BatchTransferGenericFailure":                   "the tokens could not be transferred from the seller in one batch",
	"InexactFraction":                                      "the asked part of the order is no whole number of its items",
	"Invalid1155BatchTransferEncoding":                     "the calldata of a batch of tokens is not in the canonical encoding",
	"InvalidFulfillmentComponentData":                      "the orders' items can't be put together as asked",
	"InvalidNativeOfferItem":                               "the order offers native currency, which a buyer can't be given so",
	"InvalidProof":                                         "the token is not among those that the order allows",
	"MismatchedFulfillmentOfferAndConsiderationComponents": "what is offered and what is asked for are not the same",
	"MissingFulfillmentComponentOnAggregation":             "an item is missing from what is put together",
	"MissingItemAmount":                                    "an item of the order has the amount zero",
	"NoSpecifiedOrdersAvailable":                           "none of the orders can be filled any more",
	"OfferAndConsiderationRequiredOnFulfillment":           "what is offered or what is asked for is missing",
	"OfferCriteriaResolverOutOfRange":                      "a choice is given for an item that the order does not offer",
	"OrderCriteriaResolverOutOfRange":                      "a choice is given for an order that is not there",
	"TStoreAlreadyActivated":                               "Seaport's storage for one transaction is switched on already",
	"TStoreNotSupported":                                   "the chain lacks the storage for one transaction that Seaport asks for",
	"TloadTestContractDeploymentFailed":                    "Seaport could not find out what storage the chain has",
	"UnresolvedConsiderationCriteria":                      "the order asks for a token of the buyer's choice, and none was chosen",
	"UnresolvedOfferCriteria":                              "the order offers a token of the buyer's choice, and none was chosen",
}

// tokenErrors are the errors of the common ERC-721 implementations
// (OpenZeppelin 5 by EIP-6093, and ERC721A), by signature.
var tokenErrors = map[string]string{
	"ERC721InsufficientApproval(address,uint256)":   "the seller has withdrawn the marketplace's approval to transfer the token",
	"ERC721IncorrectOwner(address,uint256,address)": "the seller no longer owns the token",
	"ERC721NonexistentToken(uint256)":               "the token does not exist",
	"ERC721InvalidReceiver(address)":                "the token's contract refuses the buyer as a receiver",
	"ERC721InvalidSender(address)":                  "the token's contract refuses the seller as a sender",
	"TransferFromIncorrectOwner()":                  "the seller no longer owns the token",
	"TransferCallerNotOwnerNorApproved()":           "the seller has withdrawn the marketplace's approval to transfer the token",
	"OwnerQueryForNonexistentToken()":               "the token does not exist",
	"ApprovalQueryForNonexistentToken()":            "the token does not exist",
	"TransferToNonERC721ReceiverImplementer()":      "the buyer is a contract that can't receive the token",
	"EnforcedPause()":                               "the token's contract is paused",
}

var tokenSelectors = sync.OnceValue(func() map[[4]byte]Revert {
	out := make(map[[4]byte]Revert, len(tokenErrors))
	for signature, reason := range tokenErrors {
		name, _, _ := strings.Cut(signature, "(")
		out[[4]byte(selector(signature))] = Revert{Name: name, Reason: reason, Token: true}
	}
	return out
})

// Explain puts the data of a revert into words. It is untrusted: a contract
// may revert with anything.
func Explain(data []byte) Revert {
	if len(data) < 4 {
		return Revert{Name: "unknown", Reason: "the call reverts without a reason"}
	}
	head := [4]byte(data[:4])
	for _, e := range contractABI().Errors {
		if bytes.Equal(e.ID[:4], head[:]) {
			return Revert{Name: e.Name, Reason: seaportReason(e.Name)}
		}
	}
	if r, ok := tokenSelectors()[head]; ok {
		return r
	}
	reason, err := abi.UnpackRevert(data)
	if err != nil {
		name := fmt.Sprintf("0x%x", head)
		return Revert{Name: name, Reason: "a contract refuses with the unknown error " + name, Token: true}
	}
	return Revert{Name: "Error", Reason: fmt.Sprintf("a contract refuses: %q", excerpt([]byte(reason))), Token: true}
}

func seaportReason(name string) string {
	if words, ok := seaportWords[name]; ok {
		return words
	}
	return "Seaport refuses: " + name
}
