package chain_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// killSteps are all the places where Submit says where it stands, in order.
var killSteps = []string{"locked", "intended", "signed", "persisted", "broadcast", "noted", "told submitted", "sent", "mined", "settled", "told outcome", "logged"}

// TestKillChild is the process that TestKill kills: it buys, says so when it has
// come to the step, and stands still there.
func TestKillChild(t *testing.T) {
	at := os.Getenv("CHAIN_TEST_KILL_AT")
	if at == "" {
		t.Skip("started by TestKill")
	}
	var steps []string
	r, err := openRig(t.Context(), os.Getenv("CHAIN_TEST_URL"), os.Getenv("CHAIN_TEST_HOME"), "a", func(o *chain.SenderOptions) {
		o.Step = func(name string) {
			steps = append(steps, name)
			if name == at {
				fmt.Printf("\nreached %s\n", strings.Join(steps, ","))
				select {}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{}
	w.contracts()
	_, err = r.buy(t.Context(), intent(w.sink, "k", "1"))
	t.Fatalf("it never came to %s: %v", at, err)
}

// kill runs the child until it says that it is at the step, and kills it there.
func kill(t *testing.T, w *world, at string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKillChild$", "-test.v")
	cmd.Env = append(os.Environ(), "CHAIN_TEST_KILL_AT="+at, "CHAIN_TEST_URL="+w.url, "CHAIN_TEST_HOME="+w.home)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() }) // the scan below then ends
	defer timer.Stop()
	reached := ""
	var all []string
	for lines := bufio.NewScanner(out); reached == "" && lines.Scan(); {
		all = append(all, lines.Text())
		reached, _ = strings.CutPrefix(lines.Text(), "reached ")
		if reached == lines.Text() {
			reached = ""
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || reached == "" {
		t.Fatalf("it was not killed at %s: %v\n%s", at, err, strings.Join(all, "\n"))
	}
	// The list above is complete and in order: a step that is added must be tested.
	if want := strings.Join(killSteps[:slices.Index(killSteps, at)+1], ","); reached != want {
		t.Fatalf("on the way to %s: %s, want %s", at, reached, want)
	}
}

// TestKill ends the process at each step of Submit and looks at what the next
// one finds: nothing lost, nothing sent twice, what may be spent still counted,
// the trail complete.
func TestKill(t *testing.T) {
	t.Parallel()
	for i, at := range killSteps {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			kill(t, w, at)
			r := w.open(t, "b", nil)
			persisted, broadcast := i >= slices.Index(killSteps, "persisted"), i >= slices.Index(killSteps, "broadcast")
			u := r.usage(t)
			switch {
			case at == "locked":
				if u.Open != 0 {
					t.Errorf("%+v is reserved before the intent", u)
				}
			case i < slices.Index(killSteps, "settled"):
				if u.Open != 2 || u.Total.Cmp(ape(t, "1")) <= 0 {
					t.Errorf("%+v: price and fee must count while nobody knows", u)
				}
			default:
				if u.Open != 0 || u.Settled.Cmp(ape(t, "1")) <= 0 {
					t.Errorf("%+v is booked after the settlement", u)
				}
			}
			if persisted && !broadcast {
				signedNotSent(t, w, r)
			}
			if broadcast {
				eventually(t, "mining", func() bool { return w.nonce(t, r.Address()) == 1 })
			}
			left, err := r.Recover(t.Context(), chainID)
			if err != nil || len(left) != 0 {
				t.Fatalf("left: %v, %v", left, err)
			}
			_, err = r.buy(t.Context(), intent(w.sink, "k", "1"))
			if persisted {
				wantFault(t, "the same key", err, fault.QuoteUsed, fault.SentNo)
				wantTrail(t, r, "a:submitted", "a:confirmed")
			} else if err != nil {
				t.Errorf("nothing was sent, and the key is not free: %v", err)
			} else {
				wantTrail(t, r, "b:submitted", "b:confirmed")
			}
			if got := w.balance(t, w.sink); got != ape(t, "1") {
				t.Errorf("the seller has %s, want 1", got.Decimal(18))
			}
			start := ape(t, "1000")
			cost, err := start.Sub(w.balance(t, r.Address()))
			if u := r.usage(t); err != nil || u.Settled != cost || u.Open != 0 {
				t.Errorf("booked %s, %d open; %s left the account", u.Settled, u.Open, cost)
			}
			if out, err := r.buy(t.Context(), intent(w.sink, "k2", "1")); err != nil || out.Tx.Nonce != 1 {
				t.Errorf("the next: nonce %d, %v", out.Tx.Nonce, err)
			}
		})
	}
}

// signedNotSent: signed bytes are on disk, and nobody knows whether they left.
func signedNotSent(t *testing.T, w *world, r *rig) {
	t.Helper()
	left, err := r.Recover(t.Context(), chainID)
	if err != nil || len(left) != 1 || left[0].State != chain.StateSigned || left[0].Hash == "" {
		t.Errorf("left: %+v, %v", left, err)
	}
	wantTrail(t, r) // that it was submitted would be a guess
	_, err = r.buy(t.Context(), intent(w.sink, "k2", "1"))
	wantFault(t, "another key", err, fault.Conflict, fault.SentNo)
	_, err = r.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "the same key", err, fault.QuoteUsed, fault.SentNo)
	if u := r.usage(t); u.Open != 2 {
		t.Errorf("%+v: it must still count", u)
	}
	if n := w.nonce(t, r.Address()); n != 0 {
		t.Errorf("%d were mined", n)
	}
	sendStored(t, w, r)
}
