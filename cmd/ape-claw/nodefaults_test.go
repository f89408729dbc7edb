package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/store"
)

// nodeFault is one thing that a node does wrong while a purchase is made: what the
// command says, what the books hold right afterwards, and what helps.
type nodeFault struct {
	name   string
	faults []string
	stop   bool // Ctrl-C as soon as the node has the transaction, or hangs

	exit             int
	code, sent, says string // of a failure; says stands in its error
	state            string // of the transaction in the journal, "" for none
	held             bool   // its money is reserved, and not booked

	cure    string // what the hint tells to do once the node is well; "": nothing has to be done
	becomes string // what the transaction is then
	trail   string // the purchase's events
}

const again = "nft buy" // the cure that is the same purchase again

// Each command runs as its own process against a real chain behind a node with the
// fault. The purchases of a group are of one wallet, so that each shows that the one
// before it has left the wallet free.
func TestNodeFaults(t *testing.T) {
	t.Parallel()
	unknown := nodeFault{stop: true, exit: 7, code: "tx_unknown", sent: "yes", says: "interrupted", state: "unknown", held: true,
		cure: "nft resume", becomes: "confirmed", trail: "submitted unknown confirmed"}
	with := func(f nodeFault, name string, change func(*nodeFault), faults ...string) nodeFault {
		f.name, f.faults = name, faults
		if change != nil {
			change(&f)
		}
		return f
	}
	maybe := func(f *nodeFault) { f.sent = "maybe" }
	fine := nodeFault{state: "confirmed", trail: "submitted confirmed"}
	never := nodeFault{exit: 6, code: "upstream", sent: "no", cure: again, becomes: "confirmed", trail: "submitted confirmed"}
	groups := map[string][]nodeFault{
		"it passes": {
			with(fine, "the answer to the broadcast is lost", nil, "rpc-lost-response"),
			with(fine, "indexing is in progress for a while", nil, "rpc-indexing*3"),
			with(fine, "another's receipt for a while", nil, "rpc-other-receipt*3"),
			with(fine, "no receipt for a while", nil, "rpc-no-receipt*3"),
			with(fine, "slow", nil, "rpc-slow=5ms"),
			with(fine, "the base fee rises for a moment", nil, "rpc-base-fee=3"),
		},
		"nothing left": {
			with(never, "down", func(f *nodeFault) { f.says = "503" }, "rpc-down"),
			with(never, "another chain", func(f *nodeFault) { f.code, f.says = "chain_mismatch", "chain 33139" }, "rpc-chain-id"),
			with(never, "it hangs before the signature", func(f *nodeFault) {
				f.stop, f.exit, f.code, f.says = true, 130, "canceled", "canceled"
			}, "rpc-hang=eth_getTransactionCount*1"),
			with(never, "underpriced", func(f *nodeFault) {
				// The node had the bytes, and may lie: they count, and stop nothing.
				f.sent, f.says, f.state = "maybe", "transaction underpriced", "refused"
			}, "rpc-underpriced"),
		},
		"unknown": {
			with(unknown, "never mined", nil, "rpc-no-mining"),
			with(unknown, "no receipt", nil, "rpc-no-receipt"),
			with(unknown, "indexing is in progress", nil, "rpc-indexing"),
			with(unknown, "another's receipt", nil, "rpc-other-receipt"),
			with(unknown, "it hangs when asked for the receipt", nil, "rpc-hang=eth_getTransactionReceipt"),
			with(unknown, "the answer is lost, and no block comes", maybe, "rpc-lost-response", "rpc-no-mining"),
			with(unknown, "it hangs at the broadcast", func(f *nodeFault) {
				f.sent, f.trail = "maybe", "submitted unknown confirmed"
			}, "rpc-hang=eth_sendRawTransaction*1"),
			with(unknown, "the base fee rises for good", func(f *nodeFault) {
				f.cure, f.trail = "nft resume --reprice", "submitted unknown replacing confirmed"
			}, "rpc-base-fee=60000"),
		},
	}
	for name, group := range groups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.inSandbox()
			before := balance(t, s)
			for n, f := range group {
				t.Run(f.name, func(t *testing.T) {
					w.t = t // the rows come one after another
					f.run(w, s, w.ready(s, n))
				})
			}
			w.t = t
			if d, exit := w.doc("nft", "buy", "--quote", w.ready(s, len(group)), "--execute", "--autonomous"); exit != 0 {
				t.Errorf("the wallet is not free: exit %d, %v", exit, d)
			}
			w.checkBooks(before, balance(t, s))
		})
	}
}

