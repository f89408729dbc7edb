package policy_test

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// writePolicy sets every limit that a write is held against, and lets writing through.
const writePolicy = `{"nftBuy":{"maxPricePerTx":9.5,"simulationRequired":false},
	"execution":{"dailySpendCap":20,"autonomousMode":true,"contractAllowlist":["` + called + `","` + addrA + `"],
		"windows":[{"days":["sun"],"from":"08:00","to":"18:00"}]},
	"v2":{"contractAllowlist":["` + addrA + `","` + addrB + `"]}}`

// writing is a write that every gate of writePolicy lets through: granted's.
func writing(t testing.TB, f policy.Fence) policy.Write {
	w := policy.Write{
		Command: "v2 skill mint", Target: called, TargetName: "SkillNFT", Known: true,
		Asset: ape, Currency: "APE", Decimals: 18, Value: amount(t, "9.5"), FeeLimit: amount(t, "0.1"),
		Now: newClock().now(), Simulation: policy.Simulation{State: policy.SimPassed}, Digest: digestOf(granted(t)),
	}
	w.Confirm = w.Phrase()
	return using(w, f)
}

func digestOf(x policy.Tx) [32]byte {
	return policy.WriteDigest(x.ChainID, x.From, x.To, x.Value, x.Data)
}

// using is w with nothing spent.
func using(w policy.Write, f policy.Fence) policy.Write {
	w.Spent = nil
	for _, l := range f.Policy.Limits(w.Scope()) {
		w.Spent = append(w.Spent, policy.Use{Limit: l})
	}
	return w
}

// calling is w with another contract to call.
func calling(w policy.Write, target string, known bool) policy.Write {
	w.Target, w.Known = target, known
	return w
}

type writeRefusal struct {
	gate   string
	code   fault.Code
	change func(*policy.Fence, *policy.Write)
}

