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

// MockTargetMetaData contains all meta data concerning the MockTarget contract.
var MockTargetMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"FailedCall\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"balance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"InsufficientBalance\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"code\",\"type\":\"uint256\"}],\"name\":\"Refused\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"caller\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"bytes4\",\"name\":\"selector\",\"type\":\"bytes4\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"Called\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"calls\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"reason\",\"type\":\"string\"}],\"name\":\"fail\",\"outputs\":[],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"keepHalf\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"kept\",\"type\":\"uint256\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"note\",\"type\":\"bytes32\"}],\"name\":\"ping\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"code\",\"type\":\"uint256\"}],\"name\":\"refuse\",\"outputs\":[],\"stateMutability\":\"payable\",\"type\":\"function\"}]",
	ID:  "MockTarget",
}

// MockTarget is an auto generated Go binding around an Ethereum contract.
type MockTarget struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *MockTarget) GetABI() abi.ABI {
	return c.abi
}

// NewMockTarget creates a new instance of MockTarget.
func NewMockTarget() *MockTarget {
	parsed, err := MockTargetMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &MockTarget{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *MockTarget) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackCalls is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x305f72b7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function calls() view returns(uint256)
func (mockTarget *MockTarget) PackCalls() []byte {
	enc, err := mockTarget.abi.Pack("calls")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCalls is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x305f72b7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function calls() view returns(uint256)
func (mockTarget *MockTarget) TryPackCalls() ([]byte, error) {
	return mockTarget.abi.Pack("calls")
}

// UnpackCalls is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x305f72b7.
//
// Solidity: function calls() view returns(uint256)
func (mockTarget *MockTarget) UnpackCalls(data []byte) (*big.Int, error) {
	out, err := mockTarget.abi.Unpack("calls", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackFail is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x78122f3a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fail(string reason) payable returns()
func (mockTarget *MockTarget) PackFail(reason string) []byte {
	enc, err := mockTarget.abi.Pack("fail", reason)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFail is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x78122f3a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fail(string reason) payable returns()
func (mockTarget *MockTarget) TryPackFail(reason string) ([]byte, error) {
	return mockTarget.abi.Pack("fail", reason)
}

// PackKeepHalf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0871457f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function keepHalf() payable returns(uint256 kept)
func (mockTarget *MockTarget) PackKeepHalf() []byte {
	enc, err := mockTarget.abi.Pack("keepHalf")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackKeepHalf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0871457f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function keepHalf() payable returns(uint256 kept)
func (mockTarget *MockTarget) TryPackKeepHalf() ([]byte, error) {
	return mockTarget.abi.Pack("keepHalf")
}

// UnpackKeepHalf is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0871457f.
//
// Solidity: function keepHalf() payable returns(uint256 kept)
func (mockTarget *MockTarget) UnpackKeepHalf(data []byte) (*big.Int, error) {
	out, err := mockTarget.abi.Unpack("keepHalf", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackPing is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x33d425c4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ping(bytes32 note) payable returns(bytes32)
func (mockTarget *MockTarget) PackPing(note [32]byte) []byte {
	enc, err := mockTarget.abi.Pack("ping", note)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPing is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x33d425c4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ping(bytes32 note) payable returns(bytes32)
func (mockTarget *MockTarget) TryPackPing(note [32]byte) ([]byte, error) {
	return mockTarget.abi.Pack("ping", note)
}

// UnpackPing is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x33d425c4.
//
// Solidity: function ping(bytes32 note) payable returns(bytes32)
func (mockTarget *MockTarget) UnpackPing(data []byte) ([32]byte, error) {
	out, err := mockTarget.abi.Unpack("ping", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackRefuse is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa60a07b2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function refuse(uint256 code) payable returns()
func (mockTarget *MockTarget) PackRefuse(code *big.Int) []byte {
	enc, err := mockTarget.abi.Pack("refuse", code)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRefuse is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa60a07b2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function refuse(uint256 code) payable returns()
func (mockTarget *MockTarget) TryPackRefuse(code *big.Int) ([]byte, error) {
	return mockTarget.abi.Pack("refuse", code)
}

// MockTargetCalled represents a Called event raised by the MockTarget contract.
type MockTargetCalled struct {
	Caller   common.Address
	Selector [4]byte
	Value    *big.Int
	Raw      *types.Log // Blockchain specific contextual infos
}

const MockTargetCalledEventName = "Called"

// ContractEventName returns the user-defined event name.
func (MockTargetCalled) ContractEventName() string {
	return MockTargetCalledEventName
}

// UnpackCalledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Called(address indexed caller, bytes4 indexed selector, uint256 value)
func (mockTarget *MockTarget) UnpackCalledEvent(log *types.Log) (*MockTargetCalled, error) {
	event := "Called"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != mockTarget.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(MockTargetCalled)
	if len(log.Data) > 0 {
		if err := mockTarget.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range mockTarget.abi.Events[event].Inputs {
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
func (mockTarget *MockTarget) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], mockTarget.abi.Errors["FailedCall"].ID.Bytes()[:4]) {
		return mockTarget.UnpackFailedCallError(raw[4:])
	}
	if bytes.Equal(raw[:4], mockTarget.abi.Errors["InsufficientBalance"].ID.Bytes()[:4]) {
		return mockTarget.UnpackInsufficientBalanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], mockTarget.abi.Errors["Refused"].ID.Bytes()[:4]) {
		return mockTarget.UnpackRefusedError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// MockTargetFailedCall represents a FailedCall error raised by the MockTarget contract.
type MockTargetFailedCall struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error FailedCall()
func MockTargetFailedCallErrorID() common.Hash {
	return common.HexToHash("0xd6bda27508c0fb6d8a39b4b122878dab26f731a7d4e4abe711dd3731899052a4")
}

// UnpackFailedCallError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error FailedCall()
func (mockTarget *MockTarget) UnpackFailedCallError(raw []byte) (*MockTargetFailedCall, error) {
	out := new(MockTargetFailedCall)
	if err := mockTarget.abi.UnpackIntoInterface(out, "FailedCall", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// MockTargetInsufficientBalance represents a InsufficientBalance error raised by the MockTarget contract.
type MockTargetInsufficientBalance struct {
	Balance *big.Int
	Needed  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InsufficientBalance(uint256 balance, uint256 needed)
func MockTargetInsufficientBalanceErrorID() common.Hash {
	return common.HexToHash("0xcf4791818fba6e019216eb4864093b4947f674afada5d305e57d598b641dad1d")
}

// UnpackInsufficientBalanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InsufficientBalance(uint256 balance, uint256 needed)
func (mockTarget *MockTarget) UnpackInsufficientBalanceError(raw []byte) (*MockTargetInsufficientBalance, error) {
	out := new(MockTargetInsufficientBalance)
	if err := mockTarget.abi.UnpackIntoInterface(out, "InsufficientBalance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// MockTargetRefused represents a Refused error raised by the MockTarget contract.
type MockTargetRefused struct {
	Code *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error Refused(uint256 code)
func MockTargetRefusedErrorID() common.Hash {
	return common.HexToHash("0x590a51514d0080f6eb5d11921efcecd78518db251823115a2e2c0d450bf41755")
}

// UnpackRefusedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error Refused(uint256 code)
func (mockTarget *MockTarget) UnpackRefusedError(raw []byte) (*MockTargetRefused, error) {
	out := new(MockTargetRefused)
	if err := mockTarget.abi.UnpackIntoInterface(out, "Refused", raw); err != nil {
		return nil, err
	}
	return out, nil
}
