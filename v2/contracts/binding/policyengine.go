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

// PolicyEngineMetaData contains all meta data concerning the PolicyEngine contract.
var PolicyEngineMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner_\",\"type\":\"address\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"module\",\"type\":\"address\"}],\"name\":\"ModuleNotAllowed\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"}],\"name\":\"OwnableInvalidOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"OwnableUnauthorizedAccount\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"RenouncingDisabled\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes4\",\"name\":\"selector\",\"type\":\"bytes4\"}],\"name\":\"SelectorNotAllowed\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"}],\"name\":\"TargetNotAllowed\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"maxValue\",\"type\":\"uint256\"}],\"name\":\"ValueAboveMax\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"maxValue\",\"type\":\"uint256\"}],\"name\":\"MaxValuePerTxSet\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"module\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"allowed\",\"type\":\"bool\"}],\"name\":\"ModuleAllowed\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"previousOwner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"newOwner\",\"type\":\"address\"}],\"name\":\"OwnershipTransferStarted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"previousOwner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"newOwner\",\"type\":\"address\"}],\"name\":\"OwnershipTransferred\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes4\",\"name\":\"selector\",\"type\":\"bytes4\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"allowed\",\"type\":\"bool\"}],\"name\":\"SelectorAllowed\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"allowed\",\"type\":\"bool\"}],\"name\":\"TargetAllowed\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"acceptOwnership\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"module\",\"type\":\"address\"}],\"name\":\"allowedModules\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes4\",\"name\":\"selector\",\"type\":\"bytes4\"}],\"name\":\"allowedSelectors\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"}],\"name\":\"allowedTargets\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"maxValuePerTx\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"owner\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"pendingOwner\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"module\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"},{\"internalType\":\"bytes4\",\"name\":\"selector\",\"type\":\"bytes4\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"preCheck\",\"outputs\":[],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"renounceOwnership\",\"outputs\":[],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"maxValue\",\"type\":\"uint256\"}],\"name\":\"setMaxValuePerTx\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"module\",\"type\":\"address\"},{\"internalType\":\"bool\",\"name\":\"allowed\",\"type\":\"bool\"}],\"name\":\"setModuleAllowed\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes4\",\"name\":\"selector\",\"type\":\"bytes4\"},{\"internalType\":\"bool\",\"name\":\"allowed\",\"type\":\"bool\"}],\"name\":\"setSelectorAllowed\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"},{\"internalType\":\"bool\",\"name\":\"allowed\",\"type\":\"bool\"}],\"name\":\"setTargetAllowed\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"newOwner\",\"type\":\"address\"}],\"name\":\"transferOwnership\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "PolicyEngine",
}

// PolicyEngine is an auto generated Go binding around an Ethereum contract.
type PolicyEngine struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *PolicyEngine) GetABI() abi.ABI {
	return c.abi
}

