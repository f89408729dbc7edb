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

// ReceiptRegistryMetaData contains all meta data concerning the ReceiptRegistry contract.
var ReceiptRegistryMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"traceIdHash\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"recorder\",\"type\":\"address\"}],\"name\":\"ReceiptAlreadyRecorded\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"traceIdHash\",\"type\":\"bytes32\"}],\"name\":\"ReceiptNotFound\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"length\",\"type\":\"uint256\"}],\"name\":\"UriTooLong\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ZeroTraceIdHash\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"traceIdHash\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"contentHash\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"subject\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"address\",\"name\":\"recorder\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"uri\",\"type\":\"string\"}],\"name\":\"ReceiptRecorded\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"MAX_URI_LENGTH\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"id\",\"type\":\"bytes32\"}],\"name\":\"getReceipt\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"traceIdHash\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"contentHash\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"subject\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"uri\",\"type\":\"string\"},{\"internalType\":\"uint64\",\"name\":\"recordedAt\",\"type\":\"uint64\"},{\"internalType\":\"address\",\"name\":\"recorder\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"traceIdHash\",\"type\":\"bytes32\"}],\"name\":\"isRecorded\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"traceIdHash\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"contentHash\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"subject\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"uri\",\"type\":\"string\"}],\"name\":\"recordReceipt\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "ReceiptRegistry",
}

// ReceiptRegistry is an auto generated Go binding around an Ethereum contract.
type ReceiptRegistry struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *ReceiptRegistry) GetABI() abi.ABI {
	return c.abi
}

