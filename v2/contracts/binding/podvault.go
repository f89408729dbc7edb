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

// PodVaultMetaData contains all meta data concerning the PodVault contract.
var PodVaultMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"address[]\",\"name\":\"members\",\"type\":\"address[]\"},{\"internalType\":\"uint256[]\",\"name\":\"shares_\",\"type\":\"uint256[]\"}],\"stateMutability\":\"payable\",\"type\":\"constructor\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"DuplicateMember\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"FailedCall\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"balance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"InsufficientBalance\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"InvalidMember\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NoMembers\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"NotAMember\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"NothingToRelease\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ReentrancyGuardReentrantCall\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"}],\"name\":\"SafeERC20FailedOperation\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"members\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"shares\",\"type\":\"uint256\"}],\"name\":\"SharesDoNotMatchMembers\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"}],\"name\":\"TokenNotMoved\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"count\",\"type\":\"uint256\"}],\"name\":\"TooManyMembers\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"ZeroShares\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"ERC20PaymentReleased\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"shares\",\"type\":\"uint256\"}],\"name\":\"MemberAdded\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"PaymentReceived\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"PaymentReleased\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"MAX_MEMBERS\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"}],\"name\":\"memberAt\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"memberCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"pendingNative\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"pendingToken\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"releaseNative\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"releaseToken\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"releasedNative\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"releasedToken\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"shares\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"totalReleasedNative\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"}],\"name\":\"totalReleasedToken\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"totalShares\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"stateMutability\":\"payable\",\"type\":\"receive\"}]",
	ID:  "PodVault",
}

// PodVault is an auto generated Go binding around an Ethereum contract.
type PodVault struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *PodVault) GetABI() abi.ABI {
	return c.abi
}

