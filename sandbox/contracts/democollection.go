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

// DemoCollectionMetaData contains all meta data concerning the DemoCollection contract.
var DemoCollectionMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name_\",\"type\":\"string\"},{\"internalType\":\"string\",\"name\":\"symbol_\",\"type\":\"string\"},{\"internalType\":\"string\",\"name\":\"single_\",\"type\":\"string\"},{\"internalType\":\"string\",\"name\":\"glyph_\",\"type\":\"string\"},{\"internalType\":\"uint256\",\"name\":\"supply\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"holder\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"creator\",\"type\":\"address\"},{\"internalType\":\"uint96\",\"name\":\"royaltyBps\",\"type\":\"uint96\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"numerator\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"denominator\",\"type\":\"uint256\"}],\"name\":\"ERC2981InvalidDefaultRoyalty\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"}],\"name\":\"ERC2981InvalidDefaultRoyaltyReceiver\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"numerator\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"denominator\",\"type\":\"uint256\"}],\"name\":\"ERC2981InvalidTokenRoyalty\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"}],\"name\":\"ERC2981InvalidTokenRoyaltyReceiver\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"}],\"name\":\"ERC721IncorrectOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"operator\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"ERC721InsufficientApproval\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"approver\",\"type\":\"address\"}],\"name\":\"ERC721InvalidApprover\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"operator\",\"type\":\"address\"}],\"name\":\"ERC721InvalidOperator\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"}],\"name\":\"ERC721InvalidOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"}],\"name\":\"ERC721InvalidReceiver\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"ERC721InvalidSender\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"ERC721NonexistentToken\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"approved\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"Approval\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"operator\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"approved\",\"type\":\"bool\"}],\"name\":\"ApprovalForAll\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"Transfer\",\"type\":\"event\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"approve\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"}],\"name\":\"balanceOf\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"getApproved\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"glyph\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"operator\",\"type\":\"address\"}],\"name\":\"isApprovedForAll\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"name\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"ownerOf\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"salePrice\",\"type\":\"uint256\"}],\"name\":\"royaltyInfo\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"safeTransferFrom\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"},{\"internalType\":\"bytes\",\"name\":\"data\",\"type\":\"bytes\"}],\"name\":\"safeTransferFrom\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"operator\",\"type\":\"address\"},{\"internalType\":\"bool\",\"name\":\"approved\",\"type\":\"bool\"}],\"name\":\"setApprovalForAll\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"single\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes4\",\"name\":\"id\",\"type\":\"bytes4\"}],\"name\":\"supportsInterface\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"symbol\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"id\",\"type\":\"uint256\"}],\"name\":\"tokenURI\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"totalSupply\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"transferFrom\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "DemoCollection",
}

// DemoCollection is an auto generated Go binding around an Ethereum contract.
type DemoCollection struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *DemoCollection) GetABI() abi.ABI {
	return c.abi
}