// NewReceiptRegistry creates a new instance of ReceiptRegistry.
func NewReceiptRegistry() *ReceiptRegistry {
	parsed, err := ReceiptRegistryMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &ReceiptRegistry{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *ReceiptRegistry) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackMAXURILENGTH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaab5a877.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_URI_LENGTH() view returns(uint256)
func (receiptRegistry *ReceiptRegistry) PackMAXURILENGTH() []byte {
	enc, err := receiptRegistry.abi.Pack("MAX_URI_LENGTH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXURILENGTH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaab5a877.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_URI_LENGTH() view returns(uint256)
func (receiptRegistry *ReceiptRegistry) TryPackMAXURILENGTH() ([]byte, error) {
	return receiptRegistry.abi.Pack("MAX_URI_LENGTH")
}

// UnpackMAXURILENGTH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xaab5a877.
//
// Solidity: function MAX_URI_LENGTH() view returns(uint256)
func (receiptRegistry *ReceiptRegistry) UnpackMAXURILENGTH(data []byte) (*big.Int, error) {
	out, err := receiptRegistry.abi.Unpack("MAX_URI_LENGTH", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetReceipt is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfcecbb61.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getReceipt(bytes32 id) view returns(bytes32 traceIdHash, bytes32 contentHash, bytes32 subject, string uri, uint64 recordedAt, address recorder)
func (receiptRegistry *ReceiptRegistry) PackGetReceipt(id [32]byte) []byte {
	enc, err := receiptRegistry.abi.Pack("getReceipt", id)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetReceipt is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfcecbb61.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getReceipt(bytes32 id) view returns(bytes32 traceIdHash, bytes32 contentHash, bytes32 subject, string uri, uint64 recordedAt, address recorder)
func (receiptRegistry *ReceiptRegistry) TryPackGetReceipt(id [32]byte) ([]byte, error) {
	return receiptRegistry.abi.Pack("getReceipt", id)
}

// GetReceiptOutput serves as a container for the return parameters of contract
// method GetReceipt.
type GetReceiptOutput struct {
	TraceIdHash [32]byte
	ContentHash [32]byte
	Subject     [32]byte
	Uri         string
	RecordedAt  uint64
	Recorder    common.Address
}

// UnpackGetReceipt is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfcecbb61.
//
// Solidity: function getReceipt(bytes32 id) view returns(bytes32 traceIdHash, bytes32 contentHash, bytes32 subject, string uri, uint64 recordedAt, address recorder)
func (receiptRegistry *ReceiptRegistry) UnpackGetReceipt(data []byte) (GetReceiptOutput, error) {
	out, err := receiptRegistry.abi.Unpack("getReceipt", data)
	outstruct := new(GetReceiptOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.TraceIdHash = *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	outstruct.ContentHash = *abi.ConvertType(out[1], new([32]byte)).(*[32]byte)
	outstruct.Subject = *abi.ConvertType(out[2], new([32]byte)).(*[32]byte)
	outstruct.Uri = *abi.ConvertType(out[3], new(string)).(*string)
	outstruct.RecordedAt = *abi.ConvertType(out[4], new(uint64)).(*uint64)
	outstruct.Recorder = *abi.ConvertType(out[5], new(common.Address)).(*common.Address)
	return *outstruct, nil
}

// PackIsRecorded is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x12dcb7a0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isRecorded(bytes32 traceIdHash) view returns(bool)
func (receiptRegistry *ReceiptRegistry) PackIsRecorded(traceIdHash [32]byte) []byte {
	enc, err := receiptRegistry.abi.Pack("isRecorded", traceIdHash)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsRecorded is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x12dcb7a0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isRecorded(bytes32 traceIdHash) view returns(bool)
func (receiptRegistry *ReceiptRegistry) TryPackIsRecorded(traceIdHash [32]byte) ([]byte, error) {
	return receiptRegistry.abi.Pack("isRecorded", traceIdHash)
}

// UnpackIsRecorded is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x12dcb7a0.
//
// Solidity: function isRecorded(bytes32 traceIdHash) view returns(bool)
func (receiptRegistry *ReceiptRegistry) UnpackIsRecorded(data []byte) (bool, error) {
	out, err := receiptRegistry.abi.Unpack("isRecorded", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackRecordReceipt is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x611f37db.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function recordReceipt(bytes32 traceIdHash, bytes32 contentHash, bytes32 subject, string uri) returns()
func (receiptRegistry *ReceiptRegistry) PackRecordReceipt(traceIdHash [32]byte, contentHash [32]byte, subject [32]byte, uri string) []byte {
	enc, err := receiptRegistry.abi.Pack("recordReceipt", traceIdHash, contentHash, subject, uri)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRecordReceipt is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x611f37db.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function recordReceipt(bytes32 traceIdHash, bytes32 contentHash, bytes32 subject, string uri) returns()
func (receiptRegistry *ReceiptRegistry) TryPackRecordReceipt(traceIdHash [32]byte, contentHash [32]byte, subject [32]byte, uri string) ([]byte, error) {
	return receiptRegistry.abi.Pack("recordReceipt", traceIdHash, contentHash, subject, uri)
}

// ReceiptRegistryReceiptRecorded represents a ReceiptRecorded event raised by the ReceiptRegistry contract.
type ReceiptRegistryReceiptRecorded struct {
	TraceIdHash [32]byte
	ContentHash [32]byte
	Subject     [32]byte
	Recorder    common.Address
	Uri         string
	Raw         *types.Log // Blockchain specific contextual infos
}

const ReceiptRegistryReceiptRecordedEventName = "ReceiptRecorded"

// ContractEventName returns the user-defined event name.
func (ReceiptRegistryReceiptRecorded) ContractEventName() string {
	return ReceiptRegistryReceiptRecordedEventName
}

// UnpackReceiptRecordedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ReceiptRecorded(bytes32 indexed traceIdHash, bytes32 indexed contentHash, bytes32 indexed subject, address recorder, string uri)
func (receiptRegistry *ReceiptRegistry) UnpackReceiptRecordedEvent(log *types.Log) (*ReceiptRegistryReceiptRecorded, error) {
	event := "ReceiptRecorded"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != receiptRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ReceiptRegistryReceiptRecorded)
	if len(log.Data) > 0 {
		if err := receiptRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range receiptRegistry.abi.Events[event].Inputs {
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
func (receiptRegistry *ReceiptRegistry) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], receiptRegistry.abi.Errors["ReceiptAlreadyRecorded"].ID.Bytes()[:4]) {
		return receiptRegistry.UnpackReceiptAlreadyRecordedError(raw[4:])
	}
	if bytes.Equal(raw[:4], receiptRegistry.abi.Errors["ReceiptNotFound"].ID.Bytes()[:4]) {
		return receiptRegistry.UnpackReceiptNotFoundError(raw[4:])
	}
	if bytes.Equal(raw[:4], receiptRegistry.abi.Errors["UriTooLong"].ID.Bytes()[:4]) {
		return receiptRegistry.UnpackUriTooLongError(raw[4:])
	}
	if bytes.Equal(raw[:4], receiptRegistry.abi.Errors["ZeroTraceIdHash"].ID.Bytes()[:4]) {
		return receiptRegistry.UnpackZeroTraceIdHashError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// ReceiptRegistryReceiptAlreadyRecorded represents a ReceiptAlreadyRecorded error raised by the ReceiptRegistry contract.
type ReceiptRegistryReceiptAlreadyRecorded struct {
	TraceIdHash [32]byte
	Recorder    common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ReceiptAlreadyRecorded(bytes32 traceIdHash, address recorder)
func ReceiptRegistryReceiptAlreadyRecordedErrorID() common.Hash {
	return common.HexToHash("0x06b2b1ef731a637349a6920d97a374261e1af530c04253b1d62e66a2c945d603")
}

// UnpackReceiptAlreadyRecordedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ReceiptAlreadyRecorded(bytes32 traceIdHash, address recorder)
func (receiptRegistry *ReceiptRegistry) UnpackReceiptAlreadyRecordedError(raw []byte) (*ReceiptRegistryReceiptAlreadyRecorded, error) {
	out := new(ReceiptRegistryReceiptAlreadyRecorded)
	if err := receiptRegistry.abi.UnpackIntoInterface(out, "ReceiptAlreadyRecorded", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ReceiptRegistryReceiptNotFound represents a ReceiptNotFound error raised by the ReceiptRegistry contract.
type ReceiptRegistryReceiptNotFound struct {
	TraceIdHash [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ReceiptNotFound(bytes32 traceIdHash)
func ReceiptRegistryReceiptNotFoundErrorID() common.Hash {
	return common.HexToHash("0xe69f2ea1024159b2a854e91e08360f987b09b3b3f7d9746729ffd6022ee47920")
}

// UnpackReceiptNotFoundError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ReceiptNotFound(bytes32 traceIdHash)
func (receiptRegistry *ReceiptRegistry) UnpackReceiptNotFoundError(raw []byte) (*ReceiptRegistryReceiptNotFound, error) {
	out := new(ReceiptRegistryReceiptNotFound)
	if err := receiptRegistry.abi.UnpackIntoInterface(out, "ReceiptNotFound", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ReceiptRegistryUriTooLong represents a UriTooLong error raised by the ReceiptRegistry contract.
type ReceiptRegistryUriTooLong struct {
	Length *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error UriTooLong(uint256 length)
func ReceiptRegistryUriTooLongErrorID() common.Hash {
	return common.HexToHash("0x462dac9f0ff0ea8b5263831f2857e2100591cccf02527898f426fb9e57b677ea")
}

// UnpackUriTooLongError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error UriTooLong(uint256 length)
func (receiptRegistry *ReceiptRegistry) UnpackUriTooLongError(raw []byte) (*ReceiptRegistryUriTooLong, error) {
	out := new(ReceiptRegistryUriTooLong)
	if err := receiptRegistry.abi.UnpackIntoInterface(out, "UriTooLong", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ReceiptRegistryZeroTraceIdHash represents a ZeroTraceIdHash error raised by the ReceiptRegistry contract.
type ReceiptRegistryZeroTraceIdHash struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ZeroTraceIdHash()
func ReceiptRegistryZeroTraceIdHashErrorID() common.Hash {
	return common.HexToHash("0x3458879b81fbde67a79d9be98df95034f5b5c754e4eaab9f4474e131d1a8ca06")
}

// UnpackZeroTraceIdHashError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ZeroTraceIdHash()
func (receiptRegistry *ReceiptRegistry) UnpackZeroTraceIdHashError(raw []byte) (*ReceiptRegistryZeroTraceIdHash, error) {
	out := new(ReceiptRegistryZeroTraceIdHash)
	if err := receiptRegistry.abi.UnpackIntoInterface(out, "ZeroTraceIdHash", raw); err != nil {
		return nil, err
	}
	return out, nil
}
