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

// IntentRegistryMetaData contains all meta data concerning the IntentRegistry contract.
var IntentRegistryMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"uint64\",\"name\":\"expiresAt\",\"type\":\"uint64\"},{\"internalType\":\"uint256\",\"name\":\"blockTimestamp\",\"type\":\"uint256\"}],\"name\":\"ExpiryInPast\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"intentId\",\"type\":\"uint256\"}],\"name\":\"IntentAlreadyCancelled\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"intentId\",\"type\":\"uint256\"}],\"name\":\"IntentNotFound\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"intentId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"caller\",\"type\":\"address\"}],\"name\":\"NotIntentCreator\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ZeroIntentHash\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"intentId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"creator\",\"type\":\"address\"}],\"name\":\"IntentCancelled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"intentId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"creator\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"intentHash\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint64\",\"name\":\"expiresAt\",\"type\":\"uint64\"}],\"name\":\"IntentCreated\",\"type\":\"event\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"intentId\",\"type\":\"uint256\"}],\"name\":\"cancelIntent\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"intentHash\",\"type\":\"bytes32\"},{\"internalType\":\"uint64\",\"name\":\"expiresAt\",\"type\":\"uint64\"}],\"name\":\"createIntent\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"intentId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"intentId\",\"type\":\"uint256\"}],\"name\":\"intents\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"intentHash\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"creator\",\"type\":\"address\"},{\"internalType\":\"uint64\",\"name\":\"expiresAt\",\"type\":\"uint64\"},{\"internalType\":\"bool\",\"name\":\"cancelled\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"intentId\",\"type\":\"uint256\"}],\"name\":\"isActive\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"nextIntentId\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"}]",
	ID:  "IntentRegistry",
}

// IntentRegistry is an auto generated Go binding around an Ethereum contract.
type IntentRegistry struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *IntentRegistry) GetABI() abi.ABI {
	return c.abi
}

