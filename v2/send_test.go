package v2_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// mint mints with the phrase that a dry run shows.
func (p *process) mint(t testing.TB) (v2.SkillMintOut, error) {
	t.Helper()
	dry, err := p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0"})
	if err != nil {
		return dry, err
	}
	return p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0", Go: v2.Go{Execute: true, Confirm: dry.ConfirmPhrase}})
}

func (w *world) owner(t testing.TB, id string) common.Address {
	t.Helper()
	n, ok := new(big.Int).SetString(id, 10)
	if !ok {
		t.Fatalf("no id: %q", id)
	}
	return w.read(t, contracts.SkillNFT, "ownerOf", n)[0].(common.Address)
}

func (w *world) minted(t testing.TB) uint64 {
	t.Helper()
	return w.read(t, contracts.SkillNFT, "nextSkillId")[0].(*big.Int).Uint64() - 1
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it never came to it", what)
		}
	}
}

// Mints of several accounts in one block, and of two runs of one account, get each
// the id that is theirs.
func TestParallelMints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shared := w.home(t, 4)
	homes := []*home{w.home(t, 2), w.home(t, 3), shared, shared}
	release := w.chain.Hold()
	var sent sync.WaitGroup
	outs, errs := make([]v2.SkillMintOut, len(homes)), make([]error, len(homes))
	w.proxy.set(nil)
	for i, h := range homes {
		p := h.open(t)
		sent.Go(func() { outs[i], errs[i] = p.mint(t) })
	}
	eventually(t, "three broadcasts", func() bool { return w.proxy.count("eth_sendRawTransaction") >= 3 })
	release()
	sent.Wait()
	seen := map[string]bool{}
	for i, out := range outs {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if id := out.SkillID.String(); seen[id] || w.owner(t, id) != homes[i].address() {
			t.Errorf("skill %s of %s is owned by %s", id, homes[i].address(), w.owner(t, id))
		} else {
			seen[id] = true
		}
	}
	if outs[0].BlockNumber != outs[1].BlockNumber {
		t.Errorf("blocks %d and %d: nothing was parallel", outs[0].BlockNumber, outs[1].BlockNumber)
	}
}

// A call that would revert is a gate that refuses, with the contract's reason in words.
func TestSimulationFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	p := h.open(t)
	dry, err := p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "77"})
	if err != nil || len(dry.WouldBlock) != 1 || dry.WouldBlock[0].Code != fault.SimulationFailed || !strings.Contains(dry.WouldBlock[0].Reason, "no skill 77") {
		t.Fatalf("%+v %v", dry, err)
	}
	w.proxy.set(nil)
	_, err = p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "77", Go: v2.Go{Execute: true, Confirm: dry.ConfirmPhrase}})
	f := wantFault(t, err, fault.SimulationFailed, fault.SentNo)
	if !strings.Contains(f.Message, "no skill 77") || fault.ExitCode(err) != 3 {
		t.Errorf("%v, exit %d", err, fault.ExitCode(err))
	}
	if w.proxy.count("eth_sendRawTransaction") != 0 || h.last(t, "policy.blocked").Result["code"] != "simulation_failed" {
		t.Errorf("%v", h.types(t))
	}
}

// An account that can't pay is told before anything is signed.
func TestPoor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, funded+1)
	dry, err := h.open(t).SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0"})
	if err != nil || len(dry.WouldBlock) != 1 || dry.WouldBlock[0].Code != fault.SimulationFailed {
		t.Fatalf("%+v %v", dry, err)
	}
}

