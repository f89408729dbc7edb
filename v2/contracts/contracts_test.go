package contracts_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	sandbox "github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

const rebuild = "run: make contracts"

// build.sha256 lists what was compiled, what from and how. If a file differs
// from its sum, or one isn't listed, something was changed and not compiled.
func TestFresh(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("build.sha256")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("build.sha256: %q", line)
		}
		listed = append(listed, name)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("%v; %s", err, rebuild)
			continue
		}
		if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s is not what was compiled; %s", name, rebuild)
		}
	}
	for _, pattern := range []string{"*.sol", "*.bin", "*.json", "testdata/*.sol", "testdata/*.json"} {
		there, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range there {
			if !slices.Contains(listed, name) {
				t.Errorf("%s was not compiled; %s", name, rebuild)
			}
		}
	}
}

// The bindings are of the interfaces that were compiled.
func TestBindingsAreFresh(t *testing.T) {
	t.Parallel()
	for _, n := range contracts.Names() {
		want, err := os.ReadFile(string(n) + ".abi.json")
		if err != nil {
			t.Fatal(err)
		}
		// The bindings' generator takes every space out.
		if got := boundABI(t, n); got != strings.Join(strings.Fields(string(want)), "") {
			t.Errorf("the binding of %s is of another interface; %s", n, rebuild)
		}
	}
}

// boundABI reads the interface that a binding was made from out of its source.
func boundABI(t *testing.T, n contracts.Name) (got string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "binding/"+strings.ToLower(string(n))+".go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if kv, ok := node.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "ABI" {
				got, err = strconv.Unquote(kv.Value.(*ast.BasicLit).Value)
			}
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// kept is the interface that is deployed elsewhere: it can be added to, and not
// changed. "indexed" is part of it: readers filter by topics.
var kept = map[contracts.Name]string{
	contracts.SkillNFT: `
function mintSkill(uint256) returns(uint256)
function mintSkillWithRoyalty(uint256,address,uint96) returns(uint256)
function setSkillRoyalty(uint256,address,uint96)
view parentSkillId(uint256) returns(uint256)
view nextSkillId() returns(uint256)
view royaltyInfo(uint256,uint256) returns(address,uint256)
event SkillMinted(uint256 indexed,address indexed,uint256 indexed)
event SkillRoyaltySet(uint256 indexed,address indexed,uint96)
event Transfer(address indexed,address indexed,uint256 indexed)`,
	contracts.SkillRegistry: `
function publishVersion(uint256,bytes32,bytes32,string,uint8)
view versionCount(uint256) returns(uint256)
view getVersion(uint256,uint256) returns(bytes32,bytes32,string,uint8,uint64,address)
event SkillVersionPublished(uint256 indexed,bytes32 indexed,bytes32 indexed,address,string,uint8)`,
	contracts.IntentRegistry: `
function createIntent(bytes32,uint64) returns(uint256)
function cancelIntent(uint256)
view isActive(uint256) returns(bool)
view intents(uint256) returns(bytes32,address,uint64,bool)
view nextIntentId() returns(uint256)
event IntentCreated(uint256 indexed,address indexed,bytes32 indexed,uint64)
event IntentCancelled(uint256 indexed,address indexed)`,
	contracts.ReceiptRegistry: `
function recordReceipt(bytes32,bytes32,bytes32,string)
view isRecorded(bytes32) returns(bool)
view getReceipt(bytes32) returns(bytes32,bytes32,bytes32,string,uint64,address)
event ReceiptRecorded(bytes32 indexed,bytes32 indexed,bytes32 indexed,address,string)`,
	contracts.PodVault: `
function releaseNative(address)
function releaseToken(address,address)
view pendingNative(address) returns(uint256)
view pendingToken(address,address) returns(uint256)
view memberCount() returns(uint256)
view memberAt(uint256) returns(address)
view shares(address) returns(uint256)
view totalShares() returns(uint256)
view releasedNative(address) returns(uint256)
view totalReleasedNative() returns(uint256)
view releasedToken(address,address) returns(uint256)
event MemberAdded(address indexed,uint256)
event PaymentReleased(address indexed,uint256)
event ERC20PaymentReleased(address indexed,address indexed,uint256)
event PaymentReceived(address indexed,uint256)`,
	contracts.AgentAccount: `
payable executeSkill(address,bytes,uint256,bytes32,bytes32,string) returns(bytes)
function setPolicyEngine(address)
function setReceiptRegistry(address)
view policy() returns(address)
view receipts() returns(address)
event SkillExecuted(bytes32 indexed,bytes32 indexed,address indexed,address,bytes4,uint256,bool)`,
	contracts.PolicyEngine: `
view preCheck(address,address,bytes4,uint256)
function setMaxValuePerTx(uint256)
function setModuleAllowed(address,bool)
function setTargetAllowed(address,bool)
function setSelectorAllowed(bytes4,bool)
view maxValuePerTx() returns(uint256)
view allowedModules(address) returns(bool)
view allowedTargets(address) returns(bool)
view allowedSelectors(bytes4) returns(bool)
event ModuleAllowed(address indexed,bool)
event TargetAllowed(address indexed,bool)
event SelectorAllowed(bytes4 indexed,bool)
event MaxValuePerTxSet(uint256)`,
	contracts.SwapModule: `
payable execute(address,bytes) returns(bytes)
event SwapExecuted(address indexed,address indexed,bytes4 indexed,uint256)`,
	contracts.BridgeModule: `
payable execute(address,bytes) returns(bytes)
event BridgeExecuted(address indexed,address indexed,bytes4 indexed,uint256)`,
	contracts.NftBuyModule: `
payable execute(address,bytes) returns(bytes)
event NftBuyExecuted(address indexed,address indexed,bytes4 indexed,uint256)`,
	contracts.MockTarget: `
payable ping(bytes32) returns(bytes32)`,
}

