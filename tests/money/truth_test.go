package money_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	_ "modernc.org/sqlite" // money.db, read by queries of our own
)

// mined is a transaction of the buyer that the chain has.
type mined struct {
	hash  common.Hash
	nonce uint64
	value *big.Int
	fee   *big.Int // gas used times the price that was paid
	ok    bool
}

// sent reads all of the buyer's transactions from the blocks, in their order.
func (w *world) sent() []mined {
	w.t.Helper()
	var out []mined
	signer := types.LatestSignerForChainID(big.NewInt(w.ChainID()))
	for n := uint64(1); n <= w.Head().Number.Uint64(); n++ {
		b, err := w.Client().BlockByNumber(w.t.Context(), new(big.Int).SetUint64(n))
		if err != nil {
			w.t.Fatal(err)
		}
		for _, tx := range b.Transactions() {
			from, err := types.Sender(signer, tx)
			if err != nil {
				w.t.Fatal(err)
			}
			if from != w.Buyer().Address() {
				continue
			}
			r, err := w.Client().TransactionReceipt(w.t.Context(), tx.Hash())
			if err != nil {
				w.t.Fatal(err)
			}
			fee := new(big.Int).Mul(new(big.Int).SetUint64(r.GasUsed), r.EffectiveGasPrice)
			out = append(out, mined{tx.Hash(), tx.Nonce(), tx.Value(), fee, r.Status == types.ReceiptStatusSuccessful})
		}
	}
	return out
}

// entry is a row of the journal, and spend one of the ledger.
type entry struct {
	id, key, state, hash string
	nonce                uint64
}

type spend struct {
	id, kind, ref, state string
	amount, settled      *big.Int // settled: nil unless it is
}

// books reads journal and ledger.
func (w *world) books() (journal []entry, ledger []spend) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.home(), "sandbox", "money.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	}()
	each := func(query string, row func(*sql.Rows) error) {
		w.t.Helper()
		rows, err := db.QueryContext(w.t.Context(), query)
		if err != nil {
			w.t.Fatal(err)
		}
		for rows.Next() {
			if err := row(rows); err != nil {
				w.t.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			w.t.Fatal(err)
		}
		if err := rows.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
	each(`SELECT id, key, state, coalesce(hash, ''), nonce FROM tx ORDER BY rowid`, func(rows *sql.Rows) error {
		var e entry
		err := rows.Scan(&e.id, &e.key, &e.state, &e.hash, &e.nonce)
		journal = append(journal, e)
		return err
	})
	each(`SELECT id, kind, ref, state, amount, settled FROM spend ORDER BY rowid`, func(rows *sql.Rows) error {
		var s spend
		var amount string
		var settled sql.NullString
		err := rows.Scan(&s.id, &s.kind, &s.ref, &s.state, &amount, &settled)
		s.amount = number(amount)
		if settled.Valid {
			s.settled = number(settled.String)
		}
		ledger = append(ledger, s)
		return err
	})
	return journal, ledger
}

func number(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic("a number in the books: " + s)
	}
	return n
}

// event is what counts here of a line of the log.
type event struct {
	EventType string `json:"eventType"`
	Payload   struct {
		QuoteID string `json:"quoteId"`
	} `json:"payload"`
	Result struct {
		TxHash string `json:"txHash"`
	} `json:"result"`
	V  int    `json:"v"`
	TS string `json:"ts"`
	OK *bool  `json:"ok"`
}

// events reads the log of a place: every line is whole and valid, and none is there twice.
func (p place) events() []event {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.wd(), "state", "events.jsonl"))
	if err != nil {
		if os.IsNotExist(err) {
			return nil
		}
		p.t.Fatal(err)
	}
	var out []event
	seen := map[string]bool{}
	for line := range bytes.Lines(b) {
		text := strings.TrimSuffix(string(line), "\n")
		var e event
		if err := json.Unmarshal([]byte(text), &e); err != nil || e.V != 1 || e.EventType == "" || e.TS == "" || e.OK == nil {
			p.t.Errorf("at %s, a bad line in the log: %v\n%s", p.name, err, text)
		}
		if seen[text] {
			p.t.Errorf("at %s, a line is twice in the log\n%s", p.name, text)
		}
		seen[text] = true
		out = append(out, e)
	}
	return out
}

// trail lists the steps of one purchase in a log, "submitted 0x…".
func trail(all []event, b purchase) []string {
	var out []string
	for _, e := range all {
		if step, ok := strings.CutPrefix(e.EventType, "nft.buy."); ok && e.Payload.QuoteID == b.quote && e.Result.TxHash != "" {
			out = append(out, step+" "+e.Result.TxHash)
		}
	}
	return out
}