// eachWrite has, for every gate, a write that this gate alone refuses.
func eachWrite(t testing.TB) map[string]writeRefusal {
	return map[string]writeRefusal{
		"halted": {policy.GateHalt, fault.Halted, func(f *policy.Fence, _ *policy.Write) { f.Halt = []string{"policy: stop"} }},
		"unreadable": {policy.GatePolicy, fault.PolicyInvalid, func(f *policy.Fence, _ *policy.Write) {
			f.Err = fault.New(fault.PolicyInvalid, "policy.json:1:1: bad").Hintf("correct the file")
		}},
		"no policy":      {policy.GatePolicy, fault.PolicyInvalid, func(f *policy.Fence, _ *policy.Write) { f.Policy = nil }},
		"too early":      {policy.GateWindow, fault.OutsideWindow, func(_ *policy.Fence, w *policy.Write) { w.Now = w.Now.Add(-5 * time.Hour) }},
		"no time":        {policy.GateWindow, fault.OutsideWindow, func(_ *policy.Fence, w *policy.Write) { w.Now = time.Time{} }},
		"foreign code":   {policy.GateContract, fault.ContractNotAllowed, func(_ *policy.Fence, w *policy.Write) { w.Known = false }},
		"nobody listed":  {policy.GateContract, fault.ContractNotAllowed, func(_ *policy.Fence, w *policy.Write) { *w = calling(*w, addrC, false) }},
		"nothing called": {policy.GateContract, fault.ContractNotAllowed, func(_ *policy.Fence, w *policy.Write) { w.Target = "" }},
		"nobody called": {policy.GateContract, fault.ContractNotAllowed, func(f *policy.Fence, w *policy.Write) {
			f.Policy.Execution.Contracts, w.Target = nil, "0x"+strings.Repeat("0", 40)
		}},
		"no address": {policy.GateContract, fault.ContractNotAllowed, func(f *policy.Fence, w *policy.Write) {
			f.Policy.Execution.Contracts, w.Target = nil, called[2:]
		}},
		"capitals": {policy.GateContract, fault.ContractNotAllowed, func(f *policy.Fence, w *policy.Write) {
			f.Policy.Execution.Contracts, w.Target = nil, "0x"+strings.ToUpper(addrA[2:])
		}},
		"its own, and execution.contractAllowlist leaves it out": {policy.GateContract, fault.ContractNotAllowed, func(_ *policy.Fence, w *policy.Write) {
			*w = calling(*w, addrC, true)
		}},
		"listed, and execution.contractAllowlist leaves it out": {policy.GateContract, fault.ContractNotAllowed, func(_ *policy.Fence, w *policy.Write) {
			*w = calling(*w, addrB, false)
		}},
		"over the cap of one": {policy.GateValue, fault.PriceOverLimit, func(_ *policy.Fence, w *policy.Write) { w.Value = amount(t, "9.500000000000000001") }},
		"nothing, where the cap is 0": {policy.GateValue, fault.PriceOverLimit, func(f *policy.Fence, w *policy.Write) {
			f.Policy.NFTBuy.MaxPricePerTx, w.Value = policy.Cap{}, units.Wei{}
		}},
		"not simulated":                {policy.GateSimulation, fault.SimulationRequired, func(_ *policy.Fence, w *policy.Write) { w.Simulation = policy.Simulation{} }},
		"simulated long ago":           {policy.GateSimulation, fault.SimulationRequired, func(_ *policy.Fence, w *policy.Write) { w.Simulation.State = policy.SimStale }},
		"would fail":                   {policy.GateSimulation, fault.SimulationFailed, func(_ *policy.Fence, w *policy.Write) { w.Simulation.State = policy.SimFailed }},
		"no state of a simulation":     {policy.GateSimulation, fault.SimulationRequired, func(_ *policy.Fence, w *policy.Write) { w.Simulation.State = policy.SimPassed + 1 }},
		"not confirmed":                {policy.GatePhrase, fault.ConfirmationMismatch, func(_ *policy.Fence, w *policy.Write) { w.Confirm = "" }},
		"confirmed for another":        {policy.GatePhrase, fault.ConfirmationMismatch, func(_ *policy.Fence, w *policy.Write) { w.Digest[31]++ }},
		"confirmed for another thing":  {policy.GatePhrase, fault.ConfirmationMismatch, func(_ *policy.Fence, w *policy.Write) { w.Command = "v2 skill publish" }},
		"autonomous and not confirmed": {policy.GatePhrase, fault.ConfirmationMismatch, func(_ *policy.Fence, w *policy.Write) { w.Autonomous, w.Confirm = true, "yes" }},
		"autonomous and not allowed": {policy.GatePhrase, fault.PolicyBlocked, func(f *policy.Fence, w *policy.Write) {
			f.Policy.Execution.AutonomousMode, w.Autonomous, w.Confirm = false, true, ""
		}},
		"autonomous and unbounded": {policy.GatePhrase, fault.PolicyBlocked, func(f *policy.Fence, w *policy.Write) {
			f.Policy.Execution.DailySpendCap, w.Autonomous = policy.Cap{Unlimited: true}, true
			*w = using(*w, *f)
		}},
		"over the daily cap, by the gas": {policy.GateSpend, fault.CapExceeded, func(_ *policy.Fence, w *policy.Write) { w.Spent[0].Spent = amount(t, "10.400000000000000001") }},
		"nobody knows what was spent":    {policy.GateSpend, fault.CapExceeded, func(_ *policy.Fence, w *policy.Write) { w.Spent = nil }},
		"the ledger can't be read": {policy.GateSpend, fault.StateUnusable, func(_ *policy.Fence, w *policy.Write) {
			w.SpentErr = fault.New(fault.StateUnusable, "money.db is corrupt")
		}},
		"over the agent's cap": {policy.GateSpend, fault.CapExceeded, func(f *policy.Fence, w *policy.Write) {
			most := capOf(t, "9.5")
			f.Policy.Execution.AgentCap, w.Subject = &most, "agent:bot"
			*w = using(*w, *f)
		}},
	}
}