// Of two who publish the same version in one block, the second reverts there: only the
// fee is gone, and the reason is in words.
func TestRevertsInItsBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	p := h.open(t)
	if out, err := p.mint(t); err != nil || out.SkillID != "1" {
		t.Fatal(out, err)
	}
	approve, err := contracts.ABI(contracts.SkillNFT).Pack("approve", accountOf(3), big.NewInt(1))
	if err != nil {
		t.Fatal(err)
	}
	w.raw(t, 2, 1, w.at[contracts.SkillNFT], nil, approve)
	card := filepath.Join(t.TempDir(), "card.json")
	if err := os.WriteFile(card, []byte(`{"slug":"a","name":"A","version":"1.0"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	in := v2.SkillPublishIn{SkillID: "1", File: card}
	dry, err := p.SkillPublish(t.Context(), in)
	if err != nil || len(dry.WouldBlock) != 0 {
		t.Fatalf("%+v %v", dry, err)
	}
	release := w.chain.Hold()
	w.send(t, 3, w.at[contracts.SkillRegistry], pack(t, contracts.SkillRegistry, "publishVersion", big.NewInt(1), [32]byte(common.HexToHash(dry.VersionHash)),
		[32]byte{1}, "", uint8(1)))
	w.proxy.set(func(method string, _ []byte, rw http.ResponseWriter, forward func() []byte) bool {
		if method != "eth_sendRawTransaction" {
			return false
		}
		answer := forward()
		release()
		_, _ = rw.Write(answer)
		return true
	})
	in.Execute, in.Confirm = true, dry.ConfirmPhrase
	_, err = p.SkillPublish(t.Context(), in)
	f := wantFault(t, err, fault.TxReverted, fault.SentYes)
	if fault.ExitCode(err) != 8 || !strings.Contains(f.Message, "published already") || strings.Contains(f.Hint, "quote") {
		t.Errorf("%v (%s), exit %d", err, f.Hint, fault.ExitCode(err))
	}
	e := h.last(t, "v2.tx.reverted")
	if e.OK || !strings.Contains(e.Result["reason"].(string), "published already") || e.Payload["op"] != "skill.publish" {
		t.Errorf("%+v", e)
	}
}

func pack(t testing.TB, n v2.Name, method string, args ...any) []byte {
	t.Helper()
	data, err := contracts.ABI(n).Pack(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// send hands in a first transaction that pays well, and waits for nothing.
func (w *world) send(t testing.TB, from int, to common.Address, data []byte) {
	t.Helper()
	tx, err := types.SignNewTx(keyOf(from), types.LatestSignerForChainID(big.NewInt(devchain.ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(devchain.ChainID), To: &to, Data: data, Gas: 1_000_000, GasTipCap: big.NewInt(1e10), GasFeeCap: big.NewInt(1e12),
	})
	if err == nil {
		err = w.chain.Client().SendTransaction(t.Context(), tx)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Each gate refuses a write by itself, before anything is signed, and says so in the log.
func TestGates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	account := 5
	for name, c := range map[string]struct {
		code  fault.Code
		gate  string
		set   func(h *home)
		in    v2.Go
		other bool // the phrase is of something else
	}{
		"halted": {code: fault.Halted, gate: policy.GateHalt, set: func(h *home) {
			must(os.WriteFile(filepath.Join(h.dir, "HALT"), nil, 0o600))
		}},
		"unreadable": {code: fault.PolicyInvalid, gate: policy.GatePolicy, set: func(h *home) { h.policy(t, `{`) }},
		"no phrase":  {code: fault.ConfirmationMismatch, gate: policy.GatePhrase, other: true},
		"wrong phrase": {code: fault.ConfirmationMismatch, gate: policy.GatePhrase, other: true,
			in: v2.Go{Confirm: "EXECUTE v2 skill mint 000000"}},
		"outside the window": {code: fault.OutsideWindow, gate: policy.GateWindow, set: func(h *home) {
			h.policy(t, `{"execution":{"windows":[]}}`)
		}},
		"another contract": {code: fault.ContractNotAllowed, gate: policy.GateContract, set: func(h *home) {
			h.policy(t, `{"execution":{"contractAllowlist":["0x1111111111111111111111111111111111111111"]}}`)
		}},
		"over the cap": {code: fault.CapExceeded, gate: policy.GateSpend, set: func(h *home) {
			h.policy(t, `{"nftBuy":{"maxPricePerTx":"1"},"execution":{"dailySpendCap":"0.000000000000000001"}}`)
		}},
	} {
		account++
		h := w.home(t, account)
		t.Run(name, func(t *testing.T) {
			phrase := c.in.Confirm
			if !c.other {
				dry, err := h.open(t).SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0"})
				must(err)
				phrase = dry.ConfirmPhrase
			}
			if c.set != nil {
				c.set(h)
			}
			_, err := h.open(t).SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0", Go: v2.Go{Execute: true, Confirm: phrase}})
			wantFault(t, err, c.code, fault.SentNo)
			if e := h.last(t, "policy.blocked"); e.Result["gate"] != c.gate || h.nonce(t) != 0 {
				t.Errorf("%+v, nonce %d", e, h.nonce(t))
			}
		})
	}
}

// What is not on the wanted chain, nowhere, or something else is told before signing.
func TestWrongPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := func(address string) func(*v2.Deps) {
		return func(d *v2.Deps) {
			d.Named = map[v2.Name]v2.Address{contracts.SkillNFT: {Address: address, From: "--skill-nft"}}
		}
	}
	for name, c := range map[string]struct {
		code fault.Code
		with func(*v2.Deps)
	}{
		"no address":       {fault.ContractMissing, func(d *v2.Deps) { d.Named = nil }},
		"no code":          {fault.ContractMissing, at("0x1111111111111111111111111111111111111111")},
		"no contract":      {fault.Usage, at("0x11")},
		"another contract": {fault.ContractMismatch, at(w.at[contracts.PodVault].Hex())},
		"no key": {fault.Auth, func(d *v2.Deps) {
			d.Account = func(context.Context) (common.Address, error) {
				return common.Address{}, fault.New(fault.Auth, "no key")
			}
		}},
		"another chain": {fault.ChainMismatch, func(d *v2.Deps) {
			d.Fence = func(ctx context.Context) (policy.Fence, error) {
				f := policy.LoadFence(policy.Sources{Home: t.TempDir()})
				return f, nil
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := w.home(t, 2).open(t, c.with)
			for _, execute := range []bool{false, true} {
				_, err := p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0", Go: v2.Go{Execute: execute, Autonomous: execute}})
				if f := fault.From(err); fault.CodeOf(err) != c.code || f.Sent == fault.SentYes || f.Hint == "" && c.code != fault.Auth {
					t.Errorf("execute %t: %v (%s)", execute, err, f.Hint)
				}
			}
		})
	}
	if n, err := w.chain.Client().NonceAt(t.Context(), accountOf(2), nil); err != nil || n != 0 {
		t.Errorf("nonce %d %v", n, err)
	}
}

// A person at the terminal sees what is signed. Another phrase, or none, signs nothing.
func TestAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	var shown v2.Action
	answer := func(a v2.Action) (string, error) { return "yes", nil }
	h.ask = func(_ context.Context, a v2.Action) (string, error) { shown = a; return answer(a) }
	p := h.open(t)
	in := v2.SkillMintIn{ParentID: "0", Go: v2.Go{Execute: true}}
	_, err := p.SkillMint(t.Context(), in)
	wantFault(t, err, fault.ConfirmationMismatch, fault.SentNo)
	answer = func(v2.Action) (string, error) { return "", io.EOF }
	_, err = p.SkillMint(t.Context(), in)
	wantFault(t, err, fault.Canceled, fault.SentNo)
	answer = func(a v2.Action) (string, error) { // halted while the question stands
		return a.Phrase, os.WriteFile(filepath.Join(h.dir, "HALT"), nil, 0o600)
	}
	_, err = p.SkillMint(t.Context(), in)
	wantFault(t, err, fault.Halted, fault.SentNo)
	if h.nonce(t) != 0 {
		t.Fatal("something was sent")
	}
	if err := os.Remove(filepath.Join(h.dir, "HALT")); err != nil {
		t.Fatal(err)
	}
	answer = func(a v2.Action) (string, error) { return a.Phrase, nil }
	out, err := p.SkillMint(t.Context(), in)
	if err != nil || out.SkillID != "1" || shown.MaxFee == nil || shown.Contract.Name != contracts.SkillNFT || !strings.HasSuffix(shown.Digest, shown.Phrase[len(shown.Phrase)-6:]) {
		t.Errorf("%+v %v %+v", out, err, shown)
	}
}

// What a person approved bounds what is signed: the digest, and what leaves the account.
func TestApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	p := h.open(t)
	dry, err := p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0"})
	if err != nil {
		t.Fatal(err)
	}
	run := func(digest string, most units.Wei) error {
		_, err := p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0", Go: v2.Go{Execute: true, Confirm: dry.ConfirmPhrase, Digest: digest, Most: &most}})
		return err
	}
	wantFault(t, run(strings.Repeat("0", 64), ape(t, "1")), fault.ActionStale, fault.SentNo)
	wantFault(t, run(dry.Action.Digest, units.FromUint64(1)), fault.PolicyBlocked, fault.SentNo)
	wantFault(t, run(dry.Action.Digest, units.Wei{}), fault.PriceOverLimit, fault.SentNo)
	if h.nonce(t) != 0 {
		t.Error("something was sent")
	}
	if err := run(dry.Action.Digest, ape(t, "1")); err != nil {
		t.Error(err)
	}
}

// The answer to the broadcast is lost: it is not sent twice, and the outcome is found.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	w.proxy.set(func(method string, _ []byte, rw http.ResponseWriter, forward func() []byte) bool {
		if method != "eth_sendRawTransaction" {
			return false
		}
		forward()
		panic(http.ErrAbortHandler)
	})
	out, err := h.open(t).mint(t)
	if err != nil || out.SkillID != "1" || w.minted(t) != 1 {
		t.Errorf("%+v %v, %d minted", out, err, w.minted(t))
	}
}

// A node whose receipt does not show the mint is not believed to have confirmed it.
func TestForeignLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	h.wait = 2 * time.Second
	real := strings.ToLower(w.at[contracts.SkillNFT].Hex()[2:])
	w.proxy.set(func(method string, _ []byte, rw http.ResponseWriter, forward func() []byte) bool {
		if method != "eth_getTransactionReceipt" {
			return false
		}
		// The same logs, of another contract.
		_, _ = rw.Write([]byte(strings.ReplaceAll(string(forward()), `"address":"0x`+real, `"address":"0x`+strings.Repeat("1", 40))))
		return true
	})
	p := h.open(t)
	_, err := p.mint(t)
	wantFault(t, err, fault.TxUnknown, fault.SentYes)
	if f := fault.From(err); !strings.Contains(f.Hint, "v2 resume") {
		t.Errorf("hint %q", f.Hint)
	}
	w.proxy.set(nil)
	got, err := p.sender.Resume(t.Context(), chain.ResumeIn{ChainID: devchain.ChainID})
	if err != nil || len(got.Open) != 0 || len(got.Settled) != 1 {
		t.Errorf("%+v %v", got, err)
	}
	if e := h.last(t, "v2.skill.minted"); e.Result["skillId"] != 1.0 || w.minted(t) != 1 {
		t.Errorf("%+v", e)
	}
}

// The block comes between the question for the receipt and that for the nonce.
func TestMinedBetweenTwoQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	h.step = func(name string) {
		if name == "sent" {
			panic(errStopped)
		}
	}
	func() {
		defer func() {
			if r := recover(); r != errStopped {
				t.Fatalf("%v", r)
			}
		}()
		_, err := h.open(t).mint(t)
		t.Fatalf("it never came there: %v", err)
	}()
	h.step = nil
	if err := w.chain.Mine(); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	w.proxy.set(func(method string, body []byte, rw http.ResponseWriter, _ func() []byte) bool {
		if method != "eth_getTransactionReceipt" || asked.Add(1) > 1 {
			return false
		}
		var call struct{ ID json.RawMessage }
		if err := json.Unmarshal(body, &call); err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"result":null}`, call.ID)
		return true
	})
	got, err := h.open(t).sender.Resume(t.Context(), chain.ResumeIn{ChainID: devchain.ChainID})
	if err != nil || len(got.Open) != 0 || len(got.Settled) != 1 || w.minted(t) != 1 || asked.Load() < 2 {
		t.Errorf("%+v %v, %d minted", got, err, w.minted(t))
	}
}

