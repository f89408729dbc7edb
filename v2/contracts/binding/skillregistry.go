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

// SkillRegistryMetaData contains all meta data concerning the SkillRegistry contract.
var SkillRegistryMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"contractIERC721\",\"name\":\"skillNft_\",\"type\":\"address\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[{\"internalType\":\"uint8\",\"name\":\"riskTier\",\"type\":\"uint8\"}],\"name\":\"InvalidRiskTier\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"skillNft\",\"type\":\"address\"}],\"name\":\"InvalidSkillNft\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"caller\",\"type\":\"address\"}],\"name\":\"NotSkillOwnerOrApproved\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"length\",\"type\":\"uint256\"}],\"name\":\"UriTooLong\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"versionHash\",\"type\":\"bytes32\"}],\"name\":\"VersionAlreadyPublished\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"}],\"name\":\"VersionNotFound\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ZeroVersionHash\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"versionHash\",\"type\":\"bytes32\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"contentHash\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"address\",\"name\":\"publisher\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"uri\",\"type\":\"string\"},{\"indexed\":false,\"internalType\":\"uint8\",\"name\":\"riskTier\",\"type\":\"uint8\"}],\"name\":\"SkillVersionPublished\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"MAX_RISK_TIER\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_URI_LENGTH\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"}],\"name\":\"getVersion\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"versionHash\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"contentHash\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"uri\",\"type\":\"string\"},{\"internalType\":\"uint8\",\"name\":\"riskTier\",\"type\":\"uint8\"},{\"internalType\":\"uint64\",\"name\":\"publishedAt\",\"type\":\"uint64\"},{\"internalType\":\"address\",\"name\":\"publisher\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"versionHash\",\"type\":\"bytes32\"}],\"name\":\"isPublished\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"versionHash\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"contentHash\",\"type\":\"bytes32\"},{\"internalType\":\"string\",\"name\":\"uri\",\"type\":\"string\"},{\"internalType\":\"uint8\",\"name\":\"riskTier\",\"type\":\"uint8\"}],\"name\":\"publishVersion\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"skillNft\",\"outputs\":[{\"internalType\":\"contractIERC721\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"skillId\",\"type\":\"uint256\"}],\"name\":\"versionCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"}]",
	ID:  "SkillRegistry",
}

// SkillRegistry is an auto generated Go binding around an Ethereum contract.
type SkillRegistry struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *SkillRegistry) GetABI() abi.ABI {
	return c.abi
}

