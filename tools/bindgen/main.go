// Command bindgen writes Go bindings for one contract: what `abigen --v2` does,
// without the dependencies of geth's command line.
//
// Usage: bindgen TYPE PACKAGE ABI.json BIN|- OUT.go
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi/abigen"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bindgen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 5 {
		return fmt.Errorf("want TYPE PACKAGE ABI BIN OUT, got %d arguments", len(args))
	}
	typ, pkg, abiFile, binFile, out := args[0], args[1], args[2], args[3], args[4]
	abi, err := os.ReadFile(abiFile)
	if err != nil {
		return err
	}
	var bin []byte
	if binFile != "-" {
		if bin, err = os.ReadFile(binFile); err != nil {
			return err
		}
	}
	code, err := abigen.BindV2([]string{typ}, []string{string(abi)}, []string{strings.TrimSpace(string(bin))}, pkg, nil, nil)
	if err != nil {
		return err
	}
	// abigen's one capitalized error would fail our lint in every binding.
	code = strings.ReplaceAll(code, `errors.New("Unknown error")`, `errors.New("unknown error")`)
	return os.WriteFile(out, []byte(code), 0o644)
}
