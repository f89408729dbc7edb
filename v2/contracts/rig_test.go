package contracts_test

import (
	"context"
	"crypto/ecdsa"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// actors is how many accounts the genesis funds; each test takes its own.
const actors = 100

// The tests of this package share a chain: none looks at what others do there.
var chain = sync.OnceValues(func() (*devchain.Chain, error) {
	g, err := devchain.NewGenesis(devchain.ChainID)
	if err != nil {
		return nil, err
	}
	g.PlaceDeployer()
	for i := range uint64(actors) {
		g.Fund(crypto.PubkeyToAddress(keyOf(i).PublicKey), uint256.MustFromDecimal("1000000000000000000000"))
	}
	alloc, err := g.Alloc()
	if err != nil {
		return nil, err
	}
	return devchain.Start(context.Background(), devchain.Options{Alloc: alloc})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if started.Load() {
		if c, err := chain(); err == nil {
			err = c.Close()
			if err != nil && code == 0 {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	os.Exit(code)
}

var (
	started atomic.Bool
	taken   atomic.Uint64 // actors
	salts   atomic.Uint64
	labels  sync.Map // of deployed contracts, by address
)

func node(t *testing.T) *devchain.Chain {
	t.Helper()
	started.Store(true)
	c, err := chain()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func client(t *testing.T) *ethclient.Client {
	t.Helper()
	return node(t).Client()
}

func keyOf(i uint64) *ecdsa.PrivateKey {
	k, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "contracts test %d", i)))
	if err != nil {
		panic(err)
	}
	return k
}

// account is a funded key; actor is an account that sends a value along.
type account struct {
	key   *ecdsa.PrivateKey
	addr  common.Address
	nonce uint64
}

type actor struct {
	*account
	value *big.Int
}

func newActor(t *testing.T) actor {
	t.Helper()
	i := taken.Add(1) - 1
	if i >= actors {
		t.Fatalf("more than %d actors: fund more", actors)
	}
	k := keyOf(i)
	return actor{&account{key: k, addr: crypto.PubkeyToAddress(k.PublicKey)}, new(big.Int)}
}

func (a actor) paying(wei int64) actor { return actor{a.account, big.NewInt(wei)} }

// contract is one that stands on the chain.
type contract struct {
	abi  abi.ABI
	addr common.Address
}

// raw sends a transaction and returns its receipt, of success.
func (a actor) raw(t *testing.T, to *common.Address, data []byte) *types.Receipt {
	t.Helper()
	c := client(t)
	tx, err := types.SignNewTx(a.key, types.LatestSignerForChainID(big.NewInt(devchain.ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(devchain.ChainID), Nonce: a.nonce, To: to, Value: a.value, Data: data,
		Gas: 4_000_000, GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(1e11),
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.SendTransactionSync(t.Context(), tx, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.nonce++
	if err := node(t).Settle(); err != nil {
		t.Fatal(err)
	}
	if r.Status != types.ReceiptStatusSuccessful {
		_, err := c.CallContract(t.Context(), ethereum.CallMsg{From: a.addr, To: to, Value: a.value, Data: data}, nil)
		t.Fatalf("reverted: %s", reasonOf(err))
	}
	return r
}

func (a actor) send(t *testing.T, c contract, method string, args ...any) *types.Receipt {
	t.Helper()
	return a.raw(t, &c.addr, pack(t, c.abi, method, args...))
}

// call asks without sending, and returns what the method returns.
func (a actor) call(t *testing.T, c contract, method string, args ...any) []any {
	t.Helper()
	out, err := client(t).CallContract(t.Context(), ethereum.CallMsg{From: a.addr, To: &c.addr, Value: a.value, Data: pack(t, c.abi, method, args...)}, nil)
	if err != nil {
		t.Fatalf("%s: %s (%v)", method, reasonOf(err), err)
	}
	got, err := c.abi.Unpack(method, out)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return got
}

// refused expects a call to revert with an error, as in "NotSkillOwner(1, 0x…)".
func (a actor) refused(t *testing.T, want string, c contract, method string, args ...any) {
	t.Helper()
	a.refusedRaw(t, want, &c.addr, pack(t, c.abi, method, args...))
}

func (a actor) refusedRaw(t *testing.T, want string, to *common.Address, data []byte) {
	t.Helper()
	_, err := client(t).CallContract(t.Context(), ethereum.CallMsg{From: a.addr, To: to, Value: a.value, Data: data}, nil)
	if got := reasonOf(err); got != want {
		t.Errorf("refused with %s, want %s", got, want)
	}
}

// deploy deploys one of ours as the product does: through the proxy, to an
// address that is known before.
func (a actor) deploy(t *testing.T, n contracts.Name, args ...any) contract {
	t.Helper()
	return a.create2(t, string(n), contracts.ABI(n), contracts.InitCode(n), args...)
}

func (a actor) create2(t *testing.T, label string, ab abi.ABI, init []byte, args ...any) contract {
	t.Helper()
	init = append(init, pack(t, ab, "", args...)...)
	var salt [32]byte
	binary.BigEndian.PutUint64(salt[:], salts.Add(1))
	addr := contracts.Create2(salt, init)
	a.raw(t, &contracts.Deployer, append(salt[:], init...))
	if code := codeAt(t, addr); len(code) == 0 {
		t.Fatalf("%s: nothing at %s", label, addr)
	}
	labels.Store(addr, label)
	return contract{ab, addr}
}

// refusedDeploy expects a constructor to revert.
func (a actor) refusedDeploy(t *testing.T, want string, n contracts.Name, args ...any) {
	t.Helper()
	a.refusedRaw(t, want, nil, append(contracts.InitCode(n), pack(t, contracts.ABI(n), "", args...)...))
}

//go:embed testdata/Token.json testdata/Wallet.json
var fixtures embed.FS

type fixture struct {
	ABI abi.ABI
	Bin string
}

func readFixture(t *testing.T, name string) fixture {
	t.Helper()
	text, err := fixtures.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// fixture deploys a contract of testdata/Fixtures.sol.
func (a actor) fixture(t *testing.T, name string) contract {
	t.Helper()
	f := readFixture(t, name)
	return a.create2(t, name, f.ABI, common.FromHex(f.Bin))
}

func codeAt(t *testing.T, addr common.Address) []byte {
	t.Helper()
	code, err := client(t).CodeAt(t.Context(), addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func balance(t *testing.T, addr common.Address) *big.Int {
	t.Helper()
	b, err := client(t).BalanceAt(t.Context(), addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// pack encodes a call, or a constructor's arguments when method is empty. An int
// stands for any whole number.
func pack(t *testing.T, ab abi.ABI, method string, args ...any) []byte {
	t.Helper()
	inputs := ab.Constructor.Inputs
	if method != "" {
		m, ok := ab.Methods[method]
		if !ok {
			t.Fatalf("no method %s", method)
		}
		inputs = m.Inputs
	}
	full := slices.Clone(args)
	for i, arg := range args {
		n, ok := arg.(int)
		if !ok || i >= len(inputs) {
			continue
		}
		switch typ := inputs[i].Type; {
		case typ.Size == 8:
			full[i] = uint8(n)
		case typ.Size == 64:
			full[i] = uint64(n)
		default:
			full[i] = big.NewInt(int64(n))
		}
	}
	data, err := ab.Pack(method, full...)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return data
}

// inputOf is what a module takes.
func inputOf(t *testing.T, target common.Address, data []byte) []byte {
	t.Helper()
	address, err := abi.NewType("address", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := abi.NewType("bytes", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	input, err := abi.Arguments{{Type: address}, {Type: bytes}}.Pack(target, data)
	if err != nil {
		t.Fatal(err)
	}
	return input
}

// reasonOf writes out what a call reverted with.
func reasonOf(err error) string {
	var data rpc.DataError
	switch {
	case err == nil:
		return "no error"
	case !errors.As(err, &data):
		return err.Error()
	}
	hex, _ := data.ErrorData().(string)
	raw := common.FromHex(hex)
	if len(raw) == 0 {
		return "nothing"
	}
	if reason, err := abi.UnpackRevert(raw); err == nil {
		return fmt.Sprintf("%q", reason)
	}
	for _, n := range contracts.Names() {
		ab := contracts.ABI(n)
		if e, err := ab.ErrorByID([4]byte(raw)); err == nil {
			if args, err := e.Inputs.Unpack(raw[4:]); err == nil {
				return written(e.Name, args)
			}
		}
	}
	return hex
}

// written writes out an error or event with its arguments.
func written(name string, args []any) string {
	var parts []string
	for _, a := range args {
		switch v := a.(type) {
		case [32]byte:
			parts = append(parts, common.Hash(v).Hex())
		case [4]byte:
			parts = append(parts, hexutil.Encode(v[:]))
		case string:
			parts = append(parts, fmt.Sprintf("%q", v))
		default:
			parts = append(parts, fmt.Sprint(v))
		}
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// wantEvents expects exactly these logs, as in "SkillNFT.SkillMinted(1, 0x…, 0)".
func wantEvents(t *testing.T, r *types.Receipt, want ...string) {
	t.Helper()
	if got := eventsOf(t, r); !slices.Equal(got, want) {
		t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// eventsOf writes out a transaction's logs.
func eventsOf(t *testing.T, r *types.Receipt) (got []string) {
	t.Helper()
	for _, l := range r.Logs {
		label, ok := labels.Load(l.Address)
		if !ok {
			t.Fatalf("an event of %s, which is nobody's", l.Address)
		}
		got = append(got, fmt.Sprintf("%s.%s", label, event(t, fmt.Sprint(label), l)))
	}
	return got
}

func event(t *testing.T, label string, l *types.Log) string {
	t.Helper()
	var ab abi.ABI
	if slices.Contains(contracts.Names(), contracts.Name(label)) {
		ab = contracts.ABI(contracts.Name(label))
	} else {
		ab = readFixture(t, label).ABI
	}
	e, err := ab.EventByID(l.Topics[0])
	if err != nil {
		t.Fatal(err)
	}
	data, err := e.Inputs.NonIndexed().Unpack(l.Data)
	if err != nil {
		t.Fatal(err)
	}
	topics := l.Topics[1:]
	var args []any
	for _, in := range e.Inputs {
		if !in.Indexed {
			args, data = append(args, data[0]), data[1:]
			continue
		}
		raw := topics[0][:]
		if in.Type.T == abi.FixedBytesTy && in.Type.Size == 4 {
			args = append(args, [4]byte(raw[:4]))
		} else {
			v, err := abi.Arguments{{Type: in.Type}}.Unpack(raw)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, v[0])
		}
		topics = topics[1:]
	}
	return written(e.Name, args)
}

// wantValues compares what a call returned, written out.
func wantValues(t *testing.T, got []any, want ...any) {
	t.Helper()
	g, w := written("", got), written("", want)
	if g != w {
		t.Errorf("got %s, want %s", g, w)
	}
}

func hash(s string) common.Hash { return crypto.Keccak256Hash([]byte(s)) }