// errStopped is what a test panics with to end a run at a step.
var errStopped = errors.New("stopped here")

// A run that ends between any two steps leaves what the next one settles: one mint,
// or none, and an event for it.
func TestEndsAtEachStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := 10
	for _, at := range []string{"intended", "signed", "persisted", "broadcast", "noted", "sent", "mined", "settled", "logged"} {
		account++
		h := w.home(t, account)
		h.lax = true
		t.Run(at, func(t *testing.T) {
			before := w.minted(t)
			h.step = func(name string) {
				if name == at {
					panic(errStopped)
				}
			}
			func() {
				defer func() {
					if r := recover(); r != errStopped {
						t.Fatalf("%v", r)
					}
				}()
				_, err := h.open(t).mint(t)
				t.Fatalf("it never came to %s: %v", at, err)
			}()
			h.step = nil
			p := h.open(t)
			got, err := p.sender.Resume(t.Context(), chain.ResumeIn{ChainID: devchain.ChainID})
			if err != nil || len(got.Open) != 0 {
				t.Fatalf("%+v %v", got, err)
			}
			signed := at != "intended" && at != "signed"
			want := before
			if signed {
				want++
			}
			if n := w.minted(t); n != want {
				t.Errorf("%d minted, want %d", n, want)
			}
			if n := count(h.types(t), "v2.skill.minted"); n != int(want-before) {
				t.Errorf("%d events: %v", n, h.types(t))
			}
			if signed {
				e := h.last(t, "v2.skill.minted")
				id, _ := e.Result["skillId"].(float64)
				if w.owner(t, big.NewInt(int64(id)).String()) != h.address() {
					t.Errorf("%+v", e)
				}
			}
			// The account goes on.
			if out, err := p.mint(t); err != nil || w.owner(t, out.SkillID.String()) != h.address() {
				t.Errorf("%+v %v", out, err)
			}
		})
	}
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}

