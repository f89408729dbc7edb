package money_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// passed reads the crash points that a command passed.
func passed(t *testing.T, log string) []string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// sampled are the steps to kill at: all of them in the full form, else the first time
// that each named one is passed, and some that chance chooses.
func sampled(t *testing.T, points []string, some int, named ...string) []int {
	t.Helper()
	if *full {
		all := make([]int, len(points))
		for i := range all {
			all[i] = i + 1
		}
		return all
	}
	var out []int
	for _, name := range named {
		at := slices.Index(points, name)
		if at < 0 {
			t.Fatalf("%q is not passed, only %q", name, points)
		}
		out = append(out, at+1)
	}
	for _, i := range random(t).Perm(len(points))[:some] {
		out = append(out, i+1)
	}
	return out
}

// replaced runs resume with a flag for a purchase that is stuck. Mining goes on once
// a replacement is at the node; if the command ended before, it does not.
func (p place) replaced(c crash, flag, hash string) outcome {
	p.t.Helper()
	r := p.begin(c, "nft", "resume", flag)
	ended := make(chan outcome, 1)
	go func() { ended <- r.wait(p.t) }()
	var o outcome
	done := false
	until(p.t, "the node has the replacement, or the command has ended", func() bool {
		select {
		case o = <-ended:
			done = true
		default:
		}
		return done || p.poolHas(1, hash)
	})
	if !done {
		p.ClearFaults()
		o = <-ended
	}
	return o
}

// TestCrashReplacing kills the replacement of a stuck purchase after its steps. The
// nonce is used once, by one of the forms; the purchase can then be made if it was
// not, and only then; and what left the account is booked.
func TestCrashReplacing(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--cancel", "--reprice"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 3)
			p := w.place("clean")
			b := p.prepare(0)
			log := filepath.Join(w.dir, "points")
			hash := p.stuck(b)
			if o := p.replaced(crash{log: log}, flag, hash); o.exit != 0 {
				t.Fatal(o)
			}
			p.boughtOnce(b)
			points := passed(t, log)
			t.Logf("%d crash points: %s", len(points), strings.Join(points, ", "))
			for _, n := range sampled(t, points, 1, "chain: replacement intended", "chain: replacement persisted", "chain: replacement broadcast") {
				t.Run(fmt.Sprintf("%d %s", n, points[n-1]), func(t *testing.T) {
					t.Parallel()
					p := newWorld(t, 3).place("a")
					b := p.prepare(0)
					hash := p.stuck(b)
					// Where a step is passed depends on when the block comes.
					if o := p.replaced(crash{at: fmt.Sprintf("#%d", n)}, flag, hash); !o.killed && n < len(points)-5 {
						t.Errorf("it was not killed\n%s", o)
					}
					// The same once more, with what the first has left at the node or not.
					if o := p.replaced(crash{}, flag, hash); o.exit != 0 && o.exit != 7 && (o.exit != 11 || o.Code != "not_found") {
						t.Error(o)
					}
					p.ClearFaults()
					p.resumed()
					p.boughtOnce(b)
				})
			}
		})
	}
}

// boughtOnce buys what may not have been bought: then the token is the buyer's, one
// transaction of all paid for it, and each nonce was used once.
func (p place) boughtOnce(b purchase) {
	p.t.Helper()
	o := p.run(b.buy()...)
	if o.exit != 0 && (o.exit != 10 || o.Code != "quote_used") {
		p.t.Errorf("the purchase at last: %s", o)
	}
	paid := 0
	for i, m := range p.sent() {
		if m.nonce != uint64(i) || !m.ok {
			p.t.Errorf("the chain has %+v as transaction %d", m, i)
		}
		if m.value.Sign() > 0 {
			paid++
		}
	}
	if paid != 1 || !p.owned(b.token) {
		p.t.Errorf("paid %d times, the token is the buyer's: %t", paid, p.owned(b.token))
	}
	p.checkSpent()
	ends := 0
	for _, step := range trail(p.events(), b) {
		if strings.HasPrefix(step, "confirmed ") {
			ends++
		}
	}
	if ends != 1 {
		p.t.Errorf("the log has %d confirmations: %q", ends, trail(p.events(), b))
	}
}

// TestCrashPlan kills the execution of a plan of three after its steps, and carries it
// out again: each of the three is bought once, and nothing else.
func TestCrashPlan(t *testing.T) {
	t.Parallel()
	plan := func(p place) ([]purchase, []string) {
		t.Helper()
		o := p.must("nft", "autobuy", "--collections", slug, "--count", "3", "--max-price", "1", "--budget", "3")
		var out []purchase
		for _, q := range o.Planned {
			out = append(out, purchase{quote: q.QuoteID, token: number(q.TokenID)})
		}
		if len(out) != 3 {
			t.Fatal(o)
		}
		return out, []string{"nft", "autobuy", "--plan", o.PlanID, "--execute", "--autonomous"}
	}
	w := newWorld(t, 6)
	p := w.place("clean")
	log := filepath.Join(w.dir, "points")
	all, run := plan(p)
	if o := p.begin(crash{log: log}, run...).wait(t); o.exit != 0 {
		t.Fatal(o)
	}
	p.check(all...)
	points := passed(t, log)
	t.Logf("%d crash points", len(points))
	for _, n := range sampled(t, points, 2, "chain: persisted", "chain: broadcast", "autobuy: bought") {
		t.Run(fmt.Sprintf("%d %s", n, points[n-1]), func(t *testing.T) {
			t.Parallel()
			p := newWorld(t, 6).place("a")
			all, run := plan(p)
			if o := p.begin(crash{at: fmt.Sprintf("#%d", n)}, run...).wait(t); !o.killed {
				t.Fatalf("it was not killed\n%s", o)
			}
			p.resumed()
			if o := p.run(run...); o.exit != 0 && (o.exit != 10 || o.Code != "quote_used") {
				t.Error(o)
			}
			if o := p.run(run...); o.exit != 10 || o.Code != "quote_used" {
				t.Errorf("once more: %s", o)
			}
			p.check(all...)
		})
	}
}
