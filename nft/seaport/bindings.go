// Code generated via abigen V2 - DO NOT EDIT.
// This file is a generated binding and any manual changes will be lost.

package seaport

import (
	"bytes"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Reference imports to suppress errors if they are not otherwise used.
var (
	_ = bytes.Equal
	_ = errors.New
	_ = big.NewInt
	_ = common.Big1
	_ = types.BloomLookup
	_ = abi.ConvertType
)

// AdditionalRecipient is an auto generated low-level Go binding around an user-defined struct.
type AdditionalRecipient struct {
	Amount    *big.Int
	Recipient common.Address
}

// AdvancedOrder is an auto generated low-level Go binding around an user-defined struct.
type AdvancedOrder struct {
	Parameters  OrderParameters
	Numerator   *big.Int
	Denominator *big.Int
	Signature   []byte
	ExtraData   []byte
}

// BasicOrderParameters is an auto generated low-level Go binding around an user-defined struct.
type BasicOrderParameters struct {
	ConsiderationToken                common.Address
	ConsiderationIdentifier           *big.Int
	ConsiderationAmount               *big.Int
	Offerer                           common.Address
	Zone                              common.Address
	OfferToken                        common.Address
	OfferIdentifier                   *big.Int
	OfferAmount                       *big.Int
	BasicOrderType                    uint8
	StartTime                         *big.Int
	EndTime                           *big.Int
	ZoneHash                          [32]byte
	Salt                              *big.Int
	OffererConduitKey                 [32]byte
	FulfillerConduitKey               [32]byte
	TotalOriginalAdditionalRecipients *big.Int
	AdditionalRecipients              []AdditionalRecipient
	Signature                         []byte
}

// ConsiderationItem is an auto generated low-level Go binding around an user-defined struct.
type ConsiderationItem struct {
	ItemType             uint8
	Token                common.Address
	IdentifierOrCriteria *big.Int
	StartAmount          *big.Int
	EndAmount            *big.Int
	Recipient            common.Address
}

// CriteriaResolver is an auto generated low-level Go binding around an user-defined struct.
type CriteriaResolver struct {
	OrderIndex    *big.Int
	Side          uint8
	Index         *big.Int
	Identifier    *big.Int
	CriteriaProof [][32]byte
}

// Execution is an auto generated low-level Go binding around an user-defined struct.
type Execution struct {
	Item       ReceivedItem
	Offerer    common.Address
	ConduitKey [32]byte
}

// Fulfillment is an auto generated low-level Go binding around an user-defined struct.
type Fulfillment struct {
	OfferComponents         []FulfillmentComponent
	ConsiderationComponents []FulfillmentComponent
}

// FulfillmentComponent is an auto generated low-level Go binding around an user-defined struct.
type FulfillmentComponent struct {
	OrderIndex *big.Int
	ItemIndex  *big.Int
}

// OfferItem is an auto generated low-level Go binding around an user-defined struct.
type OfferItem struct {
	ItemType             uint8
	Token                common.Address
	IdentifierOrCriteria *big.Int
	StartAmount          *big.Int
	EndAmount            *big.Int
}

// Order is an auto generated low-level Go binding around an user-defined struct.
type Order struct {
	Parameters OrderParameters
	Signature  []byte
}

// OrderComponents is an auto generated low-level Go binding around an user-defined struct.
type OrderComponents struct {
	Offerer       common.Address
	Zone          common.Address
	Offer         []OfferItem
	Consideration []ConsiderationItem
	OrderType     uint8
	StartTime     *big.Int
	EndTime       *big.Int
	ZoneHash      [32]byte
	Salt          *big.Int
	ConduitKey    [32]byte
	Counter       *big.Int
}

// OrderParameters is an auto generated low-level Go binding around an user-defined struct.
type OrderParameters struct {
	Offerer                         common.Address
	Zone                            common.Address
	Offer                           []OfferItem
	Consideration                   []ConsiderationItem
	OrderType                       uint8
	StartTime                       *big.Int
	EndTime                         *big.Int
	ZoneHash                        [32]byte
	Salt                            *big.Int
	ConduitKey                      [32]byte
	TotalOriginalConsiderationItems *big.Int
}

// ReceivedItem is an auto generated low-level Go binding around an user-defined struct.
type ReceivedItem struct {
	ItemType   uint8
	Token      common.Address
	Identifier *big.Int
	Amount     *big.Int
	Recipient  common.Address
}

// SpentItem is an auto generated low-level Go binding around an user-defined struct.
type SpentItem struct {
	ItemType   uint8
	Token      common.Address
	Identifier *big.Int
	Amount     *big.Int
}

// SeaportMetaData contains all meta data concerning the Seaport contract.
var SeaportMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"address\",\"name\":\"conduitController\",\"type\":\"address\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[],\"name\":\"BadContractSignature\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"BadFraction\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"BadReturnValueFromERC20OnTransfer\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint8\",\"name\":\"v\",\"type\":\"uint8\"}],\"name\":\"BadSignatureV\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"CannotCancelOrder\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ConsiderationCriteriaResolverOutOfRange\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ConsiderationLengthNotEqualToTotalOriginal\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"considerationIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"shortfallAmount\",\"type\":\"uint256\"}],\"name\":\"ConsiderationNotMet\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"CriteriaNotEnabledForItem\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256[]\",\"name\":\"identifiers\",\"type\":\"uint256[]\"},{\"internalType\":\"uint256[]\",\"name\":\"amounts\",\"type\":\"uint256[]\"}],\"name\":\"ERC1155BatchTransferGenericFailure\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InexactFraction\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InsufficientNativeTokensSupplied\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"Invalid1155BatchTransferEncoding\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidBasicOrderParameterEncoding\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"conduit\",\"type\":\"address\"}],\"name\":\"InvalidCallToConduit\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"conduit\",\"type\":\"address\"}],\"name\":\"InvalidConduit\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"orderHash\",\"type\":\"bytes32\"}],\"name\":\"InvalidContractOrder\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"InvalidERC721TransferAmount\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidFulfillmentComponentData\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"InvalidMsgValue\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidNativeOfferItem\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidProof\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"orderHash\",\"type\":\"bytes32\"}],\"name\":\"InvalidRestrictedOrder\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidSignature\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidSigner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"}],\"name\":\"InvalidTime\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"fulfillmentIndex\",\"type\":\"uint256\"}],\"name\":\"MismatchedFulfillmentOfferAndConsiderationComponents\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"enumSide\",\"name\":\"side\",\"type\":\"uint8\"}],\"name\":\"MissingFulfillmentComponentOnAggregation\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MissingItemAmount\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MissingOriginalConsiderationItems\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"NativeTokenTransferGenericFailure\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"NoContract\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NoReentrantCalls\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NoSpecifiedOrdersAvailable\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"OfferAndConsiderationRequiredOnFulfillment\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"OfferCriteriaResolverOutOfRange\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"orderHash\",\"type\":\"bytes32\"}],\"name\":\"OrderAlreadyFilled\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"enumSide\",\"name\":\"side\",\"type\":\"uint8\"}],\"name\":\"OrderCriteriaResolverOutOfRange\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"orderHash\",\"type\":\"bytes32\"}],\"name\":\"OrderIsCancelled\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"orderHash\",\"type\":\"bytes32\"}],\"name\":\"OrderPartiallyFilled\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"PartialFillsNotEnabledForOrder\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"TStoreAlreadyActivated\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"TStoreNotSupported\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"TloadTestContractDeploymentFailed\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"TokenTransferGenericFailure\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"considerationIndex\",\"type\":\"uint256\"}],\"name\":\"UnresolvedConsiderationCriteria\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"offerIndex\",\"type\":\"uint256\"}],\"name\":\"UnresolvedOfferCriteria\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"UnusedItemParameters\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"newCounter\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"}],\"name\":\"CounterIncremented\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"bytes32\",\"name\":\"orderHash\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"}],\"name\":\"OrderCancelled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"bytes32\",\"name\":\"orderHash\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"address\",\"name\":\"recipient\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"indexed\":false,\"internalType\":\"structSpentItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"indexed\":false,\"internalType\":\"structReceivedItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"}],\"name\":\"OrderFulfilled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"bytes32\",\"name\":\"orderHash\",\"type\":\"bytes32\"},{\"components\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"}],\"internalType\":\"structOfferItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structConsiderationItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"},{\"internalType\":\"enumOrderType\",\"name\":\"orderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"totalOriginalConsiderationItems\",\"type\":\"uint256\"}],\"indexed\":false,\"internalType\":\"structOrderParameters\",\"name\":\"orderParameters\",\"type\":\"tuple\"}],\"name\":\"OrderValidated\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"bytes32[]\",\"name\":\"orderHashes\",\"type\":\"bytes32[]\"}],\"name\":\"OrdersMatched\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"__activateTstore\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"}],\"internalType\":\"structOfferItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structConsiderationItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"},{\"internalType\":\"enumOrderType\",\"name\":\"orderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"counter\",\"type\":\"uint256\"}],\"internalType\":\"structOrderComponents[]\",\"name\":\"orders\",\"type\":\"tuple[]\"}],\"name\":\"cancel\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"cancelled\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"}],\"internalType\":\"structOfferItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structConsiderationItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"},{\"internalType\":\"enumOrderType\",\"name\":\"orderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"totalOriginalConsiderationItems\",\"type\":\"uint256\"}],\"internalType\":\"structOrderParameters\",\"name\":\"parameters\",\"type\":\"tuple\"},{\"internalType\":\"uint120\",\"name\":\"numerator\",\"type\":\"uint120\"},{\"internalType\":\"uint120\",\"name\":\"denominator\",\"type\":\"uint120\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"},{\"internalType\":\"bytes\",\"name\":\"extraData\",\"type\":\"bytes\"}],\"internalType\":\"structAdvancedOrder\",\"name\":\"\",\"type\":\"tuple\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"enumSide\",\"name\":\"side\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"identifier\",\"type\":\"uint256\"},{\"internalType\":\"bytes32[]\",\"name\":\"criteriaProof\",\"type\":\"bytes32[]\"}],\"internalType\":\"structCriteriaResolver[]\",\"name\":\"\",\"type\":\"tuple[]\"},{\"internalType\":\"bytes32\",\"name\":\"fulfillerConduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"recipient\",\"type\":\"address\"}],\"name\":\"fulfillAdvancedOrder\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"fulfilled\",\"type\":\"bool\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"}],\"internalType\":\"structOfferItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structConsiderationItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"},{\"internalType\":\"enumOrderType\",\"name\":\"orderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"totalOriginalConsiderationItems\",\"type\":\"uint256\"}],\"internalType\":\"structOrderParameters\",\"name\":\"parameters\",\"type\":\"tuple\"},{\"internalType\":\"uint120\",\"name\":\"numerator\",\"type\":\"uint120\"},{\"internalType\":\"uint120\",\"name\":\"denominator\",\"type\":\"uint120\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"},{\"internalType\":\"bytes\",\"name\":\"extraData\",\"type\":\"bytes\"}],\"internalType\":\"structAdvancedOrder[]\",\"name\":\"\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"enumSide\",\"name\":\"side\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"identifier\",\"type\":\"uint256\"},{\"internalType\":\"bytes32[]\",\"name\":\"criteriaProof\",\"type\":\"bytes32[]\"}],\"internalType\":\"structCriteriaResolver[]\",\"name\":\"\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"itemIndex\",\"type\":\"uint256\"}],\"internalType\":\"structFulfillmentComponent[][]\",\"name\":\"\",\"type\":\"tuple[][]\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"itemIndex\",\"type\":\"uint256\"}],\"internalType\":\"structFulfillmentComponent[][]\",\"name\":\"\",\"type\":\"tuple[][]\"},{\"internalType\":\"bytes32\",\"name\":\"fulfillerConduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"recipient\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"maximumFulfilled\",\"type\":\"uint256\"}],\"name\":\"fulfillAvailableAdvancedOrders\",\"outputs\":[{\"internalType\":\"bool[]\",\"name\":\"\",\"type\":\"bool[]\"},{\"components\":[{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structReceivedItem\",\"name\":\"item\",\"type\":\"tuple\"},{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"}],\"internalType\":\"structExecution[]\",\"name\":\"\",\"type\":\"tuple[]\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"}],\"internalType\":\"structOfferItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structConsiderationItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"},{\"internalType\":\"enumOrderType\",\"name\":\"orderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"totalOriginalConsiderationItems\",\"type\":\"uint256\"}],\"internalType\":\"structOrderParameters\",\"name\":\"parameters\",\"type\":\"tuple\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"}],\"internalType\":\"structOrder[]\",\"name\":\"\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"itemIndex\",\"type\":\"uint256\"}],\"internalType\":\"structFulfillmentComponent[][]\",\"name\":\"\",\"type\":\"tuple[][]\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"itemIndex\",\"type\":\"uint256\"}],\"internalType\":\"structFulfillmentComponent[][]\",\"name\":\"\",\"type\":\"tuple[][]\"},{\"internalType\":\"bytes32\",\"name\":\"fulfillerConduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"maximumFulfilled\",\"type\":\"uint256\"}],\"name\":\"fulfillAvailableOrders\",\"outputs\":[{\"internalType\":\"bool[]\",\"name\":\"\",\"type\":\"bool[]\"},{\"components\":[{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structReceivedItem\",\"name\":\"item\",\"type\":\"tuple\"},{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"}],\"internalType\":\"structExecution[]\",\"name\":\"\",\"type\":\"tuple[]\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"considerationToken\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"considerationIdentifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"considerationAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"offerToken\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"offerIdentifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"offerAmount\",\"type\":\"uint256\"},{\"internalType\":\"enumBasicOrderType\",\"name\":\"basicOrderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"offererConduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"fulfillerConduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"totalOriginalAdditionalRecipients\",\"type\":\"uint256\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structAdditionalRecipient[]\",\"name\":\"additionalRecipients\",\"type\":\"tuple[]\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"}],\"internalType\":\"structBasicOrderParameters\",\"name\":\"\",\"type\":\"tuple\"}],\"name\":\"fulfillBasicOrder\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"fulfilled\",\"type\":\"bool\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"considerationToken\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"considerationIdentifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"considerationAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"offerToken\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"offerIdentifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"offerAmount\",\"type\":\"uint256\"},{\"internalType\":\"enumBasicOrderType\",\"name\":\"basicOrderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"offererConduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"fulfillerConduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"totalOriginalAdditionalRecipients\",\"type\":\"uint256\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structAdditionalRecipient[]\",\"name\":\"additionalRecipients\",\"type\":\"tuple[]\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"}],\"internalType\":\"structBasicOrderParameters\",\"name\":\"\",\"type\":\"tuple\"}],\"name\":\"fulfillBasicOrder_efficient_6GL6yc\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"fulfilled\",\"type\":\"bool\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"}],\"internalType\":\"structOfferItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structConsiderationItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"},{\"internalType\":\"enumOrderType\",\"name\":\"orderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"totalOriginalConsiderationItems\",\"type\":\"uint256\"}],\"internalType\":\"structOrderParameters\",\"name\":\"parameters\",\"type\":\"tuple\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"}],\"internalType\":\"structOrder\",\"name\":\"\",\"type\":\"tuple\"},{\"internalType\":\"bytes32\",\"name\":\"fulfillerConduitKey\",\"type\":\"bytes32\"}],\"name\":\"fulfillOrder\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"fulfilled\",\"type\":\"bool\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"contractOfferer\",\"type\":\"address\"}],\"name\":\"getContractOffererNonce\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"nonce\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"}],\"name\":\"getCounter\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"counter\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"}],\"internalType\":\"structOfferItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structConsiderationItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"},{\"internalType\":\"enumOrderType\",\"name\":\"orderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"counter\",\"type\":\"uint256\"}],\"internalType\":\"structOrderComponents\",\"name\":\"\",\"type\":\"tuple\"}],\"name\":\"getOrderHash\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"orderHash\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"orderHash\",\"type\":\"bytes32\"}],\"name\":\"getOrderStatus\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"isValidated\",\"type\":\"bool\"},{\"internalType\":\"bool\",\"name\":\"isCancelled\",\"type\":\"bool\"},{\"internalType\":\"uint256\",\"name\":\"totalFilled\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"totalSize\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"incrementCounter\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"newCounter\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"information\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"version\",\"type\":\"string\"},{\"internalType\":\"bytes32\",\"name\":\"domainSeparator\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"conduitController\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"}],\"internalType\":\"structOfferItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structConsiderationItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"},{\"internalType\":\"enumOrderType\",\"name\":\"orderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"totalOriginalConsiderationItems\",\"type\":\"uint256\"}],\"internalType\":\"structOrderParameters\",\"name\":\"parameters\",\"type\":\"tuple\"},{\"internalType\":\"uint120\",\"name\":\"numerator\",\"type\":\"uint120\"},{\"internalType\":\"uint120\",\"name\":\"denominator\",\"type\":\"uint120\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"},{\"internalType\":\"bytes\",\"name\":\"extraData\",\"type\":\"bytes\"}],\"internalType\":\"structAdvancedOrder[]\",\"name\":\"\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"enumSide\",\"name\":\"side\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"identifier\",\"type\":\"uint256\"},{\"internalType\":\"bytes32[]\",\"name\":\"criteriaProof\",\"type\":\"bytes32[]\"}],\"internalType\":\"structCriteriaResolver[]\",\"name\":\"\",\"type\":\"tuple[]\"},{\"components\":[{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"itemIndex\",\"type\":\"uint256\"}],\"internalType\":\"structFulfillmentComponent[]\",\"name\":\"offerComponents\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"itemIndex\",\"type\":\"uint256\"}],\"internalType\":\"structFulfillmentComponent[]\",\"name\":\"considerationComponents\",\"type\":\"tuple[]\"}],\"internalType\":\"structFulfillment[]\",\"name\":\"\",\"type\":\"tuple[]\"},{\"internalType\":\"address\",\"name\":\"recipient\",\"type\":\"address\"}],\"name\":\"matchAdvancedOrders\",\"outputs\":[{\"components\":[{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structReceivedItem\",\"name\":\"item\",\"type\":\"tuple\"},{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"}],\"internalType\":\"structExecution[]\",\"name\":\"\",\"type\":\"tuple[]\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"}],\"internalType\":\"structOfferItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structConsiderationItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"},{\"internalType\":\"enumOrderType\",\"name\":\"orderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"totalOriginalConsiderationItems\",\"type\":\"uint256\"}],\"internalType\":\"structOrderParameters\",\"name\":\"parameters\",\"type\":\"tuple\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"}],\"internalType\":\"structOrder[]\",\"name\":\"\",\"type\":\"tuple[]\"},{\"components\":[{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"itemIndex\",\"type\":\"uint256\"}],\"internalType\":\"structFulfillmentComponent[]\",\"name\":\"offerComponents\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"uint256\",\"name\":\"orderIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"itemIndex\",\"type\":\"uint256\"}],\"internalType\":\"structFulfillmentComponent[]\",\"name\":\"considerationComponents\",\"type\":\"tuple[]\"}],\"internalType\":\"structFulfillment[]\",\"name\":\"\",\"type\":\"tuple[]\"}],\"name\":\"matchOrders\",\"outputs\":[{\"components\":[{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifier\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structReceivedItem\",\"name\":\"item\",\"type\":\"tuple\"},{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"}],\"internalType\":\"structExecution[]\",\"name\":\"\",\"type\":\"tuple[]\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"name\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"pure\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"offerer\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"zone\",\"type\":\"address\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"}],\"internalType\":\"structOfferItem[]\",\"name\":\"offer\",\"type\":\"tuple[]\"},{\"components\":[{\"internalType\":\"enumItemType\",\"name\":\"itemType\",\"type\":\"uint8\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"identifierOrCriteria\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"startAmount\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endAmount\",\"type\":\"uint256\"},{\"internalType\":\"addresspayable\",\"name\":\"recipient\",\"type\":\"address\"}],\"internalType\":\"structConsiderationItem[]\",\"name\":\"consideration\",\"type\":\"tuple[]\"},{\"internalType\":\"enumOrderType\",\"name\":\"orderType\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"startTime\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endTime\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"zoneHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"salt\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"conduitKey\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"totalOriginalConsiderationItems\",\"type\":\"uint256\"}],\"internalType\":\"structOrderParameters\",\"name\":\"parameters\",\"type\":\"tuple\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"}],\"internalType\":\"structOrder[]\",\"name\":\"\",\"type\":\"tuple[]\"}],\"name\":\"validate\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"stateMutability\":\"payable\",\"type\":\"receive\"}]",
	ID:  "Seaport",
}