func TestInterfacesAreKept(t *testing.T) {
	t.Parallel()
	for _, n := range contracts.Names() {
		has := interfaceOf(contracts.ABI(n))
		for _, want := range strings.Split(strings.TrimSpace(kept[n]), "\n") {
			if !slices.Contains(has, want) {
				t.Errorf("%s has no\n%s\nbut\n%s", n, want, strings.Join(has, "\n"))
			}
		}
	}
}

// interfaceOf writes out functions and events as they are seen from outside.
func interfaceOf(ab abi.ABI) (lines []string) {
	for _, m := range ab.Methods {
		kind := m.StateMutability
		if kind == "nonpayable" {
			kind = "function"
		}
		line := kind + " " + m.Sig
		if len(m.Outputs) > 0 {
			line += " returns(" + typesOf(m.Outputs) + ")"
		}
		lines = append(lines, line)
	}
	for _, e := range ab.Events {
		lines = append(lines, "event "+e.Name+"("+typesOf(e.Inputs)+")")
	}
	return lines
}

func typesOf(args abi.Arguments) string {
	var all []string
	for _, a := range args {
		typ := a.Type.String()
		if a.Indexed {
			typ += " indexed"
		}
		all = append(all, typ)
	}
	return strings.Join(all, ",")
}

// What is on the chain is known for ours, whatever the constructor filled in.
func TestMatches(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	s := a.agentSet(t)
	nft := a.deploy(t, contracts.SkillNFT)
	there := map[contracts.Name]contract{
		contracts.SkillNFT:        nft,
		contracts.SkillRegistry:   a.deploy(t, contracts.SkillRegistry, nft.addr),
		contracts.IntentRegistry:  a.deploy(t, contracts.IntentRegistry),
		contracts.ReceiptRegistry: s.receipts,
		contracts.PolicyEngine:    s.policy,
		contracts.SwapModule:      s.swap,
		contracts.BridgeModule:    s.bridge,
		contracts.NftBuyModule:    s.buy,
		contracts.AgentAccount:    s.agent,
		contracts.PodVault:        a.vault(t, []common.Address{a.addr}, 1),
		contracts.MockTarget:      s.mock,
	}
	for _, n := range contracts.Names() {
		code := codeAt(t, there[n].addr)
		for _, other := range contracts.Names() {
			if got := contracts.Matches(other, code); got != (n == other) {
				t.Errorf("the code of %s is that of %s: %v", n, other, got)
			}
		}
		if got, ok := contracts.Identify(code); got != n || !ok {
			t.Errorf("the code of %s is known as %q, %v", n, got, ok)
		}
		// One bit in one place, anywhere but in what the constructor fills in.
		for _, at := range []int{0, len(code) / 3, len(code) - 1} {
			other := bytes.Clone(code)
			other[at] ^= 1
			if contracts.Matches(n, other) {
				t.Errorf("%s: code with another byte %d is known", n, at)
			}
		}
		for _, other := range [][]byte{nil, code[:len(code)-1], append(bytes.Clone(code), 0)} {
			if _, ok := contracts.Identify(other); ok {
				t.Errorf("%s: %d of %d bytes are known", n, len(other), len(code))
			}
		}
	}
	if contracts.Matches("Nothing", nil) || contracts.Matches("Nothing", codeAt(t, nft.addr)) {
		t.Error("there is no such contract")
	}
	// The registry's address of the tokens is in its code, and masked.
	mine := a.deploy(t, contracts.SkillNFT)
	other := a.deploy(t, contracts.SkillRegistry, mine.addr)
	if code := codeAt(t, other.addr); bytes.Equal(code, codeAt(t, there[contracts.SkillRegistry].addr)) || !contracts.Matches(contracts.SkillRegistry, code) {
		t.Error("a registry of other tokens is not known")
	}
}

