// Package torture_test runs the contracts in a bare EVM, with everybody around
// them hostile, and measures what of them was run.
package torture_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

// built is what build.mjs wrote.
type built struct {
	Sources   map[string]string `json:"sources"`
	Attackers map[string]struct {
		ABI  json.RawMessage `json:"abi"`
		Code string          `json:"code"`
	} `json:"attackers"`
	Files      map[int]string               `json:"files"`
	Contracts  map[contracts.Name]plainCode `json:"contracts"`
	Statements []statement                  `json:"statements"`
	abis       map[contracts.Name]abi.ABI   // of the attackers
	inits      map[contracts.Name][]byte    // of the attackers
}

type plainCode struct {
	Creation section `json:"creation"`
	Runtime  section `json:"runtime"`
}

type section struct {
	Code string `json:"code"`
	Map  string `json:"map"`
}

// readBuilt reads build.json.gz, once.
var readBuilt = sync.OnceValues(func() (*built, error) {
	file, err := os.Open("testdata/build.json.gz")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(zipped)
	if err != nil {
		return nil, err
	}
	b := &built{abis: map[contracts.Name]abi.ABI{}, inits: map[contracts.Name][]byte{}}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, err
	}
	for name, a := range b.Attackers {
		parsed, err := abi.JSON(bytes.NewReader(a.ABI))
		if err != nil {
			return nil, err
		}
		b.abis[contracts.Name(name)] = parsed
		b.inits[contracts.Name(name)] = common.FromHex(a.Code)
	}
	return b, nil
})

func mustBuilt(t testing.TB) *built {
	t.Helper()
	b, err := readBuilt()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The attackers are compiled beside the tests, the contracts are not: what is
// measured has to be what is there.
func TestBuildIsOfTheseSources(t *testing.T) {
	t.Parallel()
	for name, want := range mustBuilt(t).Sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != want {
			t.Errorf("testdata/build.json.gz was made from another %s; run: make contracts", name)
		}
	}
}

// The attackers' names are beside the contracts'.
const (
	attacker     contracts.Name = "Attacker"
	hostileToken contracts.Name = "HostileToken"
	bomb         contracts.Name = "Bomb"
	forcer       contracts.Name = "Forcer"
)

// People, who are no contracts.
var (
	owner   = common.HexToAddress("0x00000000000000000000000000000000000a11ce")
	alice   = common.HexToAddress("0x0000000000000000000000000000000000a11ce1")
	bob     = common.HexToAddress("0x0000000000000000000000000000000000000b0b")
	carol   = common.HexToAddress("0x0000000000000000000000000000000000ca4013")
	mallory = common.HexToAddress("0x00000000000000000000000000000000bad0bad0")
	zero    common.Address
)

const (
	blockTime = 1_800_000_000
	gasLimit  = 30_000_000
)

var ether = uint256.NewInt(params.Ether)

// world is a chain of one block and as many transactions as one likes.
type world struct {
	t     testing.TB
	built *built
	cover *coverage // nil: the contracts as they are deployed, nothing is measured
	state *state.StateDB
	time  uint64
	txs   int
	where map[common.Address]contracts.Name
}

// newWorld has the contracts as they are deployed, or, with cover, as they are
// measured.
func newWorld(t testing.TB, cover *coverage) *world {
	t.Helper()
	db, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, built: mustBuilt(t), cover: cover, state: db, time: blockTime, where: map[common.Address]contracts.Name{}}
	for _, who := range []common.Address{owner, alice, bob, carol, mallory} {
		w.fund(who, new(uint256.Int).Mul(ether, uint256.NewInt(1000)))
	}
	return w
}

// fund gives somebody native currency out of nothing.
func (w *world) fund(who common.Address, amount *uint256.Int) {
	w.state.AddBalance(who, amount, tracing.BalanceChangeUnspecified)
}

func (w *world) balance(of common.Address) *uint256.Int { return w.state.GetBalance(of).Clone() }

func (w *world) abi(n contracts.Name) abi.ABI {
	if a, ok := w.built.abis[n]; ok {
		return a
	}
	return contracts.ABI(n)
}

func (w *world) init(n contracts.Name) []byte {
	if code, ok := w.built.inits[n]; ok {
		return code
	}
	if w.cover != nil {
		return w.cover.init(n)
	}
	return contracts.InitCode(n)
}

