package money_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ape-claw/ape-claw/chain/units"
)

// race is many processes that buy against one daily cap.
type race struct {
	workers, each int // each buys from a directory of its own, one after another
	most          int // how many the cap admits
	kills         bool
}

// capOf is the cap that admits exactly so many, whatever the fees turn out to be:
// as many prices and as many fee limits. A purchase counts at price and fee limit
// while it is open, and at price and real fee from then on. The last that must pass
// meets at most (most-1)·(price+limit) and asks for no more than price+limit: it
// fits. One more would need most+1 prices and more, while the cap is short of that
// by a price less the limits, which is why all limits together must be less than
// one price: fees that were lower than their limits then never add up to a purchase.
func (c race) capOf(t *testing.T, price, limit units.Wei) units.Wei {
	t.Helper()
	limits, err := limit.Mul(uint64(c.most))
	if err != nil || limits.Cmp(price) >= 0 {
		t.Fatalf("%d fee limits of %s are no less than the price %s (%v)", c.most, limit, price, err)
	}
	prices, err := price.Mul(uint64(c.most))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := prices.Add(limits)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// tally is what the workers met.
type tally struct {
	sync.Mutex
	bought         []purchase
	refused        int
	waited, killed int
}

func (c race) run(t *testing.T) {
	w := newWorld(t, c.workers*c.each+1) // the last one is left for the dry run
	p := w.place("dry")
	b := p.prepare(c.workers * c.each)
	limit, err := units.ParseBase(p.must("nft", "buy", "--quote", b.quote).MaxFeeWei)
	if err != nil {
		t.Fatal(err)
	}
	w.setCap(c.capOf(t, w.price, limit))
	var sum tally
	var wg sync.WaitGroup
	for i := range c.workers {
		rnd := rand.New(rand.NewPCG(*seed, uint64(i)))
		p := w.place(fmt.Sprint(i))
		wg.Go(func() {
			for n := range c.each {
				if !c.one(p, rnd, p.prepare(i*c.each+n), &sum) {
					return
				}
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	last := w.place("last")
	last.resumed()
	bought := w.checkBooks()
	t.Logf("%d of %d confirmed, %d refused; %d times another one was sending, %d processes were killed",
		len(bought), c.workers*c.each, sum.refused, sum.waited, sum.killed)
	w.checkLimits(limit.Big())
	if len(bought) > c.most {
		t.Errorf("%d purchases passed a cap of %d", len(bought), c.most)
	}
	if !c.kills && (len(bought) != c.most || len(sum.bought) != c.most || sum.refused != c.workers*c.each-c.most) {
		t.Errorf("%d on the chain, %d confirmed and %d refused; want %d and %d", len(bought), len(sum.bought), sum.refused, c.most, c.workers*c.each-c.most)
	}
	for _, b := range sum.bought {
		if bought[b.quote] == "" {
			t.Errorf("quote %s was called bought, and the chain has nothing of it", b.quote)
		}
	}
	// What nobody used, for having died or been refused beside one who died, is
	// still there, and nothing more.
	for n := len(bought); ; n++ {
		o := last.run(last.prepare(c.free(w)).buy()...)
		if o.exit == 3 && o.Code == "cap_exceeded" {
			if n != c.most {
				t.Errorf("the cap of %d refused the next after %d", c.most, n)
			}
			break
		}
		if o.exit != 0 || n >= c.most {
			t.Fatalf("after %d of %d: %s", n, c.most, o)
		}
	}
	w.checkBooks()
}

// free is a listing that nobody has bought.
func (c race) free(w *world) int {
	w.t.Helper()
	for i, l := range w.list {
		if !w.owned(l.TokenID) {
			return i
		}
	}
	w.t.Fatal("everything is sold")
	return 0
}

// one buys, or is refused by the cap; anything else ends the race. With kills the
// process may die, and then another one takes over. A process that could not wait
// as long as the others took to send tries again.
func (c race) one(p place, rnd *rand.Rand, b purchase, sum *tally) (ok bool) {
	sum.Lock()
	defer sum.Unlock()
	for range 200 {
		var k crash
		if c.kills && rnd.IntN(3) == 0 {
			k.at = fmt.Sprintf("#%d", 1+rnd.IntN(24))
		}
		sum.Unlock()
		o := p.begin(k, b.buy()...).wait(p.t)
		sum.Lock()
		switch {
		case o.killed && k.at != "":
			sum.killed++
		case o.exit == 0:
			sum.bought = append(sum.bought, b)
			return true
		case o.exit == 3 && o.Code == "cap_exceeded" && o.Sent == "no":
			sum.refused++
			return true
		case o.exit == 10 && o.Code == "quote_used" && c.kills && o.State == "confirmed": // by one that died
			return true
		case o.exit == 10 && (o.Code == "conflict" || c.kills && o.Code == "quote_used"):
			sum.waited++
		default:
			p.t.Errorf("at %s: %s", p.name, o)
			return false
		}
		if c.kills {
			sum.Unlock()
			r := p.begin(k, "nft", "resume").wait(p.t)
			sum.Lock()
			if !r.killed && r.exit != 0 && r.exit != 7 && r.exit != 10 {
				p.t.Errorf("at %s: %s", p.name, r)
				return false
			}
		}
	}
	p.t.Errorf("at %s: quote %s never came to an end", p.name, b.quote)
	return false
}

// checkLimits: no fee was reserved over the limit that the cap was made of, else
// the race proves nothing.
func (w *world) checkLimits(limit *big.Int) {
	w.t.Helper()
	_, ledger := w.books()
	for _, s := range ledger {
		if s.kind == "fee" && s.amount.Cmp(limit) > 0 {
			w.t.Errorf("a fee limit of %s is over %s", s.amount, limit)
		}
	}
}

// TestCapRace: as many are confirmed as the cap admits, to the last one, and all
// others are refused by it.
func TestCapRace(t *testing.T) {
	t.Parallel()
	race{workers: scale(8, 16), each: scale(3, 50), most: scale(5, 37)}.run(t)
}

// TestCapRaceKilled: processes die at random steps. The cap is not passed, the
// books are the chain's, and what is left of the cap can be used.
func TestCapRaceKilled(t *testing.T) {
	t.Parallel()
	race{workers: scale(4, 16), each: scale(2, 10), most: scale(5, 37), kills: true}.run(t)
}