// NewPolicyEngine creates a new instance of PolicyEngine.
func NewPolicyEngine() *PolicyEngine {
	parsed, err := PolicyEngineMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &PolicyEngine{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *PolicyEngine) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(address owner_) returns()
func (policyEngine *PolicyEngine) PackConstructor(owner_ common.Address) []byte {
	enc, err := policyEngine.abi.Pack("", owner_)
	if err != nil {
		panic(err)
	}
	return enc
}

// PackAcceptOwnership is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x79ba5097.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function acceptOwnership() returns()
func (policyEngine *PolicyEngine) PackAcceptOwnership() []byte {
	enc, err := policyEngine.abi.Pack("acceptOwnership")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAcceptOwnership is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x79ba5097.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function acceptOwnership() returns()
func (policyEngine *PolicyEngine) TryPackAcceptOwnership() ([]byte, error) {
	return policyEngine.abi.Pack("acceptOwnership")
}

// PackAllowedModules is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8ba5a0c2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function allowedModules(address module) view returns(bool)
func (policyEngine *PolicyEngine) PackAllowedModules(module common.Address) []byte {
	enc, err := policyEngine.abi.Pack("allowedModules", module)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAllowedModules is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8ba5a0c2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function allowedModules(address module) view returns(bool)
func (policyEngine *PolicyEngine) TryPackAllowedModules(module common.Address) ([]byte, error) {
	return policyEngine.abi.Pack("allowedModules", module)
}

// UnpackAllowedModules is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8ba5a0c2.
//
// Solidity: function allowedModules(address module) view returns(bool)
func (policyEngine *PolicyEngine) UnpackAllowedModules(data []byte) (bool, error) {
	out, err := policyEngine.abi.Unpack("allowedModules", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackAllowedSelectors is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x85f168eb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function allowedSelectors(bytes4 selector) view returns(bool)
func (policyEngine *PolicyEngine) PackAllowedSelectors(selector [4]byte) []byte {
	enc, err := policyEngine.abi.Pack("allowedSelectors", selector)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAllowedSelectors is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x85f168eb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function allowedSelectors(bytes4 selector) view returns(bool)
func (policyEngine *PolicyEngine) TryPackAllowedSelectors(selector [4]byte) ([]byte, error) {
	return policyEngine.abi.Pack("allowedSelectors", selector)
}

// UnpackAllowedSelectors is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x85f168eb.
//
// Solidity: function allowedSelectors(bytes4 selector) view returns(bool)
func (policyEngine *PolicyEngine) UnpackAllowedSelectors(data []byte) (bool, error) {
	out, err := policyEngine.abi.Unpack("allowedSelectors", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackAllowedTargets is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb8fe8d5f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function allowedTargets(address target) view returns(bool)
func (policyEngine *PolicyEngine) PackAllowedTargets(target common.Address) []byte {
	enc, err := policyEngine.abi.Pack("allowedTargets", target)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAllowedTargets is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb8fe8d5f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function allowedTargets(address target) view returns(bool)
func (policyEngine *PolicyEngine) TryPackAllowedTargets(target common.Address) ([]byte, error) {
	return policyEngine.abi.Pack("allowedTargets", target)
}

// UnpackAllowedTargets is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xb8fe8d5f.
//
// Solidity: function allowedTargets(address target) view returns(bool)
func (policyEngine *PolicyEngine) UnpackAllowedTargets(data []byte) (bool, error) {
	out, err := policyEngine.abi.Unpack("allowedTargets", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackMaxValuePerTx is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xffa1e4f1.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function maxValuePerTx() view returns(uint256)
func (policyEngine *PolicyEngine) PackMaxValuePerTx() []byte {
	enc, err := policyEngine.abi.Pack("maxValuePerTx")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMaxValuePerTx is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xffa1e4f1.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function maxValuePerTx() view returns(uint256)
func (policyEngine *PolicyEngine) TryPackMaxValuePerTx() ([]byte, error) {
	return policyEngine.abi.Pack("maxValuePerTx")
}

// UnpackMaxValuePerTx is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xffa1e4f1.
//
// Solidity: function maxValuePerTx() view returns(uint256)
func (policyEngine *PolicyEngine) UnpackMaxValuePerTx(data []byte) (*big.Int, error) {
	out, err := policyEngine.abi.Unpack("maxValuePerTx", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8da5cb5b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function owner() view returns(address)
func (policyEngine *PolicyEngine) PackOwner() []byte {
	enc, err := policyEngine.abi.Pack("owner")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8da5cb5b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function owner() view returns(address)
func (policyEngine *PolicyEngine) TryPackOwner() ([]byte, error) {
	return policyEngine.abi.Pack("owner")
}

// UnpackOwner is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8da5cb5b.
//
// Solidity: function owner() view returns(address)
func (policyEngine *PolicyEngine) UnpackOwner(data []byte) (common.Address, error) {
	out, err := policyEngine.abi.Unpack("owner", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackPendingOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe30c3978.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function pendingOwner() view returns(address)
func (policyEngine *PolicyEngine) PackPendingOwner() []byte {
	enc, err := policyEngine.abi.Pack("pendingOwner")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPendingOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe30c3978.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function pendingOwner() view returns(address)
func (policyEngine *PolicyEngine) TryPackPendingOwner() ([]byte, error) {
	return policyEngine.abi.Pack("pendingOwner")
}

// UnpackPendingOwner is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe30c3978.
//
// Solidity: function pendingOwner() view returns(address)
func (policyEngine *PolicyEngine) UnpackPendingOwner(data []byte) (common.Address, error) {
	out, err := policyEngine.abi.Unpack("pendingOwner", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackPreCheck is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6384479e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function preCheck(address module, address target, bytes4 selector, uint256 value) view returns()
func (policyEngine *PolicyEngine) PackPreCheck(module common.Address, target common.Address, selector [4]byte, value *big.Int) []byte {
	enc, err := policyEngine.abi.Pack("preCheck", module, target, selector, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPreCheck is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6384479e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function preCheck(address module, address target, bytes4 selector, uint256 value) view returns()
func (policyEngine *PolicyEngine) TryPackPreCheck(module common.Address, target common.Address, selector [4]byte, value *big.Int) ([]byte, error) {
	return policyEngine.abi.Pack("preCheck", module, target, selector, value)
}

// PackRenounceOwnership is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x715018a6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function renounceOwnership() view returns()
func (policyEngine *PolicyEngine) PackRenounceOwnership() []byte {
	enc, err := policyEngine.abi.Pack("renounceOwnership")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRenounceOwnership is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x715018a6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function renounceOwnership() view returns()
func (policyEngine *PolicyEngine) TryPackRenounceOwnership() ([]byte, error) {
	return policyEngine.abi.Pack("renounceOwnership")
}

// PackSetMaxValuePerTx is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf1b6df77.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setMaxValuePerTx(uint256 maxValue) returns()
func (policyEngine *PolicyEngine) PackSetMaxValuePerTx(maxValue *big.Int) []byte {
	enc, err := policyEngine.abi.Pack("setMaxValuePerTx", maxValue)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetMaxValuePerTx is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf1b6df77.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setMaxValuePerTx(uint256 maxValue) returns()
func (policyEngine *PolicyEngine) TryPackSetMaxValuePerTx(maxValue *big.Int) ([]byte, error) {
	return policyEngine.abi.Pack("setMaxValuePerTx", maxValue)
}

// PackSetModuleAllowed is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1ed02a91.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setModuleAllowed(address module, bool allowed) returns()
func (policyEngine *PolicyEngine) PackSetModuleAllowed(module common.Address, allowed bool) []byte {
	enc, err := policyEngine.abi.Pack("setModuleAllowed", module, allowed)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetModuleAllowed is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1ed02a91.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setModuleAllowed(address module, bool allowed) returns()
func (policyEngine *PolicyEngine) TryPackSetModuleAllowed(module common.Address, allowed bool) ([]byte, error) {
	return policyEngine.abi.Pack("setModuleAllowed", module, allowed)
}

// PackSetSelectorAllowed is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x66199488.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setSelectorAllowed(bytes4 selector, bool allowed) returns()
func (policyEngine *PolicyEngine) PackSetSelectorAllowed(selector [4]byte, allowed bool) []byte {
	enc, err := policyEngine.abi.Pack("setSelectorAllowed", selector, allowed)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetSelectorAllowed is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x66199488.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setSelectorAllowed(bytes4 selector, bool allowed) returns()
func (policyEngine *PolicyEngine) TryPackSetSelectorAllowed(selector [4]byte, allowed bool) ([]byte, error) {
	return policyEngine.abi.Pack("setSelectorAllowed", selector, allowed)
}

// PackSetTargetAllowed is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3a3d56fa.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setTargetAllowed(address target, bool allowed) returns()
func (policyEngine *PolicyEngine) PackSetTargetAllowed(target common.Address, allowed bool) []byte {
	enc, err := policyEngine.abi.Pack("setTargetAllowed", target, allowed)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetTargetAllowed is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3a3d56fa.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setTargetAllowed(address target, bool allowed) returns()
func (policyEngine *PolicyEngine) TryPackSetTargetAllowed(target common.Address, allowed bool) ([]byte, error) {
	return policyEngine.abi.Pack("setTargetAllowed", target, allowed)
}

// PackTransferOwnership is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf2fde38b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferOwnership(address newOwner) returns()
func (policyEngine *PolicyEngine) PackTransferOwnership(newOwner common.Address) []byte {
	enc, err := policyEngine.abi.Pack("transferOwnership", newOwner)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransferOwnership is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf2fde38b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transferOwnership(address newOwner) returns()
func (policyEngine *PolicyEngine) TryPackTransferOwnership(newOwner common.Address) ([]byte, error) {
	return policyEngine.abi.Pack("transferOwnership", newOwner)
}

// PolicyEngineMaxValuePerTxSet represents a MaxValuePerTxSet event raised by the PolicyEngine contract.
type PolicyEngineMaxValuePerTxSet struct {
	MaxValue *big.Int
	Raw      *types.Log // Blockchain specific contextual infos
}

const PolicyEngineMaxValuePerTxSetEventName = "MaxValuePerTxSet"

// ContractEventName returns the user-defined event name.
func (PolicyEngineMaxValuePerTxSet) ContractEventName() string {
	return PolicyEngineMaxValuePerTxSetEventName
}

// UnpackMaxValuePerTxSetEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MaxValuePerTxSet(uint256 maxValue)
func (policyEngine *PolicyEngine) UnpackMaxValuePerTxSetEvent(log *types.Log) (*PolicyEngineMaxValuePerTxSet, error) {
	event := "MaxValuePerTxSet"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != policyEngine.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(PolicyEngineMaxValuePerTxSet)
	if len(log.Data) > 0 {
		if err := policyEngine.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range policyEngine.abi.Events[event].Inputs {
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

// PolicyEngineModuleAllowed represents a ModuleAllowed event raised by the PolicyEngine contract.
type PolicyEngineModuleAllowed struct {
	Module  common.Address
	Allowed bool
	Raw     *types.Log // Blockchain specific contextual infos
}

const PolicyEngineModuleAllowedEventName = "ModuleAllowed"

// ContractEventName returns the user-defined event name.
func (PolicyEngineModuleAllowed) ContractEventName() string {
	return PolicyEngineModuleAllowedEventName
}

// UnpackModuleAllowedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ModuleAllowed(address indexed module, bool allowed)
func (policyEngine *PolicyEngine) UnpackModuleAllowedEvent(log *types.Log) (*PolicyEngineModuleAllowed, error) {
	event := "ModuleAllowed"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != policyEngine.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(PolicyEngineModuleAllowed)
	if len(log.Data) > 0 {
		if err := policyEngine.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range policyEngine.abi.Events[event].Inputs {
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

// PolicyEngineOwnershipTransferStarted represents a OwnershipTransferStarted event raised by the PolicyEngine contract.
type PolicyEngineOwnershipTransferStarted struct {
	PreviousOwner common.Address
	NewOwner      common.Address
	Raw           *types.Log // Blockchain specific contextual infos
}

const PolicyEngineOwnershipTransferStartedEventName = "OwnershipTransferStarted"

// ContractEventName returns the user-defined event name.
func (PolicyEngineOwnershipTransferStarted) ContractEventName() string {
	return PolicyEngineOwnershipTransferStartedEventName
}

// UnpackOwnershipTransferStartedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)
func (policyEngine *PolicyEngine) UnpackOwnershipTransferStartedEvent(log *types.Log) (*PolicyEngineOwnershipTransferStarted, error) {
	event := "OwnershipTransferStarted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != policyEngine.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(PolicyEngineOwnershipTransferStarted)
	if len(log.Data) > 0 {
		if err := policyEngine.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range policyEngine.abi.Events[event].Inputs {
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

// PolicyEngineOwnershipTransferred represents a OwnershipTransferred event raised by the PolicyEngine contract.
type PolicyEngineOwnershipTransferred struct {
	PreviousOwner common.Address
	NewOwner      common.Address
	Raw           *types.Log // Blockchain specific contextual infos
}

const PolicyEngineOwnershipTransferredEventName = "OwnershipTransferred"

// ContractEventName returns the user-defined event name.
func (PolicyEngineOwnershipTransferred) ContractEventName() string {
	return PolicyEngineOwnershipTransferredEventName
}

// UnpackOwnershipTransferredEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)
func (policyEngine *PolicyEngine) UnpackOwnershipTransferredEvent(log *types.Log) (*PolicyEngineOwnershipTransferred, error) {
	event := "OwnershipTransferred"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != policyEngine.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(PolicyEngineOwnershipTransferred)
	if len(log.Data) > 0 {
		if err := policyEngine.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range policyEngine.abi.Events[event].Inputs {
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

// PolicyEngineSelectorAllowed represents a SelectorAllowed event raised by the PolicyEngine contract.
type PolicyEngineSelectorAllowed struct {
	Selector [4]byte
	Allowed  bool
	Raw      *types.Log // Blockchain specific contextual infos
}

const PolicyEngineSelectorAllowedEventName = "SelectorAllowed"

// ContractEventName returns the user-defined event name.
func (PolicyEngineSelectorAllowed) ContractEventName() string {
	return PolicyEngineSelectorAllowedEventName
}

// UnpackSelectorAllowedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event SelectorAllowed(bytes4 indexed selector, bool allowed)
func (policyEngine *PolicyEngine) UnpackSelectorAllowedEvent(log *types.Log) (*PolicyEngineSelectorAllowed, error) {
	event := "SelectorAllowed"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != policyEngine.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(PolicyEngineSelectorAllowed)
	if len(log.Data) > 0 {
		if err := policyEngine.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range policyEngine.abi.Events[event].Inputs {
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

// PolicyEngineTargetAllowed represents a TargetAllowed event raised by the PolicyEngine contract.
type PolicyEngineTargetAllowed struct {
	Target  common.Address
	Allowed bool
	Raw     *types.Log // Blockchain specific contextual infos
}

const PolicyEngineTargetAllowedEventName = "TargetAllowed"

// ContractEventName returns the user-defined event name.
func (PolicyEngineTargetAllowed) ContractEventName() string {
	return PolicyEngineTargetAllowedEventName
}

// UnpackTargetAllowedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event TargetAllowed(address indexed target, bool allowed)
func (policyEngine *PolicyEngine) UnpackTargetAllowedEvent(log *types.Log) (*PolicyEngineTargetAllowed, error) {
	event := "TargetAllowed"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != policyEngine.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(PolicyEngineTargetAllowed)
	if len(log.Data) > 0 {
		if err := policyEngine.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range policyEngine.abi.Events[event].Inputs {
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
func (policyEngine *PolicyEngine) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], policyEngine.abi.Errors["ModuleNotAllowed"].ID.Bytes()[:4]) {
		return policyEngine.UnpackModuleNotAllowedError(raw[4:])
	}
	if bytes.Equal(raw[:4], policyEngine.abi.Errors["OwnableInvalidOwner"].ID.Bytes()[:4]) {
		return policyEngine.UnpackOwnableInvalidOwnerError(raw[4:])
	}
	if bytes.Equal(raw[:4], policyEngine.abi.Errors["OwnableUnauthorizedAccount"].ID.Bytes()[:4]) {
		return policyEngine.UnpackOwnableUnauthorizedAccountError(raw[4:])
	}
	if bytes.Equal(raw[:4], policyEngine.abi.Errors["RenouncingDisabled"].ID.Bytes()[:4]) {
		return policyEngine.UnpackRenouncingDisabledError(raw[4:])
	}
	if bytes.Equal(raw[:4], policyEngine.abi.Errors["SelectorNotAllowed"].ID.Bytes()[:4]) {
		return policyEngine.UnpackSelectorNotAllowedError(raw[4:])
	}
	if bytes.Equal(raw[:4], policyEngine.abi.Errors["TargetNotAllowed"].ID.Bytes()[:4]) {
		return policyEngine.UnpackTargetNotAllowedError(raw[4:])
	}
	if bytes.Equal(raw[:4], policyEngine.abi.Errors["ValueAboveMax"].ID.Bytes()[:4]) {
		return policyEngine.UnpackValueAboveMaxError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// PolicyEngineModuleNotAllowed represents a ModuleNotAllowed error raised by the PolicyEngine contract.
type PolicyEngineModuleNotAllowed struct {
	Module common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ModuleNotAllowed(address module)
func PolicyEngineModuleNotAllowedErrorID() common.Hash {
	return common.HexToHash("0x85682ba19b4c4f8a6a67ddee0d57ab86966cbb71597d43a2e1bfa604306325d7")
}

// UnpackModuleNotAllowedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ModuleNotAllowed(address module)
func (policyEngine *PolicyEngine) UnpackModuleNotAllowedError(raw []byte) (*PolicyEngineModuleNotAllowed, error) {
	out := new(PolicyEngineModuleNotAllowed)
	if err := policyEngine.abi.UnpackIntoInterface(out, "ModuleNotAllowed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PolicyEngineOwnableInvalidOwner represents a OwnableInvalidOwner error raised by the PolicyEngine contract.
type PolicyEngineOwnableInvalidOwner struct {
	Owner common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OwnableInvalidOwner(address owner)
func PolicyEngineOwnableInvalidOwnerErrorID() common.Hash {
	return common.HexToHash("0x1e4fbdf7f3ef8bcaa855599e3abf48b232380f183f08f6f813d9ffa5bd585188")
}

// UnpackOwnableInvalidOwnerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OwnableInvalidOwner(address owner)
func (policyEngine *PolicyEngine) UnpackOwnableInvalidOwnerError(raw []byte) (*PolicyEngineOwnableInvalidOwner, error) {
	out := new(PolicyEngineOwnableInvalidOwner)
	if err := policyEngine.abi.UnpackIntoInterface(out, "OwnableInvalidOwner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PolicyEngineOwnableUnauthorizedAccount represents a OwnableUnauthorizedAccount error raised by the PolicyEngine contract.
type PolicyEngineOwnableUnauthorizedAccount struct {
	Account common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OwnableUnauthorizedAccount(address account)
func PolicyEngineOwnableUnauthorizedAccountErrorID() common.Hash {
	return common.HexToHash("0x118cdaa7a341953d1887a2245fd6665d741c67c8c50581daa59e1d03373fa188")
}

// UnpackOwnableUnauthorizedAccountError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OwnableUnauthorizedAccount(address account)
func (policyEngine *PolicyEngine) UnpackOwnableUnauthorizedAccountError(raw []byte) (*PolicyEngineOwnableUnauthorizedAccount, error) {
	out := new(PolicyEngineOwnableUnauthorizedAccount)
	if err := policyEngine.abi.UnpackIntoInterface(out, "OwnableUnauthorizedAccount", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PolicyEngineRenouncingDisabled represents a RenouncingDisabled error raised by the PolicyEngine contract.
type PolicyEngineRenouncingDisabled struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error RenouncingDisabled()
func PolicyEngineRenouncingDisabledErrorID() common.Hash {
	return common.HexToHash("0x975e48216264288596204b922ef07fe92e5a7e621627dee3945fc1280cdeb080")
}

// UnpackRenouncingDisabledError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error RenouncingDisabled()
func (policyEngine *PolicyEngine) UnpackRenouncingDisabledError(raw []byte) (*PolicyEngineRenouncingDisabled, error) {
	out := new(PolicyEngineRenouncingDisabled)
	if err := policyEngine.abi.UnpackIntoInterface(out, "RenouncingDisabled", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PolicyEngineSelectorNotAllowed represents a SelectorNotAllowed error raised by the PolicyEngine contract.
type PolicyEngineSelectorNotAllowed struct {
	Selector [4]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error SelectorNotAllowed(bytes4 selector)
func PolicyEngineSelectorNotAllowedErrorID() common.Hash {
	return common.HexToHash("0x3b06e1469dc6d17242f579b4d64f0a8e66ac912d56ef5daf06b791492ccb68ba")
}

// UnpackSelectorNotAllowedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error SelectorNotAllowed(bytes4 selector)
func (policyEngine *PolicyEngine) UnpackSelectorNotAllowedError(raw []byte) (*PolicyEngineSelectorNotAllowed, error) {
	out := new(PolicyEngineSelectorNotAllowed)
	if err := policyEngine.abi.UnpackIntoInterface(out, "SelectorNotAllowed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PolicyEngineTargetNotAllowed represents a TargetNotAllowed error raised by the PolicyEngine contract.
type PolicyEngineTargetNotAllowed struct {
	Target common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TargetNotAllowed(address target)
func PolicyEngineTargetNotAllowedErrorID() common.Hash {
	return common.HexToHash("0xe356c1d338287c7168cd8af7dbb970491fe04915b98d3885c722ec13a201cf65")
}

// UnpackTargetNotAllowedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TargetNotAllowed(address target)
func (policyEngine *PolicyEngine) UnpackTargetNotAllowedError(raw []byte) (*PolicyEngineTargetNotAllowed, error) {
	out := new(PolicyEngineTargetNotAllowed)
	if err := policyEngine.abi.UnpackIntoInterface(out, "TargetNotAllowed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PolicyEngineValueAboveMax represents a ValueAboveMax error raised by the PolicyEngine contract.
type PolicyEngineValueAboveMax struct {
	Value    *big.Int
	MaxValue *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ValueAboveMax(uint256 value, uint256 maxValue)
func PolicyEngineValueAboveMaxErrorID() common.Hash {
	return common.HexToHash("0xf91de375576894691363adf6fc84c11620158529e7cc5d803ac57561ca2beb08")
}

// UnpackValueAboveMaxError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ValueAboveMax(uint256 value, uint256 maxValue)
func (policyEngine *PolicyEngine) UnpackValueAboveMaxError(raw []byte) (*PolicyEngineValueAboveMax, error) {
	out := new(PolicyEngineValueAboveMax)
	if err := policyEngine.abi.UnpackIntoInterface(out, "ValueAboveMax", raw); err != nil {
		return nil, err
	}
	return out, nil
}
