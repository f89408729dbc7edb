package sandbox_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/opensea"
)

func TestStatusFollowsTheChain(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 5})
	ctx := t.Context()
	orders := w.Demo().Orders
	apes, bananas := orders[0:5], orders[5:10]
	wantStatus(t, w, apes[0], opensea.Active)

	stranger := common.HexToAddress("0xbeef")
	if err := w.Transfer(ctx, apes[0].Slug, apes[0].TokenID, stranger); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, w, apes[0], opensea.Inactive)
	if err := w.Cancel(ctx, apes[1]); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, w, apes[1], opensea.Cancelled)
	wantStatus(t, w, apes[2], opensea.Active)

	if err := w.CancelAll(ctx, bananas[0].Slug); err != nil {
		t.Fatal(err)
	}
	for _, o := range bananas {
		wantStatus(t, w, o, opensea.Cancelled)
	}
	soon, err := w.List("demo-apes", demo.Terms{TokenID: apes[3].TokenID.Uint64(), Price: ape(t, "1"), Salt: "soon", EndTime: w.Head().Time + 60})
	if err != nil {
		t.Fatal(err)
	}
	later, err := w.List("demo-apes", demo.Terms{TokenID: apes[4].TokenID.Uint64(), Price: ape(t, "1"), Salt: "later", StartTime: w.Head().Time + 60})
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, w, soon, opensea.Active)
	wantStatus(t, w, later, opensea.Inactive)
	if err := w.AdvanceTime(2 * time.Minute); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, w, soon, opensea.Expired)
	wantStatus(t, w, later, opensea.Active)
}

func TestStatusFollowsAReorganisation(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 2})
	o := w.Demo().Orders[0]
	if _, err := w.Buy(t.Context(), w.Buyer(), o); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, w, o, opensea.Fulfilled)
	if err := w.SetFault("rpc-no-mining"); err != nil {
		t.Fatal(err)
	}
	if err := w.Rewind(1); err != nil {
		t.Fatal(err)
	}
	// The new chain is longer than what was seen, and has not the purchase.
	w.DropPending()
	for range 2 {
		if err := w.Mine(); err != nil {
			t.Fatal(err)
		}
	}
	wantStatus(t, w, o, opensea.Active)
	w.ClearFaults()
	if _, err := w.Buy(t.Context(), w.Buyer(), o); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, w, o, opensea.Fulfilled)
}

// TestManyBuyersAtOnce buys from eight accounts while others read the lists.
func TestManyBuyersAtOnce(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 40})
	const buyers, each = 8, 5
	var group sync.WaitGroup
	for n := range buyers {
		k := demo.DeriveKey("test", fmt.Sprint("buyer ", n))
		if err := w.Fund(t.Context(), k.Address(), ape(t, "1000")); err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			for i := range each {
				o := w.Demo().Orders[n*each+i]
				if _, err := w.Buy(t.Context(), k, o); err != nil {
					t.Errorf("buyer %d, order %d: %v", n, i, err)
					return
				}
				if l, err := w.Listing(t.Context(), o.Hash); err != nil || l.Status != opensea.Fulfilled {
					t.Errorf("buyer %d, order %d: status %s, %v", n, i, l.Status, err)
				}
			}
		})
	}
	group.Wait()
	all, err := w.Listings(t.Context(), "demo-apes")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if l.Status != opensea.Fulfilled {
			t.Errorf("order of #%s is %s", l.TokenID, l.Status)
		}
	}
}
