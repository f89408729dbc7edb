package v2_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

const transfer = "Transfer(address,address,uint256)"

// checkMints: so many skills were minted, each was told of by one event with the
// chain's hash and id, and nothing is open.
func (w *world) checkMints(want int) {
	w.t.Helper()
	var chain, told []string
	for _, l := range w.logs("SkillNFT", transfer) {
		chain = append(chain, fmt.Sprintf("%s %s", l.TxHash.Hex(), l.Topics[3].Big()))
	}
	for _, e := range w.events("v2.skill.minted") {
		told = append(told, e.Result.TxHash+" "+e.Result.SkillID.String())
	}
	if len(chain) != want || !slices.Equal(chain, told) {
		w.t.Errorf("%d mints on the chain, want %d: %q; the log tells of %q", len(chain), want, chain, told)
	}
	w.checkBooks()
}

// points are the crash points that a command passed.
func points(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no crash points were passed; is the binary built with -tags crashpoints? %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// A mint is killed after its steps, then v2 resume: what was signed and written down
// becomes one mint, with one event, and nothing stays open; what was not, none. The
// same command once more mints the next.
func TestCrashMint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mint := []string{"v2", "skill", "mint", "--execute", "--autonomous"}
	log := filepath.Join(w.dir, "points")
	if o := w.run(crash{log: log}, mint...); o.exit != 0 || o.SkillID != "1" {
		t.Fatal(o)
	}
	w.must(mint[:3]...) // a dry run, which is none
	minted := 1
	w.checkMints(minted)
	all := points(t, log)
	t.Logf("%d crash points: %s", len(all), strings.Join(all, ", "))
	sent := slices.Index(all, "chain: persisted") // from here on the bytes can be sent again
	some := []string{"chain: signed", "chain: persisted", "chain: broadcast", "chain: mined", "chain: settled", "v2: sent"}
	for _, name := range some {
		if !slices.Contains(all, name) {
			t.Fatalf("a mint does not pass %q, only %q", name, all)
		}
	}
	for i, name := range all {
		if !*full && (!slices.Contains(some, name) || slices.Index(all, name) != i) {
			continue
		}
		w.killed(fmt.Sprintf("#%d", i+1), mint...)
		if o := w.run(crash{}, "v2", "resume"); o.exit != 0 || len(o.Open) != 0 {
			t.Errorf("killed at %s: %s", name, o)
		}
		if i >= sent {
			minted++
		}
		w.checkMints(minted)
		if t.Failed() {
			t.Fatalf("killed at %d, %s", i+1, name)
		}
	}
	if o := w.must(mint...); o.SkillID != json.Number(fmt.Sprint(minted+1)) {
		t.Errorf("the next is no %d\n%s", minted+1, o)
	}
	w.checkMints(minted + 1)
}

// A run that is killed between a confirmed purchase and its automatic receipt, or
// while that is on its way, leaves what nft resume makes up for: one receipt.
func TestCrashReceipt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	policy := filepath.Join(w.home(), "sandbox", "policy.json")
	text, err := os.ReadFile(policy)
	if err != nil {
		t.Fatal(err)
	}
	auto := strings.Replace(string(text), `"execution"`, `"receipts": {"auto": true}, "execution"`, 1)
	if err := os.WriteFile(policy, []byte(auto), 0o600); err != nil {
		t.Fatal(err)
	}
	const between = "v2: receipt of a purchase"
	list, err := w.Listings(t.Context(), "demo-apes")
	if err != nil {
		t.Fatal(err)
	}
	cases := [][]string{{between}, {"chain: persisted#2"}}
	if *full {
		cases = append(cases, []string{between, between}, []string{"chain: signed#2"}, []string{"chain: broadcast#2"}, []string{"chain: settled#2"})
	}
	for i, kills := range cases {
		trace := fmt.Sprintf("trace_purchase_%d", i)
		quote := w.must("nft", "quote", "--collection", "demo-apes", "--token-id", list[i].TokenID.String(), "--max-price", "100", "--trace-id", trace).QuoteID
		w.must("nft", "simulate", "--quote", quote, "--trace-id", trace)
		w.killed(kills[0], "nft", "buy", "--quote", quote, "--execute", "--autonomous", "--trace-id", trace)
		for _, again := range kills[1:] {
			w.killed(again, "nft", "resume")
		}
		if n := len(w.events("nft.buy.confirmed")); n != i+1 {
			t.Errorf("killed at %q: %d purchases were confirmed", kills, n)
		}
		if n := len(w.events("v2.receipt.recorded")); n != i {
			t.Errorf("killed at %q: %d receipts were recorded", kills, n)
		}
		for range 2 { // the second has nothing left to do
			w.must("nft", "resume")
			if n := len(w.logs("ReceiptRegistry", "ReceiptRecorded(bytes32,bytes32,bytes32,address,string)")); n != i+1 {
				t.Errorf("killed at %q: %d receipts on the chain", kills, n)
			}
			if n := len(w.events("v2.receipt.recorded")); n != i+1 {
				t.Errorf("killed at %q: the log tells of %d receipts", kills, n)
			}
		}
		if o := w.must("v2", "receipt", "get", "--trace", trace+"."+quote); !o.IsRecorded || o.Agrees == nil || !*o.Agrees {
			t.Errorf("killed at %q: %s", kills, o)
		}
		w.checkBooks()
		if t.Failed() {
			t.FailNow()
		}
	}
}

// A deployment that is killed again and again, and run again, ends in one set of
// contracts, each made once, and each rule is set once. What the one before left, signed
// or sent, the next settles by itself.
func TestCrashDeploy(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // the usual set, in as many transactions as a set takes
	nonce := func() uint64 {
		t.Helper()
		n, err := w.Client().NonceAt(t.Context(), w.Buyer().Address(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	whole := nonce()
	deploy := []string{"v2", "deploy", "--label", "again", "--execute", "--autonomous"}
	kills := []string{"chain: persisted#2", "chain: broadcast", "v2 deploy: recorded"}
	if *full {
		kills = append(kills, "chain: intended", "chain: signed", "chain: persisted", "chain: sent", "chain: mined#2", "chain: settled#2", "chain: logged",
			"v2: sent", "chain: written, not committed#4", "chain: persisted")
	}
	for _, at := range kills {
		w.killed(at, deploy...)
	}
	first, second := w.must(deploy...), w.must(deploy...)
	if n := nonce(); n != 2*whole {
		t.Errorf("%d transactions made the set, and %d the one before", n-whole, whole)
	}
	for i, c := range first.Contracts {
		code, err := w.Client().CodeAt(t.Context(), common.HexToAddress(c.Address), nil)
		if err != nil || len(code) == 0 || c != second.Contracts[i] || w.at[c.Name] == common.HexToAddress(c.Address) {
			t.Errorf("%s is at %s with %d bytes of code, %v; and then at %s", c.Name, c.Address, len(code), err, second.Contracts[i].Address)
		}
	}
	if len(first.Contracts) != len(w.at) {
		t.Errorf("%d contracts, want %d", len(first.Contracts), len(w.at))
	}
	w.checkBooks()
}