// Seaport is an auto generated Go binding around an Ethereum contract.
type Seaport struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *Seaport) GetABI() abi.ABI {
	return c.abi
}

// NewSeaport creates a new instance of Seaport.
func NewSeaport() *Seaport {
	parsed, err := SeaportMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &Seaport{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *Seaport) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(address conduitController) returns()
func (seaport *Seaport) PackConstructor(conduitController common.Address) []byte {
	enc, err := seaport.abi.Pack("", conduitController)
	if err != nil {
		panic(err)
	}
	return enc
}

// PackActivateTstore is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7423eb3c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function __activateTstore() returns()
func (seaport *Seaport) PackActivateTstore() []byte {
	enc, err := seaport.abi.Pack("__activateTstore")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackActivateTstore is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7423eb3c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function __activateTstore() returns()
func (seaport *Seaport) TryPackActivateTstore() ([]byte, error) {
	return seaport.abi.Pack("__activateTstore")
}

// PackCancel is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfd9f1e10.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function cancel((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256)[] orders) returns(bool cancelled)
func (seaport *Seaport) PackCancel(orders []OrderComponents) []byte {
	enc, err := seaport.abi.Pack("cancel", orders)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCancel is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfd9f1e10.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function cancel((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256)[] orders) returns(bool cancelled)
func (seaport *Seaport) TryPackCancel(orders []OrderComponents) ([]byte, error) {
	return seaport.abi.Pack("cancel", orders)
}

// UnpackCancel is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfd9f1e10.
//
// Solidity: function cancel((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256)[] orders) returns(bool cancelled)
func (seaport *Seaport) UnpackCancel(data []byte) (bool, error) {
	out, err := seaport.abi.Unpack("cancel", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackFulfillAdvancedOrder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe7acab24.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fulfillAdvancedOrder(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes) , (uint256,uint8,uint256,uint256,bytes32[])[] , bytes32 fulfillerConduitKey, address recipient) payable returns(bool fulfilled)
func (seaport *Seaport) PackFulfillAdvancedOrder(arg0 AdvancedOrder, arg1 []CriteriaResolver, fulfillerConduitKey [32]byte, recipient common.Address) []byte {
	enc, err := seaport.abi.Pack("fulfillAdvancedOrder", arg0, arg1, fulfillerConduitKey, recipient)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFulfillAdvancedOrder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe7acab24.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fulfillAdvancedOrder(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes) , (uint256,uint8,uint256,uint256,bytes32[])[] , bytes32 fulfillerConduitKey, address recipient) payable returns(bool fulfilled)
func (seaport *Seaport) TryPackFulfillAdvancedOrder(arg0 AdvancedOrder, arg1 []CriteriaResolver, fulfillerConduitKey [32]byte, recipient common.Address) ([]byte, error) {
	return seaport.abi.Pack("fulfillAdvancedOrder", arg0, arg1, fulfillerConduitKey, recipient)
}

// UnpackFulfillAdvancedOrder is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe7acab24.
//
// Solidity: function fulfillAdvancedOrder(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes) , (uint256,uint8,uint256,uint256,bytes32[])[] , bytes32 fulfillerConduitKey, address recipient) payable returns(bool fulfilled)
func (seaport *Seaport) UnpackFulfillAdvancedOrder(data []byte) (bool, error) {
	out, err := seaport.abi.Unpack("fulfillAdvancedOrder", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackFulfillAvailableAdvancedOrders is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x87201b41.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fulfillAvailableAdvancedOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes)[] , (uint256,uint8,uint256,uint256,bytes32[])[] , (uint256,uint256)[][] , (uint256,uint256)[][] , bytes32 fulfillerConduitKey, address recipient, uint256 maximumFulfilled) payable returns(bool[], ((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) PackFulfillAvailableAdvancedOrders(arg0 []AdvancedOrder, arg1 []CriteriaResolver, arg2 [][]FulfillmentComponent, arg3 [][]FulfillmentComponent, fulfillerConduitKey [32]byte, recipient common.Address, maximumFulfilled *big.Int) []byte {
	enc, err := seaport.abi.Pack("fulfillAvailableAdvancedOrders", arg0, arg1, arg2, arg3, fulfillerConduitKey, recipient, maximumFulfilled)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFulfillAvailableAdvancedOrders is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x87201b41.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fulfillAvailableAdvancedOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes)[] , (uint256,uint8,uint256,uint256,bytes32[])[] , (uint256,uint256)[][] , (uint256,uint256)[][] , bytes32 fulfillerConduitKey, address recipient, uint256 maximumFulfilled) payable returns(bool[], ((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) TryPackFulfillAvailableAdvancedOrders(arg0 []AdvancedOrder, arg1 []CriteriaResolver, arg2 [][]FulfillmentComponent, arg3 [][]FulfillmentComponent, fulfillerConduitKey [32]byte, recipient common.Address, maximumFulfilled *big.Int) ([]byte, error) {
	return seaport.abi.Pack("fulfillAvailableAdvancedOrders", arg0, arg1, arg2, arg3, fulfillerConduitKey, recipient, maximumFulfilled)
}

// FulfillAvailableAdvancedOrdersOutput serves as a container for the return parameters of contract
// method FulfillAvailableAdvancedOrders.
type FulfillAvailableAdvancedOrdersOutput struct {
	Arg0 []bool
	Arg1 []Execution
}

// UnpackFulfillAvailableAdvancedOrders is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x87201b41.
//
// Solidity: function fulfillAvailableAdvancedOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes)[] , (uint256,uint8,uint256,uint256,bytes32[])[] , (uint256,uint256)[][] , (uint256,uint256)[][] , bytes32 fulfillerConduitKey, address recipient, uint256 maximumFulfilled) payable returns(bool[], ((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) UnpackFulfillAvailableAdvancedOrders(data []byte) (FulfillAvailableAdvancedOrdersOutput, error) {
	out, err := seaport.abi.Unpack("fulfillAvailableAdvancedOrders", data)
	outstruct := new(FulfillAvailableAdvancedOrdersOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Arg0 = *abi.ConvertType(out[0], new([]bool)).(*[]bool)
	outstruct.Arg1 = *abi.ConvertType(out[1], new([]Execution)).(*[]Execution)
	return *outstruct, nil
}

// PackFulfillAvailableOrders is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xed98a574.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fulfillAvailableOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[] , (uint256,uint256)[][] , (uint256,uint256)[][] , bytes32 fulfillerConduitKey, uint256 maximumFulfilled) payable returns(bool[], ((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) PackFulfillAvailableOrders(arg0 []Order, arg1 [][]FulfillmentComponent, arg2 [][]FulfillmentComponent, fulfillerConduitKey [32]byte, maximumFulfilled *big.Int) []byte {
	enc, err := seaport.abi.Pack("fulfillAvailableOrders", arg0, arg1, arg2, fulfillerConduitKey, maximumFulfilled)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFulfillAvailableOrders is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xed98a574.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fulfillAvailableOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[] , (uint256,uint256)[][] , (uint256,uint256)[][] , bytes32 fulfillerConduitKey, uint256 maximumFulfilled) payable returns(bool[], ((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) TryPackFulfillAvailableOrders(arg0 []Order, arg1 [][]FulfillmentComponent, arg2 [][]FulfillmentComponent, fulfillerConduitKey [32]byte, maximumFulfilled *big.Int) ([]byte, error) {
	return seaport.abi.Pack("fulfillAvailableOrders", arg0, arg1, arg2, fulfillerConduitKey, maximumFulfilled)
}

// FulfillAvailableOrdersOutput serves as a container for the return parameters of contract
// method FulfillAvailableOrders.
type FulfillAvailableOrdersOutput struct {
	Arg0 []bool
	Arg1 []Execution
}

// UnpackFulfillAvailableOrders is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xed98a574.
//
// Solidity: function fulfillAvailableOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[] , (uint256,uint256)[][] , (uint256,uint256)[][] , bytes32 fulfillerConduitKey, uint256 maximumFulfilled) payable returns(bool[], ((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) UnpackFulfillAvailableOrders(data []byte) (FulfillAvailableOrdersOutput, error) {
	out, err := seaport.abi.Unpack("fulfillAvailableOrders", data)
	outstruct := new(FulfillAvailableOrdersOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Arg0 = *abi.ConvertType(out[0], new([]bool)).(*[]bool)
	outstruct.Arg1 = *abi.ConvertType(out[1], new([]Execution)).(*[]Execution)
	return *outstruct, nil
}

// PackFulfillBasicOrder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfb0f3ee1.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fulfillBasicOrder((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes) ) payable returns(bool fulfilled)
func (seaport *Seaport) PackFulfillBasicOrder(arg0 BasicOrderParameters) []byte {
	enc, err := seaport.abi.Pack("fulfillBasicOrder", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFulfillBasicOrder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfb0f3ee1.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fulfillBasicOrder((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes) ) payable returns(bool fulfilled)
func (seaport *Seaport) TryPackFulfillBasicOrder(arg0 BasicOrderParameters) ([]byte, error) {
	return seaport.abi.Pack("fulfillBasicOrder", arg0)
}

// UnpackFulfillBasicOrder is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfb0f3ee1.
//
// Solidity: function fulfillBasicOrder((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes) ) payable returns(bool fulfilled)
func (seaport *Seaport) UnpackFulfillBasicOrder(data []byte) (bool, error) {
	out, err := seaport.abi.Unpack("fulfillBasicOrder", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackFulfillBasicOrderEfficient6GL6yc is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x00000000.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fulfillBasicOrder_efficient_6GL6yc((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes) ) payable returns(bool fulfilled)
func (seaport *Seaport) PackFulfillBasicOrderEfficient6GL6yc(arg0 BasicOrderParameters) []byte {
	enc, err := seaport.abi.Pack("fulfillBasicOrder_efficient_6GL6yc", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFulfillBasicOrderEfficient6GL6yc is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x00000000.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fulfillBasicOrder_efficient_6GL6yc((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes) ) payable returns(bool fulfilled)
func (seaport *Seaport) TryPackFulfillBasicOrderEfficient6GL6yc(arg0 BasicOrderParameters) ([]byte, error) {
	return seaport.abi.Pack("fulfillBasicOrder_efficient_6GL6yc", arg0)
}

// UnpackFulfillBasicOrderEfficient6GL6yc is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x00000000.
//
// Solidity: function fulfillBasicOrder_efficient_6GL6yc((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes) ) payable returns(bool fulfilled)
func (seaport *Seaport) UnpackFulfillBasicOrderEfficient6GL6yc(data []byte) (bool, error) {
	out, err := seaport.abi.Unpack("fulfillBasicOrder_efficient_6GL6yc", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackFulfillOrder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb3a34c4c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fulfillOrder(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes) , bytes32 fulfillerConduitKey) payable returns(bool fulfilled)
func (seaport *Seaport) PackFulfillOrder(arg0 Order, fulfillerConduitKey [32]byte) []byte {
	enc, err := seaport.abi.Pack("fulfillOrder", arg0, fulfillerConduitKey)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFulfillOrder is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb3a34c4c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fulfillOrder(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes) , bytes32 fulfillerConduitKey) payable returns(bool fulfilled)
func (seaport *Seaport) TryPackFulfillOrder(arg0 Order, fulfillerConduitKey [32]byte) ([]byte, error) {
	return seaport.abi.Pack("fulfillOrder", arg0, fulfillerConduitKey)
}

// UnpackFulfillOrder is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xb3a34c4c.
//
// Solidity: function fulfillOrder(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes) , bytes32 fulfillerConduitKey) payable returns(bool fulfilled)
func (seaport *Seaport) UnpackFulfillOrder(data []byte) (bool, error) {
	out, err := seaport.abi.Unpack("fulfillOrder", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackGetContractOffererNonce is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa900866b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getContractOffererNonce(address contractOfferer) view returns(uint256 nonce)
func (seaport *Seaport) PackGetContractOffererNonce(contractOfferer common.Address) []byte {
	enc, err := seaport.abi.Pack("getContractOffererNonce", contractOfferer)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetContractOffererNonce is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa900866b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getContractOffererNonce(address contractOfferer) view returns(uint256 nonce)
func (seaport *Seaport) TryPackGetContractOffererNonce(contractOfferer common.Address) ([]byte, error) {
	return seaport.abi.Pack("getContractOffererNonce", contractOfferer)
}

// UnpackGetContractOffererNonce is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa900866b.
//
// Solidity: function getContractOffererNonce(address contractOfferer) view returns(uint256 nonce)
func (seaport *Seaport) UnpackGetContractOffererNonce(data []byte) (*big.Int, error) {
	out, err := seaport.abi.Unpack("getContractOffererNonce", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetCounter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf07ec373.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getCounter(address offerer) view returns(uint256 counter)
func (seaport *Seaport) PackGetCounter(offerer common.Address) []byte {
	enc, err := seaport.abi.Pack("getCounter", offerer)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetCounter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf07ec373.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getCounter(address offerer) view returns(uint256 counter)
func (seaport *Seaport) TryPackGetCounter(offerer common.Address) ([]byte, error) {
	return seaport.abi.Pack("getCounter", offerer)
}

// UnpackGetCounter is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf07ec373.
//
// Solidity: function getCounter(address offerer) view returns(uint256 counter)
func (seaport *Seaport) UnpackGetCounter(data []byte) (*big.Int, error) {
	out, err := seaport.abi.Unpack("getCounter", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetOrderHash is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x79df72bd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getOrderHash((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256) ) view returns(bytes32 orderHash)
func (seaport *Seaport) PackGetOrderHash(arg0 OrderComponents) []byte {
	enc, err := seaport.abi.Pack("getOrderHash", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetOrderHash is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x79df72bd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getOrderHash((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256) ) view returns(bytes32 orderHash)
func (seaport *Seaport) TryPackGetOrderHash(arg0 OrderComponents) ([]byte, error) {
	return seaport.abi.Pack("getOrderHash", arg0)
}

// UnpackGetOrderHash is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x79df72bd.
//
// Solidity: function getOrderHash((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256) ) view returns(bytes32 orderHash)
func (seaport *Seaport) UnpackGetOrderHash(data []byte) ([32]byte, error) {
	out, err := seaport.abi.Unpack("getOrderHash", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackGetOrderStatus is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x46423aa7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getOrderStatus(bytes32 orderHash) view returns(bool isValidated, bool isCancelled, uint256 totalFilled, uint256 totalSize)
func (seaport *Seaport) PackGetOrderStatus(orderHash [32]byte) []byte {
	enc, err := seaport.abi.Pack("getOrderStatus", orderHash)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetOrderStatus is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x46423aa7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getOrderStatus(bytes32 orderHash) view returns(bool isValidated, bool isCancelled, uint256 totalFilled, uint256 totalSize)
func (seaport *Seaport) TryPackGetOrderStatus(orderHash [32]byte) ([]byte, error) {
	return seaport.abi.Pack("getOrderStatus", orderHash)
}

// GetOrderStatusOutput serves as a container for the return parameters of contract
// method GetOrderStatus.
type GetOrderStatusOutput struct {
	IsValidated bool
	IsCancelled bool
	TotalFilled *big.Int
	TotalSize   *big.Int
}

// UnpackGetOrderStatus is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x46423aa7.
//
// Solidity: function getOrderStatus(bytes32 orderHash) view returns(bool isValidated, bool isCancelled, uint256 totalFilled, uint256 totalSize)
func (seaport *Seaport) UnpackGetOrderStatus(data []byte) (GetOrderStatusOutput, error) {
	out, err := seaport.abi.Unpack("getOrderStatus", data)
	outstruct := new(GetOrderStatusOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.IsValidated = *abi.ConvertType(out[0], new(bool)).(*bool)
	outstruct.IsCancelled = *abi.ConvertType(out[1], new(bool)).(*bool)
	outstruct.TotalFilled = abi.ConvertType(out[2], new(big.Int)).(*big.Int)
	outstruct.TotalSize = abi.ConvertType(out[3], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackIncrementCounter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5b34b966.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function incrementCounter() returns(uint256 newCounter)
func (seaport *Seaport) PackIncrementCounter() []byte {
	enc, err := seaport.abi.Pack("incrementCounter")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIncrementCounter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5b34b966.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function incrementCounter() returns(uint256 newCounter)
func (seaport *Seaport) TryPackIncrementCounter() ([]byte, error) {
	return seaport.abi.Pack("incrementCounter")
}

// UnpackIncrementCounter is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5b34b966.
//
// Solidity: function incrementCounter() returns(uint256 newCounter)
func (seaport *Seaport) UnpackIncrementCounter(data []byte) (*big.Int, error) {
	out, err := seaport.abi.Unpack("incrementCounter", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackInformation is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf47b7740.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function information() view returns(string version, bytes32 domainSeparator, address conduitController)
func (seaport *Seaport) PackInformation() []byte {
	enc, err := seaport.abi.Pack("information")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackInformation is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf47b7740.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function information() view returns(string version, bytes32 domainSeparator, address conduitController)
func (seaport *Seaport) TryPackInformation() ([]byte, error) {
	return seaport.abi.Pack("information")
}

// InformationOutput serves as a container for the return parameters of contract
// method Information.
type InformationOutput struct {
	Version           string
	DomainSeparator   [32]byte
	ConduitController common.Address
}

// UnpackInformation is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf47b7740.
//
// Solidity: function information() view returns(string version, bytes32 domainSeparator, address conduitController)
func (seaport *Seaport) UnpackInformation(data []byte) (InformationOutput, error) {
	out, err := seaport.abi.Unpack("information", data)
	outstruct := new(InformationOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Version = *abi.ConvertType(out[0], new(string)).(*string)
	outstruct.DomainSeparator = *abi.ConvertType(out[1], new([32]byte)).(*[32]byte)
	outstruct.ConduitController = *abi.ConvertType(out[2], new(common.Address)).(*common.Address)
	return *outstruct, nil
}

// PackMatchAdvancedOrders is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf2d12b12.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function matchAdvancedOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes)[] , (uint256,uint8,uint256,uint256,bytes32[])[] , ((uint256,uint256)[],(uint256,uint256)[])[] , address recipient) payable returns(((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) PackMatchAdvancedOrders(arg0 []AdvancedOrder, arg1 []CriteriaResolver, arg2 []Fulfillment, recipient common.Address) []byte {
	enc, err := seaport.abi.Pack("matchAdvancedOrders", arg0, arg1, arg2, recipient)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMatchAdvancedOrders is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf2d12b12.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function matchAdvancedOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes)[] , (uint256,uint8,uint256,uint256,bytes32[])[] , ((uint256,uint256)[],(uint256,uint256)[])[] , address recipient) payable returns(((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) TryPackMatchAdvancedOrders(arg0 []AdvancedOrder, arg1 []CriteriaResolver, arg2 []Fulfillment, recipient common.Address) ([]byte, error) {
	return seaport.abi.Pack("matchAdvancedOrders", arg0, arg1, arg2, recipient)
}

// UnpackMatchAdvancedOrders is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf2d12b12.
//
// Solidity: function matchAdvancedOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes)[] , (uint256,uint8,uint256,uint256,bytes32[])[] , ((uint256,uint256)[],(uint256,uint256)[])[] , address recipient) payable returns(((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) UnpackMatchAdvancedOrders(data []byte) ([]Execution, error) {
	out, err := seaport.abi.Unpack("matchAdvancedOrders", data)
	if err != nil {
		return *new([]Execution), err
	}
	out0 := *abi.ConvertType(out[0], new([]Execution)).(*[]Execution)
	return out0, nil
}

// PackMatchOrders is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa8174404.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function matchOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[] , ((uint256,uint256)[],(uint256,uint256)[])[] ) payable returns(((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) PackMatchOrders(arg0 []Order, arg1 []Fulfillment) []byte {
	enc, err := seaport.abi.Pack("matchOrders", arg0, arg1)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMatchOrders is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa8174404.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function matchOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[] , ((uint256,uint256)[],(uint256,uint256)[])[] ) payable returns(((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) TryPackMatchOrders(arg0 []Order, arg1 []Fulfillment) ([]byte, error) {
	return seaport.abi.Pack("matchOrders", arg0, arg1)
}

// UnpackMatchOrders is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa8174404.
//
// Solidity: function matchOrders(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[] , ((uint256,uint256)[],(uint256,uint256)[])[] ) payable returns(((uint8,address,uint256,uint256,address),address,bytes32)[])
func (seaport *Seaport) UnpackMatchOrders(data []byte) ([]Execution, error) {
	out, err := seaport.abi.Unpack("matchOrders", data)
	if err != nil {
		return *new([]Execution), err
	}
	out0 := *abi.ConvertType(out[0], new([]Execution)).(*[]Execution)
	return out0, nil
}

// PackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function name() pure returns(string)
func (seaport *Seaport) PackName() []byte {
	enc, err := seaport.abi.Pack("name")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function name() pure returns(string)
func (seaport *Seaport) TryPackName() ([]byte, error) {
	return seaport.abi.Pack("name")
}

// UnpackName is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x06fdde03.
//
// Solidity: function name() pure returns(string)
func (seaport *Seaport) UnpackName(data []byte) (string, error) {
	out, err := seaport.abi.Unpack("name", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackValidate is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x88147732.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function validate(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[] ) returns(bool)
func (seaport *Seaport) PackValidate(arg0 []Order) []byte {
	enc, err := seaport.abi.Pack("validate", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackValidate is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x88147732.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function validate(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[] ) returns(bool)
func (seaport *Seaport) TryPackValidate(arg0 []Order) ([]byte, error) {
	return seaport.abi.Pack("validate", arg0)
}

// UnpackValidate is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x88147732.
//
// Solidity: function validate(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[] ) returns(bool)
func (seaport *Seaport) UnpackValidate(data []byte) (bool, error) {
	out, err := seaport.abi.Unpack("validate", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// SeaportCounterIncremented represents a CounterIncremented event raised by the Seaport contract.
type SeaportCounterIncremented struct {
	NewCounter *big.Int
	Offerer    common.Address
	Raw        *types.Log // Blockchain specific contextual infos
}

const SeaportCounterIncrementedEventName = "CounterIncremented"

// ContractEventName returns the user-defined event name.
func (SeaportCounterIncremented) ContractEventName() string {
	return SeaportCounterIncrementedEventName
}

// UnpackCounterIncrementedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event CounterIncremented(uint256 newCounter, address indexed offerer)
func (seaport *Seaport) UnpackCounterIncrementedEvent(log *types.Log) (*SeaportCounterIncremented, error) {
	event := "CounterIncremented"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != seaport.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SeaportCounterIncremented)
	if len(log.Data) > 0 {
		if err := seaport.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range seaport.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// SeaportOrderCancelled represents a OrderCancelled event raised by the Seaport contract.
type SeaportOrderCancelled struct {
	OrderHash [32]byte
	Offerer   common.Address
	Zone      common.Address
	Raw       *types.Log // Blockchain specific contextual infos
}

const SeaportOrderCancelledEventName = "OrderCancelled"

// ContractEventName returns the user-defined event name.
func (SeaportOrderCancelled) ContractEventName() string {
	return SeaportOrderCancelledEventName
}

// UnpackOrderCancelledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event OrderCancelled(bytes32 orderHash, address indexed offerer, address indexed zone)
func (seaport *Seaport) UnpackOrderCancelledEvent(log *types.Log) (*SeaportOrderCancelled, error) {
	event := "OrderCancelled"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != seaport.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SeaportOrderCancelled)
	if len(log.Data) > 0 {
		if err := seaport.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range seaport.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// SeaportOrderFulfilled represents a OrderFulfilled event raised by the Seaport contract.
type SeaportOrderFulfilled struct {
	OrderHash     [32]byte
	Offerer       common.Address
	Zone          common.Address
	Recipient     common.Address
	Offer         []SpentItem
	Consideration []ReceivedItem
	Raw           *types.Log // Blockchain specific contextual infos
}

const SeaportOrderFulfilledEventName = "OrderFulfilled"

// ContractEventName returns the user-defined event name.
func (SeaportOrderFulfilled) ContractEventName() string {
	return SeaportOrderFulfilledEventName
}

// UnpackOrderFulfilledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, (uint8,address,uint256,uint256)[] offer, (uint8,address,uint256,uint256,address)[] consideration)
func (seaport *Seaport) UnpackOrderFulfilledEvent(log *types.Log) (*SeaportOrderFulfilled, error) {
	event := "OrderFulfilled"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != seaport.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SeaportOrderFulfilled)
	if len(log.Data) > 0 {
		if err := seaport.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range seaport.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// SeaportOrderValidated represents a OrderValidated event raised by the Seaport contract.
type SeaportOrderValidated struct {
	OrderHash       [32]byte
	OrderParameters OrderParameters
	Raw             *types.Log // Blockchain specific contextual infos
}

const SeaportOrderValidatedEventName = "OrderValidated"

// ContractEventName returns the user-defined event name.
func (SeaportOrderValidated) ContractEventName() string {
	return SeaportOrderValidatedEventName
}

// UnpackOrderValidatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event OrderValidated(bytes32 orderHash, (address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256) orderParameters)
func (seaport *Seaport) UnpackOrderValidatedEvent(log *types.Log) (*SeaportOrderValidated, error) {
	event := "OrderValidated"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != seaport.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SeaportOrderValidated)
	if len(log.Data) > 0 {
		if err := seaport.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range seaport.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// SeaportOrdersMatched represents a OrdersMatched event raised by the Seaport contract.
type SeaportOrdersMatched struct {
	OrderHashes [][32]byte
	Raw         *types.Log // Blockchain specific contextual infos
}

const SeaportOrdersMatchedEventName = "OrdersMatched"

// ContractEventName returns the user-defined event name.
func (SeaportOrdersMatched) ContractEventName() string {
	return SeaportOrdersMatchedEventName
}

// UnpackOrdersMatchedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event OrdersMatched(bytes32[] orderHashes)
func (seaport *Seaport) UnpackOrdersMatchedEvent(log *types.Log) (*SeaportOrdersMatched, error) {
	event := "OrdersMatched"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != seaport.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SeaportOrdersMatched)
	if len(log.Data) > 0 {
		if err := seaport.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range seaport.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (seaport *Seaport) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], seaport.abi.Errors["BadContractSignature"].ID.Bytes()[:4]) {
		return seaport.UnpackBadContractSignatureError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["BadFraction"].ID.Bytes()[:4]) {
		return seaport.UnpackBadFractionError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["BadReturnValueFromERC20OnTransfer"].ID.Bytes()[:4]) {
		return seaport.UnpackBadReturnValueFromERC20OnTransferError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["BadSignatureV"].ID.Bytes()[:4]) {
		return seaport.UnpackBadSignatureVError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["CannotCancelOrder"].ID.Bytes()[:4]) {
		return seaport.UnpackCannotCancelOrderError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["ConsiderationCriteriaResolverOutOfRange"].ID.Bytes()[:4]) {
		return seaport.UnpackConsiderationCriteriaResolverOutOfRangeError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["ConsiderationLengthNotEqualToTotalOriginal"].ID.Bytes()[:4]) {
		return seaport.UnpackConsiderationLengthNotEqualToTotalOriginalError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["ConsiderationNotMet"].ID.Bytes()[:4]) {
		return seaport.UnpackConsiderationNotMetError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["CriteriaNotEnabledForItem"].ID.Bytes()[:4]) {
		return seaport.UnpackCriteriaNotEnabledForItemError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["ERC1155BatchTransferGenericFailure"].ID.Bytes()[:4]) {
		return seaport.UnpackERC1155BatchTransferGenericFailureError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InexactFraction"].ID.Bytes()[:4]) {
		return seaport.UnpackInexactFractionError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InsufficientNativeTokensSupplied"].ID.Bytes()[:4]) {
		return seaport.UnpackInsufficientNativeTokensSuppliedError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["Invalid1155BatchTransferEncoding"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalid1155BatchTransferEncodingError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidBasicOrderParameterEncoding"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidBasicOrderParameterEncodingError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidCallToConduit"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidCallToConduitError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidConduit"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidConduitError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidContractOrder"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidContractOrderError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidERC721TransferAmount"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidERC721TransferAmountError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidFulfillmentComponentData"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidFulfillmentComponentDataError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidMsgValue"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidMsgValueError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidNativeOfferItem"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidNativeOfferItemError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidProof"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidProofError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidRestrictedOrder"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidRestrictedOrderError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidSignature"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidSignatureError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidSigner"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidSignerError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["InvalidTime"].ID.Bytes()[:4]) {
		return seaport.UnpackInvalidTimeError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["MismatchedFulfillmentOfferAndConsiderationComponents"].ID.Bytes()[:4]) {
		return seaport.UnpackMismatchedFulfillmentOfferAndConsiderationComponentsError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["MissingFulfillmentComponentOnAggregation"].ID.Bytes()[:4]) {
		return seaport.UnpackMissingFulfillmentComponentOnAggregationError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["MissingItemAmount"].ID.Bytes()[:4]) {
		return seaport.UnpackMissingItemAmountError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["MissingOriginalConsiderationItems"].ID.Bytes()[:4]) {
		return seaport.UnpackMissingOriginalConsiderationItemsError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["NativeTokenTransferGenericFailure"].ID.Bytes()[:4]) {
		return seaport.UnpackNativeTokenTransferGenericFailureError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["NoContract"].ID.Bytes()[:4]) {
		return seaport.UnpackNoContractError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["NoReentrantCalls"].ID.Bytes()[:4]) {
		return seaport.UnpackNoReentrantCallsError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["NoSpecifiedOrdersAvailable"].ID.Bytes()[:4]) {
		return seaport.UnpackNoSpecifiedOrdersAvailableError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["OfferAndConsiderationRequiredOnFulfillment"].ID.Bytes()[:4]) {
		return seaport.UnpackOfferAndConsiderationRequiredOnFulfillmentError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["OfferCriteriaResolverOutOfRange"].ID.Bytes()[:4]) {
		return seaport.UnpackOfferCriteriaResolverOutOfRangeError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["OrderAlreadyFilled"].ID.Bytes()[:4]) {
		return seaport.UnpackOrderAlreadyFilledError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["OrderCriteriaResolverOutOfRange"].ID.Bytes()[:4]) {
		return seaport.UnpackOrderCriteriaResolverOutOfRangeError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["OrderIsCancelled"].ID.Bytes()[:4]) {
		return seaport.UnpackOrderIsCancelledError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["OrderPartiallyFilled"].ID.Bytes()[:4]) {
		return seaport.UnpackOrderPartiallyFilledError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["PartialFillsNotEnabledForOrder"].ID.Bytes()[:4]) {
		return seaport.UnpackPartialFillsNotEnabledForOrderError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["TStoreAlreadyActivated"].ID.Bytes()[:4]) {
		return seaport.UnpackTStoreAlreadyActivatedError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["TStoreNotSupported"].ID.Bytes()[:4]) {
		return seaport.UnpackTStoreNotSupportedError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["TloadTestContractDeploymentFailed"].ID.Bytes()[:4]) {
		return seaport.UnpackTloadTestContractDeploymentFailedError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["TokenTransferGenericFailure"].ID.Bytes()[:4]) {
		return seaport.UnpackTokenTransferGenericFailureError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["UnresolvedConsiderationCriteria"].ID.Bytes()[:4]) {
		return seaport.UnpackUnresolvedConsiderationCriteriaError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["UnresolvedOfferCriteria"].ID.Bytes()[:4]) {
		return seaport.UnpackUnresolvedOfferCriteriaError(raw[4:])
	}
	if bytes.Equal(raw[:4], seaport.abi.Errors["UnusedItemParameters"].ID.Bytes()[:4]) {
		return seaport.UnpackUnusedItemParametersError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// SeaportBadContractSignature represents a BadContractSignature error raised by the Seaport contract.
type SeaportBadContractSignature struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error BadContractSignature()
func SeaportBadContractSignatureErrorID() common.Hash {
	return common.HexToHash("0x4f7fb80d10ce06c6ef12f2db83d6dd33bde1aa260ab410d6cfd0fe5f00487073")
}

// UnpackBadContractSignatureError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error BadContractSignature()
func (seaport *Seaport) UnpackBadContractSignatureError(raw []byte) (*SeaportBadContractSignature, error) {
	out := new(SeaportBadContractSignature)
	if err := seaport.abi.UnpackIntoInterface(out, "BadContractSignature", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportBadFraction represents a BadFraction error raised by the Seaport contract.
type SeaportBadFraction struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error BadFraction()
func SeaportBadFractionErrorID() common.Hash {
	return common.HexToHash("0x5a052b3226e1ade51acb5c7e79bc68c3bac8388ec1d0840f6305fef06e779025")
}

// UnpackBadFractionError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error BadFraction()
func (seaport *Seaport) UnpackBadFractionError(raw []byte) (*SeaportBadFraction, error) {
	out := new(SeaportBadFraction)
	if err := seaport.abi.UnpackIntoInterface(out, "BadFraction", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportBadReturnValueFromERC20OnTransfer represents a BadReturnValueFromERC20OnTransfer error raised by the Seaport contract.
type SeaportBadReturnValueFromERC20OnTransfer struct {
	Token  common.Address
	From   common.Address
	To     common.Address
	Amount *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error BadReturnValueFromERC20OnTransfer(address token, address from, address to, uint256 amount)
func SeaportBadReturnValueFromERC20OnTransferErrorID() common.Hash {
	return common.HexToHash("0x98891923fcc80db211d78ecfe0fc21ed44dbff4469320f638c1bc7d87b4f5d6b")
}

// UnpackBadReturnValueFromERC20OnTransferError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error BadReturnValueFromERC20OnTransfer(address token, address from, address to, uint256 amount)
func (seaport *Seaport) UnpackBadReturnValueFromERC20OnTransferError(raw []byte) (*SeaportBadReturnValueFromERC20OnTransfer, error) {
	out := new(SeaportBadReturnValueFromERC20OnTransfer)
	if err := seaport.abi.UnpackIntoInterface(out, "BadReturnValueFromERC20OnTransfer", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportBadSignatureV represents a BadSignatureV error raised by the Seaport contract.
type SeaportBadSignatureV struct {
	V uint8
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error BadSignatureV(uint8 v)
func SeaportBadSignatureVErrorID() common.Hash {
	return common.HexToHash("0x1f003d0ab3c21a082e88d5c936eb366321476aa1508b9238066e9f135aa38772")
}

// UnpackBadSignatureVError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error BadSignatureV(uint8 v)
func (seaport *Seaport) UnpackBadSignatureVError(raw []byte) (*SeaportBadSignatureV, error) {
	out := new(SeaportBadSignatureV)
	if err := seaport.abi.UnpackIntoInterface(out, "BadSignatureV", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportCannotCancelOrder represents a CannotCancelOrder error raised by the Seaport contract.
type SeaportCannotCancelOrder struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error CannotCancelOrder()
func SeaportCannotCancelOrderErrorID() common.Hash {
	return common.HexToHash("0xfed398fc1917e005f9c7457c8f577b040c36d6396ca2012c3697a18ad981a5b6")
}

// UnpackCannotCancelOrderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error CannotCancelOrder()
func (seaport *Seaport) UnpackCannotCancelOrderError(raw []byte) (*SeaportCannotCancelOrder, error) {
	out := new(SeaportCannotCancelOrder)
	if err := seaport.abi.UnpackIntoInterface(out, "CannotCancelOrder", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportConsiderationCriteriaResolverOutOfRange represents a ConsiderationCriteriaResolverOutOfRange error raised by the Seaport contract.
type SeaportConsiderationCriteriaResolverOutOfRange struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ConsiderationCriteriaResolverOutOfRange()
func SeaportConsiderationCriteriaResolverOutOfRangeErrorID() common.Hash {
	return common.HexToHash("0x6088d7de140f77e831b03b2a3beaa509a2266d35f9c309c6e56721218ac68a2a")
}

// UnpackConsiderationCriteriaResolverOutOfRangeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ConsiderationCriteriaResolverOutOfRange()
func (seaport *Seaport) UnpackConsiderationCriteriaResolverOutOfRangeError(raw []byte) (*SeaportConsiderationCriteriaResolverOutOfRange, error) {
	out := new(SeaportConsiderationCriteriaResolverOutOfRange)
	if err := seaport.abi.UnpackIntoInterface(out, "ConsiderationCriteriaResolverOutOfRange", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportConsiderationLengthNotEqualToTotalOriginal represents a ConsiderationLengthNotEqualToTotalOriginal error raised by the Seaport contract.
type SeaportConsiderationLengthNotEqualToTotalOriginal struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ConsiderationLengthNotEqualToTotalOriginal()
func SeaportConsiderationLengthNotEqualToTotalOriginalErrorID() common.Hash {
	return common.HexToHash("0x2165628a49a481546fae2bd6b23bed26ce29e72aa6ac9bea51897614b503ceb7")
}

// UnpackConsiderationLengthNotEqualToTotalOriginalError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ConsiderationLengthNotEqualToTotalOriginal()
func (seaport *Seaport) UnpackConsiderationLengthNotEqualToTotalOriginalError(raw []byte) (*SeaportConsiderationLengthNotEqualToTotalOriginal, error) {
	out := new(SeaportConsiderationLengthNotEqualToTotalOriginal)
	if err := seaport.abi.UnpackIntoInterface(out, "ConsiderationLengthNotEqualToTotalOriginal", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportConsiderationNotMet represents a ConsiderationNotMet error raised by the Seaport contract.
type SeaportConsiderationNotMet struct {
	OrderIndex         *big.Int
	ConsiderationIndex *big.Int
	ShortfallAmount    *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ConsiderationNotMet(uint256 orderIndex, uint256 considerationIndex, uint256 shortfallAmount)
func SeaportConsiderationNotMetErrorID() common.Hash {
	return common.HexToHash("0xa5f542081101e61ded15ccd7cd24a11b61269274beea654526e57fb465995911")
}

// UnpackConsiderationNotMetError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ConsiderationNotMet(uint256 orderIndex, uint256 considerationIndex, uint256 shortfallAmount)
func (seaport *Seaport) UnpackConsiderationNotMetError(raw []byte) (*SeaportConsiderationNotMet, error) {
	out := new(SeaportConsiderationNotMet)
	if err := seaport.abi.UnpackIntoInterface(out, "ConsiderationNotMet", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportCriteriaNotEnabledForItem represents a CriteriaNotEnabledForItem error raised by the Seaport contract.
type SeaportCriteriaNotEnabledForItem struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error CriteriaNotEnabledForItem()
func SeaportCriteriaNotEnabledForItemErrorID() common.Hash {
	return common.HexToHash("0x94eb6af6bc5ee9342022cfec57bd46a81b23a1334066902fa644988a35b83c41")
}

// UnpackCriteriaNotEnabledForItemError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error CriteriaNotEnabledForItem()
func (seaport *Seaport) UnpackCriteriaNotEnabledForItemError(raw []byte) (*SeaportCriteriaNotEnabledForItem, error) {
	out := new(SeaportCriteriaNotEnabledForItem)
	if err := seaport.abi.UnpackIntoInterface(out, "CriteriaNotEnabledForItem", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportERC1155BatchTransferGenericFailure represents a ERC1155BatchTransferGenericFailure error raised by the Seaport contract.
type SeaportERC1155BatchTransferGenericFailure struct {
	Token       common.Address
	From        common.Address
	To          common.Address
	Identifiers []*big.Int
	Amounts     []*big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC1155BatchTransferGenericFailure(address token, address from, address to, uint256[] identifiers, uint256[] amounts)
func SeaportERC1155BatchTransferGenericFailureErrorID() common.Hash {
	return common.HexToHash("0xafc445e28f1b31f4fe2fd11609bd8d7d14b2eea11d131234aab9764ebf69b9b2")
}

// UnpackERC1155BatchTransferGenericFailureError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC1155BatchTransferGenericFailure(address token, address from, address to, uint256[] identifiers, uint256[] amounts)
func (seaport *Seaport) UnpackERC1155BatchTransferGenericFailureError(raw []byte) (*SeaportERC1155BatchTransferGenericFailure, error) {
	out := new(SeaportERC1155BatchTransferGenericFailure)
	if err := seaport.abi.UnpackIntoInterface(out, "ERC1155BatchTransferGenericFailure", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInexactFraction represents a InexactFraction error raised by the Seaport contract.
type SeaportInexactFraction struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InexactFraction()
func SeaportInexactFractionErrorID() common.Hash {
	return common.HexToHash("0xc63cf089e3892c2cf0e1884e3dee7b305e45fc027848a8a264bcd3fa106a6dc2")
}

// UnpackInexactFractionError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InexactFraction()
func (seaport *Seaport) UnpackInexactFractionError(raw []byte) (*SeaportInexactFraction, error) {
	out := new(SeaportInexactFraction)
	if err := seaport.abi.UnpackIntoInterface(out, "InexactFraction", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInsufficientNativeTokensSupplied represents a InsufficientNativeTokensSupplied error raised by the Seaport contract.
type SeaportInsufficientNativeTokensSupplied struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InsufficientNativeTokensSupplied()
func SeaportInsufficientNativeTokensSuppliedErrorID() common.Hash {
	return common.HexToHash("0x8ffff9803119c82628ca2a67d83c6f7ca7ebc6de0d2f223d6a21ca0e51c3ad81")
}

// UnpackInsufficientNativeTokensSuppliedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InsufficientNativeTokensSupplied()
func (seaport *Seaport) UnpackInsufficientNativeTokensSuppliedError(raw []byte) (*SeaportInsufficientNativeTokensSupplied, error) {
	out := new(SeaportInsufficientNativeTokensSupplied)
	if err := seaport.abi.UnpackIntoInterface(out, "InsufficientNativeTokensSupplied", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalid1155BatchTransferEncoding represents a Invalid1155BatchTransferEncoding error raised by the Seaport contract.
type SeaportInvalid1155BatchTransferEncoding struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error Invalid1155BatchTransferEncoding()
func SeaportInvalid1155BatchTransferEncodingErrorID() common.Hash {
	return common.HexToHash("0xeba2084cba1d0e245371765196a6f5632bb177cc94a56cba2c5ed60ec18d387a")
}

// UnpackInvalid1155BatchTransferEncodingError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error Invalid1155BatchTransferEncoding()
func (seaport *Seaport) UnpackInvalid1155BatchTransferEncodingError(raw []byte) (*SeaportInvalid1155BatchTransferEncoding, error) {
	out := new(SeaportInvalid1155BatchTransferEncoding)
	if err := seaport.abi.UnpackIntoInterface(out, "Invalid1155BatchTransferEncoding", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidBasicOrderParameterEncoding represents a InvalidBasicOrderParameterEncoding error raised by the Seaport contract.
type SeaportInvalidBasicOrderParameterEncoding struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidBasicOrderParameterEncoding()
func SeaportInvalidBasicOrderParameterEncodingErrorID() common.Hash {
	return common.HexToHash("0x39f3e3fd2b43fc2731a0d2f3f6b17d64dbe1bfd1d3a0842efcf2ee4b2afc9ae2")
}

// UnpackInvalidBasicOrderParameterEncodingError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidBasicOrderParameterEncoding()
func (seaport *Seaport) UnpackInvalidBasicOrderParameterEncodingError(raw []byte) (*SeaportInvalidBasicOrderParameterEncoding, error) {
	out := new(SeaportInvalidBasicOrderParameterEncoding)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidBasicOrderParameterEncoding", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidCallToConduit represents a InvalidCallToConduit error raised by the Seaport contract.
type SeaportInvalidCallToConduit struct {
	Conduit common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidCallToConduit(address conduit)
func SeaportInvalidCallToConduitErrorID() common.Hash {
	return common.HexToHash("0xd13d53d47df250edb95e3a0088e184347196c976588fc19a26d9bf5559bf870f")
}

// UnpackInvalidCallToConduitError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidCallToConduit(address conduit)
func (seaport *Seaport) UnpackInvalidCallToConduitError(raw []byte) (*SeaportInvalidCallToConduit, error) {
	out := new(SeaportInvalidCallToConduit)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidCallToConduit", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidConduit represents a InvalidConduit error raised by the Seaport contract.
type SeaportInvalidConduit struct {
	ConduitKey [32]byte
	Conduit    common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidConduit(bytes32 conduitKey, address conduit)
func SeaportInvalidConduitErrorID() common.Hash {
	return common.HexToHash("0x1cf99b266045b733c5dfc92c3a1a9318b69776383a77ea989c91a2e75dac7dfc")
}

// UnpackInvalidConduitError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidConduit(bytes32 conduitKey, address conduit)
func (seaport *Seaport) UnpackInvalidConduitError(raw []byte) (*SeaportInvalidConduit, error) {
	out := new(SeaportInvalidConduit)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidConduit", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidContractOrder represents a InvalidContractOrder error raised by the Seaport contract.
type SeaportInvalidContractOrder struct {
	OrderHash [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidContractOrder(bytes32 orderHash)
func SeaportInvalidContractOrderErrorID() common.Hash {
	return common.HexToHash("0x93979285fbcb3bc1660061e1523cfdfda29a548b2d27217b16cd62d844b203a9")
}

// UnpackInvalidContractOrderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidContractOrder(bytes32 orderHash)
func (seaport *Seaport) UnpackInvalidContractOrderError(raw []byte) (*SeaportInvalidContractOrder, error) {
	out := new(SeaportInvalidContractOrder)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidContractOrder", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidERC721TransferAmount represents a InvalidERC721TransferAmount error raised by the Seaport contract.
type SeaportInvalidERC721TransferAmount struct {
	Amount *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidERC721TransferAmount(uint256 amount)
func SeaportInvalidERC721TransferAmountErrorID() common.Hash {
	return common.HexToHash("0x69f958275b013e75774ce3b2a57702215442594684208fc232e74156bb68e4a7")
}

// UnpackInvalidERC721TransferAmountError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidERC721TransferAmount(uint256 amount)
func (seaport *Seaport) UnpackInvalidERC721TransferAmountError(raw []byte) (*SeaportInvalidERC721TransferAmount, error) {
	out := new(SeaportInvalidERC721TransferAmount)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidERC721TransferAmount", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidFulfillmentComponentData represents a InvalidFulfillmentComponentData error raised by the Seaport contract.
type SeaportInvalidFulfillmentComponentData struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidFulfillmentComponentData()
func SeaportInvalidFulfillmentComponentDataErrorID() common.Hash {
	return common.HexToHash("0x7fda727970934c883c259d4bfbb1f24623a6ad414b2c59fe3f7d68a9186cf1ae")
}

// UnpackInvalidFulfillmentComponentDataError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidFulfillmentComponentData()
func (seaport *Seaport) UnpackInvalidFulfillmentComponentDataError(raw []byte) (*SeaportInvalidFulfillmentComponentData, error) {
	out := new(SeaportInvalidFulfillmentComponentData)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidFulfillmentComponentData", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidMsgValue represents a InvalidMsgValue error raised by the Seaport contract.
type SeaportInvalidMsgValue struct {
	Value *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidMsgValue(uint256 value)
func SeaportInvalidMsgValueErrorID() common.Hash {
	return common.HexToHash("0xa61be9f0525fb2a8fd37786d4a745aea678e34cb8f70e6fcfb04adcca49e5648")
}

// UnpackInvalidMsgValueError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidMsgValue(uint256 value)
func (seaport *Seaport) UnpackInvalidMsgValueError(raw []byte) (*SeaportInvalidMsgValue, error) {
	out := new(SeaportInvalidMsgValue)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidMsgValue", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidNativeOfferItem represents a InvalidNativeOfferItem error raised by the Seaport contract.
type SeaportInvalidNativeOfferItem struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidNativeOfferItem()
func SeaportInvalidNativeOfferItemErrorID() common.Hash {
	return common.HexToHash("0x12d3f5a3d08fd957a4896405ef9045063717a279a3216e69fbf69ad0b226a776")
}

// UnpackInvalidNativeOfferItemError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidNativeOfferItem()
func (seaport *Seaport) UnpackInvalidNativeOfferItemError(raw []byte) (*SeaportInvalidNativeOfferItem, error) {
	out := new(SeaportInvalidNativeOfferItem)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidNativeOfferItem", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidProof represents a InvalidProof error raised by the Seaport contract.
type SeaportInvalidProof struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidProof()
func SeaportInvalidProofErrorID() common.Hash {
	return common.HexToHash("0x09bde339c6b182be216ee7ef8ccff6338c6ef7993445216112ae575c5438fd27")
}

// UnpackInvalidProofError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidProof()
func (seaport *Seaport) UnpackInvalidProofError(raw []byte) (*SeaportInvalidProof, error) {
	out := new(SeaportInvalidProof)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidProof", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidRestrictedOrder represents a InvalidRestrictedOrder error raised by the Seaport contract.
type SeaportInvalidRestrictedOrder struct {
	OrderHash [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidRestrictedOrder(bytes32 orderHash)
func SeaportInvalidRestrictedOrderErrorID() common.Hash {
	return common.HexToHash("0xfb5014fc1d34cf86449c132f360f768e1803383da0973899e69438fd981b1dc8")
}

// UnpackInvalidRestrictedOrderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidRestrictedOrder(bytes32 orderHash)
func (seaport *Seaport) UnpackInvalidRestrictedOrderError(raw []byte) (*SeaportInvalidRestrictedOrder, error) {
	out := new(SeaportInvalidRestrictedOrder)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidRestrictedOrder", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidSignature represents a InvalidSignature error raised by the Seaport contract.
type SeaportInvalidSignature struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidSignature()
func SeaportInvalidSignatureErrorID() common.Hash {
	return common.HexToHash("0x8baa579fce362245063d36f11747a89dd489c54795634fc673cc0e0db51fedc5")
}

// UnpackInvalidSignatureError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidSignature()
func (seaport *Seaport) UnpackInvalidSignatureError(raw []byte) (*SeaportInvalidSignature, error) {
	out := new(SeaportInvalidSignature)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidSignature", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidSigner represents a InvalidSigner error raised by the Seaport contract.
type SeaportInvalidSigner struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidSigner()
func SeaportInvalidSignerErrorID() common.Hash {
	return common.HexToHash("0x815e1d64efb74fbe314c20a2b8a2335d18bce12a19165e447fa36bcb35959528")
}

// UnpackInvalidSignerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidSigner()
func (seaport *Seaport) UnpackInvalidSignerError(raw []byte) (*SeaportInvalidSigner, error) {
	out := new(SeaportInvalidSigner)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidSigner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportInvalidTime represents a InvalidTime error raised by the Seaport contract.
type SeaportInvalidTime struct {
	StartTime *big.Int
	EndTime   *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidTime(uint256 startTime, uint256 endTime)
func SeaportInvalidTimeErrorID() common.Hash {
	return common.HexToHash("0x21ccfeb77f1adf393a7c2f70d14241052af7ce81b04d07b14284acddfb9bd059")
}

// UnpackInvalidTimeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidTime(uint256 startTime, uint256 endTime)
func (seaport *Seaport) UnpackInvalidTimeError(raw []byte) (*SeaportInvalidTime, error) {
	out := new(SeaportInvalidTime)
	if err := seaport.abi.UnpackIntoInterface(out, "InvalidTime", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportMismatchedFulfillmentOfferAndConsiderationComponents represents a MismatchedFulfillmentOfferAndConsiderationComponents error raised by the Seaport contract.
type SeaportMismatchedFulfillmentOfferAndConsiderationComponents struct {
	FulfillmentIndex *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MismatchedFulfillmentOfferAndConsiderationComponents(uint256 fulfillmentIndex)
func SeaportMismatchedFulfillmentOfferAndConsiderationComponentsErrorID() common.Hash {
	return common.HexToHash("0xbced929ddb606cddac27689bbaac200667c9b002a5720f7809cf2b3564eac69e")
}

// UnpackMismatchedFulfillmentOfferAndConsiderationComponentsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MismatchedFulfillmentOfferAndConsiderationComponents(uint256 fulfillmentIndex)
func (seaport *Seaport) UnpackMismatchedFulfillmentOfferAndConsiderationComponentsError(raw []byte) (*SeaportMismatchedFulfillmentOfferAndConsiderationComponents, error) {
	out := new(SeaportMismatchedFulfillmentOfferAndConsiderationComponents)
	if err := seaport.abi.UnpackIntoInterface(out, "MismatchedFulfillmentOfferAndConsiderationComponents", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportMissingFulfillmentComponentOnAggregation represents a MissingFulfillmentComponentOnAggregation error raised by the Seaport contract.
type SeaportMissingFulfillmentComponentOnAggregation struct {
	Side uint8
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MissingFulfillmentComponentOnAggregation(uint8 side)
func SeaportMissingFulfillmentComponentOnAggregationErrorID() common.Hash {
	return common.HexToHash("0x375c24c1de3e6be450aa5a7a7be494846c40fa9b32f468150dff46c931d48e68")
}

// UnpackMissingFulfillmentComponentOnAggregationError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MissingFulfillmentComponentOnAggregation(uint8 side)
func (seaport *Seaport) UnpackMissingFulfillmentComponentOnAggregationError(raw []byte) (*SeaportMissingFulfillmentComponentOnAggregation, error) {
	out := new(SeaportMissingFulfillmentComponentOnAggregation)
	if err := seaport.abi.UnpackIntoInterface(out, "MissingFulfillmentComponentOnAggregation", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportMissingItemAmount represents a MissingItemAmount error raised by the Seaport contract.
type SeaportMissingItemAmount struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MissingItemAmount()
func SeaportMissingItemAmountErrorID() common.Hash {
	return common.HexToHash("0x91b3e514cc0ce54b33f425196b0cc2f79133161b0a317bba9d19db0b0a998aab")
}

// UnpackMissingItemAmountError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MissingItemAmount()
func (seaport *Seaport) UnpackMissingItemAmountError(raw []byte) (*SeaportMissingItemAmount, error) {
	out := new(SeaportMissingItemAmount)
	if err := seaport.abi.UnpackIntoInterface(out, "MissingItemAmount", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportMissingOriginalConsiderationItems represents a MissingOriginalConsiderationItems error raised by the Seaport contract.
type SeaportMissingOriginalConsiderationItems struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MissingOriginalConsiderationItems()
func SeaportMissingOriginalConsiderationItemsErrorID() common.Hash {
	return common.HexToHash("0x466aa616b95e94cc6636ffaf85e8d15903ac5d7493bbbedc4bd4a38eea787312")
}

// UnpackMissingOriginalConsiderationItemsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MissingOriginalConsiderationItems()
func (seaport *Seaport) UnpackMissingOriginalConsiderationItemsError(raw []byte) (*SeaportMissingOriginalConsiderationItems, error) {
	out := new(SeaportMissingOriginalConsiderationItems)
	if err := seaport.abi.UnpackIntoInterface(out, "MissingOriginalConsiderationItems", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportNativeTokenTransferGenericFailure represents a NativeTokenTransferGenericFailure error raised by the Seaport contract.
type SeaportNativeTokenTransferGenericFailure struct {
	Account common.Address
	Amount  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NativeTokenTransferGenericFailure(address account, uint256 amount)
func SeaportNativeTokenTransferGenericFailureErrorID() common.Hash {
	return common.HexToHash("0xbc806b96b2738a3fe82105a65bfe7552a8eda6f4e08489438cabb50e27ebb9a0")
}

// UnpackNativeTokenTransferGenericFailureError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NativeTokenTransferGenericFailure(address account, uint256 amount)
func (seaport *Seaport) UnpackNativeTokenTransferGenericFailureError(raw []byte) (*SeaportNativeTokenTransferGenericFailure, error) {
	out := new(SeaportNativeTokenTransferGenericFailure)
	if err := seaport.abi.UnpackIntoInterface(out, "NativeTokenTransferGenericFailure", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportNoContract represents a NoContract error raised by the Seaport contract.
type SeaportNoContract struct {
	Account common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NoContract(address account)
func SeaportNoContractErrorID() common.Hash {
	return common.HexToHash("0x5f15d672b6235f8600ffc72925d8d2f9dcea14be067296327891153847185a5c")
}

// UnpackNoContractError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NoContract(address account)
func (seaport *Seaport) UnpackNoContractError(raw []byte) (*SeaportNoContract, error) {
	out := new(SeaportNoContract)
	if err := seaport.abi.UnpackIntoInterface(out, "NoContract", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportNoReentrantCalls represents a NoReentrantCalls error raised by the Seaport contract.
type SeaportNoReentrantCalls struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NoReentrantCalls()
func SeaportNoReentrantCallsErrorID() common.Hash {
	return common.HexToHash("0x7fa8a987cdc2d3fdaf21171577022e763656cbf0cb7485b568439d54dda16efd")
}

// UnpackNoReentrantCallsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NoReentrantCalls()
func (seaport *Seaport) UnpackNoReentrantCallsError(raw []byte) (*SeaportNoReentrantCalls, error) {
	out := new(SeaportNoReentrantCalls)
	if err := seaport.abi.UnpackIntoInterface(out, "NoReentrantCalls", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportNoSpecifiedOrdersAvailable represents a NoSpecifiedOrdersAvailable error raised by the Seaport contract.
type SeaportNoSpecifiedOrdersAvailable struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NoSpecifiedOrdersAvailable()
func SeaportNoSpecifiedOrdersAvailableErrorID() common.Hash {
	return common.HexToHash("0xd5da9a1b1bff872560ad2cc42726bdb4e2c0a531fcfc0d829fc493c0e42e538f")
}

// UnpackNoSpecifiedOrdersAvailableError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NoSpecifiedOrdersAvailable()
func (seaport *Seaport) UnpackNoSpecifiedOrdersAvailableError(raw []byte) (*SeaportNoSpecifiedOrdersAvailable, error) {
	out := new(SeaportNoSpecifiedOrdersAvailable)
	if err := seaport.abi.UnpackIntoInterface(out, "NoSpecifiedOrdersAvailable", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportOfferAndConsiderationRequiredOnFulfillment represents a OfferAndConsiderationRequiredOnFulfillment error raised by the Seaport contract.
type SeaportOfferAndConsiderationRequiredOnFulfillment struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OfferAndConsiderationRequiredOnFulfillment()
func SeaportOfferAndConsiderationRequiredOnFulfillmentErrorID() common.Hash {
	return common.HexToHash("0x98e9db6e1c4b50d30cbd9e724d8d5e664d6ce688164ef69f2803ae5aded6debd")
}

// UnpackOfferAndConsiderationRequiredOnFulfillmentError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OfferAndConsiderationRequiredOnFulfillment()
func (seaport *Seaport) UnpackOfferAndConsiderationRequiredOnFulfillmentError(raw []byte) (*SeaportOfferAndConsiderationRequiredOnFulfillment, error) {
	out := new(SeaportOfferAndConsiderationRequiredOnFulfillment)
	if err := seaport.abi.UnpackIntoInterface(out, "OfferAndConsiderationRequiredOnFulfillment", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportOfferCriteriaResolverOutOfRange represents a OfferCriteriaResolverOutOfRange error raised by the Seaport contract.
type SeaportOfferCriteriaResolverOutOfRange struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OfferCriteriaResolverOutOfRange()
func SeaportOfferCriteriaResolverOutOfRangeErrorID() common.Hash {
	return common.HexToHash("0xbfb3f8cebf4a2169974b80c7b7b8178f595ac29137053525d51461c2b595c15c")
}

// UnpackOfferCriteriaResolverOutOfRangeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OfferCriteriaResolverOutOfRange()
func (seaport *Seaport) UnpackOfferCriteriaResolverOutOfRangeError(raw []byte) (*SeaportOfferCriteriaResolverOutOfRange, error) {
	out := new(SeaportOfferCriteriaResolverOutOfRange)
	if err := seaport.abi.UnpackIntoInterface(out, "OfferCriteriaResolverOutOfRange", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportOrderAlreadyFilled represents a OrderAlreadyFilled error raised by the Seaport contract.
type SeaportOrderAlreadyFilled struct {
	OrderHash [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OrderAlreadyFilled(bytes32 orderHash)
func SeaportOrderAlreadyFilledErrorID() common.Hash {
	return common.HexToHash("0x10fda3e1d96e5ff2d1561748e37601c43954d23a9b917bf63fe865be775acf55")
}

// UnpackOrderAlreadyFilledError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OrderAlreadyFilled(bytes32 orderHash)
func (seaport *Seaport) UnpackOrderAlreadyFilledError(raw []byte) (*SeaportOrderAlreadyFilled, error) {
	out := new(SeaportOrderAlreadyFilled)
	if err := seaport.abi.UnpackIntoInterface(out, "OrderAlreadyFilled", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportOrderCriteriaResolverOutOfRange represents a OrderCriteriaResolverOutOfRange error raised by the Seaport contract.
type SeaportOrderCriteriaResolverOutOfRange struct {
	Side uint8
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OrderCriteriaResolverOutOfRange(uint8 side)
func SeaportOrderCriteriaResolverOutOfRangeErrorID() common.Hash {
	return common.HexToHash("0x133c37c60f504f442db5907f2c04d652dbe2638323a629501b0016a05ca12972")
}

// UnpackOrderCriteriaResolverOutOfRangeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OrderCriteriaResolverOutOfRange(uint8 side)
func (seaport *Seaport) UnpackOrderCriteriaResolverOutOfRangeError(raw []byte) (*SeaportOrderCriteriaResolverOutOfRange, error) {
	out := new(SeaportOrderCriteriaResolverOutOfRange)
	if err := seaport.abi.UnpackIntoInterface(out, "OrderCriteriaResolverOutOfRange", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportOrderIsCancelled represents a OrderIsCancelled error raised by the Seaport contract.
type SeaportOrderIsCancelled struct {
	OrderHash [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OrderIsCancelled(bytes32 orderHash)
func SeaportOrderIsCancelledErrorID() common.Hash {
	return common.HexToHash("0x1a515574889c21a42d1dcc80379b4c4349e73bcad604ad7bf26da9866f6649dc")
}

// UnpackOrderIsCancelledError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OrderIsCancelled(bytes32 orderHash)
func (seaport *Seaport) UnpackOrderIsCancelledError(raw []byte) (*SeaportOrderIsCancelled, error) {
	out := new(SeaportOrderIsCancelled)
	if err := seaport.abi.UnpackIntoInterface(out, "OrderIsCancelled", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportOrderPartiallyFilled represents a OrderPartiallyFilled error raised by the Seaport contract.
type SeaportOrderPartiallyFilled struct {
	OrderHash [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OrderPartiallyFilled(bytes32 orderHash)
func SeaportOrderPartiallyFilledErrorID() common.Hash {
	return common.HexToHash("0xee9e0e63c4745a2e02a8fa318de3f2a7480bd133fee09f6f4e915567e3c82b57")
}

// UnpackOrderPartiallyFilledError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OrderPartiallyFilled(bytes32 orderHash)
func (seaport *Seaport) UnpackOrderPartiallyFilledError(raw []byte) (*SeaportOrderPartiallyFilled, error) {
	out := new(SeaportOrderPartiallyFilled)
	if err := seaport.abi.UnpackIntoInterface(out, "OrderPartiallyFilled", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportPartialFillsNotEnabledForOrder represents a PartialFillsNotEnabledForOrder error raised by the Seaport contract.
type SeaportPartialFillsNotEnabledForOrder struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error PartialFillsNotEnabledForOrder()
func SeaportPartialFillsNotEnabledForOrderErrorID() common.Hash {
	return common.HexToHash("0xa11b63ff33530ac500f22ff2cc0ecb1b3f42f42a4a88bdf783f7b66cfc43dc37")
}

// UnpackPartialFillsNotEnabledForOrderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error PartialFillsNotEnabledForOrder()
func (seaport *Seaport) UnpackPartialFillsNotEnabledForOrderError(raw []byte) (*SeaportPartialFillsNotEnabledForOrder, error) {
	out := new(SeaportPartialFillsNotEnabledForOrder)
	if err := seaport.abi.UnpackIntoInterface(out, "PartialFillsNotEnabledForOrder", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportTStoreAlreadyActivated represents a TStoreAlreadyActivated error raised by the Seaport contract.
type SeaportTStoreAlreadyActivated struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TStoreAlreadyActivated()
func SeaportTStoreAlreadyActivatedErrorID() common.Hash {
	return common.HexToHash("0xf45b98b005fa03e56baa2bf5e10e478c233ff444ad6cdd35b542b800389021f9")
}

// UnpackTStoreAlreadyActivatedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TStoreAlreadyActivated()
func (seaport *Seaport) UnpackTStoreAlreadyActivatedError(raw []byte) (*SeaportTStoreAlreadyActivated, error) {
	out := new(SeaportTStoreAlreadyActivated)
	if err := seaport.abi.UnpackIntoInterface(out, "TStoreAlreadyActivated", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportTStoreNotSupported represents a TStoreNotSupported error raised by the Seaport contract.
type SeaportTStoreNotSupported struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TStoreNotSupported()
func SeaportTStoreNotSupportedErrorID() common.Hash {
	return common.HexToHash("0x70a4078f13f15b9728f828b51c8f3072046686d81034382add7d13df966b9e8b")
}

// UnpackTStoreNotSupportedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TStoreNotSupported()
func (seaport *Seaport) UnpackTStoreNotSupportedError(raw []byte) (*SeaportTStoreNotSupported, error) {
	out := new(SeaportTStoreNotSupported)
	if err := seaport.abi.UnpackIntoInterface(out, "TStoreNotSupported", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportTloadTestContractDeploymentFailed represents a TloadTestContractDeploymentFailed error raised by the Seaport contract.
type SeaportTloadTestContractDeploymentFailed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TloadTestContractDeploymentFailed()
func SeaportTloadTestContractDeploymentFailedErrorID() common.Hash {
	return common.HexToHash("0x2aea58871f3e9893a4440f560d9b8372d755d751395647c36f7b8bf48334dc65")
}

// UnpackTloadTestContractDeploymentFailedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TloadTestContractDeploymentFailed()
func (seaport *Seaport) UnpackTloadTestContractDeploymentFailedError(raw []byte) (*SeaportTloadTestContractDeploymentFailed, error) {
	out := new(SeaportTloadTestContractDeploymentFailed)
	if err := seaport.abi.UnpackIntoInterface(out, "TloadTestContractDeploymentFailed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportTokenTransferGenericFailure represents a TokenTransferGenericFailure error raised by the Seaport contract.
type SeaportTokenTransferGenericFailure struct {
	Token      common.Address
	From       common.Address
	To         common.Address
	Identifier *big.Int
	Amount     *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TokenTransferGenericFailure(address token, address from, address to, uint256 identifier, uint256 amount)
func SeaportTokenTransferGenericFailureErrorID() common.Hash {
	return common.HexToHash("0xf486bc87dbaeeac86e8d78d92e8356e3e2e069076e842fa868d5d31accbead2f")
}

// UnpackTokenTransferGenericFailureError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TokenTransferGenericFailure(address token, address from, address to, uint256 identifier, uint256 amount)
func (seaport *Seaport) UnpackTokenTransferGenericFailureError(raw []byte) (*SeaportTokenTransferGenericFailure, error) {
	out := new(SeaportTokenTransferGenericFailure)
	if err := seaport.abi.UnpackIntoInterface(out, "TokenTransferGenericFailure", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportUnresolvedConsiderationCriteria represents a UnresolvedConsiderationCriteria error raised by the Seaport contract.
type SeaportUnresolvedConsiderationCriteria struct {
	OrderIndex         *big.Int
	ConsiderationIndex *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error UnresolvedConsiderationCriteria(uint256 orderIndex, uint256 considerationIndex)
func SeaportUnresolvedConsiderationCriteriaErrorID() common.Hash {
	return common.HexToHash("0xa8930e9acf34743c38bf843b3d91fcc4d79b9db0f552861a644dfa2a15f54faf")
}

// UnpackUnresolvedConsiderationCriteriaError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error UnresolvedConsiderationCriteria(uint256 orderIndex, uint256 considerationIndex)
func (seaport *Seaport) UnpackUnresolvedConsiderationCriteriaError(raw []byte) (*SeaportUnresolvedConsiderationCriteria, error) {
	out := new(SeaportUnresolvedConsiderationCriteria)
	if err := seaport.abi.UnpackIntoInterface(out, "UnresolvedConsiderationCriteria", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportUnresolvedOfferCriteria represents a UnresolvedOfferCriteria error raised by the Seaport contract.
type SeaportUnresolvedOfferCriteria struct {
	OrderIndex *big.Int
	OfferIndex *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error UnresolvedOfferCriteria(uint256 orderIndex, uint256 offerIndex)
func SeaportUnresolvedOfferCriteriaErrorID() common.Hash {
	return common.HexToHash("0xd6929332114d6f9d73da5006c289e1a21aa60422b0313832c6f6ae97e7e59a53")
}

// UnpackUnresolvedOfferCriteriaError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error UnresolvedOfferCriteria(uint256 orderIndex, uint256 offerIndex)
func (seaport *Seaport) UnpackUnresolvedOfferCriteriaError(raw []byte) (*SeaportUnresolvedOfferCriteria, error) {
	out := new(SeaportUnresolvedOfferCriteria)
	if err := seaport.abi.UnpackIntoInterface(out, "UnresolvedOfferCriteria", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SeaportUnusedItemParameters represents a UnusedItemParameters error raised by the Seaport contract.
type SeaportUnusedItemParameters struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error UnusedItemParameters()
func SeaportUnusedItemParametersErrorID() common.Hash {
	return common.HexToHash("0x6ab37ce78196e8919fd0fd03d89b802c6d68fb05335dbc777d2c7237789a1256")
}

// UnpackUnusedItemParametersError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error UnusedItemParameters()
func (seaport *Seaport) UnpackUnusedItemParametersError(raw []byte) (*SeaportUnusedItemParameters, error) {
	out := new(SeaportUnusedItemParameters)
	if err := seaport.abi.UnpackIntoInterface(out, "UnusedItemParameters", raw); err != nil {
		return nil, err
	}
	return out, nil
}
