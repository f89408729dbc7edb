package money_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// TestNonces: eight processes buy at once from one wallet, each from a directory of
// its own. All of them succeed, and while they do the nonces that wait at the node
// follow those that were mined, one by one.
func TestNonces(t *testing.T) {
	t.Parallel()
	const workers = 8
	each := scale(1, 12)
	w := newWorld(t, workers*each)
	stop := make(chan struct{})
	var watch, wg sync.WaitGroup
	watch.Go(func() { w.watchPool(stop) })
	var all sync.Map
	for i := range workers {
		p := w.place(fmt.Sprint(i))
		var mine []purchase
		for n := range each {
			mine = append(mine, p.prepare(i*each+n))
		}
		wg.Go(func() {
			for _, b := range mine {
				if o := p.patient(b); o.exit != 0 {
					t.Error(o)
				}
				all.Store(b.quote, p)
			}
		})
	}
	wg.Wait()
	close(stop)
	watch.Wait()
	bought := w.checkBooks() // the nonces on the chain are 0, 1, 2, …
	if len(bought) != workers*each {
		t.Errorf("%d were bought, want %d", len(bought), workers*each)
	}
	journal, _ := w.books()
	for i, e := range journal { // in the order in which they were intended
		if e.nonce != uint64(i) || e.state != "confirmed" {
			t.Errorf("entry %d of the journal is %+v", i, e)
		}
	}
}

// patient buys, again and again while others are sending.
func (p place) patient(b purchase) (o outcome) {
	p.t.Helper()
	for range 200 {
		if o = p.run(b.buy()...); o.exit != 10 || o.Code != "conflict" {
			break
		}
	}
	return o
}

// watchPool looks at what waits at the node until it is told to stop: the buyer's
// nonces there follow one another, and those that were mined. Which of the node's two
// lists has them says nothing: right after a block it puts the next one aside for a
// moment.
func (w *world) watchPool(stop chan struct{}) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		var pool struct{ Pending, Queued map[string]any }
		if err := w.Client().Client().CallContext(w.t.Context(), &pool, "txpool_contentFrom", w.Buyer().Address()); err != nil {
			w.t.Errorf("the pool: %v", err)
			return
		}
		var waiting []uint64
		for _, list := range []map[string]any{pool.Pending, pool.Queued} {
			for n := range list {
				waiting = append(waiting, number(n).Uint64())
			}
		}
		slices.Sort(waiting)
		mined, err := w.Client().NonceAt(w.t.Context(), w.Buyer().Address(), nil) // later than the pool: no less
		if err != nil {
			w.t.Error(err)
			return
		}
		for i, n := range waiting {
			if n > mined+uint64(i) || i > 0 && n != waiting[i-1]+1 {
				w.t.Errorf("after %d mined, the nonces %d wait", mined, waiting)
				return
			}
		}
	}
}

// stuck buys while the node mines nothing, and ends the command by SIGINT once the
// node has the transaction. It returns the transaction's hash.
func (p place) stuck(b purchase) string {
	p.t.Helper()
	if err := p.SetFault("rpc-no-mining"); err != nil {
		p.t.Fatal(err)
	}
	mined, _ := p.nonces()
	r := p.begin(crash{}, b.buy()...)
	until(p.t, "the node has the transaction", func() bool {
		_, pending := p.nonces()
		return pending == mined+1
	})
	// The interrupt may come before the command knows the node's answer: either way
	// the transaction is out, and the command has to say so.
	if err := r.cmd.Process.Signal(syscall.SIGINT); err != nil {
		p.t.Fatal(err)
	}
	o := r.wait(p.t)
	if o.exit != 7 || o.Code != "tx_unknown" || o.Sent == "no" || !strings.Contains(o.text, "nft resume") {
		p.t.Fatalf("interrupted: %s", o)
	}
	journal, _ := p.books()
	last := journal[len(journal)-1]
	if last.hash == "" || last.nonce != mined || !strings.Contains(o.text, last.hash) {
		p.t.Fatalf("the journal has %+v\n%s", last, o)
	}
	return last.hash
}

// TestStuck: a transaction that is never mined locks the wallet until a person
// cancels it or pays more for it. Then its nonce is used once, and buying goes on.
func TestStuck(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--cancel", "--reprice"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			p := w.place("a")
			first := p.prepare(0)
			if o := p.run(first.buy()...); o.exit != 0 {
				t.Fatal(o)
			}
			caught, next := p.prepare(1), p.prepare(2)
			hash := p.stuck(caught)
			if o := p.run(next.buy()...); o.exit != 10 || o.Code != "conflict" || o.Sent != "no" {
				t.Fatalf("another purchase beside it: %s", o)
			}
			if o := p.run("nft", "resume"); o.exit != 7 {
				t.Fatalf("resume, with nothing mined: %s", o)
			}
			// The replacement takes its place at the node while nothing is mined; then
			// mining goes on.
			r := p.begin(crash{}, "nft", "resume", flag)
			until(t, "the node has the replacement", func() bool { return w.poolHas(1, hash) })
			w.ClearFaults()
			if o := r.wait(t); o.exit != 0 {
				t.Fatal(o)
			}
			p.resumed()
			if o := p.run(next.buy()...); o.exit != 0 {
				t.Fatalf("the wallet is still locked: %s", o)
			}
			chain := w.sent()
			for i, m := range chain {
				if m.nonce != uint64(i) || !m.ok || strings.EqualFold(m.hash.Hex(), hash) {
					t.Errorf("the chain has %s with nonce %d, success %t", m.hash, m.nonce, m.ok)
				}
			}
			if bought := flag == "--reprice"; len(chain) != 3 || w.owned(caught.token) != bought || !w.owned(first.token) || !w.owned(next.token) {
				t.Errorf("%d transactions; after %s the stuck purchase is the buyer's: %t", len(chain), flag, w.owned(caught.token))
			}
			w.checkSpent()
			last := trail(p.events(), next)
			if len(last) != 2 || !slices.ContainsFunc(last, func(s string) bool { return strings.HasPrefix(s, "confirmed ") }) {
				t.Errorf("the next purchase's trail is %q", last)
			}
		})
	}
}

// poolHas reports whether so many of the buyer's transactions wait at the node, and
// none of them is the old one.
func (w *world) poolHas(n int, old string) bool {
	w.t.Helper()
	var pool struct {
		Pending map[string]struct{ Hash common.Hash }
	}
	if err := w.Client().Client().CallContext(w.t.Context(), &pool, "txpool_contentFrom", w.Buyer().Address()); err != nil {
		w.t.Fatal(err)
	}
	for _, tx := range pool.Pending {
		if strings.EqualFold(tx.Hash.Hex(), old) {
			return false
		}
	}
	return len(pool.Pending) == n
}

// checkSpent: what is booked is what left the account, and nothing is open.
func (w *world) checkSpent() {
	w.t.Helper()
	_, ledger := w.books()
	booked := number("0")
	for _, s := range ledger {
		switch s.state {
		case "reserved":
			w.t.Errorf("%s of %s is reserved for ever", s.kind, s.ref)
		case "settled":
			booked.Add(booked, s.settled)
		}
	}
	left, err := w.Client().BalanceAt(w.t.Context(), w.Buyer().Address(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if gone := number("0").Sub(w.start, left); gone.Cmp(booked) != 0 {
		w.t.Errorf("booked are %s, and %s left the account", booked, gone)
	}
}
