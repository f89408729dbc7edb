package torture_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

const gasFile = "../../../docs/gas.md"

var update = flag.Bool("update", false, "write docs/gas.md anew")

// cost is a row of the table.
type cost struct {
	what string
	gas  uint64
	note string
}

// costs measures what is done, each in a transaction of its own.
func costs(t *testing.T) (deploys, calls []cost) {
	w := newWorld(t, nil)
	w.state.SetCode(contracts.Deployer, contracts.DeployerCode, tracing.CodeChangeUnspecified)
	args := w.arguments()
	for _, name := range contracts.Names() {
		packed, err := contracts.ABI(name).Pack("", args[name]...)
		if err != nil {
			t.Fatal(err)
		}
		init := append(contracts.InitCode(name), packed...)
		r := w.apply(owner, &contracts.Deployer, nil, append(make([]byte, 32), init...), gasLimit).ok()
		at := contracts.Create2([32]byte{}, init)
		if !bytes.Equal(r.ret, at.Bytes()) || !contracts.Matches(name, w.state.GetCode(at)) {
			t.Fatalf("%s was not deployed at %s", name, at)
		}
		note := fmt.Sprintf("%d bytes", len(w.state.GetCode(at)))
		if name == contracts.PodVault {
			note += ", one member"
		}
		deploys = append(deploys, cost{string(name), r.gas, note})
	}
	add := func(what string, r result, note string) {
		t.Helper()
		calls = append(calls, cost{what, r.ok().gas, note})
	}
	uri := "https://example.org/skills/banana-watch.v1.0.0.json"

	nft := w.deploy(contracts.SkillNFT)
	w.call(bob, nft, "mintSkill", noID).ok()
	add("SkillNFT.mintSkill", w.call(alice, nft, "mintSkill", noID), "the account's first")
	add("SkillNFT.mintSkill", w.call(alice, nft, "mintSkill", bigOne), "another, with a parent")
	add("SkillNFT.mintSkillWithRoyalty", w.call(alice, nft, "mintSkillWithRoyalty", noID, carol, big.NewInt(500)), "another")
	add("SkillNFT.setSkillRoyalty", w.call(alice, nft, "setSkillRoyalty", big.NewInt(2), carol, big.NewInt(500)), "the first time")

	reg := w.deploy(contracts.SkillRegistry, nft)
	publish := func(version common.Hash, uri string) result {
		return w.call(alice, reg, "publishVersion", big.NewInt(2), version, hashC, uri, uint8(1))
	}
	add("SkillRegistry.publishVersion", publish(hashA, ""), "no URI, the skill's first")
	add("SkillRegistry.publishVersion", publish(hashB, uri), fmt.Sprintf("a URI of %d bytes, another", len(uri)))
	add("SkillRegistry.publishVersion", publish(hashC, strings.Repeat("u", 2048)), "a URI of 2048 bytes, another")

	ir := w.deploy(contracts.IntentRegistry)
	add("IntentRegistry.createIntent", w.call(alice, ir, "createIntent", hashA, uint64(0)), "")
	add("IntentRegistry.cancelIntent", w.call(alice, ir, "cancelIntent", bigOne), "")

	rr := w.deploy(contracts.ReceiptRegistry)
	add("ReceiptRegistry.recordReceipt", w.call(alice, rr, "recordReceipt", hashA, hashB, hashC, ""), "no URI")
	add("ReceiptRegistry.recordReceipt", w.call(alice, rr, "recordReceipt", hashB, hashB, hashC, uri), fmt.Sprintf("a URI of %d bytes", len(uri)))

	a := newAgency(w, contracts.NftBuyModule)
	ping := w.pack(contracts.MockTarget, "ping", hashC)
	half := w.pack(contracts.MockTarget, "keepHalf")
	w.pay(carol, a.account, n(1000)).ok()
	a.execute(1, none, ping).ok() // the target counts from one on
	add("AgentAccount.executeSkill", a.execute(0, none, ping), "no value, no receipt; the target writes one slot")
	add("AgentAccount.executeSkill", a.execute(10, none, ping), "with value")
	add("AgentAccount.executeSkill", a.execute(10, none, half), "with value, of which some comes back")
	add("AgentAccount.executeSkill", a.execute(0, hashA, ping), "with a receipt")
	add("AgentAccount.withdrawNative", w.call(owner, a.account, "withdrawNative", bob, bigOne), "")
	p := w.deploy(contracts.PolicyEngine, owner)
	add("PolicyEngine.setMaxValuePerTx", w.call(owner, p, "setMaxValuePerTx", bigOne), "the first time")
	add("PolicyEngine.setModuleAllowed", w.call(owner, p, "setModuleAllowed", alice, true), "")
	add("PolicyEngine.setTargetAllowed", w.call(owner, p, "setTargetAllowed", alice, true), "")
	add("PolicyEngine.setSelectorAllowed", w.call(owner, p, "setSelectorAllowed", [4]byte{1}, true), "")

	v, tok := w.deploy(vault, members{alice, bob}, partsOf(1, 3)), w.deploy(hostileToken)
	add("PodVault, native currency sent to it", w.pay(carol, v, n(1000)), "")
	add("PodVault.releaseNative", w.call(carol, v, "releaseNative", alice), "the vault's first")
	add("PodVault.releaseNative", w.call(carol, v, "releaseNative", bob), "the member's first")
	w.pay(carol, v, n(1000)).ok()
	add("PodVault.releaseNative", w.call(carol, v, "releaseNative", bob), "another")
	w.call(carol, tok, "set", v, big.NewInt(1000)).ok()
	w.call(carol, v, "releaseToken", tok, alice).ok()
	add("PodVault.releaseToken", w.call(carol, v, "releaseToken", tok, bob), "the member's first, a token of the tests'")
	return deploys, calls
}

