package chain_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The test's story tells of replacements too.
var _ chain.Replaceable = story{}

func (s story) Replacing(tx, by chain.TxInfo, kind string) telemetry.Draft {
	return s.draft("replacing "+kind, by, map[string]any{"replaces": tx.Hash.Hex()})
}

func (s story) Cancelled(tx, by chain.TxInfo, _ chain.Receipt) telemetry.Draft {
	return s.draft("cancelled", by, map[string]any{"cancels": tx.Hash.Hex()})
}

func (s story) Replaced(tx chain.TxInfo, why string) telemetry.Draft {
	return s.draft("replaced", tx, map[string]any{"reason": why})
}

// agree prepares a replacement and has policy allow it.
func (r *rig) agree(ctx context.Context, mode chain.ResumeMode, tx string) (chain.ResumeIn, error) {
	in := chain.ResumeIn{ChainID: chainID, Mode: mode}
	if _, err := r.Recover(ctx, chainID); err != nil {
		return in, err
	}
	var err error
	if in.Replacement, err = r.PrepareReplacement(ctx, chainID, mode, tx); err != nil {
		return in, err
	}
	asked, err := in.Replacement.Policy(ctx, r.ledger)
	if err != nil {
		return in, err
	}
	in.Grant, err = policy.LoadFence(policy.Sources{Sandbox: true, Home: r.home}).AuthorizeReplacement(asked, time.Now().Add(time.Minute))
	return in, err
}

func (r *rig) replace(ctx context.Context, mode chain.ResumeMode) (chain.ResumeOut, error) {
	in, err := r.agree(ctx, mode, "")
	if err != nil {
		return chain.ResumeOut{}, err
	}
	return r.Resume(ctx, in)
}