// NewSkillRegistry creates a new instance of SkillRegistry.
func NewSkillRegistry() *SkillRegistry {
	parsed, err := SkillRegistryMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &SkillRegistry{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *SkillRegistry) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(address skillNft_) returns()
func (skillRegistry *SkillRegistry) PackConstructor(skillNft_ common.Address) []byte {
	enc, err := skillRegistry.abi.Pack("", skillNft_)
	if err != nil {
		panic(err)
	}
	return enc
}

// PackMAXRISKTIER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7c094f7f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_RISK_TIER() view returns(uint8)
func (skillRegistry *SkillRegistry) PackMAXRISKTIER() []byte {
	enc, err := skillRegistry.abi.Pack("MAX_RISK_TIER")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXRISKTIER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7c094f7f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_RISK_TIER() view returns(uint8)
func (skillRegistry *SkillRegistry) TryPackMAXRISKTIER() ([]byte, error) {
	return skillRegistry.abi.Pack("MAX_RISK_TIER")
}

// UnpackMAXRISKTIER is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x7c094f7f.
//
// Solidity: function MAX_RISK_TIER() view returns(uint8)
func (skillRegistry *SkillRegistry) UnpackMAXRISKTIER(data []byte) (uint8, error) {
	out, err := skillRegistry.abi.Unpack("MAX_RISK_TIER", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackMAXURILENGTH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaab5a877.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_URI_LENGTH() view returns(uint256)
func (skillRegistry *SkillRegistry) PackMAXURILENGTH() []byte {
	enc, err := skillRegistry.abi.Pack("MAX_URI_LENGTH")
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
func (skillRegistry *SkillRegistry) TryPackMAXURILENGTH() ([]byte, error) {
	return skillRegistry.abi.Pack("MAX_URI_LENGTH")
}

// UnpackMAXURILENGTH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xaab5a877.
//
// Solidity: function MAX_URI_LENGTH() view returns(uint256)
func (skillRegistry *SkillRegistry) UnpackMAXURILENGTH(data []byte) (*big.Int, error) {
	out, err := skillRegistry.abi.Unpack("MAX_URI_LENGTH", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetVersion is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6987b075.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getVersion(uint256 skillId, uint256 index) view returns(bytes32 versionHash, bytes32 contentHash, string uri, uint8 riskTier, uint64 publishedAt, address publisher)
func (skillRegistry *SkillRegistry) PackGetVersion(skillId *big.Int, index *big.Int) []byte {
	enc, err := skillRegistry.abi.Pack("getVersion", skillId, index)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetVersion is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6987b075.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getVersion(uint256 skillId, uint256 index) view returns(bytes32 versionHash, bytes32 contentHash, string uri, uint8 riskTier, uint64 publishedAt, address publisher)
func (skillRegistry *SkillRegistry) TryPackGetVersion(skillId *big.Int, index *big.Int) ([]byte, error) {
	return skillRegistry.abi.Pack("getVersion", skillId, index)
}

// GetVersionOutput serves as a container for the return parameters of contract
// method GetVersion.
type GetVersionOutput struct {
	VersionHash [32]byte
	ContentHash [32]byte
	Uri         string
	RiskTier    uint8
	PublishedAt uint64
	Publisher   common.Address
}

// UnpackGetVersion is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6987b075.
//
// Solidity: function getVersion(uint256 skillId, uint256 index) view returns(bytes32 versionHash, bytes32 contentHash, string uri, uint8 riskTier, uint64 publishedAt, address publisher)
func (skillRegistry *SkillRegistry) UnpackGetVersion(data []byte) (GetVersionOutput, error) {
	out, err := skillRegistry.abi.Unpack("getVersion", data)
	outstruct := new(GetVersionOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.VersionHash = *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	outstruct.ContentHash = *abi.ConvertType(out[1], new([32]byte)).(*[32]byte)
	outstruct.Uri = *abi.ConvertType(out[2], new(string)).(*string)
	outstruct.RiskTier = *abi.ConvertType(out[3], new(uint8)).(*uint8)
	outstruct.PublishedAt = *abi.ConvertType(out[4], new(uint64)).(*uint64)
	outstruct.Publisher = *abi.ConvertType(out[5], new(common.Address)).(*common.Address)
	return *outstruct, nil
}

// PackIsPublished is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70348308.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isPublished(uint256 skillId, bytes32 versionHash) view returns(bool)
func (skillRegistry *SkillRegistry) PackIsPublished(skillId *big.Int, versionHash [32]byte) []byte {
	enc, err := skillRegistry.abi.Pack("isPublished", skillId, versionHash)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsPublished is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70348308.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isPublished(uint256 skillId, bytes32 versionHash) view returns(bool)
func (skillRegistry *SkillRegistry) TryPackIsPublished(skillId *big.Int, versionHash [32]byte) ([]byte, error) {
	return skillRegistry.abi.Pack("isPublished", skillId, versionHash)
}

// UnpackIsPublished is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x70348308.
//
// Solidity: function isPublished(uint256 skillId, bytes32 versionHash) view returns(bool)
func (skillRegistry *SkillRegistry) UnpackIsPublished(data []byte) (bool, error) {
	out, err := skillRegistry.abi.Unpack("isPublished", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackPublishVersion is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2cb44363.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function publishVersion(uint256 skillId, bytes32 versionHash, bytes32 contentHash, string uri, uint8 riskTier) returns()
func (skillRegistry *SkillRegistry) PackPublishVersion(skillId *big.Int, versionHash [32]byte, contentHash [32]byte, uri string, riskTier uint8) []byte {
	enc, err := skillRegistry.abi.Pack("publishVersion", skillId, versionHash, contentHash, uri, riskTier)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPublishVersion is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2cb44363.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function publishVersion(uint256 skillId, bytes32 versionHash, bytes32 contentHash, string uri, uint8 riskTier) returns()
func (skillRegistry *SkillRegistry) TryPackPublishVersion(skillId *big.Int, versionHash [32]byte, contentHash [32]byte, uri string, riskTier uint8) ([]byte, error) {
	return skillRegistry.abi.Pack("publishVersion", skillId, versionHash, contentHash, uri, riskTier)
}

// PackSkillNft is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3727beae.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function skillNft() view returns(address)
func (skillRegistry *SkillRegistry) PackSkillNft() []byte {
	enc, err := skillRegistry.abi.Pack("skillNft")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSkillNft is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3727beae.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function skillNft() view returns(address)
func (skillRegistry *SkillRegistry) TryPackSkillNft() ([]byte, error) {
	return skillRegistry.abi.Pack("skillNft")
}

// UnpackSkillNft is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3727beae.
//
// Solidity: function skillNft() view returns(address)
func (skillRegistry *SkillRegistry) UnpackSkillNft(data []byte) (common.Address, error) {
	out, err := skillRegistry.abi.Unpack("skillNft", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackVersionCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x03190e6d.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function versionCount(uint256 skillId) view returns(uint256)
func (skillRegistry *SkillRegistry) PackVersionCount(skillId *big.Int) []byte {
	enc, err := skillRegistry.abi.Pack("versionCount", skillId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackVersionCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x03190e6d.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function versionCount(uint256 skillId) view returns(uint256)
func (skillRegistry *SkillRegistry) TryPackVersionCount(skillId *big.Int) ([]byte, error) {
	return skillRegistry.abi.Pack("versionCount", skillId)
}

// UnpackVersionCount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x03190e6d.
//
// Solidity: function versionCount(uint256 skillId) view returns(uint256)
func (skillRegistry *SkillRegistry) UnpackVersionCount(data []byte) (*big.Int, error) {
	out, err := skillRegistry.abi.Unpack("versionCount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// SkillRegistrySkillVersionPublished represents a SkillVersionPublished event raised by the SkillRegistry contract.
type SkillRegistrySkillVersionPublished struct {
	SkillId     *big.Int
	VersionHash [32]byte
	ContentHash [32]byte
	Publisher   common.Address
	Uri         string
	RiskTier    uint8
	Raw         *types.Log // Blockchain specific contextual infos
}

const SkillRegistrySkillVersionPublishedEventName = "SkillVersionPublished"

// ContractEventName returns the user-defined event name.
func (SkillRegistrySkillVersionPublished) ContractEventName() string {
	return SkillRegistrySkillVersionPublishedEventName
}

// UnpackSkillVersionPublishedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event SkillVersionPublished(uint256 indexed skillId, bytes32 indexed versionHash, bytes32 indexed contentHash, address publisher, string uri, uint8 riskTier)
func (skillRegistry *SkillRegistry) UnpackSkillVersionPublishedEvent(log *types.Log) (*SkillRegistrySkillVersionPublished, error) {
	event := "SkillVersionPublished"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != skillRegistry.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(SkillRegistrySkillVersionPublished)
	if len(log.Data) > 0 {
		if err := skillRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range skillRegistry.abi.Events[event].Inputs {
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
func (skillRegistry *SkillRegistry) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], skillRegistry.abi.Errors["InvalidRiskTier"].ID.Bytes()[:4]) {
		return skillRegistry.UnpackInvalidRiskTierError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillRegistry.abi.Errors["InvalidSkillNft"].ID.Bytes()[:4]) {
		return skillRegistry.UnpackInvalidSkillNftError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillRegistry.abi.Errors["NotSkillOwnerOrApproved"].ID.Bytes()[:4]) {
		return skillRegistry.UnpackNotSkillOwnerOrApprovedError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillRegistry.abi.Errors["UriTooLong"].ID.Bytes()[:4]) {
		return skillRegistry.UnpackUriTooLongError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillRegistry.abi.Errors["VersionAlreadyPublished"].ID.Bytes()[:4]) {
		return skillRegistry.UnpackVersionAlreadyPublishedError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillRegistry.abi.Errors["VersionNotFound"].ID.Bytes()[:4]) {
		return skillRegistry.UnpackVersionNotFoundError(raw[4:])
	}
	if bytes.Equal(raw[:4], skillRegistry.abi.Errors["ZeroVersionHash"].ID.Bytes()[:4]) {
		return skillRegistry.UnpackZeroVersionHashError(raw[4:])
	}
	return nil, errors.New("unknown error")
}

// SkillRegistryInvalidRiskTier represents a InvalidRiskTier error raised by the SkillRegistry contract.
type SkillRegistryInvalidRiskTier struct {
	RiskTier uint8
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidRiskTier(uint8 riskTier)
func SkillRegistryInvalidRiskTierErrorID() common.Hash {
	return common.HexToHash("0x7871e1b978f5ac6df390400f7929e6cc3c4fbb0bd04b239814ecd12329ffe80d")
}

// UnpackInvalidRiskTierError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidRiskTier(uint8 riskTier)
func (skillRegistry *SkillRegistry) UnpackInvalidRiskTierError(raw []byte) (*SkillRegistryInvalidRiskTier, error) {
	out := new(SkillRegistryInvalidRiskTier)
	if err := skillRegistry.abi.UnpackIntoInterface(out, "InvalidRiskTier", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillRegistryInvalidSkillNft represents a InvalidSkillNft error raised by the SkillRegistry contract.
type SkillRegistryInvalidSkillNft struct {
	SkillNft common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidSkillNft(address skillNft)
func SkillRegistryInvalidSkillNftErrorID() common.Hash {
	return common.HexToHash("0x297d270f5d3d892b68a79288b43faf56e1c36686981a4d22a81d640cdea24207")
}

// UnpackInvalidSkillNftError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidSkillNft(address skillNft)
func (skillRegistry *SkillRegistry) UnpackInvalidSkillNftError(raw []byte) (*SkillRegistryInvalidSkillNft, error) {
	out := new(SkillRegistryInvalidSkillNft)
	if err := skillRegistry.abi.UnpackIntoInterface(out, "InvalidSkillNft", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillRegistryNotSkillOwnerOrApproved represents a NotSkillOwnerOrApproved error raised by the SkillRegistry contract.
type SkillRegistryNotSkillOwnerOrApproved struct {
	SkillId *big.Int
	Caller  common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotSkillOwnerOrApproved(uint256 skillId, address caller)
func SkillRegistryNotSkillOwnerOrApprovedErrorID() common.Hash {
	return common.HexToHash("0x94f8a7b302e474a048d62347485102928dce82011caf48ad1b8e5096d5bf9e22")
}

// UnpackNotSkillOwnerOrApprovedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotSkillOwnerOrApproved(uint256 skillId, address caller)
func (skillRegistry *SkillRegistry) UnpackNotSkillOwnerOrApprovedError(raw []byte) (*SkillRegistryNotSkillOwnerOrApproved, error) {
	out := new(SkillRegistryNotSkillOwnerOrApproved)
	if err := skillRegistry.abi.UnpackIntoInterface(out, "NotSkillOwnerOrApproved", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillRegistryUriTooLong represents a UriTooLong error raised by the SkillRegistry contract.
type SkillRegistryUriTooLong struct {
	Length *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error UriTooLong(uint256 length)
func SkillRegistryUriTooLongErrorID() common.Hash {
	return common.HexToHash("0x462dac9f0ff0ea8b5263831f2857e2100591cccf02527898f426fb9e57b677ea")
}

// UnpackUriTooLongError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error UriTooLong(uint256 length)
func (skillRegistry *SkillRegistry) UnpackUriTooLongError(raw []byte) (*SkillRegistryUriTooLong, error) {
	out := new(SkillRegistryUriTooLong)
	if err := skillRegistry.abi.UnpackIntoInterface(out, "UriTooLong", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillRegistryVersionAlreadyPublished represents a VersionAlreadyPublished error raised by the SkillRegistry contract.
type SkillRegistryVersionAlreadyPublished struct {
	SkillId     *big.Int
	VersionHash [32]byte
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error VersionAlreadyPublished(uint256 skillId, bytes32 versionHash)
func SkillRegistryVersionAlreadyPublishedErrorID() common.Hash {
	return common.HexToHash("0x4cd0052015d1822950fa5b5d488c0e98a4274be91ccaf2a682f53afdb3ccfac0")
}

// UnpackVersionAlreadyPublishedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error VersionAlreadyPublished(uint256 skillId, bytes32 versionHash)
func (skillRegistry *SkillRegistry) UnpackVersionAlreadyPublishedError(raw []byte) (*SkillRegistryVersionAlreadyPublished, error) {
	out := new(SkillRegistryVersionAlreadyPublished)
	if err := skillRegistry.abi.UnpackIntoInterface(out, "VersionAlreadyPublished", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillRegistryVersionNotFound represents a VersionNotFound error raised by the SkillRegistry contract.
type SkillRegistryVersionNotFound struct {
	SkillId *big.Int
	Index   *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error VersionNotFound(uint256 skillId, uint256 index)
func SkillRegistryVersionNotFoundErrorID() common.Hash {
	return common.HexToHash("0x691f53ccf9f9462ad2976f2d166e7b1aa2910823a5423535c1539e3d51d74bb0")
}

// UnpackVersionNotFoundError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error VersionNotFound(uint256 skillId, uint256 index)
func (skillRegistry *SkillRegistry) UnpackVersionNotFoundError(raw []byte) (*SkillRegistryVersionNotFound, error) {
	out := new(SkillRegistryVersionNotFound)
	if err := skillRegistry.abi.UnpackIntoInterface(out, "VersionNotFound", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// SkillRegistryZeroVersionHash represents a ZeroVersionHash error raised by the SkillRegistry contract.
type SkillRegistryZeroVersionHash struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ZeroVersionHash()
func SkillRegistryZeroVersionHashErrorID() common.Hash {
	return common.HexToHash("0xb4dafbaea53146fe87074a7bc45399eb697dc0e70c9d1cce7a1232dfca090f94")
}

// UnpackZeroVersionHashError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ZeroVersionHash()
func (skillRegistry *SkillRegistry) UnpackZeroVersionHashError(raw []byte) (*SkillRegistryZeroVersionHash, error) {
	out := new(SkillRegistryZeroVersionHash)
	if err := skillRegistry.abi.UnpackIntoInterface(out, "ZeroVersionHash", raw); err != nil {
		return nil, err
	}
	return out, nil
}