func TestInitCodeIsACopy(t *testing.T) {
	t.Parallel()
	contracts.InitCode(contracts.PodVault)[0] ^= 0xff
	if again := contracts.InitCode(contracts.PodVault); again[0] != 0x60 {
		t.Errorf("init code begins with %x", again[0])
	}
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	got := contracts.Selectors(contracts.IntentRegistry)
	var want [][4]byte
	for _, sig := range []string{"createIntent(bytes32,uint64)", "cancelIntent(uint256)", "isActive(uint256)", "intents(uint256)", "nextIntentId()"} {
		want = append(want, [4]byte(crypto.Keccak256([]byte(sig))))
	}
	slices.SortFunc(want, func(a, b [4]byte) int { return bytes.Compare(a[:], b[:]) })
	if !slices.Equal(got, want) {
		t.Errorf("selectors %x, want %x", got, want)
	}
}

// The proxy is the one that other chains have, and the sandbox's is the same.
func TestDeployer(t *testing.T) {
	t.Parallel()
	if contracts.Deployer != sandbox.Deployer || !bytes.Equal(contracts.DeployerCode, sandbox.DeployerCode) {
		t.Error("the sandbox has another proxy")
	}
	if got := codeAt(t, contracts.Deployer); !bytes.Equal(got, contracts.DeployerCode) {
		t.Errorf("the proxy's code is %x", got)
	}
	// Its code's hash, as anyone can look it up.
	if got := crypto.Keccak256Hash(contracts.DeployerCode).Hex(); got != "0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989" {
		t.Errorf("the proxy's code has the hash %s", got)
	}
	// The same again deploys nothing: the address is taken.
	a := newActor(t)
	init := contracts.InitCode(contracts.MockTarget)
	salt := hash("twice")
	a.raw(t, &contracts.Deployer, append(salt[:], init...))
	if !contracts.Matches(contracts.MockTarget, codeAt(t, contracts.Create2(salt, init))) {
		t.Error("it is not where it should be")
	}
	a.refusedRaw(t, "nothing", &contracts.Deployer, append(salt[:], init...))
}