// NewPodVault creates a new instance of PodVault.
func NewPodVault() *PodVault {
	parsed, err := PodVaultMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &PodVault{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *PodVault) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(address[] members, uint256[] shares_) payable returns()
func (podVault *PodVault) PackConstructor(members []common.Address, shares_ []*big.Int) []byte {
	enc, err := podVault.abi.Pack("", members, shares_)
	if err != nil {
		panic(err)
	}
	return enc
}

// PackMAXMEMBERS is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xea0e35b1.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_MEMBERS() view returns(uint256)
func (podVault *PodVault) PackMAXMEMBERS() []byte {
	enc, err := podVault.abi.Pack("MAX_MEMBERS")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXMEMBERS is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xea0e35b1.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_MEMBERS() view returns(uint256)
func (podVault *PodVault) TryPackMAXMEMBERS() ([]byte, error) {
	return podVault.abi.Pack("MAX_MEMBERS")
}

// UnpackMAXMEMBERS is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xea0e35b1.
//
// Solidity: function MAX_MEMBERS() view returns(uint256)
func (podVault *PodVault) UnpackMAXMEMBERS(data []byte) (*big.Int, error) {
	out, err := podVault.abi.Unpack("MAX_MEMBERS", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackMemberAt is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xac0250f7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function memberAt(uint256 index) view returns(address)
func (podVault *PodVault) PackMemberAt(index *big.Int) []byte {
	enc, err := podVault.abi.Pack("memberAt", index)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMemberAt is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xac0250f7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function memberAt(uint256 index) view returns(address)
func (podVault *PodVault) TryPackMemberAt(index *big.Int) ([]byte, error) {
	return podVault.abi.Pack("memberAt", index)
}

// UnpackMemberAt is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xac0250f7.
//
// Solidity: function memberAt(uint256 index) view returns(address)
func (podVault *PodVault) UnpackMemberAt(data []byte) (common.Address, error) {
	out, err := podVault.abi.Unpack("memberAt", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackMemberCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x11aee380.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function memberCount() view returns(uint256)
func (podVault *PodVault) PackMemberCount() []byte {
	enc, err := podVault.abi.Pack("memberCount")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMemberCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x11aee380.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function memberCount() view returns(uint256)
func (podVault *PodVault) TryPackMemberCount() ([]byte, error) {
	return podVault.abi.Pack("memberCount")
}

// UnpackMemberCount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x11aee380.
//
// Solidity: function memberCount() view returns(uint256)
func (podVault *PodVault) UnpackMemberCount(data []byte) (*big.Int, error) {
	out, err := podVault.abi.Unpack("memberCount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackPendingNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbec92898.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function pendingNative(address member) view returns(uint256)
func (podVault *PodVault) PackPendingNative(member common.Address) []byte {
	enc, err := podVault.abi.Pack("pendingNative", member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPendingNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbec92898.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function pendingNative(address member) view returns(uint256)
func (podVault *PodVault) TryPackPendingNative(member common.Address) ([]byte, error) {
	return podVault.abi.Pack("pendingNative", member)
}

// UnpackPendingNative is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xbec92898.
//
// Solidity: function pendingNative(address member) view returns(uint256)
func (podVault *PodVault) UnpackPendingNative(data []byte) (*big.Int, error) {
	out, err := podVault.abi.Unpack("pendingNative", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackPendingToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4efaaf85.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function pendingToken(address token, address member) view returns(uint256)
func (podVault *PodVault) PackPendingToken(token common.Address, member common.Address) []byte {
	enc, err := podVault.abi.Pack("pendingToken", token, member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPendingToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4efaaf85.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function pendingToken(address token, address member) view returns(uint256)
func (podVault *PodVault) TryPackPendingToken(token common.Address, member common.Address) ([]byte, error) {
	return podVault.abi.Pack("pendingToken", token, member)
}

// UnpackPendingToken is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4efaaf85.
//
// Solidity: function pendingToken(address token, address member) view returns(uint256)
func (podVault *PodVault) UnpackPendingToken(data []byte) (*big.Int, error) {
	out, err := podVault.abi.Unpack("pendingToken", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackReleaseNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x35853b80.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function releaseNative(address member) returns()
func (podVault *PodVault) PackReleaseNative(member common.Address) []byte {
	enc, err := podVault.abi.Pack("releaseNative", member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackReleaseNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x35853b80.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function releaseNative(address member) returns()
func (podVault *PodVault) TryPackReleaseNative(member common.Address) ([]byte, error) {
	return podVault.abi.Pack("releaseNative", member)
}

// PackReleaseToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x796a6996.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function releaseToken(address token, address member) returns()
func (podVault *PodVault) PackReleaseToken(token common.Address, member common.Address) []byte {
	enc, err := podVault.abi.Pack("releaseToken", token, member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackReleaseToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x796a6996.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function releaseToken(address token, address member) returns()
func (podVault *PodVault) TryPackReleaseToken(token common.Address, member common.Address) ([]byte, error) {
	return podVault.abi.Pack("releaseToken", token, member)
}

// PackReleasedNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6144ee29.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function releasedNative(address member) view returns(uint256)
func (podVault *PodVault) PackReleasedNative(member common.Address) []byte {
	enc, err := podVault.abi.Pack("releasedNative", member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackReleasedNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6144ee29.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function releasedNative(address member) view returns(uint256)
func (podVault *PodVault) TryPackReleasedNative(member common.Address) ([]byte, error) {
	return podVault.abi.Pack("releasedNative", member)
}

// UnpackReleasedNative is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6144ee29.
//
// Solidity: function releasedNative(address member) view returns(uint256)
func (podVault *PodVault) UnpackReleasedNative(data []byte) (*big.Int, error) {
	out, err := podVault.abi.Unpack("releasedNative", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackReleasedToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4f37cad8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function releasedToken(address token, address member) view returns(uint256)
func (podVault *PodVault) PackReleasedToken(token common.Address, member common.Address) []byte {
	enc, err := podVault.abi.Pack("releasedToken", token, member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackReleasedToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4f37cad8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function releasedToken(address token, address member) view returns(uint256)
func (podVault *PodVault) TryPackReleasedToken(token common.Address, member common.Address) ([]byte, error) {
	return podVault.abi.Pack("releasedToken", token, member)
}

// UnpackReleasedToken is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4f37cad8.
//
// Solidity: function releasedToken(address token, address member) view returns(uint256)
func (podVault *PodVault) UnpackReleasedToken(data []byte) (*big.Int, error) {
	out, err := podVault.abi.Unpack("releasedToken", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackShares is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xce7c2ac2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function shares(address member) view returns(uint256)
func (podVault *PodVault) PackShares(member common.Address) []byte {
	enc, err := podVault.abi.Pack("shares", member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackShares is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xce7c2ac2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function shares(address member) view returns(uint256)
func (podVault *PodVault) TryPackShares(member common.Address) ([]byte, error) {
	return podVault.abi.Pack("shares", member)
}

// UnpackShares is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xce7c2ac2.
//
// Solidity: function shares(address member) view returns(uint256)
func (podVault *PodVault) UnpackShares(data []byte) (*big.Int, error) {
	out, err := podVault.abi.Unpack("shares", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTotalReleasedNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc3389b52.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function totalReleasedNative() view returns(uint256)
func (podVault *PodVault) PackTotalReleasedNative() []byte {
	enc, err := podVault.abi.Pack("totalReleasedNative")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTotalReleasedNative is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc3389b52.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function totalReleasedNative() view returns(uint256)
func (podVault *PodVault) TryPackTotalReleasedNative() ([]byte, error) {
	return podVault.abi.Pack("totalReleasedNative")
}

// UnpackTotalReleasedNative is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xc3389b52.
//
// Solidity: function totalReleasedNative() view returns(uint256)
func (podVault *PodVault) UnpackTotalReleasedNative(data []byte) (*big.Int, error) {
	out, err := podVault.abi.Unpack("totalReleasedNative", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTotalReleasedToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x24180d74.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function totalReleasedToken(address token) view returns(uint256)
func (podVault *PodVault) PackTotalReleasedToken(token common.Address) []byte {
	enc, err := podVault.abi.Pack("totalReleasedToken", token)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTotalReleasedToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x24180d74.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function totalReleasedToken(address token) view returns(uint256)
func (podVault *PodVault) TryPackTotalReleasedToken(token common.Address) ([]byte, error) {
	return podVault.abi.Pack("totalReleasedToken", token)
}

// UnpackTotalReleasedToken is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x24180d74.
//
// Solidity: function totalReleasedToken(address token) view returns(uint256)
func (podVault *PodVault) UnpackTotalReleasedToken(data []byte) (*big.Int, error) {
	out, err := podVault.abi.Unpack("totalReleasedToken", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTotalShares is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3a98ef39.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function totalShares() view returns(uint256)
func (podVault *PodVault) PackTotalShares() []byte {
	enc, err := podVault.abi.Pack("totalShares")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTotalShares is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3a98ef39.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function totalShares() view returns(uint256)
func (podVault *PodVault) TryPackTotalShares() ([]byte, error) {
	return podVault.abi.Pack("totalShares")
}

// UnpackTotalShares is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3a98ef39.
//
// Solidity: function totalShares() view returns(uint256)
func (podVault *PodVault) UnpackTotalShares(data []byte) (*big.Int, error) {
	out, err := podVault.abi.Unpack("totalShares", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PodVaultERC20PaymentReleased represents a ERC20PaymentReleased event raised by the PodVault contract.
type PodVaultERC20PaymentReleased struct {
	Token  common.Address
	To     common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const PodVaultERC20PaymentReleasedEventName = "ERC20PaymentReleased"

// ContractEventName returns the user-defined event name.
func (PodVaultERC20PaymentReleased) ContractEventName() string {
	return PodVaultERC20PaymentReleasedEventName
}

// UnpackERC20PaymentReleasedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ERC20PaymentReleased(address indexed token, address indexed to, uint256 amount)
func (podVault *PodVault) UnpackERC20PaymentReleasedEvent(log *types.Log) (*PodVaultERC20PaymentReleased, error) {
	event := "ERC20PaymentReleased"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != podVault.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(PodVaultERC20PaymentReleased)
	if len(log.Data) > 0 {
		if err := podVault.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range podVault.abi.Events[event].Inputs {
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

// PodVaultMemberAdded represents a MemberAdded event raised by the PodVault contract.
type PodVaultMemberAdded struct {
	Member common.Address
	Shares *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const PodVaultMemberAddedEventName = "MemberAdded"

// ContractEventName returns the user-defined event name.
func (PodVaultMemberAdded) ContractEventName() string {
	return PodVaultMemberAddedEventName
}

// UnpackMemberAddedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MemberAdded(address indexed member, uint256 shares)
func (podVault *PodVault) UnpackMemberAddedEvent(log *types.Log) (*PodVaultMemberAdded, error) {
	event := "MemberAdded"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != podVault.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(PodVaultMemberAdded)
	if len(log.Data) > 0 {
		if err := podVault.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range podVault.abi.Events[event].Inputs {
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

// PodVaultPaymentReceived represents a PaymentReceived event raised by the PodVault contract.
type PodVaultPaymentReceived struct {
	From   common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const PodVaultPaymentReceivedEventName = "PaymentReceived"

// ContractEventName returns the user-defined event name.
func (PodVaultPaymentReceived) ContractEventName() string {
	return PodVaultPaymentReceivedEventName
}

// UnpackPaymentReceivedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event PaymentReceived(address indexed from, uint256 amount)
func (podVault *PodVault) UnpackPaymentReceivedEvent(log *types.Log) (*PodVaultPaymentReceived, error) {
	event := "PaymentReceived"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != podVault.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(PodVaultPaymentReceived)
	if len(log.Data) > 0 {
		if err := podVault.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range podVault.abi.Events[event].Inputs {
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

// PodVaultPaymentReleased represents a PaymentReleased event raised by the PodVault contract.
type PodVaultPaymentReleased struct {
	To     common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const PodVaultPaymentReleasedEventName = "PaymentReleased"

// ContractEventName returns the user-defined event name.
func (PodVaultPaymentReleased) ContractEventName() string {
	return PodVaultPaymentReleasedEventName
}

// UnpackPaymentReleasedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event PaymentReleased(address indexed to, uint256 amount)
func (podVault *PodVault) UnpackPaymentReleasedEvent(log *types.Log) (*PodVaultPaymentReleased, error) {
	event := "PaymentReleased"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != podVault.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(PodVaultPaymentReleased)
	if len(log.Data) > 0 {
		if err := podVault.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range podVault.abi.Events[event].Inputs {
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
func (podVault *PodVault) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], podVault.abi.Errors["DuplicateMember"].ID.Bytes()[:4]) {
		return podVault.UnpackDuplicateMemberError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["FailedCall"].ID.Bytes()[:4]) {
		return podVault.UnpackFailedCallError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["InsufficientBalance"].ID.Bytes()[:4]) {
		return podVault.UnpackInsufficientBalanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["InvalidMember"].ID.Bytes()[:4]) {
		return podVault.UnpackInvalidMemberError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["NoMembers"].ID.Bytes()[:4]) {
		return podVault.UnpackNoMembersError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["NotAMember"].ID.Bytes()[:4]) {
		return podVault.UnpackNotAMemberError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["NothingToRelease"].ID.Bytes()[:4]) {
		return podVault.UnpackNothingToReleaseError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["ReentrancyGuardReentrantCall"].ID.Bytes()[:4]) {
		return podVault.UnpackReentrancyGuardReentrantCallError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["SafeERC20FailedOperation"].ID.Bytes()[:4]) {
		return podVault.UnpackSafeERC20FailedOperationError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["SharesDoNotMatchMembers"].ID.Bytes()[:4]) {
		return podVault.UnpackSharesDoNotMatchMembersError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["TokenNotMoved"].ID.Bytes()[:4]) {
		return podVault.UnpackTokenNotMovedError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["TooManyMembers"].ID.Bytes()[:4]) {
		return podVault.UnpackTooManyMembersError(raw[4:])
	}
	if bytes.Equal(raw[:4], podVault.abi.Errors["ZeroShares"].ID.Bytes()[:4]) {
		return podVault.UnpackZeroSharesError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// PodVaultDuplicateMember represents a DuplicateMember error raised by the PodVault contract.
type PodVaultDuplicateMember struct {
	Member common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error DuplicateMember(address member)
func PodVaultDuplicateMemberErrorID() common.Hash {
	return common.HexToHash("0x4b99be106ca88ce66b1359b681c216ce5d48a463451988067d965493ce6d27f5")
}

// UnpackDuplicateMemberError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error DuplicateMember(address member)
func (podVault *PodVault) UnpackDuplicateMemberError(raw []byte) (*PodVaultDuplicateMember, error) {
	out := new(PodVaultDuplicateMember)
	if err := podVault.abi.UnpackIntoInterface(out, "DuplicateMember", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultFailedCall represents a FailedCall error raised by the PodVault contract.
type PodVaultFailedCall struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error FailedCall()
func PodVaultFailedCallErrorID() common.Hash {
	return common.HexToHash("0xd6bda27508c0fb6d8a39b4b122878dab26f731a7d4e4abe711dd3731899052a4")
}

// UnpackFailedCallError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error FailedCall()
func (podVault *PodVault) UnpackFailedCallError(raw []byte) (*PodVaultFailedCall, error) {
	out := new(PodVaultFailedCall)
	if err := podVault.abi.UnpackIntoInterface(out, "FailedCall", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultInsufficientBalance represents a InsufficientBalance error raised by the PodVault contract.
type PodVaultInsufficientBalance struct {
	Balance *big.Int
	Needed  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InsufficientBalance(uint256 balance, uint256 needed)
func PodVaultInsufficientBalanceErrorID() common.Hash {
	return common.HexToHash("0xcf4791818fba6e019216eb4864093b4947f674afada5d305e57d598b641dad1d")
}

// UnpackInsufficientBalanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InsufficientBalance(uint256 balance, uint256 needed)
func (podVault *PodVault) UnpackInsufficientBalanceError(raw []byte) (*PodVaultInsufficientBalance, error) {
	out := new(PodVaultInsufficientBalance)
	if err := podVault.abi.UnpackIntoInterface(out, "InsufficientBalance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultInvalidMember represents a InvalidMember error raised by the PodVault contract.
type PodVaultInvalidMember struct {
	Member common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidMember(address member)
func PodVaultInvalidMemberErrorID() common.Hash {
	return common.HexToHash("0x6c5bdf406d267684903a20ef80d1a90feaf9418b4263acb377e3f8dfef2e514a")
}

// UnpackInvalidMemberError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidMember(address member)
func (podVault *PodVault) UnpackInvalidMemberError(raw []byte) (*PodVaultInvalidMember, error) {
	out := new(PodVaultInvalidMember)
	if err := podVault.abi.UnpackIntoInterface(out, "InvalidMember", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultNoMembers represents a NoMembers error raised by the PodVault contract.
type PodVaultNoMembers struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NoMembers()
func PodVaultNoMembersErrorID() common.Hash {
	return common.HexToHash("0x525af86082190345906ef416e74f1be05a6393d0d1c69bb48eebc742c21a34ba")
}

// UnpackNoMembersError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NoMembers()
func (podVault *PodVault) UnpackNoMembersError(raw []byte) (*PodVaultNoMembers, error) {
	out := new(PodVaultNoMembers)
	if err := podVault.abi.UnpackIntoInterface(out, "NoMembers", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultNotAMember represents a NotAMember error raised by the PodVault contract.
type PodVaultNotAMember struct {
	Account common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotAMember(address account)
func PodVaultNotAMemberErrorID() common.Hash {
	return common.HexToHash("0xc74f99ae608608fe36f55415de276becb198d973e61a153582b23d7478cbe28e")
}

// UnpackNotAMemberError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotAMember(address account)
func (podVault *PodVault) UnpackNotAMemberError(raw []byte) (*PodVaultNotAMember, error) {
	out := new(PodVaultNotAMember)
	if err := podVault.abi.UnpackIntoInterface(out, "NotAMember", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultNothingToRelease represents a NothingToRelease error raised by the PodVault contract.
type PodVaultNothingToRelease struct {
	Member common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NothingToRelease(address member)
func PodVaultNothingToReleaseErrorID() common.Hash {
	return common.HexToHash("0x97219316a43d9d7869f213a2d99be4230198cdcc4f99835a69ab4a5981cca46a")
}

// UnpackNothingToReleaseError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NothingToRelease(address member)
func (podVault *PodVault) UnpackNothingToReleaseError(raw []byte) (*PodVaultNothingToRelease, error) {
	out := new(PodVaultNothingToRelease)
	if err := podVault.abi.UnpackIntoInterface(out, "NothingToRelease", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultReentrancyGuardReentrantCall represents a ReentrancyGuardReentrantCall error raised by the PodVault contract.
type PodVaultReentrancyGuardReentrantCall struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ReentrancyGuardReentrantCall()
func PodVaultReentrancyGuardReentrantCallErrorID() common.Hash {
	return common.HexToHash("0x3ee5aeb571de7fc460830b4d0017439a1ca56fb0bc39062227ade4fe4a24c1ca")
}

// UnpackReentrancyGuardReentrantCallError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ReentrancyGuardReentrantCall()
func (podVault *PodVault) UnpackReentrancyGuardReentrantCallError(raw []byte) (*PodVaultReentrancyGuardReentrantCall, error) {
	out := new(PodVaultReentrancyGuardReentrantCall)
	if err := podVault.abi.UnpackIntoInterface(out, "ReentrancyGuardReentrantCall", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultSafeERC20FailedOperation represents a SafeERC20FailedOperation error raised by the PodVault contract.
type PodVaultSafeERC20FailedOperation struct {
	Token common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error SafeERC20FailedOperation(address token)
func PodVaultSafeERC20FailedOperationErrorID() common.Hash {
	return common.HexToHash("0x5274afe73c98b4749fc91ffae6b7b574e7842cb2144a159e9377a5f20b32edf9")
}

// UnpackSafeERC20FailedOperationError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error SafeERC20FailedOperation(address token)
func (podVault *PodVault) UnpackSafeERC20FailedOperationError(raw []byte) (*PodVaultSafeERC20FailedOperation, error) {
	out := new(PodVaultSafeERC20FailedOperation)
	if err := podVault.abi.UnpackIntoInterface(out, "SafeERC20FailedOperation", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultSharesDoNotMatchMembers represents a SharesDoNotMatchMembers error raised by the PodVault contract.
type PodVaultSharesDoNotMatchMembers struct {
	Members *big.Int
	Shares  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error SharesDoNotMatchMembers(uint256 members, uint256 shares)
func PodVaultSharesDoNotMatchMembersErrorID() common.Hash {
	return common.HexToHash("0xc556f42dad7f19e8424a32a210d6c3e8131537b2cf61e87707407cda46566d01")
}

// UnpackSharesDoNotMatchMembersError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error SharesDoNotMatchMembers(uint256 members, uint256 shares)
func (podVault *PodVault) UnpackSharesDoNotMatchMembersError(raw []byte) (*PodVaultSharesDoNotMatchMembers, error) {
	out := new(PodVaultSharesDoNotMatchMembers)
	if err := podVault.abi.UnpackIntoInterface(out, "SharesDoNotMatchMembers", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultTokenNotMoved represents a TokenNotMoved error raised by the PodVault contract.
type PodVaultTokenNotMoved struct {
	Token common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TokenNotMoved(address token)
func PodVaultTokenNotMovedErrorID() common.Hash {
	return common.HexToHash("0x1c1633f5852808465b4819f4d770983e253ff9d341082b13fe988af115748903")
}

// UnpackTokenNotMovedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TokenNotMoved(address token)
func (podVault *PodVault) UnpackTokenNotMovedError(raw []byte) (*PodVaultTokenNotMoved, error) {
	out := new(PodVaultTokenNotMoved)
	if err := podVault.abi.UnpackIntoInterface(out, "TokenNotMoved", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultTooManyMembers represents a TooManyMembers error raised by the PodVault contract.
type PodVaultTooManyMembers struct {
	Count *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TooManyMembers(uint256 count)
func PodVaultTooManyMembersErrorID() common.Hash {
	return common.HexToHash("0x9ee3ba861e76e6566128b586fe1d10e63f03da2cb39f00b1efd3fe4a5c7ece1b")
}

// UnpackTooManyMembersError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TooManyMembers(uint256 count)
func (podVault *PodVault) UnpackTooManyMembersError(raw []byte) (*PodVaultTooManyMembers, error) {
	out := new(PodVaultTooManyMembers)
	if err := podVault.abi.UnpackIntoInterface(out, "TooManyMembers", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// PodVaultZeroShares represents a ZeroShares error raised by the PodVault contract.
type PodVaultZeroShares struct {
	Member common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ZeroShares(address member)
func PodVaultZeroSharesErrorID() common.Hash {
	return common.HexToHash("0xe1fee1851377e299a0ebf34759a6245b2240761ca50bb5d5137411c33be76e7d")
}

// UnpackZeroSharesError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ZeroShares(address member)
func (podVault *PodVault) UnpackZeroSharesError(raw []byte) (*PodVaultZeroShares, error) {
	out := new(PodVaultZeroShares)
	if err := podVault.abi.UnpackIntoInterface(out, "ZeroShares", raw); err != nil {
		return nil, err
	}
	return out, nil
}