func gasDoc(deploys, calls []cost) string {
	var b strings.Builder
	b.WriteString(`# Gas

What deploying and calling the [v2 contracts](contracts.md) takes, measured by executing each as a transaction of its own
against the code that is deployed (Prague rules, as in the sandbox). A test fails when a number here is more than 1 % off;
` + "`go test ./v2/contracts/torture -run Gas -update`" + ` writes the page anew.

ApeChain counts the same for execution and adds, as more gas, what posting the transaction to its parent chain costs; a dry
run of a command asks the node, and so includes it.

## Deploying

Through the deterministic deployment proxy, as ` + "`v2 deploy`" + ` does.

`)
	table := func(head string, rows []cost) {
		fmt.Fprintf(&b, "| %s | gas | |\n|---|---:|---|\n", head)
		for _, c := range rows {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.what, thousands(c.gas), c.note)
		}
	}
	table("contract", deploys)
	var sum uint64
	for _, c := range deploys {
		sum += c.gas
	}
	fmt.Fprintf(&b, "\nAll of them together: %s. The policy engine is filled after that; see `set…` below.\n\n## Calling\n\n", thousands(sum))
	table("call", calls)
	return b.String()
}

func thousands(v uint64) string {
	s := strconv.FormatUint(v, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// The table says what things cost.
func TestGas(t *testing.T) {
	t.Parallel()
	want := gasDoc(costs(t))
	if *update {
		if err := os.WriteFile(gasFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(gasFile)
	if err != nil {
		t.Fatal(err)
	}
	there, here := numbers(string(text)), numbers(want)
	if there.text != here.text {
		t.Fatal("docs/gas.md is out of date, its numbers apart; run: go test ./v2/contracts/torture -run Gas -update")
	}
	for i, v := range here.values {
		if off := max(v, there.values[i]) - min(v, there.values[i]); off*100 > v {
			t.Errorf("docs/gas.md says %d where it is %d", there.values[i], v)
		}
	}
	if t.Failed() {
		t.Log("run: go test ./v2/contracts/torture -run Gas -update")
	}
}

type numbered struct {
	text   string
	values []uint64
}

var number = regexp.MustCompile(`\b[0-9]{1,3}(,[0-9]{3})+\b`)

// numbers takes the numbers of a page out of it.
func numbers(page string) numbered {
	var n numbered
	n.text = number.ReplaceAllStringFunc(page, func(s string) string {
		v, err := strconv.ParseUint(strings.ReplaceAll(s, ",", ""), 10, 64)
		if err != nil {
			return s
		}
		n.values = append(n.values, v)
		return "#"
	})
	return n
}
