// Code generated via abigen V2 - DO NOT EDIT.
// This file is a generated binding and any manual changes will be lost.

package binding

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

// BridgeModuleMetaData contains all meta data concerning the BridgeModule contract.
var BridgeModuleMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"}],\"name\":\"AddressEmptyCode\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"FailedCall\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"balance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"InsufficientBalance\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MalformedInput\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MissingSelector\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"agentAccount\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"caller\",\"type\":\"address\"}],\"name\":\"NotAgentAccount\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ReentrancyGuardReentrantCall\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"agentAccount\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"RefundRefused\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"}],\"name\":\"TargetWithoutCode\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"}],\"name\":\"UnexpectedPayment\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"agent\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"bytes4\",\"name\":\"selector\",\"type\":\"bytes4\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"BridgeExecuted\",\"type\":\"event\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"agentAccount\",\"type\":\"address\"},{\"internalType\":\"bytes\",\"name\":\"input\",\"type\":\"bytes\"}],\"name\":\"execute\",\"outputs\":[{\"internalType\":\"bytes\",\"name\":\"result\",\"type\":\"bytes\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"stateMutability\":\"payable\",\"type\":\"receive\"}]",
	ID:  "BridgeModule",
}

// BridgeModule is an auto generated Go binding around an Ethereum contract.
type BridgeModule struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *BridgeModule) GetABI() abi.ABI {
	return c.abi
}