// NewIntentRegistry creates a new instance of IntentRegistry.
func NewIntentRegistry() *IntentRegistry {
	parsed, err := IntentRegistryMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &IntentRegistry{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *IntentRegistry) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackCancelIntent is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa0a31aac.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function cancelIntent(uint256 intentId) returns()
func (intentRegistry *IntentRegistry) PackCancelIntent(intentId *big.Int) []byte {
	enc, err := intentRegistry.abi.Pack("cancelIntent", intentId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCancelIntent is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa0a31aac.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function cancelIntent(uint256 intentId) returns()
func (intentRegistry *IntentRegistry) TryPackCancelIntent(intentId *big.Int) ([]byte, error) {
	return intentRegistry.abi.Pack("cancelIntent", intentId)
}

// PackCreateIntent is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6184d3cf.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function createIntent(bytes32 intentHash, uint64 expiresAt) returns(uint256 intentId)
func (intentRegistry *IntentRegistry) PackCreateIntent(intentHash [32]byte, expiresAt uint64) []byte {
	enc, err := intentRegistry.abi.Pack("createIntent", intentHash, expiresAt)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCreateIntent is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6184d3cf.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function createIntent(bytes32 intentHash, uint64 expiresAt) returns(uint256 intentId)
func (intentRegistry *IntentRegistry) TryPackCreateIntent(intentHash [32]byte, expiresAt uint64) ([]byte, error) {
	return intentRegistry.abi.Pack("createIntent", intentHash, expiresAt)
}

// UnpackCreateIntent is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6184d3cf.
//
// Solidity: function createIntent(bytes32 intentHash, uint64 expiresAt) returns(uint256 intentId)
func (intentRegistry *IntentRegistry) UnpackCreateIntent(data []byte) (*big.Int, error) {
	out, err := intentRegistry.abi.Unpack("createIntent", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackIntents is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x46a1a095.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function intents(uint256 intentId) view returns(bytes32 intentHash, address creator, uint64 expiresAt, bool cancelled)
func (intentRegistry *IntentRegistry) PackIntents(intentId *big.Int) []byte {
	enc, err := intentRegistry.abi.Pack("intents", intentId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIntents is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x46a1a095.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function intents(uint256 intentId) view returns(bytes32 intentHash, address creator, uint64 expiresAt, bool cancelled)
func (intentRegistry *IntentRegistry) TryPackIntents(intentId *big.Int) ([]byte, error) {
	return intentRegistry.abi.Pack("intents", intentId)
}

// IntentsOutput serves as a container for the return parameters of contract
// method Intents.
type IntentsOutput struct {
	IntentHash [32]byte
	Creator    common.Address
	ExpiresAt  uint64
	Cancelled  bool
}

// UnpackIntents is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x46a1a095.
//
// Solidity: function intents(uint256 intentId) view returns(bytes32 intentHash, address creator, uint64 expiresAt, bool cancelled)
func (intentRegistry *IntentRegistry) UnpackIntents(data []byte) (IntentsOutput, error) {
	out, err := intentRegistry.abi.Unpack("intents", data)
	outstruct := new(IntentsOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.IntentHash = *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	outstruct.Creator = *abi.ConvertType(out[1], new(common.Address)).(*common.Address)
	outstruct.ExpiresAt = *abi.ConvertType(out[2], new(uint64)).(*uint64)
	outstruct.Cancelled = *abi.ConvertType(out[3], new(bool)).(*bool)
	return *outstruct, nil
}

// PackIsActive is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x82afd23b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isActive(uint256 intentId) view returns(bool)
func (intentRegistry *IntentRegistry) PackIsActive(intentId *big.Int) []byte {
	enc, err := intentRegistry.abi.Pack("isActive", intentId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsActive is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x82afd23b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isActive(uint256 intentId) view returns(bool)
func (intentRegistry *IntentRegistry) TryPackIsActive(intentId *big.Int) ([]byte, error) {
	return intentRegistry.abi.Pack("isActive", intentId)
}

// UnpackIsActive is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x82afd23b.
//
// Solidity: function isActive(uint256 intentId) view returns(bool)
func (intentRegistry *IntentRegistry) UnpackIsActive(data []byte) (bool, error) {
	out, err := intentRegistry.abi.Unpack("isActive", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackNextIntentId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9b7b7b1e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function nextIntentId() view returns(uint256)
func (intentRegistry *IntentRegistry) PackNextIntentId() []byte {
	enc, err := intentRegistry.abi.Pack("nextIntentId")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackNextIntentId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9b7b7b1e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function nextIntentId() view returns(uint256)
func (intentRegistry *IntentRegistry) TryPackNextIntentId() ([]byte, error) {
	return intentRegistry.abi.Pack("nextIntentId")
}

// UnpackNextIntentId is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x9b7b7b1e.
//
// Solidity: function nextIntentId() view returns(uint256)
func (intentRegistry *IntentRegistry) UnpackNextIntentId(data []byte) (*big.Int, error) {
	out, err := intentRegistry.abi.Unpack("nextIntentId", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// IntentRegistryIntentCancelled represents a IntentCancelled event raised by the IntentRegistry contract.
type IntentRegistryIntentCancelled struct {
	IntentId *big.Int
	Creator  common.Address
	Raw      *types.Log // Blockchain specific contextual infos
}

const IntentRegistryIntentCancelledEventName = "IntentCancelled"

// ContractEventName returns the user-defined event name.
func (IntentRegistryIntentCancelled) ContractEventName() string {
	return IntentRegistryIntentCancelledEventName
}

// UnpackIntentCancelledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event IntentCancelled(uint256 indexed intentId, address indexed creator)
func (intentRegistry *IntentRegistry) UnpackIntentCancelledEvent(log *types.Log) (*IntentRegistryIntentCancelled, error) {
	event := "IntentCancelled"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != intentRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(IntentRegistryIntentCancelled)
	if len(log.Data) > 0 {
		if err := intentRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range intentRegistry.abi.Events[event].Inputs {
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

// IntentRegistryIntentCreated represents a IntentCreated event raised by the IntentRegistry contract.
type IntentRegistryIntentCreated struct {
	IntentId   *big.Int
	Creator    common.Address
	IntentHash [32]byte
	ExpiresAt  uint64
	Raw        *types.Log // Blockchain specific contextual infos
}

const IntentRegistryIntentCreatedEventName = "IntentCreated"

// ContractEventName returns the user-defined event name.
func (IntentRegistryIntentCreated) ContractEventName() string {
	return IntentRegistryIntentCreatedEventName
}

// UnpackIntentCreatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event IntentCreated(uint256 indexed intentId, address indexed creator, bytes32 indexed intentHash, uint64 expiresAt)
func (intentRegistry *IntentRegistry) UnpackIntentCreatedEvent(log *types.Log) (*IntentRegistryIntentCreated, error) {
	event := "IntentCreated"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != intentRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(IntentRegistryIntentCreated)
	if len(log.Data) > 0 {
		if err := intentRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range intentRegistry.abi.Events[event].Inputs {
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
func (intentRegistry *IntentRegistry) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], intentRegistry.abi.Errors["ExpiryInPast"].ID.Bytes()[:4]) {
		return intentRegistry.UnpackExpiryInPastError(raw[4:])
	}
	if bytes.Equal(raw[:4], intentRegistry.abi.Errors["IntentAlreadyCancelled"].ID.Bytes()[:4]) {
		return intentRegistry.UnpackIntentAlreadyCancelledError(raw[4:])
	}
	if bytes.Equal(raw[:4], intentRegistry.abi.Errors["IntentNotFound"].ID.Bytes()[:4]) {
		return intentRegistry.UnpackIntentNotFoundError(raw[4:])
	}
	if bytes.Equal(raw[:4], intentRegistry.abi.Errors["NotIntentCreator"].ID.Bytes()[:4]) {
		return intentRegistry.UnpackNotIntentCreatorError(raw[4:])
	}
	if bytes.Equal(raw[:4], intentRegistry.abi.Errors["ZeroIntentHash"].ID.Bytes()[:4]) {
		return intentRegistry.UnpackZeroIntentHashError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// IntentRegistryExpiryInPast represents a ExpiryInPast error raised by the IntentRegistry contract.
type IntentRegistryExpiryInPast struct {
	ExpiresAt      uint64
	BlockTimestamp *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ExpiryInPast(uint64 expiresAt, uint256 blockTimestamp)
func IntentRegistryExpiryInPastErrorID() common.Hash {
	return common.HexToHash("0x6d347fbedfc3e168a1443e439323f43d257337ec6325a159262230ba44a32347")
}

// UnpackExpiryInPastError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ExpiryInPast(uint64 expiresAt, uint256 blockTimestamp)
func (intentRegistry *IntentRegistry) UnpackExpiryInPastError(raw []byte) (*IntentRegistryExpiryInPast, error) {
	out := new(IntentRegistryExpiryInPast)
	if err := intentRegistry.abi.UnpackIntoInterface(out, "ExpiryInPast", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// IntentRegistryIntentAlreadyCancelled represents a IntentAlreadyCancelled error raised by the IntentRegistry contract.
type IntentRegistryIntentAlreadyCancelled struct {
	IntentId *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error IntentAlreadyCancelled(uint256 intentId)
func IntentRegistryIntentAlreadyCancelledErrorID() common.Hash {
	return common.HexToHash("0xbdf53bf5fd44d97f3cd7c0d35f0c42a53053babee56a66042a24d632600b5772")
}

// UnpackIntentAlreadyCancelledError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error IntentAlreadyCancelled(uint256 intentId)
func (intentRegistry *IntentRegistry) UnpackIntentAlreadyCancelledError(raw []byte) (*IntentRegistryIntentAlreadyCancelled, error) {
	out := new(IntentRegistryIntentAlreadyCancelled)
	if err := intentRegistry.abi.UnpackIntoInterface(out, "IntentAlreadyCancelled", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// IntentRegistryIntentNotFound represents a IntentNotFound error raised by the IntentRegistry contract.
type IntentRegistryIntentNotFound struct {
	IntentId *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error IntentNotFound(uint256 intentId)
func IntentRegistryIntentNotFoundErrorID() common.Hash {
	return common.HexToHash("0xbc140bff3f850a830c4de2ad3bbb6250d5205b81f902c2d834b505b54bf0c0bc")
}

// UnpackIntentNotFoundError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error IntentNotFound(uint256 intentId)
func (intentRegistry *IntentRegistry) UnpackIntentNotFoundError(raw []byte) (*IntentRegistryIntentNotFound, error) {
	out := new(IntentRegistryIntentNotFound)
	if err := intentRegistry.abi.UnpackIntoInterface(out, "IntentNotFound", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// IntentRegistryNotIntentCreator represents a NotIntentCreator error raised by the IntentRegistry contract.
type IntentRegistryNotIntentCreator struct {
	IntentId *big.Int
	Caller   common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotIntentCreator(uint256 intentId, address caller)
func IntentRegistryNotIntentCreatorErrorID() common.Hash {
	return common.HexToHash("0x14a42ac5b3363bbdfedc3ddeb0bd4c01363d0d9cb590b86d0a135eb933cab3f0")
}

// UnpackNotIntentCreatorError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotIntentCreator(uint256 intentId, address caller)
func (intentRegistry *IntentRegistry) UnpackNotIntentCreatorError(raw []byte) (*IntentRegistryNotIntentCreator, error) {
	out := new(IntentRegistryNotIntentCreator)
	if err := intentRegistry.abi.UnpackIntoInterface(out, "NotIntentCreator", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// IntentRegistryZeroIntentHash represents a ZeroIntentHash error raised by the IntentRegistry contract.
type IntentRegistryZeroIntentHash struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ZeroIntentHash()
func IntentRegistryZeroIntentHashErrorID() common.Hash {
	return common.HexToHash("0xb2800a13f810ea8c2b8000a53f670aa6e9cd2fca8c3956e0e95e7342461ca46f")
}

// UnpackZeroIntentHashError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ZeroIntentHash()
func (intentRegistry *IntentRegistry) UnpackZeroIntentHashError(raw []byte) (*IntentRegistryZeroIntentHash, error) {
	out := new(IntentRegistryZeroIntentHash)
	if err := intentRegistry.abi.UnpackIntoInterface(out, "ZeroIntentHash", raw); err != nil {
		return nil, err
	}
	return out, nil
}