// What was confirmed long ago is not sent again; what policy forbids now neither.
func TestReconsider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	h.lax = true
	h.step = func(name string) {
		if name == "persisted" {
			panic(errStopped)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = h.open(t).mint(t)
	}()
	h.step = nil
	resume := func(with ...func(*v2.Deps)) chain.ResumeOut {
		t.Helper()
		got, err := h.open(t, with...).sender.Resume(t.Context(), chain.ResumeIn{ChainID: devchain.ChainID})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	late := func(d *v2.Deps) { d.Now = func() time.Time { return time.Now().Add(2 * time.Hour) } }
	if got := resume(late); len(got.Open) != 1 || len(got.Kept) != 1 || fault.CodeOf(got.Kept[0]) != fault.QuoteExpired {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile(filepath.Join(h.dir, "HALT"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := resume(); len(got.Open) != 1 || fault.CodeOf(got.Kept[0]) != fault.Halted {
		t.Errorf("%+v", got)
	}
	if err := os.Remove(filepath.Join(h.dir, "HALT")); err != nil {
		t.Fatal(err)
	}
	// Another one of the account waits for it.
	_, err := h.open(t).mint(t)
	if f := wantFault(t, err, fault.Conflict, fault.SentNo); !strings.Contains(f.Hint, "v2 resume") {
		t.Errorf("hint %q", f.Hint)
	}
	if got := resume(); len(got.Open) != 0 || w.minted(t) != 1 || !slices.Contains(h.types(t), "v2.skill.minted") {
		t.Errorf("%+v, %d minted", got, w.minted(t))
	}
}

// A story that was tampered with, or is of another kind, is none.
func TestRestore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, kept string }{
		{"v2.skill.mint", `{}`}, {"v2.skill.mint", `[]`}, {"v2.nothing", `{"op":"nothing"}`}, {"nft.buy", `{"op":"skill.mint"}`},
		{"v2.skill.publish", `{"op":"skill.mint","account":"0x1111111111111111111111111111111111111111","contract":{"Address":"0x1111111111111111111111111111111111111111"}}`},
	} {
		if s, err := v2.Restore(nil, c.kind, json.RawMessage(c.kept)); err == nil {
			t.Errorf("%s %s: %v", c.kind, c.kept, s)
		}
	}
}

// The block of a mint is taken back, and in the new one another was first: the skill has
// another id, which the log tells.
func TestReorg(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	if out, err := h.open(t).mint(t); err != nil || out.SkillID != "1" {
		t.Fatal(out, err)
	}
	release := w.chain.Hold()
	defer release()
	if err := w.chain.Rewind(1); err != nil {
		t.Fatal(err)
	}
	w.send(t, 3, w.at[contracts.SkillNFT], pack(t, contracts.SkillNFT, "mintSkill", new(big.Int)))
	release()
	eventually(t, "both mints", func() bool { return w.minted(t) == 2 })
	got, err := h.open(t).sender.Resume(t.Context(), chain.ResumeIn{ChainID: devchain.ChainID})
	if err != nil || len(got.Open) != 0 {
		t.Fatalf("%+v %v", got, err)
	}
	e := h.last(t, "v2.skill.minted")
	if id, _ := e.Result["skillId"].(float64); id != 2 || w.owner(t, "2") != h.address() {
		t.Errorf("%+v", e)
	}
}

// A stuck write is sent again with a higher fee, or its nonce is freed: of both forms
// the chain takes one, and the log tells which.
func TestReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := 20
	for mode, want := range map[chain.ResumeMode]string{chain.ResumeReprice: "v2.skill.minted", chain.ResumeCancel: "v2.tx.cancelled"} {
		account++
		h := w.home(t, account)
		h.wait = time.Second
		t.Run(string(mode), func(t *testing.T) {
			release := w.chain.Hold()
			defer release()
			p := h.open(t)
			_, err := p.mint(t)
			wantFault(t, err, fault.TxUnknown, fault.SentYes)
			r, err := p.sender.PrepareReplacement(t.Context(), devchain.ChainID, mode, "")
			if err != nil {
				t.Fatal(err)
			}
			asked, err := r.Policy(t.Context(), p.ledger)
			if err != nil {
				t.Fatal(err)
			}
			grant, err := policy.LoadFence(policy.Sources{Home: h.dir, Sandbox: true}).AuthorizeReplacement(asked, time.Now().Add(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			w.proxy.set(func(method string, _ []byte, rw http.ResponseWriter, forward func() []byte) bool {
				if method != "eth_sendRawTransaction" {
					return false
				}
				answer := forward()
				release()
				_, _ = rw.Write(answer)
				return true
			})
			before := w.minted(t)
			if _, err := p.sender.Resume(t.Context(), chain.ResumeIn{ChainID: devchain.ChainID, Mode: mode, Replacement: r, Grant: grant}); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the outcome", func() bool {
				got, err := p.sender.Resume(t.Context(), chain.ResumeIn{ChainID: devchain.ChainID})
				return err == nil && len(got.Open) == 0
			})
			if n := w.minted(t) - before; n != map[chain.ResumeMode]uint64{chain.ResumeReprice: 1}[mode] {
				t.Errorf("%d minted", n)
			}
			h.last(t, "v2.tx.replacing")
			h.last(t, want)
		})
	}
}