func TestEachWriteGateAloneRefuses(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for name, r := range eachWrite(t) {
		covered[r.gate] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fence(t, writePolicy)
			w := writing(t, f)
			r.change(&f, &w)
			d := policy.DecideWrite(policy.Execute, f, w)
			block := d.WouldBlock()
			if len(block) != 1 || block[0].Name != r.gate || block[0].Code != r.code {
				t.Fatalf("want %s alone to refuse with %s, got %+v", r.gate, r.code, block)
			}
			if g, err := d.Authorize(granted(t), w.Now.Add(time.Minute)); fault.CodeOf(err) != r.code || g.Digest() != (policy.Digest{}) {
				t.Errorf("granted: %v", err)
			}
			wantWords(t, d)
		})
	}
	f := fence(t, writePolicy)
	d := policy.DecideWrite(policy.Execute, f, writing(t, f))
	wantCode(t, d.Refusal(), "")
	wantWords(t, d)
	for _, g := range d.Gates() {
		if !covered[g.Name] {
			t.Errorf("no write shows that the gate %s is needed", g.Name)
		}
	}
}

// What is let through besides: less than the caps, a listed contract, another word
// in place of the phrase.
func TestWritesThatPass(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*policy.Fence, *policy.Write){
		"nothing but gas":           func(_ *policy.Fence, w *policy.Write) { w.Value = units.Wei{} },
		"up to the daily cap":       func(_ *policy.Fence, w *policy.Write) { w.Spent[0].Spent = amount(t, "10.4") },
		"listed":                    func(_ *policy.Fence, w *policy.Write) { *w = calling(*w, addrA, false) },
		"its own, where nothing is": func(f *policy.Fence, _ *policy.Write) { f.Policy.V2.Contracts, f.Policy.Execution.Contracts = nil, nil },
		"autonomous":                func(_ *policy.Fence, w *policy.Write) { w.Autonomous, w.Confirm = true, "" },
		"autonomous and confirmed":  func(_ *policy.Fence, w *policy.Write) { w.Autonomous = true },
		"no phrase, where none has to": func(f *policy.Fence, w *policy.Write) {
			f.Policy.Execution.ConfirmPhraseRequired, w.Confirm = false, ""
		},
		"without a cap of one":         func(f *policy.Fence, w *policy.Write) { f.Policy.NFTBuy.MaxPricePerTx = policy.Cap{Unlimited: true} },
		"no currency is for purchases": func(f *policy.Fence, _ *policy.Write) { f.Policy.NFTBuy.Currencies = nil },
	} {
		f := fence(t, writePolicy)
		w := writing(t, f)
		change(&f, &w)
		if err := policy.DecideWrite(policy.Execute, f, w).Refusal(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWriteGatesInOrder(t *testing.T) {
	t.Parallel()
	f := fence(t, writePolicy)
	names := func(d policy.Decision) string {
		var out []string
		for _, g := range d.Gates() {
			out = append(out, g.Name)
		}
		return strings.Join(out, " ")
	}
	for stage, want := range []string{"policy", "halt policy window contract value simulation", "halt policy window contract value simulation phrase spend"} {
		d := policy.DecideWrite(policy.Stage(stage), f, writing(t, f))
		if got := names(d); got != want {
			t.Errorf("stage %d: %s", stage, got)
		}
		if _, err := d.Authorize(granted(t), newClock().now().Add(time.Minute)); (err == nil) != (policy.Stage(stage) == policy.Execute) {
			t.Errorf("stage %d: %v", stage, err)
		}
	}
	// Everything wrong at once: the first in order is the refusal, all are listed.
	f.Halt = []string{"policy"}
	d := policy.DecideWrite(policy.Execute, f, policy.Write{})
	wantCode(t, d.Refusal(), fault.Halted)
	if n := len(d.WouldBlock()); n != 7 { // all but policy
		t.Errorf("%d gates refuse an empty write: %+v", n, d.WouldBlock())
	}
	// Without a policy nothing that needs one is looked at.
	f.Policy = nil
	if got := names(policy.DecideWrite(policy.Execute, f, policy.Write{})); got != "halt policy" {
		t.Error(got)
	}
}

// The words say what can be done about it, once.
func TestWordsOfWriteRefusals(t *testing.T) {
	t.Parallel()
	refused := func(change func(*policy.Fence, *policy.Write)) policy.Gate {
		f := fence(t, writePolicy)
		w := writing(t, f)
		change(&f, &w)
		block := policy.DecideWrite(policy.Execute, f, w).WouldBlock()
		if len(block) != 1 {
			t.Fatalf("%+v", block)
		}
		return block[0]
	}
	g := refused(func(_ *policy.Fence, w *policy.Write) {
		w.Simulation = policy.Simulation{State: policy.SimFailed, Reason: "the transaction would fail: the skill is not yours"}
	})
	if g.Reason != "the transaction would fail: the skill is not yours" {
		t.Errorf("%q", g.Reason)
	}
	g = refused(func(_ *policy.Fence, w *policy.Write) { w.Known = false })
	if !strings.Contains(g.Reason, "SkillNFT at "+called) || !strings.Contains(g.Change, "ape-claw v2 deploy") || !strings.Contains(g.Setting, "v2.contractAllowlist in ") {
		t.Errorf("%+v", g)
	}
	g = refused(func(_ *policy.Fence, w *policy.Write) { *w = calling(*w, addrB, false) })
	if !strings.Contains(g.Setting, "execution.contractAllowlist in ") || !strings.Contains(g.Limit, addrA) || strings.Contains(g.Limit, addrB) {
		t.Errorf("%+v", g)
	}
	g = refused(func(_ *policy.Fence, w *policy.Write) { w.Confirm = "" })
	if g.Limit != "EXECUTE v2 skill mint <6 digits>" {
		t.Errorf("%+v", g)
	}
	g = refused(func(f *policy.Fence, w *policy.Write) {
		f.Policy.NFTBuy.MaxPricePerTx, w.Value = policy.Cap{}, units.Wei{}
	})
	if g.Reason != "nftBuy.maxPricePerTx is 0 APE, which allows no transaction" {
		t.Errorf("%+v", g)
	}
}

// A write is of the policy's chain and in its own currency, whatever it says.
func TestWritesOfAnotherChain(t *testing.T) {
	t.Parallel()
	for name, asset := range map[string]policy.Asset{"another chain": policy.NativeOf(1), "a token": {ChainID: 33139, Token: wape}, "none": {}} {
		f := fence(t, writePolicy)
		w := writing(t, f)
		w.Asset = asset
		d := policy.DecideWrite(policy.Execute, f, using(w, f))
		if code := fault.CodeOf(d.Refusal()); code != fault.CurrencyNotAllowed {
			t.Errorf("%s: %s", name, code)
		}
	}
}

func TestWritePhrase(t *testing.T) {
	t.Parallel()
	f := fence(t, writePolicy)
	w := writing(t, f)
	// Worked out apart from this program.
	const digest = "ffb6151d5d4be1f0204dc303ba60a61e36eede887200c4f846f848de076e6d98"
	if got := hex.EncodeToString(w.Digest[:]); got != digest {
		t.Errorf("digest %s", got)
	}
	if got, want := w.Phrase(), "EXECUTE v2 skill mint "+digest[len(digest)-6:]; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	w.FeeLimit, w.Now, w.Subject, w.Known, w.Autonomous = units.Wei{}, time.Time{}, "agent:x", false, true
	if w.Phrase() != w.Confirm {
		t.Error("what is not of the call is in its phrase")
	}
	for _, wrong := range []string{" ", w.Phrase() + " ", strings.ToLower(w.Phrase()), strings.ToUpper(w.Phrase()), "EXECUTE v2 skill mint", "EXECUTE v2 skill mint " + digest} {
		w := writing(t, f)
		w.Confirm = wrong
		wantCode(t, policy.DecideWrite(policy.Execute, f, w).Refusal(), fault.ConfirmationMismatch)
	}
}

// Two writes have one digest if and only if they do the same.
func TestWriteDigestDiffersInEveryField(t *testing.T) {
	t.Parallel()
	seen := map[[32]byte]string{digestOf(granted(t)): "granted"}
	for name, x := range others(t) {
		same := name == "fee cap" || name == "key" // no part of what it does
		d := digestOf(x)
		if other, ok := seen[d]; ok != same {
			t.Errorf("%s: the digest of %q", name, other)
		}
		seen[d] = name
	}
	if policy.Digest(digestOf(granted(t))) == granted(t).Digest() {
		t.Error("a write has the digest of a transaction")
	}
}

// What is signed is what the gates looked at, in every part.
func TestAuthorizeWrite(t *testing.T) {
	t.Parallel()
	f := fence(t, writePolicy)
	later := newClock().now().Add(time.Minute)
	d := policy.DecideWrite(policy.Execute, f, writing(t, f))
	for name, x := range others(t) {
		_, err := d.Authorize(x, later)
		if name == "key" { // which the caller chooses
			wantCode(t, err, "")
		} else if fault.CodeOf(err) != fault.UnsafeTransaction {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*policy.Write, *policy.Tx){
		"less than was said":  func(w *policy.Write, _ *policy.Tx) { w.Value = amount(t, "9.4") },
		"another chain":       func(w *policy.Write, x *policy.Tx) { x.ChainID = 1; w.Digest = digestOf(*x) },
		"a lower fee limit":   func(w *policy.Write, _ *policy.Tx) { w.FeeLimit = amount(t, "0.09") },
		"another contract":    func(w *policy.Write, _ *policy.Tx) { w.Target = addrA },
		"no digest":           func(w *policy.Write, _ *policy.Tx) { w.Digest = [32]byte{} },
		"a plan's digest":     func(w *policy.Write, _ *policy.Tx) { w.Digest[0]++ },
		"no key":              func(_ *policy.Write, x *policy.Tx) { x.Key = "" },
		"no data":             func(w *policy.Write, x *policy.Tx) { x.Data = nil; w.Digest = digestOf(*x) },
		"the account's other": func(_ *policy.Write, x *policy.Tx) { x.From[5]++ },
	} {
		w, x := writing(t, f), granted(t)
		change(&w, &x)
		w.Confirm = w.Phrase()
		if g, err := policy.DecideWrite(policy.Execute, f, w).Authorize(x, later); fault.CodeOf(err) != fault.UnsafeTransaction || g.Digest() != (policy.Digest{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A fee within the limit is no other transaction.
	x := granted(t)
	x.FeeCap = amount(t, "0.01")
	if g, err := d.Authorize(x, later); err != nil || g.Digest() != x.Digest() {
		t.Error(err)
	}
}

// A write reserves what it sends and what its gas may cost, and counts against the
// caps beside purchases.
func TestRedeemWrite(t *testing.T) {
	t.Parallel()
	db, c := openMoney(t, t.TempDir()), newClock()
	l := policy.NewLedger(db, c.now)
	f := fence(t, writePolicy)
	redeem := func(w policy.Write, x policy.Tx) (rs []policy.Reservation) {
		t.Helper()
		w.Digest = digestOf(x)
		w.Confirm = w.Phrase()
		g, err := policy.DecideWrite(policy.Execute, f, w).Authorize(x, c.now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		if err := inTx(t.Context(), db, func(tx *sql.Tx) (err error) {
			if rs, err = l.Redeem(t.Context(), tx, g, x); err != nil {
				return err
			}
			if _, again := l.Redeem(t.Context(), tx, g, x); fault.CodeOf(again) != fault.UnsafeTransaction {
				t.Errorf("used twice: %v", again)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return rs
	}
	w := writing(t, f)
	w.Subject = "agent:bot"
	rs := redeem(w, granted(t))
	if len(rs) != 2 {
		t.Fatalf("%+v", rs)
	}
	for i, want := range []struct{ kind, amount string }{{policy.KindValue, "9.5"}, {policy.KindFee, "0.1"}} {
		r := rs[i]
		if r.Kind != want.kind || r.Amount != amount(t, want.amount) || r.Ref != granted(t).Key || r.Subject != "agent:bot" || r.Asset != ape ||
			r.Account != "0xf001"+strings.Repeat("0", 36) || r.Collection != "" || r.ID == "" {
			t.Errorf("%+v", r)
		}
	}
	if u := usage(t, l, "agent:bot"); u.Total != amount(t, "9.6") || u.Open != 2 {
		t.Errorf("%+v", u)
	}
	x := granted(t)
	x.Value, x.Key = units.Wei{}, "v2.skill.mint:1"
	w.Value = units.Wei{}
	if rs := redeem(w, x); len(rs) != 1 || rs[0].Kind != policy.KindFee {
		t.Errorf("gas alone: %+v", rs)
	}
	if u := usage(t, l, ""); u.Total != amount(t, "9.7") || u.Open != 3 {
		t.Errorf("%+v", u)
	}
	// The agent's own cap is held by the ledger too: the gate did not know of what came
	// meanwhile.
	own := fence(t, writePolicy)
	most := capOf(t, "9.7")
	own.Policy.Execution.AgentCap = &most
	x.Key = "v2.skill.mint:0"
	w.Digest = digestOf(x)
	w.Confirm = w.Phrase()
	g, err := policy.DecideWrite(policy.Execute, own, using(w, own)).Authorize(x, c.now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, inTx(t.Context(), db, func(tx *sql.Tx) error { _, err := l.Redeem(t.Context(), tx, g, x); return err }), fault.CapExceeded)
	// Another agent's counts what that one spent.
	w.Subject = "agent:other"
	if g, err = policy.DecideWrite(policy.Execute, own, using(w, own)).Authorize(x, c.now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	wantCode(t, inTx(t.Context(), db, func(tx *sql.Tx) error { _, err := l.Redeem(t.Context(), tx, g, x); return err }), "")
	// Everybody's counts all.
	w, x = writing(t, f), granted(t)
	x.Key = "v2.skill.mint:2"
	redeem(w, x)
	x.Key = "v2.skill.mint:3"
	g, err = policy.DecideWrite(policy.Execute, f, w).Authorize(x, c.now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, inTx(t.Context(), db, func(tx *sql.Tx) error { _, err := l.Redeem(t.Context(), tx, g, x); return err }), fault.CapExceeded)
}

// A repriced write is held against the cap of one as it is now; what costs gas
// alone is too.
func TestRepricedWrite(t *testing.T) {
	t.Parallel()
	f, _, _, r := replaceable(t)
	r.New.Value, r.Old.Value = units.Wei{}, units.Wei{}
	if _, err := f.AuthorizeReplacement(r, time.Now().Add(time.Minute)); err != nil {
		t.Error(err)
	}
	f.Policy.NFTBuy.MaxPricePerTx = policy.Cap{}
	_, err := f.AuthorizeReplacement(r, time.Now().Add(time.Minute))
	wantCode(t, err, fault.PriceOverLimit)
}

// A file beside the home's adds no contract and turns no receipts on.
func TestV2KeysNarrow(t *testing.T) {
	t.Parallel()
	list := func(of ...string) string { return `{"v2":{"contractAllowlist":["` + strings.Join(of, `","`) + `"]}}` }
	for _, c := range []struct{ base, over, want string }{
		{`{}`, ``, ``}, {`{}`, list(addrA), ``}, {list(addrA), `{}`, addrA}, {list(addrA, addrB), list(addrB, addrC), addrB},
		{list(addrA), `{"v2":{"contractAllowlist":[]}}`, ``}, {list(addrA), `{"v2":{}}`, addrA}, {list("0x" + strings.ToUpper(addrA[2:])), list(addrA), addrA},
	} {
		if got := strings.Join(layered(t, c.base, c.over).V2.Contracts, ","); got != c.want {
			t.Errorf("%s, then %s: %q", c.base, c.over, got)
		}
	}
	for _, src := range []policy.Sources{{Home: t.TempDir()}, {Home: t.TempDir(), Sandbox: true}} {
		p, err := policy.Load(src)
		if err != nil || len(p.V2.Contracts) != 0 || p.Receipts.Auto {
			t.Errorf("%+v %v", p, err)
		}
	}
	hashes := map[string]bool{}
	for _, text := range []string{`{}`, list(addrA), list(addrB), `{"receipts":{"auto":true}}`} {
		hashes[layered(t, text, "").Hash()] = true
	}
	if len(hashes) != 4 {
		t.Error("policies that allow different things have one hash")
	}
	if layered(t, `{}`, "").Hash() != layered(t, `{"v2":{"contractAllowlist":[]},"receipts":{"auto":false}}`, "").Hash() {
		t.Error("what is left out is not what it stands for")
	}
}

// A contract that one list allows and the other does not is worth a word.
func TestDoubtAboutContracts(t *testing.T) {
	t.Parallel()
	r := policy.LoadReport(homeWith(t, writePolicy))
	found := ""
	for _, w := range r.Warnings {
		if strings.HasPrefix(w, "v2.contractAllowlist") {
			found += w
		}
	}
	if want := "v2.contractAllowlist has " + addrB + ", which is not in execution.contractAllowlist: it can't be called"; found != want {
		t.Errorf("%q", r.Warnings)
	}
}

func randomWrite(t *testing.T, r *rand.Rand) policy.Write {
	w := policy.Write{Command: "v2 agent execute", Target: []string{called, addrA}[r.IntN(2)], Known: r.IntN(2) == 0, Asset: ape, Currency: "APE", Decimals: 18,
		Value: amount(t, []string{"0", "0.5", "1", "2.5", "4", "9"}[r.IntN(6)]), FeeLimit: amount(t, "0.001"), Now: newClock().now().Add(time.Duration(r.IntN(24)) * time.Hour),
		Simulation: policy.Simulation{State: policy.SimPassed}, Autonomous: r.IntN(2) == 0, Subject: "agent:bot"}
	w.Confirm = []string{"", w.Phrase(), "yes"}[r.IntN(3)]
	return w
}

// FuzzWriteDigest: however the bytes of two calls lie beside each other, they have
// one digest only if they are one call.
func FuzzWriteDigest(f *testing.F) {
	f.Add(int64(33139), int64(33139), uint64(1), uint64(1), []byte{1, 2}, []byte{1, 2, 0}, byte(0), byte(0))
	f.Add(int64(1), int64(256), uint64(0), uint64(1), []byte{}, []byte{0, 0, 0, 0, 0, 0, 0, 1}, byte(1), byte(0))
	f.Fuzz(func(t *testing.T, id1, id2 int64, v1, v2 uint64, d1, d2 []byte, a1, a2 byte) {
		one := policy.WriteDigest(id1, [20]byte{a1}, [20]byte{19: a2}, units.FromUint64(v1), d1)
		two := policy.WriteDigest(id2, [20]byte{a2}, [20]byte{19: a1}, units.FromUint64(v2), d2)
		same := id1 == id2 && v1 == v2 && bytes.Equal(d1, d2) && a1 == a2
		if (one == two) != same {
			t.Fatalf("same digest %t, same call %t", one == two, same)
		}
		// A phrase fits the digest that it was made of, and no other that ends otherwise.
		w := policy.Write{Command: "v2 skill mint", Digest: one}
		x := policy.Write{Command: "v2 skill mint", Digest: two}
		if (w.Phrase() == x.Phrase()) != bytes.Equal(one[29:], two[29:]) {
			t.Fatalf("%s and %s", w.Phrase(), x.Phrase())
		}
	})
}
