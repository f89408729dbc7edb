package bridge

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// What a fault of the bridge may come to. Nothing else is right.
type fate string

const (
	refused   fate = "refused"   // nothing leaves, or nothing is quoted
	completed fate = "completed" // it is no harm
	refunded  fate = "refunded"
	failed    fate = "failed"
	pending   fate = "pending" // what the bridge claims is not so
)

// fates are those of every fault that the sandbox's bridge has; of what is not listed it
// is refused.
var fates = map[faults.Name]fate{
	faults.RelayNumbers: completed, faults.RelayApproveTwice: completed, faults.RelayNegativeFee: completed, faults.RelaySlow: completed,
	faults.RelayTamperEndpoint: completed, // what it says is never asked
	faults.RelayRefund:         refunded, faults.RelayRefunding: refunded,
	faults.RelayFailure: failed, faults.RelayUnderDeliver: failed,
	faults.RelayStuck: pending, faults.RelayNoPayout: pending, faults.RelayOtherPayee: pending, faults.RelayStatus: pending, faults.RelayOtherStatus: pending,
	faults.RelayWait: completed, faults.RelayRateLimit: completed,
}

// TestEveryFault: each fault of the bridge, at the quote and only after it, for a chain's
// own currency and for a token. What leaves, leaves once and to where it should; an end
// is one that the chains show; the books are the chains'.
func TestEveryFault(t *testing.T) {
	t.Parallel()
	for i, k := range faults.Relay {
		if _, known := fates[k.Name]; !*full && !known && i%3 != 0 {
			continue // what is refused is refused by the same judge: some of them will do
		}
		late := []bool{i%2 == 0}
		if *full {
			late = []bool{false, true}
		}
		for _, late := range late {
			x := transfers[(i/2)%2]
			t.Run(fmt.Sprintf("%s, late %t, %s", k.Name, late, x.token), func(t *testing.T) {
				t.Parallel()
				faulty(t, k, x, late)
			})
		}
	}
}

func faulty(t *testing.T, k faults.Kind, x transfer, late bool) {
	w := newWorld(t)
	want, known := fates[k.Name]
	if !known {
		want = refused
	}
	spec := string(k.Name)
	if k.Value != "" {
		spec += "=" + k.Default
	}
	set := func() {
		if err := w.SetFault(spec); err != nil {
			t.Fatal(err)
		}
	}
	if !late {
		set()
	}
	q := w.run(x.quote()...)
	if q.exit != 0 {
		if want != refused && k.Name != faults.RelayWait && k.Name != faults.RelayRateLimit {
			t.Errorf("%s", q)
		}
		w.nothingSpent("refused at the quote")
		return
	}
	if late {
		set()
	}
	o := w.run(execute(q.RequestID)...)
	if o.exit != 0 {
		if want == completed && (k.Name == faults.RelayWait || k.Name == faults.RelayRateLimit) {
			want = refused // it may take too long
		}
		if want != refused {
			t.Errorf("%s", o)
		}
		if _, n := w.spent(w.chainOf(x.from)); n != 0 && (o.Sent == "no" || o.Sent == "") {
			t.Errorf("it says that nothing was sent\n%s", o)
		}
		if n := w.deposits(w.chainOf(x.from)); n != 0 {
			t.Errorf("%d deposits\n%s", n, o)
		}
		if s := w.run(status(q.RequestID)...); s.Status != "quoted" {
			t.Errorf("refused, and then %s", s)
		}
		return
	}
	if want == refused && !late { // it was no fault of this currency
		want = completed
	}
	if want == refused {
		want = completed
	}
	var s outcome
	for range 200 { // each answer is one question to the bridge
		if s = w.run(status(q.RequestID)...); s.Status != "pending" || want == pending {
			break
		}
	}
	if s.Status != string(want) {
		t.Errorf("it is %s, want %s\n%s", s.Status, want, s)
	}
	e := w.events()
	if n := e["bridge.execute.confirmed"]; n != btoi(want == completed) {
		t.Errorf("%d times confirmed", n)
	}
	if n := e["bridge.execute.refunded"]; n != btoi(want == refunded) {
		t.Errorf("%d times refunded", n)
	}
	if n := e["bridge.execute.failed"]; n != btoi(want == failed) {
		t.Errorf("%d times failed", n)
	}
	w.moved(x, want == refunded)
	if want == completed {
		least, ok := new(big.Int).SetString(s.MinOut, 10)
		got, ok2 := new(big.Int).SetString(s.Received, 10)
		if !ok || !ok2 || got.Cmp(least) < 0 {
			t.Errorf("received %s of at least %s", s.Received, s.MinOut)
		}
	}
	if want == pending && k.Name != faults.RelayStuck && k.Name != faults.RelayStatus && s.exit == 0 && s.Warning == "" {
		t.Errorf("it does not say why that is no end\n%s", s)
	}
	// Once more: it was executed, and says so.
	if o := w.run(execute(q.RequestID)...); o.exit != 10 || o.Code != "quote_used" {
		t.Errorf("a second time: %s", o)
	}
	if strings.Contains(o.text, "panic") {
		t.Error(o)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
