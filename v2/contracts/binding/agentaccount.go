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

// AgentAccountMetaData contains all meta data concerning the AgentAccount contract.
var AgentAccountMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner_\",\"type\":\"address\"},{\"internalType\":\"contractIPolicyEngine\",\"name\":\"policy_\",\"type\":\"address\"},{\"internalType\":\"contractIReceiptRegistry\",\"name\":\"receipts_\",\"type\":\"address\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[],\"name\":\"FailedCall\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"balance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"InsufficientBalance\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"policy\",\"type\":\"address\"}],\"name\":\"InvalidPolicyEngine\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"receipts\",\"type\":\"address\"}],\"name\":\"InvalidReceiptRegistry\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"}],\"name\":\"InvalidRecipient\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MalformedInput\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MissingSelector\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"module\",\"type\":\"address\"}],\"name\":\"ModuleWithoutCode\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"}],\"name\":\"OwnableInvalidOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"OwnableUnauthorizedAccount\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ReentrancyGuardReentrantCall\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"RenouncingDisabled\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"}],\"name\":\"SafeERC20FailedOperation\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"}],\"name\":\"TargetWithoutCode\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"Deposited\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"NativeWithdrawn\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"NftWithdrawn\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"previousOwner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"newOwner\",\"type\":\"address\"}],\"name\":\"OwnershipTransferStarted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"previousOwner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"newOwner\",\"type\":\"address\"}],\"name\":\"OwnershipTransferred\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"policy\",\"type\":\"address\"}],\"name\":\"PolicyEngineSet\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"receipts\",\"type\":\"address\"}],\"name\":\"ReceiptRegistrySet\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"traceIdHash\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"contentHash\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"module\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bytes4\",\"name\":\"selector\",\"type\":\"bytes4\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"receiptRecorded\",\"type\":\"bool\"}],\"name\":\"SkillExecuted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"TokenWithdrawn\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"acceptOwnership\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"module\",\"type\":\"address\"},{\"internalType\":\"bytes\",\"name\":\"input\",\"type\":\"bytes\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"traceIdHash\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"subjectHash\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"uri\",\"type\":\"string\"}],\"name\":\"executeSkill\",\"outputs\":[{\"internalType\":\"bytes\",\"name\":\"result\",\"type\":\"bytes\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"},{\"internalType\":\"bytes\",\"name\":\"\",\"type\":\"bytes\"}],\"name\":\"onERC721Received\",\"outputs\":[{\"internalType\":\"bytes4\",\"name\":\"\",\"type\":\"bytes4\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"owner\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"pendingOwner\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"policy\",\"outputs\":[{\"internalType\":\"contractIPolicyEngine\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"receipts\",\"outputs\":[{\"internalType\":\"contractIReceiptRegistry\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"renounceOwnership\",\"outputs\":[],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"contractIPolicyEngine\",\"name\":\"policy_\",\"type\":\"address\"}],\"name\":\"setPolicyEngine\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"contractIReceiptRegistry\",\"name\":\"receipts_\",\"type\":\"address\"}],\"name\":\"setReceiptRegistry\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"newOwner\",\"type\":\"address\"}],\"name\":\"transferOwnership\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"addresspayable\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"withdrawNative\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"contractIERC721\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"withdrawNft\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"contractIERC20\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"withdrawToken\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"stateMutability\":\"payable\",\"type\":\"receive\"}]",
	ID:  "AgentAccount",
}

// AgentAccount is an auto generated Go binding around an Ethereum contract.
type AgentAccount struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *AgentAccount) GetABI() abi.ABI {
	return c.abi
}

