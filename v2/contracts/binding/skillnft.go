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

// SkillNFTMetaData contains all meta data concerning the SkillNFT contract.
var SkillNFTMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"numerator\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"denominator\",\"type\":\"uint256\"}],\"name\":\"ERC2981InvalidDefaultRoyalty\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"}],\"name\":\"ERC2981InvalidDefaultRoyaltyReceiver\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"numerator\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"denominator\",\"type\":\"uint256\"}],\"name\":\"ERC2981InvalidTokenRoyalty\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"}],\"name\":\"ERC2981InvalidTokenRoyaltyReceiver\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"}],\"name\":\"ERC721IncorrectOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"operator\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"ERC721InsufficientApproval\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"approver\",\"type\":\"address\"}],\"name\":\"ERC721InvalidApprover\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"operator\",\"type\":\"address\"}],\"name\":\"ERC721InvalidOperator\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"}],\"name\":\"ERC721InvalidOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"}],\"name\":\"ERC721InvalidReceiver\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"ERC721InvalidSender\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"ERC721NonexistentToken\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"caller\",\"type\":\"address\"}],\"name\":\"NotSkillOwner\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"parentId\",\"type\":\"uint256\"}],\"name\":\"ParentSkillNotFound\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"approved\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"Approval\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"operator\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"approved\",\"type\":\"bool\"}],\"name\":\"ApprovalForAll\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"parentId\",\"type\":\"uint256\"}],\"name\":\"SkillMinted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint96\",\"name\":\"feeNumerator\",\"type\":\"uint96\"}],\"name\":\"SkillRoyaltySet\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"Transfer\",\"type\":\"event\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"approve\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"}],\"name\":\"balanceOf\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"getApproved\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"operator\",\"type\":\"address\"}],\"name\":\"isApprovedForAll\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"parentId\",\"type\":\"uint256\"}],\"name\":\"mintSkill\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"parentId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"},{\"internalType\":\"uint96\",\"name\":\"feeNumerator\",\"type\":\"uint96\"}],\"name\":\"mintSkillWithRoyalty\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"name\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"nextSkillId\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"ownerOf\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"}],\"name\":\"parentSkillId\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"salePrice\",\"type\":\"uint256\"}],\"name\":\"royaltyInfo\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"safeTransferFrom\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"},{\"internalType\":\"bytes\",\"name\":\"data\",\"type\":\"bytes\"}],\"name\":\"safeTransferFrom\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"operator\",\"type\":\"address\"},{\"internalType\":\"bool\",\"name\":\"approved\",\"type\":\"bool\"}],\"name\":\"setApprovalForAll\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"},{\"internalType\":\"uint96\",\"name\":\"feeNumerator\",\"type\":\"uint96\"}],\"name\":\"setSkillRoyalty\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes4\",\"name\":\"id\",\"type\":\"bytes4\"}],\"name\":\"supportsInterface\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"symbol\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"tokenURI\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"tokenId\",\"type\":\"uint256\"}],\"name\":\"transferFrom\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "SkillNFT",
}

// SkillNFT is an auto generated Go binding around an Ethereum contract.
type SkillNFT struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *SkillNFT) GetABI() abi.ABI {
	return c.abi
}

