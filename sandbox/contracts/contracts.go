// Package contracts holds the compiled contracts that the sandbox puts into its
// genesis: OpenSea's own Seaport 1.6 and ConduitController, and the demo
// collections' ERC-721 (DemoCollection.sol). They are compiled by `make contracts` (build.mjs) and
// committed, so that nothing but Go is needed to build ape-claw.
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
)

// Seaport returns the init code of Seaport 1.6, which takes one constructor
// argument: the conduit controller's address, ABI-encoded.
func Seaport() []byte { return common.FromHex(trim(seaport)) }

// ConduitController returns the init code of OpenSea's ConduitController.
func ConduitController() []byte { return common.FromHex(trim(conduitController)) }

// DemoCollectionCode returns the init code of DemoCollection.sol, whose
// constructor arguments DemoCollection.PackConstructor encodes.
func DemoCollectionCode() []byte { return common.FromHex(trim(demoCollection)) }

// trim drops the final newline that editors leave in a text file.
func trim(s string) string {
	for len(s) > 0 && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	return s
}
