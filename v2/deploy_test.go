package v2_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// steps is how many transactions a whole deployment with the mock target has: eleven
// contracts; three modules, one target, its four functions, and the most value.
const steps = 11 + 3 + 1 + 4 + 1

// whole checks that everything of a deployment is there: the contracts by their code,
// the record, and the engine's rules.
func whole(t *testing.T, s *site, r *deployRun, out v2.DeployOut) v2.Record {
	t.Helper()
	if len(out.Contracts) != len(contracts.Names()) || len(out.Rules) > steps-11 {
		t.Fatalf("%d contracts and %d rules", len(out.Contracts), len(out.Rules))
	}
	for _, c := range out.Contracts {
		code, err := r.Client.Code(t.Context(), common.HexToAddress(c.Address))
		if err != nil || !contracts.Matches(c.Name, code) || c.State == "missing" {
			t.Errorf("%s at %s: %s, %d bytes of code, %v", c.Name, c.Address, c.State, len(code), err)
		}
	}
	for _, rule := range out.Rules {
		if rule.State == "missing" {
			t.Errorf("%s %s is not set", rule.Rule, rule.Subject)
		}
	}
	b, err := os.ReadFile(s.recordPath())
	if err != nil {
		t.Fatal(err)
	}
	var rec v2.Record
	if err := json.Unmarshal(b, &rec); err != nil {
		t.Fatal(err)
	}
	for _, c := range out.Contracts {
		if rec.Contracts[c.Name].Address != c.Address {
			t.Errorf("the record has %s at %q, it is at %s", c.Name, rec.Contracts[c.Name].Address, c.Address)
		}
	}
	if fi, err := os.Stat(s.recordPath()); err != nil || fi.Mode().Perm() != 0o600 || !rec.Configured {
		t.Errorf("the record: %v %v %+v", fi.Mode(), err, rec)
	}
	return rec
}