// NewBridgeModule creates a new instance of BridgeModule.
func NewBridgeModule() *BridgeModule {
	parsed, err := BridgeModuleMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &BridgeModule{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *BridgeModule) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackExecute is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1cff79cd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function execute(address agentAccount, bytes input) payable returns(bytes result)
func (bridgeModule *BridgeModule) PackExecute(agentAccount common.Address, input []byte) []byte {
	enc, err := bridgeModule.abi.Pack("execute", agentAccount, input)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackExecute is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1cff79cd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function execute(address agentAccount, bytes input) payable returns(bytes result)
func (bridgeModule *BridgeModule) TryPackExecute(agentAccount common.Address, input []byte) ([]byte, error) {
	return bridgeModule.abi.Pack("execute", agentAccount, input)
}

// UnpackExecute is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x1cff79cd.
//
// Solidity: function execute(address agentAccount, bytes input) payable returns(bytes result)
func (bridgeModule *BridgeModule) UnpackExecute(data []byte) ([]byte, error) {
	out, err := bridgeModule.abi.Unpack("execute", data)
	if err != nil {
		return *new([]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([]byte)).(*[]byte)
	return out0, nil
}

// BridgeModuleBridgeExecuted represents a BridgeExecuted event raised by the BridgeModule contract.
type BridgeModuleBridgeExecuted struct {
	Agent    common.Address
	Target   common.Address
	Selector [4]byte
	Value    *big.Int
	Raw      *types.Log // Blockchain specific contextual infos
}

const BridgeModuleBridgeExecutedEventName = "BridgeExecuted"

// ContractEventName returns the user-defined event name.
func (BridgeModuleBridgeExecuted) ContractEventName() string {
	return BridgeModuleBridgeExecutedEventName
}

// UnpackBridgeExecutedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event BridgeExecuted(address indexed agent, address indexed target, bytes4 indexed selector, uint256 value)
func (bridgeModule *BridgeModule) UnpackBridgeExecutedEvent(log *types.Log) (*BridgeModuleBridgeExecuted, error) {
	event := "BridgeExecuted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != bridgeModule.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(BridgeModuleBridgeExecuted)
	if len(log.Data) > 0 {
		if err := bridgeModule.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range bridgeModule.abi.Events[event].Inputs {
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
func (bridgeModule *BridgeModule) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], bridgeModule.abi.Errors["AddressEmptyCode"].ID.Bytes()[:4]) {
		return bridgeModule.UnpackAddressEmptyCodeError(raw[4:])
	}
	if bytes.Equal(raw[:4], bridgeModule.abi.Errors["FailedCall"].ID.Bytes()[:4]) {
		return bridgeModule.UnpackFailedCallError(raw[4:])
	}
	if bytes.Equal(raw[:4], bridgeModule.abi.Errors["InsufficientBalance"].ID.Bytes()[:4]) {
		return bridgeModule.UnpackInsufficientBalanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], bridgeModule.abi.Errors["MalformedInput"].ID.Bytes()[:4]) {
		return bridgeModule.UnpackMalformedInputError(raw[4:])
	}
	if bytes.Equal(raw[:4], bridgeModule.abi.Errors["MissingSelector"].ID.Bytes()[:4]) {
		return bridgeModule.UnpackMissingSelectorError(raw[4:])
	}
	if bytes.Equal(raw[:4], bridgeModule.abi.Errors["NotAgentAccount"].ID.Bytes()[:4]) {
		return bridgeModule.UnpackNotAgentAccountError(raw[4:])
	}
	if bytes.Equal(raw[:4], bridgeModule.abi.Errors["ReentrancyGuardReentrantCall"].ID.Bytes()[:4]) {
		return bridgeModule.UnpackReentrancyGuardReentrantCallError(raw[4:])
	}
	if bytes.Equal(raw[:4], bridgeModule.abi.Errors["RefundRefused"].ID.Bytes()[:4]) {
		return bridgeModule.UnpackRefundRefusedError(raw[4:])
	}
	if bytes.Equal(raw[:4], bridgeModule.abi.Errors["TargetWithoutCode"].ID.Bytes()[:4]) {
		return bridgeModule.UnpackTargetWithoutCodeError(raw[4:])
	}
	if bytes.Equal(raw[:4], bridgeModule.abi.Errors["UnexpectedPayment"].ID.Bytes()[:4]) {
		return bridgeModule.UnpackUnexpectedPaymentError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// BridgeModuleAddressEmptyCode represents a AddressEmptyCode error raised by the BridgeModule contract.
type BridgeModuleAddressEmptyCode struct {
	Target common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AddressEmptyCode(address target)
func BridgeModuleAddressEmptyCodeErrorID() common.Hash {
	return common.HexToHash("0x9996b315c842ff135b8fc4a08ad5df1c344efbc03d2687aecc0678050d2aac89")
}

// UnpackAddressEmptyCodeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AddressEmptyCode(address target)
func (bridgeModule *BridgeModule) UnpackAddressEmptyCodeError(raw []byte) (*BridgeModuleAddressEmptyCode, error) {
	out := new(BridgeModuleAddressEmptyCode)
	if err := bridgeModule.abi.UnpackIntoInterface(out, "AddressEmptyCode", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BridgeModuleFailedCall represents a FailedCall error raised by the BridgeModule contract.
type BridgeModuleFailedCall struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error FailedCall()
func BridgeModuleFailedCallErrorID() common.Hash {
	return common.HexToHash("0xd6bda27508c0fb6d8a39b4b122878dab26f731a7d4e4abe711dd3731899052a4")
}

// UnpackFailedCallError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error FailedCall()
func (bridgeModule *BridgeModule) UnpackFailedCallError(raw []byte) (*BridgeModuleFailedCall, error) {
	out := new(BridgeModuleFailedCall)
	if err := bridgeModule.abi.UnpackIntoInterface(out, "FailedCall", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BridgeModuleInsufficientBalance represents a InsufficientBalance error raised by the BridgeModule contract.
type BridgeModuleInsufficientBalance struct {
	Balance *big.Int
	Needed  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InsufficientBalance(uint256 balance, uint256 needed)
func BridgeModuleInsufficientBalanceErrorID() common.Hash {
	return common.HexToHash("0xcf4791818fba6e019216eb4864093b4947f674afada5d305e57d598b641dad1d")
}

// UnpackInsufficientBalanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InsufficientBalance(uint256 balance, uint256 needed)
func (bridgeModule *BridgeModule) UnpackInsufficientBalanceError(raw []byte) (*BridgeModuleInsufficientBalance, error) {
	out := new(BridgeModuleInsufficientBalance)
	if err := bridgeModule.abi.UnpackIntoInterface(out, "InsufficientBalance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BridgeModuleMalformedInput represents a MalformedInput error raised by the BridgeModule contract.
type BridgeModuleMalformedInput struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MalformedInput()
func BridgeModuleMalformedInputErrorID() common.Hash {
	return common.HexToHash("0xecabd0ecfaac383ca19f7fa377d0c38a4274b960b468958d9d84f46be392ee37")
}

// UnpackMalformedInputError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MalformedInput()
func (bridgeModule *BridgeModule) UnpackMalformedInputError(raw []byte) (*BridgeModuleMalformedInput, error) {
	out := new(BridgeModuleMalformedInput)
	if err := bridgeModule.abi.UnpackIntoInterface(out, "MalformedInput", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BridgeModuleMissingSelector represents a MissingSelector error raised by the BridgeModule contract.
type BridgeModuleMissingSelector struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MissingSelector()
func BridgeModuleMissingSelectorErrorID() common.Hash {
	return common.HexToHash("0x47d7741961a91a86d60656b176202236869be9b3b96aed04c7ef096c7fd38a1c")
}

// UnpackMissingSelectorError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MissingSelector()
func (bridgeModule *BridgeModule) UnpackMissingSelectorError(raw []byte) (*BridgeModuleMissingSelector, error) {
	out := new(BridgeModuleMissingSelector)
	if err := bridgeModule.abi.UnpackIntoInterface(out, "MissingSelector", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BridgeModuleNotAgentAccount represents a NotAgentAccount error raised by the BridgeModule contract.
type BridgeModuleNotAgentAccount struct {
	AgentAccount common.Address
	Caller       common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotAgentAccount(address agentAccount, address caller)
func BridgeModuleNotAgentAccountErrorID() common.Hash {
	return common.HexToHash("0x441c6deeb3021b57ba152084a01c91596b3465f96cdc9070ca00b394f4b83431")
}

// UnpackNotAgentAccountError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotAgentAccount(address agentAccount, address caller)
func (bridgeModule *BridgeModule) UnpackNotAgentAccountError(raw []byte) (*BridgeModuleNotAgentAccount, error) {
	out := new(BridgeModuleNotAgentAccount)
	if err := bridgeModule.abi.UnpackIntoInterface(out, "NotAgentAccount", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BridgeModuleReentrancyGuardReentrantCall represents a ReentrancyGuardReentrantCall error raised by the BridgeModule contract.
type BridgeModuleReentrancyGuardReentrantCall struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ReentrancyGuardReentrantCall()
func BridgeModuleReentrancyGuardReentrantCallErrorID() common.Hash {
	return common.HexToHash("0x3ee5aeb571de7fc460830b4d0017439a1ca56fb0bc39062227ade4fe4a24c1ca")
}

// UnpackReentrancyGuardReentrantCallError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ReentrancyGuardReentrantCall()
func (bridgeModule *BridgeModule) UnpackReentrancyGuardReentrantCallError(raw []byte) (*BridgeModuleReentrancyGuardReentrantCall, error) {
	out := new(BridgeModuleReentrancyGuardReentrantCall)
	if err := bridgeModule.abi.UnpackIntoInterface(out, "ReentrancyGuardReentrantCall", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BridgeModuleRefundRefused represents a RefundRefused error raised by the BridgeModule contract.
type BridgeModuleRefundRefused struct {
	AgentAccount common.Address
	Amount       *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error RefundRefused(address agentAccount, uint256 amount)
func BridgeModuleRefundRefusedErrorID() common.Hash {
	return common.HexToHash("0x27f0c92895baca246e85bd8755abe4f7e49eee15ed26d963bd9158d9d0b21d03")
}

// UnpackRefundRefusedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error RefundRefused(address agentAccount, uint256 amount)
func (bridgeModule *BridgeModule) UnpackRefundRefusedError(raw []byte) (*BridgeModuleRefundRefused, error) {
	out := new(BridgeModuleRefundRefused)
	if err := bridgeModule.abi.UnpackIntoInterface(out, "RefundRefused", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BridgeModuleTargetWithoutCode represents a TargetWithoutCode error raised by the BridgeModule contract.
type BridgeModuleTargetWithoutCode struct {
	Target common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TargetWithoutCode(address target)
func BridgeModuleTargetWithoutCodeErrorID() common.Hash {
	return common.HexToHash("0x9dcf72e8b3931767dd09ad7d958fdf720c9ea629283777d8f0087c5d7f9746d5")
}

// UnpackTargetWithoutCodeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TargetWithoutCode(address target)
func (bridgeModule *BridgeModule) UnpackTargetWithoutCodeError(raw []byte) (*BridgeModuleTargetWithoutCode, error) {
	out := new(BridgeModuleTargetWithoutCode)
	if err := bridgeModule.abi.UnpackIntoInterface(out, "TargetWithoutCode", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// BridgeModuleUnexpectedPayment represents a UnexpectedPayment error raised by the BridgeModule contract.
type BridgeModuleUnexpectedPayment struct {
	From common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error UnexpectedPayment(address from)
func BridgeModuleUnexpectedPaymentErrorID() common.Hash {
	return common.HexToHash("0x0dbf261f8a1d6af9eea60a103badb88edfde94316ad6605515c88b717a073f11")
}

// UnpackUnexpectedPaymentError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error UnexpectedPayment(address from)
func (bridgeModule *BridgeModule) UnpackUnexpectedPaymentError(raw []byte) (*BridgeModuleUnexpectedPayment, error) {
	out := new(BridgeModuleUnexpectedPayment)
	if err := bridgeModule.abi.UnpackIntoInterface(out, "UnexpectedPayment", raw); err != nil {
		return nil, err
	}
	return out, nil
}