func (r *rig) watch(t *testing.T) chain.ResumeOut {
	t.Helper()
	out, err := r.Resume(t.Context(), chain.ResumeIn{ChainID: chainID})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// booked checks that the ledger holds exactly what left the account, and nothing open.
func (r *rig) booked(t *testing.T) {
	t.Helper()
	cost, err := ape(t, "1000").Sub(r.w.balance(t, r.Address()))
	if u := r.usage(t); err != nil || u.Settled != cost || u.Open != 0 {
		t.Errorf("booked %s, %d open; %s left the account (%v)", u.Settled, u.Open, cost, err)
	}
}

func (r *rig) state(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, x := range r.rows(t) {
		got = append(got, x.state)
	}
	if !slices.Equal(got, want) {
		t.Errorf("states %v, want %v", got, want)
	}
}

func shortWait(o *chain.SenderOptions) { o.Wait = 300 * time.Millisecond }

// stuck buys while nothing is mined.
func stuck(t *testing.T, w *world, key string) (r *rig, release func()) {
	t.Helper()
	release = w.chain.Hold()
	t.Cleanup(release)
	r = w.open(t, "a", shortWait)
	_, err := r.buy(t.Context(), intent(w.sink, key, "1"))
	wantFault(t, "stuck", err, fault.TxUnknown, fault.SentYes)
	return r, release
}

// TestCancelStuck: the cancellation is mined; the wallet goes on, the key is free,
// and the ledger holds what it cost.
func TestCancelStuck(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, release := stuck(t, w, "k")
	b := w.open(t, "b", shortWait)
	out, err := b.replace(t.Context(), chain.ResumeCancel)
	if err != nil || len(out.Open) != 1 || len(out.Open[0].Replacements) != 1 || out.Open[0].Replacements[0].Kind != "cancel" {
		t.Fatalf("%+v, %v", out, err)
	}
	if u := b.usage(t); u.Open < 2 || u.Total.Cmp(ape(t, "1")) <= 0 {
		t.Errorf("%+v: both may still be mined", u)
	}
	_, err = b.buy(t.Context(), intent(w.sink, "k2", "1"))
	wantFault(t, "while both are open", err, fault.Conflict, fault.SentNo)
	release()
	eventually(t, "the cancellation", func() bool { return w.nonce(t, b.Address()) == 1 })
	if out := b.watch(t); len(out.Open) != 0 || len(out.Settled) != 1 || out.Settled[0].State != chain.StateCancelled {
		t.Errorf("%+v", out)
	}
	b.booked(t)
	wantTrail(t, b, "a:submitted", "a:unknown", "a:replacing cancel", "a:cancelled")
	again, err := b.buy(t.Context(), intent(w.sink, "k", "1"))
	if err != nil || again.Tx.Nonce != 1 {
		t.Errorf("the key again: nonce %d, %v", again.Tx.Nonce, err)
	}
	b.booked(t)
	if out := b.watch(t); len(out.Settled)+len(out.Open) != 0 {
		t.Errorf("again: %+v", out)
	}
}

// TestRepriceStuck: the same with a higher fee is mined, by which the purchase is
// confirmed; and a second replacement goes beyond the first.
func TestRepriceStuck(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, release := stuck(t, w, "k")
	b := w.open(t, "b", shortWait)
	for n := 1; n <= 2; n++ {
		in, err := b.agree(t.Context(), chain.ResumeReprice, "")
		if err != nil || in.Replacement.N != n || in.Replacement.Extra.IsZero() {
			t.Fatalf("%+v, %v", in.Replacement, err)
		}
		if out, err := b.Resume(t.Context(), in); err != nil || len(out.Open) != 1 || len(out.Open[0].Replacements) != n {
			t.Fatalf("%+v, %v", out, err)
		}
		_, err = b.Resume(t.Context(), in) // the same grant again
		wantFault(t, "twice", err, fault.Conflict, fault.SentNo)
	}
	release()
	eventually(t, "mining", func() bool { return w.nonce(t, b.Address()) == 1 })
	out := b.watch(t)
	if len(out.Settled) != 1 || out.Settled[0].State != chain.StateConfirmed || out.Settled[0].Hash != out.Settled[0].Replacements[1].Hash {
		t.Errorf("%+v", out)
	}
	b.booked(t)
	wantTrail(t, b, "a:submitted", "a:unknown", "a:replacing reprice", "a:replacing reprice", "a:confirmed")
	_, err := b.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "the key again", err, fault.QuoteUsed, fault.SentNo)
	if got := w.balance(t, w.sink); got != ape(t, "1") {
		t.Errorf("the seller has %s", got.Decimal(18))
	}
}

// TestOldOneWins: the node says that it took the replacement, and mines the old one.
func TestOldOneWins(t *testing.T) {
	t.Parallel()
	for _, mode := range []chain.ResumeMode{chain.ResumeCancel, chain.ResumeReprice} {
		w := newWorld(t)
		_, release := stuck(t, w, "k")
		b := w.open(t, "b", shortWait)
		w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
			if method != "eth_sendRawTransaction" {
				return false
			}
			rw.WriteHeader(http.StatusServiceUnavailable)
			return true
		})
		if out, err := b.replace(t.Context(), mode); err != nil || len(out.Open) != 1 {
			t.Fatalf("%+v, %v", out, err)
		}
		w.proxy.set(nil)
		release()
		eventually(t, "mining", func() bool { return w.nonce(t, b.Address()) == 1 })
		if out := b.watch(t); len(out.Settled) != 1 || out.Settled[0].State != chain.StateConfirmed {
			t.Errorf("%s: %+v", mode, out)
		}
		b.booked(t)
		wantTrail(t, b, "a:submitted", "a:unknown", "a:replacing "+string(mode), "a:confirmed")
	}
}

