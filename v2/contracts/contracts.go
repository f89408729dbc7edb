package contracts

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
)

//go:embed *.abi.json *.bin *.runtime.json
var artefacts embed.FS

// artefact is what a contract was compiled to.
type artefact struct {
	abi        abi.ABI
	init       []byte
	runtime    []byte
	immutables []span
}

// span is a part of the runtime code that the constructor fills in.
type span struct {
	Start  int `json:"start"`
	Length int `json:"length"`
}

// compiled holds every contract's artefact, read when it is first needed.
var compiled = sync.OnceValue(func() map[Name]artefact {
	all := make(map[Name]artefact)
	for _, n := range Names() {
		a, err := load(n)
		if err != nil {
			// The files are part of the program: no input leads here.
			panic(fmt.Sprintf("artefacts of %s: %v", n, err))
		}
		all[n] = a
	}
	return all
})

func load(n Name) (artefact, error) {
	text, err := artefacts.ReadFile(string(n) + ".abi.json")
	if err != nil {
		return artefact{}, err
	}
	parsed, err := abi.JSON(bytes.NewReader(text))
	if err != nil {
		return artefact{}, err
	}
	init, err := artefacts.ReadFile(string(n) + ".bin")
	if err != nil {
		return artefact{}, err
	}
	text, err = artefacts.ReadFile(string(n) + ".runtime.json")
	if err != nil {
		return artefact{}, err
	}
	var runtime struct {
		Code       string `json:"code"`
		Immutables []span `json:"immutables"`
	}
	if err := json.Unmarshal(text, &runtime); err != nil {
		return artefact{}, err
	}
	return artefact{
		abi:        parsed,
		init:       common.FromHex(strings.TrimSpace(string(init))),
		runtime:    common.FromHex(runtime.Code),
		immutables: runtime.Immutables,
	}, nil
}

// ABI returns the interface of a contract. It is shared: don't change it.
func ABI(n Name) abi.ABI { return compiled()[n].abi }

// InitCode returns the code that deploys a contract, which the ABI-encoded
// arguments of its constructor follow.
func InitCode(n Name) []byte { return bytes.Clone(compiled()[n].init) }

// Selectors lists the functions of a contract, sorted.
func Selectors(n Name) [][4]byte {
	var all [][4]byte
	for _, m := range ABI(n).Methods {
		all = append(all, [4]byte(m.ID))
	}
	sort.Slice(all, func(i, j int) bool { return bytes.Compare(all[i][:], all[j][:]) < 0 })
	return all
}

// Matches says whether code, as a chain has it, is that of a contract of ours,
// whatever its constructor filled in. It says nothing about what the contract
// stores: who owns it, or what it was told to trust.
func Matches(n Name, code []byte) bool {
	a, ok := compiled()[n]
	if !ok || len(code) != len(a.runtime) {
		return false
	}
	masked := bytes.Clone(code)
	for _, s := range a.immutables {
		// The compiler left zeros there.
		clear(masked[s.Start : s.Start+s.Length])
	}
	return bytes.Equal(masked, a.runtime)
}

// Identify says which contract of ours some code is.
func Identify(code []byte) (Name, bool) {
	for _, n := range Names() {
		if Matches(n, code) {
			return n, true
		}
	}
	return "", false
}