// NewDemoCollection creates a new instance of DemoCollection.
func NewDemoCollection() *DemoCollection {
	parsed, err := DemoCollectionMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &DemoCollection{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *DemoCollection) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(string name_, string symbol_, string single_, string glyph_, uint256 supply, address holder, address creator, uint96 royaltyBps) returns()
func (demoCollection *DemoCollection) PackConstructor(name_ string, symbol_ string, single_ string, glyph_ string, supply *big.Int, holder common.Address, creator common.Address, royaltyBps *big.Int) []byte {
	enc, err := demoCollection.abi.Pack("", name_, symbol_, single_, glyph_, supply, holder, creator, royaltyBps)
	if err != nil {
		panic(err)
	}
	return enc
}

// PackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function approve(address to, uint256 tokenId) returns()
func (demoCollection *DemoCollection) PackApprove(to common.Address, tokenId *big.Int) []byte {
	enc, err := demoCollection.abi.Pack("approve", to, tokenId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function approve(address to, uint256 tokenId) returns()
func (demoCollection *DemoCollection) TryPackApprove(to common.Address, tokenId *big.Int) ([]byte, error) {
	return demoCollection.abi.Pack("approve", to, tokenId)
}

// PackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function balanceOf(address owner) view returns(uint256)
func (demoCollection *DemoCollection) PackBalanceOf(owner common.Address) []byte {
	enc, err := demoCollection.abi.Pack("balanceOf", owner)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function balanceOf(address owner) view returns(uint256)
func (demoCollection *DemoCollection) TryPackBalanceOf(owner common.Address) ([]byte, error) {
	return demoCollection.abi.Pack("balanceOf", owner)
}

// UnpackBalanceOf is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x70a08231.
//
// Solidity: function balanceOf(address owner) view returns(uint256)
func (demoCollection *DemoCollection) UnpackBalanceOf(data []byte) (*big.Int, error) {
	out, err := demoCollection.abi.Unpack("balanceOf", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetApproved is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x081812fc.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getApproved(uint256 tokenId) view returns(address)
func (demoCollection *DemoCollection) PackGetApproved(tokenId *big.Int) []byte {
	enc, err := demoCollection.abi.Pack("getApproved", tokenId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetApproved is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x081812fc.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getApproved(uint256 tokenId) view returns(address)
func (demoCollection *DemoCollection) TryPackGetApproved(tokenId *big.Int) ([]byte, error) {
	return demoCollection.abi.Pack("getApproved", tokenId)
}

// UnpackGetApproved is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x081812fc.
//
// Solidity: function getApproved(uint256 tokenId) view returns(address)
func (demoCollection *DemoCollection) UnpackGetApproved(data []byte) (common.Address, error) {
	out, err := demoCollection.abi.Unpack("getApproved", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackGlyph is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x565e6c0e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function glyph() view returns(string)
func (demoCollection *DemoCollection) PackGlyph() []byte {
	enc, err := demoCollection.abi.Pack("glyph")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGlyph is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x565e6c0e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function glyph() view returns(string)
func (demoCollection *DemoCollection) TryPackGlyph() ([]byte, error) {
	return demoCollection.abi.Pack("glyph")
}

// UnpackGlyph is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x565e6c0e.
//
// Solidity: function glyph() view returns(string)
func (demoCollection *DemoCollection) UnpackGlyph(data []byte) (string, error) {
	out, err := demoCollection.abi.Unpack("glyph", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackIsApprovedForAll is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe985e9c5.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isApprovedForAll(address owner, address operator) view returns(bool)
func (demoCollection *DemoCollection) PackIsApprovedForAll(owner common.Address, operator common.Address) []byte {
	enc, err := demoCollection.abi.Pack("isApprovedForAll", owner, operator)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsApprovedForAll is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe985e9c5.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isApprovedForAll(address owner, address operator) view returns(bool)
func (demoCollection *DemoCollection) TryPackIsApprovedForAll(owner common.Address, operator common.Address) ([]byte, error) {
	return demoCollection.abi.Pack("isApprovedForAll", owner, operator)
}

// UnpackIsApprovedForAll is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe985e9c5.
//
// Solidity: function isApprovedForAll(address owner, address operator) view returns(bool)
func (demoCollection *DemoCollection) UnpackIsApprovedForAll(data []byte) (bool, error) {
	out, err := demoCollection.abi.Unpack("isApprovedForAll", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function name() view returns(string)
func (demoCollection *DemoCollection) PackName() []byte {
	enc, err := demoCollection.abi.Pack("name")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function name() view returns(string)
func (demoCollection *DemoCollection) TryPackName() ([]byte, error) {
	return demoCollection.abi.Pack("name")
}

// UnpackName is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x06fdde03.
//
// Solidity: function name() view returns(string)
func (demoCollection *DemoCollection) UnpackName(data []byte) (string, error) {
	out, err := demoCollection.abi.Unpack("name", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackOwnerOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6352211e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ownerOf(uint256 tokenId) view returns(address)
func (demoCollection *DemoCollection) PackOwnerOf(tokenId *big.Int) []byte {
	enc, err := demoCollection.abi.Pack("ownerOf", tokenId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackOwnerOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6352211e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ownerOf(uint256 tokenId) view returns(address)
func (demoCollection *DemoCollection) TryPackOwnerOf(tokenId *big.Int) ([]byte, error) {
	return demoCollection.abi.Pack("ownerOf", tokenId)
}

// UnpackOwnerOf is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6352211e.
//
// Solidity: function ownerOf(uint256 tokenId) view returns(address)
func (demoCollection *DemoCollection) UnpackOwnerOf(data []byte) (common.Address, error) {
	out, err := demoCollection.abi.Unpack("ownerOf", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackRoyaltyInfo is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2a55205a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function royaltyInfo(uint256 tokenId, uint256 salePrice) view returns(address receiver, uint256 amount)
func (demoCollection *DemoCollection) PackRoyaltyInfo(tokenId *big.Int, salePrice *big.Int) []byte {
	enc, err := demoCollection.abi.Pack("royaltyInfo", tokenId, salePrice)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRoyaltyInfo is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2a55205a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function royaltyInfo(uint256 tokenId, uint256 salePrice) view returns(address receiver, uint256 amount)
func (demoCollection *DemoCollection) TryPackRoyaltyInfo(tokenId *big.Int, salePrice *big.Int) ([]byte, error) {
	return demoCollection.abi.Pack("royaltyInfo", tokenId, salePrice)
}

// RoyaltyInfoOutput serves as a container for the return parameters of contract
// method RoyaltyInfo.
type RoyaltyInfoOutput struct {
	Receiver common.Address
	Amount   *big.Int
}

// UnpackRoyaltyInfo is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x2a55205a.
//
// Solidity: function royaltyInfo(uint256 tokenId, uint256 salePrice) view returns(address receiver, uint256 amount)
func (demoCollection *DemoCollection) UnpackRoyaltyInfo(data []byte) (RoyaltyInfoOutput, error) {
	out, err := demoCollection.abi.Unpack("royaltyInfo", data)
	outstruct := new(RoyaltyInfoOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Receiver = *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	outstruct.Amount = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackSafeTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x42842e0e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function safeTransferFrom(address from, address to, uint256 tokenId) returns()
func (demoCollection *DemoCollection) PackSafeTransferFrom(from common.Address, to common.Address, tokenId *big.Int) []byte {
	enc, err := demoCollection.abi.Pack("safeTransferFrom", from, to, tokenId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSafeTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x42842e0e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function safeTransferFrom(address from, address to, uint256 tokenId) returns()
func (demoCollection *DemoCollection) TryPackSafeTransferFrom(from common.Address, to common.Address, tokenId *big.Int) ([]byte, error) {
	return demoCollection.abi.Pack("safeTransferFrom", from, to, tokenId)
}

// PackSafeTransferFrom0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb88d4fde.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function safeTransferFrom(address from, address to, uint256 tokenId, bytes data) returns()
func (demoCollection *DemoCollection) PackSafeTransferFrom0(from common.Address, to common.Address, tokenId *big.Int, data []byte) []byte {
	enc, err := demoCollection.abi.Pack("safeTransferFrom0", from, to, tokenId, data)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSafeTransferFrom0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb88d4fde.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function safeTransferFrom(address from, address to, uint256 tokenId, bytes data) returns()
func (demoCollection *DemoCollection) TryPackSafeTransferFrom0(from common.Address, to common.Address, tokenId *big.Int, data []byte) ([]byte, error) {
	return demoCollection.abi.Pack("safeTransferFrom0", from, to, tokenId, data)
}

// PackSetApprovalForAll is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa22cb465.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setApprovalForAll(address operator, bool approved) returns()
func (demoCollection *DemoCollection) PackSetApprovalForAll(operator common.Address, approved bool) []byte {
	enc, err := demoCollection.abi.Pack("setApprovalForAll", operator, approved)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetApprovalForAll is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa22cb465.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setApprovalForAll(address operator, bool approved) returns()
func (demoCollection *DemoCollection) TryPackSetApprovalForAll(operator common.Address, approved bool) ([]byte, error) {
	return demoCollection.abi.Pack("setApprovalForAll", operator, approved)
}

// PackSingle is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xde3e828e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function single() view returns(string)
func (demoCollection *DemoCollection) PackSingle() []byte {
	enc, err := demoCollection.abi.Pack("single")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSingle is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xde3e828e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function single() view returns(string)
func (demoCollection *DemoCollection) TryPackSingle() ([]byte, error) {
	return demoCollection.abi.Pack("single")
}

// UnpackSingle is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xde3e828e.
//
// Solidity: function single() view returns(string)
func (demoCollection *DemoCollection) UnpackSingle(data []byte) (string, error) {
	out, err := demoCollection.abi.Unpack("single", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackSupportsInterface is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x01ffc9a7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function supportsInterface(bytes4 id) view returns(bool)
func (demoCollection *DemoCollection) PackSupportsInterface(id [4]byte) []byte {
	enc, err := demoCollection.abi.Pack("supportsInterface", id)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSupportsInterface is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x01ffc9a7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function supportsInterface(bytes4 id) view returns(bool)
func (demoCollection *DemoCollection) TryPackSupportsInterface(id [4]byte) ([]byte, error) {
	return demoCollection.abi.Pack("supportsInterface", id)
}

// UnpackSupportsInterface is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x01ffc9a7.
//
// Solidity: function supportsInterface(bytes4 id) view returns(bool)
func (demoCollection *DemoCollection) UnpackSupportsInterface(data []byte) (bool, error) {
	out, err := demoCollection.abi.Unpack("supportsInterface", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackSymbol is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x95d89b41.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function symbol() view returns(string)
func (demoCollection *DemoCollection) PackSymbol() []byte {
	enc, err := demoCollection.abi.Pack("symbol")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSymbol is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x95d89b41.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function symbol() view returns(string)
func (demoCollection *DemoCollection) TryPackSymbol() ([]byte, error) {
	return demoCollection.abi.Pack("symbol")
}

// UnpackSymbol is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x95d89b41.
//
// Solidity: function symbol() view returns(string)
func (demoCollection *DemoCollection) UnpackSymbol(data []byte) (string, error) {
	out, err := demoCollection.abi.Unpack("symbol", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackTokenURI is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc87b56dd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function tokenURI(uint256 id) view returns(string)
func (demoCollection *DemoCollection) PackTokenURI(id *big.Int) []byte {
	enc, err := demoCollection.abi.Pack("tokenURI", id)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTokenURI is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc87b56dd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function tokenURI(uint256 id) view returns(string)
func (demoCollection *DemoCollection) TryPackTokenURI(id *big.Int) ([]byte, error) {
	return demoCollection.abi.Pack("tokenURI", id)
}

// UnpackTokenURI is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xc87b56dd.
//
// Solidity: function tokenURI(uint256 id) view returns(string)
func (demoCollection *DemoCollection) UnpackTokenURI(data []byte) (string, error) {
	out, err := demoCollection.abi.Unpack("tokenURI", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x18160ddd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function totalSupply() view returns(uint256)
func (demoCollection *DemoCollection) PackTotalSupply() []byte {
	enc, err := demoCollection.abi.Pack("totalSupply")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x18160ddd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function totalSupply() view returns(uint256)
func (demoCollection *DemoCollection) TryPackTotalSupply() ([]byte, error) {
	return demoCollection.abi.Pack("totalSupply")
}

// UnpackTotalSupply is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x18160ddd.
//
// Solidity: function totalSupply() view returns(uint256)
func (demoCollection *DemoCollection) UnpackTotalSupply(data []byte) (*big.Int, error) {
	out, err := demoCollection.abi.Unpack("totalSupply", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferFrom(address from, address to, uint256 tokenId) returns()
func (demoCollection *DemoCollection) PackTransferFrom(from common.Address, to common.Address, tokenId *big.Int) []byte {
	enc, err := demoCollection.abi.Pack("transferFrom", from, to, tokenId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transferFrom(address from, address to, uint256 tokenId) returns()
func (demoCollection *DemoCollection) TryPackTransferFrom(from common.Address, to common.Address, tokenId *big.Int) ([]byte, error) {
	return demoCollection.abi.Pack("transferFrom", from, to, tokenId)
}

// DemoCollectionApproval represents a Approval event raised by the DemoCollection contract.
type DemoCollectionApproval struct {
	Owner    common.Address
	Approved common.Address
	TokenId  *big.Int
	Raw      *types.Log // Blockchain specific contextual infos
}

const DemoCollectionApprovalEventName = "Approval"

// ContractEventName returns the user-defined event name.
func (DemoCollectionApproval) ContractEventName() string {
	return DemoCollectionApprovalEventName
}

// UnpackApprovalEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)
func (demoCollection *DemoCollection) UnpackApprovalEvent(log *types.Log) (*DemoCollectionApproval, error) {
	event := "Approval"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != demoCollection.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(DemoCollectionApproval)
	if len(log.Data) > 0 {
		if err := demoCollection.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range demoCollection.abi.Events[event].Inputs {
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

// DemoCollectionApprovalForAll represents a ApprovalForAll event raised by the DemoCollection contract.
type DemoCollectionApprovalForAll struct {
	Owner    common.Address
	Operator common.Address
	Approved bool
	Raw      *types.Log // Blockchain specific contextual infos
}

const DemoCollectionApprovalForAllEventName = "ApprovalForAll"

// ContractEventName returns the user-defined event name.
func (DemoCollectionApprovalForAll) ContractEventName() string {
	return DemoCollectionApprovalForAllEventName
}

// UnpackApprovalForAllEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ApprovalForAll(address indexed owner, address indexed operator, bool approved)
func (demoCollection *DemoCollection) UnpackApprovalForAllEvent(log *types.Log) (*DemoCollectionApprovalForAll, error) {
	event := "ApprovalForAll"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != demoCollection.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(DemoCollectionApprovalForAll)
	if len(log.Data) > 0 {
		if err := demoCollection.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range demoCollection.abi.Events[event].Inputs {
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

// DemoCollectionTransfer represents a Transfer event raised by the DemoCollection contract.
type DemoCollectionTransfer struct {
	From    common.Address
	To      common.Address
	TokenId *big.Int
	Raw     *types.Log // Blockchain specific contextual infos
}

const DemoCollectionTransferEventName = "Transfer"

// ContractEventName returns the user-defined event name.
func (DemoCollectionTransfer) ContractEventName() string {
	return DemoCollectionTransferEventName
}

// UnpackTransferEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)
func (demoCollection *DemoCollection) UnpackTransferEvent(log *types.Log) (*DemoCollectionTransfer, error) {
	event := "Transfer"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != demoCollection.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(DemoCollectionTransfer)
	if len(log.Data) > 0 {
		if err := demoCollection.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range demoCollection.abi.Events[event].Inputs {
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
func (demoCollection *DemoCollection) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC2981InvalidDefaultRoyalty"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC2981InvalidDefaultRoyaltyError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC2981InvalidDefaultRoyaltyReceiver"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC2981InvalidDefaultRoyaltyReceiverError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC2981InvalidTokenRoyalty"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC2981InvalidTokenRoyaltyError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC2981InvalidTokenRoyaltyReceiver"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC2981InvalidTokenRoyaltyReceiverError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC721IncorrectOwner"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC721IncorrectOwnerError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC721InsufficientApproval"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC721InsufficientApprovalError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC721InvalidApprover"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC721InvalidApproverError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC721InvalidOperator"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC721InvalidOperatorError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC721InvalidOwner"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC721InvalidOwnerError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC721InvalidReceiver"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC721InvalidReceiverError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC721InvalidSender"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC721InvalidSenderError(raw[4:])
	}
	if bytes.Equal(raw[:4], demoCollection.abi.Errors["ERC721NonexistentToken"].ID.Bytes()[:4]) {
		return demoCollection.UnpackERC721NonexistentTokenError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// DemoCollectionERC2981InvalidDefaultRoyalty represents a ERC2981InvalidDefaultRoyalty error raised by the DemoCollection contract.
type DemoCollectionERC2981InvalidDefaultRoyalty struct {
	Numerator   *big.Int
	Denominator *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC2981InvalidDefaultRoyalty(uint256 numerator, uint256 denominator)
func DemoCollectionERC2981InvalidDefaultRoyaltyErrorID() common.Hash {
	return common.HexToHash("0x6f483d09b3a1c4c035367ae09146a8a08a718cb6617416cc12a2457ab3d65514")
}

// UnpackERC2981InvalidDefaultRoyaltyError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC2981InvalidDefaultRoyalty(uint256 numerator, uint256 denominator)
func (demoCollection *DemoCollection) UnpackERC2981InvalidDefaultRoyaltyError(raw []byte) (*DemoCollectionERC2981InvalidDefaultRoyalty, error) {
	out := new(DemoCollectionERC2981InvalidDefaultRoyalty)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC2981InvalidDefaultRoyalty", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC2981InvalidDefaultRoyaltyReceiver represents a ERC2981InvalidDefaultRoyaltyReceiver error raised by the DemoCollection contract.
type DemoCollectionERC2981InvalidDefaultRoyaltyReceiver struct {
	Receiver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC2981InvalidDefaultRoyaltyReceiver(address receiver)
func DemoCollectionERC2981InvalidDefaultRoyaltyReceiverErrorID() common.Hash {
	return common.HexToHash("0xb6d9900a710828c2d05fe8061d6309d02a20eaa45cd00228c2c2dfbfa2b86fc3")
}

// UnpackERC2981InvalidDefaultRoyaltyReceiverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC2981InvalidDefaultRoyaltyReceiver(address receiver)
func (demoCollection *DemoCollection) UnpackERC2981InvalidDefaultRoyaltyReceiverError(raw []byte) (*DemoCollectionERC2981InvalidDefaultRoyaltyReceiver, error) {
	out := new(DemoCollectionERC2981InvalidDefaultRoyaltyReceiver)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC2981InvalidDefaultRoyaltyReceiver", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC2981InvalidTokenRoyalty represents a ERC2981InvalidTokenRoyalty error raised by the DemoCollection contract.
type DemoCollectionERC2981InvalidTokenRoyalty struct {
	TokenId     *big.Int
	Numerator   *big.Int
	Denominator *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC2981InvalidTokenRoyalty(uint256 tokenId, uint256 numerator, uint256 denominator)
func DemoCollectionERC2981InvalidTokenRoyaltyErrorID() common.Hash {
	return common.HexToHash("0xdfd1fc1b5658265f0993b87b75dd02b2fdcb36b128879bccdcf260effa0856bf")
}

// UnpackERC2981InvalidTokenRoyaltyError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC2981InvalidTokenRoyalty(uint256 tokenId, uint256 numerator, uint256 denominator)
func (demoCollection *DemoCollection) UnpackERC2981InvalidTokenRoyaltyError(raw []byte) (*DemoCollectionERC2981InvalidTokenRoyalty, error) {
	out := new(DemoCollectionERC2981InvalidTokenRoyalty)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC2981InvalidTokenRoyalty", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC2981InvalidTokenRoyaltyReceiver represents a ERC2981InvalidTokenRoyaltyReceiver error raised by the DemoCollection contract.
type DemoCollectionERC2981InvalidTokenRoyaltyReceiver struct {
	TokenId  *big.Int
	Receiver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC2981InvalidTokenRoyaltyReceiver(uint256 tokenId, address receiver)
func DemoCollectionERC2981InvalidTokenRoyaltyReceiverErrorID() common.Hash {
	return common.HexToHash("0x969f0852135afead3ca9a1ff1e4fe485d35593f81a91d5dbe3a5737302cdbda8")
}

// UnpackERC2981InvalidTokenRoyaltyReceiverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC2981InvalidTokenRoyaltyReceiver(uint256 tokenId, address receiver)
func (demoCollection *DemoCollection) UnpackERC2981InvalidTokenRoyaltyReceiverError(raw []byte) (*DemoCollectionERC2981InvalidTokenRoyaltyReceiver, error) {
	out := new(DemoCollectionERC2981InvalidTokenRoyaltyReceiver)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC2981InvalidTokenRoyaltyReceiver", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC721IncorrectOwner represents a ERC721IncorrectOwner error raised by the DemoCollection contract.
type DemoCollectionERC721IncorrectOwner struct {
	Sender  common.Address
	TokenId *big.Int
	Owner   common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)
func DemoCollectionERC721IncorrectOwnerErrorID() common.Hash {
	return common.HexToHash("0x64283d7b313c8117c125f736876fa2b4e90ea3831a4716dfdb87d2f540e26289")
}

// UnpackERC721IncorrectOwnerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)
func (demoCollection *DemoCollection) UnpackERC721IncorrectOwnerError(raw []byte) (*DemoCollectionERC721IncorrectOwner, error) {
	out := new(DemoCollectionERC721IncorrectOwner)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC721IncorrectOwner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC721InsufficientApproval represents a ERC721InsufficientApproval error raised by the DemoCollection contract.
type DemoCollectionERC721InsufficientApproval struct {
	Operator common.Address
	TokenId  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InsufficientApproval(address operator, uint256 tokenId)
func DemoCollectionERC721InsufficientApprovalErrorID() common.Hash {
	return common.HexToHash("0x177e802f6f313bc89797ecace66d6d29ab4719cbaaacbb87367264048b1eb861")
}

// UnpackERC721InsufficientApprovalError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InsufficientApproval(address operator, uint256 tokenId)
func (demoCollection *DemoCollection) UnpackERC721InsufficientApprovalError(raw []byte) (*DemoCollectionERC721InsufficientApproval, error) {
	out := new(DemoCollectionERC721InsufficientApproval)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC721InsufficientApproval", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC721InvalidApprover represents a ERC721InvalidApprover error raised by the DemoCollection contract.
type DemoCollectionERC721InvalidApprover struct {
	Approver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InvalidApprover(address approver)
func DemoCollectionERC721InvalidApproverErrorID() common.Hash {
	return common.HexToHash("0xa9fbf51f86b8e03595d59dc726bb10c329bb24f62589be276d8dd193ca0b69ea")
}

// UnpackERC721InvalidApproverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InvalidApprover(address approver)
func (demoCollection *DemoCollection) UnpackERC721InvalidApproverError(raw []byte) (*DemoCollectionERC721InvalidApprover, error) {
	out := new(DemoCollectionERC721InvalidApprover)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC721InvalidApprover", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC721InvalidOperator represents a ERC721InvalidOperator error raised by the DemoCollection contract.
type DemoCollectionERC721InvalidOperator struct {
	Operator common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InvalidOperator(address operator)
func DemoCollectionERC721InvalidOperatorErrorID() common.Hash {
	return common.HexToHash("0x5b08ba185e8f577075361f3a3555a6580a227ce22734dcc979c1aeadf894658b")
}

// UnpackERC721InvalidOperatorError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InvalidOperator(address operator)
func (demoCollection *DemoCollection) UnpackERC721InvalidOperatorError(raw []byte) (*DemoCollectionERC721InvalidOperator, error) {
	out := new(DemoCollectionERC721InvalidOperator)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC721InvalidOperator", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC721InvalidOwner represents a ERC721InvalidOwner error raised by the DemoCollection contract.
type DemoCollectionERC721InvalidOwner struct {
	Owner common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InvalidOwner(address owner)
func DemoCollectionERC721InvalidOwnerErrorID() common.Hash {
	return common.HexToHash("0x89c62b6479af2e623826dcc39c5133061d35b66d72de92833401dd2fd6567480")
}

// UnpackERC721InvalidOwnerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InvalidOwner(address owner)
func (demoCollection *DemoCollection) UnpackERC721InvalidOwnerError(raw []byte) (*DemoCollectionERC721InvalidOwner, error) {
	out := new(DemoCollectionERC721InvalidOwner)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC721InvalidOwner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC721InvalidReceiver represents a ERC721InvalidReceiver error raised by the DemoCollection contract.
type DemoCollectionERC721InvalidReceiver struct {
	Receiver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InvalidReceiver(address receiver)
func DemoCollectionERC721InvalidReceiverErrorID() common.Hash {
	return common.HexToHash("0x64a0ae9278f805eaf991dcd18ca78756d280b7508b764ef1b255c55845c11df9")
}

// UnpackERC721InvalidReceiverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InvalidReceiver(address receiver)
func (demoCollection *DemoCollection) UnpackERC721InvalidReceiverError(raw []byte) (*DemoCollectionERC721InvalidReceiver, error) {
	out := new(DemoCollectionERC721InvalidReceiver)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC721InvalidReceiver", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC721InvalidSender represents a ERC721InvalidSender error raised by the DemoCollection contract.
type DemoCollectionERC721InvalidSender struct {
	Sender common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InvalidSender(address sender)
func DemoCollectionERC721InvalidSenderErrorID() common.Hash {
	return common.HexToHash("0x73c6ac6e10798e95d99e1f130d923eb40193ecb8d094ec3dce93292564eb3b17")
}

// UnpackERC721InvalidSenderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InvalidSender(address sender)
func (demoCollection *DemoCollection) UnpackERC721InvalidSenderError(raw []byte) (*DemoCollectionERC721InvalidSender, error) {
	out := new(DemoCollectionERC721InvalidSender)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC721InvalidSender", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// DemoCollectionERC721NonexistentToken represents a ERC721NonexistentToken error raised by the DemoCollection contract.
type DemoCollectionERC721NonexistentToken struct {
	TokenId *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721NonexistentToken(uint256 tokenId)
func DemoCollectionERC721NonexistentTokenErrorID() common.Hash {
	return common.HexToHash("0x7e273289a3a9ef6670f06df7dca227856fc925e956db96980692764a8bc734d7")
}

// UnpackERC721NonexistentTokenError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721NonexistentToken(uint256 tokenId)
func (demoCollection *DemoCollection) UnpackERC721NonexistentTokenError(raw []byte) (*DemoCollectionERC721NonexistentToken, error) {
	out := new(DemoCollectionERC721NonexistentToken)
	if err := demoCollection.abi.UnpackIntoInterface(out, "ERC721NonexistentToken", raw); err != nil {
		return nil, err
	}
	return out, nil
}
