// Package contracts holds the compiled contracts that the sandbox puts into its
// genesis: OpenSea's own Seaport 1.6 and ConduitController, the demo collections'
// ERC-721 (DemoCollection.sol), the demo currencies' ERC-20 (DemoToken.sol), and
// the bridge's Depository.sol. They are compiled by `make contracts` (build.mjs)
// and committed, so that nothing but Go is needed to build ape-claw.
package contracts

import (
	_ "embed"

	"github.com/ethereum/go-ethereum/common"
)

var (
	//go:embed Seaport.bin
	seaport string
	//go:embed ConduitController.bin
	conduitController string
	//go:embed DemoCollection.bin
	demoCollection string
	//go:embed DemoToken.bin
	demoToken string
	//go:embed Depository.bin
	depository string
)

// Deployer is where the deterministic deployment proxy is on most chains (on
// those of Arbitrum's stack too), and DeployerCode what is there.
var (
	Deployer     = common.HexToAddress("0x4e59b44847b379578588920cA78FbF26c0B4956C")
	DeployerCode = common.FromHex("0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3")
)

// Seaport returns the init code of Seaport 1.6, which takes one constructor
// argument: the conduit controller's address, ABI-encoded.
func Seaport() []byte { return common.FromHex(trim(seaport)) }

// ConduitController returns the init code of OpenSea's ConduitController.
func ConduitController() []byte { return common.FromHex(trim(conduitController)) }

// DemoCollectionCode returns the init code of DemoCollection.sol, whose
// constructor arguments DemoCollection.PackConstructor encodes.
func DemoCollectionCode() []byte { return common.FromHex(trim(demoCollection)) }

// DemoTokenCode returns the init code of DemoToken.sol, whose constructor
// arguments DemoToken.PackConstructor encodes.
func DemoTokenCode() []byte { return common.FromHex(trim(demoToken)) }

// DepositoryCode returns the init code of Depository.sol.
func DepositoryCode() []byte { return common.FromHex(trim(depository)) }

// trim drops the final newline that editors leave in a text file.
func trim(s string) string {
	for len(s) > 0 && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	return s
}
