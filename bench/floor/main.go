// Command floor does nothing and links the libraries that ape-claw links: what a
// program with an embedded chain and a database costs before its own first line.
// make bench holds ape-claw against it.
package main

import (
	_ "github.com/ethereum/go-ethereum/eth"
	_ "github.com/ethereum/go-ethereum/eth/catalyst"
	_ "github.com/ethereum/go-ethereum/eth/filters"
	_ "github.com/ethereum/go-ethereum/node"
	_ "github.com/r3labs/sse/v2"
	_ "github.com/spf13/cobra"
	_ "github.com/spf13/viper"
	_ "modernc.org/sqlite"
)

func main() {}
