package contracts

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Deployer is the deterministic deployment proxy, which stands at this address
// on most chains. It is sent a salt and init code and deploys that by CREATE2,
// so that a contract's address follows from what it is: it can be known before,
// and found again without a record.
var Deployer = common.HexToAddress("0x4e59b44847b379578588920cA78FbF26c0B4956C")

// DeployerCode is the code that the proxy has on every chain.
var DeployerCode = common.FromHex("0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3")

// Create2 returns the address that Deployer gives to init code, constructor
// arguments included, with a salt.
func Create2(salt [32]byte, init []byte) common.Address {
	return crypto.CreateAddress2(Deployer, salt, crypto.Keccak256(init))
}
