// Code generated via abigen V2 - DO NOT EDIT.
// This file is a generated binding and any manual changes will be lost.

package contracts

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

// DepositoryMetaData contains all meta data concerning the Depository contract.
var DepositoryMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"}],\"name\":\"SafeERC20FailedOperation\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"bytes32\",\"name\":\"id\",\"type\":\"bytes32\"}],\"name\":\"RelayErc20Deposit\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"bytes32\",\"name\":\"id\",\"type\":\"bytes32\"}],\"name\":\"RelayNativeDeposit\",\"type\":\"event\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"depositor\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"id\",\"type\":\"bytes32\"}],\"name\":\"depositErc20\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"depositor\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"id\",\"type\":\"bytes32\"}],\"name\":\"depositNative\",\"outputs\":[],\"stateMutability\":\"payable\",\"type\":\"function\"}]",
	ID:  "Depository",
}

// Depository is an auto generated Go binding around an Ethereum contract.
type Depository struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *Depository) GetABI() abi.ABI {
	return c.abi
}

// NewDepository creates a new instance of Depository.
func NewDepository() *Depository {
	parsed, err := DepositoryMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &Depository{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *Depository) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackDepositErc20 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe8017952.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function depositErc20(address depositor, address token, uint256 amount, bytes32 id) returns()
func (depository *Depository) PackDepositErc20(depositor common.Address, token common.Address, amount *big.Int, id [32]byte) []byte {
	enc, err := depository.abi.Pack("depositErc20", depositor, token, amount, id)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDepositErc20 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe8017952.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function depositErc20(address depositor, address token, uint256 amount, bytes32 id) returns()
func (depository *Depository) TryPackDepositErc20(depositor common.Address, token common.Address, amount *big.Int, id [32]byte) ([]byte, error) {
	return depository.abi.Pack("depositErc20", depositor, token, amount, id)
}

// PackDepositNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x49290c1c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function depositNative(address depositor, bytes32 id) payable returns()
func (depository *Depository) PackDepositNative(depositor common.Address, id [32]byte) []byte {
	enc, err := depository.abi.Pack("depositNative", depositor, id)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDepositNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x49290c1c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function depositNative(address depositor, bytes32 id) payable returns()
func (depository *Depository) TryPackDepositNative(depositor common.Address, id [32]byte) ([]byte, error) {
	return depository.abi.Pack("depositNative", depositor, id)
}

// DepositoryRelayErc20Deposit represents a RelayErc20Deposit event raised by the Depository contract.
type DepositoryRelayErc20Deposit struct {
	From   common.Address
	Token  common.Address
	Amount *big.Int
	Id     [32]byte
	Raw    *types.Log // Blockchain specific contextual infos
}

const DepositoryRelayErc20DepositEventName = "RelayErc20Deposit"

// ContractEventName returns the user-defined event name.
func (DepositoryRelayErc20Deposit) ContractEventName() string {
	return DepositoryRelayErc20DepositEventName
}

// UnpackRelayErc20DepositEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)
func (depository *Depository) UnpackRelayErc20DepositEvent(log *types.Log) (*DepositoryRelayErc20Deposit, error) {
	event := "RelayErc20Deposit"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != depository.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(DepositoryRelayErc20Deposit)
	if len(log.Data) > 0 {
		if err := depository.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range depository.abi.Events[event].Inputs {
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

// DepositoryRelayNativeDeposit represents a RelayNativeDeposit event raised by the Depository contract.
type DepositoryRelayNativeDeposit struct {
	From   common.Address
	Amount *big.Int
	Id     [32]byte
	Raw    *types.Log // Blockchain specific contextual infos
}

const DepositoryRelayNativeDepositEventName = "RelayNativeDeposit"

// ContractEventName returns the user-defined event name.
func (DepositoryRelayNativeDeposit) ContractEventName() string {
	return DepositoryRelayNativeDepositEventName
}

// UnpackRelayNativeDepositEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event RelayNativeDeposit(address from, uint256 amount, bytes32 id)
func (depository *Depository) UnpackRelayNativeDepositEvent(log *types.Log) (*DepositoryRelayNativeDeposit, error) {
	event := "RelayNativeDeposit"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != depository.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(DepositoryRelayNativeDeposit)
	if len(log.Data) > 0 {
		if err := depository.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range depository.abi.Events[event].Inputs {
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
func (depository *Depository) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], depository.abi.Errors["SafeERC20FailedOperation"].ID.Bytes()[:4]) {
		return depository.UnpackSafeERC20FailedOperationError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// DepositorySafeERC20FailedOperation represents a SafeERC20FailedOperation error raised by the Depository contract.
type DepositorySafeERC20FailedOperation struct {
	Token common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error SafeERC20FailedOperation(address token)
func DepositorySafeERC20FailedOperationErrorID() common.Hash {
	return common.HexToHash("0x5274afe73c98b4749fc91ffae6b7b574e7842cb2144a159e9377a5f20b32edf9")
}

// UnpackSafeERC20FailedOperationError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error SafeERC20FailedOperation(address token)
func (depository *Depository) UnpackSafeERC20FailedOperationError(raw []byte) (*DepositorySafeERC20FailedOperation, error) {
	out := new(DepositorySafeERC20FailedOperation)
	if err := depository.abi.UnpackIntoInterface(out, "SafeERC20FailedOperation", raw); err != nil {
		return nil, err
	}
	return out, nil
}