// What gas may cost is what the simulation foresaw: when the base fee rises so much
// that it is more by far, nothing is sent until it was simulated again.
func TestBaseFeeRisesAfterTheSimulation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	quote := w.quoted(s, 0)
	if err := s.SetFault("rpc-base-fee=1000"); err != nil {
		t.Fatal(err)
	}
	if d, exit := w.doc("nft", "simulate", "--quote", quote); exit != 0 {
		t.Fatalf("simulate: exit %d, %v", exit, d)
	}
	s.ClearFaults()
	d, exit := w.doc("nft", "buy", "--quote", quote, "--execute", "--autonomous")
	if exit != 3 || d["code"] != "policy_blocked" || d["gate"] != "feeCeiling" || d["sent"] != "no" || !strings.Contains(d["error"].(string), "the simulation foresaw") {
		t.Fatalf("exit %d, %v", exit, d)
	}
	_, advice, _ := strings.Cut(d["hint"].(string), "ape-claw ")
	if d, exit := w.doc(strings.Fields(advice)...); exit != 0 {
		t.Fatalf("%s: exit %d, %v", advice, exit, d)
	}
	if d, exit := w.doc("nft", "buy", "--quote", quote, "--execute", "--autonomous"); exit != 0 {
		t.Errorf("after it: exit %d, %v", exit, d)
	}
}

// run buys under the faults, looks at the books, ends the faults and does what helps.
func (f nodeFault) run(w *world, s *sandbox.World, quote string) {
	w.t.Helper()
	defer s.ClearFaults()
	told := len(w.purchases())
	for _, spec := range f.faults {
		if err := s.SetFault(spec); err != nil {
			w.t.Fatal(err)
		}
	}
	d, exit := f.buy(w, s, quote)
	if exit != f.exit || f.exit != 0 && (d["code"] != f.code || d["sent"] != f.sent || !strings.Contains(fmt.Sprint(d["error"]), f.says)) {
		w.t.Fatalf("exit %d, %v", exit, d)
	}
	if hint := fmt.Sprint(d["hint"]); f.code == "tx_unknown" && !strings.Contains(hint, "ape-claw --profile sandbox nft resume") || f.exit == 6 && hint == "" {
		w.t.Errorf("hint %q", hint)
	}
	if got := w.book("nft.buy:" + quote); got.state != f.state || got.reserved != f.held || got.booked != (f.state != "" && !f.held) {
		w.t.Errorf("right afterwards the books hold %+v", got)
	}
	s.ClearFaults()
	if err := s.Mine(); err != nil {
		w.t.Fatal(err)
	}
	if f.state == "unknown" { // it locks the wallet, and is not sent twice
		if d, exit := w.doc("nft", "buy", "--quote", quote); exit != 10 || d["code"] != "quote_used" {
			w.t.Errorf("the same quote: exit %d, %v", exit, d)
		}
	}
	switch {
	case f.cure == again:
		if d, exit := w.doc("nft", "buy", "--quote", quote, "--execute", "--autonomous"); exit != 0 {
			w.t.Errorf("the same purchase again: exit %d, %v", exit, d)
		}
	case f.cure != "":
		if d, exit := w.doc(strings.Fields(f.cure)...); exit != 0 || len(d["settled"].([]any)) != 1 || len(d["open"].([]any)) != 0 {
			w.t.Errorf("%s: exit %d, %v", f.cure, exit, d)
		}
	}
	becomes := f.becomes
	if becomes == "" {
		becomes = f.state
	}
	if got := w.book("nft.buy:" + quote); got.state != becomes || got.reserved || !got.booked {
		w.t.Errorf("in the end the books hold %+v", got)
	}
	if got := strings.Join(w.purchases()[told:], " "); got != f.trail {
		w.t.Errorf("the log tells %q, want %q", got, f.trail)
	}
}