// NewAgentAccount creates a new instance of AgentAccount.
func NewAgentAccount() *AgentAccount {
	parsed, err := AgentAccountMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &AgentAccount{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *AgentAccount) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(address owner_, address policy_, address receipts_) returns()
func (agentAccount *AgentAccount) PackConstructor(owner_ common.Address, policy_ common.Address, receipts_ common.Address) []byte {
	enc, err := agentAccount.abi.Pack("", owner_, policy_, receipts_)
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
func (agentAccount *AgentAccount) PackAcceptOwnership() []byte {
	enc, err := agentAccount.abi.Pack("acceptOwnership")
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
func (agentAccount *AgentAccount) TryPackAcceptOwnership() ([]byte, error) {
	return agentAccount.abi.Pack("acceptOwnership")
}

// PackExecuteSkill is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xce58f288.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function executeSkill(address module, bytes input, uint256 value, bytes32 traceIdHash, bytes32 subjectHash, string uri) payable returns(bytes result)
func (agentAccount *AgentAccount) PackExecuteSkill(module common.Address, input []byte, value *big.Int, traceIdHash [32]byte, subjectHash [32]byte, uri string) []byte {
	enc, err := agentAccount.abi.Pack("executeSkill", module, input, value, traceIdHash, subjectHash, uri)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackExecuteSkill is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xce58f288.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function executeSkill(address module, bytes input, uint256 value, bytes32 traceIdHash, bytes32 subjectHash, string uri) payable returns(bytes result)
func (agentAccount *AgentAccount) TryPackExecuteSkill(module common.Address, input []byte, value *big.Int, traceIdHash [32]byte, subjectHash [32]byte, uri string) ([]byte, error) {
	return agentAccount.abi.Pack("executeSkill", module, input, value, traceIdHash, subjectHash, uri)
}

// UnpackExecuteSkill is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xce58f288.
//
// Solidity: function executeSkill(address module, bytes input, uint256 value, bytes32 traceIdHash, bytes32 subjectHash, string uri) payable returns(bytes result)
func (agentAccount *AgentAccount) UnpackExecuteSkill(data []byte) ([]byte, error) {
	out, err := agentAccount.abi.Unpack("executeSkill", data)
	if err != nil {
		return *new([]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([]byte)).(*[]byte)
	return out0, nil
}

// PackOnERC721Received is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x150b7a02.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function onERC721Received(address , address , uint256 , bytes ) returns(bytes4)
func (agentAccount *AgentAccount) PackOnERC721Received(arg0 common.Address, arg1 common.Address, arg2 *big.Int, arg3 []byte) []byte {
	enc, err := agentAccount.abi.Pack("onERC721Received", arg0, arg1, arg2, arg3)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackOnERC721Received is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x150b7a02.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function onERC721Received(address , address , uint256 , bytes ) returns(bytes4)
func (agentAccount *AgentAccount) TryPackOnERC721Received(arg0 common.Address, arg1 common.Address, arg2 *big.Int, arg3 []byte) ([]byte, error) {
	return agentAccount.abi.Pack("onERC721Received", arg0, arg1, arg2, arg3)
}

// UnpackOnERC721Received is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x150b7a02.
//
// Solidity: function onERC721Received(address , address , uint256 , bytes ) returns(bytes4)
func (agentAccount *AgentAccount) UnpackOnERC721Received(data []byte) ([4]byte, error) {
	out, err := agentAccount.abi.Unpack("onERC721Received", data)
	if err != nil {
		return *new([4]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([4]byte)).(*[4]byte)
	return out0, nil
}

// PackOwner is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8da5cb5b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function owner() view returns(address)
func (agentAccount *AgentAccount) PackOwner() []byte {
	enc, err := agentAccount.abi.Pack("owner")
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
func (agentAccount *AgentAccount) TryPackOwner() ([]byte, error) {
	return agentAccount.abi.Pack("owner")
}

// UnpackOwner is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8da5cb5b.
//
// Solidity: function owner() view returns(address)
func (agentAccount *AgentAccount) UnpackOwner(data []byte) (common.Address, error) {
	out, err := agentAccount.abi.Unpack("owner", data)
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
func (agentAccount *AgentAccount) PackPendingOwner() []byte {
	enc, err := agentAccount.abi.Pack("pendingOwner")
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
func (agentAccount *AgentAccount) TryPackPendingOwner() ([]byte, error) {
	return agentAccount.abi.Pack("pendingOwner")
}

// UnpackPendingOwner is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe30c3978.
//
// Solidity: function pendingOwner() view returns(address)
func (agentAccount *AgentAccount) UnpackPendingOwner(data []byte) (common.Address, error) {
	out, err := agentAccount.abi.Unpack("pendingOwner", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackPolicy is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0505c8c9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function policy() view returns(address)
func (agentAccount *AgentAccount) PackPolicy() []byte {
	enc, err := agentAccount.abi.Pack("policy")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPolicy is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0505c8c9.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function policy() view returns(address)
func (agentAccount *AgentAccount) TryPackPolicy() ([]byte, error) {
	return agentAccount.abi.Pack("policy")
}

// UnpackPolicy is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0505c8c9.
//
// Solidity: function policy() view returns(address)
func (agentAccount *AgentAccount) UnpackPolicy(data []byte) (common.Address, error) {
	out, err := agentAccount.abi.Unpack("policy", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackReceipts is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf400b10e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function receipts() view returns(address)
func (agentAccount *AgentAccount) PackReceipts() []byte {
	enc, err := agentAccount.abi.Pack("receipts")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackReceipts is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf400b10e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function receipts() view returns(address)
func (agentAccount *AgentAccount) TryPackReceipts() ([]byte, error) {
	return agentAccount.abi.Pack("receipts")
}

// UnpackReceipts is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf400b10e.
//
// Solidity: function receipts() view returns(address)
func (agentAccount *AgentAccount) UnpackReceipts(data []byte) (common.Address, error) {
	out, err := agentAccount.abi.Unpack("receipts", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackRenounceOwnership is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x715018a6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function renounceOwnership() view returns()
func (agentAccount *AgentAccount) PackRenounceOwnership() []byte {
	enc, err := agentAccount.abi.Pack("renounceOwnership")
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
func (agentAccount *AgentAccount) TryPackRenounceOwnership() ([]byte, error) {
	return agentAccount.abi.Pack("renounceOwnership")
}

// PackSetPolicyEngine is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6135b085.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setPolicyEngine(address policy_) returns()
func (agentAccount *AgentAccount) PackSetPolicyEngine(policy common.Address) []byte {
	enc, err := agentAccount.abi.Pack("setPolicyEngine", policy)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetPolicyEngine is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6135b085.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setPolicyEngine(address policy_) returns()
func (agentAccount *AgentAccount) TryPackSetPolicyEngine(policy common.Address) ([]byte, error) {
	return agentAccount.abi.Pack("setPolicyEngine", policy)
}

// PackSetReceiptRegistry is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x67c241ee.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setReceiptRegistry(address receipts_) returns()
func (agentAccount *AgentAccount) PackSetReceiptRegistry(receipts common.Address) []byte {
	enc, err := agentAccount.abi.Pack("setReceiptRegistry", receipts)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetReceiptRegistry is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x67c241ee.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setReceiptRegistry(address receipts_) returns()
func (agentAccount *AgentAccount) TryPackSetReceiptRegistry(receipts common.Address) ([]byte, error) {
	return agentAccount.abi.Pack("setReceiptRegistry", receipts)
}

// PackTransferOwnership is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf2fde38b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferOwnership(address newOwner) returns()
func (agentAccount *AgentAccount) PackTransferOwnership(newOwner common.Address) []byte {
	enc, err := agentAccount.abi.Pack("transferOwnership", newOwner)
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
func (agentAccount *AgentAccount) TryPackTransferOwnership(newOwner common.Address) ([]byte, error) {
	return agentAccount.abi.Pack("transferOwnership", newOwner)
}

// PackWithdrawNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x07b18bde.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function withdrawNative(address to, uint256 amount) returns()
func (agentAccount *AgentAccount) PackWithdrawNative(to common.Address, amount *big.Int) []byte {
	enc, err := agentAccount.abi.Pack("withdrawNative", to, amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackWithdrawNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x07b18bde.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function withdrawNative(address to, uint256 amount) returns()
func (agentAccount *AgentAccount) TryPackWithdrawNative(to common.Address, amount *big.Int) ([]byte, error) {
	return agentAccount.abi.Pack("withdrawNative", to, amount)
}

// PackWithdrawNft is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd6b72772.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function withdrawNft(address token, address to, uint256 tokenId) returns()
func (agentAccount *AgentAccount) PackWithdrawNft(token common.Address, to common.Address, tokenId *big.Int) []byte {
	enc, err := agentAccount.abi.Pack("withdrawNft", token, to, tokenId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackWithdrawNft is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd6b72772.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function withdrawNft(address token, address to, uint256 tokenId) returns()
func (agentAccount *AgentAccount) TryPackWithdrawNft(token common.Address, to common.Address, tokenId *big.Int) ([]byte, error) {
	return agentAccount.abi.Pack("withdrawNft", token, to, tokenId)
}

// PackWithdrawToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x01e33667.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function withdrawToken(address token, address to, uint256 amount) returns()
func (agentAccount *AgentAccount) PackWithdrawToken(token common.Address, to common.Address, amount *big.Int) []byte {
	enc, err := agentAccount.abi.Pack("withdrawToken", token, to, amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackWithdrawToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x01e33667.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function withdrawToken(address token, address to, uint256 amount) returns()
func (agentAccount *AgentAccount) TryPackWithdrawToken(token common.Address, to common.Address, amount *big.Int) ([]byte, error) {
	return agentAccount.abi.Pack("withdrawToken", token, to, amount)
}

// AgentAccountDeposited represents a Deposited event raised by the AgentAccount contract.
type AgentAccountDeposited struct {
	From   common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const AgentAccountDepositedEventName = "Deposited"

// ContractEventName returns the user-defined event name.
func (AgentAccountDeposited) ContractEventName() string {
	return AgentAccountDepositedEventName
}

// UnpackDepositedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Deposited(address indexed from, uint256 amount)
func (agentAccount *AgentAccount) UnpackDepositedEvent(log *types.Log) (*AgentAccountDeposited, error) {
	event := "Deposited"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != agentAccount.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(AgentAccountDeposited)
	if len(log.Data) > 0 {
		if err := agentAccount.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range agentAccount.abi.Events[event].Inputs {
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

// AgentAccountNativeWithdrawn represents a NativeWithdrawn event raised by the AgentAccount contract.
type AgentAccountNativeWithdrawn struct {
	To     common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const AgentAccountNativeWithdrawnEventName = "NativeWithdrawn"

// ContractEventName returns the user-defined event name.
func (AgentAccountNativeWithdrawn) ContractEventName() string {
	return AgentAccountNativeWithdrawnEventName
}

// UnpackNativeWithdrawnEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event NativeWithdrawn(address indexed to, uint256 amount)
func (agentAccount *AgentAccount) UnpackNativeWithdrawnEvent(log *types.Log) (*AgentAccountNativeWithdrawn, error) {
	event := "NativeWithdrawn"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != agentAccount.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(AgentAccountNativeWithdrawn)
	if len(log.Data) > 0 {
		if err := agentAccount.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range agentAccount.abi.Events[event].Inputs {
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

// AgentAccountNftWithdrawn represents a NftWithdrawn event raised by the AgentAccount contract.
type AgentAccountNftWithdrawn struct {
	Token   common.Address
	To      common.Address
	TokenId *big.Int
	Raw     *types.Log // Blockchain specific contextual infos
}

const AgentAccountNftWithdrawnEventName = "NftWithdrawn"

// ContractEventName returns the user-defined event name.
func (AgentAccountNftWithdrawn) ContractEventName() string {
	return AgentAccountNftWithdrawnEventName
}

// UnpackNftWithdrawnEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event NftWithdrawn(address indexed token, address indexed to, uint256 tokenId)
func (agentAccount *AgentAccount) UnpackNftWithdrawnEvent(log *types.Log) (*AgentAccountNftWithdrawn, error) {
	event := "NftWithdrawn"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != agentAccount.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(AgentAccountNftWithdrawn)
	if len(log.Data) > 0 {
		if err := agentAccount.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range agentAccount.abi.Events[event].Inputs {
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

// AgentAccountOwnershipTransferStarted represents a OwnershipTransferStarted event raised by the AgentAccount contract.
type AgentAccountOwnershipTransferStarted struct {
	PreviousOwner common.Address
	NewOwner      common.Address
	Raw           *types.Log // Blockchain specific contextual infos
}

const AgentAccountOwnershipTransferStartedEventName = "OwnershipTransferStarted"

// ContractEventName returns the user-defined event name.
func (AgentAccountOwnershipTransferStarted) ContractEventName() string {
	return AgentAccountOwnershipTransferStartedEventName
}

// UnpackOwnershipTransferStartedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)
func (agentAccount *AgentAccount) UnpackOwnershipTransferStartedEvent(log *types.Log) (*AgentAccountOwnershipTransferStarted, error) {
	event := "OwnershipTransferStarted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != agentAccount.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(AgentAccountOwnershipTransferStarted)
	if len(log.Data) > 0 {
		if err := agentAccount.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range agentAccount.abi.Events[event].Inputs {
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

// AgentAccountOwnershipTransferred represents a OwnershipTransferred event raised by the AgentAccount contract.
type AgentAccountOwnershipTransferred struct {
	PreviousOwner common.Address
	NewOwner      common.Address
	Raw           *types.Log // Blockchain specific contextual infos
}

const AgentAccountOwnershipTransferredEventName = "OwnershipTransferred"

// ContractEventName returns the user-defined event name.
func (AgentAccountOwnershipTransferred) ContractEventName() string {
	return AgentAccountOwnershipTransferredEventName
}

// UnpackOwnershipTransferredEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)
func (agentAccount *AgentAccount) UnpackOwnershipTransferredEvent(log *types.Log) (*AgentAccountOwnershipTransferred, error) {
	event := "OwnershipTransferred"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != agentAccount.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(AgentAccountOwnershipTransferred)
	if len(log.Data) > 0 {
		if err := agentAccount.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range agentAccount.abi.Events[event].Inputs {
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

// AgentAccountPolicyEngineSet represents a PolicyEngineSet event raised by the AgentAccount contract.
type AgentAccountPolicyEngineSet struct {
	Policy common.Address
	Raw    *types.Log // Blockchain specific contextual infos
}

const AgentAccountPolicyEngineSetEventName = "PolicyEngineSet"

// ContractEventName returns the user-defined event name.
func (AgentAccountPolicyEngineSet) ContractEventName() string {
	return AgentAccountPolicyEngineSetEventName
}

// UnpackPolicyEngineSetEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event PolicyEngineSet(address indexed policy)
func (agentAccount *AgentAccount) UnpackPolicyEngineSetEvent(log *types.Log) (*AgentAccountPolicyEngineSet, error) {
	event := "PolicyEngineSet"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != agentAccount.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(AgentAccountPolicyEngineSet)
	if len(log.Data) > 0 {
		if err := agentAccount.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range agentAccount.abi.Events[event].Inputs {
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

// AgentAccountReceiptRegistrySet represents a ReceiptRegistrySet event raised by the AgentAccount contract.
type AgentAccountReceiptRegistrySet struct {
	Receipts common.Address
	Raw      *types.Log // Blockchain specific contextual infos
}

const AgentAccountReceiptRegistrySetEventName = "ReceiptRegistrySet"

// ContractEventName returns the user-defined event name.
func (AgentAccountReceiptRegistrySet) ContractEventName() string {
	return AgentAccountReceiptRegistrySetEventName
}

// UnpackReceiptRegistrySetEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ReceiptRegistrySet(address indexed receipts)
func (agentAccount *AgentAccount) UnpackReceiptRegistrySetEvent(log *types.Log) (*AgentAccountReceiptRegistrySet, error) {
	event := "ReceiptRegistrySet"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != agentAccount.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(AgentAccountReceiptRegistrySet)
	if len(log.Data) > 0 {
		if err := agentAccount.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range agentAccount.abi.Events[event].Inputs {
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

// AgentAccountSkillExecuted represents a SkillExecuted event raised by the AgentAccount contract.
type AgentAccountSkillExecuted struct {
	TraceIdHash     [32]byte
	ContentHash     [32]byte
	Module          common.Address
	Target          common.Address
	Selector        [4]byte
	Value           *big.Int
	ReceiptRecorded bool
	Raw             *types.Log // Blockchain specific contextual infos
}

const AgentAccountSkillExecutedEventName = "SkillExecuted"

// ContractEventName returns the user-defined event name.
func (AgentAccountSkillExecuted) ContractEventName() string {
	return AgentAccountSkillExecutedEventName
}

// UnpackSkillExecutedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event SkillExecuted(bytes32 indexed traceIdHash, bytes32 indexed contentHash, address indexed module, address target, bytes4 selector, uint256 value, bool receiptRecorded)
func (agentAccount *AgentAccount) UnpackSkillExecutedEvent(log *types.Log) (*AgentAccountSkillExecuted, error) {
	event := "SkillExecuted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != agentAccount.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(AgentAccountSkillExecuted)
	if len(log.Data) > 0 {
		if err := agentAccount.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range agentAccount.abi.Events[event].Inputs {
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

// AgentAccountTokenWithdrawn represents a TokenWithdrawn event raised by the AgentAccount contract.
type AgentAccountTokenWithdrawn struct {
	Token  common.Address
	To     common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const AgentAccountTokenWithdrawnEventName = "TokenWithdrawn"

// ContractEventName returns the user-defined event name.
func (AgentAccountTokenWithdrawn) ContractEventName() string {
	return AgentAccountTokenWithdrawnEventName
}

// UnpackTokenWithdrawnEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event TokenWithdrawn(address indexed token, address indexed to, uint256 amount)
func (agentAccount *AgentAccount) UnpackTokenWithdrawnEvent(log *types.Log) (*AgentAccountTokenWithdrawn, error) {
	event := "TokenWithdrawn"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != agentAccount.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(AgentAccountTokenWithdrawn)
	if len(log.Data) > 0 {
		if err := agentAccount.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range agentAccount.abi.Events[event].Inputs {
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
func (agentAccount *AgentAccount) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["FailedCall"].ID.Bytes()[:4]) {
		return agentAccount.UnpackFailedCallError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["InsufficientBalance"].ID.Bytes()[:4]) {
		return agentAccount.UnpackInsufficientBalanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["InvalidPolicyEngine"].ID.Bytes()[:4]) {
		return agentAccount.UnpackInvalidPolicyEngineError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["InvalidReceiptRegistry"].ID.Bytes()[:4]) {
		return agentAccount.UnpackInvalidReceiptRegistryError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["InvalidRecipient"].ID.Bytes()[:4]) {
		return agentAccount.UnpackInvalidRecipientError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["MalformedInput"].ID.Bytes()[:4]) {
		return agentAccount.UnpackMalformedInputError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["MissingSelector"].ID.Bytes()[:4]) {
		return agentAccount.UnpackMissingSelectorError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["ModuleWithoutCode"].ID.Bytes()[:4]) {
		return agentAccount.UnpackModuleWithoutCodeError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["OwnableInvalidOwner"].ID.Bytes()[:4]) {
		return agentAccount.UnpackOwnableInvalidOwnerError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["OwnableUnauthorizedAccount"].ID.Bytes()[:4]) {
		return agentAccount.UnpackOwnableUnauthorizedAccountError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["ReentrancyGuardReentrantCall"].ID.Bytes()[:4]) {
		return agentAccount.UnpackReentrancyGuardReentrantCallError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["RenouncingDisabled"].ID.Bytes()[:4]) {
		return agentAccount.UnpackRenouncingDisabledError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["SafeERC20FailedOperation"].ID.Bytes()[:4]) {
		return agentAccount.UnpackSafeERC20FailedOperationError(raw[4:])
	}
	if bytes.Equal(raw[:4], agentAccount.abi.Errors["TargetWithoutCode"].ID.Bytes()[:4]) {
		return agentAccount.UnpackTargetWithoutCodeError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// AgentAccountFailedCall represents a FailedCall error raised by the AgentAccount contract.
type AgentAccountFailedCall struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error FailedCall()
func AgentAccountFailedCallErrorID() common.Hash {
	return common.HexToHash("0xd6bda27508c0fb6d8a39b4b122878dab26f731a7d4e4abe711dd3731899052a4")
}

// UnpackFailedCallError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error FailedCall()
func (agentAccount *AgentAccount) UnpackFailedCallError(raw []byte) (*AgentAccountFailedCall, error) {
	out := new(AgentAccountFailedCall)
	if err := agentAccount.abi.UnpackIntoInterface(out, "FailedCall", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountInsufficientBalance represents a InsufficientBalance error raised by the AgentAccount contract.
type AgentAccountInsufficientBalance struct {
	Balance *big.Int
	Needed  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InsufficientBalance(uint256 balance, uint256 needed)
func AgentAccountInsufficientBalanceErrorID() common.Hash {
	return common.HexToHash("0xcf4791818fba6e019216eb4864093b4947f674afada5d305e57d598b641dad1d")
}

// UnpackInsufficientBalanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InsufficientBalance(uint256 balance, uint256 needed)
func (agentAccount *AgentAccount) UnpackInsufficientBalanceError(raw []byte) (*AgentAccountInsufficientBalance, error) {
	out := new(AgentAccountInsufficientBalance)
	if err := agentAccount.abi.UnpackIntoInterface(out, "InsufficientBalance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountInvalidPolicyEngine represents a InvalidPolicyEngine error raised by the AgentAccount contract.
type AgentAccountInvalidPolicyEngine struct {
	Policy common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidPolicyEngine(address policy)
func AgentAccountInvalidPolicyEngineErrorID() common.Hash {
	return common.HexToHash("0xb5e578764c8d6c4cef5c0fcc57d16ac2e90631beafc168dc5b93a8404df43002")
}

// UnpackInvalidPolicyEngineError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidPolicyEngine(address policy)
func (agentAccount *AgentAccount) UnpackInvalidPolicyEngineError(raw []byte) (*AgentAccountInvalidPolicyEngine, error) {
	out := new(AgentAccountInvalidPolicyEngine)
	if err := agentAccount.abi.UnpackIntoInterface(out, "InvalidPolicyEngine", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountInvalidReceiptRegistry represents a InvalidReceiptRegistry error raised by the AgentAccount contract.
type AgentAccountInvalidReceiptRegistry struct {
	Receipts common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidReceiptRegistry(address receipts)
func AgentAccountInvalidReceiptRegistryErrorID() common.Hash {
	return common.HexToHash("0xb6c10d1af09a29ad95597160e8974ade4074618a5d0a6395014ac442322177fb")
}

// UnpackInvalidReceiptRegistryError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidReceiptRegistry(address receipts)
func (agentAccount *AgentAccount) UnpackInvalidReceiptRegistryError(raw []byte) (*AgentAccountInvalidReceiptRegistry, error) {
	out := new(AgentAccountInvalidReceiptRegistry)
	if err := agentAccount.abi.UnpackIntoInterface(out, "InvalidReceiptRegistry", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountInvalidRecipient represents a InvalidRecipient error raised by the AgentAccount contract.
type AgentAccountInvalidRecipient struct {
	To common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidRecipient(address to)
func AgentAccountInvalidRecipientErrorID() common.Hash {
	return common.HexToHash("0x17858bbe33f2abed3758965a9f02dee0a7e83a84b7b813e2a23810c33c0858ea")
}

// UnpackInvalidRecipientError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidRecipient(address to)
func (agentAccount *AgentAccount) UnpackInvalidRecipientError(raw []byte) (*AgentAccountInvalidRecipient, error) {
	out := new(AgentAccountInvalidRecipient)
	if err := agentAccount.abi.UnpackIntoInterface(out, "InvalidRecipient", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountMalformedInput represents a MalformedInput error raised by the AgentAccount contract.
type AgentAccountMalformedInput struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MalformedInput()
func AgentAccountMalformedInputErrorID() common.Hash {
	return common.HexToHash("0xecabd0ecfaac383ca19f7fa377d0c38a4274b960b468958d9d84f46be392ee37")
}

// UnpackMalformedInputError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MalformedInput()
func (agentAccount *AgentAccount) UnpackMalformedInputError(raw []byte) (*AgentAccountMalformedInput, error) {
	out := new(AgentAccountMalformedInput)
	if err := agentAccount.abi.UnpackIntoInterface(out, "MalformedInput", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountMissingSelector represents a MissingSelector error raised by the AgentAccount contract.
type AgentAccountMissingSelector struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MissingSelector()
func AgentAccountMissingSelectorErrorID() common.Hash {
	return common.HexToHash("0x47d7741961a91a86d60656b176202236869be9b3b96aed04c7ef096c7fd38a1c")
}

// UnpackMissingSelectorError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MissingSelector()
func (agentAccount *AgentAccount) UnpackMissingSelectorError(raw []byte) (*AgentAccountMissingSelector, error) {
	out := new(AgentAccountMissingSelector)
	if err := agentAccount.abi.UnpackIntoInterface(out, "MissingSelector", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountModuleWithoutCode represents a ModuleWithoutCode error raised by the AgentAccount contract.
type AgentAccountModuleWithoutCode struct {
	Module common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ModuleWithoutCode(address module)
func AgentAccountModuleWithoutCodeErrorID() common.Hash {
	return common.HexToHash("0xea1f6eef6605ece1273bed6feaef83e54fda22c6bda522b46390363cc05ccce0")
}

// UnpackModuleWithoutCodeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ModuleWithoutCode(address module)
func (agentAccount *AgentAccount) UnpackModuleWithoutCodeError(raw []byte) (*AgentAccountModuleWithoutCode, error) {
	out := new(AgentAccountModuleWithoutCode)
	if err := agentAccount.abi.UnpackIntoInterface(out, "ModuleWithoutCode", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountOwnableInvalidOwner represents a OwnableInvalidOwner error raised by the AgentAccount contract.
type AgentAccountOwnableInvalidOwner struct {
	Owner common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OwnableInvalidOwner(address owner)
func AgentAccountOwnableInvalidOwnerErrorID() common.Hash {
	return common.HexToHash("0x1e4fbdf7f3ef8bcaa855599e3abf48b232380f183f08f6f813d9ffa5bd585188")
}

// UnpackOwnableInvalidOwnerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OwnableInvalidOwner(address owner)
func (agentAccount *AgentAccount) UnpackOwnableInvalidOwnerError(raw []byte) (*AgentAccountOwnableInvalidOwner, error) {
	out := new(AgentAccountOwnableInvalidOwner)
	if err := agentAccount.abi.UnpackIntoInterface(out, "OwnableInvalidOwner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountOwnableUnauthorizedAccount represents a OwnableUnauthorizedAccount error raised by the AgentAccount contract.
type AgentAccountOwnableUnauthorizedAccount struct {
	Account common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OwnableUnauthorizedAccount(address account)
func AgentAccountOwnableUnauthorizedAccountErrorID() common.Hash {
	return common.HexToHash("0x118cdaa7a341953d1887a2245fd6665d741c67c8c50581daa59e1d03373fa188")
}

// UnpackOwnableUnauthorizedAccountError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OwnableUnauthorizedAccount(address account)
func (agentAccount *AgentAccount) UnpackOwnableUnauthorizedAccountError(raw []byte) (*AgentAccountOwnableUnauthorizedAccount, error) {
	out := new(AgentAccountOwnableUnauthorizedAccount)
	if err := agentAccount.abi.UnpackIntoInterface(out, "OwnableUnauthorizedAccount", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountReentrancyGuardReentrantCall represents a ReentrancyGuardReentrantCall error raised by the AgentAccount contract.
type AgentAccountReentrancyGuardReentrantCall struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ReentrancyGuardReentrantCall()
func AgentAccountReentrancyGuardReentrantCallErrorID() common.Hash {
	return common.HexToHash("0x3ee5aeb571de7fc460830b4d0017439a1ca56fb0bc39062227ade4fe4a24c1ca")
}

// UnpackReentrancyGuardReentrantCallError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ReentrancyGuardReentrantCall()
func (agentAccount *AgentAccount) UnpackReentrancyGuardReentrantCallError(raw []byte) (*AgentAccountReentrancyGuardReentrantCall, error) {
	out := new(AgentAccountReentrancyGuardReentrantCall)
	if err := agentAccount.abi.UnpackIntoInterface(out, "ReentrancyGuardReentrantCall", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountRenouncingDisabled represents a RenouncingDisabled error raised by the AgentAccount contract.
type AgentAccountRenouncingDisabled struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error RenouncingDisabled()
func AgentAccountRenouncingDisabledErrorID() common.Hash {
	return common.HexToHash("0x975e48216264288596204b922ef07fe92e5a7e621627dee3945fc1280cdeb080")
}

// UnpackRenouncingDisabledError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error RenouncingDisabled()
func (agentAccount *AgentAccount) UnpackRenouncingDisabledError(raw []byte) (*AgentAccountRenouncingDisabled, error) {
	out := new(AgentAccountRenouncingDisabled)
	if err := agentAccount.abi.UnpackIntoInterface(out, "RenouncingDisabled", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountSafeERC20FailedOperation represents a SafeERC20FailedOperation error raised by the AgentAccount contract.
type AgentAccountSafeERC20FailedOperation struct {
	Token common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error SafeERC20FailedOperation(address token)
func AgentAccountSafeERC20FailedOperationErrorID() common.Hash {
	return common.HexToHash("0x5274afe73c98b4749fc91ffae6b7b574e7842cb2144a159e9377a5f20b32edf9")
}

// UnpackSafeERC20FailedOperationError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error SafeERC20FailedOperation(address token)
func (agentAccount *AgentAccount) UnpackSafeERC20FailedOperationError(raw []byte) (*AgentAccountSafeERC20FailedOperation, error) {
	out := new(AgentAccountSafeERC20FailedOperation)
	if err := agentAccount.abi.UnpackIntoInterface(out, "SafeERC20FailedOperation", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// AgentAccountTargetWithoutCode represents a TargetWithoutCode error raised by the AgentAccount contract.
type AgentAccountTargetWithoutCode struct {
	Target common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TargetWithoutCode(address target)
func AgentAccountTargetWithoutCodeErrorID() common.Hash {
	return common.HexToHash("0x9dcf72e8b3931767dd09ad7d958fdf720c9ea629283777d8f0087c5d7f9746d5")
}

// UnpackTargetWithoutCodeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TargetWithoutCode(address target)
func (agentAccount *AgentAccount) UnpackTargetWithoutCodeError(raw []byte) (*AgentAccountTargetWithoutCode, error) {
	out := new(AgentAccountTargetWithoutCode)
	if err := agentAccount.abi.UnpackIntoInterface(out, "TargetWithoutCode", raw); err != nil {
		return nil, err
	}
	return out, nil
}