// TestKilledReplacing ends the run at each step of a replacement. The next one
// finds out, and may try again.
func TestKilledReplacing(t *testing.T) {
	t.Parallel()
	for _, mode := range []chain.ResumeMode{chain.ResumeCancel, chain.ResumeReprice} {
		for _, at := range []string{"replacement intended", "replacement signed", "replacement persisted", "replacement broadcast", "replacement noted"} {
			w := newWorld(t)
			_, release := stuck(t, w, "k")
			dies := w.open(t, "b", func(o *chain.SenderOptions) {
				shortWait(o)
				o.Step = func(name string) {
					if name == at {
						runtime.Goexit() // only what a deferred call does happens: the lock is freed
					}
				}
			})
			in, err := dies.agree(t.Context(), mode, "")
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan bool)
			go func() {
				defer close(done)
				_, err := dies.Resume(t.Context(), in)
				t.Errorf("%s: it never came to %s: %v", mode, at, err)
			}()
			<-done
			next := w.open(t, "c", func(o *chain.SenderOptions) {
				shortWait(o)
				o.Reconsider = func(context.Context, chain.Story, policy.Tx) error { return nil }
			})
			if out := next.watch(t); len(out.Open) != 1 {
				t.Errorf("%s, %s: %+v", mode, at, out)
			}
			if out, err := next.replace(t.Context(), mode); err != nil || len(out.Open) != 1 {
				t.Errorf("%s, %s: again: %+v, %v", mode, at, out, err)
			}
			release()
			eventually(t, "mining", func() bool { return w.nonce(t, next.Address()) == 1 })
			want := map[chain.ResumeMode]string{chain.ResumeCancel: chain.StateCancelled, chain.ResumeReprice: chain.StateConfirmed}[mode]
			if out := next.watch(t); len(out.Open) != 0 || len(out.Settled) != 1 || out.Settled[0].State != want {
				t.Errorf("%s, %s: %+v", mode, at, out)
			}
			next.booked(t)
			outcome := strings.TrimPrefix(want, "x")
			if trail := next.trail(t); trail[len(trail)-1] != "a:"+outcome || strings.Count(strings.Join(trail, " "), outcome) != 1 {
				t.Errorf("%s, %s: %v", mode, at, trail)
			}
		}
	}
}

// TestReplacementTerms: at least a tenth more, today's fee, the ceiling, the cap.
func TestReplacementTerms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, _ := stuck(t, w, "k")
	p, err := r.PrepareReplacement(t.Context(), chainID, chain.ResumeReprice, "")
	if err != nil {
		t.Fatal(err)
	}
	pre, err := r.Prepare(t.Context(), intent(w.sink, "k2", "1"))
	if err != nil {
		t.Fatal(err)
	}
	enough := func(got, old units.Wei) bool {
		ten, _ := got.Mul(10)
		eleven, _ := old.Mul(11)
		return ten.Cmp(eleven) >= 0 && got.Cmp(old) > 0
	}
	if !enough(p.Fees.MaxFee, pre.Fees.MaxFee) || !enough(p.Fees.MaxTip, pre.Fees.MaxTip) || p.Fees.GasLimit != pre.Fees.GasLimit {
		t.Errorf("%+v after %+v", p.Fees, pre.Fees)
	}
	// A node that names an absurd tip does not get it.
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
		return method == "eth_maxPriorityFeePerGas" && reply(rw, `"result":"0x38d7ea4c68000000"`)
	})
	for _, mode := range []chain.ResumeMode{chain.ResumeCancel, chain.ResumeReprice} {
		_, err := r.PrepareReplacement(t.Context(), chainID, mode, "")
		wantFault(t, "an absurd tip", err, fault.PolicyBlocked, fault.SentNo)
	}
	w.proxy.set(nil)
	_, err = r.PrepareReplacement(t.Context(), chainID, chain.ResumeCancel, "0xabc")
	wantFault(t, "no such transaction", err, fault.NotFound, fault.SentNo)
	// A grant is for one replacement, and no purchase's grant is one.
	in, err := r.agree(t.Context(), chain.ResumeCancel, "")
	if err != nil {
		t.Fatal(err)
	}
	other := in
	if other.Grant, err = r.grant(pre); err != nil {
		t.Fatal(err)
	}
	_, err = r.Resume(t.Context(), other)
	wantFault(t, "a purchase's grant", err, fault.UnsafeTransaction, fault.SentNo)
	_, err = r.Submit(t.Context(), pre, in.Grant)
	wantFault(t, "submitted with it", err, fault.Conflict, fault.SentNo)
	other = in
	other.Replacement.Value = ape(t, "1")
	_, err = r.Resume(t.Context(), other)
	wantFault(t, "another transaction", err, fault.UnsafeTransaction, fault.SentNo)
}