// buy runs the purchase, and interrupts it where the fault asks for that.
func (f nodeFault) buy(w *world, s *sandbox.World, quote string) (d map[string]any, exit int) {
	w.t.Helper()
	args := []string{"nft", "buy", "--quote", quote, "--execute", "--autonomous"}
	if !f.stop {
		return w.doc(args...)
	}
	told := len(w.purchases())
	cmd, stdout := w.command(append(args, "--json")...), &strings.Builder{}
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	// A fault that happens once has happened when it is over.
	deadline := time.Now().Add(30 * time.Second)
	for ; len(s.Faults()) == len(f.faults) && len(w.purchases()) == told; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("nothing was sent, and nothing hangs: %s", stdout)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		w.t.Fatal(err)
	}
	exit = status(cmd.Wait())
	if err := json.Unmarshal([]byte(stdout.String()), &d); err != nil {
		w.t.Fatalf("%v: %s", err, stdout)
	}
	return d, exit
}

// quoted quotes the n-th token that the sandbox sells.
func (w *world) quoted(s *sandbox.World, n int) (quote string) {
	w.t.Helper()
	o := s.Demo().Orders[n]
	d, exit := w.doc("nft", "quote", "--collection", o.Slug, "--token-id", o.TokenID.String(), "--max-price", "100")
	if exit != 0 {
		w.t.Fatalf("quote: exit %d, %v", exit, d)
	}
	return d["quoteId"].(string)
}

// ready is quoted and simulated.
func (w *world) ready(s *sandbox.World, n int) (quote string) {
	w.t.Helper()
	quote = w.quoted(s, n)
	if d, exit := w.doc("nft", "simulate", "--quote", quote); exit != 0 {
		w.t.Fatalf("simulate: exit %d, %v", exit, d)
	}
	return quote
}

func balance(t *testing.T, s *sandbox.World) *big.Int {
	t.Helper()
	b, err := s.Client().BalanceAt(t.Context(), s.Buyer().Address(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// entry is what the books hold of one key: the state of its last transaction, and
// whether money of it is reserved or booked.
type entry struct {
	state            string
	reserved, booked bool
}

func (w *world) book(key string) (e entry) {
	w.t.Helper()
	w.money(`SELECT COALESCE((SELECT state FROM tx WHERE key = ? ORDER BY rowid DESC LIMIT 1), ''),
		EXISTS (SELECT 1 FROM spend WHERE ref = ? AND state = 'reserved'), EXISTS (SELECT 1 FROM spend WHERE ref = ? AND state = 'settled')`,
		[]any{key, key, key}, &e.state, &e.reserved, &e.booked)
	return e
}

// money asks the books for one row.
func (w *world) money(query string, args []any, into ...any) {
	w.t.Helper()
	db, err := store.OpenMoney(context.Background(), filepath.Join(w.dir, "user", ".ape-claw", "sandbox"))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := db.QueryRow(query, args...).Scan(into...); err != nil {
		w.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// checkBooks: nothing is reserved, and what is booked is what left the account, but
// for what a node said that it refused: that counts as if the node had lied.
func (w *world) checkBooks(before, after *big.Int) {
	w.t.Helper()
	const refused = `(SELECT json_extract(s.value, '$.id') FROM tx, json_each(tx.spend_ids) s WHERE tx.state = 'refused')`
	var open int
	var settled string
	w.money(`SELECT COUNT(*) FILTER (WHERE state = 'reserved'), COALESCE(GROUP_CONCAT(settled) FILTER (WHERE state = 'settled' AND id NOT IN `+refused+`), '0') FROM spend`, nil, &open, &settled)
	booked := new(big.Int)
	for s := range strings.SplitSeq(settled, ",") {
		n, ok := new(big.Int).SetString(s, 10)
		if !ok {
			w.t.Fatalf("%q was settled", s)
		}
		booked.Add(booked, n)
	}
	if gone := new(big.Int).Sub(before, after); open != 0 || gone.Cmp(booked) != 0 {
		w.t.Errorf("%d reservations are open; booked are %s, and %s left the account", open, booked, gone)
	}
}