// rules are those of the dev chain: Prague, about what ApeChain offers.
var rules = sync.OnceValue(func() *params.ChainConfig {
	c := *params.AllDevChainProtocolChanges
	c.OsakaTime, c.BogotaTime = nil, nil
	return &c
})

// result is what became of a transaction.
type result struct {
	w    *world
	to   common.Address
	name contracts.Name
	ret  []byte
	err  error
	gas  uint64
	logs []*types.Log
}

func (w *world) apply(from common.Address, to *common.Address, value *uint256.Int, data []byte, gas uint64) result {
	w.t.Helper()
	if value == nil {
		value = new(uint256.Int)
	}
	block := vm.BlockContext{
		CanTransfer: core.CanTransfer, Transfer: core.Transfer,
		GetHash:  func(uint64) common.Hash { return common.Hash{} },
		GasLimit: gas, BlockNumber: big.NewInt(1), Time: w.time, Difficulty: new(big.Int),
		BaseFee: new(big.Int), BlobBaseFee: big.NewInt(1), Random: &common.Hash{},
	}
	var conf vm.Config
	if w.cover != nil {
		conf.Tracer = w.cover.hooks(w)
	}
	w.txs++
	tx := common.BigToHash(big.NewInt(int64(w.txs)))
	w.state.SetTxContext(tx, w.txs, 0)
	nonce := w.state.GetNonce(from)
	evm := vm.NewEVM(block, w.state, rules(), conf)
	got, err := core.ApplyMessage(evm, &core.Message{
		From: from, To: to, Nonce: nonce, Value: value, GasLimit: gas, Data: data,
		GasPrice: new(uint256.Int), GasFeeCap: new(uint256.Int), GasTipCap: new(uint256.Int),
	}, nil)
	if err != nil {
		w.t.Fatalf("the transaction is none: %v", err)
	}
	w.state.Finalise(rules().Rules(block.BlockNumber, true, w.time))
	r := result{w: w, ret: got.ReturnData, err: got.Err, gas: got.UsedGas, logs: w.state.GetLogs(tx, 1, common.Hash{}, w.time)}
	if to == nil {
		// ReturnData is the code.
		r.to = common.Address(createAddress(from, nonce))
	} else {
		r.to, r.name = *to, w.where[*to]
	}
	return r
}

// tryDeploy deploys n, which may fail.
func (w *world) tryDeploy(n contracts.Name, value *uint256.Int, args ...any) result {
	w.t.Helper()
	packed, err := w.abi(n).Pack("", args...)
	if err != nil {
		w.t.Fatal(err)
	}
	r := w.apply(owner, nil, value, append(bytes.Clone(w.init(n)), packed...), gasLimit)
	r.name = n
	if r.err == nil {
		w.where[r.to] = n
	}
	return r
}

func (w *world) deploy(n contracts.Name, args ...any) common.Address {
	w.t.Helper()
	return w.tryDeploy(n, nil, args...).ok().to
}

