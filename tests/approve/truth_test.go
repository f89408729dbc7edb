package approve_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
)

// books holds the journal and the ledger against the chain, to the wei: each
// transaction of the buyer is one confirmed row and was booked at what it cost,
// and nothing else is booked or open. It returns the hash that bought each quote.
func (w *world) books() map[string]string {
	w.t.Helper()
	type mined struct{ value, fee *big.Int }
	chain, total := map[string]mined{}, new(big.Int)
	signer := types.LatestSignerForChainID(big.NewInt(w.ChainID()))
	for n := uint64(1); n <= w.Head().Number.Uint64(); n++ {
		b, err := w.Client().BlockByNumber(w.t.Context(), new(big.Int).SetUint64(n))
		if err != nil {
			w.t.Fatal(err)
		}
		for _, tx := range b.Transactions() {
			if from, err := types.Sender(signer, tx); err != nil || from != w.Buyer().Address() {
				continue
			}
			r, err := w.Client().TransactionReceipt(w.t.Context(), tx.Hash())
			if err != nil {
				w.t.Fatal(err)
			}
			if r.Status != types.ReceiptStatusSuccessful {
				w.t.Errorf("%s failed on the chain", tx.Hash())
			}
			fee := new(big.Int).Mul(new(big.Int).SetUint64(r.GasUsed), r.EffectiveGasPrice)
			chain[tx.Hash().Hex()] = mined{tx.Value(), fee}
			total.Add(total, fee).Add(total, tx.Value())
		}
	}
	byQuote, want := map[string]string{}, map[string]string{}
	if _, err := os.Stat(w.moneyDB()); err == nil {
		rows := map[string]int{}
		for _, r := range w.rows(w.moneyDB(), `SELECT key, state, coalesce(hash, '') FROM tx`) {
			f := strings.Split(r, " ")
			m, on := chain[f[2]]
			switch {
			case f[1] == "confirmed" && on:
				rows[f[2]]++
				byQuote[strings.TrimPrefix(f[0], "nft.buy:")] = f[2]
				want[f[0]+" price"], want[f[0]+" fee"] = m.value.String(), m.fee.String()
			case f[1] == "abandoned" && !on:
			default:
				w.t.Errorf("the journal has %q; on the chain: %t", r, on)
			}
		}
		for hash := range chain {
			if rows[hash] != 1 {
				w.t.Errorf("%s is %d times in the journal", hash, rows[hash])
			}
		}
		for _, r := range w.rows(w.moneyDB(), `SELECT ref, kind, state, coalesce(settled, '') FROM spend WHERE state <> 'released'`) {
			f := strings.Split(r, " ")
			key := f[0] + " " + f[1]
			if f[2] != "settled" || want[key] != f[3] || f[3] == "" {
				w.t.Errorf("the ledger has %q; the chain says %q", r, want[key])
			}
			delete(want, key)
		}
		if len(want) > 0 {
			w.t.Errorf("not in the ledger: %v", want)
		}
	} else if len(chain) > 0 {
		w.t.Errorf("%d transactions, and no books", len(chain))
	}
	left, err := w.Client().BalanceAt(w.t.Context(), w.Buyer().Address(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if gone := new(big.Int).Sub(w.start, left); gone.Cmp(total) != 0 {
		w.t.Errorf("%s left the account, and the transactions cost %s", gone, total)
	}
	return byQuote
}

// owned reports whether the token is the buyer's by now.
func (w *world) owned(token *big.Int) bool {
	w.t.Helper()
	owner, err := w.OwnerOf(w.t.Context(), slug, token)
	if err != nil {
		w.t.Fatal(err)
	}
	return owner == w.Buyer().Address()
}

// event is what counts here of a line of the log.
type event struct {
	EventType string         `json:"eventType"`
	TraceID   string         `json:"traceId"`
	Payload   map[string]any `json:"payload"`
	Result    map[string]any `json:"result"`
	OK        bool           `json:"ok"`
}

// events are the lines of a type about an action.
func (w *world) events(kind, id string) []event {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.wd(), "state", "events.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	var out []event
	for line := range bytes.Lines(b) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			w.t.Errorf("a bad line in the log: %v\n%s", err, line)
		}
		if e.EventType == kind && e.Payload["actionId"] == id {
			out = append(out, e)
		}
	}
	return out
}

// order is what the log tells of an action's life, in the log's order.
func (w *world) order(id string) (out []string) {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.wd(), "state", "events.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			w.t.Errorf("a bad line in the log: %v\n%s", err, line)
		}
		life := strings.HasPrefix(e.EventType, "ai.action.") || e.EventType == "ai.grant.created"
		if life && (e.Payload["actionId"] == id || e.Result["actionId"] == id) {
			out = append(out, e.EventType)
		}
	}
	return out
}

// permits are the permits of an action, and those of them that were used.
func (w *world) permits(id string) (made, used int) {
	w.t.Helper()
	return w.count(w.stateDB(), `SELECT count(*) FROM ai_permits WHERE action_id = ?`, id),
		w.count(w.stateDB(), `SELECT count(*) FROM ai_permits WHERE action_id = ? AND uses_left = 0`, id)
}

// callbacks is how often the model was called because of an action.
func (w *world) callbacks() int {
	w.t.Helper()
	return w.count(w.stateDB(), `SELECT count(*) FROM ai_turns WHERE cause = 'callback'`)
}

// nothing: no transaction, no permit, nothing booked.
func (w *world) nothing(t *testing.T, p purchase) {
	t.Helper()
	if q := w.books(); q[p.quote] != "" {
		t.Errorf("quote %s was bought by %s", p.quote, q[p.quote])
	}
	if w.owned(p.token) {
		t.Errorf("token %s is the buyer's", p.token)
	}
	if made, _ := w.permits(p.id); made != 0 {
		t.Errorf("%d permits", made)
	}
	if e := w.events("ai.action.executed", p.id); len(e) != 0 {
		t.Errorf("events %v", e)
	}
}

// once: exactly one transaction, one permit, used, one event of the execution, and
// the books are the chain's.
func (w *world) once(t *testing.T, p purchase) {
	t.Helper()
	q := w.books()
	if len(q) != 1 || q[p.quote] == "" || !w.owned(p.token) {
		t.Errorf("bought: %v; the token is the buyer's: %t", q, w.owned(p.token))
	}
	if made, used := w.permits(p.id); made != 1 || used != 1 {
		t.Errorf("%d permits, %d used", made, used)
	}
}