// NewSkillNFT creates a new instance of SkillNFT.
func NewSkillNFT() *SkillNFT {
	parsed, err := SkillNFTMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &SkillNFT{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *SkillNFT) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function approve(address to, uint256 tokenId) returns()
func (skillNFT *SkillNFT) PackApprove(to common.Address, tokenId *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("approve", to, tokenId)
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
func (skillNFT *SkillNFT) TryPackApprove(to common.Address, tokenId *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("approve", to, tokenId)
}

// PackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function balanceOf(address owner) view returns(uint256)
func (skillNFT *SkillNFT) PackBalanceOf(owner common.Address) []byte {
	enc, err := skillNFT.abi.Pack("balanceOf", owner)
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
func (skillNFT *SkillNFT) TryPackBalanceOf(owner common.Address) ([]byte, error) {
	return skillNFT.abi.Pack("balanceOf", owner)
}

// UnpackBalanceOf is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x70a08231.
//
// Solidity: function balanceOf(address owner) view returns(uint256)
func (skillNFT *SkillNFT) UnpackBalanceOf(data []byte) (*big.Int, error) {
	out, err := skillNFT.abi.Unpack("balanceOf", data)
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
func (skillNFT *SkillNFT) PackGetApproved(tokenId *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("getApproved", tokenId)
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
func (skillNFT *SkillNFT) TryPackGetApproved(tokenId *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("getApproved", tokenId)
}

// UnpackGetApproved is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x081812fc.
//
// Solidity: function getApproved(uint256 tokenId) view returns(address)
func (skillNFT *SkillNFT) UnpackGetApproved(data []byte) (common.Address, error) {
	out, err := skillNFT.abi.Unpack("getApproved", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackIsApprovedForAll is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe985e9c5.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isApprovedForAll(address owner, address operator) view returns(bool)
func (skillNFT *SkillNFT) PackIsApprovedForAll(owner common.Address, operator common.Address) []byte {
	enc, err := skillNFT.abi.Pack("isApprovedForAll", owner, operator)
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
func (skillNFT *SkillNFT) TryPackIsApprovedForAll(owner common.Address, operator common.Address) ([]byte, error) {
	return skillNFT.abi.Pack("isApprovedForAll", owner, operator)
}

// UnpackIsApprovedForAll is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe985e9c5.
//
// Solidity: function isApprovedForAll(address owner, address operator) view returns(bool)
func (skillNFT *SkillNFT) UnpackIsApprovedForAll(data []byte) (bool, error) {
	out, err := skillNFT.abi.Unpack("isApprovedForAll", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackMintSkill is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf9482200.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function mintSkill(uint256 parentId) returns(uint256 skillId)
func (skillNFT *SkillNFT) PackMintSkill(parentId *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("mintSkill", parentId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMintSkill is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf9482200.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function mintSkill(uint256 parentId) returns(uint256 skillId)
func (skillNFT *SkillNFT) TryPackMintSkill(parentId *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("mintSkill", parentId)
}

// UnpackMintSkill is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf9482200.
//
// Solidity: function mintSkill(uint256 parentId) returns(uint256 skillId)
func (skillNFT *SkillNFT) UnpackMintSkill(data []byte) (*big.Int, error) {
	out, err := skillNFT.abi.Unpack("mintSkill", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackMintSkillWithRoyalty is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe13b7540.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function mintSkillWithRoyalty(uint256 parentId, address receiver, uint96 feeNumerator) returns(uint256 skillId)
func (skillNFT *SkillNFT) PackMintSkillWithRoyalty(parentId *big.Int, receiver common.Address, feeNumerator *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("mintSkillWithRoyalty", parentId, receiver, feeNumerator)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMintSkillWithRoyalty is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe13b7540.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function mintSkillWithRoyalty(uint256 parentId, address receiver, uint96 feeNumerator) returns(uint256 skillId)
func (skillNFT *SkillNFT) TryPackMintSkillWithRoyalty(parentId *big.Int, receiver common.Address, feeNumerator *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("mintSkillWithRoyalty", parentId, receiver, feeNumerator)
}

// UnpackMintSkillWithRoyalty is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe13b7540.
//
// Solidity: function mintSkillWithRoyalty(uint256 parentId, address receiver, uint96 feeNumerator) returns(uint256 skillId)
func (skillNFT *SkillNFT) UnpackMintSkillWithRoyalty(data []byte) (*big.Int, error) {
	out, err := skillNFT.abi.Unpack("mintSkillWithRoyalty", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function name() view returns(string)
func (skillNFT *SkillNFT) PackName() []byte {
	enc, err := skillNFT.abi.Pack("name")
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
func (skillNFT *SkillNFT) TryPackName() ([]byte, error) {
	return skillNFT.abi.Pack("name")
}

// UnpackName is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x06fdde03.
//
// Solidity: function name() view returns(string)
func (skillNFT *SkillNFT) UnpackName(data []byte) (string, error) {
	out, err := skillNFT.abi.Unpack("name", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackNextSkillId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x34306d25.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function nextSkillId() view returns(uint256)
func (skillNFT *SkillNFT) PackNextSkillId() []byte {
	enc, err := skillNFT.abi.Pack("nextSkillId")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackNextSkillId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x34306d25.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function nextSkillId() view returns(uint256)
func (skillNFT *SkillNFT) TryPackNextSkillId() ([]byte, error) {
	return skillNFT.abi.Pack("nextSkillId")
}

// UnpackNextSkillId is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x34306d25.
//
// Solidity: function nextSkillId() view returns(uint256)
func (skillNFT *SkillNFT) UnpackNextSkillId(data []byte) (*big.Int, error) {
	out, err := skillNFT.abi.Unpack("nextSkillId", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackOwnerOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6352211e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ownerOf(uint256 tokenId) view returns(address)
func (skillNFT *SkillNFT) PackOwnerOf(tokenId *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("ownerOf", tokenId)
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
func (skillNFT *SkillNFT) TryPackOwnerOf(tokenId *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("ownerOf", tokenId)
}

// UnpackOwnerOf is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6352211e.
//
// Solidity: function ownerOf(uint256 tokenId) view returns(address)
func (skillNFT *SkillNFT) UnpackOwnerOf(data []byte) (common.Address, error) {
	out, err := skillNFT.abi.Unpack("ownerOf", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackParentSkillId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd49a2244.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function parentSkillId(uint256 skillId) view returns(uint256)
func (skillNFT *SkillNFT) PackParentSkillId(skillId *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("parentSkillId", skillId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackParentSkillId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd49a2244.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function parentSkillId(uint256 skillId) view returns(uint256)
func (skillNFT *SkillNFT) TryPackParentSkillId(skillId *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("parentSkillId", skillId)
}

// UnpackParentSkillId is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xd49a2244.
//
// Solidity: function parentSkillId(uint256 skillId) view returns(uint256)
func (skillNFT *SkillNFT) UnpackParentSkillId(data []byte) (*big.Int, error) {
	out, err := skillNFT.abi.Unpack("parentSkillId", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackRoyaltyInfo is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2a55205a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function royaltyInfo(uint256 tokenId, uint256 salePrice) view returns(address receiver, uint256 amount)
func (skillNFT *SkillNFT) PackRoyaltyInfo(tokenId *big.Int, salePrice *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("royaltyInfo", tokenId, salePrice)
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
func (skillNFT *SkillNFT) TryPackRoyaltyInfo(tokenId *big.Int, salePrice *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("royaltyInfo", tokenId, salePrice)
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
func (skillNFT *SkillNFT) UnpackRoyaltyInfo(data []byte) (RoyaltyInfoOutput, error) {
	out, err := skillNFT.abi.Unpack("royaltyInfo", data)
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
func (skillNFT *SkillNFT) PackSafeTransferFrom(from common.Address, to common.Address, tokenId *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("safeTransferFrom", from, to, tokenId)
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
func (skillNFT *SkillNFT) TryPackSafeTransferFrom(from common.Address, to common.Address, tokenId *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("safeTransferFrom", from, to, tokenId)
}

// PackSafeTransferFrom0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb88d4fde.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function safeTransferFrom(address from, address to, uint256 tokenId, bytes data) returns()
func (skillNFT *SkillNFT) PackSafeTransferFrom0(from common.Address, to common.Address, tokenId *big.Int, data []byte) []byte {
	enc, err := skillNFT.abi.Pack("safeTransferFrom0", from, to, tokenId, data)
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
func (skillNFT *SkillNFT) TryPackSafeTransferFrom0(from common.Address, to common.Address, tokenId *big.Int, data []byte) ([]byte, error) {
	return skillNFT.abi.Pack("safeTransferFrom0", from, to, tokenId, data)
}

// PackSetApprovalForAll is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa22cb465.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setApprovalForAll(address operator, bool approved) returns()
func (skillNFT *SkillNFT) PackSetApprovalForAll(operator common.Address, approved bool) []byte {
	enc, err := skillNFT.abi.Pack("setApprovalForAll", operator, approved)
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
func (skillNFT *SkillNFT) TryPackSetApprovalForAll(operator common.Address, approved bool) ([]byte, error) {
	return skillNFT.abi.Pack("setApprovalForAll", operator, approved)
}

// PackSetSkillRoyalty is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe5427e27.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setSkillRoyalty(uint256 skillId, address receiver, uint96 feeNumerator) returns()
func (skillNFT *SkillNFT) PackSetSkillRoyalty(skillId *big.Int, receiver common.Address, feeNumerator *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("setSkillRoyalty", skillId, receiver, feeNumerator)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetSkillRoyalty is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe5427e27.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setSkillRoyalty(uint256 skillId, address receiver, uint96 feeNumerator) returns()
func (skillNFT *SkillNFT) TryPackSetSkillRoyalty(skillId *big.Int, receiver common.Address, feeNumerator *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("setSkillRoyalty", skillId, receiver, feeNumerator)
}

// PackSupportsInterface is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x01ffc9a7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function supportsInterface(bytes4 id) view returns(bool)
func (skillNFT *SkillNFT) PackSupportsInterface(id [4]byte) []byte {
	enc, err := skillNFT.abi.Pack("supportsInterface", id)
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
func (skillNFT *SkillNFT) TryPackSupportsInterface(id [4]byte) ([]byte, error) {
	return skillNFT.abi.Pack("supportsInterface", id)
}

// UnpackSupportsInterface is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x01ffc9a7.
//
// Solidity: function supportsInterface(bytes4 id) view returns(bool)
func (skillNFT *SkillNFT) UnpackSupportsInterface(data []byte) (bool, error) {
	out, err := skillNFT.abi.Unpack("supportsInterface", data)
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
func (skillNFT *SkillNFT) PackSymbol() []byte {
	enc, err := skillNFT.abi.Pack("symbol")
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
func (skillNFT *SkillNFT) TryPackSymbol() ([]byte, error) {
	return skillNFT.abi.Pack("symbol")
}

// UnpackSymbol is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x95d89b41.
//
// Solidity: function symbol() view returns(string)
func (skillNFT *SkillNFT) UnpackSymbol(data []byte) (string, error) {
	out, err := skillNFT.abi.Unpack("symbol", data)
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
// Solidity: function tokenURI(uint256 tokenId) view returns(string)
func (skillNFT *SkillNFT) PackTokenURI(tokenId *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("tokenURI", tokenId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTokenURI is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc87b56dd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function tokenURI(uint256 tokenId) view returns(string)
func (skillNFT *SkillNFT) TryPackTokenURI(tokenId *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("tokenURI", tokenId)
}

// UnpackTokenURI is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xc87b56dd.
//
// Solidity: function tokenURI(uint256 tokenId) view returns(string)
func (skillNFT *SkillNFT) UnpackTokenURI(data []byte) (string, error) {
	out, err := skillNFT.abi.Unpack("tokenURI", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferFrom(address from, address to, uint256 tokenId) returns()
func (skillNFT *SkillNFT) PackTransferFrom(from common.Address, to common.Address, tokenId *big.Int) []byte {
	enc, err := skillNFT.abi.Pack("transferFrom", from, to, tokenId)
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
func (skillNFT *SkillNFT) TryPackTransferFrom(from common.Address, to common.Address, tokenId *big.Int) ([]byte, error) {
	return skillNFT.abi.Pack("transferFrom", from, to, tokenId)
}

// SkillNFTApproval represents a Approval event raised by the SkillNFT contract.
type SkillNFTApproval struct {
	Owner    common.Address
	Approved common.Address
	TokenId  *big.Int
	Raw      *types.Log // Blockchain specific contextual infos
}

const SkillNFTApprovalEventName = "Approval"

// ContractEventName returns the user-defined event name.
func (SkillNFTApproval) ContractEventName() string {
	return SkillNFTApprovalEventName
}

// UnpackApprovalEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)
func (skillNFT *SkillNFT) UnpackApprovalEvent(log *types.Log) (*SkillNFTApproval, error) {
	event := "Approval"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != skillNFT.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SkillNFTApproval)
	if len(log.Data) > 0 {
		if err := skillNFT.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range skillNFT.abi.Events[event].Inputs {
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

// SkillNFTApprovalForAll represents a ApprovalForAll event raised by the SkillNFT contract.
type SkillNFTApprovalForAll struct {
	Owner    common.Address
	Operator common.Address
	Approved bool
	Raw      *types.Log // Blockchain specific contextual infos
}

const SkillNFTApprovalForAllEventName = "ApprovalForAll"

// ContractEventName returns the user-defined event name.
func (SkillNFTApprovalForAll) ContractEventName() string {
	return SkillNFTApprovalForAllEventName
}

// UnpackApprovalForAllEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ApprovalForAll(address indexed owner, address indexed operator, bool approved)
func (skillNFT *SkillNFT) UnpackApprovalForAllEvent(log *types.Log) (*SkillNFTApprovalForAll, error) {
	event := "ApprovalForAll"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != skillNFT.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SkillNFTApprovalForAll)
	if len(log.Data) > 0 {
		if err := skillNFT.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range skillNFT.abi.Events[event].Inputs {
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

// SkillNFTSkillMinted represents a SkillMinted event raised by the SkillNFT contract.
type SkillNFTSkillMinted struct {
	SkillId  *big.Int
	Owner    common.Address
	ParentId *big.Int
	Raw      *types.Log // Blockchain specific contextual infos
}

const SkillNFTSkillMintedEventName = "SkillMinted"

// ContractEventName returns the user-defined event name.
func (SkillNFTSkillMinted) ContractEventName() string {
	return SkillNFTSkillMintedEventName
}

// UnpackSkillMintedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event SkillMinted(uint256 indexed skillId, address indexed owner, uint256 indexed parentId)
func (skillNFT *SkillNFT) UnpackSkillMintedEvent(log *types.Log) (*SkillNFTSkillMinted, error) {
	event := "SkillMinted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != skillNFT.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SkillNFTSkillMinted)
	if len(log.Data) > 0 {
		if err := skillNFT.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range skillNFT.abi.Events[event].Inputs {
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

// SkillNFTSkillRoyaltySet represents a SkillRoyaltySet event raised by the SkillNFT contract.
type SkillNFTSkillRoyaltySet struct {
	SkillId      *big.Int
	Receiver     common.Address
	FeeNumerator *big.Int
	Raw          *types.Log // Blockchain specific contextual infos
}

const SkillNFTSkillRoyaltySetEventName = "SkillRoyaltySet"

// ContractEventName returns the user-defined event name.
func (SkillNFTSkillRoyaltySet) ContractEventName() string {
	return SkillNFTSkillRoyaltySetEventName
}

// UnpackSkillRoyaltySetEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event SkillRoyaltySet(uint256 indexed skillId, address indexed receiver, uint96 feeNumerator)
func (skillNFT *SkillNFT) UnpackSkillRoyaltySetEvent(log *types.Log) (*SkillNFTSkillRoyaltySet, error) {
	event := "SkillRoyaltySet"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != skillNFT.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SkillNFTSkillRoyaltySet)
	if len(log.Data) > 0 {
		if err := skillNFT.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range skillNFT.abi.Events[event].Inputs {
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

// SkillNFTTransfer represents a Transfer event raised by the SkillNFT contract.
type SkillNFTTransfer struct {
	From    common.Address
	To      common.Address
	TokenId *big.Int
	Raw     *types.Log // Blockchain specific contextual infos
}

const SkillNFTTransferEventName = "Transfer"

// ContractEventName returns the user-defined event name.
func (SkillNFTTransfer) ContractEventName() string {
	return SkillNFTTransferEventName
}

// UnpackTransferEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)
func (skillNFT *SkillNFT) UnpackTransferEvent(log *types.Log) (*SkillNFTTransfer, error) {
	event := "Transfer"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != skillNFT.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SkillNFTTransfer)
	if len(log.Data) > 0 {
		if err := skillNFT.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range skillNFT.abi.Events[event].Inputs {
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
func (skillNFT *SkillNFT) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC2981InvalidDefaultRoyalty"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC2981InvalidDefaultRoyaltyError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC2981InvalidDefaultRoyaltyReceiver"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC2981InvalidDefaultRoyaltyReceiverError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC2981InvalidTokenRoyalty"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC2981InvalidTokenRoyaltyError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC2981InvalidTokenRoyaltyReceiver"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC2981InvalidTokenRoyaltyReceiverError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC721IncorrectOwner"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC721IncorrectOwnerError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC721InsufficientApproval"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC721InsufficientApprovalError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC721InvalidApprover"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC721InvalidApproverError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC721InvalidOperator"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC721InvalidOperatorError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC721InvalidOwner"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC721InvalidOwnerError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC721InvalidReceiver"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC721InvalidReceiverError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC721InvalidSender"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC721InvalidSenderError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ERC721NonexistentToken"].ID.Bytes()[:4]) {
		return skillNFT.UnpackERC721NonexistentTokenError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["NotSkillOwner"].ID.Bytes()[:4]) {
		return skillNFT.UnpackNotSkillOwnerError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillNFT.abi.Errors["ParentSkillNotFound"].ID.Bytes()[:4]) {
		return skillNFT.UnpackParentSkillNotFoundError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// SkillNFTERC2981InvalidDefaultRoyalty represents a ERC2981InvalidDefaultRoyalty error raised by the SkillNFT contract.
type SkillNFTERC2981InvalidDefaultRoyalty struct {
	Numerator   *big.Int
	Denominator *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC2981InvalidDefaultRoyalty(uint256 numerator, uint256 denominator)
func SkillNFTERC2981InvalidDefaultRoyaltyErrorID() common.Hash {
	return common.HexToHash("0x6f483d09b3a1c4c035367ae09146a8a08a718cb6617416cc12a2457ab3d65514")
}

// UnpackERC2981InvalidDefaultRoyaltyError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC2981InvalidDefaultRoyalty(uint256 numerator, uint256 denominator)
func (skillNFT *SkillNFT) UnpackERC2981InvalidDefaultRoyaltyError(raw []byte) (*SkillNFTERC2981InvalidDefaultRoyalty, error) {
	out := new(SkillNFTERC2981InvalidDefaultRoyalty)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC2981InvalidDefaultRoyalty", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC2981InvalidDefaultRoyaltyReceiver represents a ERC2981InvalidDefaultRoyaltyReceiver error raised by the SkillNFT contract.
type SkillNFTERC2981InvalidDefaultRoyaltyReceiver struct {
	Receiver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC2981InvalidDefaultRoyaltyReceiver(address receiver)
func SkillNFTERC2981InvalidDefaultRoyaltyReceiverErrorID() common.Hash {
	return common.HexToHash("0xb6d9900a710828c2d05fe8061d6309d02a20eaa45cd00228c2c2dfbfa2b86fc3")
}

// UnpackERC2981InvalidDefaultRoyaltyReceiverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC2981InvalidDefaultRoyaltyReceiver(address receiver)
func (skillNFT *SkillNFT) UnpackERC2981InvalidDefaultRoyaltyReceiverError(raw []byte) (*SkillNFTERC2981InvalidDefaultRoyaltyReceiver, error) {
	out := new(SkillNFTERC2981InvalidDefaultRoyaltyReceiver)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC2981InvalidDefaultRoyaltyReceiver", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC2981InvalidTokenRoyalty represents a ERC2981InvalidTokenRoyalty error raised by the SkillNFT contract.
type SkillNFTERC2981InvalidTokenRoyalty struct {
	TokenId     *big.Int
	Numerator   *big.Int
	Denominator *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC2981InvalidTokenRoyalty(uint256 tokenId, uint256 numerator, uint256 denominator)
func SkillNFTERC2981InvalidTokenRoyaltyErrorID() common.Hash {
	return common.HexToHash("0xdfd1fc1b5658265f0993b87b75dd02b2fdcb36b128879bccdcf260effa0856bf")
}

// UnpackERC2981InvalidTokenRoyaltyError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC2981InvalidTokenRoyalty(uint256 tokenId, uint256 numerator, uint256 denominator)
func (skillNFT *SkillNFT) UnpackERC2981InvalidTokenRoyaltyError(raw []byte) (*SkillNFTERC2981InvalidTokenRoyalty, error) {
	out := new(SkillNFTERC2981InvalidTokenRoyalty)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC2981InvalidTokenRoyalty", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC2981InvalidTokenRoyaltyReceiver represents a ERC2981InvalidTokenRoyaltyReceiver error raised by the SkillNFT contract.
type SkillNFTERC2981InvalidTokenRoyaltyReceiver struct {
	TokenId  *big.Int
	Receiver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC2981InvalidTokenRoyaltyReceiver(uint256 tokenId, address receiver)
func SkillNFTERC2981InvalidTokenRoyaltyReceiverErrorID() common.Hash {
	return common.HexToHash("0x969f0852135afead3ca9a1ff1e4fe485d35593f81a91d5dbe3a5737302cdbda8")
}

// UnpackERC2981InvalidTokenRoyaltyReceiverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC2981InvalidTokenRoyaltyReceiver(uint256 tokenId, address receiver)
func (skillNFT *SkillNFT) UnpackERC2981InvalidTokenRoyaltyReceiverError(raw []byte) (*SkillNFTERC2981InvalidTokenRoyaltyReceiver, error) {
	out := new(SkillNFTERC2981InvalidTokenRoyaltyReceiver)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC2981InvalidTokenRoyaltyReceiver", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC721IncorrectOwner represents a ERC721IncorrectOwner error raised by the SkillNFT contract.
type SkillNFTERC721IncorrectOwner struct {
	Sender  common.Address
	TokenId *big.Int
	Owner   common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)
func SkillNFTERC721IncorrectOwnerErrorID() common.Hash {
	return common.HexToHash("0x64283d7b313c8117c125f736876fa2b4e90ea3831a4716dfdb87d2f540e26289")
}

// UnpackERC721IncorrectOwnerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)
func (skillNFT *SkillNFT) UnpackERC721IncorrectOwnerError(raw []byte) (*SkillNFTERC721IncorrectOwner, error) {
	out := new(SkillNFTERC721IncorrectOwner)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC721IncorrectOwner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC721InsufficientApproval represents a ERC721InsufficientApproval error raised by the SkillNFT contract.
type SkillNFTERC721InsufficientApproval struct {
	Operator common.Address
	TokenId  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InsufficientApproval(address operator, uint256 tokenId)
func SkillNFTERC721InsufficientApprovalErrorID() common.Hash {
	return common.HexToHash("0x177e802f6f313bc89797ecace66d6d29ab4719cbaaacbb87367264048b1eb861")
}

// UnpackERC721InsufficientApprovalError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InsufficientApproval(address operator, uint256 tokenId)
func (skillNFT *SkillNFT) UnpackERC721InsufficientApprovalError(raw []byte) (*SkillNFTERC721InsufficientApproval, error) {
	out := new(SkillNFTERC721InsufficientApproval)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC721InsufficientApproval", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC721InvalidApprover represents a ERC721InvalidApprover error raised by the SkillNFT contract.
type SkillNFTERC721InvalidApprover struct {
	Approver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InvalidApprover(address approver)
func SkillNFTERC721InvalidApproverErrorID() common.Hash {
	return common.HexToHash("0xa9fbf51f86b8e03595d59dc726bb10c329bb24f62589be276d8dd193ca0b69ea")
}

// UnpackERC721InvalidApproverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InvalidApprover(address approver)
func (skillNFT *SkillNFT) UnpackERC721InvalidApproverError(raw []byte) (*SkillNFTERC721InvalidApprover, error) {
	out := new(SkillNFTERC721InvalidApprover)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC721InvalidApprover", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC721InvalidOperator represents a ERC721InvalidOperator error raised by the SkillNFT contract.
type SkillNFTERC721InvalidOperator struct {
	Operator common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InvalidOperator(address operator)
func SkillNFTERC721InvalidOperatorErrorID() common.Hash {
	return common.HexToHash("0x5b08ba185e8f577075361f3a3555a6580a227ce22734dcc979c1aeadf894658b")
}

// UnpackERC721InvalidOperatorError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InvalidOperator(address operator)
func (skillNFT *SkillNFT) UnpackERC721InvalidOperatorError(raw []byte) (*SkillNFTERC721InvalidOperator, error) {
	out := new(SkillNFTERC721InvalidOperator)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC721InvalidOperator", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC721InvalidOwner represents a ERC721InvalidOwner error raised by the SkillNFT contract.
type SkillNFTERC721InvalidOwner struct {
	Owner common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InvalidOwner(address owner)
func SkillNFTERC721InvalidOwnerErrorID() common.Hash {
	return common.HexToHash("0x89c62b6479af2e623826dcc39c5133061d35b66d72de92833401dd2fd6567480")
}

// UnpackERC721InvalidOwnerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InvalidOwner(address owner)
func (skillNFT *SkillNFT) UnpackERC721InvalidOwnerError(raw []byte) (*SkillNFTERC721InvalidOwner, error) {
	out := new(SkillNFTERC721InvalidOwner)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC721InvalidOwner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC721InvalidReceiver represents a ERC721InvalidReceiver error raised by the SkillNFT contract.
type SkillNFTERC721InvalidReceiver struct {
	Receiver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InvalidReceiver(address receiver)
func SkillNFTERC721InvalidReceiverErrorID() common.Hash {
	return common.HexToHash("0x64a0ae9278f805eaf991dcd18ca78756d280b7508b764ef1b255c55845c11df9")
}

// UnpackERC721InvalidReceiverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InvalidReceiver(address receiver)
func (skillNFT *SkillNFT) UnpackERC721InvalidReceiverError(raw []byte) (*SkillNFTERC721InvalidReceiver, error) {
	out := new(SkillNFTERC721InvalidReceiver)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC721InvalidReceiver", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC721InvalidSender represents a ERC721InvalidSender error raised by the SkillNFT contract.
type SkillNFTERC721InvalidSender struct {
	Sender common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721InvalidSender(address sender)
func SkillNFTERC721InvalidSenderErrorID() common.Hash {
	return common.HexToHash("0x73c6ac6e10798e95d99e1f130d923eb40193ecb8d094ec3dce93292564eb3b17")
}

// UnpackERC721InvalidSenderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721InvalidSender(address sender)
func (skillNFT *SkillNFT) UnpackERC721InvalidSenderError(raw []byte) (*SkillNFTERC721InvalidSender, error) {
	out := new(SkillNFTERC721InvalidSender)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC721InvalidSender", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTERC721NonexistentToken represents a ERC721NonexistentToken error raised by the SkillNFT contract.
type SkillNFTERC721NonexistentToken struct {
	TokenId *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC721NonexistentToken(uint256 tokenId)
func SkillNFTERC721NonexistentTokenErrorID() common.Hash {
	return common.HexToHash("0x7e273289a3a9ef6670f06df7dca227856fc925e956db96980692764a8bc734d7")
}

// UnpackERC721NonexistentTokenError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC721NonexistentToken(uint256 tokenId)
func (skillNFT *SkillNFT) UnpackERC721NonexistentTokenError(raw []byte) (*SkillNFTERC721NonexistentToken, error) {
	out := new(SkillNFTERC721NonexistentToken)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ERC721NonexistentToken", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTNotSkillOwner represents a NotSkillOwner error raised by the SkillNFT contract.
type SkillNFTNotSkillOwner struct {
	SkillId *big.Int
	Caller  common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotSkillOwner(uint256 skillId, address caller)
func SkillNFTNotSkillOwnerErrorID() common.Hash {
	return common.HexToHash("0x6f21de1548208cebdcfb62996366a919a259c4f8fc6d66068e9bd7eb441c0d77")
}

// UnpackNotSkillOwnerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotSkillOwner(uint256 skillId, address caller)
func (skillNFT *SkillNFT) UnpackNotSkillOwnerError(raw []byte) (*SkillNFTNotSkillOwner, error) {
	out := new(SkillNFTNotSkillOwner)
	if err := skillNFT.abi.UnpackIntoInterface(out, "NotSkillOwner", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillNFTParentSkillNotFound represents a ParentSkillNotFound error raised by the SkillNFT contract.
type SkillNFTParentSkillNotFound struct {
	ParentId *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ParentSkillNotFound(uint256 parentId)
func SkillNFTParentSkillNotFoundErrorID() common.Hash {
	return common.HexToHash("0x4c71678d1e8697ebcf7b9b441221960fca31a9b84800ebf02cabb0f03b92fd91")
}

// UnpackParentSkillNotFoundError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ParentSkillNotFound(uint256 parentId)
func (skillNFT *SkillNFT) UnpackParentSkillNotFoundError(raw []byte) (*SkillNFTParentSkillNotFound, error) {
	out := new(SkillNFTParentSkillNotFound)
	if err := skillNFT.abi.UnpackIntoInterface(out, "ParentSkillNotFound", raw); err != nil {
		return nil, err
	}
	return out, nil
}
