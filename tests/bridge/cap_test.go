package bridge

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ape-claw/ape-claw/chain/units"
)

// TestCapRace: processes buy and bridge at once against one daily cap, half of them each.
// What is spent never passes it, whatever they do, and the books are the chain's.
func TestCapRace(t *testing.T) {
	t.Parallel()
	const slug, most, limitApe = "demo-apes", 5, "152"
	workers := 8
	if *full {
		workers = 24
	}
	w := newWorld(t)
	w.setCap(limitApe) // five of 30 APE each, and gas of them
	list, err := w.Listings(t.Context(), slug)
	if err != nil || len(list) < workers {
		t.Fatalf("%d listings, %v", len(list), err)
	}
	var ways [][]string
	for i := range workers {
		if i%2 == 0 {
			q := w.must("nft", "quote", "--collection", slug, "--token-id", list[i].TokenID.String(), "--max-price", "30")
			w.must("nft", "simulate", "--quote", q.QuoteID)
			ways = append(ways, []string{"nft", "buy", "--quote", q.QuoteID, "--execute", "--autonomous"})
			continue
		}
		q := w.must("bridge", "quote", "--from", "apechain", "--to", "ethereum", "--token", "APE", "--amount", fmt.Sprint("30.000", i))
		ways = append(ways, execute(q.RequestID))
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := map[string]int{}
	for _, args := range ways {
		wg.Go(func() {
			for range 400 {
				o := w.run(args...)
				switch {
				case o.exit == 0:
				case o.exit == 3 && o.Code == "cap_exceeded" && o.Sent == "no":
				case o.exit == 10 && o.Code == "conflict": // another one is sending
					continue
				default:
					t.Error(o)
					return
				}
				mu.Lock()
				done[fmt.Sprint(args[0], " ", o.exit == 0)]++
				mu.Unlock()
				return
			}
			t.Errorf("%v never came to an end", args)
		})
	}
	wg.Wait()
	t.Logf("%v", done)
	if n := done["nft true"] + done["bridge true"]; n != most || n+done["nft false"]+done["bridge false"] != workers {
		t.Errorf("%d passed a cap of %d: %v", n, most, done)
	}
	sum, _ := w.spent(w.ChainID())
	own, _, open := w.booked(w.ChainID(), "")
	if own.Cmp(sum) != 0 || open != 0 {
		t.Errorf("the ledger has %s, and the transactions cost %s; %d are open", own, sum, open)
	}
	limit, err := units.Parse(limitApe, units.APEDecimals)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Cmp(limit.Big()) > 0 {
		t.Errorf("%s are gone, and the cap is %s", sum, limit)
	}
	if n := w.deposits(w.ChainID()); n != done["bridge true"] {
		t.Errorf("%d deposits, and %d were told", n, done["bridge true"])
	}
	if gone := new(big.Int).Sub(w.start[name(w.currency(w.ChainID(), "APE"))], w.holds(w.currency(w.ChainID(), "APE"))); gone.Cmp(sum) != 0 {
		t.Errorf("%s left the account, and the transactions cost %s", gone, sum)
	}
}

// setCap replaces the daily cap of the sandbox's policy.
func (w *world) setCap(limit string) {
	w.t.Helper()
	path := filepath.Join(w.dir, "home", "sandbox", "policy.json")
	b, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		w.t.Fatal(err)
	}
	doc["execution"].(map[string]any)["dailySpendCap"] = limit
	if b, err = json.Marshal(doc); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		w.t.Fatal(err)
	}
}