// pack is the data of a call to n.
func (w *world) pack(n contracts.Name, method string, args ...any) []byte {
	w.t.Helper()
	data, err := w.abi(n).Pack(method, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return data
}

// call sends a transaction to a contract that was deployed here.
func (w *world) call(from, to common.Address, method string, args ...any) result {
	w.t.Helper()
	return w.send(from, to, nil, method, args...)
}

func (w *world) send(from, to common.Address, value *uint256.Int, method string, args ...any) result {
	w.t.Helper()
	return w.apply(from, &to, value, w.pack(w.where[to], method, args...), gasLimit)
}

// pay sends native currency and no data.
func (w *world) pay(from, to common.Address, value *uint256.Int) result {
	w.t.Helper()
	return w.apply(from, &to, value, nil, gasLimit)
}

// view is the first value that a function returns, as T.
func view[T any](w *world, to common.Address, method string, args ...any) T {
	w.t.Helper()
	out := views(w, to, method, args...)
	v, ok := out[0].(T)
	if !ok {
		w.t.Fatalf("%s returned a %T", method, out[0])
	}
	return v
}

func views(w *world, to common.Address, method string, args ...any) []any {
	w.t.Helper()
	r := w.call(carol, to, method, args...).ok()
	out, err := w.abi(w.where[to]).Unpack(method, r.ret)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func amount(w *world, to common.Address, method string, args ...any) *uint256.Int {
	w.t.Helper()
	return uint256.MustFromBig(view[*big.Int](w, to, method, args...))
}

// ok holds that the transaction succeeded.
func (r result) ok() result {
	r.w.t.Helper()
	if r.err != nil {
		r.w.t.Fatalf("it failed: %v: %s", r.err, r.w.reason(r.ret))
	}
	return r
}

// fails holds that the transaction reverted with exactly this error of n.
func (r result) fails(n contracts.Name, name string, args ...any) result {
	r.w.t.Helper()
	return r.reverts(r.w.failure(n, name, args...))
}

// reverts holds that the transaction reverted with exactly this data.
func (r result) reverts(want []byte) result {
	r.w.t.Helper()
	if r.err == nil {
		r.w.t.Fatalf("it succeeded, and should have failed with %s", r.w.reason(want))
	}
	if !bytes.Equal(r.ret, want) {
		r.w.t.Fatalf("it failed with %v: %s\nand should have with %s", r.err, r.w.reason(r.ret), r.w.reason(want))
	}
	return r
}

// fell holds that it failed, however.
func (r result) fell() result {
	r.w.t.Helper()
	if r.err == nil {
		r.w.t.Fatal("it succeeded")
	}
	return r
}

// event is the one event of this name that at emitted, its values in order.
func (r result) event(at common.Address, name string) []any {
	r.w.t.Helper()
	all := r.events(at, name)
	if len(all) != 1 {
		r.w.t.Fatalf("%d events %s, not one", len(all), name)
	}
	return all[0]
}

func (r result) events(at common.Address, name string) [][]any {
	r.w.t.Helper()
	ev, ok := r.w.abi(r.w.where[at]).Events[name]
	if !ok {
		r.w.t.Fatalf("no event %s", name)
	}
	var all [][]any
	for _, l := range r.logs {
		if l.Address != at || l.Topics[0] != ev.ID {
			continue
		}
		indexed := map[string]any{}
		var fields abi.Arguments
		for _, in := range ev.Inputs {
			if in.Indexed {
				fields = append(fields, in)
			}
		}
		if err := abi.ParseTopicsIntoMap(indexed, fields, l.Topics[1:]); err != nil {
			r.w.t.Fatal(err)
		}
		data, err := ev.Inputs.NonIndexed().Unpack(l.Data)
		if err != nil {
			r.w.t.Fatal(err)
		}
		var values []any
		for _, in := range ev.Inputs {
			if in.Indexed {
				values = append(values, indexed[in.Name])
			} else {
				values, data = append(values, data[0]), data[1:]
			}
		}
		all = append(all, values)
	}
	return all
}

// failure is the data of an error of n.
func (w *world) failure(n contracts.Name, name string, args ...any) []byte {
	w.t.Helper()
	e, ok := w.abi(n).Errors[name]
	if !ok {
		w.t.Fatalf("%s has no error %s", n, name)
	}
	data, err := e.Inputs.Pack(args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return append(bytes.Clone(e.ID[:4]), data...)
}

// sentence is the data of revert("…").
func sentence(text string) []byte {
	str, err := abi.NewType("string", "", nil)
	if err != nil {
		panic(err)
	}
	data, err := abi.Arguments{{Type: str}}.Pack(text)
	if err != nil {
		panic(err)
	}
	return append([]byte{0x08, 0xc3, 0x79, 0xa0}, data...)
}

// panicCode is the data of a panic of Solidity's.
func panicCode(code byte) []byte {
	return append([]byte{0x4e, 0x48, 0x7b, 0x71}, common.LeftPadBytes([]byte{code}, 32)...)
}

// reason puts revert data into words, for a failed test.
func (w *world) reason(data []byte) string {
	if text, err := abi.UnpackRevert(data); err == nil {
		return fmt.Sprintf("%q", text)
	}
	if len(data) >= 4 {
		for _, n := range contracts.Names() {
			for _, e := range w.abi(n).Errors {
				if bytes.Equal(e.ID[:4], data[:4]) {
					args, _ := e.Inputs.Unpack(data[4:])
					return fmt.Sprintf("%s%v", e.Name, args)
				}
			}
		}
	}
	return fmt.Sprintf("%d bytes: %x", len(data), data[:min(len(data), 68)])
}

func same[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, not %v", what, got, want)
	}
}

// equal compares amounts.
func equal(t testing.TB, what string, got, want *uint256.Int) {
	t.Helper()
	if !got.Eq(want) {
		t.Errorf("%s is %s, not %s", what, got.Dec(), want.Dec())
	}
}

func n(v uint64) *uint256.Int { return uint256.NewInt(v) }
func big64(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