// TestWatchSendsAgain: the same bytes, and only when it is allowed.
func TestWatchSendsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dies := w.open(t, "a", func(o *chain.SenderOptions) {
		o.Step = func(name string) {
			if name == "persisted" {
				runtime.Goexit()
			}
		}
	})
	done := make(chan bool)
	go func() { defer close(done); _, _ = dies.buy(t.Context(), intent(w.sink, "k", "1")) }()
	<-done
	hash := dies.rows(t)[0].hash
	allowed := errors.New("the quote expired")
	var asked policy.Tx
	b := w.open(t, "b", func(o *chain.SenderOptions) {
		o.Reconsider = func(_ context.Context, s chain.Story, tx policy.Tx) error { asked = tx; return allowed }
	})
	none := w.open(t, "n", nil)
	if out := none.watch(t); len(out.Open) != 1 || len(out.Kept) != 1 {
		t.Errorf("nobody to ask: %+v", out)
	}
	if out := b.watch(t); len(out.Open) != 1 || len(out.Kept) != 1 || !strings.Contains(fmt.Sprint(out.Kept), "the quote expired") {
		t.Errorf("not allowed: %+v", out)
	}
	halted := w.open(t, "h", func(o *chain.SenderOptions) {
		o.Reconsider = func(context.Context, chain.Story, policy.Tx) error { return nil }
		o.Gate = func(context.Context) error { return fault.New(fault.Halted, "halted") }
	})
	if out := halted.watch(t); len(out.Open) != 1 || w.proxy.count("eth_sendRawTransaction") != 0 {
		t.Errorf("halted: %+v", out)
	}
	allowed = nil
	if out := b.watch(t); len(out.Open) != 0 || len(out.Settled) != 1 || out.Settled[0].State != chain.StateConfirmed || out.Settled[0].Hash != hash {
		t.Errorf("%+v", out)
	}
	if asked.Key != "k" || asked.Value != ape(t, "1") || asked.To != [20]byte(w.sink) {
		t.Errorf("asked about %+v", asked)
	}
	b.booked(t)
	wantTrail(t, b, "a:submitted", "a:confirmed")
}

// TestHaltStopsNoCancellation, and stops repricing.
func TestHaltStopsNoCancellation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, release := stuck(t, w, "k")
	fence := policy.LoadFence(policy.Sources{Sandbox: true, Home: r.home})
	fence.Halt = []string{"policy: test"}
	for _, mode := range []chain.ResumeMode{chain.ResumeReprice, chain.ResumeCancel} {
		p, err := r.PrepareReplacement(t.Context(), chainID, mode, "")
		if err != nil {
			t.Fatal(err)
		}
		asked, err := p.Policy(t.Context(), r.ledger)
		if err != nil {
			t.Fatal(err)
		}
		g, err := fence.AuthorizeReplacement(asked, time.Now().Add(time.Minute))
		if mode == chain.ResumeReprice {
			wantFault(t, "halted", err, fault.Halted, fault.SentNo)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		halted := w.open(t, "h", func(o *chain.SenderOptions) {
			shortWait(o)
			o.Gate = func(context.Context) error { return fault.New(fault.Halted, "halted") }
		})
		if out, err := halted.Resume(t.Context(), chain.ResumeIn{ChainID: chainID, Mode: mode, Replacement: p, Grant: g}); err != nil || len(out.Open) != 1 {
			t.Errorf("%+v, %v", out, err)
		}
	}
	release()
	eventually(t, "mining", func() bool { return w.nonce(t, r.Address()) == 1 })
	r.watch(t)
	r.state(t, chain.StateCancelled)
	r.booked(t)
}