// state finds what the engine says of a rule.
func engineSays(t *testing.T, r *deployRun, out v2.DeployOut, method string, args ...any) []any {
	t.Helper()
	facade := contracts.ABI(contracts.PolicyEngine)
	data, err := facade.Pack(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Client.Call(t.Context(), chain.CallMsg{To: addressOf(out, contracts.PolicyEngine), Data: data}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := facade.Unpack(method, got)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func addressOf(out v2.DeployOut, n v2.Name) common.Address {
	for _, c := range out.Contracts {
		if c.Name == n {
			return common.HexToAddress(c.Address)
		}
	}
	return common.Address{}
}

func TestDeploy(t *testing.T) {
	t.Parallel()
	g := newGround(t, true)
	t.Run("whole", func(t *testing.T) { t.Parallel(); deployWhole(t, g) })
	t.Run("its owner changes rules", func(t *testing.T) { t.Parallel(); deployLater(t, g) })
	t.Run("in parallel", func(t *testing.T) { t.Parallel(); deployParallel(t, g) })
	t.Run("without a record", func(t *testing.T) { t.Parallel(); deployUnrecorded(t, g) })
	t.Run("another set", func(t *testing.T) { t.Parallel(); deployLabel(t, g) })
	t.Run("gates", func(t *testing.T) { t.Parallel(); deployGates(t, g) })
	t.Run("records", func(t *testing.T) { t.Parallel(); deployRecords(t, g) })
	t.Run("killed", func(t *testing.T) { t.Parallel(); deployKilled(t, g) })
	t.Run("killed, and gone on with late", func(t *testing.T) { t.Parallel(); deployLate(t, g) })
	t.Run("lies", func(t *testing.T) { t.Parallel(); deployLies(t, g) })
}

func deployWhole(t *testing.T, g *ground) {
	s := g.site(t)
	r := s.must(nil)
	dry, err := r.Deploy(t.Context(), v2.DeployIn{})
	if err != nil {
		t.Fatal(err)
	}
	if !dry.DryRun || dry.Sent != 0 || len(dry.WouldBlock) > 0 || !strings.HasPrefix(dry.ConfirmPhrase, "EXECUTE v2 deploy ") || dry.MaxFeeWei.IsZero() || s.nonce(r) != 0 {
		t.Fatalf("dry run: %+v", dry)
	}
	if _, err := os.Stat(s.records()); err == nil {
		t.Error("the dry run wrote a record")
	}
	again, err := r.Deploy(t.Context(), v2.DeployIn{})
	if err != nil || again.ConfirmPhrase != dry.ConfirmPhrase {
		t.Errorf("the phrase does not hold: %q %q %v", dry.ConfirmPhrase, again.ConfirmPhrase, err)
	}
	out, err := r.Deploy(t.Context(), v2.DeployIn{Go: v2.Go{Execute: true, Confirm: dry.ConfirmPhrase}})
	if err != nil {
		t.Fatal(err)
	}
	if out.Sent != steps || s.nonce(r) != steps || out.FeeWei.Cmp(*dry.MaxFeeWei) > 0 {
		t.Errorf("%d transactions, nonce %d, fee %s of %s", out.Sent, s.nonce(r), out.FeeWei, dry.MaxFeeWei)
	}
	for i, c := range out.Contracts {
		if c.Address != dry.Contracts[i].Address || c.State != "created" || c.TxHash == "" {
			t.Errorf("%+v, foreseen %+v", c, dry.Contracts[i])
		}
	}
	rec := whole(t, s, r, out)
	if rec.Contracts[contracts.SkillNFT].TxHash != out.Contracts[0].TxHash || len(rec.Members) != 1 {
		t.Errorf("%+v", rec)
	}
	var want []string
	want = append(want, "v2.deploy.planned", "v2.deploy.planned")
	for range 11 {
		want = append(want, "v2.tx.submitted", "v2.contract.deployed")
	}
	for range steps - 11 {
		want = append(want, "v2.tx.submitted", "v2.policy.set")
	}
	if got := s.events(); !slices.Equal(got, append(want, "v2.deploy.completed")) {
		t.Errorf("events: %v", got)
	}

	// Once more, everything is found, and nothing is asked or sent.
	out, err = r.Deploy(t.Context(), v2.DeployIn{Go: v2.Go{Execute: true}})
	if err != nil || out.Sent != 0 || s.nonce(r) != steps {
		t.Errorf("%+v, %v", out, err)
	}
	whole(t, s, r, out)
	if dry, err = r.Deploy(t.Context(), v2.DeployIn{}); err != nil || dry.ConfirmPhrase != "" || dry.Next != "" || !strings.HasPrefix(dry.Message, "all 11 contracts are on sandbox") {
		t.Errorf("%+v, %v", dry, err)
	}
}

// deployLater: the first rules are set once. What the owner takes back stays taken
// back, also without a record; what is asked for by name is set.
func deployLater(t *testing.T, g *ground) {
	s := g.site(t)
	r := s.must(nil)
	out, err := s.deploy(r, v2.DeployIn{MaxValue: "2.5"})
	if err != nil {
		t.Fatal(err)
	}
	ape := func(text string) units.Wei {
		w, err := units.Parse(text, units.APEDecimals)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	if got := engineSays(t, r, out, "maxValuePerTx")[0]; fmt.Sprint(got) != ape("2.5").String() {
		t.Errorf("at most %v", got)
	}
	target := "0x00000000000000000000000000000000000000Aa"
	for range 2 {
		more, err := s.deploy(r, v2.DeployIn{AllowTarget: []string{strings.ToLower(target)}, AllowSelector: []string{"transfer(address", "uint256)", "0xa9059cbb"}})
		if err != nil || len(more.Rules) != 2 || more.Rules[1].Subject != "0xa9059cbb" {
			t.Fatalf("%+v, %v", more, err)
		}
	}
	if s.nonce(r) != steps+2 || engineSays(t, r, out, "allowedTargets", common.HexToAddress(target))[0] != true {
		t.Errorf("nonce %d", s.nonce(r))
	}
	if err := os.Remove(s.recordPath()); err != nil {
		t.Fatal(err)
	}
	more, err := s.deploy(r, v2.DeployIn{})
	if err != nil || more.Sent != 0 || len(more.Rules) != 0 {
		t.Errorf("%+v, %v", more, err)
	}
	if more, err = s.deploy(r, v2.DeployIn{MaxValue: "0"}); err != nil || more.Sent != 1 {
		t.Errorf("%+v, %v", more, err)
	}
	// Zero says nothing without a record; with it, it stays.
	if more, err = s.deploy(r, v2.DeployIn{}); err != nil || more.Sent != 0 || len(more.Rules) != 0 {
		t.Errorf("%+v, %v", more, err)
	}
}

// deployParallel: two processes of one account, each with its own record, make one set.
func deployParallel(t *testing.T, g *ground) {
	one := g.site(t)
	two := &site{t: t, url: one.url, key: one.key, home: one.home, state: t.TempDir()}
	same := &site{t: t, url: one.url, key: one.key, home: one.home, state: one.state}
	all := []*site{one, two, same}
	outs, errs := make([]v2.DeployOut, len(all)), make([]error, len(all))
	var wg sync.WaitGroup
	for i, s := range all {
		r := s.must(nil)
		wg.Go(func() { outs[i], errs[i] = s.deploy(r, v2.DeployIn{}) })
	}
	wg.Wait()
	r, sent := one.must(nil), 0
	for i, s := range all {
		if errs[i] != nil {
			t.Fatalf("run %d: %v", i, errs[i])
		}
		sent += outs[i].Sent
		whole(t, s, r, outs[i])
	}
	if n := one.nonce(r); sent != int(n) || n != steps {
		t.Errorf("%d transactions were told of, %d were mined, %d are enough", sent, n, steps)
	}
}

func deployUnrecorded(t *testing.T, g *ground) {
	s := g.site(t)
	first, err := s.deploy(s.must(nil), v2.DeployIn{VaultMember: []string{
		"0x00000000000000000000000000000000000000b2:3", "0x00000000000000000000000000000000000000a1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := &site{t: t, url: s.url, key: s.key, home: s.home, state: t.TempDir()}
	r := elsewhere.must(nil)
	// The order in which members are given is nothing.
	out, err := elsewhere.deploy(r, v2.DeployIn{VaultMember: []string{
		"0x00000000000000000000000000000000000000a1:1", "0x00000000000000000000000000000000000000B2:3"}})
	if err == nil || fault.CodeOf(err) != fault.Usage {
		t.Errorf("an address with the wrong upper case letters: %v", err)
	}
	out, err = elsewhere.deploy(r, v2.DeployIn{VaultMember: []string{
		"0x00000000000000000000000000000000000000a1:1", "0x00000000000000000000000000000000000000b2:3"}})
	if err != nil || out.Sent != 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	for i := range first.Contracts {
		if first.Contracts[i].Address != out.Contracts[i].Address || out.Contracts[i].State != "there" {
			t.Errorf("%+v, %+v", first.Contracts[i], out.Contracts[i])
		}
	}
	whole(t, elsewhere, r, out)
}

func deployLabel(t *testing.T, g *ground) {
	s := g.site(t)
	r := s.must(nil)
	one, err := s.deploy(r, v2.DeployIn{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := s.deploy(r, v2.DeployIn{Label: "b"})
	if err != nil {
		t.Fatal(err)
	}
	if two.SetAside == "" || two.Sent != steps {
		t.Errorf("%+v", two)
	}
	for i := range one.Contracts {
		if one.Contracts[i].Address == two.Contracts[i].Address {
			t.Errorf("%s is shared", one.Contracts[i].Name)
		}
	}
	if old, err := filepath.Glob(filepath.Join(s.records(), "sandbox.*.json.old")); err != nil || len(old) != 1 {
		t.Errorf("%v %v", old, err)
	}
	// And back again, without a transaction.
	back, err := s.deploy(r, v2.DeployIn{})
	if err != nil || back.Sent != 0 {
		t.Fatalf("%+v, %v", back, err)
	}
	whole(t, s, r, back)
}

func deployGates(t *testing.T, g *ground) {
	s := g.site(t)
	r := s.must(nil)
	dry, err := r.Deploy(t.Context(), v2.DeployIn{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(in v2.DeployIn) error {
		_, err := r.Deploy(t.Context(), in)
		return err
	}
	execute := v2.Go{Execute: true, Confirm: dry.ConfirmPhrase}
	check := func(what string, err error, want fault.Code) {
		t.Helper()
		if fault.CodeOf(err) != want || s.nonce(r) != 0 {
			t.Errorf("%s: %v, want %s; nonce %d", what, err, want, s.nonce(r))
		}
	}
	check("no phrase", run(v2.DeployIn{Go: v2.Go{Execute: true}}), fault.ConfirmationMismatch)
	check("the phrase of another plan", run(v2.DeployIn{MaxValue: "2", Go: execute}), fault.ConfirmationMismatch)
	check("a digest that was approved for another", run(v2.DeployIn{Go: v2.Go{Execute: true, Confirm: dry.ConfirmPhrase, Digest: strings.Repeat("0", 64)}}), fault.ActionStale)
	little := units.FromUint64(1)
	check("less approved than it needs", run(v2.DeployIn{Go: v2.Go{Execute: true, Confirm: dry.ConfirmPhrase, Most: &little}}), fault.PriceOverLimit)
	s.policy(`{"execution": {"dailySpendCap": "0.000000001", "confirmPhraseRequired": true, "autonomousMode": true}}`)
	check("over the cap", run(v2.DeployIn{Go: execute}), fault.CapExceeded)
	s.policy(`{}`)
	if err := os.WriteFile(filepath.Join(s.home, "HALT"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check("halted", run(v2.DeployIn{Go: execute}), fault.Halted)
	halted, err := r.Deploy(t.Context(), v2.DeployIn{})
	if err != nil || len(halted.WouldBlock) != 1 || halted.WouldBlock[0].Code != fault.Halted {
		t.Errorf("%+v, %v", halted, err)
	}
	if err := os.Remove(filepath.Join(s.home, "HALT")); err != nil {
		t.Fatal(err)
	}
	if n := len(slices.DeleteFunc(s.events(), func(e string) bool { return e != "policy.blocked" })); n != 5 {
		t.Errorf("%d refusals were recorded: %v", n, s.events())
	}
	// A person at the terminal: the wrong words, then the right ones.
	asked := 0
	person := func(typed func(string) string) func(*v2.Deps) {
		return func(d *v2.Deps) {
			d.Ask = func(_ context.Context, a v2.Action) (string, error) {
				asked++
				return typed(a.Phrase), nil
			}
		}
	}
	_, err = s.must(person(func(string) string { return "yes" })).Deploy(t.Context(), v2.DeployIn{Go: v2.Go{Execute: true}})
	check("typed otherwise", err, fault.ConfirmationMismatch)
	out, err := s.must(person(func(p string) string { return p })).Deploy(t.Context(), v2.DeployIn{Go: v2.Go{Execute: true}})
	if err != nil || asked != 2 || out.Sent != steps {
		t.Errorf("%+v, %v, asked %d times", out, err, asked)
	}
}

// deployRecords: what stands in a record leads nowhere.
func deployRecords(t *testing.T, g *ground) {
	s := g.site(t)
	r := s.must(nil)
	out, err := s.deploy(r, v2.DeployIn{})
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(s.recordPath())
	if err != nil {
		t.Fatal(err)
	}
	write := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(s.recordPath(), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit := func(change func(*v2.Record)) {
		t.Helper()
		var rec v2.Record
		if err := json.Unmarshal(good, &rec); err != nil {
			t.Fatal(err)
		}
		change(&rec)
		b, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		write(b)
	}
	nft, engine := addressOf(out, contracts.SkillNFT).Hex(), addressOf(out, contracts.PolicyEngine).Hex()
	swap := func(a string) { // says that SkillNFT is elsewhere
		edit(func(r *v2.Record) { r.Contracts[contracts.SkillNFT] = v2.Deployed{Address: strings.ToLower(a)} })
	}
	at := func() error {
		_, err := r.Locate(t.Context(), contracts.SkillNFT)
		return err
	}
	if l, err := r.Locate(t.Context(), contracts.SkillNFT); err != nil || !l.Known || l.Address != strings.ToLower(nft) {
		t.Errorf("%+v, %v", l, err)
	}
	for _, c := range []struct {
		what string
		do   func()
		want fault.Code
	}{
		{"another of ours", func() { swap(engine) }, fault.ContractMismatch},
		{"a stranger's contract", func() { swap(contracts.Deployer.Hex()) }, fault.ContractMismatch},
		{"nothing", func() { swap("0x00000000000000000000000000000000000000aa") }, fault.ContractMismatch},
		{"another deployer", func() { edit(func(r *v2.Record) { r.Deployer = "0x00000000000000000000000000000000000000aa" }) }, fault.ContractMismatch},
		{"no address", func() { swap("0xzz") }, fault.StateUnusable},
		{"a contract that is none", func() { edit(func(r *v2.Record) { r.Contracts["Evil"] = v2.Deployed{Address: strings.ToLower(nft)} }) }, fault.StateUnusable},
		{"another chain's", func() { edit(func(r *v2.Record) { r.ChainID = 33139 }) }, fault.StateUnusable},
		{"a sandbox that was reset", func() { edit(func(r *v2.Record) { r.Genesis[0]++ }) }, fault.ContractMissing},
		{"another version", func() { edit(func(r *v2.Record) { r.V = 9 }) }, fault.StateUnusable},
		{"no JSON", func() { write([]byte("{")) }, fault.StateUnusable},
		{"two documents", func() { write(append(slices.Clone(good), good...)) }, fault.StateUnusable},
		{"an unknown field", func() { write([]byte(strings.Replace(string(good), `"v"`, `"w": 1, "v"`, 1))) }, fault.StateUnusable},
		{"too much", func() { write(append(slices.Clone(good), make([]byte, 1<<17)...)) }, fault.StateUnusable},
	} {
		c.do()
		err := at()
		if fault.CodeOf(err) != c.want || strings.Contains(err.Error(), "Evil") {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
	write(good)
	// Who is to be paid is believed of the home that deployed it, or of who names it.
	if l, err := r.VaultToPay(t.Context()); err != nil || l.Address != strings.ToLower(addressOf(out, contracts.PodVault).Hex()) {
		t.Errorf("%+v, %v", l, err)
	}
	cloned := &site{t: t, url: s.url, key: s.key, home: t.TempDir(), state: s.state}
	cloned.policy(`{}`)
	if _, err := cloned.must(nil).VaultToPay(t.Context()); fault.CodeOf(err) != fault.ContractNotAllowed {
		t.Error(err)
	}
	if _, err := cloned.must(func(d *v2.Deps) {
		d.Named = map[v2.Name]v2.Address{contracts.PodVault: {Address: addressOf(out, contracts.PodVault).Hex(), From: "--vault"}}
	}).VaultToPay(t.Context()); err != nil {
		t.Error(err)
	}
	// What is wrong about addresses, a deployment puts right; it never follows them.
	for _, a := range []string{engine, contracts.Deployer.Hex(), "0x00000000000000000000000000000000000000aa"} {
		swap(a)
		if mended, err := s.deploy(r, v2.DeployIn{}); err != nil || mended.Sent != 0 || addressOf(mended, contracts.SkillNFT).Hex() != nft {
			t.Errorf("%+v, %v", mended, err)
		}
		if err := at(); err != nil {
			t.Error(err)
		}
	}
	// The record of a chain that was begun anew is set aside.
	edit(func(r *v2.Record) { r.Genesis[0]++ })
	if out, err = s.deploy(r, v2.DeployIn{}); err != nil || out.SetAside == "" || out.Sent != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	// A link leads to nothing.
	if err := os.Remove(s.recordPath()); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(s.home, "policy.json"), s.recordPath()); err != nil {
		t.Fatal(err)
	}
	if err := at(); fault.CodeOf(err) != fault.StateUnusable {
		t.Error(err)
	}
}

// TestLocate: who names an address is believed no more than a record.
func TestLocate(t *testing.T) {
	t.Parallel()
	g := newGround(t, true)
	s := g.site(t)
	out, err := s.deploy(s.must(nil), v2.DeployIn{})
	if err != nil {
		t.Fatal(err)
	}
	named := func(n v2.Name, address string) error {
		_, err := s.must(func(d *v2.Deps) { d.Named = map[v2.Name]v2.Address{n: {Address: address, From: "--flag"}} }).Locate(t.Context(), n)
		return err
	}
	for n, c := range map[v2.Name]struct {
		address string
		want    fault.Code
	}{
		contracts.SkillNFT:        {addressOf(out, contracts.SkillNFT).Hex(), ""},
		contracts.SkillRegistry:   {addressOf(out, contracts.SkillNFT).Hex(), fault.ContractMismatch},
		contracts.IntentRegistry:  {contracts.Deployer.Hex(), fault.ContractMismatch},
		contracts.ReceiptRegistry: {"0x00000000000000000000000000000000000000aa", fault.ContractMissing},
		contracts.PodVault:        {"0x", fault.Usage},
		contracts.AgentAccount:    {"0x0000000000000000000000000000000000000000", fault.Usage},
	} {
		if err := named(n, c.address); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", n, err, c.want)
		}
	}
	// Code of another build is called where it answers as it should and the policy lists it.
	real := addressOf(out, contracts.SkillNFT)
	code, err := s.must(nil).Client.Code(t.Context(), real)
	if err != nil {
		t.Fatal(err)
	}
	other := func(n v2.Name, code []byte) (v2.Located, error) {
		return s.must(func(d *v2.Deps) {
			d.Named = map[v2.Name]v2.Address{n: {Address: real.Hex(), From: "--flag"}}
			inner := d.Chain
			d.Chain = func(ctx context.Context) (v2.Chain, error) {
				c, err := inner(ctx)
				return liar{Chain: c, code: map[common.Address][]byte{real: code}}, err
			}
		}).Locate(t.Context(), n)
	}
	build := append(slices.Clone(code), 0)
	if _, err := other(contracts.SkillNFT, build); fault.CodeOf(err) != fault.ContractNotAllowed {
		t.Error(err)
	}
	s.policy(`{"v2": {"contractAllowlist": ["` + strings.ToLower(real.Hex()) + `"]}}`)
	if l, err := other(contracts.SkillNFT, build); err != nil || l.Known {
		t.Errorf("%+v, %v", l, err)
	}
	for what, c := range map[string]struct {
		name v2.Name
		code []byte
	}{
		"other functions":                   {contracts.IntentRegistry, build},
		"the functions, and no answers":     {contracts.IntentRegistry, withFunctions(contracts.IntentRegistry)},
		"a proxy of what answers otherwise": {contracts.PodVault, common.FromHex("7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")},
		"a proxy of nothing":                {contracts.SkillNFT, common.FromHex("363d3d373d3d3d363d7300000000000000000000000000000000000000aa5af43d82803e903d91602b57fd5bf3")},
		"nothing that is asked":             {contracts.MockTarget, build},
	} {
		if _, err := other(c.name, c.code); fault.CodeOf(err) != fault.ContractMismatch {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := other(contracts.SkillNFT, common.FromHex("7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")); err != nil {
		t.Errorf("a proxy that answers: %v", err)
	}
	empty := &site{t: t, url: s.url, key: s.key, home: s.home, state: t.TempDir()}
	_, err = empty.must(nil).Locate(t.Context(), contracts.SkillRegistry)
	if f := fault.From(err); f.Code != fault.ContractMissing {
		t.Error(err)
	} else {
		for _, way := range []string{"--registry", "APE_CLAW_V2_SKILL_REGISTRY", "sandbox.json", "ape-claw v2 deploy"} {
			if !strings.Contains(f.Hint, way) {
				t.Errorf("the hint lacks %s: %s", way, f.Hint)
			}
		}
	}
}

// withFunctions is code in which the functions of a contract are found.
func withFunctions(n v2.Name) []byte {
	var out []byte
	for _, id := range contracts.Selectors(n) {
		out = append(out, id[:]...)
	}
	return out
}

func TestDeployNoProxy(t *testing.T) {
	t.Parallel()
	g := newGround(t, false)
	s := g.site(t)
	r := s.must(nil)
	for _, g := range []v2.Go{{}, {Execute: true}} {
		if _, err := r.Deploy(t.Context(), v2.DeployIn{Go: g}); fault.CodeOf(err) != fault.ContractMissing {
			t.Error(err)
		}
	}
}

// liar is a node that answers otherwise.
type liar struct {
	v2.Chain
	code map[common.Address][]byte
	id   int64
}

func (l liar) Code(ctx context.Context, of common.Address) ([]byte, error) {
	if code, ok := l.code[of]; ok {
		return code, nil
	}
	return l.Chain.Code(ctx, of)
}

func (l liar) ChainID(ctx context.Context) (int64, error) {
	if l.id != 0 {
		return l.id, nil
	}
	return l.Chain.ChainID(ctx)
}

func deployLies(t *testing.T, g *ground) {
	s := g.site(t)
	dry, err := s.must(nil).Deploy(t.Context(), v2.DeployIn{})
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		lie  liar
		want fault.Code
	}{
		"foreign code at an address": {liar{code: map[common.Address][]byte{addressOf(dry, contracts.PodVault): {1, 2, 3}}}, fault.ContractMismatch},
		"another proxy":              {liar{code: map[common.Address][]byte{contracts.Deployer: {1, 2, 3}}}, fault.ContractMismatch},
		"another chain":              {liar{id: 33139}, fault.ChainMismatch},
	} {
		r := s.must(func(d *v2.Deps) {
			real := d.Chain
			d.Chain = func(ctx context.Context) (v2.Chain, error) {
				inner, err := real(ctx)
				c.lie.Chain = inner
				return c.lie, err
			}
		})
		for _, g := range []v2.Go{{}, {Execute: true, Confirm: dry.ConfirmPhrase}} {
			if _, err := r.Deploy(t.Context(), v2.DeployIn{Go: g}); fault.CodeOf(err) != c.want || s.nonce(r) != 0 {
				t.Errorf("%s: %v, want %s", what, err, c.want)
			}
		}
	}
}

var sendSteps = []string{"locked", "intended", "signed", "persisted", "broadcast", "noted", "told submitted", "sent", "mined", "settled", "told outcome", "logged"}

// TestDeployChild is the process that deployKilled kills.
func TestDeployChild(t *testing.T) {
	at := os.Getenv("V2_TEST_KILL_AT")
	if at == "" {
		t.Skip("started by another test")
	}
	key, err := crypto.HexToECDSA(os.Getenv("V2_TEST_KEY"))
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, url: os.Getenv("V2_TEST_URL"), key: key, home: os.Getenv("V2_TEST_HOME"), state: os.Getenv("V2_TEST_STATE")}
	r, err := s.open(t.Context(), func(name string) {
		if name == at {
			fmt.Printf("\nreached %s\n", name)
			select {}
		}
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.deploy(r, v2.DeployIn{})
	t.Fatalf("it never came to %s: %v", at, err)
}

func (s *site) kill(t *testing.T, at string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDeployChild$", "-test.v")
	cmd.Env = append(os.Environ(), "V2_TEST_KILL_AT="+at, "V2_TEST_URL="+s.url, "V2_TEST_HOME="+s.home, "V2_TEST_STATE="+s.state,
		"V2_TEST_KEY="+common.Bytes2Hex(crypto.FromECDSA(s.key)))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() }) // the scan below then ends
	defer timer.Stop()
	reached := false
	var all []string
	for lines := bufio.NewScanner(out); !reached && lines.Scan(); {
		all = append(all, lines.Text())
		reached = lines.Text() == "reached "+at
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || !reached {
		t.Fatalf("it was not killed at %s: %v\n%s", at, err, strings.Join(all, "\n"))
	}
}

// deployKilled ends a deployment at every step of a transaction, first of those that
// create, then of those that set rules, and each time the next one goes on by itself.
// There is one set, and no transaction was made twice.
func deployKilled(t *testing.T, g *ground) {
	s := g.site(t)
	r := s.must(nil)
	for i := range sendSteps {
		s.kill(t, sendSteps[i])
	}
	dry, err := r.Deploy(t.Context(), v2.DeployIn{})
	if err != nil {
		t.Fatal(err)
	}
	there := 0
	for _, c := range dry.Contracts {
		if c.State == "there" {
			there++
		}
	}
	if there < 5 || there == len(dry.Contracts) {
		t.Fatalf("%d contracts are there after the first kills", there)
	}
	for left := len(dry.Contracts) - there; left > 0; left-- {
		s.kill(t, "logged")
	}
	for i := range sendSteps {
		if i%2 == 1 { // those with something on disk or on the chain
			s.kill(t, sendSteps[i])
		}
	}
	out, err := s.deploy(r, v2.DeployIn{})
	if err != nil {
		t.Fatal(err)
	}
	whole(t, s, r, out)
	if n := s.nonce(r); n != steps {
		t.Errorf("%d transactions for %d steps", n, steps)
	}
	// The outcome of each is told, once.
	count := map[string]int{}
	for _, e := range s.events() {
		count[e]++
	}
	if count["v2.contract.deployed"] != 11 || count["v2.policy.set"] != steps-11 || count["v2.tx.reverted"] != 0 {
		t.Errorf("events: %v", count)
	}
	// A record that was not written since is completed, and the lock of who was killed
	// holds nobody up.
	if l, ok, err := store.TryLock(filepath.Join(s.records(), "sandbox.lock")); err != nil || !ok {
		t.Error(ok, err)
	} else if err := l.Unlock(); err != nil {
		t.Error(err)
	}
}

// deployLate goes on with a deployment hours after it was killed with a transaction
// signed and not sent: who confirms the plan now confirms what it is made of. Where
// --autonomous does, policy has to let it, now.
func deployLate(t *testing.T, g *ground) {
	s := g.site(t)
	s.kill(t, "persisted")
	r := s.must(func(d *v2.Deps) { d.Now = func() time.Time { return time.Now().Add(3 * time.Hour) } })
	s.policy(`{"execution": {"dailySpendCap": 1000, "confirmPhraseRequired": true, "autonomousMode": false}}`)
	if _, err := r.Deploy(t.Context(), v2.DeployIn{Go: v2.Go{Execute: true, Autonomous: true}}); fault.CodeOf(err) != fault.PolicyBlocked || s.nonce(r) != 0 {
		t.Errorf("%v, nonce %d", err, s.nonce(r))
	}
	out, err := s.deploy(r, v2.DeployIn{})
	if err != nil || out.Sent != steps-1 {
		t.Fatalf("%d were sent, %v", out.Sent, err)
	}
	whole(t, s, r, out)
	if n := s.nonce(r); n != steps {
		t.Errorf("%d transactions for %d steps", n, steps)
	}
	// One of another plan is as old as it is: nobody confirmed it now.
	other := g.site(t)
	other.kill(t, "persisted")
	r = other.must(func(d *v2.Deps) { d.Now = func() time.Time { return time.Now().Add(3 * time.Hour) } })
	if _, err := other.deploy(r, v2.DeployIn{Label: "b"}); fault.CodeOf(err) != fault.Conflict || other.nonce(r) != 0 {
		t.Errorf("%v, nonce %d", err, other.nonce(r))
	}
}