// checkBooks holds journal and ledger against the chain: each transaction of the
// buyer is one confirmed row and was booked at what it cost, and nothing else is
// booked or open. It returns the hash that bought each quote.
func (w *world) checkBooks() map[string]string {
	w.t.Helper()
	chain := w.sent()
	journal, ledger := w.books()
	byHash, byQuote := map[string]mined{}, map[string]string{}
	total := new(big.Int)
	for i, m := range chain {
		byHash[m.hash.Hex()] = m
		total.Add(total, m.fee)
		if m.ok {
			total.Add(total, m.value)
		}
		if m.nonce != uint64(i) {
			w.t.Errorf("the transaction %d of the buyer has nonce %d", i, m.nonce)
		}
		if !m.ok {
			w.t.Errorf("%s failed on the chain", m.hash)
		}
	}
	if waiting, pending := w.nonces(); waiting != pending || waiting != uint64(len(chain)) {
		w.t.Errorf("%d transactions on the chain, and the node counts %d, with those that wait %d", len(chain), waiting, pending)
	}
	rows := map[string]int{}
	want := map[string][2]*big.Int{} // of a confirmed row's key: price and fee
	for _, e := range journal {
		m, on := byHash[e.hash]
		switch {
		case e.state == "abandoned" && !on:
		case e.state == "confirmed" && on && m.nonce == e.nonce:
			rows[e.hash]++
			want[e.key] = [2]*big.Int{m.value, m.fee}
			byQuote[strings.TrimPrefix(e.key, "nft.buy:")] = e.hash
		default:
			w.t.Errorf("the journal has %+v; on the chain: %t", e, on)
		}
	}
	for hash := range byHash {
		if rows[hash] != 1 {
			w.t.Errorf("%s is %d times in the journal", hash, rows[hash])
		}
	}
	booked, kinds := new(big.Int), map[string]int{}
	for _, s := range ledger {
		switch s.state {
		case "released":
			continue
		case "settled":
			booked.Add(booked, s.settled)
			kinds[s.ref+" "+s.kind]++
			cost, known := want[s.ref]
			i := slices.Index([]string{"price", "fee"}, s.kind)
			if !known || i < 0 || cost[i].Cmp(s.settled) != 0 || kinds[s.ref+" "+s.kind] != 1 || s.settled.Cmp(s.amount) > 0 {
				w.t.Errorf("the ledger has %+v, settled at %s of %s; the chain says %v", s, s.settled, s.amount, cost)
			}
		default:
			w.t.Errorf("%s of %s is %s for ever", s.kind, s.ref, s.state)
		}
	}
	left, err := w.Client().BalanceAt(w.t.Context(), w.Buyer().Address(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	gone := new(big.Int).Sub(w.start, left)
	if booked.Cmp(gone) != 0 || total.Cmp(gone) != 0 {
		w.t.Errorf("booked are %s, the transactions cost %s, and %s left the account", booked, total, gone)
	}
	return byQuote
}

// check: of each purchase there is exactly one on the chain, in the books, and in
// the log of the place; and its quote says so.
func (p place) check(bought ...purchase) {
	p.t.Helper()
	byQuote := p.checkBooks()
	if len(byQuote) != len(bought) {
		p.t.Errorf("%d quotes were bought, want %d", len(byQuote), len(bought))
	}
	log := p.events()
	for _, b := range bought {
		hash := byQuote[b.quote]
		if hash == "" || !p.owned(b.token) {
			p.t.Errorf("quote %s, token %s: bought by %q; the buyer's: %t", b.quote, b.token, hash, p.owned(b.token))
		}
		if got, want := trail(log, b), []string{"submitted " + hash, "confirmed " + hash}; !slices.Equal(got, want) {
			p.t.Errorf("quote %s: the log has %q, want %q", b.quote, got, want)
		}
		var q struct{ Status, TxHash string }
		if o := p.must("nft", "quotes", "show", b.quote); json.Unmarshal(o.Quote, &q) != nil || q.Status != "confirmed" || !strings.EqualFold(q.TxHash, hash) {
			p.t.Errorf("quote %s is %+v, want confirmed by %s\n%s", b.quote, q, hash, o)
		}
	}
	if len(bought) > 0 && p.t.Failed() {
		journal, ledger := p.books()
		p.t.Logf("journal %+v\nledger %v", journal, fmt.Sprint(ledger))
	}
}
